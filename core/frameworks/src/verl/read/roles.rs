//! The roles beside the actor: critic and reference policy.

use serde_json::{Map, Value, json};

use super::{REF, engine};
use crate::read::draft::Draft;
use crate::verl::role::CRITIC;
use shardwise_catalog::catalog;

/// The actor's plan by itself.
fn actors(draft: &Draft) -> Map<String, Value> {
    let plan = draft.field("plan").and_then(Value::as_object);
    let mut plan = plan.cloned().unwrap_or_default();
    for role in ["rollout", "critic", "reference"] {
        plan.remove(role);
    }
    plan
}

/// The critic's model and layout; the layout stays out where it is the actor's.
pub(super) fn critic(draft: &mut Draft, actor_megatron: bool) {
    if draft.states("critic.model.path") {
        draft.take_model("critic.model.path", "workload.rl.critic");
    } else {
        let model = draft.field("model").cloned().unwrap_or(Value::Null);
        let why = "veRL's default critic is deepseek-llm-7b-chat; the actor's model is estimated. Set critic.model.path to state another.";
        draft.assume("workload.rl.critic", model, why);
    }
    let megatron = if draft.states("critic.strategy") && !draft.states("model_engine") {
        engine::is_megatron(draft, &["critic.strategy"])
    } else {
        actor_megatron
    };
    let actor = actors(draft);
    let model = draft.field("workload.rl.critic").and_then(Value::as_str);
    let entry = model.and_then(catalog::model);
    engine::read(draft, &CRITIC, megatron, entry);
    draft.set("plan.critic.fused_lm_head", actor.get("fused_lm_head").cloned().unwrap_or(json!(false)));
    let dynamic = draft.flag("critic.use_dynamic_bsz");
    if dynamic.unwrap_or_else(|| actor.contains_key("max_tokens_per_gpu")) {
        draft.take("critic.ppo_max_token_len_per_gpu");
    } else {
        let own = draft.count("critic.ppo_micro_batch_size_per_gpu").or_else(|| {
            let gpus = draft.train_gpus.unwrap_or(8).max(1);
            draft.count("critic.ppo_micro_batch_size").map(|whole| (whole / gpus).max(1))
        });
        let micro = own.or_else(|| actor.get("micro_batch").and_then(Value::as_u64));
        draft.set("plan.critic.micro_batch", micro.unwrap_or(1));
    }
    if draft.field("plan.critic").and_then(Value::as_object) == Some(&actor) {
        draft.remove("plan.critic");
    }
}

/// The reference: the actor's layout but for what is stated.
pub(super) fn reference(draft: &mut Draft, megatron: bool) {
    if draft.field("workload.rl.reference") != Some(&json!(true)) {
        return;
    }
    let actor = actors(draft);
    let mut plan = actor.clone();
    if megatron {
        for (name, field) in [
            ("tensor_model_parallel_size", "tensor_parallel"),
            ("pipeline_model_parallel_size", "pipeline_parallel"),
            ("virtual_pipeline_model_parallel_size", "virtual_pipeline"),
            ("context_parallel_size", "context_parallel"),
            ("expert_model_parallel_size", "expert_parallel"),
            ("expert_tensor_parallel_size", "expert_tensor_parallel"),
        ] {
            if let Some(value) = draft.count(&format!("{REF}megatron.{name}")) {
                plan.insert(field.to_owned(), json!(value));
            }
        }
        if plan.get("tensor_parallel") == Some(&json!(1)) {
            plan.insert("sequence_parallel".to_owned(), json!(false));
        }
        set_away(&mut plan, draft.is_on(&format!("{REF}megatron.param_offload")));
    } else {
        let ulysses = "ulysses_sequence_parallel_size";
        let size = draft.count(&format!("{REF}fsdp_config.{ulysses}"));
        if let Some(size) = size.or_else(|| draft.count(&format!("{REF}{ulysses}"))) {
            plan.insert("ulysses_parallel".to_owned(), json!(size));
        }
        if let Some(size) = draft.signed(&format!("{REF}fsdp_config.fsdp_size")) {
            let size = u64::try_from(size).unwrap_or(0);
            if size > 0 && size < draft.train_gpus.unwrap_or(0) {
                plan.insert("shard_group".to_owned(), json!(size));
            } else {
                plan.remove("shard_group");
            }
        }
        // Without a word FSDP2 keeps the reference in host memory as it does the actor.
        if let Some(away) = draft.flag(&format!("{REF}fsdp_config.param_offload")) {
            set_away(&mut plan, away);
        }
    }
    forward(draft, &mut plan);
    if plan != actor {
        draft.set("plan.reference", Value::Object(plan));
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
    let dynamic = draft.flag(&format!("{REF}log_prob_use_dynamic_bsz"));
    if dynamic.unwrap_or_else(|| plan.contains_key("max_tokens_per_gpu")) {
        if let Some(tokens) = draft.count(&format!("{REF}log_prob_max_token_len_per_gpu")) {
            let split = |name: &str| plan.get(name).and_then(Value::as_u64).unwrap_or(1).max(1);
            let split = split("context_parallel").saturating_mul(split("ulysses_parallel"));
            // Never less than the longest sequence, which the estimate's update would need.
            let own = (tokens / 2).max(super::longest(draft).div_ceil(split)).max(1);
            plan.remove("micro_batch");
            plan.insert("max_tokens_per_gpu".to_owned(), json!(own));
        }
    } else if let Some(micro) = draft.count(&format!("{REF}log_prob_micro_batch_size_per_gpu")) {
        let actor = plan.get("micro_batch").and_then(Value::as_u64);
        // As much as the actor's, or twice it: the estimate's own rule.
        if actor != Some(micro) && actor.map(|micro| micro.saturating_mul(2)) != Some(micro) {
            plan.remove("max_tokens_per_gpu");
            plan.insert("micro_batch".to_owned(), json!((micro / 2).max(1)));
        }
    }
}
