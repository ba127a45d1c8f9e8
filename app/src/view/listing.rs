//! A text to paste, line by line: what is typed, and the reason beside it.

use shardwise_core::emit::Syntax;
use shardwise_core::read::{Op, script};

use crate::protocol::Text;

/// One line of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A comment of its own; `true` for a warning.
    Comment(String, bool),
    /// A heading inside the text.
    Heading(String),
    /// Something that is run or read.
    Setting {
        /// Indentation.
        indent: String,
        /// Path before the key, with its last dot.
        prefix: String,
        key: String,
        /// Between key and value.
        between: &'static str,
        value: String,
        /// What follows the value: a comma, a line continuation.
        after: String,
        /// The reason; empty for none.
        why: String,
    },
    /// Anything else.
    Plain(String, String),
}

/// Where a trailing comment starts: two blanks and a hash outside quotes.
fn comment_start(line: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (index, c) in line.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c && before != '\\' => quote = None,
            (None, '#') if before == ' ' && index > 0 => return Some(index),
            _ => {}
        }
        before = c;
    }
    None
}

/// Cuts a line into what runs and why.
fn split_reason(line: &str) -> (&str, &str) {
    match comment_start(line).map(|at| line.split_at(at)) {
        Some((setting, why)) if !setting.trim().is_empty() => (setting.trim_end(), why),
        _ => (line, ""),
    }
}

fn setting(line: &str, why: &str, language: Syntax) -> Line {
    let plain = || Line::Plain(line.to_owned(), why.to_owned());
    let between = between(language);
    let Some((path, value)) = line.split_once(between) else { return plain() };
    let start = path.len() - path.trim_start().len();
    let (indent, path) = path.split_at(start);
    if path.is_empty() || path.contains(' ') || value.is_empty() || value == "(" {
        return plain();
    }
    let key_at = if language == Syntax::Json { 0 } else { path.rfind('.').map_or(0, |dot| dot + 1) };
    let (prefix, key) = path.split_at(key_at);
    let bare = value.trim_end_matches([' ', '\\', ',']);
    Line::Setting {
        indent: indent.to_owned(),
        prefix: prefix.to_owned(),
        key: key.to_owned(),
        between,
        value: bare.to_owned(),
        after: value[bare.len()..].to_owned(),
        why: why.to_owned(),
    }
}

/// The lines of a text. Reasons that the text cannot carry (JSON has no comments) join the line of
/// their key.
pub(super) fn lines(snippet: &Text) -> Vec<Line> {
    let mut reasons: Vec<(&str, &str)> =
        snippet.reasons.iter().map(|(key, why)| (key.as_str(), why.as_str())).collect();
    let read = |line: &str| {
        let bare = line.trim_start();
        if snippet.language != Syntax::Json && bare.starts_with('#') {
            let warning = bare.contains("Warning") || bare.contains("WARNING");
            return if bare.len() < line.len() {
                Line::Heading(line.to_owned())
            } else {
                Line::Comment(line.to_owned(), warning)
            };
        }
        let (text, why) = if snippet.language == Syntax::Json { (line, "") } else { split_reason(line) };
        let mut line = setting(text, why, snippet.language);
        if let Line::Setting { key, why, .. } = &mut line {
            let name = key.trim_matches('"');
            let known = reasons.iter().position(|(path, _)| path.rsplit('.').next() == Some(name));
            if let Some(known) = known
                && why.is_empty()
            {
                *why = format!("# {}", reasons.remove(known).1);
            }
        }
        line
    };
    snippet.text.lines().map(read).collect()
}

/// The text without the reasons beside its settings; it means the same to the program that reads it.
pub(super) fn without_reasons(snippet: &Text) -> String {
    if snippet.language == Syntax::Json {
        return snippet.text.clone();
    }
    let mut text = String::with_capacity(snippet.text.len());
    for line in snippet.text.lines() {
        text.push_str(split_reason(line).0);
        text.push('\n');
    }
    text
}

/// The text as it is copied: with the reasons beside its settings or without.
pub(super) fn copied(snippet: &Text, reasons: bool) -> String {
    if reasons { snippet.text.clone() } else { without_reasons(snippet) }
}

/// The lines that a program reads, each with its place in the text and without its reason. Comments are left out: the link in
/// a text's head changes with every question, reasons with every figure in them.
pub(crate) fn settings(snippet: &Text) -> Vec<(usize, &str)> {
    let json = snippet.language == Syntax::Json;
    let lines = snippet.text.lines().enumerate();
    lines
        .map(|(at, line)| (at, if json { line } else { split_reason(line).0 }))
        .filter(|(_, line)| !line.trim().is_empty() && (json || !line.trim_start().starts_with('#')))
        .collect()
}

/// How a text differs from the one before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The lines that differ, in their order: `-` for what was and `+` for what is.
    pub(crate) lines: Vec<(char, String)>,
    /// The new and changed lines of the text, by place; whether there was another value of the same key.
    pub(crate) marks: Vec<(usize, bool)>,
}

