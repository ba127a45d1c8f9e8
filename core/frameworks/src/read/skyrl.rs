//! `SkyRL`: `python -m skyrl.train.entrypoints.main_base trainer.…=… generator.…=…`
//! (<https://github.com/NovaSky-AI/SkyRL>, a956457).

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::launch;
use super::link::Base;
use super::megatron::{recompute, splits};
use super::overrides;
use super::reinforcement::{adapters, filtered, generates_on, offloads, or_dapo, reference_apart, sharded, trains_on};
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::{Kind, Part, stated_in_files};
use shardwise_catalog::catalog::ModelEntry;

const ENGINE: &str = "generator.inference_engine.";
const MEGATRON: &str = "trainer.policy.megatron_config.";

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
            overrides::take(&mut draft, &launch.after, state, |_, _, _| false);
            launch.report(&mut draft, script);
            launch.program.clone_into(&mut program);
        }
    }
    question(&mut draft, &program);
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

fn question(draft: &mut Draft, program: &str) {
    let entry = draft.take_model("trainer.policy.model.path", "model");
    machine(draft, program);
    algorithm(draft, program);
    draft.take_all("");
    draft.take_all(ENGINE);
    let engine = if draft.word(&format!("{ENGINE}backend")).as_deref() == Some("sglang") { "sglang" } else { "vllm" };
    draft.set("plan.rollout.engine", engine);
    if draft.word("trainer.strategy").as_deref() == Some("megatron") {
        megatron(draft, entry);
    } else {
        fsdp(draft);
    }
    passes(draft);
    draft.take_count("trainer.max_training_steps", "workload.run.steps", None);
    let away = draft.is_on("trainer.ref.fsdp_config.cpu_offload");
    if away {
        reference_apart(draft, away);
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
    let kind = or_dapo(draft, kind, filters || program.contains("dapo"), &clip("low"), &clip("high"));
    draft.set("workload.kind", kind);
    if kind == "ppo" {
        draft.take_model("trainer.critic.model.path", "workload.rl.critic");
    }
    let keeps = draft.flag("trainer.algorithm.use_kl_loss").unwrap_or(true);
    let reference = keeps || draft.is_on("trainer.algorithm.use_kl_in_reward");
    draft.set("workload.rl.reference", reference);
    draft.set("workload.rl.old_log_prob", true);
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
    let key = |name: &str| format!("{MEGATRON}transformer_config_kwargs.recompute_{name}");
    // Its defaults recompute each layer (`config.py`, `DEFAULT_TRANSFORMER_CONFIG_KWARGS`).
    let word = draft.word(&key("granularity")).unwrap_or_else(|| "full".to_owned());
    let modules = draft.text(&key("modules"));
    let (recompute, _) = recompute(&word, modules.as_deref());
    draft.set("plan.recompute", recompute);
    let optimizer = |name: &str| format!("{MEGATRON}optimizer_config_kwargs.optimizer_{name}");
    away(draft);
    if draft.is_on(&optimizer("cpu_offload")) {
        let fraction = draft.number(&optimizer("offload_fraction")).unwrap_or(1.0);
        draft.set("plan.optimizer_offload_fraction", fraction);
    }
}

fn passes(draft: &mut Draft) {
    let tokens = draft.signed("trainer.max_tokens_per_microbatch").filter(|tokens| *tokens > 0);
    if let Some(tokens) = tokens {
        draft.set("plan.max_tokens_per_gpu", tokens);
        return;
    }
    draft.take_count("trainer.micro_train_batch_size_per_gpu", "plan.micro_batch", Some(1));
    let forward = draft.count("trainer.micro_forward_batch_size_per_gpu");
    draft.set("plan.forward_micro_batch", forward.unwrap_or(1));
}
