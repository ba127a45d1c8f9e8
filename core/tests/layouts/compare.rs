//! A group's best measured layout beside what the search proposes for the same question.

use shardwise_core::wire::{Answer, PlanSpec, Question, RolloutPlanSpec, WorkloadKind};
use shardwise_core::{InputError, evaluate_alone, search};

use super::groups::Group;

/// Proposals looked at.
const PROPOSALS: usize = 10;

/// Seconds closer than this are the same: the search ranks by three digits.
const SAME: f64 = 1.001;

/// What the search says about a group.
pub(crate) struct Compared {
    /// Place of the best measured layout among the proposals, by our estimate; none beyond those looked at.
    pub(crate) rank: Option<usize>,
    /// Our seconds for it over those of the search's first.
    pub(crate) over: f64,
    /// Whether it fits, as estimated.
    pub(crate) fits: bool,
    /// Tokens per second that are estimated for it, over the measured.
    pub(crate) estimated: f64,
    /// The search's first.
    pub(crate) first: PlanSpec,
}

impl Compared {
    /// Among the first three, or within 5 % of the first.
    pub(crate) fn found(&self) -> bool {
        self.over <= 1.05 || self.rank.is_some_and(|rank| rank <= 3)
    }
}

/// What the search has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pin {
    /// All that the group's runs share: what they tried is what is searched.
    Shared,
    /// The framework: its backend, numerics, kernels and switches.
    Framework,
    /// The framework, and the measured layout is its sizes of groups of GPUs: what goes through them the search chooses, as it
    /// does for the layouts it proposes.
    Parallel,
    /// Nothing but the release of the engine that ran: no layout.
    Nothing,
}

/// Compares.
pub(crate) fn compare(group: &Group, pin: Pin) -> Result<Compared, InputError> {
    let best = group.best();
    let own = match pin {
        Pin::Parallel => resized(group)?,
        _ => evaluate_alone(&best.question)?.answer,
    };
    let specs = match pin {
        Pin::Shared => vec![Some(group.shared())],
        Pin::Framework | Pin::Parallel => group.frameworks().into_iter().map(Some).collect(),
        Pin::Nothing => vec![engine_that_ran(&best.question)],
    };
    let mut found = Vec::new();
    for spec in specs {
        found.extend(proposals(&best.question, spec)?);
    }
    // Of several frameworks.
    found.sort_by(|a, b| {
        let seconds = a.step_time_s.total_cmp(&b.step_time_s);
        b.fits.cmp(&a.fits).then(seconds)
    });
    let first = &found[0];
    let faster = found
        .iter()
        .take(PROPOSALS)
        .filter(|plan| plan.fits && plan.step_time_s * SAME < own.step_time_s)
        .count();
    Ok(Compared {
        rank: (faster < PROPOSALS).then_some(faster + 1),
        over: own.step_time_s / first.step_time_s,
        fits: own.fits,
        estimated: own.tokens_per_s_per_gpu / best.rate,
        first: first.plan.clone(),
    })
}

/// A plan that says the version of a run's engine alone.
fn engine_that_ran(question: &Question) -> Option<PlanSpec> {
    let version = question.plan.as_ref()?.rollout.as_ref()?.engine_version?;
    let rollout = RolloutPlanSpec { engine_version: Some(version), ..RolloutPlanSpec::default() };
    Some(PlanSpec { rollout: Some(rollout), ..PlanSpec::default() })
}

