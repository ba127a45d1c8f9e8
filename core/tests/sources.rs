//! `data/sources.toml`: every place that runs and prices are from, with the licence that its owner states.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Sources {
    source: Vec<Source>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    /// Host, of GitHub and Hugging Face with the repository.
    at: String,
    /// What a table calls it that names no owner.
    named: Option<String>,
    files: BTreeSet<String>,
    license: String,
    license_source: Option<String>,
    date: String,
}

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The place that an address is at.
fn place(address: &str) -> String {
    let rest = address
        .strip_prefix("https://")
        .unwrap_or_else(|| panic!("no address: {address}"));
    assert!(!address.contains(' '), "{address}");
    let mut parts = rest.split('/');
    let host = parts.next().unwrap().trim_start_matches("www.");
    let path: Vec<&str> = parts.collect();
    let (host, depth) = match host {
        "github.com" | "raw.githubusercontent.com" => ("github.com", 2),
        "huggingface.co" if path.first() == Some(&"datasets") => (host, 3),
        "huggingface.co" => (host, 2),
        _ => (host, 0),
    };
    [host]
        .into_iter()
        .chain(path.into_iter().take(depth))
        .collect::<Vec<_>>()
        .join("/")
}

/// The addresses in a text.
fn addresses(text: &str) -> impl Iterator<Item = String> {
    text.split(|sign: char| sign.is_whitespace() || matches!(sign, ',' | ';' | '(' | ')' | '"'))
        .filter(|word| word.starts_with("https://"))
        .map(|word| word.trim_end_matches(['.', ':']).to_owned())
}

/// The places of each file's rows.
fn used() -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut used = BTreeMap::<&str, BTreeSet<String>>::new();
    for file in ["training.jsonl", "held.jsonl", "out-of-memory.jsonl", "rl.jsonl"] {
        for line in text(&format!("tests/data/{file}")).lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            // Our own measurements lie beside the runs, without a licence but the project's.
            let address = row["source_url"].as_str().unwrap();
            if address != "core/tests/data/h200.jsonl" {
                used.entry(file).or_default().insert(place(address));
            }
        }
    }
    for file in ["serving.csv", "kernels.csv"] {
        let text = text(&format!("tests/data/{file}"));
        let head = text.lines().filter(|line| line.starts_with('#'));
        used.entry(file)
            .or_default()
            .extend(head.flat_map(addresses).map(|address| place(&address)));
    }
    // `# 4 GPUStack performance-lab: gpustack/gpustack`, `# 6 vLLM issue: vllm-project/vllm#4702`.
    let rollout = text("tests/data/rollout.csv");
    let numbered = |line: &str| {
        let (number, rest) = line.strip_prefix("# ")?.split_once(' ')?;
        number.parse::<u32>().ok()?;
        let (_, name) = rest.rsplit_once(": ")?;
        Some(name.split(['(', '#']).next()?.to_owned())
    };
    used.entry("rollout.csv")
        .or_default()
        .extend(rollout.lines().filter_map(numbered));
    let offers = text("catalog/data/offers.csv");
    let rows = offers.lines().filter(|line| !line.starts_with('#'));
    used.entry("offers.csv")
        .or_default()
        .extend(rows.flat_map(addresses).map(|address| place(&address)));
    for file in ["prices.toml", "nodes.toml"] {
        let table: toml::Table = toml::from_str(&text(&format!("catalog/data/{file}"))).unwrap();
        let entries = table.values().filter_map(toml::Value::as_array).flatten();
        let of = |entry: &toml::Value| {
            let keys = ["source", "price_source", "host_ram_source"];
            keys.map(|key| entry.get(key).and_then(toml::Value::as_str).map(place))
        };
        used.entry(file).or_default().extend(entries.flat_map(of).flatten());
    }
    used
}

#[test]
fn every_row_is_of_a_source_on_record() {
    let sources: Sources = toml::from_str(&text("tests/data/sources.toml")).unwrap();
    let used = used();
    assert_eq!(used.len(), 10);
    let mut missing = Vec::new();
    for (file, places) in &used {
        assert!(!places.is_empty(), "{file}");
        for place in places {
            let is = |own: &Source| {
                own.files.contains(*file)
                    && (own.at == *place
                        || own.at == format!("github.com/{place}")
                        || own.named.as_ref() == Some(place))
            };
            if !sources.source.iter().any(is) {
                missing.push(format!("{file}: {place}"));
            }
        }
    }
    assert!(missing.is_empty(), "not in core/tests/data/sources.toml:\n{}", missing.join("\n"));
    // And nothing stands there that no row is of.
    for own in &sources.source {
        for file in &own.files {
            let places = &used[file.as_str()];
            let short = own.at.trim_start_matches("github.com/");
            let named = own.named.as_deref().is_some_and(|named| places.contains(named));
            assert!(places.contains(&own.at) || places.contains(short) || named, "{}: no row of {file}", own.at);
        }
    }
}

#[test]
fn a_licence_is_stated_somewhere_or_said_not_to_be() {
    let sources: Sources = toml::from_str(&text("tests/data/sources.toml")).unwrap();
    let mut seen = BTreeSet::new();
    for own in &sources.source {
        assert!(seen.insert(own.at.clone()), "{} is there twice", own.at);
        assert_eq!(own.date.len(), 10, "{}", own.at);
        assert_eq!(own.license_source.is_none(), own.license == "not stated", "{}", own.at);
        if let Some(address) = &own.license_source {
            assert_eq!(place(address), own.at);
        }
    }
}
