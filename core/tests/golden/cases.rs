//! Questions with their recorded answers, and how an answer is compared with its record. No input or
//! output here: the same cases run natively and in a browser.

use serde_json::{Value, json};
use shardwise_core::estimate;
use shardwise_core::wire::parse_question;

/// A question and what was answered when it was recorded.
pub(crate) struct Case {
    /// Name of its files.
    pub(crate) name: &'static str,
    pub(crate) question: &'static str,
    answer: &'static str,
}

macro_rules! cases {
    ($($name:literal),* $(,)?) => {
        &[$(Case {
            name: $name,
            question: include_str!(concat!($name, ".json")),
            answer: include_str!(concat!($name, ".answer.json")),
        }),*]
    };
}

/// All cases. A new one starts as a question with an answer file that holds `null`.
pub(crate) const CASES: &[Case] = cases![
    "dapo-qwen2.5-32b-one-step-off",
    "dpo-qwen3-8b-searched",
    "kto-llama-3.1-8b-qlora",
    "grpo-qwen3-30b-a3b-megatron",
    "grpo-qwen3-8b-searched",
    "grpo-qwen3-vl-8b",
    "lora-llama-3.1-8b-l40s",
    "lora-llama-3.3-70b-market",
    "lora-llama-3.3-70b-no-offer",
    "ppo-llama-3.1-8b-critic",
    "pretrain-deepseek-v3",
    "pretrain-gpt3-unfused",
    "pretrain-llama-3.1-405b-fp8",
    "qlora-llama-3.3-70b",
    "rollout-deepseek-r1-fp8",
    "sft-llama-2-7b-deepspeed",
    "sft-llama-3.1-70b-offloaded",
    "sft-out-of-memory",
    "sft-qwen2.5-32b-fsdp-packed",
    "sft-qwen2.5-32b-run",
    "sft-qwen2.5-vl-7b-frozen",
    "sft-qwen3-30b-a3b-searched",
    "sft-qwen3-8b-offer",
];

/// Cases whose whole answer is recorded, one of each task; of the others its figures are, and what was chosen and said.
const WHOLE: [&str; 6] = [
    "grpo-qwen3-30b-a3b-megatron",
    "lora-llama-3.1-8b-l40s",
    "pretrain-deepseek-v3",
    "rollout-deepseek-r1-fp8",
    "sft-out-of-memory",
    "sft-qwen2.5-32b-run",
];

/// What is recorded of an answer that is not recorded as a whole.
const FIGURES: [&str; 9] =
    ["advice", "caveats", "fits", "mfu", "offer", "plan", "step_time_s", "tokens_per_s_per_gpu", "usd_per_mtok"];

/// And of its memory.
const OF_MEMORY: [&str; 2] = ["peak_gib", "reserved_gib"];

/// Half a unit in the fourth significant digit, at worst, on both sides.
const TOLERANCE: f64 = 1e-3;

impl Case {
    /// The answer of today, as it is recorded: numbers to four significant digits; advice and
    /// caveats by their identifiers, whose texts may be improved; no catalog date.
    pub(crate) fn today(&self) -> Value {
        let question = parse_question(self.question).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let answer = estimate(&question).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let mut value = serde_json::to_value(answer).unwrap_or_default();
        for list in ["advice", "caveats"] {
            let ids = value[list]
                .as_array()
                .map_or(&[][..], Vec::as_slice)
                .iter()
                .map(|item| item["id"].clone());
            value[list] = ids.collect();
        }
        value["data"] = json!({});
        rounded(if WHOLE.contains(&self.name) { value } else { figures(&value) })
    }

    /// Where today's answer differs from its record.
    pub(crate) fn differences(&self) -> Vec<String> {
        let recorded = serde_json::from_str(self.answer).unwrap_or(Value::Null);
        let mut found = Vec::new();
        compare(self.name, &self.today(), &recorded, &mut found);
        found
    }
}

/// The figures of an answer.
fn figures(answer: &Value) -> Value {
    let of = |value: &Value, keys: &[&str]| -> Value {
        let named = keys.iter().filter_map(|key| Some(((*key).to_owned(), value.get(key)?.clone())));
        Value::Object(named.collect())
    };
    let mut figures = of(answer, &FIGURES);
    figures["memory"] = of(&answer["memory"], &OF_MEMORY);
    figures
}

fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let text = format!("{:.3e}", number.as_f64().unwrap_or_default());
            text.parse::<f64>().map_or(Value::Null, Value::from)
        }
        Value::Array(items) => items.into_iter().map(rounded).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, rounded(value))).collect(),
        other => other,
    }
}

fn compare(path: &str, today: &Value, recorded: &Value, found: &mut Vec<String>) {
    match (today, recorded) {
        (Value::Object(a), Value::Object(b)) => {
            for key in b.keys().filter(|key| !a.contains_key(*key)) {
                found.push(format!("{path}.{key} is gone"));
            }
            for (key, value) in a {
                match b.get(key) {
                    Some(old) => compare(&format!("{path}.{key}"), value, old, found),
                    None => found.push(format!("{path}.{key} is new: {value}")),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (value, old)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{index}]"), value, old, found);
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or_default(), b.as_f64().unwrap_or_default());
            if (a - b).abs() > TOLERANCE * a.abs().max(b.abs()) {
                found.push(format!("{path} was {b} and is {a}"));
            }
        }
        _ if today == recorded => {}
        _ => found.push(format!("{path} was {recorded} and is {today}")),
    }
}
