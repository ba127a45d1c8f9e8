//! slime: `ray job submit … -- python3 train.py` with Megatron-LM's arguments and its own
//! (<https://github.com/THUDM/slime>, 624b824).

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use serde_json::json;

use super::draft::Draft;
use super::launch;
use super::link::Base;
use super::megatron;
use super::model;
use super::reinforcement::{filtered, generates_on, narrow_cache, offloads, or_dapo, served_as_named, trains_on};
use super::report::{Dialect, Reading, Trouble};
use super::text::{Kind, Part};

/// Reads its arguments.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Slime, keys::SECTIONS, base);
    let mut program = String::new();
    for part in parts {
        match &part.kind {
            Kind::Shell(script) => {
                let launch = launch::find(script, Dialect::Slime);
                for setting in launch::arguments(&launch.after) {
                    draft.state(setting);
                }
                launch.report(&mut draft, script);
                launch.program.clone_into(&mut program);
            }
            Kind::Json(_) | Kind::File(_) => draft.unread("file", "slime's arguments alone are read.", 0),
        }
    }
    question(&mut draft, &program);
    draft.finish(None)
}

fn question(draft: &mut Draft, program: &str) {
    let layers = the_model(draft);
    machine(draft, program);
    if draft.word("--loss_type").as_deref() == Some("sft_loss") {
        fine_tuning(draft);
    } else {
        reinforcement(draft);
    }
    megatron::layout(draft, layers);
    // `backends/megatron_utils/arguments.py`, `_set_default_megatron_args`: whatever the arguments say.
    draft.set("plan.zero_stage", 1);
    if draft.size("plan.expert_parallel") > Some(1) {
        let own = draft.word("--moe_token_dispatcher_type");
        let deepep = draft.is_on("--moe_enable_deepep");
        let backend = draft.word("--moe_flex_dispatcher_backend");
        if let Some(dispatcher) = megatron::dispatcher(own.as_deref(), backend.as_deref(), deepep) {
            draft.set("plan.moe_token_dispatcher", dispatcher);
        }
    }
    batches(draft);
    // Colocated, all that trains makes room for generation (`arguments.py`, `offload_train`).
    let apart = draft.field("workload.rl.schedule").is_some();
    let tuned = draft.field("workload.rl").is_none();
    let stays = draft.is_on("--no_offload_train") || apart || tuned;
    // States that the CPUs step stay there, whatever else makes room.
    let share = draft
        .is_on("--optimizer_cpu_offload")
        .then(|| draft.number("--optimizer_offload_fraction").unwrap_or(1.0).clamp(0.0, 1.0));
    let all = share == Some(1.0);
    offloads(draft, "plan", !stays, if tuned { all } else { !stays && !all });
    if let Some(share) = share.filter(|_| !(tuned && all)) {
        draft.set("plan.optimizer_offload_fraction", share);
    }
    megatron::precision(draft);
}

/// The checkpoint's name says the model; the shape, which another file often holds, where it does not.
fn the_model(draft: &mut Draft) -> Option<u64> {
    let named = draft.known("--hf_checkpoint");
    if named.as_deref().and_then(model::find).is_none() && draft.states("--hidden_size") {
        return megatron::model(draft);
    }
    let entry = draft.take_model("--hf_checkpoint", "model");
    entry.map(|entry| entry.shape.num_hidden_layers)
}

fn machine(draft: &mut Draft, program: &str) {
    let nodes = draft.count("--actor_num_nodes").unwrap_or(1);
    let per_node = draft.count("--actor_num_gpus_per_node");
    if per_node.is_none() {
        draft.assume("hardware.gpus_per_node", 8, "slime's default; set --actor-num-gpus-per-node to state it.");
    }
    let train = trains_on(draft, nodes, per_node.unwrap_or(8));
    if draft.is_on("--colocate") || draft.word("--loss_type").as_deref() == Some("sft_loss") {
        return;
    }
    if let Some(generate) = draft.count("--rollout_num_gpus") {
        // `train_async.py` generates the next rollout while it trains on the last.
        generates_on(draft, train, generate, if program.contains("async") { "one_step_off" } else { "split" });
        if let Some(node) = draft.count("--num_gpus_per_node") {
            draft.set("hardware.gpus_per_node", node);
        }
    }
}

