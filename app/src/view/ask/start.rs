//! Where a question can start from: a script, an example, a question of an earlier visit.

use shardwise_core::Question;
use shardwise_core::job::{self, Job};
use shardwise_core::presets::{self, Preset};
use web_sys::HtmlSelectElement;

use crate::recent::{self, Recent};
use crate::view::comfort::read_recent;
use crate::view::prelude::*;
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
#[component]
fn Examples(page: Page) -> impl IntoView {
    // Once for all options.
    let now = Memo::new(move |_| current(page).map(|preset| preset.id));
    let groups = presets::presets().chunk_by(|one, next| one.group == next.group);
    let groups = groups.map(|group| {
        let options = group.iter().map(|preset| {
            view! {
                <option value=preset.id prop:selected=move || now.get() == Some(preset.id)>
                    {named(preset.name, page.lang)}
                </option>
            }
        });
        let name = group.first().map_or("", |preset| preset.group);
        view! { <optgroup label=name>{options.collect_view()}</optgroup> }
    });
    groups.collect_view()
}

/// The recent questions, and the way to erase them.
fn recents(page: Page) -> Option<AnyView> {
    let found = recent::read(&page.recent.get());
    // Those that this version of the calculator refuses are left out.
    let found: Vec<(Recent, Job)> = found
        .into_iter()
        .filter_map(|one| job::resolve(&one.question).ok().map(|job| (one, job)))
        .collect();
    let short: Vec<String> = found.iter().map(|(_, job)| asked_in_short(job, page.lang)).collect();
    let options: Vec<AnyView> = found
        .into_iter()
        .zip(&short)
        .map(|((one, job), name)| {
            let alike = short.iter().filter(|other| *other == name).count() > 1;
            option(page, one, if alike { asked(&job, page.lang) } else { name.clone() })
        })
        .collect();
    let text = page.text();
    (!options.is_empty()).then(|| {
        view! {
            <optgroup label=text.recent>
                {options}
                <option value=ERASE>{text.recent_manage}</option>
            </optgroup>
        }
    })
}

/// An example's name, whose parts are a task, a model and GPUs.
fn named(name: &str, lang: Lang) -> String {
    const BETWEEN: &str = " · ";
    let parts: Vec<&str> = name.split(BETWEEN).map(|part| lang.word(part)).collect();
    parts.join(BETWEEN)
}

/// A recent question by a name that no other has.
fn option(page: Page, one: Recent, name: String) -> AnyView {
    let value = format!("{RECENT}{}", one.hash);
    let selected = move || {
        page.answered()
            .is_some_and(|shown| shown.preset.is_none() && shown.hash == one.hash)
    };
    view! { <option value=value prop:selected=selected>{name}</option> }
}

/// Another example of the session: under the same factors, and as sure.
fn start_from(page: Page, question: &Question) {
    page.replace(|form| {
        let own = form.calibration();
        let sure = form.get(Field::Confidence).to_owned();
        form.load(question);
        form.rent();
        form.calibrate(own);
        form.set(Field::Confidence, sure);
    });
}

/// Starts from what is chosen in `list`; `told` is whether to say what an example is.
fn choose(page: Page, told: RwSignal<bool>, list: &HtmlSelectElement) {
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
}

/// What the chosen example is, and where it comes from.
fn note(page: Page) -> Option<AnyView> {
    let preset = current(page)?;
    let words = match page.lang {
        Lang::En => preset.note.0,
        Lang::Zh => preset.note.1,
    };
    Some(view! {
        <p class="hint preset-note">
            {words}
            " "
            <a href=preset.source.url rel="noopener" target="_blank">{page.text().preset_source}</a>
        </p>
    })
}

/// Whether the question is none of the list's.
fn is_own(page: Page) -> bool {
    page.answered().is_none_or(|shown| {
        let kept = || recent::read(&page.recent.get()).iter().any(|one| one.hash == shown.hash);
        shown.preset.is_none() && !kept()
    })
}

#[component]
pub(super) fn Start(page: Page) -> impl IntoView {
    let text = page.text();
    let told = RwSignal::new(false);
    read_recent(page);
    view! {
        <div class="ask-start">
            <button class="btn" type="button" id="paste-open" popovertarget="paste">
                <Icon name="i-paste"/>
                {text.paste}
            </button>
            <label class="vh" for="preset">{text.preset_label}</label>
            <select
                id="preset"
                on:change=move |event| choose(page, told, &event_target(&event))
                // Another tab may have added some.
                on:focus=move |_| read_recent(page)
            >
                <option value="" prop:selected=move || is_own(page)>{text.presets}</option>
                {move || recents(page)}
                <Examples page/>
            </select>
            {move || told.get().then(|| note(page))}
        </div>
    }
}
