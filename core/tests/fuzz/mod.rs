//! Random cases, as many as asked for.

use std::cell::Cell;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Runs `check` on random cases and prints how many. `SHARDWISE_FUZZ_CASES` says how many there are over all tests
/// (`make test-fuzz`), of which this one takes `share` in a thousand; without it there are `usual`.
pub(crate) fn fuzz<S: Strategy>(
    name: &str,
    usual: u32,
    share: u64,
    cases: &S,
    check: impl Fn(S::Value),
) -> u64 {
    fuzz_from(RngSeed::Random, (name, usual, share), cases, check)
}

/// The same from a seed.
pub(crate) fn fuzz_from<S: Strategy>(
    rng_seed: RngSeed,
    (name, usual, share): (&str, u32, u64),
    cases: &S,
    check: impl Fn(S::Value),
) -> u64 {
    let wanted = match std::env::var("SHARDWISE_FUZZ_CASES") {
        Ok(total) => {
            let total: u64 = total.parse().expect("SHARDWISE_FUZZ_CASES is a number");
            u32::try_from((total * share).div_ceil(1000)).expect("at most 2^32 cases")
        }
        Err(_) => usual,
    };
    let mut runner = TestRunner::new(Config {
        cases: wanted,
        failure_persistence: None,
        rng_seed,
        ..Config::default()
    });
    let done = Cell::new(0);
    let result = runner.run(cases, |case| {
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
