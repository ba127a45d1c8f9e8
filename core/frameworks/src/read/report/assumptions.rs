//! What a reading assumed, by how much it matters.

use super::{Assumed, Reading};

impl Reading {
    /// What is guessed and decides whether a run fits: what is trained, on what, how long the sequences are, how the states are split.
    pub fn guessed(&self) -> impl Iterator<Item = &Assumed> {
        self.assumed.iter().filter(|one| one.guessed && DECISIVE.contains(&&*one.field))
    }

    /// What is assumed that moves an answer most, at most `count`: the GPU and how many, the model, lengths, batches.
    #[must_use]
    pub fn matters(&self, count: usize) -> Vec<&Assumed> {
        let mut found: Vec<(usize, &Assumed)> = self
            .assumed
            .iter()
            .filter_map(|one| {
                let at = MATTERS.iter().position(|field| one.field.starts_with(field))?;
                Some((at, one))
            })
            .collect();
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().take(count).map(|(_, one)| one).collect()
    }
}

/// Fields that move memory by themselves: a guess of one is a guess of whether it fits.
const DECISIVE: &[&str] = &[
    "model",
    "hardware.gpu",
    "hardware.gpus",
    "workload.kind",
    "workload.precision",
    "workload.sequence_length",
    "workload.rl.max_prompt_length",
    "workload.rl.max_response_length",
    "workload.rl.critic",
    "plan.backend",
    "plan.zero_stage",
];

/// Fields by how much a wrong one moves an answer.
const MATTERS: &[&str] = &[
    "model",
    "hardware.gpus",
    "hardware.gpu",
    "workload.rl.mean_response_length",
    "workload.sequence_length",
    "workload.kind",
    "workload.rl.max_response_length",
    "workload.rl.prompts_per_step",
    "workload.global_batch",
    "workload.rl.oversampling",
    "plan.backend",
    "workload.rl.responses_per_prompt",
    "plan.micro_batch",
    "workload.rl.mean_prompt_length",
    "workload",
    "plan",
];
