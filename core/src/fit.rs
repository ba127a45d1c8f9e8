//! Whether a plan fits, as a decision under uncertainty.
//!
//! A plan runs where every phase stays on the card, the engine starts within its share of it, and a node's host memory
//! holds what is moved there. Each of these is a [`Demand`]: what is needed for certain, what is estimated, how far off
//! such estimates are, and what there is. The least probable one decides.

use crate::context::Context;
use crate::coverage::{self, MemoryKind};
use crate::host;
use crate::job::Job;
use crate::memory::{Lengths, PhaseMemory};
use crate::plan::{Layout, Plan};
use crate::spread::Spread;
use crate::step::{self, Step};
use crate::wire::{Fit, FitState, HostMemory};

/// One of the things that must hold for a plan to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// A phase of the step, [`ENGINE`] or [`HOST`].
    pub phase: &'static str,
    /// GiB needed for certain.
    pub fixed_gib: f64,
    /// GiB that are estimated, with lengths as the question has them.
    pub estimated_gib: f64,
    /// The same where every sequence is as long as any may be.
    pub longest_gib: f64,
    /// GiB that there are.
    pub capacity_gib: f64,
    /// How far off such estimates are.
    pub spread: Spread,
}

/// The demand of an engine on its own share of the card.
pub const ENGINE: &str = "engine";
/// The demand on a node's host memory.
pub const HOST: &str = "host";

/// How far off model states are, which are arithmetic: published runs of which they are the most are within 3 %
/// (SimuMax's and BLOOM's, core/tests/data/training.jsonl).
const STATES: Spread = Spread::even(0.03);

/// How far off an engine's working memory is: graphs and buffers are assumed (`rollout::workspace`).
const WORKSPACE: Spread = Spread::even(0.25);

impl Demand {
    fn of_phase(
        phase: &'static str,
        memory: &PhaseMemory,
        capacity_gib: f64,
        spread: Spread,
    ) -> Self {
        let (fixed_gib, estimated_gib) = memory.terms(Lengths::Expected);
        Self {
            phase,
            fixed_gib,
            estimated_gib,
            longest_gib: memory.terms(Lengths::Longest).1,
            capacity_gib,
            spread,
        }
    }

    fn estimated(&self, lengths: Lengths) -> f64 {
        match lengths {
            Lengths::Expected => self.estimated_gib,
            Lengths::Longest => self.longest_gib,
        }
    }

    /// GiB needed as estimated.
    #[must_use]
    pub fn needed_gib(&self, lengths: Lengths) -> f64 {
        self.fixed_gib + self.estimated(lengths)
    }

    /// GiB that suffice with probability `confidence`.
    #[must_use]
    pub fn sure_gib(&self, lengths: Lengths, confidence: f64) -> f64 {
        self.fixed_gib + self.estimated(lengths) * self.spread.factor(confidence)
    }

    /// Probability that what there is suffices.
    #[must_use]
    pub fn probability(&self, lengths: Lengths) -> f64 {
        let estimated = self.estimated(lengths);
        let left = self.capacity_gib - self.fixed_gib;
        if estimated > 0.0 {
            self.spread.probability(left / estimated)
        } else {
            f64::from(u8::from(left >= 0.0))
        }
    }
}

/// What estimates are multiplied by so that they suffice as surely as a question asks: of each [`Spread`] its quantile,
/// taken once for many plans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sure {
    training: [f64; 5],
    /// Of states that share the card with an engine.
    pub(crate) states: f64,
    /// Of an engine's working memory.
    pub(crate) workspace: f64,
    /// Of host memory.
    pub(crate) host: f64,
}

impl Sure {
    /// Of a job.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        let at = |spread: Spread| spread.factor(job.confidence);
        Self {
            training: MemoryKind::ALL.map(|kind| at(coverage::spread_of(job, kind))),
            states: at(STATES),
            workspace: at(WORKSPACE),
            host: at(host::SPREAD),
        }
    }

    /// Of what a layout's training holds.
    #[must_use]
    pub fn training(&self, job: &Job, layout: &Layout) -> f64 {
        self.training[MemoryKind::of(job, layout) as usize]
    }
}

/// Every demand of a plan whose step is known: `p = Φ((ln((capacity − certain) ÷ estimated) − m) ÷ σ)` of each.
///
/// How far off estimates are is what runs of left-out sources show (compare Barber et al. 2021, arXiv:1905.02928). Such a
/// probability is right where it comes true as often as it says (Gneiting et al. 2007,
/// doi:10.1111/j.1467-9868.2007.00587.x): the accuracy page shows how often.
#[must_use]
pub fn demands(context: &Context<'_>, plan: &Plan, step: &Step) -> Vec<Demand> {
    let hardware = &context.job.hardware;
    let training = coverage::memory_spread(context.job, &plan.layout);
    let mut found: Vec<Demand> = step
        .memories
        .iter()
        .map(|(phase, memory)| {
            // What shares the card with an engine is states alone.
            let spread = if *phase == "rollout" {
                STATES
            } else {
                training
            };
            Demand::of_phase(phase, memory, hardware.memory_gib, spread)
        })
        .collect();
    found.extend(step.engine.map(|engine| Demand {
        phase: ENGINE,
        fixed_gib: engine.certain().gib(),
        estimated_gib: engine.workspace.gib(),
        longest_gib: engine.workspace.gib(),
        capacity_gib: engine.share.gib(),
        spread: WORKSPACE,
    }));
    found.extend(host::demand(context, plan));
    found
}

