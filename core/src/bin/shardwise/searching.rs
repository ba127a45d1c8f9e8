//! `shardwise search`: the best plans of a question, or the best offers among GPU types and numbers of GPUs.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use shardwise_core::catalog;
use shardwise_core::emit::Framework;
use shardwise_core::error::InputError;
use shardwise_core::search::market::{self, Closing};
use shardwise_core::search::sweep::{Offer, Sweep};
use shardwise_core::wire::Question;
use shardwise_core::{Objective, search};

use super::framework_named;

/// What to search for.
#[derive(Args)]
pub(crate) struct Options {
    /// What best means, among GPU types and numbers of GPUs.
    #[arg(long, value_enum, default_value = "cost")]
    by: By,
    /// GPU types to compare, as catalog ids with commas between them, or `all`.
    #[arg(long, value_delimiter = ',')]
    gpu: Vec<String>,
    /// Numbers of GPUs to compare.
    #[arg(long, value_delimiter = ',')]
    gpus: Vec<u64>,
    /// Hours that the run may take: the cheapest that ends in time.
    #[arg(long, conflicts_with = "within_usd")]
    within_hours: Option<f64>,
    /// Dollars that the run may cost: the fastest that can be paid.
    #[arg(long)]
    within_usd: Option<f64>,
    /// Only plans that this framework runs.
    #[arg(long = "for")]
    framework: Option<String>,
    /// Plans, or offers, per question.
    #[arg(long, default_value_t = 5)]
    limit: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    Cost,
    Time,
    Gpus,
}

impl Options {
    fn objective(&self) -> Objective {
        match (self.within_hours, self.within_usd, self.by) {
            (Some(hours), _, _) => Objective::CostWithin { hours },
            (None, Some(usd), _) => Objective::TimeWithin { usd },
            (None, None, By::Cost) => Objective::Cost,
            (None, None, By::Time) => Objective::Time,
            (None, None, By::Gpus) => Objective::Gpus,
        }
    }
}

/// The document for one question.
pub(crate) fn document(question: &Question, options: &Options) -> Result<String, InputError> {
    let framework = options
        .framework
        .as_deref()
        .map(framework_named)
        .transpose()?;
    let objective = options.objective();
    for (name, limit) in [
        ("within_hours", options.within_hours),
        ("within_usd", options.within_usd),
    ] {
        if limit.is_some_and(|limit| !limit.is_finite() || limit <= 0.0) {
            return Err(InputError::new(name, "Give a number above 0."));
        }
    }
    let among = !options.gpu.is_empty() || !options.gpus.is_empty();
    if !among && matches!(objective, Objective::Cost | Objective::Time) {
        return plans(question, framework, options.limit);
    }
    let all: Vec<&str> = catalog::gpus().iter().map(|gpu| gpu.id).collect();
    let types: Vec<&str> = match options.gpu.as_slice() {
        [one] if one == "all" => all,
        named => named.iter().map(String::as_str).collect(),
    };
    let counts = match (options.gpus.as_slice(), objective) {
        // The fewest: from one on, doubled, to what is asked for.
        ([], Objective::Gpus) => doubled(question.hardware.gpus.unwrap_or(8)),
        (counts, _) => counts.to_vec(),
    };
    let sweep = Sweep::new(question, &types, &counts).run_by(framework);
    let offers: Vec<Offer> = sweep.collect();
    let ranked = market::ranked(&offers, objective)?;
    let front = market::front(&offers);
    let (mut considered, mut evaluated) = (0, 0);
    for found in offers.iter().filter_map(|offer| offer.result.as_ref().ok()) {
        considered += found.considered;
        evaluated += found.evaluated;
    }
    let listed = |places: &[usize]| -> Vec<Value> {
        let offers = places.iter().filter_map(|place| offers.get(*place));
        offers
            .map(|offer| told(offer, Some(market::meets(offer, objective))))
            .collect()
    };
    let refused: Vec<Value> = offers
        .iter()
        .filter_map(|offer| {
            let error = offer.result.as_ref().err()?;
            let hardware = &offer.hardware;
            Some(json!({"gpu": hardware.gpu, "gpus": hardware.gpus, "error": error}))
        })
        .collect();
    let best = ranked.get(..options.limit.max(1)).unwrap_or(&ranked);
    Ok(json!({"version": 1, "considered": considered, "evaluated": evaluated, "offers": listed(best),
        "front": listed(&front), "refused": refused})
    .to_string())
}

fn doubled(most: u64) -> Vec<u64> {
    let mut counts: Vec<u64> = (0..63)
        .map(|power| 1 << power)
        .take_while(|count| *count < most)
        .collect();
    counts.push(most);
    counts
}

fn plans(
    question: &Question,
    framework: Option<&Framework>,
    limit: usize,
) -> Result<String, InputError> {
    let found = search(question, framework, limit)?;
    let mut document = json!({"version": 1, "considered": found.considered, "evaluated": found.evaluated,
        "plans": found.plans});
    if let Some(best) = found.plans.first()
        && !best.fits
    {
        let Closing { more, other } = market::closing(question);
        let memory = &best.memory;
        document["shortfall_gib"] = json!(memory.reserved_gib - memory.capacity_gib);
        document["closing"] = json!({
            "more_gpus": more.as_ref().map(|offer| told(offer, None)),
            "other_gpu": other.as_ref().map(|offer| told(offer, None)),
        });
    }
    Ok(document.to_string())
}

/// An offer, and whether it meets the deadline or budget.
fn told(offer: &Offer, meets: Option<bool>) -> Value {
    match &offer.result {
        Ok(found) => {
            let mut told = json!({"gpu": offer.hardware.gpu, "gpus": found.job.hardware.gpus,
                "considered": found.considered, "evaluated": found.evaluated, "answer": found.answer});
            if let Some(meets) = meets {
                told["meets"] = json!(meets);
            }
            told
        }
        Err(error) => {
            json!({"gpu": offer.hardware.gpu, "gpus": offer.hardware.gpus, "error": error})
        }
    }
}
