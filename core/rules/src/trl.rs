//! TRL 1.16.0 on Accelerate 1.15.0: what their configurations, their trainers and the launcher refuse.

use super::asked::{Asked, nodes};
use super::rule::{CP, EP, PP, Rule, TP, ULYSSES, all, backends, divides, engine, learning, must, no_kind, ones, when};
use super::shared::{
    ALL_AT_ONCE, CACHE_IN_16_BITS, CHUNKED, ENGINE, FORWARD_IS_USUAL, FSDP2_SHARDS, HALF, HANDED_IN_16_BITS,
    HEADS_BY_ULYSSES, KTO_MISMATCHES, MOVED_TOGETHER, NO_AGENT, NO_OVERSAMPLING, NO_PROCESS_REWARD, NO_REWARD_MODEL,
    NO_ULYSSES, PLAIN_DATA_PARALLELISM, PREFERENCES_ARE_PADDED, REFERENCE_FOLLOWS, RESPONSES_ARE_COUNTED,
    RESPONSES_HAVE_POSITIONS, SINKS, TEXT_HAS_POSITIONS, TRAINS, TRANSFORMERS_KERNEL, VLLM, WHOLE_LAYERS, WHOLE_PASSES,
};
use super::{deepspeed, optimizer};
use shardwise_catalog::units::Bytes;
use shardwise_question::task::Algorithm;
use shardwise_question::wire::AttentionKernel as Kernel;
use shardwise_question::wire::Backend::{Ddp, Deepspeed, Fsdp};
use shardwise_question::wire::Precision::{Bf16, Fp16};
use shardwise_question::wire::Schedule::{Colocated, Split};
use shardwise_question::wire::WorkloadKind::{
    Gmpo, Orpo, Ppo, Pretrain, Prime, ReinforcePlusPlus, Remax, RewardModel, Rloo, Simpo,
};
use shardwise_question::wire::{LoraTargets, VisionTower};
use shardwise_question::workload::{Distillation, Logits};

/// What TRL refuses, or would run otherwise than planned.
pub(crate) static RULES: &[Rule] = &[
    no_kind(&[Pretrain])
        .or("TRL fine-tunes and has no pre-training. Take DeepSpeed's flags, or the kind sft for packed sequences."),
    no_kind(&[Ppo]).or("TRL 1.16.0 has no PPO trainer any more. Choose grpo, or take veRL's or OpenRLHF's flags."),
    no_kind(&[Gmpo, ReinforcePlusPlus, Remax])
        .or("TRL 1.16.0 has no trainer of this algorithm. Choose grpo or rloo, or take veRL's flags."),
    no_kind(&[Prime]).or(NO_PROCESS_REWARD),
    no_kind(&[Orpo, Simpo]).or("TRL 1.16.0 has no script of this loss. Take LLaMA-Factory's or axolotl's flags."),
    TRAINS,
    must("hardware.gpus", |a| nodes(a.pools.0, a.job.hardware.gpus_per_node).is_some())
        .or("{gpus} GPUs that train are no whole number of nodes of {node}. Choose a multiple of {node}."),
    HALF.or("TRL trains in bf16 or fp16. Choose one of these."),
    ones(&[TP, PP, EP]).or("TRL's scripts set up no {words}. Set it to 1."),
    when(|a| a.is(Fsdp), ON_FSDP),
    when(|a| a.is(Deepspeed), ON_DEEPSPEED),
    when(|a| a.is(Ddp), ON_DDP),
    backends(&[Fsdp, Deepspeed, Ddp])
        .or("TRL trains with FSDP2, DeepSpeed or plain data parallelism. Set the backend to fsdp, deepspeed or ddp."),
    WHOLE_LAYERS.or("TRL recomputes whole layers, or products that it picks itself. Set recompute to full or none."),
    TRANSFORMERS_KERNEL,
    SINKS,
    FORWARD_IS_USUAL,
    all(optimizer::TRL),
    must("plan.attention_kernel", |a| a.cp == 1 || matches!(a.layout.attention_kernel, None | Some(Kernel::Sdpa)))
        .or("Accelerate splits sequences in PyTorch's own attention. Set it to sdpa, or leave it out."),
    HANDED_IN_16_BITS,
    when(|a| a.rl.is_some(), REINFORCEMENT),
    when(|a| a.rl.is_none(), FINE_TUNING),
    when(|a| a.workload.images.is_some(), IMAGES),
];

