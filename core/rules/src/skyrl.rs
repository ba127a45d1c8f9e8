//! `SkyRL` 0.3.0: what its configuration and its workers assert, and what they would run otherwise than planned.
//! <https://github.com/NovaSky-AI/SkyRL/tree/skyrl-v0.3.0/skyrl>; lines are of that release.

use super::asked::Asked;
use super::nemo_rl::BRIDGED;
use super::optimizer;
use super::rule::{Rule, all, backends, divides, engine, learning, must, precisions, when};
use super::shared::{
    ACTIVATIONS_STAY, ALL_AT_ONCE, BALANCED, BUDGET_HOLDS_THE_LONGEST, BUDGET_IS_PACKED, ENGINE, FLASH,
    FORWARD_COUNTS_ALIKE, FSDP, FSDP2_SHARDS, HAS_ENGINE, MEGATRON, MINI_BATCH_IS_SHARED, MINI_BATCH_IS_WHOLE_PASSES,
    NO_GRAPHS, NO_REWARD_MODEL, NO_TEACHER, OF_A_RANK, ONLY_PPO_HAS_A_CRITIC, OWN_PACE, REFERENCE_TAKES_ITS_PLACE,
    RESPONSES_HAVE_POSITIONS, STALENESS_IN_VERSIONS, USUAL_KERNEL, VLLM, WHOLE_LAYERS, WHOLE_NODES, WHOLE_POOLS,
};
use shardwise_catalog::model::VisionKind;
use shardwise_question::plan::MicroBatch;
use shardwise_question::task::{Penalty, Ratio};
use shardwise_question::wire::Backend::{Fsdp, Megatron};
use shardwise_question::wire::Precision::{Bf16, Fp8};
use shardwise_question::wire::Schedule::{Colocated, FullyAsync};
use shardwise_question::wire::VisionTower;
use shardwise_question::wire::WorkloadKind::{self, Cispo, Dapo, DrGrpo, Grpo, Gspo, Ppo, ReinforcePlusPlus, Rloo};
use shardwise_question::workload::Workload;

/// Whether a loss of the engine's own probabilities stands for it (`rollout_is`): a token's ratio, without a clip of its own.
const fn is_plain(kind: WorkloadKind) -> bool {
    matches!(kind, Grpo | DrGrpo | Rloo | ReinforcePlusPlus | Ppo)
}

/// Whether the penalty for leaving the reference is in the reward.
pub fn penalizes_reward(workload: &Workload) -> bool {
    let algorithm = workload.kind.algorithm();
    let reference = workload.rl.as_ref().is_some_and(|rl| rl.reference);
    reference && algorithm.is_some_and(|own| own.penalty == Penalty::Reward)
}

/// Whether the policy's ratio is to the engine's probabilities: where no old ones are computed, and where generation runs on,
/// which keeps no old policy to compute them with (train/fully_async_trainer.py, line 378).
pub fn holds_engines(workload: &Workload) -> bool {
    let plain = workload.kind.algorithm().is_some_and(|own| own.loss.ratio == Ratio::Token);
    workload
        .rl
        .as_ref()
        .is_some_and(|rl| plain && (rl.schedule == FullyAsync || !rl.old_log_prob))
}

// examples/train/gptoss.
const PACKS: Rule = must("model", |a| a.model_type() != Some("gpt_oss"))
    .or("SkyRL's FSDP trains gpt-oss by a kernel that packs nothing. Set the backend to megatron.");

const BRIDGES: Rule = must("model", |a| a.model_type().is_some_and(|own| BRIDGED.contains(&own)))
        .or("SkyRL's Megatron takes Llama, Mistral, Qwen2, Qwen3, GLM-4.5, gpt-oss, DeepSeek-V2, DeepSeek-V3 and OLMoE here. Choose one of them, or set the backend to fsdp.");

