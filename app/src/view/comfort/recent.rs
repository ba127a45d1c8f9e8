//! Questions of earlier visits: kept in this browser alone, erasable one by one and all.

use super::panel::Panel;
use crate::page::{Page, RECENT};
use crate::recent::{self, Recent};
use crate::view::prelude::*;
use crate::words::asked;

/// Reads what the storage holds.
pub(in crate::view) fn read(page: Page) {
    let stored = browser::stored(RECENT).unwrap_or_default();
    if page.recent.with_untracked(|known| *known != stored) {
        page.recent.set(stored);
    }
}

#[component]
pub(super) fn Questions(page: Page) -> impl IntoView {
    view! {
        <Panel page id="recent" title=page.text().recent>
            <List page/>
        </Panel>
    }
}

#[component]
fn List(page: Page) -> impl IntoView {
    // Another tab may have added some.
    read(page);
    let text = page.text();
    let erase_all = move |_| {
        keep(page, String::new());
        browser::focus("recent-h");
    };
    view! {
        <div>
            <p class="muted">{text.recent_note}</p>
            {move || {
                let found = recent::read(&page.recent.get());
                let rows: Vec<AnyView> = found.into_iter().filter_map(|one| row(page, one)).collect();
                if rows.is_empty() {
                    return view! { <p>{text.recent_none}</p> };
                }
                view! {
                    <ul class="recent">{rows}</ul>
                    <p>
                        <button class="btn btn-s" type="button" id="recent-erase" on:click=erase_all>
                            {text.recent_erase}
                        </button>
                    </p>
                }
            }}
        </div>
    }
}

/// Puts a list into the storage and on the screen.
fn keep(page: Page, stored: String) {
    browser::store(RECENT, &stored);
    page.recent.set(stored);
}

/// A question in words; `None` where this version of the calculator refuses it.
fn row(page: Page, one: Recent) -> Option<AnyView> {
    let job = shardwise_core::job::resolve(&one.question).ok()?;
    let words = asked(&job, page.lang);
    let Recent { date, hash, question } = one;
    let erase = fill(page.text().recent_erase_one, &[&words]);
    let ask = move |_| {
        browser::close_popover("recent");
        page.replace(|form| form.load(&question));
    };
    let forget = move |_| {
        let stored = page.recent.get_untracked();
        keep(page, recent::without(&stored, &hash, recent::MOST));
        browser::focus("recent-h");
    };
    Some(view! {
        <li>
            <button class="lnk" type="button" on:click=ask>{words}</button>
            <span class="muted">{date}</span>
            <button class="btn btn-s btn-q" type="button" on:click=forget>
                <Icon name="i-x"/>
                <span class="vh">{erase}</span>
            </button>
        </li>
    })
}
