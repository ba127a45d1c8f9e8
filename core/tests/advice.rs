//! Advice: each rule fires where it should and not elsewhere, and is worth what it says; rules of thumb are held against
//! the search.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use shardwise_core::advice::{RULES, helps};
use shardwise_core::neighbours::apply;
use shardwise_core::search::chosen::decided;
use shardwise_core::wire::{Advice, Answer, Question, Severity, question_from_value};
use shardwise_core::{estimate, evaluate_alone, search, sensitivity};

use crate::cases::{self, Ask, merge};
use crate::questions::{self, Asked, Plan, cases as seeded};
use crate::said;

/// veRL, ChatLearn and TRL checkpoint whole layers with FSDP, or nothing.
#[test]
fn fsdp_is_not_advised_to_choose_modules_for_reinforcement_learning() {
    let asked = |framework: Value| {
        question_from_value(json!({"version": 1, "model": "llama-3.1-8b", "framework": framework,
            "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "grpo", "precision": "fp8", "rl": {"prompts_per_step": 256, "responses_per_prompt": 8,
                "mini_batch": 64, "max_prompt_length": 1024, "max_response_length": 4096}},
            "plan": {"backend": "fsdp", "recompute": "full", "ulysses_parallel": 1, "zero_stage": 3, "fused_lm_head": true,
                "attention": "unfused", "max_tokens_per_gpu": 8192,
                "offload": {"parameters": true, "gradients": true, "optimizer": true},
                "rollout": {"tensor_parallel": 2, "gpu_memory_utilization": 0.5}}}))
        .unwrap()
    };
    let answer = estimate(&asked(Value::Null)).unwrap();
    let ids: Vec<&str> = answer.advice.iter().map(|own| own.id.as_ref()).collect();
    assert!(!ids.contains(&"recompute-selective"), "{ids:?}");
}

fn said<'a>(answer: &'a Answer, id: &str) -> Option<&'a Advice> {
    answer.advice.iter().find(|advice| advice.id == id)
}

fn close(a: f64, b: f64, scale: f64) {
    assert!((a - b).abs() <= 1e-6 * scale.abs(), "{a} is not {b}");
}

/// What holds for all advice: order, identifiers, sources.
fn check(question: &Question) -> Answer {
    let answer = estimate(question).unwrap();
    let mut ids = BTreeSet::new();
    let rank = |advice: &Advice| advice.severity as u8;
    for advice in &answer.advice {
        assert!(ids.insert(advice.id.clone()), "{} twice", advice.id);
        assert!(advice.source.starts_with("https://"), "{}", advice.source);
        said::said(&advice.text);
        // What is listed as a help is one: per GPU as the headline counts, or in memory.
        if let Some(gain) = advice.gain.filter(|_| helps(advice)) {
            let helped = gain.tokens_per_s_per_gpu > 0.0 || gain.gib < 0.0;
            assert!(helped, "{}: {gain:?}", advice.id);
        }
    }
    for caveat in &answer.caveats {
        said::said(&caveat.text);
    }
    assert!(answer.advice.is_sorted_by_key(rank));
    answer
}

/// Gains are what following the advice changes.
fn check_gains(question: &Question, answer: &Answer) {
    let whole = decided(question, answer);
    for advice in estimate(&whole).unwrap().advice {
        let Some(gain) = advice.gain else { continue };
        let to = apply(&whole, &advice.set).unwrap();
        let then = evaluate_alone(&to)
            .unwrap_or_else(|error| panic!("{}: {error}", advice.id))
            .answer;
        let off = gain.tokens_per_s - (then.tokens_per_s - answer.tokens_per_s);
        let each = then.tokens_per_s_per_gpu - answer.tokens_per_s_per_gpu;
        assert!((gain.tokens_per_s_per_gpu - each).abs() < 1e-6 * then.tokens_per_s_per_gpu, "{}", advice.id);
        assert!(off.abs() < 1e-6 * then.tokens_per_s, "{}: {:?}", advice.id, advice.set);
        close(gain.gib, then.memory.reserved_gib - answer.memory.reserved_gib, then.memory.reserved_gib);
        assert_eq!(gain.usd_per_mtok.is_some(), answer.usd_per_mtok.is_some());
        if let (Some(gain), Some(now), Some(then)) = (gain.usd_per_mtok, answer.usd_per_mtok, then.usd_per_mtok) {
            close(gain, then - now, then);
        }
    }
}

