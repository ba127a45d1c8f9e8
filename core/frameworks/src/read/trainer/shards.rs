//! Who shards the weights: `DeepSpeed` by its file, by a name or by Accelerate's plug-in; FSDP by the Trainer's keys or
//! Accelerate's; nobody.

use serde_json::{Value, json};

use super::Run;
use crate::read::deepspeed;
use crate::read::draft::Draft;
use crate::read::launch;
use shardwise_question::wire::at;

/// Who shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum Shards {
    Deepspeed,
    Fsdp,
    Nobody,
}

/// The Trainer's words for FSDP, whether its arguments are kept with their dashes or without.
fn words_of_fsdp(draft: &Draft) -> Option<String> {
    draft.known("fsdp").or_else(|| draft.known("--fsdp"))
}

/// What shards, by the name of a file that is not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum Guess {
    Deepspeed(u64),
    Fsdp,
    Nobody,
}

impl Guess {
    /// By the words of Accelerate's files as they are named (`fsdp.yaml`, `deepspeed_zero3.yaml`, `ds_z2.yaml`).
    pub(super) fn by(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let of_deepspeed = ["deepspeed", "zero", "ds_", "stage"].iter().any(|word| name.contains(word));
        match stage_of(&name) {
            _ if name.contains("fsdp") => Self::Fsdp,
            Some(stage) => Self::Deepspeed(stage),
            // Accelerate's default (`utils/dataclasses.py`, `DeepSpeedPlugin.zero_stage`).
            None if of_deepspeed => Self::Deepspeed(2),
            None => Self::Nobody,
        }
    }

    fn take(self, draft: &mut Draft) -> Shards {
        let why = "From the name of Accelerate's file, which is not here.";
        match self {
            Self::Deepspeed(stage) => {
                draft.assume("plan.backend", "deepspeed", why);
                draft.assume("plan.zero_stage", stage, why);
                offload(draft, false, false, false);
                Shards::Deepspeed
            }
            Self::Fsdp => {
                draft.assume("plan.backend", "fsdp", why);
                draft.assume("plan.zero_stage", 3, why);
                Shards::Fsdp
            }
            Self::Nobody => {
                let why = "Accelerate's file is not here: nothing is sharded, as without one.";
                draft.assume("plan.backend", "ddp", why);
                Shards::Nobody
            }
        }
    }
}

const FROM_THE_NAME: &str = "From the name of the configuration, which is not here: paste it too.";

/// The stage of ZeRO that a file's name says.
fn stage_of(file: &str) -> Option<u64> {
    (0..=3u64).find(|stage| {
        ["zero", "zero_", "zero-", "stage", "stage_", "z"]
            .iter()
            .any(|word| file.contains(&format!("{word}{stage}")))
    })
}

/// Sets the backend, its stage and what it offloads; `key` names `DeepSpeed`'s configuration.
pub(in crate::read) fn shards(draft: &mut Draft, run: &Run, key: &str) -> Shards {
    let kind = draft.known("distributed_type").unwrap_or_default().to_ascii_uppercase();
    let option = |name: &str| launch::option(&run.before, &[name]).is_some();
    let launched = run.before.iter().any(|word| word.text.rsplit('/').next() == Some("deepspeed"));
    let named = draft.known(key).is_some_and(|name| name != "false");
    if run.configured || named || kind == "DEEPSPEED" || option("use_deepspeed") || launched && draft.states_any(key) {
        draft.set("plan.backend", "deepspeed");
        if run.configured {
            deepspeed::zero(draft);
        } else if draft.states_any("deepspeed_config.") {
            plug_in(draft);
        } else {
            by_name(draft, run, key);
        }
        return Shards::Deepspeed;
    }
    let sharded = words_of_fsdp(draft)
        .is_some_and(|words| !matches!(words.trim_matches(['[', ']', ' ']), "" | "false" | "False"));
    if sharded || kind == "FSDP" || option("use_fsdp") || kind.is_empty() && draft.states_any("fsdp_config.") {
        draft.set("plan.backend", "fsdp");
        fsdp(draft);
        return Shards::Fsdp;
    }
    if let Some(guess) = run.guessed {
        return guess.take(draft);
    }
    draft.set("plan.backend", "ddp");
    Shards::Nobody
}

fn offload(draft: &mut Draft, optimizer: bool, parameters: bool, activations: bool) {
    draft.set(
        "plan.offload",
        json!({"parameters": parameters, "gradients": optimizer, "optimizer": optimizer, "activations": activations}),
    );
}

/// In RL what `DeepSpeed`'s `offload_optimizer` names stays in host memory, where the CPUs step: `plan.offload` would bring it back for
/// each update.
pub(in crate::read) fn stays_in_host_memory(draft: &mut Draft) {
    let is = |field: &str| draft.field(field).is_some_and(|own| own == true);
    let deepspeed = draft.field("plan.backend").is_some_and(|own| own == "deepspeed");
    if deepspeed && is("plan.offload.optimizer") {
        let [parameters, activations] = ["plan.offload.parameters", "plan.offload.activations"].map(is);
        draft.set(
            "plan.offload",
            json!({"parameters": parameters, "gradients": false, "optimizer": false, "activations": activations}),
        );
        draft.set("plan.optimizer_offload_fraction", 1.0);
    }
}

