//! Whatever is pasted: an answer or an error, soon, and nothing that a terminal would obey.

use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use shardwise_core::doctor::diagnose;
use shardwise_core::log::read_log;
use shardwise_core::read::{improve, read};
use shardwise_core::{belonging, complete, job};

use super::shapes::shapes;
use crate::fuzz::fuzz;

/// No control character in any text of a document.
fn check_texts(value: &Value) {
    match value {
        Value::String(text) => {
            let bad = text
                .chars()
                .find(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
            assert!(bad.is_none(), "{text:?}");
        }
        Value::Array(items) => items.iter().for_each(check_texts),
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            assert!(!key.chars().any(char::is_control), "{key:?}");
            check_texts(value);
        }),
        _ => {}
    }
}

/// One text in so many is improved as well, by its length.
const IMPROVED: usize = 499;

/// Reads, and checks what comes back. How long it takes is what `make bench` prints under `read/`.
fn survives(text: &str) {
    let _ = read_log(text);
    match diagnose(&[text], None) {
        Ok(found) => check_texts(&serde_json::to_value(&found).unwrap()),
        Err(trouble) => check_texts(&serde_json::to_value(&trouble).unwrap()),
    }
    match read(&[text], None) {
        Ok(reading) => {
            // What would help takes many times as long to find: a share of the texts, chosen by the text itself.
            if text.len().is_multiple_of(IMPROVED)
                && let Some(improved) = improve(&[text], None, &reading)
            {
                check_texts(&serde_json::to_value(&improved.changes).unwrap());
                assert_eq!(improved.texts.len(), 1);
                assert!((1..=3).contains(&improved.changes.len()));
            }
            check_texts(&serde_json::to_value(&reading).unwrap());
            belonging::check(&reading.question).unwrap_or_else(|error| panic!("{error}\n{text}"));
            if let Ok(job) = job::resolve(&reading.question) {
                let spec = reading.question.plan.clone().unwrap_or_default();
                let _ = complete::complete(&job, &spec);
            }
        }
        Err(trouble) => {
            assert!(!trouble.message.is_empty());
            check_texts(&serde_json::to_value(&trouble).unwrap());
        }
    }
}

/// The examples of the emitters: what mutations begin with.
fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/emit");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn large_and_crooked_texts() {
    for (name, text) in shapes() {
        survives(&text);
        if name.starts_with("a run with") {
            let reading = read(&[&text], None).unwrap();
            assert!(improve(&[&text], None, &reading).is_some(), "{name}");
        }
    }
}

/// Sizes whose product is more than any number of GPUs.
#[test]
fn layouts_beyond_every_machine() {
    let sizes = ["tensor", "pipeline", "context", "expert"]
        .map(|name| format!("--{name}-model-parallel-size 9000000000000000000"));
    survives(&format!(
        "torchrun pretrain_gpt.py --seq-length 4096 {}",
        sizes.join(" ").replace("context-model", "context")
    ));
    let sizes = ["tensor", "pipeline", "context"]
        .map(|name| format!("policy.megatron_cfg.{name}_model_parallel_size=4294967296"));
    survives(&format!("uv run examples/run_grpo.py policy.megatron_cfg.enabled=true {}", sizes.join(" ")));
}

#[test]
fn what_is_too_much_is_said() {
    let shapes = shapes();
    for (name, says) in [
        ("deep JSON", "too deeply nested"),
        ("deep arrays", "too deeply nested"),
        ("aliases", "too few of its 30 settings"),
        ("a hundred thousand overrides", "more than 20000 words"),
        ("doubling arrays", "a few MiB"),
        ("conditions", "nested more than 64 deep"),
    ] {
        let (_, text) = shapes.iter().find(|(shape, _)| *shape == name).unwrap();
        let trouble = read(&[text], None).unwrap_err();
        assert!(trouble.message.contains(says), "{name}: {trouble}");
    }
}

