//! How far off an estimate of memory may be: a distribution of what is needed over what was estimated.

/// Logarithms of needed over estimated memory, with a spread of their own on each side of the median: too much room is no risk, so the
/// two sides are not alike. Each is Student's with four degrees of freedom, as a spread that rests on about five sources has (compare
/// Geisser 1993, Predictive Inference, section 2.3): what is far off is less rare than a normal distribution says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Logarithm of the median.
    pub median: f64,
    /// Scale of logarithms above it, which is their mean deviation.
    pub above: f64,
    /// Scale of logarithms below the median.
    pub below: f64,
}

impl Spread {
    /// A spread that is as likely as not above the estimate, by `deviation` as a logarithm.
    #[must_use]
    pub const fn even(deviation: f64) -> Self {
        Self { median: 0.0, above: deviation, below: deviation }
    }

    /// This spread with scales `factor` times as large on both sides of the median.
    #[must_use]
    pub fn wider(self, factor: f64) -> Self {
        Self { above: self.above * factor, below: self.below * factor, ..self }
    }

    /// Needed over estimated memory that holds with `probability`.
    ///
    /// ```
    /// use shardwise_core::spread::Spread;
    /// let factor = Spread::even(0.1).factor(0.95);
    /// assert!((factor - 1.2376).abs() < 1e-4); // e^(0.1 · 2.1318)
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
        if deviation > 0.0 { student(off / deviation) } else { f64::from(u8::from(off >= 0.0)) }
    }
}

/// How many scales above the median is what holds with some probability: computed once for all that is asked with the same one.
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
        Self(scales(probability))
    }

    /// So many scales above the median: of a probability whose quantile is written down.
    #[must_use]
    pub const fn at(scales: f64) -> Self {
        Self(scales)
    }
}

/// Student's distribution function for four degrees of freedom: `(2 + 3u - u³) ÷ 4` with `u = t ÷ √(4 + t²)` (Shaw 2006, Sampling
/// Student's T distribution, doi:10.21314/JCF.2006.150).
fn student(t: f64) -> f64 {
    let u = t / libm::sqrt(4.0 + t * t);
    0.25 * (2.0 + u * (3.0 - u * u))
}

/// Its inverse: of the cubic equation for `u` the root between -1 and 1. Within a hair of 0 and 1 it stays finite.
fn scales(probability: f64) -> f64 {
    let u = 2.0 * libm::sin(libm::asin(2.0 * probability - 1.0) / 3.0);
    let rest = (1.0 - u * u).max(1e-12);
    2.0 * u / libm::sqrt(rest)
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

    /// Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.10.
    #[test]
    fn quantiles_are_those_of_tables() {
        for (probability, t) in [(0.5, 0.0), (0.8, 0.940_965), (0.9, 1.533_206), (0.95, 2.131_847), (0.99, 3.746_947)] {
            assert!((scales(probability) - t).abs() < 1e-5, "{probability}");
            assert!((student(t) - probability).abs() < 1e-6, "{probability}");
        }
        assert!([0.0, 1.0, 1e-300, 1.0 - 1e-16].map(scales).iter().all(|own| own.is_finite()));
    }

    #[test]
    fn wider_moves_quantiles_outwards() {
        let spread = Spread::even(0.1);
        assert!(spread.wider(1.5).factor(0.95) > spread.factor(0.95));
        assert!(spread.wider(1.5).factor(0.2) < spread.factor(0.2));
    }
}
