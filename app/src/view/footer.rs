//! Where the numbers come from, and how to say that one is wrong.

use leptos::prelude::*;
use shardwise_core::catalog;

use crate::page::Page;

pub(super) fn view(page: Page) -> AnyView {
    let fact = |name: fn(&crate::text::Text) -> &'static str, value: &'static str| {
        view! { <div><dt>{move || name(page.text())}</dt><dd>{value}</dd></div> }
    };
    view! {
        <footer class="foot">
            <div class="foot-in">
                <p class="foot-about"><b>"Shardwise"</b> " " {move || page.text().about}</p>
                <dl class="foot-facts">
                    {fact(|text| text.data, catalog::VERSION)}
                    {fact(|text| text.prices, catalog::PRICES_AS_OF)}
                    {fact(|text| text.build, env!("CARGO_PKG_VERSION"))}
                    {fact(|text| text.licence, "Apache-2.0 OR MIT")}
                </dl>
                <details class="foot-report more" id="report">
                    <summary>{move || page.text().report}</summary>
                    <p>{move || page.text().report_how}</p>
                    <p><a href=move || page.link() on:click=|event| event.prevent_default()>{move || page.link()}</a></p>
                </details>
            </div>
        </footer>
    }
    .into_any()
}