#[test]
fn escapes_and_markup_come_back_as_plain_text() {
    let text = "python3 -m verl.trainer.main_ppo $'\\x1b[31m'=1 '\u{1b}[2Jdata.x'=$'\u{7}' '<b>data</b>=<script>' trainer.nnodes='\u{202e}4'";
    let reading = read(&[text], None).unwrap();
    let document = serde_json::to_value(&reading).unwrap();
    check_texts(&document);
    // Every word is accounted for.
    assert_eq!(
        reading.unknown.len() + reading.refused.iter().filter(|one| one.key == "trainer.nnodes").count(),
        4,
        "{document:#}"
    );
}

/// Pieces of shell, whole and broken.
const SHELL: &[&str] = &[
    "x=1",
    "x=$y",
    " ",
    " ",
    "\n",
    "\\\n",
    "\\",
    "'",
    "\"",
    "`",
    "$(",
    ")",
    "$((",
    "((",
    "))",
    "${",
    "}",
    "${x:-",
    "${a[@]}",
    "a=(",
    "(",
    ";",
    ";;",
    "&&",
    "||",
    "|",
    "&",
    ">",
    "<",
    "<<E",
    "E",
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "do",
    "done",
    "while",
    "case",
    " in ",
    "esac",
    "{",
    "[",
    "]",
    "[[",
    "]]",
    "=",
    "!",
    "!=",
    "#",
    "export ",
    "set -- ",
    "python3 -m verl.trainer.main_ppo ",
    "data.train_batch_size=",
    "1024",
    "*",
    "-",
    "~",
    "+",
    "++",
    "trainer.nnodes=",
    "null",
    "True",
    "actor_rollout_ref.actor.veomni.fsdp_size=",
    "entrypoint.py grpo ",
    "--config-file",
    "models.policy.load=",
    "pretrain_gpt.py ",
    "--num-layers ",
    "deepspeed ",
    "{\"zero_optimization\": ",
    "# https://x/#v=1&model=qwen3-8b&z=1\n",
    "é",
    "\u{0}",
];

/// Pieces of YAML.
const YAML: &[&str] = &[
    "runtime_args:",
    "models:",
    "policy:",
    "num_gpu:",
    " ",
    "  ",
    "    ",
    "\n",
    "\n",
    "- ",
    "a: 1",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "#",
    "&a",
    "*a",
    "|",
    ">",
    "---",
    ":",
    "null",
    "8",
    "${models.policy.num_gpu}",
    "\t",
    "!!str",
];

/// Pieces of TOML and of Python.
const PROGRAM: &[&str] = &[
    "import os\n",
    "[training]\n",
    "seq_len = 8\n",
    "a.b = \"x\"\n",
    "x",
    "x",
    " = ",
    "=",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ",",
    "\n",
    "\n",
    "\n    ",
    ":",
    ".",
    "'",
    "\"",
    "\"\"\"",
    "f\"{x}\"",
    "\\",
    "#",
    "*",
    "**",
    "-",
    "+=",
    "8",
    "1e9999",
    "if ",
    "def f(",
    "for x in ",
    "lambda",
    "SFTConfig(",
    "GRPOTrainer(",
    "TrainingArguments(",
    "LoraConfig(r=",
    "max_length=",
    "per_device_train_batch_size=",
    "AutoModelForCausalLM.from_pretrained(",
    "'Qwen/Qwen3-8B'",
    "subprocess.run(",
    "sys.argv",
    "os.environ[",
    "parser.add_argument('--x', default=",
    "args.x",
    "['--a', 'b']",
    "'torchrun', '-m', 'torchtitan.train', ",
    "é",
    "\u{0}",
    "\u{1}",
    "\u{2}",
];

fn pieces(of: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(of), 0..most)
}

#[test]
fn any_bytes() {
    let bytes = prop::collection::vec(any::<u8>(), 0..400);
    fuzz("any bytes", 300, 250, &bytes, |bytes| {
        survives(&String::from_utf8_lossy(&bytes));
    });
}

