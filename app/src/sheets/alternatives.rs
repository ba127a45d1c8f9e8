//! What a part of the plan could be instead: each value with all else searched anew, and what it gains or loses.

use shardwise_core::{Evaluated, evaluate_alone};

use super::parts::{signed, signed_usd};
use super::sure::dollars;
use crate::form::{Field, Form, Takes};
use crate::parts::{self, Parts};
use crate::protocol::blocks::{self, Choice};
use crate::sheets::prelude::*;

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
    let (text, words) = (lang.text(), lang.sheets());
    let fit = &own.found.answer.fit;
    if own.now {
        return if pinned { text.chip_pinned } else { text.chip_found }.to_owned();
    }
    if !fit.state.fits() {
        return fill(words.alt_lacks, &[&format::gib(fit.needed_gib), &format::gib(fit.capacity_gib)]);
    }
    let mut said = Vec::new();
    let others = parts::differences(&chosen.parts, &own.parts, field);
    if !others.is_empty() {
        let comma = lang.of([", ", "、"]);
        said.push(fill(words.alt_with, &[&others[..others.len().min(NAMED)].join(comma)]));
    }
    let gib = own.found.answer.memory.reserved_gib - chosen.found.answer.memory.reserved_gib;
    if gib.abs() >= SAME_GIB {
        let sentence = if gib < 0.0 { words.alt_less } else { words.alt_more };
        said.push(fill(sentence, &[&format::gib(gib.abs())]));
    }
    said.join(lang.of(["; ", "；"]))
}

fn told(own: &Alternative, chosen: &Alternative, why: String, field: Field, lang: Lang) -> blocks::Alternative {
    let (answer, now) = (&own.found.answer, &chosen.found.answer);
    let seconds = answer.step_time_s - now.step_time_s;
    let (difference, _) = dollars(now, seconds);
    let (step, usd) = if own.now {
        let usd = answer.run.and_then(|run| run.all_usd()).or(answer.usd_per_step);
        (format::seconds(answer.step_time_s), usd.map(format::usd))
    } else {
        (signed(format::seconds(seconds)), difference.map(|usd| signed_usd(usd, format::usd)))
    };
    blocks::Alternative {
        value: own.text.clone(),
        words: parts::words(field, answer, lang),
        now: own.now,
        figures: [format!("{step}\u{a0}{}", lang.text().seconds_unit), usd.unwrap_or_else(|| "–".to_owned())],
        tone: answer.fit.state.into(),
        fits: fit::short(answer.fit.state, answer.fit.probability, lang),
        why,
    }
}

/// The sheet: a choice, which the page writes into the question.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Block> {
    let lang = ask.lang;
    let words = lang.sheets();
    let field = Field::of_path(ask.word(PART))?;
    let pinned = !Form::of(&asked.question).get(field).is_empty();
    let all = all(asked, field, lang);
    let chosen = all.iter().find(|own| own.now)?;
    let run = asked.found.answer.run.is_some();
    let values = all.iter().map(|own| {
        let why = reason(own, chosen, field, pinned, lang);
        told(own, chosen, why, field, lang)
    });
    let number = !matches!(field.takes(), Takes::Choice | Takes::Flag);
    let free = || Button::new(Look::Small, words.alt_free, Action::put(field, "")).called("alt-free");
    let heads = [words.alt_step, if run { words.alt_run } else { words.alt_usd_step }, words.alt_fits];
    Some(Block::Choice(Choice {
        note: words.alt_note.to_owned(),
        heads: heads.map(money::signed),
        values: values.collect(),
        own: number.then(|| [words.alt_other, words.alt_own].map(str::to_owned)),
        take: words.alt_pin.to_owned(),
        free: pinned.then(free),
        state: if pinned { words.alt_is_pinned } else { words.alt_is_free }.to_owned(),
    }))
}
