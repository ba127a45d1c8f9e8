//! Questions to start from: the tuning guides' own tables, and measured or published recipes.

use crate::wire::{Question, parse_question};
use shardwise_catalog::catalog::Source;

/// A question to start from.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Stable identifier.
    pub id: &'static str,
    /// Who states it.
    pub group: &'static str,
    /// Task, model and machine.
    pub name: &'static str,
    /// What a person should know about it, in English; may be empty.
    pub note_en: &'static str,
    /// What a person should know about it, in Chinese; may be empty.
    pub note_zh: &'static str,
    /// The question as JSON.
    pub json: &'static str,
    /// Where it comes from.
    pub source: Source,
}

impl Preset {
    /// The question; `None` never happens for a preset of this table, which a test checks.
    #[must_use]
    pub fn question(&self) -> Option<Question> {
        parse_question(self.json).ok()
    }
}

const VERL: Source =
    Source { url: "https://github.com/volcengine/verl/blob/main/docs/perf/perf_tuning.rst", date: "2026-11-20" };
const DAPO: Source = Source {
    url: "https://github.com/verl-project/verl-recipe/blob/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/dapo/README.md",
    date: "2026-11-21",
};
const PRACTICE: Source = Source {
    url: "https://github.com/ISEEKYAN/verl_megatron_practice/tree/dfd811adc3e42edc0d5b32cdfca5e7ad9df5c4f0",
    date: "2026-11-20",
};
const NEMO_RL: Source =
    Source { url: "https://github.com/NVIDIA-NeMo/RL/blob/main/docs/about/performance-summary.md", date: "2026-11-20" };
const CHATLEARN: Source =
    Source { url: "https://github.com/alibaba/ChatLearn/blob/main/docs/en/tutorial/tuning.md", date: "2025-10-23" };
const LLMFORGE: Source = Source {
    url: "https://github.com/anyscale/templates/blob/main/templates/fine-tune-llm_v2/cookbooks/optimize_cost/README.md",
    date: "2024-01-01",
};
const TORCHTITAN: Source = Source {
    url: "https://github.com/pytorch/torchtitan/blob/main/benchmarks/llama3_h100_202412_torchtitan.md",
    date: "2026-11-20",
};
const MODEL_ZOO: Source = Source {
    url: "https://github.com/yanring/Megatron-MoE-ModelZoo/blob/main/best_practice/qwen3/readme.md",
    date: "2026-11-20",
};
const LITGPT: Source =
    Source { url: "https://github.com/Lightning-AI/litgpt/blob/main/tutorials/resource-tables.md", date: "2026-11-20" };

/// What to know about the lengths of `verl_megatron_practice`.
const DERIVED: [&str; 2] = [
    "The table gives the step's time and throughput; the mean lengths are worked out from them.",
    "表中给出每步耗时与吞吐量；平均长度由此推算。",
];

static PRESETS: [Preset; 14] = [
    Preset {
        id: "verl-qwen3-8b-grpo",
        group: "veRL",
        name: "GRPO · Qwen3-8B · 8 × H100",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/verl-qwen3-8b-grpo.json"),
        source: VERL,
    },
    Preset {
        id: "recipe-dapo-qwen2.5-32b",
        group: "veRL",
        name: "DAPO · Qwen2.5-32B · 128 × H800",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/recipe-dapo-qwen2.5-32b.json"),
        source: DAPO,
    },
    Preset {
        id: "practice-dapo-qwen2.5-math-7b",
        group: "verl_megatron_practice",
        name: "DAPO · Qwen2.5-Math-7B · 8 × H100",
        note_en: DERIVED[0],
        note_zh: DERIVED[1],
        json: include_str!("presets/practice-dapo-qwen2.5-math-7b.json"),
        source: PRACTICE,
    },
    Preset {
        id: "practice-dapo-qwen3-30b-a3b",
        group: "verl_megatron_practice",
        name: "DAPO · Qwen3-30B-A3B · 16 × H100",
        note_en: DERIVED[0],
        note_zh: DERIVED[1],
        json: include_str!("presets/practice-dapo-qwen3-30b-a3b.json"),
        source: PRACTICE,
    },
    Preset {
        id: "practice-dapo-qwen2.5-32b",
        group: "verl_megatron_practice",
        name: "DAPO · Qwen2.5-32B · 32 × H20",
        note_en: DERIVED[0],
        note_zh: DERIVED[1],
        json: include_str!("presets/practice-dapo-qwen2.5-32b.json"),
        source: PRACTICE,
    },
    Preset {
        id: "nemo-rl-llama-3.1-8b",
        group: "NeMo-RL",
        name: "GRPO · Llama-3.1-8B · 16 × H100",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/nemo-rl-llama-3.1-8b.json"),
        source: NEMO_RL,
    },
    Preset {
        id: "nemo-rl-deepseek-v3",
        group: "NeMo-RL",
        name: "GRPO · DeepSeek-V3 · 256 × H100",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/nemo-rl-deepseek-v3.json"),
        source: NEMO_RL,
    },
    Preset {
        id: "chatlearn-qwen3-30b-a3b-grpo",
        group: "ChatLearn",
        name: "GRPO · Qwen3-30B-A3B · 8 × H20 141 GB",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/chatlearn-qwen3-30b-a3b-grpo.json"),
        source: CHATLEARN,
    },
    Preset {
        id: "llmforge-llama-2-7b",
        group: "LLMForge",
        name: "SFT · Llama-2-7B · 8 × A100 80 GB",
        note_en: "The guide measured 102.58 million tokens per hour at $40.77 per hour: $0.397 per million tokens. It prints 0.69; its cost columns for Llama-2-7B and Mixtral are swapped and each is in reverse order.",
        note_zh: "该指南测得每小时 1.0258 亿 token，每小时 $40.77，即每百万 token $0.397。表中印的是 0.69：Llama-2-7B 与 Mixtral 两列成本互换，且各列顺序颠倒。",
        json: include_str!("presets/llmforge-llama-2-7b.json"),
        source: LLMFORGE,
    },
    Preset {
        id: "llmforge-mixtral-8x7b",
        group: "LLMForge",
        name: "SFT · Mixtral-8x7B · 8 × A100 80 GB",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/llmforge-mixtral-8x7b.json"),
        source: LLMFORGE,
    },
    Preset {
        id: "llmforge-llama-2-70b",
        group: "LLMForge",
        name: "SFT · Llama-2-70B · 8 × A100 80 GB",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/llmforge-llama-2-70b.json"),
        source: LLMFORGE,
    },
    Preset {
        id: "torchtitan-llama-3.1-8b",
        group: "torchtitan",
        name: "Pretrain · Llama-3.1-8B · 8 × H100 96 GB",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/torchtitan-llama-3.1-8b.json"),
        source: TORCHTITAN,
    },
    Preset {
        id: "modelzoo-qwen3-235b-a22b",
        group: "Megatron-MoE-ModelZoo",
        name: "Pretrain · Qwen3-235B-A22B · 256 × H100",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/modelzoo-qwen3-235b-a22b.json"),
        source: MODEL_ZOO,
    },
    Preset {
        id: "litgpt-qlora-llama-2-13b",
        group: "LitGPT",
        name: "QLoRA · Llama-2-13B · 1 × A100 40 GB",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/litgpt-qlora-llama-2-13b.json"),
        source: LITGPT,
    },
];

/// All presets, in the order in which they are offered.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}
