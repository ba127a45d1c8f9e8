//! Offers of machines: what an answer rents is of its market, nothing of the market is cheaper, and dollars are hours times
//! the price.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use shardwise_core::catalog::{self, Offer, OfferKind};
use shardwise_core::hardware::Rentable;
use shardwise_core::market;
use shardwise_core::wire::{HardwareSpec, MarketSpec, Question, question_from_value};

use crate::questions::Asked;

mod cheapest;
mod deadline;
mod dollars;
mod drawn;
mod own;
mod price;

/// A question on so many of a GPU, of a market.
fn asked(task: &Value, gpu: &str, gpus: u64, market: Value) -> Question {
    let mut question = task.clone();
    question["version"] = json!(1);
    question["hardware"] = json!({"gpu": gpu, "gpus": gpus, "market": market});
    question_from_value(question).unwrap_or_else(|error| panic!("{error}"))
}

/// A question of a market on one of its offers.
fn on(question: &Question, offer: impl Into<Rentable>) -> Question {
    Question { hardware: market::rented(&question.hardware, &offer.into()), ..question.clone() }
}

/// Questions that are quick to search, of each kind of task: model and workload.
fn tasks() -> Vec<Value> {
    let lora = json!({"kind": "lora", "sequence_length": 2048, "global_batch": 64, "tokens": 5e7});
    let sft = json!({"kind": "sft", "sequence_length": 4096, "global_batch": 128, "tokens": 1e9});
    let qlora = json!({"kind": "qlora", "sequence_length": 1024, "global_batch": 32});
    let generation = json!({"kind": "rollout",
        "rollout": {"requests": 512, "mean_prompt_length": 500, "mean_response_length": 300}});
    let grpo = json!({"kind": "grpo", "rl": {"prompts_per_step": 64, "responses_per_prompt": 8, "max_prompt_length": 512,
        "max_response_length": 1024, "mean_prompt_length": 150, "mean_response_length": 400, "mini_batch": 64}});
    [
        ("qwen3-0.6b", &sft),
        ("llama-3.1-8b", &lora),
        ("qwen3-8b", &sft),
        ("qwen2.5-7b", &qlora),
        ("llama-3.1-8b", &generation),
        ("qwen3-30b-a3b", &generation),
        ("qwen3-1.7b", &grpo),
    ]
    .into_iter()
    .map(|(model, workload)| json!({"model": model, "workload": workload}))
    .collect()
}

/// Some of these, or none stated.
fn some_of<T: Clone + std::fmt::Debug + 'static>(all: Vec<T>, most: usize) -> BoxedStrategy<Option<Vec<T>>> {
    let most = most.min(all.len());
    proptest::option::weighted(0.5, subsequence(all, 0..=most)).boxed()
}

/// Any market: some providers in any case, regions or how they begin, kinds, and a day.
fn markets() -> BoxedStrategy<MarketSpec> {
    let distinct = |of: fn(&Offer) -> &'static str| {
        let mut words: Vec<&str> = catalog::offers().iter().map(of).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let providers = (some_of(distinct(Offer::provider), 12), any::<bool>());
    let regions = (some_of(distinct(Offer::region), 30), any::<bool>());
    let kinds = OfferKind::WORDS.iter().filter_map(|word| OfferKind::of(word)).collect();
    let newest = proptest::option::weighted(0.3, select(vec!["2024-01-01", "2026-05-24", "2026-09-20", "2026-12-31"]));
    (providers, regions, some_of(kinds, 4), newest)
        .prop_map(|((providers, loud), (regions, begin), kinds, newest)| MarketSpec {
            providers: providers.map(|all| {
                let written = |name: &str| if loud { name.to_uppercase() } else { name.to_owned() };
                all.into_iter().map(written).collect()
            }),
            regions: regions.map(|all| {
                let written = |name: &str| if begin { name.split('-').next().unwrap_or(name) } else { name }.to_owned();
                all.into_iter().map(written).collect()
            }),
            kinds,
            newest: newest.map(str::to_owned),
            ..MarketSpec::default()
        })
        .boxed()
}

/// One of [`tasks`] on any number of any GPU, of any market.
fn questions() -> BoxedStrategy<Asked> {
    let gpus: Vec<&str> = catalog::gpus().iter().map(|gpu| gpu.id).collect();
    // Of those that somebody rents out most of the time.
    let rented: Vec<&str> = catalog::offers().iter().filter_map(Offer::gpu).map(|gpu| gpu.id).collect();
    let gpu = prop_oneof![9 => select(rented), 1 => select(gpus)];
    let count = prop_oneof![3 => select(vec![1_u64, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]), 1 => 1..=1024_u64];
    (select(tasks()), gpu, count, markets())
        .prop_map(|(task, gpu, gpus, market)| {
            let mut question = asked(&task, gpu, gpus, json!({}));
            question.hardware = HardwareSpec { market: Some(market), ..question.hardware };
            Asked(question)
        })
        .boxed()
}
