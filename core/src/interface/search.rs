//! The best plans of a question, or the best offers among GPU types and numbers of GPUs.

use serde::Serialize;
use serde_json::Value;

use super::flags::framework_named;
use super::line;
use shardwise_catalog::catalog;
use shardwise_catalog::error::InputError;
use shardwise_frameworks::emit::Framework;
use shardwise_question::wire::{Answer, By, Question, SearchOptions, VERSION};
use shardwise_search::search::Objective;
use shardwise_search::search::limits::Standing;
use shardwise_search::search::measures;
use shardwise_search::search::sweep::{Sweep, Tried};
use shardwise_search::search::within;

/// Plans, or offers, of which the best are listed where no other number is asked for.
const LISTED: u64 = 5;
/// GPUs where a question names no number.
const GPUS: u64 = 8;

/// The best plans on the question's own GPUs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Plans {
    /// Interface version: 1.
    pub version: u32,
    /// Legal plans among which the best were found.
    pub considered: u64,
    /// Those whose time had to be computed.
    pub evaluated: u64,
    /// Whether all were considered: false where the work that a question may cost ran out.
    pub complete: bool,
    /// The best plan of each parallel layout, the best layouts first; then layouts of which nothing fits, by shortfall.
    pub plans: Vec<Answer>,
    /// GiB that the nearest plan lacks; absent where one fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortfall_gib: Option<f64>,
    /// What would make the question fit; absent where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
}

/// What would make a question fit of which no plan does.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Closing {
    /// The question's own GPU type, with the fewest GPUs with which some plan fits; null where none does.
    pub more_gpus: Option<Found>,
    /// The cheapest other GPU type on which some plan fits; null where none does.
    pub other_gpu: Option<Found>,
}

/// The best offers among GPU types and numbers of GPUs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Offers {
    /// Interface version: 1.
    pub version: u32,
    /// Legal plans among which the best were found, on all machines that were not ruled out as a whole.
    pub considered: u64,
    /// Those of them whose time had to be computed.
    pub evaluated: u64,
    /// Whether all were considered: false where the work that a question may cost ran out.
    pub complete: bool,
    /// The best that fit, best first; under a deadline or budget those first that meet it surely, and those beyond it last.
    pub offers: Vec<Offered>,
    /// Those that no other beats in both cost and time, fastest first.
    pub front: Vec<Offered>,
    /// GPU types and numbers that the question cannot be asked for.
    pub refused: Vec<RefusedOffer>,
}

/// A GPU type and number with its best plan.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Found {
    /// The GPU, as a question writes it.
    #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object"])))]
    pub gpu: Value,
    /// Number of GPUs.
    pub gpus: u32,
    /// Legal plans among which the best was found.
    pub considered: u64,
    /// Those whose time had to be computed.
    pub evaluated: u64,
    /// The answer with the best plan.
    pub answer: Answer,
}

/// What was found, and whether it is what is asked for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Offered {
    /// The offer.
    #[serde(flatten)]
    pub found: Found,
    /// Whether it meets the deadline or budget by its estimate; true where there is none.
    pub meets: bool,
    /// Whether it does so at the slow end of its interval, too: those that do come first.
    pub meets_surely: bool,
}

/// A GPU type and number that the question cannot be asked for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct RefusedOffer {
    /// The GPU, as a question writes it.
    #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object"])))]
    pub gpu: Value,
    /// Number of GPUs; null where the question names none.
    pub gpus: Option<u64>,
    /// Why.
    pub error: InputError,
}

/// The document of a search: [`Offers`] where GPU types, numbers, a deadline or a budget are asked for, or the fewest
/// GPUs; else [`Plans`].
///
/// # Errors
/// As [`crate::search()`]; the option that is wrong.
///
/// ```
/// use shardwise_core::{interface::search, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let options = wire::parse_options(r#"{"gpus": [4, 8], "by": "time"}"#).unwrap();
/// let document: serde_json::Value = serde_json::from_str(&search(&question, &options).unwrap()).unwrap();
/// assert_eq!(document["offers"][0]["gpus"], 8);
/// ```
pub fn search(question: &Question, options: &SearchOptions) -> Result<String, InputError> {
    let framework = options.framework.as_deref();
    let framework = framework.map(framework_named).transpose()?;
    let objective = objective(options)?;
    let limit = options.limit.unwrap_or(LISTED);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let types = options.gpu.as_deref().unwrap_or_default();
    let counts = options.gpus.as_deref().unwrap_or_default();
    let lang = options.lang.unwrap_or_default();
    let among = !types.is_empty() || !counts.is_empty();
    if !among && matches!(objective, Objective::Cost | Objective::Time) {
        return line(&plans(question, framework, limit)?, lang);
    }
    let types: Vec<&str> = match types {
        [one] if one == "all" => catalog::gpus().iter().map(|gpu| gpu.id).collect(),
        named => named.iter().map(String::as_str).collect(),
    };
    let counts = match (counts, objective) {
        // The fewest: from one on, doubled, to what is asked for.
        ([], Objective::Gpus) => doubled(question.hardware.gpus.unwrap_or(GPUS)),
        ([], Objective::CostWithin { .. } | Objective::TimeWithin { .. }) => within::counts(question),
        (counts, _) => counts.to_vec(),
    };
    let sweep = Sweep::new(question, &types, &counts).by_offer().run_by(framework);
    line(&offers(sweep, objective, limit)?, lang)
}

