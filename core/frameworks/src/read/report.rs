//! What a reading gives back.

mod assumptions;
mod places;
mod trouble;

pub(crate) use places::Places;
pub use trouble::Trouble;

use serde::Serialize;

use super::printable::{printable, short};
use shardwise_catalog::error::InputError;
use shardwise_question::framework::{self, Named};
use shardwise_question::wire::Question;

/// A framework whose texts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Framework"))]
pub enum Dialect {
    /// veRL: hydra overrides.
    #[serde(rename = "verl")]
    Verl,
    /// `ChatLearn`: `OmegaConf` overrides and YAML.
    #[serde(rename = "chatlearn")]
    Chatlearn,
    /// `DeepSpeed`: `ds_config.json`.
    #[serde(rename = "deepspeed")]
    Deepspeed,
    /// Megatron-LM: arguments.
    #[serde(rename = "megatron-lm")]
    Megatron,
    /// LLMForge: YAML.
    #[serde(rename = "llmforge")]
    Llmforge,
    /// `EasyR1`: a fork of veRL with keys of its own.
    #[serde(rename = "easyr1")]
    EasyR1,
    /// `SkyRL`: overrides.
    #[serde(rename = "skyrl")]
    SkyRl,
    /// slime: Megatron-LM's arguments and its own.
    #[serde(rename = "slime")]
    Slime,
    /// NeMo-RL: YAML recipes and overrides.
    #[serde(rename = "nemo-rl")]
    NemoRl,
    /// TRL: arguments, YAML, and Accelerate's configuration.
    #[serde(rename = "trl")]
    Trl,
    /// LLaMA-Factory: YAML and arguments.
    #[serde(rename = "llamafactory")]
    LlamaFactory,
    /// axolotl: YAML and arguments.
    #[serde(rename = "axolotl")]
    Axolotl,
    /// ms-swift: arguments and YAML.
    #[serde(rename = "ms-swift")]
    MsSwift,
    /// `OpenRLHF`: arguments.
    #[serde(rename = "openrlhf")]
    Openrlhf,
    /// torchtitan: a function in Python, TOML, options.
    #[serde(rename = "torchtitan")]
    Torchtitan,
    /// Megatron-Bridge: a recipe, overrides and YAML.
    #[serde(rename = "megatron-bridge")]
    MegatronBridge,
    /// Unsloth: a Python program.
    #[serde(rename = "unsloth")]
    Unsloth,
}

impl Dialect {
    /// Identifier of the framework among [`crate::emit::FRAMEWORKS`], where flags for it are written.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.named().id
    }

    /// Name for a person.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.named().name
    }

    fn named(self) -> Named {
        match self {
            Self::Verl => framework::VERL,
            Self::Chatlearn => framework::CHATLEARN,
            Self::Deepspeed => framework::DEEPSPEED,
            Self::Megatron => framework::MEGATRON_LM,
            Self::Llmforge => framework::LLMFORGE,
            Self::EasyR1 => framework::EASYR1,
            Self::SkyRl => framework::SKYRL,
            Self::Slime => framework::SLIME,
            Self::NemoRl => framework::NEMO_RL,
            Self::Trl => framework::TRL,
            Self::LlamaFactory => framework::LLAMAFACTORY,
            Self::Axolotl => framework::AXOLOTL,
            Self::MsSwift => framework::MS_SWIFT,
            Self::Openrlhf => framework::OPENRLHF,
            Self::Torchtitan => framework::TORCHTITAN,
            Self::MegatronBridge => framework::MEGATRON_BRIDGE,
            Self::Unsloth => framework::UNSLOTH,
        }
    }

    /// Whether it is Hugging Face's trainer, whose options and file say the same, and beside which DeepSpeed has a file of its own.
    pub(crate) fn is_trainer(self) -> bool {
        matches!(self, Self::Trl | Self::LlamaFactory | Self::Axolotl | Self::MsSwift)
    }

    /// Releases that texts are told apart by, the newest first: those that are printed for, and of torchtitan the last that read TOML.
    pub(crate) fn releases(self) -> &'static [&'static str] {
        match self {
            Self::Torchtitan => &["0.3.0", "0.2.2"],
            _ => crate::emit::framework(self.id()).map_or(&[], |own| own.versions),
        }
    }

    /// Release whose keys, defaults and rules are known, with its configuration code.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Verl => "verl 0.9.1, verl/trainer/config (https://pypi.org/project/verl/0.9.1/)",
            Self::Chatlearn => "ChatLearn b7af31a, chatlearn/configs (https://github.com/alibaba/ChatLearn)",
            Self::Deepspeed => {
                "DeepSpeed 0.19.8, deepspeed/runtime/config.py (https://pypi.org/project/deepspeed/0.19.8/)"
            }
            Self::Megatron => "Megatron-LM, megatron/training/arguments.py (https://github.com/NVIDIA/Megatron-LM)",
            Self::EasyR1 => "EasyR1 b44b311, verl/trainer/config.py (https://github.com/hiyouga/EasyR1)",
            Self::SkyRl => "SkyRL 0.3.0, skyrl/train/config/config.py (https://pypi.org/project/skyrl/0.3.0/)",
            Self::Slime => "slime 624b824, slime/utils/arguments.py (https://github.com/THUDM/slime)",
            Self::NemoRl => "NeMo-RL 7ea279a, examples/configs (https://github.com/NVIDIA-NeMo/RL)",
            Self::Trl => "TRL 1.16.0, trl/trainer (https://pypi.org/project/trl/1.16.0/)",
            Self::LlamaFactory => {
                "LLaMA-Factory 0.9.5, llamafactory/hparams (https://github.com/hiyouga/LLaMA-Factory/tree/v0.9.5)"
            }
            Self::Axolotl => "axolotl 0.21.0, axolotl/utils/schemas (https://pypi.org/project/axolotl/0.21.0/)",
            Self::MsSwift => "ms-swift 4.6.0, swift/arguments (https://pypi.org/project/ms-swift/4.6.0/)",
            Self::Openrlhf => "OpenRLHF 0.11.2, openrlhf/cli (https://pypi.org/project/openrlhf/0.11.2/)",
            Self::Torchtitan => "torchtitan 0.3.0, torchtitan/config (https://pypi.org/project/torchtitan/0.3.0/)",
            Self::MegatronBridge => {
                "Megatron-Bridge 0.6.2, megatron/bridge/training/config.py (https://github.com/NVIDIA-NeMo/Megatron-Bridge/tree/v0.6.0)"
            }
            Self::Unsloth => {
                "Unsloth 2026.10.9, unsloth/models/loader.py (https://pypi.org/project/unsloth/2026.10.9/)"
            }
            Self::Llmforge => "LLMForge's published templates (https://github.com/anyscale/templates, before d0879a6c)",
        }
    }
}

