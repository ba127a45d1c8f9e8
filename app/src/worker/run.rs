//! A log that was pasted: beside the estimate of its run, and as the row of published runs that it becomes.

use std::num::NonZeroU64;

use serde_json::{Map, Value, json};
use shardwise_core::calibration::Measured;
use shardwise_core::interface::{Contribution, Figure, Origin, calibrated, contributed};
use shardwise_core::log::read_log;
use shardwise_core::read::{Reading, read};
use shardwise_core::wire::{VERSION, question_from_value};
use shardwise_core::{InputError, Question};

use crate::prices;
use crate::protocol::state;

/// What a script need not say, a reading assumes, and a row cannot: the field, and the key of what a person gives for it.
const UNTOLD: [(&str, &str); 2] = [("hardware.gpu", "gpu"), ("hardware.gpus", "gpus")];

/// The run of a log.
struct Run {
    question: Question,
    /// Keys of [`UNTOLD`] that its script leaves open.
    open: Vec<&'static str>,
    /// What its script does not state besides: field, value and why.
    unstated: Vec<[String; 3]>,
}

/// A log beside the estimate of its run: that of the script which is pasted with it, else of the question that the page shows.
pub(super) fn logged(texts: &[&str], base: &Value, given: &Map<String, Value>) -> Option<Value> {
    let place = texts.iter().position(|text| read_log(text).is_ok())?;
    let text = texts.get(place)?;
    let log = read_log(text).ok()?;
    let scripts: Vec<&str> = (0..).zip(texts).filter(|(at, _)| *at != place).map(|(_, text)| *text).collect();
    let run = if scripts.is_empty() { shown(base) } else { scripted(&scripts, given) };
    let run = match run {
        Ok(run) => run,
        Err(refused) => return Some(json!({ "log": log, "refused": refused })),
    };
    let mut found: Map<String, Value> = match calibrated(&run.question, Measured::default(), Some(&log)) {
        Ok(run) => serde_json::from_value(json!(run)).unwrap_or_default(),
        // As where it ran on other GPUs than were assumed: they can be given yet.
        Err(error) => {
            state([("log".to_owned(), json!(log)), ("refused".to_owned(), json!([error.field, error.message]))])
        }
    };
    found.insert("row".to_owned(), row(text, &run, given));
    Some(found.into())
}

/// The run that the page shows.
fn shown(base: &Value) -> Result<Run, [String; 2]> {
    let question = question_from_value(base.clone()).map_err(|error| [error.field, error.message])?;
    Ok(Run { question, open: Vec::new(), unstated: Vec::new() })
}

/// The run of a script, on what a person says that it ran on where the script does not.
fn scripted(scripts: &[&str], given: &Map<String, Value>) -> Result<Run, [String; 2]> {
    let read = |base: Option<&Question>| read(scripts, base).map_err(|trouble| [String::new(), trouble.message]);
    let alone = read(None)?;
    let assumes = |reading: &Reading, field: &str| reading.assumed.iter().any(|own| own.field == field);
    let open = UNTOLD
        .into_iter()
        .filter(|(field, _)| assumes(&alone, field))
        .map(|(_, key)| key);
    let open: Vec<&str> = open.collect();
    let told = hardware(&open, &alone.question.hardware.gpu, given).and_then(|hardware| {
        let base = json!({ "version": VERSION, "model": null, "hardware": hardware, "workload": { "kind": "sft" } });
        question_from_value(base).ok()
    });
    let reading = if told.is_some() { read(told.as_ref())? } else { alone };
    let unstated = reading
        .assumed
        .into_iter()
        .filter(|own| UNTOLD.iter().all(|(field, _)| *field != own.field));
    let unstated = unstated.map(|own| [own.field, own.value, own.why]).collect();
    Ok(Run { question: reading.question, open, unstated })
}

/// The hardware that a person gave, on the `assumed` GPU where that is not among it; `None` before any is given.
fn hardware(open: &[&str], assumed: &Value, given: &Map<String, Value>) -> Option<Value> {
    let [gpu, gpus] = ["gpu", "gpus"].map(|key| word(given, key).filter(|_| open.contains(&key)));
    let gpus = gpus.and_then(|gpus| gpus.parse::<NonZeroU64>().ok());
    (gpu.is_some() || gpus.is_some())
        .then(|| json!({ "gpu": gpu.map_or_else(|| assumed.clone(), Value::from), "gpus": gpus }))
}

/// What is given under a key; nothing where that is blank.
fn word(given: &Map<String, Value>, key: &str) -> Option<String> {
    let word = given.get(key)?.as_str()?.trim();
    (!word.is_empty()).then(|| word.to_owned())
}

/// The row, or all that it lacks, by field; a message is empty where it is the page that asks.
fn row(log: &str, run: &Run, given: &Map<String, Value>) -> Value {
    let own = |key: &str| word(given, key);
    let origin = Origin {
        address: own("address"),
        date: own("date"),
        by: own("by"),
        model: own("model"),
        note: own("note"),
        ..Origin::default()
    };
    let counts = |key: &str| own(key).is_some_and(|own| key != "gpus" || own.parse::<NonZeroU64>().is_ok());
    let mut wrong: Vec<InputError> = run
        .open
        .iter()
        .filter(|key| !counts(key))
        .map(|key| InputError::new(*key, ""))
        .collect();
    // A row holds no price, and none of one's own.
    let found = contributed(log, &prices::without(&run.question, None), &origin);
    let made = found.map_err(|more| wrong.extend(more)).ok().filter(|_| wrong.is_empty());
    json!({
        "given": given,
        "open": run.open,
        "nameless": !run.question.model.is_string(),
        "unstated": run.unstated,
        "wrong": wrong.into_iter().map(|error| [error.field, error.message]).collect::<Vec<_>>(),
        "made": made.map(|made| written(&made)),
    })
}

