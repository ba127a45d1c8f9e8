//! The published runs that are most like the question: what they measured, beside what is estimated of them without them.

use std::cell::RefCell;
use std::rc::Rc;

use shardwise_core::catalog::Generation;
use shardwise_core::hardware::Precision;
use shardwise_core::job::{self, Job};
use shardwise_core::ordered;
use shardwise_core::task::Task;
use shardwise_core::wire::{Backend, Engine, PlanSpec, WorkloadKind};

use super::parts::signed;
use crate::browser;
use crate::protocol::SheetTask;
use crate::protocol::blocks::Line;
use crate::runs::{self, Reader, Reading};
use crate::sheets::prelude::*;
use crate::text::Sheets;

/// How many runs are shown.
const SHOWN: usize = 2;

/// From this distance on a run is not like the question: another maker's GPU; or another model, with experts where the question
/// has none, in another precision.
const FAR: f64 = 4.0;

/// Who measured the runs that have no address.
const OURS: &str = "Shardwise";

/// How many differences are named of a run: more would need a line that no place is kept for.
const NAMED: usize = 2;

/// How much farther a run is that says only how much memory it took.
const MEMORY_ALONE: f64 = 0.5;

/// What decides how fast a question runs.
#[derive(Clone, Debug, PartialEq)]
struct Traits {
    kind: WorkloadKind,
    adapters: bool,
    gpu: String,
    generation: Option<&'static Generation>,
    gpus: f64,
    /// Layers, hidden size, intermediate size, experts.
    shape: [u64; 4],
    /// Weights that a token visits.
    active: f64,
    /// Tokens of a sequence: the longest that trains, the mean that is generated.
    tokens: f64,
    /// Sequences that an engine has at a time; 1 where it is not asked.
    requests: f64,
    precision: Precision,
    backend: Option<Backend>,
    /// What generates, where nothing else is asked.
    engine: Option<Engine>,
    /// GPUs that share an engine; 1 where nothing is generated.
    engine_gpus: f64,
}

impl Traits {
    fn of(question: &Question, job: &Job, plan: &PlanSpec) -> Self {
        let (work, shape) = (&job.workload, &job.model.shape);
        let base = question.hardware.gpu.get("base").and_then(serde_json::Value::as_str);
        let gpu = base.unwrap_or(&job.hardware.gpu);
        let engine = plan.rollout.as_ref().filter(|_| work.rl.is_some() || work.generation.is_some());
        let tokens = match (&work.rl, &work.generation) {
            (Some(rl), _) => rl.mean_prompt_length + rl.mean_response_length,
            (_, Some(run)) => run.mean_prompt_length + run.mean_response_length,
            _ => work.sequence_length as f64,
        };
        Self {
            kind: work.kind,
            adapters: work.lora.is_some(),
            gpu: gpu.to_owned(),
            generation: Generation::of(&job.hardware.architecture),
            gpus: job.hardware.gpus.into(),
            shape: [shape.num_hidden_layers, shape.hidden_size, shape.intermediate_size, shape.num_experts],
            active: job.model.parameters.active as f64,
            tokens: tokens.max(1.0),
            requests: work.generation.as_ref().map_or(1.0, |run| run.requests as f64).max(1.0),
            precision: work.precision,
            backend: plan.backend,
            engine: engine
                .filter(|_| work.generation.is_some())
                .map(|engine| engine.engine.unwrap_or_default()),
            engine_gpus: engine.and_then(|engine| engine.tensor_parallel).unwrap_or(1).max(1) as f64,
        }
    }

    fn has_experts(&self) -> bool {
        self.shape[3] > 0
    }

    /// Whether they can be compared at all: training, training of adapters, RL and generation are other work.
    fn is_comparable(&self, other: &Self) -> bool {
        match (self.kind.task(), other.kind.task()) {
            (Task::Train, Task::Train) => self.adapters == other.adapters,
            (Task::Rl(_), Task::Rl(_)) | (Task::Generate, Task::Generate) => true,
            _ => false,
        }
    }
}

