//! Whether what the sources say to a person has its words in every language of `core/words/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Lit, LitStr, Macro};

use crate::formulas::Formulas;
use crate::sources;

#[path = "../../src/words/english.rs"]
mod english;

/// The crates that speak to a person in English, by their sources.
const SOURCES: [&str; 8] =
    ["catalog/src", "question/src", "rules/src", "engine/src", "search/src", "frameworks/src", "explain/src", "src"];

/// Sources among them that say nothing to a person.
const APART: [&str; 6] = [
    // Coding agents read English.
    "src/bin/shardwise/agents",
    "question/src/presets.rs",
    "src/words.rs",
    "src/words/",
    // What other programs print.
    "frameworks/src/doctor/message.rs",
    "frameworks/src/doctor/stack.rs",
];

/// What is a sentence by its looks, and none.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    code: Vec<String>,
}

/// Holds the words of every language against the sources below `core`.
///
/// # Errors
/// Each sentence without its words in a language, and each entry that nothing says any more.
pub(crate) fn report(core: &Path) -> Result<String, String> {
    let said = said(core)?;
    let Code { code } = sources::toml(&core.join("words/code.toml"))?;
    let formulas = Formulas::of(core)?;
    let mut problems: Vec<String> = code
        .iter()
        .filter(|entry| !said.contains_key(*entry))
        .map(|entry| format!("words/code.toml: nothing says {entry:?} any more"))
        .collect();
    let mut languages = 0;
    for folder in sources::entries(&core.join("words"))?.into_iter().filter(|path| path.is_dir()) {
        languages += 1;
        problems.extend(compare(&folder, &said, &code, &formulas)?);
    }
    match problems.as_slice() {
        [] => Ok(format!("{} sentences have their words in {languages} other language(s)", said.len() - code.len())),
        _ => Err(problems.join("\n")),
    }
}

/// What a language lacks, and what it has for nothing.
fn compare(
    folder: &Path,
    said: &BTreeMap<String, String>,
    code: &[String],
    formulas: &Formulas,
) -> Result<Vec<String>, String> {
    let mut literals: BTreeMap<String, String> = BTreeMap::new();
    let mut composed: Vec<String> = Vec::new();
    for path in sources::entries(folder)? {
        let name = shown(&path);
        if matches!(name.as_str(), "language.toml" | "methods.toml") {
            continue;
        }
        for (english, _) in sources::toml::<BTreeMap<String, String>>(&path)? {
            if name == "composed.toml" {
                composed.push(english);
            } else {
                literals.insert(english, name.clone());
            }
        }
    }
    let tag = shown(folder);
    let known = |english: &String| {
        literals.contains_key(english) || code.contains(english) || composed.iter().any(|whole| whole.contains(english))
    };
    let missing = said
        .iter()
        .filter(|(english, _)| !known(english))
        .map(|(english, source)| format!("{source}: no words in words/{tag}/*.toml for {english:?}"));
    let unsaid = literals
        .iter()
        .filter(|(english, _)| !(said.contains_key(*english) || formulas.cited.contains(*english)))
        .map(|(english, file)| format!("words/{tag}/{file}: nothing says {english:?} any more"));
    let of_formulas = formulas.compare(&folder.join("methods.toml"))?;
    let of_formulas = of_formulas.iter().map(|problem| format!("words/{tag}/methods.toml: {problem}"));
    Ok(missing.chain(unsaid).chain(of_formulas).collect())
}

/// A file's or a folder's own name.
fn shown(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Every sentence that the sources say, as tables have it, and the first source that says it.
fn said(core: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut said = BTreeMap::new();
    for folder in SOURCES.into_iter().filter(|folder| core.join(folder).is_dir()) {
        for file in sources::files(&core.join(folder))? {
            let name = file.strip_prefix(core).unwrap_or(&file).display().to_string();
            if APART.iter().any(|apart| name.starts_with(apart))
                || name.ends_with("tests.rs")
                || name.contains("/tests/")
            {
                continue;
            }
            let parsed = sources::parse(&file)?;
            for literal in literals(&parsed) {
                for line in literal.lines().filter_map(line) {
                    said.entry(line).or_insert_with(|| name.clone());
                }
            }
        }
    }
    Ok(said)
}

/// Every string literal of a source outside of attributes and tests.
fn literals(file: &syn::File) -> BTreeSet<String> {
    let mut found = Literals::default();
    found.visit_file(file);
    found.0
}

#[derive(Default)]
struct Literals(BTreeSet<String>);

impl Literals {
    /// What a macro is given, without attributes, which doc comments are too.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut after_hash = false;
        for token in tokens {
            let hash = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#');
            match token {
                TokenTree::Group(group) if !after_hash => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Lit::Str(text) = Lit::new(literal) {
                        self.0.insert(text.value());
                    }
                }
                TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
            after_hash = hash;
        }
    }
}

