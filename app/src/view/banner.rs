//! One line on top of the answer: a link that cannot be read, or of which something was left out, a new version.

use crate::view::prelude::*;

#[component]
pub(super) fn Banner(page: Page) -> impl IntoView {
    let text = page.text();
    // boot.js says when a new version waits, and changes to it when it is told to.
    let ready = RwSignal::new(browser::root_has("data-update"));
    let called = move |path: &str| page.lang.field(path).unwrap_or_else(|| path.to_owned());
    browser::listen("shardwise:update", move |_| ready.set(true));
    view! {
        {move || page.bad_link.get().map(|error| view! {
            <p class="callout callout-bad banner" role="alert" id="bad-link">
                <Icon name="i-warn"/>
                <span>{fill(text.banner_hash, &[&called(&error.field), &page.say(&error.message)])}</span>
                <Dismiss page act=move || page.bad_link.set(None)/>
            </p>
        })}
        {move || {
            let fields: Vec<String> = page.left_out.get().iter().map(|path| called(path)).collect();
            (!fields.is_empty()).then(|| view! {
                <p class="callout callout-info banner" role="status" id="left-out">
                    <Icon name="i-info"/>
                    <span>{fill(text.banner_left_out, &[&fields.join(page.lang.of([", ", "、"]))])}</span>
                    <Dismiss page act=move || page.left_out.set(Vec::new())/>
                </p>
            })
        }}
        {move || ready.get().then(|| view! {
            <p class="callout callout-info banner" id="update">
                <Icon name="i-info"/>
                <span>{text.update_ready}</span>
                <button class="btn btn-s" type="button" on:click=|_| browser::send("shardwise:update-accept")>
                    {text.update_now}
                </button>
                <Dismiss page act=move || ready.set(false)/>
            </p>
        })}
    }
}

/// The button that puts a line away.
#[component]
fn Dismiss(page: Page, #[prop(into)] act: Callback<()>) -> impl IntoView {
    view! {
        <button class="btn btn-s btn-q x" type="button" on:click=move |_| act.run(())>
            <Icon name="i-x"/>
            <span class="vh">{page.text().dismiss}</span>
        </button>
    }
}
