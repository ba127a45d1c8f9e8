//! `ChatLearn` 1.2.0 (b7af31a): GRPO and GSPO on FSDP2 or Megatron, colocated.

use super::asked::Asked;
use super::optimizer;
use super::rule::{Rule, all, backends, divides, engine, learning, must, no_kind, precisions, when};
use super::shared::{
    ACTIVATIONS_STAY, ALL_AT_ONCE, ALL_SHARD, BALANCED, BUDGET_HOLDS_THE_LONGEST, CHUNKED, ENGINE, ENGINE_IN_BF16,
    FLASH, FORWARD_IS_USUAL, FSDP, HAS_ENGINE, MEGATRON, MINI_BATCH_IS_SHARED, MINI_BATCH_IS_WHOLE_PASSES, NO_ADAPTERS,
    NO_AGENT, NO_IMAGES, NO_OVERSAMPLING, NO_REWARD_MODEL, USUAL_KERNEL, VLLM_OR_SGLANG, WHOLE_NODES, positions,
};
use shardwise_catalog::divisors::lcm;
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::wire::Backend::{Fsdp, Megatron};
use shardwise_question::wire::Precision::Bf16;
use shardwise_question::wire::Schedule::Colocated;
use shardwise_question::wire::TokenDispatcher;
use shardwise_question::wire::WorkloadKind::{Dapo, Grpo, Gspo, Ppo, Rollout};

/// What `ChatLearn` refuses.
pub(crate) static RULES: &[Rule] = &[
    no_kind(&[Ppo]).or_only("ChatLearn 1.2.0 has GRPO and GSPO, no critic. Choose grpo, or take veRL's flags."),
    no_kind(&[Dapo]).or_only(
        "ChatLearn 1.2.0 has GRPO and GSPO, and filters no groups. Choose grpo and raise \
         models.policy_trainer.pos_clip_ratio for its asymmetric clip, or take veRL's flags.",
    ),
    no_kind(&[Rollout]).or_only("ChatLearn trains; for generation alone start vLLM or SGLang itself."),
    must("workload.kind", |a| a.rl.is_some() && matches!(a.workload.kind, Grpo | Gspo))
        .or_only("ChatLearn 1.2.0 has GRPO and GSPO alone. Choose one of them, or another framework."),
    NO_ADAPTERS.or("ChatLearn trains every parameter. Remove the adapters, or take veRL's flags."),
    learning("workload.rl.schedule", |rl| rl.schedule == Colocated)
        .or("ChatLearn runs generation and training on the same GPUs. Set it to colocated."),
    NO_REWARD_MODEL.or("ChatLearn scores by a rule. Remove the reward model, or take veRL's flags."),
    learning("workload.rl.epochs", |rl| rl.epochs == 1)
        .or("ChatLearn passes once over the samples of an episode. Set it to 1."),
    NO_OVERSAMPLING.or("ChatLearn filters no groups. Set it to 1, or take veRL's flags."),
    BALANCED.or("ChatLearn has no switch for how samples are shared out. Leave it out."),
    NO_AGENT
        .or("This text sets up no agents in ChatLearn. Leave agent out, or take veRL's, OpenRLHF's or SkyRL's flags."),
    // algorithm/grpo.py, `env_compute_flow`.
    learning("workload.rl.reference", |rl| rl.reference)
        .or("ChatLearn always evaluates the reference. Set it to true, or leave it out."),
    learning("workload.rl.old_log_prob", |rl| rl.old_log_prob)
        .or("ChatLearn always computes old log-probabilities. Set it to true."),
    ALL_AT_ONCE.or("ChatLearn generates an episode's prompts at once. Leave it out."),
    // algorithm/grpo_utils/policy_trainer.py computes GRPO's loss whatever use_group_sequence_policy says;
    // megatron_utils/train_helper.py asks.
    must("plan.backend", |a| a.workload.kind != Gspo || a.is(Megatron))
        .or("ChatLearn's FSDP trainer has GRPO's loss alone. Set it to megatron, or choose grpo as workload.kind."),
    precisions(&[Bf16]).or("ChatLearn trains in bf16. Set it to bf16."),
    WHOLE_NODES,
    Rule::Odd(|a, broken| {
        positions(a, "workload.rl.max_response_length", !a.is(Megatron), broken);
    }),
    FLASH.or("ChatLearn attends by FlashAttention. Set attention to flash."),
    USUAL_KERNEL.or("No key of ChatLearn names the attention kernel. Leave it out."),
    ACTIVATIONS_STAY.or("ChatLearn keeps activations on the GPU. Use recompute instead."),
    must("plan.optimizer_offload_fraction", |a| a.layout.optimizer_offload_fraction == 0.0)
        .or("ChatLearn has no optimizer that steps in host memory. Use offload.optimizer instead."),
    all(optimizer::ADAMW_ALONE),
    FORWARD_IS_USUAL,
    when(|a| a.is(Megatron), ON_MEGATRON),
    when(|a| a.is(Fsdp), ON_FSDP),
    backends(&[Megatron, Fsdp])
        .or("ChatLearn trains with Megatron or FSDP. Set the backend to megatron or fsdp, or leave it to the search."),
    // algorithm/grpo.py, `GrpoConfig._validate_impl`.
    divides("workload.rl.mini_batch", |a| (a.mini, a.samples))
        .or("{samples} samples of an episode are no multiple of a mini-batch of {mini}."),
    MINI_BATCH_IS_SHARED,
    BUDGET_HOLDS_THE_LONGEST,
    when(|a| !a.counts_tokens(), &[MINI_BATCH_IS_WHOLE_PASSES]),
    HAS_ENGINE,
    all(GENERATION),
    NO_IMAGES,
];

