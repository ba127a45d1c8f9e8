//! The question that grows, and the report beside it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::link::Base;
use super::meaning::{Meaning, Section, keys, meaning};
use super::printable::{printable, short};
use super::report::{Assumed, Framework, Ignored, Note, Reading, Refused, Trouble, Understood, Unknown, Unmodelled};
use super::settings::{Setting, Settings};
use super::{model, nearest, value};
use crate::emit;
use shardwise_catalog::catalog::ModelEntry;
use shardwise_catalog::error::InputError;
use shardwise_question::job::{self, Job};
use shardwise_question::plan::Plan;
use shardwise_question::wire::{self, Question};
use shardwise_question::{belonging, complete};
use shardwise_rules as rules;

/// A question and its report while they are written.
pub(super) struct Draft<'a> {
    pub(super) framework: Framework,
    pub(super) base: Option<&'a Question>,
    /// The caller's part of it.
    pub(super) own: Option<&'a Question>,
    /// The question of the link in the text's head.
    pub(super) link: Option<&'a Question>,
    /// The release that the text is older than, as the keys show that it has renamed or removed.
    older: Option<[u32; 3]>,
    /// Whether the text is a few settings without their command: the base question says the rest.
    pub(super) snippet: bool,
    /// GPUs that train, where the text tells.
    pub(super) train_gpus: Option<u64>,
    root: Value,
    pub(super) settings: Settings,
    stated: Vec<Setting>,
    sections: &'static [Section],
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
    pub(super) fn new(framework: Framework, sections: &'static [Section], base: Base<'a>) -> Self {
        Self {
            framework,
            base: base.question,
            own: base.own,
            link: base.link,
            older: None,
            snippet: false,
            train_gpus: None,
            root: json!({"version": wire::VERSION}),
            settings: Settings::default(),
            stated: Vec::new(),
            sections,
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

    /// Takes a key; one that was renamed is read under its new name.
    pub(super) fn state(&mut self, setting: Setting) {
        let key = setting.key.clone();
        self.stated.push(setting.clone());
        let found = meaning(self.sections, &key);
        if let Some((Meaning::Renamed(_, since) | Meaning::Removed(since, _), _)) = found {
            self.shows_older(since);
        }
        if let Some((Meaning::Renamed(to, since), _)) = found {
            // `old.*` to `new.*`: the rest of the key stays.
            let to = match to.strip_suffix('*') {
                Some(start) => {
                    let rest = self
                        .sections
                        .iter()
                        .filter_map(|section| {
                            let name = key.strip_prefix(section.prefix)?;
                            section.keys.iter().find_map(|(known, meaning)| {
                                let before = known.strip_suffix('*')?;
                                matches!(meaning, Meaning::Renamed(other, _) if *other == to)
                                    .then(|| name.strip_prefix(before))
                                    .flatten()
                            })
                        })
                        .next()
                        .unwrap_or_default();
                    format!("{start}{rest}")
                }
                None => to.to_owned(),
            };
            self.refuse(
                &setting.written,
                format!("Renamed in {since}: it is {to} now, and is read as that."),
                setting.line,
            );
            // The new name wins where both are stated.
            if self.settings.get(&to).is_none() {
                self.settings.state(to, setting);
            }
            return;
        }
        self.settings.state(key, setting);
    }

    /// The text shows that it is older than a release.
    pub(super) fn shows_older(&mut self, release: &str) {
        let release = parts_of(release);
        self.older = Some(self.older.map_or(release, |older| older.min(release)));
    }

    /// Whether the text is older than a release, so that the defaults before it hold.
    pub(super) fn predates(&self, release: &str) -> bool {
        self.older.is_some_and(|older| older <= parts_of(release))
    }

    /// Sets a field of the question.
    pub(super) fn set(&mut self, path: &str, value: impl Into<Value>) {
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
    pub(super) fn replace(&mut self, root: Value) -> Value {
        std::mem::replace(&mut self.root, root)
    }

    /// Fields that stated keys became.
    pub(super) fn understood_fields(&self) -> Vec<String> {
        let fields = self.understood.iter().flat_map(|one| one.field.split(' '));
        fields.map(str::to_owned).collect()
    }

    /// Fields that are assumed.
    pub(super) fn assumed_fields(&self) -> BTreeSet<String> {
        let fields = self.assumed.iter().map(|one| one.field.clone());
        fields.collect()
    }

    /// Takes what is assumed for a field out of the report; whether there was anything.
    pub(super) fn forget(&mut self, field: &str) -> bool {
        let before = self.assumed.len();
        self.assumed.retain(|one| one.field != field);
        self.assumed.len() != before
    }

    /// Puts one assumption in the place of all.
    pub(super) fn forget_assumed(&mut self, why: &str) {
        self.assumed.clear();
        self.assume("", Value::Null, why);
    }

    /// Takes a field out of the question.
    pub(super) fn remove(&mut self, path: &str) {
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
    pub(super) fn field(&self, path: &str) -> Option<&Value> {
        self.root.pointer(&format!("/{}", path.replace('.', "/")))
    }

    /// Sets a field that the text does not tell.
    pub(super) fn assume(&mut self, path: &str, value: impl Into<Value>, why: impl AsRef<str>) {
        let value = value.into();
        let shown = match &value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if !value.is_null() {
            self.set(path, value);
        }
        self.assumed
            .push(Assumed { field: path.to_owned(), value: short(&shown), why: printable(why.as_ref()) });
    }

    /// Notes what the framework refuses; `line` 0: where the key is stated, if it is.
    pub(super) fn refuse(&mut self, key: &str, why: impl AsRef<str>, line: u32) {
        let source = self.framework.source();
        if line == 0 {
            self.refuse_stated(key, why, source);
        } else {
            self.refuse_by(key, why, line, source);
        }
    }

    /// Notes what a file of the framework's refuses about a key, where that is stated.
    pub(super) fn refuse_stated(&mut self, key: &str, why: impl AsRef<str>, source: &str) {
        let stated = self.settings.get(key);
        let (written, line) = match stated {
            Some(setting) if !setting.written.is_empty() => (setting.written.clone(), setting.line),
            _ => (key.to_owned(), 0),
        };
        self.refuse_by(&written, why, line, source);
    }

    fn refuse_by(&mut self, key: &str, why: impl AsRef<str>, line: u32, source: &str) {
        let refused = Refused { key: short(key), why: printable(why.as_ref()), source: source.to_owned(), line };
        if !self.refused.contains(&refused) {
            self.refused.push(refused);
        }
    }

    /// Keeps rules about a field out of the report: the text overrules what the rule goes by.
    pub(super) fn overrule(&mut self, field: &'static str) {
        self.overruled.push(field);
    }

    /// Whether rules about a field are kept out.
    pub(super) fn overrules(&self, field: &str) -> bool {
        self.overruled.contains(&field)
    }

    /// Notes how a part of the text was read.
    pub(super) fn note(&mut self, line: u32, text: impl AsRef<str>) {
        self.notes.push(Note { line, text: printable(text.as_ref()) });
    }

    /// Notes a word that is not read.
    pub(super) fn unread(&mut self, word: &str, hint: impl AsRef<str>, line: u32) {
        self.unknown
            .push(Unknown { key: short(word), hint: printable(hint.as_ref()), line });
    }

    /// The stated value of a key; `None` where it is not stated or null.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let setting = self.settings.resolve(key)?;
        if let Some(open) = &setting.open {
            // A path with an unknown beginning still says which model it is.
            let path = setting.value.trim_end_matches('/');
            if path.contains('/') {
                return Some(path.to_owned());
            }
            self.left_open(&setting, open);
            return None;
        }
        (!value::is_null(&setting.value)).then_some(setting.value)
    }

    /// The stated value of a key without its quotes, where the text tells it; what it leaves open is not reported.
    pub(super) fn known(&self, key: &str) -> Option<String> {
        let setting = self.settings.resolve(key)?;
        let told = setting.open.is_none() && !value::is_null(&setting.value);
        told.then(|| value::unquoted(&setting.value).to_owned())
    }

    /// Whether a key has a value, known or not.
    pub(super) fn holds(&self, key: &str) -> bool {
        let setting = self.settings.resolve(key);
        setting.is_some_and(|one| one.open.is_some() || !value::is_null(&one.value))
    }

    /// What a key's value depends on and the text does not tell.
    pub(super) fn depends_on(&self, key: &str) -> Option<String> {
        self.settings.resolve(key)?.open
    }

    /// Keeps a key out of the report, as what is assumed for it says all.
    pub(super) fn settle(&mut self, key: &str) {
        self.troubled.insert(key.to_owned());
    }

    /// What follows `prefix` in the stated keys that begin with it.
    pub(super) fn stated(&self, prefix: &str) -> Vec<String> {
        let rest = |setting: &Setting| setting.key.strip_prefix(prefix).map(str::to_owned);
        self.stated.iter().filter_map(rest).collect()
    }

    /// Whether a key is stated, null included.
    pub(super) fn states(&self, key: &str) -> bool {
        self.settings.get(key).is_some()
    }

    /// Whether a key that begins so is stated.
    pub(super) fn states_any(&self, prefix: &str) -> bool {
        self.stated.iter().any(|setting| setting.key.starts_with(prefix))
    }

    fn left_open(&mut self, setting: &Setting, open: &str) {
        if self.troubled.insert(setting.key.clone()) {
            self.unread(&setting.written, depends(open), setting.line);
        }
    }

    fn wrong(&mut self, key: &str, wanted: &str) {
        let Some(setting) = self.settings.resolve(key) else {
            return;
        };
        if self.troubled.insert(setting.key.clone()) {
            self.refuse(&setting.written, format!("{:?} is {wanted}", short(&setting.value)), setting.line);
        }
    }

    /// A whole number, -1 and 0 included.
    pub(super) fn signed(&mut self, key: &str) -> Option<i64> {
        let text = self.text(key)?;
        let value = value::whole(&text);
        if value.is_none() {
            self.wrong(key, "no whole number.");
        }
        value
    }

    /// A whole number of 1 or more.
    pub(super) fn count(&mut self, key: &str) -> Option<u64> {
        let value = u64::try_from(self.signed(key)?).ok().filter(|n| *n > 0);
        if value.is_none() {
            self.wrong(key, "no whole number of 1 or more.");
        }
        value
    }

    /// A truth value.
    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        let text = self.text(key)?;
        let value = value::truth(&text);
        if value.is_none() {
            self.wrong(key, "neither True nor False.");
        }
        value
    }

    /// A number.
    pub(super) fn number(&mut self, key: &str) -> Option<f64> {
        let text = self.text(key)?;
        let value = value::number(&text);
        if value.is_none() {
            self.wrong(key, "no number.");
        }
        value
    }

    /// Takes a whole number into a field, or assumes the framework's default.
    pub(super) fn take_count(&mut self, key: &str, field: &str, default: Option<u64>) -> Option<u64> {
        let value = self.count(key);
        match (value, default) {
            (Some(value), _) => self.set(field, value),
            (None, Some(default)) => self.default(key, field, default),
            (None, None) => {}
        }
        value.or(default)
    }

    /// Assumes a framework's default.
    pub(super) fn default(&mut self, key: &str, field: &str, value: impl Into<Value>) {
        let name = self.framework.name();
        self.assume(field, value, format!("{name}'s default; {key} would say."));
    }

    /// Finds the model that a key's path names, and sets the field. Where the catalog has none, the base's
    /// model, or the name as it is written, so that the question says what is missing.
    pub(super) fn take_model(&mut self, key: &str, field: &str) -> Option<&'static ModelEntry> {
        let path = self.text(key);
        let found = path.as_deref().and_then(model::find);
        if let Some(entry) = found {
            self.set(field, entry.id);
            return Some(entry);
        }
        let name = self.framework.name();
        let why = match &path {
            Some(path) => format!(
                "{key} names {:?}, which the catalog does not know; state the model by a Hugging Face name or a config.json.",
                short(path)
            ),
            None => format!("{name} takes the model from {key}, which the text does not tell."),
        };
        match self.base {
            Some(base) if field == "model" && !base.model.is_null() => {
                let model = base.model.clone();
                self.assume(field, model.clone(), format!("From the base question: {why}"));
                return model.as_str().and_then(model::find);
            }
            _ => {
                let name = path.as_deref().map(|path| short(path.trim_end_matches('/')));
                let last = name.as_deref().and_then(|path| path.rsplit('/').next());
                match last {
                    Some(last) => self.assume(field, last, why),
                    // Whose error says how a model is named.
                    None if field == "model" => {
                        self.set(field, Value::Null);
                        self.assume(field, Value::Null, why);
                    }
                    None => self.assume(field, "unknown", why),
                }
            }
        }
        None
    }

    /// Sorts every stated key into the report, and checks the question by the framework's rules.
    pub(super) fn finish(mut self, checked_as: Option<&str>) -> Result<Reading, Trouble> {
        self.hardware();
        self.lengths();
        self.calibration();
        self.sort();
        if let Some(base) = self.base.filter(|base| self.snippet && job::resolve(base).is_ok()) {
            self.lay_over(base);
        } else {
            self.take_link();
        }
        let left_out = belonging::strip(&mut self.root);
        if !left_out.is_empty() {
            self.note(0, format!("Left out of the question, which has no use for it: {}.", left_out.join(", ")));
        }
        let question = wire::question_from_value(self.root.take())
            .map_err(|error| Trouble::new(0, format!("The text asks for what is no question. {error}")))?;
        match resolve(&question) {
            Ok((job, plan)) => {
                if let Some(framework) = checked_as.and_then(emit::framework) {
                    for error in rules::violations(&job, &plan, framework) {
                        if self.overruled.contains(&error.field.as_str()) {
                            continue;
                        }
                        self.refuse(&error.field, &error.message, 0);
                    }
                }
            }
            Err(error) => {
                self.refuse_by(&error.field, &error.message, 0, "Shardwise, which cannot estimate it");
            }
        }
        Ok(Reading {
            version: wire::VERSION,
            framework: self.framework,
            question,
            understood: self.understood,
            assumed: self.assumed,
            ignored: self.ignored,
            not_modelled: self.not_modelled,
            unknown: self.unknown,
            refused: self.refused,
            notes: self.notes,
        })
    }

    fn sort(&mut self) {
        // Enough for any script; a text of nothing but unknown keys stays quick.
        let mut hints = 64usize;
        let stated = std::mem::take(&mut self.stated);
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, setting) in stated.iter().enumerate() {
            last.insert(&setting.key, at);
        }
        for (at, setting) in stated.iter().enumerate() {
            let Setting { key, written, value, line, .. } = setting;
            let found = meaning(self.sections, key);
            if found.is_some() && last.get(key.as_str()).is_some_and(|last| *last != at) {
                self.ignored.push(Ignored {
                    key: short(written),
                    why: "stated again further down, where it holds".to_owned(),
                    line: *line,
                });
                continue;
            }
            if self.troubled.contains(key) {
                continue;
            }
            // A value that nothing asked for is as open as one that was.
            if let Some(open) = &setting.open
                && matches!(found, Some((Meaning::Field(_) | Meaning::Plan(_), _)))
                && !value.contains('/')
            {
                self.unread(written, depends(open), *line);
                continue;
            }
            let (key_shown, value) = (short(written), short(value));
            match found {
                Some((Meaning::Field(field), _)) => {
                    self.understood
                        .push(Understood { key: key_shown, value, field: field.to_owned(), line: *line })
                }
                Some((Meaning::Plan(field), prefix)) => self.understood.push(Understood {
                    key: key_shown,
                    value,
                    field: field
                        .split(' ')
                        .map(|field| format!("{prefix}{field}"))
                        .collect::<Vec<_>>()
                        .join(" "),
                    line: *line,
                }),
                Some((Meaning::Ignored(why), _)) => {
                    self.ignored.push(Ignored { key: key_shown, why: why.to_owned(), line: *line })
                }
                Some((Meaning::Unmodelled(why), _)) => {
                    self.not_modelled
                        .push(Unmodelled { key: key_shown, value, why: why.to_owned(), line: *line })
                }
                Some((Meaning::Removed(since, why), _)) => {
                    self.refuse(written, format!("Removed in {since}: {why}"), *line);
                }
                // Said when it was stated.
                Some((Meaning::Renamed(..), _)) => {}
                None => {
                    let near = (hints > 0).then(|| nearest::nearest(key, keys(self.sections))).flatten();
                    hints = hints.saturating_sub(1);
                    let hint = near.map(|key| format!("Did you mean {key}?")).unwrap_or_default();
                    self.unread(written, hint, *line);
                }
            }
        }
    }
}

/// What to do about a value that the text leaves open.
fn depends(open: &str) -> String {
    if open.starts_with("$(") {
        format!("Its value is what {open} gives, which is not known here. Write the value itself.")
    } else {
        format!(
            "Its value depends on {open}, which the text does not set. Add {open}=… above, or write the value itself."
        )
    }
}

/// Numbers of a release: `0.7.1`.
fn parts_of(release: &str) -> [u32; 3] {
    let mut parts = release.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}

/// The question with its plan, as far as it can be completed.
pub(super) fn resolve(question: &Question) -> Result<(Job, Plan), InputError> {
    let job = job::resolve(question)?;
    let spec = question.plan.clone().unwrap_or_default();
    let plan = complete::complete(&job, &spec)?;
    Ok((job, plan))
}
