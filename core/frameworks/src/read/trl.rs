//! TRL: the arguments of its scripts and commands, its YAML, and Accelerate's configuration beside them.

pub(super) mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::launch;
use super::link::Base;
use super::printable::short;
use super::programs;
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::shell::Script;
use super::signs;
use super::text::{Kind, Part};
use super::trainer::reinforcement::{self, Own, SERVER};
use super::trainer::{self, Adapters, Run, Shards};

/// What TRL does of itself (`trainer/grpo_config.py`, `rloo_config.py`; `generation/vllm_generation.py` has the tokens).
const GRPO: Own = Own { beta: 0.0, responses: 8, share: 0.3, sequences: None, tokens: 4096, server: "trl vllm-serve" };
const RLOO: Own = Own { beta: 0.05, responses: 2, ..GRPO };

/// Whether settings are a configuration of TRL's own commands: the model by its name, and how its scripts name their data.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    has("model_name_or_path")
        && [
            "dataset_name",
            "datasets",
            "max_seq_length",
            "max_length",
            "use_peft",
            "num_generations",
            "per_device_train_batch_size",
        ]
        .into_iter()
        .any(has)
}

/// Reads TRL's texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Trl, keys::SECTIONS, base);
    let run = trainer::state(&mut draft, parts)?;
    for part in parts {
        if let Kind::Shell(script) = &part.kind {
            serve(&mut draft, script);
        }
    }
    question(&mut draft, &run);
    draft.finish(Some("trl"))
}

/// States what vLLM's server is told.
fn serve(draft: &mut Draft, script: &Script) {
    let server = script.commands.iter().find_map(|command| {
        let at = command
            .words
            .iter()
            .position(|word| matches!(word.text.as_str(), "vllm-serve" | "trl.scripts.vllm_serve"))?;
        command.words.get(at + 1..)
    });
    for setting in launch::arguments(server.unwrap_or_default()) {
        let key = format!("{SERVER}{}", setting.key.trim_start_matches('-'));
        draft.state(Setting { key, ..setting });
    }
}

/// What a script of TRL trains: its name's first word, or for one's own script another of its words, or what its arguments are for.
fn script(draft: &mut Draft, run: &Run) -> String {
    let file = run.program.rsplit('/').next().unwrap_or_default();
    let name = file.strip_suffix(".py").unwrap_or(file).rsplit('.').next().unwrap_or_default();
    let mut words = name.split(['_', '-']).map(|word| if word == "gspo" { "grpo" } else { word });
    let first = words.next().unwrap_or_default();
    if first.is_empty() {
        draft.note(0, "The text does not say which of TRL's commands runs: add it, as trl sft or trl grpo.");
        return by_arguments(draft).to_owned();
    }
    if programs::is_trls(first) {
        return first.to_owned();
    }
    let own = match (words.find(|word| TRAINS.contains(word)), by_arguments(draft)) {
        (Some("rloo"), "grpo") => "rloo",
        (Some(named), "sft" | "dpo") => named,
        (_, told) => told,
    };
    draft.note(0, format!("By its name and its arguments {:?} runs TRL's {own}.", short(file)));
    own.to_owned()
}

/// What the estimate has of TRL's.
const TRAINS: &[&str] = &["sft", "dpo", "kto", "orpo", "cpo", "reward", "grpo", "rloo"];

/// What runs by arguments that its configuration alone has.
fn by_arguments(draft: &Draft) -> &'static str {
    let has = |names: &[&str]| names.iter().any(|name| draft.states(name));
    if has(&signs::GENERATES) {
        "grpo"
    } else if has(&signs::PREFERS) {
        "dpo"
    } else {
        "sft"
    }
}

