//! RL whose passes count sequences: TRL pads these, and Unsloth sets them side by side where the model lets it.

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::read::read;
use shardwise_core::rules::framework;
use shardwise_core::wire::{Answer, put, question_from_value};
use shardwise_core::{estimate, evaluate_for, flags, job, permalink};

use crate::questions::cases;

/// GRPO of adapters on a model of 4 billion on one H100, as both run it.
fn asked(framework: Option<&str>, changes: &[(&str, Value)]) -> Value {
    let backend = if framework == Some("unsloth") { "ddp" } else { "deepspeed" };
    let mut question = json!({"version": 1, "model": "qwen3-4b", "hardware": {"gpu": "h100-sxm", "gpus": 1},
        "framework": framework,
        "workload": {"kind": "grpo", "lora": {"rank": 32}, "rl": {"prompts_per_step": 16, "responses_per_prompt": 8,
            "mini_batch": 16, "reference": true, "max_prompt_length": 512, "max_response_length": 1536,
            "mean_prompt_length": 200, "mean_response_length": 700, "response_length_cv": 0.5}},
        "plan": {"backend": backend, "micro_batch": 4, "recompute": "full", "fused_lm_head": true,
            "rollout": {"engine": "vllm", "tensor_parallel": 1, "gpu_memory_utilization": 0.5}}});
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    question
}

