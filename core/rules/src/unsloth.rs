//! Unsloth 2026.10.9, with `unsloth_zoo` of that version: what these texts for it do not set up, and what it would run otherwise
//! than planned.

use super::optimizer;
use super::rule::{
    CP, EP, ETP, PP, Rule, TP, ULYSSES, all, backends, divides, engine, learning, must, no_kind, ones, when,
};
use super::shared::{
    ALL_AT_ONCE, CHUNKED, DDP_SHARDS_NOTHING, ENGINE, FLASH, FORWARD_IS_USUAL, HALF, KTO_MISMATCHES, NO_AGENT,
    NO_IMAGES, NO_OVERSAMPLING, NO_REWARD_MODEL, NO_TEACHER, PREFERENCES_ARE_PADDED, REFERENCE_FOLLOWS,
    RESPONSES_ARE_COUNTED, RESPONSES_HAVE_POSITIONS, TEXT_HAS_POSITIONS, TRAINS, USUAL_KERNEL, VLLM, WHOLE_LAYERS,
    WHOLE_NODES, WHOLE_PASSES,
};
use shardwise_question::framework::{UNSLOTH, pads_responses};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::wire::Backend::Ddp;
use shardwise_question::wire::Precision::{Bf16, Fp16};
use shardwise_question::wire::Schedule::Colocated;
use shardwise_question::wire::WorkloadKind::{
    Distill, Gmpo, Orpo, Ppo, Pretrain, Prime, ReinforcePlusPlus, Remax, RewardModel, Rloo, Simpo,
};

/// What sets the sequences of a pass side by side unless it is 0 (`unsloth_zoo/rl_replacements.py:3203`).
pub const PACKS: &str = "UNSLOTH_GRPO_SEQ_PACKING";

/// Tokens below which `"unsloth"` keeps the inputs of layers on the GPU (`unsloth/models/_utils.py:506`).
pub const SHORTEST_MOVED: u64 = 512;

/// The largest rank of adapters that vLLM serves (`unsloth_zoo/vllm_utils.py:2744`).
const LARGEST_RANK: u64 = 512;

/// Whether weights that are all trained have 16 bits, and what steps them as well.
#[must_use]
pub fn narrow(layout: &Layout) -> bool {
    layout.master_weights_bytes < 3.0
}

/// What Unsloth refuses, or would run otherwise than planned.
pub(crate) static RULES: &[Rule] = &[
    no_kind(&[Ppo, Gmpo, Rloo, ReinforcePlusPlus, Remax, Prime, Distill])
        .or_only("The texts for Unsloth learn from rewards by TRL's GRPO trainer: grpo, dr_grpo, gspo, dapo and cispo. Choose one of these, or take veRL's flags."),
    TRAINS,
    no_kind(&[Pretrain]).or("The texts for Unsloth fine-tune. Take torchtitan's or Megatron-LM's flags, or the kind sft."),
    no_kind(&[Orpo, Simpo, RewardModel])
        .or("The texts for Unsloth learn from preferences by dpo, ipo and kto. Choose one of these, or take LLaMA-Factory's flags."),
    when(|a| a.workload.kind.preference().is_some(), PREFERENCES),
    when(|a| a.rl.is_some(), REINFORCEMENT),
    backends(&[Ddp])
        .or("The texts for Unsloth keep the whole model on each GPU. Set the backend to ddp{way}."),
    DDP_SHARDS_NOTHING,
    ones(&[TP, PP, CP, ULYSSES, EP, ETP]).or("The texts for Unsloth split no model and no sequence. Set {field} to 1."),
    WHOLE_NODES,
    HALF.or("Unsloth is laid out in bf16 or fp16 here. Choose one of these."),
    WHOLE_LAYERS.or("Unsloth recomputes whole layers or nothing. Set recompute to full or none."),
    FLASH.or("Unsloth attends by fused kernels. Set attention to flash."),
    // unsloth/models/llama.py:4048 takes the key away.
    USUAL_KERNEL.or("Unsloth takes the attention kernel that it finds installed. Leave attention_kernel out."),
    FORWARD_IS_USUAL,
    must("plan.offload", |a| {
        let offload = a.layout.offload;
        !(offload.parameters || offload.gradients || offload.optimizer)
    })
    .or("The texts for Unsloth keep weights, gradients and optimizer on the GPU. Offload activations alone, or choose paged_adamw_8bit."),
    must("plan.offload.activations", |a| !a.layout.offload.activations || a.layout.recompute == Recompute::Full)
        .or("Unsloth moves the inputs of layers that it recomputes. Set recompute to full."),
    must("plan.offload.activations", |a| {
        !a.layout.offload.activations || a.longest >= SHORTEST_MOVED
    })
    .or("Unsloth moves no inputs of fewer than 512 tokens to host memory. Set it to false."),
    // unsloth/models/vision.py:4043: float16's weights become float32.
    must("plan.master_weights_bytes", |a| {
        !a.workload.full_parameter() || a.workload.precision != Fp16 || !narrow(a.layout)
    })
    .or("Unsloth trains all weights in fp32 where products are in fp16. Choose bf16, or leave master_weights_bytes out."),
    all(optimizer::TRL),
    when(|a| a.rl.is_none(), &[TEXT_HAS_POSITIONS, WHOLE_PASSES]),
    NO_IMAGES,
    NO_TEACHER,
];

