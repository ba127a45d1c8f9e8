//! verl 0.9.1: what its configuration code, its trainers and its workers assert.

use super::asked::{Asked, nodes};
use super::optimizer;
use super::rule::{Rule, all, backends, check, divides, engine, learning, must, no_kind, precisions, when};
use super::shared::{
    ALL_AT_ONCE, ANY_FLASH, BUDGET_HOLDS_THE_LONGEST, BUDGET_IS_PACKED, ENGINE, FILTERED_BY_RULE, FORWARD_COUNTS_ALIKE,
    FORWARD_HOLDS_THE_LONGEST, FSDP, FSDP2_SHARDS, HALF, HANDED_IN_16_BITS, HAS_ENGINE, MEGATRON, MINI_BATCH_IS_SHARED,
    MINI_BATCH_IS_WHOLE_PASSES, NO_AGENT, NO_GRAPHS, NO_OVERSAMPLING, NO_PREFERENCES, NO_REWARD_MODEL, OF_A_RANK,
    ONLY_PPO_HAS_A_CRITIC, OWN_PACE, RESPONSES_HAVE_POSITIONS, TEXT_HAS_POSITIONS, TRAINS, TRANSFORMER_ENGINE,
    TRANSFORMERS_KERNEL, WEIGHTS_STAY, WHOLE_LAYERS, WHOLE_NODES, WHOLE_POOLS, has_flash, learns_sinks,
};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::{Shape, VisionKind};
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan};
use shardwise_question::task::Baseline;
use shardwise_question::wire::Backend::{Fsdp, Megatron};
use shardwise_question::wire::Precision::{Bf16, Fp8, Fp16, Mxfp8, Nvfp4};
use shardwise_question::wire::Schedule::{Colocated, FullyAsync, Split};
use shardwise_question::wire::WorkloadKind::{Pretrain, Qlora};
use shardwise_question::wire::{Attention, Engine, VisionTower};
use shardwise_question::workload::{Images, Logits, Pool, Rl};

/// `model_type` of what Megatron-Bridge 0.6.2 has a bridge for (`register_bridge` in `megatron/bridge/models`), of the catalog's.
const BRIDGED: &[&str] = &[
    "bailing_moe",
    "bailing_moe_v2",
    "deepseek_v2",
    "deepseek_v3",
    "deepseek_v4",
    "ernie4_5_moe",
    "gemma",
    "gemma2",
    "gemma3",
    "gemma3_text",
    "gemma4",
    "glm4_moe",
    "glm4_moe_lite",
    "glm4v_moe",
    "glm_moe_dsa",
    "gpt_oss",
    "hy_v3",
    "kimi_k2",
    "kimi_k25",
    "llama",
    "mimo",
    "mimo_v2_flash",
    "minimax_m2",
    "minimax_m3",
    "ministral3",
    "mistral",
    "nemotron",
    "nemotron-nas",
    "nemotron_h",
    "olmoe",
    "qwen2",
    "qwen2_5_vl",
    "qwen3",
    "qwen3_5",
    "qwen3_5_moe",
    "qwen3_moe",
    "qwen3_next",
    "qwen3_vl",
    "qwen3_vl_moe",
    "step3p5",
];

/// What veRL refuses.
pub(crate) static RULES: &[Rule] = &[
    no_kind(&[Pretrain])
        .or("veRL fine-tunes and has no pre-training. Take DeepSpeed's flags, or the kind sft for packed sequences."),
    NO_PREFERENCES,
    no_kind(&[Qlora]).or("veRL loads no 4-bit base model. Choose lora, or take DeepSpeed's flags."),
    TRAINS,
    WHOLE_NODES,
    when(|a| a.workload.images.is_some(), IMAGES),
    all(LAYOUT),
    Rule::Odd(|a, broken| {
        of_critic(a, LAYOUT, broken);
        of_reference(a, LAYOUT, broken);
    }),
    HANDED_IN_16_BITS,
    when(|a| a.rl.is_some(), REINFORCEMENT),
    when(|a| a.rl.is_none(), FINE_TUNING),
];

