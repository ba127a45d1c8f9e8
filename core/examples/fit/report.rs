//! Errors in words and tables, and the files that `make fit` writes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::errors::magnitude_at;

/// Relative errors of some runs, from logarithms of predicted over measured.
#[derive(Clone, Default)]
pub(crate) struct Errors(pub(crate) Vec<f64>);

impl Errors {
    fn relative(&self) -> Vec<f64> {
        self.0.iter().map(|log| log.exp() - 1.0).collect()
    }

    /// The |error| below which this share of the runs is.
    pub(crate) fn at(&self, share: f64) -> f64 {
        magnitude_at(&self.relative(), share).unwrap_or(0.0)
    }

    pub(crate) fn mean(&self) -> f64 {
        self.relative().iter().map(|error| error.abs()).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The median with its sign: above zero where estimates are too high.
    pub(crate) fn bias(&self) -> f64 {
        let mut errors = self.relative();
        errors.sort_by(f64::total_cmp);
        errors.get(errors.len() / 2).copied().unwrap_or(0.0)
    }

    /// The error, with its sign, below which this share of the runs is.
    pub(crate) fn signed_at(&self, share: f64) -> f64 {
        let mut errors = self.relative();
        errors.sort_by(f64::total_cmp);
        let last = errors.len().saturating_sub(1);
        errors
            .get(((share * errors.len() as f64) as usize).min(last))
            .copied()
            .unwrap_or(0.0)
    }

    /// The half-width, as a logarithm, that this share of the runs is within.
    pub(crate) fn half_width(&self, share: f64) -> f64 {
        magnitude_at(&self.0, share).unwrap_or(0.0)
    }
}

/// To three significant digits, as the catalog states it.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// A table of errors by group, fitted and left out side by side.
pub(crate) fn table(groups: &BTreeMap<String, [Errors; 2]>) -> String {
    let mut out =
        String::from("source,runs,median,mean,p90,bias,left_out_median,left_out_mean,left_out_p90,left_out_bias\n");
    for (name, [fitted, left_out]) in groups {
        let _ = write!(out, "{name},{}", fitted.0.len());
        for errors in [fitted, left_out] {
            let figures = [errors.at(0.5), errors.mean(), errors.at(0.9), errors.bias()];
            for figure in figures {
                let _ = write!(out, ",{figure:.3}");
            }
        }
        out.push('\n');
    }
    out
}

/// Errors of groups of runs for a person, in percent.
pub(crate) fn summary(title: &str, groups: &BTreeMap<String, Errors>) -> String {
    let mut out = format!("{title}: runs, median, mean, p90, bias in %\n");
    for (name, errors) in groups {
        let figures = [errors.at(0.5), errors.mean(), errors.at(0.9), errors.bias()];
        let _ = write!(out, "  {name:<40}{:>5}", errors.0.len());
        for figure in figures {
            let _ = write!(out, "{:>7.1}", 100.0 * figure);
        }
        out.push('\n');
    }
    out
}

/// Sets `field` of the entry of `kind` called `name` in the text of `efficiency.toml`. Comments and order stay.
///
/// # Panics
/// Where there is no such field.
pub(crate) fn set(text: &mut String, kind: &str, name: &str, field: &str, value: &str) {
    set_in(text, &format!("[[{kind}]]\nname = \"{name}\"\n"), field, value);
}

/// Sets a field of the table that starts so.
///
/// # Panics
/// Where there is no such table or field.
pub(crate) fn set_in(text: &mut String, start: &str, field: &str, value: &str) {
    let table = text.find(start).unwrap_or_else(|| panic!("no {start}"));
    let end = text[table + 2..].find("\n[").map_or(text.len(), |at| table + 2 + at);
    let key = format!("\n{field} = ");
    let at = text[table..end].find(&key);
    let at = at.unwrap_or_else(|| panic!("{start} has no {field}")) + table + key.len();
    let line = text[at..].find('\n').map_or(text.len(), |length| at + length);
    text.replace_range(at..line, value);
}
