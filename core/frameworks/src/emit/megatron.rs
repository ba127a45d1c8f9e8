//! Keys that Megatron's users share: veRL, ChatLearn and Megatron-Bridge spell them alike, under prefixes of their own.

use super::Emission;
use super::choices::kept_reason;
use super::optimizer::keeps;
use super::text::{Section, flag, list, rendezvous};
use super::words::{amount, figure, plural};
use crate::binding::Form::Size;
use crate::binding::Meaning::{Plan, Taken};
use crate::binding::{At, Row, row, say, says, switch, when};
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Recompute, Switches};
use shardwise_question::wire::{CudaGraphs, Optimizer, Precision, RecomputeModule, TokenDispatcher};
use shardwise_question::workload::Workload;
use shardwise_rules::optimizer::{self as named, distributed};
use shardwise_rules::{last_stage, machines};

/// Why `overlap_moe_expert_parallel_comm` is set.
pub(super) const EXPERTS_OVERLAP: &str = "the experts' exchanges run beside another micro-batch's computation";
/// Whose fused loss: `validate_args` of Megatron-LM 0.19.2 refuses Transformer Engine's, and `ModelParallelConfig` warns of it.
pub(super) const NATIVE_LOSS: &str = "Megatron's own; Transformer Engine's is known to be unstable";

/// Why `moe_enable_deepep` is set, or `moe_flex_dispatcher_backend`, its name of late.
pub(crate) const DEEPEP: &str = "DeepEP sends tokens to their experts, from the plan";
/// Why `moe_flex_dispatcher_backend` is.
pub(crate) const HYBRIDEP: &str = "HybridEP sends tokens to their experts, from the plan";

/// `moe_token_dispatcher_type` of frameworks that dispatch by all-to-all where nothing else is said, and whether `DeepEP` does it.
pub(super) fn dispatcher(switches: Switches) -> (&'static str, bool) {
    let backend = flex_backend(switches);
    let deepep = switches.moe_token_dispatcher == Some(TokenDispatcher::Deepep);
    (if backend.is_some() { "flex" } else { "alltoall" }, deepep)
}

/// Why the dispatcher is set that [`dispatcher`] names. A plan that leaves it open is estimated with one that sends each token once to a
/// node, where experts are on several: the text names what everybody has, and a note says what that costs.
pub(super) fn dispatches(emission: &Emission) -> &'static str {
    let open = emission.answer.caveats.iter().any(|own| own.id == "dispatcher-open");
    if open { "NCCL's, which everybody has; estimated is flex, see the note" } else { "tokens travel to their experts" }
}

/// `moe_flex_dispatcher_backend`, and why it is set, where the dispatcher is the flexible one.
pub(crate) fn flex_backend(switches: Switches) -> Option<(&'static str, &'static str)> {
    match switches.moe_token_dispatcher? {
        TokenDispatcher::Alltoall => None,
        TokenDispatcher::Deepep => Some(("deepep", DEEPEP)),
        TokenDispatcher::Hybridep => Some(("hybridep", HYBRIDEP)),
    }
}

