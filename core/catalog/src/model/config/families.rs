//! What each Hugging Face `model_type` means: which features its model has, which keys its
//! `config.json` uses and what absent keys default to, after the configuration class of the type in
//! <https://github.com/huggingface/transformers/tree/main/src/transformers/models>.

use serde_json::Value;

use super::keys::Keys;
use super::{layers, quantization, searched, sizes, special, vision};
use crate::error::InputError;
use crate::model::{Norm, QkNorm, Reading, Shape};

/// Where files of several parts keep the language model's keys.
const LANGUAGE: [&str; 3] = ["text_config", "llm_config", "language_config"];

/// What architectures that are no decoders have in their names.
const NO_DECODERS: [&str; 4] = ["MaskedLM", "Classification", "QuestionAnswering", "EncoderModel"];

/// Whether the catalog only states the weights of models of this type.
pub(super) fn is_stated_only(model_type: &str) -> bool {
    ["gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text", "deepseek_v4"].contains(&model_type)
}

/// The shape that a real `config.json` describes, and what it leaves open.
pub(super) fn shape(model_type: &str, keys: &Keys<'_>) -> Result<(Shape, Reading), InputError> {
    // A file of several parts keeps the language model's keys in an object of its own, those that speak within one for
    // what thinks; older ones of Qwen2.5-VL have them beside it.
    let thinker = keys.nested(&["thinker_config"])?;
    let whole = thinker.as_ref().unwrap_or(keys);
    let text = whole.nested(&LANGUAGE)?.unwrap_or_else(|| whole.clone());
    let inner = text.word("model_type")?.unwrap_or(model_type);
    let (language, found) = match (features(inner), features(model_type)) {
        (Some(found), _) => (inner, Some(found)),
        (None, found) => (model_type, found),
    };
    let mut shape = found.unwrap_or(Shape::EMPTY);
    if found.is_none() {
        refuse_no_decoder(keys, &text)?;
    }
    let language = if found.is_some() { language } else { "" };
    sizes::common(&mut shape, &text, language)?;
    sizes::tied(&mut shape, keys, &text)?;
    sizes::experts(&mut shape, &text, language)?;
    if found.is_some() {
        special::apply(&mut shape, &text, language)?;
    } else {
        layers::known_windows(&mut shape, &text)?;
    }
    let seen = vision::read(&mut shape, whole, model_type)?;
    let heard = ["audio_config", "talker_config"]
        .iter()
        .any(|name| keys.has(name) || whole.has(name));
    let unknown: String = inner.chars().take(60).collect();
    let reading = Reading {
        outlined: if language == "nemotron-nas" { searched::weights(&shape, &text)? } else { 0 },
        unknown_type: found.is_none().then_some(unknown),
        tower_ignored: !seen || heard,
        released: quantization::released(keys, &text, shape.num_experts > 0)?,
    };
    Ok((shape, reading))
}

/// Refuses what has a decoder's sizes and is none, or a decoder of unknown type whose blocks have sizes of their own.
fn refuse_no_decoder(keys: &Keys<'_>, text: &Keys<'_>) -> Result<(), InputError> {
    let named = |entry: &Value| {
        entry
            .as_str()
            .is_some_and(|name| NO_DECODERS.iter().any(|own| name.contains(own)))
    };
    let listed = keys.list("architectures")?.is_some_and(|list| list.iter().any(named));
    if listed || text.flag(&["is_encoder_decoder"])? == Some(true) {
        return Err(
            keys.error("model_type", "this is no decoder. Give the config.json of a language model that generates.")
        );
    }
    if text.has("block_configs") {
        return Err(keys.error(
            "model_type",
            "each block of this model has sizes of its own, which are not modelled. Choose another model.",
        ));
    }
    Ok(())
}

