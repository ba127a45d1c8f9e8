//! A run of one's own: what its factors are, and that every estimate follows them.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::calibration::{Measured, by_phase, calibrate, guide_mfu};
use shardwise_core::coverage::{CALIBRATED, Family, Kind};
use shardwise_core::job::FACTORS;
use shardwise_core::log::read_log;
use shardwise_core::wire::{
    Answer, Calibration, MemoryParts, MemoryPhase, Question, TimeParts, WorkloadKind, question_from_value,
};
use shardwise_core::{Evaluated, emit, estimate, evaluate_alone, flags, permalink, presets, read, search};

use crate::questions::{self, Asked, Plan, cases};

fn question(text: &Value) -> Question {
    question_from_value(text.clone()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Full fine-tuning as the guide runs it.
fn sft() -> Question {
    question(&json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 128, "tokens": 1e9},
        "plan": {"backend": "deepspeed", "zero_stage": 3, "tensor_parallel": 1, "pipeline_parallel": 1,
            "context_parallel": 1, "micro_batch": 4, "recompute": "full"}}))
}

fn rl(schedule: &str, more: &Value) -> Question {
    let mut rl = json!({"prompts_per_step": 128, "responses_per_prompt": 8, "max_prompt_length": 1024,
        "max_response_length": 3072, "mean_prompt_length": 200, "mean_response_length": 1000, "schedule": schedule});
    if schedule != "colocated" {
        rl["train_gpus"] = json!(8);
    }
    for (key, value) in more.as_object().unwrap() {
        rl[key] = value.clone();
    }
    question(&json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 16},
        "workload": {"kind": "ppo", "rl": rl},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "micro_batch": 1, "recompute": "full", "rollout": {"tensor_parallel": 1}}}))
}

fn rollout() -> Question {
    question(&json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "rollout", "rollout": {"requests": 1000, "mean_prompt_length": 100, "mean_response_length": 500}},
        "plan": {"rollout": {"tensor_parallel": 1}}}))
}

fn with(question: &Question, time: Option<f64>, memory: Option<f64>) -> Question {
    Question { calibration: Some(Calibration { time, memory, ..Calibration::default() }), ..question.clone() }
}

fn step_of(seconds: f64) -> Measured {
    Measured { step_time_s: Some(seconds), ..Measured::default() }
}

fn peak_of(gib: f64) -> Measured {
    Measured { peak_gib: Some(gib), ..Measured::default() }
}

#[track_caller]
fn same(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()), "{a} is not {b}");
}

fn scaled_time(now: &TimeParts, was: &TimeParts, factor: f64) {
    for ((name, now), (_, was)) in now.entries().into_iter().zip(was.entries()) {
        assert!((now - was * factor).abs() <= 1e-9 * now, "{name}: {now}, {was}");
    }
}

/// Allocated parts follow the factor, what the driver and the links take does not.
fn scaled_memory(now: &MemoryParts, was: &MemoryParts, factor: f64) {
    for ((name, now), (_, was)) in now.entries().into_iter().zip(was.entries()) {
        match name {
            // The allocator's slack is in it.
            "framework" => {}
            "communication" | "kv_cache" | "rollout_weights" => same(now, was),
            _ => assert!((now - was * factor).abs() <= 1e-9 * now, "{name}: {now}, {was}"),
        }
    }
}

/// The guide's three tables: context, sequences per device, million tokens per hour on 8 A100, MFU.
const GUIDE: [(f64, [[f64; 4]; 4]); 3] = [
    (
        7e9,
        [
            [512.0, 64.0, 101.47, 0.47],
            [1024.0, 32.0, 103.7, 0.48],
            [2048.0, 8.0, 99.75, 0.47],
            [4096.0, 4.0, 102.58, 0.48],
        ],
    ),
    (
        70e9,
        [[512.0, 16.0, 11.23, 0.53], [1024.0, 8.0, 9.65, 0.45], [2048.0, 4.0, 8.58, 0.40], [4096.0, 2.0, 13.40, 0.63]],
    ),
    // Two experts of seven billion.
    (
        14e9,
        [
            [512.0, 64.0, 59.73, 0.56],
            [1024.0, 32.0, 57.20, 0.53],
            [2048.0, 16.0, 56.85, 0.53],
            [4096.0, 8.0, 55.84, 0.52],
        ],
    ),
];

