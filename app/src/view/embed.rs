//! The page inside another: one card of the first fields, the verdict, three figures and the plan. Parts of the whole page
//! stand below it where its address asks for them.

use super::dom::{El, el, live, part, press_link};
use leptos::prelude::*;
use shardwise_core::Answer;

use super::ask::{framework, hardware, picker};
use super::controls::{plain, tokens};
use super::icons::icon;
use super::{advice, banner, calibrate, flags, gpus, header, how, memory, plan, run, sheet, time, verdict};
use crate::browser;
use crate::client::desk;
use crate::fit;
use crate::form::{Field, generates, is_rl};
use crate::format;
use crate::page::Page;
use crate::protocol::Name;
use crate::text::fill;
use crate::words;

/// The embed's own parts: shown where the address names none.
const OWN: [&str; 2] = ["form", "verdict"];

/// The chart of GPU types, where the address names it.
const CHART: &str = "gpus";

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
    let known = OWN.into_iter().chain([CHART]).chain(MORE.map(|(name, _)| name));
    let all: Vec<&str> = known.collect();
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
                .child(el("H1.vh|id=emb-h").child(page.text().embed_title))
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
                .child(has(CHART).then(|| {
                    el("FIGURE.fgr emb-f")
                        .child(el("FIGCAPTION").child(el("P.take|id=c-gpus").child(live(move || gpus::sentence(page)))))
                        .child(gpus::drawing(page, true))
                }))
                .child(more)
                .child(foot(page)),
        )
        .into_any()
}

/// The way to the whole page, and of when its data are.
fn foot(page: Page) -> El {
    let facts = move || {
        let text = page.lang.site();
        format!(
            "{} {} · {} {}",
            text.data,
            shardwise_core::catalog::VERSION,
            text.prices,
            shardwise_core::catalog::PRICES_AS_OF
        )
    };
    el("FOOTER.emb-foot")
        .child(header::copy_link(page.lang, Box::new(move || page.link())))
        .child(
            el("A|id=open-full|target=_blank|rel=noopener")
                .live("href", move || page.link())
                .child(page.text().open_full)
                .child(icon("i-arrow")),
        )
        .child(el("SPAN").child(live(facts)))
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

/// A figure of the card.
fn figure(name: impl Into<String>, value: String, unit: impl Into<String>) -> El {
    el("DIV")
        .child(el("DT").child(name.into()))
        .child(el("DD").child(value).child(" ").child(el("SPAN").child(unit.into())))
}

/// A step, the throughput, and the run: where none is stated, what a million tokens cost.
fn figures(page: Page, answer: &Answer) -> El {
    let text = page.text();
    let usd = answer.usd_per_mtok.map(|usd| figure(text.cost, format::usd(usd), text.per_mt));
    let last = match answer.run {
        Some(length) => {
            let hours = format!("{}\u{a0}{}", run::hours(length.hours), text.hours);
            Some(match length.usd {
                Some(usd) => figure(text.whole, format::dollars(usd), hours),
                None => figure(text.whole, hours, ""),
            })
        }
        None => usd,
    };
    el("DL.emb-n")
        .child(figure(text.step, format::seconds(answer.step_time_s), text.seconds_unit))
        .child(figure(text.throughput, format::figure(answer.tokens_per_s_per_gpu), text.per_gpu))
        .child(last)
}

/// What is wrong with the question, field by field, where it is not answered.
fn refused(page: Page) -> AnyView {
    let words = verdict::wrong(page);
    let words = if words.is_empty() { page.text().stale_none.to_owned() } else { words };
    el("DIV.emb-v is-none")
        .child(
            el("P.emb-fit|role=alert|id=refused")
                .child(icon("i-warn"))
                .child(el("SPAN").child(words)),
        )
        .into_any()
}

fn answer(page: Page) -> AnyView {
    part(move || {
        let stale = !page.wrong().is_empty();
        let Some(shown) = page.answered() else {
            // A link that cannot be read has its banner.
            return stale.then(|| refused(page));
        };
        let lang = page.lang;
        let answer = &shown.found.answer;
        let own = &answer.fit;
        let state = fit::class(own.state);
        Some(
            el("DIV")
                .set("class", format!("emb-v {state}{}", if stale { " is-stale" } else { "" }))
                .child(verdict::stale(page, &shown))
                .child(
                    el("P.emb-fit")
                        .child(icon(fit::icon(own.state)))
                        .child(el("B").child(fit::word(own.state, lang)))
                        .child(el("SPAN").child(fit::behind(own, lang)))
                        .child(calibrate::tag(answer.calibration.is_some(), lang)),
                )
                .child(el("P.verdict-m").children(verdict::spare(own, lang)))
                .child(el("P.verdict-q").child(words::asked(&shown.found.job, lang)))
                .child(verdict::bar(own, lang))
                .child(figures(page, answer))
                .child(el("UL.emb-pl").children(plan::told(page, &shown)))
                .into_any(),
        )
    })
}
