//! The search: sound on random questions, the same on every GPU type as for each alone, ranked as asked.

use std::cell::Cell;

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::complete::is_complete;
use shardwise_core::search::chosen::decided;
use shardwise_core::search::limits::{Limits, Standing};
use shardwise_core::search::measures::{self, closing, slower};
use shardwise_core::search::sweep::{Reached, Sweep, Tried};
use shardwise_core::search::within::held;
use shardwise_core::wire::{Backend, FitState, HardwareSpec, MarketSpec, Question, question_from_value};
use shardwise_core::{Answer, Objective, catalog, emit, estimate, job, presets, search};

use crate::fuzz::fuzz;
use crate::questions::{self, Asked, Plan, cases};

fn finite(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Number(number) => number.as_f64().is_some_and(f64::is_finite),
        Value::Array(values) => values.iter().all(finite),
        Value::Object(values) => values.values().all(finite),
        Value::Bool(_) | Value::String(_) => true,
    }
}

/// A plan that was returned is legal, fits unless none does, and is one that the framework runs.
fn sound(question: &Question, answer: &Answer, framework: Option<&emit::Framework>) {
    assert!(finite(&serde_json::to_value(answer).unwrap()), "{answer:?}");
    let mut again = decided(question, answer);
    // Where figures go by the framework's name, the plans of one are asked for with it named.
    let named = answer.framework.as_ref().is_some_and(|own| own.stated);
    again.framework = again
        .framework
        .or_else(|| framework.filter(|_| named).map(|own| own.id.to_owned()));
    let legal = shardwise_core::evaluate(&again).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(legal.answer.step_time_s, answer.step_time_s);
    assert_eq!(legal.answer.fits, answer.fits);
    if let Some(framework) = framework {
        let refused = framework.violations(&legal.job, &legal.plan);
        assert!(refused.is_empty(), "{}: {refused:?}", framework.id);
    }
}

#[test]
fn random_questions_have_sound_plans() {
    let asked = (questions::question(Plan::Partial), any::<bool>(), 0..2 * emit::FRAMEWORKS.len());
    let answered = Cell::new(0_u64);
    let done = fuzz("searches", 150, 100, &asked, |(Asked(mut question), open, framework)| {
        if open {
            question.plan = None;
        }
        let framework = emit::FRAMEWORKS.get(framework);
        let Ok(found) = search(&question, framework, 2) else {
            return;
        };
        answered.set(answered.get() + 1);
        assert!(found.considered >= found.plans.len() as u64);
        // Of plans that are not as sure the nearest by GiB comes first, which need not be the most probable. A statement
        // that leaves nothing to the search is its answer, whatever fits beside it.
        let spec = question.plan.clone().unwrap_or_default();
        let own = job::resolve(&question).unwrap();
        let chosen = usize::from(is_complete(&own, &spec));
        let sure = found.plans.iter().skip(chosen);
        let sure = sure.map(|plan| plan.fit.state == FitState::Fits);
        let sure: Vec<bool> = sure.collect();
        assert!(sure.is_sorted_by_key(|sure| !sure), "{sure:?}");
        for answer in &found.plans {
            sound(&question, answer, framework);
        }
    });
    assert!(answered.get() * 4 > done, "{} of {done}", answered.get());
}

fn asked(value: Value) -> Question {
    question_from_value(value).unwrap()
}

/// The search splits sequences where the GPUs do not share them evenly: a framework that splits none is not told to set that otherwise.
#[test]
fn a_batch_that_a_framework_cannot_share_is_what_is_refused() {
    let of = |plan: Value| {
        asked(
            json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "rtx-4090", "gpus": 3}, "framework": "llamafactory",
            "workload": {"kind": "qlora", "sequence_length": 4096, "global_batch": 64}, "plan": plan}),
        )
    };
    let error = estimate(&of(json!({}))).unwrap_err();
    assert_eq!(error.field, "workload.global_batch");
    assert!(error.message.contains("64 of them cannot be shared evenly by 3 GPUs"), "{error}");
    crate::said::said(&error.message);
    assert_eq!(estimate(&of(json!({"context_parallel": 3}))).unwrap_err().field, "plan.context_parallel");
}

/// Where all that an update keeps is in host memory, the reference's pass holds more: the search counts it.
#[test]
fn what_is_evaluated_fits_too() {
    let question = asked(json!({"version": 1, "model": "bloom-176b", "hardware": {"gpu": "l4", "gpus": 8,
            "internode_gbit_per_s_per_gpu": 1.0, "usd_per_gpu_hour": 0.0},
        "workload": {"kind": "dpo", "sequence_length": 13098, "global_batch": 1, "packing": true, "lora": {"rank": 256}}}));
    let found = search(&question, None, 2).unwrap().plans;
    let states: Vec<FitState> = found.iter().map(|own| own.fit.state).collect();
    assert_eq!(states[0], FitState::Fits, "{states:?}");
}

