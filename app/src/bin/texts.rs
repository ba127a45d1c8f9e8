//! Writes flags, reads scripts and finds advice, in a worker: `scripts/texts-worker.js` starts it and passes messages on.

use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Answers a request of the page, both JSON; an empty text for what is no request.
#[wasm_bindgen]
pub fn answer(request: &str) -> String {
    shardwise_app::worker::answer(request)
}
