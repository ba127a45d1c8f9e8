//! torchtitan: one TOML for `torchtitan.train`. 0.2.2 is its last release that reads TOML; 0.3 is configured in Python.

use super::choices::{kept_reason, offload_reason, rate, reshard_reason};
use super::text::{Section, head, model_path};
use super::toml::{self, word};
use super::trainer::{self, joined};
use super::words::{self, count, plural};
use super::{Emission, Snippet, Unsupported};
use shardwise_question::complete::{pipeline_schedule, splits_backward};
use shardwise_question::plan::{MicroBatch, Recompute};
use shardwise_question::wire::{Backend, PipelineSchedule, Precision};
use shardwise_rules::grid;
use shardwise_rules::torchtitan::{Flavor, flavor_of, shards};

/// Steps of a run that a question says nothing of.
pub(crate) const YOURS: u32 = 10_000;

/// The configuration for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let Some(flavor) = flavor_of(&emission.job.model.shape) else {
        return Err(Unsupported { message: "torchtitan has no flavor of this model.".to_owned() });
    };
    let mut lines = head(emission, &warnings(emission, flavor));
    trainer::start(&mut lines, emission.job, false, &start(emission));
    let sections = [
        model(emission, flavor),
        batch(emission),
        layout(emission),
        memory(emission),
        precision(emission, flavor),
        optimizer(emission),
    ];
    Ok(vec![toml::snippet("torchtitan.toml", &lines, &sections)])
}

fn start(emission: &Emission) -> String {
    let (count, gpus) = grid(emission.job);
    let meet = if count > 1 { " --rdzv-backend c10d --rdzv-endpoint \"$MASTER_ADDR:29500\"" } else { "" };
    format!(
        "torchrun --nnodes {count} --nproc-per-node {gpus}{meet} -m torchtitan.train --job.config_file torchtitan.toml"
    )
}

/// Where torchtitan does otherwise than the estimate assumes.
fn warnings(emission: &Emission, flavor: &Flavor) -> Vec<String> {
    let (layout, job) = (&emission.plan.layout, emission.job);
    let mut out = Vec::from_iter(joined(emission));
    if layout.fused_lm_head {
        out.push(
            "torchtitan 0.2.2 writes the logits. They take more than estimated; set fused_lm_head to false.".to_owned(),
        );
    }
    if matches!(layout.recompute, Recompute::Selective(_)) {
        out.push(
            "torchtitan recomputes by operation: all but attention and every second matrix product. The estimate keeps more, and recomputes less."
                .to_owned(),
        );
    }
    if splits_backward(pipeline_schedule(layout)) {
        out.push("PyTorch splits no compiled stage's backward pass, so the layers are not compiled. The estimate's kernels are.".to_owned());
        if layout.recompute != Recompute::None {
            out.push("PyTorch computes a layer again for each of its weights' gradients where these are put off. The estimate counts it once.".to_owned());
        }
    }
    if state_type(emission).is_none() {
        out.push(format!(
            "the estimate counts {} bytes of weights, gradients and optimizer state per parameter; torchtitan keeps 16.",
            words::amount(
                layout.master_weights_bytes + layout.gradient_bytes + layout.optimizer_bytes
            )
        ));
    }
    if job.model.shape.vision.is_some() {
        out.push("torchtitan's flavor is the language model; the estimate has the vision tower too.".to_owned());
    }
    if job.workload.varies() && !flavor.separates() {
        out.push(
            "torchtitan's flavor lets joined documents attend to each other; the estimate keeps them apart.".to_owned(),
        );
    }
    out
}

fn model(emission: &Emission, flavor: &Flavor) -> Section {
    let mut section = Section::new("Model and data");
    section.set("model.name", word(flavor.model), "a model that torchtitan carries");
    section.set("model.flavor", word(flavor.flavor), "this size of it");
    let (path, _) = model_path(&emission.job.model);
    let name = match path.rsplit_once('/') {
        Some((_, name)) if !path.starts_with('"') => name,
        _ => "model",
    };
    let folder = word(&format!("./assets/hf/{name}"));
    section.set("model.hf_assets_path", folder, "the tokenizer, as scripts/download_hf_assets.py leaves it");
    section.set("training.dataset", word("c4"), "change this to your data: torchtitan/hf_datasets registers it");
    section
}

fn batch(emission: &Emission) -> Section {
    let mut section = Section::new("Batch");
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let MicroBatch::Sequences(micro) = layout.micro_batch else {
        return section;
    };
    section.set("training.seq_len", workload.sequence_length, "tokens, from your question");
    section.set("training.global_batch_size", workload.global_batch, "sequences of a step, from your question");
    let dp = u64::from(layout.data_parallel(emission.job.hardware.gpus));
    let rank = workload.global_batch / dp.max(1);
    if layout.pipeline_parallel > 1 {
        let reason = format!("all {} of a rank pass the pipeline together", plural(rank, "sequence", "sequences"));
        section.set("training.local_batch_size", rank, reason);
        section.set("parallelism.pipeline_parallel_microbatch_size", micro, "sequences that one stage takes at a time");
    } else {
        let passes = plural(rank / micro.max(1), "pass", "passes");
        section.set("training.local_batch_size", micro, format!("sequences of one forward pass; {passes} a step"));
    }
    section
}

