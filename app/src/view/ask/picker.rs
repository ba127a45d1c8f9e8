//! The model by name: a text, and the models of the catalog that match it. A combobox as WAI-ARIA describes it: the
//! keyboard stays in the text, the list says which of its options is marked.

use web_sys::KeyboardEvent;

use crate::form::models::{Listed, matching};
use crate::form::{Field, Form};
use crate::view::controls::{Message, problem, wrong_class};
use crate::view::prelude::*;

/// How many models are listed at once.
const MOST: usize = 40;

/// The list's element.
const LIST: &str = "models";

/// A handle: copies are the same list.
#[derive(Clone, Copy)]
struct Picker {
    page: Page,
    /// What is looked for; empty for all, from the form's own model on.
    sought: RwSignal<String>,
    /// Whether the list is shown.
    open: RwSignal<bool>,
    /// Which option is marked, from 1; 0 for none.
    at: RwSignal<usize>,
    /// Whether Tab has just left a name.
    left: RwSignal<bool>,
}

impl Picker {
    /// The models to list, and how many match in all.
    fn listed(self) -> (Vec<Listed>, usize) {
        let sought = self.sought.get();
        let found = matching(&sought);
        let count = found.len();
        let from = if sought.is_empty() {
            let own = self.page.standing();
            let own = own.map(|shown| shown.found.job.model.id.clone());
            let at = |listed: &Listed| own.as_deref() == Some(listed.entry.id);
            found.iter().position(at).unwrap_or(0)
        } else {
            0
        };
        let shown = found.into_iter().cycle().skip(from).take(count.min(MOST));
        (shown.collect(), count)
    }

    fn show(self, sought: String, at: usize) {
        self.sought.set(sought);
        self.at.set(at);
        self.open.set(true);
        browser::show_popover(LIST);
    }

    fn hide(self) {
        self.open.set(false);
        browser::close_popover(LIST);
    }

    /// Takes the option at a place, from 1, into the form.
    fn choose(self, at: usize) {
        let (listed, _) = untrack(|| self.listed());
        self.hide();
        if let Some(chosen) = at.checked_sub(1).and_then(|place| listed.get(place)) {
            let name = chosen.entry.name;
            self.page.naming.set(false);
            self.page.change(|form| {
                form.set(Field::ModelConfig, "");
                form.set(Field::Model, name);
            });
        }
    }

    /// The field is left, or done with: now a name that is none is said to be.
    fn leave(self) {
        self.hide();
        self.page.name_model();
    }

    /// Brings the keyboard to what mends the name, which the engine says after Tab has moved on.
    fn follow(self) {
        follow(move || {
            if problem(self.page, Field::Model).is_none() || !self.left.get_untracked() {
                return;
            }
            self.left.set(false);
            browser::soon(|| {
                if browser::lost_focus() || browser::has_focus("use-config") {
                    browser::focus_first("model-m");
                }
            });
        });
    }

    fn mark(self, at: usize) {
        self.at.set(at);
        browser::reveal(&option(at));
    }

    /// What is typed: a text to look for, or a whole file that was pasted in the wrong place.
    fn type_in(self, text: String) {
        if text.trim_start().starts_with('{') {
            self.hide();
            return self.page.change(|form: &mut Form| {
                form.set(Field::ModelConfig, text);
            });
        }
        // On the way to a name it is none, and no error.
        self.page.naming.set(true);
        self.left.set(false);
        self.page.type_in(|form| form.set(Field::Model, text.as_str()));
        // The best is marked, so that Enter takes it.
        self.show(text, 1);
    }

