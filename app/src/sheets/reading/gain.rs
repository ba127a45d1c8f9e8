//! What a script would give as it is and with the changes that help most, and the way into the form.

use serde_json::Value;
use shardwise_core::wire::{FitState, question_from_value};

use super::word;
use crate::fit;
use crate::form::Field;
use crate::format;
use crate::text::{Lang, fill};
use crate::tree::parts::{copy, icon};
use crate::tree::{Tree, el};

/// The file that a diff is saved as.
const FILE: &str = "shardwise.diff";

fn steps(found: &Value) -> &[Value] {
    found["improved"]["changes"].as_array().map_or(&[][..], Vec::as_slice)
}

/// What the answer, and the one with the changes, come to.
pub(super) fn verdict(found: &Value, lang: Lang) -> Option<Tree> {
    let answer = Some(&found["answer"]).filter(|answer| answer.is_object())?;
    let changes = steps(found);
    let with = (!changes.is_empty()).then(|| row(with_changes(changes, lang), &found["improved"]["answer"], lang));
    Some(
        el("DL.reada")
            .child(row(lang.sheets().as_it_is.to_owned(), answer, lang))
            .child(with),
    )
}

/// The changes that help, one by one and as lines of the text.
pub(super) fn changes(found: &Value, lang: Lang) -> Vec<Tree> {
    let sheet = lang.sheets();
    let improved = &found["improved"];
    if !found["answer"].is_object() {
        return Vec::new();
    }
    let changes = steps(found);
    let changes = if changes.is_empty() {
        el("P.hint").child(sheet.changes_none)
    } else {
        el("OL.readc").children(changes.iter().map(|own| change(own, lang)))
    };
    let rest = [elsewhere(improved, lang), diff(word(improved, "diff"), lang)];
    [Some(changes)].into_iter().chain(rest).flatten().collect()
}

