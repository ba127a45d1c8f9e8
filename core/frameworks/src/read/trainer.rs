//! What frameworks on Hugging Face's Trainer share: TRL, LLaMA-Factory, axolotl, ms-swift. Their keys stand without dashes,
//! whether a command or a YAML file states them.

mod held;
pub(super) mod keys;
pub(super) mod reinforcement;
mod shards;

use held::named_bits;
pub(super) use held::{attention, by_itself, frozen_tower, in_8_bits, sinks, states_in_16_bits, step_by};
use shards::Guess;
pub(super) use shards::{Shards, shards, stays_in_host_memory};

use super::deepspeed;
use super::draft::Draft;
use super::launch::{self, machine};
use super::model::Narrow;
use super::printable::short;
use super::report::{Dialect, Trouble};
use super::settings::Setting;
use super::shell::{Script, Word};
use super::text::{Kind, Part};
use super::value::{self, lora_targets};

/// What the texts are beside their keys.
#[derive(Default)]
pub(super) struct Run {
    /// The program: `sft`, `trl.scripts.grpo`; empty where settings stand alone.
    pub(super) program: String,
    /// Words before the program: the launcher's.
    before: Vec<Word>,
    /// Variables that the command is given, each as `NAME=value`.
    environment: Vec<Word>,
    /// Whether a configuration of `DeepSpeed` is there.
    pub(super) configured: bool,
    /// What shards by the name of Accelerate's file, which is not here.
    guessed: Option<Guess>,
}

impl Run {
    /// Of a launcher's words before the program; `sharded` where the text itself says what shards the run.
    pub(super) fn launched(draft: &mut Draft, before: &[Word], sharded: bool) -> Self {
        let guessed = if sharded { None } else { laid_out(draft, before) };
        Self { before: before.to_vec(), guessed, ..Self::default() }
    }

    /// Whether what shards the run is read from the name of Accelerate's file, which is not here.
    pub(super) fn is_guessed(&self) -> bool {
        self.guessed.is_some()
    }

    /// A variable of the command's environment, where it has a value.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        let mut words = self.environment.iter().rev().filter(|word| word.open.is_none());
        words
            .find_map(|word| word.text.strip_prefix(name)?.strip_prefix('='))
            .filter(|value| !value.is_empty())
    }

    /// Whether a program stands before what it is told to do: `megatron` of `megatron sft`.
    pub(super) fn launches(&self, program: &str) -> bool {
        self.before
            .last()
            .is_some_and(|word| word.text.rsplit('/').next() == Some(program))
    }

    /// Whether a launcher stands before the program, which starts a process for each GPU.
    pub(super) fn is_launched(&self) -> bool {
        let launchers = ["torchrun", "accelerate", "deepspeed", "torch.distributed.run"];
        launchers.into_iter().any(|own| is_launched_by(&self.before, own))
    }

    /// A whole number of 1 or more that a variable has.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let value = value::whole(self.variable(name)?)?;
        u64::try_from(value).ok().filter(|value| *value > 0)
    }
}

/// States every key of the texts, the command's last, whose options hold against a file's.
pub(super) fn state(draft: &mut Draft, parts: &[Part]) -> Result<Run, Trouble> {
    let mut run = Run { configured: deepspeed::state_configs(draft, parts)? > 0, ..Run::default() };
    let mut files = 0;
    for part in parts {
        if let Kind::File(settings) = &part.kind {
            files += 1;
            for setting in settings {
                let mut setting = plain(setting.clone());
                if draft.framework == Dialect::MsSwift {
                    of_ray(&mut setting.key);
                }
                // The configuration itself in the place of its name.
                run.configured |= setting.written.starts_with("deepspeed.");
                draft.state(setting);
            }
        }
    }
    let mut named = None;
    for part in parts {
        if let Kind::Shell(script) = &part.kind {
            let file = command(draft, script, &mut run);
            named = named.or(file);
        }
    }
    run.guessed = laid_out(draft, &run.before);
    // A file that is named and not there has all of the settings.
    match named {
        Some(file) if files == 0 && !draft.states_other_than("config") => Err(Trouble::new(
            0,
            format!(
                "The settings are in {:?}, which is not here. Paste that file, with the command or without.",
                short(&file)
            ),
        )),
        None if !draft.states_other_than("config") => Err(Trouble::new(
            0,
            "The command has no settings. Paste it with its arguments, or with the file that has them.",
        )),
        Some(file) if files == 0 => {
            draft.note(0, format!("{:?} has further settings and is not here: paste it too.", short(&file)));
            Ok(run)
        }
        _ => Ok(run),
    }
}

