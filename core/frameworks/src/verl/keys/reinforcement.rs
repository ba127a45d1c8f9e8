//! Keys of a run of reinforcement learning: its batch, its algorithm, its actor's update, where it runs and how long.

use super::common::{
    CHOSEN, DATA_SET, DEVICE, GPUS, LENGTH, LOG, LOGGER, NODES, OBJECTIVE, PASSES, POOL, TRAIN_FILES, VAL_FILES,
    VALIDATION,
};
use super::roles::dynamic;
use crate::binding::Form::{Count, Flag, Size, Stated};
use crate::binding::Meaning::{Field, Ignored, Plan, Taken};
use crate::binding::{At, Row, row, say, says, switch, when};
use crate::emit::words::{baseline, count, figure, plural};
use shardwise_catalog::units::shortest;
use shardwise_question::task::{Algorithm, Baseline, Clip, Mean, Penalty, Ratio};
use shardwise_question::wire::Schedule;
use shardwise_question::workload::Rl;
use shardwise_rules::verl::streams;
use shardwise_rules::{nodes, pools};

const DEFAULT: &str = "veRL's default; yours to tune";

/// What a step generates and trains on.
pub(in crate::verl) const BATCH: &[Row] = &[
    row("data.train_batch_size", Taken("prompts_per_step", Count(1024)), |at| {
        let rl = at.rl()?;
        if streams(rl) {
            return says(0, "samples come one by one; async_training says how many a step trains on");
        }
        let prompts = plural(rl.prompts_per_step, "prompt", "prompts");
        let sequences = plural(rl.sequences(), "sequence", "sequences");
        says(rl.prompts_per_step, format!("{prompts} × {} = {sequences} a step", rl.responses_per_prompt))
    }),
    row("data.gen_batch_size", Taken("gen_batch_size", Stated), |at| {
        let rl = at.rl()?;
        if streams(rl) {
            return says(1, "each prompt goes to an engine by itself");
        }
        let asked = (rl.gen_batch_size != rl.prompts_per_step).then_some(rl.gen_batch_size)?;
        says(asked, "prompts generated at a time, from your question")
    }),
    row("actor_rollout_ref.rollout.n", Taken("responses_per_prompt", Count(1)), |at| {
        says(at.rl()?.responses_per_prompt, "responses per prompt, from your question")
    }),
    row("actor_rollout_ref.actor.ppo_mini_batch_size", Taken("mini_batch", Count(256)), |at| {
        let rl = at.rl()?;
        let updates = rl.prompts_per_step.div_ceil(rl.mini_batch.max(1));
        says(rl.mini_batch, format!("prompts, not sequences; {} a step", plural(updates, "update", "updates")))
    }),
    row("actor_rollout_ref.actor.ppo_epochs", Taken("epochs", Size), |at| {
        let epochs = at.rl()?.epochs;
        says(epochs, format!("{} over the samples", plural(epochs, "pass", "passes")))
    }),
    row("data.max_prompt_length", Taken("max_prompt_length", Count(512)), |at| {
        says(at.rl()?.max_prompt_length, CHOSEN)
    }),
    row("data.max_response_length", Taken("max_response_length", Count(512)), |at| {
        says(at.rl()?.max_response_length, CHOSEN)
    }),
    row("data.filter_overlong_prompts", DATA_SET, |_| says("True", "a longer prompt would stop the run")),
    TRAIN_FILES,
    VAL_FILES,
    say("data.image_key", |at| {
        when(at.job().workload.images.is_some(), "images", "change this to your data's column of images")
    }),
];

/// The backend of every role.
pub(in crate::verl) const BACKEND: &[Row] = &[row("model_engine", Field("plan.backend"), |at| {
    when(at.megatron().is_some(), "megatron", "the backend of every role")
})];

