//! Weights of vision towers, after the `VisionModel` of each family in `transformers`.

use crate::model::{Vision, VisionKind};

/// Two biased matrices behind a norm apart: Qwen's merger of four patches.
fn merger(tower: &Vision) -> u64 {
    let Vision { hidden: h, out, .. } = *tower;
    (4 * h * 4 * h + 4 * h) + (4 * h * out + out)
}

/// The projector: Qwen's merger, Gemma 3's norm and matrix, `InternVL`'s norm and two matrices, Llama 4's matrix, GLM-4.1V's matrix and
/// norm before a gated MLP, whose convolution over four patches is the tower's. Qwen3-VL's mergers of the deepstack layers are the
/// tower's, as LLaMA-Factory has them (0.9.5, `model/model_utils/visual.py`, `register_composite_model`).
pub(super) fn projector(tower: &Vision) -> u64 {
    let Vision { kind, hidden: h, out, .. } = *tower;
    match kind {
        VisionKind::Qwen25Vl => h + merger(tower),
        VisionKind::Qwen3Vl => 2 * h + merger(tower),
        VisionKind::SiglipGemma3 => h + h * out,
        VisionKind::InternVl | VisionKind::InternVit6b => 2 * 4 * h + (4 * h * out + out) + (out * out + out),
        VisionKind::Glm4v => out * out + 2 * out + 3 * out * tower.projector,
        VisionKind::Llama4 => 4096 * out,
    }
}

/// A vision tower with its projector.
pub(super) fn tower(tower: &Vision) -> u64 {
    let Vision { kind, layers, hidden: h, intermediate: m, patch: p, out, deepstack, .. } = *tower;
    // A block of the plain kind: two norms, biased attention, biased two-matrix MLP.
    let plain_block = 4 * h + (4 * h * h + 4 * h) + (2 * h * m + m + h);
    let own = match kind {
        // Two RMSNorms, biased attention, gated MLP with biases; patches span two frames.
        VisionKind::Qwen25Vl => {
            let block = 2 * h + (4 * h * h + 4 * h) + (3 * h * m + 2 * m + h);
            3 * 2 * p * p * h + layers * block
        }
        // 2304 learned positions; each deepstack level has a merger of its own.
        VisionKind::Qwen3Vl => {
            3 * 2 * p * p * h + h + 2304 * h + layers * plain_block + deepstack * (2 * 4 * h + merger(tower))
        }
        // SigLIP-So400m at 896 pixels: 4096 positions.
        VisionKind::SiglipGemma3 => 3 * p * p * h + h + 4096 * h + layers * plain_block + 2 * h,
        // Class token, 1024 + 1 positions, layer scales.
        VisionKind::InternVl => 3 * p * p * h + h + h + 1025 * h + layers * (plain_block + 2 * h),
        // RMSNorms and no biases of queries, keys and values, which have norms of their own (`modeling_intern_vit.py` of
        // OpenGVLab/InternVL: `norm_type`, `qkv_bias`, `qk_normalization`).
        VisionKind::InternVit6b => {
            let block = 2 * h + (4 * h * h + h) + 2 * h + (2 * h * m + m + h) + 2 * h;
            3 * p * p * h + h + h + 1025 * h + layers * block
        }
        // Patches span two frames; 24 × 24 positions; two RMSNorms, attention and a gated MLP without biases in each block; norms before and
        // after the blocks; a convolution that merges four patches (`modeling_glm4v.py` of transformers, `Glm4vVisionModel`).
        VisionKind::Glm4v => {
            let block = 2 * h + 4 * h * h + 3 * h * m;
            3 * 2 * p * p * h + h + 576 * h + h + layers * block + h + (4 * h * out + out)
        }
        // 336 pixels: 576 + 1 positions; norms before and after; adapter 5632 -> 4096 -> 4096.
        VisionKind::Llama4 => 3 * p * p * h + h + 577 * h + layers * plain_block + 4 * h + (5632 * 4096 + 4096 * 4096),
    };
    own + projector(tower)
}
