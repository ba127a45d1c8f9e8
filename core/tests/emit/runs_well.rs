//! What a text needs beside its plan to run as it is pasted: checkpoints, nodes that find each other, rewards, templates.

use serde_json::{Value, json};
use shardwise_core::read::read;
use shardwise_core::wire::{FitState, question_from_value};
use shardwise_core::{emit, evaluate, flags};

use super::examples::{evaluated, examples, plan, rl, sft};
use super::versions::flags_of;
use super::{code, settings, texts};

/// A question with a stated plan, so that no search decides what is tried.
fn asked(model: &str, gpus: u64, workload: Value, plan: Value) -> Value {
    json!({"version": 1, "model": model, "hardware": {"gpu": "h100-sxm", "gpus": gpus}, "workload": workload, "plan": plan})
}

/// The same with adapters.
fn adapted(mut workload: Value) -> Value {
    workload["lora"] = json!({"rank": 32});
    workload
}

/// RL of a batch that many replicas can share.
fn shared() -> Value {
    let mut workload = rl("grpo");
    workload["rl"]["prompts_per_step"] = json!(1024);
    workload["rl"]["mini_batch"] = json!(1024);
    workload
}

fn megatron(changes: Value) -> Value {
    let mut own = json!({"tensor_parallel": 2});
    for (key, value) in changes.as_object().unwrap() {
        own[key] = value.clone();
    }
    plan("megatron", own)
}

fn fsdp() -> Value {
    plan("fsdp", json!({}))
}

/// Fine-tuning, which has no phases to move states between.
fn tuned(backend: &str) -> Value {
    let mut own = plan(backend, json!({"offload": {}}));
    own.as_object_mut().unwrap().remove("rollout");
    own
}

fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    settings(text).into_iter().find_map(|line| {
        let value = line.strip_prefix(key)?.strip_prefix('=')?;
        Some(value.split("  # ").next().unwrap_or(value))
    })
}

#[test]
fn runs_are_saved_and_validated_on_the_way() {
    let verl = emit::framework("verl").unwrap();
    for version in verl.versions {
        let text = flags_of(asked("qwen3-8b", 8, rl("grpo"), fsdp()))("verl", version);
        assert_eq!(value(&text, "trainer.save_freq"), Some("20"), "{version}");
        assert_eq!(value(&text, "trainer.test_freq"), Some("5"), "{version}");
    }
    let text = flags_of(asked("qwen3-8b", 8, sft("sft"), tuned("fsdp")))("verl", "");
    assert_eq!(value(&text, "trainer.save_freq"), Some("100"));
    // Without data to validate on there is nothing to do.
    assert_eq!(value(&text, "trainer.test_freq"), Some("-1"));
    assert_eq!(value(&text, "data.val_files"), None);
}

#[test]
fn several_nodes_meet_in_one_cluster_of_ray() {
    let one = flags_of(asked("qwen3-8b", 8, shared(), fsdp()))("verl", "");
    assert!(!one.contains("ray start") && !one.contains("MASTER_ADDR"));
    let four = flags_of(asked("qwen3-8b", 32, shared(), fsdp()))("verl", "");
    let places = [
        "if [ \"$NODE_RANK\" != 0 ]; then",
        "ray start --address=\"$MASTER_ADDR:6379\" --block",
        "ray start --head --port=6379",
        ".get(\"GPU\", 0) < 32",
        "verl.trainer.main_ppo",
    ]
    .map(|part| four.find(part).unwrap_or_else(|| panic!("{part}: {four}")));
    assert!(places.is_sorted(), "{places:?}");
    // Fine-tuning has torchrun for that.
    let tuned = flags_of(asked("qwen3-8b", 32, sft("sft"), tuned("fsdp")))("verl", "");
    assert!(!tuned.contains("ray start") && tuned.contains("torchrun --nnodes=4"));
}

#[test]
fn nodes_are_told_what_to_set() {
    let zero = json!({"backend": "deepspeed", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
        "micro_batch": 1, "recompute": "full"});
    let cases = [
        ("verl", sft("sft"), tuned("fsdp")),
        ("verl", shared(), fsdp()),
        ("chatlearn", shared(), fsdp()),
        ("megatron-lm", sft("pretrain"), tuned("megatron")),
        ("megatron-bridge", sft("sft"), tuned("megatron")),
        ("torchtitan", sft("pretrain"), tuned("fsdp")),
        ("axolotl", sft("sft"), zero.clone()),
        ("llamafactory", sft("sft"), zero),
        ("trl", sft("sft"), tuned("fsdp")),
    ];
    for (id, workload, plan) in cases {
        let text = |gpus: u64| {
            let mut plan = plan.clone();
            if !["verl", "chatlearn", "megatron-bridge"].contains(&id) {
                plan["max_tokens_per_gpu"] = Value::Null;
                plan["micro_batch"] = json!(1);
            }
            let question = question_from_value(asked("llama-3.1-8b", gpus, workload.clone(), plan));
            let framework = emit::framework(id).unwrap();
            let found = flags(&question.unwrap(), framework, framework.versions[0], "");
            let texts = found.unwrap().unwrap_or_else(|no| panic!("{id}: {}", no.message));
            texts.into_iter().map(|own| own.text).collect::<String>()
        };
        let (one, two) = (text(8), text(16));
        assert!(!one.contains("MASTER_ADDR"), "{id}: {one}");
        assert!(two.contains("MASTER_ADDR"), "{id}: {two}");
        assert!(two.contains("address of the first node"), "{id}: {two}");
    }
}

