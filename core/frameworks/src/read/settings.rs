//! Keys and values in the order in which they are stated; a later one wins.

use std::collections::BTreeMap;

/// A stated key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The key without hydra's marks.
    pub(crate) key: String,
    /// As written, with them.
    pub(crate) written: String,
    pub(crate) value: String,
    pub(crate) line: u32,
    /// What the value depends on and the text does not tell.
    pub(crate) open: Option<String>,
}

/// Keys by name.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    list: Vec<Setting>,
    index: BTreeMap<String, usize>,
}

impl Settings {
    /// States a key; the last statement of a key holds.
    pub(crate) fn state(&mut self, key: String, setting: Setting) {
        self.index.insert(key, self.list.len());
        self.list.push(setting);
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Setting> {
        self.index.get(key).and_then(|at| self.list.get(*at))
    }

    /// The key's value, `${other.key}` replaced by that key's.
    pub(crate) fn resolve(&self, key: &str) -> Option<Setting> {
        let mut setting = self.get(key)?.clone();
        for _ in 0..8 {
            let Some(other) = reference(&setting.value) else {
                break;
            };
            match self.get(other) {
                Some(found) => {
                    setting.value.clone_from(&found.value);
                    setting.open.clone_from(&found.open);
                }
                None => {
                    setting.open = Some(other.to_owned());
                    setting.value = String::new();
                }
            }
        }
        if let Some(other) = reference(&setting.value) {
            setting.open = Some(other.to_owned());
        }
        Some(setting)
    }
}

/// The key in `${key}`, where the value is nothing else.
fn reference(value: &str) -> Option<&str> {
    let key = value.trim().strip_prefix("${")?.strip_suffix('}')?;
    (!key.contains(['$', '{', ':'])).then_some(key)
}
