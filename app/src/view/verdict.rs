//! The verdict: one sentence, one bar, four figures, one plan.

mod figures;

use std::cell::Cell;
use std::sync::Arc;

use super::dom::{el, live, node, part, press};
use leptos::prelude::*;
use shardwise_core::Answer;
use shardwise_core::wire::{Fit, FitState};

use super::calibrate;
use super::controls::describe;
use super::figure::per_cent;
use super::icons::{icon, icon_with};
use super::{closing, how, plan, sheet, sure};
use crate::browser;
use crate::fit;
use crate::follow::{follow, follow_at_rest};
use crate::form::{Field, FieldError, Problem, mend};
use crate::format;
use crate::page::{Page, Shown};
use crate::protocol::Name;
use crate::text::{Lang, fill};
use crate::words;

/// How long the answer must rest before it is read out, in milliseconds.
const QUIET_MS: u32 = 600;

thread_local! {
    /// Whether something in the verdict was pressed since the last answer.
    static PRESSED: Cell<bool> = const { Cell::new(false) };
}

/// Whether it fits, in one sentence.
pub(super) fn sentence(answer: &Answer, lang: Lang) -> String {
    fit::sentence(&answer.fit, lang)
}

pub(super) fn view(page: Page) -> AnyView {
    let class = move || {
        let stale = !page.wrong().is_empty();
        match (page.answered(), stale) {
            (Some(shown), false) => format!("verdict {}", state(&shown)),
            (Some(shown), true) => format!("verdict is-stale {}", state(&shown)),
            (None, _) => "verdict is-stale".to_owned(),
        }
    };
    let head = move || match page.answered() {
        Some(shown) => head(page, &shown),
        None => el("P.stale-n")
            .child(icon("i-info"))
            .child(el("SPAN").child(page.text().stale_none))
            .into_any(),
    };
    let out = move || {
        let sure = page.answered()?.found.answer.fit.state == FitState::Fits;
        (!sure).then(|| closing::view(page))
    };
    let figures = move || {
        page.answered()
            .map(|shown| vec![figures::view(page, &shown), plan::view(page, &shown)])
    };
    hold_focus(page);
    // The control and what the worker writes stay where they are while all around them is new.
    el("SECTION|id=verdict")
        .live("class", class)
        .on("click", press(|| PRESSED.set(true)))
        .set("aria-labelledby", "v-h")
        .child(part(head))
        .child(sure::view(page))
        .child(sheet::view(page, Name::Ways))
        .child(part(out))
        .child(part(figures))
        .child(plan::panel(page))
        .into_any()
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

fn state(shown: &Shown) -> &'static str {
    fit::class(shown.found.answer.fit.state)
}

/// What is wrong with the form: each field by its name, with why it is refused.
pub(super) fn wrong(page: Page) -> String {
    let lang = page.lang;
    let said = page.wrong().into_iter().map(|error| match error.problem {
        Problem::NoModel => no_model(page, &error),
        _ => describe(page, &error),
    });
    said.collect::<Vec<String>>().join(if lang == Lang::Zh { "" } else { " " })
}

/// The name that no model has, with those nearest to it: in the form these are buttons.
fn no_model(page: Page, error: &FieldError) -> String {
    let (text, lang) = (page.text(), page.lang);
    let nearest = page
        .form
        .with_untracked(|form| mend::mends(form, error, None, &mend::unresolved));
    let nearest: Vec<String> = nearest.into_iter().map(|mend| mend.text).collect();
    let nearest = nearest.join(if lang == Lang::Zh { "、" } else { ", " });
    let words = fill(text.no_model_of, &[&page.typed(Field::Model), &nearest]);
    fill(text.wrong_at, &[lang.label(Field::Model), &words])
}

/// The notice that the answer belongs to another question than the form's.
pub(super) fn stale(page: Page, shown: &Shown) -> Option<AnyView> {
    let wrong = wrong(page);
    let asked = words::asked(&shown.found.job, page.lang);
    (!wrong.is_empty()).then(|| {
        let notice = fill(page.text().stale, &[&wrong, &asked]);
        el("P.stale-n").child(icon("i-info")).child(el("SPAN").child(notice)).into_any()
    })
}

