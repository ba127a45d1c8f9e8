//! Formulas and explanations in other languages than English.

use std::borrow::Cow;

use super::Words;
use crate::methods::{Entry, Explanation, Group, Link, entry};

/// What a formula is called and says in another language, or a group of formulas.
#[derive(Debug)]
pub struct Method {
    /// That of the formula, or of the group.
    pub id: &'static str,
    /// Title.
    pub title: &'static str,
    /// The formula, where it has words.
    pub formula: Option<&'static str>,
    /// What it says; nothing of a group.
    pub text: &'static str,
    /// Its symbols, and what each stands for.
    pub terms: &'static [(&'static str, &'static str)],
}

/// The words of a formula in a language; English where that has none of its own.
#[derive(Debug)]
pub struct Formula {
    /// Title.
    pub title: &'static str,
    /// The formula in Unicode.
    pub formula: &'static str,
    /// What it says; paragraphs are lines.
    pub text: &'static str,
    /// What its symbols stand for, as the entry has them.
    pub meanings: Vec<&'static str>,
    /// What its citations are called, as the entry has them.
    pub citations: Vec<Cow<'static, str>>,
}

impl Formula {
    /// Those of `entry`; the English ones without `words`.
    #[must_use]
    pub fn of(entry: &Entry, words: Option<&Words>) -> Self {
        let own = words.and_then(|words| words.method(entry.id));
        let meaning = |symbol: &str| {
            own?.terms
                .iter()
                .find(|(named, _)| *named == symbol)
                .map(|(_, meaning)| *meaning)
        };
        let citation = |name: &'static str| words.map_or(name.into(), |words| words.citation(name).into());
        Self {
            title: own.map_or(entry.title, |own| own.title),
            formula: own.and_then(|own| own.formula).unwrap_or(entry.formula),
            text: own.map_or(entry.text, |own| own.text),
            meanings: entry
                .terms
                .iter()
                .map(|term| meaning(term.symbol).unwrap_or(term.meaning))
                .collect(),
            citations: entry.citations.iter().map(|own| citation(own.name)).collect(),
        }
    }
}

/// The title of a group of formulas.
#[must_use]
pub fn title(group: &Group, words: Option<&Words>) -> &'static str {
    let own = words.and_then(|words| words.method(group.id));
    own.map_or(group.title, |own| own.title)
}

/// An explanation, which the core makes in English, in a language. Formulas and numbers stay.
#[must_use]
pub fn explanation(own: Explanation, words: Option<&Words>) -> Explanation {
    match words {
        Some(words) => words.explanation(own),
        None => own,
    }
}

/// An English text of the core in a language; what that has no words for stays.
#[must_use]
pub fn said(english: String, words: Option<&Words>) -> String {
    words.and_then(|words| words.say(&english)).unwrap_or(english)
}

impl Words {
    fn method(&self, id: &str) -> Option<&'static Method> {
        let place = self.methods.binary_search_by(|own| own.id.cmp(id)).ok()?;
        self.methods.get(place)
    }

    fn explanation(&self, mut own: Explanation) -> Explanation {
        let say = |text: &mut String| {
            if let Some(said) = self.say(text) {
                *text = said;
            }
        };
        say(&mut own.title);
        say(&mut own.error);
        own.notes.iter_mut().for_each(say);
        for term in &mut own.terms {
            say(&mut term.meaning);
            term.unit = self.unit(&term.value, &term.unit).into();
        }
        let cited = entry(own.method).map_or(&[][..], |method| method.citations);
        for Link { name, .. } in &mut own.sources {
            if cited.iter().any(|citation| citation.name == name) {
                *name = self.citation(name);
            } else {
                say(name);
            }
        }
        own
    }

    /// What stands behind a number, where that has a unit: words of counts have both.
    fn unit(&self, value: &str, unit: &str) -> String {
        let said = self.say(&format!("{value} {unit}"));
        let own = said.as_deref().and_then(|said| said.strip_prefix(value));
        own.map_or(unit, str::trim_start).to_owned()
    }

    /// A source's name: as a whole, or the places in it, part by part.
    fn citation(&self, name: &str) -> String {
        if let Some(whole) = self.say(name).filter(|_| self.left(name) == 0) {
            return whole;
        }
        let comma = self.joins.iter().find(|(mark, _)| *mark == ", ").map_or(", ", |(_, own)| own);
        let parts = name.split(", ").map(|part| self.say(part).unwrap_or_else(|| part.to_owned()));
        parts.collect::<Vec<_>>().join(comma)
    }
}
