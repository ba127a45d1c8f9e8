//! Each rule that a framework asserts about keys: the text that keeps it is accepted, the text that breaks it is not.
//! `cases/read-rules/` holds them.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::reading;
use crate::cases;

/// The rules of a framework, by a command that keeps them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    command: String,
    settings: Vec<String>,
    /// What short prefixes of keys stand for.
    short: BTreeMap<String, String>,
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Settings beside the command's, of a text that is accepted.
    keeps: String,
    breaks: Vec<Break>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Break {
    /// Further settings, with which it is not.
    by: String,
    /// The key that is refused, where that is not the last of these.
    key: Option<String>,
    /// The framework's own file that says so.
    #[serde(default)]
    source: String,
}

#[test]
fn what_a_framework_asserts_about_keys_is_said() {
    cases::each("read-rules", |_, file: File, run| {
        for rule in &file.rule {
            run.case(&rule.keeps, || {
                let refused = reading(&file.text(&rule.keeps)).refused;
                assert!(refused.is_empty(), "{refused:?}");
            });
            for own in &rule.breaks {
                run.case(&format!("{} {}", rule.keeps, own.by), || file.refuses(&rule.keeps, own));
            }
        }
    });
}

impl File {
    /// A key with its long prefix.
    fn long(&self, key: &str) -> String {
        let prefix = key
            .split_once('.')
            .and_then(|(short, rest)| Some((self.short.get(short)?, rest)));
        prefix.map_or(key.to_owned(), |(long, rest)| format!("{long}{rest}"))
    }

    /// The command with settings added and, where they begin with a dash, taken out.
    fn text(&self, changes: &str) -> String {
        let mut settings: BTreeMap<String, &str> = BTreeMap::new();
        let words = self.settings.iter().map(String::as_str).chain(changes.split_whitespace());
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key.strip_prefix('-') {
                Some(key) => assert!(settings.remove(&self.long(key)).is_some(), "{key}"),
                None => _ = settings.insert(self.long(key), value),
            }
        }
        settings
            .iter()
            .fold(self.command.clone(), |text, (key, value)| format!("{text} \\\n    {key}={value}"))
    }

    fn refuses(&self, kept: &str, own: &Break) {
        let refused = reading(&self.text(&format!("{kept} {}", own.by))).refused;
        let last = own.by.split_whitespace().next_back().unwrap();
        let last = last.trim_start_matches('-').split('=').next().unwrap();
        let key = self.long(own.key.as_deref().unwrap_or(last));
        let found = refused.iter().find(|one| one.key == key);
        let found = found.unwrap_or_else(|| panic!("{refused:?}"));
        assert!(found.source.contains(&own.source) && found.why.ends_with('.'), "{found:?}");
        let mut words = own.by.split_whitespace().filter_map(|word| word.split_once('='));
        let stated = words.any(|(word, _)| self.long(word) == key);
        assert!(!stated || found.line > 0, "{found:?}");
    }
}
