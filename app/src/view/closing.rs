//! What would make a question fit that does not: its own plan left to the search, more GPUs, or other ones.

use super::ask::plan::free_plan;
use super::objective;
use crate::form::{Field, Form};
use crate::protocol::estimate::{Figures, Offered, Remedy};
use crate::view::prelude::*;

/// A way out that changes the form: what it is, what it comes to, and a button that keeps its name while it stands.
fn way(id: &'static str, page: Page, what: String, comes_to: Option<String>, act: impl Fn() + 'static) -> AnyView {
    view! {
        <li>
            <div>
                <b>{what.clone()}</b>
                " "
                {comes_to.map(|words| view! { <span>{words}</span> })}
            </div>
            <button class="btn btn-s" type="button" id=id on:click=move |_| act()>
                {page.text().close_use}
                <span class="vh">" " {what}</span>
            </button>
        </li>
    }
}

/// What an answer comes to: hours and dollars of the run, or what a million tokens cost; and how sure it is to fit.
fn comes_to(found: &Figures, lang: Lang) -> String {
    let text = lang.text();
    let hours = |hours| found.at_most(format::figure(hours));
    let usd = |usd| found.at_most(format::usd(usd));
    let costs = match (found.measures.run, found.usd()) {
        (Some((own, Some(all))), _) => fill(text.close_run_usd, &[&hours(own), &usd(all)]),
        (Some((own, None)), _) => fill(text.close_run, &[&hours(own)]),
        (None, Some(each)) => fill(text.close_mt, &[&usd(each)]),
        (None, None) => text.close_unpriced.to_owned(),
    };
    fill(text.close_sure, &[&costs, &fit::sure(found.probability, lang)])
}

/// The way to another machine. Any plan set by hand is given back: it was searched without.
fn offered(id: &'static str, page: Page, offer: &Offered, choose: fn(&mut Form, &Offered)) -> Option<AnyView> {
    let found = offer.result.as_ref().ok()?;
    let gpus = format::grouped(found.measures.gpus.into());
    let name = format!("{gpus} × {}", objective::name(offer, page));
    let comes_to = comes_to(found, page.lang);
    let offer = offer.clone();
    let act = move || {
        page.change(|form| {
            choose(form, &offer);
            free_plan(form);
        });
    };
    Some(way(id, page, name, Some(comes_to), act))
}

fn more(form: &mut Form, offer: &Offered) {
    let gpus = offer.result.as_ref().map_or(0, |found| found.measures.gpus);
    form.set(Field::Gpus, gpus.to_string());
}

fn other(form: &mut Form, offer: &Offered) {
    form.choose_gpu(offer.gpu.as_deref().unwrap_or_default());
}

fn ways(page: Page, remedy: &Remedy) -> Vec<AnyView> {
    let text = page.text();
    match remedy {
        Remedy::Plan => {
            let act = move || page.change(free_plan);
            vec![way("closing-plan", page, text.close_plan.to_owned(), None, act)]
        }
        Remedy::Gpus(others) => {
            let more = others
                .more
                .as_ref()
                .and_then(|offer| offered("closing-more", page, offer, more));
            let other = others
                .other
                .as_ref()
                .and_then(|offer| offered("closing-other", page, offer, other));
            more.into_iter().chain(other).collect()
        }
    }
}

/// What would make it fit, once it has been looked for.
#[component]
pub(super) fn Closing(page: Page) -> impl IntoView {
    let heading = move || {
        let text = page.text();
        match page.comparison.remedy.get() {
            None => text.close_looking,
            Some(remedy) if ways(page, &remedy).is_empty() => text.close_none,
            Some(_) => text.close_ways,
        }
    };
    let list = move || {
        let ways = ways(page, &page.comparison.remedy.get()?);
        (!ways.is_empty()).then(|| view! { <ul>{ways}</ul> })
    };
    view! {
        <div class="remedy closing" role="status">
            <p>{heading}</p>
            {list}
        </div>
    }
}
