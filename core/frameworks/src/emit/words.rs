//! Questions and estimates in words, for comments.

use shardwise_catalog::units::fixed;
pub(crate) use shardwise_catalog::words::{amount, count, figure, gib, plain, plural, whole};
use shardwise_catalog::words::{product, tenths};
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::task::{Baseline, Preference};
use shardwise_question::wire::{Answer, Fit, FitState, LoraTargets, Precision, Schedule, WorkloadKind};
use shardwise_question::workload::Lora;
use shardwise_search::caveats::factors;

/// What a response's score is held against, as the reason of a framework's estimator.
pub(crate) fn baseline(of: Baseline) -> &'static str {
    match of {
        Baseline::Critic => "PPO: the critic estimates values",
        Baseline::Group => "advantages from the responses of one prompt, no critic",
        Baseline::GroupMean => "advantages from the responses of one prompt; Dr. GRPO divides by no deviation",
        Baseline::Others => "each response against the prompt's others, no critic",
        Baseline::Batch => "each response against the whole batch, no critic",
        Baseline::Greedy => "each response against a greedy one, which is generated besides",
        Baseline::Teacher => "no scores: a teacher's probabilities are the signal; veRL asks for one all the same",
    }
}

/// The question in one line.
pub(super) fn question(job: &Job) -> String {
    let (workload, hardware) = (&job.workload, &job.hardware);
    let algorithm = workload.kind.algorithm();
    let task = match workload.kind {
        WorkloadKind::Pretrain => "Pre-training".to_owned(),
        WorkloadKind::Sft => "Full fine-tuning".to_owned(),
        WorkloadKind::Lora => lora_words("LoRA", workload.lora),
        WorkloadKind::Qlora => lora_words("QLoRA", workload.lora),
        WorkloadKind::Rollout => "Generation".to_owned(),
        kind => kind.name().to_owned(),
    };
    let preferences = workload.kind.preference();
    let adapters = workload
        .lora
        .filter(|_| algorithm.is_some() || preferences.is_some())
        .map(|lora| format!(" with LoRA of rank {}", lora.rank))
        .unwrap_or_default();
    let size = match &workload.rl {
        Some(rl) => format!(
            "{} × {}, {} + {} tokens{}",
            plural(rl.prompts_per_step, "prompt", "prompts"),
            plural(rl.responses_per_prompt, "response", "responses"),
            count(rl.max_prompt_length),
            count(rl.max_response_length),
            match rl.schedule {
                Schedule::Colocated => "",
                Schedule::Split => ", generation and training on GPUs of their own",
                Schedule::OneStepOff => ", generation one step ahead",
                Schedule::FullyAsync => ", fully asynchronous",
            }
        ),
        None => format!(
            "{} of {} tokens a step",
            if preferences.is_some_and(Preference::has_pairs) {
                plural(workload.global_batch, "pair", "pairs")
            } else {
                plural(workload.global_batch, "sequence", "sequences")
            },
            count(workload.sequence_length)
        ),
    };
    let precision = match workload.precision {
        Precision::Bf16 => "",
        Precision::Fp16 => ", fp16",
        Precision::Fp8 => ", fp8",
        Precision::Mxfp8 => ", mxfp8",
        Precision::Nvfp4 => ", nvfp4",
    };
    let teacher = workload.distillation.as_ref().map(|own| match &own.pool {
        Some(pool) => format!(", from {} on {} of its own", own.teacher.name, plural(pool.gpus.into(), "GPU", "GPUs")),
        None => format!(", from {} beside it", own.teacher.name),
    });
    let teacher = teacher.unwrap_or_default();
    format!(
        "{task} of {}{adapters} on {} × {}: {size}{precision}{teacher}",
        job.model.name, hardware.gpus, hardware.name
    )
}

fn lora_words(name: &str, lora: Option<Lora>) -> String {
    match lora {
        Some(Lora { rank, targets: LoraTargets::Attention, .. }) => format!("{name} (rank {rank}, attention)"),
        Some(Lora { rank, targets: LoraTargets::AllLinear, .. }) => format!("{name} (rank {rank})"),
        None => name.to_owned(),
    }
}

