//! The task and its sizes.

use shardwise_core::task::Preference;
use shardwise_core::wire::WorkloadKind;

use crate::form::task::Family;
use crate::form::{Field, is_rl};
use crate::view::controls::{Choice, Input, Message, More, problem, wrong_class};
use crate::view::prelude::*;
use crate::view::run::Length;
use crate::view::values::yes_no;

/// The name of a kind of work.
fn family_name(family: Family, text: &Text) -> &'static str {
    match family {
        Family::Pretrain => text.task_pretrain,
        Family::Full => text.task_full,
        Family::Adapters => text.task_lora,
        Family::Prefer => text.task_prefer,
        Family::Rl => text.task_rl,
        Family::Generate => text.task_generate,
    }
}

/// The task in two lists: the kind of work, and which of it.
#[component]
fn Task(page: Page) -> impl IntoView {
    let text = page.text();
    let choose = move |event| {
        let word = event_target_value(&event);
        if let Some(family) = Family::of_word(&word) {
            page.change(|form| form.choose_kind(family.usual()));
        }
    };
    let family = Memo::new(move |_| Family::of(page.kind()));
    view! {
        <div class=move || format!("field task{}", wrong_class(page, Field::Kind))>
            <label class="vh" for="workload-kind">{text.task_which}</label>
            <select
                id="workload-kind"
                on:change=choose
                aria-invalid=move || problem(page, Field::Kind).map(|_| "true")
                aria-describedby=move || problem(page, Field::Kind).map(|_| "workload-kind-m")
            >
                {Family::ALL.map(|own| view! {
                    <option value=own.word() prop:selected=move || family.get() == own>{family_name(own, text)}</option>
                })}
            </select>
            {move || view! { <Which page family=family.get()/> }}
            <Message page field=Field::Kind/>
        </div>
    }
}

/// The tasks of a kind, where there are several.
#[component]
fn Which(page: Page, family: Family) -> impl IntoView {
    let tasks = family.tasks();
    let text = page.text();
    let name = if family == Family::Adapters { text.task_adapters } else { text.task_algorithm };
    (tasks.len() > 1).then(|| {
        let choose = move |event| {
            let kind = WorkloadKind::of(&event_target_value(&event)).unwrap_or_default();
            page.change(|form| form.choose_kind(kind));
        };
        let options = tasks.into_iter().map(|task| view! {
            <option value=task.as_str() prop:selected=move || page.kind() == task>{page.lang.word(task.name())}</option>
        });
        view! {
            <label class="vh" for="algorithm">{name}</label>
            <select id="algorithm" on:change=choose>{options.collect_view()}</select>
        }
    })
}

#[component]
pub(super) fn Workload(page: Page) -> impl IntoView {
    let step = move || {
        let lang = page.lang;
        let shown = page.answered()?;
        let answer = &shown.found.answer;
        Some(fill(lang.text().step_hint, &[&lang.tokens(answer.tokens_per_s * answer.step_time_s)]))
    };
    let sees = Memo::new(move |_| sees(page));
    view! {
        <fieldset class="group">
            <legend>{page.text().workload}</legend>
            <Task page/>
            {move || match page.kind() {
                kind if is_rl(kind) => view! {
                    {(kind == WorkloadKind::Distill).then(|| view! { <Taught page/> })}
                    <Rl page/>
                },
                WorkloadKind::Rollout => view! { <Rollout page/> },
                kind => view! { <Training page kind/> },
            }}
            {move || sees.get().then(|| view! { <Images page/> })}
            <p class="hint">{move || step()}</p>
            <Length page/>
        </fieldset>
    }
}