impl<'ast> Visit<'ast> for Literals {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_item(&mut self, item: &'ast Item) {
        if !sources::is_for_tests(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.0.insert(text.value());
    }

    fn visit_macro(&mut self, macros: &'ast Macro) {
        self.tokens(macros.tokens.clone());
    }
}

/// A line of a literal as the tables have it; none where it is no English of several words.
fn line(line: &str) -> Option<String> {
    let line = line.strip_prefix("# ").unwrap_or(line);
    let line = if line.starts_with("  ") { line.trim_start() } else { line };
    let template = template(line);
    (template.contains(' ') && english::words(&template).next().is_some()).then_some(template)
}

/// A format string with every value as `{}`; values side by side are one.
fn template(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        out += before;
        if let Some(after) = from.strip_prefix("{{") {
            out.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}") {
            out.push('}');
            rest = after;
        } else {
            if !(before.is_empty() && out.ends_with("{}")) {
                out += "{}";
            }
            rest = from.find('}').map_or("", |end| from.get(end + 1..).unwrap_or_default());
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::report;
    use std::fs;

    const SOURCE: &str = r##"
        // "a comment of words"
        #[expect(clippy::unwrap_used, reason = "an attribute of words")]
        fn refuse(n: u32) -> String {
            let quote = '"';
            let raw = r#"{"a": 1}"#;
            format!("{n:>3} of {{{n}}} \
                are too many.")
        }
        #[cfg(test)]
        mod tests { const TOLD: &str = "a test of words"; }
    "##;

    const METHODS: &str = r#"
        order = 1
        id = "weights"
        title = "Weights"
        [[entry]]
        id = "bytes"
        title = "Bytes"
        formula = "2 × W"
        terms = [["W", "", "all weights"]]
        cites = [["A paper", "https://localhost"]]
    "#;

    const OTHER: &str = r#"
        weights = { title = "权重" }
        bytes = { title = "字节", text = "两字节。", terms = [["W", "全部权重"]] }
    "#;

    /// What is said of a core with one source and one language.
    fn reported(name: &str, words: &str) -> Result<String, String> {
        reported_with(name, words, OTHER)
    }

    /// What is said of one whose language has these words for its formulas.
    fn reported_with(name: &str, words: &str, methods: &str) -> Result<String, String> {
        let root = std::env::temp_dir().join("shardwise-xtask-words").join(name);
        for (file, text) in [
            ("src/job.rs", SOURCE),
            ("words/code.toml", "code = []"),
            ("words/zh/language.toml", ""),
            ("words/zh/errors.toml", words),
            ("words/zh/methods.toml", methods),
            ("explain/methods/weights.toml", METHODS),
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.with_file_name("")).map_err(|error| error.to_string())?;
            fs::write(path, text).map_err(|error| error.to_string())?;
        }
        report(&root)
    }

    #[test]
    fn a_sentence_without_words_is_named_and_so_are_words_of_nothing() {
        let whole = "\"{} of {{}} are too many.\" = \"{0} / {1} 太多。\"";
        assert_eq!(reported("whole", whole), Ok("1 sentences have their words in 1 other language(s)".to_owned()));
        let missing = "src/job.rs: no words in words/zh/*.toml for \"{} of {{}} are too many.\"";
        assert_eq!(reported("missing", ""), Err(missing.to_owned()));
        let unsaid = "words/zh/errors.toml: nothing says \"It was.\" any more";
        assert_eq!(reported("unsaid", &format!("{whole}\n\"It was.\" = \"是。\"")), Err(unsaid.to_owned()));
    }

    #[test]
    fn a_formula_without_words_is_named_and_so_are_words_of_none() {
        let whole = "\"{} of {{}} are too many.\" = \"{0} / {1} 太多。\"";
        let source = format!("{whole}\n\"A paper\" = \"论文\"");
        assert!(reported_with("source", &source, OTHER).is_ok());
        for (name, (from, to), said) in [
            ("formula", ("weights = { title = \"权重\" }", ""), "no words for the formula \"weights\""),
            ("nothing", ("weights =", "heights ="), "there is no formula \"heights\" any more"),
            ("symbol", ("[\"W\"", "[\"V\""), "\"bytes\" and its formula differ in \"W\""),
            ("text", ("两字节。", " "), "\"bytes\" needs a title, and a text where it is a formula"),
        ] {
            let found = reported_with(name, whole, &OTHER.replace(from, to)).err().unwrap_or_default();
            assert!(found.contains(&format!("words/zh/methods.toml: {said}")), "{found}");
        }
    }
}
