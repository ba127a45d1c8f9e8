//! Cards that no published run is on: it is said first, their intervals are wider, and lists rank them by the slow end.

use serde_json::{Value, json};
use shardwise_core::coverage::{COVERAGE, UNTRIED};
use shardwise_core::hardware::Hardware;
use shardwise_core::search::measures::{self, slower};
use shardwise_core::search::sweep::Sweep;
use shardwise_core::wire::{Answer, Question, question_from_value};
use shardwise_core::{Objective, catalog, estimate, job};

use crate::runs;
use crate::said::said;

fn asked(gpu: &Value, workload: &str) -> Question {
    let workload = match workload {
        "rollout" => json!({"kind": "rollout", "rollout": {"requests": 512, "mean_prompt_length": 512,
            "mean_response_length": 512}}),
        "grpo" => json!({"kind": "grpo", "rl": {"prompts_per_step": 64, "responses_per_prompt": 8,
            "max_prompt_length": 512, "max_response_length": 1024, "mean_prompt_length": 200,
            "mean_response_length": 600}}),
        _ => json!({"kind": "lora", "lora": {"rank": 16}, "sequence_length": 1024, "global_batch": 64}),
    };
    let question =
        json!({"version": 1, "model": "qwen3-1.7b", "hardware": {"gpu": gpu, "gpus": 8}, "workload": workload});
    question_from_value(question).unwrap()
}

fn hardware(gpu: &str) -> Hardware {
    job::resolve(&asked(&json!(gpu), "lora")).unwrap().hardware
}

/// How many times the slow end of the speed goes into the fast one.
fn width(answer: &Answer) -> f64 {
    let [slow, fast] = answer.interval.unwrap().tokens_per_s_per_gpu;
    fast / slow
}

#[test]
fn it_is_said_first_of_every_card_without_a_run() {
    let mut untried = Vec::new();
    for gpu in catalog::gpus() {
        let own = hardware(gpu.id);
        for workload in ["lora", "rollout", "grpo"] {
            let Ok(answer) = estimate(&asked(&json!(gpu.id), workload)) else { continue };
            let Some(first) = answer.caveats.first() else {
                assert!(COVERAGE.card(&own).is_some() && !COVERAGE.is_foreign(&own), "{}", gpu.id);
                continue;
            };
            let unsure = COVERAGE.card(&own).is_none() || COVERAGE.is_foreign(&own);
            assert_eq!(UNTRIED.contains(&&*first.id), unsure, "{} {workload}: {first:?}", gpu.id);
            assert_eq!(slower(&answer).is_some(), unsure, "{} {workload}", gpu.id);
            if unsure {
                assert!(first.text.contains(gpu.name), "{}", first.text);
                said(&first.text);
                untried.push(gpu.id);
            }
        }
    }
    for id in
        ["rtx-5080", "rtx-3060", "dgx-spark", "ascend-910c", "metax-c500", "h100-pcie", "gaudi3", "rtx-pro-6000-ws"]
    {
        assert!(untried.contains(&id), "{id}");
    }
    for id in ["h100-sxm", "mi350x", "mi355x", "rtx-a6000", "h200-nvl"] {
        assert!(!untried.contains(&id), "{id}");
    }
}

#[test]
fn every_card_with_runs_is_in_the_catalog() {
    for own in COVERAGE.cards {
        assert!(catalog::gpu(own.gpu).is_some(), "{}", own.gpu);
    }
    let ids: Vec<&str> = COVERAGE.cards.iter().map(|own| own.gpu).collect();
    assert!(ids.is_sorted(), "{ids:?}");
}

#[test]
fn what_is_less_known_has_a_wider_interval() {
    for workload in ["lora", "rollout", "grpo"] {
        let of = |gpu: &str| width(&estimate(&asked(&json!(gpu), workload)).unwrap());
        // Runs on the card, on others of its maker, on hardly any of its maker's.
        assert!(of("h100-sxm") < 1.001 * of("h100-pcie"), "{workload}");
        assert!(of("h100-pcie") < of("ascend-910b2") && of("ascend-910b2") < 1.001 * of("metax-c550"), "{workload}");
    }
}

#[test]
fn runs_that_nothing_is_fitted_on_are_within_their_intervals() {
    for run in runs::held() {
        let answer = estimate(&run.question).unwrap();
        let measured = run.tokens_per_s_per_gpu.unwrap();
        let [slow, fast] = answer.interval.unwrap().tokens_per_s_per_gpu;
        let known = run.question.hardware.gpu == "h100-sxm";
        assert!(known || (slow..fast).contains(&measured), "{}: {measured} in {slow}..{fast}", run.id);
        let off = answer.tokens_per_s_per_gpu / measured;
        assert!((0.7..1.45).contains(&off), "{}: {off}", run.id);
    }
}

#[test]
fn lists_rank_it_by_the_slow_end() {
    // By figures of an H100, and one hundredth better: by its point it would come first.
    let own = json!({"memory_gib": 79, "hbm_gb_per_s": 3350, "bf16_dense_tflops": 989, "nvlink_gb_per_s": 450,
        "architecture": "hopper"});
    let mut question = asked(&own, "lora");
    question.hardware.usd_per_gpu_hour = Some(0.01);
    let offers = Sweep::new(&question, &["h100-sxm"], &[]);
    assert_eq!(offers.total(), 2);
    let mut offers = offers.all();
    let known = offers.iter().position(|own| own.hardware.gpu == "h100-sxm").unwrap();
    let ranked = measures::ranked(&offers, Objective::Time).unwrap();
    assert_eq!(ranked[0], known);
    let speed = |place: usize| offers[place].result.as_ref().unwrap().answer.tokens_per_s;
    assert_eq!(ranked[0], known);
    assert!(speed(1 - known) > 0.9 * speed(known));
    // With the interval gone it is ranked as it stands.
    let unsure = offers[1 - known].result.as_mut().unwrap();
    let slow = measures::Measures::of(&unsure.answer, &unsure.job).seconds;
    unsure.answer.caveats.clear();
    assert!(measures::Measures::of(&unsure.answer, &unsure.job).seconds < slow / 1.2);
}

#[test]
fn memory_that_the_cpu_shares_has_no_host_beside_it() {
    let own = hardware("dgx-spark");
    let gpu = catalog::gpu("dgx-spark").unwrap();
    assert!(own.memory_gib < gpu.memory_gib && own.host_ram_gib() == Some(gpu.memory_gib - own.memory_gib));
    let mut question = asked(&json!("dgx-spark"), "lora");
    question.hardware.gpus = Some(1);
    let answer = estimate(&question).unwrap();
    let shared = answer.caveats.iter().find(|own| own.id == "unified-memory").unwrap();
    said(&shared.text);
    assert!(answer.fits);
    // Nothing that is moved to the host's memory finds room there.
    let moved = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "dgx-spark", "gpus": 1},
        "workload": {"kind": "sft", "sequence_length": 1024, "global_batch": 8},
        "plan": {"backend": "deepspeed", "zero_stage": 2, "micro_batch": 1, "offload": {"optimizer": true}}});
    assert!(!estimate(&question_from_value(moved).unwrap()).unwrap().fits);
}

#[test]
fn a_part_of_a_generation_has_rates_of_its_own() {
    let speed = |gpu: Value| estimate(&asked(&gpu, "lora")).unwrap().tokens_per_s;
    // As runs on it were asked before it was in the catalog.
    let changed = json!({"base": "mi355x", "bf16_dense_tflops": 2307, "fp8_dense_tflops": 4614});
    assert_eq!(speed(json!("mi350x")), speed(changed));
}
