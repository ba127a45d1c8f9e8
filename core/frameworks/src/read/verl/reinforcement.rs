//! `verl.trainer.main_ppo` and its kin: PPO, GRPO, DAPO, GSPO.

use serde_json::Value;

use super::engine::{self, Role};
use super::{refusals, roles};
use crate::read::draft::Draft;
use crate::read::{model, value};

const ACTOR: Role = Role {
    field: "plan",
    megatron: "actor_rollout_ref.actor.megatron.",
    fsdp: "actor_rollout_ref.actor.fsdp_config.",
    optim: "actor_rollout_ref.actor.optim.",
    model: "actor_rollout_ref.model.",
    ulysses: "actor_rollout_ref.actor.ulysses_sequence_parallel_size",
};
pub(super) const ROLLOUT: &str = "actor_rollout_ref.rollout";

/// Prompts generated for each that trains, where groups are dropped and no text says how many: the
/// calculator's own figure for DAPO.
const OVERSAMPLING: f64 = 2.3;

pub(super) fn read(draft: &mut Draft, program: &str) {
    let entry = draft.take_model("actor_rollout_ref.model.path", "model");
    // The engine had a default before, and a command of then does not name it.
    if !program.is_empty() && !draft.states("actor_rollout_ref.rollout.name") {
        draft.shows_older("0.6.0");
    }
    machine(draft, program);
    let kind = algorithm(draft, program);
    batch(draft, program);
    let megatron = engine::is_megatron(
        draft,
        &["model_engine", "actor_rollout_ref.actor.strategy", "actor@actor_rollout_ref.actor", "config-name"],
    );
    // A few settings of Megatron's are of a run with Megatron.
    let megatron = megatron || (draft.snippet && draft.states_any(ACTOR.megatron));
    engine::read(draft, &ACTOR, megatron, entry);
    engine::precision(draft, &ACTOR, megatron);
    engine::adapters(draft, ACTOR.model);
    packing(draft, megatron);
    overrules(draft);
    // Recipes have configurations of their own, and what generates or scores alone has no batches.
    let packaged = program.is_empty()
        || (program.starts_with("verl") && !program.contains("generation") && !program.contains("eval"));
    micro_batch(draft, packaged && !draft.snippet);
    generation(draft);
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
    let stated = nodes.is_some() || per_node.is_some();
    let train = nodes.unwrap_or(1).saturating_mul(per_node.unwrap_or(8));
    let mode = draft.text("trainer.v1.trainer_mode").unwrap_or_default();
    let own_pool = draft.flag("actor_rollout_ref.hybrid_engine") == Some(false)
        || value::unquoted(&mode) == "separate_async"
        || program.contains("one_step_off")
        || program.contains("fully_async");
    let mut generate = 0;
    if own_pool {
        for prefix in [ROLLOUT, "rollout"] {
            let nodes = draft.count(&format!("{prefix}.nnodes"));
            let gpus = draft.count(&format!("{prefix}.n_gpus_per_node"));
            if nodes.is_some() || gpus.is_some() {
                generate = nodes.unwrap_or(1).saturating_mul(gpus.or(per_node).unwrap_or(8));
                // Both pools may share nodes: 6 GPUs of each train and 2 generate.
                let (own, other) = (per_node.unwrap_or(8), gpus.unwrap_or(8));
                let shared = own.saturating_add(other);
                let per = if shared <= 8 { shared } else { own.max(other) };
                draft.set("hardware.gpus_per_node", per);
                for field in ["hardware.gpus", "workload.rl.train_gpus"] {
                    draft.overrule(field);
                }
                break;
            }
        }
    }
    draft.train_gpus = Some(train);
    if stated || generate > 0 {
        draft.set("hardware.gpus", train.saturating_add(generate));
        if generate == 0 || draft.field("hardware.gpus_per_node").is_none() {
            draft.set("hardware.gpus_per_node", per_node.unwrap_or(8));
        }
        if per_node.is_none() {
            draft.assume("hardware.gpus_per_node", 8, "veRL's default; trainer.n_gpus_per_node would say.");
        }
        if nodes.is_none() {
            draft.assume(
                "hardware.gpus",
                train.saturating_add(generate),
                "trainer.nnodes is not stated: one node, veRL's default.",
            );
        }
    }
    if generate == 0 {
        if own_pool && !mode.is_empty() {
            draft.refuse(
                "trainer.v1.trainer_mode",
                "GPUs of its own for generation need actor_rollout_ref.rollout.nnodes and n_gpus_per_node.",
                0,
            );
        }
        return;
    }
    let staleness = draft.count("trainer.v1.sampler.max_off_policy_threshold");
    let fully = program.contains("fully_async") || (!program.contains("one_step_off") && staleness != Some(1));
    draft.set("workload.rl.schedule", if fully { "fully_async" } else { "one_step_off" });
    draft.set("workload.rl.train_gpus", train);
    if fully {
        match staleness {
            Some(bound) => draft.set("workload.rl.max_staleness", bound),
            None => draft.default("trainer.v1.sampler.max_off_policy_threshold", "workload.rl.max_staleness", 8),
        }
    }
}

