//! What the guides' rules are worth in the case at hand: single changes to an RL plan, each evaluated.

use crate::complete::{generating_gpus, training_gpus};
use crate::context::Context;
use crate::job::Job;
use crate::plan::{Layout, MicroBatch, Plan, Recompute, RolloutPlan};
use crate::rl::{self, Sides};
use crate::step::Step;
use crate::units::fixed;
use crate::wire::{Advice, Backend, Offload, Schedule, Severity};
use crate::workload::{Rl, Workload};

const VERL_GUIDE: &str = "https://github.com/volcengine/verl/blob/main/docs/perf/perf_tuning.rst";
const PRACTICE: &str = "https://github.com/ISEEKYAN/verl_megatron_practice";

const ONE_STEP_OFF: &str =
    "https://github.com/volcengine/verl/blob/main/docs/advance/one_step_off.md";

/// `max_num_batched_tokens` that veRL's guide asks for at least: more than 2,048.
const BATCHED_TOKENS: u64 = 8192;

/// Tokens from which veRL's guide splits sequences ("Ulysses Sequence Parallel for Long Context Training").
const LONG: u64 = 8192;

/// Gains below this share of the step are not worth a reader's time.
const NOTICEABLE: f64 = 0.01;

/// A change that a guide advises.
struct Change {
    id: &'static str,
    /// What to set, as the frameworks call it.
    text: String,
    source: &'static str,
    plan: Plan,
}

fn with_layout(plan: &Plan, change: &dyn Fn(&mut Layout)) -> Plan {
    let mut plan = *plan;
    change(&mut plan.layout);
    for other in [&mut plan.critic, &mut plan.reference]
        .into_iter()
        .flatten()
    {
        change(other);
    }
    plan
}

fn with_engine(plan: &Plan, change: &dyn Fn(&mut RolloutPlan)) -> Plan {
    let mut plan = *plan;
    if let Some(engine) = &mut plan.rollout {
        change(engine);
    }
    plan
}

/// The largest share of the card that the engine can take beside what training leaves there, to a twentieth.
fn safe_utilization(context: &Context<'_>, step: &Step) -> f64 {
    let capacity = context.job.hardware.memory_gib;
    let rollout = step.memories.iter().find(|(name, _)| *name == "rollout");
    let resident = rollout.map_or(0.0, |(_, memory)| {
        let own = memory.parts.rollout_weights + memory.parts.kv_cache;
        (memory.reserved_gib() - own).max(0.0)
    });
    let free = (capacity - resident) / capacity;
    ((free * 20.0).floor() / 20.0).min(0.95)
}

