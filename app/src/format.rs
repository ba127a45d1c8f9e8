//! Numbers for a person. Never NaN, never infinity: both are written as a dash.

use crate::money;

pub(crate) use shardwise_core::units::grouped;

/// What stands for a number that is not one.
const NONE: &str = "–";

/// Above this a number is no longer written out.
const LARGEST: f64 = 1e15;

/// With `decimals` places, and commas before the point.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() || value.abs() >= LARGEST {
        return NONE.to_owned();
    }
    let text = shardwise_core::units::fixed(value.abs(), decimals as u8);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) { "−" } else { "" };
    let whole = whole.parse().map(grouped).unwrap_or_default();
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// With up to six places, and none that say nothing: `0.65`, `2.99`, `1,246`.
pub(crate) fn trimmed(value: f64) -> String {
    let text = fixed(value, 6);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// With three significant digits, the way a person would say it: `3,670`, `105.7`, `0.226`.
pub(crate) fn figure(value: f64) -> String {
    let size = value.abs();
    if !size.is_finite() || size >= LARGEST {
        NONE.to_owned()
    } else if size >= 10_000.0 {
        // The last digits of a large estimate mean nothing.
        let mut step = 10.0;
        while size / step >= 10_000.0 {
            step *= 10.0;
        }
        fixed((value / step).round() * step, 0)
    } else if size >= 1000.0 {
        fixed((value / 10.0).round() * 10.0, 0)
    } else if size >= 10.0 {
        fixed(value, 1)
    } else if size >= 1.0 {
        fixed(value, 2)
    } else if size >= 0.01 || size == 0.0 {
        fixed(value, 3)
    } else {
        fixed(value, 5)
    }
}

/// Memory in GiB: one place.
pub(crate) fn gib(value: f64) -> String {
    fixed(value, 1)
}

/// Dollars, in the currency that is shown: three significant digits below ten, hundredths below a thousand.
pub(crate) fn usd(value: f64) -> String {
    let value = money::of(value);
    let amount = match value.abs() {
        size if size >= 1000.0 => fixed(value, 0),
        size if size >= 10.0 => fixed(value, 2),
        _ => figure(value),
    };
    format!("{}{amount}", money::sign())
}

/// Dollars of a whole run, likewise: whole ones from ten on.
pub(crate) fn dollars(value: f64) -> String {
    let shown = money::of(value);
    if shown.abs() >= 10.0 { format!("{}{}", money::sign(), fixed(shown, 0)) } else { usd(value) }
}

/// A range of dollars as they are said, with one sign for both ends.
pub(crate) fn usd_range([low, high]: [f64; 2], said: fn(f64) -> String) -> String {
    format!("{}–{}", said(low), said(high).trim_start_matches(['$', '¥']))
}

/// A price in dollars, likewise: always hundredths.
pub(crate) fn price(value: f64) -> String {
    format!("{}{}", money::sign(), fixed(money::of(value), 2))
}

/// Dollars as a figure without a sign, where that stands in a head.
pub(crate) fn cost(usd: f64) -> String {
    figure(money::of(usd))
}

/// A share as a length in a drawing.
pub(crate) fn length(share: f64) -> String {
    format!("{}%", fixed(share * 100.0, 1))
}

/// A share in per cent: `17.3 %`.
pub(crate) fn percent(share: f64, decimals: usize) -> String {
    format!("{}\u{a0}%", fixed(share * 100.0, decimals))
}

/// Seconds, with as many places as they deserve.
pub(crate) fn seconds(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => fixed(value, 0),
        size if size >= 10.0 => fixed(value, 1),
        size if size >= 0.1 || size == 0.0 => fixed(value, 2),
        _ => fixed(value, 4),
    }
}

