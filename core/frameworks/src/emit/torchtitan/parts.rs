//! What stands around torchtitan's layout: imports, the model and what converts it, states, the compiler, and the run as a whole.

use super::super::Emission;
use super::super::choices::{kept_reason, offload_reason, rate};
use super::super::python::{Block, list, word};
use super::super::text::{Section, flag, model_path};
use super::steps;
use shardwise_question::complete::{pipeline_schedule, splits_backward};
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{Backend, Precision};
use shardwise_rules::torchtitan::Flavor;

/// torchtitan's classes that the configuration names, by the modules that hold them.
pub(super) fn imports(emission: &Emission, flavor: &Flavor) -> Block {
    let loss = if emission.plan.layout.fused_lm_head { "ChunkedLossWrapper, " } else { "" };
    let again = match emission.plan.layout.recompute {
        Recompute::None => "",
        Recompute::Full => "FullAC",
        Recompute::Selective(_) => "SelectiveAC",
    };
    let converters: Vec<&str> = converters(emission).iter().map(|(class, _)| *class).collect();
    let lines = [
        ("components.checkpoint", "CheckpointManager".to_owned()),
        ("components.loss", format!("{loss}CrossEntropyLoss")),
        ("components.optimizer", "LRSchedulersContainer, default_adamw".to_owned()),
        ("components.quantization", converters.join(", ")),
        ("config", "CompileConfig, ParallelismConfig, TrainingConfig".to_owned()),
        ("distributed.activation_checkpoint", again.to_owned()),
        ("hf_datasets.text_datasets", "HuggingFaceTextDataLoader".to_owned()),
        (&*format!("models.{}", flavor.model), "model_registry".to_owned()),
        ("trainer", "Trainer".to_owned()),
    ];
    let named = lines.iter().filter(|(_, names)| !names.is_empty());
    Block::Lines(
        named
            .map(|(module, names)| (format!("from torchtitan.{module} import {names}"), ""))
            .collect(),
    )
}

/// The model, its attention, and what computes in 8 bits.
pub(super) fn model(emission: &Emission, flavor: &Flavor) -> Section {
    let mut section = Section::new("Model");
    section.set("flavor", word(flavor.flavor), "this size of a model that torchtitan carries");
    // gpt-oss alone attends by these kernels where nothing is said, and they split no sequence (models/llama3/model.py:78, which the others follow).
    let (kernel, reason) = if flavor.model == "gpt_oss" && emission.plan.layout.context_parallel == 1 {
        ("varlen", "kernels for joined documents of any length")
    } else {
        ("flex", "PyTorch's flex attention: joined documents stay apart")
    };
    section.set("attn_backend", word(kernel), reason);
    let narrow = converters(emission);
    if !narrow.is_empty() {
        let compiled = flag(compiles(emission));
        let calls: Vec<String> = narrow
            .iter()
            .map(|(class, own)| format!("{class}.Config({own}model_compile_enabled={compiled})"))
            .collect();
        let reason = "products in 8 bits, from your question; needs torchao";
        section.set("converters", format!("[{}]", calls.join(", ")), reason);
    }
    section
}

/// What makes products of 8 bits of the model's, each with its keywords: the last layer and the router stay in bf16.
fn converters(emission: &Emission) -> Vec<(&'static str, &'static str)> {
    let mut out = match emission.job.workload.precision {
        Precision::Fp8 => vec![
            ("Float8LinearConverter", "filter_fqns=[\"lm_head\", \"router.gate\"], "),
            ("Float8GroupedExpertsConverter", ""),
        ],
        Precision::Mxfp8 => vec![
            ("MXFP8LinearConverter", "fqns=[\"attention\", \"shared_experts\", \"feed_forward\"], "),
            ("MXFP8GroupedExpertsConverter", "pad_multiple=128, "),
        ],
        _ => Vec::new(),
    };
    if emission.job.model.shape.num_experts == 0 {
        out.truncate(1);
    }
    out
}

/// Where weights, gradients and optimizer are.
pub(super) fn memory(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Memory");
    if layout.backend == Backend::Fsdp {
        let away = layout.offload.optimizer;
        section.set("enable_cpu_offload", flag(away), offload_reason(away));
    }
    // trainer.py:179 refuses them with pipelines and with experts that are exchanged.
    section.set("disable_cuda_graphs", "True", "kernels are launched one by one, as estimated");
    section
}

