//! Any market: what is rented belongs to it, and without an offer there is no dollar.

use std::cell::Cell;

use serde_json::Value;
use shardwise_core::catalog::{self, Offer, OfferKind};
use shardwise_core::market::NO_OFFER;
use shardwise_core::wire::{MarketSpec, Question};
use shardwise_core::{Answer, estimate};

use super::questions;
use crate::fuzz::fuzz;
use crate::questions::Asked;
use crate::said::said;

/// Whether an offer is of a market, by the words of the interface.
fn is_of(market: &MarketSpec, offer: &Offer) -> bool {
    let in_region = |name: &String| {
        let (region, name) = (offer.region().to_lowercase(), name.to_lowercase());
        let next = region.get(name.len()..).and_then(|rest| rest.chars().next());
        region.starts_with(&name) && !next.is_some_and(|next| next.is_ascii_alphabetic())
    };
    let provider = offer.provider().to_lowercase();
    let providers = market.providers.as_ref();
    let kinds = market.kinds.clone().unwrap_or_else(|| vec![OfferKind::OnDemand]);
    let recent = |newest: &String| offer.date().unwrap_or("0000") >= newest.as_str();
    !offer.history
        && kinds.contains(&offer.kind)
        && providers.is_none_or(|all| all.iter().any(|own| own.to_lowercase() == provider))
        && market.regions.as_ref().is_none_or(|all| all.iter().any(in_region))
        && market.newest.as_ref().is_none_or(recent)
}

/// Whether so many GPUs are rented by an offer: whole instances, and several only where something is said to join them.
fn can_hold(offer: &Offer, gpus: u64) -> bool {
    let size = u64::from(offer.gpus);
    gpus == size || (gpus.is_multiple_of(size) && offer.network_gbit_per_s().is_some())
}

fn of_the_gpu(offer: &Offer, question: &Question) -> bool {
    offer.gpu().is_some_and(|gpu| question.hardware.gpu == gpu.id)
}

/// Figures in dollars, by their keys.
fn dollars(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if key.contains("usd") {
                    found.push(key.clone());
                }
                dollars(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| dollars(item, found)),
        _ => {}
    }
}

fn check(question: &Question, answer: &Answer) {
    let market = question.hardware.market.as_ref().unwrap();
    let gpus = question.hardware.gpus.unwrap();
    let could = |offer: &&Offer| of_the_gpu(offer, question) && is_of(market, offer) && can_hold(offer, gpus);
    let without = answer.caveats.iter().find(|own| own.id == NO_OFFER);
    assert_eq!(without.is_some(), answer.offer.is_none());
    if let Some(without) = without {
        said(&without.text);
        let offer = catalog::offers().iter().find(could).map(Offer::id);
        assert_eq!(offer, None, "it is of the market and can hold it");
        let mut found = Vec::new();
        dollars(&serde_json::to_value(answer).unwrap(), &mut found);
        assert!(found.is_empty(), "{found:?} without an offer");
        return;
    }
    let rental = answer.offer.as_ref().unwrap();
    let offer = catalog::offer(&rental.id).unwrap();
    assert!(could(&offer), "{} in {market:?} for {gpus}", rental.id);
    assert_eq!(rental.provider, offer.provider());
    assert_eq!(rental.kind, offer.kind);
    assert_eq!(u64::from(rental.instances) * u64::from(offer.gpus), gpus);
    // A price is of a day or of a copy that was read, and of a page.
    let since = rental.date.as_ref().or(rental.snapshot.as_ref()).unwrap();
    assert!(!rental.provider.is_empty() && !since.is_empty() && rental.source.starts_with("https://"), "{rental:?}");
    assert!(answer.usd_per_mtok.is_some() && answer.usd_per_step.is_some(), "{rental:?}");
    assert_eq!(answer.usd_per_gpu_hour, Some(offer.usd_per_gpu_hour()));
    let wide = [answer.plan.tensor_parallel, answer.plan.rollout.as_ref().and_then(|own| own.tensor_parallel)];
    assert!(wide.into_iter().flatten().all(|wide| wide <= gpus), "{wide:?} of {gpus}");
}

#[test]
fn random_markets_rent_what_they_have() {
    let [answered, rented] = [Cell::new(0_u64), Cell::new(0_u64)];
    let done = fuzz("markets", 300, 10, &questions(), |Asked(question)| match estimate(&question) {
        Ok(answer) => {
            answered.set(answered.get() + 1);
            rented.set(rented.get() + u64::from(answer.offer.is_some()));
            check(&question, &answer);
        }
        Err(error) => {
            said(&error.message);
            assert!(!error.field.starts_with("hardware.market"), "{error}");
        }
    });
    let (answered, rented) = (answered.get(), rented.get());
    assert!(answered * 2 > done && rented * 20 > done && rented < answered, "{rented} of {answered} of {done}");
}
