//! slime: Megatron-LM's arguments and its own, to `train.py` through Ray.

use super::choices::{engine_reason, engines, rate, run, speculative, updates};
use super::megatron;
use super::megatron_lm::{attention, layout, memory, switch};
use super::text::{Script, Section, head, home, model_path, share};
use super::words::{baseline, count, figure, plural};
use super::{Emission, Snippet, Unsupported};
use shardwise_catalog::error::InputError;
use shardwise_question::plan::{MicroBatch, RolloutPlan};
use shardwise_question::task::{Algorithm, Baseline, Mean};
use shardwise_question::wire::{KvCacheDtype, Precision, Schedule, TokenDispatcher, WorkloadKind};
use shardwise_question::workload::Rl;
use shardwise_rules::slime::model_file;
use shardwise_rules::{nodes, pools};

/// The command for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let job = emission.job;
    let (Some(rl), Some(rollout)) = (&job.workload.rl, &emission.plan.rollout) else {
        return Ok(Vec::new());
    };
    // An engine serves the checkpoint in the bits that it is published in (docs/en/advanced/low-precision.md), which no argument says.
    if rollout.precision != Precision::Bf16 {
        let why = "The text for slime names a checkpoint of 16 bits, which its engines serve. Set it to bf16.";
        return Err(InputError::new("plan.rollout.precision", why).into());
    }
    let file = model_file(&job.model.id).unwrap_or_default();
    let sections = vec![
        cluster(emission, rl),
        checkpoints(emission),
        batch(rl),
        data(emission, rl),
        layout(emission, pools(job).0),
        exchange(emission),
        memory(emission, true),
        passes(emission),
        kernels(emission),
        generation(emission, rollout),
        algorithm(emission, rl),
        optimizer(emission),
    ];
    let program = if rl.schedule == Schedule::OneStepOff { "train_async.py" } else { "train.py" };
    let script = Script {
        head: head(emission, &warnings(emission)),
        setup: vec![(
            format!("source scripts/models/{file}.sh"),
            "MODEL_ARGS: slime's own arguments of this model".to_owned(),
        )],
        assign: " ",
        sections,
        command: format!(
            "# Start Ray first: ray start --head on one node, ray start --address on the others.\n\
             # From the root of slime's checkout; PYTHONPATH is the folder of its Megatron-LM.\n\
             ray job submit --address=\"http://127.0.0.1:8265\" \\\n  \
             --runtime-env-json=\"{{\\\"env_vars\\\": {{\\\"PYTHONPATH\\\": \\\"$HOME/Megatron-LM\\\", \\\"CUDA_DEVICE_MAX_CONNECTIONS\\\": \\\"1\\\"}}}}\" \\\n  \
             -- python3 {program} \"${{MODEL_ARGS[@]}}\" \"${{args[@]}}\""
        ),
    };
    Ok(vec![script.into_snippet("run_slime.sh")])
}

/// Where slime does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let mut out = megatron::differences(&emission.plan.layout, "slime");
    out.extend(speculative(emission.plan));
    out
}

fn cluster(emission: &Emission, rl: &Rl) -> Section {
    let job = emission.job;
    let (train, generate) = pools(job);
    let mut section = Section::new("Cluster");
    let Some((machines, gpus)) = nodes(train, job.hardware.gpus_per_node) else {
        return section;
    };
    section.set("--actor-num-nodes", machines, "nodes that train");
    section.set("--actor-num-gpus-per-node", gpus, "GPUs of each");
    let away = emission.plan.layout.offload.optimizer;
    if rl.schedule == Schedule::Colocated {
        let reason = "every role and engine on the same GPUs, one phase after another";
        switch(&mut section, "--colocate", reason);
        if gpus != 8 {
            section.set("--num-gpus-per-node", gpus, "slime expects 8");
        }
        if !away {
            switch(&mut section, "--no-offload-train", "all that trains stays on the GPU, as the plan says");
        }
    } else {
        section.set("--rollout-num-gpus", generate, "GPUs beside them that generate");
        section.set("--num-gpus-per-node", job.hardware.gpus_per_node, "of a whole node");
    }
    section
}

/// The Hugging Face folder, and the same weights as Megatron's checkpoint.
fn checkpoints(emission: &Emission) -> Section {
    let mut section = Section::new("Checkpoints");
    let (path, reason) = model_path(&emission.job.model);
    section.set("--hf-checkpoint", path, reason);
    let converted = "change this to the same weights, as tools/convert_hf_to_torch_dist.py writes them";
    section.set("--ref-load", home("checkpoints/torch_dist"), converted);
    section.set("--load", home("checkpoints/shardwise"), "where it goes on, once it has begun");
    section.set("--save", home("checkpoints/shardwise"), "change this to your folder");
    section.set("--save-interval", 20, count(20) + " steps");
    section
}

