//! Searching engines that only generate.

use super::accept::Verdict;
use super::asking::Asking;
use super::candidate::Candidate;
use super::choices;
use super::ranked::Ranked;
use super::refused::nothing;
use super::top::{Near, Top};
use shardwise_catalog::error::InputError;
use shardwise_engine::fit::missing_gib;
use shardwise_engine::step;
use shardwise_question::complete::complete;
use shardwise_question::wire::PlanSpec;

/// The best engine of each way to split one: there are few, and each is tried.
pub(super) fn ranked(asking: &Asking<'_>, spec: &PlanSpec, keep: usize) -> Result<Ranked, InputError> {
    let Asking { context, accept, work } = *asking;
    let job = context.job;
    let mut found: Vec<Candidate> = Vec::new();
    let mut refusal = None;
    let mut considered = 0;
    let (_, rollouts) = choices::rollouts(job, spec);
    for (place, rollout) in (0..).zip(rollouts) {
        let whole = PlanSpec { rollout: Some(rollout), ..spec.clone() };
        match complete(job, &whole) {
            Ok(plan) => {
                considered += 1;
                work.count();
                if accept(&plan) == Verdict::Yes {
                    let step = step::evaluate(context, &plan);
                    let missing = missing_gib(context, &plan, &step);
                    let own = Candidate::new(job, &plan, step.seconds, missing, place);
                    match found.iter_mut().find(|known| split(known) == split(&own)) {
                        Some(known) if own.beats(known) => *known = own,
                        Some(_) => {}
                        None => found.push(own),
                    }
                }
            }
            Err(error) => refusal = Some(error),
        }
    }
    if considered == 0 {
        return Err(nothing(context, spec, refusal));
    }
    let mut top = Top::new(keep, Near::AsFast);
    for own in found {
        top.offer(own);
    }
    Ok(Ranked::of(considered, work, top.best))
}

/// How a plan's engines are split.
fn split(of: &Candidate) -> Option<[u32; 3]> {
    let engine = of.plan.rollout?;
    Some([engine.tensor_parallel, engine.data_parallel, engine.expert_parallel])
}