/// What `SkyRL` refuses, or would run otherwise than planned.
pub(crate) static RULES: &[Rule] = &[
    must("workload.kind", |a| {
        a.rl.is_some()
            && matches!(a.workload.kind, Grpo | Dapo | Gspo | DrGrpo | Cispo | Rloo | ReinforcePlusPlus | Ppo)
    })
    .or_only("These texts for SkyRL are of grpo, dapo, gspo, dr_grpo, cispo, rloo, reinforce_plus_plus and ppo. Choose one of them, or another framework."),
    backends(&[Fsdp, Megatron])
        .or("SkyRL trains with FSDP or Megatron. Set the backend to fsdp or megatron{way}."),
    // pyproject.toml: its packages are built for CUDA alone.
    must("hardware.gpu", |a| matches!(a.job.hardware.vendor(), None | Some("nvidia")))
        .or("SkyRL runs on NVIDIA's GPUs alone. Choose one of them, or take veRL's flags."),
    when(|a| a.is(Fsdp), &[PACKS]),
    when(|a| a.is(Megatron), &[BRIDGES]),
    WHOLE_NODES,
    precisions(&[Bf16]).or("The texts for SkyRL train in bf16. Choose it."),
    FLASH.or("The texts for SkyRL attend by fused kernels. Set attention to flash."),
    ACTIVATIONS_STAY.or("SkyRL keeps activations on the GPU. Use recompute instead."),
    all(optimizer::ADAMW_ALONE),
    when(|a| a.is(Fsdp), ON_FSDP),
    when(|a| a.is(Megatron), ON_MEGATRON),
    REFERENCE_TAKES_ITS_PLACE.or("The texts for SkyRL lay reference and policy out alike. Leave the reference's plan out."),
    must("plan.critic", |a| a.plan.critic.is_none_or(|own| own == *a.layout))
        .or("The texts for SkyRL lay critic and policy out alike. Leave the critic's plan out."),
    all(PASSES),
    all(SCHEDULE),
    all(ALGORITHM),
    RESPONSES_HAVE_POSITIONS,
    HAS_ENGINE,
    all(GENERATION),
    when(|a| a.shape.vision.is_some(), SEES),
    NO_TEACHER,
];

/// Models with a vision tower: backends/skyrl_train/workers/model_wrapper.py, lines 256 to 325.
static SEES: &[Rule] = &[
    // It hands them `pixel_values` and `image_grid_thw`, and finds images by `image_token_id`.
    must("model", |a| {
        a.shape.vision.is_none_or(|own| matches!(own.kind, VisionKind::Qwen25Vl | VisionKind::Qwen3Vl))
    })
    .or("SkyRL hands images to models in the form of Qwen2.5-VL, Qwen3-VL and Qwen3.5. Choose one of these, or take LLaMA-Factory's flags."),
    must("workload.packing", |a| !a.workload.packing)
        .or("SkyRL pads the sequences of a model that has a vision tower. Set packing to false, and give micro_batch."),
    must("plan.ulysses_parallel", |a| a.ulysses == 1)
        .or("SkyRL splits no sequences of a model that has a vision tower. Set ulysses_parallel to 1."),
    // backends/skyrl_train/workers/worker.py: only policy and reference are handed `pixel_values`.
    must("workload.kind", |a| a.workload.kind != Ppo)
        .or("SkyRL hands its critic no images. Choose grpo, or take veRL's flags."),
    must("workload.images.vision_tower", |a| {
        let images = a.workload.images.as_ref().filter(|_| a.workload.full_parameter());
        images.is_none_or(|own| own.tower == VisionTower::Trained)
    })
    .or("SkyRL trains all of the vision tower. Set it to trained, or take LLaMA-Factory's flags."),
    must("workload.images.max_pixels", |a| a.workload.images.is_none_or(|own| own.max_pixels.is_none()))
        .or("No key of the texts for SkyRL scales images down. Leave it out, and give the size that they have."),
    // train/utils/trainer_utils.py, `filter_generator_output`: it keeps tokens and rewards, and no `pixel_values`.
    must("workload.rl.oversampling", |a| {
        a.workload.images.is_none() || a.rl.is_none_or(|rl| rl.oversampling <= 1.0)
    })
    .or("SkyRL loses the images of a step whose prompts it filters. Set it to 1."),
];

/// backends/skyrl_train/workers/fsdp.
static ON_FSDP: &[Rule] = &[
    all(FSDP),
    FSDP2_SHARDS,
    divides("plan.shard_group", |a| (a.group, a.gpus)).or("{gpus} GPUs are no multiple of a shard group of {group}."),
    WHOLE_LAYERS.or(
        "SkyRL's FSDP recomputes whole layers or nothing. Set recompute to full or none, or the backend to megatron.",
    ),
    USUAL_KERNEL.or("SkyRL's FSDP attends by FlashAttention-2. Leave it out."),
    // backends/skyrl_train/workers/model_wrapper.py, line 466.
    must("plan.ulysses_parallel", |a| a.ulysses == 1 || a.workload.packing)
        .or("SkyRL splits only packed sequences over GPUs. Set packing to true, or ulysses_parallel to 1."),
    // train/config/config.py, line 1043.
    must("plan.fused_lm_head", |a| !a.layout.fused_lm_head)
        .or("SkyRL fuses the LM head with Megatron alone. Set it to false, or the backend to megatron."),
    // backends/skyrl_train/workers/model_wrapper.py, lines 135 to 158: `bf16` is false for a policy that trains.
    must("plan.master_weights_bytes", |a| a.workload.full_parameter() || a.layout.master_weights_bytes > 3.0)
        .or("SkyRL's FSDP loads the base of adapters in fp32. Set master_weights_bytes to 4."),
    must("plan.optimizer_offload_fraction", |a| a.layout.optimizer_offload_fraction == 0.0)
        .or("SkyRL steps a share of the optimizer in host memory with Megatron alone. Leave it out."),
];

