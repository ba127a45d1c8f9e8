//! The answer in one line with its link, to pass on, and the code that embeds it; the same at length, to say that a number is
//! wrong.

use leptos::prelude::*;
use shardwise_core::catalog;

use super::panel::panel;
use crate::browser;
use crate::format;
use crate::page::Page;
use crate::protocol::Name;
use crate::text::fill;
use crate::view::copying;
use crate::view::dom::{El, el, live, press};
use crate::view::icons::icon;
use crate::view::sheet;
use crate::view::verdict::sentence;
use crate::words::{asked, gpu_label};

/// What opens the panel.
pub(in crate::view) fn button(page: Page) -> El {
    el("BUTTON.btn btn-s share|type=button|id=share-open|popovertarget=share")
        .child(icon("i-share"))
        .child(el("SPAN").child(page.text().share))
}

pub(super) fn view(page: Page) -> AnyView {
    panel(page, "share", page.text().share, inside)
}

/// The answer in one line; empty while there is none.
fn summary(page: Page) -> String {
    let (text, lang) = (page.text(), page.lang);
    let Some(shown) = page.answered() else {
        return String::new();
    };
    let (job, answer) = (&shown.found.job, &shown.found.answer);
    let kind = job.workload.kind.name();
    let cost = answer
        .usd_per_mtok
        .map_or(String::new(), |usd| fill(text.share_cost, &[&format::usd(usd)]));
    fill(
        text.share_line,
        &[
            kind,
            &job.model.name,
            &format::grouped(job.hardware.gpus.into()),
            &gpu_label(&job.hardware.gpu),
            &format::figure(answer.tokens_per_s_per_gpu),
            &cost,
            &sentence(answer, lang),
        ],
    )
}

fn inside(page: Page) -> El {
    let text = page.text();
    let whole = move || format!("{} – {}", summary(page), page.link());
    let system = browser::can_share().then(|| {
        el("BUTTON.btn btn-s|type=button|id=share-system")
            .on("click", press(move || browser::share(&summary(page), &page.link())))
            .child(icon("i-share"))
            .child(text.share_system)
    });
    let id = "share-text".to_owned();
    let state = page.sheet(Name::Embed).state;
    state.update(|state| drop(state.insert("site".to_owned(), browser::address().into())));
    el("DIV")
        .child(el("P.muted").child(text.share_note))
        .child(el("P.quote|id=share-text").child(live(whole)))
        .child(
            el("P.copies")
                .child(copying::button(page.lang, id, true, move || untrack(whole)))
                .child(system),
        )
        .child(sheet::view(page, Name::Embed))
}

/// How to say that a number is wrong: all that it takes to look into it, to copy.
pub(in crate::view) fn report(page: Page) -> AnyView {
    let words = move || {
        let (text, lang) = (page.text(), page.lang);
        let Some(shown) = page.answered() else {
            return String::new();
        };
        let answer = &shown.found.answer;
        let range = |interval: Option<[f64; 2]>| {
            interval.map_or(String::new(), |[low, high]| format!(" ({}–{})", format::figure(low), format::figure(high)))
        };
        let interval = answer.interval;
        let memory = &answer.memory;
        let usd = answer.usd_per_mtok.map_or_else(|| "–".to_owned(), format::usd);
        fill(
            text.report_text,
            &[
                &asked(&shown.found.job, lang),
                &page.link(),
                &sentence(answer, lang),
                &format::gib(memory.reserved_gib),
                &range(interval.map(|interval| interval.peak_gib)),
                &format::figure(answer.tokens_per_s_per_gpu),
                &range(interval.map(|interval| interval.tokens_per_s_per_gpu)),
                &format::seconds(answer.step_time_s),
                &usd,
                env!("CARGO_PKG_VERSION"),
                catalog::VERSION,
                catalog::PRICES_AS_OF,
            ],
        )
    };
    el("DETAILS.foot-report more|id=report")
        .child(el("SUMMARY").child(page.text().report))
        .child(el("P").child(page.text().report_how))
        .child(el("PRE.quote|id=report-text").child(live(words)))
        .child(el("P").child(copying::button(page.lang, "report-text".to_owned(), false, move || untrack(words))))
        .into_any()
}
