//! Values of the answer, as the form's controls show them where nothing is typed.

use shardwise_core::complete::{usual_kernel, usual_schedule};
use shardwise_core::hardware::Hardware;
use shardwise_core::job::owned;
use shardwise_core::wire::Attention;
use shardwise_core::workload::Logits;

use crate::view::prelude::*;
use crate::words::recompute;

/// A value of the answer, as text for a placeholder or an `auto` choice.
pub(super) fn found(page: Page, of: impl Fn(&Shown, Lang) -> String + Send + Sync + 'static) -> Signal<String> {
    found_by(page, Box::new(of))
}

/// Reads a value out of an answer.
type Reading = Box<dyn Fn(&Shown, Lang) -> String + Send + Sync>;

/// A value of the answer, as text for a placeholder or an `auto` choice, compiled once for all values.
#[inline(never)]
fn found_by(page: Page, of: Reading) -> Signal<String> {
    Signal::derive(move || {
        let lang = page.lang;
        page.answered().map(|shown| of(&shown, lang)).unwrap_or_default()
    })
}

/// `auto: 2` for a control that is empty, or nothing while there is no answer.
pub(super) fn auto_text(page: Page, value: Signal<String>) -> Signal<String> {
    Signal::derive(move || {
        let (text, value) = (page.text(), value.get());
        if value.is_empty() { text.auto.to_owned() } else { fill(text.auto_is, &[&value]) }
    })
}

/// A switch of the answer, in words.
pub(super) fn yes_no(on: bool, lang: Lang) -> String {
    let text = lang.text();
    (if on { text.yes } else { text.no }).to_owned()
}

/// What the answer used of a field: empty where it has no such part, or the field says nothing while it is empty.
pub(super) fn used(page: Page, field: Field) -> Signal<String> {
    found(page, move |shown, lang| of(field, shown, lang).unwrap_or_default())
}

/// A kernel's name where a phone has no room for it behind "auto".
fn short(kernel: &str) -> String {
    kernel.replace("FlashAttention-", "FA")
}

