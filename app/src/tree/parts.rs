//! What several parts of the page are made of.

use std::borrow::Cow;

use shardwise_core::catalog;

use super::{Branch, Tree, el};
use crate::format;
use crate::text::Lang;
use crate::view::icons::path;

/// An icon by its name.
pub(crate) fn icon(name: &str) -> Tree {
    el("svg.icon|viewBox=0 0 16 16|aria-hidden=true").child(el("path").set("d", path(name)))
}

/// The name, with its mark.
pub(crate) fn brand() -> Tree {
    el("SPAN.brand")
        .child(
            el("svg.brand-mark|viewBox=0 0 16 16|aria-hidden=true")
                .child(el("rect.b1|x=1|y=2|width=9|height=3|rx=1"))
                .child(el("rect.b2|x=4|y=6.5|width=9|height=3|rx=1"))
                .child(el("rect.b3|x=2|y=11|width=13|height=3|rx=1")),
        )
        .child("Shardwise")
}

/// The switch of colours of a page without a program: `boot.js` moves it.
pub(crate) fn themes(lang: Lang) -> Tree {
    let site = lang.site();
    let choices = [
        ("auto", "i-auto", site.theme_auto),
        ("light", "i-sun", site.theme_light),
        ("dark", "i-moon", site.theme_dark),
    ];
    el("FIELDSET.theme")
        .child(el("LEGEND.vh").child(site.theme))
        .children(choices.map(|(word, symbol, name)| {
            el("LABEL")
                .child(el("INPUT|type=radio|name=theme").set("value", word))
                .child(el("SPAN").child(icon(symbol)).child(el("SPAN.vh").child(name)))
        }))
}

/// What the page is, and of which data and build.
pub(crate) fn facts(lang: Lang) -> [Tree; 2] {
    let site = lang.site();
    let fact =
        |name: &'static str, value: &'static str| el("DIV").child(el("DT").child(name)).child(el("DD").child(value));
    [
        el("P.foot-about")
            .child(el("B").child("Shardwise"))
            .child(" ")
            .child(site.about),
        el("DL.foot-facts").children([
            fact(site.data, catalog::VERSION),
            fact(site.prices, catalog::PRICES_AS_OF),
            fact(site.build, env!("CARGO_PKG_VERSION")),
            fact(site.licence, "Apache-2.0 OR MIT"),
        ]),
    ]
}

/// A head of a column; `number` aligns it with its figures.
pub(crate) fn head(name: impl Branch, number: bool) -> Tree {
    el(if number { "TH.n|scope=col" } else { "TH|scope=col" }).child(name)
}

/// A figure in a table; an empty one leaves its cell empty.
pub(crate) fn cell(label: impl Into<Cow<'static, str>>, value: String) -> Tree {
    if value.is_empty() { el("TD.nil n") } else { el("TD.n").set("data-l", label).child(value) }
}

/// A share as a length.
pub(crate) fn per_cent(share: f64) -> String {
    format!("{}%", format::fixed(share * 100.0, 1))
}

/// A swatch and its meaning.
pub(crate) fn legend(class: &str, name: impl Branch) -> Tree {
    el("LI").child(el("I").set("class", format!("sw {class}"))).child(name)
}
