//! What the core says in Chinese: of every sentence that a test comes across.

use shardwise_core::chinese::{chinese, left};

/// Says a finished text of the core in Chinese. Nothing English may be left.
#[track_caller]
pub(crate) fn said(english: &str) -> String {
    let text = chinese(english).unwrap_or_else(|| english.to_owned());
    assert_eq!(left(english), 0, "{english}\n{text}");
    text
}
