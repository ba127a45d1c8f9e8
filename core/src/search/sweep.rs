//! The same question on every GPU type and number of GPUs: one offer each, at its best plan.

use std::rc::Rc;

use serde_json::Value;

use super::accept::run_by;
use super::space::Space;
use super::{Candidate, Ranked, generation, nothing, ranked, specs, split};
use crate::catalog;
use crate::complete::training_gpus;
use crate::context::Context;
use crate::emit::Framework;
use crate::error::InputError;
use crate::estimate;
use crate::job::Job;
use crate::plan::Plan;
use crate::wire::{Answer, HardwareSpec, PlanSpec, Question};

/// GPU types and numbers of GPUs to ask a question for, one after the other.
///
/// It is an iterator, so that a page can stop between any two offers.
pub struct Sweep {
    question: Question,
    hardware: Vec<HardwareSpec>,
    next: usize,
    spaces: Spaces,
    framework: Option<&'static Framework>,
}

/// A GPU type and number with its best plan.
#[derive(Clone, Debug)]
pub struct Offer {
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
    /// Those whose time had to be computed.
    pub evaluated: u64,
}

impl Sweep {
    /// A question's own GPU type as it stands, and `gpus` of the catalog with their own network and price; each with
    /// every one of `counts`, or as many GPUs as the question has. Without `gpus`, its own type alone. Any plan that the
    /// question states is left to the search, as no other machine may allow it.
    #[must_use]
    pub fn new(question: &Question, gpus: &[&str], counts: &[u64]) -> Self {
        let own = &question.hardware;
        let others = gpus.iter().filter(|id| own.gpu.as_str() != Some(**id));
        let types = others.map(|id| HardwareSpec {
            gpu: Value::from(*id),
            ..HardwareSpec::default()
        });
        let asked = gpus.is_empty() || own.gpu.as_str().is_none_or(|id| gpus.contains(&id));
        let types = asked.then(|| own.clone()).into_iter().chain(types);
        let counts: Vec<Option<u64>> = if counts.is_empty() {
            vec![own.gpus]
        } else {
            counts.iter().copied().map(Some).collect()
        };
        let with = |hardware: &HardwareSpec, gpus| HardwareSpec {
            gpus,
            ..hardware.clone()
        };
        let hardware = types
            .flat_map(|hardware| counts.iter().map(move |gpus| with(&hardware, *gpus)))
            .collect();
        Self {
            question: Question {
                plan: None,
                ..question.clone()
            },
            hardware,
            next: 0,
            spaces: Spaces::default(),
            framework: None,
        }
    }

    /// Every GPU type of the catalog, with as many GPUs as the question has.
    #[must_use]
    pub fn every_gpu(question: &Question) -> Self {
        let all: Vec<&str> = catalog::gpus().iter().map(|gpu| gpu.id).collect();
        Self::new(question, &all, &[])
    }

    /// The same among plans that `framework` runs.
    #[must_use]
    pub fn run_by(self, framework: Option<&'static Framework>) -> Self {
        Self { framework, ..self }
    }

    /// Offers in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.hardware.len()
    }

    fn find(&mut self, hardware: &HardwareSpec) -> Result<Found, InputError> {
        let question = Question {
            hardware: hardware.clone(),
            ..self.question.clone()
        };
        let jobs = split::jobs(&question)?;
        let specs = specs(&PlanSpec::default(), self.framework);
        let (mut considered, mut evaluated) = (0, 0);
        let mut refusal = None;
        let (job, best) = split::fastest(&jobs, |job| {
            let mut first: Option<Candidate> = None;
            for (number, spec) in specs.iter().enumerate() {
                match self.spaces.best(job, (number, spec), self.framework) {
                    Ok((best, tried)) => {
                        considered += tried.0;
                        evaluated += tried.1;
                        let first_of = |best: &Candidate| first.is_none_or(|own| best.beats(&own));
                        first = best.filter(first_of).or(first);
                    }
                    Err(error) => refusal = Some(error),
                }
            }
            first
        })?;
        let context = Context::new(&job);
        let Some(best) = best else {
            return Err(nothing(&context, &PlanSpec::default(), refusal));
        };
        let answer = estimate::answer(&context, &best.plan);
        Ok(Found {
            plan: best.plan,
            answer,
            considered,
            evaluated,
            job,
        })
    }
}

impl Iterator for Sweep {
    type Item = Offer;

    fn next(&mut self) -> Option<Offer> {
        let hardware = self.hardware.get(self.next)?.clone();
        self.next += 1;
        let result = self.find(&hardware);
        Some(Offer { hardware, result })
    }
}

/// What plans and their memory depend on beside the question: GPU types that agree in it share a space.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    gpus: u32,
    training: u32,
    gpus_per_node: u32,
    domain: u32,
    blackwell: bool,
    operand_bytes: f64,
    /// Which of the sweep's partial plans.
    spec: usize,
}

impl Kind {
    fn of(context: &Context<'_>, spec: usize) -> Self {
        let hardware = &context.job.hardware;
        Self {
            gpus: hardware.gpus,
            training: training_gpus(context.job),
            gpus_per_node: hardware.gpus_per_node,
            domain: hardware.nvlink_domain.min(8).max(hardware.gpus_per_node),
            // Megatron gathers its weights in fp8 there.
            blackwell: hardware.architecture.starts_with("Blackwell"),
            operand_bytes: context.rates.operand_bytes,
            spec,
        }
    }
}

/// Spaces that were made before.
#[derive(Debug, Default)]
struct Spaces {
    known: Vec<(Kind, Rc<Space>)>,
}

/// Plans considered and evaluated.
type Tried = (u64, u64);

impl Spaces {
    fn of(&mut self, context: &Context<'_>, (number, spec): (usize, &PlanSpec)) -> Rc<Space> {
        let kind = Kind::of(context, number);
        if let Some((_, space)) = self.known.iter().find(|(known, _)| *known == kind) {
            return Rc::clone(space);
        }
        let space = Rc::new(Space::of(context, spec));
        self.known.push((kind, Rc::clone(&space)));
        space
    }

    fn best(
        &mut self,
        job: &Job,
        (number, spec): (usize, &PlanSpec),
        framework: Option<&Framework>,
    ) -> Result<(Option<Candidate>, Tried), InputError> {
        let context = Context::new(job).for_many();
        let accept = |plan: &Plan| run_by(framework, job, plan);
        if job.workload.generation.is_some() {
            return generation::ranked(&context, spec, 1, &accept).map(Ranked::best);
        }
        let space = self.of(&context, (number, spec));
        ranked(&context, spec, &space, 1, &accept).map(Ranked::best)
    }
}

impl Ranked {
    fn best(self) -> (Option<Candidate>, Tried) {
        let tried = (self.considered, self.evaluated);
        (self.plans.into_iter().next(), tried)
    }
}
