//! Variables and what a word becomes with their values.

use super::arithmetic;
use super::lexer::{Piece, RawWord, Variable, is_name};
use super::{Table, Word};
use crate::read::Trouble;

/// Most bytes that expansion may write: variables that double one another end here.
const MOST_BYTES: usize = 4 << 20;
/// Longest word.
const LONGEST: usize = 1 << 16;

/// A value that a variable holds.
#[derive(Clone, Debug)]
enum Value {
    Text { text: String, open: Option<String>, line: u32 },
    List(Vec<Word>),
}

/// The variables of a script.
#[derive(Debug, Default)]
pub(super) struct Variables {
    values: Table<Value>,
    written: usize,
    /// What was left open, with its line.
    pub(super) notes: Vec<(u32, String)>,
}

/// Splits a word that assigns: name, whether it appends, and the value's word.
pub(super) fn assignment(word: &RawWord) -> Option<(String, bool, RawWord)> {
    let (first, rest) = word.pieces.split_first()?;
    let Piece::Text { text, quoted: false } = first else {
        return None;
    };
    let (name, value) = text.split_once('=')?;
    let (name, append) = match name.strip_suffix('+') {
        Some(name) => (name, true),
        None => (name, false),
    };
    if !is_name(name) {
        return None;
    }
    let mut pieces = Vec::with_capacity(rest.len() + 1);
    if !value.is_empty() {
        pieces.push(Piece::Text { text: value.to_owned(), quoted: false });
    }
    pieces.extend_from_slice(rest);
    Some((name.to_owned(), append, RawWord { pieces, line: word.line }))
}

/// A word that grows.
#[derive(Default)]
struct Growing {
    words: Vec<Word>,
    text: String,
    open: Option<String>,
    /// Whether there is a word even where its text is empty.
    begun: bool,
}

impl Growing {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.begun |= !text.is_empty();
    }

    fn end(&mut self, line: u32) {
        if self.begun {
            self.words
                .push(Word { text: std::mem::take(&mut self.text), line, open: self.open.take() });
        }
        self.text.clear();
        self.open = None;
        self.begun = false;
    }
}

impl Variables {
    pub(super) fn set_array(&mut self, name: String, mut words: Vec<Word>, append: bool) {
        if append && let Some(Value::List(known)) = self.values.get_mut(&name) {
            known.append(&mut words);
            return;
        }
        self.values.insert(name, Value::List(words));
    }

    /// Every word that a variable holds, by line.
    pub(super) fn into_words(self) -> Vec<Word> {
        let mut words = Vec::new();
        for value in self.values.into_values() {
            match value {
                Value::List(list) => words.extend(list),
                Value::Text { text, open, line } => {
                    words.extend(text.split_ascii_whitespace().map(|word| Word {
                        text: word.to_owned(),
                        line,
                        open: open.clone(),
                    }));
                }
            }
        }
        words.sort_by_key(|word| word.line);
        words
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.values.remove(name);
    }

    pub(super) fn assign(&mut self, name: String, append: bool, word: &RawWord) -> Result<(), Trouble> {
        // A value is not split: `x=$y` keeps the spaces.
        let mut growing = Growing::default();
        self.write(&word.pieces, word.line, false, &mut growing, 0)?;
        let (mut text, mut open) = (growing.text, growing.open);
        if append && let Some(Value::Text { text: known, open: before, .. }) = self.values.get(&name) {
            text = format!("{known}{text}");
            open = open.or_else(|| before.clone());
            self.spend(text.len(), word.line)?;
        }
        let line = word.line;
        self.values.insert(name, Value::Text { text, open, line });
        Ok(())
    }

    /// Adds the words that `word` becomes.
    pub(super) fn expand(&mut self, word: &RawWord, words: &mut Vec<Word>) -> Result<(), Trouble> {
        let mut growing = Growing::default();
        self.write(&word.pieces, word.line, true, &mut growing, 0)?;
        growing.end(word.line);
        words.append(&mut growing.words);
        Ok(())
    }

