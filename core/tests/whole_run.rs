//! What a whole run meets beside its steps: start-up, evaluation, checkpoints, failures, energy; against published runs.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use shardwise_core::operations::MTBF_GPU_HOURS;
use shardwise_core::run::failures::{Attempts, Failing, best_interval, mtbf};
use shardwise_core::run::saving::Times;
use shardwise_core::wire::{Answer, Expected, Placement, RunOperations, put, question_from_value, to_value};
use shardwise_core::{estimate, permalink};

use crate::questions::{self, Asked, Plan, cases};
use crate::said::said;

fn sft(operations: Value) -> Value {
    json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 16, "usd_per_gpu_hour": 2.0},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "run": {"steps": 2000}},
        "plan": {"backend": "fsdp", "micro_batch": 1, "recompute": "full"}, "operations": operations})
}

fn answer(question: Value) -> Answer {
    let question = question_from_value(question).unwrap();
    // A link carries it.
    assert_eq!(permalink::from_hash(&permalink::to_hash(&question)).unwrap(), question);
    estimate(&question).unwrap()
}

fn met(operations: Value) -> RunOperations {
    answer(sft(operations)).run.unwrap().operations.unwrap()
}

fn expected(operations: Value) -> Expected {
    met(operations).expected.unwrap()
}

#[track_caller]
fn close(a: f64, b: f64, share: f64) {
    assert!((a - b).abs() <= share * b.abs(), "{a} beside {b}");
}

const NOTHING: &str =
    r#"{"startup_s": 0, "checkpoint": {"on": false}, "failures": {"on": false}, "power": {"on": false}}"#;

fn nothing() -> Value {
    serde_json::from_str(NOTHING).unwrap()
}

#[test]
fn a_question_without_it_is_answered_as_ever() {
    let mut question = sft(Value::Null);
    let plain = serde_json::to_value(answer(question.clone())).unwrap();
    assert!(plain["run"]["operations"].is_null());
    question["operations"] = json!({});
    let mut with = serde_json::to_value(answer(question)).unwrap();
    with["run"].as_object_mut().unwrap().remove("operations").unwrap();
    let caveats = with["caveats"].as_array().unwrap().clone();
    let new = ["failures-assumed", "storage-assumed", "startup-assumed", "power-assumed"];
    let older: Vec<Value> = caveats
        .iter()
        .filter(|own| !new.contains(&own["id"].as_str().unwrap()))
        .cloned()
        .collect();
    assert_eq!(older.len() + new.len(), caveats.len());
    with["caveats"] = json!(older);
    assert_eq!(plain, with);
}

#[test]
fn with_every_switch_off_a_run_is_its_steps() {
    let run = answer(sft(nothing())).run.unwrap();
    let own = run.operations.unwrap();
    assert!(own.mtbf_hours.is_none() && own.saving.is_none() && own.restart_s.is_none());
    let found = own.expected.unwrap();
    close(found.hours, run.hours, 1e-12);
    close(found.usd.unwrap(), run.usd.unwrap(), 1e-12);
    assert_eq!((found.goodput, found.failures, found.energy_kwh, found.co2_kg), (1.0, 0.0, None, None));
}

#[test]
fn each_switch_turns_its_line_on() {
    let of = |path: &str, value: Value| {
        let mut own = nothing();
        put(&mut own, path, value);
        expected(own)
    };
    assert_eq!(of("startup_s", json!(3600)).hours_of.startup, 1.0);
    let training = of("startup_s", json!(0)).hours;
    close(of("evaluation.share", json!(0.05)).hours_of.evaluation, 0.05 * training, 1e-12);
    // 2,000 steps with an evaluation after each 300th: six.
    close(of("evaluation", json!({"every_steps": 300, "seconds": 60})).hours_of.evaluation, 0.1, 1e-12);
    let saving = |own: Value| of("checkpoint", own);
    // 8.19 billion weights of 12 bytes at 10 GB/s, forty times.
    let found = saving(json!({"every_steps": 50, "storage_gb_per_s": 10}));
    close(found.hours_of.checkpoints, 40.0 * 8.19e9 * 12.0 / 10e9 / 3600.0, 2e-3);
    let beside = saving(json!({"every_steps": 50, "storage_gb_per_s": 10, "asynchronous": true}));
    assert!(beside.hours_of.checkpoints > 0.0 && beside.hours_of.checkpoints < 0.6 * found.hours_of.checkpoints);
    assert_eq!(saving(json!({"storage_gb_per_s": 10})).hours_of.checkpoints, found.hours_of.checkpoints / 40.0);
    let failing = of("failures", json!({"mtbf_gpu_hours": 1000}));
    assert!(failing.failures > 0.0 && failing.hours_of.lost > 0.0);
    let taken = of("interruptions_per_instance_hour", json!(0.1));
    assert!(taken.failures > 0.0);
    let drawn =
        of("power", json!({"board_w": 700, "node_factor": 1, "utilization": 1, "pue": 1, "grid_gco2_per_kwh": 100}));
    close(drawn.energy_kwh.unwrap(), 16.0 * 0.7 * drawn.hours, 1e-12);
    close(drawn.co2_kg.unwrap(), 0.1 * drawn.energy_kwh.unwrap(), 1e-12);
}

