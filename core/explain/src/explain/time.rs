//! The parts of the time of a phase in which a model trains or is evaluated.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::blocks::blocks;
use super::weights::note_optimizer;
use super::{Source, in_phase};
use shardwise_catalog::units::{fixed, grouped};
use shardwise_engine::coverage;
use shardwise_engine::flops;
use shardwise_engine::memory::Use;
use shardwise_engine::phase::Phase;
use shardwise_engine::tower::Tower;
use shardwise_engine::training::{Exchange, Once, Pipeline, Terms, Update};
use shardwise_engine::turn::Turn;
use shardwise_question::complete::splits_backward;
use shardwise_question::job::Timed;
use shardwise_question::wire::{PipelineSchedule, TimeParts};

/// The value of a part with its name.
fn named(parts: &TimeParts, part: &str) -> Option<(&'static str, f64)> {
    let entries = parts.entries();
    let found = entries.into_iter().find(|(name, _)| *name == part)?;
    (found.1 > 0.0).then_some(found)
}

/// A part over all phases.
pub(super) fn over_phases(source: &Source<'_>, figure: &str, part: &str) -> Option<Explanation> {
    let time = &source.answer().time;
    let (part, _) = named(&time.parts, part)?;
    let mut sheet = Sheet::new();
    let mut sum = Vec::new();
    for phase in &time.phases {
        if let Some((_, seconds)) = named(&phase.parts, part) {
            let meaning = words::phase(phase.name);
            let own = format!("time.{}.{part}", phase.name);
            sum.push(sheet.part(phase.name, seconds, Unit::Seconds, meaning, own));
        }
    }
    let title = in_phase(words::time(part), words::phase(""));
    let symbol = words::symbol(part);
    Some(sheet.finish(figure, method(part), &title, symbol, Expression::sum(sum), Unit::Seconds))
}

/// The formula that a part follows from.
pub(super) fn method(part: &str) -> &'static str {
    match part {
        "compute" => "block-time",
        "recompute" => "recomputation",
        "prefill" => "prefill",
        "decode" => "decode",
        "tools" => "tools",
        "tensor_parallel" => "tensor-parallel",
        "context_parallel" => "context-parallel",
        "expert_parallel" => "expert-parallel",
        "pipeline_parallel" => "pipeline-send",
        "bubble" => "bubble",
        "data_parallel" => "data-parallel",
        "optimizer" => "optimizer-step",
        "offload" => "offload",
        "weight_sync" => "weight-sync",
        _ => "host",
    }
}

/// A part of a phase.
pub(super) fn of_part(source: &Source<'_>, figure: &str, phase: &str, part: &str) -> Option<Explanation> {
    let times = &source.answer().time;
    let own = times.phases.iter().find(|own| own.name == phase)?;
    let (part, _) = named(&own.parts, part)?;
    let name = own.name;
    let turn = Phase::named(phase).and_then(|phase| source.turn(phase));
    if let Some(turn) = turn {
        let mut sheet = Sheet::new();
        let expression = terms(source, &mut sheet, &turn, part);
        let stated = stated_reward(source, &mut sheet, name, part);
        let all = Expression::sum(expression.into_iter().chain(stated));
        return Some(finish(sheet, figure, name, part, all));
    }
    // Rewards that a rule gives, and the question times.
    let mut sheet = Sheet::new();
    let expression = stated_reward(source, &mut sheet, name, part)?;
    Some(finish(sheet, figure, name, part, expression))
}

fn finish(sheet: Sheet, figure: &str, phase: &str, part: &'static str, expression: Expression) -> Explanation {
    let title = in_phase(words::time(part), words::phase(phase));
    let (method, symbol) = (method(part), words::symbol(part));
    sheet.finish(figure, method, &title, symbol, expression, Unit::Seconds)
}

