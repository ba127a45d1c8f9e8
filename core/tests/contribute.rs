//! A measured run as a row: what a public log and its script make, and what makes none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use shardwise_core::interface::base;
use shardwise_core::log::read_log;
use shardwise_core::permalink;
use shardwise_core::read::read;
use shardwise_core::wire::{Question, ReadOptions, question_from_value};

use crate::said::said;

const GIVEN: [&str; 6] =
    ["--address", "https://example.org/runs/1/console.log", "--date", "2026-11-27", "--by", "Example Lab"];

fn logs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/logs")
}

fn log(name: &str) -> String {
    logs().join(format!("{name}.log")).display().to_string()
}

/// The question of a public log, by the command that it was started with.
fn question(name: &str) -> Question {
    let index: toml::Value = toml::from_str(&fs::read_to_string(logs().join("index.toml")).unwrap()).unwrap();
    let entries = index["log"].as_array().unwrap();
    let own = entries.iter().find(|own| own["name"].as_str() == Some(name)).unwrap();
    let on = ReadOptions { gpu: own["gpu"].as_str().map(str::to_owned), ..ReadOptions::default() };
    let mut question = read(&[own["command"].as_str().unwrap()], base(&on).as_ref()).unwrap().question;
    question.workload.mean_sequence_length = own.get("mean_sequence_length").and_then(toml::Value::as_float);
    question
}

