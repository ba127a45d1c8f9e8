//! The answer in one line with its link, to pass on, and the code that embeds it; the same at length, to say that a number is
//! wrong.

use shardwise_core::catalog;

use super::panel::Panel;
use crate::view::copying::CopyButton;
use crate::view::prelude::*;
use crate::view::sheet;
use crate::words::{asked, gpu_label};

/// What opens the panel.
#[component]
pub(in crate::view) fn ShareButton(page: Page) -> impl IntoView {
    view! {
        <button class="btn btn-s share" type="button" id="share-open" popovertarget="share">
            <Icon name="i-share"/>
            <span>{page.text().share}</span>
        </button>
    }
}

#[component]
pub(super) fn Share(page: Page) -> impl IntoView {
    view! {
        <Panel page id="share" title=page.text().share>
            <Inside page/>
        </Panel>
    }
}

/// The answer in one line; empty while there is none.
fn summary(page: Page) -> String {
    let (text, lang) = (page.text(), page.lang);
    let Some(shown) = page.answered() else {
        return String::new();
    };
    let (job, answer) = (&shown.found.job, &shown.found.answer);
    let kind = job.workload.kind.name();
    let cost = answer
        .usd_per_mtok
        .map_or(String::new(), |usd| fill(text.share_cost, &[&format::usd(usd)]));
    fill(
        text.share_line,
        &[
            kind,
            &job.model.name,
            &format::grouped(job.hardware.gpus.into()),
            &gpu_label(&job.hardware.gpu),
            &format::figure(answer.tokens_per_s_per_gpu),
            &cost,
            &fit::sentence(&answer.fit, lang),
        ],
    )
}

#[component]
fn Inside(page: Page) -> impl IntoView {
    let text = page.text();
    let whole = move || format!("{} – {}", summary(page), page.link());
    let share = move |_| browser::share(&summary(page), &page.link());
    let state = page.sheet(Name::Embed).state;
    state.update(|state| drop(state.insert("site".to_owned(), browser::address().into())));
    view! {
        <div>
            <p class="muted">{text.share_note}</p>
            <p class="quote" id="share-text">{move || whole()}</p>
            <p class="copies">
                <CopyButton lang=page.lang of="share-text" first=true text=Signal::derive(whole)/>
                {browser::can_share().then(|| view! {
                    <button class="btn btn-s" type="button" id="share-system" on:click=share>
                        <Icon name="i-share"/>
                        {text.share_system}
                    </button>
                })}
            </p>
            {sheet::view(page, Name::Embed)}
        </div>
    }
}

/// How to say that a number is wrong: all that it takes to look into it, to copy.
#[component]
pub(in crate::view) fn Report(page: Page) -> impl IntoView {
    let words = move || {
        let (text, lang) = (page.text(), page.lang);
        let Some(shown) = page.answered() else {
            return String::new();
        };
        let answer = &shown.found.answer;
        let range = |interval: Option<[f64; 2]>| {
            interval.map_or(String::new(), |[low, high]| format!(" ({}–{})", format::figure(low), format::figure(high)))
        };
        let interval = answer.interval;
        let memory = &answer.memory;
        let usd = answer.usd_per_mtok.map_or_else(|| "–".to_owned(), format::usd);
        fill(
            text.report_text,
            &[
                &asked(&shown.found.job, lang),
                &page.link(),
                &fit::sentence(&answer.fit, lang),
                &format::gib(memory.reserved_gib),
                &range(interval.map(|interval| interval.peak_gib)),
                &format::figure(answer.tokens_per_s_per_gpu),
                &range(interval.map(|interval| interval.tokens_per_s_per_gpu)),
                &format::seconds(answer.step_time_s),
                &usd,
                &browser::exact_version(),
                catalog::VERSION,
                catalog::PRICES_AS_OF,
            ],
        )
    };
    view! {
        <details class="foot-report more" id="report">
            <summary>{page.text().report}</summary>
            <p>{page.text().report_how}</p>
            <pre class="quote" id="report-text">{move || words()}</pre>
            <p>
                <CopyButton lang=page.lang of="report-text" text=Signal::derive(words)/>
            </p>
        </details>
    }
}
