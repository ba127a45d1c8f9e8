//! The texts to paste: fixed examples, and what holds for every text.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use shardwise_core::emit::{self, Emission, FRAMEWORKS, Framework, Language, Snippet, Unsupported};
use shardwise_core::wire::question_from_value;
use shardwise_core::{Caveat, Evaluated, evaluate, flags};

#[path = "emit/hugging_face.rs"]
mod hugging_face;

fn evaluated(model: &str, gpu: &str, gpus: u64, workload: Value, plan: Value) -> Evaluated {
    let question = question_from_value(json!({
        "version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus}, "workload": workload, "plan": plan
    }))
    .unwrap();
    let mut found = evaluate(&question).unwrap();
    // The estimate's figures move with every better formula; these stay.
    let answer = &mut found.answer;
    (
        answer.tokens_per_s_per_gpu,
        answer.usd_per_mtok,
        answer.fits,
    ) = (3670.0, Some(0.226), true);
    (answer.memory.reserved_gib, answer.memory.capacity_gib) = (70.5, 79.6);
    (answer.interval, answer.run) = (None, None);
    answer.advice.clear();
    answer.caveats.clear();
    answer.memory.phases.clear();
    found
}

fn texts(
    framework: &Framework,
    found: &Evaluated,
    permalink: &str,
) -> Result<Vec<Snippet>, Unsupported> {
    let Evaluated { job, plan, answer } = found;
    (framework.emit)(&Emission {
        framework,
        job,
        plan,
        answer,
        permalink,
        version: framework.versions[0],
    })
}

fn rl(kind: &str) -> Value {
    json!({"kind": kind, "rl": {"prompts_per_step": 512, "responses_per_prompt": 16, "mini_batch": 128,
        "max_prompt_length": 1024, "max_response_length": 3072}})
}

fn sft(kind: &str) -> Value {
    json!({"kind": kind, "sequence_length": 4096, "global_batch": 128})
}

/// A stated plan, so that no search decides what the examples show.
fn plan(backend: &str, changes: Value) -> Value {
    let mut plan = json!({
        "backend": backend, "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
        "recompute": "full", "max_tokens_per_gpu": 16384, "fused_lm_head": false,
        "offload": {"parameters": true, "gradients": true, "optimizer": true, "activations": false},
        "rollout": {"tensor_parallel": 2, "gpu_memory_utilization": 0.6, "max_num_seqs": 256}
    });
    for (key, value) in changes.as_object().unwrap() {
        plan[key] = value.clone();
    }
    plan
}

