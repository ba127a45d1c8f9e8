//! Intervals around figures, and the most that fits.

use super::super::errors::{group_of_runs, half_width};
use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::{Source, in_phase};
use shardwise_engine::coverage::COVERED_SHARE;
use shardwise_engine::fit;
use shardwise_engine::rl::workings as rl;
use shardwise_engine::step;
use shardwise_question::wire::Answer;

/// The figures of intervals and limits that an answer has.
pub(super) fn figures(answer: &Answer) -> Vec<String> {
    let mut all = Vec::new();
    if answer.interval.is_some() {
        let mut both = |kind: &str| {
            all.extend(["low", "high"].map(|side| format!("interval.{kind}.{side}")));
        };
        both("tokens_per_s_per_gpu");
        if answer.usd_per_mtok.is_some() {
            both("usd_per_mtok");
        }
        both("peak_gib");
    }
    for limit in &answer.memory.limits {
        let kind = kind_of(limit.offload);
        if limit.gpu_memory_utilization.is_some() {
            all.push(format!("limits.{kind}.gpu_memory_utilization"));
        }
        let budgets = limit.max_tokens_per_gpu.iter();
        let own = budgets.filter(|own| own.tokens.is_some());
        all.extend(own.map(|own| format!("limits.{kind}.{}", own.phase)));
    }
    all
}

fn kind_of(offload: bool) -> &'static str {
    if offload { "offload" } else { "resident" }
}

/// One end of an interval.
pub(super) fn interval(source: &Source<'_>, figure: &str, kind: &str, side: &str) -> Option<Explanation> {
    let answer = source.answer();
    answer.interval?;
    if kind == "peak_gib" {
        return peak(source, figure, side);
    }
    let half = half_width(source.found);
    let mut sheet = Sheet::new();
    let (own, unit, of, symbol, title) = match kind {
        "tokens_per_s_per_gpu" => (
            answer.tokens_per_s_per_gpu,
            Unit::TokensPerS,
            "tokens_per_s_per_gpu",
            "throughput",
            "Interval of the throughput",
        ),
        "usd_per_mtok" => (answer.usd_per_mtok?, Unit::Usd, "usd_per_mtok", "$/MT", "Interval of the cost"),
        _ => return None,
    };
    let meaning = "the estimate";
    let own = sheet.part("estimate", own, unit, meaning, of);
    let factor = sheet.term(
        "e^w",
        libm::exp(half),
        Unit::One,
        "by how much eight in ten runs of left-out sources are off at most",
    );
    let expression = match side {
        "low" => own / factor,
        "high" => own * factor,
        _ => return None,
    };
    sheet.note(group_of_runs(source.found, false));
    let side = match side {
        "low" => "lower end",
        _ => "upper end",
    };
    let title = in_phase(title, side);
    Some(sheet.finish(figure, "interval", &title, symbol, expression, unit))
}

/// One end of the interval around the peak of what allocators hand out.
fn peak(source: &Source<'_>, figure: &str, side: &str) -> Option<Explanation> {
    let plan = &source.found.plan;
    let step = step::evaluate(source.context, plan);
    let (certain, estimated, spread) = fit::peak(source.context, plan, &step);
    let (probability, side) = match side {
        "low" => (0.5 * (1.0 - COVERED_SHARE), "lower end"),
        "high" => (0.5 * (1.0 + COVERED_SHARE), "upper end"),
        _ => return None,
    };
    let mut sheet = Sheet::new();
    let gib = Unit::Gib.of_answer();
    let own = sheet.term("estimated", estimated * gib, Unit::Gib, "what is estimated of the peak");
    let factor = sheet.term(
        "e^(m + tσ)",
        spread.factor(probability),
        Unit::One,
        "by how much one in ten runs of left-out sources is further off, on this side",
    );
    let mut expression = own * factor;
    if certain > 0.0 {
        let meaning = "what is as large as the plan says";
        expression = expression + sheet.term("certain", certain * gib, Unit::Gib, meaning);
    }
    sheet.note(group_of_runs(source.found, true));
    let title = "Interval of the peak memory";
    let title = in_phase(title, side);
    Some(sheet.finish(figure, "fits", &title, "peak", expression, Unit::Gib))
}

