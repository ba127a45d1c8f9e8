//! Python: lists of arguments that a launcher hands on, and what TRL, PEFT and Transformers are configured with, as far as it is
//! written out. Nothing is run.
//!
//! A program becomes what it stands for: the commands that its lists of words are, the file of settings that the keywords of
//! `GRPOConfig(…)` are. What depends on anything but a literal is open, and a key that depends on it says on what.

mod brackets;
mod gather;
mod keywords;
mod lexer;
mod names;
mod parser;
mod sorts;
mod torchtitan;
mod unsloth;
mod value;
mod worked;

use super::notebook;
use super::report::Trouble;
use super::text::Part;

pub(super) use unsloth::{REINFORCEMENT, UNSLOTH};

/// The program that a configuration of Transformers' own stands for: a script on its Trainer.
pub(super) const TRAINER: &str = "transformers.Trainer";

/// Whether a text is Python rather than shell: its first line that says something imports, or opens a text in three quotes, or
/// gives a name what a class makes.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !line.starts_with("```"));
    if text.starts_with("#!") && text.lines().next().is_some_and(|line| line.contains("python")) {
        return true;
    }
    let Some(first) = lines.find(|line| !line.starts_with('#')) else {
        return false;
    };
    // A notebook's cell, as `%%capture`; a line of `!` alone is the shell's negation.
    let of_a_cell = first
        .strip_prefix("%%")
        .or_else(|| first.strip_prefix('!').or_else(|| first.strip_prefix('%')));
    if of_a_cell.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic())) {
        return true;
    }
    let module = |rest: &str| {
        let name = rest.split([' ', ',']).next().unwrap_or_default();
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
    };
    let imports = first.strip_prefix("import ").is_some_and(module)
        || first
            .strip_prefix("from ")
            .is_some_and(|rest| rest.contains(" import ") && module(rest));
    let makes = first.split_once(" = ").is_some_and(|(name, value)| {
        let class = value.split('(').next().unwrap_or_default();
        module(name) && value.contains('(') && module(class) && sorts::wanted(class)
    });
    imports || makes || first.starts_with("\"\"\"") || first.starts_with("'''")
}

/// Takes a program apart.
///
/// # Errors
/// Where it is too long.
pub(super) fn parts(text: &str, parts: &mut Vec<Part>) -> Result<(), Trouble> {
    // Marks of a code block around it are none of Python's.
    let fenced = text.trim_start().starts_with("```");
    let plain = |line: &str| if line.trim_start().starts_with("```") { "\n".to_owned() } else { line.to_owned() };
    let unfenced: String = if fenced { text.split_inclusive('\n').map(plain).collect() } else { String::new() };
    let program = notebook::plain(if fenced { &unfenced } else { text });
    let tokens = lexer::tokens(&program)?;
    gather::gather(&parser::parse(&tokens, sorts::wanted), text, parts);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::looks_like;

    #[test]
    fn python_is_told_from_shell_and_yaml() {
        for text in [
            "import os\n",
            "# why\n\nfrom trl import GRPOConfig, GRPOTrainer\n",
            "\"\"\"\nA program.\n\"\"\"\n",
            "#!/usr/bin/env python3\nx = 1\n",
            "```python\nimport os\n```\n",
            "args = SFTConfig(\n    max_length=1024,\n)\n",
            "%%capture\nimport os\n",
            "!pip install unsloth\n",
        ] {
            assert!(looks_like(text), "{text}");
        }
        for text in ["", "python3 train.py", "a: 1", "from: x", "x=1", "import", "x = 1\n", "#!/bin/bash\nimport x y\n"]
        {
            assert!(!looks_like(text) || text.contains("import x"), "{text}");
        }
    }
}
