//! NeMo-RL: `uv run examples/run_grpo.py --config recipe.yaml key=value`, with its recipe, of reinforcement learning, fine-tuning
//! or DPO (<https://github.com/NVIDIA-NeMo/RL>, 7ea279a).

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use serde_json::json;

use super::draft::Draft;
use super::kernel;
use super::launch;
use super::link::Base;
use super::megatron::{dispatcher, recompute, splits};
use super::overrides;
use super::reinforcement::{filtered, generates_on, narrow_cache, offloads, or_dapo, sharded, trains_on};
use super::report::{Dialect, Reading, Trouble};
use super::text::{Kind, Part};
use super::value::lora_targets;
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
    // The last of those that stand on another names one that is not here.
    if founds.is_empty()
        && let Some(file) = stands
            .last()
            .and_then(|own| own.iter().find(|setting| setting.key == "defaults"))
    {
        draft.names(&file.value);
    }
    // The first is the run's own, and stands on the second.
    for setting in founds.into_iter().chain(stands.into_iter().rev()).flatten() {
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
    let tuned = ["sft", "dpo"]
        .into_iter()
        .find(|stage| draft.states_any(&format!("{stage}.")) || program.contains(&format!("run_{stage}")));
    let usual = usual(tuned);
    let length = draft.count("policy.max_total_sequence_length").unwrap_or(usual.length);
    if let Some(stage) = tuned {
        fine_tuning(draft, stage, (usual.batch, length));
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
    passes(draft, &usual, length);
    if draft.is_on(&format!("{MEGATRON}fp8_cfg.enabled")) {
        draft.set("workload.precision", "fp8");
    }
    Ok(())
}

/// What `grpo_math_1B.yaml`, `sft.yaml` and `dpo.yaml` say where the text says nothing.
struct Usual {
    batch: u32,
    micro: u64,
    length: u64,
    packs: bool,
    /// Whether it may pack at all.
    may_pack: bool,
}

fn usual(tuned: Option<&str>) -> Usual {
    match tuned {
        Some("dpo") => Usual { batch: 128, micro: 2, length: 1024, packs: false, may_pack: false },
        Some(_) => Usual { batch: 32, micro: 1, length: 1024, packs: false, may_pack: true },
        None => Usual { batch: 512, micro: 4, length: 512, packs: true, may_pack: true },
    }
}

fn fine_tuning(draft: &mut Draft, stage: &str, (batch, length): (u32, u64)) {
    draft.set("workload.kind", stage);
    draft.set("workload.sequence_length", length);
    draft.take_count("policy.train_global_batch_size", "workload.global_batch", Some(batch.into()));
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
    } else if leaves_one_out(draft) {
        "rloo"
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
            // A bound of the dual clip is DAPO's as well.
            let marked = filters || draft.holds("loss_fn.ratio_clip_c");
            let kind = or_dapo(draft, kind, marked, "loss_fn.ratio_clip_min", "loss_fn.ratio_clip_max");
            draft.set("workload.kind", kind);
            if kind == "dapo" && !filters {
                draft.set("workload.rl.oversampling", 1.0);
            }
        }
    }
}

/// REINFORCE with the mean of the prompt's other responses as baseline (`ClippedPGLossFn` and `GRPOAdvantageEstimator`).
fn leaves_one_out(draft: &mut Draft) -> bool {
    let others = draft.flag("grpo.use_leave_one_out_baseline") != Some(false);
    others && draft.is_on("loss_fn.disable_ppo_ratio") && draft.flag("grpo.normalize_rewards") == Some(false)
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
    let prompt = prompt(draft, length);
    let most = draft.count("policy.generation.max_new_tokens").unwrap_or(length);
    draft.set("workload.rl.max_response_length", most.min(length.saturating_sub(prompt)).max(1));
    let penalty = draft.number("loss_fn.reference_policy_kl_penalty").unwrap_or(0.01);
    draft.set("workload.rl.reference", penalty > 0.0 && stage != "distillation");
    let exact = draft.is_on("loss_fn.force_on_policy_ratio");
    draft.set("workload.rl.old_log_prob", !exact);
    if filters {
        filtered(draft);
        if let Some(more) = draft.number(&key("batch_multiplier")).filter(|more| *more > 0.0) {
            // `grpo.py`, `setup`: rounded down.
            draft.set("workload.rl.gen_batch_size", whole(prompts as f64 * more).max(1));
        }
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
            // Off unless it is asked for (`grpo_math_1B.yaml`).
            let in_flight = draft.is_on(&key(&format!("async_{stage}.in_flight_weight_updates")));
            draft.set("workload.rl.partial_rollout", in_flight);
        }
    }
}

