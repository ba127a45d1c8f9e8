//! Flags to paste: a tab per framework, copy and download, the reasons beside the settings.

use std::sync::Arc;

use super::erased::{live, part, press, ticked};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use shardwise_core::emit::{self, Emission, Framework, Snippet};
use shardwise_core::wire::{Backend, PlanSpec, RolloutPlanSpec};
use shardwise_core::{Evaluated, Question};

use super::icons::icon;
use super::listing::{self, Line};
use super::words;
use crate::browser;
use crate::format;
use crate::page::{Page, Shown};
use crate::text::{Lang, fill};

/// The backends a framework is tried with where it cannot run the chosen plan, best known first.
const OTHERS: [Backend; 3] = [Backend::Fsdp, Backend::Megatron, Backend::Deepspeed];

/// What a tab shows.
enum Shows {
    /// The texts of the chosen plan.
    Texts(Vec<Snippet>),
    /// The texts of another plan, and why.
    Replanned(String, Vec<Snippet>),
    /// No texts, and why.
    Nothing(String),
}

fn emit(framework: &Framework, found: &Evaluated, link: &str) -> Result<Vec<Snippet>, String> {
    let emission = Emission {
        job: &found.job,
        plan: &found.plan,
        answer: &found.answer,
        permalink: link,
    };
    (framework.emit)(&emission).map_err(|unsupported| unsupported.message)
}

/// The question with nothing but a backend decided.
fn with_backend(question: &Question, backend: Backend) -> Question {
    let engine = question
        .plan
        .as_ref()
        .and_then(|plan| plan.rollout.as_ref()?.engine);
    let rollout = engine.map(|engine| RolloutPlanSpec {
        engine: Some(engine),
        ..RolloutPlanSpec::default()
    });
    let mut question = question.clone();
    question.plan = Some(PlanSpec {
        backend: Some(backend),
        rollout,
        ..PlanSpec::default()
    });
    question
}

fn shows(framework: &Framework, shown: &Shown, link: &str, lang: Lang) -> Shows {
    let why = match emit(framework, &shown.found, link) {
        Ok(texts) => return Shows::Texts(texts),
        Err(why) => why,
    };
    let chosen = shown.found.plan.layout.backend;
    let mut fallback = None;
    for backend in OTHERS.into_iter().filter(|backend| *backend != chosen) {
        let Ok(found) = shardwise_core::evaluate(&with_backend(&shown.question, backend)) else {
            continue;
        };
        let Ok(texts) = emit(framework, &found, link) else {
            continue;
        };
        let speed = format::figure(found.answer.tokens_per_s_per_gpu);
        let words = fill(
            lang.text().replanned,
            &[&why, words::backend(backend), &speed],
        );
        if found.answer.fits {
            return Shows::Replanned(words, texts);
        }
        // A plan that does not fit is the last resort.
        fallback = fallback.or(Some((words, texts)));
    }
    match fallback {
        Some((words, texts)) => Shows::Replanned(words, texts),
        None => Shows::Nothing(fill(lang.text().unsupported, &[framework.name, &why])),
    }
}

