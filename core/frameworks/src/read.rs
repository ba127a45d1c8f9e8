//! The way back: from a text that a person runs to a question.
//!
//! [`read`] takes the command, script or configuration file of a framework and gives the question that
//! it asks, with a report: what was understood and as which field, what was assumed, what does not matter,
//! what is not known, and what the framework itself would refuse. Nothing is executed and nothing is
//! dropped in silence. The reading is as pure as the rest of the core: a hostile text gives an error or an
//! answer in linear time.
//!
//! A framework is one module with its tables of keys beside it (`keys`): to make another key known, add
//! a row there.
//!
//! How many of the frameworks' own scripts are read (`scripts/read-scripts`, 2026-11-21): all that start the trainer,
//! those that are read at all, those without an unknown key that could matter for memory or speed, and those that
//! moreover tell the value of every such key.
//!
//! | scripts | commit | all | read | every key known | every value told |
//! |---|---|---|---|---|---|
//! | veRL v0.9.0 | 483b8a0 | 172 | 171 | 169 | 168 |
//! | veRL, January 2026 | b178a3c | 186 | 186 | 184 | 177 |
//! | veRL, August 2026 | 1dda039 | 169 | 168 | 162 | 161 |
//! | verl-recipe | 48ea0a7 | 76 | 76 | 75 | 72 |
//! | `verl_megatron_practice` | dfd811a | 31 | 31 | 31 | 30 |
//! | `ChatLearn` | b7af31a | 29 | 29 | 29 | 29 |
//! | Megatron-LM | d98e8a6 | 99 | 87 | 68 | 43 |
//!
//! The files of frameworks on Hugging Face's Trainer, of ms-swift and of `OpenRLHF` (2026-11-26; YAML, scripts with the file that
//! they name, and TRL's blocks of code): those that train, those that are read at all, that are estimated as they are, and without
//! an unknown key that could matter. What is read and not estimated lacks a model of the catalog, but for a few;
//! TRL's others name a file of settings that stands in another block, and ms-swift's nine are of its nested YAML for Ray.
//!
//! | files | commit | all | read | estimated | every key known |
//! |---|---|---|---|---|---|
//! | TRL, documentation and scripts | f2cd577 | 77 | 53 | 49 | 51 |
//! | LLaMA-Factory, examples | ff6d4d1 | 73 | 73 | 67 | 73 |
//! | axolotl, examples | 067b021 | 250 | 248 | 155 | 247 |
//! | ms-swift, examples | 3602360 | 313 | 313 | 237 | 304 |
//! | `OpenRLHF`, examples | 3c3be62 | 12 | 11 | 10 | 11 |
//! | Unsloth, notebooks as scripts, of its SFT, DPO and KTO | bdda2ef | 255 | 255 | 151 | 255 |
//! | Unsloth, notebooks as scripts, of its GRPO | bdda2ef | 104 | 104 | 93 | 104 |
//!
//! Scripts of 29 projects, most of them others' on these frameworks (`scripts/read-scripts --corpus`, whose list names the commits;
//! 2026-11-27): those that train; of which a setting is understood; with an estimate; where the one thing that is missing is named,
//! which is the model but for a few; refused by name, as what only evaluates, what has its settings in another file, and layouts that
//! the framework refuses as well. None is answered from no setting.
//!
//! | projects | scripts | understood | estimate | missing named | refused |
//! |---|---|---|---|---|---|
//! | veRL, its recipes, and 15 trainers made of it | 867 | 842 | 760 | 67 | 40 |
//! | `EasyR1`, `SkyRL`, slime | 181 | 180 | 166 | 11 | 4 |
//! | `ChatLearn`, Megatron-LM, Pai-Megatron-Patch | 217 | 193 | 91 | 95 | 31 |
//! | ms-swift, `OpenRLHF`, InternVL | 461 | 453 | 324 | 129 | 8 |
//! | NeMo-RL's recipes, each with what it stands on | 286 | 256 | 217 | 38 | 31 |
//! | torchtitan's TOML (v0.2.2), Megatron-Bridge's scripts, TRL's in Python | 104 | 103 | 60 | 43 | 1 |
//!
//! Of the last row what is missing is the model: debug models of torchtitan's (0.3's functions in Python are not counted), and recipes of models that the catalog does not have.
//!
//! What is left of veRL's are words that it would refuse itself, a robot's simulator, and variables of a cluster; of
//! Megatron-LM's, inference, images, and variables that another script sets.