/// A text that was read.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Reading {
    /// Interface version: 1.
    pub version: u32,
    /// Whose text it is.
    pub framework: Dialect,
    /// The question that the text asks, as complete as text and base allow.
    pub question: Question,
    /// The release that the text is for, where its keys show that it is older than the newest.
    pub release: Option<String>,
    /// Keys that the newest release has renamed or removed.
    #[serde(skip)]
    pub(crate) outdated: Vec<Outdated>,
    /// Settings that the newest release asks for, and their value by default in the text's.
    #[serde(skip)]
    pub(crate) lacking: Vec<(&'static str, &'static str)>,
    /// Whether the text is a few settings without their command, which change a question rather than ask one.
    #[serde(skip)]
    pub settings_alone: bool,
    /// Whether a command that trains was read.
    #[serde(skip)]
    pub(super) launched: bool,
    /// Whether the trainer's own model generates: the share of the card that stands for that is no engine's.
    #[serde(skip)]
    pub generates_itself: bool,
    /// Whether it is a script on Hugging Face's Trainer that nothing starts `DeepSpeed` for: their keys are read together.
    #[serde(skip)]
    pub trainer_alone: bool,
    /// What neither the text nor the base tells and no estimate goes without.
    pub missing: Vec<Missing>,
    /// Keys that became fields of the question.
    pub understood: Vec<Understood>,
    /// Fields that the text does not state.
    pub assumed: Vec<Assumed>,
    /// Keys that do not matter for memory and speed.
    pub ignored: Vec<Ignored>,
    /// Keys that matter and that the question has no field for.
    pub not_modelled: Vec<Unmodelled>,
    /// Keys that are not known.
    pub unknown: Vec<Unknown>,
    /// What the framework refuses, and keys that it has renamed or removed.
    pub refused: Vec<Refused>,
    /// How the text was read where it could have been read otherwise: what was not run or passed over.
    pub notes: Vec<Note>,
}

/// A key that is of no matter to the estimate or not in it: as written, with its value, its line, and which of several texts that is of.
pub(super) type PassedOver<'a> = (&'a str, &'a str, u32, Option<u32>);

impl Reading {
    /// What is of no matter to the estimate, then what it has no field for.
    pub(super) fn passed_over(&self) -> impl DoubleEndedIterator<Item = PassedOver<'_>> {
        let ignored = self.ignored.iter().map(|one| (&*one.key, &*one.value, one.line, one.file));
        let open = self.not_modelled.iter().map(|one| (&*one.key, &*one.value, one.line, one.file));
        ignored.chain(open)
    }
}

/// How a part of the text was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Note {
    /// Line of the text; 0 where no single line is meant.
    pub line: u32,
    /// Which of several texts the line is of, from 1; absent where there is one, or no line is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
    /// One sentence.
    pub text: String,
    /// Whether the verdict stands on it and may be another, so that it is said beside it.
    #[serde(skip)]
    pub decides: bool,
    /// Whether another run was estimated than the text asks for, so that no verdict is of the text's own.
    #[serde(skip)]
    pub stands_in: bool,
}

/// What has to be told before there is an estimate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Missing {
    /// Path of the field in the question.
    pub field: String,
    /// The key that would state it.
    pub key: String,
    /// One sentence: what is not known, and how to tell it.
    pub why: String,
}

