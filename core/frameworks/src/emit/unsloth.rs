//! Unsloth: a program that loads the model, gives it adapters and trains it with TRL, on one GPU or a copy on each.
//!
//! Its keywords, in the wheel of 2026.10.9: `unsloth/models/loader.py:1241`, `FastLanguageModel.from_pretrained`;
//! `unsloth/models/llama.py:4569`, `get_peft_model`; those of TRL's configurations, whose defaults `unsloth/models/rl.py:3310`
//! changes.

mod reinforcement;

use super::choices::{ATTENTION, adapters, half, half_type, kept_reason, other_states, passes, preference, rate};
use super::optimizer::{keeps, kept_moments};
use super::python::{self, Block, list, word};
use super::text::{Section, flag, head, torchrun};
use super::trainer::{self, model_folder};
use super::{Emission, Snippet, Unsupported};
use shardwise_question::plan::{Recompute, RolloutPlan};
use shardwise_question::task::{Learns, Preference};
use shardwise_question::wire::{Backend, LoraTargets, Optimizer, WorkloadKind};
use shardwise_question::workload::{Lora, Workload};
use shardwise_rules::optimizer::hugging_face;
use shardwise_rules::unsloth::narrow;

const FILE: &str = "train_unsloth.py";

/// The program for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let (workload, rollout) = (&emission.job.workload, emission.plan.rollout.as_ref());
    let trainer = trainer(workload);
    let mut lines = head(emission, &warnings(emission));
    let launcher = if emission.job.hardware.gpus > 1 { torchrun(emission.job) } else { "python".to_owned() };
    trainer::start(&mut lines, emission.job, true, &format!("{launcher} {FILE}"));
    let loaded = [Some(model(emission)), rollout.map(|rollout| reinforcement::engine(emission, rollout))];
    let mut blocks = vec![
        imports(emission, trainer, rollout),
        Block::Call(
            "model, tokenizer = FastLanguageModel.from_pretrained".to_owned(),
            loaded.into_iter().flatten().collect(),
        ),
    ];
    if let Some(lora) = workload.lora {
        let sections = vec![carried(emission, lora)];
        blocks.push(Block::Call("model = FastLanguageModel.get_peft_model".to_owned(), sections));
    }
    let mut sections = match (&workload.rl, workload.kind.preference()) {
        (Some(rl), _) => vec![reinforcement::batch(emission, rl), reinforcement::algorithm(emission, rl)],
        (None, Some(own)) => vec![batch(emission), loss(emission, own)],
        (None, None) => vec![batch(emission)],
    };
    sections.push(run(emission));
    blocks.push(Block::Call(format!("args = {trainer}Config"), sections));
    blocks.push(trains(trainer, workload.rl.is_some()));
    Ok(vec![python::snippet(FILE, &lines, &blocks)])
}

/// TRL's trainer, by what stands before `Trainer` and `Config`.
fn trainer(workload: &Workload) -> &'static str {
    match workload.kind.preference().map(|own| own.learns) {
        _ if workload.rl.is_some() => "GRPO",
        Some(Learns::HeldByMismatched) => "KTO",
        Some(_) => "DPO",
        None => "SFT",
    }
}

fn imports(emission: &Emission, trainer: &str, rollout: Option<&RolloutPlan>) -> Block {
    let before = |rollout| reinforcement::before(emission, rollout);
    let mut lines = rollout.map(before).unwrap_or_default();
    lines.extend([
        ("from unsloth import FastLanguageModel".to_owned(), "first: it changes what is imported after it"),
        ("import torch".to_owned(), ""),
        ("from datasets import load_dataset".to_owned(), ""),
        (format!("from trl import {trainer}Config, {trainer}Trainer"), ""),
    ]);
    if rollout.is_some() {
        let reason = "a rule: compares with the column solution, by math-verify; change this to yours";
        lines.push(("from trl.rewards import accuracy_reward".to_owned(), reason));
    }
    Block::Lines(lines)
}

fn trains(trainer: &str, scored: bool) -> Block {
    let data = "dataset = load_dataset(\"json\", data_files=\"./data/train.jsonl\", split=\"train\")";
    let rewards = if scored { "reward_funcs=[accuracy_reward], " } else { "" };
    Block::Lines(vec![
        (data.to_owned(), "change this to your data"),
        (
            format!(
                "trainer = {trainer}Trainer(model=model, processing_class=tokenizer, {rewards}args=args, train_dataset=dataset)"
            ),
            "",
        ),
        ("trainer.train()".to_owned(), ""),
    ])
}

/// Where Unsloth does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let layout = &emission.plan.layout;
    let moments = kept_moments(emission, layout, if half_moments(emission) { 4.0 } else { 8.0 });
    let [weights, gradients] = match (emission.job.workload.lora.is_some(), narrow(layout)) {
        // What is not frozen is in fp32 (`unsloth/models/vision.py:5435`).
        (true, _) => [2.0, 4.0],
        (false, false) => [4.0, 4.0],
        (false, true) => [2.0, 2.0],
    };
    let mut out = other_states(layout, [weights, gradients, moments], "Unsloth");
    if !layout.fused_lm_head {
        out.push(
            "Unsloth computes the loss without the logits; the plan holds them, so there is more room than estimated."
                .to_owned(),
        );
    }
    if let Some(rl) = &emission.job.workload.rl {
        out.extend(reinforcement::warnings(emission, rl));
    }
    out
}

