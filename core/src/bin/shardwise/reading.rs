//! `shardwise read`: what a text says, in words.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use shardwise_core::interface;
use shardwise_core::interface::Speak;
use shardwise_core::read::{Dialect, Improved, OWN, Reading, Refused, improve, migrate, read};
use shardwise_core::wire::{Answer, ReadOptions, Severity};
use shardwise_core::wire::{Language, Question};

use super::{complain, inputs};

/// Longest text, in bytes: what the reading takes, and one more, so that a longer one is refused there.
const MOST_BYTES: u64 = (1 << 20) + 1;

/// What is written of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// What matters.
    Short,
    /// Everything.
    All,
    /// The diff to the framework's newest release.
    Migrated,
}

/// Reads the files as the texts of one run. Whether they could be read.
pub(crate) fn run(
    files: &[PathBuf],
    options: &ReadOptions,
    form: Option<Form>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let lang = options.lang.unwrap_or_default();
    let texts = texts(files, lang)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let Some(form) = form else {
        let document = interface::read(&texts, options);
        let read = document.is_ok();
        writeln!(out, "{}", document.unwrap_or_else(|refused| refused))?;
        return Ok(read);
    };
    let base = interface::base(options);
    let reading = match read(&texts, base.as_ref()) {
        Ok(reading) => reading,
        Err(trouble) => {
            complain(&lang.sentence(&trouble.to_string()));
            return Ok(false);
        }
    };
    if form == Form::Migrated {
        return migrated(&texts, base.as_ref(), &reading, lang, out);
    }
    let answer = interface::answer_of(&reading);
    let report = Report { reading: &reading, files, lang, all: form == Form::All };
    report.head(out)?;
    report.missing(answer.is_ok(), out)?;
    report.stands_in(answer.is_ok(), out)?;
    match &answer {
        Ok(answer) => print_verdict(answer, lang, out)?,
        // What is missing says so itself.
        Err(_) if !reading.missing.is_empty() => {}
        Err(error) => writeln!(out, "{}", lang.sentence(&format!("No estimate: {error}")))?,
    }
    report.beside(out)?;
    report.wrong(out)?;
    if let Some(improved) = improve(&texts, base.as_ref(), &reading) {
        let fits = answer.as_ref().is_ok_and(|answer| answer.fits);
        print_improved(&improved, fits, lang, out)?;
    }
    if let Ok(answer) = &answer {
        print_advice(answer, lang, out)?;
    }
    report.rest(out)?;
    Ok(true)
}

/// The texts for the framework's newest release.
fn migrated(
    texts: &[&str],
    base: Option<&Question>,
    reading: &Reading,
    lang: Language,
    out: &mut impl Write,
) -> io::Result<bool> {
    let Some(migrated) = migrate(texts, base, reading) else {
        complain(&lang.sentence("Nothing to migrate: no key of the text was renamed or removed since, or what it would ask then is not the same."));
        return Ok(false);
    };
    writeln!(out, "{}", migrated.diff.trim_end())?;
    for one in &migrated.elsewhere {
        complain(&lang.sentence(&format!("Not in the diff: {one}.")));
    }
    Ok(true)
}

/// The texts of the files.
pub(crate) fn texts(files: &[PathBuf], lang: Language) -> io::Result<Vec<String>> {
    inputs(files, lang).map(|input| text_of(input?)).collect()
}

fn text_of(input: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Assumptions that are listed where not all are asked for.
const ASSUMED: usize = 3;

/// Unknown keys that are listed then, where there are more.
const UNKNOWN: usize = 8;

/// What a text says, part by part: the verdict stands first, then what is wrong, then what would help.
struct Report<'a> {
    reading: &'a Reading,
    /// What the texts are called.
    files: &'a [PathBuf],
    lang: Language,
    /// Whether everything is listed.
    all: bool,
}

