//! Values that are worked out of others, and texts with their backslashes and braces.

use super::value::{BEGINS, ENDS, Value};
use crate::read::value as numbers;

/// Longest text that is put together.
pub(super) const LONGEST: usize = 4096;

/// Two values with an operator between them: lists and texts side by side, whole numbers worked out.
pub(super) fn combined(one: Value, operator: &'static str, other: Value) -> Value {
    match (one, other) {
        (Value::List(mut items), Value::List(more)) if operator == "+" => {
            items.extend(more);
            Value::List(items)
        }
        (Value::Plain { text: a, open: None }, Value::Plain { text: b, open: None }) => {
            match (numbers::whole(&a), numbers::whole(&b)) {
                (Some(a), Some(b)) => worked_out(a, operator, b),
                _ if operator == "+" && a.len() + b.len() < LONGEST => Value::plain(a + &b),
                _ => Value::Open(String::new()),
            }
        }
        (one, other) if is_named(&one) || is_named(&other) => Value::Worked(Box::new((one, operator, other))),
        // A path with an unknown beginning still says which model it is; a number at its end is none.
        (one, Value::Plain { text, open: None })
            if matches!(operator, "+" | "/") && numbers::whole(&text).is_none() =>
        {
            let text = format!("/{}", text.trim_start_matches('/'));
            Value::Plain { text, open: Some(one.depends()) }
        }
        (Value::Plain { open: None, .. }, other) => Value::Open(other.depends()),
        (one, _) => Value::Open(one.depends()),
    }
}

/// Whether what a value is depends on names that may be known.
fn is_named(value: &Value) -> bool {
    match value {
        Value::Name(_) | Value::Worked(_) => true,
        Value::Plain { text, .. } => text.contains(BEGINS),
        _ => false,
    }
}

/// Whole numbers with an operator between them.
fn worked_out(a: i64, operator: &str, b: i64) -> Value {
    let power = u32::try_from(b).ok().filter(|power| *power < 64);
    let result = match operator {
        "*" => a.checked_mul(b),
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "//" => a.checked_div_euclid(b),
        "**" => power.and_then(|power| a.checked_pow(power)),
        _ => None,
    };
    result.map_or_else(|| Value::Open(String::new()), |number| Value::plain(number.to_string()))
}

/// A text without its backslashes.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            _ => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('\n') | None => {}
                Some(other @ ('\\' | '\'' | '"')) => out.push(other),
                Some(other) => out.extend(['\\', other]),
            },
        }
    }
    out
}

/// A text with values in braces: names among them marked, of what is none the first.
pub(super) fn filled(text: &str) -> (String, Option<String>) {
    let (mut out, mut open) = (String::with_capacity(text.len()), None);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix('{') {
            out.push('{');
            rest = after;
            continue;
        }
        let (inside, after) = after.split_once('}').unwrap_or((after, ""));
        let name: String = inside.trim().chars().take(64).collect();
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        if plain {
            out.extend([BEGINS]);
            out.push_str(&name);
            out.push(ENDS);
        } else {
            open = open.or(Some(name));
        }
        rest = after;
    }
    out.push_str(&rest.replace("}}", "}"));
    (out, open)
}
