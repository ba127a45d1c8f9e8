//! What a script would give as it is and with the changes that help most, and the way into the form.

use shardwise_core::wire::{FitState, Rental, question_from_value};

use super::super::parts::by;
use super::super::words::{name, value};
use super::{list, word, word_at};
use crate::protocol::blocks::{Sign, listing, words};
use crate::sheets::prelude::*;
use crate::words::offer;

/// The file that a diff is saved as.
const FILE: &str = "shardwise.diff";

/// The diff's name in the page.
const LISTING: &str = "paste-diff";

/// The name of the diff to the newest release.
const MIGRATED: &str = "paste-migrated";

fn steps(found: &Value) -> &[Value] {
    list(&found["improved"], "changes")
}

/// What the answer, and the one with the changes, come to.
pub(super) fn verdict(found: &Value, lang: Lang) -> Option<Block> {
    let answer = Some(&found["answer"]).filter(|answer| answer.is_object())?;
    let changes = steps(found);
    let with = (!changes.is_empty()).then(|| row(with_changes(changes, lang), &found["improved"]["answer"], lang));
    let own = row(lang.sheets().as_it_is.to_owned(), answer, lang);
    let searched =
        searched(found).map(|own| row(fill(lang.sheets().with_other, &[word(own, "framework")]), &own["answer"], lang));
    Some(entries(Listed::Verdicts, std::iter::once(own).chain(with).chain(searched)))
}

/// Which price the dollars are of; of each row where they are of several.
pub(super) fn priced(found: &Value, lang: Lang) -> Vec<Block> {
    let rows = [&found["answer"], &found["improved"]["answer"], &found["searched"]["answer"]];
    let hardware = question_from_value(found["question"].clone())
        .ok()
        .map(|question| question.hardware);
    let listed = hardware.is_some_and(|own| own.usd_per_gpu_hour.is_none() && own.owned.is_none());
    let mut said_of: Vec<String> = rows.into_iter().filter_map(|answer| price(answer, listed, lang)).collect();
    said_of.dedup();
    said_of.into_iter().map(|words| said(Kind::Hint, words)).collect()
}

/// Whose price an answer goes by: an offer's, the catalog's, or the one that is stated.
fn price(answer: &Value, listed: bool, lang: Lang) -> Option<String> {
    if let Ok(own) = serde_json::from_value::<Rental>(answer["offer"].clone()) {
        return Some(fill(lang.sheets().priced_by_offer, &[&offer(&own, lang)]));
    }
    let usd = format::price(answer["usd_per_gpu_hour"].as_f64()?);
    let words = if listed { lang.sheets().priced_by_list } else { lang.sheets().priced_as_stated };
    Some(fill(words, &[&usd]))
}

/// Another plan of the script's framework on the same GPUs, where neither the script nor the changes do.
fn searched(found: &Value) -> Option<&Value> {
    Some(&found["searched"]).filter(|own| own.is_object())
}

