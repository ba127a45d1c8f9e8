//! "The cheapest LoRA of Llama-3.3-70B over 50 M tokens that ends within a day": over every GPU type and number, by offer.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use shardwise_core::catalog;
use shardwise_core::interface;
use shardwise_core::wire::{parse_options, question_from_value};

use crate::cases::recorded;

/// The offers that a search with a deadline lists of a market, best first.
fn within_a_day(market: &Value) -> Vec<Value> {
    let question = question_from_value(json!({"version": 1, "model": "llama-3.3-70b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8, "market": market},
        "workload": {"kind": "lora", "sequence_length": 2048, "global_batch": 16, "tokens": 5e7}}))
    .unwrap();
    let options = parse_options(r#"{"gpu": ["all"], "within_hours": 24}"#).unwrap();
    let found: Value = serde_json::from_str(&interface::search(&question, &options).unwrap()).unwrap();
    found["offers"].as_array().unwrap().clone()
}

/// An offer in a line: who rents out what, how many of it, for how long and how much.
fn line(offer: &Value) -> String {
    let (answer, run) = (&offer["answer"], &offer["answer"]["run"]);
    let rental = &answer["offer"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    format!(
        "{} {} ({}, {}) x {}: {} {}, {:.2} h, {:.2} USD",
        text(&rental["provider"]),
        text(&rental["instance"]),
        text(&rental["region"]),
        text(&rental["kind"]),
        rental["instances"],
        offer["gpus"],
        text(&offer["gpu"]),
        run["hours"].as_f64().unwrap(),
        run["usd"].as_f64().unwrap()
    )
}

#[test]
fn the_cheapest_run_within_a_day_names_who_rents_out_what() {
    let mut today = String::new();
    let mut firsts = Vec::new();
    for (name, market) in [
        ("all on demand", json!({})),
        ("AWS and Lambda", json!({"providers": ["AWS", "Lambda"]})),
        ("all kinds", json!({"kinds": ["on-demand", "spot", "reserved-1y", "market"]})),
    ] {
        let found = within_a_day(&market);
        writeln!(today, "{name}").unwrap();
        for offer in &found {
            assert_eq!(offer["meets"], true);
            assert_eq!(offer["meets_surely"], true);
            let (answer, run) = (&offer["answer"], &offer["answer"]["run"]);
            let [hours, usd] = ["hours", "usd"].map(|key| run[key].as_f64().unwrap());
            let rate = answer["offer"]["usd_per_hour"].as_f64().unwrap();
            let slow = answer["interval"]["tokens_per_s_per_gpu"][0].as_f64().unwrap();
            let slower = answer["tokens_per_s_per_gpu"].as_f64().unwrap() / slow;
            assert!(hours * slower <= 24.0 && (usd - hours * rate).abs() < 0.005, "{hours} h at {rate}: {usd}");
            let own = catalog::offer(answer["offer"]["id"].as_str().unwrap()).unwrap();
            assert_eq!(offer["gpu"], own.gpu().unwrap().id);
            writeln!(today, "  {}", line(offer)).unwrap();
        }
        // What differs by less than the third digit is equal, and of that the fewest GPUs are first.
        // Of a card that no known run is on the slow end counts.
        let paid = |offer: &Value| {
            let answer = &offer["answer"];
            let untried = answer["caveats"].as_array().unwrap().iter().any(|own| own["id"] == "no-run");
            let slow = answer["interval"]["tokens_per_s_per_gpu"][0].as_f64().unwrap();
            let slower = answer["tokens_per_s_per_gpu"].as_f64().unwrap() / slow;
            answer["run"]["usd"].as_f64().unwrap() * if untried { slower } else { 1.0 }
        };
        assert!(found.is_sorted_by(|a, b| paid(a) <= paid(b) * 1.01), "{today}");
        firsts.push((paid(&found[0]), line(&found[0])));
    }
    let [all, two, kinds] = &firsts[..] else { panic!("three markets") };
    assert!(two.0 > all.0 && two.1 != all.1 && (two.1.starts_with("AWS ") || two.1.starts_with("Lambda ")), "{two:?}");
    assert!(kinds.0 <= all.0 * 1.01, "{kinds:?}");
    recorded(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/market/deadline.txt"), &today);
}
