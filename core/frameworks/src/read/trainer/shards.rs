//! Who shards the weights: `DeepSpeed` by its file, by a name or by Accelerate's plug-in; FSDP by the Trainer's keys or
//! Accelerate's; nobody.

use serde_json::json;

use super::Run;
use crate::read::deepspeed;
use crate::read::draft::Draft;
use crate::read::launch;

/// Who shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read) enum Shards {
    Deepspeed,
    Fsdp,
    Nobody,
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
    let sharded = draft
        .known("fsdp")
        .is_some_and(|words| !matches!(words.trim_matches(['[', ']', ' ']), "" | "false" | "False"));
    if sharded || kind == "FSDP" || option("use_fsdp") || kind.is_empty() && draft.states_any("fsdp_config.") {
        draft.set("plan.backend", "fsdp");
        fsdp(draft);
        return Shards::Fsdp;
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
    let stage = (0..=3u64).find(|stage| {
        ["zero", "zero_", "zero-", "stage", "stage_", "z"]
            .iter()
            .any(|word| file.contains(&format!("{word}{stage}")))
    });
    // What a framework ships is known by its name alone: ms-swift's zero2, LLaMA-Factory's ds_z3_config.json, axolotl's
    // zero3_bf16_cpuoffload_params.json.
    let away = file.contains("offload");
    let parameters = away && stage == Some(3) && !file.contains("optim");
    match stage {
        // ms-swift's own files (`swift/config/`), by their names.
        Some(stage)
            if matches!(name.as_str(), "zero0" | "zero1" | "zero2" | "zero3" | "zero2_offload" | "zero3_offload") =>
        {
            draft.set("plan.zero_stage", stage);
        }
        Some(stage) => draft.assume(
            "plan.zero_stage",
            stage,
            "From the name of the configuration, which is not here: paste it too.",
        ),
        None => draft.assume("plan.zero_stage", 3, "The configuration is not here: paste it too."),
    }
    offload(draft, away, parameters, false);
}

/// FSDP's keys: the Trainer's words, and those of its configuration and of Accelerate's, which are the same.
fn fsdp(draft: &mut Draft) {
    let key = |name: &str| format!("fsdp_config.{name}");
    let words = draft.known("fsdp").unwrap_or_default();
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
