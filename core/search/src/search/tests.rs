#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[allow(dead_code)]
#[path = "../../../tests/fuzz.rs"]
mod fuzz;
mod laws;
#[allow(dead_code)]
#[path = "../../../tests/questions.rs"]
mod questions;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::json;

use super::accept::{Accept, Runner, Runs, Verdict};
use super::asking::Asking;
use super::bounded::Limits;
use super::candidate::Candidate;
use super::choices;
use super::engines::Engines;
use super::ranked::Ranked;
use super::space::Space;
use super::work::Work;
use shardwise_catalog::error::InputError;
use shardwise_engine::context::Context;
use shardwise_engine::fit::missing_gib;
use shardwise_engine::{rl, step};
use shardwise_question::complete::{complete, complete_rollout};
use shardwise_question::job::{self, Job};
use shardwise_question::plan::{Plan, RolloutPlan};
use shardwise_question::wire::{Calibration, PlanSpec, Question, RolloutPlanSpec, parse_question};
use shardwise_rules::FRAMEWORKS;

/// What a search of the space finds, with as much work as it takes, not settled.
fn rank(context: &Context<'_>, spec: &PlanSpec, keep: usize, accept: Accept<'_>) -> Result<Ranked, InputError> {
    let rl = context.job.workload.rl.as_ref();
    let engines = rl.map(|rl| Engines::of(context, spec, rl));
    let asked = Asking { context, accept, work: &Work::of(u64::MAX) };
    let limits = Limits::found(keep);
    asked.rank(spec, (&Space::of(context, spec), engines.as_ref()), limits)
}

/// Every plan, evaluated by itself, the best of each group first. The sides of an RL step, which know nothing of each other
/// ([`rl::step`]), are each evaluated once.
fn brute_force(context: &Context<'_>, spec: &PlanSpec, accept: &dyn Fn(&Plan) -> bool) -> Ranked {
    let job = context.job;
    let space = Space::of(context, spec);
    let engines: Vec<_> = if job.workload.rl.is_some() {
        let (shares, rollouts) = choices::rollouts(job, spec);
        let legal = |rollout: &RolloutPlanSpec| complete_rollout(job, rollout).ok();
        let with = |rollout: RolloutPlan| {
            shares
                .iter()
                .map(move |share| RolloutPlan { gpu_memory_utilization: *share, ..rollout })
        };
        rollouts.iter().filter_map(legal).flat_map(with).map(Some).collect()
    } else {
        vec![None]
    };
    let generating = |engine: &Option<RolloutPlan>| {
        let (engine, rl) = (engine.as_ref()?, job.workload.rl.as_ref()?);
        Some(rl::generating_side(context, engine, rl))
    };
    let timed: Vec<_> = engines.iter().map(generating).collect();
    let mut considered = 0;
    let mut groups: Vec<Option<Candidate>> = Vec::new();
    for (place, plan) in space.each() {
        let learning = job.workload.rl.as_ref();
        let training = learning.map(|own| rl::training_side(context, &plan, own));
        for (engine, generating) in engines.iter().zip(&timed) {
            let plan = Plan { rollout: *engine, ..plan };
            considered += 1;
            if !accept(&plan) {
                continue;
            }
            let step = match (learning, &training, generating) {
                (Some(own), Some(training), Some(generating)) => {
                    let sides = rl::Sides { training: training.clone(), generating: *generating };
                    rl::together(context, &plan, own, &sides)
                }
                _ => step::evaluate(context, &plan),
            };
            let missing = missing_gib(context, &plan, &step);
            let found = Candidate::new(job, &plan, step.seconds, missing, place);
            let place = place as usize;
            groups.resize(groups.len().max(place + 1), None);
            let known = &mut groups[place];
            if known.is_none_or(|known| found.order(&known).is_lt()) {
                *known = Some(found);
            }
        }
    }
    let mut plans: Vec<Candidate> = groups.into_iter().flatten().collect();
    plans.sort_by(Candidate::order);
    Ranked { considered, evaluated: 0, complete: true, fastest: None, plans, others: Vec::new() }
}

fn same(found: &Ranked, tried: &Ranked) -> Result<(), TestCaseError> {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    for (number, (ours, theirs)) in found.plans.iter().zip(&tried.plans).enumerate() {
        // Engines and micro-batches that do equally well are listed in one order here and in another there.
        let text = format!("{number}: {ours:?} instead of {theirs:?}");
        prop_assert!(near(ours.shortfall_gib, theirs.shortfall_gib), "{}", text);
        // Of what does not fit another may lack as much and be faster.
        prop_assert!(!ours.fits() || near(ours.seconds, theirs.seconds), "{}", text);
    }
    Ok(())
}

