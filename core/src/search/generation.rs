//! Searching engines that only generate.

use super::accept::{Accept, Verdict};
use super::candidate::{Candidate, Room, Top};
use super::{Ranked, choices, nothing};
use crate::complete::complete;
use crate::context::Context;
use crate::error::InputError;
use crate::step;
use crate::wire::PlanSpec;

/// The best engines: there are few, and each is tried.
pub(super) fn ranked(
    context: &Context<'_>,
    spec: &PlanSpec,
    keep: usize,
    accept: Accept<'_>,
) -> Result<Ranked, InputError> {
    let job = context.job;
    let mut top = Top::new(keep);
    let room = Room::comfortable(&job.hardware);
    let mut refusal = None;
    let mut evaluated = 0;
    for (place, rollout) in (0..).zip(choices::rollouts(job, spec)) {
        let whole = PlanSpec {
            rollout: Some(rollout),
            ..spec.clone()
        };
        match complete(job, &whole) {
            Ok(plan) => {
                evaluated += 1;
                if accept(&plan) == Verdict::Yes {
                    let step = step::evaluate(context, &plan);
                    let memory = (&room, room.missing(0.0, step.reserved_gib()));
                    let workload = &job.workload;
                    top.offer(Candidate::new(workload, &plan, step.seconds, memory, place));
                }
            }
            Err(error) => refusal = Some(error),
        }
    }
    if evaluated == 0 {
        return Err(nothing(context, spec, refusal));
    }
    Ok(Ranked {
        considered: evaluated,
        evaluated,
        plans: top.best,
    })
}
