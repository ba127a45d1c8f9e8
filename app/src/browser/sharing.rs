//! Passing a text on: the clipboard, and what the system offers.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::JsValue;

use super::document::window;

/// What the system offers to pass an address on; `None` where it offers nothing.
fn sharing() -> Option<(web_sys::Navigator, js_sys::Function)> {
    let navigator = window()?.navigator();
    let share = js_sys::Reflect::get(&navigator, &"share".into()).ok()?;
    Some((navigator, share.dyn_into().ok()?))
}

/// Whether the system can pass an address on.
pub(crate) fn can_share() -> bool {
    sharing().is_some()
}

/// Passes a text and an address to what the person chooses.
pub(crate) fn share(text: &str, url: &str) {
    let Some((navigator, share)) = sharing() else {
        return;
    };
    let data = js_sys::Object::new();
    for (key, value) in [("title", "Shardwise"), ("text", text), ("url", url)] {
        let _ = js_sys::Reflect::set(&data, &key.into(), &value.into());
    }
    // A person who thinks again is no error.
    if let Ok(promise) = share.call1(&navigator, &data) {
        settle(&promise, Rc::new(|_| ()));
    }
}

/// Copies a text and says whether it went well. Where there is no clipboard it says no at once.
pub(crate) fn copy(text: &str, done: impl Fn(bool) + 'static) {
    copy_then(text, Rc::new(done));
}

fn copy_then(text: &str, done: Rc<dyn Fn(bool)>) {
    let Some(navigator) = window().map(|window| window.navigator()) else {
        return done(false);
    };
    // Outside a secure context there is no clipboard at all.
    let clipboard = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard")).unwrap_or_default();
    if clipboard.is_undefined() {
        return done(false);
    }
    settle(&navigator.clipboard().write_text(text), done);
}

/// Says how a promise ends.
fn settle(promise: &JsValue, done: Rc<dyn Fn(bool)>) {
    let fail = Rc::clone(&done);
    let kept = Closure::once_into_js(move |_: JsValue| done(true));
    let broken = Closure::once_into_js(move |_: JsValue| fail(false));
    let then = js_sys::Reflect::get(promise, &JsValue::from_str("then")).unwrap_or_default();
    if let Ok(then) = then.dyn_into::<js_sys::Function>() {
        let _ = then.call2(promise, &kept, &broken);
    }
}
