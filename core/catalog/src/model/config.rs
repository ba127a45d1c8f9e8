//! From a question's `model` to a [`Model`]: a catalog look-up, or a `config.json`.

mod families;
mod keys;
mod layers;
mod quantization;
mod searched;
mod sizes;
mod special;
mod vision;

use std::borrow::Cow;

use serde_json::{Map, Value};

use self::keys::Keys;
use super::{Model, ParameterCounts, Reading, Shape};
use crate::catalog::{self, ModelEntry};
use crate::error::InputError;
use crate::ordered;
use crate::units::decimal;

/// Largest model the formulas are asked about, in weights.
const MOST_PARAMETERS: u64 = 1_000_000_000_000_000;

/// Keys that suffice on their own, without a `model_type`.
const NORMALISED: [&str; 29] = [
    "name",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "vocab_size",
    "max_position_embeddings",
    "tie_word_embeddings",
    "gated_mlp",
    "attention_bias",
    "sliding_window",
    "layer_types",
    "num_experts",
    "num_experts_per_tok",
    "n_group",
    "topk_group",
    "moe_intermediate_size",
    "shared_expert_intermediate_size",
    "first_k_dense_replace",
    "moe_layer_freq",
    "q_lora_rank",
    "kv_lora_rank",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "v_head_dim",
    "vision_config",
    "model_type",
];

/// The model that `value` names or describes: a catalog id, a Hugging Face repository, or an
/// object with the keys of a `config.json`.
///
/// # Errors
/// Names the field below `field` that is wrong and what would be right.
///
/// ```
/// use shardwise_core::model::resolve_model;
/// assert_eq!(resolve_model(&"Qwen/Qwen3-8B".into(), "model").unwrap().id, "qwen3-8b");
/// let error = resolve_model(&"qwen3-8".into(), "model").unwrap_err();
/// assert!(error.message.contains("Did you mean \"qwen3-8b\""), "{error}");
/// ```
pub fn resolve_model(value: &Value, field: &str) -> Result<Model, InputError> {
    match value {
        Value::String(name) => catalog::model(name).map(model_of_entry).ok_or_else(|| unknown(name, field)),
        Value::Object(map) => model_from_config(map, field),
        _ => Err(InputError::new(
            field,
            "expected a model id such as \"qwen3-8b\", a Hugging Face repository, or an object with the keys of its config.json.",
        )),
    }
}

/// A catalog entry as a model.
#[must_use]
pub fn model_of_entry(entry: &'static ModelEntry) -> Model {
    Model {
        id: Cow::Borrowed(entry.id),
        name: Cow::Borrowed(entry.name),
        hf_repo: Cow::Borrowed(entry.hf_repo),
        shape: entry.shape,
        parameters: ParameterCounts::of(&entry.shape)
            .with_stated(entry.stated_parameters, entry.stated_active_parameters),
        hybrid: entry.hybrid,
        reading: Reading::default(),
    }
}

