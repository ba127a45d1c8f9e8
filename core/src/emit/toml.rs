//! Settings as TOML: dotted keys, so that each line says where it belongs; reasons are comments.

use super::text::{Section, Setting};
use super::words::plain;

/// The head as comments, then the sections.
pub(super) fn to_text(head: &[String], sections: &[Section]) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text.trim_end());
        out.push('\n');
    };
    for text in head {
        line(&format!("# {}", plain(text)));
    }
    for section in sections.iter().filter(|section| !section.is_empty()) {
        line("");
        line(&format!("# {}", plain(section.title())));
        for Setting { key, value, reason } in section.settings() {
            line(&format!("{key} = {value}  # {}", plain(reason)));
        }
    }
    out
}

/// A word as TOML writes it. Only words that need no escape come here.
pub(super) fn word(text: &str) -> String {
    format!("\"{text}\"")
}

/// A truth value as TOML writes it.
pub(super) fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}
