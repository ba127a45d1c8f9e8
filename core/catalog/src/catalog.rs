//! GPUs, nodes, models, prices and offers, each figure with its source.
//!
//! The tables come from `core/catalog/data/*.toml`; `build.rs` checks and compiles them in.

mod offer;

use crate::model::{Linear, Mamba, Norm, QkNorm, Shape, Vision, VisionKind};
use crate::ordered;

pub use offer::{Interconnect, Offer, OfferKind, offer, offers};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// Version of the data: year and month of the last change.
pub const VERSION: &str = "2026.11";

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Source {
    /// Page or file that states it.
    pub url: &'static str,
    /// When it was read, or what date it holds for: `YYYY-MM-DD`.
    pub date: &'static str,
}

/// A generation of accelerators, whose cards share what their kernels can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Generation {
    /// Its name, with which the architecture of its GPUs begins.
    pub name: &'static str,
    /// The least compute capability of its cards, where they are NVIDIA's.
    pub compute_capability: Option<f64>,
    /// Whether each GPU of a node has a link of its own to every other, instead of a switch.
    pub mesh: bool,
    /// Whether what asks for `FlashAttention`-2 runs on cards that are not NVIDIA's, by a kernel of their own.
    pub flash_attention_2: bool,
}

impl Generation {
    /// The generation of an architecture as the catalog writes it; `None` where it is of none on record.
    ///
    /// ```
    /// use shardwise_core::catalog::Generation;
    /// let own = Generation::of("Blackwell GB100 + Grace").unwrap();
    /// assert_eq!((own.name, own.compute_capability), ("Blackwell", Some(10.0)));
    /// assert!(Generation::of("").is_none());
    /// ```
    #[must_use]
    pub fn of(architecture: &str) -> Option<&'static Self> {
        GENERATIONS.iter().find(|own| architecture.starts_with(own.name))
    }
}

/// A GPU type. Bandwidth is per GPU and direction, rates are dense.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gpu {
    /// Identifier, as in `hardware.gpu`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// `nvidia`, `amd`, `intel`, `huawei`, `metax`.
    pub vendor: &'static str,
    /// Architecture.
    pub architecture: &'static str,
    /// Memory as sold, in GB.
    pub memory_gb: f64,
    /// Memory that CUDA or ROCm shows a process, in GiB: less than `nvidia-smi` prints, as the driver keeps some.
    pub memory_gib: f64,
    /// Whether its CPU shares the memory.
    pub unified_memory: bool,
    /// Memory bandwidth in GB/s.
    pub hbm_gb_per_s: f64,
    /// Dense bf16 peak in TFLOPS, where the card computes in bf16.
    pub bf16_dense_tflops: Option<f64>,
    /// Dense fp16 peak in TFLOPS.
    pub fp16_dense_tflops: Option<f64>,
    /// Dense fp8 peak in TFLOPS.
    pub fp8_dense_tflops: Option<f64>,
    /// Dense fp4 peak in TFLOPS.
    pub fp4_dense_tflops: Option<f64>,
    /// Median sustained bf16 rate of large matrix products in TFLOPS, where measured.
    pub gemm_bf16_tflops: Option<f64>,
    /// Median sustained fp8 rate of large matrix products in TFLOPS, where measured.
    pub gemm_fp8_tflops: Option<f64>,
    /// Best bf16 rate a search over shapes found in TFLOPS, where measured.
    pub mamf_bf16_tflops: Option<f64>,
    /// Measured copy bandwidth of the memory in GB/s.
    pub measured_hbm_gb_per_s: Option<f64>,
    /// NVLink or xGMI in GB/s; 0 without.
    pub nvlink_gb_per_s: f64,
    /// GPUs reachable over it.
    pub nvlink_domain: u32,
    /// Host link in GB/s.
    pub pcie_gb_per_s: f64,
    /// GPUs of the usual node.
    pub gpus_per_node: u32,
    /// Network of the usual node, per GPU, in Gbit/s; 0 where none is usual.
    pub internode_gbit_per_s: f64,
    /// Power that the card is rated at, in watts; absent where no page that was read states it.
    pub board_w: Option<f64>,
    /// Where the power is stated; absent where it is not.
    pub board_source: Option<Source>,
    /// Host memory of the usual node in GiB: the median of the catalog's machines of that size; absent where none states
    /// it.
    pub host_ram_gib: Option<f64>,
    /// Typical price of one GPU for one hour in US dollars, the median on-demand price of the
    /// catalog; absent where nobody's price is known.
    pub usd_per_gpu_hour: Option<f64>,
    /// Where the price comes from.
    pub price_source: Option<Source>,
}

