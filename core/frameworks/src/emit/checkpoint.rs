//! Which checkpoint a text loads: the model's own, or one that the run needs instead.
//!
//! Reinforcement learning puts prompts through a chat template, weights in 8 or 4 bits have to be widened before they are
//! trained, and positions beyond the model's own have to be stretched. Each is a matter of the checkpoint, in every
//! framework: engine and trainer read the same `config.json` and the same tokenizer.

use super::text::{home, model_path};
use super::words::count;
use shardwise_catalog::model::Model;
use shardwise_question::job::Job;
use shardwise_question::wire::WorkloadKind;
use shardwise_rules::positions::{STRETCHED, TRAINED};

/// The publisher's chat model beside each base model of the catalog: its card on <https://huggingface.co>, 2026-11-22.
const CHAT: &[(&str, &str)] = &[
    ("01-ai/Yi-1.5-9B", "01-ai/Yi-1.5-9B-Chat"),
    ("01-ai/Yi-34B", "01-ai/Yi-34B-Chat"),
    ("01-ai/Yi-6B", "01-ai/Yi-6B-Chat"),
    ("HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM2-1.7B-Instruct"),
    ("HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-135M-Instruct"),
    ("HuggingFaceTB/SmolLM2-360M", "HuggingFaceTB/SmolLM2-360M-Instruct"),
    ("Qwen/Qwen1.5-MoE-A2.7B", "Qwen/Qwen1.5-MoE-A2.7B-Chat"),
    ("Qwen/Qwen2-0.5B", "Qwen/Qwen2-0.5B-Instruct"),
    ("Qwen/Qwen2-1.5B", "Qwen/Qwen2-1.5B-Instruct"),
    ("Qwen/Qwen2-57B-A14B", "Qwen/Qwen2-57B-A14B-Instruct"),
    ("Qwen/Qwen2-72B", "Qwen/Qwen2-72B-Instruct"),
    ("Qwen/Qwen2-7B", "Qwen/Qwen2-7B-Instruct"),
    ("Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-0.5B-Instruct"),
    ("Qwen/Qwen2.5-1.5B", "Qwen/Qwen2.5-1.5B-Instruct"),
    ("Qwen/Qwen2.5-14B", "Qwen/Qwen2.5-14B-Instruct"),
    ("Qwen/Qwen2.5-32B", "Qwen/Qwen2.5-32B-Instruct"),
    ("Qwen/Qwen2.5-3B", "Qwen/Qwen2.5-3B-Instruct"),
    ("Qwen/Qwen2.5-72B", "Qwen/Qwen2.5-72B-Instruct"),
    ("Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct"),
    ("Qwen/Qwen2.5-Coder-0.5B", "Qwen/Qwen2.5-Coder-0.5B-Instruct"),
    ("Qwen/Qwen2.5-Coder-1.5B", "Qwen/Qwen2.5-Coder-1.5B-Instruct"),
    ("Qwen/Qwen2.5-Coder-14B", "Qwen/Qwen2.5-Coder-14B-Instruct"),
    ("Qwen/Qwen2.5-Coder-32B", "Qwen/Qwen2.5-Coder-32B-Instruct"),
    ("Qwen/Qwen2.5-Coder-3B", "Qwen/Qwen2.5-Coder-3B-Instruct"),
    ("Qwen/Qwen2.5-Coder-7B", "Qwen/Qwen2.5-Coder-7B-Instruct"),
    ("Qwen/Qwen2.5-Math-1.5B", "Qwen/Qwen2.5-Math-1.5B-Instruct"),
    ("Qwen/Qwen2.5-Math-72B", "Qwen/Qwen2.5-Math-72B-Instruct"),
    ("Qwen/Qwen2.5-Math-7B", "Qwen/Qwen2.5-Math-7B-Instruct"),
    ("allenai/OLMo-2-0325-32B", "allenai/OLMo-2-0325-32B-Instruct"),
    ("allenai/OLMo-2-0425-1B", "allenai/OLMo-2-0425-1B-Instruct"),
    ("allenai/OLMo-2-1124-13B", "allenai/OLMo-2-1124-13B-Instruct"),
    ("allenai/OLMo-2-1124-7B", "allenai/OLMo-2-1124-7B-Instruct"),
    ("allenai/OLMoE-1B-7B-0924", "allenai/OLMoE-1B-7B-0924-Instruct"),
    ("deepseek-ai/DeepSeek-V2", "deepseek-ai/DeepSeek-V2-Chat"),
    ("deepseek-ai/DeepSeek-V2-Lite", "deepseek-ai/DeepSeek-V2-Lite-Chat"),
    ("deepseek-ai/deepseek-coder-1.3b-base", "deepseek-ai/deepseek-coder-1.3b-instruct"),
    ("deepseek-ai/deepseek-coder-33b-base", "deepseek-ai/deepseek-coder-33b-instruct"),
    ("deepseek-ai/deepseek-coder-6.7b-base", "deepseek-ai/deepseek-coder-6.7b-instruct"),
    ("deepseek-ai/deepseek-llm-7b-base", "deepseek-ai/deepseek-llm-7b-chat"),
    ("deepseek-ai/deepseek-moe-16b-base", "deepseek-ai/deepseek-moe-16b-chat"),
    ("google/gemma-2-27b", "google/gemma-2-27b-it"),
    ("google/gemma-2-2b", "google/gemma-2-2b-it"),
    ("google/gemma-2-9b", "google/gemma-2-9b-it"),
    ("google/gemma-2b", "google/gemma-2b-it"),
    ("google/gemma-3-12b-pt", "google/gemma-3-12b-it"),
    ("google/gemma-3-1b-pt", "google/gemma-3-1b-it"),
    ("google/gemma-3-27b-pt", "google/gemma-3-27b-it"),
    ("google/gemma-3-4b-pt", "google/gemma-3-4b-it"),
    ("google/gemma-4-12B", "google/gemma-4-12B-it"),
    ("google/gemma-4-26B-A4B", "google/gemma-4-26B-A4B-it"),
    ("google/gemma-4-31B", "google/gemma-4-31B-it"),
    ("google/gemma-4-E2B", "google/gemma-4-E2B-it"),
    ("google/gemma-4-E4B", "google/gemma-4-E4B-it"),
    ("google/gemma-7b", "google/gemma-7b-it"),
    ("internlm/internlm2-20b", "internlm/internlm2-chat-20b"),
    ("internlm/internlm2-7b", "internlm/internlm2-chat-7b"),
    ("meta-llama/CodeLlama-34b-hf", "meta-llama/CodeLlama-34b-Instruct-hf"),
    ("meta-llama/Llama-2-13b-hf", "meta-llama/Llama-2-13b-chat-hf"),
    ("meta-llama/Llama-2-70b-hf", "meta-llama/Llama-2-70b-chat-hf"),
    ("meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-chat-hf"),
    ("meta-llama/Llama-3.1-405B", "meta-llama/Llama-3.1-405B-Instruct"),
    ("meta-llama/Llama-3.1-70B", "meta-llama/Llama-3.1-70B-Instruct"),
    ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct"),
    ("meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.2-1B-Instruct"),
    ("meta-llama/Llama-3.2-3B", "meta-llama/Llama-3.2-3B-Instruct"),
    ("meta-llama/Meta-Llama-3-70B", "meta-llama/Meta-Llama-3-70B-Instruct"),
    ("meta-llama/Meta-Llama-3-8B", "meta-llama/Meta-Llama-3-8B-Instruct"),
    ("mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-Instruct-v0.1"),
    ("mistralai/Mistral-7B-v0.3", "mistralai/Mistral-7B-Instruct-v0.3"),
    ("mistralai/Mistral-Nemo-Base-2407", "mistralai/Mistral-Nemo-Instruct-2407"),
    ("mistralai/Mistral-Small-24B-Base-2501", "mistralai/Mistral-Small-24B-Instruct-2501"),
    ("mistralai/Mixtral-8x22B-v0.1", "mistralai/Mixtral-8x22B-Instruct-v0.1"),
    ("mistralai/Mixtral-8x7B-v0.1", "mistralai/Mixtral-8x7B-Instruct-v0.1"),
    ("moonshotai/Moonlight-16B-A3B", "moonshotai/Moonlight-16B-A3B-Instruct"),
    ("tiiuae/Falcon3-7B-Base", "tiiuae/Falcon3-7B-Instruct"),
];

