//! GRPO, the losses like it, and RLOO, as TRL's trainers call them and ms-swift's, which are made of these.

use serde_json::Value;

use super::stays_in_host_memory;
use crate::read::draft::Draft;
use crate::read::model;
use crate::read::reinforcement::narrow_cache;

/// Before the keys of vLLM's server, which has a command of its own.
pub(in crate::read) const SERVER: &str = "vllm_serve.";

/// What a framework does of itself.
#[derive(Clone, Copy)]
pub(in crate::read) struct Own {
    /// Weight of the penalty for leaving the reference.
    pub(in crate::read) beta: f64,
    /// Responses of a prompt.
    pub(in crate::read) responses: u64,
    /// Share of the card that an engine beside training takes.
    pub(in crate::read) share: f64,
    /// Sequences that an engine beside training decodes together; all of them where there is no bound.
    pub(in crate::read) sequences: Option<u64>,
    /// Tokens of one step of that engine.
    pub(in crate::read) tokens: u64,
    /// Where the server is started, as a sentence may name it.
    pub(in crate::read) server: &'static str,
}

/// The algorithm, by its loss.
pub(in crate::read) fn kind(draft: &mut Draft, script: &str, loss: Option<&str>) -> &'static str {
    if script == "rloo" {
        return "rloo";
    }
    let scaled = draft.word("scale_rewards");
    let unscaled = matches!(scaled.as_deref(), Some("none" | "False" | "false"));
    let low = draft.number("epsilon").unwrap_or(0.2);
    let high = draft.number("epsilon_high").unwrap_or(low);
    match loss {
        _ if draft.word("importance_sampling_level").as_deref() == Some("sequence") => "gspo",
        Some("cispo") => "cispo",
        Some("dr_grpo") => "dr_grpo",
        None | Some("dapo") if high > low => "dapo",
        _ if unscaled => "dr_grpo",
        _ => "grpo",
    }
}

/// What a step generates and trains on; `passes` are sequences of a pass, passes of an update, and ranks.
pub(in crate::read) fn read(draft: &mut Draft, rloo: bool, own: &Own, passes: [u64; 3]) {
    stays_in_host_memory(draft);
    let engine = draft.flag("use_vllm") == Some(true);
    let corrects = draft.flag("vllm_importance_sampling_correction").unwrap_or(true);
    let pending = step(draft, own, passes, rloo || engine && corrects);
    if engine {
        let server = draft.word("vllm_mode").as_deref() == Some("server");
        generation(draft, own, server, pending);
    } else {
        by_the_trainer(draft, pending);
    }
    lengths(draft, &["vllm_max_model_length", "vllm_max_model_len", "vllm_serve.max_model_len"]);
}

/// What a step samples that a teacher judges, of sequences as long as the text's own, of which the student writes the last `written`
/// tokens. No engine does it.
pub(in crate::read) fn as_text(draft: &mut Draft, own: &Own, passes: [u64; 3], written: u64) {
    let longest = draft.size("workload.sequence_length").unwrap_or(1024);
    draft.remove("workload.sequence_length");
    draft.forget("workload.sequence_length");
    let pending = step(draft, own, passes, false);
    for field in ["reference", "old_log_prob"] {
        draft.set(&format!("workload.rl.{field}"), false);
    }
    by_the_trainer(draft, pending);
    let written = written.min(longest.saturating_sub(1)).max(1);
    draft.set("workload.rl.max_response_length", written);
    draft.set("workload.rl.max_prompt_length", longest.saturating_sub(written).max(1));
}

/// Says that no engine generates where a key asks for none.
pub(in crate::read) fn without_engine(draft: &mut Draft, key: &str) {
    let note = format!("Without {key} Transformers generates, many times as slowly. The estimate generates with vLLM.");
    draft.note(0, note);
}

/// Tokens of a pass of generation without an engine, for its working memory: assumed.
const PASS: u64 = 2048;

