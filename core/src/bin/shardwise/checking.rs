//! `shardwise check`: whether scripts fit, end in time and are paid for, as a person, a pull request or a build reads it.

#[path = "checking/github.rs"]
mod github;
#[path = "checking/junit.rs"]
mod junit;
#[path = "checking/sarif.rs"]
mod sarif;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use serde_json::json;
use shardwise_core::interface::{Checked, Finding, Level, Speak, Verdict, check, line};
use shardwise_core::wire::{CheckOptions, Language};

use super::reading::texts;

/// What is checked, against what, and how the outcome is written.
#[derive(Args)]
pub(crate) struct Options {
    /// Scripts and configurations, each of a run of its own; standard input where none is named.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// A file that belongs to each of these runs: `ds_config.json`, a recipe.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    with: Vec<PathBuf>,
    /// The GPU, which no text names: a catalog id. Default h100-sxm.
    #[arg(long)]
    gpu: Option<String>,
    /// Number of GPUs over all nodes, whatever the text says.
    #[arg(long)]
    gpus: Option<u64>,
    /// The model, where the text names a folder that the catalog does not know: an id or a Hugging Face name.
    #[arg(long)]
    model: Option<String>,
    /// How sure it is to be that the run fits, 0.5 to 0.999. Default 0.95.
    #[arg(long, visible_alias = "risk")]
    confidence: Option<f64>,
    /// Steps of the run, whatever the text says.
    #[arg(long)]
    steps: Option<u64>,
    /// Hours that the run may take.
    #[arg(long, value_name = "HOURS")]
    deadline_h: Option<f64>,
    /// Dollars that the run may cost, by the price that an estimate of it goes by unless one of the next two is given.
    #[arg(long, value_name = "USD")]
    budget_usd: Option<f64>,
    /// Price of one GPU for one hour, in US dollars.
    #[arg(long, value_name = "USD", conflicts_with = "offer")]
    usd_per_gpu_hour: Option<f64>,
    /// The offer that it is to run on, by its id in `shardwise catalog offers`.
    #[arg(long)]
    offer: Option<String>,
    /// How the outcome is written.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Pass over files that are no framework's, rather than ask what they are: for a hook that is handed every script.
    #[arg(long)]
    skip_others: bool,
}

/// How the outcome is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line for each run, and what stands against it below.
    Text,
    /// A JSON document for each run, one a line.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
    /// SARIF 2.1.0, which code scanning takes.
    Sarif,
    /// JUnit's XML: a suite for each run, a test for each thing that was checked.
    Junit,
}

/// A run that was checked.
struct Run {
    /// Its script, as it was named.
    file: String,
    /// Files that belong to it.
    with: Vec<String>,
    /// The decision on one line.
    line: String,
    checked: Checked,
}

/// Checks each file. The exit status, which the help lists.
pub(crate) fn run(options: &Options, lang: Language, out: &mut impl Write) -> io::Result<u8> {
    let asked = CheckOptions {
        gpu: options.gpu.clone(),
        gpus: options.gpus,
        model: options.model.clone(),
        confidence: options.confidence,
        steps: options.steps,
        deadline_h: options.deadline_h,
        budget_usd: options.budget_usd,
        usd_per_gpu_hour: options.usd_per_gpu_hour,
        offer: options.offer.clone(),
        lang: Some(lang),
    };
    let beside = if options.with.is_empty() { Vec::new() } else { texts(&options.with, lang)? };
    let standard = [PathBuf::from("-")];
    let files = if options.files.is_empty() { &standard[..] } else { &options.files };
    let mut runs = Vec::new();
    for file in files {
        let own = texts(std::slice::from_ref(file), lang)?;
        let all: Vec<&str> = own.iter().chain(&beside).map(String::as_str).collect();
        let checked = check(&all, &asked).map_err(|error| {
            let says = format!("--{}: {}", error.field.replace('_', "-"), error.message);
            io::Error::new(io::ErrorKind::InvalidInput, lang.sentence(&says))
        })?;
        let other = checked.findings.iter().any(|one| one.rule == "unread");
        if !(options.skip_others && other) {
            let (file, checked) = (name(file), said(checked, lang));
            let with = options.with.iter().map(|file| name(file)).collect();
            runs.push(Run { line: told(&file, &checked, lang), with, file, checked });
        }
    }
    match options.format {
        Format::Text => text(&runs, lang, out)?,
        Format::Json => {
            for run in &runs {
                let mut document = serde_json::to_value(&run.checked)?;
                document["file"] = json!(run.file);
                let told = line(&document, lang).map_err(|error| io::Error::other(error.to_string()))?;
                writeln!(out, "{told}")?;
            }
        }
        Format::Github => github::write(&runs, out)?,
        Format::Sarif => sarif::write(&runs, lang, out)?,
        Format::Junit => junit::write(&runs, out)?,
    }
    Ok(status(&runs))
}

/// The worst verdict, as an exit status.
fn status(runs: &[Run]) -> u8 {
    match runs.iter().map(|run| run.checked.verdict).max() {
        None | Some(Verdict::Fits) => 0,
        Some(Verdict::Unknown) => 1,
        Some(Verdict::Tight) => 3,
        Some(Verdict::Unfit) => 4,
    }
}

fn name(file: &Path) -> String {
    if file == Path::new("-") {
        "<stdin>".to_owned()
    } else {
        file.display().to_string().replace(char::is_control, "?")
    }
}

/// With its sentences in the language.
fn said(mut checked: Checked, lang: Language) -> Checked {
    for own in &mut checked.says {
        own.text = lang.sentence(&own.text);
    }
    for own in &mut checked.findings {
        own.text = lang.sentence(&own.text);
    }
    checked
}

impl Run {
    /// The file that a finding is in.
    fn file_of(&self, one: &Finding) -> &str {
        let beside = one.file.and_then(|place| self.with.get((place as usize).checked_sub(2)?));
        beside.unwrap_or(&self.file)
    }
}

/// The decision on one line.
fn told(file: &str, checked: &Checked, lang: Language) -> String {
    let says: Vec<&str> = checked.says.iter().map(|one| one.text.as_str()).collect();
    format!("{file}: {}", says.join(lang.pick(" ", "")))
}

fn text(runs: &[Run], lang: Language, out: &mut impl Write) -> io::Result<()> {
    for run in runs {
        writeln!(out, "{}", run.line)?;
        for one in &run.checked.findings {
            let level = lang.sentence(match one.level {
                Level::Error => "error: ",
                Level::Warning => "warning: ",
                Level::Note => "note: ",
            });
            let file = run.file_of(one);
            let place = if one.line == 0 { file.to_owned() } else { format!("{file}:{}", one.line) };
            writeln!(out, "  {place}: {level}{} [{}]", one.text, one.rule)?;
        }
    }
    Ok(())
}