impl Report<'_> {
    /// What is asked, on one line.
    fn head(&self, out: &mut impl Write) -> io::Result<()> {
        let question = &self.reading.question;
        let hardware = &question.hardware;
        let model = question.model.as_str().unwrap_or("?");
        let gpus = hardware.gpus.map(|gpus| format!("{gpus} x ")).unwrap_or_default();
        let (name, kind) = (self.reading.name(), question.workload.kind.name());
        let gpu = hardware.gpu.as_str().unwrap_or("?");
        writeln!(out, "{name}: {kind}, {model}, {gpus}{gpu}")
    }

    fn why(&self, why: &str) -> String {
        self.lang.sentence(why)
    }

    fn colon(&self) -> &'static str {
        self.lang.pick(": ", "：")
    }

    /// `line 3: `, with its file where there are several; nothing where no single line is meant.
    fn place(&self, line: u32, file: Option<u32>) -> String {
        let place = place(line, self.lang);
        let file = file.and_then(|file| self.files.get(usize::try_from(file).ok()?.checked_sub(1)?));
        match file {
            Some(file) if line > 0 => format!("{}{}{place}", file.display(), self.lang.pick(", ", "，")),
            _ => place,
        }
    }

    /// What has to be told, before all else, and what the estimate below has in its place.
    fn missing(&self, estimated: bool, out: &mut impl Write) -> io::Result<()> {
        let missing = &self.reading.missing;
        let lines: Vec<String> = missing.iter().map(|one| self.why(&one.why)).collect();
        list(out, "Missing", &lines, self.lang)?;
        if missing.is_empty() || !estimated {
            return Ok(());
        }
        let assumed = self
            .reading
            .assumed
            .iter()
            .filter(|one| missing.iter().any(|lacks| lacks.field == one.field));
        let assumed: Vec<String> = assumed.map(|one| format!("{} = {}", one.field, one.value)).collect();
        let head = if assumed.is_empty() {
            "The estimate is of what the text tells without that, and may be of another run:".to_owned()
        } else {
            format!("The estimate assumes {} in its place, and may be of another run:", assumed.join(", "))
        };
        writeln!(out, "{}", self.lang.sentence(&head))
    }

    /// Why the estimate below is of another run.
    fn stands_in(&self, estimated: bool, out: &mut impl Write) -> io::Result<()> {
        let Report { reading, lang, .. } = *self;
        let lines: Vec<String> = reading
            .stands_in()
            .map(|one| format!("{}{}", self.place(one.line, one.file), self.why(&one.text)))
            .collect();
        list(out, "No estimate of what the text asks for", &lines, lang)?;
        if lines.is_empty() || !estimated {
            return Ok(());
        }
        writeln!(out, "{}", lang.sentence("What is estimated in its place, which says nothing of whether it fits:"))
    }

    /// What the verdict stands on and may be otherwise.
    fn beside(&self, out: &mut impl Write) -> io::Result<()> {
        let Report { reading, lang, .. } = *self;
        let doubts = reading.doubts();
        let mut lines: Vec<String> = doubts
            .map(|one| format!("{}{}", self.place(one.line, one.file), self.why(&one.text)))
            .collect();
        lines.extend(reading.left_out().map(|says| lang.sentence(&says)));
        list(out, "The verdict stands on this", &lines, lang)
    }

    /// What nobody can run, what is not known, and what has to be told.
    fn wrong(&self, out: &mut impl Write) -> io::Result<()> {
        let Report { reading, lang, all, .. } = *self;
        let name = reading.name();
        let colon = self.colon();
        let place = |line, file| self.place(line, file);
        let refused: Vec<&Refused> =
            if all { reading.refused.iter().collect() } else { reading.refused_alone().collect() };
        let (own, theirs): (Vec<_>, Vec<_>) = refused.into_iter().partition(|one| one.source == OWN);
        let renamed = if all { None } else { reading.says_of_renamed() };
        let told = |one: &&Refused| {
            format!("{}{}{colon}{} [{}]", place(one.line, one.file), one.key, self.why(&one.why), one.source)
        };
        if let Some(release) = &reading.release {
            let older = if reading.older_by_default() {
                format!(
                    "The text leaves out what the newest {name} asks for: read as {release}'s, which needs it not and whose words the changes speak. --migrate states it for the newest."
                )
            } else if reading.reads_newest() {
                format!(
                    "The keys are of an older {name} than {release}, in whose words the changes are. --migrate rewrites them for it."
                )
            } else if reading.framework == Dialect::Torchtitan {
                format!(
                    "The keys are of an older {name}: read as {release}'s, whose words the changes speak. The newest is configured in Python, which shardwise flags prints."
                )
            } else {
                format!(
                    "The keys are of an older {name}: read as {release}'s, whose words the changes speak. --migrate rewrites them for the newest."
                )
            };
            writeln!(out, "{}\n", lang.sentence(&older))?;
        }
        let mut lines: Vec<String> = theirs.iter().map(told).collect();
        let remedy = "--all lists them, --migrate rewrites them.";
        let says = |says: String| [says.as_str(), remedy].map(|own| lang.sentence(own)).join(lang.pick(" ", ""));
        lines.extend(renamed.map(says));
        list(out, &format!("{name} refuses"), &lines, lang)?;
        let told = |one: &&Refused| format!("{}{}{colon}{}", place(one.line, one.file), one.key, self.why(&one.why));
        list(out, "Not estimated", &own.iter().map(told).collect::<Vec<_>>(), lang)?;
        let lines = reading.unknown.iter().map(|one| {
            let colon = if one.hint.is_empty() { "" } else { colon };
            format!("{}{}{colon}{}", place(one.line, one.file), one.key, self.why(&one.hint))
        });
        let mut lines: Vec<String> = lines.collect();
        if !all && lines.len() > UNKNOWN {
            let more = lines.len() - UNKNOWN;
            lines.truncate(UNKNOWN);
            lines.push(lang.sentence(&format!("and {more} more: --all lists them.")));
        }
        list(out, "Not known", &lines, lang)
    }

    /// What was assumed, and how everything was read.
    fn rest(&self, out: &mut impl Write) -> io::Result<()> {
        let Report { reading, lang, all, .. } = *self;
        let colon = self.colon();
        let place = |line, file| self.place(line, file);
        let assumed = if all { reading.assumed.iter().collect() } else { reading.matters(ASSUMED) };
        let lines = assumed.iter().map(|one| {
            let equals = if one.value.is_empty() { "" } else { " = " };
            format!("{}{equals}{}{colon}{}", one.field, one.value, self.why(&one.why))
        });
        writeln!(out)?;
        list(out, "Assumed", &lines.collect::<Vec<_>>(), lang)?;
        if !all {
            let [understood, ignored] = [reading.understood.len(), reading.ignored.len()];
            let [unmodelled, notes] = [reading.not_modelled.len(), reading.notes.len()];
            let more = format!(
                "{understood} keys understood, {ignored} of no matter for memory and speed, {unmodelled} not in the estimate, {} assumptions, {notes} notes: --all lists them.",
                reading.assumed.len()
            );
            return writeln!(out, "{}", lang.sentence(&more));
        }
        let lines = reading
            .understood
            .iter()
            .map(|one| format!("{}{} = {} -> {}", place(one.line, one.file), one.key, one.value, one.field));
        list(out, "Understood", &lines.collect::<Vec<_>>(), lang)?;
        let lines = reading.not_modelled.iter().map(|one| {
            format!("{}{} = {}{colon}{}", place(one.line, one.file), one.key, one.value, self.why(&one.why))
        });
        list(out, "Not in the estimate", &lines.collect::<Vec<_>>(), lang)?;
        let lines = reading
            .ignored
            .iter()
            .map(|one| format!("{}{}{colon}{}", place(one.line, one.file), one.key, self.why(&one.why)));
        list(out, "Of no matter for memory and speed", &lines.collect::<Vec<_>>(), lang)?;
        let lines = reading
            .notes
            .iter()
            .map(|one| format!("{}{}", place(one.line, one.file), self.why(&one.text)));
        list(out, "Notes", &lines.collect::<Vec<_>>(), lang)?;
        let title = lang.sentence("The question:");
        writeln!(out, "{title}\n")?;
        writeln!(out, "{:#}", serde_json::to_value(&reading.question)?)
    }
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

