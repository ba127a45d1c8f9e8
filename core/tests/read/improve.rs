//! The changes that help most: they keep their word, and the changed text says what is claimed.

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::read::{Improved, improve, read};
use shardwise_core::wire::{Answer, FitState, question_from_value};
use shardwise_core::{Question, emit, evaluate, flags, sensitivity};

/// What every improvement holds, for the texts that were read and those that it makes.
fn keeps_its_word(texts: &[&str], base: Option<&Question>) -> Option<Improved> {
    let reading = read(texts, base).unwrap();
    let improved = improve(texts, base, &reading)?;
    let before = evaluate(&reading.question).unwrap();
    let after = evaluate(&improved.question).unwrap();
    assert!((1..=3).contains(&improved.changes.len()));
    assert_eq!(after.answer.fits, improved.answer.fits);
    assert_eq!(after.answer.tokens_per_s_per_gpu, improved.answer.tokens_per_s_per_gpu);
    // What is trained stays.
    assert_eq!(
        serde_json::to_value(&improved.question.workload).unwrap(),
        serde_json::to_value(&reading.question.workload).unwrap()
    );
    let last = improved.changes.last().unwrap();
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    assert!(close(last.tokens_per_s_per_gpu, after.answer.tokens_per_s_per_gpu), "{last:?}");
    // One figure of memory for one plan.
    assert_eq!(last.needed_gib, after.answer.fit.needed_gib);
    let sure = |answer: &Answer| answer.fit.state == FitState::Fits;
    // What is proposed keeps its margin: what only comes nearer is no improvement.
    assert!(last.fits && sure(&after.answer), "{last:?}");
    let (slow, fast) = (&before.answer, &after.answer);
    let missing = |question: &Question| sensitivity(question).unwrap().now.missing_gib;
    let smaller = missing(&improved.question) < missing(&reading.question);
    assert!(fast.tokens_per_s_per_gpu > slow.tokens_per_s_per_gpu || smaller, "{:?}", improved.changes);
    assert_eq!(patched(texts, &improved.diff), improved.texts);
    if improved.elsewhere.is_empty() {
        let texts: Vec<&str> = improved.texts.iter().map(String::as_str).collect();
        let again = evaluate(&read(&texts, base).unwrap().question).unwrap();
        assert_eq!(again.plan, after.plan, "{}", improved.diff);
    }
    Some(improved)
}

/// The texts with the diff applied, as `patch` does.
fn patched(texts: &[&str], diff: &str) -> Vec<String> {
    let mut texts: Vec<Vec<String>> = texts.iter().map(|text| text.lines().map(str::to_owned).collect()).collect();
    let (mut file, mut at, mut shift) = (0, 0, 0i64);
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("--- pasted/") {
            file = name.split('.').next().unwrap().parse::<usize>().unwrap() - 1;
            shift = 0;
        } else if let Some(head) = line.strip_prefix("@@ -") {
            let numbers = head.split(' ').next().unwrap();
            let (line, count) = numbers.split_once(',').unwrap();
            let empty = i64::from(count == "0");
            at = usize::try_from(line.parse::<i64>().unwrap() - 1 + empty + shift).unwrap();
        } else if !line.starts_with("+++") {
            let (mark, rest) = line.split_at(1);
            match mark {
                " " => {
                    assert_eq!(texts[file][at], rest);
                    at += 1;
                }
                "-" => {
                    assert_eq!(texts[file].remove(at), rest);
                    shift -= 1;
                }
                _ => {
                    texts[file].insert(at, rest.to_owned());
                    at += 1;
                    shift += 1;
                }
            }
        }
    }
    texts.iter().map(|lines| lines.join("\n") + "\n").collect()
}

fn base(gpu: &str) -> Question {
    question_from_value(json!({"version": 1, "model": null, "hardware": {"gpu": gpu}, "workload": {"kind": "sft"}}))
        .unwrap()
}

