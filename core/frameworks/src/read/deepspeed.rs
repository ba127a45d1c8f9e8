//! `DeepSpeed`: `ds_config.json`, and the line that launches it where it is there.

mod keys;
mod zero;

#[cfg(test)]
pub(super) use keys::SECTIONS;
pub(super) use keys::{TOP, ZERO};
pub(super) use zero::{stage_by_name, stage_unknown, zero};

use serde_json::Value;

use super::draft::Draft;
use super::launch;
use super::link::Base;
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::shell::Word;
use super::text::{Kind, Part};
use super::trainer::{self, Shards};
use super::value::lora_targets;
use super::{kernel, optimizer};
use crate::binding::find;

/// Most keys of a configuration that are read.
const MOST_KEYS: usize = 20_000;

/// What the texts are beside their keys.
struct Run {
    /// Words before the training script: the launcher's.
    before: Vec<Word>,
    /// Whether a script on Hugging Face's Trainer is started, whose defaults hold.
    trainer: bool,
    /// Whether a configuration is there.
    config: bool,
    /// Whether DeepSpeed runs at all.
    deepspeed: bool,
    /// Whether Accelerate's file is here.
    accelerate: bool,
}

/// Reads `DeepSpeed`'s texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Deepspeed, keys::SECTIONS, base);
    let configs = state_configs(&mut draft, parts)?;
    let mut run =
        Run { before: Vec::new(), trainer: false, config: configs > 0, deepspeed: configs > 0, accelerate: false };
    for part in parts {
        match &part.kind {
            Kind::Json(_) => {}
            Kind::Shell(script) => {
                let launch = launch::find(script, Dialect::Deepspeed);
                for setting in launch::arguments(&launch.after) {
                    run.trainer |= setting.key == TRAINER_BATCH;
                    run.deepspeed |= setting.key.starts_with("--deepspeed");
                    draft.state(setting);
                }
                run.before = launch.before.to_vec();
                trainer::state_launchers(&mut draft, &run.before);
                let launcher = |word: &Word| word.text.rsplit('/').next() == Some("deepspeed");
                run.deepspeed |= run.before.iter().any(launcher);
                launch.report(&mut draft, script);
            }
            Kind::File(settings) if trainer::state_accelerates(&mut draft, settings) => run.accelerate = true,
            Kind::File(_) => draft.unread(
                "YAML",
                "It is neither Accelerate's file nor a framework's: paste the command, or ds_config.json.",
                0,
            ),
        }
    }
    draft.trainer_alone = !run.deepspeed && parts.iter().any(|part| matches!(part.kind, Kind::Shell(_)));
    question(&mut draft, &mut run);
    draft.finish(run.deepspeed.then_some("deepspeed"))
}

/// The argument that every script on the Trainer has.
const TRAINER_BATCH: &str = "--per_device_train_batch_size";

/// States every key of the configurations in the texts, and counts them. Of two, as the calculator prints them, the
/// plain one's numbers hold where the other says `auto`.
pub(super) fn state_configs(draft: &mut Draft, parts: &[Part]) -> Result<usize, Trouble> {
    let (mut configs, mut count) = (0, 0);
    for part in parts {
        let Kind::Json(config) = &part.kind else {
            continue;
        };
        if config.get("workload").is_some() && config.get("hardware").is_some() {
            return Err(Trouble::new(
                0,
                "This is a question already. Give it to `shardwise estimate`, or open it on the page.",
            ));
        }
        // ms-swift's file for FSDP stands beside its arguments as DeepSpeed's does.
        configs += usize::from(config.get("fsdp").is_none());
        flatten(draft, "", config, &mut count)?;
    }
    if configs > 1 {
        draft.note(
            0,
            "There are several configurations: a number holds where another says auto, and the later of two numbers.",
        );
    }
    Ok(configs)
}

