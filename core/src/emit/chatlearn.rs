//! `ChatLearn`: GRPO through `chatlearn/entrypoint.py`, on Megatron or FSDP2.
//!
//! Overrides are `OmegaConf`'s dot list: no `+`, and nothing counts without `--config-file`.

use super::rules::last_stage;
use super::text::{Script, Section, flag, head, home, list, model_path, share};
use super::verl::module;
use super::words::{count, gib, plural, product};
use super::{Emission, Language, Snippet, Unsupported, accept, framework, rules};
use crate::plan::{Layout, MicroBatch, Recompute, RolloutPlan};
use crate::wire::{Backend, Engine};
use crate::workload::Rl;

const RUN: &str = "runtime_args";
const TRAINER: &str = "models.policy_trainer";
const REFERENCE: &str = "models.ref_policy";
const POLICY: &str = "models.policy";

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    accept(rules::chatlearn(emission.job, emission.plan))?;
    let (Some(rl), Some(rollout), Some(own)) = (
        &emission.job.workload.rl,
        &emission.plan.rollout,
        framework("chatlearn"),
    ) else {
        return Err(Unsupported {
            message: "The plan has no generation engine.".to_owned(),
        });
    };
    let megatron = emission.plan.layout.backend == Backend::Megatron;
    let script = Script {
        head: head(emission, own, &warnings(emission, rl)),
        setup: setup(megatron, rollout),
        assign: "=",
        sections: vec![
            run(emission, rl),
            trainer(emission, megatron),
            packing(emission, rl),
            memory(emission, megatron),
            generation(emission, rl, rollout),
            algorithm(rl),
        ],
        command: format!(
            "python chatlearn/entrypoint.py grpo --config-file template/{} \"${{args[@]}}\"",
            if megatron {
                "grpo_megatron.yaml"
            } else {
                "grpo_fsdp.yaml"
            }
        ),
    };
    Ok(vec![Snippet {
        file: "run_chatlearn.sh",
        language: Language::Shell,
        text: script.to_text(),
        reasons: Vec::new(),
    }])
}

/// What ChatLearn's own scripts export.
fn setup(megatron: bool, rollout: &RolloutPlan) -> Vec<(String, String)> {
    let mut lines = vec![(
        "export CHATLEARN=\"$PWD\"".to_owned(),
        "run from the root of ChatLearn's checkout (b7af31a)".to_owned(),
    )];
    if megatron {
        lines.push((
            "export MEGATRON_PATH=\"${MEGATRON_PATH:-$CHATLEARN/../Megatron-LM}\"".to_owned(),
            "your Megatron-LM".to_owned(),
        ));
        lines.push((
            "export PYTHONPATH=\"$CHATLEARN:$MEGATRON_PATH:$PYTHONPATH\"".to_owned(),
            String::new(),
        ));
        lines.push((
            "export CUDA_DEVICE_MAX_CONNECTIONS=1".to_owned(),
            "Megatron orders communication and computation by it".to_owned(),
        ));
    } else {
        lines.push((
            "export PYTHONPATH=\"$CHATLEARN:$PYTHONPATH\"".to_owned(),
            String::new(),
        ));
    }
    if rollout.engine == Engine::Vllm {
        lines.push((
            "export VLLM_USE_RAY_SPMD_WORKER=1 VLLM_USE_RAY_COMPILED_DAG=1".to_owned(),
            "as ChatLearn's scripts do".to_owned(),
        ));
    }
    lines.push((
        "export RAY_CGRAPH_get_timeout=200 RAY_DEDUP_LOGS=1".to_owned(),
        String::new(),
    ));
    lines.push((
        "source scripts/base_env.sh".to_owned(),
        "stops a running ray and removes core files here; several nodes need MASTER_ADDR and RANK"
            .to_owned(),
    ));
    lines
}

