//! One change to a text, and where a value ends in one.

/// A setting to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::read) struct Edit {
    /// The key, as the framework's own text writes it.
    pub(in crate::read) key: String,
    /// Its value; `None` to take it away.
    pub(in crate::read) value: Option<String>,
    /// Whether the option stands for its value: `--use-distributed-optimizer`.
    pub(in crate::read) bare: bool,
    /// The section to take away with it: `zero_optimization.offload_optimizer`.
    pub(in crate::read) section: Option<String>,
}

impl Edit {
    /// The setting as a person writes it.
    pub(in crate::read) fn shown(&self) -> String {
        let mark = if self.is_option() { " " } else { "=" };
        match &self.value {
            Some(_) if self.bare => self.key.clone(),
            Some(value) => format!("{}{mark}{value}", self.key),
            None => format!("without {}", self.key),
        }
    }

    pub(in crate::read::edit) fn is_option(&self) -> bool {
        self.key.starts_with('-')
    }
}

/// Length of the value that a text begins with, where it ends in it: at a `#`, or at one of `ends` outside of brackets and quotes.
pub(super) fn length(text: &str, ends: &[char]) -> Option<usize> {
    let (mut depth, mut quote, mut end) = (0i64, None, 0);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(mark), _) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => break,
            (None, c) if depth == 0 && ends.contains(&c) => break,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if !c.is_whitespace() {
            end = at + c.len_utf8();
        }
    }
    (depth == 0 && quote.is_none() && end > 0).then_some(end)
}