/// `cuda_graph_impl` and `cuda_graph_scope` of a plan whose steps graphs replay.
pub(super) fn graphs(switches: Switches) -> Option<(&'static str, &'static [&'static str])> {
    match switches.cuda_graphs {
        CudaGraphs::None => None,
        CudaGraphs::Partial => Some(("transformer_engine", &["attn", "moe_router", "moe_preprocess"])),
        CudaGraphs::Full => Some(("full_iteration", &[])),
    }
}

/// How tokens travel to their experts, where the plan says so: at one key the dispatcher, at another whether it is `DeepEP`, at the third
/// which else.
pub(super) fn exchange(
    section: &mut Section,
    emission: &Emission,
    [dispatcher_at, deepep_at, backend_at]: [String; 3],
) {
    let switches = emission.plan.layout.switches;
    if emission.job.model.shape.num_experts == 0 || switches.moe_token_dispatcher.is_none() {
        return;
    }
    let (dispatcher, deepep) = dispatcher(switches);
    section.set(dispatcher_at, dispatcher, "tokens travel to their experts");
    if let Some((backend, reason)) = flex_backend(switches).filter(|_| !deepep) {
        section.set(backend_at, backend, reason);
        return;
    }
    let reason = if deepep { DEEPEP } else { "NCCL's all-to-all, from the plan" };
    section.set(deepep_at, flag(deepep), reason);
}

/// Where the optimizer steps, below `optimizer`, and in how many bytes gradients are reduced, below `ddp`.
pub(super) fn states(section: &mut Section, layout: &Layout, [optimizer, ddp]: [&str; 2]) {
    let away = layout.optimizer_offload_fraction;
    let reason = if away > 0.0 { "the optimizer steps in host memory" } else { "the optimizer steps on the GPUs" };
    section.set(format!("{optimizer}optimizer_cpu_offload"), flag(away > 0.0), reason);
    if away > 0.0 {
        let (fraction, reason) = offload_fraction(away);
        section.set(format!("{optimizer}optimizer_offload_fraction"), fraction, reason);
    }
    let wide = layout.gradient_bytes > 3.0;
    let reason = if wide { "gradients take 4 bytes" } else { "gradients take 2 bytes" };
    section.set(format!("{ddp}grad_reduce_in_fp32"), flag(wide), reason);
}

/// Modules of attention as Megatron-Bridge names them, of latent attention too.
pub(super) fn heads(shape: &Shape) -> &'static [&'static str] {
    if shape.is_mla() {
        &[
            "linear_q_proj",
            "linear_q_down_proj",
            "linear_q_up_proj",
            "linear_kv_down_proj",
            "linear_kv_up_proj",
            "linear_proj",
        ]
    } else {
        &["linear_qkv", "linear_proj"]
    }
}

/// What `torchrun` and Megatron are told by the environment.
pub(crate) fn setup(job: &Job) -> Vec<(String, String)> {
    let mut lines = vec![ordered()];
    lines.extend(switched_on(job));
    lines.extend(rendezvous(machines(job)));
    lines
}

/// What Megatron wants set.
pub(crate) fn ordered() -> (String, String) {
    (
        "export CUDA_DEVICE_MAX_CONNECTIONS=1".to_owned(),
        "Megatron orders communication and computation by it".to_owned(),
    )
}

/// What AMD's TransformerEngine wants set for a precision (`check_mxfp8_support` of
/// <https://github.com/ROCm/TransformerEngine/blob/030b79214fa6655f7840669aabef3ae22ad4a587/transformer_engine/pytorch/quantization.py>).
pub(crate) fn switched_on(job: &Job) -> Option<(String, String)> {
    let of_amd = job.hardware.vendor() == Some("amd") && job.workload.precision == Precision::Mxfp8;
    let why = "TransformerEngine computes mxfp8 on AMD's cards with it alone";
    of_amd.then(|| ("export NVTE_ROCM_ENABLE_MXFP8=1".to_owned(), why.to_owned()))
}

/// Why so many GPUs split each matrix.
pub(super) fn tensor_reason(job: &Job, shape: &Shape, tp: u32) -> String {
    let heads = shape.num_attention_heads;
    if tp == 1 {
        "no matrix is split".to_owned()
    } else if tp <= job.hardware.nvlink_domain.max(1) {
        format!("{tp} GPUs of one NVLink domain split each matrix; divides {heads} heads")
    } else {
        format!("{tp} GPUs split each matrix; divides {heads} heads")
    }
}

/// What a pipeline stage holds.
pub(super) fn pipeline_reason(layers: u64, stages: u32) -> String {
    let stages = u64::from(stages.max(1));
    if stages == 1 {
        "no pipeline, no bubble".to_owned()
    } else if layers.is_multiple_of(stages) {
        format!("{} of {layers} layers per stage", layers / stages)
    } else {
        let most = layers.div_ceil(stages);
        format!("{most} of {layers} layers on the fullest stage")
    }
}

/// What a step's samples are, and in how many passes.
pub(super) fn samples_reason(workload: &Workload, micro: u64, ranks: u64) -> String {
    if workload.joins() {
        let held = plural(workload.global_batch, "sequence", "sequences");
        return format!("packs, which hold about {held}");
    }
    let passes = workload.global_batch / micro.saturating_mul(ranks).max(1);
    let passes = plural(passes, "pass", "passes");
    if ranks == 1 { passes } else { format!("{passes} on each of {ranks} ranks") }
}

/// Steps of a run that a question says nothing of.
pub(crate) const YOURS: f64 = 1000.0;

