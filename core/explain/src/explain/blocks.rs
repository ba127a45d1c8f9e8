//! The computation of a pass, opened: its layers, and the parts of a layer.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::{Source, in_phase};
use shardwise_engine::memory::Use;
use shardwise_engine::phase::Phase;
use shardwise_engine::training::{OpenedStage, opened, pieces};
use shardwise_engine::turn::Turn;
use shardwise_question::plan::Layout;

const PASSES: [(&str, &str); 2] = [("forward", "Forward pass"), ("backward", "Backward pass")];

/// The layout that a phase's passes are timed in.
fn layout(turn: &Turn<'_>) -> Layout {
    match turn.usage {
        Use::Train => turn.layout,
        Use::Evaluate => turn.layout.without_recompute(),
    }
}

pub(super) fn blocks(source: &Source<'_>, turn: &Turn<'_>) -> Option<OpenedStage> {
    opened(source.context, &turn.role, &layout(turn), &turn.batch)
}

/// The figures that a phase's computation opens into.
pub(super) fn figures(source: &Source<'_>, phase: &str) -> Vec<String> {
    let opened = Phase::named(phase).and_then(|phase| source.turn(phase)).and_then(|own| {
        let blocks = blocks(source, &own)?;
        let passes = match own.usage {
            Use::Train => 2,
            Use::Evaluate => 1,
        };
        let mut all = Vec::new();
        for (pass, _) in PASSES.iter().take(passes) {
            let path = format!("time.{phase}.compute.{pass}");
            all.extend((1..=blocks.kinds.len()).map(|kind| format!("{path}.{kind}")));
            all.push(path);
        }
        Some(all)
    });
    opened.unwrap_or_default()
}

/// A pass over one micro-batch, or one of its layers.
pub(super) fn of(
    source: &Source<'_>,
    figure: &str,
    phase: &str,
    pass: &str,
    kind: Option<&str>,
) -> Option<Explanation> {
    let place = PASSES.iter().position(|(name, _)| *name == pass)?;
    let (symbol, title) = PASSES[place];
    let own = &source.turn(Phase::named(phase)?)?;
    if own.usage == Use::Evaluate && place == 1 {
        return None;
    }
    let blocks = blocks(source, own)?;
    let mut sheet = Sheet::new();
    let (expression, title, symbol) = match kind {
        None => (layers(&mut sheet, &blocks, own.phase.name(), place), title, symbol),
        Some(kind) => (
            parts(source, &mut sheet, own, &blocks, kind, place)?,
            if place == 0 { "A layer's forward pass" } else { "A layer's backward pass" },
            "layer",
        ),
    };
    let title = in_phase(title, words::phase(own.phase.name()));
    let (method, unit) = ("block-time", Unit::Seconds);
    Some(sheet.finish(figure, method, &title, symbol, expression, unit))
}

fn layers(sheet: &mut Sheet, blocks: &OpenedStage, phase: &str, pass: usize) -> Expression {
    let name = PASSES[pass].0;
    let mut sum = Vec::new();
    for (place, (block, count, times)) in blocks.kinds.iter().enumerate() {
        let kind = place + 1;
        let numbered = |symbol: &str| {
            if blocks.kinds.len() == 1 { symbol.to_owned() } else { format!("{symbol}_{kind}") }
        };
        let words = if block.has_experts() { "layers with experts" } else { "layers of one GPU" };
        let count = sheet.term(numbered("layers"), *count, Unit::Layers, words);
        let meaning = "one layer";
        let figure = format!("time.{phase}.compute.{name}.{kind}");
        let one = sheet.part(numbered("layer"), times[pass], Unit::Seconds, meaning, figure);
        sum.push(count * one);
    }
    for (symbol, times, words) in [
        ("head", blocks.head, "LM head and loss"),
        ("adapters", blocks.adapters, "adapters, unpacking of a 4-bit base"),
        ("images", blocks.tower, "vision tower and projector, over the images of a micro-batch"),
    ] {
        if times[pass] > 0.0 {
            sum.push(sheet.term(symbol, times[pass], Unit::Seconds, words));
        }
    }
    Expression::sum(sum)
}

fn parts(
    source: &Source<'_>,
    sheet: &mut Sheet,
    turn: &Turn<'_>,
    blocks: &OpenedStage,
    kind: &str,
    pass: usize,
) -> Option<Expression> {
    let place: usize = kind.parse().ok()?;
    let (block, ..) = blocks.kinds.get(place.checked_sub(1)?)?;
    let (times, factor) = pieces(source.context, &turn.role, &layout(turn), &turn.batch, *block);
    let mlp = if block.has_experts() { ("experts", "router and experts") } else { ("MLP", "products of the MLP") };
    let mixer = if block.mixer.recurs() {
        ("recurrent", "projections and recurrence")
    } else {
        ("projections", "products before and after attention")
    };
    let named =
        [mixer, ("attention", "scores and weighted sums"), mlp, ("norms", "norms, residuals, rotary positions")];
    let own = named.into_iter().zip(times);
    let all: Vec<Expression> = own
        .filter(|(_, times)| times[pass] > 0.0)
        .map(|((symbol, words), times)| sheet.term(symbol, times[pass], Unit::Seconds, words))
        .collect();
    let meaning = "everything else on the GPU's time line, by framework";
    Some(sheet.scaled(Expression::sum(all), "compute", factor, meaning))
}
