//! A bash text as far as it can be read without running it: assignments, arrays, whole-number
//! arithmetic, simple conditions, and the commands with their words.
//!
//! Nothing is executed. What only a run could tell (`$(…)`, variables from outside, files) stays open,
//! and a word that depends on it says on what.

mod arithmetic;
mod below;
mod branches;
mod condition;
mod expand;
mod lexer;
mod pieces;
mod within;

use std::collections::BTreeMap;

pub(super) use below::lower;
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
    /// Variables that are exported, each as `NAME=value`.
    pub(crate) exported: Vec<Word>,
    /// Here-documents: a `ds_config.json` is often written by one.
    pub(crate) documents: Vec<String>,
    /// Words that variables hold at the end: where no command trains, its arguments may stand in them.
    pub(crate) values: Vec<Word>,
    /// What was passed over, with its line.
    pub(crate) notes: Vec<(u32, String)>,
    /// Whether it is what a Python program stands for.
    pub(crate) of_python: bool,
    /// Lines of the texts before its own.
    pub(crate) above: u32,
}

/// What an open block does with the commands in it.
struct Block {
    end: &'static str,
    /// Whether the commands around the block count.
    around: bool,
    /// Whether the block itself does.
    outside: bool,
    /// Whether a branch has been taken.
    taken: bool,
    /// Of `case`: where it stands.
    case: Option<branches::Case>,
}

/// Reads a script; a branch that only a run could decide is left out, and so is the body of a function. Where that leaves no
/// command that `trains`, both are read.
///
/// # Errors
/// Names the line of a quote or parenthesis that never closes, and what is too large.
pub(super) fn read(text: &str, trains: impl Fn(&Script) -> bool) -> Result<Script, Trouble> {
    let script = read_as(text, false)?;
    if trains(&script) {
        return Ok(script);
    }
    let whole = read_as(text, true)?;
    Ok(if trains(&whole) { whole } else { script })
}

fn read_as(text: &str, all: bool) -> Result<Script, Trouble> {
    let mut reader = Reader { active: true, status: Some(true), all, ..Reader::default() };
    reader.text(text, 1)?;
    reader.script.notes.append(&mut reader.variables.notes);
    reader.script.values = reader.variables.into_words();
    Ok(reader.script)
}

/// Whether a word before `(` names a function.
fn is_function(command: &[RawWord]) -> bool {
    command.first().and_then(RawWord::bare).is_some_and(lexer::is_name)
}

#[derive(Default)]
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
    /// What the last condition asks about and the text does not set.
    unset: Option<String>,
    /// Whether undecided branches and functions are read.
    all: bool,
    /// How deep commands stand within commands: `bash -c "…"`.
    depth: usize,
    words: usize,
}

/// Deepest command within a command.
const DEEPEST: usize = 3;

