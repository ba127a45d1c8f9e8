//! A bash text as far as it can be read without running it: assignments, arrays, whole-number
//! arithmetic, simple conditions, and the commands with their words.
//!
//! Nothing is executed. What only a run could tell (`$(…)`, variables from outside, files) stays open,
//! and a word that depends on it says on what.

mod arithmetic;
mod branches;
mod condition;
mod expand;
mod lexer;
mod pieces;

use std::collections::BTreeMap;

use expand::Variables;
use lexer::{Lexer, RawWord, Token};

use super::Trouble;

/// Most words that are read: a hundred times a long script's.
const MOST_WORDS: usize = 20_000;

/// A word after expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Line on which it stands, from 1.
    pub(crate) line: u32,
    /// What the text does not tell and the word depends on: a variable's name, or a command.
    pub(crate) open: Option<String>,
}

/// A command with its words.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// Assignments before the command: its environment, or settings that were pasted without their command.
    pub(crate) environment: Vec<Word>,
    pub(crate) words: Vec<Word>,
    /// Line on which it begins.
    pub(crate) line: u32,
}

/// What a script would run.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) commands: Vec<Command>,
    /// Here-documents: a `ds_config.json` is often written by one.
    pub(crate) documents: Vec<String>,
    /// Words that variables hold at the end: where no command trains, its arguments may stand in them.
    pub(crate) values: Vec<Word>,
    /// What was passed over, with its line.
    pub(crate) notes: Vec<(u32, String)>,
}

/// What an open block does with the commands in it.
struct Block {
    end: &'static str,
    /// Whether the commands around the block count.
    outside: bool,
    /// Whether a branch has been taken.
    taken: bool,
    /// Of `case`: where it stands.
    case: Option<branches::Case>,
}

/// Reads a script.
///
/// # Errors
/// Names the line of a quote or parenthesis that never closes, and what is too large.
pub(super) fn read(text: &str) -> Result<Script, Trouble> {
    let mut reader = Reader {
        script: Script::default(),
        variables: Variables::default(),
        blocks: Vec::new(),
        active: true,
        status: Some(true),
        skip: false,
        negate: false,
        function: false,
        words: 0,
    };
    let mut lexer = Lexer::new(text);
    let mut command: Vec<RawWord> = Vec::new();
    while let Some(token) = lexer.token()? {
        let Some(token) = reader.branch(token, lexer.line())? else {
            continue;
        };
        match token {
            Token::Word(word) => {
                if word.pieces.is_empty() {
                    continue;
                }
                reader.count(1, word.line)?;
                command.push(word);
                if reader.reserved(&mut command)? {
                    continue;
                }
            }
            Token::Array { name, append, items } => {
                reader.count(items.len() + 1, lexer.line())?;
                let declared = command
                    .first()
                    .and_then(RawWord::bare)
                    .is_none_or(|word| matches!(word, "declare" | "local" | "readonly" | "typeset" | "export"));
                if declared && reader.counts() {
                    let mut words = Vec::new();
                    for item in &items {
                        reader.variables.expand(item, &mut words)?;
                    }
                    reader.variables.set_array(name, words, append);
                }
            }
            Token::Document(text) => {
                reader.finish(&mut command, "\n")?;
                if reader.active {
                    reader.script.documents.push(text);
                }
            }
            Token::Arithmetic(expression) => {
                if command.is_empty() && reader.counts() {
                    reader.status = reader
                        .variables
                        .arithmetic(&expression)
                        .map(|holds| holds != std::mem::take(&mut reader.negate));
                }
            }
            Token::End("(") if command.len() == 1 && is_function(&command) => {
                reader.function = true;
                command.clear();
            }
            Token::End(end) => reader.finish(&mut command, end)?,
        }
    }
    reader.finish(&mut command, "\n")?;
    reader.script.notes.append(&mut reader.variables.notes);
    reader.script.values = reader.variables.into_words();
    Ok(reader.script)
}

/// Whether a word before `(` names a function.
fn is_function(command: &[RawWord]) -> bool {
    command.first().and_then(RawWord::bare).is_some_and(lexer::is_name)
}

struct Reader {
    script: Script,
    variables: Variables,
    blocks: Vec<Block>,
    /// Whether the commands that are read now count.
    active: bool,
    /// How the last command ended: `None` where only a run could tell.
    status: Option<bool>,
    /// Whether `&&` or `||` passes over the command that follows.
    skip: bool,
    /// Whether `!` stands before the command.
    negate: bool,
    /// Whether the next brace opens a function, whose body is not called here.
    function: bool,
    words: usize,
}

impl Reader {
    fn counts(&self) -> bool {
        self.active && !self.skip
    }

    fn count(&mut self, more: usize, line: u32) -> Result<(), Trouble> {
        self.words += more;
        if self.words > MOST_WORDS {
            return Err(Trouble::new(
                line,
                format!("The text has more than {MOST_WORDS} words. Paste the command and its variables alone."),
            ));
        }
        Ok(())
    }

    fn note(&mut self, line: u32, text: impl Into<String>) {
        self.script.notes.push((line, text.into()));
    }

    fn open(&mut self, end: &'static str, line: u32) -> Result<(), Trouble> {
        if self.blocks.len() >= 64 {
            return Err(Trouble::new(line, "Blocks are nested more than 64 deep. Paste the command alone."));
        }
        self.blocks
            .push(Block { end, outside: self.counts(), taken: false, case: None });
        self.active = self.counts();
        self.skip = false;
        Ok(())
    }

