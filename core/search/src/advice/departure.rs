//! Where the search departs from what a guide says, and by how much it is right to.

use crate::figures;
use serde_json::{Map, Value};

use super::{Case, answered_anew, keep_split};
use crate::search::AS_FAST;
use shardwise_catalog::units::fixed;
use shardwise_catalog::words::product;
use shardwise_engine::step;
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::{Advice, Question, Severity, at, plan_to_value};

/// Slower by less than this is as fast.
const SAME: f64 = 0.001;

/// What a plan is held against.
#[derive(Clone, Copy)]
pub(super) struct Textbook<'a> {
    pub(super) id: &'static str,
    /// What it says, as a sentence.
    pub(super) rule: &'a str,
    pub(super) source: &'a str,
    /// Fields of which one that is stated is no departure of the search, and which are set to follow it.
    pub(super) about: &'a [&'a str],
}

/// What following it would cost, by the best plan that does; with it the share that each GPU loses.
pub(super) fn departure(case: &Case<'_>, question: &Question, from: Textbook<'_>, plan: &Plan) -> (f64, Advice) {
    let mut set = followed(plan, from.about);
    let found = case.as_answered(plan);
    // Where who runs it is chosen with it, some are asked by name; in RL where it fits by none.
    let in_need = !found.fits && case.job().workload.rl.is_some();
    let anew = if case.asked().searched || in_need {
        keep_split(case, question, &mut set);
        answered_anew(case, question, &set)
    } else {
        None
    };
    let plan = anew.as_ref().map_or(plan, |(best, _)| &best.plan);
    let now = &case.now;
    let then = anew.as_ref().map_or(found, |(_, then)| *then);
    let share = then.tokens_per_s_per_gpu / now.tokens_per_s_per_gpu - 1.0;
    let short = in_short(&plan.layout);
    let what = if then.fits {
        let compared = compared(case, plan, -share);
        format!("The best such plan, {short}, is {compared}.")
    } else {
        let missing = fixed(then.missing_gib.max(0.1), 1);
        format!("No such plan fits as surely as asked: the best, {short}, lacks {missing} GiB.")
    };
    let advice = Advice {
        id: from.id.into(),
        severity: Severity::Hint,
        text: format!("{} {what}", from.rule),
        source: from.source.to_owned().into(),
        gain: Some(figures::less(&then, now)),
        set,
    };
    (share.min(0.0), advice)
}

/// What to set in a question so that it follows: the code that trains, and each of these fields as the plan has it. Where one
/// of them stayed open, the search would choose it anew and might not obey.
pub(super) fn followed(plan: &Plan, about: &[&str]) -> Map<String, Value> {
    let document = plan_to_value(&plan.to_spec());
    let field = |path: &&str| ((*path).to_owned(), at(&document, path.trim_start_matches("plan.")).clone());
    let mut fields = Map::new();
    fields.extend(["plan.backend"].iter().chain(about).map(field));
    fields
}

fn compared(case: &Case<'_>, plan: &Plan, slower: f64) -> String {
    let percent = 100.0 * slower;
    if slower > SAME {
        let digits = u8::from(percent < 10.0);
        format!("{} % slower: {}", fixed(percent, digits), reason(case, plan))
    } else if -slower < AS_FAST - 1.0 {
        "as fast and less simple".to_owned()
    } else {
        format!("{} % faster: the search left it out", fixed(-percent, 1))
    }
}

/// `Megatron with TP 2 × PP 2`.
fn in_short(layout: &Layout) -> String {
    let parts = product(&[
        ("TP", layout.tensor_parallel),
        ("PP", layout.pipeline_parallel),
        ("VPP", layout.virtual_pipeline),
        ("CP", layout.context_parallel),
        ("Ulysses", layout.ulysses_parallel),
        ("EP", layout.expert_parallel),
        ("ETP", layout.expert_tensor_parallel),
    ]);
    format!("{} with {parts}", layout.backend.name())
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
    format!("{} takes {} more a step", name.replace('_', " "), super::seconds(longer))
}