/// 419 unexpected interruptions of Llama 3 405B in 54 days on 16,384 H100, training for good in over 90 % of them
/// (Grattafiori et al. 2024, arXiv:2407.21783). With 14 bytes for each of 405 billion weights, at 2 TB/s, and ten minutes of
/// restart as of `MegaScale`.
#[test]
fn llama_3_was_interrupted_as_often_and_trained_as_long() {
    let hours = 54.0 * 24.0;
    let between = mtbf(Some(MTBF_GPU_HOURS), 16_384.0, 0.0, 2048.0).unwrap();
    close(hours / between, 419.0, 1e-3);
    let write = 405e9 * 14.0 / 2e12;
    let own = Failing { mtbf: between * 3600.0, restart: 600.0, redone: 0.0 };
    let times = Times { write, pause: write };
    let work = 0.92 * hours * 3600.0;
    let parts = own.best_parts(work, 1e6, &times);
    let goodput = work / own.expected(&times.cut(work, parts));
    assert!(goodput > 0.9 && goodput < 0.96, "{goodput}");
    close(work / parts, best_interval(write, own.mtbf), 0.02);
}

/// `MegaScale` restarted over 100 times in several weeks on more than 10,000 GPUs (12,288 in its benchmark), took less than 10
/// minutes to detect and diagnose, caught up within 15 from the last checkpoint, and trained for good in over 90 % of the
/// time (Jiang et al. 2024, arXiv:2402.15627, section 6.3).
#[test]
fn megascale_was_restarted_as_often_and_trained_as_long() {
    let between = mtbf(Some(MTBF_GPU_HOURS), 12_288.0, 0.0, 1536.0).unwrap();
    let weeks = |count: f64| count * 7.0 * 24.0 / between;
    assert!(weeks(3.0) > 100.0 && weeks(2.0) < 100.0, "{between}");
    // Caught up within 15 minutes: checkpoints half an hour apart lose as much on average.
    let own = Failing { mtbf: between * 3600.0, restart: 600.0, redone: 0.0 };
    let run = Attempts { parts: 1000.0, work: 1800.0, pause: 1.0 };
    let goodput = 1000.0 * 1800.0 / own.expected(&run);
    close(goodput, 0.9, 0.02);
    close(own.lost(&run) / (own.expected(&run) / own.mtbf), 900.0, 0.1);
}

/// Bytes of published checkpoints, in GiB as `du` and `ls -h` print them.
///
/// veRL with FSDP saves weights in fp32: 135 of Seed-OSS-36B (verl-project/verl#3318). With Megatron, master weights and two
/// moments: 342 of Qwen3-30B-A3B (359 with 17 of weights that a bug cut short, verl-project/verl#2408).
/// `DeepSpeed`: 90 of Llama 3.1 8B's optimizer and 15 of its weights (`deepspeedai/DeepSpeed#6598`).
#[test]
fn checkpoints_are_as_large_as_published_ones() {
    const GIB: f64 = 1_073_741_824.0;
    let saved = |model: Value, backend: &str, gpus: u64| {
        let mut question = sft(json!({}));
        question["model"] = model;
        question["hardware"]["gpus"] = json!(gpus);
        question["plan"] = json!({"backend": backend});
        answer(question).run.unwrap().checkpoint.unwrap()
    };
    let megatron = saved(json!("qwen3-30b-a3b"), "megatron", 16);
    close(megatron.optimizer_bytes / GIB, 342.0, 0.005);
    let deepspeed = saved(json!("llama-3.1-8b"), "deepspeed", 8);
    close(deepspeed.optimizer_bytes / GIB, 90.0, 0.005);
    close(deepspeed.weights_bytes / GIB, 15.0, 0.005);
    // 36.15 billion weights; FSDP's weights are the masters.
    let fsdp = saved(json!("qwen3-32b"), "fsdp", 16);
    let weights = saved(json!("qwen3-32b"), "deepspeed", 16).weights_bytes / 2.0;
    close(fsdp.weights_bytes / weights, 135.0 * GIB / 36.15e9, 0.005);
    close(fsdp.bytes / weights, 12.0, 1e-9);
}

