//! What a sheet is made of: the question with its answer, computed no more than once, and how it is asked for.

use std::cell::{OnceCell, Ref, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value};
use shardwise_core::context::Context;
use shardwise_core::job::{self, Job};
use shardwise_core::search::sweep::{Sweep, Tried};
use shardwise_core::search::within::every;
use shardwise_core::sensitivity::of as sensitivity_of;
use shardwise_core::wire::{Sensitivity, question_from_value};
use shardwise_core::{Evaluated, InputError, Question, SearchResult};

use super::{front, plans, scaling, within};
use crate::protocol::estimate::Answered;
use crate::text::Lang;

/// A question as the worker holds it, with its answer.
pub(crate) struct Asked {
    /// The question as it came.
    pub(crate) document: Value,
    pub(crate) question: Question,
    /// Its answer.
    pub(crate) found: Evaluated,
    /// The best plans: some, and all that are ever shown.
    plans: [OnceCell<Option<Rc<SearchResult>>>; 2],
    scaled: OnceCell<Rc<Vec<(u64, Tried)>>>,
    /// Of every GPU type: kept from offer to offer, as GPU types share what does not depend on them.
    sweep: OnceCell<Sweep>,
    /// Likewise of every GPU type with several numbers of GPUs.
    every: OnceCell<Sweep>,
    /// On GPU types, by their places, as far as they were asked.
    offers: RefCell<BTreeMap<usize, Tried>>,
    /// On every GPU type with several numbers of GPUs, as far as it was tried.
    tried: RefCell<Vec<Tried>>,
    market: OnceCell<Rc<Vec<Tried>>>,
    changes: OnceCell<Rc<Sensitivity>>,
}

impl Asked {
    /// Asks.
    pub(crate) fn new(document: Value) -> Result<Self, InputError> {
        let question = question_from_value(document.clone())?;
        let found = shardwise_core::evaluate_alone(&question)?;
        Ok(Self::holding(document, question, found))
    }

    /// Takes the answer that another worker found: the question with its plan stated is evaluated, and nothing looked for.
    pub(crate) fn answered(document: Value, answered: Answered) -> Result<Self, InputError> {
        let question = question_from_value(document.clone())?;
        let Answered { decided, answer, considered, complete } = answered;
        let found = shardwise_core::evaluate_alone(&question_from_value(decided)?)?;
        // The framework of the plan may be the answer's choice, and the plan what was looked for.
        let searched = found.job.framework.is_some() && job::resolve(&question)?.searched;
        let job = Job { framework_stated: question.framework.is_some(), searched, ..found.job };
        Ok(Self::holding(document, question, Evaluated { answer, considered, complete, job, ..found }))
    }

    fn holding(document: Value, question: Question, found: Evaluated) -> Self {
        Self {
            document,
            question,
            found,
            plans: Default::default(),
            scaled: OnceCell::new(),
            sweep: OnceCell::new(),
            every: OnceCell::new(),
            offers: RefCell::default(),
            tried: RefCell::default(),
            market: OnceCell::new(),
            changes: OnceCell::new(),
        }
    }

    /// Puts the answer in the place of what a search found on the question's own machine: with the plan that was set by hand.
    pub(super) fn put_own(&self, offer: &mut Tried) {
        if let Ok(found) = &mut offer.result {
            found.plan = self.found.plan;
            found.answer = self.found.answer.clone();
        }
    }

    /// The question on more GPUs and fewer.
    pub(super) fn scaled(&self) -> Rc<Vec<(u64, Tried)>> {
        Rc::clone(self.scaled.get_or_init(|| Rc::new(scaling::offers(self))))
    }

    /// The question for every GPU type.
    pub(crate) fn sweep(&self) -> &Sweep {
        self.sweep.get_or_init(|| Sweep::every_gpu(&self.question))
    }

    /// The question on the GPU type at a place, at the plan that a search finds.
    pub(crate) fn offer(&self, place: usize) -> Option<Tried> {
        if let Some(known) = self.offers.borrow().get(&place) {
            return Some(known.clone());
        }
        let offer = self.sweep().at(place)?;
        self.offers.borrow_mut().insert(place, offer.clone());
        Some(offer)
    }

    /// The question on GPU types with several numbers of GPUs, some more of them than before, and whether those are all.
    pub(super) fn tried(&self) -> (Ref<'_, Vec<Tried>>, bool) {
        let all = within::go_on(self, &mut self.tried.borrow_mut());
        (self.tried.borrow(), all)
    }