/// Of each rule a plan that departs from it to its cost, and one that does not or loses nothing: `cases/advice/`, a file for
/// each table of rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Tried>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tried {
    id: String,
    departs: Ask,
    follows: Ask,
}

fn tried() -> impl Iterator<Item = Tried> {
    cases::files("advice").into_iter().flat_map(|(_, file): (_, File)| file.rule)
}

#[test]
fn rules_fire_where_they_gain() {
    cases::each("advice", |_, file: File, run| {
        for rule in &file.rule {
            run.case(&format!("{} departs", rule.id), || {
                let departs = rule.departs.question();
                let answer = check(&departs);
                check_gains(&departs, &answer);
                let advice = said(&answer, &rule.id);
                let all: Vec<&str> = answer.advice.iter().map(|own| own.id.as_ref()).collect();
                assert!(advice.is_some_and(|advice| advice.gain.is_some()), "{advice:?} in {all:?}");
            });
            run.case(&format!("{} follows", rule.id), || {
                let advice = check(&rule.follows.question()).advice;
                assert!(advice.iter().all(|own| own.id != rule.id), "it is said all the same");
            });
        }
    });
}

#[test]
fn every_rule_is_tried() {
    let tried: BTreeSet<String> = tried().map(|rule| rule.id).collect();
    let rules: Vec<&str> = RULES.into_iter().flatten().map(|rule| rule.id).collect();
    let unique: BTreeSet<String> = rules.iter().map(|&id| id.to_owned()).collect();
    assert_eq!(unique.len(), rules.len());
    assert_eq!(tried, unique);
    for rule in RULES.into_iter().flatten() {
        assert!(rule.source.starts_with("https://"), "{}", rule.source);
    }
}

/// The larger gain comes first, and what makes a plan fit before what makes it faster.
#[test]
fn advice_is_sorted() {
    for rule in tried() {
        let departs = rule.departs.question();
        let whole = decided(&departs, &estimate(&departs).unwrap());
        let answer = estimate(&whole).unwrap();
        let fits = sensitivity(&whole).unwrap().now.fits;
        let hints = answer.advice.iter().filter(|one| one.severity == Severity::Hint);
        let order: Vec<(bool, f64)> = hints
            .filter(|one| !one.set.contains_key("hardware.gpus"))
            .filter_map(|one| {
                let gain = one.gain?;
                let then = apply(&whole, &one.set).unwrap();
                let mends = !fits && sensitivity(&then).unwrap().now.fits;
                Some((mends, gain.tokens_per_s_per_gpu))
            })
            .collect();
        assert!(order.is_sorted_by(|a, b| a >= b), "{order:?}");
    }
}

proptest! {
    #![proptest_config(seeded(300))]

    #[test]
    fn advice_keeps_its_word(Asked(question) in questions::question(Plan::Complete)) {
        if evaluate_alone(&question).is_ok() {
            let answer = check(&question);
            check_gains(&question, &answer);
        }
    }
}

fn searched(change: Value) -> Question {
    let mut document = json!({
        "version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "h200-sxm", "gpus": 16},
        "workload": {"kind": "sft", "sequence_length": 8192, "global_batch": 128},
    });
    merge(&mut document, change.as_object().unwrap());
    question_from_value(document).unwrap()
}

/// A rule of thumb is held against the best plan that obeys it, found by pinning what it asks for.
#[test]
fn rules_of_thumb_are_held_against_the_search() {
    let question = searched(json!({}));
    let answer = check(&question);
    let advice = said(&answer, "context-parallel-from-8192").expect("a departure");
    assert_eq!(answer.plan.context_parallel, Some(1));
    let best = ["context_parallel", "ulysses_parallel"]
        .iter()
        .flat_map(|key| [2, 4, 8].map(|size| searched(json!({"plan": {*key: size}}))))
        .filter_map(|pinned| search(&pinned, None, 1).ok()?.plans.pop())
        .filter(|plan| plan.fits)
        .map(|plan| plan.tokens_per_s)
        .fold(0.0, f64::max);
    assert!(!helps(advice));
    let gain = advice.gain.unwrap();
    // Plans within three digits rank by simplicity.
    close(gain.tokens_per_s / best, (best - answer.tokens_per_s) / best, 5e3);
    assert!(gain.tokens_per_s <= 0.0);
    let obeyed = estimate(&apply(&question, &advice.set).unwrap()).unwrap();
    close(gain.tokens_per_s, obeyed.tokens_per_s - answer.tokens_per_s, answer.tokens_per_s);
    assert!(said(&obeyed, "context-parallel-from-8192").is_none());
}