#[test]
fn the_guides_tables_follow_from_its_formula() {
    for (parameters, rows) in GUIDE {
        for [context, sequences, rate, printed] in rows {
            let tokens = context * sequences;
            let seconds = tokens * 8.0 * 3600.0 / (rate * 1e6);
            let mfu = guide_mfu(tokens, parameters, seconds, 312.0);
            assert!((mfu - printed).abs() <= 0.0055, "{context}: {mfu}, {printed}");
        }
    }
}

#[test]
fn ones_own_estimate_as_a_measurement_changes_nothing() {
    for asked in [
        sft(),
        rl("colocated", &json!({"reward_s": 20.0})),
        rl("fully_async", &json!({"reward_s": 20.0})),
        rl("one_step_off", &json!({"reward_s": 500.0})),
        rl("split", &json!({})),
        rollout(),
    ] {
        let answer = estimate(&asked).unwrap();
        let own = calibrate(&asked, &step_of(answer.step_time_s)).unwrap();
        let step = own.step.unwrap();
        assert_eq!((step.factor, own.calibration.time), (1.0, Some(1.0)));
        same(step.mfu, answer.mfu);
        assert!(step.inside_interval);
        assert_eq!(own.plan, answer.plan);
    }
    let answer = estimate(&sft()).unwrap();
    let own = calibrate(&sft(), &peak_of(answer.memory.peak_gib)).unwrap();
    assert_eq!(own.calibration.memory, Some(1.0));
    assert_eq!(own.calibration.time, None);
}

#[test]
fn passes_are_a_micro_batchs() {
    let measured = Measured { forward_s: Some(1.2), backward_s: Some(3.4), ..Measured::default() };
    let own = calibrate(&sft(), &measured).unwrap();
    let passes = own.passes.unwrap();
    same(passes.measured_s, 4.6);
    // 4 sequences of 4,096 tokens, 6.74 billion weights, 312 TFLOPS.
    let by_guide = 6.0 * 4.0 * 4096.0 * 6_738_415_616.0 / 4.6 / 312e12;
    same(passes.guide_mfu.unwrap(), by_guide);
    // Attention is more than the input embedding at this length.
    assert!(passes.mfu > by_guide && passes.mfu < 1.1 * by_guide);
    let answer = estimate(&sft()).unwrap();
    let micro_batches = 128.0 / 8.0 / 4.0;
    assert!(micro_batches * passes.estimated_s < answer.step_time_s);
    assert!(micro_batches * passes.estimated_s > 0.9 * answer.step_time_s);
    assert!(own.step.is_none() && own.memory.is_none());
    assert_eq!(own.calibration.time, Some(passes.factor));
    same(passes.factor, (4.6 / passes.estimated_s * 1e4).round() / 1e4);

    // Tensor parallelism: each GPU computes with half of the weights.
    let mut halves = sft();
    let plan = halves.plan.as_mut().unwrap();
    plan.backend = Some(shardwise_core::wire::Backend::Megatron);
    plan.zero_stage = Some(1);
    plan.tensor_parallel = Some(2);
    let halves = calibrate(&halves, &measured).unwrap().passes.unwrap();
    same(halves.guide_mfu.unwrap(), by_guide / 2.0);
    same(halves.mfu, passes.mfu / 2.0);
    assert!(halves.estimated_s < passes.estimated_s);
}

#[test]
fn a_whole_step_goes_before_its_passes() {
    let answer = estimate(&sft()).unwrap();
    let measured = Measured {
        forward_s: Some(1.2),
        backward_s: Some(3.4),
        step_time_s: Some(answer.step_time_s * 1.25),
        peak_gib: Some(answer.memory.peak_gib * 0.9),
    };
    let own = calibrate(&sft(), &measured).unwrap();
    assert_eq!(own.calibration.time, Some(1.25));
    assert_eq!(own.calibration.memory, Some(0.9));
    assert!(own.passes.unwrap().factor != 1.25);
}

