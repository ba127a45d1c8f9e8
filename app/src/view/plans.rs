//! Other plans for the same question, best first, with the reason each is not chosen.

use super::erased::{live, part};
use leptos::prelude::*;
use shardwise_core::wire::PlanSpec;
use shardwise_core::{Answer, SearchResult};

use super::figure::meter;
use super::words;
use crate::format;
use crate::page::Page;
use crate::text::{Lang, Text, fill};

/// How many plans are shown.
const SHOWN: usize = 12;

/// Speeds this close are the same to a person.
const SAME: f64 = 0.005;

fn reason(answer: &Answer, chosen: &Answer, first: bool, lang: Lang) -> String {
    let text = lang.text();
    if !answer.fits {
        let memory = &answer.memory;
        let words = [
            &format::gib(memory.reserved_gib),
            &format::gib(memory.capacity_gib),
            lang.word(memory.phase),
        ];
        return fill(text.oom_why, &[words[0], words[1], words[2]]);
    }
    let ratio = answer.tokens_per_s_per_gpu / chosen.tokens_per_s_per_gpu - 1.0;
    if first {
        text.chosen.to_owned()
    } else if ratio < -SAME {
        fill(text.slower, &[&format::percent(-ratio, 0)])
    } else if ratio > SAME {
        fill(text.faster_tight, &[&format::percent(ratio, 0)])
    } else {
        text.same_speed.to_owned()
    }
}

/// What one forward pass takes, in short.
fn batch(plan: &PlanSpec, text: &Text) -> String {
    match (plan.max_tokens_per_gpu, plan.micro_batch) {
        (Some(tokens), _) => fill(text.batch_tokens, &[&format::grouped(tokens)]),
        (None, Some(sequences)) => fill(text.batch_sequences, &[&format::grouped(sequences)]),
        (None, None) => String::new(),
    }
}

/// Everything of a plan that its line shows: of plans that look the same the best stands for all.
fn face(plan: &PlanSpec, gpus: u32) -> String {
    let rollout = plan
        .rollout
        .as_ref()
        .and_then(|rollout| rollout.tensor_parallel)
        .unwrap_or_default();
    let backend = plan.backend.map(words::backend).unwrap_or_default();
    let batch = plan
        .max_tokens_per_gpu
        .or(plan.micro_batch)
        .unwrap_or_default();
    let (layout, offload) = (words::layout(plan, gpus), words::offload(plan, Lang::En));
    format!(
        "{backend} {layout} {batch} {} {rollout} {offload}",
        words::recompute(plan)
    )
}

/// The chosen plan, even where a pinned one is not among the best, and then the others.
fn distinct<'a>(found: &'a SearchResult, chosen: &'a Answer, gpus: u32) -> Vec<&'a Answer> {
    let mut faces = Vec::new();
    let mut distinct = Vec::new();
    for answer in std::iter::once(chosen).chain(&found.plans) {
        let face = face(&answer.plan, gpus);
        if !faces.contains(&face) {
            faces.push(face);
            distinct.push(answer);
        }
    }
    distinct.truncate(SHOWN);
    distinct
}

fn line(answer: &Answer, chosen: &Answer, gpus: u32, lang: Lang) -> AnyView {
    let text = lang.text();
    let plan = &answer.plan;
    let first = *plan == chosen.plan;
    let memory = &answer.memory;
    let backend = plan.backend.map(words::backend).unwrap_or_default();
    let class = match (answer.fits, first) {
        (true, true) => "p-best",
        (true, false) => "p-ok",
        (false, _) => "p-bad",
    };
    let rollout = plan
        .rollout
        .as_ref()
        .and_then(|rollout| rollout.tensor_parallel);
    let figures = if answer.fits {
        view! {
            <td class="n" data-l=text.step_s>{format::seconds(answer.step_time_s)}</td>
            <td class="n key" data-l=text.per_gpu>{format::figure(answer.tokens_per_s_per_gpu)}</td>
            <td class="n" data-l=text.col_usd_mt>{answer.usd_per_mtok.map(format::figure).unwrap_or_default()}</td>
        }
        .into_any()
    } else {
        view! { <td class="n gone" colspan="3"><span class="tag tag-bad">{text.oom}</span></td> }
            .into_any()
    };
    let offloaded = words::offload(plan, lang);
    let why = reason(answer, chosen, first, lang);
    let why = if offloaded.is_empty() {
        why
    } else {
        format!("{why} {}", fill(text.chip_offload, &[&offloaded]))
    };
    view! {
        <tr class=class>
            <th scope="row">{format!("{backend} · {}", words::layout(plan, gpus))}</th>
            <td class="second" data-l=text.batch>{batch(plan, text)}</td>
            <td class="second" data-l=text.recompute>{lang.word(words::recompute(plan)).to_owned()}</td>
            <td class="nb second" data-l=text.rollout_tp>{rollout.map(format::grouped).unwrap_or_default()}</td>
            <td class="n mem" data-l="GiB">
                <span>{format::gib(memory.reserved_gib)}</span>
                {meter(memory.reserved_gib / memory.capacity_gib, !answer.fits, 4)}
            </td>
            {figures}
            <td class="why">{why}{offloaded}</td>
        </tr>
    }
    .into_any()
}

fn table(found: &SearchResult, chosen: &Answer, gpus: u32, lang: Lang) -> AnyView {
    let text: &Text = lang.text();
    let lines: Vec<AnyView> = distinct(found, chosen, gpus)
        .into_iter()
        .map(|answer| line(answer, chosen, gpus, lang))
        .collect();
    view! {
        <div class="plans">
            <table class="tab tab-plans">
                <caption class="vh">{text.plans}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.layout}</th>
                        <th scope="col">{text.batch}</th>
                        <th scope="col">{text.recompute}</th>
                        <th scope="col">{text.rollout_tp}</th>
                        <th scope="col" class="n">"GiB"</th>
                        <th scope="col" class="n">{text.step_s}</th>
                        <th scope="col" class="n">{text.per_gpu}</th>
                        <th scope="col" class="n">{text.col_usd_mt}</th>
                        <th scope="col">{text.why}</th>
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

pub(super) fn view(page: Page) -> AnyView {
    let counted = move || {
        let text = page.text();
        page.plans.with(|plans| match plans {
            Some(found) => fill(
                text.plans_counted,
                &[
                    &format::grouped(found.considered as u64),
                    &format::grouped(found.fitting as u64),
                ],
            ),
            None => text.plans_counting.to_owned(),
        })
    };
    let body = move || {
        let lang = page.lang;
        let (shown, found) = (page.shown.get()?, page.plans.get()?);
        Some(table(
            &found,
            &shown.found.answer,
            shown.found.job.hardware.gpus,
            lang,
        ))
    };
    view! {
        <section class="block" id="plans" aria-labelledby="plans-h">
            <div class="block-h"><h2 id="plans-h">{page.text().plans}</h2><p>{live(counted)}</p></div>
            {part(body)}
        </section>
    }
    .into_any()
}
