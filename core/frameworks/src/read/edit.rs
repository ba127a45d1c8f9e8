//! Settings changed in the texts that state them: a word of a command, a line of YAML, TOML or Python, a member of JSON.
//!
//! What is not found where the reading says it stands, for a variable writes its name, is stated anew beside a setting like
//! it. Who edits reads the result again.

mod change;
mod json;
mod python;
mod shell;
mod toml;
mod torchtitan;
mod yaml;

pub(super) use change::Edit;

use super::report::{Dialect, Outdated, Reading, Understood};
use super::value;

/// Texts with changes.
pub(super) struct Edited {
    pub(super) texts: Vec<String>,
    /// Settings that found no place.
    pub(super) elsewhere: Vec<String>,
}

/// A key without hydra's marks and argparse's dashes: who spells it otherwise means the same.
pub(super) fn plain(key: &str) -> String {
    key.trim_start_matches(['+', '~', '-']).replace('-', "_")
}

/// Makes the changes to the texts of `reading`.
pub(super) fn apply(texts: &[&str], reading: &Reading, edits: &[Edit]) -> Edited {
    let places = places(reading);
    let all = edits
        .iter()
        .flat_map(|edit| std::iter::once(edit.clone()).chain(torchtitan::beside(reading, edit)));
    let edits: Vec<Edit> = all.map(|edit| spelt(&edit, reading, &places)).collect();
    let mut pages: Vec<Page> = texts.iter().map(|text| Page::of(text)).collect();
    let mut elsewhere = Vec::new();
    let mut members = Vec::new();
    for edit in &edits {
        // The name of a configuration says nothing of what is in it: where that is not here, it is to be changed elsewhere.
        if plain(&edit.key) == "deepspeed" && edit.value.as_deref().is_some_and(|file| file.contains(".json")) {
            if !pages.iter().any(|page| page.kind == Kind::Json) {
                elsewhere.push(edit.shown());
            }
            continue;
        }
        if let Some(left) = torchtitan::apply(&mut pages, reading, edit) {
            elsewhere.extend(left);
            continue;
        }
        let stated = stated(reading, edit);
        let stated = stated.as_ref();
        let unchanged = match (&edit.value, stated) {
            (Some(value), Some(one)) => same(value, &one.value),
            (None, None) => true,
            _ => false,
        };
        if unchanged {
            continue;
        }
        // JSON's keys have no lines.
        let json = !edit.is_option()
            && pages.iter().any(|page| page.kind == Kind::Json)
            && stated.is_none_or(|one| one.line == 0);
        if json {
            members.push(edit);
            continue;
        }
        let replace = |one: &Understood| {
            let mut pages = pages.iter_mut().zip(1..);
            pages.any(|(page, file)| page.replace(one, edit, one.file.is_none_or(|own| own == file)).is_some())
        };
        // A trainer's file and ds_config.json may state one key each, and have to agree.
        let both = |text: &&str| !edit.is_option() && json::states(text, &edit.key);
        if texts.iter().any(both) {
            members.push(edit);
        }
        let done = stated.is_some_and(replace) || (edit.value.is_some() && add(&mut pages, &places, edit));
        if !done {
            elsewhere.push(edit.shown());
        }
    }
    let mut texts: Vec<String> = pages.iter().map(Page::text).collect();
    for edit in members {
        if !texts.iter_mut().any(|text| json::change(text, edit)) {
            elsewhere.push(edit.shown());
        }
    }
    Edited { texts, elsewhere }
}

/// Where the reading says that a setting stands, whatever it made of it.
fn stated(reading: &Reading, edit: &Edit) -> Option<Understood> {
    let key = plain(&edit.key);
    // A file's key and a command's option of one name are two settings.
    let named = |alike: bool| {
        let mut all = reading.understood.iter().rev();
        let of = |one: &&Understood| !alike || one.key.starts_with('-') == edit.is_option();
        all.find(|one| plain(&one.key) == key && of(one)).cloned()
    };
    let passed_over = || {
        let own = reading.passed_over().rev().find(|(own, ..)| plain(own) == key);
        own.map(Understood::without_field)
    };
    named(true).or_else(|| named(false)).or_else(passed_over)
}

/// Gives keys that a release renamed their new names, and takes away those that it removed.
pub(super) fn rename(texts: &[&str], outdated: &[Outdated]) -> Edited {
    let mut pages: Vec<Page> = texts.iter().map(|text| Page::of(text)).collect();
    let mut elsewhere = Vec::new();
    for one in outdated {
        if !pages.iter_mut().any(|page| page.rename(one)) {
            let now = one.now.as_deref();
            elsewhere.push(now.map_or_else(|| format!("without {}", one.key), |now| format!("{} is {now}", one.key)));
        }
    }
    Edited { texts: pages.iter().map(Page::text).collect(), elsewhere }
}

