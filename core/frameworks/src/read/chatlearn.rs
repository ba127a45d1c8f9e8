//! `ChatLearn`: `entrypoint.py grpo --config-file … key=value`, its YAML, or both.

mod keys;
mod refusals;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use serde_json::{Value, json};

use super::draft::Draft;
use super::launch;
use super::link::Base;
use super::megatron::{blocks, layers_trouble, recompute, splits};
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::{Kind, Part, stated_in_files};
use super::value;
use shardwise_catalog::catalog::ModelEntry;

const RUN: &str = "runtime_args";
const TRAINER: &str = "models.policy_trainer";
const POLICY: &str = "models.policy";

/// Reads `ChatLearn`'s texts: the YAML first, then the overrides, as its launcher does. A YAML takes the template's
/// place: what it leaves out has the dataclass' default, not the template's.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Chatlearn, keys::SECTIONS, base);
    let mut template = String::new();
    let yaml = parts.iter().any(|part| matches!(part.kind, Kind::File(_)));
    // What the templates refer to and leave to the dataclass.
    draft
        .settings
        .state(format!("{RUN}.num_inference_per_prompt"), Setting { value: "32".to_owned(), ..Setting::default() });
    for setting in stated_in_files(parts) {
        draft.state(setting);
    }
    for part in parts {
        match &part.kind {
            Kind::File(_) => {}
            Kind::Shell(script) => {
                let launch = launch::find(script, Dialect::Chatlearn);
                if let Some(found) = overrides(&mut draft, &launch) {
                    template = found;
                } else if launch.program.is_empty() {
                    draft.snippet = !yaml;
                } else {
                    // chatlearn/entrypoint.py, line 94.
                    draft.refuse(
                        "--config-file",
                        "Without --config-file ChatLearn drops every override. Add it right behind grpo.",
                        launch.line,
                    );
                }
                launch.report(&mut draft, script);
            }
            Kind::Json(_) => draft.unread("{…}", "ChatLearn reads no JSON.", 0),
        }
    }
    question(&mut draft, &template, yaml);
    draft.finish(Some("chatlearn"))
}

/// The overrides, `OmegaConf`'s dot list. Returns the configuration file's name.
fn overrides(draft: &mut Draft, launch: &launch::Launch) -> Option<String> {
    let mut template = None;
    let mut words = launch.after.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if let Some(option) = text.strip_prefix("--") {
            let value = option.split_once('=').map(|(_, value)| value);
            let value = value.or_else(|| words.next().map(|word| word.text.as_str()));
            if option.starts_with("config-file") || option.starts_with("config_file") {
                template = Some(value.unwrap_or_default().to_owned());
            } else {
                draft.unread(text, "This is no option of ChatLearn.", word.line);
            }
        } else if let Some((key, value)) = text.split_once('=') {
            let plain = key.trim_start_matches(['+', '~']);
            if plain != key {
                draft.refuse(key, "ChatLearn's overrides are OmegaConf's: a mark before a key becomes part of it, and fails. Take it away.", word.line);
            }
            draft.state(Setting {
                key: plain.to_owned(),
                written: key.to_owned(),
                value: value.to_owned(),
                line: word.line,
                open: word.open.clone(),
            });
        } else if text != "grpo" && !text.trim().is_empty() {
            draft.unread(text, "This is no setting: write key=value.", word.line);
        }
    }
    template
}

fn question(draft: &mut Draft, template: &str, yaml: bool) {
    let backend = draft.text(&format!("{RUN}.train_backend"));
    let megatron = match backend.as_deref().map(value::unquoted) {
        Some("megatron") => true,
        Some(_) => false,
        None => {
            let megatron = template.contains("megatron") || template.contains("mcore");
            let name = if megatron { "megatron" } else { "fsdp" };
            draft.assume(
                "plan.backend",
                name,
                "Inferred from the name of the configuration file; set runtime_args.train_backend to state it.",
            );
            megatron
        }
    };
    draft.set("plan.backend", if megatron { "megatron" } else { "fsdp" });
    // Megatron's trainer loads a converted checkpoint, the engine the Hugging Face folder.
    let keys = if megatron || !draft.states(&format!("{TRAINER}.load")) {
        [format!("{POLICY}.load"), format!("{TRAINER}.load")]
    } else {
        [format!("{TRAINER}.load"), format!("{POLICY}.load")]
    };
    let [first, second] = &keys;
    let key = if draft.states(first) { first } else { second };
    let entry = draft.take_model(key, "model");
    // FSDP's trainer computes GRPO's loss in any case.
    let by_response = draft.flag(&format!("{TRAINER}.use_group_sequence_policy")).unwrap_or(false);
    let kind = if by_response && megatron { "gspo" } else { "grpo" };
    draft.set("workload.kind", kind);
    machine(draft);
    batch(draft);
    // ChatLearn computes the reference's log-probabilities in any case.
    draft.set("workload.rl.reference", true);
    draft.set("workload.rl.oversampling", 1.0);
    draft.set("plan.fused_lm_head", false);
    if megatron {
        parallel(draft, entry, yaml);
    } else {
        for field in ["tensor_parallel", "pipeline_parallel", "context_parallel"] {
            draft.set(&format!("plan.{field}"), 1);
        }
        let ulysses = draft.count(&format!("{TRAINER}.ulysses_sequence_parallel_size")).unwrap_or(1);
        draft.set("plan.ulysses_parallel", ulysses);
        draft.set("plan.zero_stage", 3);
        // fsdp_module.py, line 354.
        draft.set("plan.recompute", "full");
    }
    packing(draft, megatron, template, yaml);
    offload(draft, megatron, yaml);
    generation(draft, megatron, yaml);
    refusals::check(draft, megatron, yaml);
}

