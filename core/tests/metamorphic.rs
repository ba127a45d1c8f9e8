//! How answers to two questions relate, whatever they are: more of the machine is never slower, more work never shorter,
//! and what a person states never beats what the search was free to choose.
//!
//! Each law is asked of questions as people ask them, their plans open, so that the search has to keep it too. A plan may
//! be slower than another by what simplicity may cost ([`AS_FAST`]).

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use shardwise_core::wire::{Answer, FitState, PlanSpec, Question, WorkloadKind, plan_to_value, question_from_value};
use shardwise_core::{catalog, estimate};

use crate::decisions::{AS_FAST, ROUNDED, question, text};
use crate::fuzz::survey;

/// How many questions a law is asked: few in every run, 2,000 in `make test-fuzz`.
const ASKED: (u32, u64) = (30, 2);

/// Laws that hold for every question.
const ALWAYS: usize = 0;
/// In a hundred questions, how many may break a law that a search which climbs from what it found keeps mostly: of 2,000 in
/// seed 2 at most 1 does (what is stated, network, memory, bandwidth, length). What breaks it is a plan that steps reach from
/// the other question's start alone.
const MOSTLY: usize = 1;

fn law(name: &str, allowed: usize, check: impl Fn(&Question) -> Option<String> + Sync) {
    let seed = std::env::var("SHARDWISE_SEED").map_or(2, |seed| seed.parse().unwrap());
    let (usual, share) = ASKED;
    survey((seed, allowed), (name, usual, share), &question(), |question| {
        let broken = check(question);
        let said = broken.map(|what| format!("{name}: {what}: {}", text(question)));
        said.into_iter().collect()
    });
}

fn fits(answer: &Answer) -> bool {
    answer.fit.state == FitState::Fits
}

/// The question with its GPU's figure `key` doubled; none where it has none.
fn doubled(question: &Question, key: &str) -> Option<Question> {
    let id = question.hardware.gpu.as_str()?;
    let gpu = catalog::gpu(id)?;
    let figures: &[(&str, Option<f64>)] = match key {
        "memory_gib" => &[("memory_gib", Some(gpu.memory_gib))],
        "hbm_gb_per_s" => &[("hbm_gb_per_s", Some(gpu.hbm_gb_per_s))],
        "nvlink_gb_per_s" => &[("nvlink_gb_per_s", Some(gpu.nvlink_gb_per_s))],
        _ => &[("bf16_dense_tflops", gpu.bf16_dense_tflops), ("fp8_dense_tflops", gpu.fp8_dense_tflops)],
    };
    let mut own = Map::new();
    own.insert("base".to_owned(), json!(id));
    for (key, figure) in figures {
        let figure = figure.filter(|figure| *figure > 0.0);
        own.extend(figure.map(|figure| ((*key).to_owned(), json!(2.0 * figure))));
    }
    let mut question = question.clone();
    question.hardware.gpu = Value::Object(own);
    Some(question)
}

/// Breaks where the better machine is slower, or what fitted no longer fits.
fn is_no_worse(question: &Question, better: &Question) -> Option<String> {
    let (was, now) = (estimate(question).ok()?, estimate(better).ok()?);
    if !fits(&was) {
        return None;
    }
    let slower = now.step_time_s / was.step_time_s;
    (!fits(&now) || slower > AS_FAST * ROUNDED)
        .then(|| format!("{slower} times as long, {:?}: {} became {}", now.fit.state, json!(was.plan), json!(now.plan)))
}

#[test]
fn a_card_of_twice_the_memory_is_never_slower() {
    law("memory", MOSTLY, |question| is_no_worse(question, &doubled(question, "memory_gib")?));
}

#[test]
fn a_card_of_twice_the_bandwidth_is_never_slower() {
    law("bandwidth", MOSTLY, |question| is_no_worse(question, &doubled(question, "hbm_gb_per_s")?));
}

#[test]
fn a_card_of_twice_the_peak_is_never_slower() {
    law("peak", MOSTLY, |question| is_no_worse(question, &doubled(question, "tflops")?));
}

#[test]
fn twice_the_nvlink_is_never_slower() {
    law("NVLink", MOSTLY, |question| is_no_worse(question, &doubled(question, "nvlink_gb_per_s")?));
}

