//! Megatron-LM: the arguments of `pretrain_gpt.py` and its kin.

pub(super) mod keys;
mod recompute;
mod splits;

#[cfg(test)]
pub(super) use keys::SECTIONS;
pub(crate) use recompute::{blocks, layers_trouble, recompute};
pub(crate) use splits::splits;

use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::launch::{self, machine};
use super::link::Base;
use super::report::{Dialect, Reading, Trouble};
use super::shell::Word;
use super::text::{Kind, Part};
use super::value;
use super::{kernel, optimizer};
use shardwise_catalog::catalog;
use shardwise_catalog::model::Shape;

/// Reads Megatron-LM's arguments.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Megatron, keys::SECTIONS, base);
    let mut before: Vec<Word> = Vec::new();
    for part in parts {
        match &part.kind {
            Kind::Shell(script) => {
                let launch = launch::find(script, Dialect::Megatron);
                for setting in launch::arguments(&launch.after) {
                    draft.state(setting);
                }
                before = launch.before.to_vec();
                launch.report(&mut draft, script);
            }
            Kind::Json(_) | Kind::File(_) => draft.unread("file", "Megatron-LM's arguments alone are read.", 0),
        }
    }
    question(&mut draft, &before);
    draft.finish(None)
}

/// What sends tokens to their experts by `moe_token_dispatcher_type`, `moe_flex_dispatcher_backend` and `moe_enable_deepep`, where
/// they say so.
pub(crate) fn dispatcher(own: Option<&str>, backend: Option<&str>, deepep: bool) -> Option<&'static str> {
    match (own, backend) {
        (Some("flex"), Some("hybridep")) => Some("hybridep"),
        (Some("flex"), Some("deepep")) => Some("deepep"),
        _ if deepep => Some("deepep"),
        (Some("alltoall"), _) => Some("alltoall"),
        _ => None,
    }
}

/// What graphs replay by `cuda_graph_impl` and `cuda_graph_scope`, where they replay anything: without a scope whole layers, and the
/// experts with them.
pub(crate) fn graphs(own: Option<&str>, scope: Option<&str>) -> Option<&'static str> {
    let parts: Vec<&str> = scope
        .unwrap_or_default()
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|part| !part.is_empty())
        .collect();
    let whole = parts.contains(&"full_iteration");
    match own {
        None | Some("none") => whole.then_some("full"),
        Some("full_iteration") => Some("full"),
        Some(_) if whole || parts.is_empty() || parts.contains(&"moe") => Some("full"),
        Some(_) => Some("partial"),
    }
}

fn question(draft: &mut Draft, before: &[Word]) {
    machine(draft, before);
    let layers = model(draft);
    // Weights that are there are tuned; else training starts from none.
    let tunes = draft.is_on("--sft") || draft.is_on("--finetune");
    draft.set("workload.kind", if tunes { "sft" } else { "pretrain" });
    draft.take_count("--seq_length", "workload.sequence_length", None);
    if draft.field("workload.sequence_length").is_none() {
        draft.assume("workload.sequence_length", 4096, "The text does not state it; set --seq-length.");
    }
    let micro = draft.take_count("--micro_batch_size", "plan.micro_batch", Some(1)).unwrap_or(1);
    layout(draft, layers);
    if draft.take_count("--global_batch_size", "workload.global_batch", None).is_none() {
        // Megatron's default: one micro-batch on each data-parallel rank.
        let size = |name: &str| draft.size(&format!("plan.{name}")).unwrap_or(1).max(1);
        let model = size("tensor_parallel")
            .saturating_mul(size("pipeline_parallel"))
            .saturating_mul(size("context_parallel"));
        let gpus = draft.size("hardware.gpus").unwrap_or(8);
        let batch = micro.saturating_mul((gpus / model).max(1));
        draft.assume(
            "workload.global_batch",
            batch,
            "One micro-batch on each rank, Megatron's default; set --global-batch-size to state it.",
        );
    }
    precision(draft);
    // Of the two Megatron takes one.
    if draft.take_count("--train_iters", "workload.run.steps", None).is_none() {
        draft.take_count("--train_samples", "workload.run.examples", None);
    }
}

/// The shape that the arguments state.
struct Stated {
    layers: u64,
    hidden: u64,
    heads: u64,
    groups: u64,
    gated: bool,
    ffn: Option<u64>,
    /// Of an expert, where there are some.
    own_ffn: Option<u64>,
    experts: Option<u64>,
    vocabulary: Option<u64>,
}

