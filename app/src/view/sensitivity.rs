//! What each single change of the plan is worth, and what makes a plan fit that does not.

use leptos::prelude::*;
use serde_json::{Map, Value};
use shardwise_core::sensitivity::apply;
use shardwise_core::wire::{Change, Difference, Figures, Remedy, Sensitivity};

use super::dom::{El, el, part, press};
use super::figure::{cell, head, region};
use crate::form::Field;
use crate::format;
use crate::page::Page;
use crate::text::{Lang, fill};

/// How many changes are shown before "show all".
const TOP: usize = 8;

/// Shares of the speed, and GiB, below which a change makes no difference.
const SAME: f64 = 0.0005;
const SAME_GIB: f64 = 0.05;

/// A button that asks the question with `set`. Back undoes it.
pub(super) fn try_it(page: Page, set: Vec<Map<String, Value>>, name: &str) -> El {
    let act = move || {
        let Some(shown) = page.shown.get_untracked() else {
            return;
        };
        let changed = set
            .iter()
            .try_fold(shown.question.clone(), |question, set| {
                apply(&question, set)
            });
        if let Some(question) = changed {
            page.change(|form| form.load(&question));
        }
    };
    el("BUTTON.btn btn-s|type=button")
        .on("click", press(act))
        .child(page.text().try_it)
        .child(el("SPAN.vh").child(format!(" {name}")))
}

/// With its sign; nothing is nothing.
pub(super) fn signed(text: String) -> String {
    let zero = !text.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    if zero {
        "0".to_owned()
    } else if text.contains('−') {
        text
    } else {
        format!("+{text}")
    }
}

/// Dollars with their sign before them.
pub(super) fn signed_usd(usd: f64) -> String {
    let text = signed(format::figure(usd));
    match text.chars().next() {
        Some(sign @ ('+' | '−')) => text.replacen(sign, &format!("{sign}$"), 1),
        _ => format!("${text}"),
    }
}

/// What a change is called: its control, or the field's name where it has none.
fn name(field: &str, lang: Lang) -> String {
    let key = field.rsplit('.').next().unwrap_or(field);
    let role = field
        .strip_prefix("plan.")
        .and_then(|rest| rest.split_once('.'));
    match (Field::of_path(field), role) {
        (Some(Field::Gpus), _) => lang.text().gpus.to_owned(),
        (Some(control), _) => lang.label(control).to_owned(),
        (None, Some((role, key))) => {
            let own = format!("plan.{key}");
            format!("{} · {}", lang.word(role), name(&own, lang))
        }
        (None, None) => lang.word(key).to_owned(),
    }
}

/// A value of the calculator in the page's words.
fn value(word: &str, lang: Lang) -> String {
    let text = lang.text();
    match word {
        "true" => return text.yes.to_owned(),
        "false" | "off" => return text.no.to_owned(),
        _ => {}
    }
    if let Ok(number) = word.parse() {
        return format::grouped(number);
    }
    let (first, unit) = word.split_once(' ').unwrap_or((word, ""));
    match unit {
        "token" | "tokens" => fill(text.batch_tokens, &[first]),
        "sequence" | "sequences" => fill(text.batch_sequences, &[first]),
        _ => {
            let words = word.split(", ").map(|part| match part {
                "gradients" => lang.word("g"),
                "parameters" => lang.word("p"),
                "optimizer" => lang.word("o"),
                "activations" => lang.word("a"),
                other => lang.word(other),
            });
            let words: Vec<&str> = words.collect();
            words.join(if lang == Lang::Zh { "、" } else { ", " })
        }
    }
}

/// `Tensor parallel: 2 → 4`.
fn sentence(change: &Change, lang: Lang) -> String {
    format!(
        "{}: {} → {}",
        name(&change.field, lang),
        value(&change.from, lang),
        value(&change.to, lang)
    )
}

fn matters(difference: &Difference, now: &Figures) -> bool {
    difference.tokens_per_s.abs() > SAME * now.tokens_per_s || difference.gib.abs() > SAME_GIB
}