fn stated_reward(source: &Source<'_>, sheet: &mut Sheet, phase: &str, part: &str) -> Option<Expression> {
    let rl = source.found.job.workload.rl.as_ref()?;
    let own = phase == "reward" && part == "overhead" && rl.reward_s > 0.0;
    let meaning = "seconds that the question states";
    own.then(|| sheet.term("reward_s", rl.reward_s, Unit::Seconds, meaning))
}

/// What the question's own run changes times by.
pub(super) fn calibration(source: &Source<'_>, sheet: &mut Sheet, of: Timed, own: Expression) -> Expression {
    let meaning = "your own run's time over its estimate";
    sheet.scaled(own, "calibration", source.found.job.time_factor(of), meaning)
}

/// How often the phase comes, times `own`.
fn repeated(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, own: Expression) -> Expression {
    let (symbol, meaning) = match turn.usage {
        Use::Train => ("updates", "optimizer steps"),
        Use::Evaluate if turn.phase == Phase::RewardReference => {
            ("passes", "passes beside updates and rewards, times what RL's forward phases take beside their kernels")
        }
        Use::Evaluate if source.found.job.workload.rl.is_none() => {
            ("passes", "passes: over the responses, and over mismatched ones")
        }
        Use::Evaluate if turn.phase == Phase::Teacher => ("epochs", "passes over the samples"),
        Use::Evaluate => ("rl_forward", "what RL's forward phases take beside their kernels"),
    };
    let own = sheet.scaled(own, symbol, turn.times, meaning);
    let job = &source.found.job;
    let caution = coverage::caution(job, &turn.layout, cautious_tokens(turn));
    let own = cautious(sheet, caution, own);
    calibration(source, sheet, turn.timed(), own)
}

/// Tokens of a micro-batch that caution goes by: those of updates.
fn cautious_tokens(turn: &Turn<'_>) -> f64 {
    match turn.usage {
        Use::Train => turn.batch.mean.tokens,
        Use::Evaluate => 0.0,
    }
}

/// What going beyond the layouts that published runs tried changes times by.
pub(super) fn cautious(sheet: &mut Sheet, caution: f64, own: Expression) -> Expression {
    let meaning = "caution: 5 % for each doubling beyond what published runs of its kind tried";
    sheet.scaled(own, "caution", caution, meaning)
}

fn seconds(sheet: &mut Sheet, symbol: &'static str, s: f64, meaning: &'static str) -> Expression {
    sheet.term(symbol, s, Unit::Seconds, meaning)
}

fn terms(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, part: &'static str) -> Option<Expression> {
    let own = turn.terms(source.context);
    let expression = match part {
        "compute" => {
            reached(source, sheet, turn);
            let opened = blocks(source, turn).is_some();
            compute(sheet, turn.phase.name(), &own, opened)
        }
        "recompute" => {
            let again = seconds(
                sheet,
                "recompute",
                own.recompute.get(),
                "computation done again, slowest stage, one micro-batch",
            );
            micro_batches(sheet, &own) * again
        }
        "tensor_parallel" => {
            let Exchange { all, share } = own.tensor;
            let all = seconds(sheet, "collectives", all.get(), "all-gathers and reduce-scatters of one micro-batch");
            let shown = "share that products do not hide";
            let all = micro_batches(sheet, &own) * all;
            sheet.scaled(all, "shown", share, shown)
        }
        "context_parallel" => exchanges(sheet, &own, own.context),
        "expert_parallel" => exchanges(sheet, &own, own.expert),
        "pipeline_parallel" => {
            let pipeline = own.pipeline?;
            let times = 2.0 * pipeline.chunks * pipeline.exposed;
            let one = seconds(sheet, "send", pipeline.send.get(), "one send between stages");
            let meaning = "sends of a micro-batch that show";
            let times = sheet.term("sends", times, Unit::One, meaning);
            micro_batches(sheet, &own) * times * one
        }
        "bubble" => bubble(sheet, turn, own.pipeline?),
        "data_parallel" => data_parallel(source, sheet, turn, &own),
        "optimizer" => optimizer(source, sheet, turn, &own.once?.update),
        "offload" => return offload(source, sheet, turn, &own),
        "overhead" => return host(source, sheet, turn, &own),
        _ => return None,
    };
    Some(repeated(source, sheet, turn, expression))
}

