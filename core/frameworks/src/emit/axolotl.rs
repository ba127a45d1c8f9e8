//! axolotl: one YAML for `axolotl train`, and `DeepSpeed`'s file beside it.

use super::choices::{self, half, passes, preference, recompute_reason};
use super::optimizer::keeps;
use super::text::{Section, head};
use super::trainer::{self, beside, model_folder, optimizer};
use super::{Emission, Snippet, Unsupported, words, yaml};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::task::Preference;
use shardwise_question::wire::{Backend, LoraTargets, Optimizer, Precision, WorkloadKind};
use shardwise_question::workload::Workload;
use shardwise_rules::axolotl::mesh;
use shardwise_rules::grid;

/// The configuration for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let mut lines = head(emission, &warnings(emission));
    trainer::start(&mut lines, emission.job, false, &start(emission));
    let sections = [data(emission), run(emission), layout(emission), memory(emission), adapters(emission)];
    let mut snippets = vec![yaml::snippet("axolotl.yaml", &lines, &sections)];
    snippets.extend(beside(emission));
    Ok(snippets)
}

fn start(emission: &Emission) -> String {
    let (count, gpus) = grid(emission.job);
    let meet =
        if count > 1 { " --rdzv_backend c10d --rdzv_id shardwise --rdzv_endpoint \"$MASTER_ADDR:29500\"" } else { "" };
    format!("axolotl train axolotl.yaml --launcher torchrun -- --nnodes {count} --nproc_per_node {gpus}{meet}")
}

/// Where axolotl does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let layout = &emission.plan.layout;
    let mut out = trainer::warnings(emission, "axolotl");
    if layout.context_parallel > 1 && emission.job.workload.joins() {
        // integrations/context_parallel/plugin.py: packed sequences are sharded contiguously.
        out.push(
            "axolotl gives each rank of a ring a whole part of packed sequences: the last has more to attend to."
                .to_owned(),
        );
    }
    out
}

fn data(emission: &Emission) -> Section {
    let mut section = Section::new("Model and data");
    let workload = &emission.job.workload;
    let (path, reason) = model_folder(emission);
    section.set("base_model", path, reason);
    if workload.kind == WorkloadKind::Pretrain {
        section.set("pretraining_dataset", "[{path: ./data/train, type: pretrain}]", "change this to your data");
        section.set("streaming", "true", "read while training");
        section.set("reinit_weights", "true", "weights at random; false goes on from the checkpoint");
    } else {
        let data = format!("[{{path: ./data/train.jsonl, type: {}}}]", format_of(workload.kind));
        section.set("datasets", data, "change this to your data");
    }
    section.set("sequence_len", workload.sequence_length, "tokens, from your question");
    let packing = workload.joins();
    let reason = if packing { "joins short sequences, from your question" } else { "each sequence by itself" };
    section.set("sample_packing", packing, reason);
    let whole = !workload.varies() || workload.kind == WorkloadKind::RewardModel;
    let reason = if packing || whole { "every batch is as long" } else { "to the longest of a batch" };
    section.set("pad_to_sequence_len", packing || whole, reason);
    section.set("output_dir", "./output/shardwise", "change this to your folder");
    section
}

fn run(emission: &Emission) -> Section {
    let mut section = Section::new("Batch and optimizer");
    passes(&mut section, emission, "micro_batch_size", "gradient_accumulation_steps");
    trainer::reduces(&mut section, emission);
    step_by(&mut section, &emission.plan.layout);
    optimizer(&mut section, emission);
    loss(&mut section, &emission.job.workload);
    section.set("lr_scheduler", "cosine", "usual for language models");
    let pretrain = emission.job.workload.kind == WorkloadKind::Pretrain;
    if pretrain && !emission.job.workload.has_run() {
        section.set("max_steps", 10_000, "yours to choose");
    } else {
        trainer::length(&mut section, emission, ["max_steps", "num_epochs"]);
    }
    trainer::intervals(&mut section);
    section
}

/// How axolotl reads a line of data (`prompt_strategies/`).
fn format_of(kind: WorkloadKind) -> &'static str {
    use WorkloadKind::{Dpo, Ipo, Kto, Orpo, RewardModel, Simpo};
    match kind {
        Dpo | Ipo | Simpo => "chat_template.default",
        Kto => "chatml.argilla",
        Orpo => "chat_template.argilla",
        RewardModel => "bradley_terry.chat_template",
        _ => "chat_template",
    }
}

/// The loss of preference data.
fn loss(section: &mut Section, workload: &Workload) {
    use WorkloadKind::{Dpo, Ipo, Kto, Orpo, RewardModel, Simpo};
    let (rl, key, beta, reason) = match workload.kind {
        Dpo | Ipo => ("dpo", "rl_beta", preference::BETA, preference::BETA_REASON),
        Kto => ("kto", "rl_beta", preference::BETA, preference::BETA_REASON),
        Orpo => ("orpo", "orpo_alpha", preference::ORPO_WEIGHT, preference::ORPO_REASON),
        Simpo => ("simpo", "rl_beta", preference::SIMPO_BETA, preference::SIMPO_BETA_REASON),
        RewardModel => {
            section.set("reward_model", "true", "from your question");
            return;
        }
        _ => return,
    };
    section.set("rl", rl, "from your question");
    section.set(key, beta, reason);
    match workload.kind {
        Ipo => section.set("dpo_loss_type", "[ipo]", "a squared loss, from your question"),
        Kto => section.set("remove_unused_columns", "false", "KTO reads the columns"),
        Simpo => section.set("simpo_gamma", preference::SIMPO_GAMMA, preference::SIMPO_GAMMA_REASON),
        _ => {}
    }
    if workload.kind.preference().is_some_and(Preference::has_reference) && !workload.reference {
        section.set("precompute_ref_log_probs", "true", "the reference is evaluated once, before training");
    }
}

