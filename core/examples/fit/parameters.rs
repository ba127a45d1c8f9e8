//! The constants that end-to-end runs decide, with what is known of each beforehand.

use shardwise_core::efficiency::{Architecture, Efficiency, EngineEfficiency, FrameworkEfficiency};

/// A fitted constant: where it lives, what it is expected to be, and how sure that is.
pub(crate) struct Parameter {
    /// Entry of `efficiency.toml`: an architecture, a framework, or `constant`.
    pub(crate) entry: &'static str,
    /// Field, or the constant's name.
    pub(crate) field: &'static str,
    /// Expected value.
    pub(crate) prior: f64,
    /// Standard deviation of its logarithm.
    pub(crate) spread: f64,
    /// What it may not leave.
    pub(crate) range: (f64, f64),
}

const fn parameter(entry: &'static str, field: &'static str, prior: f64, spread: f64, range: (f64, f64)) -> Parameter {
    Parameter { entry, field, prior, spread, range }
}

/// Priors: kernel benchmarks (`kernels.rs`; FlashAttention-2 and -3's own figures for attention), nccl-tests for the
/// links, and 1 where only a product with another constant can be seen.
pub(crate) const PARAMETERS: &[Parameter] = &[
    parameter("Ampere", "sustained", 0.93, 0.05, (0.7, 1.0)),
    parameter("Hopper", "sustained", 0.82, 0.08, (0.5, 1.0)),
    parameter("Blackwell", "sustained", 0.82, 0.08, (0.5, 1.0)),
    parameter("Ampere", "attention_forward", 0.52, 0.15, (0.2, 0.8)),
    parameter("Ampere", "attention_backward", 0.42, 0.15, (0.2, 0.8)),
    parameter("Hopper", "attention_forward", 0.6, 0.12, (0.2, 0.8)),
    parameter("Hopper", "attention_backward", 0.48, 0.15, (0.15, 0.8)),
    parameter("Hopper", "flash_1", 0.4, 0.2, (0.1, 1.0)),
    parameter("Hopper", "flash_2", 0.55, 0.2, (0.2, 1.0)),
    parameter("Blackwell", "attention_forward", 0.45, 0.2, (0.2, 0.8)),
    parameter("Blackwell", "attention_backward", 0.38, 0.2, (0.15, 0.8)),
    parameter("Hopper", "flash_3", 1.05, 0.1, (0.7, 1.6)),
    parameter("Blackwell", "flash_2", 0.5, 0.2, (0.1, 1.0)),
    parameter("CDNA", "matmul", 0.55, 0.15, (0.3, 0.9)),
    parameter("CDNA", "matmul_fp8", 0.6, 0.25, (0.2, 0.9)),
    parameter("CDNA", "attention_forward", 0.4, 0.2, (0.1, 0.8)),
    parameter("CDNA", "attention_backward", 0.32, 0.2, (0.1, 0.8)),
    parameter("CDNA4", "matmul_fp8", 0.7, 0.3, (0.2, 0.9)),
    parameter("CDNA4", "attention_forward", 0.4, 0.2, (0.1, 0.8)),
    parameter("CDNA4", "attention_backward", 0.32, 0.2, (0.1, 0.8)),
    parameter("rtx-a6000", "matmul", 0.85, 0.15, (0.4, 1.0)),
    parameter("rtx-a6000", "attention", 1.15, 0.15, (0.5, 1.8)),
    parameter("b200", "sustained", 1.0, 0.04, (0.8, 1.2)),
    parameter("b300", "sustained", 1.0, 0.04, (0.8, 1.2)),
    parameter("gb200", "sustained", 1.0, 0.04, (0.8, 1.2)),
    parameter("gb300", "sustained", 1.0, 0.04, (0.8, 1.2)),
    parameter("Hopper", "matmul_fp8", 0.8, 0.15, (0.4, 1.0)),
    parameter("Blackwell", "matmul_fp8", 0.8, 0.2, (0.3, 1.0)),
    parameter("Blackwell", "matmul_fp4", 0.6, 0.25, (0.2, 1.0)),
    parameter("megatron", "compute", 1.15, 0.08, (1.0, 2.0)),
    parameter("early_megatron", "compute", 1.25, 0.1, (1.0, 2.0)),
    parameter("fsdp", "compute", 1.15, 0.08, (1.0, 2.0)),
    parameter("fsdp", "quantization", 1.5, 0.4, (0.5, 8.0)),
    parameter("fsdp", "expert_layer_s", 5e-3, 0.8, (1e-4, 0.1)),
    // What the host launches while the GPU works.
    parameter("megatron", "expert_layer_s", 1.2e-2, 0.4, (1e-4, 0.1)),
    // As in RL: `rl_layer_s`.
    parameter("megatron", "tune_layer_s", 5e-3, 0.4, (1e-4, 2e-2)),
    parameter("megatron", "narrow", 0.9, 0.1, (0.6, 1.2)),
    parameter("megatron", "adapter_bytes", 9.0, 0.6, (2.0, 60.0)),
    parameter("fsdp", "adapter_bytes", 9.0, 0.6, (2.0, 60.0)),
    parameter("fsdp", "fused_head_bytes", 12.0, 0.5, (4.0, 30.0)),
    parameter("megatron", "elementwise", 0.9, 0.25, (0.4, 2.5)),
    parameter("fsdp", "elementwise", 0.9, 0.25, (0.4, 2.5)),
    parameter("megatron", "step_s", 0.02, 0.8, (0.001, 0.3)),
    parameter("fsdp", "step_s", 0.02, 0.8, (0.001, 0.3)),
    parameter("megatron", "tune_step_s", 0.01, 0.6, (0.001, 1.0)),
    parameter("fsdp", "tune_step_s", 0.2, 0.6, (0.01, 2.0)),
    parameter("ddp", "compute", 1.15, 0.08, (0.8, 2.0)),
    parameter("ddp", "adapter_bytes", 9.0, 0.6, (2.0, 60.0)),
    parameter("ddp", "expert_layer_s", 5e-3, 0.8, (1e-4, 0.1)),
    parameter("ddp", "tune_step_s", 0.05, 0.6, (0.005, 2.0)),
    parameter("ddp", "tune_layer_s", 3.5e-3, 0.12, (1e-4, 2e-2)),
    parameter("megatron", "host_per_kernel_s", 5e-6, 0.3, (1e-6, 2e-5)),
    parameter("fsdp", "host_per_kernel_s", 7e-6, 0.3, (1e-6, 2e-5)),
    parameter("megatron", "overlap", 0.7, 0.5, (0.05, 0.99)),
    parameter("fsdp", "overlap", 0.85, 0.08, (0.5, 0.99)),
    parameter("constant", "kernel_s", 4e-6, 0.15, (1e-6, 1e-5)),
    parameter("constant", "attention_half_length", 430.0, 0.4, (50.0, 2000.0)),
    parameter("constant", "grouped_matmul", 0.75, 0.2, (0.3, 1.0)),
    parameter("constant", "expert_imbalance", 1.05, 0.03, (1.0, 1.5)),
    parameter("constant", "exchange", 0.9, 0.25, (0.2, 2.0)),
    // What two pairs of runs that differ in it alone say.
    parameter("constant", "expert_overlap", 0.55, 0.2, (0.05, 0.99)),
    parameter("constant", "full_graphs", 0.9, 0.1, (0.5, 1.0)),
    // Calls of some ten microseconds each.
    parameter("constant", "narrow_layer_s", 5e-3, 0.4, (1e-4, 2e-2)),
    parameter("constant", "narrow_expert_s", 5e-4, 0.4, (1e-6, 5e-3)),
    parameter("constant", "quantization", 1.0, 0.3, (0.3, 4.0)),
    parameter("constant", "nvlink", 0.72, 0.12, (0.3, 0.9)),
    parameter("constant", "network", 0.85, 0.08, (0.3, 0.98)),
];

