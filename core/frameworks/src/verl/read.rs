//! A pasted command of veRL as a question: hydra's overrides, alone or at the end of a script.

mod distillation;
mod engine;
mod refusals;
mod reinforcement;
mod roles;

use super::keys::{SECTIONS, read_as};
use super::role::FINE_TUNING;
use crate::read::draft::Draft;
use crate::read::launch::{self, Launch, machine};
use crate::read::link::Base;
use crate::read::settings::Setting;
use crate::read::shell::Word;
use crate::read::text::{Kind, Part, stated_in_yaml};
use crate::read::{Dialect, Reading, Trouble};

/// Prefixes of the engine that generates and of the reference policy.
const ROLLOUT: &str = "actor_rollout_ref.rollout.";
const REF: &str = "actor_rollout_ref.ref.";

/// Reads veRL's texts: YAML first, then the overrides, as hydra does.
pub(crate) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Verl, SECTIONS, base);
    let mut trains_on_texts = false;
    let mut program = String::new();
    let mut before: Vec<Word> = Vec::new();
    for setting in stated_in_yaml(parts) {
        state(&mut draft, setting);
    }
    for part in parts {
        match &part.kind {
            Kind::Yaml(_) => {}
            Kind::Shell(script) => {
                let launch = launch::find(script, Dialect::Verl);
                overrides(&mut draft, &launch);
                launch.report(&mut draft, script);
                if !launch.program.is_empty() {
                    program = launch.program.to_owned();
                    before = launch.before.to_vec();
                    trains_on_texts |= launch.program.contains("sft_trainer");
                }
            }
            Kind::Json(_) => draft.unread("{…}", "veRL reads no JSON.", 0),
        }
    }
    let yaml = parts.iter().any(|part| matches!(part.kind, Kind::Yaml(_)));
    draft.snippet = program.is_empty() && !yaml;
    if trains_on_texts {
        fine_tuning(&mut draft, &before);
    } else {
        reinforcement::read(&mut draft, &program);
    }
    draft.finish(Some("verl"))
}

/// The overrides of hydra: `key=value`, `+key=value`, `++key=value`, `~key`.
fn overrides(draft: &mut Draft, launch: &Launch) {
    let mut words = launch.after.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if let Some(option) = text.strip_prefix("--") {
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, value),
                None => (option, words.next().map_or("", |word| word.text.as_str())),
            };
            match name {
                "config-name" => {
                    // Each backend has a configuration of its own; this names it.
                    let backend = if value.contains("megatron") {
                        "megatron"
                    } else {
                        continue;
                    };
                    draft.settings.state(
                        "config-name".to_owned(),
                        Setting { key: "config-name".to_owned(), value: backend.to_owned(), ..Setting::default() },
                    );
                }
                "config-path" | "config-dir" => {}
                _ => draft.unread(text, "This is no option of hydra.", word.line),
            }
            continue;
        }
        if let Some(key) = text.strip_prefix('~') {
            draft.unread(text, format!("It takes {key} out of the configuration; the default is read."), word.line);
            continue;
        }
        let plain = text.trim_start_matches('+');
        let Some((key, value)) = plain.split_once('=') else {
            if text.trim().is_empty() {
                if word.open.is_none() && !text.is_empty() {
                    draft.refuse(
                        "\\",
                        "A space stands behind the backslash, so the command ends with this line. Take the space away.",
                        word.line,
                    );
                }
            } else if word.open.is_none() {
                draft.unread(text, "This is no setting: write key=value.", word.line);
            }
            continue;
        };
        let mark = text.len() - plain.len();
        let setting = Setting {
            key: key.to_owned(),
            written: format!("{}{key}", text.get(..mark).unwrap_or_default()),
            value: value.to_owned(),
            line: word.line,
            open: word.open.clone(),
        };
        state(draft, setting);
    }
}

/// States a key. Where it belongs to another engine, the corresponding key is stated with it, unless the text states that
/// one itself.
fn state(draft: &mut Draft, setting: Setting) {
    if let Some(like) = read_as(&setting.key)
        && draft.settings.get(&like).is_none()
    {
        draft.settings.state(like, setting.clone());
    }
    draft.state(setting);
}

/// `verl.trainer.sft_trainer` and the older `fsdp_sft_trainer`, under torchrun.
fn fine_tuning(draft: &mut Draft, before: &[Word]) {
    let entry = draft.take_model("model.path", "model");
    machine(draft, before);
    // Of RL it is the prompts.
    draft.take_count("data.train_batch_size", "workload.global_batch", Some(256));
    draft.take("data.max_length");
    let megatron = engine::is_megatron(draft, &["engine", "engine.strategy", "config-name"]);
    engine::read(draft, &FINE_TUNING, megatron, entry);
    engine::precision(draft, &FINE_TUNING, megatron);
    let kind = if engine::adapters(draft, FINE_TUNING.model) { "lora" } else { "sft" };
    draft.set("workload.kind", kind);
    let model = draft.flag("model.use_remove_padding");
    let own = draft.flag("engine.use_remove_padding").filter(|_| megatron);
    draft.set("workload.packing", own.or(model).unwrap_or(true));
    let dynamic = draft.flag("data.use_dynamic_bsz");
    if dynamic.unwrap_or(!draft.states("data.micro_batch_size_per_gpu")) {
        draft.take("data.max_token_len_per_gpu");
    } else {
        draft.take("data.micro_batch_size_per_gpu");
    }
}

/// Tokens of the longest prompt and response of a question of RL.
fn longest(draft: &Draft) -> u64 {
    let longest = ["max_prompt_length", "max_response_length"].map(|name| draft.size(&format!("workload.rl.{name}")));
    longest.into_iter().flatten().fold(0, u64::saturating_add)
}