mod axolotl;
mod base;
mod chatlearn;
mod deepspeed;
mod diff;
mod downloads;
pub(crate) mod draft;
mod easyr1;
mod edit;
mod improve;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod link;
mod llamafactory;
mod llmforge;
mod loads;
pub(crate) mod megatron;
mod megatron_bridge;
mod migrate;
pub(crate) mod model;
mod ms_swift;
mod nearest;
mod nemo_rl;
mod notebook;
mod openrlhf;
pub(crate) mod optimizer;
pub(crate) mod overrides;
mod printable;
mod programs;
mod python;
pub(crate) mod reinforcement;
mod rented;
mod report;
pub(crate) mod settings;
pub(crate) mod shell;
mod signs;
mod skyrl;
mod slime;
pub(crate) mod text;
mod toml;
mod torchtitan;
mod trainer;
mod trl;
mod unsloth;
pub(crate) mod value;
mod yaml;

pub use diff::{Op, script};
pub(crate) use improve::said_otherwise;
pub use improve::{Change, Improved, improve};
pub use migrate::{Migrated, migrate};
pub(crate) use printable::short as shown;
pub use report::{
    Assumed, Dialect, Ignored, Missing, Note, OWN, Reading, Refused, Trouble, Understood, Unknown, Unmodelled,
};

use link::Base;
use report::Places;
use settings::Setting;
use shardwise_question::wire::Question;
use text::{Kind, Part};

/// Longest text that is read, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// Reads texts of one run: a script, a `ds_config.json` and its launch line, a YAML file and its command.
///
/// `base` answers what no text tells: the GPU, its network and price, mean lengths, and the model where the
/// text names a folder that the catalog does not know. A few settings without their command change the base, where
/// that is a question by itself. What the base does not answer, the link in the head of an emitted text does; a key
/// of the text always holds.
///
/// # Errors
/// Where nothing can be read at all: the line, and what to do.
///
/// ```
/// let text = "python3 -m verl.trainer.main_ppo data.train_batch_size=512 \\
///     actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8";
/// let reading = shardwise_core::read::read(&[text], None).unwrap();
/// assert_eq!(reading.question.model, "qwen3-8b");
/// assert_eq!(reading.question.workload.rl.unwrap().prompts_per_step, Some(512));
/// ```
pub fn read(texts: &[&str], base: Option<&Question>) -> Result<Reading, Trouble> {
    if texts.iter().map(|text| text.len()).sum::<usize>() > MOST_BYTES {
        return Err(Trouble::new(0, "The text is longer than 1 MiB. Paste the command and its variables alone."));
    }
    let places = Places::of(texts);
    read_as_one(texts, base, &places)
        .map(|reading| reading.told_by(&places))
        .map_err(|mut trouble| {
            places.tell(&mut trouble.line, &mut trouble.file);
            trouble
        })
}

