//! The questions whose search is timed, natively and in the browser.

use serde_json::json;
use shardwise_core::search::sweep::Sweep;
use shardwise_core::wire::{Question, parse_question, question_from_value};

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

/// Large models with experts under RL: model, GPU, how many, schedule. An estimate is to take 100 ms at most, all GPU types
/// one second.
#[allow(dead_code, reason = "each bench has its own")]
pub(crate) const LARGE: [(&str, &str, u64, &str); 16] = [
    ("deepseek-v3", "h800-sxm", 512, "colocated"),
    ("deepseek-v3", "h100-sxm", 256, "colocated"),
    ("deepseek-v3", "h800-sxm", 4096, "colocated"),
    ("deepseek-v3", "h800-sxm", 4096, "split"),
    ("deepseek-v3", "h800-sxm", 4096, "one_step_off"),
    ("glm-5", "h800-sxm", 4096, "split"),
    ("glm-5", "h200-sxm", 64, "colocated"),
    ("glm-5", "h800-sxm", 768, "one_step_off"),
    ("glm-5", "h800-sxm", 2048, "split"),
    ("glm-5", "h800-sxm", 4096, "fully_async"),
    ("kimi-k2", "h200-sxm", 128, "colocated"),
    ("kimi-k2", "h200-sxm", 512, "split"),
    ("kimi-k2", "h200-sxm", 1024, "one_step_off"),
    ("kimi-k2", "h200-sxm", 4096, "fully_async"),
    ("qwen3-30b-a3b", "h100-sxm", 64, "colocated"),
    ("qwen3-30b-a3b", "h100-sxm", 256, "split"),
];

/// A question of [`LARGE`], by its name.
#[allow(dead_code, reason = "each bench has its own")]
pub(crate) fn large((model, gpu, gpus, schedule): (&str, &str, u64, &str)) -> (String, Question) {
    let question = json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 256, "responses_per_prompt": 8,
            "max_prompt_length": 1024, "max_response_length": 8192, "mean_prompt_length": 300,
            "mean_response_length": 2000, "response_length_cv": 0.7, "mini_batch": 64, "schedule": schedule}}});
    let question = question_from_value(question).unwrap_or_else(|error| panic!("{model}: {error}"));
    (format!("{model}, {gpus} {gpu}, {schedule}"), question)
}

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
        .fold((0, 0), |(considered, evaluated), found| (considered + found.considered, evaluated + found.evaluated))
}
