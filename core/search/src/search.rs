//! Every legal plan of a job on its GPUs, ranked.

mod accept;
mod asking;
mod bounded;
mod candidate;
mod choices;
pub mod chosen;
mod desk;
mod engines;
mod generation;
pub mod limits;
pub mod measures;
mod ranked;
mod refused;
mod reinforcement;
mod renting;
mod settle;
mod simple;
mod space;
mod spaces;
mod split;
mod starts;
pub mod sweep;
mod top;
mod training;
pub mod within;
mod work;

#[cfg(all(test, not(target_family = "wasm")))]
mod tests;

use std::borrow::Cow;
use std::rc::Rc;

use crate::answer::answer;
use crate::figures;
pub(crate) use accept::{Runner, Runs, Verdict, first_to_run};
use bounded::Limits;
pub(crate) use candidate::AS_FAST;
pub use candidate::Candidate;
use desk::Desk;
use ranked::Ranked;
use shardwise_catalog::efficiency::{EFFICIENCY, Efficiency};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::resolve_model;
use shardwise_engine::context::Context;
use shardwise_engine::possible::possible;
use shardwise_question::complete;
use shardwise_question::engines::{shares_base, usual as usual_engine};
use shardwise_question::framework::{
    always_refers, counts_responses, packs_nothing, repeats_delta_net, summed_gradient_bytes, swaps_reference,
};
use shardwise_question::job::{self, Chosen, Job};
use shardwise_question::market;
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::Precision::{Bf16, Fp16};
use shardwise_question::wire::WorkloadKind::{Lora, Qlora};
use shardwise_question::wire::{Answer, Engine, PlanSpec, Question};
use shardwise_rules::Framework;
use work::WORK;

/// What "best" means. On one GPU type and number the cheapest plan is the fastest one; the objectives
/// differ once types or numbers are compared ([`measures`]).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Objective {
    /// Dollars per token.
    #[default]
    Cost,
    /// Seconds per token.
    Time,
    /// GPUs, then dollars.
    Gpus,
    /// Dollars, of runs that end in time.
    CostWithin {
        /// Hours that the run may take.
        hours: f64,
    },
    /// Seconds, of runs that can be paid.
    TimeWithin {
        /// Dollars that the run may cost.
        usd: f64,
    },
}

/// Ranked plans.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Legal plans among which the best were found.
    pub considered: u64,
    /// Those whose time or memory had to be computed: the others were ruled out before.
    pub evaluated: u64,
    /// Whether all were considered: false where the work that a question may cost ran out.
    pub complete: bool,
    /// The plan that is proposed, then the best plan of each parallel layout, the best layouts first; then layouts of
    /// which nothing fits, by shortfall.
    pub plans: Vec<Answer>,
}

/// Searches all legal plans of a question, or those of them that `framework` runs, and answers the best `limit`.
///
/// # Errors
/// As [`crate::estimate()`].
///
/// ```
/// use shardwise_core::{rules, search, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let found = search(&question, rules::framework("deepspeed"), 3).unwrap();
/// assert_eq!(found.plans.len(), 3);
/// assert!(found.plans.iter().all(|answer| answer.plan.backend == Some(wire::Backend::Deepspeed)));
/// ```
pub fn search(
    question: &Question,
    framework: Option<&'static Framework>,
    limit: usize,
) -> Result<SearchResult, InputError> {
    let spec = question.plan.clone().unwrap_or_default();
    let first = match framework {
        Some(own) => best_for(question, own)?,
        None => looked_for(question, &EFFICIENCY, None, &|found| found)?,
    };
    // The others are those of the question as it is asked, whoever the answer's framework is.
    let asked = Job { framework: first.job.framework.filter(|_| first.job.framework_stated), ..first.job.clone() };
    let context = Context::new(&asked).for_many();
    let limits = Limits::found(limit);
    let mut desk = Desk::new(framework.map(Runner::One), WORK);
    let ranked = match desk.ranked(&context, &spec, limits) {
        Ok(ranked) => ranked,
        // The plan that answers is all that there is.
        Err(_) if framework.is_none_or(|own| runs(own, &first)) => Ranked::of(1, &desk.work, Vec::new()),
        Err(error) => return Err(error),
    };
    // Of what a framework runs, where it runs any.
    let own = framework.is_none_or(|own| ranked.plans.is_empty() || runs(own, &first));
    let others = ranked.plans.iter().map(|found| found.plan);
    let others = others.filter(|plan| !own || *plan != first.plan);
    let others = others.map(|plan| (&asked, plan));
    let first_of_all = own.then_some((&first.job, first.plan));
    let plans: Vec<(&Job, Plan)> = first_of_all.into_iter().chain(others).take(limit.max(1)).collect();
    Ok(SearchResult {
        considered: ranked.considered.max(plans.len() as u64),
        evaluated: ranked.evaluated,
        complete: first.complete && ranked.complete,
        plans: plans
            .iter()
            .map(|(job, plan)| answered(job, plan, framework.is_none()))
            .collect::<Result<_, _>>()?,
    })
}