fn changes(context: &Context<'_>, plan: &Plan, rl: &Rl, now: &Step) -> Vec<Change> {
    let mut found = Vec::with_capacity(8);
    let mut propose = |id, source, text: String, plan: Plan| {
        found.push(Change {
            id,
            text,
            source,
            plan,
        });
    };
    let layout = &plan.layout;
    if let Some(engine) = &plan.rollout {
        let gpus = generating_gpus(context.job);
        let half = engine.tensor_parallel / 2;
        if half > 0 && engine.expert_parallel <= half * engine.data_parallel {
            let smaller = with_engine(plan, &|engine| engine.tensor_parallel = half);
            let text = format!("Rollout tensor parallelism of {half}");
            propose("rollout-smaller-engines", PRACTICE, text, smaller);
        }
        let safe = safe_utilization(context, now);
        if safe > engine.gpu_memory_utilization + 0.04 {
            let text = format!(
                "gpu_memory_utilization of {}, the largest that is safe",
                fixed(safe, 2)
            );
            let larger = with_engine(plan, &|engine| engine.gpu_memory_utilization = safe);
            propose("rollout-utilization", PRACTICE, text, larger);
        }
        let each = rl
            .sequences()
            .div_ceil(u64::from((gpus / engine.gpus()).max(1)));
        if engine.max_num_seqs < each {
            let more = (engine.max_num_seqs.saturating_mul(2)).min(each);
            let text = format!("max_num_seqs of {more}");
            propose(
                "rollout-max-num-seqs",
                VERL_GUIDE,
                text,
                with_engine(plan, &|engine| engine.max_num_seqs = more),
            );
        }
        if engine.max_num_batched_tokens < BATCHED_TOKENS {
            let text = format!("max_num_batched_tokens of {BATCHED_TOKENS}");
            let more = with_engine(plan, &|engine| {
                engine.max_num_batched_tokens = BATCHED_TOKENS;
            });
            propose("rollout-batched-tokens", VERL_GUIDE, text, more);
        }
        if engine.enforce_eager {
            let text = "enforce_eager off".to_owned();
            propose(
                "rollout-cuda-graphs",
                VERL_GUIDE,
                text,
                with_engine(plan, &|engine| engine.enforce_eager = false),
            );
        }
    }
    let floor = 2 * rl.max_length() / u64::from(layout.sequence_split());
    let budget = match layout.micro_batch {
        MicroBatch::Sequences(_) => floor.max(1),
        MicroBatch::Tokens(tokens) => tokens.saturating_mul(2),
    };
    let (id, text) = match layout.micro_batch {
        MicroBatch::Sequences(_) => (
            "dynamic-batching",
            format!("Dynamic batching with {budget} tokens per GPU"),
        ),
        MicroBatch::Tokens(_) => (
            "token-budget",
            format!("A budget of {budget} tokens per GPU"),
        ),
    };
    // Every role keeps its own: a critic's budget is usually above the actor's.
    let larger = with_layout(plan, &|layout| {
        layout.micro_batch = MicroBatch::Tokens(match layout.micro_batch {
            MicroBatch::Sequences(_) => floor.max(1),
            MicroBatch::Tokens(tokens) => tokens.saturating_mul(2),
        });
    });
    propose(id, VERL_GUIDE, text, larger);
    let gpus = training_gpus(context.job);
    if layout.tensor_parallel > 1 {
        let half = layout.tensor_parallel / 2;
        let text = format!("Tensor parallelism of {half}");
        let smaller = with_layout(plan, &|layout| layout.tensor_parallel = half);
        propose("tensor-parallel-smaller", PRACTICE, text, smaller);
    }
    let twice = layout.ulysses_parallel * 2;
    let shape = &context.job.model.shape;
    if layout.backend == Backend::Fsdp
        && rl.max_length() >= LONG
        && gpus.is_multiple_of(twice * layout.tensor_parallel)
        && shape.num_attention_heads.is_multiple_of(twice.into())
    {
        let text = format!("Ulysses sequence parallelism of {twice}");
        let split = with_layout(plan, &|layout| layout.ulysses_parallel = twice);
        propose("ulysses", VERL_GUIDE, text, split);
    }
    if layout.recompute != Recompute::None {
        let text = "No recomputation".to_owned();
        propose(
            "recompute-off",
            VERL_GUIDE,
            text,
            with_layout(plan, &|layout| layout.recompute = Recompute::None),
        );
    }
    if layout.offload != Offload::default() && rl.schedule == Schedule::Colocated {
        let text = "No offload".to_owned();
        propose(
            "offload-off",
            PRACTICE,
            text,
            with_layout(plan, &|layout| layout.offload = Offload::default()),
        );
    }
    let states = Offload {
        parameters: true,
        gradients: true,
        optimizer: true,
        ..layout.offload
    };
    if tight(context, now) {
        if layout.recompute != Recompute::Full {
            let text = "Full recomputation".to_owned();
            let again = with_layout(plan, &|layout| layout.recompute = Recompute::Full);
            propose("recompute-full", VERL_GUIDE, text, again);
        }
        if layout.offload != states {
            let text = "Offloading parameters, gradients and optimizer".to_owned();
            let moved = with_layout(plan, &|layout| layout.offload = states);
            propose("offload-states", PRACTICE, text, moved);
        }
    }
    if !layout.fused_lm_head {
        let text = "The fused LM head".to_owned();
        propose(
            "fused-lm-head",
            PRACTICE,
            text,
            with_layout(plan, &|layout| layout.fused_lm_head = true),
        );
    }
    found
}

