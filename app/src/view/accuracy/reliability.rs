//! How often what was said to fit did: the probability of memory estimates of left-out sources, by tenths.

use leptos::prelude::*;

use super::super::dom::{all, el, node, part};
use super::super::figure::{cell, head, region};
use super::Page;
use crate::format;
use crate::runs::Decile;
use crate::text::fill;

/// The drawing's square, and the room for its scales, in units of its own.
const SIDE: f64 = 260.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 10.0;

/// How far the observed share may be from the predicted: 8 points.
const BAND: f64 = 0.08;

/// Area of a dot that stands for one run.
const AREA: f64 = 6.0;

fn across(share: f64) -> f64 {
    LEFT + share * SIDE
}

fn up(share: f64) -> f64 {
    TOP + (1.0 - share) * SIDE
}

fn number(value: f64) -> String {
    format::fixed(value, 1)
}

fn line(from: (f64, f64), to: (f64, f64)) -> String {
    let [x, y, to_x, to_y] = [across(from.0), up(from.1), across(to.0), up(to.1)].map(number);
    format!("M{x} {y}L{to_x} {to_y}")
}

/// The band around the diagonal, inside the square.
fn band() -> String {
    let corners = [(0.0, 0.0), (0.0, BAND), (1.0 - BAND, 1.0), (1.0, 1.0), (1.0, 1.0 - BAND), (BAND, 0.0)];
    let corners = corners.map(|(x, y)| format!("{} {}", number(across(x)), number(up(y))));
    format!("M{}Z", corners.join("L"))
}

fn drawing(page: Page, deciles: &[Decile]) -> AnyView {
    let text = page.text();
    let path = |class: &'static str, d: String| el("path").set("class", class).set("d", d);
    let scale = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|share| {
        let words = format::percent(share, 0);
        let word = |x: f64, y: f64, anchor: &'static str| {
            el("text.t-l")
                .set("x", number(x))
                .set("y", number(y))
                .set("text-anchor", anchor)
                .child(words.clone())
        };
        node(vec![
            path("grid", line((share, 0.0), (share, 1.0))).into_any(),
            path("grid", line((0.0, share), (1.0, share))).into_any(),
            word(across(share), up(0.0) + 18.0, "middle").into_any(),
            word(LEFT - 6.0, up(share) + 4.0, "end").into_any(),
        ])
    });
    let dots = deciles.iter().map(|own| {
        let radius = (AREA * f64::from(own.rows) / std::f64::consts::PI).sqrt();
        el("circle.pt-full")
            .set("cx", number(across(own.predicted)))
            .set("cy", number(up(own.observed)))
            .set("r", number(radius.clamp(3.0, 16.0)))
    });
    el("svg.c|viewBox=0 0 320 320|role=img|aria-labelledby=c-reliability")
        .children(scale)
        .child(path("rel-band", band()))
        .child(path("guide ideal", line((0.0, 0.0), (1.0, 1.0))))
        .children(dots)
        .child(
            el("text.t-l|text-anchor=middle|y=314")
                .set("x", number(across(0.5)))
                .child(text.rel_across),
        )
        .into_any()
}

/// How many runs lie in tenths that are as often right as said, within the band.
fn within(deciles: &[Decile]) -> (u32, u32) {
    let all = deciles.iter().map(|own| own.rows).sum();
    let near = |own: &&Decile| (own.observed - own.predicted).abs() <= BAND + 1e-9;
    (deciles.iter().filter(near).map(|own| own.rows).sum(), all)
}

/// The section; nothing where the file says nothing of it.
pub(super) fn view(page: Page) -> AnyView {
    part(move || {
        let runs = page.runs()?;
        let deciles = &runs.reliability;
        if deciles.is_empty() {
            return None;
        }
        let text = page.text();
        let (near, all_rows) = within(deciles);
        let percent = |share: f64| format::percent(share, 0);
        let take = fill(text.rel_take, &[&near.to_string(), &all_rows.to_string(), &format::fixed(BAND * 100.0, 0)]);
        let rows = deciles.iter().map(|own| {
            let tenth = format!("{}–{}", format::fixed(own.from * 100.0, 0), percent(own.to));
            el("TR")
                .child(el("TH|scope=row").child(tenth))
                .child(cell(text.rel_predicted, percent(own.predicted)))
                .child(cell(text.rel_observed, percent(own.observed)))
                .child(cell(text.col_runs, own.rows.to_string()))
        });
        let heads = vec![
            head(text.rel_tenth, false),
            head(text.rel_predicted, true),
            head(text.rel_observed, true),
            head(text.col_runs, true),
        ];
        let table = el("TABLE.tab cols-4")
            .child(el("THEAD").child(el("TR").child(node(heads))))
            .child(el("TBODY").child(node(all(rows))));
        Some(
            el("SECTION.reliability|id=reliability|aria-labelledby=reliability-h")
                .child(el("H2|id=reliability-h").child(text.rel_title))
                .child(el("P.take|id=c-reliability").child(take))
                .child(el("P.note").child(text.rel_note))
                .child(
                    el("DIV.rel")
                        .child(drawing(page, deciles))
                        .child(region(fill(text.as_table, &[text.rel_title]), table)),
                ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{band, within};
    use crate::runs::Decile;

    #[test]
    fn what_is_within_the_band_is_counted() {
        let own = |predicted, observed, rows| Decile { from: 0.9, to: 1.0, predicted, observed, rows };
        let all = [own(0.95, 0.9, 20), own(0.5, 0.58, 5), own(0.3, 0.5, 3)];
        assert_eq!(within(&all), (25, 28));
        assert!(band().starts_with("M44.0 270.0L") && band().ends_with('Z'));
    }
}
