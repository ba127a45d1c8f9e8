//! The command line's page: for whoever has no WebAssembly, a cluster without a browser, or a thousand questions.

use super::guide::{code, names};
use crate::sheets::example;
use crate::text::guides::EXITS;
use crate::text::{COMMANDS, Lang};
use crate::view::prelude::*;

/// How to get it, how to ask it, what it does.
#[component]
pub(super) fn CommandLine(lang: Lang) -> impl IntoView {
    let words = lang.sheets();
    view! {
        <section>
            <h2>{words.get_it}</h2>
            <p>{words.get_it_how}</p>
            {code("cargo install --locked --profile fast --path core --features cli")}
        </section>
        <section>
            <h2>{words.ask_it}</h2>
            <p>{words.ask_it_how}</p>
            {code(example::commands())}
            {example::answer().map(code)}
        </section>
        <section>
            <h2>{words.commands}</h2>
            {names(COMMANDS, lang)}
            <p>{words.commands_more}</p>
        </section>
        <section>
            <h2>{words.exits}</h2>
            {names(EXITS, lang)}
        </section>
        <section>
            <h2>{words.without_network}</h2>
            <p>{words.without_network_how}</p>
            {code("make cli\nshardwise serve")}
        </section>
    }
}