fn batch(rl: &Rl) -> Section {
    let mut section = Section::new("Batch");
    let reason = format!("prompts of a step; {} in all", plural(rl.sequences(), "sequence", "sequences"));
    section.set("--rollout-batch-size", rl.prompts_per_step, reason);
    if rl.gen_batch_size != rl.prompts_per_step {
        section.set("--over-sampling-batch-size", rl.gen_batch_size, "prompts sampled at a time, from your question");
    }
    section.set("--n-samples-per-prompt", rl.responses_per_prompt, "responses per prompt, from your question");
    let reason = format!("sequences, not prompts; {} a step", plural(updates(rl).0, "update", "updates"));
    section.set("--global-batch-size", rl.mini_batch.saturating_mul(rl.responses_per_prompt), reason);
    section.set("--rollout-max-prompt-len", rl.max_prompt_length, "tokens; longer prompts are left out");
    section.set("--rollout-max-response-len", rl.max_response_length, "tokens of a response, from your question");
    if rl.balance_batch {
        switch(&mut section, "--balance-data", "ranks get as much work each");
    }
    section
}

fn data(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Data and rewards");
    section.set("--prompt-data", home("data/train.jsonl"), "change this to your data");
    section.set("--input-key", "prompt", "the key with the prompt");
    section.set("--label-key", "label", "the key that the rule scores against");
    switch(&mut section, "--apply-chat-template", "the model's own");
    switch(&mut section, "--rollout-shuffle", "another order in each pass");
    section.set("--rm-type", "deepscaler", "a rule for mathematics; change this to yours");
    section.set("--rollout-temperature", 1, "as the policy is");
    let (steps, reason) = run::steps(&emission.job.workload, rl);
    section.set("--num-rollout", steps, reason);
    section
}

/// How tokens travel to their experts, where it is otherwise than in slime's own arguments of the model.
fn exchange(emission: &Emission) -> Section {
    let mut section = Section::new("Experts");
    let switches = emission.plan.layout.switches;
    if let Some((backend, reason)) = megatron::flex_backend(switches).filter(|(own, _)| *own != "deepep") {
        section.set("--moe-token-dispatcher-type", "flex", "tokens travel to their experts");
        section.set("--moe-flex-dispatcher-backend", backend, reason);
    }
    match (megatron::dispatcher(switches), switches.moe_token_dispatcher) {
        ((dispatcher, true), _) => {
            section.set("--moe-token-dispatcher-type", dispatcher, "tokens travel to their experts");
            switch(&mut section, "--moe-enable-deepep", megatron::DEEPEP);
        }
        ((dispatcher, false), Some(TokenDispatcher::Alltoall)) => {
            section.set("--moe-token-dispatcher-type", dispatcher, "NCCL's all-to-all, from the plan");
        }
        ((_, false), _) => {}
    }
    if switches.overlap_moe_expert_parallel_comm {
        switch(&mut section, "--overlap-moe-expert-parallel-comm", megatron::EXPERTS_OVERLAP);
    }
    section
}

/// What one forward pass takes on one GPU.
fn passes(emission: &Emission) -> Section {
    let mut section = Section::new("What one forward pass takes on one GPU");
    let layout = &emission.plan.layout;
    match layout.micro_batch {
        MicroBatch::Tokens(tokens) => {
            switch(&mut section, "--use-dynamic-batch-size", "packs short sequences together up to a budget");
            section.set("--max-tokens-per-gpu", tokens, "tokens, from the plan");
            let (forward, reason) = match layout.forward {
                Some(MicroBatch::Tokens(forward)) => (forward, "forward only: its own, from the plan"),
                _ => (tokens.saturating_mul(2), "forward only: twice the actor's"),
            };
            section.set("--log-probs-max-tokens-per-gpu", forward, reason);
        }
        MicroBatch::Sequences(micro) => section.set("--micro-batch-size", micro, "sequences, from the plan"),
    }
    section
}

