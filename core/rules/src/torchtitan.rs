//! torchtitan 0.2.2: pre-training on FSDP2 or plain data parallelism, of models that it carries itself.

use super::Rules;
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, Modules, Plan, Recompute};
use shardwise_question::wire::{Backend, Precision, WorkloadKind};

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
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let (layout, workload) = (&plan.layout, &job.workload);
    rules.require(workload.kind == WorkloadKind::Pretrain, "workload.kind", || {
        "torchtitan 0.2.2 pre-trains and has no other task. Choose pretrain, or take veRL's or DeepSpeed's flags."
            .to_owned()
    });
    let Some(flavor) = flavor_of(&job.model.shape) else {
        rules.refuse(
            "model",
            "torchtitan 0.2.2 carries its own models: Llama 3 8B, 70B and 405B, Llama 4, Qwen3, DeepSeek-V2 and V3, gpt-oss. Choose one, or add a flavor to torchtitan.",
        );
        return rules.0;
    };
    rules.require(matches!(layout.backend, Backend::Fsdp | Backend::Ddp), "plan.backend", || {
        "torchtitan trains with FSDP2 or plain data parallelism. Set the backend to fsdp.".to_owned()
    });
    rules.whole_nodes(job);
    let padded = !workload.packing && workload.mean_sequence_length < workload.sequence_length as f64;
    rules.require(!padded, "workload.packing", || {
        "torchtitan joins documents until a sequence is full. Set packing to true.".to_owned()
    });
    parallel(&mut rules, layout, job, flavor);
    pipeline(&mut rules, layout, job, flavor);
    precision(&mut rules, layout, job);
    memory(&mut rules, layout);
    rules.0
}

fn parallel(rules: &mut Rules, layout: &Layout, job: &Job, flavor: &Flavor) {
    let (tp, cp) = (layout.tensor_parallel, layout.context_parallel);
    rules.require(layout.ulysses_parallel == 1, "plan.ulysses_parallel", || {
        "torchtitan splits sequences by context parallelism. Set ulysses_parallel to 1.".into()
    });
    rules.require(tp == 1 || layout.sequence_parallel, "plan.sequence_parallel", || {
        "torchtitan's tensor parallelism splits the norms too. Set sequence_parallel to true.".into()
    });
    rules.require(cp == 1 || !flavor.flex, "plan.context_parallel", || {
        format!(
            "torchtitan's {} {} runs flex attention, which context parallelism does not split. Set it to 1.",
            flavor.model, flavor.flavor
        )
    });
    let kv = job.model.shape.num_key_value_heads;
    rules.divides(tp.into(), kv, "plan.tensor_parallel", || {
        format!("{kv} key and value heads cannot be split by {tp}.")
    });
    // distributed/parallel_dims.py, seq_len_divisor.
    let length = job.workload.sequence_length;
    let part = u64::from(tp) * u64::from(cp) * 2;
    rules.divides(part, length, "workload.sequence_length", || {
        format!("{length} tokens are no multiple of 2 × TP {tp} × CP {cp}.")
    });
    if layout.backend == Backend::Ddp {
        let one = tp == 1 && cp == 1 && layout.pipeline_parallel == 1;
        rules.require(one && layout.expert_parallel == 1, "plan.backend", || {
            "torchtitan's plain data parallelism goes with no other. Set the backend to fsdp.".into()
        });
    }
    rules.require(shards(layout, job.hardware.gpus).is_some(), "plan.shard_group", || {
        format!("A shard group holds whole context-parallel groups. Give a multiple of {cp}.")
    });
    if job.model.shape.num_experts > 0 {
        experts(rules, layout);
    }
}

/// distributed/parallel_dims.py: experts take ranks of data, context and tensor parallelism.
fn experts(rules: &mut Rules, layout: &Layout) {
    let (tp, ep, etp) = (layout.tensor_parallel, layout.expert_parallel, layout.expert_tensor_parallel);
    if ep == 1 {
        rules.require(etp == tp, "plan.expert_tensor_parallel", || {
            format!("Without expert parallelism torchtitan splits experts as all else. Set it to {tp}.")
        });
        return;
    }
    rules.require(etp == 1 || etp == tp, "plan.expert_tensor_parallel", || {
        format!("torchtitan splits experts by all of TP or not at all. Set it to 1 or {tp}.")
    });
    let ranks = u64::from(layout.shard_group) * u64::from(tp);
    let part = u64::from(ep) * u64::from(etp);
    rules.divides(part, ranks, "plan.expert_parallel", || {
        format!("{ranks} ranks of a shard group are no multiple of EP {ep} × ETP {etp}.")
    });
}

