//! Decoders that a search has made of another (`nemotron-nas`): each block has sizes of its own, or lacks a half.

use serde_json::Value;

use super::keys::{HEADS, Keys, LAYERS, WIDTH};
use super::layers;
use crate::error::InputError;
use crate::model::{ParameterCounts, Shape};

/// Widths are multiples of it (`_find_multiple` in `modeling_decilm.py`).
const MULTIPLE: u64 = 256;

/// What one block has.
#[derive(Default)]
struct Found {
    /// Key and value heads of its attention; 0 without.
    key_heads: u64,
    /// Width of its MLP, with a third of the hidden size for each matrix in the place of a half: as many weights; 0 without.
    width: u64,
    /// Norms before its halves.
    norms: u64,
}

/// Sets the sizes of a shape whose blocks have one size: the mean width of their MLPs, the most heads. Blocks that have neither
/// half are left out, as they hold and compute nothing.
pub(super) fn apply(shape: &mut Shape, keys: &Keys<'_>) -> Result<(), InputError> {
    let found = blocks(shape, keys)?;
    let text: String = found
        .iter()
        .filter_map(|block| match (block.key_heads, block.width) {
            (0, 0) => None,
            (0, _) => Some('-'),
            (_, 0) => Some('*'),
            _ => Some('A'),
        })
        .collect();
    if text.is_empty() {
        return Err(keys.error("block_configs", "has no block with attention or an MLP."));
    }
    shape.num_hidden_layers = text.len() as u64;
    shape.layer_pattern = layers::pattern(&text, "block_configs", keys)?;
    shape.num_key_value_heads = found
        .iter()
        .map(|block| block.key_heads)
        .max()
        .filter(|most| *most > 0)
        .unwrap_or(1);
    let wide = found.iter().filter(|block| block.width > 0);
    let (sum, count) = wide.fold((0u64, 0u64), |(sum, count), block| (sum + block.width, count + 1));
    let mean = sum.checked_div(count).unwrap_or(0);
    shape.intermediate_size = (mean + MULTIPLE / 2) / MULTIPLE * MULTIPLE;
    Ok(())
}

/// Weights of all blocks, each with its own sizes, and of what is outside them.
pub(super) fn weights(shape: &Shape, keys: &Keys<'_>) -> Result<u64, InputError> {
    let outside = ParameterCounts::of(shape);
    let hidden = shape.hidden_size;
    let blocks = blocks(shape, keys)?.iter().fold(0u64, |sum, block| {
        let queries = if block.key_heads > 0 { 2 * shape.num_attention_heads } else { 0 };
        let attention = hidden * shape.head_dim * (queries + 2 * block.key_heads);
        sum.saturating_add(attention + 3 * hidden * block.width + hidden * block.norms)
    });
    Ok(blocks.saturating_add(outside.embedding + outside.lm_head + outside.final_norm))
}

fn blocks(shape: &Shape, keys: &Keys<'_>) -> Result<Vec<Found>, InputError> {
    let Some(list) = keys.list("block_configs")?.filter(|list| list.len() as u64 <= LAYERS) else {
        return Err(keys.missing("block_configs", "the sizes of each block"));
    };
    list.iter()
        .map(|block| {
            let [attention, mlp] = ["attention", "ffn"].map(|half| block.get(half).and_then(Value::as_object));
            let (Some(attention), Some(mlp)) = (attention, mlp) else {
                return Err(keys.error("block_configs", "must be a list of blocks, each with attention and ffn."));
            };
            let is = |half: &serde_json::Map<String, Value>, what: &str| half.get(what) == Some(&Value::Bool(true));
            let matrix = shape.hidden_size.div_ceil(3);
            let mut found = Found::default();
            if is(attention, "replace_with_linear") {
                found.width += matrix;
            } else if !is(attention, "no_op") {
                found.key_heads = key_heads(shape, attention.get("n_heads_in_group"), keys)?;
            }
            if is(mlp, "replace_with_linear") {
                found.width += matrix;
            } else if !is(mlp, "no_op") {
                found.width += width(shape, mlp.get("ffn_mult"), keys)?;
            }
            found.norms = u64::from(!is(attention, "no_op")) + u64::from(!is(mlp, "no_op"));
            Ok(found)
        })
        .collect()
}

/// Key and value heads of a block whose query heads come in groups of so many.
fn key_heads(shape: &Shape, group: Option<&Value>, keys: &Keys<'_>) -> Result<u64, InputError> {
    let fits = |group: &u64| (1..=HEADS).contains(group) && shape.num_attention_heads.is_multiple_of(*group);
    match group.and_then(Value::as_u64).filter(fits) {
        Some(group) => Ok(shape.num_attention_heads / group),
        None => {
            Err(keys.error("block_configs", "has a block whose n_heads_in_group does not divide num_attention_heads."))
        }
    }
}

/// Width of a block's MLP: two thirds of so many hidden sizes, rounded up.
fn width(shape: &Shape, times: Option<&Value>, keys: &Keys<'_>) -> Result<u64, InputError> {
    let wide = times
        .and_then(Value::as_f64)
        .map(|times| 2.0 * times * shape.hidden_size as f64 / 3.0);
    match wide.filter(|wide| (1.0..=WIDTH as f64).contains(wide)) {
        Some(wide) => Ok((wide as u64).div_ceil(MULTIPLE) * MULTIPLE),
        None => Err(keys.error("block_configs", "has a block whose ffn_mult gives no width that is possible.")),
    }
}