/// Every leaf of the JSON under its dotted key. serde_json bounds the depth.
fn flatten(draft: &mut Draft, path: &str, value: &Value, count: &mut usize) -> Result<(), Trouble> {
    if let Value::Object(map) = value
        && !keys::gone(path)
    {
        for (key, value) in map {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            flatten(draft, &path, value, count)?;
        }
        return Ok(());
    }
    *count += 1;
    if *count > MOST_KEYS || path.len() > 4096 {
        return Err(Trouble::new(0, "The configuration has more than 20,000 keys. Paste ds_config.json alone."));
    }
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let known = draft.settings.get(path);
    if known.is_some_and(|known| known.value == text || text == AUTO) {
        return Ok(());
    }
    if text == AUTO && !keys::filled(path) {
        draft.refuse(
            path,
            "Neither the Trainer nor Accelerate fills auto in here, and DeepSpeed drops it. Write the value.",
            0,
        );
    }
    // `"scheduler": null`: a section that is not there.
    let section = value.is_null() && find(keys::SECTIONS, path).is_none();
    draft.state(Setting {
        key: format!("{}{}", path.replace("fsdp_config.fsdp_", "fsdp_config."), if section { "." } else { "" }),
        written: path.to_owned(),
        value: text,
        line: 0,
        open: None,
    });
    Ok(())
}

/// What the training script fills in.
const AUTO: &str = "auto";

/// The stated value of a key; none where the training script fills it.
fn own(draft: &mut Draft, key: &str) -> Option<String> {
    draft.text(key).filter(|text| text != AUTO)
}

/// A truth value of the configuration.
fn own_flag(draft: &mut Draft, key: &str) -> Option<bool> {
    own(draft, key)?;
    draft.flag(key)
}

/// A whole number of the configuration, or the training script's where that fills it.
fn count(draft: &mut Draft, key: &str, argument: &str) -> Option<u64> {
    if own(draft, key).is_some() { draft.count(key) } else { draft.count(argument) }
}

fn question(draft: &mut Draft, run: &mut Run) {
    draft.take_model("--model_name_or_path", "model");
    let launched = trainer::Run::launched(draft, &run.before, run.deepspeed);
    trainer::gpus(draft, &launched);
    // Else what shards is in Accelerate's file, or in the Trainer's words for FSDP.
    let shards = (!run.deepspeed).then(|| trainer::shards(draft, &launched, "--deepspeed"));
    match shards {
        None => draft.set("plan.backend", "deepspeed"),
        Some(Shards::Nobody) if !launched.is_guessed() => draft.assume_known(
            "plan.backend",
            "ddp",
            "The Trainer starts without DeepSpeed: every GPU keeps everything. --deepspeed would shard.",
        ),
        Some(own) => run.deepspeed = own == Shards::Deepspeed,
    }
    let split = groups(draft, run.accelerate);
    batch(draft, split, run.trainer);
    if run.config {
        zero(draft);
    } else if run.deepspeed && shards.is_none() {
        stage_by_name(draft);
    }
    kind(draft);
    let lengths = ["max_length", "max_seq_length", "max_seq_len", "model_max_length", "block_size", "cutoff_len"];
    let length = lengths.iter().find_map(|name| draft.count(&format!("--{name}")));
    match (length, draft.base.and_then(|base| base.workload.sequence_length)) {
        (Some(length), _) => draft.set("workload.sequence_length", length),
        (None, Some(length)) => draft.assume_known(
            "workload.sequence_length",
            length,
            "From the base question; the text does not state it.",
        ),
        (None, None) => draft.assume("workload.sequence_length", 2048, "The text does not state it; set --max_length."),
    }
    attention(draft);
    if let Some(packing) = draft.flag("--packing") {
        draft.set("workload.packing", packing);
    }
    let sharded = draft.tells("fsdp_config.activation_checkpointing", true);
    let checkpointing = draft.flag("--gradient_checkpointing");
    match checkpointing {
        _ if sharded => draft.set("plan.recompute", "full"),
        Some(on) => draft.set("plan.recompute", if on { "full" } else { "none" }),
        None if !draft.stated("activation_checkpointing.").is_empty() => draft.assume(
            "plan.recompute",
            "full",
            "activation_checkpointing is set up: a script that reads it recomputes each layer.",
        ),
        None => draft.assume("plan.recompute", "none", "ds_config.json cannot say it; --gradient_checkpointing would."),
    }
    let momentum = draft.number("optimizer.params.momentum");
    if optimizer::take(draft, "optimizer.type", "plan", momentum).is_none() {
        optimizer::take(draft, "--optim", "plan", None);
    }
    let half = draft.word("--dtype");
    let whole = draft.field("workload.kind").is_some_and(|own| own == "sft");
    if matches!(half.as_deref(), Some("auto" | "bfloat16" | "float16")) && shards == Some(Shards::Nobody) && whole {
        trainer::states_in_16_bits(draft, "dtype loads the weights in 16 bits, in which they are trained and stepped.");
    }
    let liger = draft.flag("--use_liger_kernel").or_else(|| draft.flag("--use_liger"));
    draft.set("plan.fused_lm_head", liger.unwrap_or(false));
}