    fn press(self, pressed: &KeyboardEvent) {
        let (open, at) = (self.open.get_untracked(), self.at.get_untracked());
        let key = pressed.key();
        if key == "Tab" {
            self.left.set(self.page.naming.get_untracked() && !pressed.shift_key());
            return self.leave();
        }
        // The keys of an input method are its own.
        if pressed.is_composing() || !open && key != "ArrowDown" {
            return;
        }
        let count = untrack(|| self.listed()).0.len();
        match key.as_str() {
            "ArrowDown" if !open => self.show(String::new(), 1),
            "ArrowDown" => self.mark(if at < count { at + 1 } else { count.min(1) }),
            "ArrowUp" => self.mark(if at > 1 { at - 1 } else { count }),
            "Home" => self.mark(count.min(1)),
            "End" => self.mark(count),
            "Enter" if count == 0 => self.leave(),
            "Enter" => self.choose(at),
            "Escape" => self.hide(),
            _ => return,
        }
        pressed.prevent_default();
    }

    fn option(self, at: usize, listed: &Listed) -> AnyView {
        let page = self.page;
        let text = page.text();
        let mut size = page.lang.parameters(listed.total);
        let mut kind = text.kind_dense;
        if listed.is_moe() {
            size = fill(text.pick_active, &[&size, &page.lang.parameters(listed.active)]);
            kind = text.kind_moe;
        }
        let mut about = vec![kind];
        if listed.is_vision() {
            about.push(text.kind_vision);
        }
        about.extend([listed.license.unwrap_or(text.no_license), listed.entry.hf_repo]);
        about.retain(|word| !word.is_empty());
        view! {
            <li
                role="option"
                id=option(at)
                aria-selected=move || (self.at.get() == at).to_string()
                on:click=move |_| self.choose(at)
            >
                <b>{listed.entry.name}</b>
                " "
                <span>{size}</span>
                " "
                <small>{about.join(" · ")}</small>
            </li>
        }
    }

    /// The list, and what more there is.
    fn list(self) -> AnyView {
        let (listed, count) = self.listed();
        let text = self.page.text();
        let more = match count {
            0 => text.pick_none.to_owned(),
            count if count > listed.len() => fill(text.pick_more, &[&listed.len().to_string(), &count.to_string()]),
            _ => String::new(),
        };
        let options = (1..).zip(&listed).map(|(at, listed)| self.option(at, listed));
        view! {
            <ul role="listbox" id="model-list" aria-label=text.pick_models>{options.collect_view()}</ul>
            <p class="hint">{more}</p>
        }
    }
}

/// The element of an option.
fn option(at: usize) -> String {
    format!("model-{at}")
}

#[component]
pub(in crate::view) fn ModelName(page: Page) -> impl IntoView {
    let picker = Picker {
        page,
        sought: RwSignal::new(String::new()),
        open: RwSignal::new(false),
        at: RwSignal::new(0),
        left: RwSignal::new(false),
    };
    picker.follow();
    let field = Field::Model;
    let wrong = move || problem(page, field).is_some();
    view! {
        <div class=move || format!("field{}", wrong_class(page, field))>
            <label class="vh" for="model">{page.lang.label(field)}</label>
            <input
                class="pick"
                id="model"
                type="text"
                role="combobox"
                aria-autocomplete="list"
                aria-controls="model-list"
                autocomplete="off"
                spellcheck="false"
                autocapitalize="off"
                prop:value=move || page.typed(field)
                // With the text selected, typing starts a new search.
                on:focus:target=|event| event.target().select()
                on:click=move |_| picker.show(String::new(), 0)
                on:blur=move |_| picker.leave()
                on:input=move |event| picker.type_in(event_target_value(&event))
                on:keydown=move |event| picker.press(&event)
                aria-expanded=move || picker.open.get().to_string()
                aria-activedescendant=move || {
                    let at = picker.at.get();
                    (picker.open.get() && at > 0).then(|| option(at))
                }
                aria-describedby=move || if wrong() { "model-m" } else { "model-d" }
                aria-invalid=move || wrong().then_some("true")
            />
            // The keyboard stays in the text.
            <div class="models" popover="manual" id=LIST on:mousedown=|event| event.prevent_default()>
                {move || picker.open.get().then(|| picker.list())}
            </div>
            <Message page field/>
        </div>
    }
}
