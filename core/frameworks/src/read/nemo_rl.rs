//! NeMo-RL: `uv run examples/run_grpo.py --config recipe.yaml key=value`, with its recipe, of reinforcement learning, fine-tuning
//! or DPO (<https://github.com/NVIDIA-NeMo/RL>, 7ea279a).

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::launch;
use super::link::Base;
use super::megatron::{recompute, splits};
use super::overrides;
use super::reinforcement::{filtered, generates_on, offloads, or_dapo, sharded, trains_on};
use super::report::{Dialect, Reading, Trouble};
use super::text::{Kind, Part};
use shardwise_catalog::catalog::ModelEntry;

const MEGATRON: &str = "policy.megatron_cfg.";
const DTENSOR: &str = "policy.dtensor_cfg.";

/// Tokens of the longest prompt that is assumed, where the configuration bounds prompt and response together.
const PROMPT: u64 = 1024;

/// Reads its recipe, then the overrides.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::NemoRl, keys::SECTIONS, base);
    let mut recipe = false;
    // What a recipe stands on comes first, wherever it is pasted.
    let files = parts.iter().filter_map(|part| match &part.kind {
        Kind::File(settings) => Some(settings),
        _ => None,
    });
    let (stands, founds): (Vec<_>, Vec<_>) =
        files.partition(|settings| settings.iter().any(|setting| setting.key == "defaults"));
    for setting in founds.into_iter().chain(stands).flatten() {
        recipe = true;
        draft.state(setting.clone());
    }
    let mut program = String::new();
    for part in parts {
        if let Kind::Shell(script) = &part.kind {
            let launch = launch::find(script, Dialect::NemoRl);
            overrides::take(
                &mut draft,
                &launch.after,
                |draft, setting| draft.state(setting),
                |_, name, _| matches!(name, "config"),
            );
            launch.report(&mut draft, script);
            launch.program.clone_into(&mut program);
            if let Some(file) = launch::option(&launch.after, &["config"]).filter(|_| !recipe) {
                draft.names(&file.text);
            }
        }
    }
    if draft.states("defaults") {
        draft.note(0, "The recipe stands on another file (`defaults`): what neither states is taken as in examples/configs/grpo_math_1B.yaml. Paste that file too where it is another.");
    }
    question(&mut draft, &program)?;
    draft.finish(None)
}

fn question(draft: &mut Draft, program: &str) -> Result<(), Trouble> {
    if draft.states_any("rm.") {
        let why =
            "This is NeMo-RL's training of reward models, which is not read: GRPO, PPO, distillation, SFT and DPO are.";
        return Err(Trouble::new(0, why));
    }
    let entry = draft.take_model("policy.model_name", "model");
    let [nodes, per_node] =
        ["num_nodes", "gpus_per_node"].map(|name| draft.count(&format!("cluster.{name}")).unwrap_or(1));
    let all = trains_on(draft, nodes, per_node);
    let length = draft.count("policy.max_total_sequence_length").unwrap_or(512);
    let tuned = ["sft", "dpo"]
        .into_iter()
        .find(|stage| draft.states_any(&format!("{stage}.")) || program.contains(&format!("run_{stage}")));
    if let Some(stage) = tuned {
        fine_tuning(draft, stage, length);
    } else {
        let stage = ["distillation", "ppo"]
            .into_iter()
            .find(|stage| draft.states_any(&format!("{stage}.")) || program.contains(&format!("run_{stage}")));
        reinforcement(draft, stage.unwrap_or("grpo"), (all, nodes, per_node), length);
    }
    if draft.is_on(&format!("{MEGATRON}enabled")) {
        megatron(draft, entry);
    } else {
        dtensor(draft);
    }
    away(draft, tuned.is_some());
    adapters(draft, tuned.is_some());
    passes(draft, length);
    if draft.is_on(&format!("{MEGATRON}fp8_cfg.enabled")) {
        draft.set("workload.precision", "fp8");
    }
    Ok(())
}

fn fine_tuning(draft: &mut Draft, stage: &str, length: u64) {
    draft.set("workload.kind", stage);
    draft.set("workload.sequence_length", length);
    draft.take_count("policy.train_global_batch_size", "workload.global_batch", Some(32));
    draft.take_count(&format!("{stage}.max_num_steps"), "workload.run.steps", None);
}