#[component]
fn Training(page: Page, kind: WorkloadKind) -> impl IntoView {
    let learns = matches!(kind, WorkloadKind::Sft | WorkloadKind::Lora | WorkloadKind::Qlora);
    let preference = kind.preference();
    let pairs = preference.is_some_and(Preference::has_pairs);
    let batch = if pairs { page.text().pairs_per_step } else { page.lang.label(Field::GlobalBatch) };
    let on = page.lang.word("all-linear");
    let no = move || yes_no(false, page.lang);
    let adapters = matches!(kind, WorkloadKind::Lora | WorkloadKind::Qlora).then(|| {
        view! {
            <div class="row">
                <Input page field=Field::LoraRank placeholder="16"/>
                <Choice page field=Field::LoraTargets auto=on/>
            </div>
        }
    });
    // Where nothing says adapters all weights train.
    let adapted = move || {
        let said = [Field::LoraRank, Field::LoraTargets, Field::LoadIn4bit];
        said.into_iter().any(|field| !page.typed(field).is_empty())
    };
    let beside = preference.map(|own| {
        view! {
            <div class="row">
                <Input page field=Field::LoraRank placeholder=page.text().all_weights/>
                {move || adapted().then(|| view! {
                    <Choice page field=Field::LoraTargets auto=on/>
                    <Choice page field=Field::LoadIn4bit auto=no()/>
                })}
                {own.has_reference().then(|| view! {
                    <Choice page field=Field::PrecomputeReference auto=no()/>
                })}
            </div>
        }
    });
    view! {
        <div class="row">
            <Input page field=Field::SequenceLength tokens=true/>
            <Input page field=Field::GlobalBatch label=batch/>
        </div>
        {adapters}
        {beside}
        <More page at=Step::OwnTask title=page.text().more_sft>
            <Input page field=Field::MeanSequenceLength tokens=true/>
            <Input page field=Field::LengthSpread/>
            <Choice page field=Field::Packing/>
            <Choice page field=Field::Precision/>
        </More>
        {learns.then(|| view! {
            <More page at=Step::OwnTask title=page.text().more_teacher>
                <Teacher page/>
                <Logits page words=&["full", "top_k"]/>
            </More>
        })}
    }
}

/// The teacher's model.
#[component]
fn Teacher(page: Page) -> impl IntoView {
    view! { <Input page field=Field::Teacher placeholder="Qwen3 32B"/> }
}

/// What of its probabilities the student is held to.
#[component]
fn Logits(page: Page, words: &'static [&'static str]) -> impl IntoView {
    view! {
        <Choice page field=Field::TeacherLogits words/>
        {move || (page.typed(Field::TeacherLogits) == "top_k").then(|| view! {
            <Input page field=Field::TopK placeholder="64"/>
        })}
    }
}

/// A teacher of what the student samples, and where it stands.
#[component]
fn Taught(page: Page) -> impl IntoView {
    let beside = page.lang.word("beside");
    let pool = move || page.typed(Field::Placement) == "pool";
    view! {
        <div class="row row-6">
            <Teacher page/>
            <Choice page field=Field::Placement auto=beside/>
            {move || {
                let words: &'static [&'static str] = if pool() { &["sampled", "top_k"] } else { &["full", "top_k", "sampled"] };
                view! { <Logits page words/> }
            }}
            <Input page field=Field::OnPolicy/>
            {move || pool().then(|| view! {
                <Input page field=Field::TeacherGpus/>
                <Input page field=Field::TeacherTensorParallel/>
            })}
        </div>
        {move || pool().then(|| view! {
            <More page at=Step::OwnTask title=page.text().more_pool>
                <Input page field=Field::TeacherShare/>
                <Input page field=Field::TeacherTokens tokens=true/>
                <Choice page field=Field::TeacherPrecision auto="bf16"/>
            </More>
        })}
    }
}

