//! torchtitan 0.3.0: pre-training on FSDP2 or plain data parallelism, of models that it carries itself.
//!
//! Files and lines are those of its wheel (<https://pypi.org/project/torchtitan/0.3.0/>).

use super::optimizer;
use super::rule::{Rule, all, backends, divides, must, precisions, when};
use super::shared::{
    ACTIVATIONS_STAY, DDP_SHARDS_NOTHING, KEYS_BY_TP, MOVED_TOGETHER, NO_IMAGES, NO_ULYSSES, WHOLE_NODES, WHOLE_PASSES,
};
use shardwise_catalog::model::Shape;
use shardwise_question::complete::{folds, splits_backward};
use shardwise_question::plan::{Layout, Modules, Recompute};
use shardwise_question::wire::AttentionKernel as Kernel;
use shardwise_question::wire::Backend::{self, Ddp, Fsdp};
use shardwise_question::wire::PipelineSchedule;
use shardwise_question::wire::Precision::{Bf16, Fp8, Mxfp8};
use shardwise_question::wire::WorkloadKind::Pretrain;

/// A model that torchtitan carries.
pub struct Flavor {
    /// Its folder in `torchtitan/models`, which `--module` names.
    pub model: &'static str,
    /// Its word in the folder's `model_registry`.
    pub flavor: &'static str,
    /// Hidden size, layers, heads, width of the MLP or of one expert, experts, vocabulary.
    size: [u64; 6],
}

const fn flavor(model: &'static str, flavor: &'static str, size: [u64; 6]) -> Flavor {
    Flavor { model, flavor, size }
}

/// `torchtitan/models/*/__init__.py`. Qwen3.5 and Kimi K2.5, which it carries too, read images and text by a loader of their own:
/// they look up `special_tokens` of each batch, images or none (`models/qwen3_5/model.py:873`, `models/kimi_k2_7/model.py:122`), and
/// these are the image loader's alone (`hf_datasets/multimodal/mm_collator.py:361`), which has two data sets and no text of one's own
/// (`mm_datasets.py:270`).
const FLAVORS: &[Flavor] = &[
    flavor("llama3", "1B", [2048, 16, 32, 8192, 0, 128_256]),
    flavor("llama3", "3B", [3072, 28, 24, 8192, 0, 128_256]),
    flavor("llama3", "8B", [4096, 32, 32, 14336, 0, 128_256]),
    flavor("llama3", "70B", [8192, 80, 64, 28672, 0, 128_256]),
    flavor("llama3", "405B", [16384, 126, 128, 53248, 0, 128_256]),
    flavor("qwen3", "0.6B", [1024, 28, 16, 3072, 0, 151_936]),
    flavor("qwen3", "1.7B", [2048, 28, 16, 6144, 0, 151_936]),
    flavor("qwen3", "4B", [2560, 36, 32, 9728, 0, 151_936]),
    flavor("qwen3", "8B", [4096, 36, 32, 12288, 0, 151_936]),
    flavor("qwen3", "14B", [5120, 40, 40, 17408, 0, 151_936]),
    flavor("qwen3", "32B", [5120, 64, 64, 25600, 0, 151_936]),
    flavor("qwen3", "30B-A3B", [2048, 48, 32, 768, 128, 151_936]),
    flavor("qwen3", "235B-A22B", [4096, 94, 64, 1536, 128, 151_936]),
    flavor("deepseek_v3", "16B", [2048, 27, 16, 1408, 64, 102_400]),
    flavor("deepseek_v3", "236B", [5120, 60, 128, 1536, 160, 102_400]),
    flavor("deepseek_v3", "671B", [7168, 61, 128, 2048, 256, 129_280]),
    flavor("gpt_oss", "20b", [2880, 24, 64, 2880, 32, 201_088]),
    flavor("gpt_oss", "120b", [2880, 36, 64, 2880, 128, 201_088]),
];

/// Those that 0.2.2 was the last to carry: texts for it are still read.
const EARLIER: &[Flavor] = &[
    flavor("llama4", "17bx16e_irope", [5120, 48, 40, 8192, 16, 202_048]),
    flavor("llama4", "17bx128e_irope", [5120, 48, 40, 8192, 128, 202_048]),
];

