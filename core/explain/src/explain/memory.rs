//! The parts of a phase's memory.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::weights::{States, owner};
use super::{Source, in_phase};
use shardwise_catalog::units::Bytes;
use shardwise_catalog::units::fixed;
use shardwise_engine::distilled::logit_bytes;
use shardwise_engine::memory::{KeptBlock, Loss, Moment, Terms, Use, kept_blocks, largest_stage, offloads_gradients};
use shardwise_engine::phase::Phase;
use shardwise_engine::rl::residents;
use shardwise_engine::turn::Turn;
use shardwise_engine::weights::{RankWeights, held, rank_weights, shard_counts};
use shardwise_question::wire::{Backend, MemoryParts};

pub(super) const GIB: f64 = 1_073_741_824.0;

/// A part of a phase as the answer has it, with its name.
pub(super) fn part_of(source: &Source<'_>, phase: &str, part: &str) -> Option<(&'static str, f64)> {
    let phases = &source.answer().memory.phases;
    let own = phases.iter().find(|own| own.name == phase)?;
    let entries = own.parts.entries();
    let found = entries.into_iter().find(|(name, _)| *name == part)?;
    (found.1 > 0.0).then_some(found)
}

pub(super) fn method(part: &str) -> &'static str {
    match part {
        "activations" => "activations",
        "logits" => "logits",
        "kv_cache" => "kv-cache",
        "rollout_weights" => "engine-weights",
        "communication" => "communication-buffers",
        "framework" => "framework-memory",
        _ => "states",
    }
}

/// A part of a phase in which a model trains or is evaluated.
pub(super) fn of_part(source: &Source<'_>, figure: &str, phase: &str, part: &str) -> Option<Explanation> {
    let (part, _) = part_of(source, phase, part)?;
    let own = source.turn(Phase::named(phase)?)?;
    let terms = own.held(source.context);
    let mut sheet = Sheet::new();
    let expression = match part {
        "kv_cache" | "rollout_weights" => kept(&mut sheet, part, &source.kept()),
        "communication" => buffers(source, &mut sheet, &terms),
        "framework" => framework(source, &mut sheet, &own),
        _ => {
            let own_part = own_part(source, &mut sheet, &own, &terms, part);
            let left = left(source, &mut sheet, own.phase, part);
            let sum = Expression::sum(own_part.into_iter().chain(left));
            calibrated(source, &mut sheet, sum)
        }
    };
    let title = in_phase(words::memory(part), words::phase(own.phase.name()));
    let method = match (part, own.role.adapters > 0) {
        ("parameters" | "gradients" | "optimizer", true) => "adapters",
        ("logits", _) if logit_bytes(source.context, &own.role, &own.layout, own.usage).is_some() => "distilled-logits",
        _ => method(part),
    };
    let symbol = words::symbol(part);
    Some(sheet.finish(figure, method, &title, symbol, expression, Unit::Gib))
}

pub(super) fn calibrated(source: &Source<'_>, sheet: &mut Sheet, own: Expression) -> Expression {
    let factor = source.found.job.memory_factor();
    let meaning = "your own run's memory over its estimate";
    sheet.scaled(own, "calibration", factor, meaning)
}

/// What the role at work holds of a part.
fn own_part(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, terms: &Terms, part: &str) -> Option<Expression> {
    let layout = &turn.layout;
    let trains = turn.usage == Use::Train;
    let states = States {
        role: &turn.role,
        rank: terms.rank,
        layout,
        gpus: source.gpus(),
        quantized: source.found.job.workload.quantized_base(),
        owner: None,
    };
    let moment = terms.moment();
    match part {
        "parameters" => {
            let elsewhere = layout.offload.parameters && layout.zero_stage >= 3;
            let own = (!elsewhere).then(|| {
                let own = states.parameters(sheet);
                if trains { states.second_copy(sheet, own) } else { own }
            });
            let gathered = if moment == Moment::Optimizer { None } else { states.gathered(sheet, trains) };
            let all: Vec<Expression> = own.into_iter().chain(gathered).collect();
            (!all.is_empty()).then(|| Expression::sum(all))
        }
        "gradients" if trains && moment == Moment::Loss && !terms.gradients_stay => None,
        "gradients" if trains => {
            let own = (!offloads_gradients(layout, &turn.batch)).then(|| {
                let whole = layout.gradient_bytes * held_gradients(source, turn, terms);
                if layout.optimizer.in_backward && terms.states.gradients.get() < whole {
                    let meaning =
                        "gradients that wait at once: those of the largest block, or of embedding and LM head";
                    return sheet.term("at_once", terms.states.gradients.get(), Unit::Bytes, meaning);
                }
                states.gradients(sheet)
            });
            let all: Vec<Expression> = own.into_iter().chain(waiting(sheet, terms)).collect();
            (!all.is_empty()).then(|| Expression::sum(all))
        }
        "optimizer" if trains && !layout.offload.optimizer => {
            let mut own = states.optimizer(sheet);
            if moment == Moment::Optimizer {
                own = own + states.step(sheet);
            }
            let out = paged_out(source, turn, terms);
            if out <= 0.0 {
                return Some(own);
            }
            let meaning = "moments that left the full card for host memory";
            Some(own - sheet.term("paged", out / source.found.job.memory_factor() * GIB, Unit::Gib, meaning))
        }
        "activations" if moment != Moment::Optimizer => activations(source, sheet, turn, terms),
        "logits" if moment == Moment::Loss => Some(logits(sheet, terms, terms.loss?)),
        _ => None,
    }
}

