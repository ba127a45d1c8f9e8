//! Distillation: a teacher beside the student or on GPUs of its own, what it takes, what it holds, and what the loss makes of
//! the logits of both.

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::wire::{Answer, MemoryParts, TimeParts, put, question_from_value};
use shardwise_core::{estimate, flags};

use crate::cases;

fn asked(of: &str, changes: &[(&str, Value)]) -> Answer {
    let mut question = cases::question(of);
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    estimate(&question_from_value(question).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

fn served(changes: &[(&str, Value)]) -> Answer {
    asked("served", changes)
}

fn beside(changes: &[(&str, Value)]) -> Answer {
    asked("beside", changes)
}

fn given(changes: &[(&str, Value)]) -> Answer {
    asked("given", changes)
}

fn of(answer: &Answer, phase: &str) -> TimeParts {
    let own = answer.time.phases.iter().find(|own| own.name == phase);
    own.map_or_else(TimeParts::default, |own| own.parts)
}

fn seconds(answer: &Answer, phase: &str) -> f64 {
    of(answer, phase).total()
}

fn held(answer: &Answer, phase: &str) -> MemoryParts {
    let own = answer.memory.phases.iter().find(|own| own.name == phase);
    own.unwrap_or_else(|| panic!("no memory of {phase}")).parts
}

fn phases(answer: &Answer) -> Vec<&str> {
    answer.time.phases.iter().map(|own| own.name).collect()
}

const TEACHER: &str = "workload.distillation.teacher";
const POOL: &str = "workload.distillation.gpus";

#[test]
fn a_step_has_a_teacher_and_no_reference() {
    assert_eq!(phases(&served(&[])), ["rollout", "teacher", "old_log_prob", "update_actor", "weight_sync", "driver"]);
    assert_eq!(phases(&beside(&[])), ["rollout", "teacher", "update_actor", "weight_sync", "driver"]);
    // Off-policy nothing is sampled, and no weights go to an engine.
    let off = given(&[]);
    assert_eq!(phases(&off), ["teacher", "train"]);
    assert!(off.plan.rollout.is_none() && off.time.parts.decode == 0.0);
    // With a teacher the rest is that of the same question without one.
    let without = given(&[("workload.distillation", Value::Null), ("plan.fused_lm_head", json!(true))]);
    let with = given(&[("workload.distillation.logits", json!("sampled")), ("plan.fused_lm_head", json!(true))]);
    assert_eq!(of(&with, "train"), of(&without, "train"));
}

#[test]
fn every_steps_parts_add_up() {
    for answer in [served(&[]), beside(&[]), given(&[]), served(&[("workload.rl.schedule", json!("split"))])] {
        let sum: f64 = answer.time.phases.iter().map(|own| own.s).sum();
        assert!((sum - answer.step_time_s).abs() < 1e-9 * sum, "{sum} is not {}", answer.step_time_s);
        for phase in &answer.time.phases {
            assert!((phase.parts.total() - phase.s).abs() < 1e-9 * phase.s);
        }
        for phase in &answer.memory.phases {
            assert!((phase.parts.total() - phase.reserved_gib).abs() < 1e-9 * phase.reserved_gib);
        }
    }
}

/// While the student generates the teacher reads what has ended: what is left is the last response, or what the pool is too slow
/// for.
#[test]
fn a_pool_works_beside_generation() {
    // Qwen3 32B reads 128 sequences of 1,400 tokens, twice 32.8 billion operations each, on two engines of two H100.
    let quick = served(&[]);
    let last = seconds(&quick, "teacher");
    assert!(last > 0.0 && last < 1.0, "{last}");
    assert!(seconds(&quick, "rollout") > 5.0);
    // Fifty times as many sequences on the same pool: 25 times 128 · 1,400 tokens an engine of 1e15 operations a second at least.
    let slow =
        served(&[("workload.rl.responses_per_prompt", json!(64)), ("workload.rl.mean_response_length", json!(300))]);
    let least = 64.0 * 128.0 * 500.0 * 2.0 * 31.2e9 / (4.0 * 989e12);
    let busy = seconds(&slow, "teacher") + seconds(&slow, "rollout");
    assert!(busy > least && busy < 5.0 * least, "{busy} of {least}");
    assert!(seconds(&slow, "teacher") > 2.0 * last);
    // Twice the pool takes half of it, and none of the student's own.
    let wider = [
        ("workload.rl.responses_per_prompt", json!(64)),
        ("workload.rl.mean_response_length", json!(300)),
        (POOL, json!(8)),
    ];
    let wide = served(&wider);
    let all = seconds(&wide, "teacher") + seconds(&wide, "rollout");
    assert!((all / busy - 0.5).abs() < 0.02 || seconds(&wide, "teacher") < 1.0, "{all} of {busy}");
    assert_eq!(of(&wide, "update_actor"), of(&slow, "update_actor"));
}

#[test]
fn a_pool_costs_and_counts() {
    let [few, many] = [4, 8].map(|gpus| served(&[(POOL, json!(gpus))]));
    // 8 GPUs of the student's, and the teacher's.
    for (answer, gpus) in [(&few, 12.0), (&many, 16.0)] {
        let per_step = answer.usd_per_gpu_hour.unwrap() * gpus * answer.step_time_s / 3600.0;
        assert!((answer.usd_per_step.unwrap() / per_step - 1.0).abs() < 1e-9);
        assert!((answer.tokens_per_s_per_gpu * gpus / answer.tokens_per_s - 1.0).abs() < 1e-9);
    }
    // The last response is read as quickly by more engines: they cost, and gain nothing here.
    assert!((many.step_time_s - few.step_time_s).abs() < 1e-9);
    assert!(many.usd_per_step > few.usd_per_step && many.mfu < few.mfu);
}

/// 65.5 GB of weights on two GPUs, logits of 151,936 rows in 6 bytes each.
#[test]
fn a_pool_holds_the_teacher() {
    const GIB: f64 = 1_073_741_824.0;
    let own = served(&[]);
    let parts = held(&own, "teacher");
    assert!((parts.rollout_weights - 32.76e9 * 2.0 / 2.0 / GIB).abs() < 0.1, "{}", parts.rollout_weights);
    let logits = 6.0 * 4096.0 * 151_936.0 / GIB;
    assert!((parts.logits - logits).abs() < 1e-6, "{} is not {logits}", parts.logits);
    // An engine that reads fewer tokens at once makes fewer logits.
    let less = held(&served(&[("workload.distillation.max_num_batched_tokens", json!(1024))]), "teacher");
    assert!((less.logits * 4.0 - parts.logits).abs() < 1e-6);
    // On its pool it weighs nothing on the student's cards.
    let update = held(&own, "update_actor");
    let small = held(&served(&[(TEACHER, json!("qwen3-4b"))]), "update_actor");
    assert_eq!(update, small);
    // 0.4 of an H100 are 31.6 GiB, of which the weights are 30.5: veRL's own script wants a larger card.
    let tight = served(&[("workload.distillation.gpu_memory_utilization", json!(0.4))]);
    assert!(own.fits && !tight.fits && tight.fit.phase == "teacher");
}

/// Whole on each GPU under ZeRO 2, an eighth of it under ZeRO 3; beside it the student trains.
#[test]
fn beside_the_student_it_is_laid_out_as_the_student() {
    const GIB: f64 = 1_073_741_824.0;
    let weights = 8.19e9 * 2.0 / GIB;
    let [whole, sharded] = [2, 3].map(|stage| beside(&[("plan.zero_stage", json!(stage))]));
    for (answer, expected) in [(&whole, weights), (&sharded, weights / 8.0)] {
        for phase in ["rollout", "update_actor"] {
            let own = held(answer, phase).frozen_weights;
            assert!((own / expected - 1.0).abs() < 0.01, "{phase}: {own} is not {expected}");
        }
    }
    assert!(seconds(&sharded, "teacher") > seconds(&whole, "teacher"));
    // A forward pass over as many tokens, 4.8 times as many weights as the student's: less than the student's own three.
    let ratio = of(&whole, "teacher").compute / of(&whole, "update_actor").compute;
    assert!((1.0..2.0).contains(&ratio), "{ratio}");
}

/// Two times fifteen bytes of each logit over the whole vocabulary, five over the largest few, four of a fused loss without a
/// teacher; none of tiles.
#[test]
fn logits_of_both_are_counted() {
    const GIB: f64 = 1_073_741_824.0;
    let of = |changes: &[(&str, Value)]| held(&given(changes), "train").logits;
    let head = of(&[("plan.fused_lm_head", json!(true))]);
    let logits = 2.0 * 2048.0 * 151_936.0 / GIB;
    let all = of(&[]) - head;
    assert!((all - 30.0 * logits).abs() < 0.02 * all, "{all} is not {}", 30.0 * logits);
    let few = of(&[("workload.distillation.logits", json!("top_k"))]) - head;
    assert!((few - 10.0 * logits).abs() < 0.02 * few, "{few}");
    // Accelerate's autocast makes them twice as wide.
    let wide = of(&[("plan.backend", json!("ddp"))]);
    assert!(wide > 1.9 * (all + head), "{wide} of {all}");
    // And they take time to move.
    let time = |logits: &str| {
        let changes = [("workload.distillation.logits", json!(logits)), ("workload.sequence_length", json!(16_384))];
        seconds(&given(&changes), "train")
    };
    assert!(time("full") > time("top_k") && time("top_k") > 0.0);
}

/// Generation and the weights' way to the engine come as often as the student samples.
#[test]
fn a_share_of_the_batches_is_sampled() {
    let [all, half] = [1.0, 0.5].map(|share| beside(&[("workload.distillation.on_policy", json!(share))]));
    for phase in ["rollout", "weight_sync"] {
        assert!((seconds(&half, phase) * 2.0 / seconds(&all, phase) - 1.0).abs() < 1e-9, "{phase}");
    }
    for phase in ["teacher", "update_actor", "driver"] {
        assert_eq!(of(&half, phase), of(&all, phase));
    }
}

/// Handing over the largest few is the host's, one after another: 65 of each position, beside what the GPUs read.
#[test]
fn the_largest_few_are_handed_over() {
    let many = [("workload.rl.responses_per_prompt", json!(8)), ("workload.distillation.logits", json!("top_k"))];
    let of = |k: u64| {
        let mut changes = many.to_vec();
        changes.push(("workload.distillation.top_k", json!(k)));
        served(&changes)
    };
    let [few, lots] = [of(1), of(1000)];
    assert!(seconds(&lots, "teacher") > 10.0 * seconds(&few, "teacher"));
    // 1,024 sequences of 1,400 tokens on two engines, 1,001 probabilities of each in 2 µs.
    let returned = 512.0 * 1400.0 * 1001.0 * 2e-6;
    let all = seconds(&lots, "teacher") + seconds(&lots, "rollout");
    assert!((all / returned - 1.0).abs() < 0.01, "{all} is not {returned}");
}

#[test]
fn others_say_that_they_have_no_teacher() {
    for (of, runs) in [("served", vec!["verl"]), ("beside", vec!["trl"]), ("given", vec!["ms-swift"])] {
        for framework in shardwise_core::emit::FRAMEWORKS {
            let asked = question_from_value(cases::question(of)).unwrap();
            let found = flags(&asked, framework, framework.versions[0], "").unwrap();
            if runs.contains(&framework.id) {
                assert!(found.is_ok(), "{} of {of}: {found:?}", framework.id);
            } else {
                assert!(found.is_err(), "{} of {of}", framework.id);
            }
        }
    }
}

proptest! {
    /// A larger teacher is never quicker, and never takes less room; a larger pool is never slower.
    #[test]
    fn a_larger_teacher_is_never_quicker(
        prompts in 8_u64..512, response in 64_u64..4096, gpus in 1_u64..5, pool in any::<bool>(), k in 1_u64..200,
    ) {
        let of = if pool { "served" } else { "beside" };
        let mut changes = vec![("workload.rl.prompts_per_step", json!(prompts * 8)),
            ("workload.rl.max_response_length", json!(response)), ("workload.rl.mean_response_length", json!(response / 2))];
        if pool {
            changes.push((POOL, json!(gpus * 2)));
            changes.push(("workload.distillation.logits", json!("top_k")));
            changes.push(("workload.distillation.top_k", json!(k)));
        }
        let with = |teacher: &str, more: &[(&str, Value)]| {
            let mut all = changes.clone();
            all.push((TEACHER, json!(teacher)));
            all.extend(more.iter().cloned());
            asked(of, &all)
        };
        let teachers = ["qwen3-0.6b", "qwen3-4b", "qwen3-14b", "qwen3-32b"].map(|id| with(id, &[]));
        for pair in teachers.windows(2) {
            prop_assert!(pair[1].step_time_s >= pair[0].step_time_s * (1.0 - 1e-9));
            let [small, large] = [&pair[0], &pair[1]].map(|own| held(own, "teacher"));
            let weights = |own: &MemoryParts| own.rollout_weights + own.parameters;
            prop_assert!(weights(&large) > weights(&small));
        }
        if pool {
            let wider = with("qwen3-32b", &[(POOL, json!(gpus * 4))]);
            prop_assert!(wider.step_time_s <= teachers[3].step_time_s * (1.0 + 1e-9));
        }
    }
}
