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

/// Of AMD's cards runs of 2024 are known alone: beside today's engines that is said, beside those of their time it is not; and
/// the kernel that they were slow with is of their time too.
#[test]
fn what_is_known_of_amds_cards_is_of_2024() {
    let generated = |gpu: &str, slots: u64, version: Value| {
        let question = json!({"version": 1, "model": "pythia-6.9b", "hardware": {"gpu": gpu, "gpus": 1},
            "workload": {"kind": "rollout", "rollout": {"requests": 512, "mean_prompt_length": 1000, "mean_response_length": 1000}},
            "plan": {"rollout": {"tensor_parallel": 1, "max_num_seqs": slots, "engine_version": version}}});
        let answer = evaluate(&question_from_value(question).unwrap()).unwrap().answer;
        (answer.caveats.iter().any(|own| own.id == "engine-of-2024"), answer.step_time_s)
    };
    assert!(generated("mi300x", 64, Value::Null).0);
    assert!(!generated("mi300x", 64, json!("0.6.3")).0);
    assert!(!generated("h100-sxm", 64, Value::Null).0);
    // 512 heads, and twice as many: more at a time are slower by that kernel alone.
    let [few, many] = [16, 32].map(|slots| generated("mi300x", slots, Value::Null).1);
    assert!(many < few, "{many} s with 32 sequences, {few} s with 16");
    let [few, many] = [16, 32].map(|slots| generated("mi300x", slots, json!("0.6.3")).1);
    assert!(many > few, "{many} s with 32 sequences, {few} s with 16");
}
