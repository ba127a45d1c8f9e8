//! Rows and columns.

use serde::{Deserialize, Serialize};

use super::{Button, Holds, Line, Run, Tabled, Tone, words};

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
