//! Whether a plan fits, as a decision under uncertainty.
//!
//! A plan runs where every phase stays on the card, the engine starts within its share of it, and a node's host memory
//! holds what is moved there. Each of these is a [`Demand`]: what is needed for certain, what is estimated, how far off
//! such estimates are, and what there is. The least probable one decides.

mod demand;
mod sure;

use crate::context::Context;
use crate::host;
use crate::memory::{Lengths, PhaseMemory};
use crate::phase::Phase;
use crate::rollout::Room;
use crate::served;
use crate::step::{self, Step};
pub use demand::{Demand, ENGINE, HOST};
use shardwise_catalog::spread::{Quantile, Spread};
use shardwise_question::job::Job;
use shardwise_question::plan::Plan;
use shardwise_question::wire::{Fit, FitState, HostMemory};
pub use sure::Sure;
pub(crate) use sure::{HOST_MEMORY, STATES, WORKSPACE};

/// What is less probable never fits: of such plans the one is nearest that lacks least, and advice has nothing to lose.
pub const HOPELESS: f64 = 1e-3;

/// Every demand of a plan whose step is known: `p = F((ln((capacity − certain) ÷ estimated) − m) ÷ σ)` of each,
/// with Student's distribution function `F` ([`Spread`]).
///
/// How far off estimates are is what runs of left-out sources show (compare Barber et al. 2021, arXiv:1905.02928). Such a
/// probability is right where it comes true as often as it says (Gneiting et al. 2007,
/// doi:10.1111/j.1467-9868.2007.00587.x): the accuracy page shows how often.
#[must_use]
pub fn demands(context: &Context<'_>, plan: &Plan, step: &Step) -> Vec<Demand> {
    demands_of(context, plan, &step.memories, step.engine.as_ref())
}

/// Every demand of a plan, of which only that is computed.
fn demands_alone(context: &Context<'_>, plan: &Plan) -> Vec<Demand> {
    let (memories, engine) = step::memories(context, plan);
    demands_of(context, plan, &memories, engine.as_ref())
}

fn demands_of(
    context: &Context<'_>,
    plan: &Plan,
    memories: &[(Phase, PhaseMemory)],
    engine: Option<&Room>,
) -> Vec<Demand> {
    let hardware = &context.job.hardware;
    let training = context.sure.spread(context.job, &plan.layout);
    let mut found: Vec<Demand> = memories
        .iter()
        .map(|(phase, memory)| {
            // What shares the card with an engine is states alone.
            let spread = if known(context.job, *phase) { STATES } else { training };
            Demand::of_phase(phase.name(), memory, hardware.memory_gib, spread)
        })
        .collect();
    found.extend(engine.map(|engine| of_share(ENGINE, engine)));
    found.extend(served::of(context).map(|own| of_share(Phase::Teacher.name(), &own.room)));
    found.extend(host::demand(context, plan));
    found
}

/// Whether an engine serves a phase.
fn serves(job: &Job, phase: Phase) -> bool {
    phase == Phase::Rollout || phase == Phase::Teacher && job.workload.teachers_pool().is_some()
}

/// Whether a phase holds nothing but an engine and states.
fn known(job: &Job, phase: Phase) -> bool {
    phase == Phase::WeightSync || serves(job, phase)
}

/// What an engine needs of its share of the card.
fn of_share(phase: &'static str, room: &Room) -> Demand {
    let workspace = room.workspace.gib();
    Demand {
        phase,
        fixed_gib: room.certain().gib(),
        estimated_gib: workspace,
        longest_gib: workspace,
        capacity_gib: room.share.gib(),
        spread: WORKSPACE,
    }
}

/// The least probable of some demands; of several as certain the one with the least to spare.
#[must_use]
pub fn decisive(demands: &[Demand], lengths: Lengths) -> Option<&Demand> {
    let margin = |own: &Demand| own.capacity_gib - own.needed_gib(lengths);
    demands.iter().min_by(|a, b| {
        let of = |own: &Demand| own.probability(lengths);
        of(a).total_cmp(&of(b)).then(margin(a).total_cmp(&margin(b)))
    })
}

/// The demand to speak of, where `least` is the least probable: itself, or of several that will not be met the one that asks for
/// the most of what it has. Some estimates are surer than others, so that the least probable may lack the least.
fn foremost<'a>(demands: &'a [Demand], least: &'a Demand, lengths: Lengths) -> &'a Demand {
    let share = |own: &Demand| own.needed_gib(lengths) / own.capacity_gib.max(f64::MIN_POSITIVE);
    let hopeless = demands
        .iter()
        .filter(|own| FitState::of(own.probability(lengths), 1.0) == FitState::No);
    hopeless.max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or(least)
}

