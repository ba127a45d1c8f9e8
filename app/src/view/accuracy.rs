//! The accuracy page: predicted against measured, for every published run.
//!
//! Its data are files of their own. The first is small and holds what is seen first; the runs one by one come once the page
//! stands. The page formats what the files hold and calculates no error itself.
#![expect(unreachable_pub, reason = "the macro makes every component public")]

mod chart;
mod lead;
mod method;
mod misses;
mod parts;
mod reliability;
mod state;
mod strips;
mod table;
mod tabs;

use leptos::either::Either;

use super::footer::Footer;
use super::header::{Header, Place};
use crate::view::prelude::*;
use parts::Failure;
use state::{File, Page, STEPS};

/// Starts the page: what stood there until then stays until its first screen can be shown.
pub(crate) fn start() {
    browser::soon(|| leptos::mount::mount_to_body(whole));
}

/// The whole page.
pub(crate) fn whole() -> AnyView {
    let page = Page::new();
    page.load(move || {
        browser::soon(move || {
            browser::take_over();
            build(page);
        });
    });
    view(page)
}

/// Builds what is below the first screen, a task for each part; then come the runs.
fn build(page: Page) {
    browser::soon(move || {
        page.built.update(|built| *built += 1);
        if page.built.get_untracked() < STEPS {
            return build(page);
        }
        browser::ready();
        page.load_runs();
    });
}

fn view(page: Page) -> AnyView {
    browser::follow_keys();
    let whole = move || {
        let lang = page.look.lang.get();
        let view = view! { <Whole page=Page { lang, ..page }/> };
        // Different sides, so that one language replaces the other as a whole.
        match lang {
            Lang::En => Either::Left(view),
            Lang::Zh => Either::Right(view),
        }
    };
    whole.into_any()
}

#[component]
fn Whole(page: Page) -> impl IntoView {
    let link = || {
        let hash = browser::hash();
        let mark = if hash.is_empty() { "" } else { "#" };
        format!("{}{mark}{hash}", browser::address())
    };
    let skip = move |event: web_sys::MouseEvent| {
        event.prevent_default();
        browser::jump("answer");
    };
    // What is below the answer would be pushed down by it.
    let arrived = Memo::new(move |_| !matches!(page.overview.get(), File::Loading));
    let footer = move || arrived.get().then(|| view! { <Footer look=page.look lang=page.lang/> });
    view! {
        <a class="skip" href="#answer" on:click=skip>{page.text().skip}</a>
        <Header look=page.look lang=page.lang here=Place::Accuracy link=Signal::derive(link)/>
        <main class="doc doc-acc" id="answer">{move || body(page)}</main>
        {footer}
    }
}

/// Shows a part once it is its turn.
fn after(page: Page, step: usize, part: fn(Page) -> AnyView) -> impl IntoView {
    let turn = Memo::new(move |_| page.built.get() >= step);
    move || turn.get().then(|| part(page))
}

fn body(page: Page) -> AnyView {
    let failure = page.overview.with(|file| file.failure(page.text()));
    if let Some(why) = failure {
        return view! {
            <header class="doc-h">
                <p class="kicker">{page.lang.site().accuracy}</p>
                <h1>{page.lang.site().how_accurate}</h1>
            </header>
            <Failure page why again=move || page.load(move || page.load_runs())/>
        };
    }
    if page.overview().is_none() {
        return view! { <p class="kicker" role="status">{page.text().loading}</p> };
    }
    view! {
        <p class="kicker">{page.lang.site().accuracy}</p>
        <tabs::Tabs page/>
        // The style sheet lays its parts out as the page's own.
        <div class="panel" id="panel" role="tabpanel" aria-labelledby=move || tabs::id_of(page.kind.get())>
            <lead::Lead page/>
            <div class="acc-grid">
                <strips::Strips page/>
                {after(page, 1, chart::chart)}
            </div>
            {after(page, 2, misses::misses)}
            {after(page, 2, reliability::reliability)}
            {after(page, 3, table::table)}
            {after(page, 4, method::method)}
        </div>
    }
}
