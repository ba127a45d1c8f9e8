//! A button that copies a text and says how it went.

use crate::view::prelude::*;
use gloo::timers::callback::Timeout;

/// How long the button says how it went, in milliseconds.
const SAID_MS: u32 = 2000;

/// What the button says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    No,
    Yes,
    Selected,
}

/// A button that copies `text`. Where there is no clipboard it selects the element called `of`, to be copied by hand, which
/// `unfold` shows first where not all of it may be there.
#[component]
pub(super) fn CopyButton(
    lang: Lang,
    #[prop(into)] of: String,
    #[prop(into)] text: Signal<String>,
    #[prop(optional)] first: bool,
    #[prop(optional, into)] id: Option<String>,
    #[prop(optional, into)] unfold: Option<Callback<()>>,
) -> impl IntoView {
    let words = lang.text();
    let copied = RwSignal::new(Copied::No);
    let copy = move |_| {
        let of = of.clone();
        browser::copy(&text.get_untracked(), move |ok| {
            // The text may have given way to another while the clipboard was asked.
            if copied.is_disposed() {
                return;
            }
            if !ok {
                unfold.iter().for_each(|unfold| unfold.run(()));
                browser::select(&of);
            }
            copied.set(if ok { Copied::Yes } else { Copied::Selected });
            Timeout::new(SAID_MS, move || copied.try_set(Copied::No).map_or((), drop)).forget();
        });
    };
    let class = move || match copied.get() {
        Copied::Yes => "btn btn-s btn-ok copy",
        _ if first => "btn btn-s btn-1 copy",
        _ => "btn btn-s copy",
    };
    let face = move || match copied.get() {
        Copied::No => ("i-copy", words.copy),
        Copied::Yes => ("i-check", words.copied),
        Copied::Selected => ("i-warn", words.select_copy),
    };
    view! {
        <button class=class type="button" id=id aria-live="polite" on:click=copy>
            {move || view! { <Icon name=face().0/> }}
            {move || face().1}
        </button>
    }
}

/// A button that saves `text` as a file.
#[component]
pub(super) fn DownloadButton(lang: Lang, file: String, #[prop(into)] text: Signal<String>) -> impl IntoView {
    view! {
        <button
            class="btn btn-s download"
            type="button"
            on:click=move |_| browser::download(&file, &text.get_untracked())
        >
            <Icon name="i-down"/>
            {lang.text().download}
        </button>
    }
}
