//! Every word of the page, in both languages. A missing word does not compile.
//!
//! Sentences hold `{0}`, `{1}`, … where [`fill`] puts values, so that each language orders them
//! as it needs. What the calculator itself says (errors, advice) is English.

/// A table of words in English and in Chinese. One for what each program needs, so that neither carries the other's.
macro_rules! words {
    ($(#[$doc:meta])* $table:ident; $($name:ident: $english:literal, $chinese:literal;)*) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $table {
            $(pub(crate) $name: &'static str,)*
        }

        impl $table {
            pub(super) const EN: Self = Self { $($name: $english,)* };
            pub(super) const ZH: Self = Self { $($name: $chinese,)* };

            #[cfg(test)]
            pub(super) const NAMES: &[&str] = &[$(stringify!($name),)*];

            #[cfg(test)]
            pub(super) fn all(&self) -> Vec<&'static str> {
                vec![$(self.$name,)*]
            }
        }
    };
}

mod accuracy;
mod commands;
mod fields;
pub(crate) mod guides;
mod page;
mod sheets;
mod site;
mod words;
pub(crate) mod your_run;

pub(crate) use accuracy::Accuracy;
pub(crate) use commands::COMMANDS;
pub(crate) use guides::{Guide, Part, Said};
pub(crate) use page::Text;
pub(crate) use sheets::Sheets;
pub(crate) use site::Site;

use serde::{Deserialize, Serialize};
use shardwise_core::wire::Language;

use crate::form::Field;
use crate::format;
use fields::FIELDS;
use words::{PLACES, WORDS};

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Lang {
    /// English.
    #[default]
    #[serde(rename = "en")]
    En,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Zh,
}

impl Lang {
    /// Of what there is in both languages, that of this one.
    pub(crate) fn of<T>(self, [english, chinese]: [T; 2]) -> T {
        match self {
            Self::En => english,
            Self::Zh => chinese,
        }
    }

