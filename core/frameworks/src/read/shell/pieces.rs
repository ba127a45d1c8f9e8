//! What words are made of: quotes and what a `$` begins.

use super::lexer::{Lexer, Piece, Variable, ends_word};
use crate::read::Trouble;

/// Deepest nesting of `${a:-${b:-…}}` that is read.
const DEEPEST: usize = 16;

impl Lexer<'_> {
    /// One piece of a word: a quoted text, a variable, or text up to the next of these.
    pub(super) fn piece(&mut self, pieces: &mut Vec<Piece>, in_braces: bool, depth: usize) -> Result<(), Trouble> {
        match self.peek() {
            Some('\'') => {
                let text = self.quoted('\'', "A single quote")?;
                pieces.push(Piece::Text { text, quoted: true });
            }
            Some('"') => {
                self.next();
                self.double_quoted(pieces, depth)?;
            }
            Some('$') => self.dollar(pieces, false, depth)?,
            Some('`') => {
                let text = self.quoted('`', "A backtick")?;
                pieces.push(Piece::Command { text });
            }
            _ => {
                let mut text = String::new();
                while let Some(c) = self.peek() {
                    let ends = if in_braces { c == '}' } else { ends_word(c) };
                    if ends || matches!(c, '\'' | '"' | '$' | '`') {
                        break;
                    }
                    self.next();
                    if c == '\\' {
                        match self.next() {
                            Some('\n') | None => {}
                            Some('\r') if self.peek() == Some('\n') => {
                                self.next();
                            }
                            Some(escaped) => text.push(escaped),
                        }
                    } else {
                        text.push(c);
                    }
                }
                push_text(pieces, text, false);
            }
        }
        Ok(())
    }

    fn double_quoted(&mut self, pieces: &mut Vec<Piece>, depth: usize) -> Result<(), Trouble> {
        let line = self.line();
        let mut text = String::new();
        // An empty pair of quotes is a word too.
        pieces.push(Piece::Text { text: String::new(), quoted: true });
        loop {
            match self.peek() {
                None => return Err(unclosed(line, "A double quote")),
                Some('"') => {
                    self.next();
                    push_text(pieces, text, true);
                    return Ok(());
                }
                Some('\\') => {
                    self.next();
                    match self.next() {
                        Some('\n') | None => {}
                        Some(c @ ('$' | '`' | '"' | '\\')) => text.push(c),
                        Some(c) => {
                            text.push('\\');
                            text.push(c);
                        }
                    }
                }
                Some('$') => {
                    push_text(pieces, std::mem::take(&mut text), true);
                    self.dollar(pieces, true, depth)?;
                }
                Some('`') => {
                    push_text(pieces, std::mem::take(&mut text), true);
                    self.next();
                    let text = self.until('`', line, "A backtick")?;
                    pieces.push(Piece::Command { text });
                }
                Some(c) => {
                    self.next();
                    text.push(c);
                }
            }
        }
    }

    /// What a `$` begins.
    fn dollar(&mut self, pieces: &mut Vec<Piece>, quoted: bool, depth: usize) -> Result<(), Trouble> {
        let line = self.line();
        if depth >= DEEPEST {
            return Err(Trouble::new(
                line,
                format!("Variables are nested more than {DEEPEST} deep. Write the value itself."),
            ));
        }
        self.next();
        if self.eat("((") {
            let expression = self.balanced(line, 2)?;
            pieces.push(Piece::Arithmetic { expression });
        } else if self.eat("(") {
            let text = self.balanced(line, 1)?;
            pieces.push(Piece::Command { text });
        } else if self.eat("{") {
            let variable = self.braced(line, quoted, depth)?;
            pieces.push(variable);
        } else if self.peek() == Some('\'') && !quoted {
            let text = self.quoted('\'', "A single quote")?;
            pieces.push(Piece::Text { text: text.replace("\\n", "\n").replace("\\t", "\t"), quoted: true });
        } else if self.peek() == Some('"') && !quoted {
            self.next();
            self.double_quoted(pieces, depth)?;
        } else {
            let special = |c: char| c.is_ascii_digit() || matches!(c, '@' | '*' | '#' | '?' | '!' | '$' | '-');
            let name = self.name(special, |c| c == '_' || c.is_ascii_alphanumeric());
            if name.is_empty() {
                push_text(pieces, "$".to_owned(), quoted);
            } else {
                let (index, word) = (String::new(), Vec::new());
                pieces.push(Piece::Variable(Variable { name, index, operator: "", word, quoted }));
            }
        }
        Ok(())
    }

    /// `${…}` after the opening brace.
    fn braced(&mut self, line: u32, quoted: bool, depth: usize) -> Result<Piece, Trouble> {
        let length = self.peek() == Some('#') && self.second() != Some('}');
        if self.peek() == Some('!') || length {
            self.next();
        }
        // A dot is no part of a name in bash; OmegaConf's `${a.b}` is told apart by it.
        let part = |c: char| c == '_' || c == '.' || c.is_ascii_alphanumeric();
        let name = self.name(|c| matches!(c, '@' | '*' | '#' | '?'), part);
        let mut index = String::new();
        if self.peek() == Some('[') {
            self.next();
            index = self.until(']', line, "A bracket")?;
        }
        let mut operator = if length { "#length" } else { "" };
        if self.peek() != Some('}') {
            operator = OPERATORS
                .iter()
                .find(|operator| self.rest().starts_with(**operator))
                .copied()
                .unwrap_or("?unknown");
            self.eat(operator);
        }
        let mut word = Vec::new();
        loop {
            match self.peek() {
                None => return Err(unclosed(line, "A brace after `$`")),
                Some('}') => {
                    self.next();
                    break;
                }
                Some(_) => self.piece(&mut word, true, depth + 1)?,
            }
        }
        Ok(Piece::Variable(Variable { name, index, operator, word, quoted }))
    }

    /// The text up to the parentheses that close the `open` ones before it.
    pub(super) fn balanced(&mut self, line: u32, open: usize) -> Result<String, Trouble> {
        let mut text = String::new();
        let mut depth = open;
        let mut quote = None;
        while let Some(c) = self.next() {
            match (quote, c) {
                (Some(mark), _) if c == mark => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, '(') => depth += 1,
                (None, ')') => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(text);
                    }
                }
                _ => {}
            }
            // The second of two closing parentheses is no part of the expression.
            if !(open == 2 && depth == 1 && c == ')') {
                text.push(c);
            }
        }
        Err(unclosed(line, if open == 2 { "A double parenthesis" } else { "A parenthesis after `$`" }))
    }

    /// A name of characters that are `part` of one, or a `special` one alone.
    fn name(&mut self, special: impl Fn(char) -> bool, part: impl Fn(char) -> bool) -> String {
        match self.peek().filter(|c| special(*c)) {
            Some(c) => {
                self.next();
                c.to_string()
            }
            None => self.taken(part).to_owned(),
        }
    }

    /// The text between two marks.
    fn quoted(&mut self, mark: char, what: &str) -> Result<String, Trouble> {
        let line = self.line();
        self.next();
        self.until(mark, line, what)
    }

    fn until(&mut self, end: char, line: u32, what: &str) -> Result<String, Trouble> {
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err(unclosed(line, what)),
                Some(c) if c == end => return Ok(text),
                Some(c) => text.push(c),
            }
        }
    }
}

/// Operators of `${name…}`, longer ones first.
const OPERATORS: [&str; 18] =
    [":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%", "//", "/", ",,", ",", "^^", ":"];

fn unclosed(line: u32, what: &str) -> Trouble {
    Trouble::new(line, format!("{what} opens here and never closes. Add the closing one, or paste the whole text."))
}

fn push_text(pieces: &mut Vec<Piece>, text: String, quoted: bool) {
    if text.is_empty() {
        return;
    }
    if let Some(Piece::Text { text: last, quoted: same }) = pieces.last_mut()
        && *same == quoted
    {
        last.push_str(&text);
    } else {
        pieces.push(Piece::Text { text, quoted });
    }
}
