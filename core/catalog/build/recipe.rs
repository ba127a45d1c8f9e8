//! Layouts that frameworks publish: what an entry must be.

use std::collections::BTreeSet;

use super::check::Entry;
use super::rows::{Catalog, ModelRow, PublisherRow, RecipeRow, SizesRow};

/// The words of `workload.kind` that train.
const KINDS: [&str; 15] = [
    "pretrain",
    "sft",
    "lora",
    "qlora",
    "ppo",
    "grpo",
    "dapo",
    "gspo",
    "dr_grpo",
    "cispo",
    "gmpo",
    "rloo",
    "reinforce_plus_plus",
    "remax",
    "prime",
];

/// Every problem of publishers and recipes.
pub(super) fn check(catalog: &Catalog, problems: &mut Vec<String>) {
    let mut names = BTreeSet::new();
    for (file, row) in &catalog.publishers {
        let mut entry = Entry { file, kind: "publisher", id: &row.name, problems };
        if !names.insert(row.name.as_str()) {
            entry.problem("name", "occurs twice");
        }
        check_publisher(&mut entry, row);
    }
    let mut known = BTreeSet::new();
    for (file, row) in &catalog.recipes {
        let mut entry =
            Entry { file, kind: "recipe", id: &format!("{} {} of {}", row.model, row.kind, row.publisher), problems };
        if !known.insert(((&row.model, &row.kind, &row.publisher), (&row.gpu, row.gpus, row.sequence_length))) {
            entry.problem("model", "occurs twice for this kind and machine");
        }
        if !names.contains(row.publisher.as_str()) {
            entry.problem("publisher", "has no entry");
        }
        check_recipe(&mut entry, row, catalog);
    }
}

fn check_publisher(entry: &mut Entry<'_>, row: &PublisherRow) {
    entry.text("name", &row.name);
    entry.source(&row.source, &row.date);
    let hash = |part: &str| part.len() == 40 && part.chars().all(|c| c.is_ascii_hexdigit());
    if !row.source.ends_with('/') || !row.source.split('/').any(hash) {
        entry.problem("source", "must be a folder at a commit, with / at its end");
    }
}

fn check_recipe(entry: &mut Entry<'_>, row: &RecipeRow, catalog: &Catalog) {
    if !KINDS.contains(&row.kind.as_str()) {
        entry.problem("kind", "must be one that trains, as in workload.kind");
    }
    if row.file.is_empty() || row.file.starts_with('/') || row.file.contains(char::is_whitespace) {
        entry.problem("file", "must be a path in the publisher's folder");
    }
    if let Some(gpu) = &row.gpu {
        entry.known_gpu("gpu", gpu, catalog);
    }
    if row.gpu.is_some() && row.gpus.is_none() {
        entry.problem("gpus", "is missing beside gpu");
    }
    entry.range("gpus", row.gpus.unwrap_or(1).into(), 1.0, 1e5);
    let length = row.sequence_length.unwrap_or(1024);
    entry.range("sequence_length", length as f64, 128.0, 1e7);
    match catalog.models.iter().find(|(_, own)| own.id == row.model) {
        Some((_, model)) => check_sizes(entry, row, model),
        None => entry.problem("model", "is not in the catalog of models"),
    }
}

/// A size that is left open counts as 1.
fn check_sizes(entry: &mut Entry<'_>, row: &RecipeRow, model: &ModelRow) {
    let named = named(&row.sizes);
    for (name, size) in named {
        entry.range(&format!("sizes.{name}"), size.unwrap_or(1).into(), 1.0, 1024.0);
    }
    let [tp, pp, vpp, cp, ep, etp] = named.map(|(_, size)| u64::from(size.unwrap_or(1).clamp(1, 1024)));
    if [tp, pp, cp, ep, etp].into_iter().all(|size| size == 1) {
        entry.problem("sizes", "splits nothing");
    }
    if vpp > 1 && pp == 1 {
        entry.problem("sizes.vpp", "belongs to a pipeline of several stages");
    }
    let layers = model.num_hidden_layers.unwrap_or(0);
    if pp > layers {
        entry.problem("sizes.pp", "has more stages than the model has layers");
    }
    if vpp > 1 && !layers.is_multiple_of(pp * vpp) {
        entry.problem("sizes.vpp", "has chunks of unequal depth: leave it open");
    }
    let experts = model.num_experts.unwrap_or(0);
    if experts == 0 && (row.sizes.expert_parallel.is_some() || row.sizes.expert_tensor_parallel.is_some()) {
        entry.problem("sizes.ep", "belongs to models with experts");
    } else if experts > 0 && !experts.is_multiple_of(ep) {
        entry.problem("sizes.ep", &format!("{ep} does not divide {experts} experts"));
    }
    let gpus = row.gpus.map_or(0, u64::from);
    for (what, split) in [("TP × PP × CP", tp * pp * cp), ("EP × ETP × PP", ep * etp * pp)] {
        if !gpus.is_multiple_of(split) {
            entry.problem("sizes", &format!("{what} is {split}: no divisor of {gpus} GPUs"));
        }
    }
}

fn named(sizes: &SizesRow) -> [(&'static str, Option<u32>); 6] {
    [
        ("tp", sizes.tensor_parallel),
        ("pp", sizes.pipeline_parallel),
        ("vpp", sizes.virtual_pipeline),
        ("cp", sizes.context_parallel),
        ("ep", sizes.expert_parallel),
        ("etp", sizes.expert_tensor_parallel),
    ]
}
