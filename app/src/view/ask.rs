//! The question: a form that is never submitted, because every change is answered at once.

use leptos::prelude::*;
use shardwise_core::catalog;
use shardwise_core::presets;
use shardwise_core::wire::{PlanSpec, WorkloadKind};

use super::controls::{choice, input, message, plain, problem, tokens};
use super::words::{gpu_label, offload, recompute};
use crate::form::{CUSTOM_GPU, Field, Form, KINDS, OFFLOADS, generates, is_rl};
use crate::format;
use crate::page::{Page, Shown};
use crate::text::{Lang, fill};

/// A value of the answer, as text for a placeholder or an `auto` choice.
pub(super) fn found(
    page: Page,
    of: impl Fn(&Shown, Lang) -> String + Send + Sync + 'static,
) -> Signal<String> {
    Signal::derive(move || {
        let lang = page.lang.get();
        page.shown.with(|shown| {
            shown
                .as_ref()
                .map(|shown| of(shown, lang))
                .unwrap_or_default()
        })
    })
}

/// The same of a field of the plan that was chosen.
fn chosen<T: Copy + 'static>(
    page: Page,
    of: fn(&PlanSpec) -> Option<T>,
    write: fn(T) -> String,
) -> Signal<String> {
    found(page, move |shown, _| {
        of(&shown.found.answer.plan).map(write).unwrap_or_default()
    })
}

pub(super) fn view(page: Page) -> AnyView {
    view! {
        <form class="ask" aria-labelledby="ask-h" on:submit=|event| event.prevent_default()>
            <div class="ask-in">
                <h2 id="ask-h">{move || page.text().your_question}</h2>
                {start(page)}
                {other_errors(page)}
                {model(page)}
                {gpus(page)}
                {workload(page)}
                {plan(page)}
                <p class="ask-f">
                    <button class="btn btn-s btn-q" type="button" id="reset" on:click=move |_| page.reset()>
                        {move || page.text().reset}
                    </button>
                </p>
            </div>
        </form>
    }
    .into_any()
}

fn start(page: Page) -> AnyView {
    let options = presets::presets().iter().map(|preset| {
        let name = move || match page.lang.get() {
            Lang::En => preset.name_en,
            Lang::Zh => preset.name_zh,
        };
        view! { <option value=preset.id>{name}</option> }
    });
    // The note of the preset whose question is asked, with its source.
    let note = move || {
        let (_, preset) = page.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let preset = presets::presets()
                .iter()
                .find(|preset| preset.question().as_ref() == Some(&shown.question))?;
            Some(((), preset))
        })?;
        let words = match page.lang.get() {
            Lang::En => preset.note_en,
            Lang::Zh => preset.note_zh,
        };
        Some(view! {
            <p class="hint preset-note">
                {words} " "
                <a href=preset.source.url rel="noopener" target="_blank">{page.text().source}</a>
            </p>
        })
    };
    view! {
        <div class="ask-start">
            <label class="vh" for="preset">{move || page.text().preset_label}</label>
            <select id="preset" on:change=move |event| {
                let id = event_target_value(&event);
                let preset = presets::presets().iter().find(|preset| preset.id == id);
                if let Some(question) = preset.and_then(presets::Preset::question) {
                    page.change(|form| *form = Form::of(&question));
                }
            }>
                <option value="">{move || page.text().presets}</option>
                {options.collect_view()}
            </select>
            {note}
        </div>
    }
    .into_any()
}

/// Errors about values that have no control here: they came with a link.
fn other_errors(page: Page) -> AnyView {
    (move || {
        let errors = page.errors.get();
        let others: Vec<_> = errors.into_iter().filter(|error| error.field.is_none()).collect();
        (!others.is_empty()).then(|| {
            let lines = others.into_iter().map(|error| {
                let words = super::controls::describe(page, &error.problem);
                view! { <p class="callout callout-bad">{super::icons::icon("i-x")}<span><code>{error.path}</code>": "{words}</span></p> }
            });
            lines.collect_view()
        })
    })
    .into_any()
}

