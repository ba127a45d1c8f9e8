//! Settings as Python: keywords of calls, one a line, so that each carries its reason as a comment.

use std::fmt::Display;

use super::text::{Section, WrittenSetting, push_commented, push_line};
use super::{Snippet, Syntax};

/// A part of a program.
pub(super) enum Block {
    /// Statements, each with why it stands there; empty where it says so itself.
    Lines(Vec<(String, &'static str)>),
    /// What a name becomes: the call's words before its bracket, and its keywords.
    Call(String, Vec<Section>),
    /// A function: its first line, and what it does.
    Function(String, Vec<Block>),
}

/// The head as comments, then the parts of the program.
pub(super) fn snippet(file: &'static str, head: &[String], blocks: &[Block]) -> Snippet {
    let mut out = String::new();
    for line in head {
        push_line(&mut out, "# ", line);
    }
    for block in blocks {
        out.push('\n');
        block.write(&mut out, "");
    }
    Snippet::new(file, Syntax::Python, out)
}

impl Block {
    /// Writes it behind so many blanks.
    fn write(&self, out: &mut String, indent: &str) {
        match self {
            Self::Lines(lines) => lines
                .iter()
                .for_each(|(line, reason)| push_commented(out, indent, line, reason)),
            Self::Call(opens, sections) => call(out, indent, opens, sections),
            Self::Function(first, blocks) => {
                push_commented(out, indent, first, "");
                let inside = format!("{indent}    ");
                for (index, block) in blocks.iter().enumerate() {
                    if index > 0 {
                        out.push('\n');
                    }
                    block.write(out, &inside);
                }
            }
        }
    }
}

fn call(out: &mut String, indent: &str, opens: &str, sections: &[Section]) {
    push_commented(out, indent, &format!("{opens}("), "");
    let inside = format!("{indent}    ");
    for section in sections.iter().filter(|section| !section.is_empty()) {
        push_line(out, &format!("{inside}# "), section.title());
        for WrittenSetting { key, value, reason } in section.settings() {
            push_commented(out, &inside, &format!("{key}={value},"), reason);
        }
    }
    push_commented(out, indent, ")", "");
}

/// A word as Python writes it. Only words that need no escape come here.
pub(super) fn word(text: impl Display) -> String {
    format!("\"{text}\"")
}

/// Words as a list of Python's.
pub(super) fn list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(word).collect();
    format!("[{}]", words.join(", "))
}
