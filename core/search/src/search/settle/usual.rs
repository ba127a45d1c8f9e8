//! Plans that are several steps away: counted otherwise, and with the values of most recipes.

use super::Settling;
use crate::neighbours::{Dimension, checked};
use shardwise_question::plan::{Layout, MicroBatch, Plan, Recompute, RolloutPlan};
use shardwise_question::wire::Offload;

impl Settling<'_> {
    /// Plans whose passes count sequences where they counted tokens, or the other way round: as many of the longest, or
    /// fewer tokens than that.
    pub(super) fn counted_otherwise(&self, plan: &Plan) -> Vec<Plan> {
        if self.stated.contains(&Dimension::MicroBatch) {
            return Vec::new();
        }
        let job = self.context.job;
        let split = u64::from(plan.layout.sequence_split().max(1));
        let longest = job.workload.sequence_length.div_ceil(split).max(1);
        let sizes = match plan.layout.micro_batch {
            MicroBatch::Tokens(tokens) => vec![MicroBatch::Sequences((tokens / longest).max(1))],
            MicroBatch::Sequences(n) if job.workload.joins() && !job.counts_responses() => {
                let most = longest.saturating_mul(n);
                let fewer = [most, most / 4 * 3, most / 2];
                let fewer = fewer.into_iter().filter(|tokens| *tokens >= longest);
                fewer.map(MicroBatch::Tokens).collect()
            }
            MicroBatch::Sequences(_) => Vec::new(),
        };
        let with = |micro_batch| {
            let mut to = *plan;
            to.layout.micro_batch = micro_batch;
            for role in [&mut to.critic, &mut to.reference].into_iter().flatten() {
                if role.micro_batch == plan.layout.micro_batch {
                    role.micro_batch = micro_batch;
                }
            }
            checked(job, plan, &to)
        };
        sizes.into_iter().filter_map(with).collect()
    }

    /// The plan with usual values, one dimension at a time: what takes several steps.
    pub(super) fn usual(&self, plan: &Plan) -> Vec<Plan> {
        let mut found = Vec::with_capacity(24);
        let open = |dimension: Dimension| !self.stated.contains(&dimension);
        let job = self.context.job;
        let mut layout = |dimension: Dimension, change: &dyn Fn(&mut Layout)| {
            if !open(dimension) {
                return;
            }
            let mut to = *plan;
            change(&mut to.layout);
            for role in [&mut to.critic, &mut to.reference].into_iter().flatten() {
                if *role == plan.layout {
                    change(role);
                }
            }
            found.extend(checked(job, plan, &to).filter(|to| to != plan));
        };
        layout(Dimension::Offload, &|own| own.offload = Offload::default());
        layout(Dimension::OptimizerOffloadFraction, &|own| own.optimizer_offload_fraction = 0.0);
        layout(Dimension::Recompute, &|own| own.recompute = Recompute::Full);
        layout(Dimension::Recompute, &|own| own.recompute = Recompute::None);
        layout(Dimension::VirtualPipeline, &|own| own.virtual_pipeline = 1);
        layout(Dimension::ContextParallel, &|own| own.context_parallel = 1);
        layout(Dimension::UlyssesParallel, &|own| own.ulysses_parallel = 1);
        layout(Dimension::ExpertTensorParallel, &|own| own.expert_tensor_parallel = 1);
        if let MicroBatch::Tokens(_) = plan.layout.micro_batch {
            for times in [2, 4, 1, 8] {
                layout(Dimension::MicroBatch, &|own| {
                    let longest = job.workload.sequence_length * times;
                    let split = u64::from(own.sequence_split().max(1));
                    own.micro_batch = MicroBatch::Tokens(longest.div_ceil(split).max(1));
                });
            }
        }
        if let Some(engine) = &plan.rollout {
            let shares = [0.6, 0.7, 0.5, 0.65, 0.55, 0.75, 0.8];
            let slots = [256, 1024];
            let shared = shares
                .into_iter()
                .filter(|_| job.workload.rl.is_some() && open(Dimension::GpuMemoryUtilization))
                .map(|share| RolloutPlan { gpu_memory_utilization: share, ..*engine });
            let slotted = slots
                .into_iter()
                .filter(|_| open(Dimension::MaxNumSeqs))
                .map(|slots| RolloutPlan { max_num_seqs: slots, ..*engine });
            for engine in shared.chain(slotted) {
                let to = Plan { rollout: Some(engine), ..*plan };
                found.extend(checked(job, plan, &to).filter(|to| to != plan));
            }
        }
        found
    }
}
