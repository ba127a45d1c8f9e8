//! Rules about more than a setting: the machine, what trains, and how generation and training take turns.

use serde_json::{Map, Value};

use super::{Case, LLMFORGE_COOKBOOK, Proposal, Rule, one, rule};
use shardwise_question::complete::training_gpus;
use shardwise_question::job::RANK;
use shardwise_question::job::STALENESS;
use shardwise_question::wire::{LoraTargets, Schedule, VisionTower, WorkloadKind};
use shardwise_question::workload::Lora;

const ONE_STEP_OFF: &str =
    "https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/advance/one_step_off.md";
const FULLY_ASYNC: &str =
    "https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/advance/fully_async.md";
const BALANCING: &str = "https://github.com/volcengine/verl/pull/2452";
const ROLLOUT_CORRECTION: &str =
    "https://github.com/volcengine/verl/blob/b178a3cd56f58b2d502255daba591e92833930a7/docs/algo/rollout_corr.md";

/// Every network costs something: from this share of the step it is slow.
const SLOW_NETWORK: f64 = 0.1;

/// Machine, weights that train, schedule.
pub(super) const RULES: [Rule; 6] = [
    rule("one-node", LLMFORGE_COOKBOOK, &["hardware.gpus"], |case| {
        let hardware = &case.job().hardware;
        let mut job = case.job().clone();
        job.hardware.gpus = hardware.gpus_per_node;
        let all = training_gpus(case.job()) == hardware.gpus;
        if let Some(rl) = &mut job.workload.rl {
            rl.train_gpus = job.hardware.gpus;
        }
        (hardware.nodes() > 1 && all).then(|| Proposal {
            job: Some((job, Map::new())),
            ..Proposal::new("One node with more gradient accumulation in place of a network", *case.plan)
        })
    })
    .noticed_from(SLOW_NETWORK),
    rule("adapters", LLMFORGE_COOKBOOK, &[], |case| {
        let workload = &case.job().workload;
        if case.now.fits || workload.kind != WorkloadKind::Sft {
            return None;
        }
        let mut job = case.job().clone();
        job.workload.kind = WorkloadKind::Lora;
        job.workload.lora = Some(Lora { rank: RANK, targets: LoraTargets::default(), quantized_base: false });
        let mut set = one("workload.kind", "lora".into());
        // Adapters leave the vision tower as it is.
        if let Some(images) = &mut job.workload.images {
            images.tower = VisionTower::Frozen;
            set.insert("workload.images.vision_tower".to_owned(), Value::Null);
        }
        Some(Proposal {
            job: Some((job, set)),
            note: "It trains low-rank adapters in place of the weights.",
            ..Proposal::new("LoRA", *case.plan)
        })
    }),
    rule("rollout-log-probs", ROLLOUT_CORRECTION, &[], |case| {
        let mut job = case.job().clone();
        let rl = job.workload.rl.as_mut().filter(|rl| rl.old_log_prob)?;
        rl.old_log_prob = false;
        Some(Proposal {
            job: Some((job, one("workload.rl.old_log_prob", false.into()))),
            note: "It changes training: importance weights then correct for the engine's rounding.",
            ..Proposal::new("Taking the engine's log-probabilities", *case.plan)
        })
    })
    .of_the_plan(),
    rule("balance-batch", BALANCING, &[], |case| {
        let mut job = case.job().clone();
        // PRIME tells groups by their places.
        let keeps_order = job.workload.kind.has_process_reward();
        let rl = job.workload.rl.as_mut().filter(|rl| !rl.balance_batch && !keeps_order)?;
        rl.balance_batch = true;
        Some(Proposal {
            job: Some((job, one("workload.rl.balance_batch", true.into()))),
            ..Proposal::new("Giving every rank as many tokens (balance_batch)", *case.plan)
        })
    }),
    rule("one-step-off", ONE_STEP_OFF, &[], |case| {
        let what = "Generating one step ahead";
        beside(case, Schedule::OneStepOff, "one_step_off", what)
    }),
    rule("fully-async", FULLY_ASYNC, &[], |case| {
        let what = "Generating without waiting for training";
        beside(case, Schedule::FullyAsync, "fully_async", what)
    }),
];

/// Generation beside training on half of the GPUs each, in place of taking turns on all of them.
fn beside(case: &Case<'_>, schedule: Schedule, word: &'static str, what: &str) -> Option<Proposal> {
    let mut job = case.job().clone();
    let half = job.hardware.gpus / 2;
    let rl = job.workload.rl.as_mut()?;
    if rl.schedule != Schedule::Colocated || half == 0 {
        return None;
    }
    rl.schedule = schedule;
    if schedule == Schedule::FullyAsync {
        rl.max_staleness = STALENESS;
    }
    rl.train_gpus = half;
    let mut set = one("workload.rl.schedule", word.into());
    set.insert("workload.rl.train_gpus".to_owned(), half.into());
    Some(Proposal {
        job: Some((job, set)),
        note: "It changes training: responses come from older weights.",
        ..Proposal::new(&format!("{what}, on {half} GPUs of its own,"), *case.plan)
    })
}
