//! `DeepSpeed`: `ds_config.json` in plain numbers, and the flags that it cannot carry.

use serde_json::{Map, Value, json};

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
    let mut reasons = Vec::new();
    let config = Value::Object(config(emission, &mut reasons));
    let text = serde_json::to_string_pretty(&config).map_err(|error| Unsupported {
        message: format!("The configuration is no JSON: {error}."),
    })?;
    let json = Snippet {
        file: "ds_config.json",
        language: Language::Json,
        text: text + "\n",
        reasons,
    };
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

fn micro(emission: &Emission) -> u64 {
    deepspeed_micro(&emission.plan.layout, emission.job.workload.sequence_length)
}

fn accumulation(emission: &Emission) -> u64 {
    let dp = u64::from(
        emission
            .plan
            .layout
            .data_parallel(emission.job.hardware.gpus),
    );
    emission.job.workload.global_batch / micro(emission).saturating_mul(dp).max(1)
}

fn learning_rate(emission: &Emission) -> f64 {
    match emission.job.workload.kind {
        WorkloadKind::Lora | WorkloadKind::Qlora => 1e-4,
        WorkloadKind::Pretrain => 3e-4,
        _ => 1e-5,
    }
}

/// The JSON, and a reason for each key in it.
fn config(emission: &Emission, reasons: &mut Vec<(String, String)>) -> Map<String, Value> {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut root = Map::new();
    let mut set = |map: &mut Map<String, Value>, path: &str, value: Value, reason: String| {
        let name = path.rsplit('.').next().unwrap_or(path);
        map.insert(name.to_owned(), value);
        reasons.push((path.to_owned(), reason));
    };
    let dp = layout.data_parallel(job.hardware.gpus);
    let (micro, accumulation) = (micro(emission), accumulation(emission));
    set(
        &mut root,
        "train_batch_size",
        job.workload.global_batch.into(),
        format!(
            "{} × {} micro-batches × {} ranks",
            count(micro),
            count(accumulation),
            dp
        ),
    );
    set(
        &mut root,
        "train_micro_batch_size_per_gpu",
        micro.into(),
        "Sequences of one forward pass on one GPU: the largest that fits and divides the batch."
            .to_owned(),
    );
    set(
        &mut root,
        "gradient_accumulation_steps",
        accumulation.into(),
        "Forward and backward passes before the optimizer steps.".to_owned(),
    );
    set(
        &mut root,
        "gradient_clipping",
        json!(1.0),
        "Stated because DeepSpeed's default has changed.".to_owned(),
    );
    let half = if job.workload.precision == Precision::Fp16 {
        "fp16"
    } else {
        "bf16"
    };
    set(
        &mut root,
        half,
        json!({ "enabled": true }),
        "Precision of your question.".to_owned(),
    );
    if layout.gradient_bytes >= 4.0 {
        let reason = "Gradients are summed in fp32, as the plan says.".to_owned();
        set(
            &mut root,
            "data_types",
            json!({ "grad_accum_dtype": "fp32" }),
            reason,
        );
    }
    if layout.tensor_parallel > 1 {
        let reason = format!("{} GPUs split each matrix.", layout.tensor_parallel);
        set(
            &mut root,
            "tensor_parallel",
            json!({ "autotp_size": layout.tensor_parallel }),
            reason,
        );
    }
    if layout.ulysses_parallel > 1 {
        let reason = format!(
            "{} GPUs split each sequence; the training script sets it up.",
            layout.ulysses_parallel
        );
        set(
            &mut root,
            "sequence_parallel_size",
            layout.ulysses_parallel.into(),
            reason,
        );
    }
    let optimizer = json!({
        "type": "AdamW",
        "params": { "lr": learning_rate(emission), "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.0 }
    });
    let reason = if layout.offload.optimizer {
        "Steps in host memory: DeepSpeed takes its CPU Adam. The learning rate is a start; yours to tune."
    } else {
        "DeepSpeed takes its fused Adam. The learning rate is a start; yours to tune."
    };
    set(&mut root, "optimizer", optimizer, reason.to_owned());
    let mut zero = Map::new();
    let mut zero_set = |key: &str, value: Value, reason: String| {
        zero.insert(key.to_owned(), value);
        reasons.push((format!("zero_optimization.{key}"), reason));
    };
    zero_keys(emission, &mut zero_set);
    root.insert("zero_optimization".to_owned(), Value::Object(zero));
    root
}

fn zero_keys(emission: &Emission, set: &mut dyn FnMut(&str, Value, String)) {
    let (layout, hidden) = (&emission.plan.layout, emission.job.model.shape.hidden_size);
    let stage = layout.zero_stage;
    let reason = match stage {
        0 => "Every GPU keeps everything.",
        1 => "Shards the optimizer states: least communication of the stages.",
        2 => "Shards optimizer states and gradients.",
        _ => "Shards weights too: each layer is gathered when needed.",
    };
    set("stage", stage.into(), reason.to_owned());
    if stage == 0 {
        return;
    }
    let overlap = layout.overlap.gradients;
    let reason = if overlap {
        "Gradients are reduced beside the backward pass."
    } else {
        "Off, as the plan says."
    };
    set("overlap_comm", overlap.into(), reason.to_owned());
    set(
        "contiguous_gradients",
        true.into(),
        "Keeps gradients from scattering over the memory.".to_owned(),
    );
    let bucket = hidden.saturating_mul(hidden).max(1);
    set(
        "reduce_bucket_size",
        bucket.into(),
        format!(
            "Hidden size squared, as Hugging Face's: {} of buffers.",
            gib(4.0 * bucket as f64 / f64::from(1u32 << 30))
        ),
    );
    if stage < 3 {
        set(
            "allgather_bucket_size",
            500_000_000.into(),
            "DeepSpeed's own.".to_owned(),
        );
    } else {
        set(
            "sub_group_size",
            1_000_000_000.into(),
            "Parameters the optimizer handles at a time.".to_owned(),
        );
        let prefetch = bucket / 10 * 9;
        set(
            "stage3_prefetch_bucket_size",
            prefetch.into(),
            "0.9 × hidden size squared: gathered ahead.".to_owned(),
        );
        let small = hidden.saturating_mul(10);
        set(
            "stage3_param_persistence_threshold",
            small.into(),
            "10 × hidden size: norms stay on every GPU.".to_owned(),
        );
        set(
            "stage3_max_live_parameters",
            1_000_000_000.into(),
            "Gathered parameters at a time.".to_owned(),
        );
        set(
            "stage3_max_reuse_distance",
            1_000_000_000.into(),
            "What is needed again soon stays.".to_owned(),
        );
        let reason = "Saves weights that other programs can load.";
        set(
            "stage3_gather_16bit_weights_on_model_save",
            true.into(),
            reason.to_owned(),
        );
    }
    let cpu = json!({ "device": "cpu", "pin_memory": true });
    if layout.offload.optimizer {
        let reason =
            "Master weights, moments and gradients live in host memory; the step runs there.";
        set("offload_optimizer", cpu.clone(), reason.to_owned());
    }
    if layout.offload.parameters {
        set(
            "offload_param",
            cpu,
            "Weights live in host memory; each layer crosses PCIe when needed.".to_owned(),
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
