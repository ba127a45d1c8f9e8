//! Blocks that carry a state along: Gated `DeltaNet` and Mamba-2.

use super::{BlockContext, Part};
use crate::blocks::Mixer;
use crate::flops;

/// Share of the matrix rate that the chunked scan of a recurrent block reaches. Assumed: answers with such blocks say that their
/// times are a first approximation (`hybrid-architecture`).
const SCAN: f64 = 0.25;

impl BlockContext<'_> {
    /// GPUs that split a recurrent layer's heads, and how many times a GPU's own tokens it computes: where it is gathered whole, those
    /// that other parts of the sequence have as well.
    pub(crate) fn repeated(&self, mixer: Mixer) -> (f64, f64) {
        if self.repeats_delta_net && mixer == Mixer::DeltaNet {
            (1.0, f64::from(self.layout.context_parallel))
        } else {
            (self.tp(), 1.0)
        }
    }

    /// Gated `DeltaNet` or Mamba-2: projections as products, the recurrence as a chunked scan at a
    /// quarter of the matrix rate.
    pub(super) fn recurrent(&self, mixer: Mixer, tokens: f64) -> Part {
        let shape = self.shape;
        let h = shape.hidden_size as f64;
        let (tp, times) = self.repeated(mixer);
        let tokens = tokens * times;
        let (into, out) = if mixer == Mixer::DeltaNet {
            let linear = &shape.linear;
            let (keys, values) = (linear.keys() as f64, linear.values() as f64);
            let gate = if linear.gate_rank > 0 { linear.gate_rank as f64 } else { values };
            (2.0 * keys + values + gate, values)
        } else {
            let mamba = &shape.mamba;
            let inner = (mamba.num_heads * mamba.head_dim) as f64;
            (2.0 * inner + (2 * mamba.n_groups * mamba.state_size + mamba.num_heads) as f64, inner)
        };
        let scan = flops::attention_per_token(shape, mixer, 1.0) * (tokens / tp) / self.rates.half / SCAN;
        let scan = Part { forward: scan, backward: scan * 2.0, kernels: 8.0, ..Part::default() };
        self.product(tokens, into / tp, h)
            .join(self.product(tokens, h, out / tp))
            .join(scan)
            .join(self.stream(2.0 * tokens * (into + out) / tp, 6.0))
    }
}
