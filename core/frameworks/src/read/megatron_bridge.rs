//! Megatron-Bridge: a recipe, its overrides on the command, and YAML that overrides it.
//!
//! A recipe is Python, which nothing here runs: its name says the model and what is done with it, and what no override states is
//! assumed and said.

mod keys;
mod options;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use options::{apart, named};
use serde_json::{Value, json};

use super::draft::Draft;
use super::launch::{self, machine};
use super::link::Base;
use super::megatron::{self, blocks, recompute, splits};
use super::overrides;
use super::printable::short;
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::{Kind, Part, stated_in_files};
use super::trainer::known_gpus;
use super::value::{self, lora_targets};
use super::{kernel, optimizer};
use shardwise_catalog::catalog::{self, ModelEntry};
use shardwise_rules::megatron_bridge::model_of;

/// Options that name a recipe, or with `--model` what its name begins with.
const RECIPES: [&str; 3] = ["--recipe", "--model_recipe_name", "--model"];

/// Whether settings override a recipe of Megatron-Bridge's: its sections, with Megatron's words in them.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    let any = |start: &str| settings.iter().any(|setting| setting.key.starts_with(start));
    let megatron = has("model.tensor_model_parallel_size")
        || has("model.pipeline_model_parallel_size")
        || has("train.train_iters")
        || has("train.global_batch_size") && any("model.");
    megatron && ["train.", "ddp.", "dist.", "checkpoint.", "logger."].into_iter().any(any)
}

/// Reads Megatron-Bridge's texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::MegatronBridge, keys::SECTIONS, base);
    for setting in stated_in_files(parts) {
        draft.state(setting);
    }
    for part in parts {
        match &part.kind {
            Kind::Shell(script) => {
                let launch = launch::find(script, Dialect::MegatronBridge);
                let (options, overrides) = apart(&launch.after);
                for setting in launch::arguments(&options) {
                    draft.state(named(setting));
                }
                overrides::take(&mut draft, &overrides, |draft, setting| draft.state(setting), |_, _, _| false);
                machine(&mut draft, launch.before);
                launch.report(&mut draft, script);
            }
            Kind::Json(_) => draft.unread("JSON", "Megatron-Bridge takes a recipe, overrides and YAML.", 0),
            Kind::File(_) => {}
        }
    }
    question(&mut draft);
    // The text has a recipe, whether or not one is known to print.
    draft.overrule("model");
    draft.finish(Some("megatron-bridge"))
}

fn question(draft: &mut Draft) {
    gpus(draft);
    let named = RECIPES.into_iter().find_map(|key| draft.word(key));
    // An option that has lost its value to a variable.
    let recipe = named.filter(|name| name != "True");
    named_for(draft, recipe.as_deref().unwrap_or_default());
    let entry = model(draft, recipe.as_deref());
    kind(draft, recipe.as_deref().unwrap_or_default());
    lengths(draft);
    precision(draft);
    layout(draft, entry);
    batch(draft);
    if draft.take_count("train.train_iters", "workload.run.steps", None).is_none() {
        draft.take_count("train.train_samples", "workload.run.examples", None);
    }
}

/// GPUs, where the launcher's options say them rather than torchrun's.
fn gpus(draft: &mut Draft) {
    let node = draft.count("--gpus_per_node");
    if let Some(all) = draft.count("--num_gpus") {
        draft.set("hardware.gpus", all);
        draft.set("hardware.gpus_per_node", node.unwrap_or(8).min(all));
    }
    if let Some(name) = draft.word("--gpu") {
        match card(&name) {
            Some(id) => draft.set("hardware.gpu", id),
            None => draft.note(0, format!("{:?} is no GPU of the catalog: choose yours.", short(&name))),
        }
    }
}

