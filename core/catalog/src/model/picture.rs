//! Images as vision towers take them: how many patches one has, and how many tokens it fills.
//!
//! Each family's processor decides, in
//! <https://github.com/huggingface/transformers/tree/v5.23.0/src/transformers/models>: `smart_resize` in
//! `qwen2_vl/image_processing_qwen2_vl.py` and `glm4v/image_processing_glm4v.py`, `get_optimal_tiled_canvas` in
//! `got_ocr2/image_processing_got_ocr2.py` (`InternVL`'s processor crops by it, `internvl/processing_internvl.py`),
//! `gemma3/processing_gemma3.py` and `get_best_fit` in `llama4/image_processing_llama4.py`. The tokens around an image
//! (`<|vision_start|>` and its like) are text.

use super::{Norm, Vision, VisionKind};
use crate::ordered;

/// Side of an image in pixels that is read.
const SIDES: std::ops::RangeInclusive<u64> = 10..=100_000;

/// Longest side over shortest that the processors take (`smart_resize`).
const LONGEST: u64 = 200;

/// Side of an `InternVL` tile in pixels (`image_size` and `force_image_size` in its configurations).
const TILE: u64 = 448;

/// Tiles that an image is cut into at most, without its thumbnail (`max_dynamic_patch` of `InternVL`'s configurations;
/// `max_patches` of Llama 4's processor).
const TILES: [u64; 2] = [12, 16];

/// One image, or all tiles of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// Patches that pass through the tower, a class token of each tile included.
    pub patches: f64,
    /// Tokens of the language model that it fills.
    pub tokens: f64,
    /// Patches that a patch attends to in blocks that see the whole image or tile.
    pub seen: f64,
    /// And in blocks with windows, on average; 0 without such blocks.
    pub seen_in_window: f64,
    /// Its pixels as the tower takes them.
    pub pixels: f64,
}

/// A product of the projector, or of a merger like it: so many of them, from `input` to `output` wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    /// How many of that kind each token passes.
    pub times: u64,
    /// Width that is read.
    pub input: u64,
    /// Width that is written.
    pub output: u64,
}

impl Vision {
    /// Frames that a patch spans: an image is taken twice where two (`temporal_patch_size`).
    #[must_use]
    pub fn frames(&self) -> u64 {
        match self.kind {
            VisionKind::Qwen25Vl | VisionKind::Qwen3Vl | VisionKind::Glm4v => 2,
            VisionKind::SiglipGemma3 | VisionKind::InternVl | VisionKind::InternVit6b | VisionKind::Llama4 => 1,
        }
    }

    /// Values of one patch, three colours each.
    #[must_use]
    pub fn patch_values(&self) -> u64 {
        3 * self.frames() * self.patch * self.patch
    }

    /// Whether its MLP has a gate.
    #[must_use]
    pub fn gated(&self) -> bool {
        matches!(self.kind, VisionKind::Qwen25Vl | VisionKind::Glm4v)
    }

    /// Kind of its blocks' norms.
    #[must_use]
    pub fn norm(&self) -> Norm {
        match self.kind {
            VisionKind::Qwen25Vl | VisionKind::InternVit6b | VisionKind::Glm4v => Norm::Rms,
            VisionKind::Qwen3Vl | VisionKind::SiglipGemma3 | VisionKind::InternVl | VisionKind::Llama4 => Norm::Layer,
        }
    }

    /// Whether it cuts an image into tiles as `InternVL`'s processor does.
    #[must_use]
    pub fn is_internvl(&self) -> bool {
        matches!(self.kind, VisionKind::InternVl | VisionKind::InternVit6b)
    }

    /// The products between the last block and the language model. Qwen3-VL has as many mergers more as it has deepstack
    /// layers.
    #[must_use]
    pub fn projections(&self) -> [Projection; 3] {
        let one = |input, output| Projection { times: 1, input, output };
        let none = Projection { times: 0, input: 0, output: 0 };
        let merged = self.hidden * self.merge * self.merge;
        match self.kind {
            VisionKind::Qwen25Vl => [one(merged, merged), one(merged, self.out), none],
            VisionKind::Qwen3Vl => {
                let times = 1 + self.deepstack;
                [Projection { times, ..one(merged, merged) }, Projection { times, ..one(merged, self.out) }, none]
            }
            VisionKind::SiglipGemma3 => [one(self.hidden, self.out), none, none],
            VisionKind::InternVl | VisionKind::InternVit6b => [one(merged, self.out), one(self.out, self.out), none],
            // The convolution over four patches, a matrix, and a gated MLP.
            VisionKind::Glm4v => {
                let mlp = Projection { times: 3, ..one(self.out, self.projector) };
                [one(merged, self.out), one(self.out, self.out), mlp]
            }
            // The adapter's two, and the projector.
            VisionKind::Llama4 => [one(5632, 4096), one(4096, 4096), one(4096, self.out)],
        }
    }

