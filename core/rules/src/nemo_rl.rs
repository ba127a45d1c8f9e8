//! NeMo-RL 7ea279a: what its programs and workers assert, and what they would run otherwise than planned.
//! <https://github.com/NVIDIA-NeMo/RL/tree/7ea279abfbeb698b092856d0dab61e7cf39bc909/nemo_rl>; lines are of that commit.

use super::asked::Asked;
use super::optimizer;
use super::positions::{TRAINED, chat_in_place};
use super::rule::{EP, PP, Rule, all, backends, divides, engine, learning, must, ones, precisions, when};
use super::shared::{
    ACTIVATIONS_STAY, BALANCED, BUDGET_HOLDS_THE_LONGEST, CHUNKED, ENGINE, FLASH, FORWARD_COUNTS_ALIKE,
    FORWARD_HOLDS_THE_LONGEST, HAS_ENGINE, HEADS_BY_TP, KEYS_BY_TP, MEGATRON, MINI_BATCH_IS_SHARED,
    MINI_BATCH_IS_WHOLE_PASSES, MOVED_TOGETHER, NO_AGENT, NO_GRAPHS, NO_IMAGES, NO_REWARD_MODEL, NO_TEACHER,
    NO_ULYSSES, OF_A_RANK, PREFERENCES_ARE_PADDED, REFERENCE_IN_STEPS, REFERENCE_TAKES_ITS_PLACE,
    STALENESS_IN_VERSIONS, TRANSFORMER_ENGINE, USUAL_KERNEL, VLLM, WHOLE_LAYERS, WHOLE_NODES, WHOLE_POOLS, positions,
};
use shardwise_question::plan::{Layout, MicroBatch};
use shardwise_question::wire::Backend::{Fsdp, Megatron};
use shardwise_question::wire::KvCacheDtype;
use shardwise_question::wire::Precision::{Bf16, Fp8};
use shardwise_question::wire::Schedule::{Colocated, FullyAsync, OneStepOff};
use shardwise_question::wire::WorkloadKind::{Cispo, Dapo, Dpo, Grpo, Gspo, Lora, ReinforcePlusPlus, Rloo, Sft};

/// Tokens to a multiple of which batches of like lengths are padded (`dynamic_batching.sequence_length_round` of its
/// configurations).
const ROUND: u64 = 64;

/// Families that Megatron-Bridge converts and whose texts are checked with it, by Hugging Face's `model_type`
/// (`models/*_bridge.py` of its 0.6.2). Gemma's activation has no fused kernel with its bias, which NeMo-RL's configurations ask
/// for, and linear attention takes no packs.
pub(crate) const BRIDGED: &[&str] =
    &["llama", "mistral", "qwen2", "qwen3", "qwen3_moe", "glm4_moe", "gpt_oss", "deepseek_v2", "deepseek_v3", "olmoe"];

const BRIDGES: Rule = must("model", |a| a.model_type().is_some_and(|own| BRIDGED.contains(&own)))
    .or("NeMo-RL's Megatron takes Llama, Mistral, Qwen2, Qwen3, GLM-4.5, gpt-oss, DeepSeek-V2, DeepSeek-V3 and OLMoE here. Choose one of them, or set the backend to fsdp.");

/// What a sequence is padded to a multiple of, so that it can be split (`models/megatron/data.py`, line 1290).
pub fn multiple(layout: &Layout) -> u64 {
    let (tp, cp) = (u64::from(layout.tensor_parallel), u64::from(layout.context_parallel));
    if cp > 1 { tp * cp * 2 } else { tp }
}

/// Whether sequences are laid side by side.
fn packs(a: &Asked) -> bool {
    a.workload.packing && a.workload.kind != Dpo
}

/// Whether a pass takes so many sequences, each padded.
fn pads(a: &Asked) -> bool {
    a.workload.kind == Dpo || !(a.workload.packing || a.counts_tokens())
}

