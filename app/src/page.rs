//! The state of the page: what is typed, what it asks, and the answer.

pub(crate) mod folds;
pub(crate) mod sheet;
pub(crate) mod texts;

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock};

use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::calibration::{self, Calibrated};
use shardwise_core::job::Job;
use shardwise_core::presets::{self, Preset};
use shardwise_core::wire::WorkloadKind;
use shardwise_core::{Evaluated, InputError, Question, permalink};

use crate::browser;
use crate::client::{choices, sayings};
use crate::compute::{self, Comparison, Market};
use crate::fit::LEVELS;
use crate::follow::follow;
use crate::form::{Field, FieldError, Form, Problem, USUAL_LEVEL};
use crate::look::Look;
use crate::protocol::{Flags, Name};
use crate::recent;
use crate::sample::Sample;
use crate::text::{Lang, Text};
use folds::Folds;
use sheet::Sheet;
use texts::Texts;

/// The question that was last shown, as the part of its address after `#`, for the site's other pages.
pub(crate) const KEPT_QUESTION: &str = "shardwise-question";

/// The form with it.
const KEPT_FORM: &str = "shardwise-form";

/// The recent questions.
pub(crate) const RECENT: &str = "shardwise-recent";

/// How sure a plan is to be, in per cent.
const SURE: &str = "shardwise-sure";

/// How long a question must rest to be one that somebody may look for again, in milliseconds.
const RECENT_MS: u32 = 8000;

/// The question that was put aside.
const KEPT_ASIDE: &str = "shardwise-aside";

/// The key of it in the state of the comparison.
const PUT_ASIDE: &str = "a";

/// How long the address waits for the typing to pause, in milliseconds.
const ADDRESS_PAUSE_MS: u32 = 400;

/// The preset that a first visit shows.
const FIRST_PRESET: &str = "verl";

/// In how many steps the page is built, so that none of them holds up what a person does meanwhile.
pub(crate) const STEPS: usize = 8;

/// What the best GPU type is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// The fastest.
    #[default]
    Fastest,
    /// The one with the fewest dollars per token.
    Cheapest,
    /// The cheapest whose run ends in time.
    Deadline,
    /// The fastest whose run can be paid.
    Budget,
}

/// A question with its answer.
pub(crate) struct Shown {
    /// The question.
    pub(crate) question: Question,
    /// The answer, with its workings.
    pub(crate) found: Evaluated,
    /// The question as the part of an address after `#`.
    pub(crate) hash: String,
    /// The preset whose question it is, unchanged.
    pub(crate) preset: Option<&'static Preset>,
}

impl Shown {
    /// The catalog id of the question's GPU; `None` where the question describes it.
    pub(crate) fn gpu(&self) -> Option<&str> {
        match &self.question.hardware.gpu {
            Value::String(id) => Some(id),
            _ => None,
        }
    }
}

thread_local! {
    /// An answer that is drawn in a task of its own.
    static DUE: RefCell<Option<Arc<Shown>>> = const { RefCell::new(None) };

    /// Whether the answer that is due, or that the worker looks for, is to a choice, which Back undoes.
    static STEP_DUE: Cell<bool> = const { Cell::new(false) };
}

/// What was measured beside the estimate of it.
pub(crate) struct Run {
    /// The question that it is compared with, resolved.
    pub(crate) job: Job,
    /// The comparison, or what is wrong with what was typed.
    pub(crate) compared: Result<Calibrated, Vec<FieldError>>,
}

/// The page in a language. A handle: copies are the same page.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    /// Language of this page. Its words are built in: another language is another page.
    pub(crate) lang: Lang,
    // Lives as long as the browser's page does, so that every closure holds one pointer.
    state: &'static State,
}

impl Deref for Page {
    type Target = State;

    fn deref(&self) -> &State {
        self.state
    }
}

