//! From a question to a job: defaults applied, everything invalid refused by name.

use std::fmt::Display;

use serde_json::Value;

use crate::catalog;
use crate::error::{Caveat, InputError};
use crate::hardware::{Hardware, Peaks};
use crate::model::{Model, resolve_model};
use crate::units::shortest;
use crate::wire::{
    self, GpuSpec, HardwareSpec, LoraSpec, Place, Question, RlSpec, RolloutWorkloadSpec, Schedule,
    WorkloadKind, WorkloadSpec,
};
use crate::workload::{Generation, Lora, Rl, Workload};

/// A question resolved: what to train or generate, and on what.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The model.
    pub model: Model,
    /// The machine.
    pub hardware: Hardware,
    /// The task.
    pub workload: Workload,
    /// What had to be assumed.
    pub caveats: Vec<Caveat>,
}

const MAX_GPUS: u64 = 1 << 20;
const MAX_LENGTH: u64 = 1 << 24;
const MAX_BATCH: u64 = 1 << 24;
const MAX_TOKENS: f64 = 1e15;
const MAX_RATE: f64 = 1e7;

/// Resolves a question.
///
/// # Errors
/// Names the first field that is missing or out of range, and the remedy.
pub fn resolve(question: &Question) -> Result<Job, InputError> {
    let mut caveats = Vec::new();
    let model = resolve_model(&question.model, "model")?;
    let hardware = resolve_hardware(&question.hardware)?;
    let workload = resolve_workload(&question.workload, &model, &hardware, &mut caveats)?;
    Ok(Job {
        model,
        hardware,
        workload,
        caveats,
    })
}

/// A whole number within `1..=max`, or the error that says so. The field's name is written only for an error.
pub(crate) fn positive(field: impl Display, value: u64, max: u64) -> Result<u64, InputError> {
    match outside(value, max) {
        None => Ok(value),
        Some(message) => Err(InputError::new(field.to_string(), message)),
    }
}

fn outside(value: u64, max: u64) -> Option<String> {
    if value == 0 {
        return Some("This is 0. Give 1 or more.".to_owned());
    }
    (value > max).then(|| format!("{value} is more than {max}, the largest value accepted."))
}

/// A finite number within `min..=max`, or the error that says so.
pub(crate) fn within(
    field: impl Display,
    value: f64,
    min: f64,
    max: f64,
) -> Result<f64, InputError> {
    if value.is_finite() && value >= min && value <= max {
        return Ok(value);
    }
    let [value, min, max] = [value, min, max].map(shortest);
    let message = format!("{value} is out of range. Give {min} to {max}.");
    Err(InputError::new(field.to_string(), message))
}

fn required<T>(field: &str, value: Option<T>) -> Result<T, InputError> {
    value.ok_or_else(|| InputError::new(field, "This field is required."))
}