/// Images of a large micro-batch are in flight, as tokens are: no plan with a small one is ruled out for what they hold.
#[test]
fn what_the_states_alone_hold_has_no_images() {
    let question = asked(json!({"version": 1, "model": "internvl2-76b", "hardware": {"gpu": "a40", "gpus": 4,
            "internode_gbit_per_s_per_gpu": 1.0, "host_ram_gib": 400, "usd_per_gpu_hour": 0.0},
        "workload": {"kind": "pretrain", "sequence_length": 13326, "global_batch": 258, "packing": true,
            "images": {"per_example": 1.5, "width": 336, "height": 280, "vision_tower": "trained"}}}));
    let found = search(&question, None, 2).unwrap().plans;
    let states: Vec<FitState> = found.iter().map(|own| own.fit.state).collect();
    assert_eq!(states, [FitState::Fits; 2]);
}

/// With every sequence as long as any may be no plan fits, as the reference's pass holds all weights; with lengths as they are one
/// does, and comes before those that are faster and never do.
#[test]
fn what_fits_but_for_the_longest_comes_first() {
    let question = asked(json!({"version": 1, "model": "glm-4.5-air", "hardware": {"gpu": "a30", "gpus": 8,
            "internode_gbit_per_s_per_gpu": 1.0, "usd_per_gpu_hour": 0.0},
        "workload": {"kind": "dpo", "sequence_length": 6237, "global_batch": 9, "mean_sequence_length": 361.3306, "packing": true},
        "plan": {"tensor_parallel": 1, "pipeline_parallel": 2, "virtual_pipeline": 1, "context_parallel": 1, "ulysses_parallel": 1,
            "sequence_parallel": true, "shard_group": 1, "max_tokens_per_gpu": 4096, "recompute": "none",
            "attention": "unfused", "gradient_bytes": 0.0, "optimizer_bytes": 0.0}}));
    let found = search(&question, None, 2).unwrap().plans;
    let states: Vec<FitState> = found.iter().map(|own| own.fit.state).collect();
    assert_eq!(states, [FitState::Fits; 2]);
}

/// axolotl splits no sequences of preference data: that is no refusal of all that it runs, and its experts go beyond the node.
#[test]
fn who_refuses_one_layout_may_run_another() {
    let question = asked(json!({"version": 1, "model": "kimi-k2", "hardware": {"gpu": "mi300x", "gpus": 128},
        "workload": {"kind": "simpo", "sequence_length": 4096, "global_batch": 256, "mean_sequence_length": 3375.0}}));
    let axolotl = Question { framework: Some("axolotl".to_owned()), ..question.clone() };
    let [open, named] = [question, axolotl].map(|own| search(&own, None, 1).unwrap().plans[0].step_time_s);
    assert_eq!(open, named);
}

/// A mini-batch of 44 responses keeps 88 GPUs busy at most: of 256 that are shared, half train in no plan that veRL runs.
#[test]
fn gpus_are_shared_as_the_framework_runs_them() {
    let question = asked(json!({"version": 1, "model": "mistral-7b-v0.3",
        "hardware": {"gpu": "ascend-910b2", "gpus": 256, "gpus_per_node": 1, "host_ram_gib": 100, "usd_per_gpu_hour": 0.0},
        "workload": {"kind": "ppo", "rl": {"prompts_per_step": 132, "responses_per_prompt": 1, "max_prompt_length": 1,
            "max_response_length": 61, "mini_batch": 44, "critic": "bloom-7b1", "schedule": "one_step_off"}},
        "plan": {"ulysses_parallel": 2, "max_tokens_per_gpu": 4096, "recompute": "none",
            "rollout": {"gpu_memory_utilization": 0.2}}}));
    let verl = emit::FRAMEWORKS.iter().find(|own| own.id == "verl");
    for answer in &search(&question, verl, 2).unwrap().plans {
        sound(&question, answer, verl);
    }
}

/// The question answered with one framework's plan.
fn with(framework: &str, mut question: Value) -> Answer {
    question["framework"] = json!(framework);
    estimate(&asked(question)).unwrap_or_else(|error| panic!("{framework}: {error}"))
}

