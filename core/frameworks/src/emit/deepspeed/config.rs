//! The JSON: in plain numbers, and with what Hugging Face's Trainer fills in.

use serde_json::json;

use crate::emit::Emission;
use crate::emit::choices::{accumulation, learning_rate, micro, zero_reason};
use crate::emit::json::Config;
use crate::emit::optimizer::keeps;
use crate::emit::words::{count, gib, plural};
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{Optimizer, Precision};
use shardwise_rules::optimizer::deepspeed;

/// What Hugging Face's Trainer fills in where it says `auto`, and what from (transformers 5.23.0,
/// `integrations/deepspeed.py`, `trainer_config_process` and `trainer_config_finalize`).
const FILLED: &[(&str, &str)] = &[
    ("train_batch_size", "the two below and the GPUs"),
    ("train_micro_batch_size_per_gpu", "--per_device_train_batch_size"),
    ("gradient_accumulation_steps", "--gradient_accumulation_steps"),
    ("gradient_clipping", "--max_grad_norm"),
    ("bf16.enabled", "--bf16"),
    ("fp16.enabled", "--fp16"),
    ("optimizer.params.lr", "--learning_rate"),
    ("optimizer.params.betas", "--adam_beta1 and --adam_beta2"),
    ("optimizer.params.eps", "--adam_epsilon"),
    ("optimizer.params.weight_decay", "--weight_decay"),
    ("zero_optimization.reduce_bucket_size", "the model's hidden size"),
    ("zero_optimization.stage3_prefetch_bucket_size", "the model's hidden size"),
    ("zero_optimization.stage3_param_persistence_threshold", "the model's hidden size"),
];

/// The configuration for a script on Hugging Face's Trainer: `auto` where the Trainer fills a value in.
pub(super) fn hugging_face(emission: &Emission) -> Config {
    let layout = &emission.plan.layout;
    let mut config = in_numbers(emission);
    if layout.model_parallel() > 1 {
        // The Trainer multiplies by every process; DeepSpeed has fewer ranks, and makes the product of the other two.
        config.retain(|path| path != "train_batch_size");
    }
    for (path, value, reason) in config.settings_mut() {
        if let Some((_, from)) = FILLED.iter().find(|(filled, _)| filled == path) {
            *reason = format!("the Trainer makes it {value}, from {from}");
            *value = json!("auto");
        }
    }
    config
}

/// The configuration in plain numbers, for a trainer that fills nothing in.
///
/// Hugging Face's models recompute by arguments of their own, and nothing of `DeepSpeed`'s reads its section.
pub(super) fn in_numbers(emission: &Emission) -> Config {
    let mut config = plain(emission);
    config.retain(|path| !path.starts_with(CHECKPOINTING));
    config
}

/// The section that `deepspeed.checkpointing` alone reads.
const CHECKPOINTING: &str = "activation_checkpointing.";

/// The configuration in plain numbers, for a script that calls `deepspeed.initialize`.
pub(super) fn plain(emission: &Emission) -> Config {
    let layout = &emission.plan.layout;
    let mut config = Config::default();
    batch(emission, &mut config);
    precision(emission, &mut config);
    if layout.tensor_parallel > 1 {
        let reason = format!("{} GPUs split each matrix", layout.tensor_parallel);
        config.set("tensor_parallel.autotp_size", layout.tensor_parallel, reason);
    }
    if layout.ulysses_parallel > 1 {
        let reason = format!("{} GPUs split each sequence; the training script sets it up", layout.ulysses_parallel);
        config.set("sequence_parallel_size", layout.ulysses_parallel, reason);
    }
    optimizer(emission, &mut config);
    zero(emission, &mut config);
    if layout.nvme_offload {
        let own = [
            ("aio.block_size", json!(1_048_576)),
            ("aio.queue_depth", json!(8)),
            ("aio.intra_op_parallelism", json!(1)),
            ("aio.single_submit", json!(false)),
            ("aio.overlap_events", json!(true)),
        ];
        config.set_all(&own, "DeepSpeed's own; ds_nvme_tune finds what your drives do best");
    }
    if layout.recompute == Recompute::Full {
        config.set(
            "activation_checkpointing.partition_activations",
            false,
            "read where your script recomputes by deepspeed.checkpointing: each GPU keeps its own inputs of layers",
        );
        config.set("activation_checkpointing.cpu_checkpointing", false, "they stay on the GPU, as estimated");
    }
    config
}

