//! A whole run with what it meets beside its steps.

use super::super::expression::Expression;
use super::super::number::Unit;
use super::super::sheet::{Explanation, Sheet};
use super::Source;
use super::summary::{all_gpus, gpu_price};
use shardwise_engine::run::saving;
use shardwise_question::operations::{Evaluation, Operations, instances};
use shardwise_question::wire::{Answer, Expected, RunOperations, Saving};

/// The figures that an answer has of it.
pub(super) fn figures(answer: &Answer) -> Vec<String> {
    let Some(own) = answer.run.and_then(|run| run.operations) else {
        return Vec::new();
    };
    let mut all: Vec<&str> = Vec::new();
    if own.mtbf_hours.is_some() {
        all.push("mtbf");
    }
    if let Some(saving) = own.saving {
        all.extend(["write", "pause"]);
        all.extend(saving.best_interval_s.map(|_| "best_interval"));
    }
    if let Some(expected) = own.expected {
        all.extend(["hours", "goodput"]);
        all.extend(expected.usd.map(|_| "usd"));
        all.extend((expected.failures > 0.0).then_some("failures"));
        let parts = expected.hours_of.entries();
        all.extend(parts.iter().filter(|(_, hours)| *hours > 0.0).map(|(part, _)| *part));
        all.extend(expected.energy_kwh.map(|_| "energy"));
        all.extend(expected.co2_kg.map(|_| "emissions"));
    }
    all.into_iter().map(|figure| format!("run.operations.{figure}")).collect()
}

/// The explanation of one of them.
pub(super) fn of(source: &Source<'_>, figure: &str, name: &str) -> Option<Explanation> {
    let own = source.answer().run?.operations?;
    let asked = source.found.job.operations.as_ref()?;
    match name {
        "mtbf" => mtbf(source, figure, asked, &own),
        "write" => write(source, figure, asked),
        "pause" => pause(source, figure, asked, own.saving?),
        "best_interval" => best_interval(source, figure, asked, &own),
        _ => expected(source, figure, name, asked, &own),
    }
}

fn expected(
    source: &Source<'_>,
    figure: &str,
    name: &str,
    asked: &Operations,
    own: &RunOperations,
) -> Option<Explanation> {
    let found = own.expected?;
    match name {
        "hours" => Some(hours(figure, &found)),
        "usd" => usd(source, figure, &found),
        "goodput" => Some(goodput(figure, &found)),
        "failures" => failures(figure, &found, own.mtbf_hours?),
        "startup" => Some(startup(figure, asked)),
        "training" => training(source, figure),
        "evaluation" => evaluation(source, figure, asked),
        "checkpoints" => checkpoints(figure, own.saving?),
        "lost" | "restarts" => Some(after_failures(figure, name, &found)),
        "energy" => energy(source, figure, asked, &found),
        "emissions" => emissions(figure, asked, &found),
        _ => None,
    }
}

fn part(sheet: &mut Sheet, symbol: &'static str, value: f64, unit: Unit, meaning: &'static str) -> Expression {
    sheet.part(symbol, value, unit, meaning, format!("run.operations.{symbol}"))
}

fn all_hours(sheet: &mut Sheet, found: &Expected) -> Expression {
    let meaning = "expected hours of the run";
    part(sheet, "hours", found.hours, Unit::Hours, meaning)
}

fn mtbf(source: &Source<'_>, figure: &str, asked: &Operations, own: &RunOperations) -> Option<Explanation> {
    own.mtbf_hours?;
    let mut sheet = Sheet::new();
    let hardware = &source.found.job.hardware;
    let mut rates = Vec::new();
    if let Some(hours) = asked.mtbf_gpu_hours {
        let meaning = "hours of one GPU between two failures of its job";
        rates.push(all_gpus(source, &mut sheet) / sheet.term("MTBF", hours, Unit::Hours, meaning));
    }
    if asked.interruptions_per_instance_hour > 0.0 {
        let nodes = sheet.term("nodes", instances(hardware), Unit::One, "nodes, each of which may be taken back");
        let meaning = "interruptions of a node per hour";
        let rate = sheet.term("interruptions", asked.interruptions_per_instance_hour, Unit::One, meaning);
        rates.push(nodes * rate);
    }
    let expression = Expression::Number(1.0) / Expression::sum(rates);
    let title = "Hours between failures";
    Some(sheet.finish(figure, "run-mtbf", title, "M", expression, Unit::Hours))
}

fn bytes(source: &Source<'_>, sheet: &mut Sheet) -> Option<Expression> {
    let bytes = source.answer().run?.checkpoint?.bytes;
    let meaning = "bytes of a checkpoint: weights, master weights and optimizer states";
    Some(sheet.term("bytes", bytes, Unit::Bytes, meaning))
}