/// The engine's largest share of the card, or a phase's largest token budget.
pub(super) fn limit(source: &Source<'_>, figure: &str, kind: &str, name: &str) -> Option<Explanation> {
    let offload = match kind {
        "resident" => false,
        "offload" => true,
        _ => return None,
    };
    let own = source.found.job.workload.rl.as_ref()?;
    let generating = source.generation()?;
    let terms = rl::limit(source.context, &source.found.plan, own, &generating.room, offload);
    let mut sheet = Sheet::new();
    sheet.note(if offload {
        "States wait in host memory between their phases."
    } else {
        "States stay on the card between their phases."
    });
    if name == "gpu_memory_utilization" {
        let limits = &source.answer().memory.limits;
        let shown = limits.iter().find(|limit| limit.offload == offload)?;
        shown.gpu_memory_utilization?;
        let (outside, _) = terms.engine?;
        let gib = Unit::Gib.of_answer();
        let meaning = "what training leaves on the card, and the CUDA context";
        let outside = sheet.term("outside", outside * gib, Unit::Gib, meaning);
        let card = card(source, &mut sheet);
        let share = (card.clone() - outside) / card;
        let twentieth = (share * 20.0).floor() / 20.0;
        let most = rl::most(source.found.job.workload.rl.as_ref()?);
        let expression = twentieth.min(Expression::Number(most));
        let title = "Largest gpu_memory_utilization";
        let symbol = "gpu_memory_utilization";
        return Some(sheet.finish(figure, "limits", title, symbol, expression, Unit::One));
    }
    budget(source, figure, name, &terms, sheet)
}

/// What the card holds, as a term.
fn card(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let own = source.found.job.hardware.memory_gib * Unit::Gib.of_answer();
    sheet.term("card", own, Unit::Gib, "memory of the card")
}

/// A phase's largest token budget: between one that fits and the next, as far as the card reaches.
fn budget(
    source: &Source<'_>,
    figure: &str,
    name: &str,
    terms: &rl::LimitTerms,
    mut sheet: Sheet,
) -> Option<Explanation> {
    let gib = Unit::Gib.of_answer();
    let (phase, budgets) = terms.phases.iter().find(|(own, _)| own.name() == name)?;
    let capacity = source.found.job.hardware.memory_gib - terms.kept;
    let [less, more] = budgets.around(capacity)?;
    let least = sheet.term(
        "longest",
        budgets.points.first()?.0 as f64,
        Unit::Tokens,
        "tokens of the longest sequence on one GPU",
    );
    let own = sheet.term("less", less.0 as f64, Unit::Tokens, "a budget that fits");
    let expression = if more.1 > less.1 {
        let meaning = "the next, which does not";
        let next = sheet.term("more", more.0 as f64, Unit::Tokens, meaning);
        let low = "what suffices for the one, as surely as asked";
        let high = "what suffices for the other";
        let low = sheet.term("low", less.1 * gib, Unit::Gib, low);
        let high = sheet.term("high", more.1 * gib, Unit::Gib, high);
        let card = card(source, &mut sheet);
        let card = if terms.kept > 0.0 {
            let kept = "what the engine keeps";
            card - sheet.term("engine", terms.kept * gib, Unit::Gib, kept)
        } else {
            card
        };
        let room = (card - low.clone()) / (high - low);
        own.clone() + (next - own) * room
    } else {
        own
    };
    let kilotokens = (expression / 1024.0).floor() * 1024.0;
    let expression = kilotokens.max(least);
    let title = "Largest token budget";
    let title = in_phase(title, words::phase(phase.name()));
    let symbol = "max_tokens_per_gpu";
    Some(sheet.finish(figure, "limits", &title, symbol, expression, Unit::Tokens))
}
