//! `DeepSpeed`: `ds_config.json` in plain numbers, and the flags that it cannot carry.

use serde_json::{Value, json};

use super::rules::{deepspeed_micro, nodes};
use super::text::{Script, Section, flag, head, home, model_path};
use super::words::{self, count, gib, plural};
use super::{Emission, Language, Snippet, Unsupported, accept, framework, rules};
use crate::plan::Recompute;
use crate::wire::{LoraTargets, Precision, WorkloadKind};

/// The configuration and the command.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    accept(rules::deepspeed(emission.job, emission.plan))?;
    let Some(own) = framework("deepspeed") else {
        return Err(Unsupported {
            message: "DeepSpeed is not in the table of frameworks.".to_owned(),
        });
    };
    let json = file(emission);
    let script = Script {
        head: head(emission, own, &warnings(emission)),
        setup: Vec::new(),
        assign: " ",
        sections: vec![batch(emission), model(emission)],
        command: command(emission),
    };
    let launch = Snippet {
        file: "run_deepspeed.sh",
        language: Language::Shell,
        text: script.to_text(),
        reasons: Vec::new(),
    };
    Ok(vec![json, launch])
}

/// `ds_config.json`, as every trainer that runs `DeepSpeed` reads it.
pub(super) fn file(emission: &Emission) -> Snippet {
    let config = config(emission);
    Snippet {
        file: "ds_config.json",
        language: Language::Json,
        text: config.to_text(),
        reasons: config
            .0
            .into_iter()
            .map(|(key, _, reason)| (key.to_owned(), reason))
            .collect(),
    }
}

/// Sequences of one forward pass.
pub(super) fn micro(emission: &Emission) -> u64 {
    deepspeed_micro(&emission.plan.layout, emission.job.workload.sequence_length)
}

/// Passes of one optimizer step.
pub(super) fn accumulation(emission: &Emission) -> u64 {
    let dp = u64::from(
        emission
            .plan
            .layout
            .data_parallel(emission.job.hardware.gpus),
    );
    emission.job.workload.global_batch / micro(emission).saturating_mul(dp).max(1)
}

/// A rate to start with.
pub(super) fn learning_rate(emission: &Emission) -> f64 {
    match emission.job.workload.kind {
        WorkloadKind::Lora | WorkloadKind::Qlora => 1e-4,
        WorkloadKind::Pretrain => 3e-4,
        _ => 1e-5,
    }
}