impl Flavor {
    /// Whether this is torchtitan's configuration of a shape.
    pub fn is_of(&self, shape: &Shape) -> bool {
        let width = if shape.num_experts > 0 { shape.moe_intermediate_size } else { shape.intermediate_size };
        let size = [
            shape.hidden_size,
            shape.num_hidden_layers,
            shape.num_attention_heads,
            width,
            shape.num_experts,
            shape.vocab_size,
        ];
        self.size == size && shape.indexer_heads == 0 && !shape.attn_output_gate
    }
}

/// torchtitan's own configuration of a shape, where it has one.
pub fn flavor_of(shape: &Shape) -> Option<&'static Flavor> {
    FLAVORS.iter().find(|known| known.is_of(shape))
}

/// The flavor of a name that torchtitan has or had, whatever kernel its attention takes: `8B_flex` is `8B`, `17bx16e` is
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
    // `llama3_ft` is the same under fault tolerance, `graph_trainer.llama3` as one graph.
    let model = model.rsplit(['.', '/']).next().unwrap_or_default();
    let model = model.strip_suffix("_ft").unwrap_or(model);
    let mut own = FLAVORS.iter().chain(EARLIER).filter(|own| own.model == model);
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
        .or("The texts for torchtitan pre-train. Choose pretrain, or another framework."),
    must("model", |a| flavor_of(a.shape).is_some())
        .or_only("torchtitan 0.3 carries its own models: Llama 3, Qwen3, DeepSeek-V2 and V3, gpt-oss. Choose one, or add a flavor to torchtitan."),
    backends(&[Fsdp, Ddp])
        .or("torchtitan trains with FSDP2 or plain data parallelism. Set the backend to fsdp."),
    WHOLE_NODES,
    must("workload.packing", |a| a.workload.packing || !a.workload.varies())
        .or("torchtitan joins documents until a sequence is full. Set packing to true."),
    all(PARALLEL),
    must("plan.max_tokens_per_gpu", |a| !a.counts_tokens())
        .or("torchtitan counts sequences. Give micro_batch instead."),
    // models/common/decoder.py:139
    must("plan.pipeline_parallel", |a| a.pp == 1 || !a.shape.tie_word_embeddings)
        .or("torchtitan has no pipeline for a model whose embedding is its LM head. Set it to 1."),
    when(|a| !a.counts_tokens(), &[WHOLE_PASSES, when(|a| a.pp > 1, PIPELINE)]),
    // components/optimizer/optimizer.py:143 knows AdamW, Adam and a Muon of its own; none steps in the backward pass.
    all(optimizer::ADAMW_ALONE),
    all(PRECISION),
    all(MEMORY),
    NO_IMAGES,
];

