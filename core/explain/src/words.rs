//! What phases and parts are called, as on the page.

use shardwise_question::wire::Words;

/// What a phase is called.
pub(super) fn phase(name: &str) -> Words {
    match name {
        "train" => ("Training step", "训练步"),
        "rollout" => ("Rollout", "Rollout 生成"),
        "old_log_prob" => ("Old log-prob", "旧策略对数概率"),
        "reference" => ("Reference", "参考模型"),
        "values" => ("Values", "价值估计"),
        "reward" => ("Reward", "奖励"),
        "update_critic" => ("Critic update", "价值模型更新"),
        "update_actor" => ("Actor update", "策略更新"),
        "weight_sync" => ("Weight sync", "权重同步"),
        "driver" => ("Driver", "驱动进程"),
        _ => ("All phases", "所有阶段"),
    }
}

/// What a part of the memory is called.
pub(super) fn memory(part: &str) -> Words {
    match part {
        "parameters" => ("Parameters", "参数"),
        "gradients" => ("Gradients", "梯度"),
        "optimizer" => ("Optimizer", "优化器"),
        "activations" => ("Activations", "激活值"),
        "logits" => ("Logits", "Logits"),
        "kv_cache" => ("KV cache", "KV 缓存"),
        "rollout_weights" => ("Rollout weights", "Rollout 权重"),
        "frozen_weights" => ("Reference weights", "参考模型权重"),
        "communication" => ("Communication", "通信"),
        _ => ("CUDA, engine, slack", "CUDA、引擎、碎片"),
    }
}

/// What a part of the time is called.
pub(super) fn time(part: &str) -> Words {
    match part {
        "compute" => ("Forward and backward", "前向与反向"),
        "recompute" => ("Recomputation", "重计算"),
        "prefill" => ("Prefill", "预填充"),
        "decode" => ("Decode", "解码"),
        "tensor_parallel" => ("Tensor parallel", "张量并行"),
        "context_parallel" => ("Context parallel", "上下文并行"),
        "expert_parallel" => ("Expert parallel", "专家并行"),
        "pipeline_parallel" => ("Pipeline sends", "流水线发送"),
        "bubble" => ("Waiting", "等待"),
        "data_parallel" => ("Data parallel", "数据并行"),
        "optimizer" => ("Optimizer step", "优化器步"),
        "offload" => ("Offload", "卸载"),
        "weight_sync" => ("Weight sync", "权重同步"),
        _ => ("Overhead", "额外开销"),
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
