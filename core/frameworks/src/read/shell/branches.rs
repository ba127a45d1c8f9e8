//! `case … in … esac`: which branch counts.

use super::lexer::{RawWord, Token};
use super::{Reader, Word};
use crate::read::Trouble;

/// Where the reading of a `case` stands.
#[derive(Debug)]
pub(super) struct Case {
    line: u32,
    /// What is compared; `None` before it is read.
    subject: Option<Word>,
    /// Whether `in` has been read.
    opened: bool,
    /// Whether patterns are read now, rather than a branch's commands.
    patterns: bool,
    /// Whether a pattern of this branch fits.
    fits: bool,
}

impl Reader {
    /// Begins a `case` in the block that was just opened.
    pub(super) fn open_case(&mut self, line: u32) {
        if let Some(block) = self.blocks.last_mut() {
            block.case = Some(Case { line, subject: None, opened: false, patterns: true, fits: false });
        }
        self.active = false;
    }

    /// Takes a token that belongs to the head or the patterns of the innermost `case`; gives any other back.
    pub(super) fn branch(&mut self, token: Token, line: u32) -> Result<Option<Token>, Trouble> {
        let Some(block) = self.blocks.last_mut() else {
            return Ok(Some(token));
        };
        let Some(case) = &mut block.case else {
            return Ok(Some(token));
        };
        if !case.patterns {
            // The end of a branch ends its last command too, by the token itself.
            case.patterns = matches!(token, Token::End(";;"));
            return Ok(Some(token));
        }
        match token {
            Token::Word(word) if word.pieces.is_empty() => {}
            Token::Word(word) => {
                self.count(1, word.line)?;
                self.pattern(&word)?;
            }
            Token::End(")") => {
                let fits = std::mem::take(&mut case.fits);
                case.patterns = false;
                self.active = block.outside && !block.taken && fits;
                block.taken |= self.active;
            }
            Token::Array { items, .. } => self.count(items.len() + 1, line)?,
            Token::Document(_) | Token::Arithmetic(_) | Token::End(_) => {}
        }
        Ok(None)
    }

    /// A word of the head or of a branch's patterns.
    fn pattern(&mut self, word: &RawWord) -> Result<(), Trouble> {
        if word.bare() == Some("esac") {
            self.close();
            return Ok(());
        }
        let mut words = Vec::new();
        self.variables.expand(word, &mut words)?;
        let found = words.into_iter().next().unwrap_or_default();
        let Some(block) = self.blocks.last_mut() else {
            return Ok(());
        };
        let (outside, taken) = (block.outside, block.taken);
        let Some(case) = &mut block.case else {
            return Ok(());
        };
        let Some(subject) = &case.subject else {
            case.subject = Some(found);
            return Ok(());
        };
        if !case.opened {
            case.opened = true;
            return Ok(());
        }
        match &subject.open {
            None => case.fits |= fits(&subject.text, &found.text),
            // An argument of the script: as it stands there is none.
            Some(open) if open.bytes().all(|b| b.is_ascii_digit()) => {}
            Some(open) => {
                if outside && !taken && !case.fits {
                    let note = format!(
                        "`case` depends on {open}, which the text does not set: its first branch, {}, is read.",
                        found.text
                    );
                    let line = case.line;
                    case.fits = true;
                    self.note(line, note);
                }
            }
        }
        Ok(())
    }
}

/// Longest text that is compared: many patterns of a long one would take long.
const LONGEST: usize = 1024;

/// Whether a pattern fits: `*` stands for any text, nothing else is special.
fn fits(text: &str, pattern: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        for (text, pattern, expected) in [
            ("gpu", "gpu", true),
            ("gpu", "npu", false),
            ("gpu", "*", true),
            ("", "*", true),
            ("Qwen3-8B", "Qwen3-*", true),
            ("Qwen3-8B", "*-8B", true),
            ("Qwen3-8B", "Q*-*B", true),
            ("Qwen3-8B", "*8", false),
            ("aba", "ab*ba", false),
        ] {
            assert_eq!(fits(text, pattern), expected, "{text} {pattern}");
        }
    }
}
