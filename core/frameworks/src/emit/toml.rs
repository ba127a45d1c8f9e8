//! Settings as TOML: dotted keys, so that each line says where it belongs; reasons are comments.

use super::text::{Section, WrittenSetting, push_commented, push_line};
use super::{Snippet, Syntax};

/// The head as comments, then the sections.
pub(super) fn snippet(file: &'static str, head: &[String], sections: &[Section]) -> Snippet {
    let mut out = String::new();
    for line in head {
        push_line(&mut out, "# ", line);
    }
    for section in sections.iter().filter(|section| !section.is_empty()) {
        push_line(&mut out, "\n# ", section.title());
        for WrittenSetting { key, value, reason } in section.settings() {
            push_commented(&mut out, "", &format!("{key} = {value}"), reason);
        }
    }
    Snippet::new(file, Syntax::Toml, out)
}

/// A word as TOML writes it. Only words that need no escape come here.
pub(super) fn word(text: &str) -> String {
    format!("\"{text}\"")
}
