//! Rules of thumb that the search departs from, and by how much it is right to.
//!
//! Each costs a search among the plans that obey the rule, for a plan that the search chose. One rule, expert
//! parallelism before expert tensor parallelism, the search always obeys; what departing from it would gain is a rule of
//! [`super::training`].

use serde_json::{Map, Value};

use super::departure::{Textbook, departure, followed};
use super::training::LONG;
use super::{CHATLEARN_GUIDE, Case, VERL_GUIDE};
use crate::neighbours::apply;
use crate::search;
use shardwise_engine::batch;
use shardwise_engine::context::Context;
use shardwise_question::plan::{Layout, MicroBatch, Plan};
use shardwise_question::wire::{Advice, Backend, PlanSpec, Question, Schedule, at};

/// Parameters of one GPU from which ChatLearn's guide starts.
const PARAMETERS: f64 = 4e9;

/// How far from it still counts as about it: every model has a power of two of GPUs within this.
const ABOUT: f64 = std::f64::consts::SQRT_2;

/// Shares of the card that veRL's guide advises for an engine beside training.
const SHARES: (f64, f64) = (0.5, 0.7);

/// Model chunks of a pipeline stage that ChatLearn's guide has tried.
const CHUNKS: u32 = 2;

/// Micro-batches of an optimizer step from which its batch counts as relatively large, which the guide leaves open: a pipeline
/// of two stages then waits for a sixteenth of its step at most, `(p − 1) ÷ m`.
const LARGE: f64 = 16.0;

struct Thumb {
    says: Textbook<'static>,
    /// Whether the rule speaks of such a job at all.
    applies: fn(&Case<'_>) -> bool,
    obeys: fn(&Case<'_>, &Layout) -> bool,
    /// Whether the best plan that obeys it stands beside the chosen one where textbooks' layouts do ([`obeyed`]).
    beside: bool,
}

const THUMBS: [Thumb; 6] = [
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
        beside: true,
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
        beside: true,
    },
    Thumb {
        says: Textbook {
            id: "stages-below-micro-batches",
            rule: "The ChatLearn guide advises fewer pipeline stages than micro-batches.",
            source: CHATLEARN_GUIDE,
            about: &["plan.pipeline_parallel"],
        },
        applies: |_| true,
        obeys: |case, layout| {
            layout.pipeline_parallel == 1 || f64::from(layout.pipeline_parallel) < passes(case, layout)
        },
        beside: false,
    },
    Thumb {
        says: Textbook {
            id: "pipeline-at-large-batches",
            rule: "The ChatLearn guide advises two pipeline stages or more where batches are large, here 16 micro-batches.",
            source: CHATLEARN_GUIDE,
            about: &["plan.pipeline_parallel"],
        },
        // What trains without being split needs no pipeline.
        applies: |case| {
            let layout = case.layout();
            layout.backend == Backend::Megatron && layout.model_parallel() > 1 && passes(case, layout) >= LARGE
        },
        obeys: |_, layout| layout.backend == Backend::Megatron && layout.pipeline_parallel > 1,
        beside: false,
    },
    Thumb {
        says: Textbook {
            id: "budget-of-two-sequences",
            rule: "veRL's guide advises a token budget of at least twice prompt and response.",
            source: VERL_GUIDE,
            about: &["plan.max_tokens_per_gpu"],
        },
        applies: |case| case.job().workload.rl.is_some() && matches!(case.layout().micro_batch, MicroBatch::Tokens(_)),
        obeys: |case, layout| match layout.micro_batch {
            MicroBatch::Tokens(tokens) => {
                let held = tokens.saturating_mul(layout.sequence_split().into());
                held >= case.job().workload.sequence_length.saturating_mul(2)
            }
            MicroBatch::Sequences(_) => false,
        },
        beside: false,
    },
    Thumb {
        says: Textbook {
            id: "one-or-two-chunks",
            rule: "The ChatLearn guide tries one or two model chunks per pipeline stage.",
            source: CHATLEARN_GUIDE,
            about: &["plan.virtual_pipeline"],
        },
        applies: |_| true,
        obeys: |_, layout| layout.virtual_pipeline <= CHUNKS,
        beside: false,
    },
];

/// Micro-batches of an optimizer step on each rank.
fn passes(case: &Case<'_>, layout: &Layout) -> f64 {
    batch::of_update(case.job(), layout).micro_batches
}

/// What is said of the engine's share of the card.
const SHARE: Textbook<'static> = Textbook {
    id: "rollout-utilization-range",
    rule: "veRL's guide advises a gpu_memory_utilization of 0.5 to 0.7 beside training.",
    source: VERL_GUIDE,
    about: &["plan.rollout.gpu_memory_utilization"],
};

