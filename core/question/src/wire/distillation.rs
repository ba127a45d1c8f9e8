//! Distillation of a question: the teacher, where it stands, and what the student is held to.

use serde_json::Value;

use super::document::{document, entries_of_words};
use shardwise_catalog::hardware::Precision;
use shardwise_catalog::words;

entries_of_words!(Placement, TeacherLogits);

words! {
    /// Where a teacher stands.
    #[derive(Default)]
    pub enum Placement {
        /// Beside the student, on the GPUs that train: it evaluates each micro-batch before the student trains on it.
        #[default]
        Beside = "beside",
        /// On a pool of its own, served by an engine that reads each sequence as a prompt.
        Pool = "pool",
    }
}

words! {
    /// What of a teacher's probabilities the student is held to.
    #[derive(Default)]
    pub enum TeacherLogits {
        /// Those of the tokens that were sampled.
        #[default]
        Sampled = "sampled",
        /// The largest few of each position.
        TopK = "top_k",
        /// The whole vocabulary's.
        Full = "full",
    }
}

document! {
    /// Distillation from a teacher: of the kind `distill` on what the student samples, of `sft`, `lora` and `qlora` on given text.
    #[derive(Default)]
    pub struct DistillationSpec {
        /// The teacher's model: an id, or an object. Required.
        #[cfg_attr(feature = "cli", schemars(extend("type" = ["string", "object"])))]
        pub teacher: Option<Value>,
        /// Where the teacher stands. Default `beside`.
        pub placement: Option<Placement>,
        /// GPUs of the teacher's pool, beside `hardware.gpus` and like them (veRL's `distillation.nnodes` times
        /// `n_gpus_per_node`). Default: one engine.
        pub gpus: Option<u64>,
        /// GPUs that split each of its matrices in an engine of the pool. Default: the fewest that hold its weights, as a power
        /// of two.
        pub tensor_parallel: Option<u64>,
        /// Share of the card that an engine of the pool may take. Default 0.5, veRL's.
        pub gpu_memory_utilization: Option<f64>,
        /// Tokens that an engine of the pool reads in one step. Default 8192.
        pub max_num_batched_tokens: Option<u64>,
        /// Precision of the weights in the pool. Default bf16, or fp16 on cards that have none.
        pub precision: Option<Precision>,
        /// What of its probabilities the student is held to. Default: `sampled` of a pool, `full` beside the student.
        pub logits: Option<TeacherLogits>,
        /// How many of each position, where `logits` is `top_k`. Default 64, as in veRL's examples.
        pub top_k: Option<u64>,
        /// `distill`: share of the batches that the student samples; the others are given text of the same lengths (GKD's
        /// `lmbda`). Default 1.
        pub on_policy: Option<f64>,
    }
}
