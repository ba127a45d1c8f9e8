//! What a turn needs by its token budget.

use super::turns::sequences;
use crate::batch;
use crate::context::Context;
use crate::turn::Turn;
use shardwise_question::plan::{Layout, MicroBatch};
use shardwise_question::workload::Rl;

/// What a turn needs by its token budget: linear between some budgets, the longest sequence's and a rank's whole batch's
/// among them.
#[derive(Clone, Debug)]
pub struct Budgets {
    /// Tokens of one GPU, and GiB that they need; rising.
    pub points: Vec<(u64, f64)>,
}

impl Budgets {
    /// Of a turn, as surely as `factor` says.
    pub(super) fn of(context: &Context<'_>, turn: &Turn<'_>, rl: &Rl, factor: f64) -> Self {
        let layout = &turn.layout;
        let sequences = sequences(rl, turn.phase, turn.usage);
        let split = u64::from(layout.sequence_split());
        let least = rl.max_length().div_ceil(split).max(1);
        let ranks = f64::from(layout.data_parallel(context.training_gpus()));
        let each = (sequences / ranks).max(1.0).ceil();
        let all = each * rl.max_length() as f64 / f64::from(layout.sequence_split());
        let most = (all.ceil() as u64).max(least);
        // Activations grow with the budget until those in flight are all that a rank has.
        let stages = u64::from(layout.pipeline_parallel);
        let mut tokens = vec![least, (most / stages.max(1)).max(least), most];
        tokens.dedup();
        let with = |tokens: u64| {
            let layout = Layout { micro_batch: MicroBatch::Tokens(tokens), ..*layout };
            let batch = batch::split(context.job, &layout, sequences, rl.length_cv());
            let turn = Turn { layout, batch, ..*turn };
            (tokens, turn.needed_at_longest(&turn.at_longest(context), factor))
        };
        Self { points: tokens.into_iter().map(with).collect() }
    }

    /// The two points between which `capacity_gib` lies, or twice the last; `None` where not even one sequence fits.
    pub fn around(&self, capacity_gib: f64) -> Option<[(u64, f64); 2]> {
        let within = |point: &&(u64, f64)| point.1 <= capacity_gib;
        let low = *self.points.iter().take_while(within).last()?;
        let above = self.points.iter().find(|point| point.1 > capacity_gib);
        Some([low, *above.unwrap_or(&low)])
    }

    /// The largest budget within `capacity_gib`, to a whole kilotoken; `None` where not even one sequence fits.
    pub(super) fn largest(&self, capacity_gib: f64) -> Option<u64> {
        let [low, high] = self.around(capacity_gib)?;
        let share = if high.1 > low.1 { (capacity_gib - low.1) / (high.1 - low.1) } else { 1.0 };
        let budget = low.0 + ((high.0 - low.0) as f64 * share) as u64;
        let least = self.points.first().map_or(1, |point| point.0);
        Some((budget / 1024 * 1024).max(least))
    }
}