/// Who shards: by Accelerate's file, or by the name of one that TRL ships (`accelerate_configs/`).
fn sharded(draft: &mut Draft, run: &Run) -> Shards {
    let key = "accelerate_config";
    match draft.known(key).unwrap_or_default() {
        name if name.starts_with("zero") => trainer::shards(draft, run, key),
        name if name.starts_with("fsdp") => {
            draft.set("plan.backend", "fsdp");
            draft.set("plan.zero_stage", 3);
            Shards::Fsdp
        }
        _ => trainer::shards(draft, run, "deepspeed"),
    }
}

fn question(draft: &mut Draft, run: &Run) {
    let script = script(draft, run);
    draft.take_model("model_name_or_path", "model");
    trainer::gpus(draft, run);
    let shards = sharded(draft, run);
    let split = trainer::groups(draft);
    let loss = draft.word("loss_type");
    let loss = loss.as_deref().map(|loss| loss.trim_matches(['[', ']']));
    let kind = match script.as_str() {
        "sft" => None,
        "dpo" | "kto" | "orpo" if loss == Some("ipo") => Some("ipo"),
        "cpo" if loss == Some("simpo") => Some("simpo"),
        "dpo" | "kto" | "orpo" => Some(script.as_str()),
        "reward" => Some("reward_model"),
        "grpo" | "rloo" => Some(reinforcement::kind(draft, &script, loss)),
        other => {
            let why = format!("Shardwise has no estimate of TRL's {other}: fine-tuning is estimated in its place.");
            draft.assume("workload.kind", "sft", why);
            None
        }
    };
    let peft = draft.flag("use_peft") == Some(true);
    let quantized = draft.flag("load_in_4bit") == Some(true);
    let adapters = Adapters { rank: "lora_r", default: 16, targets: "lora_target_modules", quantized };
    trainer::task(draft, kind, peft.then_some(adapters));
    if draft.tells("load_in_8bit", true) {
        draft.note(0, "load_in_8bit holds the base in 8 bits. The estimate has it in 16.");
    }
    trainer::precision(draft, "TRL's default where fp16 is not set; set bf16 to state it.");
    trainer::attention(draft, "attn_implementation");
    trainer::step_by(draft, "optim");
    trainer::recompute(draft, "gradient_checkpointing", true);
    if draft.flag("activation_offloading") == Some(true) {
        draft.set("plan.offload.activations", true);
    }
    let half = draft.word("dtype").or_else(|| draft.word("torch_dtype"));
    if matches!(half.as_deref(), Some("bfloat16" | "float16")) && shards != Shards::Deepspeed && !peft {
        trainer::states_in_16_bits(draft, "dtype loads the weights in 16 bits, in which they are trained and stepped.");
    }
    let passes = trainer::batch(draft, "per_device_train_batch_size", (8, 1), split);
    if script != "reward" {
        draft.assume("plan.fused_lm_head", true, "TRL 1.16 computes the loss without all logits at once.");
    }
    trainer::run_length(draft);
    if matches!(script.as_str(), "grpo" | "rloo") {
        let rloo = script == "rloo";
        reinforcement::read(draft, rloo, if rloo { &RLOO } else { &GRPO }, passes);
        return;
    }
    lengths(draft);
    if draft.flag("precompute_ref_log_probs") == Some(true) {
        draft.set("workload.precompute_ref_log_probs", true);
    }
    let packing = draft.flag("packing") == Some(true) || draft.flag("padding_free") == Some(true);
    draft.set("workload.packing", packing && kind.is_none());
}

/// The longest sequence, by either name.
fn lengths(draft: &mut Draft) {
    let key =
        if draft.states("max_seq_length") && !draft.states("max_length") { "max_seq_length" } else { "max_length" };
    if draft.states(key) && !draft.holds(key) {
        let why = "max_length is none: nothing is cut, and how long your data are the text does not tell. Set max_length to your longest sequence to state it.";
        match draft.base.and_then(|base| base.workload.sequence_length) {
            Some(own) => draft.assume_known("workload.sequence_length", own, why),
            None => draft.assume("workload.sequence_length", 2048, why),
        }
        return;
    }
    trainer::length(draft, key, 1024);
}
