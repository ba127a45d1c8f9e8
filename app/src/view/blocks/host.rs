//! What every block needs: the sheet that it stands in, and lists.

use leptos::tachys::view::iterators::StaticVec;

use crate::page::sheet::State;
use crate::view::prelude::*;

/// The sheet that a block stands in.
#[derive(Clone, Copy)]
pub(in crate::view) struct Host {
    pub(in crate::view) page: Page,
    /// Which sheet; `None` for what is asked for by other means.
    pub(in crate::view) name: Option<Name>,
    /// How it is shown.
    pub(in crate::view) state: State,
}

/// The views of a list.
pub(super) fn each<T>(all: Vec<T>, of: impl FnMut(T) -> AnyView) -> StaticVec<AnyView> {
    let views: Vec<AnyView> = all.into_iter().map(of).collect();
    StaticVec::from(views)
}

/// A text, or nothing where it is empty.
pub(super) fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
