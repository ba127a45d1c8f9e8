//! TOML as configuration files write it: tables, dotted keys, strings, numbers, arrays, tables on one line, comments. A subset on
//! purpose, as of YAML: what is not read is refused by its line.
//!
//! What is no TOML at all is refused before (`loads.rs`, by the crate that build scripts read the catalogs with). The settings are made
//! here, as values are asked for as they are written.

use super::report::Trouble;
use super::settings::Setting;
use super::value;

/// Most keys.
const MOST_KEYS: usize = 20_000;
/// Longest value.
const LONGEST: usize = 4096;

/// Whether a text is TOML rather than shell or YAML: its first line that says something opens a table, or is a dotted key with
/// blanks around its equals sign, which bash takes for a command.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = lines.next() else {
        return false;
    };
    let dotted = || pair(first).is_some_and(|(key, value)| key.contains('.') && is_value(value));
    header(first).is_some() || (first.contains(" = ") && dotted())
}

/// Every leaf under its dotted key.
///
/// # Errors
/// Names the line and what of TOML is not read.
pub(super) fn read(text: &str) -> Result<Vec<Setting>, Trouble> {
    let mut settings: Vec<Setting> = Vec::new();
    let mut table = String::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let refuse = |what: &str| Err(Trouble::new(number, what));
        let content = uncommented(line).trim();
        if content.is_empty() {
            continue;
        }
        if let Some(name) = header(content) {
            table = name;
            continue;
        }
        let Some((key, value)) = pair(content) else {
            return refuse("This is no `key = value` of TOML. Write one key on each line.");
        };
        let key = if table.is_empty() { key } else { format!("{table}.{key}") };
        if key.len() > LONGEST || settings.len() >= MOST_KEYS {
            return refuse("The file has more than 20,000 keys. Paste the part that trains.");
        }
        let mut value = value.to_owned();
        // An array, or a text, that goes on over the lines below.
        let text = ["\"\"\"", "'''"].into_iter().find(|mark| value.starts_with(mark));
        let mut brackets = Brackets::default();
        let mut open = match text {
            Some(mark) => value.matches(mark).count() < 2,
            None => value.starts_with('[') && brackets.left_open(&value),
        };
        while open {
            let Some((more, _)) = lines.next() else {
                return refuse("What begins on this line never ends. Close its bracket or its quotes.");
            };
            let more = if text.is_some() { more } else { uncommented(more).trim() };
            open = text.map_or_else(|| brackets.left_open(more), |mark| !more.contains(mark));
            if value.len() + more.len() < LONGEST {
                value.push(' ');
                value.push_str(more);
            }
        }
        if let Some(inner) = value.strip_prefix('{').and_then(|inner| inner.trim_end().strip_suffix('}')) {
            for entry in inner.split(',').filter(|entry| !entry.trim().is_empty()) {
                let plain = pair(entry.trim()).filter(|(_, value)| !value.starts_with(['{', '[']));
                let Some((name, value)) = plain else {
                    return refuse(
                        "A table on one line holds more than keys with plain values. Write its keys below one another.",
                    );
                };
                settings.push(setting(format!("{key}.{name}"), value, number));
            }
            continue;
        }
        settings.push(setting(key, &value, number));
    }
    Ok(settings)
}

fn setting(key: String, value: &str, line: u32) -> Setting {
    let plain = value.trim_matches('"').trim_matches('\'');
    let value = if value.starts_with("\"\"\"") || value.starts_with("'''") { plain } else { value::unquoted(value) };
    Setting { written: key.clone(), key, value: value.to_owned(), line, open: None }
}

/// The dotted name of a table that a line opens, one of an array of tables included.
fn header(line: &str) -> Option<String> {
    let line = uncommented(line).trim();
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let inner = inner
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(inner);
    name(inner)
}

/// A dotted key without blanks and quotes.
fn name(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('.').map(|part| value::unquoted(part.trim())).collect();
    let plain =
        |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    parts.iter().all(plain).then(|| parts.join("."))
}

/// Key and value of a line.
fn pair(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim();
    (!value.is_empty()).then_some(())?;
    Some((name(key)?, value))
}

/// Whether a text begins like a value of TOML's.
fn is_value(text: &str) -> bool {
    text.starts_with(['"', '\'', '[', '{', '+', '-'])
        || text.starts_with(|c: char| c.is_ascii_digit())
        || text.starts_with("true")
        || text.starts_with("false")
}

/// Brackets of an array, piece by piece.
#[derive(Default)]
struct Brackets {
    depth: u32,
    quote: Option<char>,
}

impl Brackets {
    /// Whether some are open behind a further piece.
    fn left_open(&mut self, piece: &str) -> bool {
        for c in piece.chars() {
            match (self.quote, c) {
                (Some(mark), _) if c == mark => self.quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => self.quote = Some(c),
                (None, '[') => self.depth = self.depth.saturating_add(1),
                (None, ']') => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.depth > 0
    }
}

/// The line without its comment: a `#` outside quotes.
fn uncommented(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(mark), _) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => return line.get(..at).unwrap_or(line),
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{looks_like, read};

    #[test]
    fn tables_and_dotted_keys_become_paths() {
        let text = "# head\n[a.b] # why\nc = 1_000 # one\nd = \"x # y\"\ne=true\nf = [\n  \"g\", # first\n  'h',\n]\n[[i]]\nj = {k = 1, l = 'm'}\ntext = \"\"\"\none\n[no] = 2\"\"\"\nlast.key = 2.5\n";
        let found: Vec<(String, String, u32)> = read(text)
            .unwrap_or_default()
            .into_iter()
            .map(|s| (s.key, s.value, s.line))
            .collect();
        let expected = [
            ("a.b.c", "1_000", 3),
            ("a.b.d", "x # y", 4),
            ("a.b.e", "true", 5),
            ("a.b.f", "[ \"g\", 'h', ]", 6),
            ("i.j.k", "1", 11),
            ("i.j.l", "m", 11),
            ("i.text", " one [no] = 2", 12),
            ("i.last.key", "2.5", 15),
        ];
        let expected: Vec<_> = expected.map(|(k, v, l)| (k.to_owned(), v.to_owned(), l)).into();
        assert_eq!(found, expected);
    }

    #[test]
    fn toml_is_told_from_shell_and_yaml() {
        for text in ["[job]\nx = 1", "# c\n\nmodel.name = \"llama3\"  # why", "[[a.b]]"] {
            assert!(looks_like(text), "{text}");
        }
        for text in ["", "x=1", "[ -f x ] && y", "a.b: 1", "python3 x a.b=1", "x = 1", "a.b = c"] {
            assert!(!looks_like(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_read_is_refused_by_line() {
        for (text, line) in
            [("[a]\nb = 1\nnothing\n", 3), ("a.b = [1,\n2\n", 1), ("a.b = {c = {d = 1}}\n", 1), ("a b = 1", 1)]
        {
            assert_eq!(read(text).map_err(|trouble| trouble.line), Err(line), "{text:?}");
        }
        let deep = format!("a.b = {}", "[".repeat(100_000));
        assert_eq!(read(&deep).map_err(|trouble| trouble.line), Err(1));
    }
}
