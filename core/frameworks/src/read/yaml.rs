//! YAML as configuration files write it: nested maps, lists, scalars, texts over several lines, anchors and what stands for
//! them, comments. A subset on purpose: tags of types and several documents are refused by their line, and aliases are few, as with
//! many a small text unfolds into a huge one.
//!
//! What is no YAML at all is refused before (`loads.rs`, by a parser that is kept for that). The settings are made here, as they have
//! what no parser keeps: lists and braces as they are written, the line of each, what stands in `${…}`.

use std::collections::{BTreeMap, BTreeSet};

use super::report::Trouble;
use super::settings::Setting;
use super::value;

/// Deepest nesting.
const DEEPEST: usize = 24;
/// Most keys.
const MOST_KEYS: usize = 20_000;
/// Most aliases.
const MOST_ALIASES: usize = 64;
/// Longest value that lines below a key go on with.
const LONGEST: usize = 4096;

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
        // What stands above a document: where it begins, and `%YAML`.
        let begins = reader.is_empty() && (content == "---" || line.starts_with('%'));
        if !(content.is_empty() || begins) {
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
    /// The key or item on the line before: how deep it stands. What stands deeper goes on with its value.
    last: Option<usize>,
    /// A text that goes on as long as lines are deeper than this.
    text: Option<usize>,
    /// Paths that have a name: `policy: &BASE`.
    anchors: BTreeMap<String, String>,
    aliases: usize,
    /// Whether the document is over.
    ended: bool,
}