fn objective(options: &SearchOptions) -> Result<Objective, InputError> {
    let limits = [("within_hours", options.within_hours), ("within_usd", options.within_usd)];
    for (name, limit) in limits {
        if limit.is_some_and(|limit| !limit.is_finite() || limit <= 0.0) {
            return Err(InputError::new(name, "Give a number above 0."));
        }
    }
    Ok(match (options.within_hours, options.within_usd) {
        (Some(_), Some(_)) => {
            let message = "Give a deadline or a budget, not both.";
            return Err(InputError::new("within_usd", message));
        }
        (Some(hours), None) => Objective::CostWithin { hours },
        (None, Some(usd)) => Objective::TimeWithin { usd },
        (None, None) => match options.by.unwrap_or_default() {
            By::Cost => Objective::Cost,
            By::Time => Objective::Time,
            By::Gpus => Objective::Gpus,
        },
    })
}

fn doubled(most: u64) -> Vec<u64> {
    let mut counts: Vec<u64> = (0..63).map(|power| 1 << power).take_while(|count| *count < most).collect();
    counts.push(most);
    counts
}

fn plans(question: &Question, framework: Option<&'static Framework>, limit: usize) -> Result<Plans, InputError> {
    let found = crate::search(question, framework, limit)?;
    let unfit = found.plans.first().filter(|best| !best.fits);
    let (shortfall_gib, closing) = match unfit {
        None => (None, None),
        Some(best) => {
            let closing = measures::closing(question);
            let closing = Closing {
                more_gpus: closing.more.as_ref().and_then(told),
                other_gpu: closing.other.as_ref().and_then(told),
            };
            (Some(best.fit.missing_gib()), Some(closing))
        }
    };
    Ok(Plans {
        version: VERSION,
        considered: found.considered,
        evaluated: found.evaluated,
        complete: found.complete,
        plans: found.plans,
        shortfall_gib,
        closing,
    })
}

fn offers(sweep: Sweep, objective: Objective, limit: usize) -> Result<Offers, InputError> {
    let all = sweep.listed(objective, limit);
    let ranked = measures::ranked(&all, objective)?;
    let (mut considered, mut evaluated) = (0, 0);
    for found in all.iter().filter_map(|offer| offer.result.as_ref().ok()) {
        considered += found.considered;
        evaluated += found.evaluated;
    }
    let listed = |places: &[usize]| -> Vec<Offered> {
        let offers = places.iter().filter_map(|place| all.get(*place));
        let listed = offers.filter_map(|offer| {
            let standing = measures::standing(offer, objective);
            let (meets, meets_surely) = (standing != Standing::Beyond, standing == Standing::Keeps);
            told(offer).map(|found| Offered { found, meets, meets_surely })
        });
        listed.collect()
    };
    let refused = all.iter().filter_map(|offer| {
        let error = offer.result.as_ref().err()?.clone();
        let hardware = &offer.hardware;
        Some(RefusedOffer { gpu: hardware.gpu.clone(), gpus: hardware.gpus, error })
    });
    Ok(Offers {
        version: VERSION,
        considered,
        evaluated,
        complete: all
            .iter()
            .filter_map(|offer| offer.result.as_ref().ok())
            .all(|own| own.complete),
        offers: listed(ranked.get(..limit.max(1)).unwrap_or(&ranked)),
        front: listed(&measures::front(&all)),
        refused: refused.collect(),
    })
}

/// An offer; nothing for one that could not be asked.
fn told(offer: &Tried) -> Option<Found> {
    let found = offer.result.as_ref().ok()?;
    Some(Found {
        gpu: offer.hardware.gpu.clone(),
        gpus: found.job.hardware.gpus,
        considered: found.considered,
        evaluated: found.evaluated,
        answer: found.answer.clone(),
    })
}
