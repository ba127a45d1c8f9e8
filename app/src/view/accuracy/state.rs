//! The state of the accuracy page: the files that it shows, and what is chosen.

use std::ops::Deref;

use shardwise_core::wire::Backend;

use crate::busy::Work;
use crate::look::Look;
use crate::runs::{By, Case, Column, Figure, GENERATION, Kind, Overview, Quantity, RUNS, Reader, Reading, Run, Runs};
use crate::text::{Accuracy as Text, Lang};
use crate::view::prelude::*;

/// The attribute of the root element that names the file of what is seen first.
pub(super) const OVERVIEW: &str = "data-overview";

/// How long a slice of reading takes, in milliseconds: on a phone several times as long.
pub(super) const SLICE_MS: f64 = 6.0;

/// A data file.
#[derive(Clone)]
pub(super) enum File<T> {
    /// On its way.
    Loading,
    /// It did not arrive.
    Missing,
    /// It arrived and is none.
    Unreadable,
    Read(Arc<T>),
}

impl<T> File<T> {
    pub(super) fn data(&self) -> Option<Arc<T>> {
        match self {
            Self::Read(data) => Some(Arc::clone(data)),
            _ => None,
        }
    }

    /// Why there is nothing to show, where that is so.
    pub(super) fn failure(&self, text: &Text) -> Option<&'static str> {
        match self {
            Self::Missing => Some(text.failed_load),
            Self::Unreadable => Some(text.failed_read),
            Self::Loading | Self::Read(_) => None,
        }
    }
}

/// The page in a language. A handle: copies are the same page.
#[derive(Clone, Copy)]
pub(super) struct Page {
    pub(super) lang: Lang,
    pub(super) state: &'static State,
}

impl Deref for Page {
    type Target = State;

    fn deref(&self) -> &State {
        self.state
    }
}

/// What is shown.
pub(super) struct State {
    pub(super) look: Look,
    pub(super) overview: RwSignal<File<Overview>>,
    /// Runs of training and of RL steps.
    pub(super) runs: RwSignal<File<Runs>>,
    /// Runs of engines: asked for when their tab is opened.
    pub(super) generation: RwSignal<Option<File<Runs>>>,
    /// How much of the page is built: it is built in steps.
    pub(super) built: RwSignal<usize>,
    /// How many of the parts that show runs have them: each gets them in a task of its own.
    pub(super) filled: RwSignal<usize>,
    pub(super) kind: RwSignal<Kind>,
    pub(super) by: RwSignal<By>,
    /// The group that was chosen.
    pub(super) group: RwSignal<Option<String>>,
    /// Column that sorts the table, and whether downwards.
    pub(super) sort: RwSignal<(Column, bool)>,
    /// Whether the table shows all its rows.
    pub(super) whole: RwSignal<bool>,
    /// The run that is pointed at, by its place in the file.
    pub(super) near: RwSignal<Option<usize>>,
}

/// The parts that show runs, in the order in which they get them.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Part {
    Chart,
    Misses,
    Choices,
    Table,
}

/// How many steps the page is built in after its first screen.
pub(super) const STEPS: usize = 4;

impl Page {
    pub(super) fn new() -> Self {
        let look = Look::new(|lang| lang.accuracy().title);
        let state = State {
            look,
            overview: RwSignal::new(File::Loading),
            runs: RwSignal::new(File::Loading),
            generation: RwSignal::new(None),
            built: RwSignal::new(0),
            filled: RwSignal::new(0),
            kind: RwSignal::default(),
            by: RwSignal::default(),
            group: RwSignal::default(),
            sort: RwSignal::new((Column::Error, true)),
            whole: RwSignal::new(false),
            near: RwSignal::default(),
        };
        let page = Self { lang: look.lang.get_untracked(), state: Box::leak(Box::new(state)) };
        page.read_address();
        follow(move || page.write_address());
        follow(move || {
            let wanted = page.built.get() >= STEPS && page.kind.get() == Kind::Generation;
            if wanted && page.generation.with_untracked(Option::is_none) {
                page.load_generation();
            }
        });
        browser::listen("hashchange", move |_| page.read_address());
        page
    }

