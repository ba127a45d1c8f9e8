//! `OpenRLHF` 0.11.2: what its two programs assert, and what they would run otherwise than planned.

use super::{Path, Rules, deepspeed, nodes, pools};
use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan, RolloutPlan};
use shardwise_question::wire::{Attention, Backend, Engine, KvCacheDtype, Precision, Schedule, WorkloadKind};
use shardwise_question::workload::Rl;

/// What `OpenRLHF` refuses, or would run otherwise than planned.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let (layout, workload) = (&plan.layout, &job.workload);
    match workload.kind {
        WorkloadKind::Pretrain => rules.refuse(
            "workload.kind",
            "OpenRLHF trains from finished weights and has no pre-training. Take DeepSpeed's flags, or the kind sft.",
        ),
        WorkloadKind::Rollout => {
            rules.refuse("workload.kind", "OpenRLHF trains; for generation alone start vLLM or SGLang itself.")
        }
        _ => {}
    }
    rules.whole_nodes(job);
    let (train, generate) = pools(job);
    layouts(&mut rules, layout, job, train);
    match &workload.rl {
        Some(rl) => reinforcement(&mut rules, plan, job, rl, (train, generate)),
        None => fine_tuning(&mut rules, layout, job),
    }
    rules.0
}

fn layouts(rules: &mut Rules, layout: &Layout, job: &Job, gpus: u32) {
    let workload = &job.workload;
    rules.require(layout.backend == Backend::Deepspeed, "plan.backend", || {
        "OpenRLHF trains with DeepSpeed. Set the backend to deepspeed, or leave it to the search.".to_owned()
    });
    for (name, size) in [("pipeline_parallel", layout.pipeline_parallel), ("expert_parallel", layout.expert_parallel)] {
        rules.require(size == 1, Path("").of(name), || {
            format!("OpenRLHF has no {}. Set it to 1.", name.replace('_', " "))
        });
    }
    rules.require(layout.ulysses_parallel == 1, "plan.ulysses_parallel", || {
        "OpenRLHF splits sequences by ring attention. Set ulysses_parallel to 1 and use context_parallel.".to_owned()
    });
    let tp = layout.tensor_parallel;
    rules.require(tp == 1 || layout.zero_stage <= 2, "plan.tensor_parallel", || {
        "DeepSpeed's tensor parallelism goes with ZeRO 0 to 2. Set tensor_parallel to 1 or zero_stage to 2.".to_owned()
    });
    let (bf16, fp16) = (workload.precision == Precision::Bf16, workload.precision == Precision::Fp16);
    rules.require(bf16 || fp16, "workload.precision", || {
        "OpenRLHF trains in bf16 or fp16. Choose one of these.".to_owned()
    });
    // utils/deepspeed/deepspeed.py:78, models/actor.py:116, trainer/ray/vllm_worker_wrap.py:39.
    let half = tp > 1 || workload.quantized_base() || workload.rl.is_some();
    rules.require(!half || !fp16, "workload.precision", || {
        "OpenRLHF has fp16 for fine-tuning without tensor parallelism and 4-bit weights. Set it to bf16.".to_owned()
    });
    rules.require(layout.context_parallel == 1 || workload.packing, "workload.packing", || {
        "Ring attention needs packed sequences. Set packing to true or context_parallel to 1.".to_owned()
    });
    rules.require(layout.attention == Attention::Flash, "plan.attention", || {
        "OpenRLHF packs sequences for FlashAttention. Set attention to flash.".to_owned()
    });
    let offload = layout.offload;
    rules.require(!offload.activations, "plan.offload.activations", || {
        "OpenRLHF keeps activations on the GPU. Use recompute instead.".to_owned()
    });
    // utils/deepspeed/deepspeed.py, get_ds_train_config: offload=False.
    rules.require(!offload.parameters, "plan.offload.parameters", || {
        "OpenRLHF keeps the weights it trains on the GPU. Set it to false.".to_owned()
    });
    deepspeed::memory(rules, layout, gpus);
    deepspeed::host_memory_alone(rules, layout, "OpenRLHF");
    rules.whole_layers(layout);
}

/// What every data-parallel rank takes at once divides an optimizer step (`DeepSpeedConfig`, `_batch_assertion`).
fn batch(rules: &mut Rules, per_pass: u64, sequences: u64, field: &str) {
    rules.divides(per_pass, sequences, field, || {
        format!(
            "{sequences} sequences of an optimizer step are no multiple of {per_pass}, what all ranks take at once."
        )
    });
}

fn fine_tuning(rules: &mut Rules, layout: &Layout, job: &Job) {
    let workload = &job.workload;
    rules.position(job, workload.sequence_length, "workload.sequence_length", true);
    let ranks = layout.data_parallel(job.hardware.gpus).into();
    let per_pass = deepspeed::micro(layout, workload.sequence_length).saturating_mul(ranks);
    batch(rules, per_pass, workload.global_batch, "workload.global_batch");
}

