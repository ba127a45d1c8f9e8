//! YAML as configuration files write it: nested maps, lists, scalars, comments. A subset on purpose:
//! anchors and aliases (with which a small text unfolds into a huge one), tags, several documents and
//! texts over several lines are refused by their line.
//!
//! Why no crate: saphyr-parser, the smallest well-kept one, adds 25 kB of compressed wasm, which is a
//! tenth of the page; a configuration needs none of what it reads beyond this.

use super::report::Trouble;
use super::settings::Setting;
use super::value;

/// Deepest nesting.
const DEEPEST: usize = 24;
/// Most keys.
const MOST_KEYS: usize = 20_000;

/// Whether a text is YAML rather than shell: its first line that says something opens a map.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(|line| strip_comment(line).trim_end())
        .filter(|line| !line.trim().is_empty() && *line != "---" && !line.starts_with('%'));
    let Some(first) = lines.next() else {
        return false;
    };
    split_key(first).is_some_and(|(key, value)| {
        !first.starts_with([' ', '-'])
            && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
            && (!value.is_empty() || lines.next().is_none_or(|next| split_key(next).is_some()))
    })
}

/// Every leaf under its dotted key.
///
/// # Errors
/// Names the line and what of YAML is not read.
pub(super) fn read(text: &str) -> Result<Vec<Setting>, Trouble> {
    let mut reader = Reader::default();
    for (line, number) in text.lines().zip(1..) {
        let line = strip_comment(line).trim_end();
        let content = line.trim_start_matches(' ');
        if !(content.is_empty() || number == 1 && content == "---") {
            reader.line(content, line.len() - content.len(), number)?;
        }
    }
    Ok(reader.settings)
}

#[derive(Default)]
struct Reader {
    settings: Vec<Setting>,
    /// Keys that are open, each with its indentation.
    open: Vec<(usize, String)>,
}

impl Reader {
    fn line(&mut self, content: &str, indent: usize, number: u32) -> Result<(), Trouble> {
        let refuse = |what: &str| Err(Trouble::new(number, what));
        if content == "---" || content == "..." {
            return refuse("A second document begins here. Paste one document.");
        }
        if content.starts_with('\t') {
            return refuse("A tab indents this line, which YAML forbids. Indent by spaces.");
        }
        // A list's dash may stand as deep as its key; any other line closes what is as deep.
        let item = content == "-" || content.starts_with("- ");
        let closes = |depth: usize| if item { depth > indent } else { depth >= indent };
        while self.open.last().is_some_and(|(depth, _)| closes(*depth)) {
            self.open.pop();
        }
        if self.settings.len() >= MOST_KEYS {
            return refuse("The file has more than 20,000 keys. Paste the part that trains.");
        }
        if item {
            return self.item(content.trim_start_matches('-').trim(), number);
        }
        let Some((key, value)) = split_key(content) else {
            return refuse("This is no `key: value`. Write one key on each line.");
        };
        check(value, number)?;
        let key = value::unquoted(key);
        if value.is_empty() {
            if self.open.len() >= DEEPEST {
                return refuse("Keys are nested more than 24 deep. Paste the part that trains.");
            }
            self.open.push((indent, key.to_owned()));
            return Ok(());
        }
        let path = self.path();
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        if let Some(inner) = value.strip_prefix('{') {
            return self.flow(&path, inner, number);
        }
        self.state(path, value::unquoted(value), number);
        Ok(())
    }

    /// The items of a list are one value; its length is bounded by the text's.
    fn item(&mut self, entry: &str, number: u32) -> Result<(), Trouble> {
        check(entry, number)?;
        let path = self.path();
        match self.settings.last_mut().filter(|last| last.key == path) {
            Some(last) if last.value.len() < 4096 => last.value = format!("{},{entry}", last.value),
            Some(_) => {}
            None => self.state(path, entry, number),
        }
        Ok(())
    }

