//! Lines of YAML: `key: value  # comment`, alone or in `{…}`.

use std::ops::Range;

use super::change::Edit;

/// The line with the value changed or the key taken away; `None` where `key` does not stand in it.
pub(super) fn replaced(line: &str, key: &str, edit: &Edit) -> Option<String> {
    let Range { start, end } = value(line, key)?;
    let (head, tail) = (line.get(..start)?, line.get(end..)?);
    match &edit.value {
        Some(value) => Some(format!("{head}{}{tail}", scalar(value))),
        None if !head.contains('{') => Some(String::new()),
        None => None,
    }
}

/// A new key on the line behind `key`, where both stand in the same map.
pub(super) fn sibling(line: &str, key: &str, edit: &Edit) -> Option<String> {
    let parent = |key: &str| key.rsplit_once('.').map_or("", |(parent, _)| parent).to_owned();
    let name = name(&edit.key);
    let own_line = value(line, key).is_some() && !line.contains('{');
    (own_line && parent(key) == parent(&edit.key)).then(|| {
        let indent = line.len() - line.trim_start().len();
        format!("{}{name}: {}", " ".repeat(indent), scalar(edit.value.as_deref().unwrap_or_default()))
    })
}

fn name(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// Where the value of a key stands.
fn value(line: &str, key: &str) -> Option<Range<usize>> {
    let name = name(key);
    line.match_indices(name).find_map(|(at, _)| {
        let before = line.get(..at)?;
        let opens = before.ends_with([' ', '{', ',', '"', '\'']) || before.is_empty();
        let rest = line.get(at + name.len()..)?;
        let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
        let text = rest.strip_prefix(':')?;
        if !opens || before.contains('#') {
            return None;
        }
        let start = line.len() - text.trim_start().len();
        let text = text.trim_start();
        let flow = before.contains('{');
        let end =
            if flow { text.find([',', '}']).unwrap_or(text.len()) } else { text.find(" #").unwrap_or(text.len()) };
        Some(start..start + text.get(..end)?.trim_end().len())
    })
}

/// A value as YAML takes it.
fn scalar(value: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_-./+@%".contains(c);
    let list = value.starts_with('[') && value.ends_with(']');
    if list || (!value.is_empty() && value.chars().all(safe)) {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', "''"))
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
            ("  b: 1  # why", "a.b", "2", "  b: 2  # why"),
            ("  b: \"x y\"", "a.b", "x:y", "  b: 'x:y'"),
            ("  a: {c: 1, b: 2}", "a.b", "[3, 4]", "  a: {c: 1, b: [3, 4]}"),
        ] {
            assert_eq!(replaced(line, key, &edit(key, to)).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(sibling("  b: 1", "a.b", &edit("a.c", "2")).as_deref(), Some("  c: 2"));
        assert_eq!(sibling("  b: 1", "a.b", &edit("d.c", "2")), None);
    }
}
