//! `shardwise explain` and `shardwise methods`: how figures come about, and the formulas.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};
use shardwise_core::error::InputError;
use shardwise_core::evaluate_alone;
use shardwise_core::methods::{Explanation, error_of, explain, figures, groups};
use shardwise_core::wire::Language;
use shardwise_core::wire::Question;

/// What is explained, and how it is written.
#[derive(Args)]
pub(crate) struct Options {
    /// The figure: mfu, usd_per_mtok, memory, memory.update_actor.activations, time.rollout.decode, ... All of them
    /// where none is named.
    #[arg(long)]
    figure: Vec<String>,
    /// One JSON object per question instead of plain text.
    #[arg(long)]
    json: bool,
}

/// The explanations of a question's figures.
pub(crate) fn document(question: &Question, options: &Options, language: Language) -> Result<String, InputError> {
    let found = evaluate_alone(question)?;
    let known = figures(&found);
    let wanted = if options.figure.is_empty() { &known } else { &options.figure };
    let mut all = Vec::new();
    for figure in wanted {
        let own = explain(&found, figure, language).ok_or_else(|| {
            let known = known.join(", ");
            let message = format!("The answer has no figure {figure}. It has: {known}.");
            InputError::new("figure", message)
        })?;
        all.push(own);
    }
    if options.json {
        return Ok(json!({"version": 1, "explanations": all}).to_string());
    }
    let texts: Vec<String> = all.iter().map(text).collect();
    Ok(texts.join("\n"))
}

fn text(own: &Explanation) -> String {
    let mut lines =
        vec![format!("{} [{}]", own.title, own.figure), format!("  {}", own.formula), format!("  = {}", own.put_in)];
    for term in &own.terms {
        let unit = if term.unit.is_empty() { "" } else { " " };
        let opened = term.figure.as_ref().filter(|figure| **figure != own.figure);
        let opened = opened.map(|figure| format!(" [{figure}]")).unwrap_or_default();
        lines.push(format!("    {} = {}{unit}{}: {}{opened}", term.symbol, term.value, term.unit, term.meaning));
    }
    lines.extend(own.notes.iter().map(|note| format!("  {note}")));
    if !own.error.is_empty() {
        lines.push(format!("  {}", own.error));
    }
    for source in &own.sources {
        lines.push(format!("  {}: {}", source.name, source.url));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Writes every formula, as text or as one JSON document.
pub(crate) fn methods(language: Language, json: bool, out: &mut impl Write) -> io::Result<()> {
    if json {
        let mut document = serde_json::to_value(groups())?;
        add_errors(&mut document);
        return writeln!(out, "{:#}", json!({"version": 1, "groups": document}));
    }
    for group in groups() {
        let [title_en, title_zh] = group.title;
        writeln!(out, "{}\n", language.pick(title_en, title_zh))?;
        for entry in group.entries {
            let ([title_en, title_zh], [en, zh]) = (entry.title, entry.text);
            let title = language.pick(title_en, title_zh);
            writeln!(out, "  {title} [{}]", entry.id)?;
            let formula = language.pick(entry.formula, entry.formula_zh);
            writeln!(out, "    {formula}")?;
            for term in entry.terms {
                let [en, zh] = term.meaning;
                writeln!(out, "      {}: {}", term.symbol, language.pick(en, zh))?;
            }
            for line in language.pick(en, zh).lines().filter(|line| !line.is_empty()) {
                writeln!(out, "    {line}")?;
            }
            for constant in entry.constants {
                writeln!(out, "    {}: {}", constant.name, constant.basis)?;
            }
            let error = error_of(entry.error, language);
            if !error.is_empty() {
                writeln!(out, "    {error}")?;
            }
            for citation in entry.citations {
                let name = language.pick(citation.name, citation.name_zh);
                writeln!(out, "    {name}: {}", citation.url)?;
            }
            let code = &entry.code;
            writeln!(out, "    {}:{} {}\n", code.path, code.line, code.item)?;
        }
    }
    Ok(())
}

/// Beside what measured an entry, what that says.
fn add_errors(document: &mut Value) {
    let groups_of_values = document.as_array_mut().into_iter().flatten();
    for (group, value) in groups().iter().zip(groups_of_values) {
        let entries = value["entries"].as_array_mut().into_iter().flatten();
        for (entry, value) in group.entries.iter().zip(entries) {
            let said = [Language::En, Language::Zh].map(|language| error_of(entry.error, language));
            value["measured"] = json!(said);
        }
    }
}