    /// A map on one line: `{a: 1, b: two}`.
    fn flow(&mut self, path: &str, inner: &str, line: u32) -> Result<(), Trouble> {
        let Some(inner) = inner.strip_suffix('}').filter(|inner| !inner.contains(['{', '}'])) else {
            return Err(Trouble::new(
                line,
                "A map in braces goes over several lines or is nested. Write its keys below one another.",
            ));
        };
        for entry in inner.split(',').filter(|entry| !entry.trim().is_empty()) {
            // `{accelerator_type:A10G: 0.001}`: the colon before a space, where there is one.
            let Some((key, value)) = split_key(entry).or_else(|| entry.split_once(':')) else {
                return Err(Trouble::new(line, "This is no `key: value` in the braces. Write one."));
            };
            self.state(format!("{path}.{}", value::unquoted(key)), value::unquoted(value), line);
        }
        Ok(())
    }

    /// The keys that are open.
    fn path(&self) -> String {
        self.open.iter().map(|(_, key)| key.as_str()).collect::<Vec<_>>().join(".")
    }

    fn state(&mut self, key: String, value: &str, line: u32) {
        self.settings
            .push(Setting { written: key.clone(), key, value: value.to_owned(), line, open: None });
    }
}

/// Refuses what is not read.
fn check(value: &str, line: u32) -> Result<(), Trouble> {
    let what = match value.bytes().next() {
        Some(b'&' | b'*') => "an anchor or alias",
        Some(b'!') => "a tag",
        Some(b'|' | b'>') => "a text over several lines",
        _ if value == "<<" || value.starts_with("<<:") => "a merged map",
        Some(b'[') if !value.ends_with(']') => "a list over several lines in brackets",
        _ => return Ok(()),
    };
    Err(Trouble::new(line, format!("YAML's {what} is not read. Write the value itself, on this line.")))
}

/// Key and value at the first colon that ends a key.
fn split_key(line: &str) -> Option<(&str, &str)> {
    let at = line
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| matches!(line.as_bytes().get(at + 1), None | Some(b' ')))?;
    let (key, rest) = line.split_at_checked(at)?;
    (!key.trim().is_empty()).then(|| (key.trim(), rest.get(1..).unwrap_or_default().trim()))
}

/// The line without its comment: a `#` at the start or behind a space, outside quotes.
fn strip_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(mark), _) if c == mark => quote = None,
            (None, '"' | '\'') if matches!(before, ' ' | '[' | ',' | '{') => quote = Some(c),
            (None, '#') if before == ' ' => return line.get(..at).unwrap_or(line),
            _ => {}
        }
        before = c;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{looks_like, read};

    #[test]
    fn nested_keys_become_paths() {
        let text = "a:  # comment\n  b: 1\n  c:\n    - x\n    - 'y'\n  d: [1, 2]\ne: \"t # t\"\nf: {g: 1, h: null}\nk: ${a.b}\n";
        let found: Vec<(String, String, u32)> = read(text)
            .unwrap_or_default()
            .into_iter()
            .map(|s| (s.key, s.value, s.line))
            .collect();
        let expected = [
            ("a.b", "1", 2),
            ("a.c", "x,'y'", 4),
            ("a.d", "[1, 2]", 6),
            ("e", "t # t", 7),
            ("f.g", "1", 8),
            ("f.h", "null", 8),
            ("k", "${a.b}", 9),
        ];
        let expected: Vec<_> = expected.map(|(k, v, l)| (k.to_owned(), v.to_owned(), l)).into();
        assert_eq!(found, expected);
        assert!(looks_like(text) && !looks_like("python3 -m x a=b") && !looks_like(""));
    }

    #[test]
    fn what_is_not_read_is_refused_by_line() {
        for (text, line) in [
            ("a: &x 1\nb: *x\n", 1),
            ("a: 1\nb: *x\n", 2),
            ("a: |\n  t\n", 1),
            ("a: 1\n---\nb: 2\n", 2),
            ("a: !tag 1\n", 1),
            ("a:\n\tb: 1\n", 2),
            ("a: [1,\n 2]\n", 1),
            ("a: 1\nnothing\n", 2),
        ] {
            assert_eq!(read(text).map_err(|trouble| trouble.line), Err(line), "{text:?}");
        }
    }
}