/// The answer for a plan of a list, which any framework may run where the choice is `open`.
fn answered(job: &Job, plan: &Plan, open: bool) -> Result<Answer, InputError> {
    let (job, plan) = as_run(Cow::Borrowed(job), *plan, open);
    let context = Context::new(&job).for_many();
    possible(&context, &plan, answer(&context, &plan))
}

/// A job and its plan as they are answered: where the choice of a framework is `open`, as [`by_name`] has them.
pub(crate) fn as_run<'a>(job: Cow<'a, Job>, plan: Plan, open: bool) -> (Cow<'a, Job>, Plan) {
    match by_name(&job, &plan).filter(|_| open) {
        Some((job, plan)) => (Cow::Owned(job), plan),
        None => (job, plan),
    }
}

/// A job and its plan as the first framework runs it that does, where the question names none and figures go by it: that one lets
/// the reference take the policy's place, so that memory and time are others than beside the policy, or the plan of fine-tuning was
/// looked for: attention and adapters are as it loads them. Its texts are asked with it named. `None` where figures are the same by
/// whichever framework, or it would not run the plan by that.
pub(crate) fn by_name(job: &Job, plan: &Plan) -> Option<(Job, Plan)> {
    let workload = &job.workload;
    let refers = workload.has_reference() && workload.lora.is_none();
    if job.framework.is_some() || !(job.searched || refers) {
        return None;
    }
    let first = first_to_run(job, plan).filter(|own| job.searched || swaps_reference(Some(own.id)));
    let named = first.and_then(|first| {
        let own = Chosen { id: first.id, version: first.versions.first()? };
        let job = Job { framework: Some(own), framework_stated: false, ..job.clone() };
        let plan = complete::complete(&job, &plan.to_spec()).ok()?;
        let runs = Runs::new(Runner::One(first), &job).verdict(&plan) == Verdict::Yes;
        runs.then_some((job, plan))
    });
    // What nobody runs is as the runs are that are known.
    named.or_else(|| job.searched.then(|| (Job { searched: false, ..job.clone() }, *plan)))
}

fn runs(framework: &'static Framework, found: &Best) -> bool {
    Runs::new(Runner::One(framework), &found.job).verdict(&found.plan) == Verdict::Yes
}

/// A question's job and the plan that answers it.
pub struct Best {
    /// What is asked.
    pub job: Job,
    /// The best plan for it.
    pub plan: Plan,
    /// Legal plans among which it is the best; 1 where the question decides it.
    pub considered: u64,
    /// Whether all plans were considered: false where the work that a question may cost ran out.
    pub complete: bool,
}

