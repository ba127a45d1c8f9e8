//! Words of a command: `key=value`, `--name value`, `--name`.

use std::ops::Range;

use super::change::Edit;

/// Where a new setting stands beside another.
pub(super) enum Beside {
    /// On a line of its own before it.
    Line(String),
    /// On the same line, which becomes this.
    Same(String),
}

/// The line with the setting changed or taken away; `None` where `key` does not stand in it.
pub(super) fn replaced(line: &str, key: &str, edit: &Edit) -> Option<String> {
    let found = setting(line, key)?;
    let (head, tail) = (line.get(..found.start)?, line.get(found.end..)?);
    let own = Edit { key: key.to_owned(), ..edit.clone() };
    // A switch takes no value: to say False, it is left out.
    let switch = key.starts_with('-') && line.get(found.clone()) == Some(key);
    let value = edit.value.as_deref().filter(|value| !switch || *value != "False");
    Some(match value {
        Some(_) => format!("{head}{}{tail}", word(&own)),
        None => format!("{}{tail}", head.trim_end_matches(' ')),
    })
}

/// The line with a key under its new name, or without it where it has none; `None` where `key` does not stand in it. A key that
/// hydra had to be told to add may be in the configuration now: `++` says both.
pub(super) fn renamed(line: &str, key: &str, now: Option<&str>) -> Option<String> {
    let key = key.trim_start_matches('+');
    let mark = ["++", ""]
        .into_iter()
        .find(|mark| setting(line, &format!("{mark}{key}")).is_some())?;
    let found = setting(line, &format!("{mark}{key}"))?;
    let (head, tail) = (line.get(..found.start)?, line.get(found.end..)?);
    let Some(now) = now else {
        return Some(format!("{}{tail}", head.trim_end_matches(' ')));
    };
    let own = line.get(found)?;
    Some(format!("{head}{}{tail}", own.replacen(key, now, 1)))
}

/// The line with hydra's `++`, which adds a key or overrides it, for its `+`, which fails where the key is there; `None` where it
/// has none.
pub(super) fn overriding(line: &str) -> Option<String> {
    let begins = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| line.as_bytes().get(before));
        let word = before.is_none_or(|b| matches!(b, b' ' | b'\t' | b'"' | b'\''));
        let rest = line.get(at + 1..).unwrap_or_default();
        let key = rest.split('=').next().unwrap_or_default();
        let named = key.contains('.')
            && key
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'@'));
        word && named && key.len() < rest.len()
    };
    let places: Vec<usize> = line.match_indices('+').map(|(at, _)| at).filter(|at| begins(*at)).collect();
    let mut changed = line.to_owned();
    for at in places.iter().rev() {
        changed.insert(*at, '+');
    }
    (!places.is_empty()).then_some(changed)
}

/// A new setting beside `key`; `None` where that does not stand in the line. `continued`: the line before ends in a backslash.
pub(super) fn beside(line: &str, key: &str, edit: &Edit, continued: bool) -> Option<Beside> {
    let found = setting(line, key)?;
    let indent = line.get(..found.start)?;
    let own_line = indent.trim().is_empty() && !line.trim_start().starts_with("python");
    Some(if own_line {
        let mark = if continued { " \\" } else { "" };
        Beside::Line(format!("{indent}{}{mark}", word(edit)))
    } else {
        let (head, tail) = line.split_at_checked(found.end)?;
        Beside::Same(format!("{head} {}{tail}", word(edit)))
    })
}

/// The setting as words of the shell.
fn word(edit: &Edit) -> String {
    let value = edit.value.as_deref().unwrap_or_default();
    match (edit.is_option(), edit.bare) {
        (true, true) => edit.key.clone(),
        // Several values are several words.
        (true, false) => format!("{} {}", edit.key, value.split(' ').map(quoted).collect::<Vec<_>>().join(" ")),
        _ => format!("{}={}", edit.key, quoted(value)),
    }
}

/// A value as the shell takes it: quoted where a character of it could mean something.
fn quoted(value: &str) -> String {
    let safe = |b: u8| b.is_ascii_alphanumeric() || b"_-./:,+@%".contains(&b);
    if !value.is_empty() && value.bytes().all(safe) {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', "'\\''"))
    }
}

/// Where a key and its value stand in a line, quotes and marks included.
fn setting(line: &str, key: &str) -> Option<Range<usize>> {
    line.match_indices(key).find_map(|(at, _)| {
        let mut start = at;
        let bytes = line.as_bytes();
        while start > 0 && matches!(bytes[start - 1], b'"' | b'\'') {
            start -= 1;
        }
        let opens = start == 0 || matches!(bytes[start - 1], b' ' | b'\t' | b'(');
        let next = bytes.get(at + key.len());
        let option = key.starts_with('-');
        let ends = match next {
            Some(b'=') => true,
            None | Some(b' ' | b'\t' | b'\\' | b')' | b'"' | b'\'') => option,
            Some(_) => false,
        };
        if !opens || !ends {
            return None;
        }
        let mut end = word_end(line, start);
        if option && next != Some(&b'=') {
            end = values_end(line, end);
        }
        Some(start..end)
    })
}

