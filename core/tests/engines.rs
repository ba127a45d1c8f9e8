//! The engines of older releases: a question that names one is asked of the engine of its time.

use serde_json::{Value, json};
use shardwise_core::wire::{Engine, EngineVersion, question_from_value};
use shardwise_core::{engines, evaluate, framework, job};

/// What generation of an RL step answers on a release of veRL, with these fields of its engine.
fn asked(release: Option<&str>, rollout: Value) -> (Option<EngineVersion>, f64) {
    let mut engine = json!({"tensor_parallel": 1});
    for (key, value) in rollout.as_object().unwrap() {
        engine[key] = value.clone();
    }
    let mut question = json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "framework": "verl", "framework_version": release,
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 128, "responses_per_prompt": 8, "mini_batch": 64,
            "max_prompt_length": 1024, "max_response_length": 3072}},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
            "max_tokens_per_gpu": 8192, "recompute": "full"}});
    question["plan"]["rollout"] = engine;
    let question = question_from_value(question).unwrap();
    let found = evaluate(&question).unwrap();
    let version = found.plan.rollout.unwrap().engine_version;
    assert_eq!(found.answer.plan.rollout.unwrap().engine_version, version, "the answer's plan is complete");
    (version, found.answer.step_time_s)
}

#[test]
fn an_older_release_generates_by_the_engine_of_its_time() {
    let own = EngineVersion::new(0, 8, 5);
    let older = asked(Some("0.4.1"), json!({}));
    assert_eq!(older.0, Some(own));
    assert_eq!(older, asked(None, json!({"engine_version": "0.8.5"})));
    let today = asked(None, json!({}));
    assert!((older.1 / today.1 - 1.0).abs() > 1e-3, "an engine of another generation: {older:?} {today:?}");
    // What is stated holds; SGLang's is another.
    assert_eq!(asked(Some("0.4.1"), json!({"engine_version": "0.11.0"})).0, Some(EngineVersion::new(0, 11, 0)));
    assert_eq!(asked(Some("0.5.0"), json!({"engine": "sglang"})).0, Some(EngineVersion::new(0, 4, 6)));
}

#[test]
fn the_newest_release_generates_by_todays_engine() {
    let today = asked(None, json!({}));
    assert_eq!(today.0, None);
    assert_eq!(today, asked(Some(framework::VERL.versions[0]), json!({})));
    for named in framework::NAMES {
        for engine in Engine::ALL {
            let newest = job::Chosen { id: named.id, version: named.versions[0] };
            assert_eq!(engines::version(newest, engine), None, "{}", named.id);
        }
    }
}

#[test]
fn every_older_release_of_verl_has_its_engines() {
    let mut last = None;
    for version in framework::VERL.versions.iter().skip(1).rev() {
        let release = job::Chosen { id: framework::VERL.id, version };
        let own = [Engine::Vllm, Engine::Sglang].map(|engine| engines::version(release, engine));
        assert!(own.iter().all(Option::is_some), "{version}");
        assert!(last.is_none_or(|last| last <= own), "{version}: {own:?} after {last:?}");
        last = Some(own);
    }
}

/// Of AMD's cards runs of vLLM's first engine are known alone: beside later ones that is said, beside that it is not; and the kernel
/// that it was slow with went with it.
#[test]
fn what_is_known_of_amds_cards_is_of_2024() {
    let generated = |gpu: &str, slots: u64, version: Value| {
        let question = json!({"version": 1, "model": "pythia-6.9b", "hardware": {"gpu": gpu, "gpus": 1},
            "workload": {"kind": "rollout", "rollout": {"requests": 512, "mean_prompt_length": 1000, "mean_response_length": 1000}},
            "plan": {"rollout": {"tensor_parallel": 1, "max_num_seqs": slots, "engine_version": version}}});
        let answer = evaluate(&question_from_value(question).unwrap()).unwrap().answer;
        (answer.caveats.iter().any(|own| own.id == "engine-of-2024"), answer.step_time_s)
    };
    assert!(generated("mi300x", 64, Value::Null).0 && generated("mi300x", 64, json!("0.11.0")).0);
    assert!(!generated("mi300x", 64, json!("0.6.3")).0);
    assert!(!generated("h100-sxm", 64, Value::Null).0);
    // 512 heads, and twice as many: more at a time are slower by that kernel alone.
    for version in [Value::Null, json!("0.11.0")] {
        let [few, many] = [16, 32].map(|slots| generated("mi300x", slots, version.clone()).1);
        assert!(many < few, "{version}: {many} s with 32 sequences, {few} s with 16");
    }
    let [few, many] = [16, 32].map(|slots| generated("mi300x", slots, json!("0.6.3")).1);
    assert!(many > few, "{many} s with 32 sequences, {few} s with 16");
}

