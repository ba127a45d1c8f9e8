//! Megatron-Bridge: a recipe, and overrides of it in hydra's words.
//!
//! A recipe settles what a model is; everything that the plan decides is stated, as recipes differ.

use super::choices::{self, micro};
use super::megatron;
use super::text::{Script, Section, flag, head, home, list, torchrun};
use super::words::{amount, count, layout_title};
use super::{Emission, Snippet, Unsupported};
use crate::binding::At;
use shardwise_question::plan::Recompute;
use shardwise_question::wire::{LoraTargets, Precision, WorkloadKind};
use shardwise_rules::megatron_bridge::recipe;
use shardwise_rules::megatron_lm::samples;

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let Some(recipe) = recipe(&emission.job.model.id) else {
        return Err(Unsupported { message: "Megatron-Bridge has no recipe for this model.".to_owned() });
    };
    let kind = match emission.job.workload.kind {
        WorkloadKind::Lora => "peft",
        WorkloadKind::Sft => "sft",
        _ => "pretrain",
    };
    let script = Script {
        head: head(emission, &warnings(emission)),
        setup: megatron::setup(emission.job),
        assign: "=",
        sections: vec![
            batch(emission),
            data(emission),
            adapters(emission),
            layout(emission),
            memory(emission),
            kernels(emission),
            run(emission),
        ],
        command: format!(
            "# From the root of Megatron-Bridge's checkout, tag v{}.\n{} scripts/training/run_recipe.py --recipe {} \"${{args[@]}}\"",
            emission.version,
            torchrun(emission.job),
            recipe.function(kind)
        ),
    };
    Ok(vec![script.into_snippet("run_megatron_bridge.sh")])
}

/// Its name of the precision, and the bytes of a gradient with it (`training/mixed_precision.py`).
fn mixed(precision: Precision) -> (&'static str, f64) {
    match precision {
        Precision::Bf16 => ("bf16_mixed", 4.0),
        Precision::Fp16 => ("fp16_mixed", 2.0),
        Precision::Fp8 => ("bf16_with_fp8_current_scaling_mixed", 4.0),
        Precision::Mxfp8 => ("bf16_with_mxfp8_mixed", 4.0),
        Precision::Nvfp4 => ("bf16_with_nvfp4_mixed", 4.0),
    }
}

/// Where Megatron-Bridge does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut out = megatron::differences(layout, "Megatron-Bridge");
    let (name, bytes) = mixed(job.workload.precision);
    let counted = layout.gradient_bytes;
    if counted != bytes && [2.0, 4.0].contains(&counted) {
        out.push(format!(
            "the estimate counts {} bytes of a gradient; {name} sums them in {}.",
            amount(counted),
            amount(bytes)
        ));
    }
    out
}

fn batch(emission: &Emission) -> Section {
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let mut section = Section::new("Batch");
    section.set("model.seq_length", workload.sequence_length, "tokens, from your question");
    section.set("dataset.seq_length", workload.sequence_length, "as the model's");
    let ranks = u64::from(layout.data_parallel(emission.job.hardware.gpus)).max(1);
    let micro = micro(emission);
    section.set("train.micro_batch_size", micro, "of one forward pass");
    let reason = megatron::samples_reason(workload, micro, ranks);
    section.set("train.global_batch_size", samples(workload, micro.saturating_mul(ranks)), reason);
    section
}

fn data(emission: &Emission) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Data");
    if workload.kind == WorkloadKind::Pretrain {
        let reason = "change this to your data, as Megatron's preprocess_data.py writes it";
        section.set("dataset.blend", "\"[['$HOME/data/train_text_document'],null]\"", reason);
        return section;
    }
    section.set(
        "dataset.hf_dataset.dataset_name",
        "squad",
        "change this to your data on Hugging Face, in SQuAD's form",
    );
    let split = emission.plan.layout.context_parallel;
    if workload.joins() {
        section.set("dataset.offline_packing_specs.packed_sequence_size", workload.sequence_length, "tokens of a pack");
        // `run_recipe.py` pads each sequence as CP and TP split it.
    } else {
        section.set("dataset.enable_offline_packing", "false", "a sample is a sequence, as in your question");
        section.set("dataset.offline_packing_specs", "null", "goes with it");
        section.set("++dataset.dataset_kwargs.pad_to_max_length", "true", "each to the length that is estimated");
    }
    if split > 1 {
        section.set("model.calculate_per_token_loss", "true", "with CP a rank may hold no token that counts");
        section.set("ddp.average_in_collective", "false", "goes with it");
    }
    section
}

