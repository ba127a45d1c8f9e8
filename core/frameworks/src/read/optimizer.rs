//! The optimizer that a text names.

use super::draft::Draft;
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
        ],
    ),
    (Optimizer::Adamw8bit, &["adam8bit", "adamw8bit", "adamwbnb8bit", "adamwtorch8bit", "aoadamw8bit"]),
    (Optimizer::PagedAdamw, &["pagedadam", "pagedadamw", "pagedadamw32bit"]),
    (Optimizer::PagedAdamw8bit, &["pagedadam8bit", "pagedadamw8bit"]),
    (Optimizer::Adafactor, &["adafactor"]),
    (Optimizer::Lion, &["lion", "lion32bit", "fusedlion"]),
    (Optimizer::Lion8bit, &["lion8bit"]),
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
    let Some(own) = named(&name) else {
        draft.settle(key);
        let why =
            "The estimate has no such optimizer: adamw stands in for it. State plan.optimizer_bytes for what it keeps.";
        draft.unread(key, why, 0);
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
