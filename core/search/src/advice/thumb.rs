//! Rules of thumb that the search departs from, and by how much it is right to.
//!
//! Each costs a search among the plans that obey the rule: two at most, for a plan that the search chose. The third rule,
//! expert parallelism before expert tensor parallelism, the search always obeys; what departing from it would gain is a
//! rule of [`super::training`].

use serde_json::{Map, Value};

use super::departure::{Textbook, departure, followed};
use super::training::LONG;
use super::{CHATLEARN_GUIDE, Case};
use crate::neighbours::apply;
use crate::search;
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::{Advice, Backend, Question, at};

/// Parameters of one GPU from which ChatLearn's guide starts.
const PARAMETERS: f64 = 4e9;

/// How far from it still counts as about it: every model has a power of two of GPUs within this.
const ABOUT: f64 = std::f64::consts::SQRT_2;

struct Thumb {
    says: Textbook<'static>,
    /// Whether the rule speaks of such a job at all.
    applies: fn(&Case<'_>) -> bool,
    obeys: fn(&Case<'_>, &Layout) -> bool,
}

const THUMBS: [Thumb; 2] = [
    Thumb {
        says: Textbook {
            id: "parameters-per-gpu",
            rule: "The ChatLearn guide starts from about 4 billion parameters per GPU.",
            source: CHATLEARN_GUIDE,
            about: &[
                "plan.tensor_parallel",
                "plan.pipeline_parallel",
                "plan.expert_parallel",
                "plan.expert_tensor_parallel",
            ],
        },
        applies: |_| true,
        obeys: about_four_billion,
    },
    Thumb {
        says: Textbook {
            id: "context-parallel-from-8192",
            rule: "The ChatLearn guide advises context parallelism of 2 or more from 8,192 tokens.",
            source: CHATLEARN_GUIDE,
            about: &["plan.context_parallel", "plan.ulysses_parallel"],
        },
        applies: |case| case.job().workload.sequence_length >= LONG,
        obeys: |_, layout| layout.sequence_split() > 1,
    },
];

/// Whether an identifier is that of a rule of thumb.
pub(super) fn is_one(id: &str) -> bool {
    THUMBS.iter().any(|thumb| thumb.says.id == id)
}

/// Parameters over TP × PP, of a model with experts over ETP × EP, within a factor of the square root of two of four
/// billion; a smaller model is not split.
fn about_four_billion(case: &Case<'_>, layout: &Layout) -> bool {
    let split = if case.job().model.shape.num_experts > 0 {
        layout.expert_tensor_parallel * layout.expert_parallel
    } else {
        layout.tensor_parallel * layout.pipeline_parallel
    };
    let all = case.job().model.parameters.total as f64;
    let each = all / f64::from(split);
    let least = all < PARAMETERS * ABOUT && split == 1;
    layout.backend == Backend::Megatron && (least || (PARAMETERS / ABOUT..=PARAMETERS * ABOUT).contains(&each))
}

/// The rules of thumb that the chosen plan does not obey, each with the best plan that does.
pub(super) fn departures(case: &Case<'_>, question: &Question, document: &Value) -> Vec<(f64, Advice)> {
    if case.job().workload.generation.is_some() {
        return Vec::new();
    }
    let stated = |field: &&'static str| !at(document, field).is_null();
    THUMBS
        .iter()
        .filter(|thumb| !thumb.says.about.iter().any(stated))
        .filter(|thumb| (thumb.applies)(case) && !(thumb.obeys)(case, case.layout()))
        .filter_map(|thumb| obeying(case, thumb, question))
        .collect()
}

fn obeying(case: &Case<'_>, thumb: &Thumb, question: &Question) -> Option<(f64, Advice)> {
    Some(departure(case, thumb.says, &best(case, thumb, question)?))
}

/// What to set in a question so that it obeys each of the rules that speak of its job.
pub(super) fn obeyed(case: &Case<'_>, question: &Question) -> Vec<(&'static str, Map<String, Value>)> {
    if case.job().workload.generation.is_some() {
        return Vec::new();
    }
    let obeying = |thumb: &Thumb| Some((thumb.says.id, followed(&best(case, thumb, question)?, thumb.says.about)));
    THUMBS
        .iter()
        .filter(|thumb| (thumb.applies)(case))
        .filter_map(obeying)
        .collect()
}

/// The best plan that obeys a rule. Where no legal plan does, the rule speaks of other jobs.
fn best(case: &Case<'_>, thumb: &Thumb, question: &Question) -> Option<Plan> {
    let spec = question.plan.clone().unwrap_or_default();
    let obeys = |layout: &Layout| (thumb.obeys)(case, layout);
    let decided = |plan: &Plan| {
        let following = apply(question, &followed(plan, thumb.says.about));
        following.and_then(|own| own.plan).unwrap_or_default()
    };
    let found = search::best_where(case.context, &spec, &obeys, &decided);
    Some(found.ok()?.plan)
}
