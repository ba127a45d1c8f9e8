//! The machine of a question: a catalog GPU, a changed one, or a custom one.

use serde_json::Value;

use super::{owned, rented};
use crate::market;
use crate::place::Place;
use crate::plan::MAX_GPUS;
use crate::wire::{self, GpuSpec, HardwareSpec, Json};
use shardwise_catalog::catalog;
use shardwise_catalog::efficiency::EFFICIENCY;
use shardwise_catalog::error::InputError;
use shardwise_catalog::hardware::{Hardware, HostRam, Peaks};
use shardwise_catalog::units::shortest;

const AT: Place<'static> = Place::at("hardware");
const OF_GPU: Place<'static> = Place::at("hardware.gpu");

/// The machine that a question's `hardware` describes, whatever is asked of it.
///
/// # Errors
/// What is unknown, missing or out of range, by its field.
pub fn resolve_hardware(spec: &HardwareSpec) -> Result<Hardware, InputError> {
    owned::alone(spec)?;
    // Where nobody looks for the best offer of a market, its cheapest stands for it.
    let first = if market::is_open(spec) { market::offers(spec)?.into_iter().next() } else { None };
    if let Some(offer) = first {
        return resolve_hardware(&market::rented(spec, &offer));
    }
    let mut hardware = match &spec.gpu {
        Value::String(id) => from_catalog(id, "hardware.gpu")?,
        Value::Object(_) => from_object(&spec.gpu)?,
        _ => {
            return Err(AT.wrong("gpu", "Give a catalog id such as h100-sxm, or an object."));
        }
    };
    let offer = market::named(spec)?;
    let usual = offer.as_ref().map_or(market::GPUS, market::usual);
    if let Some(offer) = offer {
        rented::apply(&mut hardware, offer);
    }
    if market::is_open(spec) {
        // Nobody there rents it out: what another market asks is no price of this one.
        (hardware.usd_per_gpu_hour, hardware.price_source) = (None, None);
    }
    hardware.gpus = AT.positive("gpus", spec.gpus.unwrap_or(usual), MAX_GPUS)? as u32;
    let per_node = spec.gpus_per_node.unwrap_or(u64::from(hardware.gpus_per_node));
    let per_node = AT.positive("gpus_per_node", per_node, MAX_GPUS)? as u32;
    hardware.gpus_per_node = per_node.min(hardware.gpus);
    if let Some(gbit) = spec.internode_gbit_per_s_per_gpu {
        hardware.internode_gbit_per_s = AT.within("internode_gbit_per_s_per_gpu", gbit, NETWORK.0, NETWORK.1)?;
    }
    hardware.price_open = market::is_unsaid(spec);
    price(&mut hardware);
    if let Some(gib) = spec.host_ram_gib {
        let gib = AT.within("host_ram_gib", gib, 1.0, 1e6)?;
        hardware.host_ram = HostRam::Stated(gib);
    }
    if let Some(usd) = spec.usd_per_gpu_hour {
        if usd < 0.0 {
            return Err(AT.wrong(
                "usd_per_gpu_hour",
                format!("{usd} is negative. Give the price of one GPU for one hour in US dollars, 0 or more."),
            ));
        }
        hardware.usd_per_gpu_hour = Some(AT.within("usd_per_gpu_hour", usd, 0.0, 1e6)?);
        hardware.price_source = hardware.price_source.filter(|_| hardware.offer.is_some());
    }
    if let Some(own) = spec.owned {
        owned::apply(&mut hardware, own)?;
    }
    Ok(hardware)
}

