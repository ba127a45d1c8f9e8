//! Where the numbers come from, and how to say that one is wrong.

use super::dom::{el, live, press_link};
use leptos::prelude::*;
use shardwise_core::catalog;

use super::header::{Place, anchor};
use crate::look::Look;
use crate::page::Page;
use crate::text::{Lang, Site};

pub(super) fn view(look: Look, lang: Lang, report: Option<AnyView>) -> AnyView {
    let site = lang.site();
    let fact = |name: fn(&Site) -> &'static str, value: &'static str| {
        el("DIV")
            .child(el("DT").child(name(site)))
            .child(el("DD").child(value))
    };
    el("FOOTER.foot")
        .child(
            el("DIV.foot-in")
                .child(
                    el("P.foot-about")
                        .child(el("B").child("Shardwise"))
                        .child(" ")
                        .child(site.about),
                )
                .child(
                    el("DL.foot-facts")
                        .child(fact(|site| site.data, catalog::VERSION))
                        .child(fact(|site| site.prices, catalog::PRICES_AS_OF))
                        .child(fact(|site| site.build, env!("CARGO_PKG_VERSION")))
                        .child(fact(|site| site.licence, "Apache-2.0 OR MIT")),
                )
                .child(el("P.foot-links").child(anchor(look, Place::Accuracy, site.how_accurate)))
                .child(report),
        )
        .into_any()
}

/// How to say that a number is wrong.
pub(super) fn report(page: Page) -> AnyView {
    el("DETAILS.foot-report more|id=report")
        .child(el("SUMMARY").child(page.text().report))
        .child(el("P").child(page.text().report_how))
        .child(
            el("P").child(
                el("A")
                    .live("href", move || page.link())
                    .on("click", press_link(|| ()))
                    .child(live(move || page.link())),
            ),
        )
        .into_any()
}