/// A card by the launcher's word, or a recipe's: these are of SXM boards.
fn card(name: &str) -> Option<&'static str> {
    let cards = [
        ("h100", "h100-sxm"),
        ("h200", "h200-sxm"),
        ("b200", "b200-sxm"),
        ("b300", "b300-sxm"),
        ("gb200", "gb200"),
        ("gb300", "gb300"),
    ];
    let (_, id) = cards.iter().find(|(own, _)| name.eq_ignore_ascii_case(own))?;
    catalog::gpu(id).is_some().then_some(*id)
}

/// What a recipe of the performance suite is for, by its name: `llama3_70b_pretrain_64gpu_h100_bf16_config`.
fn named_for(draft: &mut Draft, recipe: &str) {
    const WHY: &str = "From the recipe's name.";
    let words: Vec<&str> = recipe.split('_').collect();
    let found = words.windows(2).find_map(|own| match own {
        [gpus, name] => Some((gpus.strip_suffix("gpu")?.parse::<u64>().ok().filter(|gpus| *gpus > 0)?, card(name))),
        _ => None,
    });
    let Some((gpus, card)) = found else { return };
    if draft.field("hardware.gpus").is_none() {
        draft.assume_known("hardware.gpus", gpus, WHY);
        draft.set("hardware.gpus_per_node", gpus.min(8));
    }
    if let Some(card) = card.filter(|_| draft.field("hardware.gpu").is_none()) {
        draft.assume_known("hardware.gpu", card, WHY);
    }
}

/// The model of the recipe.
fn model(draft: &mut Draft, recipe: Option<&str>) -> Option<&'static ModelEntry> {
    let Some(recipe) = recipe else {
        let open = RECIPES.into_iter().find_map(|key| draft.depends_on(key));
        let why = match open {
            Some(open) => format!("The recipe's name depends on {open}, which the text does not set."),
            None => "Megatron-Bridge takes the model from its recipe, which the text does not name.".to_owned(),
        };
        return draft.model_otherwise("--recipe", None, &why);
    };
    if let Some(id) = model_of(recipe) {
        draft.set("model", id);
        return catalog::model(id);
    }
    if let Some(entry) = alike(recipe) {
        draft.set("model", entry.id);
        return Some(entry);
    }
    let why = format!("The catalog does not know the model of the recipe {}.", short(recipe));
    draft.model_otherwise("--recipe", None, &why)
}

/// The model whose name a recipe of a later release begins with: names differ in dots and dashes alone.
fn alike(recipe: &str) -> Option<&'static ModelEntry> {
    let ends = ["_pretrain", "_sft", "_peft", "_finetune", "_config"]
        .into_iter()
        .filter_map(|end| recipe.find(end));
    let name = recipe.get(..ends.min().unwrap_or(recipe.len()))?;
    let plain = |name: &str| -> String { name.chars().filter(char::is_ascii_alphanumeric).collect() };
    let name = plain(name);
    catalog::models().iter().find(|entry| plain(entry.id) == name)
}

/// What is trained, by the recipe's name and by options beside it.
fn kind(draft: &mut Draft, recipe: &str) {
    let words: Vec<String> = ["--mode", "--task", "--peft_scheme"]
        .into_iter()
        .filter_map(|key| draft.word(key))
        .collect();
    let says = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let has = |part: &str| recipe.contains(part);
    let tuned = says(&["finetune", "sft"]) || ["_sft", "_finetune"].into_iter().any(has);
    let adapters = says(&["lora", "dora", "peft"]) || has("_peft") || draft.states_any("peft.");
    let kind = if adapters {
        "lora"
    } else if tuned {
        "sft"
    } else {
        "pretrain"
    };
    if adapters || tuned || says(&["pretrain"]) || has("_pretrain") {
        draft.set("workload.kind", kind);
    } else {
        draft.assume("workload.kind", kind, "The recipe's name does not say whether it pre-trains or fine-tunes.");
    }
    if adapters {
        match draft.count("peft.dim") {
            Some(rank) => draft.set("workload.lora.rank", rank),
            // `LoRA` of megatron/bridge/peft/lora.py.
            None => draft.default("peft.dim", "workload.lora.rank", 32),
        }
        let modules = draft.text("peft.target_modules");
        let linear = modules
            .as_deref()
            .map(|modules| value::list(modules).iter().any(|one| one.starts_with("linear_fc")));
        let targets = match linear {
            Some(true) | None => "all-linear",
            Some(false) => attention(modules.as_deref()),
        };
        draft.set("workload.lora.targets", targets);
    }
}

