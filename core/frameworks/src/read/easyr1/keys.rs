//! `EasyR1`'s keys and what each means (`verl/trainer/config.py` and `verl/workers/*/config.py` of b44b311).

use crate::binding::Form::{Count, Flag, Share, Size, Stated};
use crate::binding::Meaning::{Field, Ignored, Plan, Taken, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning, section};

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");

/// Every key that is known.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    section("", "workload.rl.", &[Read(BATCH)]),
    section("", "plan.rollout.", &[Read(ROLLOUT)]),
    section("", "plan.", &[Read(ACTOR)]),
    section("", "", &[Read(REST)]),
];

const BATCH: &[(&str, Meaning)] = &[
    ("data.rollout_batch_size", Taken("prompts_per_step", Count(512))),
    ("data.mini_rollout_batch_size", Taken("gen_batch_size", Stated)),
    ("worker.rollout.n", Taken("responses_per_prompt", Count(1))),
    ("worker.actor.global_batch_size", Taken("mini_batch", Count(256))),
    ("worker.actor.ppo_epochs", Taken("epochs", Size)),
    ("data.max_prompt_length", Taken("max_prompt_length", Count(512))),
    ("data.max_response_length", Taken("max_response_length", Count(512))),
];

const ROLLOUT: &[(&str, Meaning)] = &[
    ("worker.rollout.tensor_parallel_size", Taken("tensor_parallel", Count(2))),
    ("worker.rollout.gpu_memory_utilization", Taken("gpu_memory_utilization", Share(0.6))),
    ("worker.rollout.enforce_eager", Taken("enforce_eager", Flag(false))),
    ("worker.rollout.max_num_batched_tokens", Taken("max_num_batched_tokens", Count(8192))),
    ("worker.rollout.name", Plan("engine")),
];

const ACTOR: &[(&str, Meaning)] = &[
    ("worker.actor.ulysses_size", Taken("ulysses_parallel", Size)),
    (
        "worker.actor.micro_batch_size_per_device_for_update|worker.actor.dynamic_batching",
        Plan("max_tokens_per_gpu micro_batch"),
    ),
    ("worker.actor.micro_batch_size_per_device_for_experience", Plan("forward_max_tokens_per_gpu forward_micro_batch")),
    ("worker.actor.model.enable_gradient_checkpointing", Plan("recompute")),
    ("worker.actor.fsdp.enable_full_shard", Plan("zero_stage")),
    ("worker.actor.fsdp.fsdp_size", Plan("shard_group")),
    ("worker.actor.fsdp.torch_dtype", Plan("master_weights_bytes")),
    ("worker.actor.fsdp.enable_cpu_offload|worker.actor.offload.*", Plan("offload")),
    ("worker.actor.optim.strategy", Plan("optimizer_bytes")),
    ("worker.ref.fsdp.enable_cpu_offload|worker.ref.offload.*", Plan("reference.offload")),
];

const REST: &[(&str, Meaning)] = &[
    ("worker.actor.model.model_path", Field("model")),
    ("worker.critic.model.model_path", Field("workload.rl.critic")),
    ("worker.actor.padding_free", Field("workload.packing")),
    ("worker.actor.model.lora.rank|worker.actor.model.lora.target_modules", Field("workload.lora")),
    ("worker.actor.model.lora.*", Ignored("how adapters are scaled")),
    ("algorithm.adv_estimator", Field("workload.kind")),
    ("algorithm.online_filtering", Field("workload.rl.oversampling")),
    ("algorithm.disable_kl|algorithm.use_kl_loss", Field("workload.rl.reference")),
    ("trainer.nnodes|trainer.n_gpus_per_node", Field("hardware.gpus")),
    ("trainer.max_steps", Field("workload.run.steps")),
    ("worker.actor.model.freeze_vision_tower", Unmodelled("the estimate trains every part")),
    ("worker.critic.*", Unmodelled("the estimate lays the critic out as the actor")),
    ("worker.actor.fsdp.mp_*", Ignored("the estimate computes in 16 bits and sums in 32")),
    ("worker.actor.use_torch_compile", Ignored("the estimate's kernels are compiled ones")),
    ("worker.rollout.enable_chunked_prefill", Ignored("vLLM's first engine alone read it")),
    ("worker.rollout.limit_images", Ignored("how many images a prompt may have")),
    ("worker.rollout.*", Ignored("which tokens are sampled")),
    ("worker.ref.*|worker.actor.fsdp.*|worker.actor.model.*", Ignored("how a role starts")),
    ("worker.reward.*", Ignored("which rule scores")),
    ("worker.actor.optim.*|worker.actor.*|algorithm.*", OBJECTIVE),
    ("trainer.*", LOG),
    ("data.*", DATA_SET),
    ("config", Ignored("the file that the settings stand in")),
];
