//! What veRL 0.9.1 refuses in keys that become no field of the question: its configuration code, and what its workers
//! assert. The rules about plans are `rules::verl`'s.

use super::{REF, ROLLOUT, longest};
use crate::read::draft::Draft;
use crate::read::value;
use shardwise_catalog::catalog::ModelEntry;
use shardwise_rules::positions::reach;

const ACTOR: &str = "actor_rollout_ref.actor.";
const CONFIG: &str = "utils/config.py";
const WORKERS: &str = "workers/engine_workers.py";
const SERVER: &str = "workers/rollout/vllm_rollout/vllm_async_server.py";
const CRITICS: &str = "workers/config/critic.py";
const ASYNC: &str = "trainer/ppo/v1/trainer_separate_async.py";

/// Keys that take a few words only, whether with Megatron or FSDP alone, the words, and the file that asks.
const WORDS: &[(&str, Option<bool>, &[&str], &str)] = &[
    (
        "actor_rollout_ref.actor.loss_agg_mode",
        None,
        &["token-mean", "token-sum", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm"],
        "workers/config/actor.py",
    ),
    (
        "actor_rollout_ref.actor.megatron.router_replay.mode",
        None,
        &["disabled", "R2", "R3"],
        "workers/config/engine.py",
    ),
    ("actor_rollout_ref.actor.optim.lr_scheduler_type", Some(false), &["constant", "cosine"], OPTIMIZER),
    ("actor_rollout_ref.actor.optim.main_grads_dtype", Some(true), STATES, OPTIMIZER),
    ("actor_rollout_ref.actor.optim.exp_avg_dtype", Some(true), STATES, OPTIMIZER),
    ("actor_rollout_ref.actor.optim.exp_avg_sq_dtype", Some(true), STATES, OPTIMIZER),
    (
        "actor_rollout_ref.model.fused_kernel_options.impl_backend",
        None,
        &["torch", "triton", "liger"],
        "models/transformers/monkey_patch.py",
    ),
];
const STATES: &[&str] = &["fp32", "float32", "32", "bf16", "bfloat16"];
const OPTIMIZER: &str = "workers/config/optimizer.py";

/// Backends that 0.9.1 has, and further ones that are read as one of them.
const STRATEGIES: &[&str] =
    &["fsdp", "fsdp2", "fsdp_turbo", "megatron", "veomni", "torchtitan", "automodel", "mindspeed", "mlite"];

/// Notes what is refused; the question is complete by now.
pub(super) fn check(draft: &mut Draft, megatron: bool, critic: bool, entry: Option<&'static ModelEntry>) {
    words(draft, megatron);
    for key in ["actor_rollout_ref.actor.strategy", "critic.strategy"] {
        let name = draft.known(key);
        if name.is_some_and(|name| !STRATEGIES.iter().any(|known| name.starts_with(known))) {
            let why = "No engine has this name. Write fsdp, fsdp2 or megatron.";
            refuse(draft, key, why, "workers/engine/base.py");
        }
    }
    generation(draft, entry);
    objective(draft);
    let dynamic = draft.tells(&format!("{ACTOR}use_dynamic_bsz"), true);
    if dynamic {
        budgets(draft);
        unpacked(draft);
    } else {
        micro_batches(draft, critic);
        divisors(draft, megatron);
    }
    let forward = format!("{ROLLOUT}log_prob_use_dynamic_bsz");
    if draft.tells(&forward, !dynamic) {
        let why = format!("It must equal {ACTOR}use_dynamic_bsz. Leave it out: it follows that.");
        refuse(draft, &forward, why, WORKERS);
    }
    pool(draft);
}

fn refuse(draft: &mut Draft, key: &str, why: impl AsRef<str>, file: &str) {
    draft.refuse_stated(key, why, &format!("verl 0.9.1, verl/{file} (https://pypi.org/project/verl/0.9.1/)"));
}

fn words(draft: &mut Draft, megatron: bool) {
    for (key, backend, allowed, file) in WORDS {
        let word = draft.known(key).filter(|_| backend.is_none_or(|own| own == megatron));
        if word.is_some_and(|word| !allowed.contains(&word.as_str())) {
            refuse(draft, key, format!("Write one of {}.", allowed.join(", ")), file);
        }
    }
}

fn generation(draft: &mut Draft, entry: Option<&ModelEntry>) {
    let [mode, stages, temperature, length] =
        ["mode", "pipeline_model_parallel_size", "temperature", "max_model_len"].map(|name| format!("{ROLLOUT}{name}"));
    let file = "workers/config/rollout.py";
    if draft.known(&mode).as_deref() == Some("sync") {
        let why = "Engines are servers: sync is gone. Write async, or leave it out.";
        refuse(draft, &mode, why, file);
    }
    if draft.known_whole(&stages).is_some_and(|stages| stages > 1) {
        let why = "No engine takes a pipeline. Set it to 1 and raise tensor_model_parallel_size.";
        refuse(draft, &stages, why, file);
    }
    let warmth = draft.known(&temperature).and_then(|text| value::number(&text));
    if warmth.is_some_and(|warmth| warmth <= 0.0) && draft.tells(&format!("{ROLLOUT}val_kwargs.do_sample"), true) {
        let why = "With val_kwargs.do_sample=True the temperature is above 0. Raise it, or turn do_sample off.";
        refuse(draft, &temperature, why, CONFIG);
    }
    let Some(held) = draft.known_whole(&length) else {
        return;
    };
    let rl = |name: &str| draft.size(&format!("workload.rl.{name}")).unwrap_or(0);
    let (prompt, response, both) = (rl("max_prompt_length"), rl("max_response_length"), longest(draft));
    if held < both && !draft.snippet {
        let why = format!(
            "A prompt of {prompt} and a response of {response} tokens are longer than {held}: responses are cut off. Set it to {both} or more, or leave it out."
        );
        refuse(draft, &length, why, SERVER);
    }
    // A folder that says so holds a checkpoint with stretched positions.
    let path = draft.known("actor_rollout_ref.model.path");
    let stretched = path.is_some_and(|path| path.to_ascii_lowercase().contains("yarn"));
    let known = entry.map_or(0, |entry| {
        let own = entry.shape.max_position_embeddings;
        if stretched { reach(entry.id, own) } else { own }
    });
    if known > 0 && held > known && !draft.overrules("workload.rl.max_response_length") {
        let why = format!("{held} tokens are more than the {known} positions of the model. Give {known} or less.");
        refuse(draft, &length, why, SERVER);
    }
}

/// The algorithm, rewards and Megatron's switches.
fn objective(draft: &mut Draft) {
    let megatron = |name: &str| format!("{ACTOR}megatron.{name}");
    let replay = megatron("router_replay.mode");
    let bypass = "algorithm.rollout_correction.bypass_mode";
    if draft.known(&replay).as_deref() == Some("R2") && draft.tells(bypass, true) {
        let why = "R2 records routes in the forward pass that rollout_correction.bypass_mode=True leaves out. Take R3, or turn bypass_mode off.";
        refuse(draft, &replay, why, CONFIG);
    }
    let metric = "algorithm.filter_groups.metric";
    if draft.tells("algorithm.filter_groups.enable", true) && draft.states(metric) && !draft.holds(metric) {
        let why = "Groups are dropped by a metric. Name one: seq_reward or acc, say.";
        refuse(draft, metric, why, "trainer/ppo/v1/trainer_base.py");
    }
    let engine = "reward.reward_model.rollout.name";
    if draft.tells("reward.reward_model.enable", true) && !draft.snippet && !draft.holds(engine) {
        let why = "The reward model's engine has no default. Add it: vllm or sglang.";
        refuse(draft, engine, why, "trainer/config/reward/reward.yaml");
    }
    let bridge = megatron("use_mbridge");
    if draft.tells(&bridge, false) {
        let why = "The engine loads and saves with a bridge only. Set it to True, or leave it out.";
        refuse(draft, &bridge, why, "workers/engine/megatron/transformer_impl.py");
    }
    let [split, longest] = ["dynamic_context_parallel", "max_seqlen_per_dp_cp_rank"].map(megatron);
    if draft.tells(&split, true) && !draft.snippet && !draft.holds(&longest) {
        let why = format!("It needs {longest}: tokens of a sequence on one rank. Add it.");
        refuse(draft, &split, why, "workers/config/engine.py");
    }
}

/// Two keys of one micro-batch, the older one counting all GPUs: one of them and no more.
fn either(draft: &mut Draft, older: &str, file: &str) -> bool {
    let own = format!("{older}_per_gpu");
    match (draft.holds(older), draft.holds(&own)) {
        (true, true) => {
            let why = format!("{own} is stated as well, and veRL takes one of them. Leave this one out.");
            refuse(draft, older, why, file);
        }
        (false, false) if !draft.snippet => {
            let why = "Neither a micro-batch nor use_dynamic_bsz=True is stated, and veRL starts with neither. Add it.";
            refuse(draft, &own, why, file);
        }
        (true, false) => return true,
        _ => {}
    }
    false
}

/// The older key of a micro-batch, which the workers do not take.
fn older(draft: &mut Draft, older: &str, file: &str) {
    if either(draft, older, file) {
        let why = format!("It counts all GPUs, and the workers take {older}_per_gpu alone. Give that.");
        refuse(draft, older, why, WORKERS);
    }
}

fn micro_batches(draft: &mut Draft, critic: bool) {
    // That nothing is stated is said with the field.
    let actors = format!("{ACTOR}ppo_micro_batch_size");
    if draft.holds(&actors) || draft.holds(&format!("{actors}_per_gpu")) {
        older(draft, &actors, "workers/config/actor.py");
    }
    if has_reference(draft) {
        either(draft, &format!("{REF}log_prob_micro_batch_size"), CONFIG);
    }
    older(draft, &format!("{ROLLOUT}log_prob_micro_batch_size"), CONFIG);
    if !critic {
        return;
    }
    let mini = "critic.ppo_mini_batch_size";
    let all = draft.size("workload.rl.prompts_per_step");
    if let Some(all) = all.filter(|all| draft.known_whole(mini).is_some_and(|own| own > *all)) {
        let why = format!(
            "A mini-batch of more prompts than data.train_batch_size, {all}. Leave it out: it follows the actor's."
        );
        refuse(draft, mini, why, CRITICS);
    }
    let micro = "critic.ppo_micro_batch_size";
    // The key of one GPU takes its value from it, so that both are set.
    if !draft.tells("critic.use_dynamic_bsz", true) && either(draft, micro, CRITICS) {
        let why = format!("{micro}_per_gpu follows it, and veRL takes one of them. Give that key alone.");
        refuse(draft, micro, why, CRITICS);
    }
}

fn has_reference(draft: &Draft) -> bool {
    draft.field("workload.rl.reference") == Some(&true.into())
}

/// Roles of a forward pass alone, where there are, and their plans: the actor's, where the reference has none of its own.
fn forward(draft: &Draft) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
    let own = if draft.field("plan.reference").is_some() { "plan.reference" } else { "plan" };
    let reference = has_reference(draft).then_some((REF, own));
    std::iter::once((ROLLOUT, "plan")).chain(reference)
}

