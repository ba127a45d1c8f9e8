//! Keys and values in the order in which they are stated; a later one wins.

use std::collections::BTreeMap;

use super::value;

/// A stated key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The key without hydra's marks.
    pub(crate) key: String,
    /// As written, with them.
    pub(crate) written: String,
    pub(crate) value: String,
    pub(crate) line: u32,
    /// What the value depends on and the text does not tell.
    pub(crate) open: Option<String>,
}

/// Keys by name.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    list: Vec<Setting>,
    index: BTreeMap<String, usize>,
}

impl Settings {
    /// States a key; the last statement of a key holds.
    pub(crate) fn state(&mut self, key: String, setting: Setting) {
        self.index.insert(key, self.list.len());
        self.list.push(setting);
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Setting> {
        self.index.get(key).and_then(|at| self.list.get(*at))
    }

    /// The key's value, what stands in `${…}` replaced: another key's value, relative ones too, a variable's default, and a
    /// product. What the text does not tell leaves the value open.
    pub(crate) fn resolve(&self, key: &str) -> Option<Setting> {
        let mut setting = self.get(key)?.clone();
        for _ in 0..MOST_REPLACED {
            let Some((start, end)) = innermost(&setting.value) else {
                return Some(setting);
            };
            let inside = setting.value.get(start + 2..end).unwrap_or_default().trim().to_owned();
            let (text, open) = match self.stands_for(&inside, key) {
                Stands::For(text, open) => (text, open),
                Stands::Open(name) => (String::new(), Some(name)),
                // A resolver of the program's own: its words stay.
                Stands::Unknown => return Some(setting),
            };
            setting.open = setting.open.or(open);
            if setting.value.len() + text.len() > LONGEST {
                setting.open = Some(inside);
                return Some(setting);
            }
            setting.value.replace_range(start..=end, &text);
        }
        if let Some((start, end)) = innermost(&setting.value) {
            setting.open = setting.value.get(start + 2..end).map(str::to_owned);
        }
        Some(setting)
    }

    /// What `${…}` of the key `of` stands for, by what is in the braces.
    fn stands_for(&self, inside: &str, of: &str) -> Stands {
        let of_key = |name: &str| {
            let name = absolute(name, of);
            match self.get(&name) {
                Some(found) => Stands::For(rebased(&found.value, &name), found.open.clone()),
                None => Stands::Open(name),
            }
        };
        let Some((resolver, given)) = inside.split_once(':') else {
            return of_key(inside);
        };
        let (first, second) = match given.split_once(',') {
            Some((first, second)) => (first.trim(), Some(value::unquoted(second))),
            None => (given.trim(), None),
        };
        match (resolver.trim(), second) {
            ("oc.env" | "env", Some(default)) => Stands::For(default.to_owned(), None),
            ("oc.env" | "env", None) => Stands::Open(first.to_owned()),
            ("oc.select", default) => match (of_key(first), default) {
                (Stands::Open(_), Some(default)) => Stands::For(default.to_owned(), None),
                (own, _) => own,
            },
            ("oc.decode" | "int" | "eval", None) => Stands::For(first.to_owned(), None),
            ("mul", Some(second)) => match (value::whole(first), value::whole(second)) {
                (Some(a), Some(b)) => a
                    .checked_mul(b)
                    .map_or(Stands::Unknown, |product| Stands::For(product.to_string(), None)),
                _ => Stands::Unknown,
            },
            _ => Stands::Unknown,
        }
    }
}

/// What `${…}` stands for.
enum Stands {
    /// A text, and what of it is open.
    For(String, Option<String>),
    /// What the text does not tell.
    Open(String),
    Unknown,
}

/// How often what stands in a value is replaced.
const MOST_REPLACED: usize = 16;
/// Longest value that is put together.
const LONGEST: usize = 4096;

/// Where the first `${…}` that has no other in it begins and ends.
fn innermost(value: &str) -> Option<(usize, usize)> {
    let end = value.match_indices('}').map(|(at, _)| at);
    end.take(MOST_REPLACED)
        .find_map(|end| Some((value.get(..end)?.rfind("${")?, end)))
}

/// A key's whole name: `.x` stands beside the key `of`, `..x` one level up.
fn absolute(name: &str, of: &str) -> String {
    let plain = name.trim_start_matches('.');
    let up = name.len() - plain.len();
    if up == 0 {
        return plain.to_owned();
    }
    let mut parents: Vec<&str> = of.split('.').collect();
    parents.truncate(parents.len().saturating_sub(up));
    parents.push(plain);
    parents.join(".")
}

/// The value of the key `of` with its relative names whole, as it stands for another key.
fn rebased(value: &str, of: &str) -> String {
    let mut pieces = value.split("${.");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(['}', ',', ' ']).unwrap_or(piece.len());
        let (name, rest) = piece.split_at_checked(end).unwrap_or((piece, ""));
        out.push_str("${");
        out.push_str(&absolute(&format!(".{name}"), of));
        out.push_str(rest);
        if out.len() > LONGEST {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Setting, Settings};

    #[test]
    fn what_stands_in_braces_is_replaced() {
        let mut settings = Settings::default();
        for (key, value) in [
            ("a.b", "8"),
            ("a.c", "${a.b}"),
            ("a.d", "${.c}"),
            ("x.y.z", "${...a.d}"),
            ("env", "${oc.env:TP,4}"),
            ("bare", "${oc.env:TP}"),
            ("path", "${oc.env:HOME}/models/Qwen3-8B"),
            ("nested", "${oc.env:TP,${a.b}}"),
            ("select", "${oc.select:no.such,'x'}"),
            ("product", "${mul:${a.b}, ${a.c}}"),
            ("own", "${get_steps:${a.b}}"),
            ("missing", "${no.such}"),
            ("round", "${round}"),
            ("two", "${a.b}-${a.c}"),
        ] {
            settings.state(key.to_owned(), Setting { value: value.to_owned(), ..Setting::default() });
        }
        for (key, value, open) in [
            ("a.d", "8", None),
            ("x.y.z", "8", None),
            ("env", "4", None),
            ("bare", "", Some("TP")),
            ("path", "/models/Qwen3-8B", Some("HOME")),
            ("nested", "8", None),
            ("select", "x", None),
            ("product", "64", None),
            ("own", "${get_steps:8}", None),
            ("missing", "", Some("no.such")),
            ("round", "${round}", Some("round")),
            ("two", "8-8", None),
        ] {
            let found = settings.resolve(key).unwrap_or_default();
            assert_eq!((found.value.as_str(), found.open.as_deref()), (value, open), "{key}");
        }
    }
}