    pub(super) fn text(self) -> &'static Text {
        self.lang.accuracy()
    }

    /// Asks for what is seen first; `then` is done when it is there, or known not to come.
    pub(super) fn load(self, then: impl FnOnce() + 'static) {
        self.overview.set(File::Loading);
        fetch(OVERVIEW, move |text| {
            let file = match text.as_deref().map(Overview::read) {
                None => File::Missing,
                Some(None) => File::Unreadable,
                Some(Some(overview)) => File::Read(Arc::new(overview)),
            };
            self.overview.set(file);
            then();
        });
    }

    /// Asks for the runs of training and of RL steps.
    pub(super) fn load_runs(self) {
        self.runs.set(File::Loading);
        fetch(RUNS, move |text| read(text, move |file| self.fill(move || self.runs.set(file))));
    }

    /// Asks for the runs of engines.
    pub(super) fn load_generation(self) {
        self.generation.set(Some(File::Loading));
        fetch(GENERATION, move |text| read(text, move |file| self.fill(move || self.generation.set(Some(file)))));
    }

    /// Gives runs that have come, or those of another tab, to the parts that show them, one after the other.
    pub(super) fn fill(self, have: impl FnOnce()) {
        self.filled.set(0);
        have();
        fn next(page: Page) {
            browser::soon(move || {
                page.filled.update(|filled| *filled += 1);
                if page.filled.get_untracked() <= Part::Table as usize {
                    next(page);
                }
            });
        }
        next(self);
    }

    /// The file of the runs that the tab shows.
    pub(super) fn file(self) -> File<Runs> {
        if self.kind.get() == Kind::Generation {
            return self.generation.get().unwrap_or(File::Loading);
        }
        self.runs.get()
    }

    /// The runs of the tab, once it is a part's turn to show them.
    pub(super) fn runs_of(self, part: Part) -> Option<Arc<Runs>> {
        let file = self.file();
        (self.filled.get() > part as usize).then(|| file.data()).flatten()
    }

    pub(super) fn overview(self) -> Option<Arc<Overview>> {
        self.overview.with(File::data)
    }

    /// The runs of the chosen group, or all, by their places in the file.
    pub(super) fn chosen(self, runs: &Runs) -> Vec<usize> {
        let group = self.group.get();
        let group = group.as_deref().map(|group| (self.by.get(), group));
        runs.shown(self.kind.get(), group)
    }

    /// Opens a tab.
    pub(super) fn show(self, kind: Kind) {
        if self.kind.get_untracked() == kind {
            return;
        }
        self.near.set(None);
        self.group.set(None);
        self.whole.set(false);
        self.by.set(By::Kind);
        self.fill(move || self.kind.set(kind));
    }

    /// Groups by another dimension.
    pub(super) fn group_by(self, by: By) {
        self.group.set(None);
        self.by.set(by);
    }

    /// Chooses a group, or all.
    pub(super) fn choose(self, group: Option<String>) {
        self.near.set(None);
        self.group.set(group);
    }

    /// What the address asks for, where it says so.
    pub(super) fn read_address(self) {
        let Some(asked) = browser::hash_values() else {
            return;
        };
        let kind = asked.get("kind").and_then(|word| Kind::of_word(&word));
        self.kind.set(kind.unwrap_or_default());
        let by = asked.get("by").and_then(|word| By::of_word(&word)).filter(|by| *by != By::All);
        self.by.set(by.unwrap_or_default());
        self.group.set(asked.get("group"));
        if let Some(column) = asked.get("sort").and_then(|word| Column::of_word(&word)) {
            self.sort.set((column, asked.get("order").as_deref() == Some("down")));
        }
    }

    /// Puts what is shown into the address, so that it can be linked and Back finds it again.
    pub(super) fn write_address(self) {
        let Some(asked) = browser::hash_values() else {
            return;
        };
        // What it says without a word is left out.
        let (kind, by, sort) = (self.kind.get(), self.by.get(), self.sort.get());
        let word = |word: &str, usual: bool| (!usual).then(|| word.to_owned());
        let usual = sort == (Column::Error, true);
        let values = [
            ("kind", word(kind.word(), kind == Kind::default())),
            ("by", word(by.word(), by == By::default())),
            ("group", self.group.get()),
            ("sort", word(sort.0.word(), usual)),
            ("order", word(if sort.1 { "down" } else { "up" }, usual)),
        ];
        for (name, value) in values {
            match value {
                Some(value) => asked.set(name, &value),
                None => asked.delete(name),
            }
        }
        // What it once said.
        asked.delete("case");
        let hash = String::from(asked.to_string());
        if hash != browser::hash() {
            browser::set_hash(&hash, false);
        }
    }

    /// A group's name, for a person.
    pub(super) fn group_label(self, by: By, name: &str) -> String {
        match by {
            By::Kind => super::strips::kind_name(self.text(), name),
            By::Gpu => words::gpu_label(name),
            By::Framework => framework(name),
            _ => name.to_owned(),
        }
    }

    /// The errors of all runs whose sources say all that matters, or of the others.
    pub(super) fn tier(self, overview: &Overview, name: &str, case: Case) -> Option<Figure> {
        overview.figure(self.kind.get(), By::All, name, case).cloned()
    }

    /// The unit of the quantity.
    pub(super) fn unit(self) -> &'static str {
        match self.kind.get() {
            Kind::Memory => "GiB",
            _ => self.text().unit_speed,
        }
    }

    /// A figure of the quantity.
    pub(super) fn figure(self, value: f64) -> String {
        match self.kind.get() {
            Kind::Memory => crate::format::gib(value),
            _ if value >= 100.0 => crate::format::fixed(value, 0),
            _ => crate::format::figure(value),
        }
    }

    /// A prediction's interval.
    pub(super) fn range(self, quantity: &Quantity) -> Option<String> {
        let (low, high) = quantity.low.zip(quantity.high)?;
        Some(format!("{} – {}", self.figure(low), self.figure(high)))
    }

    /// The share that an interval is meant to hold.
    pub(super) fn coverage(self) -> String {
        let coverage = self.overview().map(|overview| overview.coverage);
        coverage.map_or(String::new(), |coverage| crate::format::percent(coverage, 0))
    }

    /// The address that asks the calculator for a run.
    pub(super) fn question(self, link: &str) -> String {
        format!("{}#{link}", self.look.address_of("./"))
    }
}

