//! The published generation runs of `core/tests/data/rollout.csv` (batches, from the first request to the last) and `serving.csv`
//! (servers under a steady load), shared by the tests and `examples/fit`.

use serde_json::{Value, json};
use shardwise_core::rollout::TODAYS_VLLM;
use shardwise_core::wire::{EngineVersion, Question, question_from_value};

const BATCHES: &str = include_str!("data/rollout.csv");
const SERVERS: &str = include_str!("data/serving.csv");

/// The version of the runs of 2024 whose source states none.
const EARLY: &str = "0.6.0";

/// A published generation run that no doubt keeps out.
#[derive(Clone, Debug)]
pub(crate) struct Generation {
    pub(crate) id: &'static str,
    /// Its source, by name, and its address; empty where only the name is known.
    pub(crate) source: (String, String),
    /// Date of the measurement, or empty.
    pub(crate) date: &'static str,
    /// Entry of `efficiency.toml`.
    pub(crate) engine: &'static str,
    pub(crate) version: &'static str,
    pub(crate) model: &'static str,
    pub(crate) gpu: &'static str,
    pub(crate) precision: &'static str,
    pub(crate) gpus: f64,
    pub(crate) tensor_parallel: f64,
    /// Of the experts; what the engine does by itself where the source does not say.
    pub(crate) expert_parallel: Option<f64>,
    /// Tokens of a request.
    pub(crate) prompt: f64,
    /// Tokens of its answer, each of the same length.
    pub(crate) response: f64,
    pub(crate) requests: f64,
    /// Sequences at once.
    pub(crate) max_num_seqs: f64,
    /// Output tokens per second and GPU.
    pub(crate) rate: f64,
}

/// Batches of requests, from the first to the last: vLLM, most of it before 0.12, SGLang and TensorRT-LLM.
pub(crate) fn batches() -> impl Iterator<Item = Generation> {
    let sources = sources();
    rows(BATCHES, 14).map(move |cells| {
        let number = |place| number(&cells, place);
        let (name, place) = sources[cells[1].parse::<usize>().unwrap() - 1];
        let version = if cells[3].is_empty() { EARLY } else { cells[3] };
        let engine = match cells[2] {
            "vLLM" if EngineVersion::parse(version).is_some_and(|own| own < TODAYS_VLLM) => "early_vllm",
            "vLLM" => "vllm",
            "SGLang" => "sglang",
            "TensorRT-LLM" => "tensorrt_llm",
            other => panic!("{}: nothing is known of {other}", cells[0]),
        };
        Generation {
            id: cells[0],
            source: (format!("{name}: {place}"), address(place)),
            date: "",
            engine,
            version,
            model: cells[4],
            gpu: cells[5],
            precision: cells[12],
            gpus: number(6),
            tensor_parallel: number(7),
            expert_parallel: None,
            prompt: number(8),
            response: number(9),
            requests: number(10),
            max_num_seqs: number(11),
            rate: number(13),
        }
    })
}

/// Servers under a steady load: as many requests at once, each followed by the next, are as much work as one batch of them.
pub(crate) fn servers() -> impl Iterator<Item = Generation> {
    rows(SERVERS, 16).map(|cells| {
        let number = |place| number(&cells, place);
        let (gpus, response, at_once) = (number(7), number(11), number(12));
        let seconds = (number(14) + response * number(15)) / 1000.0;
        Generation {
            id: cells[0],
            source: ("InferenceX".to_owned(), "https://github.com/ai-dynamo/aiconfigurator".to_owned()),
            date: cells[2],
            engine: cells[3],
            version: cells[4],
            model: cells[5],
            gpu: cells[6],
            precision: cells[13],
            gpus,
            tensor_parallel: number(8),
            expert_parallel: Some(number(9)),
            prompt: number(10),
            response,
            requests: at_once,
            max_num_seqs: at_once,
            rate: at_once * response / seconds / gpus,
        }
    })
}

impl Generation {
    /// The engine as a plan states it.
    fn engine(&self) -> Value {
        match self.engine {
            "early_vllm" => json!({"engine": "vllm", "engine_version": self.version}),
            engine => json!({"engine": engine}),
        }
    }

    /// The question of the run.
    pub(crate) fn question(&self) -> Value {
        let mut rollout = self.engine();
        rollout["tensor_parallel"] = json!(self.tensor_parallel);
        rollout["max_num_seqs"] = json!(self.max_num_seqs);
        rollout["gpu_memory_utilization"] = json!(0.9);
        if let Some(expert_parallel) = self.expert_parallel {
            rollout["expert_parallel"] = json!(expert_parallel);
        }
        json!({
            "version": 1, "model": self.model, "hardware": {"gpu": self.gpu, "gpus": self.gpus},
            "workload": {"kind": "rollout", "precision": self.precision, "rollout": {
                "requests": self.requests, "mean_prompt_length": self.prompt,
                "mean_response_length": self.response, "response_length_cv": 0}},
            "plan": {"rollout": rollout},
        })
    }

    /// The same, read.
    pub(crate) fn asked(&self) -> Question {
        question_from_value(self.question()).unwrap_or_else(|error| panic!("{}: {error}", self.id))
    }
}

/// The rows of a table whose cell at `doubt` is empty.
fn rows(table: &'static str, doubt: usize) -> impl Iterator<Item = Vec<&'static str>> {
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| line.split(',').collect::<Vec<_>>())
        .filter(move |cells| cells[doubt].is_empty())
}

fn number(cells: &[&str], place: usize) -> f64 {
    cells[place].parse().unwrap_or_else(|error| panic!("{}: {error}", cells[0]))
}

/// The batches' sources in order: each by its name, and where it is.
fn sources() -> Vec<(&'static str, &'static str)> {
    let heads = BATCHES.lines().filter_map(|line| line.strip_prefix("# "));
    let numbered = heads.filter_map(|line| line.strip_prefix(|c: char| c.is_ascii_digit()));
    numbered.filter_map(|line| line.trim().split_once(": ")).collect()
}

/// A repository, or an issue of one.
fn address(place: &str) -> String {
    let place = place.trim_end_matches("(fork)").replace('#', "/issues/");
    if place.contains('/') { format!("https://github.com/{place}") } else { String::new() }
}
