//! What is kept from visit to visit and from page to page. Storage may be forbidden: then nothing is.

use web_sys::Storage;

use super::document::window;

fn storage() -> Option<Storage> {
    // Access throws where storage is forbidden, as in a sandboxed frame.
    window()?.local_storage().ok().flatten()
}

/// A value kept from an earlier visit.
pub(crate) fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Keeps a value for the next visit, where the browser allows it; an empty one leaves nothing behind.
pub(crate) fn store(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = if value.is_empty() { storage.remove_item(key) } else { storage.set_item(key, value) };
    }
}

fn tab() -> Option<Storage> {
    window()?.session_storage().ok().flatten()
}

/// A value kept by an earlier page in the same tab.
pub(crate) fn kept(key: &str) -> Option<String> {
    tab()?.get_item(key).ok().flatten()
}

/// Keeps a value for the next page in this tab, where the browser allows it.
pub(crate) fn keep(key: &str, value: &str) {
    if let Some(tab) = tab() {
        let _ = tab.set_item(key, value);
    }
}