fn reinforcement(rules: &mut Rules, plan: &Plan, job: &Job, rl: &Rl, (train, generate): (u32, u32)) {
    let (layout, workload) = (&plan.layout, &job.workload);
    rules.position(job, rl.max_length(), "workload.rl.max_response_length", true);
    // trainer/ray/ppo_actor.py, broadcast_to_vllm: adapters change the names by which vLLM knows its weights.
    rules.require(workload.lora.is_none(), "workload.lora", || {
        "OpenRLHF cannot hand adapters to vLLM. Leave lora out, or take veRL's flags.".to_owned()
    });
    let critic = workload.kind.has_critic();
    rules.require(critic || rl.critic.is_none(), "workload.rl.critic", || {
        "Only PPO has a critic. Set it to null, or choose ppo.".to_owned()
    });
    rules.require(critic || rl.responses_per_prompt > 1, "workload.rl.responses_per_prompt", || {
        "The responses of a prompt are compared. Give 2 or more.".to_owned()
    });
    let filters = rl.oversampling > 1.0;
    rules.require(!filters || rl.responses_per_prompt > 1, "workload.rl.oversampling", || {
        "Prompts are filtered by the scores of several responses. Set it to 1, or responses_per_prompt to 2 or more.".to_owned()
    });
    rules.require(!filters || rl.reward_model.is_none(), "workload.rl.reward_model", || {
        "Prompts are filtered as they are sampled, and a reward model scores them later. Use a rule, or set oversampling to 1."
            .to_owned()
    });
    // trainer/ppo_utils/samples_generator.py, generate_samples: fewer would make a smaller batch.
    rules.require(rl.gen_batch_size == rl.prompts_per_step, "workload.rl.gen_batch_size", || {
        "OpenRLHF generates a step's prompts at once. Leave gen_batch_size out.".to_owned()
    });
    rules.require(rl.old_log_prob, "workload.rl.old_log_prob", || {
        "OpenRLHF always computes old log-probabilities. Set it to true.".to_owned()
    });
    let ranks = u64::from(layout.data_parallel(train));
    let per_pass = match layout.micro_batch {
        MicroBatch::Tokens(_) => ranks,
        MicroBatch::Sequences(micro) => ranks.saturating_mul(micro),
    };
    batch(rules, per_pass, workload.global_batch, "workload.rl.mini_batch");
    if matches!(layout.micro_batch, MicroBatch::Tokens(_)) {
        rules.token_budget(&Path(""), layout, rl.max_length());
        rules.require(workload.packing, "workload.packing", || {
            "A token budget packs sequences. Set packing to true, or give micro_batch.".to_owned()
        });
    }
    let offload = layout.offload;
    rules.require(offload.optimizer == offload.gradients, "plan.offload.gradients", || {
        "DeepSpeed's sleep moves optimizer and gradients together. Offload both, or neither.".to_owned()
    });
    roles(rules, plan, layout);
    schedule(rules, job, rl, train, generate);
    if let Some(rollout) = &plan.rollout {
        engine(rules, rollout, job, generate);
    }
}

/// One set of DeepSpeed options is for every role; the reference alone may wait in host memory.
fn roles(rules: &mut Rules, plan: &Plan, layout: &Layout) {
    rules.require(plan.critic.is_none_or(|own| own == *layout), "plan.critic", || {
        "OpenRLHF lays critic and actor out alike. Leave the critic's plan out.".to_owned()
    });
    if let Some(own) = &plan.reference {
        let mut alike = *own;
        alike.offload.parameters = layout.offload.parameters;
        rules.require(alike == *layout, "plan.reference", || {
            "OpenRLHF lays reference and actor out alike. Give its plan nothing but offload.parameters.".to_owned()
        });
        rules.require(!own.offload.parameters || own.zero_stage == 3, "plan.reference.zero_stage", || {
            "DeepSpeed offloads the reference's weights under ZeRO 3 only. Set zero_stage to 3.".to_owned()
        });
    }
}

fn schedule(rules: &mut Rules, job: &Job, rl: &Rl, train: u32, generate: u32) {
    if rl.schedule == Schedule::Colocated {
        return;
    }
    let per_node = job.hardware.gpus_per_node;
    let whole = nodes(train, per_node).is_some() && nodes(generate, per_node).is_some();
    rules.require(whole, "workload.rl.train_gpus", || {
        format!(
            "Both pools are whole nodes of {per_node} GPUs, or less than one. Here they are {train} and {generate}."
        )
    });
    // cli/train_ppo_ray.py: beside actor and reference, critic and reward model would get GPUs of their own.
    let apart = rl.schedule == Schedule::Split && (rl.critic.is_some() || rl.reward_model.is_some());
    rules.require(!apart, "workload.rl.schedule", || {
        "With engines apart, OpenRLHF lets critic and reward model share the actor's GPUs only where it runs ahead. Choose colocated or one_step_off."
            .to_owned()
    });
}

fn engine(rules: &mut Rules, rollout: &RolloutPlan, job: &Job, generate: u32) {
    rules.rollout(rollout, &job.model.shape, generate, job.hardware.gpus_per_node);
    rules.require(rollout.engine == Engine::Vllm, "plan.rollout.engine", || {
        "OpenRLHF generates with vLLM. Set the engine to vllm.".to_owned()
    });
    for (name, size) in [("data_parallel", rollout.data_parallel), ("expert_parallel", rollout.expert_parallel)] {
        rules.require(size == 1, format!("plan.rollout.{name}"), || {
            format!("OpenRLHF's engines have no {}. Set it to 1.", name.replace('_', " "))
        });
    }
    rules.require(rollout.precision == Precision::Bf16, "plan.rollout.precision", || {
        "OpenRLHF loads its engines in bf16. Set it to bf16.".to_owned()
    });
    rules.require(rollout.kv_cache_dtype == KvCacheDtype::Auto, "plan.rollout.kv_cache_dtype", || {
        "OpenRLHF leaves the cache in 16 bits. Set it to auto.".to_owned()
    });
}
