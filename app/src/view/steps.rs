//! The page is built step by step, so that no step holds up what a person does meanwhile.

use crate::view::prelude::*;

/// The step with which it can be shown: form and verdict are there.
pub(super) const SHOWN: usize = 3;

/// A part of the page that is built at a step, and stays.
#[component]
pub(super) fn Built(page: Page, at: usize, children: ChildrenFn) -> impl IntoView {
    move || page.built.get(at)?.get().then(|| children())
}