/// Beginnings of the catalog's base models that have no chat model of the same shape with a template.
const NO_TEMPLATE: &[&str] = &[
    "EleutherAI/",
    "bigcode/",
    "bigscience/",
    "facebook/opt-",
    "huggyllama/",
    "microsoft/phi-2",
    "mosaicml/",
    "nvidia/Nemotron-4-",
    "nvidia/Nemotron-H-56B-Base",
    "nvidia/Nemotron-H-8B-Base",
    "openai-community/",
    "tiiuae/falcon-",
    "XiaomiMiMo/MiMo-7B-Base",
];

/// Published in blocks of fp8, which `fp8_cast_bf16.py` of <https://github.com/deepseek-ai/DeepSeek-V3> widens: their
/// cards on <https://huggingface.co>, 2026-11-22, or `quantization_config` there, 2026-11-28 and 2026-11-29.
const FP8_BLOCKS: &[&str] = &[
    "MiniMaxAI/MiniMax-M2.5",
    "XiaomiMiMo/MiMo-V2-Flash",
    "XiaomiMiMo/MiMo-V2.5-Pro",
    "deepseek-ai/DeepSeek-R1",
    "deepseek-ai/DeepSeek-V3",
    "deepseek-ai/DeepSeek-V3.2",
    "moonshotai/Kimi-K2-Instruct",
];