/// What NeMo-RL refuses, or would run otherwise than planned.
pub(crate) static RULES: &[Rule] = &[
    must("workload.kind", |a| match a.workload.kind {
        Grpo | Dapo | Gspo | Cispo | Rloo | ReinforcePlusPlus => a.rl.is_some(),
        Sft | Lora | Dpo => true,
        _ => false,
    })
    .or_only("These texts for NeMo-RL are of grpo, dapo, gspo, cispo, rloo, reinforce_plus_plus, sft, lora and dpo. Choose one of them, or another framework."),
    backends(&[Fsdp, Megatron])
        .or("NeMo-RL trains with FSDP or Megatron. Set the backend to fsdp or megatron{way}."),
    when(|a| a.is(Megatron), &[BRIDGES]),
    // pyproject.toml: its packages are built for CUDA alone.
    must("hardware.gpu", |a| matches!(a.job.hardware.vendor(), None | Some("nvidia")))
        .or("NeMo-RL runs on NVIDIA's GPUs alone. Choose one of them, or take veRL's flags."),
    WHOLE_NODES,
    FLASH.or("The texts for NeMo-RL attend by fused kernels. Set attention to flash."),
    ACTIVATIONS_STAY.or("NeMo-RL keeps activations on the GPU. Use recompute instead."),
    all(optimizer::ADAMW_ALONE),
    when(|a| a.is(Fsdp), DTENSOR),
    when(|a| a.is(Megatron), ON_MEGATRON),
    REFERENCE_TAKES_ITS_PLACE.or("NeMo-RL lays reference and policy out alike. Leave the reference's plan out."),
    all(PASSES),
    must("workload.lora.load_in_4bit", |a| !a.workload.quantized_base())
        .or("NeMo-RL holds the base in 16 bits. Leave it out, or take TRL's or Unsloth's flags."),
    when(|a| a.rl.is_some(), REINFORCEMENT),
    when(|a| a.rl.is_none(), FINE_TUNING),
    NO_IMAGES,
    NO_TEACHER,
];

/// models/automodel/setup.py.
static DTENSOR: &[Rule] = &[
    ones(&[PP, EP]).or("The texts for NeMo-RL have no {words} under FSDP. Set it to 1, or the backend to megatron."),
    NO_ULYSSES
        .or("NeMo-RL splits sequences by context parallelism. Set ulysses_parallel to 1 and use context_parallel."),
    divides("plan.tensor_parallel", |a| (a.tp * a.cp, a.gpus)).or("{gpus} GPUs are no multiple of TP {tp} × CP {cp}."),
    HEADS_BY_TP,
    KEYS_BY_TP,
    // Line 384.
    must("plan.context_parallel", |a| a.cp == 1 || !packs(a))
        .or("NeMo-RL's FSDP splits no packed sequences. Set packing to false, context_parallel to 1, or the backend to megatron."),
    // Line 635.
    must("plan.sequence_parallel", |a| a.cp == 1 || a.tp == 1 || !a.layout.sequence_parallel)
        .or("NeMo-RL's FSDP has no sequence parallelism beside context parallelism. Set it to false."),
    // Line 628.
    must("plan.context_parallel", |a| a.cp == 1 || !a.job.model.id.starts_with("gemma-3"))
        .or("NeMo-RL's FSDP splits no sequence of Gemma 3. Set it to 1, or the backend to megatron."),
    must("plan.zero_stage", |a| a.layout.zero_stage == 3)
        .or("NeMo-RL's FSDP shards weights, gradients and optimizer. Set zero_stage to 3."),
    must("plan.shard_group", |a| a.group == a.ranks * a.cp)
        .or("The texts for NeMo-RL shard over every GPU that splits no matrix. Leave shard_group out."),
    WHOLE_LAYERS.or(
        "NeMo-RL's FSDP recomputes whole layers or nothing. Set recompute to full or none, or the backend to megatron.",
    ),
    USUAL_KERNEL.or("NeMo-RL's FSDP chooses the attention kernel itself. Leave it out."),
    precisions(&[Bf16]).or("The texts for NeMo-RL's FSDP train in bf16. Choose it, or fp8 with the backend megatron."),
    when(
        |a| a.rl.is_none(),
        &[
            MOVED_TOGETHER.or("FSDP keeps weights, gradients and optimizer in host memory together. Offload all three, or none."),
            // Line 500.
            must("plan.offload", |a| a.gpus > 1 || !a.layout.offload.optimizer)
                .or("NeMo-RL's FSDP offloads only on more than one GPU. Leave the offload out."),
        ],
    ),
];