/// GPUs of a plan that these split something over.
fn split(draft: &Draft, plan: &str, names: &[&str]) -> u64 {
    let sizes = names.iter().filter_map(|name| draft.size(&format!("{plan}.{name}")));
    sizes.fold(1, u64::saturating_mul).max(1)
}

/// The sequences of a rank are cut into whole micro-batches (`workers/engine/utils.py`).
fn divisors(draft: &mut Draft, megatron: bool) {
    let rl = |name: &str| draft.size(&format!("workload.rl.{name}"));
    let (Some(prompts), Some(responses), false) = (rl("prompts_per_step"), rl("responses_per_prompt"), draft.snippet)
    else {
        return;
    };
    let sequences = prompts.saturating_mul(responses);
    let gpus = draft.train_gpus.unwrap_or(8);
    let names: &[&str] =
        if megatron { &["tensor_parallel", "pipeline_parallel", "context_parallel"] } else { &["ulysses_parallel"] };
    for (role, plan) in forward(draft) {
        let key = format!("{role}log_prob_micro_batch_size_per_gpu");
        let Some(micro) = draft.known_whole(&key).filter(|micro| *micro > 0) else {
            continue;
        };
        let ranks = gpus / split(draft, plan, names);
        let Some(own) = sequences.checked_div(ranks) else {
            continue;
        };
        if sequences.is_multiple_of(ranks) && !own.is_multiple_of(micro) {
            let why = format!("{own} sequences of a rank are no multiple of {micro}. Give a divisor of them.");
            refuse(draft, &key, why, "workers/engine/utils.py");
        }
    }
}

