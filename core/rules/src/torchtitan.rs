//! torchtitan 0.2.2: pre-training on FSDP2 or plain data parallelism, of models that it carries itself.

use super::asked::Asked;
use super::optimizer;
use super::rule::{Rule, all, backends, divides, must, precisions, when};
use super::shared::{ACTIVATIONS_STAY, KEYS_BY_TP, MOVED_TOGETHER, NO_IMAGES, NO_ULYSSES, WHOLE_NODES, WHOLE_PASSES};
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::Shape;
use shardwise_question::complete::{folds, splits_backward};
use shardwise_question::plan::{Layout, Modules, Recompute};
use shardwise_question::wire::AttentionKernel as Kernel;
use shardwise_question::wire::Backend::{self, Ddp, Fsdp};
use shardwise_question::wire::PipelineSchedule;
use shardwise_question::wire::Precision::{Bf16, Fp8, Mxfp8};
use shardwise_question::wire::WorkloadKind::Pretrain;

/// A model that torchtitan carries (`torchtitan/models/*/__init__.py` of 0.2.2).
pub struct Flavor {
    /// `model.name`.
    pub model: &'static str,
    /// `model.flavor`.
    pub flavor: &'static str,
    /// Hidden size, layers, heads, width of the MLP or of one expert, experts, vocabulary.
    size: [u64; 6],
    /// Whether its attention is flex attention, which context parallelism does not split.
    flex: bool,
}

impl Flavor {
    /// Whether its attention keeps joined documents apart: its flex attention has a mask of blocks, but gpt-oss's.
    pub fn separates(&self) -> bool {
        self.flex && self.model != "gpt_oss"
    }
}

const fn flavor(model: &'static str, flavor: &'static str, size: [u64; 6], flex: bool) -> Flavor {
    Flavor { model, flavor, size, flex }
}

const FLAVORS: &[Flavor] = &[
    flavor("llama3", "8B", [4096, 32, 32, 14336, 0, 128_256], false),
    flavor("llama3", "70B", [8192, 80, 64, 28672, 0, 128_256], false),
    flavor("llama3", "405B", [16384, 126, 128, 53248, 0, 128_256], false),
    flavor("llama4", "17bx16e_irope", [5120, 48, 40, 8192, 16, 202_048], true),
    flavor("llama4", "17bx128e_irope", [5120, 48, 40, 8192, 128, 202_048], true),
    flavor("qwen3", "0.6B", [1024, 28, 16, 3072, 0, 151_936], false),
    flavor("qwen3", "1.7B", [2048, 28, 16, 6144, 0, 151_936], false),
    flavor("qwen3", "4B", [2560, 36, 32, 9728, 0, 151_936], false),
    flavor("qwen3", "8B", [4096, 36, 32, 12288, 0, 151_936], false),
    flavor("qwen3", "14B", [5120, 40, 40, 17408, 0, 151_936], false),
    flavor("qwen3", "32B", [5120, 64, 64, 25600, 0, 151_936], false),
    flavor("qwen3", "30B-A3B", [2048, 48, 32, 768, 128, 151_936], false),
    flavor("qwen3", "235B-A22B", [4096, 94, 64, 1536, 128, 151_936], false),
    flavor("deepseek_v3", "16B", [2048, 27, 16, 1408, 64, 102_400], true),
    flavor("deepseek_v3", "236B", [5120, 60, 128, 1536, 160, 102_400], true),
    flavor("deepseek_v3", "671B", [7168, 61, 128, 2048, 256, 129_280], true),
    flavor("gpt_oss", "20b", [2880, 24, 64, 2880, 32, 201_088], true),
    flavor("gpt_oss", "120b", [2880, 36, 64, 2880, 128, 201_088], true),
];

/// torchtitan's own configuration of a shape, where it has one.
pub fn flavor_of(shape: &Shape) -> Option<&'static Flavor> {
    let width = if shape.num_experts > 0 { shape.moe_intermediate_size } else { shape.intermediate_size };
    let size = [
        shape.hidden_size,
        shape.num_hidden_layers,
        shape.num_attention_heads,
        width,
        shape.num_experts,
        shape.vocab_size,
    ];
    let known = FLAVORS.iter().find(|known| known.size == size);
    known.filter(|_| shape.indexer_heads == 0 && !shape.attn_output_gate)
}

/// The flavor of a name that torchtitan has, whatever kernel its attention takes: `8B_flex` is `8B`, `17bx16e` is
/// `17bx16e_irope`.
pub fn flavor_called(model: &str, flavor: &str) -> Option<&'static Flavor> {
    let plain = |name: &str| {
        let mut name = name.to_ascii_lowercase().replace('_', "-");
        for ending in ["-attn", "-flex", "-varlen", "-irope"] {
            if let Some(start) = name.strip_suffix(ending) {
                name.truncate(start.len());
            }
        }
        name
    };
    // `llama3_ft` is the same under fault tolerance, `simple_fsdp.llama3` under another kind of FSDP.
    let model = model.rsplit(['.', '/']).next().unwrap_or_default();
    let model = model.strip_suffix("_ft").unwrap_or(model);
    let mut own = FLAVORS.iter().filter(|own| own.model == model);
    own.find(|own| plain(own.flavor) == plain(flavor))
}