fn adapters(emission: &Emission) -> Section {
    let mut section = Section::new("Adapters");
    let Some(lora) = &emission.job.workload.lora else {
        return section;
    };
    // A recipe's adapters are no part of what hydra sees: `+` adds the keys, which the recipe's object then takes.
    choices::adapters(&mut section, *lora, "+peft.dim", "+peft.alpha");
    let attention = megatron::heads(&emission.job.model.shape).join(",");
    let modules = match lora.targets {
        LoraTargets::Attention => format!("'[{attention}]'"),
        LoraTargets::AllLinear => format!("'[{attention},linear_fc1,linear_fc2]'"),
    };
    section.set("+peft.target_modules", modules, "from your question");
    section
}

fn layout(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let (shape, gpus) = (&job.model.shape, job.hardware.gpus);
    let mut section = Section::new(format!("Layout: {}", layout_title(layout, gpus)));
    let key = |name: &str| format!("model.{name}");
    let (at, pp, layers) = (At::trained(emission), layout.pipeline_parallel, shape.num_hidden_layers);
    section.say("model.", megatron::MATRICES, &at);
    let chunks = layout.virtual_pipeline;
    if chunks > 1 {
        let reason = format!("chunks per stage: the bubble shrinks {chunks} times");
        section.set(key("virtual_pipeline_model_parallel_size"), chunks, reason);
        section.set(key("overlap_p2p_comm"), "true", "stages send while they compute");
        section.set(key("batch_p2p_comm"), "false", "goes with it");
    } else {
        let reason = "one chunk per stage";
        section.set(key("virtual_pipeline_model_parallel_size"), "null", reason);
    }
    section.set(key("pipeline_model_parallel_layout"), "null", "no stages by hand");
    if pp > 1 {
        for part in ["embedding", "loss"] {
            let name = format!("account_for_{part}_in_pipeline_split");
            section.set(key(&name), "false", "it counts as no layer");
        }
    }
    if let Some((last, reason)) = megatron::uneven_last_stage(layers, pp) {
        section.set(key("num_layers_in_last_pipeline_stage"), last, reason);
    }
    section.say("model.", megatron::SHARES, &at);
    section.say("model.", megatron::SEQUENCE, &at);
    section.say("ddp.", megatron::STATES, &at);
    section.say("optimizer.", megatron::STATES, &at);
    section.say("optimizer.", megatron::OPTIMIZER, &at);
    section.set("comm_overlap", "null", "the keys below say what overlaps");
    let overlap = layout.overlap;
    let gathers = overlap.parameters && layout.zero_stage >= 1;
    for (name, on, with) in [
        ("ddp.overlap_grad_reduce", overlap.gradients, "gradients, with the backward pass"),
        ("ddp.overlap_param_gather", gathers, "parameters, with the forward pass"),
        ("model.tp_comm_overlap", overlap.tensor_parallel, "tensor-parallel traffic, with its products"),
    ] {
        section.set(name, flag(on), with);
    }
    section
}

/// Why a type of the optimizer's states takes less than 4 bytes.
const NARROW: &str = "narrow optimizer states, from the plan";

