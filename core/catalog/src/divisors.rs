//! Greatest common divisors and least common multiples, of which many a layout's sizes are.

/// The greatest common divisor; the other number where one is 0.
///
/// ```
/// use shardwise_catalog::divisors::gcd;
/// assert_eq!([gcd(12, 8), gcd(7, 3), gcd(0, 5)], [4, 1, 5]);
/// ```
#[must_use]
pub fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least common multiple, or the greatest number there is; 0 where one of them is.
///
/// ```
/// use shardwise_catalog::divisors::lcm;
/// assert_eq!([lcm(4, 6), lcm(8, 1), lcm(3, 0)], [12, 8, 0]);
/// ```
#[must_use]
pub fn lcm(a: u64, b: u64) -> u64 {
    a.checked_div(gcd(a, b)).map_or(0, |part| part.saturating_mul(b))
}
