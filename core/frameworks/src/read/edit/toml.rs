//! Lines of TOML: `key = value  # comment`, the key whole or below its table.

use std::ops::Range;

use super::change::{Edit, length};
use crate::read::value;

/// The line with the value changed or the key taken away; `None` where `key` does not stand in it.
pub(super) fn replaced(line: &str, key: &str, edit: &Edit) -> Option<String> {
    let (_, Range { start, end }) = stated(line, key)?;
    let (head, tail) = (line.get(..start)?, line.get(end..)?);
    match &edit.value {
        Some(value) => Some(format!("{head}{}{tail}", written(value))),
        None => Some(String::new()),
    }
}

/// A new key on the line behind `key`, where it can stand in the same table.
pub(super) fn sibling(line: &str, key: &str, edit: &Edit) -> Option<String> {
    let (name, _) = stated(line, key)?;
    // What the table says of the key, or nothing.
    let table = key.strip_suffix(name)?;
    let own = edit.key.trim_start_matches('-').strip_prefix(table)?;
    // A table's own keys stand below it alone.
    if !table.is_empty() && own.contains('.') {
        return None;
    }
    let indent = line.len() - line.trim_start().len();
    Some(format!("{}{own} = {}", " ".repeat(indent), written(edit.value.as_deref().unwrap_or_default())))
}

/// The key as the line has it, and where its value stands, which ends on the line.
fn stated<'a>(line: &'a str, key: &str) -> Option<(&'a str, Range<usize>)> {
    let (name, rest) = line.split_once('=')?;
    let name = name.trim();
    let own = key == name || key.strip_suffix(name).is_some_and(|table| table.ends_with('.'));
    if name.is_empty() || !own {
        return None;
    }
    let text = rest.trim_start();
    let start = line.len() - text.len();
    let end = start + length(text, &[])?;
    Some((name, start..end))
}

/// A value as TOML takes it.
fn written(text: &str) -> String {
    match value::truth(text) {
        Some(on) if value::number(text).is_none() => return on.to_string(),
        _ => {}
    }
    if value::number(text).is_some() || text.starts_with(['[', '"']) {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace(['"', '\\'], ""))
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, replaced, sibling};

    #[test]
    fn values_are_replaced_and_added() {
        let edit =
            |key: &str, value: &str| Edit { key: key.into(), value: Some(value.into()), bare: false, section: None };
        for (line, key, to, expected) in [
            ("  b = 1  # why", "a.b", "2", "  b = 2  # why"),
            ("a.b = \"x # y\"", "a.b", "z", "a.b = \"z\""),
            ("b=true", "a.b", "False", "b=false"),
            ("b = [\"c\", \"d\"] # e", "a.b", "[\"c\"]", "b = [\"c\"] # e"),
        ] {
            assert_eq!(replaced(line, key, &edit(key, to)).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(replaced("bb = 1", "a.b", &edit("a.b", "2")), None);
        assert_eq!(replaced("b = [1,", "a.b", &edit("a.b", "2")), None);
        assert_eq!(sibling("  b = 1", "a.b", &edit("a.c", "full")).as_deref(), Some("  c = \"full\""));
        assert_eq!(sibling("a.b = 1", "a.b", &edit("d.c", "2")).as_deref(), Some("d.c = 2"));
        assert_eq!(sibling("b = 1", "a.b", &edit("d.c", "2")), None);
    }
}
