//! `SkyRL`: `python -m skyrl.train.entrypoints.main_base trainer.…=… generator.…=…`
//! (<https://github.com/NovaSky-AI/SkyRL>, 0.3.0 and a956457).

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::link::Base;
use super::megatron::{blocks, dispatcher, recompute, splits};
use super::reinforcement::{
    adapters, filtered, generates_on, narrow_cache, of_agent, offloads, or_dapo, reference_apart, sharded, trains_on,
};
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::{Kind, Part, stated_in_files};
use super::{kernel, launch, overrides};
use serde_json::json;
use shardwise_catalog::catalog::ModelEntry;

const ENGINE: &str = "generator.inference_engine.";
/// Tools that are called at a time.
const CALLS: &str = "environment.skyrl_gym.max_env_workers";
const MEGATRON: &str = "trainer.policy.megatron_config.";

/// What a role besides the policy may be told otherwise than that: the name behind the role's.
const ALIKE: [&str; 8] = [
    "sequence_parallel_size",
    "fsdp_config.reshard_after_forward",
    "fsdp_config.fsdp_size",
    "megatron_config.tensor_model_parallel_size",
    "megatron_config.pipeline_model_parallel_size",
    "megatron_config.context_parallel_size",
    "megatron_config.expert_model_parallel_size",
    "megatron_config.expert_tensor_parallel_size",
];

/// Reads its YAML, then the overrides.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::SkyRl, keys::SECTIONS, base);
    for setting in stated_in_files(parts) {
        state(&mut draft, setting);
    }
    let mut program = String::new();
    for part in parts {
        if let Kind::Shell(script) = &part.kind {
            let launch = launch::find(script, Dialect::SkyRl);
            let state = if launch.program.contains(TUNES) { state_tuning } else { state };
            overrides::take(&mut draft, &launch.after, state, |_, _, _| false);
            launch.report(&mut draft, script);
            launch.program.clone_into(&mut program);
        }
    }
    if program.contains(TUNES) {
        fine_tuning(&mut draft);
    } else {
        question(&mut draft, &program);
    }
    draft.finish(None)
}

/// The engine's keys stood one level higher until 2026.
fn state(draft: &mut Draft, setting: Setting) {
    let older = [
        ("generator.backend", "backend"),
        ("generator.num_inference_engines", "num_engines"),
        ("generator.inference_engine_tensor_parallel_size", "tensor_parallel_size"),
        ("generator.inference_engine_expert_parallel_size", "expert_parallel_size"),
        ("generator.inference_engine_data_parallel_size", "data_parallel_size"),
        ("generator.gpu_memory_utilization", "gpu_memory_utilization"),
        ("generator.max_num_batched_tokens", "max_num_batched_tokens"),
        ("generator.max_num_seqs", "max_num_seqs"),
        ("generator.enforce_eager", "enforce_eager"),
    ];
    let now = older.iter().find(|(key, _)| *key == setting.key);
    let key = now.map_or_else(|| setting.key.clone(), |(_, name)| format!("{ENGINE}{name}"));
    draft.state(Setting { key, ..setting });
}

/// The program that fine-tunes (`python -m skyrl.train.main_sft`).
const TUNES: &str = "main_sft";

/// Its keys stand one level higher than those of the policy (`skyrl/train/config/sft_config.py` at a956457, `SFTConfig` and
/// `build_skyrl_config_for_sft`).
fn state_tuning(draft: &mut Draft, setting: Setting) {
    let own = setting.key.as_str();
    let policys = ["model.", "megatron_config.", "fsdp_config.", "optimizer_config.", "sequence_parallel_size"];
    let key = match own {
        "max_length" | "batch_size" | "num_steps" | "max_training_steps" => own.to_owned(),
        "placement.num_nodes" | "placement.num_gpus_per_node" => own.replace("placement.", "trainer.placement.policy_"),
        _ if policys.iter().any(|start| own.starts_with(start)) => format!("trainer.policy.{own}"),
        _ => format!("trainer.{own}"),
    };
    draft.state(Setting { key, ..setting });
}