/// Optimizer steps of the run, and why.
pub(super) fn steps(workload: &Workload) -> (f64, String) {
    let per_step = workload.example_length() * workload.global_batch as f64;
    let run = workload.run_steps(per_step).zip(workload.run_tokens(per_step));
    match run.filter(|_| workload.has_run()) {
        None => (YOURS, "steps; yours to choose".to_owned()),
        Some((steps, tokens)) => (steps, format!("{} tokens, from your question", figure(tokens))),
    }
}

/// Optimizer states narrower than fp32 that megatron-core has, each with the name of its type.
pub(super) fn narrow_states(layout: &Layout) -> Vec<(&'static str, &'static str)> {
    let mut out = Vec::new();
    if layout.optimizer.kind != Optimizer::Adamw {
        return out;
    }
    let moments = match layout.optimizer_bytes {
        4.0 => Some("bf16"),
        2.0 => Some("fp8"),
        _ => None,
    };
    if let Some(word) = moments {
        out.extend([("exp_avg_dtype", word), ("exp_avg_sq_dtype", word)]);
    }
    if layout.master_weights_bytes == 2.0 {
        out.push(("main_params_dtype", "fp16"));
    }
    out
}

/// Where the estimate counts other bytes than any setting of megatron-core gives.
pub(super) fn differences(layout: &Layout, name: &str) -> Vec<String> {
    let mut out = Vec::new();
    let states = [
        (layout.optimizer_bytes, &[8.0, 4.0, 2.0][..], "optimizer states"),
        (layout.master_weights_bytes, &[4.0, 2.0], "master weights"),
        (layout.gradient_bytes, &[4.0, 2.0], "gradients"),
    ];
    for (bytes, known, what) in states {
        if layout.optimizer.kind != Optimizer::Adamw && what == "optimizer states" {
            continue;
        }
        if !known.contains(&bytes) {
            let bytes = amount(bytes);
            out.push(format!(
                "the estimate counts {bytes} bytes of {what} per parameter, for which {name} has no setting: it takes its own {}.",
                amount(known[0])
            ));
        }
    }
    if layout.fused_lm_head {
        out.push(format!(
            "{name} has no fused LM head: its logits take memory that the estimate leaves out. Set fused_lm_head to false."
        ));
    }
    out
}

/// How matrices and layers are split.
pub(crate) const MATRICES: &[Row] = &[
    row("tensor_model_parallel_size", Taken("tensor_parallel", Size), |at| {
        let tp = at.layout.tensor_parallel;
        says(tp, tensor_reason(at.job(), at.shape, tp))
    }),
    row("pipeline_model_parallel_size", Taken("pipeline_parallel", Size), |at| {
        let pp = at.layout.pipeline_parallel;
        says(pp, pipeline_reason(at.shape.num_hidden_layers, pp))
    }),
];

/// Context and expert parallelism.
pub(crate) const SHARES: &[Row] = &[
    row("context_parallel_size", Taken("context_parallel", Size), |at| match at.layout.context_parallel {
        1 => says(1, "no sequence is split"),
        cp => says(cp, format!("{cp} GPUs split each sequence")),
    }),
    row("expert_model_parallel_size", Taken("expert_parallel", Size), |at| {
        let (ep, experts) = (at.layout.expert_parallel, experts(at)?);
        says(ep, format!("{} of {experts} experts on each GPU of a group", experts / u64::from(ep.max(1))))
    }),
    row("expert_tensor_parallel_size", Plan("expert_tensor_parallel"), |at| {
        experts(at)?;
        match at.layout.expert_tensor_parallel {
            1 => says(1, "experts stay whole: EP before ETP"),
            etp => says(etp, "each expert is split"),
        }
    }),
];

/// Experts of a layer, where there are some.
fn experts(at: &At) -> Option<u64> {
    Some(at.shape.num_experts).filter(|experts| *experts > 0)
}

/// Sequence parallelism.
pub(crate) const SEQUENCE: &[Row] = &[row("sequence_parallel", Plan("sequence_parallel"), |at| {
    switch(is_sequence_split(at.layout), SEQUENCE_REASON, "only with TP")
})];

/// Whether norms are split over TP too, which takes more than one.
pub(super) fn is_sequence_split(layout: &Layout) -> bool {
    layout.sequence_parallel && layout.tensor_parallel > 1
}

