//! What each Hugging Face `model_type` means: which features its model has, which keys its
//! `config.json` uses and what absent keys default to, after the configuration class of the type in
//! <https://github.com/huggingface/transformers/tree/main/src/transformers/models>.

use serde_json::Value;

use super::keys::{EXPERTS, HEAD_DIM, HEADS, HIDDEN, Keys, LAYERS, POSITIONS, VOCABULARY, WIDTH};
use super::{layers, vision};
use crate::error::InputError;
use crate::model::{Linear, Mamba, Norm, QkNorm, Shape};

/// Supported types, as an error message lists them.
const SUPPORTED: &str = "llama, llama4, qwen2, qwen2_moe, qwen2_5_vl, qwen3, qwen3_moe, qwen3_next, qwen3_vl, \
qwen3_vl_moe, qwen3_5, qwen3_5_moe, mistral, ministral3, mixtral, deepseek, deepseek_v2, deepseek_v3, deepseek_v32, \
kimi_k2, gemma, gemma2, gemma3, glm, glm4, glm4_moe, glm4_moe_lite, glm_moe_dsa, gpt_oss, phi, phi3, phimoe, \
internlm2, internlm3, internvl, minicpm, minicpm3, mimo, minimax_m2, olmo2, olmo3, olmoe, smollm3, nemotron, \
nemotron_h, mpt, opt, gpt2, gptj, gpt_neox, bloom, falcon, starcoder2";

/// Whether the catalog only states the weights of models of this type.
pub(super) fn is_stated_only(model_type: &str) -> bool {
    ["gemma4", "gemma4_text", "deepseek_v4"].contains(&model_type)
}

/// The shape that a real `config.json` describes.
pub(super) fn shape(model_type: &str, keys: &Keys<'_>) -> Result<Shape, InputError> {
    let Some(features) = features(model_type) else {
        let shown: String = model_type.chars().take(60).collect();
        return Err(keys.error(
            "model_type",
            &format!("\"{shown}\" is not supported. Supported are {SUPPORTED}. For another type give the sizes alone, without model_type."),
        ));
    };
    // A vision-language file keeps the language model's keys in an object of its own; older ones
    // of Qwen2.5-VL have them beside it.
    let text = keys
        .nested(&["text_config", "llm_config"])?
        .unwrap_or_else(|| keys.clone());
    let inner = text.word("model_type")?.unwrap_or(model_type);
    let mut shape = if vision::kind(model_type).is_some() && inner != model_type {
        match self::features(inner) {
            Some(inner_features) => inner_features,
            None => features,
        }
    } else {
        features
    };
    let language = if self::features(inner).is_some() {
        inner
    } else {
        model_type
    };
    common(&mut shape, &text, language)?;
    tied(&mut shape, keys, &text)?;
    experts(&mut shape, &text, language)?;
    special(&mut shape, &text, language)?;
    vision::read(&mut shape, keys, model_type)?;
    Ok(shape)
}

/// The shape of a normalised object.
pub(super) fn normalised(keys: &Keys<'_>) -> Result<Shape, InputError> {
    let mut shape = Shape::EMPTY;
    common(&mut shape, keys, "")?;
    tied(&mut shape, keys, keys)?;
    shape.gated_mlp = keys.flag(&["gated_mlp"])?.unwrap_or(true);
    experts(&mut shape, keys, "")?;
    special(&mut shape, keys, "")?;
    vision::read(&mut shape, keys, "")?;
    Ok(shape)
}

