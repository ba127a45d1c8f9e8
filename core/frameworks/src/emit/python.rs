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
}

/// The head as comments, then the parts of the program.
pub(super) fn snippet(file: &'static str, head: &[String], blocks: &[Block]) -> Snippet {
    let mut out = String::new();
    for line in head {
        push_line(&mut out, "# ", line);
    }
    for block in blocks {
        out.push('\n');
        match block {
            Block::Lines(lines) => lines
                .iter()
                .for_each(|(line, reason)| push_commented(&mut out, "", line, reason)),
            Block::Call(opens, sections) => call(&mut out, opens, sections),
        }
    }
    Snippet::new(file, Syntax::Python, out)
}

fn call(out: &mut String, opens: &str, sections: &[Section]) {
    out.push_str(opens);
    out.push_str("(\n");
    for section in sections.iter().filter(|section| !section.is_empty()) {
        push_line(out, "    # ", section.title());
        for WrittenSetting { key, value, reason } in section.settings() {
            push_commented(out, "    ", &format!("{key}={value},"), reason);
        }
    }
    out.push_str(")\n");
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
