//! One RL step: the generating and the training side, and where they meet.

mod asleep;
mod between;
mod budgets;
pub mod handover;
mod limits;
mod paired;
mod residents;
mod turns;
pub mod workings;

use crate::context::Context;
use crate::host;
use crate::known::TrainingMemory;
use crate::memory::PhaseMemory;
use crate::phase::Phase;
use crate::rollout::{self, Requests, Room};
use crate::served;
use crate::step::{Step, engine_memory, generation_parts, recomputed_share};
pub use asleep::{asleep, kept_engine, process};
use between::{driver, least_waking, synced_by_tensor, weight_sync};
pub use budgets::Budgets;
pub use limits::{limits, most, safe_utilization};
pub use paired::{Held, Taken, missing_card_gib, paired, training_held};
pub(crate) use residents::frozen_weights;
pub use residents::{Resident, Who, residents};
use shardwise_catalog::units::Seconds;
use shardwise_question::complete::generating_gpus;
use shardwise_question::job::Timed;
use shardwise_question::plan::{Layout, Plan, RolloutPlan};
use shardwise_question::wire::{MemoryParts, Schedule, TimeParts};
use shardwise_question::workload::Rl;
pub(crate) use turns::beside;
use turns::{Work, works};
pub use turns::{forward_layout, turns};

/// The training side of an RL step: everything but generation.
#[derive(Clone, Debug)]
pub struct TrainingSide {
    times: Vec<(Phase, TimeParts)>,
    held: TrainingMemory,
}

/// The generating side of an RL step: the engine's phase.
#[derive(Clone, Copy, Debug)]
pub struct GeneratingSide {
    /// What the engine has for the sequences that it generates.
    pub room: Room,
    times: TimeParts,
    /// What a teacher on GPUs of its own takes beyond them, where there is one.
    teacher: Option<TimeParts>,
    /// How long the engines generate a batch, of which `times` are a multiple.
    batch: Seconds,
    /// How far it runs ahead of training, where it does not wait for the step's last response.
    ahead: Option<Ahead>,
}

/// Generation that begins batches while others are unfinished.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Seconds for a step's responses while as many are in progress as the staleness bound allows.
    pub flow: f64,
    /// Steps in which a batch is generated, trained on and followed by new weights.
    pub steps: f64,
    /// Steps in which a batch is generated and half of it trained on, with a bound of less than one step.
    pub within: Option<f64>,
}

/// The two sides of a step.
#[derive(Clone, Debug)]
pub struct Sides {
    /// All but generation.
    pub training: TrainingSide,
    /// Generation.
    pub generating: GeneratingSide,
}

/// Both sides of a plan; `None` where it has no engine.
#[must_use]
pub fn sides(context: &Context<'_>, plan: &Plan, rl: &Rl) -> Option<Sides> {
    Some(Sides {
        training: training_side(context, plan, rl),
        generating: generating_side(context, plan.rollout.as_ref()?, rl),
    })
}

/// The whole step.
#[must_use]
pub fn step(context: &Context<'_>, plan: &Plan, rl: &Rl) -> Step {
    sides(context, plan, rl).map_or_else(Step::default, |sides| together(context, plan, rl, &sides))
}

/// The step that two sides make.
#[must_use]
pub fn together(context: &Context<'_>, plan: &Plan, rl: &Rl, sides: &Sides) -> Step {
    let Some(engine) = &plan.rollout else {
        return Step::default();
    };
    let Sides { training, generating } = sides;
    let sync = weight_sync(context, plan, rl, engine);
    let driver = driver(context, rl);
    let seconds = generating.beside(rl.schedule, seconds(&training.times) + driver.total()) + sync.total();
    let mut times = Vec::with_capacity(3 + training.times.len());
    times.push((Phase::Rollout, generating.times));
    times.extend(generating.teacher.map(|parts| (Phase::Teacher, parts)));
    times.extend(training.times.iter().copied());
    times.push((Phase::WeightSync, sync));
    times.push((Phase::Driver, driver));
    let tokens = rl.sequences() as f64 * rl.mean_length();
    let per_token = context.training_flops(plan.layout.backend, rl.mean_length()).get();
    let model_flops = per_token * tokens * rl.epochs as f64;
    Step {
        times,
        memories: held_beside(context, rl, (engine, &generating.room), &training.held),
        engine: Some(generating.room),
        seconds,
        tokens,
        model_flops,
        hardware_flops: model_flops * (1.0 + recomputed_share(context, &plan.layout, rl.mean_length())),
    }
}

