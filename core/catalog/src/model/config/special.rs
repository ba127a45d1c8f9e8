//! What only some types have: windows, chunks, learned positions, recurrent layers.

use super::keys::{EXPERTS, HEAD_DIM, HEADS, HIDDEN, Keys, LAYERS, POSITIONS, WIDTH};
use super::{layers, searched};
use crate::error::InputError;
use crate::model::{Linear, Mamba, Norm, QkNorm, Shape};

/// What only some types have.
pub(super) fn apply(shape: &mut Shape, keys: &Keys<'_>, model_type: &str) -> Result<(), InputError> {
    match model_type {
        "gemma2" | "gpt_oss" => layers::windows(shape, keys, 2),
        "gemma3" | "gemma3_text" => {
            let every = keys
                .positive(&["sliding_window_pattern", "_sliding_window_pattern"], LAYERS)?
                .unwrap_or(6);
            layers::windows(shape, keys, every)
        }
        "olmo3" => layers::windows(shape, keys, 4),
        "llama4" | "llama4_text" => llama4(shape, keys),
        "qwen3_next" | "qwen3_5" | "qwen3_5_text" | "qwen3_5_moe" | "qwen3_5_moe_text" => delta_net(shape, keys),
        "nemotron_h" => nemotron_h(shape, keys),
        "nemotron-nas" => searched::apply(shape, keys),
        "kimi_linear" | "kimi_k3" => kimi_linear(shape, keys),
        "longcat_flash" => longcat(shape, keys),
        "qwen2" | "qwen2_moe" | "qwen3" | "qwen3_moe" | "qwen2_5_vl" | "qwen2_5_vl_text" => {
            // These files carry a window that is off unless they say otherwise.
            if keys.flag(&["use_sliding_window"])?.unwrap_or(false) { layers::windows(shape, keys, 0) } else { Ok(()) }
        }
        "glm4_moe" => {
            if keys.flag(&["use_qk_norm"])?.unwrap_or(false) {
                shape.qk_norm = QkNorm::Head;
            }
            Ok(())
        }
        "phi" => {
            shape.tie_word_embeddings = false;
            Ok(())
        }
        "phimoe" => {
            shape.lm_head_bias = keys.flag(&["lm_head_bias"])?.unwrap_or(false);
            Ok(())
        }
        "bailing_moe" => {
            if keys.flag(&["use_qk_norm"])?.unwrap_or(false) {
                shape.qk_norm = QkNorm::Head;
            }
            shape.router_bias =
                shape.num_experts > 0 && keys.flag(&["moe_router_enable_expert_bias"])?.unwrap_or(false);
            Ok(())
        }
        "minimax_m3" => {
            // The file's `intermediate_size` is an expert's; the first layers are wider.
            if let Some(width) = keys.positive(&["dense_intermediate_size"], WIDTH)? {
                shape.intermediate_size = width;
            }
            Ok(())
        }
        "minimax_m2" => {
            if keys.flag(&["use_qk_norm"])? == Some(false) {
                shape.qk_norm = QkNorm::None;
            }
            Ok(())
        }
        "starcoder2" => {
            let bias = keys.flag(&["use_bias"])?.unwrap_or(true);
            set_biases(shape, bias);
            layers::windows(shape, keys, 0)
        }
        "gpt2" | "opt" | "mpt" | "falcon" | "RefinedWeb" | "RefinedWebModel" => older(shape, keys, model_type),
        _ => layers::windows(shape, keys, 0),
    }
}

fn set_biases(shape: &mut Shape, bias: bool) {
    shape.attention_bias = bias;
    shape.attention_out_bias = bias;
    shape.mlp_bias = bias;
}

