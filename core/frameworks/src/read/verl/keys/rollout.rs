//! Keys of the engines that generate, and of rewards.

use super::{
    DATA_SET, Field, Ignored, Keys, OBJECTIVE, PROFILE, Plan, Removed, Renamed, Unmodelled,
};
use crate::read::meaning::Meaning;

const FORWARD: Meaning = Ignored("the estimate's forward pass takes twice the update's");
const SAMPLING: Meaning = Ignored("which tokens are sampled");
const TURNS: Meaning = Unmodelled("the estimate's responses have one turn");

/// `actor_rollout_ref.rollout.`.
pub(super) const ROLLOUT: Keys = &[
    ("name", Plan("engine")),
    ("n", Field("workload.rl.responses_per_prompt")),
    ("tensor_model_parallel_size", Plan("tensor_parallel")),
    ("data_parallel_size", Plan("data_parallel")),
    ("expert_parallel_size", Plan("expert_parallel")),
    ("gpu_memory_utilization", Plan("gpu_memory_utilization")),
    ("max_num_seqs", Plan("max_num_seqs")),
    ("max_num_batched_tokens", Plan("max_num_batched_tokens")),
    ("free_cache_engine", Plan("free_cache")),
    ("enforce_eager", Plan("enforce_eager")),
    ("quantization", Plan("precision")),
    ("dtype", Plan("precision")),
    ("engine_kwargs.vllm.kv_cache_dtype", Plan("kv_cache_dtype")),
    (
        "engine_kwargs.sglang.kv_cache_dtype",
        Plan("kv_cache_dtype"),
    ),
    (
        "engine_kwargs.vllm.disable_mm_preprocessor_cache",
        Ignored("a cache of images"),
    ),
    (
        "engine_kwargs.vllm.compilation_config.*",
        Unmodelled("the estimate's CUDA graphs cover every batch"),
    ),
    (
        "engine_kwargs.*",
        Unmodelled("the estimate's engine runs by its defaults"),
    ),
    ("prompt_length", Ignored("data.max_prompt_length says it")),
    (
        "response_length",
        Ignored("data.max_response_length says it"),
    ),
    (
        "max_model_len",
        Ignored("the longest prompt and response say it"),
    ),
    ("nnodes", Field("hardware.gpus workload.rl.train_gpus")),
    (
        "n_gpus_per_node",
        Field("hardware.gpus workload.rl.train_gpus"),
    ),
    ("log_prob_use_dynamic_bsz", FORWARD),
    ("log_prob_max_token_len_per_gpu", FORWARD),
    ("log_prob_micro_batch_size_per_gpu", FORWARD),
    ("log_prob_micro_batch_size", FORWARD),
    ("mode", Ignored("every engine is a server by now")),
    ("load_format", Ignored("how weights come in at the start")),
    ("layered_summon", Ignored("how weights reach the engine")),
    ("layer_name_map.*", Ignored("how weights reach the engine")),
    (
        "checkpoint_engine.*",
        Ignored("how weights reach the engine"),
    ),
    (
        "update_weights_bucket_megabytes",
        Renamed(
            "actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes",
            "0.7.1",
        ),
    ),
    (
        "enable_chunked_prefill",
        Ignored("the estimate mixes prefill with decoding"),
    ),
    (
        "enable_prefix_caching",
        Ignored("the estimate computes a prompt once for its responses"),
    ),
    (
        "cudagraph_capture_sizes",
        Unmodelled("the estimate's CUDA graphs cover every batch"),
    ),
    (
        "pipeline_model_parallel_size",
        Unmodelled("the estimate's engine splits matrices alone"),
    ),
    (
        "disaggregation.*",
        Unmodelled("the estimate's engine does prefill and decoding"),
    ),
    ("mtp*", Unmodelled("state plan.rollout.speculative_speedup")),
    (
        "over_sample_rate",
        Unmodelled("the estimate waits for every response"),
    ),
    ("multi_turn.*", TURNS),
    ("agent.*", TURNS),
    ("chat_scheduler", TURNS),
    (
        "multi_stage_wake_up",
        Ignored("the order in which memory comes back"),
    ),
    (
        "calculate_log_probs",
        Ignored("the engine's own log-probabilities come with sampling"),
    ),
    ("logprobs_mode", OBJECTIVE),
    (
        "enable_rollout_routing_replay",
        Ignored("which experts are taken"),
    ),
    ("moe_load_balance_metrics_interval", PROFILE),
    (
        "enable_sleep_mode",
        Unmodelled("the estimate goes by free_cache_engine"),
    ),
    (
        "moe_tensor_parallel_size",
        Unmodelled("the estimate splits experts by expert_parallel_size"),
    ),
    (
        "standalone_gpu_memory_utilization",
        Unmodelled("the estimate's engines have one share of the card"),
    ),
    ("single_turn_response_length", TURNS),
    ("temperature", SAMPLING),
    ("top_k", SAMPLING),
    ("top_p", SAMPLING),
    ("do_sample", SAMPLING),
    ("ignore_eos", SAMPLING),
    ("seed", SAMPLING),
    ("use_fire_sampling", SAMPLING),
    ("val_kwargs.*", Ignored("validation")),
    ("disable_log_stats", PROFILE),
    ("prometheus.*", PROFILE),
    ("profiler.*", PROFILE),
    ("trace.*", PROFILE),
    ("skip*", PROFILE),
    ("limit_images", DATA_SET),
    ("scheduling_policy", Ignored("the order of requests")),
    ("router_config_path", Ignored("the order of requests")),
    (
        "full_determinism",
        Unmodelled("the estimate's kernels are the quick ones"),
    ),
    ("quantization_config_file", Ignored("quantization says it")),
    (
        "qat*",
        Unmodelled("the estimate's engine has the weights as they are"),
    ),
    ("val_before_train", Ignored("validation")),
];

