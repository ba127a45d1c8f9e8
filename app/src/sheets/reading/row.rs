//! A run of one's own as the row of published runs that it becomes: what it still lacks, by field, and then the line to hand in.

use shardwise_core::catalog;

use super::super::words::{name, value as said_value, words_of};
use super::{list, word, word_at};
use crate::protocol::blocks::{Control, Sign, Takes, fold as fold_of, listing, words};
use crate::sheets::prelude::*;
use crate::text::{Said, your_run};

/// The listing of the line.
const LINE: &str = "your-run-line";

/// What a person gives: the key, its name, and what is wanted of it before anything is wrong.
type Asked = (&'static str, &'static Said, &'static Said);

/// Whether its script leaves open what it ran on, and nobody has said it yet.
pub(super) fn untold(run: &Value) -> bool {
    let open = list(&run["row"], "open");
    let wrong = list(&run["row"], "wrong");
    wrong.iter().any(|own| open.contains(&own[0]))
}

/// The fold; nothing of a log whose run is not known.
pub(super) fn fold(run: &Value, lang: Lang) -> Option<Block> {
    let row = run.get("row")?;
    let wrong = list(row, "wrong");
    let made = row.get("made").filter(|made| made.is_object());
    let mut blocks = vec![prose(
        Kind::Text,
        vec![
            words(lang.said(&your_run::LEAD)),
            words(" "),
            link(lang.said(&your_run::ADDRESS), lang.said(&your_run::MORE)),
        ],
    )];
    let fields = asked(row);
    blocks.push(Block::Controls(fields.iter().map(|own| control(own, row, lang)).collect()));
    let others: Vec<&Value> = wrong
        .iter()
        .filter(|own| fields.iter().all(|(key, ..)| *key != word_at(own, 0)))
        .collect();
    if !others.is_empty() {
        blocks.push(entries(
            Listed::Findings,
            others.into_iter().map(|own| {
                let what = format!("{}{}", name(word_at(own, 0), lang), lang.colon());
                let line = vec![words(what), words(words_of(word_at(own, 1), lang))];
                Entry { tone: Tone::Bad, ..Entry::new([line]) }
            }),
        ));
    }
    let unstated = list(row, "unstated");
    if !unstated.is_empty() {
        blocks.push(said(Kind::Hint, lang.said(&your_run::UNSTATED)));
        blocks.push(entries(
            Listed::Settings,
            unstated.iter().map(|own| {
                let (field, value) = (word_at(own, 0), word_at(own, 1));
                let setting = match value {
                    "" => name(field, lang),
                    _ => format!("{}{}{}", name(field, lang), lang.colon(), said_value(value, lang)),
                };
                Entry::new([vec![words(setting)], vec![words(words_of(word_at(own, 2), lang))]])
            }),
        ));
    }
    blocks.extend(made.into_iter().flat_map(|made| written(made, lang)));
    let aside = match (made, wrong.len()) {
        (Some(_), _) => lang.said(&your_run::READY).to_owned(),
        (None, count) => fill(lang.said(&your_run::LACKING), &[&format::grouped(count as u64)]),
    };
    Some(fold_of("your-run", lang.said(&your_run::TITLE), aside, blocks))
}

/// What is asked of this run.
fn asked(row: &Value) -> Vec<Asked> {
    let open = |key: &str| list(row, "open").iter().any(|own| own == key);
    let always = ["address", "date", "by", "note"];
    let wanted = |key: &str| match key {
        "model" => row["nameless"] == true,
        key => always.contains(&key) || open(key),
    };
    your_run::FIELDS
        .iter()
        .filter(|(key, ..)| wanted(key))
        .map(|(key, name, hint)| (*key, name, hint))
        .collect()
}

/// One of the fields, with what is wanted of it, or what is wrong with what was typed.
fn control((key, name, hint): &Asked, row: &Value, lang: Lang) -> Control {
    let value = word(&row["given"], key).to_owned();
    let told = list(row, "wrong")
        .iter()
        .find(|own| word_at(own, 0) == *key)
        .map(|own| word_at(own, 1));
    let wrong = told.is_some() && !value.trim().is_empty();
    let says = match told {
        Some(message) if wrong && !message.is_empty() => words_of(message, lang),
        _ => lang.said(hint).to_owned(),
    };
    let among = if *key == "gpu" {
        let all = catalog::gpus().iter().map(|gpu| (gpu.id.to_owned(), gpu.name.to_owned()));
        std::iter::once((String::new(), lang.said(&your_run::CHOOSE).to_owned()))
            .chain(all)
            .collect()
    } else {
        Vec::new()
    };
    Control {
        key: (*key).to_owned(),
        name: lang.said(name).to_owned(),
        takes: Takes::Given { value, among, says, wrong },
    }
}

/// The line, what it compares that the table of phases does not, and where it goes.
fn written(made: &Value, lang: Lang) -> Vec<Block> {
    let compared = list(made, "compared").iter().filter_map(Value::as_str);
    let compared = compared.map(|own| Entry { tone: Tone::Good, ..Entry::new([vec![words(words_of(own, lang))]]) });
    let line = format!("{}\n", word(made, "line"));
    let file = format!("{}.jsonl", word(made, "id"));
    let save = Button::new(Look::Small, lang.said(&your_run::SAVE), Action::SaveText { file, of: LINE.to_owned() });
    let copy = Button::new(Look::Small, "", Action::Copy(LINE.to_owned()));
    vec![
        entries(Listed::Findings, compared),
        listing(LINE, lang.said(&your_run::LINE), vec![(Sign::Stays, line)]),
        prose(Kind::Copies, vec![copy.into(), save.called("your-run-save").into()]),
        said(Kind::Quiet, fill(lang.said(&your_run::GOES), &[word(made, "file")])),
    ]
}
