//! What a person typed, as typed, and the question it makes.
//!
//! The form holds text, so that nothing typed is ever lost; [`Form::question`] reads it. What a
//! question holds beyond the controls (a critic of its own, an engine's limits) is
//! kept in `base` and travels along.

mod document;
mod field;
mod measured;
pub(crate) mod mend;
pub(crate) mod models;
pub(crate) mod task;
pub(crate) mod units;

pub(crate) use field::{Field, Takes};
pub(crate) use measured::measurable;

use serde_json::Value;
use shardwise_core::emit::NAMES;
use shardwise_core::wire::{WorkloadKind, at, take};
use shardwise_core::{InputError, catalog, market, usual};

use crate::format;

/// Letters of [`Field::Offload`]: parameters, gradients, optimizer, activations.
pub(crate) const OFFLOADS: [char; 4] = ['p', 'g', 'o', 'a'];

/// How sure a question wants to be that says nothing of it, in per cent.
pub(crate) const USUAL_LEVEL: u32 = 95;

/// The terms on which a machine is rented that says nothing of it.
pub(crate) const USUAL_TERMS: &str = "on-demand";

/// The catalog's sellers whose prices are in yuan: a reader of Chinese rents from them where they have the machine.
pub(crate) const HOME: &str = "Alibaba Cloud, AutoDL, Tencent Cloud";

/// Value of [`Field::Gpu`] for a GPU that the question describes itself.
pub(crate) const CUSTOM_GPU: &str = "custom";

/// Longest sequences are multiples of this many tokens, as kernels like them.
const TILE: f64 = 64.0;

/// Ends the text of a control: the separator that no keyboard types.
const BETWEEN: char = '\u{1f}';

/// Everything typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    values: Vec<String>,
    /// Whether nobody said whose offers count.
    any_seller: bool,
    /// The question that was loaded, for what the controls do not show.
    base: Value,
}

/// A control whose text cannot be read or is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldError {
    /// The control; `None` where the form has none for it.
    pub(crate) field: Option<Field>,
    /// Path in the question document.
    pub(crate) path: String,
    /// What is wrong, and the remedy.
    pub(crate) problem: Problem,
    /// What mends it, where the engine has said.
    pub(crate) mends: Option<Vec<mend::Mend>>,
}

/// What is wrong with a control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The number cannot be read.
    Number(units::NumberError),
    /// Something required is not there.
    Missing,
    /// The pasted text is not JSON: line and what the parser says.
    Json(String),
    /// The pasted text has this key twice, and which one holds nobody can say.
    Twice(String),
    /// An address stands where its content belongs.
    Address,
    /// The catalog has no model of that name.
    NoModel,
    /// The calculator refuses the value and says why.
    Refused(String),
}

impl FieldError {
    /// What is wrong with a control's own text.
    pub(crate) fn own(field: Field, problem: Problem) -> Self {
        Self { field: Some(field), path: field.path().to_owned(), problem, mends: None }
    }
}

impl From<InputError> for FieldError {
    fn from(error: InputError) -> Self {
        Self {
            field: Field::of_path(&error.field).or_else(|| Field::below(&error.field)),
            path: error.field,
            problem: Problem::Refused(error.message),
            mends: None,
        }
    }
}

impl Default for Form {
    fn default() -> Self {
        Self { values: vec![String::new(); Field::COUNT], any_seller: false, base: Value::Null }
    }
}

impl Form {
    /// The text of a control.
    pub(crate) fn get(&self, field: Field) -> &str {
        self.values.get(field as usize).map_or("", String::as_str)
    }

    /// Sets the text of a control.
    pub(crate) fn set(&mut self, field: Field, text: impl Into<String>) {
        if let Some(value) = self.values.get_mut(field as usize) {
            *value = text.into();
        }
    }

    /// Takes what a person types into a control. A run is as long as was typed last: by its steps, its data set or its
    /// tokens; an hour costs what was typed last, by itself or by the machine.
    pub(crate) fn type_text(&mut self, field: Field, text: impl Into<String>) {
        self.set(field, text);
        self.any_seller &= field != Field::Providers;
        let others: &[Field] = match field {
            Field::RunTokens => &[Field::RunSteps, Field::RunExamples, Field::RunEpochs],
            Field::RunSteps => &[Field::RunTokens, Field::RunExamples, Field::RunEpochs],
            Field::RunExamples | Field::RunEpochs => &[Field::RunTokens, Field::RunSteps],
            Field::Price => &[Field::OwnedPrice],
            Field::OwnedPrice => &[Field::Price],
            _ => &[],
        };
        if matches!(field, Field::MeanSequenceLength | Field::LengthSpread) {
            take(&mut self.base, "workload.lengths");
        }
        if !self.get(field).trim().is_empty() {
            for other in others {
                self.set(*other, "");
            }
        }
    }

