//! Settings as YAML: dotted keys become nested maps, reasons comments.

use super::text::{Section, Setting};
use super::words::plain;

/// The head as comments, then the sections. Keys of one map stand together.
pub(super) fn to_text(head: &[String], sections: &[Section]) -> String {
    let mut out = String::new();
    for line in head {
        out.push_str("# ");
        out.push_str(&plain(line));
        out.push('\n');
    }
    let mut open: Vec<&str> = Vec::new();
    for section in sections.iter().filter(|section| !section.is_empty()) {
        out.push_str("\n# ");
        out.push_str(&plain(section.title()));
        out.push('\n');
        for Setting { key, value, reason } in section.settings() {
            let mut path: Vec<&str> = key.split('.').collect();
            let name = path.pop().unwrap_or_default();
            let shared = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
            open.truncate(shared);
            for map in &path[shared..] {
                indent(&mut out, open.len());
                out.push_str(map);
                out.push_str(":\n");
                open.push(map);
            }
            indent(&mut out, open.len());
            out.push_str(name);
            out.push_str(": ");
            out.push_str(value);
            if !reason.is_empty() {
                out.push_str("  # ");
                out.push_str(&plain(reason));
            }
            out.push('\n');
        }
    }
    out
}

fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}