/// Keys of the JSON in the order in which a person reads them, each with its reason.
#[derive(Default)]
struct Config(Vec<(&'static str, Value, String)>);

impl Config {
    /// Adds a key; dots open sections, whose keys stand together.
    fn set(&mut self, path: &'static str, value: impl Into<Value>, reason: impl Into<String>) {
        self.0.push((path, value.into(), reason.into()));
    }

    fn to_text(&self) -> String {
        let mut out = String::from("{");
        let mut open: Vec<&str> = Vec::new();
        let mut first = true;
        for (path, value, _) in &self.0 {
            let mut sections: Vec<&str> = path.split('.').collect();
            let key = sections.pop().unwrap_or(path);
            let shared = open
                .iter()
                .zip(&sections)
                .take_while(|(a, b)| a == b)
                .count();
            while open.len() > shared {
                open.pop();
                out.push_str(&format!("\n{}}}", "  ".repeat(open.len() + 1)));
            }
            let mut comma = if first { "" } else { "," };
            for section in &sections[shared..] {
                out.push_str(&format!(
                    "{comma}\n{}\"{section}\": {{",
                    "  ".repeat(open.len() + 1)
                ));
                open.push(section);
                comma = "";
            }
            out.push_str(&format!(
                "{comma}\n{}\"{key}\": {value}",
                "  ".repeat(open.len() + 1)
            ));
            first = false;
        }
        while open.pop().is_some() {
            out.push_str(&format!("\n{}}}", "  ".repeat(open.len() + 1)));
        }
        out.push_str("\n}\n");
        out
    }
}

fn config(emission: &Emission) -> Config {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut config = Config::default();
    let dp = layout.data_parallel(job.hardware.gpus);
    let (micro, accumulation) = (micro(emission), accumulation(emission));
    config.set(
        "train_batch_size",
        job.workload.global_batch,
        format!(
            "{} × {} × {dp} ranks, from your question",
            count(micro),
            plural(accumulation, "pass", "passes")
        ),
    );
    config.set(
        "train_micro_batch_size_per_gpu",
        micro,
        "sequences of one forward pass on one GPU",
    );
    config.set(
        "gradient_accumulation_steps",
        accumulation,
        "passes before the optimizer steps",
    );
    config.set(
        "gradient_clipping",
        1.0,
        "stated because DeepSpeed's default has changed",
    );
    let half = if job.workload.precision == Precision::Fp16 {
        "fp16.enabled"
    } else {
        "bf16.enabled"
    };
    config.set(half, true, "precision of your question");
    if layout.gradient_bytes >= 4.0 {
        config.set(
            "data_types.grad_accum_dtype",
            "fp32",
            "gradients are summed in fp32, as the plan says",
        );
    }
    if layout.tensor_parallel > 1 {
        let reason = format!("{} GPUs split each matrix", layout.tensor_parallel);
        config.set(
            "tensor_parallel.autotp_size",
            layout.tensor_parallel,
            reason,
        );
    }
    if layout.ulysses_parallel > 1 {
        let reason = format!(
            "{} GPUs split each sequence; the training script sets it up",
            layout.ulysses_parallel
        );
        config.set("sequence_parallel_size", layout.ulysses_parallel, reason);
    }
    let reason = if layout.offload.optimizer {
        "in host memory: DeepSpeed takes its CPU Adam"
    } else {
        "DeepSpeed takes its fused Adam"
    };
    config.set("optimizer.type", "AdamW", reason);
    config.set(
        "optimizer.params.lr",
        learning_rate(emission),
        "a start; yours to tune",
    );
    config.set(
        "optimizer.params.betas",
        json!([0.9, 0.95]),
        "usual for language models",
    );
    config.set("optimizer.params.eps", 1e-8, "Adam's own");
    config.set("optimizer.params.weight_decay", 0.0, "yours to tune");
    zero(emission, &mut config);
    config
}

fn zero(emission: &Emission, config: &mut Config) {
    let (layout, hidden) = (&emission.plan.layout, emission.job.model.shape.hidden_size);
    let stage = layout.zero_stage;
    let reason = match stage {
        0 => "every GPU keeps everything",
        1 => "shards the optimizer states: least communication of the stages",
        2 => "shards optimizer states and gradients",
        _ => "shards weights too: each layer is gathered when needed",
    };
    config.set("zero_optimization.stage", stage, reason);
    if stage == 0 {
        return;
    }
    let overlap = layout.overlap.gradients;
    let reason = if overlap {
        "gradients are reduced beside the backward pass"
    } else {
        "off, as the plan says"
    };
    config.set("zero_optimization.overlap_comm", overlap, reason);
    config.set(
        "zero_optimization.contiguous_gradients",
        true,
        "keeps gradients from scattering over the memory",
    );
    let bucket = hidden.saturating_mul(hidden).max(1);
    let reason = format!(
        "hidden size squared, as Hugging Face's: {}",
        gib(2.0 * bucket as f64 / f64::from(1u32 << 30))
    );
    config.set("zero_optimization.reduce_bucket_size", bucket, reason);
    if stage < 3 {
        config.set(
            "zero_optimization.allgather_bucket_size",
            500_000_000,
            "DeepSpeed's own",
        );
    } else {
        config.set(
            "zero_optimization.sub_group_size",
            1_000_000_000,
            "parameters that the optimizer handles at a time",
        );
        let ahead = bucket / 10 * 9 + bucket % 10 * 9 / 10;
        let reason = "0.9 × hidden size squared: gathered ahead";
        config.set(
            "zero_optimization.stage3_prefetch_bucket_size",
            ahead,
            reason,
        );
        let small = hidden.saturating_mul(10);
        let reason = "10 × hidden size: norms stay on every GPU";
        config.set(
            "zero_optimization.stage3_param_persistence_threshold",
            small,
            reason,
        );
        let most = 1_000_000_000;
        config.set(
            "zero_optimization.stage3_max_live_parameters",
            most,
            "gathered parameters at a time",
        );
        config.set(
            "zero_optimization.stage3_max_reuse_distance",
            most,
            "what is needed again soon stays",
        );
        let reason = "saves weights that other programs can load";
        config.set(
            "zero_optimization.stage3_gather_16bit_weights_on_model_save",
            true,
            reason,
        );
    }
    if layout.offload.optimizer {
        let reason =
            "master weights, moments and gradients live in host memory; the step runs there";
        config.set("zero_optimization.offload_optimizer.device", "cpu", reason);
        config.set(
            "zero_optimization.offload_optimizer.pin_memory",
            true,
            "faster copies over PCIe",
        );
    }
    if layout.offload.parameters {
        let reason = "weights live in host memory; each layer crosses PCIe when needed";
        config.set("zero_optimization.offload_param.device", "cpu", reason);
        config.set(
            "zero_optimization.offload_param.pin_memory",
            true,
            "faster copies over PCIe",
        );
    }
}

/// Where `DeepSpeed` does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let layout = &emission.plan.layout;
    let mut out = Vec::new();
    if (layout.optimizer_bytes - 8.0).abs() > 0.5 {
        out.push(format!(
            "the estimate counts {} bytes of optimizer state per parameter; this configuration keeps 8.",
            words::figure(layout.optimizer_bytes)
        ));
    }
    if layout.fused_lm_head {
        out.push(
            "the estimate has no logits tensor: give your model a fused loss, Liger's for one."
                .to_owned(),
        );
    }
    out
}

fn batch(emission: &Emission) -> Section {
    let mut section =
        Section::new("As in ds_config.json: Hugging Face's Trainer refuses other values");
    let (micro, accumulation) = (micro(emission), accumulation(emission));
    section.set("--deepspeed", "ds_config.json", "the other file");
    section.set(
        "--per_device_train_batch_size",
        micro,
        "sequences of one forward pass on one GPU",
    );
    section.set(
        "--gradient_accumulation_steps",
        accumulation,
        format!(
            "{} make a batch of {}",
            plural(accumulation, "pass", "passes"),
            count(emission.job.workload.global_batch)
        ),
    );
    let half = if emission.job.workload.precision == Precision::Fp16 {
        "--fp16"
    } else {
        "--bf16"
    };
    section.set(half, "True", "precision of your question");
    section.set("--max_grad_norm", "1.0", "gradient_clipping");
    section.set(
        "--learning_rate",
        format!("{:e}", learning_rate(emission)),
        "a start; yours to tune",
    );
    section.set("--adam_beta2", "0.95", "betas");
    section.set("--weight_decay", "0.0", "weight_decay");
    section
}

fn model(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new("What ds_config.json cannot say");
    let (path, reason) = model_path(&job.model);
    section.set("--model_name_or_path", path, reason);
    section.set(
        "--dataset_name",
        home("data/train"),
        "change this to your data",
    );
    section.set(
        "--output_dir",
        home("output/shardwise"),
        "change this to your folder",
    );
    section.set(
        "--max_length",
        job.workload.sequence_length,
        "tokens, from your question",
    );
    let packed = job.workload.packing
        && job.workload.mean_sequence_length < job.workload.sequence_length as f64;
    if packed {
        section.set(
            "--packing",
            "True",
            "joins short sequences, from your question",
        );
    }
    let full = layout.recompute == Recompute::Full;
    let reason = if full {
        "each layer again from its input: far fewer activations"
    } else {
        "off: the activations fit"
    };
    section.set("--gradient_checkpointing", flag(full), reason);
    if let Some(lora) = &job.workload.lora {
        section.set("--use_peft", "True", "adapters, from your question");
        section.set("--lora_r", lora.rank, "from your question");
        section.set(
            "--lora_alpha",
            lora.rank.saturating_mul(2),
            "twice the rank, a usual choice",
        );
        match lora.targets {
            LoraTargets::AllLinear => {
                section.set("--lora_target_modules", "all-linear", "from your question")
            }
            LoraTargets::Attention => {
                section.set(
                    "--lora_target_modules",
                    "q_proj k_proj v_proj o_proj",
                    "from your question",
                );
            }
        }
    }
    if job.workload.quantized_base() {
        section.set("--load_in_4bit", "True", "the base model in 4 bits");
        section.set(
            "--bnb_4bit_quant_storage",
            half_name(job.workload.precision),
            "so that ZeRO 3 can shard it",
        );
    }
    section
}

fn half_name(precision: Precision) -> &'static str {
    if precision == Precision::Fp16 {
        "float16"
    } else {
        "bfloat16"
    }
}

fn command(emission: &Emission) -> String {
    let hardware = &emission.job.hardware;
    let (count, gpus) = nodes(hardware.gpus, hardware.gpus_per_node).unwrap_or((1, 1));
    let hosts = if count > 1 {
        " --hostfile \"$HOME/hostfile\""
    } else {
        ""
    };
    format!(
        "# train.py is your script on Hugging Face's Trainer; these are TRL's names.\n\
         deepspeed{hosts} --num_nodes {count} --num_gpus {gpus} train.py \"${{args[@]}}\""
    )
}
