//! How sure a plan is to fit before it is chosen, and what more certainty would cost.

use super::dom::{el, press};
use leptos::prelude::*;

use super::sheet;
use crate::fit::LEVELS;
use crate::form::{Field, units};
use crate::page::Page;
use crate::protocol::Name;

/// The level that is asked for, in per cent; that of a question that says nothing where nothing can be read.
fn asked(page: Page) -> f64 {
    let typed = page.typed(Field::Confidence);
    units::number(&typed, 1.0).map_or(95.0, |share| share * 100.0)
}

/// The control: one stop of the Tab key, arrows inside.
pub(super) fn view(page: Page) -> AnyView {
    let level = |level: u32| {
        let on = move || (asked(page) - f64::from(level)).abs() < 1e-6;
        el("LABEL")
            .child(
                el("INPUT|type=radio|name=sure")
                    .set("value", level.to_string())
                    .flag("checked", on)
                    .on("change", press(move || page.choose_sure(level))),
            )
            .child(el("SPAN").child(level.to_string()))
    };
    let words = page.text().how_sure;
    el("DIV.sure|id=sure")
        .child(
            el("FIELDSET.sure-l")
                .child(el("LEGEND.vh").child(words))
                .child(el("SPAN|aria-hidden=true").child(words))
                .child(el("SPAN.segr").children(LEVELS.map(level)))
                .child(el("SPAN|aria-hidden=true").child("%")),
        )
        .child(sheet::view(page, Name::Sure))
        .into_any()
}
