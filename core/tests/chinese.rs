//! The Chinese of what the core says: nothing is left in English, names and code stay, and whatever is pasted is answered.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shardwise_core::emit::{FRAMEWORKS, Syntax};
use shardwise_core::wire::Question;
use shardwise_core::words::unbroken;
use shardwise_core::{estimate, flags};

use crate::questions::{self, Asked, Plan, cases};
use crate::said::{chinese, said};

/// Every sentence that answers a question: caveats, advice, refusals, and the comments of all texts in all versions.
fn sentences(question: &Question) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    match estimate(question) {
        Ok(answer) => {
            all.extend(answer.caveats.into_iter().map(|caveat| caveat.text));
            all.extend(answer.advice.into_iter().map(|advice| advice.text));
        }
        Err(error) => _ = all.insert(error.message),
    }
    for framework in FRAMEWORKS {
        for version in framework.versions {
            match flags(question, framework, version, "") {
                Ok(Ok(snippets)) => {
                    for snippet in snippets {
                        all.extend(snippet.reasons.into_iter().map(|(_, reason)| reason));
                        if snippet.language != Syntax::Json {
                            all.extend(comments(&snippet.text).map(str::to_owned));
                        }
                    }
                }
                Ok(Err(unsupported)) => _ = all.insert(unsupported.message),
                Err(error) => _ = all.insert(error.message),
            }
        }
    }
    all
}

fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let whole = line.trim_start().strip_prefix("# ");
        whole.or_else(|| Some(line.split_once("  # ")?.1))
    })
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn what_answers_a_random_question_is_said_in_chinese(Asked(question) in questions::question(Plan::Partial)) {
        for sentence in sentences(&question) {
            said(&sentence);
        }
    }

    /// Whatever is asked for: an answer, soon.
    #[test]
    fn any_words_are_answered(words in prop::collection::vec(prop::sample::select(vec![
        "Warning: ", "{}", "GPUs", " of ", ", ", ". ", ": ", " or ", "tokens", " at line ", "\"", "Note: ", "显存", "8", " s", "; "
    ]), 0..200)) {
        let text = words.concat();
        let _ = chinese().say(&text);
        let _ = chinese().text(&text, Syntax::Shell);
    }
}

/// Sentences as the core makes them, and what becomes of their parts.
#[test]
fn values_are_said_and_names_stay() {
    for (english, expected) in [
        ("32 heads do not split in 3. Give 2 or 4.", "32 个注意力头不能分成 3 份。请填 2 或 4。"),
        // Sentences that two rules make, one after the other.
        (
            "The ChatLearn guide starts from about 4 billion parameters per GPU. The best such plan, FSDP with TP 2, is as fast and less simple.",
            "ChatLearn 指南建议从每 GPU 约 40 亿参数开始。此类配置中最好的（FSDP，TP 2）同样快，但更复杂。",
        ),
        // A name that reads like English is no part of the sentence.
        (
            "No dated price for the best of steps is in the catalog. Type one to see cost.",
            "目录中没有 the best of steps 的带日期价格。请填入价格以查看成本。",
        ),
        ("There is no such field. Known here: rollout, tokens.", "没有此项。这里已知的有：rollout、tokens。"),
        (
            "Calibrated with a run of your own: times × 1.20, training's memory × 0.90.",
            "已按你自己的训练校准：时间 × 1.20，训练显存 × 0.90。",
        ),
        // A mark in front belongs to the whole sentence.
        (
            "Warning: it does not fit, with a probability of < 1 % that it does. 101.5 GiB of 32.0 GiB are needed on a GPU in update actor: 69.5 GiB too much.",
            "警告：放不下，放得下的概率为 < 1 %。策略更新阶段每 GPU 需要 101.5 GiB / 32.0 GiB：超出 69.5 GiB。",
        ),
        (
            "This is not JSON (expected `,` or `}` at line 3 column 7). Mend it, or paste the whole file.",
            "这不是 JSON（第 3 行第 7 列：应为 `,` 或 `}`）。请修正，或粘贴整个文件。",
        ),
    ] {
        assert_eq!(chinese().say(english).as_deref(), Some(expected));
    }
    for kept in
        ["", "8192", "actor_rollout_ref.actor.strategy", "https://shardwise.example/#v=1", "nobody ever says this"]
    {
        assert_eq!(chinese().say(kept), None, "{kept}");
    }
}

#[test]
fn a_number_and_its_unit_stay_together() {
    let text = "8 个 GPU 各 2 × 1,024 token，70.5 / 79.6 GiB，快 19 %";
    let expected = "8\u{a0}个 GPU 各 2 × 1,024\u{a0}token，70.5 / 79.6\u{a0}GiB，快 19\u{a0}%";
    assert_eq!(unbroken(text), expected);
}

#[test]
fn comments_are_said_and_code_stays() {
    let english = "# GRPO\n# https://shardwise.example/#v=1&model=a\n\nargs=(\n  # Batch\n  name=\"a  # b\"  # from the plan\n  other=1\n)\nrun \"${args[@]}\"";
    let expected = "# GRPO\n# https://shardwise.example/#v=1&model=a\n\nargs=(\n  # 批次\n  name=\"a  # b\"  # 来自配置\n  other=1\n)\nrun \"${args[@]}\"";
    assert_eq!(chinese().text(english, Syntax::Shell), expected);
    let json = "{\"a\": \"  # from the plan\"}";
    assert_eq!(chinese().text(json, Syntax::Json), json);
}

#[cfg(feature = "cli")]
mod command_line {
    use std::io::Write;
    use std::process::{Command, Stdio};

    const QUESTION: &str = r#"{"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#;

    fn run(arguments: &[&str], input: &str) -> String {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shardwise"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }

    #[test]
    fn each_command_speaks_the_language_that_is_asked_for() {
        let question = QUESTION.replace('\n', " ");
        let wrong = question.replace("\"gpus\": 8", "\"gpus\": 0");
        let refused = run(&["estimate", "--lang", "zh"], &wrong);
        assert!(refused.contains("至少为 1。"), "{refused}");
        assert!(run(&["estimate"], &wrong).contains("Must be at least 1."));

        let searched = run(&["search", "--within-hours", "5", "--lang", "zh"], &question);
        assert!(searched.contains("期限和预算针对整个任务"), "{searched}");

        let english = run(&["flags", "--for", "verl"], &question);
        let chinese = run(&["flags", "--for", "verl", "--lang", "zh"], &question);
        assert!(chinese.contains("  # 来自你的问题\n"), "{chinese}");
        let json = run(&["flags", "--for", "deepspeed", "--json", "--lang", "zh"], &question);
        assert!(json.contains("精度来自你的问题") && json.contains("数据 20"), "{json}");

        let report = run(&["read", "--all", "--lang", "zh"], &chinese);
        assert!(report.contains("已理解（") && report.contains("速度：每 GPU "), "{report}");
        assert_eq!(run(&["read", "--all"], &english), run(&["read", "--all"], &chinese));
    }
}
