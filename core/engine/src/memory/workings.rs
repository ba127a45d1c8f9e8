//! What [`of_role`](super::of_role) adds up, term by term: for explaining it.

use super::{
    Held, Moment, Use, at_work, block_context, groups, head_gradient, in_flight, logit_bytes, on_card, rank_vocabulary,
    unpacked, worst,
};
use crate::batch::Batch;
use crate::context::{Context, Head, Role};
use crate::layer::BlockContext;
use crate::weights::{RankWeights, stage_layers};
use shardwise_question::plan::Layout;

/// The terms of a phase's memory on the worst stage. Bytes, before calibration.
#[derive(Clone, Debug)]
pub struct Workings {
    /// Weights of one GPU.
    pub rank: RankWeights,
    /// When it holds most.
    pub moment: Moment,
    /// Layers of each kind of block, and what one of them keeps of one micro-batch.
    pub blocks: Vec<(f64, f64)>,
    /// Share of these bytes that is on the card: less than 1 where activations are offloaded.
    pub on_card: f64,
    /// Micro-batches in flight.
    pub in_flight: f64,
    /// What the largest block keeps without recomputation, and how often that is at work in a backward pass.
    pub working: (f64, f64),
    /// A matrix of a 4-bit base, unpacked.
    pub unpacked: f64,
    /// Bytes of a logit, logits of one GPU per token.
    pub logits: (f64, f64),
    /// Bytes of the LM head's gradient per weight, weights.
    pub head: (f64, f64),
    /// Tokens of the largest micro-batch on one GPU.
    pub tokens: f64,
    /// Process groups.
    pub groups: f64,
}

/// The terms of what [`of_role`](super::of_role) says.
pub fn of_role(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch, usage: Use) -> Workings {
    let largest = &batch.expected;
    let (stage, _) = worst(context, role, layout, (batch, largest), usage);
    let held = Held::of(context, role, layout, (batch, largest), usage, stage);
    let (own, eager) = block_context(context, role, layout);
    let counted: Vec<_> = stage_layers(role, layout, stage).filter(|(_, count)| *count > 0.0).collect();
    let layers: f64 = counted.iter().map(|(_, count)| count).sum();
    let none = layout.without_recompute();
    let whole = BlockContext { layout: &none, ..own };
    let widest = counted
        .iter()
        .map(|(block, _)| whole.kept_bytes(*block, largest.slice, eager))
        .fold(0.0, f64::max);
    let trains = usage == Use::Train;
    let blocks = if trains {
        counted
            .iter()
            .map(|(block, count)| (*count, own.kept_bytes(*block, largest.slice, eager)))
            .collect()
    } else {
        Vec::new()
    };
    let vocabulary = if role.head == Head::Scalar { 0.0 } else { rank_vocabulary(role, layout) };
    Workings {
        rank: held.rank,
        moment: held.moment(),
        blocks,
        on_card: on_card(layout, layers),
        in_flight: in_flight(layout, largest.micro_batches, stage),
        working: (widest, at_work(layout, usage)),
        unpacked: unpacked(context, role, layout, usage).get(),
        logits: (logit_bytes(context, layout, usage), vocabulary),
        head: (head_gradient(context, role, usage), held.rank.head),
        tokens: largest.slice.tokens,
        groups: groups(context, layout),
    }
}
