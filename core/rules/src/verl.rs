//! verl 0.9.1: what its configuration code, its trainers and its workers assert.

use super::{Path, Rules, nodes, pools};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, Recompute};
use shardwise_question::wire::{Attention, Backend, Engine, Precision, Schedule, WorkloadKind};
use shardwise_question::workload::Rl;

/// What veRL refuses.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let (shape, workload) = (&job.model.shape, &job.workload);
    match workload.kind {
        WorkloadKind::Pretrain => rules.refuse(
            "workload.kind",
            "veRL fine-tunes and has no pre-training. Take DeepSpeed's flags, or the kind sft for packed sequences.",
        ),
        WorkloadKind::Qlora => {
            rules.refuse("workload.kind", "veRL loads no 4-bit base model. Choose lora, or take DeepSpeed's flags.")
        }
        WorkloadKind::Rollout => {
            rules.refuse("workload.kind", "veRL trains; for generation alone start vLLM or SGLang itself.")
        }
        _ => {}
    }
    rules.whole_nodes(job);
    let (train, generate) = pools(job);
    let roles = [
        ("", Some((&plan.layout, shape))),
        ("critic.", critic(job, plan)),
        ("reference.", reference(job, plan).map(|layout| (layout, shape))),
    ];
    for (name, role) in roles {
        if let Some((layout, shape)) = role {
            backend(&mut rules, &Path(name), layout, shape, job, train);
        }
    }
    match &workload.rl {
        Some(rl) => reinforcement(&mut rules, job, plan, rl, train, generate),
        None => fine_tuning(&mut rules, job, plan),
    }
    rules.0
}

/// The critic's layout and shape, where there is a critic.
pub fn critic<'a>(job: &'a Job, plan: &'a Plan) -> Option<(&'a Layout, &'a Shape)> {
    let model = job.workload.rl.as_ref()?.critic.as_ref()?;
    job.workload
        .kind
        .has_critic()
        .then(|| (plan.critic.as_ref().unwrap_or(&plan.layout), &model.shape))
}

/// The reference's layout, where a reference has weights of its own: with adapters the actor
/// without them is the reference.
pub fn reference<'a>(job: &Job, plan: &'a Plan) -> Option<&'a Layout> {
    let rl = job.workload.rl.as_ref()?;
    (rl.reference && job.workload.lora.is_none()).then(|| plan.reference.as_ref().unwrap_or(&plan.layout))
}

fn backend(rules: &mut Rules, path: &Path, layout: &Layout, shape: &Shape, job: &Job, gpus: u32) {
    let precision = job.workload.precision;
    match layout.backend {
        Backend::Megatron => {
            rules.megatron(path, layout, shape, gpus);
            rules.require(precision != Precision::Nvfp4, "workload.precision", || {
                "veRL trains in no 4-bit format. Choose bf16, fp16, fp8 or mxfp8.".to_owned()
            });
        }
        Backend::Fsdp => fsdp(rules, path, layout, shape, job, gpus),
        Backend::Deepspeed | Backend::Ddp => rules.refuse(
            path.of("backend"),
            "veRL trains with FSDP or Megatron. Set the backend to fsdp or megatron, or leave it to the search.",
        ),
    }
}

fn fsdp(rules: &mut Rules, path: &Path, layout: &Layout, shape: &Shape, job: &Job, gpus: u32) {
    rules.fsdp(path, layout, shape, gpus);
    rules.require(matches!(layout.zero_stage, 2 | 3), path.of("zero_stage"), || {
        "FSDP2 shards weights (3), or gathers them once a step (2). Set zero_stage to 3.".to_owned()
    });
    let group = layout.shard_group;
    rules.divides(group.into(), gpus.into(), path.of("shard_group"), || {
        format!("{gpus} GPUs are no multiple of a shard group of {group}.")
    });
    let selective = matches!(layout.recompute, Recompute::Selective(_));
    rules.require(!selective, path.of("recompute"), || {
        "veRL's FSDP recomputes whole layers or nothing. Set recompute to full or none, or the backend to megatron."
            .to_owned()
    });
    let wide = matches!(job.workload.precision, Precision::Bf16 | Precision::Fp16);
    rules.require(wide, "workload.precision", || {
        "veRL's FSDP computes in bf16 or fp16. Choose one of these, or the backend megatron.".to_owned()
    });
    rules.require(layout.attention == Attention::Flash, path.of("attention"), || {
        "veRL's FSDP packs sequences for FlashAttention. Set attention to flash.".to_owned()
    });
    // Ulysses splits packed sequences (workers/config/actor.py).
    rules.require(layout.ulysses_parallel == 1 || job.workload.packing, "workload.packing", || {
        "Ulysses needs packed sequences. Set packing to true or ulysses_parallel to 1.".to_owned()
    });
}

