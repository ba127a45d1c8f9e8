//! A further language is a folder of `words/`, here one of the tests' own: nothing else has to know it.

use shardwise_core::emit::Syntax;
use shardwise_core::words::{self, Template, Words};

/// Compiled by `build.rs` from `tests/words/`, as those of the program are from `words/`.
static ALL: &[Words] = include!(concat!(env!("OUT_DIR"), "/words-of-tests.rs"));

fn esperanto() -> &'static Words {
    ALL.iter().find(|words| words.tag == "eo").unwrap()
}

#[test]
fn a_language_is_a_folder() {
    for (english, expected) in [
        ("This model has no experts. Give 1.", "Ĉi tiu modelo ne havas spertulojn. Donu 1."),
        ("32 heads do not split in 3. Give 2 or 4.", "En 3 partojn ne dividiĝas 32 kapoj. Donu 2 aŭ 4."),
        // Sentences side by side stay apart, and names stay names.
        (
            "This model has no experts. Give 1. Known here: rollout, tokens.",
            "Ĉi tiu modelo ne havas spertulojn. Donu 1. Ĉi tie konataj: rollout, tokens.",
        ),
    ] {
        assert_eq!(esperanto().say(english).as_deref(), Some(expected));
        assert_eq!(esperanto().left(english), 0, "{english}");
    }
    let text = "args=(\n  name=8  # from the plan\n)\n";
    assert_eq!(esperanto().text(text, Syntax::Shell), text.replace("from the plan", "laŭ la plano"));
}

#[test]
fn every_language_but_english_has_its_folder() {
    use shardwise_core::wire::Language;
    for language in Language::ALL {
        assert_eq!(words::of(language).is_none(), language == Language::En, "{language:?}");
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("words");
    let folders = std::fs::read_dir(folder)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(folders.count(), Language::ALL.len() - 1, "name the language in core/question/src/wire/language.rs");
}
