//! Time of one optimizer step, and of a forward pass alone.

mod adapters;
mod bounds;
mod head;
mod opened;
mod stages;
mod traffic;
mod update;

pub use bounds::{least_forward, least_pass, least_update};
pub use head::most_saved_by_fused_head;
pub use opened::{OpenedStage, Passes, opened, pieces};
pub use traffic::Traffic;
pub use update::{Update, update};

use crate::batch::Batch;
use crate::context::{Context, Role};
use crate::coverage;
use shardwise_catalog::units::Seconds;
use shardwise_question::complete::pipeline_schedule;
use shardwise_question::job::Timed;
use shardwise_question::plan::Layout;
use shardwise_question::wire::{PipelineSchedule, TimeParts};
use stages::{Stages, tensor_share};
use traffic::{forward_traffic, step_traffic};
use update::activation_copies;

/// What an optimizer step, or a forward pass alone, takes, before calibration and caution. Times are of the slowest stage and one
/// micro-batch, unless they say otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Micro-batches.
    pub micro_batches: f64,
    /// Tokens of one of them on one GPU.
    pub tokens: f64,
    /// Computation of the forward pass.
    pub forward: Seconds,
    /// Of the backward pass.
    pub backward: Seconds,
    /// Computation done again.
    pub recompute: Seconds,
    /// Tensor-parallel collectives of both passes.
    pub tensor: Exchange,
    /// Context-parallel exchanges of both passes.
    pub context: Exchange,
    /// The experts' exchanges of both passes.
    pub expert: Exchange,
    /// The GPU's waiting for the host.
    pub wait: Seconds,
    /// What the stages take for one another; nothing of a single one.
    pub pipeline: Option<Pipeline>,
    /// Weights gathered and gradients reduced in the whole step.
    pub traffic: Traffic,
    /// What comes once in a step: nothing in a forward pass alone.
    pub once: Option<Once>,
    /// What calibration and caution make of a second.
    pub factor: f64,
}

/// An exchange between GPUs.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// All of it.
    pub all: Seconds,
    /// The share of it that counts: what is not hidden, or what a forward pass alone has.
    pub share: f64,
}

impl Exchange {
    fn shown(self) -> Seconds {
        self.all * self.share
    }
}

/// What a pipeline's stages take for one another.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    /// Stages.
    pub stages: f64,
    /// Model chunks of one of them.
    pub chunks: f64,
    /// In which order they run their passes.
    pub schedule: PipelineSchedule,
    /// Both passes of the mean stage over a micro-batch, or of a forward pass alone the slowest's.
    pub stage: Seconds,
    /// Of it the forward pass.
    pub forward: Seconds,
    /// Of it the weights' gradients.
    pub weight: Seconds,
    /// One send to the next stage.
    pub send: Seconds,
    /// The share of the sends that shows.
    pub exposed: f64,
}

impl Pipeline {
    /// Sends of a micro-batch that show: forward and backward, once per chunk.
    fn sends(&self, micro_batches: f64) -> f64 {
        self.send.get() * 2.0 * self.chunks * micro_batches * self.exposed
    }

    /// What fills and drains `p − 1` stages of `v` chunks (Narayanan et al. 2021, arXiv:2104.04473, section 2.2).
    fn bubble(&self) -> f64 {
        (self.stages - 1.0) / self.chunks * (self.waits() + self.send * 2.0).get()
    }

    /// Seconds of a stage and micro-batch that each further stage waits. Of forward pass F, inputs' gradients I and weights'
    /// gradients W, which no other stage needs and which fill what would be waiting:
    ///
    /// - 1F1B, interleaved or not: F + I + W.
    /// - Interleaved zero bubble: F + I − W (ZB-H1; Qi et al. 2023, arXiv:2401.10241, section 2; `ZB1P` in DualPipe's table).
    /// - ZB-V: nothing but the first chunk's way down where all three are alike (its section 6); PyTorch's fixed order of them
    ///   (`ScheduleZBVZeroBubble`) played through with others, 2 to 8 stages, F ≤ I and W ≤ F, leaves the largest of F, I and
    ///   2 (I − W).
    /// - DualPipeV: F&B + B − 3 W, with B = I + W, and F&B = F + B where nothing is gained beside one another
    ///   (<https://github.com/deepseek-ai/DualPipe/blob/3da1bbea53606543d7f5f232338fc58096db30e3/README.md>).
    #[must_use]
    pub fn waits(&self) -> Seconds {
        let input = self.input();
        let beyond = input.beyond(self.weight);
        match self.schedule {
            PipelineSchedule::OneForwardOneBackward | PipelineSchedule::Interleaved => self.stage,
            PipelineSchedule::InterleavedZeroBubble => self.forward + beyond,
            PipelineSchedule::ZbvZeroBubble => self.forward.max(input).max(beyond * 2.0),
            PipelineSchedule::DualPipeV => self.forward + input + beyond,
        }
    }

