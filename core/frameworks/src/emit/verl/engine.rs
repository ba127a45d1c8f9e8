//! Keys of a training engine: `fsdp_config`, `megatron`. Actor, critic and SFT share them.

use super::super::Emission;
use super::super::megatron;
use super::super::text::{Section, flag};
use super::super::words::{self, count};
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Attention, Backend, Precision};

/// A role's engine: where its keys are, and what it trains.
pub(super) struct Engine<'a> {
    /// Prefix of the engine's keys, with the dot: `actor_rollout_ref.actor.fsdp_config.`.
    pub(super) keys: &'a str,
    /// Prefix of the optimizer's keys, with the dot.
    pub(super) optim: &'a str,
    /// The role's layout.
    pub(super) layout: &'a Layout,
    /// The role's model.
    pub(super) shape: &'a Shape,
    /// GPUs that train.
    pub(super) gpus: u32,
    /// Whether other phases follow the update, in which offloaded states are away.
    pub(super) phases: bool,
    /// Whether the plan fits.
    pub(super) fits: bool,
}

/// Whether the plan's moments are Adam's in 8 bits.
pub(super) fn eight_bit(layout: &Layout) -> bool {
    layout.backend == Backend::Fsdp && (1.5..3.0).contains(&layout.optimizer_bytes)
}

/// Whether FSDP's shards are in 16 bits, and gradients and moments with them.
fn half_shards(layout: &Layout) -> bool {
    (layout.master_weights_bytes - 2.0).abs() <= 0.5
}

/// Whether Megatron's moments and gradients are in bf16, as the plan says and veRL 0.9.1 has it: for steps in bf16, on
/// the GPU (`utils/megatron/optimizer.py`).
fn bf16_states(layout: &Layout, precision: Precision, phases: bool) -> [bool; 2] {
    let away = megatron::stepped_on_host(layout, phases);
    let can = layout.zero_stage >= 1 && precision != Precision::Fp16 && away == 0.0;
    [(layout.optimizer_bytes, 4.0), (layout.gradient_bytes, 2.0)]
        .map(|(bytes, half)| can && (bytes - half).abs() <= 0.5)
}

/// Bytes per parameter of master weights, gradients and moments that veRL keeps with these keys.
pub(super) fn state_bytes(emission: &Emission) -> [f64; 3] {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    if layout.backend == Backend::Megatron {
        let [moments, gradients] = bf16_states(layout, workload.precision, workload.rl.is_some());
        return [4.0, if gradients { 2.0 } else { 4.0 }, if moments { 4.0 } else { 8.0 }];
    }
    let [master, gradients, moments] = match (half_shards(layout), workload.lora.is_some()) {
        (true, false) => [2.0, 2.0, 4.0],
        // PEFT keeps adapters in fp32 beside a base model in 16 bits (`autocast_adapter_dtype`).
        (true, true) => [2.0, 4.0, 8.0],
        (false, _) => [4.0, 4.0, 8.0],
    };
    [master, gradients, if eight_bit(layout) { 2.0 } else { moments }]
}

