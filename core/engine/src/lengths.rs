//! Response lengths as a distribution: a batch ends with its longest response.

use shardwise_question::workload::Agent;

/// Standard normal quantiles at the middles of shares of the requests, and those shares: finer
/// towards the longest, which decide when a batch ends.
pub(crate) const SHARES: [(f64, f64); 17] = [
    (-1.6449, 0.1),
    (-1.0364, 0.1),
    (-0.6745, 0.1),
    (-0.3853, 0.1),
    (-0.1257, 0.1),
    (0.1257, 0.1),
    (0.3853, 0.1),
    (0.6745, 0.1),
    (0.9346, 0.05),
    (1.1503, 0.05),
    (1.3408, 0.02),
    (1.4758, 0.02),
    (1.6449, 0.02),
    (1.8808, 0.02),
    (2.1701, 0.01),
    (2.5758, 0.007),
    (3.0902, 0.003),
];

/// Response lengths of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Responses {
    /// Mean in tokens.
    pub mean: f64,
    /// Of equal quantiles, shortest first.
    pub(crate) lengths: [f64; SHARES.len()],
    /// Standard deviation over mean: less than asked for where the longest cuts many.
    spread: f64,
    /// What the largest of many normal draws makes of: the median, the deviation of the logarithm, and the cut.
    drawn: (f64, f64, f64),
}

impl Responses {
    /// Log-normal lengths of a mean and a coefficient of variation, cut at the longest, the mean kept.
    #[must_use]
    pub fn new(mean: f64, cv: f64, longest: f64) -> Self {
        let mean = mean.min(longest);
        let mut responses = Self { mean, lengths: [mean; SHARES.len()], spread: 0.0, drawn: (mean, 0.0, longest) };
        if cv <= 0.0 {
            return responses;
        }
        let sigma = libm::log(1.0 + cv * cv).sqrt();
        let shape = SHARES.map(|(z, _)| libm::exp(sigma * z));
        // Cutting lowers the mean: scale until it holds.
        let mut scale = mean;
        for _ in 0..12 {
            let found = weighted(&shape, &|length| (length * scale).min(longest));
            scale *= (mean / found).min(4.0);
        }
        responses.lengths = shape.map(|length| (length * scale).clamp(1.0, longest));
        responses.drawn = (scale, sigma, longest);
        let middle = weighted(&responses.lengths, &|length| length);
        let variance = weighted(&responses.lengths, &|length| (length - middle) * (length - middle));
        responses.spread = variance.sqrt() / middle;
        responses
    }

    /// Lengths of one turn of an agent's responses: where all wait for its longest, they vary more than the sums over turns do.
    #[must_use]
    pub fn of_a_turn(agent: &Agent, mean: f64, cv: f64, longest: f64) -> Self {
        let each = ((mean - agent.read()) / agent.turns).max(1.0);
        Self::new(each, cv * agent.turns.sqrt(), (longest - agent.read()).max(each))
    }

    /// The longest in tokens.
    pub(crate) fn longest(&self) -> f64 {
        self.lengths.iter().copied().fold(self.mean, f64::max)
    }

    /// The longest of `count` in tokens.
    #[must_use]
    pub fn longest_of(&self, count: f64) -> f64 {
        let (median, deviation, most) = self.drawn;
        (median * libm::exp(deviation * largest(count))).min(most)
    }

    /// Tokens of the response that a token is of, in the mean over tokens: `E[L²] ÷ E[L]` (the inspection paradox; Ross 2014,
    /// Introduction to Probability Models, section 7.7).
    pub(crate) fn of_a_token(&self) -> f64 {
        self.mean * (1.0 + self.spread * self.spread)
    }

    /// Tokens of the busiest of `engines` over the mean, where they share `prompts` prompts: those are dealt evenly,
    /// their responses' lengths are not.
    pub(crate) fn busiest(&self, prompts: f64, engines: f64) -> f64 {
        busiest(self.spread, prompts / engines, engines)
    }
}

fn weighted(lengths: &[f64; SHARES.len()], of: &dyn Fn(f64) -> f64) -> f64 {
    let parts = lengths.iter().zip(SHARES);
    parts.map(|(length, (_, share))| of(*length) * share).sum()
}

/// How far the largest of `count` normal draws is above their mean, in standard deviations: `√ln n`, which is within a fifth
/// for 4 to 64, or Cramér's expansion, which is within a tenth above (Mathematical Methods of Statistics 1946, 28.6).
#[must_use]
pub fn largest(count: f64) -> f64 {
    let log = libm::log(count.max(1.0));
    if log < 2.0 {
        return log.sqrt();
    }
    let grown = 2.0 * log - libm::log(log) - libm::log(4.0 * core::f64::consts::PI);
    grown.max(log).sqrt()
}

/// What the busiest of `sharing` ranks or engines has over the mean, where each gets `each` whole prompts and the lengths of
/// their responses spread by `spread`.
///
/// Responses to one prompt are alike in length: half of the variance is taken to be the prompt's (assumed). The largest of `n`
/// normal draws lies about `√ln n` deviations above their mean (within a fifth for 4 to 64).
#[must_use]
pub fn busiest(spread: f64, each: f64, sharing: f64) -> f64 {
    1.0 + spread * (0.5 * libm::log(sharing.max(1.0)) / each.max(1.0)).sqrt()
}
