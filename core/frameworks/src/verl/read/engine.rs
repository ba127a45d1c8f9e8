//! A training engine's keys: the same for actor, critic and fine-tuning, each with veRL's default where nothing is said.

use serde_json::{Value, json};

use crate::read::draft::Draft;
use crate::read::megatron::{blocks, dispatcher, layers_trouble, recompute, splits};
use crate::read::value::lora_targets;
use crate::read::{kernel, optimizer};
use crate::verl::role::Role;
use shardwise_catalog::catalog::ModelEntry;
use shardwise_question::wire::Optimizer;

/// Layout, states, offload and recomputation of a role.
pub(super) fn read(draft: &mut Draft, role: &Role, megatron: bool, entry: Option<&ModelEntry>) {
    draft.set(&role.at("backend"), if megatron { "megatron" } else { "fsdp" });
    if megatron {
        parallel(draft, role, entry);
        transformer(draft, role);
    } else {
        sharded(draft, role);
    }
    steps_by(draft, role, megatron);
    draft.take(&format!("{}use_fused_kernels", role.model));
}

fn parallel(draft: &mut Draft, role: &Role, entry: Option<&ModelEntry>) {
    let key = |name: &str| format!("{}{name}", role.megatron);
    splits(draft, role.megatron, role.field, entry, true);
    offload(draft, role, role.megatron);
    steps_on_host(draft, role);
    let overlap = ["overlap_grad_reduce", "overlap_param_gather"]
        .map(|name| draft.flag(&key(&format!("override_ddp_config.{name}"))));
    if overlap.iter().any(Option::is_some) {
        let [gradients, parameters] = overlap.map(|stated| stated.unwrap_or(true));
        let overlap = json!({"gradients": gradients, "parameters": parameters, "tensor_parallel": false});
        draft.set(&role.at("overlap"), overlap);
    }
}

/// What leaves the GPU between the phases: veRL moves gradients with the parameters.
fn offload(draft: &mut Draft, role: &Role, prefix: &str) {
    let [parameters, optimizer, whole] =
        ["param_offload", "optimizer_offload", "offload_policy"].map(|name| draft.is_on(&format!("{prefix}{name}")));
    if whole && role.optim != "optim." {
        // verl 0.9.1, `workers/engine/fsdp/transformer_impl.py`, line 458.
        draft.stands_in(0, "offload_policy leaves weights, gradients and optimizer in host memory while they train, where the CPUs step: RL has no such field here, and the estimate moves them between the phases alone.");
    }
    let activations = draft.is_on(&format!("{}enable_activation_offload", role.model));
    let offload = json!({"parameters": parameters || whole, "gradients": parameters || whole,
        "optimizer": optimizer || whole, "activations": activations});
    draft.set(&role.at("offload"), offload);
}

/// Of megatron-core's hybrid optimizer the share that stays in host memory, and steps there.
fn steps_on_host(draft: &mut Draft, role: &Role) {
    let key = |name: &str| format!("{}override_optimizer_config.{name}", role.optim);
    if !draft.is_on(&key("optimizer_cpu_offload")) {
        return;
    }
    let field = role.at("optimizer_offload_fraction");
    match draft.number(&key("optimizer_offload_fraction")) {
        // Fine-tuning has no phases: there it is the plan's offload.
        Some(1.0) if role.optim == "optim." => draft.set(&role.at("offload.optimizer"), true),
        Some(fraction) => draft.set(&field, fraction),
        // `core/optimizer/optimizer_config.py`; Megatron-LM's own command line gives 1.
        None => draft.assume(
            &field,
            0.0,
            "megatron-core leaves all of the optimizer on the GPU where optimizer_offload_fraction is not given.",
        ),
    }
}

