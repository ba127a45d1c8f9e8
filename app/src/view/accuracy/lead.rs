//! The sentence on top of a tab, and its four figures.

use super::state::{Page, share};
use super::strips::kind_name;
use crate::runs::{By, Case, Figure, Kind, Overview};
use crate::view::prelude::*;

/// The level that a person asks for unless they say otherwise.
const ASKED: f64 = 0.95;

/// A figure: its name, itself, and what stands below it.
type Fig = (String, String, String);

fn whole(value: f64) -> String {
    format::percent(value, 0)
}

/// How often what was so sure to fit did.
fn held(overview: &Overview, asked: f64) -> Option<(f64, u32)> {
    let own = overview.sure.iter().find(|own| (own.asked - asked).abs() < 1e-9)?;
    Some((own.held, own.rows))
}

/// The errors that a tab leads with.
fn leading(page: Page, overview: &Overview, case: Case) -> Option<Figure> {
    match page.kind.get() {
        Kind::Step => overview.figure(Kind::Step, By::Kind, "step", case).cloned(),
        _ => page.tier(overview, "headline", case),
    }
}

/// The heading and the sentence below it.
fn sentences(page: Page, overview: &Overview) -> Option<(String, String)> {
    let text = page.text();
    let half = share(leading(page, overview, Case::LeftOut)?.median);
    Some(match page.kind.get() {
        Kind::Speed => {
            let full = page.tier(overview, "headline", Case::LeftOut)?;
            let rest = page.tier(overview, "other", Case::LeftOut)?;
            let lead = [&count(full.runs), &count(rest.runs), &share(rest.median)];
            (fill(text.head_training, &[&half]), fill(text.lead_training, &lead.map(String::as_str)))
        }
        Kind::Memory => {
            let (held, rows) = held(overview, ASKED)?;
            let asked = whole(ASKED);
            let head = fill(text.head_memory, &[&asked, &whole(held)]);
            (head, fill(text.lead_memory, &[&count(rows), &asked]))
        }
        Kind::Generation => (fill(text.head_generation, &[&half]), text.lead_generation.to_owned()),
        Kind::Step => (fill(text.head_step, &[&half]), text.lead_step.to_owned()),
    })
}

/// The group that is furthest off.
fn worst(page: Page, overview: &Overview) -> Option<Fig> {
    let text = page.text();
    let kind = page.kind.get();
    let groups = overview.groups(kind, By::Kind).into_iter();
    // What is in no fit, and what is a sum of the others, is no kind of its own.
    let own = groups.filter(|own| match kind {
        Kind::Step => own.name != "step",
        _ => own.covered.is_some(),
    });
    let worst = own.max_by(|a, b| a.median.partial_cmp(&b.median).unwrap_or(std::cmp::Ordering::Equal))?;
    let (name, counted) = match kind {
        Kind::Step => (text.worst_phase, text.count_steps),
        _ => (text.worst_kind, text.count_runs),
    };
    let comma = page.lang.comma();
    let label = kind_name(text, &worst.name);
    let below = format!("{label}{comma}{}", fill(counted, &[&count(worst.runs)]));
    Some((name.to_owned(), share(worst.median), below))
}

/// Of times: the median and its like, each left out and, below, fitted.
fn figures_of_time(page: Page, overview: &Overview) -> Option<Vec<Fig>> {
    let text = page.text();
    let (own, fitted) = (leading(page, overview, Case::LeftOut)?, leading(page, overview, Case::Predicted)?);
    let sub = |value: Option<f64>| fill(text.sub_fitted, &[&share(value)]);
    let first = if page.kind.get() == Kind::Step { text.median_step } else { text.median_left_out };
    let interval = own
        .covered
        .map(|covered| (fill(text.holds, &[&page.coverage()]), whole(covered), fill(text.aim, &[&page.coverage()])));
    let mut figures = vec![
        (first.to_owned(), share(own.median), sub(fitted.median)),
        (text.nine_in_ten.to_owned(), share(own.p90), sub(fitted.p90)),
    ];
    figures.extend(interval);
    figures.extend(worst(page, overview));
    Some(figures)
}

/// A number of runs, thousands apart.
fn count(runs: u32) -> String {
    format::grouped(u64::from(runs))
}

/// Of memory: whether what was said to fit did comes first.
fn figures_of_memory(page: Page, overview: &Overview) -> Option<Vec<Fig>> {
    let text = page.text();
    let (right, rows) = held(overview, ASKED)?;
    let others = [0.8, 0.99].map(|asked| held(overview, asked).map_or(String::new(), |(held, _)| whole(held)));
    let (full, rest) = (page.tier(overview, "headline", Case::LeftOut)?, page.tier(overview, "other", Case::LeftOut)?);
    let mut figures = vec![
        (
            fill(text.sure_right, &[&whole(ASKED)]),
            whole(right),
            fill(text.sub_sure, &[&count(rows), &others[0], &others[1]]),
        ),
        (
            text.median_peak.to_owned(),
            share(full.median),
            fill(text.sub_peak, &[&count(full.runs), &share(rest.median), &count(rest.runs)]),
        ),
    ];
    if let Some(said) = overview.said {
        let of = |some: u32, all: u32| fill(text.of_all, &[&count(some), &count(all)]);
        figures.push((text.ran_unfit.to_owned(), of(said.ran_unfit, said.ran), text.sub_ran.to_owned()));
        figures.push((text.failed_fit.to_owned(), of(said.failed_fit, said.failed), text.sub_failed.to_owned()));
    }
    Some(figures)
}

#[component]
pub(super) fn Lead(page: Page) -> impl IntoView {
    let found = Memo::new(move |_| page.overview().and_then(|overview| sentences(page, &overview)));
    let head = move || found.get().map_or(page.lang.site().how_accurate.to_owned(), |(head, _)| head);
    let lead = move || found.get().map(|(_, lead)| lead);
    let figures = move || {
        let overview = page.overview()?;
        let figures = match page.kind.get() {
            Kind::Memory => figures_of_memory(page, &overview),
            _ => figures_of_time(page, &overview),
        };
        let figures = figures?.into_iter().map(|(name, value, below)| {
            view! {
                <div class="fig">
                    <dt>{name}</dt>
                    <dd><b>{value}</b></dd>
                    <dd class="sub">{below}</dd>
                </div>
            }
        });
        Some(view! { <dl class="figs figs-acc">{figures.collect_view()}</dl> })
    };
    view! {
        <header class="doc-h">
            <h1>{head}</h1>
            <p class="lead">{lead}</p>
        </header>
        {figures}
    }
}