/// The state of the page.
pub(crate) struct State {
    /// What is typed.
    pub(crate) form: RwSignal<Form>,
    /// Language and colours that were chosen.
    pub(crate) look: Look,
    /// What is wrong with the form.
    pub(crate) errors: RwSignal<Vec<FieldError>>,
    /// A run of one's own beside the estimate of it. It changes with the form alone.
    run: Mutex<Option<Arc<Run>>>,
    /// Whether a model's name is being typed: until it is one, or the field is left, the last answer stands.
    pub(crate) naming: RwSignal<bool>,
    /// The last valid question with its answer.
    pub(crate) shown: RwSignal<Option<Arc<Shown>>>,
    /// The task: its place in `WorkloadKind::ALL`.
    pub(crate) kind: RwSignal<usize>,
    /// How many parts of the plan are set by hand.
    pub(crate) pinned: RwSignal<usize>,
    /// The parts that the worker writes.
    sheets: [Sheet; Name::COUNT],
    /// Other GPU types for it.
    pub(crate) comparison: Comparison,
    /// What the best GPU type is.
    pub(crate) order: RwSignal<Order>,
    /// Hours that a run may take, as typed.
    pub(crate) deadline: RwSignal<String>,
    /// Dollars that a run may cost, as typed.
    pub(crate) budget: RwSignal<String>,
    /// Whether all GPU types are shown.
    pub(crate) all_gpus: RwSignal<bool>,
    /// Why the address could not be read.
    pub(crate) bad_link: RwSignal<Option<InputError>>,
    /// What the address says and its question has no use for.
    pub(crate) left_out: RwSignal<Vec<String>>,
    /// Whether the page is embedded in another.
    pub(crate) embedded: bool,
    /// Which steps of building the page are done.
    pub(crate) built: [RwSignal<bool>; STEPS],

    /// Whether its rest did not load.
    pub(crate) broken: RwSignal<bool>,
    /// The flags of a framework for the shown question; the last question's until they are written.
    pub(crate) flags: RwSignal<Option<Arc<Flags>>>,
    /// How they are shown.
    pub(crate) texts: Texts,
    /// The frameworks that run the shown question; `None` until they have been asked.
    pub(crate) serves: RwSignal<Option<Arc<Vec<String>>>>,
    /// Whether the worker could not be started, or stopped.
    pub(crate) no_worker: RwSignal<bool>,
    /// Sentences of the core with their Chinese, as far as the worker has said them.
    pub(crate) said: RwSignal<Vec<(String, String)>>,
    /// The recent questions, as the storage holds them.
    pub(crate) recent: RwSignal<String>,
    /// Which of the parts that fold are open.
    pub(crate) folds: Folds,
    /// The script in the paste box.
    pub(crate) pasted: RwSignal<String>,
    /// A sample of the data set, as pasted.
    pub(crate) sampled: RwSignal<String>,
    /// How long its examples are, or those of a file; `None` where there are none.
    pub(crate) sample: RwSignal<Option<Sample>>,
    /// What it asks, as the worker writes it; `None` while there is nothing to say.
    pub(crate) reading: RwSignal<Option<Arc<Value>>>,
}

/// The level of certainty that was last chosen; the usual one where none was.
fn own_level() -> u32 {
    let stored = browser::stored(SURE).and_then(|level| level.parse().ok());
    stored.filter(|level| LEVELS.contains(level)).unwrap_or(USUAL_LEVEL)
}

/// The form of a first visit, as sure as this browser was asked to be.
fn first_form() -> Form {
    let mut form = first_preset();
    form.be_sure(own_level());
    form
}

fn first_preset() -> Form {
    let all = presets::presets();
    let first = all.iter().find(|preset| preset.id.starts_with(FIRST_PRESET)).or(all.first());
    first
        .and_then(Preset::question)
        .map(|question| Form::of(&question))
        .unwrap_or_default()
}

/// Answers a small question, for nothing but that the browser compiles what answers: it compiles a function as it is first
/// called, which takes as long as the first answer itself. Together they would be one long task.
fn prepare(form: &Form) {
    if let Ok(mut question) = form.question() {
        question.hardware.gpus = Some(1);
        let _ = shardwise_core::evaluate_alone(&question);
    }
}

/// The presets' questions as the part of an address after `#`. Made once, which takes as long as an answer.
pub(crate) fn preset_links() -> &'static [String] {
    static LINKS: OnceLock<Vec<String>> = OnceLock::new();
    LINKS.get_or_init(|| {
        let link = |preset: &Preset| preset.question().map(|question| permalink::to_hash(&question));
        let links = presets::presets().iter().map(link);
        links.map(Option::unwrap_or_default).collect()
    })
}

