//! TRL 1.16.0 on Accelerate 1.15.0: what their configurations, their trainers and the launcher refuse.

use super::{Path, Rules, deepspeed, nodes, pools};
use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Plan, Recompute, RolloutPlan};
use shardwise_question::wire::{Attention, Backend, Engine, KvCacheDtype, Precision, Schedule, WorkloadKind};
use shardwise_question::workload::Rl;

/// What TRL refuses, or would run otherwise than planned.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let (layout, workload) = (&plan.layout, &job.workload);
    match workload.kind {
        WorkloadKind::Pretrain => rules.refuse(
            "workload.kind",
            "TRL fine-tunes and has no pre-training. Take DeepSpeed's flags, or the kind sft for packed sequences.",
        ),
        WorkloadKind::Ppo => rules.refuse(
            "workload.kind",
            "TRL 1.16.0 has no PPO trainer any more. Choose grpo, or take veRL's or OpenRLHF's flags.",
        ),
        WorkloadKind::Rollout => {
            rules.refuse("workload.kind", "TRL trains; for generation alone start vLLM or SGLang itself.")
        }
        _ => {}
    }
    let (train, generate) = pools(job);
    let per_node = job.hardware.gpus_per_node;
    rules.require(nodes(train, per_node).is_some(), "hardware.gpus", || {
        format!("{train} GPUs that train are no whole number of nodes of {per_node}. Choose a multiple of {per_node}.")
    });
    rules.require(matches!(workload.precision, Precision::Bf16 | Precision::Fp16), "workload.precision", || {
        "TRL trains in bf16 or fp16. Choose one of these.".to_owned()
    });
    layouts(&mut rules, layout, job, train);
    match &workload.rl {
        Some(rl) => reinforcement(&mut rules, plan, job, rl, (train, generate)),
        None => fine_tuning(&mut rules, layout, job),
    }
    rules.0
}

fn layouts(rules: &mut Rules, layout: &Layout, job: &Job, gpus: u32) {
    for (name, size) in [
        ("tensor_parallel", layout.tensor_parallel),
        ("pipeline_parallel", layout.pipeline_parallel),
        ("expert_parallel", layout.expert_parallel),
    ] {
        rules.require(size == 1, Path("").of(name), || {
            format!("TRL's scripts set up no {}. Set it to 1.", name.replace('_', " "))
        });
    }
    match layout.backend {
        Backend::Fsdp => fsdp(rules, layout, job, gpus),
        Backend::Deepspeed => {
            rules.require(layout.context_parallel == 1, "plan.context_parallel", || {
                "Accelerate's ring attention goes with FSDP. Set context_parallel to 1 and use ulysses_parallel."
                    .to_owned()
            });
            let sp = u64::from(layout.ulysses_parallel);
            rules.divides(sp, job.model.shape.num_attention_heads, "plan.ulysses_parallel", || {
                format!("{} attention heads cannot be split by {sp}.", job.model.shape.num_attention_heads)
            });
            deepspeed::memory(rules, layout, gpus);
            deepspeed::host_memory_alone(rules, layout, "TRL");
        }
        Backend::Megatron | Backend::Ddp => rules.refuse(
            "plan.backend",
            "TRL trains with FSDP2 or DeepSpeed. Set the backend to fsdp or deepspeed, or leave it to the search.",
        ),
    }
    rules.require(!matches!(layout.recompute, Recompute::Selective(_)), "plan.recompute", || {
        "TRL recomputes whole layers, or products that it picks itself. Set recompute to full or none.".to_owned()
    });
    rules.require(layout.attention == Attention::Flash, "plan.attention", || {
        "TRL's texts ask for FlashAttention. Set attention to flash.".to_owned()
    });
}

