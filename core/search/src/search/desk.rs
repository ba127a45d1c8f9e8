//! One question's search: over the back ends of those who run it, in the spaces that they leave.

use std::rc::Rc;

use super::accept::{Accept, Runner, Runs, is_otherwise};
use super::asking::Asking;
use super::bounded::{Limits, Search, Task};
use super::candidate::Candidate;
use super::engines::Engines;
use super::ranked::Ranked;
use super::refused::{none_accepted, nothing, uneven};
use super::reinforcement::Reinforcement;
use super::space::Space;
use super::spaces::Spaces;
use super::training::Training;
use super::work::Work;
use super::{choices, generation};
use shardwise_catalog::error::InputError;
use shardwise_catalog::ordered::sort;
use shardwise_engine::context::Context;
use shardwise_question::adapters::{Adapters, adapters};
use shardwise_question::complete;
use shardwise_question::engines::usual as usual_engine;
use shardwise_question::framework::{counts_responses, swaps_reference};
use shardwise_question::job::{Chosen, Job};
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::{Backend, Engine, PlanSpec};
use shardwise_rules::{FRAMEWORKS, Framework};

/// How much slower than the best known a plan of another back end may be before it is settled: steps gain no more.
const WORTH_SETTLING: f64 = 2.0;

/// How likely the likeliest plan has to be for others to rather fit than not: it is found by what it lacks, which is nearly the same.
const FAR_FROM: f64 = 0.2;

/// How sure plans are to fit among which the fastest are looked for where none is as sure as asked.
const LESS_SURE: [f64; 3] = [0.5, 0.65, 0.8];

/// What searches of one question share: who runs the plans, what it may cost, and the spaces that were made.
pub(super) struct Desk {
    runner: Option<Runner>,
    pub(super) work: Work,
    spaces: Rc<Spaces>,
}

impl Desk {
    /// For plans that `runner` runs, else whom the question names, at the cost of so many evaluations.
    pub(super) fn new(runner: Option<Runner>, work: u64) -> Self {
        Self::beside(Rc::default(), runner, work)
    }

    /// As [`Self::new`], where others were asked the same question of other machines: what they know of `spaces` is known.
    pub(super) fn beside(spaces: Rc<Spaces>, runner: Option<Runner>, work: u64) -> Self {
        spaces.begin();
        Self { runner, work: Work::of(work), spaces }
    }

    /// The best plans, the proposed one first.
    pub(super) fn ranked(
        &mut self,
        context: &Context<'_>,
        spec: &PlanSpec,
        limits: Limits,
    ) -> Result<Ranked, InputError> {
        let open = self.runner.is_none();
        let runner = self.runner(context.job);
        let found = self.ranked_for(context, spec, runner, limits);
        match (found, runner) {
            // Nobody here runs such a question: all the same it has an answer.
            (Err(_), Runner::Some) if open => {
                self.work.renew();
                self.ranked_for(context, spec, Runner::Nobody, limits)
            }
            // What somebody runs comes first where it rather fits than not. Where sequences are left over as the GPUs share them, what
            // is run has so few ways to split that it may fit nowhere while it does with a few sequences more: that says more than that
            // it never fits.
            (Ok(known), Runner::Some) if open && leaves_over(context.job) && !known.rather_fits() => {
                self.work.renew();
                let other = self.ranked_for(context, spec, Runner::Nobody, limits).ok();
                Ok(other.filter(Ranked::may_fit).unwrap_or(known))
            }
            (Err(error), Runner::One(framework)) if error == none_accepted() => {
                let best = self.ranked_for(context, spec, Runner::Nobody, Limits::best(1))?;
                // A length that no plan changes says more than what another plan would have otherwise.
                let mut broken = framework.violations(context.job, &best.first()?.plan);
                let other = |rule: &InputError| rule.field != "workload.sequence_length";
                sort(&mut broken, &|a, b| other(a).cmp(&other(b)));
                let broken = broken.into_iter().next().unwrap_or(error);
                // Who stated no split, nor the back end that has it, is not told to set it otherwise: parts of sequences share what whole
                // ones do not.
                let open = match broken.field.as_str() {
                    "plan.backend" => spec.backend.is_none(),
                    "plan.tensor_parallel" => spec.tensor_parallel.is_none(),
                    "plan.context_parallel" => spec.context_parallel.is_none(),
                    "plan.ulysses_parallel" => spec.ulysses_parallel.is_none(),
                    _ => false,
                };
                Err(if open && leaves_over(context.job) { uneven(context.job, framework.name) } else { broken })
            }
            (found, _) => found,
        }
    }

