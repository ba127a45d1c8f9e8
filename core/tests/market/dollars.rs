//! Dollars: hours times the price of what is rented, and nothing else follows from a price.

use serde_json::{Value, json};
use shardwise_core::catalog::Offer;
use shardwise_core::wire::{Question, question_from_value, to_value};
use shardwise_core::{Answer, catalog, estimate, job};

use super::{asked, on, tasks};

/// A question with all that can cost something: a run, and what that meets beside its steps.
fn with_operations(mut question: Question) -> Question {
    let mut document = to_value(&question);
    document["operations"] = json!({"failures": {}, "checkpoint": {}, "evaluation": {"share": 0.05}});
    if document["workload"].get("rl").is_none() && document["workload"].get("tokens").is_none() {
        document["workload"]["tokens"] = json!(2e8);
    }
    question = question_from_value(document).unwrap_or_else(|error| panic!("{error}"));
    question
}

/// The machine of an offer as a question states it that knows of no offers.
fn by_hand(question: &Question, usd_per_gpu_hour: f64) -> Question {
    let machine = job::resolve(question).unwrap().hardware;
    let node = machine.gpus_per_node;
    let mut document = to_value(question);
    document["hardware"] = json!({
        "gpu": {"base": machine.gpu, "nvlink_gb_per_s": machine.nvlink_gb_per_s, "nvlink_domain": machine.nvlink_domain},
        "gpus": machine.gpus,
        "gpus_per_node": node,
        "internode_gbit_per_s_per_gpu": machine.internode_gbit_per_s,
        "usd_per_gpu_hour": usd_per_gpu_hour,
    });
    if let Some(gib) = machine.host_ram_gib() {
        document["hardware"]["host_ram_gib"] = json!(gib);
    }
    question_from_value(document).unwrap()
}