fn write(source: &Source<'_>, figure: &str, asked: &Operations) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let bytes = bytes(source, &mut sheet)?;
    let rate = asked.saving?.bytes_per_s;
    let storage = sheet.term("storage", rate, Unit::GbPerS, "bandwidth to storage, over all nodes");
    let title = "Time to write a checkpoint";
    Some(sheet.finish(figure, "checkpoint-time", title, "write", bytes / storage, Unit::Seconds))
}

fn pause(source: &Source<'_>, figure: &str, asked: &Operations, own: Saving) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let meaning = "seconds until a checkpoint is written";
    let written = part(&mut sheet, "write", own.write_s, Unit::Seconds, meaning);
    let expression = if asked.saving?.asynchronous {
        // A teacher's own hold nothing of it.
        let gpus = sheet.term("GPUs", source.found.job.hardware.gpus.into(), Unit::Gpus, "all GPUs");
        let rate = saving::copying(source.found.job.hardware.pcie_gb_per_s * 1e9);
        let link = sheet.term("copy", rate, Unit::GbPerS, "bandwidth from a GPU to its host's memory");
        let copied = (bytes(source, &mut sheet)? / (gpus * link)).min(written.clone());
        let meaning = "seconds of work from one checkpoint to the next";
        let interval = sheet.term("τ", own.interval_s, Unit::Seconds, meaning);
        sheet.note("It is written while training goes on; the next one begins only after that.");
        copied.max(written - interval)
    } else {
        written
    };
    let title = "Training waits for a checkpoint";
    Some(sheet.finish(figure, "checkpoint-time", title, "pause", expression, Unit::Seconds))
}

fn best_interval(source: &Source<'_>, figure: &str, asked: &Operations, own: &RunOperations) -> Option<Explanation> {
    let mtbf = own.mtbf_hours? * 3600.0;
    let best = own.saving?.best_interval_s?;
    let hardware = &source.found.job.hardware;
    let bytes = source.answer().run?.checkpoint?.bytes;
    let times = saving::times(&asked.saving?, bytes, f64::from(hardware.gpus), hardware.pcie_gb_per_s * 1e9);
    let mut sheet = Sheet::new();
    let title = "Best time between checkpoints";
    let between = sheet.term("M", mtbf, Unit::Seconds, "mean seconds between two failures");
    let expression = if times.pause >= 2.0 * mtbf {
        between
    } else {
        let pause = sheet.term("δ", times.pause, Unit::Seconds, "seconds in which training waits for a checkpoint");
        let half = pause.clone() / (Expression::Number(2.0) * between.clone());
        let more = half.clone().root() / 3.0 + half / 9.0;
        (Expression::Number(2.0) * pause.clone() * between).root() * (Expression::Number(1.0) + more) - pause
    };
    let expression = if times.redone() > 0.0 && best <= times.redone() {
        let meaning = "seconds in which a checkpoint is written beside training";
        expression.max(sheet.term("writing", times.redone(), Unit::Seconds, meaning))
    } else {
        expression
    };
    Some(sheet.finish(figure, "best-interval", title, "τ", expression, Unit::Seconds))
}

fn hours(figure: &str, found: &Expected) -> Explanation {
    let mut sheet = Sheet::new();
    let parts: Vec<Expression> = found
        .hours_of
        .entries()
        .into_iter()
        .filter(|(_, hours)| *hours > 0.0)
        .map(|(name, hours)| part(&mut sheet, name, hours, Unit::Hours, meaning(name)))
        .collect();
    sheet.note("What failures cost is their mean: a run has fewer or more of them.");
    let title = "Expected hours of the run";
    sheet.finish(figure, "run-hours", title, "hours", Expression::sum(parts), Unit::Hours)
}

/// What a part of a run is.
fn meaning(part: &str) -> &'static str {
    match part {
        "startup" => "hours until the first step",
        "training" => "hours of the run's steps",
        "evaluation" => "hours of evaluation",
        "checkpoints" => "hours in which training waits for checkpoints",
        "lost" => "hours of work that failures lose",
        _ => "hours of restarts",
    }
}

fn usd(source: &Source<'_>, figure: &str, found: &Expected) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let price = gpu_price(source, &mut sheet)?;
    let gpus = all_gpus(source, &mut sheet);
    let expression = price * gpus * all_hours(&mut sheet, found);
    let title = "Expected cost of the run";
    Some(sheet.finish(figure, "cost", title, "$", expression, Unit::UsdOfRun))
}

fn goodput(figure: &str, found: &Expected) -> Explanation {
    let mut sheet = Sheet::new();
    let training = part(&mut sheet, "training", found.hours_of.training, Unit::Hours, meaning("training"));
    let expression = training / all_hours(&mut sheet, found);
    sheet.finish(figure, "goodput", "Goodput", "goodput", expression, Unit::Percent)
}

fn failures(figure: &str, found: &Expected, mtbf: f64) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let mut exposed = all_hours(&mut sheet, found);
    if found.hours_of.startup > 0.0 {
        exposed = exposed - part(&mut sheet, "startup", found.hours_of.startup, Unit::Hours, meaning("startup"));
    }
    let meaning = "mean hours between two failures";
    let between = sheet.part("M", mtbf, Unit::Hours, meaning, "run.operations.mtbf");
    let title = "Expected failures";
    Some(sheet.finish(figure, "run-restarts", title, "failures", exposed / between, Unit::One))
}

