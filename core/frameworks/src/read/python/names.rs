//! What names stand for.

use std::collections::BTreeMap;

use super::parser::Parsed;
use super::sorts::{Sort, sort};
use super::value::{BEGINS, Call, ENDS, Value};
use super::worked::{LONGEST, combined};
use crate::read::shell::Word;

/// Longest chain of names that is followed.
const LONGEST_CHAIN: usize = 8;

/// How deep values are worked out of others; each may name several.
const DEEPEST: usize = 3;

/// Names of a program, each with its value.
pub(super) struct Names<'a> {
    values: &'a BTreeMap<String, Option<Value>>,
    /// Defaults of the program's own arguments.
    defaults: BTreeMap<String, &'a Value>,
    pub(super) defaults_are_taken: bool,
}

impl<'a> Names<'a> {
    pub(super) fn of(parsed: &'a Parsed) -> Self {
        let mut defaults = BTreeMap::new();
        for call in parsed.calls.iter().filter(|call| sort(&call.name) == Some(Sort::Argument)) {
            let option = call
                .given
                .iter()
                .filter(|given| given.key.is_none())
                .find_map(|given| match &given.value {
                    Value::Plain { text, open: None } => text.strip_prefix("--").map(|name| name.replace('-', "_")),
                    _ => None,
                });
            if let (Some(name), Some(default)) = (option, call.under(&["default"])) {
                defaults.insert(name, &default.value);
            }
        }
        let taken = |call: &Call| {
            call.given.iter().any(|given| {
                let Value::Name(name) = &given.value else {
                    return false;
                };
                name.split_once('.').is_some_and(|(_, name)| defaults.contains_key(name))
            })
        };
        let defaults_are_taken = parsed.calls.iter().any(taken);
        Self { values: &parsed.names, defaults, defaults_are_taken }
    }

    /// What a value is, names followed.
    pub(super) fn follow<'b>(&'b self, value: &'b Value) -> &'b Value {
        let mut value = value;
        for _ in 0..LONGEST_CHAIN {
            let next = match value {
                Value::Name(name) => {
                    let own = self.values.get(name.as_str()).and_then(Option::as_ref);
                    // `args.model`, `script_args.model`: an argument of the program's own, or a field of a class.
                    let below = || {
                        let (_, name) = name.split_once('.')?;
                        let field = || self.values.get(name).and_then(Option::as_ref);
                        self.defaults.get(name).copied().or_else(field)
                    };
                    own.or_else(below)
                }
                Value::Call(call) if sort(&call.name) == Some(Sort::Field) => {
                    call.under(&["default"]).map(|given| &given.value)
                }
                _ => None,
            };
            match next {
                Some(next) => value = next,
                None => return value,
            }
        }
        value
    }

    /// A value as a word of a command or of a file.
    pub(super) fn word(&self, value: &Value, line: u32) -> Word {
        self.word_at(value, line, 0)
    }

    /// As [`Self::word`], so deep in values that are worked out of others.
    fn word_at(&self, value: &Value, line: u32, depth: usize) -> Word {
        let (text, open) = match self.follow(value) {
            Value::Plain { text, open } => self.filled(text, open.clone()),
            Value::List(items) => {
                let words: Vec<Word> = items.iter().take(64).map(|(item, line)| self.short(item, *line)).collect();
                let open = words.iter().find_map(|word| word.open.clone());
                let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                (format!("[{}]", texts.join(", ")), open)
            }
            Value::Worked(sides) if depth < DEEPEST => {
                let (one, operator, other) = sides.as_ref();
                let side = |value: &Value| match self.follow(value) {
                    Value::Worked(_) => {
                        let Word { text, open, .. } = self.word_at(value, line, depth + 1);
                        Value::Plain { text, open }
                    }
                    Value::Plain { text, open } => {
                        let (text, open) = self.filled(text, open.clone());
                        Value::Plain { text, open }
                    }
                    other => Value::Open(other.depends()),
                };
                match combined(side(one), operator, side(other)) {
                    Value::Plain { text, open } => (text, open),
                    _ => (String::new(), Some(value.depends())),
                }
            }
            other => (String::new(), Some(other.depends())),
        };
        let open = open.map(|name| if name.is_empty() { "what the program works out".to_owned() } else { name });
        Word { text, line, open }
    }

    /// A text with the names in it replaced by what they stand for, and the first that stands for nothing known.
    fn filled(&self, text: &str, mut open: Option<String>) -> (String, Option<String>) {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, after)) = rest.split_once(BEGINS) {
            out.push_str(before);
            let (name, after) = after.split_once(ENDS).unwrap_or((after, ""));
            match self.plain(name) {
                Some(known) if out.len() + known.len() < LONGEST => out.push_str(&known),
                _ => open = open.or_else(|| Some(name.to_owned())),
            }
            rest = after;
        }
        out.push_str(rest);
        (out, open)
    }

    /// An item of a list, no list itself.
    pub(super) fn short(&self, value: &Value, line: u32) -> Word {
        match self.follow(value) {
            Value::List(_) => Word { text: String::new(), line, open: Some("a list".to_owned()) },
            _ => self.word(value, line),
        }
    }

    /// The text of a name that stands for one.
    fn plain(&self, name: &str) -> Option<String> {
        let own = Value::Name(name.to_owned());
        match self.follow(&own) {
            Value::Plain { text, open: None } if !text.contains(BEGINS) => Some(text.clone()),
            _ => None,
        }
    }

    /// The items of a value that is a list.
    pub(super) fn list<'b>(&'b self, value: &'b Value) -> Option<&'b [(Value, u32)]> {
        if let Value::List(items) = self.follow(value) { Some(items) } else { None }
    }

    pub(super) fn words(&self, items: &[(Value, u32)]) -> Vec<Word> {
        items.iter().map(|(item, line)| self.short(item, *line)).collect()
    }
}
