//! What `DeepSpeed` adds to ZeRO-3: states on NVMe drives (ZeRO-Infinity) and less communication (ZeRO++).

use crate::communication::Network;
use shardwise_catalog::units::{Bytes, Seconds};
use shardwise_question::plan::{Layout, ZeroPlus};

/// Bytes of a weight on its way to the GPUs that gather it: 2, or 1 with qwZ, whose blocks are int8 (ZeRO++,
/// arXiv:2306.10209, section 3.1: half the volume; the blocks' scales are left out).
///
/// ```
/// use shardwise_core::plan::ZeroPlus;
/// use shardwise_core::zero_infinity::gathered_weight_bytes;
/// assert_eq!(gathered_weight_bytes(&ZeroPlus { quantized_weights: true, ..ZeroPlus::OFF }), 1.0);
/// ```
#[must_use]
pub fn gathered_weight_bytes(plus: &ZeroPlus) -> f64 {
    if plus.quantized_weights { 1.0 } else { 2.0 }
}

/// Share of the gradients' bytes that is sent: all, or a quarter with qgZ, which sends int4 for 16 bits (ZeRO++,
/// section 3.3). Its all-to-all is charged as the reduce-scatter it replaces.
///
/// ```
/// use shardwise_core::plan::ZeroPlus;
/// use shardwise_core::zero_infinity::sent_gradients;
/// assert_eq!(sent_gradients(&ZeroPlus { quantized_gradients: true, ..ZeroPlus::OFF }), 0.25);
/// ```
#[must_use]
pub fn sent_gradients(plus: &ZeroPlus) -> f64 {
    if plus.quantized_gradients { 0.25 } else { 1.0 }
}

/// The second copy of weights whose first is sharded over `shards` GPUs and takes `parameters` on each: hpZ shards it
/// over its own group (ZeRO++, section 3.2: `2·P` bytes over the group's GPUs in 16 bits).
///
/// ```
/// use shardwise_core::plan::ZeroPlus;
/// use shardwise_core::units::Bytes;
/// use shardwise_core::zero_infinity::second_copy;
/// let node = ZeroPlus { partition_size: 8, ..ZeroPlus::OFF };
/// // 70e9 parameters on 64 GPUs: 2.19 GB each, and 17.5 GB more.
/// let copy = second_copy(&node, Bytes::new(140e9 / 64.0), 64.0);
/// assert_eq!(copy.get(), 17.5e9);
/// ```
#[must_use]
pub fn second_copy(plus: &ZeroPlus, parameters: Bytes, shards: f64) -> Bytes {
    if plus.partition_size > 1 { parameters * (shards / f64::from(plus.partition_size)) } else { Bytes::ZERO }
}

/// Seconds in which one GPU reads `bytes` of parameters from where they are offloaded. From drives they pass through host
/// memory while the next ones are read (ZeRO-Infinity, arXiv:2104.07857, section 5.1.1), so the slower link counts.
#[must_use]
pub fn fetch(bytes: Bytes, layout: &Layout, network: &Network) -> Seconds {
    let rate = if layout.nvme_offload { network.host.min(network.drives) } else { network.host };
    bytes / rate
}

/// Seconds of an optimizer step in which the drives read and write the states of one GPU's `updated` parameters: master
/// weights, fp32 gradients and moments, each once both ways (ZeRO-Infinity, section 4.1: `2 · 16` bytes per parameter
/// with Adam).
#[must_use]
pub fn swap(updated: f64, layout: &Layout, network: &Network) -> Seconds {
    const GRADIENT: f64 = 4.0;
    if !layout.nvme_offload {
        return Seconds::ZERO;
    }
    let states = layout.master_weights_bytes + GRADIENT + layout.optimizer_bytes;
    Bytes::new(2.0 * states * updated) / network.drives
}
