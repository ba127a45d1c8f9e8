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
        _ => {
            let own = trainer::shards(draft, run, "deepspeed");
            if own == Shards::Nobody && run.program.is_empty() && !run.is_guessed() && draft.link.is_none() {
                let why = "A YAML of TRL's does not say what shards the run, which Accelerate's file does: nothing is taken to. Paste that file and the command beside it.";
                draft.assume("plan.backend", "ddp", why);
            }
            own
        }
    }
}

/// What a script of TRL's learns from; none of text.
fn kind(draft: &mut Draft, run: &Run, script: &str) -> Option<&'static str> {
    let loss = draft.word("loss_type");
    let loss = loss.as_deref().map(|loss| loss.trim_matches(['[', ']']));
    let kind = match script {
        "sft" => None,
        "dpo" | "kto" | "orpo" if loss == Some("ipo") => Some("ipo"),
        "cpo" if loss == Some("simpo") => Some("simpo"),
        "dpo" => Some("dpo"),
        "kto" => Some("kto"),
        "orpo" => Some("orpo"),
        // `examples/scripts/mpo_vlm.py`: DPO's trainer with several losses.
        "mpo" => Some("dpo"),
        "reward" => Some("reward_model"),
        "distillation" => Some("distill"),
        "gkd" => None,
        "grpo" | "rloo" => Some(reinforcement::kind(draft, script, loss)),
        other => {
            let why = format!("Shardwise has no estimate of TRL's {other}: fine-tuning is estimated in its place.");
            draft.fine_tunes_in_its_place(why);
            None
        }
    };
    // A program loads what no command of TRL has (`trl/experimental/orpo`, `trl/experimental/cpo`).
    let programmed = run.program.contains(['.', '/']);
    if programmed && matches!(script, "orpo" | "cpo") {
        draft.overrule("workload.kind");
    }
    kind
}

/// How the weights are held that a run loads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// All of them train.
    Trained,
    /// Beside adapters, in the type that they are loaded in.
    Whole,
    /// Beside adapters, in 8 bits or 4.
    InFewBits,
}

/// Adapters, and the base that they are put on.
fn adapted(draft: &mut Draft, kind: Option<&str>) -> Held {
    let peft = draft.flag("use_peft") == Some(true);
    let quantized = draft.flag("load_in_4bit") == Some(true);
    let adapters = Adapters { rank: "lora_r", default: 16, targets: "lora_target_modules", quantized };
    trainer::task(draft, kind, peft.then_some(adapters));
    if peft && !quantized && draft.tells("load_in_8bit", true) {
        trainer::in_8_bits(draft, "load_in_8bit holds the frozen base in 8 bits.");
        return Held::InFewBits;
    }
    match (peft, quantized) {
        (false, _) => Held::Trained,
        (true, true) => Held::InFewBits,
        _ if draft.assumes("plan.master_weights_bytes") => Held::InFewBits,
        _ => Held::Whole,
    }
}

fn question(draft: &mut Draft, run: &Run) {
    let script = script(draft, run);
    draft.take_model("model_name_or_path", "model");
    trainer::gpus(draft, run);
    let shards = sharded(draft, run);
    let split = trainer::groups(draft);
    let kind = kind(draft, run, &script);
    let base = adapted(draft, kind);
    trainer::precision(draft, "TRL's default where fp16 is not set; set bf16 to state it.");
    trainer::attention(draft, "attn_implementation");
    // The rules are of the texts that are printed, whose kernel is FlashAttention; TRL takes any (`trainer/model_config.py`, line 86).
    draft.overrule("plan.attention");
    trainer::step_by(draft, "optim");
    trainer::recompute(draft, "gradient_checkpointing", true);
    if draft.flag("activation_offloading") == Some(true) {
        draft.set("plan.offload.activations", true);
    }
    loaded(draft, shards, base);
    let passes = trainer::batch(draft, "per_device_train_batch_size", (8, 1), split);
    // `experimental/gkd/gkd_trainer.py`, line 327: whole logits of both models.
    if !matches!(script.as_str(), "reward" | "gkd") {
        draft.assume("plan.fused_lm_head", true, "TRL 1.16 computes the loss without all logits at once.");
    }
    trainer::run_length(draft);
    if script == "distillation" {
        distillation(draft, shards, passes);
        return;
    }
    if matches!(script.as_str(), "grpo" | "rloo") {
        let rloo = script == "rloo";
        reinforcement::read(draft, rloo, if rloo { &RLOO } else { &GRPO }, passes);
        return;
    }
    lengths(draft);
    if script == "gkd" {
        taught(draft, shards, passes);
    }
    if draft.flag("precompute_ref_log_probs") == Some(true) {
        draft.set("workload.precompute_ref_log_probs", true);
    }
    let packing = draft.flag("packing") == Some(true) || draft.flag("padding_free") == Some(true);
    draft.set("workload.packing", packing && kind.is_none());
}

