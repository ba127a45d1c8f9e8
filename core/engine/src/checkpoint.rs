//! What a checkpoint takes on disk.

use crate::context::{Context, Role};
use crate::weights::saved;
use shardwise_question::plan::Plan;
use shardwise_question::wire::Checkpoint;

/// A checkpoint that training can go on from: what every model that trains holds between steps, once over all GPUs, but for
/// the gradients (Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1: weights, master weights, moments). Adapters are
/// saved without their base (`peft`, `save_pretrained`); Accelerate's FSDP writes a copy of it beside them unless told not to
/// (MakazhanAlpamys/Soup#352), which is not in it. Nothing where nothing trains.
#[must_use]
pub fn of(context: &Context<'_>, plan: &Plan) -> Option<Checkpoint> {
    let workload = &context.job.workload;
    if workload.generation.is_some() {
        return None;
    }
    let (mut weights_bytes, mut optimizer_bytes) = (0.0, 0.0);
    let mut add = |role: &Role<'_>, layout| {
        let states = saved(role, layout);
        weights_bytes += states.parameters.get();
        optimizer_bytes += states.optimizer.get();
    };
    add(&context.actor(), &plan.layout);
    if let Some(critic) = context.critic() {
        add(&critic, plan.critic.as_ref().unwrap_or(&plan.layout));
    }
    // PRIME's reward model, beside the actor (veRL's `prime_ray_trainer.py`, lines 256 to 267).
    if let Some(reward) = context.reward().filter(|_| context.process_reward()) {
        add(&reward, &plan.layout);
    }
    let bytes = weights_bytes + optimizer_bytes;
    let kept = workload.checkpoints;
    Some(Checkpoint { weights_bytes, optimizer_bytes, bytes, kept, storage_bytes: bytes * kept as f64 })
}