/// backends/skyrl_train/workers/megatron, and train/utils/utils.py, `validate_megatron_cfg`.
static ON_MEGATRON: &[Rule] = &[
    must("plan.backend", |a| a.workload.kind != Ppo)
        .or("SkyRL's Megatron trains no critic. Set the backend to fsdp, or take veRL's flags."),
    all(MEGATRON),
    NO_GRAPHS.or("The texts for SkyRL leave CUDA graphs off. Leave it out."),
    // `TransformerConfig` of megatron-core.
    must("plan.expert_tensor_parallel", |a| a.etp == 1 || !a.shape.expert_bias)
        .or("Megatron splits no experts that have biases. Set it to 1."),
    must("plan.tensor_parallel", |a| a.deals_keys(a.tp))
        .or("Neither of {kv} key and value heads and {tp} divides the other."),
    // backends/skyrl_train/distributed/megatron/megatron_strategy.py, line 167: `initialize_model_parallel` gets no
    // `virtual_pipeline_model_parallel_size`, without which the schedule is the plain one, and refuses chunks.
    must("plan.virtual_pipeline", |a| a.layout.virtual_pipeline <= 1)
        .or("SkyRL 0.3.0 starts Megatron without model chunks, and no key of it adds them. Set virtual_pipeline to 1."),
    // backends/skyrl_train/workers/megatron/megatron_worker.py, line 470.
    must("plan.sequence_parallel", |a| a.tp == 1 || a.layout.sequence_parallel)
        .or("SkyRL always splits norms with the matrices. Set it to true."),
    // The same, line 610.
    must("plan.zero_stage", |a| a.layout.zero_stage == 1).or("SkyRL always shards the optimizer. Set zero_stage to 1."),
    must("plan.overlap.tensor_parallel", |a| !a.layout.overlap.tensor_parallel)
        .or("SkyRL sets up no overlap of tensor-parallel communication. Set it to false."),
    must("plan.overlap_moe_expert_parallel_comm", |a| !a.layout.switches.overlap_moe_expert_parallel_comm)
        .or("SkyRL hands Megatron no schedule plan, without which the experts' exchanges wait. Leave it out."),
    // train/utils/utils.py, line 209.
    must("workload.packing", |a| a.cp == 1 || a.workload.packing)
        .or("SkyRL splits only packed sequences over GPUs. Set packing to true, or context_parallel to 1."),
    must("plan.optimizer_offload_fraction", |a| {
        a.layout.optimizer_offload_fraction == 0.0 || !a.layout.offload.optimizer
    })
    .or(
        "An optimizer that steps in host memory is there already. Leave optimizer_offload_fraction or the offload out.",
    ),
];

/// What one pass takes: train/utils/utils.py, `validate_batch_sizes`; backends/skyrl_train/workers/worker_utils.py.
static PASSES: &[Rule] = &[
    divides("workload.rl.mini_batch", |a| (a.mini, a.samples))
        .or("{whole} samples of a step are no multiple of an update's {part}."),
    MINI_BATCH_IS_SHARED,
    FORWARD_COUNTS_ALIKE,
    when(
        |a| a.counts_tokens(),
        &[
            BUDGET_HOLDS_THE_LONGEST,
            BUDGET_IS_PACKED,
            must("plan.forward_max_tokens_per_gpu", |a| a.layout.forward.is_none_or(|own| own == a.layout.micro_batch))
                .or("SkyRL has one budget for all passes. Leave it out."),
        ],
    ),
    when(
        |a| !a.counts_tokens(),
        &[
            MINI_BATCH_IS_WHOLE_PASSES,
            divides("plan.forward_micro_batch", |a| match a.layout.forward {
                Some(MicroBatch::Sequences(own)) => (own, a.mini / a.ranks.max(1)),
                _ => (1, 1),
            })
            .or(OF_A_RANK),
        ],
    ),
];