fn contribute(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shardwise"));
    command
        .args(["contribute", "run"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A folder of its own, with the two files of rows in it where `clone` says so.
fn folder(name: &str, clone: bool) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("shardwise-contribute-{name}-{}", std::process::id()));
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(folder.join("core/tests/data")).unwrap();
    if clone {
        for file in ["training.jsonl", "rl.jsonl"] {
            let path = Path::new("core/tests/data").join(file);
            let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
            fs::copy(own, folder.join(path)).unwrap();
        }
    }
    folder
}

fn link(name: &str) -> String {
    format!("http://localhost:8080/zh/#{}", permalink::to_hash(&question(name)))
}

#[test]
fn public_logs_become_rows_of_their_measured_figures() {
    let here = folder("rows", false);
    for (name, phases) in [
        ("qwen2-7b-gsm8k-grpo-fsdp2-verl", true),
        ("deepseek-7b-gsm8k-grpo-mi300-verl", true),
        ("luojiu-llama2-7b-qlora-llamafactory", false),
        ("qwen2.5-7b-medical-qlora-llamafactory", false),
    ] {
        let (log_file, link) = (log(name), link(name));
        let arguments = [&[log_file.as_str(), "--link", &link], &GIVEN[..]].concat();
        let output = contribute(&here, &arguments);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
        let row: Value = serde_json::from_slice(&output.stdout).unwrap();
        let logged = read_log(&fs::read_to_string(log(name)).unwrap()).unwrap();
        // What the row says comes back as the log's step, by the tokens that its question means.
        let asked = question_from_value(row["question"].clone()).unwrap();
        let answer = shardwise_core::estimate(&asked).unwrap();
        let tokens = answer.tokens_per_s_per_gpu * answer.step_time_s;
        let step = tokens / row["tokens_per_s_per_gpu"].as_f64().unwrap();
        assert!((step / logged.step_time_s - 1.0).abs() < 1e-3, "{name}: {step}, {}", logged.step_time_s);
        assert_eq!(row["source_url"], GIVEN[1]);
        assert_eq!(row["date"], "2026-11-27");
        assert_eq!((row["id"].as_str(), row["headline"].as_bool()), (Some("example-lab-001"), Some(false)));
        let phase = |key: &str| row[key].as_f64();
        assert_eq!(phase("rollout_s").is_some(), phases, "{name}");
        assert_eq!(phase("update_actor_s"), logged.phases.get("update_actor").map(|s| (s * 1e3).round() / 1e3));
        assert_eq!(row["framework"].as_str().is_some(), !phases);
        let beside = text(&output.stderr);
        assert!(beside.contains("Step: measured ") && beside.contains(", estimated "), "{beside}");
        for line in beside.lines() {
            said(line.trim());
        }
    }
}

/// Rows are read as the fit and the tests of published runs read them.
#[test]
fn rows_are_appended_to_the_file_that_they_belong_to() {
    let here = folder("append", true);
    for (name, file) in
        [("luojiu-llama2-7b-qlora-llamafactory", "training.jsonl"), ("qwen2-7b-gsm8k-grpo-fsdp2-verl", "rl.jsonl")]
    {
        let path = here.join("core/tests/data").join(file);
        let before = fs::read_to_string(&path).unwrap();
        let link = link(name);
        let append = |by: &'static str| {
            let mut arguments = vec![log(name), "--link".to_owned(), link.clone(), "--append".to_owned()];
            arguments.extend(GIVEN.map(str::to_owned));
            *arguments.last_mut().unwrap() = by.to_owned();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            contribute(&here.join("core"), &arguments)
        };
        let output = append("Example Lab");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), format!("core/tests/data/{file}: example-lab-001\n"));
        let after = fs::read_to_string(&path).unwrap();
        let added = after.strip_prefix(&before).unwrap();
        assert_eq!((added.lines().count(), added.ends_with('\n')), (1, true));
        if file == "training.jsonl" {
            let own: crate::runs::Run = serde_json::from_str(added).unwrap();
            assert_eq!((own.family.as_str(), own.framework.as_str()), ("Llama 2", "hf-trainer (LLaMA-Factory)"));
        } else {
            let own: crate::rl::Run = serde_json::from_str(added).unwrap();
            assert!(own.rollout_s.is_some());
        }
        // Not twice.
        let again = append("Example Lab");
        assert_eq!(again.status.code(), Some(1));
        assert!(text(&again.stderr).contains("example-lab-001"), "{}", text(&again.stderr));
        assert_eq!(fs::read_to_string(&path).unwrap(), after);
    }
    let nowhere = folder("nowhere", false);
    let name = "luojiu-llama2-7b-qlora-llamafactory";
    let output = contribute(&nowhere, &[&[log(name).as_str(), "--link", &link(name), "--append"], &GIVEN[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no clone"));
}

#[test]
fn what_is_missing_is_named_with_its_option() {
    let here = folder("missing", false);
    let name = "luojiu-llama2-7b-qlora-llamafactory";
    let link = link(name);
    let output = contribute(&here, &[&log(name), "--link", &link]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""));
    let says = text(&output.stderr);
    for option in ["--address", "--date", "--by"] {
        assert!(says.contains(&format!("shardwise: {option}: ")), "{says}");
    }
    // A link without a GPU takes it from the option, and no other.
    let bare = link.replace("&hardware.gpu=a10&", "&");
    assert_ne!(bare, link);
    let without = contribute(&here, &[&[log(name).as_str(), "--link", &bare], &GIVEN[..]].concat());
    assert_eq!(without.status.code(), Some(1));
    assert!(text(&without.stderr).contains("hardware.gpu: ") && text(&without.stderr).contains("--gpu"));
    let on = |link: &str, gpu: &str| {
        let output = contribute(&here, &[&[log(name).as_str(), "--link", link, "--gpu", gpu], &GIVEN[..]].concat());
        (output.status.code(), text(&output.stdout).to_owned())
    };
    assert_eq!(on(&bare, "a10"), on(&link, "a10"));
    assert_eq!(on(&bare, "a10").0, Some(0));
    assert_eq!(on(&link, "h100-sxm").0, Some(1));
    // A file says the same.
    let file = here.join("question.json");
    fs::write(&file, serde_json::to_string(&question(name)).unwrap()).unwrap();
    let of_file =
        contribute(&here, &[&[log(name).as_str(), "--question", file.to_str().unwrap()], &GIVEN[..]].concat());
    assert_eq!((of_file.status.code(), text(&of_file.stdout).to_owned()), on(&link, "a10"));
    let neither = contribute(&here, &[&[log(name).as_str()], &GIVEN[..]].concat());
    assert_eq!(neither.status.code(), Some(2));
}

#[test]
fn nonsense_makes_no_row() {
    let here = folder("nonsense", false);
    let name = "qwen2-7b-gsm8k-grpo-fsdp2-verl";
    let whole = fs::read_to_string(log(name)).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let link = link(name);
    let slow = whole.replace("timing_s/step:", "timing_s/step:9999");
    let logs = [
        ("few", lines[..5].join("\n"), "4 steps behind the first"),
        ("none", "nothing of the kind".to_owned(), "No line of this log is a step's"),
        ("loss", whole.replacen(" - timing_s/gen", " - actor/pg_loss:nan - timing_s/gen", 1), "Line 1 has"),
        (
            "numpy",
            whole.replacen(" - timing_s/gen", " - actor/pg_loss:np.float64(nan) - timing_s/gen", 1),
            "Line 1 has",
        ),
        ("time", whole.replacen("timing_s/step:179.003", "timing_s/step:inf", 1), "Line 1 has"),
        ("slow", slow, "times apart"),
    ];
    for (kind, text_of, says) in logs {
        let path = here.join(format!("{kind}.log"));
        fs::write(&path, text_of).unwrap();
        let output = contribute(&here, &[&[path.to_str().unwrap(), "--link", &link], &GIVEN[..]].concat());
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""), "{kind}");
        assert!(text(&output.stderr).contains(says), "{kind}: {}", text(&output.stderr));
    }
    let noted = contribute(&here, &[&[log(name).as_str(), "--link", &link, "--note", "guessed"], &GIVEN[..]].concat());
    assert!(text(&noted.stderr).starts_with("shardwise: --note: "), "{}", text(&noted.stderr));
    // Norms of gradients may overflow, and words may be called anything.
    let fine = whole.replacen(" - timing_s/gen", " - actor/grad_norm:inf - nan check - timing_s/gen", 1);
    let path = here.join("fine.log");
    fs::write(&path, fine).unwrap();
    assert_eq!(
        contribute(&here, &[&[path.to_str().unwrap(), "--link", &link], &GIVEN[..]].concat())
            .status
            .code(),
        Some(0)
    );
    for (option, wrong) in [
        ("--address", "http://example.org/log"),
        ("--address", "https://github.com/example/runs/blob/main/console.log"),
        ("--address", "https://huggingface.co/example/run/resolve/main/console.log"),
        ("--date", "27.11.2026"),
        ("--date", "2026-13-01"),
        ("--by", " "),
    ] {
        let mut arguments = [&[log(name), "--link".to_owned(), link.clone()], &GIVEN.map(str::to_owned)[..]].concat();
        let place = arguments.iter().position(|own| own == option).unwrap();
        arguments[place + 1] = wrong.to_owned();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = contribute(&here, &arguments);
        assert_eq!(output.status.code(), Some(1), "{option} {wrong}");
        assert!(text(&output.stderr).contains(&format!("shardwise: {option}: ")), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr).lines().count(), 1);
    }
}