/// The best plan of the framework with the sizes that were measured best.
fn resized(group: &Group) -> Result<Answer, InputError> {
    let best = group.best();
    let stated = best.question.plan.clone().unwrap_or_default();
    let specs = group.frameworks();
    let own = specs.iter().find(|spec| spec.backend == stated.backend);
    let own = own.cloned().unwrap_or_default();
    let one = |size: Option<u64>| Some(size.unwrap_or(1));
    let engine = stated.rollout.as_ref().map(|rollout| RolloutPlanSpec {
        tensor_parallel: rollout.tensor_parallel,
        ..own.rollout.clone().unwrap_or_default()
    });
    let spec = PlanSpec {
        tensor_parallel: one(stated.tensor_parallel),
        pipeline_parallel: one(stated.pipeline_parallel),
        virtual_pipeline: one(stated.virtual_pipeline),
        context_parallel: one(stated.context_parallel),
        ulysses_parallel: one(stated.ulysses_parallel),
        expert_parallel: one(stated.expert_parallel),
        expert_tensor_parallel: one(stated.expert_tensor_parallel),
        rollout: engine.or(own.rollout.clone()),
        ..own
    };
    let spec = match best.question.workload.kind {
        // Of generation alone there is nothing but an engine.
        WorkloadKind::Rollout => PlanSpec { rollout: spec.rollout, ..PlanSpec::default() },
        _ => spec,
    };
    let first = proposals(&best.question, Some(spec))?.into_iter().next();
    first.ok_or_else(|| InputError::new("plan", "There is no plan of these sizes."))
}

fn proposals(question: &Question, plan: Option<PlanSpec>) -> Result<Vec<Answer>, InputError> {
    let question = Question { plan, ..question.clone() };
    search(&question, None, PROPOSALS).map(|found| found.plans)
}

/// Pairs of a group's runs that differ by `apart` in what was measured: how many there are, and how many of them our
/// estimates order as measured.
pub(crate) fn pairs(group: &Group, apart: f64) -> Result<(usize, usize), InputError> {
    let mut rates = Vec::new();
    for run in &group.runs {
        rates.push((run.rate, evaluate_alone(&run.question)?.answer.tokens_per_s_per_gpu));
    }
    let (mut all, mut right) = (0, 0);
    for (place, faster) in rates.iter().enumerate() {
        for slower in &rates[place + 1..] {
            if faster.0 > slower.0 * apart {
                all += 1;
                right += usize::from(faster.1 > slower.1);
            }
        }
    }
    Ok((all, right))
}

/// A layout in one line: what is above 1 or on.
pub(crate) fn in_short(plan: &PlanSpec) -> String {
    let mut words = Vec::new();
    if let Some(backend) = plan.backend {
        words.push(format!("{backend:?}").to_lowercase());
    }
    for (name, value) in [
        ("tp", plan.tensor_parallel),
        ("pp", plan.pipeline_parallel),
        ("vpp", plan.virtual_pipeline),
        ("cp", plan.context_parallel),
        ("sp", plan.ulysses_parallel),
        ("ep", plan.expert_parallel),
        ("etp", plan.expert_tensor_parallel),
    ] {
        if let Some(value) = value.filter(|value| *value > 1) {
            words.push(format!("{name}{value}"));
        }
    }
    if let Some(stage) = plan.zero_stage.filter(|stage| *stage > 1) {
        words.push(format!("z{stage}"));
    }
    if let Some(micro) = plan.micro_batch {
        words.push(format!("mb{micro}"));
    }
    if let Some(tokens) = plan.max_tokens_per_gpu {
        words.push(format!("{tokens}t"));
    }
    if let Some(recompute) = &plan.recompute {
        let text = serde_json::to_string(recompute).unwrap_or_default();
        let word = if text.contains("modules") {
            text.split('[').nth(1).unwrap_or("").replace(['"', ']', '}'], "")
        } else {
            text.replace('"', "")
        };
        if word != "none" {
            words.push(word);
        }
    }
    if let Some(offload) = plan.offload {
        for (name, moved) in [
            ("par", offload.parameters),
            ("grad", offload.gradients),
            ("opt", offload.optimizer),
            ("act", offload.activations),
        ] {
            if moved {
                words.push(format!("off-{name}"));
            }
        }
    }
    if let Some(engine) = &plan.rollout {
        words.push(format!("engine tp{}", engine.tensor_parallel.unwrap_or(1)));
        if let Some(share) = engine.gpu_memory_utilization {
            words.push(format!("{share}"));
        }
    }
    words.join(" ")
}
