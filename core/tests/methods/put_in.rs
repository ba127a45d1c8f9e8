//! Reads numbers put into a formula as a person would, and works them out.

/// What follows a number, and its scale in base units.
const UNITS: [(&str, f64); 13] = [
    (" kWh", 1.0),
    (" kg", 1.0),
    (" W", 1.0),
    (" TFLOPS", 1e12),
    (" GiB", 1_073_741_824.0),
    (" GB/s", 1e9),
    (" ms", 1e-3),
    (" µs", 1e-6),
    (" %", 0.01),
    (" s", 1.0),
    (" h", 1.0),
    (" B", 1.0),
    ("", 1.0),
];

/// A number with its unit, in base units, and half of its last digit.
fn number(text: &str) -> Option<(f64, f64, &str)> {
    let text = text.trim_start().trim_start_matches('$');
    let digits = text.find(|c: char| !(c.is_ascii_digit() || ",.−".contains(c)));
    let (digits, mut rest) = text.split_at(digits.unwrap_or(text.len()));
    // A comma that ends a number is one between two of them.
    let kept = digits.trim_end_matches(',');
    if kept.len() < digits.len() {
        rest = &text[kept.len()..];
    }
    let plain = kept.replace(',', "").replace('−', "-");
    let mut value: f64 = plain.parse().ok()?;
    let decimals = plain.split_once('.').map_or(0, |(_, after)| after.len());
    // Large figures are rounded to four digits or fewer.
    let step = if value >= 1000.0 && decimals == 0 {
        10_f64.powf((value.log10().floor() - 3.0).max(1.0))
    } else {
        10_f64.powi(-(decimals as i32))
    };
    let mut half = 0.5 * step;
    if let Some(after) = rest.strip_prefix("×10") {
        let end = after.find(|c| !"⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c)).unwrap_or(after.len());
        let power: String = after[..end]
            .chars()
            .map(|c| match "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|own| own == c) {
                Some(digit) => char::from_digit(digit as u32, 10).unwrap(),
                None => '-',
            })
            .collect();
        let scale = 10_f64.powi(power.parse().ok()?);
        value *= scale;
        half *= scale;
        rest = &after[end..];
    }
    let (unit, scale) = UNITS.iter().find(|(unit, _)| {
        let after = rest.strip_prefix(unit);
        after.is_some_and(|after| !after.starts_with(char::is_alphabetic))
    })?;
    Some((value * scale, half * scale, &rest[unit.len()..]))
}

/// The number that a text says, in base units.
pub(super) fn value(text: &str) -> Option<f64> {
    number(text).map(|(value, ..)| value)
}

/// Whether a formula of numbers comes to the figure, to its last digit.
pub(super) fn comes_to(formula: &str, shown: &str) -> bool {
    let (value, rest) = sum(formula);
    assert!(rest.trim().is_empty(), "{formula}: {rest} is left");
    let (figure, half, _) = number(shown).unwrap_or_else(|| panic!("{shown} is no number"));
    (value - figure).abs() <= 1.001 * half
}

fn sum(text: &str) -> (f64, &str) {
    let (mut total, mut rest) = product(text);
    loop {
        if let Some(after) = rest.strip_prefix(" + ") {
            let (one, after) = product(after);
            total += one;
            rest = after;
        } else if let Some(after) = rest.strip_prefix(" − ") {
            let (one, after) = product(after);
            total -= one;
            rest = after;
        } else {
            return (total, rest);
        }
    }
}

fn product(text: &str) -> (f64, &str) {
    let (mut total, mut rest) = factor(text);
    loop {
        if let Some(after) = rest.strip_prefix(" × ") {
            let (one, after) = factor(after);
            total *= one;
            rest = after;
        } else if let Some(after) = rest.strip_prefix(" ÷ ") {
            let (one, after) = factor(after);
            total /= one;
            rest = after;
        } else {
            return (total, rest);
        }
    }
}

fn factor(text: &str) -> (f64, &str) {
    let close = |rest: &'_ str, with: char| -> usize {
        assert!(rest.starts_with(with), "{text}: {rest}");
        with.len_utf8()
    };
    for (name, larger) in [("max(", true), ("min(", false)] {
        if let Some(after) = text.strip_prefix(name) {
            let (a, after) = sum(after);
            let after = after.strip_prefix(", ").unwrap_or_else(|| panic!("{text}"));
            let (b, after) = sum(after);
            let value = if larger { a.max(b) } else { a.min(b) };
            return (value, &after[close(after, ')')..]);
        }
    }
    if let Some(after) = text.strip_prefix('(') {
        let (value, after) = sum(after);
        return (value, &after[close(after, ')')..]);
    }
    if let Some(after) = text.strip_prefix("√(") {
        let (value, after) = sum(after);
        return (value.sqrt(), &after[close(after, ')')..]);
    }
    if let Some(after) = text.strip_prefix('⌊') {
        let (value, after) = sum(after);
        return ((value * (1.0 + 1e-12)).floor(), &after[close(after, '⌋')..]);
    }
    let (value, _, rest) = number(text).unwrap_or_else(|| panic!("{text} is no number"));
    (value, rest)
}