/// ChatLearn evaluates a reference that GSPO has no use for, SkyRL's FSDP holds the base of adapters in fp32, and Megatron-LM
/// and Megatron-Bridge sum gradients in fp32 beside products in fp8.
#[test]
fn plans_are_completed_as_the_framework_runs_them() {
    let learns = |kind: &str| {
        json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": kind, "rl": {"prompts_per_step": 64, "responses_per_prompt": 8,
                "max_prompt_length": 1024, "max_response_length": 3072}}})
    };
    let refers = |answer: &Answer| answer.time.phases.iter().any(|own| own.name == "reference");
    assert!(refers(&with("chatlearn", learns("gspo"))) && !refers(&with("verl", learns("gspo"))));
    let mut adapters = learns("grpo");
    adapters["workload"]["lora"] = json!({"rank": 16});
    adapters["plan"] = json!({"backend": "fsdp"});
    let bytes = |framework: &str| with(framework, adapters.clone()).plan.master_weights_bytes;
    assert_eq!([bytes("skyrl"), bytes("verl")], [Some(4.0), Some(2.0)]);
    let narrow = json!({"version": 1, "model": "llama-3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "pretrain", "sequence_length": 8192, "global_batch": 128, "precision": "fp8"}});
    let bytes = |framework: &str| with(framework, narrow.clone()).plan.gradient_bytes;
    assert_eq!([bytes("megatron-bridge"), bytes("megatron-lm")], [Some(4.0), Some(4.0)]);
}

/// DeepSpeed moves gradients with its optimizer: no plan of it has one of the two in host memory.
#[test]
fn gradients_stay_beside_their_optimizer() {
    let question = json!({"version": 1, "model": "gpt-oss-120b", "hardware": {"gpu": "h100-sxm", "gpus": 1},
        "workload": {"kind": "qlora", "sequence_length": 1024, "global_batch": 4}, "plan": {"backend": "deepspeed"}});
    for framework in ["axolotl", "llamafactory", "ms-swift", "deepspeed"] {
        let offload = with(framework, question.clone()).plan.offload.unwrap_or_default();
        assert_eq!(offload.gradients, offload.optimizer, "{framework}");
    }
}

/// DeepSpeed's Ulysses splits a sequence that is too long for one card, and a ring one of which there are fewer than cards.
#[test]
fn long_and_few_sequences_are_split() {
    let long = json!({"version": 1, "model": "qwen2.5-7b", "hardware": {"gpu": "rtx-4090", "gpus": 2},
        "workload": {"kind": "sft", "sequence_length": 65536, "global_batch": 8}, "plan": {"backend": "deepspeed"}});
    let answer = estimate(&asked(long)).unwrap();
    assert!(answer.fits && answer.plan.ulysses_parallel == Some(2), "{:?}", answer.plan);
    let few = json!({"version": 1, "model": "qwen2.5-vl-7b", "hardware": {"gpu": "l40s", "gpus": 64},
        "workload": {"kind": "dpo", "sequence_length": 8064, "global_batch": 8}});
    let answer = with("nemo-rl", few);
    assert!(answer.fits && answer.plan.context_parallel == Some(8), "{:?}", answer.plan);
}

/// Three nodes are split by 3, 6, 12 and 24 as two are by 2, 4, 8 and 16: what one of these divides was no plan.
#[test]
fn gpus_that_are_no_power_of_two_are_split_by_all_that_divides_them() {
    let long = json!({"version": 1, "model": "glm-4.5-air", "hardware": {"gpu": "rtx-5090", "gpus": 24},
        "workload": {"kind": "sft", "sequence_length": 131072, "global_batch": 64}});
    let answer = estimate(&asked(long)).unwrap();
    assert!(answer.fits && answer.plan.ulysses_parallel == Some(24), "{:?}", answer.plan);
    let three = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "a40", "gpus": 3},
        "workload": {"kind": "lora", "sequence_length": 131072, "global_batch": 32}});
    let answer = estimate(&asked(three)).unwrap();
    assert_eq!(answer.plan.context_parallel, Some(3), "{:?}", answer.plan);
    // A batch that 72 ranks do not share was refused.
    let learns = json!({"version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "rtx-5090", "gpus": 72},
        "workload": {"kind": "dapo", "rl": {"prompts_per_step": 128, "responses_per_prompt": 4, "max_prompt_length": 1024,
            "max_response_length": 8192}}});
    assert!(with("verl", learns).plan.context_parallel > Some(1));
    // An engine's ranks, too.
    let mixture = json!({"version": 1, "model": "deepseek-v3", "hardware": {"gpu": "h20", "gpus": 96, "host_ram_gib": 1536},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 256, "responses_per_prompt": 8, "max_prompt_length": 1024,
            "max_response_length": 8192, "mean_prompt_length": 300, "mean_response_length": 2000, "mini_batch": 64}}});
    let answer = estimate(&asked(mixture)).unwrap();
    let engine = answer.plan.rollout.as_ref().and_then(|own| own.data_parallel);
    assert!(
        engine.is_some_and(|ranks| ranks % 3 == 0) && answer.fit.probability > 0.5,
        "{:?} {:?}",
        answer.fit,
        answer.plan
    );
}

