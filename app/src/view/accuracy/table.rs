//! The runs behind the chart, one by one.

use super::parts::Source;
use super::state::{Page, Part, framework, signed};
use super::strips::dimension;
use crate::runs::{By, Column, Kind, Run, Runs};
use crate::view::figure::{Region, ShowAll};
use crate::view::prelude::*;

/// How many runs are shown before "show all".
const TOP: usize = 15;

/// As many rows are built in one task at least.
const SLICE: usize = 10;

/// The part of the rows that stand already which is built in one task: the browser lays the whole table out anew after each.
const PART: usize = 8;

/// The columns: those that say something of a run of the tab.
fn columns(page: Page, runs: &Runs) -> Vec<Column> {
    let kind = page.kind.get();
    let shown = runs.shown(kind, None);
    let any = |says: &dyn Fn(&Run) -> bool| shown.iter().any(|place| runs.runs.get(*place).is_some_and(says));
    let quantity = |run: &Run, of: fn(&crate::runs::Quantity) -> Option<f64>| run.quantity(kind).and_then(of).is_some();
    let all = Column::ALL.into_iter();
    let told = all.filter(|column| match column {
        Column::Date => any(&|run| !run.date.is_empty()),
        Column::Error => any(&|run| quantity(run, |own| own.left_out_error)),
        // Nothing of memory's is fitted.
        Column::Predicted => kind != Kind::Memory && any(&|run| quantity(run, |own| own.predicted)),
        Column::Interval => any(&|run| quantity(run, |own| own.low)),
        _ => true,
    });
    told.collect()
}

fn name(page: Page, column: Column) -> String {
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
        Column::LeftOut if page.kind.get() == Kind::Memory => text.col_estimated,
        Column::LeftOut => text.col_left_out,
        Column::Error => text.col_error,
        Column::Predicted => text.col_fitted,
        Column::Interval => return fill(text.col_interval, &[&page.coverage()]),
    };
    name.to_owned()
}

/// Whether a column is aligned with its figures.
fn right(column: Column) -> bool {
    column.is_number() && column != Column::Date
}

pub(super) fn table(page: Page) -> AnyView {
    let text = page.text();
    let counted = move || {
        let runs = page.runs_of(Part::Table)?;
        let total = runs.shown(page.kind.get(), None).len();
        let total = format::grouped(total as u64);
        let Some(group) = page.group.get() else {
            return Some(fill(text.runs_all, &[&total, page.unit()]));
        };
        let some = page.chosen(&runs).len().to_string();
        let group = page.group_label(page.by.get(), &group);
        Some(fill(text.runs_some, &[&some, &total, &group, page.unit()]))
    };
    view! {
        <section class="block runs" id="runs" aria-labelledby="runs-h">
            <div class="block-h">
                <h2 id="runs-h">{text.runs}</h2>
                {move || picks(page)}
                <p aria-live="polite">{counted}</p>
            </div>
            {move || rows(page)}
            {move || more(page)}
        </section>
    }
}

/// What is shown alone, and, where the heads of the columns have no room, the order.
fn picks(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs_of(Part::Choices)?;
    let overview = page.overview()?;
    let kind = page.kind.get();
    // The phases of a step have no runs of their own.
    let by = match page.by.get() {
        By::Kind if kind == Kind::Step => By::Group,
        by => by,
    };
    let group = page.group.get();
    let groups = overview.groups(kind, by).into_iter().filter(|figure| figure.covered.is_some());
    let groups = groups.map(|figure| {
        let chosen = group.as_deref() == Some(figure.name.as_str());
        let label = page.group_label(by, &figure.name);
        view! { <option value=figure.name.clone() prop:selected=chosen>{label}</option> }
    });
    let groups = groups.collect_view();
    let choose = move |value: String| {
        if value.is_empty() {
            return page.choose(None);
        }
        page.by.set(by);
        page.choose(Some(value));
    };
    let (sorted, down) = page.sort.get();
    let orders = columns(page, &runs).into_iter().flat_map(|column| {
        [false, true].map(move |falls| {
            let arrow = if falls { "↓" } else { "↑" };
            let value = format!("{} {}", column.word(), if falls { "down" } else { "up" });
            let words = format!("{} {arrow}", name(page, column));
            view! { <option value=value prop:selected=column == sorted && falls == down>{words}</option> }
        })
    });
    let sort = move |value: String| {
        let (word, order) = value.split_once(' ').unwrap_or((&value, ""));
        if let Some(column) = Column::of_word(word) {
            page.sort.set((column, order == "down"));
        }
    };
    Some(view! {
        <div class="picks tools">
            <label>
                <span>{format!("{} · {}", text.show_only, dimension(page, by))}</span>
                <select id="only" on:change=move |event| choose(event_target_value(&event))>
                    <option value="" prop:selected=group.is_none()>{text.everything}</option>
                    {groups}
                </select>
            </label>
            <label class="order">
                <span>{text.sort_by}</span>
                <select id="order" on:change=move |event| sort(event_target_value(&event))>{orders.collect_view()}</select>
            </label>
        </div>
    })
}

