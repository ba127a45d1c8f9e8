//! The page mounts in a real browser. The browser tests in `e2e/` use it; this one shows that the
//! package runs without the site around it.
#![cfg(target_arch = "wasm32")]

use leptos::prelude::document;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
async fn mounts_with_one_heading_and_one_main_part() {
    leptos::mount::mount_to_body(shardwise_app::App);
    leptos::task::tick().await;
    let count = |selector| {
        document()
            .query_selector_all(selector)
            .map(|found| found.length())
    };
    assert_eq!(count("h1"), Ok(1));
    assert_eq!(count("main"), Ok(1));
}
