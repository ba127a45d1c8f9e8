//! A Jupyter notebook: the Python of its cells, each line where the file has it
//! (<https://nbformat.readthedocs.io/en/latest/format_description.html>).

use std::borrow::Cow;

use serde_json::Value;

/// The program that the cells of a notebook are; nothing where a text is none.
pub(super) fn program(text: &str) -> Option<String> {
    let start = text.trim_start();
    if !start.starts_with('{') || !start.contains("\"cells\"") || !start.contains("\"cell_type\"") {
        return None;
    }
    let notebook: Value = serde_json::from_str(start).ok()?;
    let cells = notebook.get("cells")?.as_array()?;
    let mut code = Vec::new();
    for cell in cells
        .iter()
        .filter(|cell| cell.get("cell_type").is_some_and(|own| own == "code"))
    {
        match cell.get("source") {
            Some(Value::Array(lines)) => code.extend(lines.iter().filter_map(Value::as_str)),
            Some(Value::String(whole)) => code.extend(whole.split_inclusive('\n')),
            _ => {}
        }
        // A cell's last line ends with the cell.
        code.push("\n");
    }
    Some(placed(text, &code).unwrap_or_else(|| code.concat()))
}

/// Each line of code on the line of the file that holds it, as Jupyter writes one a line; nothing where another program did not.
fn placed(text: &str, code: &[&str]) -> Option<String> {
    let mut wanted = code.iter().filter(|line| **line != "\n").peekable();
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let held: Option<String> = wanted.peek().and_then(|_| {
            let own = line.trim().trim_end_matches(',');
            own.starts_with('"').then(|| serde_json::from_str(own).ok()).flatten()
        });
        if let Some(held) = held.filter(|held| wanted.peek().is_some_and(|next| **next == held)) {
            wanted.next();
            out.push_str(held.trim_end_matches('\n'));
        }
        out.push('\n');
    }
    wanted.peek().is_none().then_some(out)
}

/// Whether a line is a notebook's own: a magic or a command of the shell.
pub(super) fn is_magic(line: &str) -> bool {
    line.starts_with("%%") || line.starts_with('!') || (line.starts_with('%') && !line.starts_with("% "))
}

/// A program without what the notebook does beside it; its lines stay where they are.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| is_magic(line.trim_start())) {
        return Cow::Borrowed(text);
    }
    let kept = |line: &str| {
        let own = line.trim_start();
        if !is_magic(own) {
            return line.to_owned();
        }
        // A block of nothing but such lines is still a block.
        let blank = line.get(..line.len() - own.len()).unwrap_or_default();
        let end = if line.ends_with('\n') { "\n" } else { "" };
        format!("{blank}pass{end}")
    };
    Cow::Owned(text.split_inclusive('\n').map(kept).collect())
}

#[cfg(test)]
mod tests {
    use super::{is_magic, plain, program};

    #[test]
    fn cells_stay_on_their_lines() {
        let text = "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"source\": [\"# A\"]\n  },\n  {\n   \
                    \"cell_type\": \"code\",\n   \"source\": [\n    \"import os\\n\",\n    \"x = \\\"1\\\"\"\n   ]\n  }\n ]\n}\n";
        let code = program(text).unwrap_or_default();
        let lines: Vec<&str> = code.lines().collect();
        assert_eq!((lines.get(9), lines.get(10)), (Some(&"import os"), Some(&"x = \"1\"")));
        assert_eq!(lines.len(), text.lines().count());
    }

    #[test]
    fn a_notebook_on_one_line_is_its_cells() {
        let text = r#"{"cells": [{"cell_type": "code", "source": ["a = 1\n", "b = 2"]}, {"cell_type": "code", "source": "c = 3"}]}"#;
        assert_eq!(program(text).as_deref(), Some("a = 1\nb = 2\nc = 3\n"));
        assert_eq!(program(r#"{"cells": 1}"#), None);
        assert_eq!(program(r#"{"train_batch_size": 8}"#), None);
    }

    #[test]
    fn magics_are_left_out() {
        assert_eq!(plain("%%capture\nif a:\n    !pip install b\nc = 5 % 2\n"), "pass\nif a:\n    pass\nc = 5 % 2\n");
        assert_eq!(plain("a = 1\n"), "a = 1\n");
        assert!(is_magic("%matplotlib inline") && is_magic("!nvidia-smi") && !is_magic("% 2"));
    }
}
