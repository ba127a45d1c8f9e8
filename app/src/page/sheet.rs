//! The state of a part of the page that the worker writes.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::{Map, Value};

/// How a sheet is shown: what was pressed and typed in it, by key.
pub(crate) type State = RwSignal<Map<String, Value>>;

/// What stands in a sheet, and how it is shown. Handles: copies are the same sheet.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sheet {
    /// Its blocks as the worker sent them; the last question's until it has answered.
    pub(crate) blocks: RwSignal<Option<Arc<Value>>>,
    /// Whether more of them are on their way.
    pub(crate) more: RwSignal<bool>,
    /// How it is shown: what was pressed and typed in it.
    pub(crate) state: State,
}