/// Recomputation and attention of Megatron's transformer.
fn transformer(draft: &mut Draft, role: &Role) {
    let key = |name: &str| format!("{}override_transformer_config.{name}", role.megatron);
    let granularity = draft.word(&key("recompute_granularity"));
    let modules = draft.text(&key("recompute_modules"));
    let layers = draft.count(&key("recompute_num_layers"));
    let method = draft.word(&key("recompute_method"));
    let word = granularity.as_deref().unwrap_or("none");
    let (recompute, trouble) = recompute(word, modules.as_deref());
    draft.set(&role.at("recompute"), recompute);
    if let Some(trouble) = trouble {
        draft.refuse(&key("recompute_granularity"), trouble, 0);
    }
    if let (true, Some(layers)) = (word == "full" && method.as_deref() == Some("block"), layers) {
        draft.set(&role.at("recompute"), blocks(layers));
    }
    draft.take(&key("apply_rope_fusion"));
    draft.take(&key("overlap_moe_expert_parallel_comm"));
    // Without either key Megatron's dispatcher is no all-to-all; neither is said to be one.
    let backend = draft.word(&key("moe_flex_dispatcher_backend"));
    let own = draft.word(&key("moe_token_dispatcher_type"));
    let deepep = draft.flag(&key("moe_enable_deepep")) == Some(true);
    if let Some(dispatcher) = dispatcher(own.as_deref(), backend.as_deref(), deepep) {
        draft.set(&role.at("moe_token_dispatcher"), dispatcher);
    }
    // megatron-core, TransformerConfig.
    if word == "full" && method.is_none() {
        let why = "Full recomputation needs a method. Add recompute_method=uniform and recompute_num_layers=1.";
        draft.refuse(&key("recompute_method"), why, 0);
    } else if let Some(trouble) = layers_trouble(word, layers) {
        draft.refuse(&key("recompute_num_layers"), trouble, 0);
    }
    kernel::megatron(draft, &key("attention_backend"), role.field);
}

fn sharded(draft: &mut Draft, role: &Role) {
    let key = |name: &str| format!("{}{name}", role.fsdp);
    for field in ["tensor_parallel", "pipeline_parallel", "context_parallel"] {
        draft.set(&role.at(field), 1);
    }
    let ulysses = draft.count(&key("ulysses_sequence_parallel_size"));
    let ulysses = ulysses.or_else(|| draft.count(role.ulysses)).unwrap_or(1);
    draft.set(&role.at("ulysses_parallel"), ulysses);
    let reshard = draft.flag(&key("reshard_after_forward")).unwrap_or(true);
    draft.set(&role.at("zero_stage"), if reshard { 3 } else { 2 });
    if draft.is_on(&key("use_no_sync_for_gradient_accumulation")) {
        draft.set(&role.at("sync_each_batch"), false);
    }
    let group = draft.signed(&key("fsdp_size")).and_then(|size| u64::try_from(size).ok());
    // A group as large as the machine, or larger, is every GPU.
    if let Some(size) = group.filter(|size| *size > 0 && draft.train_gpus.is_none_or(|all| *size < all)) {
        draft.set(&role.at("shard_group"), size);
    }
    offload(draft, role, role.fsdp);
    kernel::hugging_face(draft, &format!("{}override_config.attn_implementation", role.model), role.field);
    let checkpointing = draft.flag(&format!("{}enable_gradient_checkpointing", role.model));
    draft.set(&role.at("recompute"), if checkpointing.unwrap_or(true) { "full" } else { "none" });
    // 0 trains all weights.
    let adapters = draft.signed(&format!("{}lora_rank", role.model)).is_some_and(|rank| rank > 0);
    let dtype = draft.word(&key("model_dtype"));
    if dtype.is_some_and(|dtype| dtype.starts_with("bf") || dtype.contains("16")) {
        // Shards in 16 bits are all the weights that there are; gradients and moments are like them, but those of adapters,
        // which PEFT keeps in fp32 beside a base model in 16 bits (`autocast_adapter_dtype`).
        draft.set(&role.at("master_weights_bytes"), 2.0);
        if !adapters {
            draft.set(&role.at("gradient_bytes"), 2.0);
            let name = draft.known(&format!("{}optimizer", role.optim));
            if name.is_none_or(|name| optimizer::named(&name).is_none_or(|own| own == Optimizer::Adamw)) {
                draft.set(&role.at("optimizer_bytes"), 4.0);
            }
        }
    } else if adapters {
        // Trained in fp32 where nothing says otherwise, the frozen base model with it.
        draft.set(&role.at("master_weights_bytes"), 4.0);
    }
}