/// Projections of attention, those of latent attention included.
fn attention(modules: Option<&str>) -> &'static str {
    let latent =
        |name: &String| name.starts_with("linear_q_") || name.starts_with("linear_kv_") || name == "linear_proj";
    let own = modules.map(value::list).unwrap_or_default();
    if own.iter().all(latent) { "attention" } else { lora_targets(modules) }
}

/// The longest sequence, and whether examples are packed.
fn lengths(draft: &mut Draft) {
    let keys = ["dataset.seq_length", "dataset.sequence_length", "model.seq_length"];
    match keys.into_iter().find_map(|key| draft.count(key)) {
        Some(length) => draft.set("workload.sequence_length", length),
        None => recipes(draft, "dataset.seq_length", "workload.sequence_length", 4096),
    }
    if draft.field("workload.kind").is_some_and(|kind| kind == "pretrain") {
        draft.set("workload.packing", true);
        return;
    }
    let switches = [
        "--packed_sequence",
        "dataset.enable_offline_packing",
        "dataset.enable_in_batch_packing",
        "dataset.pack_sequences_in_batch",
    ];
    let on = switches.into_iter().any(|key| draft.flag(key) == Some(true));
    let sizes = ["packed_sequence_specs", "offline_packing_specs"];
    let sized = sizes
        .into_iter()
        .any(|name| draft.count(&format!("dataset.{name}.packed_sequence_size")).is_some());
    let off = switches
        .into_iter()
        .chain(["dataset.packed_sequence_specs", "dataset.offline_packing_specs"])
        .any(|key| draft.states(key));
    if on || sized || off {
        draft.set("workload.packing", on || sized);
    } else {
        recipes(draft, "dataset.enable_offline_packing", "workload.packing", false);
    }
}

/// Precision of the products, by the name of a mixture or by the launcher's word.
fn precision(draft: &mut Draft) {
    let name = ["mixed_precision", "--compute_dtype", "model.fp8_recipe", "model.fp8"]
        .into_iter()
        .find_map(|key| draft.word(key));
    let Some(name) = name else {
        recipes(draft, "mixed_precision", "workload.precision", "bf16");
        return;
    };
    let has = |part: &str| name.contains(part);
    let word = if has("nvfp4") {
        "nvfp4"
    } else if has("mxfp8") || has("fp8_mx") {
        "mxfp8"
    } else if has("fp8") || has("tensorwise") || has("blockwise") || has("delayed") || has("hybrid") {
        "fp8"
    } else if has("fp16") {
        "fp16"
    } else {
        "bf16"
    };
    draft.set("workload.precision", word);
    let keys = ["ddp.grad_reduce_in_fp32", "mixed_precision.grad_reduce_in_fp32"];
    // `training/mixed_precision.py`: fp16_mixed alone sums gradients in 16 bits.
    let wide = keys.into_iter().find_map(|key| draft.flag(key)).unwrap_or(name != "fp16_mixed");
    draft.set("plan.gradient_bytes", if wide { 4.0 } else { 2.0 });
}

/// Assumes what the text leaves to the recipe.
fn recipes(draft: &mut Draft, key: &str, field: &str, value: impl Into<Value>) {
    draft.assume(field, value, format!("The recipe says it, which is not read; set {key} to state it."));
}