/// Gradients that wait for others, beside a GPU's share of them.
fn waiting(sheet: &mut Sheet, terms: &Terms) -> Vec<Expression> {
    let moment = terms.moment();
    let mut all = Vec::new();
    if moment == Moment::Backward && terms.outer_gradients.get() > 0.0 {
        let meaning = "the embedding's gradients in 16 bits, which the LM head's wait for";
        all.push(sheet.term("outer", terms.outer_gradients.get(), Unit::Bytes, meaning));
    }
    if moment != Moment::Optimizer && terms.unreduced.get() > 0.0 {
        let meaning = "gradients that wait whole for the last micro-batch, beside a GPU's share of them";
        all.push(sheet.term("unreduced", terms.unreduced.get(), Unit::Bytes, meaning));
    }
    all
}

/// Weights whose gradients a GPU keeps from pass to pass.
fn held_gradients(source: &Source<'_>, turn: &Turn<'_>, terms: &Terms) -> f64 {
    held(&terms.rank.trained(), &turn.layout, shard_counts(&turn.layout, source.gpus()), 2)
}

/// GiB of a paged optimizer's states that are on the card in this phase, in unified memory.
pub(super) fn unified(source: &Source<'_>, turn: &Turn<'_>, terms: &Terms) -> f64 {
    terms.paged.gib() * source.found.job.memory_factor() - paged_out(source, turn, terms)
}

/// GiB of a paged optimizer's states that have left the card in this phase.
fn paged_out(source: &Source<'_>, turn: &Turn<'_>, terms: &Terms) -> f64 {
    if terms.paged.get() <= 0.0 {
        return 0.0;
    }
    let step = if terms.moment() == Moment::Optimizer { terms.step } else { Bytes::ZERO };
    let own = (terms.states.optimizer + step).gib() * source.found.job.memory_factor();
    let whole = own + turn.beside.optimizer;
    let shown = part_of(source, turn.phase.name(), "optimizer").map_or(0.0, |(_, gib)| gib);
    // Less than a rounding has not moved.
    Some(whole - shown).filter(|out| *out > 1e-9 * whole).unwrap_or(0.0)
}