/// Fine-tuning: its defaults are those of `SFTConfig`.
fn fine_tuning(draft: &mut Draft) {
    let entry = draft.take_model("trainer.policy.model.path", "model");
    let size = |draft: &mut Draft, name: &str, default| {
        draft.count(&format!("trainer.placement.policy_num_{name}")).unwrap_or(default)
    };
    let (nodes, per_node) = (size(draft, "nodes", 1), size(draft, "gpus_per_node", 4));
    trains_on(draft, nodes, per_node);
    adapters(draft, "trainer.policy.model.lora.rank", "trainer.policy.model.lora.target_modules");
    let adapted = draft.field("workload.lora").is_some();
    draft.set("workload.kind", if adapted { "lora" } else { "sft" });
    if draft.take_count("max_length", "workload.sequence_length", None).is_none() {
        let why =
            "SkyRL cuts nothing where max_length is not stated, and how long your data are the text does not tell.";
        draft.assume("workload.sequence_length", 2048, why);
    }
    draft.take_count("batch_size", "workload.global_batch", Some(4));
    let packs = draft
        .flag("trainer.remove_microbatch_padding")
        .or_else(|| draft.flag("trainer.use_sample_packing"));
    draft.set("workload.packing", packs.unwrap_or(true));
    draft.take_all("trainer.policy.");
    if draft.word("trainer.strategy").as_deref() == Some("fsdp") {
        fsdp(draft);
    } else {
        if draft.stated(MEGATRON).is_empty() {
            for name in ["tensor", "pipeline"] {
                draft.set(&format!("plan.{name}_parallel"), 2);
            }
        }
        megatron(draft, entry);
    }
    // Nothing generates beside it.
    let held = draft.is_on("trainer.policy.fsdp_config.cpu_offload");
    offloads(draft, "plan", held, held);
    match draft
        .count("trainer.max_tokens_per_microbatch")
        .filter(|_| draft.is_on("trainer.use_sequence_packing"))
    {
        Some(tokens) => draft.set("plan.max_tokens_per_gpu", tokens),
        None => draft
            .take_count("trainer.micro_train_batch_size_per_gpu", "plan.micro_batch", Some(2))
            .map_or((), drop),
    }
    for key in ["max_training_steps", "num_steps"] {
        if draft.field("workload.run.steps").is_none() {
            draft.take_count(key, "workload.run.steps", None);
        }
    }
}

fn question(draft: &mut Draft, program: &str) {
    let entry = draft.take_model("trainer.policy.model.path", "model");
    machine(draft, program);
    algorithm(draft, program);
    draft.take_all("");
    turns(draft);
    draft.take_all("trainer.policy.");
    draft.take_all(ENGINE);
    narrow(draft);
    let engine = if draft.word(&format!("{ENGINE}backend")).as_deref() == Some("sglang") { "sglang" } else { "vllm" };
    draft.set("plan.rollout.engine", engine);
    if draft.word("trainer.strategy").as_deref() == Some("megatron") {
        megatron(draft, entry);
    } else {
        fsdp(draft);
    }
    passes(draft);
    others(draft);
    draft.take_count("trainer.max_training_steps", "workload.run.steps", None);
    let away = draft.is_on("trainer.ref.fsdp_config.cpu_offload");
    if away {
        reference_apart(draft, away);
    }
}