/// A row as it is handed in, and what the table of phases does not compare.
fn written(made: &Contribution) -> Value {
    let more = made
        .compared
        .iter()
        .filter(|own| matches!(own.figure, Figure::Speed | Figure::Peak));
    json!({
        "id": made.row.id,
        "file": made.file,
        "line": serde_json::to_string(&made.row).unwrap_or_default(),
        "compared": more.map(|own| own.says()).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::{logged, row, shown};
    use serde_json::{Map, Value, json};
    use shardwise_core::Question;
    use shardwise_core::interface::{Origin, base, contributed};
    use shardwise_core::read::read;
    use shardwise_core::wire::{ReadOptions, to_value};

    const LOG: &str = include_str!("../../../core/tests/data/logs/luojiu-llama2-7b-qlora-llamafactory.log");
    const SCRIPT: &str = "python src/train_bash.py --stage pt --do_train True --model_name_or_path meta-llama/Llama-2-7b-hf \
        --finetuning_type lora --quantization_bit 4 --lora_rank 32 --lora_target q_proj,v_proj --per_device_train_batch_size 8 \
        --gradient_accumulation_steps 4 --fp16 True --optim adamw_torch --cutoff_len 1024";
    const GIVEN: [(&str, &str); 5] = [
        ("address", "https://example.org/runs/1/trainer_log.jsonl"),
        ("date", "2026-11-27"),
        ("by", "Example Lab"),
        ("gpu", "a10"),
        ("gpus", "1"),
    ];

    fn given(pairs: &[(&str, &str)]) -> Map<String, Value> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect()
    }

    fn ask(texts: &[&str], base: &Value, pairs: &[(&str, &str)]) -> Value {
        logged(texts, base, &given(pairs)).map_or(Value::Null, |mut run| run["row"].take())
    }

    /// What the script asks, on the GPU that it ran on.
    fn question_of_script() -> Question {
        let on = base(&ReadOptions { gpu: Some("a10".to_owned()), ..ReadOptions::default() });
        let reading = read(&[SCRIPT], on.as_ref());
        let mut question = reading.unwrap_or_else(|own| panic!("{own:?}")).question;
        // 8 sequences of 4 passes, on one.
        (question.hardware.gpus, question.workload.global_batch) = (Some(1), Some(32));
        question
    }

    /// The fields that something is wrong with.
    fn wrong(row: &Value) -> Vec<&str> {
        let all = row["wrong"].as_array().map_or(&[][..], Vec::as_slice);
        all.iter().filter_map(|own| own[0].as_str()).collect()
    }

    #[test]
    fn what_neither_log_nor_script_says_is_asked_for_and_then_the_row_is_the_command_s() {
        let texts = [LOG, SCRIPT];
        let nothing = ask(&texts, &Value::Null, &[]);
        assert_eq!(wrong(&nothing), ["gpu", "gpus", "address", "date", "by"]);
        assert_eq!(nothing["made"], Value::Null);
        let more = ask(&texts, &Value::Null, &[GIVEN[0], GIVEN[3], ("gpus", "some"), ("date", "yesterday")]);
        assert_eq!(wrong(&more), ["gpus", "date", "by"]);
        let whole = ask(&texts, &Value::Null, &GIVEN);
        assert_eq!(wrong(&whole), [""; 0]);
        let line: Value = serde_json::from_str(whole["made"]["line"].as_str().unwrap_or_default()).unwrap_or_default();
        assert_eq!(line["question"]["hardware"]["gpu"], "a10");
        assert_eq!(line["question"]["hardware"]["gpus"], 1);
        // As the command makes it of the same question.
        let question = question_of_script();
        let own = |key: &str| {
            GIVEN
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| (*value).to_owned())
        };
        let origin = Origin { address: own("address"), date: own("date"), by: own("by"), ..Origin::default() };
        let made = contributed(LOG, &question, &origin).unwrap_or_else(|wrong| panic!("{wrong:?}"));
        assert_eq!(whole["made"]["line"].as_str(), serde_json::to_string(&made.row).ok().as_deref());
        assert_eq!(whole["made"]["file"], made.file);
    }

    #[test]
    fn the_question_that_the_page_shows_needs_a_plan_and_no_prices_of_one_s_own() {
        let question = json!({"version": 1, "model": "llama-2-7b", "hardware": {"gpu": "a10", "gpus": 1},
            "workload": {"kind": "pretrain", "sequence_length": 1024, "global_batch": 32}});
        assert_eq!(wrong(&ask(&[LOG], &question, &GIVEN)), ["plan"]);
        let run = shown(&to_value(&question_of_script())).unwrap_or_else(|wrong| panic!("{wrong:?}"));
        assert_eq!(wrong(&row(LOG, &run, &given(&GIVEN))), [""; 0]);
        // A log that went wrong says so.
        let broken = LOG.replacen("\"loss\": 1.7484", "\"loss\": NaN", 1);
        assert_eq!(wrong(&row(&broken, &run, &given(&GIVEN))), ["log"]);
    }
}