fn model(page: Page) -> AnyView {
    let pasted = RwSignal::new(
        page.form
            .with_untracked(|form| !form.get(Field::ModelConfig).is_empty()),
    );
    // A link or a preset may bring a file, or take it away.
    Effect::new(move || {
        let has_file = page
            .form
            .with(|form| !form.get(Field::ModelConfig).is_empty());
        if has_file {
            pasted.set(true);
        }
    });
    let hint = move || {
        let lang = page.lang.get();
        page.shown.with(|shown| {
            let model = &shown.as_ref()?.found.job.model;
            let layers = format::grouped(model.shape.num_hidden_layers);
            let (total, active) = (model.parameters.total, model.parameters.active);
            let total_words = lang.parameters(total);
            Some(if active < total && model.shape.num_experts > 0 {
                fill(
                    lang.text().model_hint_active,
                    &[&total_words, &lang.parameters(active), &layers],
                )
            } else {
                fill(lang.text().model_hint, &[&total_words, &layers])
            })
        })
    };
    let file = move || {
        pasted.get().then(|| view! {
            <div class=move || if problem(page, Field::ModelConfig).is_some() { "field is-err" } else { "field" }>
                <label for="model-config">{move || page.lang.get().label(Field::ModelConfig)}</label>
                <textarea id="model-config" class="paste-t" rows="7" spellcheck="false" autocapitalize="off"
                    prop:value=move || page.form.with(|form| form.get(Field::ModelConfig).to_owned())
                    on:input=move |event| {
                        page.bad_link.set(None);
                        page.form.update(|form| form.set(Field::ModelConfig, event_target_value(&event)));
                    }
                    aria-invalid=move || problem(page, Field::ModelConfig).map(|_| "true")
                    aria-describedby=move || if problem(page, Field::ModelConfig).is_some() { "model-config-m" } else { "model-config-d" }>
                </textarea>
                {message(page, Field::ModelConfig)}
                <p class="hint" id="model-config-d">{move || page.text().config_hint}</p>
            </div>
        })
    };
    let toggle = move |_| {
        if pasted.get_untracked() {
            pasted.set(false);
            page.change(|form| form.set(Field::ModelConfig, ""));
        } else {
            pasted.set(true);
        }
    };
    view! {
        <fieldset class="group">
            <legend>{move || page.lang.get().label(Field::Model)}</legend>
            {model_name(page)}
            {file}
            <p class="hint" id="model-d">
                {hint} " "
                <button class="lnk" type="button" id="use-config" on:click=toggle>
                    {move || if pasted.get() { page.text().use_name } else { page.text().use_config }}
                </button>
            </p>
        </fieldset>
    }
    .into_any()
}

/// The model by name, with every name of the catalog to choose from.
pub(super) fn model_name(page: Page) -> AnyView {
    let names = catalog::models()
        .iter()
        .map(|entry| view! { <option value=entry.name>{entry.hf_repo}</option> });
    // The list offers what matches the text; with the text selected, typing starts a new search.
    let select_all =
        |event: web_sys::FocusEvent| event_target::<web_sys::HtmlInputElement>(&event).select();
    view! {
        <div class=move || if problem(page, Field::Model).is_some() { "field is-err" } else { "field" }>
            <label class="vh" for="model">{move || page.lang.get().label(Field::Model)}</label>
            <input id="model" type="text" list="models" autocomplete="off" spellcheck="false" autocapitalize="off"
                prop:value=move || page.form.with(|form| form.get(Field::Model).to_owned())
                on:focus=select_all
                on:input=move |event| {
                    page.bad_link.set(None);
                    page.form.update(|form| form.set(Field::Model, event_target_value(&event)));
                }
                aria-invalid=move || problem(page, Field::Model).map(|_| "true")
                aria-describedby=move || if problem(page, Field::Model).is_some() { "model-m" } else { "model-d" }/>
            <datalist id="models">{names.collect_view()}</datalist>
            {message(page, Field::Model)}
        </div>
    }
    .into_any()
}

