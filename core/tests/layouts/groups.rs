//! The published runs that differ in nothing but their layout, group by group.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::wire::{Attention, PlanSpec, Question, RolloutPlanSpec, question_from_value};

use crate::generations::{self, Generation};
use crate::runs;

const RL: &str = include_str!("../data/rl.jsonl");

/// Our own runs differ in what else a step takes; none tried a layout.
const OWN: &str = "Shardwise";

/// A published run.
#[derive(Clone)]
pub(crate) struct Measured {
    pub(crate) id: String,
    /// Tokens per second and GPU.
    pub(crate) rate: f64,
    pub(crate) question: Question,
}

/// Runs of one question, one for each layout, fastest first.
pub(crate) struct Group {
    /// `training`, `rl` or `generation`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) runs: Vec<Measured>,
}

impl Group {
    /// The fastest run.
    pub(crate) fn best(&self) -> &Measured {
        &self.runs[0]
    }

    /// What the plans of its runs have in common.
    pub(crate) fn shared(&self) -> PlanSpec {
        let mut common = serde_json::to_value(&self.best().question.plan).unwrap();
        for run in &self.runs {
            keep_common(&mut common, &serde_json::to_value(&run.question.plan).unwrap());
        }
        serde_json::from_value(common).unwrap()
    }

    /// The settings of the framework as the fastest run has them, once for each backend that runs of the group used.
    pub(crate) fn frameworks(&self) -> Vec<PlanSpec> {
        let plans = || self.runs.iter().filter_map(|run| run.question.plan.as_ref());
        let settings = plans().next().map(settings).unwrap_or_default();
        let mut found: Vec<PlanSpec> = Vec::new();
        for plan in plans() {
            if found.iter().all(|spec| spec.backend != plan.backend) {
                found.push(PlanSpec { backend: plan.backend, ..settings.clone() });
            }
        }
        found
    }
}

/// Removes what the other object does not say alike.
fn keep_common(common: &mut Value, other: &Value) {
    if let Some(object) = common.as_object_mut() {
        object.retain(|key, own| {
            if key == "rollout" {
                keep_common(own, &other[key]);
            }
            key == "rollout" || *own == other[key]
        });
    }
}

/// What a plan says that is no choice of layout: numerics, kernels and switches of the framework, and the engine's.
fn settings(plan: &PlanSpec) -> PlanSpec {
    // Megatron-DeepSpeed, whose attention is unfused, recomputes whole layers or nothing.
    let early = plan.attention == Some(Attention::Unfused);
    PlanSpec {
        attention: plan.attention,
        recompute: plan.recompute.clone().filter(|_| early),
        fused_lm_head: plan.fused_lm_head,
        fused_loss: plan.fused_loss,
        overlap: plan.overlap,
        master_weights_bytes: plan.master_weights_bytes,
        gradient_bytes: plan.gradient_bytes,
        optimizer_bytes: plan.optimizer_bytes,
        rollout: plan.rollout.as_ref().map(|engine| RolloutPlanSpec {
            tensor_parallel: None,
            gpu_memory_utilization: None,
            ..engine.clone()
        }),
        ..PlanSpec::default()
    }
}

/// All groups of at least two layouts.
pub(crate) fn all() -> Vec<Group> {
    let mut groups = training();
    groups.extend(reinforcement());
    groups.extend(generation());
    groups
}

/// The question without its plan, and without what `drop` removes: what runs of a group share.
fn shared(question: &Question, drop: &[&str]) -> String {
    let mut whole = serde_json::to_value(question).unwrap();
    whole["plan"] = Value::Null;
    if let Some(rl) = whole["workload"]["rl"].as_object_mut() {
        for key in drop {
            rl.remove(*key);
        }
    }
    whole.to_string()
}

/// The layout of a plan, in which runs of a group have to differ.
fn layout(question: &Question) -> String {
    let plan = question.plan.clone().unwrap_or_default();
    let rollout = plan.rollout.as_ref().map(|engine| engine.tensor_parallel);
    let rest = PlanSpec {
        attention: None,
        fused_lm_head: None,
        fused_loss: None,
        overlap: None,
        master_weights_bytes: None,
        gradient_bytes: None,
        optimizer_bytes: None,
        rollout: None,
        ..plan
    };
    format!("{}{rollout:?}", serde_json::to_string(&rest).unwrap())
}