/// Tokens × layers × bytes per token and layer × micro-batches in flight, and the block at work.
fn activations(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, terms: &Terms) -> Option<Expression> {
    let hidden = turn.role.model.shape.hidden_size as f64;
    let tokens = sheet.term("tokens", terms.tokens, Unit::Tokens, "tokens of the largest micro-batch on one GPU");
    let per_token = |bytes: f64| bytes / terms.tokens;
    let mut sum = Vec::new();
    let blocks: Vec<KeptBlock> = match turn.usage {
        Use::Train => {
            let slice = turn.batch.expected.slice;
            kept_blocks(source.context, &turn.role, &turn.layout, (slice, Use::Train), terms.stage).collect()
        }
        Use::Evaluate => Vec::new(),
    };
    let kinds = blocks.len();
    let mut layers = Vec::new();
    for (place, KeptBlock { layers: count, kept: bytes, .. }) in blocks.iter().enumerate() {
        let numbered = |symbol: &str| {
            if kinds == 1 { symbol.to_owned() } else { format!("{symbol}_{}", place + 1) }
        };
        let times = fixed(per_token(*bytes) / hidden, 1);
        sheet.note(format!(
            "A layer keeps {times} × hidden_size bytes of a token; of a plain block, nothing split or recomputed, 32."
        ));
        let count = sheet.term(numbered("layers"), *count, Unit::Layers, "layers of one GPU");
        let bytes = sheet.term(
            numbered("kept"),
            per_token(*bytes),
            Unit::Bytes,
            "bytes that a layer keeps of a token for the backward pass",
        );
        layers.push(count * bytes);
    }
    if !layers.is_empty() {
        let mut kept = tokens.clone() * Expression::sum(layers);
        let flying = "micro-batches in flight";
        let offloaded = "share of them on the card, the rest offloaded";
        kept = sheet.scaled(kept, "in_flight", terms.in_flight, flying);
        sum.push(sheet.scaled(kept, "on_card", terms.on_card, offloaded));
        if terms.between > 0.0 {
            let meaning = "bytes of a token that all layers hold between the two gradients";
            let whole = sheet.term("whole", per_token(terms.whole), Unit::Bytes, meaning);
            let meaning = "micro-batches between their inputs' and their weights' gradients";
            let between = sheet.term("between", terms.between, Unit::One, meaning);
            sum.push(between * tokens.clone() * whole);
        }
    }
    if terms.tower > 0.0 {
        let meaning = "what the images of a micro-batch keep in the vision tower, pixels included";
        let own = sheet.term("images", terms.tower, Unit::Bytes, meaning);
        sum.push(sheet.scaled(own, "in_flight", terms.in_flight + terms.between, "micro-batches in flight"));
    }
    if terms.moment() == Moment::Backward {
        sum.extend(at_work(sheet, terms, tokens));
    }
    Some(Expression::sum(sum))
}

/// The block at work beside what layers keep.
fn at_work(sheet: &mut Sheet, terms: &Terms, tokens: Expression) -> Vec<Expression> {
    let per_token = |bytes: f64| bytes / terms.tokens;
    let mut sum = Vec::new();
    let whole = sheet.term(
        "working",
        per_token(terms.largest_block),
        Unit::Bytes,
        "bytes of a token in the block at work, nothing recomputed",
    );
    let working = tokens.clone() * whole;
    let share = "how much of it stands beside the kept ones";
    sum.push(sheet.scaled(working, "share", terms.at_work, share));
    if terms.weighed > 0.0 {
        let meaning = "bytes of a token where its experts' outputs are weighed in fp32";
        sum.push(tokens * sheet.term("weighed", per_token(terms.weighed), Unit::Bytes, meaning));
    }
    if terms.unpacked.get() > 0.0 {
        let matrix = "a 4-bit matrix, unpacked";
        sum.push(sheet.term("unpacked", terms.unpacked.get(), Unit::Bytes, matrix));
    }
    sum
}

fn logits(sheet: &mut Sheet, terms: &Terms, own: Loss) -> Expression {
    let Loss { logit_bytes: bytes, vocabulary, head_gradient: gradient } = own;
    let weights = terms.rank.head;
    let mut sum = Vec::new();
    if bytes > 0.0 && vocabulary > 0.0 {
        let each = sheet.term("b", bytes, Unit::Bytes, "bytes per logit at the loss's worst moment");
        let tokens = sheet.term("tokens", terms.tokens, Unit::Tokens, "tokens of the largest micro-batch on one GPU");
        let rows = "logits of a token on one GPU";
        sum.push(each * tokens * sheet.term("vocab", vocabulary, Unit::One, rows));
    }
    if gradient > 0.0 && weights > 0.0 {
        let each = "bytes of the LM head's gradient per weight";
        let own = "LM head's weights of one GPU";
        let each = sheet.term("b_head", gradient, Unit::Bytes, each);
        sum.push(each * sheet.term("head", weights, Unit::Parameters, own));
    }
    Expression::sum(sum)
}

