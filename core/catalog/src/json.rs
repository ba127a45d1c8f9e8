//! JSON as Python's `json` writes it.

use std::borrow::Cow;

/// Numbers that Python's `json.dumps` writes and JSON lacks, the longest first.
const NAMES: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// The text with what Python writes for a number that is none as a text: `Infinity` as `"Infinity"`. So a `config.json`
/// is read whose keys that nobody needs hold one, and a key that is needed is refused by its name and that word.
///
/// ```
/// use shardwise_catalog::json::of_python;
/// assert_eq!(of_python(r#"{"a": [NaN, -Infinity], "NaN": 1}"#), r#"{"a": ["NaN", "-Infinity"], "NaN": 1}"#);
/// ```
#[must_use]
pub fn of_python(text: &str) -> Cow<'_, str> {
    if !NAMES.iter().any(|name| text.contains(name)) {
        return Cow::Borrowed(text);
    }
    let mut read = String::with_capacity(text.len() + 16);
    let (mut rest, mut in_text, mut before) = (text, false, ' ');
    while let Some(next) = rest.chars().next() {
        let begins = !in_text && !before.is_alphanumeric() && before != '-';
        let name = NAMES.iter().find(|name| begins && rest.starts_with(**name));
        let name = name.filter(|name| !rest[name.len()..].starts_with(|after: char| after.is_alphanumeric()));
        let taken = if let Some(name) = name {
            read.extend(["\"", name, "\""]);
            name.len()
        } else if in_text && next == '\\' {
            let escaped = rest.chars().take(2).map(char::len_utf8).sum();
            read.push_str(&rest[..escaped]);
            escaped
        } else {
            in_text ^= next == '"';
            read.push(next);
            next.len_utf8()
        };
        before = rest[..taken].chars().next_back().unwrap_or(' ');
        rest = &rest[taken..];
    }
    Cow::Owned(read)
}

#[cfg(test)]
mod tests {
    use super::of_python;

    #[test]
    fn only_what_stands_for_a_number_becomes_a_text() {
        for (text, wanted) in [
            (r#"{"a": Infinity}"#, r#"{"a": "Infinity"}"#),
            (r#"[NaN,-Infinity]"#, r#"["NaN","-Infinity"]"#),
            (r#"{"a": "NaN", "b": "\"Infinity"}"#, r#"{"a": "NaN", "b": "\"Infinity"}"#),
            (r#"{"a": "\\", "b": NaN}"#, r#"{"a": "\\", "b": "NaN"}"#),
            ("[NaNs, xNaN, --Infinity]", "[NaNs, xNaN, --Infinity]"),
            (r#"{"名": NaN}"#, r#"{"名": "NaN"}"#),
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            ("NaN", "\"NaN\""),
        ] {
            assert_eq!(of_python(text), wanted);
        }
    }
}