#[test]
fn applied_factors_meet_the_measurement() {
    for (asked, times) in [
        (sft(), 1.3),
        (rollout(), 0.8),
        (rl("colocated", &json!({})), 1.3),
        // What the question states stays as it is, whichever side decides.
        (rl("colocated", &json!({"reward_s": 30.0})), 1.4),
        (rl("split", &json!({"reward_s": 30.0})), 0.9),
        (rl("one_step_off", &json!({"reward_s": 30.0})), 1.4),
        (rl("fully_async", &json!({"reward_s": 200.0})), 1.2),
    ] {
        let seconds = estimate(&asked).unwrap().step_time_s * times;
        let own = calibrate(&asked, &step_of(seconds)).unwrap();
        let answer = estimate(&own.applied(&asked)).unwrap();
        assert!((answer.step_time_s / seconds - 1.0).abs() < 2e-4, "{} {seconds}", answer.step_time_s);
        same(answer.mfu, own.step.unwrap().mfu * seconds / answer.step_time_s);
        let stated = asked.workload.rl.as_ref().and_then(|rl| rl.reward_s);
        let reward = answer.time.phases.iter().find(|phase| phase.name == "reward");
        assert_eq!(reward.map(|phase| phase.s), stated);
    }
    let answer = estimate(&sft()).unwrap();
    let gib = answer.memory.peak_gib * 1.1;
    let own = calibrate(&sft(), &peak_of(gib)).unwrap();
    let after = estimate(&own.applied(&sft())).unwrap();
    same(after.memory.peak_gib, gib);
    assert_eq!(after.step_time_s, answer.step_time_s);
}

#[test]
fn everything_follows_the_factors() {
    let was = estimate(&sft()).unwrap();
    let now = estimate(&with(&sft(), Some(1.5), Some(1.2))).unwrap();
    same(now.step_time_s, 1.5 * was.step_time_s);
    same(now.tokens_per_s, was.tokens_per_s / 1.5);
    same(now.mfu, was.mfu / 1.5);
    same(now.hfu, was.hfu / 1.5);
    same(now.usd_per_mtok.unwrap(), 1.5 * was.usd_per_mtok.unwrap());
    same(now.usd_per_step.unwrap(), 1.5 * was.usd_per_step.unwrap());
    same(now.run.unwrap().hours, 1.5 * was.run.unwrap().hours);
    scaled_time(&now.time.parts, &was.time.parts, 1.5);
    scaled_memory(&now.memory.parts, &was.memory.parts, 1.2);
    // As wide as before, around the calibrated figures.
    let (now_at, was_at) = (now.interval.unwrap(), was.interval.unwrap());
    for end in [0, 1] {
        same(now_at.tokens_per_s_per_gpu[end], was_at.tokens_per_s_per_gpu[end] / 1.5);
        same(now_at.peak_gib[end], was_at.peak_gib[end] * 1.2);
    }
    assert_eq!(now.calibration, with(&sft(), Some(1.5), Some(1.2)).calibration);
    let caveat = now.caveats.iter().find(|caveat| caveat.id == "calibrated");
    assert!(caveat.unwrap().text.contains("times × 1.50, training's memory × 1.20"));
    assert!(was.calibration.is_none() && was.caveats.iter().all(|caveat| caveat.id != "calibrated"));
}

