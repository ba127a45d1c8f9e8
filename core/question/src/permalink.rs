//! A question as the readable part of an address after `#`, and back.
//!
//! The question document, flattened: `v=1&d=2026.11&model=qwen3-8b&hardware.gpu=h100-sxm&…`.
//! Values are JSON scalars or arrays; a value that reads as no other JSON is a string. The end
//! mark `z=1` tells a whole link from one that was cut.
//!
//! Beside the question a link may say what is looked for on it, in the words of `shardwise search`: `by`, `within_hours` and
//! `within_usd`. They are no part of the question: whoever shows it reads them.

use serde_json::{Map, Value};

use crate::belonging;
use crate::wire::{Document, Question, question_from_value, to_value};
use shardwise_catalog::catalog;
use shardwise_catalog::error::InputError;

/// What the best offer is.
pub const BY: &str = "by";
/// Hours that the run may take.
pub const WITHIN_HOURS: &str = "within_hours";
/// Dollars that the run may cost.
pub const WITHIN_USD: &str = "within_usd";

/// Longest link that is read, in bytes.
const MAX_BYTES: usize = 64 << 10;
/// Deepest key that is read: `plan.critic.offload.parameters` has four parts.
const MAX_DEPTH: usize = 8;

/// The question as the part of an address after `#`.
///
/// ```
/// use shardwise_core::{permalink, wire};
/// let text = r#"{"version":1,"model":"qwen3-8b","hardware":{"gpu":"h100-sxm","gpus":8},
///   "workload":{"kind":"sft","sequence_length":4096,"global_batch":64}}"#;
/// let question = wire::parse_question(text).unwrap();
/// let hash = permalink::to_hash(&question);
/// assert!(hash.contains("&hardware.gpu=h100-sxm&hardware.gpus=8&"));
/// assert_eq!(permalink::from_hash(&hash).unwrap(), question);
/// ```
#[must_use]
pub fn to_hash(question: &Question) -> String {
    let mut hash = format!("v={}&d={}", question.version, catalog::VERSION);
    let document = to_value(question);
    for key in Question::KEYS.iter().filter(|key| **key != "version") {
        if let Some(value) = document.get(*key) {
            flatten(key, value, &mut hash);
        }
    }
    hash.push_str("&z=1");
    hash
}

/// A question's link with what is said beside the question, as `&key=value` pairs: before the end mark.
///
/// ```
/// use shardwise_core::permalink::beside;
/// assert_eq!(beside("v=1&model=qwen3-8b&z=1", "&by=cost"), "v=1&model=qwen3-8b&by=cost&z=1");
/// ```
#[must_use]
pub fn beside(hash: &str, pairs: &str) -> String {
    let (question, end) = hash.rfind("&z=").map_or((hash, ""), |at| hash.split_at(at));
    format!("{question}{pairs}{end}")
}

fn flatten(path: &str, value: &Value, hash: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let key = escape(key).replace('.', "%2E");
                flatten(&format!("{path}.{key}"), value, hash);
            }
        }
        Value::String(text) => {
            // A string that would read back as another value keeps its quotes.
            let ambiguous = scalar(text) != *value;
            let text = if ambiguous { value.to_string() } else { text.clone() };
            push(path, &text, hash);
        }
        other => push(path, &other.to_string(), hash),
    }
}

fn push(path: &str, text: &str, hash: &mut String) {
    hash.push('&');
    hash.push_str(path);
    hash.push('=');
    hash.push_str(&escape(text));
}

/// Percent-encodes everything but what an address shows as it is.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b':' | b',' | b'+' => {
                escaped.push(char::from(byte));
            }
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                escaped.push('%');
                escaped.push(char::from(HEX[usize::from(byte >> 4)]));
                escaped.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
    escaped
}

fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push((high * 16 + low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The value a text stands for.
fn scalar(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Reads a link's part after `#` (with or without it), as it is: [`open`] leaves out what the question has no use for.
///
/// # Errors
/// Names the field that is cut, unreadable or refused; `link` where the whole link is.
///
/// ```
/// use shardwise_core::permalink::from_hash;
/// let question = from_hash("#v=1&model=qwen3-8b&hardware.gpu=h100-sxm&workload.kind=sft&z=1").unwrap();
/// assert_eq!(question.model, "qwen3-8b");
/// assert_eq!(from_hash("#v=1&model=qwen3-8b&hardware.gpu=h100").unwrap_err().field, "hardware.gpu");
/// ```
pub fn from_hash(hash: &str) -> Result<Question, InputError> {
    let hash = hash.strip_prefix('#').unwrap_or(hash);
    if hash.len() > MAX_BYTES {
        return Err(InputError::new(
            "link",
            "The link is longer than 64 KiB. Ask for a new one, or paste the question.",
        ));
    }
    let mut root = Map::new();
    let mut whole = false;
    for pair in hash.split('&').filter(|pair| !pair.is_empty()) {
        let Some((key, text)) = pair.split_once('=') else {
            let key = unescape(pair).unwrap_or_else(|| "link".into());
            return Err(InputError::new(key, "The link is cut here. Copy the whole link again."));
        };
        match key {
            "v" => {
                root.insert("version".into(), scalar(text));
            }
            "d" | BY | WITHIN_HOURS | WITHIN_USD => {}
            "z" => whole = text == "1",
            _ => {
                let path: Option<Vec<String>> = key.split('.').map(unescape).collect();
                if key.is_empty() || key.starts_with('.') {
                    return Err(InputError::new("link", "A part of the link has no name. Copy the whole link again."));
                }
                let (Some(path), Some(text)) = (path, unescape(text)) else {
                    return Err(InputError::new(key, "This part of the link is damaged. Copy the whole link again."));
                };
                insert(&mut root, &path, scalar(&text)).ok_or_else(|| {
                    InputError::new(key, "This part of the link contradicts another. Copy the whole link again.")
                })?;
            }
        }
    }
    if !whole {
        let last = hash
            .rsplit('&')
            .next()
            .and_then(|pair| pair.split('=').next())
            .unwrap_or("link");
        return Err(InputError::new(
            if last.is_empty() { "link" } else { last },
            "The link ends here, before its end mark. Copy the whole link again.",
        ));
    }
    question_from_value(Value::Object(root))
}

/// Opens a link and leaves out the fields that such a question has no use for ([`crate::belonging`]), whose paths come
/// back beside it: links were made before those were refused. [`from_hash`] leaves out none.
///
/// # Errors
/// As [`from_hash`].
///
/// ```
/// let link = "v=1&model=qwen3-8b&hardware.gpu=h100-sxm&workload.kind=sft&plan.rollout.tensor_parallel=2&z=1";
/// let (question, left_out) = shardwise_core::permalink::open(link).unwrap();
/// assert_eq!((question.plan, left_out), (None, vec!["plan.rollout".to_owned()]));
/// ```
pub fn open(hash: &str) -> Result<(Question, Vec<String>), InputError> {
    let question = from_hash(hash)?;
    let mut document = to_value(&question);
    let left_out = belonging::strip(&mut document);
    if left_out.is_empty() {
        return Ok((question, left_out));
    }
    Ok((question_from_value(document)?, left_out))
}

fn insert(map: &mut Map<String, Value>, path: &[String], value: Value) -> Option<()> {
    let (first, rest) = path.split_first()?;
    if path.len() > MAX_DEPTH {
        return None;
    }
    if rest.is_empty() {
        return match map.insert(first.clone(), value) {
            None => Some(()),
            Some(_) => None,
        };
    }
    let below = map.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
    insert(below.as_object_mut()?, rest, value)
}

/// Version of the data a link was made with, where it says so: a page may warn that figures have
/// changed since.
///
/// ```
/// assert_eq!(shardwise_core::permalink::data_version("#v=1&d=2026.11&model=qwen3-8b&z=1"), Some("2026.11"));
/// ```
#[must_use]
pub fn data_version(hash: &str) -> Option<&str> {
    hash.trim_start_matches('#').split('&').find_map(|pair| pair.strip_prefix("d="))
}
