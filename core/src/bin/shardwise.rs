//! The command line: questions in, answers out, one JSON document per line.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line prints")]

#[cfg(feature = "mcp")]
#[path = "shardwise/agents.rs"]
mod agents;
#[path = "shardwise/arguments.rs"]
mod arguments;
#[path = "shardwise/checking.rs"]
mod checking;
#[path = "shardwise/contributing.rs"]
mod contributing;
#[path = "shardwise/doctoring.rs"]
mod doctoring;
#[path = "shardwise/explaining.rs"]
mod explaining;
#[path = "shardwise/logging.rs"]
mod logging;
#[path = "shardwise/manual.rs"]
mod manual;
#[path = "shardwise/pricing.rs"]
mod pricing;
#[path = "shardwise/reading.rs"]
mod reading;
#[path = "shardwise/schemas.rs"]
mod schemas;
#[path = "shardwise/searching.rs"]
mod searching;
#[cfg(feature = "serve")]
#[path = "shardwise/serving.rs"]
mod serving;

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use serde_json::Value;
use shardwise_core::calibration::Measured;
use shardwise_core::efficiency::{EFFICIENCY, Efficiency};
use shardwise_core::emit;
use shardwise_core::encoding::{MARK, UTF_16, begins_utf_16};
use shardwise_core::error::InputError;
use shardwise_core::interface::Speak;
use shardwise_core::interface::{self, Flags, answered, calibrated, line, sorted};
use shardwise_core::wire::Language;
use shardwise_core::wire::{FlagsOptions, Question, ReadOptions, Table};
use shardwise_core::{estimate, evaluate_with, sensitivity};

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let Arguments { lang, command } = Arguments::parse();
    match run(command, lang) {
        Ok(status) => ExitCode::from(status),
        // Who reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}

/// Says what went wrong. Where nobody listens, the exit status says it.
fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "shardwise: {text}");
}

