//! What a plan comes to, in the few figures that changes are compared by.

use shardwise_catalog::units::{Seconds, UsdPerHour};
use shardwise_engine::context::Context;
use shardwise_engine::fit;
use shardwise_engine::memory::Lengths;
use shardwise_engine::step::{self, Step};
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Difference, Figures};

/// What a plan comes to: as its answer says.
#[must_use]
pub(crate) fn of(context: &Context<'_>, plan: &Plan) -> Figures {
    of_step(context, plan, step::evaluate(context, plan))
}

/// What a plan comes to whose step is known.
#[must_use]
pub(crate) fn of_step(context: &Context<'_>, plan: &Plan, step: Step) -> Figures {
    let hardware = &context.job.hardware;
    let demands = fit::demands(context, plan, &step);
    let expected = Lengths::Expected;
    let probability = fit::decisive(&demands, expected).map_or(1.0, |own| own.probability(expected));
    let missing_gib = fit::shortfall_gib(&demands, context.sure.confidence);
    let step = step.pressed(hardware.memory_gib);
    let gpus = f64::from(context.job.gpus());
    let tokens_per_s = step.tokens / step.seconds;
    let price = hardware.usd_per_gpu_hour.map(|usd| UsdPerHour::new(usd * gpus));
    Figures {
        fits: missing_gib == 0.0,
        probability,
        missing_gib,
        tokens_per_s,
        tokens_per_s_per_gpu: tokens_per_s / gpus,
        step_time_s: step.seconds,
        usd_per_mtok: price.map(|price| price.over(Seconds::new(1e6 / tokens_per_s)).get()),
        usd_per_step: price.map(|price| price.over(Seconds::new(step.seconds)).get()),
        reserved_gib: step.reserved_gib(),
    }
}

/// How much these are more than those before.
#[must_use]
pub(crate) fn less(now: &Figures, before: &Figures) -> Difference {
    let usd = |of: fn(&Figures) -> Option<f64>| Some(of(now)? - of(before)?);
    Difference {
        tokens_per_s: now.tokens_per_s - before.tokens_per_s,
        tokens_per_s_per_gpu: now.tokens_per_s_per_gpu - before.tokens_per_s_per_gpu,
        usd_per_mtok: usd(|own| own.usd_per_mtok),
        usd_per_step: usd(|own| own.usd_per_step),
        gib: now.reserved_gib - before.reserved_gib,
    }
}
