//! torchtitan: the function that makes its configuration, or the TOML of `torchtitan.train` up to 0.2.2, and options of the command
//! that hold against them.

mod keys;
mod plan;
pub(super) mod shipped;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use std::collections::BTreeMap;

use super::draft::Draft;
use super::launch::{self, machine};
use super::link::Base;
use super::model;
use super::printable::short;
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::shell::{Script, Word};
use super::text::{Kind, Part, stated_in_files};
use super::value;
use shardwise_catalog::catalog::{self, ModelEntry};
use shardwise_rules::torchtitan::flavor_called;

/// Whether settings are a configuration of torchtitan's: no other names a flavor, or a degree of each kind of parallelism.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    let any = |start: &str| settings.iter().any(|setting| setting.key.starts_with(start));
    (has("model.flavor") && (any("training.") || any("parallelism.") || any("optimizer.")))
        || any("parallelism.data_parallel_")
        || has("parallelism.tensor_parallel_degree")
        || has("training.seq_len") && has("training.local_batch_size")
}

/// The release from which on it is configured in Python.
const IN_PYTHON: &str = "0.3.0";

/// Reads torchtitan's texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Torchtitan, keys::SECTIONS, base);
    let mut filed = false;
    for setting in stated_in_files(parts) {
        filed = true;
        draft.state(setting);
    }
    let mut file = None;
    let mut python = false;
    for part in parts {
        match &part.kind {
            Kind::Shell(script) => {
                file = command(&mut draft, script).or(file);
                python |= script.of_python;
            }
            Kind::Json(_) => draft.unread("JSON", "torchtitan takes a function in Python, or TOML, and options.", 0),
            Kind::File(_) => {}
        }
    }
    if python && filed || draft.states("config") || draft.states("module") {
        file = started_from(&mut draft).or(file);
    } else {
        draft.shows_older(IN_PYTHON);
        // What 0.2 carried or took, and 0.3 does not.
        for field in ["model", "workload.sequence_length", "plan.expert_tensor_parallel", "plan.optimizer_in_backward"]
        {
            draft.overrule(field);
        }
        draft.note(0, "This is for torchtitan 0.2 or older. 0.3 is configured in Python, with most of these names.");
    }
    if let Some(file) = file.filter(|_| !filed) {
        draft.names(&file);
        draft.note(0, format!("{:?} has further settings and is not here: paste it too.", short(&file)));
    }
    question(&mut draft);
    draft.finish(Some("torchtitan"))
}

/// States what the function that the command or the program starts from sets, where nothing else does; the file that has it, where
/// it is none of torchtitan's own.
fn started_from(draft: &mut Draft) -> Option<String> {
    let function = draft.known("config");
    let own: Option<BTreeMap<&str, &str>> = function.as_deref().and_then(shipped::settings).map(Iterator::collect);
    let Some(own) = own else {
        let module = draft.known("module")?;
        return Some(format!("{}.py", module.replace('.', "/")));
    };
    for (key, value) in own {
        if !draft.states(key) {
            let setting =
                Setting { key: key.to_owned(), written: key.to_owned(), value: value.to_owned(), ..Setting::default() };
            draft.state(setting);
        }
    }
    let name = short(&function.unwrap_or_default());
    draft.note(0, format!("What {name} of torchtitan 0.3.0 sets holds where the text states nothing else."));
    None
}

/// States what a script's command says; the file of settings that it names.
fn command(draft: &mut Draft, script: &Script) -> Option<String> {
    let mut launch = launch::find(script, Dialect::Torchtitan);
    let chosen = chosen(&mut launch.after);
    let mut file = None;
    for setting in launch::arguments(&launch.after).into_iter().chain(chosen) {
        let setting = plain(setting);
        if setting.key == "job.config_file" && setting.open.is_none() {
            file = Some(setting.value.clone());
        }
        draft.state(setting);
    }
    machine(draft, launch.before);
    let variable = |name: &str| {
        let words = launch.environment.iter().rev().filter(|word| word.open.is_none());
        words
            .filter_map(|word| word.text.strip_prefix(name)?.strip_prefix('='))
            .find(|value| !value.is_empty())
    };
    // `run_train.sh` gives torchrun what NGPU says, 8 where nothing does.
    if draft.field("hardware.gpus").is_none()
        && let Some(gpus) = variable("NGPU")
            .and_then(value::whole)
            .and_then(|gpus| u64::try_from(gpus).ok())
    {
        draft.set("hardware.gpus", gpus.max(1));
        draft.set("hardware.gpus_per_node", gpus.max(1));
    }
    let file = file.or_else(|| variable("CONFIG_FILE").map(str::to_owned));
    for (name, key) in [("MODULE", "module"), ("CONFIG", "config")] {
        if let Some(value) = variable(name) {
            let (key, value) = (key.to_owned(), value.to_owned());
            draft.state(Setting { written: name.to_owned(), key, value, ..Setting::default() });
        }
    }
    launch.report(draft, script);
    file
}

/// Takes out of the words those that choose what is computed again: `activation-checkpoint:full` (tyro's subcommands,
/// `distributed/activation_checkpoint.py:332`).
fn chosen(words: &mut Vec<Word>) -> Vec<Setting> {
    const KEY: &str = "activation_checkpoint";
    let of = |word: &Word| {
        let (key, mode) = word.text.split_once(':')?;
        (key.replace('-', "_") == KEY).then(|| mode.replace('-', "_"))
    };
    let say = |word: &Word| {
        Some(Setting {
            key: format!("{KEY}.mode"),
            written: word.text.clone(),
            value: of(word)?,
            line: word.line,
            open: word.open.clone(),
        })
    };
    let out = words.iter().filter_map(say).collect();
    words.retain(|word| of(word).is_none());
    out
}

