//! What is known of plans that steps came by: they come by most of them more than once, from one plan and from the next.

use std::cell::RefCell;

use shardwise_engine::rl::Held;
use shardwise_question::plan::{Layout, MicroBatch, Plan, Recompute};

/// Places of plans: one that falls on a taken place takes it.
const PLACES: usize = 1 << 11;
/// Plans that mostly are judged.
const SOME: usize = 256;

/// Plans that were judged, and their places by what they are.
#[derive(Default)]
pub(super) struct Judged<V> {
    known: RefCell<(Vec<u32>, Vec<Known<V>>)>,
}

/// A plan, and what is known of it.
struct Known<V> {
    plan: Plan,
    verdicts: V,
}

/// What is known of a plan.
#[derive(Default)]
pub(super) struct Verdicts {
    /// Seconds of its step.
    pub(super) seconds: Option<f64>,
    /// GiB that are missing for it to fit as surely as asked.
    pub(super) shortfall: Option<f64>,
    /// Whether it counts.
    pub(super) counts: Option<bool>,
}

/// What is known of the training side of an RL step, whatever its engine.
#[derive(Default)]
pub(super) struct Training {
    /// Seconds that it takes.
    pub(super) seconds: Option<f64>,
    /// What it holds.
    pub(super) held: Option<Held>,
}

impl<V: Default> Known<V> {
    fn nothing(plan: &Plan) -> Self {
        Self { plan: *plan, verdicts: V::default() }
    }
}

impl<V: Default> Judged<V> {
    /// A verdict about a plan, computed only where it is not known.
    pub(super) fn get<T: Copy>(
        &self,
        plan: &Plan,
        verdict: fn(&mut V) -> &mut Option<T>,
        compute: impl FnOnce() -> T,
    ) -> T {
        let (number, known) = self.of(plan, verdict);
        known.unwrap_or_else(|| {
            let found = compute();
            if let Some(own) = self.known.borrow_mut().1.get_mut(number) {
                *verdict(&mut own.verdicts) = Some(found);
            }
            found
        })
    }

    /// The number of a plan among all, and a verdict about it where it is known.
    fn of<T: Copy>(&self, plan: &Plan, verdict: fn(&mut V) -> &mut Option<T>) -> (usize, Option<T>) {
        let mut known = self.known.borrow_mut();
        let (places, all) = &mut *known;
        if places.is_empty() {
            places.resize(PLACES, u32::MAX);
            all.reserve(SOME);
        }
        let Some(place) = places.get_mut(place(plan)) else {
            return (all.len(), None);
        };
        if let Some(own) = all.get_mut(*place as usize) {
            if own.plan != *plan {
                *own = Known::nothing(plan);
            }
            return (*place as usize, *verdict(&mut own.verdicts));
        }
        *place = all.len() as u32;
        all.push(Known::nothing(plan));
        (all.len() - 1, None)
    }
}

/// The place of a plan: multiplicative hashing (Knuth, "The Art of Computer Programming", section 6.4) of what steps change.
fn place(plan: &Plan) -> usize {
    let two = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let layout = &plan.layout;
    let mut all = [
        two(layout.tensor_parallel, layout.pipeline_parallel),
        two(layout.virtual_pipeline, layout.context_parallel),
        two(layout.ulysses_parallel, layout.shard_group),
        two(layout.expert_parallel, layout.expert_tensor_parallel),
        counted(layout.micro_batch),
        flags(layout),
        plan.critic.map_or(0, |own| counted(own.micro_batch)),
        plan.reference.map_or(0, |own| counted(own.micro_batch)),
        0,
        0,
        0,
    ];
    if let (Some(engine), [.., sizes, tokens, share]) = (&plan.rollout, &mut all) {
        *sizes = two(engine.tensor_parallel, engine.data_parallel << 1 | u32::from(engine.free_cache));
        *tokens = engine.max_num_seqs << 32 | engine.max_num_batched_tokens << 1 | u64::from(engine.enforce_eager);
        *share = engine.gpu_memory_utilization.to_bits();
    }
    let mix = |mixed: u64, own: u64| (mixed ^ own).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    (all.into_iter().fold(0, mix) >> 40) as usize % PLACES
}

fn counted(micro_batch: MicroBatch) -> u64 {
    match micro_batch {
        MicroBatch::Sequences(n) => n << 1,
        MicroBatch::Tokens(n) => n << 1 | 1,
    }
}

/// What a layout has that is no size.
fn flags(layout: &Layout) -> u64 {
    let recompute = match layout.recompute {
        Recompute::None => 0,
        Recompute::Full => 1,
        Recompute::Selective(modules) => 2 + u64::from(modules.bits()),
    };
    let (offload, overlap, plus) = (layout.offload, layout.overlap, layout.zero_plus);
    let turned = [
        layout.sequence_parallel,
        layout.fused_lm_head,
        layout.sync_each_batch,
        layout.nvme_offload,
        offload.parameters,
        offload.gradients,
        offload.optimizer,
        offload.activations,
        layout.optimizer_offload_fraction > 0.0,
        overlap.gradients,
        overlap.parameters,
        overlap.tensor_parallel,
        plus.quantized_weights,
        plus.quantized_gradients,
        plus.partition_size > 1,
    ];
    let turned = turned.iter().fold(0, |all, own| all << 1 | u64::from(*own));
    turned << 20
        | recompute << 8
        | (layout.backend as u64) << 4
        | u64::from(layout.zero_stage) << 1
        | layout.attention as u64
}
