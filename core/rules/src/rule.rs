//! What rules of several frameworks share.

use std::fmt::{self, Display};

use super::positions::reach;
use shardwise_catalog::error::InputError;
use shardwise_catalog::model::Shape;
use shardwise_question::job::Job;
use shardwise_question::plan::{Layout, MicroBatch, RolloutPlan};
use shardwise_question::wire::Schedule;

/// GPUs that train and GPUs that generate: all of them, twice, where colocated.
pub fn pools(job: &Job) -> (u32, u32) {
    let all = job.hardware.gpus;
    match &job.workload.rl {
        Some(rl) if rl.schedule != Schedule::Colocated => (rl.train_gpus, all.saturating_sub(rl.train_gpus)),
        _ => (all, all),
    }
}

/// Nodes and GPUs per node of a pool: whole nodes, or a part of one. `None` where it is neither.
pub fn nodes(gpus: u32, gpus_per_node: u32) -> Option<(u32, u32)> {
    if gpus == 0 || gpus_per_node == 0 {
        None
    } else if gpus <= gpus_per_node {
        Some((1, gpus))
    } else {
        gpus.is_multiple_of(gpus_per_node)
            .then(|| (gpus / gpus_per_node, gpus_per_node))
    }
}

/// Nodes of the whole machine.
pub fn machines(job: &Job) -> u32 {
    let hardware = &job.hardware;
    nodes(hardware.gpus, hardware.gpus_per_node).map_or(1, |(count, _)| count)
}

/// Layers of the last pipeline stage where the stages cannot be equal: the others are as full as
/// the fullest. `None` where nothing would be left for it.
pub fn last_stage(layers: u64, stages: u32) -> Option<u64> {
    let stages = u64::from(stages.max(1));
    let rest = layers.div_ceil(stages).saturating_mul(stages - 1);
    layers.checked_sub(rest).filter(|last| *last > 0)
}

/// Collects what is broken.
#[derive(Default)]
pub(super) struct Rules(pub(super) Vec<InputError>);

impl Rules {
    pub(super) fn refuse(&mut self, field: impl Display, message: impl Into<String>) {
        self.0.push(InputError::new(field.to_string(), message));
    }

    pub(super) fn require(&mut self, holds: bool, field: impl Display, message: impl FnOnce() -> String) {
        if !holds {
            self.refuse(field, message());
        }
    }

    /// `whole` must be a multiple of `part`.
    pub(super) fn divides(&mut self, part: u64, whole: u64, field: impl Display, message: impl FnOnce() -> String) {
        self.require(part != 0 && whole.is_multiple_of(part), field, message);
    }

    /// The pool must be whole nodes: every framework here is told nodes and GPUs per node.
    pub(super) fn whole_nodes(&mut self, job: &Job) {
        let (gpus, per_node) = (job.hardware.gpus, job.hardware.gpus_per_node);
        self.require(nodes(gpus, per_node).is_some(), "hardware.gpus", || {
            format!("{gpus} GPUs are no whole number of nodes of {per_node}. Choose a multiple of {per_node}.")
        });
    }

    /// Megatron-Core's own rules (`parallel_state.initialize_model_parallel`, `TransformerConfig`).
    pub(super) fn megatron(&mut self, field: &Path, layout: &Layout, shape: &Shape, gpus: u32) {
        let (tp, pp, cp) = (layout.tensor_parallel, layout.pipeline_parallel, layout.context_parallel);
        self.require(layout.ulysses_parallel == 1, field.of("ulysses_parallel"), || {
            "Megatron splits sequences by context parallelism. Set ulysses_parallel to 1 and use context_parallel."
                .to_owned()
        });
        self.divides(u64::from(tp * pp * cp), gpus.into(), field.of("tensor_parallel"), || {
            format!("{gpus} GPUs are no multiple of TP {tp} × PP {pp} × CP {cp}.")
        });
        let (ep, etp) = (layout.expert_parallel, layout.expert_tensor_parallel);
        if shape.num_experts > 0 {
            self.divides(u64::from(etp * ep * pp), gpus.into(), field.of("expert_parallel"), || {
                format!("{gpus} GPUs are no multiple of ETP {etp} × EP {ep} × PP {pp}.")
            });
            self.divides(ep.into(), shape.num_experts, field.of("expert_parallel"), || {
                format!("{} experts cannot be shared evenly by {ep} GPUs.", shape.num_experts)
            });
            self.require(tp == 1 || layout.sequence_parallel, field.of("sequence_parallel"), || {
                "Megatron trains experts under tensor parallelism with sequence parallelism only. Set it to true."
                    .to_owned()
            });
        } else {
            self.require(ep == 1 && etp <= tp, field.of("expert_parallel"), || {
                "The model has no experts. Set expert_parallel to 1.".to_owned()
            });
        }
        self.divides(tp.into(), shape.num_attention_heads, field.of("tensor_parallel"), || {
            format!("{} attention heads cannot be split by {tp}.", shape.num_attention_heads)
        });
        let (vpp, layers) = (layout.virtual_pipeline.max(1), shape.num_hidden_layers);
        let even = layers.is_multiple_of(u64::from(pp * vpp).max(1));
        self.require(even || (vpp == 1 && last_stage(layers, pp).is_some()), field.of("pipeline_parallel"), || {
            format!("{layers} layers cannot be split into {pp} stages of {vpp} chunks.")
        });
        self.require(vpp == 1 || pp > 1, field.of("virtual_pipeline"), || {
            "Chunks need more than one pipeline stage. Set virtual_pipeline to 1.".to_owned()
        });
        self.require(layout.zero_stage <= 1, field.of("zero_stage"), || {
            "Megatron shards the optimizer (1) or nothing (0). Set zero_stage to 1.".to_owned()
        });
        self.require(!layout.offload.activations, field.of("offload.activations"), || {
            "Its Megatron backend keeps activations on the GPU. Use recompute instead.".to_owned()
        });
    }

