//! Host memory of a card's usual node.

use super::rows::{Catalog, GpuRow};

/// Host memory in GiB of the node of `gpus_per_node` of these cards; `None` where no machine of the catalog states it.
///
/// It is the median of the machines of that size. Where there is none of that size, it is the median over all of what
/// they have per GPU, times the size. Of an even number it is the lower of the two in the middle, so that it is what
/// somebody has.
pub(crate) fn usual(catalog: &Catalog, row: &GpuRow) -> Option<f64> {
    let size = row.gpus_per_node;
    let known = catalog.nodes.iter().filter_map(|(_, node)| {
        let gib = node.host_ram_gib.filter(|_| node.gpu == row.id)?;
        Some((node.gpus, gib))
    });
    let of_size = known.clone().filter(|(gpus, _)| *gpus == size);
    let scaled = known.map(|(gpus, gib)| gib / f64::from(gpus.max(1)) * f64::from(size));
    median(of_size.map(|(_, gib)| gib).collect()).or_else(|| median(scaled.collect()))
}

/// The middle of `values`, the lower of the two of an even number.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}