/// The type in which torchtitan keeps the states that the plan counts; `None` where it has none.
pub(super) fn state_type(emission: &Emission) -> Option<&'static str> {
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

/// How wide states, products and sums are.
pub(super) fn states(emission: &Emission) -> Section {
    let mut section = Section::new("Precision");
    let states = word(state_type(emission).unwrap_or("float32"));
    section.set("dtype", states, "weights, gradients and optimizer states");
    section.set("mixed_precision_param", word("bfloat16"), "what the products read");
    let reason = "gradients are summed so: torchtitan knows no other";
    section.set("mixed_precision_reduce", word("float32"), reason);
    section
}

/// Whether the layers are compiled: PyTorch takes apart no backward pass of a compiled stage
/// (`_check_torch_compile_compatibility`).
fn compiles(emission: &Emission) -> bool {
    !splits_backward(pipeline_schedule(&emission.plan.layout))
}

/// What is compiled.
pub(super) fn compiled(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Kernels");
    let parts: Vec<&str> = [("model", compiles(emission)), ("loss", layout.fused_loss)]
        .into_iter()
        .filter_map(|(part, on)| on.then_some(part))
        .collect();
    section.set("enable", flag(!parts.is_empty()), "fuses what lies between the products");
    if !parts.is_empty() {
        let reason = if layout.fused_loss {
            "the loss too: no fp32 copy of the logits"
        } else {
            "the loss stays eager, as the plan says"
        };
        section.set("components", list(&parts), reason);
    }
    if layout.tensor_parallel > 1 && layout.overlap.tensor_parallel {
        let reason = "collectives run beside the products, as the plan says";
        section.set("enable_async_tensor_parallel", "True", reason);
    }
    section
}

/// The configuration as a whole.
pub(super) fn run(emission: &Emission, flavor: &Flavor) -> Section {
    let mut section = Section::new("Run");
    let layout = &emission.plan.layout;
    section.set("model_spec", "model_spec", "as above");
    let (path, _) = model_path(&emission.job.model);
    let name = match path.rsplit_once('/') {
        Some((_, name)) if !path.starts_with('"') => name,
        _ => flavor.model,
    };
    let folder = word(format!("./assets/hf/{name}"));
    section.set("hf_assets_path", folder, "the tokenizer, as scripts/download_hf_assets.py leaves it");
    let reason = "change this to your data: torchtitan/hf_datasets registers it";
    section.set("dataloader", "HuggingFaceTextDataLoader.Config(dataset=\"c4\")", reason);
    section.set("training", "training", "as above");
    section.set("parallelism", "parallelism", "as above");
    section.set("compile", "compile_config", "as above");
    let (again, reason) = match layout.recompute {
        Recompute::None => ("None", kept_reason(emission.answer.fits)),
        Recompute::Full => ("FullAC.Config()", "each layer again from its input: far fewer activations"),
        Recompute::Selective(_) => ("SelectiveAC.Config()", "keeps what takes long to compute, operation by operation"),
    };
    section.set("activation_checkpoint", again, reason);
    let loss = format!("CrossEntropyLoss.Config(global_vocab_size={})", emission.job.model.shape.vocab_size);
    if layout.fused_lm_head {
        let reason = "LM head and loss of an eighth of the sequence at a time: never all logits";
        section.set("loss", format!("ChunkedLossWrapper.Config(loss_fn={loss})"), reason);
    } else {
        section.set("loss", loss, "of all logits at once, as the plan says");
    }
    let lr = rate(&emission.job.workload);
    section.set("optimizer", format!("default_adamw(lr={lr})"), "two moments; the rate is a start, yours to tune");
    let warm = steps(emission).0.div_ceil(5).min(2000);
    let reason = "steps until the whole rate";
    section.set("lr_scheduler", format!("LRSchedulersContainer.Config(warmup_steps={warm})"), reason);
    let reason = "into ./outputs/checkpoint, every 500 steps";
    section.set("checkpoint", "CheckpointManager.Config(enable=True, interval=500)", reason);
    section
}
