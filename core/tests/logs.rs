//! Ten public logs: each is read, and what its first half calibrates predicts its second half.

use serde::Deserialize;
use shardwise_core::calibration::by_phase;
use shardwise_core::evaluate_alone;
use shardwise_core::interface::{base, calibrated};
use shardwise_core::log::{Log, read_log};
use shardwise_core::read::read;
use shardwise_core::wire::{Question, ReadOptions};

use crate::said::said;

#[derive(Deserialize)]
struct Index {
    log: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    url: String,
    gpu: String,
    steps: usize,
    command: String,
    /// Mean tokens of an example, where the log's repository tells them and the command does not.
    mean_sequence_length: Option<f64>,
}

fn logs() -> Vec<(Entry, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/logs");
    let text = std::fs::read_to_string(folder.join("index.toml")).unwrap();
    let index: Index = toml::from_str(&text).unwrap();
    let with = |entry: Entry| {
        let text = std::fs::read_to_string(folder.join(format!("{}.log", entry.name))).unwrap();
        (entry, text)
    };
    index.log.into_iter().map(with).collect()
}

/// The first and the second half of a log's lines.
fn halves(text: &str) -> [String; 2] {
    let lines: Vec<&str> = text.lines().collect();
    let (first, second) = lines.split_at(lines.len() / 2);
    [first.join("\n"), second.join("\n")]
}

fn step(question: &Question) -> f64 {
    evaluate_alone(question).unwrap().answer.step_time_s
}

#[test]
fn the_first_half_of_a_log_predicts_its_second() {
    let logs = logs();
    assert!(logs.len() >= 10);
    let mut table = Vec::new();
    let (mut within, mut furthest) = (0, 0.0_f64);
    for (entry, text) in &logs {
        assert!(entry.url.starts_with("https://github.com/") && entry.steps >= 100);
        let [first, second] = halves(text).map(|half| read_log(&half).unwrap());
        let on = ReadOptions { gpu: Some(entry.gpu.clone()), ..ReadOptions::default() };
        let reading = read(&[&entry.command], base(&on).as_ref());
        let mut reading = reading.unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        assert!(reading.missing.is_empty(), "{}: {:?}", entry.name, reading.missing);
        reading.question.workload.mean_sequence_length = entry.mean_sequence_length;
        let asked = |log: &Log| log.applied(&reading.question);
        let plain = step(&asked(&first));
        let found = evaluate_alone(&asked(&first)).unwrap();
        let calibrated = by_phase(&found, &log_time(&first), &first.phases).unwrap();
        let predicted = step(&calibrated.applied(&asked(&second)));
        let off = predicted / second.step_time_s - 1.0;
        within += usize::from(off.abs() <= 0.05);
        furthest = off.abs().max(furthest);
        table.push(format!(
            "{:<42} {:>8.1} s, estimated {:>8.1} s; then {:>8.1} s, predicted {:>8.1} s: {:>+6.1} %",
            entry.name,
            first.step_time_s,
            plain,
            second.step_time_s,
            predicted,
            100.0 * off
        ));
    }
    println!("{}", table.join("\n"));
    assert!(within >= 10 && furthest < 0.05, "{within} of {} within 5 %:\n{}", logs.len(), table.join("\n"));
}

/// The step alone: peaks of old logs count memory that is only mapped.
fn log_time(log: &Log) -> shardwise_core::calibration::Measured {
    shardwise_core::calibration::Measured { peak_gib: None, ..log.measured() }
}

#[test]
fn a_history_of_wandb_says_what_the_console_does() {
    let (_, console) = logs().into_iter().find(|(entry, _)| entry.name.contains("fsdp2")).unwrap();
    let steps: Vec<Vec<(String, String)>> = console
        .lines()
        .map(|line| {
            let pairs = line.split(" - ").filter_map(|pair| pair.rsplit_once(':'));
            pairs
                .filter(|(key, _)| key.contains('/'))
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect()
        })
        .collect();
    let object = |step: &Vec<(String, String)>| {
        let fields: Vec<String> = step.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
        format!("{{{}}}", fields.join(", "))
    };
    let objects: Vec<String> = steps.iter().map(object).collect();
    let keys: std::collections::BTreeSet<&String> = steps.iter().flatten().map(|(key, _)| key).collect();
    let head: Vec<String> = keys
        .iter()
        .flat_map(|key| [format!("\"run 7 - {key}\""), format!("\"run 7 - {key}__MAX\"")])
        .collect();
    let row = |step: &Vec<(String, String)>| {
        let cell = |key: &&String| {
            step.iter()
                .find(|(own, _)| own == *key)
                .map_or("", |(_, value)| value)
                .to_owned()
        };
        let cells: Vec<String> = keys.iter().flat_map(|key| [cell(key), "999999".to_owned()]).collect();
        cells.join(",")
    };
    let rows: Vec<String> = steps.iter().map(row).collect();
    let told = read_log(&console).unwrap();
    assert_eq!(read_log(&objects.join("\n")).unwrap(), told);
    assert_eq!(read_log(&format!("[{}]", objects.join(","))).unwrap(), told);
    assert_eq!(read_log(&format!("{}\n{}\n", head.join(","), rows.join("\n"))).unwrap(), told);
}

#[test]
fn a_phase_that_differs_is_named_with_its_probable_reason() {
    let mut named = 0;
    for (entry, text) in logs() {
        let log = read_log(&text).unwrap();
        let on = ReadOptions { gpu: Some(entry.gpu.clone()), ..ReadOptions::default() };
        let mut question = read(&[&entry.command], base(&on).as_ref()).unwrap().question;
        question.workload.mean_sequence_length = entry.mean_sequence_length;
        let run = calibrated(&question, log_time(&log), Some(&Log { peak_gib: None, ..log })).unwrap();
        let document = serde_json::to_value(&run).unwrap();
        for gap in document["gaps"].as_array().unwrap() {
            let (measured, estimated) = (gap["measured_s"].as_f64().unwrap(), gap["estimated_s"].as_f64().unwrap());
            assert!((measured - estimated).abs() >= 0.2 * estimated, "{gap}");
            assert!(gap["source"].as_str().unwrap().starts_with("https://"), "{gap}");
            said(gap["text"].as_str().unwrap());
            named += 1;
        }
    }
    assert!(named >= 8, "{named}");
}