/// GPUs that shard the weights, and copies of such a group: torchtitan shards over context parallelism too.
/// `None` where the shard group does not hold whole context-parallel groups.
pub fn shards(layout: &Layout, gpus: u32) -> Option<(u32, u32)> {
    if layout.backend == Backend::Ddp {
        return Some((1, gpus));
    }
    let (group, cp) = (layout.shard_group, layout.context_parallel.max(1));
    let shard = group.checked_div(cp).filter(|shard| *shard > 0)?;
    group.is_multiple_of(cp).then(|| (shard, layout.data_parallel(gpus) / shard))
}

/// What torchtitan refuses, or accepts and ignores.
pub(crate) static RULES: &[Rule] = &[
    must("workload.kind", |a| a.workload.kind == Pretrain)
        .or("torchtitan 0.2.2 pre-trains and has no other task. Choose pretrain, or take veRL's or DeepSpeed's flags."),
    must("model", |a| flavor_of(a.shape).is_some())
        .or_only("torchtitan 0.2.2 carries its own models: Llama 3 8B, 70B and 405B, Llama 4, Qwen3, DeepSeek-V2 and V3, gpt-oss. Choose one, or add a flavor to torchtitan."),
    backends(&[Fsdp, Ddp])
        .or("torchtitan trains with FSDP2 or plain data parallelism. Set the backend to fsdp."),
    WHOLE_NODES,
    must("workload.packing", |a| a.workload.packing || !a.workload.varies())
        .or("torchtitan joins documents until a sequence is full. Set packing to true."),
    all(PARALLEL),
    must("plan.max_tokens_per_gpu", |a| !a.counts_tokens())
        .or("torchtitan counts sequences. Give micro_batch instead."),
    when(|a| a.pp > 1, &[Rule::Odd(no_pipeline)]),
    when(|a| !a.counts_tokens(), &[WHOLE_PASSES, when(|a| a.pp > 1, PIPELINE)]),
    all(optimizer::TORCHTITAN),
    all(PRECISION),
    all(MEMORY),
    NO_IMAGES,
];

static PARALLEL: &[Rule] = &[
    NO_ULYSSES.or("torchtitan splits sequences by context parallelism. Set ulysses_parallel to 1."),
    must("plan.sequence_parallel", |a| a.tp == 1 || a.layout.sequence_parallel)
        .or("torchtitan's tensor parallelism splits the norms too. Set sequence_parallel to true."),
    Rule::Odd(flex_attention),
    // `attn_type` of a flavor, sdpa or flex, which no key changes.
    must("plan.attention_kernel", |a| matches!(a.layout.attention_kernel, None | Some(Kernel::Sdpa)))
        .or("torchtitan's flavors attend by PyTorch's own kernels. Set it to sdpa, or leave it out."),
    KEYS_BY_TP,
    // distributed/parallel_dims.py, seq_len_divisor.
    divides("workload.sequence_length", |a| (a.tp * a.cp * 2, a.workload.sequence_length))
        .or("{length} tokens are no multiple of 2 × TP {tp} × CP {cp}."),
    must("plan.backend", |a| !a.is(Ddp) || (a.tp == 1 && a.cp == 1 && a.pp == 1 && a.ep == 1))
        .or("torchtitan's plain data parallelism goes with no other. Set the backend to fsdp."),
    must("plan.shard_group", |a| shards(a.layout, a.job.hardware.gpus).is_some())
        .or("A shard group holds whole context-parallel groups. Give a multiple of {cp}."),
    // distributed/parallel_dims.py: experts take ranks of data, context and tensor parallelism.
    when(
        |a| a.shape.num_experts > 0 && a.ep == 1,
        &[must("plan.expert_tensor_parallel", |a| a.etp == a.tp)
            .or("Without expert parallelism torchtitan splits experts as all else. Set it to {tp}.")],
    ),
    when(
        |a| a.shape.num_experts > 0 && a.ep != 1,
        &[
            must("plan.expert_tensor_parallel", |a| a.etp == 1 || a.etp == a.tp)
                .or("torchtitan splits experts by all of TP or not at all. Set it to 1 or {tp}."),
            divides("plan.expert_parallel", |a| (a.ep * a.etp, a.group * a.tp))
                .or("{whole} ranks of a shard group are no multiple of EP {ep} × ETP {etp}."),
        ],
    ),
];

