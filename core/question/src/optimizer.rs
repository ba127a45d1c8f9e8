//! Optimizers: what each keeps of a weight and moves for it, with where that is written.

use crate::job::Job;
use crate::wire::{Backend, Optimizer};
use shardwise_catalog::model::{Matrices, ParameterCounts, adapter_matrices, block_matrices};

/// An optimizer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Which.
    pub optimizer: Optimizer,
    /// Name for a person.
    pub name: &'static str,
    /// Where it is described.
    pub source: &'static str,
    /// What it keeps of each weight.
    pub keeps: Keeps,
    /// Whether what it keeps leaves a full card for host memory.
    pub paged: bool,
    /// What its step makes beside what it keeps, where PyTorch's or Hugging Face's code is what runs.
    pub makes: Makes,
}

/// What an optimizer keeps of each weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keeps {
    /// So many moments in fp32.
    Moments(u8),
    /// So many moments in 8 bits, each block of 256 with a scale in fp32. Tensors of less than 4,096 weights stay in fp32,
    /// and so do embeddings where Hugging Face's Trainer steps.
    Quantized(u8),
    /// Of a matrix one figure for each row and column, of a vector one for each weight.
    Factors,
    /// Of a block's matrix a momentum, of all else Adam's two moments.
    Momentum,
}

/// What a step makes beside what the optimizer keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    /// Nothing that outlasts a kernel.
    Nothing,
    /// As much as one moment for each weight that it steps: PyTorch's AdamW, where it is not fused, steps all tensors at once, each
    /// with its denominator.
    Denominators,
    /// So many copies in fp32 of the tensor at work.
    Copies(u8),
}

const fn row(optimizer: Optimizer, name: &'static str, source: &'static str, keeps: Keeps, makes: Makes) -> Row {
    Row { optimizer, name, source, keeps, paged: false, makes }
}

impl Row {
    const fn paged(self) -> Self {
        Self { paged: true, ..self }
    }
}

const ADAMW: &str = "https://arxiv.org/abs/1711.05101";
const EIGHT_BIT: &str = "https://arxiv.org/abs/2110.02861";
const LION: &str = "https://arxiv.org/abs/2302.06675";

/// Every optimizer, in the order of their words. What they keep is read in code: bitsandbytes'
/// (<https://github.com/bitsandbytes-foundation/bitsandbytes/blob/95f9af309d4d5793847169c39288dcd3fcbdf564/bitsandbytes/optim/optimizer.py>, `init_state`, whose
/// kernels make nothing), Hugging Face's Adafactor (`transformers/optimization.py`: no first moment, an update and a
/// gradient in fp32 at work), PyTorch's SGD (no momentum unless it is asked for) and Muon as LLaMA-Factory, axolotl,
/// `DeepSpeed` and Megatron-Core have it.
pub static ROWS: [Row; 9] = [
    row(Optimizer::Adamw, "AdamW", ADAMW, Keeps::Moments(2), Makes::Denominators),
    row(Optimizer::Adamw8bit, "8-bit AdamW", EIGHT_BIT, Keeps::Quantized(2), Makes::Nothing),
    row(Optimizer::PagedAdamw, "paged AdamW", "https://arxiv.org/abs/2305.14314", Keeps::Moments(2), Makes::Nothing)
        .paged(),
    row(Optimizer::PagedAdamw8bit, "paged 8-bit AdamW", EIGHT_BIT, Keeps::Quantized(2), Makes::Nothing).paged(),
    row(Optimizer::Adafactor, "Adafactor", "https://arxiv.org/abs/1804.04235", Keeps::Factors, Makes::Copies(2)),
    row(Optimizer::Lion, "Lion", LION, Keeps::Moments(1), Makes::Nothing),
    row(Optimizer::Lion8bit, "8-bit Lion", LION, Keeps::Quantized(1), Makes::Nothing),
    row(
        Optimizer::Sgd,
        "SGD",
        "https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html",
        Keeps::Moments(0),
        Makes::Nothing,
    ),
    row(Optimizer::Muon, "Muon", "https://kellerjordan.github.io/posts/muon/", Keeps::Momentum, Makes::Copies(2)),
];