/// One text of every kind that a framework has.
fn examples() -> Vec<(&'static str, &'static str, Evaluated)> {
    let eight = |model: &str, gpu: &str, workload: Value, plan: Value| {
        evaluated(model, gpu, 8, workload, plan)
    };
    let mut all = vec![
        (
            "verl-grpo-fsdp",
            "verl",
            eight("qwen3-8b", "h100-sxm", rl("grpo"), plan("fsdp", json!({}))),
        ),
        (
            "verl-ppo-megatron",
            "verl",
            eight(
                "qwen3-30b-a3b",
                "h100-sxm",
                rl("ppo"),
                plan(
                    "megatron",
                    json!({"tensor_parallel": 2, "pipeline_parallel": 2, "expert_parallel": 4, "fused_lm_head": true,
                        "recompute": {"granularity": "selective", "modules": ["core_attn", "moe_act"]}}),
                ),
            ),
        ),
        (
            "verl-dapo-fsdp",
            "verl",
            eight(
                "qwen2.5-7b",
                "a100-sxm-80g",
                rl("dapo"),
                plan("fsdp", json!({"ulysses_parallel": 2})),
            ),
        ),
        (
            "verl-lora-fsdp",
            "verl",
            eight(
                "llama-3.1-8b",
                "h100-sxm",
                sft("lora"),
                plan("fsdp", json!({"offload": {}, "rollout": null})),
            ),
        ),
        (
            "verl-sft-megatron",
            "verl",
            eight(
                "qwen3-8b",
                "h100-sxm",
                sft("sft"),
                plan(
                    "megatron",
                    json!({"tensor_parallel": 2, "offload": {}, "rollout": null}),
                ),
            ),
        ),
        (
            "chatlearn-grpo-megatron",
            "chatlearn",
            eight(
                "qwen3-30b-a3b",
                "h20-141g",
                rl("grpo"),
                plan(
                    "megatron",
                    json!({"tensor_parallel": 4, "pipeline_parallel": 2, "expert_parallel": 4}),
                ),
            ),
        ),
        (
            "chatlearn-grpo-fsdp",
            "chatlearn",
            eight("qwen3-8b", "h100-sxm", rl("grpo"), plan("fsdp", json!({}))),
        ),
        (
            "deepspeed-sft",
            "deepspeed",
            eight(
                "llama-2-7b",
                "a100-sxm-80g",
                sft("sft"),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 4, "rollout": null}),
                ),
            ),
        ),
        (
            "deepspeed-nvme",
            "deepspeed",
            eight(
                "qwen3-30b-a3b",
                "a100-sxm-80g",
                json!({"kind": "sft", "sequence_length": 4096, "global_batch": 128, "precision": "fp16"}),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 1, "rollout": null, "nvme_offload": true,
                        "zero_quantized_weights": true, "zero_quantized_gradients": true}),
                ),
            ),
        ),
        (
            "deepspeed-hpz",
            "deepspeed",
            eight(
                "llama-2-7b",
                "a100-sxm-80g",
                sft("sft"),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 4, "rollout": null, "recompute": "none", "offload": {},
                        "zero_hpz_partition_size": 4}),
                ),
            ),
        ),
        (
            "llmforge-lora",
            "llmforge",
            eight(
                "llama-2-7b",
                "a100-sxm-80g",
                sft("lora"),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 4, "rollout": null, "fused_lm_head": true}),
                ),
            ),
        ),
        (
            "megatron-lm-pretrain",
            "megatron-lm",
            eight(
                "qwen3-30b-a3b",
                "h100-sxm",
                sft("pretrain"),
                plan(
                    "megatron",
                    json!({"tensor_parallel": 2, "pipeline_parallel": 2, "virtual_pipeline": 4, "expert_parallel": 4, "offload": {}, "rollout": null,
                        "max_tokens_per_gpu": null, "micro_batch": 1, "recompute": {"granularity": "selective", "modules": ["moe_act", "layernorm"]}}),
                ),
            ),
        ),
        (
            "megatron-bridge-lora",
            "megatron-bridge",
            eight(
                "llama-3.1-8b",
                "h100-sxm",
                sft("lora"),
                plan(
                    "megatron",
                    json!({"tensor_parallel": 2, "offload": {"optimizer": true}, "rollout": null, "max_tokens_per_gpu": null, "micro_batch": 1}),
                ),
            ),
        ),
        (
            "torchtitan-pretrain",
            "torchtitan",
            eight(
                "deepseek-v2-lite",
                "h100-sxm",
                json!({"kind": "pretrain", "sequence_length": 4096, "global_batch": 128, "tokens": 1e10}),
                plan(
                    "fsdp",
                    json!({"pipeline_parallel": 2, "virtual_pipeline": 2, "expert_parallel": 4, "micro_batch": 2,
                        "max_tokens_per_gpu": null, "rollout": null, "recompute": "selective", "offload": {}}),
                ),
            ),
        ),
        (
            "torchtitan-fp8",
            "torchtitan",
            eight(
                "llama-3.1-8b",
                "h100-sxm",
                json!({"kind": "pretrain", "sequence_length": 8192, "global_batch": 64, "precision": "fp8"}),
                plan(
                    "fsdp",
                    json!({"context_parallel": 2, "tensor_parallel": 2, "shard_group": 2, "micro_batch": 1,
                        "max_tokens_per_gpu": null, "rollout": null}),
                ),
            ),
        ),
        (
            "llamafactory-sft",
            "llamafactory",
            eight(
                "llama-2-7b",
                "a100-sxm-80g",
                sft("sft"),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 4, "rollout": null}),
                ),
            ),
        ),
        (
            "llamafactory-qlora",
            "llamafactory",
            eight(
                "qwen2.5-7b",
                "l40s",
                sft("qlora"),
                plan(
                    "fsdp",
                    json!({"micro_batch": 1, "max_tokens_per_gpu": null, "rollout": null, "offload": {},
                        "fused_lm_head": true}),
                ),
            ),
        ),
        (
            "axolotl-lora",
            "axolotl",
            eight(
                "qwen3-8b",
                "h100-sxm",
                sft("lora"),
                plan(
                    "deepspeed",
                    json!({"micro_batch": 4, "max_tokens_per_gpu": null, "rollout": null, "fused_lm_head": true}),
                ),
            ),
        ),
        (
            "axolotl-experts",
            "axolotl",
            eight(
                "qwen3-30b-a3b",
                "h100-sxm",
                json!({"kind": "pretrain", "sequence_length": 4096, "global_batch": 128, "mean_sequence_length": 1024,
                    "packing": true, "tokens": 1e10}),
                plan(
                    "fsdp",
                    json!({"expert_parallel": 4, "micro_batch": 1, "max_tokens_per_gpu": null, "rollout": null,
                        "offload": {}}),
                ),
            ),
        ),
        (
            "deepspeed-qlora",
            "deepspeed",
            eight(
                "qwen2.5-7b",
                "l40s",
                sft("qlora"),
                plan(
                    "deepspeed",
                    json!({"zero_stage": 2, "offload": {}, "micro_batch": 1, "max_tokens_per_gpu": null, "rollout": null}),
                ),
            ),
        ),
    ];
    all.extend(hugging_face::examples());
    all
}

