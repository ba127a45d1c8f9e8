//! Assignments and calls of a Python text. Statements are not nested here: what stands in a branch or in a function counts as what
//! stands outside, and a name that is assigned twice has no value.

use std::collections::BTreeMap;

use super::lexer::{Kind, Token};
use super::value::{Call, Given, Value};
use super::worked::{LONGEST, combined, filled, unescaped};

/// How deep brackets are read; what is deeper is passed over.
const DEEPEST: usize = 16;
/// Operators in one value, at most.
const MOST_OPERATORS: usize = 8;
/// Operators whose value is worked out.
const OPERATORS: &[&str] = &["*", "+", "//", "**", "-", "/"];

/// What a text assigns and calls.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// Names and their value; none where they are assigned more than one.
    pub(super) names: BTreeMap<String, Option<Value>>,
    /// The lines that gave them one.
    pub(super) lines: BTreeMap<String, u32>,
    /// Lists that grow, with the lines of what is added in a branch, which only a run could decide.
    pub(super) branches: Vec<u32>,
    /// Keys of `os.environ` that are set.
    pub(super) environment: Vec<(String, Value, u32)>,
    /// Calls by the names that `wanted` has, in the order in which they end.
    pub(super) calls: Vec<Call>,
    /// Texts that stand alone: of the module, of a function.
    pub(super) comments: Vec<(String, u32)>,
}

/// Reads the words; `wanted` says of which calls it is told.
pub(super) fn parse(tokens: &[Token<'_>], wanted: fn(&str) -> bool) -> Parsed {
    let mut parser = Parser { tokens, at: 0, wanted, out: Parsed::default(), indents: BTreeMap::new() };
    parser.statements();
    parser.out
}

pub(super) struct Parser<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) at: usize,
    wanted: fn(&str) -> bool,
    out: Parsed,
    /// How deep the assignment of a list stands.
    indents: BTreeMap<String, usize>,
}

