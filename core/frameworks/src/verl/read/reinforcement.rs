//! `verl.trainer.main_ppo` and its kin: PPO, GRPO, DAPO, GSPO.

use serde_json::{Value, json};

use super::{ROLLOUT, age, distillation, engine, memory, prime, refusals, roles};
use crate::read::draft::Draft;
use crate::read::model;
use crate::read::reinforcement::{filtered, of_agent, served_as_named};
use crate::verl::role::ACTOR;
use shardwise_question::engines;
use shardwise_question::framework::VERL;
use shardwise_question::job::Chosen;
use shardwise_question::wire::Engine;

/// A teacher judges what the student samples, whatever the advantages of the task's rewards are.
const DISTILL: &str = "distill";

const BYPASS: &str = "algorithm.rollout_correction.bypass_mode";

pub(super) fn read(draft: &mut Draft, program: &str) {
    let entry = draft.take_model("actor_rollout_ref.model.path", "model");
    age::unnamed_engine(draft, program);
    machine(draft, program);
    let kind = kind(draft, program);
    algorithm(draft, program);
    batch(draft, program);
    let megatron = engine::is_megatron(
        draft,
        &["model_engine", "actor_rollout_ref.actor.strategy", "actor@actor_rollout_ref.actor", "config-name"],
    );
    // A few settings of Megatron's are of a run with Megatron.
    let megatron = megatron || (draft.snippet && draft.states_any(ACTOR.megatron));
    engine::read(draft, &ACTOR, megatron, entry);
    engine::precision(draft, &ACTOR, megatron);
    if engine::adapters(draft, ACTOR.model) && !megatron && !draft.snippet {
        memory::whole_model(draft, entry);
    }
    packing(draft, megatron);
    memory::entropy(draft, megatron);
    overrules(draft);
    // Recipes have configurations of their own, and what generates or scores alone has no batches.
    let packaged = program.is_empty()
        || (program.starts_with("verl") && !program.contains("generation") && !program.contains("eval"));
    micro_batch(draft, packaged && !draft.snippet);
    roles::old_log_prob(draft);
    generation(draft);
    if program.contains("fully_async") {
        under_way(draft);
    }
    agent(draft);
    if kind == DISTILL {
        distillation::read(draft);
    }
    if kind == prime::KIND {
        prime::read(draft);
    }
    if kind == "ppo" {
        roles::critic(draft, megatron);
    }
    roles::reference(draft, megatron);
    if packaged {
        refusals::check(draft, megatron, kind == "ppo", entry);
    }
}

/// GPUs, and whether generation has some of its own.
fn machine(draft: &mut Draft, program: &str) {
    let nodes = draft.count("trainer.nnodes");
    let per_node = draft.count("trainer.n_gpus_per_node");
    let train = nodes.unwrap_or(1).saturating_mul(per_node.unwrap_or(8));
    draft.train_gpus = Some(train);
    let mode = draft.word("trainer.v1.trainer_mode");
    let own_pool = draft.flag("actor_rollout_ref.hybrid_engine") == Some(false)
        || mode.as_deref() == Some("separate_async")
        || program.contains("one_step_off")
        || program.contains("fully_async");
    let pool = if own_pool { pool(draft, per_node) } else { None };
    let all = train.saturating_add(pool.unwrap_or(0));
    if nodes.is_some() || per_node.is_some() || pool.is_some() {
        draft.set("hardware.gpus", all);
        if pool.is_none() {
            draft.set("hardware.gpus_per_node", per_node.unwrap_or(8));
        }
        if per_node.is_none() {
            draft.assume("hardware.gpus_per_node", 8, "veRL's default; set trainer.n_gpus_per_node to state it.");
        }
        if nodes.is_none() {
            draft.assume_known("hardware.gpus", all, "trainer.nnodes is not stated: one node, veRL's default.");
        }
    }
    if pool.is_some() {
        schedule(draft, program, train);
    } else if own_pool && mode.is_some() {
        draft.refuse(
            "trainer.v1.trainer_mode",
            "GPUs of its own for generation need actor_rollout_ref.rollout.nnodes and n_gpus_per_node.",
            0,
        );
    }
}

