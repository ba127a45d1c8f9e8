//! The optimizer that a text names.

use super::draft::Draft;
use super::printable::short;
use super::value;
use shardwise_question::wire::Optimizer;

/// Names of an optimizer in small letters without what stands between its words: Hugging Face's `optim` (transformers 5.23.0,
/// `OptimizerNames`), classes of PyTorch, bitsandbytes and torchao, `DeepSpeed`'s and Megatron's words.
const NAMES: &[(Optimizer, &[&str])] = &[
    (
        Optimizer::Adamw,
        &[
            "adam",
            "adamw",
            "adamwtorch",
            "adamwtorchfused",
            "adamwapexfused",
            "adamwhf",
            "fusedadam",
            "torchadam",
            "onebitadam",
            // Two moments, or an average in the place of one.
            "stableadamw",
            "schedulefreeadamw",
        ],
    ),
    (Optimizer::Adamw8bit, &["adam8bit", "adamw8bit", "adamwbnb8bit", "adamwtorch8bit", "aoadamw8bit"]),
    (Optimizer::PagedAdamw, &["pagedadam", "pagedadamw", "pagedadamw32bit"]),
    (Optimizer::PagedAdamw8bit, &["pagedadam8bit", "pagedadamw8bit"]),
    (Optimizer::Adafactor, &["adafactor"]),
    (Optimizer::Lion, &["lion", "lion32bit", "fusedlion", "pagedlion", "pagedlion32bit"]),
    (Optimizer::Lion8bit, &["lion8bit", "pagedlion8bit"]),
    (Optimizer::Sgd, &["sgd"]),
    (Optimizer::Muon, &["muon", "distmuon"]),
];

/// The optimizer of a name.
pub(crate) fn named(name: &str) -> Option<Optimizer> {
    let plain: String = value::unquoted(name)
        .chars()
        .filter(|c| *c != '_' && *c != '-')
        .map(|c| c.to_ascii_lowercase())
        .collect();
    NAMES
        .iter()
        .find(|(_, names)| names.contains(&plain.as_str()))
        .map(|(own, _)| *own)
}

/// Takes the optimizer that `key` names for the plan at `plan`, and says which; `momentum` is SGD's, none where it keeps none.
pub(crate) fn take(draft: &mut Draft, key: &str, plan: &str, momentum: Option<f64>) -> Option<Optimizer> {
    let name = draft.word(key)?;
    // torchao's two moments of half a byte each.
    if matches!(name.as_str(), "adamw_torch_4bit" | "ao_adamw_4bit") {
        draft.set(&format!("{plan}.optimizer_bytes"), 1.0);
        return Some(Optimizer::Adamw);
    }
    // Three moments (bitsandbytes, `optim/ademamix.py`).
    if let Some(bits) = name.strip_prefix("paged_").unwrap_or(&name).strip_prefix("ademamix") {
        draft.set(&format!("{plan}.optimizer_bytes"), if bits.contains("8bit") { 3.0 } else { 12.0 });
        return Some(Optimizer::Adamw);
    }
    let Some(own) = named(&name) else {
        draft.settle(key);
        let why =
            "The estimate has no such optimizer: adamw stands in for it. State plan.optimizer_bytes for what it keeps.";
        draft.unread(&format!("{key} = {}", short(&name)), why, 0);
        draft
            .doubt(0, format!("{} is no optimizer of the estimate's, which counts adamw's two moments.", short(&name)));
        return None;
    };
    if own != Optimizer::Adamw {
        draft.set(&format!("{plan}.optimizer"), own.as_str());
    }
    if own == Optimizer::Sgd && momentum.is_some_and(|momentum| momentum > 0.0) {
        draft.set(&format!("{plan}.optimizer_bytes"), 4.0);
    }
    Some(own)
}
