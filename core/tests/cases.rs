//! Cases as files: each kind of test has a folder in `cases/`, and its runner asks every case of every file there. One file
//! more, or one entry, is one test more, without code.
//!
//! A case that asks something begins with a question of `cases/questions.toml` and says what it has otherwise ([`Ask`]).

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use shardwise_core::wire::{Question, question_from_value, take};

/// The folder of a kind.
pub(crate) fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(kind)
}

fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file of a kind by its name, in their order.
pub(crate) fn files<T: DeserializeOwned>(kind: &str) -> Vec<(String, T)> {
    let entries = std::fs::read_dir(folder(kind)).unwrap_or_else(|error| panic!("cases/{kind}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    assert!(!paths.is_empty(), "cases/{kind} is empty");
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), read(path))).collect()
}

/// Cases of one kind while they are run: a failure is kept, and the next one asked.
pub(crate) struct Run {
    file: String,
    ran: usize,
    failed: Vec<String>,
}

impl Run {
    /// Runs a case, which fails where `check` panics.
    pub(crate) fn case(&mut self, name: &str, check: impl FnOnce()) {
        self.ran += 1;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(check)) {
            self.failed.push(format!("{}, {name}: {}", self.file, said(&*panic)));
        }
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked")
}

/// Runs every file of a kind, and fails with the file, the name and the trouble of each case that fails.
#[track_caller]
pub(crate) fn each<T: DeserializeOwned>(kind: &str, check: impl Fn(&str, T, &mut Run)) {
    let files = files(kind);
    let mut run = Run { file: String::new(), ran: 0, failed: Vec::new() };
    let count = files.len();
    for (name, content) in files {
        run.file = format!("cases/{kind}/{name}.toml");
        check(&name, content, &mut run);
    }
    println!("{kind}: {} cases in {count} files", run.ran);
    assert!(run.ran > 0, "cases/{kind} has no cases");
    assert!(run.failed.is_empty(), "{} of {} cases fail:\n{}", run.failed.len(), run.ran, run.failed.join("\n"));
}

/// Holds what is recorded in a file against the text of today, or records that where `UPDATE_GOLDEN` is set.
#[track_caller]
pub(crate) fn recorded(path: &Path, today: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, today).unwrap();
    }
    let then = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(today, then, "{}: where that is meant, UPDATE_GOLDEN=1, and read what it changes", path.display());
}

/// A question: one of `cases/questions.toml` by its name, and what it has otherwise.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ask {
    of: String,
    /// Fields that go, by their paths.
    #[serde(default)]
    without: Vec<String>,
    /// Fields that come, or change. An empty table leaves nothing of what was there.
    #[serde(default)]
    with: Map<String, Value>,
}

static QUESTIONS: LazyLock<BTreeMap<String, Value>> =
    LazyLock::new(|| read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/questions.toml")));

/// A question of `cases/questions.toml`.
pub(crate) fn question(name: &str) -> Value {
    QUESTIONS
        .get(name)
        .unwrap_or_else(|| panic!("no {name} in cases/questions.toml"))
        .clone()
}

impl Ask {
    /// The question as a document, which may be none.
    pub(crate) fn document(&self) -> Value {
        let mut document = question(&self.of);
        for path in &self.without {
            take(&mut document, path);
        }
        merge(&mut document, &self.with);
        document
    }

    /// The question.
    pub(crate) fn question(&self) -> Question {
        question_from_value(self.document()).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Puts what `change` has into a document: tables key by key, but for an empty one, everything else whole.
pub(crate) fn merge(document: &mut Value, change: &Map<String, Value>) {
    if !document.is_object() {
        *document = Value::Object(Map::new());
    }
    for (key, value) in change {
        match value {
            Value::Object(inner) if !inner.is_empty() => merge(&mut document[key.as_str()], inner),
            whole => document[key.as_str()] = whole.clone(),
        }
    }
}