/// GPUs that generate alone, where the text says how many.
fn pool(draft: &mut Draft, per_node: Option<u64>) -> Option<u64> {
    let (nodes, gpus) = [ROLLOUT, "rollout."].into_iter().find_map(|prefix| {
        let nodes = draft.count(&format!("{prefix}nnodes"));
        let gpus = draft.count(&format!("{prefix}n_gpus_per_node"));
        (nodes.is_some() || gpus.is_some()).then_some((nodes, gpus))
    })?;
    // Both pools may share nodes: 6 GPUs of each train and 2 generate.
    let (own, other) = (per_node.unwrap_or(8), gpus.unwrap_or(8));
    let shared = own.saturating_add(other);
    draft.set("hardware.gpus_per_node", if shared <= 8 { shared } else { own.max(other) });
    draft.overrule("hardware.gpus");
    draft.overrule("workload.rl.train_gpus");
    Some(nodes.unwrap_or(1).saturating_mul(gpus.or(per_node).unwrap_or(8)))
}

/// How far generation runs ahead, where it has GPUs of its own.
fn schedule(draft: &mut Draft, program: &str, train: u64) {
    let key = "trainer.v1.sampler.max_off_policy_threshold";
    let staleness = draft.count(key);
    let fully = program.contains("fully_async") || (!program.contains("one_step_off") && staleness != Some(1));
    draft.set("workload.rl.schedule", if fully { "fully_async" } else { "one_step_off" });
    draft.set("workload.rl.train_gpus", train);
    match staleness {
        _ if !fully => {}
        None if program.contains("fully_async") => ahead(draft),
        Some(bound) => draft.set("workload.rl.max_staleness", bound),
        None => draft.default(key, "workload.rl.max_staleness", 8),
    }
}

/// How far `fully_async_policy` runs ahead, with the defaults of its `fully_async_ppo_trainer.yaml`.
///
/// Of a step's samples, `1 + staleness_threshold` times as many may be in progress, in the queue or trained on since the last new
/// weights (`fully_async_rollouter.py`, `max_required_samples`): with 1 as many as one step off the policy, by its documents. A
/// threshold of 0 lets new weights wait for all of them.
fn ahead(draft: &mut Draft) {
    let (key, field) = ("async_training.staleness_threshold", "workload.rl.max_staleness");
    match draft.number(key) {
        Some(threshold) => draft.set(field, threshold),
        None => draft.default(key, field, 0.1),
    }
    let goes_on = draft.flag("async_training.partial_rollout").unwrap_or(true);
    let waits = draft.field(field).and_then(serde_json::Value::as_f64) == Some(0.0);
    draft.set("workload.rl.partial_rollout", goes_on && !waits);
}

/// The kind of the workload.
fn kind(draft: &mut Draft, program: &str) -> &'static str {
    let estimator = draft.word("algorithm.adv_estimator");
    let filters = draft.is_on("algorithm.filter_groups.enable");
    let [high, low] = ["clip_ratio_high", "clip_ratio_low"]
        .map(|name| draft.number(&format!("actor_rollout_ref.actor.{name}")).unwrap_or(0.2));
    let rewards = draft.word("reward.reward_manager.name");
    let dapo = program.contains("dapo") || (high > low && (rewards.as_deref() == Some("dapo") || filters));
    let loss = draft.word("actor_rollout_ref.actor.policy_loss.loss_mode");
    let critic = draft.flag("critic.enable");
    if distillation::is_on(draft) {
        draft.set("workload.kind", DISTILL);
        return DISTILL;
    }
    if prime::is_started_by(program) {
        draft.set("workload.kind", prime::KIND);
        return prime::KIND;
    }
    // A trainer of somebody's own has a configuration of its own, which is not here: a critic is one that the text speaks of.
    let packaged = program.is_empty() || program.starts_with("verl.") || program.contains("verl/trainer/");
    let own = !packaged && !draft.states_any("critic.");
    let kind = match estimator.as_deref() {
        None | Some("gae") if critic != Some(false) && !(own && estimator.is_none()) => "ppo",
        Some("rloo" | "rloo_vectorized") => "rloo",
        Some("reinforce_plus_plus") => "reinforce_plus_plus",
        Some("remax") => "remax",
        _ if loss.as_deref() == Some("gspo") => "gspo",
        _ if loss.as_deref() == Some("cispo") => "cispo",
        _ if loss.as_deref() == Some("geo_mean") => "gmpo",
        _ if dapo => "dapo",
        _ if draft.flag("algorithm.norm_adv_by_std_in_grpo") == Some(false) => "dr_grpo",
        _ => "grpo",
    };
    draft.set("workload.kind", kind);
    match estimator.as_deref() {
        None if own => draft.assume(
            "workload.kind",
            kind,
            format!("{program} has a configuration of its own: without a critic in the text none is estimated. Set algorithm.adv_estimator to state the algorithm."),
        ),
        None => draft.assume_known(
            "workload.kind",
            kind,
            "veRL's default is gae, PPO with a critic; set algorithm.adv_estimator to state another.",
        ),
        Some("gae" | "grpo" | "rloo" | "rloo_vectorized" | "reinforce_plus_plus" | "remax") => {}
        Some(other) => {
            let why = format!("{other} has no critic, as GRPO has none: what it computes is the same.");
            draft.assume("workload.kind", kind, why);
        }
    }
    kind
}

