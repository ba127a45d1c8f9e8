//! What is done later, and what day it is.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::JsValue;

use crate::busy::Work;

/// The day, as `YYYY-MM-DD`.
pub(crate) fn today() -> String {
    let now: String = js_sys::Date::new_0().to_iso_string().into();
    now.get(..10).unwrap_or_default().to_owned()
}

/// The day and the clock some hours from now, in words of a language.
pub(crate) fn hours_from_now(hours: f64, lang: &str) -> String {
    const HOUR_MS: f64 = 3_600_000.0;
    let then = js_sys::Date::new(&(js_sys::Date::now() + hours * HOUR_MS).into());
    let shown = js_sys::Object::new();
    let far = hours > 180.0 * 24.0;
    let parts: &[(&str, &str)] = if far {
        &[("year", "numeric"), ("month", "short"), ("day", "numeric")]
    } else {
        &[("weekday", "short"), ("month", "short"), ("day", "numeric"), ("hour", "2-digit"), ("minute", "2-digit")]
    };
    for (part, how) in parts {
        let _ = js_sys::Reflect::set(&shown, &(*part).into(), &(*how).into());
    }
    let _ = js_sys::Reflect::set(&shown, &"hourCycle".into(), &"h23".into());
    then.to_locale_string(lang, &shown).into()
}

/// Does `work` in a task of its own, so that the browser may draw and take keys before it. A timeout would do the same,
/// but waits four milliseconds where timeouts follow each other.
pub(crate) fn soon(work: impl FnOnce() + 'static) {
    let Ok(channel) = web_sys::MessageChannel::new() else {
        return work();
    };
    let port = channel.port1();
    let own = port.clone();
    let busy = Work::begin();
    let once = Closure::once_into_js(move || {
        own.close();
        work();
        drop(busy);
    });
    port.set_onmessage(Some(once.unchecked_ref()));
    let _ = channel.port2().post_message(&JsValue::NULL);
}

/// Does `act` after as many milliseconds; dropping what comes back takes that back. Until then the page is busy.
pub(crate) fn after(pause_ms: u32, act: Box<dyn FnOnce()>) -> Timeout {
    let busy = Work::begin();
    Timeout::new(pause_ms, move || {
        act();
        drop(busy);
    })
}

/// Milliseconds, for measuring how long a slice of work has run.
pub(crate) fn now_ms() -> f64 {
    js_sys::Date::now()
}
