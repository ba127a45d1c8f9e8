//! What a program's calls and lists stand for: commands, files of settings.

use std::collections::BTreeMap;

use super::TRAINER;
use super::keywords::settings;
use super::parser::Parsed;
use super::value::{BEGINS, Call, ENDS, Value};
use super::worked::{LONGEST, combined};
use super::{torchtitan, unsloth};
use crate::read::launch;
use crate::read::settings::Setting;
use crate::read::shell::{self, Command, Script, Word};
use crate::read::text::{Kind, Part};

/// TRL's trainers and configurations by what stands before `Trainer` and `Config`, each with the script of TRL's that trains so.
const TRL: &[(&str, &str)] = &[
    ("SFT", "sft"),
    ("DPO", "dpo"),
    ("GRPO", "grpo"),
    ("RLOO", "rloo"),
    ("KTO", "kto"),
    ("ORPO", "orpo"),
    ("CPO", "cpo"),
    ("Reward", "reward"),
    ("PPO", "ppo"),
    ("OnlineDPO", "online_dpo"),
    ("GKD", "gkd"),
    ("GOLD", "gold"),
    ("BCO", "bco"),
    ("XPO", "xpo"),
    ("NashMD", "nash_md"),
    ("PRM", "prm"),
];

/// Transformers' own.
const ARGUMENTS: &[&str] = &["TrainingArguments", "Seq2SeqTrainingArguments"];

/// What starts a command that is given as a list of words, or as one text.
const STARTS: &[&str] = &[
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
    "os.system",
];

/// Longest chain of names that is followed.
const LONGEST_CHAIN: usize = 8;

/// How deep values are worked out of others; each may name several.
const DEEPEST: usize = 3;

/// Texts that are read as a script, at most; each begins below as many lines as stand above it.
const MOST_SCRIPTS: usize = 4;

/// What a name says of the call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A configuration or a trainer of TRL's: the script that trains so.
    Trl(&'static str),
    Arguments,
    Lora,
    Quantized,
    Model,
    Starts,
    Argument,
    Field,
    /// What torchtitan is configured by.
    Titan,
}

pub(super) fn sort(name: &str) -> Option<Sort> {
    let last = name.rsplit('.').next().unwrap_or_default();
    let own = TRL.iter().find(|(word, _)| {
        let rest = last.strip_prefix(word);
        matches!(rest, Some("Config" | "Trainer"))
    });
    if let Some((_, script)) = own {
        return Some(Sort::Trl(script));
    }
    if torchtitan::section(name).is_some() {
        return Some(Sort::Titan);
    }
    match last {
        _ if ARGUMENTS.contains(&last) => Some(Sort::Arguments),
        "LoraConfig" | "get_peft_model" => Some(Sort::Lora),
        "BitsAndBytesConfig" => Some(Sort::Quantized),
        "from_pretrained" => {
            let class = name.rsplit('.').nth(1).unwrap_or_default();
            (class.contains("Model") || class.contains("LM")).then_some(Sort::Model)
        }
        "add_argument" => Some(Sort::Argument),
        "field" | "Field" => Some(Sort::Field),
        _ => STARTS.contains(&name).then_some(Sort::Starts),
    }
}

/// Whether a call of this name says something.
pub(super) fn wanted(name: &str) -> bool {
    sort(name).is_some()
}

/// Adds the parts that a program stands for.
///
/// What starts the program is told by a comment of `text`.
pub(super) fn gather(parsed: Parsed, text: &str, parts: &mut Vec<Part>) {
    let names = Names::of(&parsed);
    if let Some(own) = torchtitan::parts(text, &parsed, &names) {
        parts.extend(own);
        return;
    }
    let launcher = unsloth::launcher(text);
    let mut script = Script { of_python: true, ..Script::default() };
    script.commands = commands(&parsed, &names, parts);
    for (name, value, line) in &parsed.environment {
        let word = names.word(value, *line);
        script.exported.push(Word { text: format!("{name}={}", word.text), ..word });
    }
    for line in parsed.branches.iter().take(100) {
        let note = "What is added to the list in a branch is left out: only a run could decide it.";
        script.notes.push((*line, note.to_owned()));
    }
    let trl = trains(&parsed);
    let unsloth = trl.and_then(|(own, _)| unsloth::program(&parsed, own));
    let settings = settings(&parsed, &names, unsloth.is_some());
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
            let file = Part { kind: Kind::File(settings) };
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
    parts.push(Part { kind: Kind::Shell(script) });
    parts.extend(behind);
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

/// What names stand for.
pub(super) struct Names<'a> {
    values: &'a BTreeMap<String, Option<Value>>,
    /// Defaults of the program's own arguments.
    defaults: BTreeMap<String, &'a Value>,
    defaults_are_taken: bool,
}

