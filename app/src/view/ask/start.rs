//! Where a question can start from: a script, an example, a question of an earlier visit.

use leptos::prelude::*;
use shardwise_core::Question;
use shardwise_core::job::{self, Job};
use shardwise_core::presets::{self, Preset};
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;

use crate::browser;
use crate::form::Field;
use crate::page::Page;
use crate::recent::{self, Recent};
use crate::text::Lang;
use crate::view::comfort::read_recent;
use crate::view::dom::{Act, El, el, part, press};
use crate::view::icons::icon;
use crate::words::{asked, asked_in_short};

/// What an option of a recent question begins with; its link follows.
const RECENT: &str = "recent ";

/// The option that opens the list in which recent questions are erased.
const ERASE: &str = "erase";

/// The example whose question it is.
fn current(page: Page) -> Option<&'static Preset> {
    page.answered()?.preset
}

/// The examples, by what they are taken from.
fn examples(page: Page) -> impl Iterator<Item = El> {
    let groups = presets::presets().chunk_by(|one, next| one.group == next.group);
    groups.map(move |group| {
        let options = group.iter().map(|preset| {
            let selected = move || current(page).is_some_and(|current| current.id == preset.id);
            el("OPTION")
                .set("value", preset.id)
                .flag("selected", selected)
                .child(preset.name)
        });
        let name = group.first().map_or("", |preset| preset.group);
        el("OPTGROUP").set("label", name).children(options)
    })
}

/// The recent questions, and the way to erase them.
fn recents(page: Page) -> Option<El> {
    let found = recent::read(&page.recent.get());
    // Those that this version of the calculator refuses are left out.
    let found: Vec<(Recent, Job)> = found
        .into_iter()
        .filter_map(|one| job::resolve(&one.question).ok().map(|job| (one, job)))
        .collect();
    let short: Vec<String> = found.iter().map(|(_, job)| asked_in_short(job, page.lang)).collect();
    let options: Vec<El> = found
        .into_iter()
        .zip(&short)
        .map(|((one, job), name)| {
            let alike = short.iter().filter(|other| *other == name).count() > 1;
            option(page, one, if alike { asked(&job, page.lang) } else { name.clone() })
        })
        .collect();
    (!options.is_empty()).then(|| {
        el("OPTGROUP")
            .set("label", page.text().recent)
            .children(options)
            .child(el("OPTION").set("value", ERASE).child(page.text().recent_manage))
    })
}

/// A recent question by a name that no other has.
fn option(page: Page, one: Recent, name: String) -> El {
    let value = format!("{RECENT}{}", one.hash);
    let selected = move || {
        page.answered()
            .is_some_and(|shown| shown.preset.is_none() && shown.hash == one.hash)
    };
    el("OPTION").set("value", value).flag("selected", selected).child(name)
}

/// Another example of the session: under the same factors, and as sure.
fn start_from(page: Page, question: &Question) {
    page.replace(|form| {
        let own = form.calibration();
        let sure = form.get(Field::Confidence).to_owned();
        form.load(question);
        form.calibrate(own);
        form.set(Field::Confidence, sure);
    });
}

/// Starts from what is chosen; `told` is whether to say what an example is.
fn choose(page: Page, told: RwSignal<bool>) -> Act {
    Box::new(move |event| {
        let list = event.target().and_then(|on| on.dyn_into::<HtmlSelectElement>().ok());
        let Some(list) = list else { return };
        let value = list.value();
        if value == ERASE {
            // The list shows what is asked, not what it did.
            list.set_value(current(page).map_or("", |preset| preset.id));
            return browser::show_popover("recent");
        }
        if let Some(hash) = value.strip_prefix(RECENT) {
            let found = recent::read(&page.recent.get_untracked());
            if let Some(one) = found.into_iter().find(|one| one.hash == hash) {
                page.replace(|form| form.load(&one.question));
            }
            return;
        }
        let preset = presets::presets().iter().find(|preset| preset.id == value);
        if let Some(question) = preset.and_then(Preset::question) {
            told.set(true);
            start_from(page, &question);
        }
    })
}

/// What the chosen example is, and where it comes from.
fn note(page: Page) -> Option<El> {
    let preset = current(page)?;
    let words = match page.lang {
        Lang::En => preset.note.0,
        Lang::Zh => preset.note.1,
    };
    Some(
        el("P.hint preset-note").child(words).child(" ").child(
            el("A")
                .set("href", preset.source.url)
                .set("rel", "noopener")
                .set("target", "_blank")
                .child(page.text().preset_source),
        ),
    )
}

pub(super) fn view(page: Page) -> AnyView {
    let told = RwSignal::new(false);
    read_recent(page);
    let asked = move || {
        let own = page.answered();
        own.is_none_or(|shown| {
            let kept = || recent::read(&page.recent.get()).iter().any(|one| one.hash == shown.hash);
            shown.preset.is_none() && !kept()
        })
    };
    el("DIV.ask-start")
        .child(
            el("BUTTON.btn|type=button|id=paste-open|popovertarget=paste")
                .child(icon("i-paste"))
                .child(page.text().paste),
        )
        .child(el("LABEL.vh|for=preset").child(page.text().preset_label))
        .child(
            el("SELECT|id=preset")
                .on("change", choose(page, told))
                // Another tab may have added some.
                .on("focus", press(move || read_recent(page)))
                .child(el("OPTION|value=").flag("selected", asked).child(page.text().presets))
                .child(part(move || recents(page)))
                .children(examples(page)),
        )
        .child(part(move || told.get().then(|| note(page))))
        .into_any()
}