/// A thing that is compared.
struct Compared {
    /// How much a doubling counts, or another of what has no order.
    weight: f64,
    /// How far two are apart: in doublings, or 1 where they differ.
    apart: fn(&Traits, &Traits) -> f64,
    /// How a run differs from the question; empty where another line says it.
    words: fn(&Traits, &Traits, Lang) -> String,
}

/// What is compared, by how much it counts.
///
/// The weights follow how far apart the published runs are in `tokens/s × active parameters` of a GPU, over pairs of the
/// same kind: another generation moves that by a factor of 1.9 in training (weight 3, and so 1 is about a quarter), another
/// precision by 1.4, another card of the generation by 1.1 to 1.2, experts by 1.5 in RL. A doubling moves it by less: of the GPUs
/// that share an engine by 1.2 in RL, of an RL step's GPUs by 1.2 (in training by nothing), of an engine's requests by 1.17, of a
/// sequence by 1.09, of the parameters by 1.06. The framework hardly shows there; it counts as it decides which plans there are, and what they take.
const COMPARED: [Compared; 12] = [
    Compared { weight: 3.0, apart: gpu, words: |run, own, lang| instead(lang, &label(run), &label(own)) },
    Compared {
        weight: 2.0,
        apart: |run, own| one(run.has_experts() != own.has_experts()),
        words: |run, _, lang| {
            let words = lang.sheets();
            if run.has_experts() { words.near_experts } else { words.near_dense }.to_owned()
        },
    },
    Compared {
        weight: 1.5,
        apart: |run, own| one(run.precision != own.precision),
        words: |run, own, lang| instead(lang, run.precision.as_str(), own.precision.as_str()),
    },
    Compared {
        weight: 1.5,
        apart: |run, own| one(run.adapters != own.adapters),
        words: |run, _, lang| {
            let words = lang.sheets();
            if run.adapters { words.near_adapters } else { words.near_full }.to_owned()
        },
    },
    Compared {
        weight: 0.75,
        apart: |run, own| one((run.backend, run.engine) != (own.backend, own.engine)),
        words: backend,
    },
    Compared { weight: 0.75, apart: |run, own| one(run.shape != own.shape), words: model },
    Compared {
        weight: 0.75,
        apart: |run, own| doublings(run.engine_gpus, own.engine_gpus),
        words: |run, own, lang| counted(lang.sheets().near_rollout_tp, run.engine_gpus, own.engine_gpus),
    },
    Compared { weight: 0.5, apart: kind, words: |run, own, lang| instead(lang, run.kind.name(), own.kind.name()) },
    Compared { weight: 0.5, apart: |run, own| doublings(run.active, own.active), words: parameters },
    Compared {
        weight: 0.5,
        apart: |run, own| doublings(run.requests, own.requests),
        words: |run, own, lang| counted(lang.sheets().near_requests, run.requests, own.requests),
    },
    Compared {
        weight: 0.6,
        apart: |run, own| doublings(run.gpus, own.gpus),
        words: |run, own, lang| counted(lang.sheets().near_gpus, run.gpus, own.gpus),
    },
    Compared {
        weight: 0.4,
        apart: |run, own| doublings(run.tokens, own.tokens),
        words: |run, own, lang| counted(lang.sheets().near_tokens, run.tokens, own.tokens),
    },
];

/// Differences below this, in doublings, are none that is worth a word: 7 %.
const SLIGHT: f64 = 0.1;

fn one(differs: bool) -> f64 {
    if differs { 1.0 } else { 0.0 }
}

fn doublings(run: f64, own: f64) -> f64 {
    (run / own).log2().abs()
}

