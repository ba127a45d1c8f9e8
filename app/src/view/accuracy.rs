//! The accuracy page: predicted against measured, for every published run.
//!
//! Its data are files of their own. The first is small and holds what is seen first; the runs one by one come once the page
//! stands. The page formats what the files hold and calculates no error itself.
#![expect(unreachable_pub, reason = "the macro makes every component public")]

mod chart;
mod lead;
mod method;
mod misses;
mod reliability;
mod strips;
mod table;
mod tabs;

use std::ops::Deref;
use std::sync::Arc;

use leptos::either::Either;
use leptos::prelude::*;

use super::footer::Footer;
use super::header::{Header, Place};
use super::icons::icon;
use crate::browser;
use crate::busy::Work;
use crate::follow::follow;
use crate::look::Look;
use crate::runs::{By, Case, Column, Figure, Kind, Overview, Quantity, Reader, Reading, Run, Runs};
use crate::text::{Accuracy as Text, Lang};
use crate::words;

/// The attributes of the root element that name the data files: what is seen first, the runs, the engines' runs.
const OVERVIEW: &str = "data-overview";
const RUNS: &str = "data-runs";
const GENERATION: &str = "data-generation";

/// How long a slice of reading takes, in milliseconds: on a phone several times as long.
const SLICE_MS: f64 = 6.0;

/// A data file.
enum File<T> {
    /// On its way.
    Loading,
    /// It did not arrive.
    Missing,
    /// It arrived and is none.
    Unreadable,
    /// Read.
    Read(Arc<T>),
}

impl<T> Clone for File<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Loading => Self::Loading,
            Self::Missing => Self::Missing,
            Self::Unreadable => Self::Unreadable,
            Self::Read(data) => Self::Read(Arc::clone(data)),
        }
    }
}

impl<T> File<T> {
    fn data(&self) -> Option<Arc<T>> {
        match self {
            Self::Read(data) => Some(Arc::clone(data)),
            _ => None,
        }
    }

    /// Why there is nothing to show, where that is so.
    fn failure(&self, text: &Text) -> Option<&'static str> {
        match self {
            Self::Missing => Some(text.failed_load),
            Self::Unreadable => Some(text.failed_read),
            Self::Loading | Self::Read(_) => None,
        }
    }
}

/// The page in a language. A handle: copies are the same page.
#[derive(Clone, Copy)]
struct Page {
    lang: Lang,
    state: &'static State,
}

impl Deref for Page {
    type Target = State;

    fn deref(&self) -> &State {
        self.state
    }
}

/// What is shown.
struct State {
    look: Look,
    overview: RwSignal<File<Overview>>,
    /// Runs of training and of RL steps.
    runs: RwSignal<File<Runs>>,
    /// Runs of engines: asked for when their tab is opened.
    generation: RwSignal<Option<File<Runs>>>,
    /// How much of the page is built: it is built in steps.
    built: RwSignal<usize>,
    /// How many of the parts that show runs have them: each gets them in a task of its own.
    filled: RwSignal<usize>,
    kind: RwSignal<Kind>,
    by: RwSignal<By>,
    /// The group that was chosen.
    group: RwSignal<Option<String>>,
    /// Column that sorts the table, and whether downwards.
    sort: RwSignal<(Column, bool)>,
    /// Whether the table shows all its rows.
    whole: RwSignal<bool>,
    /// The run that is pointed at, by its place in the file.
    near: RwSignal<Option<usize>>,
}

/// What runs can be grouped by, with the words of the address.
const DIMENSIONS: [(By, &str); 5] =
    [(By::Kind, "kind"), (By::Group, "source"), (By::Gpu, "gpu"), (By::Framework, "framework"), (By::Family, "family")];

/// The parts that show runs, in the order in which they get them.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Part {
    Chart,
    Misses,
    Table,
}

/// How many steps the page is built in after its first screen.
const STEPS: usize = 4;

impl Page {
    fn new() -> Self {
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

    fn text(self) -> &'static Text {
        self.lang.accuracy()
    }

