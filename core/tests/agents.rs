//! Responses of several turns: what tools write, how long they take, and how many are in progress at a time.

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::wire::{Answer, TimeParts, put, question_from_value};
use shardwise_engine::lengths::largest;

/// GRPO of Qwen2.5-7B on 8 H100, 1,024 responses of 3,000 tokens a step, with its plan.
fn asked(agent: Value) -> Answer {
    with(agent, &[])
}

fn with(agent: Value, changes: &[(&str, Value)]) -> Answer {
    let mut question = json!({"version": 1, "model": "qwen2.5-7b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 128, "responses_per_prompt": 8, "max_prompt_length": 1024,
            "max_response_length": 8192, "mean_prompt_length": 512, "mean_response_length": 3000, "agent": agent}},
        "plan": {"backend": "fsdp", "max_tokens_per_gpu": 18432, "recompute": "full",
            "rollout": {"tensor_parallel": 1, "max_num_seqs": 256}}});
    for (path, value) in changes {
        put(&mut question, path, value.clone());
    }
    estimate(&question_from_value(question).unwrap()).unwrap()
}

fn generation(answer: &Answer) -> TimeParts {
    answer.time.phases.iter().find(|own| own.name == "rollout").unwrap().parts
}

fn seconds(answer: &Answer) -> f64 {
    generation(answer).total()
}

/// Four turns: three calls, whose answers have 300 tokens each.
fn agent(tool_s: f64) -> Value {
    json!({"turns": 4, "tool_response_length": 300, "tool_s": tool_s, "tool_cv": 1})
}

fn but(mut agent: Value, name: &str, value: Value) -> Value {
    agent[name] = value;
    agent
}

#[test]
fn an_agent_of_one_turn_is_none() {
    let (one, none) = (asked(json!({"turns": 1})), asked(Value::Null));
    assert_eq!(one.step_time_s, none.step_time_s);
    assert!(!one.caveats.iter().any(|caveat| caveat.id == "agent"));
}

/// The model writes 2,100 of 3,000 tokens, and the engine reads the other 900, beside a prompt for eight responses of 64 each.
#[test]
fn what_tools_write_is_read_and_not_decoded() {
    let (own, none) = (generation(&asked(agent(0.0))), generation(&asked(Value::Null)));
    assert_eq!(own.tools, 0.0);
    assert!((own.decode / none.decode / 0.7 - 1.0).abs() < 0.02, "{} of {}", own.decode, none.decode);
    let tokens = (900.0 + 64.0) / 64.0;
    assert!(own.prefill > none.prefill * tokens, "{} is not {tokens} times {}", own.prefill, none.prefill);
    // They attend to longer contexts, which 7 billion weights outweigh.
    assert!(own.prefill < none.prefill * tokens * 1.5);
    // Training passes over all that stands in a sequence.
    let update = |answer: &Answer| answer.time.phases.iter().find(|own| own.name == "update_actor").unwrap().s;
    assert_eq!(update(&asked(agent(5.0))), update(&asked(Value::Null)));
}

/// Little's law: of 128 responses on an engine, all of which wait 15 s in three calls, those decode that are not waiting; and a
/// response takes at least what its calls take.
#[test]
fn waiting_costs_what_nobody_fills() {
    let quick = asked(agent(0.0));
    let slow = asked(agent(5.0));
    let added = seconds(&slow) - seconds(&quick);
    // The longest response, 2.7 times the mean, has as many times the calls: some 40 s of waiting, in which others decode.
    assert!((20.0..90.0).contains(&added), "{added}");
    assert!((generation(&slow).tools - added).abs() < 1e-6 * added.max(1.0));
    // Twice the responses hide more of it: their last batch is the same, and while some wait to begin others decode.
    let more = |tool_s: f64| seconds(&with(agent(tool_s), &[("workload.rl.prompts_per_step", json!(1024))]));
    let shares = [added / seconds(&quick), more(5.0) / more(0.0) - 1.0];
    assert!(shares[1] < shares[0] * 0.7, "{shares:?}");
}

