//! Intervals around figures, and the most that fits.

use super::super::errors::{group_of_runs, half_widths};
use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::super::words;
use super::{Source, in_phase};
use crate::rl::workings as rl;
use crate::wire::Answer;

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
pub(super) fn interval(
    source: &Source<'_>,
    figure: &str,
    kind: &str,
    side: &str,
) -> Option<Explanation> {
    let answer = source.answer();
    answer.interval?;
    let (speed, peak) = half_widths(source.found);
    let mut sheet = Sheet::new(source.language);
    let language = source.language;
    let (half, own, unit, of, symbol, title) = match kind {
        "tokens_per_s_per_gpu" => (
            speed,
            answer.tokens_per_s_per_gpu,
            Unit::TokensPerS,
            "tokens_per_s_per_gpu",
            "throughput",
            ("Interval of the throughput", "吞吐量区间"),
        ),
        "usd_per_mtok" => (
            speed,
            answer.usd_per_mtok?,
            Unit::Usd,
            "usd_per_mtok",
            "$/MT",
            ("Interval of the cost", "成本区间"),
        ),
        "peak_gib" => (
            peak,
            answer.memory.peak_gib * Unit::Gib.of_answer(),
            Unit::Gib,
            "memory.peak",
            "peak",
            ("Interval of the peak memory", "内存峰值区间"),
        ),
        _ => return None,
    };
    let meaning = language.pick("the estimate", "预测值");
    let own = sheet.part("estimate", own, unit, meaning, of);
    let factor = sheet.term(
        "e^w",
        libm::exp(half),
        Unit::One,
        (
            "by how much eight in ten runs of left-out sources are off at most",
            "排除自身来源后，八成运行的误差不超过此倍数",
        ),
    );
    let expression = match side {
        "low" => own / factor,
        "high" => own * factor,
        _ => return None,
    };
    let (en, zh) = group_of_runs(source.found, kind == "peak_gib");
    sheet.note(en, zh);
    let side = match side {
        "low" => ("lower end", "下限"),
        _ => ("upper end", "上限"),
    };
    let title = in_phase(source, title, side);
    Some(sheet.finish(figure, "interval", title, symbol, expression, unit))
}

/// The engine's largest share of the card, or a phase's largest token budget.
pub(super) fn limit(
    source: &Source<'_>,
    figure: &str,
    kind: &str,
    name: &str,
) -> Option<Explanation> {
    let offload = match kind {
        "resident" => false,
        "offload" => true,
        _ => return None,
    };
    let own = source.found.job.workload.rl.as_ref()?;
    let generating = source.generation()?;
    let terms = rl::limit(
        source.context,
        &source.found.plan,
        own,
        &generating,
        offload,
    );
    let gib = Unit::Gib.of_answer();
    let mut sheet = Sheet::new(source.language);
    let card = |sheet: &mut Sheet| {
        let own = source.found.job.hardware.memory_gib * gib;
        sheet.term("card", own, Unit::Gib, ("memory of the card", "单卡内存"))
    };
    let states = if offload {
        (
            "States wait in host memory between their phases.",
            "状态在各阶段之间放在主机内存。",
        )
    } else {
        (
            "States stay on the card between their phases.",
            "状态在各阶段之间留在卡上。",
        )
    };
    sheet.note(states.0.to_owned(), states.1.to_owned());
    if name == "gpu_memory_utilization" {
        let limits = &source.answer().memory.limits;
        let shown = limits.iter().find(|limit| limit.offload == offload)?;
        shown.gpu_memory_utilization?;
        let (outside, _) = terms.engine?;
        let meaning = (
            "what training leaves on the card, and the CUDA context",
            "训练留在卡上的部分与 CUDA 上下文",
        );
        let outside = sheet.term("outside", outside * gib, Unit::Gib, meaning);
        let card = card(&mut sheet);
        let share = (card.clone() - outside) / card;
        let twentieth = (share * 20.0).floor() / 20.0;
        let expression = twentieth.min(Expression::Number(rl::MOST));
        let title = (
            "Largest gpu_memory_utilization",
            "gpu_memory_utilization 的最大值",
        );
        let title = source.language.word(title).to_owned();
        let symbol = "gpu_memory_utilization";
        return Some(sheet.finish(figure, "limits", title, symbol, expression, Unit::One));
    }
    let (phase, budgets) = terms.phases.iter().find(|(own, _)| *own == name)?;
    let capacity = source.found.job.hardware.memory_gib - terms.kept;
    if budgets.low > capacity {
        return None;
    }
    let least = sheet.term(
        "longest",
        budgets.least as f64,
        Unit::Tokens,
        (
            "tokens of the longest sequence on one GPU",
            "最长序列在单个 GPU 上的 token 数",
        ),
    );
    let most = sheet.term(
        "all",
        budgets.most as f64,
        Unit::Tokens,
        (
            "tokens of a rank's whole batch on one GPU",
            "一个 rank 整批在单个 GPU 上的 token 数",
        ),
    );
    let expression = if budgets.high > capacity {
        let low = ("memory with the longest sequence", "只放最长序列时的内存");
        let high = ("memory with the whole batch", "放整批时的内存");
        let low = sheet.term("low", budgets.low * gib, Unit::Gib, low);
        let high = sheet.term("high", budgets.high * gib, Unit::Gib, high);
        let card = card(&mut sheet);
        let card = if terms.kept > 0.0 {
            let kept = ("what the engine keeps", "推理引擎保留的部分");
            card - sheet.term("engine", terms.kept * gib, Unit::Gib, kept)
        } else {
            card
        };
        let room = (card - low.clone()) / (high - low);
        least.clone() + (most - least.clone()) * room
    } else {
        most
    };
    let kilotokens = (expression / 1024.0).floor() * 1024.0;
    let expression = kilotokens.max(least);
    let title = ("Largest token budget", "最大 token 预算");
    let title = in_phase(source, title, words::phase(phase));
    let symbol = "max_tokens_per_gpu";
    Some(sheet.finish(figure, "limits", title, symbol, expression, Unit::Tokens))
}
