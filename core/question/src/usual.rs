//! What is asked where a question names no more than a model, GPUs and a task: an embed's attributes, a line in a page of
//! documentation, a task that was just chosen in the form.

use serde_json::Value;

use crate::wire::{Question, WorkloadKind, at, put, question_from_value, to_value};
use shardwise_catalog::error::InputError;

/// The teacher where nobody names one: that of veRL's own script,
/// `examples/on_policy_distillation_trainer/run_qwen3_8b_fsdp.sh`.
pub const TEACHER: &str = "qwen3-32b";

const RL: &[(&str, u64)] = &[
    ("workload.rl.prompts_per_step", 512),
    ("workload.rl.max_prompt_length", 1024),
    ("workload.rl.max_response_length", 3072),
];
const GENERATION: &[(&str, u64)] = &[
    ("workload.rollout.requests", 1024),
    ("workload.rollout.mean_prompt_length", 512),
    ("workload.rollout.mean_response_length", 1024),
];
const TRAINING: &[(&str, u64)] = &[("workload.sequence_length", 4096), ("workload.global_batch", 64)];

/// The sizes without which a task is none, each at its path.
///
/// ```
/// use shardwise_core::{usual::sizes, wire::WorkloadKind};
/// assert_eq!(sizes(WorkloadKind::Sft), [("workload.sequence_length", 4096), ("workload.global_batch", 64)]);
/// ```
#[must_use]
pub fn sizes(kind: WorkloadKind) -> &'static [(&'static str, u64)] {
    if kind.algorithm().is_some() {
        RL
    } else if kind == WorkloadKind::Rollout {
        GENERATION
    } else {
        TRAINING
    }
}

/// A question with what is usual where it does not say how large its task is, or who teaches.
///
/// # Errors
/// None in practice: what is put in is what the question could say.
///
/// ```
/// use shardwise_core::{usual::filled, wire};
/// let text = r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm"},
///   "workload": {"kind": "grpo", "rl": {"prompts_per_step": 256}}}"#;
/// let rl = filled(&wire::parse_question(text).unwrap()).unwrap().workload.rl.unwrap();
/// assert_eq!((rl.prompts_per_step, rl.max_prompt_length), (Some(256), Some(1024)));
/// ```
pub fn filled(question: &Question) -> Result<Question, InputError> {
    let kind = question.workload.kind;
    let mut document = to_value(question);
    let mut say = |path: &str, value: Value| {
        if at(&document, path).is_null() {
            put(&mut document, path, value);
        }
    };
    for (path, size) in sizes(kind) {
        say(path, Value::from(*size));
    }
    if kind == WorkloadKind::Distill {
        say("workload.distillation.teacher", Value::from(TEACHER));
    }
    question_from_value(document)
}
