//! `DeepSpeed`'s keys (0.19.8) and those of Hugging Face's trainers beside them, and what each means.

use crate::binding::Meaning::{Field, Ignored, Plan, Removed, Renamed, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning};
use crate::read::trainer::keys::{BESIDE, PEFT, TRAINING};

const LOG: Meaning = Ignored("logs and checkpoints");
const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
const BUCKET: Meaning = Ignored("the size of one transfer");
const GONE: Meaning = Removed("0.19", "DeepSpeed refuses the section. Leave it out.");
const NVME: Meaning = Ignored("how what is offloaded is copied");

/// Keys that a training script fills where they say `auto`: Hugging Face's Trainer (transformers 5.23.0,
/// `integrations/deepspeed.py`), and Accelerate those of the offload (1.15.0, `utils/dataclasses.py`).
const FILLED: &[&str] = &[
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "gradient_accumulation_steps",
    "gradient_clipping",
    "bf16.enabled",
    "fp16.enabled",
    "optimizer.params.lr",
    "optimizer.params.betas",
    "optimizer.params.eps",
    "optimizer.params.weight_decay",
    "scheduler.params.warmup_min_lr",
    "scheduler.params.warmup_max_lr",
    "scheduler.params.warmup_num_steps",
    "scheduler.params.total_num_steps",
    "zero_optimization.reduce_bucket_size",
    "zero_optimization.stage3_prefetch_bucket_size",
    "zero_optimization.stage3_param_persistence_threshold",
    "zero_optimization.stage3_gather_16bit_weights_on_model_save",
    "zero_optimization.offload_optimizer.device",
    "zero_optimization.offload_optimizer.nvme_path",
    "zero_optimization.offload_param.device",
    "zero_optimization.offload_param.nvme_path",
];

/// Whether a whole section is gone: one word of it is enough.
pub(super) fn gone(section: &str) -> bool {
    let mut gone = TOP.iter().filter(|(_, meaning)| matches!(meaning, Removed(..)));
    gone.any(|(names, _)| names.split('|').any(|name| name == section))
}

/// Whether `auto` means something to a training script, or to DeepSpeed itself.
pub(super) fn filled(key: &str) -> bool {
    // runtime/zenflow, runtime/pipe and data_types have an auto of their own.
    let own = ["zero_optimization.zenflow.", "pipeline.", "data_types.", "autotuning."];
    FILLED.contains(&key) || own.iter().any(|section| key.starts_with(section))
}

/// Every key that is known; those that begin with dashes are the training script's.
pub(in crate::read) static SECTIONS: &[KeySection] = &[
    KeySection { prefix: "", plan: "plan.", tables: &[Read(TOP)] },
    KeySection { prefix: "zero_optimization.", plan: "plan.", tables: &[Read(ZERO)] },
    KeySection { prefix: "--", plan: "plan.", tables: &[Read(ARGUMENTS)] },
    KeySection { prefix: "--", plan: "plan.", tables: &[Read(TRAINING), Read(PEFT)] },
    BESIDE[1],
    BESIDE[2],
    BESIDE[3],
    BESIDE[4],
];

pub(in crate::read) const TOP: &[(&str, Meaning)] = &[
    ("train_batch_size|gradient_accumulation_steps", Field("workload.global_batch")),
    ("train_micro_batch_size_per_gpu", Plan("micro_batch")),
    ("bf16.enabled|fp16.enabled", Field("workload.precision")),
    ("bfloat16.enabled", Renamed("bf16.enabled", "0.8")),
    ("bf16.*", Ignored("details of bf16")),
    ("fp16.*", Ignored("the scale of the loss")),
    ("data_types.grad_accum_dtype", Plan("gradient_bytes")),
    ("data_types.*", Unmodelled("the estimate's states are of the backend's types")),
    ("tensor_parallel.autotp_size", Plan("tensor_parallel")),
    ("tensor_parallel.*", Ignored("how matrices are split")),
    ("sequence_parallel_size", Plan("ulysses_parallel")),
    ("optimizer.type", Plan("optimizer")),
    (
        "gradient_clipping|optimizer.*|scheduler.*|prescale_gradients|gradient_predivide_factor|\
         zero_allow_untested_optimizer|zero_force_ds_cpu_optimizer|dataloader_drop_last|gradient_allreduce_op|\
         managed_gradient_accumulation",
        OBJECTIVE,
    ),
    ("communication_data_type", Unmodelled("the estimate sends gradients as they are kept")),
    (
        "steps_per_print|wall_clock_breakdown|memory_breakdown|dump_state|tensorboard.*|wandb.*|csv_monitor.*|\
         comet.*|comms_logger.*|flops_profiler.*|checkpoint.*|autotuning.*|timers.*|datastates_ckpt.*|\
         disable_python_gc|log_level|vocabulary_size",
        LOG,
    ),
    ("zero_optimization", Plan("zero_stage")),
    ("aio.thread_count", Renamed("aio.intra_op_parallelism", "0.16.4")),
    ("aio.*", NVME),
    ("activation_checkpointing.*", Ignored("how deepspeed.checkpointing keeps the inputs of layers")),
    ("compile.*", Unmodelled("the estimate's kernels are not compiled anew")),
    ("torch_autocast.*", Unmodelled("the estimate computes in workload.precision")),
    ("zenflow.*", Unmodelled("the estimate's optimizer waits for all gradients")),
    ("data_efficiency.*", Unmodelled("the estimate computes every token in every layer")),
    ("cuda_visible_devices", Ignored("DeepSpeed does not read it; the launcher's --include chooses GPUs")),
    ("pipeline.*", Unmodelled("the estimate has no pipeline here")),
    ("expert_parallel.*", Unmodelled("the estimate has every expert on every rank")),
    ("seq_parallel_communication_data_type", Unmodelled("the estimate exchanges sequences in 16 bits")),
    ("weight_quantization.*", Ignored("inference")),
    ("use_data_before_expert_parallelism|disable_allgather", BUCKET),
    ("hybrid_engine.*", Unmodelled("the estimate has no engine here")),
    (
        "amp|elasticity|curriculum_learning|sparse_attention|sparse_gradients|compression_training|nebula|eigenvalue|\
         quantize_training|graph_harvesting|progressive_layer_drop",
        GONE,
    ),
];