fn micro_batches(sheet: &mut Sheet, own: &Terms) -> Expression {
    sheet.term("micro_batches", own.micro_batches, Unit::One, "micro-batches of a step on one GPU")
}

fn compute(sheet: &mut Sheet, phase: &str, own: &Terms, opened: bool) -> Expression {
    let times = micro_batches(sheet, own);
    let tokens = grouped(own.tokens.round() as u64);
    sheet.note(format!("A micro-batch has {tokens} tokens on one GPU."));
    let mut pass = |symbol: &'static str, s: f64, words: &'static str| {
        if opened {
            let meaning = words;
            let figure = format!("time.{phase}.compute.{symbol}");
            sheet.part(symbol, s, Unit::Seconds, meaning, figure)
        } else {
            sheet.term(symbol, s, Unit::Seconds, words)
        }
    };
    let forward = pass("forward", own.forward.get(), "kernels of the forward pass, slowest stage, one micro-batch");
    if own.backward.get() <= 0.0 {
        return times * forward;
    }
    let words = "kernels of the backward pass";
    times * (forward + pass("backward", own.backward.get(), words))
}

/// Says what share of the card's peak a phase's computation reaches, where all weights train or none does.
fn reached(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>) {
    let job = &source.found.job;
    let phases = &source.answer().time.phases;
    let own = phases.iter().find(|own| own.name == turn.phase.name());
    let (Some(own), 0) = (own, turn.role.adapters) else {
        return;
    };
    let (passes, times) = match turn.usage {
        Use::Train => (3.0, turn.times),
        Use::Evaluate => (1.0, 1.0),
    };
    let workload = &job.workload;
    let images = Tower::of(source.context, &turn.role).map_or(0.0, |tower| {
        let seen = if turn.usage == Use::Train { tower.training_flops() } else { tower.evaluated_flops() };
        seen.get() / workload.mean_sequence_length
    });
    let each = flops::forward_per_token(turn.role.model, workload.attended_length()).get() * passes + images;
    let tokens = turn.batch.tokens * times / f64::from(source.gpus());
    let peak = job.hardware.peak_tflops(job.workload.precision) * 1e12;
    let share = fixed(100.0 * each * tokens / (own.parts.compute * peak), 0);
    sheet.note(format!("Its operations reach {share} % of the card's peak in that time."));
}

fn exchanges(sheet: &mut Sheet, own: &Terms, exchange: Exchange) -> Expression {
    let all = seconds(
        sheet,
        "exchanges",
        exchange.all.get(),
        "exchanges of both passes over one micro-batch that nothing hides",
    );
    let all = micro_batches(sheet, own) * all;
    let meaning = "the forward pass's share of them";
    sheet.scaled(all, "forward_share", exchange.share, meaning)
}

fn bubble(sheet: &mut Sheet, turn: &Turn<'_>, own: Pipeline) -> Expression {
    let stages = sheet.term("p", turn.layout.pipeline_parallel.into(), Unit::One, "pipeline stages");
    let above = stages - 1.0;
    let stage = seconds(sheet, "t_stage", own.stage.get(), "a stage's passes over one micro-batch");
    if turn.usage == Use::Evaluate {
        return above * stage;
    }
    let waits = if splits_backward(own.schedule) { waits(sheet, own) } else { stage };
    let send = seconds(sheet, "send", own.send.get(), "one send between stages");
    let each = waits + Expression::Number(2.0) * send;
    let chunks = turn.layout.virtual_pipeline;
    if chunks > 1 {
        let meaning = "model chunks of a stage";
        above / sheet.term("v", chunks.into(), Unit::One, meaning) * each
    } else {
        above * each
    }
}

