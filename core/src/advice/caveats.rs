//! Caveats: what an estimate assumes or leaves out.

use crate::calibration;
use crate::coverage;
use crate::error::Caveat;
use crate::job::Job;
use crate::plan::{MicroBatch, Plan};
use crate::units::{fixed, shortest};
use crate::wire::{Answer, Precision};

/// What the estimate assumes or leaves out for this job and plan.
#[must_use]
pub fn caveats(job: &Job, plan: &Plan, answer: &Answer) -> Vec<Caveat> {
    let mut found = job.caveats.clone();
    found.extend(job.calibration.as_ref().map(calibration::caveat));
    let hardware = &job.hardware;
    let shape = &job.model.shape;
    let layout = &plan.layout;
    if job.model.hybrid {
        found.push(Caveat::new(
            "hybrid-architecture",
            "This architecture mixes in Mamba-2, Gated DeltaNet or sparse attention. Weights are exact; times are a first approximation that no published run has checked.",
        ));
    }
    if shape.vision.is_some() {
        found.push(Caveat::new(
            "text-only",
            "The vision tower's weights are counted, its work is not: images come as the text tokens they fill.",
        ));
    }
    let missing = match job.workload.precision {
        Precision::Fp8 | Precision::Mxfp8 => hardware.peaks.fp8.is_none(),
        Precision::Nvfp4 => hardware.peaks.fp4.is_none(),
        Precision::Bf16 | Precision::Fp16 => false,
    };
    if missing {
        found.push(Caveat::new(
            "precision-unsupported",
            format!(
                "{} has no tensor cores for this precision: bf16 rates are used.",
                hardware.name
            ),
        ));
    }
    let training = job.workload.generation.is_none();
    if training {
        found.extend(coverage::caveat(job, layout));
    }
    if job.workload.lora.is_some() && answer.mfu > 0.6 {
        found.push(Caveat::new(
            "adapter-mfu",
            "MFU counts six operations per weight and token. Frozen weights need four, so adapters alone can show more than is possible for full training.",
        ));
    }
    if hardware.usd_per_gpu_hour.is_none() {
        found.push(Caveat::new(
            "no-price",
            format!(
                "No dated price for {} is in the catalog. Type one to see cost.",
                hardware.name
            ),
        ));
    }
    if training {
        if !shape
            .num_hidden_layers
            .is_multiple_of(layout.pipeline_parallel.into())
        {
            found.push(Caveat::new(
                "uneven-stages",
                format!(
                    "{} layers do not divide into {} stages: the largest stage decides. Some frameworks need an explicit split.",
                    shape.num_hidden_layers, layout.pipeline_parallel
                ),
            ));
        }
        if let MicroBatch::Sequences(micro) = layout.micro_batch {
            let ranks = u64::from(layout.data_parallel(hardware.gpus));
            if !job.workload.global_batch.is_multiple_of(micro * ranks) {
                found.push(Caveat::new(
                    "uneven-batch",
                    format!(
                        "A global batch of {} does not divide into micro-batches of {micro} on {ranks} ranks: the last one is taken as full.",
                        job.workload.global_batch
                    ),
                ));
            }
        }
        if layout.offload.parameters && layout.zero_stage < 3 && job.workload.rl.is_none() {
            found.push(Caveat::new(
                "offload-ignored",
                "Parameters are offloaded during a step only under ZeRO stage 3: the switch has no effect here.",
            ));
        }
    }
    if let Some(rl) = &job.workload.rl {
        if rl.reward_s == 0.0 && rl.reward_model.is_none() {
            found.push(Caveat::new(
                "no-reward-time",
                "Rewards are taken to cost no time. State workload.rl.reward_s where they do.",
            ));
        }
        found.push(Caveat::new(
            "rl-rough",
            "On 79 published RL steps, each table predicted from the others, whole steps are off by 19 % at the median; how long responses get, and how many run to the limit, decides.",
        ));
    }
    if hardware.nodes() > 1 && hardware.gpu == "custom" {
        found.push(Caveat::new(
            "network-assumed",
            format!(
                "A network of {} Gbit/s per GPU is assumed between nodes.",
                shortest(hardware.internode_gbit_per_s)
            ),
        ));
    }
    found
}

/// A plan that fits only as the allocator gives back what it usually keeps.
#[must_use]
pub fn tight(pressed_gib: f64) -> Caveat {
    Caveat::new(
        "tight-memory",
        format!(
            "It fits only as PyTorch's allocator gives back {} GiB that it usually keeps unused: slower steps, and no room for longer sequences.",
            fixed(pressed_gib, 1)
        ),
    )
}
