//! What adds up: parts of memory, parts of time.

use serde::{Deserialize, Serialize};

/// Declares a struct of parts that add up. What is zero is not written.
macro_rules! parts {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$told:meta])* pub $part:ident: f64,)* }) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
        #[serde(default)]
        $(#[$about])*
        pub struct $name {
            $($(#[$told])* #[serde(skip_serializing_if = "is_zero")] pub $part: f64,)*
        }

        impl $name {
            /// Names and values, in the order in which they are shown.
            #[must_use]
            pub fn entries(&self) -> [(&'static str, f64); [$(stringify!($part)),*].len()] {
                [$((stringify!($part), self.$part)),*]
            }

            /// Sum of the parts.
            #[must_use]
            pub fn total(&self) -> f64 {
                0.0 $(+ self.$part)*
            }

            /// The sum of both, part by part.
            #[must_use]
            pub fn plus(&self, other: &Self) -> Self {
                Self { $($part: self.$part + other.$part),* }
            }

            /// Each part `factor` times as large.
            #[must_use]
            pub fn times(&self, factor: f64) -> Self {
                Self { $($part: self.$part * factor),* }
            }
        }
    };
}

// A pedantic lint on some targets: the signature is the one serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

// As above.
#[allow(clippy::trivially_copy_pass_by_ref)]
pub(super) fn is_false(value: &bool) -> bool {
    !*value
}

parts! {
    /// Parts of the memory of one GPU, in GiB.
    pub struct MemoryParts {
        /// Weights that train or are trained upon, in the compute precision.
        pub parameters: f64,
        /// Gradients.
        pub gradients: f64,
        /// Master weights and optimizer moments.
        pub optimizer: f64,
        /// Activations kept for the backward pass, and the working set of one layer.
        pub activations: f64,
        /// Logits and the loss's copies of them.
        pub logits: f64,
        /// The engine's KV cache.
        pub kv_cache: f64,
        /// The engine's weights.
        pub rollout_weights: f64,
        /// Weights of frozen models beside the trained one (reference, reward).
        pub frozen_weights: f64,
        /// Communication buffers.
        pub communication: f64,
        /// CUDA context, libraries, allocator slack.
        pub framework: f64,
    }
}

parts! {
    /// Host memory of a node by part, in GiB.
    pub struct HostParts {
        /// Offloaded weights.
        pub parameters: f64,
        /// Gradients that the host's CPUs update with.
        pub gradients: f64,
        /// Offloaded master weights and moments.
        pub optimizer: f64,
        /// Offloaded activations.
        pub activations: f64,
        /// What copies, and page-locked memory that is larger than what lies in it, take beside these.
        pub buffers: f64,
        /// The processes themselves: libraries, buffers, data.
        pub processes: f64,
    }
}

parts! {
    /// Parts of the time, in seconds. What runs beside something longer is not counted.
    pub struct TimeParts {
        /// Matrix products, attention and memory-bound operators, forward and backward.
        pub compute: f64,
        /// Forward passes done again in the backward pass.
        pub recompute: f64,
        /// Engine: prompts.
        pub prefill: f64,
        /// Engine: responses.
        pub decode: f64,
        /// What waiting for an agent's tools adds.
        pub tools: f64,
        /// Tensor-parallel collectives.
        pub tensor_parallel: f64,
        /// Context-parallel ring or Ulysses exchanges.
        pub context_parallel: f64,
        /// Expert all-to-all.
        pub expert_parallel: f64,
        /// Sends between pipeline stages.
        pub pipeline_parallel: f64,
        /// Waiting for the pipeline to fill and drain, and for the slowest stage.
        pub bubble: f64,
        /// Gradient reduction and parameter gathering that nothing hides.
        pub data_parallel: f64,
        /// The optimizer step.
        pub optimizer: f64,
        /// Traffic to and from host memory.
        pub offload: f64,
        /// New weights to the engine.
        pub weight_sync: f64,
        /// Launch overhead and the driver.
        pub overhead: f64,
    }
}

parts! {
    /// Parts of a whole run, in hours or in dollars.
    pub struct RunParts {
        /// Until the first step.
        pub startup: f64,
        /// Steps that count.
        pub training: f64,
        /// Evaluation that counts.
        pub evaluation: f64,
        /// Training waits for checkpoints.
        pub checkpoints: f64,
        /// Work since the last checkpoint that failures lose.
        pub lost: f64,
        /// From failures to where the work goes on.
        pub restarts: f64,
    }
}