/// Another card of a generation is a third of another generation, another maker's a third more.
fn gpu(run: &Traits, own: &Traits) -> f64 {
    let is_nvidia = |of: &Traits| of.generation.is_some_and(|own| own.compute_capability.is_some());
    if run.gpu == own.gpu {
        0.0
    } else if run.generation.is_some() && run.generation == own.generation {
        1.0 / 3.0
    } else if is_nvidia(run) && is_nvidia(own) {
        1.0
    } else {
        4.0 / 3.0
    }
}

/// Pre-training and full fine-tuning compute the same.
fn kind(run: &Traits, own: &Traits) -> f64 {
    let is_full = |of: &Traits| matches!(of.kind, WorkloadKind::Pretrain | WorkloadKind::Sft);
    one(run.kind != own.kind && !(is_full(run) && is_full(own)))
}

fn label(of: &Traits) -> String {
    words::gpu_label(&of.gpu)
}

fn instead(lang: Lang, run: &str, own: &str) -> String {
    fill(lang.sheets().near_instead, &[run, own])
}

fn backend(run: &Traits, own: &Traits, lang: Lang) -> String {
    if let (Some(engine), Some(asked)) = (run.engine, own.engine)
        && engine != asked
    {
        return instead(lang, lang.word(engine.as_str()), lang.word(asked.as_str()));
    }
    let names = run.backend.zip(own.backend);
    names.map_or_else(String::new, |(run, own)| instead(lang, run.name(), own.name()))
}

/// Another model, where nothing else that is said shows it.
fn model(run: &Traits, own: &Traits, lang: Lang) -> String {
    let shows = run.has_experts() != own.has_experts() || doublings(run.active, own.active) > SLIGHT;
    if shows { String::new() } else { lang.sheets().near_model.to_owned() }
}

fn parameters(run: &Traits, own: &Traits, lang: Lang) -> String {
    let words = lang.sheets();
    let template = if run.has_experts() || own.has_experts() { words.near_active } else { words.near_parameters };
    let [run, own] = [run, own].map(|of| lang.parameters(of.active as u64));
    fill(template, &[&run, &own])
}

fn counted(template: &str, run: f64, own: f64) -> String {
    fill(template, &[&format::fixed(run, 0), &format::fixed(own, 0)])
}

/// How far a run is from the question.
fn distance(run: &Traits, own: &Traits) -> f64 {
    COMPARED.iter().map(|of| of.weight * (of.apart)(run, own)).sum()
}

/// Whether two runs would read as the same: what differs is in their plans alone.
fn reads_alike(one: &Published, other: &Published) -> bool {
    one.model == other.model && COMPARED.iter().all(|of| (of.apart)(&one.traits, &other.traits) <= SLIGHT)
}

/// What a run has other than the question, in words, what counts most first.
fn differences(run: &Traits, own: &Traits, lang: Lang) -> Vec<String> {
    let apart = COMPARED.iter().map(|of| (of, (of.apart)(run, own)));
    let mut apart: Vec<_> = apart.filter(|(_, apart)| *apart > SLIGHT).collect();
    ordered::sort(&mut apart, &|(a, one), (b, other)| (b.weight * other).total_cmp(&(a.weight * one)));
    let said = apart.into_iter().map(|(of, _)| (of.words)(run, own, lang));
    let mut said: Vec<String> = said.filter(|words| !words.is_empty()).collect();
    if said.len() > NAMED {
        let more = fill(lang.sheets().near_more, &[&(said.len() - NAMED).to_string()]);
        said.truncate(NAMED);
        said.push(more);
    }
    said
}

/// A run as it is shown.
struct Published {
    traits: Traits,
    model: String,
    /// What it ran on, where that is not what trains.
    engine: String,
    url: String,
    /// Its question.
    link: String,
    measured: f64,
    /// What is estimated of it without its source.
    estimated: f64,
    /// Whether those are GiB; else tokens a second and GPU.
    is_memory: bool,
}