/// What TRL's distillation does of itself (1.16.0, `trainer/distillation_config.py`, `trainer/distillation_trainer.py`): one response to a
/// prompt, sampled anew for each update.
const DISTILLATION: Own = Own { beta: 0.0, responses: 1, ..GRPO };

/// A teacher beside the student, which samples every batch.
fn distillation(draft: &mut Draft, shards: Shards, passes: [u64; 3]) {
    teacher(draft, shards);
    reinforcement::read(draft, false, &DISTILLATION, passes);
    for field in ["reference", "old_log_prob"] {
        draft.set(&format!("workload.rl.{field}"), false);
    }
}

/// Tokens that GKD's student writes (1.16.0, `experimental/gkd/gkd_config.py`).
const WRITTEN: u64 = 128;

/// GKD: a share of the batches is written by the student itself, without an engine, and the others are given text.
fn taught(draft: &mut Draft, shards: Shards, passes: [u64; 3]) {
    teacher(draft, shards);
    let share = draft.number("lmbda").unwrap_or(0.5).clamp(0.0, 1.0);
    if share == 0.0 {
        return;
    }
    draft.set("workload.kind", "distill");
    draft.set("workload.distillation.on_policy", share);
    let written = draft.count("max_new_tokens").unwrap_or(WRITTEN);
    reinforcement::as_text(draft, &DISTILLATION, passes, written);
}

/// The teacher, loaded as the student is: in fp32 where nothing says otherwise, unless `DeepSpeed` casts it.
fn teacher(draft: &mut Draft, shards: Shards) {
    draft.take_model("teacher_model_name_or_path", "workload.distillation.teacher");
    draft.set("workload.distillation.placement", "beside");
    draft.set("workload.distillation.logits", "full");
    let half = |own: &str| ["bfloat16", "float16", "auto"].iter().any(|word| own.contains(word));
    let own = ["teacher_model_init_kwargs", "teacher_model_init_kwargs.dtype", "dtype", "torch_dtype"]
        .into_iter()
        .find_map(|key| draft.known(key));
    if shards != Shards::Deepspeed && !own.is_some_and(|own| half(&own)) {
        draft.stands_in(0, "TRL loads the teacher in fp32 where no dtype says otherwise, and the estimate has it in 16 bits. Add dtype bfloat16, or teacher_model_init_kwargs with it.");
    }
}

/// The type that the weights are loaded in, in which one GPU and plain data parallelism train and step them. TRL's own loader takes fp32
/// where nothing says otherwise (1.16.0, `trainer/utils.py`, `create_model_from_path`, line 1332; `trainer/model_config.py`, line 96), also
/// for a base that adapters are put on, which nothing casts afterwards but `DeepSpeed`. `auto` is the checkpoint's type, which
/// `from_pretrained` takes by itself (transformers 5.23.0, `modeling_utils.py`, line 4177). What trains under FSDP is cast to fp32
/// (accelerate 1.15.0, `utils/fsdp_utils.py`, line 815).
fn loaded(draft: &mut Draft, shards: Shards, base: Held) {
    let dtype = draft.word("dtype").or_else(|| draft.word("torch_dtype"));
    let half = matches!(dtype.as_deref(), Some("bfloat16" | "float16" | "auto"));
    match shards {
        Shards::Nobody if half && base == Held::Trained => {
            let why = "dtype loads the weights in 16 bits, in which they are trained and stepped.";
            trainer::states_in_16_bits(draft, why);
        }
        Shards::Nobody | Shards::Fsdp if base == Held::Whole && !half => match dtype {
            Some(_) => draft.set("plan.master_weights_bytes", 4),
            None => {
                let why = "TRL loads the weights in fp32, the frozen base of adapters too. Add dtype bfloat16 to hold the base in 16 bits.";
                draft.assume_known("plan.master_weights_bytes", 4, why);
            }
        },
        _ => {}
    }
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
