//! ms-swift: the arguments or the YAML of `swift sft`, `swift pt` and `swift rlhf`, and of `megatron sft` and its kin.

mod keys;
mod megatron;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use super::draft::Draft;
use super::kernel;
use super::link::Base;
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::text::Part;
use super::trainer::reinforcement::{self, Own};
use super::trainer::{self, Adapters, Run, Shards};
use shardwise_catalog::catalog::ModelEntry;
use shardwise_catalog::divisors::gcd;

/// Whether settings are a configuration of ms-swift's: a model by its own name, and what is tuned of it.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    has("model")
        && ["tuner_type", "train_type", "rlhf_type", "split_dataset_ratio", "torch_dtype"]
            .into_iter()
            .any(has)
}

/// Reads ms-swift's texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::MsSwift, keys::SECTIONS, base);
    let run = trainer::state(&mut draft, parts)?;
    // ms-swift 2 knew a model by its type alone.
    let typed = draft.predates("3.0") && !draft.states("model");
    let entry = draft.take_model(if typed { "model_type" } else { "model" }, "model");
    trainer::gpus(&mut draft, &run);
    spread(&mut draft, &run);
    // Ray is told the GPUs of each role.
    let roles = ["train.gpus", "device_groups.nproc_per_node"];
    if draft.field("hardware.gpus").is_none()
        && let Some(gpus) = roles.into_iter().find_map(|key| draft.count(key))
    {
        draft.set("hardware.gpus", gpus);
        draft.set("hardware.gpus_per_node", gpus.min(8));
    }
    if run.launches("megatron") || draft.states("tensor_model_parallel_size") || draft.states("micro_batch_size") {
        megatron::question(&mut draft, &run);
        return draft.finish(None);
    }
    let kind = question(&mut draft, &run, entry);
    // Its own reinforcement learning has no texts here, whose rules would speak of them.
    draft.finish(kind.is_none_or(|own| own != "grpo").then_some("ms-swift"))
}

/// A process that sees several GPUs spreads its layers over them (`model/utils.py`, `get_default_device_map`), unless their shards
/// are DeepSpeed's or FSDP's.
fn spread(draft: &mut Draft, run: &Run) {
    let seen = ["CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"]
        .into_iter()
        .find_map(|name| run.variable(name))
        .map_or(1, |cards| cards.split(',').count() as u64);
    let processes = run.number("NPROC_PER_NODE").unwrap_or(1);
    let alone = run.launches("swift") && !run.is_launched();
    let sharded = draft.states("deepspeed") || draft.states("fsdp") || draft.states("fsdp_config");
    if alone && !sharded && seen > processes && draft.depends_on("NPROC_PER_NODE").is_none() {
        draft.set("hardware.gpus", seen);
        let why = format!(
            "ms-swift spreads the layers over the {seen} GPUs that {processes} of its processes see (device_map), of which there is no estimate. NPROC_PER_NODE={seen} trains on all of them at once."
        );
        draft.cannot("CUDA_VISIBLE_DEVICES", why);
    }
}

/// Which way to learn is named; none where text is learnt.
fn kind(draft: &mut Draft, run: &Run) -> Option<String> {
    let program = run
        .program
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .trim_end_matches(".py")
        .to_owned();
    let named = draft.word("rlhf_type");
    let loss = draft.word("loss_type").unwrap_or_default();
    let own = match named.as_deref() {
        None if program == "pt"
            && draft.known("tuner_type").or_else(|| draft.known("train_type")).as_deref() == Some("full") =>
        {
            "pretrain"
        }
        None => return task_type(draft),
        Some("dpo") if loss.contains("ipo") => "ipo",
        Some("cpo") if loss == "simpo" => "simpo",
        Some(own @ ("dpo" | "kto" | "orpo" | "simpo")) => own,
        Some("rm") => "reward_model",
        // What its teacher makes of it is said behind what trains.
        Some("gkd") => return None,
        Some("grpo") => reinforcement::kind(draft, "grpo", (!loss.is_empty()).then_some(loss.as_str())),
        Some(other) => {
            let why =
                format!("Shardwise has no estimate of ms-swift's {other}: fine-tuning is estimated in its place.");
            draft.fine_tunes_in_its_place(why);
            return None;
        }
    };
    Some(own.to_owned())
}

