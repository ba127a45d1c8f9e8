//! The task and its sizes.

use crate::view::dom::{El, el, live, node, part, typed};
use leptos::prelude::*;
use shardwise_core::wire::WorkloadKind;
use shardwise_core::workload::Rl;

use super::values::{auto_text, found, yes_no};
use crate::form::task::Family;
use crate::form::{Field, is_rl};
use crate::format;
use crate::page::Page;
use crate::text::{Text, fill};
use crate::view::controls::{choice, input, message, plain, problem, tokens, wrong_class};
use crate::view::run;

/// The name of a kind of work.
fn family_name(family: Family, text: &Text) -> &'static str {
    match family {
        Family::Pretrain => text.task_pretrain,
        Family::Full => text.task_full,
        Family::Adapters => text.task_lora,
        Family::Rl => text.task_rl,
        Family::Generate => text.task_generate,
    }
}

/// The task in two lists: the kind of work, and which of it.
fn task(page: Page) -> AnyView {
    let choose = move |word: String| {
        let family = Family::ALL.into_iter().find(|family| family.word() == word);
        if let Some(family) = family {
            page.change(|form| form.choose_kind(family.usual()));
        }
    };
    let families = Family::ALL.into_iter().map(|family| {
        el("OPTION")
            .set("value", family.word())
            .flag("selected", move || Family::of(page.kind()) == family)
            .child(family_name(family, page.text()))
    });
    let family = Memo::new(move |_| Family::of(page.kind()));
    el("DIV")
        .live("class", move || format!("field task{}", wrong_class(page, Field::Kind)))
        .child(el("LABEL.vh|for=workload-kind").child(page.text().task_which))
        .child(
            el("SELECT|id=workload-kind")
                .on("change", typed(choose))
                .live("aria-invalid", move || problem(page, Field::Kind).map(|_| "true"))
                .live("aria-describedby", move || problem(page, Field::Kind).map(|_| "workload-kind-m"))
                .children(families),
        )
        .child(part(move || which(page, family.get())))
        .child(message(page, Field::Kind))
        .into_any()
}

/// The tasks of a kind, where there are several.
fn which(page: Page, family: Family) -> Option<Vec<El>> {
    let tasks = family.tasks();
    let name = if family == Family::Rl { page.text().task_algorithm } else { page.text().task_adapters };
    (tasks.len() > 1).then(|| {
        let choose =
            move |word: String| page.change(|form| form.choose_kind(WorkloadKind::of(&word).unwrap_or_default()));
        let options = tasks.into_iter().map(|task| {
            el("OPTION")
                .set("value", task.as_str())
                .flag("selected", move || page.kind() == task)
                .child(page.lang.word(task.name()))
        });
        let list = el("SELECT|id=algorithm").on("change", typed(choose)).children(options);
        vec![el("LABEL.vh|for=algorithm").child(name), list]
    })
}