/// What steps the weights, where `DeepSpeed` builds it; else the trainer hands it over.
fn optimizer(emission: &Emission, config: &mut Config) {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let kind = layout.optimizer.kind;
    let Some(word) = deepspeed(kind) else {
        return;
    };
    let reason = match (kind, layout.offload.optimizer) {
        (Optimizer::Adamw, true) => "it steps on the CPUs: DeepSpeed takes its CPU Adam",
        (Optimizer::Adamw, false) => "DeepSpeed takes its fused Adam",
        (Optimizer::Lion, true) => "it steps on the CPUs: DeepSpeed takes its CPU Lion",
        _ => keeps(kind),
    };
    config.set("optimizer.type", word, reason);
    config.set("optimizer.params.lr", learning_rate(&job.workload), "a start; yours to tune");
    if kind == Optimizer::Muon {
        config.set("optimizer.params.momentum", 0.95, "Muon's own");
    }
    if kind != Optimizer::Sgd {
        config.set("optimizer.params.betas", json!([0.9, 0.95]), "usual for language models");
    }
    if matches!(kind, Optimizer::Adamw | Optimizer::Muon) {
        config.set("optimizer.params.eps", 1e-8, "Adam's own");
    }
    config.set("optimizer.params.weight_decay", 0.0, "yours to tune");
    if kind == Optimizer::Sgd {
        config.set("zero_allow_untested_optimizer", true, "DeepSpeed has tried ZeRO with no SGD");
    }
}

fn batch(emission: &Emission, config: &mut Config) {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let dp = layout.data_parallel(job.hardware.gpus);
    let (micro, accumulation) = (micro(emission), accumulation(emission));
    config.set(
        "train_batch_size",
        job.workload.global_batch,
        format!(
            "{} × {} × {}, from your question",
            count(micro),
            plural(accumulation, "pass", "passes"),
            plural(dp.into(), "rank", "ranks")
        ),
    );
    config.set("train_micro_batch_size_per_gpu", micro, "sequences of one forward pass on one GPU");
    config.set("gradient_accumulation_steps", accumulation, "passes before the optimizer steps");
    if layout.optimizer.kind == Optimizer::Muon {
        let reason = "off: Muon's updates have a norm of their own";
        config.set("gradient_clipping", 0.0, reason);
    } else {
        config.set("gradient_clipping", 1.0, "stated because DeepSpeed's default has changed");
    }
}

fn precision(emission: &Emission, config: &mut Config) {
    let (job, layout) = (emission.job, &emission.plan.layout);
    if job.workload.precision == Precision::Fp16 {
        config.set("fp16.enabled", true, "precision of your question");
        config.set("fp16.loss_scale", 0, "0: the scale follows what overflows");
        let own = [
            ("fp16.initial_scale_power", json!(16)),
            ("fp16.loss_scale_window", json!(1000)),
            ("fp16.hysteresis", json!(2)),
            ("fp16.min_loss_scale", json!(1)),
        ];
        config.set_all(&own, "DeepSpeed's own");
    } else {
        config.set("bf16.enabled", true, "precision of your question");
    }
    if layout.gradient_bytes >= 4.0 {
        config.set("data_types.grad_accum_dtype", "fp32", "gradients are summed in fp32, as the plan says");
    }
}

fn zero(emission: &Emission, config: &mut Config) {
    let (layout, hidden) = (&emission.plan.layout, emission.job.model.shape.hidden_size);
    let stage = layout.zero_stage;
    config.set("zero_optimization.stage", stage, zero_reason(stage));
    if stage == 0 {
        return;
    }
    let overlap = layout.overlap.gradients;
    let reason = if overlap { "gradients are reduced beside the backward pass" } else { "off, as the plan says" };
    config.set("zero_optimization.overlap_comm", overlap, reason);
    config.set("zero_optimization.contiguous_gradients", true, "keeps gradients from scattering over the memory");
    let bucket = hidden.saturating_mul(hidden).max(1);
    let reason =
        format!("hidden size squared, as Hugging Face's: {}", gib(2.0 * bucket as f64 / f64::from(1u32 << 30)));
    config.set("zero_optimization.reduce_bucket_size", bucket, reason);
    if stage < 3 {
        config.set("zero_optimization.allgather_bucket_size", 500_000_000, "DeepSpeed's own");
    } else {
        stage_3(emission, config, bucket);
    }
    offload(emission, config);
}

