//! torchtitan: a function that makes the whole configuration, as its guide asks for one's own runs, and the command that takes it.
//!
//! Its keywords are those of the dataclasses of 0.3.0 (`torchtitan/config/configs.py`, `torchtitan/trainer.py:69`): the options of
//! the command that say the same "are not the way to configure a run any more" (`torchtitan/config/README.md`).

mod parts;

use super::choices::reshard_reason;
use super::python::{self, Block, word};
use super::text::{Section, flag, head};
use super::trainer::{self, joined};
use super::words::{self, count, plural};
use super::{Emission, Snippet, Unsupported};
use shardwise_question::complete::{pipeline_schedule, splits_backward};
use shardwise_question::plan::{MicroBatch, Recompute};
use shardwise_question::wire::{Backend, PipelineSchedule, TokenDispatcher};
use shardwise_rules::grid;
use shardwise_rules::torchtitan::{flavor_of, shards};

/// Steps of a run that a question says nothing of.
pub(crate) const YOURS: u32 = 10_000;

/// The file, and what `--module` calls it.
const FILE: &str = "torchtitan_config.py";
const MODULE: &str = "torchtitan_config";
/// The function in it.
const FUNCTION: &str = "pretrain";

/// The configuration for this plan.
pub(super) fn emit(emission: &Emission) -> Result<Vec<Snippet>, Unsupported> {
    let Some(flavor) = flavor_of(&emission.job.model.shape) else {
        return Err(Unsupported { message: "torchtitan has no flavor of this model.".to_owned() });
    };
    let mut lines = head(emission, &warnings(emission));
    trainer::start(&mut lines, emission.job, false, &start(emission));
    let body = vec![
        Block::Call("model_spec = model_registry".to_owned(), vec![parts::model(emission, flavor)]),
        Block::Call(
            "training = TrainingConfig".to_owned(),
            vec![batch(emission), parts::memory(emission), parts::states(emission), length(emission)],
        ),
        Block::Call("parallelism = ParallelismConfig".to_owned(), vec![layout(emission)]),
        Block::Call("compile_config = CompileConfig".to_owned(), vec![parts::compiled(emission)]),
        Block::Call("return Trainer.Config".to_owned(), vec![parts::run(emission, flavor)]),
    ];
    let function = Block::Function(format!("def {FUNCTION}() -> Trainer.Config:"), body);
    Ok(vec![python::snippet(FILE, &lines, &[parts::imports(emission, flavor), function])])
}

fn start(emission: &Emission) -> String {
    let (count, gpus) = grid(emission.job);
    let meet = if count > 1 { " --rdzv-backend c10d --rdzv-endpoint \"$MASTER_ADDR:29500\"" } else { "" };
    format!(
        "torchrun --nnodes {count} --nproc-per-node {gpus}{meet} -m torchtitan.train --module {MODULE} --config {FUNCTION}"
    )
}

/// Where torchtitan does otherwise than the estimate assumes.
fn warnings(emission: &Emission) -> Vec<String> {
    let (layout, job) = (&emission.plan.layout, emission.job);
    let mut out = Vec::from_iter(joined(emission));
    if matches!(layout.recompute, Recompute::Selective(_)) {
        out.push(
            "torchtitan recomputes by operation: all but attention and every second matrix product. The estimate keeps more, and recomputes less."
                .to_owned(),
        );
    }
    if splits_backward(pipeline_schedule(layout)) {
        out.push("PyTorch splits no compiled stage's backward pass, so the layers are not compiled. The estimate's kernels are.".to_owned());
        if layout.recompute != Recompute::None {
            out.push("PyTorch computes a layer again for each of its weights' gradients where these are put off. The estimate counts it once.".to_owned());
        }
    }
    if parts::state_type(emission).is_none() {
        out.push(format!(
            "the estimate counts {} bytes of weights, gradients and optimizer state per parameter; torchtitan keeps 16.",
            words::amount(
                layout.master_weights_bytes + layout.gradient_bytes + layout.optimizer_bytes
            )
        ));
    }
    if job.model.shape.vision.is_some() {
        out.push("torchtitan's flavor is the language model; the estimate has the vision tower too.".to_owned());
    }
    out
}

fn batch(emission: &Emission) -> Section {
    let mut section = Section::new("Batch");
    let (workload, layout) = (&emission.job.workload, &emission.plan.layout);
    let MicroBatch::Sequences(micro) = layout.micro_batch else {
        return section;
    };
    section.set("seq_len", workload.sequence_length, "tokens, from your question");
    section.set("global_batch_size", workload.global_batch, "sequences of a step, from your question");
    let dp = u64::from(layout.data_parallel(emission.job.hardware.gpus));
    let rank = workload.global_batch / dp.max(1);
    if layout.pipeline_parallel > 1 {
        let reason = format!("all {} of a rank pass the pipeline together", plural(rank, "sequence", "sequences"));
        section.set("local_batch_size", rank, reason);
    } else {
        let passes = plural(rank / micro.max(1), "pass", "passes");
        section.set("local_batch_size", micro, format!("sequences of one forward pass; {passes} a step"));
    }
    section
}

