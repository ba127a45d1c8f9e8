//! What a refusal of a field is taken to say of other plans ([`Verdict::of_field`]), held to by every rule of every framework.

use std::collections::BTreeSet;
use std::sync::Mutex;

use proptest::prelude::*;

use super::fuzz::survey;
use super::questions::{self, Asked};
use crate::search::accept::{Verdict, is_of_the_job};
use crate::search::choices;
use crate::search::space::{Family, Group, Space};
use shardwise_engine::context::Context;
use shardwise_question::complete::complete_rollout;
use shardwise_question::job::{self, Job};
use shardwise_question::plan::{Plan, RolloutPlan};
use shardwise_question::wire::{AgentSpec, Backend, Engine, KvCacheDtype, PlanSpec, Precision, Schedule};
use shardwise_rules::{FRAMEWORKS, Framework};

/// Parallel layouts that are looked at of a space, passes of each, and variants of each of these.
const GROUPS: usize = 8;
const PASSES: usize = 3;
const VARIANTS: usize = 4;
/// Ways to split an engine, and shares of the card of each.
const SPLITS: usize = 3;
const SHARES: usize = 2;

const BACKENDS: [Backend; 4] = [Backend::Fsdp, Backend::Megatron, Backend::Deepspeed, Backend::Ddp];

/// What a rule refuses: its field, and its sentence without the numbers in it.
type Refusal = (String, String);

fn refusals(framework: &Framework, job: &Job, plan: &Plan) -> BTreeSet<Refusal> {
    let broken = framework.violations(job, plan).into_iter();
    let words = |said: String| said.chars().filter(|own| !own.is_ascii_digit()).collect();
    broken.map(|own| (own.field, words(own.message))).collect()
}

/// As many of `all`, at even distances.
fn some<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(most).max(1))
}

/// Engines of a job: one of each split first, then with other shares of the card.
fn engines(job: &Job, spec: &PlanSpec) -> Vec<Vec<Option<RolloutPlan>>> {
    if job.workload.rl.is_none() {
        return vec![vec![None]];
    }
    let (shares, rollouts) = choices::rollouts(job, spec);
    let legal: Vec<RolloutPlan> = rollouts.iter().filter_map(|own| complete_rollout(job, own).ok()).collect();
    let with = |own: &RolloutPlan, share: &f64| Some(RolloutPlan { gpu_memory_utilization: *share, ..*own });
    let of = |own: &RolloutPlan| some(&shares, SHARES).map(|share| with(own, share)).collect();
    let found: Vec<_> = some(&legal, SPLITS).map(of).collect();
    if found.is_empty() { vec![vec![None]] } else { found }
}

/// The plans of a space in the order in which one refusal speaks of the next: of each layout, pass and variant the engines.
fn plans(space: &Space, engines: &[Vec<Option<RolloutPlan>>], mut each: impl FnMut([usize; 5], &Plan)) {
    let groups: Vec<(&Family, &Group)> = space
        .families
        .iter()
        .flat_map(|own| own.groups.iter().map(move |group| (own, group)))
        .collect();
    for (at, (family, group)) in some(&groups, GROUPS).enumerate() {
        for (pass_at, pass) in some(&group.passes, PASSES).enumerate() {
            for (variant_at, variant) in some(&family.variants, VARIANTS).enumerate() {
                let plan = family.plan(group.layout(pass, variant));
                for (split_at, shares) in engines.iter().enumerate() {
                    for rollout in shares {
                        each([0, at, pass_at, variant_at, split_at], &Plan { rollout: *rollout, ..plan });
                    }
                }
            }
        }
    }
}

/// What was refused of the last plan that a kind of refusal speaks of, and where it stands.
struct Last {
    place: [usize; 5],
    plan: Plan,
    refused: BTreeSet<Refusal>,
}

