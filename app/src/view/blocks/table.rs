//! Rows and columns.

use leptos::tachys::view::iterators::StaticVec;

use super::host::{Host, each, some};
use super::line::{Press, runs};
use crate::protocol::blocks::{self, Cell, Column, Holds, Row, Sort, Stands, Tabled, Tone};
use crate::view::prelude::*;

/// A table, in a frame that scrolls by itself where it is wider; plans become cards instead.
#[component]
pub(super) fn Table(host: Host, table: blocks::Table) -> impl IntoView {
    let blocks::Table { name, tabled, columns, groups } = table;
    let plans = matches!(tabled, Tabled::Plans | Tabled::AllPlans);
    let class = match tabled {
        Tabled::Plans => "tab tab-plans",
        Tabled::AllPlans => "tab tab-plans is-all",
        // What is wider folds to cards.
        Tabled::Numbers if columns.len() > 5 => "tab cols-8",
        Tabled::Numbers => "tab cols-4",
        Tabled::Changes => "tab cols-5 cards",
        Tabled::Beside => "tab cols-4 tab-cmp",
        Tabled::Settings => "tab cols-3 tab-diff",
        Tabled::Runs => "tab cols-8 sweep",
        Tabled::Layouts => "tab cols-8 tab-wn",
        Tabled::Seconds => "tab cols-5 tab-cmp",
    };
    let kinds: Vec<(Holds, String)> = columns.iter().map(|own| (own.holds, own.name.clone())).collect();
    let width = kinds.len();
    let heads = each(columns, |column| head(host, column));
    let bodies = each(groups, |(title, rows)| {
        let mut rows: Vec<AnyView> = rows.into_iter().map(|own| row(host, own, &kinds)).collect();
        rows.splice(0..0, some(title).map(|title| group(title, width)));
        view! { <tbody>{StaticVec::from(rows)}</tbody> }
    });
    let caption = plans.then(|| view! { <caption class="vh">{name.clone()}</caption> });
    let table = view! {
        <table class=class>
            {caption}
            <thead>
                <tr>{heads}</tr>
            </thead>
            {bodies}
        </table>
    };
    if plans {
        return table;
    }
    view! { <div class="tw" role="group" tabindex="0" aria-label=name>{table}</div> }
}

/// The words above a group of rows.
fn group(title: String, width: usize) -> AnyView {
    let title = view! { <th class="sens-g" scope="rowgroup" colspan=width.to_string()>{title}</th> };
    view! { <tr>{StaticVec::from(vec![title])}</tr> }
}

fn head(host: Host, column: Column) -> AnyView {
    let Column { name, holds, sort } = column;
    if name.is_empty() {
        return cell("", None, None, StaticVec::from(Vec::new()));
    }
    let class = match holds {
        Holds::Numbers | Holds::Key | Holds::Shares | Holds::Actions => "n",
        _ => "",
    };
    let (order, inside) = match sort {
        Some(Sort { falling, button }) => {
            let arrow = falling.map(|falling| if falling { " ↓" } else { " ↑" });
            let arrow = arrow.map(|arrow| view! { <span aria-hidden="true">{arrow}</span> });
            let button = view! { <Press host button /> };
            let order = falling.map(|falling| if falling { "descending" } else { "ascending" });
            (order, std::iter::once(button).chain(arrow).collect())
        }
        None if holds == Holds::Actions => (None, vec![view! { <span class="vh">{name}</span> }]),
        None => (None, vec![name.into_any()]),
    };
    view! { <th class=class scope="col" aria-sort=order>{StaticVec::from(inside)}</th> }
}

fn row(host: Host, row: Row, kinds: &[(Holds, String)]) -> AnyView {
    let Row { id, stands, cells } = row;
    let class = match stands {
        Stands::Plain => "",
        Stands::Chosen => "p-best",
        Stands::Fits => "p-ok",
        Stands::Unfit => "p-bad",
        Stands::Best => "is-best",
        Stands::Own => "is-sel",
        Stands::Off => "is-off",
    };
    let current = (stands == Stands::Own).then(|| "true".to_owned());
    let mut place = 0;
    let cells = each(cells, |own| {
        let (holds, name) = kinds.get(place).cloned().unwrap_or((Holds::Remarks, String::new()));
        place += own.columns as usize;
        told(host, own, holds, name)
    });
    view! { <tr class=class id=some(id) aria-current=current>{cells}</tr> }
}

/// A cell; where columns are folded away it says whose it is.
fn told(host: Host, own: Cell, holds: Holds, name: String) -> AnyView {
    let Cell { line, columns, tone } = own;
    let empty = line.is_empty();
    let line = runs(host, line);
    if holds == Holds::Names {
        return view! { <th scope="row">{line}</th> };
    }
    if columns > 1 {
        return cell("", Some(columns.to_string()), None, line);
    }
    let class = match (holds, tone) {
        (Holds::Numbers, Tone::Good) => "n better",
        (Holds::Numbers, Tone::Bad) => "n worse",
        (Holds::Numbers | Holds::Key, _) if empty => "nil n",
        (Holds::Numbers, _) => "n",
        (Holds::Key, _) => "n key",
        (Holds::Shares, _) => "n mem",
        (Holds::Details, _) => "second nb",
        (Holds::Remarks, _) => "why",
        (Holds::Bars, _) => "bar",
        (Holds::Actions, _) => "n acts",
        (Holds::Words | Holds::Names, _) => "",
    };
    let label = match holds {
        Holds::Remarks | Holds::Bars | Holds::Actions => None,
        _ => Some(name).filter(|_| !empty),
    };
    cell(class, None, label, line)
}

fn cell(class: &'static str, columns: Option<String>, label: Option<String>, inside: StaticVec<AnyView>) -> AnyView {
    view! { <td class=class colspan=columns data-l=label>{inside}</td> }
}