/// The exit status: 0 where every question was answered, 1 where one was not; of a check its verdict.
#[expect(clippy::too_many_lines, reason = "an arm for each command")]
fn run(command: Command, lang: Language) -> io::Result<u8> {
    let mut out = BufWriter::new(io::stdout().lock());
    let done = match command {
        Command::Estimate { files, efficiency: None, prices } => {
            let sheet = prices.sheet(lang)?;
            each(&files, lang, &mut out, |question| line(&estimate(&sheet.beside(question))?, lang))
        }
        Command::Estimate { files, efficiency: Some(path), prices } => {
            let sheet = prices.sheet(lang)?;
            let efficiency: Efficiency = serde_json::from_reader(open(&path, lang)?).map_err(|error| {
                let says =
                    format!("{}: {error}. `shardwise efficiency` prints what such a file holds.", path.display());
                io::Error::new(io::ErrorKind::InvalidData, lang.sentence(&says))
            })?;
            each(&files, lang, &mut out, |question| {
                line(&evaluate_with(&sheet.beside(question), &efficiency)?.answer, lang)
            })
        }
        Command::Sensitivity { files } => each(&files, lang, &mut out, |question| line(&sensitivity(question)?, lang)),
        Command::Explain { files, options } => {
            each(&files, lang, &mut out, |question| explaining::document(question, &options, lang))
        }
        Command::Methods { json } => {
            explaining::methods(lang, json, &mut out)?;
            Ok(true)
        }
        Command::Efficiency => {
            writeln!(out, "{}", serde_json::to_string_pretty(&EFFICIENCY)?)?;
            Ok(true)
        }
        Command::Search { files, options, prices } => {
            let (options, sheet) = (options.asked(lang), prices.sheet(lang)?);
            each(&files, lang, &mut out, |question| interface::search(&sheet.beside(question), &options))
        }
        Command::Flags { files, framework, framework_version, json, page } => {
            let options =
                FlagsOptions { framework, version: Some(framework_version), page: Some(page), lang: Some(lang) };
            each(&files, lang, &mut out, |question| write_flags(question, &options, json))
        }
        Command::Calibrate { files, log, forward_s, backward_s, step_time_s, peak_gib } => {
            let log = match log.map(|path| logging::read(&path, lang)).transpose()? {
                Some(Err(trouble)) => {
                    complain(&lang.sentence(&trouble.to_string()));
                    return Ok(1);
                }
                Some(Ok(log)) => Some(log),
                None => None,
            };
            let measured = Measured { forward_s, backward_s, step_time_s, peak_gib };
            each(&files, lang, &mut out, |question| sorted(&calibrated(question, measured, log.as_ref())?, lang))
        }
        Command::Link { files } => {
            each(&files, lang, &mut out, |question| Ok(format!("#{}", interface::linked(question, false)?.link)))
        }
        Command::Read { files, gpu, model, json, migrate, all } => {
            let lang = Some(lang);
            let options = ReadOptions { gpu, model, lang };
            let form = if migrate {
                reading::Form::Migrated
            } else if all {
                reading::Form::All
            } else {
                reading::Form::Short
            };
            reading::run(&files, &options, (!json).then_some(form), &mut out)
        }
        Command::Check { options } => {
            let status = checking::run(&options, lang, &mut out)?;
            out.flush()?;
            return Ok(status);
        }
        Command::Contribute { options } => contributing::run(&options, lang, &mut out),
        Command::Doctor { files, gpu, model, json } => {
            let lang = Some(lang);
            doctoring::run(&files, &ReadOptions { gpu, model, lang }, json, &mut out)
        }
        Command::Catalog { table, gpu, kind } if gpu.is_some() || kind.is_some() => {
            let rows = match table {
                Table::Offers => interface::offers(gpu.as_deref(), kind.as_deref()),
                _ => {
                    let says = "Only the table of offers is asked by GPU or kind. Leave this out, or ask for offers.";
                    Err(InputError::new(if gpu.is_some() { "gpu" } else { "kind" }, says))
                }
            };
            match rows {
                Ok(rows) => {
                    for row in rows {
                        writeln!(out, "{}", serde_json::to_string(&row)?)?;
                    }
                    Ok(true)
                }
                Err(error) => {
                    writeln!(out, "{}", interface::refused(error, lang))?;
                    Ok(false)
                }
            }
        }
        Command::Catalog { table, .. } => {
            for row in interface::rows(table) {
                writeln!(out, "{}", serde_json::to_string(&row)?)?;
            }
            Ok(true)
        }
        Command::Schema => {
            writeln!(out, "{:#}", schemas::all())?;
            Ok(true)
        }
        Command::Completions { shell } => {
            // Into memory first: it panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "shardwise", &mut script);
            out.write_all(&script)?;
            Ok(true)
        }
        Command::Man { dir: None } => {
            manual::print(&mut out)?;
            Ok(true)
        }
        Command::Man { dir: Some(dir) } => {
            manual::write(&dir).map_err(|error| about(&dir, &error))?;
            Ok(true)
        }
        #[cfg(feature = "mcp")]
        Command::Mcp { options } => {
            // The protocol writes by itself.
            drop(out);
            return agents::run(&options).map(|()| 0);
        }
        #[cfg(not(feature = "mcp"))]
        Command::Mcp { .. } => {
            let says = "This program was built without the protocol of agents. In the sources, `make cli` builds one with it: target/fast/shardwise.";
            return Err(io::Error::other(lang.sentence(says)));
        }
        #[cfg(feature = "serve")]
        Command::Serve { options } => {
            serving::run(&options, lang)?;
            Ok(true)
        }
        #[cfg(not(feature = "serve"))]
        Command::Serve { .. } => {
            let says = "This program was built without the page. In the sources, `make cli` builds one with it: target/fast/shardwise.";
            return Err(io::Error::other(lang.sentence(says)));
        }
    }?;
    out.flush()?;
    Ok(u8::from(!done))
}

