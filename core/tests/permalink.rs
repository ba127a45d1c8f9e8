//! Links: every question survives one, and a link that was cut or damaged is refused, not guessed.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use shardwise_core::permalink::{data_version, from_hash, to_hash};
use shardwise_core::wire::{Question, question_from_value};
use shardwise_core::{catalog, estimate, presets};

use crate::questions::{self, Asked, Plan, cases};

/// Text that a link must not take for something else.
fn text() -> BoxedStrategy<String> {
    let awkward = vec![
        "",
        " ",
        "&",
        "=",
        "#",
        "%",
        "%20",
        "%2E",
        "%ZZ",
        "+",
        "a.b",
        ".",
        "..",
        "?",
        "/",
        "\\",
        "\"",
        "'",
        "\"quoted\"",
        "42",
        "-1",
        "1e3",
        "0.5",
        "true",
        "false",
        "null",
        "[]",
        "{}",
        "[1]",
        "{\"a\":1}",
        "NaN",
        "z=1",
        "&z=1",
        "v=1",
        "模型",
        "émoji 😀",
        "\u{0}",
        "\n\t",
        "\u{202e}",
        "a&b=c#d%e",
        "<script>",
        "1 ",
        " 1",
        "01",
        "+1",
        "1.0",
        "1E5",
    ];
    prop_oneof![select(awkward).prop_map(str::to_owned), any::<String>(), "[a-z0-9./&=#%+-]{0,24}"].boxed()
}

fn scalar() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(|number| Value::from(questions::typed(number))),
        select(vec![1e300, 1e-300, 1e22, -0.0]).prop_map(Value::from),
        text().prop_map(Value::from),
    ]
    .boxed()
}

/// Any JSON value a link can carry: keys may be any text, objects may be empty, arrays may hold objects.
fn value() -> BoxedStrategy<Value> {
    scalar()
        .prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                proptest::collection::btree_map(text(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
            ]
        })
        .boxed()
}

/// A question with arbitrary values where the interface takes any: the form may hold them half typed.
fn strange() -> BoxedStrategy<Asked> {
    (questions::question(Plan::Partial), [value(), value(), value(), value()], any::<[bool; 4]>())
        .prop_map(|(Asked(mut question), [model, gpu, critic, reward], [a, b, c, d])| {
            if a {
                question.model = model;
            }
            if b {
                question.hardware.gpu = gpu;
            }
            let rl = question.workload.rl.get_or_insert_default();
            if c {
                rl.critic = Some(critic);
            }
            if d {
                rl.reward_model = Some(reward).filter(|reward| !reward.is_null());
            }
            Asked(question)
        })
        .boxed()
}

