//! `ChatLearn` 1.2.0 (b7af31a): GRPO and GSPO on FSDP2 or Megatron, colocated.

use super::{Path, Rules};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan};
use shardwise_question::wire::{Attention, Backend, Precision, Schedule, WorkloadKind};
use shardwise_question::workload::Rl;

/// What `ChatLearn` refuses.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let Some(rl) = job
        .workload
        .rl
        .as_ref()
        .filter(|_| matches!(job.workload.kind, WorkloadKind::Grpo | WorkloadKind::Gspo))
    else {
        rules.refuse("workload.kind", kind(job.workload.kind));
        return rules.0;
    };
    rules.require(job.workload.full_parameter(), "workload.lora", || {
        "ChatLearn trains every parameter. Remove the adapters, or take veRL's flags.".to_owned()
    });
    rules.require(rl.schedule == Schedule::Colocated, "workload.rl.schedule", || {
        "ChatLearn runs generation and training on the same GPUs. Set it to colocated.".to_owned()
    });
    rules.require(rl.reward_model.is_none(), "workload.rl.reward_model", || {
        "ChatLearn scores by a rule. Remove the reward model, or take veRL's flags.".to_owned()
    });
    rules.require(rl.epochs == 1, "workload.rl.epochs", || {
        "ChatLearn passes once over the samples of an episode. Set it to 1.".to_owned()
    });
    rules.require(rl.oversampling == 1.0, "workload.rl.oversampling", || {
        "ChatLearn filters no groups. Set it to 1, or take veRL's flags.".to_owned()
    });
    rules.require(rl.gen_batch_size == rl.prompts_per_step, "workload.rl.gen_batch_size", || {
        "ChatLearn generates an episode's prompts at once. Leave it out.".to_owned()
    });
    // algorithm/grpo_utils/policy_trainer.py computes GRPO's loss whatever use_group_sequence_policy says;
    // megatron_utils/train_helper.py asks.
    rules.require(
        job.workload.kind != WorkloadKind::Gspo || plan.layout.backend == Backend::Megatron,
        "plan.backend",
        || {
            "ChatLearn's FSDP trainer has GRPO's loss alone. Set it to megatron, or choose grpo as workload.kind."
                .to_owned()
        },
    );
    let precision = job.workload.precision;
    rules.require(precision == Precision::Bf16, "workload.precision", || {
        "ChatLearn trains in bf16. Set it to bf16.".to_owned()
    });
    rules.whole_nodes(job);
    rules.position(job, rl.max_length(), "workload.rl.max_response_length", plan.layout.backend != Backend::Megatron);
    let gpus = job.hardware.gpus;
    layout(&mut rules, job, &plan.layout, gpus);
    batches(&mut rules, plan, rl, gpus);
    rollout(&mut rules, job, plan, rl);
    rules.0
}

fn kind(kind: WorkloadKind) -> &'static str {
    match kind {
        WorkloadKind::Ppo => "ChatLearn 1.2.0 has GRPO and GSPO, no critic. Choose grpo, or take veRL's flags.",
        WorkloadKind::Dapo => {
            "ChatLearn 1.2.0 has GRPO and GSPO, and filters no groups. Choose grpo and raise \
             models.policy_trainer.pos_clip_ratio for its asymmetric clip, or take veRL's flags."
        }
        WorkloadKind::Rollout => "ChatLearn trains; for generation alone start vLLM or SGLang itself.",
        _ => "ChatLearn 1.2.0 has GRPO and GSPO alone. Choose grpo, or take veRL's or DeepSpeed's flags.",
    }
}

fn layout(rules: &mut Rules, job: &Job, layout: &Layout, gpus: u32) {
    let (path, shape) = (Path(""), &job.model.shape);
    rules.require(layout.attention == Attention::Flash, "plan.attention", || {
        "ChatLearn attends by FlashAttention. Set attention to flash.".to_owned()
    });
    rules.require(!layout.offload.activations, "plan.offload.activations", || {
        "ChatLearn keeps activations on the GPU. Use recompute instead.".to_owned()
    });
    rules.require(layout.optimizer_offload_fraction == 0.0, "plan.optimizer_offload_fraction", || {
        "ChatLearn has no optimizer that steps in host memory. Use offload.optimizer instead.".to_owned()
    });
    match layout.backend {
        Backend::Megatron => {
            rules.megatron(&path, layout, shape, gpus);
            // algorithm/grpo_utils/megatron_utils: packed images are refused.
            rules.require(shape.vision.is_none() || !packs(layout), "plan.max_tokens_per_gpu", || {
                "ChatLearn's Megatron packs no images. Give micro_batch instead of a token budget.".to_owned()
            });
            // configs/megatron_config.py: the reference forms replicas of its own.
            let replica = replica(shape, layout);
            rules.divides(replica, gpus.into(), "plan.expert_parallel", || {
                format!("{gpus} GPUs are no multiple of the {replica} that one reference policy takes.")
            });
        }
        Backend::Fsdp => {
            rules.fsdp(&path, layout, shape, gpus);
            rules.require(layout.zero_stage == 3, "plan.zero_stage", || {
                "ChatLearn's FSDP always shards the weights. Set zero_stage to 3.".to_owned()
            });
            rules.require(layout.shard_group == gpus, "plan.shard_group", || {
                format!("ChatLearn shards over all GPUs. Set shard_group to {gpus}.")
            });
            let plain = shape.num_experts == 0 && shape.vision.is_none();
            rules.require(layout.ulysses_parallel == 1 || plain, "plan.ulysses_parallel", || {
                "ChatLearn has Ulysses for dense text models only. Set ulysses_parallel to 1.".to_owned()
            });
        }
        Backend::Deepspeed | Backend::Ddp => rules.refuse(
            "plan.backend",
            "ChatLearn trains with Megatron or FSDP. Set the backend to megatron or fsdp, or leave it to the search.",
        ),
    }
}