/// A setting as the texts spell theirs, of the frameworks that take options and a file alike: `--lora_r`, or `lora_r`.
fn spelt(edit: &Edit, reading: &Reading, places: &[Place<'_>]) -> Edit {
    let either = reading.framework.is_trainer();
    let mut edit = edit.clone();
    if reading.framework == Dialect::Torchtitan {
        torchtitan::spelt(
            &mut edit,
            reading,
            !places.is_empty() && places.iter().all(|(key, ..)| key.starts_with('-')),
        );
    }
    if either && !edit.key.contains('.') && !places.is_empty() {
        let options = places.iter().filter(|(key, ..)| key.starts_with('-')).count();
        if options == places.len() && !edit.is_option() {
            edit.key = format!("--{}", edit.key);
        } else if options == 0 && edit.is_option() {
            edit.key = plain(&edit.key);
        }
    }
    edit
}

/// Keys that stand in the texts.
fn places(reading: &Reading) -> Vec<Place<'_>> {
    let understood = reading.understood.iter().map(|one| (one.key.as_str(), one.line, one.file));
    let passed_over = reading.passed_over().map(|(key, _, line, file)| (key, line, file));
    understood.chain(passed_over).filter(|(_, line, _)| *line > 0).collect()
}

/// A key that stands in the texts, its line, and which of several texts that is of.
type Place<'a> = (&'a str, u32, Option<u32>);

/// States a key anew, beside the one that is most like it.
fn add(pages: &mut [Page], places: &[Place<'_>], edit: &Edit) -> bool {
    let own = plain(&edit.key);
    let like = |key: &str| {
        let key = plain(key);
        let alike = key.bytes().zip(own.bytes()).take_while(|(a, b)| a == b);
        std::cmp::Reverse(alike.count())
    };
    let mut beside: Vec<Place<'_>> = places
        .iter()
        .filter(|(key, ..)| key.starts_with('-') == edit.is_option())
        .copied()
        .collect();
    beside.sort_by_cached_key(|(key, ..)| like(key));
    beside.into_iter().take(64).any(|(key, line, file)| {
        let here = pages
            .iter_mut()
            .zip(1..)
            .filter(|(_, own)| file.is_none_or(|file| file == *own));
        here.into_iter().any(|(page, _)| page.add(key, line, edit).is_some())
    })
}

/// Whether two spellings say the same.
pub(super) fn same(a: &str, b: &str) -> bool {
    a == b
        || value::unquoted(a) == value::unquoted(b)
        || value::number(a).is_some_and(|number| value::number(b) == Some(number))
        || (value::truth(a).is_some() && value::truth(a) == value::truth(b))
        || (value::is_null(a) && value::is_null(b))
}

/// A text by lines; new ones stand before the line that they were put beside.
struct Page {
    lines: Vec<Line>,
    kind: Kind,
    ends: bool,
}

/// What a text's lines are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shell,
    Yaml,
    Toml,
    Python,
    Json,
}

struct Line {
    before: Vec<String>,
    /// `None` where it was taken away.
    text: Option<String>,
    after: Vec<String>,
}

impl Page {
    fn of(text: &str) -> Self {
        let line = |line: &str| Line { before: Vec::new(), text: Some(line.to_owned()), after: Vec::new() };
        Self {
            lines: text.lines().map(line).collect(),
            kind: if super::python::looks_like(text) {
                Kind::Python
            } else if json::begins(text).is_some() {
                Kind::Json
            } else if super::toml::looks_like(text) {
                Kind::Toml
            } else if super::yaml::looks_like(text) {
                Kind::Yaml
            } else {
                Kind::Shell
            },
            ends: text.ends_with('\n'),
        }
    }

    fn text(&self) -> String {
        let lines = self
            .lines
            .iter()
            .flat_map(|line| line.before.iter().chain(&line.text).chain(&line.after));
        let mut text = lines.map(String::as_str).collect::<Vec<_>>().join("\n");
        if self.ends {
            text.push('\n');
        }
        text
    }

    fn place(line: u32) -> Option<usize> {
        usize::try_from(line).ok()?.checked_sub(1)
    }

