//! The machine of a question: a catalog GPU, a changed one, or a custom one.

use serde_json::Value;

use super::{MAX_GPUS, MAX_RATE, positive, within};
use crate::catalog;
use crate::error::InputError;
use crate::hardware::{Hardware, Peaks};
use crate::wire::{self, GpuSpec, HardwareSpec, Place};

pub(super) fn resolve_hardware(spec: &HardwareSpec) -> Result<Hardware, InputError> {
    let mut hardware = match &spec.gpu {
        Value::String(id) => from_catalog(id, "hardware.gpu")?,
        Value::Object(_) => from_object(&spec.gpu)?,
        _ => {
            return Err(InputError::new(
                "hardware.gpu",
                "Give a catalog id such as h100-sxm, or an object.",
            ));
        }
    };
    hardware.gpus = positive("hardware.gpus", spec.gpus.unwrap_or(8), MAX_GPUS)? as u32;
    let per_node = spec
        .gpus_per_node
        .unwrap_or(u64::from(hardware.gpus_per_node));
    let per_node = positive("hardware.gpus_per_node", per_node, MAX_GPUS)? as u32;
    hardware.gpus_per_node = per_node.min(hardware.gpus);
    if let Some(gbit) = spec.internode_gbit_per_s_per_gpu {
        hardware.internode_gbit_per_s = within(
            "hardware.internode_gbit_per_s_per_gpu",
            gbit,
            0.001,
            MAX_RATE,
        )?;
    }
    if let Some(usd) = spec.usd_per_gpu_hour {
        if usd < 0.0 {
            return Err(InputError::new(
                "hardware.usd_per_gpu_hour",
                format!(
                    "{usd} is negative. Give the price of one GPU for one hour in US dollars, 0 or more."
                ),
            ));
        }
        hardware.usd_per_gpu_hour = Some(within("hardware.usd_per_gpu_hour", usd, 0.0, 1e6)?);
        hardware.price_source = None;
    }
    Ok(hardware)
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
    let half = gpu
        .bf16_dense_tflops
        .or(gpu.fp16_dense_tflops)
        .unwrap_or(0.0);
    Ok(Hardware {
        gpu: gpu.id.into(),
        name: gpu.name.into(),
        memory_gib: gpu.memory_gib,
        hbm_gb_per_s: gpu.hbm_gb_per_s,
        peaks: Peaks {
            bf16: half,
            fp16: gpu.fp16_dense_tflops.unwrap_or(half),
            fp8: gpu.fp8_dense_tflops,
            fp4: gpu.fp4_dense_tflops,
        },
        architecture: gpu.architecture.into(),
        gemm_bf16_tflops: gpu.gemm_bf16_tflops,
        gemm_fp8_tflops: gpu.gemm_fp8_tflops,
        nvlink_gb_per_s: gpu.nvlink_gb_per_s,
        nvlink_domain: gpu.nvlink_domain.max(1),
        pcie_gb_per_s: gpu.pcie_gb_per_s,
        gpus: 8,
        gpus_per_node: gpu.gpus_per_node.max(1),
        internode_gbit_per_s: if gpu.internode_gbit_per_s > 0.0 {
            gpu.internode_gbit_per_s
        } else {
            100.0
        },
        usd_per_gpu_hour: gpu.usd_per_gpu_hour,
        price_source: gpu.price_source,
    })
}

fn from_object(value: &Value) -> Result<Hardware, InputError> {
    let spec: GpuSpec = wire::read(value, &Place::at("hardware.gpu"))?;
    let mut hardware = match &spec.base {
        Some(id) => {
            let mut hardware = from_catalog(id, "hardware.gpu.base")?;
            hardware.name = format!("{} (changed)", hardware.name).into();
            hardware
        }
        None => custom(&spec)?,
    };
    let set = |target: &mut f64, name: &str, value: Option<f64>, min: f64, max: f64| match value {
        Some(value) => within(format_args!("hardware.gpu.{name}"), value, min, max)
            .map(|value| *target = value),
        None => Ok(()),
    };
    set(
        &mut hardware.memory_gib,
        "memory_gib",
        spec.memory_gib,
        1.0,
        1e5,
    )?;
    set(
        &mut hardware.hbm_gb_per_s,
        "hbm_gb_per_s",
        spec.hbm_gb_per_s,
        1.0,
        1e6,
    )?;
    set(
        &mut hardware.nvlink_gb_per_s,
        "nvlink_gb_per_s",
        spec.nvlink_gb_per_s,
        0.0,
        1e5,
    )?;
    set(
        &mut hardware.pcie_gb_per_s,
        "pcie_gb_per_s",
        spec.pcie_gb_per_s,
        0.1,
        1e4,
    )?;
    if let Some(tflops) = spec.bf16_dense_tflops {
        let peak = within("hardware.gpu.bf16_dense_tflops", tflops, 0.1, 1e6)?;
        hardware.peaks.bf16 = peak;
        hardware.peaks.fp16 = peak;
        hardware.gemm_bf16_tflops = None;
    }
    if let Some(tflops) = spec.fp8_dense_tflops {
        hardware.peaks.fp8 = Some(within("hardware.gpu.fp8_dense_tflops", tflops, 0.1, 1e6)?);
        hardware.gemm_fp8_tflops = None;
    }
    if let Some(domain) = spec.nvlink_domain {
        hardware.nvlink_domain = positive("hardware.gpu.nvlink_domain", domain, MAX_GPUS)? as u32;
    }
    Ok(hardware)
}

fn custom(spec: &GpuSpec) -> Result<Hardware, InputError> {
    let need = |name: &str, value: Option<f64>| {
        value.ok_or_else(|| {
            InputError::new(
                format!("hardware.gpu.{name}"),
                "A GPU without `base` needs memory_gib, hbm_gb_per_s and bf16_dense_tflops. Give them, or a base.",
            )
        })
    };
    let peak = need("bf16_dense_tflops", spec.bf16_dense_tflops)?;
    Ok(Hardware {
        gpu: "custom".into(),
        name: "Custom GPU".into(),
        architecture: "".into(),
        memory_gib: need("memory_gib", spec.memory_gib)?,
        hbm_gb_per_s: need("hbm_gb_per_s", spec.hbm_gb_per_s)?,
        peaks: Peaks {
            bf16: peak,
            fp16: peak,
            fp8: spec.fp8_dense_tflops,
            fp4: None,
        },
        gemm_bf16_tflops: None,
        gemm_fp8_tflops: None,
        nvlink_gb_per_s: 0.0,
        nvlink_domain: if spec.nvlink_gb_per_s.is_some_and(|rate| rate > 0.0) {
            8
        } else {
            1
        },
        pcie_gb_per_s: 31.5,
        gpus: 8,
        gpus_per_node: 8,
        internode_gbit_per_s: 100.0,
        usd_per_gpu_hour: None,
        price_source: None,
    })
}
