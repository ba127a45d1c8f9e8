//! What phases and parts are called, as on the page.

/// What a phase is called.
pub(super) fn phase(name: &str) -> &'static str {
    match name {
        "train" => "Training step",
        "rollout" => "Rollout",
        "old_log_prob" => "Old log-prob",
        "mismatched" => "Mismatched",
        "reference" => "Reference",
        "values" => "Values",
        "update_reward" => "Reward model update",
        "reward" => "Reward",
        "reward_reference" => "Reward model's reference",
        "teacher" => "Teacher",
        "update_critic" => "Critic update",
        "update_actor" => "Actor update",
        "weight_sync" => "Weight sync",
        "driver" => "Driver",
        _ => "All phases",
    }
}

/// What a part of the memory is called.
pub(super) fn memory(part: &str) -> &'static str {
    match part {
        "parameters" => "Parameters",
        "gradients" => "Gradients",
        "optimizer" => "Optimizer",
        "activations" => "Activations",
        "logits" => "Logits",
        "kv_cache" => "KV cache",
        "rollout_weights" => "Rollout weights",
        "frozen_weights" => "Frozen weights",
        "communication" => "Communication",
        _ => "CUDA, engine, slack",
    }
}

/// What a part of the time is called.
pub(super) fn time(part: &str) -> &'static str {
    match part {
        "compute" => "Forward and backward",
        "recompute" => "Recomputation",
        "prefill" => "Prefill",
        "decode" => "Decode",
        "tools" => "Waiting for tools",
        "tensor_parallel" => "Tensor parallel",
        "context_parallel" => "Context parallel",
        "expert_parallel" => "Expert parallel",
        "pipeline_parallel" => "Pipeline sends",
        "bubble" => "Waiting",
        "data_parallel" => "Data parallel",
        "optimizer" => "Optimizer step",
        "offload" => "Offload",
        "weight_sync" => "Weight sync",
        _ => "Overhead",
    }
}

/// The symbol of a part.
pub(super) fn symbol(part: &'static str) -> &'static str {
    match part {
        "kv_cache" => "kv",
        "rollout_weights" => "rollout",
        "frozen_weights" => "frozen",
        "tensor_parallel" => "TP",
        "context_parallel" => "CP",
        "expert_parallel" => "EP",
        "pipeline_parallel" => "PP",
        "data_parallel" => "DP",
        "weight_sync" => "sync",
        other => other,
    }
}
