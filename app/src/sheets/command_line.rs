//! The command line's page: for whoever has no WebAssembly, a cluster without a browser, or a thousand questions.

use serde_json::{Value, json};
use shardwise_core::wire::question_from_value;

use super::document::whole;
use crate::protocol::Document;
use crate::text::{COMMANDS, Lang};
use crate::tree::{Tree, el};

/// What the page asks as an example.
const QUESTION: &str = r#"{"version": 1, "model": "qwen3-8b",
 "hardware": {"gpu": "h100-sxm", "gpus": 8},
 "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#;

/// What the page shows of the answer.
const SHOWN: &str = "{fits, tokens_per_s_per_gpu, step_time_s, usd_per_mtok, gib: .memory.reserved_gib}";

/// The values that [`SHOWN`] picks, in its order.
fn picked() -> Option<String> {
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

fn code(text: impl Into<String>) -> Tree {
    el("PRE.code").child(el("CODE").child(text.into()))
}

fn section(title: &'static str, children: impl IntoIterator<Item = Tree>) -> Tree {
    el("SECTION").child(el("H2").child(title)).children(children)
}

fn text(words: &'static str) -> Tree {
    el("P").child(words)
}

/// The page's body.
pub(super) fn page(lang: Lang) -> Tree {
    let words = lang.sheets();
    let commands = COMMANDS.iter().map(|(name, [english, chinese])| {
        let does = match lang {
            Lang::En => english,
            Lang::Zh => chinese,
        };
        el("DIV")
            .child(el("DT").child(el("CODE").child(*name)))
            .child(el("DD").child(*does))
    });
    let ask = format!("echo '{QUESTION}' > question.json\nshardwise estimate question.json | jq '{SHOWN}'");
    let main = el("MAIN.doc methods prose")
        .child(
            el("HEADER")
                .child(el("H1").child(words.command_line_title))
                .child(el("P.note").child(words.command_line_lead)),
        )
        .child(section(
            words.get_it,
            [text(words.get_it_how), code("cargo install --locked --profile fast --path core --features cli")],
        ))
        .child(section(words.ask_it, [text(words.ask_it_how), code(ask)].into_iter().chain(picked().map(code))))
        .child(section(words.commands, [el("DL.calc").children(commands), text(words.commands_more)]))
        .child(section(words.without_network, [text(words.without_network_how), code("make cli\nshardwise serve")]));
    whole(Document::CommandLine, lang, main)
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, Lang, page, picked};

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
        let answer = picked().unwrap_or_default();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap_or_default();
        assert_eq!(answer["fits"], true);
        assert!(answer["usd_per_mtok"].as_f64() > Some(0.0));
        for lang in [Lang::En, Lang::Zh] {
            let body = serde_json::Value::from(page(lang)).to_string();
            assert!(body.contains("tokens_per_s_per_gpu"));
        }
    }
}