impl Stated {
    fn ffn(&self) -> u64 {
        self.ffn.unwrap_or(self.hidden.saturating_mul(4))
    }

    fn own_ffn(&self) -> u64 {
        self.own_ffn.unwrap_or(self.hidden.saturating_mul(4))
    }

    /// Whether a model of the catalog has it.
    fn is_that_of(&self, shape: &Shape) -> bool {
        let wide = if self.experts.is_some() { shape.moe_intermediate_size } else { shape.intermediate_size };
        shape.num_hidden_layers == self.layers
            && shape.hidden_size == self.hidden
            && shape.num_attention_heads == self.heads
            && shape.num_key_value_heads == self.groups
            && shape.num_experts == self.experts.unwrap_or(0)
            && self.own_ffn() == wide
            && self.vocabulary.is_none_or(|size| size.abs_diff(shape.vocab_size) <= 1024)
            && self.gated == shape.gated_mlp
    }
}

/// The model by its shape: of the catalog where one has it, else as an object. Its layers, where they are known.
pub(super) fn model(draft: &mut Draft) -> Option<u64> {
    let layers = draft.count("--num_layers");
    let hidden = draft.count("--hidden_size");
    let heads = draft.count("--num_attention_heads");
    let (Some(layers), Some(hidden), Some(heads)) = (layers, hidden, heads) else {
        let key = if draft.states("--tokenizer_model") { "--tokenizer_model" } else { "--load" };
        let entry = draft.take_model(key, "model");
        return layers.or_else(|| entry.map(|entry| entry.shape.num_hidden_layers));
    };
    let gated = draft.is_on("--swiglu");
    let ffn = draft.count("--ffn_hidden_size");
    let groups = draft.count("--num_query_groups").unwrap_or(heads);
    let experts = draft.count("--num_experts");
    let vocabulary = draft.count("--padded_vocab_size").or_else(|| draft.count("--vocab_size"));
    let own_ffn = draft.count("--moe_ffn_hidden_size").or(ffn);
    let stated = Stated { layers, hidden, heads, groups, gated, ffn, own_ffn, experts, vocabulary };
    // Of several models of one shape the one that the tokenizer names, or the one with the shortest name: the others
    // are made from it.
    let same = catalog::models().iter().filter(|entry| stated.is_that_of(&entry.shape));
    let named = draft
        .text("--tokenizer_model")
        .and_then(|path| super::model::find(&path))
        .map(|entry| entry.id);
    let same = same.min_by_key(|entry| (Some(entry.id) != named, entry.id.len()));
    match same {
        Some(entry) => draft.assume_known(
            "model",
            entry.id,
            format!("Its shape is that of the arguments: {layers} layers of {hidden}, {heads} heads."),
        ),
        None => config(draft, &stated),
    }
    Some(layers)
}

/// The shape as a `config.json` has it.
fn config(draft: &mut Draft, stated: &Stated) {
    let mut config = Map::new();
    let mut set = |key: &str, value: Value| {
        config.insert(key.to_owned(), value);
    };
    set("hidden_size", json!(stated.hidden));
    set("num_hidden_layers", json!(stated.layers));
    set("num_attention_heads", json!(stated.heads));
    set("num_key_value_heads", json!(stated.groups));
    set("intermediate_size", json!(stated.ffn()));
    set("gated_mlp", json!(stated.gated));
    set("tie_word_embeddings", json!(!draft.is_on("--untie_embeddings_and_output_weights")));
    if let Some(channels) = draft.count("--kv_channels") {
        set("head_dim", json!(channels));
    }
    if let Some(experts) = stated.experts {
        set("num_experts", json!(experts));
        set("num_experts_per_tok", json!(draft.count("--moe_router_topk").unwrap_or(2)));
        set("moe_intermediate_size", json!(stated.own_ffn()));
        if let Some(shared) = draft.count("--moe_shared_expert_intermediate_size") {
            set("shared_expert_intermediate_size", json!(shared));
        }
        match draft.text("--moe_layer_freq").map(|text| dense_first(&text)) {
            Some(Some(dense)) => set("first_k_dense_replace", json!(dense)),
            Some(None) => draft.note(
                0,
                "--moe-layer-freq is no number of dense layers before the first experts: every layer is taken to hold experts.",
            ),
            None => {}
        }
    }
    if draft.is_on("--multi_latent_attention") {
        // Megatron-LM's defaults.
        for (key, name, default) in [
            ("--kv_lora_rank", "kv_lora_rank", 32),
            ("--qk_head_dim", "qk_nope_head_dim", 128),
            ("--qk_pos_emb_head_dim", "qk_rope_head_dim", 64),
            ("--v_head_dim", "v_head_dim", 128),
        ] {
            set(name, json!(draft.count(key).unwrap_or(default)));
        }
        if let Some(rank) = draft.count("--q_lora_rank") {
            set("q_lora_rank", json!(rank));
        }
    }
    set("vocab_size", json!(stated.vocabulary.unwrap_or(50304)));
    draft.set("model", Value::Object(config));
    if stated.vocabulary.is_none() {
        draft.assume(
            "model.vocab_size",
            Value::Null,
            "It depends on the tokenizer; GPT-2's 50,304 is assumed. Set --vocab-size to state it.",
        );
    }
}