static PARALLEL: &[Rule] = &[
    NO_ULYSSES.or("torchtitan splits sequences by context parallelism. Set ulysses_parallel to 1."),
    // models/common/config_utils.py:71, `get_attention_config`: flex attention, or kernels for lengths that vary.
    must("plan.attention_kernel", |a| matches!(a.layout.attention_kernel, None | Some(Kernel::Sdpa)))
        .or("torchtitan's flavors attend by PyTorch's own kernels. Set it to sdpa, or leave it out."),
    KEYS_BY_TP,
    // trainer.py:307, `seq_len_divisor`.
    divides("workload.sequence_length", |a| {
        let tensor = if a.layout.sequence_parallel { a.tp } else { 1 };
        (tensor * if a.cp > 1 { 2 * a.cp } else { 1 }, a.workload.sequence_length)
    })
    .or("{length} tokens are no multiple of {part}, by which torchtitan splits a sequence over TP {tp} and CP {cp}."),
    // PyTorch's `_create_cp_block_mask`, which splits the mask of flex attention.
    divides("workload.sequence_length", |a| (if a.cp > 1 { 128 * a.cp } else { 1 }, a.workload.sequence_length))
        .or("{length} tokens are no multiple of {part}: flex attention splits blocks of 128 over CP {cp}."),
    must("plan.backend", |a| !a.is(Ddp) || (a.tp == 1 && a.cp == 1 && a.pp == 1 && a.ep == 1))
        .or("With other parallelism torchtitan's copies are shard groups of FSDP2. Set the backend to fsdp."),
    must("plan.shard_group", |a| shards(a.layout, a.job.hardware.gpus).is_some())
        .or("A shard group holds whole context-parallel groups. Give a multiple of {cp}."),
    // distributed/parallel_dims.py:279: experts take ranks of data, context and tensor parallelism.
    when(
        |a| a.shape.num_experts > 0 && a.ep == 1,
        &[must("plan.expert_tensor_parallel", |a| a.etp == a.tp)
            .or("Without expert parallelism torchtitan splits experts as all else. Set it to {tp}.")],
    ),
    when(
        |a| a.shape.num_experts > 0 && a.ep != 1,
        &[
            must("plan.expert_tensor_parallel", |a| a.etp == 1)
                .or("torchtitan 0.3 splits no expert that expert parallelism shares. Set it to 1."),
            divides("plan.expert_parallel", |a| (a.ep, a.group * a.tp))
                .or("{whole} ranks of a shard group are no multiple of EP {ep}."),
        ],
    ),
];

static PIPELINE: &[Rule] = &[
    // distributed/pipeline_parallel.py:223 counts stages from layers per stage.
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
    // _check_torch_compile_compatibility of the same; config/configs.py:308 compiles each layer under asynchronous tensor parallelism.
    when(
        |a| a.layout.pipeline_schedule.is_some_and(splits_backward),
        &[must("plan.overlap.tensor_parallel", |a| a.tp == 1 || !a.layout.overlap.tensor_parallel)
            .or("torchtitan's asynchronous tensor parallelism needs compiled layers, which this pipeline_schedule does not go with. Set it to false.")],
    ),
];

static PRECISION: &[Rule] = &[
    precisions(&[Bf16, Fp8, Mxfp8]).or("torchtitan trains in bf16, fp8 or mxfp8. Choose one of these."),
    // components/quantization/float8.py:86
    must("workload.precision", |a| a.workload.precision != Fp8 || a.has(8.9))
        .or("torchtitan's fp8 needs Ada, Hopper or Blackwell. Choose bf16."),
    // components/quantization/mx.py:70
    must("workload.precision", |a| a.workload.precision != Mxfp8 || a.has(10.0))
        .or("torchtitan's mxfp8 needs Blackwell. Choose bf16 or fp8."),
];

/// Parts of a sequence that `ChunkedLossWrapper` takes one after the other (components/loss.py:610).
pub const CHUNKS: u64 = 8;

static MEMORY: &[Rule] = &[
    must("plan.zero_stage", |a| !a.is(Fsdp) || matches!(a.layout.zero_stage, 2 | 3))
        .or("torchtitan shards weights (3), or gathers them once a pass (2). Set zero_stage to 3."),
    DDP_SHARDS_NOTHING,
    MOVED_TOGETHER.or("torchtitan moves weights, gradients and optimizer together. Offload all three, or none."),
    must("plan.offload", |a| !a.layout.offload.optimizer || a.is(Fsdp))
        .or("torchtitan offloads under FSDP only. Set the backend to fsdp."),
    ACTIVATIONS_STAY.or("torchtitan keeps activations on the GPU. Use recompute instead."),
    must("plan.recompute", |a| !matches!(a.layout.recompute, Recompute::Selective(own) if own != Modules::CORE_ATTN))
        .or("torchtitan chooses what to recompute by operation, not by module. Set it to selective, full or none."),
    // components/loss.py:671
    must("plan.fused_lm_head", |a| {
        !a.layout.fused_lm_head || (a.workload.sequence_length / a.cp).is_multiple_of(CHUNKS)
    })
    .or("torchtitan takes the LM head and the loss in 8 parts of a sequence, which {length} tokens over CP {cp} do not make. Set it to false."),
];
