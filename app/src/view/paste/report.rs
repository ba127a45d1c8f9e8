//! What was read: whose text it is, what it asks, and what became of every key.

use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::wire::question_from_value;

use super::{gain, refusal};
use crate::format;
use crate::page::Page;
use crate::text::fill;
use crate::view::dom::{El, el, node};
use crate::view::icons::icon;
use crate::view::words;

/// A text of a report; empty where there is none.
pub(super) fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(reading: &'a Value, key: &str) -> &'a [Value] {
    reading[key].as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn view(page: Page, found: &Value) -> AnyView {
    let text = page.text();
    let reading = &found["reading"];
    let refused = &found["refused"];
    let refused = refused[1].as_str().map(|why| {
        let field = refused[0].as_str().unwrap_or_default();
        refusal(format!("{field}: {why}"))
    });
    vec![
        node(head(page, found)),
        node(asked(page, found)),
        node(problems(page, reading)),
        node(refused),
        node(gain::view(page, found)),
        node(
            el("DIV.read-groups")
                .child(group(page, reading, "not_modelled", text.read_unmodelled))
                .child(group(page, reading, "assumed", text.read_assumed))
                .child(group(page, reading, "understood", text.read_understood))
                .child(group(page, reading, "ignored", text.read_ignored)),
        ),
    ]
    .into_any()
}

/// Whose text it is, and how many keys went where.
fn head(page: Page, found: &Value) -> El {
    let text = page.text();
    let reading = &found["reading"];
    let of = |key| format::grouped(list(reading, key).len() as u64);
    let tag = |key: &str, class: &'static str, words: &str| {
        let count = list(reading, key).len();
        (count > 0).then(|| {
            el("SPAN")
                .set("class", class)
                .child(fill(words, &[&count.to_string()]))
        })
    };
    // `verl 0.9.1, verl/trainer/config (https://…)`: the release is what comes first.
    let release = found["framework"][1]
        .as_str()
        .and_then(|source| source.split(',').next());
    el("P.read-h")
        .child(
            el("B").child(
                found["framework"][0]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            ),
        )
        .child(el("SPAN").child(fill(text.read_count, &[&of("understood")])))
        .child(tag("refused", "tag tag-bad", text.count_refused))
        .child(tag("unknown", "tag tag-warn", text.count_unknown))
        .child(tag("not_modelled", "tag", text.count_unmodelled))
        .child(release.map(|release| el("SPAN.muted read-r").child(fill(text.read_by, &[release]))))
}

/// The question in one sentence; nothing where it has no answer.
fn asked(page: Page, found: &Value) -> Option<El> {
    let question = question_from_value(found["question"].clone()).ok()?;
    let job = shardwise_core::job::resolve(&question).ok()?;
    Some(el("P.read-q").child(words::asked_of(&job, page.lang)))
}

fn line_of(page: Page, entry: &Value) -> Option<El> {
    let line = entry["line"].as_u64().filter(|line| *line > 0)?;
    let words = fill(page.text().line, &[&line.to_string()]);
    Some(el("SPAN.read-l").child(words))
}

/// What stands between the text and a run: what the framework refuses, what nobody knows, how it was read.
fn problems(page: Page, reading: &Value) -> Option<El> {
    let entry = |class: &'static str, symbol, key: &str, why: &str, entry: &Value| {
        let source = word(entry, "source");
        el("LI").set("class", class).child(icon(symbol)).child(
            el("SPAN")
                .child((!key.is_empty()).then(|| el("CODE").child(key.to_owned())))
                .child(format!(" {why} "))
                .child(line_of(page, entry))
                .child((!source.is_empty()).then(|| el("SPAN.read-s").child(source.to_owned()))),
        )
    };
    let text = page.text();
    let mut entries: Vec<El> = Vec::new();
    for own in list(reading, "refused") {
        entries.push(entry(
            "r-bad",
            "i-x",
            word(own, "key"),
            word(own, "why"),
            own,
        ));
    }
    for own in list(reading, "unknown") {
        let hint = word(own, "hint");
        // A hint is a key that is near, or a sentence.
        let why = match hint {
            "" => text.read_no_key.to_owned(),
            key if !key.contains(' ') => fill(text.read_near, &[key]),
            words => words.to_owned(),
        };
        entries.push(entry("r-warn", "i-warn", word(own, "key"), &why, own));
    }
    for own in list(reading, "notes") {
        entries.push(entry("r-info", "i-info", "", word(own, "text"), own));
    }
    (!entries.is_empty()).then(|| el("UL.reads").children(entries))
}

/// The keys of one kind, folded.
fn group(page: Page, reading: &Value, kind: &str, name: &'static str) -> Option<El> {
    let entries = list(reading, kind);
    if entries.is_empty() {
        return None;
    }
    let count = entries.len().to_string();
    let entries = entries.iter().map(|entry| {
        let (key, value, field) = (
            word(entry, "key"),
            word(entry, "value"),
            word(entry, "field"),
        );
        // What is assumed has no key, only a field.
        let setting = match (key, value) {
            ("", "") => field.to_owned(),
            ("", value) => format!("{field} = {value}"),
            (key, "") => key.to_owned(),
            (key, value) => format!("{key}={value}"),
        };
        let rest = if key.is_empty() || field.is_empty() {
            word(entry, "why").to_owned()
        } else {
            field.to_owned()
        };
        el("LI").child(el("CODE").child(setting)).child(
            el("SPAN")
                .child(rest)
                .child(" ")
                .child(line_of(page, entry)),
        )
    });
    Some(
        el("DETAILS.more read-g")
            .child(
                el("SUMMARY")
                    .child(name)
                    .child(" ")
                    .child(el("SPAN").child(count)),
            )
            .child(el("UL.read-list").children(entries)),
    )
}
