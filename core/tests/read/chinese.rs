//! Texts with Chinese comments are read as those with English ones.

use std::collections::BTreeSet;

use shardwise_core::read::read;
use shardwise_core::{flags, permalink};

use super::round_trip::{questions, read_back};
use super::sentences;
use crate::said::{chinese, said};

#[test]
fn a_text_with_chinese_comments_is_read_as_the_same_question() {
    let mut texts = 0;
    let mut all = BTreeSet::new();
    for asked in questions().iter().step_by(3) {
        let link = format!("https://shardwise.example/#{}", permalink::to_hash(asked));
        for framework in read_back() {
            let version = framework.versions[0];
            let Ok(snippets) = flags(asked, framework, version, &link).unwrap() else {
                continue;
            };
            let english: Vec<&str> = snippets.iter().map(|one| one.text.as_str()).collect();
            let chinese: Vec<String> = snippets.iter().map(|one| chinese().text(&one.text, one.language)).collect();
            let chinese: Vec<&str> = chinese.iter().map(String::as_str).collect();
            let (one, other) = (read(&english, None).unwrap(), read(&chinese, None).unwrap());
            all.extend(sentences(&one).into_iter().map(str::to_owned));
            assert_eq!(serde_json::to_value(&one).unwrap(), serde_json::to_value(&other).unwrap(), "{}", framework.id);
            texts += 1;
        }
    }
    all.iter().for_each(|sentence| _ = said(sentence));
    assert!(texts > 50, "{texts} texts");
}