/// Of what a kind of refusal speaks, how many of the places of [`plans`] two plans share of whom it speaks alike, and which
/// those refusals are.
type Kind = (&'static str, usize, fn(&Refusal) -> bool);

const KINDS: [Kind; 5] = [
    ("the job", 1, |own| is_of_the_job(&own.0)),
    ("a layout", 2, |own| Verdict::of_field(&own.0) == Verdict::NoGroup),
    ("a pass", 3, |own| Verdict::of_field(&own.0) == Verdict::NoPass),
    ("all engines", 4, |own| Verdict::of_field(&own.0) == Verdict::NoEngine),
    ("all shares", 5, |own| Verdict::of_field(&own.0) == Verdict::NoShare),
];

/// Rules that are taken to refuse more than they do, of those that a question comes by.
fn faults(question: &Asked, met: &Mutex<BTreeSet<(&'static str, Refusal)>>) -> Vec<String> {
    let Ok(job) = job::resolve(&question.0) else {
        return Vec::new();
    };
    let mut found = BTreeSet::new();
    for backend in BACKENDS {
        let spec = PlanSpec { backend: Some(backend), ..question.0.plan.clone().unwrap_or_default() };
        let space = Space::of(&Context::new(&job), &spec);
        let engines = engines(&job, &spec);
        for framework in FRAMEWORKS {
            let mut last: [Option<Last>; 5] = Default::default();
            plans(&space, &engines, |place, plan| {
                let refused = refusals(framework, &job, plan);
                for ((of, shared, is), last) in KINDS.into_iter().zip(&mut last) {
                    let refused: BTreeSet<Refusal> = refused.iter().filter(|own| is(own)).cloned().collect();
                    let like = |last: &&mut Last| last.place[..shared] == place[..shared];
                    if let Some(last) = last.as_mut().filter(like) {
                        let differ = refused.symmetric_difference(&last.refused);
                        found.extend(
                            differ
                                .map(|own| (framework.id, of, own.clone(), format!("{:?} and {:?}", last.plan, plan))),
                        );
                    } else {
                        *last = Some(Last { place, plan: *plan, refused });
                    }
                }
                met.lock().unwrap().extend(refused.into_iter().map(|own| (framework.id, own)));
            });
        }
    }
    let mut told = BTreeSet::new();
    found.retain(|(id, of, own, _)| told.insert((*id, *of, own.clone())));
    let said =
        |(id, of, (field, words), plans)| format!("{id}: {field} is not of {of}: {words}\n  {plans}\n  {question:?}");
    found.into_iter().map(said).collect()
}

/// Whether a row's sentence may have been said so.
fn is_said(row: &str, words: &str) -> bool {
    let mut left = words;
    for piece in row.split('{').enumerate() {
        let fixed = match piece {
            (0, fixed) => fixed,
            (_, named) => named.split_once('}').map_or("", |(_, fixed)| fixed),
        };
        let fixed: String = fixed.chars().filter(|own| !own.is_ascii_digit()).collect();
        let Some(at) = left.find(&fixed) else {
            return false;
        };
        left = &left[at + fixed.len()..];
    }
    true
}

/// What the other generator leaves out and rules ask for: some of it, by the bits of `drawn`.
fn with_more((Asked(mut question), drawn): (Asked, u32)) -> Asked {
    let mut left = drawn;
    // Each is there once in four times.
    let mut drawn = move |values: u32| {
        let own = left % (4 * values);
        left = (left / (4 * values)).wrapping_add(own.wrapping_mul(0x9e37_79b9));
        (own < values).then_some(own)
    };
    if let Some(rl) = &mut question.workload.rl {
        let step = rl.prompts_per_step.unwrap_or(64);
        rl.gen_batch_size = drawn(3)
            .map(|own| [step * 2, step.div_ceil(2), step + 1][own as usize])
            .or(rl.gen_batch_size);
        rl.oversampling = drawn(1).map(|_| 2.5).or(rl.oversampling);
        rl.old_log_prob = drawn(2).map(|own| own == 0).or(rl.old_log_prob);
        rl.balance_batch = drawn(2).map(|own| own == 0).or(rl.balance_batch);
        let runs_on = rl.schedule == Some(Schedule::FullyAsync);
        rl.partial_rollout = drawn(2).filter(|_| runs_on).map(|own| own == 0).or(rl.partial_rollout);
        let ahead = drawn(1).filter(|_| runs_on).map(|_| 0.5);
        rl.max_staleness = ahead.or(rl.max_staleness);
        let agent = drawn(3).map(|own| AgentSpec {
            turns: Some(2.0),
            environments: (own == 1).then_some(step),
            asynchronous: (own == 2).then_some(false),
            ..AgentSpec::default()
        });
        rl.agent = agent.or(rl.agent.take());
    }
    if let Some(own) = &mut question.workload.distillation {
        own.on_policy = drawn(1).map(|_| 0.5).or(own.on_policy);
    }
    if let Some(lora) = &mut question.workload.lora {
        lora.rank = drawn(1).map(|_| 1024).or(lora.rank);
    }
    if question.workload.rl.is_some() {
        let own = question.plan.get_or_insert_default().rollout.get_or_insert_default();
        own.engine = drawn(2)
            .map(|own| [Engine::Sglang, Engine::TensorrtLlm][own as usize])
            .or(own.engine);
        own.precision = drawn(3)
            .map(|own| [Precision::Mxfp8, Precision::Fp8, Precision::Bf16][own as usize])
            .or(own.precision);
        own.kv_cache_dtype = drawn(1).map(|_| KvCacheDtype::Fp8).or(own.kv_cache_dtype);
        own.chunked_prefill = drawn(1).map(|_| false).or(own.chunked_prefill);
        own.free_cache = drawn(1).map(|_| false).or(own.free_cache);
        own.enforce_eager = drawn(1).map(|_| true).or(own.enforce_eager);
    }
    Asked(question)
}

/// Rows of a space's plans that no plan of it breaks, as what completes a plan asks the same of every backend; and those of a
/// table that is asked of one backend alone.
const HELD_BY_THE_SPACE: [&str; 16] = [
    "{gpus} GPUs are no multiple of TP {tp} × PP {pp} × CP {cp}.",
    "{gpus} GPUs are no multiple of TP {tp} × CP {cp}.",
    "{gpus} GPUs are no multiple of TP {tp} × Ulysses {ulysses}.",
    "{gpus} GPUs are no multiple of ETP {etp} × EP {ep} × PP {pp}.",
    "{gpus} GPUs are no multiple of {ulysses}.",
    "{gpus} GPUs are no multiple of a shard group of {group}.",
    "{experts} experts cannot be shared evenly by {ep} GPUs.",
    "The model has no experts. Set expert_parallel to 1.",
    "{heads} attention heads cannot be split by {tp}.",
    "{heads} attention heads cannot be split by {ulysses}.",
    "Neither of {kv} key and value heads and {ulysses} divides the other.",
    "{whole} heads of linear attention cannot be split evenly.",
    "{layers} layers cannot be split into {pp} stages of {chunks} chunks.",
    "Chunks need more than one pipeline stage. Set virtual_pipeline to 1.",
    "FSDP has no {words}. Set it to 1 or the backend to megatron.",
    "Set the backend to deepspeed{way}.",
];

/// Rows of old cards, which whoever trains in bf16 alone has refused before.
const HELD_BY_THE_CARD: [&str; 2] = [
    "vLLM loads no weights in bf16 on cards before Ampere. Set it to fp16.",
    "SGLang starts on Turing and newer. Set the engine to vllm.",
];

/// Of a hundred rows that speak of other plans, how many the usual cases may leave unmet.
const UNMET: usize = 12;

#[test]
fn rules_refuse_no_more_than_they_are_taken_to() {
    let met = Mutex::new(BTreeSet::new());
    let questions = (questions::question(questions::Plan::Partial), any::<u32>()).prop_map(with_more);
    survey((1, 0), ("rules", 400, 4), &questions, |own| faults(own, &met));
    let met = met.into_inner().unwrap();
    let (mut all, mut unmet) = (0, Vec::new());
    for framework in FRAMEWORKS {
        let speaks = |field: &str| Verdict::of_field(field) >= Verdict::NoPass || is_of_the_job(field);
        let rows = framework.rows();
        let in_bf16 = rows
            .iter()
            .any(|(_, says)| says.starts_with("The texts for {name} train in bf16"));
        let held = |says: &str| HELD_BY_THE_SPACE.contains(&says) || in_bf16 && HELD_BY_THE_CARD.contains(&says);
        for (field, says) in rows.into_iter().filter(|(field, says)| speaks(field) && !held(says)) {
            all += 1;
            let hit = met
                .iter()
                .any(|(id, own)| *id == framework.id && own.0 == field && is_said(says, &own.1));
            if !hit {
                unmet.push(format!("{} {field}: {says}", framework.id));
            }
        }
    }
    assert!(unmet.len() * 100 <= all * UNMET, "{} rows of {all} unmet:\n{}", unmet.len(), unmet.join("\n"));
}