/// The best plan that `framework` runs, with its job: the plan that answers the question, where this framework is the
/// first to run that. Where it runs none, the best of all, whose refusal says why.
///
/// # Errors
/// As [`crate::estimate()`].
///
/// ```
/// use shardwise_core::{rules, search::best_for, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let megatron = rules::framework("megatron-lm").unwrap();
/// assert_eq!(best_for(&question, megatron).unwrap().plan.layout.backend, wire::Backend::Megatron);
/// ```
pub fn best_for(question: &Question, framework: &'static Framework) -> Result<Best, InputError> {
    // Its engine is not the usual one, or has no weights of its own, or its reference has no place of its own or is one too many,
    // or its gradients have other bytes, or it splits or adapts fewer of the layers, or its passes count responses, or it packs nothing,
    // or attention and adapters of what is looked for are as it loads them: the question has to name it.
    let own = Some(framework.id);
    let kind = question.workload.kind;
    let shares = shares_base(own) && kind.algorithm().is_some();
    let swaps = swaps_reference(own) && (kind.algorithm().is_some() || kind.preference().is_some());
    let refers = always_refers(own) && kind.algorithm().is_some_and(|own| !own.reference);
    let narrow = question.workload.precision.is_some_and(|own| !matches!(own, Bf16 | Fp16));
    let sums = summed_gradient_bytes(own, narrow) != summed_gradient_bytes(None, narrow);
    let repeats = repeats_delta_net(own);
    let adapts = adapts_experts(question);
    let counts = counts_responses(own) && kind.algorithm().is_some();
    let pads = packs_nothing(own) && question.workload.packing.is_none();
    let searched = job::resolve(question).is_ok_and(|own| own.searched);
    let named = searched || shares || swaps || refers || counts || pads || usual_engine(own) != Engine::default();
    if question.framework.is_none() && (named || sums || repeats || adapts) {
        // Named by the answer, its plan is the answer's; of some it is asked as by name.
        let answered = answering(question, framework);
        if let Some(own) = answered.filter(|own| !named || own.job.framework.is_some()) {
            return Ok(own);
        }
        return best_for(&Question { framework: Some(framework.id.to_owned()), ..question.clone() }, framework);
    }
    if let Some(own) = answering(question, framework) {
        return Ok(own);
    }
    let best = |runner| best(question, &EFFICIENCY, Some(runner));
    best(Runner::One(framework)).or_else(|_| best(Runner::Nobody))
}

/// Whether adapters are put on a model with experts, which frameworks count each in its own way.
fn adapts_experts(question: &Question) -> bool {
    let adapts = question.workload.lora.is_some() || matches!(question.workload.kind, Lora | Qlora);
    adapts && resolve_model(&question.model, "model").is_ok_and(|own| own.shape.num_experts > 0)
}

/// Some plan of a question that `framework` runs, fit it or not, with its job; none where it runs none. Mostly one of the smallest
/// micro-batch is, which is found in a fraction of the time that [`best_for`] takes to choose among all.
///
/// # Errors
/// As [`crate::estimate()`].
///
/// ```
/// use shardwise_core::{rules, search::any_for, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let runs = |id| any_for(&question, rules::framework(id).unwrap()).unwrap().is_some();
/// assert!(runs("megatron-lm"));
/// assert!(!runs("chatlearn"));
/// ```
pub fn any_for(question: &Question, framework: &'static Framework) -> Result<Option<Best>, InputError> {
    let question = Question { framework: Some(framework.id.to_owned()), ..question.clone() };
    let runner = Runner::One(framework);
    if !market::is_open(&question.hardware) {
        let spec = question.plan.clone().unwrap_or_default();
        let job = split::even(&question)?;
        let found = Desk::new(Some(runner), WORK).any(&Context::new(&job).for_many(), &spec);
        if let Some(plan) = found {
            return Ok(Some(Best { plan, considered: 1, complete: false, job }));
        }
    }
    let found = best(&question, &EFFICIENCY, Some(runner)).ok();
    Ok(found.filter(|found| runs(framework, found)))
}

