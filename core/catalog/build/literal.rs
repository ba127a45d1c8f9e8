//! Rows as Rust literals.

use std::fmt::{Arguments, Debug, Formatter, Write as _};

/// Columns of a row by their names.
macro_rules! columns {
    ($row:expr; $($column:ident),* $(,)?) => {
        [$((stringify!($column), &$row.$column as &dyn std::fmt::Debug)),*]
    };
}

pub(crate) use columns;

/// A value that is Rust already.
pub(crate) struct Rust(pub(crate) String);

impl Debug for Rust {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// `Name { column: value, … }`.
pub(crate) fn literal(name: &str, columns: &[(&str, &dyn Debug)]) -> String {
    let fields: Vec<String> = columns.iter().map(|(column, value)| format!("{column}: {value:?}")).collect();
    format!("{name} {{ {} }}", fields.join(", "))
}

/// A static table of the rows' literals.
pub(crate) fn table<R>(
    text: &mut String,
    name: &str,
    kind: &str,
    rows: &[(String, R)],
    literal: impl Fn(&R) -> String,
) {
    line(text, format_args!("static {name}: &[{kind}] = &["));
    for (_, row) in rows {
        line(text, format_args!("{},", literal(row)));
    }
    line(text, format_args!("];"));
}

/// One line more.
pub(crate) fn line(text: &mut String, arguments: Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{arguments}");
}

/// Where a figure comes from.
pub(crate) fn source(url: &str, date: &str) -> Rust {
    Rust(literal("Source", &[("url", &url), ("date", &date)]))
}
