//! A further language is a folder of `words/`, here one of the tests' own: nothing else has to know it.

use shardwise_core::emit::Syntax;
use shardwise_core::methods::{entry, explain};
use shardwise_core::presets::presets;
use shardwise_core::words::{self, Formula, Method, Template, Words};

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
fn explanations_take_what_words_a_language_has() {
    let throughput = entry("throughput").unwrap();
    let own = Formula::of(throughput, Some(esperanto()));
    assert_eq!((own.title, own.text), ("Trairo", "Ĵetonoj de paŝo dividitaj per tempo kaj kartoj."));
    assert_eq!(own.formula, throughput.formula);
    for (term, meaning) in throughput.terms.iter().zip(own.meanings) {
        assert_eq!(meaning, if term.symbol == "GPUs" { "ĉiuj kartoj" } else { term.meaning });
    }
    let mfu = entry("mfu").unwrap();
    let own = Formula::of(mfu, Some(esperanto()));
    assert_eq!((own.title, own.formula, own.text), (mfu.title, mfu.formula, mfu.text));

    let found = shardwise_core::evaluate_alone(&presets()[0].question().unwrap()).unwrap();
    let english = explain(&found, "mtok_per_hour").unwrap();
    let own = words::explanation(english.clone(), Some(esperanto()));
    assert_eq!((english.title.as_str(), own.title.as_str()), ("Million tokens per hour", "Milionoj da ĵetonoj hore"));
    assert_eq!((own.put_in, &own.terms[0].meaning), (english.put_in, &english.terms[0].meaning));
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
