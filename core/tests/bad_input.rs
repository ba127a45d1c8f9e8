//! What is refused: always by the field's name, always with a remedy, never by a panic. `cases/refused/` holds what.

use serde::Deserialize;
use serde_json::{Value, json};
use shardwise_core::wire::{parse_question, put, question_from_value, take};
use shardwise_core::{InputError, emit, encoding, estimate, flags, interface, permalink, read, search, sheet};

use crate::cases::{self, Ask};
use crate::said::said;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    question: Vec<Asked>,
}

/// A question that is answered, and what is refused of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    ask: Ask,
    refused: Vec<Row>,
}

/// One field with another value, or without one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    path: String,
    value: Option<Value>,
    /// The value in JSON, where TOML has none such: null, and what is larger than it counts.
    json: Option<String>,
    /// What the refusal names, where that is not the path.
    field: Option<String>,
    /// A part of the message.
    says: String,
}

impl Row {
    fn value(&self) -> Option<Value> {
        let json = self.json.as_ref().map(|text| serde_json::from_str(text).unwrap());
        json.or_else(|| self.value.clone())
    }

    fn name(&self) -> String {
        let value = self.value().map_or("left out".to_owned(), |value| value.to_string());
        format!("{} = {value}", self.path)
    }

    fn check(&self, question: &Value) {
        let mut question = question.clone();
        match self.value() {
            Some(value) => put(&mut question, &self.path, value),
            None => take(&mut question, &self.path),
        }
        let error = refusal(&question);
        said(&error.message);
        assert_eq!(&error.field, self.field.as_ref().unwrap_or(&self.path), "{error}");
        assert!(!self.says.is_empty() && error.message.contains(&self.says), "{error}");
        assert!(error.message.ends_with('.'), "{error}");
    }
}

#[test]
fn what_is_wrong_is_refused_by_field_and_remedy() {
    cases::each("refused", |_, file: File, run| {
        for asked in file.question {
            let document = asked.ask.document();
            run.case("the question itself", || drop(estimate(&asked.ask.question()).expect("it is answered")));
            for row in asked.refused {
                run.case(&row.name(), || row.check(&document));
            }
        }
    });
}

/// A training question that is answered as it is.
fn sft() -> Value {
    cases::question("sft")
}

/// The question with one value set, by dotted path.
fn with(mut question: Value, path: &str, value: &Value) -> Value {
    put(&mut question, path, value.clone());
    question
}

fn refusal(question: &Value) -> InputError {
    // The text, as the command line reads it.
    let result = parse_question(&question.to_string()).and_then(|question| estimate(&question));
    match result {
        Ok(answer) => panic!("answered: {question}\n{}", serde_json::to_string(&answer).unwrap()),
        Err(error) => error,
    }
}

/// The search and the flags refuse what the estimate refuses.
#[test]
fn every_entrance_refuses() {
    for (path, value, field) in [
        ("plan.tensor_parallel", json!(3), "plan.tensor_parallel"),
        ("hardware.gpus", json!(0), "hardware.gpus"),
        ("model", json!("nothing"), "model"),
    ] {
        let mut question = with(sft(), path, &value);
        let refusals = |question: &Value| {
            let question = question_from_value(question.clone()).unwrap();
            let mut found = vec![estimate(&question).unwrap_err(), search(&question, None, 3).unwrap_err()];
            for framework in emit::FRAMEWORKS {
                found.extend(flags(&question, framework, framework.versions[0], "").err());
            }
            // A link carries a question that is refused as well as any other.
            let back = permalink::from_hash(&permalink::to_hash(&question)).unwrap();
            found.push(estimate(&back).unwrap_err());
            found
        };
        for error in refusals(&question) {
            assert_eq!(error.field, field, "{error}");
        }
        // The same where the search has to fill in the rest.
        question["plan"].as_object_mut().unwrap().remove("micro_batch");
        for error in refusals(&question) {
            assert_eq!(error.field, field, "{error}");
        }
    }
}