/// GPUs of one replica of the reference policy: dense and expert layers share them.
pub(super) fn replica(shape: &Shape, layout: &Layout) -> u64 {
    let dense = layout.tensor_parallel * layout.context_parallel;
    let experts = if shape.num_experts > 0 { layout.expert_tensor_parallel * layout.expert_parallel } else { 1 };
    lcm(dense.into(), experts.into()).saturating_mul(layout.pipeline_parallel.into())
}

fn packs(layout: &Layout) -> bool {
    matches!(layout.micro_batch, MicroBatch::Tokens(_))
}

/// algorithm/grpo.py, `GrpoConfig._validate_impl`.
fn batches(rules: &mut Rules, plan: &Plan, rl: &Rl, gpus: u32) {
    let (samples, mini) = (rl.sequences(), rl.mini_batch.saturating_mul(rl.responses_per_prompt));
    let dp = u64::from(plan.layout.data_parallel(gpus));
    rules.divides(mini, samples, "workload.rl.mini_batch", || {
        format!("{samples} samples of an episode are no multiple of a mini-batch of {mini}.")
    });
    rules.divides(dp, mini, "workload.rl.mini_batch", || {
        format!("A mini-batch of {mini} sequences cannot be shared evenly by {dp} data-parallel ranks.")
    });
    match plan.layout.micro_batch {
        MicroBatch::Tokens(_) => rules.token_budget(&Path(""), &plan.layout, rl.max_length()),
        MicroBatch::Sequences(micro) => {
            let per_rank = mini.checked_div(dp).unwrap_or(0);
            rules.divides(micro, per_rank, "plan.micro_batch", || {
                format!("{per_rank} sequences of a rank are no multiple of {micro}.")
            });
        }
    }
}

fn rollout(rules: &mut Rules, job: &Job, plan: &Plan, rl: &Rl) {
    let gpus = job.hardware.gpus;
    let Some(rollout) = &plan.rollout else {
        rules.refuse("plan.rollout", "The plan has no generation engine.");
        return;
    };
    rules.rollout(rollout, &job.model.shape, gpus, job.hardware.gpus_per_node);
    rules.require(rollout.data_parallel == 1 && rollout.expert_parallel == 1, "plan.rollout.expert_parallel", || {
        "ChatLearn's engines have tensor parallelism alone. Set data_parallel and expert_parallel to 1.".to_owned()
    });
    rules.require(rollout.precision == Precision::Bf16, "plan.rollout.precision", || {
        "ChatLearn loads its engine in bf16. Set precision to bf16.".to_owned()
    });
    let replicas = u64::from(gpus / rollout.gpus().max(1)).max(1);
    // runtime/environment.py: the samples are shared by the engines.
    rules.divides(replicas, rl.sequences(), "workload.rl.prompts_per_step", || {
        format!("{} samples of an episode cannot be shared evenly by {replicas} engines.", rl.sequences())
    });
    // runtime/executor.py: batches pass between roles whose counts divide one another.
    let dp = u64::from(plan.layout.data_parallel(gpus));
    let own = reference_ranks(job, &plan.layout);
    for (one, other, what) in [(replicas, dp, "engines feed"), (own, dp, "ranks of the reference feed")] {
        let (most, least) = (one.max(other), one.min(other));
        rules.divides(least, most, "plan.rollout.tensor_parallel", || {
            format!("{one} {what} {other} data-parallel ranks: one must be a multiple of the other.")
        });
    }
    rules.divides(own, rl.sequences(), "workload.rl.prompts_per_step", || {
        format!("{} samples of an episode cannot be shared evenly by {own} ranks of the reference.", rl.sequences())
    });
}

fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a.checked_div(x).map_or(0, |part| part.saturating_mul(b))
}

/// Data-parallel ranks of `ChatLearn`'s reference policy, over all its replicas.
pub fn reference_ranks(job: &Job, layout: &Layout) -> u64 {
    let gpus = u64::from(job.hardware.gpus);
    let replica = match layout.backend {
        Backend::Megatron => replica(&job.model.shape, layout),
        _ => gpus,
    };
    let replicas = gpus.checked_div(replica).unwrap_or(1).max(1);
    replicas * (gpus / replicas / u64::from(layout.model_parallel()).max(1)).max(1)
}
