//! What a sheet is made of: blocks of meaning. The worker writes them, the page has one component for each
//! (`view/blocks/`), so that the one knows no markup and the other no sheet.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shardwise_core::Question;
use shardwise_core::permalink;
use shardwise_core::wire::FitState;

use crate::charts::backend::{Drawing, Ink};
use crate::form::Field;

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
    /// A button.
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

/// What a press does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Action {
    /// Asks the question of this link. Back undoes it.
    Ask(String),
    /// Types a value into the control of this path, as the form would. Back undoes it.
    Put {
        /// The control's path.
        field: String,
        value: String,
    },
    /// Keys of the sheet's state take these values.
    Set(Map<String, Value>),
    /// Takes a word into the pair of those that are compared, or out of it.
    Pair(String),
    /// Saves a file of this sheet, which the worker writes then.
    Save(String),
    /// Saves a listing as a file.
    SaveText {
        /// The file's name.
        file: String,
        /// The listing's.
        of: String,
    },
    /// Copies the listing of this name.
    Copy(String),
    /// Says how a figure of `shardwise_core::methods` comes about.
    How(String),
    /// Puts the panel away that the sheet stands in.
    Close,
}

impl Action {
    pub(crate) fn ask(question: &Question) -> Self {
        Self::Ask(permalink::to_hash(question))
    }

    /// Types a value into a control.
    pub(crate) fn put(field: Field, value: impl Into<String>) -> Self {
        Self::Put { field: field.path().to_owned(), value: value.into() }
    }

    /// A key of the sheet's state takes a value.
    pub(crate) fn set(key: &str, value: impl Into<Value>) -> Self {
        Self::Set(Map::from_iter([(key.to_owned(), value.into())]))
    }
}