static ON_MEGATRON: &[Rule] = &[
    all(MEGATRON),
    must("plan.moe_token_dispatcher", |a| {
        matches!(a.layout.switches.moe_token_dispatcher, None | Some(TokenDispatcher::Alltoall))
    })
    .or("No key of ChatLearn turns DeepEP or HybridEP on. Leave it out, or take veRL's flags."),
    // algorithm/grpo_utils/megatron_utils: packed images are refused.
    must("plan.max_tokens_per_gpu", |a| a.shape.vision.is_none() || !a.counts_tokens())
        .or("ChatLearn's Megatron packs no images. Give micro_batch instead of a token budget."),
    // configs/megatron_config.py: the reference forms replicas of its own.
    divides("plan.expert_parallel", |a| (replica(a.shape, a.layout), a.gpus))
        .or("{gpus} GPUs are no multiple of the {part} that one reference policy takes."),
];

static ON_FSDP: &[Rule] = &[
    all(FSDP),
    must("plan.zero_stage", |a| a.layout.zero_stage == 3)
        .or("ChatLearn's FSDP always shards the weights. Set zero_stage to 3."),
    ALL_SHARD.or("ChatLearn shards over all GPUs. Set shard_group to {gpus}."),
    must("plan.ulysses_parallel", |a| a.ulysses == 1 || (a.shape.num_experts == 0 && a.shape.vision.is_none()))
        .or("ChatLearn has Ulysses for dense text models only. Set ulysses_parallel to 1."),
];

static GENERATION: &[Rule] = &[
    all(ENGINE),
    VLLM_OR_SGLANG,
    engine("plan.rollout.expert_parallel", |own| own.data_parallel == 1 && own.expert_parallel == 1)
        .or("ChatLearn's engines have tensor parallelism alone. Set data_parallel and expert_parallel to 1."),
    CHUNKED,
    ENGINE_IN_BF16.or("ChatLearn loads its engine in bf16. Set precision to bf16."),
    // runtime/environment.py: the samples are shared by the engines.
    divides("plan.rollout.tensor_parallel", |a| (engines(a), a.samples))
        .or("{samples} samples of an episode cannot be shared evenly by {part} engines."),
    Rule::Odd(feeds),
    divides("workload.rl.prompts_per_step", |a| (reference_ranks(a.job, a.layout), a.samples))
        .or("{samples} samples of an episode cannot be shared evenly by {part} ranks of the reference."),
];

fn engines(a: &Asked) -> u64 {
    (a.gpus / a.engine.max(1)).max(1)
}

/// runtime/executor.py: batches pass between roles whose counts divide one another.
fn feeds(a: &Asked, broken: &mut Vec<InputError>) {
    let (dp, own) = (a.ranks, reference_ranks(a.job, a.layout));
    for (one, what) in [(engines(a), "engines feed"), (own, "ranks of the reference feed")] {
        let least = one.min(dp);
        if least == 0 || !one.max(dp).is_multiple_of(least) {
            let says = format!("{one} {what} {dp} data-parallel ranks: one must be a multiple of the other.");
            broken.push(a.refusal("plan.rollout.tensor_parallel", &says, &[]));
        }
    }
}

/// GPUs of one replica of the reference policy: dense and expert layers share them.
pub(super) fn replica(shape: &Shape, layout: &Layout) -> u64 {
    let dense = layout.tensor_parallel * layout.context_parallel;
    let experts = if shape.num_experts > 0 { layout.expert_tensor_parallel * layout.expert_parallel } else { 1 };
    lcm(dense.into(), experts.into()).saturating_mul(layout.pipeline_parallel.into())
}

/// Data-parallel ranks of `ChatLearn`'s reference policy, over all its replicas.
pub fn reference_ranks(job: &Job, layout: &Layout) -> u64 {
    let gpus = u64::from(job.hardware.gpus);
    let replica = match layout.backend {
        Megatron => replica(&job.model.shape, layout),
        _ => gpus,
    };
    let replicas = gpus.checked_div(replica).unwrap_or(1).max(1);
    replicas * (gpus / replicas / u64::from(layout.model_parallel()).max(1)).max(1)
}