    /// The backward pass without the weights' gradients.
    #[must_use]
    pub fn input(&self) -> Seconds {
        self.stage - self.forward - self.weight
    }
}

/// What comes once in an optimizer step.
#[derive(Clone, Copy, Debug)]
pub struct Once {
    /// The update of the weights.
    pub update: Update,
    /// What a step takes beside its kernels.
    pub step: Seconds,
    /// What RL trainers' steps take on top.
    pub rl_step: Seconds,
    /// What shows of one micro-batch's activations on their way to host memory and back.
    pub copies: Seconds,
}

impl Terms {
    /// The parts of the time, calibrated.
    #[must_use]
    pub fn parts(&self) -> TimeParts {
        let n = self.micro_batches;
        let mut parts = TimeParts {
            compute: (self.forward + self.backward).get() * n,
            recompute: self.recompute.get() * n,
            tensor_parallel: self.tensor.shown().get() * n,
            context_parallel: self.context.shown().get() * n,
            expert_parallel: self.expert.shown().get() * n,
            data_parallel: self.traffic.shown.get(),
            overhead: self.wait.get() * n,
            ..TimeParts::default()
        };
        if let Some(pipeline) = &self.pipeline {
            parts.pipeline_parallel = pipeline.sends(n);
            parts.bubble = pipeline.bubble();
        }
        if let Some(once) = &self.once {
            parts.overhead = parts.overhead + once.step.get() + once.rl_step.get();
            parts.optimizer = once.update.optimizer().get();
            parts.offload = once.update.offload().get() + once.copies.get() * n;
        }
        parts.times(self.factor)
    }
}

