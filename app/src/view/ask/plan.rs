//! The plan: every part is found by the search, or set by hand.

use shardwise_core::complete::{usual_kernel, usual_schedule};
use shardwise_core::wire::{Attention, Backend, PlanSpec};

use super::values::{auto_text, chosen, found, yes_no};
use crate::form::{Field, Form, OFFLOADS, generates, trains};
use crate::parts::{KERNELS, OPTIMIZERS, SCHEDULES};
use crate::view::controls::{Choice, Input, Message};
use crate::view::prelude::*;
use crate::view::steps::Built;
use crate::words::{offload, recompute};

/// A count of the plan; nothing is typed while the search decides.
#[component]
fn Count(page: Page, field: Field, of: fn(&PlanSpec) -> Option<u64>) -> impl IntoView {
    view! { <Input page field placeholder=auto_text(page, chosen(page, of, format::grouped))/> }
}

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

/// A kernel's name where a phone has no room for it behind "auto".
fn short(kernel: &str) -> String {
    kernel.replace("FlashAttention-", "FA")
}

/// How the work is laid out that trains.
#[component]
fn Training(page: Page) -> impl IntoView {
    let backend = found(page, |shown, _| {
        let backend = shown.found.answer.plan.backend;
        backend.map(Backend::name).unwrap_or_default().to_owned()
    });
    let recomputed = found(page, |shown, lang| lang.word(recompute(&shown.found.answer.plan)).to_owned());
    let fused = found(page, |shown, lang| {
        let on = shown.found.answer.plan.fused_lm_head;
        on.map(|on| yes_no(on, lang)).unwrap_or_default()
    });
    // Scores in memory have no kernel to choose.
    let kernel = found(page, |shown, lang| {
        let (plan, job) = (&shown.found.answer.plan, &shown.found.job);
        let usual = || plan.backend.map(|backend| usual_kernel(job, backend));
        match plan.attention {
            Some(Attention::Unfused) => lang.word("unfused").to_owned(),
            _ => usual().map(|kernel| short(lang.word(kernel.as_str()))).unwrap_or_default(),
        }
    });
    // One stage has nothing to order.
    let schedule = found(page, |shown, lang| {
        let plan = &shown.found.answer.plan;
        let usual = usual_schedule(plan.virtual_pipeline.unwrap_or(1)).as_str();
        let staged = plan.pipeline_parallel.unwrap_or(1) > 1;
        if staged { lang.word(usual).to_owned() } else { String::new() }
    });
    view! {
        <Choice page field=Field::Backend words=&["megatron", "fsdp", "deepspeed", "ddp"] auto=backend/>
        <Count page field=Field::TensorParallel of=|plan| plan.tensor_parallel/>
        <Count page field=Field::PipelineParallel of=|plan| plan.pipeline_parallel/>
        <Count page field=Field::VirtualPipeline of=|plan| plan.virtual_pipeline/>
        <Choice page field=Field::PipelineSchedule words=SCHEDULES auto=schedule/>
        <Count page field=Field::ContextParallel of=|plan| plan.context_parallel/>
        <Count page field=Field::UlyssesParallel of=|plan| plan.ulysses_parallel/>
        <Count page field=Field::ExpertParallel of=|plan| plan.expert_parallel/>
        <Count page field=Field::ExpertTensorParallel of=|plan| plan.expert_tensor_parallel/>
        <Count page field=Field::ZeroStage of=|plan| plan.zero_stage/>
        <Count page field=Field::MicroBatch of=|plan| plan.micro_batch/>
        <Count page field=Field::TokenBudget of=|plan| plan.max_tokens_per_gpu/>
        <Choice page field=Field::Recompute words=&["none", "selective", "full"] auto=recomputed/>
        <Choice page field=Field::FusedHead words=&["true", "false"] auto=fused/>
        <Choice page field=Field::AttentionKernel words=&KERNELS auto=kernel/>
        <Choice page field=Field::Optimizer words=OPTIMIZERS auto=page.lang.word("adamw")/>
    }
}

/// How an engine generates.
#[component]
fn Engine(page: Page) -> impl IntoView {
    let share = chosen(page, |plan| plan.rollout.as_ref()?.gpu_memory_utilization, |share| format::fixed(share, 2));
    let one = Signal::stored("1".to_owned());
    let version = found(page, |shown, lang| {
        let own = shown.found.answer.plan.rollout.as_ref().and_then(|own| own.engine_version);
        own.map_or_else(|| lang.text().newest.to_owned(), |own| own.to_string())
    });
    view! {
        <Count page field=Field::RolloutTensorParallel of=|plan| plan.rollout.as_ref()?.tensor_parallel/>
        <Input page field=Field::MemoryShare placeholder=auto_text(page, share)/>
        <Choice page field=Field::Engine words=&["vllm", "sglang", "tensorrt_llm"] auto="vLLM"/>
        <Input page field=Field::EngineVersion placeholder=auto_text(page, version)/>
        <Choice page field=Field::KvCacheDtype words=&["auto", "fp8"] auto=page.lang.word("auto")/>
        <Choice page field=Field::EnforceEager words=&["true", "false"] auto=page.text().no/>
        <Input page field=Field::SpeculativeSpeedup placeholder=auto_text(page, one)/>
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
