//! The address: its query, and the part after `#` that holds the question.

use wasm_bindgen::prelude::JsValue;

use super::document::{send, window};

/// A parameter of the address's query; empty where it has no value.
pub(crate) fn query(name: &str) -> Option<String> {
    let search = window()?.location().search().ok()?;
    web_sys::UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// Changes a parameter of the address's query, in place.
pub(crate) fn set_query(name: &str, value: &str) {
    let Some(window) = window() else { return };
    let location = window.location();
    let (Ok(search), Ok(history)) = (location.search(), window.history()) else {
        return;
    };
    let Ok(query) = web_sys::UrlSearchParams::new_with_str(&search) else {
        return;
    };
    query.set(name, value);
    let query = String::from(query.to_string());
    let url = format!("{}?{query}{}", location.pathname().unwrap_or_default(), location.hash().unwrap_or_default());
    let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&url));
}

/// The part of the address after `#`.
pub(crate) fn hash() -> String {
    let hash = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    hash.trim_start_matches('#').to_owned()
}

/// The named values that the part of the address after `#` holds.
pub(crate) fn hash_values() -> Option<web_sys::UrlSearchParams> {
    web_sys::UrlSearchParams::new_with_str(&hash()).ok()
}

/// The address of this page without query and hash.
pub(crate) fn address() -> String {
    let Some(location) = window().map(|window| window.location()) else {
        return String::new();
    };
    let origin = location.origin().unwrap_or_default();
    format!("{origin}{}", location.pathname().unwrap_or_default())
}

/// Puts `hash` into the address: as a step that Back undoes, or in place.
pub(crate) fn set_hash(hash: &str, as_step: bool) {
    let Some(window) = window() else { return };
    let search = window.location().search().unwrap_or_default();
    let Ok(history) = window.history() else {
        return;
    };
    let url = format!("{}{search}#{hash}", window.location().pathname().unwrap_or_default());
    let _ = if as_step {
        history.push_state_with_url(&JsValue::NULL, "", Some(&url))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
    };
    // For frame.js: browsers say nothing of such a change.
    send("shardwise:link");
}