/// The settings of a shell text: what stands in its array.
fn settings(text: &str) -> Vec<&str> {
    let inside = text
        .split_once("args=(\n")
        .unwrap()
        .1
        .split_once("\n)\n")
        .unwrap()
        .0;
    inside
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// The settings of a YAML text: lines with a value, each under its whole key.
fn values(text: &str) -> Vec<String> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut out = Vec::new();
    for line in text.lines().filter(|line| !line.trim().starts_with('#')) {
        let depth = line.len() - line.trim_start().len();
        open.retain(|(outer, _)| *outer < depth);
        let path: String = open.iter().map(|(_, key)| format!("{key}.")).collect();
        match line.trim().strip_suffix(':') {
            Some(map) => open.push((depth, map)),
            None if line.contains(": ") => out.push(path + line.trim()),
            None => {}
        }
    }
    out
}

/// The settings of a TOML text.
fn pairs(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter(|line| line.contains(" = ")).collect()
}

/// A text without its comments: what bash runs.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with('#') {
            ""
        } else {
            line
        }
    });
    lines
        .map(|line| line.split("  # ").next().unwrap_or("").trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

/// `BLESS=1 cargo test --test emit` writes the examples anew.
#[test]
fn examples_are_as_they_were_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/emit");
    for (name, id, found) in examples() {
        let snippets = texts(
            emit::framework(id).unwrap(),
            &found,
            "https://shardwise.example/#v=1",
        )
        .unwrap();
        for snippet in snippets {
            let text: Vec<&str> = snippet
                .text
                .lines()
                .filter(|line| !line.starts_with("# Shardwise "))
                .collect();
            let text = text.join("\n") + "\n";
            let path = folder.join(format!("{name}.{}", snippet.file));
            if std::env::var_os("BLESS").is_some() {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &text).unwrap();
            }
            let expected = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(
                text,
                expected,
                "{}: read the change, then run with BLESS=1",
                path.display()
            );
        }
    }
}

#[test]
fn every_setting_is_made_once_and_says_why() {
    for (name, id, found) in examples() {
        for snippet in texts(emit::framework(id).unwrap(), &found, "").unwrap() {
            if snippet.language == Language::Json {
                let keys: BTreeSet<_> = snippet.reasons.iter().map(|(key, _)| key).collect();
                assert_eq!(keys.len(), snippet.reasons.len(), "{name}: a key twice");
                let config: Value = serde_json::from_str(&snippet.text).unwrap();
                for (key, reason) in &snippet.reasons {
                    assert!(!reason.is_empty(), "{name}: {key}");
                    assert!(
                        !config
                            .pointer(&format!("/{}", key.replace('.', "/")))
                            .unwrap()
                            .is_null(),
                        "{name}: {key}"
                    );
                }
                continue;
            }
            let mut seen = BTreeSet::new();
            let lines = match snippet.language {
                Language::Yaml => values(&snippet.text),
                Language::Toml => pairs(&snippet.text)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                _ => settings(&snippet.text)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            };
            for line in lines {
                let (setting, reason) = line
                    .split_once("  # ")
                    .unwrap_or_else(|| panic!("{name}: no reason: {line}"));
                assert!(reason.len() > 2, "{name}: {line}");
                let key = setting
                    .split(['=', ' '])
                    .next()
                    .unwrap()
                    .trim_start_matches('+');
                assert!(seen.insert(key.to_owned()), "{name}: {key} twice");
            }
            assert!(seen.len() > 10, "{name}: {} settings", seen.len());
        }
    }
}

