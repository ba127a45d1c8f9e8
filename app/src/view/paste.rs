//! The paste box: a script in, what it asks, and what would help it.
//!
//! What is pasted is shown as text alone: no part of it ever becomes markup or an address.

use leptos::ev::Event;
use serde_json::{Map, Value};
use shardwise_core::wire::{Document, to_value};

use super::comfort::Close;
use super::flags::NoWorker;
use super::icons::Refusal;
use super::sheet;
use crate::follow::follow_at_rest;
use crate::form::Form;
use crate::page::sheet::State;
use crate::prices;
use crate::protocol::Task;
use crate::view::prelude::*;

/// Longest text that the core reads, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// How long the typing must rest before the text is read, in milliseconds.
const REST_MS: u32 = 250;

/// A file's name stands in a line of its own, as `tail` and `head` write it.
const NAME: [&str; 2] = ["==> ", " <=="];
/// Room for such a line.
const NAME_BYTES: usize = 512;

#[component]
pub(super) fn Paste(page: Page) -> impl IntoView {
    let text = page.text();
    let open = RwSignal::new(false);
    let given: State = RwSignal::new(Map::new());
    // A file that could not be taken.
    let left_out = RwSignal::new(None::<String>);
    // One of which there was room for the beginning alone.
    let begun = RwSignal::new(None::<String>);
    order(page, open, given);
    let toggled = move |event| {
        let opens = browser::opens(&event);
        open.set(opens);
        if opens {
            desk::open(page.no_worker);
        }
    };
    let clear = move |_| {
        page.pasted.set(String::new());
        left_out.set(None);
        begun.set(None);
        browser::focus("paste-t");
    };
    view! {
        <section class="pop pop-wide" id="paste" popover="auto" aria-labelledby="paste-h" on:toggle=toggled>
            <header>
                <h2 id="paste-h">{text.paste}</h2>
                <Close page of="paste"/>
            </header>
            <p class="muted" id="paste-hint">{text.paste_hint}</p>
            <label class="vh" for="paste-t">{text.paste_label}</label>
            <textarea
                class="paste-t"
                id="paste-t"
                rows="9"
                spellcheck="false"
                autocomplete="off"
                autocapitalize="off"
                autofocus
                aria-describedby="paste-hint"
                placeholder="python3 -m verl.trainer.main_ppo …"
                prop:value=move || page.pasted.get()
                on:input=move |event| page.pasted.set(event_target_value(&event))
                on:dragover=|event| event.prevent_default()
                on:drop=move |event| take_files(page, left_out, begun, &event)
            ></textarea>
            <div class="paste-tools">
                <label class="btn btn-s">
                    <input
                        class="vh"
                        type="file"
                        multiple
                        id="paste-files"
                        on:change=move |event| take_files(page, left_out, begun, &event)
                    />
                    {text.paste_files}
                </label>
                <span class="muted">{text.paste_drop}</span>
                <button
                    class="btn btn-s btn-q"
                    type="button"
                    prop:hidden=move || page.pasted.with(String::is_empty)
                    on:click=clear
                >
                    {text.paste_clear}
                </button>
            </div>
            <div class="outcome" aria-live="polite">
                {move || left_out.get().map(|name| view! { <Refusal words=fill(text.paste_file, &[&name])/> })}
                {move || begun.get().map(|name| view! { <p class="muted">{fill(text.paste_begun, &[&name])}</p> })}
                {move || outcome(page)}
                {sheet::show(
                    page,
                    "sheet-reading".to_owned(),
                    Box::new(move || read(page)),
                    given,
                )}
            </div>
        </section>
    }
}

/// Orders a reading, as often as the text, the question behind it or what is said of its run changes while the box is open.
fn order(page: Page, open: RwSignal<bool>, given: State) {
    follow_at_rest(REST_MS, move || {
        if !open.get() || page.pasted.with(|text| unread(text).is_some()) {
            return None;
        }
        let base = page.answered();
        let texts = page.pasted.with(|text| split(text));
        let given = given.get();
        let market = market(page);
        Some(Box::new(move || {
            let base = base.map_or(Value::Null, |shown| to_value(&shown.question));
            desk::order(page, Task::Read { texts, base, market, given }, |page, found| {
                page.reading.set(Some(found.into()));
            });
        }))
    });
}

/// Where the page rents a script that it takes over.
fn market(page: Page) -> Value {
    let mut market = page.form.with(Form::market);
    let sheet = page.sheet_prices.get();
    if let (Some(market), Some(sheet)) = (&mut market, sheet) {
        prices::join(market, &sheet);
    }
    market.map_or(Value::Null, |market| Value::Object(market.entries()))
}

/// Why a text is not read.
enum Unread {
    Empty,
    Long,
}

fn unread(text: &str) -> Option<Unread> {
    if text.trim().is_empty() { Some(Unread::Empty) } else { (text.len() > MOST_BYTES).then_some(Unread::Long) }
}

