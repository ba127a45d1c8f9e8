//! Files: those of the site, those that are dropped, and those that are saved.

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, RequestInit};

use super::document::document;
use crate::busy::Work;

/// How long a file may take, in milliseconds: less than a worker may keep quiet (`client::health`).
const FILE_MS: u32 = 45_000;

#[wasm_bindgen]
extern "C" {
    /// The window's or the worker's, whichever this is.
    #[wasm_bindgen(catch)]
    async fn fetch(address: &str, options: &RequestInit) -> Result<JsValue, JsValue>;
}

/// The text of a file of the site; `None` where it cannot be had.
pub(crate) async fn file(address: &str) -> Option<String> {
    let options = RequestInit::new();
    options.set_signal(Some(&AbortSignal::timeout_with_u32(FILE_MS)));
    let response: web_sys::Response = fetch(address, &options).await.ok()?.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?;
    text.as_string()
}

/// Takes the files of a drop or of a choice, `count` of them at most; text that is dropped is the browser's: name, the first
/// `most` bytes as text, and whether that is all. One that cannot be read is `left_out`, by its name.
pub(crate) fn take_files(
    event: &web_sys::Event,
    count: u32,
    most: f64,
    left_out: RwSignal<Option<String>>,
    take: Box<dyn Fn(String, String, bool)>,
) {
    let Some(files) = files_of(event).filter(|files| files.length() > 0) else {
        return;
    };
    event.prevent_default();
    left_out.set(None);
    let busy = Work::begin();
    leptos::task::spawn_local(async move {
        for file in (0..files.length().min(count)).filter_map(|index| files.get(index)) {
            give(&file, most, left_out, &take).await;
        }
        drop(busy);
    });
}

/// The files of a drop, or of an input whose choice has changed.
fn files_of(event: &web_sys::Event) -> Option<web_sys::FileList> {
    if let Some(drop) = event.dyn_ref::<web_sys::DragEvent>() {
        return drop.data_transfer()?.files();
    }
    let input: web_sys::HtmlInputElement = event.target()?.dyn_into().ok()?;
    input.files()
}

/// Gives the first `most` bytes of a file to what takes them.
async fn give(
    file: &web_sys::File,
    most: f64,
    left_out: RwSignal<Option<String>>,
    take: &dyn Fn(String, String, bool),
) {
    let text = match file.slice_with_f64_and_f64(0.0, most) {
        Ok(beginning) => JsFuture::from(beginning.text()).await.ok(),
        Err(_) => None,
    };
    match text.and_then(|text| text.as_string()) {
        Some(text) => take(file.name(), text, file.size() <= most),
        None => left_out.set(Some(file.name())),
    }
}

/// How long a file's address stays good after the download began, in milliseconds: Safari reads it late.
const KEPT_MS: u32 = 40_000;

/// Saves a text as a file.
pub(crate) fn download(name: &str, text: &str) {
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let Ok(blob) = web_sys::Blob::new_with_str_sequence(&parts) else {
        return;
    };
    let Ok(url) = web_sys::Url::create_object_url_with_blob(&blob) else {
        return;
    };
    let link = document().and_then(|document| document.create_element("a").ok());
    if let Some(link) = link.and_then(|link| link.dyn_into::<web_sys::HtmlAnchorElement>().ok()) {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    // Nothing waits for this, so that the page is not busy until then.
    Timeout::new(KEPT_MS, move || drop(web_sys::Url::revoke_object_url(&url))).forget();
}
