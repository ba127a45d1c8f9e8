//! What the stated keys say: words, numbers, truth values, a model; and the defaults where they say nothing.

use serde_json::Value;

use super::Draft;
use crate::binding::{Form, Meaning, find};
use crate::read::printable::short;
use crate::read::settings::Setting;
use crate::read::{downloads, model, value};
use shardwise_catalog::catalog::ModelEntry;

impl Draft<'_> {
    /// The stated value of a key; `None` where it is not stated or null.
    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
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

    /// The stated value of a key without its quotes; `None` where it is not stated or null.
    pub(crate) fn word(&mut self, key: &str) -> Option<String> {
        self.text(key).map(|text| value::unquoted(&text).to_owned())
    }

    /// The stated value of a key without its quotes, where the text tells it; what it leaves open is not reported.
    pub(crate) fn known(&self, key: &str) -> Option<String> {
        let setting = self.settings.resolve(key)?;
        let told = setting.open.is_none() && !value::is_null(&setting.value);
        told.then(|| value::unquoted(&setting.value).to_owned())
    }

    /// Whether the text tells that a key has this truth value.
    pub(crate) fn tells(&self, key: &str, truth: bool) -> bool {
        self.known(key).and_then(|text| value::truth(&text)) == Some(truth)
    }

    /// The whole number that the text tells of a key, 0 included.
    pub(crate) fn known_whole(&self, key: &str) -> Option<u64> {
        u64::try_from(value::whole(&self.known(key)?)?).ok()
    }

    /// Whether a key has a value, known or not.
    pub(crate) fn holds(&self, key: &str) -> bool {
        let setting = self.settings.resolve(key);
        setting.is_some_and(|one| one.open.is_some() || !value::is_null(&one.value))
    }

    /// A whole number that the question has by now.
    pub(crate) fn size(&self, path: &str) -> Option<u64> {
        self.field(path)?.as_u64()
    }

    /// What a key's value depends on and the text does not tell.
    pub(crate) fn depends_on(&self, key: &str) -> Option<String> {
        self.settings.resolve(key)?.open
    }

    /// Keeps a key out of the report, as what is assumed for it says all.
    pub(crate) fn settle(&mut self, key: &str) {
        self.troubled.insert(key.to_owned());
    }

    /// What follows `prefix` in the stated keys that begin with it.
    pub(crate) fn stated(&self, prefix: &str) -> Vec<String> {
        let keys = self.stated.iter().map(|(setting, _)| &setting.key);
        keys.filter_map(|key| key.strip_prefix(prefix).map(str::to_owned)).collect()
    }

    /// Whether a key is stated, null included.
    pub(crate) fn states(&self, key: &str) -> bool {
        self.settings.get(key).is_some()
    }

    /// Whether any key but this is stated.
    pub(crate) fn states_other_than(&self, key: &str) -> bool {
        self.stated.iter().any(|(setting, _)| setting.key != key)
    }

    /// Whether a key that begins so is stated.
    pub(crate) fn states_any(&self, prefix: &str) -> bool {
        self.stated.iter().any(|(setting, _)| setting.key.starts_with(prefix))
    }

    fn left_open(&mut self, setting: &Setting, open: &str) {
        if self.troubled.insert(setting.key.clone()) {
            self.unread(&setting.written, depends(open), setting.line);
        }
    }

    /// Refuses a key's value, once; `wanted` says what it is not: `no number.`
    fn wrong(&mut self, key: &str, wanted: &str) {
        let Some(setting) = self.settings.resolve(key) else {
            return;
        };
        if self.troubled.insert(setting.key.clone()) {
            self.refuse(&setting.written, format!("{:?} is {wanted}", short(&setting.value)), setting.line);
        }
    }

    /// A whole number, -1 and 0 included.
    pub(crate) fn signed(&mut self, key: &str) -> Option<i64> {
        let text = self.text(key)?;
        let value = value::whole(&text);
        if value.is_none() {
            self.wrong(key, "no whole number.");
        }
        value
    }

    /// A whole number of 1 or more.
    pub(crate) fn count(&mut self, key: &str) -> Option<u64> {
        let value = u64::try_from(self.signed(key)?).ok().filter(|n| *n > 0);
        if value.is_none() {
            self.wrong(key, "no whole number of 1 or more.");
        }
        value
    }

    /// A truth value.
    pub(crate) fn flag(&mut self, key: &str) -> Option<bool> {
        let text = self.text(key)?;
        let value = value::truth(&text);
        if value.is_none() {
            self.wrong(key, "neither True nor False.");
        }
        value
    }

    /// Whether a truth value is stated and true.
    pub(crate) fn is_on(&mut self, key: &str) -> bool {
        self.flag(key) == Some(true)
    }

    /// A number.
    pub(crate) fn number(&mut self, key: &str) -> Option<f64> {
        let text = self.text(key)?;
        let value = value::number(&text);
        if value.is_none() {
            self.wrong(key, "no number.");
        }
        value
    }

    /// Takes a key into its field as its row says: the value, or what holds where none is stated.
    pub(crate) fn take(&mut self, key: &str) {
        let found = find(self.sections, key);
        if let Some((Meaning::Taken(_, form), field)) = found.and_then(|found| Some((found.meaning, found.fields()?))) {
            self.take_as(form, key, &field);
        }
    }

    /// Takes every key under `prefix` whose field nothing has set, in the order of the tables.
    pub(crate) fn take_all(&mut self, prefix: &str) {
        for section in self.sections.iter().filter(|section| section.prefix == prefix) {
            for (name, meaning) in section.names() {
                if let Meaning::Taken(field, form) = meaning {
                    let field = format!("{}{field}", section.plan);
                    if self.field(&field).is_none() {
                        self.take_as(form, &format!("{prefix}{name}"), &field);
                    }
                }
            }
        }
    }

    fn take_as(&mut self, form: Form, key: &str, field: &str) {
        let stated: Option<Value> = match form {
            Form::Share(_) => self.number(key).map(Value::from),
            Form::Flag(_) | Form::FlagSince(..) => self.flag(key).map(Value::from),
            _ => self.count(key).map(Value::from),
        };
        match (stated, form) {
            (Some(value), _) => self.set(field, value),
            (None, Form::Stated) => {}
            (None, Form::Count(default)) => self.default(key, field, default),
            (None, Form::Share(default)) => self.default(key, field, default),
            (None, Form::Size) => self.set(field, 1),
            (None, Form::Flag(default)) => self.set(field, default),
            (None, Form::CountSince((release, before, default))) => {
                if !self.older_default(key, field, release, *before) {
                    self.default(key, field, *default);
                }
            }
            (None, Form::FlagSince((release, before, default))) => {
                if !self.older_default(key, field, release, *before) {
                    self.set(field, *default);
                }
            }
        }
    }

    /// Assumes what a framework took by default before a release, where the text is older than that; whether it is.
    pub(crate) fn older_default(&mut self, key: &str, field: &str, release: &str, value: impl Into<Value>) -> bool {
        let older = self.predates(release);
        if older {
            let name = self.name();
            let why = format!("{name}'s default before {release}: the text uses older keys. Set {key} to state it.");
            self.assume_known(field, value, why);
        }
        older
    }

    /// Takes a whole number into a field, or assumes the framework's default.
    pub(crate) fn take_count(&mut self, key: &str, field: &str, default: Option<u64>) -> Option<u64> {
        let value = self.count(key);
        match (value, default) {
            (Some(value), _) => self.set(field, value),
            (None, Some(default)) => self.default(key, field, default),
            (None, None) => {}
        }
        value.or(default)
    }

    /// Assumes a framework's default.
    pub(crate) fn default(&mut self, key: &str, field: &str, value: impl Into<Value>) {
        let name = self.name();
        self.assume_known(field, value, format!("{name}'s default; set {key} to state it."));
    }

    /// Finds the model that a key's path names, and sets the field. Where the catalog has none it is the base's, or the name as
    /// it is written; where that is no name either, the model is missing.
    pub(crate) fn take_model(&mut self, key: &str, field: &str) -> Option<&'static ModelEntry> {
        let open = self.depends_on(key).filter(|_| self.path(key).is_none());
        let path = self.path(key);
        if let Some(entry) = path.as_deref().and_then(model::find) {
            self.set(field, entry.id);
            return Some(entry);
        }
        if let Some((entry, repository)) = path.as_deref().and_then(|path| self.downloaded(path)) {
            let why = format!("{key} is a folder of {repository:?}, as the text says elsewhere.");
            self.assume_known(field, entry.id, why);
            return Some(entry);
        }
        let why = match (&path, open) {
            (Some(path), _) => format!("{key} is {:?}, which the catalog does not know.", short(path)),
            (None, Some(open)) => {
                self.settle(key);
                format!("{key} depends on {}.", unset(&open))
            }
            (None, None) if self.states(key) => format!("{key} is empty in the text."),
            (None, None) => {
                format!("{} takes the model from {key}, which the text does not state.", self.name())
            }
        };
        if field != "model" {
            let actors = self.field("model").cloned().unwrap_or(Value::Null);
            self.assume(field, actors.clone(), format!("{why} The actor's model is estimated in its place."));
            return actors.as_str().and_then(model::find);
        }
        self.model_otherwise(key, path.as_deref(), &why)
    }

    /// The model of a folder that the text names the repository of.
    fn downloaded(&self, path: &str) -> Option<(&'static ModelEntry, String)> {
        let folder = downloads::folder(path)?;
        let (_, repository) = self.folders.iter().find(|(own, _)| own == folder)?;
        Some((model::find(repository)?, short(repository)))
    }

    /// The base's model where no key names one, for the reason `why`; else it is missing, under the name that `path` has.
    pub(crate) fn model_otherwise(&mut self, key: &str, path: Option<&str>, why: &str) -> Option<&'static ModelEntry> {
        if let Some(base) = self.base.filter(|base| !base.model.is_null()) {
            let model = base.model.clone();
            self.assume_known("model", model.clone(), format!("From the base question. {why}"));
            return model.as_str().and_then(model::find);
        }
        let name = path.and_then(model::name);
        self.set("model", name.map_or(Value::Null, Value::from));
        let why = match &self.named {
            Some(file) if path.is_none() => format!("{why} Paste {file}, which the text names, or name the model."),
            _ => format!("{why} Name the model by its name on Hugging Face or by a config.json."),
        };
        self.miss("model", key, why);
        None
    }

    /// The path that a key states; one with an unknown beginning still says which model it is.
    fn path(&self, key: &str) -> Option<String> {
        let setting = self.settings.resolve(key)?;
        let path = setting.value.trim_end_matches('/');
        let told = setting.open.is_none() || path.contains('/');
        (told && !value::is_null(path)).then(|| path.to_owned())
    }
}

/// What a value depends on, in words: a variable, the script's arguments, what a command prints.
pub(super) fn unset(open: &str) -> String {
    if open.starts_with("$(") {
        format!("what {open} prints, which is not known here")
    } else if open.bytes().all(|b| b.is_ascii_digit()) {
        format!("${open}, an argument of the script")
    } else {
        format!("{open}, which the text does not set")
    }
}

/// What to do about a value that the text leaves open.
pub(super) fn depends(open: &str) -> String {
    if open.bytes().all(|b| b.is_ascii_digit()) {
        format!("Its value is ${open}, an argument of the script. Write the value itself.")
    } else if open.starts_with("$(") {
        format!("Its value is what {open} gives, which is not known here. Write the value itself.")
    } else {
        format!(
            "Its value depends on {open}, which the text does not set. Add {open}=… above, or write the value itself."
        )
    }
}