/// The estimate in one line.
pub(super) fn estimate(answer: &Answer) -> String {
    let mut line = format!("{} tokens/s per GPU", figure(answer.tokens_per_s_per_gpu));
    if let Some(interval) = &answer.interval {
        let [low, high] = interval.tokens_per_s_per_gpu;
        line += &format!(" ({} %: {} to {})", fixed(interval.coverage * 100.0, 0), figure(low), figure(high));
    }
    line += &needs(&answer.fit);
    if let Some(usd) = answer.usd_per_mtok {
        line += &format!(", US${} per million tokens", figure(usd));
    }
    if let Some(calibration) = &answer.calibration {
        line += &format!(", calibrated with a run of your own ({})", factors(calibration));
    }
    line
}

/// The memory that decides, as the verdict has it: by the estimate, and as surely as asked.
fn needs(fit: &Fit) -> String {
    let (needed, capacity) = (tenths(fit.needed_gib), gib(fit.capacity_gib));
    let (confidence, sure) = (percent(fit.confidence), tenths(fit.needed_at_confidence_gib));
    match fit.phase {
        "engine" => format!(", needs {needed} of {capacity} of the engine's share ({confidence} %: {sure})"),
        "host" => format!(", needs {needed} of {capacity} of host memory a node ({confidence} %: {sure})"),
        _ => format!(", needs {needed} of {capacity} ({confidence} %: {sure})"),
    }
}

/// What a text says of the decision whether its plan fits, in one line; nothing where it is as sure as asked, whatever
/// the responses are.
pub(super) fn decision(answer: &Answer) -> Option<String> {
    let fit = &answer.fit;
    let probability = percent(fit.probability);
    match fit.state {
        FitState::Fits => fit.mean_response_at_most.map(|mean| {
            format!("Note: as sure as asked while the mean response is at most {} tokens.", figure(mean.floor()))
        }),
        FitState::Tight => Some(format!(
            "Warning: tight. It fits with a probability of {probability} %; {} % are asked for.",
            percent(fit.confidence)
        )),
        FitState::Unlikely => {
            Some(format!("Warning: it is unlikely to fit, with a probability of {probability} %. {}", shortfall(fit)))
        }
        FitState::No => Some(format!(
            "Warning: it does not fit, with a probability of {probability} % that it does. {}",
            shortfall(fit)
        )),
    }
}

/// A probability as a whole number of hundredths, never rounded up: what is less than asked for reads as less.
fn percent(probability: f64) -> String {
    let hundredths = (probability.clamp(0.0, 1.0) * 100.0 + 1e-9).floor();
    if probability > 0.0 && hundredths < 1.0 { "< 1".to_owned() } else { fixed(hundredths, 0) }
}

/// By how much the memory falls short, and where.
fn shortfall(fit: &Fit) -> String {
    let (needed, capacity) = (gib(fit.needed_gib), gib(fit.capacity_gib));
    if fit.margin_gib >= 0.0 {
        return format!("{needed} of {capacity} are needed by the estimate, whose error is larger than what is left.");
    }
    let over = gib(-fit.margin_gib);
    match fit.phase {
        "host" => format!("{needed} of {capacity} are needed in the host memory of a node: {over} too much."),
        "engine" => format!("{needed} of {capacity} are needed in the engine's share of a GPU: {over} too much."),
        phase => format!("{needed} of {capacity} are needed on a GPU in {}: {over} too much.", phase.replace('_', " ")),
    }
}

/// `8 GPUs = TP 2 × DP 4`.
pub(crate) fn layout_title(layout: &Layout, gpus: u32) -> String {
    let product = product(&[
        ("TP", layout.tensor_parallel),
        ("PP", layout.pipeline_parallel),
        ("CP", layout.context_parallel),
        ("Ulysses", layout.ulysses_parallel),
        ("DP", layout.data_parallel(gpus)),
    ]);
    let experts =
        if layout.expert_parallel > 1 { format!(", experts EP {}", layout.expert_parallel) } else { String::new() };
    format!("{} = {product}{experts}", plural(gpus.into(), "GPU", "GPUs"))
}
