//! The questions whose search is timed, natively and in the browser.

use shardwise_core::search::sweep::Sweep;
use shardwise_core::wire::{Question, parse_question};

/// A question that leaves its whole plan open, for every GPU type of the catalog.
pub(crate) struct Timed {
    pub(crate) name: &'static str,
    text: &'static str,
    /// What one search over all GPU types may take, natively and in the browser, in milliseconds.
    #[allow(dead_code, reason = "each bench has its own")]
    pub(crate) targets_ms: [f64; 2],
}

/// Training in 16 and 33 ms, RL in 100 and 200.
pub(crate) const TIMED: &[Timed] = &[
    Timed {
        name: "Llama-3.1-70B, 64 GPUs",
        text: r#"{"version": 1, "model": "llama-3.1-70b", "hardware": {"gpu": "h100-sxm", "gpus": 64},
            "workload": {"kind": "sft", "sequence_length": 8192, "global_batch": 128}}"#,
        targets_ms: [16.0, 33.0],
    },
    Timed {
        name: "Qwen3-30B-A3B, 64 GPUs",
        text: r#"{"version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "h100-sxm", "gpus": 64},
            "workload": {"kind": "sft", "sequence_length": 8192, "global_batch": 256}}"#,
        targets_ms: [16.0, 33.0],
    },
    Timed {
        name: "DeepSeek-V3, 256 GPUs",
        text: r#"{"version": 1, "model": "deepseek-v3", "hardware": {"gpu": "h100-sxm", "gpus": 256},
            "workload": {"kind": "pretrain", "sequence_length": 4096, "global_batch": 2048}}"#,
        targets_ms: [16.0, 33.0],
    },
    Timed {
        name: "GRPO Qwen3-8B, 64 GPUs",
        text: r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 64},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 512, "responses_per_prompt": 16,
                "max_prompt_length": 1024, "max_response_length": 3072, "mean_prompt_length": 184,
                "mean_response_length": 1246, "response_length_cv": 0.6, "mini_batch": 128}}}"#,
        targets_ms: [100.0, 200.0],
    },
    Timed {
        name: "GRPO Qwen3-30B-A3B, 64 GPUs",
        text: r#"{"version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "h100-sxm", "gpus": 64},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 512, "responses_per_prompt": 16,
                "max_prompt_length": 1024, "max_response_length": 8192, "mean_prompt_length": 184,
                "mean_response_length": 2400, "response_length_cv": 0.8, "mini_batch": 128}}}"#,
        targets_ms: [100.0, 200.0],
    },
];

impl Timed {
    /// The question.
    pub(crate) fn question(&self) -> Question {
        parse_question(self.text).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// The best plan on every GPU type: plans considered for it, and those whose time was computed.
pub(crate) fn every_gpu(question: &Question) -> (u64, u64) {
    Sweep::every_gpu(question)
        .filter_map(|offer| offer.result.ok())
        .fold((0, 0), |(considered, evaluated), found| {
            (considered + found.considered, evaluated + found.evaluated)
        })
}
