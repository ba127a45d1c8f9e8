//! Vision towers of vision-language configs.

use super::keys::{HEADS, HIDDEN, Keys, LAYERS, WIDTH};
use crate::error::InputError;
use crate::model::{Shape, Vision, VisionKind};

/// Largest side of a patch, and of an image, in pixels.
const PIXELS: u64 = 10_000;

/// The family of towers of a language-and-vision `model_type`.
pub(super) fn kind(model_type: &str) -> Option<VisionKind> {
    match model_type {
        "qwen2_5_vl" => Some(VisionKind::Qwen25Vl),
        "qwen3_vl" | "qwen3_vl_moe" | "qwen3_5" | "qwen3_5_moe" | "qwen3_5_vision" => Some(VisionKind::Qwen3Vl),
        "gemma3" | "siglip_vision_model" => Some(VisionKind::SiglipGemma3),
        "glm4v" | "glm4v_moe" | "glm4v_vision" | "glm4v_moe_vision" => Some(VisionKind::Glm4v),
        "internvl" | "internvl_chat" | "internvl_vision" | "intern_vit_6b" => Some(VisionKind::InternVl),
        "llama4" | "llama4_vision_model" => Some(VisionKind::Llama4),
        _ => None,
    }
}

/// Reads `vision_config`, if there is one: false where its family is not known. `parent` is the model's own type, empty
/// for a normalised object, whose `vision_config` then has to name its `model_type`.
pub(super) fn read(shape: &mut Shape, keys: &Keys<'_>, parent: &str) -> Result<bool, InputError> {
    let Some(config) = keys.nested(&["vision_config"])? else {
        return Ok(true);
    };
    let own = config.word("model_type")?;
    let Some(kind) = kind(parent).or_else(|| own.and_then(kind)) else {
        return Ok(false);
    };
    // InternViT-6B is the one of its family whose queries and keys are normed, in its publisher's files and in Transformers'.
    let normed = config.flag(&["qk_normalization", "use_qk_norm"])? == Some(true);
    let kind = if kind == VisionKind::InternVl && normed { VisionKind::InternVit6b } else { kind };
    let hidden_names: &[&str] = match kind {
        // A Qwen tower's own width; older files call it embed_dim.
        VisionKind::Qwen25Vl | VisionKind::Qwen3Vl => &["hidden_size", "embed_dim"],
        _ => &["hidden_size"],
    };
    let defaults = defaults(kind);
    let patch = config.positive(&["patch_size"], PIXELS)?.unwrap_or(defaults.patch);
    let merge = match kind {
        VisionKind::SiglipGemma3 => {
            let tokens = keys.positive(&["mm_tokens_per_image"], 1_000_000)?.unwrap_or(256);
            let side = config.positive(&["image_size"], PIXELS)?.unwrap_or(896) / patch;
            (side / tokens.isqrt().max(1)).max(1)
        }
        _ => config.positive(&["spatial_merge_size"], 64)?.unwrap_or(defaults.merge),
    };
    let deepstack = match config.list("deepstack_visual_indexes")? {
        Some(list) => list.len() as u64,
        None => 0,
    };
    let (window, full_blocks) = match kind {
        VisionKind::Qwen25Vl => windows(&config)?,
        _ => (0, 0),
    };
    let width = config.positive(&["intermediate_size"], WIDTH)?.unwrap_or(defaults.intermediate);
    // GLM-4.1V's blocks have an MLP as wide as the output, and the width that the file states is the merger's (`Glm4VisionMlp`).
    let (intermediate, projector) = if kind == VisionKind::Glm4v { (shape.hidden_size, width) } else { (width, 0) };
    shape.vision = Some(Vision {
        kind,
        layers: config
            .positive(&["depth", "num_hidden_layers"], LAYERS)?
            .unwrap_or(defaults.layers),
        hidden: config.positive(hidden_names, HIDDEN)?.unwrap_or(defaults.hidden),
        intermediate,
        projector,
        heads: config
            .positive(&["num_heads", "num_attention_heads"], HEADS)?
            .unwrap_or(defaults.heads),
        patch,
        merge,
        out: shape.hidden_size,
        deepstack: deepstack.min(LAYERS),
        window,
        full_blocks,
    });
    Ok(true)
}

/// What the family's configuration class assumes where its file is silent.
fn defaults(kind: VisionKind) -> Vision {
    let (layers, hidden, intermediate, heads, patch, merge) = match kind {
        VisionKind::Qwen25Vl => (32, 1280, 3420, 16, 14, 2),
        VisionKind::Qwen3Vl => (27, 1152, 4304, 16, 16, 2),
        VisionKind::SiglipGemma3 => (27, 1152, 4304, 16, 14, 4),
        VisionKind::InternVl => (24, 1024, 4096, 16, 14, 2),
        VisionKind::InternVit6b => (45, 3200, 12_800, 25, 14, 2),
        VisionKind::Glm4v => (24, 1536, 13_696, 12, 14, 2),
        VisionKind::Llama4 => (34, 1408, 5632, 16, 14, 2),
    };
    Vision {
        kind,
        layers,
        hidden,
        intermediate,
        heads,
        patch,
        merge,
        out: 0,
        deepstack: 0,
        window: 0,
        full_blocks: 0,
        projector: 0,
    }
}

/// Side of the windows in pixels, and how many blocks attend to the whole image beside (`Qwen2_5_VLVisionConfig`).
fn windows(config: &Keys<'_>) -> Result<(u64, u64), InputError> {
    let side = config.positive(&["window_size"], PIXELS)?.unwrap_or(112);
    let full = config.list("fullatt_block_indexes")?.map_or(4, |list| list.len() as u64);
    Ok((side, full.min(LAYERS)))
}
