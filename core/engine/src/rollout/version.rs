//! Generations of engines, by their versions.

use shardwise_catalog::efficiency::{Efficiency, EngineEfficiency};
use shardwise_catalog::hardware::Hardware;
use shardwise_question::plan::RolloutPlan;
use shardwise_question::wire::{Engine, EngineVersion};

/// Heads in flight, and tokens of context, beyond which vLLM's paged attention of 2024 split a sequence no further
/// (`vllm/attention/ops/paged_attn.py`, `use_v1`): a kernel that is slow on AMD's cards. Today's has neither
/// (`vllm/v1/attention/ops/paged_attn.py` at 0ebfbf18 writes the cache alone).
pub const MANY: f64 = 512.0;

/// vLLM from here on replays whole decoding steps as CUDA graphs and schedules the next one meanwhile: releases since then
/// and before are fitted apart.
pub const TODAYS_VLLM: EngineVersion = EngineVersion::new(0, 12, 0);

/// vLLM from here on has no engine but its second, V1: with the first went every kernel of attention of 2024
/// (<https://github.com/vllm-project/vllm/releases/tag/v0.11.0>: "V0 engine code including ... all attention backends ... have been
/// removed").
const SECOND: EngineVersion = EngineVersion::new(0, 11, 0);

/// vLLM from here on, until [`NARROW`], decodes on Hopper with `FlashAttention`-3 as it came, in tiles of 128 rows.
const WIDE: EngineVersion = EngineVersion::new(0, 7, 0);

/// vLLM from here on decodes with one warp group and so with half the rows
/// (<https://github.com/vllm-project/flash-attention/pull/63>, of 18 April 2025; 0.8.4 is of the 14th).
const NARROW: EngineVersion = EngineVersion::new(0, 8, 5);

/// Rows of decoding attention's smallest tile. On H20 that decides: QwQ-32B with TP 4 decodes 64 sequences of 12,000 tokens in 70 ms with
/// the wide one (<https://github.com/sgl-project/sglang/issues/5630>), of which its products take 53 at the rate that training reaches.
pub(super) fn tile(plan: &RolloutPlan, hardware: &Hardware) -> f64 {
    let wide = |version: EngineVersion| (WIDE..NARROW).contains(&version);
    let first = plan.engine == Engine::Vllm && plan.engine_version.is_some_and(wide);
    if first && hardware.is_of("Hopper") { 128.0 } else { 64.0 }
}

/// Whether an engine is of an older generation than today's.
pub(crate) fn is_early(plan: &RolloutPlan) -> bool {
    plan.engine == Engine::Vllm && plan.engine_version.is_some_and(|version| version < TODAYS_VLLM)
}

/// Whether an engine may still be vLLM's first, of which the runs of 2024 on AMD's cards are.
#[must_use]
pub fn is_first(plan: &RolloutPlan) -> bool {
    plan.engine == Engine::Vllm && plan.engine_version.is_some_and(|version| version < SECOND)
}

/// Seconds that an engine inside an RL trainer takes on the host for each sequence and step.
///
/// vLLM's driver hands each step's inputs to all of a tensor-parallel group. `SGLang` is a server there, too (`launch_server_process` of
/// slime's `slime/backends/sglang_utils/sglang_engine.py` at 624b824; veRL's `SGLangHttpServer`), whose ranks have a scheduler each:
/// a request reaches them once (`recv_requests` of `python/sglang/srt/managers/scheduler.py`: "Receive results at tp_rank = 0 and
/// broadcast it to all other TP ranks"). 256 responses of Qwen3.5-9B on 8 H100 take 93, 73 and 69 s with groups of 1, 2 and 4 (Miles
/// at 8f409c7c), where as many handed over as by vLLM made the largest group the slowest.
pub(super) fn sequence_s(plan: &RolloutPlan, constants: &EngineEfficiency) -> f64 {
    match plan.engine {
        Engine::Sglang => constants.sequence_s,
        Engine::Vllm | Engine::TensorrtLlm => {
            constants.rl_sequence_s * (1.0 + libm::log2(f64::from(plan.tensor_parallel)))
        }
    }
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

/// What engines since vLLM's second are slow in on AMD's cards, where they are as fast as others' in all else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amd {
    /// Seconds of a layer of a decoding step, beside what it takes elsewhere.
    pub(super) layer_s: f64,
    /// Speed of experts.
    pub(super) experts: f64,
}

impl Amd {
    /// What is known of it.
    pub(super) fn of(plan: &RolloutPlan, hardware: &Hardware, efficiency: &Efficiency) -> Option<Self> {
        let own = Self { layer_s: efficiency.amd_layer_s, experts: efficiency.amd_experts };
        (hardware.architecture.starts_with("CDNA") && !is_first(plan)).then_some(own)
    }
}
