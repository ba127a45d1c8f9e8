//! A text of an older release, said for the newest: keys that were renamed under their new names, those that are gone taken out, what
//! had a default stated.

use serde::Serialize;

use super::diff;
use super::edit::{self, Edit, Edited};
use super::read;
use super::report::{Dialect, Reading};
use shardwise_question::wire::Question;

/// Names that a key had at most, one after the other.
const MOST_NAMES: usize = 3;

/// A text as the newest release takes it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Migrated {
    /// The release that it is for now.
    pub release: String,
    /// The texts with the changes, as a unified diff.
    pub diff: String,
    /// The texts with the changes.
    pub texts: Vec<String>,
    /// What has no place in the texts, or stands where it cannot be changed.
    pub elsewhere: Vec<String>,
}

/// The texts of an older release for the newest; `None` where they are for that one, or where the changed ones are read as
/// another question.
///
/// `texts` and `base` are what `reading` was read from.
///
/// ```
/// use shardwise_core::read::{migrate, read};
/// let texts = ["python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
///     actor_rollout_ref.rollout.name=vllm critic.model.fsdp_config.param_offload=True"];
/// let migrated = migrate(&texts, None, &read(&texts, None).unwrap()).unwrap();
/// assert!(migrated.texts[0].contains("critic.fsdp.param_offload=True"));
/// ```
#[must_use]
pub fn migrate(texts: &[&str], base: Option<&Question>, reading: &Reading) -> Option<Migrated> {
    if reading.outdated.is_empty() && reading.lacking.is_empty() {
        return None;
    }
    let framework = crate::emit::framework(reading.framework.id())?;
    // Names alone make no function in Python of torchtitan's TOML.
    let in_toml = reading.framework == Dialect::Torchtitan;
    let newest = if in_toml { reading.framework.releases().last() } else { framework.versions.first() }?;
    let mut changed: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let mut outdated = reading.outdated.clone();
    let mut elsewhere = Vec::new();
    // A key that was renamed may be gone under its new name.
    for _ in 0..MOST_NAMES {
        let own: Vec<&str> = changed.iter().map(String::as_str).collect();
        let Edited { texts: again, elsewhere: left } = edit::rename(&own, &outdated);
        (changed, elsewhere) = (again, left);
        let own: Vec<&str> = changed.iter().map(String::as_str).collect();
        let again = read(&own, base).ok()?;
        if !same(&reading.question, &again.question) {
            return None;
        }
        let before = std::mem::replace(&mut outdated, again.outdated);
        if outdated.is_empty() || outdated.len() == before.len() {
            break;
        }
    }
    // What stands where it cannot be changed, as in JSON, is named.
    if outdated.len() > elsewhere.len() {
        return None;
    }
    let changed = if reading.lacking.is_empty() { changed } else { stated(&changed, base, reading)? };
    let diff = diff::unified(texts, &changed);
    (!diff.is_empty()).then(|| Migrated { release: (*newest).to_owned(), diff, texts: changed, elsewhere })
}

/// The texts with what older releases took by themselves and the newest asks for.
fn stated(texts: &[String], base: Option<&Question>, reading: &Reading) -> Option<Vec<String>> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let own = read(&texts, base).ok()?;
    let state = |(key, value): &(&str, &str)| Edit {
        key: (*key).to_owned(),
        value: Some((*value).to_owned()),
        bare: false,
        section: None,
    };
    let edits: Vec<Edit> = own.lacking.iter().map(state).collect();
    let edited = edit::apply(&texts, &own, &edits);
    let again: Vec<&str> = edited.texts.iter().map(String::as_str).collect();
    let whole = edited.elsewhere.is_empty() && same(&reading.question, &read(&again, base).ok()?.question);
    whole.then_some(edited.texts)
}

/// Whether two readings ask the same, but for the generation of the engine and of defaults, which are the release's.
fn same(was: &Question, now: &Question) -> bool {
    let plain = |question: &Question| {
        let mut question = question.clone();
        if let Some(rollout) = question.plan.as_mut().and_then(|plan| plan.rollout.as_mut()) {
            rollout.engine_version = None;
            rollout.max_num_seqs = None;
            rollout.enforce_eager = None;
        }
        question.workload.packing = None;
        question
    };
    plain(was) == plain(now)
}
