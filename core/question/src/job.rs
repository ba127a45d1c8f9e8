//! From a question to a job: defaults applied, everything invalid refused by name.

mod agent;
mod distillation;
mod hardware;
mod images;
mod lengths;
mod operations;
pub mod owned;
mod reinforcement;
mod rented;
mod run;

use crate::adapters::{Adapters, adapters};
use crate::belonging;
use crate::engines;

use crate::framework::{
    Named, Waking, always_refers, counts_responses, deferred_gradient_bytes, defers_gradients, drives_lightly,
    keeps_base_in_fp32, packs_nothing, pads_responses, repeats_delta_net, summed_gradient_bytes, swaps_reference,
    waking,
};
use crate::market;
use crate::operations::Operations;
use crate::place::Place;
use crate::task::{Preference, Task};
use crate::wire::{
    Calibration, LoraSpec, PlanSpec, Question, RolloutWorkloadSpec, Schedule, WorkloadKind, WorkloadSpec,
};
use crate::workload::{Generation, Lora, Rl, Workload};
pub use hardware::{price, resolve_hardware};
pub use reinforcement::STALENESS;
use reinforcement::resolve_rl;
pub use rented::{ASSUMED_HOST_SHARE, ASSUMED_NETWORK};
pub use run::ASSUMED_STEPS;
use shardwise_catalog::error::{Caveat, InputError};
use shardwise_catalog::hardware::Hardware;
use shardwise_catalog::model::{Model, resolve_model};

/// Least and largest factor of a calibration: beyond, the run is not the one that the question describes.
pub const FACTORS: (f64, f64) = (0.1, 10.0);

/// A question resolved: what to train or generate, and on what.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The model.
    pub model: Model,
    /// The machine.
    pub hardware: Hardware,
    /// The task.
    pub workload: Workload,
    /// How a run of one's own differs from its estimate.
    pub calibration: Option<Calibration>,
    /// What its run meets beside its steps, where the question asks.
    pub operations: Option<Operations>,
    /// The framework that is to run it, where the question names one, or the answer's own where figures go by it.
    pub framework: Option<Chosen>,
    /// Whether the question names that.
    pub framework_stated: bool,
    /// Whether the plan of fine-tuning is looked for and the question names no framework: attention and adapters are then those that
    /// frameworks load by themselves, as one of them is to run what is found. A plan that is stated has those of the runs that are
    /// known.
    pub searched: bool,
    /// How sure it is to be that a plan fits, 0 to 1.
    pub confidence: f64,
    /// What had to be assumed.
    pub caveats: Vec<Caveat>,
}

/// Seconds of a step that a calibration may have a factor of their own for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    /// Generation.
    Rollout,
    /// Passes forward alone.
    Forward,
    /// A whole training step, or updates within an RL step.
    Update,
    /// New weights on their way to the engine.
    WeightSync,
    /// What is none of these.
    Else,
}

/// A framework and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Identifier, as in [`crate::framework::NAMES`].
    pub id: &'static str,
    /// One of its versions.
    pub version: &'static str,
}

impl Job {
    /// GPUs of the job: those of the machine, and a teacher's own.
    #[must_use]
    pub fn gpus(&self) -> u32 {
        self.hardware.gpus + self.workload.teachers_pool().map_or(0, |pool| pool.gpus)
    }

    /// Whether the engine beside training reads the frozen base that the trainer has: the card holds it once.
    #[must_use]
    pub fn shares_base(&self) -> bool {
        let colocated = |rl: &Rl| rl.schedule == Schedule::Colocated;
        self.workload.lora.is_some()
            && self.workload.rl.as_ref().is_some_and(colocated)
            && engines::shares_base(self.framework.map(|own| own.id))
    }

    /// Whose adapters it puts on, where it has any.
    #[must_use]
    pub fn adapters(&self) -> Adapters {
        match self.framework {
            None if self.searched => Adapters::Peft,
            own => adapters(own.map(|own| own.id), self.workload.kind),
        }
    }

