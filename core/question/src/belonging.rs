//! Which fields belong into which question.
//!
//! A field that an estimate would pass over is refused rather than dropped in silence ([`check`], which
//! [`crate::job::resolve`] calls). An old link that carries such fields still opens without them ([`strip`]).

mod facts;

use serde_json::Value;

use self::facts::Facts;
use crate::engines;
use crate::task::{Algorithm, Preference};
use crate::wire::WorkloadKind::{Lora, Qlora, Rollout, Sft};
use crate::wire::{Document, Placement, Question, TeacherLogits, at, take, to_value};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::resolve_model;

/// A field and the questions that it belongs into.
struct Rule {
    /// Its path, which stands for all that is below it; `*` stands for any key but `rollout`.
    field: &'static str,
    /// Its first two keys, and the rest.
    keys: (&'static str, &'static str, &'static str),
    /// Whether a question has a use for it.
    belongs: fn(&Facts<'_>) -> bool,
    /// Why not, and the remedy.
    otherwise: &'static str,
}

const fn rule(field: &'static str, belongs: fn(&Facts<'_>) -> bool, otherwise: &'static str) -> Rule {
    let (top, below) = key_of(field);
    let (key, rest) = key_of(below);
    Rule { field, keys: (top, key, rest), belongs, otherwise }
}

/// The first key of a path, and the rest.
const fn key_of(path: &str) -> (&str, &str) {
    let mut end = 0;
    while end < path.len() && path.as_bytes()[end] != b'.' {
        end += 1;
    }
    let (key, rest) = path.split_at(end);
    (key, if rest.is_empty() { rest } else { rest.split_at(1).1 })
}

impl Rule {
    /// Whether a question, as a document, may say something at this field. Of most fields the first two keys are missing, and
    /// following the whole path of each would take as long as an estimate.
    fn is_asked(&self, question: &Value) -> bool {
        let (top, key, _) = self.keys;
        let Some(top) = question.get(top) else { return false };
        key == "*" || ((key.is_empty() || top.get(key).is_some()) && is_stated(question, self.field))
    }

    /// Whether a question may say something at this field, asked of its own fields.
    fn is_asked_of(&self, question: &Question) -> bool {
        let (top, key, _) = self.keys;
        match top {
            "workload" => self.is_below(&question.workload),
            "plan" => question.plan.as_ref().is_some_and(|own| key == "*" || self.is_below(own)),
            "calibration" => question.calibration.is_some_and(|own| own.has(key)),
            _ => question.has(top),
        }
    }