    /// Takes lengths in tokens: of the training's examples with how they spread, or of RL's prompts. The longest is rounded up to
    /// whole tiles.
    pub(crate) fn use_lengths(&mut self, mean: f64, longest: f64, cv: f64) {
        let [longest_field, mean_field] = if is_rl(self.kind()) {
            [Field::MaxPrompt, Field::MeanPrompt]
        } else {
            take(&mut self.base, "workload.lengths");
            self.set(Field::LengthSpread, format::fixed(cv, 2));
            [Field::SequenceLength, Field::MeanSequenceLength]
        };
        let longest = ((longest / TILE).ceil() * TILE).max(TILE);
        self.set(longest_field, format::fixed(longest, 0));
        self.set(mean_field, format::fixed(mean.clamp(1.0, longest), 0));
    }

    /// All that is typed, as one text.
    pub(crate) fn typed(&self) -> String {
        let mut typed = String::new();
        for value in &self.values {
            typed.push_str(value);
            typed.push(BETWEEN);
        }
        typed
    }

    /// Types it all again; another version's text, with other controls, is left alone.
    pub(crate) fn retype(&mut self, typed: &str) {
        if typed.matches(BETWEEN).count() == self.values.len() {
            for (value, typed) in self.values.iter_mut().zip(typed.split(BETWEEN)) {
                typed.clone_into(value);
            }
        }
    }

    /// The task.
    pub(crate) fn kind(&self) -> WorkloadKind {
        document::kind(self.get(Field::Kind))
    }

    /// What the form says to a question of its that is refused.
    pub(crate) fn refused(&self, error: InputError) -> FieldError {
        let mut error = FieldError::from(error);
        // A pasted file has a control of its own, whatever is in it.
        if error.field == Some(Field::Model) {
            if self.get(Field::ModelConfig).is_empty() {
                error.problem = Problem::NoModel;
            } else {
                error.field = Some(Field::ModelConfig);
            }
        }
        error
    }

    /// Chooses the task, and fills what the new task requires and nobody has typed yet.
    pub(crate) fn choose_kind(&mut self, kind: WorkloadKind) {
        let distilled = self.kind() == WorkloadKind::Distill;
        let teacher = catalog::model(usual::TEACHER).map_or(usual::TEACHER, |entry| entry.name);
        self.set(Field::Kind, kind.as_str());
        match (kind, self.get(Field::Teacher)) {
            (WorkloadKind::Distill, "") => self.set(Field::Teacher, teacher),
            (WorkloadKind::Distill, _) => {}
            // Other tasks have a teacher where one is asked for.
            (_, named) if distilled && named == teacher => self.set(Field::Teacher, ""),
            _ => {}
        }
        for (path, size) in usual::sizes(kind) {
            if let Some(field) = Field::of_path(path)
                && self.get(field).is_empty()
            {
                self.set(field, format::grouped(*size));
            }
        }
    }

    /// Drops what a loaded question says about the plan beyond the controls.
    pub(crate) fn forget_plan(&mut self) {
        if let Value::Object(base) = &mut self.base {
            base.remove("plan");
        }
    }

    /// Chooses the framework that runs it, with its version after a space (`verl 0.8.0`); any where that is empty. The newest
    /// version says nothing.
    pub(crate) fn use_framework(&mut self, own: &str) {
        let (id, version) = own.split_once(' ').unwrap_or((own, ""));
        let named = NAMES.iter().find(|named| named.id == id);
        let newest = named.and_then(|named| named.versions.first());
        let version = Some(version).filter(|version| newest != Some(version));
        self.set(Field::Framework, id);
        self.set(Field::FrameworkVersion, version.unwrap_or_default());
    }

    /// Chooses how sure a plan is to be, in per cent; the usual level says nothing.
    pub(crate) fn be_sure(&mut self, level: u32) {
        let share = (level != USUAL_LEVEL).then(|| format!("0.{level}"));
        self.set(Field::Confidence, share.unwrap_or_default());
    }