    /// What stands between a name and what is said of it.
    pub(crate) fn colon(self) -> &'static str {
        self.of([": ", "："])
    }

    /// What stands between the parts of a line.
    pub(crate) fn comma(self) -> &'static str {
        self.of([", ", "，"])
    }

    /// The words of this language.
    pub(crate) fn text(self) -> &'static Text {
        self.of([&Text::EN, &Text::ZH])
    }

    /// Words of what stands around every page.
    pub(crate) fn site(self) -> &'static Site {
        self.of([&Site::EN, &Site::ZH])
    }

    /// Words of the accuracy page.
    pub(crate) fn accuracy(self) -> &'static Accuracy {
        self.of([&Accuracy::EN, &Accuracy::ZH])
    }

    /// Words of what the worker writes.
    pub(crate) fn sheets(self) -> &'static Sheets {
        self.of([&Sheets::EN, &Sheets::ZH])
    }

    /// What is said in both, in this one.
    pub(crate) fn said(self, said: &Said) -> &'static str {
        self.of(*said)
    }

    /// Its tag, for `lang` attributes.
    pub(crate) fn tag(self) -> &'static str {
        self.of(["en", "zh-CN"])
    }

    /// The language of a tag: `zh`, `zh-CN`, `en-GB`; `None` for others.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or(tag);
        [("en", Self::En), ("zh", Self::Zh)]
            .into_iter()
            .find_map(|(known, own)| primary.eq_ignore_ascii_case(known).then_some(own))
    }

    /// The core's name of it.
    pub(crate) fn core(self) -> Language {
        self.of([Language::En, Language::Zh])
    }

    /// The other language.
    pub(crate) fn other(self) -> Self {
        self.of([Self::Zh, Self::En])
    }

    /// Label of a control.
    pub(crate) fn label(self, field: Field) -> &'static str {
        self.of(field.label())
    }

    /// What a field of the question is called where the form does not stand around it; `None` of what is none. What has no name of
    /// its own is called as what it is a part of.
    pub(crate) fn field(self, path: &str) -> Option<String> {
        // Of a row, all that it is a row of.
        let path = path.split('[').next().unwrap_or(path);
        if let Some((_, said)) = FIELDS.iter().find(|(known, _)| *known == path) {
            return Some(self.said(said).to_owned());
        }
        let control = Field::ALL.iter().find(|field| {
            let rest = field.path().strip_prefix(path);
            // A group that is turned on is called as its switch.
            rest.is_some_and(|rest| rest.is_empty() || rest == ".on") && !field.is_measured()
        });
        if let Some(control) = control {
            return Some(self.label(*control).to_owned());
        }
        let parts = ["plan", "workload", "hardware", "operations", "calibration"];
        let (above, key) = path
            .rsplit_once('.')
            .filter(|_| parts.iter().any(|part| path.starts_with(part)))?;
        if let Some((role, own)) = path.strip_prefix("plan.").and_then(|rest| rest.split_once('.'))
            && matches!(role, "critic" | "reference")
        {
            return Some(format!("{} · {}", self.word(role), self.field(&format!("plan.{own}"))?));
        }
        let known = path.starts_with("plan.") || path.starts_with("workload.");
        match (self.word(key), above) {
            (word, _) if word == key || !known => self.field(above),
            (word, "plan.offload" | "plan.overlap") => Some(format!("{} · {word}", self.field(above)?)),
            (word, _) => Some(word.to_owned()),
        }
    }

    /// A sentence of the core as the form writes it: labels in place of the names of the question's fields, and thousands
    /// separated.
    pub(crate) fn with_labels(self, sentence: &str) -> String {
        self.labelled(sentence, |name, goes_on| {
            let number = name.parse().ok().filter(|_| !goes_on).map(format::grouped);
            let label = || Field::of_key(name).map(|field| format!("“{}”", self.label(field)));
            self.quoted(name).or_else(label).or(number)
        })
    }

    /// A sentence of the core with the form's words in place of the paths of the question's fields.
    pub(crate) fn with_names(self, sentence: &str) -> String {
        self.labelled(sentence, |name, _| self.quoted(name))
    }

    /// What the field of a path is called, in quotes; `None` of a word that is no path.
    fn quoted(self, name: &str) -> Option<String> {
        self.field(name).filter(|_| name.contains('.')).map(|own| format!("“{own}”"))
    }

    /// A sentence with other words for its names and numbers: `say` is told whether a number is a part of something longer.
    fn labelled(self, sentence: &str, say: impl Fn(&str, bool) -> Option<String>) -> String {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let mut said = String::with_capacity(sentence.len() + 16);
        let mut rest = sentence;
        while let Some(start) = rest.find(is_name) {
            let (before, after) = rest.split_at(start);
            let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
            let name = after[..end].trim_end_matches('.');
            rest = &after[name.len().max(1)..];
            // The numbers of identifiers (`rtx-4090`) are none, and what is separated already (`2,048`) stays so.
            let goes_on = before.ends_with('-') || before == "," && said.ends_with(|c: char| c.is_ascii_digit());
            said.push_str(before);
            match say(name, goes_on) {
                Some(words) => said.push_str(&words),
                None => said.push_str(&after[..name.len().max(1)]),
            }
        }
        said.push_str(rest);
        let said = said.replace("`“", "“").replace("”`", "”");
        // Quotation marks of Chinese stand without blanks.
        if self == Self::Zh { said.replace(" “", "“").replace("” ", "”") } else { said }
    }

    /// A word of the calculator (part, phase, choice), for a person; itself where unknown.
    pub(crate) fn word(self, word: &str) -> &str {
        let known = WORDS.iter().find(|(known, _)| *known == word);
        known.map_or(word, |(_, said)| self.said(said))
    }

    /// A phase, or what else decides whether a plan fits, within a sentence.
    pub(crate) fn place(self, phase: &str) -> &str {
        match (self, phase) {
            (Self::En, _) => place(phase).map_or_else(|| self.word(phase), |[name, _]| name),
            (Self::Zh, "engine") => "引擎分到的显存",
            (Self::Zh, "host") => "每节点主机内存",
            (Self::Zh, _) => self.word(phase),
        }
    }

    /// When, or where, a phase or what else decides is, within a sentence.
    pub(crate) fn during(self, phase: &str) -> String {
        match (self, place(phase)) {
            (Self::Zh, _) => self.place(phase).to_owned(),
            (Self::En, Some([_, during])) => during.to_owned(),
            (Self::En, None) => format!("during “{}”", self.word(phase)),
        }
    }

    /// A number of parameters.
    pub(crate) fn parameters(self, count: u64) -> String {
        self.of([format::parameters, format::parameters_zh])(count)
    }

    /// A number of tokens.
    pub(crate) fn tokens(self, count: f64) -> String {
        self.of([format::tokens, format::tokens_zh])(count)
    }
}

/// What a phase is, and when, within an English sentence.
fn place(phase: &str) -> Option<[&'static str; 2]> {
    let known = PLACES.iter().find(|(known, _)| *known == phase);
    known.map(|(_, said)| *said)
}

/// Puts values into the `{0}`, `{1}`, … of a sentence, and into `{0|GPU|GPUs}` the word that the value asks for: the first
/// where that is 1.
pub(crate) fn fill(sentence: &str, values: &[&str]) -> String {
    let mut text = String::with_capacity(sentence.len() + 16);
    let mut rest = sentence;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        text.push_str(before);
        let Some(close) = after.find('}') else {
            rest = after;
            break;
        };
        let mut inside = after.get(1..close).unwrap_or_default().split('|');
        let index: Option<usize> = inside.next().and_then(|digits| digits.parse().ok());
        let value = index.and_then(|index| values.get(index)).copied().unwrap_or("");
        let value = match (inside.next(), inside.next()) {
            (Some(one), Some(_)) if value == "1" => one,
            (Some(_), Some(many)) => many,
            _ => value,
        };
        // Values are of either kind, and Chinese stands apart from Latin by a space.
        text.push_str(if text.ends_with(wide) && value.starts_with(latin) { " " } else { "" });
        text.push_str(value);
        rest = after.get(close + 1..).unwrap_or("");
        text.push_str(if text.ends_with(latin) && rest.starts_with(wide) { " " } else { "" });
    }
    text.push_str(rest);
    text
}

