//! torchtitan: the TOML of `torchtitan.train`, and options of the command that hold against it.

mod keys;

#[cfg(test)]
pub(super) use keys::SECTIONS;

use serde_json::json;

use super::draft::Draft;
use super::launch::{self, machine};
use super::link::Base;
use super::model;
use super::printable::short;
use super::report::{Dialect, Reading, Trouble};
use super::settings::Setting;
use super::shell::Script;
use super::text::{Kind, Part, stated_in_files};
use super::trainer::known_gpus;
use super::value;
use crate::emit::torchtitan::schedule_name;
use shardwise_catalog::catalog::{self, ModelEntry};
use shardwise_question::complete::splits_backward;
use shardwise_question::wire::PipelineSchedule;
use shardwise_rules::torchtitan::{Flavor, flavor_called, flavor_of};

/// Whether settings are a configuration of torchtitan's: no other names a flavor, or a degree of each kind of parallelism.
pub(super) fn is_its(settings: &[Setting]) -> bool {
    let has = |key: &str| settings.iter().any(|setting| setting.key == key);
    let any = |start: &str| settings.iter().any(|setting| setting.key.starts_with(start));
    (has("model.flavor") && (any("training.") || any("parallelism.") || any("optimizer.")))
        || any("parallelism.data_parallel_")
        || has("parallelism.tensor_parallel_degree")
        || has("training.seq_len") && has("training.local_batch_size")
}

/// Reads torchtitan's texts.
pub(super) fn read(parts: &[Part], base: Base) -> Result<Reading, Trouble> {
    let mut draft = Draft::new(Dialect::Torchtitan, keys::SECTIONS, base);
    let mut filed = false;
    for setting in stated_in_files(parts) {
        filed = true;
        draft.state(setting);
    }
    let mut file = None;
    for part in parts {
        match &part.kind {
            Kind::Shell(script) => file = command(&mut draft, script).or(file),
            Kind::Json(_) => draft.unread("JSON", "torchtitan takes TOML and options.", 0),
            Kind::File(_) => {}
        }
    }
    if let Some(file) = file.filter(|_| !filed) {
        draft.names(&file);
        draft.note(0, format!("{:?} has further settings and is not here: paste it too.", short(&file)));
    }
    question(&mut draft);
    draft.finish(Some("torchtitan"))
}

/// States what a script's command says; the file of settings that it names.
fn command(draft: &mut Draft, script: &Script) -> Option<String> {
    let launch = launch::find(script, Dialect::Torchtitan);
    let mut file = None;
    for setting in launch::arguments(&launch.after) {
        let setting = plain(setting);
        if setting.key == "job.config_file" && setting.open.is_none() {
            file = Some(setting.value.clone());
        }
        draft.state(setting);
    }
    machine(draft, launch.before);
    let variable = |name: &str| {
        let words = launch.environment.iter().rev().filter(|word| word.open.is_none());
        words
            .filter_map(|word| word.text.strip_prefix(name)?.strip_prefix('='))
            .find(|value| !value.is_empty())
    };
    // `run_train.sh` gives torchrun what NGPU says, 8 where nothing does.
    if draft.field("hardware.gpus").is_none()
        && let Some(gpus) = variable("NGPU")
            .and_then(value::whole)
            .and_then(|gpus| u64::try_from(gpus).ok())
    {
        draft.set("hardware.gpus", gpus.max(1));
        draft.set("hardware.gpus_per_node", gpus.max(1));
    }
    let file = file.or_else(|| variable("CONFIG_FILE").map(str::to_owned));
    launch.report(draft, script);
    file
}

/// A key without the dashes; `--parallelism.no-enable-…` says the opposite.
fn plain(mut setting: Setting) -> Setting {
    let key = setting.key.trim_start_matches('-');
    setting.key = match key.split_once(".no_") {
        Some((section, name)) if setting.value == "True" => {
            setting.value = "False".to_owned();
            format!("{section}.{name}")
        }
        _ => key.to_owned(),
    };
    setting
}