#[test]
fn a_script_that_runs_out_of_memory_is_mended() {
    let text = "\
set -x
micro=64
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
    data.train_batch_size=256 data.max_prompt_length=1024 data.max_response_length=8192 \\
    actor_rollout_ref.model.path=Qwen/Qwen3-14B \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=$micro \\
    actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=4 \\
    trainer.n_gpus_per_node=8 trainer.nnodes=1
";
    let base = base("h100-sxm");
    let before = evaluate(&read(&[text], Some(&base)).unwrap().question).unwrap();
    assert!(!before.answer.fits);
    let improved = keeps_its_word(&[text], Some(&base)).unwrap();
    assert!(improved.answer.fits, "{:?}", improved.changes);
    assert!(improved.elsewhere.is_empty());
    let told: Vec<&str> = improved
        .changes
        .iter()
        .flat_map(|one| &one.settings)
        .map(String::as_str)
        .collect();
    for setting in told.iter().filter(|setting| setting.contains('=')) {
        let plain = setting.replace(['\'', '"'], "");
        assert!(
            improved.diff.replace(['\'', '"'], "").contains(plain.trim_start_matches('+')),
            "{setting}\n{}",
            improved.diff
        );
    }
}

/// With half the budget passes forward take what they usually do, which a text that is read does not state.
#[test]
fn a_budget_that_is_halved_meets_the_one_of_passes_forward() {
    let text = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=512 \\
        data.max_prompt_length=1024 data.max_response_length=8192 actor_rollout_ref.model.path=Qwen/Qwen3-32B \\
        actor_rollout_ref.actor.strategy=fsdp2 actor_rollout_ref.actor.use_dynamic_bsz=True \\
        actor_rollout_ref.actor.ppo_max_token_len_per_gpu=32768 \\
        actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu=32768 \\
        actor_rollout_ref.model.enable_gradient_checkpointing=False actor_rollout_ref.rollout.name=vllm \\
        actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.tensor_model_parallel_size=4 \\
        actor_rollout_ref.rollout.gpu_memory_utilization=0.6 trainer.n_gpus_per_node=8 trainer.nnodes=4\n";
    let improved = keeps_its_word(&[text], None).unwrap();
    let own = |field: &str| improved.changes.iter().find(|own| own.field == field).map(|own| own.to.clone());
    assert_eq!(own("plan.recompute").as_deref(), Some("full"));
    assert_eq!(own("plan.max_tokens_per_gpu").as_deref(), Some("16,384 tokens"));
}

#[test]
fn a_configuration_of_deepspeed_loses_its_offload() {
    let config = r#"{
  "train_micro_batch_size_per_gpu": 1,
  "gradient_accumulation_steps": 16,
  "bf16": {"enabled": true},
  "zero_optimization": {
    "stage": 3,
    "offload_optimizer": {"device": "cpu", "pin_memory": true},
    "offload_param": {"device": "cpu"}
  }
}
"#;
    let launch = "deepspeed --num_gpus 8 train.py --deepspeed ds_config.json --model_name_or_path meta-llama/Llama-2-7b-hf --max_length 4096 --gradient_checkpointing True\n";
    let texts = [config, launch];
    let improved = keeps_its_word(&texts, Some(&base("a100-sxm-80g"))).unwrap();
    assert!(
        improved
            .changes
            .iter()
            .any(|one| one.field == "plan.offload" && one.to == "none"),
        "{:?}",
        improved.changes
    );
    let changed: Value = serde_json::from_str(&improved.texts[0]).unwrap();
    assert!(changed["zero_optimization"].get("offload_optimizer").is_none(), "{}", improved.texts[0]);
    assert!(improved.diff.starts_with("--- pasted/1.json\n"), "{}", improved.diff);
}