/// As [`read`]; lines are those of all texts together.
fn read_as_one(texts: &[&str], base: Option<&Question>, places: &Places) -> Result<Reading, Trouble> {
    let mut parts = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let (known, above) = (parts.len(), places.above(at));
        text::parts(text, &mut parts).map_err(|mut trouble| {
            shell::lower(&mut trouble.line, above);
            trouble
        })?;
        parts.iter_mut().skip(known).for_each(|part: &mut Part| part.below(above));
    }
    let framework = framework(&parts)
        .map_err(|trouble| if signs::is_primes(texts) { known_by_name(signs::PRIME_RL) } else { trouble })?;
    parts.iter().try_for_each(|part| loads::once(&part.twice, framework))?;
    let mut notes = Vec::new();
    let link = link::find(texts, &mut notes);
    let beside = base.zip(link.as_ref()).and_then(|(base, link)| link::beside(base, link));
    let folders = downloads::named(texts, &parts);
    let base = Base {
        question: beside.as_ref().or(base).or(link.as_ref()),
        own: base,
        link: link.as_ref(),
        folders: &folders,
    };
    let mut reading = match framework {
        Dialect::Verl => crate::verl::read(&parts, base),
        Dialect::Chatlearn => chatlearn::read(&parts, base),
        Dialect::Deepspeed => deepspeed::read(&parts, base),
        Dialect::Megatron => megatron::read(&parts, base),
        Dialect::Llmforge => llmforge::read(&parts, base),
        Dialect::EasyR1 => easyr1::read(&parts, base),
        Dialect::SkyRl => skyrl::read(&parts, base),
        Dialect::Slime => slime::read(&parts, base),
        Dialect::NemoRl => nemo_rl::read(&parts, base),
        Dialect::Trl => trl::read(&parts, base),
        Dialect::LlamaFactory => llamafactory::read(&parts, base),
        Dialect::Axolotl => axolotl::read(&parts, base),
        Dialect::MsSwift => ms_swift::read(&parts, base),
        Dialect::Openrlhf => openrlhf::read(&parts, base),
        Dialect::Torchtitan => torchtitan::read(&parts, base),
        Dialect::MegatronBridge => megatron_bridge::read(&parts, base),
        Dialect::Unsloth => unsloth::read(&parts, base),
    }?;
    reading.notes.append(&mut notes);
    Ok(reading)
}

/// Whether the texts carry the link of the question that they were printed for: who offers a base that the person did not
/// name for these texts leaves it out then.
///
/// ```
/// use shardwise_core::read::is_linked;
/// let command = "deepspeed --num_gpus 8 train.py --deepspeed ds_config.json";
/// let link = "# https://example.org/#v=1&model=qwen3-8b&hardware.gpu=h100-sxm&workload.kind=sft&z=1";
/// assert!(is_linked(&[&format!("{link}\n{command}")]));
/// assert!(!is_linked(&[command]));
/// ```
#[must_use]
pub fn is_linked(texts: &[&str]) -> bool {
    link::find(texts, &mut Vec::new()).is_some()
}

/// Whether settings are of a framework's own file.
type IsIts = fn(&[Setting]) -> bool;

/// Whose file of settings it is, in the order in which they are asked: the names that only one has come first.
const BY_FILE: &[(Dialect, IsIts)] = &[
    (Dialect::Llmforge, llmforge::is_its),
    (Dialect::Axolotl, axolotl::is_its),
    (Dialect::LlamaFactory, llamafactory::is_its),
    (Dialect::MsSwift, ms_swift::is_its),
    (Dialect::Trl, trl::is_its),
    (Dialect::Torchtitan, torchtitan::is_its),
    (Dialect::MegatronBridge, megatron_bridge::is_its),
];

/// What is said of the texts of a trainer that is known by name alone.
fn known_by_name(name: &str) -> Trouble {
    Trouble::new(
        0,
        format!(
            "This is {name}'s, whose texts are not read. Say the run in the words of a framework that is: torchtitan, TRL or veRL, whose texts `shardwise flags` prints for a question."
        ),
    )
}