/// The algorithm, and the models beside the actor.
fn algorithm(draft: &mut Draft, stage: &str, filters: bool) {
    let kind = if stage == "distillation" {
        "distill"
    } else if stage == "ppo" {
        "ppo"
    } else if draft
        .word("grpo.adv_estimator.name")
        .is_some_and(|name| name.starts_with("reinforce"))
    {
        "reinforce_plus_plus"
    } else if draft.is_on("loss_fn.use_cispo") {
        "cispo"
    } else if draft.is_on("loss_fn.sequence_level_importance_ratios") {
        "gspo"
    } else {
        "grpo"
    };
    match kind {
        "distill" => {
            draft.set("workload.kind", kind);
            draft.take_model("teacher.model_name", "workload.distillation.teacher");
            draft.set("workload.distillation.placement", "beside");
            draft.set("workload.distillation.logits", "top_k");
            draft.take_count("distillation.topk_logits_k", "workload.distillation.top_k", Some(64));
        }
        "ppo" => {
            draft.set("workload.kind", kind);
            if draft.states("value.model_name") {
                draft.take_model("value.model_name", "workload.rl.critic");
            }
            draft.take_count("ppo.ppo_epochs", "workload.rl.epochs", None);
        }
        _ => {
            let kind = or_dapo(draft, kind, filters, "loss_fn.ratio_clip_min", "loss_fn.ratio_clip_max");
            draft.set("workload.kind", kind);
        }
    }
}

fn reinforcement(draft: &mut Draft, stage: &str, (all, nodes, per_node): (u64, u64, u64), length: u64) {
    let key = |name: &str| format!("{stage}.{name}");
    let filters = draft.is_on(&key("use_dynamic_sampling"));
    algorithm(draft, stage, filters);
    draft.take_all(&key(""));
    let size = |draft: &Draft, name: &str| draft.size(&format!("workload.rl.{name}")).unwrap_or(1).max(1);
    let (prompts, each) = (size(draft, "prompts_per_step"), size(draft, "responses_per_prompt"));
    let samples = draft.count("policy.train_global_batch_size").unwrap_or(512);
    draft.set("workload.rl.mini_batch", (samples / each).clamp(1, prompts));
    let prompt = PROMPT.min((length / 4).max(1));
    draft.assume(
        "workload.rl.max_prompt_length",
        prompt,
        "NeMo-RL bounds prompt and response together: this much of it is taken to be the prompt.",
    );
    let most = draft.count("policy.generation.max_new_tokens").unwrap_or(length);
    draft.set("workload.rl.max_response_length", most.min(length.saturating_sub(prompt)).max(1));
    let penalty = draft.number("loss_fn.reference_policy_kl_penalty").unwrap_or(0.01);
    draft.set("workload.rl.reference", penalty > 0.0 && stage != "distillation");
    let exact = draft.is_on("loss_fn.force_on_policy_ratio");
    draft.set("workload.rl.old_log_prob", !exact);
    if filters {
        filtered(draft);
    }
    draft.take_count(&key("max_num_steps"), "workload.run.steps", None);
    engine(draft);
    if draft.flag("policy.generation.colocated.enabled") == Some(false) {
        let own = |draft: &mut Draft, name: &str| draft.count(&format!("policy.generation.colocated.resources.{name}"));
        let generate = match (own(draft, "num_nodes"), own(draft, "gpus_per_node")) {
            (Some(own), _) if nodes > 1 => own.saturating_mul(per_node),
            (_, Some(gpus)) => gpus,
            _ => all / 2,
        };
        let runs_on = draft.is_on(&key(&format!("async_{stage}.enabled")));
        let train = all.saturating_sub(generate).max(1);
        draft.train_gpus = Some(train);
        generates_on(draft, train, generate, if runs_on { "fully_async" } else { "split" });
        if runs_on {
            let age = key(&format!("async_{stage}.max_trajectory_age_steps"));
            draft.take_count(&age, "workload.rl.max_staleness", Some(1));
        }
    }
}

fn engine(draft: &mut Draft) {
    let backend = draft.word("policy.generation.backend");
    let engine = match backend.as_deref() {
        Some("sglang") => "sglang",
        None | Some("vllm") => "vllm",
        Some(other) => {
            let why = format!("{other} is not modelled: vLLM is estimated in its place.");
            draft.assume("plan.rollout.engine", "vllm", why);
            "vllm"
        }
    };
    draft.set("plan.rollout.engine", engine);
    draft.take_all("policy.generation.vllm_cfg.");
    if draft.word("policy.generation.vllm_cfg.precision").as_deref() == Some("fp8") {
        draft.set("plan.rollout.precision", "fp8");
    }
    if draft
        .word("policy.generation.vllm_cfg.kv_cache_dtype")
        .is_some_and(|dtype| dtype.starts_with("fp8"))
    {
        draft.set("plan.rollout.kv_cache_dtype", "fp8");
    }
}