impl Changes {
    /// Compares the lines that a program reads.
    pub(crate) fn between(before: &Text, after: &Text) -> Self {
        let (old, new) = (settings(before), settings(after));
        let olds: Vec<&str> = old.iter().map(|(_, line)| *line).collect();
        let news: Vec<&str> = new.iter().map(|(_, line)| *line).collect();
        let mut found = Self::default();
        let (mut a, mut b) = (olds.iter(), new.iter());
        let mut gone: Vec<&str> = Vec::new();
        for op in script(&olds, &news) {
            match op {
                Op::Keep => drop((a.next(), b.next())),
                Op::Remove => {
                    let line = a.next().copied().unwrap_or_default();
                    gone.push(key(line, before.language));
                    found.lines.push(('-', line.to_owned()));
                }
                Op::Add => {
                    let (at, line) = b.next().copied().unwrap_or_default();
                    found.marks.push((at, false));
                    found.lines.push(('+', line.to_owned()));
                }
            }
        }
        let lines: Vec<&str> = after.text.lines().collect();
        for (at, changed) in &mut found.marks {
            let own = lines.get(*at).map(|line| key(line, after.language)).unwrap_or_default();
            *changed = gone.contains(&own);
        }
        found
    }

    /// How many lines differ: one with another value than before is one.
    pub(crate) fn count(&self) -> usize {
        let changed = self.marks.iter().filter(|(_, changed)| *changed).count();
        self.lines.len() - changed
    }
}

/// What stands between a key and its value.
fn between(language: Syntax) -> &'static str {
    match language {
        Syntax::Shell | Syntax::Python => "=",
        Syntax::Json | Syntax::Yaml => ": ",
    }
}

/// What stands before a line's value.
fn key(line: &str, language: Syntax) -> &str {
    line.split(between(language)).next().unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::{Changes, Line, lines, without_reasons};
    use crate::protocol::Text;
    use shardwise_core::emit::Syntax;

    fn snippet(language: Syntax, text: &str, reasons: &[(&str, &str)]) -> Text {
        Text {
            file: "file".to_owned(),
            language,
            text: text.to_owned(),
            reasons: reasons
                .iter()
                .map(|(key, why)| ((*key).to_owned(), (*why).to_owned()))
                .collect(),
        }
    }

    #[test]
    fn shell_settings_are_taken_apart() {
        let text = "# head\nargs=(\n  # Batch\n  a.b.c=12  # why # really\n  x=\"a # b\" \\\n)\n";
        let snippet = snippet(Syntax::Shell, text, &[]);
        let lines = lines(&snippet);
        assert_eq!(lines[0], Line::Comment("# head".to_owned(), false));
        assert_eq!(lines[1], Line::Plain("args=(".to_owned(), String::new()));
        assert_eq!(lines[2], Line::Heading("  # Batch".to_owned()));
        let Line::Setting { indent, prefix, key, value, why, .. } = &lines[3] else { panic!("{:?}", lines[3]) };
        assert_eq!([indent, prefix, key, value, why], ["  ", "a.b.", "c", "12", "# why # really"]);
        let Line::Setting { value, after, why, .. } = &lines[4] else { panic!("{:?}", lines[4]) };
        assert_eq!([value.as_str(), after, why], ["\"a # b\"", " \\", ""]);
        assert_eq!(without_reasons(&snippet), text.replace("  # why # really", ""));
    }

    #[test]
    fn a_changed_value_is_one_line_and_comments_are_none() {
        let before = snippet(Syntax::Shell, "# link 1\nargs=(\n  a.x=1  # why\n  a.y=2\n  a.z=3\n)\n", &[]);
        let after = snippet(Syntax::Shell, "# link 2\nargs=(\n  a.x=1  # other\n  a.y=5\n)\nrun --new\n", &[]);
        let found = Changes::between(&before, &after);
        assert_eq!(found.marks, [(3, true), (5, false)]);
        assert_eq!(found.count(), 3);
        let lines: Vec<String> = found.lines.iter().map(|(sign, line)| format!("{sign}{line}")).collect();
        assert_eq!(lines, ["-  a.y=2", "-  a.z=3", "+  a.y=5", "+run --new"]);
        assert_eq!(Changes::between(&after, &after), Changes::default());
    }

    #[test]
    fn keywords_of_a_call_in_a_function_are_taken_apart() {
        let text = "    training = TrainingConfig(\n        # Batch\n        local_batch_size=2,  # why\n    )\n";
        let lines = lines(&snippet(Syntax::Python, text, &[]));
        assert_eq!(lines[0], Line::Plain("    training = TrainingConfig(".to_owned(), String::new()));
        assert_eq!(lines[1], Line::Heading("        # Batch".to_owned()));
        let Line::Setting { indent, key, between, value, after, why, .. } = &lines[2] else { panic!("{:?}", lines[2]) };
        assert_eq!(
            [indent, key, *between, value, after, why],
            ["        ", "local_batch_size", "=", "2", ",", "# why"]
        );
    }

    #[test]
    fn json_gets_its_reasons_from_beside() {
        let text = "{\n  \"zero_optimization\": {\n    \"stage\": 3,\n    \"x\": \"# no comment\"\n  }\n}\n";
        let snippet = snippet(Syntax::Json, text, &[("zero_optimization.stage", "to fit")]);
        let lines = lines(&snippet);
        let Line::Setting { key, value, after, why, .. } = &lines[2] else { panic!("{:?}", lines[2]) };
        assert_eq!([key.as_str(), value, after, why], ["\"stage\"", "3", ",", "# to fit"]);
        assert_eq!(without_reasons(&snippet), text);
    }
}
