//! Unsloth's keywords (2026.10.9, `unsloth/models/loader.py:1241` and `unsloth/models/llama.py:4569`); those of PEFT have `lora_`
//! before them. What it hands on to its engine is of `unsloth_zoo/vllm_utils.py:4377`.

use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning};
use crate::read::trainer::keys::{BESIDE, OBJECTIVE, SAMPLING};
use crate::read::trl::keys::{DATA_SETS, GENERATION, LOSSES, MODEL};

/// Its own, then those of TRL's configurations, then the Trainer's.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    KeySection { prefix: "", plan: "plan.", tables: &[Read(LOADED), Read(ADAPTERS)] },
    KeySection { prefix: "", plan: "plan.", tables: &[Read(MODEL), Read(DATA_SETS), Read(LOSSES)] },
    BESIDE[0],
];

/// Those of a program that learns from rewards: what generates beside the rest.
pub(in crate::read) static REINFORCEMENT: &[KeySection] = &[
    KeySection { prefix: "", plan: "plan.", tables: &[Read(ENGINE), Read(PIECES)] },
    KeySection { prefix: "", plan: "plan.", tables: &[Read(LOADED), Read(ADAPTERS)] },
    KeySection { prefix: "", plan: "plan.", tables: &[Read(MODEL), Read(DATA_SETS), Read(LOSSES), Read(GENERATION)] },
    BESIDE[0],
];

const ENGINE: &[(&str, Meaning)] = &[
    ("fast_inference", Field("workload.rl.schedule")),
    ("gpu_memory_utilization", Plan("rollout.gpu_memory_utilization")),
    ("max_num_seqs", Plan("rollout.max_num_seqs")),
    ("max_num_batched_tokens", Plan("rollout.max_num_batched_tokens")),
    ("enforce_eager", Plan("rollout.enforce_eager")),
    ("float8_kv_cache", Plan("rollout.kv_cache_dtype")),
    ("unsloth_vllm_standby", Plan("rollout.free_cache")),
    ("max_seq_length", Field("workload.rl.max_prompt_length")),
    (
        "max_lora_rank|max_loras|max_logprobs|enable_prefix_caching|compilation_config|conservativeness",
        Ignored("how the engine starts"),
    ),
];

/// What Unsloth adds to `GRPOConfig` (`unsloth/models/rl.py:593`).
const PIECES: &[(&str, Meaning)] = &[
    (
        "unsloth_num_chunks|unsloth_grpo_mini_batch|unsloth_logit_chunk_multiplier",
        Ignored("how a pass is cut in pieces"),
    ),
    ("vllm_sampling_params", SAMPLING),
];

const LOADED: &[(&str, Meaning)] = &[
    ("load_in_4bit|load_in_8bit|load_in_16bit|load_in_fp8|full_finetuning", Field("workload.kind")),
    ("float32_mixed_precision", Plan("master_weights_bytes")),
    ("use_gradient_checkpointing", Plan("recompute offload")),
    ("attn_implementation", Ignored("Unsloth takes the kernel that it finds installed")),
    ("use_exact_model_name|revision|token|trust_remote_code", Ignored("which files are loaded")),
    (
        "fast_inference|gpu_memory_utilization|float8_kv_cache|max_lora_rank|disable_log_stats|max_model_len",
        Ignored("how it generates"),
    ),
    (
        "device_map*|rope_scaling|fix_tokenizer|resize_model_vocab|random_state|text_only|auto_model|unsloth_force_compile",
        Ignored("how it is loaded"),
    ),
    ("offload_embedding", IfOn("the estimate's embeddings stay on the GPU")),
    ("unsloth_tiled_mlp", IfOn("the estimate computes all tokens of a layer's MLP at once")),
    ("qat_scheme|lora_qat_scheme", Unmodelled("the estimate trains without quantization")),
];

const ADAPTERS: &[(&str, Meaning)] = &[
    (
        "lora_random_state|lora_max_seq_length|lora_init_lora_weights|lora_loftq_config|lora_temporary_location|lora_finetune_*|\
         lora_ensure_weight_tying",
        OBJECTIVE,
    ),
    ("lora_layers_to_transform|lora_layers_pattern", Unmodelled("the estimate's adapters are on all layers")),
    ("lora_checkpoint_skip_layers", Unmodelled("the estimate recomputes all layers or none")),
    ("lora_offload_layers", Unmodelled("the estimate's layers stay on the GPU")),
];
