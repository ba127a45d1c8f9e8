//! Ready-to-paste texts, one module per framework.
//!
//! A framework is one module and one line in [`FRAMEWORKS`]. [`rules`] holds what a framework
//! refuses, so that the search can leave out plans that could not be written down.

mod axolotl;
mod chatlearn;
mod checkpoint;
mod choices;
mod deepspeed;
mod llamafactory;
mod llmforge;
mod megatron;
mod megatron_bridge;
mod megatron_lm;
mod openrlhf;
pub mod rules;
mod text;
mod toml;
mod torchtitan;
mod trainer;
mod trl;
mod verl;
mod words;
mod yaml;

pub(crate) use checkpoint::reach;
pub(crate) use words::{hidden, plain, plural, product};

use crate::error::InputError;
use crate::job::Job;
use crate::plan::Plan;
use crate::wire::{Answer, Backend};

/// What an emitter is given.
pub struct Emission<'a> {
    /// The framework that the text is for.
    pub framework: &'a Framework,
    /// The question, resolved.
    pub job: &'a Job,
    /// The plan whose flags are printed.
    pub plan: &'a Plan,
    /// The estimate, for the comment head and the reasons.
    pub answer: &'a Answer,
    /// Address of the page with this question; empty where there is none.
    pub permalink: &'a str,
    /// Version of the framework that the text is for: one of [`Framework::versions`].
    pub version: &'static str,
}

/// A framework the calculator prints flags for.
pub struct Framework {
    /// Identifier, as in `shardwise flags --for`.
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Versions that texts are printed for and checked against, the default first.
    pub versions: &'static [&'static str],
    /// Documentation of its keys.
    pub docs_url: &'static str,
    /// Backends it trains with, the preferred one first. A plan for another backend is refused, so
    /// a caller asks the search for a plan with one of these.
    pub backends: &'static [Backend],
    /// Whether it can compute the loss without the logits. Where it cannot, a plan with
    /// `fused_lm_head` needs more memory than estimated, and the text says so.
    pub fused_lm_head: bool,
    /// Whether its texts overlap tensor-parallel collectives with the products they feed. Where they do not, a plan that
    /// does takes longer than estimated.
    pub overlaps_tensor_parallel: bool,
    /// What the framework refuses in this job and plan, most basic first; empty where it runs.
    pub violations: fn(&Job, &Plan) -> Vec<InputError>,
}

/// Every framework, in the order in which the page shows them.
pub static FRAMEWORKS: &[Framework] = &[
    Framework {
        id: "verl",
        name: "veRL",
        versions: verl::VERSIONS,
        docs_url: "https://verl.readthedocs.io/en/latest/examples/config.html",
        backends: &[Backend::Fsdp, Backend::Megatron],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: rules::verl,
    },
    Framework {
        id: "chatlearn",
        name: "ChatLearn",
        versions: &["1.2.0"],
        docs_url: "https://github.com/alibaba/ChatLearn/blob/main/docs/en/config.md",
        backends: &[Backend::Megatron, Backend::Fsdp],
        fused_lm_head: false,
        overlaps_tensor_parallel: false,
        violations: rules::chatlearn,
    },
    Framework {
        id: "deepspeed",
        name: "DeepSpeed",
        versions: &["0.19.8", "0.16.9"],
        docs_url: "https://www.deepspeed.ai/docs/config-json/",
        backends: &[Backend::Deepspeed],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: rules::deepspeed,
    },
    Framework {
        id: "llmforge",
        name: "LLMForge",
        versions: &["v2"],
        docs_url: "https://docs.anyscale.com/reference/finetuning-config-api",
        backends: &[Backend::Deepspeed],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: rules::llmforge,
    },
    Framework {
        id: "trl",
        name: "TRL",
        versions: &["1.16.0"],
        docs_url: "https://huggingface.co/docs/trl/v1.16.0/en/index",
        backends: &[Backend::Fsdp, Backend::Deepspeed],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: rules::trl,
    },
    Framework {
        id: "openrlhf",
        name: "OpenRLHF",
        versions: &["0.11.2"],
        docs_url: "https://openrlhf.readthedocs.io/en/latest/",
        backends: &[Backend::Deepspeed],
        fused_lm_head: false,
        overlaps_tensor_parallel: false,
        violations: rules::openrlhf,
    },
    Framework {
        id: "megatron-lm",
        name: "Megatron-LM",
        versions: &["0.16.1"],
        docs_url: "https://github.com/NVIDIA/Megatron-LM/blob/core_v0.16.1/megatron/training/arguments.py",
        backends: &[Backend::Megatron],
        fused_lm_head: false,
        overlaps_tensor_parallel: true,
        violations: rules::megatron_lm,
    },
    Framework {
        id: "megatron-bridge",
        name: "Megatron-Bridge",
        versions: &["0.3.1"],
        docs_url: "https://docs.nvidia.com/nemo/megatron-bridge/latest/",
        backends: &[Backend::Megatron],
        fused_lm_head: false,
        overlaps_tensor_parallel: true,
        violations: rules::megatron_bridge,
    },
    Framework {
        id: "torchtitan",
        name: "torchtitan",
        versions: &["0.2.2"],
        docs_url: "https://github.com/pytorch/torchtitan/blob/v0.2.2/torchtitan/config/job_config.py",
        backends: &[Backend::Fsdp, Backend::Ddp],
        fused_lm_head: false,
        overlaps_tensor_parallel: true,
        violations: rules::torchtitan,
    },
    Framework {
        id: "llamafactory",
        name: "LLaMA-Factory",
        versions: &["0.9.5"],
        docs_url: "https://github.com/hiyouga/LLaMA-Factory/tree/v0.9.5/examples",
        backends: &[Backend::Deepspeed, Backend::Fsdp, Backend::Ddp],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: rules::llamafactory,
    },
    Framework {
        id: "axolotl",
        name: "axolotl",
        versions: &["0.19.0"],
        docs_url: "https://docs.axolotl.ai/docs/config-reference.html",
        backends: &[Backend::Fsdp, Backend::Deepspeed, Backend::Ddp],
        fused_lm_head: true,
        overlaps_tensor_parallel: false,
        violations: rules::axolotl,
    },
];