fn stage_3(emission: &Emission, config: &mut Config, bucket: u64) {
    let hidden = emission.job.model.shape.hidden_size;
    let billion = 1_000_000_000;
    let ahead = bucket / 10 * 9 + bucket % 10 * 9 / 10;
    let small = hidden.saturating_mul(10);
    for (path, value, reason) in [
        ("zero_optimization.sub_group_size", billion, "parameters that the optimizer handles at a time"),
        ("zero_optimization.stage3_prefetch_bucket_size", ahead, "0.9 × hidden size squared: gathered ahead"),
        ("zero_optimization.stage3_param_persistence_threshold", small, "10 × hidden size: norms stay on every GPU"),
        ("zero_optimization.stage3_max_live_parameters", billion, "gathered parameters at a time"),
        ("zero_optimization.stage3_max_reuse_distance", billion, "what is needed again soon stays"),
    ] {
        config.set(path, value, reason);
    }
    config.set(
        "zero_optimization.stage3_gather_16bit_weights_on_model_save",
        true,
        "saves weights that other programs can load",
    );
    let plus = &emission.plan.layout.zero_plus;
    if plus.partition_size > 1 {
        config.set(
            "zero_optimization.zero_hpz_partition_size",
            plus.partition_size,
            format!(
                "ZeRO++: {} GPUs hold a second copy of the weights, which the backward pass gathers",
                plus.partition_size
            ),
        );
    }
    if plus.quantized_weights {
        let reason = "ZeRO++: weights are gathered in 8 bits, half as many bytes";
        config.set("zero_optimization.zero_quantized_weights", true, reason);
    }
    if plus.quantized_gradients {
        let reason = "ZeRO++: gradients are reduced in 4 bits, a quarter of the bytes";
        config.set("zero_optimization.zero_quantized_gradients", true, reason);
    }
}

/// Where the drives are mounted.
const DRIVES: &str = "/local_nvme";
/// Why that path.
const YOURS: &str = "change this to a folder on the drives of each node";

fn offload(emission: &Emission, config: &mut Config) {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let (device, place) =
        if layout.nvme_offload { ("nvme", "on the node's drives") } else { ("cpu", "in host memory") };
    if layout.offload.optimizer || layout.steps_with_gradients() {
        config.set(
            "zero_optimization.offload_optimizer.device",
            device,
            format!("master weights, moments and gradients live {place}; the CPUs do the step"),
        );
        config.set("zero_optimization.offload_optimizer.pin_memory", true, "faster copies over PCIe");
        if layout.nvme_offload {
            config.set("zero_optimization.offload_optimizer.nvme_path", DRIVES, YOURS);
            config.set(
                "zero_optimization.offload_optimizer.buffer_count",
                4,
                "master weights, gradients and Adam's two moments",
            );
        }
    }
    if layout.offload.parameters {
        config.set(
            "zero_optimization.offload_param.device",
            device,
            format!("weights live {place}; each layer crosses PCIe when needed"),
        );
        config.set("zero_optimization.offload_param.pin_memory", true, "faster copies over PCIe");
        if layout.nvme_offload {
            config.set("zero_optimization.offload_param.nvme_path", DRIVES, YOURS);
            config.set("zero_optimization.offload_param.buffer_count", 5, "shards on their way at a time");
            // The largest matrix is the embedding, whose shard must fit.
            let shape = &job.model.shape;
            let largest = shape.vocab_size.saturating_mul(shape.hidden_size);
            let shard = largest.div_ceil(u64::from(job.hardware.gpus).max(1));
            config.set(
                "zero_optimization.offload_param.buffer_size",
                shard.max(100_000_000),
                "weights in a buffer: the shard of the largest matrix fits",
            );
            config.set("zero_optimization.offload_param.max_in_cpu", 0, "none stay in host memory, as the plan says");
        }
    }
}
