//! From what is typed to the answer that is shown.

use std::cell::RefCell;
use std::sync::Arc;

use leptos::prelude::*;
use shardwise_core::calibration::Calibrated;
use shardwise_core::catalog::OfferKind;
use shardwise_core::job::{self, Job};
use shardwise_core::presets::Preset;
use shardwise_core::wire::{MarketSpec, WorkloadKind, question_from_value, to_value};
use shardwise_core::{Answer, InputError, Question, permalink};

use super::{Page, first_form, preset_at};
use crate::browser;
use crate::client::estimates;
use crate::compute;
use crate::form::{Field, FieldError, Form, HOME};
use crate::prices;
use crate::protocol::estimate::{Answered, Asking, Beside, Estimate, Refused};
use crate::text::Lang;

/// An answer, with the question that it answers.
pub(crate) struct Found {
    /// The question, resolved; its GPUs are shared as the answer has it.
    pub(crate) job: Job,
    /// The answer, without advice.
    pub(crate) answer: Answer,
}

/// A question with its answer.
pub(crate) struct Shown {
    /// The question, with one's own prices where they count.
    pub(crate) question: Question,
    /// The question as the form asks it, and as a link has it.
    pub(crate) plain: Question,
    /// The answer.
    pub(crate) found: Found,
    /// The question as the part of an address after `#`.
    pub(crate) hash: String,
    /// The preset whose question it is, unchanged.
    pub(crate) preset: Option<&'static Preset>,
}

impl Shown {
    fn of(question: Question, plain: Question, answered: Answered) -> Result<Self, InputError> {
        let job = job::resolve(&question_from_value(answered.decided)?)?;
        let hash = permalink::to_hash(&plain);
        let preset = preset_of(&plain);
        Ok(Self { question, plain, found: Found { job, answer: answered.answer }, hash, preset })
    }

    /// The catalog id of the question's GPU; `None` where the question describes it.
    pub(crate) fn gpu(&self) -> Option<&str> {
        self.question.hardware.gpu.as_str()
    }
}

/// The preset whose question it is: the same one under the factors of a run, however sure it is to be, and on the machines
/// that a page rents unless it is told otherwise.
pub(super) fn preset_of(question: &Question) -> Option<&'static Preset> {
    let mut plain = Question { calibration: None, confidence: None, ..question.clone() };
    let on_demand = MarketSpec { kinds: Some(vec![OfferKind::OnDemand]), ..MarketSpec::default() };
    let home = |market: &MarketSpec| market.providers.as_ref().is_some_and(|own| own.join(", ") == HOME);
    plain.hardware.market = plain
        .hardware
        .market
        .map(|market| if home(&market) { MarketSpec { providers: None, ..market } } else { market })
        .filter(|market| *market != on_demand);
    let plain = permalink::to_hash(&plain);
    preset_at(&plain)
}

/// What was measured beside the estimate of it.
pub(crate) struct Run {
    /// The question that it is compared with, resolved.
    pub(crate) job: Job,
    /// The comparison, or what is wrong with what was typed.
    pub(crate) compared: Result<Calibrated, Vec<FieldError>>,
}

pub(crate) struct Asked {
    /// For the engine.
    pub(crate) asking: Asking,
    /// As the form asks it.
    question: Question,
    /// With one's own prices, where they count.
    priced: Question,
    run: OfRun,
}

impl Asked {
    /// The question as the form asks it.
    pub(crate) fn question(&self) -> &Question {
        &self.question
    }
}

/// What becomes of a run of one's own.
enum OfRun {
    /// It stays what it was.
    Kept,
    /// It is compared anew, where one was measured.
    Compared,
    /// It cannot be read.
    Wrong(Vec<FieldError>),
}

thread_local! {
    /// What was asked first and has no answer, until another question has one.
    static LEFT: RefCell<Option<Form>> = const { RefCell::new(None) };
}

/// Sets a signal, and wakes who reads it, where its value is new.
fn renew(signal: RwSignal<usize>, value: usize) {
    if signal.get_untracked() != value {
        signal.set(value);
    }
}

impl Page {
    /// Asks the first question: the address's, or that of a first visit.
    pub(crate) fn begin(self) {
        self.form.set(first_form());
        self.read_address();
        self.stand();
        if !self.embedded {
            self.keep_aside();
        }
    }

    /// Asks the question of a first visit where none has an answer. What the address asks and cannot be answered stays in
    /// the form, with what is wrong with it, beside that answer.
    fn stand(self) {
        if self.hash().is_some() || estimates::are_awaited() {
            return;
        }
        // What stands inside another page was asked by it: no other question is answered in its place.
        if self.embedded && browser::hash().contains('=') {
            return;
        }
        if self.errors.with_untracked(|errors| !errors.is_empty()) {
            LEFT.set(Some(self.form.get_untracked()));
        }
        self.edit(|form| *form = first_form());
    }

    /// Changes the form and asks what it asks.
    pub(crate) fn edit(self, edit: impl FnOnce(&mut Form)) {
        let mut edit = Some(edit);
        self.respond(&mut |form| {
            if let Some(edit) = edit.take() {
                edit(form);
            }
        });
    }

    /// Changes the form and asks what it asks: the part of [`Self::edit`] that is compiled once for all edits.
    #[inline(never)]
    fn respond(self, edit: &mut dyn FnMut(&mut Form)) {
        let mut asked = Err(Vec::new());
        self.form.update(|form| {
            let was = form.measured_text();
            edit(form);
            if self.look.lang.get_untracked() == Lang::Zh {
                form.prefer_home();
            }
            asked = self.asks(form, &was);
        });
        let (kind, pinned) = self.form.with_untracked(|form| {
            let kind = WorkloadKind::ALL.iter().position(|own| *own == form.kind());
            (kind.unwrap_or_default(), form.pinned())
        });
        renew(self.kind, kind);
        renew(self.pinned, pinned);
        match asked {
            // The last answer stands until this one is there.
            Ok(asked) => estimates::ask(self, asked),
            Err(errors) => {
                estimates::forget();
                self.refuse(errors);
            }
        }
    }

