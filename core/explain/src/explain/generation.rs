//! The parts of a generation phase, and of the weights' way to the engine.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::time::{calibration, cautious, method};
use super::{Source, in_phase};
use shardwise_catalog::units::grouped;
use shardwise_engine::coverage;
use shardwise_engine::rl::workings as rl;
use shardwise_engine::rollout::workings::{Workings, generation};
use shardwise_search::estimate::Evaluated;

/// What may be opened of prompts and responses.
const OPENED: [&str; 3] = ["time.rollout.prefill.once", "time.rollout.decode.step", "time.rollout.decode.tail"];

/// The figures of this part beside those of the time's parts.
pub(super) fn figures(found: &Evaluated) -> Vec<String> {
    let has = |name: &str| {
        let phases = &found.answer.time.phases;
        let own = phases.iter().find(|phase| phase.name == "rollout");
        own.is_some_and(|own| {
            let parts = own.parts.entries();
            parts.iter().any(|(part, s)| *part == name && *s > 0.0)
        })
    };
    let opened = |id: &&str| id.split('.').nth(2).is_some_and(has);
    OPENED.into_iter().filter(opened).map(str::to_owned).collect()
}

fn seconds(sheet: &mut Sheet, symbol: impl Into<String>, s: f64, en: &'static str, zh: &'static str) -> Expression {
    sheet.term(symbol.into(), s, Unit::Seconds, (en, zh))
}

/// Prompts or responses of a generation phase, or what is opened of them.
pub(super) fn of_time(source: &Source<'_>, figure: &str, part: &str, rest: &[&str]) -> Option<Explanation> {
    let engine = source.found.plan.rollout.as_ref()?;
    let phases = &source.answer().time.phases;
    phases.iter().find(|phase| phase.name == "rollout")?;
    let (requests, times) = source.requests()?;
    let own = generation(source.context, engine, source.generating_gpus(), &requests);
    let mut sheet = Sheet::new(source.language);
    let (expression, part, symbol) = match (part, rest) {
        ("prefill", []) => {
            let once = prompts(source, &mut sheet, &own);
            (phase(source, &mut sheet, once, times), "prefill", "prefill")
        }
        ("prefill", ["once"]) => (prompt_parts(&mut sheet, &own), "prefill", "t_prompts"),
        ("decode", []) => {
            let once = responses(source, &mut sheet, &own, engine.speculative_speedup);
            (phase(source, &mut sheet, once, times), "decode", "decode")
        }
        ("decode", ["step"]) => (step_parts(&mut sheet, &own), "decode", "t_step"),
        ("decode", ["tail"]) => (tail(&mut sheet, &own), "decode", "tail"),
        _ => return None,
    };
    let method = match rest {
        ["tail"] => "length-tail",
        ["step"] => "engine-step",
        _ => method(part),
    };
    let what = match rest {
        ["tail"] => ("The last batch", "最后一批"),
        ["step"] => ("One engine step", "引擎单步"),
        ["once"] => ("Prompts of one batch", "一批提示词"),
        _ => words::time(part),
    };
    let title = in_phase(source, what, words::phase("rollout"));
    Some(sheet.finish(figure, method, title, symbol, expression, Unit::Seconds))
}

/// `once`, as often as a step generates.
fn phase(source: &Source<'_>, sheet: &mut Sheet, once: Expression, times: f64) -> Expression {
    let meaning = ("batches of a step over those that share a tail", "每步的批次数与共用长尾的批次数之比");
    let all = sheet.scaled(once, "batches", times, meaning);
    let engine = source.found.plan.rollout.as_ref();
    let caution = engine.map_or(1.0, coverage::engine_caution);
    let all = cautious(sheet, caution, all);
    calibration(source, sheet, all)
}

/// Over what engines on this architecture reach.
fn at_speed(sheet: &mut Sheet, all: Expression, own: &Workings) -> Expression {
    if own.speed == 1.0 {
        return all;
    }
    let meaning = ("speed of engines on this architecture, relative to the fit's others", "该架构上推理引擎的相对速度");
    all / sheet.term("speed", own.speed, Unit::One, meaning)
}