static IMAGES: &[Rule] = &[
    no_kind(&[RewardModel]).or("TRL's reward trainer takes text alone. Leave the images out, or take LLaMA-Factory's flags."),
    must("model", |a| a.shape.vision.is_none_or(|own| !own.is_internvl()))
        .or("TRL reads models by Transformers' own code, and this checkpoint has its publisher's. Take LLaMA-Factory's flags, or leave the images out."),
    // No script has a key that freezes a part; PEFT's all-linear has the tower's matrices too.
    must("workload.images.vision_tower", |a| {
        let trained = a.workload.images.is_none_or(|own| own.tower == VisionTower::Trained);
        trained || a.workload.lora.is_some_and(|own| own.targets == LoraTargets::Attention)
    })
    .or("TRL's scripts train all of the vision tower, and put adapters on all of its matrices. Set it to trained, give adapters on attention alone, or take LLaMA-Factory's flags."),
    must("workload.images.max_pixels", |a| a.workload.images.is_none_or(|own| own.max_pixels.is_none()))
        .or("No argument of TRL's scripts scales images down. Leave it out, and give the size that they have."),
    // trainer/sft_trainer.py: packing is refused for vision datasets.
    must("workload.packing", |a| a.rl.is_some() || !a.workload.joins())
        .or("TRL packs no sequences with images. Set packing to false."),
];

/// Whether some layers are of these kinds, as `Shape::layer_pattern` has them.
fn has_layers(a: &Asked, kinds: &[char]) -> bool {
    let pattern = &a.shape.layer_pattern;
    pattern.contains(kinds) || (pattern.is_empty() && a.shape.sliding_window > 0 && kinds.contains(&'S'))
}

static ON_FSDP: &[Rule] = &[
    FSDP2_SHARDS,
    // accelerate 1.15.0, big_modeling.py, line 812.
    must("plan.context_parallel", |a| a.cp == 1 || !has_layers(a, &['S', 'L', 'M']))
        .or("Accelerate's ring attention goes with full attention in every layer. Set context_parallel to 1."),
    NO_ULYSSES.or("Accelerate's Ulysses goes with DeepSpeed. Set ulysses_parallel to 1 and use context_parallel."),
    divides("plan.shard_group", |a| (a.cp, a.group))
        .or("FSDP2 shards over the {cp} GPUs of a sequence too: a shard group of {group} is no multiple of them."),
    // accelerate/parallelism_config.py, ParallelismConfig.__post_init__.
    must("plan.shard_group", |a| a.cp == 1 || a.group > a.cp || a.group == a.gpus)
        .or("Accelerate splits sequences within a shard group wider than {cp}. Set it to {gpus}."),
    // accelerate/accelerator.py: FSDP2 wants a dimension to shard over.
    must("plan.shard_group", |a| a.layout.zero_stage < 3 || a.gpus == 1 || a.group > 1 || a.cp > 1)
        .or("Accelerate's FSDP shards over 2 GPUs or more. Set it to {gpus}."),
    when(
        |a| a.rl.is_none(),
        &[MOVED_TOGETHER
            .or("FSDP2 keeps weights, gradients and optimizer in host memory together. Offload all three, or none.")],
    ),
];

