//! The files that the fit writes, and the comparison with those that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use shardwise_core::coverage::Kind;
use shardwise_core::efficiency::Efficiency;

use crate::cards::Cards;
use crate::kernels::Rates;
use crate::layouts;
use crate::memory::Memory;
use crate::page;
use crate::parameters::{PARAMETERS, Parameter, REINFORCEMENT, WEIGHT_SYNC};
use crate::reinforcement::Steps;
use crate::report::{rounded, set, table};
use crate::rollouts::{ENGINES, Engines, parameters_of};
use crate::runs::Run;
use crate::solve::Sample;
use crate::validate::{Validated, sources};

/// A file's path and text.
pub(crate) type Written = (PathBuf, String);

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// All that was fitted.
pub(crate) struct Found<'a> {
    pub(crate) fitted: &'a Efficiency,
    pub(crate) rates: &'a [Rates],
    pub(crate) runs: &'a [Run],
    pub(crate) samples: &'a [Option<Sample>],
    pub(crate) validated: &'a Validated,
    pub(crate) engines: &'a Engines,
    pub(crate) steps: &'a Steps,
    pub(crate) memory: &'a Memory,
}

pub(crate) fn all(found: &Found<'_>) -> Vec<Written> {
    let Found { runs, validated, .. } = found;
    let shown = page::shown(found);
    [
        (path("catalog/data/efficiency.toml"), efficiency(found.fitted, found.rates)),
        (path("catalog/data/coverage.toml"), coverage(found)),
        (path("tests/data/cross-validation.csv"), table(&validated.tables(runs))),
    ]
    .into_iter()
    .chain([(path("../README.md"), readme(&shown))])
    .chain(page::files(found, shown).map(|(name, text)| (path(&format!("../public/{name}")), text)))
    .collect()
}