static IMAGES: &[Rule] = &[
    // models/transformers/monkey_patch.py.
    must("model", |a| {
        a.shape.vision.is_none_or(|own| matches!(own.kind, VisionKind::Qwen25Vl | VisionKind::Qwen3Vl))
    })
    .or("veRL 0.9.1 embeds images of Qwen2.5-VL, Qwen3-VL and Qwen3.5 as it packs sequences. Choose one of these, or leave the images out."),
    // trainer/config/actor/actor.yaml has freeze_vision_tower; since 0.8 no worker reads it.
    must("workload.images.vision_tower", |a| {
        let trained = |own: &Images| own.tower == VisionTower::Trained;
        !a.workload.full_parameter() || a.workload.images.as_ref().is_none_or(trained)
    })
    .or("veRL 0.9.1 trains all of the vision tower: no worker reads its freeze_vision_tower. Set it to trained, or take LLaMA-Factory's flags."),
    must("workload.lora", |a| a.workload.full_parameter() || a.is(Fsdp))
        .or("veRL's Megatron has no texts here that keep adapters out of the vision tower. Set the backend to fsdp, or leave the adapters out."),
];

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

fn of_critic(a: &Asked, rules: &'static [Rule], broken: &mut Vec<InputError>) {
    if let Some(own) = critic(a.job, a.plan) {
        check(&a.of_role("critic.", own), rules, broken);
    }
}

fn of_reference(a: &Asked, rules: &'static [Rule], broken: &mut Vec<InputError>) {
    if let Some(layout) = reference(a.job, a.plan) {
        check(&a.of_role("reference.", (layout, a.shape)), rules, broken);
    }
}

/// What the layout of every role has to be.
static LAYOUT: &[Rule] = &[
    when(
        |a| a.is(Megatron),
        &[
            all(MEGATRON),
    NO_GRAPHS.or("The texts for veRL leave CUDA graphs off. Leave it out."),
            all(TRANSFORMER_ENGINE),
            all(optimizer::MEGATRON),
            // workers/engine/megatron/transformer_impl.py: its forward step takes no `return_schedule_plan`.
            must("plan.overlap_moe_expert_parallel_comm", |a| !a.layout.switches.overlap_moe_expert_parallel_comm).or(
                "veRL 0.9.1 hands Megatron no schedule plan, without which the experts' exchanges wait. Leave it out.",
            ),
            precisions(&[Bf16, Fp16, Fp8, Mxfp8])
                .or("veRL trains in no 4-bit format. Choose bf16, fp16, fp8 or mxfp8."),
            // workers/engine/megatron/transformer_impl.py, lines 191 and 341: `AutoBridge.from_hf_pretrained`.
            must("model", |a| a.model_type().is_none_or(|own| BRIDGED.contains(&own)))
                .or("veRL 0.9.1 loads Megatron's models by Megatron-Bridge 0.6.2, which knows none of this kind. Set the backend to fsdp."),
        ],
    ),
    // A role's gradients come and go with its weights.
    must("plan.offload", |a| !a.layout.offload.gradients || a.layout.offload.parameters)
        .or("veRL moves gradients with the weights. Offload parameters too, or no gradients."),
    when(|a| a.is(Fsdp), ON_FSDP),
    backends(&[Fsdp, Megatron])
        .or("veRL trains with FSDP or Megatron. Set the backend to fsdp or megatron{way}."),
];

