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
    let (teachers, named) = (teachers(parsed, names), is_named(parsed, names));
    for call in parsed.calls.iter().filter(stated) {
        match sort(&call.name) {
            // A notebook loads behind its trainer what it has trained.
            Some(Sort::Model) if unsloth && trained => {}
            Some(Sort::Model) if teachers.contains(&call.line) => {}
            Some(Sort::Model) => {
                if let Some(given) = call.at(0).or_else(|| call.under(MODEL)) {
                    add("model_name_or_path".to_owned(), given);
                }
                if !unsloth && !named && loads_as_it_is(call) {
                    let line =
                        Given { key: Some("from_pretrained".to_owned()), value: Value::plain("auto"), line: call.line };
                    add("dtype".to_owned(), &line);
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
            Some(Sort::Lora) => lora(call, unsloth, &mut add),
            Some(Sort::Trl(_)) if is_trainer(call) => {
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

/// What puts adapters on.
fn lora(call: &Call, unsloth: bool, add: &mut impl FnMut(String, &Given)) {
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

/// Lines of the calls that load a teacher, which is read where the trainer is given it.
fn teachers(parsed: &Parsed, names: &Names<'_>) -> Vec<u32> {
    parsed
        .calls
        .iter()
        .filter(|call| is_trainer(call))
        .filter_map(|call| {
            let given = call.under(&["teacher_model"])?;
            if let Value::Call(own) = names.follow(&given.value) { Some(own.line) } else { None }
        })
        .collect()
}

/// Whether a trainer is given a model's name, which it loads by itself.
fn is_named(parsed: &Parsed, names: &Names<'_>) -> bool {
    parsed.calls.iter().filter(|call| is_trainer(call)).any(|call| {
        let model = call.at(0).or_else(|| call.under(&["model"]));
        model.is_some_and(|given| matches!(names.follow(&given.value), Value::Plain { .. }))
    })
}

fn is_trainer(call: &Call) -> bool {
    matches!(sort(&call.name), Some(Sort::Trl(_))) && call.last().ends_with("Trainer")
}

/// What names a model that is given by its name, or as what is loaded by one.
fn named_by<'a>(names: &'a Names<'_>, given: &'a Given) -> Option<&'a Given> {
    match names.follow(&given.value) {
        Value::Plain { .. } => Some(given),
        Value::Call(call) => call.at(0).or_else(|| call.under(MODEL)),
        _ => None,
    }
}

/// Whether a call loads weights in the type of their checkpoint: Transformers 5 does where no `dtype` says otherwise (5.23.0,
/// `modeling_utils.py`, line 4177).
fn loads_as_it_is(call: &Call) -> bool {
    let class = call.name.rsplit('.').nth(1).unwrap_or_default();
    !class.contains("Peft") && call.under(&["dtype", "torch_dtype"]).is_none()
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
            Some("teacher_model") => {
                if let Some(own) = named_by(names, given) {
                    add("teacher_model_name_or_path".to_owned(), own);
                }
            }
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