pub(super) fn view(page: Page) -> AnyView {
    let chosen = RwSignal::new(
        emit::FRAMEWORKS
            .first()
            .map_or("", |framework| framework.id),
    );
    let tabs = emit::FRAMEWORKS.iter().enumerate().map(|(index, framework)| {
        let selected = move || chosen.get() == framework.id;
        // As tabs do: arrows choose, only the chosen one is a stop of the Tab key.
        let on_key = move |event: web_sys::KeyboardEvent| {
            let count = emit::FRAMEWORKS.len();
            let next = match event.key().as_str() {
                "ArrowRight" => (index + 1) % count,
                "ArrowLeft" => (index + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            if let Some(framework) = emit::FRAMEWORKS.get(next) {
                event.prevent_default();
                chosen.set(framework.id);
                browser::focus(&format!("tab-{}", framework.id));
            }
        };
        view! {
            <button type="button" role="tab" id=format!("tab-{}", framework.id) class="tab-b"
                aria-selected=live(move || selected().to_string()) aria-controls="flags-panel"
                tabindex=live(move || if selected() { "0" } else { "-1" })
                on:click=press(move || chosen.set(framework.id)) on:keydown=on_key>{framework.name}</button>
        }
    });
    let reasons = RwSignal::new(true);
    let panel = move || {
        let lang = page.lang;
        let shown = page.shown.get();
        let framework = emit::framework(chosen.get());
        match (shown, framework) {
            (Some(shown), Some(framework)) => panel(page, framework, &shown, reasons, lang),
            _ => view! { <p class="muted">{lang.text().no_flags}</p> }.into_any(),
        }
    };
    view! {
        <section class="block flags" id="flags" aria-labelledby="flags-h">
            <div class="block-h"><h2 id="flags-h">{page.text().flags}</h2></div>
            <div class="tabs">
                <div class="tabs-h" role="tablist" aria-label=page.text().framework>{tabs.collect_view()}</div>
                <div class="tabp" id="flags-panel" role="tabpanel" aria-labelledby=live(move || format!("tab-{}", chosen.get()))>
                    {part(panel)}
                </div>
            </div>
        </section>
    }
    .into_any()
}

fn panel(
    page: Page,
    framework: &'static Framework,
    shown: &Arc<Shown>,
    reasons: RwSignal<bool>,
    lang: Lang,
) -> AnyView {
    let text = lang.text();
    let link = page.link();
    let (notice, texts) = match shows(framework, shown, &link, lang) {
        Shows::Texts(texts) => (None, texts),
        Shows::Replanned(words, texts) => (Some(words), texts),
        Shows::Nothing(words) => (Some(words), Vec::new()),
    };
    let unfit = (!shown.found.answer.fits && !texts.is_empty())
        .then(|| callout("callout callout-bad", "i-x", text.flags_unfit.to_owned()));
    let notice = notice.map(|words| callout("callout callout-warn", "i-warn", words));
    let texts = texts
        .into_iter()
        .enumerate()
        .map(|(index, snippet)| snippet_view(page, framework, index, snippet, reasons, lang));
    view! {
        {notice}
        {unfit}
        {texts.collect_view()}
    }
    .into_any()
}

fn callout(class: &'static str, symbol: &'static str, words: String) -> AnyView {
    view! { <p class=class>{icon(symbol)}<span>{words}</span></p> }.into_any()
}

/// What the copy button says for two seconds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    No,
    Yes,
    Selected,
}

fn snippet_view(
    page: Page,
    framework: &'static Framework,
    index: usize,
    snippet: Snippet,
    reasons: RwSignal<bool>,
    lang: Lang,
) -> AnyView {
    let text = lang.text();
    let id = format!("code-{index}");
    let copied = RwSignal::new(Copied::No);
    let snippet = Arc::new(snippet);
    let text_shown = {
        let snippet = Arc::clone(&snippet);
        move || {
            if reasons.get_untracked() {
                snippet.text.clone()
            } else {
                listing::without_reasons(&snippet)
            }
        }
    };
    let press_copy = {
        let (id, text_shown) = (id.clone(), text_shown.clone());
        move || {
            let id = id.clone();
            browser::copy(&text_shown(), move |ok| {
                if !ok {
                    browser::select(&id);
                }
                copied.set(if ok { Copied::Yes } else { Copied::Selected });
                Timeout::new(2000, move || copied.try_set(Copied::No).map_or((), drop)).forget();
            });
        }
    };
    let file = snippet.file;
    let press_download = move || browser::download(file, &text_shown());
    let lines: Vec<AnyView> = listing::lines(&snippet).into_iter().map(line).collect();
    let copy_class = move || {
        if copied.get() == Copied::Yes {
            "btn btn-s btn-ok copy"
        } else {
            "btn btn-s btn-1 copy"
        }
    };
    let copy_face = move || match copied.get() {
        Copied::No => (icon("i-copy"), text.copy),
        Copied::Yes => (icon("i-check"), text.copied),
        Copied::Selected => (icon("i-warn"), text.select_copy),
    };
    let _ = page;
    view! {
        <div class="tabp-h">
            <p class="acc acc-no">
                {icon("i-info")}
                <a href=framework.docs_url rel="noopener" target="_blank">{fill(text.checked, &[framework.name, framework.version])}</a>
                " · " <code>{file}</code>
            </p>
            <div class="tools">
                <label class="tog">
                    <input type="checkbox" prop:checked=live(move || reasons.get())
                        on:change=ticked(move |on| reasons.set(on))/>
                    <span>{text.reasons}</span>
                </label>
                <button class="btn btn-s download" type="button" on:click=press(press_download)>{icon("i-down")}{text.download}</button>
                <button class=live(copy_class) type="button" on:click=press(press_copy) aria-live="polite">{part(copy_face)}</button>
            </div>
        </div>
        <pre class=live(move || if reasons.get() { "code" } else { "code no-why" }) tabindex="0" role="region" aria-label=file><code id=id>{lines}</code></pre>
    }
    .into_any()
}

/// One line. Each is a block, so that a selection copies it with its line break.
fn line(line: Line) -> AnyView {
    let why = |why: String| (!why.is_empty()).then(|| view! { <span class="why">"  "{why}</span> });
    match line {
        Line::Comment(text, warning) => {
            view! { <span class=if warning { "ln ln-w" } else { "ln ln-c" }>{text}</span> }.into_any()
        }
        Line::Heading(text) => view! { <span class="ln ln-h">{text}</span> }.into_any(),
        Line::Plain(text, reason) => {
            view! { <span class="ln"><span class="cmd">{text}</span>{why(reason)}</span> }.into_any()
        }
        Line::Setting { indent, prefix, key, between, value, after, why: reason } => view! {
            <span class="ln">
                <span class="cmd">
                    {indent}<span class="fp">{prefix}</span><span class="fk">{key}</span>{between}<span class="fv">{value}</span>{after}
                </span>
                {why(reason)}
            </span>
        }
        .into_any(),
    }
}