/// Prices a machine of which a question says nothing of what it costs: the typical price, or what the cheapest offer on demand
/// asks that holds so many GPUs, where that is more. A typical price is mostly of single instances, which nobody says can be joined.
///
/// ```
/// use shardwise_core::{job::{price, resolve_hardware}, wire::HardwareSpec};
/// let spec = HardwareSpec { gpu: "b300-sxm".into(), gpus: Some(8), ..HardwareSpec::default() };
/// let mut hardware = resolve_hardware(&spec).unwrap();
/// let one = hardware.usd_per_gpu_hour;
/// hardware.gpus = 16;
/// price(&mut hardware);
/// assert!(hardware.usd_per_gpu_hour > one && hardware.priced_by.is_some());
/// ```
pub fn price(hardware: &mut Hardware) {
    if !hardware.price_open {
        return;
    }
    let typical = catalog::gpu(&hardware.gpu).and_then(|gpu| gpu.usd_per_gpu_hour.zip(gpu.price_source));
    let usd = typical.map(|(usd, _)| usd);
    let least = market::cheapest(&hardware.gpu, hardware.gpus);
    hardware.priced_by = least.filter(|least| usd.is_none_or(|usd| usd < least.usd_per_gpu_hour()));
    let offered = hardware.priced_by.map(|least| (least.usd_per_gpu_hour(), least.source()));
    let price = offered.or(typical);
    hardware.usd_per_gpu_hour = price.map(|(usd, _)| usd);
    hardware.price_source = price.map(|(_, source)| source);
}

fn from_catalog(id: &str, field: &str) -> Result<Hardware, InputError> {
    let Some(gpu) = catalog::gpu(id) else {
        let id: String = id.chars().take(80).collect();
        let start: String = id.to_ascii_lowercase().chars().take(2).collect();
        let mut near: Vec<&str> = catalog::gpus()
            .iter()
            .map(|gpu| gpu.id)
            .filter(|known| start.len() >= 2 && known.contains(&start))
            .take(8)
            .collect();
        if near.is_empty() {
            near = catalog::gpus().iter().map(|gpu| gpu.id).take(8).collect();
        }
        return Err(InputError::new(
            field,
            format!(
                "There is no GPU {id:?} in the catalog. Near: {}. `shardwise catalog gpus` lists all.",
                near.join(", ")
            ),
        ));
    };
    let half = gpu.bf16_dense_tflops.or(gpu.fp16_dense_tflops).unwrap_or(0.0);
    Ok(Hardware {
        gpu: gpu.id.into(),
        name: gpu.name.into(),
        memory_gib: if gpu.unified_memory { gpu.memory_gib - SHARED_GIB } else { gpu.memory_gib },
        unified_memory: gpu.unified_memory,
        hbm_gb_per_s: gpu.hbm_gb_per_s,
        peaks: Peaks {
            bf16: half,
            fp16: gpu.fp16_dense_tflops.unwrap_or(half),
            fp8: gpu.fp8_dense_tflops,
            fp4: gpu.fp4_dense_tflops,
        },
        architecture: gpu.architecture.into(),
        like: None,
        gemm_bf16_tflops: gpu.gemm_bf16_tflops,
        gemm_fp8_tflops: gpu.gemm_fp8_tflops,
        nvlink_gb_per_s: gpu.nvlink_gb_per_s,
        nvlink_domain: gpu.nvlink_domain.max(1),
        pcie_gb_per_s: gpu.pcie_gb_per_s,
        gpus: 8,
        gpus_per_node: gpu.gpus_per_node.max(1),
        internode_gbit_per_s: if gpu.internode_gbit_per_s > 0.0 { gpu.internode_gbit_per_s } else { 100.0 },
        host_ram: match gpu.host_ram_gib {
            _ if gpu.unified_memory => HostRam::PerGpu(SHARED_GIB),
            None => HostRam::Unknown,
            Some(gib) => HostRam::PerGpu(gib / f64::from(gpu.gpus_per_node.max(1))),
        },
        board_w: gpu.board_w,
        board_source: gpu.board_source,
        usd_per_gpu_hour: gpu.usd_per_gpu_hour,
        price_source: gpu.price_source,
        price_open: false,
        priced_by: None,
        offer: None,
        owned: None,
    })
}

/// GiB that the host's processes take of a memory that CPU and GPU share: what each takes of a host's own
/// (`PROCESS_GIB` of the engine's `host.rs`), so that they run and nothing is moved there.
const SHARED_GIB: f64 = 8.0;