fn head(page: Page, column: Column) -> AnyView {
    let (sorted, down) = page.sort.get();
    let here = column == sorted;
    let (order, arrow) = match (here, down) {
        (true, true) => (Some("descending"), " ↓"),
        (true, false) => (Some("ascending"), " ↑"),
        (false, _) => (None, ""),
    };
    // A second press turns the order round; numbers begin with the largest.
    let next = if here { !down } else { column.is_number() };
    let id = format!("sort-{}", column.word());
    let again = id.clone();
    let sort = move |_| {
        page.sort.set((column, next));
        // The heads are drawn anew.
        browser::focus_next(&again);
    };
    view! {
        <th class=right(column).then_some("n") scope="col" aria-sort=order>
            <button class="sort" type="button" id=id on:click=sort>
                {name(page, column)}<span aria-hidden="true">{arrow}</span>
            </button>
        </th>
    }
}

/// The table, whose rows are built a few in a task.
fn rows(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs = page.runs_of(Part::Table)?;
    let columns = columns(page, &runs);
    let (sorted, down) = page.sort.get();
    let mut shown = page.chosen(&runs);
    runs.sort(&mut shown, sorted, down, page.kind.get());
    if !page.whole.get() {
        shown.truncate(TOP);
    }
    let heads: Vec<AnyView> = columns.iter().map(|column| head(page, *column)).collect();
    let built = RwSignal::new(0);
    grow(built, shown.len());
    let places = move || shown.get(..built.get()).map(<[usize]>::to_vec).unwrap_or_default();
    let row = move |place: usize| runs.runs.get(place).map(|run| row(page, run, &columns));
    Some(view! {
        <Region name=fill(text.as_table, &[text.runs])>
            <table class="tab tab-runs">
                <caption class="vh">{text.runs}</caption>
                <thead>
                    <tr>{heads}<th scope="col"><span class="vh">{text.col_open}</span></th></tr>
                </thead>
                <tbody>
                    <For each=places key=|place| *place children=row/>
                </tbody>
            </table>
        </Region>
    })
}

/// Has more rows built until all are.
fn grow(built: RwSignal<usize>, all: usize) {
    if built.try_get_untracked().is_none_or(|built| built >= all) {
        return;
    }
    browser::soon(move || {
        // Gone with its table where that was drawn anew.
        let _ = built.try_update(|built| *built = (*built + SLICE.max(*built / PART)).min(all));
        grow(built, all);
    });
}

fn row(page: Page, run: &Run, columns: &[Column]) -> AnyView {
    let text = page.text();
    let quantity = run.quantity(page.kind.get_untracked());
    let figure = |value: Option<f64>| value.map(|value| page.figure(value)).unwrap_or_default();
    let cells = columns.iter().map(|&column| {
        let value = match column {
            Column::Model => return view! { <th scope="row">{run.model.clone()}</th> },
            Column::Source => {
                let label = name(page, column);
                return view! { <td data-l=label><Source page run name=run.group.clone()/></td> };
            }
            Column::Gpu => page.group_label(By::Gpu, &run.gpu),
            Column::Gpus => format::grouped(run.gpus.into()),
            Column::Framework => framework(&run.framework),
            Column::Precision => run.precision.clone(),
            Column::Date => run.date.clone(),
            Column::Measured => figure(quantity.and_then(|own| own.measured)),
            Column::LeftOut => figure(quantity.and_then(|own| own.left_out)),
            Column::Error => quantity.and_then(|own| own.left_out_error).map(signed).unwrap_or_default(),
            Column::Predicted => figure(quantity.and_then(|own| own.predicted)),
            Column::Interval => quantity.and_then(|own| page.range(own)).unwrap_or_default(),
        };
        let class = match (right(column), value.is_empty()) {
            (true, true) => "nil n",
            (true, false) => "n",
            (false, _) => "",
        };
        view! { <td class=class data-l=name(page, column)>{value}</td> }
    });
    let cells: Vec<AnyView> = cells.collect();
    let about = format!(" {} · {}", run.model, words::gpu_label(&run.gpu));
    view! {
        <tr>
            {cells}
            <td><a href=page.question(&run.link)>{text.open}<span class="vh">{about}</span></a></td>
        </tr>
    }
}

fn more(page: Page) -> Option<AnyView> {
    let text = page.text();
    let runs: Arc<Runs> = page.runs_of(Part::Table)?;
    let total = page.chosen(&runs).len();
    let whole = page.whole.get();
    let words = if whole { text.show_fewer.to_owned() } else { fill(text.show_all, &[&format::grouped(total as u64)]) };
    (total > TOP).then(|| view! { <ShowAll id="all-runs" whole=page.whole words/> })
}
