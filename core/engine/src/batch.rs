//! How a global batch becomes micro-batches on each GPU.

use crate::layer::Slice;
use crate::lengths::{Responses, busiest};
use shardwise_question::complete::training_gpus;
use shardwise_question::framework::pads_whole_batches;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch};
use shardwise_question::wire::Backend;
use shardwise_question::workload::{Rl, Workload, attention_length};

/// Share of a token budget that dynamic batching fills, on average: first-fit over sequences that
/// are short against the budget (veRL's `rearrange_micro_batches`, `utils/seqlen_balancing.py`).
const PACKING: f64 = 0.93;

/// The longest sequence of a mini-batch, in standard deviations above the mean: of some hundred sequences.
const LONGEST: f64 = 2.5;

/// Standard deviation of lengths over their mean where a question states that they vary and not by how much, and of prompts:
/// assumed, as of responses.
pub const SPREAD: f64 = 0.5;

/// How many standard deviations the fullest mini-batch of a run of some hundred steps lies above the mean one.
const FULLEST: f64 = 3.0;

/// The micro-batches of one data-parallel rank in one optimizer step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    /// Micro-batches.
    pub micro_batches: f64,
    /// The mean micro-batch on one GPU.
    pub mean: Slice,
    /// What memory must hold with lengths as the question has them.
    pub expected: Largest,
    /// What memory must hold where every sequence is as long as any may be.
    pub longest: Largest,
    /// Non-padding tokens of the step over all GPUs.
    pub tokens: f64,
}

/// What is on a GPU at once, at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Largest {
    /// The largest micro-batch on one GPU.
    pub slice: Slice,
    /// Micro-batches of which there can be activations at once: as many as a rank's tokens fill. A pipeline may hold fewer.
    pub micro_batches: f64,
}

/// The micro-batches of one update of the actor.
#[must_use]
pub fn of_update(job: &Job, layout: &Layout) -> Batch {
    let spread = job.workload.rl.as_ref().map_or(job.workload.sequence_length_cv, Rl::length_cv);
    split(job, layout, job.workload.global_batch as f64, spread)
}

/// What ranks that get their samples in the order of the batch have to wait for; 1 where tokens are shared evenly.
fn waits(job: &Job, per_rank: f64, spread: f64, ranks: f64) -> f64 {
    let unbalanced = job.workload.rl.as_ref().filter(|rl| !rl.balance_batch);
    unbalanced.map_or(1.0, |rl| busiest(spread, per_rank / rl.responses_per_prompt as f64, ranks))
}

/// Tokens that a pass computes on for each sequence, on average: its own where sequences stand side by side, else those of the one
/// that it is padded to. Where a framework pads responses to the longest of a generation, a GPU has as many of these as come of its
/// share. What trains without RL is padded to the longest of its micro-batch, as the collators of Hugging Face's trainers do
/// (`DataCollatorForSeq2Seq` and `pad` of `transformers/data/data_collator.py` of 5.17, TRL's of `trainer/sft_trainer.py`), in NeMo-RL
/// of the whole batch, and on Megatron to the longest of all, as what its stages exchange has one shape.
#[must_use]
pub fn length(job: &Job, layout: &Layout) -> f64 {
    let workload = &job.workload;
    fixed_length(job, layout.backend).unwrap_or_else(|| {
        let mean = workload.mean_sequence_length;
        let each = workload.sequences_per_example() as f64;
        let beside = match layout.micro_batch {
            _ if pads_whole_batches(job.framework.map(|own| own.id)) => workload.global_batch as f64 * each,
            MicroBatch::Sequences(micro) => micro as f64 * each,
            MicroBatch::Tokens(budget) => (budget as f64 / mean).max(1.0),
        };
        let lengths = Responses::new(mean, spread_of(workload), workload.sequence_length as f64);
        lengths.longest_of(beside).max(mean)
    })
}

/// Where [`length`] is the same whatever the micro-batches are.
fn fixed_length(job: &Job, backend: Backend) -> Option<f64> {
    let workload = &job.workload;
    let longest = workload.sequence_length as f64;
    match &workload.rl {
        _ if workload.packing => Some(workload.mean_sequence_length),
        Some(rl) if job.pads_responses() => {
            let each = rl.sequences() as f64 / f64::from(rl.train_gpus.max(1));
            let most = rl.max_response_length as f64;
            let responses = Responses::new(rl.mean_response_length, rl.response_length_cv, most);
            let written = responses.longest_of(each).max(rl.mean_response_length);
            Some((rl.max_prompt_length as f64 + written).min(longest))
        }
        None if workload.varies() && backend != Backend::Megatron => None,
        _ => Some(longest),
    }
}