    /// Asks whose offers count in the language that was chosen, where nobody said whose.
    pub(crate) fn follow_language(self) {
        let zh = self.look.lang.get_untracked() == Lang::Zh;
        let differs = self.form.with_untracked(|form| {
            let mut other = form.clone();
            if form.takes_any_seller() {
                other.choose_home(true);
            }
            if zh {
                other.prefer_home();
            }
            other.get(Field::Providers) != form.get(Field::Providers)
        });
        if differs {
            self.edit(|form| form.choose_home(true));
        }
    }

    /// What a form asks. Once a run's factors are in the question they belong to that run: they follow what is typed about
    /// it (it `was` something else), not what else is asked.
    fn asks(self, form: &Form, was: &str) -> Result<Asked, Vec<FieldError>> {
        let question = form.question()?;
        let priced = self
            .sheet_prices
            .with_untracked(|sheet| prices::beside(&question, sheet.as_deref()));
        let calibrated = form.calibration().is_some();
        let kept = calibrated && form.measured_text() == was && self.run.with_untracked(Option::is_some);
        let (measured, run) = match form.measured() {
            _ if kept => (None, OfRun::Kept),
            Ok(measured) => (measured, OfRun::Compared),
            Err(errors) => (None, OfRun::Wrong(errors)),
        };
        let last = self.standing().map(|shown| to_value(&shown.question));
        let asking = Asking { question: to_value(&priced), measured, calibrates: calibrated && !kept, last };
        Ok(Asked { asking, question, priced, run })
    }

    /// Takes what the engine says to a question.
    pub(crate) fn take(self, asked: Asked, estimate: Estimate) {
        let Asked { asking, mut question, mut priced, run } = asked;
        let compared = estimate.run.as_ref().and_then(|run| run.compared.as_ref().ok());
        if let (true, Some(own)) = (asking.calibrates, compared) {
            question.calibration = Some(own.calibration);
            priced.calibration = question.calibration;
            self.form.update(|form| form.calibrate(question.calibration));
        }
        let shown = match estimate.answered {
            Ok(answered) => Shown::of(priced, question, answered),
            Err(Refused { error, mends }) => {
                self.take_run(run, None, None);
                self.fall_back();
                let error = self.form.with_untracked(|form| form.refused(error));
                self.refuse(vec![FieldError { mends: Some(mends), ..error }]);
                return self.stand();
            }
        };
        match shown {
            Ok(shown) => {
                self.take_run(run, estimate.run, Some(&shown.found.job));
                self.naming.set(false);
                self.show(Arc::new(shown));
            }
            Err(error) => self.refuse(vec![error.into()]),
        }
    }

    /// Takes the run of one's own, as the engine compares it with the estimate of it; `job` is what was answered.
    fn take_run(self, run: OfRun, beside: Option<Beside>, job: Option<&Job>) {
        let now = match (run, beside) {
            (OfRun::Kept, _) => return,
            (OfRun::Wrong(errors), _) => job.map(|job| Run { job: job.clone(), compared: Err(errors) }),
            (OfRun::Compared, beside) => beside.and_then(|Beside { decided, compared }| {
                let job = job::resolve(&question_from_value(decided).ok()?).ok()?;
                let compared = compared.map_err(|error| {
                    let path = format!("measured.{}", error.field);
                    vec![FieldError::from(InputError::new(path, error.message))]
                });
                Some(Run { job, compared })
            }),
        };
        if now.is_some() || self.run.with_untracked(Option::is_some) {
            self.run.set(now.map(Arc::new));
        }
    }

    /// Says what is wrong with the form.
    fn refuse(self, mut errors: Vec<FieldError>) {
        if self.naming.get_untracked() {
            errors.retain(|error| error.field != Some(Field::Model));
        }
        self.errors.set(errors);
    }

    /// The name of the model is typed: if it is none, that is an error now.
    pub(crate) fn name_model(self) {
        if self.naming.get_untracked() {
            self.naming.set(false);
            self.edit(|_| ());
        }
    }

    fn show(self, shown: Arc<Shown>) {
        let is_first = self.hash().is_none();
        compute::start(self, &shown);
        self.shown.set(Some(shown));
        if self.errors.with_untracked(|errors| !errors.is_empty()) {
            self.errors.set(Vec::new());
        }
        self.catch_up();
        if is_first {
            self.retype();
        }
        if let Some(left) = LEFT.take() {
            self.edit(|form| *form = left);
        }
    }

    /// Puts the factors of the run into the question, or takes them out.
    pub(crate) fn apply_run(self, on: bool) {
        let run = self.run.get_untracked();
        let own = run.and_then(|run| Some(run.compared.as_ref().ok()?.calibration));
        self.change(|form| form.calibrate(own.filter(|_| on)));
    }

    /// Changes the form by what a person types, which takes the place of a link that could not be read.
    pub(crate) fn type_in(self, edit: impl FnOnce(&mut Form)) {
        self.forget_bad_link();
        self.edit(edit);
    }

    /// Changes the form to a whole question that takes the place of this one: Back undoes it.
    pub(crate) fn replace(self, edit: impl FnOnce(&mut Form)) {
        self.remember();
        self.change(edit);
    }
}
