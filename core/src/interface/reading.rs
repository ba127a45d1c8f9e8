//! A text read back, with the answer to its question and what would help.

use serde::Serialize;
use serde_json::json;

use shardwise_catalog::error::InputError;
use shardwise_frameworks::read::{Improved, Migrated, Reading, Trouble, improve, migrate};
use shardwise_question::wire::{Answer, Question, ReadOptions, VERSION, question_from_value};

/// A text that was read.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ReadText {
    /// The question that it asks, and the report.
    #[serde(flatten)]
    pub reading: Reading,
    /// The answer to the question; null where it has none.
    pub answer: Option<Answer>,
    /// The changes that help most; null where nothing noticeable does.
    pub improved: Option<Improved>,
    /// The texts as the newest release takes them; null where they are for it.
    pub migrated: Option<Migrated>,
}

/// A text that cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Unread {
    /// Interface version: 1.
    pub version: u32,
    /// Why.
    pub error: Trouble,
}

/// The document of the texts of one run.
///
/// # Errors
/// The document that says why nothing can be read.
///
/// ```
/// use shardwise_core::{interface::read, wire::ReadOptions};
/// let text = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8";
/// assert!(read(&[text], &ReadOptions::default()).unwrap().contains(r#""framework":"verl""#));
/// assert!(read(&["ls"], &ReadOptions::default()).unwrap_err().starts_with(r#"{"version":1,"error":{"line":"#));
/// ```
pub fn read(texts: &[&str], options: &ReadOptions) -> Result<String, String> {
    let lang = options.lang.unwrap_or_default();
    let base = base(options);
    let version = VERSION;
    let refused = |error| super::refused(error, lang);
    match shardwise_frameworks::read::read(texts, base.as_ref()) {
        Ok(reading) => {
            let document = ReadText {
                answer: answer_of(&reading).ok(),
                improved: improve(texts, base.as_ref(), &reading),
                migrated: migrate(texts, base.as_ref(), &reading),
                reading,
            };
            super::line(&document, lang).map_err(refused)
        }
        Err(error) => Err(super::line(&Unread { version, error }, lang).unwrap_or_else(refused)),
    }
}

/// The answer to what texts ask.
///
/// # Errors
/// Where there is no estimate of it: the setting or the field that asks so, and why.
pub fn answer_of(reading: &Reading) -> Result<Answer, InputError> {
    reading.asked().and_then(crate::estimate)
}

/// The base question of the options, which answers what no text tells; `None` where they name neither GPU nor model.
///
/// ```
/// use shardwise_core::{interface::base, wire::ReadOptions};
/// assert_eq!(base(&ReadOptions::default()), None);
/// let named = ReadOptions { model: Some("qwen3-8b".into()), ..ReadOptions::default() };
/// assert_eq!(base(&named).unwrap().model, "qwen3-8b");
/// ```
#[must_use]
pub fn base(options: &ReadOptions) -> Option<Question> {
    let ReadOptions { gpu, model, .. } = options;
    if gpu.is_none() && model.is_none() {
        return None;
    }
    question_from_value(json!({
        "version": VERSION,
        "model": model,
        "hardware": {"gpu": gpu.as_deref().unwrap_or("h100-sxm")},
        "workload": {"kind": "sft"}
    }))
    .ok()
}

/// The document of what texts say of memory that ran out.
///
/// # Errors
/// The document that says why there is none.
///
/// ```
/// use shardwise_core::{interface::doctor, wire::ReadOptions};
/// let text = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.";
/// assert!(doctor(&[text], &ReadOptions::default()).unwrap().contains(r#""place":"engine""#));
/// assert!(doctor(&["ls"], &ReadOptions::default()).is_err());
/// ```
pub fn doctor(texts: &[&str], options: &ReadOptions) -> Result<String, String> {
    let lang = options.lang.unwrap_or_default();
    let refused = |error| super::refused(error, lang);
    match shardwise_frameworks::doctor::diagnose(texts, base(options).as_ref()) {
        Ok(diagnosis) => super::line(&diagnosis, lang).map_err(refused),
        Err(error) => Err(super::line(&Unread { version: VERSION, error }, lang).unwrap_or_else(refused)),
    }
}
