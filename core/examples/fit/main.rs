//! Fits the constants of `catalog/data/efficiency.toml` on kernels and published training, generation and RL runs,
//! and cross-validates them.
//!
//! `make fit` writes what it finds; `--check` (the test command) fails where the files say otherwise; `--meet FILE DAY` prints what runs
//! that are not in the fit are met with, for `tests/data/first-met.jsonl`.
//! Written: `catalog/data/efficiency.toml` (values of fitted constants), `catalog/data/coverage.toml` (intervals, spreads of memory,
//! how far layouts went), `tests/data/cross-validation.csv` (errors by source, fitted and left out),
//! `../public/{accuracy, runs, generation}.json` (the accuracy page's data: errors by group, the runs, the engines' runs).
//!
//! What is fitted on what: kernels' rates on `tests/data/kernels.csv`; training's constants and intervals on the runs of
//! `tests/data/training.jsonl` with a throughput, intervals also on what runs were met with at first (`first_met.rs`); spreads of memory on those with a memory figure that no `memory_doubt`
//! keeps out (`memory.rs`); engines' constants, each engine's and generation's by itself, on the batches of
//! `tests/data/rollout.csv` and the servers of `tests/data/serving.csv`; RL trainers' on `tests/data/rl.jsonl`; layouts' ranges on training runs and RL steps (`layouts.rs`).
//!
//! Kernels decide the matrix rates of a GPU. Few constants (sustained over benchmarked rates per architecture, attention, fp8 and
//! fp4, what a framework adds, links) are fitted together on the runs, by robust regression with priors. What was learnt:
//!
//! - fp8 benchmarks of inference kernels reach 1.15 times bf16 on Blackwell; training reaches far more. So fp8 and fp4 rates are
//!   fitted.
//! - On Hopper llm-foundry and torchtitan ran `FlashAttention`-2, Megatron cuDNN's kernels at more than twice its speed (`flash_2`).
//! - BLOOM's memory is Megatron-DeepSpeed's to 3 %: no sequence parallelism, and in bf16 gradients twice. So unfused attention,
//!   which only that code has, sets those defaults.
//! - An eager loss takes 12 bytes per logit, a fused one 4: torchtitan shows both within 5 %. Hence `fused_loss`.
//! - Megatron hides 0.42 of its data-parallel traffic, not the 0.9 once assumed: `SimuMax`'s, `InternEvo`'s and Megatron-Bridge's
//!   runs of few micro-batches agree, and the best measured layout is found in more groups of runs (`make layouts`).
//! - Megatron adds every micro-batch's weight gradients to a buffer: reading and writing it took the errors of left-out sources
//!   from 7.4 to 6.6 %, and is why experts are spread although their exchange costs.
//! - The same question in successive releases of Megatron-Bridge differs by up to 2.4 times: no estimate from a question can meet
//!   both.
//! - What Megatron-Bridge's recipes say beside its tables (who sends tokens, whether beside computation, what CUDA graphs replay) takes
//!   the errors of its runs from 7 (a tenth of them above 32) to 6 % (18): exchanges beside computation hide 0.6 of what has room, NCCL's
//!   all-to-all sends each visit to another node by itself, in 8 bits the host takes half a millisecond to launch an expert.
//! - DAPO's dynamic sampling generates two to three times what trains. Qwen3-14B's rollouts on H20 seemed four times too slow until
//!   the scripts beside the table showed `filter_groups` and a `gen_batch_size` of three times the batch. So a question states
//!   `oversampling`, and `dapo` assumes 2.3.
//! - Without CUDA graphs the host launches a dense layer in 0.35 ms and a layer of experts in 1 ms: the tail of a batch of long
//!   responses takes minutes.
//! - Queries that share a key fill a tile of 64 rows, however few they are (`wgmma`): on H20, whose tensor cores are slow for its
//!   memory, that and not bandwidth is what decoding attention costs.
//! - The host takes 5 to 6 ms per layer and micro-batch on Megatron in veRL, with experts or without. Long kernels hide all of it in
//!   dense layers there; on FSDP the GPU waits for the forward pass's third. That is what dynamic batching saves.
//! - A batch ends with the longest response of all its engines, not of a typical one, and where more responses wait than an engine
//!   takes, those in progress are of every age and hold more: both took the errors of left-out tables of RL steps from 17 to 13 %.
//! - Routing is uneven in RL: the busiest of 8 ranks has 1.6 times the mean, of 16 twice. Three runs that differ in their token
//!   budget only take 2 to 7 % less time with half as many tokens again: a fixed 11 ms per layer of experts says 20 %, this 12 %.
//! - Lengths that spread leave the cache room: vLLM's scheduler, simulated (`tests/scheduler.rs`), hardly preempts.
//! - Weights reach the engine tensor by tensor, whatever the links: 15 GB in 2.2 s from Megatron and half that from FSDP, 470 GB in
//!   25 s. The 5 s that the driver takes beside the phases were once counted among them.
//! - A server under a steady load is as much work as one batch of as many requests: time to the first token and per further one
//!   say its rate. Today's engines are 15 to 45 % faster than vLLM of 2024; what is left of a step is some 30 us a layer, 30 more for
//!   its experts, 85 more for `SGLang`'s sparse attention (GLM-5).
//! - The experts' products were charged for all experts however few a small batch visits: by those visited, servers with 4 to 16
//!   requests are met as well as those with 64.
//! - What quantises operands takes `SGLang` 14 us a layer, and vLLM at least as long: without, gpt-oss, whose experts' weights alone are
//!   narrow, came out a sixth too slow on every card.
//! - Engines heed the 8-bit cache that ModelOpt's fp8 and fp4 checkpoints ask for: with 16 bits, long responses came out a third too
//!   slow, and the bandwidth of the cache above the memory's.
//! - What stays far off (`DeepSeek` on 16 and 64 GPUs of an engine, 10 to 180 ms a token; first tokens after 9 s at 8 requests) has
//!   times that no other row of its kind has. 13 rows of Qwen3-235B on one H200 cannot be: its weights take 235 GB.
//! - Our own 39 steps of `transformers` 5.17 on one H200 (`tests/data/h200.jsonl`, `scripts/measure`) were met with 11 % at the median
//!   before they were in the fit, 2.2 to 5 times too fast where a micro-batch has 512 tokens: the host takes 4 ms per layer and
//!   micro-batch there. Their memory was 7 to 117 % too high: a loss of old `transformers`, an AdamW that is not fused, gradients while
//!   the loss is computed. Without recomputation it was a fifth too low: eager norms keep fp32 copies.
//! - Steps of models of 1 to 3 billion parameters came out up to twice too fast: small micro-batches of eager code wait for the
//!   host (`rl_floor_s`, 4.6 ms a layer), and veRL since 0.7 runs vLLM as a server, which takes 6.5 s to wake however small the
//!   model is.
//! - Megatron-Bridge's verification runs fine-tune by packs of 2,048 tokens, and came out 1.6 to 6 times too fast: a dense layer takes the
//!   host 5 ms and one with experts 12 to 20, whatever the split, which hides behind kernels where there are more tokens. With context
//!   parallelism their packs take six times as long still, which nothing here explains.
//! - NeMo AutoModel's pre-training came out twice too slow: where experts are split there is no wait for every layer of them. Its router is
//!   feigned so that a token's experts are neighbours on one or two GPUs, which `n_group` and `topk_group` state.
//! - NeMo-RL's token budgets are of a pack, which context parallelism splits: Qwen3-30B-A3B at 40,960 tokens, CP 8, has eight times
//!   as many micro-batches as was stated, and is still met with 46 % only.
//! - RL steps asked without the engine's release, eager mode and number of sequences are met within 48 % in nine of ten left-out
//!   cases, with them within 37: the interval is wider where a question leaves the engine open. Generation of a model that an
//!   engine has run is met much closer than that of another model or kind, which is what its two widths are.
//! - Four rollouts of Qwen2.5-32B with FSDP on H20 took twice as long as estimated, as if they had been filtered too; the one script
//!   there is says they were not.
#![allow(clippy::too_many_lines, reason = "a fit is told in its order")]
#![allow(clippy::disallowed_methods, reason = "it runs natively alone, and rounds what it writes")]
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod cards;
#[path = "../../tests/errors.rs"]
mod errors;
mod files;
mod first_met;
#[path = "../../tests/generations.rs"]
mod generations;
mod kernels;
mod layouts;
mod memory;
mod misses;
mod page;
mod parameters;
mod reinforcement;
mod report;
mod rollouts;
#[path = "../../tests/runs.rs"]
mod runs;
mod solve;
mod validate;