impl<'a> Parser<'a> {
    pub(super) fn token(&self, ahead: usize) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at + ahead)
    }

    pub(super) fn is(&self, ahead: usize, mark: &str) -> bool {
        self.token(ahead)
            .is_some_and(|token| token.kind == Kind::Mark && token.text == mark)
    }

    fn statements(&mut self) {
        let mut begins = true;
        let mut indent = 0;
        while let Some(token) = self.token(0) {
            if token.kind == Kind::End {
                (begins, indent) = (true, token.text.len());
                self.at += 1;
                continue;
            }
            let first = std::mem::take(&mut begins);
            if first && self.statement(token, indent) {
                continue;
            }
            let calls = token.kind == Kind::Name && self.is_wanted();
            if calls {
                let _ = self.value(0);
            } else {
                self.at += 1;
            }
        }
    }

    /// Whether a call that is asked for begins here.
    fn is_wanted(&self) -> bool {
        let (name, length) = self.dotted();
        self.tokens
            .get(self.at + length)
            .is_some_and(|token| token.text == "(" && token.kind == Kind::Mark)
            && (self.wanted)(&name)
            && self.tokens.get(self.at.wrapping_sub(1)).is_none_or(|token| token.text != "def")
    }

    /// The name that begins here, its dots included, and how many words it takes.
    fn dotted(&self) -> (String, usize) {
        let mut name = String::new();
        let mut length = 0;
        while let Some(token) = self.token(length).filter(|token| token.kind == Kind::Name) {
            if name.len() < 256 {
                name.push_str(token.text);
            }
            length += 1;
            let more = self.is(length, ".") && self.token(length + 1).is_some_and(|next| next.kind == Kind::Name);
            if !more || length > 16 {
                break;
            }
            name.push('.');
            length += 1;
        }
        (name, length)
    }

    /// Reads a statement that assigns or stands alone; whether it was one of these.
    fn statement(&mut self, first: &Token<'_>, indent: usize) -> bool {
        if matches!(first.kind, Kind::Text { .. }) {
            self.out.comments.push((first.text.to_owned(), first.line));
            self.at += 1;
            return true;
        }
        if first.kind != Kind::Name {
            return false;
        }
        match first.text {
            // Parameters are no variables.
            "def" => {
                while self.token(0).is_some_and(|token| token.kind != Kind::End && token.text != "(") {
                    self.at += 1;
                }
                self.skip();
                return true;
            }
            "for" => {
                if let Some(name) = self.token(1).filter(|token| token.kind == Kind::Name) {
                    self.out.names.insert(name.text.to_owned(), None);
                }
                return false;
            }
            _ => {}
        }
        let (name, length) = self.dotted();
        if self.tokens.get(self.at + length).is_some_and(|token| token.text == "[") {
            return self.keyed(&name, length);
        }
        self.assignment(name, length, indent)
    }

    /// Reads what gives a name its value, or adds to it, the name being so many words long; whether it does.
    fn assignment(&mut self, name: String, length: usize, indent: usize) -> bool {
        let mut ahead = length;
        // `name: type = value`
        if self.is(ahead, ":") && !name.contains('.') {
            let most = self.tokens.len().min(self.at + ahead + 32);
            let equals = (self.at + ahead..most)
                .take_while(|at| self.tokens[*at].kind != Kind::End)
                .find(|at| self.tokens[*at].text == "=" && self.tokens[*at].kind == Kind::Mark);
            match equals {
                Some(equals) => ahead = equals - self.at,
                None => return false,
            }
        }
        let grows = self.is(ahead, "+=");
        if !grows && !self.is(ahead, "=") {
            return self.grown(&name, length, indent);
        }
        let line = self.token(0).map_or(0, |token| token.line);
        self.at += ahead + 1;
        let value = self.value(0);
        if !self.token(0).is_none_or(|token| token.kind == Kind::End) {
            self.out.names.insert(name, None);
            return true;
        }
        if grows {
            self.grow(&name, value, indent);
            return true;
        }
        self.indents.insert(name.clone(), indent);
        self.out.lines.insert(name.clone(), line);
        self.out
            .names
            .entry(name)
            .and_modify(|own| {
                if own.as_ref() != Some(&value) {
                    *own = None;
                }
            })
            .or_insert(Some(value));
        true
    }

    /// `os.environ["NAME"] = value`
    fn keyed(&mut self, name: &str, length: usize) -> bool {
        let key = self.token(length + 1).filter(|token| matches!(token.kind, Kind::Text { .. }));
        let Some(key) = key.filter(|_| name == "os.environ" && self.is(length + 2, "]") && self.is(length + 3, "="))
        else {
            return false;
        };
        let (key, line) = (key.text.to_owned(), key.line);
        self.at += length + 4;
        let value = self.value(0);
        self.out.environment.push((key, value, line));
        true
    }

    /// `words.extend([…])`, `words.append(…)`
    fn grown(&mut self, name: &str, length: usize, indent: usize) -> bool {
        let Some((list, way)) = name.rsplit_once('.').filter(|(_, way)| matches!(*way, "extend" | "append")) else {
            return false;
        };
        if !self.is(length, "(") || !self.out.names.contains_key(list) {
            return false;
        }
        let line = self.token(0).map_or(0, |token| token.line);
        self.at += length + 1;
        let value = self.value(0);
        if self.is(0, ")") {
            self.at += 1;
        }
        let value = if way == "append" { Value::List(vec![(value, line)]) } else { value };
        self.grow(list, value, indent);
        true
    }

    fn grow(&mut self, name: &str, value: Value, indent: usize) {
        let line = self.tokens.get(self.at.saturating_sub(1)).map_or(0, |token| token.line);
        let deeper = self.indents.get(name).is_some_and(|own| indent > *own);
        match (self.out.names.get_mut(name), value) {
            (Some(Some(Value::List(own))), Value::List(more)) if !deeper => own.extend(more),
            (Some(Some(Value::List(_))), _) => self.out.branches.push(line),
            (Some(own), _) => *own = None,
            (None, _) => {}
        }
    }

    /// A value: operands with operators between them, as far as they can be worked out.
    pub(super) fn value(&mut self, depth: usize) -> Value {
        let mut value = self.operand(depth);
        let mut operators = 0;
        loop {
            let Some(token) = self.token(0) else {
                return value;
            };
            let ends = token.kind == Kind::End
                || token.kind == Kind::Mark && matches!(token.text, "," | ")" | "]" | "}" | ":" | "=" | ";");
            if ends {
                return value;
            }
            let operator = OPERATORS.iter().find(|own| token.kind == Kind::Mark && **own == token.text);
            operators += 1;
            let Some(operator) = operator.filter(|_| operators <= MOST_OPERATORS) else {
                self.skip();
                return Value::Open(value.depends());
            };
            self.at += 1;
            let other = self.operand(depth);
            value = combined(value, operator, other);
        }
    }

    fn operand(&mut self, depth: usize) -> Value {
        let Some(token) = self.token(0) else {
            return Value::Open(String::new());
        };
        match token.kind {
            Kind::Text { .. } => self.text(),
            Kind::Number => {
                self.at += 1;
                Value::plain(token.text)
            }
            Kind::Name => self.named(depth),
            Kind::Mark => match token.text {
                "-" | "+" if self.token(1).is_some_and(|next| next.kind == Kind::Number) => {
                    self.at += 2;
                    let number = self.tokens.get(self.at - 1).map_or("", |number| number.text);
                    let sign = if token.text == "-" { "-" } else { "" };
                    Value::plain(format!("{sign}{number}"))
                }
                "[" | "(" | "{" if depth < DEEPEST => self.bracket(depth, token),
                "[" | "(" | "{" => {
                    self.skip();
                    Value::Open(String::new())
                }
                // What a list or a map is opened into.
                "*" | "**" => {
                    self.at += 1;
                    let name = self.token(0).filter(|next| next.kind == Kind::Name);
                    Value::Open(name.map(|name| name.text.to_owned()).unwrap_or_default())
                }
                // What ends it belongs to who asked.
                ")" | "]" | "}" | "," | ":" | "=" | ";" => Value::Open(String::new()),
                _ => {
                    self.at += 1;
                    Value::Open(String::new())
                }
            },
            Kind::End => Value::Open(String::new()),
        }
    }

    /// Texts side by side, and the words that one is split into.
    fn text(&mut self) -> Value {
        let (mut whole, mut open) = (String::new(), None);
        while let Some(token) = self.token(0) {
            let Kind::Text { formatted, raw } = token.kind else {
                break;
            };
            if whole.len() < LONGEST {
                let plain = if raw { token.text.to_owned() } else { unescaped(token.text) };
                let (text, depends) = if formatted { filled(&plain) } else { (plain, None) };
                whole.push_str(&text);
                open = open.or(depends);
            }
            self.at += 1;
        }
        let line = self.tokens.get(self.at.saturating_sub(1)).map_or(0, |token| token.line);
        let splits = self.is(0, ".")
            && self.token(1).is_some_and(|token| token.text == "split")
            && self.is(2, "(")
            && self.is(3, ")");
        if splits {
            self.at += 4;
            let words = whole.split_whitespace().map(|word| (Value::plain(word), line));
            return Value::List(words.collect());
        }
        self.methods(Value::Plain { text: whole, open })
    }

    /// A name, and what a call of it is given.
    fn named(&mut self, depth: usize) -> Value {
        let line = self.token(0).map_or(0, |token| token.line);
        let (name, length) = self.dotted();
        self.at += length.max(1);
        match name.as_str() {
            "True" | "False" | "None" => return Value::plain(name),
            "not" | "lambda" | "await" => {
                self.skip();
                return Value::Open(String::new());
            }
            // Types of numbers.
            _ if name.starts_with("torch.") && !self.is(0, "(") => {
                return Value::plain(name.trim_start_matches("torch."));
            }
            _ => {}
        }
        if !self.is(0, "(") {
            return self.methods(Value::Name(name));
        }
        if depth >= DEEPEST {
            self.skip();
            return Value::Open(name);
        }
        self.at += 1;
        let given = self.given(depth + 1, ")");
        let call = Call { name, line, given };
        if (self.wanted)(&call.name) {
            self.out.calls.push(call.clone());
        }
        let own = match (call.name.as_str(), call.given.as_slice()) {
            ("int" | "float" | "str" | "list" | "tuple" | "Path", [only]) if only.key.is_none() => only.value.clone(),
            ("os.environ.get" | "os.getenv", [_, default]) => default.value.clone(),
            ("os.environ.get" | "os.getenv", [Given { value: Value::Plain { text, .. }, .. }]) => {
                Value::Open(text.clone())
            }
            _ => Value::Call(call),
        };
        self.methods(own)
    }

    /// What stands behind a value and makes another of it.
    pub(super) fn methods(&mut self, value: Value) -> Value {
        let another = self.is(0, ".") || self.is(0, "[") || self.is(0, "(");
        if !another {
            return value;
        }
        let open = match (&value, self.token(1)) {
            // `os.environ["NAME"]`
            (Value::Name(name), Some(key)) if name == "os.environ" && matches!(key.kind, Kind::Text { .. }) => {
                key.text.to_owned()
            }
            _ => value.depends(),
        };
        while self.is(0, ".") || self.is(0, "[") || self.is(0, "(") {
            if self.is(0, ".") {
                self.at += 2;
            } else {
                self.skip();
            }
        }
        Value::Open(open)
    }
}