    /// What an arithmetic condition tells: whether its value is none but zero.
    pub(super) fn arithmetic(&self, expression: &str) -> Option<bool> {
        let value = |name: &str| self.number(name, 0);
        arithmetic::evaluate(expression, &value).map(|value| value != 0)
    }

    fn spend(&mut self, bytes: usize, line: u32) -> Result<(), Trouble> {
        self.written = self.written.saturating_add(bytes);
        if self.written > MOST_BYTES || bytes > LONGEST {
            return Err(Trouble::new(
                line,
                "The variables make a text of more than a few MiB. Write the values themselves.",
            ));
        }
        Ok(())
    }

    fn write(
        &mut self,
        pieces: &[Piece],
        line: u32,
        split: bool,
        out: &mut Growing,
        depth: usize,
    ) -> Result<(), Trouble> {
        for piece in pieces {
            match piece {
                Piece::Text { text, quoted } => {
                    self.spend(text.len(), line)?;
                    // `~` and `~/…` are the person's home, of which no more is known.
                    out.begun |= *quoted;
                    out.push(text);
                }
                Piece::Arithmetic { expression } => {
                    let value = |name: &str| self.number(name, 0);
                    match arithmetic::evaluate(expression, &value) {
                        Some(value) => out.push(&value.to_string()),
                        None => self.leave_open(out, line, format!("$(({expression}))")),
                    }
                }
                // The folder it stands in leads paths, and only their last part counts.
                Piece::Command { text } if matches!(text.trim(), "pwd" | "dirname \"$0\"") => {
                    out.push("~");
                }
                Piece::Command { text } => {
                    self.notes
                        .push((line, format!("`$({text})` is not run: what it would print is not known.")));
                    self.leave_open(out, line, format!("$({text})"));
                }
                Piece::Variable(variable) => self.variable(variable, line, split, out, depth)?,
            }
        }
        Ok(())
    }

    fn leave_open(&mut self, out: &mut Growing, _line: u32, what: String) {
        out.open.get_or_insert(what.chars().take(120).collect());
        out.begun = true;
    }

    /// A variable's whole number; names within names are followed a little.
    fn number(&self, name: &str, depth: usize) -> Option<i64> {
        match self.values.get(name) {
            Some(Value::Text { text, open: None, .. }) => {
                let text = text.trim();
                text.parse()
                    .ok()
                    .or_else(|| (depth < 8 && is_name(text)).then(|| self.number(text, depth + 1))?)
            }
            _ => None,
        }
    }