/// Where ChatLearn does otherwise than the estimate assumes.
fn warnings(emission: &Emission, rl: &Rl) -> Vec<String> {
    let (layout, shape) = (&emission.plan.layout, &emission.job.model.shape);
    let fsdp = layout.backend == Backend::Fsdp;
    let mut out = Vec::new();
    if layout.fused_lm_head {
        let tokens = match layout.micro_batch {
            MicroBatch::Tokens(tokens) => tokens,
            MicroBatch::Sequences(n) => n.saturating_mul(rl.max_length()),
        };
        // bf16 logits, one copy per tensor-parallel rank's share of the vocabulary.
        let bytes = 2.0 * tokens as f64 * shape.vocab_size as f64
            / f64::from(layout.tensor_parallel.max(1));
        out.push(format!(
            "ChatLearn has no fused LM head. Its logits take about {} more than estimated; set fused_lm_head to false.",
            gib(bytes / f64::from(1u32 << 30))
        ));
    }
    if fsdp && layout.recompute != Recompute::Full {
        out.push(
            "ChatLearn's FSDP always recomputes each layer, which the plan does not: less memory and slower than estimated."
                .to_owned(),
        );
    }
    if !rl.reference {
        out.push("ChatLearn always computes the reference's log-probabilities, which the plan leaves out.".to_owned());
    }
    out
}

fn run(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Batch: ChatLearn counts responses, not prompts");
    let (samples, n) = (rl.sequences(), rl.responses_per_prompt);
    let backend = if emission.plan.layout.backend == Backend::Megatron {
        "megatron"
    } else {
        "fsdp"
    };
    section.set(format!("{RUN}.exp_name"), "shardwise", "names the logs");
    section.set(format!("{RUN}.train_backend"), backend, "as the template");
    section.set(
        format!("{RUN}.data_path"),
        home("data/train.json"),
        "change this to your data",
    );
    section.set(
        format!("{RUN}.eval_data_path"),
        home("data/test.json"),
        "change this too: ChatLearn reads it in any case",
    );
    section.set(
        format!("{RUN}.output_dir"),
        home("output/shardwise"),
        "change this to your folder",
    );
    section.set(
        format!("{RUN}.sample_per_episode"),
        samples,
        format!("{} prompts × {n} responses", count(rl.prompts_per_step)),
    );
    let mini = rl.mini_batch.saturating_mul(n);
    let updates = samples / mini.max(1);
    section.set(
        format!("{RUN}.train_global_batch_size"),
        mini,
        format!(
            "{} prompts × {n}; {} an episode",
            count(rl.mini_batch),
            plural(updates, "update", "updates")
        ),
    );
    section.set(
        format!("{RUN}.num_inference_per_prompt"),
        n,
        "set twice: the advantage reads this one",
    );
    section.set(
        format!("{POLICY}.num_inference_per_prompt"),
        n,
        "and the rollout reads this one",
    );
    section.set(
        format!("{POLICY}.max_prompt_tokens_length"),
        rl.max_prompt_length,
        "from your question",
    );
    section.set(
        format!("{POLICY}.max_response_tokens_length"),
        rl.max_response_length,
        "from your question",
    );
    section
}

fn title(layout: &Layout, gpus: u32) -> String {
    let product = product(&[
        ("TP", layout.tensor_parallel),
        ("PP", layout.pipeline_parallel),
        ("CP", layout.context_parallel),
        ("Ulysses", layout.ulysses_parallel),
        ("DP", layout.data_parallel(gpus)),
    ]);
    let experts = if layout.expert_parallel > 1 {
        format!(", experts EP {}", layout.expert_parallel)
    } else {
        String::new()
    };
    format!(
        "Layout: {} = {product}{experts}",
        plural(gpus.into(), "GPU", "GPUs")
    )
}

