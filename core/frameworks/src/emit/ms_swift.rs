//! ms-swift: the arguments of `swift sft`, `swift pt` or `swift rlhf`, and `DeepSpeed`'s or FSDP2's file beside them.
//!
//! Keys and defaults are those of 4.6.0: `swift/arguments/` (`sft_args.py`, `rlhf_args.py`, `tuner_args.py`, `base_args/`) and
//! `swift/trainers/arguments.py`, which take Hugging Face's `TrainingArguments` for the rest. `--tuner_type` was `--train_type`
//! up to 3.x.

mod model;

use super::choices::{
    ATTENTION, adapters, half_type, offload_reason, passes, preference, recompute_reason, reshard_reason,
};
use super::json::Config;
use super::optimizer::keeps;
use super::text::{Script, Section, WrittenSetting, head, home, model_path, rendezvous};
use super::words::{self, count};
use super::{Emission, Snippet, Unsupported, deepspeed, optimizer, trainer};
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::task::{Learns, Preference};
use shardwise_question::wire::{Backend, LoraTargets, Optimizer, Precision, VisionTower, WorkloadKind};
use shardwise_question::workload::{Logits, Workload};
use shardwise_rules::{grid, machines};

/// The texts for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let sections = vec![
        model::section(emission),
        data(emission),
        run(emission),
        loss(emission.job.workload.kind),
        teacher(emission),
        layout(emission),
        tuner(emission),
    ];
    let script = Script {
        head: head(emission, &warnings(emission)),
        setup: Vec::from_iter(rendezvous(machines(emission.job))),
        assign: " ",
        sections,
        command: command(emission),
    };
    let mut snippets = vec![script.into_snippet("train.sh")];
    match emission.plan.layout.backend {
        Backend::Deepspeed => snippets.push(deepspeed::filled_by_the_trainer(emission, "ds_config.json")),
        Backend::Fsdp => snippets.push(fsdp(emission).into_snippet("fsdp.json")),
        _ => {}
    }
    Ok(snippets)
}

/// What starts the run on each node: `swift` hands these variables to torchrun (`cli/main.py`, `get_torchrun_args`).
///
/// It spreads a model over the cards of a node that have no process (`utils/env.py`, `is_mp`): those beyond the plan's are
/// put out of sight.
fn command(emission: &Emission) -> String {
    let job = emission.job;
    let (nodes, gpus) = grid(job);
    let program = match job.workload.kind {
        WorkloadKind::Pretrain => "pt",
        kind if kind.preference().is_some() || job.workload.distillation.is_some() => "rlhf",
        _ => "sft",
    };
    let variable = if job.hardware.vendor() == Some("huawei") { "ASCEND_RT" } else { "CUDA" };
    let cards: Vec<String> = (0..gpus).map(|card| card.to_string()).collect();
    let cards = cards.join(",");
    let meet = if nodes > 1 {
        format!("NNODES={nodes} NODE_RANK=\"$NODE_RANK\" MASTER_ADDR=\"$MASTER_ADDR\" MASTER_PORT=29500 ")
    } else {
        String::new()
    };
    format!("{variable}_VISIBLE_DEVICES={cards} {meet}NPROC_PER_NODE={gpus} swift {program} \"${{args[@]}}\"")
}

/// Where ms-swift does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut out = trainer::warnings(emission, "ms-swift");
    if workload.kind == WorkloadKind::Pretrain {
        out.push("ms-swift goes on from the checkpoint's weights; it starts none at random.".to_owned());
    }
    if layout.fused_lm_head {
        out.push(
            "ms-swift passes over use_liger_kernel for models that Liger does not know, and says so in its log."
                .to_owned(),
        );
    }
    // pipelines/train/rlhf.py, _prepare_single_model: the reference is loaded by the same --torch_dtype.
    let held = workload.kind.preference().is_some_and(Preference::has_reference);
    if workload.distillation.is_some() && !layout.fused_lm_head {
        out.push("the estimate counts logits of prompts too; ms-swift keeps those of responses alone, so there is more room.".to_owned());
    }
    if held && loads_fp32(emission) {
        out.push(
            "the estimate counts 2 bytes of a weight of the reference; ms-swift loads it in fp32, as what trains."
                .to_owned(),
        );
    }
    if layout.optimizer.kind == Optimizer::Muon {
        out.push(
            "ms-swift takes Muon from Moonlight's repository on GitHub; without a network, give its clone by --local_repo_path."
                .to_owned(),
        );
    }
    out.extend(model::warnings(emission));
    out
}