#[test]
fn training_beside_an_engine_follows_and_the_engine_does_not() {
    for schedule in ["colocated", "split"] {
        let asked = rl(schedule, &json!({}));
        let was = estimate(&asked).unwrap();
        let now = estimate(&with(&asked, Some(1.5), Some(1.2))).unwrap();
        for (now, was) in now.memory.phases.iter().zip(&was.memory.phases) {
            scaled_memory(&now.parts, &was.parts, 1.2);
        }
        for (now, was) in now.time.phases.iter().zip(&was.time.phases) {
            scaled_time(&now.parts, &was.parts, 1.5);
        }
        let trainer = |answer: &Answer| {
            let phases = answer.memory.phases.iter().filter(|phase| phase.name != "rollout");
            phases
                .map(|phase| {
                    let parts = phase.parts;
                    parts.total() - parts.framework - parts.communication - parts.kv_cache - parts.rollout_weights
                })
                .fold(0.0, f64::max)
        };
        let own = calibrate(&asked, &peak_of(1.2 * trainer(&was))).unwrap();
        assert_eq!(own.calibration.memory, Some(1.2));
        same(trainer(&now), 1.2 * trainer(&was));
    }
}

/// What each phase of an RL step is multiplied by, where all kinds have factors of their own.
#[test]
fn each_kind_of_phase_follows_its_own_factor() {
    for schedule in ["colocated", "split", "one_step_off"] {
        let asked = rl(schedule, &json!({}));
        let own = Calibration {
            time: Some(9.0),
            memory: None,
            rollout: Some(1.5),
            forward: Some(0.8),
            update: Some(2.0),
            weight_sync: Some(3.0),
            other: Some(1.1),
        };
        let was = estimate(&asked).unwrap();
        let now = estimate(&Question { calibration: Some(own), ..asked }).unwrap();
        for (now, was) in now.time.phases.iter().zip(&was.time.phases) {
            let factor = match now.name {
                "rollout" => 1.5,
                "old_log_prob" | "reference" | "values" => 0.8,
                "update_actor" | "update_critic" => 2.0,
                "weight_sync" => 3.0,
                "driver" => 1.1,
                other => panic!("{other}"),
            };
            scaled_time(&now.parts, &was.parts, factor);
        }
        let said = "generation × 1.50, passes forward alone × 0.80, updates × 2.00, weight sync × 3.00, the rest of the step × 1.10";
        assert!(now.caveats.iter().any(|caveat| caveat.text.contains(said)), "{:?}", now.caveats);
    }
}

/// Phases that a run tells come out as it tells them, and so does its step.
#[test]
fn a_run_by_its_phases() {
    let asked = rl("colocated", &json!({}));
    let found = evaluate_alone(&asked).unwrap();
    let told = |answer: &Answer| -> BTreeMap<&'static str, f64> {
        answer.time.phases.iter().map(|phase| (phase.name, phase.s)).collect()
    };
    let mut phases = told(&found.answer);
    phases.remove("driver");
    for (name, factor) in [("rollout", 1.4), ("old_log_prob", 0.7), ("reference", 0.9), ("update_actor", 1.2)] {
        *phases.get_mut(name).unwrap() *= factor;
    }
    let step = phases.values().sum::<f64>() + 3.0;
    let calibrated = by_phase(&found, &step_of(step), &phases).unwrap();
    // What has no phases follows the whole step's.
    assert_eq!(calibrated.calibration.time, calibrated.step.map(|pace| pace.factor));
    let after = estimate(&calibrated.applied(&asked)).unwrap();
    assert!((after.step_time_s / step - 1.0).abs() < 1e-3, "{} {step}", after.step_time_s);
    let now = told(&after);
    assert!((now["rollout"] / phases["rollout"] - 1.0).abs() < 1e-3);
    // Log-probabilities and reference are of one kind: their sum is as measured.
    let forward = |of: &BTreeMap<&'static str, f64>| of["old_log_prob"] + of["reference"] + of["values"];
    assert!((forward(&now) / forward(&phases) - 1.0).abs() < 1e-3);
    // Where both sides pass at once, phases say nothing of the step.
    let beside = rl("one_step_off", &json!({}));
    let found = evaluate_alone(&beside).unwrap();
    let own = by_phase(&found, &step_of(2.0 * found.answer.step_time_s), &told(&found.answer)).unwrap();
    assert_eq!(own.calibration, Calibration { time: Some(2.0), ..Calibration::default() });
}

