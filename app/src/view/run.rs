//! The run: how long it is, by its steps or its data set; when it is done, what it costs and what it writes.

use shardwise_core::Answer;
use shardwise_core::wire::{Checkpoint, Run};

use super::controls::Input;
use super::operations::Operations;
use super::text_box::TextBox;
use crate::follow::follow_at_rest;
use crate::form::{Field, is_rl};
use crate::protocol::{Task, compact};
use crate::sample::{MOST_BYTES, Sample};
use crate::view::prelude::*;

/// How long the typing must rest before a sample is counted, in milliseconds.
const REST_MS: u32 = 250;

/// From so many hours on nobody asks for the day.
const YEARS: f64 = 20.0 * 365.0 * 24.0;

/// The section.
#[component]
pub(super) fn Run(page: Page) -> impl IntoView {
    let text = page.text();
    order(page);
    view! {
        <section class="block" id="run" aria-labelledby="run-h">
            <div class="block-h">
                <h2 id="run-h">{text.the_run}</h2>
                <p class="note">
                    {move || if page.typed(Field::Operations) == "true" { text.run_note_all } else { text.run_note }}
                </p>
            </div>
            {move || fields(page)}
            <SampleBox page/>
            {move || result(page)}
            <Operations page/>
        </section>
    }
}

fn fields(page: Page) -> AnyView {
    let kind = page.kind();
    if kind.task() == shardwise_core::task::Task::Generate {
        return view! { <p class="hint">{page.text().run_generates}</p> };
    }
    let own = if is_rl(kind) {
        view! {
            <Input page field=Field::RunSteps again="run-"/>
            <Input page field=Field::RunExamples/>
        }
    } else {
        view! {
            <Input page field=Field::RunExamples/>
            <Input page field=Field::MeanSequenceLength again="run-"/>
            <Input page field=Field::SequenceLength again="run-"/>
        }
    };
    view! {
        <div class="runq" role="group" aria-label=page.text().the_run>
            {own}
            <Input page field=Field::RunEpochs placeholder="1"/>
            <Input page field=Field::RunCheckpoints placeholder="1"/>
        </div>
    }
}

/// The control of the run's length in the form: steps of RL, else tokens. Tokens of RL that an old link has stay in sight.
#[component]
pub(super) fn Length(page: Page) -> impl IntoView {
    let steps = move || is_rl(page.kind());
    let old = Memo::new(move |was: Option<&bool>| {
        steps() && (was == Some(&true) || !page.typed(Field::RunTokens).is_empty())
    });
    move || {
        let (steps, tokens) = (steps(), !steps() || old.get());
        view! {
            <div class="row">
                {steps.then(|| view! { <Input page field=Field::RunSteps/> })}
                {tokens.then(|| view! { <Input page field=Field::RunTokens/> })}
            </div>
        }
    }
}

/// Where a sample of the data set is pasted or dropped, and what it comes to; of large files the beginning.
#[component]
fn SampleBox(page: Page) -> impl IntoView {
    let text = page.text();
    let count = |page: Page, file, text, whole| {
        let prompts = is_rl(untrack(|| page.kind()));
        desk::order(page, Task::Sample { text, prompts, file, whole }, deliver);
    };
    view! {
        <details class="more sample" id="run-sample">
            <summary>{text.sample}</summary>
            <TextBox
                page
                name="sample"
                label=text.sample_label
                note=text.sample_note
                accept=".jsonl,.json,.csv,.txt,.tsv,.md"
                typed=page.sampled
                most=MOST_BYTES
                take=count
            >
                {move || page.sample.get().map(|own| view! { <Lengths page own/> })}
            </TextBox>
        </details>
    }
}

