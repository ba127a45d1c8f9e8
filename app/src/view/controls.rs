//! The controls of the form: a label, an input, and what is wrong with it.

use leptos::ev::Event;
use shardwise_core::emit::NAMES;
use shardwise_core::wire::WorkloadKind;

use crate::form::units::{self, NumberError};
use crate::form::{Field, FieldError, Form, Problem, Takes, mend};
use crate::view::prelude::*;
use crate::view::steps::Built;
use crate::view::values::{auto_text, used};

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

/// An error in words, with the label of its control in front, or what the field is called that it is about.
pub(super) fn describe(page: Page, error: &FieldError) -> String {
    let text = page.text();
    let words = match &error.problem {
        Problem::Number(error) => bad_number(*error, text).to_owned(),
        Problem::Missing => text.missing.to_owned(),
        Problem::Address => text.bad_address.to_owned(),
        Problem::Json(reason) => fill(text.bad_json, &[reason]),
        Problem::Twice(key) => fill(text.bad_twice, &[key]),
        Problem::NoModel => text.no_model.to_owned(),
        Problem::Refused(message) => page.lang.with_labels(&page.say(message)),
    };
    let label = error.field.map(|field| page.lang.label(field).to_owned());
    let place = match (label, page.lang.field(&error.path)) {
        (Some(label), _) if error.field.is_some_and(|field| field.path() == error.path) => label,
        (_, Some(name)) => name,
        // A key of a pasted file is what stands there.
        (Some(label), None) => {
            let key = error.path.rsplit('.').next().unwrap_or_default();
            [label.as_str(), key].join(page.lang.comma())
        }
        (None, None) => error.path.clone(),
    };
    fill(text.wrong_at, &[&place, &words])
}

/// How a number with a unit was read, and dollars on a page that shows another currency; `None` for plain numbers.
pub(super) fn reading(page: Page, field: Field) -> Option<String> {
    let typed = page.typed(field);
    let value = units::number(&typed, field.kilo()).ok();
    let shown = value.filter(|_| field.is_dollars()).and_then(money::typed);
    if shown.is_some() {
        return shown;
    }
    if !units::has_unit(&typed) {
        return None;
    }
    let value = value?;
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
fn mends(page: Page, field: Field) -> Vec<AnyView> {
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
        let act = move |_| {
            page.change(|form| form.set(field, mend.text.as_str()));
            browser::focus(&field.id());
        };
        view! { <button class="btn btn-s" type="button" on:click=act>{words}</button> }
    });
    buttons.collect()
}

/// The name of a control's message.
fn message_id(field: Field) -> String {
    format!("{}-m", field.id())
}

/// The message under a control, with what mends it.
#[component]
pub(super) fn Message(page: Page, field: Field) -> impl IntoView {
    move || {
        problem(page, field).map(|problem| {
            // As soon as it stands.
            browser::soon(move || browser::show_message(&message_id(field), &field.id()));
            view! {
                <p class="msg" id=message_id(field)>
                    <span>
                        <Icon name="i-x"/>
                        {problem}
                    </span>
                    " "
                    {mends(page, field)}
                </p>
            }
        })
    }
}

/// The class of a control that is wrong; what is empty is not wrong yet, it is wanted.
pub(super) fn wrong_class(page: Page, field: Field) -> &'static str {
    match (problem(page, field).is_some(), page.typed(field).trim().is_empty()) {
        (false, _) => "",
        (true, true) => " is-need",
        (true, false) => " is-err",
    }
}

/// The class of a control with its label; `searched` where the search decides while it is empty.
fn class(page: Page, field: Field, searched: bool) -> String {
    let auto = if searched && page.typed(field).is_empty() { " auto" } else { "" };
    format!("field{}{auto}", wrong_class(page, field))
}

/// Puts what is typed into the form.
pub(super) fn type_in(page: Page, field: Field, event: &Event) {
    page.type_in(|form| form.type_text(field, event_target_value(event)));
}

/// How a number with a unit is read.
#[component]
pub(super) fn Reading(page: Page, field: Field) -> impl IntoView {
    move || reading(page, field).map(|reading| view! { <p class="hint read">{reading}</p> })
}

/// An input for one line of text; for a number of `tokens`, with that unit. While it is empty it shows what the answer used, or the
/// `placeholder`; where the search decides, behind "auto".
#[component]
pub(super) fn Input(
    page: Page,
    field: Field,
    #[prop(optional)] tokens: bool,
    #[prop(optional, into)] placeholder: Option<Signal<String>>,
    #[prop(optional)] label: Option<&'static str>,
    /// What its element is named behind, of a control that is on the page once more: what is wrong with it is said at the other.
    #[prop(optional)]
    again: &'static str,
) -> impl IntoView {
    let id = format!("{again}{}", field.id());
    let wrong = move || again.is_empty() && problem(page, field).is_some();
    let mode = match field.takes() {
        // Counts too: a keyboard of digits alone cannot type `8k`.
        Takes::Number | Takes::Share => "decimal",
        _ => "text",
    };
    let searched = field.is_searched();
    let placeholder = placeholder.unwrap_or_else(|| used(page, field));
    let placeholder = if searched { auto_text(page, placeholder) } else { placeholder };
    let control = view! {
        <input
            id=id.clone()
            type="text"
            inputmode=mode
            autocomplete="off"
            spellcheck="false"
            placeholder=move || placeholder.get()
            prop:value=move || page.typed(field)
            on:input=move |event| type_in(page, field, &event)
            aria-invalid=move || wrong().then_some("true")
            aria-describedby=move || wrong().then(|| message_id(field))
        />
    };
    let control = if tokens {
        view! {
            <div class="unit">
                {control}
                <span aria-hidden="true">{page.text().tokens_unit}</span>
            </div>
        }
    } else {
        control
    };
    view! {
        <div class=move || if again.is_empty() { class(page, field, searched) } else { "field".to_owned() }>
            <label for=id>{label.unwrap_or_else(|| page.lang.label(field))}</label>
            {control}
            <Reading page field/>
            {again.is_empty().then(|| view! { <Message page field/> })}
        </div>
    }
}

