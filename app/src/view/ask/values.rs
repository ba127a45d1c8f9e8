//! Values of the answer, as the form's controls show them where nothing is typed.

use shardwise_core::wire::PlanSpec;

use crate::view::prelude::*;

/// A value of the answer, as text for a placeholder or an `auto` choice.
pub(super) fn found(page: Page, of: impl Fn(&Shown, Lang) -> String + Send + Sync + 'static) -> Signal<String> {
    found_by(page, Box::new(of))
}

/// Reads a value out of an answer.
type Reading = Box<dyn Fn(&Shown, Lang) -> String + Send + Sync>;

/// A value of the answer, as text for a placeholder or an `auto` choice, compiled once for all values.
#[inline(never)]
fn found_by(page: Page, of: Reading) -> Signal<String> {
    Signal::derive(move || {
        let lang = page.lang;
        page.answered().map(|shown| of(&shown, lang)).unwrap_or_default()
    })
}

/// `auto: 2` for a control that is empty, or nothing while there is no answer.
pub(super) fn auto_text(page: Page, value: Signal<String>) -> Signal<String> {
    Signal::derive(move || {
        let (text, value) = (page.text(), value.get());
        if value.is_empty() { text.auto.to_owned() } else { fill(text.auto_is, &[&value]) }
    })
}

/// A switch of the answer, in words.
pub(super) fn yes_no(on: bool, lang: Lang) -> String {
    let text = lang.text();
    (if on { text.yes } else { text.no }).to_owned()
}

/// A field of the plan that was chosen, as text for a placeholder or an `auto` choice.
pub(super) fn chosen<T: Copy + 'static>(
    page: Page,
    of: fn(&PlanSpec) -> Option<T>,
    write: fn(T) -> String,
) -> Signal<String> {
    found(page, move |shown, _| of(&shown.found.answer.plan).map(write).unwrap_or_default())
}