/// Of a number that is none below 0, what is before its point.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what it holds")]
fn whole(number: f64) -> u64 {
    number.clamp(0.0, 1e15) as u64
}

/// The longest prompt: that of the data, where this leaves room for a response.
fn prompt(draft: &mut Draft, length: u64) -> u64 {
    if let Some(own) = draft.count("data.max_input_seq_length").filter(|own| *own < length) {
        draft.set("workload.rl.max_prompt_length", own);
        return own;
    }
    let prompt = PROMPT.min((length / 4).max(1));
    draft.assume(
        "workload.rl.max_prompt_length",
        prompt,
        "NeMo-RL bounds prompt and response together: this much of it is taken to be the prompt.",
    );
    prompt
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
    draft.take_all("policy.generation.vllm_kwargs.");
    // vLLM's expert parallelism is its copies of the attention times their tensor parallelism.
    let shared = draft.count("policy.generation.vllm_cfg.expert_parallel_size").unwrap_or(1);
    draft.set("plan.rollout.expert_parallel", shared);
    let tensor = draft.size("plan.rollout.tensor_parallel").unwrap_or(1).max(1);
    draft.set("plan.rollout.data_parallel", (shared / tensor).max(1));
    if draft.word("policy.generation.vllm_cfg.precision").as_deref() == Some("fp8") {
        draft.set("plan.rollout.precision", "fp8");
    }
    narrow_cache(draft, "policy.generation.vllm_cfg.kv_cache_dtype");
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
    // And no sequence parallelism, and the distributed optimizer.
    let tensor = draft.size("plan.tensor_parallel").unwrap_or(1);
    let sequence = draft.is_on(&key("sequence_parallel"));
    draft.set("plan.sequence_parallel", sequence && tensor > 1);
    let sharded = draft.flag(&key("optimizer.use_distributed_optimizer")).unwrap_or(true);
    draft.set("plan.zero_stage", u64::from(sharded));
    states(draft);
    kernel::megatron(draft, &key("attention_backend"), "plan");
    let word = draft.word(&key("recompute_granularity")).unwrap_or_else(|| "full".to_owned());
    let modules = draft.text(&key("recompute_modules")).filter(|_| word == "selective");
    let (own, _) = recompute(&word, modules.as_deref());
    if draft.is_on(&key("activation_checkpointing")) {
        draft.set("plan.recompute", own);
    } else {
        draft.set("plan.recompute", "none");
    }
    let deepep = draft.flag(&key("moe_enable_deepep"));
    let backend = draft.word(&key("moe_flex_dispatcher_backend"));
    let own = draft.known(&key("moe_token_dispatcher_type"));
    let flex = own.as_deref().filter(|own| *own == "flex");
    if draft.size("plan.expert_parallel") > Some(1)
        && let Some(dispatcher) =
            dispatcher(flex, backend.as_deref(), deepep == Some(true)).or((deepep == Some(false)).then_some("alltoall"))
    {
        draft.set("plan.moe_token_dispatcher", dispatcher);
    }
    if draft.is_on(&key("optimizer.optimizer_cpu_offload")) {
        let fraction = draft.number(&key("optimizer.optimizer_offload_fraction")).unwrap_or(0.0);
        draft.set("plan.optimizer_offload_fraction", fraction);
    }
}

