//! Memory of the worst GPU while a model trains or is only evaluated, counted as Korthikanti et al. 2022, arXiv:2205.05198,
//! section 4, do.

mod kept;
mod loss;
mod phase;
mod step;
mod terms;
mod whole;

use crate::batch::{self, Batch, Largest};
use crate::context::{Context, Role};
use crate::weights::{RankWeights, Stage, States, adapter_states, training_states};
pub use kept::{Flight, KeptBlock, in_flight, kept_blocks, moved_activations, offloaded_activations};
pub use loss::Loss;
pub use phase::{Lengths, PhaseMemory, Use};
use shardwise_catalog::units::Bytes;
use shardwise_question::plan::Layout;
pub use step::{flat_gradients, largest_tensor, steps_in_place};
pub use terms::{Moment, Terms, gathers, offloads_gradients};
pub use whole::stays_gathered;

/// Memory of a role on the worst pipeline stage, calibrated.
#[must_use]
pub fn of_role(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch, usage: Use) -> PhaseMemory {
    let most = |largest| worst(context, role, layout, (batch, largest), usage).1;
    let expected = most(&batch.expected);
    if batch.longest == batch.expected {
        return expected;
    }
    let longest = most(&batch.longest);
    let (fixed, own) = expected.terms(Lengths::Expected);
    let (longest_fixed, longest_own) = longest.terms(Lengths::Expected);
    PhaseMemory { growth_gib: (longest_fixed - fixed, longest_own - own), ..expected }
}

/// Memory of a role on the worst pipeline stage with every sequence as long as any may be: all that a search asks for.
#[must_use]
pub fn of_role_at_longest(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: &Batch,
    usage: Use,
) -> PhaseMemory {
    let most = || worst(context, role, layout, (batch, &batch.longest), usage).1;
    // A plan of training alone is asked once: nobody else's update is as its own.
    if usage == Use::Train && context.job.workload.rl.is_none() {
        return most();
    }
    context.known.memory_at_longest(role, layout, (batch, usage), most)
}

/// What a role holds with lengths as the question has them, on the worst pipeline stage.
#[must_use]
pub fn terms(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch, usage: Use) -> Terms {
    worst(context, role, layout, (batch, &batch.expected), usage).0
}

/// The pipeline stage whose GPUs need most, by its terms, and what they come to.
fn worst(
    context: &Context<'_>,
    role: &Role<'_>,
    layout: &Layout,
    batch: (&Batch, &Largest),
    usage: Use,
) -> (Terms, PhaseMemory) {
    let of = |stage| {
        let terms = Terms::of(context, role, layout, batch, usage, stage);
        let memory = terms.memory(context, role);
        (terms, memory)
    };
    let first = of(Stage::First);
    if layout.pipeline_parallel == 1 {
        return first;
    }
    let larger = |a: (Terms, PhaseMemory), b: (Terms, PhaseMemory)| {
        if b.1.reserved_gib() > a.1.reserved_gib() { b } else { a }
    };
    let ends = larger(first, of(Stage::Last));
    // Where blocks differ, the stage behind a first one of small layers can hold more.
    if layout.pipeline_parallel > 2 && role.blocks.len() > 1 { larger(ends, of(Stage::Second)) } else { ends }
}

/// What a paged optimizer has in host memory at a step's peak, of one GPU: as much of what it pages as the card lacks.
#[must_use]
pub fn paged_out(context: &Context<'_>, role: &Role<'_>, layout: &Layout) -> Bytes {
    if !layout.optimizer.kind.row().paged {
        return Bytes::ZERO;
    }
    let sequences = context.job.workload.global_batch as f64;
    let batch = batch::split(context.job, layout, sequences, 0.0);
    let memory = of_role(context, role, layout, &batch, Use::Train);
    let over = memory.reserved_gib() - context.job.hardware.memory_gib;
    Bytes::from_gib(over.clamp(0.0, memory.paged_gib))
}

/// Model states of a role on a GPU of the stage that has most: see [`largest_stage`].
pub(crate) fn largest_states(context: &Context<'_>, role: &Role<'_>, layout: &Layout, usage: Use) -> States {
    largest(context, role, layout, usage).1
}

/// The pipeline stage that has most of a role's states: where blocks differ, one behind a first stage of small layers may
/// (`DeepSeek-V3` has three dense ones there).
#[must_use]
pub fn largest_stage(context: &Context<'_>, role: &Role<'_>, layout: &Layout, usage: Use) -> Stage {
    largest(context, role, layout, usage).0
}

fn largest(context: &Context<'_>, role: &Role<'_>, layout: &Layout, usage: Use) -> (Stage, States) {
    let of = |stage| {
        let rank = context.known.rank_weights(role, layout, stage);
        (stage, states(context, role, layout, usage, &rank))
    };
    let first = of(Stage::First);
    if layout.pipeline_parallel < 3 || role.blocks.len() < 2 {
        return first;
    }
    let second = of(Stage::Second);
    let all = |own: &States| own.parameters + own.gradients + own.optimizer;
    if all(&second.1) > all(&first.1) { second } else { first }
}

/// Model states of a role on one GPU with the weights of `rank`.
fn states(context: &Context<'_>, role: &Role<'_>, layout: &Layout, usage: Use, rank: &RankWeights) -> States {
    let gpus = context.training_gpus();
    let trained = if role.adapters > 0 {
        adapter_states(role, rank, layout, gpus, context.job.workload.quantized_base())
    } else {
        training_states(rank, layout, gpus)
    };
    match usage {
        Use::Train => trained,
        Use::Evaluate => States { parameters: trained.parameters, ..States::default() },
    }
}