fn round_trip(question: &Question) -> String {
    let hash = to_hash(question);
    let back = from_hash(&hash).unwrap_or_else(|error| panic!("{error}: {hash}"));
    assert_eq!(&back, question, "{hash}");
    assert_eq!(&from_hash(&format!("#{hash}")).unwrap(), question);
    assert_eq!(to_hash(&back), hash);
    assert_eq!(data_version(&hash), Some(catalog::VERSION));
    // What an address shows as it is: no blank, quote, bracket or control character.
    assert!(
        hash.bytes()
            .all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte)),
        "{hash}"
    );
    hash
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn every_question_survives(Asked(question) in questions::question(Plan::Partial)) {
        round_trip(&question);
    }

    #[test]
    fn so_do_strange_values(Asked(question) in strange()) {
        round_trip(&question);
    }

    #[test]
    fn any_text_survives_as_a_model(text in text()) {
        let question = json!({"version": 1, "model": text, "hardware": {"gpu": "h100-sxm"}, "workload": {"kind": "sft"}});
        round_trip(&question_from_value(question).unwrap());
    }

    #[test]
    fn any_bytes_are_read_or_refused(text in any::<String>(), link in "[a-z0-9.&=%#z]{0,80}") {
        for hash in [text, link] {
            if let Err(error) = from_hash(&hash) {
                prop_assert!(!error.field.is_empty() && !error.message.is_empty());
            }
        }
    }

    /// A damaged character gives a refusal or another question, never a panic.
    #[test]
    fn damage_never_panics(Asked(question) in questions::question(Plan::Partial), at in any::<prop::sample::Index>(), with in any::<char>()) {
        let mut characters: Vec<char> = to_hash(&question).chars().collect();
        let index = at.index(characters.len());
        characters[index] = with;
        let damaged: String = characters.iter().collect();
        if let Err(error) = from_hash(&damaged) {
            prop_assert!(!error.field.is_empty() && !error.message.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn every_cut_is_refused(Asked(question) in questions::question(Plan::Partial)) {
        refuse_cuts(&to_hash(&question));
    }
}

fn refuse_cuts(hash: &str) {
    for end in 0..hash.len() {
        let Err(error) = from_hash(&hash[..end]) else {
            panic!("{} is read as a whole link", &hash[..end]);
        };
        assert!(!error.field.is_empty() && error.message.ends_with('.'), "{error}");
    }
}

#[test]
fn the_presets_survive_and_their_cuts_are_refused() {
    for preset in presets::presets() {
        refuse_cuts(&round_trip(&preset.question().unwrap()));
    }
}

/// What people read in the address bar.
#[test]
fn links_are_readable() {
    let question = json!({"version": 1, "model": "meta-llama/Llama-3.1-8B", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "mean_sequence_length": 1000.5},
        "plan": {"recompute": {"granularity": "selective", "modules": ["mlp"]}}});
    let hash = to_hash(&question_from_value(question).unwrap());
    for part in [
        "model=meta-llama/Llama-3.1-8B",
        "hardware.gpu=h100-sxm",
        "hardware.gpus=8",
        "workload.kind=sft",
        "workload.mean_sequence_length=1000.5",
        "plan.recompute.granularity=selective",
    ] {
        assert!(hash.split('&').any(|found| found == part), "{part} is not in {hash}");
    }
}

/// A critic that is null is stated; one that is absent is the default.
#[test]
fn a_null_critic_survives() {
    let question = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"},
        "workload": {"kind": "grpo", "rl": {"critic": null, "prompts_per_step": 8}}});
    assert!(round_trip(&question_from_value(question).unwrap()).contains("&workload.rl.critic=null&"));
}

#[test]
fn contradictions_and_damage_name_their_field() {
    let start = "v=1&d=2026.11&model=qwen3-8b&hardware.gpu=h100-sxm&workload.kind=sft";
    for (tail, field, phrase) in [
        ("&hardware.gpus=8&hardware.gpus=16&z=1", "hardware.gpus", "contradicts"),
        ("&hardware.gpu.base=l4&z=1", "hardware.gpu.base", "contradicts"),
        ("&hardware.gpus=%F&z=1", "hardware.gpus", "damaged"),
        ("&hardware.gpus=%FF%FE&z=1", "hardware.gpus", "damaged"),
        ("&hardware.gpus=8", "hardware.gpus", "end mark"),
        ("&hardware.gpus", "hardware.gpus", "cut"),
        ("&hardware.gpus=eight&z=1", "hardware.gpus", "whole number"),
        ("&hardware.cpus=8&z=1", "hardware.cpus", "no such field"),
        ("&plan.a.b.c.d.e.f.g.h.i=1&z=1", "plan.a.b.c.d.e.f.g.h.i", "contradicts"),
    ] {
        let error = from_hash(&format!("{start}{tail}")).unwrap_err();
        assert_eq!(error.field, field, "{error}");
        assert!(error.message.contains(phrase), "{error}");
    }
    assert_eq!(from_hash(&format!("{}&z=1", start.replace("v=1", "v=2"))).unwrap_err().field, "version");
    assert_eq!(from_hash("").unwrap_err().field, "link");
    assert_eq!(from_hash(&"a".repeat(70_000)).unwrap_err().field, "link");
}

/// Links of every release, as its page wrote them: a file a release, which is never changed.
#[test]
fn links_of_every_release_are_answered() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/links");
    let mut links = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for (link, line) in std::fs::read_to_string(&path).unwrap().lines().zip(1..) {
            let at = format!("{}:{line}", path.display());
            let question = from_hash(link).unwrap_or_else(|error| panic!("{at}: {error}"));
            estimate(&question).unwrap_or_else(|error| panic!("{at}: {error}"));
            assert_eq!(from_hash(&to_hash(&question)).unwrap(), question, "{at}");
            links += 1;
        }
    }
    assert!(links >= 80, "{links}");
}
