//! `shardwise contribute`: a measured run as a row of the published ones.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum, ValueHint};
use serde_json::Value;
use shardwise_core::interface::{Contribution, Origin, Speak, contributed};
use shardwise_core::wire::{Language, parse_question};
use shardwise_core::{InputError, Question, permalink};

use super::{about, complain, open};

/// Longest log or question that is read, in bytes, and one more, so that a longer one is refused.
const MOST_BYTES: u64 = (16 << 20) + 1;

/// What is contributed, and what neither log nor link says.
#[derive(Args)]
#[command(group = ArgGroup::new("asked").required(true))]
pub(crate) struct Options {
    /// What it is.
    #[arg(value_enum)]
    what: What,
    /// The log of the run, of a kind that `shardwise calibrate --log` reads; - for standard input.
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    log: PathBuf,
    /// The page's link to the run's question, or what is behind its #.
    #[arg(long, group = "asked")]
    link: Option<String>,
    /// A file with the run's question instead, as `shardwise read --json run.sh | jq .question` makes it of a script.
    #[arg(long, group = "asked", value_name = "FILE", value_hint = ValueHint::FilePath)]
    question: Option<PathBuf>,
    /// Where everybody can read the log: an https address at a commit.
    #[arg(long, value_hint = ValueHint::Url)]
    address: Option<String>,
    /// Day of the run: 2026-11-27, or 2026-11.
    #[arg(long)]
    date: Option<String>,
    /// Who measured it: a person, a project or a company.
    #[arg(long)]
    by: Option<String>,
    /// The GPU, where the question names none: a catalog id.
    #[arg(long)]
    gpu: Option<String>,
    /// The model's name, where the question gives its shape alone.
    #[arg(long)]
    model: Option<String>,
    /// The trainer, where the log's is not all of it: axolotl, say. Default: the log's.
    #[arg(long)]
    framework: Option<String>,
    /// What the question states that neither log nor script does, and where that is from.
    #[arg(long)]
    note: Option<String>,
    /// The row's name. Default: made of --by.
    #[arg(long)]
    id: Option<String>,
    /// Add the row to its file in the clone that this is run in, rather than print it.
    #[arg(long)]
    append: bool,
}

/// What is contributed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// A measured run of training or RL.
    Run,
}

/// Makes the row. Whether it is one.
pub(crate) fn run(options: &Options, lang: Language, out: &mut impl Write) -> io::Result<bool> {
    let What::Run = options.what;
    let log = text(&options.log, lang)?;
    let question = match question(options, lang)? {
        Ok(question) => question,
        Err(error) => return refused(&[error], lang),
    };
    let origin = Origin {
        address: options.address.clone(),
        date: options.date.clone(),
        by: options.by.clone(),
        model: options.model.clone(),
        framework: options.framework.clone(),
        note: options.note.clone(),
        id: options.id.clone(),
    };
    match contributed(&log, &question, &origin) {
        Ok(found) => {
            let clone = clone();
            if options.append && clone.is_none() {
                let says = "This is no clone of the sources: nothing above this folder has core/tests/data/training.jsonl. Go into one, or leave out --append.";
                return Err(io::Error::other(lang.sentence(says)));
            }
            add(found, clone.as_deref(), options, lang, out)
        }
        Err(wrong) => refused(&wrong, lang),
    }
}

/// Says all that is wrong, by option.
fn refused(wrong: &[InputError], lang: Language) -> io::Result<bool> {
    for error in wrong {
        let option =
            ["address", "by", "date", "gpu", "link", "model", "note", "question"].contains(&error.field.as_str());
        let field = if option { format!("--{}", error.field) } else { error.field.clone() };
        complain(&format!("{field}: {}", lang.sentence(&error.message)));
    }
    Ok(false)
}

