//! The card's share for generation where the trainer's own model does it.

use super::{Draft, resolve};
use shardwise_engine::context::Context;
use shardwise_engine::rl::engine_room;
use shardwise_question::wire;

/// Shares are stated to a thousandth: a card of 192 GiB has 0.2 GiB in one.
const STEP: f64 = 1000.0;

/// How many times its working memory the share has room for, so that this share, which nobody sets, never decides whether it fits: what
/// is on the card beside it does.
const ROOMY: f64 = 3.0;

const SHARE: &str = "plan.rollout.gpu_memory_utilization";

impl Draft<'_> {
    /// States the share of the card that generation without an engine has: weights, working memory, and keys and values of every
    /// response of a rank at its longest. Where the question cannot be resolved yet nothing is stated.
    pub(super) fn share_of_the_trainer(&mut self) {
        if !self.generates_itself || self.field(SHARE).is_some() {
            return;
        }
        if let Some(share) = self.share_that_holds() {
            let why = "No engine keeps a share of the card: room for one copy of the weights, and for keys and values of all responses at their longest.";
            self.assume(SHARE, share, why);
        }
    }

    fn share_that_holds(&self) -> Option<f64> {
        let question = wire::question_from_value(self.root.clone()).ok()?;
        let (job, plan) = resolve(&question).ok()?;
        let (rl, engine) = (job.workload.rl.as_ref()?, plan.rollout.as_ref()?);
        let context = Context::new(&job);
        let room = engine_room(&context, engine, rl);
        let sequences = engine.max_num_seqs as f64 * room.sequence.gib();
        let needed = room.weights.gib() + room.workspace.gib() * ROOMY + sequences;
        Some(((needed / job.hardware.memory_gib * STEP).ceil() / STEP).clamp(1.0 / STEP, 1.0))
    }
}