/// Parameters of a model: `8.19 B`, `135 M`.
pub(crate) fn parameters(count: u64) -> String {
    let value = count as f64;
    if value >= 1e12 {
        format!("{}\u{a0}T", fixed(value / 1e12, 2))
    } else if value >= 1e11 {
        format!("{}\u{a0}B", fixed(value / 1e9, 0))
    } else if value >= 1e10 {
        format!("{}\u{a0}B", fixed(value / 1e9, 1))
    } else if value >= 1e9 {
        format!("{}\u{a0}B", fixed(value / 1e9, 2))
    } else {
        format!("{}\u{a0}M", fixed(value / 1e6, 0))
    }
}

/// Parameters of a model in Chinese: `81.9 亿`.
pub(crate) fn parameters_zh(count: u64) -> String {
    let value = count as f64 / 1e8;
    format!("{}\u{a0}亿", if value >= 1000.0 { fixed(value, 0) } else { fixed(value, 1) })
}

/// A number of tokens: `11.7 M`.
pub(crate) fn tokens(count: f64) -> String {
    if count >= 1e12 {
        format!("{}\u{a0}T", fixed(count / 1e12, 2))
    } else if count >= 1e9 {
        format!("{}\u{a0}B", fixed(count / 1e9, 2))
    } else if count >= 1e6 {
        format!("{}\u{a0}M", fixed(count / 1e6, 1))
    } else {
        fixed(count, 0)
    }
}

/// A number of tokens in Chinese: `1,171 万`.
pub(crate) fn tokens_zh(count: f64) -> String {
    if count >= 1e8 {
        format!("{}\u{a0}亿", fixed(count / 1e8, 2))
    } else if count >= 1e4 {
        format!("{}\u{a0}万", fixed(count / 1e4, 0))
    } else {
        fixed(count, 0)
    }
}

/// A speed, written out; as the least that is to be expected where it is that of the slow end.
pub(crate) fn at_least(slow_end: bool, speed: String) -> String {
    if slow_end { format!("≥ {speed}") } else { speed }
}

/// A time or a cost, written out, as [`at_least`] a speed.
pub(crate) fn at_most(slow_end: bool, cost: String) -> String {
    if slow_end { format!("≤ {cost}") } else { cost }
}

#[cfg(test)]
mod tests {
    use super::{dollars, figure, fixed, grouped, parameters, parameters_zh, percent, seconds, tokens, trimmed, usd};

    #[test]
    fn numbers_read_well() {
        for (made, expected) in [
            (grouped(0), "0"),
            (grouped(999), "999"),
            (grouped(1_234_567), "1,234,567"),
            (fixed(-0.04, 1), "0.0"),
            (trimmed(5.096_25), "5.09625"),
            (trimmed(1246.0), "1,246"),
            (fixed(-1234.56, 1), "−1,234.6"),
            (figure(3671.2), "3,670"),
            (figure(105.68), "105.7"),
            (figure(29361.0), "29,360"),
            (figure(0.2262), "0.226"),
            (figure(0.0), "0.000"),
            (figure(0.000_12), "0.00012"),
            (usd(0.3974), "$0.397"),
            (usd(795.4), "$795.40"),
            (usd(12345.6), "$12,346"),
            (dollars(12.5), "$13"),
            (dollars(0.3974), "$0.397"),
            (percent(0.1732, 1), "17.3\u{a0}%"),
            (seconds(399.04), "399"),
            (seconds(5.614), "5.61"),
            (parameters(8_190_735_360), "8.19\u{a0}B"),
            (parameters(134_515_008), "135\u{a0}M"),
            (parameters(1_026_000_000_000), "1.03\u{a0}T"),
            (parameters_zh(8_190_735_360), "81.9\u{a0}亿"),
            (tokens(11_714_560.0), "11.7\u{a0}M"),
        ] {
            assert_eq!(made, expected);
        }
    }

    #[test]
    fn what_is_no_number_is_a_dash() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e18] {
            for text in [fixed(value, 1), figure(value), usd(value), percent(value, 1), seconds(value)] {
                assert!(text.contains('–') && !text.to_lowercase().contains("inf"), "{text}");
            }
        }
    }
}
