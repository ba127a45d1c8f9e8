//! Keys of the engines that generate, and of rewards.

use super::common::{DATA_SET, Keys, OBJECTIVE, PROFILE};
use super::roles::{forward_micro, forward_tokens};
use crate::binding::Form::{Count, CountSince, Flag, FlagSince, Share, Size};
use crate::binding::Meaning::{Field, Ignored, Plan, Removed, Renamed, Taken, Unmodelled};
use crate::binding::{At, Meaning, Row, Said, row, say, says, switch, when};
use crate::emit::text::{flag, home, model_path, share};
use crate::emit::words::{gib, plural};
use shardwise_question::wire::{Engine, KvCacheDtype, Precision};
use shardwise_rules::pools;

const SAMPLING: Meaning = Ignored("which tokens are sampled");
const TURNS: Meaning = Ignored("how turns are put together");
const RULES: Meaning = Ignored("which rule scores");

/// Engines of the whole run.
pub(in crate::verl) fn replicas(at: &At) -> Option<u64> {
    let (_, gpus) = pools(at.job());
    Some(u64::from(gpus / at.rollout()?.gpus().max(1)))
}

/// `actor_rollout_ref.rollout.`, of the engine.
pub(in crate::verl) const ROLLOUT: &[Row] = &[
    row("name", Plan("engine"), |at| says(engine(at)?, "from the plan")),
    row("tensor_model_parallel_size", Taken("tensor_parallel", Count(2)), |at| {
        match (at.rollout()?.tensor_parallel, replicas(at)?) {
            _ if at.rollout()?.data_parallel > 1 && at.rollout()?.tensor_parallel == 1 => {
                says(1, "each rank of an engine's attention is one GPU")
            }
            (1, 1) => says(1, "each GPU is an engine"),
            (1, all) => says(1, format!("each GPU is an engine: {all}, the most there can be")),
            (tp, _) => says(tp, format!("{tp} GPUs hold the weights and their cache")),
        }
    }),
    row("data_parallel_size", Taken("data_parallel", Size), |at| match at.rollout()?.data_parallel {
        1 => None,
        ranks => says(ranks, "attention ranks in one engine"),
    }),
    row("expert_parallel_size", Taken("expert_parallel", Size), |at| match at.rollout()?.expert_parallel {
        1 => None,
        group => says(group, "all GPUs of an engine share the experts"),
    }),
    row("gpu_memory_utilization", Taken("gpu_memory_utilization", Share(0.5)), |at| {
        let mut phases = at.emission.answer.memory.phases.iter();
        let parts = phases.find(|phase| phase.name == "rollout").map(|phase| phase.parts);
        let reason = match parts.filter(|parts| parts.kv_cache > 0.0) {
            _ if at.rollout()?.engine == Engine::TensorrtLlm => "share of what its weights leave free".to_owned(),
            Some(parts) => {
                format!("KV cache of {} beside weights of {}", gib(parts.kv_cache), gib(parts.rollout_weights))
            }
            None => "share of the card for weights and KV cache".to_owned(),
        };
        says(share(at.rollout()?.gpu_memory_utilization), reason)
    }),
    row("max_num_seqs", Taken("max_num_seqs", CountSince(&("0.9.0", 1024, 256))), |at| {
        let waiting = at.rl()?.generated().div_ceil(replicas(at)?.max(1));
        let waiting = plural(waiting, "sequence", "sequences");
        says(at.rollout()?.max_num_seqs, format!("decoded together; each engine gets {waiting} a step"))
    }),
    row("max_num_batched_tokens", Taken("max_num_batched_tokens", Count(8192)), |at| {
        // SGLang reads none.
        let engine = at.rollout().filter(|engine| engine.engine != Engine::Sglang)?;
        let tokens = engine.max_num_batched_tokens;
        says(tokens, if tokens > 2048 { "above the guide's 2,048" } else { "from the plan" })
    }),
    row("enable_chunked_prefill", Taken("chunked_prefill", Flag(true)), |at| {
        // vLLM alone reads it.
        let engine = at.rollout().filter(|engine| engine.engine == Engine::Vllm)?;
        let whole = "each prompt is read in one engine step, which holds the longest sequence";
        switch(engine.chunked_prefill, "long prompts share engine steps with what is decoded", whole)
    }),
    row("max_model_len", Ignored("the longest prompt and response say it"), |at| {
        says(at.longest(), "prompt and response; the cache plans for no longer ones")
    }),
    row("free_cache_engine", Taken("free_cache", Flag(true)), |at| {
        switch(at.rollout()?.free_cache, "hands the KV cache back for training", "the KV cache stays")
    }),
    row("enforce_eager", Taken("enforce_eager", FlagSince(&("0.6.0", true, false))), |at| {
        // TensorRT-LLM reads none: it replays graphs.
        at.rollout().filter(|own| own.engine != Engine::TensorrtLlm)?;
        let eager = "no CUDA graphs: slower steps, less memory";
        switch(at.rollout()?.enforce_eager, eager, "CUDA graphs: quicker decoding")
    }),
    row("disable_log_stats", PROFILE, |_| {
        says(flag(false), "the engine's log shows how full its cache and its batch are")
    }),
    // The engine reads the base model by itself, and is sent the adapters alone (`docs/advance/ppo_lora.rst`, for FSDP).
    row("load_format", Ignored("how weights come in at the start"), |at| {
        let reason = "with LoRA the engine reads the base model itself, and is sent the adapters";
        when(at.fsdp().and(at.lora()).is_some(), "safetensors", reason)
    }),
    row("layered_summon", Field("plan.weight_sync_parts"), |at| {
        let reason = "gathers the adapters layer by layer: less memory; veRL's LoRA scripts all do";
        let whole = at.layout.weight_sync_parts == Some(1);
        when(!whole && at.fsdp().and(at.lora()).is_some(), "True", reason)
    }),
    row("+engine_kwargs.vllm.kv_cache_dtype", Plan("kv_cache_dtype"), |at| half_cache(at, Engine::Vllm, "fp8")),
    row("+engine_kwargs.sglang.kv_cache_dtype", Plan("kv_cache_dtype"), |at| {
        half_cache(at, Engine::Sglang, "fp8_e5m2")
    }),
    row("+engine_kwargs.trtllm.kv_cache_config.dtype", Plan("kv_cache_dtype"), |at| {
        half_cache(at, Engine::TensorrtLlm, "fp8")
    }),
    row("quantization", Plan("precision"), |at| {
        when(at.rollout()?.precision == Precision::Fp8, "fp8", "from the plan")
    }),
    row("dtype", Plan("precision"), |at| when(at.rollout()?.precision == Precision::Fp16, "float16", "from the plan")),
];