fn memory(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Memory and precision");
    let key = |name: &str| format!("model.{name}");
    section.say("model.", megatron::RECOMPUTE, &At::trained(emission));
    if layout.recompute != Recompute::Full {
        // Recipes that recompute whole layers set these.
        for name in ["recompute_method", "recompute_num_layers"] {
            section.set(key(name), "null", "for whole layers alone");
        }
    }
    let narrow = megatron::narrow_states(layout);
    let away = megatron::stepped_on_host(layout, false);
    if away > 0.0 {
        let key = |name: &str| format!("optimizer.{name}");
        section.set(key("optimizer_cpu_offload"), "true", "the optimizer steps in host memory");
        let (fraction, own) = megatron::offload_fraction(away);
        section.set(key("optimizer_offload_fraction"), fraction, own);
        section.set(key("overlap_cpu_optimizer_d2h_h2d"), "true", "copies run beside the step");
    }
    let aware = away > 0.0 || !narrow.is_empty();
    let reason = if aware { "the one that offloads, and keeps narrow states" } else { "its states are of 4 bytes" };
    section.set("optimizer.use_precision_aware_optimizer", aware, reason);
    // Recipes differ in these types.
    for name in ["exp_avg_dtype", "exp_avg_sq_dtype", "main_params_dtype", "main_grads_dtype"] {
        let own = narrow.iter().find(|(own, _)| *own == name).map(|(_, word)| *word);
        let (word, reason) = match own {
            Some("bf16") => ("torch.bfloat16", NARROW),
            Some(_) => ("torch.float16", NARROW),
            None => ("torch.float32", "4 bytes of each weight"),
        };
        section.set(format!("optimizer.{name}"), word, reason);
    }
    let (name, _) = mixed(emission.job.workload.precision);
    section.set("mixed_precision", name, "precision of your question");
    section
}

fn kernels(emission: &Emission) -> Section {
    let (layout, shape) = (&emission.plan.layout, &emission.job.model.shape);
    let mut section = Section::new("Kernels");
    match megatron::graphs(layout.switches) {
        None => section.set("model.cuda_graph_impl", "none", "the estimate launches each kernel"),
        Some((word, scope)) => {
            section.set("model.cuda_graph_impl", word, "graphs replay the step, from the plan");
            section.set("model.cuda_graph_scope", list(scope.iter().copied()), "what they hold");
        }
    }
    let fused = layout.fused_loss;
    let reason = if fused { "the gradient takes the logits' place" } else { "off, as the plan says" };
    section.set("model.cross_entropy_loss_fusion", flag(fused), reason);
    if fused {
        section.set("model.cross_entropy_fusion_impl", "native", megatron::NATIVE_LOSS);
    }
    if shape.num_experts > 0 {
        let (dispatcher, _) = megatron::dispatcher(layout.switches);
        section.set("model.moe_token_dispatcher_type", dispatcher, megatron::dispatches(emission));
        if let Some((backend, reason)) = megatron::flex_backend(layout.switches) {
            section.set("model.moe_flex_dispatcher_backend", backend, reason);
        }
        if layout.switches.overlap_moe_expert_parallel_comm {
            section.set("model.overlap_moe_expert_parallel_comm", "true", megatron::EXPERTS_OVERLAP);
        }
        section.set("model.moe_grouped_gemm", "true", "one product for all experts of a GPU");
        section.set("model.moe_permute_fusion", "true", "one kernel sorts the tokens by expert");
        section.set("model.moe_shared_expert_overlap", "false", "shared experts wait for their turn");
        section.set("model.mtp_num_layers", "null", "the estimate predicts one token at a time");
    }
    section
}

fn run(emission: &Emission) -> Section {
    let workload = &emission.job.workload;
    let mut section = Section::new("Run");
    let (steps, reason) = megatron::steps(workload);
    section.set("train.train_iters", steps, reason);
    section.set("scheduler.lr_decay_iters", "null", "over all steps");
    let (rate, least) = match workload.kind {
        WorkloadKind::Pretrain => ("3e-4", "3e-5"),
        WorkloadKind::Lora => ("1e-4", "0.0"),
        _ => ("5e-6", "0.0"),
    };
    section.set("optimizer.lr", rate, "a start; yours to tune");
    section.set("optimizer.min_lr", least, "where the decay ends");
    if workload.kind != WorkloadKind::Pretrain {
        let reason = "change this to the weights that Megatron-Bridge converted";
        section.set("checkpoint.pretrained_checkpoint", home("checkpoints/base"), reason);
    }
    section.set("checkpoint.save", home("checkpoints/shardwise"), "change this to your folder");
    section.set("checkpoint.load", "null", "starts anew");
    section.set("checkpoint.save_interval", 500, count(500) + " steps");
    section
}
