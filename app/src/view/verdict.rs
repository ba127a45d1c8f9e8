//! The verdict: one sentence, one bar, four figures, one plan.

mod figures;

use std::cell::Cell;

use shardwise_core::Answer;
use shardwise_core::wire::{Fit, FitState};

use super::calibrate::{self, Notice};
use super::closing::Closing;
use super::controls::describe;
use super::how::How;
use super::icons::Callout;
use super::near::Near;
use super::plan::{Alternatives, Plan, WhyNot};
use super::sheet;
use super::steps::Built;
use super::sure::Sure;
use crate::follow::{follow, follow_at_rest};
use crate::form::{Field, FieldError, Problem, mend};
use crate::page::{Shown, Step};
use crate::view::prelude::*;
use figures::Figures;

/// How long the answer must rest before it is read out, in milliseconds.
const QUIET_MS: u32 = 600;

thread_local! {
    /// Whether something in the verdict was pressed since the last answer.
    static PRESSED: Cell<bool> = const { Cell::new(false) };
}

#[component]
pub(super) fn Verdict(page: Page) -> impl IntoView {
    hold_focus(page);
    // The control and what the worker writes stay where they are while all around them is new.
    view! {
        <section id="verdict" class=move || class(page) aria-labelledby="v-h" on:click=|_| PRESSED.set(true)>
            <div class="verdict-a">
                <div>
                    {move || match page.answered() {
                        Some(shown) => head(page, &shown),
                        None => view! { <Callout class="stale-n" symbol="i-info" words=page.text().stale_none/> },
                    }}
                    <Sure page/>
                </div>
                <Near page/>
            </div>
            {sheet::view(page, Name::Ways)}
            {move || {
                let fits = page.answered()?.found.answer.fit.state == FitState::Fits;
                (!fits).then(|| view! { <Closing page/> })
            }}
            <Built page at=Step::Figures>
                {move || page.answered().map(|shown| view! {
                    <Figures page shown=shown.clone()/>
                    <Plan page shown/>
                })}
            </Built>
            <Built page at=Step::Panels>
                <Alternatives page/>
                <WhyNot page/>
            </Built>
        </section>
    }
}

/// A way out that was taken is gone with the answer that it leads to: the keyboard goes to what it came to.
fn hold_focus(page: Page) {
    follow(move || {
        let fits = page
            .answered()
            .is_some_and(|shown| shown.found.answer.fit.state == FitState::Fits);
        browser::soon(move || {
            let hidden = fits && browser::focus_is_in("#sheet-ways, .closing");
            if PRESSED.take() && (hidden || browser::lost_focus()) {
                browser::focus("v-h");
            }
        });
    });
}

fn class(page: Page) -> String {
    let stale = if page.wrong().is_empty() { "" } else { " is-stale" };
    match page.answered() {
        Some(shown) => format!("verdict{stale} {}", fit::class(shown.found.answer.fit.state)),
        None => "verdict is-stale".to_owned(),
    }
}

/// What is wrong with the form: each field by its name, with why it is refused.
pub(super) fn wrong(page: Page) -> String {
    let lang = page.lang;
    let said = page.wrong().into_iter().map(|error| match error.problem {
        Problem::NoModel => no_model(page, &error),
        _ => describe(page, &error),
    });
    said.collect::<Vec<String>>().join(lang.of([" ", ""]))
}

/// The name that no model has, with those nearest to it: in the form these are buttons.
fn no_model(page: Page, error: &FieldError) -> String {
    let (text, lang) = (page.text(), page.lang);
    let nearest = page
        .form
        .with_untracked(|form| mend::mends(form, error, None, &mend::unresolved));
    let nearest: Vec<String> = nearest.into_iter().map(|mend| mend.text).collect();
    let typed = page.typed(Field::Model);
    let words = if nearest.is_empty() {
        fill(text.no_model_near, &[&typed])
    } else {
        fill(text.no_model_of, &[&typed, &nearest.join(lang.of([", ", "、"]))])
    };
    fill(text.wrong_at, &[lang.label(Field::Model), &words])
}

/// The notice that the answer belongs to another question than the form's.
pub(super) fn stale(page: Page, shown: &Shown) -> Option<AnyView> {
    let wrong = wrong(page);
    let asked = words::asked(&shown.found.job, page.lang);
    let words = fill(page.text().stale, &[&wrong, &asked]);
    (!wrong.is_empty()).then(|| view! { <Callout class="stale-n" symbol="i-info" words/> })
}

