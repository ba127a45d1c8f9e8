//! `openrlhf.cli.train_ppo_ray`: PPO, GRPO and those like it, on Ray.

use serde_json::{Value, json};

use super::{adapters, layout, recompute};
use crate::read::draft::Draft;
use crate::read::model;
use crate::read::trainer::stays_in_host_memory;

/// Prompts generated for each that trains, where some are dropped and no text says how many: the calculator's own figure for
/// DAPO.
const OVERSAMPLING: f64 = 2.3;

pub(super) fn question(draft: &mut Draft) {
    super::model(draft, "--actor.model_name_or_path");
    let kind = kind(draft);
    adapters(draft, Some(kind));
    layout(draft, "actor.");
    // Where the CPUs step, nothing else moves: `offload_deepspeed_states` of utils/deepspeed/deepspeed_utils.py of 0.11.2 returns at
    // once. `enable_sleep` alone brings the states back for each update.
    if draft.tells("--ds.adam_offload", true) {
        stays_in_host_memory(draft);
    }
    recompute(draft, "--actor.gradient_checkpointing_enable");
    let reference = algorithm(draft);
    batch(draft);
    micro_batches(draft);
    machine(draft, kind == "ppo", reference);
    models(draft, kind == "ppo");
    generation(draft);
    draft.set("plan.fused_lm_head", false);
    if draft.states("--train.agent_func_path") {
        draft.note(0, "An agent answers in several turns, which its program decides. The estimate has one: state workload.rl.agent.");
    }
}

/// The algorithm, by its baseline and its loss.
fn kind(draft: &mut Draft) -> &'static str {
    let clip = draft.word("--actor.eps_clip_low_high").unwrap_or_default();
    let ratios: Vec<f64> = clip.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
    let higher = matches!(ratios.as_slice(), [low, high] if high > low);
    match draft.word("--algo.advantage.estimator").as_deref() {
        None => {
            draft.default("--algo.advantage.estimator", "workload.kind", "ppo");
            "ppo"
        }
        Some("gae") => "ppo",
        Some("rloo") => "rloo",
        Some("dr_grpo") => "dr_grpo",
        Some("reinforce" | "reinforce_baseline") => "reinforce_plus_plus",
        _ if draft.word("--actor.policy_loss_type").as_deref() == Some("gspo") => "gspo",
        _ if higher => "dapo",
        _ => "grpo",
    }
}

/// What of the algorithm costs time; whether there is a reference.
fn algorithm(draft: &mut Draft) -> bool {
    let weight = draft.number("--algo.kl.init_coef").unwrap_or(0.01);
    draft.set("workload.rl.reference", weight > 0.0);
    if draft.tells("--algo.dynamic_filtering_enable", true) {
        let base = draft.base.and_then(|base| base.workload.rl.as_ref()?.oversampling);
        let why = "A script does not state how many groups are dropped; a log of your run does.";
        draft.assume("workload.rl.oversampling", base.unwrap_or(OVERSAMPLING), why);
    } else {
        draft.set("workload.rl.oversampling", 1.0);
    }
    draft.set("workload.rl.old_log_prob", true);
    weight > 0.0
}

fn batch(draft: &mut Draft) {
    let prompts = draft
        .take_count("--rollout.batch_size", "workload.rl.prompts_per_step", Some(1024))
        .unwrap_or(1024);
    let responses = draft
        .take_count("--rollout.n_samples_per_prompt", "workload.rl.responses_per_prompt", Some(1))
        .unwrap_or(1)
        .max(1);
    let sequences = draft.count("--train.batch_size").unwrap_or(128);
    let mini = (sequences / responses).clamp(1, prompts.max(1));
    if draft.states("--train.batch_size") {
        draft.set("workload.rl.mini_batch", mini);
    } else {
        draft.assume(
            "workload.rl.mini_batch",
            mini,
            format!(
                "OpenRLHF's default of 128 sequences, {responses} of each prompt; set --train.batch_size to state it."
            ),
        );
    }
    draft.take_count("--train.max_epochs", "workload.rl.epochs", Some(1));
    let whole = draft.count("--data.max_len");
    let response = draft.count("--rollout.max_new_tokens");
    let prompt = draft.count("--prompt_max_len");
    let (prompt, response, told) = match (whole, prompt, response) {
        (_, Some(prompt), Some(response)) => (prompt, response, true),
        (Some(whole), _, Some(response)) if whole > response => (whole - response, response, true),
        (Some(whole), Some(prompt), None) if whole > prompt => (prompt, whole - prompt, true),
        (whole, ..) => {
            let half = (whole.unwrap_or(2048) / 2).max(1);
            (half, response.unwrap_or(half), false)
        }
    };
    for (name, length) in [("max_prompt_length", prompt), ("max_response_length", response)] {
        let field = format!("workload.rl.{name}");
        if told {
            draft.set(&field, length);
        } else {
            draft.assume(&field, length, "Half of data.max_len: the text states it for prompt and response together.");
        }
    }
}

