//! The page inside another: one card of the first fields, the verdict, three figures and the plan. Parts of the whole page
//! stand below it where its address asks for them.

use shardwise_core::catalog;

use super::advice::Advice;
use super::ask::framework::Framework;
use super::ask::hardware::GpuChoice;
use super::ask::picker::ModelName;
use super::banner::Banner;
use super::controls::Input;
use super::flags::Flags;
use super::gpus::{self, Drawing};
use super::header::CopyLink;
use super::how::HowPanel;
use super::memory::Memory;
use super::plan::ToldPlan;
use super::time::Time;
use super::{calibrate, run, sheet, verdict};
use crate::form::{Field, generates, is_rl};
use crate::view::prelude::*;

/// The embed's own parts: shown where the address names none.
const OWN: [&str; 2] = ["form", "verdict"];

/// The chart of GPU types, where the address names it.
const CHART: &str = "gpus";

/// A part of the page: its name in the address, and what makes it.
type Panel = (&'static str, fn(Page) -> AnyView);

/// The parts of the whole page that an embed may have below its own.
const MORE: [Panel; 9] = [
    ("memory", |page| view! { <Memory page/> }),
    ("time", |page| view! { <Time page/> }),
    ("timeline", |page| sheet::view(page, Name::Timeline)),
    ("front", |page| sheet::view(page, Name::Front)),
    ("scaling", |page| sheet::view(page, Name::Scaling)),
    ("plans", |page| sheet::section(page, Name::Plans, page.text().plans, "")),
    ("sensitivity", |page| sheet::section(page, Name::Sensitivity, page.text().sensitivity, "")),
    ("flags", |page| view! { <Flags page/> }),
    ("advice", |page| view! { <Advice page/> }),
];

#[component]
pub(super) fn Embed(page: Page) -> impl IntoView {
    let known = OWN.into_iter().chain([CHART]).chain(MORE.map(|(name, _)| name));
    let all: Vec<&str> = known.collect();
    let asked = browser::query("panels").unwrap_or_default();
    let (named, unknown): (Vec<&str>, Vec<&str>) = asked
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .partition(|name| all.contains(name));
    let named = if named.is_empty() { OWN.into() } else { named };
    let has = |name| named.contains(&name);
    let unknown = (!unknown.is_empty()).then(|| {
        let [unknown, all] = [&unknown, &all].map(|names| names.join(page.lang.of([", ", "、"])));
        view! {
            <p class="callout callout-bad banner" role="alert" id="no-panel">
                <Icon name="i-warn"/>
                <span>{fill(page.text().no_panel, &[&unknown, &all])}</span>
            </p>
        }
    });
    let more: Vec<AnyView> = MORE
        .into_iter()
        .filter(|(name, _)| has(name))
        .map(|(_, view)| view(page))
        .collect();
    let more = (!more.is_empty()).then(|| {
        desk::open(page.no_worker);
        view! {
            <div class="emb-more">
                {more}
                <HowPanel page/>
            </div>
        }
    });
    view! {
        <main class="emb-page" id="answer">
            <section class="emb" aria-labelledby="emb-h">
                <h1 class="vh" id="emb-h">{page.text().embed_title}</h1>
                <Banner page/>
                {unknown}
                {has("form").then(|| view! { <Form page/> })}
                {has("verdict").then(|| view! { <Answered page/> })}
                {has(CHART).then(|| view! {
                    <figure class="fgr emb-f">
                        <figcaption>
                            <p class="take" id="c-gpus">{move || gpus::sentence(page)}</p>
                        </figcaption>
                        <Drawing page chosen=gpus::choice(page, true) embedded=true/>
                    </figure>
                })}
                {more}
                <Foot page/>
            </section>
        </main>
    }
}

/// The way to the whole page, and of when its data are.
#[component]
fn Foot(page: Page) -> impl IntoView {
    let text = page.lang.site();
    let facts = format!("{} {} · {} {}", text.data, catalog::VERSION, text.prices, catalog::PRICES_AS_OF);
    view! {
        <footer class="emb-foot">
            <CopyLink lang=page.lang link=Signal::derive(move || page.link())/>
            <a id="open-full" target="_blank" rel="noopener" href=move || page.link()>
                {page.text().open_full}
                <Icon name="i-arrow"/>
            </a>
            <span>{facts}</span>
        </footer>
    }
}

#[component]
fn Form(page: Page) -> impl IntoView {
    view! {
        <form class="emb-q" aria-label=page.text().your_question on:submit=|event| event.prevent_default()>
            <Framework page/>
            <ModelName page/>
            <GpuChoice page/>
            <Input page field=Field::Gpus placeholder=""/>
            {move || {
                let kind = page.kind();
                let field = if is_rl(kind) {
                    Field::MaxResponse
                } else if generates(kind) {
                    Field::RequestResponse
                } else {
                    Field::SequenceLength
                };
                view! { <Input page field tokens=true/> }
            }}
        </form>
    }
}

/// A figure of the card.
#[component]
fn Figure(#[prop(into)] name: String, value: String, #[prop(into)] unit: String) -> impl IntoView {
    view! {
        <div>
            <dt>{name}</dt>
            <dd>
                {value}
                " "
                <span>{unit}</span>
            </dd>
        </div>
    }
}

/// A step, the throughput, and the run: where none is stated, what a million tokens cost.
#[component]
fn Figures(page: Page, shown: Arc<Shown>) -> impl IntoView {
    let (text, answer) = (page.text(), &shown.found.answer);
    let last = match (answer.run, answer.usd_per_mtok) {
        (Some(length), _) => {
            let hours = format!("{}\u{a0}{}", run::all_hours(&length), text.hours);
            Some(match length.all_usd() {
                Some(usd) => (text.whole, format::dollars(usd), hours),
                None => (text.whole, hours, String::new()),
            })
        }
        (None, usd) => usd.map(|usd| (text.cost, format::usd(usd), text.per_mt.to_owned())),
    };
    view! {
        <dl class="emb-n">
            <Figure name=text.step value=format::seconds(answer.step_time_s) unit=text.seconds_unit/>
            <Figure name=text.throughput value=format::figure(answer.tokens_per_s_per_gpu) unit=text.per_gpu/>
            {last.map(|(name, value, unit)| view! { <Figure name value unit/> })}
        </dl>
    }
}

/// What is wrong with the question, field by field, where it is not answered.
fn refused(page: Page) -> AnyView {
    let words = verdict::wrong(page);
    let words = if words.is_empty() { page.text().stale_none.to_owned() } else { words };
    view! {
        <div class="emb-v is-none">
            <p class="emb-fit" role="alert" id="refused">
                <Icon name="i-warn"/>
                <span>{words}</span>
            </p>
        </div>
    }
}

#[component]
fn Answered(page: Page) -> impl IntoView {
    move || {
        let stale = !page.wrong().is_empty();
        let Some(shown) = page.answered() else {
            // A link that cannot be read has its banner.
            return stale.then(|| refused(page));
        };
        let lang = page.lang;
        let own = &shown.found.answer.fit;
        let state = fit::class(own.state);
        Some(view! {
            <div class=format!("emb-v {state}{}", if stale { " is-stale" } else { "" })>
                {verdict::stale(page, &shown)}
                <p class="emb-fit">
                    <Icon name=fit::icon(own.state)/>
                    <b>{fit::word(own.state, lang)}</b>
                    <span>{fit::behind(own, lang)}</span>
                    {calibrate::tag(shown.found.answer.calibration.is_some(), lang)}
                </p>
                <p class="verdict-m">{verdict::spare(own, lang)}</p>
                <p class="verdict-q">{words::asked(&shown.found.job, lang)}</p>
                {verdict::bar(own, lang)}
                <Figures page shown=shown.clone()/>
                <ToldPlan page shown=shown.clone()/>
            </div>
        })
    }
}