    /// Rents on demand what nobody says anything else of.
    pub(crate) fn rent(&mut self) {
        if self.is_stated() || !self.get(Field::Offer).is_empty() || !at(&self.base, "hardware.market").is_null() {
            return;
        }
        self.set(Field::Terms, USUAL_TERMS);
        self.any_seller = self.get(Field::Providers).is_empty();
    }

    /// Rents as the form before it did, where the question that was loaded says nothing of it: a script knows no seller. Whether it
    /// does.
    pub(crate) fn rent_as(&mut self, before: &Self) -> bool {
        let says = [Field::Offer, Field::Terms, Field::Providers]
            .iter()
            .any(|field| !self.get(*field).is_empty());
        if says || self.is_stated() || !at(&self.base, "hardware.market").is_null() {
            return false;
        }
        for field in [Field::Terms, Field::Providers] {
            self.set(field, before.get(field).to_owned());
        }
        self.any_seller = before.any_seller;
        true
    }

    /// Rents a script as the form before it did. The size of its nodes gives way to a market, as it does to that of a link: there they
    /// are the instances of the offer. A published run keeps its own.
    pub(crate) fn rent_script_as(&mut self, before: &Self) {
        let node = self.get(Field::GpusPerNode).to_owned();
        if before.market().is_some() {
            self.set(Field::GpusPerNode, "");
        }
        if !self.rent_as(before) {
            self.set(Field::GpusPerNode, node);
        }
    }

    /// Where nobody said whose offers count, those of [`HOME`], or all where these cannot hold the machine.
    pub(crate) fn prefer_home(&mut self) {
        if !self.any_seller {
            return;
        }
        self.set(Field::Providers, HOME);
        let asked = self.question().map(|question| question.hardware);
        let offers = asked
            .ok()
            .filter(market::is_open)
            .and_then(|machine| market::offers(&machine).ok());
        if offers.is_none_or(|offers| offers.is_empty()) {
            self.set(Field::Providers, "");
        }
    }

    /// Chooses those of [`HOME`] first, or all sellers.
    pub(crate) fn choose_home(&mut self, first: bool) {
        self.set(Field::Providers, "");
        self.any_seller = first;
    }

    /// Whether nobody said whose offers count.
    pub(crate) fn takes_any_seller(&self) -> bool {
        self.any_seller
    }

    /// Whether the machine is stated by hand, in a part that each offer has of its own.
    pub(crate) fn is_stated(&self) -> bool {
        let typed = |field: &Field| !self.get(*field).trim().is_empty();
        self.get(Field::Gpu) == CUSTOM_GPU
            || [Field::Price, Field::Network, Field::GpusPerNode].iter().any(typed)
            || self.is_owned()
            || !at(&self.base, "hardware.host_ram_gib").is_null()
    }

    /// Whether it says what the machine cost its owner.
    pub(crate) fn is_owned(&self) -> bool {
        !self.get(Field::OwnedPrice).trim().is_empty()
    }

    /// Chooses a GPU type: a price, a node, its memory, its power or a network stated for another does not hold for it. A GPU of
    /// one's own starts as the one before it.
    pub(crate) fn choose_gpu(&mut self, id: &str) {
        let before = self.get(Field::Gpu).to_owned();
        if id == CUSTOM_GPU && before != CUSTOM_GPU && self.get(Field::GpuBase).is_empty() {
            self.set(Field::GpuBase, before);
        }
        self.set(Field::Gpu, id);
        let of_type =
            [Field::Price, Field::Network, Field::GpusPerNode, Field::Offer, Field::OwnedPrice, Field::OwnedWatts];
        for field in of_type {
            self.set(field, "");
        }
        take(&mut self.base, "hardware.host_ram_gib");
    }
}

/// Whether a task is reinforcement learning.
pub(crate) fn is_rl(kind: WorkloadKind) -> bool {
    kind.algorithm().is_some()
}

/// Whether a task generates.
pub(crate) fn generates(kind: WorkloadKind) -> bool {
    is_rl(kind) || kind == WorkloadKind::Rollout
}

/// Whether a task trains.
pub(crate) fn trains(kind: WorkloadKind) -> bool {
    kind != WorkloadKind::Rollout
}

#[cfg(test)]
mod tests;
