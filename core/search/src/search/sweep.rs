//! A question on every GPU type and number of GPUs: one offer each, at its best plan.

mod beyond;
mod listed;
mod rounds;

pub use beyond::Reached;

use std::borrow::Cow;
use std::rc::Rc;

use serde_json::Value;

use super::bounded::{Limits, START};
use super::desk::Desk;
use super::spaces::Spaces;
use super::work::WORK;
use super::{Runner, as_run, renting, split};
use crate::answer::answer;
use rounds::spread;
use shardwise_catalog::catalog::{self, Gpu};
use shardwise_catalog::efficiency::EFFICIENCY;
use shardwise_catalog::error::InputError;
use shardwise_catalog::ordered::rising;
use shardwise_engine::context::Context;
use shardwise_engine::possible::possible;
use shardwise_question::job::Job;
use shardwise_question::market;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Answer, HardwareSpec, PlanSpec, Question};
use shardwise_rules::Framework;

/// GPU types and numbers of GPUs to ask a question for, one after the other.
///
/// It is an iterator, so that a page can stop between any two offers; [`Self::all`] is quicker where there are threads.
pub struct Sweep {
    asked: Asked,
    next: usize,
    /// What machines share that were asked here.
    spaces: Rc<Spaces>,
}

/// What is asked, and of which machines.
struct Asked {
    question: Question,
    hardware: Vec<HardwareSpec>,
    runner: Option<Runner>,
}

/// A GPU type and number with its best plan.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The machine, as a question writes it.
    pub hardware: HardwareSpec,
    /// Its best plan, or why it cannot be asked.
    pub result: Result<Found, InputError>,
}

/// The best plan of an offer.
#[derive(Clone, Debug)]
pub struct Found {
    /// The question, resolved for this machine.
    pub job: Job,
    /// The plan.
    pub plan: Plan,
    /// Its answer.
    pub answer: Answer,
    /// Legal plans among which it is the best.
    pub considered: u64,
    /// Those whose time or memory had to be computed.
    pub evaluated: u64,
    /// Whether all were considered: false where the work that a question may cost ran out.
    pub complete: bool,
}

/// Evaluations that each GPU type and number may cost: all of the catalog's take a second at most.
const WORK_OF_A_TYPE: u64 = 10_000;

impl Sweep {
    /// The question on each of the catalog's `gpus`, with every one of `counts`, or with as many GPUs as it has. Its
    /// own type is asked as it stands, the others have their own network and price, or their cheapest offer of its market.
    /// Without `gpus`, its own type alone;
    /// one that it describes itself is asked in any case. Any plan that the question states is left to the search, as no
    /// other machine may allow it.
    #[must_use]
    pub fn new(question: &Question, gpus: &[&str], counts: &[u64]) -> Self {
        let own = &question.hardware;
        let others = gpus.iter().filter(|id| own.gpu.as_str() != Some(**id));
        let market = market::around(own);
        let types =
            others.map(|id| HardwareSpec { gpu: Value::from(*id), market: market.clone(), ..HardwareSpec::default() });
        let asked = gpus.is_empty() || own.gpu.as_str().is_none_or(|id| gpus.contains(&id));
        let types = asked.then(|| own.clone()).into_iter().chain(types);
        let counts: Vec<Option<u64>> =
            if counts.is_empty() { vec![own.gpus] } else { counts.iter().copied().map(Some).collect() };
        let with = |hardware: &HardwareSpec, gpus| HardwareSpec { gpus, ..hardware.clone() };
        let hardware = types
            .flat_map(|hardware| counts.iter().map(move |gpus| with(&hardware, *gpus)))
            .collect();
        Self::of(question, hardware)
    }

    /// The question on each of these machines.
    pub(super) fn of(question: &Question, hardware: Vec<HardwareSpec>) -> Self {
        let question = Question { plan: None, ..question.clone() };
        Self { asked: Asked { question, hardware, runner: None }, next: 0, spaces: Rc::default() }
    }

    /// This sweep with every machine that a market has in the place of the market: the fastest need not be the cheapest.
    #[must_use]
    pub fn by_offer(self) -> Self {
        let Asked { question, hardware, runner } = self.asked;
        let hardware = hardware.into_iter().flat_map(|own| renting::machines(&question, own)).collect();
        Self { asked: Asked { question, hardware, runner }, ..self }
    }

