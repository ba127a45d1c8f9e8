//! Quantities as types: plain newtypes over `f64`, made by one macro.
//!
//! A constructor or reader names its scale (`Bytes::from_gib`, `Seconds::get`); only the divisions
//! that make sense exist.
//!
//! ```
//! use shardwise_core::units::{Bytes, BytesPerSecond};
//! let time = Bytes::from_gib(1.0) / BytesPerSecond::from_gb(64.0);
//! assert!((time.get() - 0.016_777_216).abs() < 1e-12);
//! ```

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            /// Nothing.
            pub const ZERO: Self = Self(0.0);

            /// A quantity of so many base units.
            #[must_use]
            pub const fn new(value: f64) -> Self {
                Self(value)
            }

            /// The number of base units.
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }

            /// The larger of two.
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// The smaller of two.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }

            /// What is left of a quantity after `other`, at least nothing.
            #[must_use]
            pub fn beyond(self, other: Self) -> Self {
                Self((self.0 - other.0).max(0.0))
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }

        impl Div for $name {
            type Output = f64;
            fn div(self, divisor: Self) -> f64 {
                self.0 / divisor.0
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
                Self(values.map(|value| value.0).sum())
            }
        }
    )*};
}

quantities! {
    /// Bytes.
    Bytes,
    /// Floating-point operations; one multiply-add is two.
    Flops,
    /// Seconds.
    Seconds,
    /// Bytes per second.
    BytesPerSecond,
    /// Floating-point operations per second.
    FlopsPerSecond,
    /// US dollars.
    Usd,
    /// US dollars per hour.
    UsdPerHour,
}

macro_rules! quotients {
    ($($dividend:ident / $divisor:ident = $quotient:ident),* $(,)?) => {$(
        impl Div<$divisor> for $dividend {
            type Output = $quotient;
            fn div(self, divisor: $divisor) -> $quotient {
                $quotient(self.0 / divisor.0)
            }
        }
    )*};
}

quotients! {
    Bytes / BytesPerSecond = Seconds,
    Flops / FlopsPerSecond = Seconds,
    Flops / Seconds = FlopsPerSecond,
}

const GIB: f64 = 1_073_741_824.0;

impl Bytes {
    /// From GiB (2³⁰ bytes).
    #[must_use]
    pub const fn from_gib(gib: f64) -> Self {
        Self(gib * GIB)
    }

    /// In GiB (2³⁰ bytes).
    #[must_use]
    pub const fn gib(self) -> f64 {
        self.0 / GIB
    }
}

impl BytesPerSecond {
    /// From GB/s (10⁹ bytes).
    #[must_use]
    pub const fn from_gb(gb: f64) -> Self {
        Self(gb * 1e9)
    }

    /// From Gbit/s (10⁹ bits).
    #[must_use]
    pub const fn from_gbit(gbit: f64) -> Self {
        Self(gbit * 1e9 / 8.0)
    }
}

impl FlopsPerSecond {
    /// From TFLOPS (10¹² operations).
    #[must_use]
    pub const fn from_tera(tera: f64) -> Self {
        Self(tera * 1e12)
    }

    /// In TFLOPS.
    #[must_use]
    pub const fn tera(self) -> f64 {
        self.0 / 1e12
    }
}

impl UsdPerHour {
    /// Price of a stretch of time.
    #[must_use]
    pub fn over(self, time: Seconds) -> Usd {
        Usd(self.0 * time.0 / 3600.0)
    }
}

