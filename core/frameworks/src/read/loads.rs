//! Whether the framework's own loader takes a file of settings: `PyYAML`, alone or below `OmegaConf`, and `tomllib`.
//!
//! Our readers make settings of what such files hold and pass over what they need not know; what is no YAML or no TOML at all is said
//! by parsers that are kept for that. `saphyr-parser` reads YAML 1.2, `PyYAML` 1.1: what the one takes and the other not is
//! said here, and what the other takes besides is given to the parser as it takes it (`indented`). How often they still
//! differ over mutated files: `e2e/frameworks/loaders.py`.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span};

use super::report::{Dialect, Trouble};
use super::shell;

/// Most times that a file is parsed, and most bytes that are parsed in all.
const MOST_PASSES: usize = 64;
const MOST_BYTES: usize = 8 << 20;

/// A key that a map has twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Twice {
    key: String,
    line: u32,
    /// Whether one of its values is a map or a list, of which the other's keys are lost.
    holds: bool,
}

impl Twice {
    /// Moves the key below so many lines: those of the texts before its own.
    pub(super) fn below(&mut self, lines: u32) {
        shell::lower(&mut self.line, lines);
    }
}

/// Refuses a key that stands twice, where the framework's loader does, or loses one whole part without a word.
///
/// `OmegaConf` refuses any (`omegaconf/_utils.py`, `get_yaml_loader`), also below hydra; `yaml.safe_load` takes the last.
///
/// # Errors
/// The line of the second, and the remedy.
pub(super) fn once(twice: &[Twice], framework: Dialect) -> Result<(), Trouble> {
    let strict = matches!(
        framework,
        Dialect::Verl
            | Dialect::Chatlearn
            | Dialect::EasyR1
            | Dialect::NemoRl
            | Dialect::LlamaFactory
            | Dialect::MegatronBridge
    );
    let Some(own) = twice.iter().find(|own| strict || own.holds) else {
        return Ok(());
    };
    let key: String = own.key.chars().take(80).collect();
    let says = if strict {
        format!("The key {key} stands twice in one map, which OmegaConf refuses as it loads the file. Leave one.")
    } else {
        format!(
            "The key {key} stands twice in one map: the loader takes the last, and all that stands below the first is lost. Join them."
        )
    };
    Err(Trouble::new(own.line, says))
}

/// Refuses what `tomllib` refuses.
///
/// # Errors
/// The line, and the remedy.
pub(super) fn toml(text: &str) -> Result<(), Trouble> {
    let Err(error) = toml::de::DeTable::parse(text) else {
        return Ok(());
    };
    let at = error.span().map_or(0, |span| span.start);
    let above = text.bytes().take(at).filter(|byte| *byte == b'\n').count();
    let says = format!(
        "This is not TOML ({}), so that the framework's loader refuses the file. Mend this line.",
        error.message()
    );
    Err(Trouble::new(number(above + 1), says))
}