    /// Who is asked to run the plans of a job.
    pub(super) fn runner(&self, job: &Job) -> Runner {
        self.runner.unwrap_or_else(|| Runner::of(job))
    }

    /// Frameworks that a question which leaves open who runs it is asked of by name, too: what they find by their own means may come
    /// before all that is the same by whichever.
    pub(super) fn by_name(&self, job: &Job, spec: &PlanSpec) -> Vec<&'static Framework> {
        let workload = &job.workload;
        if !self.is_open(job, spec) {
            return Vec::new();
        }
        if workload.rl.is_some() {
            return self.with_other_engines(job, spec);
        }
        // PEFT's adapters are those of all others; a reference that has no place of its own is asked in no other way.
        let adds = |own: &Framework| workload.lora.is_some() && adapters(Some(own.id), workload.kind) != Adapters::Peft;
        let asked =
            |own: &&'static Framework| (adds(own) || is_otherwise(own, job)) && may_run(own, job, spec, |_| true);
        FRAMEWORKS.iter().filter(asked).collect()
    }

    /// Frameworks that an RL step which leaves open who runs it, and some of its plan, is asked of by name where nothing fits that is
    /// the same by whichever: those with means of their own to hold less.
    pub(super) fn in_need(&self, job: &Job, spec: &PlanSpec) -> Vec<&'static Framework> {
        if !self.may_be_in_need(job, spec) {
            return Vec::new();
        }
        let asked = |own: &&'static Framework| holds_less(own, job) && may_run(own, job, spec, |_| true);
        FRAMEWORKS.iter().filter(asked).collect()
    }

    /// Whether some frameworks may be asked by name where nothing else fits.
    pub(super) fn may_be_in_need(&self, job: &Job, spec: &PlanSpec) -> bool {
        job.workload.rl.is_some() && self.is_open(job, spec)
    }

    /// Whether a question leaves open who runs it, and something of its plan.
    fn is_open(&self, job: &Job, spec: &PlanSpec) -> bool {
        let named = self.runner.is_some() || job.framework.is_some();
        !(named || job.workload.generation.is_some() || complete::is_complete(job, spec))
    }

    /// Whether some plan rather fits than not, as it stands in the space.
    pub(super) fn has_room(&mut self, context: &Context<'_>, spec: &PlanSpec) -> bool {
        let [less, ..] = LESS_SURE;
        let job = Job { confidence: context.job.confidence.min(less), ..context.job.clone() };
        let less_sure = Context::with(&job, context.efficiency).for_many();
        self.work.renew();
        let found = self.ranked(&less_sure, spec, Limits::room(f64::INFINITY));
        found.is_ok_and(|found| !found.plans.is_empty())
    }

    /// Frameworks that generate with another engine than the usual one and alone run a job's plans of some back end.
    fn with_other_engines(&self, job: &Job, spec: &PlanSpec) -> Vec<&'static Framework> {
        if spec.rollout.as_ref().is_some_and(|own| own.engine.is_some()) {
            return Vec::new();
        }
        let nobody = |backend| refused(job, spec, Runner::Some, backend);
        let alone = |own: &&'static Framework| may_run(own, job, spec, nobody);
        let other = |own: &&'static Framework| usual_engine(Some(own.id)) != Engine::default();
        FRAMEWORKS.iter().filter(other).filter(alone).collect()
    }

    /// Whether some framework runs any plan of a job.
    pub(super) fn is_run(&mut self, context: &Context<'_>, spec: &PlanSpec) -> bool {
        self.of_one_runner(Runner::Some, |desk| desk.any(context, spec).is_some())
    }

    /// Some plan that those who have to run a job run, fit it or not.
    pub(super) fn any(&self, context: &Context<'_>, spec: &PlanSpec) -> Option<Plan> {
        let found = self.ranked_for(context, spec, self.runner(context.job), Limits::any()).ok()?;
        found.plans.first().map(|found| found.plan)
    }

    /// What `ask` finds where all its searches are for plans that `runner` runs: left to itself, each that finds none which
    /// some framework runs is answered by what nobody runs.
    pub(super) fn of_one_runner<T>(&mut self, runner: Runner, ask: impl FnOnce(&mut Self) -> T) -> T {
        self.work.renew();
        let before = self.runner.replace(runner);
        let found = ask(self);
        self.runner = before;
        found
    }

    fn ranked_for(
        &self,
        context: &Context<'_>,
        spec: &PlanSpec,
        runner: Runner,
        limits: Limits,
    ) -> Result<Ranked, InputError> {
        let found = self.found_for(context, spec, runner, limits)?;
        let unsure = |own: &Ranked| own.plans.first().copied().filter(|own| own.unlikely > 0.0);
        if !limits.settle || limits.want.may_be_none() || unsure(&found).is_none() {
            return Ok(found);
        }
        let runs = Runs::new(runner, context.job);
        let accept = |plan: &Plan| runs.verdict(plan);
        let asking = self.asking(context, &accept);
        let mut found = found.made_room(&asking, spec);
        if let Some(proposed) = unsure(&found) {
            let likely = proposed.is_tight() || context.job.confidence - proposed.unlikely >= FAR_FROM;
            let other = likely.then(|| self.just_fitting(context, spec, runner, &proposed)).flatten();
            if other.is_some() || proposed.is_tight() {
                found = found.weighed(other, &asking, spec);
            }
        }
        found.evaluated = self.work.done();
        Ok(found)
    }

    /// The plan that takes the fewest seconds for each chance that it fits, where none fits as surely as asked: of the fastest that fit
    /// less surely. None where `known` comes before all of them.
    fn just_fitting(
        &self,
        context: &Context<'_>,
        spec: &PlanSpec,
        runner: Runner,
        known: &Candidate,
    ) -> Option<Candidate> {
        let asked = context.job.confidence;
        let mut best: Option<Candidate> = None;
        for confidence in LESS_SURE.into_iter().filter(|less| *less < asked) {
            let first = best.as_ref().unwrap_or(known);
            let enough = if first.is_tight() { first.per_chance * asked } else { f64::INFINITY };
            let job = Job { confidence, ..context.job.clone() };
            let less_sure = Context::with(&job, context.efficiency).for_many();
            let found = self.found_for(&less_sure, spec, runner, Limits::settled(enough)).ok();
            let Some(found) = found.and_then(|found| found.plans.first().copied()) else {
                // What is surer is rarer.
                return best;
            };
            let own = Candidate::of(context, &found.plan);
            if own.beats(first) {
                best = Some(own);
            }
        }
        best
    }

    fn found_for(
        &self,
        context: &Context<'_>,
        spec: &PlanSpec,
        runner: Runner,
        limits: Limits,
    ) -> Result<Ranked, InputError> {
        let runs = Runs::new(runner, context.job);
        let (specs, refusal) = specs(context.job, spec, &runs);
        let found = self.asking(context, &|plan| runs.verdict(plan)).rank_all(
            &specs,
            &|spec| self.spaces.of(context, spec),
            limits,
        );
        found.map_err(|error| nothing(context, spec, Some(refusal.unwrap_or(error))))
    }

    /// The best plans of layouts that `wanted` accepts, as they were found in the space.
    pub(super) fn unsettled(
        &mut self,
        context: &Context<'_>,
        spec: &PlanSpec,
        wanted: &dyn Fn(&Layout) -> bool,
    ) -> Result<Ranked, InputError> {
        let runner = self.runner(context.job);
        let runs = Runs::new(runner, context.job);
        let (specs, refusal) = specs(context.job, spec, &runs);
        let space = |spec: &PlanSpec| Rc::new(Space::of(context, spec).only(wanted));
        let found = self
            .asking(context, &|plan| runs.verdict(plan))
            .rank_all(&specs, &space, Limits::found(1));
        found.map_err(|error| refusal.unwrap_or(error))
    }

    fn asking<'a>(&'a self, context: &'a Context<'a>, accept: Accept<'a>) -> Asking<'a> {
        Asking { context, accept, work: &self.work }
    }
}