    /// Asks for what is seen first; `then` is done when it is there, or known not to come.
    fn load(self, then: impl FnOnce() + 'static) {
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
    fn load_runs(self) {
        self.runs.set(File::Loading);
        fetch(RUNS, move |text| read(text, move |file| self.fill(move || self.runs.set(file))));
    }

    /// Asks for the runs of engines.
    fn load_generation(self) {
        self.generation.set(Some(File::Loading));
        fetch(GENERATION, move |text| read(text, move |file| self.fill(move || self.generation.set(Some(file)))));
    }

    /// Gives runs that have come, or those of another tab, to the parts that show them, one after the other.
    fn fill(self, have: impl FnOnce()) {
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
    fn file(self) -> File<Runs> {
        if self.kind.get() == Kind::Generation {
            return self.generation.get().unwrap_or(File::Loading);
        }
        self.runs.get()
    }

    /// The runs of the tab, once it is a part's turn to show them.
    fn runs_of(self, part: Part) -> Option<Arc<Runs>> {
        let file = self.file();
        (self.filled.get() > part as usize).then(|| file.data()).flatten()
    }

    fn overview(self) -> Option<Arc<Overview>> {
        self.overview.with(File::data)
    }

    /// The runs of the chosen group, or all, by their places in the file.
    fn chosen(self, runs: &Runs) -> Vec<usize> {
        let group = self.group.get();
        let group = group.as_deref().map(|group| (self.by.get(), group));
        runs.shown(self.kind.get(), group)
    }

    /// Opens a tab.
    fn show(self, kind: Kind) {
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
    fn group_by(self, by: By) {
        self.group.set(None);
        self.by.set(by);
    }

    /// Chooses a group, or all.
    fn choose(self, group: Option<String>) {
        self.near.set(None);
        self.group.set(group);
    }

    /// What the address asks for, where it says so.
    fn read_address(self) {
        let Some(asked) = browser::hash_values() else {
            return;
        };
        let says = |name: &str, word: &str| asked.get(name).is_some_and(|value| value == word);
        let kind = Kind::ALL.iter().find(|(_, word)| says("kind", word));
        self.kind.set(kind.map_or(Kind::Speed, |(kind, _)| *kind));
        let by = DIMENSIONS.iter().find(|(_, word)| says("by", word));
        self.by.set(by.map_or(By::Kind, |(by, _)| *by));
        self.group.set(asked.get("group"));
        if let Some((column, _)) = Column::ALL.iter().find(|(_, word)| says("sort", word)) {
            self.sort.set((*column, says("order", "down")));
        }
    }

    /// Puts what is shown into the address, so that it can be linked and Back finds it again.
    fn write_address(self) {
        let Some(asked) = browser::hash_values() else {
            return;
        };
        let word = |of: Option<&'static str>| of.map(str::to_owned);
        let kind = Kind::ALL
            .iter()
            .find(|(kind, _)| *kind == self.kind.get() && *kind != Kind::Speed);
        let by = DIMENSIONS.iter().find(|(by, _)| *by == self.by.get() && *by != By::Kind);
        let sort = self.sort.get();
        let column = Some(table::word_of(sort.0)).filter(|_| sort != (Column::Error, true));
        let values = [
            ("kind", word(kind.map(|(_, word)| *word))),
            ("by", word(by.map(|(_, word)| *word))),
            ("group", self.group.get()),
            ("sort", word(column)),
            ("order", word(column.and(Some(if sort.1 { "down" } else { "up" })))),
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
    fn group_label(self, by: By, name: &str) -> String {
        match by {
            By::Kind => strips::kind_name(self.text(), name),
            By::Gpu => words::gpu_label(name),
            By::Framework => framework(name),
            _ => name.to_owned(),
        }
    }

    /// The errors of all runs whose sources say all that matters, or of the others.
    fn tier(self, overview: &Overview, name: &str, case: Case) -> Option<Figure> {
        overview.figure(self.kind.get(), By::All, name, case).cloned()
    }

    /// The unit of the quantity.
    fn unit(self) -> &'static str {
        match self.kind.get() {
            Kind::Memory => "GiB",
            _ => self.text().unit_speed,
        }
    }

    /// A figure of the quantity.
    fn figure(self, value: f64) -> String {
        match self.kind.get() {
            Kind::Memory => crate::format::gib(value),
            _ if value >= 100.0 => crate::format::fixed(value, 0),
            _ => crate::format::figure(value),
        }
    }

    /// A prediction's interval.
    fn range(self, quantity: &Quantity) -> Option<String> {
        let (low, high) = quantity.low.zip(quantity.high)?;
        Some(format!("{} – {}", self.figure(low), self.figure(high)))
    }

    /// The share that an interval is meant to hold.
    fn coverage(self) -> String {
        let coverage = self.overview().map(|overview| overview.coverage);
        coverage.map_or(String::new(), |coverage| crate::format::percent(coverage, 0))
    }

    /// The address that asks the calculator for a run.
    fn question(self, link: &str) -> String {
        format!("{}#{link}", self.look.address_of("./"))
    }
}

/// Asks for a file that the root element names, and gives its text.
fn fetch(named: &'static str, then: impl FnOnce(Option<String>) + 'static) {
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
fn read(text: Option<String>, then: impl FnOnce(File<Runs>) + 'static) {
    fn slice(reader: Reader, then: Box<dyn FnOnce(File<Runs>)>) {
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

fn framework(id: &str) -> String {
    let known = [("megatron", "Megatron"), ("fsdp", "FSDP"), ("deepspeed", "DeepSpeed"), ("ddp", "DDP")];
    known
        .iter()
        .find(|(known, _)| *known == id)
        .map_or(id, |(_, name)| name)
        .to_owned()
}

/// An error or a share, as the page writes them.
fn share(value: Option<f64>) -> String {
    match value {
        Some(value) if value.abs() < 0.0995 => crate::format::percent(value, 1),
        Some(value) => crate::format::percent(value, 0),
        None => "–".to_owned(),
    }
}

/// An error with its sign.
fn signed(error: f64) -> String {
    let words = share(Some(error));
    if error > 0.0 { format!("+{words}") } else { words }
}

/// A run in a few words.
fn short(run: &Run) -> String {
    let gpus = crate::format::grouped(run.gpus.into());
    format!("{} · {gpus} × {}", run.model, words::gpu_label(&run.gpu))
}

/// What else a run was.
fn details(run: &Run) -> String {
    format!("{} · {} · {}", framework(&run.framework), run.precision, run.group)
}

/// Starts the page: what stood there until then stays until its first screen can be shown.
pub(crate) fn start() {
    browser::soon(|| leptos::mount::mount_to_body(whole));
}

/// The whole page.
pub(crate) fn whole() -> AnyView {
    let page = Page::new();
    page.load(move || {
        browser::soon(move || {
            browser::take_over();
            build(page);
        });
    });
    view(page)
}

/// Builds what is below the first screen, a task for each part; then come the runs.
fn build(page: Page) {
    browser::soon(move || {
        page.built.update(|built| *built += 1);
        if page.built.get_untracked() < STEPS {
            return build(page);
        }
        browser::ready();
        page.load_runs();
    });
}

fn view(page: Page) -> AnyView {
    browser::follow_keys();
    let whole = move || {
        let lang = page.look.lang.get();
        let view = view! { <Whole page=Page { lang, ..page }/> }.into_any();
        // Different sides, so that one language replaces the other as a whole.
        match lang {
            Lang::En => Either::Left(view),
            Lang::Zh => Either::Right(view),
        }
    };
    whole.into_any()
}

#[component]
fn Whole(page: Page) -> impl IntoView {
    let link = || {
        let hash = browser::hash();
        let mark = if hash.is_empty() { "" } else { "#" };
        format!("{}{mark}{hash}", browser::address())
    };
    let skip = move |event: web_sys::MouseEvent| {
        event.prevent_default();
        browser::jump("answer");
    };
    view! {
        <a class="skip" href="#answer" on:click=skip>{page.text().skip}</a>
        <Header look=page.look lang=page.lang here=Place::Accuracy link=Signal::derive(link)/>
        <main class="doc acc" id="answer">{move || body(page)}</main>
        <Footer look=page.look lang=page.lang/>
    }
}

/// Shows a part once it is its turn.
fn after(page: Page, step: usize, part: fn(Page) -> AnyView) -> impl IntoView {
    let turn = Memo::new(move |_| page.built.get() >= step);
    move || turn.get().then(|| part(page))
}

fn body(page: Page) -> AnyView {
    let failure = page.overview.with(|file| file.failure(page.text()));
    if let Some(why) = failure {
        return view! {
            <header class="doc-h">
                <p class="kicker">{page.lang.site().accuracy}</p>
                <h1>{page.lang.site().how_accurate}</h1>
            </header>
            <Failure page why again=move || page.load(move || page.load_runs())/>
        }
        .into_any();
    }
    if page.overview().is_none() {
        return view! { <p class="kicker" role="status">{page.text().loading}</p> }.into_any();
    }
    view! {
        <p class="kicker">{page.lang.site().accuracy}</p>
        <tabs::Tabs page/>
        // The style sheet lays its parts out as the page's own.
        <div class="panel" id="panel" role="tabpanel" aria-labelledby=move || tabs::id_of(page.kind.get())>
            <lead::Lead page/>
            <div class="acc-grid">
                <strips::Strips page/>
                {after(page, 1, chart::chart)}
            </div>
            {after(page, 2, misses::misses)}
            {after(page, 2, reliability::reliability)}
            {after(page, 3, table::table)}
            {after(page, 4, method::method)}
        </div>
    }
    .into_any()
}

/// Says that a file did not come, and asks for it again.
#[component]
fn Failure(page: Page, why: &'static str, again: impl Fn() + 'static) -> impl IntoView {
    let text = page.text();
    view! {
        <div class="callout callout-bad failed" role="alert">
            {icon("i-warn")}
            <p><b>{text.failed}</b>{why}</p>
            <button class="btn" type="button" id="retry" on:click=move |_| again()>{text.retry}</button>
        </div>
    }
}

/// A choice among a few: one button each.
#[component]
fn Segments<T: PartialEq + Copy + Send + Sync + 'static>(
    name: &'static str,
    choices: Vec<(T, &'static str)>,
    chosen: RwSignal<T>,
    choose: fn(Page, T),
    page: Page,
) -> impl IntoView {
    let buttons = choices.into_iter().map(move |(value, words)| {
        view! {
            <button
                class="seg-b"
                type="button"
                aria-pressed=move || (chosen.get() == value).to_string()
                on:click=move |_| choose(page, value)
            >
                {words}
            </button>
        }
    });
    view! { <div class="seg" role="group" aria-label=name>{buttons.collect_view()}</div> }
}

/// The way to a run's source by a name of it; the name alone where the file holds no address of the web.
#[component]
fn Source<'a>(page: Page, run: &'a Run, name: String) -> impl IntoView {
    match run.address() {
        None => view! { <span>{name}</span> }.into_any(),
        Some(address) => view! {
            <a href=address.to_owned() target="_blank" rel="noopener noreferrer">
                {name}<span class="vh">" "{page.text().new_tab}</span>
            </a>
        }
        .into_any(),
    }
}
