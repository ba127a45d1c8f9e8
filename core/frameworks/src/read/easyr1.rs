//! `EasyR1`: `python3 -m verl.trainer.main config=… key=value`, a fork of veRL with keys of its own
//! (<https://github.com/hiyouga/EasyR1>, b44b311).

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::launch;
use super::link::Base;
use super::overrides;
use super::reinforcement::{adapters, filtered, offloads, or_dapo, reference_apart, sharded, trains_on};
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::{Kind, Part, stated_in_files};

const ACTOR: &str = "worker.actor.";

/// What its commands name as `config=examples/config.yaml`: what of that file says more than the dataclasses do.
const EXAMPLE: &[(&str, &str)] = &[
    ("data.max_prompt_length", "2048"),
    ("data.max_response_length", "2048"),
    ("data.rollout_batch_size", "512"),
    ("algorithm.adv_estimator", "grpo"),
    ("algorithm.use_kl_loss", "true"),
    ("worker.actor.global_batch_size", "128"),
    ("worker.actor.micro_batch_size_per_device_for_update", "1"),
    ("worker.actor.micro_batch_size_per_device_for_experience", "2"),
    ("worker.actor.model.model_path", "Qwen/Qwen2.5-7B-Instruct"),
    ("worker.actor.offload.offload_params", "true"),
    ("worker.actor.offload.offload_optimizer", "true"),
    ("worker.rollout.n", "5"),
    ("worker.rollout.gpu_memory_utilization", "0.6"),
    ("worker.rollout.tensor_parallel_size", "2"),
    ("worker.ref.fsdp.enable_cpu_offload", "true"),
    ("trainer.nnodes", "1"),
    ("trainer.n_gpus_per_node", "8"),
];

/// Reads its YAML, then the overrides.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::EasyR1, keys::SECTIONS, base);
    let yaml = parts.iter().any(|part| matches!(part.kind, Kind::File(_)));
    let launches = parts.iter().filter_map(|part| match &part.kind {
        Kind::Shell(script) => Some((script, launch::find(script, Dialect::EasyR1))),
        _ => None,
    });
    let launches: Vec<_> = launches.collect();
    let named = launches.iter().flat_map(|(_, launch)| &launch.after);
    if !yaml && named.clone().any(|word| word.text.ends_with("examples/config.yaml")) {
        for (key, value) in EXAMPLE {
            // Under the command: what is not in the text is no key of the report.
            draft.settings.state(
                (*key).to_owned(),
                Setting { key: (*key).to_owned(), value: (*value).to_owned(), ..Setting::default() },
            );
        }
        draft.note(0, "The command names examples/config.yaml, which is read as EasyR1 has it. Paste yours beside the command if you changed it.");
    }
    for setting in stated_in_files(parts) {
        draft.state(setting);
    }
    for (script, launch) in &launches {
        overrides::take(&mut draft, &launch.after, |draft, setting| draft.state(setting), |_, _, _| false);
        launch.report(&mut draft, script);
    }
    question(&mut draft);
    draft.finish(None)
}

fn question(draft: &mut Draft) {
    draft.take_model("worker.actor.model.model_path", "model");
    let [nodes, per_node] = [("trainer.nnodes", 1), ("trainer.n_gpus_per_node", 8)]
        .map(|(key, default)| draft.count(key).unwrap_or(default));
    trains_on(draft, nodes, per_node);
    algorithm(draft);
    draft.take_all("");
    layout(draft);
    passes(draft);
    let away = draft.is_on("worker.ref.fsdp.enable_cpu_offload") || draft.is_on("worker.ref.offload.offload_params");
    reference_apart(draft, away);
    draft.set("plan.rollout.engine", "vllm");
    draft.take_count("trainer.max_steps", "workload.run.steps", None);
}

fn algorithm(draft: &mut Draft) {
    let kind = match draft.word("algorithm.adv_estimator").as_deref() {
        Some("gae") => "ppo",
        Some("rloo") => "rloo",
        Some("reinforce_plus_plus") => "reinforce_plus_plus",
        Some("remax") => "remax",
        _ => "grpo",
    };
    let filters = draft.is_on("algorithm.online_filtering");
    let clip = |side: &str| format!("{ACTOR}clip_ratio_{side}");
    let kind = or_dapo(draft, kind, filters, &clip("low"), &clip("high"));
    draft.set("workload.kind", kind);
    if kind == "ppo" {
        draft.take_model("worker.critic.model.model_path", "workload.rl.critic");
    }
    let none = draft.is_on("algorithm.disable_kl");
    draft.set("workload.rl.reference", !none);
    draft.set("workload.rl.old_log_prob", true);
    if filters {
        filtered(draft);
    }
    let packs = draft.flag("worker.actor.padding_free").unwrap_or(true);
    draft.set("workload.packing", packs);
    adapters(draft, "worker.actor.model.lora.rank", "worker.actor.model.lora.target_modules");
}

fn layout(draft: &mut Draft) {
    sharded(draft);
    let key = |name: &str| format!("{ACTOR}{name}");
    let whole = draft.flag(&key("fsdp.enable_full_shard")).unwrap_or(true);
    draft.set("plan.zero_stage", if whole { 3 } else { 2 });
    if let Some(size) = draft.signed(&key("fsdp.fsdp_size")).filter(|size| *size > 0) {
        draft.set("plan.shard_group", size);
    }
    let all = draft.is_on(&key("fsdp.enable_cpu_offload"));
    let [parameters, optimizer] =
        ["params", "optimizer"].map(|name| draft.is_on(&key(&format!("offload.offload_{name}"))));
    offloads(draft, "plan", all || parameters, all || optimizer);
    let checkpoints = draft.flag(&key("model.enable_gradient_checkpointing")).unwrap_or(true);
    draft.set("plan.recompute", if checkpoints { "full" } else { "none" });
    // `workers/fsdp_workers.py`, line 198: the actor's weights are fp32 unless told otherwise.
    let dtype = draft.word(&key("fsdp.torch_dtype"));
    if dtype.is_some_and(|dtype| dtype.contains("16")) {
        draft.set("plan.master_weights_bytes", 2.0);
        draft.set("plan.gradient_bytes", 2.0);
    }
    if draft.word(&key("optim.strategy")).as_deref() == Some("adamw_bf16") {
        draft.set("plan.optimizer_bytes", 4.0);
    }
}

/// Micro-batches; batched by length a micro-batch holds as many tokens as so many of the longest
/// (`workers/actor/dp_actor.py`, lines 197 and 240).
fn passes(draft: &mut Draft) {
    let key = |name: &str| format!("{ACTOR}{name}");
    let update = draft.count(&key("micro_batch_size_per_device_for_update"));
    let experience = draft.count(&key("micro_batch_size_per_device_for_experience"));
    if update.is_none() {
        draft.assume(
            "plan.micro_batch",
            4,
            "EasyR1's default; set worker.actor.micro_batch_size_per_device_for_update to state it.",
        );
    }
    let (update, experience) = (update.unwrap_or(4), experience.unwrap_or(16));
    if draft.flag(&key("dynamic_batching")).unwrap_or(true) {
        let size = |name: &str| draft.size(&format!("workload.rl.max_{name}_length")).unwrap_or(512);
        let longest = size("prompt").saturating_add(size("response"));
        draft.remove("plan.micro_batch");
        draft.set("plan.max_tokens_per_gpu", update.saturating_mul(longest));
        draft.set("plan.forward_max_tokens_per_gpu", experience.saturating_mul(longest));
    } else {
        draft.set("plan.micro_batch", update);
        draft.set("plan.forward_micro_batch", experience);
    }
}
