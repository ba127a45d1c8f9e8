//! `shardwise read`: what a text says, in words.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use shardwise_core::interface::Speak;
use shardwise_core::read::{Improved, Reading, improve, read};
use shardwise_core::wire::Language;
use shardwise_core::wire::{Answer, ReadOptions, Severity};
use shardwise_core::{estimate, interface};

use super::{complain, inputs};

/// Longest text, in bytes: what the reading takes, and one more, so that a longer one is refused there.
const MOST_BYTES: u64 = (1 << 20) + 1;

/// Reads the files as the texts of one run. Whether they could be read.
pub(crate) fn run(files: &[PathBuf], options: &ReadOptions, json: bool, out: &mut impl Write) -> io::Result<bool> {
    let lang = options.lang.unwrap_or_default();
    let mut texts = Vec::new();
    for input in inputs(files, lang) {
        texts.push(text_of(input?)?);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if json {
        let document = interface::read(&texts, options);
        let read = document.is_ok();
        writeln!(out, "{}", document.unwrap_or_else(|refused| refused))?;
        return Ok(read);
    }
    let base = interface::base(options);
    let reading = match read(&texts, base.as_ref()) {
        Ok(reading) => reading,
        Err(trouble) => {
            complain(&lang.sentence(&trouble.to_string()));
            return Ok(false);
        }
    };
    print(&reading, lang, out)?;
    match estimate(&reading.question) {
        Ok(answer) => print_answer(&answer, lang, out)?,
        Err(error) => {
            writeln!(out, "{}", lang.sentence(&format!("No estimate: {error}")))?;
        }
    }
    if let Some(improved) = improve(&texts, base.as_ref(), &reading) {
        print_improved(&improved, lang, out)?;
    }
    Ok(true)
}

fn text_of(input: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn print(reading: &Reading, lang: Language, out: &mut impl Write) -> io::Result<()> {
    let name = reading.framework.name();
    let title = lang.sentence(&format!("{name}, read as this question:"));
    writeln!(out, "{title}\n")?;
    writeln!(out, "{:#}\n", serde_json::to_value(&reading.question)?)?;
    let place = |line| place(line, lang);
    let why = |why: &str| lang.sentence(why);
    let colon = lang.pick(": ", "：");
    let mut list = |title: &str, lines: Vec<String>| list(out, title, &lines, lang);
    let lines = reading
        .understood
        .iter()
        .map(|one| format!("{}{} = {} -> {}", place(one.line), one.key, one.value, one.field));
    list("Understood", lines.collect())?;
    let lines = reading.assumed.iter().map(|one| {
        let equals = if one.value.is_empty() { "" } else { " = " };
        format!("{}{equals}{}{colon}{}", one.field, one.value, why(&one.why))
    });
    list("Assumed", lines.collect())?;
    let lines = reading
        .ignored
        .iter()
        .map(|one| format!("{}{}{colon}{}", place(one.line), one.key, why(&one.why)));
    list("Of no matter for memory and speed", lines.collect())?;
    let lines = reading
        .not_modelled
        .iter()
        .map(|one| format!("{}{} = {}{colon}{}", place(one.line), one.key, one.value, why(&one.why)));
    list("Not in the estimate", lines.collect())?;
    let lines = reading.unknown.iter().map(|one| {
        let colon = if one.hint.is_empty() { "" } else { colon };
        format!("{}{}{colon}{}", place(one.line), one.key, why(&one.hint))
    });
    list("Not known", lines.collect())?;
    let lines = reading
        .refused
        .iter()
        .map(|one| format!("{}{}{colon}{} [{}]", place(one.line), one.key, why(&one.why), one.source));
    list(&format!("{name} refuses"), lines.collect())?;
    let lines = reading.notes.iter().map(|one| format!("{}{}", place(one.line), why(&one.text)));
    list("Notes", lines.collect())
}

/// `line 3: `; nothing where no single line is meant.
fn place(line: u32, lang: Language) -> String {
    if line == 0 { String::new() } else { lang.sentence(&format!("line {line}: ")) }
}

fn list(out: &mut impl Write, title: &str, lines: &[String], lang: Language) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let title = lang.sentence(&format!("{title} ({}):", lines.len()));
    writeln!(out, "{title}")?;
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)
}

/// The estimate in two lines, and the advice.
fn print_answer(answer: &Answer, lang: Language, out: &mut impl Write) -> io::Result<()> {
    let price = answer
        .usd_per_mtok
        .map(|usd| format!(", ${usd:.3} per million tokens"))
        .unwrap_or_default();
    let speed = format!(
        "Speed: {:.0} tokens/s per GPU, {:.1} s a step{price}.",
        answer.tokens_per_s_per_gpu, answer.step_time_s
    );
    writeln!(out, "{}", lang.sentence(&speed))?;
    let memory = &answer.memory;
    let memory = format!(
        "Memory: {:.1} of {:.1} GiB in {}: it {}.",
        memory.reserved_gib,
        memory.capacity_gib,
        memory.phase.replace('_', " "),
        if answer.fits { "fits" } else { "does not fit" }
    );
    writeln!(out, "{}", lang.sentence(&memory))?;
    if !answer.advice.is_empty() {
        writeln!(out, "\n{}", lang.sentence("Advice:"))?;
    }
    for advice in &answer.advice {
        let mark = if advice.severity == Severity::Hint { String::new() } else { lang.sentence("warning: ") };
        writeln!(out, "  {mark}{}", lang.sentence(&advice.text))?;
    }
    Ok(())
}

/// The changes that help most, and the text with them.
fn print_improved(improved: &Improved, lang: Language, out: &mut impl Write) -> io::Result<()> {
    let title = lang.sentence("What helps most, without changing what is trained:");
    writeln!(out, "\n{title}")?;
    for change in &improved.changes {
        let fits = if change.fits { "fits" } else { "does not fit yet" };
        let told = format!(
            "{} from {} to {}: {:.0} tokens/s per GPU ({:+.0} %), {:.1} GiB, {fits}",
            change.field,
            change.from,
            change.to,
            change.tokens_per_s_per_gpu,
            100.0 * (change.speedup - 1.0),
            change.reserved_gib
        );
        writeln!(out, "  {}", lang.sentence(&told))?;
        for setting in &change.settings {
            writeln!(out, "    {setting}")?;
        }
    }
    if !improved.diff.is_empty() {
        writeln!(out, "\n{}", improved.diff.trim_end())?;
    }
    if !improved.elsewhere.is_empty() {
        let title = lang.sentence("Not in this text, to state where it is run:");
        writeln!(out, "\n{title}")?;
    }
    for setting in &improved.elsewhere {
        writeln!(out, "  {setting}")?;
    }
    Ok(())
}
