//! What a script would give as it is and with the changes that help most, and the way into the form.

use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::wire::question_from_value;

use super::report::word;
use super::unread;
use crate::browser;
use crate::form::Field;
use crate::format;
use crate::page::Page;
use crate::text::fill;
use crate::view::copying;
use crate::view::dom::{El, el, node, press};

/// The file that a diff is saved as.
const FILE: &str = "shardwise.diff";

/// What the answer, and the one with the changes, come to.
pub(super) fn view(page: Page, found: &Value) -> AnyView {
    let text = page.text();
    let (answer, improved) = (&found["answer"], &found["improved"]);
    if !answer.is_object() {
        return ().into_any();
    }
    let changes = improved["changes"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let with =
        (!changes.is_empty()).then(|| row(page, with_changes(page, changes), &improved["answer"]));
    let none = changes
        .is_empty()
        .then(|| el("P.hint").child(text.changes_none));
    vec![
        node(
            el("DL.reada")
                .child(row(page, text.as_it_is.to_owned(), answer))
                .child(with),
        ),
        node(none),
        node(
            (!changes.is_empty())
                .then(|| el("OL.readc").children(changes.iter().map(|own| change(page, own)))),
        ),
        node(elsewhere(page, improved)),
        node(diff(page, word(improved, "diff"))),
    ]
    .into_any()
}

fn with_changes(page: Page, changes: &[Value]) -> String {
    let text = page.text();
    match changes.len() {
        1 => text.with_change.to_owned(),
        more => fill(text.with_changes, &[&more.to_string()]),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// A row of the comparison: fits, memory, speed, cost.
fn row(page: Page, name: String, answer: &Value) -> El {
    let text = page.text();
    let fits = answer["fits"] == true;
    let memory = &answer["memory"];
    let [has, needs] =
        ["capacity_gib", "reserved_gib"].map(|key| format::gib(number(&memory[key])));
    let usd = answer["usd_per_mtok"]
        .as_f64()
        .map_or("–".to_owned(), |usd| format!("{}/MT", format::usd(usd)));
    el("DIV")
        .set("class", if fits { "is-fit" } else { "is-bad" })
        .child(el("DT").child(name))
        .child(
            el("DD.reada-f")
                .child(el("B").child(if fits {
                    text.fits_short
                } else {
                    text.does_not_fit
                }))
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
fn change(page: Page, own: &Value) -> El {
    let text = page.text();
    let faster = number(&own["speedup"]);
    // Three digits would promise more than an estimate holds; below two times, per cent read better.
    let speed = if !faster.is_finite() {
        String::new()
    } else if faster >= 2.0 {
        fill(text.times_as_fast, &[&format::fixed(faster, 1)])
    } else if faster >= 1.005 {
        fill(text.per_cent_faster, &[&format::percent(faster - 1.0, 0)])
    } else if faster <= 0.995 {
        fill(text.per_cent_slower, &[&format::percent(1.0 - faster, 0)])
    } else {
        text.as_fast.to_owned()
    };
    let path = word(own, "field");
    // As the form calls it; the path of what has no control.
    let name = Field::of_path(path).map_or(path, |field| page.lang.label(field));
    let needs = format::gib(number(&own["reserved_gib"]));
    let fits = if own["fits"] == true {
        text.fits_short
    } else {
        text.does_not_fit
    };
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
                    page.lang.word(word(own, "from")),
                    page.lang.word(word(own, "to"))
                )))
                .child(" ")
                .child(el("B").child(speed))
                .child(" ")
                .child(el("SPAN.muted nb").child(format!("{fits} · {needs} GiB"))),
        )
        .child((!settings.is_empty()).then(|| {
            el("P.readc-s").children(
                settings
                    .into_iter()
                    .map(|setting| el("CODE").child(setting.to_owned())),
            )
        }))
}

/// Settings that have no place in what was pasted.
fn elsewhere(page: Page, improved: &Value) -> Option<El> {
    let settings = improved["elsewhere"]
        .as_array()
        .filter(|all| !all.is_empty())?;
    let settings: Vec<&str> = settings.iter().filter_map(Value::as_str).collect();
    Some(
        el("P.hint")
            .child(page.text().changes_elsewhere)
            .child(" ")
            .child(el("CODE").child(settings.join(" "))),
    )
}

/// The changes as lines of the text.
fn diff(page: Page, diff: &str) -> Option<El> {
    if diff.is_empty() {
        return None;
    }
    let lines = diff.lines().map(|line| {
        // A file's name and the place in it first: they begin as lines that go and come do.
        let class =
            if line.starts_with("+++ ") || line.starts_with("--- ") || line.starts_with("@@") {
                "ln d-at"
            } else if line.starts_with('+') {
                "ln d-in"
            } else if line.starts_with('-') {
                "ln d-out"
            } else {
                "ln"
            };
        el("SPAN").set("class", class).child(line.to_owned())
    });
    let (copied, saved) = (diff.to_owned(), diff.to_owned());
    Some(
        el("DIV.diff")
            .child(
                el("DIV.diff-h")
                    .child(el("H3").child(page.text().diff))
                    .child(copying::download(page.lang, FILE.to_owned(), move || {
                        saved.clone()
                    }))
                    .child(copying::button(
                        page.lang,
                        "paste-diff".to_owned(),
                        false,
                        move || copied.clone(),
                    )),
            )
            .child(
                el("PRE.code|tabindex=0|role=region")
                    .set("aria-label", page.text().diff)
                    .child(el("CODE|id=paste-diff").children(lines)),
            ),
    )
}

/// The way into the form. The text stays in the box, and Back undoes the step.
pub(super) fn uses(page: Page) -> Option<El> {
    let found = page.reading.get()?;
    if page.no_worker.get() || page.pasted.with(|text| unread(text).is_some()) {
        return None;
    }
    let text = page.text();
    let load = |question: &Value, class: &'static str, words: String| {
        let question = question_from_value(question.clone()).ok()?;
        let act = move || {
            page.change(|form| form.load(&question));
            browser::close_popover("paste");
        };
        Some(
            el("BUTTON|type=button")
                .set("class", class)
                .on("click", press(act))
                .child(words),
        )
    };
    let changes = found["improved"]["changes"].as_array().map_or(0, Vec::len);
    let as_it_is = load(
        &found["question"],
        if changes == 0 { "btn btn-1" } else { "btn" },
        text.use_as_it_is.to_owned(),
    )?;
    let changed = (changes > 0)
        .then(|| {
            let words = match changes {
                1 => text.use_change.to_owned(),
                more => fill(text.use_changes, &[&more.to_string()]),
            };
            load(&found["improved"]["question"], "btn btn-1", words)
        })
        .flatten();
    Some(el("P.pop-f").child(changed).child(as_it_is))
}
