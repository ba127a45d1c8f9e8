//! Parts under a heading, and what is folded away.

use super::Blocks;
use super::host::{Host, each, some};
use super::line::{Press, icon, runs};
use crate::protocol::blocks::{self, Purpose};
use crate::view::prelude::*;

/// Parts under a heading.
#[component]
pub(super) fn Section(host: Host, section: blocks::Section) -> impl IntoView {
    let blocks::Section { id, purpose, title, tools, blocks } = section;
    let class = match purpose {
        Purpose::Comparison => "block cmp",
        Purpose::Pair => "cmp",
        Purpose::Texts => "cmp-text",
        Purpose::Diff => "diff",
        Purpose::Basis => "asm-in",
        Purpose::Explanation => "how-in",
        Purpose::Remedy => "remedy",
        Purpose::Folds => "read-groups",
        Purpose::Group => "",
    };
    // Named after its section, else after the sheet.
    let named = if id.is_empty() { host.name.map_or("", |name| name.word()).to_owned() } else { id.clone() };
    let heading = some(named).map(|name| format!("{name}-h"));
    let whole = purpose == Purpose::Comparison;
    let label = heading.clone().filter(|_| whole);
    let has_title = !title.is_empty();
    let title = runs(host, title);
    let title = has_title.then(|| {
        if whole {
            view! { <h2 id=heading>{icon("i-pin")}<span>{title}</span></h2> }
        } else {
            view! { <h3 id=heading>{title}</h3> }
        }
    });
    let head = if tools.is_empty() {
        title.into_any()
    } else {
        let tools = each(tools, |button| view! { <Press host button /> });
        view! {
            <header class="sec-h">
                {title}
                <div class="tools">{tools}</div>
            </header>
        }
    };
    view! {
        <section class=class id=some(id) aria-labelledby=label>
            {head}
            <Blocks host blocks />
        </section>
    }
}

/// What is folded away.
#[component]
pub(super) fn Fold(host: Host, fold: blocks::Fold) -> impl IntoView {
    let blocks::Fold { id, title, aside, blocks } = fold;
    view! {
        <details class="more" id=some(id)>
            <summary>
                {title}" "
                <span>{aside}</span>
            </summary>
            <Blocks host blocks />
        </details>
    }
}
