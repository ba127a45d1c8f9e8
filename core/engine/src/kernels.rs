//! Time of single kernels on one GPU.

use shardwise_catalog::efficiency::{Architecture, Efficiency};
use shardwise_catalog::hardware::Hardware;
use shardwise_catalog::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};
use shardwise_question::wire::{AttentionKernel, Precision};

/// What one GPU sustains: its data sheet times measured efficiencies.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Matrix products in bf16 or fp16.
    pub half: FlopsPerSecond,
    /// Matrix products in the workload's precision.
    pub matmul: FlopsPerSecond,
    /// Bytes of one operand element in the workload's precision.
    pub operand_bytes: f64,
    /// Whether operands are quantised before each product.
    pub quantized: bool,
    /// Memory, streaming.
    pub memory: BytesPerSecond,
    /// Causal attention, forward.
    pub attention_forward: FlopsPerSecond,
    /// Causal attention, backward.
    pub attention_backward: FlopsPerSecond,
    /// Speed of FlashAttention before its second version over that of cuDNN's kernels.
    pub flash_1: f64,
    /// Speed of FlashAttention-2 over that of cuDNN's kernels.
    pub flash_2: f64,
    /// Speed of FlashAttention-3 and -4 over that of cuDNN's kernels.
    pub flash_3: f64,
    /// GPU time of the smallest kernel.
    pub kernel: Seconds,
    /// Sequence length at which attention reaches half its rate.
    pub attention_half_length: f64,
    /// Grouped products, relative to one large one.
    pub grouped: f64,
    /// Passes over memory to quantise an operand, over those its bytes ask for.
    pub quantization: f64,
}

impl Rates {
    /// Rates of a GPU in a precision.
    #[must_use]
    pub fn of(hardware: &Hardware, precision: Precision, efficiency: &Efficiency) -> Self {
        let architecture: &Architecture = efficiency.architecture(hardware);
        let peak = if precision == Precision::Fp16 { hardware.peaks.fp16 } else { hardware.peaks.bf16 };
        let own = efficiency.kernels(hardware);
        let sustained = architecture.sustained * own.map_or(1.0, |own| own.sustained);
        let rate = |peak: f64, share: f64| FlopsPerSecond::from_tera(peak * share * sustained);
        // What a card's own benchmarks show in bf16 (its power, its heat) holds in fp8; fp4 benchmarks differ less.
        let own_matmul = own.map_or(1.0, |own| own.matmul / architecture.matmul);
        let half = rate(peak, architecture.matmul * own_matmul);
        let attention = own.map_or(1.0, |own| own.attention);
        let (matmul, operand_bytes) = match (precision, hardware.own_tflops(precision)) {
            (Precision::Fp8 | Precision::Mxfp8, Some(peak)) => (rate(peak, architecture.matmul_fp8 * own_matmul), 1.0),
            (Precision::Nvfp4, Some(peak)) => (rate(peak, architecture.matmul_fp4), 0.5),
            _ => (half, 2.0),
        };
        Self {
            half,
            matmul,
            operand_bytes,
            quantized: operand_bytes < 2.0,
            memory: BytesPerSecond::from_gb(hardware.hbm_gb_per_s * architecture.memory),
            attention_forward: FlopsPerSecond::from_tera(
                hardware.peaks.bf16 * architecture.attention_forward * attention,
            ),
            attention_backward: FlopsPerSecond::from_tera(
                hardware.peaks.bf16 * architecture.attention_backward * attention,
            ),
            flash_1: architecture.flash_1,
            flash_2: architecture.flash_2,
            flash_3: architecture.flash_3,
            kernel: Seconds::new(efficiency.kernel_s),
            attention_half_length: efficiency.attention_half_length,
            grouped: efficiency.grouped_matmul,
            quantization: efficiency.quantization,
        }
    }

    /// Rates of this GPU with every matrix product in half precision.
    #[must_use]
    pub fn in_half(&self) -> Self {
        Self { matmul: self.half, operand_bytes: 2.0, quantized: false, ..*self }
    }

