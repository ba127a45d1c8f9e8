//! The settings as a file of `ChatLearn`'s: its launcher loads it in the place of a template, so what the templates
//! set and the dataclasses do not stands in it too (template/grpo_{fsdp,megatron}.yaml of b7af31a).

use super::super::Snippet;
use super::super::text::{Section, WrittenSetting};
use super::super::yaml;
use shardwise_catalog::ordered;

use super::{POLICY, REFERENCE, RUN, TRAINER};

/// Name of the file.
pub(super) const NAME: &str = "grpo_shardwise.yaml";

const TEMPLATE: &str = "as ChatLearn's template";
const TRAINERS: &str = "the trainer's";
const POLICYS: &str = "the rollout's";

/// The file: the command's settings, then what the templates add, one map after the other.
pub(super) fn snippet(head: &[String], sections: &[Section], megatron: bool) -> Snippet {
    let mut settings: Vec<WrittenSetting> = sections
        .iter()
        .flat_map(Section::settings)
        .map(|setting| WrittenSetting { value: plain(&setting.value), ..setting.clone() })
        .collect();
    template(megatron, &mut |key, value, reason| {
        if settings.iter().all(|setting| setting.key != key) {
            settings.push(WrittenSetting { key, value: value.to_owned(), reason: reason.to_owned() });
        }
    });
    follow_trainer(&mut settings);
    yaml::snippet(NAME, head, &grouped(settings))
}

/// What the templates set and the dataclasses do not: a key, its value and why.
fn template(megatron: bool, add: &mut dyn FnMut(String, &str, &str)) {
    for (name, value, reason) in [
        ("colocation", "[policy, policy_trainer, ref_policy]", "all three share the GPUs"),
        ("data_checkpoint_path", "${runtime_args.output_dir}/data_checkpoint_path/", TEMPLATE),
        ("save_episode_interval", "200", TEMPLATE),
        ("eval_episode_interval", "5", TEMPLATE),
        ("max_replay_episode", "2", TEMPLATE),
        ("train_micro_batch_size", "8", "ChatLearn wants it, and packing does not use it"),
        ("log_args_dict.log_dir", "${runtime_args.output_dir}", TEMPLATE),
    ] {
        add(format!("{RUN}.{name}"), value, reason);
    }
    let roles = [TRAINER, REFERENCE, POLICY];
    add(format!("{TRAINER}.trainable"), "True", "it alone trains");
    add(format!("{TRAINER}.train_micro_batch_size"), "${runtime_args.train_micro_batch_size}", TEMPLATE);
    for role in roles {
        add(format!("{role}.gpu_per_process"), "1", TEMPLATE);
        if role != POLICY {
            add(format!("{role}.generation_batch_size"), "8", "not used with packing");
        }
        if role != TRAINER {
            add(format!("{role}.num_gpu"), &follow(TRAINER, "num_gpu"), TRAINERS);
            add(format!("{role}.load"), &follow(TRAINER, "load"), TRAINERS);
        }
    }
    if megatron {
        for role in [TRAINER, REFERENCE] {
            add(format!("{role}.use_expandable_segments"), "True", TEMPLATE);
            add(format!("{role}.tokenizer_type"), "HuggingFaceTokenizer", TEMPLATE);
            add(format!("{role}.trust_remote_code"), "False", TEMPLATE);
            add(format!("{role}.tokenizer_model"), &follow(POLICY, "load"), POLICYS);
            for name in ["max_prompt_tokens_length", "max_response_tokens_length"] {
                add(format!("{role}.{name}"), &follow(POLICY, name), POLICYS);
            }
        }
        add(format!("{TRAINER}.optimizer.min_lr"), "2e-6", TEMPLATE);
        add(format!("{POLICY}.trust_remote_code"), "False", TEMPLATE);
    }
    for (name, value) in [("num_cpu", "2"), ("cpu_per_process", "1"), ("generation_batch_size", "256")] {
        add(format!("models.reward.{name}"), value, TEMPLATE);
    }
}

/// What the reference has from the trainer, as far as that states it.
fn follow_trainer(settings: &mut Vec<WrittenSetting>) {
    for name in FOLLOWED {
        let stated = format!("{TRAINER}.{name}");
        if settings.iter().any(|setting| setting.key == stated) {
            let key = format!("{REFERENCE}.{name}");
            settings.push(WrittenSetting { key, value: follow(TRAINER, name), reason: TRAINERS.to_owned() });
        }
    }
}

/// Keys of the reference that follow the trainer's in the templates.
const FOLLOWED: [&str; 11] = [
    "packing",
    "max_token_in_packing",
    "ulysses_sequence_parallel_size",
    "meta_init",
    "groupgemm",
    "tensor_model_parallel_size",
    "pipeline_model_parallel_size",
    "context_parallel_size",
    "expert_model_parallel_size",
    "expert_tensor_parallel_size",
    "decoder_last_pipeline_num_layers",
];

/// A reference to another key, which `OmegaConf` resolves.
fn follow(role: &str, name: &str) -> String {
    format!("${{{role}.{name}}}")
}

/// A word of the shell as YAML has it: no shell replaces the home folder, and no quotes are taken away.
fn plain(word: &str) -> String {
    let home = word.strip_prefix("\"$HOME/").and_then(|path| path.strip_suffix('"'));
    match home {
        Some(path) => format!("${{oc.env:HOME}}/{path}"),
        None => word.trim_matches('\'').to_owned(),
    }
}

/// One section for each map, so that no map is opened twice.
fn grouped(mut settings: Vec<WrittenSetting>) -> Vec<Section> {
    let maps = [
        (RUN, "The run"),
        (TRAINER, "The policy that trains"),
        (REFERENCE, "The reference"),
        (POLICY, "The rollout"),
        ("models.reward", "Rewards, by rules"),
    ];
    maps.into_iter()
        .map(|(map, title)| {
            let inside =
                |setting: &mut WrittenSetting| setting.key.strip_prefix(map).is_some_and(|rest| rest.starts_with('.'));
            let mut own: Vec<WrittenSetting> = settings.extract_if(.., inside).collect();
            // Keys of a map inside stand together, behind the others.
            let inside = |setting: &WrittenSetting| {
                let rest = setting.key.get(map.len() + 1..).unwrap_or_default();
                rest.split_once('.').map(|(inner, _)| inner.to_owned())
            };
            ordered::sort(&mut own, &|a, b| inside(a).cmp(&inside(b)));
            let mut section = Section::new(title);
            section.extend(own);
            section
        })
        .collect()
}