impl Reader {
    /// Reads a text, which begins on a line.
    fn text(&mut self, text: &str, line: u32) -> Result<(), Trouble> {
        let mut lexer = Lexer::new(text, line);
        let mut command: Vec<RawWord> = Vec::new();
        while let Some(token) = lexer.token()? {
            if let Some(token) = self.branch(token, lexer.line())? {
                self.token(token, lexer.line(), &mut command)?;
            }
        }
        self.finish(&mut command, "\n")
    }

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
            .push(Block { end, around: self.active, outside: self.counts(), taken: false, case: None });
        self.active = self.counts();
        self.skip = false;
        Ok(())
    }

    /// Takes a token behind the words of a command that were read before it.
    fn token(&mut self, token: Token, line: u32, command: &mut Vec<RawWord>) -> Result<(), Trouble> {
        match token {
            Token::Word(word) if word.pieces.is_empty() => {}
            Token::Word(word) => {
                self.count(1, word.line)?;
                command.push(word);
                self.reserved(command)?;
            }
            Token::Array { name, append, items } => {
                self.count(items.len() + 1, line)?;
                let first = command.first().and_then(RawWord::bare);
                if first.is_none_or(|word| DECLARING.contains(&word)) && self.counts() {
                    let mut words = Vec::new();
                    for item in &items {
                        self.variables.expand(item, &mut words)?;
                    }
                    self.variables.set_array(name, words, append);
                }
            }
            Token::Document(text) => {
                // `read -r -d '' words <<EOF`: a variable holds the document.
                let read = command.first().and_then(RawWord::bare) == Some("read");
                let name = command.last().and_then(RawWord::bare).filter(|_| read).map(str::to_owned);
                self.finish(command, "\n")?;
                if let Some(name) = name.filter(|name| lexer::is_name(name) && self.active) {
                    let words = text.replace("\\\n", " ");
                    let words =
                        words
                            .split_ascii_whitespace()
                            .map(|word| Word { text: word.to_owned(), line, open: None });
                    let words: Vec<Word> = words.collect();
                    self.count(words.len(), line)?;
                    self.variables.set_words(name, &words);
                }
                if self.active {
                    self.script.documents.push(text);
                }
            }
            Token::Arithmetic(expression) => {
                if command.is_empty() && self.counts() {
                    let holds = self.variables.arithmetic(&expression);
                    self.status = holds.map(|holds| holds != std::mem::take(&mut self.negate));
                }
            }
            Token::End("(") if command.len() == 1 && is_function(command) => {
                self.function = true;
                command.clear();
            }
            Token::End(end) => self.finish(command, end)?,
        }
        Ok(())
    }

    /// Reads a reserved word at the start of a command, which then begins anew.
    fn reserved(&mut self, command: &mut Vec<RawWord>) -> Result<(), Trouble> {
        let [word] = command.as_slice() else {
            return Ok(());
        };
        let line = word.line;
        let Some(text) = word.bare() else {
            return Ok(());
        };
        match text {
            "if" => self.open("fi", line)?,
            "while" | "until" | "for" | "select" => {
                self.note(line, "A loop is read once, whatever it repeats.");
                // The words up to `do` are no command; the body counts as it stands.
                return self.open("done", line);
            }
            "case" => {
                self.open("esac", line)?;
                self.open_case(line);
            }
            "{" => {
                self.open("}", line)?;
                if std::mem::take(&mut self.function) {
                    self.active &= self.all;
                }
            }
            "function" => {
                self.function = true;
                return Ok(());
            }
            "then" => self.then(line),
            "else" | "elif" => {
                if let Some(block) = self.blocks.last_mut() {
                    self.active = block.outside && !block.taken;
                    block.taken |= text == "else";
                }
            }
            "do" => {}
            "fi" | "done" | "esac" | "}" => {
                if self.blocks.last().is_some_and(|block| block.end == text) {
                    self.close();
                }
            }
            "!" => self.negate = true,
            _ => return Ok(()),
        }
        command.clear();
        self.skip = false;
        Ok(())
    }

    /// The branch behind a condition counts where that holds, and no branch before it did.
    fn then(&mut self, line: u32) {
        let status = self.status;
        let Some(block) = self.blocks.last_mut() else {
            return;
        };
        let open = block.outside && !block.taken;
        self.active = open && (status == Some(true) || status.is_none() && self.all);
        block.taken |= self.active;
        if open && status.is_none() && self.all {
            self.note(line, "This condition is not evaluated: its branch is read, which alone has the command.");
        } else if open && status.is_none() {
            self.note(line, "This condition is not evaluated: its branch is left out, and `else` is read.");
        }
    }

    /// Ends the innermost block.
    fn close(&mut self) {
        if let Some(block) = self.blocks.pop() {
            self.active = block.around;
            self.status = Some(true);
            self.unset = None;
        }
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

    /// What a command tells: variables, or a command of the script. Gives how it ends.
    fn run(&mut self, command: &[RawWord]) -> Result<Option<bool>, Trouble> {
        let line = command.first().map_or(1, |word| word.line);
        let assigned = command.iter().take_while(|word| expand::assignment(word).is_some()).count();
        let (before, rest) = command.split_at(assigned);
        let Some((first, others)) = rest.split_first() else {
            self.assign(before)?;
            return Ok(Some(true));
        };
        // Before a command, assignments are its environment alone, which here tells nothing.
        match first.bare() {
            Some(word) if DECLARING.contains(&word) => {
                self.assign(others)?;
                if word == "export" {
                    let exported = self.expanded(others)?;
                    self.script
                        .exported
                        .extend(exported.into_iter().filter(|word| word.text.contains('=')));
                }
            }
            Some("for" | "select") => {
                if let [name, _in, first, ..] = others
                    && let Some(name) = name.bare()
                {
                    self.variables.assign(name.to_owned(), false, first)?;
                }
            }
            Some("while" | "until" | "function") => {}
            Some("unset") => {
                for name in others.iter().filter_map(RawWord::bare) {
                    self.variables.unset(name);
                }
            }
            _ => {
                let environment = self.expanded(before)?;
                let words = self.expanded(rest)?;
                return Ok(self.execute(environment, words, line));
            }
        }
        Ok(Some(true))
    }

    /// Gives variables the values of the words that assign one.
    fn assign(&mut self, words: &[RawWord]) -> Result<(), Trouble> {
        for (name, append, value) in words.iter().filter_map(expand::assignment) {
            self.variables.assign(name, append, &value)?;
        }
        Ok(())
    }

    fn expanded(&mut self, words: &[RawWord]) -> Result<Vec<Word>, Trouble> {
        let mut out = Vec::new();
        for word in words {
            self.variables.expand(word, &mut out)?;
        }
        Ok(out)
    }

    /// Takes a command whose words are known.
    fn execute(&mut self, environment: Vec<Word>, mut words: Vec<Word>, line: u32) -> Option<bool> {
        // A prompt that was copied along.
        if words.first().is_some_and(|word| word.text == "$") {
            words.remove(0);
        }
        match words.first().map_or("true", |word| &word.text) {
            "[" | "[[" | "test" => {
                self.unset = condition::unset(&words);
                return condition::evaluate(&words);
            }
            "false" => return Some(false),
            "true" | ":" => return Some(true),
            "source" | "." => self.note(line, "A file that is sourced is not read; paste what it sets."),
            "eval" if words.iter().skip(1).any(|word| word.open.is_some()) => self.note(line, "`eval` is not run."),
            "set" => {
                if words.get(1).is_some_and(|word| word.text == "--") {
                    let positional = words.into_iter().skip(2).collect();
                    self.variables.set_array("@".to_owned(), positional, false);
                }
                return Some(true);
            }
            "exit" => {
                self.exit(&words, line);
                return Some(true);
            }
            _ => {}
        }
        if let Some(inner) = within::text(&words).filter(|_| self.depth < DEEPEST) {
            let inner = inner.to_owned();
            self.depth += 1;
            // What cannot be read within is a command like any other.
            let read = self.text(&inner, line);
            self.depth -= 1;
            if read.is_ok() {
                return Some(true);
            }
        }
        self.script.commands.push(Command { environment, words, line });
        Some(true)
    }

    /// Ends the reading, as what follows is never reached: but where the script stops for want of what its caller gives, or
    /// with an error, it is read on, as who pastes it means to run it.
    fn exit(&mut self, words: &[Word], line: u32) {
        let failed = words.get(1).is_some_and(|word| word.text != "0");
        if let Some(unset) = &self.unset {
            let note =
                format!("The script ends here, as it stands, for want of {unset}. It is read on as if that were set.");
            return self.note(line, note);
        }
        if failed {
            return self
                .note(line, "The script ends here with an error, as it stands. It is read on as if it did not.");
        }
        self.active = false;
        for block in &mut self.blocks {
            (block.around, block.outside) = (false, false);
        }
    }
}

/// Commands that give variables values.
const DECLARING: [&str; 5] = ["declare", "local", "readonly", "typeset", "export"];

/// Variables by name.
type Table<T> = BTreeMap<String, T>;
