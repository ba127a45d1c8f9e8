//! The changes to a pasted text that help most: what to change, what each is worth, and the text as it would be.
//!
//! A plan is changed one step at a time ([`shardwise_search::neighbours`]), over up to three dimensions; what is trained stays as it
//! is. The framework's own emitter says what a changed plan is called, so that a change is one of settings that are known to
//! run. The changed text is read again: what it does not say is not claimed.

mod comments;
mod plans;
mod told;

use serde::Serialize;

use super::diff;
use super::edit::{self, Edit, Edited};
use super::read;
use super::report::{Assumed, Dialect, Reading, Understood};
use plans::{State, in_order, search};
use shardwise_engine::context::Context;
use shardwise_engine::possible::possible;
use shardwise_engine::{fit, step};
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Plan};
use shardwise_question::wire::{Answer, Backend, Question};
use shardwise_search::answer::answer;
use shardwise_search::estimate::{self, Evaluated};
use shardwise_search::neighbours::Dimension;
use told::{about, demanded, difference, follow, joined, settings, stated_too};

/// How often changes that a text cannot say are left out; each reads the changed text twice.
const MOST_ATTEMPTS: usize = 6;
/// Bytes that are read again in all those attempts: a long text has fewer.
const MOST_READ: usize = 1 << 20;

/// What would help.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Improved {
    /// What to change, most valuable first; each with the ones before it.
    pub changes: Vec<Change>,
    /// The question with all changes.
    pub question: Question,
    /// Its answer.
    pub answer: Answer,
    /// The texts with the changes, as a unified diff; empty where no setting has a place in them.
    pub diff: String,
    /// The texts with the changes; as they were where no setting has a place in them.
    pub texts: Vec<String>,
    /// Settings that have no place in the texts: a launch line's where only `ds_config.json` was pasted.
    pub elsewhere: Vec<String>,
}

/// One change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "TextChange"))]
pub struct Change {
    /// Path of the field in the question.
    pub field: String,
    /// Its value before.
    pub from: String,
    /// Its value after.
    pub to: String,
    /// What the framework is told: `key=value`.
    pub settings: Vec<String>,
    /// Whether the plan fits with it and those before it.
    pub fits: bool,
    /// Tokens per second and GPU with it and those before it.
    pub tokens_per_s_per_gpu: f64,
    /// What the worst GPU holds, in GiB.
    pub reserved_gib: f64,
    /// What decides whether it fits needs, in GiB: as the `fit` of an answer has it.
    pub needed_gib: f64,
    /// How many times as fast as without it.
    pub speedup: f64,
}

/// The up to three changes that help a text most; `None` where nothing noticeable does, where no such changes make it fit as
/// surely as asked, or where the question that it asks has no estimate, or its engine none of its own, or where another run was
/// estimated than the text asks for.
///
/// `texts` and `base` are what `reading` was read from.
///
/// ```
/// use shardwise_core::read::{improve, read};
/// let texts = ["python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
///     data.train_batch_size=512 trainer.n_gpus_per_node=8 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1"];
/// let improved = improve(&texts, None, &read(&texts, None).unwrap()).unwrap();
/// assert!(improved.changes[0].speedup > 1.0);
/// assert_ne!(improved.texts, texts);
/// ```
#[must_use]
pub fn improve(texts: &[&str], base: Option<&Question>, reading: &Reading) -> Option<Improved> {
    // An engine that another was estimated in place of has keys of its own, which no emitter here writes.
    let elsewhere = |one: &Assumed| one.field == "plan.backend" && one.value.is_empty();
    if reading.assumed.iter().any(elsewhere) || reading.stands_in().next().is_some() {
        return None;
    }
    // Whose texts nobody writes here, of that no change is known to run.
    crate::emit::framework(reading.framework.id())?;
    let found = estimate::evaluate_alone(reading.asked().ok()?).ok()?;
    let mut without = stages(reading);
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let attempts = (MOST_READ / (2 * bytes).max(1)).clamp(1, MOST_ATTEMPTS);
    for _ in 0..attempts {
        match attempt(texts, base, reading, &found, &without)? {
            // What no setting says is no change.
            Ok(improved) if improved.diff.is_empty() && improved.elsewhere.is_empty() => return None,
            Ok(improved) => return Some(improved),
            Err(lost) => without.extend(lost),
        }
    }
    None
}

