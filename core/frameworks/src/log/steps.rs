//! Steps as veRL names their figures: of its console, or of what wandb keeps of it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Log, median, number, warmed};
use shardwise_question::sheet;

/// Phases of veRL's timers (`trainer/ppo/ray_trainer.py` of 0.9.1) by an answer's names.
const PHASES: &[(&str, &str)] = &[
    ("gen", "rollout"),
    ("old_log_prob", "old_log_prob"),
    ("ref", "reference"),
    ("values", "values"),
    ("reward", "reward"),
    ("update_critic", "update_critic"),
    ("update_actor", "update_actor"),
    ("update_weights", "weight_sync"),
];

/// A step's figures by their names.
type Step = BTreeMap<String, f64>;

/// A log of veRL's, or a history of wandb's.
pub(super) fn read(text: &str) -> Option<Log> {
    let forms: [fn(&str) -> Vec<Step>; 3] = [console, json, csv];
    forms.iter().find_map(|form| {
        let all = form(text);
        verl(&all).or_else(|| history(&all))
    })
}

/// A line a step, whatever a launcher writes in front of it.
fn console(text: &str) -> Vec<Step> {
    let lines = text.lines().filter(|line| line.contains("step:") && line.contains('/'));
    lines.map(pairs).collect()
}

/// wandb's summary of the last step, or its history: a list, or an object a line.
fn json(text: &str) -> Vec<Step> {
    let figures = |value: &Value| -> Step {
        let pairs = value.as_object().into_iter().flatten();
        pairs.filter_map(|(key, value)| Some((key.clone(), value.as_f64()?))).collect()
    };
    match serde_json::from_str(text) {
        Ok(Value::Array(all)) => all.iter().map(figures).collect(),
        Ok(one @ Value::Object(_)) => vec![figures(&one)],
        _ => text
            .lines()
            .filter_map(|line| Some(figures(&serde_json::from_str(line).ok()?)))
            .collect(),
    }
}

/// wandb's export: a column a figure, named `RUN - key`, and the least and the most of it beside it.
fn csv(text: &str) -> Vec<Step> {
    let first = text.lines().next().unwrap_or_default();
    if !first.contains(',') || !first.contains('/') {
        return Vec::new();
    }
    let mut rows = sheet::csv_rows(text, ',').into_iter();
    let Some((_, head)) = rows.next() else { return Vec::new() };
    let named = |name: &String| match name.rsplit_once(" - ") {
        Some((_, key)) => key.to_owned(),
        None => name.clone(),
    };
    let keys: Vec<String> = head.iter().map(named).collect();
    let beside = |key: &str| key.ends_with("__MIN") || key.ends_with("__MAX");
    rows.map(|(_, cells)| {
        let pairs = keys.iter().zip(&cells).filter(|(key, _)| !beside(key));
        pairs.filter_map(|(key, cell)| Some((key.clone(), number(cell)?))).collect()
    })
    .collect()
}

/// The medians over steps with veRL's timers.
fn verl(all: &[Step]) -> Option<Log> {
    let steps: Vec<Step> = all.iter().map(renamed).filter(|step| time(step).is_some()).collect();
    let steps = warmed(&steps);
    let of = |key: &str| median(steps.iter().filter_map(|step| step.get(key).copied()).collect());
    let phases = PHASES
        .iter()
        .filter_map(|(timer, phase)| Some((*phase, of(&format!("{TIMER}{timer}"))?)));
    let most = ["perf/max_memory_allocated_gb", "actor/perf/max_memory_allocated_gb"];
    Some(Log {
        framework: "veRL",
        steps: steps.len(),
        step_time_s: median(steps.iter().filter_map(time).collect())?,
        phases: phases.collect(),
        peak_gib: most.iter().find_map(|key| of(key)),
        mean_prompt_length: of("prompt_length/mean"),
        mean_response_length: of("response_length/mean"),
    })
}

const TIMER: &str = "timing_s/";

/// With the names of today: until 0.2 veRL's timers were `timing/gen`, and none was the step's.
fn renamed(step: &Step) -> Step {
    let pairs = step.iter().map(|(key, value)| match key.strip_prefix("timing/") {
        Some(timer) => (format!("{TIMER}{timer}"), *value),
        None => (key.clone(), *value),
    });
    let mut step: Step = pairs.collect();
    let old = !step.contains_key("timing_s/step") && !step.contains_key("perf/time_per_step");
    if old && step.contains_key("timing_s/gen") && step.contains_key("timing_s/update_actor") {
        let all: f64 = step
            .iter()
            .filter(|(key, _)| key.starts_with(TIMER))
            .map(|(_, seconds)| seconds)
            .sum();
        step.insert("timing_s/step".to_owned(), all);
    }
    step
}

/// Seconds of a step without what does not happen in each.
fn time(step: &Step) -> Option<f64> {
    let all = step.get("timing_s/step").or_else(|| step.get("perf/time_per_step"))?;
    let beside: f64 = BESIDE.iter().filter_map(|key| step.get(*key)).sum();
    Some(all - beside).filter(|seconds| *seconds > 0.0)
}

const BESIDE: [&str; 2] = ["timing_s/testing", "timing_s/save_checkpoint"];

/// Of a Trainer's history in wandb: the seconds between two entries over the steps between them.
fn history(all: &[Step]) -> Option<Log> {
    let at = |step: &Step| Some((*step.get("_runtime")?, *step.get("train/global_step")?));
    let marks: Vec<(f64, f64)> = all.iter().filter_map(at).collect();
    super::plain::paced("Hugging Face Trainer", &marks)
}

/// `key:value - key:value`; NumPy writes `np.float64(1.5)`.
fn pairs(line: &str) -> Step {
    let pairs = line.split(" - ").filter_map(|pair| {
        let (key, value) = pair.rsplit_once(':')?;
        let value = value.trim().trim_end_matches(')');
        let value = value.rsplit('(').next().unwrap_or(value);
        Some((key.rsplit(' ').next()?.to_owned(), number(value)?))
    });
    pairs.collect()
}
