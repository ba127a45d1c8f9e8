//! What a run draws.

use shardwise_question::operations::Power;

/// Kilowatt-hours of a run: rated power of all GPUs, times what their nodes are rated at over it, times mean over rated power,
/// times the site's power over its computers' (Luccioni et al. 2022, arXiv:2211.02001, of GPUs at their rated power). By
/// default those of a node of eight H100, which is rated at 10.2 kW (arXiv:2412.08602) and draws 76 % of it in training
/// (arXiv:2506.14551). Nothing where the power of a GPU is not known.
///
/// ```
/// use shardwise_core::operations::Power;
/// use shardwise_core::run::energy::{co2_kg, kwh};
/// // BLOOM there: 1,082,990 hours of an A100 at 400 W come to 433,196 kWh and 24.7 tonnes.
/// let own = Power { board_w: Some(400.0), node_factor: 1.0, utilization: 1.0, pue: 1.0, grid_gco2_per_kwh: 57.0 };
/// let kwh = kwh(&own, 1.0, 1_082_990.0).unwrap();
/// assert_eq!((kwh.round(), (co2_kg(&own, kwh) / 100.0).round()), (433_196.0, 247.0));
/// ```
#[must_use]
pub fn kwh(own: &Power, gpus: f64, hours: f64) -> Option<f64> {
    let board = own.board_w?;
    Some(board * gpus * own.node_factor * own.utilization * own.pue * hours / 1000.0)
}

/// Kilograms of CO2 equivalent of so many kilowatt-hours of the grid (Luccioni et al. 2022, arXiv:2211.02001). Making the machines
/// is not in it.
#[must_use]
pub fn co2_kg(own: &Power, kwh: f64) -> f64 {
    kwh * own.grid_gco2_per_kwh / 1000.0
}