impl Published {
    /// `None` for what no person could look up, or no page ask.
    fn of(own: runs::Run) -> Option<Self> {
        const KINDS: [runs::Kind; 4] =
            [runs::Kind::Speed, runs::Kind::Step, runs::Kind::Generation, runs::Kind::Memory];
        let (kind, (measured, estimated)) = KINDS.into_iter().find_map(|kind| Some((kind, own.pair(kind)?)))?;
        let question = permalink::from_hash(&own.link).ok()?;
        let job = job::resolve(&question).ok()?;
        let plan = question.plan.clone().unwrap_or_default();
        // Our own measurements have no address: they stand in the project's data.
        let url = own.address().or((own.group == OURS).then_some(""))?.to_owned();
        Some(Self {
            traits: Traits::of(&question, &job, &plan),
            model: own.model,
            engine: own.framework,
            url,
            link: own.link,
            measured,
            estimated,
            is_memory: kind == runs::Kind::Memory,
        })
    }

    fn distance(&self, own: &Traits) -> f64 {
        distance(&self.traits, own) + if self.is_memory { MEMORY_ALONE } else { 0.0 }
    }

    /// Model, machine, framework and length.
    fn name(&self, lang: Lang) -> String {
        let own = &self.traits;
        let framework = own.backend.map_or(self.engine.as_str(), |backend| backend.name());
        let [gpus, tokens] = [own.gpus, own.tokens].map(|count| format::fixed(count, 0));
        fill(lang.sheets().near_run, &[&gpus, &label(own), &self.model, framework, &tokens])
    }

    /// Measured and estimated, and how far these are apart.
    fn figures(&self, words: &Sheets) -> (String, String) {
        let figure = |value: f64| match (self.is_memory, value >= 100.0) {
            (true, _) => format!("{}\u{a0}GiB", format::gib(value)),
            (_, true) => format::fixed(value, 0),
            _ => format::figure(value),
        };
        let error = self.estimated / self.measured - 1.0;
        let places = usize::from(error.abs() < 0.0095);
        let both = fill(words.near_measured, &[&figure(self.measured), &figure(self.estimated)]);
        (both, signed(format::percent(error, places)))
    }

    /// `place` is part of its button's name, and so is the list that it stands in.
    fn entry(&self, own: &Traits, hash: &str, place: &str, lang: Lang) -> Entry {
        let words = lang.sheets();
        let (both, error) = self.figures(words);
        let name = self.name(lang);
        let differences = differences(&self.traits, own, lang);
        let told = if differences.is_empty() {
            words.near_same.to_owned()
        } else {
            fill(words.near_differs, &[&differences.join(lang.of(["; ", "；"]))])
        };
        let mut source: Line =
            vec![if self.url.is_empty() { run(name.as_str()) } else { link(self.url.as_str(), name.as_str()) }];
        if self.link != hash {
            let open = Button::new(Look::Link, words.near_open, Action::Ask(self.link.clone()));
            source.extend([run(" "), open.called(format!("near-{place}")).about(name).into()]);
        }
        Entry::new([vec![run(both)], vec![strong(error)], source, vec![run(told)]])
    }
}

/// The runs that are like the question, the nearest first; and how many there are that can be compared with it.
fn nearest<'a>(runs: &'a [Published], own: &Traits) -> (Vec<&'a Published>, usize) {
    let comparable = runs.iter().filter(|run| run.traits.is_comparable(own));
    let mut near: Vec<(f64, &Published)> = comparable.map(|run| (run.distance(own), run)).collect();
    let count = near.len();
    ordered::sort(&mut near, &|(a, _), (b, _)| a.total_cmp(b));
    let mut shown: Vec<&Published> = Vec::new();
    for (_, run) in near.into_iter().take_while(|(distance, _)| *distance < FAR) {
        if shown.len() < SHOWN && !shown.iter().any(|own| reads_alike(own, run)) {
            shown.push(run);
        }
    }
    (shown, count)
}

thread_local! {
    /// The runs of [`Work`], once they have come.
    static RUNS: RefCell<[Option<Rc<Vec<Published>>>; 4]> = const { RefCell::new([None, None, None, None]) };
}