    /// Time of the product of an `m × k` and a `k × n` matrix.
    ///
    /// `t = t₀ + 2·m·n·k / R + bytes / B`: launch, arithmetic and traffic add, which describes 6,700
    /// measured products (aiconfigurator, SimuMax; 8 GPU types) within 6 to 13 % at the median where a
    /// hard roofline (the larger of the two) misses small and thin shapes.
    #[must_use]
    pub fn product(&self, m: f64, n: f64, k: f64) -> Seconds {
        let arithmetic = Flops::new(2.0 * m * n * k) / self.matmul;
        let traffic = Bytes::new(self.operand_bytes * (m * k + n * k) + 2.0 * m * n) / self.memory;
        self.kernel + arithmetic + traffic
    }

    /// Time of `groups` products of `m × k` by `k × n` in one grouped kernel.
    #[must_use]
    pub fn grouped_product(&self, groups: f64, m: f64, n: f64, k: f64) -> Seconds {
        let arithmetic = Flops::new(2.0 * groups * m * n * k) / self.matmul / self.grouped;
        let traffic = Bytes::new(groups * (self.operand_bytes * (m * k + n * k) + 2.0 * m * n)) / self.memory;
        self.kernel * 2.0 + arithmetic + traffic
    }

    /// Time to quantise `elements` for a low-precision product: read in 2 bytes, written in the operand's size as many
    /// times as products read them: twice (as is and transposed) where a weight gradient is one of them.
    #[must_use]
    pub fn quantization(&self, elements: f64, copies: f64) -> Seconds {
        if self.quantized {
            Bytes::new(elements * (2.0 + copies * self.operand_bytes) * self.quantization) / self.memory
        } else {
            Seconds::ZERO
        }
    }

    /// Time of a memory-bound kernel that moves `bytes`.
    #[must_use]
    pub fn stream(&self, bytes: f64) -> Seconds {
        Bytes::new(bytes) / self.memory
    }

    /// Unpacking weights of 4 bits to 16 for a product: half a byte is read, two are written and read. The kernel reaches a
    /// fraction of the memory's rate (bitsandbytes, `kernels.cu`).
    #[must_use]
    pub fn unpacking(&self, weights: f64) -> Seconds {
        self.stream(weights * 4.5 * 2.5)
    }

    /// Speed of a kernel of attention over that of cuDNN's, which the rates are of; on AMD, of Composable Kernel's.
    ///
    /// PyTorch's own attention is `FlashAttention`-2 (`aten/src/ATen/native/transformers`, 2.2 to 2.9), on AMD AOTriton.
    #[must_use]
    pub fn kernel_speed(&self, kernel: AttentionKernel) -> f64 {
        match kernel {
            AttentionKernel::Flash1 => self.flash_1,
            AttentionKernel::Flash2 | AttentionKernel::Sdpa => self.flash_2,
            AttentionKernel::Flash3 | AttentionKernel::Flash4 => self.flash_3,
            AttentionKernel::Cudnn | AttentionKernel::Ck => 1.0,
        }
    }

    /// Forward time of flash attention: `flops` over sequences of `length` tokens with heads `head_dim` wide. The rate is that of
    /// cuDNN's kernels; on Hopper `FlashAttention`-2 has about half of it, `FlashAttention`-3 as much. The plan's `attention_kernel`
    /// says which runs, or is what the backend takes today.
    #[must_use]
    pub fn attention_forward(&self, flops: Flops, length: f64, head_dim: f64) -> Seconds {
        self.kernel + flops / self.attention_forward / self.attention_shape(length, head_dim)
    }

    /// Backward time of flash attention for a forward pass of `flops`: two and a half times the
    /// work (five products rather than two; arXiv:2205.14135, section 3.1).
    #[must_use]
    pub fn attention_backward(&self, flops: Flops, length: f64, head_dim: f64) -> Seconds {
        self.kernel * 2.0 + flops * 2.5 / self.attention_backward / self.attention_shape(length, head_dim)
    }

    /// Share of the rate that short sequences and narrow heads reach.
    fn attention_shape(&self, length: f64, head_dim: f64) -> f64 {
        length / (length + self.attention_half_length) * (head_dim / 128.0).clamp(0.5, 1.0).sqrt()
    }
}
