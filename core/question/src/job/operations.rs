//! What a run meets beside its steps: defaults, and what is out of range.

use crate::operations::{
    Evaluation, GRID_GCO2_PER_KWH, MTBF_GPU_HOURS, NODE_FACTOR, Often, Operations, PUE, Power, STARTUP_S,
    STORAGE_GB_PER_S_PER_NODE, SavingPlan, UTILIZATION, counts,
};
use crate::place::Place;
use crate::wire::{EvaluationSpec, FailuresSpec, OperationsSpec, PowerSpec, SavingSpec};
use crate::workload::Workload;
use shardwise_catalog::error::{Caveat, InputError};
use shardwise_catalog::hardware::Hardware;
use shardwise_catalog::units::{grouped, shortest};

const AT: Place<'static> = Place::at("operations");

/// Seconds of a start, a restart, an evaluation: four months are a slip of the unit.
const SECONDS: (f64, f64) = (0.0, 1e7);
const STEPS: u64 = 1_000_000_000;
const MINUTES: (f64, f64) = (0.01, 1e6);
const STORAGE: (f64, f64) = (0.001, 1e6);
const MTBF: (f64, f64) = (1.0, 1e9);
const INTERRUPTIONS: (f64, f64) = (0.0, 1000.0);
const BOARD_W: (f64, f64) = (1.0, 10_000.0);
const GRID: (f64, f64) = (0.0, 2000.0);

/// Nothing where the question states nothing, or has no run that it could be of.
pub(super) fn resolve(
    spec: Option<OperationsSpec>,
    workload: &Workload,
    hardware: &Hardware,
    caveats: &mut Vec<Caveat>,
) -> Result<Option<Operations>, InputError> {
    let Some(spec) = spec else {
        return Ok(None);
    };
    let restart = spec.restart_s.map(|s| AT.within("restart_s", s, SECONDS.0, SECONDS.1));
    let interruptions = spec.interruptions_per_instance_hour.unwrap_or(0.0);
    let own = Operations {
        startup_s: AT.within("startup_s", spec.startup_s.unwrap_or(STARTUP_S), SECONDS.0, SECONDS.1)?,
        evaluation: evaluation(spec.evaluation)?,
        saving: saving(spec.checkpoint.unwrap_or_default(), hardware)?,
        mtbf_gpu_hours: failures(spec.failures.unwrap_or_default())?,
        interruptions_per_instance_hour: AT.within(
            "interruptions_per_instance_hour",
            interruptions,
            INTERRUPTIONS.0,
            INTERRUPTIONS.1,
        )?,
        restart_s: restart.transpose()?,
        power: power(spec.power.unwrap_or_default(), hardware)?,
    };
    if !counts(workload) {
        caveats.push(Caveat::new(
            "operations-without-run",
            "Nothing says how long the run is, so what it meets beside its steps is not counted. State workload.tokens, or steps or examples of workload.run.",
        ));
        return Ok(None);
    }
    caveats.extend(assumed(&spec, &own, hardware));
    Ok(Some(own))
}

fn evaluation(spec: Option<EvaluationSpec>) -> Result<Evaluation, InputError> {
    let at = AT.below("evaluation");
    let own = spec.unwrap_or_default();
    match (own.every_steps, own.seconds, own.share) {
        (None, None, share) => Ok(Evaluation::Share(at.within("share", share.unwrap_or(0.0), 0.0, 10.0)?)),
        (Some(steps), Some(seconds), None) => Ok(Evaluation::Every {
            steps: at.positive("every_steps", steps, STEPS)?,
            seconds: at.within("seconds", seconds, SECONDS.0, SECONDS.1)?,
        }),
        (_, _, Some(_)) => {
            Err(at.wrong("share", "Evaluation is stated twice. Give a share, or every_steps and seconds, not both."))
        }
        (None, ..) => Err(at.wrong("every_steps", "How often it is evaluated is missing. Give every_steps too.")),
        _ => Err(at.wrong("seconds", "How long one evaluation takes is missing. Give seconds too.")),
    }
}