/// The kind of the workload, and what of the algorithm costs time.
fn algorithm(draft: &mut Draft, program: &str) -> &'static str {
    let estimator = draft.text("algorithm.adv_estimator");
    let estimator = estimator.as_deref().map(value::unquoted);
    let filters = draft.flag("algorithm.filter_groups.enable").unwrap_or(false);
    let clip = |draft: &mut Draft, name: &str| draft.number(&format!("actor_rollout_ref.actor.{name}")).unwrap_or(0.2);
    let higher = clip(draft, "clip_ratio_high") > clip(draft, "clip_ratio_low");
    let rewards = draft.text("reward.reward_manager.name").unwrap_or_default();
    let dapo = program.contains("dapo") || (higher && (value::unquoted(&rewards) == "dapo" || filters));
    let loss = draft.text("actor_rollout_ref.actor.policy_loss.loss_mode").unwrap_or_default();
    let by_response = value::unquoted(&loss) == "gspo";
    let critic = draft.flag("critic.enable");
    let kind = match estimator {
        None | Some("gae") if critic != Some(false) => "ppo",
        _ if by_response => "gspo",
        _ if dapo => "dapo",
        _ => "grpo",
    };
    draft.set("workload.kind", kind);
    match estimator {
        None => draft.assume(
            "workload.kind",
            kind,
            "veRL's default is gae, PPO with a critic; algorithm.adv_estimator would say.",
        ),
        Some("gae" | "grpo") => {}
        Some(other) => {
            let other = other.to_owned();
            draft.assume(
                "workload.kind",
                kind,
                format!("{other} has no critic, as GRPO has none: what it computes is the same."),
            );
        }
    }
    let loss = draft.flag("actor_rollout_ref.actor.use_kl_loss").unwrap_or(false);
    let reward = draft.flag("algorithm.use_kl_in_reward").unwrap_or(false);
    draft.set("workload.rl.reference", loss || reward);
    if filters {
        let base = draft
            .base
            .and_then(|base| base.workload.rl.as_ref())
            .and_then(|rl| rl.oversampling);
        let times = base.unwrap_or(OVERSAMPLING);
        draft.assume(
            "workload.rl.oversampling",
            times,
            "How many groups are dropped no text tells; a log of your run does.",
        );
    } else {
        draft.set("workload.rl.oversampling", 1.0);
    }
    let bypass = draft.flag("algorithm.rollout_correction.bypass_mode").unwrap_or(false);
    let engines = draft.flag("async_training.use_rollout_log_probs").unwrap_or(false);
    draft.set("workload.rl.old_log_prob", !(bypass || engines));
    if draft.flag("reward.reward_model.enable") == Some(true) {
        let key = "reward.reward_model.model_path";
        let path = draft.text(key);
        if path.as_deref().and_then(model::find).is_some() {
            draft.take_model(key, "workload.rl.reward_model");
        } else {
            draft.assume(
                "workload.rl.reward_model",
                Value::Null,
                "The catalog does not know the reward model, so the estimate leaves it out; state its shape.",
            );
        }
    }
    kind
}

