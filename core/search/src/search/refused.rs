//! Why there is no plan.

use shardwise_catalog::error::InputError;
use shardwise_engine::context::Context;
use shardwise_question::complete;
use shardwise_question::job::Job;
use shardwise_question::wire::PlanSpec;

pub(super) fn none_accepted() -> InputError {
    InputError::new("plan", "No legal layout is accepted.")
}

/// Why a framework that splits no sequence has no plan for a batch that is left over.
pub(super) fn uneven(job: &Job, framework: &str) -> InputError {
    let field = if job.workload.rl.is_some() { "workload.rl.prompts_per_step" } else { "workload.global_batch" };
    let (batch, gpus) = (job.workload.global_batch, complete::training_gpus(job));
    let message = format!(
        "{framework} shares a batch by whole sequences, and {batch} of them cannot be shared evenly by {gpus} GPUs. Give a multiple, or change hardware.gpus."
    );
    InputError::new(field, message)
}

/// Why there is no plan: the plan as stated names what is wrong with it, where anything is.
pub(super) fn nothing(context: &Context<'_>, spec: &PlanSpec, refusal: Option<InputError>) -> InputError {
    let stated = complete::complete(context.job, spec).err();
    stated
        .or(refusal)
        .unwrap_or_else(|| InputError::new("plan", "No layout is legal for this model and machine."))
}