/// Sizes that the text leaves to the recipe.
fn left_to_the_recipe(draft: &mut Draft, entry: Option<&ModelEntry>) {
    let experts = entry.is_none_or(|entry| entry.shape.num_experts > 0);
    let sizes = ["tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"];
    let laid_out = sizes.iter().chain(&["expert_model_parallel_size"]);
    if draft.link.is_none() && !laid_out.clone().any(|name| draft.states(&format!("model.{name}"))) {
        draft.stands_in(0, "How the run is laid out the recipe says, which is not read: the estimate splits nothing and computes nothing again. State model.tensor_model_parallel_size, model.pipeline_model_parallel_size and model.context_parallel_size.");
    }
    for (name, field) in [
        ("tensor_model_parallel_size", "tensor_parallel"),
        ("pipeline_model_parallel_size", "pipeline_parallel"),
        ("context_parallel_size", "context_parallel"),
        ("expert_model_parallel_size", "expert_parallel"),
    ] {
        let key = format!("model.{name}");
        if !draft.states(&key) && (experts || field != "expert_parallel") {
            recipes(draft, &key, &format!("plan.{field}"), 1);
        }
    }
}

fn layout(draft: &mut Draft, entry: Option<&ModelEntry>) {
    draft.set("plan.backend", "megatron");
    left_to_the_recipe(draft, entry);
    splits(draft, "model.", "plan", entry, true);
    let sharded = ["ddp.use_distributed_optimizer", "optimizer.use_distributed_optimizer"];
    let off = sharded.into_iter().any(|key| draft.flag(key) == Some(false));
    // Muon shards whole layers under a name of its own.
    optimizer::take(draft, "optimizer.optimizer", "plan", Some(0.0));
    let layers = draft.known("optimizer.optimizer").as_deref() == Some("dist_muon");
    draft.set("plan.zero_stage", u64::from(!off || layers));
    let chunks = draft.count("model.virtual_pipeline_model_parallel_size").unwrap_or(1);
    draft.set("plan.virtual_pipeline", chunks);
    recomputed(draft);
    let mut overlap = |key: &str, field: &str| {
        if let Some(on) = draft.flag(key) {
            draft.set(&format!("plan.overlap.{field}"), on);
        }
    };
    overlap("ddp.overlap_grad_reduce", "gradients");
    overlap("ddp.overlap_param_gather", "parameters");
    overlap("comm_overlap.tp_comm_overlap", "tensor_parallel");
    overlap("model.tp_comm_overlap", "tensor_parallel");
    if let Some(on) = draft.flag("model.cross_entropy_loss_fusion") {
        draft.set("plan.fused_loss", on);
    }
    kernel::megatron(draft, "model.attention_backend", "plan");
    if let Some(on) = draft.flag("model.apply_rope_fusion") {
        draft.set("plan.apply_rope_fusion", on);
    }
    if draft.size("plan.expert_parallel") > Some(1) {
        let own = draft.word("model.moe_token_dispatcher_type");
        // An all-to-all alone does not say that the others are off: it is written for plans that leave it open, too.
        let own = own.as_deref().filter(|own| *own == "flex");
        let backend = draft.word("model.moe_flex_dispatcher_backend");
        let deepep = draft.flag("model.moe_enable_deepep");
        let dispatcher = megatron::dispatcher(own, backend.as_deref(), deepep == Some(true));
        if let Some(dispatcher) = dispatcher.or((deepep == Some(false)).then_some("alltoall")) {
            draft.set("plan.moe_token_dispatcher", dispatcher);
        }
        if draft.flag("model.overlap_moe_expert_parallel_comm") == Some(true) {
            draft.set("plan.overlap_moe_expert_parallel_comm", true);
        }
    }
    let graphs = draft.word("model.cuda_graph_impl");
    let scope = draft.text("model.cuda_graph_scope");
    if let Some(graphs) = megatron::graphs(graphs.as_deref(), scope.as_deref()) {
        draft.set("plan.cuda_graphs", graphs);
    }
    states(draft);
}

