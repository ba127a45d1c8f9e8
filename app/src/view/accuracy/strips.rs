//! The errors of each group of runs as a strip: a dot for each run.

use crate::view::controls::Segments;

use super::state::{Page, Part, share};
use crate::runs::{By, Case, Figure, Kind, Overview, Runs};
use crate::text::{Accuracy as Text, fill};
use crate::view::prelude::*;

/// Height of a strip, in pixels; the style sheet says the same.
const HEIGHT: f64 = 30.0;

/// Half of the scale, as it is and where less holds too few of the tab's dots. What is further off stands at its end.
const SCALE: f64 = 0.6;
const WIDE: f64 = 1.0;

/// Share of the dots that the scale is to hold.
const HELD: f64 = 0.97;

/// Dots lie on so many sheets: where many overlap, it is darker.
const SHEETS: usize = 4;

/// From one dot to the next, up or down, as a share of the room: the golden ratio, so that neighbours are far apart.
const STEP: f64 = 0.618_034;

/// A kind with its name.
type Kinds = (&'static str, fn(&Text) -> &'static str);

/// Kinds in the order of the page. Others come after them, most runs first.
const KINDS: [Kinds; 20] = [
    ("dense_node", |text| text.k_dense_node),
    ("dense_nodes", |text| text.k_dense_nodes),
    ("experts_node", |text| text.k_experts_node),
    ("experts_nodes", |text| text.k_experts_nodes),
    ("megatron", |text| text.k_megatron),
    ("fsdp", |text| text.k_fsdp),
    ("other", |text| text.k_other),
    ("experts", |text| text.k_experts),
    ("hybrid", |text| text.k_hybrid),
    ("adapters", |text| text.k_adapters),
    ("one", |text| text.k_one),
    ("few", |text| text.k_few),
    ("many", |text| text.k_many),
    ("crowd", |text| text.k_crowd),
    ("step", |text| text.k_step),
    ("rollout", |text| text.k_rollout),
    ("old_log_prob", |text| text.k_old_log_prob),
    ("reference", |_| "reference"),
    ("update_actor", |text| text.k_update_actor),
    ("weight_sync", |text| text.k_weight_sync),
];

/// A kind's name, for a person; an engine's is its own.
pub(super) fn kind_name(text: &Text, name: &str) -> String {
    let known = KINDS.iter().find(|(known, _)| *known == name);
    known.map_or(name, |(_, of)| of(text)).to_owned()
}

/// A dimension's name.
pub(super) fn dimension(page: Page, by: By) -> &'static str {
    let text = page.text();
    match by {
        By::Kind if page.kind.get() == Kind::Step => text.by_phase,
        By::All | By::Kind => text.by_kind,
        By::Group => text.source,
        By::Gpu => text.by_gpu,
        By::Framework => text.by_framework,
        By::Family => text.by_family,
    }
}

/// The dimensions in which the tab's runs differ.
fn dimensions(page: Page, overview: &Overview) -> Vec<(By, &'static str)> {
    let kind = page.kind.get();
    let all = By::ALL.into_iter().filter(|by| *by != By::All);
    let differing = all.filter(|by| *by == By::Kind || overview.groups(kind, *by).len() > 1);
    differing.map(|by| (by, dimension(page, by))).collect()
}

/// Half of the scale of a tab, and whether anything lies beyond it.
fn scale(overview: &Overview, kind: Kind) -> (f64, bool) {
    let groups = overview.groups(kind, By::Kind);
    let dots: Vec<f64> = groups.iter().flat_map(|own| own.dots.iter().map(|dot| dot.abs())).collect();
    let within = |end: f64| dots.iter().filter(|dot| **dot <= end).count();
    let held = within(SCALE) as f64 >= HELD * dots.len() as f64;
    let end = if held { SCALE } else { WIDE };
    (end, within(end) < dots.len())
}

/// Where an error lies, as a share of the strip in percent; what is beyond the scale lies at its end.
fn across(error: f64, end: f64) -> f64 {
    50.0 + 50.0 * (error / end).clamp(-1.0, 1.0)
}

fn number(value: f64) -> String {
    format::fixed(value, 2)
}

/// The dots of a strip, as paths: each a line without length, whose ends are round.
fn dots(errors: &[f64], end: f64) -> Vec<String> {
    let mut paths = vec![String::new(); SHEETS.min(errors.len())];
    let sheets = paths.len().max(1);
    let room = if errors.len() > 60 { 17.0 } else { 11.0 };
    for (place, error) in errors.iter().enumerate() {
        let up = (place as f64 * STEP).fract();
        let (x, y) = (across(*error, end), 11.5 + room * (up - 0.5));
        if let Some(path) = paths.get_mut(place % sheets) {
            path.push_str(&format!("M{} {}h0", number(x), format::fixed(y, 1)));
        }
    }
    paths
}

