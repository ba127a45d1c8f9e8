//! A whole run with what it meets beside its steps.
//!
//! Work is cut into as many equal parts as the run saves checkpoints; each is tried until it ends without a failure.
//! [`failures`] says how long that takes, [`saving`] how long a checkpoint does, [`energy`] what it draws.

pub mod energy;
pub mod failures;
pub mod saving;

use crate::context::Context;
use failures::{Attempts, Failing};
use saving::Times;
use shardwise_catalog::units::{Seconds, UsdPerHour};
use shardwise_question::operations::{Evaluation, Often, Operations, instances};
use shardwise_question::wire::{Checkpoint, Expected, RunOperations, RunParts, Saving};

/// A run that takes this many times what it does without failures would hardly ever finish.
pub const ENDLESS: f64 = 1000.0;

/// The run whose steps take `training` seconds, `steps` of them, and whose checkpoints are `checkpoint`; nothing where the
/// question does not ask. `price` is that of all GPUs.
#[must_use]
pub fn of(
    context: &Context<'_>,
    training: f64,
    steps: f64,
    checkpoint: Option<&Checkpoint>,
    price: Option<UsdPerHour>,
) -> Option<RunOperations> {
    let job = context.job;
    let own = job.operations.as_ref()?;
    let hardware = &job.hardware;
    let gpus = f64::from(job.gpus());
    let bytes = checkpoint.map_or(0.0, |own| own.bytes);
    let evaluation = evaluation(&own.evaluation, training, steps);
    let work = training + evaluation;
    let times = own
        .saving
        .map(|saving| saving::times(&saving, bytes, f64::from(hardware.gpus), hardware.pcie_gb_per_s * 1e9));
    let reading = own.saving.map_or(0.0, |saving| bytes / saving.bytes_per_s);
    let mtbf = failures::mtbf(own.mtbf_gpu_hours, gpus, own.interruptions_per_instance_hour, instances(hardware));
    let failing = mtbf.map(|hours| Failing {
        mtbf: hours * 3600.0,
        restart: own.restart_s.unwrap_or(own.startup_s + reading),
        redone: times.map_or(0.0, |own| own.redone()),
    });
    let attempts = attempts(own, work, steps, times, failing.as_ref());
    let parts = RunParts {
        startup: own.startup_s,
        training,
        evaluation,
        checkpoints: attempts.pause * attempts.parts,
        lost: failing.map_or(0.0, |own| own.lost(&attempts)),
        restarts: failing.map_or(0.0, |own| own.restarts(&attempts)),
    };
    let seconds = parts.total();
    let finishes = seconds.is_finite() && seconds <= ENDLESS * (own.startup_s + work + parts.checkpoints);
    let expected = finishes.then(|| {
        let hours_of = parts.times(1.0 / 3600.0);
        let hours = hours_of.total();
        let energy_kwh = own.power.as_ref().and_then(|power| energy::kwh(power, gpus, hours));
        Expected {
            hours,
            usd: price.map(|price| price.over(Seconds::new(hours * 3600.0)).get()),
            goodput: goodput(&hours_of),
            failures: mtbf.map_or(0.0, |mtbf| (hours - hours_of.startup) / mtbf),
            hours_of,
            usd_of: price.map(|price| hours_of.times(price.over(Seconds::new(3600.0)).get())),
            energy_kwh,
            co2_kg: energy_kwh.zip(own.power).map(|(kwh, power)| energy::co2_kg(&power, kwh)),
        }
    });
    Some(RunOperations {
        mtbf_hours: mtbf,
        restart_s: failing.map(|own| own.restart),
        saving: times.map(|times| Saving {
            write_s: times.write,
            pause_s: attempts.pause,
            saves: attempts.parts,
            interval_s: attempts.work,
            best_interval_s: failing.map(|own| failures::best_interval(times.pause, own.mtbf).max(own.redone)),
        }),
        expected,
    })
}

/// Share of a run's time that trains for good (Jiang et al. 2024, MegaScale, arXiv:2402.15627, section 6.3: iterations times
/// the time of one, over all of the time; the effective training time ratio of Kokolis et al. 2024, arXiv:2410.21680).
/// `MegaScale`'s was over 90 %, restarted over 100 times in several weeks on more than 10,000 GPUs; so was Llama 3's on 16,384.
#[must_use]
pub fn goodput(hours: &RunParts) -> f64 {
    hours.training / hours.total()
}

/// Seconds of evaluation: of as many as have been due by the last step, or a share of training.
#[must_use]
pub fn evaluation(own: &Evaluation, training: f64, steps: f64) -> f64 {
    match own {
        Evaluation::Every { steps: every, seconds } => libm::floor(steps / *every as f64) * seconds,
        Evaluation::Share(share) => share * training,
    }
}

/// The equal parts that `work` is cut into, each with a checkpoint at its end.
fn attempts(own: &Operations, work: f64, steps: f64, times: Option<Times>, failing: Option<&Failing>) -> Attempts {
    let Some((saving, times)) = own.saving.zip(times) else {
        return Attempts { parts: 1.0, work, pause: 0.0 };
    };
    let parts = match saving.every {
        Often::Steps(every) => libm::ceil(steps / every as f64),
        Often::Seconds(every) => libm::ceil(work / every),
        Often::Best => failing.map_or(1.0, |own| own.best_parts(work, steps, &times)),
    };
    times.cut(work, parts.clamp(1.0, steps.max(1.0)))
}