/// How long responses are, and an agent's turns: each has a bound of its own, and what is before it another
/// (`train/generators/skyrl_gym_generator.py`, `agent_loop`).
fn turns(draft: &mut Draft) {
    const TURN: &str = "generator.sampling_params.max_generate_length";
    const LONGEST: &str = "workload.rl.max_response_length";
    let most = draft.count("generator.max_turns").filter(|most| *most > 1);
    let before = draft.count("generator.max_input_length");
    let Some(most) = most else {
        draft.take_count(TURN, LONGEST, Some(1024));
        return;
    };
    let prompt = draft.size("workload.rl.max_prompt_length").unwrap_or(512);
    let turn = draft.count(TURN);
    // What stands before a turn is at most the longest prompt, where nothing is stated.
    let whole = before.unwrap_or(prompt).saturating_add(turn.unwrap_or(1024));
    let response = whole.saturating_sub(prompt).max(1);
    if turn.is_some() {
        draft.set(LONGEST, response);
    } else {
        draft.default(TURN, LONGEST, response);
    }
    of_agent(draft, Some(most), "generator.max_turns");
    let calls = draft.signed(CALLS).unwrap_or(32).max(1);
    let size = |field: &str| draft.size(&format!("workload.rl.{field}")).unwrap_or(1);
    let all = size("prompts_per_step").saturating_mul(size("responses_per_prompt"));
    if u64::try_from(calls).is_ok_and(|calls| calls < all) {
        draft.note(0, format!("SkyRL calls tools for {calls} of {all} responses at a time ({CALLS}). The estimate lets no call wait for another."));
    }
}

/// What the engine has in 8 bits.
fn narrow(draft: &mut Draft) {
    let key = |name: &str| format!("{ENGINE}engine_init_kwargs.{name}");
    match draft.word(&key("quantization")) {
        Some(form) if form.starts_with("fp8") => draft.set("plan.rollout.precision", "fp8"),
        Some(form) => {
            let usual = "bf16";
            let why = format!("{form} is not modelled: {usual} is estimated in its place.");
            draft.assume("plan.rollout.precision", usual, why);
        }
        None => {}
    }
    narrow_cache(draft, &key("kv_cache_dtype"));
}

/// Roles that are laid out otherwise than the policy.
fn others(draft: &mut Draft) {
    let differs = |draft: &Draft, own: &str, policys: &str| {
        let own = draft.known(own);
        own.is_some() && own != draft.known(policys)
    };
    let places = ["num_nodes", "num_gpus_per_node"];
    for role in ["ref", "critic"] {
        let apart = places.iter().any(|name| {
            let key = |role: &str| format!("trainer.placement.{role}_{name}");
            differs(draft, &key(role), &key("policy"))
        });
        let otherwise = ALIKE.iter().any(|name| {
            let key = |role: &str| format!("trainer.{role}.{name}");
            differs(draft, &key(role), &key("policy"))
        });
        if apart || otherwise {
            draft.note_once(
                "The estimate has reference and critic on the policy's GPUs, and lays them out as the policy.",
            );
        }
    }
}

/// GPUs that train, and beside them those of the engines, unless all do both.
fn machine(draft: &mut Draft, program: &str) {
    let size = |draft: &mut Draft, name: &str, default| {
        draft.count(&format!("trainer.placement.policy_num_{name}")).unwrap_or(default)
    };
    let (nodes, per_node) = (size(draft, "nodes", 1), size(draft, "gpus_per_node", 1));
    let train = trains_on(draft, nodes, per_node);
    if draft.flag("trainer.placement.colocate_all") != Some(false) {
        return;
    }
    let engine = |draft: &mut Draft, name: &str| draft.count(&format!("{ENGINE}{name}")).unwrap_or(1);
    let generate = ["num_engines", "tensor_parallel_size", "data_parallel_size"]
        .iter()
        .fold(1, |all: u64, name| all.saturating_mul(engine(draft, name)));
    // One machine where it holds both, else nodes of those that train, or of those that generate where these are more.
    let all = train.saturating_add(generate);
    draft.set("hardware.gpus_per_node", if all <= 8 { all } else { per_node.max(generate.min(8)) });
    let fully = draft.is_on("trainer.fully_async.enabled") || program.contains("fully_async");
    let ahead = program.contains("async");
    generates_on(
        draft,
        train,
        generate,
        if fully {
            "fully_async"
        } else if ahead {
            "one_step_off"
        } else {
            "split"
        },
    );
    if fully {
        draft.take_count("trainer.fully_async.max_staleness_steps", "workload.rl.max_staleness", Some(4));
    }
}