pub(super) fn view(page: Page) -> AnyView {
    let step = move || {
        let lang = page.lang;
        let shown = page.answered()?;
        let answer = &shown.found.answer;
        Some(fill(lang.text().step_hint, &[&lang.tokens(answer.tokens_per_s * answer.step_time_s)]))
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
        .child(task(page))
        .child(part(fields))
        .child(el("P.hint").child(live(step)))
        .child(run::length(page))
        .into_any()
}

fn precision(page: Page) -> AnyView {
    let words: &[&str] = &["bf16", "fp16", "fp8", "mxfp8", "nvfp4"];
    choice(page, Field::Precision, words, Signal::stored("bf16".to_owned()))
}

fn training_fields(page: Page, kind: WorkloadKind) -> AnyView {
    let adapters = matches!(kind, WorkloadKind::Lora | WorkloadKind::Qlora).then(|| {
        let rank = input(page, Field::LoraRank, None, Signal::stored("16".to_owned()));
        let on = found(page, |_, lang| lang.word("all-linear").to_owned());
        el("DIV.row")
            .child(rank)
            .child(choice(page, Field::LoraTargets, &["all-linear", "attention"], on))
    });
    let packed = found(page, |shown, lang| yes_no(shown.found.job.workload.packing, lang));
    let mean = found(page, |shown, _| format::fixed(shown.found.job.workload.mean_sequence_length, 0));
    vec![
        node(
            el("DIV.row")
                .child(tokens(page, Field::SequenceLength))
                .child(plain(page, Field::GlobalBatch)),
        ),
        node(adapters),
        node(
            el("DETAILS.more").child(el("SUMMARY").child(page.text().more_sft)).child(
                el("DIV.row")
                    .child(input(page, Field::MeanSequenceLength, Some("tokens"), mean))
                    .child(choice(page, Field::Packing, &["true", "false"], packed))
                    .child(precision(page)),
            ),
        ),
    ]
    .into_any()
}

/// What the answer used of the RL step.
fn used(page: Page, of: fn(&Rl) -> String) -> Signal<String> {
    found(page, move |shown, _| {
        let rl = shown.found.job.workload.rl.as_ref();
        rl.map(of).unwrap_or_default()
    })
}

/// What the answer used of a switch of the RL step, in words.
fn switched(page: Page, of: fn(&Rl) -> bool) -> Signal<String> {
    found(page, move |shown, lang| {
        let rl = shown.found.job.workload.rl.as_ref();
        yes_no(rl.is_some_and(of), lang)
    })
}

fn rl_fields(page: Page) -> AnyView {
    let auto = |field, of: fn(&Rl) -> String| input(page, field, None, used(page, of));
    let switch = |field, of: fn(&Rl) -> bool| choice(page, field, &["true", "false"], switched(page, of));
    let mean = |field, of: fn(&Rl) -> String| input(page, field, Some("tokens"), used(page, of));
    let schedule = found(page, |_, lang| lang.word("colocated").to_owned());
    let schedules: &[&str] = &["colocated", "split", "one_step_off", "fully_async"];
    vec![
        node(
            el("DIV.row row-6")
                .child(plain(page, Field::Prompts))
                .child(auto(Field::Responses, |rl| format::grouped(rl.responses_per_prompt)))
                .child(tokens(page, Field::MaxPrompt))
                .child(tokens(page, Field::MaxResponse))
                .child(mean(Field::MeanPrompt, |rl| format::fixed(rl.mean_prompt_length, 0)))
                .child(mean(Field::MeanResponse, |rl| format::fixed(rl.mean_response_length, 0))),
        ),
        node(
            el("DETAILS.more").child(el("SUMMARY").child(page.text().more_rl)).child(
                el("DIV.row")
                    .child(auto(Field::Oversampling, |rl| format::trimmed(rl.oversampling)))
                    .child(auto(Field::Spread, |rl| format::fixed(rl.response_length_cv, 2)))
                    .child(auto(Field::MiniBatch, |rl| format::grouped(rl.mini_batch)))
                    .child(auto(Field::Epochs, |rl| format::grouped(rl.epochs)))
                    .child(switch(Field::Reference, |rl| rl.reference))
                    .child(switch(Field::OldLogProb, |rl| rl.old_log_prob))
                    .child(auto(Field::RewardSeconds, |rl| format::trimmed(rl.reward_s)))
                    .child(precision(page))
                    .child(choice(page, Field::Schedule, schedules, schedule))
                    .child(part(move || sides(page))),
            ),
        ),
    ]
    .into_any()
}

/// What a schedule asks for where generation has GPUs of its own.
fn sides(page: Page) -> Option<Vec<AnyView>> {
    let schedule = page.typed(Field::Schedule);
    let apart = !matches!(schedule.as_str(), "" | "colocated");
    apart.then(|| {
        let train = used(page, |rl| format::grouped(rl.train_gpus.into()));
        let staleness = (schedule == "fully_async").then(|| {
            let bound = used(page, |rl| format::grouped(rl.max_staleness));
            input(page, Field::MaxStaleness, None, bound)
        });
        vec![
            input(page, Field::TrainGpus, None, auto_text(page, train)),
            node(staleness),
            node(part(move || searched_split(page))),
        ]
    })
}

/// The split that was searched for, while nobody has typed one.
fn searched_split(page: Page) -> Option<El> {
    let shown = page.answered()?;
    let split = shown.found.answer.split?;
    page.typed(Field::TrainGpus).is_empty().then(|| {
        let (train, rollout) = (split.train_gpus, split.rollout_gpus);
        let sides = [train, rollout].map(|gpus| format::grouped(gpus.into()));
        el("P.hint").child(fill(page.text().split_hint, &[&sides[0], &sides[1]]))
    })
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
            el("DETAILS.more").child(el("SUMMARY").child(page.text().more_rollout)).child(
                el("DIV.row")
                    .child(input(page, Field::RequestSpread, None, Signal::stored("0".to_owned())))
                    .child(precision(page)),
            ),
        ),
    ]
    .into_any()
}