/// What the models that are not at work in `phase` keep of a part, each by its formula.
pub(super) fn left(source: &Source<'_>, sheet: &mut Sheet, phase: Phase, part: &str) -> Vec<Expression> {
    let job = &source.found.job;
    if job.workload.generation.is_some() {
        return Vec::new();
    }
    let mut sum = Vec::new();
    for own in residents(source.context, &source.found.plan) {
        let at_work = match own.usage_in(phase) {
            Some(Use::Train) => true,
            Some(Use::Evaluate) => matches!(part, "parameters" | "frozen_weights"),
            None => false,
        };
        if at_work {
            continue;
        }
        let offload = own.offload_in(phase);
        let usage = if own.who.is_frozen() { Use::Evaluate } else { Use::Train };
        let stage = largest_stage(source.context, &own.role, own.layout, usage);
        let rank: RankWeights = rank_weights(&own.role, own.layout, stage);
        let states = States {
            role: &own.role,
            rank,
            layout: own.layout,
            gpus: source.gpus(),
            quantized: job.workload.quantized_base(),
            owner: Some(owner(own.who)),
        };
        sum.extend(match (part, own.who.is_frozen()) {
            ("frozen_weights", true) if !offload.parameters => Some(states.parameters(sheet)),
            ("parameters", false) if !offload.parameters && phase == Phase::Rollout && own.is_read(source.context) => {
                Some(states.adapter_weights(sheet))
            }
            ("parameters", false) if !offload.parameters => Some(states.parameters(sheet)),
            ("gradients", false)
                if !(offload.gradients || offload.parameters || own.layout.backend == Backend::Fsdp) =>
            {
                Some(states.gradients(sheet))
            }
            ("optimizer", false) if !offload.optimizer => Some(states.optimizer(sheet)),
            _ => None,
        });
    }
    sum
}

/// What an engine that keeps its cache holds beside training.
fn kept(sheet: &mut Sheet, part: &'static str, beside: &MemoryParts) -> Expression {
    let gib = match part {
        "kv_cache" => beside.kv_cache,
        _ => beside.rollout_weights,
    };
    let meaning = "what the engine keeps while training";
    let figure = format!("memory.rollout.{part}");
    sheet.part("engine", gib * GIB, Unit::Gib, meaning, figure)
}

fn buffers(source: &Source<'_>, sheet: &mut Sheet, terms: &Terms) -> Expression {
    let each = source.context.efficiency.group_buffer_gib * GIB;
    let each = sheet.term("buffers", each, Unit::Gib, "buffers of a process group");
    each * sheet.term("groups", terms.groups, Unit::One, "process groups of more than one GPU")
}

/// What CUDA takes before anything else.
pub(super) fn cuda(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let own = source.context.efficiency.context_gib * GIB;
    let meaning = "CUDA context and libraries";
    sheet.term("context", own, Unit::Gib, meaning)
}

fn framework(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>) -> Expression {
    let phases = &source.answer().memory.phases;
    let parts = phases
        .iter()
        .find(|own| own.name == turn.phase.name())
        .map_or_else(MemoryParts::default, |own| own.parts);
    let kept = source.kept();
    let others = turn.beside.total() + kept.rollout_weights + kept.kv_cache;
    let unified = unified(source, turn, &turn.held(source.context));
    let allocated = parts.total() - parts.framework - parts.communication - others - unified;
    let efficiency = source.context.efficiency;
    let terms = turn.held(source.context);
    let factor = source.found.job.memory_factor();
    // A frozen base lies where it was loaded.
    let loaded = if turn.role.adapters > 0 { (terms.loaded() - terms.paged).gib() * factor } else { 0.0 };
    let slack = efficiency.allocator_slack * (allocated - loaded);
    let idle = if terms.moment() == Moment::Optimizer { 0.0 } else { terms.idle().gib() * factor };
    let own = cuda(source, sheet);
    let share = sheet.term(
        "slack",
        efficiency.allocator_slack,
        Unit::Percent,
        "what the caching allocator usually holds unused",
    );
    let meaning = if loaded > 0.0 {
        "what training's allocator hands out beside frozen weights and adapters"
    } else {
        "what training's allocator hands out"
    };
    let mut expression = own + share * sheet.term("allocated", (allocated - loaded) * GIB, Unit::Gib, meaning);
    if idle > 0.0 {
        let meaning = "blocks that it keeps of the losses of batches of other lengths";
        expression = expression + sheet.term("idle", idle * GIB, Unit::Gib, meaning);
    }
    if kept.framework > 0.0 {
        let meaning = "what a sleeping engine keeps: CUDA graphs, buffers of its groups, its process";
        expression = expression + sheet.term("asleep", kept.framework * GIB, Unit::Gib, meaning);
    }
    let returned = efficiency.context_gib + slack + idle + kept.framework - parts.framework;
    if returned <= 1e-9 {
        return expression;
    }
    sheet.note(
        format!(
            "The card is full: the allocator returns {} GiB of free blocks, which costs time that the estimate does not know.",
            fixed(returned, 1)
        ),
    );
    let meaning = "free blocks that it returns";
    expression - sheet.term("returned", returned * GIB, Unit::Gib, meaning)
}
