//! What the page asks of the browser. Nothing here may fail the page: storage may be forbidden,
//! the clipboard missing, the page in a frame.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Element, Event, HtmlElement, RequestInit, Storage, Worker};

use crate::busy::Work;
use crate::follow::follow;

/// The window; `None` outside a browser.
pub(crate) fn window() -> Option<web_sys::Window> {
    web_sys::window()
}

pub(crate) fn document() -> Option<web_sys::Document> {
    window().and_then(|window| window.document())
}

fn root() -> Option<HtmlElement> {
    document()?.document_element()?.dyn_into().ok()
}

/// The commit that the site was built of, as its pages say; empty where they do not.
pub(crate) fn commit() -> String {
    root().and_then(|root| root.get_attribute("data-commit")).unwrap_or_default()
}

/// The site's version with its commit, where it is known, as <https://semver.org> has it.
pub(crate) fn exact_version() -> String {
    let (version, commit) = (env!("CARGO_PKG_VERSION"), commit());
    if commit.is_empty() { version.to_owned() } else { format!("{version}+{commit}") }
}

/// Sets an attribute of the root element, or takes it away.
pub(crate) fn set_root(name: &str, value: Option<&str>) {
    if let Some(root) = root() {
        let _ = match value {
            Some(value) => root.set_attribute(name, value),
            None => root.remove_attribute(name),
        };
    }
}

/// Shows the page in the place of what stood there until it could be.
pub(crate) fn take_over() {
    if let Some(boot) = element("boot") {
        boot.remove();
    }
}

/// Says that the page is whole, to what loads it and to those who wait for it.
pub(crate) fn ready() {
    set_root("data-ready", Some("1"));
}

/// The engine's worker that `boot.js` has started; nothing where there is none any more.
pub(crate) fn take_engine() -> Option<Worker> {
    let window = window()?;
    let name = "shardwiseEngine".into();
    let worker = js_sys::Reflect::get(&window, &name).ok()?.dyn_into().ok()?;
    let _ = js_sys::Reflect::delete_property(&window, &name);
    Some(worker)
}

/// Asks for the page anew.
pub(crate) fn reload() {
    if let Some(window) = window() {
        let _ = window.location().reload();
    }
}

/// Whether the root element has an attribute.
pub(crate) fn root_has(name: &str) -> bool {
    root().is_some_and(|root| root.has_attribute(name))
}

/// Sends an event to whoever listens on the window.
pub(crate) fn send(name: &str) {
    if let (Some(window), Ok(event)) = (window(), web_sys::Event::new(name)) {
        let _ = window.dispatch_event(&event);
    }
}

/// Sets the title of the document.
pub(crate) fn set_title(title: &str) {
    if let Some(document) = document() {
        document.set_title(title);
    }
}

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

/// How many cores there are, as far as the browser says.
pub(crate) fn cores() -> usize {
    window().map_or(1, |window| window.navigator().hardware_concurrency() as usize)
}

/// Languages the person prefers, best first.
pub(crate) fn preferred_language() -> Option<String> {
    window()?.navigator().language()
}

