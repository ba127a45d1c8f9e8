//! The state of the page: what is typed, what it asks, and the answer.

mod address;
pub(crate) mod asking;
pub(crate) mod folds;
mod goal;
pub(crate) mod sheet;
pub(crate) mod texts;

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use leptos::prelude::*;
use serde_json::Value;
use shardwise_core::hardware::OWN;
use shardwise_core::presets::{self, Preset};
use shardwise_core::sheet::Wrong;
use shardwise_core::wire::{MarketSpec, WorkloadKind};
use shardwise_core::{InputError, Question, permalink};

use crate::browser;
use crate::client::{estimates, sayings};
use crate::compute::{Comparison, Market};
use crate::fit::LEVELS;
use crate::follow::follow;
use crate::form::{Field, FieldError, Form, USUAL_LEVEL};
use crate::look::Look;
use crate::prices;
use crate::protocol::{Flags, Name};
use crate::recent;
use crate::sample::Sample;
use crate::text::{Lang, Text};
pub(crate) use asking::{Run, Shown};
use folds::Folds;
use sheet::Sheet;
use texts::Texts;

/// The question that was last shown, as the part of its address after `#`, for the site's other pages.
pub(crate) const KEPT_QUESTION: &str = "shardwise-question";

/// The recent questions.
pub(crate) const RECENT: &str = "shardwise-recent";

/// The price sheet of one's own.
const PRICES: &str = "shardwise-prices";

/// How sure a plan is to be, in per cent.
const SURE: &str = "shardwise-sure";

/// The question that was put aside.
const KEPT_ASIDE: &str = "shardwise-aside";

/// The key of it in the state of the comparison.
const PUT_ASIDE: &str = "a";

/// The preset that a first visit shows.
const FIRST_PRESET: &str = "verl";

/// Where a question that the page takes came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The page itself.
    Page,
    /// A published run.
    Run,
    Script,
}

worded! {
    /// The steps in which the page is built, in their order, so that none of them holds up what a person does meanwhile.
    enum Step {
        /// What the others stand in.
        Frame,
        /// The framework, and where a question can start from.
        Start,
        Model,
        /// The GPUs.
        Machine,
        Task,
        /// The answer in one line.
        Dock,
        /// The verdict: whether it fits.
        Verdict,
        /// Its figures and its plan, with which the page can be shown.
        Figures,
        /// What is folded in the form beside the GPUs.
        OwnMachine,
        /// What is folded beside the task.
        OwnTask,
        /// The plan by hand.
        OwnPlan,
        /// The engine that generates, by hand.
        OwnEngine,
        /// What opens from the verdict.
        Panels,
        /// What to do with the answer: the first part of the page's rest.
        Acting,
        /// The GPU types.
        Gpus,
        /// What is closed until it is asked for.
        Folds,
        /// What ends the page.
        Closing,
    }
}

impl Step {
    /// What is folded in the form: what there is to do while the first answer is awaited.
    const FOLDED: [Self; 4] = [Self::OwnMachine, Self::OwnTask, Self::OwnPlan, Self::OwnEngine];
}

worded! {
    /// What the best GPU type is, with the word of the address.
    #[derive(Default)]
    enum Order {
        #[default]
        Fastest = "time",
        /// The one with the fewest dollars per token.
        Cheapest = "cost",
        /// The cheapest whose run ends in time.
        Deadline = "deadline",
        /// The fastest whose run can be paid.
        Budget = "budget",
    }
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
    /// Language and colours that were chosen.
    pub(crate) look: Look,
    /// Other GPU types for it.
    pub(crate) comparison: Comparison,
    /// Whether the page is embedded in another.
    pub(crate) embedded: bool,
    /// How they are shown.
    pub(crate) texts: Texts,
    /// Which of the parts that fold are open.
    pub(crate) folds: Folds,
    /// The price sheet that this browser keeps.
    pub(crate) sheet_prices: RwSignal<Option<Arc<MarketSpec>>>,
    signals: Signals,
}

impl Deref for State {
    type Target = Signals;

    fn deref(&self) -> &Signals {
        &self.signals
    }
}