/// By optimizer: 8-bit Adam keeps two bytes a weight, Muon one moment. Adapters of Qwen2.5-72B of rank 16 in attention: a file
/// of 131,118,496 bytes at two for each, and an optimizer of 262,476,043 at four (MakazhanAlpamys/Soup#352).
#[test]
fn checkpoints_follow_optimizer_and_adapters() {
    let saved = |optimizer: f64| {
        let mut question = sft(json!({}));
        question["plan"]["optimizer_bytes"] = json!(optimizer);
        answer(question).run.unwrap().checkpoint.unwrap()
    };
    let weights = saved(8.0).weights_bytes / 4.0;
    for optimizer in [8.0, 4.0, 2.0] {
        close(saved(optimizer).bytes, (4.0 + optimizer) * weights, 1e-9);
    }
    let mut lora = sft(json!({}));
    lora["model"] = json!("qwen2.5-72b");
    lora["workload"]["kind"] = json!("lora");
    lora["workload"]["lora"] = json!({"rank": 16, "targets": "attention"});
    lora["plan"]["optimizer_bytes"] = json!(4);
    let adapters = answer(lora).run.unwrap().checkpoint.unwrap();
    close(adapters.weights_bytes / 4.0 * 2.0, 131_118_496.0, 1e-3);
    close(adapters.optimizer_bytes, 262_476_043.0, 2e-3);
}

/// Figures 3 to 5 of Daly 2006 are held by the doctest; here that the least is where the formula says.
#[test]
fn dalys_interval_is_the_best_number_of_checkpoints() {
    for (pause, between, work) in [(5.0, 1440.0, 30_000.0), (5.0, 360.0, 30_000.0), (1.0, 1e5, 1e6), (0.01, 50.0, 1e5)]
    {
        let own = Failing { mtbf: between, restart: 10.0, redone: 0.0 };
        let times = Times { write: pause, pause };
        let parts = own.best_parts(work, 1e9, &times);
        let seconds = |parts: f64| own.expected(&times.cut(work, parts));
        assert!(seconds(parts) <= seconds(parts + 1.0) && (parts == 1.0 || seconds(parts) <= seconds(parts - 1.0)));
        let daly = seconds((work / best_interval(pause, between)).round());
        assert!(daly >= seconds(parts) && daly <= seconds(parts) * 1.0005, "{pause} {between}");
    }
}

/// The printed price is hours times price, and lines add up.
fn check_sums(run: &RunOperations, price: Option<f64>) {
    let Some(found) = run.expected else { return };
    assert_eq!(found.hours, found.hours_of.total());
    assert!(found.goodput > 0.0 && found.goodput <= 1.0, "{found:?}");
    assert!(
        found
            .hours_of
            .entries()
            .iter()
            .all(|(_, hours)| *hours >= 0.0 && hours.is_finite()),
        "{found:?}"
    );
    assert_eq!(found.usd.is_some(), price.is_some());
    if let (Some(usd), Some(of), Some(price)) = (found.usd, found.usd_of, price) {
        assert!((usd - price * found.hours).abs() <= 1e-9 * usd.abs());
        assert!((of.total() - usd).abs() <= 1e-9 * usd.abs());
    }
    if let Some(mtbf) = run.mtbf_hours {
        let failing = found.failures * mtbf + found.hours_of.startup;
        assert!((failing - found.hours).abs() <= 1e-9 * found.hours);
    }
}

/// Fields with the least, the most and something that is accepted.
const FIELDS: &[(&str, &[f64])] = &[
    ("startup_s", &[0.0, 660.0, 1e7]),
    ("restart_s", &[0.0, 1e-300, 600.0, 1e7]),
    ("evaluation.share", &[0.0, 0.05, 10.0]),
    ("checkpoint.every_minutes", &[0.01, 30.0, 1e6]),
    ("checkpoint.storage_gb_per_s", &[0.001, 10.0, 1e6]),
    ("failures.mtbf_gpu_hours", &[1.0, 50_000.0, 1e9]),
    ("interruptions_per_instance_hour", &[0.0, 0.05, 1000.0]),
    ("power.board_w", &[1.0, 700.0, 10_000.0]),
    ("power.node_factor", &[1.0, 10.0]),
    ("power.utilization", &[0.0, 1.0]),
    ("power.pue", &[1.0, 10.0]),
    ("power.grid_gco2_per_kwh", &[0.0, 2000.0]),
];

