//! The example of the command line's page.

use serde_json::{Value, json};
use shardwise_core::wire::question_from_value;

/// What is asked.
const QUESTION: &str = r#"{"version": 1, "model": "qwen3-8b",
 "hardware": {"gpu": "h100-sxm", "gpus": 8},
 "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#;

/// What is shown of the answer.
const SHOWN: &str = "{fits, tokens_per_s_per_gpu, step_time_s, usd_per_mtok, gib: .memory.reserved_gib}";

/// What asks it.
pub(crate) fn commands() -> String {
    format!("echo '{QUESTION}' > question.json\nshardwise estimate question.json | jq '{SHOWN}'")
}

/// The values that [`SHOWN`] picks, in its order.
pub(crate) fn answer() -> Option<String> {
    let document: Value = serde_json::from_str(QUESTION).ok()?;
    let found = shardwise_core::evaluate_alone(&question_from_value(document).ok()?).ok()?;
    let answer = found.answer;
    let lines = [
        ("fits", json!(answer.fits)),
        ("tokens_per_s_per_gpu", json!(answer.tokens_per_s_per_gpu)),
        ("step_time_s", json!(answer.step_time_s)),
        ("usd_per_mtok", json!(answer.usd_per_mtok)),
        ("gib", json!(answer.memory.reserved_gib)),
    ];
    let lines = lines.map(|(name, value)| format!("  \"{name}\": {value}"));
    Some(format!("{{\n{}\n}}", lines.join(",\n")))
}

#[cfg(test)]
mod tests {
    use super::answer;
    use crate::text::COMMANDS;

    /// The command line's own list, read where it is defined.
    const COMMAND_LINE: &str = include_str!("../../../core/src/bin/shardwise/arguments.rs");

    #[test]
    fn every_command_is_named_and_no_other() {
        let (_, list) = COMMAND_LINE.split_once("enum Command {").unwrap_or_default();
        let (list, _) = list.split_once("\n}").unwrap_or_default();
        let mut own: Vec<String> = list
            .lines()
            .filter_map(|line| line.strip_prefix("    "))
            .filter(|line| line.starts_with(char::is_uppercase))
            .map(|line| {
                line.trim_end_matches([' ', ',', '{', '('])
                    .chars()
                    .take_while(|char| char.is_alphanumeric())
                    .collect::<String>()
                    .to_lowercase()
            })
            .collect();
        // One that is only there in some builds stands there twice.
        own.dedup();
        let named: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
        assert_eq!(named, own);
    }

    #[test]
    fn the_example_is_answered() {
        let answer: serde_json::Value = serde_json::from_str(&answer().unwrap_or_default()).unwrap_or_default();
        assert_eq!(answer["fits"], true);
        assert!(answer["usd_per_mtok"].as_f64() > Some(0.0));
    }
}
