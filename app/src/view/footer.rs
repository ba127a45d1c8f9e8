//! Where the numbers come from.

use super::dom::el;
use leptos::prelude::*;

use super::header::{Place, anchor};
use crate::look::Look;
use crate::text::Lang;
use crate::tree::parts::facts;

/// The footer, with the links and the report of a page that has them.
pub(super) fn view(look: Look, lang: Lang, own: Option<[AnyView; 2]>) -> AnyView {
    let site = lang.site();
    let [links, report] = own.map_or([None, None], |own| own.map(Some));
    el("FOOTER.foot")
        .child(
            el("DIV.foot-in")
                .children(facts(lang))
                .child(
                    el("P.foot-links")
                        .child(anchor(look, Place::Accuracy, site.how_accurate))
                        .child(links),
                )
                .child(report),
        )
        .into_any()
}
