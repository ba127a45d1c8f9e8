//! Text and numbers as people read them.

use crate::units::fixed;
pub use crate::units::grouped as count;

/// A text that stays one line of a comment: no control characters, nothing that reorders or hides
/// what is shown, no endless names.
pub fn plain(text: &str) -> String {
    const LONGEST: usize = 2000;
    let short: String = text.chars().take(LONGEST).collect();
    whole(&short)
}

/// A text of any length that stays one line, nothing hidden in it: an address that is cut leads nowhere.
pub fn whole(text: &str) -> String {
    let text: String = text.chars().map(|c| if hidden(c) { ' ' } else { c }).collect();
    text.trim().to_owned()
}

/// Whether a character is not seen: a control character, or one that reorders or hides others.
pub fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// A figure with about three significant digits; `?` where there is none.
pub fn figure(value: f64) -> String {
    match value.abs() {
        a if !a.is_finite() => "?".to_owned(),
        a if a >= 1e15 => format!("{}e15", fixed(value / 1e15, 2)),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1000 to 1e15")]
        a if a >= 1000.0 => {
            // Three digits stay before the point.
            let mut scale = 10.0;
            while a / scale >= 1000.0 {
                scale *= 10.0;
            }
            let rounded = count(((a / scale).round() * scale).round() as u64);
            if value < 0.0 { format!("-{rounded}") } else { rounded }
        }
        a if a >= 100.0 => fixed(value, 0),
        a if a >= 10.0 => fixed(value, 1),
        a if a >= 1.0 => fixed(value, 2),
        _ => fixed(value, 3),
    }
}

/// A figure with about three significant digits, a whole number below 1000 without a point; `?` where there is none.
pub fn amount(value: f64) -> String {
    let whole = value.fract() == 0.0 && (0.0..1000.0).contains(&value);
    if whole { fixed(value, 0) } else { figure(value) }
}

/// A figure with one digit after the point; `?` where there is no number.
pub fn tenths(value: f64) -> String {
    if value.is_finite() { fixed(value, 1) } else { "?".to_owned() }
}

/// A figure in GiB, with one digit after the point and the unit.
pub fn gib(value: f64) -> String {
    format!("{} GiB", tenths(value))
}

/// A number and what there is so many of: `1 GPU`, `8 GPUs`.
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// Parts as a product, those of size one left out: `TP 2 × PP 4`.
pub fn product(parts: &[(&str, u32)]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, n)| *n > 1)
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    if parts.is_empty() { "one copy".to_owned() } else { parts.join(" × ") }
}
