//! The most that fits: the engine's share of the card and each phase's token budget, without offload and with.

use shardwise_core::wire::{Limit, PlanSpec};

use super::figure::{framed, head};
use crate::view::prelude::*;

/// Columns from which a table folds to cards early.
const WIDE: usize = 6;

/// The table, for an answer that knows limits: an RL step's.
#[component]
pub(super) fn Limits(page: Page) -> impl IntoView {
    move || {
        let shown = page.answered()?;
        let answer = &shown.found.answer;
        let limits = &answer.memory.limits;
        (!limits.is_empty()).then(|| section(limits, &answer.plan, page.lang))
    }
}

fn section(limits: &[Limit], plan: &PlanSpec, lang: Lang) -> AnyView {
    let text = lang.text();
    let phases = limits
        .first()
        .map(|limit| limit.max_tokens_per_gpu.as_slice())
        .unwrap_or_default();
    let names = phases.iter().map(|budget| lang.word(budget.phase));
    let names = [lang.label(Field::MemoryShare)].into_iter().chain(names);
    let heads: Vec<AnyView> = names.map(|name| head(name, true)).collect();
    let class = if phases.len() + 2 > WIDE { "tab cols-9" } else { "tab cols-5 cards" };
    let rows: Vec<AnyView> = limits.iter().map(|limit| row(limit, plan, lang)).collect();
    view! {
        <div class="limits" id="limits">
            <h3 id="limits-h">{text.limits}</h3>
            <p class="note">{text.limits_note}</p>
            // No words stand over the rows' names.
            {framed(text.limits.to_owned(), class, view! { <td></td> {heads} }, rows.into_any())}
        </div>
    }
}

fn row(limit: &Limit, plan: &PlanSpec, lang: Lang) -> AnyView {
    let text = lang.text();
    let name = if limit.offload { text.with_offload } else { text.without_offload };
    let offload = plan.offload.unwrap_or_default();
    // Gradients lie where parameters do.
    let planned = [offload.parameters, offload.optimizer] == [limit.offload; 2];
    let share = limit.gpu_memory_utilization.map(|share| format::fixed(share, 2));
    let budgets = limit.max_tokens_per_gpu.iter().map(|budget| {
        view! { <Figure label=lang.word(budget.phase) value=budget.tokens.map(format::grouped) lang/> }
    });
    view! {
        <tr class=planned.then_some("is-sel") aria-current=planned.then_some("true")>
            <th scope="row">{name}</th>
            <Figure label=lang.label(Field::MemoryShare) value=share lang/>
            {budgets.collect_view()}
        </tr>
    }
}

/// A limit; a dash where nothing fits, which is read out as that.
#[component]
fn Figure(label: &'static str, value: Option<String>, lang: Lang) -> impl IntoView {
    let inside = match value {
        Some(value) => value.into_any(),
        None => view! {
            <span aria-hidden="true">{"–"}</span>
            <span class="vh">{lang.text().does_not_fit}</span>
        },
    };
    view! { <td class="n" data-l=label>{inside}</td> }
}
