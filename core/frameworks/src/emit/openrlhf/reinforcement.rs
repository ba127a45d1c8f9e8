//! `openrlhf.cli.train_ppo_ray`: PPO, GRPO, DAPO.

use super::super::Emission;
use super::super::checkpoint::trained;
use super::super::choices::run::{drawn, rl_steps};
use super::super::choices::{engine_reason, engines, rate, recompute_reason, updates};
use super::super::text::{Section, home, model_path, share};
use super::super::words::{baseline, figure, layout_title, plural};
use super::{STEPS_THERE, deepspeed, step_by, switch};
use shardwise_catalog::units::shortest;
use shardwise_question::plan::{MicroBatch, Recompute, RolloutPlan};
use shardwise_question::task::{Algorithm, Baseline, Mean, Penalty, Ratio};
use shardwise_question::wire::Schedule;
use shardwise_question::workload::Rl;
use shardwise_rules::{nodes, pools};

/// A job for the Ray cluster that runs on all nodes.
pub(super) const COMMAND: &str = "# Start Ray first: ray start --head on one node, ray start --address on the others.\n\
     ray job submit --address=\"http://127.0.0.1:8265\" -- python3 -m openrlhf.cli.train_ppo_ray \"${args[@]}\"";

pub(super) fn sections(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Vec<Section> {
    vec![
        batch(rl),
        models(emission, rl),
        cluster(emission, rl),
        layout(emission),
        micro_batches(emission),
        generation(emission, rl, rollout),
        algorithm(emission, rl),
        run(emission, rl),
    ]
}

fn batch(rl: &Rl) -> Section {
    let mut section = Section::new("Batch");
    let reason = format!("prompts of a step; {} in all", plural(rl.sequences(), "sequence", "sequences"));
    section.set("--rollout.batch_size", rl.prompts_per_step, reason);
    section.set("--rollout.n_samples_per_prompt", rl.responses_per_prompt, "responses per prompt, from your question");
    let (updates, over) = updates(rl);
    let reason = format!("sequences, not prompts; {} a step", plural(updates, "update", "updates"));
    section.set("--train.batch_size", rl.mini_batch.saturating_mul(rl.responses_per_prompt), reason);
    section.set("--train.max_epochs", rl.epochs, over);
    section.set("--data.max_len", rl.max_length(), "prompt and response; longer prompts are cut");
    section.set("--rollout.max_new_tokens", rl.max_response_length, "tokens of a response, from your question");
    section
}

fn models(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Models");
    let (path, reason) = trained(emission.job, &emission.job.model);
    section.set("--actor.model_name_or_path", path, reason);
    if let Some(critic) = &rl.critic {
        section.set("--critic.model_name_or_path", trained(emission.job, critic).0, "the critic starts from it");
    }
    match &rl.reward_model {
        Some(model) => section.set("--reward.model_name_or_path", model_path(model).0, "scores the responses"),
        None if rl.agent.is_some() => {
            let reason = "calls the tools and scores the response: change this to the file of your AgentExecutor";
            section.set("--train.agent_func_path", home("agent.py"), reason);
        }
        None => {
            section.set("--reward.remote_url", home("reward.py"), "a rule: change this to the file of your reward_func")
        }
    }
    if emission.plan.layout.recompute == Recompute::Full {
        let reason = if rl.critic.is_some() {
            "each layer again from its input: far fewer activations; the critic follows"
        } else {
            recompute_reason(true, emission)
        };
        switch(&mut section, "--actor.gradient_checkpointing_enable", reason);
    }
    section
}

fn cluster(emission: &Emission, rl: &Rl) -> Section {
    let (train, _) = pools(emission.job);
    let mut section = Section::new("Cluster");
    if let Some((machines, gpus)) = nodes(train, emission.job.hardware.gpus_per_node) {
        section.set("--actor.num_nodes", machines, "nodes that train");
        section.set("--actor.num_gpus_per_node", gpus, "GPUs of each");
        let roles = [("ref", rl.reference), ("critic", rl.critic.is_some()), ("reward", rl.reward_model.is_some())];
        for (role, _) in roles.into_iter().filter(|(_, there)| *there) {
            section.set(format!("--{role}.num_nodes"), machines, "as the actor's");
            section.set(format!("--{role}.num_gpus_per_node"), gpus, "as the actor's");
        }
    }
    match rl.schedule {
        Schedule::Colocated => {
            let reason = "every role and engine on the same GPUs, one phase after another";
            switch(&mut section, "--train.colocate_all", reason);
        }
        Schedule::Split if rl.reference => {
            switch(&mut section, "--train.colocate_actor_ref", "the reference on the actor's GPUs, engines on others")
        }
        Schedule::Split => {}
        Schedule::OneStepOff | Schedule::FullyAsync => {
            switch(&mut section, "--train.async_enable", "engines on GPUs of their own, generating while others train");
            let reason = "the trained roles share their GPUs; engines do not, where asynchronous";
            switch(&mut section, "--train.colocate_all", reason);
            let (queue, reason) = if rl.schedule == Schedule::FullyAsync {
                (shortest(rl.max_staleness), "batches that generation may be ahead, from your question")
            } else {
                ("1".to_owned(), "generation is one step ahead")
            };
            section.set("--train.async_queue_size", queue, reason);
            if rl.schedule == Schedule::FullyAsync {
                switch(&mut section, "--train.partial_rollout_enable", "generation goes on while the weights change");
            }
        }
    }
    section
}

fn layout(emission: &Emission) -> Section {
    let (plan, (gpus, _)) = (emission.plan, pools(emission.job));
    let mut section = Section::new(format!("Layout: {}", layout_title(&plan.layout, gpus)));
    deepspeed(emission, &mut section);
    step_by(emission, &mut section, "actor.");
    if plan.layout.offload.optimizer {
        switch(&mut section, "--ds.enable_sleep", "optimizer states and gradients wait in host memory between updates");
    }
    if plan.layout.steps_with_gradients() {
        switch(&mut section, "--ds.adam_offload", STEPS_THERE);
    }
    if plan.reference.is_some_and(|own| own.offload.parameters) {
        switch(&mut section, "--ref.offload", "the reference's weights live in host memory");
    }
    section
}

fn micro_batches(emission: &Emission) -> Section {
    let mut section = Section::new("What one forward pass takes on one GPU");
    let layout = &emission.plan.layout;
    let own = "forward only: its own, from the plan";
    match layout.micro_batch {
        MicroBatch::Tokens(tokens) => {
            switch(&mut section, "--train.dynamic_batch_enable", "packs short sequences together up to a budget");
            section.set("--train.max_tokens_per_gpu", tokens, "tokens, from the plan");
            let (forward, reason) = match layout.forward {
                Some(MicroBatch::Tokens(forward)) => (forward, own),
                _ => (tokens.saturating_mul(2), "forward only: twice the actor's"),
            };
            section.set("--rollout.max_tokens_per_gpu", forward, reason);
        }
        MicroBatch::Sequences(micro) => {
            section.set("--train.micro_batch_size", micro, "sequences, from the plan");
            let (forward, reason) = match layout.forward {
                Some(MicroBatch::Sequences(forward)) => (forward, own),
                _ => (micro, "forward only: the same"),
            };
            section.set("--rollout.micro_batch_size", forward, reason);
        }
    }
    section
}

fn generation(emission: &Emission, rl: &Rl, rollout: &RolloutPlan) -> Section {
    let (engines, tp) = (engines(emission, rollout), rollout.tensor_parallel);
    let mut section = Section::new(format!("Generation: {}", plural(engines, "engine", "engines")));
    section.set("--vllm.num_engines", engines, format!("{engines} × {tp} GPUs generate"));
    section.set("--vllm.tensor_parallel_size", tp, engine_reason(tp));
    let taken = share(rollout.gpu_memory_utilization);
    section.set("--vllm.gpu_memory_utilization", taken, "share of the card that an engine takes");
    section.set("--vllm.sync_backend", "nccl", "weights go from GPU to GPU");
    if rollout.enforce_eager {
        switch(&mut section, "--vllm.enforce_eager", "launches each kernel, as the plan says");
    }
    if rl.schedule == Schedule::Colocated && rollout.free_cache {
        switch(&mut section, "--vllm.enable_sleep", "gives its memory back while training");
    }
    section
}

fn loss(section: &mut Section, algorithm: &Algorithm) {
    if let Some(clip) = algorithm.loss.clip {
        let ratios = format!("{:?} {:?}", clip.low, clip.high);
        section.set("--actor.eps_clip_low_high", ratios, clip.why);
        if let Some(dual) = clip.dual {
            let reason = format!("{}'s bound of the dual clip", algorithm.name);
            section.set("--actor.dual_clip", format!("{dual:?}"), reason);
        }
    }
    let (mean, reason) = match algorithm.loss.mean {
        Mean::Token => ("token-mean", "every token counts alike"),
        Mean::Longest => ("token-mean", "every token counts alike; OpenRLHF divides by no constant length"),
        Mean::Response => ("seq-mean-token-mean", "every response counts alike"),
    };
    section.set("--actor.loss_agg_mode", mean, reason);
    if algorithm.loss.ratio == Ratio::Response {
        section.set("--actor.policy_loss_type", "gspo", "one ratio for each response");
    }
}

/// `--algo.advantage.estimator`; none where `OpenRLHF` has no such baseline.
fn estimator(of: Baseline) -> Option<&'static str> {
    Some(match of {
        Baseline::Critic => "gae",
        Baseline::Group => "group_norm",
        Baseline::GroupMean => "dr_grpo",
        Baseline::Others => "rloo",
        Baseline::Batch => "reinforce",
        Baseline::Greedy | Baseline::Teacher => return None,
    })
}

