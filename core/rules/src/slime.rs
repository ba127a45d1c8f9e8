//! slime 624b824: what its arguments assert, and what it would run otherwise than planned.

use super::optimizer;
use super::rule::{Rule, all, backends, divides, engine, learning, must, precisions, when};
use super::shared::{
    BUDGET_HOLDS_THE_LONGEST, CHUNKED, ENGINE, FLASH, FORWARD_COUNTS_ALIKE, FORWARD_HOLDS_THE_LONGEST, HAS_ENGINE,
    MEGATRON, MINI_BATCH_IS_SHARED, MINI_BATCH_IS_WHOLE_PASSES, NO_ADAPTERS, NO_AGENT, NO_GRAPHS, NO_IMAGES,
    NO_REWARD_MODEL, NO_TEACHER, REFERENCE_TAKES_ITS_PLACE, WHOLE_NODES, WHOLE_POOLS, positions,
};
use shardwise_question::plan::MicroBatch;
use shardwise_question::wire::Backend::Megatron;
use shardwise_question::wire::Engine::Sglang;
use shardwise_question::wire::Precision::Bf16;
use shardwise_question::wire::Schedule::{Colocated, FullyAsync};
use shardwise_question::wire::WorkloadKind::{Cispo, Dapo, Grpo, Gspo, ReinforcePlusPlus};

/// The models that slime has arguments for, by the catalog's ids, and the file of `scripts/models` with them
/// (<https://github.com/THUDM/slime/tree/624b824a898ab0ec1fcb4d373004c7f3852bf515/scripts/models>). Its own layers, which others
/// of its files name (`--spec`), are not among them.
const MODELS: &[(&str, &str)] = &[
    ("qwen3-0.6b", "qwen3-0.6B"),
    ("qwen3-1.7b", "qwen3-1.7B"),
    ("qwen3-4b", "qwen3-4B"),
    ("qwen3-8b", "qwen3-8B"),
    ("qwen3-14b", "qwen3-14B"),
    ("qwen3-32b", "qwen3-32B"),
    ("qwen3-30b-a3b", "qwen3-30B-A3B"),
    ("qwen3-235b-a22b", "qwen3-235B-A22B"),
    ("qwen2.5-0.5b", "qwen2.5-0.5B"),
    ("qwen2.5-1.5b", "qwen2.5-1.5B"),
    ("qwen2.5-3b", "qwen2.5-3B"),
    ("qwen2.5-7b", "qwen2.5-7B"),
    ("qwen2.5-32b", "qwen2.5-32B"),
    ("llama-3.1-8b", "llama3.1-8B-Instruct"),
    ("llama-3.2-3b", "llama3.2-3B-Instruct"),
    ("glm-4.5-air", "glm4.5-106B-A12B"),
    ("glm-4.5", "glm4.5-355B-A32B"),
    ("glm-4.7-flash", "glm4.7-30B-A3B"),
    ("moonlight-16b-a3b", "moonlight"),
    ("deepseek-v3", "deepseek-v3"),
    ("deepseek-r1", "deepseek-v3"),
    ("kimi-k2", "kimi-k2"),
    ("mimo-7b", "mimo-7B-rl"),
];

/// slime's file with the arguments of a model of the catalog, where it has one.
pub fn model_file(id: &str) -> Option<&'static str> {
    MODELS.iter().find(|(own, _)| *own == id).map(|(_, file)| *file)
}

