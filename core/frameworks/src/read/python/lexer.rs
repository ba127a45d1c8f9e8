//! The words of a Python text: names, texts, numbers, marks and the ends of statements. What is no Python is passed over.

use crate::read::report::Trouble;

/// Most words that are read: a hundred times a long program's.
const MOST_WORDS: usize = 200_000;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    /// What stands between quotes, as written; `formatted` where braces stand for values, `raw` where a backslash is one.
    Text {
        formatted: bool,
        raw: bool,
    },
    Number,
    /// One mark, or two that belong together: `**`, `+=`.
    Mark,
    /// The end of a statement; the word is the indentation of the next.
    End,
}

/// A word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// Line on which it begins, from 1.
    pub(super) line: u32,
}

/// Marks of two characters.
const PAIRS: &[&str] = &["**", "//", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "|=", "->", ":="];

/// All words of a text.
///
/// # Errors
/// Where there are too many.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Trouble> {
    let mut lexer = Lexer { text, at: 0, line: 1, depth: 0, out: Vec::new() };
    lexer.run()?;
    Ok(lexer.out)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    /// Brackets that are open: no statement ends in them.
    depth: usize,
    out: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) -> Result<(), Trouble> {
        while let Some(c) = self.rest().chars().next() {
            if self.out.len() >= MOST_WORDS {
                return Err(Trouble::new(
                    self.line,
                    "The program has more than 200,000 words. Paste the part that trains.",
                ));
            }
            match c {
                '\n' => self.end(),
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                '\\' if self.rest().starts_with("\\\n") => {
                    self.line = self.line.saturating_add(1);
                    self.at += 2;
                }
                '"' | '\'' => self.quoted(0),
                c if c.is_alphabetic() || c == '_' => self.name(),
                c if c.is_ascii_digit() => self.number(),
                c if c.is_whitespace() => self.at += c.len_utf8(),
                c => self.mark(c),
            }
        }
        self.end();
        Ok(())
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, kind: Kind, text: &'a str) {
        self.out.push(Token { kind, text, line: self.line });
    }

    fn end(&mut self) {
        let line = self.line;
        self.line = self.line.saturating_add(1);
        self.at += 1;
        if self.depth > 0 {
            return;
        }
        let rest = self.rest();
        let indent = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let kind = Kind::End;
        self.out
            .push(Token { kind, text: rest.get(..indent).unwrap_or_default(), line });
    }

    fn name(&mut self) {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        let prefix = length <= 2 && name.bytes().all(|b| b"rRbBuUfF".contains(&b));
        if prefix && rest.get(length..).is_some_and(|rest| rest.starts_with(['"', '\''])) {
            self.quoted(length);
            return;
        }
        self.push(Kind::Name, name);
        self.at += length;
    }

    fn number(&mut self) {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let mut length = 0;
        while let Some(b) = bytes.get(length) {
            let sign = matches!(b, b'+' | b'-') && matches!(bytes.get(length.wrapping_sub(1)), Some(b'e' | b'E'));
            if !(b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_') || sign) {
                break;
            }
            length += 1;
        }
        self.push(Kind::Number, rest.get(..length).unwrap_or_default());
        self.at += length.max(1);
    }

    /// A text whose quotes stand behind a prefix of so many letters.
    fn quoted(&mut self, prefix: usize) {
        let rest = self.rest();
        let (letters, rest) = rest.split_at_checked(prefix).unwrap_or(("", rest));
        let mark = ["\"\"\"", "'''"].into_iter().find(|mark| rest.starts_with(mark));
        let quote = mark.or_else(|| rest.get(..1)).unwrap_or_default();
        let body = rest.get(quote.len()..).unwrap_or_default();
        let mut escaped = false;
        let mut end = None;
        for (at, c) in body.char_indices() {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == '\n' && mark.is_none() {
                // A text on one line that never ends.
                end = Some((at, at));
                break;
            } else if body.get(at..).is_some_and(|rest| rest.starts_with(quote)) {
                end = Some((at, at + quote.len()));
                break;
            }
        }
        let (end, next) = end.unwrap_or((body.len(), body.len()));
        let inside = body.get(..end).unwrap_or_default();
        let has = |letter: char| letters.contains([letter, letter.to_ascii_uppercase()]);
        self.push(Kind::Text { formatted: has('f'), raw: has('r') }, inside);
        let lines = u32::try_from(inside.matches('\n').count()).unwrap_or(u32::MAX);
        self.line = self.line.saturating_add(lines);
        self.at += prefix + quote.len() + next;
    }

    fn mark(&mut self, c: char) {
        let rest = self.rest();
        let pair = PAIRS.iter().find(|pair| rest.starts_with(**pair));
        let length = pair.map_or(c.len_utf8(), |pair| pair.len());
        match c {
            '(' | '[' | '{' => self.depth += 1,
            ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.push(Kind::Mark, rest.get(..length).unwrap_or_default());
        self.at += length;
    }
}
