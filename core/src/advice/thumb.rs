//! Rules of thumb that the search departs from, and by how much it is right to.
//!
//! Each costs a search among the plans that obey the rule: two at most, for a plan that the search chose. The third rule,
//! expert parallelism before expert tensor parallelism, the search always obeys; what departing from it would gain is a
//! rule of [`super::training`].

use serde_json::{Map, Value};

use super::training::LONG;
use super::{CHATLEARN_GUIDE, Case};
use crate::emit::product;
use crate::plan::{Layout, Plan};
use crate::search;
use crate::step;
use crate::units::fixed;
use crate::wire::{Advice, Backend, Figures, PlanSpec, Question, Severity, at, plan_to_value};

/// Parameters of one GPU from which ChatLearn's guide starts.
const PARAMETERS: f64 = 4e9;

/// How far from it still counts as about it: every model has a power of two of GPUs within this.
const ABOUT: f64 = std::f64::consts::SQRT_2;

/// Slower by less than this is as fast.
const SAME: f64 = 0.001;

struct Thumb {
    id: &'static str,
    rule: &'static str,
    /// Fields of which one that is stated is no departure of the search.
    about: &'static [&'static str],
    /// Whether the rule speaks of such a job at all.
    applies: fn(&Case<'_>) -> bool,
    obeys: fn(&Case<'_>, &Layout) -> bool,
    /// What is asked with the found plan's backend and the fields that the rule is about.
    keeps: fn(PlanSpec, &PlanSpec) -> PlanSpec,
}

const THUMBS: [Thumb; 2] = [
    Thumb {
        id: "parameters-per-gpu",
        rule: "The ChatLearn guide starts from about 4 billion parameters per GPU",
        about: &[
            "plan.tensor_parallel",
            "plan.pipeline_parallel",
            "plan.expert_parallel",
            "plan.expert_tensor_parallel",
        ],
        applies: |_| true,
        obeys: about_four_billion,
        keeps: |found, asked| PlanSpec {
            backend: found.backend,
            tensor_parallel: found.tensor_parallel,
            pipeline_parallel: found.pipeline_parallel,
            expert_parallel: found.expert_parallel,
            expert_tensor_parallel: found.expert_tensor_parallel,
            ..asked.clone()
        },
    },
    Thumb {
        id: "context-parallel-from-8192",
        rule: "The ChatLearn guide advises context parallelism of 2 or more from 8,192 tokens",
        about: &["plan.context_parallel", "plan.ulysses_parallel"],
        applies: |case| case.job().workload.sequence_length >= LONG,
        obeys: |_, layout| layout.sequence_split() > 1,
        keeps: |found, asked| PlanSpec {
            backend: found.backend,
            context_parallel: found.context_parallel,
            ulysses_parallel: found.ulysses_parallel,
            ..asked.clone()
        },
    },
];

/// Whether an identifier is that of a rule of thumb.
pub(super) fn is_one(id: &str) -> bool {
    THUMBS.iter().any(|thumb| thumb.id == id)
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
    layout.backend == Backend::Megatron
        && (least || (PARAMETERS / ABOUT..=PARAMETERS * ABOUT).contains(&each))
}

/// The rules of thumb that the chosen plan does not obey, each with the best plan that does.
pub(super) fn departures(
    case: &Case<'_>,
    question: &Question,
    document: &Value,
) -> Vec<(f64, Advice)> {
    if case.job().workload.generation.is_some() {
        return Vec::new();
    }
    let spec = question.plan.clone().unwrap_or_default();
    let stated = |field: &&'static str| !at(document, field).is_null();
    THUMBS
        .iter()
        .filter(|thumb| !thumb.about.iter().any(stated))
        .filter(|thumb| (thumb.applies)(case) && !(thumb.obeys)(case, case.layout()))
        .filter_map(|thumb| departure(case, thumb, &spec))
        .collect()
}

fn departure(case: &Case<'_>, thumb: &Thumb, spec: &PlanSpec) -> Option<(f64, Advice)> {
    let obeys = |layout: &Layout| (thumb.obeys)(case, layout);
    let decided = |plan: &Plan| (thumb.keeps)(plan.to_spec(), spec);
    let found = search::best_where(case.context, spec, &obeys, &decided);
    // Where no legal plan obeys, the rule speaks of other jobs.
    let plan = found.ok()?.plan;
    let (now, then) = (&case.now, Figures::of(case.context, &plan));
    let share = then.tokens_per_s_per_gpu / now.tokens_per_s_per_gpu - 1.0;
    let short = in_short(&plan.layout);
    let what = if then.fits {
        let slower = -100.0 * share;
        let compared = if slower > 100.0 * SAME {
            format!(
                "{} % slower: {}",
                fixed(slower, u8::from(slower < 10.0)),
                reason(case, &plan)
            )
        } else {
            "as fast and less simple".to_owned()
        };
        format!("The best such plan, {short}, is {compared}.")
    } else {
        let missing = fixed(then.missing_gib.max(0.1), 1);
        format!("No such plan fits as surely as asked: the best, {short}, lacks {missing} GiB.")
    };
    // Where one of them stays open, the search would choose it anew and might not obey.
    let document = plan_to_value(&plan.to_spec());
    let mut set = Map::new();
    for path in ["plan.backend"].iter().chain(thumb.about) {
        let key = path.trim_start_matches("plan.");
        set.insert((*path).to_owned(), at(&document, key).clone());
    }
    let advice = Advice {
        id: thumb.id.into(),
        severity: Severity::Hint,
        text: format!("{}. {what}", thumb.rule),
        source: CHATLEARN_GUIDE.into(),
        gain: Some(then.less(now)),
        set,
    };
    Some((share.min(0.0), advice))
}

/// `Megatron with TP 2 × PP 2`.
fn in_short(layout: &Layout) -> String {
    let parts = product(&[
        ("TP", layout.tensor_parallel),
        ("PP", layout.pipeline_parallel),
        ("CP", layout.context_parallel),
        ("Ulysses", layout.ulysses_parallel),
        ("EP", layout.expert_parallel),
        ("ETP", layout.expert_tensor_parallel),
    ]);
    let backend = match layout.backend {
        Backend::Megatron => "Megatron",
        Backend::Fsdp => "FSDP",
        Backend::Deepspeed => "DeepSpeed",
        Backend::Ddp => "DDP",
    };
    format!("{backend} with {parts}")
}

/// Which part of the step takes the most more than in the chosen plan.
fn reason(case: &Case<'_>, plan: &Plan) -> String {
    let now = case.step.parts();
    let then = step::evaluate(case.context, plan).parts();
    let more = then.entries().into_iter().zip(now.entries());
    let most = more
        .map(|((name, then), (_, now))| (name, then - now))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let (name, longer) = most.unwrap_or_default();
    format!(
        "{} takes {} more a step",
        name.replace('_', " "),
        super::seconds(longer)
    )
}