fn algorithm(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Algorithm");
    let algorithm = emission.job.workload.kind.algorithm();
    if let Some((name, own)) = algorithm.and_then(|own| Some((estimator(own.baseline)?, own))) {
        section.set("--algo.advantage.estimator", name, baseline(own.baseline));
    }
    if rl.reference {
        section.set("--algo.kl.init_coef", "0.001", "keeps the policy near the reference; yours to tune");
        if algorithm.is_some_and(|own| own.penalty == Penalty::Reward) {
            section.set("--algo.kl.estimator", "k1", "the penalty is in the reward");
        } else {
            switch(&mut section, "--algo.kl.use_loss", "the penalty is in the loss");
            section.set("--algo.kl.estimator", "k3", "the unbiased estimate with low variance");
        }
    } else {
        section.set("--algo.kl.init_coef", 0, "no reference policy to compute");
    }
    if let Some(algorithm) = algorithm {
        loss(&mut section, algorithm);
    }
    if rl.oversampling > 1.0 {
        let reason = format!(
            "drops prompts whose responses all score alike; the estimate generates {} for each that stays",
            figure(rl.oversampling)
        );
        switch(&mut section, "--algo.dynamic_filtering_enable", reason);
        let reason = "mean scores that stay, both ends left out; scores are 0 and 1";
        section.set("--algo.dynamic_filtering_range", "0 1", reason);
    }
    section
}

fn run(emission: &Emission, rl: &Rl) -> Section {
    let mut section = Section::new("Run");
    section.set("--actor.adam.lr", rate(&emission.job.workload), "a start; yours to tune");
    if rl.critic.is_some() {
        section.set("--critic.adam.lr", "9e-6", "OpenRLHF's default; yours to tune");
    }
    section.set("--data.prompt_dataset", home("data/train"), "change this to your data");
    section.set("--data.input_key", "input", "the column with the prompt");
    section.set("--data.label_key", "label", "the column that your reward_func reads");
    let workload = &emission.job.workload;
    let prompts = rl.prompts_per_step as f64 * rl.oversampling;
    let drawn = drawn(workload, rl_steps(workload, rl) as f64, prompts);
    for (key, (value, reason)) in ["--train.num_episodes", "--data.max_samples"].into_iter().zip(drawn) {
        section.set(key, value, reason);
    }
    section.set("--ckpt.output_dir", home("output/shardwise"), "change this to your folder");
    section
}
