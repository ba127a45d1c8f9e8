//! SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html>).

use std::io::{self, Write};

use serde_json::{Value, json};
use shardwise_core::interface::{Finding, RULES, Speak};
use shardwise_core::wire::Language;

use super::Run;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes one document with a result for each finding.
pub(super) fn write(runs: &[Run], lang: Language, out: &mut impl Write) -> io::Result<()> {
    let rules = RULES
        .iter()
        .map(|(id, says)| json!({"id": id, "shortDescription": {"text": lang.sentence(says)}}));
    let rules: Vec<Value> = rules.collect();
    let results = runs
        .iter()
        .flat_map(|run| run.checked.findings.iter().map(|one| result(run, one)));
    let results: Vec<Value> = results.collect();
    let driver = json!({
        "name": "shardwise",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    });
    writeln!(out, "{document:#}")
}

fn result(run: &Run, one: &Finding) -> Value {
    let place = RULES.iter().position(|(id, _)| *id == one.rule);
    json!({
        "ruleId": one.rule,
        "ruleIndex": place,
        // The levels have SARIF's names.
        "level": one.level,
        "message": {"text": one.text},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(run.file_of(one))},
            "region": {"startLine": one.line.max(1)},
        }}],
    })
}

/// A path as a relative reference (RFC 3986, 4.2): what is not unreserved or a slash is percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte.into()),
            // On Windows.
            b'\\' => uri.push('/'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
