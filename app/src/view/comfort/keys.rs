//! Shortcuts of one key. They can be switched off, and never act while something is typed (WCAG 2.1.4).

use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::panel::Panel;
use crate::look::Theme;
use crate::view::flags;
use crate::view::prelude::*;

/// Where the storage says that they are off.
const OFF: &str = "shardwise-keys-off";

/// A key with what it does in words.
type Key = (&'static str, fn(&Text) -> &'static str);

const KEYS: [Key; 9] = [
    ("/", |text| text.key_model),
    ("g", |text| text.key_gpu),
    ("f", |text| text.key_flags),
    ("y", |text| text.key_copy),
    ("c", |text| text.key_link),
    ("t", |text| text.key_theme),
    ("l", |text| text.key_language),
    // `view::plan::alternatives` listens for it.
    ("p", |text| text.key_pin),
    ("?", |text| text.key_list),
];

fn off() -> bool {
    browser::stored(OFF).as_deref() == Some("1")
}

/// Listens for as long as the page lives.
pub(in crate::view) fn listen(page: Page) {
    browser::listen("keydown", move |event| {
        if let Some(pressed) = event.dyn_ref::<KeyboardEvent>()
            && act(page, pressed)
        {
            event.prevent_default();
        }
    });
}

/// Whether a key that was pressed may be a shortcut: it is alone, nothing is typed, and shortcuts are on.
pub(in crate::view) fn is_shortcut(pressed: &KeyboardEvent) -> bool {
    let held = pressed.ctrl_key() || pressed.alt_key() || pressed.meta_key();
    !(held || pressed.is_composing() || browser::types(pressed) || off())
}

/// Does what a key stands for, and says whether it stands for something.
fn act(page: Page, pressed: &KeyboardEvent) -> bool {
    if !is_shortcut(pressed) {
        return false;
    }
    match pressed.key().as_str() {
        "/" => browser::focus("model"),
        "g" => browser::focus("hardware-gpu"),
        "f" => browser::jump("flags"),
        "y" => flags::copy_all(page),
        "c" => browser::click("copy-link"),
        "l" => browser::click("language"),
        "t" => {
            let theme = page.look.theme.get_untracked();
            page.look.choose_theme(Theme::ALL[(theme as usize + 1) % Theme::COUNT]);
        }
        "?" => browser::show_popover("keys"),
        _ => return false,
    }
    true
}

#[component]
pub(super) fn Keys(page: Page) -> impl IntoView {
    let text = page.text();
    view! {
        <Panel page id="keys" title=text.keys>
            <div>
                <dl class="keys">
                    {KEYS.map(|(key, does)| view! {
                        <div>
                            <dt><kbd>{key}</kbd></dt>
                            <dd>{does(text)}</dd>
                        </div>
                    })}
                </dl>
                <label class="check">
                    <input
                        type="checkbox"
                        id="keys-on"
                        prop:checked=!off()
                        on:change=|event| browser::store(OFF, if event_target_checked(&event) { "" } else { "1" })
                    />
                    <span>{text.keys_on}</span>
                </label>
            </div>
        </Panel>
    }
}
