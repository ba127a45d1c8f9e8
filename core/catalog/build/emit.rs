//! Static tables as Rust text.

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::check::day_number;
use super::host;
use super::literal::{Rust, columns, line, literal, source, table};
use super::memory;
use super::offer;
use super::price;
use super::rows::{Catalog, GenerationRow, ModelRow, NodeRow};

/// The tables: `GENERATIONS`, `GPUS`, `NODES`, `PRICES`, `MODELS`, `LICENSES`, `OFFERS` and their dates.
#[must_use]
pub(crate) fn emit(catalog: &Catalog) -> String {
    let mut text = String::from("// Written by build.rs from core/catalog.\n");
    text.push_str(&format!(
        "/// Date of the newest price in the catalog: `YYYY-MM-DD`.\npub const PRICES_AS_OF: &str = {:?};\n",
        price::newest_date(catalog)
    ));
    text.push_str(&format!(
        "/// Date of the newest figure in the catalog, of whatever table: `YYYY-MM-DD`.\npub const NEWEST: &str = {:?};\n",
        catalog.dates().filter(|date| day_number(date).is_some()).max().unwrap_or_default()
    ));
    let of_generation =
        |row: &GenerationRow| literal("Generation", &columns!(row; name, compute_capability, mesh, flash_attention_2));
    table(&mut text, "GENERATIONS", "Generation", &catalog.generations, of_generation);
    let names: Vec<&str> = catalog.generations.iter().map(|(_, row)| row.name.as_str()).collect();
    line(&mut text, format_args!("static GENERATION_NAMES: &[&str] = &{names:?};"));
    emit_gpus(catalog, &mut text);
    table(&mut text, "NODES", "Node", &catalog.nodes, node);
    table(&mut text, "PRICES", "Price", &catalog.prices, |row| {
        let source = source(&row.source, &row.date);
        let own = columns!(row; instance, provider, gpu, gpus, usd_per_hour);
        literal("Price", &[&own[..], &[("source", &source)]].concat())
    });
    table(&mut text, "MODELS", "ModelEntry", &catalog.models, |row| {
        let shape = Rust(shape(row));
        let own = columns!(row; id, name, hf_repo, model_type, stated_parameters, stated_active_parameters, hybrid);
        literal("ModelEntry", &[&own[..], &[("shape", &shape)]].concat())
    });
    let also: Vec<(&str, usize)> = catalog
        .models
        .iter()
        .enumerate()
        .flat_map(|(place, (_, row))| row.also.iter().map(move |repo| (repo.as_str(), place)))
        .collect();
    line(&mut text, format_args!("static ALSO: &[(&str, usize)] = &{also:?};"));
    // A table of its own: a build that never asks for a shape's source does not carry it.
    table(&mut text, "MODEL_SOURCES", "(Source, &str)", &catalog.models, |row| {
        format!("({:?}, {:?})", source(&row.source, &row.date), row.family)
    });
    emit_licenses(catalog, &mut text);
    offer::emit(catalog, &mut text);
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
    line(text, format_args!("static LICENSES: &[&str] = &{names:?};"));
    line(text, format_args!("static MODEL_LICENSES: &[u8] = &{named:?};"));
    line(text, format_args!("static MODEL_LICENSE_SOURCES: &[u8] = &{sourced:?};"));
    table(text, "LICENSE_SOURCES", "Source", &catalog.licenses, |row| source(&row.source, &row.date).0);
}

