//! Which model ms-swift loads, and by which of its own types and templates.

use super::super::Emission;
use super::super::checkpoint::{stretch, trained};
use super::super::text::Section;
use super::super::trainer;
use super::{precision, rlhf_type};
use shardwise_question::wire::WorkloadKind;
use shardwise_rules::positions::TRAINED;

/// What ms-swift calls a model that it cannot tell by itself: 4.6.0 looks for the last part of the name among those that it
/// has registered (`model/model_meta.py`, `get_matched_model_meta`), then for the architecture in `config.json`, which several
/// of its types may share. Beginnings of names, type and template; an empty type is found by the architecture.
const TYPES: &[(&str, &str, &str)] = &[
    ("HuggingFaceTB/SmolLM2-", "llama", "chatml"),
    ("HuggingFaceTB/SmolLM3-", "", "chatml"),
    ("MiniMaxAI/MiniMax-M2.5", "minimax_m2", "minimax_m2_5"),
    ("TinyLlama/", "llama", "zephyr"),
    ("deepseek-ai/DeepSeek-R1", "deepseek_v3", "deepseek_r1"),
    ("deepseek-ai/DeepSeek-V3.2", "deepseek_v32", "deepseek_v3_1"),
    ("deepseek-ai/DeepSeek-V3", "deepseek_v3", "deepseek_v2_5"),
    ("deepseek-ai/DeepSeek-V4-Flash", "deepseek_v4", "deepseek_v4"),
    ("huggyllama/", "llama", "llama"),
    ("meta-llama/CodeLlama-", "llama", "llama"),
    ("meta-llama/Llama-3.1-", "llama", "llama3_2"),
    ("mistralai/Mistral-7B-v0.3", "mistral", "llama"),
    ("moonshotai/Kimi-K2-Instruct", "deepseek_v3", "kimi_k2"),
    ("openai/gpt-oss-", "gpt_oss", "gpt_oss"),
    ("openbmb/MiniCPM-2B-", "minicpm", "minicpm"),
    ("tiiuae/Falcon3-", "llama", "default"),
    ("zai-org/glm-4-9b-chat-hf", "glm_edge", "chatglm4"),
];

/// Models of architectures that it does not know: it trains them by prompts without a template, which it calls dummy.
const BARE: &[&str] = &[
    "EleutherAI/",
    "allenai/OLMo-2-",
    "allenai/Olmo-3",
    "bigcode/",
    "facebook/opt-",
    "mosaicml/",
    "nvidia/Nemotron-4-",
    "tiiuae/falcon-",
];

/// Model, its type and template, precision and attention.
pub(super) fn section(emission: &Emission) -> Section {
    let job = emission.job;
    let mut section = Section::new("Model");
    if let Some((word, reason)) = rlhf_type(&job.workload) {
        section.set("--rlhf_type", word, reason);
    }
    let repo = job.model.hf_repo.as_ref();
    let factor = stretch(job, &job.model).filter(|_| job.workload.kind != WorkloadKind::Pretrain);
    let (path, reason) = match factor {
        Some(_) => (repo.to_owned(), "the model on Hugging Face, or a folder with it".to_owned()),
        None => trained(job, &job.model),
    };
    let named = !path.starts_with('"');
    section.set("--model", path, reason);
    if named {
        section.set("--use_hf", "true", "names are Hugging Face's; left out, they are ModelScope's");
    }
    if let Some((_, own, template)) = TYPES.iter().find(|(start, ..)| repo.starts_with(start)) {
        if !own.is_empty() {
            section.set("--model_type", own, "ms-swift does not tell it by the name");
        }
        section.set("--template", template, "the prompts' form; change this where your model has another");
    }
    if let Some(factor) = factor {
        section.set(
            "--rope_scaling",
            format!(
                "'{{\"rope_type\": \"yarn\", \"factor\": {factor}.0, \"original_max_position_embeddings\": {TRAINED}}}'"
            ),
            "the positions that it was trained on are too few",
        );
    }
    precision(&mut section, emission);
    trainer::attention(&mut section, emission, "--attn_impl", ("eager", |word| word));
    section
}

/// What ms-swift cannot tell of the model.
pub(super) fn warnings(emission: &Emission) -> Option<String> {
    let repo = emission.job.model.hf_repo.as_ref();
    if trained(emission.job, &emission.job.model).0.ends_with("models/model\"") {
        return Some(
            "where ms-swift cannot tell your model's type by its config.json, it asks for --model_type and --template."
                .to_owned(),
        );
    }
    BARE.iter().any(|start| repo.starts_with(start)).then(|| {
        "ms-swift has no template for this model and takes prompts as they are. Give one by --template if your data are conversations."
            .to_owned()
    })
}