/// A machine people own or rent.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "NodeRow"))]
pub struct Node {
    /// Name of the instance or machine.
    pub name: &'static str,
    /// Who rents it out.
    pub provider: &'static str,
    /// GPU id.
    pub gpu: &'static str,
    /// GPUs in it.
    pub gpus: u32,
    /// GPUs reachable over NVLink; may exceed `gpus` (NVL72).
    pub nvlink_domain: u32,
    /// Network per node in Gbit/s; absent where not stated.
    pub network_gbit_per_s: Option<f64>,
    /// `InfiniBand NDR`, `EFA`, `RoCE`, …
    pub technology: &'static str,
    /// Host memory in GiB; absent where not stated.
    pub host_ram_gib: Option<f64>,
    /// Where the host memory is stated; absent where it is not.
    pub host_ram_source: Option<Source>,
    /// Price of the whole node for one hour in US dollars; absent where not stated.
    pub usd_per_hour: Option<f64>,
    /// `on-demand`, `spot`, …; empty without a price.
    pub price_kind: &'static str,
    /// Date of the price; empty without one.
    pub price_date: &'static str,
    /// Page or file that states the price; empty without one.
    pub price_url: &'static str,
    /// Where the figures come from.
    pub source: Source,
}

/// A dated price of an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Instance.
    pub instance: &'static str,
    /// Cloud and region.
    pub provider: &'static str,
    /// GPU id.
    pub gpu: &'static str,
    /// GPUs in the instance.
    pub gpus: u32,
    /// Price of the instance for one hour in US dollars.
    pub usd_per_hour: f64,
    /// Where the price comes from, and its date.
    pub source: Source,
}

/// A model of the catalog.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelEntry {
    /// Identifier, as in `model`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Hugging Face repository; empty where there is none.
    pub hf_repo: &'static str,
    /// Hugging Face `model_type`.
    pub model_type: &'static str,
    /// Architecture.
    pub shape: Shape,
    /// Exact number of weights where the formulas do not cover the architecture; else 0.
    pub stated_parameters: u64,
    /// Exact number of weights that a token visits where the formulas do not cover the architecture; else 0.
    pub stated_active_parameters: u64,
    /// Whether parts of the architecture are not modelled in time yet.
    pub hybrid: bool,
}

/// Every generation of GPUs, in the order in which a person is asked.
///
/// ```
/// use shardwise_core::catalog::generations;
/// let hopper = generations().iter().find(|own| own.name == "Hopper").unwrap();
/// assert_eq!((hopper.compute_capability, hopper.mesh), (Some(9.0), false));
/// ```
#[must_use]
pub fn generations() -> &'static [Generation] {
    GENERATIONS
}

/// Names of the [`generations`], in the same order.
#[must_use]
pub fn generation_names() -> &'static [&'static str] {
    GENERATION_NAMES
}

/// Every GPU type, in the catalog's order.
///
/// ```
/// use shardwise_core::catalog::gpus;
/// let roomy = gpus().iter().filter(|gpu| gpu.memory_gb >= 192.0);
/// assert!(roomy.map(|gpu| gpu.id).any(|id| id == "mi300x"));
/// ```
#[must_use]
pub fn gpus() -> &'static [Gpu] {
    GPUS
}

/// The GPU of this id, whatever its case.
///
/// ```
/// use shardwise_core::catalog::gpu;
/// assert_eq!(gpu("H100-SXM").unwrap().memory_gb, 80.0);
/// assert!(gpu("h100-sxn").is_none());
/// ```
#[must_use]
pub fn gpu(id: &str) -> Option<&'static Gpu> {
    let id = id.trim();
    GPUS.iter().find(|gpu| gpu.id.eq_ignore_ascii_case(id))
}

/// The ids of the GPUs that a text probably means, the nearest first: those that have it in them, then those with the fewest
/// edits between.
///
/// ```
/// use shardwise_core::catalog::nearest_gpus;
/// assert!(nearest_gpus("H100")[0].starts_with("h100"));
/// assert_eq!(nearest_gpus("h100-sxn")[0], "h100-sxm");
/// ```
#[must_use]
pub fn nearest_gpus(text: &str) -> Vec<&'static str> {
    let wanted: String = text.trim().to_ascii_lowercase().chars().take(40).collect();
    let wanted = wanted.replace([' ', '_'], "-");
    let by = |a: &(bool, usize, &str), b: &(bool, usize, &str)| a.cmp(b);
    let mut near = Vec::new();
    for gpu in GPUS {
        let edits = strsim::levenshtein(&wanted, gpu.id);
        ordered::insert(&mut near, (!gpu.id.contains(&wanted), edits, gpu.id), &by);
    }
    near.into_iter().take(3).map(|(.., id)| id).collect()
}

/// Every node and instance.
///
/// ```
/// use shardwise_core::catalog::nodes;
/// let dgx = nodes().iter().find(|node| node.name == "DGX H100").unwrap();
/// assert_eq!((dgx.gpu, dgx.gpus), ("h100-sxm", 8));
/// ```
#[must_use]
pub fn nodes() -> &'static [Node] {
    NODES
}

/// Every dated price besides those of [`nodes`].
///
/// ```
/// use shardwise_core::catalog::prices;
/// let price = prices().iter().find(|price| price.instance == "p4de.24xlarge").unwrap();
/// assert_eq!((price.gpu, price.gpus), ("a100-sxm-80g", 8));
/// ```
#[must_use]
pub fn prices() -> &'static [Price] {
    PRICES
}