/// `actor_rollout_ref.actor.`, of the backend.
pub(in crate::verl) const STRATEGY: &[Row] =
    &[row("strategy", Plan("backend"), |at| when(at.fsdp().is_some(), "fsdp2", "the reference follows"))];

/// `actor_rollout_ref.actor.`, of its update.
pub(in crate::verl) const UPDATE: &[Row] = &[
    row("use_dynamic_bsz", Plan("max_tokens_per_gpu micro_batch"), dynamic),
    row("ppo_max_token_len_per_gpu", Taken("max_tokens_per_gpu", Count(16384)), |at| says(at.tokens()?, budget(at)?)),
    row("ppo_micro_batch_size_per_gpu", Plan("micro_batch"), |at| says(at.sequences()?, "sequences, from the plan")),
];

/// What a token budget holds, for its reason.
pub(super) fn budget(at: &At) -> Option<String> {
    let (tokens, split, longest) = (at.tokens()?, at.layout.sequence_split(), at.longest());
    let held = tokens.saturating_mul(split.into());
    let over = if split > 1 { format!(" on each of {split} GPUs") } else { String::new() };
    let floor = 2 * longest;
    Some(if held == floor {
        format!("tokens{over}; the guide's floor, 2 × {}", count(longest))
    } else if held > floor {
        format!("tokens{over}; above the guide's floor of 2 × {} = {}", count(longest), count(floor))
    } else {
        format!("tokens{over}; memory holds it below the guide's floor of 2 × {} = {}", count(longest), count(floor))
    })
}

/// Whether the penalty for leaving the reference is there, as the algorithm has it.
fn penalty(at: &At, of: Penalty) -> bool {
    at.rl().is_some_and(|rl| rl.reference) && algorithm(at).is_some_and(|own| own.penalty == of)
}

fn in_reward(at: &At) -> bool {
    penalty(at, Penalty::Reward)
}

fn in_loss(at: &At) -> bool {
    penalty(at, Penalty::Loss)
}

fn algorithm(at: &At) -> Option<&'static Algorithm> {
    at.job().workload.kind.algorithm()
}

/// The algorithm and its clip, where it has one of its own: veRL's defaults are the others'.
fn clip(at: &At) -> Option<(&'static Algorithm, Clip)> {
    let algorithm = algorithm(at)?;
    Some((algorithm, algorithm.loss.clip?))
}

/// `algorithm.adv_estimator`.
fn estimator(of: Baseline) -> &'static str {
    match of {
        Baseline::Critic => "gae",
        Baseline::Group | Baseline::GroupMean | Baseline::Teacher => "grpo",
        Baseline::Others => "rloo",
        Baseline::Batch => "reinforce_plus_plus",
        Baseline::Greedy => "remax",
    }
}

/// How many prompts are generated for each that trains, where groups are dropped.
fn oversampling(at: &At) -> Option<f64> {
    at.rl().map(|rl| rl.oversampling).filter(|times| *times > 1.0)
}