pub(super) fn gpu_choice(page: Page) -> AnyView {
    let value = move || page.form.with(|form| form.get(Field::Gpu).to_owned());
    let groups = ["nvidia", "amd", "intel"].into_iter().map(|vendor| {
        let label = match vendor {
            "nvidia" => "NVIDIA",
            "amd" => "AMD",
            _ => "Intel",
        };
        let options = catalog::gpus().iter().filter(move |gpu| gpu.vendor == vendor).map(|gpu| {
            let name = format!("{} {} GB", gpu_label(gpu.id), format::fixed(gpu.memory_gb, 0));
            view! { <option value=gpu.id prop:selected=move || value() == gpu.id>{name}</option> }
        });
        view! { <optgroup label=label>{options.collect_view()}</optgroup> }
    });
    let custom = move || {
        page.form.with(Form::has_custom_gpu).then(|| view! {
            <option value=CUSTOM_GPU prop:selected=move || value() == CUSTOM_GPU>{page.text().gpu_custom}</option>
        })
    };
    // An id that the catalog does not have stays visible until another is chosen.
    let unknown = move || {
        let id = value();
        (id != CUSTOM_GPU && catalog::gpu(&id).is_none()).then(|| {
            let label = id.clone();
            view! { <option value=id.clone() prop:selected=true>{label}</option> }
        })
    };
    let wrong = move || problem(page, Field::Gpu).is_some();
    view! {
        <div class=move || if wrong() { "field is-err" } else { "field" }>
            <label for="hardware-gpu">{move || page.lang.get().label(Field::Gpu)}</label>
            <select id="hardware-gpu"
                on:change=move |event| {
                    let id = event_target_value(&event);
                    page.change(|form| choose_gpu(form, &id));
                }
                aria-invalid=move || wrong().then_some("true")
                aria-describedby=move || wrong().then_some("hardware-gpu-m")>
                {unknown}
                {custom}
                {groups.collect_view()}
            </select>
            {message(page, Field::Gpu)}
        </div>
    }
    .into_any()
}

/// Chooses a GPU type: a price, a node or a network typed for another does not hold for it.
pub(super) fn choose_gpu(form: &mut Form, id: &str) {
    form.set(Field::Gpu, id);
    for field in [Field::Price, Field::Network, Field::GpusPerNode] {
        form.set(field, "");
    }
}

fn gpus(page: Page) -> AnyView {
    let price = found(page, |shown, _| {
        shown
            .found
            .job
            .hardware
            .usd_per_gpu_hour
            .map(|usd| format::fixed(usd, 2))
            .unwrap_or_default()
    });
    let per_node = found(page, |shown, _| {
        format::grouped(shown.found.job.hardware.gpus_per_node.into())
    });
    let network = found(page, |shown, _| {
        format::fixed(shown.found.job.hardware.internode_gbit_per_s, 0)
    });
    let count = found(page, |shown, _| {
        format::grouped(shown.found.job.hardware.gpus.into())
    });
    let price_hint = move || {
        let text = page.text();
        let id = page.form.with(|form| form.get(Field::Gpu).to_owned());
        let gpu = catalog::gpu(&id)?;
        Some(match (gpu.usd_per_gpu_hour, gpu.price_source) {
            (Some(usd), Some(source)) => view! {
                <p class="hint">
                    {fill(text.price_hint, &[&format::price(usd), source.date])} " "
                    <a href=source.url rel="noopener" target="_blank">{text.price_source}</a>
                </p>
            }
            .into_any(),
            _ => view! { <p class="hint">{text.price_none}</p> }.into_any(),
        })
    };
    let summary = move || fill(page.text().node_summary, &[&per_node.get(), &network.get()]);
    view! {
        <fieldset class="group">
            <legend>{move || page.text().gpus}</legend>
            <div class="row row-gpu">
                {gpu_choice(page)}
                {input(page, Field::Gpus, None, count)}
                {input(page, Field::Price, None, price)}
            </div>
            {price_hint}
            <details class="more">
                <summary>{move || page.text().node_network} " " <span>{summary}</span></summary>
                <div class="row">
                    {input(page, Field::GpusPerNode, None, per_node)}
                    {input(page, Field::Network, None, network)}
                </div>
            </details>
        </fieldset>
    }
    .into_any()
}