/// How long it runs, and how its gradients are held.
fn length(emission: &Emission) -> Section {
    let mut section = Section::new("Run");
    let (steps, reason) = steps(emission);
    section.set("steps", steps, reason);
    section.set("max_norm", "1.0", "gradients are clipped");
    section
}

/// Steps of the run, and whose choice they are.
fn steps(emission: &Emission) -> (u64, String) {
    let workload = &emission.job.workload;
    let step = workload.global_batch.saturating_mul(workload.sequence_length);
    let run = workload.run_steps(step as f64).filter(|_| workload.has_run());
    match run {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and a float converts to the nearest that there is"
        )]
        Some(steps) => (steps as u64, format!("{} tokens a step, from your question", count(step))),
        None => (YOURS.into(), "yours to choose".to_owned()),
    }
}

fn layout(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let gpus = job.hardware.gpus;
    let mut section = Section::new(format!("Layout: {}", words::layout_title(layout, gpus)));
    let (shard, replicate) = shards(layout, gpus).unwrap_or((1, 1));
    let (tp, cp, pp) = (layout.tensor_parallel, layout.context_parallel, layout.pipeline_parallel);
    for (key, size, reason) in [
        ("data_parallel_replicate_degree", replicate, "copies of the sharded model"),
        ("data_parallel_shard_degree", shard, "ranks that shard the weights, beside context parallelism"),
        ("tensor_parallel_degree", tp, "GPUs that split each matrix"),
        ("context_parallel_degree", cp, "GPUs that split each sequence"),
        ("pipeline_parallel_degree", pp, "stages of layers"),
    ] {
        section.set(key, size, reason);
    }
    if layout.backend == Backend::Fsdp {
        let policy = word(if layout.zero_stage == 3 { "always" } else { "never" });
        section.set("fsdp_reshard_after_forward", policy, reshard_reason(layout.zero_stage));
    }
    if tp > 1 {
        let (splits, reason) = if layout.sequence_parallel {
            (true, "the norms are split by TP too")
        } else {
            (false, "each GPU of TP computes all of the norms")
        };
        section.set("enable_sequence_parallel", flag(splits), reason);
    }
    if pp > 1 {
        pipeline(emission, &mut section);
    }
    if layout.expert_parallel > 1 {
        section.set("expert_parallel_degree", layout.expert_parallel, "GPUs that share the experts");
        if let Some(sender @ (TokenDispatcher::Deepep | TokenDispatcher::Hybridep)) =
            layout.switches.moe_token_dispatcher
        {
            section.set("expert_parallel_comm_backend", word(sender.as_str()), "tokens travel to their experts");
        }
    }
    section
}

fn pipeline(emission: &Emission, section: &mut Section) {
    let layout = &emission.plan.layout;
    let vpp = layout.virtual_pipeline;
    let schedule = pipeline_schedule(layout);
    let filled = "the weights' gradients wait, and fill what would be idle";
    let reason = match schedule {
        PipelineSchedule::OneForwardOneBackward => "one stage per rank",
        PipelineSchedule::Interleaved => "each rank holds several chunks",
        PipelineSchedule::InterleavedZeroBubble => filled,
        PipelineSchedule::ZbvZeroBubble | PipelineSchedule::DualPipeV => {
            "weights' gradients wait, and the first rank holds the first and the last chunk"
        }
    };
    if let MicroBatch::Sequences(micro) = layout.micro_batch {
        section.set("pipeline_parallel_microbatch_size", micro, "sequences that one stage takes at a time");
    }
    section.set("pipeline_parallel_schedule", word(schedule_name(schedule)), reason);
    for end in ["first", "last"] {
        let key = format!("pipeline_parallel_{end}_stage_less_layers");
        section.set(key, 0, "as many layers as the others, as estimated");
    }
    if vpp > 1 {
        let stages = u64::from(layout.pipeline_parallel * vpp).max(1);
        let layers = emission.job.model.shape.num_hidden_layers.div_ceil(stages);
        let reason = format!("{stages} chunks of layers, {vpp} on each rank");
        section.set("pipeline_parallel_layers_per_stage", layers, reason);
    }
}

/// What PyTorch calls a schedule (`get_schedule_class` of `torch/distributed/pipelining/schedules.py`).
pub(crate) fn schedule_name(schedule: PipelineSchedule) -> &'static str {
    match schedule {
        PipelineSchedule::OneForwardOneBackward => "1F1B",
        PipelineSchedule::Interleaved => "Interleaved1F1B",
        PipelineSchedule::InterleavedZeroBubble => "InterleavedZeroBubble",
        PipelineSchedule::ZbvZeroBubble => "ZBVZeroBubble",
        PipelineSchedule::DualPipeV => "DualPipeV",
    }
}
