//! The page in a real browser: it mounts, answers, takes typing, and refuses by name.
#![cfg(target_arch = "wasm32")]
#![expect(clippy::panic, reason = "a test says what it did not find")]

use gloo::timers::callback::Timeout;
use js_sys::Promise;
use leptos::prelude::{AnyView, IntoAny};
use shardwise_app::{Accuracy, App, AppProps, Engine, Loader};
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

/// Waits for what the browser does in its own time: a file that is fetched, a width that is measured, a search in slices.
/// A ceiling for a machine that has other work.
async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..6000 {
        if holds() {
            return;
        }
        pause(50).await;
    }
    panic!("{what}: not within five minutes");
}

/// Names this text as one of the accuracy page's data files.
fn file_is(named: &str, text: &str) {
    if let Some(root) = document().document_element() {
        let text = String::from(js_sys::encode_uri_component(text));
        let _ = root.set_attribute(named, &format!("data:application/json,{text}"));
    }
}

/// A mounted page of its own.
struct Mounted {
    root: HtmlElement,
    _handle: Box<dyn std::any::Any>,
}

impl Mounted {
    async fn new() -> Self {
        let rest: Loader = || Box::pin(async { Some(shardwise_app::rest()) });
        let engine: Engine = |request| Box::pin(async move { Some(shardwise_app::worker::estimate(&request)) });
        let page = Self::of(move || App(AppProps { rest, engine }).into_any()).await;
        // It is built in steps; the footer comes with the last, and the answer when the engine has its turn.
        page.comes(".foot").await;
        page.comes("#v-h").await;
        page.comes("#fig-throughput").await;
        page
    }

    /// The accuracy page with this text as its first data file.
    async fn accuracy(file: &str) -> Self {
        file_is("data-overview", file);
        file_is("data-runs", RUNS);
        let page = Self::of(|| Accuracy().into_any()).await;
        page.comes("#plot-runs svg [class^=pt-], [role=alert]").await;
        page
    }

    async fn of(view: impl FnOnce() -> AnyView + 'static) -> Self {
        let document = document();
        let root: HtmlElement = document
            .create_element("div")
            .ok()
            .and_then(|root| root.dyn_into().ok())
            .unwrap_or_else(|| panic!("no element"));
        if let Some(body) = document.body() {
            let _ = body.append_child(&root);
        }
        let handle = leptos::mount::mount_to(root.clone(), view);
        pause(50).await;
        Self { root, _handle: Box::new(handle) }
    }

    fn count(&self, selector: &str) -> u32 {
        let found = self.root.query_selector_all(selector);
        found.map_or(0, |found| found.length())
    }

    async fn comes(&self, selector: &str) {
        until(selector, || self.count(selector) > 0).await;
    }

    /// Waits until what this says is not as it was: the engine answers in its own time.
    async fn changes(&self, selector: &str, before: &str) {
        until(&format!("{selector} is no longer {before}"), || self.text(selector) != before).await;
    }