/// A strip: the band of 20 %, the dots, and below them the line from the first to the last tenth with the median.
fn strip(figure: &Figure, errors: &[f64], end: f64) -> AnyView {
    let (from, to) = (across(-0.2, end), across(0.2, end));
    let band = format!("M{} 0H{}V{HEIGHT}H{}Z", number(from), number(to), number(from));
    let range = figure.low.zip(figure.high).map(|(low, high)| {
        let d = format!("M{} 25H{}", number(across(low, end)), number(across(high, end)));
        view! { <path class="rng" d=d/> }
    });
    let median = figure.bias.map(|bias| {
        let d = format!("M{} 20V{HEIGHT}", number(across(bias, end)));
        view! { <path class="med" d=d/> }
    });
    let dots = dots(errors, end).into_iter().map(|d| view! { <path class="dt" d=d/> });
    view! {
        <svg class="strip" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
            <path class="band2" d=band/>
            <path class="zero" d="M50 0V30"/>
            {dots.collect_view()}
            {range}
            {median}
        </svg>
    }
}

/// The groups in the order of the page.
fn groups(overview: &Overview, kind: Kind, by: By) -> Vec<Figure> {
    let mut found: Vec<Figure> = overview.groups(kind, by).into_iter().cloned().collect();
    if by == By::Kind {
        let place = |own: &Figure| KINDS.iter().position(|(name, _)| *name == own.name).unwrap_or(KINDS.len());
        found.sort_by_key(place);
    }
    found
}

/// The errors of a group: the file's, or those of its runs.
fn errors(page: Page, figure: &Figure, runs: Option<&Arc<Runs>>) -> Vec<f64> {
    if !figure.dots.is_empty() {
        return figure.dots.clone();
    }
    let group = (figure.by, figure.name.as_str());
    let mut found = runs.map(|runs| runs.errors(page.kind.get(), group)).unwrap_or_default();
    found.sort_by(f64::total_cmp);
    found
}

/// A group's row: its name, its strip, its errors in figures.
fn row(page: Page, overview: &Overview, figure: Figure, end: f64) -> AnyView {
    let text = page.text();
    let (kind, by) = (figure.kind, figure.by);
    let label = match (by, figure.name.as_str()) {
        (By::All, "headline") => text.all_full.to_owned(),
        (By::All, _) => text.all_partly.to_owned(),
        (_, name) => page.group_label(by, name),
    };
    // Phases, and engines that nothing is fitted on, have no runs to show alone.
    let has_runs = by != By::All && figure.covered.is_some() && !(kind == Kind::Step && by == By::Kind);
    let name = figure.name.clone();
    let is_chosen = move || page.group.with(|group| group.as_deref() == Some(name.as_str()));
    let title = if has_runs {
        let name = figure.name.clone();
        let is_pressed = is_chosen.clone();
        let was_chosen = is_chosen.clone();
        let choose = move |_| page.choose((!untrack(&was_chosen)).then(|| name.clone()));
        view! {
            <button class="pick" type="button" aria-pressed=move || is_pressed().to_string() on:click=choose>
                {label}
            </button>
        }
    } else {
        view! { <b>{label}</b> }
    };
    let counted =
        if by == By::Kind && kind == Kind::Step && figure.name == "step" { text.count_steps } else { text.count_runs };
    let counted = match figure.covered {
        None if kind == Kind::Generation => text.count_unfitted,
        _ => counted,
    };
    let counted = fill(counted, &[&format::grouped(figure.runs.into())]);
    let fitted = overview
        .figure(kind, by, &figure.name, Case::Predicted)
        .and_then(|own| own.median);
    // Nothing of memory's is fitted, and of some engines nothing is.
    let fitted = (kind != Kind::Memory && counted_in_fit(&figure)).then(|| share(fitted));
    let inside = figure.covered.map(|covered| format::percent(covered, 0));
    let nine = fill(text.in_nine, &[&share(figure.p90)]);
    let median = share(figure.median);
    let drawn = {
        let figure = figure.clone();
        move || {
            let runs = figure.dots.is_empty().then(|| page.runs_of(Part::Chart)).flatten();
            strip(&figure, &errors(page, &figure, runs.as_ref()), end)
        }
    };
    let cell = |name: &'static str, value: Option<String>| {
        view! {
            <span class="sv sv2">
                {value.map(|value| view! { <span class="vh">{name}" "</span>{value} })}
            </span>
        }
    };
    view! {
        <li class:is-sel=is_chosen class:sum=by == By::All>
            <span class="sn">{title}<small>{counted}</small></span>
            {drawn}
            <span class="sv"><span class="vh">{text.col_left_out}" "</span><b>{median}</b><small>{nine}</small></span>
            {cell(text.col_inside, inside)}
            {cell(text.col_fitted, fitted)}
        </li>
    }
}