#[test]
fn a_row_is_of_one_plan_on_stated_hardware() {
    let here = folder("plan", false);
    let name = "luojiu-llama2-7b-qlora-llamafactory";
    let own = question(name);
    let ask = |question: &Question| {
        let link = permalink::to_hash(question);
        let output = contribute(&here, &[&[log(name).as_str(), "--link", &link], &GIVEN[..]].concat());
        (output.status.code(), text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
    };
    let (status, row, _) = ask(&own);
    assert_eq!(status, Some(0));
    // What is not the run's is left out: a calibration, a price.
    let mut calibrated = own.clone();
    calibrated.calibration = question_from_value(serde_json::json!({"version": 1, "model": "qwen3-8b",
        "hardware": {"gpu": "a10"}, "workload": {"kind": "sft"}, "calibration": {"time": 1.3}}))
    .unwrap()
    .calibration;
    calibrated.hardware.usd_per_gpu_hour = Some(1.0);
    assert_eq!(ask(&calibrated).1, row);
    let (status, _, says) = ask(&Question { plan: None, ..own.clone() });
    assert_eq!(status, Some(1));
    assert!(says.contains("plan: ") && says.contains("shardwise read"), "{says}");
    let mut rented = own;
    rented.hardware.market = Some(shardwise_core::wire::MarketSpec::default());
    assert_eq!(ask(&rented).0, Some(1));
    // In Chinese, too.
    let zh = contribute(&here, &[&log(name), "--link", &link(name), "--lang", "zh"]);
    assert_eq!(text(&zh.stderr).lines().count(), 3);
    for line in text(&zh.stderr).lines() {
        assert!(line.chars().any(|sign| ('\u{4e00}'..='\u{9fff}').contains(&sign)), "{line}");
    }
}