fn prompts(source: &Source<'_>, sheet: &mut Sheet, own: &Workings) -> Expression {
    let meaning = source
        .language
        .pick("prompts of the busiest engine, one batch", "最忙引擎一批提示词的时间");
    let seconds = own.prompts.1.total().get();
    let figure = "time.rollout.prefill.once";
    let once = sheet.part("t_prompts", seconds, Unit::Seconds, meaning, figure);
    at_speed(sheet, once, own)
}

fn prompt_parts(sheet: &mut Sheet, own: &Workings) -> Expression {
    let (tokens, parts) = &own.prompts;
    let tokens = grouped(tokens.round() as u64);
    sheet.note(
        format!("The busiest engine has {tokens} prompt tokens in a batch; a prompt's responses share it."),
        format!("最忙的引擎每批有 {tokens} 个提示词 token；同一提示词的回答共用。"),
    );
    let all = [
        ("products", parts.products, "matrix products", "矩阵乘"),
        ("attention", parts.attention, "attention", "注意力"),
        ("TP", parts.collectives, "tensor-parallel all-reduces", "张量并行 all-reduce"),
        ("EP", parts.exchange, "tokens to their experts and back", "token 到专家的往返"),
        ("steps", parts.floors, "what an engine step takes beside", "引擎单步的固定时间"),
    ];
    sum(sheet, &all.map(|(symbol, s, en, zh)| (symbol, s.get(), en, zh)))
}

