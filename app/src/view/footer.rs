//! Where the numbers come from, and how to say that one is wrong.

use super::erased::{live, press_link};
use leptos::prelude::*;
use shardwise_core::catalog;

use crate::page::Page;

pub(super) fn view(page: Page) -> AnyView {
    let fact = |name: fn(&crate::text::Text) -> &'static str, value: &'static str| {
        view! { <div><dt>{name(page.text())}</dt><dd>{value}</dd></div> }
    };
    view! {
        <footer class="foot">
            <div class="foot-in">
                <p class="foot-about"><b>"Shardwise"</b> " " {page.text().about}</p>
                <dl class="foot-facts">
                    {fact(|text| text.data, catalog::VERSION)}
                    {fact(|text| text.prices, catalog::PRICES_AS_OF)}
                    {fact(|text| text.build, env!("CARGO_PKG_VERSION"))}
                    {fact(|text| text.licence, "Apache-2.0 OR MIT")}
                </dl>
                <details class="foot-report more" id="report">
                    <summary>{page.text().report}</summary>
                    <p>{page.text().report_how}</p>
                    <p><a href=live(move || page.link()) on:click=press_link(|| ())>{live(move || page.link())}</a></p>
                </details>
            </div>
        </footer>
    }
    .into_any()
}
