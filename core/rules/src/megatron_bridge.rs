//! Megatron-Bridge 0.6.2: the recipes that it has, and what its overrides can say.

use super::asked::Asked;
use super::megatron_lm::{CORE, DOCUMENTS_ARE_JOINED, describes};
use super::optimizer::MUON_WAITS;
use super::rule::{Rule, all, divides, must, no_kind, when};
use super::shared::{FLASH, NO_IMAGES, NO_PREFERENCES, NO_RL, NO_TEACHER, TRAINS, USUAL_KERNEL};
use shardwise_catalog::error::InputError;
use shardwise_question::wire::Optimizer::Adamw;
use shardwise_question::wire::TokenDispatcher;
use shardwise_question::wire::WorkloadKind::{Lora, Pretrain, Qlora, Sft};

/// A model's recipes: catalog id, what their names begin with, and how they fine-tune
/// (`src/megatron/bridge/recipes/` of its 0.6.2).
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
    /// Its recipe for adapters raises that there are none yet.
    Fully,
    AdaptersToo,
}

const fn adapts(id: &'static str, name: &'static str) -> Recipe {
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
    adapts("gemma-2-2b", "gemma2_2b"),
    adapts("gemma-2-9b", "gemma2_9b"),
    adapts("gemma-2-27b", "gemma2_27b"),
    adapts("gemma-3-1b", "gemma3_1b"),
    adapts("glm-4.5", "glm45_355b"),
    adapts("glm-4.5-air", "glm45_air_106b"),
    adapts("gpt-oss-20b", "gpt_oss_20b"),
    adapts("gpt-oss-120b", "gpt_oss_120b"),
    pretrains("gpt3-175b", "gpt3_175b"),
    pretrains("llama-2-7b", "llama2_7b"),
    adapts("llama-3-8b", "llama3_8b"),
    adapts("llama-3-70b", "llama3_70b"),
    adapts("llama-3.1-8b", "llama31_8b"),
    adapts("llama-3.1-70b", "llama31_70b"),
    adapts("llama-3.1-405b", "llama31_405b"),
    adapts("llama-3.2-1b", "llama32_1b"),
    adapts("llama-3.2-3b", "llama32_3b"),
    adapts("moonlight-16b-a3b", "moonlight_16b"),
    adapts("olmoe-1b-7b", "olmoe_7b"),
    adapts("qwen2-0.5b", "qwen2_500m"),
    adapts("qwen2-1.5b", "qwen2_1p5b"),
    adapts("qwen2-7b", "qwen2_7b"),
    adapts("qwen2-72b", "qwen2_72b"),
    adapts("qwen2.5-0.5b", "qwen25_500m"),
    adapts("qwen2.5-1.5b", "qwen25_1p5b"),
    adapts("qwen2.5-7b", "qwen25_7b"),
    adapts("qwen2.5-14b", "qwen25_14b"),
    adapts("qwen2.5-32b", "qwen25_32b"),
    adapts("qwen2.5-72b", "qwen25_72b"),
    adapts("qwen3-0.6b", "qwen3_600m"),
    adapts("qwen3-1.7b", "qwen3_1p7b"),
    adapts("qwen3-4b", "qwen3_4b"),
    adapts("qwen3-8b", "qwen3_8b"),
    adapts("qwen3-14b", "qwen3_14b"),
    adapts("qwen3-32b", "qwen3_32b"),
    adapts("qwen3-30b-a3b", "qwen3_30b_a3b"),
    adapts("qwen3-235b-a22b", "qwen3_235b_a22b"),
    Recipe { id: "qwen3-next-80b-a3b", name: "qwen3_next_80b_a3b", tunes: Tunes::Fully },
];

/// Models whose recipes Shardwise does not write: what their names begin with. Their layers of several kinds are of
/// `HybridModelProvider` (`src/megatron/bridge/recipes/nemotronh/` of v0.6.0), whose pattern no override cuts into stages.
static SHIPPED: &[(&str, &str)] = &[
    ("nemotron-h-8b", "nemotronh_8b"),
    ("nemotron-h-56b", "nemotronh_56b"),
    ("nemotron-nano-9b-v2", "nemotron_nano_9b_v2"),
    ("nemotron-3-nano-30b-a3b", "nemotron_3_nano"),
    ("nemotron-3-super-120b-a12b", "nemotron_3_super"),
    ("nemotron-3-ultra-550b-a55b", "nemotron_3_ultra"),
];

/// A recipe of the model, or who has a text for it.
fn known(a: &Asked, broken: &mut Vec<InputError>) {
    let id = &a.job.model.id;
    if recipe(id).is_some() {
        return;
    }
    let shipped = SHIPPED.iter().find(|(own, _)| own == id).map(|(_, name)| *name);
    let says = if shipped.is_some() {
        "Megatron-Bridge 0.6.2 has recipes for this model, {recipe}_…, that Shardwise does not write. Start from one as it is, or choose another framework."
    } else if describes(a.shape) {
        "Shardwise knows no recipe of Megatron-Bridge 0.6.2 for this model. Take Megatron-LM's arguments, which describe the model."
    } else {
        "Shardwise knows no recipe of Megatron-Bridge 0.6.2 for this model. Choose another framework."
    };
    broken.push(a.refusal("model", says, &[("recipe", shipped.unwrap_or_default())]));
}

