//! The command line: questions in, answers out, one JSON document per line.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line prints"
)]

#[path = "shardwise/explaining.rs"]
mod explaining;
#[path = "shardwise/language.rs"]
mod language;
#[path = "shardwise/reading.rs"]
mod reading;
#[path = "shardwise/searching.rs"]
mod searching;

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand, ValueEnum};
use serde_json::{Value, json};
use shardwise_core::calibration::{Calibrated, Measured, calibrate};
use shardwise_core::efficiency::{EFFICIENCY, Efficiency};
use shardwise_core::emit::{self, Framework, Language, Snippet};
use shardwise_core::error::InputError;
use shardwise_core::wire::{Answer, Question, Sensitivity, parse_question};
use shardwise_core::{catalog, estimate, evaluate_with, flags, permalink, sensitivity};

use language::Lang;

/// Memory, speed, cost and flags of training language models.
#[derive(Parser)]
#[command(name = "shardwise", version, about)]
struct Arguments {
    /// Language of errors, caveats, advice, reports and comments; keys and code are the same in both.
    #[arg(long, value_enum, global = true, default_value = "en")]
    lang: Lang,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer questions: one JSON object, or JSON Lines. Refused ones get an error line, exit status 1.
    Estimate {
        /// Files with questions; standard input where none is named.
        files: Vec<PathBuf>,
        /// JSON file with other efficiencies than the built-in ones: for fitting them.
        #[arg(long)]
        efficiency: Option<PathBuf>,
    },
    /// Write what each single change of the plan is worth, and what makes a plan fit that does not.
    Sensitivity {
        /// Files with questions; standard input where none is named.
        files: Vec<PathBuf>,
    },
    /// Write how figures come about: each formula with the question's numbers put in, its sources, its measured error.
    Explain {
        /// Files with questions; standard input where none is named.
        files: Vec<PathBuf>,
        #[command(flatten)]
        options: explaining::Options,
    },
    /// List every formula with its sources, the code that computes it and what measured it.
    Methods {
        /// One JSON document, in both languages, instead of plain text.
        #[arg(long)]
        json: bool,
    },
    /// Print the built-in efficiencies as JSON.
    Efficiency,
    /// Write the best plans of each question, or the best offers among GPU types and numbers of GPUs.
    Search {
        /// Files with questions; standard input where none is named.
        files: Vec<PathBuf>,
        #[command(flatten)]
        options: searching::Options,
    },
    /// Write flags to paste.
    Flags {
        /// Files with questions; standard input where none is named.
        files: Vec<PathBuf>,
        /// Framework.
        #[arg(long = "for", value_parser = PossibleValuesParser::new(known()))]
        framework: String,
        /// Version of the framework; its newest where none is named.
        #[arg(long, default_value = "")]
        framework_version: String,
        /// One JSON object per question instead of plain text.
        #[arg(long)]
        json: bool,
        /// Address of the page, for the permalink in the text.
        #[arg(long, default_value = "")]
        page: String,
    },
    /// Compare a run with its estimate: MFU, by how much the estimate is off, and the question calibrated with it.
    Calibrate {
        /// Files with the run's question; standard input where none is named.
        files: Vec<PathBuf>,
        /// Seconds of a micro-batch's forward pass on one GPU.
        #[arg(long)]
        forward_s: Option<f64>,
        /// Seconds of its backward pass.
        #[arg(long)]
        backward_s: Option<f64>,
        /// Seconds of a whole step.
        #[arg(long)]
        step_time_s: Option<f64>,
        /// GiB that training's allocator handed out at most (`torch.cuda.max_memory_allocated`).
        #[arg(long)]
        peak_gib: Option<f64>,
    },
    /// Read a framework's command, script or configuration back into a question.
    Read {
        /// Texts of one run: a script, or `ds_config.json` and its launch line; standard input where none is named.
        files: Vec<PathBuf>,
        /// The GPU, which no text names: a catalog id. Default h100-sxm.
        #[arg(long)]
        gpu: Option<String>,
        /// The model, where the text names a folder that the catalog does not know: an id or a Hugging Face name.
        #[arg(long)]
        model: Option<String>,
        /// The whole document instead of plain text.
        #[arg(long)]
        json: bool,
    },
    /// List what the catalog knows, with sources.
    Catalog {
        /// Which table.
        #[arg(value_enum)]
        table: Table,
    },
    /// Print the JSON Schema of questions and answers.
    Schema,
    /// Print the part of the page's address that holds a question.
    Link {
        /// Files with questions; standard input where none is named.
        files: Vec<PathBuf>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Table {
    Gpus,
    Models,
    Nodes,
    Prices,
}

fn main() -> ExitCode {
    let Arguments { lang, command } = Arguments::parse();
    match run(command, lang) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("shardwise: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every question was answered.
fn run(command: Command, lang: Lang) -> io::Result<bool> {
    let mut out = BufWriter::new(io::stdout().lock());
    let done = match command {
        Command::Estimate {
            files,
            efficiency: None,
        } => each(&files, lang, &mut out, |question| {
            line(&estimate(question)?, lang)
        }),
        Command::Estimate {
            files,
            efficiency: Some(path),
        } => {
            let efficiency: Efficiency =
                serde_json::from_reader(BufReader::new(File::open(path)?))?;
            each(&files, lang, &mut out, |question| {
                line(&evaluate_with(question, &efficiency)?.answer, lang)
            })
        }
        Command::Sensitivity { files } => each(&files, lang, &mut out, |question| {
            line(&sensitivity(question)?, lang)
        }),
        Command::Explain { files, options } => each(&files, lang, &mut out, |question| {
            explaining::document(question, &options, lang.of_methods())
        }),
        Command::Methods { json } => {
            explaining::methods(lang.of_methods(), json, &mut out)?;
            Ok(true)
        }
        Command::Efficiency => {
            writeln!(out, "{}", serde_json::to_string_pretty(&EFFICIENCY)?)?;
            Ok(true)
        }
        Command::Search { files, options } => each(&files, lang, &mut out, |question| {
            Ok(lang.document(searching::document(question, &options)?))
        }),
        Command::Flags {
            files,
            framework,
            framework_version,
            json,
            page,
        } => each(&files, lang, &mut out, |question| {
            write_flags(question, &framework, &framework_version, json, &page, lang)
        }),
        Command::Calibrate {
            files,
            forward_s,
            backward_s,
            step_time_s,
            peak_gib,
        } => each(&files, lang, &mut out, |question| {
            let measured = Measured {
                forward_s,
                backward_s,
                step_time_s,
                peak_gib,
            };
            let own = calibrate(question, &measured)?;
            let question = own.applied(question);
            line(
                &json!({"version": 1, "calibrated": own, "question": question}),
                lang,
            )
        }),
        Command::Link { files } => each(&files, lang, &mut out, |question| {
            Ok(format!("#{}", permalink::to_hash(question)))
        }),
        Command::Read {
            files,
            gpu,
            model,
            json,
        } => reading::run(
            &files,
            gpu.as_deref(),
            model.as_deref(),
            json,
            lang,
            &mut out,
        ),
        Command::Catalog { table } => {
            list(table, &mut out)?;
            Ok(true)
        }
        Command::Schema => {
            let schema = json!({
                "question": schemars::schema_for!(Question),
                "answer": schemars::schema_for!(Answer),
                "calibrated": schemars::schema_for!(Calibrated),
                "sensitivity": schemars::schema_for!(Sensitivity),
                "reading": schemars::schema_for!(shardwise_core::read::Reading),
            });
            writeln!(out, "{schema:#}")?;
            Ok(true)
        }
    }?;
    out.flush()?;
    Ok(done)
}

fn line<T: serde::Serialize>(value: &T, lang: Lang) -> Result<String, InputError> {
    let line = serde_json::to_string(value).map_err(|error| {
        InputError::new("answer", format!("The answer cannot be written: {error}."))
    })?;
    Ok(lang.document(line))
}

/// Writes one result per question, in order; an error never stops the others.
fn each(
    files: &[PathBuf],
    lang: Lang,
    out: &mut impl Write,
    mut answer: impl FnMut(&Question) -> Result<String, InputError>,
) -> io::Result<bool> {
    let mut all = true;
    let mut one = |text: &str, out: &mut dyn Write| -> io::Result<()> {
        let result = parse_question(text).and_then(|question| answer(&question));
        let line = result.unwrap_or_else(|error| {
            all = false;
            lang.document(json!({"version": 1, "error": error}).to_string())
        });
        writeln!(out, "{line}")
    };
    if files.is_empty() {
        read(io::stdin().lock(), out, &mut one)?;
    }
    for path in files {
        let file = File::open(path).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        read(BufReader::new(file), out, &mut one)?;
    }
    Ok(all)
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
        for line in whole
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty())
        {
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

/// The framework of an identifier.
fn framework_named(id: &str) -> Result<&'static Framework, InputError> {
    emit::framework(id).ok_or_else(|| {
        let known = known().collect::<Vec<_>>().join(", ");
        let message = format!("There is no such framework. Known: {known}.");
        InputError::new("for", message)
    })
}

fn write_flags(
    question: &Question,
    framework: &str,
    version: &str,
    json: bool,
    page: &str,
    lang: Lang,
) -> Result<String, InputError> {
    let framework = framework_named(framework)?;
    let link = if page.is_empty() {
        String::new()
    } else {
        format!("{page}#{}", permalink::to_hash(question))
    };
    match flags(question, framework, framework.version(version)?, &link)? {
        Ok(snippets) if json => {
            let snippets: Vec<Value> = snippets.iter().map(|one| written(one, lang)).collect();
            Ok(json!({"version": 1, "snippets": snippets}).to_string())
        }
        Ok(snippets) => {
            let texts: Vec<String> = snippets.iter().map(|one| lang.snippet(one)).collect();
            Ok(texts.join("\n"))
        }
        Err(unsupported) if json => line(
            &json!({"version": 1, "unsupported": unsupported.message}),
            lang,
        ),
        Err(unsupported) => Err(InputError::new("plan.backend", unsupported.message)),
    }
}

/// A text to paste as JSON.
fn written(snippet: &Snippet, lang: Lang) -> Value {
    let language = match snippet.language {
        Language::Shell => "shell",
        Language::Json => "json",
        Language::Yaml => "yaml",
        Language::Toml => "toml",
    };
    let reasons = snippet.reasons.iter();
    let reasons: Vec<(&str, String)> = reasons
        .map(|(key, reason)| (key.as_str(), lang.sentence(reason)))
        .collect();
    json!({"file": snippet.file, "language": language, "text": lang.snippet(snippet), "reasons": reasons})
}

/// A table of the catalog as JSON Lines.
fn list(table: Table, out: &mut impl Write) -> io::Result<()> {
    let rows: Vec<Value> = match table {
        Table::Gpus => catalog::gpu_sources()
            .map(|(gpu, source, notes)| {
                json!({"id": gpu.id, "name": gpu.name, "memory_gib": gpu.memory_gib, "hbm_gb_per_s": gpu.hbm_gb_per_s,
                    "bf16_dense_tflops": gpu.bf16_dense_tflops, "fp8_dense_tflops": gpu.fp8_dense_tflops,
                    "nvlink_gb_per_s": gpu.nvlink_gb_per_s, "nvlink_domain": gpu.nvlink_domain,
                    "usd_per_gpu_hour": gpu.usd_per_gpu_hour, "source": source, "price_source": gpu.price_source, "notes": notes})
            })
            .collect(),
        Table::Models => catalog::model_sources()
            .zip(catalog::model_licenses().map(|(_, license)| license))
            .zip(catalog::license_sources())
            .map(|(((model, source, family), license), license_source)| {
                let counts = shardwise_core::model::resolve_model(&Value::from(model.id), "model").map(|model| model.parameters);
                json!({"id": model.id, "name": model.name, "hf_repo": model.hf_repo, "family": family,
                    "parameters": counts.as_ref().ok().map(|counts| counts.total),
                    "active_parameters": counts.as_ref().ok().map(|counts| counts.active), "source": source,
                    "license": license, "license_source": license_source})
            })
            .collect(),
        Table::Nodes => catalog::nodes()
            .iter()
            .map(|node| {
                json!({"name": node.name, "provider": node.provider, "gpu": node.gpu, "gpus": node.gpus,
                    "nvlink_domain": node.nvlink_domain, "network_gbit_per_s": node.network_gbit_per_s,
                    "technology": node.technology, "host_ram_gib": node.host_ram_gib, "usd_per_hour": node.usd_per_hour,
                    "price_kind": node.price_kind, "price_date": node.price_date, "source": node.source})
            })
            .collect(),
        Table::Prices => catalog::prices()
            .iter()
            .map(|price| {
                json!({"instance": price.instance, "provider": price.provider, "gpu": price.gpu, "gpus": price.gpus,
                    "usd_per_hour": price.usd_per_hour, "usd_per_gpu_hour": price.usd_per_hour / f64::from(price.gpus),
                    "source": price.source})
            })
            .collect(),
    };
    for row in rows {
        writeln!(out, "{row}")?;
    }
    Ok(())
}