/// The model that a `config.json` describes: a real one, whose unknown keys are ignored, read as a plain decoder
/// where its `model_type` is not known; or normalised keys alone, among which an unknown one is refused.
///
/// # Errors
/// Names the key below `field` that is missing, unknown or out of range, and the remedy.
///
/// ```
/// use serde_json::json;
/// use shardwise_core::model::model_from_config;
/// let config = json!({"hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
///     "num_attention_heads": 32, "vocab_size": 32000, "tie_word_embeddings": false});
/// let llama = model_from_config(config.as_object().unwrap(), "model").unwrap();
/// assert_eq!(llama.parameters.total, 6_738_415_616);
/// ```
pub fn model_from_config(map: &Map<String, Value>, field: &str) -> Result<Model, InputError> {
    let keys = Keys::new(map, field);
    let (shape, reading) = match keys.word("model_type")? {
        Some(model_type) => {
            if let Some(entry) = entry_of_config(model_type, &keys)? {
                return Ok(model_of_entry(entry));
            }
            families::shape(model_type, &keys)?
        }
        None => {
            refuse_unknown(&keys)?;
            (families::normalised(&keys)?, Reading::default())
        }
    };
    check(&shape, &keys)?;
    let parameters = ParameterCounts::of(&shape).with_stated(reading.outlined, reading.outlined);
    if parameters.total > MOST_PARAMETERS {
        return Err(keys.error(
            "hidden_size",
            "together with the other sizes this is a model of over 10^15 weights. Check the sizes against the model's config.json.",
        ));
    }
    let repo = match map.get("_name_or_path") {
        Some(Value::String(path)) if is_repo(path) => path.clone(),
        _ => String::new(),
    };
    let name = match map.get("name") {
        Some(Value::String(name)) if !name.trim().is_empty() => name.trim().chars().take(80).collect(),
        _ if repo.is_empty() => String::from("custom model"),
        _ => repo.clone(),
    };
    let pattern = shape.layer_pattern;
    Ok(Model {
        id: Cow::Borrowed("custom"),
        name: Cow::Owned(name),
        hf_repo: Cow::Owned(repo),
        shape,
        parameters,
        hybrid: pattern.contains(['L', 'M'])
            || shape.indexer_heads > 0
            || shape.zero_experts > 0
            || reading.outlined > 0
            || text_of(&keys)?.has("sparse_attention_config"),
        reading,
    })
}

/// Types whose layers differ in their heads: the catalog has their models in outline, and states their weights. Others of these
/// types are read by their sizes, as unknown ones are.
const IN_OUTLINE: [&str; 3] = ["mimo_v2_flash", "mimo_v2", "step3p5"];

/// The language model's part of a configuration, which is the whole where that has no others.
fn text_of<'a>(keys: &Keys<'a>) -> Result<Keys<'a>, InputError> {
    Ok(keys.nested(&["text_config"])?.unwrap_or_else(|| keys.clone()))
}

