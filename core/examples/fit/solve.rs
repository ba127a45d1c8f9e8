//! Robust regression: iteratively reweighted Gauss-Newton on logarithms, with priors.

use shardwise_core::context::Context;
use shardwise_core::efficiency::Efficiency;
use shardwise_core::job::Job;
use shardwise_core::plan::Plan;
use shardwise_core::step;

use crate::parameters::{Parameter, priors, with};
use crate::report::rounded;

/// Scale of the errors of training and generation runs.
pub(crate) const SCALE: f64 = 0.08;

/// A run, resolved once.
pub(crate) struct Sample {
    pub(crate) job: Job,
    pub(crate) plan: Plan,
    /// What was measured.
    pub(crate) measured: Measured,
    /// How much it counts.
    pub(crate) weight: f64,
}

/// A measured figure.
pub(crate) enum Measured {
    /// Tokens per second and GPU of whole steps.
    Rate(f64),
    /// Seconds of phases together.
    Phases(&'static [&'static str], f64),
}

impl Sample {
    /// Logarithm of predicted over measured speed.
    pub(crate) fn error(&self, efficiency: &Efficiency) -> f64 {
        let step = step::evaluate(&Context::with(&self.job, efficiency), &self.plan);
        match self.measured {
            Measured::Rate(rate) => {
                let gpus = f64::from(self.job.hardware.gpus);
                (step.tokens / step.seconds / gpus / rate).ln()
            }
            Measured::Phases(names, seconds) => {
                let phases = step.times.iter().filter(|(own, _)| names.contains(&own.name()));
                let predicted: f64 = phases.map(|(_, parts)| parts.total()).sum();
                (seconds / predicted).ln()
            }
        }
    }
}

fn loss(parameters: &[Parameter], errors: &[f64], samples: &[&Sample], logs: &[f64], scale: f64) -> f64 {
    let data: f64 = errors
        .iter()
        .zip(samples)
        .map(|(error, sample)| sample.weight * (1.0 + (error / scale).powi(2)).ln())
        .sum();
    let prior: f64 = parameters
        .iter()
        .zip(logs)
        .map(|(parameter, log)| ((log - parameter.prior.ln()) / parameter.spread).powi(2))
        .sum();
    data + prior
}

/// Solves `matrix · x = vector` for a symmetric positive definite matrix, by Cholesky's decomposition.
fn solve(mut matrix: Vec<Vec<f64>>, mut vector: Vec<f64>) -> Vec<f64> {
    let n = vector.len();
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            matrix[i][j] =
                if i == j { (matrix[i][i] - sum).max(1e-12).sqrt() } else { (matrix[i][j] - sum) / matrix[j][j] };
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| matrix[i][k] * vector[k]).sum();
        vector[i] = (vector[i] - sum) / matrix[i][i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| matrix[k][i] * vector[k]).sum();
        vector[i] = (vector[i] - sum) / matrix[i][i];
    }
    vector
}

/// The logarithms that explain the samples best. Errors beyond `scale` count less and less (Cauchy's loss): a wrongly
/// stated row shall not bend the rest.
pub(crate) fn fit(parameters: &[Parameter], base: &Efficiency, samples: &[&Sample], scale: f64) -> Vec<f64> {
    fit_from(parameters, base, samples, scale, priors(parameters))
}

/// As [`fit`], beginning elsewhere than at what is expected.
pub(crate) fn fit_from(
    parameters: &[Parameter],
    base: &Efficiency,
    samples: &[&Sample],
    scale: f64,
    mut logs: Vec<f64>,
) -> Vec<f64> {
    let n = parameters.len();
    let errors = |logs: &[f64]| -> Vec<f64> {
        let efficiency = with(parameters, base, logs);
        samples.iter().map(|sample| sample.error(&efficiency)).collect()
    };
    let mut now = errors(&logs);
    let mut best = loss(parameters, &now, samples, &logs, scale);
    let mut damping = 1e-3;
    for _ in 0..60 {
        const STEP: f64 = 1e-4;
        let slopes: Vec<Vec<f64>> = (0..n)
            .map(|p| {
                let mut moved = logs.clone();
                moved[p] += STEP;
                let moved = errors(&moved);
                moved.iter().zip(&now).map(|(b, a)| (b - a) / STEP).collect()
            })
            .collect();
        let weights: Vec<f64> = now
            .iter()
            .zip(samples)
            .map(|(error, sample)| sample.weight / (scale * scale + error * error))
            .collect();
        let mut matrix = vec![vec![0.0; n]; n];
        let mut vector = vec![0.0; n];
        for p in 0..n {
            for q in 0..=p {
                let sum: f64 = (0..now.len()).map(|row| weights[row] * slopes[p][row] * slopes[q][row]).sum();
                matrix[p][q] = sum;
                matrix[q][p] = sum;
            }
            let parameter = &parameters[p];
            let precision = parameter.spread.powi(-2);
            vector[p] = -(0..now.len()).map(|row| weights[row] * slopes[p][row] * now[row]).sum::<f64>()
                - precision * (logs[p] - parameter.prior.ln());
            matrix[p][p] += precision;
        }
        let before = best;
        for _ in 0..8 {
            let mut damped = matrix.clone();
            for (p, row) in damped.iter_mut().enumerate() {
                row[p] *= 1.0 + damping;
            }
            let step = solve(damped, vector.clone());
            let trial: Vec<f64> = (0..n)
                .map(|p| {
                    let (low, high) = parameters[p].range;
                    (logs[p] + step[p]).clamp(low.ln(), high.ln())
                })
                .collect();
            let tried = errors(&trial);
            let value = loss(parameters, &tried, samples, &trial, scale);
            if value < best {
                (logs, now, best) = (trial, tried, value);
                damping = (damping * 0.3).max(1e-6);
                break;
            }
            damping *= 4.0;
        }
        if before - best < 1e-4 * best.abs() {
            break;
        }
    }
    logs
}

/// The constants that explain the samples best, as the catalog states them.
pub(crate) fn fitted(parameters: &[Parameter], base: &Efficiency, samples: &[&Sample], scale: f64) -> Efficiency {
    let logs: Vec<f64> = fit(parameters, base, samples, scale)
        .iter()
        .map(|log| rounded(log.exp()).ln())
        .collect();
    with(parameters, base, &logs)
}
