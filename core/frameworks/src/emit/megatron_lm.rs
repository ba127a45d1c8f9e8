//! Megatron-LM: the arguments of `pretrain_gpt.py`, started by `torchrun`.

mod model;

use super::choices::{half, micro, rate};
use super::megatron;
use super::text::{Script, Section, head, home, model_path, torchrun};
use super::words::{count, layout_title};
use super::{Emission, Snippet, Unsupported, kernel};
use crate::binding::At;
use shardwise_question::framework::MEGATRON_LM;
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{Attention, Optimizer, Precision, WorkloadKind};
use shardwise_rules::megatron_lm::samples;
use shardwise_rules::optimizer::distributed;

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let mut sections = vec![batch(emission)];
    sections.extend(model::sections(&emission.job.model.shape, emission));
    sections.extend([
        layout(emission, emission.job.hardware.gpus),
        memory(emission, false),
        precision(emission),
        kernels(emission),
        run(emission),
    ]);
    let script = Script {
        head: head(emission, &warnings(emission)),
        setup: megatron::setup(emission.job),
        assign: " ",
        sections,
        command: format!(
            "# From the root of Megatron-LM's checkout, tag core_v{}.\n{} pretrain_gpt.py \"${{args[@]}}\"",
            emission.version,
            torchrun(emission.job)
        ),
    };
    Ok(vec![script.into_snippet("run_megatron_lm.sh")])
}

/// A switch, which has no value.
pub(super) fn switch(section: &mut Section, name: &str, reason: impl Into<String>) {
    section.set(name, "", reason);
}

/// Where Megatron-LM does otherwise than the estimate assumes, and what the estimate does not know.
fn warnings(emission: &Emission) -> Vec<String> {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut out = vec![
        "these arguments build a model of this size. Rotary base and scaling, norm epsilon, activation, scaled embeddings and \
         how the router scores are not in Shardwise's data: compare them with the model's config.json before you load its weights."
            .to_owned(),
    ];
    if job.workload.kind == WorkloadKind::Sft {
        out.push(
            "Megatron-LM's own --sft knows Nemotron's chat formats alone, so this text trains on documents of your data, on every token."
                .to_owned(),
        );
    }
    out.extend(megatron::differences(layout, "Megatron-LM"));
    out
}

fn batch(emission: &Emission) -> Section {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut section = Section::new("Batch");
    section.set("--seq-length", workload.sequence_length, "tokens, from your question");
    let micro = micro(emission);
    let ranks = u64::from(layout.data_parallel(emission.job.hardware.gpus));
    section.set("--micro-batch-size", micro, "sequences of one forward pass");
    section.set(
        "--global-batch-size",
        samples(workload, micro.saturating_mul(ranks)),
        megatron::samples_reason(workload, micro, ranks),
    );
    section
}