fn steps_by(draft: &mut Draft, role: &Role, megatron: bool) {
    let key = |name: &str| format!("{}{name}", role.optim);
    let momentum = draft.number(&key("override_optimizer_config.sgd_momentum"));
    let momentum = momentum.or(megatron.then_some(0.9));
    let own = optimizer::take(draft, &key("optimizer"), role.field, momentum);
    let half = |draft: &mut Draft, name: &str| draft.text(&key(name)).is_some_and(|dtype| dtype.contains("16"));
    if !megatron && draft.is_on(&key("override_optimizer_config.bf16_stochastic_round")) {
        draft.set(&role.at("bf16_stochastic_round"), true);
    }
    if megatron && own == Some(Optimizer::Muon) && draft.is_on(&key("use_layer_wise_distributed_optimizer")) {
        draft.set(&role.at("zero_stage"), 1);
    }
    if megatron && draft.is_on(&key("use_precision_aware_optimizer")) {
        let moments = ["exp_avg_dtype", "exp_avg_sq_dtype"].map(|name| half(draft, name));
        let bytes: f64 = moments.iter().map(|half| if *half { 2.0 } else { 4.0 }).sum();
        draft.set(&role.at("optimizer_bytes"), bytes);
        if half(draft, "main_grads_dtype") {
            draft.set(&role.at("gradient_bytes"), 2.0);
        }
    }
}

/// Whether the keys name Megatron as the backend.
pub(super) fn is_megatron(draft: &mut Draft, keys: &[&str]) -> bool {
    let Some(name) = keys.iter().find_map(|key| draft.word(key)) else {
        return false;
    };
    match name.as_str() {
        "megatron" => true,
        "fsdp" | "fsdp2" | "fsdp_turbo" | "dp" => false,
        other => {
            // Huawei's engine is Megatron on its cards; Megatron lite is the same in fewer lines.
            let megatron = other.starts_with("mindspeed") || other.starts_with("mlite");
            let name = if megatron { "Megatron" } else { "FSDP" };
            let message = format!("{other} is not modelled: {name} is estimated in its place.");
            draft.assume("plan.backend", Value::Null, message);
            megatron
        }
    }
}

/// fp16 and fp8, where an engine computes in them.
pub(super) fn precision(draft: &mut Draft, role: &Role, megatron: bool) {
    let prefix = if megatron { role.megatron } else { role.fsdp };
    let transformer = |name: &str| format!("{prefix}override_transformer_config.{name}");
    if megatron && draft.text(&transformer("fp8")).is_some() {
        let recipe = draft.text(&transformer("fp8_recipe")).unwrap_or_default();
        draft.set("workload.precision", if recipe.contains("mxfp8") { "mxfp8" } else { "fp8" });
        return;
    }
    if matches!(draft.word(&format!("{prefix}dtype")).as_deref(), Some("float16" | "fp16" | "half")) {
        draft.set("workload.precision", "fp16");
    }
}

/// Adapters: FSDP's key or Megatron's.
pub(super) fn adapters(draft: &mut Draft, model: &str) -> bool {
    for (rank, targets) in [("lora_rank", "target_modules"), ("lora.rank", "lora.target_modules")] {
        let rank = draft.signed(&format!("{model}{rank}"));
        if let Some(rank) = rank.and_then(|rank| u64::try_from(rank).ok()).filter(|rank| *rank > 0) {
            draft.set("workload.lora.rank", rank);
            let targets = draft.text(&format!("{model}{targets}"));
            draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
            // Kept out of the vision tower they are where the estimate has them.
            let excluded = format!("{model}exclude_modules");
            if draft.known(&excluded).is_some_and(|own| own.contains("visual")) {
                draft.settle(&excluded);
            }
            return true;
        }
    }
    false
}