/// The answer to a question that names no framework, where `framework` is the first to run it: its best plan is that one,
/// though another would be simpler among its own alone.
fn answering(question: &Question, framework: &Framework) -> Option<Best> {
    if question.framework.is_some() {
        return None;
    }
    let found = best(question, &EFFICIENCY, None).ok()?;
    let id = match found.job.framework {
        Some(own) => own.id,
        None => first_to_run(&found.job, &found.plan)?.id,
    };
    (id == framework.id).then_some(found)
}

/// A question's job, its GPUs shared, with the plan that it decides, or the best of those that keep what it states and that
/// `runner` runs, else the framework that it names; where neither is named, of those that some framework runs, and where
/// none does, of all: [`as_run`].
///
/// # Errors
/// As [`crate::estimate()`]; what the framework refuses.
pub(crate) fn best(question: &Question, efficiency: &Efficiency, runner: Option<Runner>) -> Result<Best, InputError> {
    looked_for(question, efficiency, runner, &|found| {
        let (job, plan) = as_run(Cow::Owned(found.job), found.plan, runner.is_none());
        Best { job: job.into_owned(), plan, ..found }
    })
}

/// [`best`] as it is `told` of what was found on each machine.
fn looked_for(
    question: &Question,
    efficiency: &Efficiency,
    runner: Option<Runner>,
    told: &dyn Fn(Best) -> Best,
) -> Result<Best, InputError> {
    let spaces = Rc::default();
    let on_its_own = |question: &Question| {
        best_on_its_own(question, efficiency, Desk::beside(Rc::clone(&spaces), runner, WORK)).map(told)
    };
    if !market::is_open(&question.hardware) {
        return on_its_own(question);
    }
    let costs = |found: &Best| {
        let own = figures::of(&Context::with(&found.job, efficiency), &found.plan);
        let nobody = first_to_run(&found.job, &found.plan).is_none();
        (own.missing_gib, nobody, own.usd_per_mtok.unwrap_or(f64::MAX))
    };
    renting::cheapest(question, &mut |rented| on_its_own(rented), &costs, &|_, _, _| false)
}

/// [`looked_for`] on one machine.
fn best_on_its_own(question: &Question, efficiency: &Efficiency, mut desk: Desk) -> Result<Best, InputError> {
    let spec = question.plan.clone().unwrap_or_default();
    let split::Resolved { job, found } = split::resolve(question, efficiency, &mut desk)?;
    let found = match found {
        Some(found) => found,
        None if complete::is_complete(&job, &spec) => {
            let plan = complete::complete(&job, &spec)?;
            return Ok(Best { job, plan, considered: 1, complete: true });
        }
        None => {
            let context = Context::with(&job, efficiency).for_many();
            desk.ranked(&context, &spec, Limits::best(1))?
        }
    };
    Ok(Best { plan: found.first()?.plan, considered: found.considered, complete: found.complete, job })
}

/// The best plan that keeps what `spec` states, that the question's framework runs and whose layout `wanted` accepts. Its
/// fields `decided` are looked for in the space; the rest is what the search chooses with them stated.
///
/// # Errors
/// As [`best`]; an error about `plan` where nothing is accepted.
pub(crate) fn best_where(
    context: &Context<'_>,
    spec: &PlanSpec,
    wanted: &dyn Fn(&Layout) -> bool,
    decided: &dyn Fn(&Plan) -> PlanSpec,
) -> Result<Candidate, InputError> {
    let many = context.clone().for_many();
    let mut desk = Desk::new(None, WORK);
    let found = *desk.unsettled(&many, spec, wanted)?.first()?;
    best_of(context, &decided(&found.plan))
}

/// The best plan that keeps what `spec` states and that the question's framework runs.
///
/// # Errors
/// As [`best`].
pub(crate) fn best_of(context: &Context<'_>, spec: &PlanSpec) -> Result<Candidate, InputError> {
    let context = context.clone().for_many();
    let mut desk = Desk::new(None, WORK);
    desk.ranked(&context, spec, Limits::best(1))?.first().copied()
}
