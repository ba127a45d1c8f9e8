//! The accuracy page: predicted against measured, for every published run.
//!
//! Its data is a file of its own, asked for when the page is opened. The page formats what the file
//! holds and calculates no error itself.

mod chart;
mod errors;
mod reliability;
mod summary;
mod table;

use std::ops::Deref;
use std::sync::Arc;

use leptos::either::Either;
use leptos::prelude::*;

use super::dom::{el, node, part, press, press_link};
use super::footer::Footer;
use super::header::{Header, Place};
use super::icons::icon;
use crate::browser;
use crate::busy::Work;
use crate::follow::follow;
use crate::look::Look;
use crate::runs::{By, Case, Column, Kind, Quantity, Runs};
use crate::text::{Accuracy as Text, Lang};
use crate::words;

/// The attribute of the root element that names the data file.
const FILE: &str = "data-runs";

/// The data file.
#[derive(Clone)]
enum File {
    /// On its way.
    Loading,
    /// It did not arrive.
    Missing,
    /// It arrived and is none.
    Unreadable,
    /// Read.
    Read(Arc<Runs>),
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
    file: RwSignal<File>,
    kind: RwSignal<Kind>,
    case: RwSignal<Case>,
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
const DIMENSIONS: [(By, &str); 4] =
    [(By::Group, "source"), (By::Gpu, "gpu"), (By::Framework, "framework"), (By::Family, "family")];

impl Page {
    fn new() -> Self {
        let look = Look::new(|lang| lang.accuracy().title);
        let state = State {
            look,
            file: RwSignal::new(File::Loading),
            kind: RwSignal::default(),
            case: RwSignal::default(),
            by: RwSignal::default(),
            group: RwSignal::default(),
            sort: RwSignal::new((Column::Date, true)),
            whole: RwSignal::new(false),
            near: RwSignal::default(),
        };
        let page = Self { lang: look.lang.get_untracked(), state: Box::leak(Box::new(state)) };
        page.read_address();
        follow(move || page.write_address());
        browser::listen("hashchange", move |_| page.read_address());
        page.load();
        page
    }

    fn text(self) -> &'static Text {
        self.lang.accuracy()
    }

    /// Asks for the data file.
    fn load(self) {
        self.file.set(File::Loading);
        let busy = Work::begin();
        leptos::task::spawn_local(async move {
            let text = match browser::root_says(FILE) {
                Some(address) => browser::file(&address).await,
                None => None,
            };
            let file = match text.as_deref().map(Runs::read) {
                None => File::Missing,
                Some(None) => File::Unreadable,
                Some(Some(runs)) => File::Read(Arc::new(runs)),
            };
            // To read it takes long, and so does what it shows: each in a task of its own.
            browser::soon(move || self.file.set(file));
            drop(busy);
        });
    }

    /// The data, once it is there.
    #[inline(never)]
    fn runs(self) -> Option<Arc<Runs>> {
        match self.file.get() {
            File::Read(runs) => Some(runs),
            _ => None,
        }
    }

    /// The runs of the chosen group, or all, by their places in the file.
    fn chosen(self, runs: &Runs) -> Vec<usize> {
        let group = self.group.get();
        let group = group.as_deref().map(|group| (self.by.get(), group));
        runs.shown(self.kind.get(), self.case.get(), group)
    }

    /// Shows another quantity or prediction.
    fn show(self, kind: Kind, case: Case) {
        self.near.set(None);
        self.kind.set(kind);
        self.case.set(case);
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
        self.kind.set(match says("kind", "memory") {
            true => Kind::Memory,
            false => Kind::Speed,
        });
        self.case.set(match says("case", "left_out") {
            true => Case::LeftOut,
            false => Case::Predicted,
        });
        let by = DIMENSIONS.iter().find(|(_, word)| says("by", word));
        self.by.set(by.map_or(By::Group, |(by, _)| *by));
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
        let (column, down) = self.sort.get();
        let by = self.by.get();
        let word = |of: Option<&'static str>| of.map(str::to_owned);
        let by = DIMENSIONS.iter().find(|(known, _)| *known == by && by != By::Group);
        let column = Column::ALL
            .iter()
            .find(|(known, _)| *known == column && (column, down) != (Column::Date, true));
        let values = [
            ("kind", word((self.kind.get() == Kind::Memory).then_some("memory"))),
            ("case", word((self.case.get() == Case::LeftOut).then_some("left_out"))),
            ("by", word(by.map(|(_, word)| *word))),
            ("group", self.group.get()),
            ("sort", word(column.map(|(_, word)| *word))),
            ("order", word(column.and(Some(if down { "down" } else { "up" })))),
        ];
        for (name, value) in values {
            match value {
                Some(value) => asked.set(name, &value),
                None => asked.delete(name),
            }
        }
        let hash = String::from(asked.to_string());
        if hash != browser::hash() {
            browser::set_hash(&hash, false);
        }
    }

