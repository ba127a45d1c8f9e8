//! The offer that is rented against all others of its market.

use std::cell::Cell;

use serde_json::json;
use shardwise_core::wire::Question;
use shardwise_core::{Answer, estimate, market};

use super::{asked, on, questions, tasks};
use crate::decisions::AS_FAST;
use crate::fuzz::fuzz;
use crate::questions::Asked;

fn usd(answer: &Answer) -> f64 {
    answer.usd_per_mtok.unwrap_or(f64::MAX)
}

/// What a plan lacks, of its cards' memory and of its nodes'.
fn missing_gib(answer: &Answer) -> f64 {
    let of_hosts = answer.fit.host.as_ref();
    let of_hosts = of_hosts.and_then(|own| Some((own.needed_gib - own.capacity_gib?).max(0.0)));
    answer.fit.missing_gib() + of_hosts.unwrap_or(0.0)
}

/// Asks each offer of a question's market by its name: what is cheaper than the answer, and how many could be asked.
fn cheaper(question: &Question, answer: &Answer) -> (Vec<String>, usize) {
    let mut found = Vec::new();
    let mut asked = 0;
    for offer in market::offers(&question.hardware).unwrap() {
        let Ok(other) = estimate(&on(question, offer.clone())) else {
            continue;
        };
        asked += 1;
        let [lacks, own] = [&other, answer].map(missing_gib);
        let fits = lacks <= 0.0 && own > 0.0;
        // What nobody runs is no bargain beside what somebody does; and of each machine a simple plan is proposed.
        let runs = other.framework.is_some() || answer.framework.is_none();
        let less = lacks <= own && runs && usd(&other) * AS_FAST < usd(answer);
        if fits || less {
            let id = answer.offer.as_ref().map_or("", |own| own.id.as_str());
            found.push(format!(
                "{} at {} ({lacks} GiB missing) beats {id} at {} ({own} GiB missing)",
                offer.id(),
                usd(&other),
                usd(answer)
            ));
        }
    }
    (found, asked)
}

#[test]
fn no_offer_of_a_market_costs_less_than_the_one_rented() {
    let all = json!({"kinds": ["on-demand", "spot", "reserved-1y", "market"]});
    let mut beaten = Vec::new();
    let mut asked_in_all = 0;
    for (gpu, gpus) in [
        ("h100-sxm", 1),
        ("h100-sxm", 8),
        ("h100-sxm", 32),
        ("h200-sxm", 8),
        ("a100-sxm-80g", 2),
        ("a100-sxm-80g", 16),
        ("a100-sxm-40g", 8),
        ("v100-sxm-16g", 8),
        ("l40s", 4),
        ("l4", 8),
        // Many instances, whose network decides, and how many of them there are.
        ("l4", 128),
        ("a10g", 64),
        ("l40s", 64),
        ("t4", 4),
        ("rtx-4090", 2),
        ("rtx-pro-6000-server", 8),
        ("mi300x", 8),
        ("gb200", 4),
    ] {
        for market in [json!({}), all.clone()] {
            for task in tasks() {
                let question = asked(&task, gpu, gpus, market.clone());
                let Ok(answer) = estimate(&question) else { continue };
                let (found, asked) = cheaper(&question, &answer);
                asked_in_all += asked;
                let what = format!("{} {} on {gpus} {gpu}", task["model"], task["workload"]["kind"]);
                beaten.extend(found.into_iter().map(|found| format!("{what}: {found}")));
            }
        }
    }
    assert!(asked_in_all > 1000, "{asked_in_all}");
    assert!(beaten.is_empty(), "{} of {asked_in_all}:\n{}", beaten.len(), beaten.join("\n"));
}

#[test]
fn random_markets_rent_the_cheapest_that_they_have() {
    let offers = Cell::new(0);
    fuzz("cheapest offers", 90, 2, &questions(), |Asked(question)| {
        if let Ok(answer) = estimate(&question) {
            let (found, asked) = cheaper(&question, &answer);
            offers.set(offers.get() + asked);
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    });
    assert!(offers.get() > 20, "{}", offers.get());
}