impl<'a> Names<'a> {
    fn of(parsed: &'a Parsed) -> Self {
        let mut defaults = BTreeMap::new();
        for call in parsed.calls.iter().filter(|call| sort(&call.name) == Some(Sort::Argument)) {
            let option = call
                .given
                .iter()
                .filter(|given| given.key.is_none())
                .find_map(|given| match &given.value {
                    Value::Plain { text, open: None } => text.strip_prefix("--").map(|name| name.replace('-', "_")),
                    _ => None,
                });
            if let (Some(name), Some(default)) = (option, call.under(&["default"])) {
                defaults.insert(name, &default.value);
            }
        }
        let taken = |call: &Call| {
            call.given.iter().any(|given| {
                let Value::Name(name) = &given.value else {
                    return false;
                };
                name.split_once('.').is_some_and(|(_, name)| defaults.contains_key(name))
            })
        };
        let defaults_are_taken = parsed.calls.iter().any(taken);
        Self { values: &parsed.names, defaults, defaults_are_taken }
    }

    /// What a value is, names followed.
    pub(super) fn follow<'b>(&'b self, value: &'b Value) -> &'b Value {
        let mut value = value;
        for _ in 0..LONGEST_CHAIN {
            let next = match value {
                Value::Name(name) => {
                    let own = self.values.get(name.as_str()).and_then(Option::as_ref);
                    // `args.model`, `script_args.model`: an argument of the program's own, or a field of a class.
                    let below = || {
                        let (_, name) = name.split_once('.')?;
                        let field = || self.values.get(name).and_then(Option::as_ref);
                        self.defaults.get(name).copied().or_else(field)
                    };
                    own.or_else(below)
                }
                Value::Call(call) if sort(&call.name) == Some(Sort::Field) => {
                    call.under(&["default"]).map(|given| &given.value)
                }
                _ => None,
            };
            match next {
                Some(next) => value = next,
                None => return value,
            }
        }
        value
    }

    /// A value as a word of a command or of a file.
    pub(super) fn word(&self, value: &Value, line: u32) -> Word {
        self.word_at(value, line, 0)
    }

    /// As [`Self::word`], so deep in values that are worked out of others.
    fn word_at(&self, value: &Value, line: u32, depth: usize) -> Word {
        let (text, open) = match self.follow(value) {
            Value::Plain { text, open } => self.filled(text, open.clone()),
            Value::List(items) => {
                let words: Vec<Word> = items.iter().take(64).map(|(item, line)| self.short(item, *line)).collect();
                let open = words.iter().find_map(|word| word.open.clone());
                let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                (format!("[{}]", texts.join(", ")), open)
            }
            Value::Worked(sides) if depth < DEEPEST => {
                let (one, operator, other) = sides.as_ref();
                let side = |value: &Value| match self.follow(value) {
                    Value::Worked(_) => {
                        let Word { text, open, .. } = self.word_at(value, line, depth + 1);
                        Value::Plain { text, open }
                    }
                    Value::Plain { text, open } => {
                        let (text, open) = self.filled(text, open.clone());
                        Value::Plain { text, open }
                    }
                    other => Value::Open(other.depends()),
                };
                match combined(side(one), operator, side(other)) {
                    Value::Plain { text, open } => (text, open),
                    _ => (String::new(), Some(value.depends())),
                }
            }
            other => (String::new(), Some(other.depends())),
        };
        let open = open.map(|name| if name.is_empty() { "what the program works out".to_owned() } else { name });
        Word { text, line, open }
    }

    /// A text with the names in it replaced by what they stand for, and the first that stands for nothing known.
    fn filled(&self, text: &str, mut open: Option<String>) -> (String, Option<String>) {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, after)) = rest.split_once(BEGINS) {
            out.push_str(before);
            let (name, after) = after.split_once(ENDS).unwrap_or((after, ""));
            match self.plain(name) {
                Some(known) if out.len() + known.len() < LONGEST => out.push_str(&known),
                _ => open = open.or_else(|| Some(name.to_owned())),
            }
            rest = after;
        }
        out.push_str(rest);
        (out, open)
    }

    /// An item of a list, no list itself.
    fn short(&self, value: &Value, line: u32) -> Word {
        match self.follow(value) {
            Value::List(_) => Word { text: String::new(), line, open: Some("a list".to_owned()) },
            _ => self.word(value, line),
        }
    }

    /// The text of a name that stands for one.
    fn plain(&self, name: &str) -> Option<String> {
        let own = Value::Name(name.to_owned());
        match self.follow(&own) {
            Value::Plain { text, open: None } if !text.contains(BEGINS) => Some(text.clone()),
            _ => None,
        }
    }

    /// The items of a value that is a list.
    fn list<'b>(&'b self, value: &'b Value) -> Option<&'b [(Value, u32)]> {
        if let Value::List(items) = self.follow(value) { Some(items) } else { None }
    }

    fn words(&self, items: &[(Value, u32)]) -> Vec<Word> {
        items.iter().map(|(item, line)| self.short(item, *line)).collect()
    }
}

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
                parts.push(Part { kind: Kind::Shell(script) });
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