/// The changes that help, one by one and as lines of the text.
pub(super) fn changes(found: &Value, lang: Lang) -> Vec<Block> {
    let sheet = lang.sheets();
    let improved = &found["improved"];
    // Of another run than the text's, no change says anything.
    if !found["answer"].is_object() || !list(found, "stands_in").is_empty() {
        return Vec::new();
    }
    let changes = steps(found);
    let changes = if changes.is_empty() {
        let fits = state(&found["answer"]) == FitState::Fits;
        said(Kind::Hint, if fits { sheet.changes_none } else { sheet.changes_unfit })
    } else {
        let all = vec![entries(Listed::Changes, changes.iter().map(|own| change(own, lang)))];
        Section::headed("read-changes", Purpose::Basis, sheet.changes_here, all)
    };
    let shown = diff(word(improved, "diff"), LISTING, lang.sheets().diff, lang);
    let rest = [elsewhere(improved, lang), shown];
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

fn state(answer: &Value) -> FitState {
    serde_json::from_value(answer["fit"]["state"].clone()).unwrap_or(FitState::No)
}

/// A row of the comparison: fits, memory, speed, cost.
fn row(name: String, answer: &Value, lang: Lang) -> Entry {
    let text = lang.text();
    let own = &answer["fit"];
    let state = state(answer);
    let [has, needs] = ["capacity_gib", "needed_gib"].map(|key| format::gib(number(&own[key])));
    let usd = answer["usd_per_mtok"]
        .as_f64()
        .map_or("–".to_owned(), |usd| format!("{}{}", format::usd(usd), text.per_mtok));
    let fits = fit::short(state, number(&own["probability"]), lang);
    let speed = format::figure(number(&answer["tokens_per_s_per_gpu"]));
    let lines = [
        vec![words(name)],
        vec![strong(fits), words(format!(" {needs}\u{a0}/\u{a0}{has}\u{a0}GiB"))],
        vec![strong(speed), words(format!(" {}", text.per_gpu))],
        vec![strong(usd)],
    ];
    Entry { tone: state.into(), ..Entry::new(lines) }
}

/// A change: what the framework is told, and what it brings.
fn change(own: &Value, lang: Lang) -> Entry {
    let (text, sheet) = (lang.text(), lang.sheets());
    let faster = number(&own["speedup"]);
    // Three digits would promise more than an estimate holds; below two times, per cent read better.
    let speed = if !faster.is_finite() {
        String::new()
    } else if faster >= 2.0 {
        fill(sheet.times_as_fast, &[&format::fixed(faster, 1)])
    } else {
        by(faster, [sheet.per_cent_slower, sheet.as_fast, sheet.per_cent_faster])
    };
    let name = name(word(own, "field"), lang);
    // The figure that the row of the verdict has of the same plan.
    let needs = format::gib(number(&own["needed_gib"]));
    let fits = if own["fits"] == true { text.fits_short } else { text.does_not_fit };
    let settings = list(own, "settings").iter().filter_map(Value::as_str).map(code);
    let [from, to] = ["from", "to"].map(|key| value(word(own, key), lang));
    let line = vec![
        words(format!("{name}{}{from} → {to} ", lang.colon())),
        strong(speed),
        quiet(format!(" {fits}\u{a0}·\u{a0}{needs}\u{a0}GiB").replace(' ', "\u{a0}")),
    ];
    Entry::new([line, settings.collect()])
}

/// Settings that have no place in what was pasted.
fn elsewhere(improved: &Value, lang: Lang) -> Option<Block> {
    let settings = improved["elsewhere"].as_array().filter(|all| !all.is_empty())?;
    let settings: Vec<&str> = settings.iter().filter_map(Value::as_str).collect();
    let why = format!("{} ", lang.sheets().changes_elsewhere);
    Some(prose(Kind::Hint, vec![words(why), code(settings.join(" "))]))
}

/// The text as the framework's newest release takes it, folded; nothing where it is for that one.
pub(super) fn migrated(found: &Value, lang: Lang) -> Option<Block> {
    let sheet = lang.sheets();
    let migrated = &found["migrated"];
    let (name, release) = (word_at(&found["framework"], 0), word(migrated, "release"));
    let title = fill(sheet.migrated, &[&format!("{name} {release}")]);
    let diff = diff(word(migrated, "diff"), MIGRATED, &title, lang)?;
    let blocks = elsewhere(migrated, lang).into_iter().chain([diff]).collect();
    Some(fold(MIGRATED, title, "", blocks))
}

/// The changes as lines of the text.
fn diff(diff: &str, id: &str, name: &str, lang: Lang) -> Option<Block> {
    if diff.is_empty() {
        return None;
    }
    let text = lang.text();
    let lines = diff.lines().map(|line| {
        // A file's name and the place in it first: they begin as lines that go and come do.
        let sign = if line.starts_with("+++ ") || line.starts_with("--- ") || line.starts_with("@@") {
            Sign::Place
        } else if line.starts_with('+') {
            Sign::Comes
        } else if line.starts_with('-') {
            Sign::Goes
        } else {
            Sign::Stays
        };
        // With its line break, which what is copied or saved of it needs.
        (sign, format!("{line}\n"))
    });
    let save = Action::SaveText { file: FILE.to_owned(), of: id.to_owned() };
    let tools = vec![
        Button::new(Look::Small, text.download, save).icon("i-down"),
        Button::new(Look::Small, "", Action::Copy(id.to_owned())),
    ];
    let blocks = vec![listing(id, name, lines.collect())];
    Some(Section::titled("", Purpose::Diff, vec![words(name)], tools, blocks))
}

/// The way into the form. The text stays in the box, and Back undoes the step.
pub(super) fn uses(found: &Value, lang: Lang) -> Option<Block> {
    let sheet = lang.sheets();
    let load = |question: &Value, look: Look, words: String| {
        let question = question_from_value(question.clone()).ok()?;
        Some(Button::new(look, words, Action::ask(&question)).into())
    };
    let changes = steps(found).len();
    let (look, first) = match changes {
        0 => (Look::First, None),
        1 => (Look::Large, Some(sheet.use_change.to_owned())),
        more => (Look::Large, Some(fill(sheet.use_changes, &[&more.to_string()]))),
    };
    let as_it_is = load(&found["question"], look, sheet.use_as_it_is.to_owned())?;
    let changed = first.and_then(|words| load(&found["improved"]["question"], Look::First, words));
    let other = searched(found)
        .and_then(|own| load(&own["question"], Look::Large, fill(sheet.use_other, &[word(own, "framework")])));
    Some(prose(Kind::Ways, changed.into_iter().chain([as_it_is]).chain(other).collect()))
}