    /// Pixels of the smallest and of the largest image that is not resized, where a model resizes: `preprocessor_config.json` of
    /// <https://huggingface.co/Qwen/Qwen2.5-VL-7B-Instruct>, <https://huggingface.co/Qwen/Qwen3-VL-8B-Instruct> and
    /// <https://huggingface.co/zai-org/GLM-4.1V-9B-Thinking>, whose 12,544 to 9,633,792 are of the two frames that an image is taken as.
    #[must_use]
    pub fn pixel_range(&self) -> Option<(u64, u64)> {
        match self.kind {
            VisionKind::Qwen25Vl => Some((3_136, 12_845_056)),
            VisionKind::Qwen3Vl => Some((65_536, 16_777_216)),
            VisionKind::Glm4v => Some((6_272, 4_816_896)),
            VisionKind::SiglipGemma3 | VisionKind::InternVl | VisionKind::InternVit6b | VisionKind::Llama4 => None,
        }
    }

    /// An image of so many pixels; larger ones are scaled down to `max_pixels` first. `None` where the processor refuses
    /// it: a side under ten pixels, or two hundred times the other.
    ///
    /// ```
    /// use shardwise_core::model::resolve_model;
    /// let tower = resolve_model(&"qwen2.5-vl-7b".into(), "model").unwrap().shape.vision.unwrap();
    /// let picture = tower.picture(1024, 1024, None).unwrap();
    /// // 1024 is 36.6 times 28: 37 merged patches a side, 74 patches.
    /// assert_eq!((picture.tokens, picture.patches), (1369.0, 5476.0));
    /// ```
    #[must_use]
    pub fn picture(&self, width: u64, height: u64, max_pixels: Option<u64>) -> Option<Picture> {
        let (short, long) = (width.min(height), width.max(height));
        if !SIDES.contains(&short) || !SIDES.contains(&long) || long > LONGEST * short {
            return None;
        }
        Some(match self.kind {
            VisionKind::Qwen25Vl | VisionKind::Qwen3Vl => self.resized(width, height, max_pixels),
            VisionKind::SiglipGemma3 => self.tiles(1, 0, (896 / self.patch.max(1)).max(1)),
            VisionKind::Glm4v => {
                let (width, height) = scaled(width, height, max_pixels);
                let (width, height) = widened(width, height, (self.patch * self.merge).max(1));
                self.resized(width, height, None)
            }
            VisionKind::InternVl | VisionKind::InternVit6b => {
                let (width, height) = scaled(width, height, max_pixels);
                let tiles = closest_ratio(width, height);
                self.tiles(tiles + u64::from(tiles > 1), 1, (TILE / self.patch.max(1)).max(1))
            }
            VisionKind::Llama4 => {
                let (width, height) = scaled(width, height, max_pixels);
                let tiles = best_canvas(width, height);
                self.tiles(tiles + u64::from(tiles > 1), 1, (336 / self.patch.max(1)).max(1))
            }
        })
    }

    /// So many tiles of `side` patches a side, each with `extra` tokens beside its patches.
    fn tiles(&self, tiles: u64, extra: u64, side: u64) -> Picture {
        let patches = (side * side + extra) as f64;
        let merged = (side / self.merge.max(1)).max(1);
        Picture {
            patches: patches * tiles as f64,
            tokens: (merged * merged * tiles) as f64,
            seen: patches,
            seen_in_window: 0.0,
            pixels: (side * side * tiles * self.patch * self.patch) as f64,
        }
    }

    /// An image that keeps its proportions: both sides are multiples of a merged patch's, the area within the model's range.
    fn resized(&self, width: u64, height: u64, max_pixels: Option<u64>) -> Picture {
        let factor = (self.patch * self.merge).max(1);
        let (least, most) = self.pixel_range().unwrap_or((0, u64::MAX));
        let most = max_pixels.unwrap_or(most).max(factor * factor);
        let (w, h) = smart_resize((width, height), factor, (least.min(most), most));
        let patches = (w * h * self.merge * self.merge) as f64;
        let unit = (self.merge * self.merge) as f64;
        let window = (self.window / factor).max(1);
        Picture {
            patches,
            tokens: (w * h) as f64,
            seen: patches,
            seen_in_window: if self.window > 0 { unit * in_pieces(w, window) * in_pieces(h, window) } else { 0.0 },
            pixels: patches * (self.patch * self.patch) as f64,
        }
    }

    /// The largest image that a processor hands on: what an engine sets memory aside for.
    #[must_use]
    pub fn largest(&self, max_pixels: Option<u64>) -> Picture {
        let side = max_pixels.or(self.pixel_range().map(|(_, most)| most)).unwrap_or(0);
        let side = side.isqrt().clamp(*SIDES.start(), *SIDES.end());
        match self.kind {
            VisionKind::Qwen25Vl | VisionKind::Qwen3Vl | VisionKind::Glm4v => self.resized(side, side, max_pixels),
            VisionKind::SiglipGemma3 => self.tiles(1, 0, (896 / self.patch.max(1)).max(1)),
            VisionKind::InternVl | VisionKind::InternVit6b => {
                self.tiles(TILES[0] + 1, 1, (TILE / self.patch.max(1)).max(1))
            }
            VisionKind::Llama4 => self.tiles(TILES[1] + 1, 1, (336 / self.patch.max(1)).max(1)),
        }
    }
}