#[test]
fn no_text_holds_what_is_no_number() {
    for (name, id, mut found) in examples() {
        found.answer.tokens_per_s_per_gpu = f64::NAN;
        found.answer.usd_per_mtok = Some(f64::INFINITY);
        found.answer.memory.reserved_gib = f64::NAN;
        found.answer.fits = false;
        for snippet in texts(emit::framework(id).unwrap(), &found, "").unwrap() {
            let words = snippet.text.split(|c: char| !c.is_ascii_alphanumeric());
            let bad: Vec<_> = words
                .filter(|word| matches!(*word, "NaN" | "inf" | "None" | "nan"))
                .collect();
            assert!(bad.is_empty(), "{name}: {bad:?} in {}", snippet.text);
        }
    }
}

#[test]
fn nothing_a_person_types_reaches_the_shell() {
    let attacks = [
        "x\nrm -rf ~ #",
        "x\r\nrm -rf ~",
        "`id`",
        "$(id)",
        "${IFS}",
        "'; id; '",
        "\"; id; \"",
        "a) ; id ; args=(",
        "\u{2028}id",
        "\u{202e}di",
        "../../x y",
        "-rf/x",
        "a/b c",
        "a/b=$(id)",
        "a/b#c",
    ];
    for (name, id, found) in examples() {
        let framework = emit::framework(id).unwrap();
        let mut blank = found;
        blank.job.model.hf_repo = "".into();
        let harmless: Vec<String> = texts(framework, &blank, "")
            .unwrap()
            .iter()
            .map(|s| code(&s.text))
            .collect();
        for attack in attacks {
            let mut hostile = Evaluated {
                job: blank.job.clone(),
                plan: blank.plan,
                answer: blank.answer.clone(),
            };
            hostile.job.model.name = attack.into();
            hostile.job.model.hf_repo = attack.into();
            hostile.job.hardware.name = attack.into();
            hostile.answer.caveats = vec![Caveat::new("attack", attack)];
            if let Some(critic) = hostile
                .job
                .workload
                .rl
                .as_mut()
                .and_then(|rl| rl.critic.as_mut())
            {
                critic.hf_repo = attack.into();
            }
            for (snippet, expected) in texts(framework, &hostile, attack)
                .unwrap()
                .iter()
                .zip(&harmless)
            {
                // The head grows by the permalink and the caveat; what runs stays the same.
                let runs = |text: &str| {
                    text.lines()
                        .filter(|line| !line.is_empty())
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                };
                let expected = runs(expected);
                let critic = |line: &String| !line.contains("critic.model");
                assert_eq!(
                    runs(&code(&snippet.text))
                        .into_iter()
                        .filter(critic)
                        .collect::<Vec<_>>(),
                    expected.into_iter().filter(critic).collect::<Vec<_>>(),
                    "{name}: {attack:?}"
                );
                assert!(
                    !snippet.text.chars().any(|c| c.is_control() && c != '\n'),
                    "{name}: {attack:?}"
                );
                assert!(
                    !snippet.text.contains(['\u{2028}', '\u{202e}']),
                    "{name}: {attack:?}"
                );
                if let Some(line) = snippet
                    .text
                    .lines()
                    .find(|line| line.contains("critic.model"))
                {
                    assert!(line.contains("\"$HOME/models/model\"  #"), "{name}: {line}");
                }
            }
        }
    }
}

