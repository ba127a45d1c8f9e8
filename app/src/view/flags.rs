//! Flags to paste: a tab per framework, copy and download, the reasons beside the settings.

use std::sync::Arc;

use super::dom::{Act, el, node, part, press, ticked, typed};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use shardwise_core::emit::{self, Emission, Framework, Snippet};
use shardwise_core::wire::{Backend, PlanSpec, RolloutPlanSpec};
use shardwise_core::{Evaluated, Question};
use wasm_bindgen::JsCast;

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

fn emit(
    framework: &Framework,
    version: &'static str,
    found: &Evaluated,
    link: &str,
) -> Result<Vec<Snippet>, String> {
    let emission = Emission {
        job: &found.job,
        plan: &found.plan,
        answer: &found.answer,
        permalink: link,
        version,
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

fn shows(
    framework: &Framework,
    version: &'static str,
    shown: &Shown,
    link: &str,
    lang: Lang,
) -> Shows {
    let why = match emit(framework, version, &shown.found, link) {
        Ok(texts) => return Shows::Texts(texts),
        Err(why) => why,
    };
    let chosen = shown.found.plan.layout.backend;
    let mut fallback = None;
    for backend in OTHERS.into_iter().filter(|backend| *backend != chosen) {
        let Ok(found) = shardwise_core::evaluate(&with_backend(&shown.question, backend)) else {
            continue;
        };
        let Ok(texts) = emit(framework, version, &found, link) else {
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
    let tabs = emit::FRAMEWORKS
        .iter()
        .enumerate()
        .map(|(index, framework)| {
            let selected = move || chosen.get() == framework.id;
            // As tabs do: arrows choose, only the chosen one is a stop of the Tab key.
            let on_key: Act = Box::new(move |event: web_sys::Event| {
                let Some(event) = event.dyn_ref::<web_sys::KeyboardEvent>() else {
                    return;
                };
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
            });
            el("BUTTON.tab-b|type=button|role=tab")
                .set("id", format!("tab-{}", framework.id))
                .live("aria-selected", move || selected().to_string())
                .set("aria-controls", "flags-panel")
                .live("tabindex", move || if selected() { "0" } else { "-1" })
                .on("click", press(move || chosen.set(framework.id)))
                .on("keydown", on_key)
                .child(framework.name)
        });
    let reasons = RwSignal::new(true);
    // The version last chosen; a framework that has none of that name shows its default.
    let version = RwSignal::new("");
    let versions = move || emit::framework(chosen.get()).map(|own| choice(page, own, version));
    let panel = move || {
        let lang = page.lang;
        let shown = page.answered();
        let framework = emit::framework(chosen.get());
        match (shown, framework) {
            (Some(shown), Some(framework)) => {
                let version = current(framework, version.get());
                panel(page, framework, version, &shown, reasons, lang)
            }
            _ => el("P.muted").child(lang.text().no_flags).into_any(),
        }
    };
    el("SECTION.block flags|id=flags|aria-labelledby=flags-h")
        .child(el("DIV.block-h").child(el("H2|id=flags-h").child(page.text().flags)))
        .child(
            el("DIV.tabs")
                .child(
                    el("DIV.tabs-h|role=tablist")
                        .set("aria-label", page.text().framework)
                        .children(tabs),
                )
                .child(
                    el("DIV.tabp|id=flags-panel|role=tabpanel")
                        .live("aria-labelledby", move || format!("tab-{}", chosen.get()))
                        .child(part(versions))
                        .child(part(panel)),
                ),
        )
        .into_any()
}

/// The version called `name`, or the framework's default.
fn current(framework: &'static Framework, name: &str) -> &'static str {
    let default = framework.versions.first().copied().unwrap_or_default();
    framework.version(name).unwrap_or(default)
}

/// The versions of a framework to choose from, where it has several.
fn choice(page: Page, framework: &'static Framework, version: RwSignal<&'static str>) -> AnyView {
    if framework.versions.len() < 2 {
        return ().into_any();
    }
    let options = framework.versions.iter().map(|own| {
        el("OPTION")
            .set("value", *own)
            .flag("selected", move || {
                current(framework, version.get_untracked()) == *own
            })
            .child(*own)
    });
    let choose = move |name: String| version.set(current(framework, &name));
    el("DIV.tabp-h")
        .child(
            el("LABEL.ver")
                .child(el("SPAN").child(fill(page.text().version_of, &[framework.name])))
                .child(
                    el("SELECT|id=flags-version")
                        .on("change", typed(choose))
                        .children(options),
                ),
        )
        .into_any()
}

fn panel(
    page: Page,
    framework: &'static Framework,
    version: &'static str,
    shown: &Arc<Shown>,
    reasons: RwSignal<bool>,
    lang: Lang,
) -> AnyView {
    let text = lang.text();
    let link = page.link();
    let (notice, texts) = match shows(framework, version, shown, &link, lang) {
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
        .map(|(index, snippet)| snippet_view(framework, version, index, snippet, reasons, lang));
    vec![node(notice), node(unfit), node(texts.collect_view())].into_any()
}

fn callout(class: &'static str, symbol: &'static str, words: String) -> AnyView {
    el("P")
        .set("class", class)
        .child(icon(symbol))
        .child(el("SPAN").child(words))
        .into_any()
}

/// What the copy button says for two seconds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    No,
    Yes,
    Selected,
}

fn snippet_view(
    framework: &'static Framework,
    version: &'static str,
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
        Copied::No => vec![icon("i-copy"), node(text.copy)],
        Copied::Yes => vec![icon("i-check"), node(text.copied)],
        Copied::Selected => vec![icon("i-warn"), node(text.select_copy)],
    };
    vec![
        node(
            el("DIV.tabp-h")
                .child(
                    el("P.acc acc-no")
                        .child(icon("i-info"))
                        .child(
                            el("A")
                                .set("href", framework.docs_url)
                                .set("rel", "noopener")
                                .set("target", "_blank")
                                .child(fill(text.checked, &[framework.name, version])),
                        )
                        .child(" · ")
                        .child(el("CODE").child(file)),
                )
                .child(
                    el("DIV.tools")
                        .child(
                            el("LABEL.tog")
                                .child(
                                    el("INPUT|type=checkbox")
                                        .flag("checked", move || reasons.get())
                                        .on("change", ticked(move |on| reasons.set(on))),
                                )
                                .child(el("SPAN").child(text.reasons)),
                        )
                        .child(
                            el("BUTTON.btn btn-s download|type=button")
                                .on("click", press(press_download))
                                .child(icon("i-down"))
                                .child(text.download),
                        )
                        .child(
                            el("BUTTON")
                                .live("class", copy_class)
                                .set("type", "button")
                                .on("click", press(press_copy))
                                .set("aria-live", "polite")
                                .child(part(copy_face)),
                        ),
                ),
        ),
        node(
            el("PRE")
                .live(
                    "class",
                    move || if reasons.get() { "code" } else { "code no-why" },
                )
                .set("tabindex", "0")
                .set("role", "region")
                .set("aria-label", file)
                .child(el("CODE").set("id", id).child(lines)),
        ),
    ]
    .into_any()
}

/// One line. Each is a block, so that a selection copies it with its line break.
fn line(line: Line) -> AnyView {
    let why = |why: String| (!why.is_empty()).then(|| el("SPAN.why").child("  ").child(why));
    match line {
        Line::Comment(text, warning) => el("SPAN")
            .set("class", if warning { "ln ln-w" } else { "ln ln-c" })
            .child(text)
            .into_any(),
        Line::Heading(text) => el("SPAN.ln ln-h").child(text).into_any(),
        Line::Plain(text, reason) => el("SPAN.ln")
            .child(el("SPAN.cmd").child(text))
            .child(why(reason))
            .into_any(),
        Line::Setting {
            indent,
            prefix,
            key,
            between,
            value,
            after,
            why: reason,
        } => el("SPAN.ln")
            .child(
                el("SPAN.cmd")
                    .child(indent)
                    .child(el("SPAN.fp").child(prefix))
                    .child(el("SPAN.fk").child(key))
                    .child(between)
                    .child(el("SPAN.fv").child(value))
                    .child(after),
            )
            .child(why(reason))
            .into_any(),
    }
}
