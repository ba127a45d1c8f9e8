//! Emitted with its link and read: the whole question comes back, and a key holds against the link.
//!
//! One thing is left to be said honestly: a framework that cannot do what a plan has is told something else
//! (`told_otherwise`), and the text says so in a warning. There the key holds, as it does where a person changed it,
//! and what is compared is the plan that the text states.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use shardwise_core::emit::{self, Framework};
use shardwise_core::read::{Reading, read};
use shardwise_core::wire::{Question, question_from_value};
use shardwise_core::{flags, permalink};

use super::round_trip::{differing, plan, questions, read_back, rl, sft, texts_of};
use crate::fuzz::fuzz;

/// What a framework is told otherwise than the plan has it, so that its text states it so, link or not.
fn told_otherwise(framework: &str) -> &'static [&'static str] {
    match framework {
        // Without a budget of tokens it pads; vLLM over several GPUs runs eagerly; it computes the reference in any case.
        "chatlearn" => &["workload.packing", "plan.rollout.enforce_eager", "workload.rl.reference"],
        // A budget of tokens becomes sequences; gradients go where the optimizer is.
        "deepspeed" => &["plan.max_tokens_per_gpu", "plan.micro_batch", "plan.offload.gradients"],
        // Nothing is packed, and what is shorter is padded; gradients go where the optimizer is.
        "llmforge" => &["workload.packing", "plan.offload.gradients"],
        // Its data sets fill sequences: a budget of tokens is so many of these packs, and the batch is counted in them.
        "megatron-lm" => &["plan.max_tokens_per_gpu", "plan.micro_batch", "workload.global_batch"],
        // The same, and what is not varied is not packed; a precision brings the type of its gradients.
        "megatron-bridge" => &[
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "workload.global_batch",
            "workload.packing",
            "plan.gradient_bytes",
        ],
        // A kernel is named in any case, a budget of tokens becomes sequences, and what is not varied is padded.
        "llamafactory" | "ms-swift" => &HUGGING_FACE,
        // Without shards its weights are trained in 16 bits, and pre-training without a length has one of its own.
        "axolotl" => &[
            "plan.attention_kernel",
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "workload.packing",
            "plan.master_weights_bytes",
            "plan.gradient_bytes",
            "plan.optimizer_bytes",
            "plan.offload.gradients",
            "workload.run.steps",
        ],
        // No loss has all logits, weights are fp32, vLLM beside training decodes all responses together, and by its name gradients
        // stay whole until a step's last micro-batch.
        "trl" => &[
            "plan.sync_each_batch",
            "plan.attention_kernel",
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "workload.packing",
            "plan.fused_lm_head",
            "plan.master_weights_bytes",
            "plan.rollout.max_num_seqs",
            "plan.rollout.max_num_batched_tokens",
            "plan.offload.gradients",
            "workload.run.steps",
            "workload.tokens",
        ],
        "openrlhf" => &[
            "plan.attention_kernel",
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "plan.forward_max_tokens_per_gpu",
            "plan.forward_micro_batch",
            "plan.offload.gradients",
        ],
        // And 256 sequences would leave them to it.
        "unsloth" => &["workload.packing", "plan.fused_lm_head", "workload.run.steps", "plan.rollout.max_num_seqs"],
        "slime" => &[
            "plan.attention_kernel",
            "plan.forward_max_tokens_per_gpu",
            "plan.fused_lm_head",
            "plan.rollout.engine",
            "workload.run.steps",
        ],
        // Passes have budgets or padded sequences, all that it keeps has its own bytes, and the logits are there.
        "nemo-rl" => &[
            "plan.attention_kernel",
            "plan.forward_max_tokens_per_gpu",
            "plan.forward_micro_batch",
            "plan.fused_lm_head",
            "plan.master_weights_bytes",
            "plan.max_tokens_per_gpu",
            "plan.micro_batch",
            "workload.run.steps",
        ],
        // One budget is for all passes, and nothing overlaps with Megatron.
        "skyrl" => &[
            "plan.attention_kernel",
            "plan.forward_max_tokens_per_gpu",
            "plan.forward_micro_batch",
            "plan.gradient_bytes",
            "plan.master_weights_bytes",
            "plan.overlap.gradients",
            "plan.overlap.parameters",
            "workload.run.steps",
        ],
        _ => &[],
    }
}

/// What frameworks on Hugging Face's Trainer are told of every plan.
const HUGGING_FACE: [&str; 5] = [
    "plan.attention_kernel",
    "plan.max_tokens_per_gpu",
    "plan.micro_batch",
    "workload.packing",
    "plan.offload.gradients",
];

