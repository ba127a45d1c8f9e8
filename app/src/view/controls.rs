//! The controls of the form: a label, an input, and what is wrong with it.

use super::dom::{El, el, live, part, press, typed};
use leptos::prelude::*;
use shardwise_core::emit::NAMES;
use shardwise_core::wire::WorkloadKind;

use super::icons::icon;
use crate::browser;
use crate::form::units::{self, NumberError};
use crate::form::{Field, FieldError, Form, Problem, Takes, mend};
use crate::format;
use crate::page::Page;
use crate::text::{Text, fill};

/// What is wrong with a control, in words; `None` while it is right.
pub(super) fn problem(page: Page, field: Field) -> Option<String> {
    let of = |errors: &[FieldError]| {
        let found = errors.iter().find(|error| error.field == Some(field));
        found.map(|error| describe(page, error))
    };
    if field.is_measured() {
        return of(page.run()?.compared.as_ref().err()?);
    }
    of(&page.wrong())
}

/// Why a number could not be read, in words.
pub(super) fn bad_number(error: NumberError, text: &Text) -> &'static str {
    match error {
        NumberError::NotANumber => text.bad_number,
        NumberError::Comma => text.bad_comma,
        NumberError::Negative => text.bad_negative,
        NumberError::NotWhole => text.bad_fraction,
        NumberError::TooLarge => text.bad_large,
    }
}

/// An error in words, with the label of its control in front; with the path where there is none.
pub(super) fn describe(page: Page, error: &FieldError) -> String {
    let text = page.text();
    let words = match &error.problem {
        Problem::Number(error) => bad_number(*error, text).to_owned(),
        Problem::Missing => text.missing.to_owned(),
        Problem::Address => text.bad_address.to_owned(),
        Problem::Json(reason) => fill(text.bad_json, &[reason]),
        Problem::NoModel => text.no_model.to_owned(),
        Problem::Refused(message) => page.lang.with_labels(&page.say(message)),
    };
    let mut place = error
        .field
        .map_or(error.path.as_str(), |field| page.lang.label(field))
        .to_owned();
    if error
        .field
        .is_some_and(|field| field.path() != error.path && error.path.len() > field.path().len())
    {
        // A key of a pasted file is what stands there.
        place = format!("{place}, {}", error.path.rsplit('.').next().unwrap_or_default());
    }
    fill(text.wrong_at, &[&place, &words])
}

/// How a number with a unit was read; `None` for plain numbers.
pub(super) fn reading(page: Page, field: Field) -> Option<String> {
    let typed = page.typed(field);
    if !units::has_unit(&typed) {
        return None;
    }
    let value = units::number(&typed, field.kilo()).ok()?;
    let value = if value >= 1.0 { format::fixed(value, 0) } else { format::fixed(value, 2) };
    Some(fill(page.text().read_as, &[&value]))
}

/// A value of a control as its list says it.
fn named(page: Page, field: Field, value: &str) -> &str {
    match field {
        Field::Kind => WorkloadKind::of(value).map_or(value, |kind| page.lang.word(kind.name())),
        Field::Framework => NAMES.iter().find(|own| own.id == value).map_or(value, |own| own.name),
        _ if field.takes() == Takes::Choice => page.lang.word(value),
        _ => value,
    }
}

/// What mends a control, as buttons.
fn mends(page: Page, field: Field) -> Vec<El> {
    let errors = page.wrong();
    let Some(error) = errors.iter().find(|error| error.field == Some(field)) else {
        return Vec::new();
    };
    let last = page.standing().map(|shown| Form::of(&shown.question));
    let found = page
        .form
        .with_untracked(|form| mend::mends(form, error, last.as_ref(), &mend::unresolved));
    let buttons = found.into_iter().map(|mend| {
        let text = page.text();
        let words = match mend.text.as_str() {
            "" if field.is_plan() => text.free_plan.to_owned(),
            "" if field == Field::Framework => fill(text.use_value, &[text.any_framework]),
            "" => text.use_open.to_owned(),
            value if mend.is_most => fill(text.use_most, &[value]),
            value => fill(text.use_value, &[named(page, field, value)]),
        };
        let act = move || {
            page.change(|form| form.set(field, mend.text.as_str()));
            browser::focus(&field.id());
        };
        el("BUTTON.btn btn-s|type=button").on("click", press(act)).child(words)
    });
    buttons.collect()
}

