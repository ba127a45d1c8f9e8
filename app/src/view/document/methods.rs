//! The methods page: every formula with its terms, its sources, its code and its measured error.

use shardwise_core::methods::{self, Entry, Group};
use shardwise_core::words::{self, Formula, Words};

use crate::languages;
use crate::sheets::words::words_of;
use crate::view::prelude::*;

/// The contents, and the formulas by group.
#[component]
pub(super) fn Methods(lang: Lang) -> impl IntoView {
    let own = languages::words(lang);
    let contents = methods::groups().iter().map(|group| {
        view! {
            <li>
                <a href=address(group.id, lang)>{words::title(group, own)}</a>
            </li>
        }
    });
    let sections = methods::groups().iter().map(|group| section(group, lang, own));
    view! {
        <nav class="toc" aria-label=lang.sheets().contents>
            <ul>{contents.collect_view()}</ul>
        </nav>
        {sections.collect_view()}
    }
}

/// Where a part of the page is.
fn address(id: &str, lang: Lang) -> String {
    format!("{}#{id}", Document::Methods.address(lang))
}

fn section(group: &Group, lang: Lang, own: Option<&Words>) -> AnyView {
    let heading = format!("{}-h", group.id);
    let formulas = group.entries.iter().map(|entry| formula(entry, lang, own));
    view! {
        <section class="block" id=group.id aria-labelledby=heading>
            <h2 id=heading.clone()>{words::title(group, own)}</h2>
            {formulas.collect_view()}
        </section>
    }
}

fn formula(entry: &Entry, lang: Lang, own: Option<&Words>) -> AnyView {
    let Formula { title, formula, text, meanings, citations } = Formula::of(entry, own);
    let terms = entry.terms.iter().zip(meanings).map(|(term, meaning)| {
        view! {
            <div>
                <dt>
                    <var>{term.symbol}</var>
                </dt>
                <dd>
                    <span>{meaning}</span>
                    {(!term.unit.is_empty()).then(|| view! { <b>{term.unit}</b> })}
                </dd>
            </div>
        }
    });
    let lines = text.lines().map(|line| view! { <p>{line.to_owned()}</p> });
    let sources = entry.citations.iter().zip(citations);
    let sources = sources.map(|(citation, name)| view! { <a rel="noopener" href=citation.url>{name.into_owned()}</a> });
    view! {
        <article class="method" id=entry.id>
            <h3>
                <a href=address(entry.id, lang)>{title}</a>
            </h3>
            <p class="formula">{formula}</p>
            <dl class="calc">{terms.collect_view()}</dl>
            {lines.collect_view()}
            {error(entry, lang, own)}
            {constants(entry, lang)}
            <p class="src">
                {sources.collect_view()}
                {code(entry, lang)}
            </p>
        </article>
    }
}

/// How far off it is, where that was measured.
fn error(entry: &Entry, lang: Lang, own: Option<&Words>) -> Option<AnyView> {
    let error = words::said(methods::error_of(entry.error), own);
    (!error.is_empty()).then(|| {
        view! {
            <p class="err">
                <b>{lang.sheets().measured_error}</b>
                " "
                {error}
            </p>
        }
    })
}

/// What was fitted for it, and on what.
fn constants(entry: &Entry, lang: Lang) -> Option<AnyView> {
    let constants = entry.constants.iter().map(|constant| {
        view! {
            <li>
                <code>{constant.name}</code>
                " "
                {words_of(constant.basis, lang)}
            </li>
        }
    });
    (!entry.constants.is_empty()).then(|| {
        view! {
            <details class="more">
                <summary>
                    {lang.sheets().fitted_constants}
                    " "
                    <span>{entry.constants.len().to_string()}</span>
                </summary>
                <ul class="read-list">{constants.collect_view()}</ul>
            </details>
        }
    })
}

/// Where the code lies; the repository's own files are named from its root.
fn code(entry: &Entry, lang: Lang) -> AnyView {
    let place = format!("{}:{}, {}", entry.code.path, entry.code.line, entry.code.item);
    view! {
        <span>
            {lang.sheets().in_code}
            " "
            <code>{place}</code>
        </span>
    }
}
