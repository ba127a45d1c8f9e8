//! Scripts that stand below other texts.

use super::Script;

/// Moves what stands on a line down by so many.
pub(in crate::read) fn lower(line: &mut u32, lines: u32) {
    if *line > 0 {
        *line = line.saturating_add(lines);
    }
}

impl Script {
    /// Moves everything below so many lines.
    pub(in crate::read) fn below(&mut self, lines: u32) {
        self.above = lines;
        let commands = self.commands.iter_mut().flat_map(|command| {
            lower(&mut command.line, lines);
            command.environment.iter_mut().chain(&mut command.words)
        });
        let words = commands.chain(&mut self.exported).chain(&mut self.values);
        words.for_each(|word| lower(&mut word.line, lines));
        self.notes.iter_mut().for_each(|(line, _)| lower(line, lines));
    }
}
