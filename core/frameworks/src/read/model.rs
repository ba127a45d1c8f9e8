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
            catalog::model(name).or_else(|| tail(name))
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
    use super::find;

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
            ("NousResearch/Meta-Llama-3.1-8B", Some("llama-3.1-8b")),
            ("~/models/model", None),
            ("", None),
            ("/", None),
        ] {
            assert_eq!(find(path).map(|entry| entry.id), id, "{path}");
        }
    }
}