/// Whose texts these are: what is run decides, then what the settings look like.
fn framework(parts: &[Part]) -> Result<Dialect, Trouble> {
    if let Some(name) = signs::unread(parts) {
        return Err(known_by_name(name));
    }
    let mut json = false;
    let mut python = false;
    let mut empty = true;
    for part in parts {
        match &part.kind {
            Kind::Shell(script) => {
                empty &= script.commands.is_empty();
                python |= script.of_python;
                if let Some(framework) = launch::framework(script) {
                    return Ok(framework);
                }
            }
            Kind::File(settings) => {
                empty = false;
                let has = |prefix: &str| settings.iter().any(|s| s.key.starts_with(prefix));
                if has("runtime_args.") || has("models.policy") {
                    return Ok(Dialect::Chatlearn);
                }
                if has("actor_rollout_ref.") {
                    return Ok(Dialect::Verl);
                }
                if let Some(own) = signs::of_file(settings) {
                    return Ok(own);
                }
                if let Some((own, _)) = BY_FILE.iter().find(|(_, is_its)| is_its(settings)) {
                    return Ok(*own);
                }
            }
            Kind::Json(_) => json = true,
        }
    }
    if json {
        return Ok(Dialect::Deepspeed);
    }
    if python {
        return Err(Trouble::new(
            0,
            "This is Python, and nothing in it states a trainer's settings as they are: no list of arguments, no TrainingArguments, no configuration of TRL. Paste the command that starts it, or what the program prints of its configuration.",
        ));
    }
    Err(Trouble::new(
        0,
        if empty {
            "There is nothing to read here. Paste a command, a script or a configuration file of veRL, ChatLearn, TRL, LLaMA-Factory, axolotl, ms-swift, Unsloth, OpenRLHF, slime, NeMo-RL, SkyRL, EasyR1, Megatron-LM, Megatron-Bridge, torchtitan, LLMForge or DeepSpeed."
        } else {
            "This has no command and no settings of veRL, ChatLearn, TRL, LLaMA-Factory, axolotl, ms-swift, Unsloth, OpenRLHF, slime, NeMo-RL, SkyRL, EasyR1, Megatron-LM, Megatron-Bridge, torchtitan, LLMForge or DeepSpeed. Paste the command with its settings, or ds_config.json."
        },
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        axolotl, chatlearn, deepspeed, easyr1, llamafactory, llmforge, megatron, megatron_bridge, ms_swift, nemo_rl,
        openrlhf, skyrl, slime, torchtitan, trl, unsloth,
    };
    use crate::binding::{KeySection, Meaning, find};
    use crate::verl;

    fn tables() -> [&'static [KeySection]; 18] {
        [
            axolotl::SECTIONS,
            chatlearn::SECTIONS,
            deepspeed::SECTIONS,
            easyr1::SECTIONS,
            llamafactory::SECTIONS,
            llmforge::SECTIONS,
            megatron::SECTIONS,
            megatron_bridge::SECTIONS,
            ms_swift::SECTIONS,
            nemo_rl::SECTIONS,
            openrlhf::SECTIONS,
            skyrl::SECTIONS,
            slime::SECTIONS,
            torchtitan::SECTIONS,
            trl::SECTIONS,
            unsloth::SECTIONS,
            unsloth::REINFORCEMENT,
            verl::SECTIONS,
        ]
    }

    #[test]
    fn a_key_stands_once_in_its_table() {
        for section in tables().into_iter().flatten() {
            let mut seen = BTreeSet::new();
            for (name, _) in section.names() {
                assert!(seen.insert(name), "{}{name} twice", section.prefix);
            }
        }
    }

    #[test]
    fn a_renamed_key_has_a_meaning_under_its_new_name() {
        for sections in tables() {
            for (_, meant) in sections.iter().flat_map(KeySection::names) {
                let Meaning::Renamed(to, since) = meant else {
                    continue;
                };
                // Of `new.*` any key of that section.
                let known = match to.strip_suffix('*') {
                    Some(start) => sections
                        .iter()
                        .any(|section| !section.prefix.is_empty() && start.starts_with(section.prefix)),
                    None => find(sections, to).is_some_and(|found| !matches!(found.meaning, Meaning::Renamed(..))),
                };
                assert!(known && since.contains('.'), "{to} since {since}");
            }
        }
    }
}
