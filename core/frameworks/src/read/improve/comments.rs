//! Comments that the emitter wrote: what they say of the plan that was is said of the one that is.
//!
//! A comment is the emitter's where it is, word for word, what the framework's text of the plan that was has at that place. All
//! others are somebody's own, and stay.

use std::collections::BTreeMap;

/// What stands between a setting and the reason for it.
const MARK: &str = "  # ";

/// The changed text, with the comments of the plan's own texts `was` as its texts `now` have them. What those no longer say is
/// left out.
pub(super) fn renewed(text: &str, was: &[String], now: &[String]) -> String {
    let (before, after) = (Comments::of(was), Comments::of(now));
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (own, end) = line.strip_suffix('\n').map_or((line, ""), |own| (own, "\n"));
        if let Some(kept) = before.renew(own, &after) {
            out.push_str(&kept);
            out.push_str(end);
        }
    }
    out
}

/// The comments of a framework's texts.
struct Comments<'a> {
    /// By the settings that they stand beside; nothing for a name that several settings have.
    beside: BTreeMap<&'a str, Option<&'a str>>,
    /// On lines of their own, by what they begin with; nothing where several begin so.
    alone: BTreeMap<String, Option<&'a str>>,
}

impl<'a> Comments<'a> {
    fn of(texts: &'a [String]) -> Self {
        let mut own = Self { beside: BTreeMap::new(), alone: BTreeMap::new() };
        for line in texts.iter().flat_map(|text| text.lines()) {
            if let Some((name, _, comment)) = parts(line) {
                own.beside
                    .entry(name)
                    .and_modify(|known| *known = None)
                    .or_insert(Some(comment));
            } else if let Some(comment) = alone(line) {
                own.alone
                    .entry(stem(comment))
                    .and_modify(|known| *known = None)
                    .or_insert(Some(comment));
            }
        }
        own
    }

    /// A line of a text with its comment, where that is one of these, as `after` has it; `None` where nothing is left.
    fn renew(&self, line: &str, after: &Self) -> Option<String> {
        if let Some((name, code, comment)) = parts(line) {
            let ours = self.beside.get(name).copied().flatten() == Some(comment);
            let known = after.beside.get(name);
            return Some(match known {
                // Of several settings of a name nothing is known.
                Some(None) => line.to_owned(),
                Some(Some(now)) if ours => format!("{code}{MARK}{now}"),
                None if ours => code.to_owned(),
                _ => line.to_owned(),
            });
        }
        let Some(comment) = alone(line) else {
            return Some(line.to_owned());
        };
        let stem = stem(comment);
        if self.alone.get(&stem).copied().flatten() != Some(comment) {
            // It stood beside a setting that is gone.
            let left = self.beside.values().any(|own| *own == Some(comment));
            return (!left).then(|| line.to_owned());
        }
        match after.alone.get(&stem) {
            Some(Some(now)) => Some(line.replacen(comment, now, 1)),
            Some(None) => Some(line.to_owned()),
            None => None,
        }
    }
}

/// A setting's name, all before its comment, and that.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let (code, comment) = line.split_once(MARK)?;
    let name = code.trim_start().trim_start_matches(['+', '-']);
    let name = name.split(['=', ':', ' ']).next().filter(|name| !name.is_empty())?;
    Some((name, code, comment))
}

/// The comment that is all of a line; an address holds a question of its own, which stays.
fn alone(line: &str) -> Option<&str> {
    let comment = line.trim_start().strip_prefix("# ")?;
    (!comment.starts_with("http")).then_some(comment)
}

/// What a comment is about: its words before a colon, without numbers.
fn stem(comment: &str) -> String {
    let words = comment.split(':').next().unwrap_or_default();
    words
        .chars()
        .filter(|c| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '%' | ' ')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::renewed;

    #[test]
    fn what_the_emitter_wrote_is_renewed_and_nothing_else() {
        let was = "# 1,750 tokens/s per GPU (80 %: 1 to 2)\n# Warning: it does not fit\nargs=(\n  # Layout: 8 GPUs = DP 8\n  a.b=1  # one, from the plan\n  \
                   a.c=2  # two\n  a.d=3  # three\n)\n";
        let now = "# 900 tokens/s per GPU (80 %: 3 to 4)\nargs=(\n  # Layout: 8 GPUs = TP 2\n  a.b=4  # four, from the plan\n  a.c=2  # half of four\n)\n";
        let text = "# 1,750 tokens/s per GPU (80 %: 1 to 2)\n# Warning: it does not fit\n# my own: 1\nargs=(\n  # Layout: 8 GPUs = DP 8\n  \
                    a.b=4  # one, from the plan\n  a.c=2  # two\n  # three\n  a.d=3  # three\n  a.e=1  # one, from the plan\n)\nrun  # it";
        let expected = "# 900 tokens/s per GPU (80 %: 3 to 4)\n# my own: 1\nargs=(\n  # Layout: 8 GPUs = TP 2\n  \
                        a.b=4  # four, from the plan\n  a.c=2  # half of four\n  a.d=3\n  a.e=1  # one, from the plan\n)\nrun  # it";
        assert_eq!(renewed(text, &[was.to_owned()], &[now.to_owned()]), expected);
        // Of a name that several settings have nothing is known.
        let twice = "a:\n  b: 1  # one\nc:\n  b: 2  # two\n".to_owned();
        let changed = "a:\n  b: 3  # three\nc:\n  b: 2  # two\n".to_owned();
        let text = "a:\n  b: 3  # one\n";
        assert_eq!(renewed(text, &[twice], &[changed]), text);
    }
}