fn job_of(question: &Question) -> Job {
    job::resolve(question).unwrap()
}

fn question(value: serde_json::Value) -> Question {
    parse_question(&value.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

fn training() -> impl Strategy<Value = Question> {
    let dense = select(vec!["qwen3-0.6b", "llama-3.1-8b", "qwen2.5-32b", "llama-3.1-70b"]);
    let experts = select(vec!["qwen3-30b-a3b", "deepseek-v2-lite", "mixtral-8x7b"]);
    let model = prop_oneof![3 => dense, 1 => experts];
    let gpu = select(vec!["h100-sxm", "a100-sxm-40g", "l40s", "rtx-4090", "b200-sxm", "mi300x", "t4"]);
    let shape = (
        select(vec![1_u64, 2, 4, 8, 12, 16]),
        select(vec![512_u64, 2048, 4096, 16384]),
        select(vec![8_u64, 24, 64, 7]),
        0.2..1.0_f64,
    );
    let kind = select(vec!["pretrain", "sft", "lora", "qlora"]);
    let precision = select(vec!["bf16", "bf16", "fp8"]);
    (model, gpu, shape, kind, precision, any::<bool>()).prop_map(
        |(model, gpu, (gpus, length, batch, mean), kind, precision, packing)| {
            let mean = if kind == "pretrain" { 1.0 } else { mean };
            question(json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
                "workload": {"kind": kind, "sequence_length": length, "global_batch": batch, "precision": precision,
                    "mean_sequence_length": (length as f64 * mean).ceil(), "packing": packing}}))
        },
    )
}

fn reinforcement() -> impl Strategy<Value = Question> {
    let model = select(vec!["qwen3-0.6b", "qwen2.5-7b", "qwen3-30b-a3b"]);
    let gpu = select(vec!["h100-sxm", "a100-sxm-40g", "h20-141g", "l40s"]);
    let shape = (select(vec![4_u64, 8]), select(vec![1024_u64, 7168]), select(vec![16_u64, 64]), 0.0..1.2_f64);
    let kind = select(vec!["grpo", "ppo", "dapo"]);
    let schedule = select(vec!["colocated", "colocated", "one_step_off"]);
    (model, gpu, shape, kind, schedule).prop_map(|(model, gpu, (gpus, response, prompts, cv), kind, schedule)| {
        let mut rl = json!({"prompts_per_step": prompts, "responses_per_prompt": 8, "max_prompt_length": 1024,
                "max_response_length": response, "mean_prompt_length": 300, "mean_response_length": response / 3,
                "response_length_cv": cv, "mini_batch": 16, "schedule": schedule});
        if schedule != "colocated" {
            rl["train_gpus"] = json!(gpus / 2);
        }
        if kind == "ppo" {
            rl["critic"] = json!("qwen3-0.6b");
        }
        question(json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
                "workload": {"kind": kind, "rl": rl}}))
    })
}

/// Half of them under the factors of a run, of RL by kinds of phases.
fn calibrated(questions: impl Strategy<Value = Question>) -> impl Strategy<Value = Question> {
    let factor = || prop_oneof![1 => Just(None), 1 => (0.3..3.0_f64).prop_map(Some)];
    (questions, factor(), factor()).prop_map(|(question, time, memory)| {
        let by_phase = question.workload.rl.is_some() && memory.is_some();
        let phase = |times: f64| time.filter(|_| by_phase).map(|time| time * times);
        let calibration = Calibration {
            time,
            memory,
            rollout: phase(0.7),
            forward: phase(1.9),
            update: phase(0.8),
            weight_sync: phase(3.0),
            other: phase(0.5),
        };
        Question { calibration: Some(calibration), ..question }
    })
}

/// Fields that a person may have stated.
fn stated() -> impl Strategy<Value = PlanSpec> {
    let nothing = Just(json!({}));
    let some = select(vec![
        json!({"recompute": "full"}),
        json!({"backend": "megatron"}),
        json!({"offload": {"optimizer": true, "gradients": true}, "backend": "deepspeed"}),
        json!({"micro_batch": 2}),
        json!({"tensor_parallel": 2}),
        json!({"fused_lm_head": true, "zero_stage": 2, "backend": "deepspeed"}),
        json!({"pipeline_parallel": 2, "virtual_pipeline": 2, "backend": "megatron"}),
        json!({"overlap": {"gradients": false, "parameters": true, "tensor_parallel": true}}),
    ]);
    prop_oneof![2 => nothing, 1 => some].prop_map(|value| serde_json::from_value(value).unwrap())
}