fn saving(spec: SavingSpec, hardware: &Hardware) -> Result<Option<SavingPlan>, InputError> {
    let at = AT.below("checkpoint");
    let every = match (spec.every_steps, spec.every_minutes) {
        (Some(_), Some(_)) => {
            return Err(at.wrong(
                "every_minutes",
                "How often a checkpoint is saved is stated twice. Give every_steps or every_minutes, not both.",
            ));
        }
        (Some(steps), None) => Often::Steps(at.positive("every_steps", steps, STEPS)?),
        (None, Some(minutes)) => Often::Seconds(60.0 * at.within("every_minutes", minutes, MINUTES.0, MINUTES.1)?),
        (None, None) => Often::Best,
    };
    let usual = STORAGE_GB_PER_S_PER_NODE * f64::from(hardware.nodes());
    let storage = at.within("storage_gb_per_s", spec.storage_gb_per_s.unwrap_or(usual), STORAGE.0, STORAGE.1)?;
    let own = SavingPlan { every, bytes_per_s: storage * 1e9, asynchronous: spec.asynchronous.unwrap_or(false) };
    Ok(spec.on.unwrap_or(true).then_some(own))
}

fn failures(spec: FailuresSpec) -> Result<Option<f64>, InputError> {
    let hours = spec.mtbf_gpu_hours.unwrap_or(MTBF_GPU_HOURS);
    let hours = AT.below("failures").within("mtbf_gpu_hours", hours, MTBF.0, MTBF.1)?;
    Ok(spec.on.unwrap_or(true).then_some(hours))
}

fn power(spec: PowerSpec, hardware: &Hardware) -> Result<Option<Power>, InputError> {
    let at = AT.below("power");
    let board = spec.board_w.map(|watts| at.within("board_w", watts, BOARD_W.0, BOARD_W.1));
    let grid = spec.grid_gco2_per_kwh.unwrap_or(GRID_GCO2_PER_KWH);
    let own = Power {
        board_w: board.transpose()?.or(hardware.board_w),
        node_factor: at.within("node_factor", spec.node_factor.unwrap_or(NODE_FACTOR), 1.0, 10.0)?,
        utilization: at.within("utilization", spec.utilization.unwrap_or(UTILIZATION), 0.0, 1.0)?,
        pue: at.within("pue", spec.pue.unwrap_or(PUE), 1.0, 10.0)?,
        grid_gco2_per_kwh: at.within("grid_gco2_per_kwh", grid, GRID.0, GRID.1)?,
    };
    Ok(spec.on.unwrap_or(true).then_some(own))
}

/// What is assumed where the question does not say.
fn assumed(spec: &OperationsSpec, own: &Operations, hardware: &Hardware) -> Vec<Caveat> {
    let mut found = Vec::new();
    let mut say = |id: &'static str, text: String| found.push(Caveat::new(id, text));
    if own.mtbf_gpu_hours.is_some() && spec.failures.and_then(|own| own.mtbf_gpu_hours).is_none() {
        let hours = grouped(MTBF_GPU_HOURS as u64);
        say(
            "failures-assumed",
            format!(
                "The job is taken to fail as Llama 3's did, once in {hours} GPU hours; other clusters failed up to seven times as often. State operations.failures.mtbf_gpu_hours."
            ),
        );
    }
    if let Some(saving) = &own.saving
        && spec.checkpoint.and_then(|own| own.storage_gb_per_s).is_none()
    {
        let rate = shortest((saving.bytes_per_s / 1e7).round() / 100.0);
        say(
            "storage-assumed",
            format!(
                "Checkpoints are taken to be written at {rate} GB/s over all nodes. State operations.checkpoint.storage_gb_per_s."
            ),
        );
    }
    if spec.startup_s.is_none() {
        let minutes = shortest(STARTUP_S / 60.0);
        say("startup-assumed", format!("A start is taken to last {minutes} minutes. State operations.startup_s."));
    }
    match own.power {
        Some(Power { board_w: None, .. }) => say(
            "no-board-power",
            format!(
                "What {} is rated at in watts is not in the catalog. State operations.power.board_w to see energy.",
                hardware.name
            ),
        ),
        Some(power) => say(
            "power-assumed",
            format!(
                "Energy is that of nodes at {} % of what they are rated at, at a PUE of {} and {} g of CO2 for a kilowatt-hour; waiting is taken to draw as much as training.",
                shortest((power.utilization * 1e4).round() / 100.0),
                shortest(power.pue),
                shortest(power.grid_gco2_per_kwh)
            ),
        ),
        None => {}
    }
    found
}
