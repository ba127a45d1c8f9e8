//! What texts of several trainers of reinforcement learning say alike.

use serde_json::{Value, json};

use super::draft::Draft;
use super::model::{self, Narrow};
use super::value::lora_targets;

/// Prompts generated for each that trains, where groups are dropped and no text says how many: the calculator's own figure for
/// DAPO.
const OVERSAMPLING: f64 = 2.3;

/// Groups are dropped: how many no text states.
pub(crate) fn filtered(draft: &mut Draft) {
    let base = draft.base.and_then(|base| base.workload.rl.as_ref()?.oversampling);
    let why = "A script does not state how many groups are dropped; a log of your run does.";
    draft.assume("workload.rl.oversampling", base.unwrap_or(OVERSAMPLING), why);
}

/// DAPO for GRPO where groups are dropped and the clip is wider above than below: the two by which it is known
/// (arXiv:2503.14476, equation 8 and section 3.2).
pub(super) fn or_dapo(draft: &mut Draft, kind: &'static str, filters: bool, low: &str, high: &str) -> &'static str {
    let [low, high] = [low, high].map(|key| draft.number(key));
    let wider = high.unwrap_or(0.2) > low.unwrap_or(0.2);
    if kind == "grpo" && filters && wider { "dapo" } else { kind }
}

/// GPUs that train, on nodes of so many.
pub(super) fn trains_on(draft: &mut Draft, nodes: u64, per_node: u64) -> u64 {
    let gpus = nodes.saturating_mul(per_node);
    draft.set("hardware.gpus", gpus);
    draft.set("hardware.gpus_per_node", per_node);
    draft.train_gpus = Some(gpus);
    gpus
}

/// GPUs beside them that generate, under a schedule.
pub(super) fn generates_on(draft: &mut Draft, train: u64, generate: u64, schedule: &str) {
    draft.set("hardware.gpus", train.saturating_add(generate));
    draft.set("workload.rl.train_gpus", train);
    draft.set("workload.rl.schedule", schedule);
}

/// Splits a model over nothing but data: what FSDP does.
pub(super) fn sharded(draft: &mut Draft) {
    draft.set("plan.backend", "fsdp");
    for field in ["tensor_parallel", "pipeline_parallel", "context_parallel"] {
        draft.set(&format!("plan.{field}"), 1);
    }
}

/// What leaves the GPU between the phases.
pub(super) fn offloads(draft: &mut Draft, plan: &str, weights: bool, optimizer: bool) {
    let away = json!({"parameters": weights, "gradients": weights, "optimizer": optimizer, "activations": false});
    draft.set(&format!("{plan}.offload"), away);
}

/// Adapters, where the rank is more than none.
pub(super) fn adapters(draft: &mut Draft, rank: &str, targets: &str) {
    if let Some(rank) = draft.signed(rank).filter(|rank| *rank > 0) {
        draft.set("workload.lora.rank", rank);
        let targets = draft.text(targets);
        draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
    }
}

/// The engine's cache in 8 bits, where `key` says a form of fp8.
pub(super) fn narrow_cache(draft: &mut Draft, key: &str) {
    if draft.word(key).is_some_and(|form| form.starts_with("fp8")) {
        draft.set("plan.rollout.kv_cache_dtype", "fp8");
    }
}

/// Serves the weights in as few bits as the name says of the checkpoint that `key` names, where nothing else says it.
pub(crate) fn served_as_named(draft: &mut Draft, key: &str) {
    const FIELD: &str = "plan.rollout.precision";
    let Some(bits) = draft
        .known(key)
        .and_then(|path| model::narrow(&path))
        .filter(|_| draft.field(FIELD).is_none())
    else {
        return;
    };
    let own = if bits == Narrow::Four { "nvfp4" } else { "fp8" };
    let why = "The engine serves the checkpoint in the few bits that its name says; 4 of them are estimated as nvfp4.";
    draft.assume_known(FIELD, own, why);
    draft.overrule(FIELD);
}

/// The turns of an agent's responses: at most so many, which `key` states; what tools do, no text does.
pub(crate) fn of_agent(draft: &mut Draft, most: Option<u64>, key: &str) {
    const AT: &str = "workload.rl.agent";
    let base = draft.base.and_then(|base| base.workload.rl.as_ref()?.agent.as_ref());
    match most {
        Some(most) => draft.set(&format!("{AT}.max_turns"), most),
        None if base.is_none() => {
            let why = format!("{key} is not stated: two turns and one call are estimated.");
            draft.assume(&format!("{AT}.turns"), 2.0, why);
        }
        None => {}
    }
    let stated = base.map(|own| json!(own));
    let unsaid = stated.as_ref().and_then(Value::as_object).into_iter().flatten();
    for (name, value) in unsaid.filter(|(name, value)| name.as_str() != "max_turns" && !value.is_null()) {
        let why = "From the base question; a script does not state it.";
        draft.assume(&format!("{AT}.{name}"), value.clone(), why);
    }
}

/// The reference in host memory by itself, where the actor is not, or the other way about. With adapters it is the actor
/// without them.
pub(super) fn reference_apart(draft: &mut Draft, away: bool) {
    if draft.field("workload.rl.reference") != Some(&json!(true)) || draft.field("workload.lora").is_some() {
        return;
    }
    let mut plan = draft.field("plan").and_then(Value::as_object).cloned().unwrap_or_default();
    let actors = plan.get("offload").cloned().unwrap_or_default();
    if (actors.get("parameters") == Some(&json!(true))) == away {
        return;
    }
    plan.retain(|name, _| !matches!(name.as_str(), "rollout" | "critic" | "reference"));
    plan.insert(
        "offload".to_owned(),
        json!({"parameters": away, "gradients": away,
        "optimizer": actors.get("optimizer"), "activations": false}),
    );
    draft.set("plan.reference", Value::Object(plan));
}