#[test]
fn a_key_of_two_files_is_changed_in_both() {
    let file = "model_name_or_path: Qwen/Qwen2.5-7B\nstage: sft\nfinetuning_type: full\ndeepspeed: ds_config.json\ncutoff_len: 4096\n\
        per_device_train_batch_size: 16\ngradient_accumulation_steps: 2\nbf16: true\n";
    let config = r#"{
  "train_micro_batch_size_per_gpu": "auto",
  "gradient_accumulation_steps": 2,
  "bf16": {"enabled": true},
  "zero_optimization": {"stage": 2}
}
"#;
    let improved = keeps_its_word(&[file, config], Some(&base("l40s"))).unwrap();
    let [file, config] = improved.texts.as_slice() else { panic!("{:?}", improved.texts) };
    let steps = file.lines().find_map(|line| line.strip_prefix("gradient_accumulation_steps: "));
    let config: Value = serde_json::from_str(config).unwrap();
    assert_ne!(steps, Some("2"), "{file}");
    assert_eq!(steps, Some(config["gradient_accumulation_steps"].to_string().as_str()), "{config}");
    // What the trainer fills in stays its own.
    assert_eq!(config["train_micro_batch_size_per_gpu"], "auto");
}

/// DeepSpeed's file is elsewhere, and its words are none of the trainer's, which refuses a key that it does not know.
#[test]
fn a_trainers_file_gets_no_key_of_deepspeeds() {
    let file = "model_name_or_path: Qwen/Qwen2.5-7B-Instruct\nstage: sft\ndo_train: true\nfinetuning_type: lora\nlora_rank: 16\n\
        cutoff_len: 4096\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 8\nbf16: true\n\
        deepspeed: examples/deepspeed/ds_z3_config.json\n";
    let improved = keeps_its_word(&[file], Some(&base("h100-sxm"))).unwrap();
    assert!(!improved.texts[0].contains("train_micro_batch_size_per_gpu"), "{}", improved.diff);
    for change in &improved.changes {
        let mut told = change.settings.clone();
        assert!(told.iter().all(|own| !own.contains("train_micro_batch_size_per_gpu")), "{told:?}");
        told.sort();
        assert!(told.windows(2).all(|pair| pair[0] != pair[1]), "{told:?}");
    }
}

#[test]
fn an_engine_with_keys_of_its_own_gets_no_keys_of_another() {
    let text = |engine: &str, prefix: &str| {
        format!(
            "python3 -m verl.trainer.main_ppo model_engine={engine} algorithm.adv_estimator=grpo data.train_batch_size=64 \\
    data.max_response_length=8192 actor_rollout_ref.model.path=Qwen/Qwen3-8B \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=16 \\
    actor_rollout_ref.actor.{prefix}.param_offload=True actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8\n"
        )
    };
    let improved = |text: &str| improve(&[text], None, &read(&[text], None).unwrap());
    assert!(improved(&text("dp", "fsdp_config")).is_some());
    assert!(improved(&text("veomni", "veomni")).is_none());
}

#[test]
fn a_change_comes_with_its_settings() {
    // No key of DeepSpeed's fuses the head.
    let text = "deepspeed --num_gpus=4 train.py --deepspeed ds.json --model_name_or_path meta-llama/Llama-3.1-8B \\
    --per_device_train_batch_size 4 --gradient_accumulation_steps 8 --bf16 --max_seq_length 4096\n";
    let base = base("h100-sxm");
    let improved = keeps_its_word(&[text], Some(&base)).unwrap();
    for change in &improved.changes {
        assert!(!change.settings.is_empty(), "{change:?}");
    }
}

/// Beside a changed value no comment of ours says what it was, or why.
#[test]
fn what_is_added_stands_where_a_variable_has_the_command() {
    let text = "read -r -d '' training_commands <<EOF\nopenrlhf.cli.train_sft \\\n   --data.max_len 2048 \\\n   --train.batch_size 256 \\\n   --train.micro_batch_size 2 \\\n   --model.model_name_or_path meta-llama/Meta-Llama-3-8B \\\n   --ds.zero_stage 2 \\\n   --ds.param_dtype bf16 \\\n   --ds.attn_implementation flash_attention_2 \\\n   --ds.packing_samples \\\n   --model.gradient_checkpointing_enable\nEOF\n    # --ds.packing_samples\n\nif [[ ${1} != \"slurm\" ]]; then\n    deepspeed --module $training_commands\nfi\n";
    let mut base = base("h100-sxm");
    base.hardware.gpus = Some(8);
    let improved = keeps_its_word(&[text], Some(&base)).unwrap();
    assert!(improved.elsewhere.is_empty(), "{:?}", improved.elsewhere);
    assert!(
        improved
            .changes
            .iter()
            .any(|one| one.settings.iter().any(|own| !text.contains(own.split(' ').next().unwrap()))),
        "{:?}",
        improved.changes
    );
}