/// How the model is split over the GPUs that train it.
pub(super) fn layout(emission: &Emission, gpus: u32) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let shape = &job.model.shape;
    let mut section = Section::new(format!("Layout: {}", layout_title(layout, gpus)));
    let (tp, pp) = (layout.tensor_parallel, layout.pipeline_parallel);
    section.set("--tensor-model-parallel-size", tp, megatron::tensor_reason(job, shape, tp));
    section.set("--pipeline-model-parallel-size", pp, megatron::pipeline_reason(shape.num_hidden_layers, pp));
    if layout.virtual_pipeline > 1 {
        section.set(
            "--num-virtual-stages-per-pipeline-rank",
            layout.virtual_pipeline,
            format!("chunks per stage: the bubble shrinks {} times", layout.virtual_pipeline),
        );
    }
    if let Some((last, reason)) = megatron::uneven_last_stage(shape.num_hidden_layers, pp) {
        section.set("--decoder-last-pipeline-num-layers", last, reason);
    }
    let at = At::trained(emission);
    for (row, (value, reason)) in megatron::SHARES.iter().filter_map(|row| Some((row, (row.says)(&at)?))) {
        section.set(format!("--{}", row.name.replace('_', "-")), value, reason);
    }
    if megatron::is_sequence_split(layout) {
        switch(&mut section, "--sequence-parallel", megatron::SEQUENCE_REASON);
    }
    // What slime's own Megatron calls dist_muon.
    let layers =
        layout.optimizer.kind == Optimizer::Muon && layout.zero_stage >= 1 && emission.framework.id == MEGATRON_LM.id;
    for (row, (value, reason)) in megatron::OPTIMIZER.iter().filter_map(|row| Some((row, (row.says)(&at)?))) {
        let value = if layers && row.name == "optimizer" { "muon".to_owned() } else { value };
        section.set(format!("--{}", row.name.replace('_', "-")), value, reason);
    }
    let overlap = layout.overlap;
    let sharded = distributed(layout) || layers;
    if sharded {
        let reason = if layers { "shards Muon's states by whole layers" } else { "shards optimizer states over DP" };
        switch(&mut section, "--use-distributed-optimizer", reason);
    }
    if overlap.gradients {
        let reason = "gradients are reduced beside the backward pass";
        switch(&mut section, "--overlap-grad-reduce", reason);
    }
    if overlap.parameters && sharded {
        let reason = "parameters are gathered beside the forward pass";
        switch(&mut section, "--overlap-param-gather", reason);
    }
    if overlap.tensor_parallel && emission.framework.overlaps_tensor_parallel {
        let reason = "tensor-parallel traffic runs beside its matrix products";
        switch(&mut section, "--tp-comm-overlap", reason);
    }
    section
}

/// What is computed again, and what steps in host memory; `phases` where what is offloaded waits there between them instead.
pub(super) fn memory(emission: &Emission, phases: bool) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Memory");
    match layout.recompute {
        Recompute::None => {}
        Recompute::Full => {
            let reason = "each layer again from its input: least memory";
            section.set("--recompute-granularity", "full", reason);
            if let Some(megatron::WholeLayers { method: (method, reason), layers: (layers, each) }) =
                megatron::whole_layers(layout)
            {
                section.set("--recompute-method", method, reason);
                section.set("--recompute-num-layers", layers, each);
            }
        }
        Recompute::Selective(modules) => {
            section.set("--recompute-granularity", "selective", "less to compute again than whole layers");
            let names: Vec<_> = modules.iter().map(megatron::module).collect();
            let reason = "large in memory, quick to compute again";
            section.set("--recompute-modules", names.join(" "), reason);
        }
    }
    let narrow = megatron::narrow_states(layout);
    let away = megatron::stepped_on_host(layout, phases);
    if away > 0.0 {
        switch(&mut section, "--optimizer-cpu-offload", "the optimizer steps in host memory");
        let (fraction, own) = megatron::offload_fraction(away);
        section.set("--optimizer-offload-fraction", fraction, own);
        let reason = "copies run beside the step";
        switch(&mut section, "--overlap-cpu-optimizer-d2h-h2d", reason);
    }
    if away > 0.0 || !narrow.is_empty() {
        let reason = "the one that offloads, and keeps narrow states";
        switch(&mut section, "--use-precision-aware-optimizer", reason);
    }
    for (name, word) in narrow {
        let reason = "narrow optimizer states, from the plan";
        section.set(format!("--{}", name.replace('_', "-")), word, reason);
    }
    section
}