/// Whether several sequences stand in one.
fn packs(emission: &Emission) -> bool {
    let workload = &emission.job.workload;
    workload.joins() || workload.kind == WorkloadKind::Pretrain && workload.packing
}

fn data(emission: &Emission) -> Section {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut section = Section::new("Data");
    let reason = match workload.kind.preference() {
        Some(own) if own.has_pairs() => "change this to your data: messages and rejected_response in each line",
        Some(_) => "change this to your data: messages and a label of true or false in each line",
        None if workload.kind == WorkloadKind::Pretrain => {
            "change this to your data: messages in each line, a document as the assistant's"
        }
        None if workload.images.is_some() => "change this to your data: messages and images in each line",
        None => "change this to your data: messages in each line",
    };
    section.set("--dataset", home("data/train.jsonl"), reason);
    section.set("--max_length", workload.sequence_length, "tokens, from your question");
    if let Some(most) = workload.images.and_then(|images| images.max_pixels) {
        section.set("--max_pixels", most, "larger images are scaled down, from your question");
    }
    let pretrain = workload.kind == WorkloadKind::Pretrain;
    if pretrain {
        section.set("--truncation_strategy", "split", "longer documents become several sequences");
    }
    if packs(emission) {
        let reason =
            if pretrain { "documents fill each sequence" } else { "joins short sequences, from your question" };
        section.set("--packing", "true", reason);
    } else if layout.context_parallel > 1 {
        section.set("--padding_free", "true", "its ring attention takes sequences side by side");
    }
    section.set("--output_dir", home("output/shardwise"), "change this to your folder");
    section
}

/// The same settings, each key as an option.
fn options(section: &mut Section, own: Section) {
    let (_, settings) = own.into_parts();
    section.extend(
        settings
            .into_iter()
            .map(|own| WrittenSetting { key: format!("--{}", own.key), ..own }),
    );
}

fn run(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Batch and optimizer");
    passes(&mut section, emission, "--per_device_train_batch_size", "--gradient_accumulation_steps");
    trainer::reduces_by_option(&mut section, emission);
    let mut own = Section::new("");
    trainer::steps_by(&mut own, &emission.job.workload, "");
    options(&mut section, own);
    step_by(&mut section, layout);
    trainer::length(&mut section, emission, ["--max_steps", "--num_train_epochs"]);
    let mut own = Section::new("");
    trainer::intervals(&mut own);
    options(&mut section, own);
    section
}

/// What steps the weights, where `DeepSpeed`'s file does not say it. Muon is a plugin (`optimizers/muon.py`).
fn step_by(section: &mut Section, layout: &Layout) {
    if layout.optimizer.kind == Optimizer::Muon {
        section.set("--optimizer", "muon", keeps(Optimizer::Muon));
    } else if let Some((word, reason)) = optimizer::trainer(layout) {
        section.set("--optim", word, reason);
    }
}