#[test]
fn rewards_say_which_data_they_know() {
    let verl = emit::framework("verl").unwrap();
    for version in verl.versions {
        let text = flags_of(asked("qwen3-8b", 8, rl("grpo"), fsdp()))("verl", version);
        let key = if ["0.5.0", "0.4.1"].contains(version) {
            "custom_reward_function"
        } else {
            "reward.custom_reward_function"
        };
        assert_eq!(value(&text, &format!("{key}.path")), Some("null"), "{version}");
        assert_eq!(value(&text, &format!("{key}.name")), Some("compute_score"));
        assert!(text.contains("data_source: openai/gsm8k, "), "{version}");
    }
    // A reward model scores instead.
    let mut workload = rl("grpo");
    workload["rl"]["reward_model"] = json!("qwen3-8b");
    let text = flags_of(asked("qwen3-8b", 8, workload, fsdp()))("verl", "");
    assert!(text.contains("reward_model.enable=True") && !text.contains("custom_reward"));
}

#[test]
fn reinforcement_learning_starts_from_a_chat_model() {
    const PATH: &str = "actor_rollout_ref.model.path";
    let text = flags_of(asked("llama-3.1-8b", 8, rl("ppo"), fsdp()))("verl", "");
    assert_eq!(value(&text, PATH), Some("meta-llama/Llama-3.1-8B-Instruct"));
    assert_eq!(value(&text, "critic.model.path"), Some("meta-llama/Llama-3.1-8B-Instruct"));
    let post = flags_of(asked("qwen3-8b", 8, rl("grpo"), fsdp()))("verl", "");
    assert_eq!(value(&post, PATH), Some("Qwen/Qwen3-8B"));
    // Fine-tuning begins where the question says.
    let tuned = flags_of(asked("llama-3.1-8b", 8, sft("sft"), tuned("fsdp")))("verl", "");
    assert_eq!(value(&tuned, "model.path"), Some("meta-llama/Llama-3.1-8B"));
    for id in ["trl", "openrlhf", "chatlearn"] {
        let own = match id {
            "openrlhf" => plan(
                "deepspeed",
                json!({"max_tokens_per_gpu": null, "micro_batch": 1, "offload": {"optimizer": true, "gradients": true}}),
            ),
            "trl" => plan("fsdp", json!({"max_tokens_per_gpu": null, "micro_batch": 1, "offload": {}})),
            _ => fsdp(),
        };
        let framework = emit::framework(id).unwrap();
        let found = evaluated("llama-3.1-8b", "h100-sxm", 8, rl("grpo"), own);
        let snippets = texts(framework, &found, "").unwrap_or_else(|no| panic!("{id}: {}", no.message));
        let chat = |text: &str| text.contains("meta-llama/Llama-3.1-8B-Instruct");
        assert!(snippets.iter().any(|snippet| chat(&snippet.text)), "{id}");
    }
}

#[test]
fn narrow_checkpoints_are_widened_first() {
    for (workload, key) in [(shared(), "actor_rollout_ref.model.path"), (sft("sft"), "model.path")] {
        let kind = workload["kind"].clone();
        let mut own = json!({"backend": "megatron", "tensor_parallel": 8, "pipeline_parallel": 16, "context_parallel": 1, "expert_parallel": 8,
            "max_tokens_per_gpu": 8192, "recompute": "full"});
        if kind == "grpo" {
            own["offload"] = json!({"parameters": true, "gradients": true, "optimizer": true});
            own["rollout"] = json!({"tensor_parallel": 16});
        }
        let text = flags_of(asked("deepseek-v3", 512, workload, own))("verl", "");
        assert_eq!(value(&text, key), Some("\"$HOME/models/DeepSeek-V3-bf16\""), "{kind}");
        assert!(text.contains("fp8_cast_bf16.py") && text.contains("without quantization_config"));
    }
    // 0.4.1 reads Megatron's own checkpoints of most models.
    let text = |version: &str| {
        flags_of(asked("qwen3-8b", 8, rl("ppo"), megatron(json!({"fused_lm_head": false}))))("verl", version)
    };
    let old = text("0.4.1");
    for role in ["actor_rollout_ref.actor", "actor_rollout_ref.ref", "critic"] {
        let key = format!("{role}.megatron.use_dist_checkpointing");
        assert_eq!(value(&old, &key), Some("True"), "{key}");
    }
    assert!(old.contains("scripts/converter_hf_to_mcore.py"));
    assert!(!text("0.9.1").contains("dist_checkpointing"));
}