impl Engine<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.keys)
    }

    /// FSDP2's keys.
    pub(super) fn fsdp(&self, section: &mut Section, job: &Job) {
        let (layout, gpus) = (self.layout, self.gpus);
        let (value, reason) = if layout.shard_group >= gpus {
            ("-1".to_owned(), format!("shards over all {}", words::plural(gpus.into(), "GPU", "GPUs")))
        } else {
            (layout.shard_group.to_string(), format!("shards within {} GPUs, replicas beyond", layout.shard_group))
        };
        section.set(self.key("fsdp_size"), value, reason);
        let reshard = layout.zero_stage == 3;
        let reason = if reshard {
            "ZeRO-3: each layer's weights are gathered when needed"
        } else {
            "ZeRO-2: the weights stay gathered between forward and backward"
        };
        section.set(self.key("reshard_after_forward"), flag(reshard), reason);
        let sp = layout.ulysses_parallel;
        let reason = if sp == 1 {
            "sequences stay whole".to_owned()
        } else {
            format!("{sp} GPUs split each sequence; divides {} heads", self.shape.num_attention_heads)
        };
        section.set(self.key("ulysses_sequence_parallel_size"), sp, reason);
        let half = half_shards(layout);
        let reason = match (half, job.workload.lora.is_some()) {
            (true, false) => "no fp32 copy, as the plan says: gradients and moments are in 16 bits too",
            (true, true) => "the frozen base model in 16 bits; adapters are in fp32 all the same",
            (false, _) => "fp32 shards are the master weights",
        };
        section.set(self.key("model_dtype"), if half { "bf16" } else { "fp32" }, reason);
        if job.workload.precision == Precision::Fp16 {
            section.set(self.key("dtype"), "float16", "computes in fp16, from your question");
        }
        if self.phases {
            self.offload(section);
        } else {
            let offload = layout.offload.parameters;
            let reason = if offload {
                "weights, gradients and optimizer live in host memory; costs PCIe traffic every step"
            } else {
                "weights, gradients and optimizer stay on the GPUs"
            };
            section.set(self.key("offload_policy"), flag(offload), reason);
        }
        if eight_bit(layout) {
            section.set(format!("{}optimizer", self.optim), "AdamW8bit", "moments in 8 bits, as the plan says");
            section.set(format!("{}optimizer_impl", self.optim), "torchao.optim", "where that optimizer is");
        }
    }

    /// What leaves the GPU between the phases of a step.
    fn offload(&self, section: &mut Section) {
        let offload = self.layout.offload;
        let reason = if offload.parameters {
            "weights and gradients are in host memory outside their phases"
        } else {
            "weights and gradients stay on the GPUs: moving them takes time"
        };
        section.set(self.key("param_offload"), flag(offload.parameters), reason);
        let reason = if offload.optimizer {
            "optimizer states are in host memory outside the update"
        } else {
            "optimizer states stay on the GPUs: moving them takes time"
        };
        section.set(self.key("optimizer_offload"), flag(offload.optimizer), reason);
    }

    /// Megatron's keys.
    pub(super) fn megatron(&self, section: &mut Section, job: &Job) {
        self.parallel(section, job);
        let layout = self.layout;
        megatron::distributed_optimizer(section, |name| self.key(name), layout);
        if self.phases {
            self.offload(section);
        }
        let away = megatron::stepped_on_host(layout, self.phases);
        if away > 0.0 {
            let optim = |name: &str| format!("++{}override_optimizer_config.{name}", self.optim);
            section.set(optim("optimizer_cpu_offload"), "True", "the optimizer steps in host memory");
            let (fraction, reason) = megatron::offload_fraction(away);
            section.set(optim("optimizer_offload_fraction"), fraction, reason);
            section.set(optim("use_precision_aware_optimizer"), "True", "needed by the two above");
        }
        let [moments, gradients] = bf16_states(layout, job.workload.precision, self.phases);
        let optim = |name: &str| format!("{}{name}", self.optim);
        if moments || gradients {
            section.set(optim("use_precision_aware_optimizer"), "True", "the one that keeps states in bf16");
        }
        if moments {
            for name in ["exp_avg_dtype", "exp_avg_sq_dtype"] {
                section.set(optim(name), "bf16", "moments of 2 bytes, from the plan");
            }
        }
        if gradients {
            section.set(optim("main_grads_dtype"), "bf16", "gradients of 2 bytes, from the plan");
        }
        if !job.workload.packing {
            section.set(self.key("use_remove_padding"), "False", "padded sequences, from your question");
        }
        if layout.overlap.gradients && layout.data_parallel(self.gpus) > 1 {
            section.set(
                format!("++{}override_ddp_config.overlap_grad_reduce", self.keys),
                "True",
                "gradients are reduced beside the backward pass; overlap_param_gather stays off: it gathers updated weights in the next forward pass, and veRL hands them on before that",
            );
        }
        self.transformer(section, job);
    }

    fn parallel(&self, section: &mut Section, job: &Job) {
        let (layout, shape) = (self.layout, self.shape);
        let (tp, pp) = (layout.tensor_parallel, layout.pipeline_parallel);
        section.set(self.key("tensor_model_parallel_size"), tp, megatron::tensor_reason(job, shape, tp));
        section.set(
            self.key("pipeline_model_parallel_size"),
            pp,
            megatron::pipeline_reason(shape.num_hidden_layers, pp),
        );
        if layout.virtual_pipeline > 1 {
            section.set(
                self.key("virtual_pipeline_model_parallel_size"),
                layout.virtual_pipeline,
                format!("chunks per stage: the bubble shrinks {} times", layout.virtual_pipeline),
            );
        } else {
            section.set(self.key("virtual_pipeline_model_parallel_size"), "null", "one chunk per stage");
        }
        megatron::splits(section, |name| self.key(name), shape, layout);
    }

    /// Keys handed on to Megatron's `TransformerConfig`; `++` sets a key whether or not it is there.
    fn transformer(&self, section: &mut Section, job: &Job) {
        let key = |name: &str| format!("++{}override_transformer_config.{name}", self.keys);
        megatron::recompute(section, key, self.layout.recompute, self.fits);
        let (layers, pp) = (self.shape.num_hidden_layers, self.layout.pipeline_parallel);
        if let Some((last, reason)) = megatron::uneven_last_stage(layers, pp) {
            section.set(key("num_layers_in_last_pipeline_stage"), last, reason);
        }
        if self.layout.attention == Attention::Unfused {
            section.set(key("attention_backend"), "unfused", "from your plan; flash is faster");
        }
        if self.shape.num_experts > 0 {
            section.set(key("moe_permute_fusion"), "True", "one kernel sorts the tokens by expert");
        }
        match job.workload.precision {
            Precision::Fp8 => {
                section.set(key("fp8"), "e4m3", "matrix products in fp8, from your question");
                section.set(key("fp8_recipe"), "blockwise", "one scale per block");
            }
            Precision::Mxfp8 => {
                section.set(key("fp8"), "e4m3", "matrix products in fp8, from your question");
                section.set(key("fp8_recipe"), "mxfp8", "one scale per 32 values");
            }
            Precision::Fp16 => {
                section.set(self.key("dtype"), "float16", "computes in fp16, from your question");
            }
            Precision::Bf16 | Precision::Nvfp4 => {}
        }
    }
}

/// What a token budget holds, for its reason.
pub(super) fn budget(tokens: u64, split: u32, longest: u64) -> String {
    let held = tokens.saturating_mul(split.into());
    let over = if split > 1 { format!(" on each of {split} GPUs") } else { String::new() };
    let floor = 2 * longest;
    if held == floor {
        format!("tokens{over}; the guide's floor, 2 × {}", count(longest))
    } else if held > floor {
        format!("tokens{over}; above the guide's floor of 2 × {} = {}", count(longest), count(floor))
    } else {
        format!("tokens{over}; memory holds it below the guide's floor of 2 × {} = {}", count(longest), count(floor))
    }
}