/// The attention kernel, by Transformers' word or a switch of the script's own: PEFT's `use_flash_attn` loads the model with
/// `flash_attention_2` (`examples/sft/utils.py`), and FastChat's and Qwen's `flash_attn` put FlashAttention in its place.
fn attention(draft: &mut Draft) {
    let switched = ["use_flash_attn", "flash_attn", "use_flash_attention", "use_flash_attention_2"];
    if !draft.states("--attn_implementation") && switched.iter().any(|key| draft.tells(&format!("--{key}"), true)) {
        kernel::named(draft, "flash_attention_2", "plan");
        return;
    }
    kernel::hugging_face(draft, "--attn_implementation", "plan");
}

/// Groups of GPUs that split matrices or sequences: how many GPUs work on one sequence.
fn groups(draft: &mut Draft, accelerate: bool) -> u64 {
    if accelerate {
        return trainer::groups(draft);
    }
    for field in ["pipeline_parallel", "context_parallel"] {
        draft.set(&format!("plan.{field}"), 1);
    }
    let tensor = draft.count("tensor_parallel.autotp_size").unwrap_or(1);
    draft.set("plan.tensor_parallel", tensor);
    let ulysses = draft.count("sequence_parallel_size").unwrap_or(1);
    draft.set("plan.ulysses_parallel", ulysses);
    tensor.saturating_mul(ulysses)
}

/// GPUs that launchers count otherwise: accelerate's processes over all machines, deepspeed's `--include host:0,1,2`.
/// Whether the text does.
pub(super) fn processes(draft: &mut Draft, before: &[Word]) -> bool {
    let value = |name: &str| {
        let word = launch::option(before, &[name])?;
        word.text.rsplit('=').next()
    };
    let number = |name: &str| value(name).and_then(|text| text.parse::<u64>().ok());
    let (gpus, per_node) = if let Some(all) = number("num_processes") {
        let nodes = number("num_machines").unwrap_or(1);
        (all, all.checked_div(nodes).unwrap_or(all))
    } else {
        // A host alone gives all of its GPUs, which the text does not count.
        let count = |host: &str| Some(host.split_once(':')?.1.split(',').count() as u64);
        let hosts: Option<Vec<u64>> = value("include").and_then(|hosts| hosts.split('@').map(count).collect());
        let Some(hosts) = hosts else {
            return false;
        };
        (hosts.iter().sum(), hosts.iter().copied().max().unwrap_or(1))
    };
    draft.set("hardware.gpus", gpus.max(1));
    draft.set("hardware.gpus_per_node", per_node.max(1));
    true
}

fn batch(draft: &mut Draft, model_parallel: u64, trainer: bool) {
    let mut micro = count(draft, "train_micro_batch_size_per_gpu", TRAINER_BATCH);
    let auto = draft.text("train_micro_batch_size_per_gpu").as_deref() == Some(AUTO);
    if micro.is_none() && auto && trainer {
        micro = Some(8);
        draft.default(TRAINER_BATCH, "plan.micro_batch", 8);
    }
    let steps = count(draft, "gradient_accumulation_steps", "--gradient_accumulation_steps");
    let whole = own(draft, "train_batch_size").and_then(|_| draft.count("train_batch_size"));
    let gpus = gpus(draft, model_parallel, whole, micro.map(|micro| micro.saturating_mul(steps.unwrap_or(1))));
    let ranks = (gpus / model_parallel.max(1)).max(1);
    let micro = match (micro, whole) {
        (Some(micro), _) => micro,
        (None, Some(whole)) => {
            let micro = (whole / ranks / steps.unwrap_or(1).max(1)).max(1);
            draft.assume("plan.micro_batch", micro, "train_batch_size over ranks and accumulation.");
            micro
        }
        (None, None) => {
            draft.assume("plan.micro_batch", 1, "The text does not state it; set train_micro_batch_size_per_gpu.");
            1
        }
    };
    draft.set("plan.micro_batch", micro);
    let made = micro.saturating_mul(steps.unwrap_or(1)).saturating_mul(ranks);
    match whole {
        Some(whole) => {
            if steps.is_some() && whole != made {
                // runtime/config.py, _batch_assertion.
                draft.refuse(
                    "train_batch_size",
                    format!(
                        "{whole} is not {micro} × {} × {ranks} ranks = {made}. Leave one of the three out.",
                        steps.unwrap_or(1)
                    ),
                    0,
                );
            }
            draft.set("workload.global_batch", whole);
        }
        None => draft.assume(
            "workload.global_batch",
            made,
            format!("{micro} × {} × {ranks} ranks; set train_batch_size to state it.", steps.unwrap_or(1)),
        ),
    }
}