    /// Every GPU type of the catalog, with as many GPUs as the question has: its own first, then by what they multiply at
    /// most, so that the best are mostly among the first.
    #[must_use]
    pub fn every_gpu(question: &Question) -> Self {
        let gpus = catalog::gpus();
        let peak = |gpu: &Gpu| gpu.bf16_dense_tflops.or(gpu.fp16_dense_tflops).unwrap_or_default();
        let slowness: Vec<f64> = gpus.iter().map(|gpu| -peak(gpu)).collect();
        let all: Vec<&str> = rising(&slowness)
            .into_iter()
            .filter_map(|place| gpus.get(place))
            .map(|gpu| gpu.id)
            .collect();
        Self::new(question, &all, &[])
    }

    /// This sweep among the plans that `framework` runs, where one is named.
    #[must_use]
    pub fn run_by(self, framework: Option<&'static Framework>) -> Self {
        Self { asked: Asked { runner: framework.map(Runner::One), ..self.asked }, ..self }
    }

    /// Number of offers in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.asked.hardware.len()
    }

    /// Every offer, in order: on all cores where there are threads.
    #[must_use]
    pub fn all(self) -> Vec<Tried> {
        let left = self.asked.hardware.get(self.next..).unwrap_or_default();
        spread((left, left.len()), |_| (), |spaces, (), hardware| self.asked.offer(hardware, spaces))
    }

    /// The offer at a place.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<Tried> {
        self.hardware(place).map(|own| self.asked.offer(own, &self.spaces))
    }

    /// The machine at a place.
    #[must_use]
    pub fn hardware(&self, place: usize) -> Option<&HardwareSpec> {
        self.asked.hardware.get(place)
    }

    /// The question that is asked of a machine: with another number of GPUs their split is open.
    #[must_use]
    pub fn asked_for(&self, hardware: &HardwareSpec) -> Question {
        self.asked.of(hardware)
    }
}

impl Asked {
    /// See [`Sweep::asked_for`].
    fn of(&self, hardware: &HardwareSpec) -> Question {
        let mut question = Question { hardware: hardware.clone(), ..self.question.clone() };
        if let Some(rl) = question
            .workload
            .rl
            .as_mut()
            .filter(|_| hardware.gpus != self.question.hardware.gpus)
        {
            rl.train_gpus = None;
        }
        question
    }

    fn offer(&self, hardware: &HardwareSpec, spaces: &Rc<Spaces>) -> Tried {
        Tried { hardware: hardware.clone(), result: self.best(hardware, spaces) }
    }

    fn best(&self, hardware: &HardwareSpec, spaces: &Rc<Spaces>) -> Result<Found, InputError> {
        let question = self.of(hardware);
        // The question's own machine gets the plan that answers it.
        let work = if *hardware == self.question.hardware { WORK } else { WORK_OF_A_TYPE };
        let mut of = |question: &Question| self.found(question, Rc::clone(spaces), work);
        if !market::is_open(hardware) {
            return of(&question);
        }
        // At the same speed it would be out by its price alone.
        let beyond = |known: &Found, rented: &Question, dearer: f64| {
            let enough = known.answer.step_time_s / dearer * START;
            dearer > START && self.is_beyond(&rented.hardware, &|_| enough, spaces)
        };
        renting::cheapest(&question, &mut of, &|found| renting::costs(&found.answer), &beyond)
    }

    fn found(&self, question: &Question, spaces: Rc<Spaces>, work: u64) -> Result<Found, InputError> {
        let mut desk = Desk::beside(spaces, self.runner, work);
        let split::Resolved { job, found } = split::resolve(question, &EFFICIENCY, &mut desk)?;
        let context = Context::new(&job);
        let found = match found {
            Some(found) => found,
            None => {
                let context = context.clone().for_many();
                desk.ranked(&context, &PlanSpec::default(), Limits::best(1))?
            }
        };
        let plan = found.first()?.plan;
        let (job, plan) = as_run(Cow::Owned(job), plan, self.runner.is_none());
        let context = Context::new(&job);
        let answer = possible(&context, &plan, answer(&context, &plan))?;
        Ok(Found {
            plan,
            answer,
            considered: found.considered,
            evaluated: found.evaluated,
            complete: found.complete,
            job: job.into_owned(),
        })
    }
}

impl Iterator for Sweep {
    type Item = Tried;

    fn next(&mut self) -> Option<Tried> {
        let offer = self.at(self.next)?;
        self.next += 1;
        Some(offer)
    }
}
