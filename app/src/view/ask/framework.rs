//! The framework that runs the question: the first field, as it decides which plans there are.

use leptos::prelude::*;
use shardwise_core::emit::{NAMES, Named};

use crate::form::Field;
use crate::page::Page;
use crate::text::fill;
use crate::view::controls::{message, problem};
use crate::view::dom::{El, el, part, typed};
use crate::words::framework_name;

/// A framework and its version as a value of the control: `verl 0.8.0`.
fn value(own: &Named, version: &str) -> String {
    format!("{} {version}", own.id)
}

/// The framework and version of a form, as a value of the control; what the form says where they are none.
fn chosen(page: Page) -> String {
    let (id, version) = (page.typed(Field::Framework), page.typed(Field::FrameworkVersion));
    let own = NAMES.iter().find(|own| own.id == id);
    match own {
        Some(own) if version.is_empty() => value(own, own.versions.first().copied().unwrap_or_default()),
        _ => format!("{id} {version}").trim().to_owned(),
    }
}

/// The versions of all frameworks, as options.
fn options(page: Page) -> impl Iterator<Item = El> {
    NAMES.iter().flat_map(move |own| {
        own.versions.iter().map(move |version| {
            let value = value(own, version);
            let same = value.clone();
            el("OPTION")
                .set("value", value)
                .flag("selected", move || chosen(page) == same)
                .child(format!("{} {version}", own.name))
        })
    })
}

/// Whose plan it is where any framework may run it.
fn taken(page: Page) -> Option<El> {
    let shown = page.answered()?;
    if shown.question.framework.is_some() {
        return None;
    }
    let words = match shown.found.answer.framework {
        Some(own) => fill(page.text().framework_taken, &[&framework_name(own)]),
        None => page.text().framework_none.to_owned(),
    };
    Some(el("P.hint|id=framework-taken").child(words))
}

pub(in crate::view) fn view(page: Page) -> AnyView {
    let wrong = move || problem(page, Field::Framework).is_some() || problem(page, Field::FrameworkVersion).is_some();
    // What is not known here stays visible until another is chosen.
    let unknown = move || {
        let own = chosen(page);
        let known = own.is_empty()
            || NAMES.iter().any(|named| {
                let mut versions = named.versions.iter();
                versions.any(|version| value(named, version) == own)
            });
        (!known).then(|| el("OPTION").set("value", own.clone()).flag("selected", || true).child(own))
    };
    el("DIV")
        .live("class", move || if wrong() { "field use is-err" } else { "field use" })
        .child(el("LABEL|for=framework").child(page.lang.label(Field::Framework)))
        .child(
            el("SELECT|id=framework")
                .on("change", typed(move |own| page.change(|form| form.use_framework(&own))))
                .live("aria-invalid", move || wrong().then_some("true"))
                .live("aria-describedby", move || wrong().then_some("framework-m framework_version-m"))
                .child(part(unknown))
                .child(
                    el("OPTION|value=")
                        .flag("selected", move || chosen(page).is_empty())
                        .child(page.text().any_framework),
                )
                .children(options(page)),
        )
        .child(part(move || taken(page)))
        .child(message(page, Field::Framework))
        .child(message(page, Field::FrameworkVersion))
        .into_any()
}
