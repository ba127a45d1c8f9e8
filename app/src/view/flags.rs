//! Flags to paste: a tab per framework. A worker writes the texts; `text` shows them.

mod text;

use gloo::timers::callback::Timeout;
use leptos::ev::KeyboardEvent;
use serde_json::{Map, Value};
use shardwise_core::emit::{NAMES, Named};
use shardwise_core::wire::{RunBy, to_value};

use super::icons::Callout;
use super::{listing, paste, sheet};
use crate::follow::{follow, follow_at_rest};
use crate::page::texts::{Texts, version};
use crate::protocol::{Flags, Name, Task, compact, state as state_of};
use crate::view::prelude::*;
use text::Listing;

/// How long the worker waits for the first answer to be drawn, in milliseconds.
const FIRST_MS: u32 = 200;

/// How long a question must rest before every framework is asked whether it runs it, in milliseconds.
const REST_MS: u32 = 400;

#[component]
pub(super) fn Flags(page: Page) -> impl IntoView {
    let choice = page.texts;
    browser::after(FIRST_MS, Box::new(move || desk::open(page.no_worker))).forget();
    follow_question(page, choice);
    order_flags(page, choice);
    order_serves(page);
    order_diff(page, choice);
    order_compare(page, choice);
    choice.follow_rest(page.flags);
    let title = move || {
        let own = choice.framework();
        let own = own.map(|own| format!("{}\u{a0}{}", own.name, choice.version(own)));
        fill(page.text().paste_into, &[&own.unwrap_or_default()])
    };
    // Whether what is shown is what the next change will be compared with.
    let stands = move || {
        let (now, stood) = (page.flags.get(), choice.stood.get());
        now.zip(stood)
            .is_some_and(|(now, stood)| Arc::ptr_eq(&now, &stood))
            .then_some("")
    };
    view! {
        <section class="block flags" id="flags" aria-labelledby="flags-h" data-stands=stands>
            <div class="block-h">
                <h2 id="flags-h">{move || title()}</h2>
            </div>
            <div class="tabs">
                <Tabs page choice/>
                <div
                    class="tabp"
                    id="flags-panel"
                    role="tabpanel"
                    aria-labelledby=move || format!("tab-{}", choice.framework.get())
                >
                    {move || choice.framework().map(|own| version_choice(page, own, choice))}
                    {move || panel(page, choice)}
                </div>
            </div>
            {sheet::host(page, Name::Diff)}
            <p class="toast" role="status" id="flags-said">{move || choice.said.get()}</p>
        </section>
    }
}

/// How long the page says that a key copied, in milliseconds.
const SAID_MS: u32 = 3000;

/// Copies all texts of the chosen framework, and says how it went. Several stand one after the other, each under its file's
/// name, as the paste box takes them.
pub(super) fn copy_all(page: Page) {
    let texts = page.texts;
    let flags = page
        .flags
        .get_untracked()
        .filter(|flags| flags.framework == texts.framework.get_untracked());
    let Some(flags) = flags.filter(|flags| !flags.texts.is_empty()) else {
        return browser::jump("flags");
    };
    let reasons = texts.reasons.get_untracked();
    let files = flags.texts.iter().map(|own| (own.file.as_str(), listing::copied(own, reasons)));
    let text = paste::joined(files.collect());
    browser::copy(&text, move |ok| {
        let words = page.text();
        if !ok {
            texts.whole.set(true);
            browser::jump("flags");
            browser::select("code-0");
        }
        let said = if ok { fill(words.copied_text, &[&flag_names(&flags)]) } else { words.select_copy.to_owned() };
        texts.said.set(said);
        Timeout::new(SAID_MS, move || drop(texts.said.try_set(String::new()))).forget();
    });
}

fn flag_names(flags: &Flags) -> String {
    let names = flags.texts.iter().map(|own| own.file.as_str());
    names.collect::<Vec<&str>>().join(" · ")
}

/// Opens the tab of the framework that the answer is for, as often as that is another. Who looks at another tab stays there
/// until the question names a framework.
fn follow_question(page: Page, choice: Texts) {
    let mut before: Option<RunBy> = None;
    follow(move || {
        let now = page.answered().and_then(|shown| shown.found.answer.framework);
        let there = choice.framework.get_untracked();
        let stays = before.is_none_or(|own| own.id == there);
        if now != before
            && let Some(own) = now
            && (own.stated || stays)
        {
            choice.version.set(own.version);
            choice.framework.set(own.id);
        }
        before = now.or(before);
    });
}

