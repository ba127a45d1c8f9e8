//! How it was measured, and the files themselves.

use super::state::{OVERVIEW, Page};
use crate::runs::{GENERATION, RUNS};
use crate::text::your_run::TITLE;
use crate::view::prelude::*;

pub(super) fn method(page: Page) -> AnyView {
    let text = page.text();
    let interval = move || fill(text.method_interval, &[&page.coverage()]);
    let files = [
        (RUNS, "shardwise-runs.json", text.file_runs),
        (GENERATION, "shardwise-generation.json", text.file_generation),
        (OVERVIEW, "shardwise-errors.json", text.file_overview),
    ];
    let files = files.map(|(named, name, words)| {
        let address = browser::root_says(named).unwrap_or_default();
        view! { <li><a href=address download=name>{words}</a></li> }
    });
    view! {
        <section class="block prose" aria-labelledby="method-h">
            <h2 id="method-h">{text.method}</h2>
            <p>{text.method_run}</p>
            <p>{text.method_left_out}</p>
            <p>{text.method_headline}</p>
            <p>{text.method_memory}</p>
            <p>{text.method_generation}</p>
            <p>{text.method_step}</p>
            <p>{interval}</p>
            <ul class="files">{files.collect_view()}</ul>
            <p><a href=Document::YourRun.address(page.lang)>{page.lang.said(&TITLE)}</a></p>
        </section>
    }
}