pub(in crate::read) const ZERO: &[(&str, Meaning)] = &[
    ("stage", Plan("zero_stage")),
    ("offload_optimizer.device", Field("plan.offload.optimizer plan.nvme_offload")),
    ("offload_param.device", Field("plan.offload.parameters plan.nvme_offload")),
    ("overlap_comm", Plan("overlap.gradients")),
    ("cpu_offload", Plan("offload.optimizer")),
    ("cpu_offload_param", Plan("offload.parameters")),
    ("cpu_offload_use_pin_memory|offload_optimizer.*|offload_param.*|save_muon_momentum_buffer_in_memory", NVME),
    ("offload_optimizer.ratio", Unmodelled("the estimate offloads all of the optimizer's states")),
    (
        "contiguous_gradients|reduce_scatter|reduce_bucket_size|allgather_partitions|allgather_bucket_size|\
         sub_group_size|round_robin_gradients|stage3_*|prefetch_bucket_size|param_persistence_threshold|\
         max_live_parameters|max_reuse_distance|model_persistence_threshold|use_all_reduce_for_fetch_params|\
         use_multi_rank_bucket_allreduce|allgather_sequential|parameter_alignment|memory_efficient_linear|\
         override_module_apply|module_granularity_threshold|leaf_module*",
        BUCKET,
    ),
    ("compute_grad_norm|ignore_unused_parameters", OBJECTIVE),
    (
        "enable_sanity_checks|pipeline_loading_checkpoint|gather_16bit_weights_on_model_save|\
         gather_fp16_weights_on_model_save|elastic_checkpoint|load_from_fp32_weights|log_trace_cache_warnings",
        LOG,
    ),
    ("zero_hpz_partition_size", Plan("zero_hpz_partition_size")),
    ("zero_quantized_weights", Plan("zero_quantized_weights")),
    ("zero_quantized_gradients", Plan("zero_quantized_gradients")),
    ("zero_quantized_nontrainable_weights", Unmodelled("the estimate keeps frozen weights in 16 bits")),
    ("zenflow.*", Unmodelled("the estimate's optimizer waits for all gradients")),
    ("mics_*|zeropp_loco_param*|legacy_stage1", GONE),
];

/// What scripts on the Trainer have beside its own arguments, by TRL's names.
const ARGUMENTS: &[(&str, Meaning)] = &[
    ("model_name_or_path", Field("model")),
    ("max_length|max_seq_length|max_seq_len|model_max_length|block_size|cutoff_len", Field("workload.sequence_length")),
    ("packing", Field("workload.packing")),
    (
        "use_peft|use_lora|use_peft_lora|load_in_4bit|q_lora|use_qlora|use_4bit_quantization|bits",
        Field("workload.kind"),
    ),
    ("lora_r|lora_rank|lora_dim", Field("workload.lora.rank")),
    ("lora_target_modules", Field("workload.lora.targets")),
    ("lora_*", OBJECTIVE),
    ("use_liger_kernel|use_liger", Plan("fused_lm_head")),
    ("deepspeed|deepspeed_config|deepspeed_*", Ignored("the other file")),
    (
        "attn_implementation|use_flash_attn|flash_attn|use_flash_attention|use_flash_attention_2",
        Plan("attention_kernel attention"),
    ),
    ("torch_dtype|dtype", Ignored("the precision says it")),
    ("model_init_kwargs*", Ignored("how the model is loaded")),
    ("tokenizer_*", LOG),
    (
        "dataset_*|data_*|train_file|preprocessing_num_workers|lazy_preprocess|chat_template_format|add_special_tokens|append_concat_token|splits",
        Ignored("which data is read, and how"),
    ),
    // PEFT's script (`examples/sft/train.py`).
    ("use_nested_quant", Ignored("the type of the scales of the 4-bit base")),
    ("use_reentrant", Ignored("how checkpoints are taken")),
    ("max_steps", Ignored("length of the run")),
    ("group_by_length", Unmodelled("the estimate pads to the longest")),
];
