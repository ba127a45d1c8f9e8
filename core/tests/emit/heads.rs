//! The heads of texts: what was asked, with which versions, and how sure it is that the plan fits.

use serde_json::json;
use shardwise_core::wire::{FitState, question_from_value};
use shardwise_core::{Caveat, emit, evaluate, flags};

use super::examples::{example, examples};
use super::{code, texts};
use crate::cases;
use crate::said::said;

#[test]
fn the_head_carries_question_versions_permalink_and_warnings() {
    let (verl, mut found) = example("verl-grpo-fsdp");
    found.answer.fits = false;
    found.answer.memory.reserved_gib = 90.1;
    let fit = &mut found.answer.fit;
    (fit.state, fit.probability) = (FitState::No, 0.012);
    (fit.needed_gib, fit.capacity_gib, fit.margin_gib) = (90.1, 79.6, -10.5);
    fit.needed_at_confidence_gib = 97.3;
    found.answer.caveats = vec![Caveat::new("assumed", "Half the length is assumed.")];
    let text = &texts(verl, &found, "https://shardwise.example/#q").unwrap()[0].text;
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
    assert!(head[0].starts_with("# GRPO of Qwen3 8B on 8 × "), "{}", head[0]);
    assert!(head[0].ends_with(": 512 prompts × 16 responses, 1,024 + 3,072 tokens"), "{}", head[0]);
    assert!(
        head[1].starts_with("# 3,670 tokens/s per GPU, needs 90.1 of 79.6 GiB (95 %: 97.3), US$0.226"),
        "{}",
        head[1]
    );
    assert!(head[2].contains(concat!("Shardwise ", env!("CARGO_PKG_VERSION"), ", data ")), "{}", head[2]);
    assert!(head[2].ends_with("for veRL 0.9.1"), "{}", head[2]);
    assert_eq!(head[3], "# https://shardwise.example/#q");
    assert!(
        head[4].contains("does not fit, with a probability of 1 %") && head[4].contains("10.5 GiB too much"),
        "{}",
        head[4]
    );
    assert!(head.contains(&"# Note: Half the length is assumed."));
}

/// The head says of memory what the verdict does, whatever is reserved.
#[test]
fn heads_say_the_memory_of_the_verdict() {
    let (verl, mut found) = example("verl-grpo-fsdp");
    for (phase, says) in [
        ("update_actor", "needs 63.8 of 79.6 GiB (95 %: 74.9)"),
        ("engine", "needs 63.8 of 79.6 GiB of the engine's share (95 %: 74.9)"),
        ("host", "needs 63.8 of 79.6 GiB of host memory a node (95 %: 74.9)"),
    ] {
        found.answer.memory.reserved_gib = 71.8;
        found.answer.fit.phase = phase;
        let text = &texts(verl, &found, "").unwrap()[0].text;
        let line = text.lines().nth(1).unwrap();
        assert!(line.contains(says) && !line.contains("71.8"), "{line}");
        said(line.trim_start_matches("# "));
    }
}

/// One line of a head says how sure it is that the plan fits, wherever that is less than asked.
#[test]
fn heads_say_how_sure_it_is_that_a_plan_fits() {
    for (name, framework, mut found) in examples() {
        let mut lines = |state: FitState, probability: f64| -> Vec<String> {
            let fit = &mut found.answer.fit;
            (fit.state, fit.probability, fit.confidence) = (state, probability, 0.95);
            (fit.needed_gib, fit.capacity_gib, fit.margin_gib) = (81.0, 79.5, -1.5);
            found.answer.fits = state.fits();
            let Ok(snippets) = texts(framework, &found, "") else {
                return Vec::new();
            };
            let text = snippets.iter().find(|snippet| snippet.text.starts_with('#'));
            let head = text.map_or("", |snippet| snippet.text.as_str());
            head.lines()
                .take_while(|line| line.starts_with('#'))
                .filter(|line| line.contains(" probability of "))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(lines(FitState::Fits, 0.97), Vec::<String>::new(), "{name}");
        let tight = "# Warning: tight. It fits with a probability of 94 %; 95 % are asked for.";
        assert_eq!(lines(FitState::Tight, 0.949), [tight], "{name}");
        let [unlikely] = &lines(FitState::Unlikely, 0.31)[..] else {
            panic!("{name}");
        };
        assert!(unlikely.contains("unlikely to fit, with a probability of 31 %. 81.0 GiB of 79.5 GiB are needed"));
        assert!(unlikely.ends_with("1.5 GiB too much."), "{unlikely}");
        let [no] = &lines(FitState::No, 0.001)[..] else {
            panic!("{name}");
        };
        assert!(no.contains("it does not fit, with a probability of < 1 %"), "{no}");
    }
}

/// What the estimate decides reaches the text, whatever the boolean says.
#[test]
fn heads_follow_the_decision_of_the_estimate() {
    let mut document = cases::question("text-reinforcement");
    document["plan"]["offload"] = json!({});
    document["plan"]["rollout"] = json!({"tensor_parallel": 1, "gpu_memory_utilization": 0.85});
    document["confidence"] = json!(0.95);
    let question = question_from_value(document).unwrap();
    let found = evaluate(&question).unwrap();
    let verl = emit::framework("verl").unwrap();
    let text = &flags(&question, verl, verl.versions[0], "").unwrap().unwrap()[0].text;
    let said = code(text).len() < text.len() && text.contains(" probability of ");
    assert_eq!(said, found.answer.fit.state != FitState::Fits, "{text}");
    assert!(said, "a plan that is sure to fit tries nothing");
}
