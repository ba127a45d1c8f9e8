//! Spaces between what is wide and what is not.

use super::Words;

/// A text with no-break spaces between numbers and their units or measure words: `8 个`, `70.5 GiB`, `19 %`.
#[must_use]
pub fn unbroken(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let number = out.ends_with(|before: char| before.is_ascii_digit());
        let unit = |after: &char| wide(Some(*after)) || after.is_ascii_alphabetic() || *after == '%';
        let glued = c == ' ' && number && chars.peek().is_some_and(unit);
        out.push(if glued { '\u{a0}' } else { c });
    }
    out
}

/// A text of a wide language with a space between Chinese and Latin, and none between Chinese and Chinese: values come as either.
pub(super) fn apart(words: &Words, text: &str) -> String {
    if !words.wide {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        let (before, after) = (out.chars().next_back(), chars.peek().copied());
        if c == ' ' {
            let needless = |side: Option<char>| side.is_some_and(|side| words.marks.contains(side));
            if needless(before) || needless(after) || (wide(before) && wide(after)) {
                continue;
            }
        } else if c == '"' {
            quoted = !quoted;
            if quoted && wide(before) {
                out.push(' ');
            }
        } else if before == Some('"') {
            if !quoted && wide(Some(c)) {
                out.push(' ');
            }
        } else if (wide(before) && latin(c)) || (before.is_some_and(latin) && wide(Some(c))) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// A Chinese character.
fn wide(c: Option<char>) -> bool {
    c.is_some_and(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

fn latin(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '%' | '$' | '`' | '-')
}