/// The estimate in two lines.
fn print_verdict(answer: &Answer, lang: Language, out: &mut impl Write) -> io::Result<()> {
    let price = answer
        .usd_per_mtok
        .map(|usd| format!(", ${usd:.3} per million tokens"))
        .unwrap_or_default();
    let speed = format!(
        "Speed: {:.0} tokens/s per GPU, {:.1} s a step{price}.",
        answer.tokens_per_s_per_gpu, answer.step_time_s
    );
    let memory = &answer.memory;
    let memory = format!(
        "Memory: {:.1} of {:.1} GiB in {}: it {}.",
        memory.reserved_gib,
        memory.capacity_gib,
        memory.phase.replace('_', " "),
        if answer.fits { "fits" } else { "does not fit" }
    );
    writeln!(out, "{}", lang.sentence(&memory))?;
    writeln!(out, "{}\n", lang.sentence(&speed))
}

fn print_advice(answer: &Answer, lang: Language, out: &mut impl Write) -> io::Result<()> {
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
fn print_improved(improved: &Improved, fits: bool, lang: Language, out: &mut impl Write) -> io::Result<()> {
    let title = if fits {
        "What helps most, without changing what is trained:"
    } else {
        "What makes it fit, without changing what is trained:"
    };
    writeln!(out, "{}", lang.sentence(title))?;
    for (at, change) in improved.changes.iter().enumerate() {
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
        // Each stands on those before it, as its figures do.
        let also = if at == 0 { String::new() } else { lang.sentence("then also ") };
        writeln!(out, "  {also}{}", lang.sentence(&told))?;
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