/// Why sequence parallelism is on.
pub(super) const SEQUENCE_REASON: &str = "norms are split over TP too";

/// Whether the optimizer's states are sharded.
pub(crate) const STATES: &[Row] = &[row("use_distributed_optimizer", Plan("zero_stage"), |at| {
    let apart = at.layout.zero_stage >= 1 && at.layout.optimizer.kind == Optimizer::Muon;
    let why_not = if apart { "Muon shards whole layers instead" } else { "every rank keeps all optimizer states" };
    switch(distributed(at.layout), "shards optimizer states over DP", why_not)
})];

/// What steps the weights, where it is not Adam.
pub(super) const OPTIMIZER: &[Row] = &[
    say("optimizer", |at| {
        let own = at.layout.optimizer.kind;
        when(own != Optimizer::Adamw, named::megatron(at.layout), keeps(own))
    }),
    say("sgd_momentum", |at| when(at.layout.optimizer.kind == Optimizer::Sgd, "0.0", "none is kept, as the plan says")),
];

/// What the backward pass computes again.
pub(crate) const RECOMPUTE: &[Row] = &[
    row("recompute_granularity", Plan("recompute"), |at| match at.layout.recompute {
        Recompute::None => says("null", kept_reason(at.emission.answer.fits)),
        Recompute::Full if at.layout.recompute_layers.is_some() => says("full", "some layers again from their input"),
        Recompute::Full => says("full", "each layer again from its input: least memory"),
        Recompute::Selective(_) => says("selective", "less to compute again than whole layers"),
    }),
    row("recompute_method", Plan("recompute"), |at| {
        let (method, reason) = whole_layers(at.layout)?.method;
        says(method, reason)
    }),
    row("recompute_num_layers", Plan("recompute"), |at| {
        let (layers, reason) = whole_layers(at.layout)?.layers;
        says(layers, reason)
    }),
    row("recompute_modules", Plan("recompute"), |at| match at.layout.recompute {
        Recompute::Selective(modules) => {
            says(list(modules.iter().map(module)), "large in memory, quick to compute again")
        }
        _ => None,
    }),
];

/// How whole layers are recomputed, each word with its reason.
pub(super) struct WholeLayers {
    pub(super) method: (&'static str, &'static str),
    pub(super) layers: (u32, &'static str),
}

/// How whole layers are recomputed, where they are.
pub(super) fn whole_layers(layout: &Layout) -> Option<WholeLayers> {
    let (method, layers) = match layout.recompute_layers {
        _ if layout.recompute != Recompute::Full => return None,
        Some(layers) => (("block", "the first layers of each stage"), (layers, "layers of each, from the plan")),
        None => (("uniform", "every layer alike"), (1, "one layer at a time")),
    };
    Some(WholeLayers { method, layers })
}

/// Layers of the last pipeline stage and the reason, where the stages cannot be equal.
pub(crate) fn uneven_last_stage(layers: u64, stages: u32) -> Option<(u64, String)> {
    let uneven = stages > 1 && !layers.is_multiple_of(stages.into());
    let last = last_stage(layers, stages).filter(|_| uneven)?;
    Some((last, format!("{layers} layers do not split evenly into {stages} stages")))
}

/// Megatron's name of a module.
pub(super) fn module(module: RecomputeModule) -> &'static str {
    match module {
        RecomputeModule::CoreAttn => "core_attn",
        RecomputeModule::Mlp => "mlp",
        RecomputeModule::Moe => "moe",
        RecomputeModule::MoeAct => "moe_act",
        RecomputeModule::Layernorm => "layernorm",
        RecomputeModule::MlaUpProj => "mla_up_proj",
        RecomputeModule::SharedExperts => "shared_experts",
    }
}

/// Share of the optimizer that the host's CPUs step; `phases` where states move between phases instead.
pub(crate) fn stepped_on_host(layout: &Layout, phases: bool) -> f64 {
    if layout.offload.optimizer && !phases { 1.0 } else { layout.optimizer_offload_fraction }
}

/// Share of the optimizer that the host steps, as Megatron takes it, and why.
pub(crate) fn offload_fraction(share: f64) -> (String, &'static str) {
    if share < 1.0 { (share.to_string(), "share of it, from the plan") } else { ("1.0".to_owned(), "all of it") }
}