fn row(page: Page, change: &Change) -> El {
    let (lang, text) = (page.lang, page.text());
    let Change {
        difference,
        figures,
        ..
    } = change;
    let unfit = (!figures.fits).then(|| el("SPAN.tag tag-bad").child(text.does_not_fit));
    let usd = |usd: Option<f64>| usd.map(signed_usd).unwrap_or_default();
    el(if figures.fits { "TR" } else { "TR.is-off" })
        .set("id", format!("change-{}", change.id))
        .child(
            el("TH|scope=row")
                .child(sentence(change, lang))
                .child(" ")
                .child(unfit),
        )
        .child(cell(
            text.col_tokens,
            signed(format::figure(difference.tokens_per_s)),
        ))
        .child(cell(text.col_usd_mt, usd(difference.usd_per_mtok)))
        .child(cell("GiB", signed(format::gib(difference.gib))))
        .child(el("TD.n").child(try_it(
            page,
            vec![change.set.clone()],
            &sentence(change, lang),
        )))
}

/// The cheapest way to make a plan fit.
fn remedy(page: Page, found: &Remedy) -> Option<El> {
    let (lang, text) = (page.lang, page.text());
    let names: Vec<String> = found
        .changes
        .iter()
        .map(|change| sentence(change, lang))
        .collect();
    let names = names.join(if lang == Lang::Zh { "；" } else { "; " });
    let figures = found.changes.last()?.figures;
    let speed = signed(format::figure(found.difference.tokens_per_s));
    let mut costs = format!("{speed} {}", text.col_tokens);
    if let Some(usd) = found.difference.usd_per_mtok {
        costs = format!("{costs}, {} {}", signed_usd(usd), text.per_mt);
    }
    let gib = format::gib(figures.reserved_gib);
    let set = found.changes.iter().map(|change| change.set.clone());
    Some(
        el("P.take|id=remedy")
            .child(fill(text.remedy, &[&names, &gib, &costs]))
            .child(" ")
            .child(try_it(page, set.collect(), &names)),
    )
}

fn table(page: Page, found: &Sensitivity, all: RwSignal<bool>) -> AnyView {
    let text = page.text();
    let shown: Vec<&Change> = found
        .changes
        .iter()
        .filter(|change| matters(&change.difference, &found.now))
        .collect();
    let rest = found.changes.len() - shown.len();
    let open = all.get();
    let top = if open { shown.len() } else { TOP };
    let rows = shown.iter().take(top).map(|change| row(page, change));
    let heads = vec![
        head(text.change, false),
        head(text.col_tokens, true),
        head(text.col_usd_mt, true),
        head("GiB", true),
        head(text.action, true),
    ];
    let more = (shown.len() > TOP).then(|| {
        let words = if open {
            text.show_fewer.to_owned()
        } else {
            fill(text.show_changes, &[&shown.len().to_string()])
        };
        el("BUTTON.btn btn-s|type=button|id=all-changes")
            .set("aria-expanded", open.to_string())
            .on("click", press(move || all.set(!open)))
            .child(words)
    });
    let same =
        (rest > 0).then(|| el("SPAN.muted").child(fill(text.no_difference, &[&rest.to_string()])));
    let unmended = (!found.now.fits && found.remedy.is_none())
        .then(|| el("P.take|id=remedy").child(text.remedy_none));
    vec![
        unmended
            .or_else(|| found.remedy.as_ref().and_then(|found| remedy(page, found)))
            .map(El::into_any),
        Some(
            region(
                text.sensitivity.to_owned(),
                el("TABLE.tab cols-5 cards")
                    .child(el("THEAD").child(el("TR").child(heads)))
                    .child(el("TBODY").children(rows)),
            )
            .into_any(),
        ),
        Some(el("P.plans-f").child(more).child(same).into_any()),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .into_any()
}

pub(super) fn view(page: Page) -> AnyView {
    let all = RwSignal::new(false);
    let body = move || {
        let found = page.worth.get().filter(|_| !page.no_worker.get())?;
        Some(table(page, &found.changes, all))
    };
    el("SECTION.block|id=sensitivity|aria-labelledby=sensitivity-h")
        .child(
            el("DIV.block-h")
                .child(el("H2|id=sensitivity-h").child(page.text().sensitivity))
                .child(el("P").child(page.text().sensitivity_note)),
        )
        .child(part(body))
        .into_any()
}