/// Features that the type has whatever its file says, and defaults of those it may say.
fn features(model_type: &str) -> Option<Shape> {
    let plain = Shape {
        gated_mlp: false,
        norm: Norm::Layer,
        ..Shape::EMPTY
    };
    let biased = Shape {
        attention_bias: true,
        attention_out_bias: true,
        mlp_bias: true,
        ..plain
    };
    let tied = Shape {
        tie_word_embeddings: true,
        ..Shape::EMPTY
    };
    Some(match model_type {
        "llama" | "mistral" | "ministral3" | "mixtral" | "phi3" | "internlm2" | "internlm3"
        | "deepseek" | "deepseek_v2" | "glm4_moe_lite_text" | "llama4" | "llama4_text" => {
            Shape::EMPTY
        }
        "deepseek_v3" | "deepseek_v32" | "kimi_k2" | "glm4_moe_lite" | "glm_moe_dsa"
        | "glm4_moe" => Shape {
            router_bias: true,
            ..Shape::EMPTY
        },
        "qwen2" | "mimo" | "qwen2_5_vl" | "qwen2_5_vl_text" => Shape {
            attention_bias: true,
            ..Shape::EMPTY
        },
        "qwen2_moe" => Shape {
            attention_bias: true,
            shared_expert_gate: true,
            ..Shape::EMPTY
        },
        "qwen3" | "qwen3_moe" | "qwen3_vl" | "qwen3_vl_text" | "qwen3_vl_moe"
        | "qwen3_vl_moe_text" => Shape {
            qk_norm: QkNorm::Head,
            ..Shape::EMPTY
        },
        "qwen3_next" | "qwen3_5" | "qwen3_5_text" | "qwen3_5_moe" | "qwen3_5_moe_text" => Shape {
            qk_norm: QkNorm::Head,
            attn_output_gate: true,
            shared_expert_gate: true,
            ..Shape::EMPTY
        },
        "gemma" => tied,
        "minicpm" | "minicpm3" | "smollm3" => tied,
        "gemma2" => Shape {
            norms_per_layer: 4,
            ..tied
        },
        "gemma3" | "gemma3_text" => Shape {
            norms_per_layer: 4,
            qk_norm: QkNorm::Head,
            ..tied
        },
        "glm" => Shape {
            attention_bias: true,
            ..Shape::EMPTY
        },
        "glm4" => Shape {
            norms_per_layer: 4,
            ..Shape::EMPTY
        },
        "gpt_oss" => Shape {
            attention_bias: true,
            attention_out_bias: true,
            attn_sinks: true,
            router_linear_bias: true,
            expert_bias: true,
            ..Shape::EMPTY
        },
        "phi" => Shape {
            norms_per_layer: 1,
            lm_head_bias: true,
            ..biased
        },
        "phimoe" => Shape {
            norm: Norm::Layer,
            ..Shape::EMPTY
        },
        "olmo2" | "olmo3" | "olmoe" => Shape {
            qk_norm: QkNorm::Full,
            ..Shape::EMPTY
        },
        "minimax_m2" => Shape {
            qk_norm: QkNorm::Full,
            router_bias: true,
            ..Shape::EMPTY
        },
        "nemotron" => plain,
        "nemotron_h" => Shape {
            gated_mlp: false,
            norms_per_layer: 1,
            router_bias: true,
            ..Shape::EMPTY
        },
        "internvl" | "internvl_chat" => Shape {
            qk_norm: QkNorm::Head,
            ..Shape::EMPTY
        },
        "gpt2" | "opt" => Shape {
            tie_word_embeddings: true,
            ..biased
        },
        "bloom" => Shape {
            tie_word_embeddings: true,
            embed_norm: true,
            ..biased
        },
        "mpt" | "starcoder2" => Shape {
            tie_word_embeddings: true,
            ..biased
        },
        "gpt_neox" => biased,
        "gptj" => Shape {
            norms_per_layer: 1,
            mlp_bias: true,
            lm_head_bias: true,
            ..plain
        },
        "falcon" | "RefinedWebModel" | "RefinedWeb" => Shape {
            tie_word_embeddings: true,
            ..plain
        },
        _ => return None,
    })
}