/// What begins empty.
#[derive(Default)]
pub(crate) struct Signals {
    /// What is typed.
    pub(crate) form: RwSignal<Form>,
    /// What is wrong with the form.
    pub(crate) errors: RwSignal<Vec<FieldError>>,
    /// A run of one's own beside the estimate of it.
    run: RwSignal<Option<Arc<Run>>>,
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
    /// Which steps of building the page are done.
    pub(crate) built: [RwSignal<bool>; Step::COUNT],
    /// Whether its rest did not load.
    pub(crate) broken: RwSignal<bool>,
    /// The flags of a framework for the shown question; the last question's until they are written.
    pub(crate) flags: RwSignal<Option<Arc<Flags>>>,
    /// The frameworks that run the shown question; `None` until they have been asked.
    pub(crate) serves: RwSignal<Option<Arc<Vec<String>>>>,
    /// Whether the worker could not be started, or stopped.
    pub(crate) no_worker: RwSignal<bool>,
    /// Sentences of the core with their Chinese, as far as the worker has said them.
    pub(crate) said: RwSignal<Vec<(String, String)>>,
    /// The recent questions, as the storage holds them.
    pub(crate) recent: RwSignal<String>,
    /// The script in the paste box.
    pub(crate) pasted: RwSignal<String>,
    /// A sample of the data set, as pasted.
    pub(crate) sampled: RwSignal<String>,
    /// How long its examples are, or those of a file; `None` where there are none.
    pub(crate) sample: RwSignal<Option<Sample>>,
    /// A price sheet as pasted, and what is wrong with the one that was read last.
    pub(crate) sheet_pasted: RwSignal<String>,
    pub(crate) sheet_wrong: RwSignal<Vec<Wrong>>,
    /// What it asks, as the worker writes it; `None` while there is nothing to say.
    pub(crate) reading: RwSignal<Option<Arc<Value>>>,
}

/// The level of certainty that was last chosen; the usual one where none was.
fn own_level() -> u32 {
    let stored = browser::stored(SURE).and_then(|level| level.parse().ok());
    stored.filter(|level| LEVELS.contains(level)).unwrap_or(USUAL_LEVEL)
}

/// One's own prices, which are asked by no other site's page.
fn kept_prices(embedded: bool) -> Option<Arc<MarketSpec>> {
    let stored = browser::stored(PRICES).filter(|_| !embedded)?;
    prices::read(&stored).map(Arc::new)
}

