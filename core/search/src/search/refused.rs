//! Why there is no plan.

use shardwise_catalog::error::InputError;
use shardwise_engine::context::Context;
use shardwise_question::complete;
use shardwise_question::wire::PlanSpec;

pub(super) fn none_accepted() -> InputError {
    InputError::new("plan", "No legal layout is accepted.")
}

/// Why there is no plan: the plan as stated names what is wrong with it, where anything is.
pub(super) fn nothing(context: &Context<'_>, spec: &PlanSpec, refusal: Option<InputError>) -> InputError {
    let stated = complete::complete(context.job, spec).err();
    stated
        .or(refusal)
        .unwrap_or_else(|| InputError::new("plan", "No layout is legal for this model and machine."))
}