/// Gradients in 2 bytes, unless they are told to be summed in 4, and what runs beside computation.
fn states(draft: &mut Draft) {
    let ddp = |name: &str| format!("{MEGATRON}distributed_data_parallel_config.{name}");
    let wide = draft.is_on(&ddp("grad_reduce_in_fp32"));
    draft.set("plan.gradient_bytes", if wide { 4.0 } else { 2.0 });
    let [gradients, parameters] =
        ["overlap_grad_reduce", "overlap_param_gather"].map(|name| draft.flag(&ddp(name)).unwrap_or(true));
    draft.set("plan.overlap", json!({"gradients": gradients, "parameters": parameters, "tensor_parallel": false}));
}

fn dtensor(draft: &mut Draft) {
    sharded(draft);
    draft.take_all(DTENSOR);
    // models/automodel/setup.py splits experts over as many of the shards' ranks.
    for (name, field) in [
        ("tensor_parallel_size", "tensor_parallel"),
        ("context_parallel_size", "context_parallel"),
        ("expert_parallel_size", "expert_parallel"),
    ] {
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
    let steps_there = draft.field("plan.optimizer_offload_fraction").is_some();
    offloads(draft, "plan", held || shares, (held || shares) && !steps_there);
}

fn adapters(draft: &mut Draft, tuned: bool) {
    for section in [format!("{DTENSOR}lora_cfg."), format!("{MEGATRON}peft.")] {
        if draft.is_on(&format!("{section}enabled")) {
            let rank = draft.count(&format!("{section}dim")).unwrap_or(8);
            draft.set("workload.lora.rank", rank);
            if section.starts_with(DTENSOR) {
                // `models/automodel/setup.py`, line 671: FSDP holds base and adapters in one type.
                draft.set("plan.master_weights_bytes", 4.0);
            }
            let chosen = draft.text(&format!("{section}target_modules"));
            let all = draft.flag(&format!("{section}match_all_linear"));
            let all = all.unwrap_or(section.starts_with(DTENSOR));
            draft.set("workload.lora.targets", lora_targets(chosen.as_deref().filter(|_| !all)));
            if tuned && draft.field("workload.kind").and_then(|kind| kind.as_str()) == Some("sft") {
                draft.set("workload.kind", "lora");
            }
        }
    }
}

/// Packed, a micro-batch holds the tokens of so many of the longest sequences, unless it is told how many; context parallelism
/// splits what it holds.
fn passes(draft: &mut Draft, usual: &Usual, length: u64) {
    let micro = draft.count("policy.train_micro_batch_size").unwrap_or(usual.micro);
    let forward = draft.known_whole("policy.logprob_batch_size").unwrap_or(micro).max(1);
    let packs = draft.flag("policy.sequence_packing.enabled").unwrap_or(usual.packs);
    let kind = if packs { "sequence_packing" } else { "dynamic_batching" };
    let batched = packs || draft.is_on("policy.dynamic_batching.enabled");
    if usual.may_pack {
        draft.set("workload.packing", packs);
    }
    if batched {
        let split = draft.size("plan.context_parallel").unwrap_or(1).max(1);
        let own = |name: &str| draft.known_whole(&format!("policy.{kind}.{name}"));
        let (train, score) = (own("train_mb_tokens"), own("logprob_mb_tokens"));
        let train = train.unwrap_or(micro.saturating_mul(length));
        draft.set("plan.max_tokens_per_gpu", train.div_ceil(split));
        if draft.field("workload.rl").is_some() {
            let score = score.unwrap_or(forward.saturating_mul(length));
            draft.set("plan.forward_max_tokens_per_gpu", score.div_ceil(split));
        }
    } else {
        draft.set("plan.micro_batch", micro);
        if draft.field("workload.rl").is_some() {
            draft.set("plan.forward_micro_batch", forward);
        }
    }
}
