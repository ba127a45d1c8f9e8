//! Where the numbers come from, and how to say that one is wrong.

use super::dom::{el, live, press_link};
use leptos::prelude::*;
use shardwise_core::catalog;

use crate::page::Page;

pub(super) fn view(page: Page) -> AnyView {
    let fact = |name: fn(&crate::text::Text) -> &'static str, value: &'static str| {
        el("DIV")
            .child(el("DT").child(name(page.text())))
            .child(el("DD").child(value))
    };
    el("FOOTER.foot")
        .child(
            el("DIV.foot-in")
                .child(
                    el("P.foot-about")
                        .child(el("B").child("Shardwise"))
                        .child(" ")
                        .child(page.text().about),
                )
                .child(
                    el("DL.foot-facts")
                        .child(fact(|text| text.data, catalog::VERSION))
                        .child(fact(|text| text.prices, catalog::PRICES_AS_OF))
                        .child(fact(|text| text.build, env!("CARGO_PKG_VERSION")))
                        .child(fact(|text| text.licence, "Apache-2.0 OR MIT")),
                )
                .child(
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
                        ),
                ),
        )
        .into_any()
}
