//! The comments of a text to paste in another language; its code as it is.

use super::Words;
use shardwise_frameworks::emit::Syntax;

impl Words {
    /// A text with its comments in this language. Code, addresses and JSON, which has no comments, stay as they are.
    #[must_use]
    pub fn text(&self, emitted: &str, language: Syntax) -> String {
        match language {
            Syntax::Json => emitted.to_owned(),
            Syntax::Shell | Syntax::Yaml | Syntax::Python => {
                emitted.split_inclusive('\n').map(|line| self.line(line)).collect()
            }
        }
    }

    fn line(&self, line: &str) -> String {
        let (content, newline) = line.split_at(line.trim_end_matches('\n').len());
        let Some(start) = comment(content) else {
            return line.to_owned();
        };
        let (code, english) = content.split_at(start);
        match self.say(english) {
            Some(said) => [code, &said, newline].concat(),
            None => line.to_owned(),
        }
    }
}

/// Where a line's comment begins, behind `# `: at the line's beginning, or two spaces behind code, outside quotes.
fn comment(line: &str) -> Option<usize> {
    const MARK: &str = "# ";
    let indent = line.len() - line.trim_start().len();
    if line.trim_start().starts_with(MARK) {
        return Some(indent + MARK.len());
    }
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '#') if line.get(..at)?.ends_with("  ") && line.get(at..)?.starts_with(MARK) => {
                return Some(at + MARK.len());
            }
            _ => {}
        }
    }
    None
}
