//! The tables of the catalog as rows of JSON.

use serde::Serialize;
use serde_json::Value;

use shardwise_catalog::catalog::{self, Interconnect, Node, Offer, OfferKind, Source};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::resolve_model;
use shardwise_question::wire::Table;

/// A row of a table.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Row {
    /// A GPU type.
    Gpu(GpuRow),
    /// A model.
    Model(ModelRow),
    /// A machine.
    Node(&'static Node),
    /// A dated price.
    Price(PriceRow),
    /// An offer.
    Offer(OfferRow),
}

/// A GPU type. Bandwidth is per GPU and direction, rates are dense; null where not stated.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct GpuRow {
    /// Identifier, as in `hardware.gpu`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Memory that CUDA or ROCm shows a process, in GiB.
    pub memory_gib: f64,
    /// Memory bandwidth in GB/s.
    pub hbm_gb_per_s: f64,
    /// bf16 tensor peak in TFLOPS.
    pub bf16_dense_tflops: Option<f64>,
    /// fp8 tensor peak in TFLOPS.
    pub fp8_dense_tflops: Option<f64>,
    /// NVLink bandwidth in GB/s.
    pub nvlink_gb_per_s: f64,
    /// GPUs reachable over NVLink.
    pub nvlink_domain: u32,
    /// GPUs of the usual node.
    pub gpus_per_node: u32,
    /// Host memory of the usual node in GiB.
    pub host_ram_gib: Option<f64>,
    /// Price of one GPU for one hour in US dollars.
    pub usd_per_gpu_hour: Option<f64>,
    /// Where the figures come from.
    pub source: Source,
    /// Where the usable memory is shown.
    pub memory_source: Source,
    /// The card that it is shown of, where that is another one, which leaves the same share of its memory.
    pub memory_as: Option<&'static str>,
    /// Where the price comes from.
    pub price_source: Option<Source>,
    /// What a reader should know about the figures.
    pub notes: &'static str,
}

/// A model.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ModelRow {
    /// Identifier, as in `model`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Hugging Face repository; empty where there is none.
    pub hf_repo: &'static str,
    /// Its family.
    pub family: &'static str,
    /// Weights.
    pub parameters: Option<u64>,
    /// Weights that a token visits.
    pub active_parameters: Option<u64>,
    /// Where the shape comes from.
    pub source: Source,
    /// Licence of the weights; null where none is on record.
    pub license: Option<&'static str>,
    /// Where the licence is stated.
    pub license_source: Option<Source>,
}

/// A dated price of an instance, in US dollars.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct PriceRow {
    /// Instance.
    pub instance: &'static str,
    /// Cloud and region.
    pub provider: &'static str,
    /// GPU id.
    pub gpu: &'static str,
    /// GPUs in the instance.
    pub gpus: u32,
    /// The instance for one hour.
    pub usd_per_hour: f64,
    /// One of its GPUs for one hour.
    pub usd_per_gpu_hour: f64,
    /// Where the price comes from, and its date.
    pub source: Source,
}

/// A machine that somebody rents out by the hour; null where nobody says.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct OfferRow {
    /// Identifier, as in `hardware.offer`.
    pub id: String,
    /// Who rents it out.
    pub provider: &'static str,
    /// The provider's name of the instance.
    pub instance: &'static str,
    /// GPU id.
    pub gpu: &'static str,
    /// GPUs of an instance.
    pub gpus: u32,
    /// Where it stands, in the provider's words.
    pub region: &'static str,
    /// The terms.
    pub kind: OfferKind,
    /// An instance for one hour, in US dollars.
    pub usd_per_hour: f64,
    /// One of its GPUs for one hour.
    pub usd_per_gpu_hour: f64,
    /// What joins the GPUs of an instance.
    pub interconnect: Interconnect,
    /// What joins instances.
    pub fabric: Option<&'static str>,
    /// Network of an instance in Gbit/s.
    pub network_gbit_per_s: Option<f64>,
    /// Virtual CPUs of an instance.
    pub vcpus: Option<u32>,
    /// Host memory of an instance in GiB.
    pub host_ram_gib: Option<f64>,
    /// Day of the price; null where only the snapshot is known.
    pub date: Option<&'static str>,
    /// Commit, or the copy that was read, of a price of no known day.
    pub snapshot: Option<&'static str>,
    /// Whether the price is over a year older than the newest: never chosen unless it is named.
    pub history: bool,
    /// Page or file that states the price.
    pub source: &'static str,
    /// What a reader should know.
    pub notes: &'static str,
}

/// The rows of a table.
///
/// ```
/// use shardwise_core::{interface::{Row, rows}, wire::Table};
/// assert!(matches!(&rows(Table::Models)[0], Row::Model(model) if model.parameters > Some(0)));
/// ```
#[must_use]
pub fn rows(table: Table) -> Vec<Row> {
    match table {
        Table::Gpus => gpus().map(Row::Gpu).collect(),
        Table::Models => models().map(Row::Model).collect(),
        Table::Nodes => catalog::nodes().iter().map(Row::Node).collect(),
        Table::Prices => prices().map(Row::Price).collect(),
        Table::Offers => catalog::offers().iter().map(offer).map(Row::Offer).collect(),
    }
}