    /// Whether the frozen base of adapters has 32 bits under FSDP.
    #[must_use]
    pub fn keeps_base_in_fp32(&self) -> bool {
        keeps_base_in_fp32(self.framework.map(|own| own.id))
    }

    /// Bytes in which Megatron sums gradients, where products have 8 bits or fewer (`narrow`) or not.
    #[must_use]
    pub fn summed_gradient_bytes(&self, narrow: bool) -> f64 {
        summed_gradient_bytes(self.framework.map(|own| own.id), narrow)
    }

    /// Whether FSDP leaves gradients whole until a step's last micro-batch, where the plan says nothing. Those of adapters, which are few,
    /// count as reduced.
    #[must_use]
    pub fn defers_gradients(&self) -> bool {
        self.workload.lora.is_none() && defers_gradients(self.framework.map(|own| own.id))
    }

    /// Bytes of a gradient that FSDP without stages leaves whole.
    #[must_use]
    pub fn deferred_gradient_bytes(&self) -> f64 {
        deferred_gradient_bytes(self.framework.map(|own| own.id))
    }

    /// Whether Gated `DeltaNet` is whole on every GPU of a tensor-parallel group.
    #[must_use]
    pub fn repeats_delta_net(&self) -> bool {
        repeats_delta_net(self.framework.map(|own| own.id))
    }

    /// How an engine that shares its GPUs with training wakes.
    #[must_use]
    pub fn waking(&self) -> Waking {
        waking(self.framework.map(|own| own.id))
    }

    /// Whether what is done between an RL step's phases shrinks with the step.
    #[must_use]
    pub fn drives_lightly(&self) -> bool {
        drives_lightly(self.framework.map(|own| own.id))
    }

    /// Whether a reference with weights of its own takes the policy's place on the card while it is evaluated.
    #[must_use]
    pub fn swaps_reference(&self) -> bool {
        let workload = &self.workload;
        workload.has_reference() && workload.lora.is_none() && swaps_reference(self.framework.map(|own| own.id))
    }

    /// Whether a pass counts sequences, for want of a budget of tokens where responses are learnt from.
    #[must_use]
    pub fn counts_responses(&self) -> bool {
        self.workload.rl.is_some() && counts_responses(self.framework.map(|own| own.id))
    }

    /// Whether what is learnt from is padded, whatever the plan.
    #[must_use]
    pub fn pads_responses(&self) -> bool {
        pads(&self.workload, &self.model, self.framework.map(|own| own.id))
    }

    /// What estimated seconds are multiplied by; 1 without a calibration.
    #[must_use]
    pub fn time_factor(&self, of: Timed) -> f64 {
        let Some(own) = self.calibration else {
            return 1.0;
        };
        let phase = match of {
            Timed::Rollout => own.rollout,
            Timed::Forward => own.forward,
            Timed::Update => own.update,
            Timed::WeightSync => own.weight_sync,
            Timed::Else => own.other,
        };
        phase.or(own.time).unwrap_or(1.0)
    }

    /// This job with another mean response length in its RL step, in tokens.
    #[must_use]
    pub fn with_mean_response(&self, mean: f64) -> Self {
        let mut job = self.clone();
        if let Some(rl) = &mut job.workload.rl {
            rl.mean_response_length = mean;
            job.workload.mean_sequence_length = rl.mean_length();
        }
        job
    }

    /// What all that training's allocator hands out is multiplied by; 1 without a calibration.
    #[must_use]
    pub fn memory_factor(&self) -> f64 {
        self.calibration.and_then(|own| own.memory).unwrap_or(1.0)
    }
}

/// How sure it is to be that a plan fits, where the question does not say.
pub const CONFIDENCE: f64 = 0.95;

/// The rank that adapters have by default.
pub const RANK: u64 = 16;

const MAX_LENGTH: u64 = 1 << 24;
const MAX_BATCH: u64 = 1 << 24;