/// An input for a number that is no field of the question, with what is wrong with it; `hint` names what else describes it. What is
/// inside stands below it.
#[component]
pub(super) fn Plain(
    id: &'static str,
    #[prop(optional)] class: &'static str,
    label: &'static str,
    typed: RwSignal<String>,
    #[prop(into)] wrong: Signal<Option<&'static str>>,
    #[prop(optional, into)] hint: Signal<Option<&'static str>>,
    #[prop(optional, into)] done: Option<Callback<()>>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let message = format!("{id}-m");
    let described = message.clone();
    let is_wrong = move || wrong.with(Option::is_some);
    view! {
        <div class=move || format!("field{class}{}", if is_wrong() { " is-err" } else { "" })>
            <label for=id>{label}</label>
            <input
                type="text"
                inputmode="decimal"
                autocomplete="off"
                spellcheck="false"
                id=id
                prop:value=move || typed.get()
                on:input=move |event| typed.set(event_target_value(&event))
                on:change=move |_| done.iter().for_each(|done| done.run(()))
                aria-invalid=move || is_wrong().then_some("true")
                aria-describedby=move || {
                    is_wrong().then(|| described.clone()).or_else(|| hint.get().map(str::to_owned))
                }
            />
            {children.map(|children| children())}
            {move || wrong.get().map(|why| view! { <p class="msg" id=message.clone()><Icon name="i-x"/>{why}</p> })}
        </div>
    }
}

/// A choice among a few: one button each.
#[component]
pub(super) fn Segments<T: PartialEq + Copy + Send + Sync + 'static>(
    #[prop(optional)] class: Option<&'static str>,
    name: &'static str,
    choices: Vec<(T, &'static str)>,
    chosen: RwSignal<T>,
    #[prop(into)] choose: Callback<T>,
) -> impl IntoView {
    let buttons = choices.into_iter().map(move |(value, words)| {
        view! {
            <button
                class="seg-b"
                type="button"
                aria-pressed=move || (chosen.get() == value).to_string()
                on:click=move |_| choose.run(value)
            >
                {words}
            </button>
        }
    });
    view! { <div class=class.unwrap_or("seg") role="group" aria-label=name>{buttons.collect_view()}</div> }
}

/// Fields that most leave as they are, folded, and built at a step; beside the title what they come to.
#[component]
pub(super) fn More(
    page: Page,
    at: Step,
    title: &'static str,
    #[prop(optional)] id: Option<&'static str>,
    #[prop(optional)] open: bool,
    #[prop(optional, into)] aside: Option<Signal<String>>,
    children: ChildrenFn,
) -> impl IntoView {
    view! {
        <details class="more" id=id open=open>
            <summary>{title}{aside.map(|aside| view! { " "<span>{move || aside.get()}</span> })}</summary>
            <div class="row">
                <Built page at>{children()}</Built>
            </div>
        </details>
    }
}

/// A list to choose from; what is inside are its options.
#[component]
pub(super) fn Select(
    page: Page,
    field: Field,
    #[prop(optional)] searched: bool,
    #[prop(into)] act: Callback<String>,
    children: Children,
) -> impl IntoView {
    view! {
        <div class=move || class(page, field, searched)>
            <label for=field.id()>{page.lang.label(field)}</label>
            <select
                id=field.id()
                on:change=move |event| act.run(event_target_value(&event))
                aria-invalid=move || problem(page, field).map(|_| "true")
                aria-describedby=move || problem(page, field).map(|_| message_id(field))
            >
                {children()}
            </select>
            <Message page field/>
        </div>
    }
}

/// A choice among words of the interface, the field's own unless others are named; the empty one is `auto`, with what it comes to: what
/// the answer used, unless something else is said.
#[component]
pub(super) fn Choice(
    page: Page,
    field: Field,
    #[prop(optional)] words: Option<&'static [&'static str]>,
    #[prop(optional, into)] auto: Option<Signal<String>>,
) -> impl IntoView {
    let text = page.text();
    let words = words.unwrap_or_else(|| field.choices());
    let auto = auto_text(page, auto.unwrap_or_else(|| used(page, field)));
    let name = move |word: &'static str| match word {
        "true" => text.yes,
        "false" => text.no,
        other => page.lang.word(other),
    };
    view! {
        <Select page field searched=true act=move |word: String| page.type_in(|form| form.type_text(field, word))>
            <option value="" prop:selected=move || page.typed(field).is_empty()>
                {move || auto.get()}
            </option>
            {words.iter().map(move |word| view! {
                <option value=*word prop:selected=move || page.typed(field) == *word>{name(word)}</option>
            }).collect_view()}
        </Select>
    }
}
