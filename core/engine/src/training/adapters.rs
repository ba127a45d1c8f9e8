//! Adapters beside a frozen base.

use crate::context::{Context, Role};
use crate::layer::BlockTime;
use shardwise_catalog::units::Seconds;
use shardwise_question::plan::{Layout, Recompute};

/// Adapters on a `share` of the layers: two thin products beside each adapted matrix, of experts those that a token visits,
/// and for a 4-bit base its unpacking.
pub(super) fn adapter_overhead(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    tokens: f64,
    share: f64,
    all: &mut BlockTime,
) {
    let split = f64::from(layout.tensor_parallel) / share;
    let rates = &context.rates;
    // A token passes by the adapters of the experts that it visits, not by all.
    let adapters = context.visited_adapters(layout.backend) as f64 / split;
    let rank = context.job.workload.lora.map_or(1, |lora| lora.rank) as f64;
    // Each adapted matrix reads its input and adds to its output once more, in as many passes as the framework takes.
    let edges = adapters / rank * tokens * context.adapter_bytes(layout);
    let forward = rates.stream(edges) + Seconds::new(2.0 * adapters * tokens / rates.half.get());
    let matrices = role.model.shape.num_hidden_layers as f64 * 7.0 * share;
    all.forward += forward;
    all.backward += forward * 2.0;
    all.kernels += matrices * 3.0;
    if context.job.workload.quantized_base() {
        let weights = (role.model.parameters.active - role.model.parameters.embedding) as f64 / split;
        let unpack = rates.unpacking(weights);
        all.forward += unpack;
        all.backward += unpack;
        all.recompute += if layout.recompute == Recompute::Full { unpack } else { Seconds::ZERO };
    }
    if layout.recompute == Recompute::Full {
        all.recompute += forward;
    }
}