/// For architectures that the formulas do not cover, the catalog entry of this very model.
fn entry_of_config(model_type: &str, keys: &Keys<'_>) -> Result<Option<&'static ModelEntry>, InputError> {
    let only = families::is_stated_only(model_type);
    let text = text_of(keys)?;
    let family = text.word("model_type")?.unwrap_or(model_type).trim_end_matches("_text");
    if !only && !IN_OUTLINE.contains(&family) {
        return Ok(None);
    }
    let hidden = text.positive(&["hidden_size"], keys::HIDDEN)?;
    let layers = text.positive(&["num_hidden_layers"], keys::LAYERS)?;
    let entry = catalog::models().iter().find(|entry| {
        // The language model of MiMo-V2.5 is that of V2-Flash, under another type.
        (entry.model_type == family || family == "mimo_v2" && entry.model_type == "mimo_v2_flash")
            && Some(entry.shape.hidden_size) == hidden
            && Some(entry.shape.num_hidden_layers) == layers
    });
    if !only {
        return Ok(entry);
    }
    entry.map(Some).ok_or_else(|| {
        let known: Vec<&str> =
            catalog::models().iter().filter(|e| e.model_type == family).map(|e| e.id).collect();
        keys.error(
            "model_type",
            &format!(
                "the formulas do not cover {model_type}, and this is none of the catalog's models of that type ({}). Choose one of those.",
                known.join(", ")
            ),
        )
    })
}

/// Checks what one key alone cannot show.
fn check(shape: &Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    let (heads, kv) = (shape.num_attention_heads, shape.num_key_value_heads);
    if kv == 0 || !heads.is_multiple_of(kv) {
        return Err(keys.error(
            "num_key_value_heads",
            &format!("{kv} does not divide the {heads} attention heads. Give a divisor of {heads}."),
        ));
    }
    if shape.num_experts_per_tok > shape.num_experts {
        return Err(keys.error(
            "num_experts_per_tok",
            &format!(
                "a token cannot visit {} of {} experts. Give at most {}.",
                shape.num_experts_per_tok, shape.num_experts, shape.num_experts
            ),
        ));
    }
    if shape.first_k_dense_replace > shape.num_hidden_layers {
        return Err(keys.error(
            "first_k_dense_replace",
            &format!("is over the number of layers, {}. Give at most that.", shape.num_hidden_layers),
        ));
    }
    Ok(())
}

/// Refuses keys that a normalised object does not have, so that a typing error is not ignored.
fn refuse_unknown(keys: &Keys<'_>) -> Result<(), InputError> {
    for key in keys.names() {
        if NORMALISED.contains(&key.as_str()) {
            continue;
        }
        let shown: String = key.chars().take(60).collect();
        let remedy = match closest(&shown, NORMALISED) {
            Some(known) => format!("did you mean `{known}`?"),
            None => String::from("remove it."),
        };
        return Err(keys.error(
            &shown,
            &format!(
                "this key is unknown; {remedy} A whole config.json needs its `model_type`, then other keys are ignored."
            ),
        ));
    }
    Ok(())
}

/// The error of a name that is not in the catalog, with the nearest ids.
fn unknown(name: &str, field: &str) -> InputError {
    let shown: String = name.trim().chars().take(80).collect();
    if shown.is_empty() {
        return InputError::new(field, "the name is empty. Give a model id such as \"qwen3-8b\".");
    }
    let near = kin(shown.rsplit('/').next().unwrap_or(&shown));
    let ids: Vec<String> = near.iter().map(|id| format!("\"{id}\"")).collect();
    let message = if ids.is_empty() {
        format!("\"{shown}\" is not in the catalog. Give an object with the keys of its config.json.")
    } else {
        format!(
            "\"{shown}\" is not in the catalog. Did you mean {}? For another model give an object with the keys of its config.json.",
            ids.join(", ")
        )
    };
    InputError::new(field, message)
}

/// Up to three models of the catalog that a name probably means: those of few other letters, else those of the same family, the
/// nearest in size first. A name of no family has none.
fn kin(name: &str) -> Vec<&'static str> {
    let wanted = name.to_ascii_lowercase();
    let family = |id: &str| -> String { id.chars().take_while(char::is_ascii_alphabetic).collect() };
    let own = family(&wanted);
    let size = sized(&wanted);
    let mut near: Vec<(f64, &str)> = catalog::models()
        .iter()
        .filter_map(|entry| {
            let edits = strsim::levenshtein(&wanted, entry.id);
            let slip = edits <= 2 + wanted.len() / 8;
            let kindred = own.len() >= 3 && family(entry.id) == own;
            let apart = || match (size, sized(entry.id)) {
                (Some(own), Some(other)) => libm::fabs(libm::log(own / other)),
                _ => 50.0,
            };
            // A slip of the pen before another size, and both before another family.
            let cost = if slip { edits as f64 } else { 100.0 + apart() };
            (slip || kindred).then_some((if kindred { cost } else { 1e3 + cost }, entry.id))
        })
        .collect();
    ordered::sort(&mut near, &|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
    near.into_iter().take(3).map(|(_, id)| id).collect()
}

/// Billions of parameters that a name states: `6.7b`, `500m`.
fn sized(name: &str) -> Option<f64> {
    name.split(['-', '_']).find_map(|word| {
        let (number, scale) = match word.strip_suffix('b') {
            Some(number) => (number, 1.0),
            None => (word.strip_suffix('m')?, 1e-3),
        };
        decimal(number).filter(|size| *size > 0.0).map(|size| size * scale)
    })
}

/// Whether a text has the form `owner/name`.
fn is_repo(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    text.len() <= 96
        && text.split('/').count() == 2
        && !text.starts_with(['/', '.'])
        && !text.ends_with('/')
        && text.chars().all(fits)
}

/// The known word nearest to `word`, if it is near enough for a typing error.
fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 2 + word.len() / 6;
    known
        .into_iter()
        .map(|candidate| (strsim::levenshtein(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}