fn pipeline(rules: &mut Rules, layout: &Layout, job: &Job, flavor: &Flavor) {
    let MicroBatch::Sequences(micro) = layout.micro_batch else {
        rules.refuse("plan.max_tokens_per_gpu", "torchtitan counts sequences. Give micro_batch instead.");
        return;
    };
    let dp = u64::from(layout.data_parallel(job.hardware.gpus));
    let (batch, per_step) = (job.workload.global_batch, micro.saturating_mul(dp));
    rules.divides(per_step, batch, "workload.global_batch", || {
        format!("{batch} sequences are no multiple of {per_step}, one micro-batch on every rank.")
    });
    let pp = u64::from(layout.pipeline_parallel);
    if pp == 1 {
        return;
    }
    rules.require(!matches!(flavor.model, "qwen3" | "gpt_oss"), "plan.pipeline_parallel", || {
        format!("torchtitan has no pipeline for {}. Set it to 1.", flavor.model)
    });
    let (layers, stages) = (job.model.shape.num_hidden_layers, pp * u64::from(layout.virtual_pipeline));
    // distributed/pipeline_parallel.py counts stages from layers per stage.
    let even = layers.div_ceil(layers.div_ceil(stages).max(1)) == stages;
    rules.require(layout.virtual_pipeline == 1 || even, "plan.virtual_pipeline", || {
        format!("{layers} layers do not fill {stages} chunks of torchtitan's. Set it to 1.")
    });
    // torch/distributed/pipelining/schedules.py: 1F1B fills its stages, interleaved 1F1B runs whole rounds.
    let passes = batch / per_step.max(1);
    if layout.virtual_pipeline == 1 {
        rules.require(passes >= pp, "plan.pipeline_parallel", || {
            format!("{passes} micro-batches do not fill {pp} stages. Lower it or the micro-batch.")
        });
    } else {
        let rounds = (passes / pp).max(1);
        rules.divides(rounds, passes, "plan.virtual_pipeline", || {
            format!("{passes} micro-batches are no whole rounds of {pp} stages.")
        });
    }
}

fn precision(rules: &mut Rules, layout: &Layout, job: &Job) {
    let has = |capability| job.hardware.has_compute_capability(capability);
    let field = "workload.precision";
    match job.workload.precision {
        Precision::Bf16 => {}
        Precision::Fp16 | Precision::Nvfp4 => {
            rules.refuse(field, "torchtitan trains in bf16, fp8 or mxfp8. Choose one of these.")
        }
        Precision::Fp8 => {
            rules.require(has(8.9), field, || "torchtitan's fp8 needs Ada, Hopper or Blackwell. Choose bf16.".into())
        }
        Precision::Mxfp8 => {
            rules.require(has(10.0), field, || "torchtitan's mxfp8 needs Blackwell. Choose bf16 or fp8.".into());
            rules.require(layout.tensor_parallel == 1, "plan.tensor_parallel", || {
                "torchtitan compiles no mxfp8 under tensor parallelism. Set it to 1, or choose fp8.".into()
            });
        }
    }
    let narrow = matches!(job.workload.precision, Precision::Fp8 | Precision::Mxfp8);
    let split = layout.pipeline_parallel > 1 || layout.context_parallel > 1;
    rules.require(!(narrow && split && job.model.shape.num_experts > 0), field, || {
        "torchtitan's experts compute in 8 bits without pipeline and context parallelism only. Choose bf16.".into()
    });
}

fn memory(rules: &mut Rules, layout: &Layout) {
    let offload = layout.offload;
    if layout.backend == Backend::Fsdp {
        rules.require(matches!(layout.zero_stage, 2 | 3), "plan.zero_stage", || {
            "torchtitan shards weights (3), or gathers them once a pass (2). Set zero_stage to 3.".into()
        });
    }
    let together = offload.parameters == offload.optimizer && offload.gradients == offload.optimizer;
    rules.require(together, "plan.offload", || {
        "torchtitan moves weights, gradients and optimizer together. Offload all three, or none.".into()
    });
    rules.require(!offload.optimizer || layout.backend == Backend::Fsdp, "plan.offload", || {
        "torchtitan offloads under FSDP only. Set the backend to fsdp.".into()
    });
    rules.require(!offload.activations, "plan.offload.activations", || {
        "torchtitan keeps activations on the GPU. Use recompute instead.".into()
    });
    let modules = match layout.recompute {
        Recompute::Selective(modules) => modules != Modules::CORE_ATTN,
        _ => false,
    };
    rules.require(!modules, "plan.recompute", || {
        "torchtitan chooses what to recompute by operation, not by module. Set it to selective, full or none.".into()
    });
}
