//! torchtitan's keys: fields of 0.3.0's dataclasses (`torchtitan/config/configs.py`), most of which have the names of 0.2.2's
//! (`torchtitan/config/job_config.py`), and those that releases before it had.

use crate::binding::Form::Size;
use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Renamed, Taken, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning, section};

const LOG: Meaning = Ignored("logs and checkpoints");
const DATA_SET: Meaning = Ignored("which data is read, and how");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
const DETAILS: Meaning = Ignored("details of 8-bit products");
const STAGES: Meaning = IfOn("the estimate splits layers as evenly as they go");

/// Every key that is known.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    section("parallelism.", "plan.", &[Read(PARALLEL)]),
    section("training.", "plan.", &[Read(TRAINING)]),
    section("quantize.", "plan.", &[Read(QUANTIZE)]),
    section("", "plan.", &[Read(REST), Read(EARLIER)]),
];

const PARALLEL: &[(&str, Meaning)] = &[
    ("data_parallel_shard_degree", Plan("shard_group")),
    ("data_parallel_replicate_degree", Plan("shard_group")),
    ("tensor_parallel_degree", Taken("tensor_parallel", Size)),
    ("context_parallel_degree", Taken("context_parallel", Size)),
    ("pipeline_parallel_degree", Taken("pipeline_parallel", Size)),
    ("expert_parallel_degree", Taken("expert_parallel", Size)),
    ("expert_tensor_parallel_degree", Plan("expert_tensor_parallel")),
    ("fsdp_reshard_after_forward", Plan("zero_stage")),
    ("enable_sequence_parallel", Plan("sequence_parallel")),
    ("enable_async_tensor_parallel", Plan("overlap.tensor_parallel")),
    ("pipeline_parallel_schedule", Plan("virtual_pipeline pipeline_schedule")),
    ("pipeline_parallel_layers_per_stage", Plan("virtual_pipeline")),
    ("pipeline_parallel_microbatch_size", Plan("micro_batch")),
    ("pipeline_parallel_first_stage_less_layers|pipeline_parallel_last_stage_less_layers", STAGES),
    ("pipeline_parallel_split_points|module_fqns_per_model_part|pipeline_parallel_schedule_csv", STAGES),
    ("pipeline_parallel_expert_parallel_overlap", Ignored("the estimate counts the experts' exchanges")),
    ("expert_parallel_comm_backend", Plan("moe_token_dispatcher")),
    ("expert_parallel_a2a_impl", Ignored("the estimate counts an all-to-all")),
    ("disable_loss_parallel", IfOn("the estimate splits the loss by the vocabulary")),
    (
        "context_parallel_rotate_method|context_parallel_load_balancer|context_parallel_ptrr_mask_key",
        Ignored("how keys and values go round"),
    ),
    ("enable_compiled_autograd", Ignored("how kernels are compiled")),
    ("enable_fsdp_symm_mem|spmd_backend", Ignored("how collectives are run")),
];

const TRAINING: &[(&str, Meaning)] = &[
    ("seq_len", Field("workload.sequence_length")),
    ("local_batch_size", Plan("micro_batch")),
    ("global_batch_size", Field("workload.global_batch")),
    ("steps", Field("workload.run.steps")),
    ("enable_cpu_offload", Plan("offload")),
    ("dtype", Plan("master_weights_bytes gradient_bytes optimizer_bytes")),
    ("mixed_precision_param|mixed_precision_reduce", Ignored("the precision says it")),
    ("max_norm|seed|deterministic", OBJECTIVE),
    ("gc_freq|gc_debug", LOG),
    ("disable_cuda_graphs", Ignored("how kernels are launched")),
    ("dataset|dataset_path|dataloader.*", DATA_SET),
    // Images and videos of its trainers beside the language models.
    ("classifer_free_guidance_prob|classifier_free_guidance_prob|img_size|test_mode", DATA_SET),
];

const QUANTIZE: &[(&str, Meaning)] =
    &[("linear.*|dense.*", DETAILS), ("grouped_mm.*|moe.*", Ignored("which experts compute in 8 bits"))];

const REST: &[(&str, Meaning)] = &[
    ("model.name|model.flavor|model.hf_assets_path", Field("model")),
    ("hf_transformers.model", Field("model")),
    ("model.converters", Field("workload.precision")),
    ("model.*", Ignored("how the model is built")),
    ("activation_checkpoint.mode|activation_checkpoint.selective_ac_option", Plan("recompute")),
    ("activation_checkpoint.*", Ignored("details of recomputation")),
    ("compile.enable|compile.components", Plan("fused_loss")),
    ("compile.enable_async_tensor_parallel", Plan("overlap.tensor_parallel")),
    ("compile.*", Ignored("how kernels are compiled")),
    ("optimizer.name", Plan("optimizer")),
    ("optimizer.early_step_in_backward", Plan("optimizer_in_backward")),
    ("optimizer.implementation", Plan("optimizer_bytes")),
    ("optimizer.*|lr_scheduler.*", OBJECTIVE),
    ("loss", Plan("fused_lm_head")),
    ("loss.*", OBJECTIVE),
    ("job.config_file", Ignored("the other file")),
    ("module|config", Ignored("the function that makes the configuration")),
    ("dataloader|dataloader.*|tokenizer|tokenizer.*", DATA_SET),
    ("override.*", IfOn("parts of the model that others take the place of")),
    ("fault_tolerance.enable", IfOn("the estimate is of one group of replicas")),
    ("memory_estimation.enable", IfOn("torchtitan would estimate its memory and train nothing")),
    ("debug.moe_force_load_balance", Ignored("the estimate's experts have equal shares")),
    (
        "job.*|profiling.*|metrics.*|checkpoint.*|comm.*|fault_tolerance.*|memory_estimation.*|validation.*|validator.*|debug.*|experimental.*|profiler.*|dump_folder",
        LOG,
    ),
];

/// Names that 0.2.0 and 0.1.0 no longer had.
const EARLIER: &[(&str, Meaning)] = &[
    ("training.compile", Renamed("compile.enable", "0.2.0")),
    ("training.batch_size", Renamed("training.local_batch_size", "0.1.0")),
    ("training.data_parallel_shard_degree", Renamed("parallelism.data_parallel_shard_degree", "0.1.0")),
    ("training.data_parallel_replicate_degree", Renamed("parallelism.data_parallel_replicate_degree", "0.1.0")),
    ("training.tensor_parallel_degree", Renamed("parallelism.tensor_parallel_degree", "0.1.0")),
    ("training.enable_fp8_linear", Unmodelled("an older word: put quantize.linear.float8 into model.converters")),
    ("experimental.context_parallel_degree", Renamed("parallelism.context_parallel_degree", "0.1.0")),
    ("experimental.pipeline_parallel_*", Renamed("parallelism.pipeline_parallel_*", "0.1.0")),
    ("experimental.enable_async_tensor_parallel", Renamed("parallelism.enable_async_tensor_parallel", "0.1.0")),
    ("model.tokenizer_path", Renamed("model.hf_assets_path", "0.2.0")),
    ("checkpoint.enable_checkpoint", Renamed("checkpoint.enable", "0.2.0")),
    ("float8.*", Renamed("quantize.linear.float8.*", "0.2.0")),
    ("mx.*", Renamed("quantize.linear.mx.*", "0.2.0")),
];
