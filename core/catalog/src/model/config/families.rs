//! What each Hugging Face `model_type` means: which features its model has, which keys its
//! `config.json` uses and what absent keys default to, after the configuration class of the type in
//! <https://github.com/huggingface/transformers/tree/main/src/transformers/models>.

use super::keys::Keys;
use super::{sizes, special, vision};
use crate::error::InputError;
use crate::model::{Norm, QkNorm, Shape};

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
    let text = keys.nested(&["text_config", "llm_config"])?.unwrap_or_else(|| keys.clone());
    let inner = text.word("model_type")?.unwrap_or(model_type);
    let mut shape = if vision::kind(model_type).is_some() && inner != model_type {
        match self::features(inner) {
            Some(inner_features) => inner_features,
            None => features,
        }
    } else {
        features
    };
    let language = if self::features(inner).is_some() { inner } else { model_type };
    sizes::common(&mut shape, &text, language)?;
    sizes::tied(&mut shape, keys, &text)?;
    sizes::experts(&mut shape, &text, language)?;
    special::apply(&mut shape, &text, language)?;
    vision::read(&mut shape, keys, model_type)?;
    Ok(shape)
}

/// The shape of a normalised object.
pub(super) fn normalised(keys: &Keys<'_>) -> Result<Shape, InputError> {
    let mut shape = Shape::EMPTY;
    sizes::common(&mut shape, keys, "")?;
    sizes::tied(&mut shape, keys, keys)?;
    shape.gated_mlp = keys.flag(&["gated_mlp"])?.unwrap_or(true);
    sizes::experts(&mut shape, keys, "")?;
    special::apply(&mut shape, keys, "")?;
    vision::read(&mut shape, keys, "")?;
    Ok(shape)
}

/// Features that the type has whatever its file says, and defaults of those it may say.
fn features(model_type: &str) -> Option<Shape> {
    let plain = Shape { gated_mlp: false, norm: Norm::Layer, ..Shape::EMPTY };
    let biased = Shape { attention_bias: true, attention_out_bias: true, mlp_bias: true, ..plain };
    let tied = Shape { tie_word_embeddings: true, ..Shape::EMPTY };
    Some(match model_type {
        "llama" | "mistral" | "ministral3" | "mixtral" | "phi3" | "internlm2" | "internlm3" | "deepseek"
        | "deepseek_v2" | "glm4_moe_lite_text" | "llama4" | "llama4_text" => Shape::EMPTY,
        "deepseek_v3" | "deepseek_v32" | "kimi_k2" | "glm4_moe_lite" | "glm_moe_dsa" | "glm4_moe" => {
            Shape { router_bias: true, ..Shape::EMPTY }
        }
        "qwen2" | "mimo" | "qwen2_5_vl" | "qwen2_5_vl_text" => Shape { attention_bias: true, ..Shape::EMPTY },
        "qwen2_moe" => Shape { attention_bias: true, shared_expert_gate: true, ..Shape::EMPTY },
        "qwen3" | "qwen3_moe" | "qwen3_vl" | "qwen3_vl_text" | "qwen3_vl_moe" | "qwen3_vl_moe_text" => {
            Shape { qk_norm: QkNorm::Head, ..Shape::EMPTY }
        }
        "qwen3_next" | "qwen3_5" | "qwen3_5_text" | "qwen3_5_moe" | "qwen3_5_moe_text" => {
            Shape { qk_norm: QkNorm::Head, attn_output_gate: true, shared_expert_gate: true, ..Shape::EMPTY }
        }
        "gemma" => tied,
        "minicpm" | "minicpm3" | "smollm3" => tied,
        "gemma2" => Shape { norms_per_layer: 4, ..tied },
        "gemma3" | "gemma3_text" => Shape { norms_per_layer: 4, qk_norm: QkNorm::Head, ..tied },
        "glm" => Shape { attention_bias: true, ..Shape::EMPTY },
        "glm4" => Shape { norms_per_layer: 4, ..Shape::EMPTY },
        "gpt_oss" => Shape {
            attention_bias: true,
            attention_out_bias: true,
            attn_sinks: true,
            mxfp4_experts: true,
            router_linear_bias: true,
            expert_bias: true,
            ..Shape::EMPTY
        },
        "phi" => Shape { norms_per_layer: 1, lm_head_bias: true, ..biased },
        "phimoe" => Shape { norm: Norm::Layer, ..Shape::EMPTY },
        "olmo2" | "olmo3" | "olmoe" => Shape { qk_norm: QkNorm::Full, ..Shape::EMPTY },
        "minimax_m2" => Shape { qk_norm: QkNorm::Full, router_bias: true, ..Shape::EMPTY },
        "nemotron" => plain,
        "nemotron_h" => Shape { gated_mlp: false, norms_per_layer: 1, router_bias: true, ..Shape::EMPTY },
        "internvl" | "internvl_chat" => Shape { qk_norm: QkNorm::Head, ..Shape::EMPTY },
        "gpt2" | "opt" => Shape { tie_word_embeddings: true, ..biased },
        "bloom" => Shape { tie_word_embeddings: true, embed_norm: true, ..biased },
        "mpt" | "starcoder2" => Shape { tie_word_embeddings: true, ..biased },
        "gpt_neox" => biased,
        "gptj" => Shape { norms_per_layer: 1, mlp_bias: true, lm_head_bias: true, ..plain },
        "falcon" | "RefinedWebModel" | "RefinedWeb" => Shape { tie_word_embeddings: true, ..plain },
        _ => return None,
    })
}