/// A Chinese character.
fn wide(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

fn latin(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '%'
}

#[cfg(test)]
mod tests {
    use super::{Accuracy, Lang, Sheets, Site, Text, WORDS, fill};

    use crate::form::Field;

    fn places(sentence: &str) -> Vec<&str> {
        let mut found: Vec<_> = sentence
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split(['}', '|']).next())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn both_languages_say_the_same_values() {
        let names = [Site::NAMES, Accuracy::NAMES, Text::NAMES, Sheets::NAMES].concat();
        let english = [Site::EN.all(), Accuracy::EN.all(), Text::EN.all(), Sheets::EN.all()].concat();
        let chinese = [Site::ZH.all(), Accuracy::ZH.all(), Text::ZH.all(), Sheets::ZH.all()].concat();
        for (name, (english, chinese)) in names.into_iter().zip(english.into_iter().zip(chinese)) {
            assert!(!english.is_empty() && !chinese.is_empty(), "{name} is empty");
            assert_eq!(places(english), places(chinese), "{name}");
        }
    }

    #[test]
    fn sentences_are_filled_in_any_order() {
        assert_eq!(fill("{1} of {0}, {1}", &["a", "b"]), "b of a, b");
        assert_eq!(fill("nothing", &[]), "nothing");
        assert_eq!(fill("{0} and {9}", &["a"]), "a and ");
        assert_eq!(fill("open {0", &["a"]), "open {0");
        assert_eq!(fill("{0} {0|GPU|GPUs}", &["1"]), "1 GPU");
        assert_eq!(fill("{0} {0|GPU|GPUs}", &["16"]), "16 GPUs");
        assert_eq!(
            fill("用于{0}，其中{1}占 {2}。", &["Rollout 生成", "KV 缓存", "1"]),
            "用于 Rollout 生成，其中 KV 缓存占 1。"
        );
        assert_eq!(fill("{0}占多数", &["Logits"]), "Logits 占多数");
    }

    #[test]
    fn every_control_has_a_label_and_every_word_is_there_once() {
        let labels = Field::ALL.iter().map(|field| field.label());
        assert!(labels.flatten().all(|label| !label.is_empty()));
        let mut words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
        words.sort_unstable();
        assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
    }

    #[test]
    fn names_of_fields_become_their_labels() {
        for (said, shown) in [
            ("Lower it, or change hardware.gpus.", "Lower it, or change “GPUs”."),
            ("Both micro_batch and max_tokens_per_gpu are given.", "Both “Micro-batch” and “Tokens/GPU” are given."),
            ("A GPU without `memory_gib` needs 0.6 of it.", "A GPU without “Memory, GiB” needs 0.6 of it."),
            ("Use its config.json, or `base` (h100-sxm).", "Use its config.json, or `base` (h100-sxm)."),
            ("The mean of 9999 tokens is above 3072.", "The mean of 9,999 tokens is above 3,072."),
            ("Give 2,048 or 1,000,064 of 3000.", "Give 2,048 or 1,000,064 of 3,000."),
            ("There is no GPU rtx-40901.", "There is no GPU rtx-40901."),
            ("model_type is no field. 1.5 is a number.", "model_type is no field. 1.5 is a number."),
        ] {
            assert_eq!(Lang::En.with_labels(said), shown);
        }
        assert_eq!(Lang::Zh.with_labels("请减小此项，或修改 hardware.gpus。"), "请减小此项，或修改“GPU 数”。");
    }

    #[test]
    fn paths_in_sentences_are_said_as_the_form_says_them() {
        for (said, shown) in [
            ("State workload.run.steps, or workload.run.examples.", "State “Steps”, or “Examples in the data set”."),
            (
                "the estimate computes in it: state plan.gradient_bytes",
                "the estimate computes in it: state “Bytes of a gradient”",
            ),
            // A framework's own keys, numbers and days stay.
            ("Set data.max_length to 2048 as of 2026-11-09.", "Set data.max_length to 2048 as of 2026-11-09."),
            ("Set micro_batch.", "Set micro_batch."),
        ] {
            assert_eq!(Lang::En.with_names(said), shown);
        }
    }

    #[test]
    fn tags_name_languages() {
        assert_eq!(Lang::of_tag("zh-CN"), Some(Lang::Zh));
        assert_eq!(Lang::of_tag("EN"), Some(Lang::En));
        assert_eq!(Lang::of_tag("fr"), None);
    }
}
