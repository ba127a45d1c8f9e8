//! Every plan of a job: what model, machine and question allow.
//!
//! Plans come in three levels, each sharing what costs time to compute: a [`Family`] splits blocks alike, so that their
//! times are; a [`Group`] is one parallel layout, so that weights and micro-batches are; a [`Variant`] is what a group's
//! plans differ in beside the micro-batch.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::choices::{self, Variant};
use shardwise_catalog::error::InputError;
use shardwise_engine::batch::{self, Batch};
use shardwise_engine::context::Context;
use shardwise_engine::rl;
pub(crate) use shardwise_engine::rl::Held;
use shardwise_question::complete::{self, check_mini_batch, placed, training_gpus};
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Plan};
use shardwise_question::wire::{Backend, PlanSpec};

/// All plans of a job.
#[derive(Debug, Default)]
pub(super) struct Space {
    pub(super) families: Vec<Family>,
    /// Plans in all groups.
    pub(super) plans: u64,
    /// Why something stated leaves no plan, where it does.
    pub(super) refusal: Option<InputError>,
    /// Which search asks, by number.
    asks: Cell<u32>,
}

/// Groups whose blocks are split alike.
#[derive(Debug)]
pub(super) struct Family {
    /// Plans of other roles where they are stated, and whether they are.
    roles: Plan,
    follows: Follows,
    pub(super) groups: Vec<Group>,
    /// Variants of all of its groups; the plainest first.
    pub(super) variants: Rc<[Variant]>,
    /// Tokens of the largest mean micro-batch of any plan in it: where a block's time per token is least.
    pub(super) widest: f64,
    /// Of variants alike but in recomputation, by the place of their first: which was the first to fit where that was asked
    /// last.
    fitted: RefCell<Vec<usize>>,
}

/// One parallel layout: everything but micro-batch, recomputation, offload and the fused head.
#[derive(Debug)]
pub(super) struct Group {
    /// The layout, plain.
    layout: Layout,
    pub(super) passes: Rc<[Pass]>,
    /// Place among all groups.
    pub(super) place: u32,
    /// What plans hold, as far as it has been asked, by pass and then by variant.
    memory: RefCell<Vec<Vec<Known<Held>>>>,
    /// The least that they hold.
    floor: Cell<Known<f64>>,
}

/// What is known of a space, whoever asked for it, and which search asked last. Each pays for what it asks: what it finds does
/// not depend on who was before.
#[derive(Clone, Copy, Debug)]
struct Known<T> {
    value: Option<T>,
    asked: u32,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { value: None, asked: 0 }
    }
}

impl<T: Copy> Known<T> {
    /// The value, and whether search number `asks` asks for it for the first time.
    fn get(&mut self, asks: u32, compute: impl FnOnce() -> T) -> (T, bool) {
        let first = self.asked != asks;
        self.asked = asks;
        (*self.value.get_or_insert_with(compute), first)
    }
}

/// What one forward pass takes, and the micro-batches that come of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) micro_batch: MicroBatch,
    /// Of one optimizer step.
    pub(super) batch: Batch,
    /// Of the same sequences in passes forward alone, which take more at once.
    pub(super) forward: Batch,
}

/// Which other roles follow the actor's layout.
#[derive(Clone, Copy, Debug)]
struct Follows {
    critic: bool,
    reference: bool,
}

impl Family {
    /// The variants of which one holds least, with their places: all that saves memory, where in RL activations may go without
    /// the states that wait between phases; and the same with less offload where `DeepSpeed` keeps gradients for updates in host
    /// memory that it else gives back, or where weights that come from there are copies of what the only GPU would hold.
    pub(super) fn frugal(&self, group: &Group) -> impl Iterator<Item = (usize, &Variant)> {
        let layout = &group.layout;
        let keeps = layout.backend == Backend::Deepspeed && layout.zero_stage < 3;
        let copies = layout.backend != Backend::Megatron && layout.shard_group == 1;
        let all = &self.variants;
        all.iter().enumerate().filter(move |(place, own)| {
            let last = all.len() - 1;
            let ends = all.get(place + 1).is_none_or(|next| next.away != own.away);
            let saves = all.get(last).is_some_and(|last| last.fused_lm_head == own.fused_lm_head);
            let most = || !all.iter().any(|other| other.away != own.away && other.away.covers(&own.away));
            *place == last || ends && saves && (keeps || copies || most())
        })
    }

    /// The variants by their kind of head, those with the last one first.
    pub(super) fn heads(&self) -> impl Iterator<Item = &[Variant]> {
        self.variants.chunk_by(|a, b| a.fused_lm_head == b.fused_lm_head).rev()
    }

    /// Which of the variants from `start` on may be the first to fit: the one that was it last.
    pub(super) fn guess(&self, start: usize) -> usize {
        self.fitted.borrow().get(start).copied().unwrap_or_default()
    }

    /// Keeps which of them was it.
    pub(super) fn remember(&self, start: usize, place: usize) {
        let mut fitted = self.fitted.borrow_mut();
        if fitted.is_empty() {
            fitted.resize(self.variants.len(), 0);
        }
        if let Some(own) = fitted.get_mut(start) {
            *own = place;
        }
    }

