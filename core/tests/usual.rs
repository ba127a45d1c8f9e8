//! What is usual makes a question of any task that names no sizes.

use serde_json::json;
use shardwise_core::wire::{WorkloadKind, question_from_value};
use shardwise_core::{estimate, usual};

#[test]
fn every_task_is_answered_by_its_name_alone() {
    for kind in WorkloadKind::ALL {
        let own = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 8}, "workload": {"kind": kind.as_str()}});
        let question = question_from_value(own).and_then(|question| usual::filled(&question));
        let answer = question.as_ref().map_err(Clone::clone).and_then(estimate);
        assert!(answer.is_ok_and(|answer| answer.step_time_s > 0.0), "{}", kind.as_str());
        assert_eq!(question.as_ref().map(usual::filled), Ok(question.clone()), "what is there stays");
    }
}