    /// Reads a reserved word at the start of a command; whether it was one.
    fn reserved(&mut self, command: &mut Vec<RawWord>) -> Result<bool, Trouble> {
        let [word] = command.as_slice() else {
            return Ok(false);
        };
        let line = word.line;
        let Some(text) = word.bare() else {
            return Ok(false);
        };
        match text {
            "if" => self.open("fi", line)?,
            "while" | "until" | "for" | "select" => {
                self.note(line, "A loop is read once, whatever it repeats.");
                self.open("done", line)?;
                // The words up to `do` are no command; the body counts as it stands.
                return Ok(false);
            }
            "case" => {
                self.open("esac", line)?;
                self.open_case(line);
            }
            "{" => {
                self.open("}", line)?;
                if std::mem::take(&mut self.function) {
                    self.active = false;
                }
            }
            "function" => {
                self.function = true;
                return Ok(false);
            }
            "then" | "else" | "elif" => {
                let status = self.status;
                if let Some(block) = self.blocks.last_mut() {
                    if text == "then" {
                        if status.is_none() && block.outside && !block.taken {
                            self.script.notes.push((
                                line,
                                "This condition is not evaluated: its branch is left out, and `else` is read."
                                    .to_owned(),
                            ));
                        }
                        self.active = block.outside && !block.taken && status == Some(true);
                        block.taken |= self.active;
                    } else {
                        self.active = block.outside && !block.taken;
                        if text == "else" {
                            block.taken = true;
                        }
                    }
                }
            }
            "do" => {}
            "fi" | "done" | "esac" | "}" => {
                if self.blocks.last().is_some_and(|block| block.end == text)
                    && let Some(block) = self.blocks.pop()
                {
                    self.active = block.outside;
                    self.status = Some(true);
                }
            }
            "!" => self.negate = true,
            _ => return Ok(false),
        }
        command.clear();
        self.skip = false;
        Ok(true)
    }

    /// The end of a command.
    fn finish(&mut self, command: &mut Vec<RawWord>, end: &'static str) -> Result<(), Trouble> {
        if !command.is_empty() {
            if self.counts() {
                let negate = std::mem::take(&mut self.negate);
                self.status = self.run(command)?.map(|holds| holds != negate);
            }
            command.clear();
        }
        self.skip = match end {
            "&&" => self.status != Some(true),
            "||" => self.status != Some(false),
            _ => false,
        };
        Ok(())
    }

    /// What a command tells: variables, or a command of the script.
    fn run(&mut self, command: &[RawWord]) -> Result<Option<bool>, Trouble> {
        let line = command.first().map_or(1, |word| word.line);
        let mut assigned = 0;
        for word in command {
            let Some((name, append, value)) = expand::assignment(word) else {
                break;
            };
            // With a command behind it, the assignment is that command's environment alone, which here
            // tells nothing.
            if command.iter().all(|word| expand::assignment(word).is_some()) {
                self.variables.assign(name, append, &value)?;
            }
            assigned += 1;
        }
        let Some(rest) = command.get(assigned..).filter(|rest| !rest.is_empty()) else {
            return Ok(Some(true));
        };
        if let [first, others @ ..] = rest {
            match first.bare() {
                Some("export" | "declare" | "local" | "readonly" | "typeset") => {
                    for word in others {
                        if let Some((name, append, value)) = expand::assignment(word) {
                            self.variables.assign(name, append, &value)?;
                        }
                    }
                    return Ok(Some(true));
                }
                Some("for" | "select") => {
                    if let [name, _in, first, ..] = others
                        && let Some(name) = name.bare()
                    {
                        self.variables.assign(name.to_owned(), false, first)?;
                    }
                    return Ok(Some(true));
                }
                Some("while" | "until" | "function") => return Ok(Some(true)),
                Some("unset") => {
                    for name in others.iter().filter_map(RawWord::bare) {
                        self.variables.unset(name);
                    }
                    return Ok(Some(true));
                }
                _ => {}
            }
        }
        let mut environment = Vec::new();
        for word in command.get(..assigned).unwrap_or_default() {
            self.variables.expand(word, &mut environment)?;
        }
        let mut words = Vec::new();
        for word in rest {
            self.variables.expand(word, &mut words)?;
        }
        // A prompt that was copied along.
        if words.first().is_some_and(|word| word.text == "$") {
            words.remove(0);
        }
        let Some(first) = words.first() else {
            return Ok(Some(true));
        };
        match first.text.as_str() {
            "[" | "[[" | "test" => return Ok(condition::evaluate(&words)),
            "false" => return Ok(Some(false)),
            "true" | ":" => return Ok(Some(true)),
            "source" | "." => self.note(line, "A file that is sourced is not read; paste what it sets."),
            "eval" => self.note(line, "`eval` is not run."),
            "set" => {
                if words.get(1).is_some_and(|word| word.text == "--") {
                    let positional = words.into_iter().skip(2).collect();
                    self.variables.set_array("@".to_owned(), positional, false);
                }
                return Ok(Some(true));
            }
            "exit" => {
                // What follows is never reached.
                self.active = false;
                for block in &mut self.blocks {
                    block.outside = false;
                }
                return Ok(Some(true));
            }
            _ => {}
        }
        self.script.commands.push(Command { environment, words, line });
        Ok(Some(true))
    }
}

/// Variables by name.
type Table<T> = BTreeMap<String, T>;
