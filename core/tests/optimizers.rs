//! Optimizers by name: what they keep against what is published, what they cost, and that nobody is given one unasked.

use serde_json::{Value, json};
use shardwise_core::model::{ParameterCounts, adapter_matrices, block_matrices, model_of_entry};
use shardwise_core::optimizer::{moment_bytes, newton_schulz_flops, paged_share};
use shardwise_core::search::search;
use shardwise_core::wire::{Answer, Backend, FitState, LoraTargets, Optimizer, question_from_value};
use shardwise_core::{catalog, estimate, job};

const GIB: f64 = 1_073_741_824.0;

/// A question of one GPU about full fine-tuning, with a plan's fields.
fn asked(model: &str, gpu: &str, plan: Value) -> Value {
    let mut all = json!({"backend": "ddp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1,
        "micro_batch": 1, "recompute": "full"});
    for (key, value) in plan.as_object().unwrap() {
        all[key] = value.clone();
    }
    json!({"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": 1},
        "workload": {"kind": "sft", "sequence_length": 1024, "global_batch": 1}, "plan": all})
}

fn answer(question: Value) -> Answer {
    estimate(&question_from_value(question).unwrap()).unwrap()
}

/// Bytes of moments per weight of a model's full fine-tuning.
fn moments(model: &str, backend: Backend, optimizer: Optimizer) -> f64 {
    let question = question_from_value(asked(model, "h200-sxm", json!({}))).unwrap();
    moment_bytes(&job::resolve(&question).unwrap(), backend, optimizer).unwrap()
}

fn within(value: f64, from: f64, to: f64) {
    assert!((from..=to).contains(&value), "{value} is not within {from} to {to}");
}

#[test]
fn moments_are_what_is_published() {
    // https://huggingface.co/docs/transformers/model_memory_anatomy, read on 2026-11-26: 8 bytes of AdamW, 2 of 8-bit AdamW.
    // torchao's, where no embedding is spared: two bytes and two scales of four for each 256 weights.
    let eight = moments("llama-3.1-8b", Backend::Fsdp, Optimizer::Adamw8bit);
    within(eight, 2.031, 2.032);
    // Hugging Face's Trainer keeps the embedding's in fp32: 525 M of 8.03 B weights at 8 bytes.
    let spared = moments("llama-3.1-8b", Backend::Ddp, Optimizer::Adamw8bit);
    within(spared - eight, 525.3 / 8030.3 * 5.96, 525.3 / 8030.3 * 5.98);
    // Adafactor (arXiv:1804.04235, abstract): sublinear; a 4,096 x 14,336 matrix has 18,432 figures for 58.7 M weights.
    within(moments("llama-3.1-8b", Backend::Ddp, Optimizer::Adafactor), 0.0005, 0.003);
    // Flat tensors have no rows.
    assert_eq!(moments("llama-3.1-8b", Backend::Deepspeed, Optimizer::Adafactor), 4.0);
    assert_eq!(moments("llama-3.1-8b", Backend::Ddp, Optimizer::Lion), 4.0);
    within(moments("llama-3.1-8b", Backend::Fsdp, Optimizer::Lion8bit), 1.015, 1.016);
    assert_eq!(moments("llama-3.1-8b", Backend::Ddp, Optimizer::Sgd), 0.0);
    // Muon is Scalable for LLM Training (arXiv:2502.16982, section 2.3): half of AdamW's where matrices are all there is. Of
    // Llama 3.1 8B 1.05 B weights are embedding and head, which keep two moments.
    within(moments("llama-3.1-8b", Backend::Megatron, Optimizer::Muon), 4.52, 4.53);
}

#[test]
fn adapters_have_small_tensors() {
    let mut question = asked("llama-3.1-8b", "rtx-4090", json!({"optimizer": "paged_adamw_8bit"}));
    question["workload"]["kind"] = json!("qlora");
    question["workload"]["lora"] = json!({"rank": 16});
    let job = job::resolve(&question_from_value(question).unwrap()).unwrap();
    // 16 x 4,096 weights stay on the card (bitsandbytes, `get_state_buffer`: from 100,000 on), 16 x 14,336 do not.
    within(paged_share(&job), 0.35, 0.6);
    within(moment_bytes(&job, Backend::Ddp, Optimizer::Adamw8bit).unwrap(), 2.031, 2.032);
    // Rows and columns of a matrix 16 wide are a sixteenth of it.
    within(moment_bytes(&job, Backend::Ddp, Optimizer::Adafactor).unwrap(), 0.24, 0.26);
}

