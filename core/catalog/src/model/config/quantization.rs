//! `quantization_config`: the form in which a model's weights are published, after the configuration classes of
//! <https://github.com/huggingface/transformers/blob/main/src/transformers/utils/quantization_config.py> and
//! <https://github.com/vllm-project/compressed-tensors>.

use serde_json::Value;

use super::keys::{GROUP, Keys};
use crate::error::InputError;
use crate::model::Released;

/// Bytes of a weight in 16 bits.
const WHOLE: f64 = 2.0;
/// Bytes of a scale: of 16 bits beside integers, of 8 beside 4-bit floats.
const SCALE: f64 = 2.0;

/// What the file says of its weights; `None` where they have 16 bits. An object that names no known method is refused,
/// since how many bytes its weights have is not known.
pub(super) fn released(keys: &Keys<'_>, text: &Keys<'_>, has_experts: bool) -> Result<Option<Released>, InputError> {
    let names = &["quantization_config", "compression_config"];
    let Some(own) = keys.nested(names)?.map_or_else(|| text.nested(names), |own| Ok(Some(own)))? else {
        return Ok(None);
    };
    let method = own.word("quant_method")?.unwrap_or("compressed-tensors");
    let (name, bytes) = match method {
        "fp8" | "fbgemm_fp8" => (String::from("fp8"), 1.0),
        "mxfp4" => (String::from("mxfp4"), 0.5 + 1.0 / 32.0),
        "awq" | "gptq" | "auto-round" => integers(method, &own)?,
        "bitsandbytes" if own.flag(&["load_in_8bit"])? == Some(true) => (String::from("int8 (bitsandbytes)"), 1.0),
        // NF4: a scale of 32 bits per 64 weights.
        "bitsandbytes" => (String::from("nf4 (bitsandbytes)"), 0.5 + 4.0 / 64.0),
        "modelopt" | "modelopt_fp4" | "modelopt_mixed" => match own.word("quant_algo")?.unwrap_or("NVFP4") {
            "NVFP4" | "NVFP4_AWQ" | "W4A16_NVFP4" | "MIXED_PRECISION" => (String::from("nvfp4"), 0.5 + 1.0 / 16.0),
            "FP8" | "FP8_PER_CHANNEL_PER_TOKEN" | "FP8_PB_WO" => (String::from("fp8"), 1.0),
            "MXFP8" => (String::from("mxfp8"), 1.0 + 1.0 / 32.0),
            _ => return Err(own.error("quant_algo", "is not known. Known are NVFP4, FP8 and MXFP8.")),
        },
        "compressed-tensors" => grouped(&own)?,
        _ => {
            return Err(own.error(
                "quant_method",
                "is not known. Known are fp8, mxfp4, awq, gptq, bitsandbytes, modelopt and compressed-tensors. Leave quantization_config out to count 16 bits.",
            ));
        }
    };
    // Files whose experts alone have few bits list the attention among what is left whole.
    let only_experts = has_experts && leaves_attention(&own)?;
    Ok(Some(Released { name, dense_bytes: if only_experts { WHOLE } else { bytes }, expert_bytes: bytes }))
}

/// Integers with a scale and a zero point for each group of weights.
fn integers(method: &str, own: &Keys<'_>) -> Result<(String, f64), InputError> {
    let bits = own.required(&["bits", "w_bit"], 8, "the bits of a weight")?;
    let bytes = bits as f64 / 8.0;
    let group = own.group(&["group_size", "q_group_size"])?;
    Ok((format!("int{bits} ({method})"), bytes + group.map_or(0.0, |group| (SCALE + bytes) / group)))
}

/// The first of `config_groups`: numbers of so many bits, a scale for each group.
fn grouped(own: &Keys<'_>) -> Result<(String, f64), InputError> {
    let missing = || own.missing("config_groups", "how many bits the weights have");
    let groups = own.nested(&["config_groups"])?.ok_or_else(missing)?;
    let first = groups.names().next().cloned().ok_or_else(missing)?;
    let group = groups.nested(&[&first])?.ok_or_else(missing)?;
    let weights = group.nested(&["weights"])?.ok_or_else(missing)?;
    let bits = weights.required(&["num_bits"], 16, "the bits of a weight")?;
    let floats = weights.word("type")? == Some("float");
    let scale = if floats && bits == 4 { 1.0 } else { SCALE };
    let size = weights.group(&["group_size"])?;
    let kind = if floats { "fp" } else { "int" };
    Ok((format!("{kind}{bits} (compressed-tensors)"), bits as f64 / 8.0 + size.map_or(0.0, |size| scale / size)))
}

/// Whether the attention is among the parts that keep their 16 bits.
fn leaves_attention(own: &Keys<'_>) -> Result<bool, InputError> {
    for name in ["modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers"] {
        let is_attention = |entry: &Value| entry.as_str().is_some_and(|entry| entry.contains("attn"));
        if own.list(name)?.is_some_and(|list| list.iter().any(is_attention)) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Keys<'_> {
    /// Weights that share a scale; `None` for a whole row or more, which files write as -1.
    fn group(&self, names: &[&str]) -> Result<Option<f64>, InputError> {
        if self.is_negative(names) {
            return Ok(None);
        }
        Ok(self.positive(names, GROUP)?.map(|size| size as f64))
    }
}
