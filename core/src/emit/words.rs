//! Numbers and questions in words, for comments.

use crate::calibration;
use crate::job::Job;
use crate::plan::Layout;
use crate::units::fixed;
pub(super) use crate::units::grouped as count;
use crate::wire::{Answer, Fit, FitState, LoraTargets, Precision, Schedule, WorkloadKind};
use crate::workload::Lora;

/// A text that stays one line of a comment: no control characters, nothing that reorders or hides
/// what is shown, no endless names.
pub(crate) fn plain(text: &str) -> String {
    const LONGEST: usize = 2000;
    let short: String = text.chars().take(LONGEST).collect();
    whole(&short)
}

/// The same, however long it is: an address that is cut leads nowhere.
pub(super) fn whole(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if hidden(c) { ' ' } else { c })
        .collect();
    text.trim().to_owned()
}

/// Whether a character is not seen: a control character, or one that reorders or hides others.
pub(crate) fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// A figure with about three significant digits; `?` where there is none.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        a if !a.is_finite() => "?".to_owned(),
        a if a >= 1e15 => format!("{}e15", fixed(value / 1e15, 2)),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "1000 to 1e15"
        )]
        a if a >= 1000.0 => {
            let scale = 10f64.powi(a.log10().floor() as i32 - 2);
            let rounded = count(((a / scale).round() * scale).round() as u64);
            if value < 0.0 {
                format!("-{rounded}")
            } else {
                rounded
            }
        }
        a if a >= 100.0 => fixed(value, 0),
        a if a >= 10.0 => fixed(value, 1),
        a if a >= 1.0 => fixed(value, 2),
        _ => fixed(value, 3),
    }
}

/// The same, a small whole number without a point.
pub(super) fn amount(value: f64) -> String {
    let whole = value.fract() == 0.0 && (0.0..1000.0).contains(&value);
    if whole {
        fixed(value, 0)
    } else {
        figure(value)
    }
}

/// One digit after the point; `?` where there is no number.
fn tenths(value: f64) -> String {
    if value.is_finite() {
        fixed(value, 1)
    } else {
        "?".to_owned()
    }
}

/// GiB with one digit.
pub(super) fn gib(value: f64) -> String {
    format!("{} GiB", tenths(value))
}

/// `1 GPU`, `8 GPUs`.
pub(crate) fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// `TP 2 × PP 4 × DP 1`, parts of size one left out.
pub(crate) fn product(parts: &[(&str, u32)]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, n)| *n > 1)
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    if parts.is_empty() {
        "one copy".to_owned()
    } else {
        parts.join(" × ")
    }
}

