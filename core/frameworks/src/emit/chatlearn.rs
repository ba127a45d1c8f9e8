//! `ChatLearn`: GRPO through `chatlearn/entrypoint.py`, on Megatron or FSDP2.
//!
//! Overrides are `OmegaConf`'s dot list: no `+`, and nothing counts without `--config-file`.

mod file;
mod trainer;

use super::choices::other_states;
use super::text::{Script, Section, flag, head, home, on_others, share};
use super::words::{gib, plural};
use super::{Emission, Snippet, Unsupported, choices};
use shardwise_question::plan::{MicroBatch, Recompute, RolloutPlan};
use shardwise_question::task::Ratio;
use shardwise_question::wire::{Backend, Engine, KvCacheDtype, WorkloadKind};
use shardwise_question::workload::Rl;
use shardwise_rules::machines;
use trainer::{memory, packing, trainer};

const RUN: &str = "runtime_args";
const TRAINER: &str = "models.policy_trainer";
const REFERENCE: &str = "models.ref_policy";
const POLICY: &str = "models.policy";

/// The command for this plan, and the same as a file.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let (Some(rl), Some(rollout)) = (&emission.job.workload.rl, &emission.plan.rollout) else {
        return Err(Unsupported { message: "The plan has no generation engine.".to_owned() });
    };
    let megatron = emission.plan.layout.backend == Backend::Megatron;
    let mut head = head(emission, &warnings(emission, rl));
    let sections = vec![
        run(emission, rl),
        trainer(emission, megatron),
        packing(emission, rl),
        memory(emission, megatron),
        generation(emission, rl, rollout),
        algorithm(emission.job.workload.kind, rl),
    ];
    let script = Script {
        head: head.clone(),
        setup: setup(megatron, rollout, machines(emission.job)),
        assign: "=",
        sections,
        command: format!(
            "python chatlearn/entrypoint.py grpo --config-file template/{} \"${{args[@]}}\"",
            if megatron { "grpo_megatron.yaml" } else { "grpo_fsdp.yaml" }
        ),
    };
    head.extend([
        "Take run_chatlearn.sh for a run, or this file where you keep configurations: they say the same.".to_owned(),
        format!(
            "Run it with the exports of that script, and: python chatlearn/entrypoint.py grpo --config-file {}",
            file::NAME
        ),
    ]);
    let file = file::snippet(&head, &script.sections, megatron);
    let command = script.into_snippet("run_chatlearn.sh");
    Ok(vec![command, file])
}

/// What ChatLearn's own scripts export.
fn setup(megatron: bool, rollout: &RolloutPlan, nodes: u32) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    // docs/en/tutorial/multinode_train.md; scripts/base_env.sh fills them in for one node alone.
    if let Some(last) = nodes.checked_sub(1).filter(|last| *last > 0) {
        lines.push((
            format!(
                ": \"${{MASTER_ADDR:?address of the first node}}\" \"${{RANK:?0 on the first node, {}}}\"",
                on_others(last)
            ),
            format!(
                "run it on each of the {nodes} nodes, with MASTER_ADDR the first one's address and RANK its own number, from 0 to {last}"
            ),
        ));
        lines.push((
            format!("export NNODES={nodes} LOCAL_MASTER_KEY=\"$MASTER_ADDR\""),
            "where ChatLearn's nodes meet".to_owned(),
        ));
    }
    lines.push((
        "export CHATLEARN=\"$PWD\"".to_owned(),
        "run from the root of ChatLearn's checkout (b7af31a)".to_owned(),
    ));
    if megatron {
        lines.push((
            "export MEGATRON_PATH=\"${MEGATRON_PATH:-$CHATLEARN/../Megatron-LM}\"".to_owned(),
            "your Megatron-LM".to_owned(),
        ));
        lines.push(("export PYTHONPATH=\"$CHATLEARN:$MEGATRON_PATH:$PYTHONPATH\"".to_owned(), String::new()));
        lines.push((
            "export CUDA_DEVICE_MAX_CONNECTIONS=1".to_owned(),
            "Megatron orders communication and computation by it".to_owned(),
        ));
    } else {
        lines.push(("export PYTHONPATH=\"$CHATLEARN:$PYTHONPATH\"".to_owned(), String::new()));
    }
    if rollout.engine == Engine::Vllm {
        lines.push((
            "export VLLM_USE_RAY_SPMD_WORKER=1 VLLM_USE_RAY_COMPILED_DAG=1".to_owned(),
            "as ChatLearn's scripts do".to_owned(),
        ));
    }
    lines.push(("export RAY_CGRAPH_get_timeout=200 RAY_DEDUP_LOGS=1".to_owned(), String::new()));
    lines.push(("source scripts/base_env.sh".to_owned(), "stops a running ray and removes core files here".to_owned()));
    lines
}