/// What each further stage waits where the weights' gradients fill a part of it: [`Pipeline::waits`].
fn waits(sheet: &mut Sheet, own: Pipeline) -> Expression {
    let forward = seconds(sheet, "t_f", own.forward.get(), "a stage's forward pass over one micro-batch");
    let input =
        seconds(sheet, "t_i", own.input().get(), "its inputs' gradients of one, recomputation and exchanges included");
    let weight = seconds(sheet, "t_w", own.weight.get(), "its weights' gradients of one");
    let beyond = (input.clone() - weight).max(Expression::Number(0.0));
    match own.schedule {
        PipelineSchedule::ZbvZeroBubble => forward.max(input).max(Expression::Number(2.0) * beyond),
        PipelineSchedule::DualPipeV => forward + input + beyond,
        _ => forward + beyond,
    }
}

/// All traffic, less what computation hides.
fn data_parallel(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, own: &Terms) -> Expression {
    // Calibrated and back, so that what shows is rounded as the answer's part is.
    let [all, shown] = [own.traffic.all, own.traffic.shown].map(|time| time.get() * own.factor / own.factor);
    let traffic = seconds(sheet, "traffic", all, "gradients reduced and weights gathered in one step");
    let hidden = all - shown;
    if hidden <= 1e-9 * all {
        return traffic;
    }
    let share = fixed(source.context.framework(&turn.layout).overlap * 100.0, 0);
    sheet.note(format!("At most {share} % of it can hide beside computation in this framework."));
    let meaning = "what computation hides";
    traffic - seconds(sheet, "hidden", hidden, meaning)
}

fn optimizer(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, own: &Update) -> Expression {
    note_optimizer(sheet, &turn.layout);
    let each = turn.layout.optimizer.kind.update_bytes(turn.layout.optimizer_bytes);
    let meaning = "weights that one GPU updates";
    let weights = sheet.term("W", own.weights, Unit::Parameters, meaning);
    let bytes = "bytes read and written per weight";
    let on_card = |sheet: &mut Sheet, weights: Expression| {
        weights * sheet.term("b", each, Unit::Bytes, bytes) / memory_rate(source, sheet)
    };
    if own.on_host > 0.0 {
        let node = f64::from(source.found.job.hardware.gpus_per_node);
        let gpus = "GPUs of a node, which share its CPUs";
        let gpus = sheet.term("gpus_per_node", node, Unit::Gpus, gpus);
        let rate = source.context.efficiency.cpu_adam_parameters_per_s;
        let meaning = "weights that a node's CPUs update per second";
        let rate = sheet.term("cpu_rate", rate, Unit::Parameters, meaning);
        if own.on_host == 1.0 {
            return weights * gpus / rate;
        }
        let away = on_host(sheet, own.on_host);
        let here = on_card(sheet, weights.clone() * (Expression::Number(1.0) - away.clone()));
        return weights * away * gpus / rate + here;
    }
    let streamed = on_card(sheet, weights);
    if own.orthogonal.get() > 0.0 {
        let meaning = "Muon's products, by which each matrix's momentum is made orthogonal";
        return streamed + seconds(sheet, "orthogonal", own.orthogonal.get(), meaning);
    }
    streamed
}

/// The share of the weights that the host's CPUs update.
fn on_host(sheet: &mut Sheet, share: f64) -> Expression {
    let meaning = "share of them that the host's CPUs update";
    sheet.term("on_host", share, Unit::One, meaning)
}

/// What the card's memory streams.
pub(super) fn memory_rate(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let meaning = "what the card's memory streams";
    let rate = source.context.rates.memory.get();
    sheet.term("HBM", rate, Unit::GbPerS, meaning)
}

