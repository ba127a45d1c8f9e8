//! The runs behind the chart, one by one.

use std::sync::Arc;

use super::super::dom::{El, all, el, live, node, part, press, typed};
use super::super::figure::cell;
use super::chart::{signed, source};
use super::errors::dimension;
use super::summary::coverage;
use super::{Page, framework, group_label};
use crate::browser;
use crate::format;
use crate::runs::{By, Column, Run, Runs};
use crate::text::fill;
use crate::words;
use leptos::prelude::*;

/// How many runs are shown before "show all".
const TOP: usize = 15;

pub(super) fn view(page: Page) -> AnyView {
    let text = page.text();
    let counted = move || {
        let runs = page.runs()?;
        let total = runs.shown(page.kind.get(), page.case.get(), None).len();
        let total = total.to_string();
        let Some(group) = page.group_label() else {
            return Some(fill(text.runs_all, &[&total, page.unit()]));
        };
        let some = page.chosen(&runs).len().to_string();
        Some(fill(text.runs_some, &[&some, &total, &group, page.unit()]))
    };
    el("SECTION.block runs|id=runs|aria-labelledby=runs-h")
        .child(
            el("DIV.block-h")
                .child(el("H2|id=runs-h").child(text.runs))
                .child(part(move || choices(page)))
                .child(el("P|aria-live=polite").child(live(counted))),
        )
        .child(part(move || table(page)))
        .child(part(move || more(page)))
        .into_any()
}

/// The columns: the error where the file holds any.
fn columns(page: Page, runs: &Runs) -> Vec<Column> {
    let (kind, case) = (page.kind.get(), page.case.get());
    let has_error = runs.runs.iter().any(|run| {
        let quantity = run.quantity(kind);
        quantity.is_some_and(|quantity| quantity.error_of(case).is_some())
    });
    let all = Column::ALL.iter().map(|(column, _)| *column);
    all.filter(|column| *column != Column::Error || has_error).collect()
}

fn name(page: Page, runs: &Runs, column: Column) -> String {
    let text = page.text();
    let name = match column {
        Column::Model => text.col_model,
        Column::Gpu => text.by_gpu,
        Column::Gpus => text.col_gpus,
        Column::Framework => text.by_framework,
        Column::Precision => text.col_precision,
        Column::Source => text.source,
        Column::Date => text.col_date,
        Column::Measured => text.col_measured,
        Column::Predicted => text.col_predicted,
        Column::LeftOut => text.col_left_out,
        Column::Error => text.col_error,
        Column::Interval => return fill(text.col_interval, &[&coverage(runs)]),
    };
    name.to_owned()
}

/// What is shown alone, and, where the heads of the columns have no room, the order.
fn choices(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs()?;
    let by = page.by.get();
    let option = |value: String, words: String, chosen: bool| {
        el("OPTION").set("value", value).flag("selected", move || chosen).child(words)
    };
    let group = page.group.get();
    let groups = runs.groups(page.kind.get(), by, page.case.get()).into_iter().map(|figure| {
        let chosen = group.as_deref() == Some(figure.name.as_str());
        option(figure.name.clone(), group_label(by, &figure.name), chosen)
    });
    let choose = move |value: String| page.choose((!value.is_empty()).then_some(value));
    let only = el("LABEL")
        .child(el("SPAN").child(format!("{} · {}", text.show_only, dimension(page, by))))
        .child(
            el("SELECT|id=only")
                .on("change", typed(choose))
                .child(option(String::new(), text.everything.to_owned(), group.is_none()))
                .children(groups),
        );
    let (sorted, down) = page.sort.get();
    let orders = columns(page, &runs).into_iter().flat_map(|column| {
        let word = Column::ALL
            .iter()
            .find(|(known, _)| *known == column)
            .map_or("", |(_, word)| word);
        let runs = Arc::clone(&runs);
        [false, true].map(move |falls| {
            let arrow = if falls { "↓" } else { "↑" };
            let chosen = column == sorted && falls == down;
            let value = format!("{word} {}", if falls { "down" } else { "up" });
            let words = format!("{} {arrow}", name(page, &runs, column));
            option(value, words, chosen)
        })
    });
    let sort = move |value: String| {
        let (word, order) = value.split_once(' ').unwrap_or((&value, ""));
        if let Some((column, _)) = Column::ALL.iter().find(|(_, known)| *known == word) {
            page.sort.set((*column, order == "down"));
        }
    };
    let order = el("LABEL.order")
        .child(el("SPAN").child(text.sort_by))
        .child(el("SELECT|id=order").on("change", typed(sort)).children(orders));
    Some(el("DIV.picks tools").child(only).child(order).into_any())
}