/// Other heads than the language model's are small: fine-tuning stands for them.
fn task_type(draft: &mut Draft) -> Option<String> {
    if let Some(task) = draft.word("task_type").filter(|task| task != "causal_lm") {
        let says = format!("task_type {task} has another head and loss. The estimate is of fine-tuning as it is.");
        draft.stands_in(0, says);
    }
    None
}

/// The question of a command on the Trainer, and the way to learn.
fn question(draft: &mut Draft, run: &Run, entry: Option<&ModelEntry>) -> Option<String> {
    let kind = kind(draft, run);
    let (key, shown) = if draft.states("train_type") { ("train_type", "lora") } else { ("tuner_type", "lora") };
    let tuner = draft.word(key).unwrap_or_else(|| shown.to_owned());
    let quantized = draft.known_whole("quant_bits") == Some(4) || draft.tells("load_in_4bit", true);
    let targets = if draft.states("lora_target_modules") { "lora_target_modules" } else { "target_modules" };
    let adapters = Adapters { rank: "lora_rank", default: 8, targets, quantized };
    let full = tuner == "full";
    let shards = layout(draft, run, entry);
    trainer::task(draft, kind.as_deref(), (!full).then_some(adapters));
    trainer::frozen_tower(draft, "freeze_vit", true);
    earlier(draft, full);
    if !full && !matches!(tuner.as_str(), "lora" | "longlora" | "adalora") {
        draft.note(0, format!("{tuner} is estimated as LoRA, whose adapters are about as small."));
    }
    let split = ["context_parallel", "ulysses_parallel"].map(|name| draft.size(&format!("plan.{name}")).unwrap_or(1));
    let split = split.into_iter().fold(1, u64::saturating_mul);
    // What trains under FSDP is cast to fp32 (accelerate 1.15.0, utils/fsdp_utils.py, line 815).
    precision(draft, full && shards == Shards::Nobody);
    let plugin = draft.known("optimizer").is_some_and(|own| own == "muon");
    trainer::step_by(draft, if plugin { "optimizer" } else { "optim" });
    trainer::recompute(draft, "gradient_checkpointing", true);
    attention(draft);
    let liger = draft.flag("use_liger_kernel").unwrap_or(false);
    let text = kind.as_deref().is_none_or(|own| own == "pretrain");
    draft.set("plan.fused_lm_head", liger && text && split == 1);
    if split > 1 && !liger && run.number("CELOSS_PARALLEL_SIZE").is_some() {
        // sequence_parallel/utils.py, ChunkedCrossEntropyLoss: gradients take the logits' place, in 16 bits, chunk by chunk.
        draft.set("plan.logit_bytes", 2.0);
    }
    let micro = draft.count("per_device_train_batch_size").unwrap_or(1).max(1);
    let ranks = (trainer::known_gpus(draft).unwrap_or(8) / split.max(1)).max(1);
    // trainers/arguments.py: as many passes as make 16.
    let passes = 16u64.div_ceil(micro.saturating_mul(ranks)).max(1);
    let sizes = trainer::batch(draft, "per_device_train_batch_size", (1, passes), split);
    trainer::run_length(draft);
    if draft.states("rlhf_type")
        && draft
            .field("workload.kind")
            .is_some_and(|own| ["grpo", "dapo", "gspo", "dr_grpo", "cispo"].iter().any(|name| own == name))
    {
        reinforcement::read(draft, false, &GRPO, sizes);
        draft.take_count("move_model_batches", "plan.weight_sync_parts", None);
        if draft.states("teacher_model") {
            draft.stands_in(0, "The teacher beside GRPO's policy is not in the estimate.");
        }
        host_memory(draft);
        return Some("grpo".to_owned());
    }
    lengths(draft, entry);
    if draft.known("rlhf_type").as_deref() == Some("gkd") {
        return taught(draft, sizes);
    }
    let packing = ["packing", "padding_free"].iter().any(|key| draft.tells(key, true));
    draft.set("workload.packing", packing && text);
    kind
}

