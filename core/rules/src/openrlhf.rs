//! `OpenRLHF` 0.11.2: what its two programs assert, and what they would run otherwise than planned.

use super::asked::Asked;
use super::rule::{EP, PP, Rule, Size, all, backends, divides, learning, must, no_kind, ones, when};
use super::shared::{
    ACTIVATIONS_STAY, ALL_AT_ONCE, ANY_FLASH, BALANCED, BUDGET_HOLDS_THE_LONGEST, BUDGET_IS_PACKED, CACHE_IN_16_BITS,
    CHUNKED, ENGINE, ENGINE_IN_BF16, FILTERED_BY_RULE, FLASH, FLASH_2, FORWARD_COUNTS_ALIKE, HALF, NO_ADAPTERS,
    NO_IMAGES, NO_PROCESS_REWARD, NO_TEACHER, NO_ULYSSES, ONLY_PPO_HAS_A_CRITIC, OWN_PACE, REFERENCE_IN_STEPS,
    RESPONSES_HAVE_POSITIONS, STALENESS_IN_VERSIONS, TEXT_HAS_POSITIONS, TRAINS, TRANSFORMERS_KERNEL,
    TRANSFORMERS_WHOLE_LAYERS, VLLM, WEIGHTS_STAY, WHOLE_NODES, WHOLE_POOLS, has_flash, learns_sinks,
};
use super::{deepspeed, optimizer};
use shardwise_question::task::Algorithm;
use shardwise_question::wire::Backend::Deepspeed;
use shardwise_question::wire::Precision::Fp16;
use shardwise_question::wire::Schedule::{Colocated, Split};
use shardwise_question::wire::WorkloadKind::{Cispo, Gmpo, Kto, Orpo, Pretrain, Prime, Remax, Simpo};

/// What `OpenRLHF` refuses, or would run otherwise than planned.
pub(crate) static RULES: &[Rule] = &[
    no_kind(&[Pretrain])
        .or("OpenRLHF trains from finished weights and has no pre-training. Take DeepSpeed's flags, or the kind sft."),
    no_kind(&[Cispo, Gmpo, Remax])
        .or("OpenRLHF 0.11.2 has no such loss or baseline. Choose grpo or rloo, or take veRL's flags."),
    no_kind(&[Prime]).or(NO_PROCESS_REWARD),
    no_kind(&[Kto, Orpo, Simpo])
        .or("OpenRLHF 0.11.2 learns of pairs by DPO, IPO or a reward model. Choose one of these, or take LLaMA-Factory's flags."),
    TRAINS,
    WHOLE_NODES,
    backends(&[Deepspeed])
        .or("OpenRLHF trains with DeepSpeed. Set the backend to deepspeed{way}."),
    ones(&[PP, EP]).or("OpenRLHF has no {words}. Set it to 1."),
    NO_ULYSSES.or("OpenRLHF splits sequences by ring attention. Set ulysses_parallel to 1 and use context_parallel."),
    deepspeed::TP_GOES_WITH_ZERO_2,
    deepspeed::NO_TP_OF_4_BITS,
    HALF.or("OpenRLHF trains in bf16 or fp16. Choose one of these."),
    // utils/deepspeed/deepspeed.py:78, models/actor.py:116, trainer/ray/vllm_worker_wrap.py:39.
    must("hardware.gpu", |a| a.job.hardware.multiplies_bf16() || !is_in_bf16_alone(a))
        .or("OpenRLHF has fp16 for fine-tuning without tensor parallelism and 4-bit weights, and these cards do not multiply in bf16. Choose another GPU, or take TRL's or veRL's flags."),
    must("plan.tensor_parallel", |a| a.job.hardware.multiplies_bf16() || a.tp == 1)
        .or("OpenRLHF splits matrices in bf16 alone, in which these cards do not multiply. Set tensor_parallel to 1."),
    must("workload.precision", |a| a.workload.precision != Fp16 || !(a.tp > 1 || is_in_bf16_alone(a)) || !a.job.hardware.multiplies_bf16())
    .or("OpenRLHF has fp16 for fine-tuning without tensor parallelism and 4-bit weights. Set it to bf16."),
    must("workload.packing", |a| a.cp == 1 || a.workload.packing)
        .or("Ring attention needs packed sequences. Set packing to true or context_parallel to 1."),
    must("model", learns_sinks)
        .or("OpenRLHF's texts ask for FlashAttention, which passes no gradients back to this model's attention sinks. Take TRL's, axolotl's or ms-swift's flags."),
    FLASH.or("OpenRLHF packs sequences for FlashAttention. Set attention to flash."),
    TRANSFORMERS_KERNEL,
    // cli/train_sft.py and train_ppo_ray.py put FlashAttention-2 in the place of any other.
    when(
        |a| a.workload.packing,
        &[must("workload.packing", has_flash).or("OpenRLHF packs sequences for FlashAttention, which these cards have none of. Set packing to false."),
          ANY_FLASH.or("OpenRLHF packs sequences for FlashAttention. Set it to flash2, or packing to false.")],
    ),
    when(
        |a| a.cp > 1,
        &[FLASH_2.or("OpenRLHF's ring attention is FlashAttention-2's. Set it to flash2, or leave it out.")],
    ),
    ACTIVATIONS_STAY.or("OpenRLHF keeps activations on the GPU. Use recompute instead."),
    // utils/deepspeed/deepspeed.py, get_ds_train_config: offload=False.
    WEIGHTS_STAY.or("OpenRLHF keeps the weights it trains on the GPU. Set it to false."),
    all(optimizer::OPENRLHF),
    all(deepspeed::ZERO),
    all(deepspeed::HOST_MEMORY_ALONE),
    TRANSFORMERS_WHOLE_LAYERS,
    when(|a| a.rl.is_some(), REINFORCEMENT),
    when(
        |a| a.rl.is_none(),
        &[
            TEXT_HAS_POSITIONS,
            divides("workload.global_batch", |a| (a.per_pass, a.workload.global_batch)).or(ALL_RANKS),
            REFERENCE_IN_STEPS.or("OpenRLHF evaluates the reference in each step. Set it to false."),
            all(REFERENCE),
        ],
    ),
    NO_IMAGES,
    NO_TEACHER,
];