fn architecture<'a>(architecture: &'a mut Architecture, field: &str) -> Option<&'a mut f64> {
    Some(match field {
        "sustained" => &mut architecture.sustained,
        "matmul_fp8" => &mut architecture.matmul_fp8,
        "matmul_fp4" => &mut architecture.matmul_fp4,
        "matmul" => &mut architecture.matmul,
        "flash_1" => &mut architecture.flash_1,
        "flash_2" => &mut architecture.flash_2,
        "flash_3" => &mut architecture.flash_3,
        "attention_forward" => &mut architecture.attention_forward,
        "attention_backward" => &mut architecture.attention_backward,
        "generation" => &mut architecture.generation,
        "generation_matmul" => &mut architecture.generation_matmul,
        "generation_cache" => &mut architecture.generation_cache,
        _ => return None,
    })
}

fn framework<'a>(framework: &'a mut FrameworkEfficiency, field: &str) -> Option<&'a mut f64> {
    Some(match field {
        "elementwise" => &mut framework.elementwise,
        "host_per_kernel_s" => &mut framework.host_per_kernel_s,
        "compute" => &mut framework.compute,
        "narrow" => &mut framework.narrow,
        "quantization" => &mut framework.quantization,
        "adapter_bytes" => &mut framework.adapter_bytes,
        "fused_head_bytes" => &mut framework.fused_head_bytes,
        "overlap" => &mut framework.overlap,
        "step_s" => &mut framework.step_s,
        "tune_step_s" => &mut framework.tune_step_s,
        "tune_layer_s" => &mut framework.tune_layer_s,
        "rl_layer_s" => &mut framework.rl_layer_s,
        "rl_floor_s" => &mut framework.rl_floor_s,
        "rl_expert_layer_s" => &mut framework.rl_expert_layer_s,
        "expert_layer_s" => &mut framework.expert_layer_s,
        "rl_step_s" => &mut framework.rl_step_s,
        "rl_sync_s" => &mut framework.rl_sync_s,
        _ => return None,
    })
}