fn batch(draft: &mut Draft, program: &str) {
    let mini = draft.take_count("actor_rollout_ref.actor.ppo_mini_batch_size", "workload.rl.mini_batch", Some(256));
    let prompts = "workload.rl.prompts_per_step";
    if program.contains("fully_async") {
        // A step is what trains between two transfers of the weights.
        let batches = draft.count("async_training.require_batches").unwrap_or(1);
        let steps = draft.count("async_training.trigger_parameter_sync_step").unwrap_or(1);
        let total = mini.unwrap_or(256).saturating_mul(batches).saturating_mul(steps);
        draft.set(prompts, total);
    } else {
        let total = draft.take_count("data.train_batch_size", prompts, Some(1024)).unwrap_or(1024);
        // veRL trains at most on what there is; the estimate takes whole mini-batches.
        if mini.is_some_and(|mini| mini > total) {
            draft.refuse(
                "actor_rollout_ref.actor.ppo_mini_batch_size",
                format!("A mini-batch of more prompts than data.train_batch_size, {total}. Give {total} or less; {total} is estimated."),
                0,
            );
            draft.set("workload.rl.mini_batch", total);
        }
        if let Some(at_once) = draft.count("data.gen_batch_size") {
            draft.set("workload.rl.gen_batch_size", at_once);
        }
    }
    draft.take_count(&format!("{ROLLOUT}.n"), "workload.rl.responses_per_prompt", Some(1));
    draft.take_count("data.max_prompt_length", "workload.rl.max_prompt_length", Some(512));
    draft.take_count("data.max_response_length", "workload.rl.max_response_length", Some(512));
    let epochs = draft.count("actor_rollout_ref.actor.ppo_epochs").unwrap_or(1);
    draft.set("workload.rl.epochs", epochs);
}

/// Rules that go by the model's own configuration, where the text changes that.
fn overrules(draft: &mut Draft) {
    let stated = |draft: &Draft, names: &[&str]| names.iter().any(|name| draft.states(name));
    let positions = [
        "actor_rollout_ref.model.override_config.max_position_embeddings",
        "actor_rollout_ref.model.override_config.model_config.max_position_embeddings",
        "actor_rollout_ref.model.override_config.rope_scaling",
    ];
    if stated(draft, &positions) {
        draft.overrule("workload.rl.max_response_length");
    }
    let stages = [
        "num_layers_in_first_pipeline_stage",
        "num_layers_in_last_pipeline_stage",
        "account_for_embedding_in_pipeline_split",
        "account_for_loss_in_pipeline_split",
        "pipeline_model_parallel_layout",
    ]
    .map(|name| format!("actor_rollout_ref.actor.megatron.override_transformer_config.{name}"));
    if stages.iter().any(|name| draft.states(name)) {
        draft.overrule("plan.pipeline_parallel");
        draft.overrule("plan.reference.pipeline_parallel");
    }
}

fn packing(draft: &mut Draft, megatron: bool) {
    let model = draft.flag("actor_rollout_ref.model.use_remove_padding");
    let own = draft
        .flag("actor_rollout_ref.actor.megatron.use_remove_padding")
        .filter(|_| megatron);
    // Megatron has always packed.
    match own.or(model) {
        Some(packs) => draft.set("workload.packing", packs),
        None if !megatron && draft.predates("0.7.0") => draft.assume(
            "workload.packing",
            false,
            "veRL's default before 0.7.0, which the text is older than by its keys; actor_rollout_ref.model.use_remove_padding would say.",
        ),
        None => draft.set("workload.packing", true),
    }
}

fn micro_batch(draft: &mut Draft, required: bool) {
    const KEYS: &str = "actor_rollout_ref.actor";
    if draft.flag(&format!("{KEYS}.use_dynamic_bsz")).unwrap_or(false) {
        draft.take_count(&format!("{KEYS}.ppo_max_token_len_per_gpu"), "plan.max_tokens_per_gpu", Some(16384));
        return;
    }
    if let Some(micro) = draft.count(&format!("{KEYS}.ppo_micro_batch_size_per_gpu")) {
        draft.set("plan.micro_batch", micro);
        return;
    }
    let whole = draft.count(&format!("{KEYS}.ppo_micro_batch_size"));
    let gpus = draft.train_gpus.unwrap_or(8);
    match whole {
        Some(whole) => {
            let own = (whole / gpus.max(1)).max(1);
            draft.assume("plan.micro_batch", own, format!("{KEYS}.ppo_micro_batch_size counts all {gpus} GPUs."));
        }
        None if required => {
            // workers/config/actor.py.
            draft.refuse(
                &format!("{KEYS}.ppo_micro_batch_size_per_gpu"),
                "Neither a micro-batch nor use_dynamic_bsz=True is stated, and veRL starts with neither. The search chooses one here.",
                0,
            );
        }
        None => {}
    }
}

