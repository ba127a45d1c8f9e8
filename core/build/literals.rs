//! The string literals of a Rust source, as far as they speak to a person: no comments, attributes or tests.

/// Every string literal outside comments, attributes and the tests at a file's end, escapes undone.
pub(crate) fn literals(source: &str) -> Vec<String> {
    let source = source
        .split_once("#[cfg(test)]\nmod tests")
        .map_or(source, |(before, _)| before);
    let mut found = Vec::new();
    let mut rest = source;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("#[") || rest.starts_with("#![") {
            attribute(rest)
        } else if c == '\'' {
            character(rest)
        } else if let Some((literal, taken)) = string(rest, before) {
            found.push(literal);
            taken
        } else {
            c.len_utf8()
        };
        before = c;
        rest = rest.get(taken..).unwrap_or_default();
    }
    found
}

/// Length of an attribute, brackets and strings inside it included.
fn attribute(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        if let Some((_, taken)) = string(text.get(at..).unwrap_or_default(), ' ') {
            at += taken;
            continue;
        }
        at += c.len_utf8();
        match c {
            '[' => depth += 1,
            ']' if depth <= 1 => return at,
            ']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of a character literal, or of the quote that begins a lifetime.
fn character(text: &str) -> usize {
    let mut inside = text.char_indices().skip(1);
    match inside.next() {
        Some((_, '\\')) => text.get(3..).and_then(|rest| rest.find('\'')).map_or(1, |end| end + 4),
        _ => match inside.next() {
            Some((end, '\'')) => end + 1,
            _ => 1,
        },
    }
}

/// A string literal at the beginning of the text, and its length.
fn string(text: &str, before: char) -> Option<(String, usize)> {
    if let Some(raw) = text.strip_prefix('r') {
        if before.is_alphanumeric() || before == '_' {
            return None;
        }
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let body = raw.get(hashes..)?.strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = body.find(&end)?;
        let taken = 1 + hashes + 1 + length + end.len();
        return Some((body.get(..length)?.to_owned(), taken));
    }
    let body = text.strip_prefix('"')?;
    let mut literal = String::new();
    let mut chars = body.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((literal, at + 2)),
            '\\' => match chars.next()?.1 {
                'n' => literal.push('\n'),
                't' => literal.push('\t'),
                '\n' => while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {},
                other => literal.push(other),
            },
            other => literal.push(other),
        }
    }
    None
}

/// A format string with every value as `{}`; values side by side are one.
pub(crate) fn template(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        out += before;
        if let Some(after) = from.strip_prefix("{{") {
            out.push('{');
            rest = after;
        } else if let Some(after) = from.strip_prefix("}}") {
            out.push('}');
            rest = after;
        } else {
            if !(before.is_empty() && out.ends_with("{}")) {
                out += "{}";
            }
            rest = from.find('}').map_or("", |end| from.get(end + 1..).unwrap_or_default());
        }
    }
    out + rest
}
