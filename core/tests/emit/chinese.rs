//! Texts with Chinese comments.

use shardwise_core::emit::Syntax;

use super::examples::examples;
use super::{code, texts};
use crate::said::{chinese, said};

/// What a text says: each of its comments.
pub(super) fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let whole = line.trim_start().strip_prefix("# ");
        whole.or_else(|| Some(line.split_once("  # ")?.1))
    })
}

#[test]
fn every_comment_is_said_in_chinese_and_code_stays() {
    for (name, framework, found) in examples() {
        for snippet in texts(framework, &found, "").unwrap() {
            for (_, reason) in &snippet.reasons {
                said(reason);
            }
            let text = chinese().text(&snippet.text, snippet.language);
            assert_eq!(code(&text), code(&snippet.text), "{name}");
            if snippet.language == Syntax::Json {
                continue;
            }
            for (english, comment) in comments(&snippet.text).zip(comments(&text)) {
                assert_eq!(comment, said(english), "{name}");
            }
        }
    }
}