fn fsdp(rules: &mut Rules, layout: &Layout, job: &Job, gpus: u32) {
    rules.require(matches!(layout.zero_stage, 2 | 3), "plan.zero_stage", || {
        "FSDP2 shards weights (3), or gathers them once a step (2). Set zero_stage to 3.".to_owned()
    });
    rules.require(layout.ulysses_parallel == 1, "plan.ulysses_parallel", || {
        "Accelerate's Ulysses goes with DeepSpeed. Set ulysses_parallel to 1 and use context_parallel.".to_owned()
    });
    let (cp, group) = (layout.context_parallel, layout.shard_group);
    rules.divides(cp.into(), group.into(), "plan.shard_group", || {
        format!("FSDP2 shards over the {cp} GPUs of a sequence too: a shard group of {group} is no multiple of them.")
    });
    // accelerate/parallelism_config.py, ParallelismConfig.__post_init__.
    rules.require(cp == 1 || group > cp || group == gpus, "plan.shard_group", || {
        format!("Accelerate splits sequences within a shard group wider than {cp}. Set it to {gpus}.")
    });
    // accelerate/accelerator.py: FSDP2 wants a dimension to shard over.
    let whole = layout.zero_stage < 3 || gpus == 1;
    rules.require(whole || group > 1 || cp > 1, "plan.shard_group", || {
        format!("Accelerate's FSDP shards over 2 GPUs or more. Set it to {gpus}.")
    });
    let offload = layout.offload;
    let rl = job.workload.rl.is_some();
    rules.require(
        rl || (offload.parameters == offload.optimizer && offload.parameters == offload.gradients),
        "plan.offload",
        || {
            "FSDP2 keeps weights, gradients and optimizer in host memory together. Offload all three, or none."
                .to_owned()
        },
    );
}

fn fine_tuning(rules: &mut Rules, layout: &Layout, job: &Job) {
    let (workload, gpus) = (&job.workload, job.hardware.gpus);
    rules.position(job, workload.sequence_length, "workload.sequence_length", true);
    let dp = u64::from(layout.data_parallel(gpus));
    let per_step = deepspeed::micro(layout, workload.sequence_length).saturating_mul(dp);
    rules.divides(per_step, workload.global_batch, "workload.global_batch", || {
        format!("{} sequences are no multiple of {per_step}, one micro-batch on every rank.", workload.global_batch)
    });
    let parts = u64::from(layout.sequence_split());
    if parts > 1 {
        // trainer/sft_trainer.py: a split sequence keeps no boundaries of packed ones.
        rules.require(!job.workload.joins(), "workload.packing", || {
            "TRL packs no sequences that several GPUs split. Set packing to false.".to_owned()
        });
        let parts = parts * if layout.context_parallel > 1 { 2 } else { 1 };
        rules.divides(parts, workload.sequence_length, "workload.sequence_length", || {
            format!("{} tokens are no multiple of {parts}, the parts of a split sequence.", workload.sequence_length)
        });
    }
}

