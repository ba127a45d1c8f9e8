//! Estimates against published measurements of generation: servers of today's engines and batches of vLLM in 2024 and 2025.

use std::collections::BTreeMap;

use serde_json::json;
use shardwise_core::estimate;
use shardwise_core::wire::question_from_value;

use crate::generations;

use super::{Errors, Recorded, TOLERANCE};

const RECORD: &str = include_str!("../data/generation.toml");

/// Relative errors by engine.
fn measure() -> BTreeMap<&'static str, Errors> {
    let mut all: BTreeMap<&str, Errors> = BTreeMap::new();
    let early = generations::batches().filter(|run| run.engine == "early_vllm");
    for run in generations::servers().chain(early) {
        let answer = estimate(&run.asked()).unwrap_or_else(|error| panic!("{}: {error}", run.id));
        all.entry(run.engine)
            .or_default()
            .0
            .push(answer.tokens_per_s_per_gpu / run.rate - 1.0);
    }
    all
}

#[test]
fn generation_is_as_close_as_recorded() {
    let all = measure();
    let record: BTreeMap<String, Recorded> = toml::from_str(RECORD).unwrap();
    let mut fresh = String::new();
    let mut worse = Vec::new();
    for (engine, errors) in &all {
        println!("{}", errors.row(engine));
        fresh += &errors.record(&format!("{engine:?}"));
        fresh.push('\n');
        let Some(recorded) = record.get(*engine) else {
            worse.push(format!("{engine} is not on record"));
            continue;
        };
        assert_eq!(errors.0.len(), recorded.runs, "{engine}: runs were lost or added");
        for (figure, now, then) in [
            ("median", errors.median(), recorded.median),
            ("mean", errors.mean(), recorded.mean),
            ("p90", errors.p90(), recorded.p90),
        ] {
            if now > then + TOLERANCE {
                worse.push(format!("{engine}.{figure} was {then:.3} and is {now:.3}"));
            }
        }
    }
    assert!(
        worse.is_empty(),
        "{}\nWhere that is meant, write this to core/tests/data/generation.toml:\n{fresh}",
        worse.join("\n")
    );
}

/// What the project promises, whatever the record says.
#[test]
fn todays_engines_are_met() {
    let all = measure();
    let errors: Vec<f64> = ["vllm", "sglang"].iter().flat_map(|engine| all[engine].0.clone()).collect();
    let todays = Errors(errors);
    assert!(todays.0.len() >= 900 && todays.median() <= 0.1 && todays.bias().abs() <= 0.03, "{}", todays.row("both"));
    assert!(all["tensorrt_llm"].median() <= 0.15, "{}", all["tensorrt_llm"].row("TensorRT-LLM"));
}

/// Each model on each card of which there are twenty servers. `DeepSeek` on B300 is left out: its first tokens take 1.4 s for 4 requests and
/// 56 s for 128, on B200 0.3 s and 2.
#[test]
fn each_card_and_model_is_met() {
    let mut all: BTreeMap<(&str, &str), Errors> = BTreeMap::new();
    for run in generations::servers().filter(|run| ["vllm", "sglang"].contains(&run.engine)) {
        let answer = estimate(&run.asked()).unwrap_or_else(|error| panic!("{}: {error}", run.id));
        let errors = &mut all.entry((run.gpu, run.model)).or_default().0;
        errors.push(answer.tokens_per_s_per_gpu / run.rate - 1.0);
    }
    let (mut groups, mut narrow) = (0, 0);
    for ((gpu, model), errors) in all.iter().filter(|(_, errors)| errors.0.len() >= 20) {
        let row = errors.row(&format!("{model} on {gpu}"));
        assert!(errors.median() <= 0.15 || (*gpu, *model) == ("b300-sxm", "deepseek-v3"), "{row}");
        // Experts in mxfp4 alone: nothing else is quantised, and no kernel that would do it is waited for. With those it was 12 to 18 %.
        if *model == "gpt-oss-120b" {
            assert!(errors.bias().abs() <= 0.1, "{row}");
            narrow += 1;
        }
        groups += 1;
    }
    assert!(groups >= 12 && narrow == 3, "{groups} {narrow}");
}

/// Releases of vLLM before 0.12 are slower than today's on every preset that generates.
#[test]
fn an_older_engine_is_slower() {
    let with = |version: Option<&str>| {
        let mut rollout = json!({"tensor_parallel": 4, "max_num_seqs": 64});
        if let Some(version) = version {
            rollout["engine_version"] = json!(version);
        }
        let question = question_from_value(json!({
            "version": 1, "model": "llama-3.1-70b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "rollout", "rollout": {"requests": 512, "mean_prompt_length": 1024,
                "mean_response_length": 1024, "response_length_cv": 0}},
            "plan": {"rollout": rollout},
        }));
        estimate(&question.unwrap()).unwrap().step_time_s
    };
    let (todays, stated, older) = (with(None), with(Some("0.19.0")), with(Some("0.8.5.post1")));
    assert_eq!(todays, stated);
    assert!(older > todays * 1.05, "{older} {todays}");
}

/// A figure stands with where it is from and, where its source says, when it was taken.
#[test]
fn every_server_has_a_source_and_most_a_date() {
    let (mut dated, mut all) = (0, 0);
    for run in generations::servers() {
        let (source, address) = &run.source;
        assert!(!source.is_empty() && address.starts_with("https://"), "{}", run.id);
        let is_date = run.date.len() == "2026-04-17".len() && run.date.starts_with("202");
        assert!(is_date || run.date.is_empty(), "{}: {:?}", run.id, run.date);
        dated += usize::from(is_date);
        all += 1;
    }
    assert!(dated * 4 > all * 3, "{dated} of {all}");
}
