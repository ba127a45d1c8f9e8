//! What a plan comes to, in the few figures that changes are compared by.

use crate::context::Context;
use crate::fit;
use crate::memory::Lengths;
use crate::plan::Plan;
use crate::step;
use crate::units::{Seconds, UsdPerHour};
use crate::wire::{Difference, Figures};

impl Figures {
    /// What a plan comes to: as its answer says.
    #[must_use]
    pub fn of(context: &Context<'_>, plan: &Plan) -> Self {
        let hardware = &context.job.hardware;
        let step = step::evaluate(context, plan);
        let demands = fit::demands(context, plan, &step);
        let expected = Lengths::Expected;
        let probability =
            fit::decisive(&demands, expected).map_or(1.0, |own| own.probability(expected));
        let missing_gib = fit::shortfall_gib(&demands, context.job.confidence);
        let step = step.pressed(hardware.memory_gib);
        let gpus = f64::from(hardware.gpus);
        let tokens_per_s = step.tokens / step.seconds;
        let price = hardware
            .usd_per_gpu_hour
            .map(|usd| UsdPerHour::new(usd * gpus));
        Self {
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
    pub fn less(&self, before: &Self) -> Difference {
        let usd = |now: Option<f64>, then: Option<f64>| Some(now? - then?);
        Difference {
            tokens_per_s: self.tokens_per_s - before.tokens_per_s,
            tokens_per_s_per_gpu: self.tokens_per_s_per_gpu - before.tokens_per_s_per_gpu,
            usd_per_mtok: usd(self.usd_per_mtok, before.usd_per_mtok),
            usd_per_step: usd(self.usd_per_step, before.usd_per_step),
            gib: self.reserved_gib - before.reserved_gib,
        }
    }
}