/// What of the algorithm costs time.
fn algorithm(draft: &mut Draft, program: &str) {
    let [loss, reward] =
        ["actor_rollout_ref.actor.use_kl_loss", "algorithm.use_kl_in_reward"].map(|key| draft.is_on(key));
    draft.set("workload.rl.reference", loss || reward);
    if draft.is_on("algorithm.filter_groups.enable") {
        filtered(draft);
    } else {
        draft.set("workload.rl.oversampling", 1.0);
    }
    let bypass = draft.is_on(BYPASS);
    // On unless either is turned off, in the one trainer that has both (`fully_async_ppo_trainer.yaml`).
    let engines = draft.flag("async_training.use_rollout_log_probs");
    let engines = engines.unwrap_or(program.contains("fully_async") && !draft.tells(BYPASS, false));
    draft.set("workload.rl.old_log_prob", !(bypass || engines));
    if draft.is_on("reward.reward_model.enable") {
        let key = "reward.reward_model.model_path";
        let path = draft.text(key);
        if path.as_deref().and_then(model::find).is_some() {
            draft.take_model(key, "workload.rl.reward_model");
        } else {
            let why = "The catalog does not know the reward model, so the estimate leaves it out; state its shape.";
            draft.assume("workload.rl.reward_model", Value::Null, why);
        }
    }
}

fn batch(draft: &mut Draft, program: &str) {
    let mini = "actor_rollout_ref.actor.ppo_mini_batch_size";
    draft.take(mini);
    let own = draft.size("workload.rl.mini_batch").unwrap_or(0);
    if program.contains("fully_async") {
        // A step is what trains between two transfers of the weights.
        let [batches, steps] = [("require_batches", 1), ("trigger_parameter_sync_step", 4)]
            .map(|(name, usual)| draft.count(&format!("async_training.{name}")).unwrap_or(usual));
        let total = own.saturating_mul(batches).saturating_mul(steps);
        draft.set("workload.rl.prompts_per_step", total);
        if let Some(prompts) = draft.count("rollout.total_rollout_steps") {
            draft.set("workload.run.steps", prompts.div_ceil(total.max(1)));
        }
    } else {
        draft.take("data.train_batch_size");
        let total = draft.size("workload.rl.prompts_per_step").unwrap_or(0);
        // veRL trains at most on what there is; the estimate takes whole mini-batches.
        if own > total {
            let why = format!(
                "A mini-batch of more prompts than data.train_batch_size, {total}. Give {total} or less; {total} is estimated."
            );
            draft.refuse(mini, why, 0);
            draft.set("workload.rl.mini_batch", total);
        }
        draft.take("data.gen_batch_size");
        if program.contains("dapo") {
            // The recipe's own trainer fetches as many prompts as it is told, and again until enough are left.
            draft.overrule("workload.rl.gen_batch_size");
        }
    }
    draft.take("trainer.total_training_steps");
    draft.take("trainer.balance_batch");
    for key in ["actor_rollout_ref.rollout.n", "data.max_prompt_length", "data.max_response_length"] {
        draft.take(key);
    }
    draft.take("actor_rollout_ref.actor.ppo_epochs");
}

