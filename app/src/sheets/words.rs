//! Words of the question and sentences of the core, in the page's language.

use shardwise_core::words::unbroken;

use crate::form::Field;
use crate::format;
use crate::languages;
use crate::text::{Lang, fill};

/// What a field of the question is called, or the key of what is none.
pub(super) fn name(field: &str, lang: Lang) -> String {
    let above = || Field::of_path(field).map(|control| lang.label(control).to_owned());
    let named = lang.field(field).or_else(above);
    named.unwrap_or_else(|| lang.word(field.rsplit('.').next().unwrap_or(field)).to_owned())
}

/// A value of the calculator in the page's words.
pub(super) fn value(word: &str, lang: Lang) -> String {
    let (text, sheet) = (lang.text(), lang.sheets());
    match word {
        "true" => return text.yes.to_owned(),
        "false" | "off" => return text.no.to_owned(),
        _ => {}
    }
    if let Ok(number) = word.parse() {
        return format::grouped(number);
    }
    let (first, unit) = word.split_once(' ').unwrap_or((word, ""));
    match unit {
        "token" | "tokens" => fill(sheet.batch_tokens, &[first]),
        "sequence" | "sequences" => fill(sheet.batch_sequences, &[first]),
        _ => {
            let words = word.split(", ").map(|part| match part {
                "gradients" => lang.word("g"),
                "parameters" => lang.word("p"),
                "optimizer" => lang.word("o"),
                "activations" => lang.word("a"),
                other => lang.word(other),
            });
            let words: Vec<&str> = words.collect();
            words.join(lang.of([", ", "、"]))
        }
    }
}

/// A sentence of the core, in the page's language and with the form's words.
pub(crate) fn words_of(words: &str, lang: Lang) -> String {
    let said = languages::words(lang).and_then(|own| own.say(words));
    lang.with_names(&said.map_or_else(|| words.to_owned(), |said| unbroken(&said)))
}