/// verl-tool, 2,048 responses of a 1.5B on 4 H100, three turns at most: 194 s in lockstep, 94 s each at its own pace
/// (github.com/TIGER-AI-Lab/verl-tool, assets/docs/asyncRL.md, read 2026-11-26). Lengths and tools are not stated: math with
/// code, some 1,000 tokens and a second a call.
#[test]
fn lockstep_costs_about_twice_as_much() {
    let own = json!({"turns": 2.5, "max_turns": 3, "tool_response_length": 100, "tool_s": 1, "tool_cv": 1});
    let small = [
        ("model", json!("qwen2.5-1.5b")),
        ("hardware.gpus", json!(4)),
        ("workload.rl.prompts_per_step", json!(256)),
        ("workload.rl.max_response_length", json!(3072)),
        ("workload.rl.mean_response_length", json!(1000)),
    ];
    let [lockstep, free] =
        [false, true].map(|pace| seconds(&with(but(own.clone(), "asynchronous", json!(pace)), &small)));
    let ratio = lockstep / free;
    assert!((194.0 / 94.0 * 0.65..194.0 / 94.0 * 1.35).contains(&ratio), "{ratio}");
}

#[test]
fn a_cache_that_forgets_is_read_again() {
    let forgets = |rate: f64| generation(&asked(but(agent(5.0), "prefix_cache_hit_rate", json!(rate)))).prefill;
    // Three calls, before each of which prompt and half the response stand on average: 3 x 2,012 tokens again.
    let again = (forgets(0.0) - forgets(1.0)) / 3.0;
    assert!((forgets(0.5) - forgets(1.0) - again * 1.5).abs() < 0.05 * again, "{again}");
    // Where the cache has room for all that wait, it forgets nothing.
    assert_eq!(generation(&asked(agent(5.0))).prefill, forgets(1.0));
    let small = with(agent(60.0), &[("plan.rollout.gpu_memory_utilization", json!(0.25))]);
    assert!(generation(&small).prefill > forgets(1.0));
}

#[test]
fn environments_bound_what_is_in_progress() {
    let few = |count: u64| seconds(&asked(but(agent(5.0), "environments", json!(count))));
    assert!(few(64) > few(256) && few(256) > few(1024), "{} {} {}", few(64), few(256), few(1024));
    // The busiest engine has some more than its share.
    assert_eq!(few(2048), few(100_000));
}

/// Means of the largest of `n` normal draws (Harter 1961, Biometrika 48, table 1).
#[test]
fn the_largest_of_several_is_that_far_out() {
    for (count, expected) in [(5.0, 1.163), (10.0, 1.539), (20.0, 1.867), (50.0, 2.249), (100.0, 2.508), (400.0, 2.968)]
    {
        let found = largest(count);
        assert!((found / expected - 1.0_f64).abs() < 0.2, "{count}: {found} is not {expected}");
    }
}

proptest! {
    /// Slower tools, more of them and wider spreads are never quicker, whatever the engine.
    #[test]
    fn slower_tools_are_never_quicker(
        turns in 1.1_f64..8.0, tool_s in 0.0_f64..100.0, tool_cv in 0.0_f64..2.0, free in any::<bool>(),
        seqs in 16_u64..512, environments in 16_u64..2048,
    ) {
        let own = json!({"turns": turns, "tool_response_length": 50, "tool_s": tool_s, "tool_cv": tool_cv,
            "asynchronous": free, "environments": environments, "prefix_cache_hit_rate": 1});
        let plan = [("plan.rollout.max_num_seqs", json!(seqs))];
        let found = seconds(&with(own.clone(), &plan));
        let calls = but(own.clone(), "tool_s", json!(tool_s * 1.3 + 0.1));
        prop_assert!(seconds(&with(calls, &plan)) >= found * (1.0 - 1e-9));
        let spread = but(own, "tool_cv", json!(tool_cv + 0.2));
        prop_assert!(seconds(&with(spread, &plan)) >= found * (1.0 - 1e-9));
    }
}
