//! What the site tells agents (`public/llms.txt`) is so: its example is answered, its link is the example's, its fields are the
//! answer's, and its pages are there.

use serde_json::Value;
use shardwise_core::{estimate, permalink, wire};

const TEXT: &str = include_str!("../../public/llms.txt");

fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(begin).unwrap_or_else(|| panic!("no {begin}"));
    rest.split_once(end).map_or(rest, |(inner, _)| inner)
}

#[test]
fn its_example_is_answered_by_the_fields_that_it_names() {
    let question = wire::parse_question(between(TEXT, "```json\n", "```")).unwrap();
    let answer = serde_json::to_value(estimate(&question).unwrap()).unwrap();
    let reading = between(TEXT, "## Read the answer", "## Pages");
    let named = reading.split('`').skip(1).step_by(2);
    let fields: Vec<&str> = named
        .filter(|word| word.chars().all(|char| char.is_ascii_lowercase() || "._".contains(char)))
        .collect();
    assert!(fields.len() > 10, "{fields:?}");
    for field in fields {
        // What the question may say, and does not here.
        let pointer = format!("/{}", field.replace('.', "/"));
        assert!(field == "confidence" || answer.pointer(&pointer).is_some_and(|own| *own != Value::Null), "{field}");
    }
    let link = between(reading, "`./#", "`");
    assert_eq!(permalink::from_hash(link), Ok(question));
}

#[test]
fn its_pages_are_the_sites() {
    const BUILD: &str = include_str!("../../scripts/finish-site.mjs");
    let pages = TEXT.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let mut found = 0;
    for page in pages {
        let there = match page {
            "./" | "accuracy/" => true,
            "THIRD-PARTY-LICENSES.txt" | "schema.json" => {
                BUILD.contains("LICENSES") && include_str!("../../public/schema.json").len() > 1000
            }
            folder => BUILD.contains(&format!("folder: '{}'", folder.trim_end_matches('/'))),
        };
        assert!(there, "{page}");
        found += 1;
    }
    assert!(found > 10);
}
