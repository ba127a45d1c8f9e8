//! How sure a plan is to fit before it is chosen, and what more certainty would cost.

use super::sheet;
use crate::fit::LEVELS;
use crate::form::{Field, units};
use crate::view::prelude::*;

/// Whether a level, in per cent, is asked for; that of a question that says nothing where nothing can be read.
fn is_asked(page: Page, level: u32) -> bool {
    let typed = page.typed(Field::Confidence);
    let asked = units::number(&typed, 1.0).map_or(95.0, |share| share * 100.0);
    (asked - f64::from(level)).abs() < 1e-6
}

/// The control: one stop of the Tab key, arrows inside.
#[component]
pub(super) fn Sure(page: Page) -> impl IntoView {
    let words = page.text().how_sure;
    view! {
        <div class="sure" id="sure">
            <fieldset class="sure-l">
                <legend class="vh">{words}</legend>
                <span aria-hidden="true">{words}</span>
                <span class="segr">
                    {LEVELS.map(|level| view! {
                        <label>
                            <input
                                type="radio"
                                name="sure"
                                value=level.to_string()
                                prop:checked=move || is_asked(page, level)
                                on:change=move |_| page.choose_sure(level)
                            />
                            <span>{level.to_string()}</span>
                        </label>
                    })}
                </span>
                <span aria-hidden="true">{"%"}</span>
            </fieldset>
            {sheet::view(page, Name::Sure)}
        </div>
    }
}
