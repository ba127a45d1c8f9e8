//! The machine of a question: one GPU type, how many, and what joins them.

use std::borrow::Cow;

use crate::catalog::Source;
use crate::wire::Precision;

/// GPUs and their network, resolved from the catalog and from what the question overrides.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// Catalog id, or `custom`.
    pub gpu: Cow<'static, str>,
    /// Name for a person.
    pub name: Cow<'static, str>,
    /// Architecture, as the catalog writes it (`Hopper GH100`); empty for a custom GPU.
    pub architecture: Cow<'static, str>,
    /// Memory a process can use, in GiB.
    pub memory_gib: f64,
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
    /// Price of one GPU for one hour in US dollars; absent where nobody's price is known.
    pub usd_per_gpu_hour: Option<f64>,
    /// Where the price comes from; absent where the question states it.
    pub price_source: Option<Source>,
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

impl Hardware {
    /// Nodes in use.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.gpus.div_ceil(self.gpus_per_node)
    }

    /// Dense peak of a precision in TFLOPS: the next wider one where the card lacks it.
    #[must_use]
    pub fn peak_tflops(&self, precision: Precision) -> f64 {
        match precision {
            Precision::Bf16 => self.peaks.bf16,
            Precision::Fp16 => self.peaks.fp16,
            Precision::Fp8 | Precision::Mxfp8 => self.peaks.fp8.unwrap_or(self.peaks.bf16),
            Precision::Nvfp4 => self.peaks.fp4.or(self.peaks.fp8).unwrap_or(self.peaks.bf16),
        }
    }
}