const WEIGHTS: Meaning = Ignored("how weights reach the engine");

/// The engine that generates.
fn engine(at: &At) -> Option<&'static str> {
    Some(match at.rollout()?.engine {
        Engine::Vllm => "vllm",
        Engine::Sglang => "sglang",
        Engine::TensorrtLlm => "trtllm",
    })
}

fn half_cache(at: &At, engine: Engine, dtype: &str) -> Option<Said> {
    let own = at.rollout()?;
    let halved = own.kv_cache_dtype == KvCacheDtype::Fp8 && own.engine == engine;
    when(halved, dtype, "half the cache for each token, from the plan")
}

pub(super) const ROLLOUT_READ: Keys = &[
    ("engine_kwargs.vllm.disable_mm_preprocessor_cache", Ignored("a cache of images")),
    (
        "engine_kwargs.vllm.compilation_config.*|cudagraph_capture_sizes",
        Unmodelled("the estimate's CUDA graphs cover every batch"),
    ),
    ("engine_kwargs.*", Unmodelled("the estimate's engine runs by its defaults")),
    ("prompt_length", Ignored("data.max_prompt_length says it")),
    ("response_length", Ignored("data.max_response_length says it")),
    ("log_prob_micro_batch_size", Ignored("it counts all GPUs; log_prob_micro_batch_size_per_gpu counts one")),
    ("mode", Ignored("every engine is a server by now")),
    ("layer_name_map.*|checkpoint_engine.*", WEIGHTS),
    (
        "update_weights_bucket_megabytes",
        Renamed("actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes", "0.7.1"),
    ),
    ("enable_prefix_caching", Ignored("the estimate computes a prompt once for its responses")),
    ("pipeline_model_parallel_size", Unmodelled("the estimate's engine splits matrices alone")),
    ("disaggregation.*", Unmodelled("the estimate's engine does prefill and decoding")),
    ("mtp*", Unmodelled("state plan.rollout.speculative_speedup")),
    ("over_sample_rate", Unmodelled("the estimate waits for every response")),
    (
        "multi_turn.interaction_config_path",
        Removed("0.8.0", "an agent loop of your own takes its place (multi_turn.tool_config_path). Leave it out."),
    ),
    ("multi_turn.*|agent.*|chat_scheduler", TURNS),
    ("single_turn_response_length", Unmodelled("the estimate cuts a response at its longest alone")),
    ("multi_stage_wake_up", Ignored("the order in which memory comes back")),
    ("calculate_log_probs", Ignored("the engine's own log-probabilities come with sampling")),
    ("logprobs_mode", OBJECTIVE),
    ("enable_rollout_routing_replay", Ignored("which experts are taken")),
    ("moe_load_balance_metrics_interval|prometheus.*|profiler.*|trace.*|skip*", PROFILE),
    ("enable_sleep_mode", Unmodelled("the estimate goes by free_cache_engine")),
    ("moe_tensor_parallel_size", Unmodelled("the estimate splits experts by expert_parallel_size")),
    ("standalone_gpu_memory_utilization", Unmodelled("the estimate's engines have one share of the card")),
    ("temperature|top_k|top_p|do_sample|ignore_eos|seed|use_fire_sampling", SAMPLING),
    ("val_kwargs.*|val_before_train", Ignored("validation")),
    ("limit_images", DATA_SET),
    ("scheduling_policy|router_config_path", Ignored("the order of requests")),
    ("full_determinism", Unmodelled("the estimate's kernels are the quick ones")),
    ("quantization_config_file", Ignored("quantization says it")),
    ("qat*", Unmodelled("the estimate's engine has the weights as they are")),
];

