//! `OpenRLHF`: reinforcement learning through Ray, fine-tuning and preferences through `DeepSpeed`'s launcher.

mod fine_tuning;
mod reinforcement;

use super::choices::{half, other_than_fp32, zero_reason};
use super::optimizer::keeps;
use super::text::{Script, Section, head};
use super::words::count;
use super::{Emission, Snippet, Unsupported, choices, kernel};
use shardwise_question::wire::Optimizer;

/// Why the CPUs step.
const STEPS_THERE: &str = "master weights, moments and gradients live in host memory; the step runs there";

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let (file, sections, command) = match (&emission.job.workload.rl, &emission.plan.rollout) {
        (Some(rl), Some(rollout)) => {
            ("run_openrlhf.sh", reinforcement::sections(emission, rl, rollout), reinforcement::COMMAND.to_owned())
        }
        _ => (fine_tuning::file(emission), fine_tuning::sections(emission), fine_tuning::command(emission)),
    };
    let script =
        Script { head: head(emission, &warnings(emission)), setup: Vec::new(), assign: " ", sections, command };
    Ok(vec![script.into_snippet(file)])
}

/// Where `OpenRLHF` does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let layout = &emission.plan.layout;
    let mut out = other_than_fp32(emission, "OpenRLHF");
    let preferences = emission.job.workload.reference && emission.job.workload.lora.is_some();
    if preferences {
        out.push(
            "OpenRLHF loads the reference a second time beside the base of the adapters; the estimate has it once."
                .to_owned(),
        );
    }
    if layout.fused_lm_head {
        out.push("OpenRLHF computes the logits; the plan has none, so it needs more memory than estimated.".to_owned());
    }
    if let Some(rollout) = &emission.plan.rollout {
        out.push(format!(
            "vLLM chooses how many sequences it decodes together; the estimate has {}.",
            count(rollout.max_num_seqs)
        ));
    }
    out.extend(choices::speculative(emission.plan));
    out
}

/// What `DeepSpeed` is told, the same for both programs.
fn deepspeed(emission: &Emission, section: &mut Section) {
    let (job, layout) = (emission.job, &emission.plan.layout);
    section.set("--ds.zero_stage", layout.zero_stage, zero_reason(layout.zero_stage));
    section.set("--ds.param_dtype", half(job.workload.precision), "precision of your question");
    if layout.gradient_bytes >= 4.0 {
        section.set("--ds.grad_accum_dtype", "fp32", "gradients are summed in fp32, as the plan says");
    }
    if layout.overlap.gradients {
        switch(section, "--ds.overlap_comm", "gradients are reduced beside the backward pass");
    }
    if layout.tensor_parallel > 1 {
        section.set("--ds.tensor_parallel_size", layout.tensor_parallel, "GPUs that split each matrix");
    }
    if layout.context_parallel > 1 {
        section.set("--ds.ring_attn_size", layout.context_parallel, "GPUs that split each sequence, by ring attention");
    }
    let (word, reason) = kernel::named(job, layout, "scores never reach memory");
    section.set("--ds.attn_implementation", word, reason);
    if job.workload.packing {
        switch(section, "--ds.packing_samples", "sequences side by side, no padding tokens");
    }
}

/// What steps the weights, where it is not `AdamW`; behind `role`.
fn step_by(emission: &Emission, section: &mut Section, role: &str) {
    let own = emission.plan.layout.optimizer.kind;
    if own == Optimizer::Muon {
        section.set(format!("--{role}optim"), "muon", keeps(own));
        // utils/deepspeed/deepspeed.py: DeepSpeed clips what is orthogonal by now.
        section.set(
            format!("--{role}max_norm"),
            0,
            "gradients are not clipped: Muon's updates have a norm of their own",
        );
    }
}

/// An option without a value.
fn switch(section: &mut Section, key: &str, reason: impl Into<String>) {
    section.set(key, "", reason);
}
