//! What a framework does where nobody states how: the layout that a command without settings is read as.

use crate::read::read;
use shardwise_question::framework::{CHATLEARN, DEEPSPEED, MEGATRON_LM, VERL};
use shardwise_question::job::Job;
use shardwise_question::wire::{Backend, PlanSpec, RolloutPlanSpec};

/// Texts that state no layout, by framework, of RL or not: of nothing at all no question is made.
const BARE: [(&str, bool, &str); 5] = [
    // veRL has no default engine; what one does by default is the same of both.
    (VERL.id, true, "python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.name=vllm"),
    (VERL.id, false, "torchrun -m verl.trainer.sft_trainer data.max_length=1024"),
    (CHATLEARN.id, true, "python chatlearn/entrypoint.py grpo runtime_args.num_inference_per_prompt=32"),
    (DEEPSPEED.id, false, r#"{"zero_optimization": {}, "train_micro_batch_size_per_gpu": 1}"#),
    (MEGATRON_LM.id, false, "torchrun pretrain_gpt.py --seq-length 4096"),
];

/// The layout that a framework's text is read as which states none, for a task such as the job's; nothing of a framework whose
/// texts are not read.
///
/// ```
/// use shardwise_core::{defaults, evaluate_alone, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let job = evaluate_alone(&question).unwrap().job;
/// assert_eq!(defaults("deepspeed", &job).unwrap().zero_stage, Some(0));
/// assert_eq!(defaults("verl", &job).unwrap().backend, Some(wire::Backend::Fsdp));
/// assert!(defaults("axolotl", &job).is_none());
/// ```
#[must_use]
pub fn defaults(framework: &str, job: &Job) -> Option<PlanSpec> {
    let reinforces = job.workload.rl.is_some();
    let (.., text) = BARE.iter().find(|(own, rl, _)| *own == framework && *rl == reinforces)?;
    let plan = read(&[text], None).ok()?.question.plan?;
    Some(layout(&plan, job))
}

/// How a plan is laid out: the sizes that its backend has, its states, and the engine's share.
fn layout(plan: &PlanSpec, job: &Job) -> PlanSpec {
    let megatron = plan.backend == Some(Backend::Megatron);
    let stages = |size: Option<u64>| size.filter(|_| megatron);
    let experts = |size: Option<u64>| stages(size).filter(|_| job.model.shape.num_experts > 0);
    let rollout = plan.rollout.as_ref().map(|own| RolloutPlanSpec {
        tensor_parallel: own.tensor_parallel,
        gpu_memory_utilization: own.gpu_memory_utilization,
        ..RolloutPlanSpec::default()
    });
    PlanSpec {
        backend: plan.backend,
        tensor_parallel: plan.tensor_parallel,
        pipeline_parallel: stages(plan.pipeline_parallel),
        context_parallel: stages(plan.context_parallel),
        ulysses_parallel: plan.ulysses_parallel.filter(|_| !megatron),
        expert_parallel: experts(plan.expert_parallel),
        expert_tensor_parallel: experts(plan.expert_tensor_parallel),
        zero_stage: plan.zero_stage,
        recompute: plan.recompute.clone(),
        offload: plan.offload,
        rollout,
        ..PlanSpec::default()
    }
}