/// Seconds and GiB of a changed plan: only the side that changes is evaluated again.
fn changed(context: &Context<'_>, was: &Plan, plan: &Plan, rl: &Rl, sides: &Sides) -> (f64, f64) {
    let engine = plan
        .rollout
        .as_ref()
        .filter(|engine| was.rollout.as_ref() != Some(engine));
    match engine {
        Some(engine) => {
            let generating = rl::generating_side(context, engine, rl);
            rl::joined(context, plan, rl, &sides.training, &generating)
        }
        None => {
            let training = rl::training_side(context, plan, rl);
            rl::joined(context, plan, rl, &training, &sides.generating)
        }
    }
}

fn faster(what: &str, now: f64, then: f64) -> String {
    format!(
        "{what} takes {} s off the step, {} %.",
        fixed(now - then, 0),
        fixed(100.0 * (1.0 - then / now), 0)
    )
}

fn smaller(what: &str, gib: f64, slower: f64) -> String {
    let saved = fixed(gib, 1);
    if slower >= 0.5 {
        format!(
            "{what} saves {saved} GiB at the peak and takes {} s longer.",
            fixed(slower, 0)
        )
    } else {
        format!("{what} saves {saved} GiB at the peak.")
    }
}

/// Whether memory is what to look after: the plan does not fit, or fills nine tenths of the card.
fn tight(context: &Context<'_>, now: &Step) -> bool {
    now.reserved_gib() > 0.9 * context.job.hardware.memory_gib
}

/// Generation beside training, one step off the policy, on half of the GPUs each: whether that is faster than taking
/// turns on all of them.
fn beside(context: &Context<'_>, plan: &Plan, rl: &Rl, now: &Step) -> Option<(f64, Advice)> {
    let half = context.job.hardware.gpus / 2;
    let engine = plan.rollout.as_ref()?;
    let fits = |gpus: u32| gpus > 0 && half.is_multiple_of(gpus);
    if rl.schedule != Schedule::Colocated
        || !fits(plan.layout.model_parallel())
        || !fits(engine.gpus())
    {
        return None;
    }
    let was = context.job;
    let job = Job {
        model: was.model.clone(),
        hardware: was.hardware.clone(),
        workload: Workload {
            rl: Some(Rl {
                schedule: Schedule::OneStepOff,
                train_gpus: half,
                ..rl.clone()
            }),
            ..was.workload
        },
        calibration: was.calibration,
        caveats: Vec::new(),
    };
    let apart = job.workload.rl.as_ref()?;
    let context = Context {
        job: &job,
        ..context.clone()
    };
    let sides = rl::sides(&context, plan, apart)?;
    let (seconds, reserved) = rl::joined(&context, plan, apart, &sides.training, &sides.generating);
    let gain = 1.0 - seconds / now.seconds;
    (gain >= NOTICEABLE && reserved <= job.hardware.memory_gib).then(|| {
        let advice = Advice {
            id: "one-step-off",
            severity: Severity::Hint,
            text: faster(
                &format!("Generating one step ahead, on {half} GPUs of its own,"),
                now.seconds,
                seconds,
            ),
            source: ONE_STEP_OFF,
        };
        (gain, advice)
    })
}

/// Advice on an RL plan, most valuable first: changes that fit and make the step noticeably faster, or save memory.
#[must_use]
pub fn advice(
    context: &Context<'_>,
    plan: &Plan,
    rl: &Rl,
    now: &Step,
    sides: &Sides,
) -> Vec<Advice> {
    let capacity = context.job.hardware.memory_gib;
    let mut found: Vec<(f64, Advice)> = Vec::new();
    for change in changes(context, plan, rl, now) {
        let (seconds, reserved) = changed(context, plan, &change.plan, rl, sides);
        let gain = 1.0 - seconds / now.seconds;
        let saved = now.reserved_gib() - reserved;
        let fits = reserved <= capacity;
        let smaller_is_better = match change.id {
            "fused-lm-head" => saved > 0.1,
            _ => tight(context, now) && saved > 1.0,
        };
        let text = if fits && gain >= NOTICEABLE {
            faster(&change.text, now.seconds, seconds)
        } else if smaller_is_better {
            smaller(&change.text, saved, seconds - now.seconds)
        } else {
            continue;
        };
        let advice = Advice {
            id: change.id,
            severity: Severity::Hint,
            text,
            source: change.source,
        };
        found.push((gain, advice));
    }
    found.extend(beside(context, plan, rl, now));
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, advice)| advice).collect()
}
