//! What nearly every part of the page names.

/// Leptos's `view!`, of one type whatever is in it: arms of a `match` agree, and Leptos's machinery is compiled once for all of
/// them instead of for each.
macro_rules! erased_view {
    ($($tokens:tt)*) => {
        leptos::prelude::IntoAny::into_any(leptos::view! { $($tokens)* })
    };
}

pub(super) use leptos::prelude::*;

pub(super) use super::icons::Icon;
pub(super) use crate::page::Page;
pub(super) use crate::text::{Lang, fill};
pub(super) use crate::{browser, format};
pub(super) use erased_view as view;
