//! veRL: a command with hydra overrides, alone or at the end of a script.

mod engine;
mod fine_tuning;
mod keys;
mod others;
mod refusals;
mod reinforcement;
mod roles;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::launch::{self, Launch};
use super::link::Base;
use super::report::{Framework, Reading, Trouble};
use super::settings::Setting;
use super::shell::Word;
use super::text::{Kind, Part, stated_in_yaml};

/// Reads veRL's texts: YAML first, then the overrides, as hydra does.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Framework::Verl, keys::SECTIONS, base);
    let mut fine_tuning = false;
    let mut program = String::new();
    let mut before: Vec<Word> = Vec::new();
    for setting in stated_in_yaml(parts) {
        state(&mut draft, setting);
    }
    for part in parts {
        match &part.kind {
            Kind::Yaml(_) => {}
            Kind::Shell(script) => {
                let launch = launch::find(script, Framework::Verl);
                overrides(&mut draft, &launch);
                launch.report(&mut draft, script);
                if !launch.program.is_empty() {
                    program = launch.program.to_owned();
                    before = launch.before.to_vec();
                    fine_tuning |= launch.program.contains("sft_trainer");
                }
            }
            Kind::Json(_) => draft.unread("{…}", "veRL reads no JSON.", 0),
        }
    }
    let yaml = parts.iter().any(|part| matches!(part.kind, Kind::Yaml(_)));
    draft.snippet = program.is_empty() && !yaml;
    if fine_tuning {
        fine_tuning::read(&mut draft, &before);
    } else {
        reinforcement::read(&mut draft, &program);
    }
    draft.finish(Some("verl"))
}

/// The overrides of hydra: `key=value`, `+key=value`, `++key=value`, `~key`.
fn overrides(draft: &mut Draft, launch: &Launch) {
    let mut words = launch.after.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if let Some(option) = text.strip_prefix("--") {
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, value),
                None => (option, words.next().map_or("", |word| word.text.as_str())),
            };
            match name {
                "config-name" => {
                    // Each backend has a configuration of its own; this names it.
                    let backend = if value.contains("megatron") {
                        "megatron"
                    } else {
                        continue;
                    };
                    draft.settings.state(
                        "config-name".to_owned(),
                        Setting { key: "config-name".to_owned(), value: backend.to_owned(), ..Setting::default() },
                    );
                }
                "config-path" | "config-dir" => {}
                _ => draft.unread(text, "This is no option of hydra.", word.line),
            }
            continue;
        }
        if let Some(key) = text.strip_prefix('~') {
            draft.unread(text, format!("It takes {key} out of the configuration; the default is read."), word.line);
            continue;
        }
        let plain = text.trim_start_matches('+');
        let Some((key, value)) = plain.split_once('=') else {
            if text.trim().is_empty() {
                if word.open.is_none() && !text.is_empty() {
                    draft.refuse(
                        "\\",
                        "A space stands behind the backslash, so the command ends with this line. Take the space away.",
                        word.line,
                    );
                }
            } else if word.open.is_none() {
                draft.unread(text, "This is no setting: write key=value.", word.line);
            }
            continue;
        };
        let mark = text.len() - plain.len();
        let setting = Setting {
            key: key.to_owned(),
            written: format!("{}{key}", text.get(..mark).unwrap_or_default()),
            value: value.to_owned(),
            line: word.line,
            open: word.open.clone(),
        };
        state(draft, setting);
    }
}

/// States a key. Where it belongs to another engine, the corresponding key is stated with it, unless the text states that
/// one itself.
fn state(draft: &mut Draft, setting: Setting) {
    if let Some(like) = others::read_as(&setting.key)
        && draft.settings.get(&like).is_none()
    {
        draft.settings.state(like, setting.clone());
    }
    draft.state(setting);
}
