//! The machine of a question: one GPU type, how many, and what joins them.

mod owned;
mod rentable;

use std::borrow::Cow;

use crate::catalog::{self, Generation, Offer, Source};
use crate::words;
pub use owned::{HOURS_OF_A_YEAR, Owned};
pub use rentable::{OWN, OWN_SHEET, OwnOffer, Rentable};

words! {
    /// Number format of the matrix products.
    #[derive(Default)]
    pub enum Precision {
        /// bfloat16.
        #[default]
        Bf16 = "bf16",
        /// float16.
        Fp16 = "fp16",
        /// 8-bit floats through TransformerEngine, one scale per tensor or block.
        Fp8 = "fp8",
        /// Microscaled 8-bit floats (Blackwell).
        Mxfp8 = "mxfp8",
        /// NVIDIA's 4-bit floats (Blackwell).
        Nvfp4 = "nvfp4",
    }
}

/// Host memory of a node, in GiB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HostRam {
    /// What the question states, whatever the node.
    Stated(f64),
    /// What machines of the catalog with these GPUs have for each of them.
    PerGpu(f64),
    /// Neither is known.
    Unknown,
}

/// GPUs and their network, resolved from the catalog and from what the question overrides.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// Catalog id, or `custom`.
    pub gpu: Cow<'static, str>,
    /// Name for a person.
    pub name: Cow<'static, str>,
    /// Architecture, as the catalog writes it (`Hopper GH100`), or its first word where the question states it; empty
    /// where it is not known.
    pub architecture: Cow<'static, str>,
    /// The catalog's GPU that a custom one is taken to be like: how close that one comes to its data sheet holds.
    pub like: Option<&'static str>,
    /// Memory a process can use, in GiB, as CUDA or ROCm shows it; of one that its CPU shares, less what that takes.
    pub memory_gib: f64,
    /// Whether its CPU shares the memory.
    pub unified_memory: bool,
    /// Memory bandwidth in GB/s, as specified.
    pub hbm_gb_per_s: f64,
    /// Dense tensor peaks in TFLOPS.
    pub peaks: Peaks,
    /// Sustained bf16 rate of large matrix products in TFLOPS, where measured.
    pub gemm_bf16_tflops: Option<f64>,
    /// Sustained fp8 rate of large matrix products in TFLOPS, where measured.
    pub gemm_fp8_tflops: Option<f64>,
    /// NVLink or xGMI per GPU and direction in GB/s; 0 without.
    pub nvlink_gb_per_s: f64,
    /// GPUs reachable over it.
    pub nvlink_domain: u32,
    /// Host link per direction in GB/s.
    pub pcie_gb_per_s: f64,
    /// GPUs over all nodes.
    pub gpus: u32,
    /// GPUs in one node.
    pub gpus_per_node: u32,
    /// Network per GPU and direction in Gbit/s.
    pub internode_gbit_per_s: f64,
    /// Host memory of a node.
    pub host_ram: HostRam,
    /// Power that one card is rated at, in watts; absent where it is not known.
    pub board_w: Option<f64>,
    /// Where that is stated; absent where it is not known.
    pub board_source: Option<Source>,
    /// Price of one GPU for one hour in US dollars; absent where nobody's price is known.
    pub usd_per_gpu_hour: Option<f64>,
    /// Where the price comes from; absent where the question states it.
    pub price_source: Option<Source>,
    /// Whether the question leaves open what it costs, so that the number of GPUs decides.
    pub price_open: bool,
    /// Whose price it is, where nobody is known to rent out so many GPUs joined for the typical price.
    pub priced_by: Option<&'static Offer>,
    /// The offer that it is rented by.
    pub offer: Option<Rentable>,
    /// What it costs its owner, where the question states that; the price of an hour follows.
    pub owned: Option<Owned>,
}

/// Dense tensor peaks in TFLOPS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peaks {
    /// bf16, or fp16 where the card has no bf16.
    pub bf16: f64,
    /// fp16.
    pub fp16: f64,
    /// fp8, where the card has it.
    pub fp8: Option<f64>,
    /// fp4, where the card has it.
    pub fp4: Option<f64>,
}

/// Whether cards of this architecture, as the catalog writes it, multiply matrices in bf16.
///
/// NVIDIA's tensor cores do since Ampere: Volta's and Turing's take fp16 (NVIDIA A100 Tensor Core GPU Architecture,
/// 2020, table 3). AMD's matrix cores do from CDNA 1 on (AMD CDNA 2 Architecture, 2021), Gaudi's from the first. An
/// unknown architecture, and so a card of one's own, is taken to.
///
/// ```
/// use shardwise_core::hardware::supports_bf16;
/// assert!(supports_bf16("Ampere GA100") && supports_bf16("CDNA3") && supports_bf16(""));
/// assert!(!supports_bf16("Turing TU104") && !supports_bf16("Volta GV100"));
/// ```
#[must_use]
pub fn supports_bf16(architecture: &str) -> bool {
    is_ampere_or_later(architecture)
}

/// Whether `FlashAttention`-2, or the platform's own kernel that keeps no score matrix either, runs on cards of this
/// architecture, as the catalog writes it.
///
/// `FlashAttention`-2 asks for Ampere, Ada or Hopper of NVIDIA, and for MI200 or newer of AMD
/// (<https://github.com/Dao-AILab/flash-attention>, README); Blackwell's frameworks bring cuDNN's, Gaudi's its
/// `FusedSDPA`. An unknown architecture, and so a card of one's own, is taken to.
///
/// ```
/// use shardwise_core::hardware::supports_flash_attention;
/// assert!(supports_flash_attention("Ada AD102") && supports_flash_attention("CDNA2"));
/// assert!(!supports_flash_attention("Turing TU104") && !supports_flash_attention("Volta GV100"));
/// ```
#[must_use]
pub fn supports_flash_attention(architecture: &str) -> bool {
    is_ampere_or_later(architecture)
}

