//! A training engine's keys: the same for actor, critic, reference and fine-tuning.

use serde_json::{Value, json};

use crate::read::draft::Draft;
use crate::read::megatron::{layers_trouble, recompute};
use crate::read::value::{self, lora_targets};
use shardwise_catalog::catalog::ModelEntry;

/// Where a role's keys are.
pub(super) struct Role {
    /// Prefix of the fields: `plan`, `plan.critic`.
    pub(super) field: &'static str,
    /// Prefix of Megatron's keys.
    pub(super) megatron: &'static str,
    /// Prefix of FSDP's.
    pub(super) fsdp: &'static str,
    /// Prefix of the optimizer's.
    pub(super) optim: &'static str,
    /// Prefix of the model's.
    pub(super) model: &'static str,
    /// The older key of Ulysses, beside the engine's.
    pub(super) ulysses: &'static str,
}

/// Layout, states, offload and recomputation of a role, each with veRL's default where nothing is said.
/// `keep` sets a field only where it is stated: what a role has from the actor.
pub(super) fn read(draft: &mut Draft, role: &Role, megatron: bool, entry: Option<&ModelEntry>) {
    draft.set(&at(role, "backend"), if megatron { "megatron" } else { "fsdp" });
    if megatron {
        parallel(draft, role, entry);
        transformer(draft, role);
    } else {
        sharded(draft, role);
    }
    optimizer(draft, role, megatron);
    let fused = draft.flag(&format!("{}use_fused_kernels", role.model));
    draft.set(&at(role, "fused_lm_head"), fused.unwrap_or(false));
}

pub(super) fn at(role: &Role, name: &str) -> String {
    format!("{}.{name}", role.field)
}

fn parallel(draft: &mut Draft, role: &Role, entry: Option<&ModelEntry>) {
    let key = |name: &str| format!("{}{name}", role.megatron);
    let mut tensor = 1;
    for (name, field) in [
        ("tensor_model_parallel_size", "tensor_parallel"),
        ("pipeline_model_parallel_size", "pipeline_parallel"),
        ("context_parallel_size", "context_parallel"),
        ("expert_model_parallel_size", "expert_parallel"),
    ] {
        let value = draft.count(&key(name)).unwrap_or(1);
        draft.set(&at(role, field), value);
        if field == "tensor_parallel" {
            tensor = value;
        }
    }
    let chunks = draft.count(&key("virtual_pipeline_model_parallel_size"));
    draft.set(&at(role, "virtual_pipeline"), chunks.unwrap_or(1));
    // Megatron splits experts as it splits the rest, unless it is told otherwise.
    let experts = entry.is_some_and(|entry| entry.shape.num_experts > 0);
    let split = draft.count(&key("expert_tensor_parallel_size"));
    match split {
        Some(split) => draft.set(&at(role, "expert_tensor_parallel"), split),
        None if experts && tensor > 1 => draft.assume(
            &at(role, "expert_tensor_parallel"),
            tensor,
            "Megatron splits experts by the tensor-parallel size where expert_tensor_parallel_size is null.",
        ),
        None => draft.set(&at(role, "expert_tensor_parallel"), 1),
    }
    // veRL turns it off without tensor parallelism.
    let sequence = draft.flag(&key("sequence_parallel")).unwrap_or(true);
    draft.set(&at(role, "sequence_parallel"), sequence && tensor > 1);
    let sharded = draft.flag(&key("use_distributed_optimizer")).unwrap_or(true);
    draft.set(&at(role, "zero_stage"), u64::from(sharded));
    offload(draft, role, role.megatron);
    steps_on_host(draft, role);
    let mut overlap = [None, None];
    for (slot, name) in overlap.iter_mut().zip(["overlap_grad_reduce", "overlap_param_gather"]) {
        *slot = draft.flag(&key(&format!("override_ddp_config.{name}")));
    }
    if overlap.iter().any(Option::is_some) {
        let [gradients, parameters] = overlap;
        draft.set(
            &at(role, "overlap"),
            json!({"gradients": gradients.unwrap_or(true), "parameters": parameters.unwrap_or(true), "tensor_parallel": false}),
        );
    }
}

