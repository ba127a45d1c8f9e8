//! What veRL 0.9.1 refuses in keys that become no field of the question: its configuration code, and what its workers
//! assert. The rules about plans are `rules::verl`'s.

use super::reinforcement::ROLLOUT;
use super::roles::REF;
use crate::read::draft::Draft;
use crate::read::value;
use shardwise_catalog::catalog::ModelEntry;
use shardwise_rules::positions::reach;

const ACTOR: &str = "actor_rollout_ref.actor";
const CRITIC: &str = "critic";
const CONFIG: &str = "utils/config.py";
const WORKERS: &str = "workers/engine_workers.py";
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
        if draft
            .known(key)
            .is_some_and(|name| !STRATEGIES.iter().any(|known| name.starts_with(known)))
        {
            let why = "No engine has this name. Write fsdp, fsdp2 or megatron.";
            refuse(draft, key, why, "workers/engine/base.py");
        }
    }
    generation(draft, entry);
    objective(draft);
    let dynamic = truth(draft, &format!("{ACTOR}.use_dynamic_bsz")).unwrap_or(false);
    if dynamic {
        budgets(draft);
        unpacked(draft);
    } else {
        micro_batches(draft, megatron, critic);
    }
    let forward = format!("{ROLLOUT}.log_prob_use_dynamic_bsz");
    if truth(draft, &forward).is_some_and(|own| own != dynamic) {
        refuse(
            draft,
            &forward,
            format!("It must equal {ACTOR}.use_dynamic_bsz. Leave it out: it follows that."),
            WORKERS,
        );
    }
    pool(draft);
}

fn refuse(draft: &mut Draft, key: &str, why: impl AsRef<str>, file: &str) {
    draft.refuse_stated(key, why, &format!("verl 0.9.1, verl/{file} (https://pypi.org/project/verl/0.9.1/)"));
}

fn truth(draft: &Draft, key: &str) -> Option<bool> {
    value::truth(&draft.known(key)?)
}

fn whole(draft: &Draft, key: &str) -> Option<u64> {
    u64::try_from(value::whole(&draft.known(key)?)?).ok()
}

/// A number that the question has by now.
fn size(draft: &Draft, path: &str) -> Option<u64> {
    draft.field(path)?.as_u64()
}

fn words(draft: &mut Draft, megatron: bool) {
    for (key, backend, allowed, file) in WORDS {
        let Some(word) = draft.known(key) else {
            continue;
        };
        if backend.is_none_or(|own| own == megatron) && !allowed.contains(&word.as_str()) {
            refuse(draft, key, format!("Write one of {}.", allowed.join(", ")), file);
        }
    }
}

fn generation(draft: &mut Draft, entry: Option<&ModelEntry>) {
    let key = |name: &str| format!("{ROLLOUT}.{name}");
    let file = "workers/config/rollout.py";
    if draft.known(&key("mode")).as_deref() == Some("sync") {
        let why = "Engines are servers: sync is gone. Write async, or leave it out.";
        refuse(draft, &key("mode"), why, file);
    }
    if whole(draft, &key("pipeline_model_parallel_size")).is_some_and(|stages| stages > 1) {
        let why = "No engine takes a pipeline. Set it to 1 and raise tensor_model_parallel_size.";
        refuse(draft, &key("pipeline_model_parallel_size"), why, file);
    }
    let greedy = draft
        .known(&key("temperature"))
        .and_then(|text| value::number(&text))
        .is_some_and(|temperature| temperature <= 0.0);
    if greedy && truth(draft, &key("val_kwargs.do_sample")) == Some(true) {
        let why = "With val_kwargs.do_sample=True the temperature is above 0. Raise it, or turn do_sample off.";
        refuse(draft, &key("temperature"), why, CONFIG);
    }
    let held = whole(draft, &key("max_model_len"));
    let rl = |name: &str| size(draft, &format!("workload.rl.{name}")).unwrap_or(0);
    let (prompt, response) = (rl("max_prompt_length"), rl("max_response_length"));
    if let Some(held) = held.filter(|held| *held < prompt.saturating_add(response) && !draft.snippet) {
        let why = format!(
            "A prompt of {prompt} and a response of {response} tokens are longer than {held}: responses are cut off. Set it to {} or more, or leave it out.",
            prompt.saturating_add(response)
        );
        refuse(draft, &key("max_model_len"), why, "workers/rollout/vllm_rollout/vllm_async_server.py");
    }
    // A folder that says so holds a checkpoint with stretched positions.
    let path = draft.known("actor_rollout_ref.model.path");
    let stretched = path.is_some_and(|path| path.to_ascii_lowercase().contains("yarn"));
    let known = entry.map_or(0, |entry| {
        let own = entry.shape.max_position_embeddings;
        if stretched { reach(entry.id, own) } else { own }
    });
    if let Some(held) = held
        && known > 0
        && held > known
        && !draft.overrules("workload.rl.max_response_length")
    {
        refuse(
            draft,
            &key("max_model_len"),
            format!("{held} tokens are more than the {known} positions of the model. Give {known} or less."),
            "workers/rollout/vllm_rollout/vllm_async_server.py",
        );
    }
}