/// Heading, margin and bar.
fn head(page: Page, shown: &Shown) -> AnyView {
    let lang = page.lang;
    let answer = &shown.found.answer;
    let own = &answer.fit;
    view! {
        {stale(page, shown)}
        <div class="verdict-top">
            <h2 id="v-h" tabindex="-1">
                <Icon name=fit::icon(own.state) class="verdict-i"/>
                <span>
                    {fit::word(own.state, lang)}
                    <span class="of">{fit::behind(own, lang)}</span>
                </span>
            </h2>
            {margin(page, answer)}
            <p class="verdict-q">{words::asked(&shown.found.job, lang)}</p>
        </div>
        {answer.calibration.map(|own| view! { <Notice page own/> })}
        <div class="fit">
            {bar(own, lang)}
            {fit::host(own, lang).map(|words| view! { <p class="fit-h" id="host-memory">{words}</p> })}
        </div>
    }
}

/// What is to spare or missing, where and on what condition, with what says how the memory comes about.
fn margin(page: Page, answer: &Answer) -> AnyView {
    let lang = page.lang;
    // The phase that decides; the fullest one, where that is no phase of the card's.
    let decides = answer.memory.phases.iter().find(|own| own.name == answer.fit.phase);
    let phase = format!("memory.{}", decides.map_or(answer.memory.phase, |own| own.name));
    let on = answer.calibration.is_some_and(|own| own.memory.is_some());
    view! {
        <p class="verdict-m">
            {spare(&answer.fit, lang)}
            " "
            <How page figure=phase name=lang.text().memory/>
            {calibrate::tag(on, lang)}
        </p>
    }
}

/// What is to spare or missing, where and on what condition.
pub(super) fn spare(own: &Fit, lang: Lang) -> Vec<AnyView> {
    let parts = fit::parts(own, lang).into_iter().enumerate();
    parts
        .map(|(place, words)| {
            if place % 2 == 1 {
                view! { <b>{words}</b> }
            } else {
                words.into_any()
            }
        })
        .collect()
}

/// What decides whether it fits, as a bar: the estimate, what suffices as surely as asked, and what there is.
pub(super) fn bar(own: &Fit, lang: Lang) -> AnyView {
    let text = lang.text();
    let bar = fit::bar(own);
    let part = |class: &'static str, from: f64, wide: f64| {
        view! { <rect class=class x=format::length(from) y="20" width=format::length(wide.max(0.0)) height="26"/> }
    };
    let tick = |class: &'static str, at: f64, y: &'static str, height: &'static str| {
        view! { <rect class=class x=format::length(at) y=y width="2" height=height/> }
    };
    // Words end at their mark, unless that stands too far left for them.
    let words = |class: &'static str, at: f64, y: &'static str, words: String| {
        let anchor = if at < 0.4 { "start" } else { "end" };
        view! { <text class=class x=format::length(at) y=y text-anchor=anchor>{words}</text> }
    };
    let confidence = format!("{}\u{a0}%", fit::asked(own.confidence));
    let [needed, sure, card] = [own.needed_gib, own.needed_at_confidence_gib, own.capacity_gib].map(format::gib);
    let (class, from) = if bar.estimate > 0.2 { ("t-in", 0.0) } else { ("t-q", bar.estimate) };
    view! {
        <svg class="fb" role="img" aria-label=fill(text.fit_bar, &[&needed, &confidence, &sure, &card])>
            {words("t-card", bar.card, "11", fill(text.fit_usable, &[&card]))}
            {part("bed", 0.0, bar.card)}
            {part("unc", bar.estimate, bar.sure - bar.estimate)}
            {tick("qcap", bar.sure, "20", "32")}
            {part("est", 0.0, bar.estimate)}
            {part("rim", 0.0, bar.card)}
            <text id="reserved" class=class x=format::length(from) y="37.5" dx="10">{format!("{needed} GiB")}</text>
            {tick("card", bar.card, "15", "36")}
            {words("t-q", bar.sure, "64", fill(text.fit_sure_below, &[&confidence, &sure]))}
        </svg>
    }
}

/// The verdict for a screen reader, once the typing has paused.
#[component]
pub(super) fn Announcement(page: Page) -> impl IntoView {
    let said = RwSignal::new(String::new());
    follow_at_rest(QUIET_MS, move || {
        let lang = page.look.lang.get();
        let sentence = page.answered().map(|shown| {
            let answer = &shown.found.answer;
            let speed = format!("{} {}", format::figure(answer.tokens_per_s_per_gpu), lang.text().per_gpu);
            let [stop, space] = lang.of([[". ", " "], ["。", ""]]);
            format!("{}{stop}{}{space}{speed}", fit::sentence(&answer.fit, lang), fit::margin(&answer.fit, lang))
        });
        Some(Box::new(move || said.set(sentence.unwrap_or_default())))
    });
    view! { <div class="vh" role="status" aria-live="polite" id="announcement">{move || said.get()}</div> }
}
