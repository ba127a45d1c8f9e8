//! What a card holds while the engine takes new weights over: as each framework gathers them.

use serde_json::{Value, json};
use shardwise_core::wire::{Answer, FitState, MemoryParts, question_from_value};
use shardwise_core::{emit, estimate, flags, methods};

const PHASE: &str = "weight_sync";

/// A colocated step of adapters with ZeRO-3 on 8 H100, whose engine sleeps and splits over 4 GPUs.
fn zero(framework: &str, model: &str) -> Value {
    json!({
        "version": 1, "model": model, "framework": framework,
        "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "grpo", "packing": false, "lora": {"rank": 16}, "rl": {
            "prompts_per_step": 16, "responses_per_prompt": 8, "max_prompt_length": 1024, "max_response_length": 1024
        }},
        "plan": {
            "backend": "deepspeed", "zero_stage": 3, "micro_batch": 1, "recompute": "full",
            "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "ulysses_parallel": 1, "expert_parallel": 1,
            "offload": {"parameters": false, "gradients": false, "optimizer": false}, "fused_lm_head": false,
            "rollout": {"tensor_parallel": 4, "gpu_memory_utilization": 0.5, "max_num_seqs": 256}
        }
    })
}

fn with(mut question: Value, path: &str, value: impl Into<Value>) -> Value {
    *question.pointer_mut(path).unwrap() = value.into();
    question
}

fn planned(mut question: Value, key: &str, value: impl Into<Value>) -> Value {
    question["plan"][key] = value.into();
    question
}

fn answer(question: Value) -> Answer {
    estimate(&question_from_value(question).unwrap()).unwrap()
}

fn parts(answer: &Answer) -> MemoryParts {
    let mut phases = answer.memory.phases.iter();
    phases.find(|own| own.name == PHASE).unwrap().parts
}

const GIB: f64 = 1_073_741_824.0;

/// GiB of a model's weights in 16 bits.
fn whole(model: &str) -> f64 {
    let model = shardwise_core::model::resolve_model(&model.into(), "model").unwrap();
    2.0 * model.parameters.total as f64 / GIB
}

#[test]
fn ms_swift_gathers_the_whole_model_beside_the_engine_unless_it_goes_in_batches() {
    let asked = zero("ms-swift", "qwen2.5-32b");
    let all = answer(asked.clone());
    let gathered = whole("qwen2.5-32b");
    assert!(parts(&all).parameters > gathered, "{:?} of {gathered}", parts(&all));
    assert!((parts(&all).rollout_weights - gathered / 4.0).abs() < 0.5);
    assert_eq!((all.fit.state, all.fit.phase), (FitState::No, PHASE));
    // https://github.com/modelscope/ms-swift/issues/7986: 64 GB of 32 billion weights, before any batch is sent.
    let batches = answer(planned(asked, "weight_sync_parts", 16));
    assert!((parts(&all).parameters - parts(&batches).parameters - gathered * 15.0 / 16.0).abs() < 1e-6);
    assert_eq!(batches.fit.state, FitState::Fits);
}

#[test]
fn trl_merges_adapters_into_the_whole_model_and_hands_weights_that_train_over_one_by_one() {
    let adapters = answer(zero("trl", "qwen2.5-14b"));
    assert!(parts(&adapters).parameters > whole("qwen2.5-14b"));
    let full = answer(with(zero("trl", "qwen2.5-14b"), "/workload/lora", Value::Null));
    assert!(parts(&full).parameters < 0.5 * whole("qwen2.5-14b"));
}

#[test]
fn verl_takes_adapters_layer_by_layer_unless_the_whole_model_is_summoned() {
    let asked = planned(with(zero("verl", "qwen2.5-7b"), "/plan/zero_stage", 3), "backend", "fsdp");
    let layer = answer(asked.clone());
    let all = answer(planned(asked.clone(), "weight_sync_parts", 1));
    let more = parts(&all).parameters - parts(&layer).parameters;
    assert!((more - whole("qwen2.5-7b") * 27.0 / 28.0).abs() < 1e-6, "{more}");
    // The texts say which of the two it is.
    let text = |question| {
        let verl = emit::framework("verl").unwrap();
        let texts = flags(&question_from_value(question).unwrap(), verl, verl.versions[0], "").unwrap();
        texts.unwrap().into_iter().map(|own| own.text).collect::<String>()
    };
    assert!(text(asked.clone()).contains("layered_summon=True"));
    assert!(!text(planned(asked, "weight_sync_parts", 1)).contains("layered_summon"));
}

#[test]
fn the_cache_wakes_after_the_weights() {
    let asked = planned(with(zero("verl", "qwen2.5-7b"), "/workload/lora", Value::Null), "backend", "fsdp");
    let mut awake = asked.clone();
    awake["plan"]["rollout"]["free_cache"] = false.into();
    let (asleep, awake) = (answer(asked), answer(awake));
    let rollout = |answer: &Answer| answer.memory.phases[0].parts.kv_cache;
    assert_eq!(parts(&asleep).kv_cache, 0.0);
    assert_eq!(parts(&awake).kv_cache, rollout(&awake));
}

#[test]
fn weights_come_back_from_host_memory_to_be_handed_over() {
    let full = planned(with(zero("verl", "qwen2.5-7b"), "/workload/lora", Value::Null), "backend", "fsdp");
    let away = json!({"parameters": true, "gradients": true, "optimizer": true});
    let (here, away) = (answer(full.clone()), answer(planned(full, "offload", away)));
    assert_eq!(parts(&here).parameters, parts(&away).parameters);
    assert!(parts(&here).optimizer > 0.0);
    assert_eq!(parts(&away).optimizer, 0.0);
}

#[test]
fn an_engine_with_gpus_of_its_own_leaves_the_whole_model_alone() {
    let apart = |framework| {
        let mut asked = zero(framework, "qwen2.5-7b");
        asked["workload"]["rl"]["schedule"] = "split".into();
        asked["workload"]["rl"]["train_gpus"] = 4.into();
        answer(asked)
    };
    let own = parts(&apart("ms-swift"));
    assert!(own.parameters > whole("qwen2.5-7b") && own.rollout_weights == 0.0);
    let phases = apart("openrlhf").memory.phases;
    assert!(phases.iter().all(|own| own.name != PHASE));
}

#[test]
fn the_search_keeps_within_it() {
    let mut asked = zero("trl", "qwen2.5-14b");
    asked["plan"] = json!({"backend": "deepspeed", "zero_stage": 3});
    let best = answer(asked);
    let (own, card) = (parts(&best), best.memory.capacity_gib);
    assert!(best.fits && own.total() < card, "{own:?}");
    assert!(own.parameters > whole("qwen2.5-14b"));
}

#[test]
fn every_figure_of_it_is_explained() {
    for asked in [zero("ms-swift", "qwen2.5-7b"), zero("trl", "qwen2.5-7b"), zero("verl", "qwen2.5-7b")] {
        let found = shardwise_core::evaluate(&question_from_value(asked).unwrap()).unwrap();
        let figures = methods::figures(&found);
        let own: Vec<_> = figures.iter().filter(|own| own.starts_with("memory.weight_sync.")).collect();
        assert!(own.len() >= 3, "{own:?}");
        for figure in own {
            let explained = methods::explain(&found, figure).unwrap();
            assert!(!explained.formula.is_empty(), "{figure}");
        }
    }
}