/// A key that a release has renamed or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outdated {
    /// As written.
    pub(crate) key: String,
    /// Its name now; none where it is gone.
    pub(crate) now: Option<String>,
    /// Line of the text.
    pub(crate) line: u32,
}

/// A key that became a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Understood {
    /// The key, as written.
    pub key: String,
    /// Its value, variables replaced.
    pub value: String,
    /// Path of the field in the question; several where the key decides several.
    pub field: String,
    /// Line of the text, from 1; 0 where there is none.
    pub line: u32,
    /// Which of several texts the line is of, from 1; absent where there is one, or no line is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
}

impl Understood {
    /// What became no field of the question.
    pub(super) fn without_field((key, value, line, file): PassedOver<'_>) -> Self {
        Self { key: key.to_owned(), value: value.to_owned(), field: String::new(), line, file }
    }
}

/// A field that the text does not state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Assumed {
    /// Path of the field in the question.
    pub field: String,
    /// Its value; empty where the field is left to the calculator.
    pub value: String,
    /// Where the value is from, and the key that would state it.
    pub why: String,
    /// Whether it may be another: neither what the framework does by itself, nor the caller's, nor a link's.
    #[serde(skip)]
    pub guessed: bool,
}

/// A key that does not matter for memory and speed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Ignored {
    /// The key, as written.
    pub key: String,
    /// Its value, variables replaced: changes may need another.
    #[serde(skip)]
    pub(super) value: String,
    /// What it is for.
    pub why: String,
    /// Line of the text.
    pub line: u32,
    /// Which of several texts the line is of, from 1; absent where there is one, or no line is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
}

/// A key that matters and that the question has no field for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Unmodelled {
    /// The key, as written.
    pub key: String,
    /// Its value.
    pub value: String,
    /// What the estimate does instead.
    pub why: String,
    /// Line of the text.
    pub line: u32,
    /// Which of several texts the line is of, from 1; absent where there is one, or no line is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
}

/// A key that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Unknown {
    /// The key or word, as written.
    pub key: String,
    /// A known key that is close, or why the word is not read; empty where there is neither.
    pub hint: String,
    /// Line of the text.
    pub line: u32,
    /// Which of several texts the line is of, from 1; absent where there is one, or no line is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
}

/// What the framework refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Refused {
    /// The key, as written, or the field of the question that the rule is about.
    pub key: String,
    /// Why, and the remedy.
    pub why: String,
    /// Where the rule stands.
    pub source: String,
    /// Line of the text; 0 where no single line is meant.
    pub line: u32,
    /// Which of several texts the line is of, from 1; absent where there is one, or no line is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
    /// Whether all that is wrong is that the key was renamed since: it is read by its name of today.
    #[serde(skip)]
    pub renamed: bool,
}

impl Refused {
    pub(crate) fn new(key: &str, why: &str, source: &str, line: u32) -> Self {
        Self { key: short(key), why: printable(why), source: source.to_owned(), line, file: None, renamed: false }
    }
}

/// Whose rule it is where the calculator itself has no estimate, rather than the framework no run.
pub const OWN: &str = "Shardwise, which cannot estimate it";

/// What a text is called that is a script on Hugging Face's Trainer and nobody else's.
pub(crate) const TRAINER: &str = "Hugging Face Trainer";

impl Reading {
    /// Whose text it is, for a person.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if self.trainer_alone { TRAINER } else { self.framework.name() }
    }

    /// The release whose keys, defaults and rules it is read by, with its configuration code.
    #[must_use]
    pub fn source(&self) -> &'static str {
        if self.trainer_alone {
            "Transformers 5.23.0, transformers/training_args.py (https://pypi.org/project/transformers/5.23.0/)"
        } else {
            self.framework.source()
        }
    }

    /// Says every line as one of its own text.
    pub(crate) fn told_by(mut self, places: &Places) -> Self {
        macro_rules! tell {
            ($($list:ident),*) => {
                $(self.$list.iter_mut().for_each(|one| places.tell(&mut one.line, &mut one.file));)*
            };
        }
        tell!(understood, ignored, not_modelled, unknown, refused, notes);
        self
    }

    /// Whether the text is taken for an older release's by what it leaves out alone.
    #[must_use]
    pub fn older_by_default(&self) -> bool {
        self.release.is_some() && self.outdated.is_empty() && !self.lacking.is_empty()
    }

    /// Whether a text with names of an older release is read as the newest's, where no older one is known.
    #[must_use]
    pub fn reads_newest(&self) -> bool {
        self.release.as_deref() == self.framework.releases().first().copied()
    }

    /// What the texts ask.
    ///
    /// # Errors
    /// Where there is no estimate of it, so that a figure would be of another run: the setting that asks so, and why.
    pub fn asked(&self) -> Result<&Question, InputError> {
        match self.refused.iter().find(|one| one.source == OWN) {
            Some(own) => Err(InputError::new(own.key.clone(), own.why.clone())),
            None => Ok(&self.question),
        }
    }
}