/// Learned positions and odd shapes of the decoders before `LLaMA`.
fn older(shape: &mut Shape, keys: &Keys<'_>, model_type: &str) -> Result<(), InputError> {
    match model_type {
        "gpt2" => {
            shape.max_position_embeddings = shape.max_position_embeddings.max(1);
            shape.learned_positions = keys.positive(&["n_positions", "n_ctx"], POSITIONS)?.unwrap_or(1024);
            shape.max_position_embeddings = shape.learned_positions;
        }
        "opt" => {
            // The embedding of positions has two rows more than positions (`OPTLearnedPositionalEmbedding`).
            shape.learned_positions = shape.max_position_embeddings.max(1) + 2;
            shape.no_final_norm = keys.flag(&["do_layer_norm_before"])? == Some(false);
            let projected = keys.positive(&["word_embed_proj_dim"], HIDDEN)?.unwrap_or(shape.hidden_size);
            shape.word_embed_proj_dim = if projected == shape.hidden_size { 0 } else { projected };
            set_biases(shape, keys.flag(&["enable_bias"])?.unwrap_or(true));
        }
        "mpt" => {
            let ratio = keys.positive(&["expansion_ratio"], 100)?.unwrap_or(4);
            shape.intermediate_size = ratio * shape.hidden_size;
            let no_bias = keys.flag(&["no_bias"])?.unwrap_or(false);
            set_biases(shape, !no_bias);
            if no_bias {
                shape.norm = Norm::LayerNoBias;
            }
            let attention = keys.nested(&["attn_config"])?;
            let alibi = match &attention {
                Some(attention) => {
                    if let Some(heads) = attention.positive(&["kv_n_heads"], HEADS)? {
                        shape.num_key_value_heads = heads;
                    }
                    if attention.word("attn_type")? == Some("multiquery_attention") {
                        shape.num_key_value_heads = 1;
                    }
                    attention.flag(&["alibi"])?.unwrap_or(false)
                }
                None => false,
            };
            if keys.flag(&["learned_pos_emb"])?.unwrap_or(true) && !alibi {
                shape.learned_positions = shape.max_position_embeddings;
            }
        }
        _ => {
            let newer = keys.flag(&["new_decoder_architecture"])?.unwrap_or(false);
            let many = keys.has("n_head_kv") || newer;
            if !many && keys.flag(&["multi_query"])?.unwrap_or(true) {
                shape.num_key_value_heads = 1;
            }
            let parallel = keys.flag(&["parallel_attn"])?.unwrap_or(true);
            // One norm before both halves of a parallel block; Falcon-40B has one for each.
            let two = keys
                .positive(&["num_ln_in_parallel_attn"], 2)?
                .unwrap_or(if newer { 2 } else { 1 });
            shape.norms_per_layer = if parallel { two } else { 2 };
            set_biases(shape, keys.flag(&["bias"])?.unwrap_or(false));
        }
    }
    Ok(())
}

/// Llama 4: experts beside a wider dense MLP, chunked attention in three of four layers.
fn llama4(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    shape.moe_intermediate_size = shape.intermediate_size;
    // Its router adds one shared expert of an expert's width (`Llama4TextMoe`).
    shape.shared_expert_intermediate_size = shape.intermediate_size;
    if let Some(width) = keys.positive(&["intermediate_size_mlp"], WIDTH)? {
        shape.intermediate_size = width;
    }
    shape.sliding_window = keys.count(&["attention_chunk_size"], POSITIONS)?.unwrap_or(8192);
    if shape.sliding_window > 0 {
        shape.chunked_attention = true;
        shape.layer_pattern = match layers::of_types(keys)? {
            Some(types) => types,
            None => "SSSA",
        };
    }
    Ok(())
}

/// Gated `DeltaNet` layers with a full-attention one among every few.
fn delta_net(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    let every = keys.positive(&["full_attention_interval"], 64)?.unwrap_or(4);
    shape.layer_pattern = match layers::of_types(keys)? {
        Some(types) => types,
        None => {
            let mut text = "L".repeat(usize::try_from(every - 1).unwrap_or(0));
            text.push('A');
            layers::pattern(&text, "full_attention_interval", keys)?
        }
    };
    shape.attn_output_gate = keys.flag(&["attn_output_gate"])?.unwrap_or(true);
    if shape.layer_pattern.contains('L') {
        shape.linear = Linear {
            num_key_heads: keys.positive(&["linear_num_key_heads"], HEADS)?.unwrap_or(16),
            num_value_heads: keys.positive(&["linear_num_value_heads"], HEADS)?.unwrap_or(32),
            key_head_dim: keys.positive(&["linear_key_head_dim"], HEAD_DIM)?.unwrap_or(128),
            value_head_dim: keys.positive(&["linear_value_head_dim"], HEAD_DIM)?.unwrap_or(128),
            conv_kernel: keys.positive(&["linear_conv_kernel_dim"], 1024)?.unwrap_or(4),
            ..Linear::NONE
        };
    }
    Ok(())
}

/// Kimi Linear and the language model of Kimi K3: layers of Kimi Delta Attention (`KimiDeltaAttention`), whose decay's
/// projection is as narrow as a head, among some of latent attention. Both are listed by their numbers, from 1.
fn kimi_linear(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    let Some(own) = keys.nested(&["linear_attn_config"])? else {
        return Err(keys.missing("linear_attn_config", "which layers have linear attention, and its heads"));
    };
    let mut kinds: Vec<char> = (0..shape.num_hidden_layers).map(|_| 'L').collect();
    for layer in own.list("full_attn_layers")?.unwrap_or_default() {
        let place = layer.as_u64().and_then(|layer| usize::try_from(layer.checked_sub(1)?).ok());
        match place.and_then(|place| kinds.get_mut(place)) {
            Some(kind) => *kind = 'A',
            None => {
                return Err(own.error("full_attn_layers", "must be a list of the numbers of layers, counted from 1."));
            }
        }
    }
    let text: String = kinds.into_iter().collect();
    shape.layer_pattern = layers::pattern(&text, "linear_attn_config", keys)?;
    let width = own.required(&["head_dim"], HEAD_DIM, "the width of a head of linear attention")?;
    let heads = own.required(&["num_heads"], HEADS, "the heads of linear attention")?;
    let whole = own.flag(&["use_full_rank_gate"])?.unwrap_or(false);
    shape.linear = Linear {
        num_key_heads: heads,
        num_value_heads: heads,
        key_head_dim: width,
        value_head_dim: width,
        conv_kernel: own.positive(&["short_conv_kernel_size"], 1024)?.unwrap_or(4),
        decay_rank: width,
        gate_rank: if whole { 0 } else { width },
    };
    shape.attn_output_gate = keys.flag(&["mla_use_output_gate"])?.unwrap_or(false);
    shape.moe_latent_size = keys.count(&["routed_expert_hidden_size"], HIDDEN)?.unwrap_or(0);
    if shape.is_mla() {
        // The file's own is the hidden size over the heads, which nothing of it has.
        shape.head_dim = shape.query_head_dim();
    }
    if shape.max_position_embeddings == 0 {
        shape.max_position_embeddings = keys.count(&["model_max_length"], POSITIONS)?.unwrap_or(0);
    }
    Ok(())
}