fn algorithm(draft: &mut Draft, program: &str) {
    let loss = draft.word("trainer.algorithm.policy_loss_type");
    let kind = match (draft.word("trainer.algorithm.advantage_estimator").as_deref(), loss.as_deref()) {
        (Some("gae"), _) => "ppo",
        (Some("rloo"), _) => "rloo",
        (Some("reinforce++"), _) => "reinforce_plus_plus",
        (_, Some("gspo")) => "gspo",
        (_, Some("cispo")) => "cispo",
        _ if draft.flag("trainer.algorithm.grpo_norm_by_std") == Some(false) => "dr_grpo",
        _ => "grpo",
    };
    let filters = draft.word("trainer.algorithm.dynamic_sampling.type").is_some();
    let clip = |side: &str| format!("trainer.algorithm.eps_clip_{side}");
    // A bound of the dual clip is DAPO's as well.
    let marked = filters || program.contains("dapo") || loss.as_deref() == Some("dual_clip");
    let kind = or_dapo(draft, kind, marked, &clip("low"), &clip("high"));
    draft.set("workload.kind", kind);
    if kind == "dapo" && !filters {
        draft.set("workload.rl.oversampling", 1.0);
    }
    if kind == "ppo" {
        draft.take_model("trainer.critic.model.path", "workload.rl.critic");
    }
    let keeps = draft.flag("trainer.algorithm.use_kl_loss").unwrap_or(true);
    let in_reward = draft.is_on("trainer.algorithm.use_kl_in_reward");
    draft.set("workload.rl.reference", keeps || in_reward);
    // `_skip_policy_forward` of its trainer: losses of the engine's own probabilities.
    let engines = matches!(loss.as_deref(), Some("rollout_is" | "dppo"));
    draft.set("workload.rl.old_log_prob", in_reward || !engines);
    if filters {
        filtered(draft);
    }
    let padding = ["trainer.remove_microbatch_padding", "trainer.use_sample_packing"];
    let packs = padding.iter().find_map(|key| draft.flag(key)).unwrap_or(true);
    draft.set("workload.packing", packs);
    adapters(draft, "trainer.policy.model.lora.rank", "trainer.policy.model.lora.target_modules");
}

fn fsdp(draft: &mut Draft) {
    sharded(draft);
    let key = |name: &str| format!("trainer.policy.{name}");
    let reshards = draft.word(&key("fsdp_config.reshard_after_forward"));
    draft.set("plan.zero_stage", if reshards.is_some_and(|word| word.eq_ignore_ascii_case("false")) { 2 } else { 3 });
    if let Some(size) = draft.signed(&key("fsdp_config.fsdp_size")).filter(|size| *size > 0) {
        draft.set("plan.shard_group", size);
    }
    let checkpoints = draft.flag("trainer.gradient_checkpointing").unwrap_or(true);
    draft.set("plan.recompute", if checkpoints { "full" } else { "none" });
    if draft.flag("trainer.flash_attn") == Some(false) {
        draft.set("plan.attention_kernel", "sdpa");
    }
    if draft.field("workload.lora").is_some() {
        // `model_wrapper.py`: weights are loaded in fp32, those that stay as they are too.
        draft.set("plan.master_weights_bytes", 4.0);
    }
    away(draft);
}

/// Colocated, all that trains makes room for generation; else it stays, unless FSDP itself keeps it in host memory.
fn away(draft: &mut Draft) {
    let shares = draft.field("workload.rl.schedule").is_none();
    let held = draft.is_on("trainer.policy.fsdp_config.cpu_offload");
    offloads(draft, "plan", shares || held, shares || held);
}