fn kinds(page: Page, kind: Memo<WorkloadKind>) -> AnyView {
    let choices = KINDS.into_iter().map(|(choice, word, name)| {
        view! {
            <label>
                <input type="radio" name="kind" value=word
                    prop:checked=move || kind.get() == choice
                    on:change=move |_| page.change(|form| form.choose_kind(choice))/>
                <span>{name}</span>
            </label>
        }
    });
    view! { <div class="kinds" role="group" aria-label=move || page.lang.get().label(Field::Kind)>{choices.collect_view()}</div> }
        .into_any()
}

fn workload(page: Page) -> AnyView {
    let kind = Memo::new(move |_| page.form.with(Form::kind));
    let step = move || {
        let lang = page.lang.get();
        page.shown.with(|shown| {
            let answer = &shown.as_ref()?.found.answer;
            Some(fill(
                lang.text().step_hint,
                &[&lang.tokens(answer.tokens_per_s * answer.step_time_s)],
            ))
        })
    };
    let fields = move || {
        let kind = kind.get();
        if is_rl(kind) {
            rl_fields(page)
        } else if kind == WorkloadKind::Rollout {
            rollout_fields(page)
        } else {
            training_fields(page, kind)
        }
    };
    view! {
        <fieldset class="group">
            <legend>{move || page.text().workload}</legend>
            {kinds(page, kind)}
            {fields}
            <p class="hint">{step}</p>
            <div class="row">{plain(page, Field::RunTokens)}</div>
        </fieldset>
    }
    .into_any()
}

fn precision(page: Page) -> AnyView {
    let words: &[&str] = &["bf16", "fp16", "fp8", "mxfp8", "nvfp4"];
    choice(
        page,
        Field::Precision,
        words,
        Signal::stored("bf16".to_owned()),
    )
}

fn training_fields(page: Page, kind: WorkloadKind) -> AnyView {
    let adapters = matches!(kind, WorkloadKind::Lora | WorkloadKind::Qlora).then(|| {
        let rank = input(page, Field::LoraRank, None, Signal::stored("16".to_owned()));
        let on = found(page, |_, lang| lang.word("all-linear").to_owned());
        view! { <div class="row">{rank}{choice(page, Field::LoraTargets, &["all-linear", "attention"], on)}</div> }
    });
    let packed = found(page, |shown, lang| {
        let text = lang.text();
        (if shown.found.job.workload.packing {
            text.yes
        } else {
            text.no
        })
        .to_owned()
    });
    let mean = found(page, |shown, _| {
        format::fixed(shown.found.job.workload.mean_sequence_length, 0)
    });
    view! {
        <div class="row">{tokens(page, Field::SequenceLength)}{plain(page, Field::GlobalBatch)}</div>
        {adapters}
        <details class="more">
            <summary>{move || page.text().more_sft}</summary>
            <div class="row">
                {input(page, Field::MeanSequenceLength, Some("tokens"), mean)}
                {choice(page, Field::Packing, &["true", "false"], packed)}
                {precision(page)}
            </div>
        </details>
    }
    .into_any()
}

