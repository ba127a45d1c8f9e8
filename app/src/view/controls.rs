//! The controls of the form: a label, an input, and what is wrong with it.

use super::erased::{live, part, typed};
use leptos::prelude::*;

use super::icons::icon;
use crate::form::units::{self, NumberError};
use crate::form::{Field, FieldError, Problem, Takes};
use crate::format;
use crate::page::Page;
use crate::text::fill;

/// What is wrong with a control, in words; `None` while it is right.
pub(super) fn problem(page: Page, field: Field) -> Option<String> {
    page.errors.with(|errors| {
        errors
            .iter()
            .find(|error| error.field == Some(field))
            .map(|error| describe(page, error))
    })
}

/// An error in words; with the path in front where no control has just that path.
pub(super) fn describe(page: Page, error: &FieldError) -> String {
    let text = page.text();
    let words = match &error.problem {
        Problem::Number(NumberError::NotANumber) => text.bad_number.to_owned(),
        Problem::Number(NumberError::Comma) => text.bad_comma.to_owned(),
        Problem::Number(NumberError::Negative) => text.bad_negative.to_owned(),
        Problem::Number(NumberError::NotWhole) => text.bad_fraction.to_owned(),
        Problem::Number(NumberError::TooLarge) => text.bad_large.to_owned(),
        Problem::Missing => text.missing.to_owned(),
        Problem::Json(reason) => fill(text.bad_json, &[reason]),
        Problem::Refused(message) => message.clone(),
    };
    if error.field.is_some_and(|field| field.path() == error.path) {
        words
    } else {
        format!("{}: {words}", error.path)
    }
}

/// How a number with a unit was read; `None` for plain numbers.
fn reading(page: Page, field: Field) -> Option<String> {
    page.form.with(|form| {
        let typed = form.get(field);
        if !units::has_unit(typed) {
            return None;
        }
        let value = units::number(typed, field.kilo()).ok()?;
        let value = if value >= 1.0 {
            format::fixed(value, 0)
        } else {
            format::fixed(value, 2)
        };
        Some(fill(page.text().read_as, &[&value]))
    })
}

/// The message under a control.
pub(super) fn message(page: Page, field: Field) -> AnyView {
    let id = format!("{}-m", field.id());
    part(move || {
        let id = id.clone();
        problem(page, field)
            .map(|problem| view! { <p class="msg" id=id>{icon("i-x")}{problem}</p> })
    })
}

fn class(
    page: Page,
    field: Field,
    auto: bool,
) -> impl Fn() -> String + Clone + Send + Sync + 'static {
    move || {
        let mut class = String::from("field");
        if page
            .errors
            .with(|errors| errors.iter().any(|error| error.field == Some(field)))
        {
            class.push_str(" is-err");
        }
        if auto && page.form.with(|form| form.get(field).is_empty()) {
            class.push_str(" auto");
        }
        class
    }
}

/// Puts what is typed into the form.
pub(super) fn typing(page: Page, field: Field) -> Box<dyn FnMut(leptos::ev::Event)> {
    typed(move |text| {
        page.bad_link.set(None);
        page.form.update(|form| form.set(field, text));
    })
}

/// An input for one line of text.
pub(super) fn input(
    page: Page,
    field: Field,
    unit: Option<&'static str>,
    placeholder: Signal<String>,
) -> AnyView {
    let id = field.id();
    let described = format!("{id}-m");
    let mode = match field.takes() {
        // Counts too: a keyboard of digits alone cannot type `8k`.
        Takes::Number | Takes::Share => "decimal",
        _ => "text",
    };
    let wrong = move || {
        page.errors
            .with(|errors| errors.iter().any(|error| error.field == Some(field)))
    };
    let is_plan = field.path().starts_with("plan.");
    let control = view! {
        <input id=id.clone() type="text" inputmode=mode autocomplete="off" spellcheck="false"
            placeholder=placeholder
            prop:value=live(move || page.form.with(|form| form.get(field).to_owned()))
            on:input=typing(page, field)
            aria-invalid=live(move || wrong().then_some("true"))
            aria-describedby=live(move || wrong().then(|| described.clone()))/>
    };
    let control = match unit {
        Some(_) => view! {
            <div class="unit">{control}<span aria-hidden="true">{page.text().tokens_unit}</span></div>
        }
        .into_any(),
        None => control.into_any(),
    };
    view! {
        <div class=live(class(page, field, is_plan))>
            <label for=id>{page.lang.label(field)}</label>
            {control}
            {part(move || reading(page, field).map(|reading| view! { <p class="hint read">{reading}</p> }))}
            {message(page, field)}
        </div>
    }
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
pub(super) fn choice(
    page: Page,
    field: Field,
    words: &'static [&'static str],
    auto: Signal<String>,
) -> AnyView {
    let id = field.id();
    let described = format!("{id}-m");
    let value = move || page.form.with(|form| form.get(field).to_owned());
    let name = move |word: &'static str| {
        let text = page.text();
        match word {
            "true" => text.yes,
            "false" => text.no,
            other => page.lang.word(other),
        }
    };
    let options = words.iter().map(|word| {
        view! { <option value=*word prop:selected=live(move || value() == *word)>{name(word)}</option> }
    });
    let wrong = move || {
        page.errors
            .with(|errors| errors.iter().any(|error| error.field == Some(field)))
    };
    let automatic = move || {
        let found = auto.get();
        let text = page.text();
        if found.is_empty() {
            text.auto.to_owned()
        } else {
            fill(text.auto_is, &[&found])
        }
    };
    view! {
        <div class=live(class(page, field, true))>
            <label for=id.clone()>{page.lang.label(field)}</label>
            <select id=id
                on:change=typing(page, field)
                aria-invalid=live(move || wrong().then_some("true"))
                aria-describedby=live(move || wrong().then(|| described.clone()))>
                <option value="" prop:selected=live(move || value().is_empty())>{live(automatic)}</option>
                {options.collect_view()}
            </select>
            {message(page, field)}
        </div>
    }
    .into_any()
}
