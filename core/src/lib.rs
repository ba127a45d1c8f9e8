//! Memory, speed and cost of fine-tuning and RL-training language models, and the flags to run it.
//!
//! A [`Question`] names a model, GPUs, a workload and, as far as it is decided, a plan.
//! [`estimate()`] answers it; [`search()`] ranks every legal plan; [`sensitivity()`] says what each change is worth;
//! [`flags()`] prints texts to paste.
//! The crate is pure: no clock, no I/O, no randomness, no web. Figures come from the [`catalog`],
//! each with its source; formulas cite theirs.
//!
//! Quantities carry their unit ([`units`]); bandwidth is per GPU and one direction, rates are dense,
//! one multiply-add is two operations.

pub use shardwise_catalog::{catalog, efficiency, encoding, error, hardware, json, model, ordered, spread, units};
pub use shardwise_engine::{
    batch, blocks, communication, context, coverage, fit, flops, host, kernels, layer, memory, rl, role, rollout, run,
    step, training, weights, zero_infinity,
};
pub use shardwise_frameworks::{doctor, emit, log, read};
pub use shardwise_question::{
    adapters, belonging, complete, engines, framework, job, market, operations, optimizer, permalink, plan, presets,
    recipes, sheet, task, usual, wire, workload, zero_needs,
};
pub use shardwise_search::{advice, calibration, neighbours, search, sensitivity};

pub use shardwise_explain as methods;
pub use shardwise_rules as rules;

pub mod identity;
pub mod interface;
pub mod words;

pub use shardwise_catalog::{Caveat, InputError};
pub use shardwise_frameworks::{defaults, evaluate_for, flags, serves};
pub use shardwise_question::{Answer, Question};
pub use shardwise_search::{
    Evaluated, Objective, SearchResult, advise, answer, estimate, evaluate, evaluate_alone, evaluate_open,
    evaluate_with,
};