pub(in crate::verl) const ALGORITHM: &[Row] = &[
    row("algorithm.adv_estimator", Field("workload.kind"), |at| {
        let against = algorithm(at)?.baseline;
        says(estimator(against), baseline(against))
    }),
    row("algorithm.norm_adv_by_std_in_grpo", Field("workload.kind"), |at| {
        when(algorithm(at)?.baseline == Baseline::GroupMean, "False", "Dr. GRPO: scores keep their spread")
    }),
    row("algorithm.use_kl_in_reward", Field("workload.rl.reference"), |at| {
        switch(in_reward(at), "the penalty for leaving the reference", "no penalty in the reward")
    }),
    say("algorithm.kl_ctrl.kl_coef", |at| when(in_reward(at), "0.001", DEFAULT)),
    row("actor_rollout_ref.actor.use_kl_loss", Field("workload.rl.reference"), |at| {
        let none = if at.rl()?.reference { "the penalty is in the reward" } else { "no reference policy to compute" };
        switch(in_loss(at), "keeps the policy near the reference, from your question", none)
    }),
    row("actor_rollout_ref.actor.kl_loss_coef", OBJECTIVE, |at| when(in_loss(at), "0.001", DEFAULT)),
    row("actor_rollout_ref.actor.kl_loss_type", OBJECTIVE, |at| {
        when(in_loss(at), "low_var_kl", "the unbiased estimate with low variance")
    }),
    row("actor_rollout_ref.actor.clip_ratio_low", Field("workload.kind"), |at| {
        let (algorithm, clip) = clip(at)?;
        says(format!("{:?}", clip.low), algorithm.name)
    }),
    row("actor_rollout_ref.actor.clip_ratio_high", Field("workload.kind"), |at| {
        let (_, clip) = clip(at)?;
        says(format!("{:?}", clip.high), clip.why)
    }),
    row("actor_rollout_ref.actor.clip_ratio_c", OBJECTIVE, |at| {
        let (algorithm, clip) = clip(at)?;
        says(format!("{:?}", clip.dual?), format!("{}'s bound of the dual clip", algorithm.name))
    }),
    row("actor_rollout_ref.actor.loss_agg_mode", OBJECTIVE, |at| {
        let Algorithm { name, loss, .. } = algorithm(at)?;
        match (loss.mean, loss.clip, loss.ratio) {
            (Mean::Longest, ..) => says("seq-mean-token-sum-norm", format!("{name}: divides by a constant length")),
            // veRL's default is the others', and GMPO's loss has a mean of its own.
            (_, None, _) | (_, _, Ratio::ClippedTokens) => None,
            (Mean::Token, ..) => says("token-mean", format!("{name}: every token counts alike")),
            (Mean::Response, ..) => says("seq-mean-token-mean", format!("{name}: every response counts alike")),
        }
    }),
    row("actor_rollout_ref.actor.policy_loss.loss_mode", Field("workload.kind"), |at| {
        match algorithm(at)?.loss.ratio {
            Ratio::Token => None,
            Ratio::Response => says("gspo", "one ratio for each response"),
            Ratio::ClippedTokens => says("geo_mean", "the geometric mean of a response's clipped ratios"),
            Ratio::Weight => says("cispo", "clipped ratios as weights, through which no gradient flows"),
        }
    }),
    row("algorithm.filter_groups.enable", Field("workload.rl.oversampling"), |at| {
        let times = figure(oversampling(at)?);
        says(
            "True",
            format!(
                "drops prompts whose responses all score alike; the estimate generates {times} for each that stays"
            ),
        )
    }),
    say("algorithm.filter_groups.metric", |at| when(oversampling(at).is_some(), "acc", "the score that is compared")),
    row("reward.reward_manager.name", Field("workload.kind"), |at| {
        let filters = algorithm(at).and_then(|own| own.oversampling);
        when(oversampling(at).or(filters).is_some(), "dapo", "gives `acc`, the score of each response")
    }),
    row("algorithm.rollout_correction.bypass_mode", Field("workload.rl.old_log_prob"), |at| {
        let rl = at.rl()?;
        match (rl.old_log_prob, streams(rl)) {
            (false, _) => says("True", "takes the engine's log-probabilities for the old ones: one pass less"),
            (true, true) => says("False", "computes the old log-probabilities; this trainer's default leaves them out"),
            (true, false) => None,
        }
    }),
];

/// The steps of a run, where the question says how long it is.
pub(super) fn steps(at: &At) -> Option<(u64, String)> {
    let answer = at.emission.answer;
    let per_step = answer.tokens_per_s * answer.step_time_s;
    let run = answer.run.as_ref().filter(|_| at.job().workload.has_run())?;
    if !per_step.is_finite() || per_step <= 0.0 || run.steps >= 1e12 {
        return None;
    }
    let cost = run.usd.map(|usd| format!(", ${}", figure(usd))).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 1e12 and positive")]
    let steps = run.steps as u64;
    Some((steps, format!("{} h{cost}", figure(run.hours))))
}