/// The algorithm, rewards and Megatron's switches.
fn objective(draft: &mut Draft) {
    let replay = format!("{ACTOR}.megatron.router_replay.mode");
    if draft.known(&replay).as_deref() == Some("R2")
        && truth(draft, "algorithm.rollout_correction.bypass_mode") == Some(true)
    {
        let why = "R2 records routes in the forward pass that rollout_correction.bypass_mode=True leaves out. Take R3, or turn bypass_mode off.";
        refuse(draft, &replay, why, CONFIG);
    }
    let metric = "algorithm.filter_groups.metric";
    let filters = truth(draft, "algorithm.filter_groups.enable") == Some(true);
    if filters && draft.states(metric) && !draft.holds(metric) {
        let why = "Groups are dropped by a metric. Name one: seq_reward or acc, say.";
        refuse(draft, metric, why, "trainer/ppo/v1/trainer_base.py");
    }
    let engine = "reward.reward_model.rollout.name";
    if truth(draft, "reward.reward_model.enable") == Some(true) && !draft.snippet && !draft.holds(engine) {
        let why = "The reward model's engine has no default. Add it: vllm or sglang.";
        refuse(draft, engine, why, "trainer/config/reward/reward.yaml");
    }
    let bridge = format!("{ACTOR}.megatron.use_mbridge");
    if truth(draft, &bridge) == Some(false) {
        let why = "The engine loads and saves with a bridge only. Set it to True, or leave it out.";
        refuse(draft, &bridge, why, "workers/engine/megatron/transformer_impl.py");
    }
    let split = format!("{ACTOR}.megatron.dynamic_context_parallel");
    let longest = format!("{ACTOR}.megatron.max_seqlen_per_dp_cp_rank");
    if truth(draft, &split) == Some(true) && !draft.snippet && !draft.holds(&longest) {
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

fn micro_batches(draft: &mut Draft, megatron: bool, critic: bool) {
    // That nothing is stated is said with the field.
    let older = format!("{ACTOR}.ppo_micro_batch_size");
    let own = format!("{older}_per_gpu");
    if (draft.holds(&older) || draft.holds(&own)) && either(draft, &older, "workers/config/actor.py") {
        let why = format!("It counts all GPUs, and the workers take {own} alone. Give that.");
        refuse(draft, &older, why, WORKERS);
    }
    if draft.field("workload.rl.reference") == Some(&true.into()) {
        either(draft, &format!("{REF}.log_prob_micro_batch_size"), CONFIG);
    }
    let older = format!("{ROLLOUT}.log_prob_micro_batch_size");
    if either(draft, &older, CONFIG) {
        let why = format!("It counts all GPUs, and the workers take {older}_per_gpu alone. Give that.");
        refuse(draft, &older, why, WORKERS);
    }
    let mini = format!("{CRITIC}.ppo_mini_batch_size");
    if critic
        && let (Some(own), Some(all)) = (whole(draft, &mini), size(draft, "workload.rl.prompts_per_step"))
        && own > all
    {
        let why = format!(
            "A mini-batch of more prompts than data.train_batch_size, {all}. Leave it out: it follows the actor's."
        );
        refuse(draft, &mini, why, "workers/config/critic.py");
    }
    if critic && truth(draft, "critic.use_dynamic_bsz") != Some(true) {
        let file = "workers/config/critic.py";
        let older = format!("{CRITIC}.ppo_micro_batch_size");
        // The key of one GPU takes its value from it, so that both are set.
        if either(draft, &older, file) {
            let why = format!("{older}_per_gpu follows it, and veRL takes one of them. Give that key alone.");
            refuse(draft, &older, why, file);
        }
    }
    if draft.snippet {
        return;
    }
    // workers/engine/utils.py: the sequences of a rank are cut into whole micro-batches.
    let rl = |name: &str| size(draft, &format!("workload.rl.{name}"));
    let (Some(prompts), Some(responses)) = (rl("prompts_per_step"), rl("responses_per_prompt")) else {
        return;
    };
    let sequences = prompts.saturating_mul(responses);
    let gpus = draft.train_gpus.unwrap_or(8);
    for (role, plan) in [(ROLLOUT, "plan"), (REF, "plan.reference")] {
        if role == REF && draft.field("workload.rl.reference") != Some(&true.into()) {
            continue;
        }
        let key = format!("{role}.log_prob_micro_batch_size_per_gpu");
        let Some(micro) = whole(draft, &key).filter(|micro| *micro > 0) else {
            continue;
        };
        let ranks = gpus / parts(draft, plan, megatron);
        let Some(own) = sequences.checked_div(ranks) else {
            continue;
        };
        if sequences.is_multiple_of(ranks) && !own.is_multiple_of(micro) {
            let why = format!("{own} sequences of a rank are no multiple of {micro}. Give a divisor of them.");
            refuse(draft, &key, why, "workers/engine/utils.py");
        }
    }
}

/// GPUs that share one copy of the model.
fn parts(draft: &Draft, plan: &str, megatron: bool) -> u64 {
    let plan = if draft.field(plan).is_some() { plan } else { "plan" };
    let names: &[&str] =
        if megatron { &["tensor_parallel", "pipeline_parallel", "context_parallel"] } else { &["ulysses_parallel"] };
    let sizes = names.iter().filter_map(|name| size(draft, &format!("{plan}.{name}")));
    sizes.fold(1, u64::saturating_mul).max(1)
}

/// Budgets of the forward passes hold the longest sequence, split as the role splits it.
fn budgets(draft: &mut Draft) {
    let rl = |name: &str| size(draft, &format!("workload.rl.{name}")).unwrap_or(0);
    let longest = rl("max_prompt_length").saturating_add(rl("max_response_length"));
    for (role, plan) in [(ROLLOUT, "plan"), (REF, "plan.reference")] {
        let key = format!("{role}.log_prob_max_token_len_per_gpu");
        let used = role == ROLLOUT || draft.field("workload.rl.reference") == Some(&true.into());
        let Some(tokens) = whole(draft, &key).filter(|_| used && !draft.snippet) else {
            continue;
        };
        let plan = if draft.field(plan).is_some() { plan } else { "plan" };
        let split = ["context_parallel", "ulysses_parallel"]
            .iter()
            .filter_map(|name| size(draft, &format!("{plan}.{name}")))
            .fold(1, u64::saturating_mul)
            .max(1);
        if tokens.saturating_mul(split) < longest {
            let why = format!(
                "{tokens} tokens on each of {split} GPUs do not hold a sequence of {longest}. Set it to {} or more.",
                longest.div_ceil(split)
            );
            refuse(draft, &key, why, "utils/seqlen_balancing.py");
        }
    }
}

/// The rule of plans asks for packing beside a token budget, for what is printed here; veRL itself pads then.
fn unpacked(draft: &mut Draft) {
    let packs = draft.field("workload.packing") == Some(&false.into());
    if packs && size(draft, "plan.ulysses_parallel").is_none_or(|split| split == 1) {
        draft.overrule("workload.packing");
        draft.note(
            0,
            "Without packing veRL pads each micro-batch of a token budget to its longest sequence; the estimate fills the budget.",
        );
    }
}

/// GPUs of their own for generation.
fn pool(draft: &mut Draft) {
    let mode = draft.known("trainer.v1.trainer_mode");
    if mode.as_deref() != Some("separate_async") {
        return;
    }
    let backend = format!("{ROLLOUT}.checkpoint_engine.backend");
    if draft.known(&backend).is_none_or(|name| name == "naive") && draft.depends_on(&backend).is_none() {
        let why =
            "Weights reach GPUs of their own by nccl, nixl or mooncake, and naive is the default. Name one of these.";
        refuse(draft, &backend, why, ASYNC);
    }
    let steps = "trainer.v1.separate_async.parameter_sync_step";
    let total = size(draft, "workload.rl.prompts_per_step");
    let mini = size(draft, "workload.rl.mini_batch");
    let times = whole(draft, steps).unwrap_or(4);
    if let (Some(total), Some(mini), None) = (total, mini, draft.depends_on(steps))
        && total != mini.saturating_mul(times)
    {
        let why = format!(
            "It must be parameter_sync_step, {times}, times a mini-batch of {mini}: {}. Here it is {total}.",
            mini.saturating_mul(times)
        );
        refuse(draft, "data.train_batch_size", why, ASYNC);
    }
}