#[test]
fn twice_the_network_is_never_slower() {
    law("network", MOSTLY, |question| {
        let of = |gbit: f64| {
            let mut question = question.clone();
            question.hardware.internode_gbit_per_s_per_gpu = Some(gbit);
            question
        };
        is_no_worse(&of(200.0), &of(400.0))
    });
}

/// Breaks where what is asked more leniently, or of a better machine, is less likely to fit than the other, and than is asked; of
/// plans that rather fit than not, where it takes more seconds for each chance that it fits.
fn is_no_less_likely(question: &Question, better: &Question) -> Option<String> {
    let (was, now) = (estimate(question).ok()?, estimate(better).ok()?);
    let least = was.fit.probability.min(now.fit.confidence);
    let per_chance = |of: &Answer| of.step_time_s / of.fit.probability;
    let cheaper = now.fits && per_chance(&now) <= per_chance(&was) * AS_FAST;
    // Of what hardly ever fits the one is answered that lacks least.
    (now.fit.probability < least - 1e-3 && !cheaper).then(|| {
        format!(
            "{} became {}: {} became {}",
            was.fit.probability,
            now.fit.probability,
            json!(was.plan),
            json!(now.plan)
        )
    })
}

fn of_host_memory(question: &Question, gib: f64) -> Question {
    let mut question = question.clone();
    question.hardware.host_ram_gib = Some(gib);
    question
}

#[test]
fn a_node_of_more_host_memory_is_never_less_likely_to_fit() {
    let of = of_host_memory;
    law("host memory", MOSTLY, |question| is_no_less_likely(&of(question, 300.0), &of(question, 600.0)));
}

#[test]
fn who_asks_to_be_less_sure_gets_no_less_likely_a_plan() {
    law("confidence", MOSTLY, |question| {
        let of = |confidence: f64| {
            let mut question = question.clone();
            question.confidence = Some(confidence);
            question
        };
        is_no_less_likely(&of(0.99), &of(0.8))
    });
}

/// Spreads differ from one back end to the next: what lacks less as surely as asked may be far less likely.
#[test]
fn of_plans_none_of_which_is_sure_enough_the_likeliest_answers() {
    for (gpu, gpus) in [("h100-sxm", 1), ("a100-sxm-40g", 2)] {
        let question =
            question_from_value(json!({"version": 1, "model": "phi-4", "hardware": {"gpu": gpu, "gpus": gpus},
            "workload": {"kind": "dpo", "sequence_length": 131_072, "global_batch": 32}}));
        let question = question.unwrap();
        let of = |gib: f64| of_host_memory(&question, gib);
        assert_eq!(is_no_less_likely(&of(340.0), &of(500.0)), None);
        assert!(estimate(&of(500.0)).unwrap().fit.probability > 0.5);
    }
}

/// A node has some twenty times a card's memory, and what it holds is known less well: GiB for GiB a plan that host memory may hold
/// came after one that no card holds.
#[test]
fn host_memory_that_may_do_comes_before_a_card_that_never_does() {
    let asked = |plan: Value| {
        question_from_value(json!({"version": 1, "model": "deepseek-v3", "hardware": {"gpu": "h100-sxm", "gpus": 64, "host_ram_gib": 2304},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 128, "responses_per_prompt": 8, "max_prompt_length": 1024,
                "max_response_length": 4096}}, "plan": plan}))
        .unwrap()
    };
    let of_what_is_moved = asked(json!({"optimizer_offload_fraction": 1.0, "offload": {"parameters": true}}));
    assert_eq!(is_no_less_likely(&of_what_is_moved, &asked(json!({}))), None);
    assert!(estimate(&of_what_is_moved).unwrap().fit.probability > 0.5);
}

#[test]
fn a_plan_that_is_stated_in_part_is_not_likelier_to_fit_than_the_searched() {
    law("stated offload", MOSTLY, |question| {
        let mut stated = question.clone();
        let offload = &mut stated.plan.get_or_insert_default().offload;
        if offload.is_some() {
            return None;
        }
        *offload = Some(serde_json::from_value(json!({"parameters": true, "optimizer": true})).unwrap());
        is_no_less_likely(&stated, question)
    });
}

