//! Pages of text, which need no program: the build has each drawn in both languages, in a document without layout, and writes
//! down what stands there (`scripts/text-page.mjs`).

mod command_line;
mod guide;
mod methods;

use leptos::mount::mount_to_body;

use super::footer::Foot;
use super::header::{Bar, Themes};
use crate::look::{Look, Theme};
use crate::text::guides::{API, EMBED, PYTHON};
use crate::text::your_run::{TITLE, YOUR_RUN};
use crate::text::{Guide, Lang};
use crate::view::prelude::*;
use command_line::CommandLine;
use guide::Sections;
use methods::Methods;

/// Draws a page of text.
pub(crate) fn draw(document: Document, lang: Lang) {
    mount_to_body(move || view! { <Whole document lang/> });
}

/// The whole page.
#[component]
fn Whole(document: Document, lang: Lang) -> impl IntoView {
    let (sheet, other) = (lang.sheets(), lang.other());
    let look = Look { lang: RwSignal::new(lang), theme: RwSignal::new(Theme::Auto), money: RwSignal::new(None) };
    let (class, title, lead, text) = match document {
        Document::Methods => ("doc methods", sheet.methods_title, sheet.methods_lead, view! { <Methods lang/> }),
        Document::CommandLine => {
            let text = view! { <CommandLine lang/> };
            (PROSE, sheet.command_line_title, sheet.command_line_lead, text)
        }
        Document::Python => guide(&PYTHON, lang),
        Document::Embed => guide(&EMBED, lang),
        Document::Api => guide(&API, lang),
        Document::YourRun => guide(&YOUR_RUN, lang),
    };
    view! {
        <a class="skip" href=format!("{}#main", document.address(lang))>{sheet.skip_to_text}</a>
        <Bar lang places=places(document, lang)>
            <a class="btn btn-s btn-q" id="language" lang=other.tag() href=document.address(other)>
                {other.site().language}
            </a>
            <Themes look lang/>
        </Bar>
        <main class=class id="main" tabindex="-1">
            <header>
                <h1>{title}</h1>
                <p class="note">{lead}</p>
            </header>
            {(document != Document::Methods).then(|| elsewhere(document, lang))}
            {text}
        </main>
        <Foot lang report=None>
            <a href="THIRD-PARTY-LICENSES.txt">{sheet.third_party}</a>
        </Foot>
    }
}

/// The classes of a page that is mostly sentences.
const PROSE: &str = "doc methods prose";

/// A page for those who work elsewhere.
fn guide(guide: &'static Guide, lang: Lang) -> (&'static str, &'static str, &'static str, AnyView) {
    (PROSE, lang.said(&guide.title), lang.said(&guide.lead), view! { <Sections guide lang/> })
}

/// The way from each of these pages to the others.
fn elsewhere(here: Document, lang: Lang) -> AnyView {
    let site = lang.site();
    let pages = [
        (Document::CommandLine, site.command_line),
        (Document::Python, site.python),
        (Document::Embed, site.embed),
        (Document::Api, site.api),
        (Document::YourRun, lang.said(&TITLE)),
    ];
    let pages = pages.map(|(document, name)| {
        view! {
            <li>
                <a href=document.address(lang) aria-current=(document == here).then_some("page")>{name}</a>
            </li>
        }
    });
    view! {
        <nav class="toc" aria-label=site.elsewhere>
            <ul>{pages.collect_view()}</ul>
        </nav>
    }
}

/// The pages of the site. Those with a program are told the language.
fn places(here: Document, lang: Lang) -> AnyView {
    let site = lang.site();
    let program = |at: &str| format!("{at}?lang={}", lang.tag());
    let places = [
        (program("./"), site.calculator, None),
        (program("accuracy/"), site.accuracy, None),
        (Document::Methods.address(lang).to_owned(), site.methods, Some(Document::Methods)),
        (Document::CommandLine.address(lang).to_owned(), site.command_line, Some(Document::CommandLine)),
    ];
    let places = places.map(|(at, name, document)| {
        let here = document == Some(here);
        view! { <a href=at aria-current=here.then_some("page")>{name}</a> }
    });
    places.collect_view().into_any()
}
