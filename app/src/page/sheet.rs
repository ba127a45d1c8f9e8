//! The state of a part of the page that the worker writes.

use std::sync::Arc;

use leptos::prelude::*;
use serde_json::{Map, Value};

/// How a sheet is shown: what was pressed and typed in it, by key.
pub(crate) type State = RwSignal<Map<String, Value>>;

/// What stands in a sheet, and how it is shown. Handles: copies are the same sheet.
#[derive(Clone, Copy)]
pub(crate) struct Sheet {
    /// What the worker sent; the last question's until it has answered.
    pub(crate) tree: RwSignal<Option<Arc<Value>>>,
    /// How it is shown: what was pressed and typed in it.
    pub(crate) state: State,
}

impl Sheet {
    /// Before the first question.
    pub(crate) fn new() -> Self {
        Self { tree: RwSignal::new(None), state: RwSignal::new(Map::new()) }
    }
}