/// Answers the form; `None` while the worker looks for the plan.
fn answer(page: Page, form: &Form) -> Result<Option<Shown>, Vec<FieldError>> {
    let question = form.question()?;
    let Some(found) = choices::evaluate(page, &question) else {
        return Ok(None);
    };
    match found {
        Ok(found) => {
            let hash = permalink::to_hash(&question);
            // A preset is the same one under the factors of a run, and however sure it is to be.
            let plain = permalink::to_hash(&Question { calibration: None, confidence: None, ..question.clone() });
            let place = preset_links().iter().position(|link| *link == plain);
            let preset = place.and_then(|place| presets::presets().get(place));
            Ok(Some(Shown { question, found, hash, preset }))
        }
        Err(error) => {
            let mut error = FieldError::from(error);
            // A pasted file has a control of its own, whatever is in it.
            if error.field == Some(Field::Model) {
                if form.get(Field::ModelConfig).is_empty() {
                    error.problem = Problem::NoModel;
                } else {
                    error.field = Some(Field::ModelConfig);
                }
            }
            Err(vec![error])
        }
    }
}

/// The question without the factors of a run; `None` where it has none.
fn uncalibrated(question: &Question) -> Option<Question> {
    question
        .calibration
        .is_some()
        .then(|| Question { calibration: None, ..question.clone() })
}

/// Compares what was measured with the estimate of the shown question, without calibration; `None` where nothing was.
fn compare(page: Page, form: &Form, shown: &Shown) -> Option<Run> {
    let measured = form.measured();
    if matches!(measured, Ok(None)) {
        return None;
    }
    let plain = match uncalibrated(&shown.question) {
        Some(plain) => Some(choices::evaluate(page, &plain)?.ok()?),
        None => None,
    };
    let found = plain.as_ref().unwrap_or(&shown.found);
    let compared = measured.and_then(|measured| {
        calibration::compare(found, &measured.unwrap_or_default()).map_err(|error| {
            let path = format!("measured.{}", error.field);
            vec![FieldError::from(InputError::new(path, error.message))]
        })
    });
    Some(Run { job: found.job.clone(), compared })
}

/// Sets a signal, and wakes who reads it, where its value is new.
fn renew(signal: RwSignal<usize>, value: usize) {
    if signal.get_untracked() != value {
        signal.set(value);
    }
}

impl Page {
    /// The page as the address, the storage and the system ask for it, without a question.
    pub(crate) fn new() -> Self {
        let look = Look::new(|lang| lang.text().title);
        let embedded = browser::query("embed").is_some();
        let state = State {
            form: RwSignal::new(Form::default()),
            look,
            errors: RwSignal::new(Vec::new()),
            run: Mutex::new(None),
            naming: RwSignal::new(false),
            shown: RwSignal::new(None),
            kind: RwSignal::new(0),
            pinned: RwSignal::new(0),
            sheets: std::array::from_fn(|_| Sheet::new()),
            comparison: Comparison::new(),
            order: RwSignal::new(Order::default()),
            deadline: RwSignal::new(String::new()),
            budget: RwSignal::new(String::new()),
            all_gpus: RwSignal::new(false),
            bad_link: RwSignal::new(None),
            left_out: RwSignal::new(Vec::new()),
            embedded,
            built: std::array::from_fn(|_| RwSignal::new(false)),
            broken: RwSignal::new(false),
            flags: RwSignal::new(None),
            texts: Texts::new(),
            serves: RwSignal::new(None),
            no_worker: RwSignal::new(false),
            said: RwSignal::new(Vec::new()),
            recent: RwSignal::new(String::new()),
            folds: Folds::kept(embedded),
            pasted: RwSignal::new(String::new()),
            sampled: RwSignal::new(String::new()),
            sample: RwSignal::new(None),
            reading: RwSignal::new(None),
        };
        Self { lang: look.lang.get_untracked(), state: Box::leak(Box::new(state)) }
    }

    /// Asks the first question: the address's, or that of a first visit.
    pub(crate) fn begin(self) {
        let first = first_form();
        prepare(&first);
        self.form.set(first);
        browser::soon(move || {
            self.read_address();
            self.stand();
            self.retype();
            if !self.embedded {
                self.keep_aside();
            }
        });
    }