/// What the framework is told otherwise for one plan than for another: `key=value`; nothing where it has no text for them.
pub(crate) fn said_otherwise(reading: &Reading, job: &Job, from: &Plan, to: &Plan) -> Vec<String> {
    let (Some(was), Some(now)) = (settings(reading, job, from), settings(reading, job, to)) else {
        return Vec::new();
    };
    difference(&was, &now, reading, bare(reading)).iter().map(Edit::shown).collect()
}

/// Whether a text's switches take no value: Megatron's, slime's and `OpenRLHF`'s.
fn bare(reading: &Reading) -> bool {
    matches!(reading.framework, Dialect::Megatron | Dialect::Openrlhf | Dialect::Slime)
}

/// What no change is of: stages that the text lays out layer by layer, as their number is in more keys than the estimate has, and
/// what its release has no word for.
fn stages(reading: &Reading) -> Vec<Dimension> {
    let by_hand = ["num_layers_in_", "_pipeline_num_layers", "pipeline_model_parallel_layout", "pipeline-num-layers"];
    let stated = reading.not_modelled.iter().map(|one| &one.key);
    let stated = stated.chain(reading.ignored.iter().map(|one| &one.key));
    let laid_out = stated.into_iter().any(|key| by_hand.iter().any(|part| key.contains(part)));
    let mut out = if laid_out { vec![Dimension::PipelineParallel, Dimension::VirtualPipeline] } else { Vec::new() };
    // torchtitan's 0.2 has no loss of parts of a sequence, and options choose none.
    let options = || reading.understood.iter().any(|one| one.key.starts_with("--"));
    let torchtitan = reading.framework == Dialect::Torchtitan && (reading.release.is_some() || options());
    // veRL's before 0.5.0 has none for Megatron, and no key tells such a text from those of the releases after it.
    let plan = reading.question.plan.as_ref();
    let megatron = plan.is_some_and(|own| own.backend == Some(Backend::Megatron));
    if torchtitan || reading.framework == Dialect::Verl && reading.release.is_some() && megatron {
        out.push(Dimension::FusedLmHead);
    }
    out
}

/// The changes in other dimensions than those `without`; where the changed text does not say some of them, these.
fn attempt(
    texts: &[&str],
    base: Option<&Question>,
    reading: &Reading,
    found: &Evaluated,
    without: &[Dimension],
) -> Option<Result<Improved, Vec<Dimension>>> {
    let Evaluated { job, plan, .. } = found;
    let context = Context::new(job);
    let framework = shardwise_rules::framework(reading.framework.id());
    let states = search(&context, framework, plan, without);
    let mut states = in_order(&context, framework, states.first()?, states.last()?);
    for state in &mut states {
        state.plan = plainly(&state.plan);
    }
    let last = states.last().filter(|last| states.len() > 1 && last.fits())?;
    let settings = states.iter().map(|state| settings(reading, job, &state.plan)).collect();
    let way = Way { reading, job, states: &states, settings };
    let changes = way.changes();
    // A change that no setting says is none that a person could make.
    let silent = changes
        .iter()
        .zip(&states[1..])
        .filter(|(change, _)| change.settings.is_empty());
    let unsaid: Vec<Dimension> = silent.flat_map(|(_, state)| state.changed.clone()).collect();
    if way.settings.iter().all(Option::is_some) && !unsaid.is_empty() {
        return Some(Err(unsaid));
    }
    let answer = possible(&context, &last.plan, answer(&context, &last.plan)).ok()?;
    let mut question = reading.question.clone();
    question.plan = Some(answer.plan.clone());
    Some(way.edited(texts, base, &last.plan).map(|edited| Improved {
        changes,
        answer,
        question,
        diff: diff::unified(texts, &edited.texts),
        texts: edited.texts,
        elsewhere: edited.elsewhere,
    }))
}

/// The way from the plan that a text asks for to a better one.
struct Way<'a> {
    reading: &'a Reading,
    job: &'a Job,
    states: &'a [State],
    /// What the framework's own texts say of each state; `None` where it has none.
    settings: Vec<Option<Vec<Understood>>>,
}

