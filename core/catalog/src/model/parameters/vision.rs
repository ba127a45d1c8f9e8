//! Weights of vision towers, after the `VisionModel` of each family in `transformers`.

use crate::model::{Vision, VisionKind};

/// Two biased matrices behind a norm apart: Qwen's merger of four patches.
fn merger(tower: &Vision) -> u64 {
    let Vision { hidden: h, out, .. } = *tower;
    (4 * h * 4 * h + 4 * h) + (4 * h * out + out)
}

/// The projector: Qwen's merger, Gemma 3's norm and matrix, `InternVL`'s norm and two matrices, Llama 4's matrix. Qwen3-VL's mergers
/// of the deepstack layers are the tower's, as LLaMA-Factory has them (0.9.5, `model/model_utils/visual.py`,
/// `register_composite_model`).
pub(super) fn projector(tower: &Vision) -> u64 {
    let Vision { kind, hidden: h, out, .. } = *tower;
    match kind {
        VisionKind::Qwen25Vl => h + merger(tower),
        VisionKind::Qwen3Vl => 2 * h + merger(tower),
        VisionKind::SiglipGemma3 => h + h * out,
        VisionKind::InternVl => 2 * 4 * h + (4 * h * out + out) + (out * out + out),
        VisionKind::Llama4 => 4096 * out,
    }
}

/// A vision tower with its projector.
pub(super) fn tower(tower: &Vision) -> u64 {
    let Vision { kind, layers, hidden: h, intermediate: m, patch: p, deepstack, .. } = *tower;
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
        // 336 pixels: 576 + 1 positions; norms before and after; adapter 5632 -> 4096 -> 4096.
        VisionKind::Llama4 => 3 * p * p * h + h + 577 * h + layers * plain_block + 4 * h + (5632 * 4096 + 4096 * 4096),
    };
    own + projector(tower)
}