fn startup(figure: &str, asked: &Operations) -> Explanation {
    let mut sheet = Sheet::new();
    let seconds = sheet.term("s", asked.startup_s, Unit::Seconds, "seconds of a start");
    let title = "Hours of start-up";
    sheet.finish(figure, "run-startup", title, "startup", seconds / 3600.0, Unit::Hours)
}

fn training(source: &Source<'_>, figure: &str) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let hours = source.answer().run?.hours;
    let hours = sheet.part("hours", hours, Unit::Hours, "hours of the run's steps", "run.hours");
    let title = "Hours of training";
    Some(sheet.finish(figure, "run", title, "training", hours, Unit::Hours))
}

fn evaluation(source: &Source<'_>, figure: &str, asked: &Operations) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let run = source.answer().run?;
    let expression = match asked.evaluation {
        Evaluation::Every { steps, seconds } => {
            let all = sheet.term("steps", run.steps, Unit::One, "steps of the run");
            let every = sheet.term("every", steps as f64, Unit::One, "steps from one evaluation to the next");
            let each = sheet.term("s", seconds, Unit::Seconds, "seconds of an evaluation");
            (all / every).floor() * each / 3600.0
        }
        Evaluation::Share(share) => {
            let share = sheet.term("share", share, Unit::One, "time of evaluation beside training's");
            share * part(&mut sheet, "training", run.hours, Unit::Hours, meaning("training"))
        }
    };
    let title = "Hours of evaluation";
    Some(sheet.finish(figure, "run-startup", title, "evaluation", expression, Unit::Hours))
}

fn checkpoints(figure: &str, own: Saving) -> Option<Explanation> {
    let mut sheet = Sheet::new();
    let saves = sheet.term("N", own.saves, Unit::One, "checkpoints of the run");
    let meaning = "seconds in which training waits for a checkpoint";
    let pause = part(&mut sheet, "pause", own.pause_s, Unit::Seconds, meaning);
    let title = "Hours of checkpoints";
    Some(sheet.finish(figure, "run-checkpoints", title, "checkpoints", saves * pause / 3600.0, Unit::Hours))
}

/// What failures lose, and their restarts: so many times what one does on average.
fn after_failures(figure: &str, name: &str, found: &Expected) -> Explanation {
    let mut sheet = Sheet::new();
    let failures = part(&mut sheet, "failures", found.failures, Unit::One, "failures to be expected");
    let (all, method, title, symbol, each) = match name {
        "lost" => (
            found.hours_of.lost,
            "run-lost",
            "Hours of lost work",
            "lost",
            "mean hours of work that a failure loses: some half of the time between checkpoints",
        ),
        _ => (
            found.hours_of.restarts,
            "run-restarts",
            "Hours of restarts",
            "restarts",
            "mean hours of a restart, which may itself end by a failure",
        ),
    };
    let each = sheet.term("each", all / found.failures, Unit::Hours, each);
    sheet.finish(figure, method, title, symbol, failures * each, Unit::Hours)
}

fn energy(source: &Source<'_>, figure: &str, asked: &Operations, found: &Expected) -> Option<Explanation> {
    let power = asked.power?;
    let mut sheet = Sheet::new();
    let board = sheet.term("board", power.board_w?, Unit::Watts, "power that one GPU is rated at");
    if let Some(from) = source.found.job.hardware.board_source {
        sheet.source("Rated power", from.url);
    }
    let gpus = all_gpus(source, &mut sheet);
    let node = sheet.term("node", power.node_factor, Unit::One, "what a node is rated at over what its GPUs are");
    let used = sheet.term("utilization", power.utilization, Unit::One, "mean power over rated power");
    let pue = sheet.term("PUE", power.pue, Unit::One, "power of the site over that of its computers");
    let expression = board * gpus * node * used * pue * all_hours(&mut sheet, found) / 1000.0;
    sheet.note("Waiting is taken to draw as much as training.");
    let title = "Energy of the run";
    Some(sheet.finish(figure, "run-energy", title, "kWh", expression, Unit::KilowattHours))
}

fn emissions(figure: &str, asked: &Operations, found: &Expected) -> Option<Explanation> {
    let power = asked.power?;
    let mut sheet = Sheet::new();
    let meaning = "energy of the run";
    let energy = part(&mut sheet, "energy", found.energy_kwh?, Unit::KilowattHours, meaning);
    let grid = sheet.term("grid", power.grid_gco2_per_kwh, Unit::One, "grams of CO2 equivalent for a kilowatt-hour");
    sheet.note("Making the machines is not in it.");
    let title = "Emissions of the run";
    Some(sheet.finish(figure, "run-emissions", title, "CO2", energy * grid / 1000.0, Unit::Kilograms))
}