/// Where a run happens, and how long.
pub(in crate::verl) const RUN: &[Row] = &[
    row("trainer.n_gpus_per_node", Field("hardware.gpus hardware.gpus_per_node"), |at| {
        says(nodes(at.gpus(), at.job().hardware.gpus_per_node)?.1, CHOSEN)
    }),
    row("trainer.nnodes", Field("hardware.gpus"), |at| {
        says(nodes(at.gpus(), at.job().hardware.gpus_per_node)?.0, CHOSEN)
    }),
    DEVICE,
    row("trainer.v1.trainer_mode", Field("workload.rl.schedule"), |at| {
        when(separate(at).is_some(), "separate_async", "generation has GPUs of its own and runs ahead")
    }),
    row("trainer.v1.separate_async.parameter_sync_step", Ignored("the step's mini-batches say it"), |at| {
        let updates = updates(separate(at)?);
        says(updates, format!("{}: new weights once a step", plural(updates, "update", "updates")))
    }),
    row("trainer.v1.sampler.max_off_policy_threshold", Field("workload.rl.max_staleness"), |at| {
        says(shortest(separate(at)?.max_staleness), "versions a sample may lag behind")
    }),
    row("actor_rollout_ref.hybrid_engine", Field("workload.rl.schedule"), |at| {
        when(apart(at).is_some(), "False", "no engine on the GPUs that train")
    }),
    row("actor_rollout_ref.rollout.nnodes", POOL, |at| {
        separate(at)?;
        says(pool(at)?.0, NODES)
    }),
    row("actor_rollout_ref.rollout.n_gpus_per_node", POOL, |at| {
        separate(at)?;
        says(pool(at)?.1, GPUS)
    }),
    say("actor_rollout_ref.rollout.checkpoint_engine.backend", |at| {
        when(apart(at).is_some(), "nccl", "sends the weights between the pools")
    }),
    row("trainer.balance_batch", Taken("workload.rl.balance_batch", Flag(true)), |at| {
        when(!at.rl()?.balance_batch, "False", "ranks get their samples in the order of the batch, from your question")
    }),
    LOGGER,
    row("trainer.total_training_steps", Taken("workload.run.steps", Stated), |at| {
        let (steps, reason) = steps(at).filter(|_| streamed(at).is_none())?;
        says(steps, reason)
    }),
    row("trainer.total_epochs", LENGTH, |at| when(steps(at).is_none(), "1", PASSES)),
    row("trainer.save_freq", LOG, |_| {
        says(20, "steps between checkpoints, as in most of veRL's scripts; its default saves none")
    }),
    row("trainer.test_freq", VALIDATION, |_| {
        says(5, "steps between validations; veRL's default makes none on the way")
    }),
];

/// The run, where generation has GPUs of its own.
fn apart<'a>(at: &At<'a>) -> Option<&'a Rl> {
    at.rl().filter(|rl| rl.schedule != Schedule::Colocated)
}

/// The run, where its trainer is veRL's `separate_async`.
fn separate<'a>(at: &At<'a>) -> Option<&'a Rl> {
    apart(at).filter(|rl| !streams(rl))
}

/// The run, where its trainer is `fully_async_policy`.
pub(super) fn streamed<'a>(at: &At<'a>) -> Option<&'a Rl> {
    at.rl().filter(|rl| streams(rl))
}

/// Updates between two transfers of the weights.
pub(super) fn updates(rl: &Rl) -> u64 {
    rl.prompts_per_step / rl.mini_batch.max(1)
}

/// Nodes that generate, and GPUs of each.
pub(super) fn pool(at: &At) -> Option<(u32, u32)> {
    apart(at)?;
    nodes(pools(at.job()).1, at.job().hardware.gpus_per_node)
}
