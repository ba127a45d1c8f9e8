//! The link in a text's head: the question that the text was printed for.
//!
//! `# https://…#v=1&…` is the line that every emitted text carries. What no key of the text tells is taken from it.

use serde_json::{Map, Value};

use super::draft::{Draft, resolve};
use super::printable::printable;
use super::rented;
use super::report::{Dialect, Note};
use crate::emit::{megatron, torchtitan};
use shardwise_question::wire::{self, Question, at};
use shardwise_question::workload::Rl;
use shardwise_question::{belonging, job, permalink};

/// Why a field has its value.
const WHY: &str = "From the link at the head of the text; no key states it.";

/// What answers where no key of the text does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Base<'a> {
    /// The caller's question, and the link's where the caller's says nothing.
    pub(crate) question: Option<&'a Question>,
    /// The caller's alone.
    pub(crate) own: Option<&'a Question>,
    /// The question of the link.
    pub(crate) link: Option<&'a Question>,
    /// Folders of weights, each with the repository that the text says it is of.
    pub(crate) folders: &'a [(String, String)],
}

/// The question of the first link in comments, and notes on links that are broken, by the lines of all texts together.
pub(crate) fn find(texts: &[&str], notes: &mut Vec<Note>) -> Option<Question> {
    let lines = texts.iter().flat_map(|text| text.lines()).zip(1..);
    let links = lines.filter_map(|(line, number)| {
        let line = line.strip_prefix('#')?.trim();
        let address = line.strip_prefix("https://").or_else(|| line.strip_prefix("http://"))?;
        let (_, hash) = address.split_once('#')?;
        // A text has one head; many lines of links are no reason to read each.
        hash.starts_with("v=").then_some((hash, number))
    });
    for (hash, number) in links.take(8) {
        match permalink::open(hash) {
            Ok((question, _)) => return Some(question),
            Err(error) => {
                let text = printable(&format!("The link is passed over. {}", error.message));
                notes.push(Note { line: number, file: None, text, decides: false, stands_in: false });
            }
        }
    }
    None
}

/// The caller's question, and another one's fields where it has none.
pub(crate) fn beside(own: &Question, link: &Question) -> Option<Question> {
    let (mut own, mut link) = (serde_json::to_value(own).ok()?, serde_json::to_value(link).ok()?);
    rented::without_other_terms(&own, &mut link);
    one_price(&own, &mut link);
    fill(&mut own, &link);
    wire::question_from_value(own).ok()
}

/// What says what an hour costs.
const PRICES: [&str; 2] = ["hardware.usd_per_gpu_hour", "hardware.owned"];

/// Leaves an hour one price: the caller's, whole, where there is one.
fn one_price(own: &Value, link: &mut Value) {
    if PRICES.iter().any(|path| !at(own, path).is_null()) {
        PRICES.iter().for_each(|path| wire::take(link, path));
    }
}