static ON_DEEPSPEED: &[Rule] = &[
    must("plan.context_parallel", |a| a.cp == 1)
        .or("Accelerate's ring attention goes with FSDP. Set context_parallel to 1 and use ulysses_parallel."),
    HEADS_BY_ULYSSES,
    // accelerate 1.15.0, big_modeling.py, line 776.
    must("plan.ulysses_parallel", |a| a.ulysses == 1 || !has_layers(a, &['L', 'M']))
        .or("Accelerate's Ulysses exchanges heads of attention alone, in every layer. Set ulysses_parallel to 1."),
    // accelerate/utils/dataclasses.py, DeepSpeedSequenceParallelConfig.
    must("plan.attention_kernel", |a| a.ulysses == 1 || a.layout.attention_kernel != Some(Kernel::Flash4))
        .or("Accelerate's Ulysses goes with flash2, flash3 and sdpa. Set it to one of them, or leave it out."),
    all(deepspeed::ZERO),
    all(deepspeed::HOST_MEMORY_ALONE),
];

static ON_DDP: &[Rule] = &[
    // trainer/sft_trainer.py:911, and its likes of every trainer: adapters on a 4-bit base become bf16, in whose gradients PyTorch's
    // scaler looks for no overflow (<https://github.com/huggingface/trl/issues/4901>). FSDP2 makes them fp32 (accelerate 1.15.0,
    // utils/fsdp_utils.py:816), and DeepSpeed scales by itself.
    must("workload.precision", |a| a.workload.precision != Fp16 || !a.workload.quantized_base())
        .or("TRL's adapters on a base of 4 bits are in bf16, whose gradients fp16's scaling of the loss does not take. Choose bf16, take the flags of LLaMA-Factory, axolotl, ms-swift or Unsloth, or set the backend to fsdp or deepspeed."),
    // accelerate/accelerator.py: context_parallel goes with FSDP2, and sp_size is read where DeepSpeed is prepared.
    ones(&[CP, ULYSSES]).or(
        "Accelerate splits sequences with FSDP2 or DeepSpeed. Set {field} to 1, or the backend to fsdp or deepspeed.",
    ),
    PLAIN_DATA_PARALLELISM,
];

static FINE_TUNING: &[Rule] = &[
    TEXT_HAS_POSITIONS,
    must("workload.distillation", |a| a.workload.distillation.is_none())
        .or("TRL's script distils what the student samples. Choose the kind distill, or take ms-swift's flags."),
    WHOLE_PASSES,
    when(|a| a.workload.kind.preference().is_some(), PREFERENCES),
    when(
        |a| a.layout.sequence_split() > 1,
        &[
            // trainer/sft_trainer.py: a split sequence keeps no boundaries of packed ones.
            must("workload.packing", |a| !a.workload.joins())
                .or("TRL packs no sequences that several GPUs split. Set packing to false."),
            divides("workload.sequence_length", |a| {
                let halves = if a.cp > 1 { 2 } else { 1 };
                (u64::from(a.layout.sequence_split()) * halves, a.workload.sequence_length)
            })
            .or("{length} tokens are no multiple of {part}, the parts of a split sequence."),
        ],
    ),
];

static PREFERENCES: &[Rule] = &[
    REFERENCE_FOLLOWS.or("TRL lays the reference out as the policy. Leave its plan out."),
    // trainer/dpo_trainer.py:733: padding_free is disabled.
    PREFERENCES_ARE_PADDED.or("TRL pads preference data. Set packing to false."),
    KTO_MISMATCHES,
    must("plan.context_parallel", |a| a.layout.sequence_split() == 1)
        .or("TRL's scripts for preference data split no sequences. Set context_parallel and ulysses_parallel to 1."),
];

