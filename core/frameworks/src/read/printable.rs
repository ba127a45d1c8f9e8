//! What a person wrote, as a report may repeat it.

use shardwise_catalog::words::plain;

/// Longest text of a person that a report repeats.
const LONGEST: usize = 160;

/// A text of a person as a report may show it: one line, nothing hidden, no terminal's commands.
pub(super) fn printable(text: &str) -> String {
    let plain = plain(text);
    if plain.chars().count() <= LONGEST * 3 {
        return plain;
    }
    plain.chars().take(LONGEST * 3).chain(['…']).collect()
}

/// A key or a value of a person as a report may show it: one line, nothing hidden, cut after [`LONGEST`] characters.
pub(crate) fn short(text: &str) -> String {
    let mut out: String = plain(text.get(..LONGEST * 4).unwrap_or(text));
    if out.chars().count() > LONGEST {
        out = out.chars().take(LONGEST).chain(['…']).collect();
    }
    out
}
