//! Numbers as people type them.

use shardwise_core::units;

/// Why a number could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// Not a number at all.
    NotANumber,
    /// A comma where a decimal point seems meant.
    Comma,
    /// Below zero.
    Negative,
    /// A fraction where only whole numbers make sense.
    NotWhole,
    /// Larger than the calculator can hold exactly.
    TooLarge,
}

/// The largest whole number a double holds exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads a number with the usual decorations: `1,024`, `8k`, `1.5B`, `70%`, `$2.99`, `3 万`.
///
/// `kilo` is what `k` stands for: 1,024 for lengths in tokens, 1,000 elsewhere.
pub(crate) fn number(text: &str, kilo: f64) -> Result<f64, NumberError> {
    let plain: String = text
        .chars()
        .map(|c| match c {
            // Digits and signs of Chinese input methods.
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c).to_ascii_lowercase(),
            '−' => '-',
            _ => c.to_ascii_lowercase(),
        })
        .filter(|c| !c.is_whitespace() && *c != '_' && *c != '$')
        .collect();
    let end = plain
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '-' | '+'))
        .unwrap_or(plain.len());
    let (digits, suffix) = plain.split_at(end);
    let factor = match suffix {
        "" => 1.0,
        "k" => kilo,
        // Runs of tokens are counted in millions, however long a sequence is.
        "m" => 1e6,
        "b" | "g" => 1e9,
        "t" => 1e12,
        "%" => 0.01,
        "万" => 1e4,
        "亿" => 1e8,
        // `1e9` is a number too.
        _ => power_of_ten(suffix).ok_or(NumberError::NotANumber)?,
    };
    let value = decimal(&ungrouped(digits)?)? * factor;
    if value.is_finite() { Ok(value) } else { Err(NumberError::TooLarge) }
}

/// The factor of an exponent: `e9`, `e-3`.
fn power_of_ten(suffix: &str) -> Option<f64> {
    let exponent: i32 = suffix.strip_prefix('e')?.trim_start_matches('+').parse().ok()?;
    Some(10f64.powi(exponent))
}

/// Digits with at most one point.
fn decimal(digits: &str) -> Result<f64, NumberError> {
    let value = units::decimal(digits.trim_start_matches(['-', '+'])).ok_or(NumberError::NotANumber)?;
    if digits.starts_with('-') && value > 0.0 { Err(NumberError::Negative) } else { Ok(value) }
}

/// Takes the commas out of `1,024`; refuses `1,5`.
fn ungrouped(digits: &str) -> Result<String, NumberError> {
    if !digits.contains(',') {
        return Ok(digits.to_owned());
    }
    let whole = digits.split('.').next().unwrap_or(digits);
    let mut groups = whole.trim_start_matches(['-', '+']).split(',');
    let first = groups.next().unwrap_or("");
    let grouped = !first.is_empty() && first.len() <= 3 && groups.all(|group| group.len() == 3);
    if grouped { Ok(digits.replace(',', "")) } else { Err(NumberError::Comma) }
}

/// Reads a whole number.
pub(crate) fn whole(text: &str, kilo: f64) -> Result<u64, NumberError> {
    let value = number(text, kilo)?;
    if value > EXACT {
        return Err(NumberError::TooLarge);
    }
    // `1.1k` tokens are 1126.4: close enough to be meant, unlike `2.5` GPUs.
    let rounded = value.round();
    let has_unit = text.trim_end().ends_with(|c: char| !c.is_ascii_digit() && c != '.');
    if (rounded - value).abs() > 1e-6 && !has_unit {
        return Err(NumberError::NotWhole);
    }
    Ok(rounded as u64)
}

/// Nodes and GPUs of each, as people who think in nodes type them: `2x8`, `2 × 8`.
pub(crate) fn nodes(text: &str) -> Option<(u64, u64)> {
    let (nodes, own) = text.split_once(['x', 'X', '×', '*', 'ｘ', '＊'])?;
    let whole = |text: &str| whole(text, 1000.0).ok().filter(|count| *count > 0);
    let (nodes, own) = (whole(nodes)?, whole(own)?);
    nodes.checked_mul(own).map(|_| (nodes, own))
}

/// Whether the text carries a unit, so that the page should say how it was read.
pub(crate) fn has_unit(text: &str) -> bool {
    text.trim_end().ends_with(|c: char| !c.is_ascii_digit() && c != '.')
}

#[cfg(test)]
mod tests {
    use super::{NumberError, nodes, number, whole};

    #[test]
    fn nodes_times_gpus_are_read() {
        for text in ["2x8", "2 × 8", " 2*8 ", "２ｘ８", "2 X 8"] {
            assert_eq!(nodes(text), Some((2, 8)), "{text}");
        }
        for text in ["16", "x8", "2x", "2x0", "2x8x2", "axb", "9e15x9e15"] {
            assert_eq!(nodes(text), None, "{text}");
        }
    }

    #[test]
    fn reads_numbers_as_people_type_them() {
        for (text, kilo, expected) in [
            ("8", 1e3, 8.0),
            ("1,024", 1e3, 1024.0),
            ("12,345,678.5", 1e3, 12_345_678.5),
            (" 8k", 1024.0, 8192.0),
            ("8K ", 1e3, 8000.0),
            ("1.5B", 1e3, 1.5e9),
            ("2M", 1024.0, 2e6),
            ("0.7", 1e3, 0.7),
            ("70%", 1e3, 0.7),
            ("$2.99", 1e3, 2.99),
            ("3万", 1e3, 3e4),
            ("1.2 亿", 1e3, 1.2e8),
            ("１２", 1e3, 12.0),
            ("1e9", 1e3, 1e9),
            ("2.5e-1", 1e3, 0.25),
            (".5", 1e3, 0.5),
        ] {
            let read = number(text, kilo);
            assert!(read.is_ok_and(|value| (value - expected).abs() < expected * 1e-12), "{text}: {read:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_number() {
        for (text, error) in [
            ("", NumberError::NotANumber),
            ("eight", NumberError::NotANumber),
            ("8x", NumberError::NotANumber),
            ("1,5", NumberError::Comma),
            ("10,24", NumberError::Comma),
            ("-3", NumberError::Negative),
            ("−3", NumberError::Negative),
            ("1e999", NumberError::TooLarge),
            ("nan", NumberError::NotANumber),
            ("inf", NumberError::NotANumber),
            (".", NumberError::NotANumber),
            ("1.2.3", NumberError::NotANumber),
            ("1e", NumberError::NotANumber),
            ("3-2", NumberError::NotANumber),
        ] {
            assert_eq!(number(text, 1e3), Err(error), "{text}");
        }
        assert_eq!(whole("2.5", 1e3), Err(NumberError::NotWhole));
        assert_eq!(whole("1e18", 1e3), Err(NumberError::TooLarge));
        assert_eq!(whole("1.1k", 1024.0), Ok(1126));
    }
}
