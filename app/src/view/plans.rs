//! Other plans for the same question, best first, with the reason each is not chosen.

use super::dom::{el, live, node, part};
use leptos::prelude::*;
use shardwise_core::complete::training_gpus;
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
        vec![
            node(
                el("TD.n")
                    .set("data-l", text.step_s)
                    .child(format::seconds(answer.step_time_s)),
            ),
            node(
                el("TD.n key")
                    .set("data-l", text.per_gpu)
                    .child(format::figure(answer.tokens_per_s_per_gpu)),
            ),
            node(
                el("TD.n")
                    .set("data-l", text.col_usd_mt)
                    .child(answer.usd_per_mtok.map(format::figure).unwrap_or_default()),
            ),
        ]
        .into_any()
    } else {
        el("TD.n gone|colspan=3")
            .child(el("SPAN.tag tag-bad").child(text.oom))
            .into_any()
    };
    let offloaded = words::offload(plan, lang);
    let why = reason(answer, chosen, first, lang);
    let offloaded = (!offloaded.is_empty()).then(|| {
        let words = fill(text.chip_offload, &[&offloaded]);
        vec![node(" "), node(el("SPAN.muted").child(words))]
    });
    el("TR")
        .set("class", class)
        .child(el("TH|scope=row").child(format!("{backend} · {}", words::layout(plan, gpus))))
        .child(
            el("TD.second nb")
                .set("data-l", text.batch)
                .child(batch(plan, text)),
        )
        .child(
            el("TD.second nb")
                .set("data-l", text.recompute)
                .child(lang.word(words::recompute(plan)).to_owned()),
        )
        .child(
            el("TD.nb second")
                .set("data-l", text.rollout_tp)
                .child(rollout.map(format::grouped).unwrap_or_default()),
        )
        .child(
            el("TD.n mem|data-l=GiB")
                .child(el("SPAN").child(format::gib(memory.reserved_gib)))
                .child(meter(
                    memory.reserved_gib / memory.capacity_gib,
                    !answer.fits,
                    4,
                )),
        )
        .child(figures)
        .child(el("TD.why").child(why).child(offloaded))
        .into_any()
}

fn table(found: &SearchResult, chosen: &Answer, gpus: u32, lang: Lang) -> AnyView {
    let text: &Text = lang.text();
    let lines: Vec<AnyView> = distinct(found, chosen, gpus)
        .into_iter()
        .map(|answer| line(answer, chosen, gpus, lang))
        .collect();
    el("DIV.plans")
        .child(
            el("TABLE.tab tab-plans")
                .child(el("CAPTION.vh").child(text.plans))
                .child(
                    el("THEAD").child(
                        el("TR")
                            .child(el("TH|scope=col").child(text.layout))
                            .child(el("TH|scope=col").child(text.batch))
                            .child(el("TH|scope=col").child(text.recompute))
                            .child(el("TH|scope=col").child(text.rollout_tp))
                            .child(el("TH.n|scope=col").child("GiB"))
                            .child(el("TH.n|scope=col").child(text.step_s))
                            .child(el("TH.n|scope=col").child(text.per_gpu))
                            .child(el("TH.n|scope=col").child(text.col_usd_mt))
                            .child(el("TH|scope=col").child(text.why)),
                    ),
                )
                .child(el("TBODY").child(lines)),
        )
        .into_any()
}

pub(super) fn view(page: Page) -> AnyView {
    let counted = move || {
        let text = page.text();
        match page.planned() {
            Some(found) => fill(
                text.plans_counted,
                &[
                    &format::grouped(found.considered),
                    &format::grouped(found.evaluated),
                ],
            ),
            None => text.plans_counting.to_owned(),
        }
    };
    let body = move || {
        let lang = page.lang;
        let found = page.planned()?;
        let shown = page.standing()?;
        Some(table(
            &found,
            &shown.found.answer,
            training_gpus(&shown.found.job),
            lang,
        ))
    };
    el("SECTION.block|id=plans|aria-labelledby=plans-h")
        .child(
            el("DIV.block-h")
                .child(el("H2|id=plans-h").child(page.text().plans))
                .child(el("P").child(live(counted))),
        )
        .child(part(body))
        .into_any()
}
