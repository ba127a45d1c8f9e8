//! How often what was said to fit did: the probability of memory estimates of left-out sources, by tenths.

use crate::view::figure::{cell, framed, head};

use super::state::Page;
use crate::runs::{Decile, Kind};
use crate::view::prelude::*;

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

fn percent(share: f64) -> String {
    format::percent(share, 0)
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

#[component]
fn Drawing(page: Page, deciles: Vec<Decile>) -> impl IntoView {
    let scale = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
    let grid: String = scale
        .iter()
        .map(|share| line((*share, 0.0), (*share, 1.0)) + &line((0.0, *share), (1.0, *share)))
        .collect();
    let words = scale.map(|share| {
        let (x, y) = (number(across(share)), number(up(share) + 4.0));
        view! {
            <text class="t-l" x=x y=number(up(0.0) + 18.0) text-anchor="middle">{percent(share)}</text>
            <text class="t-l" x=number(LEFT - 6.0) y=y text-anchor="end">{percent(share)}</text>
        }
    });
    let dots = deciles.into_iter().map(|own| {
        let radius = (AREA * f64::from(own.rows) / std::f64::consts::PI).sqrt();
        let (x, y) = (number(across(own.predicted)), number(up(own.observed)));
        view! { <circle class="pt-full" cx=x cy=y r=number(radius.clamp(3.0, 16.0))></circle> }
    });
    view! {
        <svg class="c" viewBox="0 0 320 320" role="img" aria-labelledby="c-reliability">
            <path class="grid" d=grid/>
            {words.collect_view()}
            <path class="rel-band" d=band()/>
            <path class="guide ideal" d=line((0.0, 0.0), (1.0, 1.0))/>
            {dots.collect_view()}
            <text class="t-l" x=number(across(0.5)) y="314" text-anchor="middle">{page.text().rel_across}</text>
        </svg>
    }
}

/// How many runs lie in tenths that are as often right as said, within the band.
fn within(deciles: &[Decile]) -> (u32, u32) {
    let all = deciles.iter().map(|own| own.rows).sum();
    let near = |own: &&Decile| (own.observed - own.predicted).abs() <= BAND + 1e-9;
    (deciles.iter().filter(near).map(|own| own.rows).sum(), all)
}

/// The section, on the tab of memory; nothing where the file says nothing of it.
pub(super) fn reliability(page: Page) -> AnyView {
    let section = move || {
        let deciles = page.overview()?.reliability.clone();
        if deciles.is_empty() || page.kind.get() != Kind::Memory {
            return None;
        }
        let text = page.text();
        let (near, all) = within(&deciles);
        let take = fill(text.rel_take, &[&near.to_string(), &all.to_string(), &format::fixed(BAND * 100.0, 0)]);
        let rows = deciles.iter().map(|own| {
            let tenth = format!("{}–{}", format::fixed(own.from * 100.0, 0), percent(own.to));
            view! {
                <tr>
                    <th scope="row">{tenth}</th>
                    {cell(text.rel_predicted, percent(own.predicted))}
                    {cell(text.rel_observed, percent(own.observed))}
                    {cell(text.col_runs, own.rows.to_string())}
                </tr>
            }
        });
        let rows = rows.collect_view().into_any();
        let heads = view! {
            {head(text.rel_tenth, false)}
            {[text.rel_predicted, text.rel_observed, text.col_runs].map(|name| head(name, true))}
        };
        Some(view! {
            <section class="block reliability" id="reliability" aria-labelledby="reliability-h">
                <h2 id="reliability-h">{text.rel_title}</h2>
                <p class="take" id="c-reliability">{take}</p>
                <p class="note">{text.rel_note}</p>
                <div class="rel">
                    <Drawing page deciles/>
                    {framed(fill(text.as_table, &[text.rel_title]), "tab cols-4", heads, rows)}
                </div>
            </section>
        })
    };
    section.into_any()
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
