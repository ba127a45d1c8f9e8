//! Memory and time of one plan, and whether it fits.
//!
//! A training step:
//!
//! 1. Every matrix product costs launch, arithmetic and traffic ([`kernels`]), with rates from `efficiency.toml`; attention,
//!    norms and activations likewise. [`layer`] adds them up per block and pass, with recomputation.
//! 2. Collectives cost latency and bytes over the slowest link of their ring ([`communication`]); tensor-, context- and
//!    expert-parallel ones are charged per block, pipeline sends per micro-batch.
//! 3. [`training`] takes the slowest stage, multiplies by the micro-batches, adds the bubble, what of data-parallel traffic
//!    computation cannot hide, the optimizer, offload, and the host's time where kernels are too small for it.
//! 4. [`memory`] takes the worst of the first, second and last stage at its worst moment (the loss, a block's backward pass,
//!    the optimizer's step): states by `ZeRO` stage, gathered weights, activations in flight, logits.
//! 5. [`coverage`] puts an interval around it, as wide as sources left out of the fit were off; [`fit`] decides by it.
//!
//! A step on preference data ([`given`]) is such an update and what is evaluated of each batch before it.
//!
//! An RL step ([`rl`]) is several of these and a generation phase ([`rollout`]): full engine steps while requests wait, then a
//! batch that shrinks as responses end; the busiest engine decides. A teacher works beside the student as a reference does, or
//! beside generation on GPUs of its own ([`served`]). [`step`] puts together what the schedule lets overlap.
//!
//! A whole run ([`run`]) is its steps, and where the question asks start-up, evaluation, checkpoints and failures.
//!
//! The constants are fitted on published runs by `examples/fit`, whose documentation says what was learnt.

mod activations;
pub mod batch;
pub mod blocks;
pub mod checkpoint;
pub mod communication;
pub mod context;
pub mod coverage;
pub mod distilled;
pub mod fit;
pub mod flops;
pub mod given;
pub mod host;
pub mod kernels;
mod known;
pub mod layer;
pub mod lengths;
pub mod memory;
pub mod phase;
pub mod possible;
pub mod rl;
pub mod role;
pub mod rollout;
pub mod run;
pub mod served;
pub mod step;
pub mod tower;
pub mod training;
pub mod turn;
pub mod weights;
pub mod zero_infinity;
