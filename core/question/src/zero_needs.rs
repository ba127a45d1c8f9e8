//! `DeepSpeed`'s own estimators of what model states need on a GPU and in host memory.
//!
//! They know nothing of activations, and add buffers in host memory that the estimate does not: for comparison.

use crate::wire::Offload;

/// What the estimators are asked about.
#[derive(Clone, Copy, Debug)]
pub struct ZeroNeeds {
    /// Parameters of the model.
    pub parameters: f64,
    /// Parameters of the largest single module: the embedding of most models.
    pub largest_module: f64,
    /// GPUs per node.
    pub gpus_per_node: f64,
    /// Nodes.
    pub nodes: f64,
}

/// Bytes on one GPU and in one node's host memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// On one GPU.
    pub gpu: f64,
    /// In the host memory of one node.
    pub host: f64,
}

/// `additional_buffer_factor`: what pinned buffers add in host memory.
pub const BUFFERS: f64 = 1.5;

impl ZeroNeeds {
    fn gpus(&self) -> f64 {
        self.gpus_per_node * self.nodes
    }

    /// `estimate_zero2_model_states_mem_needs` (`deepspeed/runtime/zero/stage_1_and_2.py`, 0.19.8).
    ///
    /// ```
    /// use shardwise_core::zero_needs::ZeroNeeds;
    /// let llama = ZeroNeeds { parameters: 6_738_415_616.0, largest_module: 131_072_000.0, gpus_per_node: 8.0, nodes: 1.0 };
    /// let needs = llama.stage_2(false);
    /// assert_eq!(format!("{:.2} {:.1}", needs.gpu / 2f64.powi(30), needs.host / 2f64.powi(30)), "26.67 301.2");
    /// ```
    #[must_use]
    pub fn stage_2(&self, offload_optimizer: bool) -> Needs {
        let p = self.parameters;
        if offload_optimizer {
            Needs { gpu: 2.0 * p, host: p * (4.0 * self.gpus()).max(16.0) * BUFFERS }
        } else {
            Needs { gpu: 2.0 * p + 18.0 * p / self.gpus(), host: 4.0 * p * self.gpus_per_node * BUFFERS }
        }
    }

    /// `estimate_zero3_model_states_mem_needs` (`deepspeed/runtime/zero/stage3.py`, 0.19.8). `zero_init`: the model is
    /// built sharded, as the Hugging Face Trainer does.
    #[must_use]
    pub fn stage_3(&self, offload: Offload, zero_init: bool) -> Needs {
        let (p, gathered) = (self.parameters, 4.0 * self.largest_module);
        let whole = 4.0 * self.gpus_per_node;
        let host = |states: f64| {
            let share = states / self.nodes;
            p * if zero_init { share } else { whole.max(share) } * BUFFERS
        };
        match (offload.optimizer, offload.parameters) {
            (true, true) => Needs { gpu: gathered, host: host(18.0) },
            (true, false) => Needs { gpu: gathered + 2.0 * p / self.gpus(), host: host(16.0) },
            (false, _) => {
                let built = if zero_init { self.largest_module } else { p };
                Needs { gpu: gathered + 18.0 * p / self.gpus(), host: built * whole * BUFFERS }
            }
        }
    }
}