impl Reader {
    fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.open.is_empty()
    }

    fn line(&mut self, content: &str, indent: usize, number: u32) -> Result<(), Trouble> {
        let refuse = |what: &str| Err(Trouble::new(number, what));
        if self.text.is_some_and(|depth| indent > depth) {
            self.goes_on(content);
            return Ok(());
        }
        self.text = None;
        if content == "..." {
            self.ended = true;
            return Ok(());
        }
        if content == "---" || self.ended {
            return refuse("A second document begins here. Paste one document.");
        }
        if content.starts_with('\t') {
            return refuse("A tab indents this line, which YAML forbids. Indent by spaces.");
        }
        // A list's dash may stand as deep as its key; any other line closes what is as deep.
        let item = content == "-" || content.starts_with("- ");
        // A list in brackets, or a text without quotes, that the line before began.
        let begun = self
            .settings
            .last()
            .is_some_and(|last| last.value.starts_with('[') && !last.value.ends_with(']'));
        let deeper = self.last.is_some_and(|depth| indent > depth);
        if self.last.is_some() && (begun || deeper && !item && split_key(content).is_none()) {
            self.goes_on(content);
            return Ok(());
        }
        self.last = None;
        let closes = |depth: usize| if item { depth > indent } else { depth >= indent };
        while self.open.last().is_some_and(|(depth, _)| closes(*depth)) {
            self.open.pop();
        }
        if self.settings.len() >= MOST_KEYS {
            return refuse("The file has more than 20,000 keys. Paste the part that trains.");
        }
        if item {
            self.last = Some(indent);
            return self.item(content.trim_start_matches('-').trim(), number);
        }
        self.key(content, indent, number)
    }

    /// A key with its value, its anchor, or what stands below it.
    fn key(&mut self, content: &str, indent: usize, number: u32) -> Result<(), Trouble> {
        let refuse = |what: &str| Err(Trouble::new(number, what));
        let Some((key, value)) = split_key(content) else {
            return refuse("This is no `key: value`. Write one key on each line.");
        };
        let key = value::unquoted(key);
        let path = match self.path() {
            path if path.is_empty() => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        let (anchor, value) = anchored(untagged(value));
        if let Some(name) = anchor {
            self.anchors.insert(name.to_owned(), path.clone());
        }
        if let Some(name) = value.strip_prefix('*') {
            let onto = if key == "<<" { self.path() } else { path };
            return self.alias(name.trim(), &onto, number);
        }
        check(key, value, number)?;
        if value.is_empty() {
            if self.open.len() >= DEEPEST {
                return refuse("Keys are nested more than 24 deep. Paste the part that trains.");
            }
            self.open.push((indent, key.to_owned()));
            return Ok(());
        }
        if value.starts_with(['|', '>']) {
            self.text = Some(indent);
            self.state(path, "", number);
            return Ok(());
        }
        self.last = Some(indent);
        if let Some(inner) = value.strip_prefix('{') {
            return self.flow(&path, inner, number);
        }
        self.state(path, value::unquoted(value), number);
        Ok(())
    }

    /// A line that goes on with the value before it.
    fn goes_on(&mut self, content: &str) {
        if let Some(last) = self
            .settings
            .last_mut()
            .filter(|last| last.value.len() + content.len() < LONGEST)
        {
            if !last.value.is_empty() {
                last.value.push(' ');
            }
            last.value.push_str(content);
        }
    }

    /// What an anchor names, once more at `onto`; what is stated there holds against it.
    fn alias(&mut self, name: &str, onto: &str, number: u32) -> Result<(), Trouble> {
        self.aliases += 1;
        let Some(from) = self.anchors.get(name).filter(|_| self.aliases <= MOST_ALIASES) else {
            let what = format!(
                "YAML's alias *{name} is not read: no anchor of that name stands before it, or there are more than {MOST_ALIASES}. Write the value itself."
            );
            return Err(Trouble::new(number, what));
        };
        let own: BTreeSet<&str> = self.settings.iter().map(|one| one.key.as_str()).collect();
        let mut copies = Vec::new();
        for one in &self.settings {
            let Some(rest) = one
                .key
                .strip_prefix(from.as_str())
                .filter(|rest| rest.is_empty() || rest.starts_with('.'))
            else {
                continue;
            };
            let key = format!("{onto}{rest}");
            if !own.contains(key.as_str()) {
                copies.push(Setting { written: key.clone(), key, line: number, ..one.clone() });
            }
        }
        if self.settings.len() + copies.len() > MOST_KEYS {
            return Err(Trouble::new(number, "The file has more than 20,000 keys. Paste the part that trains."));
        }
        self.settings.append(&mut copies);
        Ok(())
    }

    /// The items of a list are one value; its length is bounded by the text's.
    fn item(&mut self, entry: &str, number: u32) -> Result<(), Trouble> {
        let entry = untagged(entry);
        check("", entry, number)?;
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

/// The name that an anchor gives a value, and the value.
fn anchored(value: &str) -> (Option<&str>, &str) {
    match value.strip_prefix('&') {
        Some(rest) => {
            let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
            (Some(name), value.trim())
        }
        None => (None, value),
    }
}

/// The value without a tag that says no more than how it is written: `!!float 1e-5`.
fn untagged(value: &str) -> &str {
    let plain = ["str", "int", "float", "bool", "null"];
    let rest = value.strip_prefix("!!").and_then(|tagged| tagged.split_once(' '));
    rest.filter(|(tag, _)| plain.contains(tag))
        .map_or(value, |(_, value)| value.trim())
}

/// Refuses what is not read.
fn check(key: &str, value: &str, line: u32) -> Result<(), Trouble> {
    let what = match value.bytes().next() {
        Some(b'!') => "a tag",
        _ if key == "<<" => "a map that is merged without an alias",
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
    fn anchors_and_long_texts() {
        let text = "base: &b\n  x: 1\n  in: &c {y: 2}\ntop:\n  <<: *b\n  x: 3\nlist: [1,\n  2]\ntext: |\n  one: a\n   two\nlong: ${sel:a,\n  null}\ncopy: *c\nend: 1\n";
        let found: Vec<(String, String)> =
            read(text).unwrap_or_default().into_iter().map(|s| (s.key, s.value)).collect();
        let expected = [
            ("base.x", "1"),
            ("base.in.y", "2"),
            ("top.x", "1"),
            ("top.in.y", "2"),
            ("top.x", "3"),
            ("list", "[1, 2]"),
            ("text", "one: a two"),
            ("long", "${sel:a, null}"),
            ("copy.y", "2"),
            ("end", "1"),
        ];
        let expected: Vec<_> = expected.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        assert_eq!(found, expected);
        let many = format!("a: &a 1\n{}", "b: *a\n".repeat(65));
        assert_eq!(read(&many).map_err(|trouble| trouble.line), Err(66));
    }

    #[test]
    fn what_stands_around_a_document_is_no_key() {
        for text in ["# c\n---\na: !!float 1e-5\n...\n", "%YAML 1.1\n--- # c\na: !!str 1e-5\n", "a: 1e-5\n...\n\n# c\n"]
        {
            let found = read(text).map(|own| own.into_iter().map(|one| (one.key, one.value)).collect::<Vec<_>>());
            assert_eq!(found, Ok(vec![("a".to_owned(), "1e-5".to_owned())]), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_read_is_refused_by_line() {
        for (text, line) in [
            ("a: 1\n...\nb: 2\n", 3),
            ("a: 1\nb: *x\n", 2),
            ("<<: {a: 1}\n", 1),
            ("a: 1\n---\nb: 2\n", 2),
            ("a: !tag 1\n", 1),
            ("a:\n\tb: 1\n", 2),
            ("a: 1\nnothing\n", 2),
        ] {
            assert_eq!(read(text).map_err(|trouble| trouble.line), Err(line), "{text:?}");
        }
    }
}