/// The GPUs that are stated, or follow: `whole` is the batch, `pass` what one rank does of it.
fn gpus(draft: &mut Draft, model_parallel: u64, whole: Option<u64>, pass: Option<u64>) -> u64 {
    let stated = draft
        .field("hardware.gpus")
        .and_then(Value::as_u64)
        .or_else(|| draft.base.and_then(|base| base.hardware.gpus));
    // Three of batch, micro-batch, accumulation and GPUs give the fourth.
    match (stated, whole, pass) {
        (None, Some(whole), Some(pass)) if whole.is_multiple_of(pass) => {
            let gpus = (whole / pass.max(1)).saturating_mul(model_parallel).max(1);
            draft.assume_known("hardware.gpus", gpus, "train_batch_size over micro-batch and accumulation.");
            gpus
        }
        (Some(gpus), ..) => gpus,
        (None, whole, _) => {
            // A node's, as far as the batch can be shared by them.
            let most = [8, 4, 2, 1]
                .into_iter()
                .find(|n| whole.is_none_or(|whole| whole.is_multiple_of(*n)));
            // And by the GPUs that share a second copy of the weights.
            let group = draft.count("zero_optimization.zero_hpz_partition_size").unwrap_or(1);
            let gpus = most.unwrap_or(1).max(model_parallel);
            let gpus = if gpus.is_multiple_of(group) { gpus } else { group };
            draft.assume("hardware.gpus", gpus, "The text does not say how many GPUs run it; the launch line would.");
            gpus
        }
    }
}

/// What scripts of one's own call a base in 4 bits: TRL's word; FastChat's (`fastchat/train/train_lora.py`, `LoraArguments.q_lora`) and
/// Qwen's (`finetune.py`), and PEFT's (`examples/sft/utils.py`, `use_4bit_quantization`), of whose adapters it is the base.
const IN_4_BITS: [&str; 4] = ["load_in_4bit", "q_lora", "use_qlora", "use_4bit_quantization"];

fn kind(draft: &mut Draft) {
    let mut half = |name: &str, argument: &str| own_flag(draft, name).or_else(|| draft.flag(argument)).unwrap_or(false);
    let (bf16, fp16) = (half("bf16.enabled", "--bf16"), half("fp16.enabled", "--fp16"));
    let mixed = draft.known("mixed_precision");
    let mixed = |form: &str| mixed.as_deref() == Some(form);
    let (bf16, fp16) = (bf16 || mixed("bf16") && !fp16, fp16 || mixed("fp16") && !bf16);
    if bf16 && fp16 {
        draft.refuse("fp16.enabled", "DeepSpeed takes bf16 or fp16, not both. Switch one off.", 0);
    }
    if fp16 && !bf16 {
        draft.set("workload.precision", "fp16");
    } else if bf16 {
        draft.set("workload.precision", "bf16");
    } else {
        draft.assume(
            "workload.precision",
            "bf16",
            "Neither bf16 nor fp16 is switched on: DeepSpeed would train in fp32, which is not modelled.",
        );
    }
    // 0 is no adapter.
    let rank = ["--lora_r", "--lora_rank", "--lora_dim"]
        .into_iter()
        .find_map(|key| draft.signed(key))
        .and_then(|rank| u64::try_from(rank).ok())
        .filter(|rank| *rank > 0);
    let adapters = ["--use_peft", "--use_lora", "--use_peft_lora"]
        .into_iter()
        .find_map(|key| draft.flag(key));
    let quantized =
        IN_4_BITS.iter().any(|key| draft.tells(&format!("--{key}"), true)) || draft.known_whole("--bits") == Some(4);
    let adapters = adapters.unwrap_or(rank.is_some() || quantized);
    if !adapters {
        draft.set("workload.kind", "sft");
        return;
    }
    draft.set("workload.kind", if quantized { "qlora" } else { "lora" });
    draft.set("workload.lora.rank", rank.unwrap_or(16));
    let targets = draft.text("--lora_target_modules");
    draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
}