fn reinforcement(rules: &mut Rules, job: &Job, plan: &Plan, rl: &Rl, train: u32, generate: u32) {
    let (shape, workload) = (&job.model.shape, &job.workload);
    rules.position(job, rl.max_length(), "workload.rl.max_response_length", true);
    rules.require(rl.mini_batch > 0 && rl.mini_batch <= rl.prompts_per_step, "workload.rl.mini_batch", || {
        "The mini-batch is at least one prompt and no more than the step's.".to_owned()
    });
    rules.require(!workload.kind.has_critic() || rl.critic.is_some(), "workload.rl.critic", || {
        "veRL's PPO estimates advantages with a critic. Name its model, or choose grpo.".to_owned()
    });
    rules.require(workload.kind.has_critic() || rl.critic.is_none(), "workload.rl.critic", || {
        "Only PPO has a critic. Set it to null, or choose ppo.".to_owned()
    });
    schedule(rules, job, rl, train, generate);
    // Groups are dropped by their reward, while they are sampled.
    let filters = rl.oversampling > 1.0;
    rules.require(!filters || rl.reward_model.is_none(), "workload.rl.reward_model", || {
        "Groups are filtered as they are sampled, and a colocated reward model scores them later. Use a rule, or set oversampling to 1."
            .to_owned()
    });
    // trainer/ppo/v1/trainer_base.py: a step is a whole number of fetches.
    rules.divides(rl.gen_batch_size, rl.prompts_per_step, "workload.rl.gen_batch_size", || {
        format!(
            "veRL 0.9.1 fetches a step's {} prompts in equal parts. Give gen_batch_size a divisor of them.",
            rl.prompts_per_step
        )
    });
    if let Some(lora) = &workload.lora {
        rules
            .require(lora.rank <= 512, "workload.lora.rank", || "The engine takes adapters up to rank 512.".to_owned());
    }
    let sequences = rl.mini_batch.saturating_mul(rl.responses_per_prompt);
    batch(rules, &Path(""), &plan.layout, sequences, rl, job, train);
    if let Some((layout, _)) = critic(job, plan) {
        batch(rules, &Path("critic."), layout, sequences, rl, job, train);
        rules.require(layout.backend == plan.layout.backend, "plan.critic.backend", || {
            "veRL trains actor and critic with one backend. Give both the same.".to_owned()
        });
    }
    if let Some(layout) = reference(job, plan) {
        rules.token_budget(&Path("reference."), layout, rl.max_length());
        rules.require(layout.backend == plan.layout.backend, "plan.reference.backend", || {
            "veRL runs actor and reference with one backend. Give both the same.".to_owned()
        });
        // One switch for both.
        rules.require(dynamic(layout) == dynamic(&plan.layout), "plan.reference.max_tokens_per_gpu", || {
            "Actor and reference count both in tokens or both in sequences.".to_owned()
        });
    }
    let Some(rollout) = &plan.rollout else {
        rules.refuse("plan.rollout", "The plan has no generation engine.");
        return;
    };
    rules.rollout(rollout, shape, generate, job.hardware.gpus_per_node);
    // workers/config/rollout.py, RolloutConfig.__post_init__.
    let engine = rollout.gpus();
    rules.require(
        rollout.expert_parallel == 1 || rollout.expert_parallel == engine,
        "plan.rollout.expert_parallel",
        || format!("Experts are shared by all {engine} GPUs of an engine or by none. Set it to 1 or {engine}."),
    );
    // workers/rollout/vllm_rollout/vllm_async_server.py.
    let (per_node, tp) = (job.hardware.gpus_per_node, rollout.tensor_parallel);
    let fits = rollout.data_parallel == 1 || rollout.engine != Engine::Vllm || (tp != 0 && per_node.is_multiple_of(tp));
    rules
        .require(fits, "plan.rollout.tensor_parallel", || format!("Nodes of {per_node} GPUs are no multiple of {tp}."));
    rules.require(!matches!(rollout.precision, Precision::Mxfp8 | Precision::Nvfp4), "plan.rollout.precision", || {
        "veRL loads its engine in bf16, fp16 or fp8.".to_owned()
    });
}

