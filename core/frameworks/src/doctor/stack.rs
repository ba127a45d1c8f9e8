//! What a stack of calls says: in which phase memory ran out, and for what.

/// A line of a stack.
pub(super) struct Frame<'a> {
    pub(super) line: u32,
    /// File and function, in small letters.
    pub(super) text: String,
    pub(super) shown: &'a str,
    /// Whether its line of code calls the head that makes logits of hidden states.
    pub(super) calls_head: bool,
}

/// Calls of that head: `Transformers`' and megatron-core's.
const HEADS: [&str; 2] = ["lm_head(", "output_layer("];

/// Whether a line of code, as a stack prints it below a frame, calls the head.
pub(super) fn calls_head(line: &str) -> bool {
    HEADS.iter().any(|call| line.contains(call))
}

/// Whether a line is one of a stack: python's, or the name of a task that Ray ran.
pub(super) fn frame(line: &str, number: u32) -> Option<Frame<'_>> {
    let shown = line.trim();
    // Python's, IPython's, pytest's, and one of which a log has but the end.
    let python = shown.contains(".py") || (shown.contains("line ") && shown.contains(", in "));
    let ray = shown.contains("ray::");
    (python || ray).then(|| Frame { line: number, text: shown.to_ascii_lowercase(), shown, calls_head: false })
}

/// Words of a frame, and what they say. The innermost frame that has any decides, the first of its rows before others.
type Table = &'static [(&'static str, &'static [&'static str])];

/// Phases of a run, by what a trainer calls them.
const PHASES: Table = &[
    (
        "weight_sync",
        &[
            "wake_up",
            "resume_memory_occupation",
            "sharding_manager",
            "rollout_mode",
            "update_weights",
            "sync_model_to_rollout",
            "update_weight",
            "broadcast_to_vllm",
            "get_per_tensor_param",
            "gather_full",
            "weight_sync",
            "move_model_to_vllm",
        ],
    ),
    ("save", &["save_checkpoint", "_save_checkpoint", "save_model", "save_pretrained", "save_16bit"]),
    ("update_critic", &["update_critic", "critic_loss"]),
    (
        "update_actor",
        &["update_actor", "update_policy", "ppo_train", "training_step_actor", "policy_loss", "train_actor"],
    ),
    (
        "reference",
        &[
            "compute_ref_log_prob",
            "ref_log_prob",
            "compute_reference",
            "reference_model",
            "null_ref_context",
            "ref_model",
        ],
    ),
    ("values", &["compute_values", "critic_forward", "infer_values"]),
    ("reward", &["compute_rm_score", "reward_model", "rewardmodel"]),
    (
        "old_log_prob",
        &[
            "compute_log_prob",
            "old_log_prob",
            "get_logprobs",
            "compute_logprobs",
            "_get_per_token_logps",
            "make_experience",
            "action_log_probs",
        ],
    ),
    (
        "engine",
        &[
            "determine_num_available_blocks",
            "determine_available_memory",
            "profile_run",
            "_dummy_run",
            "initialize_cache",
            "initialize_kv_cache",
            "_allocate_kv_cache",
            "allocate_kv_cache",
            "init_memory_pool",
            "capture_model",
            "init_device_graphs",
            "init_cuda_graphs",
            "enginecore",
            "engine/core.py",
            "llm_engine.py",
            "async_llm_engine",
            "init_engine",
            "compile_or_warm_up_model",
            "model_executor/model_loader",
            "vllm/entrypoints/llm.py",
            "launch_server",
            "init_device_graphs",
            "cuda_graph_runner",
            "torch/cuda/graphs.py",
            "capture_end",
            "capture_graph",
            "cache_engine",
            "compilation/backends.py",
        ],
    ),
    (
        "rollout",
        &[
            "generate_sequences",
            "generate_rollout",
            "execute_model",
            "generation/utils.py",
            "_generate",
            "sampler.py",
            "sglang/srt",
            "vllm/v1/worker",
            "generate",
        ],
    ),
];