    /// The question for every GPU type with several numbers of GPUs.
    pub(super) fn every(&self) -> &Sweep {
        self.every.get_or_init(|| every(&self.question))
    }

    /// The question on every GPU type.
    pub(super) fn market(&self) -> Rc<Vec<Tried>> {
        Rc::clone(self.market.get_or_init(|| Rc::new(front::offers(self))))
    }

    /// What each single change of the plan is worth.
    pub(super) fn changes(&self) -> Rc<Sensitivity> {
        let of = || {
            let context = Context::new(&self.found.job);
            Rc::new(sensitivity_of(&self.question, &context, &self.found.plan))
        };
        Rc::clone(self.changes.get_or_init(of))
    }

    /// The best plans, as many as are shown at first or all that ever are.
    pub(super) fn plans(&self, all: bool) -> Option<Rc<SearchResult>> {
        let place = usize::from(all);
        let found = self.plans[place].get_or_init(|| {
            let found = shardwise_core::search(&self.question, None, plans::SOUGHT[place]);
            found.ok().map(Rc::new)
        });
        found.clone()
    }
}

/// How a sheet is asked for.
pub(crate) struct Ask {
    pub(super) lang: Lang,
    /// Width to draw at, in pixels; 0 where nothing is drawn.
    pub(super) width: u32,
    /// What was pressed and typed in it.
    pub(super) state: Map<String, Value>,
}

impl Ask {
    /// Whether a switch of its state is on.
    pub(super) fn on(&self, key: &str) -> bool {
        self.state.get(key) == Some(&Value::Bool(true))
    }

    /// The words of a list in its state.
    pub(super) fn words(&self, key: &str) -> Vec<&str> {
        let list = self.state.get(key).and_then(Value::as_array);
        list.map_or_else(Vec::new, |list| list.iter().filter_map(Value::as_str).collect())
    }

    /// A number of its state.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.state.get(key).and_then(Value::as_f64)
    }

    /// A word of its state; empty where there is none.
    pub(super) fn word(&self, key: &str) -> &str {
        let word = self.state.get(key).and_then(Value::as_str);
        word.unwrap_or_default()
    }
}

#[cfg(test)]
impl Asked {
    /// Asks what a test knows to have an answer.
    #[track_caller]
    pub(super) fn of(document: Value) -> Self {
        Self::new(document).unwrap_or_else(|error| panic!("{error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Asked;
    use crate::protocol::SheetTask;
    use crate::protocol::estimate::Answered;
    use crate::sheets;
    use crate::text::Lang;
    use crate::texts::written;
    use serde_json::{Value, json};
    use shardwise_core::emit::FRAMEWORKS;
    use shardwise_core::presets::{self, Preset};
    use shardwise_core::search::chosen::decided;
    use shardwise_core::wire::to_value;

    /// All that is written of a question on every visit.
    fn all_of(asked: &Asked) -> Value {
        let versioned = FRAMEWORKS
            .iter()
            .map(|own| (own, own.versions.first().copied().unwrap_or_default()));
        let texts = versioned.map(|(own, version)| {
            let texts = written(own, version, asked).into_iter();
            json!(texts.map(|text| (text.text, text.reasons)).collect::<Vec<_>>())
        });
        let task = |name: &str| -> SheetTask {
            let task = json!({"name": name, "question": null, "width": 0, "state": {}});
            serde_json::from_value(task).unwrap_or_else(|error| panic!("{error}"))
        };
        let sheets = ["advice", "sure", "ways"]
            .map(|name| json!(sheets::first(asked, task(name), Lang::En).map(|(blocks, _)| blocks)));
        json!([texts.collect::<Vec<Value>>(), sheets])
    }

    #[test]
    fn what_another_worker_answered_is_written_as_if_it_were_looked_for() {
        let questions = presets::presets().iter().filter_map(Preset::question);
        for mut question in questions.step_by(4) {
            question.plan = None;
            let document = to_value(&question);
            let own = Asked::new(document.clone()).unwrap_or_else(|error| panic!("{error}"));
            let answer = own.found.answer.clone();
            let decided = to_value(&decided(&question, &answer));
            let answered = Answered { decided, answer, considered: own.found.considered, complete: own.found.complete };
            let other = Asked::answered(document, answered).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(other.found.plan, own.found.plan);
            assert_eq!(all_of(&other), all_of(&own), "{}", question.model);
        }
    }
}