/// Budgets of the forward passes hold the longest sequence, split as the role splits it.
fn budgets(draft: &mut Draft) {
    if draft.snippet {
        return;
    }
    let longest = longest(draft);
    for (role, plan) in forward(draft) {
        let key = format!("{role}log_prob_max_token_len_per_gpu");
        let split = split(draft, plan, &["context_parallel", "ulysses_parallel"]);
        let tokens = draft.known_whole(&key);
        if let Some(tokens) = tokens.filter(|tokens| tokens.saturating_mul(split) < longest) {
            let least = longest.div_ceil(split);
            let why = format!(
                "{tokens} tokens on each of {split} GPUs do not hold a sequence of {longest}. Set it to {least} or more."
            );
            refuse(draft, &key, why, "utils/seqlen_balancing.py");
        }
    }
}

/// The rule of plans asks for packing beside a token budget, for what is printed here; veRL itself pads then.
fn unpacked(draft: &mut Draft) {
    let pads = draft.field("workload.packing") == Some(&false.into());
    if pads && draft.size("plan.ulysses_parallel").is_none_or(|split| split == 1) {
        draft.overrule("workload.packing");
        let note = "Without packing veRL pads each micro-batch of a token budget to its longest sequence; the estimate fills the budget.";
        draft.note(0, note);
    }
}

/// GPUs of their own for generation.
fn pool(draft: &mut Draft) {
    if draft.known("trainer.v1.trainer_mode").as_deref() != Some("separate_async") {
        return;
    }
    let backend = format!("{ROLLOUT}checkpoint_engine.backend");
    if draft.known(&backend).is_none_or(|name| name == "naive") && draft.depends_on(&backend).is_none() {
        let why =
            "Weights reach GPUs of their own by nccl, nixl or mooncake, and naive is the default. Name one of these.";
        refuse(draft, &backend, why, ASYNC);
    }
    let steps = "trainer.v1.separate_async.parameter_sync_step";
    let (total, mini) = (draft.size("workload.rl.prompts_per_step"), draft.size("workload.rl.mini_batch"));
    if let (Some(total), Some(mini), None) = (total, mini, draft.depends_on(steps)) {
        let times = draft.known_whole(steps).unwrap_or(4);
        let wanted = mini.saturating_mul(times);
        if total != wanted {
            let why = format!(
                "It must be parameter_sync_step, {times}, times a mini-batch of {mini}: {wanted}. Here it is {total}."
            );
            refuse(draft, "data.train_batch_size", why, ASYNC);
        }
    }
}