/// What writes a framework's texts.
type Emit = fn(&Emission) -> Result<Vec<Snippet>, Unsupported>;

/// What writes the texts of [`FRAMEWORKS`], in the same order. Apart from them, so that a program that asks who runs a plan,
/// as every search does, does not carry what writes texts.
static EMITTERS: [Emit; FRAMEWORKS.len()] = [
    verl::emit,
    chatlearn::emit,
    deepspeed::emit,
    llmforge::emit,
    trl::emit,
    openrlhf::emit,
    megatron_lm::emit,
    megatron_bridge::emit,
    torchtitan::emit,
    llamafactory::emit,
    axolotl::emit,
];

/// The texts of an emission's framework.
///
/// # Errors
/// Why there are none.
pub fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let own = |other: &Framework| other.id == emission.framework.id;
    let place = FRAMEWORKS.iter().position(own);
    let emit = place.and_then(|place| EMITTERS.get(place));
    emit.map_or_else(|| Ok(Vec::new()), |emit| emit(emission))
}

impl Framework {
    /// The version called `name`; the default for an empty name.
    ///
    /// # Errors
    /// Lists the versions that there are.
    pub fn version(&self, name: &str) -> Result<&'static str, InputError> {
        version_of((self.name, self.versions), name, "version")
    }
}

/// The version of a framework, which has a name and versions, called `asked`; its default for an empty text.
fn version_of(
    (name, versions): (&str, &[&'static str]),
    asked: &str,
    field: &'static str,
) -> Result<&'static str, InputError> {
    if asked.is_empty() {
        return Ok(versions.first().copied().unwrap_or_default());
    }
    let found = versions.iter().find(|version| **version == asked);
    found.copied().ok_or_else(|| {
        InputError::new(
            field,
            format!(
                "There are no texts for {name} {:?}. Give one of {}.",
                short(asked),
                versions.join(", ")
            ),
        )
    })
}

/// That there is no framework of this identifier, with those that there are.
pub(crate) fn unknown(id: &str) -> InputError {
    let known: Vec<&str> = NAMES.iter().map(|own| own.id).collect();
    let message = format!(
        "There is no framework {:?} here. Give one of {}.",
        short(id),
        known.join(", ")
    );
    InputError::new("framework", message)
}

/// As much of what somebody typed as an error repeats.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// What a list of the frameworks shows of one. Apart from [`Framework`], so that a program that only names them
/// does not carry their rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Identifier, as [`Framework::id`].
    pub id: &'static str,
    /// Name for a person.
    pub name: &'static str,
    /// Versions that texts are printed for, the default first.
    pub versions: &'static [&'static str],
    /// Documentation of its keys.
    pub docs_url: &'static str,
}

impl Named {
    /// The framework of an identifier.
    ///
    /// # Errors
    /// Lists those that there are.
    pub fn of(id: &str) -> Result<&'static Self, InputError> {
        NAMES
            .iter()
            .find(|own| own.id == id)
            .ok_or_else(|| unknown(id))
    }

    /// As [`Framework::version`], of a question's `framework_version`.
    ///
    /// # Errors
    /// Lists the versions that there are.
    pub fn version(&self, name: &str) -> Result<&'static str, InputError> {
        version_of((self.name, self.versions), name, "framework_version")
    }
}

/// The names of [`FRAMEWORKS`], in the same order.
pub static NAMES: [Named; FRAMEWORKS.len()] = {
    let nobody = Named {
        id: "",
        name: "",
        versions: &[],
        docs_url: "",
    };
    let mut names = [nobody; FRAMEWORKS.len()];
    let mut index = 0;
    while index < names.len() {
        let own = &FRAMEWORKS[index];
        names[index] = Named {
            id: own.id,
            name: own.name,
            versions: own.versions,
            docs_url: own.docs_url,
        };
        index += 1;
    }
    names
};

/// The framework with this identifier.
#[must_use]
pub fn framework(id: &str) -> Option<&'static Framework> {
    FRAMEWORKS.iter().find(|framework| framework.id == id)
}

/// A text to paste or save.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Snippet {
    /// File name, as it would be saved.
    pub file: &'static str,
    /// Its language.
    pub language: Language,
    /// The whole text, comments included: what Copy and Download give.
    pub text: String,
    /// Reasons that the text itself cannot carry (JSON has no comments): key and reason.
    pub reasons: Vec<(String, String)>,
}

impl Snippet {
    /// A text that carries its reasons itself.
    fn new(file: &'static str, language: Language, text: String) -> Self {
        Self {
            file,
            language,
            text,
            reasons: Vec::new(),
        }
    }
}

/// Language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(schemars::JsonSchema),
    schemars(rename = "TextLanguage")
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// bash.
    Shell,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
}

/// Why a framework cannot run this plan, and what it could run instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// One or two sentences for a person.
    pub message: String,
}

impl From<InputError> for Unsupported {
    fn from(error: InputError) -> Self {
        Self {
            message: format!("{}: {}", error.field, error.message),
        }
    }
}

/// Refuses what the framework would refuse, by the first rule that is broken.
fn accept(violations: Vec<InputError>) -> Result<(), Unsupported> {
    violations
        .into_iter()
        .next()
        .map_or(Ok(()), |error| Err(error.into()))
}
