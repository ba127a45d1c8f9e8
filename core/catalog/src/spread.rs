//! How far off an estimate of memory may be: a distribution of what is needed over what was estimated.

/// A log-normal of two halves: logarithms of needed over estimated memory, with a spread of their own on each side of
/// the median. Too much room is no risk, so the two sides are not alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Logarithm of the median.
    pub median: f64,
    /// Standard deviation of logarithms above it.
    pub above: f64,
    /// Standard deviation of logarithms below the median.
    pub below: f64,
}

impl Spread {
    /// A spread that is as likely as not above the estimate, by `deviation` as a logarithm.
    #[must_use]
    pub const fn even(deviation: f64) -> Self {
        Self { median: 0.0, above: deviation, below: deviation }
    }

    /// This spread with deviations `factor` times as large on both sides of the median.
    #[must_use]
    pub fn wider(self, factor: f64) -> Self {
        Self { above: self.above * factor, below: self.below * factor, ..self }
    }

    /// Needed over estimated memory that holds with `probability`.
    ///
    /// ```
    /// use shardwise_core::spread::Spread;
    /// let factor = Spread::even(0.1).factor(0.95);
    /// assert!((factor - 1.1788).abs() < 1e-4); // e^(0.1 · 1.6449)
    /// ```
    #[must_use]
    pub fn factor(&self, probability: f64) -> f64 {
        self.at(Quantile::of(probability))
    }

    /// [`Self::factor`] of a probability whose quantile is known.
    #[must_use]
    pub fn at(&self, Quantile(z): Quantile) -> f64 {
        libm::exp(self.median + z * if z > 0.0 { self.above } else { self.below })
    }

    /// Probability that no more is needed than `factor` times the estimate.
    #[must_use]
    pub fn probability(&self, factor: f64) -> f64 {
        if factor <= 0.0 {
            return 0.0;
        }
        if factor == f64::INFINITY {
            return 1.0;
        }
        let off = libm::log(factor) - self.median;
        let deviation = if off > 0.0 { self.above } else { self.below };
        if deviation > 0.0 { normal(off / deviation) } else { f64::from(u8::from(off >= 0.0)) }
    }
}

/// How many standard deviations above the median of a normal distribution is what holds with some probability: computed once
/// for all that is asked with the same one.
///
/// ```
/// use shardwise_core::spread::{Quantile, Spread};
/// let sure = Quantile::of(0.95);
/// assert_eq!(Spread::even(0.1).at(sure), Spread::even(0.1).factor(0.95));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile(f64);

impl Quantile {
    /// Of a probability.
    #[must_use]
    pub fn of(probability: f64) -> Self {
        Self(deviations(probability))
    }

    /// So many standard deviations above the median: of a probability whose quantile is written down.
    #[must_use]
    pub const fn at(deviations: f64) -> Self {
        Self(deviations)
    }
}

/// The standard normal distribution function.
fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// Its inverse, by bisection: within a hair of 0 and 1 it stays finite. A middle that is far from where the halves will meet, by
/// [`near`], is on its side without being asked: the outcome is that of asking every one.
fn deviations(probability: f64) -> f64 {
    let known = near(probability);
    let (mut low, mut high, left) = known.and_then(cell).unwrap_or((-8.0, 8.0, 60));
    for _ in 0..left {
        let middle = 0.5 * (low + high);
        if middle == low || middle == high {
            break;
        }
        let below = match known {
            Some((z, margin)) if (middle - z).abs() > margin => middle < z,
            _ => normal(middle) < probability,
        };
        if below {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// What the first forty halves leave, and how many are left: of as many equal cells, exact in a double, that of `z` where the
/// margin reaches into no other. Every middle before is an edge of theirs.
fn cell((z, margin): (f64, f64)) -> Option<(f64, f64, u32)> {
    const WIDTH: f64 = 16.0 / (1_u64 << 40) as f64;
    let low = libm::floor((z + 8.0) / WIDTH) * WIDTH - 8.0;
    let high = low + WIDTH;
    (z - low > margin && high - z > margin).then_some((low, high, 20))
}

/// Where the inverse is, and by how much that may be off; `None` in the far tails. Abramowitz and Stegun, Handbook of
/// Mathematical Functions, 26.2.23, which is off by less than 4.5e-4, and two of Halley's steps.
fn near(probability: f64) -> Option<(f64, f64)> {
    if !(1e-6..=1.0 - 1e-6).contains(&probability) {
        return None;
    }
    let tail = probability.min(1.0 - probability);
    let t = libm::sqrt(-2.0 * libm::log(tail));
    let over = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let under = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let z = t - over / under;
    let mut z = if probability < 0.5 { -z } else { z };
    for _ in 0..2 {
        let off = (normal(z) - probability) / density(z);
        z -= off / (1.0 + 0.5 * z * off);
    }
    // What the distribution function is off by, several times over.
    Some((z, 1e-14 + 16.0 * f64::EPSILON / density(z)))
}

/// The standard normal density.
fn density(z: f64) -> f64 {
    libm::exp(-0.5 * z * z) * 0.5 * std::f64::consts::FRAC_2_SQRT_PI / std::f64::consts::SQRT_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_and_its_probability_agree() {
        let spread = Spread { median: 0.05, above: 0.2, below: 0.07 };
        for probability in [0.01, 0.2, 0.5, 0.8, 0.95, 0.99] {
            let factor = spread.factor(probability);
            assert!((spread.probability(factor) - probability).abs() < 1e-9);
        }
        assert_eq!(spread.probability(f64::INFINITY), 1.0);
        assert_eq!(spread.probability(0.0), 0.0);
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (probability, z) in [(0.5, 0.0), (0.8, 0.841_621), (0.95, 1.644_854), (0.99, 2.326_348)] {
            assert!((deviations(probability) - z).abs() < 1e-5);
        }
    }

    /// Bit for bit what every middle that is asked leads to.
    #[test]
    fn what_is_not_asked_changes_no_quantile() {
        let every = |probability: f64| {
            let (mut low, mut high) = (-8.0, 8.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if normal(middle) < probability {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            0.5 * (low + high)
        };
        let told = [
            0.0,
            1e-300,
            1e-17,
            1e-7,
            0.5,
            1.0 - 1e-7,
            1.0 - 1e-16,
            1.0,
            0.025,
            0.05,
            0.1,
            0.8,
            0.9,
            0.95,
            0.99,
            0.999,
        ];
        let evenly = (1..20_000).map(|part| f64::from(part) / 20_000.0);
        let tails = (1..400).map(|part| libm::exp(-f64::from(part) / 25.0));
        for probability in told.into_iter().chain(evenly).chain(tails.flat_map(|tail| [tail, 1.0 - tail])) {
            assert_eq!(deviations(probability).to_bits(), every(probability).to_bits(), "{probability}");
        }
    }

    #[test]
    fn wider_moves_quantiles_outwards() {
        let spread = Spread::even(0.1);
        assert!(spread.wider(1.5).factor(0.95) > spread.factor(0.95));
        assert!(spread.wider(1.5).factor(0.2) < spread.factor(0.2));
    }
}