    /// The plan of a layout.
    pub(super) fn plan(&self, layout: Layout) -> Plan {
        let role = |own: Option<Layout>, follows: bool| {
            if follows { own.map(|_| layout) } else { own }
        };
        Plan {
            layout,
            rollout: None,
            critic: role(self.roles.critic, self.follows.critic),
            reference: role(self.roles.reference, self.follows.reference),
        }
    }
}

impl Group {
    /// The layout of a pass and a variant.
    pub(super) fn layout(&self, pass: &Pass, variant: &Variant) -> Layout {
        Layout {
            micro_batch: pass.micro_batch,
            recompute: variant.recompute,
            offload: variant.away.offload,
            optimizer_offload_fraction: variant.away.optimizer_offload_fraction,
            fused_lm_head: variant.fused_lm_head,
            ..self.layout
        }
    }

    /// The least GiB that any plan holds, computed once, and whether search number `asks` asks for the first time.
    pub(super) fn floor(&self, asks: u32, compute: impl FnOnce() -> f64) -> (f64, bool) {
        let mut floor = self.floor.get();
        let found = floor.get(asks, compute);
        self.floor.set(floor);
        found
    }

    /// What a plan holds, computed once, and whether search number `asks` asks for the first time.
    pub(super) fn held(
        &self,
        (pass, variant): (usize, usize),
        (variants, asks): (usize, u32),
        compute: impl FnOnce() -> Held,
    ) -> (Held, bool) {
        let mut memory = self.memory.borrow_mut();
        if memory.is_empty() {
            memory.resize_with(self.passes.len(), Vec::new);
        }
        let Some(known) = memory.get_mut(pass) else {
            return (compute(), true);
        };
        if known.is_empty() {
            known.resize(variants, Known::default());
        }
        match known.get_mut(variant) {
            Some(known) => known.get(asks, compute),
            None => (compute(), true),
        }
    }
}

impl Space {
    /// Every plan of training that keeps what `spec` states.
    pub(super) fn of(context: &Context<'_>, spec: &PlanSpec) -> Self {
        let job = context.job;
        let mut space = Self::default();
        for backend in choices::backends(job, spec) {
            let sync_each_batch = choices::syncs(job, spec, backend);
            let own = PlanSpec { backend: Some(backend), sync_each_batch, ..spec.clone() };
            // Defaults, and other roles' plans, do not depend on how the actor is split.
            let decided = complete::decided(job, &own, "plan")
                .and_then(|layout| Ok((layout, complete::roles(job, &own, layout)?)));
            match decided {
                Ok((layout, plan)) => space.split(context, &own, &layout, &plan),
                Err(error) => space.refusal = Some(error),
            }
        }
        space
    }

    /// Which search asks, by number: other than 0.
    pub(super) fn asks(&self) -> u32 {
        self.asks.get().max(1)
    }

    /// Another search begins: all that it asks for counts, and it guesses nothing from those before.
    pub(super) fn begin(&self, asks: u32) {
        if self.asks.replace(asks) != asks {
            for family in &self.families {
                family.fitted.borrow_mut().clear();
            }
        }
    }

    /// This space with only the groups, and of these the passes, whose layout `wanted` accepts.
    pub(super) fn only(mut self, wanted: &dyn Fn(&Layout) -> bool) -> Self {
        self.plans = 0;
        for family in &mut self.families {
            for group in &mut family.groups {
                let layout = group.layout;
                let accepts = |pass: &&Pass| wanted(&Layout { micro_batch: pass.micro_batch, ..layout });
                group.passes = group.passes.iter().filter(accepts).copied().collect();
            }
            family.groups.retain(|group| !group.passes.is_empty());
            let passes: usize = family.groups.iter().map(|group| group.passes.len()).sum();
            self.plans += (passes * family.variants.len()) as u64;
        }
        self.families.retain(|family| !family.groups.is_empty());
        self
    }

    /// Every split of blocks under one backend.
    fn split(&mut self, context: &Context<'_>, spec: &PlanSpec, base: &Layout, roles: &Plan) {
        let job = context.job;
        let sizes = choices::Sizes::of(job, spec, base);
        let variants: Rc<[Variant]> = choices::variants(job, spec, base).into();
        let Some(last) = variants.last() else { return };
        let base = &Layout { offload: last.away.offload, ..*base };
        let mut known = Vec::new();
        for tensor_parallel in sizes.tensor() {
            for (context_parallel, ulysses_parallel) in sizes.sequence(tensor_parallel) {
                for expert_parallel in sizes.experts() {
                    for expert_tensor_parallel in sizes.expert_tensor(tensor_parallel, expert_parallel) {
                        let mut layout = Layout {
                            tensor_parallel,
                            context_parallel,
                            ulysses_parallel,
                            expert_parallel,
                            expert_tensor_parallel,
                            ..*base
                        };
                        layout.sequence_parallel = spec
                            .sequence_parallel
                            .unwrap_or_else(|| complete::splits_sequence(job, &layout));
                        let groups = self.groups(context, spec, &layout, (&sizes, &mut known));
                        let follows = Follows { critic: spec.critic.is_none(), reference: spec.reference.is_none() };
                        self.add(Family {
                            roles: *roles,
                            follows,
                            groups,
                            variants: Rc::clone(&variants),
                            widest: 0.0,
                            fitted: RefCell::default(),
                        });
                    }
                }
            }
        }
    }

