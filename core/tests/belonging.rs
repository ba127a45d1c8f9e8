//! What does not belong into a question is refused by name, and left out of an old link. `cases/belonging/` holds what.

use serde::Deserialize;
use serde_json::{Value, json};
use shardwise_core::interface::{Function, ask};
use shardwise_core::wire::{WorkloadKind, at, parse_question, put, question_from_value, to_value};
use shardwise_core::{belonging, estimate, permalink, presets, search};

use crate::cases::{self, Ask};
use crate::said::said;

/// A question of a kind with nothing but what it needs.
fn question(kind: &str) -> Value {
    let mut question = cases::question(match kind {
        "distill" => "bare-distillation",
        kind if is_rl(kind) => "bare-reinforcement",
        "rollout" => "bare-generation",
        _ => "bare-sequences",
    });
    put(&mut question, "workload.kind", json!(kind));
    question
}

fn is_rl(kind: &str) -> bool {
    WorkloadKind::of(kind).is_some_and(|kind| kind.algorithm().is_some())
}

const KINDS: &[&str] = WorkloadKind::WORDS;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    fields: Vec<Fields>,
    #[serde(default)]
    refused: Vec<Refused>,
    #[serde(default)]
    answered: Vec<Answered>,
}

/// Fields that these kinds of question take, and no others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    kinds: Vec<String>,
    of: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    path: String,
    value: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    field: String,
    ask: Ask,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    ask: Ask,
}

#[test]
fn each_question_takes_its_fields_and_refuses_the_others() {
    cases::each("belonging", |_, file: File, run| {
        for fields in &file.fields {
            for field in &fields.of {
                for kind in KINDS {
                    let belongs = fields.kinds.iter().any(|own| own == kind);
                    run.case(&format!("{} of {kind}", field.path), || of_a_kind(kind, field, belongs));
                }
            }
        }
        for own in &file.refused {
            run.case(&own.field, || of_no_use(&own.ask.document(), &own.field));
        }
        for own in &file.answered {
            run.case("what is answered", || drop(estimate(&own.ask.question()).unwrap()));
        }
    });
}

/// The path that a refusal of a field names: the field, or what it is a part of.
fn names(field: &str, path: &str) -> bool {
    path.strip_prefix(field)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn of_a_kind(kind: &str, field: &Field, belongs: bool) {
    let path = field.path.as_str();
    let mut document = question(kind);
    let known = !at(&document, path).is_null();
    put(&mut document, path, field.value.clone());
    assert_eq!(belonging::belongs(&document, path), belongs);
    let text = document.to_string();
    let asked = parse_question(&text).unwrap();
    if belongs {
        belonging::check(&asked).unwrap_or_else(|error| panic!("{error}"));
        return;
    }
    assert!(!known, "{kind} needs {path}");
    let error = estimate(&asked).map(drop).expect_err(path);
    assert!(names(&error.field, path), "{error}");
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
    assert_eq!(left_out, [error.field]);
    estimate(&question_from_value(document).unwrap()).unwrap_or_else(|error| panic!("without it: {error}"));
}

fn of_no_use(document: &Value, field: &str) {
    let error = estimate(&question_from_value(document.clone()).unwrap())
        .map(drop)
        .expect_err(field);
    assert_eq!(error.field, field, "{error}");
    said(&error.message);
    let mut stripped = document.clone();
    assert!(belonging::strip(&mut stripped).contains(&field.to_owned()));
    estimate(&question_from_value(stripped).unwrap()).unwrap();
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
    for kind in KINDS.iter().copied().filter(|kind| is_rl(kind) && *kind != "ppo") {
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
