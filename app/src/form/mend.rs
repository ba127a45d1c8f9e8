//! What mends a control that is wrong: values that are right there, for a press.

use serde::{Deserialize, Serialize};
use shardwise_core::{InputError, Question, catalog, job, ordered};

use super::models::matching;
use super::units::{self, NumberError};
use super::{Field, FieldError, Form, Problem, Takes};
use crate::format;

/// How many are offered.
const MOST: usize = 3;

/// What refuses a question; `None` where nothing does.
pub(crate) type Check<'a> = &'a dyn Fn(&Question) -> Option<InputError>;

/// What refuses a question without a search for its answer.
pub(crate) fn unresolved(question: &Question) -> Option<InputError> {
    job::resolve(question).err()
}

/// A value that the control may have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mend {
    /// As it is typed; empty to leave the control open.
    pub(crate) text: String,
    /// Whether it is the largest that is accepted.
    pub(crate) is_most: bool,
}

/// What mends a control, likeliest first. `last` is the form of the last question that had an answer. Each was tried: the
/// control is right with it, as far as `check` says.
pub(crate) fn mends(form: &Form, error: &FieldError, last: Option<&Form>, check: Check<'_>) -> Vec<Mend> {
    let Some(field) = error.field else {
        return Vec::new();
    };
    if let Some(known) = &error.mends {
        return known.clone();
    }
    if error.problem == Problem::NoModel {
        return models(form.get(field));
    }
    let candidates = match &error.problem {
        Problem::Number(number) => written(form.get(field), *number, field),
        Problem::Refused(message) => named(message, form.get(field), field),
        _ => Vec::new(),
    };
    let mut mends: Vec<Mend> = Vec::new();
    let mut offer = |mend: Mend, most: usize| {
        let new = mend.text != form.get(field).trim() && mends.iter().all(|own| own.text != mend.text);
        if mends.len() < most && new && is_right(form, field, &mend.text, check) {
            mends.push(mend);
        }
    };
    for mend in candidates {
        offer(mend, MOST - 1);
    }
    // What had an answer; where nothing was stated then, only if no value is at hand.
    if let Some(before) = last.map(|last| last.get(field).trim()) {
        offer(Mend { text: before.to_owned(), is_most: false }, if before.is_empty() { 1 } else { MOST });
    }
    mends
}

/// The models nearest to a name that is none.
fn models(typed: &str) -> Vec<Mend> {
    let mut names: Vec<&str> = matching(typed).iter().map(|listed| listed.entry.name).collect();
    if names.is_empty() {
        let refused = shardwise_core::model::resolve_model(&typed.into(), "model");
        let message = refused.err().map(|error| error.message).unwrap_or_default();
        // The core names the nearest by their identifiers, in quotes.
        names = message.split('"').filter_map(catalog::model).map(|entry| entry.name).collect();
    }
    let mends = names.into_iter().take(MOST);
    mends.map(|name| Mend { text: name.to_owned(), is_most: false }).collect()
}

/// What a number was meant to be.
fn written(typed: &str, error: NumberError, field: Field) -> Vec<Mend> {
    let meant = match error {
        NumberError::Comma => typed.trim().replace(',', "."),
        NumberError::Negative => typed.trim().trim_start_matches(['-', '−']).to_owned(),
        NumberError::NotWhole => match units::number(typed, field.kilo()) {
            Ok(value) => format::fixed(value, 0),
            Err(_) => return Vec::new(),
        },
        NumberError::NotANumber | NumberError::TooLarge => return Vec::new(),
    };
    vec![Mend { text: meant, is_most: false }]
}

/// The numbers that a refusal of the core gives as its remedy, nearest to what is typed first.
fn named(message: &str, typed: &str, field: Field) -> Vec<Mend> {
    let message = message.rfind("Give ").map_or(message, |place| &message[place..]);
    let whole = matches!(field.takes(), Takes::Count | Takes::Tokens);
    let typed = units::number(typed, field.kilo()).unwrap_or(1.0);
    let mut numbers: Vec<(f64, bool)> = Vec::new();
    for (place, word) in words(message) {
        let Ok(value) = units::number(word, 1e3) else { continue };
        let (before, after) = (&message[..place], &message[place + word.len()..]);
        let is_most = before.ends_with("at most ") || before.ends_with("up to ") || after.starts_with(" or less");
        if !whole || value.fract() == 0.0 {
            numbers.push((value, is_most));
        }
    }
    let far = |value: f64| (value.max(1e-9) / typed.max(1e-9)).ln().abs();
    ordered::sort(&mut numbers, &|one, other| far(one.0).total_cmp(&far(other.0)));
    let mends = numbers.into_iter();
    mends
        .map(|(value, is_most)| Mend { text: format::trimmed(value), is_most })
        .collect()
}

/// The numbers of a sentence with their places.
fn words(message: &str) -> impl Iterator<Item = (usize, &str)> {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ',' | '_' | '-');
    message.split(move |c| !inside(c)).filter_map(|word| {
        let word = word.trim_end_matches(['.', ',']);
        let starts = word.starts_with(|c: char| c.is_ascii_digit());
        let place = word.as_ptr() as usize - message.as_ptr() as usize;
        starts.then_some((place, word))
    })
}

/// Whether a control is right with a text.
fn is_right(form: &Form, field: Field, text: &str, check: Check<'_>) -> bool {
    let mut tried = form.clone();
    tried.set(field, text);
    let own = |error: FieldError| error.field == Some(field);
    match tried.question() {
        Err(errors) => !errors.into_iter().any(own),
        Ok(question) => check(&question).is_none_or(|error| !own(error.into())),
    }
}
