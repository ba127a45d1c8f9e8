//! The bar that never leaves: what holds now, and links to the parts of the page, of which it marks the one that is read.

use leptos::prelude::*;
use shardwise_core::wire::FitState;

use super::calibrate;
use super::dom::{el, part, press_link};
use super::fold;
use super::icons::icon;
use crate::browser;
use crate::fit;
use crate::format;
use crate::page::Page;
use crate::text::Text;

/// A part of the page with its name.
type Stop = (&'static str, fn(&Text) -> &'static str);

/// The parts, from the top.
const STOPS: [Stop; 6] = [
    ("verdict", |text| text.nav_verdict),
    ("flags", |text| text.nav_flags),
    ("gpus", |text| text.nav_gpus),
    ("advice", |text| text.nav_advice),
    ("cost", |text| text.nav_cost),
    ("why", |text| text.nav_why),
];

/// How far below the bars a part begins to be read, in pixels.
const READ_PX: f64 = 120.0;

/// By how much the tops of parts may differ that stand side by side, in pixels.
const BESIDE_PX: f64 = 40.0;

/// Links to the parts of the page, and the answer in one line.
pub(super) fn view(page: Page) -> AnyView {
    let read = RwSignal::new(0);
    let look = move || {
        let now = reading();
        if read.get_untracked() != now {
            read.set(now);
        }
    };
    for event in ["scroll", "resize"] {
        browser::listen(event, move |_| look());
    }
    let links = STOPS.into_iter().enumerate().map(|(place, (id, name))| {
        el("LI").child(
            el("A")
                .set("href", format!("#{id}"))
                .live("aria-current", move || (read.get() == place).then_some("true"))
                .on("click", press_link(move || fold::go(page, id)))
                .child(name(page.text())),
        )
    });
    el("NAV.dock")
        .set("aria-label", page.text().on_this_page)
        .child(
            el("DIV.dock-in")
                .child(el("UL").children(links))
                .child(part(move || line(page))),
        )
        .into_any()
}

/// The place of the part that is read: the one that begins last above the line of sight, of two side by side the first; at
/// the end of the page the last.
fn reading() -> usize {
    if browser::is_at_end() {
        return STOPS.len() - 1;
    }
    let from = browser::bars_end() + READ_PX;
    let tops = STOPS.into_iter().map(|(id, _)| browser::top_of(id).unwrap_or(f64::INFINITY));
    let above = tops.enumerate().filter(|(_, top)| *top <= from);
    let last = above.fold(None, |best: Option<(usize, f64)>, (place, top)| match best {
        Some((_, highest)) if top <= highest + BESIDE_PX => best,
        _ => Some((place, top)),
    });
    last.map_or(0, |(place, _)| place)
}

/// What holds now: whether it fits, memory, speed, and the run's dollars, or those of a million tokens.
fn line(page: Page) -> Option<AnyView> {
    let lang = page.lang;
    let shown = page.answered()?;
    let answer = &shown.found.answer;
    let own = &answer.fit;
    let memory = match own.state {
        FitState::No => format!("{} / {} GiB", format::gib(own.needed_gib), format::gib(own.capacity_gib)),
        _ => format!("{} GiB", format::gib(own.needed_gib)),
    };
    let usd = match answer.run.and_then(|run| run.usd) {
        Some(usd) => Some(format::dollars(usd)),
        None => answer.usd_per_mtok.map(|usd| format!("{}/MT", format::usd(usd))),
    };
    let stale = if page.wrong().is_empty() { "" } else { " is-stale" };
    Some(
        el("P")
            .set("class", format!("dock-v {}{stale}", fit::class(own.state)))
            .child(el("SPAN").child(icon(fit::icon(own.state))).child(el("B.st").child(fit::short(
                own.state,
                own.probability,
                lang,
            ))))
            .child(el("SPAN.dock-m").child(memory))
            .child(
                el("SPAN")
                    .child(format!("{} {}", format::figure(answer.tokens_per_s_per_gpu), lang.text().dock_speed))
                    .child(el("SPAN.dock-e").child(lang.text().dock_each)),
            )
            .child(usd.map(|usd| el("SPAN").child(el("B").child(usd))))
            .child(calibrate::tag(answer.calibration.is_some(), lang))
            .into_any(),
    )
}