/// What a card of today, of the last decade and of the next can have: GiB; GB/s of memory, of PCIe and of NVLink; TFLOPS.
/// Beyond, an entry is a slip of the unit.
const MEMORY: (f64, f64) = (1.0, 10_000.0);
const BANDWIDTH: (f64, f64) = (10.0, 100_000.0);
const PCIE: (f64, f64) = (0.1, 10_000.0);
const NVLINK: (f64, f64) = (1.0, 20_000.0);
const PEAK: (f64, f64) = (0.1, 100_000.0);
/// Gbit/s of a network.
const NETWORK: (f64, f64) = (0.1, 100_000.0);

/// The rate of NVLink, or none.
fn nvlink(rate: f64) -> Result<f64, InputError> {
    let (least, most) = NVLINK;
    if rate == 0.0 || (least..=most).contains(&rate) {
        return Ok(rate);
    }
    let [rate, least, most] = [rate, least, most].map(shortest);
    Err(OF_GPU.wrong(
        "nvlink_gb_per_s",
        format!("{rate} is out of range. Give {least} to {most}, or 0 for a card without NVLink."),
    ))
}

fn from_object(value: &Value) -> Result<Hardware, InputError> {
    let spec: GpuSpec = wire::read(&Json::of(value), &OF_GPU)?;
    let stated = spec.architecture.as_deref().map(architecture).transpose()?;
    let mut hardware = match &spec.base {
        Some(id) => {
            let mut hardware = from_catalog(id, "hardware.gpu.base")?;
            let own = stated.filter(|stated| !hardware.architecture.starts_with(*stated));
            if let Some(stated) = own {
                return Err(OF_GPU.wrong(
                    "architecture",
                    format!(
                        "{} is {}, not {stated}. Leave it out, or describe the GPU without base.",
                        hardware.name, hardware.architecture
                    ),
                ));
            }
            hardware.name = format!("{} (changed)", hardware.name).into();
            hardware
        }
        None => custom(&spec, stated)?,
    };
    let figures = [
        (&mut hardware.memory_gib, "memory_gib", spec.memory_gib, MEMORY),
        (&mut hardware.hbm_gb_per_s, "hbm_gb_per_s", spec.hbm_gb_per_s, BANDWIDTH),
        (&mut hardware.pcie_gb_per_s, "pcie_gb_per_s", spec.pcie_gb_per_s, PCIE),
    ];
    for (target, name, value, (least, most)) in figures {
        if let Some(value) = value {
            *target = OF_GPU.within(name, value, least, most)?;
        }
    }
    if let Some(rate) = spec.nvlink_gb_per_s {
        hardware.nvlink_gb_per_s = nvlink(rate)?;
    }
    peaks(&mut hardware, &spec)?;
    if let Some(domain) = spec.nvlink_domain {
        hardware.nvlink_domain = OF_GPU.positive("nvlink_domain", domain, MAX_GPUS)? as u32;
    }
    Ok(hardware)
}

/// Takes the stated peaks in the place of the card's: what was measured of it is another card's then.
fn peaks(hardware: &mut Hardware, spec: &GpuSpec) -> Result<(), InputError> {
    let peak = |key: &str, tflops: f64| OF_GPU.within(key, tflops, PEAK.0, PEAK.1);
    if let Some(tflops) = spec.bf16_dense_tflops {
        let peak = peak("bf16_dense_tflops", tflops)?;
        hardware.peaks.bf16 = peak;
        hardware.peaks.fp16 = peak;
        hardware.gemm_bf16_tflops = None;
    }
    let half = hardware.peaks.bf16;
    if let Some(tflops) = spec.fp8_dense_tflops {
        let tflops = peak("fp8_dense_tflops", tflops)?;
        if tflops < half {
            return Err(OF_GPU.wrong(
                "fp8_dense_tflops",
                format!(
                    "{} is less than the {} of bf16. Give {} or more, or leave it out for a card without fp8.",
                    shortest(tflops),
                    shortest(half),
                    shortest(half)
                ),
            ));
        }
        hardware.peaks.fp8 = Some(tflops);
        hardware.gemm_fp8_tflops = None;
    }
    // Fewer bits are no slower, whatever the base reaches.
    hardware.peaks.fp8 = hardware.peaks.fp8.map(|own| own.max(half));
    let eight = hardware.peaks.fp8.unwrap_or(half);
    hardware.peaks.fp4 = hardware.peaks.fp4.map(|own| own.max(eight));
    Ok(())
}

