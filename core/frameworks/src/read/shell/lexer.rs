//! bash's words: quotes, variables, continued lines, comments. Nothing is expanded here.

use super::Trouble;

/// A piece of a word.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Text that stands for itself. Where it was quoted, it is not split at spaces.
    Text { text: String, quoted: bool },
    /// `$name`, `${name}`, `${name:-word}`, `${name[@]}`.
    Variable(Variable),
    /// `$((a * b))`: the expression between the parentheses.
    Arithmetic { expression: String },
    /// `$(command)` or backticks, which are never run: the text between.
    Command { text: String },
}

/// A variable as it is written.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    /// Between brackets: `@`, `*` or a number.
    pub(super) index: String,
    /// What follows the name: `-`, `:-`, `:=`, `+`, `:+`, `#`, `%`, …; empty for the plain value.
    pub(super) operator: &'static str,
    pub(super) word: Vec<Piece>,
    pub(super) quoted: bool,
}

/// A word before expansion.
#[derive(Clone, Debug, Default)]
pub(super) struct RawWord {
    pub(super) pieces: Vec<Piece>,
    pub(super) line: u32,
}

impl RawWord {
    /// The word where it is plain text without quotes: a reserved word or a name.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text { text, quoted: false }] => Some(text),
            _ => None,
        }
    }
}

/// A token.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Word(RawWord),
    /// `name=( … )` or `name+=( … )`.
    Array {
        name: String,
        append: bool,
        items: Vec<RawWord>,
    },
    /// The end of a command: newline, `;`, `;;`, `&`, `|`, `&&`, `||`, a parenthesis.
    End(&'static str),
    /// `(( … ))` as a command: the expression between the parentheses.
    Arithmetic(String),
    /// `<<EOF`: the lines up to the mark.
    Document(String),
}

