//! Icons, by name.

use crate::view::prelude::*;

/// A line of the hatching.
const HATCH: &str = "M0 0V6";

const PATHS: &[(&str, &str)] = &[
    ("i-check", "M3 8.5l3.2 3.2L13 4.8"),
    ("i-x", "M4 4l8 8M12 4l-8 8"),
    ("i-warn", "M8 2.2L14.4 13.4H1.6ZM8 6.4v3.2M8 11.6v.1"),
    ("i-q", "M5.4 5.9a2.6 2.6 0 1 1 3.7 2.4c-.8.4-1.1.9-1.1 1.7M8 12.9v.1"),
    ("i-info", "M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 1 0 0-12.4ZM8 7.4v3.6M8 5v.1"),
    ("i-copy", "M5.5 5.5h7v8h-7ZM10 5.5v-3H3v8h2.5"),
    ("i-down", "M8 2.5v7.5M4.8 7.2L8 10.4l3.2-3.2M3 13.3h10"),
    (
        "i-link",
        "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
    ),
    ("i-paste", "M5.5 3.5H3.5v10h9v-10h-2M5.5 2.3h5v2.6h-5ZM5.8 8h4.4M5.8 10.7h3"),
    ("i-auto", "M8 2.2a5.8 5.8 0 1 0 0 11.6a5.8 5.8 0 1 0 0-11.6ZM8 2.2v11.6M8 4.5h2.6M8 7h4.4M8 9.5h4.2M8 12h2.2"),
    (
        "i-sun",
        "M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6ZM8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M12.7 3.3l-1 1M4.3 11.7l-1 1",
    ),
    ("i-moon", "M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7Z"),
    ("i-clock", "M8 2.2a5.8 5.8 0 1 0 0 11.6a5.8 5.8 0 1 0 0-11.6ZM8 5v3.2l2.2 1.4"),
    ("i-share", "M8 9.8V2.6M5.2 5.2L8 2.4l2.8 2.8M4.6 7.5H3v6h10v-6h-1.6"),
    ("i-pin", "M6 2.5h4M7 2.5v4L4.5 9.5h7L9 6.5v-4M8 9.5v4"),
    ("i-arrow", "M3 8h10M9 4l4 4-4 4"),
    ("i-table", "M2.5 3h11v10h-11ZM2.5 6.3h11M2.5 9.6h11M6.5 6.3V13"),
];

/// The hatching of what waits or does not fit, for the whole page.
#[component]
pub(super) fn Definitions() -> impl IntoView {
    view! {
        <svg class="defs" aria-hidden="true" focusable="false">
            <defs>
                <pattern id="hatch" width=6 height=6 patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <rect class="hatch-bg" width=6 height=6/>
                    <path class="hatch-l" d=HATCH/>
                </pattern>
            </defs>
        </svg>
    }
}

/// The lines of an icon, in a square of 16.
pub(super) fn path(name: &str) -> &'static str {
    let found = PATHS.iter().find(|(known, _)| *known == name);
    found.map_or("", |(_, path)| path)
}

#[component]
pub(super) fn Icon(name: &'static str, #[prop(optional)] class: &'static str) -> impl IntoView {
    view! {
        <svg viewBox="0 0 16 16" aria-hidden="true" class=format!("icon {class}")>
            <path d=path(name)/>
        </svg>
    }
}

/// A line that says something, with an icon.
#[component]
pub(super) fn Callout(
    class: &'static str,
    symbol: &'static str,
    #[prop(into)] words: String,
    #[prop(optional)] id: Option<&'static str>,
) -> impl IntoView {
    view! {
        <p class=class id=id>
            <Icon name=symbol/>
            <span>{words}</span>
        </p>
    }
}

/// One sentence that something cannot be read.
#[component]
pub(super) fn Refusal(words: String) -> impl IntoView {
    view! { <Callout class="callout callout-bad" symbol="i-x" words/> }
}
