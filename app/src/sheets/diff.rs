//! The flags beside the script that was pasted: what differs, key by key.

use shardwise_core::emit;
use shardwise_core::read::{Reading, read};

use crate::sheets::prelude::*;
use crate::texts::written;

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

/// A cell of code; a dash where there is none.
fn cell(value: Option<&str>) -> Cell {
    runs(vec![code(value.unwrap_or("–"))])
}

/// The sheet: nothing while nothing is pasted, or what is pasted is another framework's.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Option<Block> {
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
    for setting in &own {
        let before = value(&yours, &setting.key);
        if before.is_none_or(|before| !alike(before, &setting.value)) {
            let cells = [cell(Some(&setting.key)), cell(before), cell(Some(&setting.value))];
            rows.push(row(Stands::Plain, cells));
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
    let mut blocks = Vec::new();
    if count > 0 {
        let columns = vec![
            column(sheet.setting, Holds::Names),
            column(sheet.yours_value, Holds::Words),
            column(sheet.ours_value, Holds::Words),
        ];
        blocks.push(Block::Table(Table::new(sheet.beside_yours, Tabled::Settings, columns, rows)));
    }
    if !alone.is_empty() {
        let count = alone.len().to_string();
        let settings = entries(Listed::Settings, alone.into_iter().map(|own| Entry::new([vec![code(own)]])));
        blocks.push(fold("diff-alone", sheet.only_yours, count, vec![settings]));
    }
    Some(fold("flags-diff", sheet.beside_yours, title, blocks))
}
