//! A machine of one's own: what an hour of it costs.

use crate::operations::{NODE_FACTOR, PUE, UTILIZATION};
use crate::place::Place;
use crate::wire::{HardwareSpec, OwnedSpec};
use shardwise_catalog::error::{Caveat, InputError};
use shardwise_catalog::hardware::{Hardware, Owned};
use shardwise_catalog::units::shortest;

const ABOVE: Place<'static> = Place::at("hardware");
const AT: Place<'static> = Place::at("hardware.owned");

/// Years over which servers are written off: Amazon's from 2025 on for a part of them, six before, because AI moves fast
/// (10-K for 2024, quoted in <https://deepquarry.substack.com/p/amazon-revises-server-lifespan-amid>, of 2025-02-11, read
/// 2026-11-26).
///
/// Meta takes 5.5 years since January 2025 (<https://taxacct.com.au/metas-accounting-move-to-boost-profit>), Alphabet and
/// Microsoft six since 2023 (<https://shaulkoral.com/useful-life-of-servers-and-network-assets-at-tech-companies/>, both read
/// 2026-11-26).
pub const YEARS: f64 = 5.0;

/// Share of all hours in which the GPUs of a cluster work: 83 % of Meta's RSC-1 with its 16,000 A100 over eleven months, 85 %
/// of RSC-2 (Kokolis et al. 2024, arXiv:2410.21680; read 2026-11-26 in a page of quotations).
pub const WORKING: f64 = 0.83;

/// US dollars for a kilowatt-hour: what industry paid in the United States in 2023 on average, by the U.S. Energy Information
/// Administration
/// (<https://www.statista.com/statistics/190680/us-industrial-consumer-price-estimates-for-retail-electricity-since-1970/>, of
/// 2024-03-18, read 2026-11-26).
pub const USD_PER_KWH: f64 = 0.0806;

/// Beyond, an entry is a slip of the unit: a whole cluster's price, kilowatts, cents.
const USD_PER_GPU: (f64, f64) = (0.0, 1e6);
const OVER_YEARS: (f64, f64) = (0.1, 30.0);
const USED: (f64, f64) = (0.01, 1.0);
const WATTS: (f64, f64) = (1.0, 20_000.0);
const OF_SITE: (f64, f64) = (1.0, 10.0);
const KWH: (f64, f64) = (0.0, 10.0);

/// Mean power of a card with its share of the machine, in watts, by what the card is rated at: as a run's energy is counted.
#[must_use]
pub fn usual_watts(rated_w: f64) -> f64 {
    rated_w * NODE_FACTOR * UTILIZATION
}

/// Refuses a price beside that of a machine of one's own.
///
/// # Errors
/// Names the other price.
pub(crate) fn alone(spec: &HardwareSpec) -> Result<(), InputError> {
    if spec.owned.is_none() {
        return Ok(());
    }
    for (key, stated) in [("offer", spec.offer.is_some()), ("market", spec.market.is_some())] {
        if stated {
            return Err(ABOVE.wrong(key, "Machines of your own are not rented. Leave this out, or hardware.owned."));
        }
    }
    if spec.usd_per_gpu_hour.is_some() {
        return Err(ABOVE.wrong(
            "usd_per_gpu_hour",
            "What an hour costs follows from hardware.owned already. Leave the one or the other out.",
        ));
    }
    Ok(())
}

/// Gives a machine the price of one's own.
///
/// # Errors
/// Names what is missing or out of range.
pub(super) fn apply(hardware: &mut Hardware, spec: OwnedSpec) -> Result<(), InputError> {
    let within = |key: &str, value: f64, range: (f64, f64)| AT.within(key, value, range.0, range.1);
    let rated_w = hardware.board_w.filter(|_| spec.watts.is_none());
    let watts = match (spec.watts, rated_w) {
        (Some(watts), _) => within("watts", watts, WATTS)?,
        (None, Some(rated)) => usual_watts(rated),
        (None, None) => {
            return Err(AT.wrong(
                "watts",
                format!(
                    "What {} is rated at in watts is not in the catalog. Give what one draws with its share of the machine.",
                    hardware.name
                ),
            ));
        }
    };
    let own = Owned {
        usd_per_gpu: within("usd_per_gpu", AT.required("usd_per_gpu", spec.usd_per_gpu)?, USD_PER_GPU)?,
        years: within("years", spec.years.unwrap_or(YEARS), OVER_YEARS)?,
        utilization: within("utilization", spec.utilization.unwrap_or(WORKING), USED)?,
        watts,
        rated_w,
        pue: within("pue", spec.pue.unwrap_or(PUE), OF_SITE)?,
        usd_per_kwh: within("usd_per_kwh", spec.usd_per_kwh.unwrap_or(USD_PER_KWH), KWH)?,
    };
    hardware.usd_per_gpu_hour = Some(own.usd_per_gpu_hour());
    hardware.price_source = None;
    hardware.owned = Some(own);
    Ok(())
}

/// What is assumed of a machine of one's own where the question does not say.
pub(super) fn assumed(spec: &HardwareSpec, hardware: &Hardware) -> Option<Caveat> {
    let (spec, own) = (spec.owned?, hardware.owned?);
    let stated = [spec.years, spec.utilization, spec.watts, spec.pue, spec.usd_per_kwh];
    if stated.iter().all(Option::is_some) {
        return None;
    }
    let share = (own.utilization * 1e4).round() / 100.0;
    let [years, share, watts, pue, usd] = [own.years, share, own.watts.round(), own.pue, own.usd_per_kwh].map(shortest);
    Some(Caveat::new(
        "owned-assumed",
        format!(
            "What your GPUs cost is spread over {years} years and {share} % of their hours, with {watts} W each, a PUE of {pue} and ${usd} for a kilowatt-hour. State in hardware.owned what is otherwise."
        ),
    ))
}
