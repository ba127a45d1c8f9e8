//! The published runs that are most like the question, beside the verdict that they support.

use serde_json::Value;
use shardwise_core::task::Task;

use super::sheet;
use crate::page::{Page, Step};
use crate::protocol::state;
use crate::sheets::near::FILES;
use crate::view::prelude::*;

/// Asks for them once the page and its charts stand: the first answer waits for none of this.
fn order(page: Page) {
    let files = FILES.map(|named| Some((named.to_owned(), Value::from(browser::root_says(named)?))));
    let files: Option<Vec<(String, Value)>> = files.into_iter().collect();
    let Some(files) = files else { return };
    page.sheet(Name::Near).state.set(state(files));
    let stands = RwSignal::new(false);
    follow(move || {
        let now = page.built[Step::Closing as usize].get() && !page.market().rows.is_empty();
        if now && !stands.get_untracked() {
            stands.set(true);
        }
    });
    sheet::order(page, Name::Near, Box::new(move || stands.get()));
}

/// The address of all runs, at the tab of the task's.
fn all(page: Page) -> String {
    let kind = match page.kind().task() {
        Task::Train | Task::Prefer(_) => "",
        Task::Rl(_) => "#kind=step",
        Task::Generate => "#kind=generation",
    };
    page.look.address_of("accuracy/") + kind
}

#[component]
pub(super) fn Near(page: Page) -> impl IntoView {
    order(page);
    let text = page.text();
    view! {
        <section class="near-v" id="near" aria-labelledby="near-h">
            <header>
                <h3 id="near-h">{text.near}</h3>
                <a href=move || all(page)>{text.near_all}</a>
            </header>
            {sheet::host(page, Name::Near)}
        </section>
    }
}