/// Rules that go by the model's own configuration, where the text changes that.
fn overrules(draft: &mut Draft) {
    let states = |names: &[&str], prefix: &str| names.iter().any(|name| draft.states(&format!("{prefix}{name}")));
    let positions = ["max_position_embeddings", "model_config.max_position_embeddings", "rope_scaling"];
    let stages = [
        "num_layers_in_first_pipeline_stage",
        "num_layers_in_last_pipeline_stage",
        "account_for_embedding_in_pipeline_split",
        "account_for_loss_in_pipeline_split",
        "pipeline_model_parallel_layout",
    ];
    let stretches = states(&positions, "actor_rollout_ref.model.override_config.");
    let splits = states(&stages, "actor_rollout_ref.actor.megatron.override_transformer_config.");
    if stretches {
        draft.overrule("workload.rl.max_response_length");
    }
    if splits {
        draft.overrule("plan.pipeline_parallel");
        draft.overrule("plan.reference.pipeline_parallel");
    }
}

fn packing(draft: &mut Draft, megatron: bool) {
    let key = "actor_rollout_ref.model.use_remove_padding";
    let model = draft.flag(key);
    let own = draft.flag("actor_rollout_ref.actor.megatron.use_remove_padding");
    let stated = own.filter(|_| megatron).or(model);
    // Megatron has always packed.
    if let Some(packs) = stated {
        draft.set("workload.packing", packs);
    } else if megatron || !draft.older_default(key, "workload.packing", "0.7.0", false) {
        draft.set("workload.packing", true);
    }
}

fn micro_batch(draft: &mut Draft, required: bool) {
    const ACTORS: &str = "actor_rollout_ref.actor";
    if draft.is_on(&format!("{ACTORS}.use_dynamic_bsz")) {
        draft.take(&format!("{ACTORS}.ppo_max_token_len_per_gpu"));
        return;
    }
    if let Some(micro) = draft.count(&format!("{ACTORS}.ppo_micro_batch_size_per_gpu")) {
        draft.set("plan.micro_batch", micro);
        return;
    }
    let gpus = draft.train_gpus.unwrap_or(8);
    match draft.count(&format!("{ACTORS}.ppo_micro_batch_size")) {
        Some(whole) => {
            let own = (whole / gpus.max(1)).max(1);
            draft.assume("plan.micro_batch", own, format!("{ACTORS}.ppo_micro_batch_size counts all {gpus} GPUs."));
        }
        None if required => {
            // workers/config/actor.py.
            draft.refuse(
                &format!("{ACTORS}.ppo_micro_batch_size_per_gpu"),
                "Neither a micro-batch nor use_dynamic_bsz=True is stated, and veRL starts with neither. The search chooses one here.",
                0,
            );
        }
        None => {}
    }
}

