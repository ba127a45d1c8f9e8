//! A price sheet of one's own: pasted, dropped or opened, kept in this browser, and gone by a press.

use gloo::timers::callback::Timeout;
use serde_json::Value;
use shardwise_core::hardware::OWN;
use shardwise_core::permalink;
use shardwise_core::sheet::{MAX_BYTES, Wrong};

use crate::follow::follow_at_rest;
use crate::prices;
use crate::protocol::{ReadPrices, Task, compact};
use crate::view::prelude::*;
use crate::view::text_box::TextBox;
use crate::view::{Built, rest};

/// How long the typing must rest before a sheet is read, in milliseconds.
const REST_MS: u32 = 250;

/// Lines of a sheet of which it is said what is wrong; there are more.
const SHOWN: usize = 5;

/// How long it is said that a link was copied, in milliseconds.
const SAID_MS: u32 = 2000;

/// One's own prices: how many are kept. What is behind it comes with the rest of the page.
#[component]
pub(super) fn OwnPrices(page: Page) -> impl IntoView {
    let text = page.text();
    let count = move || {
        page.sheet_prices
            .get()
            .map(|kept| fill(text.prices_count, &[&size(prices::len(&kept))]))
    };
    view! {
        <details class="more" id="own-prices">
            <summary>{text.prices}" "<span>{count}</span></summary>
            <Built page at=Step::Acting>{rest::of(|rest| rest.prices)(page)}</Built>
        </details>
    }
}

/// Where a sheet is pasted or dropped, what is wrong with it, and what is kept. A byte more than is read says that it is too long.
#[component]
pub(in crate::view) fn PriceSheet(page: Page) -> impl IntoView {
    let text = page.text();
    order(page);
    view! {
        <TextBox
            page
            name="prices"
            label=text.prices_label
            note=text.prices_note
            accept=".csv,.tsv,.txt"
            placeholder=prices::example()
            typed=page.sheet_pasted
            most=MAX_BYTES + 1
            take=|page, _, text, _| read(page, text)
        >
            {move || wrong(&page.sheet_wrong.get(), text)}
            {move || kept(page)}
            {move || linked(page)}
        </TextBox>
    }
}

fn size(count: usize) -> String {
    format::grouped(count as u64)
}

/// Reads what a person pastes, once the typing rests.
fn order(page: Page) {
    follow_at_rest(REST_MS, move || {
        let text = page.sheet_pasted.get();
        if text.trim().is_empty() {
            return None;
        }
        Some(Box::new(move || read(page, text)))
    });
}

fn read(page: Page, text: String) {
    desk::order(page, Task::Prices { text }, deliver);
}

/// Keeps a sheet that could be read; of one that could not, says why, and what was kept stays.
fn deliver(page: Page, found: Value) {
    let Some(found) = compact::read::<ReadPrices>(found) else { return };
    page.sheet_wrong.set(found.wrong);
    if let Some(mut sheet) = found.kept.as_deref().and_then(prices::read) {
        sheet.only_own = page.sheet_prices.get_untracked().and_then(|before| before.only_own);
        page.keep_prices(Some(sheet));
    }
}

/// What is wrong with a sheet, line by line.
fn wrong(all: &[Wrong], text: &'static Text) -> Option<AnyView> {
    let line = |own: &Wrong| {
        let line = size(own.line);
        let says = match own.column.as_str() {
            "" => fill(text.prices_whole, &[&line, &own.message]),
            column => fill(text.prices_line, &[&line, column, &own.message]),
        };
        view! {
            <p class="msg">
                <Icon name="i-x"/>
                {says}
            </p>
        }
    };
    let more = all.len().saturating_sub(SHOWN);
    (!all.is_empty()).then(|| {
        view! {
            <div class="is-err" id="prices-wrong">
                {all.iter().take(SHOWN).map(line).collect_view()}
                {(more > 0).then(|| view! { <p class="hint">{fill(text.prices_more, &[&size(more)])}</p> })}
            </div>
        }
    })
}

/// The sheet that is kept, and what can be done with it.
fn kept(page: Page) -> Option<AnyView> {
    let text = page.text();
    let sheet = page.sheet_prices.get()?;
    let only = sheet.only_own == Some(true);
    let says = if only { text.prices_kept_only } else { text.prices_kept };
    let alone = move |_| {
        let rows = untrack(|| page.sheet_prices.get()).and_then(|sheet| sheet.own.clone());
        page.keep_prices(rows.map(|rows| prices::of(rows, !only)));
    };
    // What rents another offer, or says its price itself, asks none of them.
    let chosen = move || {
        page.form.with(|form| {
            let offer = form.get(Field::Offer);
            form.is_stated() || !offer.is_empty() && !offer.starts_with(OWN)
        })
    };
    let erase = move |_| {
        page.sheet_pasted.set(String::new());
        page.sheet_wrong.set(Vec::new());
        page.keep_prices(None);
        browser::focus("prices-t");
    };
    Some(view! {
        <p class="hint" id="prices-kept">{fill(says, &[&size(prices::len(&sheet))])}</p>
        {move || chosen().then(|| view! { <p class="hint" id="prices-idle">{text.prices_idle}</p> })}
        <div class="paste-tools">
            <button class="btn btn-s" type="button" id="prices-only" aria-pressed=only.to_string() on:click=alone>
                {text.prices_only}
            </button>
            <CopyPriced page/>
            <button class="btn btn-s" type="button" id="prices-erase" on:click=erase>{text.prices_erase}</button>
        </div>
    })
}

/// Copies the link to the question with one's own prices in it.
#[component]
fn CopyPriced(page: Page) -> impl IntoView {
    let text = page.text();
    let said = RwSignal::new(text.prices_link);
    let copy = move |_| {
        let hash = page
            .standing()
            .map(|shown| page.with_goal(&permalink::to_hash(&shown.question)))
            .unwrap_or_default();
        let plain = page.link();
        let link = format!("{}#{hash}", plain.split('#').next().unwrap_or_default());
        browser::copy(&link, move |ok| {
            let _ = said.try_set(if ok { page.lang.site().link_copied } else { text.prices_link_no });
            Timeout::new(SAID_MS, move || said.try_set(text.prices_link).map_or((), |_| ())).forget();
        });
    };
    view! {
        <button class="btn btn-s" type="button" id="prices-link" aria-live="polite" on:click=copy>
            {move || said.get()}
        </button>
    }
}

/// The prices that a link brought along, and the way to do without.
fn linked(page: Page) -> Option<AnyView> {
    let text = page.text();
    let shown = page.answered()?;
    let rows = shown.plain.hardware.market.as_ref()?.own.as_ref()?.len();
    let leave = move |_| {
        let plain = untrack(|| page.answered()).map(|shown| prices::without(&shown.plain, None));
        if let Some(plain) = plain {
            page.change(|form| {
                form.load(&plain);
                form.rent();
            });
        }
    };
    Some(view! {
        <p class="hint" id="prices-linked">
            {fill(text.prices_linked, &[&size(rows)])}
            " "
            <button class="lnk" type="button" id="prices-leave" on:click=leave>{text.prices_leave}</button>
        </p>
    })
}