fn kernels(emission: &Emission) -> Section {
    let layout = &emission.plan.layout;
    let mut section = Section::new("Kernels and precision");
    attention(&mut section, emission);
    match layout.gradient_bytes {
        2.0 => switch(&mut section, "--grad-reduce-in-bf16", "gradients take 2 bytes"),
        4.0 => switch(&mut section, "--accumulate-allreduce-grads-in-fp32", "gradients take 4 bytes"),
        _ => {}
    }
    for name in ["--attention-dropout", "--hidden-dropout"] {
        section.set(name, "0.0", "Megatron-LM's default is 0.1");
    }
    section
}

fn generation(emission: &Emission, rollout: &RolloutPlan) -> Section {
    let (engines, gpus) = (engines(emission, rollout), rollout.gpus());
    let mut section = Section::new(format!("Generation: {}", plural(engines, "engine", "engines")));
    section.set("--rollout-num-gpus-per-engine", gpus, engine_reason(gpus));
    if rollout.data_parallel > 1 {
        section.set("--sglang-dp-size", rollout.data_parallel, "copies of the attention in an engine");
        switch(&mut section, "--sglang-enable-dp-attention", "they share the experts");
    }
    if rollout.expert_parallel > 1 {
        section.set("--sglang-ep-size", rollout.expert_parallel, "GPUs that share an engine's experts");
    }
    let taken = share(rollout.gpu_memory_utilization);
    section.set("--sglang-mem-fraction-static", taken, "share of the card that an engine takes");
    let most = format!("{} at a time on one engine", plural(rollout.max_num_seqs, "sequence", "sequences"));
    section.set("--sglang-max-running-requests", rollout.max_num_seqs, most);
    if rollout.enforce_eager {
        switch(&mut section, "--sglang-disable-cuda-graph", "launches each kernel, as the plan says");
    }
    if rollout.kv_cache_dtype == KvCacheDtype::Fp8 {
        section.set("--sglang-kv-cache-dtype", "fp8_e4m3", "half the bytes of a cached token, as the plan says");
    }
    section
}

/// `--advantage-estimator`.
fn estimator(kind: WorkloadKind, of: Baseline) -> &'static str {
    match (kind, of) {
        (WorkloadKind::Gspo, _) => "gspo",
        (WorkloadKind::Cispo, _) => "cispo",
        (_, Baseline::Batch) => "reinforce_plus_plus",
        _ => "grpo",
    }
}

fn algorithm(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Algorithm");
    let kind = emission.job.workload.kind;
    let Some(algorithm) = kind.algorithm() else {
        return section;
    };
    section.set("--advantage-estimator", estimator(kind, algorithm.baseline), baseline(algorithm.baseline));
    if algorithm.baseline == Baseline::Batch {
        switch(&mut section, "--normalize-advantages", "slime asks for it beside this estimator");
    }
    if rl.reference {
        switch(&mut section, "--use-kl-loss", "the penalty is in the loss");
        section.set("--kl-loss-coef", "0.001", "keeps the policy near the reference; yours to tune");
        section.set("--kl-loss-type", "low_var_kl", "the unbiased estimate with low variance");
    }
    loss(&mut section, algorithm);
    if !rl.old_log_prob {
        switch(&mut section, "--use-rollout-logprobs", "the engine's own stand for those of the trainer");
    }
    if rl.oversampling > 1.0 {
        let reason = format!(
            "drops prompts whose responses all score alike; the estimate generates {} for each that stays",
            figure(rl.oversampling)
        );
        let filter = "slime.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std";
        section.set("--dynamic-sampling-filter-path", filter, reason);
    }
    section
}

fn loss(section: &mut Section, algorithm: &Algorithm) {
    if let Some(clip) = algorithm.loss.clip {
        section.set("--eps-clip", format!("{:?}", clip.low), clip.why);
        section.set("--eps-clip-high", format!("{:?}", clip.high), clip.why);
        if let Some(dual) = clip.dual {
            let reason = format!("{}'s bound of the dual clip", algorithm.name);
            section.set("--eps-clip-c", format!("{dual:?}"), reason);
        }
    }
    if algorithm.loss.mean == Mean::Token {
        switch(section, "--calculate-per-token-loss", "every token counts alike");
    }
}

fn optimizer(emission: &Emission) -> Section {
    let mut section = Section::new("Optimizer");
    section.set("--optimizer", "adam", "as the plan has it");
    section.set("--lr", rate(&emission.job.workload), "a start; yours to tune");
    section.set("--lr-decay-style", "constant", "usual for reinforcement learning");
    section.set("--weight-decay", "0.1", "usual for language models");
    section.set("--adam-beta1", "0.9", "usual for language models");
    section.set("--adam-beta2", "0.98", "slime's own scripts'");
    section
}
