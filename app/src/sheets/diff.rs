//! The flags beside the script that was pasted: what differs, key by key.

use shardwise_core::emit;
use shardwise_core::read::{Reading, read};

use super::asked::{Ask, Asked};
use crate::format;
use crate::text::{Lang, fill};
use crate::texts::written;
use crate::tree::parts::region;
use crate::tree::{Tree, el};

/// A setting of a text.
struct Setting {
    key: String,
    value: String,
}

/// The settings that matter for memory and speed; the last of a key holds.
fn settings(reading: &Reading) -> Vec<Setting> {
    let understood = reading.understood.iter().map(|own| (&own.key, &own.value));
    let others = reading.not_modelled.iter().map(|own| (&own.key, &own.value));
    let mut all: Vec<Setting> = Vec::new();
    for (key, value) in understood.chain(others) {
        // A key that says "add it where it is not there" is the key.
        let key = key.trim_start_matches(['+', '-']).to_owned();
        let value = value.clone();
        match all.iter_mut().find(|own| own.key == key) {
            Some(own) => own.value = value,
            None => all.push(Setting { key, value }),
        }
    }
    all
}

fn value<'a>(all: &'a [Setting], key: &str) -> Option<&'a str> {
    let found = all.iter().find(|own| own.key == key);
    found.map(|own| own.value.as_str())
}

/// Whether two values are written alike: `True` and `true`, `0.70` and `0.7`.
fn alike(a: &str, b: &str) -> bool {
    let numbers = a.parse::<f64>().ok().zip(b.parse::<f64>().ok());
    a.eq_ignore_ascii_case(b) || numbers.is_some_and(|(a, b)| a == b)
}

fn table(rows: Vec<Tree>, lang: Lang) -> Tree {
    let sheet = lang.sheets();
    let head = |name: &'static str| el("TH|scope=col").child(name);
    let heads = [sheet.setting, sheet.yours_value, sheet.ours_value].map(head);
    let table = el("TABLE.tab cols-3 tab-diff")
        .child(el("THEAD").child(el("TR").children(heads)))
        .child(el("TBODY").children(rows));
    region(sheet.beside_yours, table)
}

/// The sheet: nothing while nothing is pasted, or what is pasted is another framework's.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Tree> {
    let lang = ask.lang;
    let sheet = lang.sheets();
    let framework = emit::framework(ask.word("framework"))?;
    let version = framework.version(ask.word("version")).ok()?;
    let pasted: Vec<&str> = ask.words("texts");
    let theirs = read(&pasted, Some(&asked.question)).ok()?;
    let ours = written(framework, version, asked);
    let ours: Vec<&str> = ours.iter().map(|own| own.text.as_str()).collect();
    let ours = read(&ours, Some(&asked.question)).ok()?;
    if theirs.framework != ours.framework {
        return None;
    }
    let (yours, own) = (settings(&theirs), settings(&ours));
    let mut rows = Vec::new();
    let cell = |label: &'static str, value: Option<&str>, class: &'static str| {
        let shown = value.unwrap_or("–").to_owned();
        el("TD").set("data-l", label).child(el("CODE").set("class", class).child(shown))
    };
    for setting in &own {
        let before = value(&yours, &setting.key);
        if before.is_none_or(|before| !alike(before, &setting.value)) {
            rows.push(
                el("TR")
                    .child(el("TH|scope=row").child(el("CODE").child(setting.key.clone())))
                    .child(cell(sheet.yours_value, before, "d-out"))
                    .child(cell(sheet.ours_value, Some(&setting.value), "d-in")),
            );
        }
    }
    let alone: Vec<String> = yours
        .iter()
        .filter(|setting| value(&own, &setting.key).is_none())
        .map(|setting| format!("{}={}", setting.key, setting.value))
        .chain(theirs.ignored.iter().map(|own| own.key.clone()))
        .collect();
    let count = rows.len();
    let title = match count {
        0 => sheet.diff_none.to_owned(),
        count => fill(sheet.diff_count, &[&format::grouped(count as u64)]),
    };
    let rest = (!alone.is_empty()).then(|| {
        let items = alone.iter().map(|own| el("LI").child(el("CODE").child(own.clone())));
        el("DETAILS.more|id=diff-alone")
            .child(
                el("SUMMARY")
                    .child(sheet.only_yours)
                    .child(" ")
                    .child(el("SPAN").child(alone.len().to_string())),
            )
            .child(el("UL.read-list").children(items))
    });
    Some(
        el("DETAILS.more flags-diff|id=flags-diff")
            .child(
                el("SUMMARY")
                    .child(sheet.beside_yours)
                    .child(" ")
                    .child(el("SPAN").child(title)),
            )
            .child((count > 0).then(|| table(rows, lang)))
            .child(rest),
    )
}