/// Whether the sequences of a batch cannot be shared evenly by all GPUs but for powers of two.
fn leaves_over(job: &Job) -> bool {
    let gpus = u64::from(complete::training_gpus(job).max(1));
    let odd = gpus >> gpus.trailing_zeros();
    !job.workload.global_batch.is_multiple_of(odd)
}

/// The space that is left by what is stated.
type SpaceOf<'a> = &'a dyn Fn(&PlanSpec) -> Rc<Space>;

/// What `spec` becomes for those who run it: one for each back end, without what a framework does not have. With them why
/// a back end is left out.
fn specs(job: &Job, spec: &PlanSpec, runs: &Runs<'_>) -> (Vec<PlanSpec>, Option<InputError>) {
    let backends = match (spec.backend, runs.runner) {
        (Some(backend), _) => vec![backend],
        (None, Runner::One(own)) => own.backends.to_vec(),
        (None, Runner::Some | Runner::Nobody) => choices::backends(job, spec),
    };
    let lacks_head = |backend| matches!(runs.runner, Runner::One(own) if !own.fuses_the_lm_head(backend));
    let with = |backend| {
        let fused = lacks_head(backend).then_some(false);
        PlanSpec { backend: Some(backend), fused_lm_head: spec.fused_lm_head.or(fused), ..spec.clone() }
    };
    let mut refusal = None;
    let mut runs_here = |spec: &PlanSpec| {
        let refused = bare(job, spec).and_then(|plan| runs.refusal(&plan));
        let runs = refused.is_none();
        refusal = refusal.take().or(refused);
        runs
    };
    let mut specs: Vec<PlanSpec> = backends.into_iter().map(with).collect();
    // Drives hold what host memory may lack.
    let drives = |own: &&PlanSpec| own.backend == Some(Backend::Deepspeed);
    if spec.nvme_offload.is_none() && job.workload.rl.is_none() {
        let own = specs
            .iter()
            .find(drives)
            .map(|own| PlanSpec { nvme_offload: Some(true), ..own.clone() });
        specs.extend(own);
    }
    let kept = specs.into_iter().filter(&mut runs_here).collect();
    (kept, refusal)
}

