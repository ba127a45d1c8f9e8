//! Fits the constants of `catalog/efficiency.toml` on kernels and published training, generation and RL runs,
//! and cross-validates them.
//!
//! `make fit` writes what it finds; `--check` (the test command) fails where the files say otherwise.
//! Written: `catalog/efficiency.toml` (values of fitted constants), `catalog/coverage.toml` (intervals, spreads of memory,
//! how far layouts went), `tests/data/cross-validation.csv` (errors by source, fitted and left out),
//! `../public/accuracy.json` (the accuracy page's data).
//!
//! What is fitted on what: kernels' rates on `tests/data/kernels.csv`; training's constants and intervals on the runs of
//! `tests/data/training.jsonl` with a throughput; spreads of memory on those with a memory figure that no `memory_doubt`
//! keeps out (`memory.rs`); engines' constants on vLLM's runs of `tests/data/rollout.csv`; RL trainers' on
//! `tests/data/rl.jsonl`; layouts' ranges on training runs and RL steps (`layouts.rs`).
#![allow(
    clippy::disallowed_methods,
    reason = "it runs natively alone, and rounds what it writes"
)]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

#[path = "../../tests/errors/mod.rs"]
mod errors;
mod files;
mod kernels;
mod layouts;
mod memory;
mod page;
mod parameters;
mod reinforcement;
mod report;
mod rollouts;
#[path = "../../tests/runs/mod.rs"]
mod runs;
mod solve;
mod validate;

use parameters::{PARAMETERS, Parameter};
use shardwise_core::efficiency::{EFFICIENCY, Efficiency};
use solve::Sample;

/// The rates that kernels decide.
fn with_kernels(mut base: Efficiency, rates: &[kernels::Rates]) -> Efficiency {
    for entry in base.kernels.to_mut() {
        let own = |rates: &&kernels::Rates| {
            rates.gpu == entry.name || rates.gpu.starts_with(&format!("{}-", entry.name))
        };
        if let Some(rates) = rates.iter().find(own) {
            entry.matmul = report::rounded(rates.matmul.share);
        }
    }
    base
}

fn print(parameters: &[Parameter], fitted: &Efficiency) {
    for parameter in parameters {
        let now = report::rounded(parameter.get(fitted));
        println!(
            "{:14} {:22} {now:>9.3e}, expected {:.3e}",
            parameter.entry, parameter.field, parameter.prior
        );
    }
}

fn main() {
    let check = std::env::args().any(|argument| argument == "--check");
    let rates = kernels::fit();
    print!("{}", kernels::table(&rates));
    let runs = runs::all();
    let samples = validate::samples(&runs);
    let base = with_kernels(EFFICIENCY.clone(), &rates);

    let used: Vec<&Sample> = samples.iter().flatten().collect();
    let fitted = solve::fitted(PARAMETERS, &base, &used, solve::SCALE);
    print(PARAMETERS, &fitted);
    let engines = rollouts::fit(&fitted);
    print(parameters::ENGINE, &engines.fitted);
    print!("{}", engines.summary);
    println!("half-widths {:?}", engines.widths);
    let steps = reinforcement::fit(&engines.fitted);
    print(parameters::WEIGHT_SYNC, &steps.fitted);
    print(parameters::REINFORCEMENT, &steps.fitted);
    print!("{}", steps.summary);
    println!("half-width {:?}", steps.width);
    let fitted = steps.fitted.clone();
    let validated = validate::cross_validate(&base, &fitted, &runs, &samples);
    print!("{}", validated.summary(&runs));

    let memory = memory::Memory::of(&runs, &fitted);
    print!("{}", memory.summary(&runs));

    let written = files::all(&files::Found {
        fitted: &fitted,
        rates: &rates,
        runs: &runs,
        samples: &samples,
        validated: &validated,
        engines: &engines,
        steps: &steps,
        memory: &memory,
    });
    if check {
        files::compare(&written);
    } else {
        files::write(&written);
    }
}
