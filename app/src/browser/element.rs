//! Parts of the page: where they are, how wide, what is folded and what lies over them.

use std::cell::Cell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, Event, HtmlElement};

use super::document::{document, listen, root, set_root, window};
use super::keyboard::{focus, has_focus};
use super::time::soon;
use crate::follow::follow;

/// An element by its name.
pub(crate) fn element(id: &str) -> Option<Element> {
    document()?.get_element_by_id(id)
}

pub(super) fn html(id: &str) -> Option<HtmlElement> {
    element(id)?.dyn_into().ok()
}

/// Presses a button.
pub(crate) fn click(id: &str) {
    if let Some(element) = html(id) {
        element.click();
    }
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

/// Gives all that is far its true height, which what stands below it needs to be found at its place (base.css).
pub(super) fn lay_out() {
    set_root("data-laid", Some("1"));
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

/// Scrolls what is around an element just as far as it takes to see it.
pub(crate) fn reveal(id: &str) {
    if let Some(element) = element(id) {
        let how = web_sys::ScrollIntoViewOptions::new();
        how.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&how);
    }
}

/// Where a pointer is, from the corner of an element, in pixels.
pub(crate) fn pointer_in(id: &str, event: Event) -> Option<(i32, i32)> {
    let place = element(id)?.get_bounding_client_rect();
    let event: web_sys::MouseEvent = event.dyn_into().ok()?;
    let from = |at: i32, edge: f64| (f64::from(at) - edge).round() as i32;
    Some((from(event.client_x(), place.left()), from(event.client_y(), place.top())))
}

/// Whether the part that folds, whose event it is, is open.
pub(crate) fn is_open(event: &Event) -> bool {
    let from: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
    from.is_some_and(|from| from.has_attribute("open"))
}

/// Whether a popover's event says that it opens.
pub(crate) fn opens(event: &Event) -> bool {
    let state = js_sys::Reflect::get(event, &"newState".into()).unwrap_or_default();
    state.as_string().as_deref() == Some("open")
}

/// Shows a popover; nothing where it is shown already.
pub(crate) fn show_popover(id: &str) {
    if let Some(element) = html(id) {
        let _ = element.show_popover();
    }
}

/// Puts a popover away; the keyboard goes back to what opened it.
pub(crate) fn close_popover(id: &str) {
    if let Some(element) = html(id) {
        let _ = element.hide_popover();
    }
}

/// Puts away the popover that an element stands in.
pub(crate) fn close_popover_of(element: &Element) {
    if let Ok(Some(popover)) = element.closest("[popover]") {
        let _ = popover.unchecked_into::<HtmlElement>().hide_popover();
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
