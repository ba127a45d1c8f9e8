//! Random cases, as many as asked for.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// How many cases a test takes: `usual`, or `share` in a thousand of those that `SHARDWISE_FUZZ_CASES` asks for over all
/// tests (`make test-fuzz`).
fn wanted(usual: u32, share: u64) -> u32 {
    match std::env::var("SHARDWISE_FUZZ_CASES") {
        Ok(total) => {
            let total: u64 = total.parse().expect("SHARDWISE_FUZZ_CASES is a number");
            u32::try_from((total * share).div_ceil(1000)).expect("at most 2^32 cases")
        }
        Err(_) => usual,
    }
}

fn runner(cases: u32, rng_seed: RngSeed) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, rng_seed, ..Config::default() })
}

/// Runs `check` on random cases and prints how many.
pub(crate) fn fuzz<S: Strategy>(name: &str, usual: u32, share: u64, cases: &S, check: impl Fn(S::Value)) -> u64 {
    let done = Cell::new(0);
    let result = runner(wanted(usual, share), RngSeed::Random).run(cases, |case| {
        done.set(done.get() + 1);
        check(case);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{name}: {error}");
    }
    println!("{name}: {} cases", done.get());
    done.get()
}

/// Runs `check` on random cases from a seed, on all cores, and prints how many; fails with what is wrong with any of them:
/// one fault among thousands is seen beside the others, not instead of them. Of a hundred cases `allowed` may fail.
pub(crate) fn survey<S: Strategy>(
    (seed, allowed): (u64, usize),
    (name, usual, share): (&str, u32, u64),
    cases: &S,
    check: impl Fn(&S::Value) -> Vec<String> + Sync,
) where
    S::Value: Send + Sync,
{
    let count = wanted(usual, share);
    let mut runner = runner(count, RngSeed::Fixed(seed));
    let all: Vec<S::Value> = (0..count).map(|_| cases.new_tree(&mut runner).unwrap().current()).collect();
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let own = check(case);
                    faults.lock().unwrap().extend(own);
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    println!("{name}: {count} cases");
    let said = format!("{} faults of {name}:\n{}", faults.len(), faults.join("\n"));
    let most = (count as usize * allowed).div_ceil(100);
    assert!(faults.len() <= most, "{said}");
    if !faults.is_empty() {
        println!("{said}");
    }
}