/// Where the reading of a script stands.
pub(super) struct Lexer<'a> {
    rest: std::str::Chars<'a>,
    line: u32,
    /// Marks of here-documents that begin on the next line.
    pending: Vec<String>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, line: u32) -> Self {
        Self { rest: text.chars(), line, pending: Vec::new() }
    }

    /// The line that is being read, from 1.
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    /// What has not been read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.rest.as_str()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    pub(super) fn second(&self) -> Option<char> {
        self.rest.clone().nth(1)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        if next == Some('\n') {
            self.line += 1;
        }
        next
    }

    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest.as_str().starts_with(wanted);
        if found {
            for _ in wanted.chars() {
                self.next();
            }
        }
        found
    }

    /// The characters of one line up to the first that is not `wanted`.
    pub(super) fn taken(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let text = self.rest();
        let end = text.find(|c| c == '\n' || !wanted(c)).unwrap_or(text.len());
        let (taken, rest) = text.split_at(end);
        self.rest = rest.chars();
        taken
    }

    /// Spaces, continued lines and comments between words.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r' | '\u{a0}') => {
                    self.next();
                }
                Some('\\') if self.eat("\\\n") || self.eat("\\\r\n") => {}
                Some('#') => {
                    self.taken(|_| true);
                }
                _ => return,
            }
        }
    }

    /// The next token; `None` at the end of the text.
    pub(super) fn token(&mut self) -> Result<Option<Token>, Trouble> {
        self.skip_blanks();
        let Some(first) = self.peek() else {
            return Ok(None);
        };
        if first == '\n' {
            self.next();
            if !self.pending.is_empty() {
                let mark = self.pending.remove(0);
                return Ok(Some(Token::Document(self.document(&mark))));
            }
            return Ok(Some(Token::End("\n")));
        }
        if self.rest.as_str().starts_with("((") {
            let line = self.line;
            self.eat("((");
            return Ok(Some(Token::Arithmetic(self.balanced(line, 2)?)));
        }
        for (text, end) in [
            ("&&", "&&"),
            ("||", "||"),
            (";;&", ";;"),
            (";;", ";;"),
            (";&", ";;"),
            (";", ";"),
            ("|", "|"),
            ("(", "("),
            (")", ")"),
        ] {
            if self.eat(text) {
                return Ok(Some(Token::End(end)));
            }
        }
        if first == '&' && self.second() != Some('>') {
            self.next();
            return Ok(Some(Token::End("&")));
        }
        if matches!(first, '<' | '>' | '&') {
            self.redirect()?;
            // A word of no pieces, which expands to nothing.
            return Ok(Some(Token::Word(RawWord { pieces: Vec::new(), line: self.line })));
        }
        self.word().map(Some)
    }

    /// `> file`, `2>&1`, `<<EOF`: where output goes is no setting.
    fn redirect(&mut self) -> Result<(), Trouble> {
        let here = self.eat("<<-") || (!self.rest.as_str().starts_with("<<<") && self.eat("<<"));
        while matches!(self.peek(), Some('<' | '>' | '&')) {
            self.next();
        }
        self.skip_blanks();
        if matches!(self.peek(), None | Some('\n' | ';' | '|' | ')' | '(')) {
            return Ok(());
        }
        // The name of a file, or the mark; a loop, so that many redirects cannot exhaust the stack.
        let mut pieces = Vec::new();
        while self.peek().is_some_and(|c| !ends_word(c)) {
            self.piece(&mut pieces, false, 0)?;
        }
        if here {
            self.pending.push(plain(&pieces));
        }
        Ok(())
    }

    /// The lines up to a mark, before which tabs may stand.
    fn document(&mut self, mark: &str) -> String {
        let mut out = String::new();
        while !self.rest().is_empty() {
            let (line, _) = self.rest().split_once('\n').unwrap_or((self.rest(), ""));
            for _ in 0..=line.chars().count() {
                self.next();
            }
            let line = line.trim_end_matches('\r');
            if line.trim_start_matches('\t') == mark {
                break;
            }
            out.push_str(line);
            out.push('\n');
        }
        out
    }

    fn word(&mut self) -> Result<Token, Trouble> {
        let mut word = RawWord { pieces: Vec::new(), line: self.line };
        loop {
            match self.peek() {
                None | Some(' ' | '\t' | '\r' | '\n' | ';' | '|' | ')' | '\u{a0}') => break,
                Some('&') if self.second() != Some('>') => break,
                Some('<' | '>' | '&') => {
                    // `2>&1`: the digits belong to the redirect.
                    if word.bare().is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit())) {
                        word.pieces.clear();
                    }
                    self.redirect()?;
                }
                Some('(') => {
                    let Some((name, append, "")) = word.bare().and_then(assigned) else {
                        break;
                    };
                    let name = name.to_owned();
                    self.next();
                    return Ok(Token::Array { name, append, items: self.array()? });
                }
                Some(_) => self.piece(&mut word.pieces, false, 0)?,
            }
        }
        Ok(Token::Word(word))
    }

    /// The words up to the closing parenthesis of an array.
    fn array(&mut self) -> Result<Vec<RawWord>, Trouble> {
        let line = self.line;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None => {
                    return Err(Trouble::new(
                        line,
                        "The parenthesis of an array opens here and never closes. Add the missing `)`.",
                    ));
                }
                Some(')') => {
                    self.next();
                    return Ok(items);
                }
                Some('\n' | ';' | '&' | '|' | '(') => {
                    self.next();
                }
                Some(_) => {
                    if let Token::Word(word) = self.word()? {
                        items.push(word);
                    }
                }
            }
        }
    }
}

/// Whether `text` is a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b == b'_' || b.is_ascii_alphabetic())
        && bytes.all(|b| b == b'_' || b.is_ascii_alphanumeric())
}

/// Name, whether it is appended to, and what is behind, of `name=…` or `name+=…`.
pub(super) fn assigned(text: &str) -> Option<(&str, bool, &str)> {
    let (name, value) = text.split_once('=')?;
    let (name, append) = match name.strip_suffix('+') {
        Some(name) => (name, true),
        None => (name, false),
    };
    is_name(name).then_some((name, append, value))
}

/// The text of pieces that stands for itself.
pub(super) fn plain(pieces: &[Piece]) -> String {
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Text { text, .. } => text.as_str(),
        _ => "",
    });
    texts.collect()
}

/// Whether a character ends a word that is not quoted.
pub(super) fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '\u{a0}')
}
