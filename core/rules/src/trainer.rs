//! Hugging Face's Trainer with FSDP2 or plain data parallelism: what LLaMA-Factory and axolotl share.

use super::Rules;
use super::deepspeed::micro;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, Recompute};
use shardwise_question::task::Task;
use shardwise_question::wire::{Backend, WorkloadKind};

impl Rules {
    /// Tasks of both; `name` is the framework's.
    pub(super) fn fine_tunes(&mut self, kind: WorkloadKind, name: &str) {
        match kind.task() {
            Task::Rl(_) => self.refuse(
                "workload.kind",
                format!("{name}'s own reinforcement learning is not laid out here. Take veRL's or ChatLearn's flags."),
            ),
            Task::Generate => self
                .refuse("workload.kind", format!("{name} trains; for generation alone start vLLM or SGLang itself.")),
            Task::Train => {}
        }
    }

    /// Hugging Face's models know no selective recomputation.
    pub(super) fn whole_layers(&mut self, layout: &Layout) {
        self.require(!matches!(layout.recompute, Recompute::Selective(_)), "plan.recompute", || {
            "Hugging Face models recompute whole layers or nothing. Set recompute to full or none.".into()
        });
    }

    /// A batch is a whole number of passes on every rank.
    pub(super) fn whole_passes(&mut self, layout: &Layout, job: &Job) {
        let dp = u64::from(layout.data_parallel(job.hardware.gpus));
        let batch = job.workload.global_batch;
        let per_step = micro(layout, job.workload.sequence_length).saturating_mul(dp);
        self.divides(per_step, batch, "workload.global_batch", || {
            format!("{batch} sequences are no multiple of {per_step}, one micro-batch on every rank.")
        });
    }

    /// What the Trainer asks of a layout for FSDP2 or plain data parallelism.
    pub(super) fn trainer(&mut self, layout: &Layout, job: &Job) {
        let workload = &job.workload;
        self.whole_nodes(job);
        self.position(job, workload.sequence_length, "workload.sequence_length", true);
        self.require(layout.pipeline_parallel == 1, "plan.pipeline_parallel", || {
            "Hugging Face's Trainer has no pipeline. Set pipeline_parallel to 1.".into()
        });
        self.require(layout.ulysses_parallel == 1, "plan.ulysses_parallel", || {
            "No key here splits sequences by heads. Set ulysses_parallel to 1.".into()
        });
        self.whole_layers(layout);
        self.whole_passes(layout, job);
        let offload = layout.offload;
        if layout.backend == Backend::Fsdp {
            self.require(
                offload.parameters == offload.optimizer && offload.gradients == offload.optimizer,
                "plan.offload",
                || "FSDP2 moves weights, gradients and optimizer together. Offload all three, or none.".into(),
            );
        } else {
            let any = offload.parameters || offload.gradients || offload.optimizer;
            self.require(!any, "plan.offload", || {
                "Plain data parallelism offloads nothing. Set the backend to deepspeed or fsdp.".into()
            });
        }
    }
}
