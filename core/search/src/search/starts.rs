//! Plans from which steps begin.

use super::candidate::Candidate;

/// Plans from which steps begin, the fastest first.
pub(super) const STARTS: usize = 32;
/// Of them, those that split the model alike: others than the fastest's are to be among them.
const ALIKE: usize = 3;

/// How a plan splits the model.
type Split = [u32; 6];

/// How a plan splits the model.
pub(super) fn of_split(of: &Candidate) -> Split {
    let layout = &of.plan.layout;
    [
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.context_parallel,
        layout.ulysses_parallel,
        layout.expert_parallel,
        layout.expert_tensor_parallel,
    ]
}

/// Those of `found`, the fastest first, from which steps begin.
pub(super) fn starts(found: &[Candidate]) -> impl Iterator<Item = &Candidate> {
    let mut splits: Vec<Split> = Vec::with_capacity(STARTS);
    let begins = move |own: &&Candidate| {
        let split = of_split(own);
        let begins = splits.iter().filter(|known| **known == split).count() < ALIKE;
        if begins {
            splits.push(split);
        }
        begins
    };
    found.iter().filter(begins).take(STARTS)
}