#[test]
fn matrices_add_up_to_the_counts() {
    for entry in catalog::models() {
        let model = model_of_entry(entry);
        let (shape, counts) = (&model.shape, ParameterCounts::of(&model.shape));
        let inner: u64 = block_matrices(shape).iter().map(|own| own.weights()).sum();
        let per_layer = shape.num_hidden_layers * counts.block_norms
            + counts.attention_layers * counts.attention_vectors
            + counts.dense_layers * counts.dense_mlp_bias;
        let outside = counts.embedding + counts.lm_head + counts.final_norm + counts.vision + per_layer;
        let rest = counts.total - outside - inner;
        // Convolutions, decays and biases of experts and routers are no matrices.
        let vectors =
            shape.linear.num_value_heads > 0 || shape.mamba.num_heads > 0 || shape.router_bias || shape.expert_bias;
        assert!(if vectors { (rest as f64) < 0.01 * inner as f64 } else { rest == 0 }, "{}: {rest}", entry.id);
        for targets in [LoraTargets::Attention, LoraTargets::AllLinear] {
            let thin: u64 = adapter_matrices(shape, 8, targets).iter().map(|own| own.weights()).sum();
            assert_eq!(thin, ParameterCounts::lora(shape, 8, targets), "{}", entry.id);
        }
    }
}

#[test]
fn narrower_moments_never_need_more() {
    for backend in ["ddp", "fsdp", "deepspeed"] {
        for (model, gpus) in [("qwen3-0.6b", 1), ("llama-3.1-8b", 8), ("qwen3-30b-a3b", 16)] {
            let of = |optimizer: &str| {
                let mut question = asked(model, "h200-sxm", json!({"backend": backend, "optimizer": optimizer}));
                question["hardware"]["gpus"] = json!(gpus);
                question["workload"]["global_batch"] = json!(gpus);
                answer(question).memory.peak_gib
            };
            let order = ["adamw", "adamw_8bit", "lion_8bit", "sgd"].map(of);
            assert!(order.is_sorted_by(|a, b| a >= b), "{backend} {model}: {order:?}");
            assert!(of("lion") <= of("adamw") && of("muon") <= of("adamw") && of("adafactor") <= of("lion"));
        }
    }
}

#[test]
fn stated_bytes_hold_against_a_name() {
    let plan = answer(asked("qwen3-0.6b", "h100-sxm", json!({"optimizer": "lion", "optimizer_bytes": 2}))).plan;
    assert_eq!((plan.optimizer, plan.optimizer_bytes), (Some(Optimizer::Lion), Some(2.0)));
    let plan = answer(asked("qwen3-0.6b", "h100-sxm", json!({}))).plan;
    assert_eq!((plan.optimizer, plan.optimizer_bytes), (None, Some(8.0)));
}

#[test]
fn pages_leave_a_full_card_and_take_time() {
    // 8 B weights with gradients, both in fp32, leave no room for 64 GB of moments on 80 GB.
    let of = |model: &str, optimizer: &str| answer(asked(model, "a100-sxm-80g", json!({"optimizer": optimizer})));
    let (whole, paged) = (of("llama-3.1-8b", "adamw"), of("llama-3.1-8b", "paged_adamw"));
    let parts = |answer: &Answer| answer.memory.phases[0].parts;
    assert!(whole.fit.probability < 0.05 && paged.fit.probability > 0.5);
    let held = parts(&paged).optimizer;
    let left = paged.fit.host.unwrap().parts.optimizer;
    let all = 8.0 * 8.03e9 / GIB;
    assert!(left > 1.0 && (held + left - all).abs() < 0.01 * all, "{held} + {left} of {all}");
    // Out and in again over the host's link.
    assert!(paged.time.parts.offload > 0.0 && whole.time.parts.offload == 0.0);
    // With room enough nothing moves, and bitsandbytes' kernel makes no denominators.
    let (whole, paged) = (of("qwen3-0.6b", "adamw"), of("qwen3-0.6b", "paged_adamw"));
    assert!(paged.fit.host.is_none() && paged.time.parts.offload == 0.0);
    assert!(parts(&paged).optimizer <= parts(&whole).optimizer);
}

