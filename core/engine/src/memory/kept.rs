//! Activations that layers keep, and those that are offloaded.

use super::Use;
use crate::batch;
use crate::blocks::Block;
use crate::context::{Context, Role};
use crate::layer::{BlockContext, Slice};
use crate::weights::{Stage, stage_layers};
use shardwise_catalog::units::Bytes;
use shardwise_question::complete::pipeline_schedule;
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::{Backend, PipelineSchedule};

/// Share of what a stage's blocks keep that is on the card: with offload two blocks' inputs, one at work, one on its way.
pub(super) fn on_card(layout: &Layout, layers: f64) -> f64 {
    if layout.offload.activations && layers > 2.0 { 2.0 / layers } else { 1.0 }
}

/// How often the largest block's activations are at work beside the kept ones: in a backward pass a recomputed block
/// stands beside gradients, without recomputation the gradients alone do; a forward pass alone holds the block at work.
pub(super) fn at_work(block: Block, layout: &Layout, usage: Use) -> f64 {
    let gradients = if layout.backend == Backend::Fsdp && !block.has_experts() { COMPILED } else { WIDEST };
    match layout.recompute {
        _ if usage == Use::Evaluate => 1.0,
        Recompute::None => gradients,
        _ => 1.0 + gradients,
    }
}

/// Gradients of a block's widest part over its activations. Assumed; `SimuMax`'s peaks on B200 are within 3 % with it.
const WIDEST: f64 = 0.25;

/// Gradients of a dense block over its activations where it is compiled, as prime-rl and torchtitan do: one graph, in which
/// each activation has its gradient beside it. prime-rl's runs of Qwen3-0.6B and 4B at 16,384 and 65,536 tokens, whose
/// activations are kept or moved to the host, hold 2.1 and 2.2 times the block's activations at work
/// (<https://github.com/PrimeIntellect-ai/prime-rl/tree/559b447/benchmarks/baselines>).
const COMPILED: f64 = 1.0;

/// Layers of one kind on a stage, and the bytes that one of them keeps of a micro-batch.
#[derive(Clone, Copy, Debug)]
pub struct KeptBlock {
    /// How many.
    pub layers: f64,
    /// What one keeps for the backward pass.
    pub kept: f64,
    /// What one would keep without recomputation.
    pub whole: f64,
    /// How often that is at work beside the kept ones.
    pub(super) at_work: f64,
    /// What weighing the experts' outputs makes beside it.
    pub(super) weighed: f64,
}

impl KeptBlock {
    /// Bytes of the block at work beside the kept ones.
    pub(super) fn working(&self) -> f64 {
        self.whole * self.at_work + self.weighed
    }
}

/// The layers of a stage by kind.
pub fn kept_blocks<'a>(
    context: &'a Context<'_>,
    role: &'a Role<'_>,
    layout: &'a Layout,
    (slice, usage): (Slice, Use),
    stage: Stage,
) -> impl Iterator<Item = KeptBlock> + 'a {
    let own = context.block(role, layout);
    let eager = context.eager_activation(&role.model.shape, layout);
    let plain = layout.without_recompute();
    let again = if layout.recompute == Recompute::Full {
        layout.recomputed_layers(role.model.shape.num_hidden_layers)
    } else {
        1.0
    };
    stage_layers(role, layout, stage)
        .filter(|(_, layers)| *layers > 0.0)
        .map(move |(block, layers)| {
            let whole = BlockContext { layout: &plain, ..own }.kept_bytes(block, slice, eager);
            let kept = if layout.recompute == Recompute::None { whole } else { own.kept_bytes(block, slice, eager) };
            KeptBlock {
                layers,
                // Of layers that are not computed again all is kept.
                kept: kept * again + if again < 1.0 { whole * (1.0 - again) } else { 0.0 },
                whole,
                at_work: at_work(block, layout, usage),
                weighed: if usage == Use::Train { own.weighed_bytes(block, slice.tokens) } else { 0.0 },
            }
        })
}

/// Activations of one GPU that wait in host memory, with lengths as the question has them, on the stage that keeps most.
#[must_use]
pub fn offloaded_activations(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> Bytes {
    let sequences = context.job.workload.global_batch as f64;
    let batch = batch::split(context.job, layout, sequences, 0.0);
    let moved = moved_activations(context, role, layout, batch.expected.slice);
    let [full, ..] = in_flight(layout, batch.expected.micro_batches, Stage::First);
    moved * full.all()
}

/// Activations of one micro-batch that leave the card of a first stage's GPU for host memory, and come back.
#[must_use]
pub fn moved_activations(context: &Context<'_>, role: &Role<'_>, layout: &Layout, slice: Slice) -> Bytes {
    let (mut kept, mut layers) = (0.0, 0.0);
    for own in kept_blocks(context, role, layout, (slice, Use::Train), Stage::First) {
        kept += own.kept * own.layers;
        layers += own.layers;
    }
    Bytes::new(kept * (1.0 - on_card(layout, layers)))
}

/// Micro-batches whose activations a stage holds at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// Before their backward pass, or in one that is not in two parts.
    pub kept: f64,
    /// Between the gradients of their inputs and those of their weights.
    pub between: f64,
}

impl Flight {
    fn of(kept: f64, between: f64, micro_batches: f64) -> Self {
        let most = micro_batches.max(1.0);
        let between = between.min(most);
        Self { kept: kept.min(most - between), between }
    }

    /// All of them.
    #[must_use]
    pub fn all(self) -> f64 {
        self.kept + self.between
    }
}

/// What a stage holds at once: at each of the moments that may be its fullest, by what a micro-batch leaves when.
///
/// 1F1B: the first stage holds `p`, each further one one less. Interleaved: `p·(1 + (p−1)/(p·v))` on the first
/// (Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.3), `2/v` less on each further one.
///
/// Where the weights' gradients are put off every stage holds as much (Qi et al. 2023, arXiv:2401.10241, sections 2 and
/// 6): `p` micro-batches, of which the orders of PyTorch's `schedules.py`, played through, have `(r+1)/v` of the stage behind
/// `r` others between their two gradients when interleaved; ZB-V's one chunk, and while it drains `r + 1/2` in all. `DualPipeV`
/// holds `p + 1/2` (2p + 1 chunks), and while it drains `(r+1)/2` between the two.
#[must_use]
pub fn in_flight(layout: &Layout, micro_batches: f64, stage: Stage) -> [Flight; 3] {
    let p = f64::from(layout.pipeline_parallel);
    let v = f64::from(layout.virtual_pipeline);
    let behind = stage.place(layout) as f64;
    let of = |kept: f64, between: f64| Flight::of(kept, between, micro_batches);
    match pipeline_schedule(layout) {
        PipelineSchedule::OneForwardOneBackward => [of(p - behind, 0.0); 3],
        PipelineSchedule::Interleaved => [of(p + (p - 1.0 - 2.0 * behind) / v, 0.0); 3],
        PipelineSchedule::InterleavedZeroBubble => [of(p - (behind + 1.0) / v, (behind + 1.0) / v); 3],
        PipelineSchedule::ZbvZeroBubble => {
            let full = of(p - 0.5, 0.5);
            [full, full, of(0.0, behind + 0.5)]
        }
        PipelineSchedule::DualPipeV => [of(p + 0.5, 0.0), of(p - 0.5, 0.5), of(0.0, (behind + 1.0) * 0.5)],
    }
}
