//! The bar on top: name, language, theme, link.

use gloo::timers::callback::Timeout;
use leptos::ev::MouseEvent;

use crate::look::{Look, Theme};
use crate::page::KEPT_QUESTION;
use crate::view::prelude::*;

/// A page of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Calculator,
    /// How right it is.
    Accuracy,
    /// Its formulas: a page without a program, in a folder per language.
    Methods,
    /// The program without a browser: another such page.
    CommandLine,
}

impl Place {
    /// Where it is. The calculator's address holds the question that it was left with.
    fn address(self, look: Look) -> String {
        match self {
            Self::Accuracy => look.address_of("accuracy/"),
            Self::Methods => Document::Methods.address(look.lang.get()).to_owned(),
            Self::CommandLine => Document::CommandLine.address(look.lang.get()).to_owned(),
            Self::Calculator => {
                let question = browser::kept(KEPT_QUESTION).unwrap_or_default();
                look.address_of("./") + "#" + &question
            }
        }
    }
}

/// The bar: the name, the links to the site's `places`, and what stands at its end.
#[component]
pub(super) fn Bar(lang: Lang, places: AnyView, children: Children) -> impl IntoView {
    let plates = [("b1", "1", "2", "9"), ("b2", "4", "6.5", "9"), ("b3", "2", "11", "13")];
    let plates = plates.map(|(class, x, y, width)| {
        view! { <rect class=class x=x y=y width=width height="3" rx="1"/> }
    });
    view! {
        <header class="top">
            <span class="brand">
                <svg class="brand-mark" viewBox="0 0 16 16" aria-hidden="true">{plates.collect_view()}</svg>
                "Shardwise"
            </span>
            <nav class="top-nav" aria-label=lang.site().site>{places}</nav>
            <div class="top-tools">{children()}</div>
        </header>
    }
}

/// The bar on the page `here`; `link` is the page's address as it stands. What is inside stands beside its button.
#[component]
pub(super) fn Header(
    look: Look,
    lang: Lang,
    here: Place,
    #[prop(into)] link: Signal<String>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let site = lang.site();
    let places = [
        (Place::Calculator, site.calculator),
        (Place::Accuracy, site.accuracy),
        (Place::Methods, site.methods),
        (Place::CommandLine, site.command_line),
    ];
    let places = places.map(|(place, name)| view! { <PlaceLink look place name here=place == here/> });
    let choose_language = move |_| {
        look.choose_lang(lang.other());
        // The new page has a button of its own.
        browser::focus_next("language");
    };
    view! {
        <Bar lang places=places.collect_view().into_any()>
            <button class="btn btn-s btn-q" type="button" id="language" lang=lang.other().tag() on:click=choose_language>
                {lang.other().site().language}
            </button>
            <Themes look lang/>
            <CopyLink lang link/>
            {children.map(|children| children())}
        </Bar>
    }
}

/// A link to a page of the site; on that page itself it leads to its answer.
#[component]
pub(super) fn PlaceLink(look: Look, place: Place, name: &'static str, #[prop(optional)] here: bool) -> impl IntoView {
    let go = move |event: MouseEvent| {
        if here {
            event.prevent_default();
            browser::jump("answer");
        }
    };
    view! { <a href=move || place.address(look) aria-current=here.then_some("page") on:click=go>{name}</a> }
}

/// The switch of colours; `boot.js` moves it where no program does.
#[component]
pub(super) fn Themes(look: Look, lang: Lang) -> impl IntoView {
    let text = lang.site();
    let choices = Theme::ALL.map(|theme| {
        let (symbol, label) = match theme {
            Theme::Auto => ("i-auto", text.theme_auto),
            Theme::Light => ("i-sun", text.theme_light),
            Theme::Dark => ("i-moon", text.theme_dark),
        };
        view! {
            <label>
                <input
                    type="radio"
                    name="theme"
                    value=theme.word()
                    prop:checked=move || look.theme.get() == theme
                    on:change=move |_| look.choose_theme(theme)
                />
                <span>
                    <Icon name=symbol/>
                    <span class="vh">{label}</span>
                </span>
            </label>
        }
    });
    view! {
        <fieldset class="theme">
            <legend class="vh">{text.theme}</legend>
            {choices.collect_view()}
        </fieldset>
    }
}

/// A button that copies the page's address with its question.
#[component]
pub(super) fn CopyLink(lang: Lang, #[prop(into)] link: Signal<String>) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        browser::copy(&link.get_untracked(), move |ok| {
            copied.set(ok);
            Timeout::new(2000, move || copied.set(false)).forget();
        });
    };
    view! {
        <button class="btn btn-s copy-link" type="button" id="copy-link" on:click=copy>
            {move || view! { <Icon name=if copied.get() { "i-check" } else { "i-link" }/> }}
            <span aria-live="polite">
                {move || if copied.get() { lang.site().link_copied } else { lang.site().copy_link }}
            </span>
        </button>
    }
}