/// `actor_rollout_ref.rollout.`, of an agent's turns (verl 0.9.1, `experimental/agent_loop/tool_agent_loop.py`).
pub(in crate::verl) const AGENT: &[Row] = &[
    row("multi_turn.enable", Field("workload.rl.agent"), |at| {
        when(at.rl()?.agent.is_some(), "True", "a response has several turns")
    }),
    row("multi_turn.max_assistant_turns", Field("workload.rl.agent.max_turns"), |at| {
        says(at.rl()?.agent?.max_turns, "the most turns that the model writes")
    }),
    row(
        "multi_turn.max_tool_response_length",
        Ignored("it counts characters; state tool_response_length in tokens"),
        |at| {
            // Four characters are about a token of English.
            let mean = at.rl()?.agent?.tool_response_length;
            says((mean * 8.0).ceil().max(1.0), "characters, not tokens: twice the mean answer")
        },
    ),
    row("multi_turn.tool_config_path", TURNS, |at| {
        at.rl()?.agent?;
        says(home("tools.yaml"), "change this to the file that names your tools")
    }),
    row("agent.default_agent_loop", TURNS, |at| {
        when(at.rl()?.agent.is_some(), "tool_agent", "for rows of your data that name no agent")
    }),
];

/// What the forward pass of the old log-probabilities takes.
pub(in crate::verl) const LOG_PROB: &[Row] = &[
    row("log_prob_use_dynamic_bsz", Ignored("veRL asks for the actor's use_dynamic_bsz"), |at| {
        says(flag(at.tokens().is_some()), "must be the actor's")
    }),
    row("log_prob_max_token_len_per_gpu", Field("plan.forward_max_tokens_per_gpu"), |at| {
        forward_tokens(at, "forward only: twice the actor's")
    }),
    row("log_prob_micro_batch_size_per_gpu", Field("plan.forward_micro_batch"), forward_micro),
];