/// What sends tokens to their experts, whether beside computation, and what graphs replay.
fn launches(draft: &mut Draft) {
    let own = draft.known("--moe_token_dispatcher_type");
    // An all-to-all alone does not say that the others are off: it is written for plans that leave it open, too.
    let own = own.as_deref().filter(|own| *own == "flex");
    let backend = draft.word("--moe_flex_dispatcher_backend");
    let deepep = draft.is_on("--moe_enable_deepep");
    let overlapped = draft.is_on("--overlap_moe_expert_parallel_comm");
    if draft.size("plan.expert_parallel") > Some(1) {
        if let Some(dispatcher) = dispatcher(own, backend.as_deref(), deepep) {
            draft.set("plan.moe_token_dispatcher", dispatcher);
        }
        if overlapped {
            draft.set("plan.overlap_moe_expert_parallel_comm", true);
        }
    }
    let own = draft.word("--cuda_graph_impl");
    let scope = draft.text("--cuda_graph_scope").or_else(|| draft.text("--cuda_graph_modules"));
    if let Some(graphs) = graphs(own.as_deref(), scope.as_deref()) {
        draft.set("plan.cuda_graphs", graphs);
    }
}

pub(super) fn layout(draft: &mut Draft, layers: Option<u64>) {
    draft.set("plan.backend", "megatron");
    draft.take_all("--");
    let [tensor, stages] = ["tensor", "pipeline"].map(|name| draft.size(&format!("plan.{name}_parallel")).unwrap_or(1));
    let experts = draft.count("--num_experts").is_some();
    let split = draft.count("--expert_tensor_parallel_size");
    draft.set("plan.expert_tensor_parallel", split.unwrap_or(if experts { tensor } else { 1 }));
    let chunk = draft.count("--num_layers_per_virtual_pipeline_stage");
    let chunks = match (chunk, layers) {
        (Some(chunk), Some(layers)) => Some((layers / stages.max(1) / chunk).max(1)),
        _ => draft.count("--num_virtual_stages_per_pipeline_rank"),
    };
    draft.set("plan.virtual_pipeline", chunks.unwrap_or(1));
    let sequence = draft.is_on("--sequence_parallel");
    draft.set("plan.sequence_parallel", sequence && tensor > 1);
    // `arguments.py`: SGD has a momentum unless it is told to have none; Muon shards whole layers under a name of its own.
    let momentum = draft.number("--sgd_momentum").unwrap_or(0.9);
    optimizer::take(draft, "--optimizer", "plan", Some(momentum));
    let layers = draft.known("--optimizer").as_deref() == Some("dist_muon");
    let sharded = draft.is_on("--use_distributed_optimizer") || layers;
    draft.set("plan.zero_stage", u64::from(sharded));
    let word = match draft.flag("--recompute_activations") {
        Some(true) => "selective".to_owned(),
        _ => draft.text("--recompute_granularity").unwrap_or_default(),
    };
    let modules = draft.text("--recompute_modules");
    let (recompute, trouble) = recompute(value::unquoted(&word), modules.as_deref());
    draft.set("plan.recompute", recompute);
    let layers = draft
        .count("--recompute_num_layers")
        .filter(|_| value::unquoted(&word) == "full");
    if let (Some("block"), Some(layers)) = (draft.word("--recompute_method").as_deref(), layers) {
        draft.set("plan.recompute", blocks(layers));
    }
    if let Some(trouble) = trouble {
        draft.refuse("--recompute-granularity", trouble, 0);
    }
    by_fsdp(draft, "--use_megatron_fsdp", "--data_parallel_sharding_strategy");
    if draft.is_on("--use_torch_fsdp2") {
        draft.stands_in(0, BY_FSDP);
    }
    attention(draft);
    launches(draft);
    let [gradients, parameters, tensor] =
        ["--overlap_grad_reduce", "--overlap_param_gather", "--tp_comm_overlap"].map(|name| draft.is_on(name));
    draft.set("plan.overlap", json!({"gradients": gradients, "parameters": parameters, "tensor_parallel": tensor}));
    states(draft);
}