fn precision(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new("Precision");
    let half = format!("--{}", half(job.workload.precision));
    switch(&mut section, &half, "weights and activations");
    let own = "matrix products, from your question";
    let recipe = match job.workload.precision {
        Precision::Fp8 => Some(("--fp8-format", "hybrid", "tensorwise", "one scale per tensor, of the moment")),
        Precision::Mxfp8 => Some(("--fp8-format", "e4m3", "mxfp8", "one scale per 32 values")),
        Precision::Nvfp4 => Some(("--fp4-format", "e2m1", "nvfp4", "one scale per 16 values")),
        Precision::Bf16 | Precision::Fp16 => None,
    };
    if let Some((format, name, recipe, reason)) = recipe {
        section.set(format, name, own);
        section.set(format.replace("format", "recipe"), recipe, reason);
    }
    // `arguments.py`: parameters are gathered in fp8 by the distributed optimizer on the GPU.
    let gathers = layout.zero_stage >= 1 && megatron::stepped_on_host(layout, false) == 0.0;
    match job.workload.precision {
        Precision::Fp8 if gathers => {
            switch(&mut section, "--fp8-param-gather", "weights live in fp8 alone");
        }
        Precision::Mxfp8 if gathers => {
            switch(&mut section, "--fp8-param-gather", "weights live in fp8 alone");
            let reason = "their gathering needs no buffer of its own";
            switch(&mut section, "--reuse-grad-buf-for-mxfp8-param-ag", reason);
        }
        _ => {}
    }
    match layout.gradient_bytes {
        2.0 => switch(&mut section, "--grad-reduce-in-bf16", "gradients take 2 bytes"),
        4.0 => switch(&mut section, "--accumulate-allreduce-grads-in-fp32", "gradients take 4 bytes"),
        _ => {}
    }
    section
}

/// What computes attention.
pub(super) fn attention(section: &mut Section, emission: &Emission) {
    let layout = &emission.plan.layout;
    let own = kernel::stated(emission.job, layout, kernel::megatron, None);
    let (backend, reason) = match (layout.attention, own) {
        (Attention::Unfused, _) => ("unfused", "from your plan; auto is faster"),
        (_, None) => ("auto", "the fastest that is there: cuDNN's or FlashAttention"),
        (_, Some("flash")) => ("flash", "from the plan: the newest FlashAttention that is installed"),
        (_, Some(own)) => (own, "from the plan"),
    };
    section.set("--attention-backend", backend, reason);
}

fn kernels(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Kernels");
    attention(&mut section, emission);
    if layout.fused_loss {
        let reason = "the gradient takes the logits' place";
        switch(&mut section, "--cross-entropy-loss-fusion", reason);
        section.set("--cross-entropy-fusion-impl", "native", megatron::NATIVE_LOSS);
    }
    section
}

fn run(emission: &Emission) -> Section {
    let job = emission.job;
    let workload = &job.workload;
    let tunes = workload.kind == WorkloadKind::Sft;
    let mut section = Section::new("Run");
    let (steps, reason) = megatron::steps(workload);
    section.set("--train-iters", steps, reason);
    let least = if tunes { "0.0" } else { "3e-5" };
    section.set("--lr", rate(workload), "a start; yours to tune");
    section.set("--min-lr", least, "where the decay ends");
    section.set("--lr-decay-style", "cosine", "usual for language models");
    section.set("--lr-warmup-fraction", "0.01", "of the steps");
    section.set("--weight-decay", "0.1", "usual for language models");
    section.set("--clip-grad", "1.0", "Megatron-LM's own");
    section.set("--adam-beta2", "0.95", "usual for language models");
    section.set("--tokenizer-type", "HuggingFaceTokenizer", "the model's own");
    let (path, reason) = model_path(&job.model);
    section.set("--tokenizer-model", path, reason);
    section.set(
        "--data-path",
        home("data/train_text_document"),
        "change this to your data, as tools/preprocess_data.py writes it",
    );
    section.set("--split", "99,1,0", "training, validation, test");
    let reason = "causal kernels need no mask of tokens × tokens";
    switch(&mut section, "--no-create-attention-mask-in-dataloader", reason);
    if tunes {
        let reason = "change this to the converted weights";
        section.set("--load", home("checkpoints/base"), reason);
        switch(&mut section, "--finetune", "takes their weights, starts the rest anew");
    }
    let reason = "change this to your folder";
    section.set("--save", home("checkpoints/shardwise"), reason);
    section.set("--save-interval", 500, count(500) + " steps");
    section.set("--log-interval", 10, "steps");
    switch(&mut section, "--log-throughput", "to compare with the estimate");
    section
}