/// The message under a control, with what mends it.
pub(super) fn message(page: Page, field: Field) -> AnyView {
    let id = format!("{}-m", field.id());
    part(move || {
        let id = id.clone();
        problem(page, field).map(|problem| {
            let shown = id.clone();
            let control = field.id();
            // As soon as it stands.
            browser::soon(move || browser::show_message(&shown, &control));
            el("P.msg")
                .set("id", id)
                .child(el("SPAN").child(icon("i-x")).child(problem))
                .child(" ")
                .children(mends(page, field))
        })
    })
}

/// The class of a control that is wrong; what is empty is not wrong yet, it is wanted.
pub(super) fn wrong_class(page: Page, field: Field) -> &'static str {
    match (problem(page, field).is_some(), page.typed(field).trim().is_empty()) {
        (false, _) => "",
        (true, true) => " is-need",
        (true, false) => " is-err",
    }
}

fn class(page: Page, field: Field, auto: bool) -> impl Fn() -> String + Clone + Send + Sync + 'static {
    move || {
        let mut class = String::from("field");
        class.push_str(wrong_class(page, field));
        if auto && page.typed(field).is_empty() {
            class.push_str(" auto");
        }
        class
    }
}

/// Puts what is typed into the form.
pub(super) fn typing(page: Page, field: Field) -> Box<dyn FnMut(leptos::ev::Event)> {
    typed(move |text| page.type_in(|form| form.type_text(field, text)))
}

/// An input for one line of text.
pub(super) fn input(page: Page, field: Field, unit: Option<&'static str>, placeholder: Signal<String>) -> AnyView {
    let id = field.id();
    let described = format!("{id}-m");
    let mode = match field.takes() {
        // Counts too: a keyboard of digits alone cannot type `8k`.
        Takes::Number | Takes::Share => "decimal",
        _ => "text",
    };
    let wrong = move || problem(page, field).is_some();
    let searched = field.is_searched();
    let control = el("INPUT")
        .set("id", id.clone())
        .set("type", "text")
        .set("inputmode", mode)
        .set("autocomplete", "off")
        .set("spellcheck", "false")
        .live("placeholder", move || placeholder.get())
        .value(move || page.typed(field))
        .on("input", typing(page, field))
        .live("aria-invalid", move || wrong().then_some("true"))
        .live("aria-describedby", move || wrong().then(|| described.clone()));
    let control = match unit {
        Some(_) => el("DIV.unit")
            .child(control)
            .child(el("SPAN|aria-hidden=true").child(page.text().tokens_unit))
            .into_any(),
        None => control.into_any(),
    };
    el("DIV")
        .live("class", class(page, field, searched))
        .child(el("LABEL").set("for", id).child(page.lang.label(field)))
        .child(control)
        .child(part(move || reading(page, field).map(|reading| el("P.hint read").child(reading))))
        .child(message(page, field))
        .into_any()
}

/// An input without unit or placeholder.
pub(super) fn plain(page: Page, field: Field) -> AnyView {
    input(page, field, None, Signal::stored(String::new()))
}

/// An input for a number of tokens.
pub(super) fn tokens(page: Page, field: Field) -> AnyView {
    input(page, field, Some("tokens"), Signal::stored(String::new()))
}

/// A choice among words of the interface; the empty one is `auto`, with what it comes to.
pub(super) fn choice(page: Page, field: Field, words: &'static [&'static str], auto: Signal<String>) -> AnyView {
    let id = field.id();
    let described = format!("{id}-m");
    let value = move || page.typed(field);
    let name = move |word: &'static str| {
        let text = page.text();
        match word {
            "true" => text.yes,
            "false" => text.no,
            other => page.lang.word(other),
        }
    };
    let options = words.iter().map(|word| {
        el("OPTION")
            .set("value", *word)
            .flag("selected", move || value() == *word)
            .child(name(word))
    });
    let wrong = move || problem(page, field).is_some();
    let automatic = move || {
        let found = auto.get();
        let text = page.text();
        if found.is_empty() { text.auto.to_owned() } else { fill(text.auto_is, &[&found]) }
    };
    el("DIV")
        .live("class", class(page, field, true))
        .child(el("LABEL").set("for", id.clone()).child(page.lang.label(field)))
        .child(
            el("SELECT")
                .set("id", id)
                .on("change", typing(page, field))
                .live("aria-invalid", move || wrong().then_some("true"))
                .live("aria-describedby", move || wrong().then(|| described.clone()))
                .child(
                    el("OPTION|value=")
                        .flag("selected", move || value().is_empty())
                        .child(live(automatic)),
                )
                .children(options),
        )
        .child(message(page, field))
        .into_any()
}
