//! Where the numbers come from.

use super::dom::el;
use leptos::prelude::*;
use shardwise_core::catalog;

use super::header::{Place, anchor};
use crate::look::Look;
use crate::text::{Lang, Site};

/// The footer, with the links and the report of a page that has them.
pub(super) fn view(look: Look, lang: Lang, own: Option<[AnyView; 2]>) -> AnyView {
    let site = lang.site();
    let fact = |name: fn(&Site) -> &'static str, value: &'static str| {
        el("DIV")
            .child(el("DT").child(name(site)))
            .child(el("DD").child(value))
    };
    let [links, report] = own.map_or([None, None], |own| own.map(Some));
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
                .child(
                    el("P.foot-links")
                        .child(anchor(look, Place::Accuracy, site.how_accurate))
                        .child(links),
                )
                .child(report),
        )
        .into_any()
}