#[test]
fn the_head_carries_question_versions_permalink_and_warnings() {
    let (_, _, mut found) = examples().swap_remove(0);
    found.answer.fits = false;
    found.answer.memory.reserved_gib = 90.1;
    found.answer.caveats = vec![Caveat::new("assumed", "Half the length is assumed.")];
    let text = &texts(
        emit::framework("verl").unwrap(),
        &found,
        "https://shardwise.example/#q",
    )
    .unwrap()[0]
        .text;
    let head: Vec<&str> = text
        .lines()
        .take_while(|line| line.starts_with('#'))
        .collect();
    assert!(
        head[0].starts_with("# GRPO of Qwen3 8B on 8 × "),
        "{}",
        head[0]
    );
    assert!(
        head[0].ends_with(": 512 prompts × 16 responses, 1,024 + 3,072 tokens"),
        "{}",
        head[0]
    );
    assert!(
        head[1].starts_with("# 3,670 tokens/s per GPU, 90.1 of 79.6 GiB, $0.226"),
        "{}",
        head[1]
    );
    assert!(
        head[2].contains(concat!("Shardwise ", env!("CARGO_PKG_VERSION"), ", data ")),
        "{}",
        head[2]
    );
    assert!(head[2].ends_with("for veRL 0.9.1"), "{}", head[2]);
    assert_eq!(head[3], "# https://shardwise.example/#q");
    assert!(
        head[4].contains("does not fit") && head[4].contains("10.5 GiB too much"),
        "{}",
        head[4]
    );
    assert!(head.contains(&"# Note: Half the length is assumed."));
}

#[test]
fn budgets_follow_the_guide_in_every_role() {
    let value = |text: &str, key: &str| -> u64 {
        let line = settings(text)
            .into_iter()
            .find(|line| line.starts_with(&format!("{key}=")))
            .unwrap();
        line.split(['=', ' ']).nth(1).unwrap().parse().unwrap()
    };
    let (_, _, found) = examples().swap_remove(1);
    let text = &texts(emit::framework("verl").unwrap(), &found, "").unwrap()[0].text;
    let actor = value(text, "actor_rollout_ref.actor.ppo_max_token_len_per_gpu");
    assert_eq!(actor, 16384);
    for forward in [
        "actor_rollout_ref.ref.log_prob_max_token_len_per_gpu",
        "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu",
        "critic.forward_max_token_len_per_gpu",
    ] {
        assert_eq!(value(text, forward), 2 * actor, "{forward}");
    }
    // What the estimate holds in memory: the search or a person may give the critic more.
    assert_eq!(value(text, "critic.ppo_max_token_len_per_gpu"), actor);
}