/// Where ranks have no equal share of a batch, parts of sequences give them one.
#[test]
fn sequences_that_are_left_over_are_split() {
    let question = json!({"version": 1, "model": "glm-4.5-air", "hardware": {"gpu": "rtx-5090", "gpus": 32},
        "workload": {"kind": "sft", "sequence_length": 1024, "global_batch": 48}});
    let answer = estimate(&asked(question)).unwrap();
    assert!(answer.fits && answer.plan.ulysses_parallel == Some(2), "{:?}", answer.plan);
}

/// ms-swift exchanges as many heads as there are keys and values for and puts the rest in a ring, and has no fused head where it
/// splits sequences: both were left out, the second also of what is nearest to fitting.
#[test]
fn what_a_framework_alone_runs_is_tried() {
    let question = json!({"version": 1, "model": "qwen2.5-7b", "hardware": {"gpu": "a40", "gpus": 8},
        "workload": {"kind": "lora", "sequence_length": 65536, "global_batch": 16}});
    let answer = with("ms-swift", question.clone());
    let split = |answer: &Answer| (answer.plan.context_parallel, answer.plan.ulysses_parallel);
    assert!(answer.fits && split(&answer) == (Some(2), Some(4)), "{:?}", answer.plan);
    let mut stated = question;
    stated["plan"] = json!({"backend": "fsdp", "context_parallel": 2});
    assert_eq!(split(&with("ms-swift", stated)), (Some(2), Some(4)));
    let copies = json!({"version": 1, "model": "qwen3-0.6b", "hardware": {"gpu": "h200-sxm", "gpus": 128},
        "workload": {"kind": "dpo", "sequence_length": 2048, "global_batch": 32, "mean_sequence_length": 409, "lora": {"rank": 16}}});
    let answer = with("ms-swift", copies);
    assert_eq!((answer.plan.backend, answer.plan.ulysses_parallel), (Some(Backend::Ddp), Some(4)));
}

/// DeepSpeed splits no expert: who states that is answered by who does.
#[test]
fn experts_stay_whole_beside_deepspeed() {
    let question = asked(json!({"version": 1, "model": "deepseek-v3", "hardware": {"gpu": "rtx-5090", "gpus": 96},
        "workload": {"kind": "pretrain", "sequence_length": 1024, "global_batch": 96},
        "plan": {"expert_tensor_parallel": 3, "backend": "deepspeed"}}));
    assert!(estimate(&question).is_ok_and(|answer| answer.framework.is_none()));
}

/// torchtitan and NeMo-RL split matrices beside FSDP.
#[test]
fn matrices_are_split_beside_fsdp() {
    let question = json!({"version": 1, "model": "llama-3.1-70b", "hardware": {"gpu": "a100-sxm-40g", "gpus": 48},
        "workload": {"kind": "pretrain", "sequence_length": 8192, "global_batch": 24}});
    let answer = with("torchtitan", question);
    assert!(answer.plan.tensor_parallel > Some(1), "{:?}", answer.plan);
    let tuned = json!({"version": 1, "model": "glm-4.5-air", "hardware": {"gpu": "a40", "gpus": 48},
        "workload": {"kind": "sft", "sequence_length": 16384, "global_batch": 24}, "plan": {"backend": "fsdp"}});
    let answer = with("nemo-rl", tuned);
    assert!(answer.fits && answer.plan.tensor_parallel > Some(1), "{:?}", answer.plan);
}

/// No copy of all weights has ZeRO's shards: who states a stage is answered by a back end that has it.
#[test]
fn plain_data_parallelism_shards_nothing() {
    let question = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 32},
        "workload": {"kind": "sft", "sequence_length": 1024, "global_batch": 256, "packing": true}, "plan": {"zero_stage": 3}});
    for framework in ["axolotl", "llamafactory", "ms-swift"] {
        assert_ne!(with(framework, question.clone()).plan.backend, Some(Backend::Ddp), "{framework}");
    }
}