/// Writes one result per question, in order; an error never stops the others.
fn each(
    files: &[PathBuf],
    lang: Language,
    out: &mut impl Write,
    mut answer: impl FnMut(&Question) -> Result<String, InputError>,
) -> io::Result<bool> {
    let mut all = true;
    let mut one = |text: &str, out: &mut dyn Write| -> io::Result<()> {
        // Its end is no part of a question, and no place to find an error at.
        let line = answered(text.trim_end(), lang, &mut answer).unwrap_or_else(|refused| {
            all = false;
            refused
        });
        writeln!(out, "{line}")?;
        // Who asks line by line waits for the answer.
        out.flush()
    };
    for input in inputs(files, lang) {
        read(input?, out, &mut one)?;
    }
    Ok(all)
}

/// What the files hold, or standard input where none is named.
fn inputs(files: &[PathBuf], lang: Language) -> impl Iterator<Item = io::Result<Box<dyn BufRead>>> {
    let standard = files.is_empty().then(|| Path::new("-"));
    let named = files.iter().map(PathBuf::as_path);
    named.chain(standard).map(move |path| open(path, lang))
}

/// A file's text; `-` is standard input.
fn open(path: &Path, lang: Language) -> io::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        if io::stdin().is_terminal() {
            let says = if cfg!(windows) {
                "Reading from the keyboard. Ctrl-Z and Enter on a line of their own end it."
            } else {
                "Reading from the keyboard. Ctrl-D on a line of its own ends it."
            };
            complain(&lang.sentence(says));
        }
        return unmarked(io::stdin().lock(), path, lang);
    }
    if path.is_dir() {
        let says = format!("{}: a folder. Name the files in it.", path.display());
        return Err(io::Error::new(io::ErrorKind::IsADirectory, lang.sentence(&says)));
    }
    let file = File::open(path).map_err(|error| about(path, &error))?;
    unmarked(BufReader::new(file), path, lang)
}

/// A text without the byte-order mark that it begins with; one in UTF-16 is refused.
fn unmarked(mut input: impl BufRead + 'static, path: &Path, lang: Language) -> io::Result<Box<dyn BufRead>> {
    let mut first = Vec::new();
    input
        .by_ref()
        .take(MARK.len_utf8() as u64)
        .read_to_end(&mut first)
        .map_err(|error| about(path, &error))?;
    if begins_utf_16(&first) {
        let says = format!("{}: {}", path.display(), lang.sentence(UTF_16));
        return Err(io::Error::new(io::ErrorKind::InvalidData, says));
    }
    if first == MARK.to_string().as_bytes() {
        first.clear();
    }
    Ok(Box::new(Cursor::new(first).chain(input)))
}

/// An error, and the file that it is about.
fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// JSON Lines, or one document over several lines.
fn read(
    mut input: impl BufRead,
    out: &mut dyn Write,
    one: &mut dyn FnMut(&str, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut first = Vec::new();
    while first.trim_ascii().is_empty() {
        first.clear();
        if input.read_until(b'\n', &mut first)? == 0 {
            return Ok(());
        }
    }
    if serde_json::from_slice::<Value>(&first).is_err() && first.trim_ascii().starts_with(b"{") {
        // Perhaps a document over several lines; if the whole is none either, these are lines.
        let mut whole = first.clone();
        input.read_to_end(&mut whole)?;
        if serde_json::from_slice::<Value>(&whole).is_ok() {
            return one(&String::from_utf8_lossy(&whole), out);
        }
        for line in whole.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            one(&String::from_utf8_lossy(line), out)?;
        }
        return Ok(());
    }
    one(&String::from_utf8_lossy(&first), out)?;
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if !line.trim_ascii().is_empty() {
            one(&String::from_utf8_lossy(&line), out)?;
        }
        line.clear();
    }
    Ok(())
}

/// Frameworks that flags are printed for.
fn known() -> impl Iterator<Item = &'static str> {
    emit::FRAMEWORKS.iter().map(|framework| framework.id)
}

fn write_flags(question: &Question, options: &FlagsOptions, json: bool) -> Result<String, InputError> {
    match interface::flags(question, options)? {
        found if json => line(&found, Language::En),
        Flags::Snippets(found) => {
            let texts: Vec<String> = found.snippets.into_iter().map(|one| one.text).collect();
            Ok(texts.join("\n"))
        }
        Flags::Unsupported(found) => Err(InputError::new("plan.backend", found.unsupported)),
    }
}