fn with_changes(changes: &[Value], lang: Lang) -> String {
    let sheet = lang.sheets();
    match changes.len() {
        1 => sheet.with_change.to_owned(),
        more => fill(sheet.with_changes, &[&more.to_string()]),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// A row of the comparison: fits, memory, speed, cost.
fn row(name: String, answer: &Value, lang: Lang) -> Tree {
    let text = lang.text();
    let own = &answer["fit"];
    let state = serde_json::from_value(own["state"].clone()).unwrap_or(FitState::No);
    let [has, needs] = ["capacity_gib", "needed_gib"].map(|key| format::gib(number(&own[key])));
    let usd = answer["usd_per_mtok"]
        .as_f64()
        .map_or("–".to_owned(), |usd| format!("{}/MT", format::usd(usd)));
    el("DIV")
        .set("class", fit::class(state))
        .child(el("DT").child(name))
        .child(
            el("DD.reada-f")
                .child(el("B").child(fit::short(state, number(&own["probability"]), lang)))
                .child(" ")
                .child(el("SPAN.nb").child(format!("{needs} / {has} GiB"))),
        )
        .child(
            el("DD")
                .child(el("B").child(format::figure(number(&answer["tokens_per_s_per_gpu"]))))
                .child(" ")
                .child(el("SPAN").child(text.per_gpu)),
        )
        .child(el("DD").child(el("B").child(usd)))
}

/// A change: what the framework is told, and what it brings.
fn change(own: &Value, lang: Lang) -> Tree {
    let (text, sheet) = (lang.text(), lang.sheets());
    let faster = number(&own["speedup"]);
    // Three digits would promise more than an estimate holds; below two times, per cent read better.
    let speed = if !faster.is_finite() {
        String::new()
    } else if faster >= 2.0 {
        fill(sheet.times_as_fast, &[&format::fixed(faster, 1)])
    } else if faster >= 1.005 {
        fill(sheet.per_cent_faster, &[&format::percent(faster - 1.0, 0)])
    } else if faster <= 0.995 {
        fill(sheet.per_cent_slower, &[&format::percent(1.0 - faster, 0)])
    } else {
        sheet.as_fast.to_owned()
    };
    let path = word(own, "field");
    // As the form calls it; the path of what has no control.
    let name = Field::of_path(path).map_or(path, |field| lang.label(field));
    let needs = format::gib(number(&own["reserved_gib"]));
    let fits = if own["fits"] == true { text.fits_short } else { text.does_not_fit };
    let settings: Vec<&str> = own["settings"]
        .as_array()
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .filter_map(Value::as_str)
        .collect();
    el("LI")
        .child(
            el("P.readc-h")
                .child(el("SPAN").child(format!(
                    "{name}: {} → {}",
                    lang.word(word(own, "from")),
                    lang.word(word(own, "to"))
                )))
                .child(" ")
                .child(el("B").child(speed))
                .child(" ")
                .child(el("SPAN.muted nb").child(format!("{fits} · {needs} GiB"))),
        )
        .child((!settings.is_empty()).then(|| {
            el("P.readc-s").children(settings.into_iter().map(|setting| el("CODE").child(setting.to_owned())))
        }))
}

/// Settings that have no place in what was pasted.
fn elsewhere(improved: &Value, lang: Lang) -> Option<Tree> {
    let settings = improved["elsewhere"].as_array().filter(|all| !all.is_empty())?;
    let settings: Vec<&str> = settings.iter().filter_map(Value::as_str).collect();
    Some(
        el("P.hint")
            .child(lang.sheets().changes_elsewhere)
            .child(" ")
            .child(el("CODE").child(settings.join(" "))),
    )
}

/// The changes as lines of the text.
fn diff(diff: &str, lang: Lang) -> Option<Tree> {
    if diff.is_empty() {
        return None;
    }
    let (text, sheet) = (lang.text(), lang.sheets());
    let lines = diff.lines().map(|line| {
        // A file's name and the place in it first: they begin as lines that go and come do.
        let class = if line.starts_with("+++ ") || line.starts_with("--- ") || line.starts_with("@@") {
            "ln d-at"
        } else if line.starts_with('+') {
            "ln d-in"
        } else if line.starts_with('-') {
            "ln d-out"
        } else {
            "ln"
        };
        // With its line break, which what is copied or saved of it needs.
        el("SPAN").set("class", class).child(format!("{line}\n"))
    });
    let save = el("BUTTON.btn btn-s download|type=button")
        .saves_text(FILE, "paste-diff")
        .child(icon("i-down"))
        .child(text.download);
    Some(
        el("DIV.diff")
            .child(
                el("DIV.diff-h")
                    .child(el("H3").child(sheet.diff))
                    .child(save)
                    .child(copy("paste-diff", lang)),
            )
            .child(
                el("PRE.code|tabindex=0|role=region")
                    .set("aria-label", sheet.diff)
                    .child(el("CODE|id=paste-diff").children(lines)),
            ),
    )
}

/// The way into the form. The text stays in the box, and Back undoes the step.
pub(super) fn uses(found: &Value, lang: Lang) -> Option<Tree> {
    let sheet = lang.sheets();
    let load = |question: &Value, class: &'static str, words: String| {
        let question = question_from_value(question.clone()).ok()?;
        let button = el("BUTTON|type=button").set("class", class);
        Some(button.asks(&question).child(words))
    };
    let changes = steps(found).len();
    let as_it_is =
        load(&found["question"], if changes == 0 { "btn btn-1" } else { "btn" }, sheet.use_as_it_is.to_owned())?;
    let changed = (changes > 0)
        .then(|| {
            let words = match changes {
                1 => sheet.use_change.to_owned(),
                more => fill(sheet.use_changes, &[&more.to_string()]),
            };
            load(&found["improved"]["question"], "btn btn-1", words)
        })
        .flatten();
    Some(el("P.pop-f").child(changed).child(as_it_is))
}