/// The least that [`length`] is on a backend, whatever the micro-batches are.
#[must_use]
pub fn least_length(job: &Job, backend: Backend) -> f64 {
    fixed_length(job, backend).unwrap_or(job.workload.mean_sequence_length)
}

/// Whether how much lengths vary is assumed, and says how much is padded.
#[must_use]
pub fn assumes_spread(job: &Job, layout: &Layout) -> bool {
    let workload = &job.workload;
    let by_batch = fixed_length(job, layout.backend).is_none() && workload.sequence_length_cv <= 0.0;
    by_batch && length(job, layout) > workload.mean_sequence_length
}

fn spread_of(workload: &Workload) -> f64 {
    if workload.sequence_length_cv > 0.0 { workload.sequence_length_cv } else { SPREAD }
}

/// The longest sequence that an RL step mostly sees: prompt and response by themselves, each with what is usual or stated of it. A pass
/// may have several of these: veRL sorts a rank's sequences (`_balance_batch` of `trainer/ppo/ray_trainer.py` of 0.9.1), and elsewhere
/// the responses of a prompt are neighbours (`SampleBasedBatchIterator` of `SkyRL`'s
/// `backends/skyrl_train/workers/worker_utils.py`), which are alike.
fn long_one(rl: &Rl) -> f64 {
    let of = |mean: f64, spread: f64, most: u64| (mean * (1.0 + LONGEST * spread)).min(most as f64);
    of(rl.mean_prompt_length, SPREAD, rl.max_prompt_length)
        + of(rl.mean_response_length, rl.response_length_cv, rl.max_response_length)
}

/// Splits `examples` over the layout's data-parallel ranks: sequences, or pairs of them.
#[must_use]
pub fn split(job: &Job, layout: &Layout, examples: f64, spread: f64) -> Batch {
    let workload = &job.workload;
    let each = workload.sequences_per_example() as f64;
    let sequences = examples * each;
    let longest = workload.sequence_length as f64;
    let mean = workload.mean_sequence_length;
    let length = length(job, layout);
    let ranks = f64::from(layout.data_parallel(training_gpus(job)));
    let parts = f64::from(layout.sequence_split());
    let per_rank = (sequences / ranks).max(each);
    // Ranks get equal numbers of tokens, as far as whole sequences allow: the longest one is the least that the busiest
    // has (Karmarkar and Karp's differencing in veRL, `utils/seqlen_balancing.py`).
    let widest = if workload.packing { longest } else { length };
    let longest_seen = (length * (1.0 + LONGEST * spread)).min(widest);
    let even = per_rank * length;
    let shared = (even * waits(job, per_rank, spread, ranks)).min(per_rank * widest);
    let busiest = if ranks > 1.0 { shared.max(longest_seen) } else { even };
    let seen = attention_length(length, if workload.packing { spread } else { 0.0 }, longest);
    let slice = |tokens: f64| Slice { tokens: tokens / parts, attention_length: seen, sequences: tokens / length };
    let tokens = sequences * mean;
    match layout.micro_batch {
        MicroBatch::Sequences(micro) => {
            let micro = (micro as f64 * each).min((per_rank / each).ceil() * each);
            let micro_batches = (per_rank / micro).ceil();
            let largest = |tokens: f64| Largest {
                slice: Slice { tokens: tokens / parts, attention_length: longest, sequences: micro },
                micro_batches,
            };
            // Where sequences stand side by side, one of them is as long as any may be, and the others as the longest that are seen.
            let others = workload.rl.as_ref().filter(|_| workload.packing).map_or(longest, long_one);
            Batch {
                micro_batches,
                mean: slice((micro * length).max(busiest / micro_batches)),
                expected: largest(longest + (micro - 1.0) * others),
                longest: largest(micro * longest),
                tokens,
            }
        }
        MicroBatch::Tokens(budget) => {
            let capacity = (budget as f64 * parts).max(longest.min(mean * per_rank));
            let micro_batches = (busiest / (capacity * PACKING)).ceil().max(1.0);
            // A rank holds no more than its tokens, however many micro-batches its pipeline could.
            let largest = |rank: f64, attention_length: f64| {
                let rank = rank.max(longest);
                let tokens = capacity.min(rank);
                // As many as the tokens are of where all are of mean length: the images of no more are at once.
                let sequences = (tokens / length).min(per_rank.ceil());
                let slice = Slice { tokens: tokens / parts, attention_length, sequences };
                Largest { slice, micro_batches: rank / tokens }
            };
            let most = per_rank.ceil() * longest;
            let fullest = busiest * (1.0 + FULLEST * spread / per_rank.sqrt());
            Batch {
                micro_batches,
                mean: slice(busiest / micro_batches),
                expected: largest(fullest.min(most), seen),
                longest: largest(most, longest),
                tokens,
            }
        }
    }
}
