//! Keys of veRL's recipe of PRIME that other programs lack, or have renamed: its reward model trains.
//! <https://github.com/verl-project/verl-recipe/blob/48ea0a797fa29867ea0ad92aff7d284eec7d4be3/prime/config/prime_trainer.yaml>

use super::SECTIONS;
use super::common::{Keys, OBJECTIVE, PATH};
use crate::binding::Meaning::{Field, Ignored, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning, section};

const RULES: Meaning = Ignored("which rule says whether an answer is right");
const AS_THE_ACTOR: Meaning = Unmodelled("the estimate lays the reward model out as the actor");

const REWARD_MODEL: Keys = &[
    ("enable|model.update", Field("workload.kind")),
    ("model.path", Field("workload.rl.reward_model")),
    ("model.ref_path|model.ref_type", Ignored("what the reward model began as: another of its size")),
    ("mini_batch_size", Field("workload.rl.mini_batch")),
    ("strategy", Ignored("the reward model is FSDP's")),
    (
        "micro_batch_size|micro_batch_size_per_gpu|use_dynamic_bsz|forward_max_token_len_per_gpu|\
         ulysses_sequence_parallel_size|model.fsdp_config.*|model.enable_gradient_checkpointing|model.use_remove_padding|\
         model.use_fused_kernels|model.fused_kernel_options.*",
        AS_THE_ACTOR,
    ),
    (
        "model.optim.*|model.beta_train|model.loss_type|prime_granularity|prime_norm|prime_use_gt|lambda|max_length",
        OBJECTIVE,
    ),
    (
        "model.tokenizer_path|model.input_tokenizer|model.external_lib|model.trust_remote_code|model.override_config.*|\
         model.use_shm",
        PATH,
    ),
    ("reward_manager|launch_reward_fn_async|reward_kwargs.*|sandbox_fusion.*", RULES),
];

/// Every key that the recipe of PRIME takes.
pub(in crate::verl) static PRIME: [KeySection; SECTIONS.len() + 1] =
    before(section("reward_model.", "", &[Read(REWARD_MODEL)]), SECTIONS);

/// A section that is asked before others.
const fn before<const N: usize>(own: KeySection, others: &[KeySection]) -> [KeySection; N] {
    let mut all = [own; N];
    if let Some((_, rest)) = all.split_first_mut() {
        rest.copy_from_slice(others);
    }
    all
}