static ALGORITHM: &[Rule] = &[
    // train/trainer.py, `build_models`: workers of policy, critic and reference, and no others.
    NO_REWARD_MODEL.or("SkyRL 0.3.0 has no workers for a reward model: its environments score. Leave it out, or take veRL's or OpenRLHF's flags."),
    // train/generators/skyrl_gym_generator.py, `generate`: a task for each response, all of them at once.
    OWN_PACE.or("SkyRL's agents go on at their own pace. Set asynchronous to true, or leave it out."),
    learning("workload.rl.agent.environments", |rl| rl.agent.is_none_or(|agent| agent.environments.is_none()))
        .or("SkyRL gives each response an environment of its own, all at once. Leave it out."),
    BALANCED.or("SkyRL has no switch for how samples are shared out. Leave it out."),
    ALL_AT_ONCE.or("SkyRL samples a step's prompts at once. Leave gen_batch_size out."),
    ONLY_PPO_HAS_A_CRITIC,
    // train/trainer.py, `_skip_policy_forward`.
    must("workload.rl.old_log_prob", |a| a.rl.is_none_or(|rl| rl.old_log_prob || is_plain(a.workload.kind)))
        .or("SkyRL leaves the old log-probabilities out only where a token's ratio has no clip of its own. Set it to true, or choose grpo."),
    must("workload.rl.old_log_prob", |a| a.rl.is_none_or(|rl| rl.old_log_prob || !penalizes_reward(a.workload)))
        .or("A penalty in the reward is computed from the old log-probabilities. Set it to true, or reference to false."),
    must("workload.rl.old_log_prob", |a| {
        a.schedule() != FullyAsync || a.rl.is_none_or(|rl| !rl.old_log_prob) || penalizes_reward(a.workload)
    })
    .or("Where generation runs on, SkyRL holds new probabilities against the engine's own. Set it to false."),
];

static SCHEDULE: &[Rule] = &[
    // train/trainer.py, line 756: beside policy and reference, a critic would get GPUs of its own.
    learning("workload.rl.critic", |rl| rl.critic.is_none() || rl.schedule == Colocated)
        .or("With engines apart, SkyRL puts the critic on further GPUs. Choose the schedule colocated."),
    when(
        |a| a.schedule() == FullyAsync,
        &[
            // train/fully_async_trainer.py, lines 362 to 378.
            must("workload.rl.schedule", |a| is_plain(a.workload.kind))
                .or("Where generation runs on, SkyRL has no such loss. Choose grpo, or the schedule one_step_off."),
            learning("workload.rl.mini_batch", |rl| rl.mini_batch == rl.prompts_per_step)
                .or("Where generation runs on, a step of SkyRL is one update. Set mini_batch to prompts_per_step."),
            learning("workload.rl.oversampling", |rl| rl.oversampling <= 1.0)
                .or("Where generation runs on, the texts for SkyRL drop no prompts. Set it to 1, or choose one_step_off."),
            STALENESS_IN_VERSIONS,
            learning("workload.rl.partial_rollout", |rl| rl.partial_rollout)
                .or("SkyRL's new weights wait for no response. Set it to true."),
        ],
    ),
    when(
        |a| a.schedule() != Colocated,
        &[
            WHOLE_POOLS,
            must("plan.offload", |a| !moves_any(a))
                .or("SkyRL moves what trains only where it shares its GPUs with generation. Leave the offload out."),
        ],
    ),
    // backends/skyrl_train/workers/worker_dispatch.py.
    must("plan.offload", |a| {
        let own = a.layout.offload;
        let stepped = own.optimizer || a.layout.optimizer_offload_fraction > 0.0;
        a.schedule() != Colocated || (own.parameters && own.gradients && stepped)
    })
    .or("SkyRL moves weights, gradients and optimizer to host memory while its engines generate on the same GPUs. Offload all of them."),
];

fn moves_any(a: &Asked) -> bool {
    let own = a.layout.offload;
    own.parameters || own.gradients || own.optimizer
}

/// train/utils/utils.py, `validate_inference_engine_cfg`.
static GENERATION: &[Rule] = &[
    all(ENGINE),
    VLLM.or("SkyRL generates with vLLM. Set the engine to vllm."),
    engine("plan.rollout.expert_parallel", |own| {
        own.expert_parallel == own.gpus() || (own.expert_parallel == 1 && own.data_parallel == 1)
    })
    .or("An engine's experts are shared by all its GPUs. Set expert_parallel to their number, or to 1 where data_parallel is."),
    must("plan.rollout.free_cache", |a| a.schedule() != Colocated || a.rollout.is_none_or(|own| own.free_cache))
        .or("SkyRL's engines give their memory back while it trains. Set it to true."),
    // docs/content/docs/examples/quantized_rollouts.mdx: vLLM's own quantization, of each weight update anew.
    engine("plan.rollout.precision", |own| matches!(own.precision, Bf16 | Fp8))
        .or("The texts for SkyRL load engines in bf16 or fp8. Choose one of these."),
    // train/config/config.py, line 1205.
    must("plan.rollout.enforce_eager", |a| {
        a.is(Megatron) || a.workload.full_parameter() || a.rollout.is_none_or(|own| !own.enforce_eager)
    })
    .or("SkyRL turns CUDA graphs on where its engines take adapters. Set it to false."),
];