/// Breaks where more work takes less time.
fn is_no_shorter(question: &Question, more: &Question) -> Option<String> {
    let (was, now) = (estimate(question).ok()?, estimate(more).ok()?);
    // Where no framework runs any plan the answer is one that nobody runs, of which there are more.
    let refused = was.framework.is_some() && now.framework.is_none();
    if !(fits(&was) && fits(&now)) || refused {
        return None;
    }
    let shorter = was.step_time_s / now.step_time_s;
    (shorter > AS_FAST * ROUNDED)
        .then(|| format!("{shorter} times as fast: {} became {}", json!(was.plan), json!(now.plan)))
}

/// The question with a batch that so many GPUs share evenly. One that they cannot share, or with fewer sequences than
/// GPUs, leaves few plans that frameworks run: those of a neighbour may well be faster.
fn shared_by(question: &Question, gpus: u64) -> Question {
    let mut question = question.clone();
    let batch = &mut question.workload.global_batch;
    *batch = batch.map(|batch| batch.next_multiple_of(gpus));
    question
}

#[test]
fn twice_the_batch_is_never_shorter() {
    law("batch", ALWAYS, |question| {
        let mut more = question.clone();
        if let Some(rl) = &mut more.workload.rl {
            rl.prompts_per_step = rl.prompts_per_step.map(|prompts| 2 * prompts);
        } else if let Some(own) = &mut more.workload.rollout {
            own.requests = own.requests.map(|requests| 2 * requests);
        } else {
            let once = shared_by(question, question.hardware.gpus?);
            more.workload.global_batch = Some(2 * once.workload.global_batch?);
            return is_no_shorter(&once, &more);
        }
        is_no_shorter(question, &more)
    });
}

#[test]
fn twice_the_length_is_never_shorter() {
    law("length", MOSTLY, |question| {
        let mut more = question.clone();
        let workload = &mut more.workload;
        workload.sequence_length = Some(2 * workload.sequence_length?);
        workload.mean_sequence_length = workload.mean_sequence_length.map(|mean| 2.0 * mean);
        is_no_shorter(question, &more)
    });
}

#[test]
fn twice_the_layers_are_never_shorter() {
    law("layers", ALWAYS, |question| {
        let shape = &catalog::model(question.model.as_str()?)?.shape;
        if shape.num_experts > 0 || shape.is_mla() {
            return None;
        }
        let of = |layers: u64| {
            let mut question = question.clone();
            question.model = json!({"hidden_size": shape.hidden_size, "num_hidden_layers": layers,
                "intermediate_size": shape.intermediate_size, "num_attention_heads": shape.num_attention_heads,
                "num_key_value_heads": shape.num_key_value_heads, "vocab_size": shape.vocab_size, "gated_mlp": true,
                "tie_word_embeddings": false});
            question
        };
        let layers = shape.num_hidden_layers;
        is_no_shorter(&of(layers), &of(2 * layers))
    });
}

#[test]
fn twice_the_gpus_make_no_fewer_tokens() {
    law("GPUs", MOSTLY, |question| {
        let gpus = 2 * question.hardware.gpus?;
        let question = &shared_by(question, gpus);
        let mut more = question.clone();
        more.hardware.gpus = Some(gpus);
        let (was, now) = (estimate(question).ok()?, estimate(&more).ok()?);
        if !fits(&was) {
            return None;
        }
        let fewer = was.tokens_per_s / now.tokens_per_s;
        (!fits(&now) || fewer > 1.01 * AS_FAST).then(|| {
            format!(
                "{fewer} times as many before, {:?} now: {} became {}",
                now.fit.state,
                json!(was.plan),
                json!(now.plan)
            )
        })
    });
}

/// Parts of plans as people state them.
fn parts() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"backend": "megatron"}),
        json!({"backend": "fsdp"}),
        json!({"backend": "deepspeed"}),
        json!({"recompute": "full"}),
        json!({"recompute": "none"}),
        json!({"micro_batch": 1}),
        json!({"micro_batch": 4}),
        json!({"tensor_parallel": 1}),
        json!({"tensor_parallel": 2}),
        json!({"tensor_parallel": 8}),
        json!({"pipeline_parallel": 2}),
        json!({"context_parallel": 2}),
        json!({"expert_parallel": 8}),
        json!({"zero_stage": 2}),
        json!({"fused_lm_head": true}),
        json!({"offload": {"optimizer": true}}),
        json!({"rollout": {"tensor_parallel": 2}}),
        json!({"rollout": {"gpu_memory_utilization": 0.7}}),
    ])
}