fn is_launched_by(before: &[Word], launcher: &str) -> bool {
    before.iter().any(|word| word.text.rsplit('/').next() == Some(launcher))
}

/// States Accelerate's file where a part of the texts is one; whether it is.
pub(super) fn state_accelerates(draft: &mut Draft, settings: &[Setting]) -> bool {
    let its = ["distributed_type", "compute_environment"];
    let here = settings.iter().any(|setting| its.contains(&setting.key.as_str()));
    if here {
        settings.iter().for_each(|setting| draft.state(plain(setting.clone())));
    }
    here
}

/// States what Accelerate's launcher is told in the place of its file.
pub(super) fn state_launchers(draft: &mut Draft, before: &[Word]) {
    let key = "mixed_precision";
    let Some(word) = launch::option(before, &[key]).filter(|_| is_launched_by(before, "accelerate")) else {
        return;
    };
    draft.state(Setting {
        key: key.to_owned(),
        written: format!("--{key}"),
        value: word.text.rsplit('=').next().unwrap_or_default().to_owned(),
        line: word.line,
        open: word.open.clone(),
    });
}

/// Asks for Accelerate's file where the command names one: it says what shards the run, and how many processes there are. What is
/// read in its place, by its name, is what comes back.
fn laid_out(draft: &mut Draft, before: &[Word]) -> Option<Guess> {
    let file = launch::option(before, &["config_file"]).filter(|_| is_launched_by(before, "accelerate"))?;
    let file = file.text.rsplit('=').next().unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    // Plain data parallelism is what is read without a file.
    let plain = ["multi_gpu", "single_gpu", "ddp"].iter().any(|word| name.starts_with(word));
    let there = ["num_processes", "distributed_type", "compute_environment"]
        .iter()
        .any(|key| draft.states(key));
    // A text that was printed has the rest in its link.
    if plain || there || draft.link.is_some() {
        return None;
    }
    let file = short(file);
    draft.miss(
        "plan.backend",
        "--config_file",
        format!("{file:?} says what shards the run and is not here: paste it too."),
    );
    Some(Guess::by(name))
}

/// States what a script's command says; the file of settings that it names.
fn command(draft: &mut Draft, script: &Script, run: &mut Run) -> Option<String> {
    let launch = launch::find(script, draft.framework);
    let mut after = launch.after.as_slice();
    let mut before = launch.before.to_vec();
    // `axolotl train x.yaml --launcher torchrun -- --nproc_per_node 8`
    if let Some(at) = after.iter().position(|word| word.text == "--") {
        let (own, launcher) = after.split_at(at);
        before.extend(launcher.iter().skip(1).cloned());
        after = own;
    }
    let options = after.iter().position(|word| word.text.starts_with('-')).unwrap_or(after.len());
    let (words, options) = after.split_at(options);
    let mut named = None;
    for word in words {
        match word.text.split_once('=') {
            // `llamafactory-cli train x.yaml learning_rate=1e-5`
            Some((key, value)) => draft.state(Setting {
                key: key.to_owned(),
                written: key.to_owned(),
                value: value.to_owned(),
                line: word.line,
                open: word.open.clone(),
            }),
            None => named = named.or_else(|| Some(word.text.clone())),
        }
    }
    for setting in launch::arguments(options) {
        if setting.key == "--config" {
            named = Some(setting.value.clone());
        }
        draft.state(plain(setting));
    }
    state_launchers(draft, &before);
    if run.program.is_empty() {
        launch.program.clone_into(&mut run.program);
        run.before = before;
        run.environment = launch.environment.iter().copied().cloned().collect();
    }
    launch.report(draft, script);
    named
}

/// A key without argparse's dashes, without the section of a configuration that stands in the place of its name, and of FSDP's
/// without Accelerate's word for it.
fn plain(mut setting: Setting) -> Setting {
    let key = setting.key.trim_start_matches('-');
    let key = key.strip_prefix("deepspeed.").unwrap_or(key);
    setting.key = match key.strip_prefix("fsdp_config.") {
        Some(name) => format!("fsdp_config.{}", name.strip_prefix("fsdp_").unwrap_or(name)),
        None => key.to_owned(),
    };
    setting
}

