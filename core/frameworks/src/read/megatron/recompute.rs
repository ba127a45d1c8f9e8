//! What Megatron's words about recomputation mean, in every text that has them.

use serde_json::{Value, json};

use crate::read::value;

/// What Megatron's `TransformerConfig` refuses about the layers that recompute.
pub(crate) fn layers_trouble(granularity: &str, layers: Option<u64>) -> Option<&'static str> {
    match (granularity, layers) {
        ("full", None) => Some("Full recomputation needs the layers of a unit. Add recompute_num_layers=1."),
        ("selective", Some(_)) => Some("Selective recomputation takes no number of layers. Leave it out."),
        _ => None,
    }
}

/// Whole layers of which the first `layers` of each stage are computed again.
pub(crate) fn blocks(layers: u64) -> Value {
    json!({"granularity": "full", "num_layers": layers})
}

/// Recomputation as the question writes it, and what is wrong with the words.
pub(crate) fn recompute(granularity: &str, modules: Option<&str>) -> (Value, Option<String>) {
    match granularity {
        "full" => (json!("full"), None),
        "selective" | "sel" => {
            let known = ["core_attn", "mlp", "moe", "moe_act", "layernorm", "mla_up_proj", "shared_experts"];
            let (modules, others): (Vec<String>, Vec<String>) = modules
                .map(value::list)
                .unwrap_or_default()
                .into_iter()
                .partition(|module| known.contains(&module.as_str()));
            let trouble = match others.first() {
                Some(other) => Some(format!("{other:?} is no module of Megatron. Known: {}.", known.join(", "))),
                None => (granularity == "sel").then(|| "Megatron writes it selective.".to_owned()),
            };
            let recompute = if modules.is_empty() || modules == ["core_attn"] {
                json!("selective")
            } else {
                json!({"granularity": "selective", "modules": modules})
            };
            (recompute, trouble)
        }
        "none" | "null" | "" => (json!("none"), None),
        other => (json!("none"), Some(format!("{other:?} is no granularity. Write full, selective or null."))),
    }
}
