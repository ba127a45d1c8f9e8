//! The largest misses among the runs that are shown.

use super::state::{Page, Part, details, short, signed};
use crate::runs::Column;
use crate::view::prelude::*;

/// How many are named.
const NAMED: usize = 10;

pub(super) fn misses(page: Page) -> AnyView {
    let text = page.text();
    let worst = move || {
        let runs = page.runs_of(Part::Misses)?;
        let kind = page.kind.get();
        let mut shown = page.chosen(&runs);
        runs.sort(&mut shown, Column::Error, true, kind);
        let worst = shown.iter().filter_map(|place| {
            let run = runs.runs.get(*place)?;
            let quantity = run.quantity(kind)?;
            let error = quantity.left_out_error?;
            let why = quantity.why.as_ref().map(|why| why.said(page.lang).to_owned());
            let (measured, predicted) = run.pair(kind)?;
            let words = fill(text.wrong_run, &[&page.figure(predicted), &page.figure(measured), page.unit()]);
            Some(view! {
                <li>
                    <b>{signed(error)}</b>
                    <div>
                        <h3>{short(run)}</h3>
                        <p>{words}" "{details(run)}</p>
                        {why.map(|why| view! { <p>{why}</p> })}
                    </div>
                </li>
            })
        });
        let worst: Vec<_> = worst.take(NAMED).collect();
        (!worst.is_empty()).then(|| view! { <ol class="miss">{worst}</ol> })
    };
    view! {
        <section class="block wrong" aria-labelledby="wrong-h">
            <h2 id="wrong-h">{text.wrong}</h2>
            <p class="note">{text.wrong_note}</p>
            {worst}
        </section>
    }
}