/// Resolves a question.
///
/// # Errors
/// Names the first field that is missing, out of range, or of no use to such a question, and the remedy.
///
/// ```
/// use shardwise_core::{job, wire};
/// let question = wire::parse_question(r#"{"version": 1, "model": "qwen3-8b",
///     "hardware": {"gpu": "h100-sxm", "gpus": 8},
///     "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64}}"#).unwrap();
/// let job = job::resolve(&question).unwrap();
/// assert_eq!((job.model.name.as_ref(), job.confidence), ("Qwen3 8B", job::CONFIDENCE));
/// ```
pub fn resolve(question: &Question) -> Result<Job, InputError> {
    let mut caveats = Vec::new();
    let model = resolve_model(&question.model, "model")?;
    let hardware = resolve_hardware(&question.hardware)?;
    if market::is_open(&question.hardware) && hardware.offer.is_none() {
        caveats.extend(market::why_none(&question.hardware));
    }
    caveats.extend(owned::assumed(&question.hardware, &hardware));
    let mut workload = resolve_workload(&question.workload, &model, &hardware, &mut caveats)?;
    if let Some(rl) = &mut workload.rl {
        let open = question.workload.rl.as_ref().is_none_or(|spec| spec.reference.is_none());
        rl.reference |= open && always_refers(question.framework.as_deref());
    }
    let framework = question.framework.as_deref();
    if question.workload.packing.is_none() && (packs_nothing(framework) || pads(&workload, &model, framework)) {
        workload.packing = false;
    }
    let calibration = resolve_calibration(question.calibration)?;
    let operations = operations::resolve(question.operations, &workload, &hardware, &mut caveats)?;
    // What is missing comes first: it says more of what was meant.
    belonging::check(question)?;
    let job = Job {
        model,
        hardware,
        workload,
        calibration,
        operations,
        framework: resolve_framework(question)?,
        framework_stated: question.framework.is_some(),
        searched: false,
        confidence: Place::TOP.within("confidence", question.confidence.unwrap_or(CONFIDENCE), 0.5, 0.999)?,
        caveats,
    };
    let decided = question.plan.as_ref().is_some_and(PlanSpec::decides_training);
    Ok(Job { searched: job.workload.fine_tunes() && !job.framework_stated && !decided, ..job })
}

/// Whether responses are padded. A teacher beside its student is TRL's alone.
fn pads(workload: &Workload, model: &Model, framework: Option<&str>) -> bool {
    let longest = |rl: &Rl| pads_responses(framework, &model.shape, rl.max_length());
    workload.rl.as_ref().is_some_and(longest) || workload.rl.is_some() && workload.teacher_beside().is_some()
}

fn resolve_framework(question: &Question) -> Result<Option<Chosen>, InputError> {
    let (Some(id), version) = (&question.framework, &question.framework_version) else {
        return match &question.framework_version {
            None => Ok(None),
            Some(_) => Err(InputError::new(
                "framework_version",
                "This is the version of no framework. Give framework too, or leave it out.",
            )),
        };
    };
    let own = Named::of(id)?;
    let version = own.version(version.as_deref().unwrap_or_default())?;
    Ok(Some(Chosen { id: own.id, version }))
}

fn resolve_calibration(spec: Option<Calibration>) -> Result<Option<Calibration>, InputError> {
    let Some(own) = spec else {
        return Ok(None);
    };
    let (least, most) = FACTORS;
    let at = Place::at("calibration");
    for (key, factor) in own.factors() {
        factor.map(|factor| at.within(key, factor, least, most)).transpose()?;
    }
    Ok((own != Calibration::default()).then_some(own))
}