    /// Asks the question of a first visit where none has an answer. What the address asks and cannot be answered stays in
    /// the form, with what is wrong with it, beside that answer.
    fn stand(self) {
        if self.hash().is_some() || choices::are_awaited() {
            return;
        }
        // What stands inside another page was asked by it: no other question is answered in its place.
        if self.embedded && browser::hash().contains('=') {
            return;
        }
        let asked = self.form.get_untracked();
        let wrong = self.errors.with_untracked(|errors| !errors.is_empty());
        self.edit(|form| *form = first_form());
        if wrong {
            self.edit(|form| *form = asked);
        }
    }

    /// This page in another language.
    pub(crate) fn in_lang(self, lang: Lang) -> Self {
        Self { lang, ..self }
    }

    /// Words of the page's language.
    pub(crate) fn text(self) -> &'static Text {
        self.lang.text()
    }

    /// What is typed into a control.
    #[inline(never)]
    pub(crate) fn typed(self, field: Field) -> String {
        self.form.with(|form| form.get(field).to_owned())
    }

    /// The last valid question with its answer; `None` before there is one.
    #[inline(never)]
    pub(crate) fn answered(self) -> Option<Arc<Shown>> {
        self.shown.get()
    }

    /// What is wrong with the form.
    #[inline(never)]
    pub(crate) fn wrong(self) -> Vec<FieldError> {
        self.errors.get()
    }

    /// The GPU types, once all have been asked.
    #[inline(never)]
    pub(crate) fn market(self) -> Arc<Market> {
        self.comparison.market.get()
    }

    /// The last valid question with its answer, for what follows another signal that is set after it: so that one
    /// keystroke draws it once.
    #[inline(never)]
    pub(crate) fn standing(self) -> Option<Arc<Shown>> {
        self.shown.get_untracked()
    }

    /// A part that the worker writes.
    pub(crate) fn sheet(self, name: Name) -> Sheet {
        self.state.sheets[name as usize]
    }

    /// Puts the shown question aside as A: what is asked from now on is compared with it.
    pub(crate) fn put_aside(self) {
        let Some(hash) = self.hash() else { return };
        let state = self.sheet(Name::Compare).state;
        state.update(|state| drop(state.insert(PUT_ASIDE.to_owned(), hash.into())));
    }

    /// Keeps the question that was put aside for as long as the tab lives.
    fn keep_aside(self) {
        let state = self.sheet(Name::Compare).state;
        if let Some(hash) = browser::kept(KEPT_ASIDE) {
            state.update(|state| drop(state.insert(PUT_ASIDE.to_owned(), hash.into())));
        }
        follow(move || {
            let hash = state.with(|state| Some(state.get(PUT_ASIDE)?.as_str()?.to_owned()));
            browser::keep(KEPT_ASIDE, &hash.unwrap_or_default());
        });
    }

    /// The task.
    pub(crate) fn kind(self) -> WorkloadKind {
        let known = WorkloadKind::ALL.get(self.kind.get());
        *known.unwrap_or(&WorkloadKind::Grpo)
    }

    /// A sentence of the core in the page's language; in English until the worker has said it.
    #[inline(never)]
    pub(crate) fn say(self, english: &str) -> String {
        if self.lang == Lang::En {
            return english.to_owned();
        }
        let known = self.said.with(|said| {
            let found = said.iter().find(|(known, _)| known == english);
            found.map(|(_, chinese)| chinese.clone())
        });
        known.unwrap_or_else(|| {
            sayings::want(self, english);
            english.to_owned()
        })
    }

    /// The address of the page with the shown question.
    pub(crate) fn link(self) -> String {
        let hash = self.shown.with(|shown| shown.as_ref().map(|shown| shown.hash.clone()));
        // English is what a reader without a choice gets; another language travels along.
        let lang = match self.lang {
            Lang::En => "",
            Lang::Zh => "?lang=zh-CN",
        };
        format!("{}{lang}#{}", browser::address(), hash.unwrap_or_default())
    }

    /// Changes the form and answers at once.
    pub(crate) fn edit(self, edit: impl FnOnce(&mut Form)) {
        let mut edit = Some(edit);
        self.respond(&mut |form| {
            if let Some(edit) = edit.take() {
                edit(form);
            }
        });
    }

    /// Answers the form as it stands: what it waited for may be there.
    pub(crate) fn answer_again(self) {
        self.respond(&mut |_| {});
        self.stand();
    }

    /// Changes the form and answers at once: the part of [`Self::edit`] that is compiled once for all edits.
    #[inline(never)]
    fn respond(self, edit: &mut dyn FnMut(&mut Form)) {
        let mut answer = Err(Vec::new());
        self.form.update(|form| {
            let was = form.measured_text();
            edit(form);
            answer = self.answer(form, &was);
        });
        let (kind, pinned) = self.form.with_untracked(|form| {
            let kind = WorkloadKind::ALL.iter().position(|own| *own == form.kind());
            (kind.unwrap_or_default(), form.pinned())
        });
        renew(self.kind, kind);
        renew(self.pinned, pinned);
        DUE.take();
        match answer {
            // The last answer stands until the worker has found this one.
            Ok(None) => self.naming.set(false),
            Ok(Some(shown)) => {
                self.naming.set(false);
                self.show_soon(Arc::new(shown));
            }
            Err(mut errors) => {
                if self.naming.get_untracked() {
                    errors.retain(|error| error.field != Some(Field::Model));
                }
                self.errors.set(errors);
            }
        }
    }

    /// The name of the model is typed: if it is none, that is an error now.
    pub(crate) fn name_model(self) {
        if self.naming.get_untracked() {
            self.naming.set(false);
            self.answer_again();
        }
    }

    /// Shows an answer. Drawing one takes as long as finding it, so what takes the place of another has a task of its own.
    fn show_soon(self, shown: Arc<Shown>) {
        if self.hash().is_none() {
            return self.show(shown);
        }
        DUE.set(Some(shown));
        browser::soon(move || {
            if let Some(shown) = DUE.take() {
                self.show(shown);
            }
        });
    }

    fn show(self, shown: Arc<Shown>) {
        compute::start(self, Arc::clone(&shown));
        self.shown.set(Some(shown));
        if STEP_DUE.replace(false) {
            self.write_address(true);
        }
        if self.errors.with_untracked(|errors| !errors.is_empty()) {
            self.errors.set(Vec::new());
        }
        self.write_address_later();
    }

    /// Answers the form, and compares the run with the answer. Once its factors are in the question they belong to that
    /// run: they follow what is typed about it (it `was` something else), not what else is asked.
    fn answer(self, form: &mut Form, was: &str) -> Result<Option<Shown>, Vec<FieldError>> {
        let answered = answer(self, form);
        let on = form.calibration().is_some();
        let compared = self.run.lock().is_ok_and(|run| run.is_some());
        if on && compared && form.measured_text() == was {
            return answered;
        }
        let run = answered
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .and_then(|shown| compare(self, form, shown));
        let own = run.as_ref().and_then(|run| run.compared.as_ref().ok());
        let own = own.map(|own| own.calibration);
        if let Ok(mut place) = self.run.lock() {
            *place = run.map(Arc::new);
        }
        if on && own.is_some() {
            form.calibrate(own);
            return answer(self, form);
        }
        answered
    }

    /// A run of one's own beside the estimate of it, as the form has it.
    #[inline(never)]
    pub(crate) fn run(self) -> Option<Arc<Run>> {
        self.form.track();
        self.run.lock().ok()?.clone()
    }

    /// Puts the factors of the run into the question, or takes them out.
    pub(crate) fn apply_run(self, on: bool) {
        let run = self.run();
        let own = run.and_then(|run| Some(run.compared.as_ref().ok()?.calibration));
        self.change(|form| form.calibrate(own.filter(|_| on)));
    }

    /// Changes the form by what a person types, which takes the place of a link that could not be read.
    pub(crate) fn type_in(self, edit: impl FnOnce(&mut Form)) {
        self.forget_bad_link();
        self.edit(edit);
    }

    #[inline(never)]
    fn forget_bad_link(self) {
        if self.bad_link.with_untracked(Option::is_some) {
            self.bad_link.set(None);
        }
    }

    /// Changes the form by what a person chooses: Back undoes it.
    pub(crate) fn change(self, edit: impl FnOnce(&mut Form)) {
        // The address catches up before the step, else Back would skip what was typed last.
        self.write_address(false);
        self.type_in(edit);
        if choices::are_awaited() || DUE.with_borrow(Option::is_some) {
            STEP_DUE.set(true);
        } else {
            self.write_address(true);
        }
    }

    /// Changes the form to a whole question that takes the place of this one: Back undoes it.
    pub(crate) fn replace(self, edit: impl FnOnce(&mut Form)) {
        self.remember();
        self.change(edit);
    }

    /// Keeps the question among the recent ones. Presets are always there.
    #[inline(never)]
    fn remember(self) {
        let own = self.standing().filter(|shown| shown.preset.is_none());
        if let (false, Some(shown)) = (self.embedded, own) {
            // Another tab may have added some.
            let stored = browser::stored(RECENT).unwrap_or_default();
            let stored = recent::with(&stored, &browser::today(), &shown.hash);
            browser::store(RECENT, &stored);
            self.recent.set(stored);
        }
    }

    /// Chooses how sure a plan is to be, in per cent, and keeps the choice.
    pub(crate) fn choose_sure(self, level: u32) {
        if !self.embedded {
            browser::store(SURE, &level.to_string());
        }
        self.change(|form| form.be_sure(level));
    }

    /// The form of a first visit.
    pub(crate) fn reset(self) {
        self.replace(|form| *form = first_form());
    }

    fn read_address(self) {
        let hash = browser::hash();
        // Hashes without a value are places in the page.
        if !hash.contains('=') || Some(&hash) == self.hash().as_ref() {
            return;
        }
        match permalink::open(&hash) {
            Ok((question, left_out)) => {
                self.left_out.set(left_out);
                self.type_in(|form| {
                    form.load(&question);
                    if self.embedded {
                        // An element's attributes say as much as matters to its page: the rest is the usual.
                        form.choose_kind(form.kind());
                    }
                });
            }
            Err(error) => self.bad_link.set(Some(error)),
        }
    }

    fn hash(self) -> Option<String> {
        // What waits for a pause in typing may outlast the page.
        self.shown
            .try_with_untracked(|shown| shown.as_ref().map(|shown| shown.hash.clone()))?
    }

    #[inline(never)]
    fn write_address(self, as_step: bool) {
        let Some(hash) = self.hash() else { return };
        // A link that could not be read stays in the address until something is changed.
        if hash != browser::hash() && self.bad_link.with_untracked(Option::is_none) {
            // What is pressed in an embed is no step of the page around it.
            browser::set_hash(&hash, as_step && !self.embedded);
        }
    }

    fn write_address_later(self) {
        thread_local! {
            static PENDING: RefCell<Option<[Timeout; 2]>> = const { RefCell::new(None) };
        }
        let write = Box::new(move || self.write_address(false));
        let address = browser::after(ADDRESS_PAUSE_MS, write);
        // So late that the page is not busy until then.
        let recent = Timeout::new(RECENT_MS, move || self.remember());
        // Those before them are dropped, and with them what they would have done.
        PENDING.with(|pending| pending.replace(Some([address, recent])));
    }

    /// Hears where the address leads, and keeps what is typed when the page is left.
    pub(crate) fn follow_address(self) {
        browser::listen("hashchange", move |_| self.read_address());
        browser::listen("popstate", move |_| self.read_address());
        // A press may lead away: the address that Back comes to is the question as it stands.
        browser::listen("click", move |_| self.write_address(false));
        browser::listen("pagehide", move |_| {
            self.keep();
            self.remember();
        });
    }

    /// Keeps what is typed, valid or not, beside the question that the address holds.
    fn keep(self) {
        if let (false, Some(hash)) = (self.embedded, self.hash()) {
            let typed = self.form.with_untracked(Form::typed);
            browser::keep(KEPT_QUESTION, &hash);
            browser::keep(KEPT_FORM, &typed);
        }
    }

    /// Types again what was kept for the question of the address: Back from another page, a reload.
    fn retype(self) {
        let hash = browser::kept(KEPT_QUESTION).filter(|hash| *hash == browser::hash());
        if !self.embedded && hash.is_some() && hash == self.hash() {
            let typed = browser::kept(KEPT_FORM).unwrap_or_default();
            self.edit(|form| form.retype(&typed));
        }
    }
}