/// What steps the weights, where `DeepSpeed`'s file does not say it.
fn step_by(section: &mut Section, layout: &Layout) {
    match layout.optimizer.kind {
        Optimizer::Muon => section.set("optimizer", "muon", keeps(Optimizer::Muon)),
        Optimizer::Adamw if layout.backend != Backend::Deepspeed => {
            section.set("optimizer", "adamw_torch_fused", "two moments");
        }
        _ => {
            if let Some((word, reason)) = super::optimizer::trainer(layout) {
                section.set("optimizer", word, reason);
            }
        }
    }
}

fn layout(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new(format!("Layout: {}", words::layout_title(layout, emission.job.hardware.gpus)));
    match layout.backend {
        Backend::Deepspeed => {
            section.set("deepspeed", "ds_config.json", "the other file");
            if layout.ulysses_parallel > 1 {
                let reason = "GPUs that split each sequence by heads: DeepSpeed's Ulysses";
                section.set("context_parallel_size", layout.ulysses_parallel, reason);
            }
        }
        Backend::Fsdp => {
            section.set("fsdp_version", 2, "shards by parameter");
            let keys = [
                "auto_wrap_policy",
                "state_dict_type",
                "reshard_after_forward",
                "offload_params",
                "cpu_ram_efficient_loading",
            ];
            trainer::fsdp2(&mut section, emission, "", keys);
            splits(emission, &mut section);
        }
        _ => {}
    }
    section
}

fn splits(emission: &Emission, section: &mut Section) {
    let layout = &emission.plan.layout;
    let (shard, copies) = mesh(layout, emission.job.hardware.gpus).unwrap_or((1, 1));
    if shard > 1 {
        section.set("dp_shard_size", shard, "ranks that shard the weights");
    }
    for (key, size, reason) in [
        ("dp_replicate_size", copies, "copies of the sharded model"),
        ("tensor_parallel_size", layout.tensor_parallel, "GPUs that split each matrix"),
        ("expert_parallel_size", layout.expert_parallel, "GPUs that share the experts"),
    ] {
        if size > 1 {
            section.set(key, size, reason);
        }
    }
    split_sequences(layout, section);
}

/// How Ringmaster splits each sequence (`integrations/context_parallel/args.py`): left to itself it would choose by the heads
/// and the node.
fn split_sequences(layout: &Layout, section: &mut Section) {
    let (ring, heads) = (layout.context_parallel, layout.ulysses_parallel);
    let backend = match (ring > 1, heads > 1) {
        (false, false) => return,
        (true, false) => "ring",
        (false, true) => "ulysses",
        (true, true) => "usp",
    };
    section.set("context_parallel.size", ring * heads, "GPUs that split each sequence; needs axolotl[ringmaster]");
    section.set("context_parallel.backend", backend, "how they do: in a ring, by heads (Ulysses), or both");
    if backend == "usp" {
        section.set("context_parallel.ulysses_size", heads, "GPUs that split the heads");
        section.set("context_parallel.ring_size", ring, "GPUs of the ring");
    }
}

fn memory(emission: &Emission) -> Section {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut section = Section::new("Memory and kernels");
    section.set(half(workload.precision), "true", "precision of your question");
    if workload.precision == Precision::Fp8 {
        section.set("fp8", "true", "products in 8 bits, from your question; needs torchao");
        section.set("fp8_enable_fsdp_float8_all_gather", "true", "weights are gathered in 8 bits");
        section.set("torch_compile", "true", "without it 8 bits are no faster");
    }
    let again = layout.recompute == Recompute::Full;
    section.set("gradient_checkpointing", again, recompute_reason(again, emission));
    if again {
        section.set("gradient_checkpointing_kwargs.use_reentrant", "false", "what FSDP2 and offloading ask for");
    }
    if layout.offload.activations {
        section.set("activation_offloading", "hidden_states", "the layers' inputs wait in host memory");
    }
    trainer::attention(&mut section, emission, "attn_implementation", ("eager", |word| word));
    if layout.fused_lm_head {
        section.set("plugins", "[axolotl.integrations.liger.LigerPlugin]", "what the key below asks for");
        section.set("liger_fused_linear_cross_entropy", "true", "no logits tensor, as the plan says");
    }
    section
}

fn adapters(emission: &Emission) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Adapters");
    let Some(lora) = workload.lora else {
        return section;
    };
    let quantized = workload.quantized_base();
    section.set("adapter", if quantized { "qlora" } else { "lora" }, "adapters alone train");
    if quantized {
        section.set("load_in_4bit", "true", "the base model in 4 bits");
    }
    choices::adapters(&mut section, lora, "lora_r", "lora_alpha");
    section.set("lora_dropout", "0.0", "yours to choose");
    match lora.targets {
        LoraTargets::AllLinear => section.set("lora_target_linear", "true", "from your question"),
        LoraTargets::Attention => {
            section.set("lora_target_modules", format!("[{}]", choices::ATTENTION.join(", ")), "from your question")
        }
    }
    section
}
