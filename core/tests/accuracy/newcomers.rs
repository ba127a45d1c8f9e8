//! Published runs of which none is fitted on, most of them of kinds that the fitted ones are not of: what a newcomer's run is met with.
//!
//! `data/newcomers.jsonl` holds one a line: where it was published, what is stated there, the question that states it and what was
//! measured. They were collected without looking at what the estimate makes of them, and are of no use for that once it is fitted on
//! them: a row that is needed for a fit moves to `training.jsonl` or its like.

use serde::Deserialize;
use serde_json::Value;
use shardwise_core::estimate;
use shardwise_core::wire::question_from_value;

const NEWCOMERS: &str = include_str!("../data/newcomers.jsonl");

/// How many times too fast or too slow the runs are met, at the median and of nine in ten, at most; and what share of them lies within
/// the interval, at least, which says 80 %. Where these are better, write the better ones here.
const MEDIAN: f64 = 1.24;
const P90: f64 = 2.0;
const WITHIN: f64 = 0.58;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Newcomer {
    id: String,
    url: String,
    date: String,
    /// As its publisher names it.
    #[serde(rename = "framework")]
    _framework: String,
    /// A where all is stated that matters, B where a length or the like is taken to be usual.
    grade: String,
    facts: String,
    measured: Measured,
    question: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    step_s: Option<f64>,
    tokens_per_s_per_gpu: Option<f64>,
    #[serde(rename = "peak_gib")]
    _peak_gib: Option<f64>,
    #[serde(rename = "reserved_gib")]
    _reserved_gib: Option<f64>,
}

#[test]
fn runs_of_kinds_that_nothing_is_fitted_on_are_met_as_well_as_on_record() {
    let (mut off, mut within, mut all) = (Vec::new(), 0, 0);
    for line in NEWCOMERS.lines() {
        let own: Newcomer = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(own.url.starts_with("https://") && !own.facts.is_empty(), "{}", own.id);
        assert!(own.date.starts_with("202") && ["A", "B"].contains(&own.grade.as_str()), "{}", own.id);
        let question = question_from_value(own.question).unwrap_or_else(|error| panic!("{}: {error}", own.id));
        let answer = estimate(&question).unwrap_or_else(|error| panic!("{}: {error}", own.id));
        // Speed measured over that estimated.
        let measured = match (own.measured.tokens_per_s_per_gpu, own.measured.step_s) {
            (Some(speed), _) => speed / answer.tokens_per_s_per_gpu,
            (None, Some(seconds)) => answer.step_time_s / seconds,
            (None, None) => panic!("{}: nothing was measured", own.id),
        };
        let [slow, fast] = answer.interval.unwrap().tokens_per_s_per_gpu;
        let speed = measured * answer.tokens_per_s_per_gpu;
        within += u32::from(slow <= speed && speed <= fast);
        off.push(measured.max(1.0 / measured));
        all += 1;
    }
    off.sort_by(f64::total_cmp);
    let at = |share: f64| off[(share * (off.len() - 1) as f64) as usize];
    let share = f64::from(within) / f64::from(all);
    println!(
        "{all} newcomers: off by x {:.2} at the median, x {:.2} of nine in ten; {:.0} % within the interval",
        at(0.5),
        at(0.9),
        100.0 * share
    );
    assert!(all > 100 && at(0.5) <= MEDIAN && at(0.9) <= P90 && share >= WITHIN, "{} {} {share}", at(0.5), at(0.9));
}