/// What each phase of a step holds, and its engine; nothing where it has none. [`step`] without its times.
#[must_use]
pub fn memories(context: &Context<'_>, plan: &Plan, rl: &Rl) -> (Vec<(Phase, PhaseMemory)>, Option<Room>) {
    let Some(engine) = &plan.rollout else {
        return (Vec::new(), None);
    };
    let room = engine_room(context, engine, rl);
    let training = held_in_training(context, plan, rl);
    (held_beside(context, rl, (engine, &room), &training), Some(room))
}

/// What each phase of a step holds: the engine's beside what training leaves on the card, and the other way round.
fn held_beside(
    context: &Context<'_>,
    rl: &Rl,
    (engine, room): (&RolloutPlan, &Room),
    training: &TrainingMemory,
) -> Vec<(Phase, PhaseMemory)> {
    let kept = kept_engine(context, engine, rl, room);
    let mut memories = Vec::with_capacity(3 + training.phases.len());
    memories.push((Phase::Rollout, engine_memory(room, outside_gib(context, engine, rl), training.resident)));
    let beside =
        |(phase, memory): &(Phase, PhaseMemory)| (*phase, memory.beside(&kept, kept.rollout_weights + kept.kv_cache));
    memories.extend(training.phases.iter().map(beside));
    let taken = |own: MemoryParts| handover::memory(context, &own, &handover::of_engine(context, engine, rl, room));
    memories.extend(training.handing.map(|own| (Phase::WeightSync, taken(own))));
    memories.extend(served::of(context).map(|own| (Phase::Teacher, own.memory(context))));
    memories
}

/// What each phase of the training side holds by itself, and what of its states shares the card with the engine.
fn held_in_training(context: &Context<'_>, plan: &Plan, rl: &Rl) -> TrainingMemory {
    context.known.training_memory(plan, || {
        let (turns, resident) = turns(context, plan, rl);
        let phases = turns.iter().map(|own| (own.phase, own.memory(context))).collect();
        TrainingMemory { phases, resident: stays(rl, resident), handing: handover::of_training(context, plan, rl) }
    })
}

/// Seconds of a step whose training side takes `training`.
pub fn seconds_of(context: &Context<'_>, plan: &Plan, rl: &Rl, training: f64, generating: &GeneratingSide) -> f64 {
    plan.rollout.as_ref().map_or(f64::MAX, |engine| {
        let training = training + driver(context, rl).total();
        generating.beside(rl.schedule, training) + weight_sync(context, plan, rl, engine).total()
    })
}

/// Seconds that a step takes at least where generation takes `generating` and training `training` of them.
pub fn least(context: &Context<'_>, layout: &Layout, rl: &Rl, generating: f64, training: f64) -> f64 {
    let sync = synced_by_tensor(context, layout).get() + least_waking(context, rl);
    let sync = sync * context.job.workload.sampled_share();
    let sync = sync * context.job.time_factor(Timed::WeightSync);
    schedule(rl.schedule, generating, training + driver(context, rl).total()) + sync
}

impl GeneratingSide {
    /// Seconds from a batch's first token to its last, a teacher's on GPUs of its own included.
    fn batch(&self) -> f64 {
        self.teacher.map_or(0.0, |parts| parts.total()) + self.times.total()
    }