/// `reward.`, since 0.7.1: a model that scores.
pub(in crate::verl) const REWARD_MODEL: &[Row] = &[
    row("reward_model.enable", Field("workload.rl.reward_model"), |_| says("True", "from your question")),
    row("reward_model.model_path", Field("workload.rl.reward_model"), |at| {
        let (path, reason) = model_path(at.rl()?.reward_model.as_ref()?);
        says(path, reason)
    }),
    say("reward_model.rollout.name", |at| says(engine(at)?, "served like the policy")),
    say("reward_model.rollout.tensor_model_parallel_size", |at| {
        says(at.rollout()?.tensor_parallel, "split like the policy")
    }),
    say("reward_model.rollout.gpu_memory_utilization", |at| {
        let own = share(at.rollout()?.gpu_memory_utilization);
        says(own, "it has the card when the policy's engine is asleep")
    }),
];

/// Data sources that veRL has rules for, in every version that texts are printed for (`utils/reward_score/__init__.py`);
/// a star stands for any ending.
const SCORED: &str = "openai/gsm8k, lighteval/MATH, DigitalLearningGmbH/MATH-lighteval, math_dapo, aime*, numina_*, codecontests, apps, codeforces, taco, hiyouga/geometry3k and searchR1_*";

/// `reward.custom_reward_function.`: veRL's own rules, by the data source of each row, or a function of one's own.
pub(in crate::verl) const REWARD_RULES: &[Row] = &[
    say("path", |_| {
        says(
            "null",
            format!(
                "veRL's own rule for each row's data_source: {SCORED}. For any other, the path of a Python file of yours"
            ),
        )
    }),
    say("name", |_| {
        says("compute_score", "the function in that file: of data_source, solution_str, ground_truth and extra_info")
    }),
];

pub(super) const REWARD_READ: Keys = &[
    ("reward_manager.*|reward_kwargs.*|custom_reward_function.*|sandbox_fusion.*", RULES),
    ("num_workers", Ignored("processes that score")),
    (
        "reward_model.enable_resource_pool|reward_model.nnodes|reward_model.n_gpus_per_node",
        Unmodelled("the estimate's reward model shares the GPUs"),
    ),
    ("reward_model.rollout.*|reward_model.*", Ignored("the estimate serves it like the policy")),
];

/// `reward_model.`, before 0.7.1. Release 0.9.1 takes most of it and reads none.
pub(super) const OLDER_REWARD_MODEL: Keys = &[
    ("enable", Renamed("reward.reward_model.enable", "0.7.1")),
    ("model.path", Renamed("reward.reward_model.model_path", "0.7.1")),
    ("reward_manager", Renamed("reward.reward_manager.name", "0.7.1")),
    ("num_workers", Renamed("reward.num_workers", "0.7.1")),
    ("use_reward_loop", Removed("0.7.1", "rewards are always computed in a loop of their own. Leave it out.")),
    ("launch_reward_fn_async", Removed("0.7.1", "rewards are always computed apart. Leave it out.")),
    ("reward_kwargs.*|overlong_buffer.*|reward_loop_*", RULES),
    ("sandbox_fusion.*", Renamed("reward.sandbox_fusion.*", "0.7.1")),
    ("rollout.*", Renamed("reward.reward_model.rollout.*", "0.7.1")),
    ("enable_resource_pool", Renamed("reward.reward_model.enable_resource_pool", "0.7.1")),
    ("nnodes", Renamed("reward.reward_model.nnodes", "0.7.1")),
    ("n_gpus_per_node", Renamed("reward.reward_model.n_gpus_per_node", "0.7.1")),
    (
        "*",
        Removed("0.7.1", "the reward model is served by an engine now, and its training keys are gone. Leave it out."),
    ),
];
