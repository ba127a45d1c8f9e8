//! `shardwise doctor`: where memory ran out, in words.

use std::io::{self, Write};
use std::path::PathBuf;

use shardwise_core::doctor::{Diagnosis, Figures, Mend, Place, diagnose};
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
    let mut say = |text: &str| writeln!(out, "{}", lang.sentence(text));
    say(verdict(diagnosis))?;
    let phase = diagnosis.phase.as_deref().filter(|phase| *phase != "host");
    if let Some(phase) = phase {
        say(&format!("Phase: {}.", phase.replace('_', " ")))?;
    }
    if let Some(allocation) = diagnosis.allocation.as_deref().filter(|own| *own != "host") {
        say(&format!("Memory for: {}.", allocation.replace('_', " ")))?;
    }
    let Figures { asked_gib, capacity_gib, free_gib, .. } = diagnosis.figures;
    if let (Some(asked), Some(capacity), Some(free)) = (asked_gib, capacity_gib, free_gib) {
        say(&format!("Asked for {asked:.1} GiB, where {free:.1} of {capacity:.1} GiB were free."))?;
    }
    if let Some(own) = &diagnosis.estimated {
        let (phase, reserved, capacity) = (own.phase.replace('_', " "), own.reserved_gib, own.capacity_gib);
        say(&format!("The script's estimate: {reserved:.1} of {capacity:.1} GiB in {phase}."))?;
        if let Some(factor) = own.calibration {
            say(&format!("The run held more than that: what follows is judged with the estimate times {factor:.2}."))?;
        }
    }
    for finding in &diagnosis.findings {
        say(finding)?;
    }
    say("")?;
    say("Lines that say so:")?;
    for own in &diagnosis.evidence {
        writeln!(out, "  {}{}", lang.sentence(&format!("line {}: ", own.line)), own.text)?;
    }
    writeln!(out, "\n{}", lang.sentence("What helps, the least costly first:"))?;
    for mend in &diagnosis.mends {
        print_mend(mend, lang, out)?;
    }
    Ok(())
}

fn verdict(diagnosis: &Diagnosis) -> &'static str {
    match diagnosis.place {
        Place::Device => "A GPU's memory ran out.",
        Place::Engine => "The engine's share of the GPU is too small for its KV cache.",
        Place::Host => "The node's memory ran out: the kernel or Ray killed a process.",
        Place::Shared => "Shared memory ran out (/dev/shm).",
    }
}

fn print_mend(mend: &Mend, lang: Language, out: &mut impl Write) -> io::Result<()> {
    let (Some(reserved), Some(slower)) = (mend.reserved_gib, mend.slower) else {
        return writeln!(out, "  {}", lang.sentence(&mend.text));
    };
    let change = 100.0 * (slower - 1.0);
    let told = format!(
        "{} from {} to {}: fits in {reserved:.1} GiB, a step takes {change:+.0} %",
        mend.field, mend.from, mend.to
    );
    writeln!(out, "  {}", lang.sentence(&told))?;
    for setting in &mend.settings {
        writeln!(out, "    {setting}")?;
    }
    Ok(())
}