/// The row of an engine's start.
const STARTS: usize = 8;

/// Phases that a trainer of one model has; asked where no other is found.
const TRAINING: Table = &[
    (
        "start",
        &[
            "from_pretrained",
            "init_model",
            "_build_model_optimizer",
            "load_model",
            "_configure_optimizer",
            "_configure_zero_optimizer",
            "deepspeed/__init__.py",
            "_prepare_deepspeed",
            "prepare_model",
            "fully_sharded_data_parallel.py\", line",
            "build_model",
            "get_model",
            "setup_model",
            "load_pretrained",
            "trainer.py\", line 0, in __init__",
            "in __init__",
            "_move_model_to_device",
        ],
    ),
    ("save", &["state_dict"]),
    (
        "train",
        &[
            "training_step",
            "train_step",
            "inner_training_loop",
            "_inner_training_loop",
            "forward_backward",
            "forward_step",
            "compute_loss",
            "backward",
            "optimizer.py",
            "optim/",
            "in forward",
            "in train",
            "deepspeed/runtime/zero",
            "distributed_c10d",
            "run_sft",
            "run_dpo",
            "run_rm",
            "run_pt",
            "rlhf.py",
            "sft.py",
            "trainer.py",
            "cli/train.py",
        ],
    ),
];

/// What memory is for.
const ALLOCATIONS: Table = &[
    (
        "logits",
        &[
            "entropy_from_logits",
            "logprobs_from_logits",
            "log_probs_from_logits",
            "logprobs_of_labels",
            "log_softmax",
            "logsumexp",
            "cross_entropy",
            "vocab_parallel",
            "selective_log_softmax",
            "causallmloss",
            "compute_entropy",
            "loss_utils.py",
            "compute_logits",
            "logits_processor",
            "_get_logits",
            "lm_head",
            "chunked_loss",
            "compute_logprobs",
            "get_batch_logps",
            "entropy",
            "gather_logps",
            "sample/sampler.py",
        ],
    ),
    ("communication", &["nccl", "cublas", "process_group", "init_process_group", "barrier"]),
    (
        "kv_cache",
        &[
            "kv_cache",
            "allocate_kv",
            "init_memory_pool",
            "cache_engine",
            "initialize_cache",
            "determine_num_available_blocks",
            "memory_pool.py",
        ],
    ),
    (
        "rollout_weights",
        &[
            "wake_up",
            "create_and_map",
            "cumem",
            "resume_memory_occupation",
            "model_loader",
            "vllm/model_executor/models",
        ],
    ),
    (
        "optimizer",
        &[
            "optimizer.step",
            "adamw.py",
            "adam.py",
            "adafactor.py",
            "_init_group",
            "fused_adam",
            "multi_tensor",
            "cpu_adam",
            "initialize_optimizer_states",
            "_create_fp32_partitions",
            "create_fp32",
            "single_partition_of_fp32",
            "_setup_for_real_optimizer",
            "optim/optimizer.py",
            "bitsandbytes/optim",
            "load_optimizer",
            "zero_optimizer",
        ],
    ),
    (
        "gradients",
        &[
            "reduce_scatter",
            "reduce_ready_partitions",
            "reduce_independent_p_g",
            "average_tensor",
            "allreduce_bucket",
            "partition_grads",
            "_reduce_grad",
            "param_and_grad_buffer",
            "post_backward",
            "reduce_partition",
            "grad_buffer",
            "copy_grads",
        ],
    ),
    (
        "parameters",
        &[
            "all_gather",
            "allgather",
            "unshard",
            "fetch_sub_module",
            "_fetch",
            "summon_full_params",
            "full_tensor",
            "full_state_dict",
            "state_dict",
            "from_pretrained",
            "_load_pretrained",
            "set_module_tensor_to_device",
            "load_checkpoint",
            "_apply",
            "in convert",
            "in cuda",
            "in to",
            "materialize",
            "_move_model_to_device",
            "flat_param",
            "partition_parameters",
            "gathered",
            "dispatch_model",
            "load_weights",
            "dequantize",
        ],
    ),
    (
        "activations",
        &[
            "attention",
            "scaled_dot_product",
            "flash_attn",
            "sdpa",
            "mlp",
            "layernorm",
            "layer_norm",
            "rmsnorm",
            "rms_norm",
            "rotary",
            "silu",
            "gelu",
            "activation",
            "checkpoint.py",
            "dropout",
            "backward",
            "modeling_",
            "in forward",
            "lora",
            "linear.py",
            "execute_model",
            "graphs.py",
            "cuda_graph",
        ],
    ),
];