/// Every figure in dollars with its place, and the answer without them and without what says whose machine it is.
fn parted(answer: &Answer) -> (Vec<(String, f64)>, Value) {
    fn take(value: &mut Value, path: &str, priced: bool, found: &mut Vec<(String, f64)>) {
        match value {
            Value::Number(number) if priced => {
                found.push((path.to_owned(), number.as_f64().unwrap()));
                *value = Value::Null;
            }
            Value::Object(fields) => {
                for (key, value) in fields {
                    take(value, &format!("{path}.{key}"), priced || key.contains("usd"), found);
                }
            }
            Value::Array(items) => {
                for (place, item) in items.iter_mut().enumerate() {
                    take(item, &format!("{path}[{place}]"), priced, found);
                }
            }
            _ => {}
        }
    }
    let mut value = serde_json::to_value(answer).unwrap();
    value.as_object_mut().unwrap().remove("offer");
    // A caveat of an offer, and texts that name the price or the GPU, are none of its figures.
    for list in ["caveats", "advice"] {
        let items = value[list].as_array_mut().unwrap();
        items.retain(|one| !one["id"].as_str().unwrap().starts_with("offer-"));
        for one in items {
            one["text"] = Value::Null;
        }
    }
    let mut found = Vec::new();
    take(&mut value, "answer", false, &mut found);
    (found, value)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Machines of one card and of several, of one instance and of several.
const MACHINES: [(&str, u64); 6] =
    [("h100-sxm", 8), ("h100-sxm", 16), ("l40s", 4), ("t4", 1), ("a100-sxm-80g", 8), ("rtx-4090", 1)];

/// Every question of [`tasks`] on each of [`MACHINES`] that it can be asked of, on the offer that it rents.
fn rented() -> Vec<(Question, Answer)> {
    let mut found = Vec::new();
    for (gpu, gpus) in MACHINES {
        for task in tasks() {
            let market = with_operations(asked(&task, gpu, gpus, json!({})));
            let Ok(answer) = estimate(&market) else { continue };
            let rental = answer.offer.as_ref().unwrap_or_else(|| panic!("nobody rents out {gpus} {gpu}"));
            let named = on(&market, catalog::offer(&rental.id).unwrap());
            found.push((named, answer));
        }
    }
    assert!(found.len() > 25, "{}", found.len());
    found
}

#[test]
fn an_offer_is_the_machine_that_it_states() {
    for (question, of_the_market) in rented() {
        let named = estimate(&question).unwrap();
        let hand = estimate(&by_hand(&question, named.usd_per_gpu_hour.unwrap())).unwrap();
        assert_eq!(named.offer, of_the_market.offer);
        assert_eq!(hand.offer, None);
        let [(named, rest), (of_the_market, other), (hand, by_hand)] = [&named, &of_the_market, &hand].map(parted);
        assert_eq!(named, of_the_market);
        assert_eq!(rest, other);
        assert_eq!(named.len(), hand.len());
        let same = named.iter().zip(&hand).all(|((a, of), (b, by))| a == b && close(*of, *by));
        assert!(same, "{named:?}\n{hand:?}");
        assert_eq!(rest, by_hand);
    }
}

#[test]
fn every_dollar_grows_as_the_price_and_nothing_else_does() {
    let mut of_operations = 0;
    for (question, answer) in rented() {
        let price = answer.usd_per_gpu_hour.unwrap();
        let [once, twice] = [1.0, 2.0].map(|times| estimate(&by_hand(&question, times * price)).unwrap());
        let [(once, rest), (twice, other)] = [&once, &twice].map(parted);
        assert_eq!(rest, other);
        assert!(once.len() >= 3 && once.len() == twice.len());
        for ((at, one), (again, two)) in once.iter().zip(&twice) {
            assert!(at == again && close(2.0 * one, *two), "{at}: {one} and {two}");
        }
        of_operations += once.iter().filter(|(at, _)| at.contains("usd_of")).count();
    }
    assert!(of_operations > 50, "{of_operations}");
}

#[test]
fn dollars_are_hours_times_what_is_rented() {
    let cents = |usd: f64| (usd * 100.0).round();
    for (question, answer) in rented() {
        let rental = answer.offer.as_ref().unwrap();
        let offer = catalog::offer(&rental.id).unwrap();
        let gpus = f64::from(job::resolve(&question).unwrap().hardware.gpus);
        assert!(close(rental.usd_per_hour, f64::from(rental.instances) * offer.usd_per_hour));
        assert!(close(rental.usd_per_hour, rental.usd_per_gpu_hour * gpus));
        let run = answer.run.unwrap();
        assert_eq!(cents(run.usd.unwrap()), cents(run.hours * rental.usd_per_hour), "{rental:?}");
        let expected = run.operations.and_then(|own| own.expected).unwrap();
        assert_eq!(cents(expected.usd.unwrap()), cents(expected.hours * rental.usd_per_hour), "{rental:?}");
    }
}

/// Offers say what they have, and the machine has it: of every one by its name.
#[test]
fn every_offer_can_be_named() {
    let task = &tasks()[1];
    for offer in catalog::offers() {
        let gpu = offer.gpu().unwrap().id;
        let question = on(&asked(task, gpu, u64::from(offer.gpus), json!({})), offer);
        let machine = job::resolve(&question)
            .unwrap_or_else(|error| panic!("{}: {error}", offer.id()))
            .hardware;
        assert_eq!(machine.offer, Some(offer.into()));
        assert_eq!(machine.gpus_per_node, u32::from(offer.gpus));
        assert_eq!(machine.usd_per_gpu_hour, Some(offer.usd_per_hour / f64::from(offer.gpus)));
        assert!(offer.host_ram_gib().is_none_or(|gib| machine.host_ram_gib() == Some(gib)));
        // Between cards without NVLink of its own there is none, whatever the catalog says of the card.
        assert!(offer.gpus > 1 || machine.nvlink_gb_per_s == 0.0, "{}", offer.id());
    }
}

/// What is assumed of an instance whose network or host memory nobody states is the least that anybody states.
#[test]
fn what_is_assumed_is_the_least_that_is_stated() {
    let stated = catalog::offers().iter().filter_map(Offer::network_gbit_per_s);
    assert_eq!(stated.reduce(f64::min), Some(job::ASSUMED_NETWORK));
    let shares = catalog::offers().iter().filter_map(|offer| {
        let gib = offer.host_ram_gib()? / f64::from(offer.gpus);
        Some(gib / offer.gpu()?.memory_gb)
    });
    assert_eq!(shares.reduce(f64::min), Some(job::ASSUMED_HOST_SHARE));
}
