//! Numbers as an explanation prints them: inputs with as many digits as the result needs, results as the page shows them.

use shardwise_catalog::units::{fixed, grouped};

/// What a number counts. Quantities are kept in base units (bytes, seconds, operations per second); a unit says at which
/// scale they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A plain number.
    One,
    /// A share, printed in per cent.
    Percent,
    /// Tokens.
    Tokens,
    /// GPUs.
    Gpus,
    /// Weights of a model.
    Parameters,
    /// Layers.
    Layers,
    /// Floating-point operations.
    Operations,
    /// Operations per second, printed in TFLOPS.
    Tflops,
    /// Bytes, printed in GiB where there are many.
    Bytes,
    /// Bytes, printed in GiB however few.
    Gib,
    /// Bytes per second, printed in GB/s.
    GbPerS,
    /// Seconds.
    Seconds,
    /// Hours.
    Hours,
    /// Tokens per second.
    TokensPerS,
    /// Millions of tokens per hour.
    MtokPerHour,
    /// US dollars.
    Usd,
    /// US dollars of a whole run: whole ones from ten on.
    UsdOfRun,
    /// US dollars per GPU and hour.
    UsdPerHour,
    /// Watts.
    Watts,
    /// Kilowatt-hours.
    KilowattHours,
    /// Kilograms.
    Kilograms,
}

const GIB: f64 = 1_073_741_824.0;

impl Unit {
    /// The scale at which `value` is printed, and what stands behind it there. What is counted in ones has nothing
    /// behind it: the list of terms says what it is.
    fn scale(self, value: f64) -> (f64, &'static str) {
        let size = value.abs();
        match self {
            Self::Percent => (0.01, " %"),
            Self::Tflops => (1e12, " TFLOPS"),
            Self::Gib => (GIB, " GiB"),
            Self::Bytes if size >= 0.1 * GIB => (GIB, " GiB"),
            Self::Bytes => (1.0, " B"),
            Self::GbPerS => (1e9, " GB/s"),
            Self::Seconds if size >= 0.1 || size == 0.0 => (1.0, " s"),
            Self::Seconds if size >= 1e-4 => (1e-3, " ms"),
            Self::Seconds => (1e-6, " µs"),
            Self::Hours => (1.0, " h"),
            Self::Watts => (1.0, " W"),
            Self::KilowattHours => (1.0, " kWh"),
            Self::Kilograms => (1.0, " kg"),
            _ => (1.0, ""),
        }
    }

    /// Its name beside a number that is printed without one.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Gpus => "GPUs",
            Self::Parameters => "parameters",
            Self::Layers => "layers",
            Self::Operations => "operations",
            Self::TokensPerS => "tokens/s",
            Self::MtokPerHour => "million tokens/h",
            Self::Usd | Self::UsdOfRun => "US dollars",
            Self::UsdPerHour => "US dollars per GPU and hour",
            _ => "",
        }
    }

    /// What one in the answer document is in base units.
    pub(super) fn of_answer(self) -> f64 {
        match self {
            Self::Gib | Self::Bytes => GIB,
            Self::Tflops => 1e12,
            _ => 1.0,
        }
    }

    fn dollar(self) -> &'static str {
        match self {
            Self::Usd | Self::UsdOfRun | Self::UsdPerHour => "$",
            _ => "",
        }
    }
}

/// A number as text, and the number that the text says.
pub(super) struct Printed {
    /// With its unit.
    pub(super) text: String,
    /// In base units.
    pub(super) value: f64,
}

/// `value` with at most `digits` significant digits; whole numbers below ten millions in full.
pub(super) fn print(value: f64, unit: Unit, digits: u8) -> Printed {
    let (scale, suffix) = unit.scale(value);
    let scaled = value / scale;
    let (text, said) = significant(scaled, digits);
    Printed { text: format!("{}{text}{suffix}", unit.dollar()), value: said * scale }
}