/// The loss of preference data: `_set_default` and `_init_simpo` of `rlhf_args.py` have other weights for some.
fn loss(kind: WorkloadKind) -> Section {
    use WorkloadKind::{Dpo, Ipo, Kto, Orpo, Simpo};
    let mut section = Section::new("Loss");
    let (beta, reason) = match kind {
        Dpo | Ipo | Kto => (preference::BETA, preference::BETA_REASON),
        Orpo => (preference::ORPO_WEIGHT, preference::ORPO_REASON),
        Simpo => (preference::SIMPO_BETA, preference::SIMPO_BETA_REASON),
        _ => return section,
    };
    if let Some(loss) = [(Dpo, "sigmoid"), (Ipo, "ipo")].iter().find(|(own, _)| *own == kind) {
        section.set("--loss_type", loss.1, "from your question");
    }
    section.set("--beta", beta, reason);
    if kind == Simpo {
        section.set("--simpo_gamma", preference::SIMPO_GAMMA, preference::SIMPO_GAMMA_REASON);
        section.set("--cpo_alpha", "0.0", "SimPO alone; above 0 the loss of fine-tuning is added, as CPO does");
    }
    section
}

/// The teacher of given text: `rlhf_trainers/gkd_trainer.py`, which the student's own texts leave at a share of 0.
fn teacher(emission: &Emission) -> Section {
    let mut section = Section::new("Teacher, beside the student");
    let Some(own) = &emission.job.workload.distillation else {
        return section;
    };
    let (path, reason) = model_path(&own.teacher);
    section.set("--teacher_model", path, reason);
    section.set("--lmbda", "0.0", "given text alone; above 0 the student writes a share of the batches");
    section.set("--beta", "0.5", "half way between the two divergences, ms-swift's default");
    if let Logits::TopK(k) = own.logits {
        section.set("--gkd_logits_topk", k, "the largest of each position, from your question");
    }
    section
}

fn layout(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new(format!("Layout: {}", words::layout_title(layout, job.hardware.gpus)));
    match layout.backend {
        Backend::Deepspeed => section.set("--deepspeed", "ds_config.json", "the other file"),
        Backend::Fsdp => section.set("--fsdp", "fsdp.json", "the other file"),
        _ => {}
    }
    let parts = layout.sequence_split();
    if parts > 1 {
        let reason = if layout.context_parallel > 1 {
            format!(
                "GPUs that split each sequence: {} by heads, as key and value heads allow, {} in a ring",
                layout.ulysses_parallel, layout.context_parallel
            )
        } else {
            "GPUs that split each sequence by heads".to_owned()
        };
        section.set("--sequence_parallel_size", parts, reason);
    }
    let again = layout.recompute == Recompute::Full;
    let (again, reason) = if again && layout.backend == Backend::Fsdp {
        (false, "FSDP recomputes, by fsdp.json")
    } else {
        (again, recompute_reason(again, emission))
    };
    section.set("--gradient_checkpointing", again, reason);
    // What learns from preferences reads the logits.
    if job.workload.kind.preference().is_none() {
        let reason = if layout.fused_lm_head {
            "no logits tensor, as the plan says; needs liger-kernel"
        } else {
            "its loss would have no logits; the plan has them"
        };
        section.set("--use_liger_kernel", layout.fused_lm_head, reason);
    }
    section
}

/// What trains: `TunerArguments`.
fn tuner(emission: &Emission) -> Section {
    let workload = &emission.job.workload;
    let Some(lora) = workload.lora else {
        let mut section = Section::new("What trains");
        section.set("--tuner_type", "full", "all weights train");
        if let Some(images) = workload.images {
            let reason = "what trains of the vision tower, from your question";
            section.set("--freeze_vit", images.tower != VisionTower::Trained, reason);
            section.set("--freeze_aligner", images.tower == VisionTower::Frozen, reason);
        } else if emission.job.model.parameters.vision > 0 {
            let reason = "the estimate trains the vision tower too; left out, it is frozen";
            section.set("--freeze_vit", "false", reason);
            section.set("--freeze_aligner", "false", "and what joins it to the language model");
        }
        return section;
    };
    let mut section = Section::new("Adapters");
    section.set("--tuner_type", "lora", "adapters alone train");
    adapters(&mut section, lora, "--lora_rank", "--lora_alpha");
    section.set("--lora_dropout", "0.0", "no masks to keep, as estimated; left out, it is 0.05");
    let targets = match lora.targets {
        LoraTargets::AllLinear => "all-linear".to_owned(),
        LoraTargets::Attention => ATTENTION.join(" "),
    };
    section.set("--target_modules", targets, "from your question");
    if workload.quantized_base() {
        section.set("--quant_method", "bnb", "bitsandbytes' NF4");
        section.set("--quant_bits", 4, "the base model in 4 bits");
        section.set("--bnb_4bit_quant_storage", half_type(workload.precision), "so that it can be sharded");
    }
    section
}