/// Asks for a file that the root element names, and gives its text.
pub(super) fn fetch(named: &'static str, then: impl FnOnce(Option<String>) + 'static) {
    let busy = Work::begin();
    leptos::task::spawn_local(async move {
        let text = match browser::root_says(named) {
            Some(address) => browser::file(&address).await,
            None => None,
        };
        // What it shows is a task of its own.
        browser::soon(move || then(text));
        drop(busy);
    });
}

/// Reads a file of runs in slices.
pub(super) fn read(text: Option<String>, then: impl FnOnce(File<Runs>) + 'static) {
    pub(super) fn slice(reader: Reader, then: Box<dyn FnOnce(File<Runs>)>) {
        let end = browser::now_ms() + SLICE_MS;
        match reader.read(|| browser::now_ms() < end) {
            Reading::More(reader) => browser::soon(move || slice(reader, then)),
            Reading::Done(runs) => browser::soon(move || then(File::Read(Arc::new(runs)))),
            Reading::Bad => then(File::Unreadable),
        }
    }
    match text {
        Some(text) => slice(Reader::new(text), Box::new(then)),
        None => then(File::Missing),
    }
}

pub(super) fn framework(id: &str) -> String {
    Backend::of(id).map_or_else(|| id.to_owned(), |own| own.name().to_owned())
}

/// An error or a share, as the page writes them.
pub(super) fn share(value: Option<f64>) -> String {
    match value {
        Some(value) if value.abs() < 0.0995 => crate::format::percent(value, 1),
        Some(value) => crate::format::percent(value, 0),
        None => "–".to_owned(),
    }
}

/// An error with its sign.
pub(super) fn signed(error: f64) -> String {
    let words = share(Some(error));
    if error > 0.0 { format!("+{words}") } else { words }
}

/// A run in a few words.
pub(super) fn short(run: &Run) -> String {
    let gpus = crate::format::grouped(run.gpus.into());
    format!("{} · {gpus} × {}", run.model, words::gpu_label(&run.gpu))
}

/// What else a run was.
pub(super) fn details(run: &Run) -> String {
    format!("{} · {} · {}", framework(&run.framework), run.precision, run.group)
}
