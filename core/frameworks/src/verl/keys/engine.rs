//! Keys of a training engine and its optimizer: every role has them, under prefixes of its own.

use super::common::{KERNELS, Keys, OBJECTIVE, PATH, SHAPE};
use crate::binding::Form::{Flag, Size};
use crate::binding::Meaning::{Field, Ignored, Plan, Removed, Taken, Unmodelled};
use crate::binding::{At, Meaning, Row, Said, row, says, switch, when};
use crate::emit::optimizer::{keeps, kept_moments};
use crate::emit::words::plural;
use crate::emit::{kernel, megatron};
use shardwise_question::plan::Layout;
use shardwise_question::wire::{Attention, Optimizer, Precision, TokenDispatcher};

const STAGES: Meaning = Unmodelled("the estimate splits layers as evenly as they go");

/// Whether FSDP's moments are Adam's in 8 bits, as the plan says by name or by bytes.
fn eight_bit(at: &At) -> bool {
    at.fsdp().is_some_and(|layout| match layout.optimizer.kind {
        Optimizer::Adamw8bit => true,
        own => own == Optimizer::Adamw && (1.5..3.0).contains(&layout.optimizer_bytes),
    })
}

/// The optimizer that FSDP imports, and from where; nothing where it is PyTorch's `AdamW`.
fn imported(at: &At) -> Option<(&'static str, &'static str)> {
    let own = at.fsdp()?.optimizer;
    match own.kind {
        _ if eight_bit(at) => Some(("AdamW8bit", "torchao.optim")),
        Optimizer::Adamw if own.bf16_stochastic_round => Some(("_AdamW", "torchao.optim")),
        Optimizer::Sgd => Some(("SGD", "torch.optim")),
        _ => None,
    }
}

/// Megatron's optimizer, where it is not Adam.
fn other<'a>(at: &At<'a>) -> Option<&'a Layout> {
    at.megatron().filter(|layout| layout.optimizer.kind != Optimizer::Adamw)
}

/// Whether FSDP's shards are in 16 bits, and gradients and moments with them.
fn half_shards(layout: &Layout) -> bool {
    (layout.master_weights_bytes - 2.0).abs() <= 0.5
}

/// Share of Megatron's optimizer that steps in host memory; outside of RL no phases move its states.
fn away(at: &At) -> f64 {
    at.megatron()
        .map_or(0.0, |layout| megatron::stepped_on_host(layout, at.rl().is_some()))
}

/// Whether Megatron's moments and gradients are in bf16, as the plan says and veRL 0.9.1 has it: for steps in bf16, on
/// the GPU (`utils/megatron/optimizer.py`).
fn bf16_states(at: &At) -> [bool; 2] {
    let Some(layout) = at.megatron() else {
        return [false; 2];
    };
    let adam = layout.optimizer.kind == Optimizer::Adamw;
    let can = adam && layout.zero_stage >= 1 && at.job().workload.precision != Precision::Fp16 && away(at) == 0.0;
    [(layout.optimizer_bytes, 4.0), (layout.gradient_bytes, 2.0)]
        .map(|(bytes, half)| can && (bytes - half).abs() <= 0.5)
}

/// Bytes per parameter of master weights, gradients and moments that veRL keeps with these keys.
pub(in crate::verl) fn state_bytes(at: &At) -> [f64; 3] {
    let layout = at.layout;
    if at.megatron().is_some() {
        let [moments, gradients] = bf16_states(at);
        let moments = kept_moments(at.emission, layout, if moments { 4.0 } else { 8.0 });
        return [4.0, if gradients { 2.0 } else { 4.0 }, moments];
    }
    let [master, gradients, moments] = match (half_shards(layout), at.lora().is_some()) {
        (true, false) => [2.0, 2.0, 4.0],
        // PEFT keeps adapters in fp32 beside a base model in 16 bits (`autocast_adapter_dtype`).
        (true, true) => [2.0, 4.0, 8.0],
        (false, _) => [4.0, 4.0, 8.0],
    };
    [master, gradients, kept_moments(at.emission, layout, if eight_bit(at) { 2.0 } else { moments })]
}

