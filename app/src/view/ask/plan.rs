//! The plan: every part is found by the search, or set by hand.

use crate::form::{Field, Form, OFFLOADS, generates, trains};
use crate::view::controls::{Choice, Input, Message};
use crate::view::prelude::*;
use crate::view::steps::Built;
use crate::view::values::found;
use crate::words::offload;

#[component]
pub(super) fn Plan(page: Page) -> impl IntoView {
    let text = page.text();
    view! {
        <fieldset class="group group-last">
            <legend>{text.plan}</legend>
            <details class="more more-first" id="plan-controls">
                <summary>
                    {move || match page.pinned.get() {
                        0 => view! { {text.plan_auto} " " <span>{text.plan_hint}</span> },
                        count => fill(text.plan_yours, &[&count.to_string()]).into_any(),
                    }}
                </summary>
                <div class="row row-3">
                    <Built page at=Step::OwnPlan>
                        {move || trains(page.kind()).then(|| view! { <Training page/> })}
                    </Built>
                    <Built page at=Step::OwnEngine>
                        {move || generates(page.kind()).then(|| view! { <Engine page/> })}
                    </Built>
                </div>
                <Built page at=Step::OwnEngine>
                    {move || trains(page.kind()).then(|| view! { <Offloads page/> })}
                </Built>
                {move || (page.pinned.get() > 0).then(|| view! {
                    <p>
                        <button class="btn btn-s" type="button" id="free-plan" on:click=move |_| page.change(free_plan)>
                            {text.free_plan}
                        </button>
                    </p>
                })}
            </details>
        </fieldset>
    }
}

/// How the work is laid out that trains.
#[component]
fn Training(page: Page) -> impl IntoView {
    view! {
        <Choice page field=Field::Backend/>
        <Input page field=Field::TensorParallel/>
        <Input page field=Field::PipelineParallel/>
        <Input page field=Field::VirtualPipeline/>
        <Choice page field=Field::PipelineSchedule/>
        <Input page field=Field::ContextParallel/>
        <Input page field=Field::UlyssesParallel/>
        <Input page field=Field::ExpertParallel/>
        <Input page field=Field::ExpertTensorParallel/>
        <Input page field=Field::ZeroStage/>
        <Input page field=Field::MicroBatch/>
        <Input page field=Field::TokenBudget/>
        <Choice page field=Field::Recompute/>
        <Choice page field=Field::FusedHead/>
        <Choice page field=Field::AttentionKernel/>
        <Choice page field=Field::Optimizer auto=page.lang.word("adamw")/>
    }
}

/// How an engine generates.
#[component]
fn Engine(page: Page) -> impl IntoView {
    view! {
        <Input page field=Field::RolloutTensorParallel/>
        <Input page field=Field::MemoryShare/>
        <Choice page field=Field::Engine auto="vLLM"/>
        <Input page field=Field::EngineVersion/>
        <Choice page field=Field::KvCacheDtype auto=page.lang.word("auto")/>
        <Choice page field=Field::EnforceEager auto=page.text().no/>
        <Input page field=Field::SpeculativeSpeedup placeholder="1"/>
    }
}

/// Gives every part of the plan back to the search.
pub(in crate::view) fn free_plan(form: &mut Form) {
    for field in Field::ALL.iter().filter(|field| field.is_plan()) {
        form.set(*field, "");
    }
    form.forget_plan();
}

/// Four boxes, dashed while the search decides.
#[component]
fn Offloads(page: Page) -> impl IntoView {
    let (text, field) = (page.text(), Field::Offload);
    let auto = found(page, |shown, lang| {
        let named = offload(&shown.found.answer.plan, lang);
        if named.is_empty() { lang.text().no.to_owned() } else { named }
    });
    let boxes = OFFLOADS.into_iter().map(|letter| {
        let toggle = move |event| {
            let on = event_target_checked(&event);
            page.type_in(|form| {
                let mut letters: String = OFFLOADS
                    .into_iter()
                    .filter(|known| if *known == letter { on } else { form.get(field).contains(*known) })
                    .collect();
                if letters.is_empty() {
                    letters.push('-');
                }
                form.set(field, letters);
            });
        };
        view! {
            <label class="check">
                <input type="checkbox" prop:checked=move || page.typed(field).contains(letter) on:change=toggle/>
                <span>{page.lang.word(&letter.to_string()).to_owned()}</span>
            </label>
        }
    });
    view! {
        <fieldset class="offloads">
            <legend class="lab">
                {text.offload_legend}
                " "
                <span class="muted">
                    {move || page.typed(field).is_empty().then(|| fill(text.auto_is, &[&auto.get()]))}
                </span>
            </legend>
            <div class="checks">{boxes.collect_view()}</div>
            <Message page field/>
        </fieldset>
    }
}