/// Runs by what they share, each layout's fastest one; what has one layout is no group.
fn grouped(kind: &'static str, drop: &[&str], runs: impl Iterator<Item = (String, Measured)>) -> Vec<Group> {
    let mut found: BTreeMap<String, (String, BTreeMap<String, Measured>)> = BTreeMap::new();
    for (model, run) in runs {
        // One run's layout does not divide its GPUs: see `refused` in data/accuracy.toml.
        if estimate(&run.question).is_err() {
            continue;
        }
        let (_, layouts) = found
            .entry(shared(&run.question, drop))
            .or_insert_with(|| (name(&model, &run.question), BTreeMap::new()));
        let place = layouts.entry(layout(&run.question)).or_insert_with(|| run.clone());
        if run.rate > place.rate {
            *place = run;
        }
    }
    found
        .into_values()
        .filter(|(_, layouts)| layouts.len() > 1)
        .map(|(name, layouts)| {
            let mut runs: Vec<Measured> = layouts.into_values().collect();
            runs.sort_by(|a, b| b.rate.total_cmp(&a.rate));
            Group { kind, name, runs }
        })
        .collect()
}

fn name(model: &str, question: &Question) -> String {
    let workload = &question.workload;
    let precision = serde_json::to_value(workload.precision.unwrap_or_default()).unwrap_or_default();
    let batch = workload
        .global_batch
        .or_else(|| workload.rl.as_ref().and_then(|rl| rl.prompts_per_step))
        .or_else(|| workload.rollout.as_ref().and_then(|run| run.requests));
    format!(
        "{model}, {} {}, {}, batch {}",
        question.hardware.gpus.unwrap_or(8),
        question.hardware.gpu.as_str().unwrap_or("?"),
        precision.as_str().unwrap_or("?"),
        batch.unwrap_or(0),
    )
}

fn training() -> Vec<Group> {
    let runs = runs::all().into_iter().filter_map(|run| {
        let rate = run.tokens_per_s_per_gpu.filter(|_| run.group != OWN)?;
        let (id, question) = (run.id, run.question);
        Some((run.model, Measured { id, rate, question }))
    });
    grouped("training", &[], runs)
}

#[derive(Deserialize)]
struct Step {
    id: String,
    tokens_per_s_per_gpu: f64,
    question: Question,
}

/// RL steps. Their mean lengths are what each run saw, and differ a little.
fn reinforcement() -> Vec<Group> {
    let runs = RL.lines().map(|line| {
        let step: Step = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let model = step.question.model.as_str().unwrap_or("?").to_owned();
        let (id, rate, question) = (step.id, step.tokens_per_s_per_gpu, step.question);
        (model, Measured { id, rate, question })
    });
    grouped("rl", &["mean_prompt_length", "mean_response_length"], runs)
}

/// Runs of vLLM before 0.12. Each is one engine; engines do not meet, so as many of them as fill the largest one's GPUs are the same
/// run on those GPUs. Runs are alike that give each GPU the same number of requests.
fn generation() -> Vec<Group> {
    let early: Vec<Generation> = generations::batches().filter(|run| run.engine == "early_vllm").collect();
    // Lengths are whole.
    let key = |run: &Generation| {
        (run.source.clone(), run.model, run.gpu, run.precision, run.prompt.to_bits(), run.response.to_bits())
    };
    let mut largest: BTreeMap<_, f64> = BTreeMap::new();
    for run in &early {
        let most = largest.entry(key(run)).or_default();
        *most = most.max(run.tensor_parallel);
    }
    let runs = early.iter().filter(|run| run.max_num_seqs >= run.requests).map(|run| {
        let gpus = largest[&key(run)];
        let requests = run.requests / run.tensor_parallel * gpus;
        let whole = Generation { gpus, requests, max_num_seqs: requests, expert_parallel: Some(1.0), ..run.clone() };
        let mut question = whole.question();
        question["plan"]["rollout"]["data_parallel"] = json!(1);
        let question = question_from_value(question).unwrap_or_else(|error| panic!("{}: {error}", run.id));
        (run.model.to_owned(), Measured { id: run.id.to_owned(), rate: run.rate, question })
    });
    grouped("generation", &[], runs)
}
