//! The optimizer's update, and what host memory adds to a step.

use super::traffic::Shards;
use crate::batch::Batch;
use crate::context::{Context, Role};
use crate::memory;
use crate::weights::{held, rank_adapters, shard_counts};
use crate::zero_infinity;
use shardwise_catalog::units::{Bytes, Flops, Seconds};
use shardwise_question::optimizer::{Keeps, newton_schulz_flops};
use shardwise_question::plan::Layout;

/// What the optimizer's update of one GPU's weights takes.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// Weights that it updates.
    pub weights: f64,
    /// Share of them that the host's CPUs do.
    pub on_host: f64,
    /// The card's part.
    pub on_card: Seconds,
    /// The CPUs' part.
    pub on_cpus: Seconds,
    /// Of that what Muon's products take.
    pub orthogonal: Seconds,
    /// Gradients on their way to the CPUs, and weights back; or what a paged optimizer had moved there, on its way back and
    /// out again.
    pub traffic: Seconds,
    /// Bytes of the latter, one way.
    pub paged: Bytes,
    /// States that drives read and write.
    pub swap: Seconds,
}

impl Update {
    /// The update itself.
    #[must_use]
    pub fn optimizer(&self) -> Seconds {
        self.on_card + self.on_cpus
    }

    /// What moving to and from the host adds.
    #[must_use]
    pub fn offload(&self) -> Seconds {
        self.traffic + self.swap
    }
}

/// Share of the weights that the host's CPUs update. In an RL step what `offload` names moves between phases, not within
/// the update.
fn updates_on_host(context: &Context<'_>, layout: &Layout) -> f64 {
    if layout.offload.optimizer && context.job.workload.rl.is_none() { 1.0 } else { layout.optimizer_offload_fraction }
}

/// The optimizer step, and what host memory adds to it.
///
/// Adam (arXiv:1412.6980, algorithm 1) reads gradient, master weight and two moments and writes all but the first, and the
/// bf16 weight: 30 bytes per weight, and 4 more for the gradient's norm; other optimizers as many fewer as their moments are
/// smaller ([`Optimizer::update_bytes`](shardwise_question::wire::Optimizer::update_bytes)). Muon multiplies matrices beside
/// ([`newton_schulz_flops`]); what gathers a sharded one first is left out. Offloaded, the host's CPUs update (ZeRO-Offload,
/// arXiv:2101.06840), before or after what the card updates (Megatron-LM, `core/optimizer/cpu_offloading`,
/// `HybridDeviceOptimizer.step`: one optimizer after another). What a paged optimizer has in host memory crosses the link both
/// ways in each step (QLoRA, arXiv:2305.14314, section 3).
pub fn update(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> Update {
    let weights = if role.adapters > 0 {
        held(&rank_adapters(role, layout), layout, shard_counts(layout, context.training_gpus()), 1)
    } else {
        Shards::of(context, role, layout).trained(layout)
    };
    let on_host = updates_on_host(context, layout);
    let kind = layout.optimizer.kind;
    let streamed = context
        .rates
        .stream(weights * (1.0 - on_host) * kind.update_bytes(layout.optimizer_bytes));
    let none = Seconds::ZERO;
    let orthogonal = if kind.row().keeps == Keeps::Momentum {
        Flops::new(weights * newton_schulz_flops(context.job)) / context.rates.half
    } else {
        none
    };
    let on_card = streamed + orthogonal;
    if on_host == 0.0 {
        let paged = memory::paged_out(context, role, layout);
        let traffic = if paged.get() > 0.0 { paged * 2.0 / context.network.host } else { none };
        return Update { weights, on_host, on_card, orthogonal, on_cpus: none, traffic, paged, swap: none };
    }
    let away = weights * on_host;
    let per_node = f64::from(context.job.hardware.gpus_per_node);
    Update {
        weights,
        on_host,
        on_card,
        orthogonal,
        on_cpus: Seconds::new(away * per_node / context.efficiency.cpu_adam_parameters_per_s),
        traffic: Bytes::new(away * (layout.gradient_bytes + 2.0)) / context.network.host,
        paged: Bytes::ZERO,
        swap: zero_infinity::swap(away, layout, &context.network),
    }
}

/// What shows of one micro-batch's activations on their way to host memory, beside the forward pass, and back, beside the
/// backward pass: streams of their own copy them (veRL's `activation_offload.py`; torchtune's `OffloadActivations`, which
/// TRL and axolotl have too, with recomputation less than 1 % slower on Llama-3-8B:
/// <https://github.com/meta-pytorch/torchtune/releases/tag/v0.4.0>; runs of Megatron-Bridge that move 20 or 40 of 80 layers
/// are no slower than their products, core/tests/data/training.jsonl).
pub(super) fn activation_copies(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    forward: Seconds,
    backward: Seconds,
) -> Seconds {
    let moved = memory::moved_activations(context, role, layout, batch.mean);
    let copy = moved / context.network.host;
    copy.beyond(forward) + copy.beyond(backward)
}