/// Whether OpenRLHF does such a job in no fp16, whatever the plan.
fn is_in_bf16_alone(a: &Asked) -> bool {
    a.workload.quantized_base() || a.rl.is_some()
}

/// What every data-parallel rank takes at once divides an optimizer step (`DeepSpeedConfig`, `_batch_assertion`).
const ALL_RANKS: &str =
    "{whole} sequences of an optimizer step are no multiple of {part}, what all ranks take at once.";

static REINFORCEMENT: &[Rule] = &[
    RESPONSES_HAVE_POSITIONS,
    // trainer/ray/ppo_actor.py, broadcast_to_vllm: adapters change the names by which vLLM knows its weights.
    NO_ADAPTERS.or("OpenRLHF cannot hand adapters to vLLM. Leave lora out, or take veRL's flags."),
    ONLY_PPO_HAS_A_CRITIC,
    FORWARD_COUNTS_ALIKE,
    must("workload.rl.responses_per_prompt", |a| {
        let compares = a.workload.kind.algorithm().is_some_and(Algorithm::compares);
        !compares || a.rl.is_none_or(|rl| rl.responses_per_prompt > 1)
    })
    .or("The responses of a prompt are compared. Give 2 or more."),
    learning("workload.rl.oversampling", |rl| rl.oversampling <= 1.0 || rl.responses_per_prompt > 1)
        .or("Prompts are filtered by the scores of several responses. Set it to 1, or responses_per_prompt to 2 or more."),
    FILTERED_BY_RULE
        .or("Prompts are filtered as they are sampled, and a reward model scores them later. Use a rule, or set oversampling to 1."),
    // trainer/ppo_utils/samples_generator.py, generate_samples: fewer would make a smaller batch.
    // utils/agent.py: an agent scores its responses itself, each of them apart from the others.
    learning("workload.rl.reward_model", |rl| rl.agent.is_none() || rl.reward_model.is_none())
        .or("OpenRLHF's agents score their own responses. Use a rule."),
    STALENESS_IN_VERSIONS,
    BALANCED.or("OpenRLHF has no switch for how samples are shared out. Leave it out."),
    OWN_PACE.or("OpenRLHF's agents go on at their own pace. Set asynchronous to true, or leave it out."),
    ALL_AT_ONCE.or("OpenRLHF generates a step's prompts at once. Leave gen_batch_size out."),
    learning("workload.rl.old_log_prob", |rl| rl.old_log_prob)
        .or("OpenRLHF always computes old log-probabilities. Set it to true."),
    divides("workload.rl.mini_batch", |a| {
        (if a.counts_tokens() { a.ranks } else { a.per_pass }, a.workload.global_batch)
    })
    .or(ALL_RANKS),
    when(|a| a.counts_tokens(), &[BUDGET_HOLDS_THE_LONGEST, BUDGET_IS_PACKED]),
    all(ROLES),
    when(
        |a| a.schedule() != Colocated,
        &[
            WHOLE_POOLS,
            // cli/train_ppo_ray.py: beside actor and reference, critic and reward model would get GPUs of their own.
            learning("workload.rl.schedule", |rl| {
                rl.schedule != Split || (rl.critic.is_none() && rl.reward_model.is_none())
            })
            .or("With engines apart, OpenRLHF lets critic and reward model share the actor's GPUs only where it runs ahead. Choose colocated or one_step_off."),
        ],
    ),
    when(|a| a.rollout.is_some(), GENERATION),
];

/// One set of DeepSpeed options is for every role; the reference alone may wait in host memory.
static ROLES: &[Rule] = &[
    must("plan.critic", |a| a.plan.critic.is_none_or(|own| own == *a.layout))
        .or("OpenRLHF lays critic and actor out alike. Leave the critic's plan out."),
    all(REFERENCE),
];

static REFERENCE: &[Rule] = &[
    must("plan.reference", |a| {
        a.plan.reference.is_none_or(|mut own| {
            own.offload.parameters = a.layout.offload.parameters;
            own == *a.layout
        })
    })
    .or("OpenRLHF lays reference and actor out alike. Give its plan nothing but offload.parameters."),
    must("plan.reference.zero_stage", |a| {
        a.plan
            .reference
            .is_none_or(|own| !own.offload.parameters || own.zero_stage == 3)
    })
    .or("DeepSpeed offloads the reference's weights under ZeRO 3 only. Set zero_stage to 3."),
];

static GENERATION: &[Rule] = &[
    all(ENGINE),
    VLLM.or("OpenRLHF generates with vLLM. Set the engine to vllm."),
    ones(&[
        Size("plan.rollout.data_parallel", |a| a.rollout.map_or(1, |own| own.data_parallel.into())),
        Size("plan.rollout.expert_parallel", |a| a.rollout.map_or(1, |own| own.expert_parallel.into())),
    ])
    .or("OpenRLHF's engines have no {words}. Set it to 1."),
    ENGINE_IN_BF16.or("OpenRLHF loads its engines in bf16. Set it to bf16."),
    CHUNKED,
    CACHE_IN_16_BITS.or("OpenRLHF leaves the cache in 16 bits. Set it to auto."),
];
