//! The files that the fit writes, and the comparison with those that are there.

use std::fmt::Write as _;
use std::path::PathBuf;

use shardwise_core::efficiency::Efficiency;

use crate::kernels::Rates;
use crate::layouts;
use crate::memory::Memory;
use crate::page;
use crate::parameters::{ENGINE, PARAMETERS, Parameter, REINFORCEMENT, WEIGHT_SYNC};
use crate::reinforcement::Steps;
use crate::report::{rounded, set, table};
use crate::rollouts::Engines;
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
    [
        (path("catalog/data/efficiency.toml"), efficiency(found.fitted, found.rates)),
        (path("catalog/data/coverage.toml"), coverage(found)),
        (path("tests/data/cross-validation.csv"), table(&validated.tables(runs))),
    ]
    .into_iter()
    .chain(page::files(found).map(|(name, text)| (path(&format!("../public/{name}")), text)))
    .collect()
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
    const EAGER: [&str; 8] = [
        "compute",
        "elementwise",
        "quantization",
        "adapter_bytes",
        "tune_step_s",
        "rl_layer_s",
        "rl_step_s",
        "rl_sync_s",
    ];
    // DeepSpeed and plain data parallelism follow FSDP, early Megatron the later one: see `parameters::with`.
    let follow = [
        ("deepspeed", "fsdp", &EAGER[..]),
        ("ddp", "fsdp", &EAGER),
        (
            "early_megatron",
            "megatron",
            &[
                "elementwise",
                "adapter_bytes",
                "overlap",
                "step_s",
                "tune_step_s",
                "host_per_kernel_s",
                "rl_layer_s",
                "rl_expert_layer_s",
                "rl_step_s",
                "rl_sync_s",
            ],
        ),
    ];
    let outside_engine = |parameter: &&Parameter| parameter.entry != "engine";
    for parameter in PARAMETERS
        .iter()
        .chain(WEIGHT_SYNC)
        .chain(REINFORCEMENT.iter().filter(outside_engine))
    {
        let kind = match parameter.entry {
            "constant" => "constant",
            "megatron" | "early_megatron" | "fsdp" => "framework",
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
            if kind == "framework" && parameter.entry == leader && fields.contains(&parameter.field) {
                set(&mut text, kind, follower, parameter.field, &value);
            }
        }
    }
    let of_engine = REINFORCEMENT.iter().filter(|parameter| !outside_engine(parameter));
    for parameter in ENGINE.iter().chain(of_engine) {
        let value = format!("{:?}", rounded(parameter.get(fitted)));
        if parameter.entry == "engine" {
            crate::report::set_in(&mut text, "[engine]\n", parameter.field, &value);
        } else {
            set(&mut text, "architecture", parameter.entry, parameter.field, &value);
        }
    }
    text
}

fn coverage(found: &Found<'_>) -> String {
    let Found { runs, samples, validated, engines, .. } = found;
    let mut out = String::from(
        "# Written by `make fit` from core/tests/data/{training.jsonl, rollout.csv, rl.jsonl}: do not edit.\n\
         # Half-widths, as logarithms, that hold 80 % of the runs of a source from constants fitted on the others.\n\
         # plain: dense models in 16 bits, where some other source covers the kind of run and where none does, for which all\n\
         # runs of a framework, task, GPU generation and precision are left out together; involved: experts or fewer bits.\n\
         # generation: on an architecture that some vLLM run covers, and on another.\n\
         # reinforcement: RL steps, each table from constants fitted on the others. memory: logarithms of needed over\n\
         # estimated memory, by kind (examples/fit/memory.rs); a kind that fewer than two sources measured is as wide as\n\
         # those like it. layouts: how far runs of a kind went (examples/fit/layouts.rs).\n",
    );
    let _ = writeln!(out, "plain = {:?}", validated.plain);
    let _ = writeln!(out, "involved = {:?}", validated.involved);
    let _ = writeln!(out, "generation = {:?}", engines.widths);
    let _ = writeln!(out, "generation_on = {:?}", engines.covered);
    let _ = writeln!(out, "reinforcement = {:?}", found.steps.width);
    let left_out = &found.steps.left_out;
    let _ = writeln!(out, "reinforcement_runs = {}", left_out.0.len());
    let _ = writeln!(out, "reinforcement_median = {:?}", rounded(left_out.at(0.5)));
    let _ = writeln!(out, "engine_tensor_parallel = {:?}", f64::from(engine_tensor_parallel(found)));
    let on: Vec<&str> = found.memory.architectures().into_iter().collect();
    let _ = writeln!(out, "memory_on = {on:?}\n");
    for (kind, sources) in sources(runs, samples) {
        let _ = writeln!(
            out,
            "[[kinds]]\narchitecture = {:?}\nbits = {}\nframework = {:?}\ntask = {:?}\nexperts = {}\nsources = {}\nruns = {}\n",
            kind.architecture,
            kind.bits,
            kind.framework,
            kind.task,
            kind.experts,
            sources.len(),
            sources.values().sum::<usize>(),
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
             experts_per_rank = {:?}\ntokens = {:?}\nlayers_per_chunk = {:?}\nvirtual_pipeline = {:?}\n\
             sequence_split = {:?}\nexpert_tensor_parallel = {:?}\n",
            range.experts_per_rank,
            range.tokens.round(),
            (10.0 * range.layers_per_chunk).round() / 10.0,
            range.virtual_pipeline,
            range.sequence_split,
            range.expert_tensor_parallel,
        );
    }
    out.truncate(out.trim_end().len());
    out + "\n"
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