/// Counts what a person pastes, once the typing rests.
fn order(page: Page) {
    follow_at_rest(REST_MS, move || {
        let text = page.sampled.get();
        if text.trim().is_empty() {
            return None;
        }
        let mut end = text.len().min(MOST_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let prompts = is_rl(page.kind());
        let whole = end == text.len();
        Some(Box::new(move || {
            let mut text = text;
            text.truncate(end);
            desk::order(page, Task::Sample { text, prompts, file: String::new(), whole }, deliver);
        }))
    });
}

fn deliver(page: Page, found: serde_json::Value) {
    page.sample.set(compact::read(found));
}

/// What a sample comes to, and the button that takes its lengths.
#[component]
fn Lengths(page: Page, own: Sample) -> impl IntoView {
    let text = page.text();
    let count = format::grouped(own.examples as u64);
    let which = match (own.file.is_empty(), own.whole) {
        (true, true) => fill(text.sample_counted, &[&count]),
        (true, false) => fill(text.sample_begun, &[&count]),
        (false, true) => fill(text.sample_of, &[&count, &own.file]),
        (false, false) => fill(text.sample_begun_of, &[&count, &own.file]),
    };
    let [mean, most, longest] = [own.mean, own.most, own.longest].map(|tokens| format::fixed(tokens.round(), 0));
    let words = fill(text.sample_lengths, &[&mean, &most, &longest]);
    let (mean, longest, cv) = (own.mean, own.longest, own.cv);
    view! {
        <p class="sample-r">
            <span>
                {which}
                " "
                <b>{words}</b>
            </span>
            <button
                class="btn btn-s"
                type="button"
                id="sample-use"
                on:click=move |_| page.change(|form| form.use_lengths(mean, longest, cv))
            >
                {text.sample_use}
            </button>
        </p>
    }
}

fn result(page: Page) -> Option<AnyView> {
    let shown = page.answered()?;
    let answer = &shown.found.answer;
    let Some(run) = answer.run else {
        return Some(view! { <p class="hint" id="run-none">{page.text().run_none}</p> });
    };
    Some(view! {
        <dl class="runr">
            {time(page, answer, &run)}
            {done(page, answer, &run)}
            {steps(page, answer, &run)}
            {run.checkpoint.map(|own| checkpoint(page, &own))}
        </dl>
    })
}

/// A figure of the run under its name.
pub(super) fn card(name: &'static str, value: String, sub: String) -> AnyView {
    view! {
        <div>
            <dt>{name}</dt>
            <dd>
                <b>{value}</b>
                <span>{sub}</span>
            </dd>
        </div>
    }
}

/// Hours to a tenth, short ones to three digits.
pub(super) fn hours(value: f64) -> String {
    if (1.0..1000.0).contains(&value) { format::fixed(value, 1) } else { format::figure(value) }
}

/// Hours in all; a dash where it would hardly ever finish.
pub(super) fn all_hours(run: &Run) -> String {
    run.all_hours().map_or_else(|| "–".to_owned(), hours)
}

/// Hours, and dollars where there is a price.
fn time(page: Page, answer: &Answer, run: &Run) -> AnyView {
    let text = page.text();
    let range = |ends: [f64; 2]| fill(text.run_h, &[&ends.map(self::hours).join("–")]);
    let range = answer
        .interval
        .zip(run.all_hours().and_then(|hours| answer.against_speed(hours)).map(range))
        .map(|(interval, hours)| {
            let usd = run.all_usd().and_then(|usd| answer.against_speed(usd));
            let usd = usd.map(|usd| page.lang.comma().to_owned() + &format::usd_range(usd, format::dollars));
            fill(
                text.run_range,
                &[&format!("{hours}{}", usd.unwrap_or_default()), &format::percent(interval.coverage, 0)],
            )
        });
    let sub = if run.all_usd().is_none() { text.price_missing.to_owned() } else { String::new() };
    card(text.run_cost, price(page, run), range.unwrap_or(sub))
}

/// Hours, with the dollars where there is a price.
fn price(page: Page, run: &Run) -> String {
    let hours = fill(page.text().run_h, &[&all_hours(run)]);
    match run.all_usd() {
        Some(usd) => format!("{hours}{}{}", page.lang.comma(), format::dollars(usd)),
        None => hours,
    }
}

fn count(page: Page, run: &Run) -> String {
    let steps = format::fixed(run.steps, 0);
    if run.assumed { fill(page.text().run_assumed, &[&steps]) } else { steps }
}

/// The run in a line.
pub(super) fn line(page: Page) -> String {
    let text = page.text();
    if page.kind().task() == shardwise_core::task::Task::Generate {
        return text.run_generates.to_owned();
    }
    match page.answered().and_then(|shown| shown.found.answer.run) {
        Some(run) => fill(text.run_line, &[&count(page, &run), &price(page, &run)]),
        None => text.run_none.to_owned(),
    }
}

/// When it ends, if it starts now.
fn done(page: Page, answer: &Answer, run: &Run) -> AnyView {
    let text = page.text();
    let when = |hours: f64| {
        if hours < YEARS { browser::hours_from_now(hours, page.lang.tag()) } else { text.run_years.to_owned() }
    };
    let hours = run.all_hours().unwrap_or(f64::MAX);
    let range = answer.against_speed(hours).filter(|[_, high]| *high < YEARS);
    let range = range.map(|ends| {
        let [first, last] = ends.map(when);
        fill(text.run_between, &[&first, &last])
    });
    card(text.run_done, when(hours), range.unwrap_or_else(|| text.run_now.to_owned()))
}

fn steps(page: Page, answer: &Answer, run: &Run) -> AnyView {
    let text = page.text();
    let sub = [page.lang.tokens(run.tokens), format::seconds(answer.step_time_s)];
    card(text.run_steps, count(page, run), fill(text.run_step, &[&sub[0], &sub[1]]))
}

fn checkpoint(page: Page, own: &Checkpoint) -> AnyView {
    let text = page.text();
    let parts = [own.weights_bytes, own.optimizer_bytes, own.storage_bytes].map(bytes);
    let sub = fill(text.run_kept, &[&parts[0], &parts[1], &format::grouped(own.kept), &parts[2]]);
    card(text.run_checkpoint, bytes(own.bytes), sub)
}

/// Bytes on a disk, as disks are sold: powers of ten.
fn bytes(count: f64) -> String {
    let (scale, unit) = match count {
        count if count >= 1e12 => (1e12, "TB"),
        count if count >= 1e9 => (1e9, "GB"),
        _ => (1e6, "MB"),
    };
    format!("{}\u{a0}{unit}", format::figure(count / scale))
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn disks_are_sold_in_powers_of_ten() {
        assert_eq!(bytes(427.4e9), "427.4\u{a0}GB");
        assert_eq!(bytes(1.28e12), "1.28\u{a0}TB");
        assert_eq!(bytes(52.5e6), "52.5\u{a0}MB");
    }
}
