//! The question that grows, and the report beside it.

mod finish;
mod generation;
mod values;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::link::Base;
use super::printable::{printable, short};
use super::report::{
    Assumed, Dialect, Ignored, Missing, Note, OWN, Outdated, Refused, TRAINER, Understood, Unknown, Unmodelled,
};
use super::settings::{Setting, Settings};
use crate::binding::{self, Found, KeySection, Meaning, find};
use shardwise_catalog::catalog::{self, ModelEntry};
use shardwise_catalog::error::InputError;
use shardwise_question::complete;
use shardwise_question::job::{self, Job};
use shardwise_question::plan::Plan;
use shardwise_question::wire::{self, Question};

/// A question and its report while they are written.
pub(crate) struct Draft<'a> {
    pub(crate) framework: Dialect,
    pub(crate) base: Option<&'a Question>,
    /// The caller's part of it.
    pub(crate) own: Option<&'a Question>,
    /// The question of the link in the text's head.
    pub(crate) link: Option<&'a Question>,
    /// Folders of weights, each with the repository that the text says it is of.
    folders: &'a [(String, String)],
    /// The release that the text is older than, as the keys show that it has renamed or removed.
    older: Option<[u32; 3]>,
    /// Whether the text is a few settings without their command: the base question says the rest.
    pub(crate) snippet: bool,
    /// Line of the command that trains; 0 where there is none.
    pub(crate) launched: u32,
    /// A file that the command names and nobody gave.
    named: Option<String>,
    /// Whether the trainer's own model generates, and no engine.
    pub(crate) generates_itself: bool,
    /// Whether it is Hugging Face's Trainer, which nothing starts `DeepSpeed` for.
    pub(crate) trainer_alone: bool,
    /// GPUs that train, where the text tells.
    pub(crate) train_gpus: Option<u64>,
    root: Value,
    pub(crate) settings: Settings,
    /// What the text states, and the rows of its keys.
    stated: Vec<(Setting, Option<Found>)>,
    sections: &'static [KeySection],
    missing: Vec<Missing>,
    outdated: Vec<Outdated>,
    lacking: Vec<(&'static str, &'static str)>,
    understood: Vec<Understood>,
    assumed: Vec<Assumed>,
    ignored: Vec<Ignored>,
    not_modelled: Vec<Unmodelled>,
    unknown: Vec<Unknown>,
    refused: Vec<Refused>,
    notes: Vec<Note>,
    overruled: Vec<&'static str>,
    /// Keys whose value is of no use, as they are reported elsewhere.
    troubled: BTreeSet<String>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(framework: Dialect, sections: &'static [KeySection], base: Base<'a>) -> Self {
        Self {
            framework,
            base: base.question,
            own: base.own,
            link: base.link,
            folders: base.folders,
            older: None,
            snippet: false,
            launched: 0,
            named: None,
            generates_itself: false,
            trainer_alone: false,
            train_gpus: None,
            root: json!({"version": wire::VERSION}),
            settings: Settings::default(),
            stated: Vec::new(),
            sections,
            missing: Vec::new(),
            outdated: Vec::new(),
            lacking: Vec::new(),
            understood: Vec::new(),
            assumed: Vec::new(),
            ignored: Vec::new(),
            not_modelled: Vec::new(),
            unknown: Vec::new(),
            refused: Vec::new(),
            notes: Vec::new(),
            overruled: Vec::new(),
            troubled: BTreeSet::new(),
        }
    }

    /// Whose text it is, for a person.
    pub(crate) fn name(&self) -> &'static str {
        if self.trainer_alone { TRAINER } else { self.framework.name() }
    }

    /// Takes a key; one that was renamed is read under its new name.
    pub(crate) fn state(&mut self, setting: Setting) {
        let key = setting.key.clone();
        let found = find(self.sections, &key);
        self.stated.push((setting.clone(), found));
        match found.map(|found| (found.meaning, found.rest(&key))) {
            Some((Meaning::Removed(since, _), _)) => self.shows_older(since),
            Some((Meaning::Renamed(to, since), rest)) => {
                self.shows_older(since);
                // `old.*` to `new.*`: the rest of the key stays.
                let to = to
                    .strip_suffix('*')
                    .map_or_else(|| to.to_owned(), |start| format!("{start}{rest}"));
                // Tables without dashes are of files as well as of commands.
                let dashes = if setting.written.starts_with("--") && !to.starts_with("--") { "--" } else { "" };
                let now = format!("{dashes}{to}");
                let why = format!("Renamed in {since}: it is {now} now, and is read as that.");
                let source = self.framework.source();
                let refused = Refused::new(&setting.written, &why, source, setting.line);
                self.note_refused(Refused { renamed: true, ..refused });
                self.outdated
                    .push(Outdated { key: setting.written.clone(), now: Some(now), line: setting.line });
                // The new name wins where both are stated.
                if self.settings.get(&to).is_none() {
                    self.settings.state(to, setting);
                }
                return;
            }
            _ => {}
        }
        self.settings.state(key, setting);
    }

    /// The text shows that it is older than a release.
    pub(crate) fn shows_older(&mut self, release: &str) {
        let release = binding::release(release);
        self.older = Some(self.older.map_or(release, |older| older.min(release)));
    }

    /// Notes a key of an older release that was read as it is: what it is now with the same value, or nothing where that is what is
    /// taken without it.
    pub(crate) fn is_of_old(&mut self, key: &str, now: Option<&str>) {
        let Some(own) = self.settings.get(key) else { return };
        let dashes = if own.written.starts_with("--") { "--" } else { "" };
        let now = now.map(|now| format!("{dashes}{now}"));
        self.outdated.push(Outdated { key: own.written.clone(), now, line: own.line });
    }

    /// The newest release asks for a setting that had this value by itself in the text's.
    pub(crate) fn lacks(&mut self, key: &'static str, value: &'static str) {
        self.lacking.push((key, value));
    }

    /// Whether the text is older than a release, so that the defaults before it hold.
    pub(crate) fn predates(&self, release: &str) -> bool {
        self.older.is_some_and(|older| older <= binding::release(release))
    }

    /// The last of a framework's releases, newest first, that the text may be for, where its keys are older than the newest.
    pub(crate) fn last_release(&self, releases: &[&'static str]) -> Option<&'static str> {
        let older = self.older?;
        let last = releases.iter().find(|name| binding::release(name) < older);
        last.or(releases.last()).copied()
    }

    /// Sets a field of the question.
    pub(crate) fn set(&mut self, path: &str, value: impl Into<Value>) {
        let mut at = &mut self.root;
        for key in path.split('.') {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            let Value::Object(map) = at else {
                return;
            };
            at = map.entry(key).or_insert(Value::Null);
        }
        *at = value.into();
    }

    /// Puts another question in the place of this one, which it returns.
    pub(crate) fn replace(&mut self, root: Value) -> Value {
        std::mem::replace(&mut self.root, root)
    }

    /// Fields that stated keys became.
    pub(crate) fn understood_fields(&self) -> Vec<String> {
        let fields = self.understood.iter().flat_map(|one| one.field.split(' '));
        fields.map(str::to_owned).collect()
    }

    /// Fields that are assumed.
    pub(crate) fn assumed_fields(&self) -> BTreeSet<String> {
        let fields = self.assumed.iter().map(|one| one.field.clone());
        fields.collect()
    }

    /// Whether a field is assumed.
    pub(crate) fn assumes(&self, field: &str) -> bool {
        self.assumed.iter().any(|one| one.field == field)
    }

    /// Takes what is assumed for a field out of the report; whether there was anything.
    pub(crate) fn forget(&mut self, field: &str) -> bool {
        let before = self.assumed.len();
        self.assumed.retain(|one| one.field != field);
        self.assumed.len() != before
    }

    /// Puts one assumption in the place of all.
    pub(crate) fn forget_assumed(&mut self, why: &str) {
        self.assumed.clear();
        self.assume_known("", Value::Null, why);
    }

    /// Takes a field out of the question.
    pub(crate) fn remove(&mut self, path: &str) {
        let (parents, last) = path.rsplit_once('.').unwrap_or(("", path));
        let parent = if parents.is_empty() {
            Some(&mut self.root)
        } else {
            self.root.pointer_mut(&format!("/{}", parents.replace('.', "/")))
        };
        if let Some(Value::Object(map)) = parent {
            map.remove(last);
        }
    }

    /// A field of the question.
    pub(crate) fn field(&self, path: &str) -> Option<&Value> {
        self.root.pointer(&format!("/{}", path.replace('.', "/")))
    }

    /// The catalog's model that the question names.
    pub(crate) fn entry(&self) -> Option<&'static ModelEntry> {
        self.field("model").and_then(Value::as_str).and_then(catalog::model)
    }

    /// Guesses a field that the text does not state.
    pub(crate) fn assume(&mut self, path: &str, value: impl Into<Value>, why: impl AsRef<str>) {
        self.assume_as(path, value.into(), why.as_ref(), true);
    }

    /// Sets a field that the text does not state and something else settles: the framework's default, the caller, a link.
    pub(crate) fn assume_known(&mut self, path: &str, value: impl Into<Value>, why: impl AsRef<str>) {
        self.assume_as(path, value.into(), why.as_ref(), false);
    }

    fn assume_as(&mut self, path: &str, value: Value, why: &str, guessed: bool) {
        let shown = match &value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if !value.is_null() {
            self.set(path, value);
        }
        self.assumed
            .push(Assumed { field: path.to_owned(), value: short(&shown), why: printable(why), guessed });
    }

    /// Notes what the framework refuses; `line` 0: where the key is stated, if it is.
    pub(crate) fn refuse(&mut self, key: &str, why: impl AsRef<str>, line: u32) {
        let source = self.framework.source();
        if line == 0 {
            self.refuse_stated(key, why, source);
        } else {
            self.refuse_by(key, why, line, source);
        }
    }

    /// Notes what a file of the framework's refuses about a key, where that is stated.
    pub(crate) fn refuse_stated(&mut self, key: &str, why: impl AsRef<str>, source: &str) {
        let stated = self.settings.get(key);
        let (written, line) = match stated {
            Some(setting) if !setting.written.is_empty() => (setting.written.clone(), setting.line),
            _ => (key.to_owned(), 0),
        };
        self.refuse_by(&written, why, line, source);
    }

    fn refuse_by(&mut self, key: &str, why: impl AsRef<str>, line: u32, source: &str) {
        self.note_refused(Refused::new(key, why.as_ref(), source, line));
    }

    fn note_refused(&mut self, refused: Refused) {
        if !self.refused.contains(&refused) {
            self.refused.push(refused);
        }
    }

    /// Notes what there is no estimate of; `key` is where the text says so, if it does.
    pub(crate) fn cannot(&mut self, key: &str, why: impl AsRef<str>) {
        self.refuse_stated(key, why, OWN);
    }

    /// Keeps rules about a field out of the report: the text overrules what the rule goes by.
    pub(crate) fn overrule(&mut self, field: &'static str) {
        self.overruled.push(field);
    }

    /// Whether rules about a field are kept out.
    pub(crate) fn overrules(&self, field: &str) -> bool {
        self.overruled.contains(&field)
    }

    /// Notes how a part of the text was read.
    pub(crate) fn note(&mut self, line: u32, text: impl AsRef<str>) {
        self.notes
            .push(Note { line, file: None, text: printable(text.as_ref()), decides: false, stands_in: false });
    }

    /// Notes what the verdict stands on and may be otherwise: it is said beside it.
    pub(crate) fn doubt(&mut self, line: u32, text: impl AsRef<str>) {
        self.notes
            .push(Note { line, file: None, text: printable(text.as_ref()), decides: true, stands_in: false });
    }

    /// Notes that another run is estimated than the text asks for: no verdict is of the text's own then.
    pub(crate) fn stands_in(&mut self, line: u32, text: impl AsRef<str>) {
        self.notes
            .push(Note { line, file: None, text: printable(text.as_ref()), decides: true, stands_in: true });
    }

    /// Estimates fine-tuning in the place of a method that there is no estimate of.
    pub(crate) fn fine_tunes_in_its_place(&mut self, why: impl AsRef<str>) {
        self.assume_known("workload.kind", "sft", why.as_ref());
        self.stands_in(0, why);
    }

    /// Notes what holds for the text as a whole, where nothing has noted it before.
    pub(crate) fn note_once(&mut self, text: &str) {
        let text = printable(text);
        if self.notes.iter().all(|own| own.text != text) {
            self.notes
                .push(Note { line: 0, file: None, text, decides: false, stands_in: false });
        }
    }

    /// Notes what has to be told before there is an estimate.
    pub(crate) fn miss(&mut self, field: &str, key: &str, why: impl AsRef<str>) {
        self.missing
            .push(Missing { field: field.to_owned(), key: short(key), why: printable(why.as_ref()) });
    }

    /// Notes a file that the command reads its settings from and nobody gave.
    pub(crate) fn names(&mut self, file: &str) {
        self.named = Some(short(file));
    }

    /// Such a file.
    pub(crate) fn named(&self) -> Option<String> {
        self.named.clone()
    }

    /// Notes a word that is not read.
    pub(crate) fn unread(&mut self, word: &str, hint: impl AsRef<str>, line: u32) {
        self.unknown
            .push(Unknown { key: short(word), hint: printable(hint.as_ref()), line, file: None });
    }
}

/// The question with its plan, as far as it can be completed.
pub(crate) fn resolve(question: &Question) -> Result<(Job, Plan), InputError> {
    let job = job::resolve(question)?;
    let spec = question.plan.clone().unwrap_or_default();
    let plan = complete::complete(&job, &spec)?;
    Ok((job, plan))
}
