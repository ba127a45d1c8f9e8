//! What several parts of the accuracy page are made of.

use super::state::Page;
use crate::runs::Run;
use crate::view::prelude::*;

/// Says that a file did not come, and asks for it again.
#[component]
pub(super) fn Failure(page: Page, why: &'static str, again: impl Fn() + 'static) -> impl IntoView {
    let text = page.text();
    view! {
        <div class="callout callout-bad failed" role="alert">
            <Icon name="i-warn"/>
            <p><b>{text.failed}</b>{why}</p>
            <button class="btn" type="button" id="retry" on:click=move |_| again()>{text.retry}</button>
        </div>
    }
}

/// The way to a run's source by a name of it; the name alone where the file holds no address of the web.
#[component]
pub(super) fn Source<'a>(page: Page, run: &'a Run, name: String) -> impl IntoView {
    match run.address() {
        None => view! { <span>{name}</span> },
        Some(address) => view! {
            <a href=address.to_owned() target="_blank" rel="noopener noreferrer">
                {name}<span class="vh">" "{page.text().new_tab}</span>
            </a>
        },
    }
}