/// What an engine computes in.
const DTYPE: Row = row("dtype", Field("workload.precision"), |at| {
    when(at.job().workload.precision == Precision::Fp16, "float16", "computes in fp16, from your question")
});

/// What leaves the GPU between the phases of a step.
const PARAM_OFFLOAD: Row = row("param_offload", Plan("offload.parameters offload.gradients"), |at| {
    at.rl()?;
    switch(
        at.layout.offload.parameters,
        "weights and gradients are in host memory outside their phases",
        "weights and gradients stay on the GPUs: moving them takes time",
    )
});
const OPTIMIZER_OFFLOAD: Row = row("optimizer_offload", Plan("offload.optimizer"), |at| {
    at.rl()?;
    switch(
        at.layout.offload.optimizer,
        "optimizer states are in host memory outside the update",
        "optimizer states stay on the GPUs: moving them takes time",
    )
});

/// `….fsdp_config.`, `critic.fsdp.`, and `engine.` where the engine is FSDP.
pub(in crate::verl) const FSDP: &[Row] = &[
    row("fsdp_size", Plan("shard_group"), |at| match at.layout.shard_group {
        group if group >= at.gpus() => says(-1, format!("shards over all {}", plural(at.gpus().into(), "GPU", "GPUs"))),
        group => says(group, format!("shards within {group} GPUs, replicas beyond")),
    }),
    row("reshard_after_forward", Plan("zero_stage"), |at| {
        switch(
            at.layout.zero_stage == 3,
            "ZeRO-3: each layer's weights are gathered when needed",
            "ZeRO-2: the weights stay gathered between forward and backward",
        )
    }),
    row("use_no_sync_for_gradient_accumulation", Plan("sync_each_batch"), |at| {
        when(!at.layout.sync_each_batch, "True", "gradients stay whole until a step's last pass, as the plan says")
    }),
    row("ulysses_sequence_parallel_size", Plan("ulysses_parallel"), |at| match at.layout.ulysses_parallel {
        1 => says(1, "sequences stay whole"),
        sp => says(sp, format!("{sp} GPUs split each sequence; divides {} heads", at.shape.num_attention_heads)),
    }),
    row("model_dtype", Plan("master_weights_bytes"), |at| match (half_shards(at.layout), at.lora().is_some()) {
        (true, false) => says("bf16", "no fp32 copy, as the plan says: gradients and moments are in 16 bits too"),
        (true, true) => says("bf16", "the frozen base model in 16 bits; adapters are in fp32 all the same"),
        (false, _) => says("fp32", "fp32 shards are the master weights"),
    }),
    DTYPE,
    PARAM_OFFLOAD,
    OPTIMIZER_OFFLOAD,
    row("offload_policy", Plan("offload.parameters offload.gradients offload.optimizer"), |at| match at.rl() {
        Some(_) => None,
        None => whole_offload(at),
    }),
];

/// Whether everything is in host memory, where no phases move it.
pub(super) fn whole_offload(at: &At) -> Option<Said> {
    switch(
        at.layout.offload.parameters,
        "weights, gradients and optimizer live in host memory; costs PCIe traffic every step",
        "weights, gradients and optimizer stay on the GPUs",
    )
}

pub(super) const FSDP_READ: Keys = &[
    ("grad_offload", Removed("0.4.0", "param_offload moves the gradients too. Leave it out.")),
    ("mixed_precision.*", Unmodelled("the estimate computes in workload.precision and reduces in fp32")),
    ("strategy", Plan("backend")),
    ("forward_prefetch", Ignored("the estimate gathers the next layer beside the last")),
    ("use_orig_params", Ignored("how parameters are kept")),
    ("wrap_policy.*", Ignored("the estimate wraps each layer")),
    ("use_torch_compile", Ignored("the estimate's kernels are compiled ones")),
    ("full_determinism", Unmodelled("the estimate's kernels are the quick ones")),
    ("pad_to_length*", Unmodelled("the estimate pads nothing where sequences are packed")),
    ("entropy_*", Ignored("size of a chunk of the loss")),
    ("forward_only", Ignored("the role says it")),
    ("turbo_config.*", Unmodelled("the estimate has FSDP2 for it")),
    ("seed", OBJECTIVE),
    ("qat.*", Unmodelled("the estimate trains without simulated quantisation")),
];