fn resolve_workload(
    spec: &WorkloadSpec,
    model: &Model,
    hardware: &Hardware,
    caveats: &mut Vec<Caveat>,
) -> Result<Workload, InputError> {
    let at = Place::at("workload");
    let kind = spec.kind;
    let mut workload = Workload {
        kind,
        precision: spec.precision.unwrap_or(hardware.half()),
        packing: spec.packing.unwrap_or(kind.preference().is_none()),
        says_packed: spec.packing == Some(true),
        sequence_length: 0,
        mean_sequence_length: 0.0,
        sequence_length_cv: 0.0,
        global_batch: 1,
        lora: resolve_lora(kind, spec.lora)?,
        images: None,
        distillation: None,
        reference: kind.preference().is_some_and(Preference::has_reference)
            && spec.precompute_ref_log_probs != Some(true),
        rl: None,
        generation: None,
        run: run::resolve(spec, caveats)?,
        checkpoints: run::checkpoints(spec)?,
    };
    match kind.task() {
        Task::Train | Task::Prefer(_) => {
            let length = at.required("sequence_length", spec.sequence_length)?;
            workload.sequence_length = at.positive("sequence_length", length, MAX_LENGTH)?;
            (workload.mean_sequence_length, workload.sequence_length_cv) = lengths::resolve(spec, length, caveats)?;
            let batch = at.required("global_batch", spec.global_batch)?;
            workload.global_batch = at.positive("global_batch", batch, MAX_BATCH)?;
        }
        Task::Rl(algorithm) => {
            let rl = spec
                .rl
                .as_ref()
                .ok_or_else(|| InputError::new("workload.rl", "RL workloads need this object. Give it prompts_per_step, max_prompt_length and max_response_length."))?;
            let rl = resolve_rl(algorithm, rl, model, hardware, caveats)?;
            workload.sequence_length = rl.max_length();
            workload.mean_sequence_length = rl.mean_length();
            workload.global_batch = rl.mini_batch * rl.responses_per_prompt;
            workload.rl = Some(rl);
        }
        Task::Generate => {
            let rollout = spec
                .rollout
                .as_ref()
                .ok_or_else(|| InputError::new("workload.rollout", "A rollout workload needs this object."))?;
            let generation = resolve_generation(rollout)?;
            workload.mean_sequence_length = generation.mean_prompt_length + generation.mean_response_length;
            workload.sequence_length = workload.mean_sequence_length.ceil() as u64;
            workload.global_batch = generation.requests;
            workload.generation = Some(generation);
        }
    }
    if let Some(spec) = &spec.images {
        workload.images = images::resolve(spec, model, &workload, caveats)?;
    }
    workload.distillation = distillation::resolve(spec, (model, hardware), caveats)?;
    Ok(workload)
}

fn resolve_lora(kind: WorkloadKind, spec: Option<LoraSpec>) -> Result<Option<Lora>, InputError> {
    let adapters = matches!(kind, WorkloadKind::Lora | WorkloadKind::Qlora);
    if !adapters && spec.is_none() {
        return Ok(None);
    }
    let spec = spec.unwrap_or_default();
    Ok(Some(Lora {
        rank: Place::at("workload.lora").positive("rank", spec.rank.unwrap_or(RANK), 4096)?,
        targets: spec.targets.unwrap_or_default(),
        quantized_base: kind == WorkloadKind::Qlora || spec.load_in_4bit == Some(true),
    }))
}

fn resolve_generation(spec: &RolloutWorkloadSpec) -> Result<Generation, InputError> {
    let at = Place::at("workload.rollout");
    let length = |key: &str, mean: Option<f64>| at.within(key, at.required(key, mean)?, 1.0, MAX_LENGTH as f64);
    Ok(Generation {
        requests: at.positive("requests", at.required("requests", spec.requests)?, 1 << 32)?,
        mean_prompt_length: length("mean_prompt_length", spec.mean_prompt_length)?,
        mean_response_length: length("mean_response_length", spec.mean_response_length)?,
        response_length_cv: at.within("response_length_cv", spec.response_length_cv.unwrap_or(0.0), 0.0, 10.0)?,
    })
}
