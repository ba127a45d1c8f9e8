//! Megatron-Bridge 0.3.1: the recipes that it has, and what its overrides can say.

use super::megatron_lm::{core, joined, trains};
use super::{Path, Rules};
use shardwise_catalog::error::InputError;
use shardwise_question::job::Job;
use shardwise_question::plan::{Plan, Recompute};
use shardwise_question::wire::{Attention, RecomputeModule, WorkloadKind};

/// A model's recipes: catalog id, what their names begin with, and how they fine-tune
/// (`src/megatron/bridge/recipes/` of tag v0.3.1).
pub struct Recipe {
    id: &'static str,
    /// What the names of its recipes begin with.
    pub name: &'static str,
    tunes: Tunes,
}

/// How a model's recipes fine-tune it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tunes {
    Not,
    Fully,
    AdaptersToo,
}

const fn all(id: &'static str, name: &'static str) -> Recipe {
    let tunes = Tunes::AdaptersToo;
    Recipe { id, name, tunes }
}

const fn pretrains(id: &'static str, name: &'static str) -> Recipe {
    let tunes = Tunes::Not;
    Recipe { id, name, tunes }
}

static RECIPES: &[Recipe] = &[
    pretrains("deepseek-v2-lite", "deepseek_v2_lite"),
    pretrains("deepseek-v2", "deepseek_v2"),
    pretrains("deepseek-v3", "deepseek_v3"),
    all("gemma-2-2b", "gemma2_2b"),
    all("gemma-2-9b", "gemma2_9b"),
    all("gemma-2-27b", "gemma2_27b"),
    all("gemma-3-1b", "gemma3_1b"),
    all("glm-4.5", "glm45_355b"),
    all("glm-4.5-air", "glm45_air_106b"),
    all("gpt-oss-20b", "gpt_oss_20b"),
    all("gpt-oss-120b", "gpt_oss_120b"),
    pretrains("gpt3-175b", "gpt3_175b"),
    pretrains("llama-2-7b", "llama2_7b"),
    all("llama-3-8b", "llama3_8b"),
    all("llama-3-70b", "llama3_70b"),
    all("llama-3.1-8b", "llama31_8b"),
    all("llama-3.1-70b", "llama31_70b"),
    all("llama-3.1-405b", "llama31_405b"),
    all("llama-3.2-1b", "llama32_1b"),
    all("llama-3.2-3b", "llama32_3b"),
    all("moonlight-16b-a3b", "moonlight_16b"),
    all("olmoe-1b-7b", "olmoe_7b"),
    all("qwen2-0.5b", "qwen2_500m"),
    all("qwen2-1.5b", "qwen2_1p5b"),
    all("qwen2-7b", "qwen2_7b"),
    all("qwen2-72b", "qwen2_72b"),
    all("qwen2.5-0.5b", "qwen25_500m"),
    all("qwen2.5-1.5b", "qwen25_1p5b"),
    all("qwen2.5-7b", "qwen25_7b"),
    all("qwen2.5-14b", "qwen25_14b"),
    all("qwen2.5-32b", "qwen25_32b"),
    all("qwen2.5-72b", "qwen25_72b"),
    all("qwen3-0.6b", "qwen3_600m"),
    all("qwen3-1.7b", "qwen3_1p7b"),
    all("qwen3-4b", "qwen3_4b"),
    all("qwen3-8b", "qwen3_8b"),
    all("qwen3-14b", "qwen3_14b"),
    all("qwen3-32b", "qwen3_32b"),
    all("qwen3-30b-a3b", "qwen3_30b_a3b"),
    all("qwen3-235b-a22b", "qwen3_235b_a22b"),
    Recipe { id: "qwen3-next-80b-a3b", name: "qwen3_next_80b_a3b", tunes: Tunes::Fully },
];

/// The recipes of a model.
pub fn recipe(id: &str) -> Option<&'static Recipe> {
    RECIPES.iter().find(|recipe| recipe.id == id)
}

/// What Megatron-Bridge refuses, or has no recipe or override for.
#[must_use]
pub fn violations(job: &Job, plan: &Plan) -> Vec<InputError> {
    let mut rules = Rules::default();
    let (workload, layout, shape) = (&job.workload, &plan.layout, &job.model.shape);
    match workload.kind {
        WorkloadKind::Qlora => rules.refuse(
            "workload.kind",
            "Megatron-Bridge's recipes load no 4-bit base model. Choose lora, or take DeepSpeed's flags.",
        ),
        kind => trains(&mut rules, kind, "Megatron-Bridge"),
    }
    match recipe(&job.model.id) {
        None => rules.refuse(
            "model",
            "Shardwise knows no recipe of Megatron-Bridge 0.3.1 for this model. Take Megatron-LM's arguments, which describe the model.",
        ),
        Some(recipe) => {
            let (has, what) = match workload.kind {
                WorkloadKind::Sft => (recipe.tunes != Tunes::Not, "fine-tunes"),
                WorkloadKind::Lora => (recipe.tunes == Tunes::AdaptersToo, "trains adapters of"),
                _ => (true, ""),
            };
            rules.require(has, "workload.kind", || {
                format!("No recipe of Megatron-Bridge 0.3.1 {what} this model. Choose another kind, or take another framework's flags.")
            });
        }
    }
    let glm = recipe(&job.model.id).is_some_and(|recipe| recipe.name.starts_with("glm45"));
    rules.require(!(glm && workload.joins()), "workload.packing", || {
        "The recipes of GLM-4.5 take no packed sequences. Set packing to false.".to_owned()
    });
    // `ConfigContainer.validate` of its fine-tuning recipe finds `multi_latent_attention` unset.
    let moonlight = job.model.id == "moonlight-16b-a3b" && workload.kind != WorkloadKind::Pretrain;
    let projected = matches!(layout.recompute, Recompute::Selective(modules)
        if modules.contains(RecomputeModule::MlaUpProj));
    rules.require(!(moonlight && projected), "plan.recompute", || {
        "Megatron-Bridge 0.3.1 refuses mla_up_proj in recompute_modules where this model is fine-tuned. Leave it out.".to_owned()
    });
    core(&mut rules, job, layout);
    rules.require(layout.attention == Attention::Flash, "plan.attention", || {
        "No override chooses the attention kernel: a recipe holds an object there. Set attention to flash.".to_owned()
    });
    // megatron-core's `TransformerConfig`, for `gated_delta_net`.
    if shape.layer_pattern.contains('L') {
        let field = Path("").of("context_parallel");
        rules.require(layout.context_parallel == 1, &field, || {
            "Linear attention is not split along the sequence. Set context_parallel to 1.".to_owned()
        });
        let heads = shape.linear.num_key_heads;
        rules.divides(layout.tensor_parallel.into(), heads, Path("").of("tensor_parallel"), || {
            format!("{heads} heads of linear attention cannot be split evenly.")
        });
    }
    // `ConfigContainer.validate`.
    let one = super::deepspeed::micro(layout, workload.sequence_length) == 1;
    let tunes = workload.kind != WorkloadKind::Pretrain;
    if !tunes {
        joined(&mut rules, workload);
    }
    let field = "plan.max_tokens_per_gpu";
    rules.require(!(tunes && workload.joins()) || one, field, || {
        "A micro-batch of packed sequences is one pack. Set max_tokens_per_gpu to the sequence length, or packing to false."
            .to_owned()
    });
    rules.0
}
