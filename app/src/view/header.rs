//! The bar on top: name, language, theme, link.

use super::dom::{El, el, live, part, press, press_link, typed};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

use super::icons::icon;
use crate::browser;
use crate::look::{Look, Theme};
use crate::page::KEPT_QUESTION;
use crate::protocol::Document;
use crate::text::Lang;
use crate::tree::parts::brand;

/// A page of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The calculator.
    Calculator,
    /// How right it is.
    Accuracy,
    /// Its formulas: a page without a program, in a folder per language.
    Methods,
    /// The program without a browser: another such page.
    CommandLine,
}

/// The bar on the page `here`; `link` is the page's address as it stands.
/// `tool` stands beside its button.
pub(super) fn view(look: Look, lang: Lang, here: Place, link: Box<dyn Fn() -> String>, tool: Option<El>) -> AnyView {
    let site = lang.site();
    let places = [
        (Place::Calculator, site.calculator),
        (Place::Accuracy, site.accuracy),
        (Place::Methods, site.methods),
        (Place::CommandLine, site.command_line),
    ];
    let places = places.map(|(place, name)| {
        let anchor = anchor(look, place, name);
        if place == here {
            anchor
                .set("aria-current", "page")
                .on("click", press_link(|| browser::jump("answer")))
        } else {
            anchor
        }
    });
    el("HEADER.top")
        .child(brand())
        .child(el("NAV.top-nav").set("aria-label", site.site).children(places))
        .child(
            el("DIV.top-tools")
                .child(
                    el("BUTTON.btn btn-s btn-q|type=button|id=language")
                        .set("lang", lang.other().tag())
                        .on(
                            "click",
                            press(move || {
                                look.choose_lang(lang.other());
                                // The new page has a button of its own.
                                browser::after(0, Box::new(|| browser::focus("language"))).forget();
                            }),
                        )
                        .child(lang.other().site().language),
                )
                .child(themes(look, lang))
                .child(copy_link(lang, link))
                .child(tool),
        )
        .into_any()
}

/// A link to a page of the site. The calculator's holds the question that it was left with.
#[inline(never)]
pub(super) fn anchor(look: Look, place: Place, name: &'static str) -> El {
    let address = move || match place {
        Place::Accuracy => look.address_of("accuracy/"),
        Place::Methods => Document::Methods.address(look.lang.get()).to_owned(),
        Place::CommandLine => Document::CommandLine.address(look.lang.get()).to_owned(),
        Place::Calculator => {
            let question = browser::kept(KEPT_QUESTION).unwrap_or_default();
            look.address_of("./") + "#" + &question
        }
    };
    el("A").live("href", address).child(name)
}

fn themes(look: Look, lang: Lang) -> AnyView {
    let text = lang.site();
    let choices = Theme::ALL.into_iter().map(|(theme, word)| {
        let (symbol, name) = match theme {
            Theme::Auto => ("i-auto", 0),
            Theme::Light => ("i-sun", 1),
            Theme::Dark => ("i-moon", 2),
        };
        let label = [text.theme_auto, text.theme_light, text.theme_dark][name];
        el("LABEL")
            .child(
                el("INPUT|type=radio|name=theme")
                    .set("value", word)
                    .flag("checked", move || look.theme.get() == theme)
                    .on("change", typed(move |_| look.choose_theme(theme))),
            )
            .child(el("SPAN").child(icon(symbol)).child(el("SPAN.vh").child(label)))
    });
    el("FIELDSET.theme")
        .child(el("LEGEND.vh").child(text.theme))
        .children(choices)
        .into_any()
}

/// A button that copies the page's address with its question.
pub(super) fn copy_link(lang: Lang, link: Box<dyn Fn() -> String>) -> AnyView {
    let copied = RwSignal::new(false);
    let copy = move || {
        browser::copy(&untrack(&link), move |ok| {
            copied.set(ok);
            Timeout::new(2000, move || copied.set(false)).forget();
        });
    };
    el("BUTTON.btn btn-s copy-link|type=button|id=copy-link")
        .on("click", press(copy))
        .child(part(move || icon(if copied.get() { "i-check" } else { "i-link" })))
        .child(
            el("SPAN|aria-live=polite")
                .child(live(move || if copied.get() { lang.site().link_copied } else { lang.site().copy_link })),
        )
        .into_any()
}