/// The README with its table of errors.
fn readme(shown: &page::Shown) -> String {
    const BEGIN: &str = "<!-- errors: written by `make fit` -->\n";
    const END: &str = "<!-- errors end -->";
    let place = path("../README.md");
    let text = std::fs::read_to_string(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    let parts = text
        .split_once(BEGIN)
        .and_then(|(head, rest)| Some((head, rest.split_once(END)?)));
    let Some((head, (_, tail))) = parts else {
        panic!("{}: has no marks around its table of errors", place.display());
    };
    format!("{head}{BEGIN}{}{END}{tail}", shown.in_markdown())
}

fn efficiency(fitted: &Efficiency, rates: &[Rates]) -> String {
    let place = path("catalog/data/efficiency.toml");
    let mut text = std::fs::read_to_string(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    for entry in fitted.kernels.iter() {
        set(&mut text, "kernels", &entry.name, "matmul", &format!("{:?}", rounded(entry.matmul)));
    }
    for entry in fitted.kernels.iter() {
        if let Some(own) = rates.iter().find(|rates| rates.gpu.starts_with(entry.name.as_ref())) {
            let basis = format!(
                "\"{} bf16 products of 2,048 rows and more in core/tests/data/kernels.csv (aiconfigurator): median error {:.0} %. Attention over its architecture's: {} kernels there.\"",
                own.matmul.kernels,
                100.0 * own.matmul.error,
                own.attention.map_or(0, |fit| fit.kernels),
            );
            set(&mut text, "kernels", &entry.name, "basis", &basis);
        }
    }
    const EAGER: [&str; 7] =
        ["elementwise", "quantization", "rl_layer_s", "rl_floor_s", "rl_expert_layer_s", "rl_step_s", "rl_sync_s"];
    const DEEPSPEED: [&str; 2] = ["compute", "tune_step_s"];
    const HUGGING_FACE: [&str; 3] = ["adapter_bytes", "expert_layer_s", "tune_layer_s"];
    const IN_TRAINERS: [&str; 3] = ["eager_layer_s", "eager_expert_layer_s", "rl_sequence_s"];
    // DeepSpeed follows FSDP and, in adapters and experts, plain data parallelism, which follows FSDP in part; early Megatron
    // the later one: see `parameters::with`.
    let follow = [
        ("deepspeed", "fsdp", &EAGER[..]),
        ("deepspeed", "fsdp", &DEEPSPEED),
        ("ddp", "fsdp", &EAGER),
        ("fsdp", "ddp", &["tune_layer_s"]),
        ("deepspeed", "ddp", &HUGGING_FACE),
        ("vllm", "early_vllm", &IN_TRAINERS),
        ("sglang", "early_vllm", &IN_TRAINERS),
        ("tensorrt_llm", "early_vllm", &IN_TRAINERS),
        ("sglang", "vllm", &["wake_s"]),
        ("tensorrt_llm", "vllm", &["wake_s"]),
        (
            "early_megatron",
            "megatron",
            &[
                "elementwise",
                "narrow",
                "adapter_bytes",
                "overlap",
                "step_s",
                "tune_step_s",
                "host_per_kernel_s",
                "rl_layer_s",
                "rl_expert_layer_s",
                "expert_layer_s",
                "tune_layer_s",
                "rl_step_s",
                "rl_sync_s",
            ],
        ),
    ];
    let engines = ENGINES.into_iter().flat_map(parameters_of).collect::<Vec<Parameter>>();
    for parameter in PARAMETERS.iter().chain(WEIGHT_SYNC).chain(REINFORCEMENT).chain(&engines) {
        let kind = match parameter.entry {
            "constant" => "constant",
            "megatron" | "early_megatron" | "fsdp" | "ddp" => "framework",
            engine if ENGINES.contains(&engine) => "engine",
            name if fitted.kernels.iter().any(|own| own.name == name) => "kernels",
            _ => "architecture",
        };
        let value = format!("{:?}", rounded(parameter.get(fitted)));
        let (name, field) = match kind {
            "constant" => (parameter.field, "value"),
            _ => (parameter.entry, parameter.field),
        };
        set(&mut text, kind, name, field, &value);
        for (follower, leader, fields) in follow {
            if parameter.entry == leader && fields.contains(&parameter.field) {
                set(&mut text, kind, follower, parameter.field, &value);
            }
        }
    }
    text
}

fn coverage(found: &Found<'_>) -> String {
    let Found { runs, samples, validated, engines, .. } = found;
    let mut out = String::from(
        "# Written by `make fit` from core/tests/data/{training.jsonl, rollout.csv, serving.csv, rl.jsonl}: do not edit.\n\
         # Half-widths, as logarithms, that hold 80 % of the runs of a source from constants fitted on the others.\n\
         # plain: pre-training of dense models in 16 bits; tuned: fine-tuning of such models, adapters or all weights; low: dense models in\n\
         # fewer bits; experts: models with experts. Each where some other source covers the kind of run and, with experts, such a\n\
         # model; and where none does, for which all runs of a framework, task, GPU generation and precision are left out together,\n\
         # or what runs were off by when they were first met (core/tests/data/first-met.jsonl), if that is more.\n\
         # card: the least width on a card without runs, for which all runs on a GPU generation are left out.\n\
         # generation: by engine, of a kind (architecture, bits, experts) and a model that some of its runs covers, each model on a\n\
         # card in a precision from constants fitted on the others; of another kind or model, each kind (with its source) and\n\
         # each model from the others; and on an architecture without runs.\n\
         # reinforcement: RL steps of a kind (as of training runs) that some step covers, each table from constants fitted on the\n\
         # others; of another kind, each kind from the others, or what steps were off by when they were first met, if that is more; and\n\
         # each table asked without its engine's version, eager mode and\n\
         # number of sequences. memory: logarithms of needed over\n\
         # estimated memory, by kind (examples/fit/memory.rs); a kind that fewer than two sources measured is as wide as\n\
         # those like it. layouts: how far runs of a kind went (examples/fit/layouts.rs). cards: GPU types that runs are on.\n\
         # foreign: training and generation on AMD's cards with what is typical of all cards for AMD's own rates, for makers\n\
         # that are none of vendors, of whose cards fewer than two sources have runs (examples/fit/cards.rs).\n",
    );
    for (name, widths) in ["plain", "tuned", "low", "experts"].iter().zip(validated.widths) {
        let _ = writeln!(out, "{name} = {widths:?}");
    }
    let _ = writeln!(out, "card = {:?}", validated.card);
    let _ = writeln!(out, "reinforcement = {:?}", found.steps.widths);
    let left_out = &found.steps.left_out;
    let _ = writeln!(out, "reinforcement_runs = {}", left_out.0.len());
    let _ = writeln!(out, "reinforcement_median = {:?}", rounded(left_out.at(0.5)));
    let _ = writeln!(out, "engine_tensor_parallel = {:?}", f64::from(engine_tensor_parallel(found)));
    let on: Vec<&str> = found.memory.architectures().into_iter().collect();
    let _ = writeln!(out, "memory_on = {on:?}");
    let cards = Cards::of(found);
    let _ = writeln!(out, "foreign = {:?}\nvendors = {:?}\n", cards.foreign, cards.vendors);
    for (gpu, [training, generation, reinforcement]) in &cards.runs {
        let _ = writeln!(
            out,
            "[[cards]]\ngpu = {gpu:?}\ntraining = {training}\ngeneration = {generation}\nreinforcement = {reinforcement}\n"
        );
    }
    let experts = experts_of(samples);
    for (kind, tables) in sources(runs, samples) {
        let own = experts
            .get(&kind)
            .map(|own| format!("experts_of = {:?}\n", Vec::from_iter(own)))
            .unwrap_or_default();
        let _ = writeln!(out, "[[kinds]]\n{own}{}", written(kind, tables.len(), tables.values().sum()));
    }
    for (kind, tables) in &found.steps.kinds {
        let _ = writeln!(out, "[[reinforcement_kinds]]\n{}", written(*kind, tables.len(), tables.values().sum()));
    }
    for own in &engines.coverage {
        let _ = writeln!(
            out,
            "[[generation]]\nengine = {:?}\nhalf_widths = {:?}\non = {:?}\nkinds = {}\nmodels = {:?}\nruns = {}\n",
            own.engine,
            own.widths,
            own.on,
            listed(&own.kinds),
            own.models,
            own.runs,
        );
    }
    for own in found.memory.fitted() {
        let _ = writeln!(
            out,
            "[[memory]]\nkind = {:?}\nmedian = {:?}\nabove = {:?}\nbelow = {:?}\nsources = {}\nruns = {}\n",
            own.kind, own.spread.median, own.spread.above, own.spread.below, own.sources, own.runs,
        );
    }
    let training = samples.iter().flatten().map(|own| (&own.job, &own.plan));
    let steps = found.steps.plans.iter().map(|(job, plan)| (job, plan));
    for ((framework, reinforcement, experts), range) in layouts::ranges(training.chain(steps)) {
        let _ = writeln!(
            out,
            "[[layouts]]\nframework = {framework:?}\nreinforcement = {reinforcement}\nexperts = {experts}\n\
             experts_per_rank = {:?}\ntokens = {:?}\npipeline_parallel = {:?}\nlayers_per_chunk = {:?}\n\
             virtual_pipeline = {:?}\nsequence_split = {:?}\nexpert_tensor_parallel = {:?}\n",
            range.experts_per_rank,
            range.tokens.round(),
            range.pipeline_parallel,
            (10.0 * range.layers_per_chunk).round() / 10.0,
            range.virtual_pipeline,
            range.sequence_split,
            range.expert_tensor_parallel,
        );
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// Width and number of the experts that the runs of a kind had.
fn experts_of(samples: &[Option<Sample>]) -> BTreeMap<Kind, BTreeSet<[u64; 2]>> {
    let mut found: BTreeMap<Kind, BTreeSet<[u64; 2]>> = BTreeMap::new();
    for own in samples.iter().flatten().filter(|own| own.job.model.shape.num_experts > 0) {
        let shape = &own.job.model.shape;
        let kind = Kind::of(&own.job, &own.plan.layout);
        found.entry(kind).or_default().insert([shape.hidden_size, shape.num_experts]);
    }
    found
}

/// A kind of run, with the sources and runs that cover it.
fn written(kind: Kind, sources: usize, runs: usize) -> String {
    let Kind { architecture, bits, framework, task, experts } = kind;
    format!(
        "architecture = {architecture:?}\nbits = {bits}\nframework = {framework:?}\ntask = {task:?}\nexperts = {experts}\n\
         sources = {sources}\nruns = {runs}\n"
    )
}

/// Kinds of generation as TOML has them.
fn listed(kinds: &[(&str, u8, bool)]) -> String {
    let all: Vec<String> = kinds
        .iter()
        .map(|(architecture, bits, experts)| format!("[{architecture:?}, {bits}, {experts}]"))
        .collect();
    format!("[{}]", all.join(", "))
}

/// Most GPUs of an engine that splits matrices, alone or in an RL step.
fn engine_tensor_parallel(found: &Found<'_>) -> u32 {
    let steps = found.steps.plans.iter();
    let engines = steps.filter_map(|(_, plan)| Some(plan.rollout?.tensor_parallel));
    engines.max().unwrap_or(1).max(found.engines.tensor_parallel)
}

pub(crate) fn write(files: &[Written]) {
    for (path, text) in files {
        std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        println!("wrote {}", path.display());
    }
}

/// Whether two texts differ by more than the last digit of a number: machines differ in that.
fn differ(a: &str, b: &str) -> Option<String> {
    let split = |text: &str| -> Vec<String> {
        text.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '-' || c == '_'))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (split(a), split(b));
    if a.len() != b.len() {
        return Some(format!("{} words became {}", a.len(), b.len()));
    }
    a.iter().zip(&b).find_map(|(a, b)| {
        let close = match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => (a - b).abs() <= 0.011 * a.abs().max(b.abs()).max(0.2),
            _ => a == b,
        };
        (!close).then(|| format!("{a} became {b}"))
    })
}

/// Fails where a file is not what the fit writes.
pub(crate) fn compare(files: &[Written]) {
    let mut stale = Vec::new();
    for (path, text) in files {
        let there = std::fs::read_to_string(path).unwrap_or_default();
        if let Some(difference) = differ(&there, text) {
            stale.push(format!("{}: {difference}", path.display()));
        }
    }
    assert!(stale.is_empty(), "Not what `make fit` writes:\n{}", stale.join("\n"));
    println!("1 passed, 0 failed");
}
