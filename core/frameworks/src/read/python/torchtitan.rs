//! What of a Python program is torchtitan's: a function that makes a `Trainer.Config`, whose keywords are the keys that 0.2's TOML
//! has.

use super::names::Names;
use super::parser::Parsed;
use super::value::{Call, Given, Value};
use crate::read::settings::Setting;
use crate::read::shell::Word;
use crate::read::torchtitan::shipped;

/// Classes and functions of torchtitan 0.3.0 whose keywords are settings, and the section that each of them is.
const SECTIONS: &[(&str, &str)] = &[
    ("Trainer.Config", ""),
    ("TrainingConfig", "training."),
    ("ParallelismConfig", "parallelism."),
    ("CompileConfig", "compile."),
    ("CommConfig", "comm."),
    ("DebugConfig", "debug."),
    ("model_registry", "model."),
    ("default_adamw", "optimizer."),
    ("OptimizersContainer.Config", "optimizer."),
    ("LRSchedulersContainer.Config", "lr_scheduler."),
    ("CheckpointManager.Config", "checkpoint."),
    ("HuggingFaceTextDataLoader.Config", "dataloader."),
    ("MetricsProcessor.Config", "metrics."),
    ("Profiler.Config", "profiler."),
    ("Validator.Config", "validator."),
];

/// Classes that make a model compute otherwise, and what 0.2 called them.
const CONVERTERS: &[(&str, &str)] = &[
    ("Float8LinearConverter", "quantize.linear.float8"),
    ("Float8GroupedExpertsConverter", "quantize.grouped_mm.float8"),
    ("MXFP8LinearConverter", "quantize.linear.mx"),
    ("MXFP8GroupedExpertsConverter", "quantize.grouped_mm.mx"),
    ("NVFP4LinearConverter", "quantize.linear.nvfp4"),
    ("LoRAConverter", "lora"),
];

/// Keywords of `Trainer.Config` that name what another class of these is given, or that code alone says.
const ELSEWHERE: &[&str] = &["model_spec", "training", "parallelism", "compile", "comm", "debug", "optimizer"];

/// The section whose settings a call of this name has.
pub(super) fn section(name: &str) -> Option<&'static str> {
    let own = |class: &str| {
        name.strip_suffix(class)
            .is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    SECTIONS.iter().find(|(class, _)| own(class)).map(|(_, section)| *section)
}

/// The class before `.Config`, or the last of the names.
fn class(name: &str) -> &str {
    let name = name.strip_suffix(".Config").unwrap_or(name);
    name.rsplit('.').next().unwrap_or_default()
}

/// The settings of a program of torchtitan's; `None` where it is none.
pub(super) fn settings(text: &str, parsed: &Parsed, names: &Names<'_>) -> Option<Vec<Setting>> {
    let made = parsed.calls.iter().any(|call| section(&call.name).is_some());
    let derived = parsed.names.iter().find_map(|(name, value)| {
        let Some(Value::Call(call)) = value else {
            return None;
        };
        shipped::settings(call.last()).map(|_| (name.as_str(), call))
    });
    if !text.contains("torchtitan") || (!made && derived.is_none()) {
        return None;
    }
    let mut settings = Vec::new();
    settings.extend(family(text));
    if let Some((name, call)) = derived {
        settings.push(setting("config", Word { text: call.last().to_owned(), line: call.line, open: None }));
        assigned(parsed, names, name, &mut settings);
    }
    for call in &parsed.calls {
        if let Some(section) = section(&call.name) {
            stated(call, section, names, &mut settings);
        }
    }
    Some(settings)
}

fn setting(key: &str, word: Word) -> Setting {
    let Word { text, line, open } = word;
    Setting { key: key.to_owned(), written: key.to_owned(), value: text, line, open }
}

/// The model's family, of the line that imports its register.
fn family(text: &str) -> Option<Setting> {
    text.lines().zip(1u32..).find_map(|(line, at)| {
        let rest = line.trim_start().strip_prefix("from torchtitan.models.")?;
        let (family, _) = rest.split_once([' ', '.'])?;
        let own = line.contains("model_registry") || rest.contains(".config_registry ");
        own.then(|| setting("model.name", Word { text: family.to_owned(), line: at, open: None }))
    })
}

/// What is assigned to the fields of a configuration that starts from torchtitan's own: `config.training.steps = 100`.
fn assigned(parsed: &Parsed, names: &Names<'_>, name: &str, out: &mut Vec<Setting>) {
    for (path, value) in &parsed.names {
        let Some(key) = path.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) else {
            continue;
        };
        let line = parsed.lines.get(path).copied().unwrap_or_default();
        match value {
            Some(value) => field("", key, &Given { key: Some(key.to_owned()), value: value.clone(), line }, names, out),
            None => {
                let open = Some(path.clone());
                out.push(setting(key, Word { text: String::new(), line, open }));
            }
        }
    }
}

/// What a call states.
fn stated(call: &Call, section: &str, names: &Names<'_>, out: &mut Vec<Setting>) {
    let model = section == "model.";
    if let Some(first) = call.at(0).filter(|_| model) {
        field(section, "flavor", first, names, out);
    }
    if class(&call.name) == "default_adamw" {
        out.push(setting("optimizer.name", Word { text: "AdamW".to_owned(), line: call.line, open: None }));
    }
    for given in &call.given {
        if let Some(key) = given.key.as_deref() {
            field(section, key, given, names, out);
        }
    }
}

/// One keyword.
fn field(section: &str, key: &str, given: &Given, names: &Names<'_>, out: &mut Vec<Setting>) {
    let value = names.follow(&given.value);
    let say = |key: &str, text: &str| setting(key, Word { text: text.to_owned(), line: given.line, open: None });
    match (section, key, value) {
        ("", "activation_checkpoint", Value::Call(call)) => {
            let mode = match class(&call.name) {
                "FullAC" => "full",
                "SelectiveAC" => "selective",
                "MemoryBudgetAC" => "memory_budget",
                other => other,
            };
            out.push(say("activation_checkpoint.mode", mode));
        }
        ("", "activation_checkpoint", Value::Plain { .. }) => out.push(say("activation_checkpoint.mode", "none")),
        ("", "loss", Value::Call(call)) => out.push(say("loss", class(&call.name))),
        ("", "hf_assets_path", _) => out.push(setting("model.hf_assets_path", names.word(value, given.line))),
        ("", _, _) if ELSEWHERE.contains(&key) => {}
        ("model.", "converters", Value::List(items)) => {
            let known = |(item, _): &(Value, u32)| match names.follow(item) {
                Value::Call(call) => {
                    let name = class(&call.name);
                    let own = CONVERTERS.iter().find(|(class, _)| *class == name);
                    own.map_or(name, |(_, word)| word).to_owned()
                }
                other => other.depends(),
            };
            let words: Vec<String> = items.iter().take(16).map(known).collect();
            out.push(say("model.converters", &format!("[{}]", words.join(", "))));
        }
        ("compile.", "components", Value::List(items)) => {
            let words: Vec<String> = items
                .iter()
                .take(16)
                .map(|(item, line)| format!("\"{}\"", names.word(item, *line).text))
                .collect();
            out.push(say("compile.components", &format!("[{}]", words.join(", "))));
        }
        // What is made of other classes is told by theirs.
        ("", _, Value::Call(_) | Value::Name(_)) => {}
        _ => out.push(setting(&format!("{section}{key}"), names.word(value, given.line))),
    }
}