fn layout(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let mut section = Section::new(format!("Layout: {}", words::layout_title(layout, gpus)));
    let (shard, replicate) = shards(layout, gpus).unwrap_or((1, 1));
    let (tp, cp, pp) = (layout.tensor_parallel, layout.context_parallel, layout.pipeline_parallel);
    for (key, size, reason) in [
        ("data_parallel_replicate_degree", replicate, "copies of the sharded model"),
        ("data_parallel_shard_degree", shard, "ranks that shard the weights, beside context parallelism"),
        ("tensor_parallel_degree", tp, "GPUs that split each matrix"),
        ("context_parallel_degree", cp, "GPUs that split each sequence"),
        ("pipeline_parallel_degree", pp, "stages of layers"),
    ] {
        section.set(format!("parallelism.{key}"), size, reason);
    }
    if layout.backend == Backend::Fsdp {
        let policy = word(if layout.zero_stage == 3 { "always" } else { "never" });
        section.set("parallelism.fsdp_reshard_after_forward", policy, reshard_reason(layout.zero_stage));
    }
    if pp > 1 {
        pipeline(emission, &mut section);
    }
    if tp > 1 && layout.overlap.tensor_parallel {
        let reason = "collectives run beside the products, as the plan says";
        section.set("parallelism.enable_async_tensor_parallel", "true", reason);
    }
    if layout.expert_parallel > 1 {
        let (ep, etp) = (layout.expert_parallel, layout.expert_tensor_parallel);
        section.set("parallelism.expert_parallel_degree", ep, "GPUs that share the experts");
        section.set("parallelism.expert_tensor_parallel_degree", etp, "GPUs that split each expert");
    }
    section
}

fn pipeline(emission: &Emission, section: &mut Section) {
    let layout = &emission.plan.layout;
    let vpp = layout.virtual_pipeline;
    let schedule = pipeline_schedule(layout);
    let filled = "the weights' gradients wait, and fill what would be idle";
    let reason = match schedule {
        PipelineSchedule::OneForwardOneBackward => "one stage per rank",
        PipelineSchedule::Interleaved => "each rank holds several chunks",
        PipelineSchedule::InterleavedZeroBubble => filled,
        PipelineSchedule::ZbvZeroBubble | PipelineSchedule::DualPipeV => {
            "weights' gradients wait, and the first rank holds the first and the last chunk"
        }
    };
    section.set("parallelism.pipeline_parallel_schedule", word(schedule_name(schedule)), reason);
    if schedule == PipelineSchedule::DualPipeV && layout.expert_parallel > 1 {
        let (overlaps, reason) = if layout.recompute == Recompute::None {
            ("true", "the experts' exchanges run beside computation, which is not estimated")
        } else {
            ("false", "torchtitan refuses it with recomputation")
        };
        section.set("parallelism.pipeline_parallel_expert_parallel_overlap", overlaps, reason);
    }
    for end in ["first", "last"] {
        let key = format!("parallelism.pipeline_parallel_{end}_stage_less_layers");
        section.set(key, 0, "as many layers as the others, as estimated");
    }
    if vpp > 1 {
        let stages = u64::from(layout.pipeline_parallel * vpp).max(1);
        let layers = emission.job.model.shape.num_hidden_layers.div_ceil(stages);
        let reason = format!("{stages} chunks of layers, {vpp} on each rank");
        section.set("parallelism.pipeline_parallel_layers_per_stage", layers, reason);
    }
}

/// What PyTorch calls a schedule (`get_schedule_class` of `torch/distributed/pipelining/schedules.py`).
pub(crate) fn schedule_name(schedule: PipelineSchedule) -> &'static str {
    match schedule {
        PipelineSchedule::OneForwardOneBackward => "1F1B",
        PipelineSchedule::Interleaved => "Interleaved1F1B",
        PipelineSchedule::InterleavedZeroBubble => "InterleavedZeroBubble",
        PipelineSchedule::ZbvZeroBubble => "ZBVZeroBubble",
        PipelineSchedule::DualPipeV => "DualPipeV",
    }
}

fn memory(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Memory");
    let (mode, reason) = match layout.recompute {
        Recompute::None => ("none", kept_reason(emission.answer.fits)),
        Recompute::Full => ("full", "each layer again from its input: far fewer activations"),
        Recompute::Selective(_) => ("selective", "keeps what takes long to compute"),
    };
    section.set("activation_checkpoint.mode", word(mode), reason);
    if mode == "selective" {
        section.set("activation_checkpoint.selective_ac_option", word("op"), "by operation, in every layer");
    }
    if layout.backend == Backend::Fsdp {
        let away = layout.offload.optimizer;
        section.set("training.enable_cpu_offload", away, offload_reason(away));
    }
    section
}

