//! Learning from preferences: what a pair, a reference and a score cost, and which framework says it how.

use serde_json::{Value, json};
use shardwise_core::task::Preference;
use shardwise_core::wire::{Answer, Question, WorkloadKind, put, question_from_value};
use shardwise_core::{emit, estimate, evaluate_alone, flags, presets, search};

/// A layout that trains any of them.
fn asked(kind: &str) -> Value {
    json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": kind, "sequence_length": 2048, "global_batch": 64},
        "plan": {"backend": "deepspeed", "zero_stage": 3, "micro_batch": 2, "recompute": "full", "fused_lm_head": false}})
}

fn with(kind: &str, changes: &[(&str, Value)]) -> Question {
    let mut question = asked(kind);
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    question_from_value(question).unwrap()
}

fn answer(kind: &str, changes: &[(&str, Value)]) -> Answer {
    estimate(&with(kind, changes)).unwrap()
}

fn seconds(answer: &Answer, phase: &str) -> f64 {
    let own = answer.time.phases.iter().find(|own| own.name == phase);
    own.map_or(0.0, |own| own.s)
}

fn kinds() -> impl Iterator<Item = (&'static str, &'static Preference)> {
    WorkloadKind::ALL
        .into_iter()
        .filter_map(|kind| Some((kind.as_str(), kind.preference()?)))
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} is not {expected}");
}

/// A pair is two sequences: it trains as twice as many of them do.
#[test]
fn a_pair_is_two_sequences() {
    let pairs = answer("orpo", &[]);
    let sequences = answer(
        "sft",
        &[("workload.global_batch", json!(128)), ("plan.micro_batch", json!(4)), ("workload.packing", json!(false))],
    );
    close(pairs.step_time_s, sequences.step_time_s, 1e-9);
    close(pairs.tokens_per_s, sequences.tokens_per_s, 1e-9);
    close(pairs.memory.reserved_gib, sequences.memory.reserved_gib, 1e-9);
    // Of a data set each pair counts once, and trains twice.
    let data = [("workload.run", json!({"examples": 6400, "epochs": 2}))];
    let run = answer("orpo", &data).run.unwrap();
    assert_eq!((run.steps, run.tokens), (200.0, 6400.0 * 2.0 * 2.0 * 2048.0));
    let kto = answer("kto", &[]);
    close(kto.tokens_per_s * kto.step_time_s, 64.0 * 2048.0, 1e-9);
}

/// DPO's step is an update and the reference's forward pass, whose weights are on the card (arXiv:2305.18290, equation 7).
#[test]
fn a_reference_costs_a_pass_and_its_weights() {
    let [dpo, orpo] = ["dpo", "orpo"].map(|kind| answer(kind, &[]));
    close(seconds(&dpo, "train"), orpo.step_time_s, 1e-9);
    let share = seconds(&dpo, "reference") / seconds(&dpo, "train");
    // Forward alone of forward, backward and forward again: a quarter of the products.
    assert!((0.2..0.3).contains(&share), "{share}");
    // Two bytes of each weight over eight ranks.
    let weights = 8_190_735_360.0 * 2.0 / 8.0 / f64::from(1 << 30);
    close(dpo.memory.parts.frozen_weights, weights, 1e-3);
    close(dpo.memory.reserved_gib - orpo.memory.reserved_gib, weights, 0.1);
    // Known before, it costs neither.
    let before = answer("dpo", &[("workload.precompute_ref_log_probs", json!(true))]);
    close(before.step_time_s, orpo.step_time_s, 1e-9);
    assert_eq!(before.memory.parts.frozen_weights, 0.0);
    // With adapters it is the base.
    let lora = answer("dpo", &[("workload.lora", json!({"rank": 16}))]);
    assert_eq!(lora.memory.parts.frozen_weights, 0.0);
    assert!(seconds(&lora, "reference") > 0.0);
}

/// KTO evaluates policy and reference on mismatched responses too (arXiv:2402.01306, section 4.1; TRL 1.16.0,
/// `trainer/kto_trainer.py`): three passes forward beside the update's own, where DPO has one.
#[test]
fn kto_evaluates_mismatched_responses() {
    let kto = answer("kto", &[]);
    close(seconds(&kto, "reference"), 2.0 * seconds(&kto, "mismatched"), 0.05);
    assert_eq!(seconds(&answer("dpo", &[]), "mismatched"), 0.0);
    let before = answer("kto", &[("workload.precompute_ref_log_probs", json!(true))]);
    assert!(seconds(&before, "mismatched") > 0.0 && seconds(&before, "reference") == 0.0);
}

