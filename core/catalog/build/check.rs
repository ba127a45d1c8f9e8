//! What is wrong with a catalog.

use std::collections::BTreeSet;

use super::offer;
use super::recipe;
use super::rows::{Catalog, GpuRow, ModelRow, NodeRow, PriceRow};

/// Collects problems of one entry under its file and name.
pub(super) struct Entry<'a> {
    pub(super) file: &'a str,
    pub(super) kind: &'a str,
    pub(super) id: &'a str,
    pub(super) problems: &'a mut Vec<String>,
}

impl Entry<'_> {
    pub(super) fn problem(&mut self, field: &str, message: &str) {
        self.problems
            .push(format!("{}: {} `{}`: {field}: {message}", self.file, self.kind, self.id));
    }

    pub(super) fn text(&mut self, field: &str, value: &str) {
        if value.trim().is_empty() {
            self.problem(field, "is empty");
        }
    }

    fn id(&mut self, field: &str, value: &str) {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        if value.is_empty() || !value.chars().all(fits) {
            self.problem(field, "must be lower-case letters, digits, dots and hyphens");
        }
    }

    pub(super) fn source(&mut self, url: &str, date: &str) {
        self.url("source", url);
        self.date("date", date);
    }

    fn url(&mut self, field: &str, url: &str) {
        let rest = url.strip_prefix("https://").unwrap_or_default();
        let host = rest.split('/').next().unwrap_or_default();
        if !host.contains('.') || url.chars().any(char::is_whitespace) {
            self.problem(field, "must be an https address");
        }
    }

    fn date(&mut self, field: &str, date: &str) {
        if day_number(date).is_none() {
            self.problem(field, &format!("`{date}` is not a date of the form YYYY-MM-DD"));
        }
    }

    /// The pair of fields that say where a figure of its own is stated.
    fn stated(&mut self, figure: &str, url: &Option<String>, date: &Option<String>) {
        self.url(&format!("{figure}_source"), url.as_deref().unwrap_or_default());
        self.date(&format!("{figure}_date"), date.as_deref().unwrap_or_default());
    }

    pub(super) fn known_gpu(&mut self, field: &str, id: &str, catalog: &Catalog) {
        if catalog.gpu(id).is_none() {
            self.problem(field, &format!("`{id}` is not in the catalog of GPUs"));
        }
    }

    pub(super) fn range(&mut self, field: &str, value: f64, low: f64, high: f64) {
        if !(low..=high).contains(&value) {
            self.problem(field, &format!("{value} is outside {low} to {high}"));
        }
    }
}