    fn add(&mut self, mut family: Family) {
        if family.groups.is_empty() {
            return;
        }
        let last = self.families.last().and_then(|known| known.groups.last());
        let start = last.map_or(0, |last| last.place + 1);
        for (place, group) in (start..).zip(&mut family.groups) {
            group.place = place;
            self.plans += (group.passes.len() * family.variants.len()) as u64;
            for pass in group.passes.iter() {
                family.widest = family.widest.max(pass.batch.mean.tokens);
            }
        }
        self.families.push(family);
    }

    /// Every parallel layout with blocks split as in `layout`.
    fn groups(
        &mut self,
        context: &Context<'_>,
        spec: &PlanSpec,
        layout: &Layout,
        (sizes, known): (&choices::Sizes<'_>, &mut Vec<Passes>),
    ) -> Vec<Group> {
        let job = context.job;
        let mut found = Vec::new();
        for pipeline_parallel in sizes.pipeline(layout) {
            let split = Layout { pipeline_parallel, virtual_pipeline: 1, pipeline_schedule: None, ..*layout };
            // Chunks, their order and shards change nothing about it.
            if let Err(error) = checked(job, &split) {
                self.refusal = Some(error);
                continue;
            }
            let all = passes(job, spec, &split, known);
            // Of those the ones that an interleaved pipeline takes, whatever its chunks.
            let mut interleaved: Option<Rc<[Pass]>> = None;
            for virtual_pipeline in sizes.chunks(pipeline_parallel) {
                for zero_stage in sizes.zero_stages() {
                    for shard_group in sizes.shard_groups(&split) {
                        let pipeline_schedule = layout.pipeline_schedule;
                        let layout = Layout { virtual_pipeline, pipeline_schedule, zero_stage, ..split };
                        let layout = match placed(job, layout, shard_group, "plan") {
                            Ok(layout) => layout,
                            Err(error) => {
                                self.refusal = Some(error);
                                continue;
                            }
                        };
                        let fits = |pass: &Pass| choices::interleaves(spec, &layout, pass);
                        let passes = match virtual_pipeline {
                            1 => &all,
                            _ => interleaved.get_or_insert_with(|| all.iter().copied().filter(fits).collect()),
                        };
                        if passes.is_empty() {
                            continue;
                        }
                        found.push(Group {
                            layout,
                            passes: Rc::clone(passes),
                            place: 0,
                            memory: RefCell::default(),
                            floor: Cell::default(),
                        });
                    }
                }
            }
        }
        found
    }

    /// Every plan, for one that wants them all.
    #[cfg(all(test, not(target_family = "wasm")))]
    pub(super) fn each(&self) -> impl Iterator<Item = (u32, Plan)> {
        self.families.iter().flat_map(|family| {
            family.groups.iter().flat_map(move |group| {
                group.passes.iter().flat_map(move |pass| {
                    let plan = |variant| family.plan(group.layout(pass, variant));
                    family.variants.iter().map(move |variant| (group.place, plan(variant)))
                })
            })
        })
    }
}

fn checked(job: &Job, layout: &Layout) -> Result<(), InputError> {
    match &job.workload.rl {
        Some(rl) => check_mini_batch(rl, layout),
        None => Ok(()),
    }
}

/// Passes with the data-parallel ranks and the parts of a sequence that they are for.
type Passes = ((u32, u32), Rc<[Pass]>);

/// The passes of a layout: nothing else of it matters, so most were found for another, under the same back end.
fn passes(job: &Job, spec: &PlanSpec, layout: &Layout, known: &mut Vec<Passes>) -> Rc<[Pass]> {
    let gpus = training_gpus(job);
    let of = (layout.data_parallel(gpus), layout.sequence_split());
    if let Some((_, all)) = known.iter().find(|(own, _)| *own == of) {
        return Rc::clone(all);
    }
    let found = choices::micro_batches(job, spec, layout)
        .into_iter()
        .map(|micro_batch| pass(job, layout, micro_batch));
    let all: Rc<[Pass]> = unlike(found.collect()).into();
    known.push((of, Rc::clone(&all)));
    all
}

fn pass(job: &Job, layout: &Layout, micro_batch: MicroBatch) -> Pass {
    let layout = Layout { micro_batch, ..*layout };
    let forward = batch::of_update(job, &rl::forward_layout(&layout));
    Pass { micro_batch, batch: batch::of_update(job, &layout), forward }
}

/// Of passes that take the same time the first: what a rank has is less than larger micro-batches could take.
fn unlike(mut passes: Vec<Pass>) -> Vec<Pass> {
    passes.dedup_by(|next, known| {
        let same = |a: &Batch, b: &Batch| a.mean == b.mean && a.micro_batches == b.micro_batches;
        same(&next.batch, &known.batch) && same(&next.forward, &known.forward)
    });
    passes
}