fn trainer(emission: &Emission, megatron: bool) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let mut section = Section::new(title(layout, gpus));
    section.set(
        format!("{TRAINER}.num_gpu"),
        gpus,
        "over all nodes; the reference and the rollout follow",
    );
    if megatron {
        megatron_layout(&mut section, emission);
        section.set(
            format!("{TRAINER}.load"),
            home("models/mcore"),
            "change this to the converted checkpoint",
        );
        let (path, reason) = model_path(&job.model);
        section.set(format!("{POLICY}.load"), path, reason);
    } else {
        let sp = layout.ulysses_parallel;
        let reason = if sp == 1 {
            "sequences fit one GPU".to_owned()
        } else {
            format!("{sp} GPUs split each sequence")
        };
        section.set(
            format!("{TRAINER}.ulysses_sequence_parallel_size"),
            sp,
            reason,
        );
        let experts = job.model.shape.num_experts > 0;
        let large = experts || job.model.parameters.total > 20_000_000_000;
        let reason = if large {
            "the model is too large for every process to load whole"
        } else {
            "small enough to load whole"
        };
        section.set(format!("{TRAINER}.meta_init"), flag(large), reason);
        if experts && job.model.id.starts_with("qwen3") {
            section.set(
                format!("{TRAINER}.groupgemm"),
                "True",
                "one kernel for all experts",
            );
        }
        let (path, reason) = model_path(&job.model);
        section.set(format!("{TRAINER}.load"), path, reason);
    }
    section
}

fn megatron_layout(section: &mut Section, emission: &Emission) {
    let (shape, layout) = (&emission.job.model.shape, &emission.plan.layout);
    let (tp, pp, cp) = (
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.context_parallel,
    );
    let reason = if tp == 1 {
        "no matrix is split".to_owned()
    } else {
        format!(
            "{tp} GPUs split each matrix; divides {} heads",
            shape.num_attention_heads
        )
    };
    section.set(format!("{TRAINER}.tensor_model_parallel_size"), tp, reason);
    let layers = shape.num_hidden_layers;
    let reason = match pp {
        1 => "no pipeline, no bubble".to_owned(),
        _ => format!(
            "{} of {layers} layers on the fullest stage",
            layers.div_ceil(pp.into())
        ),
    };
    section.set(
        format!("{TRAINER}.pipeline_model_parallel_size"),
        pp,
        reason,
    );
    let even = layers.is_multiple_of(pp.max(1).into());
    if let Some(last) = last_stage(layers, pp).filter(|_| pp > 1 && !even) {
        let reason = format!("{layers} layers do not split evenly into {pp} stages");
        section.set(
            format!("{TRAINER}.decoder_last_pipeline_num_layers"),
            last,
            reason,
        );
    }
    if layout.virtual_pipeline > 1 {
        section.set(
            format!("{TRAINER}.virtual_pipeline_model_parallel_size"),
            layout.virtual_pipeline,
            "chunks per stage, for a smaller bubble",
        );
    } else {
        section.set(
            format!("{TRAINER}.virtual_pipeline_model_parallel_size"),
            "null",
            "one chunk per stage",
        );
    }
    let reason = match cp {
        1 => "no sequence is split".to_owned(),
        _ => format!("{cp} GPUs split each sequence"),
    };
    section.set(format!("{TRAINER}.context_parallel_size"), cp, reason);
    if shape.num_experts > 0 {
        let (ep, etp) = (layout.expert_parallel, layout.expert_tensor_parallel);
        let share = shape.num_experts / u64::from(ep.max(1));
        section.set(
            format!("{TRAINER}.expert_model_parallel_size"),
            ep,
            format!(
                "{share} of {} experts on each GPU of a group",
                shape.num_experts
            ),
        );
        let reason = if etp == 1 {
            "experts stay whole: EP before ETP"
        } else {
            "each expert is split"
        };
        section.set(
            format!("{TRAINER}.expert_tensor_parallel_size"),
            etp,
            reason,
        );
    }
    let sequence = layout.sequence_parallel && tp > 1;
    let reason = if sequence {
        "norms are split over TP too"
    } else {
        "only with TP"
    };
    section.set(
        format!("{TRAINER}.sequence_parallel"),
        flag(sequence),
        reason,
    );
    if !sequence {
        section.set(
            format!("{REFERENCE}.sequence_parallel"),
            "False",
            "as the trainer",
        );
    }
    let sharded = layout.zero_stage >= 1;
    let reason = if sharded {
        "shards optimizer states over DP"
    } else {
        "every rank keeps all optimizer states"
    };
    section.set(
        format!("{TRAINER}.use_distributed_optimizer"),
        flag(sharded),
        reason,
    );
}

