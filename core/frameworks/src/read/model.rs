//! From the path of a model to the catalog.

use shardwise_catalog::catalog::{self, ModelEntry};

/// The model that a path names: by its last part, Hugging Face's cache and folders below a model included.
pub(crate) fn find(path: &str) -> Option<&'static ModelEntry> {
    let path = path.trim().trim_end_matches('/');
    // A Hugging Face name as it is.
    if path.split('/').count() <= 2
        && let Some(entry) = catalog::model(path)
    {
        return Some(entry);
    }
    // Checkpoints are in folders of the model: `Qwen3-8B/global_step_100/actor`.
    path.rsplit('/')
        .filter(|part| part.len() > 2 && part.len() < 96)
        .take(4)
        .find_map(|part| {
            let name = part.rsplit("--").next().unwrap_or(part);
            // Meta-Llama-3.1-8B is what Llama-3.1-8B was called at first.
            let name = name
                .strip_prefix("Meta-")
                .filter(|_| catalog::model(name).is_none())
                .unwrap_or(name);
            catalog::model(name)
                .or_else(|| trained_from(name))
                .or_else(|| distilled_into(name))
                .or_else(|| tail(name))
        })
        .or_else(|| within(path))
}

/// Models that were trained from one of the catalog, and so have its sizes: how their names begin, in small letters, that
/// one's id, and the card that says so (read 2026-11-27).
const TRAINED_FROM: [(&str, &str, &str); 7] = [
    ("vicuna-7b", "llama-2-7b", "https://huggingface.co/lmsys/vicuna-7b-v1.5"),
    ("vicuna-13b", "llama-2-13b", "https://huggingface.co/lmsys/vicuna-13b-v1.5"),
    ("eurus-2-7b", "qwen2.5-math-7b", "https://huggingface.co/PRIME-RL/Eurus-2-7B-SFT"),
    ("skywork-or1-7b", "deepseek-r1-distill-qwen-7b", "https://huggingface.co/Skywork/Skywork-OR1-Math-7B"),
    ("skywork-or1-math-7b", "deepseek-r1-distill-qwen-7b", "https://huggingface.co/Skywork/Skywork-OR1-Math-7B"),
    (
        "skywork-or1-32b",
        "deepseek-r1-distill-qwen-32b",
        "https://huggingface.co/JunHowie/Skywork-OR1-32B-Preview-GPTQ-Int4",
    ),
    ("deepscaler-1.5b", "deepseek-r1-distill-qwen-1.5b", "https://huggingface.co/agentica-org/DeepScaleR-1.5B-Preview"),
];

/// The model that one of these was trained from.
fn trained_from(name: &str) -> Option<&'static ModelEntry> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let is_of = |own: &str| {
        name.strip_prefix(own)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let (_, id, _) = TRAINED_FROM.iter().find(|(own, ..)| is_of(own))?;
    catalog::model(id)
}

/// The model that another was distilled into, where only the other's name comes first: `DeepSeek-R1-0528-Qwen3-8B` has
/// Qwen3-8B's sizes (<https://huggingface.co/deepseek-ai/DeepSeek-R1-0528-Qwen3-8B>, read 2026-11-29).
fn distilled_into(name: &str) -> Option<&'static ModelEntry> {
    let words: Vec<&str> = name.split('-').collect();
    let of_a_size = |word: &str| {
        let digits = word.trim_end_matches(['B', 'b']);
        digits.len() < word.len() && digits.parse::<f64>().is_ok()
    };
    // A teacher's name is a version alone: words before that say a size are the model's own.
    let first = words.iter().position(|word| of_a_size(word)).filter(|at| *at >= 2)?;
    let teacher = (1..first).rev().any(|from| {
        let stem = words.get(..from).unwrap_or_default().join("-");
        tail(&stem).is_some()
    });
    let own = words.get(first - 1..).unwrap_or_default().join("-");
    teacher.then(|| tail(&own)).flatten()
}

/// A model's name among the words of a path's last parts: `multiturn-sft-qwen-2.5-7b-instruct/global_step_372`.
fn within(path: &str) -> Option<&'static ModelEntry> {
    path.rsplit('/').take(3).filter(|part| part.len() < 96).find_map(|part| {
        let part = part.replace('_', "-");
        let words: Vec<&str> = part.split('-').collect();
        (1..words.len()).filter_map(|from| words.get(from..)).find_map(|rest| {
            // `qwen-2.5-7b` is `qwen2.5-7b`.
            let joined = || {
                let (family, rest) = rest.split_first()?;
                tail(&format!("{family}{}", rest.join("-")))
            };
            let sized = |entry: &&ModelEntry| entry.id.contains('-');
            tail(&rest.join("-")).or_else(joined).filter(sized)
        })
    })
}

/// How few bits the weights of a checkpoint have, by the words that its makers add to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrow {
    Fp8,
    Int8,
    /// Four, with a scale for each block: AWQ, GPTQ, NVFP4.
    Four,
}

/// What a path's last parts say of the bits of its weights: `Qwen3-30B-A3B-FP8`, `Qwen3-30B-A3B-INT4/`,
/// `hub/models--nvidia--Qwen3-30B-A3B-NVFP4/snapshots`.
pub(crate) fn narrow(path: &str) -> Option<Narrow> {
    let parts = path.trim().trim_end_matches('/').rsplit('/');
    parts.filter(|part| part.len() < 96).take(3).find_map(|part| {
        let name = part.to_ascii_lowercase();
        let words: Vec<&str> = name.split(['-', '_', '.']).collect();
        let has = |own: &[&str]| own.iter().any(|word| words.contains(word));
        let eight = has(&["int8", "8bit", "w8a8", "w8a16"]);
        if has(&["fp8", "mxfp8"]) {
            Some(Narrow::Fp8)
        } else if eight {
            Some(Narrow::Int8)
        } else {
            has(&["awq", "4bit", "gptq", "int4", "nvfp4", "w4a16", "mxfp4", "bnb"]).then_some(Narrow::Four)
        }
    })
}

