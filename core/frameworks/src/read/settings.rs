//! Keys and values in the order in which they are stated; a later one wins.

use std::collections::BTreeMap;

/// A stated key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Setting {
    /// The key without hydra's marks.
    pub(super) key: String,
    /// As written, with them.
    pub(super) written: String,
    pub(super) value: String,
    pub(super) line: u32,
    /// What the value depends on and the text does not tell.
    pub(super) open: Option<String>,
}

/// Keys by name.
#[derive(Debug, Default)]
pub(super) struct Settings {
    list: Vec<Setting>,
    index: BTreeMap<String, usize>,
}

impl Settings {
    /// States a key; the last statement of a key holds.
    pub(super) fn state(&mut self, key: String, setting: Setting) {
        self.index.insert(key, self.list.len());
        self.list.push(setting);
    }

    pub(super) fn get(&self, key: &str) -> Option<&Setting> {
        self.index.get(key).and_then(|at| self.list.get(*at))
    }

    /// The key's value, `${other.key}` replaced by that key's.
    pub(super) fn resolve(&self, key: &str) -> Option<Setting> {
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