#[test]
fn four_billion_parameters_are_a_start() {
    let question = searched(json!({"model": "llama-3.1-8b", "workload": {"sequence_length": 4096}}));
    let answer = check(&question);
    let advice = said(&answer, "parameters-per-gpu").expect("a departure");
    assert!(advice.text.contains("4 billion parameters"), "{}", advice.text);
    let obeyed = apply(&question, &advice.set).unwrap();
    let plan = obeyed.plan.clone().unwrap();
    let split = plan.tensor_parallel.unwrap() * plan.pipeline_parallel.unwrap();
    assert_eq!(split, 2, "8 billion over two");
    let then = estimate(&obeyed).unwrap();
    close(advice.gain.unwrap().tokens_per_s, then.tokens_per_s - answer.tokens_per_s, then.tokens_per_s);
}

/// A dimension that the question states, a complete plan and a job that the rule does not speak of are no departures of
/// the search.
#[test]
fn rules_of_thumb_leave_a_person_alone() {
    let pinned = searched(json!({"plan": {"context_parallel": 1}}));
    let answer = check(&pinned);
    assert!(said(&answer, "context-parallel-from-8192").is_none());
    let short = searched(json!({"workload": {"sequence_length": 4096}}));
    assert!(said(&check(&short), "context-parallel-from-8192").is_none());
    let mut whole = searched(json!({}));
    whole.plan = Some(estimate(&whole).unwrap().plan);
    for advice in check(&whole).advice {
        assert_ne!(advice.id, "parameters-per-gpu");
        assert_ne!(advice.id, "context-parallel-from-8192");
    }
    let lora =
        searched(json!({"model": "llama-3.1-8b", "workload": {"kind": "lora"}, "plan": {"backend": "deepspeed"}}));
    assert!(said(&check(&lora), "parameters-per-gpu").is_none(), "no Megatron here");
}

/// Plans of a list carry what is wrong with them and no more.
#[test]
fn lists_have_warnings_alone() {
    let found = search(&searched(json!({})), None, 5).unwrap();
    for plan in found.plans {
        assert!(plan.advice.iter().all(|one| one.severity != Severity::Hint));
    }
}

#[test]
fn cards_before_ampere_are_said_to_lack_bf16_and_flash_attention() {
    let caveats = |gpu: &str, precision: &str, attention: &str| -> Vec<&'static str> {
        let question = question_from_value(json!({"version": 1, "model": "qwen3-0.6b",
            "hardware": {"gpu": gpu, "gpus": 1},
            "workload": {"kind": "lora", "sequence_length": 1024, "global_batch": 8, "precision": precision},
            "plan": {"attention": attention}}))
        .unwrap();
        let own = ["no-bf16", "no-flash-attention"];
        let answer = estimate(&question).unwrap();
        let said = own.into_iter();
        said.filter(|id| answer.caveats.iter().any(|caveat| caveat.id == *id)).collect()
    };
    for gpu in ["t4", "v100-sxm-32g"] {
        assert_eq!(caveats(gpu, "bf16", "flash"), ["no-bf16", "no-flash-attention"]);
        assert_eq!(caveats(gpu, "fp16", "unfused"), [""; 0]);
    }
    assert_eq!(caveats("a100-sxm-80g", "bf16", "flash"), [""; 0]);
}

#[test]
fn where_no_precision_is_said_cards_before_ampere_have_fp16() {
    let caveats = |gpu: &str| {
        let question = question_from_value(json!({"version": 1, "model": "qwen3-0.6b",
            "hardware": {"gpu": gpu, "gpus": 1},
            "workload": {"kind": "lora", "sequence_length": 1024, "global_batch": 8}}))
        .unwrap();
        let answer = estimate(&question).unwrap();
        answer.caveats.iter().any(|caveat| caveat.id == "no-bf16")
    };
    assert!(["t4", "v100-sxm-32g", "a100-sxm-80g"].iter().all(|gpu| !caveats(gpu)));
}