fn engine<'a>(engine: &'a mut EngineEfficiency, field: &str) -> Option<&'a mut f64> {
    Some(match field {
        "decode_matmul" => &mut engine.decode_matmul,
        "decode_memory" => &mut engine.decode_memory,
        "cache_memory" => &mut engine.cache_memory,
        "expert_memory" => &mut engine.expert_memory,
        "expert_tokens" => &mut engine.expert_tokens,
        "prefill" => &mut engine.prefill,
        "expert_prefill" => &mut engine.expert_prefill,
        "layer_s" => &mut engine.layer_s,
        "step_s" => &mut engine.step_s,
        "eager_layer_s" => &mut engine.eager_layer_s,
        "eager_expert_layer_s" => &mut engine.eager_expert_layer_s,
        "sequence_s" => &mut engine.sequence_s,
        "rl_sequence_s" => &mut engine.rl_sequence_s,
        "tensor_parallel_s" => &mut engine.tensor_parallel_s,
        "blackwell_weights" => &mut engine.blackwell_weights,
        "blackwell_experts" => &mut engine.blackwell_experts,
        "sparse_layer_s" => &mut engine.sparse_layer_s,
        "quantized_layer_s" => &mut engine.quantized_layer_s,
        "all_reduce_node_s" => &mut engine.all_reduce_node_s,
        "expert_layer_s" => &mut engine.expert_layer_s,
        "all_reduce_s" => &mut engine.all_reduce_s,
        "wake_s" => &mut engine.wake_s,
        _ => return None,
    })
}

fn constant<'a>(efficiency: &'a mut Efficiency, name: &str) -> Option<&'a mut f64> {
    Some(match name {
        "kernel_s" => &mut efficiency.kernel_s,
        "attention_half_length" => &mut efficiency.attention_half_length,
        "grouped_matmul" => &mut efficiency.grouped_matmul,
        "expert_imbalance" => &mut efficiency.expert_imbalance,
        "rl_expert_spread" => &mut efficiency.rl_expert_spread,
        "exchange" => &mut efficiency.exchange,
        "expert_overlap" => &mut efficiency.expert_overlap,
        "full_graphs" => &mut efficiency.full_graphs,
        "narrow_layer_s" => &mut efficiency.narrow_layer_s,
        "narrow_expert_s" => &mut efficiency.narrow_expert_s,
        "quantization" => &mut efficiency.quantization,
        "nvlink" => &mut efficiency.nvlink,
        "network" => &mut efficiency.network,
        "grace_host" => &mut efficiency.grace_host,
        "rl_forward" => &mut efficiency.rl_forward,
        "rl_handed_s" => &mut efficiency.rl_handed_s,
        "driver_s" => &mut efficiency.driver_s,
        _ => return None,
    })
}