/// The architecture that a word names, in any case: an entry of `efficiency.toml`, or the first word of a GPU's in the
/// catalog (`CDNA3`).
fn architecture(word: &str) -> Result<&'static str, InputError> {
    let first = |gpu: &'static catalog::Gpu| gpu.architecture.split(' ').next().unwrap_or_default();
    let entries = EFFICIENCY.architectures.iter();
    let entries = entries
        .map(|entry| entry.name.as_ref())
        .filter(|name| catalog::gpu(name).is_none());
    let mut known = entries.chain(catalog::gpus().iter().map(first));
    known.find(|name| name.eq_ignore_ascii_case(word.trim())).ok_or_else(|| {
        let word: String = word.chars().take(40).collect();
        let names: Vec<String> = EFFICIENCY.architecture_names().collect();
        OF_GPU.wrong(
            "architecture",
            format!(
                "{word:?} is no architecture that efficiencies are known of. Give one of {}, or leave it out.",
                names.join(", ")
            ),
        )
    })
}

/// Peak and bandwidth within this factor are those of the same card.
const ALIKE: f64 = 1.1;

/// The GPU of the catalog whose peak in 16 bits and bandwidth are nearest, by the distance of their logarithms, where both
/// are within [`ALIKE`].
fn alike(tflops: f64, gb_per_s: f64) -> Option<&'static catalog::Gpu> {
    let mut nearest: Option<(f64, &catalog::Gpu)> = None;
    for gpu in catalog::gpus() {
        let Some(peak) = gpu.bf16_dense_tflops.or(gpu.fp16_dense_tflops) else {
            continue;
        };
        let off = [tflops / peak, gb_per_s / gpu.hbm_gb_per_s].map(|ratio| libm::log(ratio).abs());
        let within = off.iter().all(|off| *off <= libm::log(ALIKE));
        let distance = off.iter().map(|off| off * off).sum();
        if within && nearest.is_none_or(|(known, _)| distance < known) {
            nearest = Some((distance, gpu));
        }
    }
    nearest.map(|(_, gpu)| gpu)
}

fn custom(spec: &GpuSpec, stated: Option<&'static str>) -> Result<Hardware, InputError> {
    let need = |name: &str, value: Option<f64>| {
        value.ok_or_else(|| {
            OF_GPU.wrong(
                name,
                "A GPU without `base` needs memory_gib, hbm_gb_per_s and bf16_dense_tflops. Give them, or a base.",
            )
        })
    };
    let peak = need("bf16_dense_tflops", spec.bf16_dense_tflops)?;
    let memory_gib = need("memory_gib", spec.memory_gib)?;
    let hbm_gb_per_s = need("hbm_gb_per_s", spec.hbm_gb_per_s)?;
    // A better card of a stated architecture is never worse: what it is like changes nothing.
    let like = match stated {
        Some(_) => None,
        None => alike(peak, hbm_gb_per_s),
    };
    Ok(Hardware {
        gpu: "custom".into(),
        name: "Custom GPU".into(),
        architecture: like.map(|gpu| gpu.architecture).or(stated).unwrap_or_default().into(),
        like: like.map(|gpu| gpu.id),
        memory_gib,
        unified_memory: false,
        hbm_gb_per_s,
        peaks: Peaks { bf16: peak, fp16: peak, fp8: spec.fp8_dense_tflops, fp4: None },
        gemm_bf16_tflops: None,
        gemm_fp8_tflops: None,
        nvlink_gb_per_s: 0.0,
        nvlink_domain: if spec.nvlink_gb_per_s.is_some_and(|rate| rate > 0.0) { 8 } else { 1 },
        pcie_gb_per_s: 31.5,
        gpus: 8,
        gpus_per_node: 8,
        internode_gbit_per_s: 100.0,
        host_ram: HostRam::Unknown,
        board_w: None,
        board_source: None,
        usd_per_gpu_hour: None,
        price_source: None,
        price_open: false,
        priced_by: None,
        offer: None,
        owned: None,
    })
}