#[test]
fn muon_pays_for_its_products() {
    let question = question_from_value(asked("llama-3.1-8b", "h200-sxm", json!({}))).unwrap();
    let flops = newton_schulz_flops(&job::resolve(&question).unwrap());
    // Five iterations of at most 6 operations for each weight and row of the narrower side, 4,096 of most, on seven eighths
    // of the weights (https://kellerjordan.github.io/posts/muon/, "Runtime analysis": T x 6nm² at most).
    within(flops, 0.5 * 30.0 * 4096.0 * 0.87, 30.0 * 4096.0 * 0.87);
    let of = |optimizer: &str| {
        answer(asked("llama-3.1-8b", "h200-sxm", json!({"optimizer": optimizer})))
            .time
            .parts
            .optimizer
    };
    assert!(of("muon") > of("adamw") && of("adamw_8bit") < of("adamw"));
}

#[test]
fn a_step_in_the_backward_pass_keeps_few_gradients() {
    let of = |plan: Value| answer(asked("llama-3.1-8b", "h200-sxm", plan)).memory.phases[0].parts.gradients;
    let (after, during) = (of(json!({})), of(json!({"optimizer_in_backward": true})));
    // Embedding and head, 1.05 B weights of 8.03 B.
    assert!((during / after - 1.05 / 8.03).abs() < 0.01, "{during} of {after}");
}

/// What an optimizer does not go with, a search leaves out: offload that its CPUs do not step.
#[test]
fn an_open_plan_is_found_with_every_optimizer_of_a_back_end() {
    let tuned = json!({"kind": "sft", "sequence_length": 4096, "global_batch": 64});
    let grpo = json!({"kind": "grpo", "rl": {"prompts_per_step": 64, "responses_per_prompt": 8, "mini_batch": 32,
        "max_prompt_length": 512, "max_response_length": 1024}});
    // Cards with room, and cards on which offload is what fits.
    for (gpu, workload) in [("h100-sxm", &tuned), ("a100-sxm-40g", &tuned), ("h100-sxm", &grpo), ("a10", &grpo)] {
        for backend in ["fsdp", "deepspeed", "megatron", "ddp"] {
            for optimizer in Optimizer::ALL {
                let what = format!("{} of {gpu}, {backend}, {}", workload["kind"], optimizer.as_str());
                let with = |plan: &Value| {
                    let question = json!({"version": 1, "model": "qwen3-4b", "hardware": {"gpu": gpu, "gpus": 8},
                        "workload": workload, "plan": plan});
                    question_from_value(question).unwrap()
                };
                match search(&with(&json!({"backend": backend, "optimizer": optimizer.as_str()})), None, 3) {
                    Ok(found) => {
                        for own in found.plans {
                            let plan = json!(own.plan);
                            let legal = estimate(&with(&plan));
                            assert!(legal.is_ok(), "{what}: {} of {plan}", legal.unwrap_err());
                        }
                    }
                    // A back end that has it not says so, and nothing of what nobody stated.
                    Err(refused) => {
                        let named = ["Megatron", "FSDP", "DeepSpeed", "parallelism"];
                        let says = refused.message.as_str();
                        assert_eq!(refused.field, "plan.optimizer", "{what}: {says}");
                        assert!(
                            named.iter().any(|name| says.contains(name)) && !says.contains("offload"),
                            "{what}: {says}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn nobody_is_given_an_optimizer_unasked() {
    let question = question_from_value(json!({"version": 1, "model": "llama-3.1-8b",
        "hardware": {"gpu": "a100-sxm-40g", "gpus": 4},
        "workload": {"kind": "sft", "sequence_length": 2048, "global_batch": 16}}))
    .unwrap();
    let found = search(&question, None, 10).unwrap();
    assert!(!found.plans.is_empty());
    for own in &found.plans {
        assert_eq!(own.plan.optimizer, None);
        assert_eq!(own.plan.optimizer_in_backward, None);
    }
}

#[test]
fn a_plan_that_does_not_fit_is_told_of_8_bits() {
    let question = question_from_value(asked(
        "llama-3.2-3b",
        "a100-sxm-40g",
        json!({"gradient_bytes": 2, "master_weights_bytes": 2}),
    ))
    .unwrap();
    let found = estimate(&question).unwrap();
    let own: Vec<_> = found.advice.iter().filter(|own| own.id == "optimizer-8bit").collect();
    assert!(found.fit.state != FitState::Fits && own.len() == 1, "{own:?}");
    assert_eq!(own[0].set.get("plan.optimizer"), Some(&json!("adamw_8bit")));
    assert!(own[0].text.contains("It changes training"), "{}", own[0].text);
}
