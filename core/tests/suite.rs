//! The tests of the core, as one program: linking one for each file took longer than running them.
//!
//! A file here is a module named below. Two are programs of their own, as they are built with other features or for
//! another machine: `command_line` (also without `serve`) and `wasm` (in a browser).
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::too_many_lines, reason = "a test is a list of what is tried")]
#![allow(clippy::disallowed_methods, reason = "they run natively")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod accuracy;
mod adapted;
mod advice;
mod agents;
mod ahead;
mod bad_input;
mod belonging;
mod between_phases;
mod by_framework;
mod calibration;
mod catalog;
mod check;
mod chinese;
mod config;
mod contribute;
mod decisions;
mod distillation;
mod doctor;
mod emit;
mod engines;
mod extremes;
mod golden;
mod guides;
mod handover;
mod images;
mod in_need;
mod instead;
mod laws;
mod layouts;
mod lengths;
mod llms;
mod logs;
mod market;
mod metamorphic;
mod methods;
mod native_loss;
mod operations;
mod optimizers;
mod own_gpu;
mod owned;
mod padded_responses;
mod parameters;
mod per_operator;
mod permalink;
mod pipelines;
mod preferences;
mod published;
mod read;
mod recipes;
mod remedies;
mod rl;
mod run_length;
mod scheduler;
mod search;
mod sensitivity;
#[cfg(feature = "serve")]
mod serve;
mod shared_base;
mod sources;
mod swapped_reference;
mod untried;
mod usual;
mod whole_gradients;
mod whole_run;
mod words;
mod zero_hosts;

// What they share.
mod cases;
mod errors;
mod fuzz;
mod generations;
mod questions;
mod runs;
mod said;

/// Cargo looks for no tests by itself here, so that a file which is named nowhere would never run.
#[test]
fn every_file_of_tests_runs() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let programs = include_str!("../Cargo.toml");
    let modules = include_str!("suite.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let module = modules.lines().any(|line| line == format!("mod {name};").as_str());
        let program = programs.contains(&format!("path = \"tests/{name}.rs\""));
        assert!(module || program, "tests/{name}.rs runs nowhere: name it in tests/suite.rs, `mod {name};`");
    }
}
