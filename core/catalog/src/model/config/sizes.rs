//! Sizes under the names that the types give them, with each type's defaults.

use serde_json::Value;

use super::keys::{EXPERTS, HEAD_DIM, HEADS, HIDDEN, Keys, LAYERS, POSITIONS, VOCABULARY, WIDTH};
use super::special;
use crate::error::InputError;
use crate::model::Shape;

/// Sizes that every type has, under the names that types give them.
pub(super) fn common(shape: &mut Shape, keys: &Keys<'_>, model_type: &str) -> Result<(), InputError> {
    let gemma3 = ["gemma3", "gemma3_text"].contains(&model_type);
    let or_default = |value: u64| if gemma3 { Some(value) } else { None };
    shape.hidden_size =
        keys.required(&["hidden_size", "n_embd", "n_embed", "d_model"], HIDDEN, "the width of the residual stream")?;
    let listed = if is_hybrid_stack(model_type) { special::blocks(keys)?.map(|text| text.len() as u64) } else { None };
    let given = keys.positive(&["num_hidden_layers", "n_layer", "n_layers", "num_layers"], LAYERS)?;
    shape.num_hidden_layers = match given.or(listed) {
        Some(layers) => layers,
        None => return Err(keys.missing("num_hidden_layers", "the number of blocks")),
    };
    // Published Gemma 3 files leave out what the class defaults to.
    shape.num_attention_heads = match keys.positive(&["num_attention_heads", "n_head", "n_heads"], HEADS)? {
        Some(heads) => heads,
        None => or_default(8).ok_or_else(|| keys.missing("num_attention_heads", "the number of query heads"))?,
    };
    shape.vocab_size = match keys.positive(&["vocab_size"], VOCABULARY)? {
        Some(size) => size,
        None => or_default(262_208).ok_or_else(|| keys.missing("vocab_size", "the number of tokens"))?,
    };
    shape.max_position_embeddings = keys
        .count(&["max_position_embeddings", "n_positions", "max_seq_len", "seq_length"], POSITIONS)?
        .unwrap_or(0);
    shape.num_key_value_heads = match keys.positive(&["num_key_value_heads", "num_kv_heads", "n_head_kv"], HEADS)? {
        Some(heads) => heads,
        None => or_default(4).unwrap_or(shape.num_attention_heads),
    };
    latent(shape, keys)?;
    head_width(shape, keys, gemma3 || model_type == "gemma" || model_type == "gemma2")?;
    let fused = ["gpt2", "gptj", "gpt_neox", "bloom", "falcon", "mpt", "opt"].contains(&model_type);
    shape.intermediate_size =
        match keys.count(&["intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"], WIDTH)? {
            Some(width) => width,
            None if fused => 4 * shape.hidden_size,
            None => 0,
        };
    if let Some(bias) = keys.flag(&["attention_bias", "qkv_bias", "use_qkv_bias"])? {
        shape.attention_bias = bias;
        if ["llama", "smollm3", "phimoe", "nemotron", "gpt_neox", "qwen3", "qwen3_moe", "olmo2"].contains(&model_type) {
            shape.attention_out_bias = bias;
        }
    }
    if let Some(bias) = keys.flag(&["mlp_bias"])? {
        shape.mlp_bias = bias;
    }
    Ok(())
}

/// Width of a head: given, or the hidden size over the heads.
fn head_width(shape: &mut Shape, keys: &Keys<'_>, gemma: bool) -> Result<(), InputError> {
    shape.head_dim = match keys.positive(&["head_dim", "attention_head_dim"], HEAD_DIM)? {
        Some(width) => width,
        None if shape.is_mla() => shape.query_head_dim(),
        None if gemma => 256,
        None if shape.hidden_size.is_multiple_of(shape.num_attention_heads) => {
            shape.hidden_size / shape.num_attention_heads
        }
        None => {
            return Err(keys.error(
                "head_dim",
                &format!(
                    "is missing, and hidden_size {} is not a multiple of num_attention_heads {}. Give head_dim, or correct one of the two.",
                    shape.hidden_size, shape.num_attention_heads
                ),
            ));
        }
    };
    Ok(())
}

/// Latent attention.
fn latent(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    let Some(rank) = keys.positive(&["kv_lora_rank"], HIDDEN)? else {
        return Ok(());
    };
    shape.kv_lora_rank = rank;
    shape.q_lora_rank = keys.count(&["q_lora_rank"], HIDDEN)?.unwrap_or(0);
    shape.qk_nope_head_dim =
        keys.required(&["qk_nope_head_dim"], HEAD_DIM, "with kv_lora_rank, the head width without position")?;
    shape.qk_rope_head_dim =
        keys.required(&["qk_rope_head_dim"], HEAD_DIM, "with kv_lora_rank, the head width with position")?;
    shape.v_head_dim = match keys.positive(&["v_head_dim"], HEAD_DIM)? {
        Some(width) => width,
        None => (shape.hidden_size / shape.num_attention_heads).max(1),
    };
    shape.num_key_value_heads = shape.num_attention_heads;
    shape.indexer_heads = keys.count(&["index_n_heads"], HEADS)?.unwrap_or(0);
    if shape.indexer_heads > 0 {
        shape.indexer_head_dim =
            keys.required(&["index_head_dim"], HEAD_DIM, "with index_n_heads, the width of an indexer head")?;
    }
    Ok(())
}