/// Why Megatron's own FSDP has no verdict.
const BY_FSDP: &str = "Megatron's FSDP shards weights and gradients too, which is not laid out here: the estimate shards the optimizer's states alone.";

/// Says that weights are sharded by Megatron's FSDP where a text asks for that. Its default shards nothing but by `strategy`
/// (`no_shard`), of which `optim` is what the distributed optimizer does.
pub(super) fn by_fsdp(draft: &mut Draft, key: &str, strategy: &str) {
    let alike = draft.word(strategy).is_some_and(|own| own == "optim");
    if draft.tells(key, true) && !alike {
        draft.stands_in(0, BY_FSDP);
    }
}

/// The attention kernel. Of late `--use-flash-attn` is for Megatron's own layers alone: `TransformerEngine` chooses by itself.
fn attention(draft: &mut Draft) {
    kernel::megatron(draft, "--attention_backend", "plan");
    let own = draft.word("--transformer_impl").as_deref() == Some("local") || draft.is_on("--use_legacy_models");
    if own && !draft.states("--attention_backend") && draft.is_on("--use_flash_attn") {
        draft.assume(
            "plan.attention_kernel",
            "flash2",
            "Megatron's own layers call flash-attn: version 2 is estimated.",
        );
    }
}

/// Where the optimizer's states are, and how wide they and the gradients.
fn states(draft: &mut Draft) {
    let unfused = draft.field("plan.attention").is_some();
    if draft.is_on("--optimizer_cpu_offload") {
        // `arguments.py`: all of it, unless said otherwise.
        match draft.number("--optimizer_offload_fraction") {
            Some(fraction) if fraction < 1.0 => {
                draft.set("plan.optimizer_offload_fraction", fraction);
            }
            _ => draft.set(
                "plan.offload",
                json!({"parameters": false, "gradients": false, "optimizer": true, "activations": false}),
            ),
        }
    }
    if draft.is_on("--grad_reduce_in_bf16") {
        draft.set("plan.gradient_bytes", 2.0);
    } else if draft.is_on("--accumulate_allreduce_grads_in_fp32") && !unfused {
        // Before flash attention Megatron kept gradients in both types, whatever it was told.
        draft.set("plan.gradient_bytes", 4.0);
    }
    let mut bytes = |key: &str| match draft.text(key).as_deref() {
        Some("fp8") => 1.0,
        Some("fp16" | "bf16") => 2.0,
        _ => 4.0,
    };
    let moments = bytes("--exp_avg_dtype") + bytes("--exp_avg_sq_dtype");
    let master = bytes("--main_params_dtype");
    if moments < 8.0 {
        draft.set("plan.optimizer_bytes", moments);
    }
    if master < 4.0 {
        draft.set("plan.master_weights_bytes", master);
    }
}

/// Dense layers before the first experts: `([0]*3+[1]*58)`.
fn dense_first(pattern: &str) -> Option<u64> {
    let pattern = value::unquoted(pattern);
    let inside = pattern.strip_prefix('(')?.strip_suffix(')')?;
    let (dense, rest) = inside.split_once("+[1]*")?;
    rest.parse::<u64>().ok()?;
    dense.strip_prefix("[0]*")?.parse().ok()
}

pub(super) fn precision(draft: &mut Draft) {
    let recipe = draft.text("--fp8_recipe").unwrap_or_default();
    let word = if draft.text("--fp4_format").is_some() {
        "nvfp4"
    } else if draft.text("--fp8_format").is_some() && recipe.contains("mxfp8") {
        "mxfp8"
    } else if draft.text("--fp8_format").is_some() {
        "fp8"
    } else if draft.is_on("--fp16") {
        "fp16"
    } else if draft.is_on("--bf16") {
        "bf16"
    } else {
        draft.assume(
            "workload.precision",
            "bf16",
            "Neither --bf16 nor --fp16 is stated: Megatron would train in fp32, which is not modelled.",
        );
        return;
    };
    draft.set("workload.precision", word);
}