/// Seconds that `requests` of this prompt and response take, all at once.
fn seconds((model, gpu, gpus): (Value, &str, u32), precision: &str, rollout: Value, sizes: [u32; 3]) -> f64 {
    let [requests, prompt, response] = sizes;
    let mut plan = json!({"tensor_parallel": gpus, "max_num_seqs": requests});
    for (key, value) in rollout.as_object().unwrap() {
        plan[key] = value.clone();
    }
    let question = json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"kind": "rollout", "precision": precision, "rollout": {"requests": requests,
            "mean_prompt_length": prompt, "mean_response_length": response, "response_length_cv": 0}},
        "plan": {"rollout": plan}});
    evaluate(&question_from_value(question).unwrap()).unwrap().answer.step_time_s
}

/// What AMD's cards are slow in, as others measured it: a layer's launches show with one sequence, experts with many
/// (<https://github.com/sgl-project/sglang/pull/31044>; times per token at 500 tokens, the mean of its lengths); and what vLLM of 2024
/// was slow in besides is over since 0.11 (AMD's own table, `data/newcomers.jsonl`).
#[test]
fn amds_cards_are_met_with_one_sequence_and_with_many() {
    let engine = |experts: u32| json!({"engine": "sglang", "expert_parallel": experts, "kv_cache_dtype": "fp8"});
    for (gpus, at_once, measured) in [(2, 1, 0.01494), (2, 16, 0.0318), (4, 64, 0.04248), (4, 256, 0.07172)] {
        let one = seconds((json!("minimax-m2.5"), "mi300x", gpus), "fp8", engine(gpus), [at_once, 8, 500]) / 500.0;
        let off = one / measured;
        assert!((0.65..1.2).contains(&off), "{at_once} at once: {off} of what was measured");
    }
    let stated = json!({"engine_version": "0.11.1"});
    let off = seconds((json!("llama-3.1-70b"), "mi300x", 8), "fp8", stated, [2000, 500, 2000]) / 352.5;
    assert!((0.7..1.6).contains(&off), "{off} of what was measured");
}

/// Qwen3 with one sequence on an H20, of whose tensor cores a tile of 64 rows asks more than its memory takes to read the weights
/// (<https://github.com/QwenLM/Qwen3/blob/7a2f61ffc7a20d47efcd2bf97f6f2bf52729042e/docs/source/getting_started/speed_benchmark.md>).
#[test]
fn an_h20_is_met_with_one_sequence() {
    for (model, measured) in [("qwen3-8b", 81.73), ("qwen3-32b", 20.72)] {
        let speed = 2048.0 / seconds((json!(model), "h20", 1), "bf16", json!({"engine": "sglang"}), [1, 1, 2048]);
        assert!((speed / measured - 1.0).abs() < 0.2, "{model}: {speed} tokens a second, {measured} were measured");
    }
}

/// A norm over all heads is an all-reduce more in each layer where ranks have some of them each.
#[test]
fn norms_over_all_heads_wait_for_other_ranks() {
    let one = |normed: bool, gpus: u32| {
        let model = json!({"model_type": "minimax_m2", "use_qk_norm": normed, "hidden_size": 3072, "intermediate_size": 1536,
            "num_hidden_layers": 62, "num_attention_heads": 48, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 200_064,
            "num_local_experts": 256, "num_experts_per_tok": 8, "max_position_embeddings": 196_608});
        seconds((model, "b200-sxm", gpus), "fp8", json!({}), [1, 1, 1000]) / 1000.0
    };
    let beside = |gpus: u32| one(true, gpus) - one(false, gpus);
    assert!(beside(8) > 62.0 * 2e-6, "{}", beside(8));
}
