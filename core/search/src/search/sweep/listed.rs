//! The machines that a sweep lists, found without asking all: those that do not come near to what is known are left out.

use std::rc::Rc;

use super::beyond::{paid, usd_per_second};
use super::rounds::spread;
use super::{Asked, Sweep, Tried};
use crate::search::Objective;
use crate::search::bounded::START;
use crate::search::limits::Limits;
use crate::search::measures::{Measures, measures};
use crate::search::spaces::Spaces;
use shardwise_catalog::ordered::{rising, sort};
use shardwise_question::job::{self, Job};
use shardwise_question::wire::HardwareSpec;

/// Machines that are asked before any is left out; each round after it has twice as many.
const FIRST: usize = 16;

impl Sweep {
    /// The offers among which are the best `limit` by `objective` and all that no other beats in both cost and time, in
    /// order; those too that cannot be asked. Machines are asked in the order of what they promise, on all cores where there
    /// are threads, and left out where no plan comes near to what is known by then.
    ///
    /// ```
    /// use shardwise_core::{Objective, search::{measures::ranked, sweep::{Sweep, Tried}}, wire};
    /// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
    ///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
    ///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
    /// let all = Sweep::every_gpu(&question).all();
    /// let listed = Sweep::every_gpu(&question).listed(Objective::Time, 3);
    /// assert!(listed.len() < all.len());
    /// let best = |of: &[Tried]| of[ranked(of, Objective::Time).unwrap()[0]].hardware.clone();
    /// assert_eq!(best(&listed), best(&all));
    /// ```
    #[must_use]
    pub fn listed(self, objective: Objective, limit: usize) -> Vec<Tried> {
        let order = self.asked.by_promise();
        let known = |tried: &[Option<(usize, Tried)>]| Known::of(tried.iter().flatten(), objective, limit.max(1));
        let each = |spaces: &Rc<Spaces>, known: &Known, place: &usize| {
            let found = self.asked.unless_beyond(*place, known, spaces)?;
            Some((*place, found))
        };
        let mut tried: Vec<(usize, Tried)> = spread((&order, FIRST), known, each).into_iter().flatten().collect();
        sort(&mut tried, &|a, b| a.0.cmp(&b.0));
        tried.into_iter().map(|(_, own)| own).collect()
    }

    /// This sweep with the machines of the question's own type first, as they come, and then those that promise most.
    pub(in crate::search) fn by_promise(mut self) -> Self {
        let own = |hardware: &HardwareSpec| hardware.gpu == self.asked.question.hardware.gpu;
        let places = self.asked.by_promise();
        let of = |place: usize| self.asked.hardware.get(place);
        let others = places.into_iter().filter_map(of).filter(|machine| !own(machine));
        let all = self.asked.hardware.iter().filter(|machine| own(machine)).chain(others);
        self.asked.hardware = all.cloned().collect();
        self
    }
}

impl Asked {
    /// Places of the machines, those first that promise most: by what they multiply at most, and by that for a dollar, in
    /// turns.
    fn by_promise(&self) -> Vec<usize> {
        let (speed, worth): (Vec<f64>, Vec<f64>) = self.hardware.iter().map(promise).unzip();
        let mut places = Vec::with_capacity(speed.len());
        let mut taken = vec![false; speed.len()];
        for place in rising(&speed).into_iter().zip(rising(&worth)).flat_map(<[usize; 2]>::from) {
            if let Some(taken @ false) = taken.get_mut(place) {
                *taken = true;
                places.push(place);
            }
        }
        places
    }

    /// The offer at a place, unless no plan comes near to what is known. Steps make the fastest of the space quicker by more than
    /// [`START`] in 29 of 7,277 searches, of the presets on all machines of the catalog's market: all 29 are of one of the 19, on
    /// 32 GPUs or more for a batch of 32, and none of those machines is listed.
    fn unless_beyond(&self, place: usize, known: &Known, spaces: &Rc<Spaces>) -> Option<Tried> {
        let hardware = self.hardware.get(place)?;
        let beyond = known.ends() && self.is_beyond(hardware, &|job| known.enough(job) * START, spaces);
        (!beyond).then(|| self.offer(hardware, spaces))
    }
}

/// What a machine multiplies at most, and that for a dollar; the less, the more.
fn promise(hardware: &HardwareSpec) -> (f64, f64) {
    // What is no machine takes no time.
    let Ok(own) = job::resolve_hardware(hardware) else {
        return (f64::MIN, f64::MIN);
    };
    let one = own.peaks.bf16.max(own.peaks.fp16);
    let worth = own.usd_per_gpu_hour.filter(|usd| *usd > 0.0).map_or(0.0, |usd| one / usd);
    (-one * f64::from(own.gpus), -worth)
}

/// What is known of the machines that were asked.
struct Known {
    objective: Objective,
    /// The last that is listed so far; `None` where there are places left.
    last: Option<Step>,
    /// Those that have a price: seconds and dollars.
    priced: Vec<(f64, f64)>,
}

/// A step of a machine that is known: GPUs, seconds, dollars.
#[derive(Clone, Copy)]
struct Step {
    gpus: u32,
    seconds: f64,
    usd: Option<f64>,
}

impl Known {
    fn of<'a>(tried: impl Iterator<Item = &'a (usize, Tried)>, objective: Objective, limit: usize) -> Self {
        let fits = tried
            .filter_map(|(_, own)| own.result.as_ref().ok())
            .filter(|own| own.answer.fits);
        // Of what nobody runs nothing says what is left out: whoever runs comes before it.
        let known: Vec<(Measures, Step)> = fits
            .map(|own| {
                let measures = measures(own);
                // Of measures of a million tokens.
                let step = own.answer.tokens_per_s * own.answer.step_time_s / 1e6;
                let usd = measures.usd.map(|usd| usd * step);
                (measures, Step { gpus: measures.gpus, seconds: measures.seconds * step, usd })
            })
            .filter(|(measures, _)| measures.runs)
            .collect();
        let limits = Limits::of(objective);
        // Beside what is less sure any other may still be listed.
        let mut within: Vec<&(Measures, Step)> = known.iter().filter(|(own, _)| limits.kept_surely(own)).collect();
        sort(&mut within, &|a, b| a.0.order(&b.0, objective));
        Self {
            objective,
            last: within.get(limit - 1).map(|(_, step)| *step),
            priced: known.iter().filter_map(|(_, own)| Some((own.seconds, own.usd?))).collect(),
        }
    }

    /// Whether any machine may be left out.
    fn ends(&self) -> bool {
        self.last.is_some()
    }

    /// Seconds of a step from which on a machine is not listed.
    fn enough(&self, job: &Job) -> f64 {
        let price = usd_per_second(job);
        // A machine without a price comes after all that have one.
        let by_cost = |usd: Option<f64>| match price {
            Some(price) => paid(usd, price),
            None if usd.is_some() => 0.0,
            None => f64::INFINITY,
        };
        let listed = self.last.map_or(f64::INFINITY, |last| match self.objective {
            Objective::Cost | Objective::CostWithin { .. } => by_cost(last.usd),
            Objective::Time | Objective::TimeWithin { .. } => last.seconds,
            Objective::Gpus if job.gpus() > last.gpus => 0.0,
            Objective::Gpus => f64::INFINITY,
        });
        // What has no price is not weighed in both.
        let unbeaten = price.map_or(0.0, |price| {
            let beaten = |(seconds, usd): &(f64, f64)| seconds.max(paid(Some(*usd), price));
            self.priced.iter().map(beaten).fold(f64::INFINITY, f64::min)
        });
        listed.max(unbeaten)
    }
}