/// Whether weights are loaded in fp32: shards and copies are the master weights. `DeepSpeed` keeps master weights of its own,
/// and a base that does not train is read in 16 bits.
fn loads_fp32(emission: &Emission) -> bool {
    emission.plan.layout.backend != Backend::Deepspeed && emission.job.workload.full_parameter()
}

/// Keys of precision. In fp32 ms-swift would train in fp16 (`base_args/model_args.py`, `_init_mixed_precision`).
fn precision(section: &mut Section, emission: &Emission) {
    let own = emission.job.workload.precision;
    if !loads_fp32(emission) {
        let reason = "precision of your question; products and weights";
        section.set("--torch_dtype", half_type(own), reason);
        return;
    }
    section.set("--torch_dtype", "float32", "master weights; products read 16 bits");
    if own == Precision::Fp16 {
        section.set("--fp16", "true", "precision of your question");
    } else {
        section.set("--bf16", "true", "precision of your question");
        section.set("--fp16", "false", "left out, weights in fp32 train in it");
    }
}

/// `--fsdp` takes a file of this form (`sft_args.py`, `_init_fsdp`; `config/fsdp2.json` is its own).
fn fsdp(emission: &Emission) -> Config {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let quantized = job.workload.quantized_base();
    let mut config = Config::default();
    let shards = format!("{} GPUs, sharded layer by layer", count(job.hardware.gpus.into()));
    config.set("fsdp", "full_shard auto_wrap", shards);
    config.set("fsdp_config.fsdp_version", 2, "shards by parameter");
    config.set("fsdp_config.reshard_after_forward", layout.zero_stage == 3, reshard_reason(layout.zero_stage));
    config.set("fsdp_config.auto_wrap_policy", "TRANSFORMER_BASED_WRAP", "layer by layer");
    config.set("fsdp_config.cpu_offload", layout.offload.parameters, offload_reason(layout.offload.parameters));
    let reason = if quantized { "4-bit weights are made on every rank" } else { "rank 0 alone reads the checkpoint" };
    config.set("fsdp_config.cpu_ram_efficient_loading", !quantized, reason);
    let reason = "saves weights that other programs can load";
    config.set("fsdp_config.state_dict_type", "FULL_STATE_DICT", reason);
    let again = layout.recompute == Recompute::Full;
    config.set("fsdp_config.activation_checkpointing", again, recompute_reason(again, emission));
    config
}

/// The word of `--rlhf_type` for a way to learn from preferences or from a teacher, and why.
fn rlhf_type(workload: &Workload) -> Option<(&'static str, &'static str)> {
    if workload.distillation.is_some() {
        return Some(("gkd", "a teacher's probabilities, from your question"));
    }
    let kind = workload.kind;
    let own = kind.preference()?;
    Some(match (own.learns, kind) {
        (Learns::Scores, _) => ("rm", "a reward model, from your question"),
        (Learns::HeldByMismatched, _) => ("kto", "single responses, good or bad, from your question"),
        (_, WorkloadKind::Orpo) => ("orpo", "pairs of responses, from your question"),
        (_, WorkloadKind::Simpo) => ("simpo", "pairs of responses, from your question"),
        _ => ("dpo", "pairs of responses, from your question"),
    })
}