/// The least probable of some demands; of several as certain the one with the least to spare.
#[must_use]
pub fn decisive(demands: &[Demand], lengths: Lengths) -> Option<&Demand> {
    let margin = |own: &Demand| own.capacity_gib - own.needed_gib(lengths);
    demands.iter().min_by(|a, b| {
        let of = |own: &Demand| own.probability(lengths);
        of(a)
            .total_cmp(&of(b))
            .then(margin(a).total_cmp(&margin(b)))
    })
}

/// Whether a plan whose step is known fits.
#[must_use]
pub fn judge(context: &Context<'_>, plan: &Plan, step: &Step) -> Fit {
    let confidence = context.job.confidence;
    let demands = demands(context, plan, step);
    let Some(own) = decisive(&demands, Lengths::Expected) else {
        return Fit::nothing(confidence);
    };
    let probability = own.probability(Lengths::Expected);
    let needed_gib = own.needed_gib(Lengths::Expected);
    let parts = host::parts(context, plan);
    let moves = parts.total() > parts.processes;
    Fit {
        state: FitState::of(probability, confidence),
        probability,
        confidence,
        phase: own.phase,
        capacity_gib: own.capacity_gib,
        needed_gib,
        needed_at_confidence_gib: own.sure_gib(Lengths::Expected, confidence),
        margin_gib: own.capacity_gib - needed_gib,
        mean_response_at_most: mean_response_at_most(context, plan, &demands),
        host: moves.then(|| HostMemory {
            needed_gib: parts.total(),
            capacity_gib: context.job.hardware.host_ram_gib,
            parts,
        }),
    }
}

/// The mean response up to which the plan is as sure to fit as asked, where it is now and would not be were every
/// response as long as any may be.
fn mean_response_at_most(context: &Context<'_>, plan: &Plan, demands: &[Demand]) -> Option<f64> {
    let rl = context.job.workload.rl.as_ref()?;
    let confidence = context.job.confidence;
    let sure = |demands: &[Demand], lengths| {
        decisive(demands, lengths).is_some_and(|own| own.probability(lengths) >= confidence)
    };
    if !sure(demands, Lengths::Expected) || sure(demands, Lengths::Longest) {
        return None;
    }
    let at = |mean: f64| {
        let job = context.job.with_mean_response(mean);
        let context = Context::with(&job, context.efficiency);
        let step = step::evaluate(&context, plan);
        sure(&self::demands(&context, plan, &step), Lengths::Expected)
    };
    let (mut low, mut high) = (rl.mean_response_length, rl.max_response_length as f64);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if at(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// GiB that suffice for a step as surely as the question asks, in whatever lengths, over what there is: 0 where it has
/// room enough everywhere. What the search goes by.
#[must_use]
pub fn shortfall_gib(demands: &[Demand], confidence: f64) -> f64 {
    let missing = |own: &Demand| own.sure_gib(Lengths::Longest, confidence) - own.capacity_gib;
    let most = demands.iter().map(missing).fold(0.0, f64::max);
    // Less than a rounding is none.
    if most < 1e-6 { 0.0 } else { most }
}

/// The peak of what allocators hand out: what of it is as large as the plan says, what is estimated, in GiB, and how far
/// off that is.
#[must_use]
pub fn peak(job: &Job, plan: &Plan, step: &Step) -> (f64, f64, Spread) {
    let allocated = |memory: &PhaseMemory| memory.allocated_gib();
    let largest = step
        .memories
        .iter()
        .max_by(|a, b| allocated(&a.1).total_cmp(&allocated(&b.1)));
    let Some((phase, memory)) = largest else {
        return (0.0, 0.0, STATES);
    };
    let spread = if *phase == "rollout" {
        STATES
    } else {
        coverage::memory_spread(job, &plan.layout)
    };
    let certain = memory.certain_gib.min(allocated(memory));
    (certain, allocated(memory) - certain, spread)
}

/// Range that holds that peak in `coverage` of the cases, in GiB.
#[must_use]
pub fn peak_interval(job: &Job, plan: &Plan, step: &Step, coverage: f64) -> [f64; 2] {
    let (certain, estimated, spread) = peak(job, plan, step);
    [0.5 * (1.0 - coverage), 0.5 * (1.0 + coverage)]
        .map(|probability| certain + estimated * spread.factor(probability))
}