fn machine(draft: &mut Draft) {
    let key = format!("{TRAINER}.num_gpu");
    // scripts/base_env.sh counts what is there.
    if draft.depends_on(&key).as_deref() == Some("num_device") {
        draft.settle(&key);
        return;
    }
    if let Some(gpus) = draft.count(&key) {
        draft.set("hardware.gpus", gpus);
        draft.train_gpus = Some(gpus);
    }
}

/// `ChatLearn` counts responses; the question counts prompts.
fn batch(draft: &mut Draft) {
    draft.take_count(&format!("{RUN}.num_episode"), "workload.run.steps", None);
    let stated = draft.count(&format!("{POLICY}.num_inference_per_prompt"));
    // Without a word it is the dataclass' 32.
    let responses = stated.or_else(|| draft.count(&format!("{RUN}.num_inference_per_prompt")));
    let responses = responses.unwrap_or(32);
    draft.set("workload.rl.responses_per_prompt", responses);
    for (name, field) in [("sample_per_episode", "prompts_per_step"), ("train_global_batch_size", "mini_batch")] {
        let key = format!("{RUN}.{name}");
        let samples = draft.count(&key);
        let field = format!("workload.rl.{field}");
        if let Some(samples) = samples {
            if !samples.is_multiple_of(responses) {
                draft.refuse(
                    &key,
                    format!("{samples} samples are no multiple of {responses} responses of a prompt."),
                    0,
                );
            }
            draft.set(&field, (samples / responses).max(1));
        } else {
            draft.assume(
                &field,
                (512 / responses).max(1),
                format!("The templates' 512 samples; set {key} to state it."),
            );
        }
    }
    for (name, field, default) in [
        ("max_prompt_tokens_length", "max_prompt_length", 1024),
        ("max_response_tokens_length", "max_response_length", 2048),
    ] {
        draft.take_count(&format!("{POLICY}.{name}"), &format!("workload.rl.{field}"), Some(default));
    }
}

fn parallel(draft: &mut Draft, entry: Option<&ModelEntry>, file: bool) {
    let key = |name: &str| format!("{TRAINER}.{name}");
    for name in ["tensor_model_parallel_size", "pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size"] {
        draft.take(&key(name));
    }
    splits(draft, &key(""), "plan", entry, !file);
    let word = draft.text(&key("recompute_granularity")).unwrap_or_default();
    let modules = draft.text(&key("recompute_modules"));
    let (recompute, trouble) = recompute(value::unquoted(&word), modules.as_deref());
    draft.set("plan.recompute", recompute);
    if let Some(trouble) = trouble {
        draft.refuse(&key("recompute_granularity"), trouble, 0);
    }
    let layers = draft.count(&key("recompute_num_layers"));
    let full = value::unquoted(&word) == "full";
    let method = draft.text(&key("recompute_method")).unwrap_or_default();
    if let (true, Some(layers)) = (full && value::unquoted(&method) == "block", layers) {
        draft.set("plan.recompute", blocks(layers));
    }
    let dispatcher = draft.word(&key("megatron_model_cfg.moe_token_dispatcher_type"));
    if dispatcher.as_deref() == Some("alltoall") {
        draft.set("plan.moe_token_dispatcher", "alltoall");
    }
    draft.take(&key("megatron_model_cfg.apply_rope_fusion"));
    draft.take(&key("megatron_model_cfg.overlap_moe_expert_parallel_comm"));
    if full && draft.text(&key("recompute_method")).is_none() {
        draft.refuse(
            &key("recompute_method"),
            "Full recomputation needs a method. Add recompute_method=uniform and recompute_num_layers=1.",
            0,
        );
    } else if let Some(trouble) = layers_trouble(value::unquoted(&word), layers) {
        draft.refuse(&key("recompute_num_layers"), trouble, 0);
    }
    if ["decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers"]
        .iter()
        .any(|name| draft.states(&key(name)))
    {
        draft.overrule("plan.pipeline_parallel");
    }
}