fn question(draft: &mut Draft) {
    draft.set("workload.kind", "pretrain");
    // Documents are joined until a sequence is full.
    draft.set("workload.packing", true);
    let entry = model(draft);
    draft.take_count("training.seq_len", "workload.sequence_length", Some(2048));
    precision(draft);
    let ranks = layout(draft, entry);
    batch(draft, ranks);
    states(draft);
    recompute(draft);
    let compiles = draft.is_on("compile.enable");
    let loss = match draft.text("compile.components") {
        Some(parts) => value::list(&parts).iter().any(|part| part == "loss"),
        None => true,
    };
    draft.set("plan.fused_loss", compiles && loss);
    draft.set("plan.fused_lm_head", false);
    draft.take_count("training.steps", "workload.run.steps", None);
    let optimizer = draft.word("optimizer.name").unwrap_or_default();
    if !matches!(optimizer.as_str(), "" | "AdamW" | "Adam") {
        let why = format!("{optimizer:?} is no optimizer of torchtitan 0.2.2. Write AdamW or Adam.");
        draft.refuse("optimizer.name", why, 0);
    }
    if draft.is_on("optimizer.early_step_in_backward") {
        draft.set("plan.optimizer_in_backward", true);
    }
}

/// The model by its family and flavor; of several of one shape the one whose tokenizer is read.
fn model(draft: &mut Draft) -> Option<&'static ModelEntry> {
    if draft.states("hf_transformers.model") {
        return draft.take_model("hf_transformers.model", "model");
    }
    let family = draft.word("model.name").unwrap_or_else(|| "llama3".to_owned());
    let flavor = draft.word("model.flavor");
    let assets = draft
        .known("model.hf_assets_path")
        .filter(|path| !path.contains("tests/assets"));
    let assets = assets.as_deref().and_then(model::find);
    let Some(flavor) = flavor else {
        let why = "torchtitan takes the model from model.flavor, which the text does not state.";
        return draft.model_otherwise("model.flavor", None, why);
    };
    if let Some(own) = flavor_called(&family, &flavor) {
        let is_own =
            |entry: &&ModelEntry| flavor_of(&entry.shape).is_some_and(|found| std::ptr::eq::<Flavor>(found, own));
        let same = catalog::models().iter().filter(is_own);
        let named = assets.map(|entry| entry.id);
        if let Some(entry) = same.min_by_key(|entry| (Some(entry.id) != named, entry.id.len())) {
            draft.set("model", entry.id);
            return Some(entry);
        }
    }
    // An experiment's flavors are the names of models on Hugging Face.
    if let Some(entry) = Some(flavor.as_str()).filter(|name| name.contains('/')).and_then(model::find) {
        draft.set("model", entry.id);
        return Some(entry);
    }
    let small = flavor.starts_with("debug");
    match assets.filter(|_| !small) {
        Some(entry) => {
            let why =
                format!("torchtitan 0.2.2 has no flavor {flavor} of {family}; model.hf_assets_path names this model.");
            draft.assume("model", entry.id, why);
            Some(entry)
        }
        None => {
            let what = if small { "a small model to try things with" } else { "no flavor of torchtitan 0.2.2" };
            let why = format!("{family}'s {} is {what}, which the catalog does not know.", short(&flavor));
            draft.model_otherwise("model.flavor", None, &why)
        }
    }
}

/// Precision of the products, by what converts the model.
fn precision(draft: &mut Draft) {
    let converters = draft
        .text("model.converters")
        .map(|text| value::list(&text))
        .unwrap_or_default();
    let narrow = |names: [&str; 2]| converters.iter().any(|own| names.iter().any(|name| own == name));
    let word = if narrow(["mx", "quantize.linear.mx"]) {
        "mxfp8"
    } else if narrow(["float8", "quantize.linear.float8"]) {
        "fp8"
    } else {
        "bf16"
    };
    draft.set("workload.precision", word);
    if draft.word("training.mixed_precision_param").as_deref() == Some("float32") {
        draft.note(0, "The products are in fp32, which is not modelled: the estimate is of bf16.");
    }
}

