//! `shardwise read`: what a text says, in words.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde_json::json;
use shardwise_core::estimate;
use shardwise_core::read::{Improved, Reading, improve, read};
use shardwise_core::wire::{Answer, Question, Severity, question_from_value};

/// Longest text, in bytes: what the reading takes, and one more, so that a longer one is refused there.
const MOST_BYTES: u64 = (1 << 20) + 1;

/// Reads the files as the texts of one run. Whether they could be read.
pub(crate) fn run(
    files: &[PathBuf],
    gpu: Option<&str>,
    model: Option<&str>,
    json: bool,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut texts = Vec::new();
    if files.is_empty() {
        texts.push(text_of(io::stdin().lock())?);
    }
    for path in files {
        let file = File::open(path).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        texts.push(text_of(file)?);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let base = base(gpu, model);
    match read(&texts, base.as_ref()) {
        Ok(reading) => {
            let answer = estimate(&reading.question);
            let improved = improve(&texts, base.as_ref(), &reading);
            if json {
                let mut document = serde_json::to_value(&reading)?;
                document["answer"] = serde_json::to_value(answer.ok())?;
                document["improved"] = serde_json::to_value(improved)?;
                writeln!(out, "{document}")?;
            } else {
                print(&reading, out)?;
                match answer {
                    Ok(answer) => print_answer(&answer, out)?,
                    Err(error) => writeln!(out, "No estimate: {error}")?,
                }
                if let Some(improved) = improved {
                    print_improved(&improved, out)?;
                }
            }
            Ok(true)
        }
        Err(trouble) => {
            if json {
                writeln!(out, "{}", json!({"version": 1, "error": trouble}))?;
            } else {
                eprintln!("shardwise: {trouble}");
            }
            Ok(false)
        }
    }
}

fn text_of(input: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The question that answers what no text tells.
fn base(gpu: Option<&str>, model: Option<&str>) -> Option<Question> {
    if gpu.is_none() && model.is_none() {
        return None;
    }
    question_from_value(json!({
        "version": 1,
        "model": model,
        "hardware": {"gpu": gpu.unwrap_or("h100-sxm")},
        "workload": {"kind": "sft"}
    }))
    .ok()
}

fn print(reading: &Reading, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{}, read as this question:\n",
        reading.framework.name()
    )?;
    writeln!(out, "{:#}\n", serde_json::to_value(&reading.question)?)?;
    list(out, "Understood", &reading.understood, |one| {
        format!(
            "{}{} = {} -> {}",
            place(one.line),
            one.key,
            one.value,
            one.field
        )
    })?;
    list(out, "Assumed", &reading.assumed, |one| {
        let equals = if one.value.is_empty() { "" } else { " = " };
        format!("{}{equals}{}: {}", one.field, one.value, one.why)
    })?;
    list(
        out,
        "Of no matter for memory and speed",
        &reading.ignored,
        |one| format!("{}{}: {}", place(one.line), one.key, one.why),
    )?;
    list(out, "Not in the estimate", &reading.not_modelled, |one| {
        format!(
            "{}{} = {}: {}",
            place(one.line),
            one.key,
            one.value,
            one.why
        )
    })?;
    list(out, "Not known", &reading.unknown, |one| {
        let colon = if one.hint.is_empty() { "" } else { ": " };
        format!("{}{}{colon}{}", place(one.line), one.key, one.hint)
    })?;
    let name = reading.framework.name();
    list(out, &format!("{name} refuses"), &reading.refused, |one| {
        format!(
            "{}{}: {} [{}]",
            place(one.line),
            one.key,
            one.why,
            one.source
        )
    })?;
    list(out, "Notes", &reading.notes, |one| {
        format!("{}{}", place(one.line), one.text)
    })
}

/// `line 3: `; nothing where no single line is meant.
fn place(line: u32) -> String {
    if line == 0 {
        String::new()
    } else {
        format!("line {line}: ")
    }
}

fn list<T>(
    out: &mut impl Write,
    title: &str,
    items: &[T],
    text: impl Fn(&T) -> String,
) -> io::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(out, "{title} ({}):", items.len())?;
    for item in items {
        writeln!(out, "  {}", text(item))?;
    }
    writeln!(out)
}

/// The estimate in two lines, and the advice.
fn print_answer(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    let price = answer
        .usd_per_mtok
        .map(|usd| format!(", ${usd:.3} per million tokens"))
        .unwrap_or_default();
    writeln!(
        out,
        "Speed: {:.0} tokens/s per GPU, {:.1} s a step{price}.",
        answer.tokens_per_s_per_gpu, answer.step_time_s
    )?;
    let memory = &answer.memory;
    writeln!(
        out,
        "Memory: {:.1} of {:.1} GiB in {}: it {}.",
        memory.reserved_gib,
        memory.capacity_gib,
        memory.phase.replace('_', " "),
        if answer.fits { "fits" } else { "does not fit" }
    )?;
    if !answer.advice.is_empty() {
        writeln!(out, "\nAdvice:")?;
    }
    for advice in &answer.advice {
        let mark = if advice.severity == Severity::Hint {
            ""
        } else {
            "warning: "
        };
        writeln!(out, "  {mark}{}", advice.text)?;
    }
    Ok(())
}

/// The changes that help most, and the text with them.
fn print_improved(improved: &Improved, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\nWhat helps most, without changing what is trained:")?;
    for change in &improved.changes {
        let fits = if change.fits {
            "fits"
        } else {
            "does not fit yet"
        };
        writeln!(
            out,
            "  {} from {} to {}: {:.0} tokens/s per GPU ({:+.0} %), {:.1} GiB, {fits}",
            change.field,
            change.from,
            change.to,
            change.tokens_per_s_per_gpu,
            100.0 * (change.speedup - 1.0),
            change.reserved_gib
        )?;
        for setting in &change.settings {
            writeln!(out, "    {setting}")?;
        }
    }
    if !improved.diff.is_empty() {
        writeln!(out, "\n{}", improved.diff.trim_end())?;
    }
    if !improved.elsewhere.is_empty() {
        writeln!(out, "\nNot in this text, to state where it is run:")?;
    }
    for setting in &improved.elsewhere {
        writeln!(out, "  {setting}")?;
    }
    Ok(())
}
