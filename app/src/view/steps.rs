//! The page is built step by step, so that no step holds up what a person does meanwhile.

use crate::view::prelude::*;

/// A part of the page that is built at a step, and stays.
#[component]
pub(super) fn Built(page: Page, at: Step, children: ChildrenFn) -> impl IntoView {
    move || page.built.get(at as usize)?.get().then(|| children())
}