/// Whether a framework has means in RL that hold less than what is the same by whichever: optimizers that step in host memory beside
/// DeepSpeed (`choices::away`), passes of a few responses, or a reference that waits in host memory.
fn holds_less(own: &Framework, job: &Job) -> bool {
    let id = Some(own.id);
    let swaps = swaps_reference(id) && job.workload.has_reference();
    swaps || counts_responses(id) || own.backends.contains(&Backend::Deepspeed)
}

/// Whether a framework may run plans of a job by its name, with one of the back ends that are `wanted`.
fn may_run(own: &'static Framework, job: &Job, spec: &PlanSpec, wanted: impl Fn(Backend) -> bool) -> bool {
    let named = own.versions.first().map(|version| Chosen { id: own.id, version });
    let named = Job { framework: named, ..job.clone() };
    let open = |backend: &Backend| spec.backend.is_none_or(|stated| stated == *backend) && wanted(*backend);
    let mut open = own.backends.iter().copied().filter(open);
    open.any(|backend| !refused(&named, spec, Runner::One(own), backend))
}

/// Whether who has to run a job's plans runs none of a back end.
fn refused(job: &Job, spec: &PlanSpec, runner: Runner, backend: Backend) -> bool {
    let spec = PlanSpec { backend: Some(backend), ..spec.clone() };
    let plan = bare(job, &spec);
    plan.is_none_or(|plan| Runs::new(runner, job).refusal(&plan).is_some())
}

