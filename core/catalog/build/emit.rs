//! Static tables as Rust text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::host;
use super::memory;
use super::price;
use super::rows::{Catalog, ModelRow, NodeRow};

/// The tables: `GENERATIONS`, `GPUS`, `NODES`, `PRICES`, `MODELS`, `LICENSES` and `PRICES_AS_OF`.
#[must_use]
pub(crate) fn emit(catalog: &Catalog) -> String {
    let mut text = String::from("// Written by build.rs from core/catalog.\n");
    text.push_str(&format!(
        "/// Date of the newest price in the catalog: `YYYY-MM-DD`.\npub const PRICES_AS_OF: &str = {:?};\n",
        price::newest_date(catalog)
    ));
    emit_generations(catalog, &mut text);
    emit_gpus(catalog, &mut text);
    emit_nodes(catalog, &mut text);
    text.push_str("static PRICES: &[Price] = &[\n");
    for (_, row) in &catalog.prices {
        line(
            &mut text,
            format_args!(
                "Price {{ instance: {:?}, provider: {:?}, gpu: {:?}, gpus: {}, usd_per_hour: {:?}, source: {} }},",
                row.instance,
                row.provider,
                row.gpu,
                row.gpus,
                row.usd_per_hour,
                source(&row.source, &row.date)
            ),
        );
    }
    text.push_str("];\nstatic MODELS: &[ModelEntry] = &[\n");
    for (_, row) in &catalog.models {
        line(
            &mut text,
            format_args!(
                "ModelEntry {{ id: {:?}, name: {:?}, hf_repo: {:?}, model_type: {:?}, shape: {}, \
             stated_parameters: {}, stated_active_parameters: {}, hybrid: {} }},",
                row.id,
                row.name,
                row.hf_repo,
                row.model_type,
                shape(row),
                row.stated_parameters,
                row.stated_active_parameters,
                row.hybrid
            ),
        );
    }
    // A table of its own: a build that never asks for a shape's source does not carry it.
    text.push_str("];\nstatic MODEL_SOURCES: &[(Source, &str)] = &[\n");
    for (_, row) in &catalog.models {
        let source = source(&row.source, &row.date);
        line(&mut text, format_args!("({source}, {:?}),", row.family));
    }
    text.push_str("];\n");
    emit_licenses(catalog, &mut text);
    text
}