/// What one optimizer step over `batch` takes.
#[must_use]
pub fn step(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> Terms {
    let framework = context.framework(layout);
    let Stages { slowest, mean, mean_forward, mean_weight, .. } = Stages::of(context, role, layout, batch);
    let block = &slowest.block;
    let tunes = context.job.workload.fine_tunes();
    let copies = || activation_copies(context, role, layout, batch, slowest.forward(), slowest.backward());
    Terms {
        micro_batches: batch.micro_batches,
        tokens: batch.mean.tokens,
        forward: block.forward,
        backward: block.backward,
        recompute: block.recompute,
        tensor: Exchange { all: block.tensor_forward + block.tensor_backward, share: tensor_share(layout) },
        context: Exchange { all: block.context, share: 1.0 },
        expert: Exchange { all: block.expert, share: 1.0 },
        wait: slowest.wait() + turned(context, role, layout, batch, TURNED_STEP),
        pipeline: (layout.pipeline_parallel > 1).then(|| {
            let (send, exposed) = stage_send(context, role, layout, batch);
            Pipeline {
                stages: f64::from(layout.pipeline_parallel),
                chunks: f64::from(layout.virtual_pipeline),
                schedule: pipeline_schedule(layout),
                stage: mean,
                forward: mean_forward,
                weight: mean_weight,
                send,
                exposed,
            }
        }),
        traffic: step_traffic(context, role, layout, batch, &slowest),
        once: Some(Once {
            update: update(context, role, layout),
            step: Seconds::new(framework.step_s + if tunes { framework.tune_step_s } else { 0.0 }),
            rl_step: Seconds::new(if context.job.workload.rl.is_some() { framework.rl_step_s } else { 0.0 }),
            copies: if layout.offload.activations { copies() } else { Seconds::ZERO },
        }),
        factor: time_factor(context, Timed::Update, layout, batch.mean.tokens),
    }
}

/// Shares of a step's context-parallel and expert exchanges that a forward pass alone has. Assumed: the backward pass sends
/// more around the ring, and as much to the experts.
const FORWARD_EXCHANGES: (f64, f64) = (0.4, 0.5);

/// What a forward pass alone over `batch` takes.
#[must_use]
pub fn forward(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> Terms {
    let slowest = Stages::of(context, role, &layout.without_recompute(), batch).slowest;
    let block = &slowest.block;
    let (ring, experts) = FORWARD_EXCHANGES;
    let ring = Exchange { all: block.context, share: ring };
    let expert = Exchange { all: block.expert, share: experts };
    let busy = slowest.forward();
    Terms {
        micro_batches: batch.micro_batches,
        tokens: batch.mean.tokens,
        forward: block.forward,
        backward: Seconds::ZERO,
        recompute: Seconds::ZERO,
        tensor: Exchange { all: block.tensor_forward, share: 1.0 },
        context: ring,
        expert,
        wait: busy.beyond(block.forward + block.tensor_forward) + turned(context, role, layout, batch, TURNED_FORWARD),
        pipeline: (layout.pipeline_parallel > 1).then(|| Pipeline {
            stages: f64::from(layout.pipeline_parallel),
            chunks: 1.0,
            schedule: PipelineSchedule::OneForwardOneBackward,
            stage: busy + (ring.shown() + expert.shown()),
            forward: busy,
            weight: Seconds::ZERO,
            send: Seconds::ZERO,
            exposed: 1.0,
        }),
        traffic: forward_traffic(context, role, layout, batch, &slowest),
        once: None,
        // Passes forward alone were measured with what updates were: twice its tokens are no step further.
        factor: time_factor(context, Timed::Forward, layout, 0.0),
    }
}

/// Seconds that turning queries and keys of one packed sequence by its positions takes in one layer where no kernel does all
/// of them at once: forward, and in both passes of a step. Megatron-Core cuts the packed tokens into sequences and turns each by
/// several small kernels (`apply_rotary_pos_emb_thd` in `megatron/core/models/common/embeddings/rope_utils.py`), so that the host
/// decides, however the model is split. Fitted on `verl_megatron_practice`, `dapo7b.csv`: rows 5 and 7 on 8 H100 (updates of 203
/// and 167 s, log-probabilities of 84 and 67), rows 6 and 8 on 16 (111 and 93 s, 47 and 38); both pairs agree within a twentieth.
const TURNED_STEP: f64 = 3.1e-4;
const TURNED_FORWARD: f64 = 1.5e-4;

/// What a micro-batch takes more without a fused kernel for rotary positions; nothing where sequences are padded, which one
/// kernel turns together, and where latents carry the positions.
fn turned(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch, each: f64) -> Seconds {
    let workload = &context.job.workload;
    let shape = &role.model.shape;
    if layout.switches.apply_rope_fusion || !workload.packing || shape.is_mla() {
        return Seconds::ZERO;
    }
    let ranks = f64::from(layout.data_parallel(context.training_gpus()));
    let sequences = batch.tokens / workload.mean_sequence_length.max(1.0) / ranks / batch.micro_batches.max(1.0);
    let layers: u64 = role
        .blocks
        .iter()
        .filter(|block| block.mixer.attends())
        .map(|block| block.count)
        .sum();
    Seconds::new(sequences * layers as f64 / f64::from(layout.pipeline_parallel) * each)
}

/// What the parts of a step are multiplied by: the question's calibration, and caution about layouts beyond those that
/// were measured, with micro-batches of `tokens`.
fn time_factor(context: &Context<'_>, of: Timed, layout: &Layout, tokens: f64) -> f64 {
    let job = context.job;
    job.time_factor(of) * coverage::caution(job, layout, tokens)
}

/// One send of a micro-batch to the next stage, and the share of such sends that shows. Interleaving hides most of them:
/// 0.3 is assumed, as no published run tells the sends apart.
fn stage_send(context: &Context<'_>, role: &Role<'_>, layout: &Layout, batch: &Batch) -> (Seconds, f64) {
    let split = if layout.sequence_parallel { layout.tensor_parallel } else { 1 };
    let bytes = 2.0 * batch.mean.tokens * role.model.shape.hidden_size as f64 / f64::from(split);
    let stride = context.training_gpus() / layout.pipeline_parallel;
    let exposed = if layout.virtual_pipeline > 1 { 0.3 } else { 1.0 };
    (context.network.send(bytes, stride.max(1)), exposed)
}
