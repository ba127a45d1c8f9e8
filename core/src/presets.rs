//! Questions to start from: the tuning guides' own tables.

use crate::catalog::Source;
use crate::wire::{Question, parse_question};

/// A question to start from.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Stable identifier.
    pub id: &'static str,
    /// Name, in English.
    pub name_en: &'static str,
    /// Name, in Chinese.
    pub name_zh: &'static str,
    /// What a person should know about it, in English; may be empty.
    pub note_en: &'static str,
    /// The same in Chinese.
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

const LLMFORGE: Source = Source {
    url: "https://github.com/anyscale/templates/blob/main/templates/fine-tune-llm_v2/cookbooks/optimize_cost/README.md",
    date: "2024-01-01",
};
const VERL: Source = Source {
    url: "https://github.com/volcengine/verl/blob/main/docs/perf/perf_tuning.rst",
    date: "2026-11-20",
};
const CHATLEARN: Source = Source {
    url: "https://github.com/alibaba/ChatLearn/blob/main/docs/en/tutorial/tuning.md",
    date: "2025-10-23",
};

static PRESETS: [Preset; 4] = [
    Preset {
        id: "verl-qwen3-8b-grpo",
        name_en: "veRL: GRPO on Qwen3-8B, 8 × H100",
        name_zh: "veRL：Qwen3-8B GRPO，8 × H100",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/verl-qwen3-8b-grpo.json"),
        source: VERL,
    },
    Preset {
        id: "chatlearn-qwen3-30b-a3b-grpo",
        name_en: "ChatLearn: GRPO on Qwen3-30B-A3B, 8 × H20 141 GB",
        name_zh: "ChatLearn：Qwen3-30B-A3B GRPO，8 × H20 141 GB",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/chatlearn-qwen3-30b-a3b-grpo.json"),
        source: CHATLEARN,
    },
    Preset {
        id: "llmforge-llama-2-7b",
        name_en: "LLMForge: Llama-2-7B, 8 × A100 80 GB",
        name_zh: "LLMForge：Llama-2-7B，8 × A100 80 GB",
        note_en: "The guide measured 102.58 million tokens per hour at $40.77 per hour: $0.397 per million tokens. It prints 0.69; its cost columns for Llama-2-7B and Mixtral are swapped and each is in reverse order.",
        note_zh: "该指南测得每小时 1.0258 亿 token，每小时 $40.77，即每百万 token $0.397。表中印的是 0.69：Llama-2-7B 与 Mixtral 两列成本互换，且各列顺序颠倒。",
        json: include_str!("presets/llmforge-llama-2-7b.json"),
        source: LLMFORGE,
    },
    Preset {
        id: "lora-llama-3.1-8b",
        name_en: "LoRA on Llama-3.1-8B, 1 × L40S",
        name_zh: "LoRA：Llama-3.1-8B，1 × L40S",
        note_en: "",
        note_zh: "",
        json: include_str!("presets/lora-llama-3.1-8b.json"),
        source: LLMFORGE,
    },
];

/// All presets, in the order in which they are offered.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}
