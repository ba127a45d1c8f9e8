//! The parts of the page, from the top.

#![allow(unreachable_pub, reason = "`#[component]` makes a `pub fn` of every component's body")]

pub(crate) mod accuracy;
mod advice;
mod ask;
mod banner;
mod blocks;
mod calibrate;
mod closing;
mod comfort;
mod controls;
mod copying;
mod dock;
pub(crate) mod document;
mod embed;
mod figure;
mod flags;
mod fold;
mod footer;
mod gpus;
mod header;
mod how;
mod icons;
mod limits;
pub(crate) mod listing;
mod memory;
mod near;
mod objective;
mod operations;
mod paste;
mod plan;
mod prelude;
mod rest;
mod run;
mod sheet;
mod steps;
mod sure;
mod text_box;
pub(crate) mod time;
mod values;
mod verdict;

use advice::Advice;
use ask::Ask;
use ask::prices::PriceSheet;
use banner::Banner;
use comfort::{Comfort, Links, Report, ShareButton};
use dock::Dock;
use embed::Embed;
use flags::Flags;
use fold::Folds;
use footer::Footer;
use gpus::GpuTypes;
use header::{Header, Place};
use how::HowPanel;
use icons::Definitions;
use leptos::either::Either;
use leptos::ev::MouseEvent;
use std::cell::Cell;

use paste::Paste;
use prelude::*;
use rest::Broken;
use steps::Built;
use verdict::{Announcement, Verdict};

use crate::client::desk::{self, Engine};
use crate::follow::follow;
use crate::money;
use crate::page::Step;
use crate::protocol::Name;

pub use rest::{Loader, Rest};

/// What is not in [`page`].
pub(crate) fn rest() -> Rest {
    Rest {
        embed: |page| view! { <Embed page/> },
        acting: |page| view! { <Acting page/> },
        folds: |page| view! { <Folds page/> },
        prices: |page| view! { <PriceSheet page/> },
        closing: |page| view! { <Closing page/> },
        sheet: blocks::sheet,
    }
}

/// The whole page, of which the rest comes by `loader`; `engine` answers where no worker can.
pub(crate) fn page(loader: Loader, engine: Engine) -> impl IntoView {
    let page = Page::new();
    desk::open_engine(engine, page.broken);
    rest::ask(loader);
    // The address holds the question soon.
    let place = crate::browser::hash();
    let side = Cell::new(false);
    let spoken = Cell::new(page.lang);
    let body = move || {
        if !page.built[Step::Frame as usize].get() {
            return Either::Left(view! { <Broken page/> });
        }
        let lang = page.look.lang.get();
        money::show(page.look.money());
        let page = page.in_lang(lang);
        // Whose offers count may follow the language.
        if spoken.replace(lang) != lang && !page.embedded {
            crate::browser::soon(move || page.follow_language());
        }
        let view = if page.embedded {
            rest::of(|rest| rest.embed)(page)
        } else {
            view! { <Full page/> }
        };
        // Different sides, so that one language or currency replaces the other as a whole.
        if side.replace(!side.get()) { Either::Left(view) } else { Either::Right(view) }
    };
    let owner = Owner::current().unwrap_or_default();
    crate::browser::soon(move || {
        page.begin();
        // While the engine answers.
        crate::browser::soon(move || owner.with(|| listen(page)));
        crate::page::link_presets_soon();
        build_on(page, place, loader);
    });
    view! {
        <Definitions/>
        {body}
        <Announcement page/>
    }
}

/// Hears keys, presses and where the address leads.
fn listen(page: Page) {
    if !page.embedded {
        comfort::listen(page);
        fold::listen(page);
    }
    crate::browser::follow_keys();
    crate::focus::keep();
    how::listen(page);
    page.follow_address();
}

/// Builds the page step by step, and says when it is whole. `place` is the part of it that the address asks for.
fn build_on(page: Page, place: String, loader: Loader) {
    let Some(step) = page.next_step() else {
        return crate::browser::soon(move || {
            fold::arrive(page, &place);
            once_answered(page, crate::browser::ready);
        });
    };
    let build = move || {
        crate::browser::soon(move || {
            page.built[step as usize].set(true);
            if step == Step::Figures {
                once_answered(page, crate::browser::take_over);
            }
            build_on(page, place, loader);
        });
    };
    // An embed is one part of the rest.
    let needs_rest = if page.embedded { Step::Frame } else { Step::Acting };
    if step == needs_rest { rest::load(page, loader, build) } else { build() }
}

/// Goes on once the first question is answered, or never will be.
fn once_answered(page: Page, then: fn()) {
    follow(move || {
        // What an embed cannot answer it says, and answers nothing else.
        let refused = page.embedded && (!page.wrong().is_empty() || page.bad_link.with(Option::is_some));
        if page.answered().is_some() || refused || page.broken.get() {
            then();
        }
    });
}

#[component]
fn Full(page: Page) -> impl IntoView {
    let text = page.text();
    sheet::order(page, Name::Compare, Box::new(move || page.has_aside()));
    view! {
        <Skip to="answer" words=text.skip/>
        <Header look=page.look lang=page.lang here=Place::Calculator link=Signal::derive(move || page.link())>
            <ShareButton page/>
        </Header>
        <main class="page" id="top">
            <h1 class="claim">
                <b>{text.lead_name}</b>
                " "
                {text.lead}
            </h1>
            <Ask page/>
            <Built page at=Step::Dock>
                <Dock page/>
            </Built>
            <div class="answer" id="answer">
                <Built page at=Step::Verdict>
                    <Skip to="flags" words=text.skip_flags id="skip-flags"/>
                    <Banner page/>
                    <Verdict page/>
                    {sheet::host(page, Name::Compare)}
                </Built>
            </div>
            <Broken page/>
            <Built page at=Step::Acting>{rest::of(|rest| rest.acting)(page)}</Built>
            <Built page at=Step::Folds>{rest::of(|rest| rest.folds)(page)}</Built>
        </main>
        <Built page at=Step::Closing>{rest::of(|rest| rest.closing)(page)}</Built>
    }
}

/// A link past what stands before the part called `to`.
#[component]
fn Skip(to: &'static str, words: &'static str, #[prop(optional)] id: Option<&'static str>) -> impl IntoView {
    let jump = move |event: MouseEvent| {
        event.prevent_default();
        crate::browser::jump(to);
    };
    view! { <a class="skip" href=format!("#{to}") id=id on:click=jump>{words}</a> }
}

/// What to do with the answer: the text to paste, the GPU to take, the change that helps.
#[component]
fn Acting(page: Page) -> impl IntoView {
    view! {
        <div class="act">
            <Flags page/>
            <Built page at=Step::Gpus><GpuTypes page/></Built>
            <Advice page/>
        </div>
    }
}

/// What is closed until it is asked for, and what ends the page.
#[component]
fn Closing(page: Page) -> impl IntoView {
    view! {
        <Paste page/>
        <HowPanel page/>
        <Footer look=page.look lang=page.lang report=view! { <Report page/> }>
            <Links page/>
        </Footer>
        <Comfort page/>
    }
}