fn answer(framework: Option<&str>, changes: &[(&str, Value)]) -> Answer {
    estimate(&question_from_value(asked(framework, changes)).unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

fn seconds(answer: &Answer, phase: &str) -> f64 {
    let own = answer.time.phases.iter().find(|own| own.name == phase);
    own.unwrap_or_else(|| panic!("no time of {phase}")).s
}

fn packs(framework: Option<&str>, changes: &[(&str, Value)]) -> bool {
    let question = question_from_value(asked(framework, changes)).unwrap();
    job::resolve(&question).unwrap().workload.packing
}

#[test]
fn a_question_is_completed_as_its_framework_sets_sequences() {
    let model = |id: &str| [("model", json!(id))];
    assert!(packs(None, &[]) && packs(Some("verl"), &[]) && packs(Some("unsloth"), &[]));
    assert!(!packs(Some("trl"), &[]));
    // Windows of 128 tokens; and of 4,096, which hold all of these.
    assert!(!packs(Some("unsloth"), &model("gpt-oss-20b")));
    assert!(packs(Some("unsloth"), &model("gemma-2-9b")));
    let longer = [("model", json!("gemma-2-9b")), ("workload.rl.max_response_length", json!(4096))];
    assert!(!packs(Some("unsloth"), &longer));
    // What is stated holds.
    assert!(packs(Some("trl"), &[("workload.packing", json!(true))]));
    assert!(!packs(Some("unsloth"), &[("workload.packing", json!(false))]));
    // Text is as it was.
    let text = [("workload", json!({"kind": "sft", "sequence_length": 2048, "global_batch": 16}))];
    assert!(packs(Some("trl"), &[text[0].clone(), ("plan.rollout", Value::Null)]));
}

#[test]
fn what_the_search_takes_counts_sequences() {
    for framework in ["trl", "unsloth"] {
        let open = [("plan", if framework == "trl" { Value::Null } else { json!({"backend": "ddp"}) })];
        for changes in [&open[..], &[open[0].clone(), ("workload.lora", Value::Null)]] {
            if framework == "unsloth" && changes.len() > 1 {
                continue;
            }
            let own = answer(Some(framework), changes);
            assert!(own.plan.micro_batch.is_some() && own.plan.max_tokens_per_gpu.is_none(), "{framework}");
        }
        // A question that names nobody is completed alike for its text.
        let nobody = question_from_value(asked(None, &open)).unwrap();
        let found = evaluate_for(&nobody, self::framework(framework).unwrap()).unwrap();
        assert_eq!(found.job.workload.packing, framework == "unsloth");
        assert!(found.answer.plan.max_tokens_per_gpu.is_none(), "{framework}");
    }
}

#[test]
fn a_budget_and_what_is_not_padded_are_refused() {
    let budget = [("plan.micro_batch", Value::Null), ("plan.max_tokens_per_gpu", json!(8192))];
    let packed = [("workload.packing", json!(true))];
    let windows = [("model", json!("gpt-oss-20b")), packed[0].clone()];
    let says = |id: &str, changes: &[(&str, Value)]| {
        let (question, own) = (question_from_value(asked(Some(id), changes)).unwrap(), framework(id).unwrap());
        let found = evaluate_for(&question, own).unwrap();
        let broken = own.violations(&found.job, &found.plan);
        broken.into_iter().map(|own| own.to_string()).collect::<Vec<_>>()
    };
    for (id, changes, field, remedy) in [
        ("trl", &budget[..], "plan.max_tokens_per_gpu", "Give micro_batch"),
        ("unsloth", &budget, "plan.max_tokens_per_gpu", "Give micro_batch"),
        ("trl", &packed, "workload.packing", "Set packing to false"),
        ("unsloth", &windows, "workload.packing", "Set packing to false"),
    ] {
        let own = says(id, changes);
        assert!(own.iter().any(|own| own.starts_with(field) && own.contains(remedy)), "{id} {field}: {own:?}");
    }
    assert_eq!(says("trl", &[]), Vec::<String>::new());
    assert_eq!(says("unsloth", &packed), Vec::<String>::new());
}

#[test]
fn its_text_is_read_as_what_is_estimated() {
    let padded = [("workload.packing", json!(false))];
    let windows = [("model", json!("gpt-oss-20b"))];
    for (id, changes) in
        [("trl", &[][..]), ("trl", &padded), ("unsloth", &[]), ("unsloth", &padded), ("unsloth", &windows)]
    {
        let own = framework(id).unwrap();
        let question = question_from_value(asked(Some(id), changes)).unwrap();
        let found = evaluate_for(&question, own).unwrap();
        let link = format!("https://shardwise.example/#{}", permalink::to_hash(&question));
        let texts = flags(&question, own, own.versions[0], &link).unwrap();
        let texts = texts.unwrap_or_else(|error| panic!("{error:?}"));
        let texts: Vec<&str> = texts.iter().map(|own| own.text.as_str()).collect();
        assert!(!texts.concat().contains("packs them"), "{}", texts.concat());
        let reading = read(&texts, None).unwrap();
        assert!(
            reading.refused.is_empty() && reading.unknown.is_empty(),
            "{:?} {:?}",
            reading.refused,
            reading.unknown
        );
        let read = estimate(&reading.question).unwrap();
        assert_eq!(
            job::resolve(&reading.question).unwrap().workload.packing,
            found.job.workload.packing,
            "{id} {changes:?}"
        );
        for phase in ["update_actor", "old_log_prob"] {
            let [own, other] = [&found.answer, &read].map(|answer| seconds(answer, phase));
            assert!((own / other - 1.0).abs() < 1e-9, "{id} {changes:?} {phase}: {own} s became {other} s");
        }
        let [own, other] = [&found.answer, &read].map(|answer| answer.memory.reserved_gib);
        assert!((own / other - 1.0).abs() < 1e-9, "{id} {changes:?}: {own} GiB became {other} GiB");
    }
}

/// Padding goes by the longest that a GPU's share of a generation has, not by the longest that may be.
#[test]
fn what_is_padded_is_as_long_as_the_longest_of_a_generation() {
    let of = |framework: Option<&str>, cv: f64, packing: Option<bool>| {
        let changes = [
            ("workload.rl.max_response_length", json!(8192)),
            ("workload.rl.mean_response_length", json!(600)),
            ("workload.rl.response_length_cv", json!(cv)),
            ("workload.packing", json!(packing)),
        ];
        seconds(&answer(framework, &changes), "update_actor")
    };
    let (all, packed) = (of(None, 0.5, Some(false)), of(None, 0.5, None));
    let [even, some, more] = [0.0, 0.5, 1.0].map(|cv| of(Some("trl"), cv, None));
    assert!(packed < even && even < some && some < more && more < all, "{packed} {even} {some} {more} {all}");
    // Prompts of 200 tokens are padded to 512, and responses of 600 to those of about 2.5 deviations above.
    assert!((2.0..3.5).contains(&(some / packed)), "{some} {packed}");
    // The same where the question says so itself.
    assert_eq!(of(Some("trl"), 0.5, Some(false)), some);
}

proptest! {
    #![proptest_config(cases(60))]

    /// What is padded is never faster than the same passes with nothing but what is said in them, nor holds less.
    #[test]
    fn what_is_padded_is_never_faster(
        mean in 50.0..1536.0,
        cv in 0.0..2.0,
        micro in prop::sample::select(vec![1u64, 2, 4, 8, 16]),
        gpus in prop::sample::select(vec![1u64, 2, 4, 8]),
    ) {
        let changes = [
            ("workload.rl.mean_response_length", json!(mean)),
            ("workload.rl.response_length_cv", json!(cv)),
            ("plan.micro_batch", json!(micro)),
            ("hardware.gpus", json!(gpus)),
        ];
        let [padded, packed] = [Some("trl"), None].map(|own| answer(own, &changes));
        for phase in ["update_actor", "old_log_prob", "reference"] {
            let [padded, packed] = [&padded, &packed].map(|answer| seconds(answer, phase));
            prop_assert!(padded >= packed * (1.0 - 1e-9), "{phase}: {padded} s padded, {packed} s packed");
        }
        // What comes between the phases is the framework's own.
        let between = |answer: &Answer| seconds(answer, "weight_sync") + seconds(answer, "driver");
        let [with, without] = [&padded, &packed].map(|answer| answer.step_time_s - between(answer));
        prop_assert!(with >= without * (1.0 - 1e-9), "{with} s padded, {without} s packed");
        // As is what an engine leaves on the card.
        let passes = |answer: &Answer| {
            let parts = &answer.memory.phases.iter().find(|own| own.name == "update_actor").unwrap().parts;
            parts.activations + parts.logits
        };
        let [with, without] = [passes(&padded), passes(&packed)];
        prop_assert!(with >= without * (1.0 - 1e-9), "{with} GiB padded, {without} packed");
    }
}
