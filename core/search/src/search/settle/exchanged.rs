//! Plans that are several steps away where none comes nearer to fitting: on one card training and its engine make room for each other.

use super::super::candidate::Candidate;
use super::super::choices;
use super::Settling;
use crate::neighbours::{Dimension, checked};
use shardwise_question::complete::complete_rollout;
use shardwise_question::plan::{Plan, RolloutPlan};
use shardwise_question::wire::Schedule;

/// Shares of the card that steps lead to from the least of those that are looked for.
const SMALLER: [f64; 3] = [0.3, 0.25, 0.2];

impl Settling<'_> {
    /// The plan that is nearest to fitting of those with something else in host memory and another engine at once: what comes back
    /// from there takes the engine's room, so that neither is nearer without the other.
    pub(super) fn exchanged(&self, from: &Candidate) -> Option<Candidate> {
        let job = self.context.job;
        let engine = from.plan.rollout?;
        let shared = job.workload.rl.as_ref().is_some_and(|rl| rl.schedule == Schedule::Colocated);
        if !shared || self.work.is_over() {
            return None;
        }
        let moved = [Dimension::Offload, Dimension::OptimizerOffloadFraction];
        let steps = self.steps(&from.plan);
        let moves = |(dimension, plan): &(Dimension, Plan)| {
            (moved.contains(dimension) && !self.stated.contains(dimension)).then_some(*plan)
        };
        let engines = self.other_engines(&engine);
        let mut best = *from;
        for plan in steps.iter().filter_map(moves).chain([from.plan]) {
            for engine in &engines {
                let to = checked(job, &plan, &Plan { rollout: Some(*engine), ..plan });
                if let Some(to) = to.filter(|to| *to != from.plan) {
                    self.approached(&to, &mut best);
                }
            }
        }
        (best.plan != from.plan).then_some(best)
    }

    /// An engine split otherwise, with every share of the card.
    fn other_engines(&self, engine: &RolloutPlan) -> Vec<RolloutPlan> {
        let job = self.context.job;
        let (mut shares, splits) = choices::rollouts(job, self.spec);
        if shares.len() > 1 {
            shares.extend(SMALLER);
        }
        let mut found = Vec::with_capacity(shares.len() * splits.len());
        for split in splits.iter().filter_map(|own| complete_rollout(job, own).ok()) {
            for share in &shares {
                let to = RolloutPlan {
                    tensor_parallel: split.tensor_parallel,
                    data_parallel: split.data_parallel,
                    expert_parallel: split.expert_parallel,
                    gpu_memory_utilization: *share,
                    ..*engine
                };
                if !found.contains(&to) {
                    found.push(to);
                }
            }
        }
        found
    }
}