small! {
    /// What a button looks like.
    enum Look {
        /// One of several things to do.
        Small,
        /// What is less likely to be wanted.
        Quiet,
        /// As large as the page's own.
        Large,
        /// The first thing to do.
        First,
        Pin,
        /// A place of a switch.
        Place,
        /// Words of a sentence, or the letter of a quantity.
        Link,
        /// The head of a column.
        Head,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Button {
    /// Its name in the page, by which the keyboard finds it again; empty for none.
    pub(crate) id: String,
    /// What it looks like.
    pub(crate) look: Look,
    /// An icon before its words; empty for none.
    pub(crate) icon: String,
    pub(crate) words: String,
    /// What else is said of it to whoever does not see where it stands; empty for nothing.
    pub(crate) about: String,
    /// Of what stays pressed: whether it is.
    pub(crate) pressed: Option<bool>,
    /// Of what opens something: whether it is open.
    pub(crate) expanded: Option<bool>,
    /// What a press does, in order.
    pub(crate) actions: Vec<Action>,
}

impl Button {
    /// A button with its words and what it does.
    pub(crate) fn new(look: Look, words: impl Into<String>, action: Action) -> Self {
        Self {
            id: String::new(),
            look,
            icon: String::new(),
            words: words.into(),
            about: String::new(),
            pressed: None,
            expanded: None,
            actions: vec![action],
        }
    }

    /// With a name in the page.
    pub(crate) fn called(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }

    pub(crate) fn icon(self, icon: &str) -> Self {
        Self { icon: icon.to_owned(), ..self }
    }

    /// With what is said to whoever does not see where it stands.
    pub(crate) fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// That stays pressed.
    pub(crate) fn pressed(self, pressed: bool) -> Self {
        Self { pressed: Some(pressed), ..self }
    }

    /// A button that shows all of a list, or less of it, by the key `all` of the sheet's state.
    pub(crate) fn all(id: &str, words: impl Into<String>, open: bool) -> Self {
        let button = Self::new(Look::Small, words, Action::set("all", !open)).called(id);
        Self { expanded: Some(open), ..button }
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
    /// What it is.
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
        /// Where it is from.
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
    /// What it is.
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
    /// What is in it.
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
    /// What it means.
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

/// The head of a column that sorts the rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sort {
    /// Whether the rows are sorted by it, and then whether the largest is first.
    pub(crate) falling: Option<bool>,
    /// What sorts them.
    pub(crate) button: Button,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Column {
    /// Its name; empty for none.
    pub(crate) name: String,
    /// What stands in it.
    pub(crate) holds: Holds,
    /// What sorts the rows by it.
    pub(crate) sort: Option<Sort>,
}

pub(crate) fn column(name: impl Into<String>, holds: Holds) -> Column {
    Column { name: name.into(), holds, sort: None }
}

small! {
    /// What a row is.
    enum Stands {
        /// As the others.
        Plain,
        /// The plan that is shown.
        Chosen,
        /// A plan that fits.
        Fits,
        /// A plan that does not.
        Unfit,
        Best,
        /// The question's own.
        Own,
        /// Out of the question.
        Off,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cell {
    /// What it says; nothing where nothing is known.
    pub(crate) line: Line,
    /// How many columns it takes.
    pub(crate) columns: u32,
    /// Whether it is better or worse than what it is compared with.
    pub(crate) tone: Tone,
}

/// A cell of some words; empty where there are none.
pub(crate) fn cell(text: impl Into<String>) -> Cell {
    let text = text.into();
    runs(if text.is_empty() { Vec::new() } else { vec![words(text)] })
}

pub(crate) fn runs(line: Line) -> Cell {
    Cell { line, columns: 1, tone: Tone::Plain }
}

/// A cell of several columns.
pub(crate) fn wide(columns: u32, run: Run) -> Cell {
    Cell { line: vec![run], columns, tone: Tone::Plain }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Its name in the page; empty for none.
    pub(crate) id: String,
    /// What it is.
    pub(crate) stands: Stands,
    /// Its cells, one for each column.
    pub(crate) cells: Vec<Cell>,
}

/// A row without a name in the page.
pub(crate) fn row(stands: Stands, cells: impl Into<Vec<Cell>>) -> Row {
    Row { id: String::new(), stands, cells: cells.into() }
}

/// Rows and columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Table {
    /// What it is called.
    pub(crate) name: String,
    /// What it is.
    pub(crate) tabled: Tabled,
    pub(crate) columns: Vec<Column>,
    /// Its rows in groups, each under its words, of which the first needs none.
    pub(crate) groups: Vec<(String, Vec<Row>)>,
}

impl Table {
    /// A table without groups.
    pub(crate) fn new(name: impl Into<String>, tabled: Tabled, columns: Vec<Column>, rows: Vec<Row>) -> Self {
        Self { name: name.into(), tabled, columns, groups: vec![(String::new(), rows)] }
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
        /// As it was.
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
    /// What is in it.
    pub(crate) title: String,
    /// How much of it, or what it comes to.
    pub(crate) aside: String,
    /// What is folded away.
    pub(crate) blocks: Vec<Block>,
}

pub(crate) fn fold(id: &str, title: impl Into<String>, aside: impl Into<String>, blocks: Vec<Block>) -> Block {
    Block::Fold(Fold { id: id.to_owned(), title: title.into(), aside: aside.into(), blocks })
}

/// A control of how a sheet is shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Control {
    /// The key of the sheet's state that it sets; its name in the page ends with it.
    pub(crate) key: String,
    /// What it is called.
    pub(crate) name: String,
    pub(crate) takes: Takes,
}

/// What a control takes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Takes {
    /// Words to look for.
    Words(String),
    Tick(bool),
    /// One of several keys, each with its words.
    One(String, Vec<(String, String)>),
    /// What only a person knows: what is typed, or one of some keys with their words; and what is said of it below, as an error
    /// where that is one.
    Given {
        /// As it was typed.
        value: String,
        /// What there is to choose from; nothing where it is typed.
        among: Vec<(String, String)>,
        /// What is wanted, or wrong with it.
        says: String,
        /// Whether it is wrong.
        wrong: bool,
    },
}

/// One of several values, which the page writes into the question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// What choosing does.
    pub(crate) note: String,
    /// What stands beside each value: two figures, and whether it fits.
    pub(crate) heads: [String; 3],
    pub(crate) values: Vec<Alternative>,
    /// A value of one's own: the words before it, and what its box is called.
    pub(crate) own: Option<[String; 2]>,
    /// What takes it.
    pub(crate) take: String,
    /// What leaves it open again.
    pub(crate) free: Option<Button>,
    /// Who chose it.
    pub(crate) state: String,
}

/// A value that can be chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Alternative {
    /// As a person types it.
    pub(crate) value: String,
    pub(crate) words: String,
    /// Whether it stands now.
    pub(crate) now: bool,
    /// What it gains or loses.
    pub(crate) figures: [String; 2],
    /// How well it fits.
    pub(crate) tone: Tone,
    /// The same in words.
    pub(crate) fits: String,
    /// Why a person would or would not; empty for nothing.
    pub(crate) why: String,
}