/// Whether AdamW's moments have 16 bits, as the weights that it steps: PyTorch's have their type, bitsandbytes' their own.
fn half_moments(emission: &Emission) -> bool {
    let layout = &emission.plan.layout;
    emission.job.workload.full_parameter() && narrow(layout) && layout.optimizer.kind == Optimizer::Adamw
}

fn model(emission: &Emission) -> Section {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut section = Section::new("Model");
    let (path, reason) = model_folder(emission);
    section.set("model_name", word(path), reason);
    match &workload.rl {
        Some(rl) => section.set("max_seq_length", rl.max_length(), "prompt and response"),
        None => {
            section.set("max_seq_length", workload.sequence_length, "tokens, from your question; what is longer is cut")
        }
    }
    section.set("dtype", format!("torch.{}", half_type(workload.precision)), "precision of your question");
    let (full, quantized) = (workload.full_parameter(), workload.quantized_base());
    let reason = match (quantized, full) {
        (true, _) => "the base model in 4 bits",
        (_, true) => "weights that are trained have 16 bits or more",
        _ => "the frozen base in 16 bits",
    };
    section.set("load_in_4bit", flag(quantized), reason);
    if quantized {
        // `loader.py:2397`: a name that Unsloth knows becomes its own copy, in which some matrices have more bits.
        let reason = "every matrix in 4 bits, as estimated; Unsloth's own copies keep some in 16";
        section.set("use_exact_model_name", "True", reason);
    }
    let reason = if full { "trains every weight" } else { "trains adapters alone" };
    section.set("full_finetuning", flag(full), reason);
    if full {
        let (wide, reason) = if narrow(layout) {
            (false, "weights, gradients and moments in 16 bits, as the plan says")
        } else {
            (true, "weights, gradients and moments in fp32; products read 16 bits")
        };
        section.set("float32_mixed_precision", flag(wide), reason);
        checkpointing(&mut section, emission);
    }
    section
}

/// `apply_unsloth_gradient_checkpointing` (`unsloth/models/_utils.py:502`): `"unsloth"` moves the inputs of layers to host memory
/// (`unsloth_zoo/gradient_checkpointing.py:608`), `True` keeps them.
fn checkpointing(section: &mut Section, emission: &Emission) {
    let layout = &emission.plan.layout;
    let (value, reason) = match (layout.recompute == Recompute::Full, layout.offload.activations) {
        (true, true) => (word("unsloth"), "each layer again from its input, which waits in host memory"),
        (true, false) => ("True".to_owned(), "each layer again from its input: far fewer activations"),
        (false, _) => ("False".to_owned(), kept_reason(emission.answer.fits)),
    };
    section.set("use_gradient_checkpointing", value, reason);
}

fn carried(emission: &Emission, lora: Lora) -> Section {
    let mut section = Section::new("Adapters");
    section.set("model", "model", "the base, loaded above");
    adapters(&mut section, lora, "r", "lora_alpha");
    let modules = match lora.targets {
        LoraTargets::AllLinear => word("all-linear"),
        LoraTargets::Attention => list(&ATTENTION),
    };
    section.set("target_modules", modules, "from your question");
    checkpointing(&mut section, emission);
    section
}

fn batch(emission: &Emission) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Batch");
    passes(&mut section, emission, "per_device_train_batch_size", "gradient_accumulation_steps");
    if workload.kind.preference().is_some() {
        let reason = "tokens of prompt and response, from your question";
        section.set("max_length", workload.sequence_length, reason);
        return section;
    }
    // `unsloth/trainer.py:1975`: where nothing is said, Unsloth chooses.
    let joins = workload.joins();
    let reason = if joins {
        "sequences side by side, no padding tokens"
    } else {
        "each sequence is padded to the longest of a pass"
    };
    section.set("padding_free", flag(joins), reason);
    section
}

fn loss(emission: &Emission, own: &Preference) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Loss");
    if workload.kind == WorkloadKind::Ipo {
        section.set("loss_type", word("ipo"), "a squared loss, from your question");
    }
    section.set("beta", preference::BETA, preference::BETA_REASON);
    if own.has_reference() && !workload.reference {
        let reason = "the reference is evaluated once, before training";
        section.set("precompute_ref_log_probs", "True", reason);
    }
    section
}

fn run(emission: &Emission) -> Section {
    let (workload, own) = (&emission.job.workload, emission.plan.layout.optimizer.kind);
    let mut section = Section::new("Run");
    section.set(half(workload.precision), "True", "precision of your question");
    section.set("learning_rate", rate(workload), "a start; yours to tune");
    let name = hugging_face(Backend::Ddp, own).unwrap_or("adamw_torch_fused");
    let reason = if half_moments(emission) { "two moments of 2 bytes each, as the weights" } else { keeps(own) };
    section.set("optim", word(name), reason);
    trainer::length(&mut section, emission, ["max_steps", "num_train_epochs"]);
    section.set("report_to", word("none"), "no account is needed");
    section.set("output_dir", word("./output/shardwise"), "change this to your folder");
    section
}
