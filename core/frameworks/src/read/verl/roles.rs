//! The roles beside the actor: critic and reference policy.

use serde_json::{Map, Value, json};

use super::engine::{self, Role};
use crate::read::draft::Draft;
use shardwise_catalog::catalog;

const CRITIC: Role = Role {
    field: "plan.critic",
    megatron: "critic.megatron.",
    fsdp: "critic.fsdp.",
    optim: "critic.optim.",
    model: "critic.model.",
    ulysses: "critic.ulysses_sequence_parallel_size",
};
pub(super) const REF: &str = "actor_rollout_ref.ref";

/// The critic's model and layout; the layout stays out where it is the actor's.
pub(super) fn critic(draft: &mut Draft, actor_megatron: bool) {
    if draft.states("critic.model.path") {
        draft.take_model("critic.model.path", "workload.rl.critic");
    } else {
        let model = draft.field("model").cloned().unwrap_or(Value::Null);
        draft.assume(
            "workload.rl.critic",
            model,
            "veRL's default critic is deepseek-llm-7b-chat; the actor's model is estimated. critic.model.path would say.",
        );
    }
    let megatron = if draft.states("critic.strategy") && !draft.states("model_engine") {
        engine::is_megatron(draft, &["critic.strategy"])
    } else {
        actor_megatron
    };
    let actor = draft.field("plan").cloned().unwrap_or(Value::Null);
    let entry = draft
        .field("workload.rl.critic")
        .and_then(Value::as_str)
        .and_then(catalog::model);
    engine::read(draft, &CRITIC, megatron, entry);
    let fused = actor.get("fused_lm_head").cloned();
    draft.set("plan.critic.fused_lm_head", fused.unwrap_or(json!(false)));
    let dynamic = draft.flag("critic.use_dynamic_bsz");
    let own = dynamic.unwrap_or_else(|| actor.get("max_tokens_per_gpu").is_some());
    if own {
        draft.take_count("critic.ppo_max_token_len_per_gpu", "plan.critic.max_tokens_per_gpu", Some(32768));
    } else {
        let micro = match draft.count("critic.ppo_micro_batch_size_per_gpu") {
            Some(micro) => Some(micro),
            None => {
                let gpus = draft.train_gpus.unwrap_or(8).max(1);
                draft.count("critic.ppo_micro_batch_size").map(|whole| (whole / gpus).max(1))
            }
        };
        match micro.or_else(|| actor.get("micro_batch").and_then(Value::as_u64)) {
            Some(micro) => draft.set("plan.critic.micro_batch", micro),
            None => draft.set("plan.critic.micro_batch", 1),
        }
    }
    keep_differing(draft, "critic", &actor);
}

/// Drops a role's plan where it is the actor's.
fn keep_differing(draft: &mut Draft, role: &str, actor: &Value) {
    let mut actor = actor.clone();
    if let Some(plan) = actor.as_object_mut() {
        for key in ["rollout", "critic", "reference"] {
            plan.remove(key);
        }
    }
    let field = format!("plan.{role}");
    if draft.field(&field) == Some(&actor) {
        draft.remove(&field);
    }
}