/// Every model, by family.
///
/// ```
/// use shardwise_core::catalog::models;
/// let with_experts = models().iter().filter(|model| model.shape.num_experts > 0);
/// assert!(with_experts.map(|model| model.id).any(|id| id == "qwen3-30b-a3b"));
/// ```
#[must_use]
pub fn models() -> &'static [ModelEntry] {
    MODELS
}

/// Every GPU type with where its figures come from and what a reader should know about them.
pub fn gpu_sources() -> impl Iterator<Item = (&'static Gpu, Source, &'static str)> {
    GPUS.iter()
        .zip(GPU_SOURCES)
        .map(|(gpu, (source, notes))| (gpu, *source, *notes))
}

/// Where the usable memory of each GPU type is shown, in the order of [`gpus`], and the card that it was shown of where
/// that is another one, which leaves the same share of its memory.
pub fn memory_sources() -> impl Iterator<Item = (Source, Option<&'static str>)> {
    MEMORY_SOURCES.iter().copied()
}

/// Every model with the source of its shape and the name of its family.
pub fn model_sources() -> impl Iterator<Item = (&'static ModelEntry, Source, &'static str)> {
    MODELS
        .iter()
        .zip(MODEL_SOURCES)
        .map(|(model, (source, family))| (model, *source, *family))
}

/// Every model with the name of its weights' licence; `None` where none is on record.
pub fn model_licenses() -> impl Iterator<Item = (&'static ModelEntry, Option<&'static str>)> {
    MODELS.iter().zip(MODEL_LICENSES).map(|(model, place)| {
        let name = usize::from(*place).checked_sub(1).and_then(|place| LICENSES.get(place));
        (model, name.copied())
    })
}

/// Where the licences of the models are stated, in the order of [`models`].
pub fn license_sources() -> impl Iterator<Item = Option<Source>> {
    MODEL_LICENSE_SOURCES.iter().map(|place| {
        let place = usize::from(*place).checked_sub(1)?;
        LICENSE_SOURCES.get(place).copied()
    })
}

/// The model of this id or Hugging Face repository, whatever its case.
///
/// A repository is also found without its owner, and by the name of a variant of the same shape:
/// `meta-llama/Llama-3.1-8B-Instruct` is `meta-llama/Llama-3.1-8B`. So are other models that share a shape by theirs:
/// `MiniMaxAI/MiniMax-M2.7` is `MiniMaxAI/MiniMax-M2.5`. An exact match wins.
///
/// ```
/// use shardwise_core::catalog::model;
/// assert_eq!(model("meta-llama/Llama-3.1-8B-Instruct").unwrap().id, "llama-3.1-8b");
/// assert_eq!(model("MiniMaxAI/MiniMax-M2.7").unwrap().id, "minimax-m2.5");
/// assert!(model("somebody/Llama-3.1-8B").is_none());
/// ```
#[must_use]
pub fn model(name: &str) -> Option<&'static ModelEntry> {
    let name = name.trim().trim_end_matches('/');
    if name.is_empty() {
        return None;
    }
    let exact = |entry: &&ModelEntry| entry.id.eq_ignore_ascii_case(name) || entry.hf_repo.eq_ignore_ascii_case(name);
    if let Some(entry) = MODELS.iter().find(exact) {
        return Some(entry);
    }
    let wanted = variant_stem(name);
    if wanted.is_empty() {
        return None;
    }
    let owner = name.split_once('/').map(|(owner, _)| owner);
    let renamed = |owner: &str| OWNERS.iter().find(|(before, _)| before.eq_ignore_ascii_case(owner));
    let owner = owner.map(|owner| renamed(owner).map_or(owner, |(_, now)| *now));
    let meant = |repo: &str| {
        let same_owner =
            owner.is_none_or(|owner| repo.split_once('/').is_some_and(|(known, _)| known.eq_ignore_ascii_case(owner)));
        same_owner.then(|| variant_stem(repo))
    };
    let own = |entry: &&ModelEntry| meant(entry.hf_repo).is_some_and(|stem| stem == wanted || entry.id == wanted);
    MODELS.iter().find(own).or_else(|| {
        let (_, place) = ALSO.iter().find(|(repo, _)| meant(repo).as_deref() == Some(wanted.as_str()))?;
        MODELS.get(*place)
    })
}

/// Owners that go by another name since, to which Hugging Face leads on: <https://huggingface.co/THUDM/GLM-4.1V-9B-Thinking>,
/// 2026-11-27.
const OWNERS: [(&str, &str); 1] = [("THUDM", "zai-org")];

/// Words of repository names that say how weights were trained or stored, not their shape.
const VARIANTS: [&str; 20] = [
    "instruct",
    "chat",
    "base",
    "hf",
    "it",
    "pt",
    "fp8",
    "bf16",
    "2507",
    "0324",
    "0528",
    "thinking",
    "preview",
    "v1.0",
    "awq",
    "gptq",
    "mpo",
    "pretrain",
    "pretrained",
    "int4",
];

/// A repository's name without owner and words of a variant, in lower case.
fn variant_stem(repo: &str) -> String {
    let name = repo.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> = name.split('-').filter(|word| !VARIANTS.contains(word)).collect();
    words.join("-")
}