#[test]
fn text_that_is_no_question() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_object = format!("{}1{}", "{\"plan\":".repeat(50_000), "}".repeat(50_000));
    let long = format!("{{\"model\": \"{}\"}}", "a".repeat(2 << 20));
    let long_model = sft().to_string().replace("llama-2-7b", &"b".repeat(500_000));
    for text in [
        "",
        " ",
        "{",
        "null",
        "7",
        "\"llama-2-7b\"",
        "[]",
        "[1, 2]",
        "NaN",
        "{\"version\": NaN}",
        "{\"version\": Infinity}",
        "{\"version\": 1e400}",
        "version: 1",
        "{'version': 1}",
        "{\"version\": 1,}",
        "\u{feff}{}",
        "\u{0}",
        deep.as_str(),
        deep_object.as_str(),
        long.as_str(),
        long_model.as_str(),
    ] {
        let error = parse_question(text).and_then(|question| estimate(&question)).unwrap_err();
        assert!(!error.field.is_empty(), "{error}");
        assert!(error.message.ends_with('.'), "{error}");
        assert!(error.message.len() < 2000, "{} characters about {} characters", error.message.len(), text.len());
    }
}

#[test]
fn a_texts_encoding_is_read_past_or_named() {
    let question = sft().to_string();
    let marked = format!("\u{feff}{question}");
    assert_eq!(parse_question(&marked).unwrap(), parse_question(&question).unwrap());
    assert_eq!(interface::ask_link(&marked, false), interface::ask_link(&question, false));
    // As who decodes UTF-8 hands it on: a page, or Python's open().
    let wide: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for text in [String::from_utf8_lossy(&wide).into_owned(), "{\0}\0".to_owned(), "\0{\0}".to_owned()] {
        assert_eq!(parse_question(&text).unwrap_err().message, encoding::UTF_16);
        assert_eq!(read::read(&[&text], None).unwrap_err().message, encoding::UTF_16);
        assert_eq!(sheet::read(&text).unwrap_err()[0].message, encoding::UTF_16);
    }
}

#[test]
fn cut_links() {
    let question = question_from_value(sft()).unwrap();
    let link = permalink::to_hash(&question);
    let cut = &link[..link.find("plan.tensor_parallel=").unwrap() + 8];
    let error = permalink::from_hash(cut).unwrap_err();
    assert!(error.field.starts_with("plan.ten"), "{error}");
    assert!(error.message.contains("Copy the whole link"), "{error}");
}

#[cfg(feature = "cli")]
mod command_line {
    use std::io::Write;
    use std::process::{Command, Output, Stdio};

    use serde_json::{Value, json};

    fn run(arguments: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shardwise"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        // A command that stops reading early has said why.
        drop(writer.join().unwrap());
        output
    }

    fn lines(output: &Output) -> Vec<Value> {
        let text = std::str::from_utf8(&output.stdout).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }

