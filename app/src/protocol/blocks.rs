//! What a sheet is made of: blocks of meaning. The worker writes them, the page has one component for each
//! (`view/blocks/`), so that the one knows no markup and the other no sheet.

use serde::{Deserialize, Serialize};
use shardwise_core::wire::FitState;

use crate::charts::backend::{Drawing, Ink};
pub(crate) use button::{Action, Button, Look};
pub(crate) use controls::{Alternative, Choice, Control, Takes};
pub(crate) use table::{Cell, Column, Row, Sort, Stands, Table, cell, column, row, runs, wide};

/// Names that travel as their place among those of their kind, which is a tenth to read.
macro_rules! small {
    ($(#[$meta:meta])* enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "u8", into = "u8")]
        pub(crate) enum $name { $($(#[$doc])* $variant,)* }

        impl From<$name> for u8 {
            fn from(name: $name) -> Self {
                name as Self
            }
        }

        impl From<u8> for $name {
            fn from(place: u8) -> Self {
                const ALL: &[$name] = &[$($name::$variant,)*];
                ALL.get(usize::from(place)).copied().unwrap_or(ALL[0])
            }
        }
    };
}

mod button;
mod controls;
mod table;

/// A part of a sheet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Block {
    /// Parts under a heading.
    Section(Section),
    /// A paragraph.
    Prose(Prose),
    /// A list.
    Entries(Entries),
    /// What the letters of a formula stand for.
    Terms(Vec<Term>),
    /// Rows and columns.
    Table(Table),
    /// A chart with its sentence, its legend and the same numbers as a table.
    Figure(Figure),
    /// Lines of code.
    Listing(Listing),
    /// What is folded away.
    Fold(Fold),
    /// How the sheet is shown.
    Controls(Vec<Control>),
    /// One of several values.
    Choice(Choice),
}

small! {
    /// How good something is.
    #[allow(missing_docs, reason = "each says it")]
    enum Tone {
        Plain,
        Info,
        Good,
        Warn,
        Bad,
    }
}

impl From<FitState> for Tone {
    fn from(state: FitState) -> Self {
        match state {
            FitState::Fits => Self::Good,
            FitState::Tight => Self::Warn,
            FitState::Unlikely | FitState::No => Self::Bad,
        }
    }
}

/// Words of a sentence, and what stands among them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Run {
    Words(String),
    /// What is to be seen first.
    Strong(String),
    /// What is there for whoever wants to know.
    Quiet(String),
    /// Code, a key, a path.
    Code(String),
    /// The letter of a quantity.
    Symbol(String),
    /// A word or two in a frame.
    Tag(Tone, String),
    Link {
        /// Where it leads.
        href: String,
        words: String,
    },
    Press(Button),
    /// A bar as long as a share of what it has.
    Bar {
        share: f64,
        /// The share that it may have.
        limit: Option<f64>,
        /// Whether it is too much.
        over: bool,
    },
}

/// A line of text.
pub(crate) type Line = Vec<Run>;

pub(crate) fn words(words: impl Into<String>) -> Run {
    Run::Words(words.into())
}

pub(crate) fn strong(words: impl Into<String>) -> Run {
    Run::Strong(words.into())
}

pub(crate) fn quiet(words: impl Into<String>) -> Run {
    Run::Quiet(words.into())
}

pub(crate) fn code(words: impl Into<String>) -> Run {
    Run::Code(words.into())
}

pub(crate) fn tag(tone: Tone, words: impl Into<String>) -> Run {
    Run::Tag(tone, words.into())
}

pub(crate) fn link(href: impl Into<String>, words: impl Into<String>) -> Run {
    Run::Link { href: href.into(), words: words.into() }
}

impl From<Button> for Run {
    fn from(button: Button) -> Self {
        Self::Press(button)
    }
}

small! {
    /// What a section is.
    enum Purpose {
        /// A part of the page by itself: two things beside each other.
        Comparison,
        /// Two things beside each other.
        Pair,
        /// Texts that differ.
        Texts,
        /// A text with its changes.
        Diff,
        /// What a verdict rests on.
        Basis,
        /// How a figure comes about.
        Explanation,
        /// What mends a plan.
        Remedy,
        /// Parts that are folded away.
        Folds,
        /// What belongs together.
        Group,
    }
}

/// Parts under a heading.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Section {
    /// Its name in the page; empty for none.
    pub(crate) id: String,
    pub(crate) purpose: Purpose,
    /// Its heading; empty for none.
    pub(crate) title: Line,
    /// What stands beside the heading.
    pub(crate) tools: Vec<Button>,
    /// Its parts.
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    /// A section without a heading.
    pub(crate) fn block(id: &str, purpose: Purpose, blocks: Vec<Block>) -> Block {
        Self::titled(id, purpose, Vec::new(), Vec::new(), blocks)
    }

    /// A section under a heading of nothing but words.
    pub(crate) fn headed(id: &str, purpose: Purpose, title: impl Into<String>, blocks: Vec<Block>) -> Block {
        Self::titled(id, purpose, vec![words(title)], Vec::new(), blocks)
    }

    /// A section under a heading, beside which `tools` stand.
    pub(crate) fn titled(id: &str, purpose: Purpose, title: Line, tools: Vec<Button>, blocks: Vec<Block>) -> Block {
        Block::Section(Self { id: id.to_owned(), purpose, title, tools, blocks })
    }
}

small! {
    /// What a paragraph is.
    enum Kind {
        Text,
        /// What is to be seen.
        Take,
        /// The same, said to whoever does not see it as often as it changes.
        Status,
        /// Units and the like.
        Note,
        /// What is not there, or why.
        Quiet,
        /// What is good to know.
        Hint,
        /// Whose text it is, and what became of it.
        Summary,
        /// What is asked, in a sentence.
        Asked,
        /// What stands in the way.
        Refusal,
        /// What has to be said first.
        Request,
        Formula,
        /// A formula with its numbers.
        Numbers,
        /// How far off it is, and what else is to be known.
        Error,
        Sources,
        /// What certainty costs.
        Certainty,
        /// What can be done.
        Actions,
        /// What copies a listing.
        Copies,
        /// The way out of a panel.
        Ways,
    }
}

/// A paragraph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Prose {
    /// Its name in the page; empty for none.
    pub(crate) id: String,
    pub(crate) kind: Kind,
    /// What it says.
    pub(crate) line: Line,
}