static REINFORCEMENT: &[Rule] = &[
    // generation/vllm_generation.py, line 62, knows CUDA, Ascend's and Intel's GPUs.
    must("hardware.gpu", |a| a.job.hardware.vendor() != Some("intel"))
        .or("TRL's generation has no code for Gaudi. Choose another GPU."),
    RESPONSES_HAVE_POSITIONS,
    // generation/vllm_generation.py, _iter_named_params: adapters are merged under deepspeed.zero.GatheredParameters of all weights.
    must("plan.zero_stage", |a| {
        let whole = Bytes::new(2.0 * a.job.model.parameters.total as f64);
        let gathers = a.is(Deepspeed) && a.layout.zero_stage == 3 && a.workload.lora.is_some();
        !gathers || whole.gib() < a.job.hardware.memory_gib
    })
    .or("TRL merges adapters into all of the model on every GPU before it hands the weights over, and this model is larger than a card. Train all weights, or take veRL's flags."),
    must("plan.weight_sync_parts", |a| {
        a.workload.lora.is_none() || a.layout.weight_sync_parts.is_none_or(|parts| parts == 1)
    })
    .or("TRL merges adapters into all of the model at once. Leave it out."),
    // trainer/grpo_config.py, GRPOConfig.__post_init__.
    must("plan.context_parallel", |a| a.layout.sequence_split() == 1)
        .or("TRL's GRPO splits no sequences. Set context_parallel and ulysses_parallel to 1."),
    must("workload.rl.responses_per_prompt", |a| {
        let compares = a.workload.kind.algorithm().is_some_and(Algorithm::compares);
        !compares || a.rl.is_none_or(|rl| rl.responses_per_prompt > 1)
    })
    .or("The responses of a prompt are compared. Give 2 or more."),
    when(|a| a.workload.distillation.is_some(), DISTILLED),
    learning("workload.rl.critic", |rl| rl.critic.is_none()).or("TRL's GRPO has no critic. Set it to null."),
    NO_OVERSAMPLING.or("TRL drops no prompts while it samples. Set oversampling to 1."),
    // scripts/grpo.py hands its trainer no tools; trainer/grpo_trainer.py takes them from a program.
    NO_AGENT.or("TRL's script calls no tools: its trainer does, from a program of yours. Leave agent out, or take veRL's, OpenRLHF's or SkyRL's flags."),
    ALL_AT_ONCE.or("TRL generates a step's prompts at once. Leave gen_batch_size out."),
    learning("workload.rl.old_log_prob", |rl| {
        rl.old_log_prob || (rl.mini_batch == rl.prompts_per_step && rl.epochs == 1)
    })
    .or("Where a step has several updates, TRL computes old log-probabilities. Set it to true."),
    // trainer/rloo_trainer.py:1600
    must("workload.rl.old_log_prob", |a| a.workload.kind != Rloo || a.rl.is_none_or(|rl| rl.old_log_prob))
        .or("TRL's RLOO always computes old log-probabilities. Set it to true."),
    must("plan.offload", |a| {
        let offload = a.layout.offload;
        !(offload.parameters || offload.gradients || offload.optimizer || offload.activations)
    })
    .or("TRL keeps the trained states on the GPUs while vLLM generates. Offload nothing, or take veRL's flags."),
    must("plan.reference", |a| a.plan.reference.is_none_or(|own| own == *a.layout))
        .or("TRL lays the reference out as the policy. Leave its plan out."),
    // trainer/grpo_trainer.py, `_prepare_inputs` and `_generate_and_score_completions`.
    RESPONSES_ARE_COUNTED
        .or("TRL has no budget of tokens where it learns from responses. Give micro_batch in place of max_tokens_per_gpu."),
    must("workload.packing", |a| !a.workload.joins())
        .or("TRL pads responses to the longest of a generation. Set packing to false, or leave it out."),
    divides("workload.rl.mini_batch", |a| (a.per_pass, a.mini))
        .or("{mini} sequences of a mini-batch are no multiple of {part}, one micro-batch on every rank."),
    when(|a| a.rollout.is_some(), GENERATION),
];

