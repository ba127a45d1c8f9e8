//! What a part of the plan could be instead: each value with all else searched anew, and what it gains or loses.

use shardwise_core::wire::FitState;
use shardwise_core::{Evaluated, evaluate_alone};

use super::asked::{Ask, Asked};
use super::sure::dollars;
use crate::fit;
use crate::form::{Field, Form, Takes};
use crate::format;
use crate::parts::{self, Parts};
use crate::text::{Lang, fill};
use crate::tree::parts::{icon, signed};
use crate::tree::{Tree, el};

/// The key of the part, by its path, in the sheet's state.
pub(crate) const PART: &str = "part";

/// GiB below which two plans take the same.
const SAME_GIB: f64 = 0.05;

/// How many other settings are named that change with a value.
const NAMED: usize = 3;

/// A value with its answer.
struct Alternative {
    /// As a person types it.
    text: String,
    found: Evaluated,
    parts: Parts,
    now: bool,
}

/// Every value that is possible.
fn all(asked: &Asked, field: Field, lang: Lang) -> Vec<Alternative> {
    let stated = parts::stated(&asked.question, &asked.found.answer);
    let now = stated.get(field);
    let values = parts::alternatives(field, &asked.found.job, &asked.found.answer.plan, now).into_iter();
    values
        .filter_map(|text| {
            if text == now {
                let found = asked.found.clone();
                let parts = parts::of(&asked.question, &found.job, &found.answer, lang);
                return Some(Alternative { text, found, parts, now: true });
            }
            let mut form = Form::of(&asked.question);
            parts::pin(&mut form, field, &text);
            let question = form.question().ok()?;
            let found = evaluate_alone(&question).ok()?;
            let parts = parts::of(&question, &found.job, &found.answer, lang);
            Some(Alternative { text, found, parts, now: false })
        })
        .collect()
}

/// Why a person would or would not: what is missing, or what else changes with it.
fn reason(own: &Alternative, chosen: &Alternative, field: Field, pinned: bool, lang: Lang) -> String {
    let words = lang.sheets();
    let fit = &own.found.answer.fit;
    if own.now {
        return if pinned { words.alt_pinned } else { words.alt_chosen }.to_owned();
    }
    if !fit.state.fits() {
        return fill(words.alt_lacks, &[&format::gib(fit.needed_gib), &format::gib(fit.capacity_gib)]);
    }
    let mut said = Vec::new();
    let others = parts::differences(&chosen.parts, &own.parts, field);
    if !others.is_empty() {
        let comma = if lang == Lang::Zh { "、" } else { ", " };
        said.push(fill(words.alt_with, &[&others[..others.len().min(NAMED)].join(comma)]));
    }
    let gib = own.found.answer.memory.reserved_gib - chosen.found.answer.memory.reserved_gib;
    if gib.abs() >= SAME_GIB {
        let sentence = if gib < 0.0 { words.alt_less } else { words.alt_more };
        said.push(fill(sentence, &[&format::gib(gib.abs())]));
    }
    said.join(if lang == Lang::Zh { "；" } else { "; " })
}

/// Dollars with the sign of a difference.
fn signed_usd(usd: f64) -> String {
    let amount = format::usd(usd.abs());
    if amount.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        format!("{}{amount}", if usd < 0.0 { "−" } else { "+" })
    } else {
        "$0".to_owned()
    }
}

fn row(place: usize, own: &Alternative, chosen: &Alternative, why: String, field: Field, lang: Lang) -> Tree {
    let (answer, now) = (&own.found.answer, &chosen.found.answer);
    let seconds = answer.step_time_s - now.step_time_s;
    let (difference, _) = dollars(now, seconds);
    let (step, usd) = if own.now {
        let usd = answer.run.and_then(|run| run.usd).or(answer.usd_per_step);
        (format::seconds(answer.step_time_s), usd.map(format::usd))
    } else {
        (signed(format::seconds(seconds)), difference.map(signed_usd))
    };
    let class = match answer.fit.state {
        FitState::Fits => "s-ok",
        FitState::Tight => "s-tight",
        FitState::Unlikely | FitState::No => "s-no",
    };
    let input = el("INPUT|type=radio|name=alternative")
        .set("id", format!("alt-{place}"))
        .set("value", own.text.clone());
    el("LABEL.alt")
        .child(if own.now { input.set("checked", "") } else { input })
        .child(el("B").child(parts::words(field, answer, lang)))
        .child(el("SPAN").child(format!("{step}\u{a0}{}", lang.text().seconds_unit)))
        .child(el("SPAN").child(usd.unwrap_or_else(|| "–".to_owned())))
        .child(
            el("EM")
                .set("class", class)
                .child(fit::short(answer.fit.state, answer.fit.probability, lang)),
        )
        .child((!why.is_empty()).then(|| el("SMALL").child(why)))
}

/// A value of one's own, where the part is a number.
fn other(lang: Lang) -> Tree {
    let words = lang.sheets();
    el("LABEL.alt alt-o")
        .child(el("INPUT|type=radio|name=alternative|id=alt-other|value="))
        .child(el("B").child(words.alt_other))
        .child(
            el("INPUT|type=text|id=alt-own|autocomplete=off|spellcheck=false|aria-describedby=alt-m")
                .set("aria-label", words.alt_own),
        )
}

/// The sheet: a form, whose values the page writes into the question's.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
    let lang = ask.lang;
    let words = lang.sheets();
    let field = Field::of_path(ask.word(PART))?;
    let pinned = !Form::of(&asked.question).get(field).is_empty();
    let all = all(asked, field, lang);
    let chosen = all.iter().find(|own| own.now)?;
    let run = asked.found.answer.run.is_some();
    let head = el("DIV.alt alt-h|aria-hidden=true")
        .child(el("I"))
        .child(el("SPAN"))
        .child(el("SPAN").child(words.alt_step))
        .child(el("SPAN").child(if run { words.alt_run } else { words.alt_usd_step }))
        .child(el("SPAN").child(words.alt_fits));
    let rows = all.iter().enumerate().map(|(place, own)| {
        let why = reason(own, chosen, field, pinned, lang);
        row(place, own, chosen, why, field, lang)
    });
    let number = !matches!(field.takes(), Takes::Choice | Takes::Flag);
    let free = pinned.then(|| {
        el("BUTTON.btn btn-s|type=button|id=alt-free")
            .puts(field, "")
            .child(words.alt_free)
    });
    Some(
        el("FORM.alts-f|novalidate=")
            .child(el("P.muted").child(words.alt_note))
            .child(
                el("DIV.alt-l|role=radiogroup|aria-labelledby=alternatives-h")
                    .child(head)
                    .children(rows)
                    .child(number.then(|| other(lang))),
            )
            .child(el("P.msg is-bad|id=alt-m|role=alert"))
            .child(
                el("DIV.alt-f")
                    .child(
                        el("BUTTON.btn btn-s|type=submit|id=alt-pin")
                            .child(icon("i-pin"))
                            .child(words.alt_pin),
                    )
                    .child(free)
                    .child(el("P").child(if pinned { words.alt_is_pinned } else { words.alt_is_free })),
            ),
    )
}