fn operations() -> BoxedStrategy<Value> {
    let change = (0..FIELDS.len(), any::<proptest::sample::Index>());
    let switches = (select(vec![None, Some(true), Some(false)]), any::<bool>(), any::<bool>());
    (proptest::collection::vec(change, 0..8), switches)
        .prop_map(|(changes, (asynchronous, saves, fails))| {
            let mut own = json!({});
            for (field, value) in changes {
                let (path, values) = FIELDS[field];
                put(&mut own, path, json!(values[value.index(values.len())]));
            }
            if let Some(asynchronous) = asynchronous {
                put(&mut own, "checkpoint.asynchronous", json!(asynchronous));
                put(&mut own, "checkpoint.on", json!(saves));
                put(&mut own, "failures.on", json!(fails));
            }
            own
        })
        .boxed()
}

fn of_question(asked: &shardwise_core::Question, operations: &Value) -> Option<Answer> {
    let mut document = to_value(asked);
    document["operations"] = operations.clone();
    estimate(&question_from_value(document).unwrap()).ok()
}

fn finite(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(map) => map.values().all(finite),
        _ => true,
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn every_run_adds_up_and_is_finite(Asked(asked) in questions::question(Plan::Complete), own in operations()) {
        let Some(answer) = of_question(&asked, &own) else { return Ok(()) };
        let Some(run) = answer.run.and_then(|run| run.operations) else { return Ok(()) };
        prop_assert!(finite(&serde_json::to_value(run).unwrap()), "{run:?}");
        let gpus = asked.hardware.gpus.unwrap_or(8) as f64;
        // A teacher's pool is paid beside them.
        if asked.workload.distillation.is_some_and(|own| own.placement == Some(Placement::Pool)) {
            return Ok(());
        }
        check_sums(&run, answer.usd_per_gpu_hour.map(|usd| usd * gpus));
        let said = answer.advice.iter().any(|own| own.id == "never-finishes");
        prop_assert_eq!(said, run.expected.is_none());
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// More failures, slower restarts and slower storage never cost less.
    #[test]
    fn worse_is_never_cheaper(Asked(asked) in questions::question(Plan::Complete), own in operations(),
        field in select(vec!["failures.mtbf_gpu_hours", "checkpoint.storage_gb_per_s", "restart_s", "interruptions_per_instance_hour"])) {
        let better = matches!(field, "failures.mtbf_gpu_hours" | "checkpoint.storage_gb_per_s");
        let mut last = 0.0;
        for step in 0..6 {
            let value = 1000.0 * if better { 8_f64.powi(3 - step) } else { 8_f64.powi(step - 4) };
            let mut own = own.clone();
            put(&mut own, field, json!(value.clamp(0.001, 1000.0)));
            if field == "failures.mtbf_gpu_hours" {
                put(&mut own, field, json!(value.max(1.0)));
            }
            let Some(run) = of_question(&asked, &own).and_then(|found| found.run?.operations) else { return Ok(()) };
            let hours = run.expected.map_or(f64::INFINITY, |own| own.hours);
            prop_assert!(hours >= last * (1.0 - 1e-9), "{field} {value}: {hours} after {last}");
            last = hours;
        }
    }
}

#[test]
fn what_fails_faster_than_it_restarts_is_said_never_to_finish() {
    let own = json!({"restart_s": 7200, "checkpoint": {"storage_gb_per_s": 0.01}, "failures": {"mtbf_gpu_hours": 4}});
    let answer = answer(sft(own));
    let run = answer.run.unwrap();
    let met = run.operations.unwrap();
    assert!(met.expected.is_none() && met.mtbf_hours == Some(0.25));
    let advice = answer.advice.iter().find(|own| own.id == "never-finishes").unwrap();
    assert!(advice.text.contains("every 15.0 minutes") && advice.text.contains("restart 120.0"), "{}", advice.text);
    said(&advice.text);
    // What it says helps.
    let helped = json!({"startup_s": 0, "restart_s": 60, "checkpoint": {"storage_gb_per_s": 100},
        "failures": {"mtbf_gpu_hours": 40}});
    assert!(expected(helped).goodput > 0.9);
}

#[test]
fn a_run_of_unknown_length_says_what_is_missing() {
    let mut question = sft(json!({}));
    question["workload"].as_object_mut().unwrap().remove("run");
    let answer = answer(question);
    assert!(answer.run.is_none());
    assert!(answer.caveats.iter().any(|own| own.id == "operations-without-run"));
}
