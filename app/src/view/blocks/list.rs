//! Lists: entries, terms, lines of code.

use leptos::tachys::view::iterators::StaticVec;

use super::host::{Host, each, some};
use super::line::{icon, paragraph, runs, span};
use crate::protocol::blocks::{self, Entry, Listed, Run, Sign, Term, Tone};
use crate::view::prelude::*;

/// A list.
#[component]
pub(super) fn Entries(host: Host, entries: blocks::Entries) -> impl IntoView {
    let blocks::Entries { listed, entries } = entries;
    let signs = listed == Listed::Findings;
    let items = each(entries, |entry| item(host, entry, signs));
    match listed {
        Listed::Advice => view! { <ol class="adv">{items}</ol> },
        Listed::Changes => view! { <ol class="readc">{items}</ol> },
        other => {
            let class = match other {
                Listed::Ways => "ways",
                Listed::Findings => "reads",
                Listed::Verdicts => "reada",
                Listed::Settings => "read-list",
                Listed::Runs => "near-runs",
                _ => "asm",
            };
            view! { <ul class=class>{items}</ul> }
        }
    }
}

/// An entry, with the icon of its tone where `signs`.
fn item(host: Host, entry: Entry, signs: bool) -> AnyView {
    let Entry { id, tone, lines } = entry;
    let (class, sign) = match tone {
        Tone::Plain => ("", ""),
        Tone::Info => ("r-info", "i-info"),
        Tone::Good => ("r-ok", "i-check"),
        Tone::Warn => ("r-warn", "i-warn"),
        Tone::Bad => ("r-bad", "i-x"),
    };
    let lines = lines.into_iter().filter(|line| !line.is_empty());
    let lines = lines.map(|line| paragraph("", None, None, runs(host, line)));
    let parts: Vec<AnyView> = signs.then(|| icon(sign)).into_iter().chain(lines).collect();
    view! { <li class=class id=some(id)>{StaticVec::from(parts)}</li> }
}

/// What the letters of a formula stand for.
#[component]
pub(super) fn Terms(host: Host, terms: Vec<Term>) -> impl IntoView {
    let terms = each(terms, |Term { symbol, meaning, value }| {
        let symbol = match symbol {
            Run::Words(words) => Run::Symbol(words),
            other => other,
        };
        let value = some(value).map(Run::Strong);
        view! {
            <div>
                <dt>{runs(host, vec![symbol])}</dt>
                <dd>{span("", meaning)} {runs(host, value.into_iter().collect())}</dd>
            </div>
        }
    });
    view! { <dl class="calc">{terms}</dl> }
}

/// Lines of code: by itself where all of it is shown, else in a frame that scrolls.
#[component]
pub(super) fn Listing(listing: blocks::Listing) -> impl IntoView {
    let blocks::Listing { id, name, lines } = listing;
    if name.is_empty() {
        let text: String = lines.into_iter().map(|(_, line)| line).collect();
        return view! { <pre class="quote" id=some(id)>{text}</pre> };
    }
    let lines = each(lines, |(sign, line)| {
        let class = match sign {
            Sign::Stays => "ln",
            Sign::Comes => "ln d-in",
            Sign::Goes => "ln d-out",
            Sign::Place => "ln d-at",
        };
        span(class, line)
    });
    view! {
        <pre class="code" tabindex="0" role="region" aria-label=name>
            <code id=some(id)>{lines}</code>
        </pre>
    }
}
