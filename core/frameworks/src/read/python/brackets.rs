//! What stands between brackets.

use super::lexer::{Kind, Token};
use super::parser::Parser;
use super::value::{Call, Given, Value};

impl Parser<'_> {
    /// A list, a tuple, or a map in braces.
    pub(super) fn bracket(&mut self, depth: usize, token: &Token<'_>) -> Value {
        self.at += 1;
        let (line, end) = (
            token.line,
            match token.text {
                "[" => "]",
                "(" => ")",
                _ => "}",
            },
        );
        let mut given = self.given(depth + 1, end);
        if token.text == "{" {
            return Value::Call(Call { name: "dict".to_owned(), line, given });
        }
        // Brackets around one value are none of a tuple's.
        let commas = self
            .tokens
            .get(self.at.saturating_sub(2))
            .is_some_and(|token| token.text == "," && token.kind == Kind::Mark);
        if token.text == "(" && given.len() == 1 && !commas {
            let only = given.pop().map_or(Value::Open(String::new()), |given| given.value);
            return self.methods(only);
        }
        let items = given.into_iter().map(|given| (given.value, given.line));
        let list = Value::List(items.collect());
        self.methods(list)
    }

    /// What stands between brackets, up to `end`, each with its name.
    pub(super) fn given(&mut self, depth: usize, end: &str) -> Vec<Given> {
        let mut out = Vec::new();
        while let Some(token) = self.token(0) {
            let line = token.line;
            if self.is(0, end) || self.is(0, ")") || self.is(0, "]") || self.is(0, "}") {
                self.at += 1;
                return out;
            }
            if self.is(0, ",") {
                self.at += 1;
                continue;
            }
            let before = self.at;
            let mut key = None;
            let keyword = token.kind == Kind::Name && self.is(1, "=");
            if keyword || end == "}" && matches!(token.kind, Kind::Text { .. }) && self.is(1, ":") {
                key = Some(token.text.to_owned());
                self.at += 2;
            }
            let value = self.value(depth);
            out.push(Given { key, value, line });
            // What is no value here: it is passed over, word by word.
            if self.at == before {
                self.at += 1;
            }
        }
        out
    }

    /// Passes over a value, or over a bracket with what is in it.
    pub(super) fn skip(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.token(0) {
            match (token.kind, token.text) {
                (Kind::End, _) => return,
                (Kind::Mark, "(" | "[" | "{") => depth += 1,
                (Kind::Mark, ")" | "]" | "}") if depth == 0 => return,
                (Kind::Mark, ")" | "]" | "}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                (Kind::Mark, ",") if depth == 0 => return,
                _ => {}
            }
            self.at += 1;
        }
    }
}
