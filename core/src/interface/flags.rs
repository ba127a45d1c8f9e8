//! Flags as a document.

use super::language::Speak;
use serde::Serialize;

use shardwise_catalog::error::InputError;
use shardwise_frameworks::emit::{self, Framework, Snippet};
use shardwise_question::permalink;
use shardwise_question::wire::{FlagsOptions, Question, VERSION};

/// Texts to paste, or why there are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Flags {
    /// The texts.
    Snippets(Snippets),
    /// Why the framework cannot run the question.
    Unsupported(Unavailable),
}

/// Texts to paste.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Snippets {
    /// Interface version: 1.
    pub version: u32,
    /// The texts, each with its file name.
    pub snippets: Vec<Snippet>,
}

/// A framework that cannot run the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Unavailable {
    /// Interface version: 1.
    pub version: u32,
    /// Why, and what it could run instead.
    pub unsupported: String,
}

/// The flags of a question for a framework.
///
/// # Errors
/// As [`crate::flags()`]; `framework` and `version` where there is none of that name.
///
/// ```
/// use shardwise_core::{interface::{Flags, flags}, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "llama-2-7b",
///     "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 32},
///     "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 4, "recompute": "full"}}"#).unwrap();
/// let options = wire::parse_options(r#"{"framework": "deepspeed"}"#).unwrap();
/// let Flags::Snippets(texts) = flags(&question, &options).unwrap() else { panic!("refused") };
/// assert_eq!(texts.snippets[0].file, "ds_config.json");
/// ```
pub fn flags(question: &Question, options: &FlagsOptions) -> Result<Flags, InputError> {
    let framework = framework_named(&options.framework)?;
    let version = framework.version(options.version.as_deref().unwrap_or_default())?;
    let link = match options.page.as_deref() {
        None | Some("") => String::new(),
        Some(page) => format!("{page}#{}", permalink::to_hash(question)),
    };
    let lang = options.lang.unwrap_or_default();
    Ok(match crate::flags(question, framework, version, &link)? {
        Ok(snippets) => Flags::Snippets(Snippets {
            version: VERSION,
            snippets: snippets.into_iter().map(|one| lang.snippet(one)).collect(),
        }),
        Err(unsupported) => {
            Flags::Unsupported(Unavailable { version: VERSION, unsupported: lang.sentence(&unsupported.message) })
        }
    })
}

/// The framework of an identifier.
///
/// # Errors
/// Lists those that there are.
///
/// ```
/// use shardwise_core::interface::framework_named;
/// assert_eq!(framework_named("trl").unwrap().name, "TRL");
/// assert_eq!(framework_named("accelerate").err().unwrap().field, "framework");
/// ```
pub fn framework_named(id: &str) -> Result<&'static Framework, InputError> {
    emit::framework(id).ok_or_else(|| shardwise_question::framework::unknown(id))
}