#[test]
fn adapters_reach_the_engine_as_the_guide_says() {
    const ROLLOUT: &str = "actor_rollout_ref.rollout";
    let of = |text: &str, name: &str| value(text, &format!("{ROLLOUT}.{name}")).map(str::to_owned);
    let fsdp = flags_of(asked("qwen3-8b", 8, adapted(rl("grpo")), fsdp()))("verl", "");
    assert_eq!(of(&fsdp, "load_format").as_deref(), Some("safetensors"));
    assert_eq!(of(&fsdp, "layered_summon").as_deref(), Some("True"));
    // Megatron sends them its own way, and without adapters all weights are sent.
    let other = flags_of(asked("qwen3-8b", 8, adapted(rl("grpo")), megatron(json!({}))))("verl", "");
    assert!(other.contains("model.lora.rank=32") && of(&other, "load_format").is_none());
    let full = flags_of(asked("qwen3-8b", 8, rl("grpo"), self::fsdp()))("verl", "");
    assert!(of(&full, "load_format").is_none() && of(&full, "layered_summon").is_none());
    for text in [fsdp, other, full] {
        assert_eq!(of(&text, "disable_log_stats").as_deref(), Some("False"));
    }
}

/// Megatron gathers updated weights in the next forward pass where that is overlapped; veRL's engine takes them before.
#[test]
fn overlap_is_what_each_framework_has() {
    let text = flags_of(asked("qwen3-8b", 8, rl("grpo"), megatron(json!({}))))("verl", "");
    assert!(text.contains("override_ddp_config.overlap_grad_reduce=True"));
    assert!(!text.contains("overlap_param_gather=True") && text.contains("overlap_param_gather stays off"));
    let own = |changes: Value| {
        let mut own = megatron(json!({"pipeline_parallel": 2}));
        for (key, value) in changes.as_object().unwrap() {
            own[key] = value.clone();
        }
        flags_of(asked("qwen3-8b", 8, rl("grpo"), own))("chatlearn", "")
    };
    const KEY: &str = "models.policy_trainer.megatron_model_cfg.overlap_p2p_comm";
    let plain = own(json!({}));
    assert_eq!(value(&plain, KEY), None);
    assert!(plain.contains("Warning: ChatLearn has no key for overlap_grad_reduce"));
    let chunks = own(json!({"virtual_pipeline": 2, "overlap": {"gradients": false}}));
    assert_eq!(value(&chunks, KEY), Some("True"));
    assert!(!chunks.contains("overlap_grad_reduce"));
}

#[test]
fn the_critic_has_a_budget_of_its_own() {
    let mut own = fsdp();
    own["critic"] = json!({"max_tokens_per_gpu": 20480});
    let text = flags_of(asked("qwen3-8b", 8, rl("ppo"), own))("verl", "");
    for (key, tokens) in [
        ("actor_rollout_ref.actor.ppo_max_token_len_per_gpu", "16384"),
        ("critic.ppo_max_token_len_per_gpu", "20480"),
        ("critic.forward_max_token_len_per_gpu", "40960"),
    ] {
        assert_eq!(value(&text, key), Some(tokens), "{key}");
    }
}

