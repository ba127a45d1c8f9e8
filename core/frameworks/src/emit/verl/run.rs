//! Where a run happens and how long: pools, rendezvous, checkpoints, steps.

use super::super::Emission;
use super::super::text::Section;
use super::super::words::{figure, plural};
use shardwise_question::wire::Schedule;
use shardwise_question::workload::Rl;
use shardwise_rules::{nodes, pools};

const ROLLOUT: &str = "actor_rollout_ref.rollout";

/// Brings the nodes into one cluster of Ray before the trainer on the first asks for all of it (`docs/start/multinode.rst`).
/// Every node runs these lines; all but the first stay in them until the run ends.
pub(super) fn ray(gpus: u32) -> Vec<(String, String)> {
    let line = |code: &str, reason: &str| (code.to_owned(), reason.to_owned());
    vec![
        line("if [ \"$NODE_RANK\" != 0 ]; then", "all but the first node"),
        line(
            "  until ray health-check --address \"$MASTER_ADDR:6379\" 2>/dev/null; do sleep 5; done",
            "wait for the first",
        ),
        line("  ray start --address=\"$MASTER_ADDR:6379\" --block", "lend it their GPUs until it stops"),
        line("  exit", "and do nothing else"),
        line("fi", ""),
        line("ray start --head --port=6379", "the first node leads"),
        line("trap 'ray stop' EXIT", "its end is that of all"),
        (
            format!(
                "python3 -c 'import ray, time; ray.init(); [time.sleep(5) for _ in iter(lambda: ray.cluster_resources().get(\"GPU\", 0) < {gpus}, False)]'"
            ),
            format!("waits for all {gpus} GPUs: the trainer does not"),
        ),
    ]
}

pub(super) fn cluster(emission: &Emission, rl: &Rl) -> Section {
    let (job, answer) = (emission.job, emission.answer);
    let mut section = Section::new("Cluster and run");
    let (train, generate) = pools(job);
    let per_node = job.hardware.gpus_per_node;
    if let Some((count, gpus)) = nodes(train, per_node) {
        section.set("trainer.n_gpus_per_node", gpus, "from your question");
        section.set("trainer.nnodes", count, "from your question");
    }
    if rl.schedule != Schedule::Colocated {
        let steps = rl.prompts_per_step / rl.mini_batch.max(1);
        section.set("trainer.v1.trainer_mode", "separate_async", "generation has GPUs of its own and runs ahead");
        section.set(
            "trainer.v1.separate_async.parameter_sync_step",
            steps,
            format!("{}: new weights once a step", plural(steps, "update", "updates")),
        );
        section.set(
            "trainer.v1.sampler.max_off_policy_threshold",
            rl.max_staleness,
            "versions a sample may lag behind",
        );
        section.set("actor_rollout_ref.hybrid_engine", "False", "no engine on the GPUs that train");
        if let Some((count, gpus)) = nodes(generate, per_node) {
            section.set(format!("{ROLLOUT}.nnodes"), count, "nodes that generate");
            section.set(format!("{ROLLOUT}.n_gpus_per_node"), gpus, "GPUs of each that generate");
        }
        section.set(format!("{ROLLOUT}.checkpoint_engine.backend"), "nccl", "sends the weights between the pools");
    }
    section.set("trainer.logger", "'[\"console\"]'", "veRL's default also wants a wandb account");
    let tokens = answer.tokens_per_s * answer.step_time_s;
    match (job.workload.tokens, &answer.run) {
        (Some(total), Some(run)) if tokens.is_finite() && tokens > 0.0 && total / tokens < 1e12 => {
            let cost = run.usd.map(|usd| format!(", ${}", figure(usd))).unwrap_or_default();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 1e12 and positive")]
            let steps = (total / tokens).ceil().max(1.0) as u64;
            section.set("trainer.total_training_steps", steps, format!("{} h{cost}", figure(run.hours)));
        }
        _ => section.set("trainer.total_epochs", 1, "passes over your data; yours to choose"),
    }
    section.set(
        "trainer.save_freq",
        20,
        "steps between checkpoints, as in most of veRL's scripts; its default saves none",
    );
    section.set("trainer.test_freq", 5, "steps between validations; veRL's default makes none on the way");
    section
}
