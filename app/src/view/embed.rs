//! The page inside another: four fields, the verdict, the chart, or the parts of the page that its address asks for.

use super::dom::{el, live, part, press_link};
use leptos::prelude::*;

use super::ask::{framework, hardware, picker};
use super::controls::{plain, tokens};
use super::icons::icon;
use super::{advice, banner, calibrate, flags, gpus, how, memory, sheet, time, verdict};
use crate::browser;
use crate::client::desk;
use crate::fit;
use crate::form::{Field, generates, is_rl};
use crate::format;
use crate::page::Page;
use crate::protocol::Name;
use crate::text::fill;

/// The embed's own parts: shown where the address names none.
const OWN: [&str; 3] = ["form", "verdict", "gpus"];

/// A part of the page: its name in the address, and what makes it.
type Panel = (&'static str, fn(Page) -> AnyView);

/// The parts of the whole page that an embed may have below its own.
const MORE: [Panel; 9] = [
    ("memory", memory::view),
    ("time", time::view),
    ("timeline", |page| sheet::view(page, Name::Timeline)),
    ("front", |page| sheet::view(page, Name::Front)),
    ("scaling", |page| sheet::view(page, Name::Scaling)),
    ("plans", |page| sheet::section(page, Name::Plans, page.text().plans, "")),
    ("sensitivity", |page| sheet::section(page, Name::Sensitivity, page.text().sensitivity, "")),
    ("flags", flags::view),
    ("advice", advice::view),
];

pub(super) fn view(page: Page) -> AnyView {
    let all: Vec<&str> = OWN.into_iter().chain(MORE.map(|(name, _)| name)).collect();
    let asked = browser::query("panels").unwrap_or_default();
    let (named, unknown): (Vec<&str>, Vec<&str>) = asked
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .partition(|name| all.contains(name));
    let named = if named.is_empty() { OWN.into() } else { named };
    let has = |name| named.contains(&name);
    let mut more = el("DIV.emb-more");
    let mut any = false;
    for (name, view) in MORE {
        if has(name) {
            more = more.child(view(page));
            any = true;
        }
    }
    let more = any.then(|| {
        desk::open(page.no_worker);
        more.child(how::panel(page))
    });
    el("MAIN.emb-page|id=answer")
        .child(
            el("SECTION.emb|aria-labelledby=emb-h")
                .child(
                    el("HEADER.emb-top")
                        .child(el("H1|id=emb-h").child(page.text().embed_title))
                        .child(
                            el("A")
                                .live("href", move || page.link())
                                .set("target", "_blank")
                                .set("rel", "noopener")
                                .child(page.text().open_full)
                                .child(icon("i-arrow")),
                        ),
                )
                .child(banner::view(page))
                .child((!unknown.is_empty()).then(|| {
                    let [unknown, all] = [&unknown, &all].map(|names| names.join(", "));
                    let words = fill(page.text().no_panel, &[&unknown, &all]);
                    el("P.callout callout-bad banner|role=alert|id=no-panel")
                        .child(icon("i-warn"))
                        .child(el("SPAN").child(words))
                }))
                .child(has("form").then(|| form(page)))
                .child(has("verdict").then(|| answer(page)))
                .child(has("gpus").then(|| {
                    el("FIGURE.fgr emb-f")
                        .child(el("FIGCAPTION").child(el("P.take|id=c-gpus").child(live(move || gpus::sentence(page)))))
                        .child(gpus::drawing(page, true))
                }))
                .child(more)
                .child(el("FOOTER.emb-foot").child(live(move || {
                    let text = page.lang.site();
                    format!(
                        "Shardwise · {} {} · {} {}",
                        text.data,
                        shardwise_core::catalog::VERSION,
                        text.prices,
                        shardwise_core::catalog::PRICES_AS_OF
                    )
                }))),
        )
        .into_any()
}

fn form(page: Page) -> AnyView {
    el("FORM.emb-q")
        .set("aria-label", page.text().your_question)
        .on("submit", press_link(|| ()))
        .child(framework::view(page))
        .child(picker::model_name(page))
        .child(hardware::gpu_choice(page))
        .child(plain(page, Field::Gpus))
        .child(length(page))
        .into_any()
}

/// The length that matters most for the task.
fn length(page: Page) -> AnyView {
    part(move || {
        let kind = page.kind();
        if is_rl(kind) {
            tokens(page, Field::MaxResponse)
        } else if generates(kind) {
            tokens(page, Field::RequestResponse)
        } else {
            tokens(page, Field::SequenceLength)
        }
    })
}

fn answer(page: Page) -> AnyView {
    part(move || {
        let lang = page.lang;
        let text = lang.text();
        let stale = !page.wrong().is_empty();
        let shown = page.answered()?;
        let answer = &shown.found.answer;
        let own = &answer.fit;
        let state = fit::class(own.state);
        let usd = answer.usd_per_mtok.map(|usd| {
            el("DIV")
                .child(el("DT").child(text.per_mt))
                .child(el("DD").child(format::usd(usd)))
        });
        let notice = stale.then(|| el("P.stale-n").child(icon("i-info")).child(el("SPAN").child(text.stale_none)));
        Some(
            el("DIV")
                .set("class", format!("emb-v {state}{}", if stale { " is-stale" } else { "" }))
                .child(notice)
                .child(
                    el("P")
                        .set("class", "emb-fit")
                        .child(icon(fit::icon(own.state)))
                        .child(el("B").child(fit::word(own.state, lang)))
                        .child(el("SPAN").child(fit::behind(own, lang)))
                        .child(calibrate::tag(answer.calibration.is_some(), lang)),
                )
                .child(el("P.verdict-m").children(verdict::spare(own, lang)))
                .child(verdict::bar(own, lang))
                .child(
                    el("DL.emb-n")
                        .child(
                            el("DIV")
                                .child(el("DT").child(text.per_gpu))
                                .child(el("DD").child(format::figure(answer.tokens_per_s_per_gpu))),
                        )
                        .child(usd)
                        .child(
                            el("DIV")
                                .child(el("DT").child("MFU"))
                                .child(el("DD").child(format::percent(answer.mfu, 1))),
                        ),
                ),
        )
    })
}