/// The best plan with the nearest share that veRL's guide advises, where the chosen one has another beside training.
fn with_advised_share(case: &Case<'_>, question: &Question) -> Option<Plan> {
    let share = case.plan.rollout.as_ref()?.gpu_memory_utilization;
    let advised = share.max(SHARES.0).min(SHARES.1);
    let colocated = case.job().workload.rl.as_ref()?.schedule == Schedule::Colocated;
    if !colocated || (share - advised).abs() < 1e-9 {
        return None;
    }
    let mut spec = question.plan.clone().unwrap_or_default();
    spec.rollout.get_or_insert_default().gpu_memory_utilization = Some(advised);
    best_of(case, &spec, &SHARE, question, &|_| true)
}

/// Whether an identifier is that of a rule of thumb.
pub(super) fn is_one(id: &str) -> bool {
    THUMBS.iter().any(|thumb| thumb.says.id == id) || id == SHARE.id
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
    let open = !SHARE.about.iter().any(stated);
    let share = open.then(|| with_advised_share(case, question)).flatten();
    let share = share.map(|plan| departure(case, question, SHARE, &plan));
    THUMBS
        .iter()
        .filter(|thumb| !thumb.says.about.iter().any(stated))
        .filter(|thumb| (thumb.applies)(case) && !(thumb.obeys)(case, case.layout()))
        .filter_map(|thumb| obeying(case, thumb, question))
        .chain(share)
        .collect()
}

fn obeying(case: &Case<'_>, thumb: &Thumb, question: &Question) -> Option<(f64, Advice)> {
    Some(departure(case, question, thumb.says, &best(case, thumb, question)?))
}

/// What to set in a question so that it obeys each of the rules that speak of its job.
pub(super) fn obeyed(case: &Case<'_>, question: &Question) -> Vec<(&'static str, Map<String, Value>)> {
    if case.job().workload.generation.is_some() {
        return Vec::new();
    }
    let obeying = |thumb: &Thumb| Some((thumb.says.id, followed(&best(case, thumb, question)?, thumb.says.about)));
    THUMBS
        .iter()
        .filter(|thumb| thumb.beside && (thumb.applies)(case))
        .filter_map(obeying)
        .collect()
}

/// The best plan that obeys a rule. Where no legal plan does, the rule speaks of other jobs.
fn best(case: &Case<'_>, thumb: &Thumb, question: &Question) -> Option<Plan> {
    let spec = question.plan.clone().unwrap_or_default();
    best_of(case, &spec, &thumb.says, question, &|layout| (thumb.obeys)(case, layout))
}

/// The best plan that states what `spec` does and whose layout `obeys` a rule.
fn best_of(
    case: &Case<'_>,
    spec: &PlanSpec,
    says: &Textbook<'static>,
    question: &Question,
    obeys: &dyn Fn(&Layout) -> bool,
) -> Option<Plan> {
    let decided = |plan: &Plan| {
        let following = apply(question, &followed(plan, says.about));
        following.and_then(|own| own.plan).unwrap_or_default()
    };
    let context = Context::with(case.asked(), case.context.efficiency);
    let found = search::best_where(&context, spec, obeys, &decided);
    Some(found.ok()?.plan)
}
