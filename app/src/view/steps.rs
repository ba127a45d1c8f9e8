//! The page is built step by step, so that no step holds up what a person does meanwhile.

use leptos::prelude::*;

use super::dom::part;
use crate::page::Page;

/// The step with which it can be shown: form and verdict are there.
pub(super) const SHOWN: usize = 3;

/// A part of the page that is built at a step, and stays.
pub(super) fn at(page: Page, step: usize, view: fn(Page) -> AnyView) -> AnyView {
    part(move || page.built.get(step)?.get().then(|| view(page)))
}
