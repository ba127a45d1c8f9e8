//! The parts of a plan as a person chooses them: which ones a plan has, what each says, and what else it could be.

use shardwise_core::complete::{generating_gpus, training_gpus};
use shardwise_core::job::Job;
use shardwise_core::search::chosen::decided;
use shardwise_core::units::decimal;
use shardwise_core::wire::{Backend, PlanSpec};
use shardwise_core::{Answer, Question};

use crate::form::{Field, Form};
use crate::format;
use crate::text::{Lang, fill};
use crate::words;

/// How training is laid out, in the order in which it is said.
const TRAIN: [Field; 18] = [
    Field::TrainGpus,
    Field::Backend,
    Field::TensorParallel,
    Field::PipelineParallel,
    Field::VirtualPipeline,
    Field::PipelineSchedule,
    Field::ContextParallel,
    Field::UlyssesParallel,
    Field::ExpertParallel,
    Field::ExpertTensorParallel,
    Field::ZeroStage,
    Field::MicroBatch,
    Field::TokenBudget,
    Field::Recompute,
    Field::FusedHead,
    Field::AttentionKernel,
    Field::Optimizer,
    Field::Offload,
];

/// How the engine that generates is.
const ROLLOUT: [Field; 6] = [
    Field::Engine,
    Field::RolloutTensorParallel,
    Field::MemoryShare,
    Field::KvCacheDtype,
    Field::EnforceEager,
    Field::SpeculativeSpeedup,
];

/// How many sizes of a group of GPUs are offered, at most.
const MOST_SIZES: usize = 8;

/// A part of a plan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// One that a person may choose.
    Choice {
        /// Its control.
        field: Field,
        /// What it says.
        words: String,
        /// Whether the question states it.
        pinned: bool,
    },
    /// What follows from the others.
    Follows(String),
}

/// A plan's parts: of training, and of the engine that generates. Each has a place of its own, empty in a plan without it, so
/// that what stands on the page stays what it is while the plan changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    pub(crate) train: Vec<Option<Part>>,
    pub(crate) rollout: Vec<Option<Part>>,
}

impl Parts {
    /// Those that the plan has.
    pub(crate) fn all(self) -> impl Iterator<Item = Part> {
        self.train.into_iter().chain(self.rollout).flatten()
    }
}

/// What a control would show if it stated the answer's plan.
pub(crate) fn stated(question: &Question, answer: &Answer) -> Form {
    Form::of(&decided(question, answer))
}

/// Whether a plan has a part that nobody states.
fn has(field: Field, job: &Job, answer: &Answer) -> bool {
    let plan = &answer.plan;
    let splits = |size: Option<u64>| size.is_some_and(|size| size > 1);
    let by = |backend| plan.backend == Some(backend);
    let experts = job.model.shape.num_experts > 0;
    match field {
        Field::TrainGpus => answer.split.is_some(),
        Field::TensorParallel => by(Backend::Megatron) || splits(plan.tensor_parallel),
        Field::PipelineParallel => by(Backend::Megatron) || splits(plan.pipeline_parallel),
        Field::ContextParallel => by(Backend::Megatron) || splits(plan.context_parallel),
        Field::ExpertParallel => (by(Backend::Megatron) && experts) || splits(plan.expert_parallel),
        Field::UlyssesParallel => (by(Backend::Fsdp) && job.workload.rl.is_some()) || splits(plan.ulysses_parallel),
        Field::VirtualPipeline => splits(plan.virtual_pipeline),
        Field::ExpertTensorParallel => splits(plan.expert_tensor_parallel),
        Field::ZeroStage => by(Backend::Deepspeed) || plan.zero_stage.is_some_and(|stage| stage > 0),
        Field::MicroBatch => plan.max_tokens_per_gpu.is_none(),
        Field::TokenBudget => plan.max_tokens_per_gpu.is_some(),
        Field::FusedHead => plan.fused_lm_head == Some(true),
        Field::Backend | Field::Recompute | Field::Offload => true,
        Field::RolloutTensorParallel | Field::MemoryShare => true,
        // The search leaves them as they are.
        _ => false,
    }
}