/// Whose frames they are, the innermost trainer's first.
const FRAMEWORKS: &[(&str, &str)] = &[
    ("easyr1", "EasyR1"),
    ("verl/", "veRL"),
    ("actor_rollout", "veRL"),
    ("chatlearn", "ChatLearn"),
    ("openrlhf", "OpenRLHF"),
    ("llamafactory", "LLaMA-Factory"),
    ("llmtuner", "LLaMA-Factory"),
    ("axolotl", "axolotl"),
    ("swift/", "ms-swift"),
    ("trl/", "TRL"),
    ("slime/", "slime"),
    ("skyrl", "SkyRL"),
    ("nemo_rl", "NeMo-RL"),
    ("megatron", "Megatron-LM"),
    ("deepspeed", "DeepSpeed"),
    ("transformers", "Hugging Face Trainer"),
    ("sglang", "SGLang"),
    ("vllm", "vLLM"),
];

/// What the innermost frame that has a word of the table says, and that frame.
fn innermost<'a, 'b>(frames: &'b [Frame<'a>], table: Table) -> Option<(&'static str, &'b Frame<'a>)> {
    frames.iter().rev().find_map(|frame| {
        let found = table
            .iter()
            .find(|(_, words)| words.iter().any(|word| frame.text.contains(word)))?;
        Some((found.0, frame))
    })
}

/// The phase in which memory ran out, by frames before the message and, where those tell none, behind it.
pub(super) fn phase<'a, 'b>(before: &'b [Frame<'a>], behind: &'b [Frame<'a>]) -> Option<(&'static str, &'b Frame<'a>)> {
    let either = |table: Table| innermost(before, table).or_else(|| innermost(behind, table));
    match either(PHASES) {
        // An engine that starts generates too, to see what that takes.
        Some(found) if found.0 == "rollout" => either(&PHASES[STARTS..=STARTS]).or(Some(found)),
        Some(found) => Some(found),
        None => either(TRAINING),
    }
}

/// What memory was for, by the same frames.
pub(super) fn allocation<'a, 'b>(
    before: &'b [Frame<'a>],
    behind: &'b [Frame<'a>],
) -> Option<(&'static str, &'b Frame<'a>)> {
    let found = innermost(before, ALLOCATIONS).or_else(|| innermost(behind, ALLOCATIONS))?;
    // The head's product is a linear layer's like any other's; what calls it says that its output are logits.
    let head = before.iter().rfind(|frame| frame.calls_head);
    match head.filter(|_| found.0 == "activations") {
        Some(frame) => Some(("logits", frame)),
        None => Some(found),
    }
}

/// Whether a framework serves alone, so that nothing trains in it.
pub(super) fn serves(framework: Option<&str>) -> bool {
    matches!(framework, Some("vLLM" | "SGLang"))
}

/// The framework whose frames they are.
pub(super) fn framework(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase();
    FRAMEWORKS.iter().find(|(word, _)| text.contains(word)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_start_has_its_row() {
        assert_eq!(super::PHASES[super::STARTS].0, "engine");
    }
}