/// A plan with what every plan of `spec` has: of a back end, by an engine.
fn bare(job: &Job, spec: &PlanSpec) -> Option<Plan> {
    let layout = complete::decided(job, spec, "plan").ok()?;
    let plan = complete::roles(job, spec, layout).ok()?;
    let engine = job.workload.rl.as_ref().map(|_| spec.rollout.clone().unwrap_or_default());
    let rollout = engine.and_then(|engine| complete::complete_rollout(job, &engine).ok());
    Some(Plan { rollout, ..plan })
}

impl Asking<'_> {
    /// The best plans over all back ends, the proposed one first.
    fn rank_all(&self, specs: &[PlanSpec], space: SpaceOf<'_>, limits: Limits) -> Result<Ranked, InputError> {
        let reinforcement = self.context.job.workload.rl.as_ref();
        let engines = reinforcement
            .zip(specs.first())
            .map(|(rl, spec)| Engines::of(self.context, spec, rl));
        // No plan lacks less than the engine by itself.
        let short = engines.as_ref().map_or(0.0, Engines::least_short);
        if short > 0.0 && (short >= limits.short || limits.want.may_be_none()) {
            return Ok(Ranked::of(0, self.work, Vec::new()));
        }
        let mut all = self.over_backends((specs, space), engines.as_ref(), limits)?;
        if all.plans.is_empty() && !limits.want.may_be_none() {
            return Err(none_accepted());
        }
        all.evaluated = self.work.done();
        all.complete = !self.work.ended();
        Ok(all)
    }

    /// The best plans over all back ends; of one where nothing fits, what is nearest: it may fit after some steps.
    fn over_backends(
        &self,
        (specs, space): (&[PlanSpec], SpaceOf<'_>),
        engines: Option<&Engines<'_>>,
        limits: Limits,
    ) -> Result<Ranked, InputError> {
        let mut all: Option<Ranked> = None;
        let mut refusal = None;
        for spec in specs {
            let known = all.as_ref().and_then(|known| known.fastest);
            let worth = match (limits.keep, limits.settle) {
                (1, true) => known.map(|fastest| fastest * WORTH_SETTLING),
                (1, false) => known,
                _ => None,
            };
            let enough = worth.map_or(limits.enough, |worth| limits.enough.min(worth));
            // However much those before it took: a back end that nobody looked at is no answer. Of many ways to share GPUs all
            // are looked at with what there is.
            if limits.settle {
                self.work.grant_part();
            }
            match self.rank(spec, (&space(spec), engines), Limits { enough, ..limits }) {
                Ok(found) => {
                    let found = if limits.settle { found.settled(self, spec) } else { found };
                    all = Some(match all {
                        None => found,
                        Some(known) => known.merged(found, limits.keep),
                    });
                }
                Err(error) => refusal = Some(error),
            }
        }
        all.ok_or_else(|| refusal.unwrap_or_else(none_accepted))
    }

    /// The best of `space`, which is that of the job and `spec`: the fastest of those that fit as surely as asked, or
    /// where none does, what is nearest to it. They are not settled.
    pub(super) fn rank(
        &self,
        spec: &PlanSpec,
        (space, engines): (&Space, Option<&Engines<'_>>),
        limits: Limits,
    ) -> Result<Ranked, InputError> {
        let Self { context, accept, work } = *self;
        if context.job.workload.generation.is_some() {
            return generation::ranked(self, spec, limits.keep);
        }
        let reinforcement = context.job.workload.rl.as_ref();
        let considered = space.plans * engines.map_or(1, Engines::count);
        if considered == 0 {
            let refused = engines.and_then(|engines| engines.refusal.clone());
            return Err(nothing(context, spec, space.refusal.clone().or(refused)));
        }
        let run = |task: &dyn Task| {
            let search = Search { context, task, accept, work, limits, asks: space.asks() };
            search.run(space)
        };
        let plans = match reinforcement.zip(engines) {
            Some((rl, engines)) => run(&Reinforcement::new(context, spec, rl, engines)),
            None => run(&Training { context }),
        };
        Ok(Ranked::of(considered, work, plans))
    }
}