/// The part of the address after `#`.
pub(crate) fn hash() -> String {
    let hash = window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    hash.trim_start_matches('#').to_owned()
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

/// What the root element says under a name.
pub(crate) fn root_says(name: &str) -> Option<String> {
    root()?.get_attribute(name)
}

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

/// The named values that the part of the address after `#` holds.
pub(crate) fn hash_values() -> Option<web_sys::UrlSearchParams> {
    web_sys::UrlSearchParams::new_with_str(&hash()).ok()
}

/// Where a pointer is, from the corner of an element, in pixels.
pub(crate) fn pointer_in(id: &str, event: web_sys::Event) -> Option<(i32, i32)> {
    let place = element(id)?.get_bounding_client_rect();
    let event: web_sys::MouseEvent = event.dyn_into().ok()?;
    let from = |at: i32, edge: f64| (f64::from(at) - edge).round() as i32;
    Some((from(event.client_x(), place.left()), from(event.client_y(), place.top())))
}

/// An element by its name.
pub(crate) fn element(id: &str) -> Option<Element> {
    document()?.get_element_by_id(id)
}

fn html(id: &str) -> Option<HtmlElement> {
    element(id)?.dyn_into().ok()
}

/// Brings a part of the page into view and moves the keyboard there. The address stays: its hash
/// holds the question.
pub(crate) fn jump(id: &str) {
    let Some(element) = element(id) else { return };
    lay_out();
    let _ = element.set_attribute("tabindex", "-1");
    focus(id);
    // After the focus, which brings the middle of what is long into view.
    element.scroll_into_view();
}

/// Where an element begins, from the top of the window, in pixels; `None` where it is not there.
pub(crate) fn top_of(id: &str) -> Option<f64> {
    Some(element(id)?.get_bounding_client_rect().top())
}

/// Whether the page is scrolled, and to its end.
pub(crate) fn is_at_end() -> bool {
    let Some((window, root)) = window().zip(root()) else {
        return false;
    };
    let seen = window
        .inner_height()
        .ok()
        .and_then(|height| height.as_f64())
        .unwrap_or_default();
    let from = window.scroll_y().unwrap_or_default();
    from > 0.0 && from + seen >= f64::from(root.scroll_height()) - 2.0
}

/// Where what stays on top of the window ends, in pixels.
pub(crate) fn bars_end() -> f64 {
    let bars = document().and_then(|document| document.query_selector_all(".top, .dock").ok());
    let bars = bars
        .into_iter()
        .flat_map(|all| (0..all.length()).filter_map(move |place| all.get(place)));
    let ends = bars.filter_map(|bar| {
        let bar = bar.dyn_into::<Element>().ok()?.get_bounding_client_rect();
        // On a narrow screen the dock is at its foot.
        (bar.top() < bar.height() + 100.0).then(|| bar.bottom())
    });
    ends.fold(0.0, f64::max)
}

/// Whether the part that folds, whose event it is, is open.
pub(crate) fn is_open(event: &Event) -> bool {
    let from: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
    from.is_some_and(|from| from.has_attribute("open"))
}

/// Gives all that is far its true height, which what stands below it needs to be found at its place (base.css).
fn lay_out() {
    set_root("data-laid", Some("1"));
}

/// Puts away the popover that an element stands in.
pub(crate) fn close_popover_of(element: &Element) {
    if let Ok(Some(popover)) = element.closest("[popover]") {
        let _ = popover.unchecked_into::<HtmlElement>().hide_popover();
    }
}

/// Whether a popover's event says that it opens.
pub(crate) fn opens(event: &web_sys::Event) -> bool {
    let state = js_sys::Reflect::get(event, &"newState".into()).unwrap_or_default();
    state.as_string().as_deref() == Some("open")
}

/// Presses a button.
pub(crate) fn click(id: &str) {
    if let Some(element) = html(id) {
        element.click();
    }
}

/// Whether a key goes into a field, a list or a button's own keys, and so is no shortcut.
pub(crate) fn types(event: &web_sys::Event) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| {
        let own = "input:not([type=radio],[type=checkbox]), textarea, select, [contenteditable], [role=tab]";
        target.matches(own).unwrap_or(true)
    })
}

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

/// The day, as `YYYY-MM-DD`.
pub(crate) fn today() -> String {
    let now: String = js_sys::Date::new_0().to_iso_string().into();
    now.get(..10).unwrap_or_default().to_owned()
}

/// Puts a popover away; the keyboard goes back to what opened it.
pub(crate) fn close_popover(id: &str) {
    if let Some(element) = html(id) {
        let _ = element.hide_popover();
    }
}

/// Shows a popover; nothing where it is shown already.
pub(crate) fn show_popover(id: &str) {
    if let Some(element) = html(id) {
        let _ = element.show_popover();
    }
}

/// Scrolls what is around an element just as far as it takes to see it.
pub(crate) fn reveal(id: &str) {
    if let Some(element) = element(id) {
        let how = web_sys::ScrollIntoViewOptions::new();
        how.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&how);
    }
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

/// Shows a message whose control has the keyboard; those that lie over what has it stand above their controls.
pub(crate) fn show_message(id: &str, control: &str) {
    if has_focus(control) {
        reveal(id);
    }
    uncover();
}

