//! The engines: rollout and reward model.

use super::super::Emission;
use super::super::text::{Section, flag, model_path, share};
use super::super::words::{gib, plural};
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::{Backend, Engine, KvCacheDtype, Precision};
use shardwise_question::workload::Rl;
use shardwise_rules::pools;

const ROLLOUT: &str = "actor_rollout_ref.rollout";

/// The engine that generates, and how many of them there are.
pub(super) fn generation(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Section {
    let (_, gpus) = pools(emission.job);
    let replicas = u64::from(gpus / rollout.gpus().max(1));
    let mut section = Section::new(format!("Rollout: {}", plural(replicas, "engine", "engines")));
    let vllm = rollout.engine == Engine::Vllm;
    let name = if vllm { "vllm" } else { "sglang" };
    set(&mut section, "name", name, "from the plan");
    split(&mut section, rollout, replicas);
    sizes(&mut section, emission, rl, rollout, replicas);
    let reason = if rollout.free_cache { "hands the KV cache back for training" } else { "the KV cache stays" };
    set(&mut section, "free_cache_engine", flag(rollout.free_cache), reason);
    let reason = if rollout.enforce_eager {
        "no CUDA graphs: slower steps, less memory"
    } else {
        "CUDA graphs: quicker decoding"
    };
    set(&mut section, "enforce_eager", flag(rollout.enforce_eager), reason);
    set(&mut section, "disable_log_stats", flag(false), "the engine's log shows how full its cache and its batch are");
    adapters(&mut section, emission);
    precision(&mut section, rollout);
    section
}

fn set(section: &mut Section, name: &str, value: impl ToString, reason: impl Into<String>) {
    section.set(format!("{ROLLOUT}.{name}"), value.to_string(), reason.into());
}

/// How the GPUs of one engine share its work.
fn split(section: &mut Section, rollout: &RolloutPlan, replicas: u64) {
    let reason = match (rollout.tensor_parallel, replicas) {
        (1, 1) => "each GPU is an engine".to_owned(),
        (1, _) => format!("each GPU is an engine: {replicas}, the most there can be"),
        (tp, _) => format!("{tp} GPUs hold the weights and their cache"),
    };
    set(section, "tensor_model_parallel_size", rollout.tensor_parallel, reason);
    if rollout.data_parallel > 1 {
        let reason = "attention ranks in one engine";
        set(section, "data_parallel_size", rollout.data_parallel, reason);
    }
    if rollout.expert_parallel > 1 {
        let reason = "all GPUs of an engine share the experts";
        set(section, "expert_parallel_size", rollout.expert_parallel, reason);
    }
}

/// Memory, sequences and tokens of one engine.
fn sizes(section: &mut Section, emission: &Emission, rl: &Rl, rollout: &RolloutPlan, replicas: u64) {
    let phases = &emission.answer.memory.phases;
    let cache = phases.iter().find(|phase| phase.name == "rollout");
    let reason = match cache {
        Some(phase) if phase.parts.kv_cache > 0.0 => {
            format!("KV cache of {} beside weights of {}", gib(phase.parts.kv_cache), gib(phase.parts.rollout_weights))
        }
        _ => "share of the card for weights and KV cache".to_owned(),
    };
    set(section, "gpu_memory_utilization", share(rollout.gpu_memory_utilization), reason);
    let waiting = rl.sequences().div_ceil(replicas.max(1));
    let reason = format!("decoded together; each engine gets {} a step", plural(waiting, "sequence", "sequences"));
    set(section, "max_num_seqs", rollout.max_num_seqs, reason);
    if rollout.engine == Engine::Vllm {
        let reason = if rollout.max_num_batched_tokens > 2048 { "above the guide's 2,048" } else { "from the plan" };
        set(section, "max_num_batched_tokens", rollout.max_num_batched_tokens, reason);
    }
    let reason = "prompt and response; the cache plans for no longer ones";
    set(section, "max_model_len", rl.max_length(), reason);
}

/// What the cache and the engine's weights are kept in.
fn precision(section: &mut Section, rollout: &RolloutPlan) {
    if rollout.kv_cache_dtype == KvCacheDtype::Fp8 {
        let (engine, dtype) = match rollout.engine {
            Engine::Vllm => ("vllm", "fp8"),
            Engine::Sglang => ("sglang", "fp8_e5m2"),
        };
        section.set(
            format!("+{ROLLOUT}.engine_kwargs.{engine}.kv_cache_dtype"),
            dtype,
            "half the cache for each token, from the plan",
        );
    }
    match rollout.precision {
        Precision::Fp8 => set(section, "quantization", "fp8", "from the plan"),
        Precision::Fp16 => set(section, "dtype", "float16", "from the plan"),
        Precision::Bf16 | Precision::Mxfp8 | Precision::Nvfp4 => {}
    }
}

/// The engine reads the base model by itself, and is sent the adapters alone (`docs/advance/ppo_lora.rst`, for FSDP).
fn adapters(section: &mut Section, emission: &Emission) {
    if emission.job.workload.lora.is_none() || emission.plan.layout.backend != Backend::Fsdp {
        return;
    }
    section.set(
        format!("{ROLLOUT}.load_format"),
        "safetensors",
        "with LoRA the engine reads the base model itself, and is sent the adapters",
    );
    section.set(
        format!("{ROLLOUT}.layered_summon"),
        "True",
        "gathers the adapters layer by layer: less memory; veRL's LoRA scripts all do",
    );
}

/// Data sources that veRL has rules for, in every version that texts are printed for (`utils/reward_score/__init__.py`);
/// a star stands for any ending.
const SCORED: &str = "openai/gsm8k, lighteval/MATH, DigitalLearningGmbH/MATH-lighteval, math_dapo, aime*, numina_*, codecontests, apps, codeforces, taco, hiyouga/geometry3k and searchR1_*";

pub(super) fn reward(rl: &Rl, rollout: &RolloutPlan) -> Section {
    let Some(model) = &rl.reward_model else {
        return rules();
    };
    let mut section = Section::new("Reward model");
    {
        let (path, reason) = model_path(model);
        section.set("reward.reward_model.enable", "True", "from your question");
        section.set("reward.reward_model.model_path", path, reason);
        let name = if rollout.engine == Engine::Vllm { "vllm" } else { "sglang" };
        section.set("reward.reward_model.rollout.name", name, "served like the policy");
        section.set(
            "reward.reward_model.rollout.tensor_model_parallel_size",
            rollout.tensor_parallel,
            "split like the policy",
        );
        section.set(
            "reward.reward_model.rollout.gpu_memory_utilization",
            share(rollout.gpu_memory_utilization),
            "it has the card when the policy's engine is asleep",
        );
    }
    section
}

/// Rewards by rules: veRL's own, by the data source of each row, or a function of one's own.
fn rules() -> Section {
    let mut section = Section::new("Rewards by rules");
    section.set(
        "reward.custom_reward_function.path",
        "null",
        format!(
            "veRL's own rule for each row's data_source: {SCORED}. For any other, the path of a Python file of yours"
        ),
    );
    section.set(
        "reward.custom_reward_function.name",
        "compute_score",
        "the function in that file: of data_source, solution_str, ground_truth and extra_info",
    );
    section
}