/// The question in one line.
pub(super) fn question(job: &Job) -> String {
    let (workload, hardware) = (&job.workload, &job.hardware);
    let task = match workload.kind {
        WorkloadKind::Pretrain => "Pre-training".to_owned(),
        WorkloadKind::Sft => "Full fine-tuning".to_owned(),
        WorkloadKind::Lora => lora_words("LoRA", workload.lora),
        WorkloadKind::Qlora => lora_words("QLoRA", workload.lora),
        WorkloadKind::Ppo => "PPO".to_owned(),
        WorkloadKind::Grpo => "GRPO".to_owned(),
        WorkloadKind::Dapo => "DAPO".to_owned(),
        WorkloadKind::Rollout => "Generation".to_owned(),
    };
    let adapters = match workload.kind {
        WorkloadKind::Ppo | WorkloadKind::Grpo | WorkloadKind::Dapo => workload
            .lora
            .map(|lora| format!(" with LoRA of rank {}", lora.rank))
            .unwrap_or_default(),
        _ => String::new(),
    };
    let size = match &workload.rl {
        Some(rl) => format!(
            "{} prompts × {}, {} + {} tokens{}",
            count(rl.prompts_per_step),
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
            plural(workload.global_batch, "sequence", "sequences"),
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
    format!(
        "{task} of {}{adapters} on {} × {}: {size}{precision}",
        job.model.name, hardware.gpus, hardware.name
    )
}

fn lora_words(name: &str, lora: Option<Lora>) -> String {
    match lora {
        Some(Lora {
            rank,
            targets: LoraTargets::Attention,
        }) => format!("{name} (rank {rank}, attention)"),
        Some(Lora {
            rank,
            targets: LoraTargets::AllLinear,
        }) => format!("{name} (rank {rank})"),
        None => name.to_owned(),
    }
}

/// The estimate in one line.
pub(super) fn estimate(answer: &Answer) -> String {
    let mut line = format!("{} tokens/s per GPU", figure(answer.tokens_per_s_per_gpu));
    if let Some(interval) = &answer.interval {
        let [low, high] = interval.tokens_per_s_per_gpu;
        line += &format!(
            " ({} %: {} to {})",
            fixed(interval.coverage * 100.0, 0),
            figure(low),
            figure(high)
        );
    }
    line += &format!(
        ", {} of {}",
        tenths(answer.memory.reserved_gib),
        gib(answer.memory.capacity_gib)
    );
    if let Some(usd) = answer.usd_per_mtok {
        line += &format!(", ${} per million tokens", figure(usd));
    }
    if let Some(calibration) = &answer.calibration {
        line += &format!(
            ", calibrated with a run of your own ({})",
            calibration::words(calibration)
        );
    }
    line
}

/// What a text says of the decision whether its plan fits, in one line; nothing where it is as sure as asked, whatever
/// the responses are.
pub(super) fn decision(answer: &Answer) -> Option<String> {
    let fit = &answer.fit;
    let probability = percent(fit.probability);
    match fit.state {
        FitState::Fits => fit.mean_response_at_most.map(|mean| {
            format!(
                "Note: as sure as asked while the mean response is at most {} tokens.",
                figure(mean.floor())
            )
        }),
        FitState::Tight => Some(format!(
            "Warning: tight. It fits with a probability of {probability} %; {} % are asked for.",
            percent(fit.confidence)
        )),
        FitState::Unlikely => Some(format!(
            "Warning: it is unlikely to fit, with a probability of {probability} %. {}",
            shortfall(fit)
        )),
        FitState::No => Some(format!(
            "Warning: it does not fit, with a probability of {probability} % that it does. {}",
            shortfall(fit)
        )),
    }
}

/// A probability as a whole number of hundredths, never rounded up: what is less than asked for reads as less.
fn percent(probability: f64) -> String {
    let hundredths = (probability.clamp(0.0, 1.0) * 100.0 + 1e-9).floor();
    if probability > 0.0 && hundredths < 1.0 {
        "< 1".to_owned()
    } else {
        fixed(hundredths, 0)
    }
}

/// By how much the memory falls short, and where.
fn shortfall(fit: &Fit) -> String {
    let (needed, capacity) = (gib(fit.needed_gib), gib(fit.capacity_gib));
    if fit.margin_gib >= 0.0 {
        return format!(
            "{needed} of {capacity} are needed by the estimate, whose error is larger than what is left."
        );
    }
    let over = gib(-fit.margin_gib);
    match fit.phase {
        "host" => format!(
            "{needed} of {capacity} are needed in the host memory of a node: {over} too much."
        ),
        "engine" => format!(
            "{needed} of {capacity} are needed in the engine's share of a GPU: {over} too much."
        ),
        phase => format!(
            "{needed} of {capacity} are needed on a GPU in {}: {over} too much.",
            phase.replace('_', " ")
        ),
    }
}

/// `8 GPUs = TP 2 × DP 4`.
pub(super) fn layout_title(layout: &Layout, gpus: u32) -> String {
    let product = product(&[
        ("TP", layout.tensor_parallel),
        ("PP", layout.pipeline_parallel),
        ("CP", layout.context_parallel),
        ("Ulysses", layout.ulysses_parallel),
        ("DP", layout.data_parallel(gpus)),
    ]);
    let experts = if layout.expert_parallel > 1 {
        format!(", experts EP {}", layout.expert_parallel)
    } else {
        String::new()
    };
    format!(
        "{} = {product}{experts}",
        plural(gpus.into(), "GPU", "GPUs")
    )
}