fn schedule(rules: &mut Rules, job: &Job, rl: &Rl, train: u32, generate: u32) {
    if rl.schedule == Schedule::Colocated {
        return;
    }
    rules.require(rl.schedule != Schedule::Split, "workload.rl.schedule", || {
        "veRL 0.9.1 separates generation from training only where they overlap. Choose colocated or one_step_off."
            .to_owned()
    });
    let per_node = job.hardware.gpus_per_node;
    let whole = nodes(train, per_node).is_some() && nodes(generate, per_node).is_some();
    rules.require(whole, "workload.rl.train_gpus", || {
        format!(
            "Both pools are whole nodes of {per_node} GPUs, or less than one. Here they are {train} and {generate}."
        )
    });
    // trainer/ppo/v1/trainer_separate_async.py.
    rules.divides(rl.mini_batch, rl.prompts_per_step, "workload.rl.mini_batch", || {
        "With GPUs of its own for generation, the step is a whole number of mini-batches.".to_owned()
    });
    rules.require(rl.reward_model.is_none(), "workload.rl.reward_model", || {
        "With GPUs of its own for generation, a reward model needs a third pool. Use a rule.".to_owned()
    });
}

fn dynamic(layout: &Layout) -> bool {
    matches!(layout.micro_batch, MicroBatch::Tokens(_))
}

/// Batches of one trained role: utils/config.py validate_config, workers/engine_workers.py,
/// utils/seqlen_balancing.py.
fn batch(rules: &mut Rules, path: &Path, layout: &Layout, sequences: u64, rl: &Rl, job: &Job, gpus: u32) {
    let dp = u64::from(layout.data_parallel(gpus));
    rules.divides(dp, sequences, "workload.rl.mini_batch", || {
        format!("A mini-batch of {sequences} sequences cannot be shared evenly by {dp} data-parallel ranks.")
    });
    match layout.micro_batch {
        MicroBatch::Tokens(_) => {
            rules.token_budget(path, layout, rl.max_length());
            rules.require(job.workload.packing, "workload.packing", || {
                "A token budget packs sequences. Set packing to true, or give micro_batch.".to_owned()
            });
        }
        MicroBatch::Sequences(micro) => {
            if dp > 0 && sequences.is_multiple_of(dp) {
                let per_rank = sequences / dp;
                rules.divides(micro, per_rank, path.of("micro_batch"), || {
                    format!("{per_rank} sequences of a rank are no multiple of {micro}.")
                });
            }
            let least = match layout.backend {
                Backend::Megatron => dp.saturating_mul(micro),
                _ => gpus.into(),
            };
            rules.divides(least, rl.sequences(), "workload.rl.prompts_per_step", || {
                format!("{} sequences of a step are no multiple of {least}.", rl.sequences())
            });
        }
    }
}

fn fine_tuning(rules: &mut Rules, job: &Job, plan: &Plan) {
    let (layout, workload) = (&plan.layout, &job.workload);
    rules.position(job, workload.sequence_length, "workload.sequence_length", true);
    let dp = u64::from(layout.data_parallel(job.hardware.gpus));
    // trainer/sft_trainer.py rounds down without a word.
    rules.divides(dp, workload.global_batch, "workload.global_batch", || {
        format!("{} sequences cannot be shared evenly by {dp} data-parallel ranks.", workload.global_batch)
    });
    match layout.micro_batch {
        MicroBatch::Tokens(_) => rules.token_budget(&Path(""), layout, workload.sequence_length),
        MicroBatch::Sequences(micro) if dp > 0 => {
            let per_rank = workload.global_batch / dp;
            rules.divides(micro, per_rank, "plan.micro_batch", || {
                format!("{per_rank} sequences of a rank are no multiple of {micro}.")
            });
        }
        MicroBatch::Sequences(_) => {}
    }
    let offload = layout.offload;
    match layout.backend {
        // param_offload and optimizer_offload come back for every update, the only phase there is.
        Backend::Fsdp => rules.require(offload.parameters == offload.optimizer, "plan.offload", || {
            "Beside the update there is no phase, and FSDP2 moves weights, gradients and optimizer together. \
             Offload parameters and optimizer, or neither."
                .to_owned()
        }),
        _ => rules.require(!offload.parameters, "plan.offload.parameters", || {
            "veRL's Megatron brings offloaded weights back for every update, the only phase there is. Set it to false."
                .to_owned()
        }),
    }
}
