//! The sentence on top, its figures, what is shown, and how it was measured.

use super::super::dom::{el, live, node, part, press};
use leptos::prelude::*;

use super::{Page, browser};
use crate::format;
use crate::runs::{Case, Kind, Runs};
use crate::text::{Accuracy as Text, fill};

/// An error or a share, as the page writes them.
pub(super) fn share(value: Option<f64>) -> String {
    match value {
        Some(value) if value.abs() < 0.0995 => format::percent(value, 1),
        Some(value) => format::percent(value, 0),
        None => "–".to_owned(),
    }
}

/// The share that an interval is meant to hold.
pub(super) fn coverage(runs: &Runs) -> String {
    format::percent(runs.coverage, 0)
}

pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    let sentence = move || {
        let found = page.runs().and_then(|runs| {
            let figure = page.headline(&runs, page.case.get())?;
            let sentence = match page.kind.get() {
                Kind::Speed => text.take_speed,
                Kind::Memory => text.take_memory,
            };
            let runs = format::grouped(figure.runs.into());
            Some(fill(sentence, &[&runs, &share(figure.median)]))
        });
        found.unwrap_or_else(|| page.lang.site().how_accurate.to_owned())
    };
    let lead = move || {
        let case = page.case.get();
        let runs = page.runs()?;
        let figure = page.headline(&runs, case)?;
        let values = [share(figure.p90), coverage(&runs), format::percent(figure.covered?, 0)];
        let held = fill(text.lead, &[&values[0], &values[1], &values[2]]);
        let basis = match case {
            Case::Predicted => text.lead_fitted,
            Case::LeftOut => text.lead_left_out,
        };
        let space = if held.ends_with('.') { " " } else { "" };
        Some(format!("{held}{space}{basis}"))
    };
    let head = el("HEADER.doc-h")
        .child(el("P.kicker").child(page.lang.site().accuracy))
        .child(el("H1").child(live(sentence)))
        .child(el("P.lead").child(live(lead)));
    vec![node(head), node(choices(page)), node(part(move || figures(page)))].into_any()
}

/// A choice among a few: one button each.
pub(super) fn segments<T: PartialEq + Copy + Send + Sync + 'static>(
    name: &'static str,
    choices: &[(T, &'static str)],
    chosen: impl Fn() -> T + Copy + Send + Sync + 'static,
    choose: impl Fn(T) + Copy + 'static,
) -> AnyView {
    let buttons = choices.iter().map(|&(value, words)| {
        el("BUTTON.seg-b|type=button")
            .live("aria-pressed", move || (chosen() == value).to_string())
            .on("click", press(move || choose(value)))
            .child(words)
    });
    el("DIV.seg|role=group").set("aria-label", name).children(buttons).into_any()
}

fn choices(page: Page) -> AnyView {
    let text = page.text();
    let kinds = [(Kind::Speed, text.speed), (Kind::Memory, text.memory)];
    let cases = [(Case::Predicted, text.fitted), (Case::LeftOut, text.left_out)];
    el("DIV.acc-tools tools")
        .child(segments(
            text.quantity,
            &kinds,
            move || page.kind.get(),
            move |kind| page.show(kind, page.case.get_untracked()),
        ))
        .child(segments(
            text.prediction,
            &cases,
            move || page.case.get(),
            move |case| page.show(page.kind.get_untracked(), case),
        ))
        .into_any()
}

/// The headline's four figures, each with the other prediction's below it.
fn figures(page: Page) -> Option<AnyView> {
    let text: &Text = page.text();
    let case = page.case.get();
    let (other, words) = match case {
        Case::Predicted => (Case::LeftOut, text.sub_left_out),
        Case::LeftOut => (Case::Predicted, text.sub_fitted),
    };
    let runs = page.runs()?;
    let (figure, other) = (page.headline(&runs, case)?, page.headline(&runs, other));
    let fig = |name: &'static str, value: Option<f64>, below: Option<String>| {
        el("DIV.fig")
            .child(el("DT").child(name))
            .child(el("DD").child(el("B").child(share(value))))
            .child(below.map(|below| el("DD.sub").child(below)))
    };
    let below = |value: Option<Option<f64>>| value.map(|value| fill(words, &[&share(value)]));
    let list = el("DL.figs figs-acc")
        .child(fig(text.median_error, figure.median, below(other.as_ref().map(|other| other.median))))
        .child(fig(text.mean_error, figure.mean, below(other.as_ref().map(|other| other.mean))))
        .child(fig(text.nine_in_ten, figure.p90, below(other.as_ref().map(|other| other.p90))))
        .child(fig(text.holds, figure.covered, Some(fill(text.aim, &[&coverage(&runs)]))));
    Some(list.into_any())
}

/// How it was measured, and the file itself.
pub(super) fn method(page: Page, runs: &Runs) -> AnyView {
    let text = page.text();
    let interval = fill(text.method_interval, &[&coverage(runs)]);
    let file = browser::root_says(super::FILE).unwrap_or_default();
    el("SECTION.block prose|aria-labelledby=method-h")
        .child(el("H2|id=method-h").child(text.method))
        .child(el("P").child(text.method_run))
        .child(el("P").child(text.method_left_out))
        .child(el("P").child(text.method_headline))
        .child(el("P").child(interval))
        .child(
            el("P").child(
                el("A")
                    .set("href", file)
                    .set("download", "shardwise-runs.json")
                    .child(text.whole_file),
            ),
        )
        .into_any()
}