#[test]
fn a_framework_refuses_by_field_and_remedy() {
    let refusal = |id: &str, found: &Evaluated| {
        texts(emit::framework(id).unwrap(), found, "")
            .unwrap_err()
            .message
    };
    let plain = plan("fsdp", json!({}));
    let eight = |workload: Value, plan: Value| evaluated("qwen3-8b", "h100-sxm", 8, workload, plan);
    let cases = [
        (
            "verl",
            eight(sft("pretrain"), plan("fsdp", json!({"offload": {}}))),
            "workload.kind: veRL fine-tunes",
        ),
        (
            "verl",
            eight(sft("qlora"), plan("fsdp", json!({"offload": {}}))),
            "workload.kind: veRL loads no 4-bit",
        ),
        (
            "verl",
            eight(rl("grpo"), plan("deepspeed", json!({}))),
            "plan.backend: veRL trains with FSDP or Megatron",
        ),
        (
            "verl",
            eight(rl("grpo"), plan("fsdp", json!({"recompute": "selective"}))),
            "plan.recompute: ",
        ),
        (
            "verl",
            eight(
                rl("grpo"),
                plan("fsdp", json!({"max_tokens_per_gpu": 2048})),
            ),
            "Set it to 4096 or more",
        ),
        (
            "chatlearn",
            eight(rl("ppo"), plain.clone()),
            "workload.kind: ChatLearn 1.2.0 has GRPO alone",
        ),
        (
            "chatlearn",
            eight(rl("dapo"), plain.clone()),
            "pos_clip_ratio",
        ),
        (
            "chatlearn",
            eight(rl("grpo"), plan("fsdp", json!({"shard_group": 4}))),
            "plan.shard_group: ",
        ),
        (
            "deepspeed",
            eight(rl("grpo"), plain.clone()),
            "no generation",
        ),
        (
            "deepspeed",
            eight(sft("sft"), plan("fsdp", json!({"offload": {}}))),
            "plan.backend: Set the backend to deepspeed",
        ),
        (
            "megatron-lm",
            eight(rl("grpo"), plan("megatron", json!({}))),
            "workload.kind: These texts of pretrain_gpt.py",
        ),
        (
            "megatron-lm",
            eight(sft("lora"), plan("megatron", json!({"offload": {}}))),
            "workload.kind: pretrain_gpt.py trains every weight",
        ),
        (
            "megatron-lm",
            evaluated(
                "gemma-2-9b",
                "h100-sxm",
                8,
                sft("sft"),
                plan("megatron", json!({"offload": {}, "rollout": null})),
            ),
            "model: Shardwise writes no Megatron-LM arguments for layers of several kinds",
        ),
        (
            "megatron-bridge",
            evaluated(
                "yi-34b",
                "h100-sxm",
                8,
                sft("sft"),
                plan("megatron", json!({"offload": {}, "rollout": null})),
            ),
            "model: Shardwise knows no recipe",
        ),
        (
            "megatron-bridge",
            eight(
                sft("sft"),
                plan(
                    "megatron",
                    json!({"offload": {}, "rollout": null, "attention": "unfused"}),
                ),
            ),
            "plan.attention: No override",
        ),
        (
            "deepspeed",
            eight(
                sft("qlora"),
                plan(
                    "deepspeed",
                    json!({"offload": {}, "zero_quantized_weights": true}),
                ),
            ),
            "plan.zero_quantized_weights: The base is in 4 bits",
        ),
        (
            "llmforge",
            eight(
                sft("sft"),
                plan(
                    "deepspeed",
                    json!({"max_tokens_per_gpu": null, "micro_batch": 1, "nvme_offload": true}),
                ),
            ),
            "plan.zero_stage: LLMForge's configurations",
        ),
        (
            "torchtitan",
            eight(sft("sft"), plan("fsdp", json!({}))),
            "workload.kind: torchtitan 0.2.2 pre-trains",
        ),
        (
            "torchtitan",
            evaluated(
                "qwen2.5-7b",
                "h100-sxm",
                8,
                sft("pretrain"),
                plan("fsdp", json!({"max_tokens_per_gpu": null})),
            ),
            "model: torchtitan 0.2.2 carries its own models",
        ),
        (
            "torchtitan",
            eight(
                sft("pretrain"),
                plan(
                    "fsdp",
                    json!({"pipeline_parallel": 2, "max_tokens_per_gpu": null}),
                ),
            ),
            "plan.pipeline_parallel: torchtitan has no pipeline for qwen3",
        ),
        (
            "torchtitan",
            evaluated(
                "deepseek-v2-lite",
                "h100-sxm",
                8,
                sft("pretrain"),
                plan(
                    "fsdp",
                    json!({"context_parallel": 2, "max_tokens_per_gpu": null}),
                ),
            ),
            "plan.context_parallel: torchtitan's deepseek_v3 16B runs flex attention",
        ),
        (
            "torchtitan",
            eight(
                sft("pretrain"),
                plan(
                    "fsdp",
                    json!({"max_tokens_per_gpu": null, "recompute": {"granularity": "selective", "modules": ["mlp"]}}),
                ),
            ),
            "plan.recompute: torchtitan chooses what to recompute by operation",
        ),
        (
            "llamafactory",
            eight(rl("ppo"), plan("fsdp", json!({}))),
            "workload.kind: LLaMA-Factory's own reinforcement learning",
        ),
        (
            "llamafactory",
            eight(sft("sft"), plan("fsdp", json!({"context_parallel": 2}))),
            "plan.context_parallel: LLaMA-Factory's Trainer splits no model",
        ),
        (
            "llamafactory",
            eight(
                sft("sft"),
                plan("ddp", json!({"offload": {"optimizer": true}})),
            ),
            "plan.offload: Plain data parallelism offloads nothing",
        ),
        (
            "axolotl",
            eight(sft("sft"), plan("fsdp", json!({"pipeline_parallel": 2}))),
            "plan.pipeline_parallel: Hugging Face's Trainer has no pipeline",
        ),
        (
            "axolotl",
            eight(sft("sft"), plan("deepspeed", json!({"tensor_parallel": 2}))),
            "plan.tensor_parallel: axolotl combines this with FSDP2",
        ),
        (
            "axolotl",
            eight(
                json!({"kind": "lora", "sequence_length": 4096, "global_batch": 128, "precision": "fp8"}),
                plan("fsdp", json!({})),
            ),
            "workload.precision: axolotl's fp8 is laid out for all weights",
        ),
    ];
    for (id, found, says) in cases.into_iter().chain(hugging_face::refused()) {
        let message = refusal(id, &found);
        assert!(message.contains(says), "{id}: {message}");
        let framework = emit::framework(id).unwrap();
        let broken = emit::rules::violations(&found.job, &found.plan, framework);
        assert_eq!(
            message,
            format!("{}: {}", broken[0].field, broken[0].message),
            "{id}: the first rule broken"
        );
    }
}

