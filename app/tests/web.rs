//! The page in a real browser: it mounts, answers, takes typing, and refuses by name.
#![cfg(target_arch = "wasm32")]
#![expect(clippy::panic, reason = "a test says what it did not find")]

use gloo::timers::callback::Timeout;
use js_sys::Promise;
use shardwise_app::App;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Document, Element, Event, HtmlElement, HtmlInputElement};

wasm_bindgen_test_configure!(run_in_browser);

fn document() -> Document {
    web_sys::window()
        .and_then(|window| window.document())
        .unwrap_or_else(|| panic!("no document"))
}

/// Lets effects and the next slices run.
async fn pause(ms: u32) {
    let promise = Promise::new(&mut |resolve, _| {
        Timeout::new(ms, move || {
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        })
        .forget();
    });
    let _ = JsFuture::from(promise).await;
}

/// A mounted page of its own.
struct Mounted {
    root: HtmlElement,
    _handle: Box<dyn std::any::Any>,
}

impl Mounted {
    async fn new() -> Self {
        let document = document();
        let root: HtmlElement = document
            .create_element("div")
            .ok()
            .and_then(|root| root.dyn_into().ok())
            .unwrap_or_else(|| panic!("no element"));
        if let Some(body) = document.body() {
            let _ = body.append_child(&root);
        }
        let handle = leptos::mount::mount_to(root.clone(), App);
        pause(50).await;
        Self {
            root,
            _handle: Box::new(handle),
        }
    }

    #[track_caller]
    fn find(&self, selector: &str) -> Element {
        self.root
            .query_selector(selector)
            .ok()
            .flatten()
            .unwrap_or_else(|| panic!("nothing matches {selector}"))
    }

    #[track_caller]
    fn text(&self, selector: &str) -> String {
        self.find(selector).text_content().unwrap_or_default()
    }

    async fn press(&self, selector: &str) {
        let button: HtmlElement = self.find(selector).unchecked_into();
        button.click();
        pause(50).await;
    }

    async fn type_into(&self, selector: &str, text: &str) {
        let input: HtmlInputElement = self.find(selector).unchecked_into();
        input.set_value(text);
        if let Ok(event) = Event::new("input") {
            let _ = input.dispatch_event(&event);
        }
        pause(20).await;
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.root.remove();
    }
}

#[wasm_bindgen_test]
async fn a_first_visit_has_an_answer() {
    let page = Mounted::new().await;
    assert!(page.text("#v-h").contains("GiB"), "{}", page.text("#v-h"));
    assert!(
        page.text("#fig-throughput")
            .chars()
            .any(|c| c.is_ascii_digit())
    );
    for bad in ["NaN", "inf", "undefined"] {
        assert!(!page.text(".answer").contains(bad), "{bad}");
    }
}

#[wasm_bindgen_test]
async fn every_change_shows_at_once() {
    let page = Mounted::new().await;
    let before = page.text("#fig-throughput");
    page.type_into("#workload-rl-max_response_length", "16k")
        .await;
    page.type_into("#workload-rl-mean_response_length", "12k")
        .await;
    assert!(
        page.text(".verdict-q").contains("16,384"),
        "{}",
        page.text(".verdict-q")
    );
    assert_ne!(page.text("#fig-throughput"), before);
}

#[wasm_bindgen_test]
async fn a_wrong_field_is_named_and_the_answer_stays() {
    let page = Mounted::new().await;
    let before = page.text("#v-h");
    page.type_into("#hardware-gpus", "0").await;
    let input = page.find("#hardware-gpus");
    assert_eq!(input.get_attribute("aria-invalid").as_deref(), Some("true"));
    let described = input.get_attribute("aria-describedby").unwrap_or_default();
    assert!(!page.text(&format!("#{described}")).is_empty());
    assert!(page.find(".verdict").class_name().contains("is-stale"));
    assert_eq!(page.text("#v-h"), before);
    page.type_into("#hardware-gpus", "8").await;
    assert!(!page.find(".verdict").class_name().contains("is-stale"));
    assert_eq!(
        page.find("#hardware-gpus").get_attribute("aria-invalid"),
        None
    );
}

#[wasm_bindgen_test]
async fn every_gpu_type_is_compared() {
    let page = Mounted::new().await;
    for _ in 0..200 {
        if page
            .root
            .query_selector("#gpus .tab tbody tr")
            .is_ok_and(|row| row.is_some())
        {
            break;
        }
        pause(100).await;
    }
    assert_eq!(
        page.find("#gpus").get_attribute("aria-busy").as_deref(),
        Some("false")
    );
    assert!(
        page.find("#gpus svg.c")
            .query_selector_all(".bar")
            .is_ok_and(|bars| bars.length() > 4)
    );
    assert!(page.find("#gpus svg.c").get_attribute("style").is_none());
}

#[wasm_bindgen_test]
async fn another_language_keeps_the_question() {
    let page = Mounted::new().await;
    page.type_into("#hardware-gpus", "16").await;
    let english = page.text("#v-h");
    page.press("#language").await;
    assert!(
        !page.text("#v-h").is_ascii() && page.text("#v-h") != english,
        "{}",
        page.text("#v-h")
    );
    assert!(
        page.text(".verdict-q").contains("16"),
        "{}",
        page.text(".verdict-q")
    );
    page.press("#language").await;
    assert_eq!(page.text("#v-h"), english);
}

#[wasm_bindgen_test]
async fn a_plan_set_by_hand_is_given_back_to_the_search() {
    let page = Mounted::new().await;
    let searched = page.text(".chips");
    page.type_into("#plan-tensor_parallel", "4").await;
    assert!(
        page.text(".chips").contains("TP\u{a0}4"),
        "{}",
        page.text(".chips")
    );
    page.press("#free-plan").await;
    assert_eq!(page.text(".chips"), searched);
    page.type_into("#plan-tensor_parallel", "3").await;
    assert!(!page.text("#plan-tensor_parallel-m").is_empty());
}