/// trainer/distillation_trainer.py and its configuration.
static DISTILLED: &[Rule] = &[
    must("workload.distillation.placement", |a| a.workload.teachers_pool().is_none())
        .or("TRL's teacher stands beside the student. Set it to beside, or take veRL's flags."),
    must("workload.distillation.logits", |a| a.workload.distillation.as_ref().is_none_or(|own| own.logits == Logits::Full))
        .or("TRL holds a student to the whole vocabulary. Set it to full."),
    must("workload.distillation.on_policy", |a| a.workload.sampled_share() == 1.0)
        .or("TRL's script samples every batch from the student. Set it to 1."),
    must("workload.distillation.teacher", |a| {
        let rows = |own: &Distillation| own.teacher.shape.vocab_size == a.shape.vocab_size;
        a.workload.distillation.as_ref().is_none_or(rows)
    })
    .or("TRL compares whole vocabularies, and the teacher's has another size than the student's. Choose a teacher with as large a one."),
    // accelerate/accelerator.py, prepare_model with evaluation_mode: under FSDP it moves no such model to the GPU.
    backends(&[Deepspeed, Ddp])
        .or("Accelerate leaves a teacher in host memory under FSDP. Set the backend to deepspeed or ddp, or take veRL's flags."),
    learning("workload.rl.responses_per_prompt", |rl| rl.responses_per_prompt == 1)
        .or("TRL's student writes one response to a prompt. Set it to 1."),
    learning("workload.rl.mini_batch", |rl| rl.mini_batch == rl.prompts_per_step)
        .or("TRL samples anew for every update. Set mini_batch to prompts_per_step, or leave it out."),
    learning("workload.rl.epochs", |rl| rl.epochs == 1).or("TRL samples anew for every update. Set it to 1."),
    learning("workload.rl.old_log_prob", |rl| !rl.old_log_prob)
        .or("TRL's divergence needs no old log-probabilities. Set it to false."),
    learning("workload.rl.reference", |rl| !rl.reference)
        .or("TRL holds a student to its teacher alone. Set it to false, or leave it out."),
    NO_REWARD_MODEL.or("TRL scores nothing where a teacher judges. Set it to null."),
    must("workload.images", |a| a.workload.images.is_none())
        .or("These texts of TRL distil text alone. Leave the images or the teacher out."),
];

static GENERATION: &[Rule] = &[
    all(ENGINE),
    VLLM.or("TRL generates with vLLM. Set the engine to vllm."),
    engine("plan.rollout.precision", |own| matches!(own.precision, Bf16 | Fp16))
        .or("TRL hands vLLM the weights in 16 bits. Choose bf16 or fp16."),
    engine("plan.rollout.expert_parallel", |own| own.expert_parallel == 1)
        .or("TRL has no switch for expert parallelism in vLLM. Set it to 1."),
    when(|a| a.schedule() == Colocated, BESIDE_TRAINING),
    when(|a| a.schedule() == Split, SERVER),
    learning("workload.rl.schedule", |rl| matches!(rl.schedule, Colocated | Split))
        .or("TRL's GRPO waits for its responses. Choose colocated or split."),
];

static BESIDE_TRAINING: &[Rule] = &[
    engine("plan.rollout.data_parallel", |own| own.data_parallel == 1)
        .or("TRL's engines beside training have no data-parallel attention. Set it to 1."),
    CHUNKED,
    CACHE_IN_16_BITS.or("Beside training TRL leaves the cache in 16 bits. Set it to auto."),
    engine("plan.rollout.enforce_eager", |own| !own.enforce_eager)
        .or("Beside training TRL's vLLM replays CUDA graphs. Set it to false."),
    must("plan.rollout.tensor_parallel", |a| a.engine_tp <= a.job.hardware.gpus_per_node.into())
        .or("TRL splits an engine within a node. Set it to {node} or less."),
];

static SERVER: &[Rule] = &[
    must("plan.rollout.tensor_parallel", |a| a.engine == a.generate)
        .or("TRL's trainer talks to one vLLM server, of all {generate} GPUs that generate. Set tensor_parallel to {generate}."),
    // scripts/vllm_serve.py on data_parallel_size.
    must("plan.rollout.data_parallel", |a| a.engine == a.engine_tp || a.shape.num_experts > 0)
        .or("vLLM's data-parallel ranks are for models with experts. Set it to 1."),
    must("plan.rollout.tensor_parallel", |a| a.engine <= a.job.hardware.gpus_per_node.into())
        .or("The server runs on one node of {node} GPUs."),
];
