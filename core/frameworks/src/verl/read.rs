//! A pasted command of veRL as a question: hydra's overrides, alone or at the end of a script.

mod age;
mod distillation;
mod engine;
mod memory;
mod prime;
mod refusals;
mod reinforcement;
mod roles;

use super::keys::{PRIME, SECTIONS, read_as};
use super::role::FINE_TUNING;
use crate::read::draft::Draft;
use crate::read::launch::{self, machine};
use crate::read::link::Base;
use crate::read::overrides;
use crate::read::settings::Setting;
use crate::read::shell::Word;
use crate::read::text::{Kind, Part, stated_in_files};
use crate::read::{Dialect, Reading, Trouble};

/// Prefixes of the engine that generates and of the reference policy.
const ROLLOUT: &str = "actor_rollout_ref.rollout.";
const REF: &str = "actor_rollout_ref.ref.";

/// Reads veRL's texts: YAML first, then the overrides, as hydra does.
pub(crate) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let sections = if prime::is_started(parts) { &PRIME } else { SECTIONS };
    let mut draft = Draft::new(Dialect::Verl, sections, base);
    let mut trains_on_texts = false;
    let mut program = String::new();
    let mut before: Vec<Word> = Vec::new();
    for setting in stated_in_files(parts) {
        state(&mut draft, setting);
    }
    for part in parts {
        match &part.kind {
            Kind::File(_) => {}
            Kind::Shell(script) => {
                let launch = launch::find(script, Dialect::Verl);
                overrides::take(&mut draft, &launch.after, state, option);
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
    let yaml = parts.iter().any(|part| matches!(part.kind, Kind::File(_)));
    draft.snippet = program.is_empty() && !yaml;
    if let Some(file) = draft.named().filter(|_| !yaml) {
        draft.note(0, format!("The command reads its settings from {file} too, which is not here: veRL's own defaults stand in for it. Paste it beside the command."));
    }
    if draft.tells("trainer.val_only", true) {
        return Err(Trouble::new(
            draft.launched,
            "This run evaluates and trains nothing (trainer.val_only=True). Paste the command that trains.",
        ));
    }
    // A command whose program the text does not tell: its settings do.
    trains_on_texts |= !program.is_empty() && draft.states("model.path") && !draft.states_any("actor_rollout_ref.");
    if trains_on_texts {
        fine_tuning(&mut draft, &before);
    } else {
        reinforcement::read(&mut draft, &program);
    }
    draft.finish(Some("verl"))
}

/// Configurations that veRL comes with, by what their names hold: its defaults are known.
const OWN: &[&str] =
    &["ppo_trainer", "ppo_megatron_trainer", "sft_trainer", "dapo_trainer", "dapo_megatron_trainer", "prime_trainer"];

/// An option of hydra's command line; whether it is one.
fn option(draft: &mut Draft, name: &str, value: &str) -> bool {
    match name {
        "config-name" => {
            let file = value.trim_matches(['"', '\'']);
            if !OWN.iter().any(|own| file.contains(own)) && !file.is_empty() {
                draft.names(file);
            }
            // Each backend has a configuration of its own; this names it.
            if value.contains("megatron") {
                let backend = "megatron".to_owned();
                draft.settings.state(
                    "config-name".to_owned(),
                    Setting { key: "config-name".to_owned(), value: backend, ..Setting::default() },
                );
            }
            true
        }
        "config-path" | "config-dir" => true,
        _ => false,
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
