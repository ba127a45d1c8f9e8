//! Keys of Hugging Face's Trainer (transformers 5.23.0, `training_args.py`, and those that 4.x had beside), of Accelerate's
//! file (1.15.0, `commands/config/config_args.py`), and what each means.

use crate::binding::Meaning::{Field, IfOn, Ignored, Plan, Unmodelled};
use crate::binding::Table::Read;
use crate::binding::{KeySection, Meaning};
use crate::read::deepspeed::{TOP, ZERO};

pub(in crate::read) const LOG: Meaning = Ignored("logs and checkpoints");
pub(in crate::read) const OBJECTIVE: Meaning = Ignored("changes the loss, not what a step costs");
pub(in crate::read) const DATA: Meaning = Ignored("which data is read, and how");
pub(in crate::read) const LENGTH: Meaning = Ignored("length of the run");
pub(in crate::read) const SAMPLING: Meaning = Ignored("which tokens are sampled");
pub(in crate::read) const LAUNCHER: Meaning = Ignored("where processes meet");

/// `TrainingArguments`, without what frameworks name otherwise: those go before, so that theirs hold.
pub(in crate::read) const TRAINING: &[(&str, Meaning)] = &[
    ("per_device_train_batch_size", Plan("micro_batch")),
    ("gradient_accumulation_steps", Field("workload.global_batch")),
    ("accelerator_config|accelerator_config.gradient_accumulation_kwargs.sync_each_batch", Plan("sync_each_batch")),
    ("bf16|fp16", Field("workload.precision")),
    ("gradient_checkpointing", Plan("recompute")),
    ("optim", Plan("optimizer")),
    ("max_steps", Field("workload.run.steps")),
    ("num_train_epochs", LENGTH),
    (
        "learning_rate|lr_*|warmup_*|weight_decay|adam_*|max_grad_norm|seed|data_seed|label_smoothing_factor|optim_args|\
         average_tokens_across_devices|full_determinism",
        OBJECTIVE,
    ),
    ("neftune_noise_alpha", Ignored("noise on the embeddings, which costs nothing")),
    ("optim_target_modules", Unmodelled("the estimate's optimizer steps all trained weights alike")),
    ("gradient_checkpointing_kwargs*|activation_checkpointing_kwargs*", Ignored("how checkpoints are taken")),
    ("tf32", Ignored("products outside the model")),
    (
        "use_cpu|use_cache|torch_empty_cache_steps|skip_memory_metrics|half_precision_backend|bf16_full_eval|fp16_full_eval",
        LOG,
    ),
    ("torch_compile", IfOn("the estimate's kernels are not compiled anew")),
    ("torch_compile_*|torchdynamo", Ignored("how kernels are compiled")),
    ("auto_find_batch_size", IfOn("the estimate's micro-batch is the one that is stated")),
    ("group_by_length|train_sampling_strategy", Ignored("which sequences stand in a batch")),
    ("liger_kernel_config*", Ignored("which of Liger's kernels are taken")),
    (
        "output_dir|overwrite_output_dir|logging_*|log_*|disable_tqdm|report_to|run_name|project|trackio_*|save_*|push_to_hub*|\
         hub_*|load_best_model_at_end|metric_for_best_model|greater_is_better|ignore_data_skip|resume_from_checkpoint|\
         restore_callback_states_from_checkpoint|enable_jit_checkpoint|wandb_*|include_*|debug|no_cuda|ddp_*|local_rank|\
         remove_unused_columns|no_remove_unused_columns|label_names|accelerator_config*",
        LOG,
    ),
    (
        "per_device_eval_batch_size|eval_*|evaluation_strategy|prediction_loss_only|batch_eval_metrics|predict_*",
        Ignored("validation"),
    ),
    ("dataloader_*|length_column_name", DATA),
    ("do_train|do_eval|do_predict", Ignored("which phases run")),
    ("fsdp", Field("plan.backend plan.zero_stage plan.offload")),
    ("fsdp_transformer_layer_cls_to_wrap", Ignored("which layers are sharded as one")),
    ("deepspeed", Field("plan.backend plan.zero_stage plan.offload")),
];