impl Parameter {
    fn slot<'a>(&self, efficiency: &'a mut Efficiency) -> Option<&'a mut f64> {
        match self.entry {
            "constant" => constant(efficiency, self.field),
            "vllm" => engine(&mut efficiency.vllm, self.field),
            "early_vllm" => engine(&mut efficiency.early_vllm, self.field),
            "sglang" => engine(&mut efficiency.sglang, self.field),
            "tensorrt_llm" => engine(&mut efficiency.tensorrt_llm, self.field),
            "megatron" => framework(&mut efficiency.megatron, self.field),
            "early_megatron" => framework(&mut efficiency.early_megatron, self.field),
            "fsdp" => framework(&mut efficiency.fsdp, self.field),
            "ddp" => framework(&mut efficiency.ddp, self.field),
            name if efficiency.kernels.iter().any(|own| own.name == name) => {
                let own = efficiency.kernels.to_mut().iter_mut().find(|own| own.name == name)?;
                Some(match self.field {
                    "matmul" => &mut own.matmul,
                    "attention" => &mut own.attention,
                    "sustained" => &mut own.sustained,
                    _ => return None,
                })
            }
            name => efficiency
                .architectures
                .to_mut()
                .iter_mut()
                .find(|entry| entry.name == name)
                .and_then(|entry| architecture(entry, self.field)),
        }
    }

    /// The value in use.
    pub(crate) fn get(&self, efficiency: &Efficiency) -> f64 {
        let mut copy = efficiency.clone();
        self.slot(&mut copy).map_or(self.prior, |slot| *slot)
    }
}

/// What a generation engine reaches, fitted on its runs once the training constants stand.
pub(crate) const fn of_engine(entry: &'static str) -> [Parameter; 18] {
    [
        parameter(entry, "decode_matmul", 0.45, 0.3, (0.05, 1.5)),
        parameter(entry, "decode_memory", 0.85, 0.1, (0.3, 1.1)),
        parameter(entry, "cache_memory", 0.8, 0.2, (0.1, 1.1)),
        parameter(entry, "expert_memory", 0.7, 0.2, (0.1, 1.1)),
        parameter(entry, "blackwell_weights", 0.9, 0.15, (0.3, 1.5)),
        parameter(entry, "blackwell_experts", 1.0, 0.3, (0.3, 2.0)),
        parameter(entry, "expert_tokens", 30.0, 0.7, (0.1, 1000.0)),
        parameter(entry, "prefill", 0.45, 0.3, (0.05, 1.2)),
        parameter(entry, "expert_prefill", 0.45, 0.3, (0.05, 1.2)),
        parameter(entry, "layer_s", 1.5e-5, 0.4, (1e-6, 1e-4)),
        parameter(entry, "expert_layer_s", 2e-5, 0.7, (1e-6, 3e-4)),
        parameter(entry, "sparse_layer_s", 4e-5, 0.7, (1e-6, 1e-3)),
        // Three or four kernels of some 4 us: before the products of attention and its output, and of experts, twice. No more than five:
        // vLLM's runs in 16 bits are of gpt-oss alone, whose layers differ in other ways, too.
        parameter(entry, "quantized_layer_s", 1.2e-5, 0.5, (1e-7, 2e-5)),
        parameter(entry, "step_s", 1e-3, 0.6, (1e-5, 2e-2)),
        parameter(entry, "sequence_s", 4e-5, 0.5, (1e-6, 5e-4)),
        parameter(entry, "tensor_parallel_s", 1e-3, 0.5, (1e-5, 1e-2)),
        parameter(entry, "all_reduce_s", 1e-5, 0.4, (1e-6, 1e-4)),
        parameter(entry, "all_reduce_node_s", 1e-5, 0.7, (1e-6, 1e-4)),
    ]
}

/// What engines reach on AMD's cards, on which only vLLM of 2024 was measured: fitted with it.
pub(crate) const CDNA: [Parameter; 3] = [
    parameter("CDNA", "generation", 0.7, 0.3, (0.1, 1.5)),
    parameter("CDNA", "generation_matmul", 0.6, 0.4, (0.05, 1.5)),
    parameter("CDNA", "generation_cache", 0.4, 0.7, (0.02, 1.5)),
];

/// What RL trainers add, fitted on RL steps and their phases once the training and the engine's constants stand.
pub(crate) const REINFORCEMENT: &[Parameter] = &[
    parameter("early_vllm", "eager_layer_s", 4e-4, 0.4, (1e-4, 2e-3)),
    parameter("early_vllm", "eager_expert_layer_s", 8e-4, 0.4, (1e-4, 4e-3)),
    parameter("early_vllm", "rl_sequence_s", 2e-5, 0.7, (1e-6, 5e-4)),
    parameter("megatron", "rl_layer_s", 4e-3, 0.5, (1e-4, 5e-2)),
    parameter("megatron", "rl_expert_layer_s", 4e-3, 0.5, (1e-4, 0.2)),
    parameter("fsdp", "rl_layer_s", 2e-3, 0.5, (1e-4, 5e-2)),
    // As where the same models are fine-tuned: `tune_layer_s`.
    parameter("fsdp", "rl_floor_s", 4e-3, 0.5, (1e-4, 5e-2)),
    parameter("megatron", "rl_step_s", 0.5, 0.7, (0.01, 5.0)),
    parameter("fsdp", "rl_step_s", 0.5, 0.7, (0.01, 5.0)),
    // Assumed: as uneven as exponentially distributed popularity, whose deviation is its mean.
    parameter("constant", "rl_expert_spread", 1.0, 0.5, (0.01, 5.0)),
    // Transformer Engine's issue 2053: 37.1 us for a linear layer on GB200, 13.5 on a DGX H100.
    parameter("constant", "grace_host", 2.75, 0.25, (1.0, 6.0)),
    parameter("constant", "rl_forward", 1.06, 0.2, (1.0, 3.0)),
    // 41 bytes at 0.8 GB/s.
    parameter("constant", "rl_handed_s", 5e-8, 0.7, (1e-9, 1e-6)),
    parameter("constant", "driver_s", 5.0, 0.4, (0.5, 60.0)),
];