/// A calibration decides what fits, and with it what is searched, advised and ranked.
#[test]
fn the_search_sees_it() {
    let mut asked = sft();
    asked.plan = None;
    let plain = search(&asked, None, 20).unwrap();
    let slower = search(&with(&asked, Some(2.0), None), None, 20).unwrap();
    assert_eq!(plain.considered, slower.considered);
    assert_eq!(plain.plans[0].plan, slower.plans[0].plan);
    same(slower.plans[0].step_time_s, 2.0 * plain.plans[0].step_time_s);
    let larger = search(&with(&asked, None, Some(2.5)), None, 20).unwrap();
    // What was best no longer fits, and what fits is slower.
    let same_plan = Question { plan: Some(plain.plans[0].plan.clone()), ..with(&asked, None, Some(2.5)) };
    assert!(!estimate(&same_plan).unwrap().fits);
    assert!(larger.plans[0].fits);
    assert!(larger.plans[0].step_time_s > plain.plans[0].step_time_s);
    for answer in &larger.plans {
        assert!(answer.fits == (answer.memory.reserved_gib <= answer.memory.capacity_gib));
    }
    let asked = rl("one_step_off", &json!({}));
    let limits = |memory| {
        let answer = estimate(&with(&asked, None, Some(memory))).unwrap();
        answer.memory.limits[0].max_tokens_per_gpu[0].tokens.unwrap()
    };
    assert!(limits(1.5) < limits(1.0));
}

#[test]
fn what_makes_no_calibration_is_refused_by_name() {
    let all = |forward_s, backward_s, step_time_s, peak_gib| Measured { forward_s, backward_s, step_time_s, peak_gib };
    let none = None::<f64>;
    let rewarded = rl("colocated", &json!({"reward_s": 30.0}));
    let rows = [
        (sft(), all(none, none, none, none), "step_time_s", "Nothing is measured"),
        (sft(), all(Some(1.0), none, none, none), "backward_s", "Give both"),
        (sft(), all(none, Some(1.0), none, none), "forward_s", "Give both"),
        (sft(), all(Some(f64::NAN), Some(1.0), none, none), "forward_s", "out of range"),
        (sft(), all(Some(1.0), Some(f64::INFINITY), none, none), "backward_s", "out of range"),
        (sft(), all(none, none, Some(-3.0), none), "step_time_s", "out of range"),
        (sft(), all(none, none, Some(0.0), none), "step_time_s", "out of range"),
        (sft(), all(none, none, none, Some(f64::NEG_INFINITY)), "peak_gib", "out of range"),
        (sft(), all(none, none, Some(1e7), none), "step_time_s", "more than 10 times apart"),
        (sft(), all(none, none, none, Some(0.5)), "peak_gib", "more than 10 times apart"),
        (sft(), all(none, none, Some(6.0), none), "step_time_s", "of the card's peak"),
        (sft(), all(Some(0.5), Some(0.6), none, none), "forward_s", "of the card's peak"),
        (sft(), all(Some(8.0), Some(15.0), Some(20.0), none), "step_time_s", "longer than this whole step"),
        (rl("colocated", &json!({})), all(Some(1.0), Some(2.0), none, none), "forward_s", "Give step_time_s"),
        (rollout(), all(Some(1.0), Some(2.0), none, none), "forward_s", "Give step_time_s"),
        (rollout(), all(none, none, none, Some(60.0)), "peak_gib", "gpu_memory_utilization"),
        (rewarded, all(none, none, Some(25.0), none), "step_time_s", "reward_s"),
    ];
    for (asked, measured, field, phrase) in rows {
        let error = calibrate(&asked, &measured).expect_err(phrase);
        assert_eq!(error.field, field, "{error}");
        assert!(error.message.contains(phrase), "{error}");
    }
    // What is wrong with the question itself is said as ever.
    let mut wrong = sft();
    wrong.hardware.gpus = Some(0);
    assert_eq!(calibrate(&wrong, &step_of(20.0)).unwrap_err().field, "hardware.gpus");
}