/// Whether `ChatLearn`'s FAQ has an engine run without CUDA graphs.
fn advised_eager(rollout: &RolloutPlan) -> bool {
    rollout.engine == Engine::Vllm && rollout.tensor_parallel > 1
}

/// Where ChatLearn does otherwise than the estimate assumes.
fn warnings(emission: &Emission, rl: &Rl) -> Vec<String> {
    let (layout, shape) = (&emission.plan.layout, &emission.job.model.shape);
    let fsdp = layout.backend == Backend::Fsdp;
    // Adam in fp32 over fp32 weights, with either backend.
    let mut out = other_states(layout, [4.0, 4.0, 8.0], "ChatLearn");
    if layout.fused_lm_head {
        let tokens = match layout.micro_batch {
            MicroBatch::Tokens(tokens) => tokens,
            MicroBatch::Sequences(n) => n.saturating_mul(rl.max_length()),
        };
        // bf16 logits, one copy per tensor-parallel rank's share of the vocabulary.
        let bytes = 2.0 * tokens as f64 * shape.vocab_size as f64 / f64::from(layout.tensor_parallel.max(1));
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
    if !fsdp && layout.overlap.gradients && layout.data_parallel(emission.job.hardware.gpus) > 1 {
        out.push(
            "ChatLearn has no key for overlap_grad_reduce: it reduces gradients after the backward pass, and the estimate hides that beside it. Set overlap.gradients to false, or add the field to MegatronConfig in chatlearn/configs/megatron_config.py, as its tuning guide has it."
                .to_owned(),
        );
    }
    if emission
        .plan
        .rollout
        .as_ref()
        .is_some_and(|own| advised_eager(own) && !own.enforce_eager)
    {
        out.push(
            "the estimate decodes with CUDA graphs, and this text without, as ChatLearn advises for vLLM over several GPUs: it may take several times as long to generate. Set enforce_eager to true for its figures."
                .to_owned(),
        );
    }
    let small = |rollout: &RolloutPlan| rollout.kv_cache_dtype == KvCacheDtype::Fp8;
    if emission.plan.rollout.as_ref().is_some_and(small) {
        out.push("ChatLearn has no key for an fp8 KV cache, which the plan has: less room than estimated.".to_owned());
    }
    out.extend(choices::speculative(emission.plan));
    out
}

fn run(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Batch: ChatLearn counts responses, not prompts");
    let (samples, n) = (rl.sequences(), rl.responses_per_prompt);
    let backend = if emission.plan.layout.backend == Backend::Megatron { "megatron" } else { "fsdp" };
    section.set(format!("{RUN}.exp_name"), "shardwise", "names the logs");
    section.set(format!("{RUN}.train_backend"), backend, "as the template");
    section.set(format!("{RUN}.data_path"), home("data/train.json"), "change this to your data");
    section.set(
        format!("{RUN}.eval_data_path"),
        home("data/test.json"),
        "change this too: ChatLearn reads it in any case",
    );
    section.set(format!("{RUN}.output_dir"), home("output/shardwise"), "change this to your folder");
    section.set(
        format!("{RUN}.sample_per_episode"),
        samples,
        format!("{} × {}", plural(rl.prompts_per_step, "prompt", "prompts"), plural(n, "response", "responses")),
    );
    let (episodes, reason) = choices::run::steps(&emission.job.workload, rl);
    section.set(format!("{RUN}.num_episode"), episodes, format!("an episode is a step: {reason}"));
    let mini = rl.mini_batch.saturating_mul(n);
    let updates = samples / mini.max(1);
    section.set(
        format!("{RUN}.train_global_batch_size"),
        mini,
        format!(
            "{} × {n}; {} an episode",
            plural(rl.mini_batch, "prompt", "prompts"),
            plural(updates, "update", "updates")
        ),
    );
    section.set(format!("{RUN}.num_inference_per_prompt"), n, "set twice: the advantage reads this one");
    section.set(format!("{POLICY}.num_inference_per_prompt"), n, "and the rollout reads this one");
    section.set(format!("{POLICY}.max_prompt_tokens_length"), rl.max_prompt_length, "from your question");
    section.set(format!("{POLICY}.max_response_tokens_length"), rl.max_response_length, "from your question");
    section
}

fn generation(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Section {
    let replicas = u64::from(emission.job.hardware.gpus / rollout.gpus().max(1));
    let vllm = rollout.engine == Engine::Vllm;
    let mut section = Section::new(format!("Rollout: {}", plural(replicas, "engine", "engines")));
    section.set(format!("{RUN}.rollout_backend"), if vllm { "vllm" } else { "sglang" }, "from the plan");
    let tp = rollout.tensor_parallel;
    let reason = if tp == 1 {
        "each GPU is an engine".to_owned()
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
            format!("decoded together; each engine gets {} an episode", plural(waiting, "sequence", "sequences")),
        );
        section.set(
            format!("{POLICY}.max_num_batched_tokens"),
            rollout.max_num_batched_tokens,
            "tokens of one engine step",
        );
    }
    let eager = advised_eager(rollout) || rollout.enforce_eager;
    let reason = if rollout.enforce_eager {
        "from the plan"
    } else if eager {
        "ChatLearn's advice for vLLM over several GPUs"
    } else {
        "CUDA graphs: quicker decoding"
    };
    section.set(format!("{POLICY}.enforce_eager"), flag(eager), reason);
    let reason =
        if rollout.free_cache { "weights and cache leave the GPU for training" } else { "weights and cache stay" };
    section.set(format!("{POLICY}.free_gpu_memory.offload_weights"), flag(rollout.free_cache), reason);
    section
}

fn algorithm(kind: WorkloadKind, rl: &Rl) -> Section {
    let mut section = Section::new("Algorithm");
    // The reference is evaluated in any case; GSPO has no use for it.
    let penalized = rl.reference && kind.algorithm().is_some_and(|own| own.reference);
    let reason = if penalized { "keeps the policy near the reference, from your question" } else { "no penalty" };
    section.set(format!("{TRAINER}.kl_coef"), if penalized { "0.001" } else { "0.0" }, reason);
    let loss = kind.algorithm().map(|own| own.loss);
    let (high, low, why) = loss
        .and_then(|own| own.clip)
        .map_or((0.2, 0.2, "GRPO's clip, above"), |clip| (clip.high, clip.low, clip.why));
    section.set(format!("{TRAINER}.pos_clip_ratio"), format!("{high:?}"), why);
    section.set(format!("{TRAINER}.neg_clip_ratio"), format!("{low:?}"), "and below");
    if loss.is_some_and(|own| own.ratio == Ratio::Response) {
        section.set(format!("{TRAINER}.use_group_sequence_policy"), "True", "one ratio for each response");
    }
    section.set(format!("{TRAINER}.optimizer.lr"), "2e-6", "ChatLearn's own; yours to tune");
    section
}
