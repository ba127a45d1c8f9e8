//! The tables of the catalog as rows of JSON.

use serde::Serialize;
use serde_json::Value;

use shardwise_catalog::catalog::{self, Node, Source};
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