impl Recipe {
    /// The function of this kind: `pretrain`, `sft` or `peft`.
    #[must_use]
    pub fn function(&self, kind: &str) -> String {
        // The one of which 0.6.2 keeps no name without the machine that it was tuned for (`recipes/gpt/h100/gpt3_175b.py`).
        let tuned = if self.name == "gpt3_175b" { "32gpu_h100_bf16_" } else { "" };
        format!("{}_{kind}_{tuned}config", self.name)
    }
}

/// The recipes of a model.
pub fn recipe(id: &str) -> Option<&'static Recipe> {
    RECIPES.iter().find(|recipe| recipe.id == id)
}

/// The model of a recipe by the recipe's name, whatever it does with the model: `llama3_8b_pretrain_config` is `llama-3-8b`.
pub fn model_of(recipe: &str) -> Option<&'static str> {
    let begins = |own: &&Recipe| {
        let rest = recipe.strip_prefix(own.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let own = RECIPES.iter().filter(begins).max_by_key(|own| own.name.len())?;
    Some(own.id)
}

/// What Megatron-Bridge refuses, or has no recipe or override for.
pub(crate) static RULES: &[Rule] = &[
    no_kind(&[Qlora])
        .or("Megatron-Bridge's recipes load no 4-bit base model. Choose lora, or take DeepSpeed's flags."),
    NO_PREFERENCES,
    NO_RL.or("These texts of Megatron-Bridge pre-train and fine-tune. Take veRL's flags for reinforcement learning."),
    TRAINS,
    Rule::Odd(known),
    Rule::Odd(tunes),
    must("workload.packing", |a| {
        let glm = recipe(&a.job.model.id).is_some_and(|own| own.name.starts_with("glm45"));
        !(glm && a.workload.joins())
    })
    .or("The recipes of GLM-4.5 take no packed sequences. Set packing to false."),
    all(CORE),
    MUON_WAITS,
    // `training/flex_dispatcher_backend.py`, `validate_flex_dispatcher_backend`: Ampere, Hopper, B200 and B300.
    must("plan.moe_token_dispatcher", |a| {
        let superchip = a.job.hardware.is_on_grace() && a.has(10.0);
        !superchip || a.layout.switches.moe_token_dispatcher != Some(TokenDispatcher::Deepep)
    })
    .or("Megatron-Bridge refuses DeepEP on GB200 and GB300. Set it to hybridep or alltoall."),
    // `utils/activation_map.py`: no word of an override means uint8.
    must("plan.optimizer_bytes", |a| a.layout.optimizer.kind != Adamw || a.layout.optimizer_bytes >= 3.5)
        .or("No override of Megatron-Bridge 0.6.2 names a type of one byte for moments. Set optimizer_bytes to 4 or 8."),
    FLASH.or("No override chooses the attention kernel: a recipe holds an object there. Set attention to flash."),
    USUAL_KERNEL.or("No override chooses the attention kernel: a recipe holds an object there. Leave it out."),
    // megatron-core's `TransformerConfig`, for `gated_delta_net`.
    when(
        |a| a.shape.layer_pattern.contains('L'),
        &[
            must("plan.context_parallel", |a| a.cp == 1)
                .or("The estimate knows no linear attention that is split along the sequence. Set context_parallel to 1."),
            divides("plan.tensor_parallel", |a| (a.tp, a.shape.linear.num_key_heads))
                .or("{whole} heads of linear attention cannot be split evenly."),
        ],
    ),
    // `ConfigContainer.validate`.
    when(|a| a.workload.kind == Pretrain, &[DOCUMENTS_ARE_JOINED]),
    must("plan.max_tokens_per_gpu", |a| a.workload.kind == Pretrain || !a.workload.joins() || a.micro == 1)
        .or("A micro-batch of packed sequences is one pack. Set max_tokens_per_gpu to the sequence length, or packing to false."),
    NO_IMAGES,
    NO_TEACHER,
];

/// Whether the model has a recipe of this kind.
fn tunes(a: &Asked, broken: &mut Vec<InputError>) {
    let Some(own) = recipe(&a.job.model.id) else {
        return;
    };
    let (has, what) = match a.workload.kind {
        Sft => (own.tunes != Tunes::Not, "fine-tunes"),
        Lora => (own.tunes == Tunes::AdaptersToo, "trains adapters of"),
        _ => return,
    };
    if !has {
        let says = "No recipe of Megatron-Bridge 0.6.2 {what} this model. Choose another kind, or take another framework's flags.";
        broken.push(a.refusal("workload.kind", says, &[("what", what)]));
    }
}