#[component]
fn Rl(page: Page) -> impl IntoView {
    let schedule = page.lang.word("colocated");
    view! {
        <div class="row row-6">
            <Input page field=Field::Prompts/>
            <Input page field=Field::Responses/>
            <Input page field=Field::MaxPrompt tokens=true/>
            <Input page field=Field::MaxResponse tokens=true/>
            <Input page field=Field::MeanPrompt tokens=true/>
            <Input page field=Field::MeanResponse tokens=true/>
        </div>
        <More page at=Step::OwnTask title=page.text().more_rl>
            <Input page field=Field::Oversampling/>
            <Input page field=Field::Spread/>
            <Input page field=Field::MiniBatch/>
            <Input page field=Field::Epochs/>
            <Choice page field=Field::Reference/>
            <Choice page field=Field::OldLogProb/>
            <Choice page field=Field::BalanceBatch/>
            <Input page field=Field::RewardSeconds/>
            <Choice page field=Field::Precision/>
            <Choice page field=Field::Schedule auto=schedule/>
            {move || sides(page)}
        </More>
        <Agent page/>
    }
}

/// Whether the model has a vision tower, or somebody has said something of images.
fn sees(page: Page) -> bool {
    const OWN: [Field; 5] =
        [Field::Images, Field::ImageWidth, Field::ImageHeight, Field::ImagePixels, Field::VisionTower];
    let tower = page
        .answered()
        .is_some_and(|shown| shown.found.job.model.shape.vision.is_some());
    tower || OWN.into_iter().any(|field| !page.typed(field).is_empty())
}

/// The images of an example, and what trains of the tower that sees them.
#[component]
fn Images(page: Page) -> impl IntoView {
    view! {
        <More page at=Step::OwnTask title=page.text().more_images>
            <Input page field=Field::Images/>
            <Input page field=Field::ImageWidth/>
            <Input page field=Field::ImageHeight/>
            <Input page field=Field::ImagePixels/>
            <Choice page field=Field::VisionTower/>
        </More>
    }
}

/// Turns of a response, and the tools between them.
#[component]
fn Agent(page: Page) -> impl IntoView {
    view! {
        <More page at=Step::OwnTask title=page.text().more_agent>
            <Input page field=Field::AgentTurns/>
            <Input page field=Field::AgentMaxTurns/>
            <Input page field=Field::ToolTokens tokens=true/>
            <Input page field=Field::ToolSeconds/>
            <Input page field=Field::ToolSpread/>
            <Input page field=Field::Environments/>
            <Input page field=Field::PrefixHits/>
            <Choice page field=Field::OwnPace auto=yes_no(true, page.lang)/>
        </More>
    }
}

/// What a schedule asks for where generation has GPUs of its own.
fn sides(page: Page) -> Option<AnyView> {
    let schedule = page.typed(Field::Schedule);
    let apart = !matches!(schedule.as_str(), "" | "colocated");
    apart.then(|| {
        let asynchronous = schedule == "fully_async";
        view! {
            <Input page field=Field::TrainGpus/>
            {asynchronous.then(|| view! {
                <Input page field=Field::MaxStaleness/>
                <Choice page field=Field::PartialRollout/>
            })}
            {move || searched_split(page).map(|words| view! { <p class="hint">{words}</p> })}
        }
    })
}

/// The split that was searched for, while nobody has typed one.
fn searched_split(page: Page) -> Option<String> {
    let shown = page.answered()?;
    let split = shown.found.answer.split?;
    page.typed(Field::TrainGpus).is_empty().then(|| {
        let sides = [split.train_gpus, split.rollout_gpus].map(|gpus| format::grouped(gpus.into()));
        fill(page.text().split_hint, &[&sides[0], &sides[1]])
    })
}

#[component]
fn Rollout(page: Page) -> impl IntoView {
    view! {
        <div class="row row-6">
            <Input page field=Field::Requests/>
            <Input page field=Field::RequestPrompt tokens=true/>
            <Input page field=Field::RequestResponse tokens=true/>
        </div>
        <More page at=Step::OwnTask title=page.text().more_rollout>
            <Input page field=Field::RequestSpread placeholder="0"/>
            <Choice page field=Field::Precision/>
        </More>
    }
}