static PREFERENCES: &[Rule] = &[
    // Without adapters TRL loads the reference by Transformers' own code, in memory that Unsloth knows nothing of.
    must("workload.lora", |a| a.workload.lora.is_some())
        .or("The texts for Unsloth learn from preferences by adapters, whose base is the reference. Give lora, or take TRL's flags."),
    REFERENCE_FOLLOWS.or("Unsloth's reference is the base below the adapters. Leave its plan out."),
    PREFERENCES_ARE_PADDED.or("TRL pads preference data. Set packing to false."),
    KTO_MISMATCHES,
];

/// GRPO with the engine in the trainer's process (`unsloth_zoo/vllm_utils.py:4377` of 2026.10.9).
static REINFORCEMENT: &[Rule] = &[
    // unsloth/models/vision.py:4330: fast_inference with full_finetuning is refused.
    must("workload.lora", |a| a.workload.lora.is_some())
        .or("Unsloth's engine reads the weights that are trained, which are adapters on a frozen base. Give lora, or take TRL's flags."),
    // unsloth/models/vision.py:4372
    must("workload.lora.load_in_4bit", |a| !a.workload.quantized_base() || a.job.model.shape.num_experts == 0)
        .or("Unsloth's engine serves no adapters on experts in 4 bits. Set it to false."),
    // unsloth_zoo/vllm_utils.py:2744
    must("workload.lora.rank", |a| a.workload.lora.is_none_or(|own| own.rank <= LARGEST_RANK))
        .or("vLLM serves adapters of a rank of 512 at most. Lower it."),
    must("hardware.gpus", |a| a.job.hardware.gpus <= a.job.hardware.gpus_per_node)
        .or("The texts for Unsloth learn from rewards on one node. Set it to {node} or less, or take veRL's flags."),
    learning("workload.rl.schedule", |rl| rl.schedule == Colocated)
        .or("Unsloth generates on the GPUs that train, which wait for the responses. Set it to colocated."),
    RESPONSES_HAVE_POSITIONS,
    learning("workload.rl.responses_per_prompt", |rl| rl.responses_per_prompt > 1)
        .or("The responses of a prompt are compared. Give 2 or more."),
    learning("workload.rl.critic", |rl| rl.critic.is_none()).or("TRL's GRPO has no critic. Set it to null."),
    NO_REWARD_MODEL.or("The texts for Unsloth score by a rule of yours. Set reward_model to null, or take TRL's flags."),
    NO_OVERSAMPLING.or("TRL drops no prompts while it samples. Set oversampling to 1."),
    NO_AGENT.or("The texts for Unsloth call no tools: a program of yours does. Leave agent out, or take veRL's, OpenRLHF's or SkyRL's flags."),
    ALL_AT_ONCE.or("TRL generates a step's prompts at once. Leave gen_batch_size out."),
    learning("workload.rl.old_log_prob", |rl| {
        rl.old_log_prob || (rl.mini_batch == rl.prompts_per_step && rl.epochs == 1)
    })
    .or("Where a step has several updates, TRL computes old log-probabilities. Set it to true."),
    REFERENCE_FOLLOWS.or("Unsloth's reference is the base below the adapters. Leave its plan out."),
    RESPONSES_ARE_COUNTED
        .or("Unsloth has no budget of tokens where it learns from responses. Give micro_batch in place of max_tokens_per_gpu."),
    // unsloth_zoo/rl_replacements.py:3213 and 3345
    must("workload.packing", |a| {
        !a.workload.joins() || !pads_responses(Some(UNSLOTH.id), a.shape, a.longest)
    })
    .or("Unsloth pads responses where a model's windows are shorter than they, or its layers carry a state. Set packing to false, or leave it out."),
    divides("workload.rl.mini_batch", |a| (a.per_pass, a.mini))
        .or("{mini} sequences of a mini-batch are no multiple of {part}, one micro-batch on every rank."),
    when(|a| a.rollout.is_some(), GENERATION),
];

static GENERATION: &[Rule] = &[
    VLLM.or("Unsloth generates with vLLM. Set the engine to vllm."),
    engine("plan.rollout.precision", |own| matches!(own.precision, Bf16 | Fp16))
        .or("Unsloth's engine has the weights that are trained, in 16 bits. Choose bf16 or fp16."),
    // unsloth_zoo/vllm_utils.py:162: each rank has an engine of its own.
    engine("plan.rollout.tensor_parallel", |own| own.gpus() == 1)
        .or("Unsloth has an engine on each GPU. Set tensor_parallel and data_parallel to 1."),
    all(ENGINE),
    CHUNKED,
];