/// Each licence once by name, and per model the place of its name and the place of its source; both are one above the
/// index, so that 0 is none. Apart for the same reason.
fn emit_licenses(catalog: &Catalog, text: &mut String) {
    let names: BTreeSet<&str> = catalog.licenses.iter().map(|(_, row)| row.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let of = |file: &str, model: &ModelRow| {
        catalog
            .licenses
            .iter()
            .position(|(other, row)| other == file && row.covers(model))
    };
    let rows: Vec<Option<usize>> = catalog.models.iter().map(|(file, model)| of(file, model)).collect();
    let name = |row: &Option<usize>| {
        let row = row.and_then(|row| catalog.licenses.get(row));
        row.and_then(|(_, row)| names.iter().position(|name| *name == row.name))
            .map_or(0, |place| place + 1)
    };
    let named: Vec<usize> = rows.iter().map(name).collect();
    let sourced: Vec<usize> = rows.iter().map(|row| row.map_or(0, |row| row + 1)).collect();
    line(text, format_args!("static LICENSES: &[&str] = &{names:?};\nstatic MODEL_LICENSES: &[u8] = &{named:?};"));
    line(
        text,
        format_args!("static MODEL_LICENSE_SOURCES: &[u8] = &{sourced:?};\nstatic LICENSE_SOURCES: &[Source] = &["),
    );
    for (_, row) in &catalog.licenses {
        line(text, format_args!("{},", source(&row.source, &row.date)));
    }
    text.push_str("];\n");
}

fn emit_generations(catalog: &Catalog, text: &mut String) {
    text.push_str("static GENERATIONS: &[Generation] = &[\n");
    for (_, row) in &catalog.generations {
        line(
            text,
            format_args!(
                "Generation {{ name: {:?}, compute_capability: {:?}, mesh: {} }},",
                row.name, row.compute_capability, row.mesh
            ),
        );
    }
    let names: Vec<&str> = catalog.generations.iter().map(|(_, row)| row.name.as_str()).collect();
    line(text, format_args!("];\nstatic GENERATION_NAMES: &[&str] = &{names:?};"));
}

fn emit_gpus(catalog: &Catalog, text: &mut String) {
    let typical = price::typical(catalog);
    text.push_str("static GPUS: &[Gpu] = &[\n");
    for (_, row) in &catalog.gpus {
        let offer = typical.get(&row.id);
        let price_source =
            offer.map_or_else(|| String::from("None"), |offer| format!("Some({})", source(&offer.url, &offer.date)));
        line(
            text,
            format_args!(
                "Gpu {{ id: {:?}, name: {:?}, vendor: {:?}, architecture: {:?}, memory_gb: {:?}, memory_gib: {:?}, \
             hbm_gb_per_s: {:?}, bf16_dense_tflops: {:?}, fp16_dense_tflops: {:?}, fp8_dense_tflops: {:?}, \
             fp4_dense_tflops: {:?}, gemm_bf16_tflops: {:?}, gemm_fp8_tflops: {:?}, mamf_bf16_tflops: {:?}, \
             measured_hbm_gb_per_s: {:?}, nvlink_gb_per_s: {:?}, nvlink_domain: {}, pcie_gb_per_s: {:?}, \
             gpus_per_node: {}, internode_gbit_per_s: {:?}, host_ram_gib: {:?}, usd_per_gpu_hour: {:?}, price_source: {price_source} }},",
                row.id,
                row.name,
                row.vendor,
                row.architecture,
                row.memory_gb,
                memory::usable(catalog, row).map_or(0.0, |(gib, _)| gib),
                row.hbm_gb_per_s,
                row.bf16_dense_tflops,
                row.fp16_dense_tflops,
                row.fp8_dense_tflops,
                row.fp4_dense_tflops,
                row.gemm_bf16_tflops,
                row.gemm_fp8_tflops,
                row.mamf_bf16_tflops,
                row.measured_hbm_gb_per_s,
                row.nvlink_gb_per_s,
                row.nvlink_domain,
                row.pcie_gb_per_s,
                row.gpus_per_node,
                row.internode_gbit_per_s,
                host::usual(catalog, row),
                offer.map(|offer| offer.usd)
            ),
        );
    }
    text.push_str("];\nstatic GPU_SOURCES: &[(Source, &str)] = &[\n");
    for (_, row) in &catalog.gpus {
        let source = source(&row.source, &row.date);
        line(text, format_args!("({source}, {:?}),", row.notes));
    }
    text.push_str("];\nstatic MEMORY_SOURCES: &[(Source, Option<&str>)] = &[\n");
    for (_, row) in &catalog.gpus {
        let shown = memory::usable(catalog, row).map_or(row, |(_, shown)| shown);
        let source = source(
            shown.memory_source.as_deref().unwrap_or_default(),
            shown.memory_date.as_deref().unwrap_or_default(),
        );
        line(text, format_args!("({source}, {:?}),", row.memory_as));
    }
    text.push_str("];\n");
}

fn emit_nodes(catalog: &Catalog, text: &mut String) {
    text.push_str("static NODES: &[Node] = &[\n");
    for (_, row) in &catalog.nodes {
        line(
            text,
            format_args!(
                "Node {{ name: {:?}, provider: {:?}, gpu: {:?}, gpus: {}, nvlink_domain: {}, \
             network_gbit_per_s: {:?}, technology: {:?}, host_ram_gib: {:?}, host_ram_source: {}, \
             usd_per_hour: {:?}, price_kind: {:?}, price_date: {:?}, price_url: {:?}, source: {} }},",
                row.name,
                row.provider,
                row.gpu,
                row.gpus,
                row.nvlink_domain,
                row.network_gbit_per_s,
                row.technology,
                row.host_ram_gib,
                host_source(row),
                row.usd_per_hour,
                row.price_kind,
                row.price_date,
                if row.usd_per_hour.is_some() { row.price_source.as_deref().unwrap_or(&row.source) } else { "" },
                source(&row.source, &row.date)
            ),
        );
    }
    text.push_str("];\n");
}

/// Where the host memory of a node is stated: with the rest of it, unless the entry says otherwise.
fn host_source(row: &NodeRow) -> String {
    if row.host_ram_gib.is_none() {
        return String::from("None");
    }
    let url = row.host_ram_source.as_ref().unwrap_or(&row.source);
    let date = row.host_ram_date.as_ref().unwrap_or(&row.date);
    format!("Some({})", source(url, date))
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{arguments}");
}

pub(super) fn source(url: &str, date: &str) -> String {
    format!("Source {{ url: {url:?}, date: {date:?} }}")
}

fn shape(row: &ModelRow) -> String {
    let mut text = String::from("Shape { ");
    for (field, value) in row.numbers() {
        let _ = write!(text, "{field}: {value}, ");
    }
    for (field, value) in row.flags() {
        let _ = write!(text, "{field}: {value}, ");
    }
    match row.qk_norm.as_deref() {
        Some("head") => text.push_str("qk_norm: QkNorm::Head, "),
        Some("full") => text.push_str("qk_norm: QkNorm::Full, "),
        _ => {}
    }
    match row.norm.as_deref() {
        Some("layer") => text.push_str("norm: Norm::Layer, "),
        Some("layer_no_bias") => text.push_str("norm: Norm::LayerNoBias, "),
        _ => {}
    }
    if let Some(pattern) = &row.layer_pattern {
        let _ = write!(text, "layer_pattern: {pattern:?}, ");
    }
    if let Some(linear) = &row.linear {
        let _ = write!(
            text,
            "linear: Linear {{ num_key_heads: {}, num_value_heads: {}, key_head_dim: {}, value_head_dim: {}, conv_kernel: {} }}, ",
            linear.num_key_heads,
            linear.num_value_heads,
            linear.key_head_dim,
            linear.value_head_dim,
            linear.conv_kernel
        );
    }
    if let Some(mamba) = &row.mamba {
        let _ = write!(
            text,
            "mamba: Mamba {{ num_heads: {}, head_dim: {}, n_groups: {}, state_size: {}, conv_kernel: {} }}, ",
            mamba.num_heads, mamba.head_dim, mamba.n_groups, mamba.state_size, mamba.conv_kernel
        );
    }
    if let Some(vision) = &row.vision {
        let _ = write!(
            text,
            "vision: Some(Vision {{ kind: VisionKind::{}, layers: {}, hidden: {}, intermediate: {}, heads: {}, patch: {}, merge: {}, out: {}, deepstack: {} }}), ",
            vision_kind(&vision.kind).unwrap_or_default(),
            vision.layers,
            vision.hidden,
            vision.intermediate,
            vision.heads,
            vision.patch,
            vision.merge,
            vision.out,
            vision.deepstack
        );
    }
    text.push_str("..Shape::EMPTY }");
    text
}

/// Name of the vision family's variant.
pub(crate) fn vision_kind(word: &str) -> Option<&'static str> {
    match word {
        "qwen2_5_vl" => Some("Qwen25Vl"),
        "qwen3_vl" => Some("Qwen3Vl"),
        "siglip_gemma3" => Some("SiglipGemma3"),
        "internvl" => Some("InternVl"),
        "llama4" => Some("Llama4"),
        _ => None,
    }
}
