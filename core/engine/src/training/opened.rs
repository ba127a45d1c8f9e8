//! What the computation of a pass is made of: for explaining it.

use super::head::head_time;
use super::stages::{Stages, block_context, block_times, tower_time};
use crate::batch::Batch;
use crate::blocks::Block;
use crate::context::{Context, Role};
use crate::weights::{Stage, stage_layers};
use shardwise_question::plan::Layout;

/// Seconds of a forward and of a backward pass.
pub type Passes = [f64; 2];

/// What the slowest stage's computation of one micro-batch is made of.
#[derive(Clone, Debug)]
pub struct OpenedStage {
    /// Each kind of block, how many of it, and one of them.
    pub kinds: Vec<(Block, f64, Passes)>,
    /// LM head and loss, where the stage has them.
    pub head: Passes,
    /// Adapters, and unpacking a 4-bit base.
    pub adapters: Passes,
    /// A vision tower, where the stage has it and images pass it.
    pub tower: Passes,
}

/// The blocks of the slowest stage; `None` where that is known by the mean alone, or adapters on it by no other's.
pub fn opened(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> Option<OpenedStage> {
    let Stages { slowest, which, .. } = Stages::of(context, role, layout, batch);
    let stage = which?;
    let times = block_times(context, role, layout, batch.mean);
    let kinds: Vec<(Block, f64, Passes)> = stage_layers(role, layout, stage)
        .zip(times.iter())
        .filter(|((_, count), _)| *count > 0.0)
        .map(|((block, count), time)| (block, count, [time.forward.get(), time.backward.get()]))
        .collect();
    let head = head_time(context, role, layout, batch.mean.tokens);
    let head = if stage.has_head(layout) { [head.forward.get(), head.backward.get()] } else { [0.0; 2] };
    let tower = tower_time(context, role, layout, batch.mean);
    let first = stage == Stage::First || layout.pipeline_parallel == 1;
    let tower = if first { [tower.forward.get(), tower.backward.get()] } else { [0.0; 2] };
    let all: Passes = [slowest.block.forward.get(), slowest.block.backward.get()];
    // What is left of the stage with the head is the adapters'.
    let rest = [0, 1].map(|pass| {
        let blocks: f64 = kinds.iter().map(|(_, count, own)| count * own[pass]).sum();
        all[pass] - blocks - head[pass] - tower[pass]
    });
    let exact = rest.iter().zip(all).all(|(rest, all)| rest.abs() <= 1e-9 * all);
    let adapted = role.adapters > 0 && layout.pipeline_parallel == 1;
    (exact || adapted).then_some(OpenedStage { kinds, head, tower, adapters: if exact { [0.0; 2] } else { rest } })
}

/// What a block's computation of one micro-batch is made of: its mixer's products, attention, MLP, norms; and the factor of
/// all else on the GPU's time line.
pub fn pieces(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    block: Block,
) -> ([Passes; 4], f64) {
    let own = block_context(context, role, layout).pieces(block, batch.mean);
    let parts = [own.mixer, own.core, own.mlp, own.norms];
    (parts.map(|part| [part.forward.get(), part.backward.get()]), context.compute(layout))
}