/// A model that scores has one row of a head, and no logits.
#[test]
fn a_reward_model_has_no_logits() {
    let [scores, pairs] = ["reward_model", "orpo"].map(|kind| answer(kind, &[]));
    assert_eq!(scores.memory.parts.logits, 0.0);
    assert!(pairs.memory.parts.logits > 0.0);
    assert!(scores.step_time_s < pairs.step_time_s);
    // Qwen3 8B's untied head of 4,096 × 151,936 is neither held nor counted.
    let per_token = |answer: &Answer| answer.model_tflops_per_gpu / answer.tokens_per_s_per_gpu * 1e12;
    close(per_token(&pairs) - per_token(&scores), 6.0 * 4096.0 * 151_936.0, 1e-6);
}

#[test]
fn a_base_in_4_bits_is_smaller() {
    let plan = json!({"backend": "ddp", "micro_batch": 1, "recompute": "full"});
    let base = |four: bool| {
        let changes = [("workload.lora", json!({"load_in_4bit": four})), ("plan", plan.clone())];
        answer("dpo", &changes).memory.parts.parameters
    };
    assert!(base(true) < 0.6 * base(false), "{} and {}", base(true), base(false));
}

/// Every kind has texts of two frameworks at least, plans that fit, and says first that no such run was measured.
#[test]
fn each_kind_is_said_by_two_frameworks() {
    for (kind, own) in kinds() {
        let mut question = asked(kind);
        question.as_object_mut().unwrap().remove("plan");
        let found = search(&question_from_value(question).unwrap(), None, 1).unwrap();
        let first = found.plans.first().unwrap();
        assert!(first.fits, "{kind}");
        let caveat = &first.caveats.first().unwrap().text;
        assert!(caveat.starts_with(&format!("{} is timed by its passes", own.name)), "{caveat}");
        let names = told(&with(kind, &[]));
        assert!(names.len() >= 2, "{kind}: {names:?}");
    }
}

/// Each kind has a question to start from: a recipe that fits as it stands and that two frameworks are told.
#[test]
fn each_kind_has_a_preset() {
    for (kind, _) in kinds() {
        let own = |preset: &&presets::Preset| {
            serde_json::from_str::<Value>(preset.json).unwrap()["workload"]["kind"].as_str() == Some(kind)
        };
        let preset = presets::presets()
            .iter()
            .find(own)
            .unwrap_or_else(|| panic!("{kind} has no preset"));
        let question = preset.question().unwrap();
        assert!(evaluate_alone(&question).unwrap().answer.fits, "{}", preset.id);
        let names = told(&question);
        assert!(names.len() >= 2, "{}: {names:?}", preset.id);
    }
}

/// The frameworks that have a text of a question; `DeepSpeed`'s file is of every loss.
fn told(question: &Question) -> Vec<&'static str> {
    let texts = emit::FRAMEWORKS.iter().filter(|framework| {
        let text = flags(question, framework, framework.versions[0], "");
        framework.id != "deepspeed" && matches!(text, Ok(Ok(_)))
    });
    texts.map(|framework| framework.id).collect()
}

/// Those that learn nothing from preferences say who does.
#[test]
fn the_others_refuse_them() {
    for framework in emit::FRAMEWORKS.iter().filter(|own| {
        !["trl", "llamafactory", "axolotl", "ms-swift", "openrlhf", "nemo-rl", "deepspeed", "unsloth"].contains(&own.id)
    }) {
        let refused = flags(&with("dpo", &[]), framework, framework.versions[0], "")
            .unwrap()
            .unwrap_err();
        assert!(refused.message.starts_with("workload.kind: "), "{}: {}", framework.id, refused.message);
    }
}

/// The weights of a reference that waits in host memory are counted there.
#[test]
fn a_reference_can_wait_in_host_memory() {
    let away = json!({"backend": "deepspeed", "zero_stage": 3, "micro_batch": 2, "recompute": "full", "fused_lm_head": false,
        "offload": {"parameters": true}});
    let moved = answer("dpo", &[("plan.reference", away)]);
    assert_eq!(moved.memory.parts.frozen_weights, 0.0);
    let gib = moved.fit.host.unwrap().parts.parameters;
    close(gib, 8_190_735_360.0 * 2.0 / f64::from(1 << 30), 1e-3);
}

/// The one run with its time: Zephyr ORPO 141B, 1.3 hours on 32 H100 with loading and saving
/// (<https://model.aibase.cn/models/details/1915693634042880002>, the card's text). Its steps alone are estimated.
#[test]
fn zephyr_orpo() {
    let preset = presets::presets()
        .iter()
        .find(|own| own.id == "handbook-orpo-mixtral-8x22b")
        .unwrap();
    let found = evaluate_alone(&preset.question().unwrap()).unwrap().answer;
    assert!(found.fits);
    let hours = found.run.unwrap().hours;
    assert!((0.65 * 1.3..1.3).contains(&hours), "{hours}");
}