/// The offers of a GPU and of a kind, where either is named, the cheapest GPU hour first.
///
/// # Errors
/// A GPU that the catalog lacks; a kind that there is none of.
///
/// ```
/// use shardwise_core::interface::offers;
/// let spot = offers(Some("h100-sxm"), Some("spot")).unwrap();
/// assert!(spot.iter().all(|row| row.gpu == "h100-sxm") && spot[0].usd_per_gpu_hour < 2.0);
/// assert_eq!(offers(None, Some("lease")).unwrap_err().field, "kind");
/// ```
pub fn offers(gpu: Option<&str>, kind: Option<&str>) -> Result<Vec<OfferRow>, InputError> {
    let gpu = gpu.map(known_gpu).transpose()?;
    let kind = kind.map(|word| OfferKind::of(word).ok_or(word)).transpose().map_err(|word| {
        let word: String = word.chars().take(40).collect();
        let known = OfferKind::WORDS.join(", ");
        InputError::new("kind", format!("There is no kind {word:?} of offer. Give one of {known}."))
    })?;
    let all = catalog::offers().iter();
    let of_kind = all.filter(|own| kind.is_none_or(|kind| own.kind == kind));
    let mut rows: Vec<OfferRow> = of_kind.map(offer).filter(|row| gpu.is_none_or(|gpu| row.gpu == gpu)).collect();
    rows.sort_by(|a, b| a.usd_per_gpu_hour.total_cmp(&b.usd_per_gpu_hour));
    Ok(rows)
}

/// The id of a GPU of the catalog, which an option names.
pub(super) fn known_gpu(id: &str) -> Result<&'static str, InputError> {
    catalog::gpu(id).map(|gpu| gpu.id).ok_or_else(|| {
        let id: String = id.chars().take(40).collect();
        InputError::new("gpu", format!("There is no GPU {id:?} in the catalog. `shardwise catalog gpus` lists all."))
    })
}

fn offer(own: &Offer) -> OfferRow {
    OfferRow {
        id: own.id(),
        provider: own.provider(),
        instance: own.instance(),
        gpu: own.gpu().map_or("", |gpu| gpu.id),
        gpus: own.gpus.into(),
        region: own.region(),
        kind: own.kind,
        usd_per_hour: own.usd_per_hour,
        usd_per_gpu_hour: own.usd_per_gpu_hour(),
        interconnect: own.interconnect,
        fabric: Some(own.fabric()).filter(|fabric| !fabric.is_empty()),
        network_gbit_per_s: own.network_gbit_per_s(),
        vcpus: own.vcpus().map(u32::from),
        host_ram_gib: own.host_ram_gib(),
        date: own.date(),
        snapshot: Some(own.snapshot()).filter(|snapshot| !snapshot.is_empty()),
        history: own.history,
        source: own.url(),
        notes: own.notes(),
    }
}

fn gpus() -> impl Iterator<Item = GpuRow> {
    let rows = catalog::gpu_sources().zip(catalog::memory_sources());
    rows.map(|((gpu, source, notes), (memory_source, memory_as))| GpuRow {
        id: gpu.id,
        name: gpu.name,
        memory_gib: gpu.memory_gib,
        hbm_gb_per_s: gpu.hbm_gb_per_s,
        bf16_dense_tflops: gpu.bf16_dense_tflops,
        fp8_dense_tflops: gpu.fp8_dense_tflops,
        nvlink_gb_per_s: gpu.nvlink_gb_per_s,
        nvlink_domain: gpu.nvlink_domain,
        gpus_per_node: gpu.gpus_per_node,
        host_ram_gib: gpu.host_ram_gib,
        usd_per_gpu_hour: gpu.usd_per_gpu_hour,
        source,
        memory_source,
        memory_as,
        price_source: gpu.price_source,
        notes,
    })
}

fn models() -> impl Iterator<Item = ModelRow> {
    let licenses = catalog::model_licenses().map(|(_, license)| license);
    let sources = catalog::model_sources();
    let rows = sources.zip(licenses).zip(catalog::license_sources());
    rows.map(|(((model, source, family), license), license_source)| {
        let counts = resolve_model(&Value::from(model.id), "model");
        let counts = counts.ok().map(|model| model.parameters);
        ModelRow {
            id: model.id,
            name: model.name,
            hf_repo: model.hf_repo,
            family,
            parameters: counts.as_ref().map(|counts| counts.total),
            active_parameters: counts.as_ref().map(|counts| counts.active),
            source,
            license,
            license_source,
        }
    })
}

fn prices() -> impl Iterator<Item = PriceRow> {
    catalog::prices().iter().map(|price| PriceRow {
        instance: price.instance,
        provider: price.provider,
        gpu: price.gpu,
        gpus: price.gpus,
        usd_per_hour: price.usd_per_hour,
        usd_per_gpu_hour: price.usd_per_hour / f64::from(price.gpus),
        source: price.source,
    })
}