    /// Whether what is at its first key may say something at it.
    fn is_below(&self, own: &impl Document) -> bool {
        let (_, key, rest) = self.keys;
        own.has(key) && (rest.is_empty() || own.entry(key).is_some_and(|value| is_stated(&value, rest)))
    }
}

const LENGTHS: &str = "What is generated has lengths of its own: the longest in workload.rl, the means in workload.rollout. Leave this out.";
const SIZES: &str = "What is generated has a size of its own: prompts_per_step and mini_batch of workload.rl, requests of workload.rollout. Leave this out.";
const FORWARD: &str = "Only reinforcement learning has passes forward alone. Leave it out; micro_batch or max_tokens_per_gpu is of what trains.";
const GRAPHS: &str = "RL trains on micro-batches of every length, which no CUDA graph replays. Leave it out; an engine's are rollout.enforce_eager.";
const OF_A_POOL: &str = "Only a pool of the teacher's own has this: beside the student it is laid out as the student. Leave it out, or set workload.distillation.placement to pool.";
const OF_A_ROLE: &str = "This is the plan of one role, which has no engine and no roles of its own. Leave it out.";

/// Every field that some question has no use for. Fields of a backend that another lacks are refused where a plan is
/// completed ([`crate::complete`]).
const RULES: [Rule; 50] = [
    rule("workload.sequence_length", trains_sequences, LENGTHS),
    rule("workload.mean_sequence_length", trains_sequences, LENGTHS),
    rule("workload.sequence_length_cv", trains_sequences, LENGTHS),
    rule("workload.lengths", trains_sequences, LENGTHS),
    rule("workload.global_batch", trains_sequences, SIZES),
    rule("workload.packing", trains, "Packing is of what trains, and here nothing does. Leave it out."),
    rule(
        "workload.lora",
        |question| is_rl(question) || preference(question).is_some() || matches!(question.kind, Some(Lora | Qlora)),
        "Adapters are of lora, qlora, RL and preference data. Use kind \"lora\".",
    ),
    rule(
        "workload.lora.load_in_4bit",
        |question| preference(question).is_some() || (is_rl(question) && generates_from_base(question)),
        "Only dpo, ipo, kto, orpo, simpo and reward_model say this beside their kind, and RL where framework is unsloth: others' engines get no weights of 4 bits. Leave it out; fine-tuning over a base in 4 bits is the kind qlora.",
    ),
    rule(
        "workload.images",
        has_tower,
        "Only a model with a vision tower takes images. Leave this out, or choose such a model, for example \"qwen2.5-vl-7b\".",
    ),
    rule("workload.images.vision_tower", trains, "Nothing trains here, the vision tower neither. Leave this out."),
    rule(
        "workload.distillation",
        |question| is_distilled(question) || matches!(question.kind, Some(Sft | Lora | Qlora)),
        "Only distill, sft, lora and qlora learn from a teacher. Leave this out, or choose one of them.",
    ),
    rule("workload.distillation.gpus", has_pool, OF_A_POOL),
    rule("workload.distillation.tensor_parallel", has_pool, OF_A_POOL),
    rule("workload.distillation.gpu_memory_utilization", has_pool, OF_A_POOL),
    rule("workload.distillation.max_num_batched_tokens", has_pool, OF_A_POOL),
    rule("workload.distillation.precision", has_pool, OF_A_POOL),
    rule(
        "workload.distillation.placement",
        |question| is_distilled(question) || !has_pool(question),
        "What is given needs no engine: its teacher stands beside the student. Set it to beside, or choose the kind distill.",
    ),
    rule(
        "workload.distillation.top_k",
        |question| question.logits == Some(TeacherLogits::TopK.as_str()),
        "Only top_k has a number of them. Leave it out, or set workload.distillation.logits to top_k.",
    ),
    rule(
        "workload.distillation.on_policy",
        is_distilled,
        "Only the kind distill samples. Leave this out, or choose that kind.",
    ),
    rule(
        "workload.precompute_ref_log_probs",
        |question| preference(question).is_some_and(Preference::has_reference),
        "Only dpo, ipo and kto hold what they train to a reference policy. Leave it out, or choose one of them.",
    ),
    rule(
        "workload.rl",
        is_rl,
        "Only reinforcement learning takes RL steps. Leave it out, or choose an algorithm of it, such as grpo, as workload.kind.",
    ),
    rule(
        "workload.rollout",
        |question| question.kind == Some(Rollout),
        "Only the kind rollout is a generation run by itself; what RL generates is in workload.rl. Leave it out, or choose that kind.",
    ),
    rule(
        "workload.rl.train_gpus",
        |question| !is_rl(question) || !matches!(question.schedule, None | Some("" | "colocated")),
        "A colocated schedule trains on all GPUs. Leave the field out, or choose another schedule.",
    ),
    rule(
        "workload.rl.max_staleness",
        |question| !is_rl(question) || question.schedule == Some("fully_async"),
        "Only a fully_async schedule has a staleness bound. Leave the field out, or choose that schedule.",
    ),
    rule(
        "workload.rl.partial_rollout",
        |question| !is_rl(question) || question.schedule == Some("fully_async"),
        "Only a fully_async schedule sends new weights while responses are unfinished. Leave the field out, or choose that schedule.",
    ),
    rule(
        "workload.run",
        trains,
        "A generation run is as long as its requests. Give workload.rollout.requests, and leave this out.",
    ),
    rule(
        "operations",
        trains,
        "Only what trains has checkpoints to save and work to lose. Leave it out, or choose another kind.",
    ),
    rule("plan.*", trains, "Generation alone is laid out by plan.rollout. Leave this out, or give its like there."),
    rule("plan.forward_micro_batch", is_rl, FORWARD),
    rule("plan.forward_max_tokens_per_gpu", is_rl, FORWARD),
    rule(
        "plan.rollout",
        |question| is_rl(question) || question.kind == Some(Rollout),
        "Nothing is generated here, so there is no engine to lay out. Leave it out.",
    ),
    rule(
        "plan.critic",
        |question| !trains(question) || has_critic(question),
        "Nothing trains a critic here. Leave its plan out, or state workload.rl.critic.",
    ),
    rule(
        "plan.reference",
        |question| !trains(question) || has_reference(question),
        "No reference policy is computed here. Leave its plan out, or set workload.rl.reference to true (dpo, ipo, kto: workload.precompute_ref_log_probs to false).",
    ),
    rule("plan.cuda_graphs", |question| !is_rl(question), GRAPHS),
    rule("plan.critic.cuda_graphs", never, GRAPHS),
    rule("plan.reference.cuda_graphs", never, GRAPHS),
    rule("plan.critic.rollout", never, OF_A_ROLE),
    rule("plan.critic.critic", never, OF_A_ROLE),
    rule("plan.critic.reference", never, OF_A_ROLE),
    rule("plan.reference.rollout", never, OF_A_ROLE),
    rule("plan.reference.critic", never, OF_A_ROLE),
    rule("plan.reference.reference", never, OF_A_ROLE),
    rule(
        "calibration.memory",
        trains,
        "An engine takes the share of the card that plan.rollout.gpu_memory_utilization states, whatever a run showed. Leave this out.",
    ),
    rule("calibration.rollout", is_rl, PHASES),
    rule("calibration.forward", is_rl, PHASES),
    rule("calibration.update", is_rl, PHASES),
    rule("calibration.weight_sync", is_rl, PHASES),
    rule("calibration.other", is_rl, PHASES),
    rule(
        "plan.recompute.num_layers",
        |question| question.granularity == Some("full"),
        "A number of layers is of full recomputation. Leave it out, or set plan.recompute.granularity to full.",
    ),
    rule(
        "plan.recompute.modules",
        |question| question.granularity == Some("selective"),
        "Modules are of selective recomputation. Leave them out, or set plan.recompute.granularity to selective.",
    ),
];

fn kind(question: &Value) -> &str {
    at(question, "workload.kind").as_str().unwrap_or_default()
}

fn algorithm(question: &Facts<'_>) -> Option<&'static Algorithm> {
    question.kind?.algorithm()
}

fn preference(question: &Facts<'_>) -> Option<&'static Preference> {
    question.kind?.preference()
}

/// Why factors of phases are left out elsewhere.
const PHASES: &str = "Phases are those of an RL step. Leave this out, or set calibration.time.";

fn is_rl(question: &Facts<'_>) -> bool {
    algorithm(question).is_some()
}

/// Whether the framework that the question names has an engine that reads the trainer's base.
fn generates_from_base(question: &Facts<'_>) -> bool {
    engines::shares_base(question.framework)
}

fn is_distilled(question: &Facts<'_>) -> bool {
    algorithm(question).is_some_and(Algorithm::teacher)
}

fn has_pool(question: &Facts<'_>) -> bool {
    question.placement == Some(Placement::Pool.as_str())
}

fn trains(question: &Facts<'_>) -> bool {
    question.kind != Some(Rollout)
}

fn trains_sequences(question: &Facts<'_>) -> bool {
    trains(question) && !is_rl(question)
}

fn has_critic(question: &Facts<'_>) -> bool {
    algorithm(question).is_some_and(|own| own.critic() || question.critic)
}

fn has_reference(question: &Facts<'_>) -> bool {
    if preference(question).is_some_and(Preference::has_reference) {
        return question.precompute_ref_log_probs != Some(true);
    }
    algorithm(question).is_some_and(|own| question.reference.unwrap_or(own.reference))
}

/// Whether the model has a vision tower, or is none that is known: then that is what is wrong.
fn has_tower(question: &Facts<'_>) -> bool {
    resolve_model(question.model, "model").map_or(true, |own| own.shape.vision.is_some())
}

fn never(_: &Facts<'_>) -> bool {
    false
}

/// Fields of a question, as a document, that it has no use for, with why.
fn foreign(question: &Value) -> Vec<(String, &'static str)> {
    let mut found: Vec<(String, &'static str)> = Vec::new();
    if kind(question).is_empty() {
        return found;
    }
    let facts = Facts::of_document(question);
    // What is not stated asks nothing: some rules look at the model.
    let asked = RULES.iter().filter(|rule| rule.is_asked(question));
    for rule in asked.filter(|rule| !(rule.belongs)(&facts)) {
        let mut add = |field: String| {
            let below = |(above, _): &(String, &str)| is_below(above, &field);
            if is_stated(question, &field) && !found.iter().any(below) {
                found.push((field, rule.otherwise));
            }
        };
        match rule.field.strip_suffix('*') {
            None => add(rule.field.to_owned()),
            Some(above) => {
                let all = at(question, above.trim_end_matches('.')).as_object();
                let keys = all.into_iter().flat_map(|map| map.keys());
                for key in keys.filter(|key| *key != "rollout") {
                    add(format!("{above}{key}"));
                }
            }
        }
    }
    found
}

/// Whether a question, as a document, says something at `path`.
fn is_stated(question: &Value, path: &str) -> bool {
    match at(question, path) {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}

/// Whether `path` is `above` or a part of it.
fn is_below(above: &str, path: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a question of a kind and schedule, as a document, has a use for what is at `path`.
///
/// ```
/// use shardwise_core::belonging::belongs;
/// let question = serde_json::json!({"workload": {"kind": "sft"}});
/// assert!(belongs(&question, "workload.sequence_length"));
/// assert!(!belongs(&question, "plan.rollout.tensor_parallel"));
/// ```
#[must_use]
pub fn belongs(question: &Value, path: &str) -> bool {
    let about = |rule: &&Rule| match rule.field.strip_suffix('*') {
        None => is_below(rule.field, path),
        Some(above) => path.strip_prefix(above).is_some_and(|rest| !is_below("rollout", rest)),
    };
    let facts = Facts::of_document(question);
    let mut rules = RULES.iter().filter(about);
    rules.all(|rule| (rule.belongs)(&facts))
}

/// Refuses a question with a field that it has no use for.
///
/// # Errors
/// Names the first such field, and the remedy.
///
/// ```
/// use shardwise_core::{belonging, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"},
///     "workload": {"kind": "sft"}, "plan": {"rollout": {"tensor_parallel": 2}}}"#).unwrap();
/// assert_eq!(belonging::check(&question).unwrap_err().field, "plan.rollout");
/// ```
pub fn check(question: &Question) -> Result<(), InputError> {
    let facts = Facts::of(question);
    if RULES
        .iter()
        .filter(|rule| rule.is_asked_of(question))
        .all(|rule| (rule.belongs)(&facts))
    {
        return Ok(());
    }
    // As a document it takes several times as long.
    let first = foreign(&to_value(question)).into_iter().next();
    first.map_or(Ok(()), |(field, otherwise)| Err(InputError::new(field, otherwise)))
}

/// Takes out of a question, as a document, the fields that it has no use for, and returns their paths.
///
/// ```
/// use serde_json::json;
/// use shardwise_core::belonging::strip;
/// let mut question = json!({"workload": {"kind": "sft"}, "plan": {"rollout": {"tensor_parallel": 2}}});
/// assert_eq!(strip(&mut question), ["plan.rollout"]);
/// assert_eq!(question, json!({"workload": {"kind": "sft"}}));
/// ```
pub fn strip(question: &mut Value) -> Vec<String> {
    let mut left_out = Vec::new();
    // What one field is about may be gone with another.
    loop {
        let found = foreign(question);
        if found.is_empty() {
            return left_out;
        }
        for (field, _) in found {
            take(question, &field);
            left_out.push(field);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Facts, RULES, is_below};
    use crate::presets::presets;
    use crate::wire::{parse_question, to_value};

    /// Whatever is asked of a question is the same of its document.
    #[test]
    fn a_question_and_its_document_say_the_same() {
        let whole = include_str!("wire/whole.json");
        for text in presets().iter().map(|preset| preset.json).chain([whole]) {
            let question = parse_question(text).unwrap_or_default();
            let document = to_value(&question);
            assert_eq!(Facts::of(&question), Facts::of_document(&document), "{text}");
            for rule in &RULES {
                assert!(rule.is_asked_of(&question) || !rule.is_asked(&document), "{}: {text}", rule.field);
            }
        }
    }

    #[test]
    fn rules_are_about_fields_that_are_asked() {
        for rule in &RULES {
            let (top, key, rest) = rule.keys;
            assert!(is_below(top, rule.field) && ["workload", "plan", "calibration", "operations"].contains(&top));
            assert_eq!(key.is_empty(), top == "operations", "{}", rule.field);
            assert!(rest.is_empty() || ["workload", "plan"].contains(&top), "{}", rule.field);
        }
    }
}
