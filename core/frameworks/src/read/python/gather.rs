//! What a program's calls and lists stand for: commands, files of settings.

use super::TRAINER;
use super::keywords::settings;
use super::names::Names;
use super::parser::Parsed;
use super::sorts::{Sort, sort};
use super::value::Value;
use super::{torchtitan, unsloth};
use crate::read::launch;
use crate::read::programs;
use crate::read::settings::Setting;
use crate::read::shell::{self, Command, Script, Word};
use crate::read::text::{Kind, Part};

/// Texts that are read as a script, at most; each begins below as many lines as stand above it.
const MOST_SCRIPTS: usize = 4;

/// Adds the parts that a program stands for.
///
/// What starts the program is told by a comment of `text`.
pub(super) fn gather(parsed: &Parsed, text: &str, parts: &mut Vec<Part>) {
    let names = Names::of(parsed);
    match torchtitan::settings(text, parsed, &names) {
        Some(settings) => {
            parts.push(Part::of(Kind::File(settings)));
            parts.push(Part::of(Kind::Shell(titan(text))));
        }
        None => on_trainers(parsed, &names, unsloth::launcher(text), parts),
    }
}

/// Those of a program on TRL's or Transformers' trainers, or of one that starts commands; `launcher` starts the program.
fn on_trainers(parsed: &Parsed, names: &Names<'_>, launcher: Vec<Word>, parts: &mut Vec<Part>) {
    let mut script = Script { of_python: true, ..Script::default() };
    script.commands = commands(parsed, names, parts);
    for (name, value, line) in &parsed.environment {
        let word = names.word(value, *line);
        script.exported.push(Word { text: format!("{name}={}", word.text), ..word });
    }
    for line in parsed.branches.iter().take(100) {
        let note = "What is added to the list in a branch is left out: only a run could decide it.";
        script.notes.push((*line, note.to_owned()));
    }
    let trl = trains(parsed);
    let unsloth = trl.and_then(|(own, _)| unsloth::program(parsed, own));
    let settings = settings(parsed, names, unsloth.is_some());
    if names.defaults_are_taken {
        script.notes.push((
            0,
            "What the program's own arguments say where they are not given is taken: add the command that starts it."
                .to_owned(),
        ));
    }
    // What takes every value from its command states none.
    let told = settings.iter().any(|setting| {
        setting.open.is_none() && setting.key != "use_peft" && !setting.key.starts_with("model_init_kwargs.")
    });
    // What is run decides whose settings they are: of Unsloth they have TRL's names.
    let mut behind = None;
    match trl.filter(|_| told) {
        Some((own, line)) => {
            let mut own = command(unsloth.unwrap_or(&format!("trl.scripts.{own}")), line, Vec::new());
            let file = Part::of(Kind::File(settings));
            if unsloth.is_some() {
                own.words.splice(0..0, launcher);
                behind = Some(file);
            } else {
                parts.push(file);
            }
            script.commands.push(own);
        }
        None if told && parsed.calls.iter().any(|call| sort(&call.name) == Some(Sort::Arguments)) => {
            let words = settings.into_iter().flat_map(|setting| {
                let Setting { key, value, line, open, .. } = setting;
                let name = Word { text: format!("--{key}"), line, open: None };
                [name, Word { text: value, line, open }]
            });
            script.commands.push(command(TRAINER, 0, words.collect()));
        }
        None => {}
    }
    // A page of a manual, or a script that takes everything from its command: the command is in its head.
    if script.commands.is_empty()
        && let Some(own) = parsed.comments.iter().find_map(|(text, line)| example(text, *line))
    {
        script.commands = own.commands;
        script
            .notes
            .push((0, "The command is the example in the program's own words.".to_owned()));
    }
    parts.push(Part::of(Kind::Shell(script)));
    parts.extend(behind);
}