static ON_FSDP: &[Rule] = &[
    all(FSDP),
    all(optimizer::VERL_FSDP),
    FSDP2_SHARDS,
    divides("plan.shard_group", |a| (a.group, a.gpus)).or("{gpus} GPUs are no multiple of a shard group of {group}."),
    WHOLE_LAYERS.or(
        "veRL's FSDP recomputes whole layers or nothing. Set recompute to full or none, or the backend to megatron.",
    ),
    HALF.or("veRL's FSDP computes in bf16 or fp16. Choose one of these, or the backend megatron."),
    must("model", learns_sinks)
        .or("FlashAttention, by which veRL's FSDP packs sequences, passes no gradients back to this model's attention sinks. Set packing to false and attention to unfused, or choose another model."),
    must("plan.attention", |a| a.layout.attention == Attention::Flash || !a.workload.packing)
        .or("veRL's FSDP packs sequences for FlashAttention. Set attention to flash, or packing to false."),
    TRANSFORMERS_KERNEL,
    // models/transformers/monkey_patch.py: it exchanges heads around FlashAttention alone.
    when(
        |a| a.ulysses > 1,
        &[must("plan.ulysses_parallel", has_flash).or("veRL's Ulysses goes with FlashAttention, which these cards have none of. Set it to 1."),
          ANY_FLASH.or("veRL's Ulysses goes with FlashAttention. Set it to flash2, or leave it out.")],
    ),
    // Ulysses splits packed sequences (workers/config/actor.py).
    must("workload.packing", |a| a.ulysses == 1 || a.workload.packing)
        .or("Ulysses needs packed sequences. Set packing to true or ulysses_parallel to 1."),
];

/// workers/config/distillation.py and experimental/teacher_loop.
static DISTILLED: &[Rule] = &[
    must("workload.distillation.placement", |a| a.workload.teachers_pool().is_some())
        .or("veRL serves a teacher on GPUs of its own. Set it to pool, or take TRL's flags."),
    must("workload.distillation.gpus", |a| {
        let whole = |own: &Pool| nodes(own.gpus, a.job.hardware.gpus_per_node).is_some();
        a.workload.teachers_pool().is_none_or(whole)
    })
    .or("A teacher's pool is whole nodes of {node} GPUs, or less than one. Give a multiple of {node}, or less."),
    must("workload.distillation.precision", |a| {
        let loads = |own: &Pool| matches!(own.engine.precision, Bf16 | Fp16 | Fp8);
        a.workload.teachers_pool().is_none_or(loads)
    })
    .or("veRL loads its engines in bf16, fp16 or fp8."),
    must("workload.distillation.on_policy", |a| a.workload.sampled_share() == 1.0)
        .or("veRL's student samples every batch. Set it to 1."),
    // workers/engine/fsdp/transformer_impl.py: the fused head hands over no logits.
    must("plan.fused_lm_head", |a| {
        let few = a.workload.distillation.as_ref().is_some_and(|own| matches!(own.logits, Logits::TopK(_)));
        !(few && a.layout.fused_lm_head)
    })
    .or("veRL compares the largest few with the student's logits. Set fused_lm_head to false, or workload.distillation.logits to sampled."),
];

static REINFORCEMENT: &[Rule] = &[
    RESPONSES_HAVE_POSITIONS,
    when(|a| a.workload.distillation.is_some(), DISTILLED),
    OWN_PACE
        .or("veRL's agent loops let each response go on at its own pace. Set asynchronous to true, or leave it out."),
    learning("workload.rl.mini_batch", |rl| rl.mini_batch > 0 && rl.mini_batch <= rl.prompts_per_step)
        .or("The mini-batch is at least one prompt and no more than the step's."),
    must("workload.rl.critic", |a| !a.workload.kind.has_critic() || a.rl.is_none_or(|rl| rl.critic.is_some()))
        .or("veRL's PPO estimates advantages with a critic. Name its model, or choose grpo."),
    ONLY_PPO_HAS_A_CRITIC,
    when(|a| a.workload.kind.has_process_reward(), PRIME),
    when(|a| a.schedule() != Colocated, APART),
    when(|a| !a.workload.kind.has_process_reward(), SAMPLED),
    must("workload.lora.rank", |a| a.workload.lora.is_none_or(|lora| lora.rank <= 512))
        .or("The engine takes adapters up to rank 512."),
    all(BATCH),
    Rule::Odd(|a, broken| of_critic(a, BATCH, broken)),
    must("plan.critic.backend", |a| critic(a.job, a.plan).is_none_or(|(own, _)| own.backend == a.layout.backend))
        .or("veRL trains actor and critic with one backend. Give both the same."),
    Rule::Odd(|a, broken| of_reference(a, &[BUDGET_HOLDS_THE_LONGEST], broken)),
    all(FORWARD),
    Rule::Odd(|a, broken| {
        of_critic(a, FORWARD, broken);
        of_reference(a, FORWARD, broken);
    }),
    must("plan.reference.backend", |a| reference(a.job, a.plan).is_none_or(|own| own.backend == a.layout.backend))
        .or("veRL runs actor and reference with one backend. Give both the same."),
    // The reference has the actor's model, or its transformer's configuration.
    must("plan.reference.attention_kernel", |a| {
        reference(a.job, a.plan).is_none_or(|own| own.attention_kernel == a.layout.attention_kernel)
    })
    .or("veRL's reference attends as the actor does. Give both the same."),
    // One switch for both.
    must("plan.reference.max_tokens_per_gpu", |a| {
        reference(a.job, a.plan).is_none_or(|own| matches!(own.micro_batch, MicroBatch::Tokens(_)) == a.counts_tokens())
    })
    .or("Actor and reference count both in tokens or both in sequences."),
    HAS_ENGINE,
    all(GENERATION),
];