/// The part of a path that could be a model's name: none of `<your model>`, `MODEL_PATH`, `checkpoint-500`.
pub(crate) fn name(path: &str) -> Option<&str> {
    let path = path.trim().trim_end_matches('/');
    path.rsplit('/')
        .map(|part| part.rsplit("--").next().unwrap_or(part))
        .find(|part| {
            let has = |of: fn(&u8) -> bool| part.bytes().any(|b| of(&b));
            let plain = part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
            let words = part.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-'));
            // What trainers call the folders that they save to.
            let saved = matches!(words, "global_step" | "checkpoint" | "step" | "iter" | "epoch" | "version" | "v");
            plain && part.len() <= 96 && has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit) && !saved
        })
}

/// A name with words behind the model's own: `Qwen2.5-7B-Instruct-SFT`, `qwen3_8b_mcore`.
fn tail(name: &str) -> Option<&'static ModelEntry> {
    let name = name.replace('_', "-");
    let words: Vec<&str> = name.split('-').collect();
    (2..=words.len()).rev().filter_map(|n| words.get(..n)).find_map(|words| {
        let stem = words.join("-");
        // A family alone (`qwen3`) is no model, and a size is.
        stem.bytes()
            .any(|b| b.is_ascii_digit())
            .then(|| catalog::model(&stem))
            .flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::{Narrow, find, name, narrow};

    #[test]
    fn bits_by_the_name() {
        for (path, bits) in [
            ("models/Qwen3-30B-A3B-INT4/", Some(Narrow::Four)),
            ("nvidia/Qwen3-30B-A3B-NVFP4", Some(Narrow::Four)),
            ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", Some(Narrow::Int8)),
            ("Qwen/Qwen2.5-7B-Instruct-AWQ", Some(Narrow::Four)),
            ("hub/models--Qwen--Qwen3-235B-A22B-FP8/snapshots/abc", Some(Narrow::Fp8)),
            ("unsloth/Qwen3-8B-bnb-4bit", Some(Narrow::Four)),
            ("Qwen/Qwen3-8B", None),
            ("out/fp8-run/Qwen3-8B/a/b", None),
        ] {
            assert_eq!(narrow(path), bits, "{path}");
        }
    }

    #[test]
    fn names() {
        for (path, expected) in [
            ("/models/InternVL2-8B/", Some("InternVL2-8B")),
            ("out/Hy3/global_step_372/huggingface", Some("Hy3")),
            ("hub/models--lmsys--vicuna-7b-v1.5/snapshots", Some("vicuna-7b-v1.5")),
            ("ckpt/checkpoint-500", None),
            ("YOUR_MODELPATH", None),
            ("<path_to_dsv3_config>", None),
            ("model_path", None),
            ("", None),
        ] {
            assert_eq!(name(path), expected, "{path}");
        }
    }

    #[test]
    fn paths() {
        for (path, id) in [
            ("Qwen/Qwen3-8B", Some("qwen3-8b")),
            ("/models/Qwen/Qwen3-30B-A3B-Base", Some("qwen3-30b-a3b")),
            ("~/models/Qwen2.5-7B-Instruct/", Some("qwen2.5-7b")),
            ("hub/models--Qwen--Qwen3-8B/snapshots/abcdef", Some("qwen3-8b")),
            ("out/Qwen3-8B/global_step_100/actor", Some("qwen3-8b")),
            ("Qwen2.5-7B-Instruct-my-sft", Some("qwen2.5-7b")),
            ("meta-llama/Llama-3.1-8B-Instruct", Some("llama-3.1-8b")),
            ("checkpoint/multiturn-sft-qwen-2.5-7b-instruct/global_step_372/huggingface", Some("qwen2.5-7b")),
            ("my-own-Llama-3.1-8B-v2", Some("llama-3.1-8b")),
            ("NousResearch/Meta-Llama-3.1-8B", Some("llama-3.1-8b")),
            ("lmsys/vicuna-7b-v1.5", Some("llama-2-7b")),
            ("hub/models--lmsys--vicuna-13b-v1.5-16k/snapshots/abcdef", Some("llama-2-13b")),
            ("PRIME-RL/Eurus-2-7B-SFT", Some("qwen2.5-math-7b")),
            ("Skywork/Skywork-OR1-32B-Preview", Some("deepseek-r1-distill-qwen-32b")),
            ("agentica-org/DeepScaleR-1.5B-Preview", Some("deepseek-r1-distill-qwen-1.5b")),
            ("unsloth/DeepSeek-R1-0528-Qwen3-8B", Some("qwen3-8b")),
            ("/models/DeepSeek-R1-0528-Qwen3-8B-unsloth-bnb-4bit/", Some("qwen3-8b")),
            ("deepseek-ai/DeepSeek-R1-0528", Some("deepseek-r1")),
            ("DeepSeek-R1-Distill-Qwen-7B-my-sft", Some("deepseek-r1-distill-qwen-7b")),
            ("vicuna-70b", None),
            ("~/models/model", None),
            ("runs/exp-3-final", None),
            ("", None),
            ("/", None),
        ] {
            assert_eq!(find(path).map(|entry| entry.id), id, "{path}");
        }
    }
}
