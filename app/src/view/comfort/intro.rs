//! The introduction: five places of the page, one after the other. It blocks nothing, and comes once.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::browser;
use crate::page::{INTRO_SEEN, Page};
use crate::text::{Text, fill};
use crate::view::dom::{El, el, part, press};
use crate::view::icons::icon;

/// What the style sheet marks the places by.
const MARK: &str = "data-intro";

/// A step: the element that it is about, its heading, its sentence.
type Step = (&'static str, fn(&Text) -> [&'static str; 2]);

const STEPS: [Step; 5] = [
    ("model", |text| [text.intro_model, text.intro_model_how]),
    ("hardware-gpu", |text| [text.intro_gpu, text.intro_gpu_how]),
    ("v-h", |text| [text.intro_verdict, text.intro_verdict_how]),
    ("gpus", |text| [text.intro_charts, text.intro_charts_how]),
    ("flags", |text| [text.intro_flags, text.intro_flags_how]),
];

/// Begins it, whether it was seen or not.
pub(super) fn start(page: Page) {
    go(page, 1);
    // It is not there yet.
    browser::soon(|| browser::focus("intro"));
}

/// Goes to a step, from 1; to 0 and beyond the last ends it.
fn go(page: Page, step: usize) {
    let place = step.checked_sub(1).and_then(|place| STEPS.get(place));
    match place {
        Some((id, _)) => {
            page.intro.set(step);
            browser::set_root(MARK, Some(&step.to_string()));
            browser::reveal(id);
        }
        None => {
            page.intro.set(0);
            browser::set_root(MARK, None);
            browser::store(INTRO_SEEN, "1");
        }
    }
}

/// Goes to a step and moves the keyboard's focus to the introduction: the button that was pressed may be gone.
fn turn(page: Page, step: usize) {
    go(page, step);
    browser::soon(|| browser::focus("intro"));
}

pub(super) fn view(page: Page) -> AnyView {
    let first = page.intro.get_untracked();
    browser::set_root(MARK, (first > 0).then(|| first.to_string()).as_deref());
    part(move || {
        let step = page.intro.get();
        let (_, words) = STEPS.get(step.checked_sub(1)?)?;
        Some(panel(page, step, words(page.text())))
    })
}

fn panel(page: Page, step: usize, [title, how]: [&'static str; 2]) -> El {
    let text = page.text();
    let leave = move |event: web_sys::Event| {
        let pressed = event.dyn_ref::<web_sys::KeyboardEvent>();
        if pressed.is_some_and(|pressed| pressed.key() == "Escape") {
            go(page, 0);
        }
    };
    let last = step == STEPS.len();
    let back = (step > 1).then(|| {
        el("BUTTON.btn btn-s|type=button")
            .on("click", press(move || turn(page, step - 1)))
            .child(text.intro_back)
    });
    let count = fill(text.intro_of, &[&step.to_string(), &STEPS.len().to_string()]);
    el("SECTION.intro|id=intro|tabindex=-1|aria-labelledby=intro-h")
        .on("keydown", Box::new(leave))
        .child(
            el("HEADER")
                .child(el("H2|id=intro-h").child(title))
                .child(el("SPAN.muted").child(count))
                .child(
                    el("BUTTON.btn btn-s btn-q|type=button|id=intro-end")
                        .on("click", press(move || go(page, 0)))
                        .child(icon("i-x"))
                        .child(el("SPAN.vh").child(text.intro_end)),
                ),
        )
        .child(el("P").child(how))
        .child(
            el("P.intro-f").child(back).child(
                el("BUTTON.btn btn-s btn-1|type=button|id=intro-next")
                    .on("click", press(move || turn(page, step + 1)))
                    .child(if last { text.intro_done } else { text.intro_next }),
            ),
        )
}
