//! A step on given text: an update, and what is evaluated of each batch before it: on preference data by a reference, in
//! distillation by a teacher.

use crate::batch::{self, Batch};
use crate::context::Context;
use crate::memory::{self, Lengths, Use};
use crate::phase::Phase;
use crate::rl::{self, frozen_weights};
use crate::turn::Turn;
use shardwise_question::plan::Plan;
use shardwise_question::task::Preference;
use shardwise_question::wire::{MemoryParts, Offload, TimeParts};

/// Passes over a batch that only evaluate it: the policy's over mismatched responses, and the reference's, over those too.
#[must_use]
pub fn evaluations(context: &Context<'_>) -> f64 {
    let workload = &context.job.workload;
    let mismatched = f64::from(u8::from(has_mismatched(context)));
    mismatched + if workload.reference { 1.0 + mismatched } else { 0.0 }
}

/// Whether an update is all of a step.
fn trains_alone(context: &Context<'_>) -> bool {
    evaluations(context) == 0.0 && context.job.workload.teacher_beside().is_none()
}

fn has_mismatched(context: &Context<'_>) -> bool {
    context.job.workload.kind.preference().is_some_and(Preference::has_mismatched)
}

/// The turns of a step, in order.
///
/// DPO (arXiv:2305.18290), IPO (arXiv:2310.12036) and KTO (arXiv:2402.01306) evaluate a reference, KTO policy and reference on
/// mismatched responses too; ORPO (arXiv:2403.07691), `SimPO` (arXiv:2405.14734) and reward models (arXiv:2203.02155) train
/// alone.
///
/// Trainers evaluate each micro-batch right before they train on it, with sizes and layout of the update (TRL 1.16.0,
/// `trainer/dpo_trainer.py`, `_compute_loss`, and `trainer/kto_trainer.py`; LLaMA-Factory 0.9.5, `train/dpo/trainer.py`,
/// `get_batch_loss_metrics`). Where adapters train, the reference is the base with adapters switched off: what they would
/// take is counted none the less. A teacher does the same (ms-swift 4.6.0, `rlhf_trainers/gkd_trainer.py`, `compute_loss`).
#[must_use]
pub fn turns<'a>(context: &'a Context<'_>, plan: &Plan) -> Vec<Turn<'a>> {
    let beside = rl::beside(context, plan);
    let turns = alone(context, plan).map(|turn| Turn { beside: beside(turn.phase), ..turn });
    turns.collect()
}

/// The turns as if nothing else lay on the card: all that their time depends on.
fn alone<'a>(context: &'a Context<'_>, plan: &Plan) -> impl Iterator<Item = Turn<'a>> {
    let mismatched = has_mismatched(context);
    let over = if mismatched { 2.0 } else { 1.0 };
    let actor = context.actor();
    let all = [
        (Phase::Mismatched, Use::Evaluate, mismatched.then_some((actor, plan.layout)), 1.0),
        (Phase::Reference, Use::Evaluate, plan.reference.map(|layout| (actor, layout)), over),
        (Phase::Teacher, Use::Evaluate, context.teacher().map(|role| (role, plan.layout)), 1.0),
        (Phase::Train, Use::Train, Some((actor, plan.layout)), 1.0),
    ];
    all.into_iter().filter_map(move |(phase, usage, by, times)| {
        let (role, layout) = by?;
        Some(Turn {
            phase,
            role,
            batch: batch::of_update(context.job, &layout),
            layout,
            usage,
            times,
            handed: 0.0,
            away: Offload::default(),
            beside: MemoryParts::default(),
        })
    })
}

/// Weights of a reference, or of a teacher, that lie on the card while the policy trains.
fn waiting(context: &Context<'_>, plan: &Plan) -> MemoryParts {
    let teacher = context.teacher();
    let taught = teacher.map_or_else(MemoryParts::default, |role| frozen_weights(context, &role, &plan.layout));
    // With adapters the reference is the base itself, adapters switched off.
    let own = plan
        .reference
        .as_ref()
        .filter(|_| context.adapters == 0 && !context.job.swaps_reference());
    own.map_or(taught, |layout| frozen_weights(context, &context.actor(), layout))
}

/// What a step takes whose update is of `batch`: all its turns together.
#[must_use]
pub fn parts(context: &Context<'_>, plan: &Plan, batch: &Batch) -> TimeParts {
    let update = crate::training::step(context, &context.actor(), &plan.layout, batch).parts();
    if trains_alone(context) {
        return update;
    }
    let evaluated = alone(context, plan).filter(|turn| turn.usage == Use::Evaluate);
    evaluated.fold(update, |sum, turn| sum.plus(&turn.time(context)))
}

/// GiB that suffice for a step as surely as asked, however long sequences get: of its update, or of what is evaluated before, which
/// holds more where what the update keeps is in host memory.
#[must_use]
pub fn needed_gib(context: &Context<'_>, plan: &Plan, batch: &Batch) -> f64 {
    let update = update_gib(context, plan, batch);
    if trains_alone(context) {
        return update;
    }
    let factor = context.sure.training(context.job, &plan.layout);
    let evaluated = turns(context, plan).into_iter().filter(|turn| turn.usage == Use::Evaluate);
    let needed = evaluated.map(|turn| turn.needed_at_longest(&turn.at_longest(context), factor));
    needed.fold(update, f64::max)
}

/// The same of the update alone.
#[must_use]
pub fn update_gib(context: &Context<'_>, plan: &Plan, batch: &Batch) -> f64 {
    let held = memory::of_role_at_longest(context, &context.actor(), &plan.layout, batch, Use::Train);
    let factor = context.sure.training(context.job, &plan.layout);
    held.beside(&waiting(context, plan), 0.0).needed_gib(Lengths::Expected, factor)
}
