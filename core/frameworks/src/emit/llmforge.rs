//! LLMForge: one YAML for `llmforge anyscale finetune`. Anyscale has deprecated it; what still runs it reads this.

use super::choices::{self, kept_reason, other_than_fp32};
use super::text::{Section, flag, head, model_path};
use super::words::{self, amount, count, plural};
use super::{Emission, Snippet, Unsupported, yaml};
use shardwise_catalog::units::Bytes;
use shardwise_question::plan::{MicroBatch, Recompute};
use shardwise_question::wire::LoraTargets;
use shardwise_question::zero_needs::{BUFFERS, ZeroNeeds};
use shardwise_rules::llmforge::{accelerator, configuration};

/// The cluster's shared disk.
const STORAGE: &str = "/mnt/cluster_storage";

/// The configuration for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let mut lines = head(emission, &warnings(emission));
    lines.push("Start: llmforge anyscale finetune llmforge.yaml".to_owned());
    let sections = [data(emission), batch(emission), layout(emission), adapters(emission)];
    Ok(vec![yaml::snippet("llmforge.yaml", &lines, &sections)])
}

fn warnings(emission: &Emission) -> Vec<String> {
    let mut out = vec!["Anyscale has deprecated LLMForge and points to LLaMA-Factory and axolotl.".to_owned()];
    out.extend(other_than_fp32(emission, "LLMForge"));
    if emission.job.workload.joins() {
        out.push("the estimate joins short sequences; LLMForge pads them.".to_owned());
    }
    out
}

fn data(emission: &Emission) -> Section {
    let mut section = Section::new("Model and data");
    let (path, reason) = model_path(&emission.job.model);
    // No shell reads this file.
    let path = path.trim_matches('"').replace("$HOME", STORAGE);
    section.set("model_id", path, reason);
    for (key, file) in [("train_path", "train.jsonl"), ("valid_path", "valid.jsonl")] {
        section.set(key, format!("{STORAGE}/{file}"), "change this to your data");
    }
    section.set("context_length", emission.job.workload.sequence_length, "from your question");
    let (value, reason) = if !emission.job.workload.varies() {
        ("max_length", "every sequence is as long, from your question")
    } else {
        ("longest", "to the longest of a batch; LLMForge packs nothing")
    };
    section.set("padding", value, reason);
    section
}

fn batch(emission: &Emission) -> Section {
    let mut section = Section::new("Batch and schedule");
    let (job, layout) = (emission.job, &emission.plan.layout);
    let MicroBatch::Sequences(micro) = layout.micro_batch else {
        return section;
    };
    let gpus = u64::from(job.hardware.gpus);
    section.set("num_devices", gpus, "from your question");
    section.set(
        "train_batch_size_per_device",
        micro,
        format!("{} at a time on each GPU", plural(micro, "sequence", "sequences")),
    );
    section.set("eval_batch_size_per_device", micro, "as in training");
    let steps = job.workload.global_batch / micro.saturating_mul(gpus).max(1);
    if steps > 1 {
        section.set(
            "gradient_accumulation_steps",
            steps,
            format!("{} a step", plural(job.workload.global_batch, "sequence", "sequences")),
        );
    }
    // A plain `1e-4` is a word in YAML 1.1.
    let rate = if job.workload.lora.is_some() { "0.0001" } else { "0.000005" };
    section.set("learning_rate", rate, "LLMForge's own; yours to tune");
    let (epochs, reason) = match job.workload.passes() {
        Some((epochs, examples)) => {
            (epochs, format!("passes over {}, from your question", plural(examples, "example", "examples")))
        }
        None => (1.0, "passes over your data; yours to choose".to_owned()),
    };
    section.set("num_epochs", amount(epochs), reason);
    section.set("num_checkpoints_to_keep", 1, "the best");
    section
}

fn layout(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let mut section = Section::new(format!("Layout: {}", words::layout_title(layout, gpus)));
    let again = layout.recompute == Recompute::Full;
    let reason = if again {
        "each layer again from its input: a third more computing, far fewer activations"
    } else {
        kept_reason(emission.answer.fits)
    };
    section.set("gradient_checkpointing", flag(again), reason);
    if layout.fused_lm_head {
        section.set("liger_kernel.enabled", "True", "for its loss");
        section.set("liger_kernel.kwargs.fused_linear_cross_entropy", "True", "no logits tensor, as the plan says");
    }
    if let Some(file) = configuration(layout, gpus) {
        section.set("deepspeed.config_path", format!("deepspeed_configs/{file}"), "LLMForge's own, beside this file");
    }
    if let Some(name) = accelerator(job) {
        section.set(format!("worker_resources.accelerator_type:{name}"), "0.001", "asks Ray for workers with this GPU");
    }
    let away = host_bytes(emission);
    if away > Bytes::ZERO {
        let room = away.gib().ceil();
        section.set(
            "worker_resources.memory",
            whole_gib(room),
            format!("{} GiB of host memory: what a worker offloads, by DeepSpeed's estimator", count(room as u64)),
        );
    }
    // Rank 0 reads the checkpoint into host memory: two bytes a parameter, and room to move. Its templates ask for
    // 35 GiB for 8 billion parameters and 140 for 70 billion.
    let bytes = Bytes::new(2.0 * job.model.parameters.total as f64);
    let host = (bytes.gib() + 20.0).ceil();
    section.set(
        "trainer_resources.memory",
        whole_gib(host),
        format!("{} GiB of host memory: rank 0 reads the checkpoint there", count(host as u64)),
    );
    section
}

/// GiB as the bytes that Ray is told.
fn whole_gib(gib: f64) -> String {
    shardwise_catalog::units::fixed(gib * f64::from(1u32 << 30), 0)
}

/// What one worker keeps in host memory: of adapters, the base alone counts. The templates ask for 50 GiB for 70 billion
/// parameters on 32 GPUs.
fn host_bytes(emission: &Emission) -> Bytes {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let (offload, gpus) = (layout.offload, f64::from(job.hardware.gpus));
    let parameters = job.model.parameters.total as f64;
    if job.workload.lora.is_some() {
        let base = 2.0 * parameters * BUFFERS / gpus;
        return Bytes::new(if offload.parameters { base } else { 0.0 });
    }
    if !offload.optimizer {
        return Bytes::ZERO;
    }
    let needs = ZeroNeeds {
        parameters,
        largest_module: job.model.parameters.embedding as f64,
        gpus_per_node: 1.0,
        nodes: gpus,
    };
    Bytes::new(needs.stage_3(offload, true).host)
}

fn adapters(emission: &Emission) -> Section {
    let mut section = Section::new("LoRA");
    let Some(lora) = emission.job.workload.lora else {
        return section;
    };
    choices::adapters(&mut section, lora, "lora_config.r", "lora_config.lora_alpha");
    section.set("lora_config.lora_dropout", "0.05", "LLMForge's own");
    let mut modules = choices::ATTENTION.to_vec();
    if lora.targets == LoraTargets::AllLinear {
        modules.extend(["gate_proj", "up_proj", "down_proj"]);
    }
    let modules = format!("[{}]", modules.join(", "));
    section.set("lora_config.target_modules", modules, "from your question");
    section.set("lora_config.modules_to_save", "[]", "none beside");
    section.set("lora_config.bias", "none", "adapters alone train");
    section.set("lora_config.task_type", "CAUSAL_LM", "a language model");
    section
}
