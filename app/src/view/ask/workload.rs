//! The task and its sizes.

use crate::view::dom::{el, live, node, part, typed};
use leptos::prelude::*;
use shardwise_core::wire::WorkloadKind;

use super::found;
use crate::form::{Field, KINDS, is_rl};
use crate::format;
use crate::page::Page;
use crate::text::fill;
use crate::view::controls::{choice, input, plain, tokens};

fn kinds(page: Page) -> AnyView {
    let choices = KINDS.into_iter().map(|(choice, word, name)| {
        el("LABEL")
            .child(
                el("INPUT|type=radio|name=kind")
                    .set("value", word)
                    .flag("checked", move || page.kind() == choice)
                    .on(
                        "change",
                        typed(move |_| page.change(|form| form.choose_kind(choice))),
                    ),
            )
            .child(el("SPAN").child(name))
    });
    el("DIV.kinds|role=group")
        .set("aria-label", page.lang.label(Field::Kind))
        .children(choices)
        .into_any()
}

pub(super) fn view(page: Page) -> AnyView {
    let step = move || {
        let lang = page.lang;
        let shown = page.answered()?;
        let answer = &shown.found.answer;
        Some(fill(
            lang.text().step_hint,
            &[&lang.tokens(answer.tokens_per_s * answer.step_time_s)],
        ))
    };
    let fields = move || {
        let kind = page.kind();
        if is_rl(kind) {
            rl_fields(page)
        } else if kind == WorkloadKind::Rollout {
            rollout_fields(page)
        } else {
            training_fields(page, kind)
        }
    };
    el("FIELDSET.group")
        .child(el("LEGEND").child(page.text().workload))
        .child(kinds(page))
        .child(part(fields))
        .child(el("P.hint").child(live(step)))
        .child(el("DIV.row").child(plain(page, Field::RunTokens)))
        .into_any()
}

fn precision(page: Page) -> AnyView {
    let words: &[&str] = &["bf16", "fp16", "fp8", "mxfp8", "nvfp4"];
    choice(
        page,
        Field::Precision,
        words,
        Signal::stored("bf16".to_owned()),
    )
}

fn training_fields(page: Page, kind: WorkloadKind) -> AnyView {
    let adapters = matches!(kind, WorkloadKind::Lora | WorkloadKind::Qlora).then(|| {
        let rank = input(page, Field::LoraRank, None, Signal::stored("16".to_owned()));
        let on = found(page, |_, lang| lang.word("all-linear").to_owned());
        el("DIV.row").child(rank).child(choice(
            page,
            Field::LoraTargets,
            &["all-linear", "attention"],
            on,
        ))
    });
    let packed = found(page, |shown, lang| {
        let text = lang.text();
        (if shown.found.job.workload.packing {
            text.yes
        } else {
            text.no
        })
        .to_owned()
    });
    let mean = found(page, |shown, _| {
        format::fixed(shown.found.job.workload.mean_sequence_length, 0)
    });
    vec![
        node(
            el("DIV.row")
                .child(tokens(page, Field::SequenceLength))
                .child(plain(page, Field::GlobalBatch)),
        ),
        node(adapters),
        node(
            el("DETAILS.more")
                .child(el("SUMMARY").child(page.text().more_sft))
                .child(
                    el("DIV.row")
                        .child(input(page, Field::MeanSequenceLength, Some("tokens"), mean))
                        .child(choice(page, Field::Packing, &["true", "false"], packed))
                        .child(precision(page)),
                ),
        ),
    ]
    .into_any()
}

fn rl_fields(page: Page) -> AnyView {
    let rl = move |of: fn(&shardwise_core::workload::Rl) -> String| {
        found(page, move |shown, _| {
            shown
                .found
                .job
                .workload
                .rl
                .as_ref()
                .map(of)
                .unwrap_or_default()
        })
    };
    let reference = found(page, |shown, lang| {
        let on = shown
            .found
            .job
            .workload
            .rl
            .as_ref()
            .is_some_and(|rl| rl.reference);
        (if on { lang.text().yes } else { lang.text().no }).to_owned()
    });
    let schedule = found(page, |_, lang| lang.word("colocated").to_owned());
    let split = move || {
        let schedule = page.typed(Field::Schedule);
        (!schedule.is_empty() && schedule != "colocated").then(|| {
            input(
                page,
                Field::TrainGpus,
                None,
                rl(|rl| format::grouped(rl.train_gpus.into())),
            )
        })
    };
    let schedules: &[&str] = &["colocated", "split", "one_step_off", "fully_async"];
    vec![
        node(
            el("DIV.row row-6")
                .child(plain(page, Field::Prompts))
                .child(input(
                    page,
                    Field::Responses,
                    None,
                    rl(|rl| format::grouped(rl.responses_per_prompt)),
                ))
                .child(tokens(page, Field::MaxPrompt))
                .child(tokens(page, Field::MaxResponse))
                .child(input(
                    page,
                    Field::MeanPrompt,
                    Some("tokens"),
                    rl(|rl| format::fixed(rl.mean_prompt_length, 0)),
                ))
                .child(input(
                    page,
                    Field::MeanResponse,
                    Some("tokens"),
                    rl(|rl| format::fixed(rl.mean_response_length, 0)),
                )),
        ),
        node(
            el("DETAILS.more")
                .child(el("SUMMARY").child(page.text().more_rl))
                .child(
                    el("DIV.row")
                        .child(input(
                            page,
                            Field::MiniBatch,
                            None,
                            rl(|rl| format::grouped(rl.mini_batch)),
                        ))
                        .child(input(
                            page,
                            Field::Epochs,
                            None,
                            rl(|rl| format::grouped(rl.epochs)),
                        ))
                        .child(input(
                            page,
                            Field::Spread,
                            None,
                            rl(|rl| format::fixed(rl.response_length_cv, 2)),
                        ))
                        .child(choice(
                            page,
                            Field::Reference,
                            &["true", "false"],
                            reference,
                        ))
                        .child(choice(page, Field::Schedule, schedules, schedule))
                        .child(precision(page))
                        .child(part(split)),
                ),
        ),
    ]
    .into_any()
}

fn rollout_fields(page: Page) -> AnyView {
    vec![
        node(
            el("DIV.row row-6")
                .child(plain(page, Field::Requests))
                .child(tokens(page, Field::RequestPrompt))
                .child(tokens(page, Field::RequestResponse)),
        ),
        node(
            el("DETAILS.more")
                .child(el("SUMMARY").child(page.text().more_rollout))
                .child(
                    el("DIV.row")
                        .child(input(
                            page,
                            Field::RequestSpread,
                            None,
                            Signal::stored("0".to_owned()),
                        ))
                        .child(precision(page)),
                ),
        ),
    ]
    .into_any()
}
