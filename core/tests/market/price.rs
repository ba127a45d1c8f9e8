//! What an hour costs where a question says nothing of it: one rule, whoever asks.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shardwise_core::catalog::{self, Offer, OfferKind};
use shardwise_core::hardware::Rentable;
use shardwise_core::interface::{self, check};
use shardwise_core::market;
use shardwise_core::search::within::every;
use shardwise_core::wire::{MarketSpec, Question, parse_options, question_from_value, to_value};
use shardwise_core::{estimate, evaluate, job, methods};

use crate::said::{chinese, said};

const SCRIPT: &str = "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-0.6B data.train_batch_size=256 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 trainer.total_training_steps=100";

/// GPU types that somebody rents out on demand.
fn rented() -> BTreeSet<&'static str> {
    let today = |offer: &&Offer| !offer.history && offer.kind == OfferKind::OnDemand;
    catalog::offers()
        .iter()
        .filter(today)
        .filter_map(Offer::gpu)
        .map(|gpu| gpu.id)
        .collect()
}

fn asked(gpu: &str, gpus: u64) -> Question {
    let question = json!({"version": 1, "model": "qwen3-0.6b", "hardware": {"gpu": gpu, "gpus": gpus},
        "workload": {"kind": "lora", "sequence_length": 1024, "global_batch": 64, "tokens": 1e8}});
    question_from_value(question).unwrap()
}

/// The cheapest on demand that a market has for so many.
fn least(question: &Question) -> Option<f64> {
    let mut hardware = question.hardware.clone();
    hardware.market = Some(MarketSpec::default());
    market::offers(&hardware).unwrap().first().map(Rentable::usd_per_gpu_hour)
}

