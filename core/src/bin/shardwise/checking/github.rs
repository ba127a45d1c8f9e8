//! Annotations of a GitHub workflow
//! (<https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>, read 2026-11-26).

use std::io::{self, Write};

use shardwise_core::interface::Level;

use super::Run;

/// Writes an annotation for each finding, at its line, and the decision on each run as a line of the log.
pub(super) fn write(runs: &[Run], out: &mut impl Write) -> io::Result<()> {
    for run in runs {
        for one in &run.checked.findings {
            let level = match one.level {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note => "notice",
            };
            let (file, title) = (property(run.file_of(one)), property(&format!("Shardwise: {}", one.rule)));
            let line = one.line.max(1);
            writeln!(out, "::{level} file={file},line={line},title={title}::{}", data(&one.text))?;
        }
        writeln!(out, "{}", run.line)?;
    }
    Ok(())
}

/// A message, as the runner's own toolkit escapes it (actions/toolkit, packages/core/src/command.ts).
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property's value.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