/// The shape of a normalised object.
pub(super) fn normalised(keys: &Keys<'_>) -> Result<Shape, InputError> {
    let mut shape = Shape::EMPTY;
    sizes::common(&mut shape, keys, "")?;
    sizes::tied(&mut shape, keys, keys)?;
    shape.gated_mlp = keys.flag(&["gated_mlp"])?.unwrap_or(true);
    sizes::experts(&mut shape, keys, "")?;
    special::apply(&mut shape, keys, "")?;
    if !vision::read(&mut shape, keys, "")? {
        return Err(keys.error(
            "vision_config.model_type",
            "this family of vision towers is not modelled. Known are qwen2_5_vl, qwen3_vl, siglip_vision_model, internvl_vision, glm4v and llama4_vision_model.",
        ));
    }
    Ok(shape)
}

/// Features that the type has whatever its file says, and defaults of those it may say.
fn features(model_type: &str) -> Option<Shape> {
    let plain = Shape { gated_mlp: false, norm: Norm::Layer, ..Shape::EMPTY };
    let biased = Shape { attention_bias: true, attention_out_bias: true, mlp_bias: true, ..plain };
    let tied = Shape { tie_word_embeddings: true, ..Shape::EMPTY };
    Some(match model_type {
        // The larger Lings of the second generation bear the first's name, and say what they have beside it.
        "llama" | "mistral" | "ministral3" | "mixtral" | "phi3" | "internlm2" | "internlm3" | "deepseek"
        | "deepseek_v2" | "glm4_moe_lite_text" | "llama4" | "llama4_text" | "bailing_moe" | "nemotron-nas" => {
            Shape::EMPTY
        }
        "ernie4_5_moe" => Shape { router_bias: true, ..tied },
        "bailing_moe_v2" | "minimax_m3" => Shape { qk_norm: QkNorm::Head, router_bias: true, ..Shape::EMPTY },
        "deepseek_v3" | "deepseek_v32" | "kimi_k2" | "kimi_k25" | "kimi_k3" | "kimi_linear" | "longcat_flash"
        | "glm4_moe_lite" | "glm_moe_dsa" | "glm4_moe" => Shape { router_bias: true, ..Shape::EMPTY },
        "qwen2" | "mimo" | "qwen2_5_vl" | "qwen2_5_vl_text" | "qwen2_vl" | "qwen2_5_omni_text" | "seed_oss" => {
            Shape { attention_bias: true, ..Shape::EMPTY }
        }
        "qwen2_moe" => Shape { attention_bias: true, shared_expert_gate: true, ..Shape::EMPTY },
        "qwen3"
        | "qwen3_moe"
        | "qwen3_vl"
        | "qwen3_vl_text"
        | "qwen3_vl_moe"
        | "qwen3_vl_moe_text"
        | "qwen3_omni_moe_text"
        | "hunyuan_v1_dense"
        | "hunyuan_v1_moe" => Shape { qk_norm: QkNorm::Head, ..Shape::EMPTY },
        "qwen3_next" | "qwen3_5" | "qwen3_5_text" | "qwen3_5_moe" | "qwen3_5_moe_text" => {
            Shape { qk_norm: QkNorm::Head, attn_output_gate: true, shared_expert_gate: true, ..Shape::EMPTY }
        }
        "gemma" | "ernie4_5" | "minicpm" | "minicpm3" | "smollm3" => tied,
        "gemma2" => Shape { norms_per_layer: 4, ..tied },
        "gemma3" | "gemma3_text" => Shape { norms_per_layer: 4, qk_norm: QkNorm::Head, ..tied },
        "glm" => Shape { attention_bias: true, ..Shape::EMPTY },
        "glm4" => Shape { norms_per_layer: 4, ..Shape::EMPTY },
        "glm4v" | "glm4v_text" => Shape { norms_per_layer: 4, attention_bias: true, ..Shape::EMPTY },
        "glm4v_moe" | "glm4v_moe_text" => Shape { attention_bias: true, router_bias: true, ..Shape::EMPTY },
        "hy_v3" => Shape { qk_norm: QkNorm::Head, router_bias: true, first_k_dense_replace: 1, ..Shape::EMPTY },
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