/// Whether the LM head is the embedding: the file's own key, then its text part's, then the type's
/// default.
pub(super) fn tied(shape: &mut Shape, keys: &Keys<'_>, text: &Keys<'_>) -> Result<(), InputError> {
    let names = &["tie_word_embeddings"];
    if let Some(tied) = keys.flag(names)?.or(text.flag(names)?) {
        shape.tie_word_embeddings = tied;
    }
    Ok(())
}

/// Experts under the names that types give them.
pub(super) fn experts(shape: &mut Shape, keys: &Keys<'_>, model_type: &str) -> Result<(), InputError> {
    let count = keys
        .count(&["num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"], EXPERTS)?
        .unwrap_or(0);
    let dense_only = ["llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2"].contains(&model_type);
    if count == 0 || dense_only {
        if shape.intermediate_size == 0 && !is_hybrid_stack(model_type) && model_type != "nemotron-nas" {
            return Err(keys.missing("intermediate_size", "the width of the MLP"));
        }
        shape.shared_expert_gate = false;
        shape.router_bias = false;
        return Ok(());
    }
    shape.num_experts = count;
    shape.num_experts_per_tok =
        match keys.positive(&["num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k"], EXPERTS)? {
            Some(visited) => visited,
            None if ["mixtral", "phimoe"].contains(&model_type) => 2,
            None => return Err(keys.missing("num_experts_per_tok", "how many experts a token visits")),
        };
    let groups = keys.positive(&["n_group"], EXPERTS)?;
    let visited = keys.positive(&["topk_group"], EXPERTS)?;
    // One group, or all of them, is no limit.
    if let (Some(groups), Some(visited)) = (groups, visited)
        && visited < groups
    {
        shape.expert_groups = groups;
        shape.expert_groups_per_tok = visited;
    }
    shape.moe_intermediate_size = match keys.positive(&["moe_intermediate_size", "expert_ffn_hidden_size"], WIDTH)? {
        Some(width) => width,
        None if shape.intermediate_size > 0 => shape.intermediate_size,
        None => return Err(keys.missing("moe_intermediate_size", "the width of one expert")),
    };
    let shared = keys.count(&["shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"], WIDTH)?;
    let number = keys
        .count(&["n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"], EXPERTS)?;
    shape.shared_expert_intermediate_size = match (shared, number) {
        (Some(width), _) => width,
        (None, Some(number)) => number.saturating_mul(shape.moe_intermediate_size).min(10 * WIDTH),
        (None, None) => 0,
    };
    if shape.shared_expert_intermediate_size == 0 {
        shape.shared_expert_gate = false;
    }
    shape.first_k_dense_replace = keys
        .count(&["first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"], LAYERS)?
        .unwrap_or(shape.first_k_dense_replace);
    expert_layers(shape, keys)
}

/// Which layers hold experts.
fn expert_layers(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    if keys.list("moe_layer_freq").is_err() {
        if let Some(frequency) = keys.positive(&["moe_layer_freq"], LAYERS)? {
            shape.moe_layer_freq = frequency;
        }
    } else if let Some(list) = keys.list("moe_layer_freq")? {
        // One flag per layer: dense layers first, then experts.
        let dense = list.iter().take_while(|flag| flag.as_u64() == Some(0)).count();
        if list.iter().skip(dense).any(|flag| flag.as_u64() != Some(1)) {
            return Err(keys.error("moe_layer_freq", "as a list it must have zeros first, then ones."));
        }
        shape.first_k_dense_replace = dense as u64;
    }
    for name in ["decoder_sparse_step", "interleave_moe_layer_step"] {
        if let Some(step) = keys.positive(&[name], LAYERS)? {
            shape.moe_layer_freq = step;
            shape.moe_layer_offset = step - 1;
        }
    }
    for name in ["mlp_only_layers", "mlp_layer_types"] {
        let Some(list) = keys.list(name)? else {
            continue;
        };
        let dense = |index: usize, entry: &Value| match entry {
            Value::String(word) => word == "dense",
            entry => entry.as_u64() == Some(index as u64),
        };
        let first = list
            .iter()
            .enumerate()
            .take_while(|(index, entry)| dense(*index, entry))
            .count();
        let rest = list.iter().enumerate().skip(first);
        if (name == "mlp_only_layers" && first < list.len())
            || rest.into_iter().any(|(index, entry)| dense(index, entry))
        {
            return Err(keys.error(name, "dense layers between expert layers are not modelled, only before them."));
        }
        if first > 0 {
            shape.first_k_dense_replace = first as u64;
        }
    }
    Ok(())
}

/// Whether blocks are listed one by one, each with one thing in it.
pub(super) fn is_hybrid_stack(model_type: &str) -> bool {
    model_type == "nemotron_h"
}