/// `….megatron.`, and `engine.` where the engine is Megatron; what is split across GPUs is Megatron's own.
pub(in crate::verl) const CHUNKS: &[Row] =
    &[row("virtual_pipeline_model_parallel_size", Taken("virtual_pipeline", Size), |at| {
        match at.layout.virtual_pipeline {
            chunks @ 2.. => says(chunks, format!("chunks per stage: the bubble shrinks {chunks} times")),
            _ => says("null", "one chunk per stage"),
        }
    })];

pub(in crate::verl) const OFFLOAD: &[Row] = &[PARAM_OFFLOAD, OPTIMIZER_OFFLOAD];

pub(in crate::verl) const MEGATRON: &[Row] = &[
    row("use_remove_padding", Field("workload.packing"), |at| {
        when(!at.job().workload.packing, "False", "padded sequences, from your question")
    }),
    row("++override_ddp_config.overlap_grad_reduce", Plan("overlap.gradients"), |at| {
        when(
            at.layout.overlap.gradients && at.layout.data_parallel(at.gpus()) > 1,
            "True",
            "gradients are reduced beside the backward pass; overlap_param_gather stays off: it gathers updated weights in the next forward pass, and veRL hands them on before that",
        )
    }),
];

/// `….megatron.override_transformer_config.`, which Megatron's `TransformerConfig` is made of.
pub(in crate::verl) const TRANSFORMER: &[Row] = &[
    row("num_layers_in_last_pipeline_stage", STAGES, |at| {
        let (last, reason) = megatron::uneven_last_stage(at.shape.num_hidden_layers, at.layout.pipeline_parallel)?;
        says(last, reason)
    }),
    row("attention_backend", Plan("attention_kernel attention"), |at| {
        if at.layout.attention == Attention::Unfused {
            return says("unfused", "from your plan; flash is faster");
        }
        // `trainer/config/engine/megatron.yaml` has flash.
        let word = kernel::stated(at.job(), at.layout, kernel::megatron, Some("flash"))?;
        let newest = "from the plan: the newest FlashAttention that is installed";
        says(word, if word == "flash" { newest } else { "from the plan" })
    }),
    row("apply_rope_fusion", Taken("apply_rope_fusion", Flag(true)), |at| {
        let fused = at.megatron()?.switches.apply_rope_fusion;
        // Latents and images carry positions of other kinds, which the fused kernel does not turn in every version.
        let plain = !at.shape.is_mla() && at.shape.vision.is_none();
        if fused && !plain {
            return None;
        }
        switch(
            fused,
            "one kernel turns queries and keys by their positions; off, each packed sequence has its own",
            "off, as the plan says",
        )
    }),
    row("moe_enable_deepep", DISPATCHER, |at| {
        let deepep = at.layout.switches.moe_token_dispatcher == Some(TokenDispatcher::Deepep);
        when(deepep, "True", megatron::DEEPEP)
    }),
    row("moe_flex_dispatcher_backend", DISPATCHER, |at| {
        let hybrid = at.layout.switches.moe_token_dispatcher == Some(TokenDispatcher::Hybridep);
        when(hybrid, "hybridep", megatron::HYBRIDEP)
    }),
    row("moe_token_dispatcher_type", DISPATCHER, |at| match at.layout.switches.moe_token_dispatcher? {
        TokenDispatcher::Deepep => says("flex", "the one that has DeepEP"),
        TokenDispatcher::Hybridep => says("flex", "the one that has HybridEP"),
        TokenDispatcher::Alltoall => says("alltoall", "NCCL's, from the plan"),
    }),
    row("moe_permute_fusion", KERNELS, |at| {
        when(at.shape.num_experts > 0, "True", "one kernel sorts the tokens by expert")
    }),
    row("fp8", Field("workload.precision"), |at| {
        let fp8 = matches!(at.job().workload.precision, Precision::Fp8 | Precision::Mxfp8);
        when(fp8, "e4m3", "matrix products in fp8, from your question")
    }),
    row("fp8_recipe", Field("workload.precision"), |at| match at.job().workload.precision {
        Precision::Fp8 => says("blockwise", "one scale per block"),
        Precision::Mxfp8 => says("mxfp8", "one scale per 32 values"),
        _ => None,
    }),
];