use parameters::{PARAMETERS, Parameter};
use shardwise_core::efficiency::{EFFICIENCY, Efficiency};
use solve::Sample;

/// The rates that kernels decide.
fn with_kernels(mut base: Efficiency, rates: &[kernels::Rates]) -> Efficiency {
    for entry in base.kernels.to_mut() {
        let own =
            |rates: &&kernels::Rates| rates.gpu == entry.name || rates.gpu.starts_with(&format!("{}-", entry.name));
        if let Some(rates) = rates.iter().find(own) {
            entry.matmul = report::rounded(rates.matmul.share);
        }
    }
    base
}

fn print(parameters: &[Parameter], fitted: &Efficiency) {
    for parameter in parameters {
        let now = report::rounded(parameter.get(fitted));
        println!("{:14} {:22} {now:>9.3e}, expected {:.3e}", parameter.entry, parameter.field, parameter.prior);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, meet, file, day] = arguments.as_slice()
        && meet == "--meet"
    {
        return first_met::meet(&std::fs::read_to_string(file).unwrap(), day);
    }
    let check = arguments.iter().any(|argument| argument == "--check");
    let rates = kernels::fit();
    print!("{}", kernels::table(&rates));
    let runs = runs::all();
    let samples = validate::samples(&runs);
    let base = with_kernels(EFFICIENCY.clone(), &rates);

    let used: Vec<&Sample> = samples.iter().flatten().collect();
    let fitted = solve::fitted(PARAMETERS, &base, &used, solve::SCALE);
    print(PARAMETERS, &fitted);
    let engines = rollouts::fit(&fitted);
    for engine in rollouts::ENGINES {
        print(&rollouts::parameters_of(engine), &engines.fitted);
    }
    print!("{}", engines.summary);
    for own in &engines.coverage {
        println!("{}: half-widths {:?} on {:?}", own.engine, own.widths, own.on);
    }
    let steps = reinforcement::fit(&engines.fitted);
    print(parameters::WEIGHT_SYNC, &steps.fitted);
    print(parameters::REINFORCEMENT, &steps.fitted);
    print!("{}", steps.summary);
    println!("half-widths {:?}", steps.widths);
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
