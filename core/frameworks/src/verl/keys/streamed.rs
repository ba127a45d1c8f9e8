//! Keys of `verl.experimental.fully_async_policy`: a trainer of its own, whose engines send one sample after another
//! (verl 0.9.1, `config/fully_async_ppo_trainer.yaml`).

use super::common::{GPUS, Keys, LENGTH, NODES, POOL, VALIDATION};
use super::reinforcement::{pool, steps, streamed, updates};
use crate::binding::Meaning::{Field, Ignored, Renamed, Unmodelled};
use crate::binding::{Row, row, says, switch};
use crate::emit::words::plural;
use shardwise_catalog::units::shortest;

/// `rollout.`: the GPUs that generate, which its main program copies to `actor_rollout_ref.rollout.`.
pub(in crate::verl) const ENGINES: &[Row] = &[
    row("nnodes", POOL, |at| {
        streamed(at)?;
        says(pool(at)?.0, NODES)
    }),
    row("n_gpus_per_node", POOL, |at| {
        streamed(at)?;
        says(pool(at)?.1, GPUS)
    }),
    row("total_rollout_steps", Field("workload.run.steps"), |at| {
        let rl = streamed(at)?;
        match steps(at) {
            Some((steps, reason)) => {
                let prompts = steps.saturating_mul(rl.prompts_per_step);
                says(prompts, format!("prompts of {}: {reason}", plural(steps, "step", "steps")))
            }
            None => says("null", "every prompt of your data; this trainer's default stops after 100"),
        }
    }),
];

/// `async_training.`: how samples wait, and when weights go over.
pub(in crate::verl) const QUEUE: &[Row] = &[
    row("staleness_threshold", Field("workload.rl.max_staleness"), |at| {
        let bound = streamed(at)?.max_staleness;
        if bound > 0.0 {
            says(shortest(bound), "of a step's samples so much more may be under way, from your question")
        } else {
            says(0, "new weights wait for all of a step's samples, from your question")
        }
    }),
    row("require_batches", Field("workload.rl.prompts_per_step"), |at| {
        streamed(at)?;
        says(1, "a mini-batch trains as soon as it is there")
    }),
    row("trigger_parameter_sync_step", Field("workload.rl.prompts_per_step"), |at| {
        let rl = streamed(at)?;
        let (updates, prompts) = (updates(rl), plural(rl.prompts_per_step, "prompt", "prompts"));
        says(updates, format!("{}: new weights after {prompts}", plural(updates, "update", "updates")))
    }),
    row("partial_rollout", Field("workload.rl.partial_rollout"), |at| {
        let none = "no response is unfinished when new weights come";
        switch(streamed(at)?.partial_rollout, "unfinished responses go on with new weights", none)
    }),
    // fully_async_rollouter.py: prompts, each with all its responses.
    row("concurrent_samples_per_replica", Field("plan.rollout.max_num_seqs"), |at| {
        let rl = streamed(at)?;
        let own = at.rollout()?.max_num_seqs.div_ceil(rl.responses_per_prompt.max(1));
        says(own, "prompts under way on an engine: as many as max_num_seqs decodes together")
    }),
];

/// `rollout.`, in `one_step_off_policy` too.
pub(super) const ENGINES_READ: Keys = &[
    ("total_epochs", LENGTH),
    ("test_freq", VALIDATION),
    ("name", Renamed("actor_rollout_ref.rollout.name", "0.3.0")),
];

pub(super) const QUEUE_READ: Keys = &[
    ("use_rollout_log_probs", Field("workload.rl.old_log_prob")),
    ("compute_prox_log_prob", Unmodelled("the estimate takes workload.rl.old_log_prob")),
    ("*", Ignored("queues of the asynchronous trainer")),
];
