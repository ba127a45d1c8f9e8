//! A button that copies a text and says how it went.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::dom::{El, el, node, part, press};
use super::icons::icon;
use crate::browser;
use crate::text::Lang;

/// How long the button says how it went, in milliseconds.
const SAID_MS: u32 = 2000;

/// What the button says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    No,
    Yes,
    Selected,
}

/// A button that copies `text`. Where there is no clipboard it selects the element called `id`, to be copied by hand.
pub(super) fn button(lang: Lang, id: String, first: bool, copied_text: impl Fn() -> String + 'static) -> AnyView {
    copier(lang, id, first, Box::new(copied_text), None).into_any()
}

/// The first button of a text of which not all may be shown: `unfold` shows it, so that it can be selected. Its own id is
/// `code-copy-0` for `code-0`.
pub(super) fn folded(lang: Lang, id: String, copied_text: impl Fn() -> String + 'static, unfold: Box<dyn Fn()>) -> El {
    let own = id.replace("code-", "code-copy-");
    copier(lang, id, true, Box::new(copied_text), Some(unfold)).set("id", own)
}

/// A button that copies a text, compiled once for all texts.
#[inline(never)]
fn copier(
    lang: Lang,
    id: String,
    first: bool,
    copied_text: Box<dyn Fn() -> String>,
    unfold: Option<Box<dyn Fn()>>,
) -> El {
    let text = lang.text();
    let copied = RwSignal::new(Copied::No);
    let unfold = Rc::new(unfold);
    let copy = move || {
        let (id, unfold) = (id.clone(), Rc::clone(&unfold));
        browser::copy(&copied_text(), move |ok| {
            if !ok {
                unfold.iter().for_each(|unfold| unfold());
                browser::select(&id);
            }
            copied.set(if ok { Copied::Yes } else { Copied::Selected });
            Timeout::new(SAID_MS, move || copied.try_set(Copied::No).map_or((), drop)).forget();
        });
    };
    let class = move || match copied.get() {
        Copied::Yes => "btn btn-s btn-ok copy",
        _ if first => "btn btn-s btn-1 copy",
        _ => "btn btn-s copy",
    };
    let face = move || match copied.get() {
        Copied::No => vec![icon("i-copy"), node(text.copy)],
        Copied::Yes => vec![icon("i-check"), node(text.copied)],
        Copied::Selected => vec![icon("i-warn"), node(text.select_copy)],
    };
    el("BUTTON")
        .live("class", class)
        .set("type", "button")
        .set("aria-live", "polite")
        .on("click", press(copy))
        .child(part(face))
}

/// A button that saves `text` as a file.
pub(super) fn download(lang: Lang, file: String, saved_text: impl Fn() -> String + 'static) -> AnyView {
    el("BUTTON.btn btn-s download|type=button")
        .on("click", press(move || browser::download(&file, &saved_text())))
        .child(icon("i-down"))
        .child(lang.text().download)
        .into_any()
}