/// The form of a first visit, as sure as this browser was asked to be.
fn first_form() -> Form {
    let mut form = first_preset();
    form.rent();
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

thread_local! {
    /// The presets' questions, as far as they were made, as the part of an address after `#`.
    static LINKS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// How many of them are made in one task.
const LINKS_AT_ONCE: usize = 4;

/// Makes the next of them, as many as asked; whether there are more. All take as long as an answer.
fn link_presets(most: usize) -> bool {
    LINKS.with_borrow_mut(|links| {
        let left = presets::presets().iter().skip(links.len());
        let link = |preset: &Preset| preset.question().map(|question| permalink::to_hash(&question));
        links.extend(left.take(most).map(link).map(Option::unwrap_or_default));
        links.len() < presets::presets().len()
    })
}

/// Makes all of them, in tasks of their own.
pub(crate) fn link_presets_soon() {
    browser::soon(|| {
        if link_presets(LINKS_AT_ONCE) {
            link_presets_soon();
        }
    });
}

/// The preset with an address.
fn preset_at(hash: &str) -> Option<&'static Preset> {
    link_presets(usize::MAX);
    let place = LINKS.with_borrow(|links| links.iter().position(|link| link == hash))?;
    presets::presets().get(place)
}

impl Page {
    /// The page as the address, the storage and the system ask for it, without a question.
    pub(crate) fn new() -> Self {
        let look = Look::new(|lang| lang.text().title);
        let embedded = browser::query("embed").is_some();
        let state = State {
            look,
            comparison: Comparison::new(),
            embedded,
            texts: Texts::new(),
            folds: Folds::kept(embedded),
            sheet_prices: RwSignal::new(kept_prices(embedded)),
            signals: Signals::default(),
        };
        Self { lang: look.lang.get_untracked(), state: Box::leak(Box::new(state)) }
    }

    /// The next step of building the page; `None` once it is whole. What the answer fills waits for it as long as there is
    /// something else to do.
    pub(crate) fn next_step(self) -> Option<Step> {
        let open = |step: &Step| !self.built[*step as usize].get_untracked();
        let next = Step::ALL.into_iter().find(open)?;
        let waits = next == Step::Dock && self.standing().is_none();
        let folded = Step::FOLDED.into_iter().find(open).filter(|_| waits);
        Some(folded.unwrap_or(next))
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
        self.state.signals.sheets[name as usize]
    }

    /// Puts the shown question aside as A: what is asked from now on is compared with it.
    pub(crate) fn put_aside(self) {
        let Some(hash) = self.standing().map(|shown| shown.hash.clone()) else { return };
        let state = self.sheet(Name::Compare).state;
        state.update(|state| drop(state.insert(PUT_ASIDE.to_owned(), hash.into())));
    }

    /// Whether there is such a question.
    pub(crate) fn has_aside(self) -> bool {
        let state = self.sheet(Name::Compare).state;
        state.with(|state| state.get(PUT_ASIDE).is_some_and(|hash| hash != ""))
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
            return self.lang.with_names(english);
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
        let hash = self.shown.with(|shown| shown.as_ref().map(|shown| self.with_goal(&shown.hash)));
        // English is what a reader without a choice gets; another language travels along.
        let lang = match self.lang {
            Lang::En => "",
            Lang::Zh => "?lang=zh-CN",
        };
        format!("{}{lang}#{}", browser::address(), hash.unwrap_or_default())
    }

    /// A run of one's own beside the estimate of it.
    #[inline(never)]
    pub(crate) fn run(self) -> Option<Arc<Run>> {
        self.run.get()
    }

    #[inline(never)]
    fn forget_bad_link(self) {
        if self.bad_link.with_untracked(Option::is_some) {
            self.bad_link.set(None);
        }
    }

    /// Keeps the question among the recent ones. Presets are always there.
    #[inline(never)]
    fn remember(self) {
        // What still waits for its answer is what a person left.
        let asked = estimates::awaited(|asked| asked.question().clone());
        let asked = asked.or_else(|| self.standing().map(|shown| shown.plain.clone()));
        let own = asked.filter(|question| asking::preset_of(question).is_none());
        if let (false, Some(question)) = (self.embedded, own) {
            // Another tab may have added some.
            let stored = browser::stored(RECENT).unwrap_or_default();
            let stored = recent::with(&stored, &browser::today(), &permalink::to_hash(&question));
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

    /// Keeps a price sheet in this browser and asks by it, or forgets the one that is kept.
    pub(crate) fn keep_prices(self, sheet: Option<MarketSpec>) {
        let stored = sheet.as_ref().map(prices::write);
        browser::store(PRICES, &stored.unwrap_or_default());
        self.sheet_prices.set(sheet.map(Arc::new));
        self.edit(|form| {
            // A row that was chosen by its place may be another now.
            if form.get(Field::Offer).starts_with(OWN) {
                form.set(Field::Offer, "");
                form.rent();
            }
        });
    }

    /// Takes a whole question that the page wrote itself: one's own prices are no part of it. What a script asks, or a published run,
    /// is rented as the question before it.
    pub(crate) fn load(self, question: &Question, origin: Origin) {
        let kept = self.sheet_prices.get_untracked();
        let question = kept.map_or_else(|| question.clone(), |kept| prices::without(question, Some(&kept)));
        self.change(|form| {
            let before = form.clone();
            form.load(&question);
            match origin {
                Origin::Page => {}
                Origin::Run => {
                    form.rent_as(&before);
                }
                Origin::Script => form.rent_script_as(&before),
            }
        });
    }

    /// The form of a first visit.
    pub(crate) fn reset(self) {
        self.replace(|form| *form = first_form());
    }
}