fn rl_fields(page: Page) -> AnyView {
    let rl = move |of: fn(&shardwise_core::workload::Rl) -> String| {
        found(page, move |shown, _| {
            shown
                .found
                .job
                .workload
                .rl
                .as_ref()
                .map(of)
                .unwrap_or_default()
        })
    };
    let reference = found(page, |shown, lang| {
        let on = shown
            .found
            .job
            .workload
            .rl
            .as_ref()
            .is_some_and(|rl| rl.reference);
        (if on { lang.text().yes } else { lang.text().no }).to_owned()
    });
    let schedule = found(page, |_, lang| lang.word("colocated").to_owned());
    let split = move || {
        let schedule = page.form.with(|form| form.get(Field::Schedule).to_owned());
        (!schedule.is_empty() && schedule != "colocated").then(|| {
            input(
                page,
                Field::TrainGpus,
                None,
                rl(|rl| format::grouped(rl.train_gpus.into())),
            )
        })
    };
    let schedules: &[&str] = &["colocated", "split", "one_step_off", "fully_async"];
    view! {
        <div class="row row-6">
            {plain(page, Field::Prompts)}
            {input(page, Field::Responses, None, rl(|rl| format::grouped(rl.responses_per_prompt)))}
            {tokens(page, Field::MaxPrompt)}
            {tokens(page, Field::MaxResponse)}
            {input(page, Field::MeanPrompt, Some("tokens"), rl(|rl| format::fixed(rl.mean_prompt_length, 0)))}
            {input(page, Field::MeanResponse, Some("tokens"), rl(|rl| format::fixed(rl.mean_response_length, 0)))}
        </div>
        <details class="more">
            <summary>{move || page.text().more_rl}</summary>
            <div class="row">
                {input(page, Field::MiniBatch, None, rl(|rl| format::grouped(rl.mini_batch)))}
                {input(page, Field::Epochs, None, rl(|rl| format::grouped(rl.epochs)))}
                {input(page, Field::Spread, None, rl(|rl| format::fixed(rl.response_length_cv, 2)))}
                {choice(page, Field::Reference, &["true", "false"], reference)}
                {choice(page, Field::Schedule, schedules, schedule)}
                {precision(page)}
                {split}
            </div>
        </details>
    }
    .into_any()
}

fn rollout_fields(page: Page) -> AnyView {
    view! {
        <div class="row row-6">
            {plain(page, Field::Requests)}
            {tokens(page, Field::RequestPrompt)}
            {tokens(page, Field::RequestResponse)}
        </div>
        <details class="more">
            <summary>{move || page.text().more_rollout}</summary>
            <div class="row">
                {input(page, Field::RequestSpread, None, Signal::stored("0".to_owned()))}
                {precision(page)}
            </div>
        </details>
    }
    .into_any()
}

fn plan(page: Page) -> AnyView {
    let pinned = Memo::new(move |_| {
        page.form.with(|form| {
            Field::ALL
                .iter()
                .filter(|field| field.path().starts_with("plan.") && !form.get(**field).is_empty())
                .count()
        })
    });
    let summary = move || {
        let text = page.text();
        match pinned.get() {
            0 => view! { {text.plan_auto} " " <span>{text.plan_hint}</span> }.into_any(),
            count => view! { {fill(text.plan_yours, &[&count.to_string()])} }.into_any(),
        }
    };
    let generates = Memo::new(move |_| page.form.with(|form| generates(form.kind())));
    let backend = found(page, |shown, _| {
        shown
            .found
            .answer
            .plan
            .backend
            .map(super::words::backend)
            .unwrap_or_default()
            .to_owned()
    });
    let recomputed = found(page, |shown, lang| {
        lang.word(recompute(&shown.found.answer.plan)).to_owned()
    });
    let count = move |field: Field, of: fn(&PlanSpec) -> Option<u64>| {
        input(
            page,
            field,
            None,
            auto_text(page, chosen(page, of, format::grouped)),
        )
    };
    let fused = found(page, |shown, lang| {
        let text = lang.text();
        shown
            .found
            .answer
            .plan
            .fused_lm_head
            .map(|on| if on { text.yes } else { text.no })
            .unwrap_or_default()
            .to_owned()
    });
    let engine = move || {
        generates.get().then(|| {
            let share = chosen(page, |plan| plan.rollout.as_ref()?.gpu_memory_utilization, |share| format::fixed(share, 2));
            view! {
                {count(Field::RolloutTensorParallel, |plan| plan.rollout.as_ref()?.tensor_parallel)}
                {input(page, Field::MemoryShare, None, auto_text(page, share))}
                {choice(page, Field::Engine, &["vllm", "sglang"], Signal::stored("vLLM".to_owned()))}
            }
        })
    };
    let free = move || {
        (pinned.get() > 0).then(|| view! {
            <p><button class="btn btn-s" type="button" id="free-plan" on:click=move |_| page.change(free_plan)>
                {move || page.text().free_plan}
            </button></p>
        })
    };
    view! {
        <fieldset class="group group-last">
            <legend>{move || page.text().plan}</legend>
            <details class="more more-first" id="plan-controls">
                <summary>{summary}</summary>
                <div class="row row-3">
                    {choice(page, Field::Backend, &["megatron", "fsdp", "deepspeed", "ddp"], backend)}
                    {count(Field::TensorParallel, |plan| plan.tensor_parallel)}
                    {count(Field::PipelineParallel, |plan| plan.pipeline_parallel)}
                    {count(Field::VirtualPipeline, |plan| plan.virtual_pipeline)}
                    {count(Field::ContextParallel, |plan| plan.context_parallel)}
                    {count(Field::UlyssesParallel, |plan| plan.ulysses_parallel)}
                    {count(Field::ExpertParallel, |plan| plan.expert_parallel)}
                    {count(Field::ExpertTensorParallel, |plan| plan.expert_tensor_parallel)}
                    {count(Field::ZeroStage, |plan| plan.zero_stage)}
                    {count(Field::MicroBatch, |plan| plan.micro_batch)}
                    {count(Field::TokenBudget, |plan| plan.max_tokens_per_gpu)}
                    {choice(page, Field::Recompute, &["none", "selective", "full"], recomputed)}
                    {choice(page, Field::FusedHead, &["true", "false"], fused)}
                    {engine}
                </div>
                {offloads(page)}
                {free}
            </details>
        </fieldset>
    }
    .into_any()
}

