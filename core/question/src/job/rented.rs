//! The machine that an offer is.

use shardwise_catalog::catalog::Interconnect;
use shardwise_catalog::hardware::{Hardware, HostRam, Rentable};

/// Network of an instance in Gbit/s where nobody states it: the least that any row of `core/catalog/data/offers.csv` states,
/// the six of Alibaba Cloud's `ecs.gn8is.2xlarge` (one L20). AWS's `g5.xlarge`, `g6.xlarge`, `p3.2xlarge` and `p3.8xlarge` follow with 10.
pub const ASSUMED_NETWORK: f64 = 8.0;

/// Host memory of an instance over its GPUs' memory, where neither the offer nor any machine of the catalog with such GPUs
/// states it: the least that any row of `core/catalog/data/offers.csv` states, Cudo Compute's with A40 and RTX A6000.
pub const ASSUMED_HOST_SHARE: f64 = 0.5;

/// Makes a machine that of an offer: its node, what joins its GPUs, its network, host memory and price.
///
/// NVLink reaches as far as an instance, or the rack where the card is sold by the rack (GB200 NVL72). Between instances of
/// one GPU there is none. What is not known to have NVLink has PCIe. A price alone changes nothing but the price.
pub(super) fn apply(hardware: &mut Hardware, offer: Rentable) {
    if let Some(size) = offer.instance_gpus() {
        let linked = matches!(offer.interconnect(), Interconnect::Nvlink | Interconnect::Xgmi) && size > 1;
        let by_rack = hardware.nvlink_domain > hardware.gpus_per_node.max(8);
        if !linked {
            hardware.nvlink_gb_per_s = 0.0;
            hardware.nvlink_domain = 1;
        } else if !by_rack {
            hardware.nvlink_domain = hardware.nvlink_domain.min(size);
        }
        hardware.gpus_per_node = size;
        let network = offer.network_gbit_per_s().unwrap_or(ASSUMED_NETWORK);
        hardware.internode_gbit_per_s = network / f64::from(size);
        hardware.host_ram = match (offer.host_ram_gib(), hardware.host_ram) {
            (Some(gib), _) => HostRam::Stated(gib),
            // What nobody knows would hold whatever is moved there.
            (None, HostRam::Unknown) => HostRam::Stated(ASSUMED_HOST_SHARE * hardware.memory_gib * f64::from(size)),
            (None, known) => known,
        };
    }
    hardware.usd_per_gpu_hour = Some(offer.usd_per_gpu_hour());
    hardware.price_source = offer.source();
    hardware.offer = Some(offer);
}
