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

/// Frameworks load `FlashAttention`-2 where nothing else is asked of them: an answer that names one is priced with it, and one that
/// names none says what it is priced with.
#[test]
fn attention_is_as_fast_as_the_named_framework_runs_it() {
    let asked = |framework: Option<&str>, kernel: Option<&str>| {
        let own = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8}, "framework": framework,
            "workload": {"kind": "sft", "sequence_length": 32768, "global_batch": 16},
            "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 1,
                "recompute": "full", "attention_kernel": kernel}});
        let answer = estimate(&question_from_value(own).unwrap()).unwrap();
        (answer.step_time_s, answer.caveats.iter().any(|own| own.id == "newest-kernel"))
    };
    let (newest, said) = asked(None, None);
    assert!(said);
    assert_eq!(asked(None, Some("flash3")), (newest, false));
    for framework in ["llamafactory", "axolotl", "trl", "ms-swift"] {
        let own = asked(Some(framework), None);
        assert_eq!(own, asked(Some(framework), Some("flash2")), "{framework}");
        assert!(own.0 > 1.1 * newest && !own.1, "{framework}");
    }
}

/// On FSDP the known runs have adapters of their trainer's own; a named framework has those that it puts on, as fast as on
/// `DeepSpeed` where the host has its hooks run in time.
#[test]
fn adapters_take_as_long_as_the_named_frameworks_do() {
    let asked = |framework: Option<&str>, backend: &str| {
        let own = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8}, "framework": framework,
            "workload": {"kind": "lora", "sequence_length": 4096, "global_batch": 64},
            "plan": {"backend": backend, "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 2,
                "recompute": "none", "attention_kernel": "flash2"}});
        let answer = estimate(&question_from_value(own).unwrap()).unwrap();
        (answer.step_time_s, answer.caveats.iter().any(|own| own.id == "own-adapters"))
    };
    let (unnamed, said) = asked(None, "fsdp");
    assert!(said);
    for framework in ["verl", "trl", "llamafactory", "ms-swift"] {
        let (seconds, said) = asked(Some(framework), "fsdp");
        assert!(seconds > 1.05 * unnamed && !said, "{framework}");
    }
    let (automodel, said) = asked(Some("nemo-rl"), "fsdp");
    assert!((automodel / unnamed - 1.0).abs() < 0.05 && !said);
    let [unsloth, swift] = ["unsloth", "ms-swift"].map(|own| asked(Some(own), "ddp").0);
    assert!(unsloth < 0.9 * swift);
    assert!(asked(Some("axolotl"), "fsdp").0 < 0.95 * unnamed);
    let (peft, said) = asked(None, "deepspeed");
    assert!((peft / asked(Some("trl"), "fsdp").0 - 1.0).abs() < 0.05 && !said);
}