pub(crate) fn prose(kind: Kind, line: Line) -> Block {
    Block::Prose(Prose { id: String::new(), kind, line })
}

/// A paragraph of nothing but words.
pub(crate) fn said(kind: Kind, text: impl Into<String>) -> Block {
    prose(kind, vec![words(text)])
}

/// A paragraph with a name in the page.
pub(crate) fn named(id: &str, kind: Kind, line: Line) -> Block {
    Block::Prose(Prose { id: id.to_owned(), kind, line })
}

small! {
    /// What the entries of a list are.
    enum Listed {
        /// Advice: what it gains, what to do, what to press.
        Advice,
        /// Ways to reach something: what it takes, what to press.
        Ways,
        /// What is wrong or to be known: each with the icon of its tone.
        Findings,
        /// What something comes to: its name, whether it fits, how fast it is, what it costs.
        Verdicts,
        /// Changes in their order: what changes, and how it is told.
        Changes,
        /// Settings: each with what became of it.
        Settings,
        /// What is taken for granted: its name, its value, why.
        Assumptions,
        /// Published runs: what they measured and what is estimated, by how much that misses, what was run, what differs.
        Runs,
    }
}

/// A list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entries {
    pub(crate) listed: Listed,
    pub(crate) entries: Vec<Entry>,
}

/// An entry of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Its name in the page; empty for none.
    pub(crate) id: String,
    /// How good it is.
    pub(crate) tone: Tone,
    /// What it says, line by line; empty ones are left out.
    pub(crate) lines: Vec<Line>,
}

impl Entry {
    /// An entry of some lines.
    pub(crate) fn new(lines: impl Into<Vec<Line>>) -> Self {
        Self { id: String::new(), tone: Tone::Plain, lines: lines.into() }
    }
}

pub(crate) fn entries(listed: Listed, entries: impl IntoIterator<Item = Entry>) -> Block {
    Block::Entries(Entries { listed, entries: entries.into_iter().collect() })
}