fn packing(draft: &mut Draft, megatron: bool, template: &str, yaml: bool) {
    let packs = draft.flag(&format!("{TRAINER}.packing")).unwrap_or(megatron && !yaml);
    draft.set("workload.packing", packs);
    let key = format!("{TRAINER}.max_token_in_packing");
    if megatron && !draft.states(&key) && !template.is_empty() && !yaml {
        draft.refuse(
            &key,
            "template/grpo_megatron.yaml takes it from a key that is not there, and fails. State it, packing or not.",
            0,
        );
    }
    if !packs {
        draft.take_count(&format!("{RUN}.train_micro_batch_size"), "plan.micro_batch", Some(8));
        return;
    }
    let size = |name: &str| draft.field(&format!("plan.{name}")).and_then(Value::as_u64).unwrap_or(1).max(1);
    // The budget is of the whole sequence; the question's is of one GPU.
    let split = size("context_parallel").saturating_mul(size("ulysses_parallel"));
    let longest = ["max_prompt_length", "max_response_length"]
        .iter()
        .filter_map(|name| draft.field(&format!("workload.rl.{name}")).and_then(Value::as_u64))
        .fold(0, u64::saturating_add);
    match draft.count(&key) {
        Some(tokens) => draft.set("plan.max_tokens_per_gpu", (tokens / split).max(1)),
        None if megatron => {
            let tokens = longest.div_ceil(split).max(1);
            draft.assume("plan.max_tokens_per_gpu", tokens, format!("The longest sequence; set {key} to state it."));
        }
        None => draft.default(&key, "plan.max_tokens_per_gpu", 32768 / split),
    }
}

fn offload(draft: &mut Draft, megatron: bool, file: bool) {
    let mut freed = |name: &str| draft.flag(&format!("{TRAINER}.free_gpu_memory.{name}")).unwrap_or(!file);
    let (parameters, optimizer) = (freed("offload_weights"), freed("offload_optimizer_states"));
    let gradients = if megatron { freed("free_grad_buffers") } else { parameters };
    let away = draft.flag("models.ref_policy.free_gpu_memory.offload_weights").unwrap_or(!file);
    draft.set(
        "plan.offload",
        json!({"parameters": parameters, "gradients": gradients, "optimizer": optimizer, "activations": false}),
    );
    if away != parameters {
        let mut own = draft.field("plan").cloned().unwrap_or(Value::Null);
        if let Some(offload) = own.get_mut("offload").and_then(Value::as_object_mut) {
            offload.insert("parameters".to_owned(), json!(away));
        }
        draft.set("plan.reference", own);
    }
}

fn generation(draft: &mut Draft, megatron: bool, file: bool) {
    let key = |name: &str| format!("{POLICY}.{name}");
    let engine = draft.text(&format!("{RUN}.rollout_backend"));
    let sglang = engine.as_deref().map(value::unquoted) == Some("sglang");
    draft.set("plan.rollout.engine", if sglang { "sglang" } else { "vllm" });
    let tensor = if megatron && !file { 2 } else { 1 };
    draft.take_count(&key("tensor_model_parallel_size"), "plan.rollout.tensor_parallel", Some(tensor));
    match draft.number(&key("gpu_memory_utilization")) {
        Some(share) => draft.set("plan.rollout.gpu_memory_utilization", share),
        None => draft.default(&key("gpu_memory_utilization"), "plan.rollout.gpu_memory_utilization", 0.8),
    }
    // SGLang's module reads neither of these.
    if !sglang {
        draft.take_count(&key("generation_batch_size"), "plan.rollout.max_num_seqs", Some(if file { 1 } else { 256 }));
        draft.take_count(&key("max_num_batched_tokens"), "plan.rollout.max_num_batched_tokens", Some(32768));
    }
    let eager = draft.flag(&key("enforce_eager")).unwrap_or(megatron && !file);
    draft.set("plan.rollout.enforce_eager", eager);
    let free = draft.flag(&key("free_gpu_memory.offload_weights")).unwrap_or(!file);
    draft.set("plan.rollout.free_cache", free);
}