/// Whichever it is, a precision that the card has no tensor cores for is said to take bf16's rates, and does; MI300 has fp8, and
/// those who train in it there run it.
#[test]
fn a_precision_that_the_card_lacks_is_said_and_takes_the_rates_of_bf16() {
    let asked = |gpu: &str, precision: &str| {
        let question = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": gpu, "gpus": 8},
            "workload": {"kind": "pretrain", "sequence_length": 4096, "global_batch": 64, "precision": precision},
            "plan": {"backend": "megatron", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 1,
                "recompute": "full", "gradient_bytes": 4.0, "zero_stage": 1}});
        estimate(&question_from_value(question).unwrap()).unwrap()
    };
    let lacks = |answer: &Answer| answer.caveats.iter().any(|caveat| caveat.id == "precision-unsupported");
    for (gpu, lacking, having) in [
        ("h100-sxm", &["mxfp8", "nvfp4"][..], &["fp8"][..]),
        ("a100-sxm-80g", &["fp8", "mxfp8", "nvfp4"], &[]),
        ("mi300x", &["mxfp8", "nvfp4"], &["fp8"]),
        ("gaudi3", &["mxfp8", "nvfp4"], &["fp8"]),
        ("l40s", &["mxfp8", "nvfp4"], &["fp8"]),
        ("b200-sxm", &[], &["fp8", "mxfp8", "nvfp4"]),
        ("mi355x", &[], &["fp8", "mxfp8"]),
    ] {
        let half = asked(gpu, "bf16");
        for precision in lacking {
            let own = asked(gpu, precision);
            assert!(lacks(&own), "{gpu} {precision}");
            assert_eq!(own.time.parts.compute, half.time.parts.compute, "{gpu} {precision}");
        }
        for precision in having {
            assert!(!lacks(&asked(gpu, precision)), "{gpu} {precision}");
        }
    }
    assert!(asked("mi300x", "fp8").framework.is_some());
    assert!(asked("h100-sxm", "mxfp8").framework.is_none());
}

/// Machines of one GPU that nobody is known to rent out with a network between them are not compared unmarked.
#[test]
fn several_machines_whose_offers_state_no_network_are_said_to_be_joined_by_an_assumed_one() {
    let said = |gpu: &str, gpus: u64, gbit: Option<f64>| {
        let mut question = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": gpu, "gpus": gpus},
            "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}});
        if let Some(gbit) = gbit {
            question["hardware"]["internode_gbit_per_s_per_gpu"] = json!(gbit);
        }
        let answer = estimate(&question_from_value(question).unwrap()).unwrap();
        answer.caveats.iter().any(|caveat| caveat.id == "network-assumed")
    };
    assert!(said("gh200-96g", 4, None) && !said("gh200-96g", 1, None) && !said("gh200-96g", 4, Some(50.0)));
    assert!(!said("h100-sxm", 16, None));
}

/// QLoRA of a model with 128 experts in a layer: adapters on each of them do not fit where those on attention do, with Adam's
/// moments in 8 bits where these alone are too many.
#[test]
fn adapters_on_attention_fit_where_those_on_every_expert_do_not() {
    let asked = |rank: u64| {
        question_from_value(json!({"version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "rtx-4090", "gpus": 1},
            "framework": "unsloth",
            "workload": {"kind": "qlora", "lora": {"rank": rank}, "sequence_length": 512, "global_batch": 8},
            "plan": {"backend": "ddp", "micro_batch": 1, "recompute": "full", "fused_lm_head": true}}))
        .unwrap()
    };
    for (rank, narrow) in [(16, false), (64, false), (512, true)] {
        let question = asked(rank);
        let answer = estimate(&question).unwrap();
        assert!(!answer.fits, "{rank}");
        let own = said(&answer, "adapters-on-attention").unwrap();
        let mut set = json!({"workload.lora.targets": "attention"});
        if narrow {
            set["plan.optimizer"] = json!("adamw_8bit");
        }
        assert_eq!(json!(own.set), set, "{rank}");
        assert!(own.text.contains("all layers") && own.text.contains("adamw_8bit") == narrow, "{}", own.text);
        let followed = estimate(&apply(&question, &own.set).unwrap()).unwrap();
        assert!(followed.fits && said(&followed, "adapters-on-attention").is_none(), "{rank}");
    }
}

