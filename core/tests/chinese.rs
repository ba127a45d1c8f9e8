//! The Chinese of what the core says: nothing is left in English, code stays as it is, and the reader understands it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod questions;
mod said;

use proptest::prelude::*;
use shardwise_core::chinese;
use shardwise_core::emit::{FRAMEWORKS, Language, Snippet};
use shardwise_core::wire::Question;
use shardwise_core::{estimate, flags};

use questions::{Asked, Plan, cases};
use said::said;

/// A text without its comments.
fn code(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with('#') {
            "#"
        } else {
            line.split("  # ").next().unwrap_or("")
        }
    });
    lines.collect()
}

/// What a text says: its comments, each alone.
fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let trimmed = line.trim_start();
        trimmed
            .strip_prefix("# ")
            .or_else(|| Some(line.split_once("  # ")?.1))
    })
}

fn in_chinese(snippet: &Snippet) {
    for (_, reason) in &snippet.reasons {
        said(reason);
    }
    if snippet.language == Language::Json {
        return;
    }
    for comment in comments(&snippet.text) {
        said(comment);
    }
    let text = chinese::text(&snippet.text, snippet.language);
    assert_eq!(code(&text), code(&snippet.text));
}

fn all(question: &Question) {
    match estimate(question) {
        Ok(answer) => {
            for caveat in &answer.caveats {
                said(&caveat.text);
            }
            for advice in &answer.advice {
                said(&advice.text);
            }
        }
        Err(error) => {
            said(&error.message);
        }
    }
    for framework in FRAMEWORKS {
        for version in framework.versions {
            match flags(
                question,
                framework,
                version,
                "https://shardwise.example/#v=1",
            ) {
                Ok(Ok(snippets)) => snippets.iter().for_each(in_chinese),
                Ok(Err(unsupported)) => {
                    said(&unsupported.message);
                }
                Err(error) => {
                    said(&error.message);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn random_questions(Asked(question) in questions::question(Plan::Partial)) {
        all(&question);
    }
}