    /// The group that was chosen, for a person.
    fn group_label(self) -> Option<String> {
        self.group.get().map(|name| group_label(self.by.get(), &name))
    }

    /// The errors that the headline tells, of a case.
    fn headline(self, runs: &Runs, case: Case) -> Option<crate::runs::Figure> {
        runs.figure(self.kind.get(), By::All, "headline", case).cloned()
    }

    /// The unit of the quantity.
    fn unit(self) -> &'static str {
        match self.kind.get() {
            Kind::Speed => self.text().unit_speed,
            Kind::Memory => "GiB",
        }
    }

    /// A figure of the quantity.
    fn figure(self, value: f64) -> String {
        match self.kind.get() {
            Kind::Speed if value >= 100.0 => crate::format::fixed(value, 0),
            Kind::Speed => crate::format::figure(value),
            Kind::Memory => crate::format::gib(value),
        }
    }

    /// A prediction's interval.
    fn range(self, quantity: &Quantity) -> Option<String> {
        let (low, high) = quantity.low.zip(quantity.high)?;
        Some(format!("{} – {}", self.figure(low), self.figure(high)))
    }

    /// The address that asks the calculator for a run.
    fn question(self, link: &str) -> String {
        format!("{}#{link}", self.look.address_of("./"))
    }
}

/// A group's name, for a person.
fn group_label(by: By, name: &str) -> String {
    match by {
        By::Gpu => words::gpu_label(name),
        By::Framework => framework(name),
        _ => name.to_owned(),
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

/// The whole page.
pub(crate) fn view() -> AnyView {
    browser::follow_keys();
    let page = Page::new();
    part(move || {
        let lang = page.look.lang.get();
        let view = full(Page { lang, ..page });
        // Different sides, so that one language replaces the other as a whole.
        match lang {
            Lang::En => Either::Left(view),
            Lang::Zh => Either::Right(view),
        }
    })
}

fn full(page: Page) -> AnyView {
    let link = || {
        let hash = browser::hash();
        let mark = if hash.is_empty() { "" } else { "#" };
        format!("{}{mark}{hash}", browser::address())
    };
    vec![
        node(
            el("A.skip|href=#answer")
                .on("click", press_link(|| browser::jump("answer")))
                .child(page.text().skip),
        ),
        view! { <Header look=page.look lang=page.lang here=Place::Accuracy link=Signal::derive(link)/> }.into_any(),
        node(el("MAIN.doc|id=answer").child(part(move || body(page)))),
        view! { <Footer look=page.look lang=page.lang/> }.into_any(),
    ]
    .into_any()
}

fn body(page: Page) -> AnyView {
    let text = page.text();
    let heading = |after: AnyView| {
        let kicker = el("P.kicker").child(page.lang.site().accuracy);
        let head = el("HEADER.doc-h")
            .child(kicker)
            .child(el("H1").child(page.lang.site().how_accurate));
        vec![node(head), after].into_any()
    };
    let failed = |why: &'static str| {
        let words = el("P").child(el("B").child(text.failed)).child(why);
        heading(
            el("DIV.callout callout-bad failed|role=alert")
                .child(icon("i-warn"))
                .child(words)
                .child(
                    el("BUTTON.btn|type=button|id=retry")
                        .on("click", press(move || page.load()))
                        .child(text.retry),
                )
                .into_any(),
        )
    };
    match page.file.get() {
        // A tag of its own: made into what follows, it would count as having moved.
        File::Loading => heading(
            el("SECTION.waiting")
                .child(el("P|role=status").child(text.loading))
                .child(el("I.wait-f"))
                .child(el("I.wait-c"))
                .into_any(),
        ),
        File::Missing => failed(text.failed_load),
        File::Unreadable => failed(text.failed_read),
        // Its parts follow what is chosen by themselves.
        File::Read(runs) => vec![
            node(summary::view(page)),
            node(
                el("DIV.acc-grid").child(chart::view(page)).child(
                    el("DIV.acc-side")
                        .child(errors::view(page))
                        .child(part(move || errors::misses(page))),
                ),
            ),
            node(reliability::view(page)),
            node(table::view(page)),
            node(summary::method(page, &runs)),
        ]
        .into_any(),
    }
}