#[test]
fn estimate_check_search_and_budget_rows_go_by_one_price() {
    let all = rented();
    assert!(all.len() > 25, "{}", all.len());
    let (mut raised, mut typical) = (0, 0);
    for gpu in all {
        for gpus in [8, 16, 64] {
            let question = asked(gpu, gpus);
            let answer = estimate(&question).unwrap();
            let name = format!("{gpus} {gpu}");
            let price = answer.usd_per_gpu_hour;
            // What somebody asks, and never less than anybody asks for so many.
            let catalog = catalog::gpu(gpu).unwrap().usd_per_gpu_hour;
            if let Some(least) = least(&question) {
                assert_eq!(price, Some(catalog.unwrap_or(least).max(least)), "{name}");
            }
            let whose = answer.caveats.iter().any(|own| own.id == "price-of-offer");
            assert_eq!(whose, price != catalog, "{name}");
            raised += usize::from(whose && catalog.is_some());
            typical += usize::from(!whose);
            // Each machine of a budget's rows, and the offers of a search.
            let first = every(&question).at(0).unwrap().result.unwrap();
            assert_eq!(first.answer.usd_per_gpu_hour, price, "{name}");
            assert_eq!(first.answer.run.unwrap().usd, answer.run.unwrap().usd, "{name}");
            let options =
                parse_options(&format!(r#"{{"gpu": ["{gpu}"], "gpus": [{gpus}], "within_usd": 1e9}}"#)).unwrap();
            let found: Value = serde_json::from_str(&interface::search(&question, &options).unwrap()).unwrap();
            assert_eq!(found["offers"][0]["answer"]["usd_per_gpu_hour"].as_f64(), price, "{name}");
            // A check with a budget, one without, and the question that it asked.
            for options in [json!({"gpu": gpu, "gpus": gpus}), json!({"gpu": gpu, "gpus": gpus, "budget_usd": 1e6})] {
                let found = check(&[SCRIPT], &serde_json::from_value(options).unwrap()).unwrap();
                assert_eq!(found.answer.unwrap().usd_per_gpu_hour, price, "{name}");
                assert_eq!(estimate(&found.question.unwrap()).unwrap().usd_per_gpu_hour, price, "{name}");
            }
        }
    }
    assert!(raised > 10 && typical > 10, "{raised} {typical}");
}

/// A commit is no day: who rents at a price of no known day is told that, in words, and where its price is explained too.
#[test]
fn a_price_of_no_known_day_says_so() {
    let undated = |offer: &&Offer| !offer.history && offer.date().is_none() && offer.kind == OfferKind::OnDemand;
    let mut sellers = BTreeSet::new();
    for offer in catalog::offers().iter().filter(undated) {
        if !sellers.insert((offer.provider(), offer.snapshot())) {
            continue;
        }
        let mut question = asked(offer.gpu().unwrap().id, offer.gpus.into());
        question.hardware.offer = Some(offer.id());
        let Ok(found) = evaluate(&question) else { continue };
        let caveat = found.answer.caveats.iter().find(|own| own.id == "offer-undated").unwrap();
        assert!(caveat.text.starts_with("The date of this price is not known"), "{}", caveat.text);
        let explained = methods::explain(&found, "usd_per_gpu_hour").unwrap();
        let text = serde_json::to_string(&explained).unwrap();
        assert!(text.contains("of an unknown date") && !text.contains(&format!(", {}", offer.snapshot())), "{text}");
        assert!(said(&caveat.text).contains("日期不详"), "{}", caveat.text);
        let notes = explained.notes.iter().filter_map(|own| chinese().say(own));
        assert!(notes.collect::<String>().contains("日期：不详"), "{:?}", explained.notes);
    }
    assert!(sellers.len() > 5, "{sellers:?}");
}

/// Whose price it is, is said: in a caveat, and where the price is explained.
#[test]
fn a_price_of_an_offer_names_it() {
    let question = asked("b300-sxm", 16);
    let found = evaluate(&question).unwrap();
    let offer = job::resolve(&question).unwrap().hardware.priced_by.unwrap();
    assert!(found.answer.offer.is_none());
    let said = found.answer.caveats.iter().find(|own| own.id == "price-of-offer").unwrap();
    assert!(said.text.contains(offer.provider()) && said.text.contains(offer.instance()), "{}", said.text);
    let explained = methods::explain(&found, "usd_per_gpu_hour").unwrap();
    let text = serde_json::to_string(&explained).unwrap();
    assert!(text.contains(offer.url()) && text.contains(offer.instance()), "{text}");
    // What the question says of its price holds.
    for (key, value) in
        [("usd_per_gpu_hour", json!(1.0)), ("market", json!({})), ("owned", json!({"usd_per_gpu": 4e4}))]
    {
        let mut stated = to_value(&question);
        stated["hardware"][key] = value;
        let stated = question_from_value(stated).unwrap();
        assert!(job::resolve(&stated).unwrap().hardware.priced_by.is_none(), "{key}");
    }
}

/// A budget is checked by the price of the estimate, and the cheapest offer is named beside it.
#[test]
fn a_checked_budget_says_its_price_and_the_cheapest_offer() {
    let options = json!({"gpu": "h100-sxm", "gpus": 8, "budget_usd": 1e6});
    let found = check(&[SCRIPT], &serde_json::from_value(options).unwrap()).unwrap();
    assert!(found.says.iter().any(|one| one.text.contains("the catalog's price")), "{:?}", found.says);
    let note = found.findings.iter().find(|one| one.rule == "cheaper-offer").unwrap();
    let id = note.text.split("--offer ").nth(1).unwrap().trim_end_matches('.');
    let offered = json!({"gpu": "h100-sxm", "gpus": 8, "budget_usd": 1e6, "offer": id});
    let offered = check(&[SCRIPT], &serde_json::from_value(offered).unwrap()).unwrap();
    let [own, cheap] = [found.answer, offered.answer].map(|own| own.unwrap().usd_per_gpu_hour);
    assert!(cheap < own, "{cheap:?} {own:?}");
    assert_eq!(cheap, least(&asked("h100-sxm", 8)));
}