    /// Waits until this says what a question or an answer has to say.
    async fn says(&self, selector: &str, part: &str) {
        until(&format!("{selector} says {part}"), || self.text(selector).contains(part)).await;
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

    async fn choose(&self, selector: &str, value: &str) {
        let select: web_sys::HtmlSelectElement = self.find(selector).unchecked_into();
        select.set_value(value);
        if let Ok(event) = Event::new("change") {
            let _ = select.dispatch_event(&event);
        }
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
    assert!(page.text("#v-h").contains("% sure"), "{}", page.text("#v-h"));
    assert!(page.text("#fig-throughput").chars().any(|c| c.is_ascii_digit()));
    for bad in ["NaN", "inf", "undefined"] {
        assert!(!page.text(".answer").contains(bad), "{bad}");
    }
}

#[wasm_bindgen_test]
async fn every_change_shows() {
    let page = Mounted::new().await;
    let before = page.text("#fig-throughput");
    page.type_into("#workload-rl-max_response_length", "16k").await;
    page.type_into("#workload-rl-mean_response_length", "12k").await;
    page.says(".verdict-q", "16,384").await;
    page.changes("#fig-throughput", &before).await;
}

#[wasm_bindgen_test]
async fn a_wrong_field_is_named_and_the_answer_stays() {
    let page = Mounted::new().await;
    let before = page.text("#v-h");
    page.type_into("#hardware-gpus", "0").await;
    page.comes("#hardware-gpus[aria-invalid=true]").await;
    let input = page.find("#hardware-gpus");
    let described = input.get_attribute("aria-describedby").unwrap_or_default();
    assert!(!page.text(&format!("#{described}")).is_empty());
    page.comes(".verdict.is-stale").await;
    assert_eq!(page.text("#v-h"), before);
    page.type_into("#hardware-gpus", "8").await;
    page.comes(".verdict:not(.is-stale)").await;
    assert_eq!(page.find("#hardware-gpus").get_attribute("aria-invalid"), None);
}

#[wasm_bindgen_test]
async fn every_gpu_type_is_compared() {
    let page = Mounted::new().await;
    page.comes("#gpus .tab tbody tr").await;
    page.comes("#gpus[aria-busy=false]").await;
    page.comes("#gpus svg.c .bar").await;
    assert!(page.count("#gpus svg.c .bar") > 4);
    assert!(page.find("#gpus svg.c").get_attribute("style").is_none());
}

#[wasm_bindgen_test]
async fn another_language_keeps_the_question() {
    let page = Mounted::new().await;
    page.type_into("#hardware-gpus", "16").await;
    page.says(".verdict-q", "16 × ").await;
    let english = page.text("#v-h");
    page.press("#language").await;
    until("the verdict is Chinese", || page.text("#v-h").chars().any(|c| matches!(c, '一'..='龥'))).await;
    page.says(".verdict-q", "16").await;
    page.press("#language").await;
    page.says("#v-h", &english).await;
}

#[wasm_bindgen_test]
async fn a_plan_set_by_hand_is_given_back_to_the_search() {
    let page = Mounted::new().await;
    let searched = page.text(".chips");
    page.type_into("#plan-tensor_parallel", "4").await;
    page.says(".chips", "TP\u{a0}4").await;
    page.press("#free-plan").await;
    page.says(".chips", &searched).await;
    page.type_into("#plan-tensor_parallel", "3").await;
    page.comes("#plan-tensor_parallel-m:not(:empty)").await;
}

#[wasm_bindgen_test]
async fn an_empty_control_says_what_the_answer_used() {
    let page = Mounted::new().await;
    let says = |selector: &str| page.find(selector).get_attribute("placeholder").unwrap_or_default();
    assert_eq!(says("#hardware-gpus_per_node"), "8");
    assert!(says("#plan-tensor_parallel").starts_with("auto: "), "{}", says("#plan-tensor_parallel"));
    assert_eq!(says("#plan-rollout-speculative_speedup"), "auto: 1");
    assert!(says("#workload-rl-mini_batch").chars().all(|c| c.is_ascii_digit() || c == ','));
    let open = |selector: &str| page.text(&format!("{selector} option[value='']"));
    assert_eq!(open("#plan-rollout-engine").trim(), "auto: vLLM");
    assert_eq!(open("#workload-rl-reference").trim(), "auto: yes");
    assert_eq!(page.count("#plan-backend option"), 5);
    // What only another task has is empty there.
    page.choose("#workload-kind", "full").await;
    page.comes("#workload-sequence_length").await;
    until("the mean length is that of the longest", || says("#workload-mean_sequence_length") == "4,096").await;
}

#[wasm_bindgen_test]
async fn an_rl_step_says_the_most_that_fits_and_how_its_gpus_are_split() {
    let page = Mounted::new().await;
    page.press("#fold-memory > summary").await;
    page.comes("#limits tbody tr").await;
    assert_eq!(page.count("#limits tbody tr"), 2);
    for bad in ["NaN", "inf"] {
        assert!(!page.text("#limits").contains(bad), "{bad}");
    }
    let before = page.text("#fig-run");
    page.type_into("#workload-rl-oversampling", "3").await;
    page.changes("#fig-run", &before).await;
    page.type_into("#workload-rl-oversampling", "0.5").await;
    page.comes("#workload-rl-oversampling-m:not(:empty)").await;
    page.type_into("#workload-rl-oversampling", "").await;
    page.choose("#workload-rl-schedule", "one_step_off").await;
    let found = || {
        page.find("#workload-rl-train_gpus")
            .get_attribute("placeholder")
            .unwrap_or_default()
    };
    until("how many GPUs train is found", || {
        page.count("#workload-rl-train_gpus") == 1 && found().chars().any(|c| c.is_ascii_digit())
    })
    .await;
}

const RUNS: &str = r#"[
{"id":"a","source":"s","url":"javascript:alert(1)","date":"2024","group":"A","model":"m1","family":"f","gpu":"h100-sxm","gpus":8,"framework":"fsdp","precision":"bf16","headline":true,"link":"v=1","speed":{"measured":100,"predicted":110,"left_out":90,"low":80,"high":140}},
{"id":"b","source":"s","url":"https://b.example/","date":"2023","group":"B","model":"m0","family":"f","gpu":"h100-sxm","gpus":8,"framework":"fsdp","precision":"bf16","headline":false,"link":"v=1","speed":{"measured":200,"left_out":150},"memory":{"measured":60,"left_out":61}},
{"id":"c","source":"s","url":"https://c.example/","group":"B","model":"m2","gpu":"h100-sxm","gpus":8,"framework":"fsdp","precision":"bf16","headline":false,"link":"v=1","speed":{"measured":200,"predicted":150}}
]
"#;

const OVERVIEW: &str =
    r#"{"data":"1","coverage":0.8,"figures":[{"kind":"speed","by":"group","name":"B","case":"left_out","runs":1}]}"#;

#[wasm_bindgen_test]
async fn runs_are_points_and_rows_and_what_is_unknown_stays_out() {
    let page = Mounted::accuracy(OVERVIEW).await;
    page.comes("#runs tbody tr").await;
    assert_eq!(page.count("#runs tbody tr"), 2);
    assert_eq!(page.count("#plot-runs svg [class^=pt-]"), 2);
    assert_eq!(page.count("a[href^=javascript]"), 0);
    assert_eq!(page.count("#runs a[target=_blank]"), 1);
    // The files say no errors: there is no column for them, and no list of the largest.
    assert_eq!(page.count("#sort-error, .miss"), 0);
    for bad in ["NaN", "inf", "undefined"] {
        assert!(!page.text("main").contains(bad), "{bad}");
    }
    page.press("#sort-model").await;
    page.says("#runs tbody th", "m0").await;
    page.press("#tab-memory").await;
    until("the table has the one run that is left", || page.count("#runs tbody tr") == 1).await;
    until("the chart shows the one run that is left", || page.count("#plot-runs svg [class^=pt-]") == 1).await;
    // Nothing was measured there.
    page.press("#tab-step").await;
    until("no runs are left", || page.count("#runs tbody tr, .strip") == 0).await;
}

#[wasm_bindgen_test]
async fn a_damaged_file_is_said_and_asked_for_again() {
    let page = Mounted::accuracy(r#"{"figures":{}}"#).await;
    assert!(!page.text("[role=alert] b").is_empty());
    file_is("data-overview", OVERVIEW);
    page.press("#retry").await;
    page.comes("#runs tbody tr").await;
    assert_eq!(page.count("[role=alert]"), 0);
}
