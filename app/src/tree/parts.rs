//! What several parts of the page are made of.

use std::borrow::Cow;

use serde_json::Map;
use serde_json::Value;
use shardwise_core::neighbours::apply;
use shardwise_core::{Question, catalog};

use super::drawn::{Target, image, targets};
use super::{Branch, Tree, el};
use crate::charts::backend::Drawing;
use crate::format;
use crate::text::{Lang, fill};
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

/// A table in a frame that scrolls by itself where the table is wider.
pub(crate) fn region(name: impl Into<Cow<'static, str>>, table: Tree) -> Tree {
    el("DIV.tw|role=group|tabindex=0").set("aria-label", name).child(table)
}

/// A bar of one value against its limit, by fractions of the width it has.
pub(crate) fn meter(share: f64, over: bool, height: u32) -> Tree {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
    let (height, radius) = (height.to_string(), (height / 2).to_string());
    let bar = |class: &'static str, share: f64| {
        el("rect")
            .set("class", class)
            .set("width", per_cent(share))
            .set("height", height.clone())
            .set("rx", radius.clone())
    };
    el("svg.meter|width=100%|aria-hidden=true")
        .set("height", height.clone())
        .child(bar("meter-bg", 1.0))
        .child(bar(if over { "k-over" } else { "k-use" }, share))
}

/// A share as a length.
pub(crate) fn per_cent(share: f64) -> String {
    format!("{}%", format::fixed(share * 100.0, 1))
}

/// A swatch and its meaning.
pub(crate) fn legend(class: &str, name: impl Branch) -> Tree {
    el("LI").child(el("I").set("class", format!("sw {class}"))).child(name)
}

/// A button that asks the question with `set`; nothing where that is no question. Back undoes it.
pub(crate) fn try_it(question: &Question, set: &[Map<String, Value>], name: &str, lang: Lang) -> Option<Tree> {
    asking(question, set, lang.sheets().try_it, name)
}

/// A button with words of its own that asks the question with `set`.
pub(crate) fn asking(question: &Question, set: &[Map<String, Value>], words: &'static str, name: &str) -> Option<Tree> {
    let changed = set.iter().try_fold(question.clone(), |question, set| apply(&question, set))?;
    Some(
        el("BUTTON.btn btn-s|type=button")
            .asks(&changed)
            .child(words)
            .child(el("SPAN.vh").child(format!(" {name}"))),
    )
}

/// Buttons that save the figure they stand in; `public/figure.js` does it.
pub(crate) fn files() -> Tree {
    let save = |kind: &'static str, name: &'static str| {
        el("BUTTON.btn btn-s btn-q|type=button")
            .set("data-figure", kind)
            .child(icon("i-down"))
            .child(name)
    };
    el("P.plans-f files").children([save("svg", "SVG"), save("png", "PNG"), save("csv", "CSV")])
}

/// A button that says how a figure comes about. `figure` is its name in `shardwise_core::methods`.
pub(crate) fn how(figure: &'static str, name: &str, lang: Lang) -> Tree {
    let text = lang.text();
    el("BUTTON.how|type=button|popovertarget=how")
        .set("data-how", figure)
        .set("aria-label", fill(text.how_of, &[name]))
        .child(text.how)
}

/// A button that copies the text of the element called `id`; where there is no clipboard it selects it, to be copied by
/// hand. The style sheet shows what it says.
pub(crate) fn copy(id: &'static str, lang: Lang) -> Tree {
    let text = lang.text();
    let face = |class: &'static str, symbol: &str, words: &'static str| {
        el("SPAN").set("class", class).child(icon(symbol)).child(words)
    };
    el("BUTTON.btn btn-s says|type=button|aria-live=polite")
        .set("data-copy", id)
        .child(face("says-0", "i-copy", text.copy))
        .child(face("says-yes", "i-check", text.copied))
        .child(face("says-no", "i-warn", text.select_copy))
}

/// With its sign; nothing is nothing.
pub(crate) fn signed(text: String) -> String {
    let zero = !text.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    if zero {
        "0".to_owned()
    } else if text.contains('−') {
        text
    } else {
        format!("+{text}")
    }
}

/// Dollars with their sign before them.
pub(crate) fn signed_usd(usd: f64) -> String {
    let text = signed(format::figure(usd));
    match text.chars().next() {
        Some(sign @ ('+' | '−')) => text.replacen(sign, &format!("{sign}$"), 1),
        _ => format!("${text}"),
    }
}

/// A section that is one chart, as the worker writes it.
pub(crate) struct Figure {
    /// Its address; its heading and its sentence are named after it.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// What stands beside the heading.
    pub(crate) tools: Option<Tree>,
    /// What is to be seen, in a sentence: the chart's name too.
    pub(crate) take: String,
    /// Units and the like.
    pub(crate) note: String,
    /// The chart.
    pub(crate) plot: Option<Tree>,
    /// Its colours.
    pub(crate) legend: Option<Tree>,
    /// The chart's numbers as a table.
    pub(crate) table: Tree,
}

/// The name of a figure's sentence.
pub(crate) fn label(id: &str) -> String {
    format!("c-{id}")
}

impl Figure {
    /// The section.
    pub(crate) fn view(self) -> Tree {
        let heading = format!("{}-h", self.id);
        el("SECTION.block")
            .set("id", self.id)
            .set("aria-labelledby", heading.clone())
            .child(
                el("DIV.block-h")
                    .child(el("H2").set("id", heading).child(self.title))
                    .child(self.tools),
            )
            .child(
                el("FIGURE.fgr")
                    .child(
                        el("FIGCAPTION")
                            .child(el("P.take").set("id", label(self.id)).child(self.take))
                            .child(el("P.note").child(self.note)),
                    )
                    .child(self.plot)
                    .child(el("DIV.fgr-f").child(self.legend).child(self.table)),
            )
    }
}

/// A drawing of a figure, with what pointing at its marks says.
pub(crate) fn plot(id: &str, drawing: Drawing, marks: Vec<Target>, about: Vec<Vec<String>>) -> Tree {
    let targets = targets(&drawing, marks, about, label(id));
    el("DIV.plot").child(image(drawing, label(id))).child(targets)
}

/// A figure's table, folded; `columns` decides when it folds to cards.
pub(crate) fn folded_table(
    id: &str,
    name: &str,
    columns: usize,
    heads: Vec<Tree>,
    rows: Vec<Tree>,
    lang: Lang,
) -> Tree {
    let text = lang.text();
    let table = el("TABLE")
        .set("class", format!("tab cols-{columns}"))
        .child(el("THEAD").child(el("TR").children(heads)))
        .child(el("TBODY").children(rows));
    el("DETAILS.data")
        .set("id", format!("{id}-table"))
        .child(el("SUMMARY").child(icon("i-table")).child(text.table))
        .child(region(fill(text.table_of, &[name]), table))
        .child(files())
}