/// The optimizer's states lie in host memory already, which is what may not do: more of it there is no help.
#[test]
fn room_on_the_card_is_not_advised_where_host_memory_lacks_more_for_it() {
    let asked = |offload: bool| {
        question_from_value(json!({"version": 1, "model": "gpt-oss-120b", "hardware": {"gpu": "mi300x", "gpus": 8, "host_ram_gib": 2304},
            "workload": {"kind": "remax", "rl": {"prompts_per_step": 512, "max_prompt_length": 2048, "max_response_length": 1024,
                "mean_prompt_length": 1024, "mean_response_length": 409.6}},
            "plan": {"backend": "megatron", "tensor_parallel": 1, "pipeline_parallel": 2, "expert_parallel": 4, "max_tokens_per_gpu": 12288,
                "recompute": "full", "optimizer_offload_fraction": 1.0,
                "offload": {"parameters": offload, "gradients": offload, "optimizer": offload},
                "rollout": {"engine": "vllm", "tensor_parallel": 1, "data_parallel": 8, "expert_parallel": 8,
                    "gpu_memory_utilization": 0.35, "max_num_seqs": 256, "max_num_batched_tokens": 16384}}}))
        .unwrap()
    };
    let [now, then] = [false, true].map(|offload| estimate(&asked(offload)).unwrap());
    assert!(now.fit.probability > 0.5 && then.fit.probability < 0.5, "{:?} {:?}", now.fit, then.fit);
    assert!(said(&now, "offload-states").is_none());
}

/// Where the search chose the plan it chooses anew when advice is followed: that is what was promised.
#[test]
fn advice_on_a_plan_that_was_searched_promises_what_following_it_gives() {
    let rl = |longest: u64, schedule: &str| {
        json!({"prompts_per_step": 256, "responses_per_prompt": 8, "mini_batch": 64, "max_prompt_length": 1024,
            "max_response_length": longest, "schedule": schedule})
    };
    let tuned = |kind: &str, length: u64| json!({"kind": kind, "sequence_length": length, "global_batch": 64});
    let learnt = |kind: &str, longest, schedule: &str| json!({"kind": kind, "rl": rl(longest, schedule)});
    let mut followed = BTreeSet::new();
    for (model, gpu, gpus, workload) in [
        ("qwen3-8b", "h100-sxm", 16, learnt("grpo", 8192, "colocated")),
        ("qwen3-32b", "h100-sxm", 32, learnt("grpo", 8192, "colocated")),
        ("qwen3-8b", "rtx-5090", 96, learnt("grpo", 8192, "split")),
        ("qwen3-8b", "h100-sxm", 96, learnt("grpo", 8192, "split")),
        ("qwen3-8b", "rtx-5090", 256, learnt("grpo", 8192, "fully_async")),
        ("qwen3-30b-a3b", "rtx-5090", 6, learnt("grpo", 8192, "colocated")),
        ("qwen3-8b", "rtx-5090", 8, learnt("ppo", 8192, "colocated")),
        ("qwen3-8b", "mi300x", 64, learnt("ppo", 8192, "colocated")),
        ("deepseek-v3", "h100-sxm", 8, tuned("sft", 8192)),
        ("qwen3-30b-a3b", "h100-sxm", 16, tuned("sft", 8192)),
        ("qwen3-8b", "rtx-5090", 24, tuned("lora", 4096)),
        ("qwen3-8b", "h100-sxm", 16, tuned("dpo", 4096)),
        ("qwen3-14b", "h100-sxm", 6, tuned("dpo", 4096)),
    ] {
        let question = question_from_value(json!({"version": 1, "model": model,
            "hardware": {"gpu": gpu, "gpus": gpus}, "workload": workload}))
        .unwrap();
        let now = estimate(&question).unwrap();
        for advice in &now.advice {
            let Some(gain) = advice.gain else { continue };
            let to = apply(&question, &advice.set).unwrap();
            let then = evaluate_alone(&to).unwrap().answer;
            let each = then.tokens_per_s_per_gpu - now.tokens_per_s_per_gpu;
            let what = format!("{model} on {gpus} {gpu}, {}: {:?}, {gain:?} and {each}", advice.id, advice.set);
            // Where generation shares its GPUs this one is worth what it changes of the plan at hand.
            let at_hand = advice.id == "rollout-log-probs" && !advice.set.contains_key("workload.rl.train_gpus");
            let off = if at_hand { 0.015 } else { 1e-6 };
            assert!((gain.tokens_per_s_per_gpu - each).abs() < off * then.tokens_per_s_per_gpu, "{what}");
            followed.insert(advice.id.clone());
        }
    }
    for id in ["one-node", "adapters", "offload-states", "one-step-off", "parameters-per-gpu"] {
        assert!(followed.contains(id), "{followed:?}");
    }
}