#[test]
fn the_table_of_frameworks_is_sound() {
    let ids: BTreeSet<_> = FRAMEWORKS.iter().map(|framework| framework.id).collect();
    assert_eq!(ids.len(), FRAMEWORKS.len());
    for framework in FRAMEWORKS {
        assert!(emit::framework(framework.id).is_some_and(|found| found.name == framework.name));
        assert!(
            framework.docs_url.starts_with("https://") && !framework.backends.is_empty(),
            "{}",
            framework.id
        );
        assert!(
            examples().iter().any(|(_, id, _)| *id == framework.id),
            "{}: no example",
            framework.id
        );
    }
    assert!(emit::framework("no-such").is_none());
}

/// Older versions of veRL get their own words; a version that is none is refused by name.
#[test]
fn versions_have_their_own_words() {
    let verl = emit::framework("verl").unwrap();
    let question = question_from_value(json!({"version": 1, "model": "qwen3-8b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8}, "workload": rl("ppo"),
        "plan": {"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 1, "context_parallel": 1,
            "max_tokens_per_gpu": 16384, "recompute": "full", "offload": {"parameters": true, "optimizer": true},
            "rollout": {"tensor_parallel": 1}}}))
    .unwrap();
    for version in verl.versions {
        let texts = flags(&question, verl, version, "").unwrap().unwrap();
        let text = &texts[0].text;
        assert!(text.contains(&format!("for veRL {version}")), "{version}");
        let old = *version != "0.9.1";
        assert_eq!(
            text.contains("megatron.grad_offload=True"),
            old,
            "{version}"
        );
        let by_name = text.contains("--config-name=ppo_megatron_trainer.yaml");
        assert_eq!(
            by_name,
            ["0.7.1", "0.5.0", "0.4.1"].contains(version),
            "{version}"
        );
        assert_eq!(
            text.contains("model_engine=megatron"),
            !by_name,
            "{version}"
        );
    }
    assert_eq!(verl.version("").unwrap(), "0.9.1");
    let error = verl.version("0.6.9").unwrap_err();
    assert!(
        error.field == "version" && error.message.contains("0.8.0"),
        "{error}"
    );
}

#[test]
fn states_are_written_down_or_said() {
    let asked = |backend: &str, changes: Value| {
        flags_of(
            json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": rl("grpo"), "plan": plan(backend, changes)}),
        )
    };
    let narrow = asked(
        "megatron",
        json!({"tensor_parallel": 2, "gradient_bytes": 2, "optimizer_bytes": 4}),
    );
    let text = narrow("verl", "0.9.1");
    for key in [
        "use_precision_aware_optimizer=True",
        "exp_avg_dtype=bf16",
        "exp_avg_sq_dtype=bf16",
        "main_grads_dtype=bf16",
    ] {
        assert!(
            text.contains(&format!("  actor_rollout_ref.actor.optim.{key}")),
            "{key}"
        );
    }
    assert!(!text.contains("per parameter"));
    let older = narrow("verl", "0.8.0");
    assert!(
        !older.contains("_dtype=bf16") && older.contains("keeps gradients and moments in fp32")
    );
    let text = narrow("chatlearn", "");
    assert!(text.contains("4 bytes of optimizer state per parameter; ChatLearn keeps 8."));
    let masters = asked(
        "megatron",
        json!({"tensor_parallel": 2, "master_weights_bytes": 2}),
    );
    for (id, name) in [("verl", "veRL"), ("chatlearn", "ChatLearn")] {
        let said = format!("2 bytes of master weights per parameter; {name} keeps 4.");
        assert!(masters(id, "").contains(&said), "{id}");
    }
    let shards = asked(
        "fsdp",
        json!({"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4}),
    );
    let text = shards("verl", "");
    assert!(text.contains("fsdp_config.model_dtype=bf16") && !text.contains("per parameter"));
}

/// The first text of a question, by framework and version.
fn flags_of(question: Value) -> impl Fn(&str, &str) -> String {
    let question = question_from_value(question).unwrap();
    move |id, version| {
        let framework = emit::framework(id).unwrap();
        let version = framework.version(version).unwrap();
        let texts = flags(&question, framework, version, "").unwrap().unwrap();
        texts[0].text.clone()
    }
}