/// What one forward pass takes.
fn packing(emission: &Emission, rl: &Rl) -> Section {
    let (layout, longest) = (&emission.plan.layout, rl.max_length());
    let dp = u64::from(layout.data_parallel(emission.job.hardware.gpus)).max(1);
    match layout.micro_batch {
        MicroBatch::Tokens(tokens) => {
            let mut section = Section::new("Packing");
            let split = u64::from(layout.sequence_split());
            let held = tokens.saturating_mul(split);
            section.set(format!("{TRAINER}.packing"), "True", "no padding tokens");
            let over = if split > 1 {
                format!(": {} on each of {split} GPUs", count(tokens))
            } else {
                String::new()
            };
            section.set(
                format!("{TRAINER}.max_token_in_packing"),
                held,
                format!(
                    "tokens of a packed sequence{over}; the longest has {}",
                    count(longest)
                ),
            );
            section
        }
        MicroBatch::Sequences(micro) => {
            let mut section = Section::new("Micro-batches");
            section.set(
                format!("{TRAINER}.packing"),
                "False",
                "the plan counts sequences",
            );
            section.set(
                format!("{TRAINER}.max_token_in_packing"),
                longest,
                "not used without packing; the Megatron template fails where it is left out",
            );
            section.set(
                format!("{RUN}.train_micro_batch_size"),
                micro,
                "sequences per GPU, from the plan",
            );
            let per_rank = rl.sequences() / dp;
            let twice = micro.saturating_mul(2);
            let (forward, reason) = if per_rank.is_multiple_of(twice.max(1)) {
                (twice, "forward only: twice the update's")
            } else {
                (micro, "the update's: twice would not divide a rank's share")
            };
            section.set(format!("{TRAINER}.generation_batch_size"), forward, reason);
            let (forward, reason) = reference_micro(emission, rl, forward, reason);
            section.set(
                format!("{REFERENCE}.generation_batch_size"),
                forward,
                reason,
            );
            section
        }
    }
}

/// The reference's replicas share the samples on their own terms.
fn reference_micro(
    emission: &Emission,
    rl: &Rl,
    forward: u64,
    reason: &'static str,
) -> (u64, &'static str) {
    let dp = rules::reference_ranks(emission.job, &emission.plan.layout).max(1);
    let per_rank = rl.sequences() / dp;
    if per_rank.is_multiple_of(forward.max(1)) {
        (forward, reason)
    } else {
        (1, "divides what its replicas share")
    }
}

fn memory(emission: &Emission, megatron: bool) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("What leaves the GPU between phases, and recomputation");
    let offload = layout.offload;
    for (key, on, away) in [
        ("offload_weights", offload.parameters, "weights"),
        (
            "offload_optimizer_states",
            offload.optimizer,
            "optimizer states",
        ),
    ] {
        let reason = if on {
            format!("{away} are in host memory outside their phase")
        } else {
            format!("{away} stay: there is room")
        };
        section.set(format!("{TRAINER}.free_gpu_memory.{key}"), flag(on), reason);
    }
    if megatron {
        let reason = if offload.gradients {
            "gradient buffers are freed outside the update"
        } else {
            "gradient buffers stay"
        };
        section.set(
            format!("{TRAINER}.free_gpu_memory.free_grad_buffers"),
            flag(offload.gradients),
            reason,
        );
    }
    let away = emission
        .plan
        .reference
        .as_ref()
        .unwrap_or(layout)
        .offload
        .parameters;
    let reason = if away {
        "its weights are on the GPU in their own phase alone"
    } else {
        "its weights stay"
    };
    section.set(
        format!("{REFERENCE}.free_gpu_memory.offload_weights"),
        flag(away),
        reason,
    );
    if megatron {
        recompute(&mut section, layout.recompute);
    }
    section
}