/// ms-swift's file for Ray has a section for each role, below which its arguments have their own names.
fn of_ray(key: &mut String) {
    for section in ["train.", "rollout."] {
        if let Some(name) = key.strip_prefix(section).filter(|name| *name != "gpus") {
            *key = name.to_owned();
            return;
        }
    }
}

/// GPUs, as far as launcher, Accelerate's file or the environment say.
pub(super) fn gpus(draft: &mut Draft, run: &Run) {
    if deepspeed::processes(draft, &run.before) {
        return;
    }
    machine(draft, &run.before);
    if draft.field("hardware.gpus").is_some() {
        return;
    }
    let nodes = draft.count("num_machines").or_else(|| run.number("NNODES"));
    let all = draft.count("num_processes");
    let cards = run
        .variable("CUDA_VISIBLE_DEVICES")
        .or_else(|| run.variable("ASCEND_RT_VISIBLE_DEVICES"));
    let seen = cards.map(|cards| cards.split(',').count() as u64);
    let (all, node) = match (all, run.number("NPROC_PER_NODE"), seen) {
        (Some(all), ..) => (all, all.checked_div(nodes.unwrap_or(1)).unwrap_or(all)),
        (None, Some(node), _) | (None, None, Some(node)) => (node.saturating_mul(nodes.unwrap_or(1)), node),
        (None, None, None) => return,
    };
    draft.set("hardware.gpus", all.max(1));
    draft.set("hardware.gpus_per_node", node.max(1));
}

/// GPUs that the question has by now, or that it is asked of.
pub(super) fn known_gpus(draft: &Draft) -> Option<u64> {
    draft
        .size("hardware.gpus")
        .or_else(|| draft.base.and_then(|base| base.hardware.gpus))
}

/// Sequences of a pass, passes of a step and ranks; states the global batch, by ranks that are known or assumed.
pub(super) fn batch(draft: &mut Draft, key: &str, (micro, steps): (u64, u64), split: u64) -> [u64; 3] {
    let micro = draft.take_count(key, "plan.micro_batch", Some(micro)).unwrap_or(1);
    let steps = draft.count("gradient_accumulation_steps").unwrap_or(steps);
    let told = draft.field("hardware.gpus").is_some();
    let ranks = (known_gpus(draft).unwrap_or(8) / split.max(1)).max(1);
    let whole = micro.saturating_mul(steps).saturating_mul(ranks);
    if told {
        draft.set("workload.global_batch", whole);
    } else {
        let why = format!("{micro} × {steps} × {ranks} ranks; the text does not say how many GPUs run it.");
        draft.assume("workload.global_batch", whole, why);
    }
    [micro, steps, ranks]
}

/// The longest sequence, or the framework's default.
pub(super) fn length(draft: &mut Draft, key: &str, default: u64) {
    draft.take_count(key, "workload.sequence_length", Some(default));
    beyond_positions(draft);
}

/// Positions are computed: nothing refuses sequences of more than the model was trained with. The rule is of what is printed.
pub(super) fn beyond_positions(draft: &mut Draft) {
    let known = draft.entry().map_or(0, |entry| entry.shape.max_position_embeddings);
    let longest = draft.size("workload.sequence_length").unwrap_or(0);
    if known > 0 && longest > known {
        draft.overrule("workload.sequence_length");
        draft.note(0, format!("Sequences have {longest} tokens, and the model was trained with {known}: it runs, and may learn badly what stands behind."));
    }
}

/// The length of the run, as its steps: of passes over the data no text tells how many steps they are.
pub(super) fn run_length(draft: &mut Draft) {
    if let Some(steps) = draft.known_whole("max_steps").filter(|steps| *steps > 0) {
        draft.set("workload.run.steps", steps);
    }
}

/// Precision of the products, by the Trainer's switches, Accelerate's word, or what `otherwise` says.
pub(super) fn precision(draft: &mut Draft, otherwise: &str) {
    let fp16 = draft.tells("fp16", true) || draft.known("mixed_precision").as_deref() == Some("fp16");
    let bf16 = draft.tells("bf16", true) || draft.known("mixed_precision").as_deref() == Some("bf16");
    if fp16 && !bf16 {
        draft.set("workload.precision", "fp16");
    } else if bf16 {
        draft.set("workload.precision", "bf16");
    } else {
        draft.assume_known("workload.precision", "bf16", otherwise);
    }
}