    /// The same engine with another share of the card, as `engine` has it, which leaves it `room`: with as many sequences at once a batch
    /// takes as long. None with others; nor where an agent's tools let sequences wait, whose cache may be dropped for want of room.
    #[must_use]
    pub fn with_room(&self, context: &Context<'_>, engine: &RolloutPlan, rl: &Rl, room: Room) -> Option<Self> {
        let alike = rl.agent.is_none() && room.concurrency == self.room.concurrency;
        alike.then(|| Self { room, ..*self }.run_ahead(context, engine, rl))
    }

    /// The same where it does not wait for a step's last response, if it does not: with more in progress than in a batch.
    fn run_ahead(self, context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> Self {
        // Where new weights wait for unfinished responses, each step waits for its longest: with a whole step ahead no bound holds it.
        let allowed = rl.max_staleness;
        let bounded = rl.partial_rollout || allowed < 1.0;
        let ahead = (rl.schedule == Schedule::FullyAsync && bounded).then(|| {
            let whole = allowed.max(1.0);
            let flow = if rl.partial_rollout {
                let (requests, _) = requests(context, rl);
                rollout::flow(context, engine, generating_gpus(context.job), &requests, whole) / self.batch
            } else {
                1.0
            };
            let within = (allowed < 1.0).then_some(allowed + 1.0);
            Ahead { flow: flow * self.times.total(), steps: whole + 1.0, within }
        });
        Self { ahead, ..self }
    }

    /// Seconds of a step that generation takes at least, whatever training takes.
    pub fn seconds(&self) -> f64 {
        self.ahead.map_or(self.batch(), |own| own.flow.max(self.batch() / own.steps))
    }

    /// Seconds of a step beside `training` of them, but for new weights.
    ///
    /// Generation that runs ahead is held by three: how fast responses come at all, training, and the staleness bound. With
    /// weights of version v the batches of the next `max_staleness` steps may begin, not that of a later one (NeMo-RL's
    /// `_calculate_target_weights`, `nemo_rl/algorithms/async_utils/trajectory_collector.py` at 7ea279ab). So a batch is
    /// generated and trained on within `max_staleness + 1` steps.
    ///
    /// Less than a step is veRL's: of a step's samples `1 + staleness_threshold` times as many may be in progress, waiting or
    /// trained on since the last new weights (`fully_async_rollouter.py:494` of 0.9.1). They train as they come, so that half of
    /// their training is taken to lie beside their generation, and new weights wait for the rest.
    fn beside(&self, schedule: Schedule, training: f64) -> f64 {
        let alone = self::schedule(schedule, self.seconds(), training);
        let Some(own) = self.ahead else {
            return alone;
        };
        let bound = alone.max((self.batch() + training) / own.steps);
        own.within
            .map_or(bound, |within| bound.max((self.batch() + training * 0.5) / within))
    }
}

/// GiB of the card that are neither an engine's share nor states: the driver's, of each process.
fn outside_gib(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> f64 {
    context.efficiency.context_gib + process(context, engine, rl).gib()
}

/// GiB that an engine takes of the card, its process and the trainer's included.
pub fn engine_gib(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl, room: &Room) -> f64 {
    engine_memory(room, outside_gib(context, engine, rl), MemoryParts::default()).reserved_gib()
}

/// GiB that an engine's share of the card has to be for it to start, as surely as asked.
pub(crate) fn least_share_gib(context: &Context<'_>, room: &Room) -> f64 {
    room.certain().gib() + room.workspace.gib() * context.sure.workspace
}

/// GiB of an engine's share of the card that are missing for it to start, as surely as asked, weighed as those that training lacks.
pub fn missing_share_gib(context: &Context<'_>, room: &Room) -> f64 {
    let missing = least_share_gib(context, room) - room.share.gib();
    host::share_weighed(context, missing, room.workspace.gib())
}

/// What an engine holds.
pub fn engine_room(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> Room {
    let (requests, _) = requests(context, rl);
    rollout::room(context, engine, generating_gpus(context.job), &requests)
}

/// The same with each of some shares of the card.
pub fn engine_rooms(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl, shares: &[f64]) -> Vec<Room> {
    let (requests, _) = requests(context, rl);
    rollout::rooms(context, engine, shares, (generating_gpus(context.job), &requests)).collect()
}

fn seconds(times: &[(Phase, TimeParts)]) -> f64 {
    times.iter().map(|(_, parts)| parts.total()).sum()
}

/// Seconds of both sides under a schedule: one after the other (HybridFlow, arXiv:2409.19256), or the slower one's.
fn schedule(schedule: Schedule, generating: f64, training: f64) -> f64 {
    match schedule {
        Schedule::Colocated | Schedule::Split => generating + training,
        Schedule::OneStepOff | Schedule::FullyAsync => generating.max(training),
    }
}

/// The requests that the engine takes at once, and how often in a step.
fn requests(context: &Context<'_>, rl: &Rl) -> (Requests, f64) {
    let batches = rl.generated_batches();
    // Fully asynchronous generation starts the next prompts as responses end: one tail for all of a step's. Else every batch
    // waits for its longest response.
    let together = match rl.schedule {
        Schedule::FullyAsync => batches,
        Schedule::Colocated | Schedule::Split | Schedule::OneStepOff => 1.0,
    };
    let requests = Requests {
        count: (rl.gen_batch_size * rl.generated_per_prompt()) as f64 * together,
        prompt: rl.mean_prompt_length,
        shared: rl.generated_per_prompt() as f64,
        responses: context.responses,
        agent: context.agent,
    };
    (requests, batches / together)
}

/// The generating side of `engine`.
#[must_use]
pub fn generating_side(context: &Context<'_>, engine: &RolloutPlan, rl: &Rl) -> GeneratingSide {
    let (requests, times) = requests(context, rl);
    let gpus = generating_gpus(context.job);
    let phase = rollout::generate(context, engine, gpus, &requests);
    // Of the batches that a student does not sample nothing is generated.
    let times = times * context.job.workload.sampled_share();
    let parts = generation_parts(context, engine, &phase).times(times);
    let teacher = served::of(context).map(|own| own.parts(parts.total()));
    GeneratingSide { room: phase.room, times: parts, teacher, batch: phase.total(), ahead: None }
        .run_ahead(context, engine, rl)
}

/// The training side of `plan`.
#[must_use]
pub fn training_side(context: &Context<'_>, plan: &Plan, rl: &Rl) -> TrainingSide {
    let mut times = Vec::with_capacity(10);
    each_time(context, rl, works(context, plan, rl), |phase, parts| times.push((phase, parts)));
    TrainingSide { times, held: held_in_training(context, plan, rl) }
}

/// Seconds of the training side of `plan`.
pub fn training_seconds(context: &Context<'_>, plan: &Plan, rl: &Rl) -> f64 {
    let mut seconds = 0.0;
    each_time(context, rl, works(context, plan, rl), |_, parts| seconds += parts.total());
    seconds
}

/// Hands on what each turn takes, and what scores without a model: that comes first.
fn each_time<'a, 'b>(
    context: &Context<'_>,
    rl: &Rl,
    works: impl Iterator<Item = Work<'a, 'b>>,
    mut each: impl FnMut(Phase, TimeParts),
) {
    let scored = (rl.reward_s > 0.0).then(|| TimeParts { overhead: rl.reward_s, ..TimeParts::default() });
    if let (Some(parts), None) = (scored, &rl.reward_model) {
        each(Phase::Reward, parts);
    }
    let mut known: Option<(Work<'_, '_>, TimeParts)> = None;
    for work in works {
        // Neighbours may do the same, beside other states.
        let own = match &known {
            Some((last, own)) if work.is_as(last, context, rl) => *own,
            _ => work.turn(context, rl).time(context),
        };
        let scored = scored.filter(|_| work.phase == Phase::Reward);
        each(work.phase, scored.map_or(own, |parts| own.plus(&parts)));
        known = Some((work, own));
    }
}

/// What of the training side's states shares the card with the engine.
fn stays(rl: &Rl, resident: MemoryParts) -> MemoryParts {
    if rl.schedule == Schedule::Colocated { resident } else { MemoryParts::default() }
}