type Named = (&'static str, f64, &'static str, &'static str);

fn sum(sheet: &mut Sheet, all: &[Named]) -> Expression {
    let own = all.iter().filter(|(_, s, ..)| *s > 0.0);
    let terms: Vec<Expression> = own.map(|(symbol, s, en, zh)| seconds(sheet, *symbol, *s, en, zh)).collect();
    Expression::sum(terms)
}

fn responses(source: &Source<'_>, sheet: &mut Sheet, own: &Workings, speedup: f64) -> Expression {
    let language = source.language;
    let (steps, step) = &own.full;
    let mut all = Vec::new();
    if *steps > 0.0 {
        let meaning = ("steps while requests wait", "尚有请求等待时的步数");
        let steps = sheet.term("steps", *steps, Unit::One, meaning);
        let meaning = language.pick("one full step", "满批时的单步");
        let one = step.total().get();
        let figure = "time.rollout.decode.step";
        all.push(steps * sheet.part("t_step", one, Unit::Seconds, meaning, figure));
    }
    let last: f64 = own.tail.iter().map(|(steps, one)| steps * one).sum();
    let meaning = language
        .pick("the last batch, which shrinks until its longest response ends", "最后一批，逐渐缩小直到最长的回答结束");
    let figure = "time.rollout.decode.tail";
    all.push(sheet.part("tail", last, Unit::Seconds, meaning, figure));
    let mut all = Expression::sum(all);
    if speedup != 1.0 {
        let meaning = ("speed-up of speculative decoding", "投机解码的加速比");
        all = all / sheet.term("speculation", speedup, Unit::One, meaning);
    }
    let (tokens, again) = own.again;
    if again > 0.0 {
        let tokens = grouped(tokens.round() as u64);
        sheet.note(
            format!("The cache has no room for all sequences: {tokens} tokens are computed again."),
            format!("缓存放不下全部序列：{tokens} 个 token 需重新计算。"),
        );
        let meaning = "sequences that gave up their cache, again";
        all = all + seconds(sheet, "again", again, meaning, "让出缓存的序列重新计算");
    }
    let at_once = grouped(own.concurrency.round() as u64);
    let requests = grouped(own.per_engine.round() as u64);
    sheet.note(
        format!("The busiest engine decodes {at_once} of its {requests} requests at once."),
        format!("最忙的引擎有 {requests} 个请求，同时解码 {at_once} 个。"),
    );
    at_speed(sheet, all, own)
}

fn step_parts(sheet: &mut Sheet, own: &Workings) -> Expression {
    let step = &own.full.1;
    let all = [
        ("products", step.products, "arithmetic of the products", "矩阵乘的运算"),
        ("weights", step.weights, "reading the weights", "读取权重"),
        ("attention", step.attention, "reading keys and values, or multiplying with them", "读取键值，或与之相乘"),
        ("TP", step.collectives, "tensor-parallel all-reduces", "张量并行 all-reduce"),
        ("EP", step.exchange, "tokens to their experts and back", "token 到专家的往返"),
        ("fixed", step.floors, "kernels' floors, scheduling, sampling", "算子下限、调度与采样"),
    ];
    let busy = sum(sheet, &all.map(|(symbol, s, en, zh)| (symbol, s.get(), en, zh)));
    if step.launching.get() <= 0.0 {
        return busy;
    }
    let meaning = "the host's launches without CUDA graphs";
    let launching = step.launching.get();
    busy.max(seconds(sheet, "launches", launching, meaning, "无 CUDA graph 时主机的启动时间"))
}

/// Each stretch of the last batch: its steps times one of them.
fn tail(sheet: &mut Sheet, own: &Workings) -> Expression {
    let stretches: Vec<Expression> = own
        .tail
        .iter()
        .enumerate()
        .map(|(place, (steps, one))| {
            let number = place + 1;
            let meaning = ("steps until more responses end", "到更多回答结束前的步数");
            let steps = sheet.term(format!("steps_{number}"), *steps, Unit::One, meaning);
            let meaning = "one step of what is left";
            steps * seconds(sheet, format!("t_{number}"), *one, meaning, "剩余批次的单步")
        })
        .collect();
    Expression::sum(stretches)
}

/// The weights' way to the engine.
pub(super) fn of_sync(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let workload = &source.found.job.workload;
    let (own, engine) = (workload.rl.as_ref()?, source.found.plan.rollout.as_ref()?);
    let mut sheet = Sheet::new(source.language);
    let layout = &source.found.plan.layout;
    let sync = rl::sync(source.context, layout, own, engine);
    let gather = "gathering the weights over the links";
    let gather = seconds(&mut sheet, "gather", sync.gather, gather, "经链路收集权重");
    let copy = "copying them into place";
    let copy = seconds(&mut sheet, "copy", sync.copy, copy, "写入引擎");
    let handed = "handing the weights over tensor by tensor";
    let handed = seconds(&mut sheet, "handed", sync.handed, handed, "逐张量交出权重");
    let slower = (gather + copy).max(handed);
    let expression = if sync.waking > 0.0 {
        let waking = "waking the engine";
        slower + seconds(&mut sheet, "wake", sync.waking, waking, "唤醒推理引擎")
    } else {
        slower
    };
    let part = ("weight_sync", "weight_sync");
    Some(in_step(source, sheet, (figure, "weight-sync"), part, expression))
}

/// What the driver does between the phases.
pub(super) fn of_driver(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    source.found.job.workload.rl.as_ref()?;
    let mut sheet = Sheet::new(source.language);
    let driver = source.context.efficiency.driver_s;
    let meaning = "advantages, metrics and the driver's own work";
    let driver = seconds(&mut sheet, "driver_s", driver, meaning, "优势计算、指标与驱动进程");
    let part = ("driver", "overhead");
    Some(in_step(source, sheet, (figure, "driver"), part, driver))
}

/// A part of a phase that is no pass of a model.
fn in_step(
    source: &Source<'_>,
    mut sheet: Sheet,
    (figure, method): (&str, &'static str),
    (phase, part): (&str, &'static str),
    expression: Expression,
) -> Explanation {
    let expression = calibration(source, &mut sheet, expression);
    let title = in_phase(source, words::time(part), words::phase(phase));
    let symbol = words::symbol(part);
    sheet.finish(figure, method, title, symbol, expression, Unit::Seconds)
}
