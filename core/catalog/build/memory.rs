//! Memory of a card that a process can use: what a page shows, or the share that a sister card leaves.

use super::rows::{Catalog, GpuRow};

/// What CUDA or ROCm shows a process of the card's memory, in GiB, and the entry whose page shows it.
///
/// A card with `memory_as` leaves the same share of the memory as sold as that card, rounded to hundredths as PyTorch
/// prints it. `None` where the entry has neither or names no card with a figure of its own, which the check refuses.
pub(crate) fn usable<'a>(catalog: &'a Catalog, row: &'a GpuRow) -> Option<(f64, &'a GpuRow)> {
    let Some(id) = &row.memory_as else {
        return row.memory_gib.map(|gib| (gib, row));
    };
    let sister = catalog.gpu(id)?;
    let gib = sister.memory_gib? * row.memory_gb / sister.memory_gb;
    Some(((gib * 100.0).round() / 100.0, sister))
}