/// Sizes that every type has, under the names that types give them.
fn common(shape: &mut Shape, keys: &Keys<'_>, model_type: &str) -> Result<(), InputError> {
    let gemma3 = ["gemma3", "gemma3_text"].contains(&model_type);
    let or_default = |value: u64| if gemma3 { Some(value) } else { None };
    shape.hidden_size = keys.required(
        &["hidden_size", "n_embd", "n_embed", "d_model"],
        HIDDEN,
        "the width of the residual stream",
    )?;
    let listed = if is_hybrid_stack(model_type) {
        blocks(keys)?.map(|text| text.len() as u64)
    } else {
        None
    };
    let given = keys.positive(
        &["num_hidden_layers", "n_layer", "n_layers", "num_layers"],
        LAYERS,
    )?;
    shape.num_hidden_layers = match given.or(listed) {
        Some(layers) => layers,
        None => return Err(keys.missing("num_hidden_layers", "the number of blocks")),
    };
    // Published Gemma 3 files leave out what the class defaults to.
    shape.num_attention_heads =
        match keys.positive(&["num_attention_heads", "n_head", "n_heads"], HEADS)? {
            Some(heads) => heads,
            None => or_default(8)
                .ok_or_else(|| keys.missing("num_attention_heads", "the number of query heads"))?,
        };
    shape.vocab_size = match keys.positive(&["vocab_size"], VOCABULARY)? {
        Some(size) => size,
        None => {
            or_default(262_208).ok_or_else(|| keys.missing("vocab_size", "the number of tokens"))?
        }
    };
    shape.max_position_embeddings = keys
        .count(
            &[
                "max_position_embeddings",
                "n_positions",
                "max_seq_len",
                "seq_length",
            ],
            POSITIONS,
        )?
        .unwrap_or(0);
    shape.num_key_value_heads =
        match keys.positive(&["num_key_value_heads", "num_kv_heads", "n_head_kv"], HEADS)? {
            Some(heads) => heads,
            None => or_default(4).unwrap_or(shape.num_attention_heads),
        };
    latent(shape, keys)?;
    head_width(
        shape,
        keys,
        gemma3 || model_type == "gemma" || model_type == "gemma2",
    )?;
    let fused = ["gpt2", "gptj", "gpt_neox", "bloom", "falcon", "mpt", "opt"].contains(&model_type);
    shape.intermediate_size = match keys.count(
        &["intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"],
        WIDTH,
    )? {
        Some(width) => width,
        None if fused => 4 * shape.hidden_size,
        None => 0,
    };
    if let Some(bias) = keys.flag(&["attention_bias", "qkv_bias"])? {
        shape.attention_bias = bias;
        if [
            "llama",
            "smollm3",
            "phimoe",
            "nemotron",
            "gpt_neox",
            "qwen3",
            "qwen3_moe",
            "olmo2",
        ]
        .contains(&model_type)
        {
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
    shape.qk_nope_head_dim = keys.required(
        &["qk_nope_head_dim"],
        HEAD_DIM,
        "with kv_lora_rank, the head width without position",
    )?;
    shape.qk_rope_head_dim = keys.required(
        &["qk_rope_head_dim"],
        HEAD_DIM,
        "with kv_lora_rank, the head width with position",
    )?;
    shape.v_head_dim = match keys.positive(&["v_head_dim"], HEAD_DIM)? {
        Some(width) => width,
        None => (shape.hidden_size / shape.num_attention_heads).max(1),
    };
    shape.num_key_value_heads = shape.num_attention_heads;
    shape.indexer_heads = keys.count(&["index_n_heads"], HEADS)?.unwrap_or(0);
    if shape.indexer_heads > 0 {
        shape.indexer_head_dim = keys.required(
            &["index_head_dim"],
            HEAD_DIM,
            "with index_n_heads, the width of an indexer head",
        )?;
    }
    Ok(())
}

/// Whether the LM head is the embedding: the file's own key, then its text part's, then the type's
/// default.
fn tied(shape: &mut Shape, keys: &Keys<'_>, text: &Keys<'_>) -> Result<(), InputError> {
    let names = &["tie_word_embeddings"];
    if let Some(tied) = keys.flag(names)?.or(text.flag(names)?) {
        shape.tie_word_embeddings = tied;
    }
    Ok(())
}

/// Experts under the names that types give them.
fn experts(shape: &mut Shape, keys: &Keys<'_>, model_type: &str) -> Result<(), InputError> {
    let count = keys
        .count(
            &["num_experts", "num_local_experts", "n_routed_experts"],
            EXPERTS,
        )?
        .unwrap_or(0);
    let dense_only =
        ["llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2"].contains(&model_type);
    if count == 0 || dense_only {
        if shape.intermediate_size == 0 && !is_hybrid_stack(model_type) {
            return Err(keys.missing("intermediate_size", "the width of the MLP"));
        }
        shape.shared_expert_gate = false;
        shape.router_bias = false;
        return Ok(());
    }
    shape.num_experts = count;
    shape.num_experts_per_tok = match keys.positive(
        &["num_experts_per_tok", "num_experts_per_token", "moe_topk"],
        EXPERTS,
    )? {
        Some(visited) => visited,
        None if ["mixtral", "phimoe"].contains(&model_type) => 2,
        None => return Err(keys.missing("num_experts_per_tok", "how many experts a token visits")),
    };
    shape.moe_intermediate_size = match keys.positive(&["moe_intermediate_size"], WIDTH)? {
        Some(width) => width,
        None if shape.intermediate_size > 0 => shape.intermediate_size,
        None => return Err(keys.missing("moe_intermediate_size", "the width of one expert")),
    };
    let shared = keys.count(
        &[
            "shared_expert_intermediate_size",
            "moe_shared_expert_intermediate_size",
        ],
        WIDTH,
    )?;
    let number = keys.count(&["n_shared_experts", "num_shared_experts"], EXPERTS)?;
    shape.shared_expert_intermediate_size = match (shared, number) {
        (Some(width), _) => width,
        (None, Some(number)) => number
            .saturating_mul(shape.moe_intermediate_size)
            .min(10 * WIDTH),
        (None, None) => 0,
    };
    if shape.shared_expert_intermediate_size == 0 {
        shape.shared_expert_gate = false;
    }
    shape.first_k_dense_replace = keys.count(&["first_k_dense_replace"], LAYERS)?.unwrap_or(0);
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
        let dense = list
            .iter()
            .take_while(|flag| flag.as_u64() == Some(0))
            .count();
        if list.iter().skip(dense).any(|flag| flag.as_u64() != Some(1)) {
            return Err(keys.error(
                "moe_layer_freq",
                "as a list it must have zeros first, then ones.",
            ));
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
            return Err(keys.error(
                name,
                "dense layers between expert layers are not modelled, only before them.",
            ));
        }
        if first > 0 {
            shape.first_k_dense_replace = first as u64;
        }
    }
    Ok(())
}

fn is_hybrid_stack(model_type: &str) -> bool {
    model_type == "nemotron_h"
}

/// What only some types have.
fn special(shape: &mut Shape, keys: &Keys<'_>, model_type: &str) -> Result<(), InputError> {
    match model_type {
        "gemma2" => layers::windows(shape, keys, 2),
        "gemma3" | "gemma3_text" => {
            let every = keys
                .positive(
                    &["sliding_window_pattern", "_sliding_window_pattern"],
                    LAYERS,
                )?
                .unwrap_or(6);
            layers::windows(shape, keys, every)
        }
        "gpt_oss" => layers::windows(shape, keys, 2),
        "olmo3" => layers::windows(shape, keys, 4),
        "llama4" | "llama4_text" => llama4(shape, keys),
        "qwen3_next" | "qwen3_5" | "qwen3_5_text" | "qwen3_5_moe" | "qwen3_5_moe_text" => {
            delta_net(shape, keys)
        }
        "nemotron_h" => nemotron_h(shape, keys),
        "qwen2" | "qwen2_moe" | "qwen3" | "qwen3_moe" | "qwen2_5_vl" | "qwen2_5_vl_text" => {
            // These files carry a window that is off unless they say otherwise.
            if keys.flag(&["use_sliding_window"])?.unwrap_or(false) {
                layers::windows(shape, keys, 0)
            } else {
                Ok(())
            }
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
        "gpt2" | "opt" | "mpt" | "falcon" | "RefinedWeb" | "RefinedWebModel" => {
            older(shape, keys, model_type)
        }
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
            shape.learned_positions = keys
                .positive(&["n_positions", "n_ctx"], POSITIONS)?
                .unwrap_or(1024);
            shape.max_position_embeddings = shape.learned_positions;
        }
        "opt" => {
            // The embedding of positions has two rows more than positions (`OPTLearnedPositionalEmbedding`).
            shape.learned_positions = shape.max_position_embeddings.max(1) + 2;
            shape.no_final_norm = keys.flag(&["do_layer_norm_before"])? == Some(false);
            let projected = keys
                .positive(&["word_embed_proj_dim"], HIDDEN)?
                .unwrap_or(shape.hidden_size);
            shape.word_embed_proj_dim = if projected == shape.hidden_size {
                0
            } else {
                projected
            };
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
    shape.sliding_window = keys
        .count(&["attention_chunk_size"], POSITIONS)?
        .unwrap_or(8192);
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
    let every = keys
        .positive(&["full_attention_interval"], 64)?
        .unwrap_or(4);
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
            num_key_heads: keys
                .positive(&["linear_num_key_heads"], HEADS)?
                .unwrap_or(16),
            num_value_heads: keys
                .positive(&["linear_num_value_heads"], HEADS)?
                .unwrap_or(32),
            key_head_dim: keys
                .positive(&["linear_key_head_dim"], HEAD_DIM)?
                .unwrap_or(128),
            value_head_dim: keys
                .positive(&["linear_value_head_dim"], HEAD_DIM)?
                .unwrap_or(128),
            conv_kernel: keys
                .positive(&["linear_conv_kernel_dim"], 1024)?
                .unwrap_or(4),
        };
    }
    Ok(())
}

/// Nemotron-H: one mixer, MLP or expert layer in each block.
fn nemotron_h(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    let Some(text) = blocks(keys)? else {
        return Err(keys.missing(
            "hybrid_override_pattern",
            "the kind of each block, as letters M * - E",
        ));
    };
    shape.layer_pattern = layers::pattern(&text, "hybrid_override_pattern", keys)?;
    if text.contains('E') && shape.num_experts == 0 {
        return Err(keys.missing(
            "n_routed_experts",
            "the pattern has expert blocks, which need their number of experts",
        ));
    }
    shape.moe_latent_size = keys.count(&["moe_latent_size"], HIDDEN)?.unwrap_or(0);
    shape.mamba = Mamba {
        num_heads: keys.positive(&["mamba_num_heads"], HEADS)?.unwrap_or(128),
        head_dim: keys.positive(&["mamba_head_dim"], HEAD_DIM)?.unwrap_or(64),
        n_groups: keys
            .positive(&["n_groups", "mamba_n_groups"], HEADS)?
            .unwrap_or(8),
        state_size: keys
            .positive(&["ssm_state_size", "mamba_state_size"], HEAD_DIM)?
            .unwrap_or(128),
        conv_kernel: keys
            .positive(&["conv_kernel", "mamba_d_conv"], 1024)?
            .unwrap_or(4),
    };
    Ok(())
}

/// The kind of each block of Nemotron-H, as the letters of its pattern: given as such, or as a list
/// of words.
fn blocks(keys: &Keys<'_>) -> Result<Option<String>, InputError> {
    if let Some(text) = keys.word("hybrid_override_pattern")? {
        if text.is_empty()
            || text.len() as u64 > LAYERS
            || !text.chars().all(|letter| "M*-E".contains(letter))
        {
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
        _ => Err(keys.error(
            "layers_block_type",
            "must be a list of mamba, attention, mlp and moe, one for each block.",
        )),
    }
}
