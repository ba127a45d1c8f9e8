//! LLMForge's keys: the union over 244 configurations in the history of <https://github.com/anyscale/templates>.

use crate::binding::Meaning::{Field, Ignored, Plan, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning};
use crate::read::deepspeed::{TOP, ZERO};

const DATA: Meaning = Ignored("which data is read, and how");
const LOG: Meaning = Ignored("logs and checkpoints");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
const START: Meaning = Ignored("which weights it begins with");

/// Its own keys, then those of the `DeepSpeed` configuration that it names.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    KeySection { prefix: "", plan: "plan.", tables: &[Read(OWN)] },
    KeySection { prefix: "", plan: "plan.", tables: &[Read(TOP)] },
    KeySection { prefix: "zero_optimization.", plan: "plan.", tables: &[Read(ZERO)] },
];

const OWN: &[(&str, Meaning)] = &[
    ("model_id", Field("model")),
    ("num_devices", Field("hardware.gpus")),
    ("worker_resources.memory", Ignored("host memory of the workers")),
    ("worker_resources.*|worker_resources", Field("hardware.gpu")),
    ("trainer_resources*", Ignored("host memory of rank 0, which reads the checkpoint")),
    ("train_batch_size_per_device", Plan("micro_batch")),
    ("eval_batch_size_per_device", Ignored("validation")),
    ("gradient_accumulation_steps", Field("workload.global_batch")),
    ("context_length", Field("workload.sequence_length")),
    ("padding", Field("workload.packing workload.mean_sequence_length")),
    ("no_gradient_checkpoint|gradient_checkpointing", Plan("recompute")),
    ("flash_attention_2", Ignored("the estimate has FlashAttention")),
    ("liger_kernel.enabled|liger_kernel.kwargs.fused_linear_cross_entropy", Plan("fused_lm_head")),
    ("liger_kernel.kwargs.*", Ignored("small kernels, which the estimate has as the backend does")),
    ("deepspeed.config_path", Field("plan.zero_stage plan.offload plan.zero_hpz_partition_size")),
    ("lora_config.r|lora_config.rank", Field("workload.lora.rank")),
    ("lora_config.target_modules", Field("workload.lora.targets")),
    ("lora_config.*|learning_rate|lr_scheduler_type", OBJECTIVE),
    ("train_path|valid_path|num_data_blocks_per_device|dataset_size_scaling_factor|generation_config.*", DATA),
    ("task", Field("workload.kind")),
    (
        "preference_tuning_config.*",
        Unmodelled("the estimate trains on one sequence at a time, without a reference model"),
    ),
    ("classifier_config.*", Unmodelled("the estimate trains on every token")),
    ("num_epochs", Ignored("length of the run")),
    (
        "num_checkpoints_to_keep|checkpoint_every_n_epochs|checkpoint_and_evaluation_frequency*|output_dir|logger.*|\
         model_tag|forward_checkpoint_config.*",
        LOG,
    ),
    ("initial_base_model_ckpt_path|initial_adapter_model_ckpt_path", START),
];