#[test]
fn our_own_comments_say_what_is_so_now() {
    let question = question_from_value(json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "grpo", "rl": {"prompts_per_step": 128, "responses_per_prompt": 8, "mini_batch": 64,
            "max_prompt_length": 1024, "max_response_length": 3072, "mean_prompt_length": 200, "mean_response_length": 1200}},
        "plan": {"backend": "fsdp", "tensor_parallel": 1, "micro_batch": 1, "recompute": "full",
            "offload": {"parameters": true, "gradients": true, "optimizer": true}}}))
    .unwrap();
    let verl = emit::framework("verl").unwrap();
    let link = format!("https://example.org/#{}", shardwise_core::permalink::to_hash(&question));
    let printed = |question: &Question| {
        let texts = flags(question, verl, verl.versions[0], &link).unwrap().unwrap();
        texts.into_iter().next().unwrap().text
    };
    // A comment of somebody's own stays, whatever it says.
    let own = "actor_rollout_ref.actor.optim.lr=1e-6  # we tried 1e-5";
    let was = printed(&question).replace("actor_rollout_ref.actor.optim.lr=1e-6  # a start; yours to tune", own);
    assert!(was.contains(own));
    let improved = keeps_its_word(&[&was], Some(&base("h100-sxm"))).unwrap();
    let now = printed(&improved.question);
    let comments: std::collections::BTreeMap<&str, &str> =
        now.lines().filter_map(|line| line.split_once("  # ")).collect();
    let lines: Vec<&str> = improved.texts[0].lines().collect();
    assert!(lines.iter().any(|line| line.trim() == own), "{}", improved.diff);
    let changed = lines.iter().filter(|line| !was.lines().any(|old| old == **line));
    let said: Vec<(&str, &str)> = changed.filter_map(|line| line.split_once("  # ")).collect();
    assert!(said.len() > 1, "{}", improved.diff);
    for (setting, comment) in said {
        assert_eq!(comments.get(setting), Some(&comment), "{setting}\n{}", improved.diff);
    }
    // Nor does the head say how quick it was.
    let speed = |text: &str| text.lines().find(|line| line.contains("tokens/s per GPU")).map(str::to_owned);
    assert_eq!(speed(&improved.texts[0]), speed(&now));
    assert_ne!(speed(&was), speed(&now));
}

#[test]
fn nothing_is_changed_for_nothing() {
    for model in ["qwen3-8b", "qwen3-30b-a3b"] {
        let question =
            question_from_value(json!({"version": 1, "model": model, "hardware": {"gpu": "h100-sxm", "gpus": 8},
            "workload": {"kind": "grpo", "rl": {"prompts_per_step": 256, "responses_per_prompt": 8, "mini_batch": 64,
                "max_prompt_length": 1024, "max_response_length": 3072}}}))
            .unwrap();
        let verl = emit::framework("verl").unwrap();
        let text = flags(&question, verl, verl.versions[0], "").unwrap().unwrap().remove(0).text;
        // The search's own plan: what is left to gain is little.
        if let Some(improved) = keeps_its_word(&[&text], Some(&base("h100-sxm"))) {
            let gain: f64 = improved.changes.iter().map(|one| one.speedup).product();
            assert!(gain < 1.25, "{model}: {:?}", improved.changes);
        }
    }
}