#[test]
fn with_its_link_a_text_is_read_as_the_whole_question() {
    let questions = questions();
    for framework in read_back() {
        let mut texts = 0;
        for asked in &questions {
            let Some(different) = differing(framework, asked, true) else {
                continue;
            };
            texts += 1;
            check_whole(framework, asked, different);
        }
        assert!(texts > 8, "{}: {texts} texts", framework.id);
    }
}

#[track_caller]
fn check_whole(framework: &Framework, asked: &Question, different: Vec<(String, String)>) {
    let wrong: Vec<_> = different
        .into_iter()
        .filter(|(key, _)| !told_otherwise(framework.id).contains(&key.as_str()))
        .collect();
    assert!(wrong.is_empty(), "{}: {wrong:?} in {}", framework.id, serde_json::to_string(asked).unwrap());
}

/// The value of each field that a stated key tells, and that is no guess.
fn told(reading: &Reading) -> BTreeMap<String, Value> {
    let question = serde_json::to_value(&reading.question).unwrap();
    let assumed: BTreeSet<&str> = reading.assumed.iter().map(|one| one.field.as_str()).collect();
    let fields = reading.understood.iter().flat_map(|one| one.field.split(' '));
    fields
        .filter(|field| !assumed.contains(field))
        .filter_map(|field| {
            let value = question.pointer(&format!("/{}", field.replace('.', "/")))?;
            Some((field.to_owned(), value.clone()))
        })
        .collect()
}

/// What was found of the parts that a key told: of an agent's, the link of another agent gives those that no key has a word for.
fn of_those(found: &Value, told: &Value) -> Value {
    match (found, told) {
        (Value::Object(found), Value::Object(told)) => {
            let parts = found.iter().filter(|(part, _)| told.contains_key(*part));
            Value::Object(parts.map(|(part, value)| (part.clone(), value.clone())).collect())
        }
        _ => found.clone(),
    }
}

#[test]
fn the_link_of_another_question_changes_nothing_that_a_key_tells() {
    let questions = questions();
    for framework in read_back() {
        let mut texts = 0;
        for (at, asked) in questions.iter().enumerate() {
            let Some(plain) = texts_of(framework, asked, false) else {
                continue;
            };
            texts += 1;
            let plain = plain.join("\n");
            let other = &questions[(at * 7 + 3) % questions.len()];
            let link = format!("# http://x/#{}\n", permalink::to_hash(other));
            let alone = read(&[&plain], None).unwrap();
            // The other's machine and lengths answer what no key does; they make no key's field another.
            let linked = read(&[&format!("{link}{plain}")], None).unwrap();
            let (alone, linked) = (told(&alone), told(&linked));
            for (field, value) in &alone {
                // A text that states no plan of a role leaves it to the link.
                if let Some(found) = linked.get(field) {
                    assert_eq!(of_those(found, value), *value, "{}: {field} in {plain}\n{link}", framework.id);
                }
            }
            assert!(linked.len() + 4 > alone.len(), "{alone:?} {linked:?}");
        }
        assert!(texts > 8, "{}: {texts} texts", framework.id);
    }
}

#[test]
fn a_key_that_was_changed_holds_and_the_callers_machine_too() {
    let asked = question_from_value(
        json!({"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h20-141g", "gpus": 8, "usd_per_gpu_hour": 3.5},
        "workload": rl(json!({})), "plan": plan("fsdp", json!({}))}),
    )
    .unwrap();
    let framework = emit::framework("verl").unwrap();
    let texts = texts_of(framework, &asked, true).unwrap();
    let changed = texts[0].replace("data.max_response_length=3072", "data.max_response_length=2048");
    assert_ne!(changed, texts[0]);
    let reading = read(&[&changed], None).unwrap();
    let rl = reading.question.workload.rl.as_ref().unwrap();
    assert_eq!(rl.max_response_length, Some(2048));
    assert_eq!(rl.mean_response_length, Some(1246.0));
    assert_eq!(reading.question.hardware.gpu, "h20-141g");
    assert_eq!(reading.question.hardware.usd_per_gpu_hour, Some(3.5));
    let says = |field: &str| reading.assumed.iter().find(|one| one.field == field).map(|one| one.why.clone());
    for field in ["hardware.gpu", "workload.rl.mean_response_length"] {
        assert!(
            says(field).is_some_and(|why| why.contains("link at the head of the text")),
            "{field}: {:?}",
            reading.assumed
        );
    }
    // Weights that were sharded over all GPUs still are where there are more.
    let mut whole = asked.clone();
    whole.plan.as_mut().unwrap().shard_group = Some(8);
    let texts = texts_of(framework, &whole, true).unwrap();
    let larger = texts[0].replace("trainer.nnodes=1", "trainer.nnodes=2");
    assert_ne!(larger, texts[0]);
    let plan = read(&[&larger], None).unwrap().question.plan.unwrap();
    assert_ne!(plan.shard_group, Some(8));
    let base = question_from_value(
        json!({"version": 1, "model": null, "hardware": {"gpu": "b200-sxm"}, "workload": {"kind": "sft"}}),
    )
    .unwrap();
    let reading = read(&[&changed], Some(&base)).unwrap();
    assert_eq!(reading.question.hardware.gpu, "b200-sxm");
    assert_eq!(reading.question.hardware.usd_per_gpu_hour, Some(3.5));
}