fn megatron(draft: &mut Draft, entry: Option<&ModelEntry>) {
    draft.set("plan.backend", "megatron");
    splits(draft, MEGATRON, "plan", entry, true);
    // Its configurations say 1, where Megatron's own default is the tensor-parallel size.
    if !draft.states(&format!("{MEGATRON}expert_tensor_parallel_size")) {
        draft.forget("plan.expert_tensor_parallel");
        draft.set("plan.expert_tensor_parallel", 1);
    }
    let key = |name: &str| format!("{MEGATRON}{name}");
    let word = draft.word(&key("recompute_granularity")).unwrap_or_else(|| "full".to_owned());
    let modules = draft.text(&key("recompute_modules")).filter(|_| word == "selective");
    let (own, _) = recompute(&word, modules.as_deref());
    if draft.is_on(&key("activation_checkpointing")) {
        draft.set("plan.recompute", own);
    } else {
        draft.set("plan.recompute", "none");
    }
    if draft.is_on(&key("moe_enable_deepep")) && draft.size("plan.expert_parallel") > Some(1) {
        draft.set("plan.moe_enable_deepep", true);
    }
    if draft.is_on(&key("optimizer.optimizer_cpu_offload")) {
        let fraction = draft.number(&key("optimizer.optimizer_offload_fraction")).unwrap_or(0.0);
        draft.set("plan.optimizer_offload_fraction", fraction);
    }
}

fn dtensor(draft: &mut Draft) {
    sharded(draft);
    draft.take_all(DTENSOR);
    for (name, field) in [("tensor_parallel_size", "tensor_parallel"), ("context_parallel_size", "context_parallel")] {
        let size = draft.count(&format!("{DTENSOR}{name}")).unwrap_or(1);
        draft.set(&format!("plan.{field}"), size);
    }
    draft.set("plan.zero_stage", 3);
    let checkpoints = draft.is_on(&format!("{DTENSOR}activation_checkpointing"));
    draft.set("plan.recompute", if checkpoints { "full" } else { "none" });
}

/// Colocated, all that trains makes room for generation.
fn away(draft: &mut Draft, tuned: bool) {
    let held = draft.is_on(&format!("{DTENSOR}cpu_offload"));
    let shares = !tuned && draft.field("workload.rl.schedule").is_none();
    offloads(draft, "plan", held || shares, held || shares);
}

fn adapters(draft: &mut Draft, tuned: bool) {
    for section in [format!("{DTENSOR}lora_cfg."), format!("{MEGATRON}peft.")] {
        if draft.is_on(&format!("{section}enabled")) {
            let rank = draft.count(&format!("{section}dim")).unwrap_or(8);
            draft.set("workload.lora.rank", rank);
            if tuned && draft.field("workload.kind").and_then(|kind| kind.as_str()) == Some("sft") {
                draft.set("workload.kind", "lora");
            }
        }
    }
}

/// Packed, a micro-batch holds the tokens of so many of the longest sequences, unless it is told how many.
fn passes(draft: &mut Draft, length: u64) {
    let micro = draft.count("policy.train_micro_batch_size").unwrap_or(4);
    let forward = draft.known_whole("policy.logprob_batch_size").unwrap_or(micro).max(1);
    let packs = draft.flag("policy.sequence_packing.enabled").unwrap_or(true);
    let kind = if packs { "sequence_packing" } else { "dynamic_batching" };
    let batched = packs || draft.is_on("policy.dynamic_batching.enabled");
    draft.set("workload.packing", packs);
    if batched {
        let own = |name: &str| draft.known_whole(&format!("policy.{kind}.{name}"));
        let (train, score) = (own("train_mb_tokens"), own("logprob_mb_tokens"));
        draft.set("plan.max_tokens_per_gpu", train.unwrap_or(micro.saturating_mul(length)));
        if draft.field("workload.rl").is_some() {
            draft.set("plan.forward_max_tokens_per_gpu", score.unwrap_or(forward.saturating_mul(length)));
        }
    } else {
        draft.set("plan.micro_batch", micro);
        if draft.field("workload.rl").is_some() {
            draft.set("plan.forward_micro_batch", forward);
        }
    }
}