/// Puts messages of the form above their controls that would lie over what has the keyboard, and the others below.
pub(crate) fn uncover() {
    let Some(document) = document() else { return };
    let (Some(active), Ok(all)) = (document.active_element(), document.query_selector_all(".ask .msg")) else {
        return;
    };
    let at = active.get_bounding_client_rect();
    for place in 0..all.length() {
        let Some(message) = all.item(place).and_then(|node| node.dyn_into::<Element>().ok()) else { continue };
        let _ = message.remove_attribute("data-above");
        let own = message.get_bounding_client_rect();
        let apart = own.right() <= at.left()
            || own.left() >= at.right()
            || own.bottom() <= at.top()
            || own.top() >= at.bottom();
        let around = message.parent_element().is_some_and(|field| field.contains(Some(&active)));
        let over = !apart && !around && active.closest(".ask").is_ok_and(|form| form.is_some());
        let _ = message.toggle_attribute_with_force("data-above", over);
    }
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

/// Hears an event of the window for as long as what asked for it stands.
pub(crate) fn listen(event: &'static str, act: impl FnMut(&Event) + 'static) {
    listen_boxed(event, Box::new(act));
}

#[inline(never)]
fn listen_boxed(event: &'static str, act: Box<dyn FnMut(&Event)>) {
    if let Some(window) = window() {
        let options = EventListenerOptions::enable_prevent_default();
        // Dropped with the owner of the moment, and with it what it would have done to signals that are gone.
        StoredValue::new_local(EventListener::new_with_options(&window, event, options, act));
    }
}

/// The element that has the keyboard.
fn active() -> Option<Element> {
    document()?.active_element()
}

/// Whether the keyboard is at an element.
pub(crate) fn has_focus(id: &str) -> bool {
    active().is_some_and(|active| active.id() == id)
}

/// Whether the keyboard is nowhere: what it was at is gone.
pub(crate) fn lost_focus() -> bool {
    active().is_none_or(|active| active.tag_name().eq_ignore_ascii_case("body"))
}

/// Whether the keyboard is in what a selector names.
pub(crate) fn focus_is_in(selector: &str) -> bool {
    active().is_some_and(|active| matches!(active.closest(selector), Ok(Some(_))))
}

/// Moves the keyboard to an element.
pub(crate) fn focus(id: &str) {
    if let Some(element) = html(id) {
        let _ = element.focus();
    }
}

/// Moves the keyboard to an element that is yet to be drawn.
pub(crate) fn focus_next(id: &str) {
    let id = id.to_owned();
    after(0, Box::new(move || focus(&id))).forget();
}

/// Gives the keyboard to the first button in an element.
pub(crate) fn focus_first(id: &str) {
    let button = element(id).and_then(|element| element.query_selector("button").ok()?);
    if let Some(Ok(button)) = button.map(|button| button.dyn_into::<HtmlElement>()) {
        let _ = button.focus();
    }
}

/// Lets the arrows move the keyboard among the marks of a chart, each of which its tip follows. Escape leaves, and so
/// puts the tip away. Tab leads past what is far.
pub(crate) fn follow_keys() {
    listen("keydown", step_focus);
}

fn step_focus(event: &Event) {
    let pressed = event.dyn_ref::<web_sys::KeyboardEvent>();
    let target = event.target().and_then(|on| on.dyn_into::<Element>().ok());
    let (Some(pressed), Some(target)) = (pressed, target) else {
        return;
    };
    if pressed.key() == "Tab" {
        // From below the form, or backwards from the address bar to the last stop.
        let from = if pressed.shift_key() { "body, main :not(.ask *)" } else { "main :not(.ask *)" };
        if target.matches(from).unwrap_or(false) {
            lay_out();
        }
    }
    if !target.class_list().contains("hit") {
        return;
    }
    let step = match pressed.key().as_str() {
        "ArrowRight" | "ArrowDown" => Element::next_element_sibling,
        "ArrowLeft" | "ArrowUp" => Element::previous_element_sibling,
        "Escape" => {
            // Elements of SVG take the focus as those of HTML do.
            let _ = target.unchecked_into::<HtmlElement>().blur();
            return;
        }
        _ => return,
    };
    event.prevent_default();
    if let Some(next) = step(&target).and_then(|tip| step(&tip)) {
        let _ = next.unchecked_into::<HtmlElement>().focus();
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

/// Selects the text of an element, so that a person can copy it by hand.
pub(crate) fn select(id: &str) {
    if let (Some(window), Some(element)) = (window(), element(id))
        && let Ok(Some(selection)) = window.get_selection()
    {
        let _ = selection.select_all_children(&element);
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

thread_local! {
    /// Whether the page is about to be printed.
    static PRINTING: Cell<bool> = const { Cell::new(false) };
}

/// Does `before` as the page is about to be printed, and `after` once it has been. What `before` shows is drawn at once.
pub(crate) fn follow_printer(before: impl Fn() + 'static, after: impl Fn() + 'static) {
    listen("beforeprint", move |_| {
        PRINTING.set(true);
        before();
    });
    listen("afterprint", move |_| {
        PRINTING.set(false);
        after();
    });
}

/// The width of an element's content in pixels, followed as it changes; 0 until it is there.
pub(crate) fn follow_width(id: String) -> RwSignal<u32> {
    let width = RwSignal::new(0);
    // Effects run once the element is in the page.
    follow(move || {
        let Some(element) = element(&id) else { return };
        // Paper waits for no observer.
        if PRINTING.get() {
            width.set(element.client_width().max(0) as u32);
        }
        let measured = element.clone();
        let update = move || {
            let now = measured.client_width().max(0) as u32;
            // Each in a task of its own: several charts have their widths at once.
            soon(move || {
                if now > 0 && width.try_get_untracked().is_some_and(|before| before != now) {
                    width.set(now);
                }
            });
        };
        // The observer reports the first width too, once it is known.
        let on_resize = Closure::<dyn FnMut()>::new(update);
        let Ok(observer) = web_sys::ResizeObserver::new(on_resize.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&element);
        let kept = StoredValue::new_local((observer, on_resize));
        on_cleanup(move || {
            let _ = kept.try_with_value(|(observer, _)| observer.disconnect());
        });
    });
    width
}
