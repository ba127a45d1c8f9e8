//! The most that fits: the engine's share of the card and each phase's token budget, without offload and with.

use super::dom::{El, el, part};
use leptos::prelude::*;
use shardwise_core::wire::{Limit, PlanSpec};

use super::figure::{head, region};
use crate::form::Field;
use crate::format;
use crate::page::Page;
use crate::text::Lang;

/// Columns from which a table folds to cards early.
const WIDE: usize = 6;

/// The table, for an answer that knows limits: an RL step's.
pub(super) fn view(page: Page) -> AnyView {
    part(move || {
        let shown = page.answered()?;
        let answer = &shown.found.answer;
        let limits = &answer.memory.limits;
        (!limits.is_empty()).then(|| section(limits, &answer.plan, page.lang))
    })
}

fn section(limits: &[Limit], plan: &PlanSpec, lang: Lang) -> El {
    let text = lang.text();
    let mut heads = vec![
        // No words stand over the rows' names.
        el("TD").into_any(),
        head(lang.label(Field::MemoryShare), true),
    ];
    if let Some(limit) = limits.first() {
        let phases = limit.max_tokens_per_gpu.iter();
        heads.extend(phases.map(|budget| head(lang.word(budget.phase), true)));
    }
    let class = match heads.len() {
        columns if columns > WIDE => "tab cols-9",
        _ => "tab cols-5 cards",
    };
    let table = el("TABLE")
        .set("class", class)
        .child(el("THEAD").child(el("TR").child(heads)))
        .child(el("TBODY").children(limits.iter().map(|limit| row(limit, plan, lang))));
    el("DIV.limits|id=limits")
        .child(el("H3|id=limits-h").child(text.limits))
        .child(el("P.note").child(text.limits_note))
        .child(region(text.limits.to_owned(), table))
}

fn row(limit: &Limit, plan: &PlanSpec, lang: Lang) -> El {
    let text = lang.text();
    let name = if limit.offload { text.with_offload } else { text.without_offload };
    let offload = plan.offload.unwrap_or_default();
    // Gradients lie where parameters do.
    let planned = [offload.parameters, offload.optimizer] == [limit.offload; 2];
    let share = limit.gpu_memory_utilization;
    el(if planned { "TR.is-sel|aria-current=true" } else { "TR" })
        .child(el("TH|scope=row").child(name))
        .child(figure(lang.label(Field::MemoryShare), share.map(|share| format::fixed(share, 2)), lang))
        .children(
            limit
                .max_tokens_per_gpu
                .iter()
                .map(|budget| figure(lang.word(budget.phase), budget.tokens.map(format::grouped), lang)),
        )
}

/// A limit; a dash where nothing fits, which is read out as that.
fn figure(label: &str, value: Option<String>, lang: Lang) -> El {
    let cell = el("TD.n").set("data-l", label.to_owned());
    match value {
        Some(value) => cell.child(value),
        None => cell
            .child(el("SPAN|aria-hidden=true").child("–"))
            .child(el("SPAN.vh").child(lang.text().does_not_fit)),
    }
}