/// Length of the piece that a unit of `length` is in, on average, where it is cut into pieces of `piece` and a rest.
fn in_pieces(length: u64, piece: u64) -> f64 {
    let (whole, rest) = (length / piece, length % piece);
    (whole * piece * piece + rest * rest) as f64 / length.max(1) as f64
}

/// `smart_resize`: sides in multiples of `factor`, each rounded to the nearest (ties to even), or where their area leaves the range
/// both scaled into it.
fn smart_resize((width, height): (u64, u64), factor: u64, (least, most): (u64, u64)) -> (u64, u64) {
    let nearest = |side: u64| {
        let (whole, rest) = (side / factor, side % factor);
        match (2 * rest).cmp(&factor) {
            std::cmp::Ordering::Less => whole,
            std::cmp::Ordering::Greater => whole + 1,
            std::cmp::Ordering::Equal => whole + whole % 2,
        }
    };
    let (w, h) = (nearest(width), nearest(height));
    let area = w * h * factor * factor;
    let all = (width * height) as f64;
    let unit = factor as f64;
    if area > most {
        let shrink = (all / most as f64).sqrt();
        let down = |side: u64| ((side as f64 / shrink / unit).floor() as u64).max(1);
        (down(width), down(height))
    } else if area < least {
        let grow = (least as f64 / all).sqrt();
        let up = |side: u64| ((side as f64 * grow / unit).ceil() as u64).max(1);
        (up(width), up(height))
    } else {
        (w, h)
    }
}

/// An image whose shorter side is a merged patch's at least, its proportions kept (`smart_resize` of `glm4v/image_processing_glm4v.py`).
fn widened(width: u64, height: u64, factor: u64) -> (u64, u64) {
    let short = width.min(height);
    if short >= factor {
        return (width, height);
    }
    let grow = factor as f64 / short.max(1) as f64;
    let up = |side: u64| (side as f64 * grow) as u64;
    (up(width), up(height))
}

/// An image scaled down to so many pixels at most (LLaMA-Factory 0.9.5, `data/mm_plugin.py`, `_preprocess_image`).
fn scaled(width: u64, height: u64, max_pixels: Option<u64>) -> (u64, u64) {
    let all = width * height;
    match max_pixels {
        Some(most) if all > most => {
            let shrink = (most as f64 / all as f64).sqrt();
            let down = |side: u64| ((side as f64 * shrink) as u64).max(1);
            (down(width), down(height))
        }
        _ => (width, height),
    }
}

/// Grids of at most so many tiles, those of fewer tiles first.
fn grids(most: u64) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = (1..=most)
        .flat_map(|wide| (1..=most / wide).map(move |high| (wide, high)))
        .collect();
    ordered::sort(&mut all, &|a, b| (a.0 * a.1).cmp(&(b.0 * b.1)));
    all
}

/// Tiles of the grid whose proportions are nearest to the image's; of several as near the largest whose tiles' area is less than
/// twice the image's (`get_optimal_tiled_canvas`).
fn closest_ratio(width: u64, height: u64) -> u64 {
    let ratio = width as f64 / height as f64;
    let area = (width * height) as f64;
    let (mut nearest, mut best) = (f64::INFINITY, 1);
    for (wide, high) in grids(TILES[0]) {
        let off = (ratio - wide as f64 / high as f64).abs();
        let roomy = area > 0.5 * (TILE * TILE * wide * high) as f64;
        if off < nearest || off <= nearest && roomy {
            nearest = off;
            best = wide * high;
        }
    }
    best
}

/// Tiles of the canvas that needs the image scaled up least, or where none is large enough scaled down least; of several the
/// smallest (`get_best_fit`).
fn best_canvas(width: u64, height: u64) -> u64 {
    let scale = |(wide, high): (u64, u64)| {
        let (w, h) = ((336 * wide) as f64 / width as f64, (336 * high) as f64 / height as f64);
        (w.min(h), wide * high)
    };
    let all: Vec<(f64, u64)> = grids(TILES[1]).into_iter().map(scale).collect();
    let up = all.iter().filter(|(scale, _)| *scale >= 1.0).map(|(scale, _)| *scale);
    let chosen = up.reduce(f64::min).unwrap_or_else(|| {
        let down = all.iter().map(|(scale, _)| *scale);
        down.fold(0.0, f64::max)
    });
    let fits = all.iter().filter(|(scale, _)| (scale - chosen).abs() <= 1e-7 * chosen);
    fits.map(|(_, tiles)| *tiles).min().unwrap_or(1)
}