/// The command that starts torchtitan with what the program makes, where a comment gives it.
fn titan(text: &str) -> Script {
    const PROGRAM: &str = "torchtitan.train";
    let started = programs::start(text).and_then(|start| shell::read(&start, |_| true).ok());
    let mut commands = started.map(|own| own.commands).unwrap_or_default();
    commands.retain(|own| own.words.iter().any(|word| word.text == PROGRAM));
    if commands.is_empty() {
        commands.push(command(PROGRAM, 0, Vec::new()));
    }
    Script { of_python: true, commands, ..Script::default() }
}

/// The script of TRL's that trains as the program does, and the line that says so.
fn trains(parsed: &Parsed) -> Option<(&'static str, u32)> {
    let trl = parsed.calls.iter().filter_map(|call| match sort(&call.name) {
        // A trainer says more than a configuration: an older one takes Transformers' arguments.
        Some(Sort::Trl(script)) => Some((call.last().ends_with("Trainer"), script, call.line)),
        _ => None,
    });
    trl.max_by_key(|(trains, ..)| *trains).map(|(_, script, line)| (script, line))
}

fn command(program: &str, line: u32, mut after: Vec<Word>) -> Command {
    let line = after.first().map_or(line, |word| word.line);
    after.insert(0, Word { text: program.to_owned(), line, open: None });
    Command { environment: Vec::new(), words: after, line }
}

/// The first command in a program's own words, in a block of code or on lines of its own, which starts a trainer that is known.
fn example(text: &str, line: u32) -> Option<Script> {
    let mut block = String::new();
    let mut above = line as usize;
    for own in text.lines() {
        let goes_on = block.ends_with('\\');
        let starts = EXAMPLES.iter().any(|word| own.trim_start().starts_with(word));
        if !goes_on && !starts {
            if !block.is_empty() {
                break;
            }
            above += 1;
            continue;
        }
        if goes_on {
            block.push('\n');
        }
        block.push_str(own.trim_end());
    }
    let lines = "\n".repeat(above.saturating_sub(1));
    let script = shell::read(&format!("{lines}{block}"), |script| launch::framework(script).is_some());
    script.ok().filter(|script| launch::framework(script).is_some())
}

/// What a command in a program's own words begins with.
const EXAMPLES: &[&str] = &["python ", "python3 ", "accelerate launch", "torchrun ", "trl ", "deepspeed "];

/// Commands that the program starts, those that are one text among them; else lists that look like one.
fn commands(parsed: &Parsed, names: &Names<'_>, parts: &mut Vec<Part>) -> Vec<Command> {
    let mut out = Vec::new();
    let mut texts = 0;
    let of = |words: Vec<Word>| {
        let line = words.first().map_or(0, |word| word.line);
        Command { environment: Vec::new(), words, line }
    };
    for call in parsed.calls.iter().filter(|call| sort(&call.name) == Some(Sort::Starts)) {
        let Some(given) = call.at(0).or_else(|| call.under(&["args"])) else {
            continue;
        };
        if let Some(items) = names.list(&given.value) {
            out.push(of(names.words(items)));
        } else if let Value::Plain { text, open: None } = names.follow(&given.value)
            && texts < MOST_SCRIPTS
        {
            texts += 1;
            let above = given.line.saturating_sub(1) as usize;
            let trains = |script: &Script| launch::framework(script).is_some();
            if let Ok(script) = shell::read(&format!("{}{text}", "\n".repeat(above)), trains) {
                parts.push(Part::of(Kind::Shell(script)));
            }
        }
    }
    let argv = parsed.names.get("sys.argv").and_then(Option::as_ref);
    if let Some(items) = argv.and_then(|value| names.list(value)) {
        out.push(of(names.words(items)));
    }
    if out.is_empty() {
        // A list that something of the program's own hands on.
        let lists = parsed.names.values().flatten().filter_map(|value| match value {
            Value::List(items) => Some(items),
            _ => None,
        });
        let option = |(item, _): &(Value, u32)| matches!(item, Value::Plain { text, .. } if text.starts_with("--") && text.len() > 2);
        let longest = lists.filter(|items| items.iter().any(option)).max_by_key(|items| items.len());
        out.extend(longest.map(|items| of(names.words(items))));
    }
    out
}