/// Traffic of what is offloaded: within the optimizer's step or before and after an RL phase, and of activations within
/// each pass.
fn offload(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, own: &Terms) -> Option<Expression> {
    let mut all = Vec::new();
    let context = source.context;
    let moved = turn.moved(context).get();
    if moved > 0.0 {
        let meaning = "states that come to the card for the phase, and go back";
        let host = context.network.host.get();
        let bytes = sheet.term("states", moved * host / turn.crossings(context), Unit::Gib, meaning);
        let own = Expression::Number(turn.crossings(context)) * bytes / host_rate(source, sheet);
        all.push(calibration(source, sheet, turn.timed(), own));
    }
    if let Some(Once { update, copies, .. }) = &own.once {
        if update.on_host > 0.0 {
            let own = update_traffic(source, sheet, turn, update);
            all.push(repeated(source, sheet, turn, own));
        }
        if update.paged.get() > 0.0 {
            let meaning = "moments that the full card had moved to the host, which each step reads and writes";
            let bytes = sheet.term("paged", update.paged.get(), Unit::Gib, meaning);
            let own = Expression::Number(2.0) * bytes / host_rate(source, sheet);
            all.push(repeated(source, sheet, turn, own));
        }
        let copies = copies.get() * own.micro_batches;
        if copies > 0.0 {
            let meaning = "activations on their way to host memory and back, beyond what computation hides";
            let own = seconds(sheet, "copies", copies, meaning);
            all.push(repeated(source, sheet, turn, own));
        }
    }
    (!all.is_empty()).then(|| Expression::sum(all))
}

fn host_rate(source: &Source<'_>, sheet: &mut Sheet) -> Expression {
    let link = "host link per GPU";
    sheet.term("host", source.context.network.host.get(), Unit::GbPerS, link)
}

/// Gradients on their way to the host's optimizer, and weights back.
fn update_traffic(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, own: &Update) -> Expression {
    let layout = &turn.layout;
    let meaning = "weights that one GPU updates";
    let mut weights = sheet.term("W", own.weights, Unit::Parameters, meaning);
    if own.on_host < 1.0 {
        weights = weights * on_host(sheet, own.on_host);
    }
    let bytes = "bytes of a gradient there and a weight back";
    let bytes = sheet.term("b", layout.gradient_bytes + 2.0, Unit::Bytes, bytes);
    let all = weights * bytes / host_rate(source, sheet);
    if own.swap.get() > 0.0 {
        let swap = "states read from the drives and written back";
        return all + seconds(sheet, "swap", own.swap.get(), swap);
    }
    all
}

/// Waiting for the host, and what a step takes beside its kernels.
/// The host's part of a phase: what comes with each pass, and the batch on its way to the workers.
fn host(source: &Source<'_>, sheet: &mut Sheet, turn: &Turn<'_>, own: &Terms) -> Option<Expression> {
    let passes = overhead(source, sheet, own).map(|own| repeated(source, sheet, turn, own));
    let handing = turn.handing(source.context).get();
    let handed = (handing > 0.0).then(|| {
        let own = seconds(sheet, "handed", handing, "handing the padded batch to the workers");
        calibration(source, sheet, turn.timed(), own)
    });
    let all: Vec<Expression> = passes.into_iter().chain(handed).collect();
    (!all.is_empty()).then(|| Expression::sum(all))
}

fn overhead(source: &Source<'_>, sheet: &mut Sheet, own: &Terms) -> Option<Expression> {
    let mut sum = Vec::new();
    if own.wait.get() > 0.0 {
        let wait = seconds(sheet, "wait", own.wait.get(), "the GPU's waiting for the host in one micro-batch");
        sum.push(micro_batches(sheet, own) * wait);
    }
    if let Some(once) = &own.once {
        let fixed = "what an optimizer step takes beside";
        sum.push(seconds(sheet, "step_s", once.step.get(), fixed));
        if source.found.job.workload.rl.is_some() {
            let fixed = "the same of RL trainers alone";
            let own = once.rl_step.get();
            sum.push(seconds(sheet, "rl_step_s", own, fixed));
        }
    }
    (!sum.is_empty()).then(|| Expression::sum(sum))
}