#[test]
fn any_shell() {
    fuzz("any shell", 300, 350, &pieces(SHELL, 60), |pieces| {
        survives(&pieces.concat());
    });
}

#[test]
fn any_program() {
    fuzz("any program", 300, 300, &pieces(PROGRAM, 60), |pieces| {
        survives(&pieces.concat());
        survives(&format!("import os\n{}", pieces.concat()));
        survives(&format!("[training]\n{}", pieces.concat()));
    });
}

#[test]
fn any_yaml() {
    fuzz("any YAML", 300, 300, &pieces(YAML, 60), |pieces| {
        survives(&format!("runtime_args:\n{}", pieces.concat()));
    });
}

/// Emitted texts with pieces cut out, doubled and thrown in.
#[test]
fn altered_texts() {
    let examples = examples();
    let edit = (any::<prop::sample::Index>(), 0usize..40, 0usize..3, "\\PC{0,6}");
    let cases = (0..examples.len(), prop::collection::vec(edit, 1..12));
    fuzz("altered texts", 300, 50, &cases, |(which, edits)| {
        let mut text: Vec<char> = examples[which].chars().collect();
        for (at, length, kind, insert) in edits {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            let end = (at + length).min(text.len());
            match kind {
                0 => {
                    text.drain(at..end);
                }
                1 => {
                    let piece: Vec<char> = text[at..end].to_vec();
                    text.splice(at..at, piece);
                }
                _ => {
                    text.splice(at..at, insert.chars());
                }
            }
        }
        survives(&text.into_iter().collect::<String>());
    });
}

/// Numbers of any size in place of the emitted ones.
#[test]
fn altered_numbers() {
    const ODD: &[&str] = &["0", "-1", "1e400", "NaN", "inf", "0.5", "9007199254740992"];
    let examples = examples();
    let number = prop_oneof![
        prop::sample::select(ODD).prop_map(str::to_owned),
        any::<u64>().prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| n.to_string()),
    ];
    let cases = (0..examples.len(), any::<prop::sample::Index>(), number);
    fuzz("altered numbers", 300, 50, &cases, |(which, at, number)| {
        let text = &examples[which];
        let places: Vec<usize> = text.match_indices('=').map(|(at, _)| at + 1).collect();
        if !places.is_empty() {
            let at = places[at.index(places.len())];
            let end = text[at..].find([' ', '\n']).map_or(text.len(), |end| at + end);
            survives(&format!("{}{number}{}", &text[..at], &text[end..]));
        }
    });
}

/// The command line: the report of a text, and status 1 with line and remedy where there is none.
#[cfg(feature = "cli")]
#[test]
fn the_command_line_says_what_it_read_or_why_not() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let run = |arguments: &[&str], text: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shardwise"))
            .arg("read")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let text = include_str!("../golden/emit/chatlearn-grpo-fsdp.run_chatlearn.sh");
    let (status, report, _) = run(&["--gpu", "h20-141g"], text);
    assert_eq!(status, Some(0));
    for says in ["ChatLearn: GRPO, qwen3-8b, 8 x h20-141g", "Assumed (3)", "Speed: ", "Memory: ", "--all"] {
        assert!(report.contains(says), "{says}: {report}");
    }
    let (_, whole, _) = run(&["--all"], text);
    assert!(whole.contains("Understood (23)") && whole.contains("The question:"), "{whole}");
    let (status, document, _) = run(&["--json"], text);
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!((status, document["framework"].as_str()), (Some(0), Some("chatlearn")));
    let (status, out, error) = run(&[], "x='\u{1b}[31m open");
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(error.contains("line 1: A single quote") && !error.contains('\u{1b}'), "{error:?}");
    let (status, document, _) = run(&["--json"], "nothing");
    assert!(status == Some(1) && document.contains("\"error\""), "{document}");
}