fn samples() -> Vec<Question> {
    let rl = |schedule: &str| {
        json!({"prompts_per_step": 64, "responses_per_prompt": 8, "max_prompt_length": 1024,
            "max_response_length": 3072, "mean_prompt_length": 200, "mean_response_length": 900,
            "response_length_cv": 0.6, "mini_batch": 32, "schedule": schedule})
    };
    let hardware = |gpus: u64| json!({"gpu": "h100-sxm", "gpus": gpus, "usd_per_gpu_hour": 2.5});
    vec![
        asked(json!({"version": 1, "model": "llama-3.1-8b", "hardware": hardware(16),
            "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "tokens": 1e9}})),
        asked(json!({"version": 1, "model": "qwen3-30b-a3b", "hardware": hardware(8),
            "workload": {"kind": "pretrain", "sequence_length": 4096, "global_batch": 64, "precision": "fp8"}})),
        asked(json!({"version": 1, "model": "llama-3.1-70b", "hardware": hardware(8),
            "workload": {"kind": "qlora", "sequence_length": 2048, "global_batch": 16, "tokens": 1e8}})),
        asked(json!({"version": 1, "model": "qwen2.5-7b", "hardware": hardware(8),
            "workload": {"kind": "grpo", "rl": rl("colocated")}})),
        asked(json!({"version": 1, "model": "qwen2.5-7b", "hardware": hardware(16),
            "workload": {"kind": "grpo", "rl": rl("one_step_off")}})),
        asked(json!({"version": 1, "model": "qwen2.5-7b", "hardware": hardware(2),
            "workload": {"kind": "rollout", "rollout": {"requests": 1000, "mean_prompt_length": 500,
                "mean_response_length": 500}}})),
    ]
}

/// GPU types that share a space and its memory get the plans that each gets alone.
#[test]
fn a_sweep_finds_what_each_machine_finds_alone() {
    for question in samples() {
        let mut asked = 0;
        for offer in Sweep::every_gpu(&question) {
            let alone = Question { hardware: offer.hardware.clone(), ..question.clone() };
            match (offer.result, estimate(&alone)) {
                // With less work per machine it may end with another plan, and says so.
                (Ok(found), Ok(answer)) if !found.complete => {
                    assert_eq!(found.answer.fits, answer.fits, "{:?}", offer.hardware);
                }
                (Ok(found), Ok(answer)) => {
                    assert_eq!(found.answer.plan, answer.plan, "{:?}", offer.hardware);
                    assert_eq!(found.answer.step_time_s, answer.step_time_s);
                    asked += 1;
                }
                (Err(found), Err(error)) => assert_eq!(found.field, error.field),
                (found, alone) => panic!("{:?}: {found:?}, alone {alone:?}", offer.hardware),
            }
        }
        assert!(asked > catalog::gpus().len() / 2, "{asked}");
    }
}

/// A sweep keeps the question's own price and network, and takes every count that is asked for.
#[test]
fn a_sweep_asks_what_it_is_told() {
    let question = &samples()[0];
    let sweep = Sweep::new(question, &["h100-sxm", "l40s"], &[8, 16]);
    assert_eq!(sweep.total(), 4);
    let offers: Vec<Tried> = sweep.collect();
    let told: Vec<_> = offers
        .iter()
        .map(|offer| (offer.hardware.gpu.clone(), offer.hardware.gpus))
        .collect();
    let id = |id: &str| Value::from(id);
    assert_eq!(
        told,
        [(id("h100-sxm"), Some(8)), (id("h100-sxm"), Some(16)), (id("l40s"), Some(8)), (id("l40s"), Some(16))]
    );
    assert_eq!(offers[0].hardware.usd_per_gpu_hour, Some(2.5));
    assert_eq!(offers[2].hardware.usd_per_gpu_hour, None);
}

#[test]
fn a_framework_limits_a_sweep() {
    let question = &samples()[0];
    let framework = emit::framework("megatron-lm").unwrap();
    let sweep = Sweep::new(question, &["h100-sxm", "a100-sxm-80g"], &[]).run_by(Some(framework));
    for offer in sweep {
        let found = offer.result.unwrap();
        assert!(framework.violations(&found.job, &found.plan).is_empty());
    }
}

fn answer(offer: &Tried) -> &Answer {
    &offer.result.as_ref().unwrap().answer
}

/// What a list ranks by: of a card without a known run the slow end.
fn usd(offer: &Tried) -> f64 {
    answer(offer).usd_per_mtok.unwrap_or(f64::MAX) * slower(answer(offer)).unwrap_or(1.0)
}

#[test]
fn offers_are_ranked_as_asked() {
    let question = &samples()[0];
    let offers: Vec<Tried> = Sweep::every_gpu(question).collect();
    let ranked = |objective| -> Vec<&Tried> {
        let places = measures::ranked(&offers, objective).unwrap();
        places.into_iter().map(|place| &offers[place]).collect()
    };
    let cheap = ranked(Objective::Cost);
    let fits = offers
        .iter()
        .filter(|offer| offer.result.as_ref().is_ok_and(|found| found.answer.fits));
    assert_eq!(cheap.len(), fits.count());
    // Equal to three digits is equal.
    assert!(cheap.is_sorted_by(|a, b| usd(a) <= usd(b) * 1.01));
    let fast = ranked(Objective::Time);
    let speed = |offer: &Tried| answer(offer).tokens_per_s / slower(answer(offer)).unwrap_or(1.0);
    assert!(fast.is_sorted_by(|a, b| speed(a) >= speed(b) * 0.99));
}

/// On 12 GPUs no framework runs a plan for a batch of 64, whatever such a plan would take: what some framework runs on 8 comes first.
#[test]
fn what_nobody_runs_is_ranked_last() {
    let question = asked(json!({"version": 1, "model": "mixtral-8x7b", "hardware": {"gpu": "b200-sxm", "gpus": 12},
        "workload": {"kind": "kto", "sequence_length": 2048, "global_batch": 64}}));
    let offers = Sweep::new(&question, &[], &[8, 12]).all();
    let runs: Vec<bool> = offers.iter().map(|own| answer(own).framework.is_some()).collect();
    assert_eq!(runs, [true, false]);
    assert!(answer(&offers[1]).step_time_s < answer(&offers[0]).step_time_s);
    for objective in [Objective::Time, Objective::Cost] {
        assert_eq!(measures::ranked(&offers, objective).unwrap(), [0, 1]);
    }
    assert_eq!(measures::front(&offers), [0]);
    let listed = Sweep::new(&question, &[], &[8, 12]).listed(Objective::Time, 1);
    assert!(listed.iter().any(|own| own.hardware.gpus == Some(8)));
}

/// Llama 2 has positions for 4,096 tokens: on few GPU types some framework trains it on 8,192 all the same.
#[test]
fn what_nobody_runs_is_left_out_by_its_time_and_what_somebody_runs_never() {
    let question = asked(json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "a100-sxm-80g", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 8192, "global_batch": 32}}));
    let sweep = Sweep::every_gpu(&question);
    let all: Vec<Tried> = (0..sweep.total()).filter_map(|place| sweep.at(place)).collect();
    let order = measures::ranked(&all, Objective::Time).unwrap();
    let runs = |place: &usize| answer(&all[*place]).framework.is_some();
    let run = order.iter().filter(|place| runs(place)).count();
    assert!((1..order.len() / 2).contains(&run), "{run} of {}", order.len());
    let (shown, others) = order.split_at(run + 5);
    let reached = Reached { seconds: answer(&all[shown[run + 4]]).step_time_s, usd: Some(0.0), runs: false };
    let put_off = |of: &[usize]| of.iter().filter(|place| !sweep.may_beat(**place, reached)).count();
    assert_eq!(put_off(shown), 0);
    assert!(put_off(others) > others.len() / 2, "{} of {}", put_off(others), others.len());
    // None takes no time: what somebody runs may be before what nobody does.
    let nothing = |runs| Reached { seconds: 0.0, runs, ..reached };
    let first = shown[0];
    assert!(sweep.may_beat(first, nothing(false)) && !sweep.may_beat(first, nothing(true)));
}