impl Way<'_> {
    /// What a state's own texts say.
    fn said(&self, at: usize) -> Option<&[Understood]> {
        self.settings.get(at)?.as_deref()
    }

    fn bare(&self) -> bool {
        bare(self.reading)
    }

    /// What is told otherwise at one state than at another.
    fn told(&self, from: usize, to: usize) -> Vec<Edit> {
        let Some(now) = self.said(to) else {
            return Vec::new();
        };
        match self.said(from) {
            Some(was) => difference(was, now, self.reading, self.bare()),
            // What the framework refuses, its texts do not say: the pasted one says it.
            None => {
                let changed = self.states.get(from + 1..=to).unwrap_or_default();
                let (was, now) = (about(&self.reading.understood, changed), about(now, changed));
                difference(&was, &now, self.reading, self.bare())
            }
        }
    }

    fn changes(&self) -> Vec<Change> {
        let context = Context::new(self.job);
        let needed = |plan: &Plan| fit::judge(&context, plan, &step::evaluate(&context, plan)).needed_gib;
        let steps = self.states.windows(2).enumerate();
        let changes = steps.filter_map(|(at, pair)| {
            let [was, now] = pair else { return None };
            let dimension = *now.changed.last()?;
            Some(Change {
                field: dimension.field(&now.plan).to_owned(),
                from: dimension.value(self.job, &was.plan),
                to: dimension.value(self.job, &now.plan),
                settings: self.told(at, at + 1).iter().map(Edit::shown).collect(),
                fits: now.fits(),
                tokens_per_s_per_gpu: now.tokens / now.seconds / f64::from(self.job.gpus()),
                reserved_gib: now.reserved,
                needed_gib: needed(&now.plan),
                speedup: was.seconds / now.seconds,
            })
        });
        changes.collect()
    }

    /// The texts with all changes; what was changed where they are read as another plan than the one that is meant.
    fn edited(&self, texts: &[&str], base: Option<&Question>, meant: &Plan) -> Result<Edited, Vec<Dimension>> {
        let last = self.states.len() - 1;
        let mut edits = self.told(0, last);
        let now = self.said(last).unwrap_or_default();
        follow(&mut edits, now, &self.reading.understood);
        joined(&mut edits, self.reading);
        edits.extend(demanded(now, &edits, self.reading, self.bare()));
        let mut edited = edit::apply(texts, self.reading, &edits);
        // A change that no text says leaves no edit: it is lost as well.
        if !edited.elsewhere.is_empty() || (self.said(last).is_none() && edits.is_empty()) {
            return Ok(self.renewed(edited));
        }
        let mut read_as = said(&edited.texts, base);
        if read_as != Some(*meant) {
            // A default may follow what was changed: then it has to be stated.
            edits.extend(stated_too(now, &edits, read_as.as_ref(), meant, self.reading, self.bare()));
            edited = edit::apply(texts, self.reading, &edits);
            read_as = said(&edited.texts, base);
        }
        if read_as == Some(*meant) { Ok(self.renewed(edited)) } else { Err(lost(read_as.as_ref(), self.states, meant)) }
    }

    /// Changed texts whose comments, where they are our own, say what is so now.
    fn renewed(&self, edited: Edited) -> Edited {
        let own = |state: Option<&State>| told::texts(self.reading, self.job, &state?.plan);
        let (Some(was), Some(now)) = (own(self.states.first()), own(self.states.last())) else {
            return edited;
        };
        let texts = edited.texts.iter().map(|text| comments::renewed(text, &was, &now)).collect();
        Edited { texts, ..edited }
    }
}

/// The plan that texts ask for.
fn said(texts: &[String], base: Option<&Question>) -> Option<Plan> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let reading = read(&texts, base).ok()?;
    estimate::evaluate_alone(&reading.question)
        .ok()
        .map(|found| plainly(&found.plan))
}

/// A plan that says of passes forward only what is unusual, as plans that are read do.
fn plainly(plan: &Plan) -> Plan {
    let plain = |own: Layout| Layout { forward: own.forward.filter(|size| *size != own.micro_batch.doubled()), ..own };
    Plan { layout: plain(plan.layout), critic: plan.critic.map(plain), reference: plan.reference.map(plain), ..*plan }
}

/// What was changed and the texts, which are read as another plan or none, do not say; all of it where they differ elsewhere.
fn lost(said: Option<&Plan>, path: &[State], meant: &Plan) -> Vec<Dimension> {
    let changed = || path.iter().flat_map(|state| state.changed.iter().copied());
    let differs = |dimension: &Dimension| {
        said.is_none_or(|said| {
            let mut carried = *said;
            dimension.carry(meant, &mut carried);
            carried != *said
        })
    };
    let lost: Vec<Dimension> = changed().filter(differs).collect();
    if lost.is_empty() { changed().collect() } else { lost }
}