    /// Changes a setting where it stands; `None` where that is not here. `own`: whether its line is one of this page's.
    fn replace(&mut self, stated: &Understood, edit: &Edit, own: bool) -> Option<()> {
        let at = Self::place(stated.line)?;
        if let Some(done) = own.then(|| self.replace_at(at, &stated.key, edit)).flatten() {
            return Some(done);
        }
        // A command that takes its words from a variable has them where that is set.
        let key = |line: &Line| line.text.as_deref().is_some_and(|text| text.contains(&stated.key));
        let places: Vec<usize> = (0..self.lines.len())
            .filter(|at| self.kind == Kind::Shell && key(&self.lines[*at]))
            .collect();
        let done = places
            .into_iter()
            .filter(|at| self.replace_at(*at, &stated.key, edit).is_some());
        (done.count() > 0).then_some(())
    }

    /// Gives a key its new name wherever it stands in a command, or takes it away; whether it does.
    fn rename(&mut self, outdated: &Outdated) -> bool {
        if self.kind != Kind::Shell {
            return false;
        }
        let mut found = false;
        for line in &mut self.lines {
            let Some(text) = line.text.as_deref() else {
                continue;
            };
            // What had to be added once may be in the configuration by now.
            if let Some(changed) = shell::overriding(text) {
                line.text = Some(changed);
            }
            let Some(text) = line.text.as_deref() else {
                continue;
            };
            if let Some(changed) = shell::renamed(text, &outdated.key, outdated.now.as_deref()) {
                let empty = matches!(changed.trim(), "" | "\\");
                line.text = (!empty).then_some(changed);
                found = true;
            }
        }
        found
    }

    fn replace_at(&mut self, at: usize, key: &str, edit: &Edit) -> Option<()> {
        let line = self.lines.get_mut(at)?;
        let text = line.text.as_deref()?;
        let changed = match self.kind {
            Kind::Toml => toml::replaced(text, key, edit),
            Kind::Python => python::replaced(text, key, edit),
            Kind::Yaml => yaml::replaced(text, key, edit),
            Kind::Shell | Kind::Json => shell::replaced(text, key, edit),
        }?;
        let empty = matches!(changed.trim(), "" | "\\");
        let last = empty && !text.trim_end().ends_with('\\');
        line.text = (!empty).then_some(changed);
        if last && self.kind == Kind::Shell {
            self.end_before(at);
        }
        Some(())
    }

    /// Ends a command whose last line went: what stands before it is continued no more. In a text between marks (`<<EOF`) the mark would
    /// else be one of its words.
    fn end_before(&mut self, at: usize) {
        let before = self.lines.get_mut(..=at).unwrap_or_default().iter_mut().rev();
        let words = before.flat_map(|line| {
            line.after
                .iter_mut()
                .rev()
                .chain(&mut line.text)
                .chain(line.before.iter_mut().rev())
        });
        if let Some(text) = words.into_iter().next()
            && let Some(ended) = text.trim_end().strip_suffix('\\')
        {
            *text = ended.trim_end().to_owned();
        }
    }

    /// States a setting beside another; `None` where that does not stand here.
    fn add(&mut self, beside: &str, line: u32, edit: &Edit) -> Option<()> {
        let at = Self::place(line)?;
        let line = self.lines.get_mut(at)?;
        let text = line.text.as_deref()?;
        match self.kind {
            Kind::Yaml => {
                line.after.push(yaml::sibling(text, beside, edit)?);
                return Some(());
            }
            Kind::Toml => {
                line.after.push(toml::sibling(text, beside, edit)?);
                return Some(());
            }
            Kind::Python => {
                line.text = Some(python::beside(text, beside, edit)?);
                return Some(());
            }
            Kind::Shell | Kind::Json => {}
        }
        // A command that takes its words from a variable has them where that is set.
        let elsewhere = (0..self.lines.len()).filter(|_| self.kind == Kind::Shell);
        std::iter::once(at)
            .chain(elsewhere)
            .collect::<Vec<_>>()
            .into_iter()
            .find_map(|at| self.add_word(at, beside, edit))
    }

    /// States a setting of a command beside another in a line; `None` where that does not stand there.
    fn add_word(&mut self, at: usize, beside: &str, edit: &Edit) -> Option<()> {
        let before = at.checked_sub(1).and_then(|at| self.lines.get(at)?.text.as_deref());
        let continued = before.is_some_and(|line| line.trim_end().ends_with('\\'));
        let line = self.lines.get_mut(at)?;
        let text = line.text.as_deref().filter(|text| !text.trim_start().starts_with('#'))?;
        match shell::beside(text, beside, edit, continued)? {
            shell::Beside::Line(new) => line.before.push(new),
            shell::Beside::Same(new) => line.text = Some(new),
        }
        Some(())
    }
}