/// What the backward pass computes again.
fn recomputed(draft: &mut Draft) {
    let layers = draft.count("model.recompute_num_layers");
    let modules = draft.text("model.recompute_modules");
    let word = match (draft.word("model.recompute_granularity"), layers, &modules) {
        (Some(word), ..) => word,
        // `scripts/performance` has no word for it: so many layers, or these modules.
        (None, Some(_), _) => "full".to_owned(),
        (None, None, Some(_)) => "selective".to_owned(),
        (None, None, None) if draft.states("model.recompute_granularity") => "none".to_owned(),
        (None, None, None) => {
            recipes(draft, "model.recompute_granularity", "plan.recompute", "none");
            return;
        }
    };
    let (own, trouble) = recompute(&word, modules.as_deref());
    draft.set("plan.recompute", own);
    let layers = layers.filter(|_| word == "full");
    if let (Some("block"), Some(layers)) = (draft.word("model.recompute_method").as_deref(), layers) {
        draft.set("plan.recompute", blocks(layers));
    }
    if let Some(trouble) = trouble {
        draft.refuse("model.recompute_granularity", trouble, 0);
    }
}

/// Where the optimizer's states are, and how wide.
fn states(draft: &mut Draft) {
    if draft.is_on("optimizer.optimizer_cpu_offload") {
        match draft.number("optimizer.optimizer_offload_fraction") {
            Some(fraction) if fraction < 1.0 => draft.set("plan.optimizer_offload_fraction", fraction),
            _ => draft.set(
                "plan.offload",
                json!({"parameters": false, "gradients": false, "optimizer": true, "activations": false}),
            ),
        }
    }
    let mut bytes = |name: &str| match draft
        .text(&format!("optimizer.{name}"))
        .as_deref()
        .map(|text| text.trim_start_matches("torch."))
    {
        Some("uint8" | "fp8") => 1.0,
        Some("bfloat16" | "float16" | "bf16" | "fp16") => 2.0,
        _ => 4.0,
    };
    let (moments, master) = (bytes("exp_avg_dtype") + bytes("exp_avg_sq_dtype"), bytes("main_params_dtype"));
    if moments < 8.0 {
        draft.set("plan.optimizer_bytes", moments);
    }
    if master < 4.0 {
        draft.set("plan.master_weights_bytes", master);
    }
}

/// Sequences of a pass and of a step.
fn batch(draft: &mut Draft) {
    let micro = draft.count("train.micro_batch_size");
    // Where examples are shorter, a micro-batch of them is so many packs.
    let shorter = draft.base.is_some_and(|base| base.workload.mean_sequence_length.is_some());
    let packs = draft.field("workload.packing").is_some_and(|on| *on == true) && shorter;
    match micro {
        Some(micro) if packs => {
            let length = draft.size("workload.sequence_length").unwrap_or(1);
            draft.set("plan.max_tokens_per_gpu", micro.saturating_mul(length));
        }
        Some(micro) => draft.set("plan.micro_batch", micro),
        None => recipes(draft, "train.micro_batch_size", "plan.micro_batch", 1),
    }
    if draft
        .take_count("train.global_batch_size", "workload.global_batch", None)
        .is_some()
    {
        return;
    }
    let size = |name: &str| draft.size(&format!("plan.{name}_parallel")).unwrap_or(1).max(1);
    let split = ["tensor", "pipeline", "context"]
        .into_iter()
        .map(size)
        .fold(1, u64::saturating_mul);
    let ranks = (known_gpus(draft).unwrap_or(8) / split).max(1);
    let whole = micro.unwrap_or(1).saturating_mul(ranks).saturating_mul(8);
    let why =
        "The recipe says it, which is not read: eight passes on each rank. Set train.global_batch_size to state it.";
    draft.assume("workload.global_batch", whole, why);
}
