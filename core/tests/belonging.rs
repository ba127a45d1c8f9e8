//! What does not belong into a question is refused by name, and left out of an old link.

use serde_json::{Value, json};
use shardwise_core::interface::{Function, ask};
use shardwise_core::wire::{at, parse_question, put, question_from_value, to_value};
use shardwise_core::{belonging, estimate, permalink, presets, search};

use crate::said::said;

/// A question of a kind with nothing but what it needs.
fn question(kind: &str) -> Value {
    let workload = match kind {
        "ppo" | "grpo" | "dapo" | "gspo" => {
            json!({"kind": kind, "rl": {"prompts_per_step": 128, "max_prompt_length": 1024,
            "max_response_length": 3072}})
        }
        "rollout" => json!({"kind": kind, "rollout": {"requests": 100, "mean_prompt_length": 100,
            "mean_response_length": 500}}),
        _ => json!({"kind": kind, "sequence_length": 4096, "global_batch": 64}),
    };
    json!({"version": 1, "model": "qwen3-0.6b", "hardware": {"gpu": "h100-sxm", "gpus": 8}, "workload": workload})
}

const KINDS: [&str; 9] = ["pretrain", "sft", "lora", "qlora", "ppo", "grpo", "dapo", "gspo", "rollout"];

/// Fields with a value that some question takes, and the kinds that do.
fn fields() -> Vec<(&'static str, Value, &'static [&'static str])> {
    const SEQUENCES: &[&str] = &["pretrain", "sft", "lora", "qlora"];
    const TRAINS: &[&str] = &["pretrain", "sft", "lora", "qlora", "ppo", "grpo", "dapo", "gspo"];
    const RL: &[&str] = &["ppo", "grpo", "dapo", "gspo"];
    const GENERATES: &[&str] = &["ppo", "grpo", "dapo", "gspo", "rollout"];
    let layout = json!({"backend": "fsdp"});
    vec![
        ("workload.sequence_length", json!(4096), SEQUENCES),
        ("workload.global_batch", json!(64), SEQUENCES),
        ("workload.mean_sequence_length", json!(1000.0), SEQUENCES),
        ("workload.packing", json!(true), TRAINS),
        ("workload.precision", json!("bf16"), &KINDS),
        ("workload.tokens", json!(1e9), &KINDS),
        ("workload.lora.rank", json!(16), &["lora", "qlora", "ppo", "grpo", "dapo", "gspo"]),
        ("workload.rl", question("grpo")["workload"]["rl"].clone(), RL),
        ("workload.rollout", question("rollout")["workload"]["rollout"].clone(), &["rollout"]),
        ("plan.rollout.tensor_parallel", json!(1), GENERATES),
        ("plan.backend", json!("fsdp"), TRAINS),
        ("plan.tensor_parallel", json!(1), TRAINS),
        ("plan.micro_batch", json!(1), TRAINS),
        ("plan.recompute", json!("full"), TRAINS),
        ("plan.offload", json!({"optimizer": true}), TRAINS),
        ("plan.critic", layout.clone(), &["ppo"]),
        ("plan.reference", layout, &["ppo", "grpo"]),
        ("calibration.memory", json!(1.1), TRAINS),
        ("calibration.time", json!(1.1), &KINDS),
    ]
}

/// The path that a refusal of a field names: the field, or what it is a part of.
fn names(field: &str, path: &str) -> bool {
    path.strip_prefix(field)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[test]
fn each_kind_takes_its_fields_and_refuses_the_others() {
    for kind in KINDS {
        for (path, value, kinds) in fields() {
            let mut document = question(kind);
            let known = !at(&document, path).is_null();
            put(&mut document, path, value);
            let belongs = kinds.contains(&kind);
            assert_eq!(belonging::belongs(&document, path), belongs, "{kind}: {path}");
            let text = document.to_string();
            let asked = parse_question(&text).unwrap();
            if belongs {
                belonging::check(&asked).unwrap_or_else(|error| panic!("{kind}: {error}"));
                continue;
            }
            assert!(!known, "{kind} needs {path}");
            let error = estimate(&asked).map(drop).expect_err(path);
            assert!(names(&error.field, path), "{kind}, {path}: {error}");
            assert!(error.message.ends_with('.') && error.message.contains(". "), "{error}");
            said(&error.message);
            // Everything that takes a question refuses it alike: Rust, JavaScript, each line of JSON Lines.
            assert_eq!(search(&asked, None, 1).map(drop).unwrap_err(), error);
            for function in [Function::Estimate, Function::Search, Function::Flags] {
                let options = if function == Function::Flags { r#"{"framework": "verl"}"# } else { "" };
                let line: Value = serde_json::from_str(&ask(function, &text, options)).unwrap();
                assert_eq!(line["error"]["field"], error.field.as_str(), "{line}");
            }
            // Without it, it is answered.
            let left_out = belonging::strip(&mut document);
            assert_eq!(left_out, [error.field], "{kind}: {path}");
            estimate(&question_from_value(document).unwrap())
                .unwrap_or_else(|error| panic!("{kind} without {path}: {error}"));
        }
    }
}

#[test]
fn what_a_schedule_or_a_role_has_no_use_for_is_refused() {
    let refused = |document: &Value, field: &str| {
        let error = estimate(&question_from_value(document.clone()).unwrap())
            .map(drop)
            .expect_err(field);
        assert_eq!(error.field, field, "{error}");
        said(&error.message);
        let mut stripped = document.clone();
        assert!(belonging::strip(&mut stripped).contains(&field.to_owned()));
        estimate(&question_from_value(stripped).unwrap()).unwrap();
    };
    let with = |kind: &str, changes: &[(&str, Value)]| {
        let mut document = question(kind);
        for (path, value) in changes {
            put(&mut document, path, value.clone());
        }
        document
    };
    for schedule in [None, Some("colocated")] {
        let mut document = with("grpo", &[("workload.rl.train_gpus", json!(4))]);
        if let Some(schedule) = schedule {
            put(&mut document, "workload.rl.schedule", json!(schedule));
        }
        refused(&document, "workload.rl.train_gpus");
    }
    let step_off = ("workload.rl.schedule", json!("one_step_off"));
    refused(&with("grpo", &[step_off, ("workload.rl.max_staleness", json!(2))]), "workload.rl.max_staleness");
    // A DAPO step has no reference policy unless it is stated; a GRPO step no critic.
    let layout = json!({"backend": "fsdp"});
    refused(&with("dapo", &[("plan.reference", layout.clone())]), "plan.reference");
    refused(&with("grpo", &[("plan.critic", layout.clone())]), "plan.critic");
    let stated = ("workload.rl.reference", json!(true));
    let document = with("dapo", &[stated, ("plan.reference", layout.clone())]);
    estimate(&question_from_value(document).unwrap()).unwrap();
    let stated = ("workload.rl.reference", json!(false));
    refused(&with("grpo", &[stated, ("plan.reference", layout)]), "plan.reference");
    refused(&with("ppo", &[("plan.critic.rollout.tensor_parallel", json!(1))]), "plan.critic.rollout");
    refused(&with("ppo", &[("plan.reference.critic.backend", json!("fsdp"))]), "plan.reference.critic");
    refused(
        &with("sft", &[("plan.recompute", json!({"granularity": "full", "modules": ["mlp"]}))]),
        "plan.recompute.modules",
    );
    let without = json!({"granularity": "full"});
    let document = with("sft", &[("plan.recompute", without)]);
    estimate(&question_from_value(document).unwrap()).unwrap();
    let document = with("sft", &[("plan.expert_tensor_parallel", json!(2))]);
    let error = estimate(&question_from_value(document).unwrap()).unwrap_err();
    assert_eq!(error.field, "plan.expert_tensor_parallel");
}

/// No plan for a role is none that differs: null is as absent in both.
#[test]
fn null_is_absent_for_either_role() {
    let plain = estimate(&question_from_value(question("ppo")).unwrap()).unwrap();
    for role in ["critic", "reference"] {
        let mut document = question("ppo");
        document["plan"] = json!({role: null});
        let asked = parse_question(&document.to_string()).unwrap();
        let answer = estimate(&asked).unwrap_or_else(|error| panic!("{role}: {error}"));
        assert_eq!(answer.step_time_s, plain.step_time_s);
        let serde: shardwise_core::Question = serde_json::from_value(document).unwrap();
        assert_eq!(serde, asked);
    }
    // No critic is a choice, which PPO does not have.
    let mut document = question("ppo");
    document["workload"]["rl"]["critic"] = Value::Null;
    let error = estimate(&question_from_value(document).unwrap()).unwrap_err();
    assert_eq!(error.field, "workload.rl.critic");
    for kind in ["grpo", "dapo", "gspo"] {
        let mut document = question(kind);
        document["workload"]["rl"]["critic"] = Value::Null;
        estimate(&question_from_value(document).unwrap()).unwrap();
    }
}

#[test]
fn a_key_that_stands_twice_is_refused_by_its_path() {
    let text = question("sft").to_string();
    for (from, to, path) in [
        (r#""version":1"#, r#""version":1,"version":1"#, "version"),
        (r#""gpus":8"#, r#""gpus":8,"gpus":64"#, "hardware.gpus"),
        (r#""kind":"sft""#, r#""kind":"sft","k\u0069nd":"lora""#, "workload.kind"),
    ] {
        let twice = text.replacen(from, to, 1);
        assert_ne!(twice, text);
        let error = parse_question(&twice).unwrap_err();
        assert_eq!(error.field, path, "{error}");
        said(&error.message);
        let line: Value = serde_json::from_str(&ask(Function::Estimate, &twice, "")).unwrap();
        assert_eq!(line["error"]["field"], path);
    }
    let options = r#"{"limit": 1, "limit": 2}"#;
    let line: Value = serde_json::from_str(&ask(Function::Search, &text, options)).unwrap();
    assert_eq!(line["error"]["field"], "limit", "{line}");
}

/// A link from before such fields were refused.
#[test]
fn an_old_link_opens_without_them_and_says_so() {
    let link = "v=1&d=2026.11&model=qwen3-0.6b&hardware.gpu=h100-sxm&hardware.gpus=8&workload.kind=grpo\
        &workload.sequence_length=4096&workload.global_batch=64&workload.rl.prompts_per_step=128\
        &workload.rl.max_prompt_length=1024&workload.rl.max_response_length=3072&plan.critic.backend=fsdp&z=1";
    let as_it_is = permalink::from_hash(link).unwrap();
    assert!(estimate(&as_it_is).is_err());
    let (opened, left_out) = permalink::open(link).unwrap();
    assert_eq!(left_out, ["workload.sequence_length", "workload.global_batch", "plan.critic"]);
    assert_eq!(to_value(&opened), question("grpo"));
    estimate(&opened).unwrap();
    // What is whole opens as it is; what is broken does not.
    let whole = permalink::to_hash(&opened);
    assert_eq!(permalink::open(&whole).unwrap(), (opened, Vec::new()));
    assert!(permalink::open("v=1&model=qwen3-0.6b").is_err());
}

#[test]
fn what_is_on_record_belongs() {
    let check = |question: &shardwise_core::Question, what: &str| {
        belonging::check(question).unwrap_or_else(|error| panic!("{what}: {error}"));
        // A link that is written opens whole.
        let (opened, left_out) = permalink::open(&permalink::to_hash(question)).unwrap();
        assert_eq!((&opened, left_out.len()), (question, 0), "{what}");
    };
    for preset in presets::presets() {
        check(&preset.question().unwrap(), preset.id);
    }
    let runs = [include_str!("data/training.jsonl"), include_str!("data/rl.jsonl")];
    for line in runs.iter().flat_map(|file| file.lines()) {
        let run: Value = serde_json::from_str(line).unwrap();
        // As it stands in the file, read strictly.
        let question = parse_question(&run["question"].to_string()).unwrap();
        check(&question, run["id"].as_str().unwrap());
    }
    // An answer's plan may be asked again.
    for kind in KINDS {
        let mut asked = question_from_value(question(kind)).unwrap();
        asked.plan = Some(estimate(&asked).unwrap().plan);
        check(&asked, kind);
    }
}