fn reinforcement(draft: &mut Draft) {
    let kind = match draft.word("--advantage_estimator").as_deref() {
        Some("ppo") => "ppo",
        Some("gspo") => "gspo",
        Some("cispo") => "cispo",
        Some("reinforce_plus_plus" | "reinforce_plus_plus_baseline") => "reinforce_plus_plus",
        _ => "grpo",
    };
    let filters = draft.states("--dynamic_sampling_filter_path");
    // A bound of the dual clip is DAPO's as well.
    let marked = filters || draft.states("--eps_clip_c");
    let kind = or_dapo(draft, kind, marked, "--eps_clip", "--eps_clip_high");
    draft.set("workload.kind", kind);
    if kind == "dapo" && !filters {
        draft.set("workload.rl.oversampling", 1.0);
    }
    draft.take_all("--");
    if draft.field("workload.rl.prompts_per_step").is_none() {
        draft.miss(
            "workload.rl.prompts_per_step",
            "--rollout-batch-size",
            "slime has no default for --rollout-batch-size. State it.",
        );
    }
    let size = |draft: &Draft, name: &str, default| draft.size(&format!("workload.rl.{name}")).unwrap_or(default);
    let (prompts, each) = (size(draft, "prompts_per_step", 1), size(draft, "responses_per_prompt", 1).max(1));
    let mini = match (draft.count("--global_batch_size"), draft.count("--num_steps_per_rollout")) {
        (Some(samples), _) => (samples / each).max(1),
        (None, Some(steps)) => (prompts / steps).max(1),
        (None, None) => prompts,
    };
    draft.set("workload.rl.mini_batch", mini.min(prompts));
    let keeps = draft.is_on("--use_kl_loss") || draft.number("--kl_coef").is_some_and(|share| share > 0.0);
    draft.set("workload.rl.reference", keeps);
    let own = !draft.is_on("--use_rollout_logprobs");
    draft.set("workload.rl.old_log_prob", own);
    if filters {
        filtered(draft);
    }
    lengths(draft);
    draft.set("plan.rollout.engine", "sglang");
    // `--sglang-*` are SGLang's own arguments: attention by data parallelism over an engine's GPUs, experts over all.
    let gpus = draft.size("plan.rollout.tensor_parallel").unwrap_or(1);
    let ranks = ["--sglang_dp_size", "--sglang_data_parallel_size"]
        .iter()
        .find_map(|key| draft.count(key));
    if let Some(ranks) = ranks.filter(|ranks| *ranks > 1 && gpus.is_multiple_of(*ranks)) {
        draft.set("plan.rollout.data_parallel", ranks);
        draft.set("plan.rollout.tensor_parallel", gpus / ranks);
    }
    if ["--sglang_ep_size", "--sglang_expert_parallel_size"]
        .iter()
        .any(|key| draft.count(key).is_some_and(|all| all > 1))
    {
        draft.set("plan.rollout.expert_parallel", gpus);
    }
    narrow_cache(draft, "--sglang_kv_cache_dtype");
    // docs/en/advanced/low-precision.md: the engine serves the checkpoint as it is quantized.
    served_as_named(draft, "--hf_checkpoint");
    draft.take_count("--num_rollout", "workload.run.steps", None);
}

/// Prompts are often not bounded; the context less the response is then what they may have.
fn lengths(draft: &mut Draft) {
    let context = draft.count("--rollout_max_context_len");
    let response = draft.count("--rollout_max_response_len");
    let prompt = draft.count("--rollout_max_prompt_len");
    let response = response.or_else(|| Some(context?.saturating_sub(prompt?)).filter(|left| *left > 0));
    match response {
        Some(response) => draft.set("workload.rl.max_response_length", response),
        None => draft.miss(
            "workload.rl.max_response_length",
            "--rollout-max-response-len",
            "How long a response may get is not stated. Set --rollout-max-response-len.",
        ),
    }
    let left = context
        .zip(response)
        .map(|(context, response)| context.saturating_sub(response));
    match prompt.or(left.filter(|left| *left > 0)) {
        Some(prompt) => draft.set("workload.rl.max_prompt_length", prompt),
        None => draft.assume(
            "workload.rl.max_prompt_length",
            1024,
            "slime bounds no prompt unless --rollout-max-prompt-len does.",
        ),
    }
}

fn batches(draft: &mut Draft) {
    if draft.is_on("--use_dynamic_batch_size") {
        let tokens = draft.count("--max_tokens_per_gpu");
        if let Some(tokens) = tokens {
            draft.remove("plan.micro_batch");
            draft.set("plan.max_tokens_per_gpu", tokens);
            let forward = draft.count("--log_probs_max_tokens_per_gpu").unwrap_or(tokens);
            draft.set("plan.forward_max_tokens_per_gpu", forward);
        }
        return;
    }
    draft.take_count("--micro_batch_size", "plan.micro_batch", Some(1));
}

fn fine_tuning(draft: &mut Draft) {
    draft.set("workload.kind", "sft");
    let batch = draft
        .count("--global_batch_size")
        .or_else(|| draft.count("--rollout_batch_size"));
    draft.set("workload.global_batch", json!(batch));
    let tokens = draft.count("--seq_length").or_else(|| draft.count("--max_tokens_per_gpu"));
    let why = "slime cuts no example: a micro-batch's tokens stand for the longest.";
    draft.assume("workload.sequence_length", tokens.unwrap_or(4096), why);
    draft.set("workload.packing", true);
}