fn emit_gpus(catalog: &Catalog, text: &mut String) {
    let typical = price::typical(catalog);
    table(text, "GPUS", "Gpu", &catalog.gpus, |row| {
        let offer = typical.get(&row.id);
        let own = columns!(
            row;
            id, name, vendor, architecture, memory_gb, hbm_gb_per_s, bf16_dense_tflops, fp16_dense_tflops,
            fp8_dense_tflops, fp4_dense_tflops, gemm_bf16_tflops, gemm_fp8_tflops, mamf_bf16_tflops,
            measured_hbm_gb_per_s, nvlink_gb_per_s, nvlink_domain, pcie_gb_per_s, gpus_per_node, internode_gbit_per_s,
            board_w, unified_memory,
        );
        let board = row.board_w.map(|_| {
            let [url, date] = [&row.board_w_source, &row.board_w_date].map(|own| own.as_deref().unwrap_or_default());
            source(url, date)
        });
        let worked_out: [(&str, &dyn Debug); 5] = [
            ("board_source", &board),
            ("memory_gib", &memory::usable(catalog, row).map_or(0.0, |(gib, _)| gib)),
            ("host_ram_gib", &host::usual(catalog, row)),
            ("usd_per_gpu_hour", &offer.map(|offer| offer.usd)),
            ("price_source", &offer.map(|offer| source(&offer.url, &offer.date))),
        ];
        literal("Gpu", &[&own[..], &worked_out].concat())
    });
    table(text, "GPU_SOURCES", "(Source, &str)", &catalog.gpus, |row| {
        format!("({:?}, {:?})", source(&row.source, &row.date), row.notes)
    });
    table(text, "MEMORY_SOURCES", "(Source, Option<&str>)", &catalog.gpus, |row| {
        let shown = memory::usable(catalog, row).map_or(row, |(_, shown)| shown);
        let [url, date] = [&shown.memory_source, &shown.memory_date].map(|own| own.as_deref().unwrap_or_default());
        format!("({:?}, {:?})", source(url, date), row.memory_as)
    });
}

fn node(row: &NodeRow) -> String {
    let price = if row.usd_per_hour.is_some() { row.price_source.as_deref().unwrap_or(&row.source) } else { "" };
    // The host memory is stated with the rest of it, unless the entry says otherwise.
    let host = row.host_ram_gib.map(|_| {
        let url = row.host_ram_source.as_ref().unwrap_or(&row.source);
        let date = row.host_ram_date.as_ref().unwrap_or(&row.date);
        source(url, date)
    });
    let own = columns!(
        row;
        name, provider, gpu, gpus, nvlink_domain, network_gbit_per_s, technology, host_ram_gib, usd_per_hour, price_kind,
        price_date,
    );
    let sources: [(&str, &dyn Debug); 3] =
        [("price_url", &price), ("host_ram_source", &host), ("source", &source(&row.source, &row.date))];
    literal("Node", &[&own[..], &sources].concat())
}

fn shape(row: &ModelRow) -> String {
    let numbers = row.numbers().into_iter().map(|(field, value)| format!("{field}: {value}"));
    let flags = row.flags().into_iter().map(|(field, value)| format!("{field}: {value}"));
    let mut fields: Vec<String> = numbers.chain(flags).collect();
    match row.qk_norm.as_deref() {
        Some("head") => fields.push("qk_norm: QkNorm::Head".into()),
        Some("full") => fields.push("qk_norm: QkNorm::Full".into()),
        _ => {}
    }
    match row.norm.as_deref() {
        Some("layer") => fields.push("norm: Norm::Layer".into()),
        Some("layer_no_bias") => fields.push("norm: Norm::LayerNoBias".into()),
        _ => {}
    }
    if let Some(pattern) = &row.layer_pattern {
        fields.push(format!("layer_pattern: {pattern:?}"));
    }
    if let Some(own) = &row.linear {
        let columns = columns!(own; num_key_heads, num_value_heads, key_head_dim, value_head_dim, conv_kernel,
            decay_rank, gate_rank);
        fields.push(format!("linear: {}", literal("Linear", &columns)));
    }
    if let Some(own) = &row.mamba {
        let columns = columns!(own; num_heads, head_dim, n_groups, state_size, conv_kernel);
        fields.push(format!("mamba: {}", literal("Mamba", &columns)));
    }
    if let Some(own) = &row.vision {
        let columns = columns!(own; layers, hidden, intermediate, heads, patch, merge, out, deepstack, window,
            full_blocks, projector);
        let kind = Rust(format!("VisionKind::{}", vision_kind(&own.kind).unwrap_or_default()));
        let vision = literal("Vision", &[&columns[..], &[("kind", &kind)]].concat());
        fields.push(format!("vision: Some({vision})"));
    }
    fields.push("..Shape::EMPTY".into());
    format!("Shape {{ {} }}", fields.join(", "))
}

/// Name of the vision family's variant.
pub(crate) fn vision_kind(word: &str) -> Option<&'static str> {
    match word {
        "qwen2_5_vl" => Some("Qwen25Vl"),
        "qwen3_vl" => Some("Qwen3Vl"),
        "siglip_gemma3" => Some("SiglipGemma3"),
        "internvl" => Some("InternVl"),
        "internvit_6b" => Some("InternVit6b"),
        "glm4v" => Some("Glm4v"),
        "llama4" => Some("Llama4"),
        _ => None,
    }
}
