//! Rows of a table as text.

/// Rows of a table (RFC 4180), each with the line that it begins on: cells with `between` between them, quotes around those
/// that hold it or a line's end. Empty lines are no rows.
///
/// ```
/// let rows = shardwise_core::sheet::csv_rows("a,b\n\n\"x, y\",2\n", ',');
/// assert_eq!(rows[1], (3, vec!["x, y".to_owned(), "2".to_owned()]));
/// ```
#[must_use]
pub fn rows(text: &str, between: char) -> Vec<(usize, Vec<String>)> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let (mut line, mut begun) = (1, 1);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        line += usize::from(c == '\n');
        match (c, quoted) {
            ('"', true) if rest.peek() == Some(&'"') => cell.extend(rest.next()),
            ('"', _) => quoted = !quoted,
            (c, false) if c == between => row.push(std::mem::take(&mut cell)),
            ('\n', false) => {
                row.push(std::mem::take(&mut cell));
                rows.push((begun, std::mem::take(&mut row)));
                begun = line;
            }
            (c, _) => cell.push(c),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push((begun, row));
    }
    rows.retain(|(_, row): &(usize, Vec<String>)| row.iter().any(|cell| !cell.trim().is_empty()));
    rows
}