/// The name in a line that names a file.
fn file_name(line: &str) -> Option<&str> {
    line.trim_end().strip_prefix(NAME[0])?.strip_suffix(NAME[1])
}

/// The texts in the box: its files apart.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if file_name(line).is_some() {
            texts.push(String::new());
        } else if let Some(last) = texts.last_mut() {
            last.push_str(line);
        }
    }
    texts.retain(|text| !text.trim().is_empty());
    texts
}

/// The box with a file more.
fn with_file(mut text: String, name: &str, file: &str) -> String {
    if text.trim().is_empty() {
        return file.to_owned();
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    // A name is one line, whatever the file's is.
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    format!("{text}{}{name}{}\n{file}", NAME[0], NAME[1])
}

/// Files as one text that the box takes apart again; one alone needs no name.
pub(super) fn joined(files: Vec<(&str, String)>) -> String {
    match files.as_slice() {
        [(_, text)] => text.clone(),
        _ => files
            .iter()
            .map(|(name, text)| format!("{}{name}{}\n{text}", NAME[0], NAME[1]))
            .collect(),
    }
}

/// Takes the files of a drop or of a choice; text that is dropped is the browser's. Of one that is too long, as logs are, the lines
/// that there is room for.
fn take_files(page: Page, left_out: RwSignal<Option<String>>, begun: RwSignal<Option<String>>, event: &Event) {
    begun.set(None);
    let join = move |name: String, text: String, whole: bool| {
        page.pasted.update(|pasted| {
            let own =
                if whole { Some(text.as_str()) } else { beginning(&text, MOST_BYTES.saturating_sub(pasted.len())) };
            match own {
                Some(own) => *pasted = with_file(std::mem::take(pasted), &name, own),
                None => left_out.set(Some(name.clone())),
            }
            if !whole && own.is_some() {
                begun.set(Some(name));
            }
        });
    };
    browser::take_files(event, u32::MAX, MOST_BYTES as f64, left_out, Box::new(join));
}

/// The whole lines of a text that are within `room` bytes, with its file's name; none where there is none.
fn beginning(text: &str, room: usize) -> Option<&str> {
    let room = room.saturating_sub(NAME_BYTES).min(text.len());
    let end = text.as_bytes().get(..room)?.iter().rposition(|byte| *byte == b'\n')?;
    text.get(..=end)
}

/// What there is to say about the text.
fn outcome(page: Page) -> Option<AnyView> {
    let text = page.text();
    match page.pasted.with(|text| unread(text)) {
        Some(Unread::Empty) => return None,
        Some(Unread::Long) => return Some(view! { <Refusal words=text.paste_long.to_owned()/> }),
        None => {}
    }
    if page.no_worker.get() {
        return Some(view! { <NoWorker page/> });
    }
    let waits = page.reading.with(Option::is_none);
    waits.then(|| view! { <p class="muted">{text.paste_reading}</p> })
}

/// What was read; nothing while there is no text that it could be of.
fn read(page: Page) -> Option<Arc<Value>> {
    let nothing = page.no_worker.get() || page.pasted.with(|text| unread(text).is_some());
    page.reading.get().filter(|_| !nothing)
}

#[cfg(test)]
mod tests {
    use super::{NAME_BYTES, beginning, split, with_file};

    #[test]
    fn files_stand_apart() {
        assert_eq!(split("a\nb"), ["a\nb"]);
        assert_eq!(split("==> x <==\n{}\n\n==> y <==\nb\n"), ["{}\n\n", "b\n"]);
        assert_eq!(split("# ==> x <==\n"), ["# ==> x <==\n"]);
        assert!(split(" \n==> x <==\n").is_empty());
    }

    #[test]
    fn files_that_are_copied_together_come_apart() {
        assert_eq!(super::joined(vec![("x", "a\n".to_owned())]), "a\n");
        let both = super::joined(vec![("x", "a\n".to_owned()), ("y", "b\n".to_owned())]);
        assert_eq!(both, "==> x <==\na\n==> y <==\nb\n");
        assert_eq!(split(&both), ["a\n", "b\n"]);
    }

    #[test]
    fn a_long_file_ends_with_a_whole_line() {
        assert_eq!(beginning("a\nb\nc", NAME_BYTES + 4), Some("a\nb\n"));
        assert_eq!(beginning("é\né\n", NAME_BYTES + 4), Some("é\n"));
        assert_eq!(beginning("abc", NAME_BYTES + 2), None);
        assert_eq!(beginning("a\n", 1), None);
    }

    #[test]
    fn a_file_joins_what_is_there() {
        assert_eq!(with_file(String::new(), "x", "{}"), "{}");
        let both = with_file("run".to_owned(), "x\n.json", "{}");
        assert_eq!(both, "run\n==> x.json <==\n{}");
        assert_eq!(split(&both), ["run\n", "{}"]);
    }
}