/// What ms-swift 2 did where nothing said otherwise (2.6.1, `swift/llm/utils/argument.py`, `SftArguments`): adapters on queries, keys and
/// values, and sequences of 2,048 tokens. Values that have other words now are said.
fn earlier(draft: &mut Draft, full: bool) {
    for (key, now) in [
        ("dtype", "dtype is of ms-swift 2: torch_dtype says it now, as bfloat16, float16 or float32."),
        (
            "lora_target_modules",
            "lora_target_modules is of ms-swift 2: target_modules says it now, and all-linear for ALL.",
        ),
        ("use_flash_attn", "use_flash_attn is of ms-swift 2: attn_impl says it now, as flash_attn."),
    ] {
        if draft.states(key) {
            draft.note(0, now);
        }
    }
    draft.is_of_old("dtype", None);
    draft.is_of_old("use_flash_attn", None);
    let listed = draft
        .word("lora_target_modules")
        .is_some_and(|own| !matches!(own.as_str(), "ALL" | "DEFAULT"));
    draft.is_of_old("lora_target_modules", listed.then_some("target_modules"));
    if !draft.predates("3.0") {
        return;
    }
    // A type of ms-swift 2 is none of today's, which come of the model.
    if draft.states("model") {
        draft.is_of_old("model_type", None);
    }
    let named = draft.word("lora_target_modules").is_some_and(|own| own != "DEFAULT");
    if !full && !named && !draft.states("target_modules") {
        draft.set("workload.lora.targets", "attention");
    }
}

/// What ms-swift does of itself (`arguments/rlhf_args.py`, `rlhf_trainers/args_mixin.py`).
const GRPO: Own =
    Own { beta: 0.04, responses: 8, share: 0.9, sequences: Some(256), tokens: 8192, server: "swift rollout" };

/// GKD (4.6.0, `rlhf_trainers/gkd_trainer.py`): a share `lmbda` of the batches is written by the student, and the others are given text.
fn taught(draft: &mut Draft, sizes: [u64; 3]) -> Option<String> {
    draft.take_model("teacher_model", "workload.distillation.teacher");
    draft.set("workload.distillation.placement", "beside");
    let few = draft.take_count("gkd_logits_topk", "workload.distillation.top_k", None);
    draft.set("workload.distillation.logits", if few.is_some() { "top_k" } else { "full" });
    if draft.states("teacher_model_server") {
        draft.stands_in(0, "The teacher answers from a server of its own, whose GPUs no text here tells: the estimate has it beside the student.");
    }
    if draft.tells("offload_teacher_model", true) {
        draft.doubt(0, "offload_teacher_model moves the teacher to host memory between its passes. The estimate has it on the card.");
    }
    draft.set("workload.packing", false);
    let share = draft.number("lmbda").unwrap_or(0.5).clamp(0.0, 1.0);
    if share == 0.0 || draft.tells("seq_kd", true) {
        return Some("sft".to_owned());
    }
    draft.set("workload.kind", "distill");
    draft.set("workload.distillation.on_policy", share);
    let own = Own { beta: 0.0, responses: 1, ..GRPO };
    let written = draft.count("max_completion_length").unwrap_or(512);
    if draft.tells("use_vllm", true) {
        let longest = draft.size("workload.sequence_length").unwrap_or(2048);
        draft.remove("workload.sequence_length");
        draft.forget("workload.sequence_length");
        reinforcement::read(draft, false, &own, sizes);
        draft.forget("workload.rl.max_prompt_length");
        draft.set("workload.rl.max_prompt_length", longest.saturating_sub(written).max(1));
        for field in ["reference", "old_log_prob"] {
            draft.set(&format!("workload.rl.{field}"), false);
        }
    } else {
        reinforcement::as_text(draft, &own, sizes, written);
    }
    host_memory(draft);
    Some("grpo".to_owned())
}

/// States that wait in host memory while the engine beside them generates.
fn host_memory(draft: &mut Draft) {
    let [weights, optimizer] = ["offload_model", "offload_optimizer"].map(|key| draft.tells(key, true));
    // What steps in host memory is there already.
    let optimizer = optimizer && draft.field("plan.optimizer_offload_fraction").is_none();
    if weights || optimizer {
        for (name, on) in [("parameters", weights), ("gradients", weights), ("optimizer", optimizer)] {
            draft.set(&format!("plan.offload.{name}"), on);
        }
    }
}

