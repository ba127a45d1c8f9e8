//! Flags to paste: a tab per framework. A worker writes the texts; `text` shows them.

mod text;

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Map;
use shardwise_core::emit::{NAMES, Named};
use shardwise_core::wire::{RunBy, to_value};
use wasm_bindgen::JsCast;

use super::dom::{Act, El, el, node, part, press, typed};
use super::icons::icon;
use super::{paste, sheet};
use crate::browser;
use crate::client::desk;
use crate::follow::{follow, follow_at_rest};
use crate::format;
use crate::page::Page;
use crate::protocol::{Flags, Name, Task};
use crate::text::fill;

/// How long the worker waits for the first answer to be drawn, in milliseconds.
const FIRST_MS: u32 = 200;

/// How long a question must rest before every framework is asked whether it runs it, in milliseconds.
const REST_MS: u32 = 400;

/// What is chosen. A handle: copies are the same choice.
#[derive(Clone, Copy)]
struct Choice {
    framework: RwSignal<&'static str>,
    /// The version last chosen; a framework that has none of that name shows its default.
    version: RwSignal<&'static str>,
    reasons: RwSignal<bool>,
}

impl Choice {
    fn framework(self) -> Option<&'static Named> {
        NAMES.iter().find(|own| own.id == self.framework.get())
    }

    fn version(self, framework: &Named) -> &'static str {
        version(framework, self.version.get())
    }
}

/// The version called `name`, or the framework's default.
fn version(framework: &Named, name: &str) -> &'static str {
    let versions = framework.versions;
    let found = versions.iter().find(|version| **version == name);
    found.or(versions.first()).copied().unwrap_or_default()
}

pub(super) fn view(page: Page) -> AnyView {
    let choice = Choice {
        framework: RwSignal::new(NAMES.first().map_or("", |framework| framework.id)),
        version: RwSignal::new(""),
        reasons: RwSignal::new(true),
    };
    browser::after(FIRST_MS, Box::new(move || desk::open(page.no_worker))).forget();
    follow_question(page, choice);
    order_flags(page, choice);
    order_serves(page);
    order_diff(page, choice);
    let versions = move || choice.framework().map(|own| version_choice(page, own, choice));
    el("SECTION.block flags|id=flags|aria-labelledby=flags-h")
        .child(el("DIV.block-h").child(el("H2|id=flags-h").child(page.text().flags)))
        .child(
            el("DIV.tabs").child(tabs(page, choice)).child(
                el("DIV.tabp|id=flags-panel|role=tabpanel")
                    .live("aria-labelledby", move || format!("tab-{}", choice.framework.get()))
                    .child(part(versions))
                    .child(part(move || panel(page, choice))),
            ),
        )
        .child(sheet::host(page, Name::Diff))
        .into_any()
}

