//! `distillation.`: a teacher, its pool and what the student is held to (verl 0.9.1, `trainer/config/distillation/distillation.yaml`).

use super::common::{Keys, OBJECTIVE};
use crate::binding::Form::{Count, Share};
use crate::binding::Meaning::{Field, Ignored, Taken, Unmodelled};
use crate::binding::{At, Row, Said, row, say, says, when};
use crate::emit::text::{model_path, share};
use crate::emit::words::plural;
use shardwise_question::wire::Precision;
use shardwise_question::workload::{Distillation, Logits, Pool};
use shardwise_rules::nodes;

fn own<'a>(at: &At<'a>) -> Option<&'a Distillation> {
    at.job().workload.distillation.as_ref()
}

fn pool<'a>(at: &At<'a>) -> Option<&'a Pool> {
    own(at)?.pool.as_ref()
}

fn few(at: &At) -> Option<u64> {
    if let Logits::TopK(k) = own(at)?.logits { Some(k) } else { None }
}

fn machine(at: &At) -> Option<(u32, u32)> {
    nodes(pool(at)?.gpus, at.job().hardware.gpus_per_node)
}

/// What the student is held to, in the words of veRL's own scripts (`examples/on_policy_distillation_trainer`): the sampled
/// tokens' divergence is a reward, that of the largest few a loss.
fn loss(at: &At, sampled: &'static str, few: &'static str, why: &str) -> Option<Said> {
    says(if matches!(own(at)?.logits, Logits::TopK(_)) { few } else { sampled }, why)
}

/// `distillation.`, of the switch, the pool and the loss.
pub(in crate::verl) const DISTILLATION: &[Row] = &[
    row("enabled", Field("workload.distillation"), |at| {
        when(own(at).is_some(), "True", "a teacher judges what the student samples, from your question")
    }),
    row("nnodes", Field("workload.distillation.gpus"), |at| says(machine(at)?.0, "nodes of the teacher's pool")),
    row("n_gpus_per_node", Field("workload.distillation.gpus"), |at| {
        let gpus = pool(at)?.gpus;
        let text = format!("{} of the teacher's own, beside those of the student", plural(gpus.into(), "GPU", "GPUs"));
        says(machine(at)?.1, text)
    }),
    row("distillation_loss.loss_mode", Field("workload.distillation.logits"), |at| {
        loss(at, "k1", "forward_kl_topk", "what of the teacher's probabilities counts, from your question")
    }),
    row("distillation_loss.topk", Taken("workload.distillation.top_k", Count(32)), |at| {
        says(few(at)?, "the largest of each position, from your question")
    }),
    row("distillation_loss.use_policy_gradient", OBJECTIVE, |at| {
        loss(at, "True", "False", "of sampled tokens a reward, of the largest few a loss, as in veRL's scripts")
    }),
    row("distillation_loss.use_task_rewards", Ignored("a rule's rewards take no pass of a model"), |at| {
        when(own(at).is_some(), "False", "the teacher alone; rewards of your data count as well if True")
    }),
    row("distillation_loss.loss_max_clamp", OBJECTIVE, |at| when(own(at).is_some(), "10.0", "as in veRL's scripts")),
    row("distillation_loss.log_prob_min_clamp", OBJECTIVE, |at| {
        when(own(at).is_some(), "-10.0", "as in veRL's scripts")
    }),
];

/// `distillation.teacher_models.teacher_model.`, of the teacher and its engines.
pub(in crate::verl) const TEACHER: &[Row] = &[
    row("model_path", Field("workload.distillation.teacher"), |at| {
        let (path, reason) = model_path(&own(at)?.teacher);
        says(path, reason)
    }),
    row("inference.name", Ignored("the estimate serves it with vLLM"), |at| {
        when(pool(at).is_some(), "vllm", "serves it, as estimated")
    }),
    row("inference.tensor_model_parallel_size", Taken("workload.distillation.tensor_parallel", Count(2)), |at| {
        let pool = pool(at)?;
        let engines = u64::from(pool.gpus / pool.engine.gpus().max(1));
        says(
            pool.engine.tensor_parallel,
            format!("GPUs that hold its weights: {}", plural(engines, "engine", "engines")),
        )
    }),
    row("inference.gpu_memory_utilization", Taken("workload.distillation.gpu_memory_utilization", Share(0.5)), |at| {
        let own = share(pool(at)?.engine.gpu_memory_utilization);
        says(own, "share of the card; logits of whole prompts come on top")
    }),
    row("inference.max_num_batched_tokens", Taken("workload.distillation.max_num_batched_tokens", Count(8192)), |at| {
        says(pool(at)?.engine.max_num_batched_tokens, "tokens that an engine reads at once, and makes logits of")
    }),
    row("inference.max_model_len", Ignored("the longest prompt and response say it"), |at| {
        pool(at)?;
        says(at.longest() + 1, "prompt and response, and the token that an engine writes for nobody")
    }),
    row("+inference.quantization", Field("workload.distillation.precision"), |at| {
        when(pool(at)?.engine.precision == Precision::Fp8, "fp8", "from your question")
    }),
    say("inference.dtype", |at| when(pool(at)?.engine.precision == Precision::Fp16, "float16", "from your question")),
];

/// `distillation.`, of what is read alone.
pub(super) const DISTILLATION_READ: Keys = &[
    (
        "distillation_loss.distillation_loss_coef|distillation_loss.clip_ratio*|distillation_loss.policy_loss_mode",
        OBJECTIVE,
    ),
    (
        "distillation_loss.use_chunked_topk|distillation_loss.chunked_topk_chunk_size",
        Unmodelled("the estimate's log-softmax is whole"),
    ),
    ("teacher_key", Ignored("which teacher a row goes to")),
    ("teacher_models.teacher_model.key|teacher_models.teacher_model.num_replicas", Ignored("the pool says it")),
    ("teacher_models.teacher_model.inference.*", Unmodelled("the estimate's engine of a teacher runs by its defaults")),
    ("teacher_models.*", Unmodelled("the estimate has one teacher, teacher_model")),
    ("*", Unmodelled("the estimate's teacher is one that a pool serves")),
];