/// Sizes that divide nodes of three, five or nine.
fn odd_parts() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"tensor_parallel": 3}),
        json!({"tensor_parallel": 6}),
        json!({"pipeline_parallel": 3}),
        json!({"context_parallel": 3}),
        json!({"context_parallel": 6}),
        json!({"ulysses_parallel": 3}),
        json!({"ulysses_parallel": 8}),
        json!({"expert_parallel": 3}),
        json!({"rollout": {"data_parallel": 3}}),
    ])
}

#[test]
fn what_is_stated_never_beats_what_is_open() {
    is_not_beaten("stated", (question(), parts()).boxed());
}

/// The same where the GPUs are no power of two, whatever divides them.
#[test]
fn what_is_stated_never_beats_what_is_open_on_any_number_of_gpus() {
    let gpus = select(vec![3_u64, 6, 12, 20, 24, 40, 48, 72, 96, 144]);
    let asked = (question(), gpus, prop_oneof![parts().boxed(), odd_parts().boxed()]);
    let asked = asked.prop_map(|(mut question, gpus, part)| {
        question.hardware.gpus = Some(gpus);
        (question, part)
    });
    is_not_beaten("stated on odd GPUs", asked.boxed());
}

/// That what is asked without a plan is answered as well as with a part of one stated.
fn is_not_beaten(name: &str, asked: BoxedStrategy<(Question, Value)>) {
    let seed = std::env::var("SHARDWISE_SEED").map_or(2, |seed| seed.parse().unwrap());
    let (usual, share) = ASKED;
    survey((seed, MOSTLY), (name, usual, share), &asked, |(question, part)| {
        let stated = Question { plan: Some(serde_json::from_value(part.clone()).unwrap()), ..question.clone() };
        let (Ok(open), Ok(own)) = (estimate(question), estimate(&stated)) else {
            return Vec::new();
        };
        // Plans that nobody runs are another question's.
        if !fits(&own) || own.framework.is_none() {
            return Vec::new();
        }
        let gain = open.step_time_s / own.step_time_s;
        if fits(&open) && gain <= AS_FAST * ROUNDED {
            return Vec::new();
        }
        vec![format!(
            "stated: {part} is {gain} times as fast, {} and not {}: {}",
            json!(own.plan),
            json!(open.plan),
            text(question)
        )]
    });
}

/// The question with the plan of its answer, of which `change` makes another.
fn with_plan(
    question: &Question,
    answer: &Answer,
    change: impl FnOnce(&mut PlanSpec) -> Option<()>,
) -> Option<Question> {
    let mut plan = answer.plan.clone();
    change(&mut plan)?;
    let mut question = question.clone();
    if let (Some(rl), Some(split)) = (&mut question.workload.rl, &answer.split) {
        rl.train_gpus = Some(split.train_gpus.into());
    }
    question.plan = Some(plan);
    Some(question)
}

#[test]
fn twice_the_token_budget_never_needs_less_memory() {
    law("budget", ALWAYS, |question| {
        let was = estimate(question).ok()?;
        let more = with_plan(question, &was, |plan| {
            plan.max_tokens_per_gpu = Some(2 * plan.max_tokens_per_gpu?);
            Some(())
        })?;
        let now = estimate(&more).ok()?;
        let (before, after) = (was.memory.reserved_gib, now.memory.reserved_gib);
        (after < before * (1.0 - 1e-9)).then(|| format!("{before} GiB became {after}"))
    });
}

#[test]
fn full_recomputation_never_needs_more_memory() {
    law("recomputation", ALWAYS, |question| {
        if question.workload.kind == WorkloadKind::Rollout {
            return None;
        }
        let own = estimate(question).ok()?;
        let of = |recompute: &str| {
            with_plan(question, &own, |plan| {
                let mut value = plan_to_value(plan);
                value["recompute"] = json!(recompute);
                *plan = serde_json::from_value(value).ok()?;
                Some(())
            })
        };
        let (none, full) = (estimate(&of("none")?).ok()?, estimate(&of("full")?).ok()?);
        let (before, after) = (none.memory.reserved_gib, full.memory.reserved_gib);
        (after > before * (1.0 + 1e-9)).then(|| format!("{before} GiB became {after}"))
    });
}