/// Orders the flags of the chosen framework, as often as the question or the choice changes.
fn order_flags(page: Page, choice: Texts) {
    follow(move || {
        let (Some(shown), Some(framework)) = (page.answered(), choice.framework()) else {
            return;
        };
        let task = Task::Flags {
            question: to_value(&shown.question),
            framework: framework.id.to_owned(),
            version: choice.version(framework).to_owned(),
            link: page.link(),
        };
        desk::order(page, task, |page, found| {
            let flags = compact::read::<Flags>(found).map(Arc::new);
            page.texts.compare(flags.as_deref());
            page.flags.set(flags);
        });
    });
}

/// Says in which framework's words A and B are compared.
fn order_compare(page: Page, choice: Texts) {
    let state = page.sheet(Name::Compare).state;
    follow(move || {
        let Some(framework) = choice.framework() else {
            return;
        };
        let own = [("framework", framework.id), ("version", choice.version(framework))];
        let is_said =
            |state: &Map<String, Value>| own.iter().all(|(key, word)| state.get(*key).is_some_and(|own| own == word));
        if !state.with_untracked(is_said) {
            state.update(|state| state.extend(own.map(|(key, word)| (key.to_owned(), word.into()))));
        }
    });
}

/// Says which texts are to be laid beside which framework's, where something was pasted.
fn order_diff(page: Page, choice: Texts) {
    let state = page.sheet(Name::Diff).state;
    let asked = move || state.with(|state| !state.is_empty());
    sheet::order(page, Name::Diff, Box::new(asked));
    follow(move || {
        let Some(framework) = choice.framework() else {
            return;
        };
        let texts = page.pasted.with(|text| paste::split(text));
        if texts.is_empty() {
            page.sheet(Name::Diff).blocks.set(None);
            return state.set(Map::new());
        }
        state.set(state_of([
            ("framework".to_owned(), framework.id.into()),
            ("version".to_owned(), choice.version(framework).into()),
            ("texts".to_owned(), texts.into()),
        ]));
    });
}

/// Asks which frameworks run the question, once it has rested.
fn order_serves(page: Page) {
    follow_at_rest(REST_MS, move || {
        let shown = page.answered()?;
        // Whoever finds them can compare GPU types until then.
        if page.comparison.busy.get() {
            return None;
        }
        Some(Box::new(move || {
            let question = to_value(&shown.question);
            desk::order(page, Task::Serves { question }, |page, found| {
                let serves = compact::read::<Vec<String>>(found).map(Arc::new);
                // Most questions change nothing here.
                if page.serves.with_untracked(|before| *before != serves) {
                    page.serves.set(serves);
                }
            });
        }))
    });
}

/// Whether a framework runs the shown question, as far as that is known.
fn serves(page: Page, id: &str) -> bool {
    page.serves
        .with(|serves| serves.as_ref().is_none_or(|serves| serves.iter().any(|own| own == id)))
}

/// The tabs. Those that run the question stand before those that do not; the order in the document stays, so that
/// nothing moves under the keyboard's hands.
#[component]
fn Tabs(page: Page, choice: Texts) -> impl IntoView {
    let text = page.text();
    let tab = |framework: &'static Named| {
        let id = framework.id;
        let selected = move || choice.framework.get() == id;
        view! {
            <button
                type="button"
                role="tab"
                aria-controls="flags-panel"
                class=move || if serves(page, id) { "tab-b" } else { "tab-b tab-off" }
                id=format!("tab-{id}")
                aria-selected=move || selected().to_string()
                tabindex=move || if selected() { "0" } else { "-1" }
                on:click=move |_| choice.framework.set(id)
                on:keydown=move |event| step(page, id, choice, &event)
            >
                {framework.name}
                {move || (!serves(page, id)).then(|| view! {
                    <span class="vh">{format!(" ({})", text.flags_others)}</span>
                })}
            </button>
        }
    };
    view! {
        <div class="tabs-h" role="tablist" aria-label=text.framework>
            {NAMES.iter().map(tab).collect_view()}
            {move || NAMES.iter().any(|own| !serves(page, own.id)).then(|| view! {
                <span class="tabs-n" aria-hidden="true">{text.flags_others}</span>
            })}
        </div>
    }
}

