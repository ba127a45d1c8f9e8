//! The question: a form that is never submitted, because every change is answered at once.

pub(super) mod framework;
pub(super) mod hardware;
mod model;
pub(super) mod picker;
pub(super) mod plan;
mod start;
mod values;
mod workload;

use crate::browser;
use crate::view::dom::{all, el, node, part, press, press_link};
use crate::view::steps::at;
use leptos::prelude::*;

use super::controls::describe;
use super::icons::icon;
use crate::page::Page;

pub(super) fn view(page: Page) -> AnyView {
    el("FORM.ask|aria-labelledby=ask-h")
        .on("submit", press_link(|| ()))
        // A message lies over what is below its control, unless that has the keyboard.
        .on("focusin", press(browser::uncover))
        .child(
            el("DIV.ask-in")
                .child(el("H2|id=ask-h").child(page.text().your_question))
                .child(at(page, 1, about_hardware))
                .child(at(page, 2, about_training))
                .child(
                    el("P.ask-f").child(
                        el("BUTTON.btn btn-s btn-q|type=button|id=reset")
                            .on("click", press(move || page.reset()))
                            .child(page.text().reset),
                    ),
                ),
        )
        .into_any()
}

fn about_hardware(page: Page) -> AnyView {
    node(vec![framework::view(page), start::view(page), other_errors(page), model::view(page), hardware::view(page)])
}

fn about_training(page: Page) -> AnyView {
    node(vec![workload::view(page), plan::view(page)])
}

/// Errors about values that have no control here: they came with a link.
fn other_errors(page: Page) -> AnyView {
    part(move || {
        let errors = page.wrong();
        let others: Vec<_> = errors.into_iter().filter(|error| error.field.is_none()).collect();
        (!others.is_empty()).then(|| {
            let lines = others.into_iter().map(|error| {
                let words = describe(page, &error);
                el("P.callout callout-bad").child(icon("i-x")).child(el("SPAN").child(words))
            });
            all(lines)
        })
    })
}