fn megatron(draft: &mut Draft, entry: Option<&ModelEntry>) {
    draft.set("plan.backend", "megatron");
    splits(draft, MEGATRON, "plan", entry, true);
    again(draft);
    let ddp = |name: &str| format!("{MEGATRON}ddp_config.{name}");
    let wide = draft.flag(&ddp("grad_reduce_in_fp32")).unwrap_or(true);
    draft.set("plan.gradient_bytes", if wide { 4.0 } else { 2.0 });
    let [gradients, parameters] = ["overlap_grad_reduce", "overlap_param_gather"].map(|name| draft.is_on(&ddp(name)));
    draft.set("plan.overlap", json!({"gradients": gradients, "parameters": parameters, "tensor_parallel": false}));
    match draft.flag("trainer.flash_attn") {
        Some(true) => kernel::newest_flash(draft, "plan"),
        Some(false) => draft.set("plan.attention_kernel", "cudnn"),
        None => {}
    }
    let kwargs = format!("{MEGATRON}transformer_config_kwargs.moe_");
    let deepep = draft.flag(&format!("{kwargs}enable_deepep"));
    let backend = draft.word(&format!("{kwargs}flex_dispatcher_backend"));
    if draft.size("plan.expert_parallel") > Some(1)
        && let Some(dispatcher) = dispatcher(Some("flex"), backend.as_deref(), deepep == Some(true))
            .or((deepep == Some(false)).then_some("alltoall"))
    {
        draft.set("plan.moe_token_dispatcher", dispatcher);
    }
    away(draft);
    let optimizer = |name: &str| format!("{MEGATRON}optimizer_config_kwargs.optimizer_{name}");
    if draft.is_on(&optimizer("cpu_offload")) {
        let fraction = draft.number(&optimizer("offload_fraction")).unwrap_or(0.0);
        draft.set("plan.optimizer_offload_fraction", fraction);
        if fraction > 0.0 {
            draft.set("plan.offload.optimizer", false);
        }
    }
}

/// What is computed again: its defaults are each layer (`config.py`, `DEFAULT_TRANSFORMER_CONFIG_KWARGS`), unless there are no
/// checkpoints at all.
fn again(draft: &mut Draft) {
    let key = |name: &str| format!("{MEGATRON}transformer_config_kwargs.recompute_{name}");
    let word = draft.word(&key("granularity")).unwrap_or_else(|| "full".to_owned());
    let modules = draft.text(&key("modules"));
    let (own, _) = recompute(&word, modules.as_deref());
    let layers = draft.count(&key("num_layers")).filter(|_| word == "full");
    if draft.flag("trainer.gradient_checkpointing") == Some(false) {
        draft.set("plan.recompute", "none");
    } else if let Some(layers) = layers.filter(|_| draft.word(&key("method")).as_deref() == Some("block")) {
        draft.set("plan.recompute", blocks(layers));
    } else {
        draft.set("plan.recompute", own);
    }
}

/// A budget of tokens is of updates and of passes forward alone, before sequences are split over GPUs.
fn passes(draft: &mut Draft) {
    let tokens = draft.signed("trainer.max_tokens_per_microbatch").filter(|tokens| *tokens > 0);
    if let Some(tokens) = tokens {
        let size = |field: &str| draft.size(&format!("plan.{field}")).unwrap_or(1).max(1);
        let split = size("ulysses_parallel").saturating_mul(size("context_parallel"));
        let own = u64::try_from(tokens).unwrap_or(1).div_ceil(split);
        draft.set("plan.max_tokens_per_gpu", own);
        draft.set("plan.forward_max_tokens_per_gpu", own);
        return;
    }
    draft.take_count("trainer.micro_train_batch_size_per_gpu", "plan.micro_batch", Some(1));
    let forward = draft.count("trainer.micro_forward_batch_size_per_gpu");
    draft.set("plan.forward_micro_batch", forward.unwrap_or(1));
}