/// As tabs do: arrows choose, in the order that is seen; only the chosen one is a stop of the Tab key.
fn step(page: Page, id: &'static str, choice: Texts, event: &KeyboardEvent) {
    let (run, rest): (Vec<&Named>, Vec<&Named>) = NAMES.iter().partition(|own| untrack(|| serves(page, own.id)));
    let seen = [run, rest].concat();
    let at = seen.iter().position(|own| own.id == id).unwrap_or_default();
    let next = match event.key().as_str() {
        "ArrowRight" | "ArrowDown" => (at + 1) % seen.len(),
        "ArrowLeft" | "ArrowUp" => (at + seen.len() - 1) % seen.len(),
        "Home" => 0,
        "End" => seen.len() - 1,
        _ => return,
    };
    if let Some(framework) = seen.get(next) {
        event.prevent_default();
        choice.framework.set(framework.id);
        browser::focus(&format!("tab-{}", framework.id));
    }
}

/// The versions of a framework to choose from, where it has several.
fn version_choice(page: Page, framework: &'static Named, choice: Texts) -> Option<AnyView> {
    if framework.versions.len() < 2 {
        return None;
    }
    let choose = move |event| choice.version.set(version(framework, &event_target_value(&event)));
    Some(view! {
        <div class="tabp-h">
            <label class="ver">
                <span>{fill(page.text().version_of, &[framework.name])}</span>
                <select id="flags-version" on:change=choose>
                    {framework.versions.iter().map(|own| view! {
                        <option value=*own prop:selected=version(framework, choice.version.get_untracked()) == *own>
                            {*own}
                        </option>
                    }).collect_view()}
                </select>
            </label>
        </div>
    })
}

/// That the worker is not there, and the way to try again.
#[component]
pub(super) fn NoWorker(page: Page) -> impl IntoView {
    view! {
        <p class="callout callout-bad" role="alert">
            <Icon name="i-warn"/>
            <span>{page.text().no_worker}</span>
            <button class="btn btn-s retry" type="button" on:click=move |_| desk::open(page.no_worker)>
                {page.text().retry}
            </button>
        </p>
    }
}

fn panel(page: Page, choice: Texts) -> AnyView {
    let words = page.text();
    let said = |words: &'static str| view! { <p class="muted flags-wait">{words}</p> };
    if page.no_worker.get() {
        return view! { <NoWorker page/> };
    }
    let Some(framework) = choice.framework() else {
        return said(words.no_flags);
    };
    if page.shown.with(Option::is_none) {
        return said(words.no_flags);
    }
    match page.flags.get() {
        Some(flags) if flags.framework == framework.id => written(page, framework, &flags),
        _ => said(words.flags_writing),
    }
}

fn written(page: Page, framework: &'static Named, flags: &Flags) -> AnyView {
    let words = page.text();
    let notice = match &flags.instead {
        Some(other) => Some(fill(words.replanned, &[&flags.why, other.name()])),
        None if flags.texts.is_empty() => Some(fill(words.unsupported, &[framework.name, &flags.why])),
        None => None,
    };
    let before = page.texts.before.get_untracked();
    let unfit = !flags.fits && !flags.texts.is_empty();
    let texts = flags.texts.iter().enumerate().map(|(index, own)| {
        let before = before
            .as_ref()
            .and_then(|before| before.texts.iter().find(|text| text.file == own.file));
        let version = flags.version.clone();
        view! { <Listing page framework version index own=own.clone() before=before.cloned()/> }
    });
    view! {
        {notice.map(|words| view! { <Callout class="callout callout-warn" symbol="i-warn" words/> })}
        {switch(page, framework, flags)
            .map(|words| view! { <Callout class="callout" symbol="i-info" words id="switch"/> })}
        {unfit.then(|| view! { <Callout class="callout callout-bad" symbol="i-x" words=words.flags_unfit/> })}
        {texts.collect_view()}
    }
}

/// Ratios this close are as fast.
const SAME: f64 = 0.005;

/// What a switch to a framework costs that the answer is not for.
fn switch(page: Page, framework: &Named, flags: &Flags) -> Option<String> {
    let beside = flags.beside.filter(|beside| beside.is_finite())?;
    let words = page.text();
    let each = page.standing()?.found.answer.tokens_per_s_per_gpu * beside;
    let (sentence, share) = if beside < 1.0 - SAME {
        (words.switch_slower, 1.0 - beside)
    } else if beside > 1.0 + SAME {
        (words.switch_faster, beside - 1.0)
    } else {
        (words.switch_same, 2.0 * SAME)
    };
    let share = format::percent(share, 0);
    Some(fill(sentence, &[framework.name, &share, &format::figure(each)]))
}