/// What is generated, and when it is scored.
static SAMPLED: &[Rule] = &[
    FILTERED_BY_RULE
        .or("Groups are filtered as they are sampled, and a colocated reward model scores them later. Use a rule, or set oversampling to 1."),
    // trainer/ppo/v1/trainer_base.py: a step is a whole number of fetches.
    divides("workload.rl.gen_batch_size", |a| a.rl.map_or((1, 1), |rl| (rl.gen_batch_size, rl.prompts_per_step)))
        .or("veRL 0.9.1 fetches a step's {whole} prompts in equal parts. Give gen_batch_size a divisor of them."),
];

/// The recipe of PRIME
/// (<https://github.com/verl-project/verl-recipe/tree/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/prime>).
static PRIME: &[Rule] = &[
    // prime_fsdp_workers.py, lines 89 to 222: its reward model is FSDP's.
    must("plan.backend", |a| a.is(Fsdp))
        .or("The reward model of veRL's PRIME is FSDP's, and is estimated as laid out like the actor. Set the backend to fsdp."),
    // prime_dp_rm.py, line 318: no configuration has the budget that its update reads.
    must("plan.max_tokens_per_gpu", |a| !a.counts_tokens())
        .or("The reward model of veRL's PRIME counts its micro-batches in sequences. State micro_batch, or leave both to the search."),
    // prime_fsdp_workers.py, line 83, and prime_dp_rm.py, lines 309 to 322: sequences, not prompts.
    divides("workload.rl.mini_batch", |a| (a.ranks, a.rl.map_or(0, |rl| rl.mini_batch)))
        .or("The reward model's mini-batch of {whole} sequences cannot be shared evenly by {part} data-parallel ranks."),
    when(
        |a| !a.counts_tokens(),
        &[divides("plan.micro_batch", |a| (a.micro, a.rl.map_or(0, |rl| rl.mini_batch / a.ranks.max(1)))).or(OF_A_RANK)],
    ),
    // prime_ray_trainer.py, line 200: all at once.
    learning("workload.rl.gen_batch_size", |rl| {
        rl.gen_batch_size == (rl.prompts_per_step as f64 * rl.oversampling) as u64
    })
    .or("veRL's PRIME generates all of a step's prompts at once. Leave it out."),
    // Lines 468 and 482: groups are told by their places, which balancing changes.
    learning("workload.rl.balance_batch", |rl| !rl.balance_batch)
        .or("veRL's PRIME filters groups in the order of the batch. Set it to false."),
    // Line 488: always.
    learning("workload.rl.old_log_prob", |rl| rl.old_log_prob)
        .or("veRL's PRIME always computes the old log-probabilities. Set it to true."),
    // main_prime.py, lines 97 to 114: one pool. Line 427: one turn.
    learning("workload.rl.schedule", |rl| rl.schedule == Colocated)
        .or("veRL's PRIME has one pool of GPUs. Set it to colocated."),
    NO_AGENT.or("veRL's PRIME generates responses of one turn. Leave it out."),
];

