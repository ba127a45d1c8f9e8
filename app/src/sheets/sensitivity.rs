//! What each single change of the plan is worth, and what makes a plan fit that does not.

use serde_json::Map;
use shardwise_core::wire::{Change, ChangeKind, Difference, Figures, FitState, Remedy};

use super::parts::{signed, signed_usd_per_mtok, try_it};
use super::words::{name, value};
use crate::protocol::blocks::{Row, Run, named, words};
use crate::sheets::prelude::*;

/// How many changes are shown before "show all".
const TOP: usize = 8;

/// Shares of the speed, and GiB, below which a change makes no difference.
const SAME: f64 = 0.0005;
const SAME_GIB: f64 = 0.05;

/// `Tensor parallel: 2 → 4`.
pub(super) fn sentence(change: &Change, lang: Lang) -> String {
    let [from, to] = [&change.from, &change.to].map(|own| value(own, lang));
    format!("{}{}{from} → {to}", name(&change.field, lang), lang.colon())
}

/// Changes that belong together, in a sentence; and all that they set.
pub(super) fn together(changes: &[Change], lang: Lang) -> (String, Vec<Map<String, Value>>) {
    let names: Vec<String> = changes.iter().map(|change| sentence(change, lang)).collect();
    let set = changes.iter().map(|change| change.set.clone()).collect();
    (names.join(lang.of(["; ", "；"])), set)
}

fn matters(difference: &Difference, now: &Figures) -> bool {
    difference.tokens_per_s_per_gpu.abs() > SAME * now.tokens_per_s_per_gpu || difference.gib.abs() > SAME_GIB
}

/// What is said of a plan that does not fit as surely as asked.
fn unfit(figures: &Figures, confidence: f64, lang: Lang) -> Option<Run> {
    if figures.fits {
        return None;
    }
    let state = FitState::of(figures.probability, confidence);
    let words = match state {
        // Only where responses get longer than they are on average.
        FitState::Fits => lang.sheets().not_longest.to_owned(),
        _ => fit::short(state, figures.probability, lang),
    };
    Some(tag(if state.fits() { Tone::Warn } else { Tone::Bad }, words))
}

fn row(question: &Question, change: &Change, confidence: f64, lang: Lang) -> Row {
    let Change { difference, figures, .. } = change;
    let name = sentence(change, lang);
    let mut line = vec![words(name.clone())];
    if let Some(unfit) = unfit(figures, confidence, lang) {
        line.extend([words(" "), unfit]);
    }
    let tried = try_it(question, std::slice::from_ref(&change.set), &name, lang);
    Row {
        id: format!("change-{}", change.id),
        stands: if figures.fits { Stands::Plain } else { Stands::Off },
        cells: vec![
            runs(line),
            cell(signed(format::figure(difference.tokens_per_s_per_gpu))),
            cell(difference.usd_per_mtok.map(signed_usd_per_mtok).unwrap_or_default()),
            cell(signed(format::gib(difference.gib))),
            runs(tried.map(Run::from).into_iter().collect()),
        ],
    }
}

/// The cheapest way to make a plan fit.
fn remedy(question: &Question, found: &Remedy, lang: Lang) -> Option<Block> {
    let (text, sheet) = (lang.text(), lang.sheets());
    let (names, set) = together(&found.changes, lang);
    let figures = found.changes.last()?.figures;
    let speed = signed(format::figure(found.difference.tokens_per_s_per_gpu));
    let mut costs = format!("{speed} {}", text.per_gpu);
    if let Some(usd) = found.difference.usd_per_mtok {
        costs = format!("{costs}{}{} {}", lang.comma(), signed_usd_per_mtok(usd), text.per_mt);
    }
    let gib = format::gib(figures.reserved_gib);
    let mut line = vec![words(fill(sheet.remedy, &[&names, &gib, &costs])), words(" ")];
    line.extend(try_it(question, &set, &names, lang).map(Run::from));
    Some(named("remedy", Kind::Take, line))
}

pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Vec<Block> {
    let (lang, question) = (ask.lang, &asked.question);
    let (text, sheet) = (lang.text(), lang.sheets());
    let found = asked.changes();
    let confidence = asked.found.job.confidence;
    let some: Vec<&Change> = found
        .changes
        .iter()
        .filter(|change| matters(&change.difference, &found.now))
        .collect();
    let rest = found.changes.len() - some.len();
    let of = |kinds: &[ChangeKind]| -> Vec<&Change> {
        let own = some.iter().copied();
        own.filter(|change| kinds.contains(&change.kind)).collect()
    };
    let shown = of(&[ChangeKind::Plan, ChangeKind::Simplicity]);
    // What computes something else, or on something else, is no better plan: it stands apart.
    let apart = [(sheet.sens_numerics, of(&[ChangeKind::Numerics])), (sheet.sens_machine, of(&[ChangeKind::Machine]))];
    let open = ask.on("all");
    let top = if open { shown.len() } else { TOP.min(shown.len()) };
    let rows = |own: &[&Change]| -> Vec<Row> {
        let own = own.iter();
        own.map(|change| row(question, change, confidence, lang)).collect()
    };
    let mut groups = vec![(String::new(), rows(shown.get(..top).unwrap_or(&shown)))];
    let apart = apart.into_iter().filter(|(_, own)| !own.is_empty());
    groups.extend(apart.map(|(title, own)| (title.to_owned(), rows(&own))));
    let columns = vec![
        column(sheet.change, Holds::Names),
        column(text.per_gpu, Holds::Numbers),
        column(money::signed(text.col_usd_mt), Holds::Numbers),
        column("GiB", Holds::Numbers),
        column(text.action, Holds::Actions),
    ];
    let mut below = Vec::new();
    if shown.len() > TOP {
        let words =
            if open { text.show_fewer.to_owned() } else { fill(sheet.show_changes, &[&shown.len().to_string()]) };
        below.push(Button::all("all-changes", words, open).into());
    }
    if rest > 0 {
        below.push(quiet(fill(sheet.no_difference, &[&rest.to_string()])));
    }
    let unmended = !found.now.fits && found.remedy.is_none();
    let unmended = unmended.then(|| named("remedy", Kind::Take, vec![words(sheet.remedy_none)]));
    let mended = found.remedy.as_ref().and_then(|found| remedy(question, found, lang));
    let table = Table { name: text.sensitivity.to_owned(), tabled: Tabled::Changes, columns, groups };
    let remedy = unmended.or(mended).into_iter();
    remedy.chain([Block::Table(table), prose(Kind::Actions, below)]).collect()
}
