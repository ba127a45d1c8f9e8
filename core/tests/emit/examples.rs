//! `cases/flags/`: for each framework texts that are recorded, what it refuses, and what its texts say.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use shardwise_core::emit::{self, Emission, Framework};
use shardwise_core::read::read;
use shardwise_core::wire::{Fit, question_from_value};
use shardwise_core::{Evaluated, belonging, evaluate, flags};

use super::settings;
use crate::cases::{self, Ask};
use crate::said::said;

/// What is asked of one framework, whose id is the file's name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    text: Vec<Text>,
    #[serde(default)]
    refused: Vec<Refused>,
    #[serde(default)]
    says: Vec<Says>,
}

/// A text of the newest version, which is recorded in `golden/emit/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    name: String,
    ask: Ask,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    says: String,
    /// Versions that refuse it; the newest alone where none is named.
    #[serde(default)]
    versions: Vec<String>,
    ask: Ask,
}

/// What a text says, and what it does not.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Says {
    what: String,
    /// Versions that are asked, `*` for each; the newest alone where none is named.
    #[serde(default)]
    versions: Vec<String>,
    /// Versions that are asked, of which alone it `has` its parts.
    #[serde(default)]
    only: Vec<String>,
    /// Versions that do not have its parts; all others are asked.
    #[serde(default)]
    except: Vec<String>,
    /// The text that is meant, where the parts may not stand in any.
    file: Option<String>,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    in_order: Vec<String>,
    #[serde(default)]
    settings: BTreeMap<String, String>,
    #[serde(default)]
    unset: Vec<String>,
    /// Whether the text is read as the question that it was written from, by model and machine.
    #[serde(default)]
    reads_back: bool,
    ask: Ask,
}

/// The question's plan evaluated, as texts are written of it. What its kind has no use for stays out.
pub(super) fn evaluated(mut question: Value) -> Evaluated {
    belonging::strip(&mut question);
    let question = question_from_value(question).unwrap();
    let mut found = evaluate(&question).unwrap();
    // The estimate's figures move with every better formula; these stay.
    let answer = &mut found.answer;
    (answer.tokens_per_s_per_gpu, answer.usd_per_mtok, answer.fits) = (3670.0, Some(0.226), true);
    (answer.memory.reserved_gib, answer.memory.capacity_gib) = (70.5, 79.6);
    answer.fit = Fit {
        capacity_gib: 79.6,
        needed_gib: 63.8,
        needed_at_confidence_gib: 74.9,
        margin_gib: 15.8,
        ..Fit::nothing(0.95)
    };
    (answer.interval, answer.run) = (None, None);
    answer.advice.clear();
    answer.caveats.clear();
    answer.memory.phases.clear();
    found
}

/// One text of every kind that a framework has: name, framework, and the plan that it is of.
pub(super) fn examples() -> Vec<(String, &'static Framework, Evaluated)> {
    let texts = |(id, file): (String, File)| {
        let framework = emit::framework(&id).unwrap_or_else(|| panic!("cases/flags/{id}.toml: no framework"));
        let text = move |text: Text| (text.name, framework, evaluated(text.ask.document()));
        file.text.into_iter().map(text)
    };
    cases::files("flags").into_iter().flat_map(texts).collect()
}

/// The example of a name.
pub(super) fn example(name: &str) -> (&'static Framework, Evaluated) {
    let found = examples().into_iter().find(|(own, ..)| own == name);
    found.map(|(_, framework, found)| (framework, found)).unwrap()
}

#[test]
fn texts_say_and_refuse_what_they_should() {
    cases::each("flags", |id, file: File, run| {
        let framework = emit::framework(id).unwrap();
        for refused in &file.refused {
            run.case(&format!("refused, {}", refused.says), || refused.check(framework));
        }
        for says in &file.says {
            run.case(&says.what, || says.check(framework));
        }
    });
}

impl Refused {
    fn check(&self, framework: &'static Framework) {
        let Evaluated { job, plan, answer, .. } = &evaluated(self.ask.document());
        let refusal = |version: &str| {
            let version = framework.version(version).unwrap();
            let refused = emit::emit(&Emission { framework, job, plan, answer, permalink: "", version }).unwrap_err();
            assert!(refused.message.contains(&self.says), "{version}: {}", refused.message);
            said(&refused.message);
            refused.message
        };
        if self.versions.is_empty() {
            let broken = framework.violations(job, plan);
            let first = format!("{}: {}", broken[0].field, broken[0].message);
            assert_eq!(refusal(""), first, "the first rule broken");
        }
        self.versions
            .iter()
            .map(String::as_str)
            .for_each(|version| _ = refusal(version));
    }
}

impl Says {
    fn check(&self, framework: &'static Framework) {
        let named = |list: &[String], version: &str| list.iter().any(|own| own == version || own == "*");
        let asked = |version: &str| {
            let other = !self.except.is_empty() && !named(&self.except, version);
            other || named(&self.versions, version) || named(&self.only, version)
        };
        let every = [&self.versions, &self.only, &self.except].into_iter().flatten();
        for version in every.filter(|version| *version != "*") {
            framework.version(version).unwrap_or_else(|error| panic!("{error}"));
        }
        if [&self.versions, &self.only, &self.except].into_iter().all(Vec::is_empty) {
            return self.check_text(&self.text(framework, framework.versions[0]).unwrap());
        }
        for version in framework.versions {
            let text = self.text(framework, version);
            if asked(version) {
                self.check_text(&text.unwrap_or_else(|no| panic!("{version}: {no}")));
            } else if self.versions.is_empty() {
                let has = |text: String| self.has.iter().any(|part| text.contains(part));
                assert!(!text.is_ok_and(has), "{version} has it too");
            }
        }
    }

    /// The text that is meant, or all of them.
    fn text(&self, framework: &'static Framework, version: &'static str) -> Result<String, String> {
        let texts = flags(&self.ask.question(), framework, version, "")
            .unwrap()
            .map_err(|no| no.message)?;
        let Some(file) = &self.file else {
            return Ok(texts.into_iter().map(|own| own.text).collect());
        };
        let own = texts.into_iter().find(|own| own.file == file.as_str());
        Ok(own.unwrap_or_else(|| panic!("no text {file}")).text)
    }

    fn check_text(&self, text: &str) {
        let lists = [&self.has, &self.lacks, &self.in_order, &self.unset];
        let nothing = lists.into_iter().all(Vec::is_empty) && self.settings.is_empty() && !self.reads_back;
        assert!(!nothing, "the case says nothing");
        for part in &self.has {
            assert!(text.contains(part), "no {part} in {text}");
        }
        for part in &self.lacks {
            assert!(!text.contains(part), "{part} in {text}");
        }
        let places = self
            .in_order
            .iter()
            .map(|part| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}")));
        assert!(places.is_sorted(), "{:?} in {text}", self.in_order);
        for (key, value) in &self.settings {
            assert_eq!(setting(text, key), Some(value.as_str()), "{key}");
        }
        for key in &self.unset {
            assert_eq!(setting(text, key), None, "{key}");
        }
        if self.reads_back {
            let (asked, reading) = (self.ask.question(), read(&[text], None).unwrap());
            assert_eq!(reading.question.hardware.gpus, asked.hardware.gpus, "{text}");
            assert_eq!(reading.question.model, asked.model);
            assert!(reading.refused.is_empty(), "{:?}", reading.refused);
        }
    }
}

/// The value of a setting of a shell text.
fn setting<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    settings(text).into_iter().find_map(|line| {
        let value = line.strip_prefix(key)?.strip_prefix('=')?;
        Some(value.split("  # ").next().unwrap_or(value))
    })
}