/// Opens the tab of the framework that the answer is for, as often as that is another. Who looks at another tab stays there
/// until the question names a framework.
fn follow_question(page: Page, choice: Choice) {
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
fn order_flags(page: Page, choice: Choice) {
    follow(move || {
        let (Some(shown), Some(framework)) = (page.answered(), choice.framework()) else {
            return;
        };
        let task = Task::Flags {
            question: to_value(&shown.question),
            framework: framework.id.to_owned(),
            version: choice.version(framework).to_owned(),
            link: page.link(),
            lang: page.lang.tag().to_owned(),
        };
        desk::order(page, task, |page, found| {
            page.flags.set(serde_json::from_value(found).ok());
        });
    });
}

/// Says which texts are to be laid beside which framework's, where something was pasted.
fn order_diff(page: Page, choice: Choice) {
    let state = page.sheet(Name::Diff).state;
    let asked = move || state.with(|state| !state.is_empty());
    sheet::order(page, Name::Diff, Box::new(asked));
    follow(move || {
        let Some(framework) = choice.framework() else {
            return;
        };
        let texts = page.pasted.with(|text| paste::split(text));
        if texts.is_empty() {
            page.sheet(Name::Diff).tree.set(None);
            return state.set(Map::new());
        }
        state.set(Map::from_iter([
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
        Some(Box::new(move || {
            let question = to_value(&shown.question);
            desk::order(page, Task::Serves { question }, |page, found| {
                let serves: Option<Arc<Vec<String>>> = serde_json::from_value(found).ok();
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
fn tabs(page: Page, choice: Choice) -> El {
    let tab = |framework: &'static Named| {
        let selected = move || choice.framework.get() == framework.id;
        let class = move || {
            if serves(page, framework.id) { "tab-b" } else { "tab-b tab-off" }
        };
        let other = move || {
            let words = || el("SPAN.vh").child(format!(" ({})", page.text().flags_others));
            (!serves(page, framework.id)).then(words)
        };
        el("BUTTON|type=button|role=tab|aria-controls=flags-panel")
            .live("class", class)
            .set("id", format!("tab-{}", framework.id))
            .live("aria-selected", move || selected().to_string())
            .live("tabindex", move || if selected() { "0" } else { "-1" })
            .on("click", press(move || choice.framework.set(framework.id)))
            .on("keydown", step(page, framework.id, choice))
            .child(framework.name)
            .child(part(other))
    };
    let some_do_not = move || NAMES.iter().any(|framework| !serves(page, framework.id));
    let others = move || some_do_not().then(|| el("SPAN.tabs-n|aria-hidden=true").child(page.text().flags_others));
    el("DIV.tabs-h|role=tablist")
        .set("aria-label", page.text().framework)
        .children(NAMES.iter().map(tab))
        .child(part(others))
}

/// As tabs do: arrows choose, in the order that is seen; only the chosen one is a stop of the Tab key.
fn step(page: Page, id: &'static str, choice: Choice) -> Act {
    Box::new(move |event: web_sys::Event| {
        let Some(key) = event.dyn_ref::<web_sys::KeyboardEvent>() else {
            return;
        };
        let (run, rest): (Vec<&Named>, Vec<&Named>) = NAMES.iter().partition(|own| untrack(|| serves(page, own.id)));
        let seen = [run, rest].concat();
        let at = seen.iter().position(|own| own.id == id).unwrap_or_default();
        let next = match key.key().as_str() {
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
    })
}

/// The versions of a framework to choose from, where it has several.
fn version_choice(page: Page, framework: &'static Named, choice: Choice) -> AnyView {
    if framework.versions.len() < 2 {
        return ().into_any();
    }
    let options = framework.versions.iter().map(|own| {
        el("OPTION")
            .set("value", *own)
            .flag("selected", move || version(framework, choice.version.get_untracked()) == *own)
            .child(*own)
    });
    let choose = move |name: String| choice.version.set(version(framework, &name));
    el("DIV.tabp-h")
        .child(
            el("LABEL.ver")
                .child(el("SPAN").child(fill(page.text().version_of, &[framework.name])))
                .child(el("SELECT|id=flags-version").on("change", typed(choose)).children(options)),
        )
        .into_any()
}

/// That the worker is not there, and the way to try again.
pub(super) fn no_worker(page: Page) -> El {
    el("P.callout callout-bad|role=alert")
        .child(icon("i-warn"))
        .child(el("SPAN").child(page.text().no_worker))
        .child(
            el("BUTTON.btn btn-s retry|type=button")
                .on("click", press(move || desk::open(page.no_worker)))
                .child(page.text().retry),
        )
}

fn panel(page: Page, choice: Choice) -> AnyView {
    let words = page.text();
    let said = |words: &'static str| el("P.muted flags-wait").child(words).into_any();
    if page.no_worker.get() {
        return no_worker(page).into_any();
    }
    let Some(framework) = choice.framework() else {
        return said(words.no_flags);
    };
    if page.shown.with(Option::is_none) {
        return said(words.no_flags);
    }
    match page.flags.get() {
        Some(flags) if flags.framework == framework.id => written(page, framework, &flags, choice),
        _ => said(words.flags_writing),
    }
}

fn written(page: Page, framework: &'static Named, flags: &Flags, choice: Choice) -> AnyView {
    let words = page.text();
    let notice = match &flags.instead {
        Some(other) => Some(fill(
            words.replanned,
            &[&flags.why, other.backend.name(), &format::figure(other.tokens_per_s_per_gpu)],
        )),
        None if flags.texts.is_empty() => Some(fill(words.unsupported, &[framework.name, &flags.why])),
        None => None,
    };
    let notice = notice.map(|words| callout("callout callout-warn", "i-warn", words));
    let switch = switch(page, framework, flags);
    let unfit = (!flags.fits && !flags.texts.is_empty())
        .then(|| callout("callout callout-bad", "i-x", words.flags_unfit.to_owned()));
    let texts = flags
        .texts
        .iter()
        .enumerate()
        .map(|(index, own)| text::view(framework, &flags.version, index, own, choice.reasons, page.lang));
    vec![node(notice), node(switch), node(unfit), node(texts.collect_view())].into_any()
}

/// Ratios this close are as fast.
const SAME: f64 = 0.005;

/// What a switch to a framework costs that the answer is not for.
fn switch(page: Page, framework: &Named, flags: &Flags) -> Option<El> {
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
    let words = fill(sentence, &[framework.name, &share, &format::figure(each)]);
    let callout = callout("callout", "i-info", words);
    Some(callout.set("id", "switch"))
}

fn callout(class: &'static str, symbol: &'static str, words: String) -> El {
    el("P").set("class", class).child(icon(symbol)).child(el("SPAN").child(words))
}