fn cases(number: u32) -> ProptestConfig {
    ProptestConfig {
        cases: number,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(240))]

    #[test]
    fn training_is_searched_as_by_brute_force(question in calibrated(training()), spec in stated(), keep in 1..40_usize) {
        let job = job_of(&question);
        let context = Context::new(&job).for_many();
        if let Ok(found) = rank(&context, &spec, keep, &|_| Verdict::Yes) {
            same(&found, &brute_force(&Context::new(&job), &spec, &|_| true))?;
        }
    }
}

#[test]
fn rl_is_searched_as_by_brute_force() {
    let questions = (calibrated(reinforcement()), 1..8_usize);
    fuzz::survey((1, 0), ("RL searches", 24, 2), &questions, |(question, keep)| {
        let job = job_of(question);
        // One number of slots and one budget are enough to tell.
        let spec = PlanSpec {
            rollout: Some(RolloutPlanSpec { max_num_seqs: Some(256), ..RolloutPlanSpec::default() }),
            max_tokens_per_gpu: Some(2 * job.workload.sequence_length),
            ..PlanSpec::default()
        };
        let context = Context::new(&job).for_many();
        let Ok(found) = rank(&context, &spec, *keep, &|_| Verdict::Yes) else {
            return Vec::new();
        };
        let tried = brute_force(&Context::new(&job).for_many(), &spec, &|_| true);
        let wrong = same(&found, &tried).err();
        wrong.map(|own| format!("{own}\n  {question:?}")).into_iter().collect()
    });
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn what_a_framework_accepts_is_searched_as_by_brute_force(
        question in prop_oneof![training(), reinforcement()],
        framework in 0..FRAMEWORKS.len(),
    ) {
        let job = job_of(&question);
        let own = &FRAMEWORKS[framework];
        let spec = PlanSpec {
            backend: Some(own.backends[0]),
            fused_lm_head: Some(own.fuses_the_lm_head(own.backends[0]) && job.workload.rl.is_some()),
            rollout: Some(RolloutPlanSpec { max_num_seqs: Some(256), gpu_memory_utilization: Some(0.6),
                ..RolloutPlanSpec::default() }),
            ..PlanSpec::default()
        };
        let runs = Runs::new(Runner::One(own), &job);
        let accept = |plan: &Plan| runs.verdict(plan);
        let counts = |plan: &Plan| accept(plan) == Verdict::Yes;
        let context = Context::new(&job).for_many();
        let Ok(found) = rank(&context, &spec, 3, &accept) else { return Ok(()) };
        let tried = brute_force(&Context::new(&job), &spec, &counts);
        prop_assert_eq!(found.plans.len(), tried.plans.len().min(3));
        same(&found, &tried)?;
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// So one plan of a back end tells of them all.
    #[test]
    fn what_no_plan_changes_is_refused_of_every_plan(
        question in prop_oneof![training(), reinforcement()],
        few_positions in any::<bool>(),
        framework in 0..FRAMEWORKS.len(),
    ) {
        let model = if few_positions { json!("qwen2.5-math-7b") } else { question.model.clone() };
        let job = job_of(&Question { model, ..question });
        let own = &FRAMEWORKS[framework];
        let runs = Runs::new(Runner::One(own), &job);
        for backend in own.backends {
            let spec = PlanSpec { backend: Some(*backend), ..PlanSpec::default() };
            let space = Space::of(&Context::new(&job), &spec);
            let mut refusals = space.each().step_by(101).map(|(_, plan)| runs.refusal(&plan));
            let first = refusals.next();
            prop_assert!(refusals.all(|other| Some(other) == first), "{}: {:?}", own.id, first);
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// So a search leaves out a pass or a parallel layout for one plan of it, and a framework is not asked again.
    #[test]
    fn what_is_refused_of_a_plan_is_refused_of_those_like_it(question in training(), framework in 0..FRAMEWORKS.len()) {
        let job = job_of(&question);
        let own = &FRAMEWORKS[framework];
        for backend in own.backends {
            let spec = PlanSpec { backend: Some(*backend), ..PlanSpec::default() };
            let space = Space::of(&Context::new(&job), &spec);
            // Of the last group, and of its last pass: whether some plan counts, and whether one says that none does.
            let (mut group, mut pass) = ((None, false, false), (None, false, false));
            for (place, plan) in space.each().step_by(5) {
                // Each by itself: nothing is known of others.
                let verdict = Runs::new(Runner::One(own), &job).verdict(&plan);
                let (counts, no_group) = (verdict == Verdict::Yes, verdict == Verdict::NoGroup);
                let no_pass = no_group || verdict == Verdict::NoPass;
                let last = (place, plan.layout.micro_batch);
                if group.0 != Some(place) {
                    group = (Some(place), false, false);
                }
                if pass.0 != Some(last) {
                    pass = (Some(last), false, false);
                }
                group = (group.0, group.1 || counts, group.2 || no_group);
                pass = (pass.0, pass.1 || counts, pass.2 || no_pass);
                prop_assert!(!(group.1 && group.2), "{}: {:?}", own.id, plan.layout);
                prop_assert!(!(pass.1 && pass.2), "{}: {:?}", own.id, plan.layout);
            }
        }
    }
}

/// The space holds every plan that model and machine allow, of the sizes that it says it tries.
#[test]
fn nothing_legal_is_left_out() {
    for (model, gpus, length) in [("llama-3.1-8b", 8, 4096), ("qwen3-30b-a3b", 8, 2048), ("qwen2.5-7b", 12, 1024)] {
        let question = question(json!({"version": 1, "model": model, "hardware": {"gpu": "h100-sxm", "gpus": gpus},
            "workload": {"kind": "sft", "sequence_length": length, "global_batch": 24}}));
        let job = job_of(&question);
        let layers = job.model.shape.num_hidden_layers;
        let space = Space::of(&Context::new(&job), &PlanSpec::default());
        let mut known: Vec<Plan> = space.each().map(|(_, plan)| plan).collect();
        let mut tried = 0;
        let sizes = 1..=gpus;
        for tp in sizes.clone().filter(|tp| *tp <= 8) {
            for pp in sizes.clone() {
                for cp in [1, 2, 4].into_iter().filter(|cp| cp * 1024 <= length) {
                    for ep in sizes.clone() {
                        for etp in [1, 2, 4, 8].into_iter().filter(|etp| *etp <= tp) {
                            for vpp in 1..=16 {
                                let spec: PlanSpec = serde_json::from_value(json!({"backend": "megatron",
                                    "tensor_parallel": tp, "pipeline_parallel": pp, "context_parallel": cp,
                                    "expert_parallel": ep, "expert_tensor_parallel": etp, "virtual_pipeline": vpp,
                                    "micro_batch": 1, "recompute": "none", "fused_lm_head": false}))
                                .unwrap();
                                let Ok(plan) = complete(&job, &spec) else {
                                    continue;
                                };
                                let ranks = gpus / (tp * pp * cp);
                                let shared = ranks > 0 && 24 % ranks == 0;
                                let stages = layers.is_multiple_of(pp * vpp)
                                    || (vpp == 1 && layers.div_ceil(pp) * (pp - 1) < layers);
                                let rounds = vpp == 1 || (24 / ranks).is_multiple_of(pp);
                                let split = length.is_multiple_of(2 * cp) || cp == 1;
                                let experts = job.model.shape.num_experts > 0 && gpus.is_multiple_of(ep * etp * pp)
                                    || ep * etp == 1;
                                if shared && stages && rounds && split && experts {
                                    tried += 1;
                                    let at = known.iter().position(|known| *known == plan);
                                    assert!(at.is_some(), "{model}: {spec:?}");
                                    known.swap_remove(at.unwrap());
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(tried > 10, "{tried}");
        let left = known.iter().find(|plan| {
            let plain = PlanSpec { backend: Some(shardwise_question::wire::Backend::Megatron), ..plan.to_spec() };
            plan.layout.backend == shardwise_question::wire::Backend::Megatron
                && plan.layout.micro_batch == shardwise_question::plan::MicroBatch::Sequences(1)
                && plan.layout.recompute == shardwise_question::plan::Recompute::None
                && plan.layout.offload == shardwise_question::wire::Offload::default()
                && !plan.layout.fused_lm_head
                && complete(&job, &plain).is_ok()
        });
        assert!(left.is_none(), "{model}: also {left:?}");
    }
}
