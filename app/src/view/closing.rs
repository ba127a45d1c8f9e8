//! What would make a question fit that does not: its own plan left to the search, more GPUs, or other ones.

use super::dom::{all, el, live, node, part, press};
use leptos::prelude::*;
use shardwise_core::search::sweep::Offer;

use super::ask::plan::free_plan;
use super::objective;
use crate::compute::Remedy;
use crate::form::{Field, Form};
use crate::format;
use crate::page::Page;
use crate::text::fill;

/// A way out that changes the form.
fn way(words: String, button: &'static str, what: String, act: impl Fn() + 'static) -> AnyView {
    el("LI")
        .child(el("SPAN").child(words))
        .child(
            el("BUTTON.btn btn-s|type=button")
                .on("click", press(act))
                .child(button)
                .child(el("SPAN.vh").child(" ").child(what)),
        )
        .into_any()
}

/// The way to another machine. Any plan set by hand is given back: it was searched without.
fn offered(page: Page, offer: &Offer, choose: fn(&mut Form, &Offer)) -> Option<AnyView> {
    let found = offer.result.as_ref().ok()?;
    let text = page.text();
    let gpus = format::grouped(found.job.hardware.gpus.into());
    let name = format!("{gpus} × {}", objective::name(offer, page));
    let usd = found.answer.usd_per_mtok;
    let words = match usd {
        Some(usd) => fill(text.close_fits, &[&name, &format::usd(usd)]),
        None => fill(text.close_unpriced, &[&name]),
    };
    let offer = offer.clone();
    let act = move || {
        page.change(|form| {
            choose(form, &offer);
            free_plan(form);
        });
    };
    Some(way(words, text.use_gpu, name, act))
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
            let words = text.close_plan.to_owned();
            return vec![way(words, text.free_plan, String::new(), act)];
        }
        Remedy::Gpus(closing) => closing,
    };
    let ways = [
        closing.more.as_ref().map(|offer| offered(page, offer, more)),
        closing.other.as_ref().map(|offer| offered(page, offer, other)),
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
    el("DIV.closing|role=status")
        .child(el("P").child(live(heading)))
        .child(node(part(list)))
        .into_any()
}
