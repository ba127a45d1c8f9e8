//! Starts the calculator; in a worker, does its work. One program for both, so that nobody downloads the core twice: what the
//! worker alone needs is a file of its own (`split`), which it loads when it is first asked.

use wasm_bindgen::prelude::wasm_bindgen;

fn main() {
    if web_sys::window().is_some() {
        shardwise_app::calculator();
    }
}

/// Answers a request of the page, both JSON; an empty text for what is no request. `scripts/texts-worker.js` passes them on.
#[wasm_bindgen]
pub async fn answer(request: String) -> String {
    texts(request).await
}

#[cfg(feature = "split")]
#[wasm_split_helpers::wasm_split(texts)]
fn texts(request: String) -> String {
    shardwise_app::worker::answer(&request)
}

#[cfg(not(feature = "split"))]
async fn texts(request: String) -> String {
    shardwise_app::worker::answer(&request)
}
