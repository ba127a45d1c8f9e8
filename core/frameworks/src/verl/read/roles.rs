//! The roles beside the actor: critic and reference policy.

use serde_json::{Map, Value, json};

use super::{REF, ROLLOUT, engine};
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
    let own = draft
        .field("plan.critic")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let keys = ["critic.forward_max_token_len_per_gpu", "critic.forward_micro_batch_size_per_gpu"];
    if let Some((field, passes)) = passes(draft, &own, keys, !megatron) {
        draft.set(&format!("plan.critic.{field}"), passes);
    }
    if draft.field("plan.critic").and_then(Value::as_object) == Some(&actor) {
        draft.remove("plan.critic");
    }
}

/// The field and the size of a role's passes forward alone, where they are not what the estimate takes them to be: twice the
/// update's, or as much where twice does not divide a rank's share, as texts are printed. veRL's budget is the update's where
/// none is stated (`log_prob_max_token_len_per_gpu: ${oc.select:actor_rollout_ref.actor.ppo_max_token_len_per_gpu,16384}`),
/// and so is a critic's micro-batch with FSDP.
fn passes(
    draft: &mut Draft,
    plan: &Map<String, Value>,
    [tokens, sequences]: [&str; 2],
    follows: bool,
) -> Option<(&'static str, u64)> {
    let size = |name: &str| plan.get(name).and_then(Value::as_u64);
    if let Some(update) = size("max_tokens_per_gpu") {
        let usual = update.saturating_mul(2);
        let unstated = if draft.snippet { usual } else { update };
        let own = draft.count(tokens).unwrap_or(unstated);
        return (own != usual).then_some(("forward_max_tokens_per_gpu", own));
    }
    let update = size("micro_batch")?;
    let own = draft.count(sequences).or_else(|| follows.then_some(update))?;
    let usual = update.saturating_mul(2);
    let undivided = own == update && !share(draft, plan).is_some_and(|share| share.is_multiple_of(usual));
    (own != usual && !undivided).then_some(("forward_micro_batch", own))
}

/// Responses of a step on one data-parallel rank.
fn share(draft: &Draft, plan: &Map<String, Value>) -> Option<u64> {
    let all = ["prompts_per_step", "responses_per_prompt"].map(|name| draft.size(&format!("workload.rl.{name}")));
    let splits = ["tensor_parallel", "pipeline_parallel", "context_parallel", "ulysses_parallel"];
    let split = splits.iter().filter_map(|name| plan.get(*name).and_then(Value::as_u64));
    let ranks = draft.train_gpus?.checked_div(split.fold(1, u64::saturating_mul))?;
    let [prompts, responses] = all;
    prompts?.saturating_mul(responses.unwrap_or(1)).checked_div(ranks)
}

/// The sizes of the passes that compute the old log-probabilities.
pub(super) fn old_log_prob(draft: &mut Draft) {
    let keys = ["max_token_len_per_gpu", "micro_batch_size_per_gpu"].map(|name| format!("{ROLLOUT}log_prob_{name}"));
    let actor = actors(draft);
    if let Some((field, passes)) = passes(draft, &actor, [&keys[0], &keys[1]], false) {
        draft.set(&format!("plan.{field}"), passes);
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

/// What the reference's passes take, which are all forward alone.
fn forward(draft: &mut Draft, plan: &mut Map<String, Value>) {
    // With adapters the reference is the actor without them, and takes what the actor takes (`ref_in_actor`).
    if draft.field("workload.lora").is_some_and(|lora| !lora.is_null()) {
        return;
    }
    for field in ["forward_max_tokens_per_gpu", "forward_micro_batch"] {
        plan.remove(field);
    }
    let keys = ["max_token_len_per_gpu", "micro_batch_size_per_gpu"].map(|name| format!("{REF}log_prob_{name}"));
    if let Some((field, passes)) = passes(draft, plan, [&keys[0], &keys[1]], false) {
        plan.insert(field.to_owned(), json!(passes));
    }
}
