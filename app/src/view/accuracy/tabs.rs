//! A tab for each thing that is estimated.

use web_sys::KeyboardEvent;

use super::state::Page;
use crate::runs::{By, Case, Kind};
use crate::view::prelude::*;

/// The name of a tab in the document.
pub(super) fn id_of(kind: Kind) -> String {
    format!("tab-{}", kind.word())
}

fn name(page: Page, kind: Kind) -> &'static str {
    let text = page.text();
    match kind {
        Kind::Speed => text.tab_training,
        Kind::Memory => text.tab_memory,
        Kind::Generation => text.tab_generation,
        Kind::Step => text.tab_step,
    }
}

/// How many runs a tab shows.
fn runs(page: Page, kind: Kind) -> u32 {
    let Some(overview) = page.overview() else { return 0 };
    let of = |name: &str| overview.figure(kind, By::All, name, Case::LeftOut);
    ["headline", "other"].into_iter().filter_map(of).map(|figure| figure.runs).sum()
}

/// The tab that a key leads to.
fn stepped(kind: Kind, key: &str) -> Option<Kind> {
    let (here, last) = (kind as usize, Kind::COUNT - 1);
    let next = match key {
        "ArrowRight" => (here + 1) % (last + 1),
        "ArrowLeft" => here.checked_sub(1).unwrap_or(last),
        "Home" => 0,
        "End" => last,
        _ => return None,
    };
    Kind::ALL.get(next).copied()
}

#[component]
pub(super) fn Tabs(page: Page) -> impl IntoView {
    let text = page.text();
    let tabs = Kind::ALL.map(|kind| {
        let counted = match kind {
            Kind::Step => text.count_steps,
            _ => text.count_runs,
        };
        let counted = fill(counted, &[&format::grouped(runs(page, kind).into())]);
        let is_open = move || page.kind.get() == kind;
        let step = move |event: KeyboardEvent| {
            if let Some(next) = stepped(kind, &event.key()) {
                event.prevent_default();
                page.show(next);
                browser::focus(&id_of(next));
            }
        };
        view! {
            <button
                class="tl"
                class:is-open=is_open
                type="button"
                role="tab"
                id=id_of(kind)
                aria-controls="panel"
                aria-selected=move || is_open().to_string()
                tabindex=move || if is_open() { "0" } else { "-1" }
                on:click=move |_| page.show(kind)
                on:keydown=step
            >
                {name(page, kind)}" "<small>{counted}</small>
            </button>
        }
    });
    view! { <div class="tls" role="tablist" aria-label=text.tabs>{tabs.collect_view()}</div> }
}

#[cfg(test)]
mod tests {
    use super::stepped;
    use crate::runs::Kind;

    #[test]
    fn the_arrow_keys_go_round() {
        assert_eq!(stepped(Kind::Step, "ArrowRight"), Some(Kind::Speed));
        assert_eq!(stepped(Kind::Speed, "ArrowLeft"), Some(Kind::Step));
        assert_eq!(stepped(Kind::Speed, "End"), Some(Kind::Step));
        assert_eq!(stepped(Kind::Speed, "a"), None);
    }
}
