//! A JSON configuration: keys in the order in which a person reads them, and beside it what the text cannot say, why.

use serde_json::Value;

use super::{Snippet, Syntax};

/// Keys of the JSON in the order in which a person reads them, each with its reason.
#[derive(Default)]
pub(crate) struct Config(Vec<Setting>);

/// A key, its value, and why.
type Setting = (&'static str, Value, String);

impl Config {
    /// Adds a key; dots open sections, whose keys stand together.
    pub(crate) fn set(&mut self, path: &'static str, value: impl Into<Value>, reason: impl Into<String>) {
        self.0.push((path, value.into(), reason.into()));
    }

    /// Adds keys that have one reason.
    pub(crate) fn set_all(&mut self, keys: &[(&'static str, Value)], reason: &str) {
        for (path, value) in keys {
            self.set(path, value.clone(), reason);
        }
    }

    /// Keeps the keys that `keeps` holds of.
    pub(crate) fn retain(&mut self, keeps: impl Fn(&str) -> bool) {
        self.0.retain(|(path, ..)| keeps(path));
    }

    /// Every key with its value and why.
    pub(crate) fn settings_mut(&mut self) -> &mut [Setting] {
        &mut self.0
    }

    /// The JSON as a file.
    pub(crate) fn into_snippet(self, file: &'static str) -> Snippet {
        Snippet {
            file,
            language: Syntax::Json,
            text: self.to_text(),
            reasons: self.0.into_iter().map(|(key, _, reason)| (key.to_owned(), reason)).collect(),
        }
    }

    fn to_text(&self) -> String {
        let mut out = String::from("{");
        let mut open: Vec<&str> = Vec::new();
        let mut first = true;
        for (path, value, _) in &self.0 {
            let mut sections: Vec<&str> = path.split('.').collect();
            let key = sections.pop().unwrap_or(path);
            let shared = open.iter().zip(&sections).take_while(|(a, b)| a == b).count();
            while open.len() > shared {
                open.pop();
                out.push_str(&format!("\n{}}}", "  ".repeat(open.len() + 1)));
            }
            let mut comma = if first { "" } else { "," };
            for section in &sections[shared..] {
                out.push_str(&format!("{comma}\n{}\"{section}\": {{", "  ".repeat(open.len() + 1)));
                open.push(section);
                comma = "";
            }
            out.push_str(&format!("{comma}\n{}\"{key}\": {value}", "  ".repeat(open.len() + 1)));
            first = false;
        }
        while open.pop().is_some() {
            out.push_str(&format!("\n{}}}", "  ".repeat(open.len() + 1)));
        }
        out.push_str("\n}\n");
        out
    }
}