fn flex_attention(a: &Asked, broken: &mut Vec<InputError>) {
    if let Some(own) = flavor_of(a.shape).filter(|own| own.flex && a.cp > 1) {
        let says =
            "torchtitan's {model} {flavor} runs flex attention, which context parallelism does not split. Set it to 1.";
        broken.push(a.refusal("plan.context_parallel", says, &[("model", own.model), ("flavor", own.flavor)]));
    }
}

static PIPELINE: &[Rule] = &[
    // distributed/pipeline_parallel.py counts stages from layers per stage.
    must("plan.virtual_pipeline", |a| {
        let (layers, chunks) = (a.shape.num_hidden_layers, a.all_chunks());
        a.layout.virtual_pipeline == 1 || layers.div_ceil(layers.div_ceil(chunks).max(1)) == chunks
    })
    .or("{layers} layers do not fill {all_chunks} chunks of torchtitan's. Set it to 1."),
    // torch/distributed/pipelining/schedules.py: 1F1B fills its stages, interleaved ones run whole rounds.
    must("plan.micro_batch", |a| a.layout.virtual_pipeline > 1 || a.passes() >= a.pp)
        .or("{passes} micro-batches do not fill {pp} stages. Lower it or pipeline_parallel."),
    when(
        |a| a.layout.virtual_pipeline > 1 && !folds(a.layout),
        &[divides("plan.virtual_pipeline", |a| ((a.passes() / a.pp).max(1), a.passes()))
            .or("{whole} micro-batches are no whole rounds of {pp} stages.")],
    ),
    // Its `ScheduleDualPipeV.__init__`.
    must("plan.pipeline_schedule", |a| {
        a.layout.pipeline_schedule != Some(PipelineSchedule::DualPipeV) || a.passes() >= a.all_chunks()
    })
    .or("DualPipeV takes as many micro-batches as there are chunks, {all_chunks}, and there are {passes}. Lower the micro-batch, or set it to zbv_zero_bubble."),
    // _check_torch_compile_compatibility of the same; each layer is compiled under asynchronous tensor parallelism, mxfp8 and fp8.
    when(
        |a| a.layout.pipeline_schedule.is_some_and(splits_backward),
        &[must("plan.overlap.tensor_parallel", |a| a.tp == 1 || !a.layout.overlap.tensor_parallel)
            .or("torchtitan's asynchronous tensor parallelism needs compiled layers, which this pipeline_schedule does not go with. Set it to false.")],
    ),
];

fn no_pipeline(a: &Asked, broken: &mut Vec<InputError>) {
    if let Some(own) = flavor_of(a.shape).filter(|own| matches!(own.model, "qwen3" | "gpt_oss")) {
        let says = "torchtitan has no pipeline for {model}. Set it to 1.";
        broken.push(a.refusal("plan.pipeline_parallel", says, &[("model", own.model)]));
    }
}

static PRECISION: &[Rule] = &[
    precisions(&[Bf16, Fp8, Mxfp8]).or("torchtitan trains in bf16, fp8 or mxfp8. Choose one of these."),
    must("workload.precision", |a| a.workload.precision != Fp8 || a.has(8.9))
        .or("torchtitan's fp8 needs Ada, Hopper or Blackwell. Choose bf16."),
    must("workload.precision", |a| a.workload.precision != Mxfp8 || a.has(10.0))
        .or("torchtitan's mxfp8 needs Blackwell. Choose bf16 or fp8."),
    must("plan.tensor_parallel", |a| a.workload.precision != Mxfp8 || a.tp == 1)
        .or("torchtitan compiles no mxfp8 under tensor parallelism. Set it to 1, or choose fp8."),
    must("workload.precision", |a| {
        let narrow = matches!(a.workload.precision, Fp8 | Mxfp8);
        !(narrow && (a.pp > 1 || a.cp > 1) && a.shape.num_experts > 0)
    })
    .or("torchtitan's experts compute in 8 bits without pipeline and context parallelism only. Choose bf16."),
];

static MEMORY: &[Rule] = &[
    must("plan.zero_stage", |a| !a.is(Fsdp) || matches!(a.layout.zero_stage, 2 | 3))
        .or("torchtitan shards weights (3), or gathers them once a pass (2). Set zero_stage to 3."),
    MOVED_TOGETHER.or("torchtitan moves weights, gradients and optimizer together. Offload all three, or none."),
    must("plan.offload", |a| !a.layout.offload.optimizer || a.is(Fsdp))
        .or("torchtitan offloads under FSDP only. Set the backend to fsdp."),
    ACTIVATIONS_STAY.or("torchtitan keeps activations on the GPU. Use recompute instead."),
    must("plan.recompute", |a| !matches!(a.layout.recompute, Recompute::Selective(own) if own != Modules::CORE_ATTN))
        .or("torchtitan chooses what to recompute by operation, not by module. Set it to selective, full or none."),
];