#[test]
fn a_factor_in_a_question_is_checked() {
    let (least, most) = FACTORS;
    // So short that the host decides: far from the peak.
    let mut short = sft();
    short.model = "qwen3-0.6b".into();
    short.workload.sequence_length = Some(16);
    for factor in [least, most] {
        estimate(&with(&short, Some(factor), Some(factor))).unwrap();
    }
    let error = estimate(&with(&sft(), Some(least), None)).unwrap_err();
    assert_eq!(error.field, "calibration.time");
    for factor in [0.0, -1.0, 0.09, 10.1, 1e300, f64::NAN, f64::INFINITY] {
        let error = estimate(&with(&sft(), Some(factor), None)).unwrap_err();
        assert_eq!(error.field, "calibration.time");
        let error = estimate(&with(&sft(), None, Some(factor))).unwrap_err();
        assert_eq!(error.field, "calibration.memory");
    }
    // Nothing in it is none.
    let answer = estimate(&with(&sft(), None, None)).unwrap();
    assert!(answer.calibration.is_none());
}

#[test]
fn link_and_text_carry_it() {
    let asked = with(&sft(), Some(1.1234), Some(0.97));
    let hash = permalink::to_hash(&asked);
    assert!(
        hash.contains("&calibration.time=1.1234&calibration.memory=0.97&z=1")
            || hash.contains("&calibration.memory=0.97&calibration.time=1.1234&z=1"),
        "{hash}"
    );
    assert_eq!(permalink::from_hash(&hash).unwrap(), asked);
    for id in ["llmforge", "deepspeed"] {
        let framework = emit::framework(id).unwrap();
        let link = format!("https://shardwise.example/#{hash}");
        let version = framework.version("").unwrap();
        let snippets = flags(&asked, framework, version, &link).unwrap().unwrap();
        let texts: Vec<&str> = snippets.iter().map(|one| one.text.as_str()).collect();
        assert!(texts.concat().contains(&hash), "{id}");
        let said = "calibrated with a run of your own (times × 1.12, training's memory × 0.97)";
        assert!(texts.concat().contains(said), "{id}: {texts:?}");
        let reading = read::read(&texts, None).unwrap();
        assert_eq!(reading.question.calibration, asked.calibration, "{id}");
        // The caller's own goes before the link's.
        let base = with(&sft(), Some(2.0), None);
        let reading = read::read(&texts, Some(&base)).unwrap();
        let both = Calibration { time: Some(2.0), memory: Some(0.97), ..Calibration::default() };
        assert_eq!(reading.question.calibration, Some(both), "{id}");
    }
    // A text without a link is one of the session's runs.
    let text = "python3 -m verl.trainer.main_ppo data.train_batch_size=512 actor_rollout_ref.model.path=Qwen/Qwen3-8B";
    let reading = read::read(&[text], Some(&asked)).unwrap();
    assert_eq!(reading.question.calibration, asked.calibration);
    assert_eq!(read::read(&[text], None).unwrap().question.calibration, None);
}

#[test]
fn presets_answer_the_same_with_factors_of_one() {
    for preset in presets::presets() {
        let asked: Question = serde_json::from_str(preset.json).unwrap();
        // Without optimization the largest take minutes to search.
        if asked.hardware.gpus.unwrap_or_default() > 16 {
            continue;
        }
        let mut plain = serde_json::to_value(estimate(&asked).unwrap()).unwrap();
        let mut one = serde_json::to_value(estimate(&with(&asked, Some(1.0), Some(1.0))).unwrap()).unwrap();
        // A run of one's own leaves less open: the interval may be narrower.
        for answer in [&mut plain, &mut one] {
            answer.as_object_mut().unwrap().remove("interval").unwrap();
        }
        let caveats = one["caveats"].as_array_mut().unwrap();
        caveats.retain(|caveat| caveat["id"] != "calibrated");
        one.as_object_mut().unwrap().remove("calibration").unwrap();
        assert_eq!(plain, one, "{}", preset.json);
    }
}

