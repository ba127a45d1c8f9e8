//! What would make a question fit that does not: its own plan left to the search, more GPUs, or other ones.

use super::dom::{all, el, live, node, part, press};
use leptos::prelude::*;
use shardwise_core::Answer;
use shardwise_core::search::sweep::Offer;

use super::ask::plan::free_plan;
use super::objective;
use crate::compute::Remedy;
use crate::fit;
use crate::form::{Field, Form};
use crate::format;
use crate::page::Page;
use crate::text::{Lang, fill};

/// A way out that changes the form: what it is, what it comes to, and a button that keeps its name while it stands.
fn way(id: &'static str, page: Page, what: String, comes_to: Option<String>, act: impl Fn() + 'static) -> AnyView {
    el("LI")
        .child(
            el("DIV")
                .child(el("B").child(what.clone()))
                .child(" ")
                .child(comes_to.map(|words| el("SPAN").child(words))),
        )
        .child(
            el("BUTTON.btn btn-s|type=button")
                .set("id", id)
                .on("click", press(act))
                .child(page.text().close_use)
                .child(el("SPAN.vh").child(" ").child(what)),
        )
        .into_any()
}

/// What an answer comes to: hours and dollars of the run, or what a million tokens cost; and how sure it is to fit.
fn comes_to(answer: &Answer, lang: Lang) -> String {
    let text = lang.text();
    let hours = |hours| format::figure(hours);
    let costs = match (answer.run, answer.usd_per_mtok) {
        (Some(run), _) => match run.usd {
            Some(usd) => fill(text.close_run_usd, &[&hours(run.hours), &format::usd(usd)]),
            None => fill(text.close_run, &[&hours(run.hours)]),
        },
        (None, Some(usd)) => fill(text.close_mt, &[&format::usd(usd)]),
        (None, None) => text.close_unpriced.to_owned(),
    };
    fill(text.close_sure, &[&costs, &fit::sure(answer.fit.probability, lang)])
}

/// The way to another machine. Any plan set by hand is given back: it was searched without.
fn offered(id: &'static str, page: Page, offer: &Offer, choose: fn(&mut Form, &Offer)) -> Option<AnyView> {
    let found = offer.result.as_ref().ok()?;
    let gpus = format::grouped(found.job.hardware.gpus.into());
    let name = format!("{gpus} × {}", objective::name(offer, page));
    let comes_to = comes_to(&found.answer, page.lang);
    let offer = offer.clone();
    let act = move || {
        page.change(|form| {
            choose(form, &offer);
            free_plan(form);
        });
    };
    Some(way(id, page, name, Some(comes_to), act))
}

fn more(form: &mut Form, offer: &Offer) {
    let gpus = offer.hardware.gpus.unwrap_or_default();
    form.set(Field::Gpus, gpus.to_string());
}

fn other(form: &mut Form, offer: &Offer) {
    form.choose_gpu(offer.hardware.gpu.as_str().unwrap_or_default());
}

fn ways(page: Page, remedy: &Remedy) -> Vec<AnyView> {
    let text = page.text();
    let closing = match remedy {
        Remedy::Plan => {
            let act = move || page.change(free_plan);
            return vec![way("closing-plan", page, text.close_plan.to_owned(), None, act)];
        }
        Remedy::Gpus(closing) => closing,
    };
    let ways = [
        closing.more.as_ref().map(|offer| offered("closing-more", page, offer, more)),
        closing.other.as_ref().map(|offer| offered("closing-other", page, offer, other)),
    ];
    all(ways.into_iter().flatten().flatten())
}

/// What would make it fit, once it has been looked for.
pub(super) fn view(page: Page) -> AnyView {
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
        (!ways.is_empty()).then(|| el("UL").children(ways))
    };
    el("DIV.remedy closing|role=status")
        .child(el("P").child(live(heading)))
        .child(node(part(list)))
        .into_any()
}