fn asked() -> impl Strategy<Value = (&'static str, Question)> {
    let size = prop::sample::select(vec![1u64, 2, 4, 8]);
    let micro = prop::sample::select(vec![1u64, 2, 4, 16, 64]);
    let word = prop::sample::select(vec!["none", "selective", "full"]);
    let framework =
        prop::sample::select(vec!["verl", "verl-fsdp", "chatlearn", "deepspeed", "torchtitan", "megatron-bridge"]);
    let model = prop::sample::select(vec!["qwen3-8b", "qwen3-30b-a3b", "qwen2.5-72b", "llama-3.1-8b"]);
    (framework, model, size.clone(), size.clone(), size, micro, word, any::<(bool, bool, bool)>(), 4u64..19).prop_map(
        |(framework, model, tensor, pipeline, engine, micro, recompute, (offload, tokens, zero), share)| {
            let (id, backend) = match framework {
                "verl-fsdp" => ("verl", "fsdp"),
                "deepspeed" => (framework, "deepspeed"),
                "torchtitan" => (framework, "fsdp"),
                _ => (framework, "megatron"),
            };
            let split = backend == "megatron";
            let mut plan = json!({"backend": backend, "tensor_parallel": if split { tensor } else { 1 },
                "pipeline_parallel": if split { pipeline } else { 1 }, "context_parallel": 1,
                "ulysses_parallel": if backend == "fsdp" { tensor } else { 1 }, "recompute": recompute,
                "offload": {"parameters": offload && (split || backend == "fsdp" || zero), "gradients": offload, "optimizer": offload}});
            let tunes = matches!(id, "deepspeed" | "torchtitan" | "megatron-bridge");
            if tokens && !tunes {
                plan["max_tokens_per_gpu"] = json!(4096 * micro);
            } else {
                plan["micro_batch"] = json!(micro);
            }
            let workload = if tunes {
                if id != "megatron-bridge" {
                    plan["zero_stage"] = json!(if zero { 3 } else { 2 });
                }
                if id == "torchtitan" {
                    plan["tensor_parallel"] = json!(tensor);
                    plan["ulysses_parallel"] = json!(1);
                }
                let kind = if id == "torchtitan" || id == "megatron-bridge" && zero { "pretrain" } else { "sft" };
                json!({"kind": kind, "sequence_length": 4096, "global_batch": 1024})
            } else {
                plan["rollout"] = json!({"tensor_parallel": engine, "gpu_memory_utilization": share as f64 / 20.0});
                json!({"kind": "grpo", "packing": tokens, "rl": {"prompts_per_step": 128, "responses_per_prompt": 8, "mini_batch": 64,
                    "max_prompt_length": 1024, "max_response_length": 3072}})
            };
            let question = json!({"version": 1, "model": model, "hardware": {"gpu": "h100-sxm", "gpus": 16}, "workload": workload, "plan": plan});
            (id, question_from_value(question).unwrap())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever plan a text asks for.
    #[test]
    fn improvements_keep_their_word((framework, question) in asked()) {
        let framework = emit::framework(framework).unwrap();
        if let Ok(Ok(snippets)) = flags(&question, framework, framework.versions[0], "") {
            let texts: Vec<&str> = snippets.iter().map(|snippet| snippet.text.as_str()).collect();
            if let Some(improved) = keeps_its_word(&texts, Some(&base("h100-sxm"))) {
                prop_assert!(!improved.diff.is_empty(), "{:?}\n{}", improved.changes, texts.join("\n"));
            }
        }
    }
}

#[test]
fn a_change_states_what_the_framework_does_not_start_without() {
    let text = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 \\
    data.max_prompt_length=1024 data.max_response_length=3072 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct \\
    actor_rollout_ref.actor.ppo_mini_batch_size=128 actor_rollout_ref.actor.use_kl_loss=True \\
    actor_rollout_ref.rollout.n=8 trainer.n_gpus_per_node=8 trainer.nnodes=1";
    for text in [format!("{text}\n"), format!("{text} trainer.use_v1=True\n")] {
        assert!(!read(&[&text], None).unwrap().refused.is_empty());
        let improved = keeps_its_word(&[&text], None).unwrap();
        assert!(improved.elsewhere.is_empty(), "{:?}", improved.elsewhere);
        let again = read(&[&improved.texts[0]], None).unwrap();
        // Of the release that it is for: that of before 0.6.0 has an engine by itself.
        let engines = |key: &str| again.release.is_some() && key == "actor_rollout_ref.rollout.name";
        let left: Vec<&str> = again
            .refused
            .iter()
            .map(|one| one.key.as_str())
            .filter(|key| !engines(key))
            .collect();
        assert!(left.is_empty(), "{left:?}: {}", improved.diff);
    }
}
