//! Settings as YAML: dotted keys become nested maps, reasons comments.

use super::text::{Section, WrittenSetting, push_commented, push_line};
use super::{Snippet, Syntax};

/// The head as comments, then the sections. Keys of one map stand together.
pub(super) fn snippet(file: &'static str, head: &[String], sections: &[Section]) -> Snippet {
    Snippet::new(file, Syntax::Yaml, to_text(head, sections))
}

fn to_text(head: &[String], sections: &[Section]) -> String {
    let mut out = String::new();
    for line in head {
        push_line(&mut out, "# ", line);
    }
    let mut open: Vec<&str> = Vec::new();
    for section in sections.iter().filter(|section| !section.is_empty()) {
        push_line(&mut out, "\n# ", section.title());
        for WrittenSetting { key, value, reason } in section.settings() {
            let mut path: Vec<&str> = key.split('.').collect();
            let name = path.pop().unwrap_or_default();
            let shared = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
            open.truncate(shared);
            for map in &path[shared..] {
                push_commented(&mut out, &indent(open.len()), &format!("{map}:"), "");
                open.push(map);
            }
            let indent = indent(open.len());
            push_commented(&mut out, &indent, &format!("{name}: {value}"), reason);
        }
    }
    out
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}
