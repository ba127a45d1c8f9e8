//! The question: a form that is never submitted, because every change is answered at once.

pub(super) mod framework;
pub(super) mod hardware;
mod model;
pub(super) mod picker;
pub(super) mod plan;
pub(super) mod prices;
mod start;
mod workload;

use framework::Framework;
use hardware::Gpus;
use model::Model;
use plan::Plan;
use start::Start;
use workload::Workload;

use super::controls::describe;
use super::icons::Refusal;
use super::steps::Built;
use crate::view::prelude::*;

#[component]
pub(super) fn Ask(page: Page) -> impl IntoView {
    view! {
        <form
            class="ask"
            aria-labelledby="ask-h"
            on:submit=|event| event.prevent_default()
            // A message lies over what is below its control, unless that has the keyboard.
            on:focusin=|_| browser::uncover()
        >
            <div class="ask-in">
                <h2 id="ask-h">{page.text().your_question}</h2>
                <Built page at=Step::Start>
                    <Framework page/>
                    <Start page/>
                    <OtherErrors page/>
                </Built>
                <Built page at=Step::Model>
                    <Model page/>
                </Built>
                <Built page at=Step::Machine>
                    <Gpus page/>
                </Built>
                <Built page at=Step::Task>
                    <Workload page/>
                    <Plan page/>
                </Built>
                <p class="ask-f">
                    <button class="btn btn-s btn-q" type="button" id="reset" on:click=move |_| page.reset()>
                        {page.text().reset}
                    </button>
                </p>
            </div>
        </form>
    }
}

/// Errors about values that have no control here: they came with a link.
#[component]
fn OtherErrors(page: Page) -> impl IntoView {
    move || {
        let errors = page.wrong().into_iter().filter(|error| error.field.is_none());
        let lines = errors.map(|error| view! { <Refusal words=describe(page, &error)/> });
        lines.collect_view()
    }
}
