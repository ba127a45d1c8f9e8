//! What the core says, in other languages than English: finished English sentences are looked up in tables.
//!
//! The core itself speaks English. What its sentences are in another language stands in a folder of `words/`, which
//! `build.rs` compiles; `cargo xtask words` names a sentence that has none. So the page's first program, which only makes
//! sentences, carries no other language: the worker and the command line, which take a [`Words`], do.

mod comments;
mod english;
mod methods;
mod spaces;

use english::words;
use shardwise_catalog::ordered;
use shardwise_question::wire::Language;

pub use methods::{Formula, Method, explanation, said, title};
pub use spaces::unbroken;

/// A language: its sentences, and what they stand between. The build makes one of each folder in `words/`.
#[derive(Debug)]
pub struct Words {
    /// Its tag: `zh`.
    pub tag: &'static str,
    /// What ends a sentence whose full stop is the next piece's.
    pub stop: &'static str,
    /// What stands between names.
    pub names: &'static str,
    /// What stands between parts, for what the English has there.
    pub joins: &'static [(&'static str, &'static str)],
    /// Whether its characters are wide, and stand apart from Latin ones by a space.
    pub wide: bool,
    /// Its punctuation marks, which bring their own space.
    pub marks: &'static str,
    /// English words that stay, sorted.
    pub technical: &'static [&'static str],
    /// Sentences without values, and what each is in this language; sorted.
    pub whole: &'static [(&'static str, &'static str)],
    /// Sentences with values that begin with a word, by their first byte.
    pub starts: &'static [Template],
    /// Sentences with values that begin with one.
    pub gaps: &'static [Template],
    /// What formulas are called and say, by id.
    pub methods: &'static [Method],
}

/// A sentence with values, and what it is in another language.
#[derive(Debug)]
pub struct Template {
    /// What stands between the values.
    pub english: &'static [&'static str],
    /// `{0}`, `{1}`: the values, in the order of the English. `{=0}`: a value that stays as it is, as it names something.
    pub said: &'static str,
    /// Whether it goes on from a sentence: the first value is what is before it.
    pub tail: bool,
}

/// Every language but English.
static ALL: &[Words] = include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// The words of a language; English needs none.
///
/// ```
/// use shardwise_core::{wire::Language, words};
/// assert_eq!(words::of(Language::Zh).unwrap().tag, "zh");
/// assert!(words::of(Language::En).is_none());
/// ```
#[must_use]
pub fn of(language: Language) -> Option<&'static Words> {
    ALL.iter().find(|words| words.tag == language.tag())
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

/// Longest text that is looked at, in bytes; a sentence of the core is far shorter.
const LONGEST: usize = 16 << 10;

/// How deep values lie in values.
const DEEPEST: u32 = 6;

/// How many parts of one text are looked up. Whoever writes a text to be read chooses words of it.
const LOOKS: u32 = 600;

impl Words {
    /// An English text of the core in this language: a sentence, several, or the few words of a reason. Names, keys,
    /// numbers and code stay. `None` where nothing of it is known.
    ///
    /// ```
    /// use shardwise_core::{wire::Language, words};
    /// let chinese = words::of(Language::Zh).unwrap();
    /// assert_eq!(chinese.say("This model has no experts. Give 1.").unwrap(), "此模型没有专家。请填 1。");
    /// assert_eq!(chinese.say("8192"), None);
    /// ```
    #[must_use]
    pub fn say(&self, english: &str) -> Option<String> {
        if english.len() > LONGEST {
            return None;
        }
        let said = self.reader().say(english, DEEPEST);
        (said.text != english).then(|| spaces::apart(self, &said.text))
    }

    /// How many words of ordinary English [`Words::say`] leaves in a text. It does not count names that the text repeats,
    /// nor what people in the field say in English.
    #[must_use]
    pub fn left(&self, english: &str) -> usize {
        self.reader().say(english, DEEPEST).left
    }

    fn reader(&self) -> Reader<'_> {
        Reader { words: self, looks: LOOKS }
    }
}

/// A text in another language, as far as it could be said.
struct Said {
    text: String,
    /// English words that are left.
    left: usize,
}

impl Said {
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

struct Reader<'a> {
    words: &'a Words,
    /// How many parts may still be looked up.
    looks: u32,
}

impl Reader<'_> {
    fn as_is(&self, text: &str) -> Said {
        let technical = |word: &&str| self.words.technical.binary_search(word).is_ok();
        Said { text: text.to_owned(), left: words(text).filter(|word| !technical(word)).count() }
    }

    /// A name, or several.
    fn name(&self, text: &str) -> Said {
        let several = text.split(", ").all(|name| !name.contains(' '));
        Said { text: if several { text.replace(", ", self.words.names) } else { text.to_owned() }, left: 0 }
    }

    fn say(&mut self, text: &str, depth: u32) -> Said {
        let as_is = self.as_is(text);
        let Some(looks) = self.looks.checked_sub(1).filter(|_| depth > 0) else {
            return as_is;
        };
        self.looks = looks;
        if !text.bytes().any(|b| b.is_ascii_alphabetic()) {
            return self.name(text);
        }
        if text.len() > 1 && text.starts_with('"') && text.ends_with('"') {
            return self.name(text);
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
            return if depth < DEEPEST { self.name(text) } else { as_is };
        }
        self.parts(text, depth).unwrap_or(as_is)
    }

    /// As it is in the table, else by the template that leaves the fewest English words in its values; of equals by the longest.
    fn whole(&mut self, text: &str, depth: u32) -> Option<Said> {
        if let Ok(place) = self.words.whole.binary_search_by_key(&text, |(english, _)| english) {
            let (_, said) = self.words.whole.get(place)?;
            return Some(Said { text: (*said).to_owned(), left: 0 });
        }
        let first = text.bytes().next();
        let from = self.words.starts.partition_point(|template| template.first() < first);
        let until = self.words.starts.partition_point(|template| template.first() <= first);
        let starts = self.words.starts.get(from..until).unwrap_or_default();
        let mut found: Vec<_> = starts
            .iter()
            .chain(self.words.gaps)
            .filter_map(|template| Some((template, template.values(text)?)))
            .collect();
        ordered::sort(&mut found, &|(a, _), (b, _)| b.length().cmp(&a.length()));
        let mut best: Option<Said> = None;
        for (template, values) in found {
            let said = self.filled(template.said, &values, depth - 1);
            if said.kept_whole_in(&mut best) {
                break;
            }
        }
        best
    }

    fn filled(&mut self, said: &str, values: &[&str], depth: u32) -> Said {
        let (mut text, mut left) = (String::new(), 0);
        let mut rest = said;
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
            let value = if kept { self.name(value) } else { self.say(value, depth) };
            text += &value.text;
            left += value.left;
            rest = behind;
        }
        Said { text: text + rest, left }
    }

    /// Sentence by sentence, or part by part of a list.
    fn parts(&mut self, text: &str, depth: u32) -> Option<Said> {
        let words = self.words;
        let sentences = text.rmatch_indices(". ").flat_map(|(at, _)| {
            // A sentence of several pieces may have its full stop from elsewhere.
            [(at + 1, at + 2, if words.wide { "" } else { " " }), (at, at + 2, words.stop)]
        });
        let lists = words.joins.iter().filter_map(|(mark, other)| {
            let at = text.find(mark)?;
            Some((at, at + mark.len(), *other))
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