    #[test]
    fn a_figure_that_no_answer_has_is_refused_by_name() {
        let question = super::sft().to_string();
        let output = run(&["explain", "--json", "--figure", "mfu"], question.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let explained = &lines(&output)[0]["explanations"][0];
        assert_eq!(explained["figure"], "mfu");
        assert!(explained["put_in"].as_str().unwrap().contains(" TFLOPS) = "));
        let output = run(&["explain", "--figure", "speed"], question.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        let error = &lines(&output)[0]["error"];
        assert_eq!(error["field"], "figure");
        assert!(error["message"].as_str().unwrap().contains("mfu"), "{error}");
        let output = run(&["methods", "--json"], b"");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(document["groups"].as_array().unwrap().len() > 10);
    }

    #[test]
    fn a_run_that_makes_no_calibration_is_a_line_and_a_status() {
        let question = super::sft().to_string();
        let seconds = ["calibrate", "--step-time-s", "4", "--peak-gib", "50"];
        let output = run(&seconds, question.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let document = &lines(&output)[0];
        let factors = &document["calibrated"]["calibration"];
        assert!(factors["time"].is_f64() && factors["memory"].is_f64(), "{document}");
        assert_eq!(&document["question"]["calibration"], factors);
        // The question with its factors is one.
        let output = run(&["estimate"], document["question"].to_string().as_bytes());
        assert_eq!(&lines(&output)[0]["calibration"], factors);

        for (arguments, field) in [
            (&["calibrate"][..], "step_time_s"),
            (&["calibrate", "--step-time-s", "nan"], "step_time_s"),
            (&["calibrate", "--step-time-s=-5"], "step_time_s"),
            (&["calibrate", "--forward-s", "1"], "backward_s"),
            (&["calibrate", "--peak-gib", "1e308"], "peak_gib"),
        ] {
            let output = run(arguments, question.as_bytes());
            assert_eq!(output.status.code(), Some(1), "{arguments:?}");
            assert_eq!(lines(&output)[0]["error"]["field"], field, "{arguments:?}");
        }
        let output = run(&["calibrate", "--step-time-s", "x"], question.as_bytes());
        assert_eq!(output.status.code(), Some(2));
    }

    #[test]
    fn sensitivity_answers_line_by_line() {
        let good = super::sft().to_string();
        let bad = super::with(super::sft(), "plan.tensor_parallel", &json!(3)).to_string();
        let output = run(&["sensitivity"], format!("{good}\n{bad}\n").as_bytes());
        assert_eq!(output.status.code(), Some(1));
        let [found, refused] = &lines(&output)[..] else { panic!("two lines") };
        assert_eq!(found["version"], 1);
        assert!(found["now"]["tokens_per_s"].as_f64().unwrap() > 0.0);
        let changes = found["changes"].as_array().unwrap();
        assert!(changes.len() > 10, "{changes:?}");
        assert!(changes.iter().all(|change| change["set"].is_object()));
        assert_eq!(refused["error"]["field"], "plan.tensor_parallel");
    }

    #[test]
    fn a_refusal_never_stops_the_others() {
        let good = super::sft().to_string();
        let bad = super::with(super::sft(), "plan.tensor_parallel", &json!(3)).to_string();
        let mut input = format!("{good}\n{bad}\nnonsense\n\n").into_bytes();
        input.extend(b"{\"version\": 1, \"model\": \"\xff\xfe\"}\n");
        input.extend(good.as_bytes());
        let output = run(&["estimate"], &input);
        assert_eq!(output.status.code(), Some(1));
        let lines = lines(&output);
        let fields: Vec<&Value> = lines.iter().map(|line| &line["error"]["field"]).collect();
        assert_eq!(
            fields,
            [&Value::Null, &json!("plan.tensor_parallel"), &json!("question"), &json!("hardware"), &Value::Null]
        );
        assert!(lines.iter().all(|line| line["version"] == 1));
        assert_eq!(lines[0], lines[4]);
        assert!(lines[1]["error"]["message"].as_str().unwrap().contains("2 or 4"));
        assert!(String::from_utf8_lossy(&output.stderr).is_empty());
    }

    #[test]
    fn each_refusal_of_the_list_has_its_line_and_status() {
        for (path, value, field) in [
            ("model", json!({"num_hidden_layers": 2}), "model.hidden_size"),
            ("model", json!({"model_type": "nobody-nas", "block_configs": [1]}), "model.model_type"),
            ("plan.tensor_parallel", json!(3), "plan.tensor_parallel"),
            ("hardware.gpus", json!(0), "hardware.gpus"),
            ("hardware.usd_per_gpu_hour", json!(-1), "hardware.usd_per_gpu_hour"),
            ("workload.tokens", json!(1e18), "workload.tokens"),
        ] {
            let question = super::with(super::sft(), path, &value);
            for command in [&["estimate"][..], &["search"], &["flags", "--for", "deepspeed"]] {
                // On one line and on several.
                for text in [question.to_string(), serde_json::to_string_pretty(&question).unwrap()] {
                    let output = run(command, text.as_bytes());
                    assert_eq!(output.status.code(), Some(1), "{command:?} {path}");
                    let lines = lines(&output);
                    assert_eq!(lines.len(), 1, "{command:?} {path}");
                    assert_eq!(lines[0]["error"]["field"], field, "{command:?}");
                }
            }
        }
    }

    #[test]
    fn answers_exit_with_success() {
        let output = run(&["estimate"], super::sft().to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(lines(&output).len(), 1);
        let output = run(&["estimate"], b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let output = run(&["estimate", "no-such-file.json"], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file.json"));
    }

    #[test]
    fn huge_input_gets_one_line_each() {
        let mut input = "a".repeat(2 << 20).into_bytes();
        input.push(b'\n');
        input.extend(super::sft().to_string().as_bytes());
        let output = run(&["estimate"], &input);
        assert_eq!(output.status.code(), Some(1));
        let lines = lines(&output);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["error"]["field"], "question");
        assert_eq!(lines[1]["fits"], true);
    }
}