/// What passes forward alone take in each role: engine_workers.py, workers/engine/utils.py, utils/seqlen_balancing.py.
static FORWARD: &[Rule] = &[
    FORWARD_COUNTS_ALIKE,
    FORWARD_HOLDS_THE_LONGEST,
    divides("plan.forward_micro_batch", |a| match a.layout.forward {
        Some(MicroBatch::Sequences(own)) => (own, fetched(a) / a.ranks.max(1)),
        _ => (1, 1),
    })
    .or(OF_A_RANK),
];

/// Responses that are fetched and evaluated together: with GPUs of its own for generation those of a mini-batch
/// (trainer/ppo/v1/trainer_base.py:539, and `require_batches=1`).
fn fetched(a: &Asked) -> u64 {
    if a.schedule() == Colocated { a.samples } else { a.mini }
}

/// With GPUs of its own for generation.
static APART: &[Rule] = &[
    learning("workload.rl.schedule", |rl| rl.schedule != Split)
        .or("veRL 0.9.1 separates generation from training only where they overlap. Choose colocated or one_step_off."),
    WHOLE_POOLS,
    // `FullyAsyncLLMServerClient` of workers/rollout/llm_server.py takes up again what new weights interrupt, or drops its rest.
    learning("workload.rl.partial_rollout", |rl| rl.partial_rollout || rl.max_staleness == 0.0)
        .or("veRL 0.9.1 goes on with unfinished responses after new weights, or cuts them off. Set it to true, or max_staleness to 0."),
    // trainer/ppo/v1/trainer_separate_async.py.
    divides("workload.rl.mini_batch", |a| a.rl.map_or((1, 1), |rl| (rl.mini_batch, rl.prompts_per_step)))
        .or("With GPUs of its own for generation, the step is a whole number of mini-batches."),
    NO_REWARD_MODEL.or("With GPUs of its own for generation, a reward model needs a third pool. Use a rule."),
    when(|a| a.rl.is_some_and(streams), STREAMED),
];

/// Whether a run is one for `experimental/fully_async_policy`: it bounds generation by parts of a step, the newer `separate_async` by
/// whole versions (trainer/ppo/v1/replay_buffer.py:166).
#[must_use]
pub fn streams(rl: &Rl) -> bool {
    rl.schedule == FullyAsync && (rl.max_staleness < 1.0 || rl.max_staleness.fract() != 0.0)
}

/// In `experimental/fully_async_policy`.
static STREAMED: &[Rule] = &[
    // fully_async_rollouter.py: with a threshold of 0 no sample is left when new weights come.
    learning("workload.rl.partial_rollout", |rl| rl.max_staleness > 0.0 || !rl.partial_rollout)
        .or("With max_staleness 0 no response is unfinished when new weights come. Set it to false, or max_staleness above 0."),
    // experimental/separation/ray_trainer.py, `_create_critic_class`: its one strategy has no settings any more.
    must("workload.kind", |a| !a.workload.kind.has_critic())
        .or("veRL's fully_async_policy starts no critic in 0.9.1. Choose grpo, or a max_staleness of 1 or more, without a part."),
    // fully_async_policy/detach_utils.py: it asks for no greedy response.
    must("workload.kind", |a| a.workload.kind.algorithm().is_none_or(|own| own.baseline != Baseline::Greedy))
        .or("veRL's fully_async_policy generates no greedy response, which ReMax compares with. Choose rloo, or a max_staleness of 1 or more, without a part."),
    NO_OVERSAMPLING
        .or("veRL's fully_async_policy filters no groups. Set it to 1, or choose a max_staleness of 1 or more, without a part."),
    ALL_AT_ONCE.or("veRL's fully_async_policy generates each prompt by itself. Leave it out."),
];

/// Batches of one trained role: utils/config.py validate_config, workers/engine_workers.py,
/// utils/seqlen_balancing.py.
static BATCH: &[Rule] = &[
    MINI_BATCH_IS_SHARED,
    when(|a| a.counts_tokens(), &[BUDGET_HOLDS_THE_LONGEST, BUDGET_IS_PACKED]),
    when(
        |a| !a.counts_tokens(),
        &[
            when(|a| a.mini.is_multiple_of(a.ranks), &[MINI_BATCH_IS_WHOLE_PASSES]),
            divides("workload.rl.prompts_per_step", |a| (if a.is(Megatron) { a.per_pass } else { a.gpus }, a.samples))
                .or("{whole} sequences of a step are no multiple of {part}."),
        ],
    ),
];