/// What sends tokens to their experts.
const DISPATCHER: Meaning = Plan("moe_token_dispatcher");

pub(in crate::verl) const MEGATRON_DTYPE: &[Row] = &[DTYPE];

pub(super) const MEGATRON_READ: Keys = &[
    ("grad_offload", Removed("0.9.1", "param_offload moves the gradients too. Leave it out.")),
    ("override_ddp_config.overlap_param_gather", Plan("overlap.parameters")),
    ("override_ddp_config.grad_reduce_in_fp32", Unmodelled("the estimate's gradient_bytes are the backend's own")),
    ("override_ddp_config.*", Unmodelled("the estimate's gradients are reduced as the backend's own do")),
    ("override_mcore_model_config*", Unmodelled("the model's shape is the catalog's")),
    ("override_ddp_config|override_transformer_config", Unmodelled("write its keys one by one, which are read")),
    (
        "use_mbridge|vanilla_mbridge|use_dist_checkpointing|dist_checkpointing_path|dist_checkpointing_prefix|\
         dist_ckpt_*|distrib_optim_*",
        PATH,
    ),
    ("use_megatron_fsdp", Unmodelled("the estimate's Megatron shards optimizer states alone")),
    ("dynamic_context_parallel|max_seqlen_per_dp_cp_rank", Unmodelled("the estimate splits every sequence alike")),
    ("pad_to_length*", Unmodelled("the estimate pads nothing where sequences are packed")),
    ("pad_bshd_to_minibatch_max", Unmodelled("the estimate pads to the longest")),
    ("entropy_*", Ignored("size of a chunk of the loss")),
    ("forward_only", Ignored("the role says it")),
    ("router_replay.*", Ignored("which experts are taken")),
    ("seed", OBJECTIVE),
    ("qat.*", Unmodelled("the estimate trains without simulated quantisation")),
];

pub(super) const TRANSFORMER_READ: Keys = &[
    ("overlap_moe_expert_parallel_comm", Taken("overlap_moe_expert_parallel_comm", Flag(false))),
    ("moe_shared_expert_overlap", Unmodelled("the estimate runs shared experts by themselves")),
    (
        "num_layers_in_first_pipeline_stage|account_for_loss_in_pipeline_split|account_for_embedding_in_pipeline_split|\
         pipeline_model_parallel_layout",
        STAGES,
    ),
    (
        "moe_grouped_gemm|moe_router_dtype|masked_softmax_fusion|bias_activation_fusion|\
         bias_dropout_fusion|gradient_accumulation_fusion|persist_layer_norm|use_flash_attn|use_fused_*|\
         use_naive_l2norm|apply_dsa_kernel_fusion",
        KERNELS,
    ),
    (
        "moe_aux_loss_coeff|moe_z_loss_coeff|moe_router_*|attention_dropout|hidden_dropout|use_arbitrary_attention_mask",
        OBJECTIVE,
    ),
    (
        "tensor_model_parallel_size|context_parallel_size|sequence_parallel|use_distributed_optimizer",
        Ignored("the engine's key of that name says it"),
    ),
    ("context_parallel_algo", Unmodelled("the estimate's context parallelism sends keys and values around a ring")),
    ("swiglu|normalization|multi_latent_attention", SHAPE),
    ("deallocate_pipeline_outputs", Ignored("a little memory of a pipeline")),
];

