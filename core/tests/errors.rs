//! How large errors are.

/// The magnitude below which this share of the values is; none of no values.
pub(crate) fn magnitude_at(values: &[f64], share: f64) -> Option<f64> {
    let mut sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let last = sizes.len().checked_sub(1)?;
    sizes.get(((share * sizes.len() as f64) as usize).min(last)).copied()
}