/// Heading, margin and bar.
fn head(page: Page, shown: &Arc<Shown>) -> AnyView {
    let lang = page.lang;
    let answer = &shown.found.answer;
    let own = &answer.fit;
    node(vec![
        node(stale(page, shown)),
        node(
            el("DIV.verdict-top")
                .child(
                    el("H2|id=v-h|tabindex=-1")
                        .child(icon_with(fit::icon(own.state), "verdict-i"))
                        .child(
                            el("SPAN")
                                .child(fit::word(own.state, lang))
                                .child(el("SPAN.of").child(fit::behind(own, lang))),
                        ),
                )
                .child(margin(page, answer))
                .child(el("P.verdict-q").child(words::asked(&shown.found.job, lang))),
        ),
        node(answer.calibration.map(|own| calibrate::notice(page, &own))),
        el("DIV.fit")
            .child(bar(own, lang))
            .child(fit::host(own, lang).map(|words| el("P.fit-h|id=host-memory").child(words)))
            .into_any(),
    ])
}

/// What is to spare or missing, where and on what condition, with what says how the memory comes about.
fn margin(page: Page, answer: &Answer) -> AnyView {
    let lang = page.lang;
    let phase = format!("memory.{}", answer.memory.phase);
    let on = answer.calibration.is_some_and(|own| own.memory.is_some());
    el("P.verdict-m")
        .children(spare(&answer.fit, lang))
        .child(" ")
        .child(how::button(page, phase, lang.text().memory))
        .child(calibrate::tag(on, lang))
        .into_any()
}

/// What is to spare or missing, where and on what condition.
pub(super) fn spare(own: &Fit, lang: Lang) -> Vec<AnyView> {
    let parts = fit::parts(own, lang).into_iter().enumerate();
    parts
        .map(|(place, words)| if place % 2 == 1 { node(el("B").child(words)) } else { node(words) })
        .collect()
}

/// What decides whether it fits, as a bar: the estimate, what suffices as surely as asked, and what there is.
pub(super) fn bar(own: &Fit, lang: Lang) -> AnyView {
    let text = lang.text();
    let bar = fit::bar(own);
    let part = |class: &'static str, from: f64, wide: f64| {
        el("rect|height=26|y=20")
            .set("class", class)
            .set("x", per_cent(from))
            .set("width", per_cent(wide.max(0.0)))
    };
    let tick = |class: &'static str, at: f64, y: &'static str, height: &'static str| {
        el("rect|width=2")
            .set("class", class)
            .set("x", per_cent(at))
            .set("y", y)
            .set("height", height)
    };
    // Words end at their mark, unless that stands too far left for them.
    let words = |class: &'static str, at: f64, y: &'static str, words: String| {
        el("text")
            .set("class", class)
            .set("x", per_cent(at))
            .set("y", y)
            .set("text-anchor", if at < 0.4 { "start" } else { "end" })
            .child(words)
    };
    let confidence = format!("{}\u{a0}%", fit::asked(own.confidence));
    let [needed, sure, card] = [own.needed_gib, own.needed_at_confidence_gib, own.capacity_gib].map(format::gib);
    let inside = bar.estimate > 0.2;
    el("svg.fb|role=img")
        .set("aria-label", fill(text.fit_bar, &[&needed, &confidence, &sure, &card]))
        .child(words("t-card", bar.card, "11", fill(text.fit_usable, &[&card])))
        .child(part("bed", 0.0, bar.card))
        .child(part("unc", bar.estimate, bar.sure - bar.estimate))
        .child(tick("qcap", bar.sure, "20", "32"))
        .child(part("est", 0.0, bar.estimate))
        .child(part("rim", 0.0, bar.card))
        .child(
            el("text|id=reserved|y=37.5")
                .set("class", if inside { "t-in" } else { "t-q" })
                .set("x", per_cent(if inside { 0.0 } else { bar.estimate }))
                .set("dx", "10")
                .child(format!("{needed} GiB")),
        )
        .child(tick("card", bar.card, "15", "36"))
        .child(words("t-q", bar.sure, "64", fill(text.fit_sure_below, &[&confidence, &sure])))
        .into_any()
}

/// The verdict for a screen reader, once the typing has paused.
pub(super) fn announcement(page: Page) -> AnyView {
    let said = RwSignal::new(String::new());
    follow_at_rest(QUIET_MS, move || {
        let lang = page.look.lang.get();
        let sentence = page.answered().map(|shown| {
            let answer = &shown.found.answer;
            let speed = format!("{} {}", format::figure(answer.tokens_per_s_per_gpu), lang.text().per_gpu);
            format!("{}. {} {speed}", sentence(answer, lang), fit::margin(&answer.fit, lang))
        });
        Some(Box::new(move || said.set(sentence.unwrap_or_default())))
    });
    el("DIV.vh|role=status|aria-live=polite|id=announcement")
        .child(live(move || said.get()))
        .into_any()
}
