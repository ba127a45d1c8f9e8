//! Spellings of the frameworks: the guides' own lines, older names, each kind of file. `cases/read/` holds them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use shardwise_core::estimate;
use shardwise_core::read::read;
use shardwise_core::wire::question_from_value;

use super::{field, question, reading_of};
use crate::cases;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Texts that cases share: `<name>` stands for one.
    #[serde(default)]
    texts: BTreeMap<String, String>,
    case: Vec<Case>,
}

/// A text, or several, and what is read of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    what: String,
    text: Option<String>,
    #[serde(default)]
    texts: Vec<String>,
    /// Pieces of the texts, each with another in its place.
    #[serde(default)]
    replace: Vec<[String; 2]>,
    /// What `<each>` stands for, one after the other.
    #[serde(default)]
    each: Vec<String>,
    /// Other texts that are read as the same question.
    #[serde(default)]
    same: Vec<Vec<String>>,
    /// The question that was there before.
    base: Option<Value>,
    framework: Option<String>,
    /// The whole question.
    question: Option<Value>,
    /// Fields of the question, by their paths.
    #[serde(default)]
    fields: BTreeMap<String, Value>,
    #[serde(default)]
    absent: Vec<String>,
    /// Whether the question is answered as it is.
    #[serde(default)]
    answered: bool,
    /// Lists of the report that hold what is named below in this order, and nothing else.
    #[serde(default)]
    all: Vec<String>,
    #[serde(default)]
    understood: Vec<Item>,
    #[serde(default)]
    assumed: Vec<Item>,
    #[serde(default)]
    not_modelled: Vec<Item>,
    #[serde(default)]
    missing: Vec<Item>,
    #[serde(default)]
    unknown: Vec<Item>,
    #[serde(default)]
    refused: Vec<Item>,
    #[serde(default)]
    not_refused: Vec<Item>,
    #[serde(default)]
    notes: Vec<Item>,
}

/// What an item of a list says: parts of its sentences (`why`, `hint`, `text`, `source`), parts of its key (`key_has`,
/// `key_starts`, `key_ends`), anything else as it is.
type Item = Map<String, Value>;

#[test]
fn texts_are_read_as_they_are_meant() {
    cases::each("read", |_, file: File, run| {
        for case in &file.case {
            if case.each.is_empty() {
                run.case(&case.what, || case.check(&file.texts, ""));
            }
            for each in &case.each {
                run.case(&format!("{}, {each}", case.what), || case.check(&file.texts, each));
            }
        }
    });
}

impl Case {
    /// A text as it is read.
    fn text(&self, text: &str, shared: &BTreeMap<String, String>, each: &str) -> String {
        let mut text = text.replace("<each>", each);
        for (name, shared) in shared {
            text = text.replace(&format!("<{name}>"), shared);
        }
        for [piece, other] in &self.replace {
            assert!(text.contains(piece.as_str()), "no {piece} to replace in\n{text}");
            text = text.replace(piece, other);
        }
        text
    }

    fn check(&self, shared: &BTreeMap<String, String>, each: &str) {
        let whole = |texts: &[String]| texts.iter().map(|text| self.text(text, shared, each)).collect::<Vec<_>>();
        let texts = whole(self.text.as_ref().map_or(&self.texts, std::slice::from_ref));
        let base = self.base.clone().map(|base| question_from_value(base).unwrap());
        let reading = reading_of(&texts, base.as_ref());
        for other in &self.same {
            assert_eq!(reading_of(&whole(other), base.as_ref()).question, reading.question, "{other:?}");
        }
        if let Some(expected) = &self.question {
            assert_eq!(&question(&reading), expected);
        }
        for (path, expected) in &self.fields {
            assert_eq!(&field(&reading, path), expected, "{path}");
        }
        for path in &self.absent {
            assert_eq!(field(&reading, path), Value::Null, "{path}");
        }
        if self.answered {
            estimate(&reading.question).unwrap();
        }
        self.check_report(&serde_json::to_value(&reading).unwrap());
    }