/// Groups of GPUs; how many ranks read other sequences, where the text or the base tells how many GPUs there are.
fn layout(draft: &mut Draft, entry: Option<&ModelEntry>) -> Option<u64> {
    draft.take_all("parallelism.");
    let size = |draft: &Draft, name: &str| draft.size(&format!("plan.{name}_parallel")).unwrap_or(1).max(1);
    let [tensor, context, stages, experts] = ["tensor", "context", "pipeline", "expert"].map(|name| size(draft, name));
    draft.set("plan.sequence_parallel", tensor > 1);
    // Without expert parallelism experts are split as all else is.
    let split = draft.count("parallelism.expert_tensor_parallel_degree").unwrap_or(1);
    let routed = entry.is_some_and(|entry| entry.shape.num_experts > 0);
    draft.set("plan.expert_tensor_parallel", if experts == 1 && routed { tensor } else { split });
    let copies = draft.count("parallelism.data_parallel_replicate_degree").unwrap_or(1);
    let shard = draft.signed("parallelism.data_parallel_shard_degree");
    let shard = shard.and_then(|shard| u64::try_from(shard).ok()).filter(|shard| *shard > 0);
    let around = [context, stages, copies].into_iter().fold(tensor, u64::saturating_mul);
    if let Some(all) = shard.map(|shard| around.saturating_mul(shard)) {
        match draft.size("hardware.gpus") {
            Some(gpus) if gpus != all => draft.refuse(
                "parallelism.data_parallel_shard_degree",
                format!("The degrees multiply to {all}, and the launcher starts {gpus} processes. Set it to -1, which takes the rest."),
                0,
            ),
            Some(_) => {}
            None => draft.set("hardware.gpus", all),
        }
    }
    let gpus = known_gpus(draft);
    let shard = shard.or_else(|| gpus.map(|gpus| (gpus / around).max(1)));
    let alone = tensor == 1 && context == 1 && stages == 1;
    if shard == Some(1) && copies > 1 && alone {
        draft.set("plan.backend", "ddp");
    } else {
        draft.set("plan.backend", "fsdp");
        if let Some(shard) = shard.filter(|_| copies > 1) {
            draft.set("plan.shard_group", shard.saturating_mul(context));
        }
        // By default a pipeline's stages keep what they have gathered.
        let stage = match draft.word("parallelism.fsdp_reshard_after_forward").as_deref() {
            Some("never") => 2,
            Some("always") => 3,
            _ if stages > 1 => 2,
            _ => 3,
        };
        draft.set("plan.zero_stage", stage);
    }
    if stages > 1 {
        pipeline(draft, entry, stages);
    }
    let overlaps = draft.is_on("parallelism.enable_async_tensor_parallel");
    draft.set("plan.overlap.tensor_parallel", overlaps && tensor > 1);
    gpus.map(|gpus| (gpus / tensor.saturating_mul(context).saturating_mul(stages)).max(1))
}

/// Chunks of layers on each stage, and in which order they run.
fn pipeline(draft: &mut Draft, entry: Option<&ModelEntry>, stages: u64) {
    let schedule = draft
        .word("parallelism.pipeline_parallel_schedule")
        .unwrap_or_else(|| "1F1B".to_owned());
    // PyTorch's `get_schedule_class` minds no case.
    let is = |name: &str| schedule.eq_ignore_ascii_case(name);
    let single = is("1F1B") || is("GPipe");
    let chunk = draft.count("parallelism.pipeline_parallel_layers_per_stage");
    let chunks = match (chunk, entry) {
        (Some(chunk), Some(entry)) => (entry.shape.num_hidden_layers.div_ceil(chunk) / stages).max(1),
        _ => 2,
    };
    draft.set("plan.virtual_pipeline", if single { 1 } else { chunks });
    let known = PipelineSchedule::ALL.iter().copied().find(|own| is(schedule_name(*own)));
    match known {
        Some(own) if splits_backward(own) => {
            draft.set("plan.pipeline_schedule", own.as_str());
            takes_apart(draft, own);
        }
        Some(_) => {}
        None => {
            let why = format!("{} is estimated as 1F1B with as many chunks on each stage.", short(&schedule));
            draft.note(0, why);
        }
    }
}

