//! `shardwise explain` and `shardwise methods`: how figures come about, and the formulas.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};
use shardwise_core::error::InputError;
use shardwise_core::interface::{explained, explanations};
use shardwise_core::methods::{Explanation, error_of, groups};
use shardwise_core::wire::{Language, Question};
use shardwise_core::words::{self, Formula};

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
    if options.json {
        return explanations(question, &options.figure, language);
    }
    let all = explained(question, &options.figure, language)?;
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
        say_both(&mut document);
        return writeln!(out, "{:#}", json!({"version": 1, "groups": document}));
    }
    let own = words::of(language);
    for group in groups() {
        writeln!(out, "{}\n", words::title(group, own))?;
        for entry in group.entries {
            let Formula { title, formula, text, meanings, citations } = Formula::of(entry, own);
            writeln!(out, "  {title} [{}]", entry.id)?;
            writeln!(out, "    {formula}")?;
            for (term, meaning) in entry.terms.iter().zip(meanings) {
                writeln!(out, "      {}: {meaning}", term.symbol)?;
            }
            for line in text.lines().filter(|line| !line.is_empty()) {
                writeln!(out, "    {line}")?;
            }
            for constant in entry.constants {
                writeln!(out, "    {}: {}", constant.name, constant.basis)?;
            }
            let error = words::said(error_of(entry.error), own);
            if !error.is_empty() {
                writeln!(out, "    {error}")?;
            }
            for (citation, name) in entry.citations.iter().zip(citations) {
                writeln!(out, "    {name}: {}", citation.url)?;
            }
            let code = &entry.code;
            writeln!(out, "    {}:{} {}\n", code.path, code.line, code.item)?;
        }
    }
    Ok(())
}

/// Puts the words of the second language beside the English ones, and what measured an entry.
fn say_both(document: &mut Value) {
    let both = [Language::En, Language::Zh].map(words::of);
    for (group, value) in groups().iter().zip(list(document)) {
        value["title"] = json!(both.map(|own| words::title(group, own)));
        for (entry, value) in group.entries.iter().zip(list(&mut value["entries"])) {
            let [en, zh] = both.map(|own| Formula::of(entry, own));
            value["title"] = json!([en.title, zh.title]);
            value["formula_zh"] = json!(zh.formula);
            value["text"] = json!([en.text, zh.text]);
            value["measured"] = json!(both.map(|own| words::said(error_of(entry.error), own)));
            for (term, meanings) in list(&mut value["terms"]).zip(en.meanings.iter().zip(zh.meanings)) {
                term["meaning"] = json!(meanings);
            }
            for (citation, name) in list(&mut value["citations"]).zip(zh.citations) {
                citation["name_zh"] = json!(name);
            }
        }
    }
}

fn list(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.as_array_mut().into_iter().flatten()
}
