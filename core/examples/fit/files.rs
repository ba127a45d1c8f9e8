//! The files that the fit writes, and the comparison with those that are there.

use std::fmt::Write as _;
use std::path::PathBuf;

use shardwise_core::efficiency::Efficiency;

use crate::kernels::Rates;
use crate::page;
use crate::parameters::{ENGINE, PARAMETERS, Parameter, REINFORCEMENT};
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

pub(crate) fn all(
    fitted: &Efficiency,
    rates: &[Rates],
    runs: &[Run],
    samples: &[Option<Sample>],
    validated: &Validated,
    engines: &Engines,
    reinforcement: f64,
) -> Vec<Written> {
    vec![
        (path("catalog/efficiency.toml"), efficiency(fitted, rates)),
        (
            path("catalog/coverage.toml"),
            coverage(runs, samples, validated, engines, reinforcement),
        ),
        (
            path("tests/data/cross-validation.csv"),
            table(&validated.tables(runs)),
        ),
        (
            path("../public/accuracy.json"),
            page::data(runs, fitted, validated),
        ),
    ]
}

fn efficiency(fitted: &Efficiency, rates: &[Rates]) -> String {
    let place = path("catalog/efficiency.toml");
    let mut text = std::fs::read_to_string(&place)
        .unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    for entry in fitted.kernels.iter() {
        set(
            &mut text,
            "kernels",
            &entry.name,
            "matmul",
            &format!("{:?}", rounded(entry.matmul)),
        );
    }
    for entry in fitted.kernels.iter() {
        if let Some(own) = rates
            .iter()
            .find(|rates| rates.gpu.starts_with(entry.name.as_ref()))
        {
            let basis = format!(
                "\"{} bf16 products of 2,048 rows and more in core/tests/data/kernels.csv (aiconfigurator): median error {:.0} %. Attention over its architecture's: {} kernels there.\"",
                own.matmul.kernels,
                100.0 * own.matmul.error,
                own.attention.map_or(0, |fit| fit.kernels),
            );
            set(&mut text, "kernels", &entry.name, "basis", &basis);
        }
    }
    // DeepSpeed and plain data parallelism follow FSDP, early Megatron the later one: see `parameters::with`.
    let follow = [
        (
            "deepspeed",
            "fsdp",
            &["compute", "elementwise", "rl_layer_s", "rl_step_s"][..],
        ),
        (
            "ddp",
            "fsdp",
            &["compute", "elementwise", "rl_layer_s", "rl_step_s"],
        ),
        (
            "early_megatron",
            "megatron",
            &[
                "elementwise",
                "overlap",
                "step_s",
                "host_per_kernel_s",
                "rl_layer_s",
                "rl_expert_layer_s",
                "rl_step_s",
                "sync_gb_per_s",
            ],
        ),
        ("fsdp", "megatron", &["sync_gb_per_s"]),
        ("deepspeed", "megatron", &["sync_gb_per_s"]),
        ("ddp", "megatron", &["sync_gb_per_s"]),
    ];
    let outside_engine = |parameter: &&Parameter| parameter.entry != "engine";
    for parameter in PARAMETERS
        .iter()
        .chain(REINFORCEMENT.iter().filter(outside_engine))
    {
        let kind = match parameter.entry {
            "constant" => "constant",
            "megatron" | "early_megatron" | "fsdp" => "framework",
            _ => "architecture",
        };
        let value = format!("{:?}", rounded(parameter.get(fitted)));
        let (name, field) = match kind {
            "constant" => (parameter.field, "value"),
            _ => (parameter.entry, parameter.field),
        };
        set(&mut text, kind, name, field, &value);
        for (follower, leader, fields) in follow {
            if kind == "framework" && parameter.entry == leader && fields.contains(&parameter.field)
            {
                set(&mut text, kind, follower, parameter.field, &value);
            }
        }
    }
    let of_engine = REINFORCEMENT
        .iter()
        .filter(|parameter| !outside_engine(parameter));
    for parameter in ENGINE.iter().chain(of_engine) {
        let value = format!("{:?}", rounded(parameter.get(fitted)));
        if parameter.entry == "engine" {
            crate::report::set_in(&mut text, "[engine]\n", parameter.field, &value);
        } else {
            set(
                &mut text,
                "architecture",
                parameter.entry,
                parameter.field,
                &value,
            );
        }
    }
    text
}

fn coverage(
    runs: &[Run],
    samples: &[Option<Sample>],
    validated: &Validated,
    engines: &Engines,
    reinforcement: f64,
) -> String {
    let mut out = String::from(
        "# Written by `make fit` from core/tests/data/training.jsonl: do not edit.\n\
         # Half-widths, as logarithms, that hold 80 % of the runs of a source from constants fitted on the others.\n\
         # plain: dense models in 16 bits, where some other source covers the kind of run and where none does; involved:\n\
         # experts or fewer bits. memory: full-parameter training of Megatron and FSDP, adapters, anything else.\n\
         # generation: on an architecture that some vLLM run covers, and on another. reinforcement:\n\
         # RL steps (core/tests/data/rl.jsonl), each table from constants fitted on the others.\n",
    );
    let _ = writeln!(out, "plain = {:?}", validated.plain);
    let _ = writeln!(out, "involved = {:?}", validated.involved);
    let _ = writeln!(out, "generation = {:?}", engines.widths);
    let _ = writeln!(out, "generation_on = {:?}", engines.covered);
    let _ = writeln!(out, "reinforcement = {:?}", reinforcement);
    let _ = writeln!(out, "memory = {:?}\n", validated.memory_widths);
    for (kind, sources) in sources(runs, samples) {
        let _ = writeln!(
            out,
            "[[kinds]]\narchitecture = {:?}\nbits = {}\nframework = {:?}\nexperts = {}\nsources = {}\nruns = {}\n",
            kind.architecture,
            kind.bits,
            kind.framework,
            kind.experts,
            sources.len(),
            sources.values().sum::<usize>(),
        );
    }
    out
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
    assert!(
        stale.is_empty(),
        "Not what `make fit` writes:\n{}",
        stale.join("\n")
    );
    println!("1 passed, 0 failed");
}
