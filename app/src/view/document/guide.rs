//! Pages for those who work elsewhere: in another site's pages, in Python, in programs.

use crate::text::{Guide, Lang, Part, Said};
use crate::view::prelude::*;

/// The sections of such a page.
#[component]
pub(super) fn Sections(guide: &'static Guide, lang: Lang) -> impl IntoView {
    let sections = guide.sections.iter().map(|(title, parts)| {
        let parts = parts.iter().map(|one| part(one, lang));
        view! {
            <section>
                <h2>{lang.said(title)}</h2>
                {parts.collect_view()}
            </section>
        }
    });
    sections.collect_view()
}

fn part(part: &'static Part, lang: Lang) -> AnyView {
    match part {
        Part::Prose(said) => view! { <p>{words(lang.said(said))}</p> },
        Part::Code(text) => code(*text),
        Part::Calculator(place, said) => {
            let href = format!("./?lang={}{place}", lang.tag());
            view! { <p><a class="btn btn-1" href=href>{lang.said(said)}</a></p> }
        }
        Part::Rows(rows) => names(rows, lang),
        Part::Links(links) => {
            let links = links.iter().map(|(href, said)| {
                view! {
                    <li>
                        <a href=*href>{*href}</a>
                        {lang.colon()}
                        {lang.said(said)}
                    </li>
                }
            });
            view! { <ul>{links.collect_view()}</ul> }
        }
    }
}

/// Names, and what each is.
pub(super) fn names(rows: &'static [(&'static str, Said)], lang: Lang) -> AnyView {
    let rows = rows.iter().map(|(name, does)| {
        view! {
            <div>
                <dt>
                    <code>{*name}</code>
                </dt>
                <dd>{lang.said(does)}</dd>
            </div>
        }
    });
    view! { <dl class="calc">{rows.collect_view()}</dl> }
}

/// Text to copy. Where it has lines of its own they stay whole: what is too narrow for them scrolls.
pub(super) fn code(text: impl Into<String>) -> AnyView {
    let text: String = text.into();
    let scrolls = text.contains('\n').then_some("0");
    view! {
        <pre class="code" tabindex=scrolls>
            <code>{text}</code>
        </pre>
    }
}

/// A sentence, in which every second piece between two `` ` `` is code.
fn words(said: &'static str) -> Vec<AnyView> {
    let pieces = said.split('`').enumerate();
    pieces
        .map(|(place, piece)| {
            if place % 2 == 1 {
                view! { <code>{piece}</code> }
            } else {
                piece.into_any()
            }
        })
        .collect()
}