/// The type in which torchtitan keeps the states that the plan counts; `None` where it has none.
fn state_type(emission: &Emission) -> Option<&'static str> {
    let layout = &emission.plan.layout;
    let bytes = [layout.master_weights_bytes, layout.gradient_bytes, layout.optimizer_bytes];
    let close = |wanted: [f64; 3]| bytes.iter().zip(wanted).all(|(is, wanted)| (is - wanted).abs() < 0.5);
    if close([4.0, 4.0, 8.0]) {
        Some("float32")
    } else if close([2.0, 2.0, 4.0]) {
        Some("bfloat16")
    } else {
        None
    }
}

fn precision(emission: &Emission, flavor: &Flavor) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Precision and kernels");
    let states = word(state_type(emission).unwrap_or("float32"));
    section.set("training.dtype", states, "weights, gradients and optimizer states");
    section.set("training.mixed_precision_param", word("bfloat16"), "what the products read");
    let reason = "gradients are summed so: torchtitan knows no other";
    section.set("training.mixed_precision_reduce", word("float32"), reason);
    // parallelize_gptoss compiles no layer.
    // PyTorch takes apart no backward pass of a compiled stage (`_check_torch_compile_compatibility`).
    let layers = flavor.model != "gpt_oss" && !splits_backward(pipeline_schedule(layout));
    let mut parts = Vec::new();
    if layers {
        parts.push(word("model"));
    }
    if layout.fused_loss {
        parts.push(word("loss"));
    }
    section.set("compile.enable", !parts.is_empty(), "fuses what lies between the products");
    if !parts.is_empty() {
        let reason = if layout.fused_loss {
            "the loss too: no fp32 copy of the logits"
        } else {
            "the loss stays eager, as the plan says"
        };
        section.set("compile.components", format!("[{}]", parts.join(", ")), reason);
    }
    match emission.job.workload.precision {
        Precision::Fp8 => quantized(emission, &mut section, "float8"),
        Precision::Mxfp8 => quantized(emission, &mut section, "mx"),
        _ => {}
    }
    section
}

/// Products in 8 bits, of torchao's kind `narrow`.
fn quantized(emission: &Emission, section: &mut Section, narrow: &str) {
    let experts = emission.job.model.shape.num_experts > 0;
    let grouped = format!(", {}", word(&format!("quantize.grouped_mm.{narrow}")));
    let both = format!("[{}{}]", word(&format!("quantize.linear.{narrow}")), if experts { &grouped } else { "" });
    section.set("model.converters", both, "products in 8 bits, from your question; needs torchao");
    let key = format!("quantize.linear.{narrow}.filter_fqns");
    section.set(key, format!("[{}]", word("output")), "the last layer stays in bf16");
    if experts {
        let key = format!("quantize.grouped_mm.{narrow}.fqns");
        section.set(key, format!("[{}]", word("experts")), "a prototype: needs a nightly torchao");
    }
    if narrow == "float8" && emission.plan.layout.backend == Backend::Fsdp {
        for (key, reason) in [
            ("enable_fsdp_float8_all_gather", "weights are gathered in 8 bits"),
            ("precompute_float8_dynamic_scale_for_fsdp", "their scales are computed together, once a step"),
        ] {
            section.set(format!("quantize.linear.float8.{key}"), "true", reason);
        }
    }
}

fn optimizer(emission: &Emission) -> Section {
    let mut section = Section::new("Optimizer and run");
    let workload = &emission.job.workload;
    section.set("optimizer.name", word("AdamW"), "two moments");
    section.set("optimizer.lr", rate(workload), "a start; yours to tune");
    if emission.plan.layout.optimizer.in_backward {
        section.set(
            "optimizer.early_step_in_backward",
            "true",
            "each weight is stepped as soon as its gradient is there",
        );
    } else {
        section.set("training.max_norm", "1.0", "gradients are clipped");
    }
    let step = workload.global_batch.saturating_mul(workload.sequence_length);
    let run = workload.run_steps(step as f64).filter(|_| workload.has_run());
    let (steps, reason) = match run {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and a float converts to the nearest that there is"
        )]
        Some(steps) => (steps as u64, format!("{} tokens a step, from your question", count(step))),
        None => (YOURS.into(), "yours to choose".to_owned()),
    };
    section.set("training.steps", steps, reason);
    section.set("lr_scheduler.warmup_steps", steps.div_ceil(5).min(2000), "steps until the whole rate");
    section.set("checkpoint.enable", "true", "into ./outputs/checkpoint, every 500 steps");
    section
}