/// Hours and dollars of a run at the slow end of its interval.
fn at_worst(offer: &Tried) -> [f64; 2] {
    let answer = answer(offer);
    let run = answer.run.unwrap();
    let slow = |own: f64| answer.against_speed(own).map_or(own, |[_, slow]| slow);
    [slow(run.hours), run.usd.map_or(f64::MAX, slow)]
}

/// Under a deadline or a budget what keeps it at the slow end of its interval comes before what keeps it by the estimate alone,
/// and that before what does not; of each what is as sure to fit as asked before the others. So do a page's rows.
#[test]
fn what_keeps_a_limit_surely_comes_first() {
    let question = &samples()[0];
    let offers = Sweep::new(question, &catalog::gpus().iter().map(|gpu| gpu.id).collect::<Vec<_>>(), &[8, 16]).all();
    let fit: Vec<&Tried> = offers.iter().filter(|own| measures::fits(own)).collect();
    let by_estimate = |offer: &Tried| {
        let own = measures::Measures::of(answer(offer), &offer.result.as_ref().unwrap().job);
        own.run.map(|(hours, usd)| [hours, usd.unwrap_or(f64::MAX)]).unwrap()
    };
    for place in [0, 1] {
        let objective = |limit| match place {
            0 => Objective::CostWithin { hours: limit },
            _ => Objective::TimeWithin { usd: limit },
        };
        // What the estimate alone would choose is never as sure: a limit between its estimate and its slow end.
        let mut close = 0;
        for chosen in &fit {
            let [estimate, worst] = [by_estimate(chosen)[place], at_worst(chosen)[place]];
            if worst >= f64::MAX || worst <= estimate * 1.001 {
                continue;
            }
            let (limit, objective) = (estimate.midpoint(worst), objective(estimate.midpoint(worst)));
            let standing = |offer: &Tried| match (by_estimate(offer)[place] <= limit, at_worst(offer)[place] <= limit) {
                (_, true) => Standing::Keeps,
                (true, false) => Standing::Close,
                (false, false) => Standing::Beyond,
            };
            let rank = |offer: &Tried| (standing(offer), answer(offer).fit.state != FitState::Fits);
            let ranked = measures::ranked(&offers, objective).unwrap();
            let ranked: Vec<&Tried> = ranked.iter().map(|place| &offers[*place]).collect();
            assert!(ranked.iter().all(|own| measures::standing(own, objective) == standing(own)));
            let near = ranked.iter().filter(|own| standing(own) != Standing::Beyond);
            assert!(near.is_sorted_by_key(|own| rank(own)), "{limit}");
            assert!(ranked.is_sorted_by_key(|own| standing(own)));
            close += usize::from(standing(ranked[0]) == Standing::Keeps && standing(chosen) == Standing::Close);
            // The cheapest, or the fastest, of those that are as sure.
            let cost = |offer: &Tried| by_estimate(offer)[1 - place];
            let alike = ranked.iter().filter(|own| rank(own) == rank(ranked[0]));
            let best = alike.map(|own| cost(own)).fold(f64::MAX, f64::min);
            assert!(standing(ranked[0]) == Standing::Beyond || cost(ranked[0]) <= best * 1.01);
            // The rows of a page are in the same order.
            let limits = Limits::of(objective);
            let held = held(&offers, limits, place == 1);
            assert!(
                held.iter()
                    .map(|own| &offers[own.place])
                    .zip(&ranked)
                    .all(|(a, b)| std::ptr::eq(a, *b))
            );
            assert!(held.iter().all(|own| own.standing == standing(&offers[own.place])));
        }
        assert!(close > 3, "{close}");
    }
}

