//! Kinds of layers, and which layers attend to a window.

use std::sync::Mutex;

use serde_json::Value;

use super::keys::{Keys, POSITIONS};
use crate::error::InputError;
use crate::model::Shape;

/// Longest pattern kept, and how many different ones; a page that edits a pattern letter by letter
/// must not fill the memory.
const LONGEST: usize = 10_000;
const MOST: usize = 256;

/// Patterns met so far. A shape is copied freely and holds its pattern by reference.
static PATTERNS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// A shared copy of a pattern; none when too many or too long ones were asked for.
fn intern(pattern: &str) -> Option<&'static str> {
    if pattern.is_empty() {
        return Some("");
    }
    let mut known = PATTERNS.lock().ok()?;
    if let Some(found) = known.iter().find(|text| **text == pattern) {
        return Some(found);
    }
    if known.len() >= MOST || pattern.len() > LONGEST {
        return None;
    }
    let text: &'static str = Box::leak(pattern.to_owned().into_boxed_str());
    known.push(text);
    Some(text)
}

/// Interned, or the error that names `key`.
pub(super) fn pattern(text: &str, key: &str, keys: &Keys<'_>) -> Result<&'static str, InputError> {
    intern(text).ok_or_else(|| {
        keys.error(key, "describes too many different layer patterns. Reload the page, or leave the key out.")
    })
}

/// The shortest beginning that, repeated, gives the whole pattern.
fn period(pattern: &str) -> &str {
    let bytes = pattern.as_bytes();
    let repeats = |n: usize| {
        bytes
            .iter()
            .zip(bytes.iter().cycle().skip(n))
            .take(bytes.len() - n)
            .all(|(a, b)| a == b)
    };
    // A cut in the middle of the last repetition is fine: the pattern is repeated as far as needed.
    let n = (1..=bytes.len().min(64)).find(|n| bytes.iter().skip(*n).zip(bytes).all(|(a, b)| a == b) && repeats(*n));
    n.and_then(|n| pattern.get(..n)).unwrap_or(pattern)
}

/// `layer_types` of a config as a pattern: full, sliding, chunked or linear attention.
pub(super) fn of_types(keys: &Keys<'_>) -> Result<Option<&'static str>, InputError> {
    let Some(types) = keys.list("layer_types")? else {
        return Ok(None);
    };
    let mut text = String::with_capacity(types.len().min(LONGEST));
    for kind in types.iter().take(LONGEST + 1) {
        text.push(match kind {
            Value::String(word) => match word.as_str() {
                "full_attention" | "attention" => 'A',
                "sliding_attention" | "chunked_attention" => 'S',
                "linear_attention" => 'L',
                _ => return Err(kind_error(keys)),
            },
            _ => return Err(kind_error(keys)),
        });
    }
    pattern(period(&text), "layer_types", keys).map(|text| (!text.is_empty()).then_some(text))
}

fn kind_error(keys: &Keys<'_>) -> InputError {
    keys.error(
        "layer_types",
        "has a kind that is not modelled. Known are full_attention, sliding_attention, chunked_attention and linear_attention.",
    )
}

/// Sets the window of a model of unknown type, where its file lists the kind of each layer and knows only such: else all
/// layers count as attending to everything, which is the most they can do.
pub(super) fn known_windows(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    let known = |kind: &Value| {
        ["full_attention", "attention", "sliding_attention"]
            .iter()
            .any(|own| kind == own)
    };
    match keys.list("layer_types")? {
        Some(types) if types.iter().all(known) => windows(shape, keys, 0),
        _ => Ok(()),
    }
}

/// Sets window and pattern of a model whose layers may attend to a window.
///
/// `every` is how many layers one full one follows on, where the config does not list the kinds
/// (Gemma 2: 2, Gemma 3: 6); 0 where all layers are alike.
pub(super) fn windows(shape: &mut Shape, keys: &Keys<'_>, every: u64) -> Result<(), InputError> {
    let window = keys.count(&["sliding_window", "attention_chunk_size"], POSITIONS)?.unwrap_or(0);
    let used = keys.flag(&["use_sliding_window"])?.unwrap_or(true);
    let types = of_types(keys)?;
    let reaches = shape.max_position_embeddings > 0 && window >= shape.max_position_embeddings;
    if let Some(types) = types {
        shape.layer_pattern = types;
        shape.sliding_window = if types.contains('S') { window } else { 0 };
        if types.contains('S') && window == 0 {
            return Err(keys.missing("sliding_window", "layer_types has sliding layers, which need their window"));
        }
        if shape.layer_pattern == "A" {
            shape.layer_pattern = "";
        }
        return Ok(());
    }
    if window == 0 || !used || reaches {
        return Ok(());
    }
    shape.sliding_window = window;
    if every > 1 {
        let mut text = "S".repeat(usize::try_from(every - 1).unwrap_or(0).min(LONGEST));
        text.push('A');
        shape.layer_pattern = pattern(&text, "sliding_window_pattern", keys)?;
    }
    Ok(())
}