/// Adapters and a base in 4 bits, by PEFT's and bitsandbytes' names.
pub(in crate::read) const PEFT: &[(&str, Meaning)] = &[
    (
        "lora_alpha|lora_dropout|lora_bias|lora_fan_in_fan_out|lora_task_type|use_rslora|use_dora|peft_use_rslora|peft_use_dora",
        OBJECTIVE,
    ),
    ("bnb_4bit_*", Ignored("the type of the 4-bit base")),
    ("use_bnb_nested_quant|double_quantization", Ignored("the type of the scales of the 4-bit base")),
    ("trust_remote_code|model_revision|revision_of_model|cache_dir", Ignored("which files are loaded")),
];

/// Accelerate's own file.
const ACCELERATE: &[(&str, Meaning)] = &[
    ("distributed_type", Field("plan.backend")),
    ("mixed_precision", Field("workload.precision")),
    ("num_processes|num_machines", Field("hardware.gpus hardware.gpus_per_node")),
    (
        "compute_environment|machine_rank|main_process_ip|main_process_port|main_training_function|rdzv_backend|same_network|\
         debug|use_cpu|tpu_*|downcast_bf16|enable_cpu_affinity|gpu_ids|main_process_*|commands|command_file|dynamo_config*",
        LAUNCHER,
    ),
];

/// FSDP's configuration: the Trainer's, Accelerate's and axolotl's, `fsdp_` before a name left out.
const FSDP: &[(&str, Meaning)] = &[
    ("sharding_strategy|reshard_after_forward", Plan("zero_stage")),
    ("offload_params|cpu_offload|activation_checkpointing_offload", Plan("offload")),
    ("activation_checkpointing", Plan("recompute")),
    (
        "version|auto_wrap_policy|transformer_layer_cls_to_wrap|min_num_params|use_orig_params|sync_module_states|cpu_ram_efficient_loading|\
      state_dict_type|final_state_dict_type|backward_prefetch*|forward_prefetch|limit_all_gathers|xla*|cpu_offload_pin_memory|ignored_modules|\
      mixed_precision_policy*",
        Ignored("how layers are wrapped, loaded and saved"),
    ),
];

/// Accelerate's keys for `DeepSpeed`.
const PLUG_IN: &[(&str, Meaning)] = &[
    ("zero_stage", Plan("zero_stage")),
    ("offload_optimizer_device|offload_param_device", Plan("offload")),
    ("deepspeed_config_file", Ignored("the other file")),
    ("gradient_accumulation_steps", Ignored("as the trainer's")),
    (
        "gradient_clipping|zero3_init_flag|zero3_save_16bit_model|deepspeed_multinode_launcher|deepspeed_hostfile|deepspeed_moe_layer_cls_names|\
         offload_optimizer_nvme_path|offload_param_nvme_path|deepspeed_*",
        Ignored("how it is loaded, clipped and saved"),
    ),
];

/// Accelerate's groups of GPUs.
const GROUPS: &[(&str, Meaning)] = &[
    ("dp_replicate_size|dp_shard_size", Plan("shard_group")),
    ("cp_size", Plan("context_parallel")),
    ("sp_size", Plan("ulysses_parallel")),
    ("tp_size", Plan("tensor_parallel")),
    ("cp_*|sp_*", Ignored("how parts of a sequence are exchanged")),
];

/// What stands beside every such framework's own keys, in the order in which they are looked up: a framework's own go before.
pub(in crate::read) const BESIDE: [KeySection; 7] = [
    KeySection { prefix: "", plan: "plan.", tables: &[Read(TRAINING), Read(PEFT)] },
    KeySection { prefix: "", plan: "plan.", tables: &[Read(ACCELERATE)] },
    KeySection { prefix: "fsdp_config.", plan: "plan.", tables: &[Read(FSDP)] },
    KeySection { prefix: "deepspeed_config.", plan: "plan.", tables: &[Read(PLUG_IN)] },
    KeySection { prefix: "parallelism_config.parallelism_config_", plan: "plan.", tables: &[Read(GROUPS)] },
    KeySection { prefix: "", plan: "plan.", tables: &[Read(TOP)] },
    KeySection { prefix: "zero_optimization.", plan: "plan.", tables: &[Read(ZERO)] },
];