fn reinforcement(rules: &mut Rules, plan: &Plan, job: &Job, rl: &Rl, (train, generate): (u32, u32)) {
    let layout = &plan.layout;
    rules.position(job, rl.max_length(), "workload.rl.max_response_length", true);
    // trainer/grpo_config.py, GRPOConfig.__post_init__.
    rules.require(layout.sequence_split() == 1, "plan.context_parallel", || {
        "TRL's GRPO splits no sequences. Set context_parallel and ulysses_parallel to 1.".to_owned()
    });
    rules.require(rl.responses_per_prompt > 1, "workload.rl.responses_per_prompt", || {
        "The responses of a prompt are compared. Give 2 or more.".to_owned()
    });
    rules.require(rl.critic.is_none(), "workload.rl.critic", || "TRL's GRPO has no critic. Set it to null.".to_owned());
    rules.require(rl.oversampling == 1.0, "workload.rl.oversampling", || {
        "TRL drops no prompts while it samples. Set oversampling to 1.".to_owned()
    });
    rules.require(rl.gen_batch_size == rl.prompts_per_step, "workload.rl.gen_batch_size", || {
        "TRL generates a step's prompts at once. Leave gen_batch_size out.".to_owned()
    });
    rules.require(
        rl.old_log_prob || (rl.mini_batch == rl.prompts_per_step && rl.epochs == 1),
        "workload.rl.old_log_prob",
        || "Where a step has several updates, TRL computes old log-probabilities. Set it to true.".to_owned(),
    );
    let offload = layout.offload;
    rules.require(
        !(offload.parameters || offload.gradients || offload.optimizer || offload.activations),
        "plan.offload",
        || {
            "TRL keeps the trained states on the GPUs while vLLM generates. Offload nothing, or take veRL's flags."
                .to_owned()
        },
    );
    rules.require(plan.reference.is_none_or(|own| own == *layout), "plan.reference", || {
        "TRL lays the reference out as the policy. Leave its plan out.".to_owned()
    });
    let per_pass = deepspeed::micro(layout, rl.max_length()).saturating_mul(layout.data_parallel(train).into());
    rules.divides(per_pass, rl.mini_batch.saturating_mul(rl.responses_per_prompt), "workload.rl.mini_batch", || {
        format!(
            "{} sequences of a mini-batch are no multiple of {per_pass}, one micro-batch on every rank.",
            rl.mini_batch * rl.responses_per_prompt
        )
    });
    if let Some(rollout) = &plan.rollout {
        engine(rules, rollout, job, rl, generate);
    }
}

fn engine(rules: &mut Rules, rollout: &RolloutPlan, job: &Job, rl: &Rl, generate: u32) {
    let per_node = job.hardware.gpus_per_node;
    rules.rollout(rollout, &job.model.shape, generate, per_node);
    rules.require(rollout.engine == Engine::Vllm, "plan.rollout.engine", || {
        "TRL generates with vLLM. Set the engine to vllm.".to_owned()
    });
    rules.require(matches!(rollout.precision, Precision::Bf16 | Precision::Fp16), "plan.rollout.precision", || {
        "TRL hands vLLM the weights in 16 bits. Choose bf16 or fp16.".to_owned()
    });
    rules.require(rollout.expert_parallel == 1, "plan.rollout.expert_parallel", || {
        "TRL has no switch for expert parallelism in vLLM. Set it to 1.".to_owned()
    });
    match rl.schedule {
        Schedule::Colocated => {
            rules.require(rollout.data_parallel == 1, "plan.rollout.data_parallel", || {
                "TRL's engines beside training have no data-parallel attention. Set it to 1.".to_owned()
            });
            rules.require(rollout.kv_cache_dtype == KvCacheDtype::Auto, "plan.rollout.kv_cache_dtype", || {
                "Beside training TRL leaves the cache in 16 bits. Set it to auto.".to_owned()
            });
            rules.require(!rollout.enforce_eager, "plan.rollout.enforce_eager", || {
                "Beside training TRL's vLLM replays CUDA graphs. Set it to false.".to_owned()
            });
            rules.require(rollout.tensor_parallel <= per_node, "plan.rollout.tensor_parallel", || {
                format!("TRL splits an engine within a node. Set it to {per_node} or less.")
            });
        }
        Schedule::Split => {
            let (engine, experts) = (rollout.gpus(), job.model.shape.num_experts);
            rules.require(engine == generate, "plan.rollout.tensor_parallel", || {
                format!("TRL's trainer talks to one vLLM server, of all {generate} GPUs that generate. Set tensor_parallel to {generate}.")
            });
            // scripts/vllm_serve.py on data_parallel_size.
            rules.require(rollout.data_parallel == 1 || experts > 0, "plan.rollout.data_parallel", || {
                "vLLM's data-parallel ranks are for models with experts. Set it to 1.".to_owned()
            });
            rules.require(engine <= per_node, "plan.rollout.tensor_parallel", || {
                format!("The server runs on one node of {per_node} GPUs.")
            });
        }
        Schedule::OneStepOff | Schedule::FullyAsync => {
            rules.refuse("workload.rl.schedule", "TRL's GRPO waits for its responses. Choose colocated or split.")
        }
    }
}