/// LongCat-Flash (`LongcatFlashDecoderLayer`): two attentions and two dense MLPs in each layer of the file, and experts from
/// the first MLP's input to the second's output. As blocks these are two, of which the first has the experts and its MLP in
/// the place of a shared one. Among the experts are some that compute nothing, which a token chooses as often as others.
fn longcat(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    // Files that transformers has written state the blocks beside the layers.
    if let Some(layers) = keys.positive(&["num_layers"], LAYERS / 2)? {
        shape.num_hidden_layers = 2 * layers;
    }
    if shape.is_mla() {
        // Those state a width of heads that nothing has.
        shape.head_dim = shape.query_head_dim();
    }
    shape.zero_experts = keys.count(&["zero_expert_num"], EXPERTS)?.unwrap_or(0);
    let chosen = shape.num_experts_per_tok * shape.num_experts;
    let all = (shape.num_experts + shape.zero_experts).max(1);
    shape.num_experts_per_tok = ((2 * chosen + all) / (2 * all)).max(u64::from(shape.num_experts > 0));
    shape.shared_expert_intermediate_size = shape.intermediate_size;
    shape.moe_layer_freq = 2;
    shape.router_bias = shape.num_experts > 0;
    Ok(())
}

/// Nemotron-H: one mixer, MLP or expert layer in each block.
fn nemotron_h(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    let Some(text) = blocks(keys)? else {
        return Err(keys.missing("hybrid_override_pattern", "the kind of each block, as letters M * - E"));
    };
    shape.layer_pattern = layers::pattern(&text, "hybrid_override_pattern", keys)?;
    if text.contains('E') && shape.num_experts == 0 {
        return Err(
            keys.missing("n_routed_experts", "the pattern has expert blocks, which need their number of experts")
        );
    }
    shape.moe_latent_size = keys.count(&["moe_latent_size"], HIDDEN)?.unwrap_or(0);
    shape.mamba = Mamba {
        num_heads: keys.positive(&["mamba_num_heads"], HEADS)?.unwrap_or(128),
        head_dim: keys.positive(&["mamba_head_dim"], HEAD_DIM)?.unwrap_or(64),
        n_groups: keys.positive(&["n_groups", "mamba_n_groups"], HEADS)?.unwrap_or(8),
        state_size: keys.positive(&["ssm_state_size", "mamba_state_size"], HEAD_DIM)?.unwrap_or(128),
        conv_kernel: keys.positive(&["conv_kernel", "mamba_d_conv"], 1024)?.unwrap_or(4),
    };
    Ok(())
}

/// The kind of each block of Nemotron-H, as the letters of its pattern: given as such, or as a list
/// of words.
pub(super) fn blocks(keys: &Keys<'_>) -> Result<Option<String>, InputError> {
    if let Some(text) = keys.word("hybrid_override_pattern")? {
        if text.is_empty() || text.len() as u64 > LAYERS || !text.chars().all(|letter| "M*-E".contains(letter)) {
            return Err(keys.error(
                "hybrid_override_pattern",
                "must be of the letters M (Mamba-2), * (attention), - (MLP) and E (experts), one for each block.",
            ));
        }
        return Ok(Some(text.to_owned()));
    }
    let Some(list) = keys.list("layers_block_type")? else {
        return Ok(None);
    };
    let letters: Option<String> = list
        .iter()
        .map(|kind| match kind.as_str()? {
            "mamba" => Some('M'),
            "attention" => Some('*'),
            "mlp" => Some('-'),
            "moe" => Some('E'),
            _ => None,
        })
        .collect();
    match letters {
        Some(text) if !text.is_empty() && text.len() as u64 <= LAYERS => Ok(Some(text)),
        _ => {
            Err(keys.error("layers_block_type", "must be a list of mamba, attention, mlp and moe, one for each block."))
        }
    }
}