/// `reward.`, since 0.7.1.
pub(super) const REWARD: Keys = &[
    ("reward_manager.name", Field("workload.kind")),
    ("reward_manager.*", Ignored("which rule scores")),
    ("reward_kwargs.*", Ignored("which rule scores")),
    ("num_workers", Ignored("processes that score")),
    ("custom_reward_function.*", Ignored("which rule scores")),
    ("sandbox_fusion.*", Ignored("which rule scores")),
    ("reward_model.enable", Field("workload.rl.reward_model")),
    ("reward_model.model_path", Field("workload.rl.reward_model")),
    (
        "reward_model.enable_resource_pool",
        Unmodelled("the estimate's reward model shares the GPUs"),
    ),
    (
        "reward_model.nnodes",
        Unmodelled("the estimate's reward model shares the GPUs"),
    ),
    (
        "reward_model.n_gpus_per_node",
        Unmodelled("the estimate's reward model shares the GPUs"),
    ),
    (
        "reward_model.rollout.*",
        Ignored("the estimate serves it like the policy"),
    ),
    (
        "reward_model.*",
        Ignored("the estimate serves it like the policy"),
    ),
];

/// `reward_model.`, before 0.7.1. Release 0.9.1 takes most of it and reads none.
pub(super) const REWARD_MODEL: Keys = &[
    ("enable", Renamed("reward.reward_model.enable", "0.7.1")),
    (
        "model.path",
        Renamed("reward.reward_model.model_path", "0.7.1"),
    ),
    (
        "reward_manager",
        Renamed("reward.reward_manager.name", "0.7.1"),
    ),
    ("num_workers", Renamed("reward.num_workers", "0.7.1")),
    (
        "use_reward_loop",
        Removed(
            "0.7.1",
            "rewards are always computed in a loop of their own. Leave it out.",
        ),
    ),
    (
        "launch_reward_fn_async",
        Removed("0.7.1", "rewards are always computed apart. Leave it out."),
    ),
    ("reward_kwargs.*", Ignored("which rule scores")),
    ("overlong_buffer.*", Ignored("which rule scores")),
    (
        "sandbox_fusion.*",
        Renamed("reward.sandbox_fusion.*", "0.7.1"),
    ),
    ("reward_loop_*", Ignored("which rule scores")),
    (
        "rollout.*",
        Renamed("reward.reward_model.rollout.*", "0.7.1"),
    ),
    (
        "enable_resource_pool",
        Renamed("reward.reward_model.enable_resource_pool", "0.7.1"),
    ),
    ("nnodes", Renamed("reward.reward_model.nnodes", "0.7.1")),
    (
        "n_gpus_per_node",
        Renamed("reward.reward_model.n_gpus_per_node", "0.7.1"),
    ),
    (
        "*",
        Removed(
            "0.7.1",
            "the reward model is served by an engine now, and its training keys are gone. Leave it out.",
        ),
    ),
];