/// Generation without an engine, which is the default: the trainer's own model generates (trl 1.16.0, `trainer/grpo_trainer.py:1787`;
/// ms-swift 4.6.0, `rlhf_trainers/rollout_mixin.py:390`), all `pending` responses of a rank together. ZeRO-3's weights are gathered for
/// it (`trl/models/utils.py`, `_unwrap_model_for_generation`). A question has no generation without an engine: one stands for it that
/// is there while it generates alone, and has a share of the card for nothing but weights, keys and values.
fn by_the_trainer(draft: &mut Draft, pending: u64) {
    draft.doubt(
        0,
        "Without use_vllm the trainer's own model generates (Transformers). How long that takes is not modelled: the estimate has vLLM's speed, and Transformers takes many times as long. While it generates, one more copy of the weights in 16 bits and keys and values of all responses are counted, and no engine's share of the card.",
    );
    draft.set("plan.rollout.engine", "vllm");
    for size in ["tensor_parallel", "data_parallel"] {
        draft.set(&format!("plan.rollout.{size}"), 1);
    }
    draft.set("plan.rollout.free_cache", true);
    draft.set("plan.rollout.max_num_seqs", pending.max(1));
    // No scheduler fills its passes: they have a token of each response, but for the first.
    draft.set("plan.rollout.max_num_batched_tokens", PASS);
    // Rules are of an engine's.
    for field in ["plan.rollout.free_cache", "plan.rollout.max_num_seqs", "plan.rollout.gpu_memory_utilization"] {
        draft.overrule(field);
    }
    draft.set("workload.rl.schedule", "colocated");
    draft.generates_itself = true;
}

/// The length of the run in batches of prompts, of which each makes so many of the optimizer steps that `max_steps` counts.
fn in_batches(draft: &mut Draft, updates: u64) {
    if let Some(steps) = draft.known_whole("max_steps").filter(|steps| *steps > 0) {
        draft.set("workload.run.steps", steps.div_ceil(updates.max(1)));
    }
}

/// Prompts and responses of a step, its updates, and what evaluates or scores them; whether the framework `computes` old
/// log-probabilities whatever the updates are. What comes back are responses of a rank.
pub(in crate::read) fn step(draft: &mut Draft, own: &Own, passes: [u64; 3], computes: bool) -> u64 {
    let [micro, steps, ranks] = passes;
    let responses = draft.take_count("num_generations", "workload.rl.responses_per_prompt", Some(own.responses));
    let responses = responses.unwrap_or(1).max(1);
    let pass = micro.saturating_mul(ranks);
    let generated = match (draft.count("steps_per_generation"), draft.count("generation_batch_size")) {
        (Some(steps), _) => steps,
        (None, Some(batch)) => (batch / pass.max(1)).max(1),
        (None, None) => steps,
    };
    let told = draft.field("hardware.gpus").is_some();
    let prompts = |passes: u64| (passes.saturating_mul(pass) / responses).max(1);
    for (field, passes) in [("mini_batch", steps), ("prompts_per_step", generated.max(steps))] {
        let field = format!("workload.rl.{field}");
        if told {
            draft.set(&field, prompts(passes));
        } else {
            draft.assume(
                &field,
                prompts(passes),
                format!("{passes} passes of {micro} sequences on {ranks} ranks, {responses} for each prompt."),
            );
        }
    }
    draft.remove("workload.global_batch");
    draft.forget("workload.global_batch");
    let epochs = draft.take_count("num_iterations", "workload.rl.epochs", None);
    let epochs = epochs.unwrap_or_else(|| {
        draft.set("workload.rl.epochs", 1);
        1
    });
    in_batches(draft, (generated.max(steps) / steps.max(1)).saturating_mul(epochs));
    draft.set("workload.rl.oversampling", 1.0);
    let beta = draft.number("beta").unwrap_or(own.beta);
    draft.set("workload.rl.reference", beta > 0.0);
    // Responses of a micro-batch are padded to the longest of them.
    draft.set("workload.packing", false);
    draft.set("workload.rl.old_log_prob", computes || generated > steps || epochs > 1);
    if draft.states("reward_model_name_or_path") {
        let path = draft.text("reward_model_name_or_path");
        if path.as_deref().and_then(model::find).is_some() {
            draft.take_model("reward_model_name_or_path", "workload.rl.reward_model");
        } else {
            let why = "The catalog does not know the reward model, so the estimate leaves it out; state its shape.";
            draft.assume("workload.rl.reward_model", Value::Null, why);
        }
    }
    micro.saturating_mul(generated)
}