/// What stops where the weights' gradients are put off: PyTorch's `_check_torch_compile_compatibility`, torchtitan's
/// `get_dual_pipe_v_flag`.
fn takes_apart(draft: &mut Draft, schedule: PipelineSchedule) {
    let compiled = match draft.text("compile.components") {
        Some(parts) => value::list(&parts).iter().any(|part| part == "model"),
        None => true,
    };
    if compiled && draft.is_on("compile.enable") {
        let why = "The schedule takes backward passes apart, and those of compiled layers stay whole. Leave model out of compile.components.";
        draft.refuse("parallelism.pipeline_parallel_schedule", why, 0);
    }
    let experts = draft.size("plan.expert_parallel").unwrap_or(1) > 1;
    let overlap = "parallelism.pipeline_parallel_expert_parallel_overlap";
    let beside = !draft.states(overlap) || draft.is_on(overlap);
    // Its default is selective.
    let again = draft.holds("activation_checkpoint.mode") || !draft.states("activation_checkpoint.mode");
    if schedule == PipelineSchedule::DualPipeV && experts && beside && again {
        let why = "DualPipeV runs the experts' exchanges beside computation only where nothing is recomputed. Set pipeline_parallel_expert_parallel_overlap to false, or activation_checkpoint.mode to none.";
        draft.refuse("parallelism.pipeline_parallel_schedule", why, 0);
    }
}

/// Sequences of a pass and of a step.
fn batch(draft: &mut Draft, ranks: Option<u64>) {
    let local = draft.count("training.local_batch_size");
    let stages = draft.size("plan.pipeline_parallel").unwrap_or(1);
    if stages > 1 {
        let micro = draft.count("parallelism.pipeline_parallel_microbatch_size");
        match micro {
            Some(micro) => draft.set("plan.micro_batch", micro),
            None => draft.default("parallelism.pipeline_parallel_microbatch_size", "plan.micro_batch", 1),
        }
    } else {
        draft.take_count("training.local_batch_size", "plan.micro_batch", Some(8));
    }
    let local = local.unwrap_or(8);
    let whole = draft
        .signed("training.global_batch_size")
        .and_then(|whole| u64::try_from(whole).ok());
    let ranks_or = ranks.unwrap_or(8);
    let rank = local.saturating_mul(ranks_or);
    match whole.filter(|whole| *whole > 0) {
        Some(whole) => {
            draft.set("workload.global_batch", whole);
            if ranks.is_some() && stages > 1 && whole > rank {
                draft.note(0, "The pipeline is filled anew for every local batch; the estimate fills it once a step.");
            }
        }
        None if ranks.is_some() && draft.states("training.local_batch_size") => {
            draft.set("workload.global_batch", rank)
        }
        None => {
            let why = format!(
                "One local batch of {local} on each of {ranks_or} ranks; set training.global_batch_size to state it."
            );
            draft.assume("workload.global_batch", rank, why);
        }
    }
}

/// Where states are, and how wide.
fn states(draft: &mut Draft) {
    if draft.is_on("training.enable_cpu_offload") {
        let away = json!({"parameters": true, "gradients": true, "optimizer": true, "activations": false});
        draft.set("plan.offload", away);
    }
    if draft.word("training.dtype").as_deref() == Some("bfloat16") {
        draft.set("plan.master_weights_bytes", 2);
        draft.set("plan.gradient_bytes", 2);
        draft.set("plan.optimizer_bytes", 4);
    }
}

/// What is computed again: whole layers, every second operation of kinds that are cheap, or every n-th layer.
fn recompute(draft: &mut Draft) {
    let mode = draft.word("activation_checkpoint.mode");
    let option = draft
        .word("activation_checkpoint.selective_ac_option")
        .unwrap_or_else(|| "2".to_owned());
    // Its word for nothing reads as one that is not there.
    let none = draft.states("activation_checkpoint.mode") && !draft.holds("activation_checkpoint.mode");
    match mode.as_deref() {
        None if none => draft.set("plan.recompute", "none"),
        Some("full") => draft.set("plan.recompute", "full"),
        Some("memory_budget") => {
            let why = "How much a budget of memory recomputes no text tells: recomputation by operation is estimated in its place.";
            draft.assume("plan.recompute", "selective", why);
        }
        Some("selective") if option == "op" => draft.set("plan.recompute", "selective"),
        None | Some("selective") => {
            let every = value::whole(&option).filter(|every| *every > 0).unwrap_or(2);
            if every == 1 {
                draft.set("plan.recompute", "full");
                return;
            }
            let why = format!(
                "One layer in {every} is computed again as a whole, which is not modelled: recomputation by operation is estimated in its place."
            );
            draft.assume("plan.recompute", "selective", why);
        }
        Some(other) => {
            let why = format!("{:?} is no mode. Write none, selective, full or memory_budget.", short(other));
            draft.refuse("activation_checkpoint.mode", why, 0);
        }
    }
}
