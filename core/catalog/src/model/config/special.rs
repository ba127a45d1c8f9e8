//! What only some types have: windows, chunks, learned positions, recurrent layers.

use super::keys::{HEAD_DIM, HEADS, HIDDEN, Keys, LAYERS, POSITIONS, WIDTH};
use super::{layers, searched};
use crate::error::InputError;
use crate::model::{Linear, Mamba, Norm, QkNorm, Shape};

/// What only some types have.
pub(super) fn apply(shape: &mut Shape, keys: &Keys<'_>, model_type: &str) -> Result<(), InputError> {
    match model_type {
        "gemma2" => layers::windows(shape, keys, 2),
        "gemma3" | "gemma3_text" => {
            let every = keys
                .positive(&["sliding_window_pattern", "_sliding_window_pattern"], LAYERS)?
                .unwrap_or(6);
            layers::windows(shape, keys, every)
        }
        "gpt_oss" => layers::windows(shape, keys, 2),
        "olmo3" => layers::windows(shape, keys, 4),
        "llama4" | "llama4_text" => llama4(shape, keys),
        "qwen3_next" | "qwen3_5" | "qwen3_5_text" | "qwen3_5_moe" | "qwen3_5_moe_text" => delta_net(shape, keys),
        "nemotron_h" => nemotron_h(shape, keys),
        "nemotron-nas" => searched::apply(shape, keys),
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
        };
    }
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
