//! Generations of engines, by their versions.

use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::{Engine, EngineVersion};

/// Heads in flight, and tokens of context, beyond which vLLM's paged attention of 2024 split a sequence no further
/// (`vllm/attention/ops/paged_attn.py`, `use_v1`): a kernel that is slow on AMD's cards. Today's has neither
/// (`vllm/v1/attention/ops/paged_attn.py` at 0ebfbf18 writes the cache alone).
pub const MANY: f64 = 512.0;

/// vLLM from here on replays whole decoding steps as CUDA graphs and schedules the next one meanwhile: releases since then
/// and before are fitted apart.
pub const TODAYS_VLLM: EngineVersion = EngineVersion::new(0, 12, 0);

/// Whether an engine is of an older generation than today's.
pub(super) fn is_early(plan: &RolloutPlan) -> bool {
    plan.engine == Engine::Vllm && plan.engine_version.is_some_and(|version| version < TODAYS_VLLM)
}

/// The entry of `efficiency.toml` of the engine and version that a plan asks for.
#[must_use]
pub fn entry(plan: &RolloutPlan) -> &'static str {
    match plan.engine {
        Engine::Vllm if is_early(plan) => "early_vllm",
        Engine::Vllm => "vllm",
        Engine::Sglang => "sglang",
        Engine::TensorrtLlm => "tensorrt_llm",
    }
}
