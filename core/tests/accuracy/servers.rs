//! Estimates against published measurements of generation: servers of today's engines and batches of vLLM in 2024 and 2025.

use std::collections::BTreeMap;

use serde_json::json;
use shardwise_core::estimate;
use shardwise_core::wire::{Question, question_from_value};

use super::{Errors, Recorded, TOLERANCE};

const SERVERS: &str = include_str!("../data/serving.csv");
const BATCHES: &str = include_str!("../data/rollout.csv");
const RECORD: &str = include_str!("../data/generation.toml");

fn rows(text: &'static str, doubt: usize) -> impl Iterator<Item = Vec<&'static str>> {
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| line.split(',').collect::<Vec<_>>())
        .filter(move |cells| cells[doubt].is_empty())
}

fn number(cells: &[&str], place: usize) -> f64 {
    cells[place].parse().unwrap_or_else(|error| panic!("{}: {error}", cells[0]))
}

/// The question of a measurement: model, GPU, its GPUs, requests and their lengths, and how its engine is laid out.
fn question(of: [&str; 3], [gpus, requests, prompt, response]: [f64; 4], rollout: serde_json::Value) -> Question {
    let [model, gpu, precision] = of;
    question_from_value(json!({
        "version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"kind": "rollout", "precision": precision, "rollout": {"requests": requests,
            "mean_prompt_length": prompt, "mean_response_length": response, "response_length_cv": 0}},
        "plan": {"rollout": rollout},
    }))
    .unwrap_or_else(|error| panic!("{error}"))
}

/// Relative errors by engine.
fn measure() -> BTreeMap<&'static str, Errors> {
    let mut all: BTreeMap<&str, Errors> = BTreeMap::new();
    let mut add = |engine, question: &Question, rate: f64| {
        let answer = estimate(question).unwrap_or_else(|error| panic!("{error}"));
        all.entry(engine).or_default().0.push(answer.tokens_per_s_per_gpu / rate - 1.0);
    };
    for cells in rows(SERVERS, 16) {
        let at = |place| number(&cells, place);
        let (gpus, response, at_once) = (at(7), at(11), at(12));
        let plan =
            json!({"engine": cells[3], "tensor_parallel": at(8), "expert_parallel": at(9), "max_num_seqs": at_once});
        let question = question([cells[5], cells[6], cells[13]], [gpus, at_once, at(10), response], plan);
        add(cells[3], &question, at_once * response / (at(14) + response * at(15)) * 1000.0 / gpus);
    }
    for cells in rows(BATCHES, 13).filter(|cells| cells[2] == "vLLM") {
        let at = |place| number(&cells, place);
        let plan = json!({"engine_version": "0.6.0", "tensor_parallel": at(6), "max_num_seqs": at(10)});
        let question = question([cells[3], cells[4], cells[11]], [at(5), at(9), at(7), at(8)], plan);
        add("vllm before 0.12", &question, at(12));
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

/// Releases of vLLM before 0.12 are slower than today's on every preset that generates.
#[test]
fn an_older_engine_is_slower() {
    let with = |version: Option<&str>| {
        let mut rollout = json!({"tensor_parallel": 4, "max_num_seqs": 64});
        if let Some(version) = version {
            rollout["engine_version"] = json!(version);
        }
        let question = question(["llama-3.1-70b", "h100-sxm", "bf16"], [8.0, 512.0, 1024.0, 1024.0], rollout);
        estimate(&question).unwrap_or_else(|error| panic!("{error}")).step_time_s
    };
    let (todays, stated, older) = (with(None), with(Some("0.19.0")), with(Some("0.8.5.post1")));
    assert_eq!(todays, stated);
    assert!(older > todays * 1.05, "{older} {todays}");
}