#[test]
fn the_fewest_gpus_are_found() {
    let question = &samples()[0];
    let counts = [1, 2, 4, 8, 16];
    let offers: Vec<Tried> = Sweep::new(question, &["h100-sxm", "l40s"], &counts).collect();
    let places = measures::ranked(&offers, Objective::Gpus).unwrap();
    let least = counts.into_iter().find(|count| {
        offers.iter().any(|offer| {
            offer.hardware.gpus == Some(*count) && offer.result.as_ref().is_ok_and(|found| found.answer.fits)
        })
    });
    assert_eq!(offers[places[0]].hardware.gpus, least);
}

/// What is listed without asking every machine is what asking every one lists, what just fits among it.
#[test]
fn machines_that_are_not_asked_would_not_be_listed() {
    let tight = presets::presets().iter().find(|own| own.id == "handbook-orpo-mixtral-8x22b");
    let tight = tight.and_then(|own| own.question()).unwrap();
    let hardware = HardwareSpec { market: Some(MarketSpec::default()), ..tight.hardware.clone() };
    let mut left_out = 0;
    for question in samples().into_iter().chain([Question { hardware, ..tight }]) {
        let all = Sweep::every_gpu(&question).by_offer().all();
        for objective in [Objective::Cost, Objective::Time] {
            let some = Sweep::every_gpu(&question).by_offer().listed(objective, 5);
            let machines = |of: &[Tried], places: Vec<usize>| -> Vec<HardwareSpec> {
                places.into_iter().map(|place| of[place].hardware.clone()).collect()
            };
            let best = |of: &[Tried]| {
                let mut places = measures::ranked(of, objective).unwrap();
                places.truncate(5);
                machines(of, places)
            };
            assert_eq!(best(&some), best(&all), "{objective:?}");
            let front = |of: &[Tried]| machines(of, measures::front(of));
            assert_eq!(front(&some), front(&all), "{objective:?}");
            left_out += all.len() - some.len();
        }
    }
    assert!(left_out > 0);
}

/// No offer of the front is beaten in both; every other one is.
#[test]
fn the_front_is_what_nothing_beats() {
    for question in samples() {
        let offers: Vec<Tried> = Sweep::every_gpu(&question).collect();
        let front = measures::front(&offers);
        let priced: Vec<usize> = (0..offers.len())
            .filter(|place| {
                let found = offers[*place].result.as_ref();
                found.is_ok_and(|found| found.answer.fits && found.answer.usd_per_mtok.is_some())
            })
            .collect();
        // Of a card without a known run both are of the slow end.
        let speed = |offer: &Tried| answer(offer).tokens_per_s / slower(answer(offer)).unwrap_or(1.0);
        let measures = |place: usize| (speed(&offers[place]), usd(&offers[place]));
        for place in &priced {
            let (speed, usd) = measures(*place);
            let beaten = priced.iter().any(|other| {
                let (fast, cheap) = measures(*other);
                fast >= speed && cheap <= usd && (fast > speed || cheap < usd)
            });
            assert_eq!(front.contains(place), !beaten, "{:?}", offers[*place].hardware);
        }
        assert!(!front.is_empty());
    }
}

/// A price that is all but nothing is one.
#[test]
fn the_smallest_price_is_ranked() {
    let mut question = samples()[0].clone();
    question.hardware.usd_per_gpu_hour = Some(5e-324);
    let offers: Vec<Tried> = Sweep::new(&question, &["h100-sxm", "l40s"], &[]).collect();
    let places = measures::ranked(&offers, Objective::Cost).unwrap();
    assert_eq!(offers[places[0]].hardware.gpu, "h100-sxm");
}