impl Optimizer {
    /// Its row.
    ///
    /// ```
    /// use shardwise_core::wire::Optimizer;
    /// assert_eq!(Optimizer::Lion8bit.row().name, "8-bit Lion");
    /// ```
    #[must_use]
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Bytes that a step on the card reads and writes of a weight whose moments take `moments`: the gradient in fp32 and once
    /// more for its norm, the master weight there and back, the weight in 16 bits, and the moments there and back. `AdamW` in
    /// fp32 moves 34 (Adam, arXiv:1412.6980, algorithm 1), which is what efficiencies are fitted with whatever its states
    /// take; 8-bit Adam 22.
    ///
    /// ```
    /// use shardwise_core::wire::Optimizer;
    /// assert_eq!(Optimizer::Adamw.update_bytes(4.0), 34.0);
    /// assert_eq!(Optimizer::Lion.update_bytes(4.0), 26.0);
    /// ```
    #[must_use]
    pub fn update_bytes(self, moments: f64) -> f64 {
        if self == Self::Adamw { UPDATE_BYTES } else { 18.0 + 2.0 * moments }
    }
}

/// Bytes that an update by Adam in fp32 moves per weight on the card, with the gradient's norm.
pub const UPDATE_BYTES: f64 = 34.0;

/// Bytes of a moment in 8 bits: one, and a scale of four for each block of 256 (bitsandbytes, `init_state`; torchao's
/// `OptimState8bit` has the same block).
pub const EIGHT_BIT_MOMENT: f64 = 1.0 + 4.0 / 256.0;

/// Weights of a tensor below which bitsandbytes and torchao keep moments in fp32 (`min_8bit_size`).
const LEAST_QUANTIZED: u64 = 4096;

/// Weights of a tensor below which a paged optimizer keeps its moments on the card (bitsandbytes, `get_state_buffer`).
const LEAST_PAGED: u64 = 100_000;

/// Iterations by which Muon makes a momentum orthogonal (Keller Jordan, <https://kellerjordan.github.io/posts/muon/>;
/// `muon_num_ns_steps` of megatron-core).
const NEWTON_SCHULZ: f64 = 5.0;

/// What trains, tensor by tensor as far as optimizers tell them apart.
struct Trained {
    matrices: Vec<Matrices>,
    /// Embedding and LM head: (rows, columns) of each that has weights of its own.
    outer: Vec<(u64, u64)>,
    /// Norms, biases, convolutions, a vision tower.
    rest: u64,
}

impl Trained {
    fn of(job: &Job) -> Self {
        let shape = &job.model.shape;
        if let Some(lora) = job.workload.lora {
            return Self { matrices: adapter_matrices(shape, lora.rank, lora.targets), outer: Vec::new(), rest: 0 };
        }
        let counts: &ParameterCounts = &job.model.parameters;
        let matrices = block_matrices(shape);
        let outer: Vec<_> = [counts.embedding, counts.lm_head]
            .into_iter()
            .filter(|weights| *weights > 0)
            .map(|weights| (weights / shape.hidden_size.max(1), shape.hidden_size))
            .collect();
        let inner: u64 = matrices.iter().map(Matrices::weights).fold(0, u64::saturating_add);
        let known = inner.saturating_add(counts.embedding + counts.lm_head);
        Self { matrices, outer, rest: counts.total.saturating_sub(known) }
    }

    fn inner(&self) -> f64 {
        self.matrices.iter().map(|own| own.weights() as f64).sum()
    }

    fn outer(&self) -> f64 {
        self.outer.iter().map(|(rows, columns)| (rows * columns) as f64).sum()
    }

    fn all(&self) -> f64 {
        (self.inner() + self.outer() + self.rest as f64).max(1.0)
    }
}

