//! The page of Shardwise.

use leptos::prelude::*;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    view! {
        <main>
            <h1>"Shardwise"</h1>
        </main>
    }
}
