//! What a script asks: whose text it is, what became of every key, and what it would give.
//!
//! What was pasted is shown as text alone: no part of it ever becomes markup or an address.

mod assumed;
mod doctor;
mod gain;
mod log;
mod row;

use super::words::{name, value as said_value, words_of};
use crate::protocol::blocks::Run;
use crate::sheets::prelude::*;

/// The sheet of what the core read.
pub(crate) fn sheet(found: &Value, lang: Lang) -> Vec<Block> {
    let error = &found["error"];
    if error.is_object() {
        let words = words_of(word(error, "message"), lang);
        let words = match error["line"].as_u64() {
            Some(line) if line > 0 => format!("{}{}{words}", place(error, line, lang), lang.colon()),
            _ => words,
        };
        return vec![said(Kind::Refusal, words)];
    }
    if found["diagnosis"].is_object() {
        let mut blocks = doctor::sheet(&found["diagnosis"], lang);
        if found["reading"].is_object() {
            blocks.extend(script(found, lang));
        }
        return blocks;
    }
    if found["run"].is_object() {
        return log::sheet(&found["run"], lang);
    }
    script(found, lang)
}

/// What became of a script.
fn script(found: &Value, lang: Lang) -> Vec<Block> {
    let sheet = lang.sheets();
    let reading = &found["reading"];
    let refused = &found["refused"];
    // What the text leaves out is asked for, not wrong.
    let missing = list(reading, "missing");
    let asked_for = missing.iter().map(|own| {
        let why = words_of(word(own, "why"), lang);
        let more = if word(own, "field") == "model" { sheet.model_asked } else { "" };
        said(Kind::Request, format!("{why}{}{more}", lang.of([" ", ""])))
    });
    let refused = refused[1].as_str().and_then(|why| {
        let field = refused[0].as_str().unwrap_or_default();
        let asked = missing.iter().any(|own| word(own, "field") == field);
        (!asked).then(|| said(Kind::Refusal, format!("{}{}{}", fields(field, lang), lang.colon(), words_of(why, lang))))
    });
    let groups = [
        ("not_modelled", sheet.read_unmodelled),
        ("assumed", sheet.read_assumed),
        ("understood", sheet.read_understood),
        ("ignored", sheet.read_ignored),
    ];
    let folds = groups.into_iter().filter_map(|(kind, name)| group(reading, kind, name, lang));
    let folds = folds.chain(gain::migrated(found, lang)).collect();
    let mut blocks = vec![head(found, lang)];
    blocks.extend(asked(found, lang));
    blocks.extend(stands_in(found, lang));
    blocks.extend(gain::verdict(found, lang));
    blocks.extend(doubts(found, lang));
    blocks.extend(asked_for);
    blocks.extend(refused);
    blocks.extend(assumed::view(found, lang));
    blocks.extend(gain::priced(found, lang));
    blocks.extend(problems(found, lang));
    blocks.extend(gain::changes(found, lang));
    blocks.push(Section::block("", Purpose::Folds, folds));
    blocks.extend(gain::uses(found, lang));
    blocks
}

/// A text of a report; empty where there is none.
fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn word_at(value: &Value, at: usize) -> &str {
    value[at].as_str().unwrap_or_default()
}

fn list<'a>(reading: &'a Value, key: &str) -> &'a [Value] {
    reading[key].as_array().map_or(&[], Vec::as_slice)
}

/// Whose text it is, and how many keys went where.
fn head(found: &Value, lang: Lang) -> Block {
    let sheet = lang.sheets();
    let reading = &found["reading"];
    let tagged = |key: &str, tone, words: &str| {
        let count = list(reading, key).len();
        (count > 0).then(|| tag(tone, fill(words, &[&count.to_string()])))
    };
    let understood = format::grouped(list(reading, "understood").len() as u64);
    // `verl 0.9.1, verl/trainer/config (https://…)`: the release is what comes first.
    let newest = found["framework"][1].as_str().and_then(|source| source.split(',').next());
    let older = reading["release"]
        .as_str()
        .map(|release| format!("{} {release}", word_at(&found["framework"], 0)));
    let release = older.or_else(|| newest.map(str::to_owned));
    let line = [
        Some(strong(word_at(&found["framework"], 0))),
        Some(run(fill(sheet.read_count, &[&understood]))),
        tagged("refused", Tone::Bad, sheet.count_refused),
        tagged("unknown", Tone::Warn, sheet.count_unknown),
        tagged("not_modelled", Tone::Plain, sheet.count_unmodelled),
        release.map(|release| quiet(fill(sheet.read_by, &[&release]))),
    ];
    prose(Kind::Summary, line.into_iter().flatten().collect())
}

/// The question in one sentence; nothing where it has no answer.
fn asked(found: &Value, lang: Lang) -> Option<Block> {
    let question = question_from_value(found["question"].clone()).ok()?;
    let job = shardwise_core::job::resolve(&question).ok()?;
    Some(said(Kind::Asked, words::asked(&job, lang)))
}

/// The line that an entry stands in, in one piece.
fn line_of(entry: &Value, lang: Lang) -> Option<Run> {
    let line = entry["line"].as_u64().filter(|line| *line > 0)?;
    Some(quiet(place(entry, line, lang).replace(' ', "\u{a0}")))
}

