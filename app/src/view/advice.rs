//! What would help most, and what the estimate leaves out.

use super::dom::{el, part};
use leptos::prelude::*;

use super::sheet;
use crate::page::Page;
use crate::protocol::Name;

pub(super) fn view(page: Page) -> AnyView {
    let caveats = move || {
        let text = page.text();
        page.answered()
            .filter(|shown| !shown.found.answer.caveats.is_empty())
            .map(|shown| {
                let caveats = &shown.found.answer.caveats;
                let items = caveats.iter().map(|caveat| el("LI").child(page.say(&caveat.text)));
                el("DETAILS.more done|id=caveats|open=")
                    .child(
                        el("SUMMARY")
                            .child(text.caveats)
                            .child(" ")
                            .child(el("SPAN").child(caveats.len().to_string())),
                    )
                    .child(el("UL.caveats").children(items))
            })
    };
    el("SECTION.block advice|id=advice|aria-labelledby=adv-h")
        .child(
            el("DIV.block-h")
                .child(el("H2|id=adv-h").child(page.text().advice))
                .child(el("P").child(page.text().advice_note)),
        )
        .child(sheet::view(page, Name::Advice))
        .child(part(caveats))
        .into_any()
}
