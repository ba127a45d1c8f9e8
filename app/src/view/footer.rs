//! Where the numbers come from.

use shardwise_core::catalog;

use super::header::{Place, PlaceLink};
use crate::look::Look;
use crate::view::prelude::*;

/// What every page ends with: what it is, of which data and build, its links and its report.
#[component]
pub(super) fn Foot(lang: Lang, report: Option<AnyView>, children: Children) -> impl IntoView {
    let site = lang.site();
    // The build writes it into the pages, not into the program, which so is the same of many commits.
    let commit = browser::commit();
    let commit = (!commit.is_empty()).then(|| view! { <code class="foot-commit">{format!("+{commit}")}</code> });
    let facts = [
        (site.data, catalog::VERSION, None),
        (site.prices, catalog::PRICES_AS_OF, None),
        (site.build, env!("CARGO_PKG_VERSION"), commit),
        (site.licence, "Apache-2.0 OR MIT", None),
    ];
    let facts = facts.map(|(name, value, more)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{value} {more}</dd>
            </div>
        }
    });
    view! {
        <footer class="foot">
            <div class="foot-in">
                <p class="foot-about">
                    <b>{"Shardwise"}</b>
                    " "
                    {site.about}
                </p>
                <dl class="foot-facts">{facts.collect_view()}</dl>
                <p class="foot-links">{children()}</p>
                {report}
            </div>
        </footer>
    }
}

/// The footer, with the links and the report of a page that has them.
#[component]
pub(super) fn Footer(
    look: Look,
    lang: Lang,
    #[prop(optional)] report: Option<AnyView>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <Foot lang report>
            <PlaceLink look place=Place::Accuracy name=lang.site().how_accurate/>
            {children.map(|children| children())}
        </Foot>
    }
}