/// What slime refuses, or would run otherwise than planned.
pub(crate) static RULES: &[Rule] = &[
    must("workload.kind", |a| {
        a.rl.is_some() && matches!(a.workload.kind, Grpo | Gspo | Dapo | Cispo | ReinforcePlusPlus)
    })
    .or_only("These texts for slime are of grpo, dapo, gspo, cispo and reinforce_plus_plus. Choose one of them, or another framework."),
    must("model", |a| model_file(&a.job.model.id).is_some())
        .or_only("slime has no scripts/models file for this model that names plain layers. Choose a model of Qwen2.5, Qwen3, Llama 3, GLM-4.5, DeepSeek-V3 or Kimi K2, or another framework."),
    backends(&[Megatron]).or("slime trains with Megatron. Set the backend to megatron{way}."),
    WHOLE_NODES,
    NO_ADAPTERS.or("slime trains every weight. Leave lora out, or take veRL's flags."),
    precisions(&[Bf16]).or("The texts for slime train in bf16. Choose it."),
    learning("workload.rl.schedule", |rl| rl.schedule != FullyAsync)
        .or("slime's train.py and train_async.py wait for a step's responses. Choose colocated, split or one_step_off."),
    NO_REWARD_MODEL.or("slime's texts score by a rule. Leave the reward model out, or take veRL's flags."),
    learning("workload.rl.epochs", |rl| rl.epochs == 1).or("slime passes once over the samples of a step. Set it to 1."),
    NO_AGENT.or("The texts for slime set up no agents. Leave agent out, or take veRL's, OpenRLHF's or SkyRL's flags."),
    learning("workload.rl.gen_batch_size", |rl| rl.gen_batch_size >= rl.prompts_per_step)
        .or("slime samples at least a step's prompts at a time. Set it to prompts_per_step or more."),
    Rule::Odd(|a, broken| positions(a, "workload.rl.max_response_length", false, broken)),
    FLASH.or("slime attends by fused kernels. Set attention to flash."),
    all(optimizer::ADAMW_ALONE),
    all(MEGATRON),
    NO_GRAPHS.or("The texts for slime leave CUDA graphs off. Leave it out."),
    must("plan.tensor_parallel", |a| a.deals_keys(a.tp))
        .or("Neither of {kv} key and value heads and {tp} divides the other."),
    // backends/megatron_utils/arguments.py, _set_default_megatron_args.
    must("plan.zero_stage", |a| a.layout.zero_stage == 1)
        .or("slime always shards the optimizer. Set zero_stage to 1."),
    must("plan.apply_rope_fusion", |a| a.layout.switches.apply_rope_fusion)
        .or("The texts for {name} keep the fused kernel for rotary positions. Leave it out."),
    must("plan.overlap.parameters", |a| !a.layout.overlap.parameters || a.layout.overlap.gradients)
        .or("Parameters are gathered beside computation only where gradients are reduced so too. Set both."),
    must("plan.overlap.tensor_parallel", |a| !a.layout.overlap.tensor_parallel)
        .or("slime sets up no overlap of tensor-parallel communication. Set it to false."),
    // slime/utils/arguments.py, slime_validate_args: what is colocated makes room, all of it.
    must("plan.offload", |a| {
        let offload = a.layout.offload;
        let together = offload.parameters == offload.optimizer && offload.gradients == offload.optimizer;
        together && (a.schedule() == Colocated || !offload.optimizer)
    })
    .or("slime moves weights, gradients and optimizer together, and only where training and generation share GPUs. Offload all of them, or none."),
    must("plan.optimizer_offload_fraction", |a| a.layout.optimizer_offload_fraction == 0.0 || !a.layout.offload.optimizer)
        .or("An optimizer that steps in host memory is there already. Leave optimizer_offload_fraction or the offload out."),
    REFERENCE_TAKES_ITS_PLACE.or("slime lays reference and policy out alike. Leave the reference's plan out."),
    FORWARD_COUNTS_ALIKE,
    // backends/megatron_utils/arguments.py: `variable_seq_lengths`, whatever a pass takes.
    must("workload.packing", |a| a.workload.packing)
        .or("slime lays the sequences of a pass side by side. Set packing to true."),
    must("plan.forward_micro_batch", |a| {
        !matches!(a.layout.forward, Some(MicroBatch::Sequences(own)) if own != a.micro)
    })
    .or("slime has one micro-batch for all passes. Leave it out, or give token budgets."),
    // backends/megatron_utils/data.py: each rank has as many samples of an update.
    divides("workload.rl.mini_batch", |a| (a.mini, a.samples))
        .or("{whole} samples of a step are no multiple of an update's {part}."),
    MINI_BATCH_IS_SHARED,
    BUDGET_HOLDS_THE_LONGEST,
    FORWARD_HOLDS_THE_LONGEST,
    when(|a| !a.counts_tokens(), &[MINI_BATCH_IS_WHOLE_PASSES]),
    when(|a| a.schedule() != Colocated, &[WHOLE_POOLS]),
    HAS_ENGINE,
    all(GENERATION),
    NO_IMAGES,
    NO_TEACHER,
];

static GENERATION: &[Rule] = &[
    all(ENGINE),
    engine("plan.rollout.engine", |own| own.engine == Sglang)
        .or("slime generates with SGLang. Set the engine to sglang."),
    engine("plan.rollout.expert_parallel", |own| own.expert_parallel == 1 || own.expert_parallel == own.gpus())
        .or("An engine's experts are shared by all its GPUs. Set expert_parallel to their number, or to 1."),
    must("plan.rollout.free_cache", |a| a.schedule() != Colocated || a.rollout.is_none_or(|own| own.free_cache))
        .or("slime's engines give their memory back while it trains. Set it to true."),
    CHUNKED,
];
