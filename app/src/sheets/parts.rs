//! What several sheets say alike.

use serde_json::{Map, Value};
use shardwise_core::Question;
use shardwise_core::neighbours::apply;

use crate::format;
use crate::protocol::blocks::{Action, Button, Look};
use crate::text::Lang;

/// A button that asks the question with `set`; nothing where that is no question. Back undoes it.
pub(super) fn try_it(question: &Question, set: &[Map<String, Value>], name: &str, lang: Lang) -> Option<Button> {
    asking(question, set, lang.sheets().try_it, name)
}

/// A button with words of its own that asks the question with `set`.
pub(super) fn asking(question: &Question, set: &[Map<String, Value>], words: &str, name: &str) -> Option<Button> {
    let changed = set.iter().try_fold(question.clone(), |question, set| apply(&question, set))?;
    Some(Button::new(Look::Small, words, Action::ask(&changed)).about(name))
}

/// With its sign; nothing is nothing.
pub(super) fn signed(text: String) -> String {
    let zero = !text.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    if zero {
        "0".to_owned()
    } else if text.contains('−') {
        text
    } else {
        format!("+{text}")
    }
}

/// Dollars with their sign before them.
pub(super) fn signed_usd(usd: f64) -> String {
    let text = signed(format::figure(usd));
    match text.chars().next() {
        Some(sign @ ('+' | '−')) => text.replacen(sign, &format!("{sign}$"), 1),
        _ => format!("${text}"),
    }
}
