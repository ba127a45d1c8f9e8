//! Why a text cannot be read at all.

use serde::Serialize;

use crate::read::printable::printable;

/// Why a text cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Trouble {
    /// Line of the text, from 1; 0 where no single line is meant.
    pub line: u32,
    /// Which of several texts the line is of, from 1; absent where there is one, or no line is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<u32>,
    /// What was found, and the remedy.
    pub message: String,
}

impl Trouble {
    pub(crate) fn new(line: u32, message: impl AsRef<str>) -> Self {
        Self { line, file: None, message: printable(message.as_ref()) }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file, self.line) {
            (_, 0) => f.write_str(&self.message),
            (None, line) => write!(f, "line {line}: {}", self.message),
            (Some(file), line) => write!(f, "file {file}, line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for Trouble {}
