//! `verl.trainer.main_ppo`: PPO, GRPO, DAPO.

use super::super::checkpoint::trained;
use super::super::choices::rate;
use super::super::text::{Section, flag, home};
use super::super::words::{count, figure, layout_title, plural};
use super::super::{Emission, Unsupported};
use super::engine::{Engine, budget};
use super::generation::{generation, reward};
use super::model::{adapters, checkpointing, fused_kernels};
use super::roles::{forward_micro, reference_policy, value};
use super::run::cluster;
use shardwise_question::plan::MicroBatch;
use shardwise_question::task::{Algorithm, Unit};
use shardwise_question::wire::Backend;
use shardwise_question::workload::Rl;
use shardwise_rules::pools;

const ACTOR: &str = "actor_rollout_ref.actor";
const MODEL: &str = "actor_rollout_ref.model";
const ROLLOUT: &str = "actor_rollout_ref.rollout";

/// The settings and the command.
pub(super) fn sections(emission: &Emission) -> Result<(Vec<Section>, String), Unsupported> {
    let (Some(rl), Some(rollout)) = (&emission.job.workload.rl, &emission.plan.rollout) else {
        return Err(Unsupported { message: "The plan has no generation engine.".to_owned() });
    };
    let sections = vec![
        batch(rl),
        model(emission),
        actor(emission),
        micro_batches(emission, rl),
        reference_policy(emission),
        value(emission),
        generation(emission, rl, rollout),
        reward(rl, rollout),
        algorithm(emission, rl),
        cluster(emission, rl),
    ];
    Ok((sections, "python3 -m verl.trainer.main_ppo \"${args[@]}\"".to_owned()))
}

fn batch(rl: &Rl) -> Section {
    let mut section = Section::new("Batch");
    let (prompts, n) = (rl.prompts_per_step, rl.responses_per_prompt);
    section.set(
        "data.train_batch_size",
        prompts,
        format!("{} prompts × {n} = {} a step", count(prompts), plural(rl.sequences(), "sequence", "sequences")),
    );
    if rl.gen_batch_size != prompts {
        section.set("data.gen_batch_size", rl.gen_batch_size, "prompts generated at a time, from your question");
    }
    section.set(format!("{ROLLOUT}.n"), n, "responses per prompt, from your question");
    let updates = prompts.div_ceil(rl.mini_batch.max(1));
    section.set(
        format!("{ACTOR}.ppo_mini_batch_size"),
        rl.mini_batch,
        format!("prompts, not sequences; {} a step", plural(updates, "update", "updates")),
    );
    section.set(
        format!("{ACTOR}.ppo_epochs"),
        rl.epochs,
        format!("{} over the samples", plural(rl.epochs, "pass", "passes")),
    );
    section.set("data.max_prompt_length", rl.max_prompt_length, "from your question");
    section.set("data.max_response_length", rl.max_response_length, "from your question");
    section.set("data.filter_overlong_prompts", "True", "a longer prompt would stop the run");
    section.set("data.train_files", home("data/train.parquet"), "change this to your data");
    section.set("data.val_files", home("data/test.parquet"), "change this to your data");
    section
}

fn model(emission: &Emission) -> Section {
    let mut section = Section::new("Model");
    let (job, layout) = (emission.job, &emission.plan.layout);
    let (path, reason) = trained(job, &job.model);
    section.set(format!("{MODEL}.path"), path, reason);
    let packed = job.workload.packing;
    let reason = if packed { "packs sequences, no padding tokens" } else { "padded, from your question" };
    section.set(format!("{MODEL}.use_remove_padding"), flag(packed), reason);
    if layout.backend == Backend::Fsdp {
        checkpointing(&mut section, MODEL, layout, emission.answer.fits);
    }
    if layout.fused_lm_head {
        fused_kernels(&mut section, MODEL, layout.backend);
    } else {
        section.set(format!("{MODEL}.use_fused_kernels"), "False", "the estimate holds the logits in memory");
    }
    if let Some(lora) = job.workload.lora {
        adapters(&mut section, MODEL, layout.backend, lora);
    }
    section
}

fn actor(emission: &Emission) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let (gpus, _) = pools(job);
    let mut section = Section::new(format!("Layout of the actor: {}", layout_title(layout, gpus)));
    let engine = Engine {
        keys: match layout.backend {
            Backend::Megatron => "actor_rollout_ref.actor.megatron.",
            _ => "actor_rollout_ref.actor.fsdp_config.",
        },
        optim: "actor_rollout_ref.actor.optim.",
        layout,
        shape: &job.model.shape,
        gpus,
        phases: true,
        fits: emission.answer.fits,
    };
    if layout.backend == Backend::Megatron {
        section.set("model_engine", "megatron", "the backend of every role");
        engine.megatron(&mut section, job);
    } else {
        section.set(format!("{ACTOR}.strategy"), "fsdp2", "the reference follows");
        engine.fsdp(&mut section, job);
    }
    let lr = rate(&job.workload);
    section.set(format!("{ACTOR}.optim.lr"), lr, "a start; yours to tune");
    section
}