fn resolve_hardware(spec: &HardwareSpec) -> Result<Hardware, InputError> {
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

fn resolve_workload(
    spec: &WorkloadSpec,
    model: &Model,
    hardware: &Hardware,
    caveats: &mut Vec<Caveat>,
) -> Result<Workload, InputError> {
    let kind = spec.kind;
    let mut workload = Workload {
        kind,
        precision: spec.precision.unwrap_or_default(),
        packing: spec.packing.unwrap_or(true),
        sequence_length: 0,
        mean_sequence_length: 0.0,
        global_batch: 1,
        lora: resolve_lora(kind, spec.lora)?,
        rl: None,
        generation: None,
        tokens: None,
    };
    if let Some(tokens) = spec.tokens {
        if !(tokens.is_finite() && (1.0..=MAX_TOKENS).contains(&tokens)) {
            return Err(InputError::new(
                "workload.tokens",
                format!(
                    "{tokens:e} tokens is out of range. Give 1 to 1e15 tokens for the whole run."
                ),
            ));
        }
        workload.tokens = Some(tokens);
    }
    match kind {
        WorkloadKind::Pretrain | WorkloadKind::Sft | WorkloadKind::Lora | WorkloadKind::Qlora => {
            let length = required("workload.sequence_length", spec.sequence_length)?;
            workload.sequence_length = positive("workload.sequence_length", length, MAX_LENGTH)?;
            let batch = required("workload.global_batch", spec.global_batch)?;
            workload.global_batch = positive("workload.global_batch", batch, MAX_BATCH)?;
            workload.mean_sequence_length = match spec.mean_sequence_length {
                Some(mean) => within("workload.mean_sequence_length", mean, 1.0, length as f64)?,
                None => length as f64,
            };
        }
        WorkloadKind::Ppo | WorkloadKind::Grpo | WorkloadKind::Dapo => {
            let rl = spec
                .rl
                .as_ref()
                .ok_or_else(|| InputError::new("workload.rl", "RL workloads need this object."))?;
            let rl = resolve_rl(kind, rl, model, hardware, caveats)?;
            workload.sequence_length = rl.max_length();
            workload.mean_sequence_length = rl.mean_length();
            workload.global_batch = rl.mini_batch * rl.responses_per_prompt;
            workload.rl = Some(rl);
        }
        WorkloadKind::Rollout => {
            let rollout = spec.rollout.as_ref().ok_or_else(|| {
                InputError::new("workload.rollout", "A rollout workload needs this object.")
            })?;
            let generation = resolve_generation(rollout)?;
            workload.mean_sequence_length =
                generation.mean_prompt_length + generation.mean_response_length;
            workload.sequence_length = workload.mean_sequence_length.ceil() as u64;
            workload.global_batch = generation.requests;
            workload.generation = Some(generation);
        }
    }
    Ok(workload)
}

fn resolve_lora(kind: WorkloadKind, spec: Option<LoraSpec>) -> Result<Option<Lora>, InputError> {
    let adapters = matches!(kind, WorkloadKind::Lora | WorkloadKind::Qlora);
    if !adapters && spec.is_none() {
        return Ok(None);
    }
    if matches!(
        kind,
        WorkloadKind::Pretrain | WorkloadKind::Sft | WorkloadKind::Rollout
    ) {
        return Err(InputError::new(
            "workload.lora",
            "Only lora, qlora and RL workloads train adapters. Use kind \"lora\".",
        ));
    }
    let spec = spec.unwrap_or_default();
    Ok(Some(Lora {
        rank: positive("workload.lora.rank", spec.rank.unwrap_or(16), 4096)?,
        targets: spec.targets.unwrap_or_default(),
    }))
}

fn resolve_rl(
    kind: WorkloadKind,
    spec: &RlSpec,
    model: &Model,
    hardware: &Hardware,
    caveats: &mut Vec<Caveat>,
) -> Result<Rl, InputError> {
    let field = |name: &str| format!("workload.rl.{name}");
    let count =
        |name: &str, value: u64| positive(format_args!("workload.rl.{name}"), value, MAX_BATCH);
    let length =
        |name: &str, value: u64| positive(format_args!("workload.rl.{name}"), value, MAX_LENGTH);

    let prompts = count(
        "prompts_per_step",
        required(&field("prompts_per_step"), spec.prompts_per_step)?,
    )?;
    let responses = spec.responses_per_prompt.unwrap_or(match kind {
        WorkloadKind::Dapo => 16,
        WorkloadKind::Grpo => 8,
        _ => 1,
    });
    let responses = positive(field("responses_per_prompt"), responses, 4096)?;
    let max_prompt = length(
        "max_prompt_length",
        required(&field("max_prompt_length"), spec.max_prompt_length)?,
    )?;
    let max_response = length(
        "max_response_length",
        required(&field("max_response_length"), spec.max_response_length)?,
    )?;
    let mut mean = |name: &str, value: Option<f64>, longest: u64| match value {
        Some(mean) if mean > longest as f64 => Err(InputError::new(
            field(name),
            format!(
                "The mean of {} tokens is above the longest, {longest}. Lower it, or raise the longest.",
                shortest(mean)
            ),
        )),
        Some(mean) => within(field(name), mean, 1.0, MAX_LENGTH as f64),
        None => {
            caveats.push(Caveat::new(
                "assumed-mean-length",
                format!(
                    "{} is not given: half of the longest, {} tokens, is assumed.",
                    name.replace('_', " "),
                    longest / 2
                ),
            ));
            Ok((longest as f64 / 2.0).max(1.0))
        }
    };
    let mean_prompt = mean("mean_prompt_length", spec.mean_prompt_length, max_prompt)?;
    let mean_response = mean(
        "mean_response_length",
        spec.mean_response_length,
        max_response,
    )?;
    let cv = within(
        field("response_length_cv"),
        spec.response_length_cv.unwrap_or(0.5),
        0.0,
        10.0,
    )?;
    let mini_batch = count("mini_batch", spec.mini_batch.unwrap_or(prompts))?;
    if mini_batch > prompts {
        return Err(InputError::new(
            field("mini_batch"),
            format!(
                "A mini-batch of {mini_batch} prompts is above prompts_per_step, {prompts}. Give {prompts} or less."
            ),
        ));
    }
    let role = |name: &str, value: &Option<Value>| match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => resolve_model(value, &field(name)).map(Some),
    };
    let critic = role("critic", &spec.critic)?;
    let critic = match (kind, critic) {
        (WorkloadKind::Ppo, None) if spec.critic.is_none() => Some(model.clone()),
        (WorkloadKind::Ppo, None) => {
            return Err(InputError::new(
                field("critic"),
                "PPO trains a critic. Give its model, or leave the field out to use the actor's.",
            ));
        }
        (_, critic) => critic,
    };
    let schedule = spec.schedule.unwrap_or_default();
    let train_gpus = match (schedule, spec.train_gpus) {
        (Schedule::Colocated, None) => hardware.gpus,
        (Schedule::Colocated, Some(_)) => {
            return Err(InputError::new(
                field("train_gpus"),
                "A colocated schedule trains on all GPUs. Leave the field out, or choose another schedule.",
            ));
        }
        (_, None) => (hardware.gpus / 2).max(1),
        (_, Some(gpus)) => positive(field("train_gpus"), gpus, MAX_GPUS)? as u32,
    };
    if schedule != Schedule::Colocated && train_gpus >= hardware.gpus {
        return Err(InputError::new(
            field("train_gpus"),
            format!(
                "{train_gpus} of {} GPUs train and none is left to generate. Give fewer.",
                hardware.gpus
            ),
        ));
    }
    Ok(Rl {
        prompts_per_step: prompts,
        responses_per_prompt: responses,
        max_prompt_length: max_prompt,
        max_response_length: max_response,
        mean_prompt_length: mean_prompt,
        mean_response_length: mean_response,
        response_length_cv: cv,
        mini_batch,
        epochs: positive(field("epochs"), spec.epochs.unwrap_or(1), 1000)?,
        reference: spec.reference.unwrap_or(kind != WorkloadKind::Dapo),
        critic,
        reward_model: role("reward_model", &spec.reward_model)?,
        schedule,
        train_gpus,
    })
}

fn resolve_generation(spec: &RolloutWorkloadSpec) -> Result<Generation, InputError> {
    let field = |name: &str| format!("workload.rollout.{name}");
    let length = |name: &str, value: Option<f64>| {
        within(
            field(name),
            required(&field(name), value)?,
            1.0,
            MAX_LENGTH as f64,
        )
    };
    Ok(Generation {
        requests: positive(
            field("requests"),
            required(&field("requests"), spec.requests)?,
            1 << 32,
        )?,
        mean_prompt_length: length("mean_prompt_length", spec.mean_prompt_length)?,
        mean_response_length: length("mean_response_length", spec.mean_response_length)?,
        response_length_cv: within(
            field("response_length_cv"),
            spec.response_length_cv.unwrap_or(0.0),
            0.0,
            10.0,
        )?,
    })
}
