//! What a press in a sheet does.

use serde_json::{Map, Value};
use shardwise_core::permalink;
use shardwise_core::wire::to_value;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event};

use super::host::Host;
use crate::page::Origin;
use crate::protocol::blocks::Action;
use crate::protocol::{Name, SheetTask, Task, compact};
use crate::view::how;
use crate::view::prelude::*;

/// The key of the pair that is compared.
const PAIR: &str = "pins";

/// Does what a button says, in order.
pub(super) fn act(host: Host, actions: &[Action], event: &Event) {
    for action in actions {
        do_one(host, action);
        let leaves = matches!(action, Action::Ask(_) | Action::Put { .. } | Action::Close);
        let pressed = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(pressed) = pressed.filter(|_| leaves) {
            browser::close_popover_of(&pressed);
        }
    }
}

fn do_one(host: Host, action: &Action) {
    let Host { page, name, state } = host;
    match action {
        Action::Ask(hash) => {
            if let Ok(question) = permalink::from_hash(hash) {
                let origin = match name {
                    // What is pasted is read in a sheet without a name.
                    None => Origin::Script,
                    Some(Name::Near) => Origin::Run,
                    Some(_) => Origin::Page,
                };
                page.load(&question, origin);
            }
        }
        Action::Put { field, value } => match Field::of_path(field) {
            Some(Field::Gpu) => page.change(|form| form.choose_gpu(value)),
            Some(field) => page.change(|form| form.set(field, value)),
            None => {}
        },
        Action::Set(keys) => state.update(|state| state.extend(keys.clone())),
        Action::Pair(word) => state.update(|state| pair(state, word.as_str().into())),
        Action::Save(file) => order_file(host, file.clone()),
        Action::SaveText { file, of } => browser::download(file, &text_of(of)),
        Action::How(figure) => how::show(page, figure.clone()),
        // Its button does it, which says how it went (`line::Press`).
        Action::Copy(_) | Action::Close => {}
    }
}

/// What a listing says.
pub(super) fn text_of(id: &str) -> String {
    let text = browser::element(id).and_then(|element| element.text_content());
    text.unwrap_or_default()
}

/// Asks for a file of the sheet as it is shown, which is saved once it is there.
fn order_file(Host { page, name, state }: Host, file: String) {
    let (Some(name), Some(shown)) = (name, page.standing()) else { return };
    let sheet = SheetTask { name, question: to_value(&shown.question), width: 0, state: state.get_untracked() };
    desk::order(page, Task::File { sheet, file }, |_, found| {
        if let Some((file, text)) = compact::read::<(String, String)>(found) {
            browser::download(&file, &text);
        }
    });
}

/// Takes a word into the pair of those that are compared, or out of it. A third takes the place of the first.
fn pair(state: &mut Map<String, Value>, word: Value) {
    let mut pair = match state.remove(PAIR) {
        Some(Value::Array(pair)) => pair,
        _ => Vec::new(),
    };
    match pair.iter().position(|own| *own == word) {
        Some(place) => drop(pair.remove(place)),
        None => pair.push(word),
    }
    let more = pair.len().saturating_sub(2);
    pair.drain(..more);
    state.insert(PAIR.to_owned(), pair.into());
}