/// What a letter of a formula stands for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Term {
    /// The letter, or a button that explains it.
    pub(crate) symbol: Run,
    pub(crate) meaning: String,
    /// Its value with its unit; empty for none.
    pub(crate) value: String,
}

small! {
    /// What a table is.
    enum Tabled {
        /// The numbers of a figure.
        Numbers,
        /// Plans, the best of them where there is little room.
        Plans,
        /// Plans, all of them.
        AllPlans,
        /// What changes are worth.
        Changes,
        /// Things beside each other.
        Beside,
        /// Settings beside each other: what goes, what comes.
        Settings,
        /// Runs beside what they may take.
        Runs,
        /// Layouts beside each other, each with what becomes of it.
        Layouts,
        /// Parts of several steps beside each other.
        Seconds,
    }
}

small! {
    /// What stands in a column.
    enum Holds {
        /// The names of the rows.
        Names,
        Words,
        /// Words that matter less.
        Details,
        /// Words that say by themselves what they are.
        Remarks,
        /// Figures.
        Numbers,
        /// The figures that count.
        Key,
        /// Figures with a bar below them.
        Shares,
        Bars,
        /// Buttons.
        Actions,
    }
}

/// What a colour or a line of a chart looks like.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Mark {
    Area(Ink),
    Point(Ink),
    Line(Ink),
    /// A line with its points.
    Curve(Ink, Ink),
}

/// A place of a drawing that says something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Target {
    /// Left and top.
    pub(crate) at: (i32, i32),
    /// Width and height.
    pub(crate) size: (i32, i32),
    /// What it says, line by line.
    pub(crate) lines: Vec<String>,
}

/// The targets of a drawing: its places in the order of drawing, and what each says.
pub(crate) fn targets(places: Vec<((i32, i32), (i32, i32))>, about: Vec<Vec<String>>) -> Vec<Target> {
    let all = places.into_iter().zip(about);
    all.map(|((at, size), lines)| Target { at, size, lines }).collect()
}

/// Several values of a control side by side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Switch {
    /// What it is called.
    pub(crate) name: String,
    pub(crate) places: Vec<Button>,
}

/// A chart with its sentence, its legend and the same numbers as a table. It can be saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// Its address; its heading and its sentence are named after it.
    pub(crate) id: String,
    /// Its heading.
    pub(crate) title: String,
    /// The figure of `shardwise_core::methods` that it shows; empty for none.
    pub(crate) how: String,
    /// What can be chosen beside the heading.
    pub(crate) switch: Option<Switch>,
    /// What is to be seen, in a sentence: the chart's name too.
    pub(crate) take: String,
    /// Units and the like.
    pub(crate) note: String,
    /// The chart, and what its marks say.
    pub(crate) plot: Option<(Drawing, Vec<Target>)>,
    /// Its colours and lines.
    pub(crate) legend: Vec<(Mark, String)>,
    /// Its numbers.
    pub(crate) table: Table,
}

small! {
    /// What a line of code is.
    enum Sign {
        Stays,
        /// A line that comes.
        Comes,
        /// A line that goes.
        Goes,
        /// A place in a file.
        Place,
    }
}

/// Lines of code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Listing {
    /// Its name in the page, by which it is copied and saved; empty for none.
    pub(crate) id: String,
    /// What it is called where it scrolls; empty where all of it is shown.
    pub(crate) name: String,
    /// Its lines, with their breaks.
    pub(crate) lines: Vec<(Sign, String)>,
}

pub(crate) fn listing(id: &str, name: &str, lines: Vec<(Sign, String)>) -> Block {
    Block::Listing(Listing { id: id.to_owned(), name: name.to_owned(), lines })
}

/// What is folded away.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fold {
    /// Its name in the page.
    pub(crate) id: String,
    pub(crate) title: String,
    /// How much of it, or what it comes to.
    pub(crate) aside: String,
    /// What is folded away.
    pub(crate) blocks: Vec<Block>,
}

pub(crate) fn fold(id: &str, title: impl Into<String>, aside: impl Into<String>, blocks: Vec<Block>) -> Block {
    Block::Fold(Fold { id: id.to_owned(), title: title.into(), aside: aside.into(), blocks })
}