/// What weights take on their way to the engine, fitted on that phase by itself before the rest: a hundredth of a step.
pub(crate) const WEIGHT_SYNC: &[Parameter] = &[
    parameter("megatron", "rl_sync_s", 0.3, 0.5, (0.01, 10.0)),
    parameter("fsdp", "rl_sync_s", 0.2, 0.5, (0.01, 10.0)),
    parameter("early_vllm", "wake_s", 0.5, 0.7, (0.1, 60.0)),
    // A server in a process of its own, as veRL starts it since 0.7.
    parameter("vllm", "wake_s", 4.0, 0.7, (0.1, 60.0)),
];

/// The constants with these values (in the order of `parameters`, logarithms). What no run decides follows what
/// one does: `DeepSpeed` and plain data parallelism run the same eager code as FSDP.
pub(crate) fn with(parameters: &[Parameter], base: &Efficiency, logs: &[f64]) -> Efficiency {
    let mut efficiency = base.clone();
    for (parameter, log) in parameters.iter().zip(logs) {
        if let Some(slot) = parameter.slot(&mut efficiency) {
            *slot = log.exp().clamp(parameter.range.0, parameter.range.1);
        }
    }
    efficiency.early_megatron =
        FrameworkEfficiency { compute: efficiency.early_megatron.compute, ..efficiency.megatron };
    efficiency.deepspeed.compute = efficiency.fsdp.compute;
    efficiency.deepspeed.tune_step_s = efficiency.fsdp.tune_step_s;
    // Hugging Face's models with PEFT's adapters, as the runs of plain data parallelism have them; FSDP's are prime-rl's own.
    efficiency.deepspeed.adapter_bytes = efficiency.ddp.adapter_bytes;
    efficiency.deepspeed.expert_layer_s = efficiency.ddp.expert_layer_s;
    for framework in [&mut efficiency.deepspeed, &mut efficiency.ddp] {
        framework.elementwise = efficiency.fsdp.elementwise;
        framework.quantization = efficiency.fsdp.quantization;
        framework.rl_layer_s = efficiency.fsdp.rl_layer_s;
        framework.rl_floor_s = efficiency.fsdp.rl_floor_s;
        framework.rl_expert_layer_s = efficiency.fsdp.rl_expert_layer_s;
        framework.rl_step_s = efficiency.fsdp.rl_step_s;
        framework.rl_sync_s = efficiency.fsdp.rl_sync_s;
    }
    for framework in [&mut efficiency.deepspeed, &mut efficiency.fsdp] {
        framework.tune_layer_s = efficiency.ddp.tune_layer_s;
    }
    // RL steps are of vLLM before 0.12 mostly.
    let eager = efficiency.early_vllm;
    for own in [&mut efficiency.vllm, &mut efficiency.sglang, &mut efficiency.tensorrt_llm] {
        own.eager_layer_s = eager.eager_layer_s;
        own.eager_expert_layer_s = eager.eager_expert_layer_s;
        own.rl_sequence_s = eager.rl_sequence_s;
    }
    for own in [&mut efficiency.sglang, &mut efficiency.tensorrt_llm] {
        own.wake_s = efficiency.vllm.wake_s;
    }
    efficiency
}

/// The logarithms of the values in use.
pub(crate) fn logs(parameters: &[Parameter], efficiency: &Efficiency) -> Vec<f64> {
    parameters.iter().map(|parameter| parameter.get(efficiency).ln()).collect()
}

/// The expected values' logarithms.
pub(crate) fn priors(parameters: &[Parameter]) -> Vec<f64> {
    parameters.iter().map(|parameter| parameter.prior.ln()).collect()
}