/// Qwen's cards stretch 32,768 positions four times; others have what they have.
#[test]
fn long_sequences_are_stretched_where_the_card_says_so() {
    const PATH: &str = "actor_rollout_ref.model.path";
    let long = |response: u64| {
        let mut workload = rl("grpo");
        workload["rl"]["max_response_length"] = json!(response);
        workload
    };
    let own = |tokens: u64| plan("fsdp", json!({"max_tokens_per_gpu": tokens, "ulysses_parallel": 4}));
    let text = |model: &str, response: u64, id: &str| flags_of(asked(model, 8, long(response), own(65536)))(id, "");
    let short = text("qwen3-8b", 39_000, "verl");
    assert_eq!(value(&short, PATH), Some("Qwen/Qwen3-8B"));
    let stretched = text("qwen3-8b", 60_000, "verl");
    assert_eq!(value(&stretched, PATH), Some("\"$HOME/models/Qwen3-8B-yarn\""));
    assert!(stretched.contains("rope_type yarn, factor 2.0"), "{stretched}");
    // The chat model has fewer positions than the base model's configuration says.
    let chat = text("qwen2.5-7b", 39_000, "verl");
    assert_eq!(value(&chat, PATH), Some("\"$HOME/models/Qwen2.5-7B-Instruct-yarn\""));
    let refused = |model: &str, response: u64, plan: Value, id: &str, version: &str| {
        let question = question_from_value(asked(model, 8, long(response), plan)).unwrap();
        let framework = emit::framework(id).unwrap();
        match flags(&question, framework, framework.version(version).unwrap(), "") {
            Ok(Err(no)) => no.message,
            other => panic!("{model}: {other:?}"),
        }
    };
    let no = refused("qwen3-8b", 140_000, own(65536), "verl", "");
    assert!(no.contains("131072 positions of the model, stretched by YaRN"), "{no}");
    let no = refused("llama-2-7b", 39_000, own(65536), "verl", "");
    assert!(no.contains("4096 positions of the model. Shorten"), "{no}");
    let wide = megatron(json!({"max_tokens_per_gpu": 65536}));
    let no = refused("qwen3-8b", 60_000, wide.clone(), "verl", "0.7.1");
    assert!(no.contains("gives Megatron no YaRN"), "{no}");
    let no = refused("qwen3-8b", 60_000, wide, "chatlearn", "");
    assert!(no.contains("40960 positions"), "{no}");
}

/// One line of a head says how sure it is that the plan fits, wherever that is less than asked.
#[test]
fn heads_say_how_sure_it_is_that_a_plan_fits() {
    for (name, id, mut found) in examples() {
        let framework = emit::framework(id).unwrap();
        let mut lines = |state: FitState, probability: f64| -> Vec<String> {
            let fit = &mut found.answer.fit;
            (fit.state, fit.probability, fit.confidence) = (state, probability, 0.95);
            (fit.needed_gib, fit.capacity_gib, fit.margin_gib) = (81.0, 79.5, -1.5);
            found.answer.fits = state.fits();
            let Ok(snippets) = texts(framework, &found, "") else {
                return Vec::new();
            };
            let text = snippets.iter().find(|snippet| snippet.text.starts_with('#'));
            let head = text.map_or("", |snippet| snippet.text.as_str());
            head.lines()
                .take_while(|line| line.starts_with('#'))
                .filter(|line| line.contains(" probability of "))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(lines(FitState::Fits, 0.97), Vec::<String>::new(), "{name}");
        let tight = "# Warning: tight. It fits with a probability of 94 %; 95 % are asked for.";
        assert_eq!(lines(FitState::Tight, 0.949), [tight], "{name}");
        let [unlikely] = &lines(FitState::Unlikely, 0.31)[..] else {
            panic!("{name}");
        };
        assert!(unlikely.contains("unlikely to fit, with a probability of 31 %. 81.0 GiB of 79.5 GiB are needed"));
        assert!(unlikely.ends_with("1.5 GiB too much."), "{unlikely}");
        let [no] = &lines(FitState::No, 0.001)[..] else {
            panic!("{name}");
        };
        assert!(no.contains("it does not fit, with a probability of < 1 %"), "{no}");
    }
}

/// What the estimate decides reaches the text, whatever the boolean says.
#[test]
fn heads_follow_the_decision_of_the_estimate() {
    let question = |confidence: f64| {
        let mut own = asked(
            "qwen3-8b",
            8,
            rl("grpo"),
            plan("fsdp", json!({"offload": {}, "rollout": {"tensor_parallel": 1, "gpu_memory_utilization": 0.85}})),
        );
        own["confidence"] = json!(confidence);
        own
    };
    let found = evaluate(&question_from_value(question(0.95)).unwrap()).unwrap();
    let text = flags_of(question(0.95))("verl", "");
    let said = code(&text).len() < text.len() && text.contains(" probability of ");
    assert_eq!(said, found.answer.fit.state != FitState::Fits, "{text}");
    assert!(said, "a plan that is sure to fit tries nothing");
}

/// What brings the nodes together is no setting, and a text of several nodes reads back as what it was written from.
#[test]
fn texts_of_several_nodes_are_read_back() {
    for (model, workload, plan) in [
        ("llama-3.1-8b", shared(), fsdp()),
        ("qwen3-8b", shared(), megatron(json!({}))),
        ("qwen3-8b", sft("sft"), tuned("megatron")),
    ] {
        let text = flags_of(asked(model, 32, workload, plan))("verl", "");
        let reading = read(&[&text], None).unwrap();
        assert_eq!(reading.question.hardware.gpus, Some(32), "{text}");
        assert_eq!(reading.question.model, model);
        assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    }
}
