//! `shardwise doctor`: where memory ran out, in words.

use std::io::{self, Write};
use std::path::PathBuf;

use shardwise_core::doctor::{Diagnosis, diagnose};
use shardwise_core::interface::{self, Speak};
use shardwise_core::wire::{Language, ReadOptions};

use super::complain;
use super::reading::texts;

/// Reads the files as a traceback and the script that was run. Whether memory ran out.
pub(crate) fn run(files: &[PathBuf], options: &ReadOptions, json: bool, out: &mut impl Write) -> io::Result<bool> {
    let lang = options.lang.unwrap_or_default();
    let texts = texts(files, lang)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    if json {
        let document = interface::doctor(&texts, options);
        let found = document.is_ok();
        writeln!(out, "{}", document.unwrap_or_else(|refused| refused))?;
        return Ok(found);
    }
    match diagnose(&texts, interface::base(options).as_ref()) {
        Ok(diagnosis) => print(&diagnosis, lang, out).map(|()| true),
        Err(trouble) => {
            complain(&lang.sentence(&trouble.to_string()));
            Ok(false)
        }
    }
}

fn print(diagnosis: &Diagnosis, lang: Language, out: &mut impl Write) -> io::Result<()> {
    for sentence in diagnosis.says() {
        writeln!(out, "{}", lang.sentence(&sentence))?;
    }
    writeln!(out, "\n{}", lang.sentence("Lines that say so:"))?;
    for own in &diagnosis.evidence {
        writeln!(out, "  {}{}", lang.sentence(&format!("line {}: ", own.line)), own.text)?;
    }
    writeln!(out, "\n{}", lang.sentence("What helps, the least costly first:"))?;
    for mend in &diagnosis.mends {
        writeln!(out, "  {}", lang.sentence(&mend.says()))?;
        for setting in &mend.settings {
            writeln!(out, "    {setting}")?;
        }
    }
    if let Some(mend) = diagnosis.mends.iter().find(|mend| !mend.source.is_empty()) {
        writeln!(out, "{}", lang.sentence(&format!("Source: {}", mend.source)))?;
    }
    Ok(())
}
