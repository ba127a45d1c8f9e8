//! What the core says, in Chinese: finished English sentences are looked up in tables.
//!
//! The core itself speaks English. Its sentences stand beside their Chinese in `chinese/*.toml`; `build.rs` compiles these
//! and fails on a sentence that has none. So the page's first program, which only makes sentences, carries no Chinese:
//! the worker and the command line, which call [`chinese`], do.

mod comments;
mod word;

pub use comments::text;

use std::cmp::Reverse;

use word::words;

/// A sentence with values, and its Chinese.
struct Template {
    /// What stands between the values.
    english: &'static [&'static str],
    /// `{0}`, `{1}`: the values, in the order of the English. `{=0}`: a value that stays as it is, as it names something.
    chinese: &'static str,
    /// Whether it goes on from a sentence: the first value is what is before it.
    tail: bool,
}

impl Template {
    /// Bytes that it states.
    fn length(&self) -> usize {
        self.english.iter().map(|part| part.len()).sum()
    }

    /// The byte that it begins with.
    fn first(&self) -> Option<u8> {
        self.english.first()?.bytes().next()
    }

    /// The values of a text that reads like this: what stands where the gaps are. A sentence before it is no value.
    fn values<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let (first, others) = self.english.split_first()?;
        let mut rest = text.strip_prefix(first)?;
        let Some((last, inner)) = others.split_last() else {
            return rest.is_empty().then(Vec::new);
        };
        rest = rest.strip_suffix(last)?;
        let mut found = Vec::new();
        for mark in inner {
            let (value, behind) = rest.split_once(mark)?;
            found.push(value);
            rest = behind;
        }
        found.push(rest);
        let several = |value: &&str| value.contains(". ") || value.contains(": ");
        let swallows = first.is_empty() && !self.tail && found.first().is_some_and(several);
        (!swallows).then_some(found)
    }
}

include!(concat!(env!("OUT_DIR"), "/chinese.rs"));

/// Longest text that is looked at, in bytes; a sentence of the core is far shorter.
const LONGEST: usize = 16 << 10;

/// How deep values lie in values.
const DEEPEST: u32 = 6;

/// How many parts of one text are looked up. Whoever writes a text to be read chooses words of it.
const LOOKS: u32 = 600;

/// The Chinese of an English text of the core: a sentence, several, or the few words of a reason. Names, keys, numbers
/// and code stay. `None` where nothing of it is known.
#[must_use]
pub fn chinese(english: &str) -> Option<String> {
    if english.len() > LONGEST {
        return None;
    }
    let mut reader = Reader { looks: LOOKS };
    let said = reader.say(english, DEEPEST);
    (said.text != english).then(|| spaced(&said.text))
}

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

/// How many words of ordinary English [`chinese`] leaves in a text. It does not count names that the text repeats, nor what
/// people in the field say in English.
#[must_use]
pub fn left(english: &str) -> usize {
    let mut reader = Reader { looks: LOOKS };
    reader.say(english, DEEPEST).left
}

/// A text in Chinese, as far as it could be said.
struct Said {
    text: String,
    /// English words that are left.
    left: usize,
}

impl Said {
    fn as_is(text: &str) -> Self {
        Self { text: text.to_owned(), left: words(text).filter(|word| TECHNICAL.binary_search(word).is_err()).count() }
    }

    /// A name, or several.
    fn name(text: &str) -> Self {
        let several = text.split(", ").all(|name| !name.contains(' '));
        Self { text: if several { text.replace(", ", "、") } else { text.to_owned() }, left: 0 }
    }

    /// The one with fewer English words; the first of equals.
    fn better(self, other: Self) -> Self {
        if other.left < self.left { other } else { self }
    }

    /// Keeps the better of the two in `best`; whether nothing English is left in it, so that none can be better.
    fn kept_whole_in(self, best: &mut Option<Self>) -> bool {
        let kept = match best.take() {
            Some(best) => best.better(self),
            None => self,
        };
        best.insert(kept).left == 0
    }
}

struct Reader {
    /// How many parts may still be looked up.
    looks: u32,
}