fn generation(draft: &mut Draft) {
    let key = |name: &str| format!("{ROLLOUT}.{name}");
    let name = draft.text(&key("name"));
    match name.as_deref().map(value::unquoted) {
        Some("sglang" | "sglang_async") => draft.set("plan.rollout.engine", "sglang"),
        Some("vllm" | "vllm_async") => draft.set("plan.rollout.engine", "vllm"),
        Some(other) => {
            let message = format!("{other} is not modelled: vLLM is estimated in its place.");
            draft.assume("plan.rollout.engine", "vllm", message);
        }
        None => {
            if !draft.snippet {
                draft.refuse(&key("name"), "veRL has no default engine since 0.6.0. Add it: vllm or sglang.", 0);
            }
            draft.assume("plan.rollout.engine", "vllm", "The text names no engine.");
        }
    }
    draft.take_count(&key("tensor_model_parallel_size"), "plan.rollout.tensor_parallel", Some(2));
    for (name, field, default) in
        [("data_parallel_size", "data_parallel", 1), ("expert_parallel_size", "expert_parallel", 1)]
    {
        let value = draft.count(&key(name)).unwrap_or(default);
        draft.set(&format!("plan.rollout.{field}"), value);
    }
    let sequences = "plan.rollout.max_num_seqs";
    match draft.count(&key("max_num_seqs")) {
        Some(count) => draft.set(sequences, count),
        None if draft.predates("0.9.0") => draft.assume(
            sequences,
            1024,
            "veRL's default before 0.9.0, which the text is older than by its keys; actor_rollout_ref.rollout.max_num_seqs would say.",
        ),
        None => draft.default(&key("max_num_seqs"), sequences, 256),
    }
    draft.take_count(&key("max_num_batched_tokens"), "plan.rollout.max_num_batched_tokens", Some(8192));
    match draft.number(&key("gpu_memory_utilization")) {
        Some(share) => draft.set("plan.rollout.gpu_memory_utilization", share),
        None => draft.default(&key("gpu_memory_utilization"), "plan.rollout.gpu_memory_utilization", 0.5),
    }
    let free = draft.flag(&key("free_cache_engine")).unwrap_or(true);
    draft.set("plan.rollout.free_cache", free);
    match draft.flag(&key("enforce_eager")) {
        Some(eager) => draft.set("plan.rollout.enforce_eager", eager),
        None if draft.predates("0.6.0") => draft.assume(
            "plan.rollout.enforce_eager",
            true,
            "veRL's default before 0.6.0, which the text is older than by its keys; actor_rollout_ref.rollout.enforce_eager would say.",
        ),
        None => draft.set("plan.rollout.enforce_eager", false),
    }
    for engine in ["vllm", "sglang"] {
        let dtype = draft.text(&key(&format!("engine_kwargs.{engine}.kv_cache_dtype")));
        if dtype.is_some_and(|dtype| dtype.contains("fp8")) {
            draft.set("plan.rollout.kv_cache_dtype", "fp8");
        }
    }
    let quantization = draft.text(&key("quantization")).unwrap_or_default();
    let dtype = draft.text(&key("dtype")).unwrap_or_default();
    if quantization.contains("fp8") {
        draft.set("plan.rollout.precision", "fp8");
    } else if matches!(value::unquoted(&dtype), "float16" | "half") {
        draft.set("plan.rollout.precision", "fp16");
    }
    if let Some(speedup) = draft
        .base
        .and_then(|base| base.plan.as_ref()?.rollout.as_ref()?.speculative_speedup)
    {
        draft.assume("plan.rollout.speculative_speedup", speedup, "From the base question: no text tells it.");
    }
}