/// Days since the beginning of year 0 in months of 31 days: for order and differences in months.
pub(crate) fn day_number(date: &str) -> Option<u32> {
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let (year, month, day): (u32, u32, u32) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let valid = (2015..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    valid.then_some((year * 12 + month - 1) * 31 + day - 1)
}

/// Every problem of every entry.
pub(crate) fn check(catalog: &Catalog) -> Vec<String> {
    let mut problems = Vec::new();
    let mut gpus = BTreeSet::new();
    for (file, row) in &catalog.gpus {
        let mut entry = Entry { file, kind: "gpu", id: &row.id, problems: &mut problems };
        if !gpus.insert(row.id.as_str()) {
            entry.problem("id", "occurs twice");
        }
        check_gpu(&mut entry, row);
        check_memory(&mut entry, row, catalog);
    }
    check_generations(catalog, &mut problems);
    let mut nodes = BTreeSet::new();
    for (file, row) in &catalog.nodes {
        let mut entry = Entry { file, kind: "node", id: &row.name, problems: &mut problems };
        if !nodes.insert((row.provider.as_str(), row.name.as_str())) {
            entry.problem("name", "occurs twice for this provider");
        }
        entry.known_gpu("gpu", &row.gpu, catalog);
        check_node(&mut entry, row);
    }
    for (file, row) in &catalog.prices {
        let mut entry = Entry { file, kind: "price", id: &row.instance, problems: &mut problems };
        entry.known_gpu("gpu", &row.gpu, catalog);
        check_price(&mut entry, row);
    }
    let mut models = BTreeSet::new();
    for (file, row) in &catalog.models {
        let mut entry = Entry { file, kind: "model", id: &row.id, problems: &mut problems };
        if !models.insert(row.id.as_str()) {
            entry.problem("id", "occurs twice");
        }
        check_model(&mut entry, row);
    }
    check_licenses(catalog, &mut problems);
    offer::check(catalog, &mut problems);
    recipe::check(catalog, &mut problems);
    problems
}

/// A GPU is of a generation, by how its architecture begins.
fn check_generations(catalog: &Catalog, problems: &mut Vec<String>) {
    let mut names = BTreeSet::new();
    for (file, row) in &catalog.generations {
        let mut entry = Entry { file, kind: "generation", id: &row.name, problems };
        entry.text("name", &row.name);
        entry.source(&row.source, &row.date);
        if let Some(capability) = row.compute_capability {
            entry.range("compute_capability", capability, 3.0, 30.0);
        }
        if !names.insert(row.name.as_str()) {
            entry.problem("name", "occurs twice");
        }
    }
    for (file, row) in &catalog.gpus {
        let mut entry = Entry { file, kind: "gpu", id: &row.id, problems };
        if !names.iter().any(|name| row.architecture.starts_with(name)) {
            let message = format!("`{}` begins with no generation's name", row.architecture);
            entry.problem("architecture", &message);
        }
    }
}

/// A licence names models of its own file, and no model has two.
fn check_licenses(catalog: &Catalog, problems: &mut Vec<String>) {
    let mut licensed = BTreeSet::new();
    for (file, row) in &catalog.licenses {
        let mut entry = Entry { file, kind: "license", id: &row.name, problems };
        entry.text("name", &row.name);
        entry.source(&row.source, &row.date);
        let mut of_file = catalog.models.iter().filter(|(other, _)| other == file);
        for id in row.models.iter().flatten() {
            if !of_file.clone().any(|(_, model)| model.id == *id) {
                entry.problem("models", &format!("`{id}` is no model of this file"));
            }
        }
        for (_, model) in of_file.by_ref().filter(|(_, model)| row.covers(model)) {
            if !licensed.insert(&model.id) {
                entry.problem("models", &format!("`{}` has another licence", model.id));
            }
        }
    }
}

fn check_gpu(entry: &mut Entry<'_>, row: &GpuRow) {
    entry.id("id", &row.id);
    entry.text("name", &row.name);
    entry.text("architecture", &row.architecture);
    if !["nvidia", "amd", "intel", "huawei", "metax"].contains(&row.vendor.as_str()) {
        entry.problem("vendor", "must be nvidia, amd, intel, huawei or metax");
    }
    entry.range("memory_gb", row.memory_gb, 8.0, 1024.0);
    entry.range("hbm_gb_per_s", row.hbm_gb_per_s, 100.0, 50_000.0);
    entry.range("nvlink_gb_per_s", row.nvlink_gb_per_s, 0.0, 5_000.0);
    entry.range("pcie_gb_per_s", row.pcie_gb_per_s, 5.0, 500.0);
    entry.range("nvlink_domain", f64::from(row.nvlink_domain), 1.0, 1024.0);
    entry.range("gpus_per_node", f64::from(row.gpus_per_node), 1.0, 128.0);
    entry.range("internode_gbit_per_s", row.internode_gbit_per_s, 0.0, 10_000.0);
    for (field, value) in [
        ("bf16_dense_tflops", row.bf16_dense_tflops),
        ("fp16_dense_tflops", row.fp16_dense_tflops),
        ("fp8_dense_tflops", row.fp8_dense_tflops),
        ("fp4_dense_tflops", row.fp4_dense_tflops),
    ] {
        entry.range(field, value.unwrap_or(1.0), 1.0, 100_000.0);
    }
    if row.bf16_dense_tflops.is_none() && row.fp16_dense_tflops.is_none() {
        entry.problem("bf16_dense_tflops", "a GPU needs a dense bf16 or fp16 peak");
    }
    // A search over shapes can beat the sheet's boost clock a little, never by much.
    let peak = row.bf16_dense_tflops.or(row.fp16_dense_tflops).unwrap_or(1.0);
    entry.range("gemm_bf16_tflops", row.gemm_bf16_tflops.unwrap_or(1.0), 1.0, peak);
    entry.range("mamf_bf16_tflops", row.mamf_bf16_tflops.unwrap_or(1.0), 1.0, 1.1 * peak);
    entry.range("gemm_fp8_tflops", row.gemm_fp8_tflops.unwrap_or(1.0), 1.0, row.fp8_dense_tflops.unwrap_or(1.0));
    entry.range("measured_hbm_gb_per_s", row.measured_hbm_gb_per_s.unwrap_or(1.0), 1.0, row.hbm_gb_per_s);
    if let Some(watts) = row.board_w {
        entry.range("board_w", watts, 30.0, 5000.0);
        entry.stated("board_w", &row.board_w_source, &row.board_w_date);
    } else if row.board_w_source.is_some() || row.board_w_date.is_some() {
        entry.problem("board_w", "is missing, though it has a source");
    }
    if (row.nvlink_gb_per_s > 0.0) != (row.nvlink_domain > 1) {
        entry.problem("nvlink_domain", "must be over 1 exactly where nvlink_gb_per_s is over 0");
    }
    entry.source(&row.source, &row.date);
}

/// Usable memory is shown by a page, or is that of a card of which a page shows it.
fn check_memory(entry: &mut Entry<'_>, row: &GpuRow, catalog: &Catalog) {
    match (row.memory_gib, &row.memory_as) {
        (Some(gib), None) => {
            entry.stated("memory", &row.memory_source, &row.memory_date);
            if gib >= row.memory_gb {
                entry.problem(
                    "memory_gib",
                    &format!("{gib} is the memory as sold, not what CUDA or ROCm shows a process"),
                );
            }
            entry.range("memory_gib", gib, 0.8 * row.memory_gb, row.memory_gb);
        }
        (None, Some(_)) if row.memory_source.is_some() || row.memory_date.is_some() => {
            entry.problem("memory_as", "has the source of that card, and none of its own");
        }
        (None, Some(id)) => match catalog.gpu(id) {
            Some(sister) if sister.memory_gib.is_none() => {
                entry.problem("memory_as", &format!("`{id}` has no figure of its own"));
            }
            Some(sister) if sister.vendor != row.vendor => {
                entry.problem("memory_as", &format!("`{id}` is of another vendor"));
            }
            _ => entry.known_gpu("memory_as", id, catalog),
        },
        _ => entry.problem(
            "memory_gib",
            "give what CUDA or ROCm shows a process, with memory_source and memory_date, or memory_as: \
             the card that leaves the same share of its memory",
        ),
    }
}

fn check_node(entry: &mut Entry<'_>, row: &NodeRow) {
    entry.text("name", &row.name);
    entry.text("provider", &row.provider);
    entry.range("gpus", f64::from(row.gpus), 1.0, 128.0);
    entry.range("nvlink_domain", f64::from(row.nvlink_domain), 1.0, 1024.0);
    entry.range("network_gbit_per_s", row.network_gbit_per_s.unwrap_or(1.0), 1.0, 100_000.0);
    entry.range("host_ram_gib", row.host_ram_gib.unwrap_or(16.0), 8.0, 100_000.0);
    match (&row.host_ram_source, &row.host_ram_date) {
        (None, None) => {}
        _ if row.host_ram_gib.is_none() => {
            entry.problem("host_ram_gib", "is missing although it has a source or a date")
        }
        (source, date) => entry.stated("host_ram", source, date),
    }
    if let Some(usd) = row.usd_per_hour {
        entry.range("usd_per_hour", usd / f64::from(row.gpus.max(1)), 0.05, 100.0);
        entry.text("price_kind", &row.price_kind);
        entry.date("price_date", &row.price_date);
        entry.url("price_source", row.price_source.as_deref().unwrap_or(&row.source));
    } else if !row.price_kind.is_empty() || !row.price_date.is_empty() {
        entry.problem("usd_per_hour", "is missing although the price has a kind or a date");
    }
    entry.source(&row.source, &row.date);
}

fn check_price(entry: &mut Entry<'_>, row: &PriceRow) {
    entry.text("instance", &row.instance);
    entry.text("provider", &row.provider);
    entry.text("kind", &row.kind);
    entry.range("gpus", f64::from(row.gpus), 1.0, 128.0);
    entry.range("usd_per_hour", row.usd_per_hour / f64::from(row.gpus.max(1)), 0.05, 100.0);
    entry.source(&row.source, &row.date);
}

fn check_model(entry: &mut Entry<'_>, row: &ModelRow) {
    entry.id("id", &row.id);
    entry.text("name", &row.name);
    entry.text("family", &row.family);
    entry.text("model_type", &row.model_type);
    if !row.hf_repo.is_empty() && row.hf_repo.split('/').count() != 2 {
        entry.problem("hf_repo", "must be owner/name");
    }
    if row.also.iter().any(|repo| repo.split('/').count() != 2) {
        entry.problem("also", "must be of owner/name");
    }
    for (field, value) in row.numbers() {
        let high = match field {
            "hidden_size" | "num_attention_heads" | "num_key_value_heads" | "head_dim" => 1e6,
            "num_hidden_layers" | "norms_per_layer" => 1e4,
            "num_experts" | "num_experts_per_tok" | "expert_groups" | "expert_groups_per_tok" => 1e5,
            _ => 2e7,
        };
        if value as f64 > high {
            entry.problem(field, &format!("{value} is over {high}"));
        }
    }
    for (field, value) in [
        ("hidden_size", row.hidden_size),
        ("num_hidden_layers", row.num_hidden_layers),
        ("num_attention_heads", row.num_attention_heads),
        ("num_key_value_heads", row.num_key_value_heads),
        ("head_dim", row.head_dim),
        ("vocab_size", row.vocab_size),
    ] {
        if value.unwrap_or(0) == 0 {
            entry.problem(field, "is missing");
        }
    }
    let heads = row.num_attention_heads.unwrap_or(1);
    if !heads.is_multiple_of(row.num_key_value_heads.unwrap_or(1).max(1)) {
        entry.problem("num_key_value_heads", "must divide num_attention_heads");
    }
    if row.num_experts_per_tok.unwrap_or(0) > row.num_experts.unwrap_or(0) {
        entry.problem("num_experts_per_tok", "must not be over num_experts");
    }
    if row.expert_groups.is_some() != row.expert_groups_per_tok.is_some()
        || row.expert_groups_per_tok >= row.expert_groups.or(Some(u64::MAX))
    {
        entry.problem("expert_groups_per_tok", "must be below expert_groups, and neither stand without the other");
    }
    if row.num_experts.is_some() && row.moe_intermediate_size.unwrap_or(0) == 0 {
        entry.problem("moe_intermediate_size", "is missing in a model with experts");
    }
    check_blocks(entry, row);
    entry.source(&row.source, &row.date);
}

/// What the blocks of a model are, and what belongs to each kind.
fn check_blocks(entry: &mut Entry<'_>, row: &ModelRow) {
    let word = |value: &Option<String>, allowed: &[&str]| value.as_deref().is_none_or(|word| allowed.contains(&word));
    if !word(&row.qk_norm, &["head", "full"]) {
        entry.problem("qk_norm", "must be head or full");
    }
    if !word(&row.norm, &["layer", "layer_no_bias"]) {
        entry.problem("norm", "must be layer or layer_no_bias; absent for rms");
    }
    let pattern = row.layer_pattern.as_deref().unwrap_or("A");
    if pattern.is_empty() || !pattern.chars().all(|c| "ASLM*E-".contains(c)) {
        entry.problem("layer_pattern", "must be of the letters A S L, or M * E -");
    }
    if pattern.contains('L') != row.linear.is_some() {
        entry.problem("linear", "belongs to models with L in layer_pattern, and only to them");
    }
    if pattern.contains('M') != row.mamba.is_some() {
        entry.problem("mamba", "belongs to models with M in layer_pattern, and only to them");
    }
    if pattern.contains('S') && row.sliding_window.unwrap_or(0) == 0 {
        entry.problem("sliding_window", "is missing although layer_pattern has S");
    }
    if let Some(vision) = &row.vision
        && super::emit::vision_kind(&vision.kind).is_none()
    {
        entry.problem("vision.kind", "is unknown");
    }
    if let Some(vision) = &row.vision {
        if (vision.window > 0) != (vision.full_blocks > 0) || vision.full_blocks > vision.layers {
            entry.problem("vision.full_blocks", "belongs to a tower with windows, and is at most its layers");
        }
        if (vision.projector > 0) != (vision.kind == "glm4v") {
            entry.problem("vision.projector", "belongs to towers of glm4v, and only to them");
        }
        if vision.heads == 0 || !vision.hidden.is_multiple_of(vision.heads) {
            entry.problem("vision.heads", "must divide the tower's width");
        }
    }
}