/// Refuses what `PyYAML` refuses; else the keys that stand twice in their maps.
///
/// # Errors
/// The line, and the remedy.
pub(super) fn yaml(text: &str) -> Result<Vec<Twice>, Trouble> {
    characters(text)?;
    let mut text = std::borrow::Cow::Borrowed(text);
    for _ in 0..(MOST_BYTES / text.len().max(1)).clamp(1, MOST_PASSES) {
        let mut file = File::default();
        match file.parse(&text) {
            Ok(()) => {
                file.tabs(&text)?;
                return Ok(file.twice);
            }
            Err(Stop::Trouble(trouble)) => return Err(trouble),
            Err(Stop::Parser(error)) => match indented(&text, &error) {
                Some(mended) => text = mended.into(),
                None => return Err(file.refused(&text, &error)),
            },
        }
    }
    Ok(Vec::new())
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// Refuses what no stream of YAML may hold (`yaml/reader.py`, `NON_PRINTABLE`).
fn characters(text: &str) -> Result<(), Trouble> {
    let allowed = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{85}');
    for (line, at) in text.lines().zip(1..) {
        if let Some(odd) = line.chars().find(|c| !allowed(*c) || matches!(c, '\u{fffe}' | '\u{ffff}')) {
            let code = format!("U+{:04X}", u32::from(odd));
            let says = format!("The character {code} stands here, which no YAML may hold. Delete it.");
            return Err(Trouble::new(at, says));
        }
    }
    Ok(())
}

/// Why a file is not taken.
enum Stop {
    Parser(ScanError),
    Trouble(Trouble),
}

/// A collection that is open.
struct Open {
    /// Line of its bracket, and the bracket; nothing where it has none.
    bracket: Option<(u32, char)>,
    /// Keys of a map, each with its line and whether it holds a collection.
    keys: Option<BTreeMap<String, bool>>,
    /// The key whose value comes next.
    key: Option<(String, u32)>,
}

#[derive(Default)]
struct File {
    open: Vec<Open>,
    twice: Vec<Twice>,
    /// Where scalars stand that may hold tabs, in characters.
    texts: Vec<(usize, usize)>,
}

impl File {
    fn parse(&mut self, text: &str) -> Result<(), Stop> {
        // Brackets are told by their characters; events come in the order of the text.
        let mut characters = text.chars().enumerate();
        let mut at = |mark: &Marker| characters.find(|(at, _)| *at == mark.index()).map(|(_, c)| c);
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(Stop::Parser)?;
            match event {
                Event::Scalar(value, style, ..) => {
                    if matches!(style, ScalarStyle::Plain) {
                        self.scalar(&value, &span)?;
                    } else {
                        self.texts.push((span.start.index(), span.end.index()));
                        self.node(Some(&value), false, &span)?;
                    }
                }
                Event::Alias(_) => self.node(None, false, &span)?,
                Event::MappingStart(..) | Event::SequenceStart(..) => {
                    self.node(None, true, &span)?;
                    let bracket = at(&span.start).filter(|c| matches!(c, '[' | '{'));
                    self.open.push(Open {
                        bracket: bracket.map(|bracket| (number(span.start.line()), bracket)),
                        keys: matches!(event, Event::MappingStart(..)).then(BTreeMap::new),
                        key: None,
                    });
                }
                Event::MappingEnd | Event::SequenceEnd => {
                    self.open.pop();
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A scalar without quotes.
    fn scalar(&mut self, value: &str, span: &Span) -> Result<(), Stop> {
        let is_key = self.open.last().is_some_and(|own| own.keys.is_some() && own.key.is_none());
        if is_key && value.is_empty() {
            let says = "A colon stands here without a key before it. Write the key, or put the text into quotes.";
            return Err(Stop::Trouble(Trouble::new(number(span.start.line()), says)));
        }
        self.node(Some(value), false, span)
    }

    /// Whatever stands where a key, a value or an item does.
    fn node(&mut self, value: Option<&str>, collection: bool, span: &Span) -> Result<(), Stop> {
        let line = number(span.start.line());
        let Some(Open { keys: Some(keys), key, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        if let Some((own, line)) = key.take() {
            let before = keys.insert(own.clone(), collection);
            // Keys of aliases have no name here, and maps are merged as often as one likes.
            if let Some(held) = before.filter(|_| !matches!(own.as_str(), "" | "<<")) {
                self.twice.push(Twice { key: own, line, holds: held || collection });
            }
            return Ok(());
        }
        if collection {
            let says = "A map or a list stands where a key does, as double braces without quotes are read. Put the text into quotes.";
            return Err(Stop::Trouble(Trouble::new(line, says)));
        }
        *key = Some((value.unwrap_or_default().to_owned(), line));
        Ok(())
    }

    /// Refuses tabs that are neither in a text nor in a comment: `PyYAML` skips blanks alone between what it reads.
    fn tabs(&self, text: &str) -> Result<(), Trouble> {
        let mut texts = self.texts.iter().peekable();
        let (mut line, mut before, mut comment) = (1usize, '\n', false);
        for (at, c) in text.chars().enumerate() {
            while texts.peek().is_some_and(|(_, end)| *end <= at) {
                texts.next();
            }
            let within = texts.peek().is_some_and(|(start, _)| *start <= at);
            match c {
                '\n' => (line, comment) = (line + 1, false),
                '#' if !within && before.is_whitespace() => comment = true,
                '\t' if !within && !comment => return Err(tab(line, before == '\n')),
                _ => {}
            }
            before = c;
        }
        Ok(())
    }

    /// Why the parser refuses a file.
    fn refused(&self, text: &str, error: &ScanError) -> Trouble {
        let (line, info) = (error.marker().line(), error.info());
        let own = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        if own.trim_start_matches(' ').starts_with('\t') || info.contains("tab") {
            return tab(line, own.trim_start_matches(' ').starts_with('\t'));
        }
        let at = number(line);
        if info.contains("quoted scalar") && info.contains("end of stream") {
            return Trouble::new(at, "A quote opens here that nothing closes. Close it.");
        }
        if let Some((opened, bracket)) = self.open.iter().rev().find_map(|own| own.bracket) {
            let says = format!(
                "What the bracket {bracket} opens here is broken on line {at} ({info}), so that the framework's loader refuses the file. Close the bracket, or put a comma between its items."
            );
            return Trouble::new(opened, says);
        }
        if info.contains("mapping values are not allowed") {
            let says = "A key stands here where none may: behind a value, or below one. Put a text that holds a colon and a blank into quotes, or indent the line as those beside it.";
            return Trouble::new(at, says);
        }
        if info.contains("unknown") && info.ends_with("anchor") {
            return Trouble::new(
                at,
                "This alias is not read: no anchor of its name stands above. Write the value itself.",
            );
        }
        let says = format!(
            "This is not YAML ({info}), so that the framework's loader refuses the file. Mend this line, or the one above it."
        );
        Trouble::new(at, says)
    }
}

fn tab(line: usize, indents: bool) -> Trouble {
    let says = if indents {
        "A tab indents this line, which YAML forbids. Indent by spaces."
    } else {
        "A tab stands outside of quotes here, which PyYAML refuses. Write a space."
    };
    Trouble::new(number(line), says)
}

/// The text with a line in brackets, or those of a text in quotes, as deep as YAML 1.2 asks for: `PyYAML` takes them at any depth.
fn indented(text: &str, error: &ScanError) -> Option<String> {
    let deepest = text.lines().map(|line| line.len() - line.trim_start_matches(' ').len()).max()?;
    let blanks = " ".repeat(deepest.min(256) + 1);
    if error.info() == "invalid indentation in quoted scalar" {
        let start = text.char_indices().nth(error.marker().index())?.0;
        let quote = text.get(start..)?.chars().next()?;
        let mut escaped = false;
        let length = text.get(start + 1..)?.find(|c: char| {
            let ends = c == quote && !escaped;
            escaped = quote == '"' && c == '\\' && !escaped;
            ends
        })?;
        let (head, rest) = text.split_at_checked(start)?;
        let (inside, behind) = rest.split_at_checked(length + 1)?;
        // Already as deep as can be, and still refused: nothing to mend.
        let mended = inside.replace('\n', &format!("\n{blanks}"));
        return (mended.len() > inside.len()).then(|| format!("{head}{mended}{behind}"));
    }
    if !matches!(error.info(), "invalid indentation" | "invalid indentation in flow construct") {
        return None;
    }
    let line = error.marker().line().checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let (head, rest) = text.split_at_checked(start)?;
    Some(format!("{head}{blanks}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::{Dialect, once, toml, yaml};

    /// What `PyYAML` 6.0.3 says of each (`yaml.safe_load`).
    #[test]
    fn what_the_loader_takes_is_taken() {
        for text in [
            "a: &x {b: [1, 2]}\nc: *x\n",
            "a:\n  b: {\n  c: 1,\n  d: 2\n  }\n",
            "a:\n  b: [\n1,\n2\n]\nc: 1\n",
            "a: 'x\n  y'\nb: \"x\n\ny \\\" z\"\n",
            "a: |\n  \tx: [\n  y\nb: >-\n  \"z\n",
            "a: \"\t\" # \t[\n#\tb\nc: http://x:80/y\n",
            "a: ${oc.env:X,1}\nb: ${x.y}\nc: a:b\n",
            "%YAML 1.1\n---\na: !!str 1\n...\n",
            "a: it's\nb: x#y\n? c\n: d\n",
            "a:\n- b: 1\n  c: 2\n- d\n",
            "base: &b\n  x: 1\na:\n  <<: *b\n  x: 2\n",
            "",
        ] {
            assert_eq!(yaml(text), Ok(Vec::new()), "{text:?}");
        }
    }

    #[test]
    fn what_the_loader_refuses_is_refused_by_line() {
        for (text, line) in [
            ("a: 1\nb: 'x\nc: 2\n", 2),
            ("a: 1\nb: \"x\nc: 2\n", 2),
            ("a: 1\nb: [1, 2\nc: 2\n", 2),
            ("a: 1\nb: {c: 1\nd: 2\n", 2),
            ("a: 1]\nb: [1]]\n", 2),
            ("a: 1\n  b: 2\n", 2),
            ("a:\n  b: 1\n c: 2\n", 3),
            ("a: b: c\n", 1),
            ("a:\n\tb: 1\n", 2),
            ("a: 1\t\nb: 2\n", 1),
            ("a:\n  - 1\n  b: 2\n", 3),
            ("a: {{ x }}\n", 1),
            ("a: 1\n: 2\n", 2),
            ("a: *b\n", 1),
            ("a: @b\n", 1),
            ("a: \"\\q\"\n", 1),
            ("a: 1\nb: \u{7}\n", 2),
        ] {
            assert_eq!(yaml(text).map_err(|trouble| trouble.line), Err(line), "{text:?}");
        }
    }

    #[test]
    fn a_key_stands_once() {
        let twice = |text: &str, framework| yaml(text).and_then(|own| once(&own, framework)).map_err(|own| own.line);
        let (scalar, part) = ("a: 1\nb: 2\na: 3\n", "a:\n  b: 1\nc: 2\na:\n  d: 1\n");
        assert_eq!(twice(scalar, Dialect::NemoRl), Err(3));
        assert_eq!(twice(scalar, Dialect::Axolotl), Ok(()));
        assert_eq!(twice(part, Dialect::LlamaFactory), Err(4));
        assert_eq!(twice(part, Dialect::Axolotl), Err(4));
        assert_eq!(twice("a:\n  b: 1\nc:\n  b: 1\n", Dialect::NemoRl), Ok(()));
    }

    #[test]
    fn toml_is_told_as_tomllib_does() {
        for text in ["[a]\nb = 1\n[[c]]\nd = 1979-05-27\n", "a.b = [1,\n2]\n'x y' = \"\"\"\n\"\"\"\n", ""] {
            assert_eq!(toml(text), Ok(()), "{text:?}");
        }
        for (text, line) in [
            ("[a]\nb = \"x\nc = 1\n", 2),
            ("[a]\nb = 1\nb = 2\n", 3),
            ("[a]\nb = 1\n[a]\nc = 1\n", 3),
            ("[a\nb = 1\n", 1),
            ("[a]\nb = true1\n", 2),
            ("[a]\nb = 01\n", 2),
            ("[a]\nb = \n", 2),
        ] {
            assert_eq!(toml(text).map_err(|trouble| trouble.line), Err(line), "{text:?}");
        }
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        let most = 1 << 17;
        for text in [
            "a: [\n".to_owned() + &"1,\n".repeat(most / 3),
            "[".repeat(most),
            "a: '".to_owned() + &"\nb".repeat(most / 2),
            "x:\n  a: [\n1]\n".repeat(most / 16),
            "- ".repeat(most / 2),
            "a: 1\n".repeat(most / 5),
        ] {
            let started = std::time::Instant::now();
            let _ = yaml(&text);
            assert!(started.elapsed().as_secs() < 20, "{}", text.chars().take(20).collect::<String>());
        }
    }
}