/// What a part says.
pub(crate) fn words(field: Field, answer: &Answer, lang: Lang) -> String {
    let (text, plan) = (lang.text(), &answer.plan);
    let named = |name: &str, value: Option<u64>| format!("{name}\u{a0}{}", format::grouped(value.unwrap_or(1)));
    let rollout = plan.rollout.clone().unwrap_or_default();
    match field {
        Field::TrainGpus => {
            let gpus = answer.split.map_or(0, |split| u64::from(split.train_gpus));
            fill(text.chip_train_gpus, &[&format::grouped(gpus)])
        }
        Field::Backend => plan.backend.map(Backend::name).unwrap_or_default().to_owned(),
        Field::TensorParallel => named("TP", plan.tensor_parallel),
        Field::PipelineParallel => named("PP", plan.pipeline_parallel),
        Field::VirtualPipeline => named("VPP", plan.virtual_pipeline),
        Field::ContextParallel => named("CP", plan.context_parallel),
        Field::UlyssesParallel => named("SP", plan.ulysses_parallel),
        Field::ExpertParallel => named("EP", plan.expert_parallel),
        Field::ExpertTensorParallel => named("ETP", plan.expert_tensor_parallel),
        Field::ZeroStage => format!("ZeRO\u{a0}{}", plan.zero_stage.unwrap_or_default()),
        Field::MicroBatch | Field::TokenBudget => words::batch(plan, lang),
        Field::Recompute => match words::recompute(plan) {
            "none" => text.chip_no_recompute.to_owned(),
            granularity => fill(text.chip_recompute, &[lang.word(granularity)]),
        },
        Field::Offload => match words::offload(plan, lang).as_str() {
            "" => text.chip_no_offload.to_owned(),
            named => fill(text.chip_offload, &[named]),
        },
        Field::FusedHead => {
            if plan.fused_lm_head == Some(true) { text.chip_fused } else { text.chip_not_fused }.to_owned()
        }
        Field::AttentionKernel => plan.attention_kernel.map_or("", |own| lang.word(own.as_str())).to_owned(),
        Field::PipelineSchedule => plan.pipeline_schedule.map_or("", |own| lang.word(own.as_str())).to_owned(),
        Field::Optimizer => lang.word(plan.optimizer.unwrap_or_default().as_str()).to_owned(),
        Field::Engine => lang.word(rollout.engine.unwrap_or_default().as_str()).to_owned(),
        Field::RolloutTensorParallel => named("TP", rollout.tensor_parallel),
        Field::MemoryShare => {
            let share = rollout.gpu_memory_utilization.unwrap_or_default();
            fill(text.chip_share, &[&format::percent(share, 0)])
        }
        Field::KvCacheDtype => fill(text.chip_kv, &[lang.word(rollout.kv_cache_dtype.unwrap_or_default().as_str())]),
        Field::EnforceEager => {
            if rollout.enforce_eager == Some(true) { text.chip_eager } else { text.chip_graphs }.to_owned()
        }
        _ => format!("{} {}", lang.label(field), rollout.speculative_speedup.map(format::trimmed).unwrap_or_default()),
    }
}

/// What follows from the other parts of training: how often the model is there.
fn replicas(plan: &PlanSpec, gpus: u32) -> Part {
    let layout = words::layout(plan, gpus);
    Part::Follows(layout.rsplit(" · ").next().unwrap_or_default().to_owned())
}

/// The parts of the answer's plan.
pub(crate) fn of(question: &Question, job: &Job, answer: &Answer, lang: Lang) -> Parts {
    let asked = Form::of(question);
    let part = |field: Field| {
        let pinned = !asked.get(field).is_empty();
        (pinned || has(field, job, answer)).then(|| Part::Choice { field, words: words(field, answer, lang), pinned })
    };
    let mut parts = Parts::default();
    if job.workload.generation.is_none() {
        for field in TRAIN {
            if field == Field::ZeroStage {
                parts.train.push(Some(replicas(&answer.plan, training_gpus(job))));
            }
            parts.train.push(part(field));
        }
    }
    if let Some(engine) = &answer.plan.rollout {
        for field in ROLLOUT {
            parts.rollout.push(part(field));
            let beside = [("DP", engine.data_parallel), ("EP", engine.expert_parallel)];
            let beside = beside.into_iter().filter(|_| field == Field::RolloutTensorParallel);
            for (name, size) in beside {
                let size = size.filter(|size| *size > 1).map(format::grouped);
                parts
                    .rollout
                    .push(size.map(|size| Part::Follows(format!("{name}\u{a0}{size}"))));
            }
        }
    }
    parts
}

