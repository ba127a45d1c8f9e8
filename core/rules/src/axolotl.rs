//! axolotl 0.19.0: pre-training and fine-tuning with FSDP2, `DeepSpeed` or plain data parallelism.

use super::deepspeed::micro;
use super::{Path, Rules};
use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Plan, Recompute};
use shardwise_question::wire::{Attention, Backend, Precision};

/// Ranks along each axis of axolotl's mesh, beside tensor, context and expert parallelism: those that shard
/// the weights, and copies of them (`utils/distributed.py`, `integrations/expert_parallel/plugin.py`).
/// `None` where the shard group does not hold whole groups of the other axes.
pub fn mesh(layout: &Layout, gpus: u32) -> Option<(u32, u32)> {
    let inner = layout.context_parallel * layout.expert_parallel;
    let shard = layout.shard_group.checked_div(inner).filter(|n| *n > 0)?;
    let copies = layout.data_parallel(gpus) * layout.context_parallel / layout.shard_group.max(1);
    layout.shard_group.is_multiple_of(inner).then_some((shard, copies))
}

/// What axolotl refuses, or has no words for.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let layout = &plan.layout;
    rules.fine_tunes(job.workload.kind, "axolotl");
    rules.require(layout.backend != Backend::Megatron, "plan.backend", || {
        "axolotl trains with FSDP2, DeepSpeed or plain data parallelism. Set the backend to fsdp, deepspeed or ddp."
            .into()
    });
    let again = layout.recompute == Recompute::Full;
    rules.require(!layout.offload.activations || again, "plan.offload.activations", || {
        "axolotl moves the inputs of recomputed layers. Set recompute to full.".into()
    });
    if layout.backend == Backend::Fsdp {
        sharded(&mut rules, layout, job);
    } else {
        for (name, size) in [
            ("tensor_parallel", layout.tensor_parallel),
            ("context_parallel", layout.context_parallel),
            ("ulysses_parallel", layout.ulysses_parallel),
            ("expert_parallel", layout.expert_parallel),
        ] {
            rules.require(size == 1, Path("").of(name), || {
                format!("axolotl combines this with FSDP2. Set {name} to 1, or the backend to fsdp.")
            });
        }
    }
    if layout.backend == Backend::Deepspeed {
        let own = super::deepspeed(job, plan).into_iter();
        // axolotl offloads by itself what ds_config.json cannot.
        rules.0.extend(own.filter(|broken| broken.field != "plan.offload.activations"));
        return rules.0;
    }
    rules.trainer(layout, job);
    precision(&mut rules, layout, job);
    rules.0
}

fn precision(rules: &mut Rules, layout: &Layout, job: &Job) {
    let field = "workload.precision";
    match job.workload.precision {
        Precision::Bf16 | Precision::Fp16 => {}
        // cli/config.py, compute_supports_fp8.
        Precision::Fp8 => {
            let has = job.hardware.has_compute_capability(9.0);
            rules.require(has && layout.backend == Backend::Fsdp && job.workload.lora.is_none(), field, || {
                "axolotl's fp8 is laid out for all weights, with FSDP2, on Hopper or Blackwell. Choose bf16.".into()
            });
        }
        Precision::Mxfp8 | Precision::Nvfp4 => {
            rules.refuse(field, "axolotl trains in bf16, fp16 or fp8. Choose one of these.")
        }
    }
}

fn sharded(rules: &mut Rules, layout: &Layout, job: &Job) {
    let (tp, cp, ep) = (layout.tensor_parallel, layout.context_parallel, layout.expert_parallel);
    rules.require(matches!(layout.zero_stage, 2 | 3), "plan.zero_stage", || {
        "FSDP2 shards weights (3), or gathers them once a step (2). Set zero_stage to 3.".into()
    });

    rules.require(mesh(layout, job.hardware.gpus).is_some(), "plan.shard_group", || {
        format!("A shard group holds whole groups of CP {cp} × EP {ep}. Give a multiple of {}.", cp * ep)
    });
    // schemas/validation.py, check_context_parallel_size.
    let length = job.workload.sequence_length;
    if cp > 1 {
        rules.require(layout.attention == Attention::Flash, "plan.attention", || {
            "axolotl's ring attention needs FlashAttention. Set attention to flash.".into()
        });
        rules.require(micro(layout, length) == 1 || !job.workload.packing, "plan.micro_batch", || {
            "axolotl's ring attention takes one packed sequence. Set micro_batch to 1.".into()
        });
        rules.divides((2 * cp).into(), length, "workload.sequence_length", || {
            format!("{length} tokens are no multiple of 2 × CP {cp}.")
        });
    }
    rules.require(layout.expert_tensor_parallel == 1, "plan.expert_tensor_parallel", || {
        "axolotl splits no expert. Set expert_tensor_parallel to 1.".into()
    });
    rules.require(tp == 1 || !layout.sequence_parallel, "plan.sequence_parallel", || {
        "Tensor parallelism of Hugging Face models splits no norm. Set sequence_parallel to false.".into()
    });
    let kv = job.model.shape.num_key_value_heads;
    rules.divides(tp.into(), kv, "plan.tensor_parallel", || {
        format!("{kv} key and value heads cannot be split by {tp}.")
    });
    if ep > 1 {
        rules.require(tp == 1, "plan.tensor_parallel", || {
            "axolotl's expert parallelism goes with no tensor parallelism. Set one of them to 1.".into()
        });
        rules.require(layout.shard_group == job.hardware.gpus, "plan.shard_group", || {
            format!(
                "axolotl's expert parallelism has no copies of the model. Set shard_group to {}.",
                job.hardware.gpus
            )
        });
    }
    if tp > 1 {
        // integrations/liger/args.py.
        rules.require(!layout.fused_lm_head, "plan.fused_lm_head", || {
            "Liger's losses go with no tensor parallelism. Set fused_lm_head to false.".into()
        });
        rules.require(job.workload.lora.is_none(), "plan.tensor_parallel", || {
            "axolotl's tensor parallelism is laid out for all weights. Set it to 1 for adapters.".into()
        });
    }
}