/// What one pass takes on one GPU, to train and forward alone.
fn micro_batches(draft: &mut Draft) {
    if draft.tells("--train.dynamic_batch_enable", true) {
        let tokens = draft
            .take_count("--train.max_tokens_per_gpu", "plan.max_tokens_per_gpu", Some(16_192))
            .unwrap_or(16_192);
        let forward = draft.count("--rollout.max_tokens_per_gpu").unwrap_or(tokens);
        draft.set("plan.forward_max_tokens_per_gpu", forward);
        longest(draft, tokens.min(forward));
    } else {
        draft.take_count("--train.micro_batch_size", "plan.micro_batch", Some(1));
        let forward = draft.count("--rollout.micro_batch_size").unwrap_or(1);
        draft.set("plan.forward_micro_batch", forward);
    }
}

/// A sequence of more tokens than the budget has is a pass of its own (0.11.2, `utils/seqlen_balancing.py`, line 234): nothing refuses it,
/// and the largest pass is as long as that.
fn longest(draft: &mut Draft, budget: u64) {
    let of = |name: &str| draft.size(&format!("workload.rl.max_{name}_length")).unwrap_or(0);
    let longest = of("prompt").saturating_add(of("response"));
    if longest > budget {
        draft.overrule("plan.max_tokens_per_gpu");
        draft.overrule("plan.forward_max_tokens_per_gpu");
        draft.note(
            0,
            format!("A sequence of more than {budget} tokens is a pass of its own: the longest has {longest}."),
        );
    }
}

/// GPUs that train, and whether others generate.
fn machine(draft: &mut Draft, critic: bool, reference: bool) {
    let pool = |draft: &mut Draft, role: &str| {
        let [nodes, gpus] = ["num_nodes", "num_gpus_per_node"].map(|name| draft.count(&format!("--{role}.{name}")));
        (nodes.unwrap_or(1).saturating_mul(gpus.unwrap_or(8)), gpus.unwrap_or(8))
    };
    let (train, node) = pool(draft, "actor");
    draft.train_gpus = Some(train);
    let engines = draft.count("--vllm.num_engines");
    let tensor = draft.count("--vllm.tensor_parallel_size").unwrap_or(1);
    let generate = engines.unwrap_or(0).saturating_mul(tensor);
    let [together, ahead, partial] = ["--train.colocate_all", "--train.async_enable", "--train.partial_rollout_enable"]
        .map(|key| draft.tells(key, true));
    if together && !ahead {
        draft.set("workload.rl.schedule", "colocated");
        draft.set("hardware.gpus", train);
        draft.set("hardware.gpus_per_node", node);
        return;
    }
    if engines.is_none() {
        draft.assume_known(
            "hardware.gpus",
            train,
            "The text has no engines of vLLM: they are estimated on the GPUs that train.",
        );
        draft.set("hardware.gpus_per_node", node);
        draft.set("workload.rl.schedule", "colocated");
        return;
    }
    let all = train.saturating_add(generate);
    draft.set("hardware.gpus", all);
    draft.set("hardware.gpus_per_node", if all <= 8 { all } else { node });
    draft.set("workload.rl.train_gpus", train);
    let queue = draft.count("--train.async_queue_size").unwrap_or(1);
    match (ahead, partial) {
        (true, true) => {
            draft.set("workload.rl.schedule", "fully_async");
            draft.set("workload.rl.max_staleness", queue);
        }
        (true, false) => draft.set("workload.rl.schedule", "one_step_off"),
        (false, _) => draft.set("workload.rl.schedule", "split"),
    }
    if critic && !together {
        draft.overrule("workload.rl.schedule");
        let why = "Critic and reward model have GPUs of their own here, of which there is no estimate: --train.colocate_all has them on the actor's.";
        draft.cannot("--critic.num_gpus_per_node", why);
    } else if reference && !draft.tells("--train.colocate_actor_ref", true) && !together {
        draft.note(0, "The reference has GPUs of its own here. The estimate has it on the actor's.");
    }
}

/// The other roles' models.
fn models(draft: &mut Draft, critic: bool) {
    if critic && draft.states("--critic.model_name_or_path") {
        draft.take_model("--critic.model_name_or_path", "workload.rl.critic");
    }
    if draft.states("--reward.model_name_or_path") {
        let path = draft.text("--reward.model_name_or_path");
        if path.as_deref().and_then(model::find).is_some() {
            draft.take_model("--reward.model_name_or_path", "workload.rl.reward_model");
        } else {
            let why = "The catalog does not know the reward model, so the estimate leaves it out; state its shape.";
            draft.assume("workload.rl.reward_model", Value::Null, why);
        }
    }
    if draft.tells("--ref.offload", true) {
        draft.set("plan.reference.offload", json!({"parameters": true}));
    }
}

fn generation(draft: &mut Draft) {
    draft.set("plan.rollout.engine", "vllm");
    draft.take_count("--vllm.tensor_parallel_size", "plan.rollout.tensor_parallel", Some(1));
    match draft.number("--vllm.gpu_memory_utilization") {
        Some(share) => draft.set("plan.rollout.gpu_memory_utilization", share),
        None => draft.default("--vllm.gpu_memory_utilization", "plan.rollout.gpu_memory_utilization", 0.95),
    }
    draft.set("plan.rollout.enforce_eager", draft.tells("--vllm.enforce_eager", true));
    if draft.field("workload.rl.schedule").is_some_and(|own| own == "colocated") {
        draft.set("plan.rollout.free_cache", draft.tells("--vllm.enable_sleep", true));
    }
}
