//! The page inside another: four fields, the verdict, the chart.

use super::erased::{live, part};
use leptos::prelude::*;

use super::ask::{hardware, model};
use super::controls::{plain, tokens};
use super::gpus;
use super::icons::icon;
use super::verdict;
use crate::form::{Field, Form, generates, is_rl};
use crate::format;
use crate::page::Page;

pub(super) fn view(page: Page) -> AnyView {
    view! {
        <main class="emb-page" id="answer">
            <section class="emb" aria-labelledby="emb-h">
                <header class="emb-top">
                    <h1 id="emb-h">{page.text().embed_title}</h1>
                    <a href=live(move || page.link()) target="_blank" rel="noopener">{page.text().open_full}{icon("i-arrow")}</a>
                </header>
                <form class="emb-q" aria-label=page.text().your_question on:submit=|event| event.prevent_default()>
                    {model::model_name(page)}
                    {hardware::gpu_choice(page)}
                    {plain(page, Field::Gpus)}
                    {length(page)}
                </form>
                {answer(page)}
                <figure class="fgr emb-f">
                    <figcaption><p class="take" id="c-gpus">{live(move || gpus::sentence(page))}</p></figcaption>
                    {gpus::drawing(page, true)}
                </figure>
                <footer class="emb-foot">
                    {live(move || {
                        let text = page.text();
                        format!("Shardwise · {} {} · {} {}", text.data, shardwise_core::catalog::VERSION, text.prices, shardwise_core::catalog::PRICES_AS_OF)
                    })}
                </footer>
            </section>
        </main>
    }
    .into_any()
}

/// The length that matters most for the task.
fn length(page: Page) -> AnyView {
    let kind = Memo::new(move |_| page.form.with(Form::kind));
    part(move || {
        let kind = kind.get();
        if is_rl(kind) {
            tokens(page, Field::MaxResponse)
        } else if generates(kind) {
            tokens(page, Field::RequestResponse)
        } else {
            tokens(page, Field::SequenceLength)
        }
    })
}

fn answer(page: Page) -> AnyView {
    part(move || {
        let lang = page.lang;
        let text = lang.text();
        let stale = page.errors.with(|errors| !errors.is_empty());
        let shown = page.shown.get()?;
        let answer = &shown.found.answer;
        let memory = &answer.memory;
        let (symbol, words, class) = match answer.fits {
            true => ("i-check", text.fits_short, "emb-fit"),
            false => ("i-x", text.does_not_fit, "emb-fit is-bad"),
        };
        let usd = answer
            .usd_per_mtok
            .map(|usd| view! { <div><dt>{text.per_mt}</dt><dd>{format::usd(usd)}</dd></div> });
        let notice = stale.then(
            || view! { <p class="stale-n">{icon("i-info")}<span>{text.stale_none}</span></p> },
        );
        Some(view! {
            <div class=if stale { "emb-v is-stale" } else { "emb-v" }>
                {notice}
                <p class=class>
                    {icon(symbol)}<b>{words}</b> " "
                    <span>{format!("{} / {} GiB", format::gib(memory.reserved_gib), format::gib(memory.capacity_gib))}</span>
                </p>
                <div class="emb-bar">{verdict::bar(answer)}</div>
                <dl class="emb-n">
                    <div><dt>{text.per_gpu}</dt><dd>{format::figure(answer.tokens_per_s_per_gpu)}</dd></div>
                    {usd}
                    <div><dt>"MFU"</dt><dd>{format::percent(answer.mfu, 1)}</dd></div>
                </dl>
            </div>
        })
    })
}