/// Tokens of prompt and response; what holds both is under one of `whole`.
pub(in crate::read) fn lengths(draft: &mut Draft, whole: &[&str]) {
    let response = draft
        .take_count("max_completion_length", "workload.rl.max_response_length", Some(512))
        .unwrap_or(512);
    if draft.count("max_prompt_length").is_some() {
        return draft
            .take_count("max_prompt_length", "workload.rl.max_prompt_length", None)
            .map_or((), drop);
    }
    let whole = whole.iter().find_map(|key| draft.count(key));
    let own = draft.base.and_then(|base| base.workload.rl.as_ref()?.max_prompt_length);
    match (whole.and_then(|whole| whole.checked_sub(response)).filter(|prompt| *prompt > 0), own) {
        (Some(prompt), _) => draft.set("workload.rl.max_prompt_length", prompt),
        (None, Some(own)) => draft.assume_known(
            "workload.rl.max_prompt_length",
            own,
            "From the base question; the text does not state it.",
        ),
        (None, None) => draft.assume(
            "workload.rl.max_prompt_length",
            512,
            "TRL cuts no prompts, and how long yours are the text does not tell.",
        ),
    }
}

/// The engine: beside training, or a server with GPUs of its own. `pending` are responses of a rank.
fn generation(draft: &mut Draft, own: &Own, server: bool, pending: u64) {
    let key = |name: &str| if server { format!("{SERVER}{name}") } else { format!("vllm_{name}") };
    let tensor = draft
        .take_count(&key("tensor_parallel_size"), "plan.rollout.tensor_parallel", Some(1))
        .unwrap_or(1);
    let share = key("gpu_memory_utilization");
    match draft.number(&share) {
        Some(share) => draft.set("plan.rollout.gpu_memory_utilization", share),
        None => draft.default(&share, "plan.rollout.gpu_memory_utilization", if server { 0.9 } else { own.share }),
    }
    draft.set("plan.rollout.engine", "vllm");
    let eager = [key("enforce_eager")].iter().any(|key| draft.tells(key, true));
    draft.set("plan.rollout.enforce_eager", eager);
    if !server {
        let sleeps = draft.flag("vllm_enable_sleep_mode") == Some(true)
            || draft.known_whole("sleep_level").is_some_and(|level| level > 0);
        draft.set("plan.rollout.free_cache", sleeps);
        if draft
            .take_count("vllm_max_num_seqs", "plan.rollout.max_num_seqs", None)
            .is_none()
        {
            let all = pending.saturating_mul(tensor).max(1);
            match own.sequences {
                Some(most) => draft.default("vllm_max_num_seqs", "plan.rollout.max_num_seqs", most),
                None => {
                    draft.assume("plan.rollout.max_num_seqs", all, "Its engines decode all their responses together.")
                }
            }
        }
        draft.assume("plan.rollout.max_num_batched_tokens", own.tokens, "The framework's own; no key states it.");
        draft.set("workload.rl.schedule", "colocated");
        return;
    }
    let copies = draft.count("vllm_serve.data_parallel_size").unwrap_or(1);
    draft.set("plan.rollout.data_parallel", copies);
    narrow_cache(draft, "vllm_serve.kv_cache_dtype");
    draft.set("workload.rl.schedule", "split");
    let Some(train) = draft.size("hardware.gpus") else { return };
    let serving = tensor.saturating_mul(copies);
    let all = train.saturating_add(serving);
    if draft.states_any(SERVER) {
        draft.set("hardware.gpus", all);
    } else {
        draft.assume(
            "hardware.gpus",
            all,
            format!("{}'s command is not here, and it has one GPU by default: paste that too.", own.server),
        );
    }
    draft.set("workload.rl.train_gpus", train);
    draft.train_gpus = Some(train);
    let node = draft.size("hardware.gpus_per_node").unwrap_or(train);
    draft.set("hardware.gpus_per_node", if all <= 8 { 8.min(all) } else { node.max(serving.min(8)) });
}