/// Whether the fit holds the group's runs.
fn counted_in_fit(figure: &Figure) -> bool {
    figure.kind != Kind::Generation || figure.covered.is_some()
}

/// The list, with the heads of its columns.
fn list(page: Page) -> Option<AnyView> {
    let text = page.text();
    let overview = page.overview()?;
    let (kind, by) = (page.kind.get(), page.by.get());
    let (end, _) = scale(&overview, kind);
    let groups = groups(&overview, kind, by);
    if groups.is_empty() {
        return Some(view! { <p class="muted">{text.no_errors}</p> });
    }
    let tiers = [(By::All, "headline"), (By::All, "other")];
    let sums: Vec<Figure> = tiers
        .into_iter()
        .filter_map(|(by, name)| overview.figure(kind, by, name, Case::LeftOut).cloned())
        .collect();
    // One of them alone is what the page leads with.
    let sums = if sums.len() > 1 { sums } else { Vec::new() };
    let rows = groups.into_iter().chain(sums).map(|figure| row(page, &overview, figure, end));
    let edge = format::percent(end, 0);
    let fitted = if kind == Kind::Memory { "" } else { text.col_fitted };
    let view = view! {
        <ul class="strips" class:no-fit=kind == Kind::Memory>
            <li class="sh" aria-hidden="true">
                <span></span>
                <span class="sax"><i>"−"{edge.clone()}</i><i>{text.exact}</i><i>"+"{edge}</i></span>
                <span class="sv">{if kind == Kind::Memory { text.col_error } else { text.col_left_out }}</span>
                <span class="sv sv2">{fill(text.inside, &[&page.coverage()])}</span>
                <span class="sv sv2">{fitted}</span>
            </li>
            {rows.collect_view()}
        </ul>
    };
    Some(view)
}

#[component]
pub(super) fn Strips(page: Page) -> impl IntoView {
    let text = page.text();
    let title = move || match (page.kind.get(), page.by.get()) {
        (Kind::Step, By::Kind) => text.strips_phase,
        (_, By::Kind) => text.strips_kind,
        _ => text.errors,
    };
    let note = move || match page.kind.get() {
        Kind::Speed => text.note_training,
        Kind::Memory => text.note_memory,
        Kind::Generation => text.note_generation,
        Kind::Step => text.note_step,
    };
    let choices = move || {
        let overview = page.overview()?;
        let choices = dimensions(page, &overview);
        let several = choices.len() > 1;
        several.then(|| {
            view! { <Segments name=text.group_by choices chosen=page.by choose=move |by| page.group_by(by)/> }
        })
    };
    let direction = move || match page.kind.get() {
        Kind::Memory => text.right_memory,
        _ => text.right_speed,
    };
    let beyond = move || {
        let overview = page.overview()?;
        let (_, beyond) = scale(&overview, page.kind.get());
        beyond.then(|| view! { <li>{text.beyond}</li> })
    };
    let own = move || match page.kind.get() {
        Kind::Memory => text.dot_memory,
        _ => text.dot_left_out,
    };
    view! {
        <section class="block" aria-labelledby="errors-h">
            <h2 id="errors-h">{title}</h2>
            <p class="note">{note}</p>
            <div class="tools">{choices}</div>
            {move || list(page)}
            <ul class="legend st-leg">
                <li><span class="sw dtl"></span>{own}</li>
                <li><span class="sw band2l"></span>{text.within_band}</li>
                <li><span class="medl"></span>{text.median_signed}</li>
                <li><span class="rngl"></span>{text.tenths}</li>
                <li>{direction}</li>
                {beyond}
            </ul>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::{across, dots};

    #[test]
    fn every_run_is_a_dot_and_none_leaves_the_strip() {
        let errors = [-2.0, -0.1, 0.0, 0.3, 5.0];
        let paths = dots(&errors, 0.6);
        assert_eq!(paths.iter().map(|path| path.matches('M').count()).sum::<usize>(), errors.len());
        assert_eq!([-2.0, 0.0, 5.0].map(|error| across(error, 0.6)), [0.0, 50.0, 100.0]);
        assert!(dots(&[], 0.6).is_empty());
    }
}