fn generation(draft: &mut Draft) {
    let key = |name: &str| format!("{ROLLOUT}{name}");
    let engine = "plan.rollout.engine";
    match draft.word(&key("name")).as_deref() {
        Some("sglang" | "sglang_async") => draft.set(engine, "sglang"),
        Some("vllm" | "vllm_async") => draft.set(engine, "vllm"),
        Some("trtllm") => tensorrt_llm(draft),
        Some(other) => {
            draft.assume(engine, "vllm", format!("{other} is not modelled: vLLM is estimated in its place."));
        }
        None => {
            if !draft.snippet {
                draft.refuse(&key("name"), "veRL has no default engine since 0.6.0. Add it: vllm or sglang.", 0);
            }
            draft.assume(engine, "vllm", "The text names no engine.");
        }
    }
    engine_version(draft);
    for name in ["tensor_model_parallel_size", "data_parallel_size", "expert_parallel_size", "max_num_seqs"] {
        draft.take(&key(name));
    }
    draft.take(&key("max_num_batched_tokens"));
    draft.take_all(ROLLOUT);
    if draft.field(engine).is_none_or(|own| own != "vllm") {
        // vLLM alone reads it.
        draft.remove("plan.rollout.chunked_prefill");
    }
    for dtype in ["vllm.kv_cache_dtype", "sglang.kv_cache_dtype", "trtllm.kv_cache_config.dtype"] {
        let dtype = draft.text(&key(&format!("engine_kwargs.{dtype}")));
        if dtype.is_some_and(|dtype| dtype.contains("fp8")) {
            draft.set("plan.rollout.kv_cache_dtype", "fp8");
        }
    }
    let quantization = draft.text(&key("quantization")).unwrap_or_default();
    let dtype = draft.word(&key("dtype"));
    if quantization.contains("fp8") {
        draft.set("plan.rollout.precision", "fp8");
    } else if matches!(dtype.as_deref(), Some("float16" | "half")) {
        draft.set("plan.rollout.precision", "fp16");
    }
    // verl 0.9.1, `workers/rollout/vllm_rollout/utils.py`, line 160: as the checkpoint's own configuration says.
    served_as_named(draft, "actor_rollout_ref.model.path");
    let base = draft
        .base
        .and_then(|base| base.plan.as_ref()?.rollout.as_ref()?.speculative_speedup);
    if let Some(speedup) = base {
        draft.assume(
            "plan.rollout.speculative_speedup",
            speedup,
            "From the base question; a script does not state it.",
        );
    }
}

/// Sequences of an engine at once, where the trainer keeps fewer under way than the engine decodes together: prompts, each with all
/// its responses (`fully_async_rollouter.py`, `max_concurrent_samples`; 16 in its configuration).
fn under_way(draft: &mut Draft) {
    let (key, field) = ("async_training.concurrent_samples_per_replica", "plan.rollout.max_num_seqs");
    let prompts = draft.count(key).unwrap_or(16);
    let responses = draft.size("workload.rl.responses_per_prompt").unwrap_or(1);
    let most = prompts.saturating_mul(responses);
    if draft.size(field).is_some_and(|own| own > most) {
        let why = format!("{key} keeps {prompts} prompts under way on an engine, each with {responses} responses.");
        draft.assume(field, most, why);
    }
}

/// An agent's turns.
fn agent(draft: &mut Draft) {
    let turns = |name: &str| format!("{ROLLOUT}multi_turn.{name}");
    let [own, users] = ["max_assistant_turns", "max_user_turns"].map(|name| draft.count(&turns(name)));
    if !draft.is_on(&turns("enable")) {
        return;
    }
    // Each answer of a tool is followed by a turn.
    let most = own.into_iter().chain(users.map(|turns| turns.saturating_add(1))).min();
    of_agent(draft, most, &turns("max_assistant_turns"));
}

/// The engine that takes its share of the memory otherwise than the others.
fn tensorrt_llm(draft: &mut Draft) {
    draft.set("plan.rollout.engine", "tensorrt_llm");
    // trtllm_async_server.py: `free_gpu_memory_fraction` of its `KvCacheConfig`.
    let why = "TensorRT-LLM takes this share of what its weights leave free; the estimate takes it of the whole card.";
    draft.assume("plan.rollout.gpu_memory_utilization", Value::Null, why);
}

/// The engine's version, which no key tells: the base question's, or that of the release whose keys the text has.
fn engine_version(draft: &mut Draft) {
    let field = "plan.rollout.engine_version";
    let engine = draft.field("plan.rollout.engine").cloned().unwrap_or(Value::Null);
    let base = draft.base.and_then(|base| base.plan.as_ref()?.rollout.as_ref());
    let same = base.filter(|own| json!(own.engine.unwrap_or_default()) == engine);
    if let Some(version) = same.and_then(|own| own.engine_version) {
        draft.assume(field, version.to_string(), "From the base question; a script does not state it.");
        return;
    }
    let Some(release) = draft.last_release(VERL.versions) else {
        return;
    };
    let installed = |engine: &Engine| engines::version(Chosen { id: VERL.id, version: release }, *engine);
    let engine = Engine::ALL.into_iter().find(|own| json!(own) == engine);
    if let Some(version) = engine.as_ref().and_then(installed) {
        draft.assume(
            field,
            version.to_string(),
            format!("The text has older keys: veRL {release}, the last release with them, installs it."),
        );
    }
}