/// Not of a generation of NVIDIA's before Ampere, whose compute capability is 8.0.
fn is_ampere_or_later(architecture: &str) -> bool {
    compute_capability(architecture).is_none_or(|own| own >= 8.0)
}

/// The least compute capability of an architecture's generation, where it is NVIDIA's.
fn compute_capability(architecture: &str) -> Option<f64> {
    Generation::of(architecture)?.compute_capability
}

impl Hardware {
    /// Host memory of a node in GiB, where it is known.
    #[must_use]
    pub fn host_ram_gib(&self) -> Option<f64> {
        match self.host_ram {
            HostRam::Stated(gib) => Some(gib),
            HostRam::PerGpu(gib) => Some(gib * f64::from(self.gpus_per_node)),
            HostRam::Unknown => None,
        }
    }

    /// Whether its cards are NVIDIA's and have at least this compute capability.
    #[must_use]
    pub fn has_compute_capability(&self, least: f64) -> bool {
        compute_capability(&self.architecture).is_some_and(|own| own >= least)
    }

    /// Whether its cards are of this generation, as `generations.toml` names it.
    #[must_use]
    pub fn is_of(&self, generation: &str) -> bool {
        Generation::of(&self.architecture).is_some_and(|own| own.name == generation)
    }

    /// Whether what asks for `FlashAttention`-2 runs on its cards, by that or by a kernel of their own.
    #[must_use]
    pub fn has_flash_attention_2(&self) -> bool {
        let own = Generation::of(&self.architecture);
        own.is_some_and(|own| own.flash_attention_2) || self.has_compute_capability(8.0)
    }

    /// Whether its cards multiply in bf16 ([`supports_bf16`]).
    #[must_use]
    pub fn multiplies_bf16(&self) -> bool {
        supports_bf16(&self.architecture)
    }

    /// The precision of 16 bits that its cards multiply in: bf16, or fp16 where they have no such tensor cores.
    #[must_use]
    pub fn half(&self) -> Precision {
        if self.multiplies_bf16() { Precision::Bf16 } else { Precision::Fp16 }
    }

    /// Who makes cards of its architecture, as the catalog writes it; `None` where no card of the catalog is of it.
    #[must_use]
    pub fn vendor(&self) -> Option<&'static str> {
        let own = Generation::of(&self.architecture)?;
        let mut cards = catalog::gpus().iter();
        cards.find(|gpu| gpu.architecture.starts_with(own.name)).map(|gpu| gpu.vendor)
    }

    /// Whether its cards are of a generation that the catalog knows.
    #[must_use]
    pub fn is_of_a_generation(&self) -> bool {
        Generation::of(&self.architecture).is_some()
    }

    /// Whether NVIDIA's Grace is its CPU, which the catalog writes behind the architecture.
    #[must_use]
    pub fn is_on_grace(&self) -> bool {
        self.architecture.ends_with("+ Grace")
    }

    /// The id of the GPU whose benchmarks hold.
    #[must_use]
    pub fn benchmarked(&self) -> &str {
        self.like.unwrap_or(&self.gpu)
    }

    /// Nodes in use.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.gpus.div_ceil(self.gpus_per_node)
    }

    /// Whether its cards multiply what has a scale for each block of a few values, as microscaled formats have: NVIDIA's tensor
    /// cores do since Blackwell (PTX ISA 8.7, `mma` with `.block_scale`), AMD's matrix cores since CDNA 4 (AMD CDNA 4 Architecture
    /// white paper, 2025). An unknown architecture, and so a card of one's own, is taken to.
    fn scales_blocks(&self) -> bool {
        !self.is_of_a_generation() || self.has_compute_capability(10.0) || self.architecture.starts_with("CDNA4")
    }

    /// Dense peak of a precision in TFLOPS, where the card computes in it.
    ///
    /// ```
    /// use shardwise_core::{hardware::Precision::{Fp8, Mxfp8}, job::resolve_hardware, wire::HardwareSpec};
    /// let card = |gpu: &str| resolve_hardware(&HardwareSpec { gpu: gpu.into(), ..HardwareSpec::default() }).unwrap();
    /// assert_eq!((card("h100-sxm").own_tflops(Fp8), card("h100-sxm").own_tflops(Mxfp8)), (Some(1979.0), None));
    /// assert!(card("b200-sxm").own_tflops(Mxfp8).is_some() && card("mi355x").own_tflops(Mxfp8).is_some());
    /// ```
    #[must_use]
    pub fn own_tflops(&self, precision: Precision) -> Option<f64> {
        match precision {
            Precision::Bf16 => Some(self.peaks.bf16),
            Precision::Fp16 => Some(self.peaks.fp16),
            Precision::Fp8 => self.peaks.fp8,
            Precision::Mxfp8 => self.peaks.fp8.filter(|_| self.scales_blocks()),
            Precision::Nvfp4 => self.peaks.fp4,
        }
    }

    /// Dense peak of a precision in TFLOPS: bf16's where the card lacks it, in which it then computes.
    #[must_use]
    pub fn peak_tflops(&self, precision: Precision) -> f64 {
        self.own_tflops(precision).unwrap_or(self.peaks.bf16)
    }
}