/// models/megatron/setup.py.
static ON_MEGATRON: &[Rule] = &[
    all(MEGATRON),
    NO_GRAPHS.or("The texts for NeMo-RL leave CUDA graphs off. Leave it out."),
    all(TRANSFORMER_ENGINE),
    // `TransformerConfig` of megatron-core.
    must("plan.expert_tensor_parallel", |a| a.etp == 1 || !a.shape.expert_bias)
        .or("Megatron splits no experts that have biases. Set it to 1."),
    must("plan.tensor_parallel", |a| a.deals_keys(a.tp))
        .or("Neither of {kv} key and value heads and {tp} divides the other."),
    must("plan.virtual_pipeline", |a| a.layout.virtual_pipeline <= 1)
        .or("NeMo-RL's configurations have no model chunks. Set virtual_pipeline to 1."),
    must("plan.zero_stage", |a| a.layout.zero_stage == 1)
        .or("The texts for NeMo-RL shard the optimizer. Set zero_stage to 1."),
    must("plan.overlap.parameters", |a| !a.layout.overlap.parameters || a.layout.overlap.gradients)
        .or("Parameters are gathered beside computation only where gradients are reduced so too. Set both."),
    must("plan.overlap.tensor_parallel", |a| !a.layout.overlap.tensor_parallel)
        .or("NeMo-RL sets up no overlap of tensor-parallel communication. Set it to false."),
    must("plan.overlap_moe_expert_parallel_comm", |a| !a.layout.switches.overlap_moe_expert_parallel_comm)
        .or("NeMo-RL hands Megatron no schedule plan, without which the experts' exchanges wait. Leave it out."),
    // Line 1074: uniform, layer by layer.
    must("plan.recompute", |a| a.layout.recompute_layers.is_none())
        .or("NeMo-RL recomputes every layer, or chosen modules. Leave num_layers out."),
    // Line 875.
    must("workload.packing", |a| a.cp == 1 || packs(a))
        .or("NeMo-RL's Megatron splits only packed sequences. Set packing to true or context_parallel to 1."),
    // models/policy/lm_policy.py, line 312.
    must("plan.max_tokens_per_gpu", |a| a.pp == 1 || packs(a) || !a.counts_tokens())
        .or("NeMo-RL batches by length only without a pipeline. Give micro_batch, set packing to true, or pipeline_parallel to 1."),
    precisions(&[Bf16, Fp8]).or("The texts for NeMo-RL train in bf16 or fp8. Choose one of these."),
    when(
        |a| a.workload.precision == Fp8,
        &[
            must("workload.precision", |a| a.has(9.0))
                .or("NeMo-RL scales fp8 block by block, which takes Hopper or newer. Choose bf16."),
            must("workload.packing", packs)
                .or("The texts for NeMo-RL train in fp8 only on packed sequences. Set packing to true."),
        ],
    ),
    must("plan.offload", |a| a.rl.is_some() || !moves_any(a))
        .or("NeMo-RL's Megatron steps a share of the optimizer in host memory, and moves nothing else. Set optimizer_offload_fraction in its place."),
    must("plan.optimizer_offload_fraction", |a| a.layout.optimizer_offload_fraction == 0.0 || !a.layout.offload.optimizer)
        .or("An optimizer that steps in host memory is there already. Leave optimizer_offload_fraction or the offload out."),
];

fn moves_any(a: &Asked) -> bool {
    let own = a.layout.offload;
    own.parameters || own.gradients || own.optimizer
}

