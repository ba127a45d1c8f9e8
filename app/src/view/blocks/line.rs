//! A line of text and what stands in it.

use leptos::tachys::view::iterators::StaticVec;

use super::act::{act, text_of};
use super::host::{Host, each, some};
use crate::protocol::blocks::{self, Action, Button, Kind, Line, Look, Run, Tone};
use crate::view::copying::CopyButton;
use crate::view::icons::path;
use crate::view::prelude::*;

/// A paragraph.
#[component]
pub(super) fn Prose(host: Host, prose: blocks::Prose) -> impl IntoView {
    let blocks::Prose { id, kind, line } = prose;
    let class = match kind {
        Kind::Text => "",
        Kind::Take | Kind::Status => "take",
        Kind::Note => "note",
        Kind::Quiet => "muted",
        Kind::Hint => "hint",
        Kind::Summary => "read-h",
        Kind::Asked => "read-q",
        Kind::Refusal => "callout callout-bad",
        Kind::Request => "callout callout-info",
        Kind::Formula => "formula",
        Kind::Numbers => "formula put",
        Kind::Error => "err",
        Kind::Sources => "src",
        Kind::Certainty => "sure-n",
        Kind::Actions => "plans-f",
        Kind::Copies => "copies",
        Kind::Ways => "pop-f",
    };
    let sign = match kind {
        Kind::Refusal => Some("i-x"),
        Kind::Request => Some("i-info"),
        _ => None,
    };
    let mut line = runs(host, line);
    if let Some(sign) = sign {
        // Beside an icon the words are one.
        line = StaticVec::from(vec![icon(sign), view! { <span class="">{line}</span> }]);
    }
    paragraph(class, some(id), (kind == Kind::Status).then_some("status"), line)
}

/// Any paragraph.
pub(super) fn paragraph(
    class: &'static str,
    id: Option<String>,
    role: Option<&'static str>,
    line: StaticVec<AnyView>,
) -> AnyView {
    view! { <p class=class id=id role=role>{line}</p> }
}

/// What stands in a line.
pub(super) fn runs(host: Host, line: Line) -> StaticVec<AnyView> {
    each(line, |run| match run {
        Run::Words(words) => words.into_any(),
        Run::Strong(words) => view! { <b>{words}</b> },
        Run::Quiet(words) => span("muted", words),
        Run::Code(words) => view! { <code>{words}</code> },
        Run::Symbol(words) => view! { <var>{words}</var> },
        Run::Tag(tone, words) => span(tagged(tone), words),
        Run::Link { href, words } => link(href, words),
        Run::Press(button) => view! { <Press host button /> },
        Run::Bar { share, limit, over } => bar(share, limit, over),
    })
}

pub(super) fn span(class: &'static str, words: String) -> AnyView {
    view! { <span class=class>{words}</span> }
}

pub(super) fn icon(name: &str) -> AnyView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path class="" d=path(name) />
        </svg>
    }
}

fn tagged(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain | Tone::Info => "tag",
        Tone::Good => "tag tag-ok",
        Tone::Warn => "tag tag-warn",
        Tone::Bad => "tag tag-bad",
    }
}

/// A link; one that leaves the site opens beside it.
fn link(href: String, words: String) -> AnyView {
    let leaves = href.starts_with("https:");
    view! {
        <a href=href target=leaves.then_some("_blank") rel=leaves.then_some("noopener")>
            {words}
        </a>
    }
}

#[component]
pub(super) fn Press(host: Host, button: Button) -> impl IntoView {
    if let [Action::Copy(id)] = button.actions.as_slice() {
        let copied = id.clone();
        let text = Signal::derive(move || text_of(&copied));
        return view! { <CopyButton lang=host.page.lang of=id.clone() text/> };
    }
    let Button { id, look, icon: sign, words, about, pressed, expanded, actions } = button;
    let class = match look {
        Look::Small => "btn btn-s",
        Look::Quiet => "btn btn-s btn-q",
        Look::Large => "btn",
        Look::First => "btn btn-1",
        Look::Pin => "btn btn-s pin",
        Look::Place => "seg-b",
        Look::Link => "lnk",
        Look::Head => "sort",
    };
    let does = match actions.first() {
        Some(Action::Ask(_)) => "ask",
        Some(Action::Put { .. }) => "put",
        Some(Action::Set(_)) => "set",
        Some(Action::Pair(_)) => "pair",
        _ => "",
    };
    view! {
        <button
            type="button"
            class=class
            id=some(id)
            data-does=does
            aria-pressed=pressed.map(|on| on.to_string())
            aria-expanded=expanded.map(|on| on.to_string())
            on:click=move |event| act(host, &actions, &event)
        >
            {some(sign).map(|sign| icon(&sign))}
            {words}
            {some(about).map(|about| span("vh", format!(" {about}")))}
        </button>
    }
}

/// A bar as long as a share of what it has; with a line where it may end.
fn bar(share: f64, limit: Option<f64>, over: bool) -> AnyView {
    let long = |share: f64| {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
        format::length(share)
    };
    let rect = |class: &'static str, (y, height): (u8, u8), share: f64, radius: u8| {
        let [y, height, radius] = [y, height, radius].map(|number| number.to_string());
        view! { <rect rx=radius class=class x="0".to_owned() y=y width=long(share) height=height /> }
    };
    let (class, height, parts) = match limit {
        Some(limit) => {
            let line = view! { <line class="lim" y1="0" y2="12" x1=long(limit) x2=long(limit) /> };
            ("", "12", vec![rect("b", (1, 10), share, 0), line])
        }
        None => {
            let fill = if over { "k-over" } else { "k-use" };
            ("meter", "4", vec![rect("meter-bg", (0, 4), 1.0, 2), rect(fill, (0, 4), share, 2)])
        }
    };
    view! { <svg class=class width="100%" height=height aria-hidden="true">{StaticVec::from(parts)}</svg> }
}
