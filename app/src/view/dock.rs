//! The bar that never leaves: links to the parts of the page, and the verdict in one line.

use leptos::prelude::*;
use shardwise_core::wire::FitState;

use super::calibrate;
use super::dom::{el, part, press_link};
use super::icons::icon;
use crate::browser;
use crate::fit;
use crate::format;
use crate::page::Page;

/// Links to the parts of the page, and the verdict in one line once it has scrolled away.
pub(super) fn view(page: Page) -> AnyView {
    let link = |id: &'static str, name: fn(&crate::text::Text) -> &'static str| {
        el("LI").child(
            el("A")
                .set("href", format!("#{id}"))
                .on("click", press_link(move || browser::jump(id)))
                .child(name(page.text())),
        )
    };
    let line = move || {
        let lang = page.lang;
        page.answered().map(|shown| {
            let answer = &shown.found.answer;
            let own = &answer.fit;
            let usd = answer.usd_per_mtok.map(|usd| el("SPAN").child(format::usd(usd)).child("/MT"));
            el("P")
                .set("class", format!("dock-v {}", fit::class(own.state)))
                .child(icon(fit::icon(own.state)))
                .child(el("B").child(fit::short(own.state, own.probability, lang)))
                .child(el("SPAN.dock-m").child(match own.state {
                    FitState::No => format!("{} / {} GiB", format::gib(own.needed_gib), format::gib(own.capacity_gib)),
                    _ => format!("{} GiB", format::gib(own.needed_gib)),
                }))
                .child(el("SPAN").child(format::figure(answer.tokens_per_s_per_gpu)).child(" tok/s"))
                .child(usd)
                .child(calibrate::tag(answer.calibration.is_some(), lang))
        })
    };
    el("NAV.dock")
        .set("aria-label", page.text().on_this_page)
        .child(
            el("DIV.dock-in")
                .child(
                    el("UL")
                        .child(link("gpus", |text| text.nav_gpus))
                        .child(link("memory", |text| text.nav_memory))
                        .child(link("time", |text| text.nav_time))
                        .child(link("sheet-scaling", |text| text.nav_scale))
                        .child(link("plans", |text| text.nav_plans))
                        .child(link("flags", |text| text.nav_flags))
                        .child(link("advice", |text| text.nav_advice)),
                )
                .child(part(line)),
        )
        .into_any()
}
