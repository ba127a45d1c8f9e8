//! Lines of Python: keywords of a call, `key=value`, and words of a list, `"--key", "value"`. Of a key that has its section before it
//! a call's keyword is the last part.

use std::ops::Range;

use super::change::{Edit, length};
use crate::read::value;

/// The line with the value changed; `None` where `key` does not stand in it, or its value is none that ends on the line.
pub(super) fn replaced(line: &str, key: &str, edit: &Edit) -> Option<String> {
    let name = last(key);
    if let Some(Range { start, end }) = keyword(line, name) {
        let (head, tail) = (line.get(..start)?, line.get(end..)?);
        return match &edit.value {
            Some(value) => Some(format!("{head}{}{tail}", literal(value)?)),
            // What stands alone on its line.
            None if alone(line, name) => Some(String::new()),
            None => None,
        };
    }
    let new = edit.value.as_deref()?;
    let quoted = word(line, key)?;
    let inside = line.get(quoted.clone())?;
    let (head, tail) = (line.get(..quoted.start)?, line.get(quoted.end..)?);
    if inside.contains('=') {
        return Some(format!("{head}{key}={}{tail}", plain(new)?));
    }
    // The value is the next word.
    let rest = tail.get(1..)?.trim_start().strip_prefix(',')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let end = rest.get(1..)?.find(quote)? + 1;
    let start = line.len() - rest.len();
    Some(format!("{}{}{}", line.get(..=start)?, plain(new)?, rest.get(end..)?))
}

/// The line with a new setting behind `key`.
pub(super) fn beside(line: &str, key: &str, edit: &Edit) -> Option<String> {
    let name = last(key);
    let Range { end, .. } = keyword(line, name)?;
    let (head, tail) = line.split_at_checked(end)?;
    // Two of one section stand in one call; a field that is assigned has none beside it.
    let section = |key: &str| key.len() - last(key).len();
    let alike = section(key) == section(&edit.key) && key.get(..section(key)) == edit.key.get(..section(&edit.key));
    let field = head.contains(&format!(".{name}"));
    if !key.starts_with('-') && (!alike || field) {
        return None;
    }
    let own = last(&edit.key);
    let named = own.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let value = literal(edit.value.as_deref()?)?;
    named.then(|| format!("{head}, {own}={value}{tail}"))
}

/// The part of a key behind its section.
fn last(key: &str) -> &str {
    let key = key.trim_start_matches('-');
    key.rsplit('.').next().unwrap_or(key)
}

/// Whether a keyword with its value is all that a line has.
fn alone(line: &str, name: &str) -> bool {
    keyword(line, name).is_some_and(|Range { start, end }| {
        let before = line.get(..start).unwrap_or_default().trim_start();
        let behind = line.get(end..).unwrap_or_default().trim_start_matches(',').trim_start();
        before.strip_prefix(name).is_some_and(|rest| rest.trim() == "=")
            && (behind.is_empty() || behind.starts_with('#'))
    })
}

/// Where the value of a keyword stands.
fn keyword(line: &str, name: &str) -> Option<Range<usize>> {
    line.match_indices(name).find_map(|(at, _)| {
        let before = line.get(..at)?;
        let opens = before.is_empty() || before.ends_with([' ', '\t', '(', ',', '.']);
        let text = line.get(at + name.len()..)?.trim_start().strip_prefix('=')?;
        if !opens || text.starts_with('=') || before.contains('#') {
            return None;
        }
        let text = text.trim_start();
        let start = line.len() - text.len();
        let length = length(text, &[',', ')', ']', '}'])?;
        Some(start..start + length)
    })
}

/// Where a word stands between quotes that is this key, alone or with its value.
fn word(line: &str, key: &str) -> Option<Range<usize>> {
    line.match_indices(key).find_map(|(at, _)| {
        let quote = line.get(..at)?.chars().next_back().filter(|c| matches!(c, '"' | '\''))?;
        let rest = line.get(at..)?;
        let end = rest.find(quote)?;
        let behind = rest.get(key.len()..end)?;
        (behind.is_empty() || behind.starts_with('=')).then_some(at..at + end)
    })
}

/// A value as Python takes it.
fn literal(text: &str) -> Option<String> {
    if value::number(text).is_some() {
        return Some(text.to_owned());
    }
    match value::truth(text) {
        Some(true) => return Some("True".to_owned()),
        Some(false) => return Some("False".to_owned()),
        None => {}
    }
    // A list whose words have their quotes.
    if text.starts_with("[\"") && text.ends_with("\"]") {
        return Some(text.to_owned());
    }
    if value::is_null(text) { Some("None".to_owned()) } else { Some(format!("\"{}\"", plain(text)?)) }
}

/// A word that needs no escape in quotes.
fn plain(text: &str) -> Option<&str> {
    (!text.contains(['"', '\'', '\\', '[', '\n'])).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{Edit, beside, replaced};

    fn edit(key: &str, value: Option<&str>) -> Edit {
        Edit { key: key.into(), value: value.map(Into::into), bare: false, section: None }
    }

    #[test]
    fn keywords_and_words_are_replaced() {
        for (line, key, value, expected) in [
            ("    a_b=1,  # why", "a_b", Some("2"), Some("    a_b=2,  # why")),
            ("x = C(a_b = f(1, 2), c=3)", "--a_b", Some("true"), Some("x = C(a_b = True, c=3)")),
            ("C(aa_b=1, a_b=\"x, y\")", "a_b", Some("z"), Some("C(aa_b=1, a_b=\"z\")")),
            ("    a_b=1,", "a_b", None, Some("")),
            ("C(a_b=1, c=2)", "a_b", None, None),
            ("if a_b == 1:", "a_b", Some("2"), None),
            ("    a_b=[1,", "a_b", Some("2"), None),
            ("[\"--n\", \"4\", \"--m\"]", "--n", Some("8"), Some("[\"--n\", \"8\", \"--m\"]")),
            ("['--n=4', x]", "--n", Some("8"), Some("['--n=8', x]")),
            ("['a.b=4', x]", "a.b", Some("8"), Some("['a.b=8', x]")),
            ("['--nn', '4']", "--n", Some("8"), None),
        ] {
            assert_eq!(replaced(line, key, &edit(key, value)).as_deref(), expected, "{line}");
        }
        assert_eq!(beside("  a=1,", "a", &edit("b", Some("full"))).as_deref(), Some("  a=1, b=\"full\","));
        assert_eq!(beside("  a=1,", "a", &edit("b.c", Some("full"))), None);
    }
}
