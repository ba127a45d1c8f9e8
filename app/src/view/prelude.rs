//! What nearly every part of the page names.

/// Leptos's `view!`, of one type whatever is in it: arms of a `match` agree, and Leptos's machinery is compiled once for all of
/// them instead of for each.
macro_rules! erased_view {
    ($($tokens:tt)*) => {
        leptos::prelude::IntoAny::into_any(leptos::view! { $($tokens)* })
    };
}

pub(super) use leptos::prelude::*;

pub(super) use std::sync::Arc;

pub(super) use super::icons::Icon;
pub(super) use crate::client::desk;
pub(super) use crate::follow::follow;
pub(super) use crate::form::Field;
pub(super) use crate::page::folds::Fold;
pub(super) use crate::page::{Page, Shown, Step};
pub(super) use crate::protocol::{Document, Name};
pub(super) use crate::text::{Lang, Text, fill};
pub(super) use crate::{browser, fit, format, money, words};
pub(super) use erased_view as view;
