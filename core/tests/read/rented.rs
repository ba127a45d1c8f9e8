//! Offers and markets of the base question or of a link, beside the nodes that a text states.

use serde_json::{Value, json};
use shardwise_core::catalog::{Offer, offers};
use shardwise_core::read::{Reading, read};
use shardwise_core::wire::{Question, question_from_value};
use shardwise_core::{emit, estimate, permalink};

use super::round_trip::{plan, rl, texts_of};
use crate::said::said;

fn base(hardware: Value) -> Question {
    question_from_value(json!({"version": 1, "model": "qwen3-8b", "hardware": hardware,
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}))
    .unwrap()
}

/// A text of veRL on so many nodes of so many GPUs.
fn text(nodes: u64, gpus: u64) -> String {
    format!(
        "python3 -m verl.trainer.main_ppo data.train_batch_size=512 \\\n    actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.nnodes={nodes} trainer.n_gpus_per_node={gpus}"
    )
}

fn of(nodes: u64, gpus: u64, base: &Question) -> Reading {
    let reading = read(&[&text(nodes, gpus)], Some(base)).unwrap();
    for note in &reading.notes {
        said(&note.text);
    }
    reading
}

fn notes(reading: &Reading) -> Vec<&str> {
    let own = reading.notes.iter().map(|note| note.text.as_str());
    own.filter(|text| text.contains("left out:") || text.contains("GPUs in a node"))
        .collect()
}

/// An offer of eight H100 whose instances can be joined.
fn of_eight() -> &'static Offer {
    let h100 = |offer: &&Offer| offer.gpu().is_some_and(|gpu| gpu.id == "h100-sxm");
    let joined = |offer: &&Offer| offer.gpus == 8 && offer.network_gbit_per_s().is_some() && !offer.history;
    offers().iter().filter(h100).find(joined).unwrap()
}

#[test]
fn an_offer_of_the_base_holds_where_the_text_runs_on_its_instances() {
    let base = base(json!({"gpu": "h100-sxm", "offer": of_eight().id()}));
    let reading = of(2, 8, &base);
    assert_eq!(reading.question.hardware.offer, Some(of_eight().id()));
    assert_eq!(reading.question.hardware.gpus, Some(16));
    assert!(notes(&reading).is_empty(), "{:?}", reading.notes);
    let of_the_machine = reading.refused.iter().any(|own| own.key.contains("hardware"));
    assert!(!of_the_machine, "{:?}", reading.refused);
    let rental = estimate(&reading.question).unwrap().offer.unwrap();
    assert_eq!((rental.id, rental.instances), (of_eight().id(), 2));
}

#[test]
fn an_offer_of_the_base_is_left_out_where_the_text_runs_on_others() {
    let base = base(json!({"gpu": "h100-sxm", "offer": of_eight().id()}));
    for (nodes, gpus, says) in [(1, 4, "4 GPUs are no whole number"), (4, 4, "nodes of 4 GPUs")] {
        let reading = of(nodes, gpus, &base);
        assert_eq!(reading.question.hardware.offer, None);
        assert_eq!(reading.question.hardware.gpus, Some(nodes * gpus));
        assert!(notes(&reading).len() == 1 && notes(&reading)[0].contains(says), "{:?}", reading.notes);
        assert!(estimate(&reading.question).unwrap().offer.is_none());
    }
}

#[test]
fn a_market_of_the_base_holds_and_has_its_own_nodes() {
    let market = json!({"kinds": ["on-demand", "spot"]});
    let base = base(json!({"gpu": "h100-sxm", "market": market}));
    // The cheapest is one node of eight: nothing of the text is given up, and nothing said.
    for (nodes, gpus, says) in [(1, 8, None), (2, 4, Some("4 GPUs in a node"))] {
        let reading = of(nodes, gpus, &base);
        assert_eq!(serde_json::to_value(&reading.question.hardware.market).unwrap(), market);
        assert_eq!(reading.question.hardware.gpus_per_node, None);
        let told = notes(&reading);
        assert!(told.len() == usize::from(says.is_some()), "{:?}", reading.notes);
        assert!(says.is_none_or(|says| told[0].contains(says)), "{:?}", reading.notes);
        assert!(estimate(&reading.question).unwrap().offer.is_some());
    }
}

fn asked(hardware: Value) -> Question {
    question_from_value(json!({"version": 1, "model": "qwen3-8b", "hardware": hardware,
        "workload": rl(json!({})), "plan": plan("fsdp", json!({}))}))
    .unwrap()
}

/// The text that a question gets, with its link.
fn linked(question: &Question) -> String {
    texts_of(emit::framework("verl").unwrap(), question, true).unwrap().join("\n")
}

#[test]
fn a_linked_text_comes_back_with_its_offer_or_market() {
    for hardware in [
        json!({"gpu": "h100-sxm", "gpus": 16, "market": {"providers": ["Nebius", "AWS"]}}),
        json!({"gpu": "h100-sxm", "gpus": 16, "market": {}}),
        json!({"gpu": "h100-sxm", "gpus": 16, "offer": of_eight().id()}),
    ] {
        let question = asked(hardware);
        let reading = read(&[&linked(&question)], None).unwrap();
        let (own, back) = (&question.hardware, &reading.question.hardware);
        assert_eq!((&own.offer, &own.market, own.gpus), (&back.offer, &back.market, back.gpus));
        assert_eq!(estimate(&question).unwrap().offer, estimate(&reading.question).unwrap().offer);
    }
}

/// Where the caller says what the machine costs, or where it is rented, the link does not.
#[test]
fn the_callers_price_holds_against_a_links_market_and_the_other_way_round() {
    let market = json!({"gpu": "h100-sxm", "gpus": 8, "market": {}});
    let price = json!({"gpu": "h100-sxm", "gpus": 8, "usd_per_gpu_hour": 2.5});
    for (link, own) in [(&market, &price), (&price, &market)] {
        let text = linked(&asked(link.clone()));
        let hardware = read(&[&text], Some(&asked(own.clone()))).unwrap().question.hardware;
        assert_eq!(hardware.usd_per_gpu_hour, own["usd_per_gpu_hour"].as_f64());
        assert_eq!(hardware.market.is_some(), own.get("market").is_some());
    }
    // Of another GPU nobody there says anything.
    let text = linked(&asked(market));
    let other = asked(json!({"gpu": "h200-sxm", "gpus": 8}));
    let hardware = read(&[&text], Some(&other)).unwrap().question.hardware;
    assert!(hardware.gpu == "h200-sxm" && hardware.market.is_none());
}

/// A few settings alone change the base, whose market stays.
#[test]
fn settings_alone_keep_the_market() {
    let base = asked(json!({"gpu": "h100-sxm", "gpus": 8, "market": {"regions": ["us"]}}));
    let reading =
        read(&["actor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384\ntrainer.n_gpus_per_node=8"], Some(&base))
            .unwrap();
    assert!(reading.settings_alone, "{reading:?}");
    assert_eq!(reading.question.hardware.market, base.hardware.market);
    assert!(estimate(&reading.question).unwrap().offer.is_some());
    // Read again it is the same: what a link carries is a question like any other.
    let back = permalink::from_hash(&permalink::to_hash(&reading.question)).unwrap();
    assert_eq!(back, reading.question);
}