    fn check_report(&self, report: &Value) {
        if let Some(framework) = &self.framework {
            assert_eq!(&report["framework"], framework);
        }
        let lists = [
            ("understood", &self.understood),
            ("assumed", &self.assumed),
            ("not_modelled", &self.not_modelled),
            ("missing", &self.missing),
            ("unknown", &self.unknown),
            ("refused", &self.refused),
            ("notes", &self.notes),
        ];
        for name in &self.all {
            assert!(lists.iter().any(|(list, _)| list == name), "{name} is no list");
        }
        for (name, expected) in lists {
            let items = report[name].as_array().unwrap();
            if self.all.iter().any(|own| own == name) {
                let same = items.len() == expected.len() && items.iter().zip(expected).all(|(item, own)| is(item, own));
                assert!(same, "{name}: {items:#?}");
            }
            for own in expected {
                assert!(items.iter().any(|item| is(item, own)), "{name}: no {own:?} in {items:#?}");
            }
        }
        for own in &self.not_refused {
            let items = report["refused"].as_array().unwrap();
            assert!(!items.iter().any(|item| is(item, own)), "{own:?} in {items:#?}");
        }
    }
}

fn is(item: &Value, expected: &Item) -> bool {
    expected.iter().all(|(name, value)| {
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        let part = value.as_str().unwrap_or_default();
        match name.as_str() {
            "key_has" => text("key").contains(part),
            "key_starts" => text("key").starts_with(part),
            "key_ends" => text("key").ends_with(part),
            "why" | "hint" | "text" | "source" => {
                let several = value.as_array().map(|parts| parts.iter().filter_map(Value::as_str).collect());
                let parts: Vec<&str> = several.unwrap_or_else(|| vec![part]);
                parts.into_iter().all(|part| text(name).contains(part))
            }
            _ => &item[name.as_str()] == value,
        }
    })
}

#[test]
fn lines_of_several_texts_are_told_with_their_text() {
    let file = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nno_such_key = 1\n";
    let command = "\ntorchrun --nproc_per_node 8 -m torchtitan.train --training.seq_len 4096 --zzz.y 4\n";
    let reading = read(&[file, command], None).unwrap();
    let places: Vec<_> = reading.understood.iter().map(|one| (&*one.key, one.file, one.line)).collect();
    assert_eq!(
        places,
        [
            ("model.name", Some(1), 2),
            ("model.flavor", Some(1), 3),
            ("training.local_batch_size", Some(1), 5),
            ("--training.seq_len", Some(2), 2)
        ]
    );
    let places: Vec<_> = reading.unknown.iter().map(|one| (&*one.key, one.file, one.line)).collect();
    assert_eq!(places, [("training.no_such_key", Some(1), 6), ("--zzz.y", Some(2), 2)]);
    // One text says nothing of files, nor does the document then.
    let alone = read(&[file], None).unwrap();
    assert!(alone.understood.iter().all(|one| one.file.is_none()));
    assert!(!serde_json::to_string(&alone).unwrap().contains("\"file\""));
    // What cannot be read names its text, too.
    let trouble = read(&[command, "[a]\nb = [1,\n"], None).unwrap_err();
    assert_eq!((trouble.file, trouble.line), (Some(2), 2));
    assert!(trouble.to_string().starts_with("file 2, line 2: "));
}

#[test]
fn trainers_that_are_not_read_are_named() {
    for (text, name) in [
        ("tune run --nproc_per_node 8 full_finetune_distributed --config llama3/8B_full", "torchtune"),
        ("model:\n  _component_: torchtune.models.llama3.llama3_8b\nbatch_size: 2\n", "torchtune"),
        ("uv run rl @ configs/rl.toml", "prime-rl"),
        ("seq_len = 2048\n[model]\nname = \"Qwen/Qwen3-4B\"\n[orchestrator]\nbatch_size = 128\n", "prime-rl"),
        ("[model]\nname = \"Qwen/Qwen3-4B\"\n[data]\nseq_len = 2048\n[optim]\nlr = 1e-5\n", "prime-rl"),
    ] {
        let trouble = read(&[text], None).unwrap_err().to_string();
        assert!(trouble.starts_with(&format!("This is {name}'s, whose texts are not read.")), "{text}: {trouble}");
    }
}