/// What leaves the GPU between the phases: veRL moves gradients with the parameters.
fn offload(draft: &mut Draft, role: &Role, prefix: &str) {
    let parameters = draft.flag(&format!("{prefix}param_offload")).unwrap_or(false);
    let optimizer = draft.flag(&format!("{prefix}optimizer_offload")).unwrap_or(false);
    let whole = draft.flag(&format!("{prefix}offload_policy")).unwrap_or(false);
    let activations = draft.flag(&format!("{}enable_activation_offload", role.model)).unwrap_or(false);
    draft.set(
        &at(role, "offload"),
        json!({"parameters": parameters || whole, "gradients": parameters || whole,
            "optimizer": optimizer || whole, "activations": activations}),
    );
}

/// Of megatron-core's hybrid optimizer the share that stays in host memory, and steps there.
fn steps_on_host(draft: &mut Draft, role: &Role) {
    let key = |name: &str| format!("{}override_optimizer_config.{name}", role.optim);
    if draft.flag(&key("optimizer_cpu_offload")) != Some(true) {
        return;
    }
    let field = at(role, "optimizer_offload_fraction");
    match draft.number(&key("optimizer_offload_fraction")) {
        // Fine-tuning has no phases: there it is the plan's offload.
        Some(1.0) if role.optim == "optim." => draft.set(&at(role, "offload.optimizer"), true),
        Some(fraction) => draft.set(&field, fraction),
        // `core/optimizer/optimizer_config.py`; Megatron-LM's own command line gives 1.
        None => draft.assume(
            &field,
            0.0,
            "megatron-core leaves all of the optimizer on the GPU where optimizer_offload_fraction is not given.",
        ),
    }
}

/// Recomputation, attention and precision of Megatron's transformer.
fn transformer(draft: &mut Draft, role: &Role) {
    let key = |name: &str| format!("{}override_transformer_config.{name}", role.megatron);
    let granularity = draft.text(&key("recompute_granularity"));
    let modules = draft.text(&key("recompute_modules"));
    let layers = draft.count(&key("recompute_num_layers"));
    let method = draft.text(&key("recompute_method"));
    let word = granularity.as_deref().map(value::unquoted).unwrap_or("none");
    let (recompute, trouble) = recompute(word, modules.as_deref());
    draft.set(&at(role, "recompute"), recompute);
    if let Some(trouble) = trouble {
        draft.refuse(&key("recompute_granularity"), trouble, 0);
    }
    if word == "full" && method.as_deref().map(value::unquoted) == Some("block") {
        draft.assume(
            &at(role, "recompute"),
            Value::Null,
            format!(
                "recompute_method=block recomputes {} layers of a stage; the estimate recomputes all.",
                layers.unwrap_or(1)
            ),
        );
    }
    // megatron-core, TransformerConfig.
    if word == "full" && method.is_none() {
        draft.refuse(
            &key("recompute_method"),
            "Full recomputation needs a method. Add recompute_method=uniform and recompute_num_layers=1.",
            0,
        );
    } else if let Some(trouble) = layers_trouble(word, layers) {
        draft.refuse(&key("recompute_num_layers"), trouble, 0);
    }
    let attention = draft.text(&key("attention_backend"));
    if attention.as_deref().map(value::unquoted) == Some("unfused") {
        draft.set(&at(role, "attention"), "unfused");
    }
}

fn sharded(draft: &mut Draft, role: &Role) {
    let key = |name: &str| format!("{}{name}", role.fsdp);
    for field in ["tensor_parallel", "pipeline_parallel", "context_parallel"] {
        draft.set(&at(role, field), 1);
    }
    let ulysses = match draft.count(&key("ulysses_sequence_parallel_size")) {
        Some(size) => size,
        None => draft.count(role.ulysses).unwrap_or(1),
    };
    draft.set(&at(role, "ulysses_parallel"), ulysses);
    let reshard = draft.flag(&key("reshard_after_forward")).unwrap_or(true);
    draft.set(&at(role, "zero_stage"), if reshard { 3 } else { 2 });
    if let Some(size) = draft.signed(&key("fsdp_size"))
        && let Ok(size) = u64::try_from(size)
        && size > 0
    {
        // A group as large as the machine, or larger, is every GPU.
        let all = draft.train_gpus;
        if all.is_none_or(|all| size < all) {
            draft.set(&at(role, "shard_group"), size);
        }
    }
    offload(draft, role, role.fsdp);
    let checkpointing = draft
        .flag(&format!("{}enable_gradient_checkpointing", role.model))
        .unwrap_or(true);
    draft.set(&at(role, "recompute"), if checkpointing { "full" } else { "none" });
    let adapters = draft.count(&format!("{}lora_rank", role.model)).is_some_and(|rank| rank > 0);
    let dtype = draft.text(&key("model_dtype"));
    if dtype
        .as_deref()
        .map(value::unquoted)
        .is_some_and(|dtype| dtype.starts_with("bf") || dtype.contains("16"))
    {
        // Shards in 16 bits are all the weights that there are; gradients and moments are like them, but those of adapters,
        // which PEFT keeps in fp32 beside a base model in 16 bits (`autocast_adapter_dtype`).
        draft.set(&at(role, "master_weights_bytes"), 2.0);
        if !adapters {
            draft.set(&at(role, "gradient_bytes"), 2.0);
            draft.set(&at(role, "optimizer_bytes"), 4.0);
        }
    } else if adapters {
        // Trained in fp32 where nothing says otherwise, the frozen base model with it.
        draft.set(&at(role, "master_weights_bytes"), 4.0);
    }
}