/// Whether a plan whose step is known fits.
#[must_use]
pub fn judge(context: &Context<'_>, plan: &Plan, step: &Step) -> Fit {
    let confidence = context.job.confidence;
    let demands = demands(context, plan, step);
    let Some(least) = decisive(&demands, Lengths::Expected) else {
        return Fit::nothing(confidence);
    };
    let probability = least.probability(Lengths::Expected);
    let own = foremost(&demands, least, Lengths::Expected);
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
        needed_at_confidence_gib: own.sure_gib(Lengths::Expected, context.sure.confidence),
        margin_gib: own.capacity_gib - needed_gib,
        mean_response_at_most: mean_response_at_most(context, plan, &demands),
        host: moves.then(|| HostMemory {
            needed_gib: parts.total(),
            capacity_gib: context.job.hardware.host_ram_gib(),
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
        sure(&demands_alone(&context, plan), Lengths::Expected)
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
/// room enough everywhere.
#[must_use]
pub fn shortfall_gib(demands: &[Demand], confidence: Quantile) -> f64 {
    most(demands.iter().map(|own| own.missing_gib(Lengths::Longest, confidence)))
}

/// The same as the search goes by it: what is missing of host memory is [`host::weighed`], of an engine's share
/// [`host::share_weighed`], of the card while it generates [`host::states_weighed`].
fn short_of(context: &Context<'_>, demands: &[Demand], lengths: Lengths) -> f64 {
    most(demands.iter().map(|own| {
        let missing = own.missing_gib(lengths, context.sure.confidence);
        match own.phase {
            HOST => host::weighed(context, missing, own.capacity_gib),
            ENGINE => host::share_weighed(context, missing, own.estimated_gib),
            phase if phase == Phase::Rollout.name() || phase == Phase::WeightSync.name() => {
                host::states_weighed(context, missing, own.estimated_gib)
            }
            _ => missing,
        }
    }))
}

fn most(missing: impl Iterator<Item = f64>) -> f64 {
    let most = missing.fold(0.0, f64::max);
    // Less than a rounding is none.
    if most < 1e-6 { 0.0 } else { most }
}

/// A plan that is short, with lengths as the question has them: GiB as [`missing_gib`], and by how much less likely than
/// asked it is to fit. Spreads differ from one back end to the next, so that what lacks less may be less likely.
#[must_use]
pub fn expected_shortfall(context: &Context<'_>, plan: &Plan) -> (f64, f64) {
    let demands = demands_alone(context, plan);
    let probability = decisive(&demands, Lengths::Expected).map_or(1.0, |own| own.probability(Lengths::Expected));
    let confidence = context.job.confidence;
    let unlikely = if probability < HOPELESS { confidence } else { (confidence - probability).max(0.0) };
    (short_of(context, &demands, Lengths::Expected), unlikely)
}

/// GiB that are missing for a plan whose step is known to fit as surely as asked, in whatever lengths: what the search goes by,
/// each weighed by how well it is known.
#[must_use]
pub fn missing_gib(context: &Context<'_>, plan: &Plan, step: &Step) -> f64 {
    short_of(context, &demands(context, plan, step), Lengths::Longest)
}

/// The peak of what allocators hand out: what of it is as large as the plan says, what is estimated, in GiB, and how far
/// off that is.
#[must_use]
pub fn peak(context: &Context<'_>, plan: &Plan, step: &Step) -> (f64, f64, Spread) {
    let job = context.job;
    let allocated = |memory: &PhaseMemory| memory.allocated_gib();
    let largest = step.memories.iter().max_by(|a, b| allocated(&a.1).total_cmp(&allocated(&b.1)));
    let Some((phase, memory)) = largest else {
        return (0.0, 0.0, STATES);
    };
    let spread = if known(job, *phase) { STATES } else { context.sure.spread(job, &plan.layout) };
    let certain = memory.certain_gib.min(allocated(memory));
    (certain, allocated(memory) - certain, spread)
}

/// Range that holds that peak between two quantiles, in GiB.
#[must_use]
pub fn peak_interval(context: &Context<'_>, plan: &Plan, step: &Step, ends: [Quantile; 2]) -> [f64; 2] {
    let (certain, estimated, spread) = peak(context, plan, step);
    ends.map(|end| certain + estimated * spread.at(end))
}
