//! Where the numbers come from.

use leptos::prelude::*;

use super::header::{Place, PlaceLink};
use crate::look::Look;
use crate::text::Lang;
use crate::tree::parts::facts;
use crate::view::view;

/// The footer, with the links and the report of a page that has them.
#[component]
pub(super) fn Footer(
    look: Look,
    lang: Lang,
    #[prop(optional)] report: Option<AnyView>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <footer class="foot">
            <div class="foot-in">
                {facts(lang).map(IntoRender::into_render)}
                <p class="foot-links">
                    <PlaceLink look place=Place::Accuracy name=lang.site().how_accurate/>
                    {children.map(|children| children())}
                </p>
                {report}
            </div>
        </footer>
    }
}