/// `auto: 2` for a control that is empty, or nothing while there is no answer.
fn auto_text(page: Page, value: Signal<String>) -> Signal<String> {
    Signal::derive(move || {
        let (text, value) = (page.text(), value.get());
        if value.is_empty() {
            text.auto.to_owned()
        } else {
            fill(text.auto_is, &[&value])
        }
    })
}

/// Gives every part of the plan back to the search.
fn free_plan(form: &mut Form) {
    for field in Field::ALL
        .iter()
        .filter(|field| field.path().starts_with("plan."))
    {
        form.set(*field, "");
    }
    form.forget_plan();
}

/// Four boxes, dashed while the search decides.
fn offloads(page: Page) -> AnyView {
    let field = Field::Offload;
    let auto = found(page, |shown, lang| {
        let named = offload(&shown.found.answer.plan, lang);
        if named.is_empty() {
            lang.text().no.to_owned()
        } else {
            named
        }
    });
    let boxes = OFFLOADS.into_iter().map(|letter| {
        let name = letter.to_string();
        let checked = move || page.form.with(|form| form.get(field).contains(letter));
        let toggle = move |event| {
            let on = event_target_checked(&event);
            page.form.update(|form| {
                let mut letters: String = OFFLOADS
                    .into_iter()
                    .filter(|known| {
                        if *known == letter {
                            on
                        } else {
                            form.get(field).contains(*known)
                        }
                    })
                    .collect();
                if letters.is_empty() {
                    letters.push('-');
                }
                form.set(field, letters);
            });
        };
        view! {
            <label class="check">
                <input type="checkbox" prop:checked=checked on:change=toggle/>
                <span>{move || page.lang.get().word(&name).to_owned()}</span>
            </label>
        }
    });
    let state = move || {
        let text = page.text();
        page.form
            .with(|form| form.get(field).is_empty())
            .then(|| fill(text.auto_is, &[&auto.get()]))
    };
    view! {
        <fieldset class="offloads">
            <legend class="lab">{move || page.text().offload_legend} " " <span class="muted">{state}</span></legend>
            <div class="checks">{boxes.collect_view()}</div>
            {message(page, field)}
        </fieldset>
    }
    .into_any()
}
