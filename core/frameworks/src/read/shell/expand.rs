//! Variables and what a word becomes with their values.

use super::arithmetic;
use super::lexer::{Piece, RawWord, Variable, assigned, is_name, plain};
use super::{Table, Word};
use crate::read::Trouble;
use shardwise_catalog::ordered;

/// Most bytes that expansion may write: variables that double one another end here.
const MOST_BYTES: usize = 4 << 20;
/// Longest word.
const LONGEST: usize = 1 << 16;
/// What a place that is left open costs beside its text.
const OPEN: usize = 64;

/// A value that a variable holds.
#[derive(Clone, Debug)]
enum Value {
    Text(Text),
    List(Vec<Word>),
}

/// A text, and where in it something stands that the text of the script does not tell: byte and what.
#[derive(Clone, Debug, Default)]
struct Text {
    text: String,
    line: u32,
    opens: Vec<(usize, String)>,
}

impl Text {
    fn word(&self) -> Word {
        let open = self.opens.first().map(|(_, what)| what.clone());
        Word { text: self.text.clone(), line: self.line, open }
    }
}

impl From<Word> for Text {
    fn from(Word { text, line, open }: Word) -> Self {
        Self { text, line, opens: open.into_iter().map(|what| (0, what)).collect() }
    }
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
    let (name, append, value) = assigned(text)?;
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
    opens: Vec<(usize, String)>,
    /// Whether there is a word even where its text is empty.
    begun: bool,
}