/// A key without the dashes; `--parallelism.no-enable-…` says the opposite.
fn plain(mut setting: Setting) -> Setting {
    let key = setting.key.trim_start_matches('-');
    setting.key = match key.split_once(".no_") {
        // 0.3's, which is none of a section.
        None if key == "hf_assets_path" => "model.hf_assets_path".to_owned(),
        Some((section, name)) if setting.value == "True" => {
            setting.value = "False".to_owned();
            format!("{section}.{name}")
        }
        _ => key.to_owned(),
    };
    setting
}

fn question(draft: &mut Draft) {
    draft.set("workload.kind", "pretrain");
    // Documents are joined until a sequence is full.
    draft.set("workload.packing", true);
    let entry = model(draft);
    draft.take_count("training.seq_len", "workload.sequence_length", Some(2048));
    precision(draft);
    let ranks = plan::layout(draft, entry);
    plan::batch(draft, ranks);
    plan::states(draft);
    plan::recompute(draft);
    let compiles = draft.is_on("compile.enable");
    let loss = match draft.text("compile.components") {
        Some(parts) => value::list(&parts).iter().any(|part| part == "loss"),
        None => true,
    };
    draft.set("plan.fused_loss", compiles && loss);
    draft.set("plan.fused_lm_head", draft.known("loss").is_some_and(|loss| loss == "ChunkedLossWrapper"));
    draft.take_count("training.steps", "workload.run.steps", None);
    let optimizer = draft.word("optimizer.name").unwrap_or_default();
    if !matches!(optimizer.as_str(), "" | "AdamW" | "Adam") {
        let why = format!("{optimizer:?} is no optimizer of torchtitan's here. Write AdamW or Adam.");
        draft.refuse("optimizer.name", why, 0);
    }
    if draft.is_on("optimizer.early_step_in_backward") {
        draft.set("plan.optimizer_in_backward", true);
    }
}

/// The model by its family and flavor; of several of one shape the one whose tokenizer is read.
fn model(draft: &mut Draft) -> Option<&'static ModelEntry> {
    if draft.states("hf_transformers.model") {
        return draft.take_model("hf_transformers.model", "model");
    }
    // A register of its own folder is imported without the family's name.
    let usual = if draft.predates(IN_PYTHON) { "llama3" } else { "" };
    let family = draft.word("model.name").unwrap_or_else(|| usual.to_owned());
    let flavor = draft.word("model.flavor");
    let assets = draft
        .known("model.hf_assets_path")
        .filter(|path| !path.contains("tests/assets"));
    let assets = assets.as_deref().and_then(model::find);
    let Some(flavor) = flavor else {
        let why = "torchtitan takes the model from model.flavor, which the text does not state.";
        return draft.model_otherwise("model.flavor", None, why);
    };
    if let Some(own) = flavor_called(&family, &flavor) {
        let is_own = |entry: &&ModelEntry| own.is_of(&entry.shape);
        let same = catalog::models().iter().filter(is_own);
        let named = assets.map(|entry| entry.id);
        if let Some(entry) = same.min_by_key(|entry| (Some(entry.id) != named, entry.id.len())) {
            draft.set("model", entry.id);
            return Some(entry);
        }
    }
    // An experiment's flavors are the names of models on Hugging Face.
    if let Some(entry) = Some(flavor.as_str()).filter(|name| name.contains('/')).and_then(model::find) {
        draft.set("model", entry.id);
        return Some(entry);
    }
    let small = flavor.starts_with("debug");
    match assets.filter(|_| !small) {
        Some(entry) => {
            let why = format!("torchtitan has no flavor {flavor} of {family} here; hf_assets_path names this model.");
            draft.assume("model", entry.id, why);
            Some(entry)
        }
        None => {
            let what = if small { "a small model to try things with" } else { "no flavor of torchtitan's" };
            let why = format!("{family}'s {} is {what}, which the catalog does not know.", short(&flavor));
            draft.model_otherwise("model.flavor", None, &why)
        }
    }
}

/// Precision of the products, by what converts the model.
fn precision(draft: &mut Draft) {
    let converters = draft
        .text("model.converters")
        .map(|text| value::list(&text))
        .unwrap_or_default();
    let narrow = |names: [&str; 2]| converters.iter().any(|own| names.iter().any(|name| own == name));
    let word = if narrow(["mx", "quantize.linear.mx"]) {
        "mxfp8"
    } else if narrow(["float8", "quantize.linear.float8"]) {
        "fp8"
    } else {
        "bf16"
    };
    draft.set("workload.precision", word);
    if converters.iter().any(|own| own == "quantize.linear.nvfp4" || own == "lora") {
        draft.stands_in(
            0,
            "Adapters and products in 4 bits are not modelled of torchtitan's: the estimate is of all weights in bf16.",
        );
    }
    if draft.word("training.mixed_precision_param").as_deref() == Some("float32") {
        draft.doubt(0, "The products are in fp32, which is not modelled: the estimate is of bf16.");
    }
}
