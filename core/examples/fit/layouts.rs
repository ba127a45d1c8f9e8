//! How far published runs went with layouts of a kind: what is beyond is taken to be slower and less certain.

use std::collections::BTreeMap;

use shardwise_core::batch;
use shardwise_core::coverage::Kind;
use shardwise_core::job::Job;
use shardwise_core::plan::{Layout, Plan};
use shardwise_core::workload::Rl;

/// Trainer, whether RL, whether experts.
pub(crate) type Alike = (&'static str, bool, bool);

/// The most of each, and the fewest layers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) experts_per_rank: f64,
    pub(crate) tokens: f64,
    pub(crate) pipeline_parallel: f64,
    pub(crate) layers_per_chunk: f64,
    pub(crate) virtual_pipeline: f64,
    pub(crate) sequence_split: f64,
    pub(crate) expert_tensor_parallel: f64,
}

fn alike(job: &Job, layout: &Layout) -> Alike {
    let kind = Kind::of(job, layout);
    (kind.framework, job.workload.rl.is_some(), kind.experts)
}

/// Of one run.
fn own(job: &Job, layout: &Layout) -> Range {
    let shape = &job.model.shape;
    let spread = job.workload.rl.as_ref().map_or(0.0, Rl::length_cv);
    let sequences = job.workload.global_batch as f64;
    let batch = batch::split(job, layout, sequences, spread);
    let chunks = f64::from(layout.pipeline_parallel) * f64::from(layout.virtual_pipeline);
    Range {
        experts_per_rank: (shape.num_experts as f64 / f64::from(layout.expert_parallel)).max(1.0),
        tokens: batch.mean.tokens,
        pipeline_parallel: f64::from(layout.pipeline_parallel),
        layers_per_chunk: shape.num_hidden_layers as f64 / chunks,
        virtual_pipeline: f64::from(layout.virtual_pipeline),
        sequence_split: f64::from(layout.sequence_split()),
        expert_tensor_parallel: f64::from(layout.expert_tensor_parallel),
    }
}

/// Of all runs of each kind, training and RL steps.
pub(crate) fn ranges<'a>(runs: impl Iterator<Item = (&'a Job, &'a Plan)>) -> BTreeMap<Alike, Range> {
    let mut found: BTreeMap<Alike, Range> = BTreeMap::new();
    for (job, plan) in runs {
        let own = own(job, &plan.layout);
        let all = found.entry(alike(job, &plan.layout)).or_insert(own);
        *all = Range {
            experts_per_rank: all.experts_per_rank.max(own.experts_per_rank),
            tokens: all.tokens.max(own.tokens),
            pipeline_parallel: all.pipeline_parallel.max(own.pipeline_parallel),
            layers_per_chunk: all.layers_per_chunk.min(own.layers_per_chunk),
            virtual_pipeline: all.virtual_pipeline.max(own.virtual_pipeline),
            sequence_split: all.sequence_split.max(own.sequence_split),
            expert_tensor_parallel: all.expert_tensor_parallel.max(own.expert_tensor_parallel),
        };
    }
    found
}