/// A result as the page shows it: three significant digits, memory to a tenth of a GiB.
pub(super) fn result(value: f64, unit: Unit) -> String {
    let (scale, suffix) = unit.scale(value);
    let scaled = value / scale;
    let size = scaled.abs();
    let text = match unit {
        Unit::Tokens => grouped_fixed(scaled, 0),
        Unit::Gib | Unit::Bytes if size >= 0.1 || size == 0.0 => grouped_fixed(scaled, 1),
        Unit::Percent => fixed(scaled, 1),
        Unit::UsdPerHour => fixed(scaled, 2),
        Unit::Seconds if size >= 100.0 => grouped_fixed(scaled, 0),
        Unit::UsdOfRun if size >= 10.0 => grouped_fixed(scaled, 0),
        _ if size >= 1e9 => significant(scaled, 4).0,
        _ if size >= 1000.0 => {
            let step = libm::pow(10.0, (libm::floor(libm::log10(size)) - 3.0).max(1.0));
            grouped_fixed((scaled / step).round() * step, 0)
        }
        _ if size >= 10.0 => fixed(scaled, 1),
        _ if size >= 1.0 => fixed(scaled, 2),
        _ => significant(scaled, 3).0,
    };
    format!("{}{text}{suffix}", unit.dollar())
}

/// With commas and `decimals` digits after the point.
fn grouped_fixed(value: f64, decimals: u8) -> String {
    let text = fixed(value.abs(), decimals);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 { "−" } else { "" };
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

/// The text with `digits` significant digits, none that say nothing, and the number that it says: from ten millions and
/// below a thousandth with a power of ten.
fn significant(value: f64, digits: u8) -> (String, f64) {
    if value == 0.0 || !value.is_finite() {
        return ("0".to_owned(), 0.0);
    }
    let size = value.abs();
    if size < 1e7 && size == size.round() {
        return (grouped_fixed(value, 0), value);
    }
    let exponent = libm::floor(libm::log10(size));
    let power = if (-3.0..7.0).contains(&exponent) { 0.0 } else { libm::floor(exponent / 3.0) * 3.0 };
    let unit = libm::pow(10.0, power);
    let mantissa = value / unit;
    let decimals = (f64::from(digits) - 1.0 - (exponent - power)).clamp(0.0, 9.0) as u8;
    let mut text = grouped_fixed(mantissa, decimals);
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    let rounded = libm::pow(10.0, f64::from(decimals));
    let said = (mantissa * rounded).round() / rounded * unit;
    if power != 0.0 {
        text.push_str("×10");
        text.push_str(&superscript(power as i32));
    }
    (text, said)
}

fn superscript(power: i32) -> String {
    let raised = |digit: char| match digit {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        _ => '⁹',
    };
    power.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use super::{Unit, print, result};

    #[test]
    fn numbers_read_as_a_person_writes_them() {
        let said = |value, unit| print(value, unit, 4).text;
        assert_eq!(said(8_191_000_000.0, Unit::Parameters), "8.191×10⁹");
        assert_eq!(said(8192.0, Unit::Tokens), "8,192");
        assert_eq!(said(0.35, Unit::One), "0.35");
        assert_eq!(said(4.1e-6, Unit::Seconds), "4.1 µs");
        assert_eq!(said(0.0123, Unit::Seconds), "12.3 ms");
        assert_eq!(said(989e12, Unit::Tflops), "989 TFLOPS");
        assert_eq!(said(2.99, Unit::UsdPerHour), "$2.99");
        assert_eq!(result(3671.4, Unit::TokensPerS), "3,670");
        assert_eq!(result(70.52 * 1_073_741_824.0, Unit::Gib), "70.5 GiB");
        assert_eq!(result(0.1734, Unit::Percent), "17.3 %");
        assert_eq!(result(399.04, Unit::Seconds), "399 s");
        assert_eq!(result(0.2262, Unit::Usd), "$0.226");
        assert_eq!(result(631.94, Unit::UsdOfRun), "$632");
    }
}