impl Reader {
    fn say(&mut self, text: &str, depth: u32) -> Said {
        let as_is = Said::as_is(text);
        let Some(looks) = self.looks.checked_sub(1).filter(|_| depth > 0) else {
            return as_is;
        };
        self.looks = looks;
        if !text.bytes().any(|b| b.is_ascii_alphabetic()) {
            return Said::name(text);
        }
        if text.len() > 1 && text.starts_with('"') && text.ends_with('"') {
            return Said::name(text);
        }
        let whole = self.whole(text, depth);
        if let Some(said) = whole {
            if said.left == 0 {
                return said;
            }
            let parts = self.parts(text, depth);
            return parts.into_iter().fold(said, Said::better);
        }
        if as_is.left == 0 {
            return if depth < DEEPEST { Said::name(text) } else { as_is };
        }
        self.parts(text, depth).unwrap_or(as_is)
    }

    /// By the template that leaves the fewest English words in its values; of equals by the longest.
    fn whole(&mut self, text: &str, depth: u32) -> Option<Said> {
        let first = text.bytes().next();
        let from = STARTS.partition_point(|template| template.first() < first);
        let until = STARTS.partition_point(|template| template.first() <= first);
        let starts = STARTS.get(from..until).unwrap_or_default();
        let mut found: Vec<_> = starts
            .iter()
            .chain(GAPS)
            .filter_map(|template| Some((template, template.values(text)?)))
            .collect();
        found.sort_by_key(|(template, _)| Reverse(template.length()));
        let mut best: Option<Said> = None;
        for (template, values) in found {
            let said = self.filled(template.chinese, &values, depth - 1);
            if said.kept_whole_in(&mut best) {
                break;
            }
        }
        best
    }

    fn filled(&mut self, chinese: &str, values: &[&str], depth: u32) -> Said {
        let (mut text, mut left) = (String::new(), 0);
        let mut rest = chinese;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((number, behind)) = after.split_once('}') else {
                break;
            };
            text += before;
            let (number, kept) = match number.strip_prefix('=') {
                Some(number) => (number, true),
                None => (number, false),
            };
            let value = number.parse().ok().and_then(|n: usize| values.get(n));
            let value = value.copied().unwrap_or_default();
            let value = if kept { Said::name(value) } else { self.say(value, depth) };
            text += &value.text;
            left += value.left;
            rest = behind;
        }
        Said { text: text + rest, left }
    }

    /// Sentence by sentence, or part by part of a list.
    fn parts(&mut self, text: &str, depth: u32) -> Option<Said> {
        let sentences = text.rmatch_indices(". ").flat_map(|(at, _)| {
            // A sentence of several pieces may have its full stop from elsewhere.
            [(at + 1, at + 2, ""), (at, at + 2, "。")]
        });
        let lists = [("; ", "；"), (": ", "："), (", ", "，"), (" and ", "和")];
        let lists = lists.into_iter().filter_map(|(mark, chinese)| {
            let at = text.find(mark)?;
            Some((at, at + mark.len(), chinese))
        });
        let mut best: Option<Said> = None;
        for (end, start, mark) in sentences.chain(lists) {
            if self.looks == 0 {
                break;
            }
            let (Some(one), Some(other)) = (text.get(..end), text.get(start..)) else {
                continue;
            };
            let mut said = self.say(one, depth - 1);
            // A part that is not understood is no part.
            if said.left > 0 {
                continue;
            }
            let other = self.say(other, depth - 1);
            said.text += match mark {
                "" if said.text == one => " ",
                mark => mark,
            };
            said.text += &other.text;
            said.left = other.left;
            if said.kept_whole_in(&mut best) {
                break;
            }
        }
        best
    }
}

/// A space between Chinese and Latin, none between Chinese and Chinese: values come as either.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        let (before, after) = (out.chars().next_back(), chars.peek().copied());
        if c == ' ' {
            let needless = |side: Option<char>| side.is_some_and(mark);
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

/// Punctuation of Chinese, which brings its own space.
fn mark(c: char) -> bool {
    "，。；：、（）“”［］".contains(c)
}

fn latin(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '%' | '$' | '`' | '-')
}
