//! `trl.scripts.grpo`, `trl.scripts.rloo` and `trl.scripts.distillation`: GRPO, the losses like it, RLOO and on-policy distillation,
//! with vLLM beside training or as a server.

use super::super::Emission;
use super::super::checkpoint::trained;
use super::super::choices::grouped::{self, Told};
use super::super::choices::{engine_reason, engines, half_type};
use super::super::text::{Section, flag, model_path, share};
use super::super::words::{count, plural};
use super::{model, serves};
use shardwise_question::plan::RolloutPlan;
use shardwise_question::task::Baseline;
use shardwise_question::wire::{KvCacheDtype, WorkloadKind};
use shardwise_question::workload::{Distillation, Rl};
use shardwise_rules::{nodes, pools};

/// Tokens of one step of TRL's engine beside training (trl 1.16.0, `generation/vllm_generation.py`).
const ENGINE_TOKENS: u64 = 4096;

pub(super) fn sections(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Vec<Section> {
    let signal = match &emission.job.workload.distillation {
        Some(own) => teacher(emission, own),
        None => algorithm(emission, rl),
    };
    vec![batch(emission, rl), model(emission), generation(emission, rl, rollout), signal]
}

/// The teacher, loaded beside the student: `scripts/distillation.py` gives it the student's type unless it is told otherwise.
fn teacher(emission: &Emission, own: &Distillation) -> Section {
    let mut section = Section::new("Teacher, beside the student");
    let (path, reason) = model_path(&own.teacher);
    section.set("--teacher_model_name_or_path", path, reason);
    let dtype = half_type(emission.job.workload.precision);
    section.set(
        "--teacher_model_init_kwargs",
        format!("'{{\"dtype\":\"{dtype}\"}}'"),
        "16 bits for each of its weights, as estimated",
    );
    section.set("--beta", "1.0", "the reverse divergence, TRL's default; 0.0 is the forward one");
    section
}

fn batch(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Batch: everything counts sequences");
    super::batch(&mut section, emission);
    if emission.job.workload.distillation.is_some() {
        // Each update has its own generation.
        section.set("--max_completion_length", rl.max_response_length, grouped::RESPONSE);
        return section;
    }
    tell(&mut section, grouped::fed(emission, rl));
    section
}

/// Says keys of its configuration as options of its script.
fn tell(section: &mut Section, told: impl IntoIterator<Item = Told>) {
    for Told { key, value, reason, .. } in told {
        section.set(format!("--{key}"), value, reason);
    }
}

fn generation(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Section {
    let engines = engines(emission, rollout);
    let mut section = Section::new(format!("Generation: {}", plural(engines, "engine", "engines")));
    section.set("--use_vllm", "True", "generates with vLLM");
    if serves(emission) {
        section.set("--vllm_mode", "server", "on GPUs of its own");
        section.set("--vllm_server_host", "\"$VLLM_HOST\"", "where vllm_server.sh runs");
        section.set("--vllm_server_port", 8000, "as in vllm_server.sh");
    } else {
        section.set("--vllm_mode", "colocate", "on the GPUs that train");
        let tp = rollout.tensor_parallel;
        section.set("--vllm_tensor_parallel_size", tp, engine_reason(tp));
        let taken = share(rollout.gpu_memory_utilization);
        section.set("--vllm_gpu_memory_utilization", taken, "share of the card that the engine takes");
        section.set("--vllm_max_model_length", rl.max_length(), "prompt and response");
        let reason = if rollout.free_cache {
            "gives weights and cache back while training"
        } else {
            "keeps its memory while training, as the plan says"
        };
        section.set("--vllm_enable_sleep_mode", flag(rollout.free_cache), reason);
    }
    if !matches!(emission.job.workload.kind, WorkloadKind::Rloo | WorkloadKind::Distill) {
        tell(&mut section, [grouped::correction(rl)]);
    }
    section
}

fn algorithm(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Algorithm");
    // RLOO's trainer has a loss of its own.
    let own = emission.job.workload.kind.algorithm();
    let mut told = own
        .filter(|own| own.baseline != Baseline::Others)
        .map(grouped::loss)
        .unwrap_or_default();
    told.push(grouped::penalty(rl.reference));
    tell(&mut section, told);
    match &rl.reward_model {
        Some(model) => section.set("--reward_model_name_or_path", model_path(model).0, "scores the responses"),
        None => {
            let reason = "a rule: compares with the column solution, by math-verify; change this to yours";
            section.set("--reward_funcs", "accuracy_reward", reason);
        }
    }
    section
}

/// The server's own arguments, where it has GPUs of its own.
pub(super) fn server(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Section {
    let (_, generate) = pools(emission.job);
    let per_node = emission.job.hardware.gpus_per_node;
    let (_, gpus) = nodes(generate, per_node).unwrap_or((1, generate));
    let mut section = Section::new(format!("vLLM on a node with {}", plural(gpus.into(), "GPU", "GPUs")));
    let (path, reason) = trained(emission.job, &emission.job.model);
    section.set("--model", path, reason);
    section.set("--tensor_parallel_size", rollout.tensor_parallel, "GPUs that split each matrix");
    if rollout.data_parallel > 1 {
        section.set("--data_parallel_size", rollout.data_parallel, "attention ranks in the engine");
    }
    let taken = share(rollout.gpu_memory_utilization);
    section.set("--gpu_memory_utilization", taken, "share of the card that the engine takes");
    section.set("--max_model_len", rl.max_length(), "prompt and response");
    let eager = rollout.enforce_eager;
    let reason = if eager { "launches each kernel, as the plan says" } else { "replays CUDA graphs" };
    section.set("--enforce_eager", flag(eager), reason);
    if rollout.kv_cache_dtype == KvCacheDtype::Fp8 {
        section.set("--kv_cache_dtype", "fp8", "keys and values in 8 bits");
    }
    section.set("--host", "0.0.0.0", "reached from the nodes that train");
    section.set("--port", 8000, "as in train.sh");
    section
}

/// What TRL decides about the engine by itself, where the plan has it otherwise.
pub(super) fn engine_limits(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Option<String> {
    if serves(emission) {
        return Some(format!(
            "vLLM's server chooses how many sequences it decodes together; the estimate has {}.",
            count(rollout.max_num_seqs)
        ));
    }
    let all = rl.sequences() / engines(emission, rollout).max(1);
    (all.min(rollout.max_num_seqs) != all || rollout.max_num_batched_tokens != ENGINE_TOKENS).then(|| {
        format!(
            "TRL's engines decode all their {} together, {} tokens a step; the estimate has {} and {}.",
            plural(all, "sequence", "sequences"),
            count(ENGINE_TOKENS),
            count(rollout.max_num_seqs),
            count(rollout.max_num_batched_tokens)
        )
    })
}
