//! The part of the page's address that holds a question.

use serde::Serialize;

use shardwise_catalog::error::InputError;
use shardwise_question::wire::{Question, VERSION};
use shardwise_question::{belonging, permalink, usual};

/// A question and its link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Linked {
    /// Interface version: 1.
    pub version: u32,
    /// The part of the page's address from after `#`.
    pub link: String,
    /// What it asks.
    pub question: Question,
}

/// The link of a question; `fill` says to fill in what is usual where it does not say how large its task is.
///
/// # Errors
/// Names the field that is refused, and the remedy.
pub fn linked(question: &Question, fill: bool) -> Result<Linked, InputError> {
    let question = if fill { usual::filled(question)? } else { question.clone() };
    belonging::check(&question)?;
    Ok(Linked { version: VERSION, link: permalink::to_hash(&question), question })
}