    fn variable(
        &mut self,
        variable: &Variable,
        line: u32,
        split: bool,
        out: &mut Growing,
        depth: usize,
    ) -> Result<(), Trouble> {
        let name = variable.name.as_str();
        // OmegaConf's `${a.b}` reaches the framework as it is written.
        if name.contains('.') {
            out.push(&format!("${{{name}}}"));
            return Ok(());
        }
        if matches!(name, "@" | "*") || matches!(variable.index.as_str(), "@" | "*") {
            return self.list(variable, line, split, out);
        }
        let found = match (self.values.get(name), variable.index.as_str()) {
            (Some(Value::Text { text, open, .. }), "" | "0") => Some((text.clone(), open.clone())),
            (Some(Value::List(words)), index) => {
                let index = if index.is_empty() { "0" } else { index };
                index
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| words.get(index))
                    .map(|word| (word.text.clone(), word.open.clone()))
            }
            _ => None,
        };
        let set = match &found {
            Some((text, open)) => !text.is_empty() || open.is_some(),
            None => false,
        };
        let alternative = match variable.operator {
            ":-" | ":=" => !set,
            "-" | "=" => found.is_none(),
            ":+" | "+" => set,
            _ => false,
        };
        if alternative {
            if variable.operator.ends_with('=') {
                let mut own = Growing::default();
                self.write(&variable.word, line, false, &mut own, depth + 1)?;
                let value = Value::Text { text: own.text.clone(), open: own.open.clone(), line };
                self.values.insert(name.to_owned(), value);
                out.push(&own.text);
                out.open = out.open.take().or(own.open);
                return Ok(());
            }
            return self.write(&variable.word, line, split && !variable.quoted, out, depth + 1);
        }
        if matches!(variable.operator, ":+" | "+") {
            return Ok(());
        }
        let Some((text, open)) = found else {
            // The home folder leads paths, and only their last part counts.
            if name == "HOME" || name == "PWD" {
                out.push("~");
            } else {
                self.leave_open(out, line, name.to_owned());
                out.begun |= variable.quoted;
            }
            return Ok(());
        };
        let text = match self.changed(variable, &text) {
            Some(text) => text,
            None => {
                self.leave_open(out, line, format!("${{{name}{}…}}", variable.operator));
                return Ok(());
            }
        };
        self.spend(text.len(), line)?;
        if let Some(open) = open {
            out.open.get_or_insert(open);
            out.begun = true;
        }
        if variable.quoted || !split {
            out.begun |= variable.quoted;
            out.push(&text);
        } else {
            split_words(&text, line, out);
        }
        Ok(())
    }

    /// What the operators that change a text make of it; `None` where they are not read.
    fn changed(&self, variable: &Variable, text: &str) -> Option<String> {
        let pattern: String = variable
            .word
            .iter()
            .map(|piece| match piece {
                Piece::Text { text, .. } => text.as_str(),
                _ => "",
            })
            .collect();
        Some(match variable.operator {
            "" | ":-" | ":=" | "-" | "=" | ":?" | "?" => text.to_owned(),
            "#length" => text.chars().count().to_string(),
            ",," => text.to_ascii_lowercase(),
            "^^" => text.to_ascii_uppercase(),
            // `${path##*/}` is the last part of a path, `${path%/*}` what is before it.
            "##" if pattern == "*/" => text.rsplit('/').next().unwrap_or_default().to_owned(),
            "%" if pattern == "/*" => text.rsplit_once('/').map_or(text, |(head, _)| head).to_owned(),
            "%" | "%%" if !pattern.contains(['*', '?', '[']) => text.strip_suffix(&pattern).unwrap_or(text).to_owned(),
            "#" | "##" if !pattern.contains(['*', '?', '[']) => text.strip_prefix(&pattern).unwrap_or(text).to_owned(),
            _ => return None,
        })
    }

    /// `${args[@]}`, `"$@"`: every word of a list.
    fn list(&mut self, variable: &Variable, line: u32, split: bool, out: &mut Growing) -> Result<(), Trouble> {
        let name = if variable.name == "*" { "@" } else { variable.name.as_str() };
        let words = match self.values.get(name) {
            Some(Value::List(words)) => words.clone(),
            Some(Value::Text { text, open, .. }) => vec![Word { text: text.clone(), line, open: open.clone() }],
            // `"$@"` is what the person adds when calling the script: here nothing.
            None => Vec::new(),
        };
        if variable.operator == "#length" {
            out.push(&words.len().to_string());
            return Ok(());
        }
        for (index, word) in words.iter().enumerate() {
            // A word costs more than its letters: lists that double end here too.
            self.spend(word.text.len() + 64, line)?;
            if index > 0 && !split {
                out.push(" ");
            }
            if let Some(open) = &word.open {
                out.open.get_or_insert_with(|| open.clone());
            }
            if variable.quoted || !split {
                out.push(&word.text);
                out.begun = true;
            } else {
                split_words(&word.text, word.line, out);
            }
            // A word keeps the line on which the array states it.
            if split {
                out.end(word.line);
            }
        }
        Ok(())
    }
}

/// Text of a variable without quotes: spaces part words.
fn split_words(text: &str, line: u32, out: &mut Growing) {
    let mut parts = text.split([' ', '\t', '\n']);
    if let Some(first) = parts.next() {
        out.push(first);
    }
    for part in parts {
        out.end(line);
        out.push(part);
    }
}