/// What one pass takes: models/policy/lm_policy.py, distributed/batched_data_dict.py.
static PASSES: &[Rule] = &[
    when(
        |a| !pads(a),
        &[
            BUDGET_HOLDS_THE_LONGEST,
            FORWARD_HOLDS_THE_LONGEST,
            // batched_data_dict.py, line 815; models/policy/lm_policy.py, line 342.
            must("plan.max_tokens_per_gpu", |a| holds_padded(a, a.layout.micro_batch))
                .or("A sequence is padded before it is counted, and then overflows this. Raise it by 64."),
        ],
    ),
    when(
        |a| pads(a) && a.rl.is_some(),
        &[
            // models/policy/lm_policy.py, line 206.
            must("plan.forward_micro_batch", |a| a.tp < 4 || a.layout.forward_pass() == a.layout.micro_batch)
                .or("With tensor parallelism of 4 or more NeMo-RL wants passes of one size. Set it to micro_batch."),
        ],
    ),
];

/// Whether a budget holds the longest sequence as it is padded.
fn holds_padded(a: &Asked, budget: MicroBatch) -> bool {
    let MicroBatch::Tokens(tokens) = budget else {
        return true;
    };
    let to = if packs(a) { multiple(a.layout) } else { ROUND };
    let (held, longest) = (tokens.saturating_mul(a.layout.sequence_split().into()), a.longest);
    held < longest || held >= longest.next_multiple_of(to.max(1))
}

static FINE_TUNING: &[Rule] = &[
    Rule::Odd(|a, broken| positions(a, "workload.sequence_length", a.is(Megatron), broken)),
    PREFERENCES_ARE_PADDED.or("NeMo-RL pads pairs. Set packing to false."),
    REFERENCE_IN_STEPS.or("NeMo-RL evaluates the reference in each step. Set it to false."),
    divides("workload.global_batch", |a| (a.ranks, a.workload.global_batch))
        .or("{batch} sequences cannot be shared evenly by {ranks} data-parallel ranks."),
    when(pads, &[divides("plan.micro_batch", |a| (a.micro, a.workload.global_batch / a.ranks.max(1))).or(OF_A_RANK)]),
];

static REINFORCEMENT: &[Rule] = &[
    // models/automodel/setup.py, line 312: FSDP has no YaRN.
    Rule::Odd(|a, broken| positions(a, "workload.rl.max_response_length", a.is(Megatron), broken)),
    // The same: its own guide says so (docs/guides/yarn-long-context.md, line 7).
    must("workload.rl.max_response_length", |a| {
        a.is(Megatron) || a.longest <= TRAINED || !chat_in_place(&a.job.model.id)
    })
    .or("Beyond 32,768 tokens the chat model that prompts go through needs YaRN, which NeMo-RL's FSDP does not have. Shorten the sequences, or set the backend to megatron."),
    NO_REWARD_MODEL.or("The texts for NeMo-RL score by a rule. Leave the reward model out, or take veRL's flags."),
    learning("workload.rl.epochs", |rl| rl.epochs == 1).or("NeMo-RL passes once over the samples of a step. Set it to 1."),
    NO_AGENT.or("The texts for NeMo-RL set up no agents. Leave agent out, or take veRL's, OpenRLHF's or SkyRL's flags."),
    BALANCED.or("NeMo-RL has no switch for how samples are shared out. Leave it out."),
    all(SAMPLING),
    // algorithms/grpo.py, line 700; loss_functions.py refuses it beside CISPO.
    learning("workload.rl.old_log_prob", |rl| rl.old_log_prob || rl.mini_batch == rl.prompts_per_step)
        .or("NeMo-RL leaves the old log-probabilities out only where a step is one update. Set mini_batch to prompts_per_step, or it to true."),
    must("workload.rl.old_log_prob", |a| a.workload.kind != Cispo || a.rl.is_none_or(|rl| rl.old_log_prob))
        .or("CISPO weighs by the old log-probabilities. Set it to true."),
    FORWARD_COUNTS_ALIKE,
    // distributed/batched_data_dict.py, lines 537 and 541.
    divides("workload.rl.mini_batch", |a| (a.mini, a.samples))
        .or("{whole} samples of a step are no multiple of an update's {part}."),
    MINI_BATCH_IS_SHARED,
    when(
        pads,
        &[
            MINI_BATCH_IS_WHOLE_PASSES,
            // Line 1011.
            divides("plan.forward_micro_batch", |a| match a.layout.forward_pass() {
                MicroBatch::Sequences(own) => (own, a.samples / a.ranks.max(1)),
                MicroBatch::Tokens(_) => (1, 1),
            })
            .or(OF_A_RANK),
        ],
    ),
    STALENESS_IN_VERSIONS,
    learning("workload.rl.schedule", |rl| rl.schedule != OneStepOff)
        .or("NeMo-RL bounds how far generation runs ahead by versions. Choose fully_async with max_staleness 1, or split."),
    when(|a| a.schedule() != Colocated, &[
        WHOLE_POOLS,
        must("plan.offload", |a| !moves_any(a))
            .or("NeMo-RL moves what trains only where it shares its GPUs with generation. Leave the offload out."),
    ]),
    // `offload_before_refit` and `offload_after_refit` of both workers.
    must("plan.offload", |a| {
        let own = a.layout.offload;
        let stepped = own.optimizer || a.layout.optimizer_offload_fraction > 0.0;
        a.schedule() != Colocated || (own.parameters && own.gradients && stepped)
    })
    .or("NeMo-RL moves weights, gradients and optimizer to host memory while its engines generate on the same GPUs. Offload all of them."),
    HAS_ENGINE,
    all(GENERATION),
];