/// The reference: the actor's layout but for what is stated.
pub(super) fn reference(draft: &mut Draft, megatron: bool) {
    if draft.field("workload.rl.reference") != Some(&json!(true)) {
        return;
    }
    let actor = draft.field("plan").cloned().unwrap_or(Value::Null);
    let mut own = actor.clone();
    let Some(plan) = own.as_object_mut() else {
        return;
    };
    for key in ["rollout", "critic", "reference"] {
        plan.remove(key);
    }
    let plain = Value::Object(plan.clone());
    if megatron {
        for (name, field) in [
            ("tensor_model_parallel_size", "tensor_parallel"),
            ("pipeline_model_parallel_size", "pipeline_parallel"),
            ("virtual_pipeline_model_parallel_size", "virtual_pipeline"),
            ("context_parallel_size", "context_parallel"),
            ("expert_model_parallel_size", "expert_parallel"),
            ("expert_tensor_parallel_size", "expert_tensor_parallel"),
        ] {
            if let Some(value) = draft.count(&format!("{REF}.megatron.{name}")) {
                plan.insert(field.to_owned(), json!(value));
            }
        }
        if plan.get("tensor_parallel") == Some(&json!(1)) {
            plan.insert("sequence_parallel".to_owned(), json!(false));
        }
        let away = draft.flag(&format!("{REF}.megatron.param_offload")).unwrap_or(false);
        set_away(plan, away);
    } else {
        let ulysses = match draft.count(&format!("{REF}.fsdp_config.ulysses_sequence_parallel_size")) {
            Some(size) => Some(size),
            None => draft.count(&format!("{REF}.ulysses_sequence_parallel_size")),
        };
        if let Some(size) = ulysses {
            plan.insert("ulysses_parallel".to_owned(), json!(size));
        }
        if let Some(size) = draft.signed(&format!("{REF}.fsdp_config.fsdp_size")) {
            let all = draft.train_gpus.unwrap_or(0);
            let size = u64::try_from(size).unwrap_or(0);
            if size > 0 && size < all {
                plan.insert("shard_group".to_owned(), json!(size));
            } else {
                plan.remove("shard_group");
            }
        }
        // Without a word FSDP2 keeps the reference in host memory as it does the actor.
        if let Some(away) = draft.flag(&format!("{REF}.fsdp_config.param_offload")) {
            set_away(plan, away);
        }
    }
    forward(draft, plan);
    let own = Value::Object(plan.clone());
    if own != plain {
        draft.set("plan.reference", own);
    }
}

fn set_away(plan: &mut Map<String, Value>, away: bool) {
    if let Some(offload) = plan.get_mut("offload").and_then(Value::as_object_mut) {
        let parameters = offload.get("parameters") == Some(&json!(true));
        // The reference has no gradients: they follow, so that equal plans stay equal.
        if parameters != away {
            offload.insert("parameters".to_owned(), json!(away));
            offload.insert("gradients".to_owned(), json!(away));
        }
    }
}

/// The reference's micro-batch: the estimate's forward pass takes twice what the plan gives.
fn forward(draft: &mut Draft, plan: &mut Map<String, Value>) {
    let dynamic = draft.flag(&format!("{REF}.log_prob_use_dynamic_bsz"));
    let own = dynamic.unwrap_or_else(|| plan.contains_key("max_tokens_per_gpu"));
    if own {
        if let Some(tokens) = draft.count(&format!("{REF}.log_prob_max_token_len_per_gpu")) {
            let rl = |name: &str| draft.field(&format!("workload.rl.{name}")).and_then(Value::as_u64).unwrap_or(0);
            let longest = rl("max_prompt_length").saturating_add(rl("max_response_length"));
            let split = |name: &str| plan.get(name).and_then(Value::as_u64).unwrap_or(1).max(1);
            let split = split("context_parallel").saturating_mul(split("ulysses_parallel"));
            // Never less than the longest sequence, which the estimate's update would need.
            let own = (tokens / 2).max(longest.div_ceil(split)).max(1);
            plan.remove("micro_batch");
            plan.insert("max_tokens_per_gpu".to_owned(), json!(own));
        }
    } else if let Some(micro) = draft.count(&format!("{REF}.log_prob_micro_batch_size_per_gpu")) {
        let actor = plan.get("micro_batch").and_then(Value::as_u64);
        // As much as the actor's, or twice it: the estimate's own rule.
        if actor != Some(micro) && actor.map(|micro| micro.saturating_mul(2)) != Some(micro) {
            plan.remove("max_tokens_per_gpu");
            plan.insert("micro_batch".to_owned(), json!((micro / 2).max(1)));
        }
    }
}