/// How far off a run is when estimated from others, as logarithms, and its interval's half-width.
struct Published {
    place: (String, String),
    off: f64,
    half: f64,
    family: Family,
}

fn family(link: &str) -> Family {
    let Evaluated { job, plan, .. } = evaluate_alone(&permalink::from_hash(link).unwrap()).unwrap();
    Kind::of(&job, &plan.layout).family()
}

fn published() -> Vec<Published> {
    let runs: Vec<Value> = serde_json::from_str(include_str!("../../public/runs.json")).unwrap();
    let runs = runs.iter();
    runs.filter_map(|run| {
        let speed = &run["speed"];
        let at = |key: &str| speed[key].as_f64();
        let word = |key: &str| run[key].as_str().unwrap().to_owned();
        Some(Published {
            place: (word("group"), word("gpu")),
            off: (at("measured")? / at("left_out")?).ln(),
            half: (at("high")? / at("low")?).ln() / 2.0,
            family: family(run["link"].as_str().unwrap()),
        })
    })
    .collect()
}

/// What eight of ten are below, each weighted.
fn eighth_tenth(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let past = |(_, weight): &&(f64, f64)| {
        sum += weight;
        sum >= 0.8 * all
    };
    values.iter().find(past).unwrap().0
}

/// Half-widths of what some other source covers, and of what none does.
#[derive(serde::Deserialize)]
struct Widths {
    plain: [f64; 2],
    tuned: [f64; 2],
    low: [f64; 2],
    experts: [f64; 2],
}

/// How far runs of a family whose intervals are so wide are off, by themselves and where another of their source and card calibrates
/// them: what eight of ten are within.
fn before_and_after(runs: &[Published], family: Family, width: f64) -> (usize, f64, f64) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let alike = |run: &&Published| run.family == family && (run.half / width).ln().abs() < 0.06;
    for own in runs.iter().filter(alike) {
        let others: Vec<&Published> = runs
            .iter()
            .filter(|other| other.place == own.place && !std::ptr::eq(*other, own))
            .collect();
        if !others.is_empty() {
            before.push((own.off.abs(), 1.0));
            let weight = 1.0 / others.len() as f64;
            after.extend(others.iter().map(|other| ((own.off - other.off).abs(), weight)));
        }
    }
    if before.is_empty() { (0, 0.0, 0.0) } else { (before.len(), eighth_tenth(before), eighth_tenth(after)) }
}