fn fill(own: &mut Value, link: &Value) {
    match (own, link) {
        (Value::Object(own), Value::Object(link)) => {
            for (key, value) in link {
                fill(own.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (own, link) if own.is_null() => *own = link.clone(),
        _ => {}
    }
}

/// Fields that the caller's question answers before the link's does.
const CALLERS: [&str; 9] = [
    "calibration",
    "model",
    "hardware",
    "workload.mean_sequence_length",
    "workload.sequence_length_cv",
    "workload.lengths",
    "workload.rl.mean_",
    "workload.rl.re",
    "plan.rollout.speculative_speedup",
];

/// The run's length in steps.
const STEPS: &str = "workload.run.steps";

/// Sizes of a micro-batch: of the two, one is stated.
const SIZES: [&str; 2] = ["micro_batch", "max_tokens_per_gpu"];

/// Where a text says the mean length, by padding or by another question, no histogram says another.
fn one_histogram(root: &mut Value) {
    if !at(root, "workload.mean_sequence_length").is_null() {
        wire::take(root, "workload.lengths");
    }
}

/// Of two lengths of a run, the text's steps and what another question says by tokens or by a data set, keeps the latter
/// where it comes to as many steps: a text has no other word for it.
pub(super) fn one_length(root: &mut Value) {
    const OTHERS: [&str; 3] = ["workload.tokens", "workload.run.examples", "workload.run.epochs"];
    let steps = at(root, STEPS).as_f64();
    let Some(steps) = steps.filter(|_| OTHERS.iter().any(|other| !at(root, other).is_null())) else {
        return;
    };
    let mut other = root.clone();
    wire::take(&mut other, STEPS);
    belonging::strip(&mut other);
    let asked = wire::question_from_value(other).and_then(|question| job::resolve(&question));
    let same = asked.is_ok_and(|job| {
        let workload = &job.workload;
        let sequences = workload.rl.as_ref().map_or(workload.global_batch, Rl::sequences);
        let per_step = sequences as f64 * workload.mean_sequence_length;
        workload.run_steps(per_step).is_some_and(|own| (own - steps).abs() <= 1.0)
    });
    let gone: &[&str] = if same { &[STEPS] } else { &OTHERS };
    for field in gone {
        wire::take(root, field);
    }
}

impl Draft<'_> {
    /// Takes from the link what no key tells. A link of another kind of run, or of another backend, says nothing
    /// about this one beside the machine and the lengths.
    pub(crate) fn take_link(&mut self) {
        let Some(mut link) = self.link.and_then(|link| serde_json::to_value(link).ok()) else {
            return;
        };
        let told = self.told();
        let mut merged = self.replace(Value::Null);
        if !kindred(&link, &merged) {
            self.replace(merged);
            return;
        }
        let before = merged.clone();
        let own = self.own.and_then(|own| serde_json::to_value(own).ok()).unwrap_or(Value::Null);
        rented::without_other_terms(&own, &mut link);
        one_price(&own, &mut link);
        let mut leaves = Vec::new();
        leaves_of("", &link, &mut leaves);
        let mut taken = Vec::new();
        // A group of all GPUs is none of all where the text has others.
        let same_size = at(&merged, "hardware.gpus") == at(&link, "hardware.gpus");
        for (path, value) in leaves {
            if path.ends_with("shard_group") && !same_size {
                continue;
            }
            let callers = CALLERS.iter().any(|start| path.starts_with(start));
            if tells(&told, &path) || (callers && !at(&own, &path).is_null()) {
                continue;
            }
            if *at(&merged, &path) != value {
                wire::put(&mut merged, &path, value.clone());
            }
            taken.push((path, value));
        }
        for role in ["critic", "reference"] {
            inherit(&mut merged, &before, &told, role);
        }
        one_length(&mut merged);
        one_histogram(&mut merged);
        let given_up = rented::settle(&mut merged);
        // Megatron-LM, torchtitan and most that do RL run no text without steps: those of a question that has none are no one's.
        let yours = match self.framework {
            _ if !at(&merged, "workload.rl").is_null() => job::ASSUMED_STEPS as f64,
            Dialect::Torchtitan => f64::from(torchtitan::YOURS),
            _ => megatron::YOURS,
        };
        let unsaid = at(&link, "workload.run").is_null() && at(&link, "workload.tokens").is_null();
        if unsaid && at(&merged, STEPS).as_f64() == Some(yours) {
            wire::take(&mut merged, STEPS);
        }
        // Where the text's keys and the link's rest make no question, the text is read by itself.
        if !resolves(&merged) && resolves(&before) {
            self.replace(before);
            return;
        }
        self.replace(merged);
        if let Some(given_up) = given_up {
            self.note_once(&given_up);
        }
        self.say_taken(&taken, &before);
    }

    /// Fields that stated keys became, but those whose value is a guess all the same.
    fn told(&self) -> Vec<String> {
        let mut told = self.understood_fields();
        let assumed = self.assumed_fields();
        told.retain(|field| !assumed.contains(field));
        // Of the two sizes of a micro-batch, one that is told leaves none to the link.
        let mut others = Vec::new();
        for field in &told {
            for (one, other) in [(SIZES[0], SIZES[1]), (SIZES[1], SIZES[0])] {
                if let Some(start) = field.strip_suffix(one) {
                    others.push(format!("{start}{other}"));
                }
            }
        }
        told.append(&mut others);
        told
    }

    fn say_taken(&mut self, taken: &[(String, Value)], before: &Value) {
        for (path, value) in taken {
            let was = before.pointer(&format!("/{}", path.replace('.', "/")));
            let assumed = self.forget(path);
            // Nobody has to be told what the framework does anyway.
            if assumed || was.is_some_and(|was| was != value) {
                self.assume_known(path, value.clone(), WHY);
            }
        }
    }
}

/// Whether a link is of a run of this kind, and for its backend where it names one.
fn kindred(link: &Value, own: &Value) -> bool {
    let reinforcement = |root: &Value| at(root, "workload.rl").is_object();
    let adapters = |root: &Value| {
        let kind = at(root, "workload.kind");
        at(root, "workload.lora").is_object() || kind == "lora" || kind == "qlora"
    };
    let backend = at(link, "plan.backend");
    reinforcement(own) == reinforcement(link)
        && adapters(own) == adapters(link)
        && (backend.is_null() || backend == at(own, "plan.backend"))
}

fn resolves(root: &Value) -> bool {
    wire::question_from_value(root.clone()).is_ok_and(|question| resolve(&question).is_ok())
}

/// Whether a stated key tells the field, or part of it.
fn tells(told: &[String], path: &str) -> bool {
    told.iter()
        .any(|field| field == path || path.strip_prefix(field.as_str()).is_some_and(|rest| rest.starts_with('.')))
}

fn leaves_of(path: &str, value: &Value, out: &mut Vec<(String, Value)>) {
    match value {
        // A model by its shape, or recomputation by modules, is one answer.
        Value::Object(map) if path != "model" && !path.ends_with("recompute") => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves_of(&path, value, out);
            }
        }
        Value::Null => {}
        other => out.push((path.to_owned(), other.clone())),
    }
}

/// A role's plan follows the actor's, which the link may have changed, where no key of the role says otherwise.
fn inherit(merged: &mut Value, before: &Value, told: &[String], role: &str) {
    let plan = |root: &Value| {
        let mut plan = root.get("plan").cloned().unwrap_or(Value::Null);
        if let Some(plan) = plan.as_object_mut() {
            for key in ["rollout", "critic", "reference"] {
                plan.remove(key);
            }
        }
        plan
    };
    let (actor, known) = (plan(merged), plan(before));
    let old = before.pointer(&format!("/plan/{role}")).cloned();
    let Some(Value::Object(own)) = merged.pointer_mut(&format!("/plan/{role}")) else {
        return;
    };
    let empty = Map::new();
    for (key, value) in actor.as_object().unwrap_or(&empty) {
        let followed = old.as_ref().is_some_and(|old| old.get(key) == known.get(key));
        if followed && !tells(told, &format!("plan.{role}.{key}")) {
            own.insert(key.clone(), value.clone());
        }
    }
    if actor.as_object() == Some(own)
        && let Some(plan) = merged.get_mut("plan").and_then(Value::as_object_mut)
    {
        plan.remove(role);
    }
}