    /// FSDP with Ulysses: what both veRL and `ChatLearn` ask.
    pub(super) fn fsdp(&mut self, field: &Path, layout: &Layout, shape: &Shape, gpus: u32) {
        let others = [
            ("tensor_parallel", layout.tensor_parallel),
            ("pipeline_parallel", layout.pipeline_parallel),
            ("context_parallel", layout.context_parallel),
            ("expert_parallel", layout.expert_parallel),
        ];
        for (name, size) in others {
            self.require(size == 1, field.of(name), || {
                format!("FSDP has no {}. Set it to 1 or the backend to megatron.", name.replace('_', " "))
            });
        }
        let sp = layout.ulysses_parallel;
        self.divides(sp.into(), gpus.into(), field.of("ulysses_parallel"), || {
            format!("{gpus} GPUs are no multiple of {sp}.")
        });
        self.divides(sp.into(), shape.num_attention_heads, field.of("ulysses_parallel"), || {
            format!("{} attention heads cannot be split by {sp}.", shape.num_attention_heads)
        });
        let (sp, kv) = (u64::from(sp), shape.num_key_value_heads);
        let even = kv == 0 || shape.is_mla() || kv.is_multiple_of(sp) || sp.is_multiple_of(kv);
        self.require(even, field.of("ulysses_parallel"), || {
            format!("Neither of {kv} key and value heads and {sp} divides the other.")
        });
    }

    /// The generation engine.
    pub(super) fn rollout(&mut self, rollout: &RolloutPlan, shape: &Shape, gpus: u32, gpus_per_node: u32) {
        let (tp, engine) = (rollout.tensor_parallel, rollout.gpus());
        let field = "plan.rollout.tensor_parallel";
        self.divides(engine.into(), gpus.into(), field, || {
            format!("{gpus} GPUs are no multiple of an engine's {engine}.")
        });
        self.divides(tp.into(), shape.num_attention_heads, field, || {
            format!("{} attention heads cannot be split by {tp}.", shape.num_attention_heads)
        });
        let (wide, kv) = (u64::from(tp), shape.num_key_value_heads);
        let even = kv == 0 || shape.is_mla() || kv.is_multiple_of(wide) || wide.is_multiple_of(kv);
        self.require(even, field, || format!("Neither of {kv} key and value heads and {tp} divides the other."));
        let node = gpus_per_node.min(gpus).max(1);
        self.require(engine <= node || engine.is_multiple_of(node), field, || {
            format!("An engine of {engine} GPUs is no whole number of nodes of {node}.")
        });
        let utilization = rollout.gpu_memory_utilization;
        self.require(utilization > 0.0 && utilization <= 1.0, "plan.rollout.gpu_memory_utilization", || {
            "The share of memory is above 0 and at most 1.".to_owned()
        });
    }

    /// A budget of tokens must hold the longest sequence, split as the layout splits it.
    pub(super) fn token_budget(&mut self, field: &Path, layout: &Layout, longest: u64) {
        let MicroBatch::Tokens(tokens) = layout.micro_batch else {
            return;
        };
        let split = u64::from(layout.sequence_split());
        self.require(tokens.saturating_mul(split) >= longest, field.of("max_tokens_per_gpu"), || {
            format!(
                "{tokens} tokens on each of {split} GPUs do not hold a sequence of {longest}. Set it to {} or more.",
                longest.div_ceil(split.max(1))
            )
        });
    }

    /// The longest sequence has a position for each of its tokens: the model's own, or what `YaRN` stretches them to where the
    /// framework takes that from the checkpoint's `config.json`.
    pub(super) fn position(&mut self, job: &Job, longest: u64, field: impl Display, stretches: bool) {
        let (model, own) = (&job.model, job.model.shape.max_position_embeddings);
        let known = if stretches { reach(&model.id, own) } else { own };
        self.require(own == 0 || longest <= known, field, || {
            let stretched = if known > own { ", stretched by YaRN" } else { "" };
            format!(
                "{longest} tokens are more than the {known} positions of the model{stretched}. Shorten the sequences."
            )
        });
    }
}

/// Where in the plan a layout stands: the trained model's at the top, others below a key.
pub(super) struct Path(pub(super) &'static str);

impl Path {
    pub(super) fn of(&self, key: &'static str) -> Field {
        Field(self.0, key)
    }
}

/// A field of a layout. Its path is written for a refusal alone: the search asks these rules of every plan.
pub(super) struct Field(&'static str, &'static str);

impl Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plan.{}{}", self.0, self.1)
    }
}
