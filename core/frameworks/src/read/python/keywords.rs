//! Keywords of configurations, adapters and of what loads a model, under TRL's names.

use super::names::Names;
use super::parser::Parsed;
use super::sorts::{Sort, sort};
use super::unsloth;
use super::value::{Call, Given, Value};
use crate::read::settings::Setting;

/// Every keyword of the configurations as a key of TRL's, in the order of the text.
/// `unsloth`: by its names, where it has others.
pub(super) fn settings(parsed: &Parsed, names: &Names<'_>, unsloth: bool) -> Vec<Setting> {
    let mut out: Vec<Setting> = Vec::new();
    let mut add = |key: String, given: &Given| {
        let word = names.word(&given.value, given.line);
        let written = given.key.clone().unwrap_or_else(|| key.clone());
        out.push(Setting { key, written, value: word.text, line: given.line, open: word.open });
    };
    let stated = |call: &&Call| {
        !matches!(sort(&call.name), None | Some(Sort::Starts | Sort::Argument | Sort::Field | Sort::Titan))
    };
    let mut trained = false;
    for call in parsed.calls.iter().filter(stated) {
        match sort(&call.name) {
            // A notebook loads behind its trainer what it has trained.
            Some(Sort::Model) if unsloth && trained => {}
            Some(Sort::Model) => {
                if let Some(given) = call.at(0).or_else(|| call.under(MODEL)) {
                    add("model_name_or_path".to_owned(), given);
                }
                let others = |given: &&Given| given.key.as_deref().is_some_and(|key| !MODEL.contains(&key));
                let own = unsloth && unsloth::loads(call);
                for given in call.given.iter().filter(others) {
                    match given.key.as_deref().filter(|_| own) {
                        Some(key) => add(key.to_owned(), given),
                        None => loaded(given, &mut add),
                    }
                }
            }
            Some(Sort::Lora) => {
                let line = Given { key: None, value: Value::plain("True"), line: call.line };
                add("use_peft".to_owned(), &line);
                for given in &call.given {
                    match given.key.as_deref() {
                        // What carries the adapters is loaded elsewhere.
                        Some("model" | "peft_config") | None => {}
                        Some(key) if unsloth && key == unsloth::CHECKPOINTING => add(key.to_owned(), given),
                        Some(key) => add(adapters(key), given),
                    }
                }
            }
            Some(Sort::Trl(_)) if call.last().ends_with("Trainer") => {
                trained = true;
                trainer(call, names, &mut add);
            }
            _ => {
                for given in &call.given {
                    match (given.key.as_deref(), &given.value) {
                        (Some("model_init_kwargs"), Value::Call(own)) => {
                            own.given.iter().for_each(|given| loaded(given, &mut add));
                        }
                        (Some(key), _) => add(key.to_owned(), given),
                        (None, _) => {}
                    }
                }
            }
        }
    }
    out
}

/// What names a model.
const MODEL: &[&str] = &["model_name", "pretrained_model_name_or_path", "model_name_or_path", "model"];

/// A keyword of what loads a model.
fn loaded(given: &Given, add: &mut impl FnMut(String, &Given)) {
    match given.key.as_deref() {
        Some("torch_dtype" | "dtype") => add("dtype".to_owned(), given),
        Some(key @ ("attn_implementation" | "load_in_4bit" | "load_in_8bit" | "max_seq_length")) => {
            add(key.to_owned(), given);
        }
        // A configuration of its own, which is read where it stands.
        Some("quantization_config" | "config") | None => {}
        Some(key) => add(format!("model_init_kwargs.{key}"), given),
    }
}

/// PEFT's keyword by TRL's name.
fn adapters(key: &str) -> String {
    match key {
        "use_gradient_checkpointing" => "gradient_checkpointing".to_owned(),
        "use_rslora" | "use_dora" => key.to_owned(),
        key if key.starts_with("lora_") => key.to_owned(),
        key => format!("lora_{key}"),
    }
}

/// What a trainer is given by itself: the model's name, and what older releases took here.
fn trainer(call: &Call, names: &Names<'_>, add: &mut impl FnMut(String, &Given)) {
    for given in &call.given {
        let is_text = matches!(names.follow(&given.value), Value::Plain { .. });
        match given.key.as_deref() {
            Some("model") if is_text => add("model_name_or_path".to_owned(), given),
            Some("max_seq_length" | "packing" | "max_length" | "beta") if is_text => {
                add(given.key.clone().unwrap_or_default(), given);
            }
            _ => {}
        }
    }
    if let Some(given) = call
        .at(0)
        .filter(|given| matches!(names.follow(&given.value), Value::Plain { .. }))
    {
        add("model_name_or_path".to_owned(), given);
    }
}
