//! What a script asks: whose text it is, what became of every key, and what it would give.
//!
//! What was pasted is shown as text alone: no part of it ever becomes markup or an address.

mod assumed;
mod gain;

use serde_json::Value;
use shardwise_core::wire::question_from_value;

use super::words::words_of;
use crate::format;
use crate::text::{Lang, fill};
use crate::tree::parts::icon;
use crate::tree::{Tree, el};
use crate::words;

/// The sheet of what the core read.
pub(crate) fn sheet(found: &Value, lang: Lang) -> Tree {
    let error = &found["error"];
    if error.is_object() {
        let words = words_of(word(error, "message"), lang);
        let words = match error["line"].as_u64() {
            Some(line) if line > 0 => {
                format!("{}: {words}", fill(lang.sheets().line, &[&line.to_string()]))
            }
            _ => words,
        };
        return refusal(words);
    }
    let sheet = lang.sheets();
    let reading = &found["reading"];
    let refused = &found["refused"];
    let refused = refused[1].as_str().map(|why| {
        let field = refused[0].as_str().unwrap_or_default();
        // A configuration alone names no model: that is asked, not wrong.
        if field == "model" && found["question"]["model"].is_null() {
            return asking(sheet.model_asked);
        }
        refusal(format!("{field}: {}", words_of(why, lang)))
    });
    let groups = [
        ("not_modelled", sheet.read_unmodelled),
        ("assumed", sheet.read_assumed),
        ("understood", sheet.read_understood),
        ("ignored", sheet.read_ignored),
    ];
    let groups = groups.map(|(kind, name)| group(reading, kind, name, lang));
    el("DIV.reading")
        .child(head(found, lang))
        .child(asked(found, lang))
        .child(gain::verdict(found, lang))
        .child(refused)
        .child(assumed::view(found, lang))
        .child(problems(reading, lang))
        .children(gain::changes(found, lang))
        .child(el("DIV.read-groups").children(groups))
        .child(gain::uses(found, lang))
}

/// One sentence that something cannot be read.
fn refusal(words: String) -> Tree {
    el("P.callout callout-bad").child(icon("i-x")).child(el("SPAN").child(words))
}

/// What has to be said before there is an answer.
fn asking(words: &'static str) -> Tree {
    el("P.callout callout-info")
        .child(icon("i-info"))
        .child(el("SPAN").child(words))
}

/// A text of a report; empty where there is none.
fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(reading: &'a Value, key: &str) -> &'a [Value] {
    reading[key].as_array().map_or(&[], Vec::as_slice)
}

/// Whose text it is, and how many keys went where.
fn head(found: &Value, lang: Lang) -> Tree {
    let sheet = lang.sheets();
    let reading = &found["reading"];
    let of = |key| format::grouped(list(reading, key).len() as u64);
    let tag = |key: &str, class: &'static str, words: &str| {
        let count = list(reading, key).len();
        (count > 0).then(|| el("SPAN").set("class", class).child(fill(words, &[&count.to_string()])))
    };
    // `verl 0.9.1, verl/trainer/config (https://…)`: the release is what comes first.
    let release = found["framework"][1].as_str().and_then(|source| source.split(',').next());
    el("P.read-h")
        .child(el("B").child(found["framework"][0].as_str().unwrap_or_default().to_owned()))
        .child(el("SPAN").child(fill(sheet.read_count, &[&of("understood")])))
        .child(tag("refused", "tag tag-bad", sheet.count_refused))
        .child(tag("unknown", "tag tag-warn", sheet.count_unknown))
        .child(tag("not_modelled", "tag", sheet.count_unmodelled))
        .child(release.map(|release| el("SPAN.muted read-r").child(fill(sheet.read_by, &[release]))))
}

/// The question in one sentence; nothing where it has no answer.
fn asked(found: &Value, lang: Lang) -> Option<Tree> {
    let question = question_from_value(found["question"].clone()).ok()?;
    let job = shardwise_core::job::resolve(&question).ok()?;
    Some(el("P.read-q").child(words::asked(&job, lang)))
}

fn line_of(entry: &Value, lang: Lang) -> Option<Tree> {
    let line = entry["line"].as_u64().filter(|line| *line > 0)?;
    let words = fill(lang.sheets().line, &[&line.to_string()]);
    Some(el("SPAN.read-l").child(words))
}

/// What stands between the text and a run: what the framework refuses, what nobody knows, how it was read.
fn problems(reading: &Value, lang: Lang) -> Option<Tree> {
    let entry = |class: &'static str, symbol, key: &str, why: &str, entry: &Value| {
        let (source, why) = (word(entry, "source"), words_of(why, lang));
        el("LI").set("class", class).child(icon(symbol)).child(
            el("SPAN")
                .child((!key.is_empty()).then(|| el("CODE").child(key.to_owned())))
                .child(format!(" {why} "))
                .child(line_of(entry, lang))
                .child((!source.is_empty()).then(|| el("SPAN.read-s").child(source.to_owned()))),
        )
    };
    let sheet = lang.sheets();
    let mut entries: Vec<Tree> = Vec::new();
    for own in list(reading, "refused") {
        entries.push(entry("r-bad", "i-x", word(own, "key"), word(own, "why"), own));
    }
    for own in list(reading, "unknown") {
        let hint = word(own, "hint");
        // A hint is a key that is near, or a sentence.
        let why = match hint {
            "" => sheet.read_no_key.to_owned(),
            key if !key.contains(' ') => fill(sheet.read_near, &[key]),
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
fn group(reading: &Value, kind: &str, name: &'static str, lang: Lang) -> Option<Tree> {
    let entries = list(reading, kind);
    if entries.is_empty() {
        return None;
    }
    let count = entries.len().to_string();
    let entries = entries.iter().map(|entry| {
        let (key, value, field) = (word(entry, "key"), word(entry, "value"), word(entry, "field"));
        // What is assumed has no key, only a field.
        let setting = match (key, value) {
            ("", "") => field.to_owned(),
            ("", value) => format!("{field} = {value}"),
            (key, "") => key.to_owned(),
            (key, value) => format!("{key}={value}"),
        };
        let rest =
            if key.is_empty() || field.is_empty() { words_of(word(entry, "why"), lang) } else { field.to_owned() };
        el("LI")
            .child(el("CODE").child(setting))
            .child(el("SPAN").child(rest).child(" ").child(line_of(entry, lang)))
    });
    Some(
        el("DETAILS.more read-g")
            .set("id", format!("read-{kind}"))
            .child(el("SUMMARY").child(name).child(" ").child(el("SPAN").child(count)))
            .child(el("UL.read-list").children(entries)),
    )
}
