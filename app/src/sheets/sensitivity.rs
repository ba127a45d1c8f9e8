//! What each single change of the plan is worth, and what makes a plan fit that does not.

use serde_json::json;
use shardwise_core::Question;
use shardwise_core::wire::{Change, ChangeKind, Difference, Figures, FitState, Remedy};

use super::asked::{Ask, Asked};
use super::words::{name, value};
use crate::fit;
use crate::format;
use crate::text::{Lang, fill};
use crate::tree::parts::{cell, head, region, signed, signed_usd, try_it};
use crate::tree::{Tree, el};

/// How many changes are shown before "show all".
const TOP: usize = 8;

/// Shares of the speed, and GiB, below which a change makes no difference.
const SAME: f64 = 0.0005;
const SAME_GIB: f64 = 0.05;

/// `Tensor parallel: 2 → 4`.
pub(super) fn sentence(change: &Change, lang: Lang) -> String {
    format!("{}: {} → {}", name(&change.field, lang), value(&change.from, lang), value(&change.to, lang))
}

fn matters(difference: &Difference, now: &Figures) -> bool {
    difference.tokens_per_s_per_gpu.abs() > SAME * now.tokens_per_s_per_gpu || difference.gib.abs() > SAME_GIB
}

/// What is said of a plan that does not fit as surely as asked.
fn unfit(figures: &Figures, confidence: f64, lang: Lang) -> Option<Tree> {
    if figures.fits {
        return None;
    }
    let state = FitState::of(figures.probability, confidence);
    let words = match state {
        // Only where responses get longer than they are on average.
        FitState::Fits => lang.sheets().not_longest.to_owned(),
        _ => fit::short(state, figures.probability, lang),
    };
    let class = if state.fits() { "tag tag-warn" } else { "tag tag-bad" };
    Some(el("SPAN").set("class", class).child(words))
}

fn row(question: &Question, change: &Change, confidence: f64, lang: Lang) -> Tree {
    let text = lang.text();
    let Change { difference, figures, .. } = change;
    let unfit = unfit(figures, confidence, lang);
    let usd = |usd: Option<f64>| usd.map(signed_usd).unwrap_or_default();
    el(if figures.fits { "TR" } else { "TR.is-off" })
        .set("id", format!("change-{}", change.id))
        .child(el("TH|scope=row").child(sentence(change, lang)).child(" ").child(unfit))
        .child(cell(text.per_gpu, signed(format::figure(difference.tokens_per_s_per_gpu))))
        .child(cell(text.col_usd_mt, usd(difference.usd_per_mtok)))
        .child(cell("GiB", signed(format::gib(difference.gib))))
        .child(el("TD.n").child(try_it(question, std::slice::from_ref(&change.set), &sentence(change, lang), lang)))
}

/// The cheapest way to make a plan fit.
fn remedy(question: &Question, found: &Remedy, lang: Lang) -> Option<Tree> {
    let (text, sheet) = (lang.text(), lang.sheets());
    let names: Vec<String> = found.changes.iter().map(|change| sentence(change, lang)).collect();
    let names = names.join(if lang == Lang::Zh { "；" } else { "; " });
    let figures = found.changes.last()?.figures;
    let speed = signed(format::figure(found.difference.tokens_per_s_per_gpu));
    let mut costs = format!("{speed} {}", text.per_gpu);
    if let Some(usd) = found.difference.usd_per_mtok {
        costs = format!("{costs}, {} {}", signed_usd(usd), text.per_mt);
    }
    let gib = format::gib(figures.reserved_gib);
    let set: Vec<_> = found.changes.iter().map(|change| change.set.clone()).collect();
    Some(
        el("P.take|id=remedy")
            .child(fill(sheet.remedy, &[&names, &gib, &costs]))
            .child(" ")
            .child(try_it(question, &set, &names, lang)),
    )
}

/// The sheet.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
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
    let top = if open { shown.len() } else { TOP };
    let rows = shown.iter().take(top).map(|change| row(question, change, confidence, lang));
    let apart = apart.into_iter().filter(|(_, own)| !own.is_empty());
    let apart = apart.map(|(title, own)| {
        let head = el("TH.sens-g|scope=rowgroup|colspan=5").child(title);
        let rows = own.into_iter();
        el("TBODY")
            .child(el("TR").child(head))
            .children(rows.map(|change| row(question, change, confidence, lang)))
    });
    let heads = vec![
        head(sheet.change, false),
        head(text.per_gpu, true),
        head(text.col_usd_mt, true),
        head("GiB", true),
        head(text.action, true),
    ];
    let more = (shown.len() > TOP).then(|| {
        let words =
            if open { text.show_fewer.to_owned() } else { fill(sheet.show_changes, &[&shown.len().to_string()]) };
        el("BUTTON.btn btn-s|type=button|id=all-changes")
            .set("aria-expanded", open.to_string())
            .sets(&json!({ "all": !open }))
            .child(words)
    });
    let same = (rest > 0).then(|| el("SPAN.muted").child(fill(sheet.no_difference, &[&rest.to_string()])));
    let unmended = (!found.now.fits && found.remedy.is_none()).then(|| el("P.take|id=remedy").child(sheet.remedy_none));
    let mended = found.remedy.as_ref().and_then(|found| remedy(question, found, lang));
    Some(
        el("DIV.sens")
            .child(unmended.or(mended))
            .child(region(
                text.sensitivity,
                el("TABLE.tab cols-5 cards")
                    .child(el("THEAD").child(el("TR").children(heads)))
                    .child(el("TBODY").children(rows))
                    .children(apart),
            ))
            .child(el("P.plans-f").child(more).child(same)),
    )
}