/// The attributes of the root element that name the files of the runs of each [`Work`]: the build writes them.
pub(crate) const FILES: [&str; 3] = ["data-near-training", "data-near-rl", "data-near-generation"];

/// What is run: no two kinds of it are compared ([`Traits::is_comparable`]).
#[derive(Clone, Copy, Debug, PartialEq)]
enum Work {
    Training,
    Preferences,
    Rl,
    Generation,
}

impl Work {
    fn of(kind: WorkloadKind) -> Self {
        match kind.task() {
            Task::Train => Self::Training,
            Task::Prefer(_) => Self::Preferences,
            Task::Rl(_) => Self::Rl,
            Task::Generate => Self::Generation,
        }
    }

    /// What a link asks for, without the rest of its question: it is read where that is compared.
    fn of_link(link: &str) -> Option<Self> {
        let kind = link.split('&').find_map(|pair| pair.strip_prefix("workload.kind="))?;
        WorkloadKind::of(kind).map(Self::of)
    }

    /// The attribute that names the file of its runs.
    fn file(self) -> &'static str {
        let [training, rl, generation] = FILES;
        match self {
            Self::Training | Self::Preferences => training,
            Self::Rl => rl,
            Self::Generation => generation,
        }
    }
}

/// Reads the runs of a file that are `work`.
fn read(text: String, work: Work) -> Option<Vec<Published>> {
    let wanted = |run: &runs::Run| Work::of_link(&run.link) == Some(work);
    match Reader::new(text).read(|| true) {
        Reading::Done(read) => Some(read.runs.into_iter().filter(wanted).filter_map(Published::of).collect()),
        _ => None,
    }
}

/// Fetches the runs that a question is compared with, where they have not come yet.
pub(crate) async fn fetch(task: &SheetTask) {
    let kind = task.question.pointer("/workload/kind").and_then(serde_json::Value::as_str);
    let Some(work) = kind.and_then(WorkloadKind::of).map(Work::of) else {
        return;
    };
    let address = task.state.get(work.file()).and_then(serde_json::Value::as_str);
    let Some(address) = address.filter(|_| RUNS.with_borrow(|runs| runs[work as usize].is_none())) else {
        return;
    };
    let text = browser::file(address).await;
    let found = text.and_then(|text| read(text, work)).map(Rc::new);
    RUNS.with_borrow_mut(|runs| runs[work as usize] = found);
}

/// The sheet: a list, and the same folded into a line for where there is little room.
pub(super) fn sheet(asked: &Asked, ask: &Ask) -> Vec<Block> {
    let lang = ask.lang;
    let work = Work::of(asked.found.job.workload.kind);
    match RUNS.with_borrow(|runs| runs[work as usize].clone()) {
        Some(runs) => blocks(asked, &runs, lang),
        None => vec![said(Kind::Text, lang.sheets().near_missing)],
    }
}

fn blocks(asked: &Asked, runs: &[Published], lang: Lang) -> Vec<Block> {
    let words = lang.sheets();
    let own = Traits::of(&asked.question, &asked.found.job, &asked.found.answer.plan);
    let (shown, count) = nearest(runs, &own);
    let Some(first) = shown.first() else {
        let none = if count == 0 { words.near_unknown } else { words.near_none };
        return vec![said(Kind::Text, fill(none, &[&format::grouped(count as u64)]))];
    };
    let hash = permalink::to_hash(&asked.question);
    let list = |of: &str| {
        let runs = shown.iter().enumerate();
        entries(Listed::Runs, runs.map(|(place, run)| run.entry(&own, &hash, &format!("{of}{place}"), lang)))
    };
    let note = if shown.iter().all(|run| run.is_memory) { words.near_note } else { words.near_note_speed };
    let (both, error) = first.figures(words);
    let folded = vec![list("folded-"), said(Kind::Note, note)];
    vec![list(""), said(Kind::Note, note), fold("near-fold", both, error, folded)]
}

#[cfg(test)]
mod tests;