impl Growing {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.begun |= !text.is_empty();
    }

    fn end(&mut self, line: u32) {
        let text = Text { text: std::mem::take(&mut self.text), line, opens: std::mem::take(&mut self.opens) };
        if std::mem::take(&mut self.begun) {
            self.words.push(text.word());
        }
    }

    /// Notes what stands here and the text does not tell.
    fn leave_open(&mut self, what: &str) {
        self.opens.push((self.text.len(), what.chars().take(120).collect()));
        self.begun = true;
    }

    /// Adds a variable's text with what it leaves open.
    fn add(&mut self, own: &Text) {
        let start = self.text.len();
        self.opens.extend(own.opens.iter().map(|(at, what)| (start + at, what.clone())));
        self.begun |= !own.opens.is_empty();
        self.push(&own.text);
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

    /// Gives a variable a text of several words.
    pub(super) fn set_words(&mut self, name: String, words: &[Word]) {
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let line = words.first().map_or(0, |word| word.line);
        self.values.insert(name, Value::Text(Text { text, line, opens: Vec::new() }));
    }

    /// Every word that a variable holds, by line.
    pub(super) fn into_words(self) -> Vec<Word> {
        let mut words = Vec::new();
        for value in self.values.into_values() {
            match value {
                Value::List(list) => words.extend(list),
                Value::Text(whole) => {
                    let mut growing = Growing::default();
                    split_words(&whole, whole.line, &mut growing);
                    growing.end(whole.line);
                    words.append(&mut growing.words);
                }
            }
        }
        ordered::sort(&mut words, &|a, b| a.line.cmp(&b.line));
        words
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.values.remove(name);
    }

    pub(super) fn assign(&mut self, name: String, append: bool, word: &RawWord) -> Result<(), Trouble> {
        // A value is not split: `x=$y` keeps the spaces.
        let mut growing = Growing::default();
        self.write(&word.pieces, word.line, false, &mut growing, 0)?;
        let mut own = Text { text: growing.text, line: word.line, opens: growing.opens };
        if append && let Some(Value::Text(before)) = self.values.get(&name) {
            let mut whole = Growing::default();
            whole.add(before);
            whole.add(&own);
            self.spend(whole.text.len() + OPEN * whole.opens.len(), word.line)?;
            own = Text { text: whole.text, line: word.line, opens: whole.opens };
        }
        self.values.insert(name, Value::Text(own));
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

    /// What `expr` prints, where its words are whole numbers and known variables.
    fn expression(&self, command: &str) -> Option<i64> {
        let words = command.trim().strip_prefix("expr ")?.replace("\\*", "*");
        arithmetic::evaluate(&words, &|name: &str| self.number(name, 0))
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
                        None => out.leave_open(&format!("$(({expression}))")),
                    }
                }
                // The folder it stands in leads paths, and only their last part counts.
                Piece::Command { text } if matches!(text.trim(), "pwd" | "dirname \"$0\"") => {
                    out.push("~");
                }
                // `expr` is arithmetic: `$(expr 16 / $nproc_per_node)`.
                Piece::Command { text } if let Some(value) = self.expression(text) => out.push(&value.to_string()),
                Piece::Command { text } => {
                    self.notes
                        .push((line, format!("`$({text})` is not run: what it would print is not known.")));
                    out.leave_open(&format!("$({text})"));
                }
                Piece::Variable(variable) => self.variable(variable, line, split, out, depth)?,
            }
        }
        Ok(())
    }

    /// A variable's whole number; names within names are followed a little.
    fn number(&self, name: &str, depth: usize) -> Option<i64> {
        match self.values.get(name) {
            Some(Value::Text(Text { text, opens, .. })) if opens.is_empty() => {
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
        let found = self.held(variable);
        let set = found.as_ref().is_some_and(|own| !own.text.is_empty() || !own.opens.is_empty());
        let alternative = match variable.operator {
            ":-" | ":=" => !set,
            "-" | "=" => found.is_none(),
            ":+" | "+" => set,
            _ => false,
        };
        if alternative {
            return self.alternative(variable, line, split, out, depth);
        }
        if matches!(variable.operator, ":+" | "+") {
            return Ok(());
        }
        let Some(mut own) = found else {
            // The home folder leads paths, and only their last part counts.
            if name == "HOME" || name == "PWD" {
                out.push("~");
            } else {
                out.leave_open(name);
            }
            return Ok(());
        };
        let Some(text) = changed(variable, &own.text) else {
            out.leave_open(&format!("${{{name}{}…}}", variable.operator));
            return Ok(());
        };
        if text != own.text {
            // Where the rest of it stands is not followed: it holds for the whole.
            own.opens.iter_mut().for_each(|(at, _)| *at = 0);
            own.text = text;
        }
        self.spend(own.text.len() + OPEN * own.opens.len(), line)?;
        if variable.quoted || !split {
            out.begun |= variable.quoted;
            out.add(&own);
        } else {
            split_words(&own, line, out);
        }
        Ok(())
    }

    /// What a variable holds: its text, or a word of its list.
    fn held(&self, variable: &Variable) -> Option<Text> {
        match (self.values.get(&variable.name)?, variable.index.as_str()) {
            (Value::Text(own), "" | "0") => Some(own.clone()),
            (Value::Text(_), _) => None,
            (Value::List(words), "") => words.first().cloned().map(Text::from),
            (Value::List(words), index) => words.get(index.parse::<usize>().ok()?).cloned().map(Text::from),
        }
    }

    /// The word that stands in for a variable's value; `=` makes it its value.
    fn alternative(
        &mut self,
        variable: &Variable,
        line: u32,
        split: bool,
        out: &mut Growing,
        depth: usize,
    ) -> Result<(), Trouble> {
        if !variable.operator.ends_with('=') {
            return self.write(&variable.word, line, split && !variable.quoted, out, depth + 1);
        }
        let mut own = Growing::default();
        self.write(&variable.word, line, false, &mut own, depth + 1)?;
        let own = Text { text: own.text, line, opens: own.opens };
        out.add(&own);
        self.values.insert(variable.name.clone(), Value::Text(own));
        Ok(())
    }

    /// `${args[@]}`, `"$@"`: every word of a list.
    fn list(&mut self, variable: &Variable, line: u32, split: bool, out: &mut Growing) -> Result<(), Trouble> {
        let name = if variable.name == "*" { "@" } else { variable.name.as_str() };
        let words = match self.values.get(name) {
            Some(Value::List(words)) => words.clone(),
            Some(Value::Text(own)) => vec![Word { line, ..own.word() }],
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
            let own = Text::from(word.clone());
            if variable.quoted || !split {
                out.add(&own);
                out.begun = true;
            } else {
                split_words(&own, word.line, out);
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
fn split_words(own: &Text, line: u32, out: &mut Growing) {
    let mut opens = own.opens.iter().peekable();
    let mut start = 0;
    for (index, part) in own.text.split([' ', '\t', '\n']).enumerate() {
        if index > 0 {
            out.end(line);
        }
        let end = start + part.len();
        // What stands at the end of a part belongs to it.
        while let Some((at, what)) = opens.next_if(|(at, _)| *at <= end) {
            out.opens.push((out.text.len() + at.saturating_sub(start), what.clone()));
            out.begun = true;
        }
        out.push(part);
        start = end + 1;
    }
}

/// What the operators that change a text make of it; `None` where they are not read.
fn changed(variable: &Variable, text: &str) -> Option<String> {
    let pattern = plain(&variable.word);
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