/// algorithms/grpo.py, line 566: dynamic sampling.
static SAMPLING: &[Rule] = &[
    learning("workload.rl.gen_batch_size", |rl| rl.oversampling > 1.0 || rl.gen_batch_size == rl.prompts_per_step)
        .or("NeMo-RL samples other than a step's prompts only where it drops some. Leave it out."),
    learning("workload.rl.gen_batch_size", |rl| {
        let (own, step) = (rl.gen_batch_size as f64, rl.prompts_per_step as f64);
        (step * (own / step)).floor() == own
    })
    .or("NeMo-RL samples a multiple of prompts_per_step, rounded down. Choose a whole one."),
    // examples/run_grpo.py, line 186.
    learning("workload.rl.oversampling", |rl| rl.oversampling <= 1.0 || rl.schedule != FullyAsync)
        .or("NeMo-RL drops no prompts where generation runs ahead. Set it to 1, or choose colocated or split."),
];

/// models/generation/vllm/vllm_generation.py and algorithms/grpo.py, line 1321.
static GENERATION: &[Rule] = &[
    all(ENGINE),
    VLLM.or("The texts for NeMo-RL generate with vLLM. Set the engine to vllm."),
    engine("plan.rollout.expert_parallel", |own| own.expert_parallel == own.gpus() || (own.expert_parallel == 1 && own.data_parallel == 1))
        .or("An engine's experts are shared by all its GPUs. Set expert_parallel to their number, or to 1 where data_parallel is."),
    must("plan.rollout.data_parallel", |a| a.schedule() != FullyAsync || a.rollout.is_none_or(|own| own.data_parallel == 1))
        .or("NeMo-RL's asynchronous engine has no copies of its attention. Set it to 1."),
    engine("plan.rollout.free_cache", |own| own.free_cache)
        .or("NeMo-RL's engines give their memory back while it trains. Set it to true."),
    CHUNKED,
    engine("plan.rollout.precision", |own| matches!(own.precision, Bf16 | Fp8))
        .or("NeMo-RL loads its engines in bf16 or fp8. Choose one of these."),
    when(
        |a| a.rollout.is_some_and(|own| own.kv_cache_dtype != KvCacheDtype::Auto),
        &[
            engine("plan.rollout.precision", |own| own.precision == Fp8)
                .or("NeMo-RL caches in fp8 only beside weights in fp8. Set it to fp8, or kv_cache_dtype to auto."),
            must("plan.rollout.kv_cache_dtype", |a| a.is(Megatron) && a.pp == 1 && a.schedule() != FullyAsync)
                .or("NeMo-RL caches in fp8 only with Megatron, without a pipeline, and where generation does not run ahead. Set it to auto."),
        ],
    ),
];