fn optimizer(draft: &mut Draft, role: &Role, megatron: bool) {
    let key = |name: &str| format!("{}{name}", role.optim);
    let name = draft.text(&key("optimizer")).unwrap_or_default();
    let half = |draft: &mut Draft, name: &str| draft.text(&key(name)).is_some_and(|dtype| dtype.contains("16"));
    if !megatron && name.contains("8bit") {
        draft.set(&at(role, "optimizer_bytes"), 2.0);
    } else if megatron && draft.flag(&key("use_precision_aware_optimizer")) == Some(true) {
        let moments = ["exp_avg_dtype", "exp_avg_sq_dtype"].map(|name| half(draft, name));
        let bytes: f64 = moments.iter().map(|half| if *half { 2.0 } else { 4.0 }).sum();
        draft.set(&at(role, "optimizer_bytes"), bytes);
        if half(draft, "main_grads_dtype") {
            draft.set(&at(role, "gradient_bytes"), 2.0);
        }
    }
}

/// Whether the keys name Megatron as the backend.
pub(super) fn is_megatron(draft: &mut Draft, keys: &[&str]) -> bool {
    for key in keys {
        let Some(name) = draft.text(key) else {
            continue;
        };
        match value::unquoted(&name) {
            "megatron" => return true,
            "fsdp" | "fsdp2" | "fsdp_turbo" | "dp" => return false,
            other => {
                // Huawei's engine is Megatron on its cards; Megatron lite is the same in fewer lines.
                let megatron = other.starts_with("mindspeed") || other.starts_with("mlite");
                let name = if megatron { "Megatron" } else { "FSDP" };
                let message = format!("{other} is not modelled: {name} is estimated in its place.");
                draft.assume("plan.backend", Value::Null, message);
                return megatron;
            }
        }
    }
    false
}

/// fp16 and fp8, where an engine computes in them.
pub(super) fn precision(draft: &mut Draft, role: &Role, megatron: bool) {
    let prefix = if megatron { role.megatron } else { role.fsdp };
    if megatron {
        let key = |name: &str| format!("{}override_transformer_config.{name}", role.megatron);
        if draft.text(&key("fp8")).is_some() {
            let recipe = draft.text(&key("fp8_recipe")).unwrap_or_default();
            draft.set("workload.precision", if recipe.contains("mxfp8") { "mxfp8" } else { "fp8" });
            return;
        }
    }
    let dtype = draft.text(&format!("{prefix}dtype")).unwrap_or_default();
    if matches!(value::unquoted(&dtype), "float16" | "fp16" | "half") {
        draft.set("workload.precision", "fp16");
    }
}

/// Adapters: FSDP's key or Megatron's.
pub(super) fn adapters(draft: &mut Draft, model: &str) -> bool {
    for (rank, targets) in [("lora_rank", "target_modules"), ("lora.rank", "lora.target_modules")] {
        let Some(rank) = draft
            .signed(&format!("{model}{rank}"))
            .and_then(|rank| u64::try_from(rank).ok())
        else {
            continue;
        };
        if rank == 0 {
            continue;
        }
        draft.set("workload.lora.rank", rank);
        let targets = draft.text(&format!("{model}{targets}"));
        draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
        return true;
    }
    false
}
