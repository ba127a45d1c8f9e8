//! Words of an answer that are known beforehand: reading one gives the word that the program has already.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use shardwise_catalog::catalog;

use crate::framework::NAMES;

/// Such a word. An alias, because serde would borrow what it sees to be a reference from the document.
pub(super) type Word = &'static str;

/// Phases of a step, and what else may run out of memory.
const PHASES: [Word; 16] = [
    "train",
    "rollout",
    "old_log_prob",
    "mismatched",
    "reference",
    "values",
    "update_reward",
    "reward",
    "reward_reference",
    "teacher",
    "update_critic",
    "update_actor",
    "weight_sync",
    "driver",
    "engine",
    "host",
];

fn one_of<'de, D: Deserializer<'de>>(document: D, mut known: impl Iterator<Item = Word>) -> Result<Word, D::Error> {
    let word = String::deserialize(document)?;
    known
        .find(|own| *own == word)
        .ok_or_else(|| D::Error::unknown_variant(&word, &[]))
}

/// A phase.
pub(super) fn phase<'de, D: Deserializer<'de>>(document: D) -> Result<Word, D::Error> {
    one_of(document, PHASES.into_iter())
}

/// A framework's identifier.
pub(super) fn framework<'de, D: Deserializer<'de>>(document: D) -> Result<Word, D::Error> {
    one_of(document, NAMES.iter().map(|own| own.id))
}

/// A framework's version.
pub(super) fn version<'de, D: Deserializer<'de>>(document: D) -> Result<Word, D::Error> {
    one_of(document, NAMES.iter().flat_map(|own| own.versions.iter().copied()))
}

/// The version of the catalog, or the date of its prices: an answer of other data is not this version's.
pub(super) fn data<'de, D: Deserializer<'de>>(document: D) -> Result<Word, D::Error> {
    one_of(document, [catalog::VERSION, catalog::PRICES_AS_OF].into_iter())
}