/// Published in 4 bits: their cards, 2026-11-22, or the configurations that the catalog cites, 2026-11-28.
const FOUR_BITS: &[&str] = &[
    "deepseek-ai/DeepSeek-V4-Flash",
    "deepseek-ai/DeepSeek-V4-Pro",
    "moonshotai/Kimi-K2.5",
    "moonshotai/Kimi-K3",
    "openai/gpt-oss-120b",
    "openai/gpt-oss-20b",
];

/// Published in fp8 with a copy in bf16 beside it, of the same name and `-BF16`: their cards, 2026-11-22 and 2026-11-28.
const WITH_COPY: &[&str] = &[
    "mistralai/Ministral-3-14B-Instruct-2512",
    "mistralai/Ministral-3-3B-Instruct-2512",
    "mistralai/Ministral-3-8B-Instruct-2512",
    "mistralai/Mistral-Large-3-675B-Instruct-2512",
];

/// Whether the trained model's positions have to be stretched.
pub(crate) fn stretched(job: &Job) -> bool {
    stretch(job, &job.model).is_some()
}

/// The factor that `YaRN` needs for a job's longest sequence; nothing where the checkpoint's own positions suffice.
pub(super) fn stretch(job: &Job, model: &Model) -> Option<u64> {
    let chats = job.workload.rl.is_some() && chat(&model.hf_repo).is_some();
    let positions = model.shape.max_position_embeddings;
    // Chat models state what they were trained on; base models, what the rotary embedding allows.
    let positions = if chats { positions.min(TRAINED) } else { positions };
    let rl = job.workload.rl.as_ref();
    let longest = rl.map_or(job.workload.sequence_length, |rl| rl.max_length());
    (STRETCHED.contains(&model.id.as_ref()) && longest > positions).then(|| longest.div_ceil(TRAINED))
}

/// The publisher's chat model beside a base model, both by their repositories.
pub(crate) fn chat(repo: &str) -> Option<&'static str> {
    let found = CHAT.iter().find(|(base, _)| *base == repo)?;
    Some(found.1)
}