fn of(field: Field, shown: &Shown, lang: Lang) -> Option<String> {
    let (job, answer) = (&shown.found.job, &shown.found.answer);
    let (work, hardware, plan) = (&job.workload, &job.hardware, &answer.plan);
    let (rl, rollout) = (work.rl.as_ref(), plan.rollout.as_ref());
    let agent = || rl.and_then(|rl| rl.agent.as_ref());
    let of_rl = |of: fn(&shardwise_core::workload::Rl) -> bool| Some(yes_no(rl.is_some_and(of), lang));
    let (whole, places) =
        (|count: Option<u64>| count.map(format::grouped), |value, places| Some(format::fixed(value, places)));
    match field {
        Field::Gpus => whole(Some(hardware.gpus.into())),
        Field::Price => places(hardware.usd_per_gpu_hour?, 2),
        Field::GpusPerNode => whole(Some(hardware.gpus_per_node.into())),
        Field::Network => places(hardware.internode_gbit_per_s, 0),
        Field::OwnedWatts => places(owned::usual_watts(hardware.board_w?), 0),
        field if field.is_of_gpu() => of_own_gpu(field, hardware).filter(|_| shown.question.hardware.gpu.is_object()),
        Field::Precision => Some(hardware.half().as_str().to_owned()),
        Field::MeanSequenceLength => places(work.mean_sequence_length, 0),
        Field::LengthSpread => places(work.sequence_length_cv, 2),
        Field::Packing => Some(yes_no(work.packing, lang)),
        Field::RunSteps => places(answer.run.filter(|run| run.assumed)?.steps, 0),
        Field::Images => Some(format::trimmed(work.images.as_ref()?.per_example)),
        Field::VisionTower => Some(lang.word(work.images?.tower.as_str()).to_owned()),
        Field::TeacherLogits => {
            let word = match work.distillation.as_ref()?.logits {
                Logits::Sampled => "sampled",
                Logits::TopK(_) => "top_k",
                Logits::Full => "full_vocabulary",
            };
            Some(lang.word(word).to_owned())
        }
        Field::OnPolicy => places(work.distillation.as_ref()?.on_policy, 2),
        Field::TeacherGpus => whole(Some(work.teachers_pool()?.gpus.into())),
        Field::TeacherTensorParallel => whole(Some(work.teachers_pool()?.engine.tensor_parallel.into())),
        Field::TeacherShare => places(work.teachers_pool()?.engine.gpu_memory_utilization, 2),
        Field::TeacherTokens => whole(Some(work.teachers_pool()?.engine.max_num_batched_tokens)),
        Field::Responses => whole(Some(rl?.responses_per_prompt)),
        Field::MeanPrompt => places(rl?.mean_prompt_length, 0),
        Field::MeanResponse => places(rl?.mean_response_length, 0),
        Field::Oversampling => Some(format::trimmed(rl?.oversampling)),
        Field::Spread => places(rl?.response_length_cv, 2),
        Field::MiniBatch => whole(Some(rl?.mini_batch)),
        Field::Epochs => whole(Some(rl?.epochs)),
        Field::Reference => of_rl(|rl| rl.reference),
        Field::OldLogProb => of_rl(|rl| rl.old_log_prob),
        Field::BalanceBatch => of_rl(|rl| rl.balance_batch),
        Field::PartialRollout => of_rl(|rl| rl.partial_rollout),
        Field::RewardSeconds => Some(format::trimmed(rl?.reward_s)),
        Field::TrainGpus => whole(Some(rl?.train_gpus.into())),
        Field::MaxStaleness => Some(format::trimmed(rl?.max_staleness)),
        Field::AgentTurns => Some(format::trimmed(agent()?.turns)),
        Field::AgentMaxTurns => whole(Some(agent()?.max_turns)),
        Field::ToolTokens => places(agent()?.tool_response_length, 0),
        Field::ToolSeconds => Some(format::trimmed(agent()?.tool_s)),
        Field::ToolSpread => places(agent()?.tool_cv, 2),
        Field::StartupSeconds => Some(format::trimmed(job.operations.as_ref()?.startup_s)),
        // Those that cost the least time.
        Field::SavingMinutes => Some(format::figure(answer.run?.operations?.saving?.interval_s / 60.0)),
        Field::StorageBandwidth => Some(format::trimmed(job.operations.as_ref()?.saving?.bytes_per_s / 1e9)),
        Field::FailureHours => job.operations.as_ref()?.mtbf_gpu_hours.map(format::trimmed),
        Field::Pue => Some(format::trimmed(job.operations.as_ref()?.power?.pue)),
        Field::GridCo2 => Some(format::trimmed(job.operations.as_ref()?.power?.grid_gco2_per_kwh)),
        Field::Backend => Some(plan.backend?.name().to_owned()),
        Field::TensorParallel => whole(plan.tensor_parallel),
        Field::PipelineParallel => whole(plan.pipeline_parallel),
        Field::VirtualPipeline => whole(plan.virtual_pipeline),
        // One stage has nothing to order.
        Field::PipelineSchedule => {
            let usual = usual_schedule(plan.virtual_pipeline.unwrap_or(1)).as_str();
            (plan.pipeline_parallel.unwrap_or(1) > 1).then(|| lang.word(usual).to_owned())
        }
        Field::ContextParallel => whole(plan.context_parallel),
        Field::UlyssesParallel => whole(plan.ulysses_parallel),
        Field::ExpertParallel => whole(plan.expert_parallel),
        Field::ExpertTensorParallel => whole(plan.expert_tensor_parallel),
        Field::ZeroStage => whole(plan.zero_stage),
        Field::MicroBatch => whole(plan.micro_batch),
        Field::TokenBudget => whole(plan.max_tokens_per_gpu),
        Field::Recompute => Some(lang.word(recompute(plan)).to_owned()),
        Field::FusedHead => plan.fused_lm_head.map(|on| yes_no(on, lang)),
        // Scores in memory have no kernel to choose.
        Field::AttentionKernel if plan.attention == Some(Attention::Unfused) => Some(lang.word("unfused").to_owned()),
        Field::AttentionKernel => Some(short(lang.word(usual_kernel(job, plan.backend?).as_str()))),
        Field::RolloutTensorParallel => whole(rollout?.tensor_parallel),
        Field::MemoryShare => places(rollout?.gpu_memory_utilization?, 2),
        Field::EngineVersion => {
            let own = rollout.and_then(|own| own.engine_version);
            Some(own.map_or_else(|| lang.text().newest.to_owned(), |own| own.to_string()))
        }
        _ => None,
    }
}

/// A figure of a GPU of one's own: what is left empty is as in the type that it starts from.
fn of_own_gpu(field: Field, gpu: &Hardware) -> Option<String> {
    Some(format::trimmed(match field {
        Field::GpuArchitecture => return gpu.architecture.split(' ').next().map(str::to_owned),
        Field::GpuMemory => gpu.memory_gib,
        Field::GpuBandwidth => gpu.hbm_gb_per_s,
        Field::GpuBf16 => gpu.peaks.bf16,
        Field::GpuFp8 => gpu.peaks.fp8.unwrap_or(f64::NAN),
        Field::GpuNvlink => gpu.nvlink_gb_per_s,
        Field::GpuDomain => gpu.nvlink_domain.into(),
        Field::GpuPcie => gpu.pcie_gb_per_s,
        _ => return None,
    }))
}