/// Writes the row to where it belongs, and the estimate beside what was measured to who watches.
fn add(
    mut found: Contribution,
    clone: Option<&Path>,
    options: &Options,
    lang: Language,
    out: &mut impl Write,
) -> io::Result<bool> {
    let path = clone.map(|clone| clone.join(found.file));
    let rows = path.as_deref().map(rows).transpose()?.unwrap_or_default();
    let taken = |id: &str| rows.iter().any(|row| row["id"] == id);
    if options.id.is_none() {
        let name = found.row.id.trim_end_matches("001").to_owned();
        let free = (1..).map(|number| format!("{name}{number:03}")).find(|id| !taken(id));
        found.row.id = free.unwrap_or(found.row.id);
    } else if taken(&found.row.id) {
        return refused(&[InputError::new("--id", "A row has this name. Choose another, or leave it out.")], lang);
    }
    let row = serde_json::to_string(&found.row)?;
    let written: Value = serde_json::from_str(&row)?;
    let same = |own: &&Value| own["source_url"] == written["source_url"] && own["question"] == written["question"];
    if let Some(own) = rows.iter().find(same) {
        let says = format!("{} is the row of this log and question already.", own["id"].as_str().unwrap_or("?"));
        return refused(&[InputError::new("address", says)], lang);
    }
    let counted = format!("{} steps behind the first, which warms up.", found.steps);
    writeln!(io::stderr(), "{}", lang.sentence(&counted))?;
    for own in &found.compared {
        writeln!(io::stderr(), "  {}", lang.sentence(&own.says()))?;
    }
    match path.filter(|_| options.append) {
        Some(path) => {
            let mut file = OpenOptions::new()
                .append(true)
                .open(&path)
                .map_err(|error| about(&path, &error))?;
            writeln!(file, "{row}").map_err(|error| about(&path, &error))?;
            writeln!(out, "{}: {}", found.file, found.row.id)?;
        }
        None => writeln!(out, "{row}")?,
    }
    Ok(true)
}

/// The rows of a file.
fn rows(path: &Path) -> io::Result<Vec<Value>> {
    let text = fs::read_to_string(path).map_err(|error| about(path, &error))?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// The clone of the sources that this folder is in.
fn clone() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let root = here
        .ancestors()
        .find(|folder| folder.join("core/tests/data/training.jsonl").is_file())?;
    Some(root.to_owned())
}

/// A file's text; what is no text of it is replaced.
fn text(path: &Path, lang: Language) -> io::Result<String> {
    let mut bytes = Vec::new();
    open(path, lang)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The run's question, with the GPU that it leaves out.
fn question(options: &Options, lang: Language) -> io::Result<Result<Question, InputError>> {
    let read = match (&options.link, &options.question) {
        (Some(link), _) => {
            let hash = link.split_once('#').map_or(link.as_str(), |(_, hash)| hash);
            match &options.gpu {
                Some(gpu) if !names_gpu(hash) => permalink::from_hash(&format!("hardware.gpu={gpu}&{hash}")),
                _ => permalink::from_hash(hash),
            }
        }
        (None, Some(path)) => {
            let text = text(path, lang)?;
            let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
            match (&options.gpu, value.get_mut("hardware").and_then(Value::as_object_mut)) {
                (Some(gpu), Some(hardware)) if !hardware.contains_key("gpu") => {
                    hardware.insert("gpu".to_owned(), gpu.as_str().into());
                    parse_question(&value.to_string())
                }
                _ => parse_question(&text),
            }
        }
        (None, None) => Err(InputError::new("link", "Give the page's link, or a file with --question.")),
    };
    Ok(read.and_then(|question| match &options.gpu {
        Some(gpu) if question.hardware.gpu != gpu.as_str() => {
            let says = "The question names another GPU. Change it there, or leave this out.";
            Err(InputError::new("gpu", says))
        }
        _ => Ok(question),
    }))
    .map(|read| {
        read.map_err(|error| {
            let gpu = error.field == "hardware.gpu" && options.gpu.is_none();
            let says = format!("{} --gpu names it, too.", lang.sentence(&error.message));
            if gpu { InputError::new(error.field, says) } else { error }
        })
    })
}

/// Whether a link names a GPU, or gives its figures.
fn names_gpu(hash: &str) -> bool {
    hash.split('&')
        .any(|pair| pair.starts_with("hardware.gpu=") || pair.starts_with("hardware.gpu."))
}
