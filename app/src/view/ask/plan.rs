//! The plan: every part is found by the search, or set by hand.

use crate::view::dom::{el, live, node, part, press, ticked};
use leptos::prelude::*;
use shardwise_core::wire::{Backend, PlanSpec};

use super::values::{auto_text, chosen, found, yes_no};
use crate::form::{Field, Form, OFFLOADS, generates};
use crate::format;
use crate::page::Page;
use crate::text::fill;
use crate::view::controls::{choice, input, message};
use crate::words::{offload, recompute};

pub(super) fn view(page: Page) -> AnyView {
    let summary = move || {
        let text = page.text();
        match page.pinned.get() {
            0 => vec![node(text.plan_auto), node(" "), node(el("SPAN").child(text.plan_hint))].into_any(),
            count => fill(text.plan_yours, &[&count.to_string()]).into_any(),
        }
    };
    let backend = found(page, |shown, _| {
        shown
            .found
            .answer
            .plan
            .backend
            .map(Backend::name)
            .unwrap_or_default()
            .to_owned()
    });
    let recomputed = found(page, |shown, lang| lang.word(recompute(&shown.found.answer.plan)).to_owned());
    let count = move |field: Field, of: fn(&PlanSpec) -> Option<u64>| {
        input(page, field, None, auto_text(page, chosen(page, of, format::grouped)))
    };
    let fused = found(page, |shown, lang| {
        let on = shown.found.answer.plan.fused_lm_head;
        on.map(|on| yes_no(on, lang)).unwrap_or_default()
    });
    let engine = move || {
        generates(page.kind()).then(|| {
            let share =
                chosen(page, |plan| plan.rollout.as_ref()?.gpu_memory_utilization, |share| format::fixed(share, 2));
            vec![
                node(count(Field::RolloutTensorParallel, |plan| plan.rollout.as_ref()?.tensor_parallel)),
                node(input(page, Field::MemoryShare, None, auto_text(page, share))),
                node(choice(page, Field::Engine, &["vllm", "sglang"], Signal::stored("vLLM".to_owned()))),
                node(choice(
                    page,
                    Field::KvCacheDtype,
                    &["auto", "fp8"],
                    Signal::stored(page.lang.word("auto").to_owned()),
                )),
                node(choice(page, Field::EnforceEager, &["true", "false"], Signal::stored(page.text().no.to_owned()))),
                node(input(page, Field::SpeculativeSpeedup, None, auto_text(page, Signal::stored("1".to_owned())))),
            ]
        })
    };
    let free = move || {
        (page.pinned.get() > 0).then(|| {
            el("P").child(
                el("BUTTON.btn btn-s|type=button|id=free-plan")
                    .on("click", press(move || page.change(free_plan)))
                    .child(page.text().free_plan),
            )
        })
    };
    el("FIELDSET.group group-last")
        .child(el("LEGEND").child(page.text().plan))
        .child(
            el("DETAILS.more more-first|id=plan-controls")
                .child(el("SUMMARY").child(part(summary)))
                .child(
                    el("DIV.row row-3")
                        .child(choice(page, Field::Backend, &["megatron", "fsdp", "deepspeed", "ddp"], backend))
                        .child(count(Field::TensorParallel, |plan| plan.tensor_parallel))
                        .child(count(Field::PipelineParallel, |plan| plan.pipeline_parallel))
                        .child(count(Field::VirtualPipeline, |plan| plan.virtual_pipeline))
                        .child(count(Field::ContextParallel, |plan| plan.context_parallel))
                        .child(count(Field::UlyssesParallel, |plan| plan.ulysses_parallel))
                        .child(count(Field::ExpertParallel, |plan| plan.expert_parallel))
                        .child(count(Field::ExpertTensorParallel, |plan| plan.expert_tensor_parallel))
                        .child(count(Field::ZeroStage, |plan| plan.zero_stage))
                        .child(count(Field::MicroBatch, |plan| plan.micro_batch))
                        .child(count(Field::TokenBudget, |plan| plan.max_tokens_per_gpu))
                        .child(choice(page, Field::Recompute, &["none", "selective", "full"], recomputed))
                        .child(choice(page, Field::FusedHead, &["true", "false"], fused))
                        .child(part(engine)),
                )
                .child(offloads(page))
                .child(part(free)),
        )
        .into_any()
}

/// Gives every part of the plan back to the search.
pub(in crate::view) fn free_plan(form: &mut Form) {
    for field in Field::ALL.iter().filter(|field| field.is_plan()) {
        form.set(*field, "");
    }
    form.forget_plan();
}

/// Four boxes, dashed while the search decides.
fn offloads(page: Page) -> AnyView {
    let field = Field::Offload;
    let auto = found(page, |shown, lang| {
        let named = offload(&shown.found.answer.plan, lang);
        if named.is_empty() { lang.text().no.to_owned() } else { named }
    });
    let boxes = OFFLOADS.into_iter().map(|letter| {
        let name = letter.to_string();
        let checked = move || page.typed(field).contains(letter);
        let toggle = move |on| {
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
        el("LABEL.check")
            .child(el("INPUT|type=checkbox").flag("checked", checked).on("change", ticked(toggle)))
            .child(el("SPAN").child(page.lang.word(&name).to_owned()))
    });
    let state = move || {
        let text = page.text();
        page.typed(field).is_empty().then(|| fill(text.auto_is, &[&auto.get()]))
    };
    el("FIELDSET.offloads")
        .child(
            el("LEGEND.lab")
                .child(page.text().offload_legend)
                .child(" ")
                .child(el("SPAN.muted").child(live(state))),
        )
        .child(el("DIV.checks").children(boxes))
        .child(message(page, field))
        .into_any()
}