fn layout(draft: &mut Draft, run: &Run, entry: Option<&ModelEntry>) -> Shards {
    let preset = draft.known("fsdp").as_deref() == Some("fsdp2");
    let shards = trainer::shards(draft, run, "deepspeed");
    if preset && shards == Shards::Fsdp {
        // config/fsdp2.json
        draft.set("plan.zero_stage", 3);
        draft.set("plan.recompute", "full");
    }
    let tensor = draft
        .count("deepspeed_autotp_size")
        .unwrap_or_else(|| trainer::by_deepspeed(draft));
    draft.set("plan.tensor_parallel", tensor);
    draft.set("plan.pipeline_parallel", 1);
    if let Some(group) = draft.count("zero_hpz_partition_size") {
        draft.set("plan.zero_hpz_partition_size", group);
    }
    // sequence_parallel/sequence_parallel.py: by heads as far as these go, the rest in a ring.
    let parts = draft.count("sequence_parallel_size").unwrap_or(1);
    let heads = entry.map_or(parts, |own| own.shape.num_key_value_heads);
    let by_heads = gcd(heads, parts).max(1);
    draft.set("plan.ulysses_parallel", by_heads);
    draft.set("plan.context_parallel", parts / by_heads);
    shards
}

/// `torch_dtype` loads the weights, and says the precision where no switch does (`base_args/model_args.py`).
fn precision(draft: &mut Draft, states: bool) {
    // ms-swift 2's words of the same, of which AUTO is bf16 where a card has it.
    let old = draft.known("dtype").and_then(|own| match own.as_str() {
        "bf16" | "AUTO" => Some("bfloat16".to_owned()),
        "fp16" => Some("float16".to_owned()),
        "fp32" => Some("float32".to_owned()),
        _ => None,
    });
    let half = draft.word("torch_dtype").or(old);
    let fp16 = draft.tells("fp16", true) || half.as_deref() == Some("float16");
    if fp16 && !draft.tells("bf16", true) {
        draft.set("workload.precision", "fp16");
    } else if half.is_some() || draft.tells("bf16", true) {
        draft.set("workload.precision", "bf16");
    } else {
        draft.default("torch_dtype", "workload.precision", "bf16");
    }
    if states && half.as_deref() != Some("float32") {
        trainer::states_in_16_bits(
            draft,
            "torch_dtype loads the weights in 16 bits, in which they are trained and stepped.",
        );
    }
}

fn attention(draft: &mut Draft) {
    match draft.word("attn_impl").as_deref() {
        Some("flash_attn") => {
            kernel::named(draft, "flash_attention_2", "plan");
        }
        Some(_) => kernel::hugging_face(draft, "attn_impl", "plan"),
        None if draft.tells("use_flash_attn", true) => {
            kernel::named(draft, "flash_attention_2", "plan");
        }
        None => trainer::by_itself(draft, "attn_impl"),
    }
    trainer::sinks(draft);
}

/// The longest sequence; where no key says it, as many as the model has positions.
fn lengths(draft: &mut Draft, entry: Option<&ModelEntry>) {
    if draft.take_count("max_length", "workload.sequence_length", None).is_some() {
        return trainer::beyond_positions(draft);
    }
    if draft.predates("3.0") {
        return draft.assume_known(
            "workload.sequence_length",
            2048,
            "ms-swift 2's default; set max_length to state it.",
        );
    }
    let own = draft.base.and_then(|base| base.workload.sequence_length);
    let positions = entry.map_or(2048, |own| own.shape.max_position_embeddings);
    match own {
        Some(own) => draft.assume_known("workload.sequence_length", own, "From the base question; the text does not state it."),
        None => draft.assume("workload.sequence_length", positions.clamp(1, 8192), "ms-swift cuts at the model's positions, and how long your data are the text does not tell: 8,192 at most are estimated. Set max_length to state it."),
    }
}
