//! What several sheets say alike.

use serde_json::{Map, Value};
use shardwise_core::Question;
use shardwise_core::neighbours::apply;

use crate::format;
use crate::money;
use crate::protocol::blocks::{Action, Block, Button, Kind, Look, prose};
use crate::text::{Lang, fill};

/// A button that asks the question with `set`; nothing where that is no question. Back undoes it.
pub(super) fn try_it(question: &Question, set: &[Map<String, Value>], name: &str, lang: Lang) -> Option<Button> {
    asking(question, set, lang.sheets().try_it, name)
}

/// A button with words of its own that asks the question with `set`.
pub(super) fn asking(question: &Question, set: &[Map<String, Value>], words: &str, name: &str) -> Option<Button> {
    let changed = set.iter().try_fold(question.clone(), |question, set| apply(&question, set))?;
    Some(Button::new(Look::Small, words, Action::ask(&changed)).about(name))
}

/// A button that shows all rows of a table, or the first again.
pub(super) fn more(id: &str, count: usize, all: bool, lang: Lang) -> Block {
    let text = lang.text();
    let words = if all { text.show_fewer.to_owned() } else { fill(text.show_all, &[&format::grouped(count as u64)]) };
    prose(Kind::Actions, vec![Button::all(id, words, all).into()])
}

/// Shares below which two figures are the same.
pub(super) const SAME: f64 = 0.005;

/// By how much the second of two figures, `times` the first, is less or more: the words for less, for the same and for more.
pub(super) fn by(times: f64, [less, same, more]: [&str; 3]) -> String {
    let share = times - 1.0;
    if share.abs() < SAME {
        return same.to_owned();
    }
    fill(if share < 0.0 { less } else { more }, &[&format::percent(share.abs(), 0)])
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

/// Dollars as they are `said`, with their sign before them; nothing is nothing.
pub(super) fn signed_usd(usd: f64, said: fn(f64) -> String) -> String {
    let amount = said(usd.abs());
    let zero = !amount.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    if zero { format!("{}0", money::sign()) } else { format!("{}{amount}", if usd < 0.0 { "−" } else { "+" }) }
}

/// What changes in the dollars of a million tokens.
pub(super) fn signed_usd_per_mtok(usd: f64) -> String {
    signed_usd(usd, |usd| format!("{}{}", money::sign(), format::cost(usd)))
}