/// Bytes of moments per weight that trains, on average over the model; `None` for `AdamW`, whose backends keep it each in
/// its own way ([`crate::complete::state_bytes`]).
///
/// `DeepSpeed` steps flat tensors, so that Adafactor finds no rows there and keeps a figure for each weight
/// (`transformers/optimization.py`, `_get_options`), and no embeddings that 8 bits would spare.
#[must_use]
pub fn moment_bytes(job: &Job, backend: Backend, optimizer: Optimizer) -> Option<f64> {
    let flat = backend == Backend::Deepspeed;
    let keeps = optimizer.row().keeps;
    if let (Keeps::Moments(n), false) = (keeps, optimizer == Optimizer::Adamw) {
        return Some(4.0 * f64::from(n));
    }
    let trained = match keeps {
        Keeps::Moments(_) => return None,
        _ => Trained::of(job),
    };
    let rest = trained.rest as f64;
    let bytes = match keeps {
        Keeps::Moments(_) => return None,
        Keeps::Quantized(n) => {
            let whole = |exact: bool| f64::from(n) * if exact { 4.0 } else { EIGHT_BIT_MOMENT };
            let quantized = |own: &Matrices| own.weights() as f64 * whole(own.inputs * own.outputs < LEAST_QUANTIZED);
            let inner: f64 = trained.matrices.iter().map(quantized).sum();
            let small = !flat && job.model.shape.hidden_size < LEAST_QUANTIZED;
            // transformers/trainer.py, create_optimizer: an embedding has an override, an LM head of its own has none.
            let spared = if backend == Backend::Ddp { trained.outer.first().copied() } else { None };
            let spared = spared.map_or(0.0, |(rows, columns)| (rows * columns) as f64);
            inner + spared * whole(true) + (trained.outer() - spared) * whole(false) + rest * whole(small)
        }
        Keeps::Factors if flat => 4.0 * trained.all(),
        Keeps::Factors => {
            let inner = |own: &Matrices| own.inputs.saturating_add(own.outputs).saturating_mul(own.count) as f64;
            let inner: f64 = trained.matrices.iter().map(inner).sum();
            let outer: f64 = trained.outer.iter().map(|(rows, columns)| (rows + columns) as f64).sum();
            4.0 * (inner + outer + rest)
        }
        Keeps::Momentum => 4.0 * trained.inner() + 8.0 * (trained.outer() + rest),
    };
    Some(bytes / trained.all())
}

/// Operations by which Muon makes the momentum of a weight that trains orthogonal, on average over the model: each iteration
/// multiplies an `m × n` matrix by itself, its square by itself and that by the matrix, `4m²n + 2m³` with `m` the narrower
/// side (Keller Jordan, <https://kellerjordan.github.io/posts/muon/>, "Runtime analysis").
#[must_use]
pub fn newton_schulz_flops(job: &Job) -> f64 {
    let trained = Trained::of(job);
    let one = |own: &Matrices| {
        let m = own.narrow() as f64;
        let n = own.inputs.max(own.outputs) as f64;
        own.count as f64 * (4.0 * m * m * n + 2.0 * m * m * m)
    };
    NEWTON_SCHULZ * trained.matrices.iter().map(one).sum::<f64>() / trained.all()
}

/// Share of the moments that a paged optimizer pages: those of all but small tensors, of which adapters have many.
#[must_use]
pub fn paged_share(job: &Job) -> f64 {
    let trained = Trained::of(job);
    let large = |own: &&Matrices| own.inputs.saturating_mul(own.outputs) >= LEAST_PAGED;
    let inner: f64 = trained.matrices.iter().filter(large).map(|own| own.weights() as f64).sum();
    (inner + trained.outer()) / trained.all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_row() {
        for (word, row) in Optimizer::ALL.into_iter().zip(ROWS) {
            assert_eq!(word, row.optimizer);
            assert_eq!(word.row().name, row.name);
        }
        assert_eq!(Optimizer::ALL.len(), ROWS.len());
    }
}
