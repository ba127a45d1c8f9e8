//! Machines that do not come near to what is known: that takes a part of the time that their best plans take.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::{Asked, Sweep, WORK_OF_A_TYPE};
use crate::search::bounded::{Limits, START};
use crate::search::desk::Desk;
use crate::search::spaces::Spaces;
use crate::search::{Runner, renting, split};
use shardwise_catalog::error::InputError;
use shardwise_catalog::hardware::HostRam;
use shardwise_engine::context::Context;
use shardwise_question::job::{self, Chosen, Job};
use shardwise_question::wire::{HardwareSpec, PlanSpec};

/// What a step takes on machines that are known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Seconds.
    pub seconds: f64,
    /// Dollars; `None` where none of them has a price, so that any price is better.
    pub usd: Option<f64>,
    /// Whether some framework runs what reaches that. Where none does, what one runs comes before it, however long it takes.
    pub runs: bool,
}

impl Reached {
    /// Seconds from which on a step does worse in both, at so many dollars a second.
    fn enough(self, usd_per_second: Option<f64>) -> f64 {
        self.seconds.max(usd_per_second.map_or(0.0, |price| paid(self.usd, price)))
    }
}

/// Seconds after which a step at a price has cost as much as one that is known; that one's missing price is above any.
pub(super) fn paid(usd: Option<f64>, usd_per_second: f64) -> f64 {
    usd.map_or(f64::INFINITY, |usd| usd / usd_per_second)
}

/// Dollars for a second on all GPUs.
pub(super) fn usd_per_second(job: &Job) -> Option<f64> {
    job.hardware.usd_per_gpu_hour.map(|usd| usd * f64::from(job.gpus()) / 3600.0)
}

/// Memory in which everything fits.
const ROOMY_GIB: f64 = 1e9;

impl Sweep {
    /// Whether the machine at a place may do better than what is `reached`, in seconds or in dollars of a step: false where no
    /// plan is likely to come near to it, which takes a part of the time that [`Self::at`] does. It may say so of one that
    /// does not.
    ///
    /// ```
    /// use shardwise_core::{search::sweep::{Reached, Sweep}, wire};
    /// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
    ///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
    ///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
    /// let sweep = Sweep::new(&question, &["h100-sxm", "v100-sxm-32g", "b200-sxm"], &[]);
    /// let own = sweep.at(0).unwrap().result.unwrap().answer;
    /// let reached = Reached { seconds: own.step_time_s, usd: Some(0.0), runs: true };
    /// assert!(!sweep.may_beat(1, reached) && sweep.may_beat(2, reached));
    /// assert!(sweep.may_beat(1, Reached { runs: false, ..reached }));
    /// ```
    #[must_use]
    pub fn may_beat(&self, place: usize, reached: Reached) -> bool {
        // Steps may end elsewhere.
        let enough = |job: &Job| reached.enough(usd_per_second(job)) * START;
        self.hardware(place).is_some_and(|own| match reached.runs {
            true => !self.asked.is_likely_beyond(own, &enough, &self.spaces),
            false => !self.asked.is_unrun_beyond(own, &enough, &self.spaces),
        })
    }
}

impl Asked {
    /// Whether it is likely that no plan of a machine takes less than `enough` seconds for a step: none that fits as surely as
    /// asked. Of what just fits it says so, too, and of RL that fits by some framework's own means alone, which are slow.
    fn is_likely_beyond(&self, hardware: &HardwareSpec, enough: &dyn Fn(&Job) -> f64, spaces: &Rc<Spaces>) -> bool {
        self.all_machines(hardware, &|job| {
            let context = Context::new(&job).for_many();
            let found = self.some(&context, self.runner, enough(&job), spaces);
            found.is_ok_and(|some| !some)
        })
    }

    /// The same of a machine none of whose plans any framework runs; false of any other.
    fn is_unrun_beyond(&self, hardware: &HardwareSpec, enough: &dyn Fn(&Job) -> f64, spaces: &Rc<Spaces>) -> bool {
        self.all_machines(hardware, &|job| {
            let context = Context::new(&job).for_many();
            let desk = Desk::beside(Rc::clone(spaces), self.runner, WORK_OF_A_TYPE);
            let is_run = desk.any(&context, &PlanSpec::default()).is_some();
            !is_run && self.some(&context, Some(Runner::Nobody), enough(&job), spaces) == Ok(false)
        })
    }

    /// Whether no plan of a machine takes less than `enough` seconds for a step, if it has as much memory as any needs: what
    /// fits may be found by steps alone, and what just fits is an answer too.
    pub(super) fn is_beyond(&self, hardware: &HardwareSpec, enough: &dyn Fn(&Job) -> f64, spaces: &Rc<Spaces>) -> bool {
        self.all_machines(hardware, &|mut job| {
            let enough = enough(&job);
            job.hardware.memory_gib = ROOMY_GIB;
            job.hardware.host_ram = HostRam::Stated(ROOMY_GIB);
            let context = Context::new(&job).for_many();
            let some = |runner, enough| self.some(&context, runner, enough, spaces);
            // Rules are the most of what is asked, and what they leave is a part of what there is without them.
            match some(Some(Runner::Nobody), enough) {
                Ok(false) => true,
                Err(_) => false,
                // Where nobody runs any plan, what nobody runs is the answer.
                Ok(true) => some(self.runner, enough) == Ok(false) && some(self.runner, f64::INFINITY) == Ok(true),
            }
        })
    }

    /// Whether `each` holds of all jobs that a machine is; false where that is open.
    fn all_machines(&self, hardware: &HardwareSpec, each: &dyn Fn(Job) -> bool) -> bool {
        let machines = renting::machines(&self.question, hardware.clone());
        machines.iter().all(|own| {
            let question = self.of(own);
            let job = job::resolve(&question).ok();
            let job = job.filter(|job| job.workload.generation.is_none() && !split::is_open(&question, job));
            job.is_some_and(|job| self.by_name(&job).into_iter().all(each) && each(job))
        })
    }

    /// A job by the name of each framework that may be faster than all that is the same by whichever.
    fn by_name(&self, job: &Job) -> Vec<Job> {
        if job.workload.rl.is_some() {
            return Vec::new();
        }
        let desk = Desk::new(self.runner, 0);
        let frameworks = desk.by_name(job, &PlanSpec::default()).into_iter();
        let named = frameworks.filter_map(|own| Some(Chosen { id: own.id, version: own.versions.first()? }));
        named.map(|own| Job { framework: Some(own), ..job.clone() }).collect()
    }

    /// Whether some plan fits and takes less than `enough` seconds as it stands in the space.
    fn some(
        &self,
        context: &Context<'_>,
        runner: Option<Runner>,
        enough: f64,
        spaces: &Rc<Spaces>,
    ) -> Result<bool, InputError> {
        let mut desk = Desk::beside(Rc::clone(spaces), runner, WORK_OF_A_TYPE);
        let found = desk.ranked(context, &PlanSpec::default(), Limits::room(enough))?;
        Ok(!found.plans.is_empty())
    }
}