/// A line, and of several texts which it is of.
fn place(entry: &Value, line: u64, lang: Lang) -> String {
    match entry["file"].as_u64() {
        Some(file) => fill(lang.sheets().line_of_file, &[&file.to_string(), &line.to_string()]),
        None => fill(lang.sheets().line, &[&line.to_string()]),
    }
}

/// Something that was found at a place of the text.
fn finding(tone: Tone, key: &str, why: &str, entry: &Value, lang: Lang) -> Entry {
    let source = word(entry, "source");
    let mut line = Vec::new();
    // A rule about no single key names the field.
    match lang.field(key).filter(|_| key.contains('.')) {
        Some(name) => line.push(run(format!("{name}{}", lang.colon()))),
        None if !key.is_empty() => line.extend([code(key), run(" ")]),
        None => {}
    }
    line.push(run(format!("{} ", words_of(why, lang))));
    let place = line_of(entry, lang);
    if place.is_some() && !source.is_empty() {
        line.extend(place);
        line.push(quiet(format!(" · {source}")));
    } else {
        line.extend(place.or_else(|| (!source.is_empty()).then(|| quiet(source))));
    }
    Entry { tone, ..Entry::new([line]) }
}

/// What the verdict stands on and may be otherwise.
fn doubts(found: &Value, lang: Lang) -> Option<Block> {
    let left_out = Some(word(found, "left_out")).filter(|words| !words.is_empty());
    let left_out = left_out.map(|words| finding(Tone::Warn, "", words, &Value::Null, lang));
    let all = notes(found, "doubts", Tone::Warn, lang).chain(left_out).collect();
    apart("read-doubts", lang.sheets().stands_on, all)
}

/// Why the verdict is of another run than the text asks for.
fn stands_in(found: &Value, lang: Lang) -> Vec<Block> {
    let sheet = lang.sheets();
    let why = apart("read-instead", sheet.stands_in, notes(found, "stands_in", Tone::Bad, lang).collect());
    let below = said(Kind::Hint, sheet.stands_in_below);
    let below = (why.is_some() && found["answer"].is_object()).then_some(below);
    why.into_iter().chain(below).collect()
}

/// Notes of one kind, each at its place of the text.
fn notes<'a>(found: &'a Value, kind: &str, tone: Tone, lang: Lang) -> impl Iterator<Item = Entry> + use<'a> {
    list(found, kind)
        .iter()
        .map(move |own| finding(tone, "", word(own, "text"), own, lang))
}

/// What is not to be missed among the notes; nothing where there is none.
fn apart(id: &str, title: &str, all: Vec<Entry>) -> Option<Block> {
    let listed = |all| Section::headed(id, Purpose::Basis, title, vec![entries(Listed::Findings, all)]);
    (!all.is_empty()).then(|| listed(all))
}

/// What stands between the text and a run: what the framework refuses, what nobody knows, how it was read.
fn problems(found: &Value, lang: Lang) -> Option<Block> {
    let reading = &found["reading"];
    let apart = [list(found, "doubts"), list(found, "stands_in")].concat();
    let entry = |tone, key: &str, why: &str, entry: &Value| finding(tone, key, why, entry, lang);
    let sheet = lang.sheets();
    let mut found = Vec::new();
    for own in list(reading, "refused") {
        found.push(entry(Tone::Bad, word(own, "key"), word(own, "why"), own));
    }
    for own in list(reading, "unknown") {
        let hint = word(own, "hint");
        // A hint is a key that is near, or a sentence.
        let why = match hint {
            "" => sheet.read_no_key.to_owned(),
            key if !key.contains(' ') => fill(sheet.read_near, &[key]),
            words => words.to_owned(),
        };
        found.push(entry(Tone::Warn, word(own, "key"), &why, own));
    }
    for own in list(reading, "notes").iter().filter(|own| !apart.contains(own)) {
        found.push(entry(Tone::Info, "", word(own, "text"), own));
    }
    (!found.is_empty()).then(|| entries(Listed::Findings, found))
}

/// Fields of the question as the form calls them.
fn fields(paths: &str, lang: Lang) -> String {
    let paths = paths.split([' ', ',']).filter(|path| !path.is_empty());
    paths.map(|path| name(path, lang)).collect::<Vec<_>>().join(lang.comma())
}

/// The keys of one kind, folded.
fn group(reading: &Value, kind: &str, name: &str, lang: Lang) -> Option<Block> {
    let all = list(reading, kind);
    if all.is_empty() {
        return None;
    }
    let settings = all.iter().map(|entry| {
        let (key, value, field) = (word(entry, "key"), word(entry, "value"), word(entry, "field"));
        // What is assumed has no key, only a field: that is said as the form says it.
        let setting = match (key, value) {
            ("", "") => run(fields(field, lang)),
            ("", value) => run(format!("{}{}{}", fields(field, lang), lang.colon(), said_value(value, lang))),
            (key, "") => code(key),
            (key, value) => code(format!("{key}={value}")),
        };
        let rest =
            if key.is_empty() || field.is_empty() { words_of(word(entry, "why"), lang) } else { fields(field, lang) };
        let mut told = vec![run(rest), run(" ")];
        told.extend(line_of(entry, lang));
        Entry::new([vec![setting], told])
    });
    let settings = entries(Listed::Settings, settings);
    Some(fold(&format!("read-{kind}"), name, all.len().to_string(), vec![settings]))
}