/// Accelerate's keys for `DeepSpeed`, where no configuration is there.
fn plug_in(draft: &mut Draft) {
    let away = |draft: &mut Draft, what: &str| {
        let place = draft.known(&format!("deepspeed_config.offload_{what}_device"));
        place.as_deref().map(|place| (matches!(place, "cpu" | "nvme"), place == "nvme"))
    };
    let (optimizer, parameters) = (away(draft, "optimizer"), away(draft, "param"));
    if draft.states("deepspeed_config.zero_stage") {
        let stage = draft.signed("deepspeed_config.zero_stage").unwrap_or(2).clamp(0, 3);
        draft.set("plan.zero_stage", stage);
    } else if let Some(file) = draft.known("deepspeed_config.deepspeed_config_file") {
        // That file has the stage, and what is offloaded.
        match stage_of(&file.to_ascii_lowercase()) {
            Some(stage) => draft.assume("plan.zero_stage", stage, FROM_THE_NAME),
            None => deepspeed::stage_unknown(draft, &file),
        }
    } else {
        draft.assume_known("plan.zero_stage", 2, "Accelerate's default; set zero_stage to state it.");
    }
    let three = draft.size("plan.zero_stage") == Some(3);
    let [optimizer, parameters] = [optimizer, parameters].map(Option::unwrap_or_default);
    offload(draft, optimizer.0, three && parameters.0, false);
    if three && (optimizer.1 || parameters.1) {
        draft.set("plan.nvme_offload", true);
    }
}

/// The stage and what is offloaded, from the name of a configuration that is not there.
fn by_name(draft: &mut Draft, run: &Run, key: &str) {
    let option =
        launch::option(&run.before, &["zero_stage"]).and_then(|word| word.text.rsplit('=').next()?.parse::<u64>().ok());
    if let Some(stage) = option.filter(|stage| *stage <= 3) {
        draft.set("plan.zero_stage", stage);
        return offload(draft, false, false, false);
    }
    let name = draft.known(key).unwrap_or_default();
    let file = name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let stage = stage_of(&file);
    // What a framework ships is known by its name alone: ms-swift's zero2, LLaMA-Factory's ds_z3_config.json, axolotl's
    // zero3_bf16_cpuoffload_params.json.
    let away = file.contains("offload");
    let parameters = away && stage == Some(3) && !file.contains("optim");
    match stage {
        // ms-swift's own files (`swift/config/`), by their names, and by those that ms-swift 2 gave them.
        Some(stage)
            if matches!(name.as_str(), "zero0" | "zero1" | "zero2" | "zero3" | "zero2_offload" | "zero3_offload")
                || matches!(name.as_str(), "default-zero2" | "default-zero3" | "zero2-offload" | "zero3-offload") =>
        {
            draft.set("plan.zero_stage", stage);
        }
        Some(stage) => draft.assume("plan.zero_stage", stage, FROM_THE_NAME),
        None => deepspeed::stage_unknown(draft, &name),
    }
    offload(draft, away, parameters, false);
}

/// FSDP's keys: the Trainer's words, and those of its configuration and of Accelerate's, which are the same.
fn fsdp(draft: &mut Draft) {
    let key = |name: &str| format!("fsdp_config.{name}");
    let words = words_of_fsdp(draft).unwrap_or_default();
    let says = |word: &str| words.split([' ', ',', '[', ']', '\'', '"', '-']).any(|own| own == word);
    let strategy = draft.known(&key("sharding_strategy")).unwrap_or_default().to_ascii_uppercase();
    let reshards = draft.known(&key("reshard_after_forward"));
    // Accelerate takes the strategy for the value of the other, in its first version.
    let strategy =
        if strategy.is_empty() { reshards.clone().unwrap_or_default().to_ascii_uppercase() } else { strategy };
    let stage = match strategy.as_str() {
        "SHARD_GRAD_OP" | "_HYBRID_SHARD_ZERO2" | "HYBRID_SHARD_ZERO2" | "2" | "FALSE" => 2,
        "NO_SHARD" | "3" => 0,
        _ if says("shard_grad_op") => 2,
        _ if says("no_shard") => 0,
        _ => 3,
    };
    if stage == 0 {
        draft.set("plan.backend", "ddp");
    } else {
        draft.set("plan.zero_stage", stage);
        if syncs_each_batch(draft) {
            draft.set("plan.sync_each_batch", true);
        }
    }
    let hybrid = strategy.contains("HYBRID") || says("hybrid_shard") || strategy == "4" || strategy == "5";
    if let Some(node) = draft.size("hardware.gpus_per_node").filter(|_| hybrid) {
        let why = "HYBRID_SHARD: weights are sharded within a node, and each node has a copy.";
        draft.assume("plan.shard_group", node, why);
    }
    let all = says("offload")
        || [key("offload_params"), key("cpu_offload")]
            .iter()
            .any(|key| draft.tells(key, true));
    let activations = draft.tells(&key("activation_checkpointing_offload"), true);
    draft.set(
        "plan.offload",
        json!({"parameters": all, "gradients": all, "optimizer": all, "activations": activations}),
    );
}

/// Whether accelerate reduces the gradients of each micro-batch: by a file's keys, or by the JSON of a command.
fn syncs_each_batch(draft: &Draft) -> bool {
    let (config, key) = ("accelerator_config", "gradient_accumulation_kwargs.sync_each_batch");
    if draft.tells(&format!("{config}.{key}"), true) {
        return true;
    }
    let written = draft.known(config).and_then(|own| serde_json::from_str::<Value>(&own).ok());
    written.is_some_and(|own| *at(&own, key) == json!(true))
}
