//! What being surer costs: the same question at the next level of certainty, searched anew; and the smallest changes that
//! reach the level that is asked for.

use shardwise_core::wire::{Change, ChangeKind, FitState};
use shardwise_core::{Answer, Question};

use super::parts::{asking, signed};
use super::sensitivity;
use crate::fit::{self, LEVELS};
use crate::protocol::blocks::{named, words};
use crate::sheets::prelude::*;

/// How many changes are proposed.
const WAYS: usize = 2;

/// Shares of a step below which it takes as long.
const SAME: f64 = 0.0005;

/// The next level above `confidence`; below the highest there is none, so the one below that, which is no level up.
fn next(confidence: f64) -> (f64, bool) {
    let levels = LEVELS.map(|level| f64::from(level) / 100.0);
    let above = levels.into_iter().find(|level| *level > confidence + 1e-9);
    above.map_or((levels[levels.len() - 2], false), |level| (level, true))
}

/// What a change of the step's time comes to in dollars: of the run where its tokens are known, else of a step.
pub(super) fn dollars(now: &Answer, seconds: f64) -> (Option<f64>, bool) {
    let share = seconds / now.step_time_s;
    match now.run.and_then(|run| run.all_usd()) {
        Some(usd) => (Some(usd * share), true),
        None => (now.usd_per_step.map(|usd| usd * share), false),
    }
}

/// The price of certainty, in a sentence; `None` where nothing reaches what is asked for already.
fn price(asked: &Asked, lang: Lang) -> Option<String> {
    let words = lang.sheets();
    let now = &asked.found.answer;
    if now.fit.state != FitState::Fits {
        return None;
    }
    let (confidence, up) = next(now.fit.confidence);
    let level = fit::asked(confidence);
    let question = Question { confidence: Some(confidence), ..asked.question.clone() };
    let then = shardwise_core::evaluate_alone(&question).ok()?.answer;
    if up && then.fit.state != FitState::Fits {
        return Some(fill(words.sure_none, &[&level]));
    }
    let more = if up { 1.0 } else { -1.0 };
    let seconds = (then.step_time_s - now.step_time_s) * more;
    if seconds <= SAME * now.step_time_s {
        let same = if up { words.sure_free } else { words.sure_same };
        return Some(fill(same, &[&level]));
    }
    let (usd, run) = dollars(now, seconds);
    let sentence = match (up, usd.is_some(), run) {
        (true, true, true) => words.sure_run,
        (true, true, false) => words.sure_step,
        (true, false, _) => words.sure_time,
        (false, true, true) => words.save_run,
        (false, true, false) => words.save_step,
        (false, false, _) => words.save_time,
    };
    let usd = usd.map(format::usd).unwrap_or_default();
    Some(fill(sentence, &[&level, &format::seconds(seconds), &usd]))
}

/// What being surer costs.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Block> {
    price(asked, ask.lang).map(|price| named("certainty", Kind::Certainty, vec![words(price)]))
}

/// The changes that a proposal makes, in order: one, or two where no single one does.
fn proposals(asked: &Asked) -> Vec<Vec<Change>> {
    let found = asked.changes();
    let keeps =
        |change: &&Change| change.figures.fits && matches!(change.kind, ChangeKind::Plan | ChangeKind::Simplicity);
    let mut single: Vec<Vec<Change>> = Vec::new();
    for change in found.changes.iter().filter(keeps) {
        // Another value of the same field is no second way.
        let known = single.iter().flatten().any(|own| own.field == change.field);
        if !known && single.len() < WAYS {
            single.push(vec![change.clone()]);
        }
    }
    if single.is_empty() {
        let remedy = found.remedy.as_ref();
        return remedy.map(|own| own.changes.clone()).into_iter().collect();
    }
    single
}

/// The smallest changes that reach what is asked for.
pub(super) fn ways(asked: &Asked, ask: &Ask) -> Option<Block> {
    let lang = ask.lang;
    let text = lang.sheets();
    let now = &asked.found.answer;
    if now.fit.state == FitState::Fits {
        return None;
    }
    let way = |(place, changes): (usize, Vec<Change>)| {
        let last = changes.last()?.figures;
        let (names, set) = sensitivity::together(&changes, lang);
        let seconds = last.step_time_s - now.step_time_s;
        let (usd, run) = dollars(now, seconds);
        let usd = usd.map_or_else(String::new, |usd| {
            let sign = if usd < 0.0 { "−" } else { "+" };
            let template = if run { text.way_run } else { text.way_step };
            fill(template, &[&format!("{sign}{}", format::usd(usd.abs()))])
        });
        let p = fit::sure(last.probability, lang);
        let costs = if seconds.abs() <= SAME * now.step_time_s {
            fill(text.way_same, &[&p])
        } else {
            let seconds = signed(format::seconds(seconds));
            fill(text.way_costs, &[&seconds, &usd, &p])
        };
        let button = asking(&asked.question, &set, text.use_it, &names);
        let button = button.map(|own| own.called(format!("way-{place}")).into());
        let line = vec![strong(names), words(" "), quiet(costs)];
        Some(Entry::new([line, button.into_iter().collect()]))
    };
    let ways: Vec<Entry> = proposals(asked).into_iter().enumerate().filter_map(way).collect();
    (!ways.is_empty()).then(|| {
        let level = fit::asked(now.fit.confidence);
        let title = if now.fit.state == FitState::Tight { text.ways } else { text.ways_far };
        let blocks = vec![said(Kind::Text, fill(title, &[&level])), entries(Listed::Ways, ways)];
        Section::block("", Purpose::Remedy, blocks)
    })
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn the_next_level_is_up_but_at_the_top() {
        let cases = [
            (0.5, 0.8, true),
            (0.8, 0.9, true),
            (0.93, 0.95, true),
            (0.95, 0.99, true),
            (0.99, 0.95, false),
            (0.999, 0.95, false),
        ];
        for (now, then, up) in cases {
            assert_eq!(next(now), (then, up), "{now}");
        }
    }
}
