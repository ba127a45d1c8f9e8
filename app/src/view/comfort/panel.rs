//! Panels over the page.

use crate::view::prelude::*;

/// A panel over the page with a heading; its inside is made when it opens.
#[component]
pub(super) fn Panel(page: Page, id: &'static str, title: &'static str, children: ChildrenFn) -> impl IntoView {
    let open = RwSignal::new(false);
    let heading = format!("{id}-h");
    view! {
        <section
            class="pop"
            popover="auto"
            id=id
            aria-labelledby=heading
            on:toggle=move |event| open.set(browser::opens(&event))
        >
            <header>
                <h2 id=heading.clone()>{title}</h2>
                <Close page of=id/>
            </header>
            {move || open.get().then(|| children())}
        </section>
    }
}

/// The button that closes the panel called `of`.
#[component]
pub(in crate::view) fn Close(page: Page, of: &'static str) -> impl IntoView {
    view! {
        <button class="btn btn-s btn-q" type="button" popovertargetaction="hide" popovertarget=of>
            <Icon name="i-x"/>
            <span class="vh">{page.text().close}</span>
        </button>
    }
}