/// Why a calibrated estimate's interval is as wide as any other's where runs are near, and why it is not much wider where none is.
#[test]
fn one_run_narrows_what_nothing_else_says() {
    let runs = published();
    let coverage: Widths = toml::from_str(include_str!("../catalog/data/coverage.toml")).unwrap();
    let families = [
        (Family::Plain, coverage.plain),
        (Family::Tuned, coverage.tuned),
        (Family::Low, coverage.low),
        (Family::Experts, coverage.experts),
    ];
    let mut pairs = 0;
    for (family, [known, new]) in families {
        let (count, before, after) = before_and_after(&runs, family, known);
        assert!(count > 10 && after > 0.9 * before, "{family:?}: {count} {before} {after}");
        let (count, before, after) = before_and_after(&runs, family, new);
        println!("{family:?}: {count} runs of new kinds, {before} {after}");
        assert!(after <= CALIBRATED, "{family:?}: {before} {after}");
        pairs += count;
    }
    assert!(pairs > 50, "{pairs}");
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_question_follows_any_factors(
        Asked(asked) in questions::question(Plan::Complete),
        time in 0.1..10.0_f64,
        memory in 0.1..10.0_f64,
    ) {
        // A split that is searched may differ once it is calibrated.
        let split = asked.workload.rl.as_ref().is_some_and(|rl| rl.train_gpus.is_none());
        let Ok(was) = estimate(&asked) else { return Ok(()) };
        if split && was.split.is_some() {
            return Ok(());
        }
        // What a paged optimizer keeps on a card is what the rest leaves of it.
        if was.plan.optimizer.is_some_and(|own| own.row().paged) {
            return Ok(());
        }
        // An engine's share of the card follows no measurement.
        let trains = asked.workload.kind != WorkloadKind::Rollout;
        let now = match estimate(&with(&asked, Some(time), trains.then_some(memory))) {
            Ok(now) => now,
            Err(error) => {
                // No card does more than its peak: what it would do is the estimate's, in so much less time.
                prop_assert_eq!(error.field, "calibration.time");
                prop_assert!(was.hfu / time > 1.0);
                return Ok(());
            }
        };
        let stated = asked.workload.rl.as_ref().and_then(|rl| rl.reward_s).unwrap_or(0.0);
        let (now_s, was_s) = (now.time.parts.total() - stated, was.time.parts.total() - stated);
        prop_assert!((now_s - time * was_s).abs() <= 1e-6 * (now_s + stated), "{now_s} {was_s} × {time}");
        // Nor does that of a teacher's.
        let trainers = |own: &&MemoryPhase| own.name != "teacher";
        let (own, before) = (now.memory.phases.iter().filter(trainers), was.memory.phases.iter().filter(trainers));
        for (now, was) in own.zip(before) {
            scaled_memory(&now.parts, &was.parts, memory);
        }
        prop_assert_eq!(now.plan, was.plan);
        prop_assert_eq!(now.fits, now.fit.state.fits());
    }

    #[test]
    fn any_measured_step_is_met_or_refused(
        Asked(asked) in questions::question(Plan::Complete),
        times in 0.05..15.0_f64,
    ) {
        let Ok(was) = estimate(&asked) else { return Ok(()) };
        let seconds = was.step_time_s * times;
        match calibrate(&asked, &step_of(seconds)) {
            Err(error) => prop_assert!(error.field == "step_time_s" && error.message.ends_with('.'), "{}", error),
            Ok(own) => {
                let split = asked.workload.rl.as_ref().is_some_and(|rl| rl.train_gpus.is_none());
                if split && was.split.is_some() {
                    return Ok(());
                }
                let now = estimate(&own.applied(&asked)).unwrap();
                // A factor has four decimals.
                let rounding = 1.1 * 0.5e-4 / own.calibration.time.unwrap();
                prop_assert!((now.step_time_s / seconds - 1.0).abs() <= rounding + 1e-9, "{} {seconds}", now.step_time_s);
            }
        }
    }
}

/// A log's lengths, step and peak are the run's: the estimate of the calibrated question is the log's step.
#[test]
fn a_log_calibrates_its_question() {
    let question = question_from_value(json!({"version": 1, "model": "qwen2-7b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 1024, "responses_per_prompt": 5, "mini_batch": 256,
            "max_prompt_length": 1024, "max_response_length": 1024}},
        "plan": {"backend": "fsdp", "micro_batch": 16, "recompute": "full", "rollout": {"tensor_parallel": 2}}}))
    .unwrap();
    let step = |number: u32, seconds: f64, length: f64| {
        format!(
            "step:{number} - perf/max_memory_allocated_gb:41.5 - timing_s/gen:60.0 - timing_s/update_actor:70.0 - timing_s/step:{seconds} - prompt_length/mean:180.0 - response_length/mean:{length}\n"
        )
    };
    let text = [step(1, 400.0, 300.0), step(2, 190.0, 410.0), step(3, 200.0, 420.0), step(4, 195.0, 415.0)].concat();
    let log = read_log(&text).unwrap();
    let lengths = log.applied(&question);
    assert_eq!(lengths.workload.rl.as_ref().unwrap().mean_response_length, Some(415.0));
    let own = calibrate(&lengths, &log.measured()).unwrap().applied(&lengths);
    let answer = estimate(&own).unwrap();
    assert!((answer.step_time_s - 195.0).abs() < 0.5, "{}", answer.step_time_s);
    // Longer responses take longer than the run did.
    let mut longer = own.clone();
    longer.workload.rl.as_mut().unwrap().mean_response_length = Some(800.0);
    assert!(estimate(&longer).unwrap().step_time_s > 205.0);
}