/// Adapters, as a framework's keys say them.
#[derive(Clone, Copy)]
pub(super) struct Adapters<'a> {
    /// The key of their rank.
    pub(super) rank: &'a str,
    /// The rank where no key says it.
    pub(super) default: u64,
    /// The key of the matrices that carry them.
    pub(super) targets: &'a str,
    /// Whether the base is held in 4 bits.
    pub(super) quantized: bool,
}

/// What is trained, by all weights or by adapters; of text where no `kind` of preferences or of RL is named.
pub(super) fn task(draft: &mut Draft, kind: Option<&str>, adapters: Option<Adapters<'_>>) {
    let named = named_bits(draft);
    let four = named == Some(Narrow::Four);
    let adapters = adapters.map(|own| Adapters { quantized: own.quantized || four, ..own });
    let own = match adapters {
        None => "sft",
        Some(own) if own.quantized => "qlora",
        Some(_) => "lora",
    };
    draft.set("workload.kind", kind.unwrap_or(own));
    let Some(own) = adapters else { return };
    if own.quantized && draft.count("tensor_parallel.autotp_size").is_some_and(|size| size > 1) {
        let why = "DeepSpeed's tensor parallelism splits no base of 4 bits. Set tensor_parallel to 1.";
        draft.refuse("tensor_parallel.autotp_size", why, 0);
    }
    draft.take_count(own.rank, "workload.lora.rank", Some(own.default));
    let targets = draft.text(own.targets);
    draft.set("workload.lora.targets", lora_targets(targets.as_deref()));
    if kind.is_some() && own.quantized {
        draft.set("workload.lora.load_in_4bit", true);
    }
    if !own.quantized && matches!(named, Some(Narrow::Fp8 | Narrow::Int8)) {
        in_8_bits(draft, "The checkpoint's name says that its weights have 8 bits, in which the base stays.");
    }
}

/// Groups of GPUs that split matrices or sequences, and copies of the shards, by Accelerate's file; how many GPUs work on one
/// sequence.
pub(super) fn groups(draft: &mut Draft) -> u64 {
    let size = |draft: &mut Draft, name: &str| draft.count(&format!("{GROUPS}{name}")).unwrap_or(1);
    let [tensor, context, ulysses] = ["tp_size", "cp_size", "sp_size"].map(|name| size(draft, name));
    let tensor = if tensor > 1 { tensor } else { by_deepspeed(draft) };
    for (field, size) in [("tensor_parallel", tensor), ("context_parallel", context), ("ulysses_parallel", ulysses)] {
        draft.set(&format!("plan.{field}"), size);
    }
    draft.set("plan.pipeline_parallel", 1);
    if tensor > 1 {
        // Transformers' plan of tensor parallelism splits no norms.
        draft.set("plan.sequence_parallel", false);
    }
    let [copies, shard] = ["dp_replicate_size", "dp_shard_size"].map(|name| size(draft, name));
    if copies > 1 {
        draft.set("plan.shard_group", shard.saturating_mul(context).saturating_mul(ulysses));
    }
    tensor.saturating_mul(context).saturating_mul(ulysses)
}

/// GPUs that split matrices by `DeepSpeed`'s file, which the Trainer hands on (transformers 5.23.0, `trainer.py`, line 2600; accelerate
/// 1.15.0, `accelerator.py`, line 2154). The rules are of the texts that are printed, which have none.
pub(super) fn by_deepspeed(draft: &mut Draft) -> u64 {
    let tensor = draft.count("tensor_parallel.autotp_size").unwrap_or(1);
    if tensor > 1 {
        draft.overrule("plan.tensor_parallel");
    }
    tensor
}

/// Before Accelerate's words for groups of GPUs.
const GROUPS: &str = "parallelism_config.parallelism_config_";

/// Whether layers are recomputed: by the Trainer's switch, whose default is the framework's, or by FSDP.
pub(super) fn recompute(draft: &mut Draft, key: &str, default: bool) {
    let sharded = draft.tells("fsdp_config.activation_checkpointing", true);
    let word = |on: bool| if on { "full" } else { "none" };
    // axolotl's `offload` recomputes, and moves the inputs of layers to host memory.
    let own = draft
        .word(key)
        .and_then(|text| value::truth(&text).or_else(|| text.starts_with("offload").then_some(true)));
    match own {
        Some(on) => draft.set("plan.recompute", word(on || sharded)),
        None if sharded => draft.set("plan.recompute", "full"),
        None => draft.default(key, "plan.recompute", word(default)),
    }
}