/// A number with `decimals` digits after the point, rounded half away from zero; `?` where there is no such number.
///
/// The standard library's formatting of floats is 12 kB of the page's download; figures for people need none of it.
///
/// ```
/// use shardwise_core::units::fixed;
/// assert_eq!([fixed(2.675, 1), fixed(-0.04, 1), fixed(1e6, 0)], ["2.7", "0.0", "1000000"]);
/// assert_eq!(fixed(f64::NAN, 2), "?");
/// ```
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 1e18 and not negative")]
pub fn fixed(value: f64, decimals: u8) -> String {
    let scale = 10_u64.pow(u32::from(decimals.min(9)));
    let scaled = (value.abs() * scale as f64 + 0.5).floor();
    if scaled.is_nan() || scaled >= 1e18 {
        return "?".to_owned();
    }
    let scaled = scaled as u64;
    let sign = if value < 0.0 && scaled > 0 { "-" } else { "" };
    let whole = scaled / scale;
    if decimals == 0 {
        return format!("{sign}{whole}");
    }
    let width = usize::from(decimals.min(9));
    format!("{sign}{whole}.{:0width$}", scaled % scale)
}

/// A number with as many digits as tell it from its neighbours, as JSON writes it.
///
/// ```
/// use shardwise_core::units::shortest;
/// assert_eq!([shortest(0.1), shortest(400.0)], ["0.1", "400"]);
/// ```
#[must_use]
pub fn shortest(value: f64) -> String {
    let text = serde_json::Number::from_f64(value).map_or_else(|| "?".to_owned(), |n| n.to_string());
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Digits with at most one point, and a sign: the double nearest to it, of nineteen digits and fewer. The standard library's reader
/// brings ten kilobytes of tables along.
///
/// ```
/// use shardwise_core::units::decimal;
/// assert_eq!(decimal("-1.0526315789473684"), Some(-1.0526315789473684));
/// assert_eq!((decimal("7."), decimal("1,5"), decimal(".")), (Some(7.0), None, None));
/// ```
#[must_use]
pub fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, places) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = || whole.bytes().chain(places.bytes());
    if digits().next().is_none() || !digits().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // What is beyond nineteen digits no double can tell.
    let [mut number, mut read] = [0_u64, 0];
    for digit in digits() {
        if number < 10_u64.pow(18) {
            number = 10 * number + u64::from(digit - b'0');
            read += 1;
        }
    }
    let apart = whole.len() as i32 - read as i32;
    let value = match u32::try_from(-apart) {
        // To 55 bits and whether anything is left, so that it is rounded once.
        Ok(places @ 1..=21) if number > 0 => {
            let shift = u128::from(number).leading_zeros();
            let (numerator, ten) = (u128::from(number) << shift, 10_u128.pow(places));
            let quotient = (numerator / ten) | u128::from(numerator % ten > 0);
            quotient as f64 * power(0.5, shift)
        }
        Ok(places) => number as f64 / power(10.0, places),
        Err(_) => number as f64 * power(10.0, apart.unsigned_abs()),
    };
    Some(if text.starts_with('-') { -value } else { value })
}

/// A power, exact as long as a double holds it.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |power, _| power * base)
}

/// A whole number with commas.
///
/// ```
/// assert_eq!(shardwise_core::units::grouped(12_345), "12,345");
/// ```
#[must_use]
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn digits_are_read_as_the_standard_library_reads_them() {
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let digits = (seed >> 20) % 10_u64.pow(1 + (seed >> 33) as u32 % 17);
            let places = (seed >> 40) as usize % 22;
            let text = format!("{digits:0>places$}");
            let text = format!("{}.{}", &text[..text.len() - places.min(text.len())], &text[text.len() - places..]);
            assert_eq!(decimal(&text), text.parse().ok(), "{text}");
            let shown = (f64::from_bits(seed >> 2 | 0x3f00_0000_0000_0000) % 1e4).to_string();
            if shown.len() < 20 {
                assert_eq!(decimal(&shown), shown.parse().ok(), "{shown}");
            }
        }
        for nothing in ["", ".", "-", "1e5", "1.2.3", "inf", "NaN", "1 2", "٣"] {
            assert_eq!(decimal(nothing), None, "{nothing}");
        }
        let far = decimal("123456789012345678901234").map(|value| value / 123_456_789_012_345_680_000_000.0 - 1.0);
        assert!(far.is_some_and(|far| far.abs() < 1e-15));
    }
}
