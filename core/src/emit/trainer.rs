//! What frameworks on Hugging Face's Trainer share: its own keys, and DeepSpeed's file beside them.

use super::choices::{learning_rate, other_than_fp32};
use super::text::{Section, model_path};
use super::words::{self, count};
use super::{Emission, deepspeed};
use crate::wire::Backend;

/// The model as a file names it that no shell reads, and why.
pub(super) fn model_folder(emission: &Emission) -> (String, &'static str) {
    let (path, reason) = model_path(&emission.job.model);
    (path.trim_matches('"').replace("$HOME/", "./"), reason)
}

/// What a joined batch holds, where a framework counts full sequences and the question short ones.
pub(super) fn joined(emission: &Emission) -> Option<String> {
    let workload = &emission.job.workload;
    let times = workload.sequence_length as f64 / workload.mean_sequence_length.max(1.0);
    workload.joins().then(|| {
        format!(
            "batches count joined sequences of {} tokens, {} of yours each: a step trains as many times more than estimated. Lower the passes for the step of your question.",
            count(workload.sequence_length),
            words::amount(times)
        )
    })
}

/// The optimizer's keys, as DeepSpeed's file has them.
pub(super) fn optimizer(section: &mut Section, emission: &Emission) {
    let same = if emission.plan.layout.backend == Backend::Deepspeed {
        ", as in ds_config.json"
    } else {
        ""
    };
    // A plain `1e-4` is a word in YAML 1.1.
    let rate = format!("{:.1e}", learning_rate(&emission.job.workload));
    section.set(
        "learning_rate",
        rate,
        format!("a start; yours to tune{same}"),
    );
    section.set(
        "adam_beta2",
        "0.95",
        format!("usual for language models{same}"),
    );
    section.set("weight_decay", "0.0", format!("yours to tune{same}"));
    section.set(
        "max_grad_norm",
        "1.0",
        format!("gradients are clipped{same}"),
    );
}

/// How long to train: steps where the question counts tokens, else what `otherwise` says.
pub(super) fn steps(emission: &Emission) -> Option<(u64, String)> {
    let workload = &emission.job.workload;
    let length = if workload.joins() {
        workload.sequence_length as f64
    } else {
        workload.mean_sequence_length
    };
    let step = workload.global_batch as f64 * length;
    let tokens = workload.tokens?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and a float converts to the nearest that there is"
    )]
    let steps = (tokens / step.max(1.0)).ceil().max(1.0) as u64;
    Some((
        steps,
        format!(
            "{} tokens a step, from your question",
            count(step.round() as u64)
        ),
    ))
}

/// Where every such framework does otherwise than the estimate assumes.
pub(super) fn warnings(emission: &Emission, name: &str) -> Vec<String> {
    let layout = &emission.plan.layout;
    let mut out = Vec::from_iter(joined(emission));
    out.extend(other_than_fp32(layout, name));
    out
}

/// `DeepSpeed`'s file, where the plan is for it.
pub(super) fn beside(emission: &Emission) -> Option<super::Snippet> {
    (emission.plan.layout.backend == Backend::Deepspeed).then(|| deepspeed::file(emission))
}