/// `….optim.`, whose states each backend keeps its own way.
pub(in crate::verl) const OPTIM: &[Row] = &[
    row("optimizer", Plan("optimizer"), |at| {
        if let Some(layout) = other(at) {
            let word = if layout.optimizer.kind == Optimizer::Muon { "muon" } else { "sgd" };
            return says(word, keeps(layout.optimizer.kind));
        }
        let reason = if eight_bit(at) { "moments in 8 bits, as the plan says" } else { "from the plan" };
        says(imported(at)?.0, reason)
    }),
    row("optimizer_impl", Plan("optimizer"), |at| says(imported(at)?.1, "where that optimizer is")),
    row("use_layer_wise_distributed_optimizer", Plan("zero_stage"), |at| {
        let apart = other(at).is_some_and(|own| own.optimizer.kind == Optimizer::Muon && own.zero_stage >= 1);
        when(apart, "True", "Muon shards whole layers")
    }),
    row("use_precision_aware_optimizer", Plan("optimizer_bytes"), |at| {
        when(bf16_states(at).contains(&true), "True", "the one that keeps states in bf16")
    }),
    row("exp_avg_dtype", Plan("optimizer_bytes"), bf16_moments),
    row("exp_avg_sq_dtype", Plan("optimizer_bytes"), bf16_moments),
    row("main_grads_dtype", Plan("gradient_bytes"), |at| {
        let [_, gradients] = bf16_states(at);
        when(gradients, "bf16", "gradients of 2 bytes, from the plan")
    }),
    row("++override_optimizer_config.bf16_stochastic_round", Plan("bf16_stochastic_round"), |at| {
        let chance = at.fsdp().is_some_and(|layout| layout.optimizer.bf16_stochastic_round);
        when(chance, "True", "what is written into 16 bits is rounded by chance, as the plan says")
    }),
    row("++override_optimizer_config.sgd_momentum", Plan("optimizer_bytes"), |at| {
        let sgd = other(at).is_some_and(|own| own.optimizer.kind == Optimizer::Sgd);
        when(sgd, "0.0", "none is kept, as the plan says")
    }),
    row("++override_optimizer_config.optimizer_cpu_offload", Plan("optimizer_offload_fraction"), |at| {
        when(away(at) > 0.0, "True", "the optimizer steps in host memory")
    }),
    row("++override_optimizer_config.optimizer_offload_fraction", Plan("optimizer_offload_fraction"), |at| {
        let (fraction, reason) = Some(away(at)).filter(|away| *away > 0.0).map(megatron::offload_fraction)?;
        says(fraction, reason)
    }),
    row("++override_optimizer_config.use_precision_aware_optimizer", Plan("optimizer_offload_fraction"), |at| {
        when(away(at) > 0.0, "True", "needed by the two above")
    }),
];

fn bf16_moments(at: &At) -> Option<Said> {
    let [moments, _] = bf16_states(at);
    when(moments, "bf16", "moments of 2 bytes, from the plan")
}

pub(super) const OPTIM_READ: Keys = &[
    (
        "override_optimizer_config.overlap_cpu_optimizer_d2h_h2d",
        Unmodelled("the estimate moves gradients and weights before and after the optimizer's step"),
    ),
    (
        "override_optimizer_config*|use_layer_wise_param_layout",
        Unmodelled("the estimate's optimizer keeps what its name says"),
    ),
    (
        "lr*|min_lr*|warmup_*|weight_decay*|betas|clip_grad|muon_*|num_cycles|zero_indexed_step|total_training_steps|\
         use_checkpoint_opt_param_scheduler",
        OBJECTIVE,
    ),
    ("master_weights|store_param_remainders", Unmodelled("state plan.master_weights_bytes")),
];