static GENERATION: &[Rule] = &[
    all(ENGINE),
    // workers/config/rollout.py, RolloutConfig.__post_init__.
    engine("plan.rollout.expert_parallel", |own| own.expert_parallel == 1 || own.expert_parallel == own.gpus())
        .or("Experts are shared by all {engine} GPUs of an engine or by none. Set it to 1 or {engine}."),
    // workers/rollout/vllm_rollout/vllm_async_server.py.
    must("plan.rollout.tensor_parallel", |a| {
        let node = u64::from(a.job.hardware.gpus_per_node);
        let apart = a
            .rollout
            .is_some_and(|own| own.data_parallel != 1 && own.engine == Engine::Vllm);
        !apart || (a.engine_tp != 0 && node.is_multiple_of(a.engine_tp))
    })
    .or("Nodes of {node} GPUs are no multiple of {engine_tp}."),
    engine("plan.rollout.precision", |own| !matches!(own.precision, Mxfp8 | Nvfp4))
        .or("veRL loads its engine in bf16, fp16 or fp8."),
    engine("plan.rollout.chunked_prefill", |own| own.chunked_prefill || own.engine == Engine::Vllm)
        .or("veRL turns chunked prefill off for vLLM alone. Leave it out, or set the engine to vllm."),
    when(|a| a.rollout.is_some_and(|own| own.engine == Engine::TensorrtLlm), TENSORRT_LLM),
];

/// workers/rollout/trtllm_rollout.
static TENSORRT_LLM: &[Rule] = &[
    must("plan.rollout.engine", |a| a.job.hardware.vendor().is_none_or(|own| own == "nvidia"))
        .or("TensorRT-LLM runs on NVIDIA's GPUs. Set the engine to vllm or sglang."),
    // trtllm_rollout.py, update_weights: all weights by their names.
    must("plan.rollout.engine", |a| a.workload.full_parameter())
        .or("veRL sends TensorRT-LLM whole weights and no adapters. Set the engine to vllm or sglang."),
    // trtllm_async_server.py gives the engine its tensor and expert parallelism alone, and always a CudaGraphConfig.
    engine("plan.rollout.data_parallel", |own| own.data_parallel == 1)
        .or("veRL's TensorRT-LLM has no data-parallel attention. Set it to 1."),
    engine("plan.rollout.enforce_eager", |own| !own.enforce_eager)
        .or("veRL's TensorRT-LLM always replays CUDA graphs. Set it to false."),
];

static FINE_TUNING: &[Rule] = &[
    must("workload.distillation", |a| a.workload.distillation.is_none())
        .or("veRL distils what the student samples. Choose the kind distill, or take ms-swift's flags."),
    TEXT_HAS_POSITIONS,
    // trainer/sft_trainer.py rounds down without a word.
    divides("workload.global_batch", |a| (a.ranks, a.workload.global_batch))
        .or("{batch} sequences cannot be shared evenly by {ranks} data-parallel ranks."),
    BUDGET_HOLDS_THE_LONGEST,
    when(
        |a| !a.counts_tokens(),
        &[divides("plan.micro_batch", |a| (a.micro, a.workload.global_batch / a.ranks.max(1))).or(OF_A_RANK)],
    ),
    // param_offload and optimizer_offload come back for every update, the only phase there is.
    must("plan.offload", |a| !a.is(Fsdp) || a.layout.offload.parameters == a.layout.offload.optimizer)
        .or("Beside the update there is no phase, and FSDP2 moves weights, gradients and optimizer together. \
         Offload parameters and optimizer, or neither."),
    when(
        |a| !a.is(Fsdp),
        &[WEIGHTS_STAY.or(
            "veRL's Megatron brings offloaded weights back for every update, the only phase there is. Set it to false.",
        )],
    ),
];