/// The checkpoint that a job trains `model` from, as a word of the shell, and why that one.
pub(crate) fn trained(job: &Job, model: &Model) -> (String, String) {
    let (path, reason) = model_path(model);
    let repo = model.hf_repo.as_ref();
    if job.workload.kind == WorkloadKind::Pretrain || path != repo {
        return (path, reason.to_owned());
    }
    let name = repo.rsplit('/').next().unwrap_or(repo);
    let rl = job.workload.rl.is_some();
    if let Some(factor) = stretch(job, model) {
        let from = chat(repo).filter(|_| rl).unwrap_or(repo);
        let name = from.rsplit('/').next().unwrap_or(from);
        return (
            home(&format!("models/{name}-yarn")),
            format!(
                "a copy of {from} whose config.json has rope_scaling with rope_type yarn, factor {factor}.0 and original_max_position_embeddings {TRAINED}: the {} positions that it was trained on are too few",
                count(TRAINED)
            ),
        );
    }
    if FP8_BLOCKS.contains(&repo) {
        return (
            home(&format!("models/{name}-bf16")),
            format!(
                "{repo} is in fp8: write this copy in bf16 with inference/fp8_cast_bf16.py of DeepSeek-V3's repository, its config.json without quantization_config and with num_nextn_predict_layers 0"
            ),
        );
    }
    if FOUR_BITS.contains(&repo) {
        return (
            home(&format!("models/{name}-bf16")),
            format!("{repo} is in 4 bits: write this copy in bf16 first, its config.json without quantization_config"),
        );
    }
    if WITH_COPY.contains(&repo) {
        return (format!("{repo}-BF16"), format!("the copy in bf16: {repo} is in fp8"));
    }
    if rl && let Some(chat) = chat(repo) {
        return (
            chat.to_owned(),
            format!("prompts go through its chat template; {repo} is the base model, whose tokenizer may have none"),
        );
    }
    if rl && NO_TEMPLATE.iter().any(|start| repo.starts_with(start)) {
        return (path, "a base model: give its tokenizer a chat template first, which prompts go through".to_owned());
    }
    (path, reason.to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{CHAT, FOUR_BITS, FP8_BLOCKS, NO_TEMPLATE, STRETCHED, WITH_COPY, chat};
    use shardwise_catalog::catalog::{self, models};
    use shardwise_rules::positions::chat_in_place;

    /// Every name is one of the catalog, and no base model of the catalog is forgotten.
    #[test]
    fn tables_name_models_of_the_catalog() {
        let known = |repo: &str| models().iter().any(|entry| entry.hf_repo == repo);
        for repo in CHAT.iter().map(|(base, _)| base) {
            assert!(known(repo), "{repo}");
        }
        for repo in FP8_BLOCKS.iter().chain(FOUR_BITS).chain(WITH_COPY) {
            assert!(known(repo), "{repo}");
        }
        for start in NO_TEMPLATE {
            assert!(models().iter().any(|entry| entry.hf_repo.starts_with(start)), "{start}");
        }
        for id in STRETCHED {
            let entry = models().iter().find(|entry| entry.id == *id);
            let in_place = entry.map(|entry| chat(entry.hf_repo).is_some());
            assert_eq!(in_place, Some(chat_in_place(id)), "{id}");
        }
        for entry in models() {
            let repo = entry.hf_repo.to_ascii_lowercase();
            // Baidu's weights for PyTorch end in -PT, whatever they were trained for.
            let pretrained = repo.ends_with("-pt") && !repo.starts_with("baidu/");
            let base = repo.ends_with("-base") || repo.contains("-base-") || pretrained;
            let said = CHAT.iter().any(|(base, _)| *base == entry.hf_repo)
                || NO_TEMPLATE.iter().any(|start| entry.hf_repo.starts_with(start));
            assert!(!base || said, "{}", entry.hf_repo);
        }
    }

    /// A text with a chat model is read back as a text of the same shape.
    #[test]
    fn chat_models_are_found_in_the_catalog() {
        for (base, chat) in CHAT {
            let entry = catalog::model(base).unwrap();
            let found = catalog::model(chat);
            assert_eq!(found.map(|own| own.id), Some(entry.id), "{chat}");
        }
    }
}
