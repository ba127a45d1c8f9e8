//! What would help most, and what the estimate takes for granted or leaves out.

use super::dom::{el, part, press_link};
use leptos::prelude::*;

use super::{fold, sheet};
use crate::page::Page;
use crate::page::folds::Fold;
use crate::protocol::Name;

/// What would help most.
pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    let all = (!page.embedded).then(|| {
        let word = Fold::Sensitivity.word();
        el("A.adv-x|id=advice-all")
            .set("href", format!("#{word}"))
            .on("click", press_link(move || fold::go(page, word)))
            .child(text.why_sensitivity)
    });
    el("SECTION.block advice|id=advice|aria-labelledby=adv-h")
        .child(
            el("DIV.block-h")
                .child(el("H2|id=adv-h").child(text.advice))
                .child(all)
                .child(el("P").child(text.advice_note)),
        )
        .child(sheet::view(page, Name::Advice))
        .into_any()
}

/// What the estimate takes for granted or leaves out.
pub(super) fn caveats(page: Page) -> AnyView {
    part(move || {
        let shown = page.answered()?;
        let caveats = shown.found.answer.caveats.iter();
        let items = caveats.map(|caveat| el("LI").child(page.say(&caveat.text)));
        Some(el("UL.caveats|id=caveats").children(items))
    })
}