/// End of the word that begins at `start`.
fn word_end(line: &str, start: usize) -> usize {
    let mut quote = None;
    let mut depth = 0usize;
    let mut escaped = false;
    for (at, c) in line.char_indices().skip_while(|(at, _)| *at < start) {
        if escaped {
            escaped = false;
            continue;
        }
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), _) => {}
            // A backslash at the end of the line continues it, and is no part of the word.
            (_, '\\') if at + 1 >= line.trim_end().len() => return at,
            (_, '\\') => escaped = true,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') if depth > 0 => depth -= 1,
            (None, ' ' | '\t' | ')' | ';' | '|' | '&' | '>' | '<') if depth == 0 => return at,
            _ => {}
        }
    }
    line.len()
}

/// End of the words behind an option that are its values.
fn values_end(line: &str, mut end: usize) -> usize {
    loop {
        let rest = line.get(end..).unwrap_or_default();
        let word = rest.trim_start_matches([' ', '\t']);
        let start = end + (rest.len() - word.len());
        let number = word
            .strip_prefix('-')
            .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let stops = word.is_empty()
            || word.starts_with(['\\', ')', ';', '|', '&', '>', '<', '#', '$'])
            || (word.starts_with('-') && !number)
            || start == end;
        // A variable may hold a value or further options; it is a value where nothing was stated yet.
        if stops && !(word.starts_with('$') && start > end) {
            return end;
        }
        end = word_end(line, start);
        if word.starts_with('$') {
            return end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Beside, Edit, beside, overriding, renamed, replaced};

    fn edit(key: &str, value: Option<&str>) -> Edit {
        Edit { key: key.into(), value: value.map(Into::into), bare: false, section: None }
    }

    #[test]
    fn words_are_replaced_whole() {
        for (line, key, value, expected) in [
            ("    a.b=1 \\", "a.b", Some("2"), "    a.b=2 \\"),
            ("  a.b=${x:-1} a.bc=3", "a.b", Some("2"), "  a.b=2 a.bc=3"),
            ("  a.bc=3 'a.b=[1, 2]'  # why", "a.b", Some("[3]"), "  a.bc=3 a.b='[3]'  # why"),
            ("  +a.b=\"$x y\"\\", "+a.b", Some("True"), "  +a.b=True\\"),
            ("  a.b=$((2 * x)) \\", "a.b", None, " \\"),
            ("  --n 4 --m", "--n", Some("8"), "  --n 8 --m"),
            ("  --n=4 \\", "--n", Some("8"), "  --n 8 \\"),
            ("  --n $N \\", "--n", Some("8"), "  --n 8 \\"),
            ("X=(--n 4 5 --m)", "--n", None, "X=( --m)"),
            ("  --n --m 1 \\", "--n", Some("False"), " --m 1 \\"),
            ("  --n True \\", "--n", Some("False"), "  --n False \\"),
        ] {
            assert_eq!(replaced(line, key, &edit(key, value)).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(replaced("  a.bc=1", "a.b", &edit("a.b", Some("2"))), None);
        assert_eq!(replaced("  xa.b=1", "a.b", &edit("a.b", Some("2"))), None);
    }

    #[test]
    fn keys_get_their_new_names() {
        for (line, key, now, expected) in [
            ("    a.b=$X \\", "a.b", Some("c.d"), "    c.d=$X \\"),
            ("  'a.b=[1]' a.bc=2", "a.b", Some("c.d"), "  'c.d=[1]' a.bc=2"),
            ("  ++a.b=1 \\", "+a.b", Some("c.d"), "  ++c.d=1 \\"),
            ("  x=1 a.b=\"p q\" y=2", "a.b", None, "  x=1 y=2"),
        ] {
            assert_eq!(renamed(line, key, now).as_deref(), Some(expected), "{line}");
        }
        assert_eq!(renamed("  a.bc=1", "a.b", None), None);
        assert_eq!(
            overriding("  +a.b=1 ++c.d=2 x=+e '+f.g=[1+2]' \\").as_deref(),
            Some("  ++a.b=1 ++c.d=2 x=+e '++f.g=[1+2]' \\")
        );
        assert_eq!(overriding("  a.b=1 \\"), None);
    }

    #[test]
    fn new_settings_stand_beside_others() {
        let new = edit("a.c", Some("x y"));
        let shown = |line, continued| match beside(line, "a.b", &new, continued) {
            Some(Beside::Line(line)) => format!("above: {line}"),
            Some(Beside::Same(line)) => line,
            None => String::new(),
        };
        assert_eq!(shown("    a.b=1 \\", true), "above:     a.c='x y' \\");
        assert_eq!(shown("  a.b=1", false), "above:   a.c='x y'");
        assert_eq!(shown("python3 -m x a.b=1 a.d=2", false), "python3 -m x a.b=1 a.c='x y' a.d=2");
    }
}