#[test]
fn a_deadline_needs_the_runs_tokens() {
    let mut question = samples()[0].clone();
    question.workload.tokens = None;
    let offers: Vec<Tried> = Sweep::new(&question, &["h100-sxm"], &[]).collect();
    let error = measures::ranked(&offers, Objective::CostWithin { hours: 1.0 }).unwrap_err();
    assert_eq!(error.field, "workload.run");
}

#[test]
fn what_closes_a_shortfall_closes_it() {
    let question = asked(json!({"version": 1, "model": "deepseek-v3", "hardware": {"gpu": "rtx-4090", "gpus": 8},
        "workload": {"kind": "pretrain", "sequence_length": 4096, "global_batch": 1024},
        "plan": {"backend": "fsdp", "offload": {}}}));
    assert!(!estimate(&question).unwrap().fits);
    let open = Question { plan: None, ..question.clone() };
    let closing = closing(&question);
    if let Some(more) = &closing.more {
        assert!(answer(more).fits);
        let half = more.hardware.gpus.unwrap() / 2;
        let mut fewer = open.clone();
        fewer.hardware.gpus = Some(half);
        assert!(half == 8 || !estimate(&fewer).unwrap().fits);
    }
    let other = closing.other.expect("some GPU type holds it on 8");
    assert!(answer(&other).fits && other.hardware.gpus == Some(8));
}

proptest! {
    #![proptest_config(cases(40))]

    /// Whatever the search leaves out, it says of how many plans it chose.
    #[test]
    fn plans_are_counted(Asked(question) in questions::question(Plan::Complete)) {
        prop_assume!(job::resolve(&question).is_ok());
        let open = Question { plan: None, ..question };
        if let Ok(found) = search(&open, None, 1) {
            prop_assert!(found.considered > 0 && found.evaluated > 0);
        }
    }
}

/// A type whose plans no framework runs, or none of which fits, changes nothing about the next.
#[test]
fn an_offer_does_not_depend_on_the_others() {
    for schedule in ["split", "one_step_off"] {
        let question = asked(json!({"version": 1, "model": "qwen3-30b-a3b", "hardware": {"gpu": "t4", "gpus": 16},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 128, "responses_per_prompt": 8,
                "max_prompt_length": 1024, "max_response_length": 4096, "mean_prompt_length": 300,
                "mean_response_length": 1365, "response_length_cv": 0.5, "mini_batch": 64, "schedule": schedule}}}));
        let gpus = ["t4", "mi210", "h100-sxm", "h200-sxm"];
        let plan = |offer: &Tried| offer.result.as_ref().ok().map(|found| json!(found.answer.plan));
        let together: Vec<_> = Sweep::new(&question, &gpus, &[]).map(|own| plan(&own)).collect();
        let alone = gpus.map(|gpu| Sweep::new(&question, &[gpu], &[]).next().and_then(|own| plan(&own)));
        assert_eq!(together, alone, "{schedule}");
    }
}

#[test]
fn an_engine_has_as_many_gpus_as_its_weights_need() {
    // 671 B parameters in bf16 are 1,250 GiB; 32 cards of 48 GiB hold them with no room for a cache worth having.
    let value = json!({
        "version": 1,
        "model": "deepseek-v3",
        "hardware": {"gpu": "rtx-a6000", "gpus": 64},
        "workload": {"kind": "rollout", "rollout": {
            "requests": 2048, "mean_prompt_length": 300, "mean_response_length": 2000,
        }},
    });
    let open = estimate(&question_from_value(value.clone()).unwrap()).unwrap();
    let mut value = value;
    value["plan"] = json!({"rollout": {
        "tensor_parallel": 4, "data_parallel": 16, "expert_parallel": 64,
    }});
    let stated = estimate(&question_from_value(value).unwrap()).unwrap();
    assert!(stated.fits);
    let (open, stated) = (open.step_time_s, stated.step_time_s);
    assert!(open <= stated * 1.015, "{open} s open, {stated} s stated");
}

#[test]
fn drives_that_the_search_takes_are_said() {
    let question = |ram: u32| {
        let value = json!({"version": 1, "model": "llama-3.1-70b", "hardware": {"gpu": "h100-sxm", "gpus": 8, "host_ram_gib": ram},
            "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}});
        estimate(&question_from_value(value).unwrap()).unwrap()
    };
    // 70.6 x 12 bytes of states are 790 GiB.
    for (ram, drives) in [(256, true), (4096, false)] {
        let answer = question(ram);
        assert_eq!(answer.plan.nvme_offload == Some(true), drives, "{ram}");
        assert_eq!(answer.caveats.iter().any(|own| own.id == "needs-drives"), drives, "{ram}");
    }
}