/// What two plans say differently, but for one part.
pub(crate) fn differences(was: &Parts, now: &Parts, but: Field) -> Vec<String> {
    let others = |parts: &Parts| -> Vec<(Field, String)> {
        let all = parts.clone().all();
        all.filter_map(|part| match part {
            Part::Choice { field, words, .. } if field != but => Some((field, words)),
            _ => None,
        })
        .collect()
    };
    let was = others(was);
    others(now)
        .into_iter()
        .filter(|own| !was.contains(own))
        .map(|(_, words)| words)
        .collect()
}

/// One, two, four, … up to a limit.
fn powers(limit: u64) -> Vec<u64> {
    let powers = std::iter::successors(Some(1_u64), |size| size.checked_mul(2));
    powers.take_while(|size| *size <= limit).take(MOST_SIZES).collect()
}

/// Half and twice a number, twice over; `least` or more.
fn around(now: u64, least: u64) -> Vec<u64> {
    let mut sizes = vec![now / 4, now / 2, now, now * 2, now * 4];
    sizes.retain(|size| *size >= least);
    sizes
}

/// What a part could be, as a person would type it: rising where it is a number. What is not possible is among it.
pub(crate) fn alternatives(field: Field, job: &Job, plan: &PlanSpec, now: &str) -> Vec<String> {
    let [gpus, engines] = [training_gpus(job), generating_gpus(job)].map(u64::from);
    let node = u64::from(job.hardware.gpus_per_node);
    let sizes = match field {
        Field::TensorParallel | Field::ExpertTensorParallel => powers(gpus.min(node)),
        Field::PipelineParallel => powers(gpus.min(64)),
        Field::VirtualPipeline => powers(8),
        Field::ContextParallel | Field::UlyssesParallel => powers(gpus.min(16)),
        Field::ExpertParallel => powers(gpus.min(job.model.shape.num_experts)),
        Field::ZeroStage => (0..=3).collect(),
        Field::MicroBatch => around(plan.micro_batch.unwrap_or(1).max(1), 1),
        Field::TokenBudget => around(plan.max_tokens_per_gpu.unwrap_or(4096), 256),
        Field::TrainGpus => {
            let all = u64::from(job.hardware.gpus);
            (1..4).map(|quarter| all * quarter / 4).filter(|own| *own > 0).collect()
        }
        Field::RolloutTensorParallel => powers(engines.min(node)),
        _ => Vec::new(),
    };
    let mut all: Vec<String> = if sizes.is_empty() {
        let words: &[&str] = match field {
            Field::Offload if plan.backend == Some(Backend::Deepspeed) => &["-", "go", "pgo"],
            Field::Offload => &["-", "o", "pgo"],
            Field::MemoryShare => &["0.4", "0.5", "0.6", "0.7", "0.8", "0.9"],
            Field::SpeculativeSpeedup => &["1", "1.5", "2"],
            _ => field.choices(),
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    } else {
        sizes.into_iter().map(format::grouped).collect()
    };
    if !now.is_empty() && !all.iter().any(|own| own == now) {
        // A number stands where it belongs.
        let number = |text: &str| decimal(&text.replace(',', ""));
        let place = number(now).and_then(|now| all.iter().position(|own| number(own).is_some_and(|own| own > now)));
        all.insert(place.unwrap_or(all.len()), now.to_owned());
    }
    all
}

/// Writes a part into the form, as typing it would. One pass takes sequences or tokens.
pub(crate) fn pin(form: &mut Form, field: Field, text: &str) {
    form.set(field, text);
    match field {
        Field::MicroBatch if !text.is_empty() => form.set(Field::TokenBudget, ""),
        Field::TokenBudget if !text.is_empty() => form.set(Field::MicroBatch, ""),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, alternatives, of, pin, stated};
    use crate::form::{Field, Form};
    use crate::text::Lang;
    use shardwise_core::presets::{self, Preset};
    use shardwise_core::{Question, evaluate_alone};

    fn question() -> Question {
        let found = presets::presets().iter().find(|own| own.id.starts_with("verl"));
        found
            .and_then(Preset::question)
            .unwrap_or_else(|| panic!("there is such a preset"))
    }

    fn choice(question: &Question, wanted: Field) -> Option<(String, bool)> {
        let found = evaluate_alone(question).unwrap_or_else(|error| panic!("{error}"));
        let parts = of(question, &found.job, &found.answer, Lang::En);
        parts.all().find_map(|part| match part {
            Part::Choice { field, words, pinned } if field == wanted => Some((words, pinned)),
            _ => None,
        })
    }

    #[test]
    fn a_part_is_pinned_as_the_form_says() {
        let question = question();
        let found = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}"));
        for field in [Field::Backend, Field::Recompute, Field::RolloutTensorParallel, Field::MemoryShare] {
            assert_eq!(choice(&question, field).map(|own| own.1), Some(false), "{field:?}");
            let mut form = Form::of(&question);
            let now = stated(&question, &found.answer).get(field).to_owned();
            pin(&mut form, field, &now);
            let pinned = form.question().unwrap_or_else(|errors| panic!("{errors:?}"));
            assert_eq!(choice(&pinned, field).map(|own| own.1), Some(true), "{field:?} {now}");
            assert_eq!(form.pinned(), 1);
            pin(&mut form, field, "");
            assert_eq!(form.question().as_ref(), Ok(&question), "{field:?}");
        }
    }

    #[test]
    fn what_is_chosen_is_among_the_alternatives_where_it_belongs() {
        let question = question();
        let found = evaluate_alone(&question).unwrap_or_else(|error| panic!("{error}"));
        let form = stated(&question, &found.answer);
        for field in [Field::Backend, Field::TokenBudget, Field::Offload, Field::MemoryShare] {
            let now = form.get(field);
            let all = alternatives(field, &found.job, &found.answer.plan, now);
            assert_eq!(all.iter().filter(|own| *own == now).count(), 1, "{field:?}: {now} of {all:?}");
        }
        let shares = alternatives(Field::MemoryShare, &found.job, &found.answer.plan, "0.65");
        assert_eq!(shares[2..4], ["0.6", "0.65"]);
        assert_eq!(alternatives(Field::TensorParallel, &found.job, &found.answer.plan, "4"), ["1", "2", "4", "8"]);
    }

    #[test]
    fn a_kernel_is_a_part_once_it_is_chosen() {
        let question = question();
        assert_eq!(choice(&question, Field::AttentionKernel), None);
        let mut form = Form::of(&question);
        pin(&mut form, Field::AttentionKernel, "flash2");
        let pinned = form.question().unwrap_or_else(|errors| panic!("{errors:?}"));
        assert_eq!(choice(&pinned, Field::AttentionKernel), Some(("FlashAttention-2".to_owned(), true)));
        assert_eq!(form.pinned(), 1);
    }

    #[test]
    fn an_optimizer_is_a_part_once_it_is_chosen() {
        let question = question();
        assert_eq!(choice(&question, Field::Optimizer), None);
        let mut form = Form::of(&question);
        pin(&mut form, Field::Backend, "fsdp");
        pin(&mut form, Field::Optimizer, "adamw_8bit");
        let pinned = form.question().unwrap_or_else(|errors| panic!("{errors:?}"));
        assert_eq!(choice(&pinned, Field::Optimizer), Some(("8-bit AdamW".to_owned(), true)));
        let found = evaluate_alone(&pinned).unwrap_or_else(|error| panic!("{error}"));
        let all = alternatives(Field::Optimizer, &found.job, &found.answer.plan, "adamw_8bit");
        assert_eq!((all.len(), all[0].as_str()), (9, "adamw"));
        assert!(all.iter().all(|own| Lang::Zh.word(own) != own && Lang::En.word(own) != own), "{all:?}");
    }

    #[test]
    fn one_pass_takes_sequences_or_tokens() {
        let mut form = Form::of(&question());
        pin(&mut form, Field::TokenBudget, "8,192");
        pin(&mut form, Field::MicroBatch, "2");
        assert_eq!([form.get(Field::TokenBudget), form.get(Field::MicroBatch)], ["", "2"]);
    }
}