fn table(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs()?;
    let columns = columns(page, &runs);
    let (sorted, down) = page.sort.get();
    let mut shown = page.chosen(&runs);
    runs.sort(&mut shown, sorted, down, page.kind.get(), page.case.get());
    if !page.whole.get() {
        shown.truncate(TOP);
    }
    let heads = columns.iter().map(|&column| {
        let here = column == sorted;
        let falls = here && down;
        let th = el(if right(column) { "TH.n|scope=col" } else { "TH|scope=col" });
        let th = match (here, falls) {
            (true, true) => th.set("aria-sort", "descending"),
            (true, false) => th.set("aria-sort", "ascending"),
            (false, _) => th,
        };
        // A second press turns the order round; numbers begin with the largest.
        let next = if here { !down } else { column.is_number() };
        let arrow = match (here, falls) {
            (true, true) => " ↓",
            (true, false) => " ↑",
            (false, _) => "",
        };
        th.child(
            el("BUTTON.sort|type=button")
                .set("id", format!("sort-{}", name_of(column)))
                .on(
                    "click",
                    press(move || {
                        page.sort.set((column, next));
                        // The heads are drawn anew.
                        let id = format!("sort-{}", name_of(column));
                        let back = Box::new(move || browser::focus(&id));
                        browser::after(0, back).forget();
                    }),
                )
                .child(name(page, &runs, column))
                .child(el("SPAN|aria-hidden=true").child(arrow)),
        )
    });
    let open = el("TH|scope=col").child(el("SPAN.vh").child(text.col_open));
    let heads = el("TR").children(heads).child(open);
    let rows = shown
        .iter()
        .filter_map(|place| runs.runs.get(*place))
        .map(|run| row(page, &runs, run, &columns));
    let table = el("TABLE.tab tab-runs")
        .child(el("CAPTION.vh").child(text.runs))
        .child(el("THEAD").child(heads))
        .child(el("TBODY").child(all(rows)));
    Some(
        el("DIV.tw|role=group|tabindex=0")
            .set("aria-label", fill(text.as_table, &[text.runs]))
            .child(table)
            .into_any(),
    )
}

/// The word of a column in addresses and names.
fn name_of(column: Column) -> &'static str {
    Column::ALL
        .iter()
        .find(|(known, _)| *known == column)
        .map_or("", |(_, word)| word)
}

/// Whether a column is aligned with its figures.
fn right(column: Column) -> bool {
    column.is_number() && column != Column::Date
}

fn row(page: Page, runs: &Runs, run: &Run, columns: &[Column]) -> El {
    let text = page.text();
    let quantity = run.quantity(page.kind.get());
    let figure = |value: Option<f64>| value.map(|value| page.figure(value)).unwrap_or_default();
    let words = |column: Column, value: String| node(el("TD").set("data-l", name(page, runs, column)).child(value));
    let cells = columns.iter().map(|&column| {
        let label = name(page, runs, column);
        match column {
            Column::Model => el("TH|scope=row").child(run.model.clone()).into_any(),
            Column::Gpu => words(column, group_label(By::Gpu, &run.gpu)),
            Column::Gpus => cell(label, format::grouped(run.gpus.into())),
            Column::Framework => words(column, framework(&run.framework)),
            Column::Precision => words(column, run.precision.clone()),
            Column::Source => el("TD").set("data-l", label).child(source(page, run, &run.group)).into_any(),
            Column::Date => words(column, run.date.clone()),
            Column::Measured => cell(label, figure(quantity.and_then(|it| it.measured))),
            Column::Predicted => cell(label, figure(quantity.and_then(|it| it.predicted))),
            Column::LeftOut => cell(label, figure(quantity.and_then(|it| it.left_out))),
            Column::Error => {
                let error = quantity.and_then(|it| it.error_of(page.case.get()));
                cell(label, error.map(signed).unwrap_or_default())
            }
            Column::Interval => {
                let range = quantity.and_then(|it| page.range(it));
                cell(label, range.unwrap_or_default())
            }
        }
    });
    let name = format!(" {} · {}", run.model, words::gpu_label(&run.gpu));
    let open = el("TD").child(
        el("A")
            .set("href", page.question(&run.link))
            .child(text.open)
            .child(el("SPAN.vh").child(name)),
    );
    el("TR").children(cells).child(open)
}

fn more(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs()?;
    let total = page.chosen(&runs).len();
    let whole = page.whole.get();
    let words = if whole { text.show_fewer.to_owned() } else { fill(text.show_all, &[&total.to_string()]) };
    let button = el("BUTTON.btn btn-s|type=button|id=all-runs")
        .set("aria-expanded", whole.to_string())
        .on("click", press(move || page.whole.set(!whole)))
        .child(words);
    (total > TOP).then(|| el("P.plans-f").child(button).into_any())
}