fn micro_batches(emission: &Emission, rl: &Rl) -> Section {
    let (job, layout) = (emission.job, &emission.plan.layout);
    let mut section = Section::new("What one forward pass takes on one GPU");
    let (split, longest) = (layout.sequence_split(), rl.max_length());
    match layout.micro_batch {
        MicroBatch::Tokens(tokens) => {
            section.set(format!("{ACTOR}.use_dynamic_bsz"), "True", "packs short sequences together up to a budget");
            section.set(format!("{ACTOR}.ppo_max_token_len_per_gpu"), tokens, budget(tokens, split, longest));
            section.set(format!("{ROLLOUT}.log_prob_use_dynamic_bsz"), "True", "must be the actor's");
            section.set(
                format!("{ROLLOUT}.log_prob_max_token_len_per_gpu"),
                tokens.saturating_mul(2),
                "forward only: twice the actor's",
            );
        }
        MicroBatch::Sequences(micro) => {
            let (gpus, _) = pools(job);
            let per_rank = rl.sequences() / u64::from(layout.data_parallel(gpus));
            let twice = forward_micro(micro, per_rank);
            section.set(format!("{ACTOR}.use_dynamic_bsz"), "False", "the plan counts sequences");
            section.set(format!("{ACTOR}.ppo_micro_batch_size_per_gpu"), micro, "sequences, from the plan");
            section.set(format!("{ROLLOUT}.log_prob_use_dynamic_bsz"), "False", "must be the actor's");
            section.set(format!("{ROLLOUT}.log_prob_micro_batch_size_per_gpu"), twice.0, twice.1);
        }
    }
    section
}

fn algorithm(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Algorithm");
    let algorithm = emission.job.workload.kind.algorithm();
    let critic = emission.job.workload.kind.has_critic();
    let (estimator, reason) = if critic {
        ("gae", "PPO: the critic estimates values")
    } else {
        ("grpo", "advantages from the responses of one prompt, no critic")
    };
    section.set("algorithm.adv_estimator", estimator, reason);
    let in_reward = rl.reference && critic;
    let in_loss = rl.reference && !in_reward;
    let reason = if in_reward { "PPO's penalty for leaving the reference" } else { "no penalty in the reward" };
    section.set("algorithm.use_kl_in_reward", flag(in_reward), reason);
    if in_reward {
        section.set("algorithm.kl_ctrl.kl_coef", "0.001", "veRL's default; yours to tune");
    }
    let reason = match (in_loss, rl.reference) {
        (true, _) => "keeps the policy near the reference, from your question",
        (false, true) => "the penalty is in the reward",
        (false, false) => "no reference policy to compute",
    };
    section.set(format!("{ACTOR}.use_kl_loss"), flag(in_loss), reason);
    if in_loss {
        section.set(format!("{ACTOR}.kl_loss_coef"), "0.001", "veRL's default; yours to tune");
        section.set(format!("{ACTOR}.kl_loss_type"), "low_var_kl", "the unbiased estimate with low variance");
    }
    if let Some(algorithm) = algorithm {
        loss(&mut section, algorithm);
    }
    if rl.oversampling > 1.0 {
        section.set(
            "algorithm.filter_groups.enable",
            "True",
            format!(
                "drops prompts whose responses all score alike; the estimate generates {} for each that stays",
                figure(rl.oversampling)
            ),
        );
        section.set("algorithm.filter_groups.metric", "acc", "the score that is compared");
    }
    let filters = algorithm.is_some_and(|own| own.oversampling.is_some());
    if rl.oversampling > 1.0 || filters {
        section.set("reward.reward_manager.name", "dapo", "gives `acc`, the score of each response");
    }
    if !rl.old_log_prob {
        section.set(
            "algorithm.rollout_correction.bypass_mode",
            "True",
            "takes the engine's log-probabilities for the old ones: one pass less",
        );
    }
    section
}

/// The loss, where the algorithm has one of its own: veRL's defaults are the others'.
fn loss(section: &mut Section, algorithm: &Algorithm) {
    let Some(clip) = algorithm.loss.clip else {
        return;
    };
    let name = algorithm.name;
    section.set(format!("{ACTOR}.clip_ratio_low"), format!("{:?}", clip.low), name);
    section.set(format!("{ACTOR}.clip_ratio_high"), format!("{:?}", clip.high), clip.why);
    if let Some(dual) = clip.dual {
        section.set(format!("{ACTOR}.clip_ratio_c"), format!("{dual:?}"), format!("{name}'s bound of the dual clip"));
    }
    let (mode, reason) = match algorithm.loss.mean {
        Unit::Token => ("token-mean", format!("{name}: every token counts alike")),
        Unit::Response => ("seq-mean-token-mean", format!("{name}: every response counts alike")),
    };
    section.set(format!("{ACTOR}.loss_agg_mode"), mode, reason);
    if algorithm.loss.ratio == Unit::Response {
        section.set(format!("{ACTOR}.policy_loss.loss_mode"), "gspo", "one ratio for each response");
    }
}