/// Plans that a person might state, for each backend; many cannot run, and have no text.
fn stated() -> impl Strategy<Value = Question> {
    let size = || prop::sample::select(vec![1u32, 1, 2, 4, 8]);
    let models = vec!["qwen3-8b", "qwen3-30b-a3b", "llama-2-7b", "qwen2.5-7b"];
    let parallel = (size(), size(), size(), size(), size());
    let memory = (
        prop::sample::select(vec!["none", "selective", "full"]),
        any::<[bool; 4]>(),
        0u8..4,
        prop::option::of(prop::sample::select(vec![1u64, 2, 4])),
        1u64..33,
    );
    let engine = (size(), 30u32..95, 1u64..2000, any::<[bool; 3]>());
    let kinds = vec![
        "grpo",
        "gspo",
        "dapo",
        "ppo",
        "sft",
        "lora",
        "pretrain",
        "dr_grpo",
        "cispo",
        "gmpo",
        "rloo",
        "reinforce_plus_plus",
        "remax",
    ];
    let work = (
        prop::sample::select(kinds),
        prop::sample::select(vec![16u64, 64, 128]),
        prop::sample::select(vec![1u64, 2, 4, 8, 16]),
        256u64..3000,
        any::<[bool; 3]>(),
    );
    (
        prop::sample::select(models),
        prop::sample::select(vec!["fsdp", "megatron", "deepspeed"]),
        prop::sample::select(vec![8u32, 8, 16, 32]),
        parallel,
        memory,
        engine,
        work,
    )
        .prop_map(|(model, backend, gpus, parallel, memory, engine, work)| {
            let (kind, prompts, responses, length, on) = work;
            let reinforcement = !["sft", "lora", "pretrain"].contains(&kind);
            let (recompute, off, zero, micro, thousands) = memory;
            let mut plan = json!({"backend": backend, "micro_batch": micro, "recompute": recompute,
                "offload": {"parameters": off[0], "gradients": off[0], "optimizer": off[1]}, "fused_lm_head": off[2]});
            if micro.is_none() {
                plan["max_tokens_per_gpu"] = json!(thousands * 1024);
            }
            let (a, b, c, d, e) = parallel;
            if backend == "megatron" {
                for (name, size) in [("tensor_parallel", a), ("pipeline_parallel", b), ("context_parallel", c), ("expert_parallel", d)] {
                    plan[name] = json!(size);
                }
            } else {
                for name in ["tensor_parallel", "pipeline_parallel", "context_parallel"] {
                    plan[name] = json!(1);
                }
                plan["ulysses_parallel"] = json!(e);
                plan["zero_stage"] = json!(if backend == "fsdp" { zero.clamp(2, 3) } else { zero });
            }
            let workload = if reinforcement {
                plan["rollout"] = json!({"tensor_parallel": engine.0, "gpu_memory_utilization": f64::from(engine.1) / 100.0,
                    "max_num_seqs": engine.2, "enforce_eager": engine.3[0], "free_cache": engine.3[1],
                    "engine": if engine.3[2] { "vllm" } else { "sglang" }});
                rl(json!({"kind": kind, "prompts_per_step": prompts, "mini_batch": prompts / if on[0] { 2 } else { 1 },
                    "responses_per_prompt": responses, "max_response_length": length + 1000, "reference": on[1], "old_log_prob": on[2]}))
            } else {
                sft(json!({"kind": kind, "global_batch": prompts, "sequence_length": length, "mean_sequence_length": length / 2}))
            };
            question_from_value(json!({"version": 1, "model": model, "hardware": {"gpu": "h100-sxm", "gpus": gpus, "usd_per_gpu_hour": 2.25},
                "workload": workload, "plan": plan}))
            .unwrap()
        })
}

/// Whatever is emitted, of plans that nobody chose with care.
#[test]
fn random_plans_come_back_with_their_link() {
    let texts = Cell::new(0);
    let cases = fuzz("random plans", 100, 10, &stated(), |asked| {
        for framework in read_back() {
            // What is no question at all, or has no plan, is refused before.
            if flags(&asked, framework, framework.versions[0], "").is_ok()
                && let Some(different) = differing(framework, &asked, true)
            {
                texts.set(texts.get() + 1);
                check_whole(framework, &asked, different);
            }
        }
    });
    assert!(texts.get() > cases / 10, "{} texts", texts.get());
}