fn recompute(section: &mut Section, recompute: Recompute) {
    let key = |name: &str| format!("{TRAINER}.recompute_{name}");
    match recompute {
        Recompute::None => section.set(
            key("granularity"),
            "null",
            "recompute off: the activations fit",
        ),
        Recompute::Full => {
            section.set(
                key("granularity"),
                "full",
                "each layer again from its input: least memory",
            );
            section.set(key("method"), "uniform", "every layer alike");
            section.set(key("num_layers"), 1, "one layer at a time");
        }
        Recompute::Selective(modules) => {
            section.set(key("granularity"), "selective", "the cheapest that fits");
            section.set(
                key("modules"),
                list(modules.iter().map(module)),
                "large in memory, quick to compute again",
            );
        }
    }
}

fn generation(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Section {
    let replicas = u64::from(emission.job.hardware.gpus / rollout.gpus().max(1));
    let vllm = rollout.engine == Engine::Vllm;
    let mut section = Section::new(format!(
        "Rollout: {}",
        plural(replicas, "engine", "engines")
    ));
    section.set(
        format!("{RUN}.rollout_backend"),
        if vllm { "vllm" } else { "sglang" },
        "from the plan",
    );
    let tp = rollout.tensor_parallel;
    let reason = if tp == 1 {
        "the weights fit one GPU".to_owned()
    } else {
        format!("{tp} GPUs hold the weights and their cache")
    };
    section.set(format!("{POLICY}.tensor_model_parallel_size"), tp, reason);
    section.set(
        format!("{POLICY}.gpu_memory_utilization"),
        share(rollout.gpu_memory_utilization.min(0.95)),
        "share of the card for weights and KV cache; ChatLearn's guide stops at 0.95",
    );
    if vllm {
        let waiting = rl.sequences().div_ceil(replicas.max(1));
        section.set(
            format!("{POLICY}.generation_batch_size"),
            rollout.max_num_seqs,
            format!(
                "decoded together; each engine gets {} an episode",
                plural(waiting, "sequence", "sequences")
            ),
        );
        section.set(
            format!("{POLICY}.max_num_batched_tokens"),
            rollout.max_num_batched_tokens,
            "tokens of one engine step",
        );
        let eager = tp > 1;
        let reason = if eager {
            "ChatLearn's advice for vLLM over several GPUs"
        } else {
            "CUDA graphs: quicker decoding"
        };
        section.set(format!("{POLICY}.enforce_eager"), flag(eager), reason);
    }
    let reason = if rollout.free_cache {
        "weights and cache leave the GPU for training"
    } else {
        "weights and cache stay"
    };
    section.set(
        format!("{POLICY}.free_gpu_memory.offload_weights"),
        flag(rollout.free_cache),
        reason,
    );
    section
}

fn algorithm(rl: &Rl) -> Section {
    let mut section = Section::new("Algorithm");
    let reason = if rl.reference {
        "keeps the policy near the reference, from your question"
    } else {
        "no penalty"
    };
    section.set(
        format!("{TRAINER}.kl_coef"),
        if rl.reference { "0.001" } else { "0.0" },
        reason,
    );
    section.set(
        format!("{TRAINER}.pos_clip_ratio"),
        "0.2",
        "GRPO's clip, above",
    );
    section.set(format!("{TRAINER}.neg_clip_ratio"), "0.2", "and below");
    section.set(
        format!("{TRAINER}.optimizer.lr"),
        "2e-6",
        "ChatLearn's own; yours to tune",
    );
    section
}
